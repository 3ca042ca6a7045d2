//! A store without a disk, with failures on demand.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ouro_core::{
    AskedQuestion, BackoffState, CachedToolCall, Change, Clock, Counters, Error, ErrorKind,
    EvolutionLog, FailureRecord, GuardState, InFlight, LearningRecord, ProjectKey, ProjectMemory,
    QuotaState, RecordId, RecordQuery, RecordStore, Result, StoredVector, VectorRole,
};

const LOG_LINES: usize = 10_000;
const LOG_AGE_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// Keeps everything in memory and forgets it when dropped. Passes the same contract as the durable store.
#[derive(Debug)]
pub struct MemoryStore {
    project_key: ProjectKey,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

/// A value and when it was put: its commit's place in the order of all changes.
type Sequenced<T> = (u64, T);

#[derive(Debug, Default)]
struct State {
    failing: VecDeque<ErrorKind>,
    size: u64,
    commits: u64,
    records_revision: u64,
    sequence: u64,
    records: BTreeMap<RecordId, LearningRecord>,
    deleted: BTreeSet<RecordId>,
    vectors: BTreeMap<(RecordId, VectorRole, String), Vec<f32>>,
    memory: ProjectMemory,
    counters: Counters,
    log: VecDeque<EvolutionLog>,
    in_flight: Option<InFlight>,
    backoff: BackoffState,
    quota: QuotaState,
    failures: BTreeMap<String, FailureRecord>,
    asked: BTreeMap<String, Sequenced<AskedQuestion>>,
    tool_calls: BTreeMap<String, Sequenced<CachedToolCall>>,
}

impl MemoryStore {
    /// An empty store of this project.
    pub fn new(project_key: ProjectKey, clock: Arc<dyn Clock>) -> Self {
        Self { project_key, clock, state: Mutex::default() }
    }

    /// Lets the next `n` commits fail with `kind` and change nothing; later calls queue up behind earlier ones.
    pub fn fail_next_commits(&self, n: usize, kind: ErrorKind) {
        self.lock().failing.extend(std::iter::repeat_n(kind, n));
    }

    /// Claims to take so many bytes.
    pub fn set_size(&self, bytes: u64) {
        self.lock().size = bytes;
    }

