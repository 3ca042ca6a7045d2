//! Bringing journal and tree to the same state.
//!
//! Three things can have happened since they last agreed, and each has one answer:
//!
//! 1. The journal has transactions that the tree doesn't have (a kill between the two, or a tree that lost its end, or
//!    a new tree): they are applied, whole.
//! 2. The journal ends in a transaction that isn't whole: it was never reported as written, and is cut off.
//! 3. Records are in only one of the two, or a line of the journal is damaged: what either has is given to the other,
//!    and deleted records stay deleted. A damaged journal is kept aside and written anew.

use std::{collections::BTreeSet, fs};

use ouro_core::{Change, ErrorKind, RecordId, Result};

use crate::{
    OpenReport,
    codec::{decode, encode},
    disk,
    journal::{self, Entry, Scan, Span},
    key::{Key, Kind},
    plan::Plan,
    state::State,
    tree::Writes,
};

/// Journal lines that are applied to the tree in one batch.
const LINES_PER_BATCH: usize = 200;
/// A journal is written anew when more than this much of it, and more than half, is of no use.
const TOLERATED_WASTE: u64 = 4 << 20;

/// Makes journal and tree agree, after a scan of the journal as far as the tree has come.
pub(crate) fn reconcile(
    state: &mut State,
    scan: &Scan,
    now_ms: i64,
    report: &mut OpenReport,
) -> Result<()> {
    let before = state.index.progress;
    if before.tx == 0 && scan.last_tx > 1 && !report.rebuilt {
        report.rebuilt = true;
        report.messages.push(
            "The database was missing or empty and was made anew from the journal.".to_owned(),
        );
    }
    let torn = scan.end < state.journal.len();
    let damaged = scan.damaged || (torn && report.rebuilt);
    if damaged && state.journal.len() > 0 {
        keep_copy(state, now_ms, report)?;
    }

    let deleted = state.index.deleted.clone();
    for lines in scan.later.chunks(LINES_PER_BATCH) {
        apply_lines(state, lines, now_ms)?;
    }
    restore_to_tree(state, scan, &deleted)?;

    let missing: Vec<RecordId> = state
        .index
        .records
        .iter()
        .filter(|(_, place)| place.is_none())
        .map(|(id, _)| *id)
        .collect();
    if !missing.is_empty() {
        report.messages.push(format!(
            "{} learning records were missing in the journal and were written to it again.",
            missing.len()
        ));
    }
    state.index.progress.tx = before.tx.max(scan.last_tx);
    if torn && !damaged {
        state.journal.cut(scan.end)?;
    }
    if damaged {
        rewrite_journal(state, report)?;
    } else {
        append_missing(state, &missing)?;
        if is_worth_rewriting(state, scan) {
            match rewrite_journal(state, report) {
                Err(e) if e.kind() == ErrorKind::Storage => tracing::warn!(%e, "put off"),
                other => other?,
            }
        }
    }
    let progress = &mut state.index.progress;
    progress.journal_len = state.journal.len();
    if *progress != before {
        let bytes = encode("the store's progress", progress)?;
        state.tree.apply(&Writes::from([(Key::Progress, Some(bytes))]))?;
    }
    state.tree.persist()
}

/// Whether the journal holds much that nobody needs, or anything that was deleted.
fn is_worth_rewriting(state: &State, scan: &Scan) -> bool {
    let wasteful = scan.dead > TOLERATED_WASTE && scan.dead > state.journal.len() / 2;
    let zombie = scan.live.keys().any(|id| state.index.deleted.contains(id));
    wasteful || zombie || scan.holds_deleted
}

fn keep_copy(state: &State, now_ms: i64, report: &mut OpenReport) -> Result<()> {
    let path = state.journal.path();
    let aside = disk::aside_name(path, now_ms);
    fs::copy(path, &aside).map_err(|e| disk::failed("write to", &aside, e))?;
    report.messages.push(format!(
        "The journal of learning records was damaged; a copy is kept as {}, and what could be read was kept in use.",
        aside.display()
    ));
    report.quarantined.push(aside);
    Ok(())
}

