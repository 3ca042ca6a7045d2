//! States that only a kill, a failed write or a newer version leaves behind, made by hand.

use std::{fs, path::Path, sync::Arc};

use ouro_core::{
    Change, Correction, Counters, Error, ErrorKind, LearningRecord, RecordQuery, RecordStore,
    Result, VectorRole,
};
use ouro_testkit::{
    ManualClock,
    store_contract::{
        NOW, sample_asked, sample_failure, sample_id, sample_in_flight, sample_project,
        sample_record, sample_vector,
    },
};

use crate::{
    OpenReport, SledStore,
    codec::{Progress, STORE_SCHEMA, Schema, encode},
    compaction,
    index::Index,
    journal::{self, Entry, Journal},
    key::Key,
    open, renew,
    state::State,
    tree::{Tree, Writes},
};

fn try_open(dir: &Path) -> Result<(SledStore, OpenReport)> {
    SledStore::open(dir, sample_project(), Arc::new(ManualClock::new(NOW)))
}

fn open_sound(dir: &Path) -> SledStore {
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
    open_sound(dir.path()).commit(&[put(sample_record(1)), counters(1), in_flight]).unwrap();
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
        let store = open_sound(dir.path());
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
        let store = open_sound(dir.path());
        assert_eq!(store.records(&RecordQuery::default()).unwrap(), [sample_record(1)]);
        assert_eq!(store.counters().unwrap().iterations, 1);
        assert_eq!(store.in_flight().unwrap(), Some(sample_in_flight("second")));
        assert_eq!(Journal::open(dir.path()).unwrap().len(), before);
        // And another takes its place.
        store.commit(&[put(sample_record(3)), counters(3)]).unwrap();
        drop(store);
        assert_eq!(open_sound(dir.path()).counters().unwrap().iterations, 3);
    }
}