    /// How many commits succeeded.
    pub fn commits(&self) -> u64 {
        self.lock().commits
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Refuses another content under the id of a stored record, within the transaction too.
    fn check_contents(&self, changes: &[Change]) -> Result<()> {
        let (mut added, mut deleted) = (BTreeMap::new(), self.deleted.clone());
        for change in changes {
            match change {
                Change::PutRecord(record) if !deleted.contains(&record.id) => {
                    let known = added.get(&record.id).copied();
                    let known = known.or_else(|| self.records.get(&record.id));
                    if known.is_some_and(|known| !known.differs_only_in_marks(record)) {
                        return Err(Error::invalid(format!(
                            "record {} is stored with another content; records are added, never overwritten",
                            record.id
                        )));
                    }
                    added.insert(record.id, record.as_ref());
                }
                Change::DeleteRecord(id)
                    if added.contains_key(id) || self.records.contains_key(id) =>
                {
                    deleted.insert(*id);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Refuses vectors of two lengths from one embedder.
    fn check_dimensions(&self, changes: &[Change]) -> Result<()> {
        let mut lengths: BTreeMap<&str, usize> =
            self.vectors.iter().map(|((_, _, e), values)| (e.as_str(), values.len())).collect();
        for change in changes {
            let Change::PutVector(v) = change else { continue };
            let length = *lengths.entry(&v.embedder).or_insert(v.values.len());
            if length != v.values.len() {
                return Err(Error::invalid(format!(
                    "embedder {} gave a vector of {} numbers, its others have {length}",
                    v.embedder,
                    v.values.len()
                )));
            }
        }
        Ok(())
    }

    fn apply(&mut self, change: Change, now_ms: i64) {
        self.sequence += 1;
        if matches!(change, Change::PutRecord(_) | Change::DeleteRecord(_)) {
            self.records_revision += 1;
        }
        match change {
            Change::PutRecord(r) if self.deleted.contains(&r.id) => {}
            Change::PutRecord(r) => {
                self.records.insert(r.id, *r);
            }
            Change::DeleteRecord(id) => {
                if self.records.remove(&id).is_some() {
                    self.deleted.insert(id);
                }
                self.vectors.retain(|(record, ..), _| *record != id);
            }
            Change::PutVector(v) => {
                if self.records.contains_key(&v.record) {
                    self.vectors.insert((v.record, v.role, v.embedder), v.values);
                }
            }
            Change::PutMemory(memory) => self.memory = memory,
            Change::PutCounters(counters) => self.counters = counters,
            Change::AppendLog(line) => {
                self.log.push_back(line);
                while self.log.len() > LOG_LINES
                    || self.log.front().is_some_and(|l| l.timestamp < now_ms - LOG_AGE_MS)
                {
                    self.log.pop_front();
                }
            }
            Change::PutInFlight(in_flight) => self.in_flight = in_flight.map(|f| *f),
            Change::PutBackoff(backoff) => self.backoff = backoff,
            Change::PutQuota(quota) => self.quota = quota,
            Change::PutFailure(f) => {
                self.failures.insert(f.signature.clone(), *f);
            }
            Change::DeleteFailure(signature) => {
                self.failures.remove(&signature);
            }
            Change::PutAsked(asked) => {
                self.asked.insert(asked.hash.clone(), (self.sequence, asked));
            }
            Change::PutToolCall(call) => {
                self.tool_calls.insert(call.signature.clone(), (self.sequence, *call));
            }
            Change::DeleteToolCall(signature) => {
                self.tool_calls.remove(&signature);
            }
        }
    }
}

impl RecordStore for MemoryStore {
    fn project_key(&self) -> &ProjectKey {
        &self.project_key
    }

    fn commit(&self, changes: &[Change]) -> Result<()> {
        let mut state = self.lock();
        if let Some(kind) = state.failing.pop_front() {
            return Err(Error::new(kind, "the store was told to fail"));
        }
        changes.iter().try_for_each(|change| change.check(&self.project_key))?;
        state.check_contents(changes)?;
        state.check_dimensions(changes)?;
        let now_ms = self.clock.now_ms();
        changes.iter().cloned().for_each(|change| state.apply(change, now_ms));
        state.commits += 1;
        Ok(())
    }

    fn record(&self, id: RecordId) -> Result<LearningRecord> {
        self.lock().records.get(&id).cloned().ok_or_else(|| {
            Error::new(
                ErrorKind::NotFound,
                format!("project {} has no record {id}", self.project_key),
            )
        })
    }

    fn records(&self, query: &RecordQuery) -> Result<Vec<LearningRecord>> {
        let limit = if query.limit == 0 { usize::MAX } else { query.limit };
        let state = self.lock();
        let newest_first = state.records.iter().rev();
        let older = newest_first.filter(|(id, _)| query.before.is_none_or(|before| **id < before));
        Ok(older.take(limit).map(|(_, record)| record.clone()).collect())
    }

    fn records_revision(&self) -> u64 {
        self.lock().records_revision
    }

    fn record_count(&self) -> Result<usize> {
        Ok(self.lock().records.len())
    }

    fn vectors(&self, embedder: &str) -> Result<Vec<StoredVector>> {
        let state = self.lock();
        let of_embedder = state.vectors.iter().filter(|((_, _, e), _)| e == embedder);
        Ok(of_embedder
            .map(|((record, role, embedder), values)| StoredVector {
                record: *record,
                role: *role,
                embedder: embedder.clone(),
                values: values.clone(),
            })
            .collect())
    }

    fn memory(&self) -> Result<ProjectMemory> {
        let state = self.lock();
        let learning_record_ids = state.records.keys().copied().collect();
        Ok(ProjectMemory { learning_record_ids, ..state.memory.clone() })
    }

    fn counters(&self) -> Result<Counters> {
        Ok(self.lock().counters.clone())
    }

    fn log(&self, limit: usize) -> Result<Vec<EvolutionLog>> {
        Ok(self.lock().log.iter().rev().take(limit).cloned().collect())
    }

    fn in_flight(&self) -> Result<Option<InFlight>> {
        Ok(self.lock().in_flight.clone())
    }

    fn guard_state(&self) -> Result<GuardState> {
        let state = self.lock();
        let mut failures: Vec<_> = state.failures.values().cloned().collect();
        failures.sort_by_key(|f| f.id);
        let mut asked: Vec<_> = state.asked.values().collect();
        asked.sort_by_key(|(sequence, a)| (a.at, *sequence));
        let mut tool_calls: Vec<_> = state.tool_calls.values().collect();
        tool_calls.sort_by_key(|(sequence, c)| (c.at, *sequence));
        Ok(GuardState {
            backoff: state.backoff.clone(),
            quota: state.quota.clone(),
            failures,
            asked: asked.into_iter().map(|(_, a)| a.clone()).collect(),
            tool_calls: tool_calls.into_iter().map(|(_, c)| c.clone()).collect(),
        })
    }

    fn size_on_disk(&self) -> Result<u64> {
        Ok(self.lock().size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store_contract::{Opened, sample_project, sample_record};

    fn open(project: ProjectKey, clock: Arc<dyn Clock>) -> Opened {
        (Arc::new(MemoryStore::new(project, clock)), Box::new(()))
    }

    crate::store_contract!(open);

    #[test]
    fn fails_as_often_as_it_was_told_and_changes_nothing_then() {
        let store = MemoryStore::new(sample_project(), Arc::new(crate::ManualClock::new(0)));
        store.fail_next_commits(2, ErrorKind::Storage);
        store.fail_next_commits(1, ErrorKind::Damaged);
        let put = Change::PutRecord(Box::new(sample_record(1)));
        for kind in [ErrorKind::Storage, ErrorKind::Storage, ErrorKind::Damaged] {
            let error = store.commit(std::slice::from_ref(&put)).unwrap_err();
            assert_eq!(error.kind(), kind);
            assert_eq!((store.record_count().unwrap(), store.commits()), (0, 0));
        }
        store.commit(&[put]).unwrap();
        assert_eq!((store.record_count().unwrap(), store.commits()), (1, 1));
    }
}
