//! The records that count now, read once and kept in step with every commit.

use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use ouro_core::{Change, LearningRecord, RecordQuery, RecordStore, Result};

/// Records that were not superseded, newest first.
///
/// Reading ten thousand records takes longer than everything else an iteration does around its reasoner, so they are
/// read again only when somebody else has changed them.
#[derive(Default)]
pub(crate) struct CurrentRecords {
    held: Mutex<Option<Held>>,
}

struct Held {
    /// The store's [`RecordStore::records_revision`] that `records` are of.
    revision: u64,
    records: Arc<Vec<LearningRecord>>,
}

impl CurrentRecords {
    /// The records of this moment.
    ///
    /// # Errors
    /// The store's.
    pub(crate) fn load(&self, store: &dyn RecordStore) -> Result<Arc<Vec<LearningRecord>>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        // Read before the records: a change in between costs another reading, and is never missed.
        let revision = store.records_revision();
        if let Some(held) = held.as_ref().filter(|held| held.revision == revision) {
            return Ok(held.records.clone());
        }
        // The old ones go first: nobody needs room for both.
        *held = None;
        let mut records = store.records(&RecordQuery::default())?;
        records.retain(|record| record.superseded_by.is_none());
        let records = Arc::new(records);
        *held = Some(Held { revision, records: records.clone() });
        Ok(records)
    }

    /// Frees the memory: they are read again when they are asked for. Never waits: who has the lock is at work with them, and
    /// its write may hang.
    pub(crate) fn release(&self) {
        match self.held.try_lock() {
            Ok(mut held) => *held = None,
            Err(TryLockError::Poisoned(held)) => *held.into_inner() = None,
            Err(TryLockError::WouldBlock) => {}
        }
    }

    /// Commits `changes`, and keeps what is held in step with them.
    ///
    /// # Errors
    /// The store's; nothing is changed then.
    pub(crate) fn commit(&self, store: &dyn RecordStore, changes: &[Change]) -> Result<()> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        store.commit(changes)?;
        let put: Vec<&LearningRecord> = changes
            .iter()
            .filter_map(|change| match change {
                Change::PutRecord(record) => Some(record.as_ref()),
                _ => None,
            })
            .collect();
        // One more than what is held is of: this commit, and nothing else, lies in between. A commit without a record
        // doesn't count, so one more than that is somebody else's.
        if let Some(held) = held.as_mut()
            && !put.is_empty()
            && store.records_revision() == held.revision + 1
        {
            let records = Arc::make_mut(&mut held.records);
            put.into_iter().for_each(|record| put_in_place(records, record, store));
            held.revision += 1;
        }
        Ok(())
    }
}

/// Puts a record where it belongs in a list that is sorted newest first; a superseded one leaves it.
fn put_in_place(
    records: &mut Vec<LearningRecord>,
    record: &LearningRecord,
    store: &dyn RecordStore,
) {
    let place = records.binary_search_by(|held| record.id.cmp(&held.id));
    match (place, record.superseded_by.is_some()) {
        (Ok(at), true) => drop(records.remove(at)),
        (Ok(at), false) => {
            if let Some(held) = records.get_mut(at) {
                *held = record.clone();
            }
        }
        // A record that was deleted stays so, whoever puts a copy of it.
        (Err(at), false) if store.record(record.id).is_ok() => records.insert(at, record.clone()),
        (Err(_), _) => {}
    }
}

#[cfg(test)]
mod tests {
    use ouro_core::{Freshness, ProjectMemory};
    use ouro_testkit::{
        ManualClock, MemoryStore,
        store_contract::{sample_project, sample_record},
    };
    use proptest::prelude::*;

    use super::*;

    /// Who commits a step.
    #[derive(Debug, Clone, Copy)]
    enum Who {
        Holder,
        SomebodyElse,
        /// The holder, right after somebody else has put a record that it has not seen.
        HolderUnaware,
    }

    #[derive(Debug, Clone)]
    enum Step {
        Add,
        MarkStale(usize),
        Supersede(usize),
        Delete(usize),
        Remember,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            Just(Step::Add),
            (0..6_usize).prop_map(Step::MarkStale),
            (0..6_usize).prop_map(Step::Supersede),
            (0..6_usize).prop_map(Step::Delete),
            Just(Step::Remember),
        ]
    }

    fn who() -> impl Strategy<Value = Who> {
        prop_oneof![Just(Who::Holder), Just(Who::SomebodyElse), Just(Who::HolderUnaware)]
    }

    fn put(record: LearningRecord) -> Change {
        Change::PutRecord(Box::new(record))
    }

    proptest! {
        #[test]
        fn what_is_held_is_what_the_store_says(
            steps in prop::collection::vec((step(), who()), 1..40)
        ) {
            let store = MemoryStore::new(sample_project(), Arc::new(ManualClock::new(1_000)));
            let current = CurrentRecords::default();
            let mut known: Vec<LearningRecord> = Vec::new();
            let add = |known: &mut Vec<LearningRecord>| {
                let new = sample_record(u64::try_from(known.len()).unwrap() + 1);
                known.push(new.clone());
                new
            };
            for (step, who) in steps {
                let changes = match step {
                    Step::MarkStale(at) if at < known.len() => {
                        let freshness = Freshness::Stale { path: "a".into(), since: 3 };
                        vec![put(LearningRecord { freshness, ..known[at].clone() })]
                    }
                    Step::Supersede(at) if at < known.len() => {
                        let new = add(&mut known);
                        let superseded_by = Some(new.id);
                        vec![put(new), put(LearningRecord { superseded_by, ..known[at].clone() })]
                    }
                    Step::Delete(at) if at < known.len() => vec![Change::DeleteRecord(known[at].id)],
                    Step::Remember => vec![Change::PutMemory(ProjectMemory::default())],
                    _ => vec![put(add(&mut known))],
                };
                match (&step, who) {
                    (Step::Delete(_), _) | (_, Who::SomebodyElse) => store.commit(&changes).unwrap(),
                    (_, Who::Holder) => current.commit(&store, &changes).unwrap(),
                    (_, Who::HolderUnaware) => {
                        store.commit(&[put(add(&mut known))]).unwrap();
                        current.commit(&store, &changes).unwrap();
                    }
                }
                let mut expected = store.records(&RecordQuery::default()).unwrap();
                expected.retain(|record| record.superseded_by.is_none());
                let held = current.load(&store).unwrap();
                prop_assert_eq!(held.as_ref(), &expected);
            }
        }
    }
}