#[test]
fn a_tree_that_is_far_behind_the_journal_is_made_anew_and_keeps_its_other_state() {
    let dir = begun();
    let quota = ouro_core::QuotaState { day: "2026-11-21".into(), questions: 9, explorations: 9 };
    let store = open_sound(dir.path());
    store.commit(&[Change::PutQuota(quota.clone())]).unwrap();
    store.commit(&[Change::PutAsked(sample_asked("a", NOW))]).unwrap();
    drop(store);
    let mut journal = Journal::open(dir.path()).unwrap();
    for tx in 2..10 {
        let entries = [Entry::Add(Box::new(sample_record(tx))), Entry::Changes(vec![counters(tx)])];
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
    assert_eq!(open_sound(dir.path()).record_count().unwrap(), 9);
}

/// A power cut may leave zeros where a part of what was written had not come to the disk yet, and what came after it.
#[test]
fn a_transaction_with_holes_does_not_appear_at_all_and_is_no_damage() {
    const SECTOR: usize = 128;
    let lines = second_iteration().concat();
    for missing in 0..lines.len().div_ceil(SECTOR) {
        for also in [missing, missing + 1, missing + 3] {
            let dir = begun();
            let before = fs::read(dir.path().join("records.jsonl")).unwrap();
            let mut torn = lines.clone();
            for (n, sector) in torn.chunks_mut(SECTOR).enumerate() {
                if n == missing || n == also {
                    sector.fill(0);
                }
            }
            Journal::open(dir.path()).unwrap().append(&torn).unwrap();
            assert_eq!(reopened(dir.path()), (vec![sample_record(1)], 1));
            assert_eq!(fs::read(dir.path().join("records.jsonl")).unwrap(), before);
        }
    }
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
    assert_eq!(open_sound(dir.path()).record_count().unwrap(), 1);
}

#[test]
fn a_newer_value_is_refused_when_it_is_read() {
    let dir = begun();
    let mut newer = encode("", &Counters::default()).unwrap();
    newer[0] = 100;
    write_to_tree(dir.path(), Key::Counters, newer);
    let store = open_sound(dir.path());
    too_new(&store.counters().unwrap_err());
    assert_eq!(store.record(sample_id(1)).unwrap(), sample_record(1));
    drop(store);

    let mut newer = encode("", &Progress::default()).unwrap();
    newer[0] = 100;
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
    let store = open_sound(dir.path());
    store.commit(&[put(sample_record(1)), put(sample_record(2)), counters(7)]).unwrap();
    let asked = ["z", "a"].map(|hash| sample_asked(hash, NOW));
    let failure = Change::PutFailure(Box::new(sample_failure(1, 3)));
    store.commit(&asked.clone().map(Change::PutAsked)).unwrap();
    store.commit(&[failure]).unwrap();
    let corrected = |n: i64| LearningRecord {
        correction: Some(Correction { text: "No. ".repeat(50_000), at: n }),
        ..sample_record(1)
    };
    (0..30).for_each(|n| store.commit(&[put(corrected(n))]).unwrap());
    drop(store);
    let before = Journal::open(dir.path()).unwrap().len();
    let store = open_sound(dir.path());
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
    assert_eq!(store.guard_state().unwrap().asked, asked);
    assert_eq!(store.guard_state().unwrap().failures, [sample_failure(1, 3)]);
}

#[test]
fn a_renewed_database_holds_what_the_old_one_held() {
    let dir = begun();
    let store = open_sound(dir.path());
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
    drop(renew::renew(tree, &index, &sample_project(), &scan, &dir.path().join("old")).unwrap());

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
    assert_eq!(open_sound(dir.path()).record_count().unwrap(), 1);
    assert!(!fresh.exists() && !dir.path().join("sled.old").exists());

    fs::rename(&folder, &fresh).unwrap();
    let store = open_sound(dir.path());
    assert_eq!(store.record_count().unwrap(), 1);
    assert_eq!(store.in_flight().unwrap(), Some(sample_in_flight("second")));
}

#[test]
fn a_compaction_that_was_cut_off_is_no_damage() {
    let dir = begun();
    let old = fs::read(dir.path().join("records.jsonl")).unwrap();
    let (mut state, _) = open::open(dir.path(), &sample_project(), NOW).unwrap();
    compaction::rewrite_journal(&mut state, State::record, |_, error| Err(error)).unwrap();
    let done = Progress { journal_len: 0, ..state.index.progress };
    drop(state);
    // The database has heard of it; the journal is the new one, or still the old one.
    write_to_tree(dir.path(), Key::Progress, encode("", &done).unwrap());
    let unfinished = ["records.jsonl.new", "vectors/e.new"].map(|name| dir.path().join(name));
    unfinished.iter().for_each(|path| fs::write(path, "cut off").unwrap());
    assert_eq!(reopened(dir.path()), (vec![sample_record(1)], 1));
    unfinished.iter().for_each(|path| assert!(!path.exists(), "{}", path.display()));
    write_to_tree(dir.path(), Key::Progress, encode("", &done).unwrap());
    fs::write(dir.path().join("records.jsonl"), old).unwrap();
    assert_eq!(reopened(dir.path()), (vec![sample_record(1)], 1));
}

/// The records and the iterations of a sound store.
fn reopened(dir: &Path) -> (Vec<LearningRecord>, u64) {
    let store = open_sound(dir);
    let records = store.records(&RecordQuery::default()).unwrap();
    (records, store.counters().unwrap().iterations)
}

#[test]
fn a_compaction_leaves_all_as_it_was_when_a_record_can_be_read_nowhere() {
    let dir = begun();
    let (mut state, _) = open::open(dir.path(), &sample_project(), NOW).unwrap();
    let path = dir.path().join("records.jsonl");
    let damaged = fs::read_to_string(&path).unwrap().replacen("\"record\":{", "\"record\":[", 1);
    fs::write(&path, &damaged).unwrap();
    state.tree.apply(&Writes::from([(Key::Record(sample_id(1)), Some(vec![1]))])).unwrap();
    let error =
        compaction::rewrite_journal(&mut state, State::record, |_, error| Err(error)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
    assert_eq!(state.index.records.len(), 1);
}