/// Applies lines that the tree doesn't have yet.
fn apply_lines(state: &mut State, lines: &[Span], now_ms: i64) -> Result<()> {
    let mut plan = Plan::new(&state.index, now_ms);
    let mut entries = Vec::new();
    for span in lines {
        let entry = state.journal.read(*span)?;
        let stored = |id| state.record(id);
        let changes = match &entry {
            Entry::Add(record) => vec![Change::PutRecord(record.clone())],
            Entry::Mark(id, marks) => match plan.record(*id, stored)? {
                Some(mut record) => {
                    record.set_marks(marks.clone());
                    vec![Change::PutRecord(Box::new(record))]
                }
                None => vec![],
            },
            Entry::Delete(id) => vec![Change::DeleteRecord(*id)],
            Entry::Changes(changes) => changes.clone(),
        };
        for change in &changes {
            match plan.add(change, stored) {
                // The tree has the record already, with marks that the journal has lost.
                Err(e) if e.kind() == ErrorKind::InvalidInput => tracing::warn!(%e, "passed over"),
                other => other?,
            }
        }
        entries.push(entry);
    }
    let planned = plan.finish();
    state.tree.apply(&planned.writes)?;
    planned.settle(&mut state.index);
    for (entry, span) in entries.iter().zip(lines) {
        state.index.settle(entry, *span);
    }
    Ok(())
}

/// Gives the tree the records that only the journal has, and takes from it what the journal deleted (`deleted` is what
/// the tree knew of that).
fn restore_to_tree(state: &mut State, scan: &Scan, deleted: &BTreeSet<RecordId>) -> Result<()> {
    let mut writes = Writes::new();
    for (id, place) in &scan.live {
        if state.index.deleted.contains(id) {
            continue;
        }
        if state.index.records.insert(*id, Some(*place)).is_none() {
            let record = state.record_from_journal(*id)?;
            writes.insert(Key::Record(*id), Some(encode(&format!("record {id}"), &record)?));
            writes.insert(Key::Known(*id), Some(Vec::new()));
            if writes.len() >= LINES_PER_BATCH {
                state.tree.apply(&std::mem::take(&mut writes))?;
            }
        }
    }
    for id in scan.deleted.difference(deleted) {
        writes.insert(Key::Deleted(*id), Some(Vec::new()));
        writes.insert(Key::Record(*id), None);
        writes.insert(Key::Known(*id), None);
        state.index.records.remove(id);
        state.index.deleted.insert(*id);
    }
    state.tree.apply(&writes)
}

/// Gives the journal the records that only the tree has.
fn append_missing(state: &mut State, missing: &[RecordId]) -> Result<()> {
    for id in missing {
        let entry = Entry::Add(Box::new(state.record(*id)?));
        let tx = state.index.progress.tx + 1;
        let lines = journal::encode(tx, std::slice::from_ref(&entry))?.concat();
        let offset = state.journal.len();
        state.journal.append(&lines).map_err(|failure| failure.error)?;
        let len = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        state.index.settle(&entry, Span { offset, len });
        state.index.progress.tx = tx;
    }
    Ok(())
}

/// Writes a journal that says what the store holds now, and nothing of what it held before: the texts of deleted records
/// leave it, and only their ids stay.
fn rewrite_journal(state: &mut State, report: &mut OpenReport) -> Result<()> {
    let mut replacement = state.journal.begin_replacement()?;
    let mut tx = state.index.progress.tx;
    let mut lost = Vec::new();
    for id in state.index.records.keys() {
        match state.record(*id) {
            Ok(record) => {
                tx += 1;
                replacement.append(tx, &[Entry::Add(Box::new(record))])?;
            }
            Err(e) if e.kind() == ErrorKind::Damaged => lost.push(*id),
            Err(e) => return Err(e),
        }
    }
    for id in &state.index.deleted {
        tx += 1;
        replacement.append(tx, &[Entry::Delete(*id)])?;
    }
    tx += 1;
    replacement.append(tx, &[Entry::Changes(other_state(state)?)])?;
    state.journal.replace(replacement)?;

    if !lost.is_empty() {
        report.messages.push(format!(
            "{} learning records could be read neither in the database nor in the journal and are lost.",
            lost.len()
        ));
    }
    let mut writes = Writes::new();
    for id in lost {
        state.index.records.remove(&id);
        writes.extend([(Key::Record(id), None), (Key::Known(id), None)]);
    }
    let scan = journal::scan(&state.journal, tx, state.journal.len())?;
    for (id, place) in scan.live {
        state.index.records.insert(id, Some(place));
    }
    state.index.progress.tx = tx;
    state.tree.apply(&writes)
}

