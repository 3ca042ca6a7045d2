//! A store gives back the space of what was deleted and replaced while it is in use.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
};

use ouro_core::{
    Change, Correction, LearningRecord, RecordStore, StoredVector, VectorHit, VectorRole,
    VectorSearch,
};
use ouro_testkit::store_contract::{NOW, sample_id, sample_record, sample_vector};

use crate::support::{child, child_dir, open, put_record};

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

/// The child: corrects a record again and again, and compacts each time.
#[test]
#[ignore = "runs as a child of the test below"]
fn compacts_until_it_is_killed() {
    let Some(dir) = child_dir() else { return };
    let store = open(&dir);
    let mut out = std::io::stdout();
    let known = store.record(sample_id(1)).unwrap().correction.map_or(NOW, |c| c.at);
    for n in known + 1.. {
        store.commit(&[put_record(corrected(n))]).unwrap();
        writeln!(out, "corrected {n}").unwrap();
        store.compact().unwrap();
    }
}

#[test]
fn a_kill_while_it_compacts_loses_nothing_and_looks_like_no_damage() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).commit(&[put_record(sample_record(1))]).unwrap();
    for round in 0..KILLS {
        let mut child =
            child("compaction::compacts_until_it_is_killed", dir.path()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut reported = None;
        for (seen, line) in (0..).zip(lines.filter(|line| line.starts_with("corrected"))) {
            reported = Some(line.trim_start_matches("corrected ").parse::<i64>().unwrap());
            // At a different distance from the next compaction each time.
            if seen == 15 + round * 7 % 19 {
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
}
