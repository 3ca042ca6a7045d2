//! Commit, open and list, each on a real disk.
//!
//! `cargo bench -p ouro-store`. A commit is compared with the least that two durable files cost: `raw` appends the same
//! 8 KB to two files and syncs both. Set `TMPDIR` to a folder on the disk in question.

#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark")]

use std::{fs::File, hint::black_box, io::Write, path::Path, sync::Arc};

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use ouro_core::{
    Change, Counters, LearningRecord, QuotaState, RecordQuery, RecordStore, SystemClock, VectorRole,
};
use ouro_store::SledStore;
use ouro_testkit::store_contract::{
    NOW, sample_in_flight, sample_log, sample_project, sample_record, sample_vector,
};

const RECORDS: u64 = 10_000;

fn open(dir: &Path) -> SledStore {
    SledStore::open(dir, sample_project(), Arc::new(SystemClock::new())).unwrap().0
}

/// A record of 8 KB as JSON.
fn record(n: u64) -> LearningRecord {
    LearningRecord { answer: format!("{n:06} ").repeat(980), ..sample_record(n) }
}

fn put(n: u64) -> Change {
    Change::PutRecord(Box::new(record(n)))
}

fn iteration(n: u64) -> Vec<Change> {
    vec![
        put(n),
        Change::PutVector(sample_vector(n, VectorRole::Question, "e", &[0.5; 512])),
        Change::PutVector(sample_vector(n, VectorRole::Answer, "e", &[0.5; 512])),
        Change::PutCounters(Counters { iterations: n, ..Counters::default() }),
        Change::AppendLog(sample_log(NOW)),
        Change::PutInFlight(None),
    ]
}

fn commits(c: &mut Criterion) {
    let mut group = c.benchmark_group("commit");
    let dir = tempfile::tempdir().unwrap();
    let bytes = serde_json::to_vec(&record(0)).unwrap();
    let mut files = ["a", "b"].map(|name| File::create(dir.path().join(name)).unwrap());
    group.bench_function("raw: two files, 8 KB and a sync each", |b| {
        b.iter(|| {
            for file in &mut files {
                file.write_all(&bytes).unwrap();
                file.sync_data().unwrap();
            }
        });
    });
    let store = open(dir.path());
    let mut n = 0;
    let mut next = || {
        n += 1;
        n
    };
    group.bench_function("one record of 8 KB", |b| {
        b.iter_batched(|| [put(next())], |c| store.commit(&c).unwrap(), BatchSize::PerIteration);
    });
    group.bench_function("the end of an iteration", |b| {
        b.iter_batched(
            || iteration(next()),
            |c| store.commit(&c).unwrap(),
            BatchSize::PerIteration,
        );
    });
    let quota = [Change::PutQuota(QuotaState::default())];
    group.bench_function("a unit of quota", |b| b.iter(|| store.commit(&quota).unwrap()));
    let step = [Change::PutInFlight(Some(Box::new(sample_in_flight(&"x".repeat(40_000)))))];
    group.bench_function("a step in flight, 40 KB", |b| b.iter(|| store.commit(&step).unwrap()));
    group.finish();
}

fn reads(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for first in (0..RECORDS).step_by(100) {
        store.commit(&(first..first + 100).map(put).collect::<Vec<_>>()).unwrap();
    }
    let mut group = c.benchmark_group("read");
    group.sample_size(20);
    for limit in [20, 1_000, 10_000] {
        let query = RecordQuery { before: None, limit };
        group.bench_function(format!("the newest {limit} of {RECORDS}"), |b| {
            b.iter(|| black_box(store.records(&query).unwrap()).len());
        });
    }
    drop(store);
    group.bench_function(format!("open with {RECORDS} records"), |b| {
        // Dropped outside of the measurement, and given time to let go of its files.
        let closed = || while try_lock(dir.path()).is_err() {};
        b.iter_batched(closed, |()| open(dir.path()), BatchSize::PerIteration);
    });
    group.finish();
}

/// Whether the database's file is free.
fn try_lock(dir: &Path) -> Result<(), std::fs::TryLockError> {
    File::open(dir.join("sled/db")).unwrap().try_lock()
}

criterion_group!(benches, commits, reads);
criterion_main!(benches);
