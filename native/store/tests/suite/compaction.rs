//! A store gives back the space of what was deleted and replaced while it is in use.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use ouro_core::{
    Change, Correction, ErrorKind, LearningRecord, RecordStore, StoredVector, VectorHit,
    VectorRole, VectorSearch,
};
use ouro_testkit::store_contract::{
    NOW, sample_id, sample_record, sample_tool_call, sample_vector,
};

use crate::support::{assert_holds, child, child_dir, iteration, open, put_record};

/// Kills in a run, each in the middle of writing or compacting.
const KILLS: u64 = 25;
/// Numbers of a vector.
const DIMENSION: u64 = 1_024;

/// Record 1 with a long correction: a line of 200 KB in the journal, which the next one makes needless.
fn corrected(n: i64) -> LearningRecord {
    let correction = Some(Correction { text: "No. ".repeat(50_000), at: n });
    LearningRecord { correction, ..sample_record(1) }
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

#[test]
fn a_journal_that_is_mostly_waste_is_written_anew_while_the_store_is_open() {
    let dir = tempfile::tempdir().unwrap();
    let journal = dir.path().join("records.jsonl");
    let store = open(dir.path());
    store.commit(&[put_record(sample_record(1)), put_record(sample_record(2))]).unwrap();
    for n in 0..60 {
        store.commit(&[put_record(corrected(n))]).unwrap();
        store.compact().unwrap();
        assert!(size(&journal) < 2 << 20, "{n}: {}", size(&journal));
        assert_eq!(store.record(sample_id(1)).unwrap(), corrected(n));
    }
    store.commit(&[Change::DeleteRecord(sample_id(2)), put_record(sample_record(3))]).unwrap();
    drop(store);
    let store = open(dir.path());
    assert_eq!(store.record(sample_id(1)).unwrap(), corrected(59));
    assert_eq!(store.record(sample_id(3)).unwrap(), sample_record(3));
    assert_eq!(store.record_count().unwrap(), 2);
}

/// The vector of record `n` after so many others.
fn replaced(n: u64, times: u64) -> StoredVector {
    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    let values: Vec<f32> =
        (0..DIMENSION).map(|i| ((n * 31 + times * 7 + i * 17) % 97) as f32 - 48.0).collect();
    sample_vector(n, VectorRole::Question, "e", &values)
}

#[test]
fn vectors_are_found_while_their_file_is_written_anew() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let records: Vec<u64> = (0..10).collect();
    let put = |times| {
        let changes: Vec<Change> =
            records.iter().map(|n| Change::PutVector(replaced(*n, times))).collect();
        store.commit(&changes).unwrap();
    };
    store
        .commit(&records.iter().map(|n| put_record(sample_record(*n))).collect::<Vec<_>>())
        .unwrap();
    put(0);
    let best = |store: &dyn RecordStore, vector: &StoredVector| -> VectorHit {
        let search = VectorSearch {
            embedder: "e",
            role: VectorRole::Question,
            vector: &vector.values,
            count: 1,
            wanted: &|_| true,
        };
        *store.nearest(&search).unwrap().first().unwrap()
    };
    let found = |store: &dyn RecordStore, times| {
        for n in &records {
            let hit = best(store, &replaced(*n, times));
            assert_eq!(hit.record, sample_id(*n), "{times}");
            assert!(hit.cosine > 0.999, "{times}: {hit:?}");
        }
    };
    let file: PathBuf =
        fs::read_dir(dir.path().join("vectors")).unwrap().next().unwrap().unwrap().path();
    for times in 1..300 {
        put(times);
        store.compact().unwrap();
        found(&store, times);
        assert!(size(&file) < 1 << 20, "{times}: {}", size(&file));
    }
    drop(store);
    found(&open(dir.path()), 299);
}

/// Long, and of no use to a compressor.
fn call(n: u64) -> Change {
    let hash = |i: u64| ouro_core::sha256_hex(format!("{n} {i}").as_bytes());
    let mut call = sample_tool_call(&n.to_string(), 0);
    call.result.content = (0..1_000).map(hash).collect();
    Change::PutToolCall(Box::new(call))
}

fn no_call(n: u64) -> Change {
    Change::DeleteToolCall(n.to_string())
}