/// What else a rebuilt store should know.
fn other_state(state: &State) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for (key, bytes) in state.tree.scan(Kind::Memory, Kind::Quota)? {
        if key == Key::Memory.to_bytes() {
            changes.push(Change::PutMemory(decode("the memory", &bytes)?));
        } else if key == Key::Counters.to_bytes() {
            changes.push(Change::PutCounters(decode("the counters", &bytes)?));
        } else if key == Key::Backoff.to_bytes() {
            changes.push(Change::PutBackoff(decode("the backoff", &bytes)?));
        } else if key == Key::Quota.to_bytes() {
            changes.push(Change::PutQuota(decode("the quota", &bytes)?));
        }
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use ouro_core::{
        Correction, Counters, Error, LearningRecord, RecordQuery, RecordStore, VectorRole,
    };
    use ouro_testkit::{
        ManualClock,
        store_contract::{
            NOW, sample_asked, sample_id, sample_in_flight, sample_project, sample_record,
            sample_vector,
        },
    };

    use super::*;
    use crate::{
        SledStore,
        codec::{Progress, STORE_SCHEMA, Schema},
        index::Index,
        journal::Journal,
        renew,
        tree::Tree,
    };

    fn try_open(dir: &Path) -> Result<(SledStore, OpenReport)> {
        SledStore::open(dir, sample_project(), Arc::new(ManualClock::new(NOW)))
    }

    fn open(dir: &Path) -> SledStore {
        let (store, report) = try_open(dir).unwrap();
        assert_eq!(report, OpenReport::default());
        store
    }

    fn put(record: LearningRecord) -> Change {
        Change::PutRecord(Box::new(record))
    }

    fn counters(iterations: u64) -> Change {
        Change::PutCounters(Counters { iterations, ..Counters::default() })
    }

    /// A store with record 1, one iteration counted, and one in flight.
    fn begun() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let in_flight = Change::PutInFlight(Some(Box::new(sample_in_flight("second"))));
        open(dir.path()).commit(&[put(sample_record(1)), counters(1), in_flight]).unwrap();
        dir
    }

    /// The second iteration's lines, as they are in the journal before the tree hears of them.
    fn second_iteration() -> Vec<Vec<u8>> {
        let marks = LearningRecord { pinned: true, ..sample_record(1) }.marks();
        journal::encode(
            2,
            &[
                Entry::Add(Box::new(sample_record(2))),
                Entry::Mark(sample_id(1), marks),
                Entry::Changes(vec![counters(2), Change::PutInFlight(None)]),
            ],
        )
        .unwrap()
    }

    #[test]
    fn a_transaction_that_reached_only_the_journal_appears_whole() {
        let dir = begun();
        Journal::open(dir.path()).unwrap().append(&second_iteration().concat()).unwrap();
        for _ in 0..2 {
            let store = open(dir.path());
            assert_eq!(store.record(sample_id(2)).unwrap(), sample_record(2));
            assert!(store.record(sample_id(1)).unwrap().pinned);
            assert_eq!(store.counters().unwrap().iterations, 2);
            assert_eq!(store.in_flight().unwrap(), None);
        }
    }

    #[test]
    fn a_transaction_without_its_last_bytes_does_not_appear_at_all() {
        let lines = second_iteration().concat();
        for len in (1..lines.len()).step_by(97).chain([lines.len() - 1]) {
            let dir = begun();
            let mut journal = Journal::open(dir.path()).unwrap();
            let before = journal.len();
            journal.append(&lines[..len]).unwrap();
            let store = open(dir.path());
            assert_eq!(store.records(&RecordQuery::default()).unwrap(), [sample_record(1)]);
            assert_eq!(store.counters().unwrap().iterations, 1);
            assert_eq!(store.in_flight().unwrap(), Some(sample_in_flight("second")));
            assert_eq!(Journal::open(dir.path()).unwrap().len(), before);
            // And another takes its place.
            store.commit(&[put(sample_record(3)), counters(3)]).unwrap();
            drop(store);
            assert_eq!(open(dir.path()).counters().unwrap().iterations, 3);
        }
    }

    #[test]
    fn a_tree_that_is_far_behind_the_journal_is_made_anew_and_keeps_its_other_state() {
        let dir = begun();
        let quota =
            ouro_core::QuotaState { day: "2026-11-21".into(), questions: 9, explorations: 9 };
        let store = open(dir.path());
        store.commit(&[Change::PutQuota(quota.clone())]).unwrap();
        store.commit(&[Change::PutAsked(sample_asked("a", NOW))]).unwrap();
        drop(store);
        let mut journal = Journal::open(dir.path()).unwrap();
        for tx in 2..10 {
            let entries =
                [Entry::Add(Box::new(sample_record(tx))), Entry::Changes(vec![counters(tx)])];
            journal.append(&journal::encode(tx, &entries).unwrap().concat()).unwrap();
        }
        let (store, report) = try_open(dir.path()).unwrap();
        assert!(report.rebuilt);
        assert!(report.messages[0].contains("its last 8 transactions are missing"), "{report:?}");
        assert_eq!(store.record_count().unwrap(), 9);
        assert_eq!(store.counters().unwrap().iterations, 9);
        assert_eq!(store.guard_state().unwrap().quota, quota);
        assert_eq!(store.guard_state().unwrap().asked, [sample_asked("a", NOW)]);
        drop(store);
        assert_eq!(open(dir.path()).record_count().unwrap(), 9);
    }

    fn write_to_tree(dir: &Path, key: Key, value: Vec<u8>) {
        let tree = Tree::open(&dir.join("sled")).unwrap();
        tree.apply(&Writes::from([(key, Some(value))])).unwrap();
        tree.persist().unwrap();
    }

    fn too_new(error: &Error) {
        assert_eq!(error.kind(), ErrorKind::TooNew);
        assert!(error.message().contains("newer version of Ouro; update Ouro"), "{error}");
    }

    #[test]
    fn a_newer_store_is_refused_and_left_alone() {
        let dir = begun();
        let newer = Schema { schema: STORE_SCHEMA + 1, project: sample_project() };
        write_to_tree(dir.path(), Key::Schema, encode("", &newer).unwrap());
        too_new(&try_open(dir.path()).err().unwrap());
        let known = Schema { schema: STORE_SCHEMA, project: sample_project() };
        write_to_tree(dir.path(), Key::Schema, encode("", &known).unwrap());
        assert_eq!(open(dir.path()).record_count().unwrap(), 1);
    }

    #[test]
    fn a_newer_value_is_refused_when_it_is_read() {
        let dir = begun();
        let mut newer = encode("", &Counters::default()).unwrap();
        newer[0] = 200;
        write_to_tree(dir.path(), Key::Counters, newer);
        let store = open(dir.path());
        too_new(&store.counters().unwrap_err());
        assert_eq!(store.record(sample_id(1)).unwrap(), sample_record(1));
        drop(store);

        let mut newer = encode("", &Progress::default()).unwrap();
        newer[0] = 200;
        write_to_tree(dir.path(), Key::Progress, newer);
        too_new(&try_open(dir.path()).err().unwrap());
    }

    #[test]
    fn a_newer_line_of_the_journal_is_refused_and_not_cut_off() {
        let dir = begun();
        let head = r#"{"head":{"v":2,"tx":2,"part":1,"of":1,"op":"delete"}"#;
        let line = format!("{head},\"crc\":\"{:08x}\"}}\n", crc32fast::hash(head.as_bytes()));
        let mut journal = Journal::open(dir.path()).unwrap();
        journal.append(line.as_bytes()).unwrap();
        too_new(&try_open(dir.path()).err().unwrap());
        assert_eq!(Journal::open(dir.path()).unwrap().len(), journal.len());
    }

    #[test]
    fn a_journal_that_is_mostly_waste_is_written_anew() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        store.commit(&[put(sample_record(1)), put(sample_record(2)), counters(7)]).unwrap();
        let corrected = |n: i64| LearningRecord {
            correction: Some(Correction { text: "No. ".repeat(50_000), at: n }),
            ..sample_record(1)
        };
        (0..30).for_each(|n| store.commit(&[put(corrected(n))]).unwrap());
        drop(store);
        let before = Journal::open(dir.path()).unwrap().len();
        let store = open(dir.path());
        let after = Journal::open(dir.path()).unwrap().len();
        assert!(before > 6_000_000 && after < 300_000, "{before} -> {after}");
        assert_eq!(store.record(sample_id(1)).unwrap(), corrected(29));
        drop(store);

        // It says everything by itself.
        fs::remove_dir_all(dir.path().join("sled")).unwrap();
        let (store, _) = try_open(dir.path()).unwrap();
        assert_eq!(store.record(sample_id(1)).unwrap(), corrected(29));
        assert_eq!(store.record(sample_id(2)).unwrap(), sample_record(2));
        assert_eq!(store.counters().unwrap().iterations, 7);
    }

    #[test]
    fn a_renewed_database_holds_what_the_old_one_held() {
        let dir = begun();
        let store = open(dir.path());
        let vector = sample_vector(1, VectorRole::Answer, "e", &[1.0]);
        store
            .commit(&[
                put(sample_record(2)),
                Change::DeleteRecord(sample_id(2)),
                Change::PutVector(vector.clone()),
                Change::PutAsked(sample_asked("a", NOW)),
            ])
            .unwrap();
        drop(store);
        let folder = dir.path().join("sled");
        let tree = Tree::open(&folder).unwrap();
        let index = Index::load(&tree, &sample_project()).unwrap();
        let journal = Journal::open(dir.path()).unwrap();
        let scan = journal::scan(&journal, index.progress.tx, index.progress.journal_len).unwrap();
        drop(
            renew::renew(tree, &index, &sample_project(), &scan, &dir.path().join("old")).unwrap(),
        );

        // As after a kill in its middle: records are missing, and are given back.
        let (store, report) = try_open(dir.path()).unwrap();
        assert!(report.rebuilt);
        assert_eq!(store.records(&RecordQuery::default()).unwrap(), [sample_record(1)]);
        assert_eq!(store.in_flight().unwrap(), Some(sample_in_flight("second")));
        assert_eq!(store.guard_state().unwrap().asked, [sample_asked("a", NOW)]);
        assert_eq!(store.vectors("e").unwrap(), [vector]);
        store.commit(&[put(sample_record(2))]).unwrap();
        assert_eq!(store.record_count().unwrap(), 1);
    }

    #[test]
    fn an_interrupted_renewal_is_completed_or_removed() {
        let dir = begun();
        let (folder, fresh) = (dir.path().join("sled"), dir.path().join("sled.new"));
        fs::create_dir(&fresh).unwrap();
        fs::create_dir(dir.path().join("sled.old")).unwrap();
        assert_eq!(open(dir.path()).record_count().unwrap(), 1);
        assert!(!fresh.exists() && !dir.path().join("sled.old").exists());

        fs::rename(&folder, &fresh).unwrap();
        let store = open(dir.path());
        assert_eq!(store.record_count().unwrap(), 1);
        assert_eq!(store.in_flight().unwrap(), Some(sample_in_flight("second")));
    }
}
