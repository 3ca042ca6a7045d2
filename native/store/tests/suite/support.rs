//! Opening stores, and child processes of this test program.

use std::{
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};

use ouro_core::{
    Change, Counters, LearningRecord, RecordQuery, RecordStore, Result, StoredVector, VectorRole,
};
use ouro_store::{OpenReport, SledStore};
use ouro_testkit::{
    ManualClock,
    store_contract::{NOW, sample_log, sample_project, sample_record, sample_vector},
};

/// Opens the sample project's store.
pub(crate) fn try_open(dir: &Path) -> Result<(SledStore, OpenReport)> {
    SledStore::open(dir, sample_project(), Arc::new(ManualClock::new(NOW)))
}

/// Opens the sample project's store, which must be sound.
pub(crate) fn open(dir: &Path) -> SledStore {
    let (store, report) = try_open(dir).unwrap();
    assert_eq!(report, OpenReport::default());
    store
}

/// Adds a record or replaces its marks.
pub(crate) fn put_record(record: LearningRecord) -> Change {
    Change::PutRecord(Box::new(record))
}

/// A record of 8 KB.
pub(crate) fn record(n: u64) -> LearningRecord {
    LearningRecord { answer: format!("{n} ").repeat(7_000 / 4), ..sample_record(n) }
}

/// The question's vector of record `n`.
pub(crate) fn vector(n: u64) -> StoredVector {
    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    let values = [n as f32, 1.0, 0.5];
    sample_vector(n, VectorRole::Question, "e", &values)
}

/// What the end of an iteration commits, for record `n`, the first being 0.
pub(crate) fn iteration(n: u64) -> Vec<Change> {
    vec![
        put_record(record(n)),
        Change::PutVector(vector(n)),
        Change::PutCounters(Counters { iterations: n + 1, ..Counters::default() }),
        Change::AppendLog(sample_log(NOW)),
        Change::PutInFlight(None),
    ]
}

/// Fills a store with `n` iterations.
pub(crate) fn fill(dir: &Path, n: u64) {
    let store = open(dir);
    (0..n).for_each(|n| store.commit(&iteration(n)).unwrap());
}

/// The store holds the records of `n` iterations, exactly.
pub(crate) fn assert_holds(store: &SledStore, n: u64) {
    let expected: Vec<LearningRecord> = (0..n).rev().map(record).collect();
    assert!(store.records(&RecordQuery::default()).unwrap() == expected, "not the {n} records");
    assert_eq!(store.record_count().unwrap(), expected.len());
    expected.iter().for_each(|r| assert_eq!(store.record(r.id).unwrap(), *r));
}

/// This test program again, running only the ignored test of this name as a child. What it prints can be read.
pub(crate) fn child(test: &str, dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env("OURO_STORE_TEST_DIR", dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    command
}

/// The folder that the parent gave to this child; `None` when somebody else runs the test.
pub(crate) fn child_dir() -> Option<std::path::PathBuf> {
    std::env::var_os("OURO_STORE_TEST_DIR").map(Into::into)
}