#[test]
fn a_database_is_made_anew_while_it_is_in_use_when_most_of_it_is_of_no_use() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    (0..5).for_each(|n| store.commit(&iteration(n)).unwrap());
    (0..150).for_each(|n| store.commit(&[call(n)]).unwrap());
    let database = dir.path().join("sled/db");
    let large = size(&database);
    assert!(large > 8 << 20, "{large}");
    // What stands beside a database goes with it. Its size says little: sled writes when it likes.
    let beside = dir.path().join("sled/beside");
    fs::write(&beside, "").unwrap();
    store.compact().unwrap();
    assert!(beside.exists());

    store.commit(&(0..140).map(no_call).collect::<Vec<_>>()).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                assert_eq!(store.guard_state().unwrap().tool_calls.len(), 10);
                assert_eq!(store.record_count().unwrap(), 5);
            }
        });
        store.compact().unwrap();
        done.store(true, Ordering::Relaxed);
        reading.join().unwrap();
    });
    assert!(!beside.exists());
    assert!(size(&database) < large / 3, "{} of {large}", size(&database));
    assert!(!dir.path().join("sled.old").exists() && !dir.path().join("sled.new").exists());

    store.commit(&iteration(5)).unwrap();
    assert_holds(&store, 6);
    drop(store);
    let store = open(dir.path());
    assert_holds(&store, 6);
    assert_eq!(store.guard_state().unwrap().tool_calls.len(), 10);
}

#[test]
fn a_database_that_can_not_be_made_anew_stays_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    (0..60).for_each(|n| store.commit(&[call(n)]).unwrap());
    (0..60).for_each(|n| store.commit(&[no_call(n)]).unwrap());
    fs::write(dir.path().join("sled.new"), "in the way").unwrap();
    let error = store.compact().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Storage);
    assert!(error.message().contains("sled.new"), "{error}");
    store.commit(&iteration(0)).unwrap();
    fs::remove_file(dir.path().join("sled.new")).unwrap();
    // Where the old one should go.
    fs::create_dir(dir.path().join("sled.old")).unwrap();
    fs::write(dir.path().join("sled.old/file"), "in the way").unwrap();
    let error = store.compact().unwrap_err();
    assert!(error.message().contains("can't move"), "{error}");
    store.commit(&iteration(1)).unwrap();
    assert_holds(&store, 2);
    drop(store);
    assert_holds(&open(dir.path()), 2);
}

/// The child: corrects a record again and again, and compacts each time, now and then with a bloated database.
#[test]
#[ignore = "runs as a child of the test below"]
fn compacts_until_it_is_killed() {
    let Some(dir) = child_dir() else { return };
    let store = open(&dir);
    let mut out = std::io::stdout();
    let beside = dir.join("sled/beside");
    fs::write(&beside, "").unwrap();
    let known = store.record(sample_id(1)).unwrap().correction.map_or(NOW, |c| c.at);
    for n in known + 1.. {
        store.commit(&[put_record(corrected(n))]).unwrap();
        writeln!(out, "corrected {n}").unwrap();
        if n % 10 == 0 {
            store.commit(&(0..40).map(call).collect::<Vec<_>>()).unwrap();
            store.commit(&(0..40).map(no_call).collect::<Vec<_>>()).unwrap();
        }
        store.compact().unwrap();
        if !beside.exists() {
            writeln!(out, "made anew").unwrap();
            fs::write(&beside, "").unwrap();
        }
    }
}

#[test]
fn a_kill_while_it_compacts_loses_nothing_and_looks_like_no_damage() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).commit(&[put_record(sample_record(1))]).unwrap();
    let mut made_anew = 0;
    for round in 0..KILLS {
        let mut child =
            child("compaction::compacts_until_it_is_killed", dir.path()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut reported = None;
        let mut seen = 0;
        for line in lines {
            made_anew += usize::from(line == "made anew");
            let Some(n) = line.strip_prefix("corrected ") else { continue };
            reported = Some(n.parse::<i64>().unwrap());
            seen += 1;
            // At a different distance from the next compaction each time.
            if seen == 16 + round * 7 % 19 {
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        let (store, reported) = (open(dir.path()), reported.unwrap());
        let stored = store.record(sample_id(1)).unwrap();
        let at = stored.correction.as_ref().unwrap().at;
        assert!(at == reported || at == reported + 1, "round {round}: {at}, reported {reported}");
        assert_eq!(stored, corrected(at));
    }
    assert!(made_anew > 0, "no database was made anew");
}
