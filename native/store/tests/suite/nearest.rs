//! The search against the plain scan of everything.

use std::{collections::BTreeSet, sync::Arc};

use ouro_core::{
    Change, LearningRecord, RecordId, RecordStore, StoredVector, VectorHit, VectorRole,
    VectorSearch,
};
use ouro_testkit::{
    CrowdedVectors, ManualClock, MemoryStore,
    store_contract::{NOW, sample_id, sample_project, sample_record},
};

use crate::support::{open, put_record, vector};

const DIMENSION: usize = 384;
const HITS: usize = 5;

fn stored(n: u64, values: Vec<f32>) -> StoredVector {
    let role = VectorRole::Question;
    StoredVector { record: sample_id(n), role, embedder: "crowded".into(), values }
}

fn nearest(
    store: &dyn RecordStore,
    vector: &[f32],
    wanted: &dyn Fn(RecordId) -> bool,
) -> Vec<VectorHit> {
    let role = VectorRole::Question;
    store.nearest(&VectorSearch { embedder: "crowded", role, vector, count: HITS, wanted }).unwrap()
}

/// How many of the true neighbours are found, of 1,000. Their cosines must be right.
fn recall(
    store: &dyn RecordStore,
    oracle: &dyn RecordStore,
    queries: &[Vec<f32>],
    wanted: &dyn Fn(RecordId) -> bool,
) -> usize {
    let mut found = 0;
    for query in queries {
        let hits = nearest(store, query, wanted);
        let expected = nearest(oracle, query, wanted);
        assert_eq!(hits.len(), expected.len());
        for hit in &hits {
            assert!(wanted(hit.record));
            if let Some(same) = expected.iter().find(|e| e.record == hit.record) {
                assert!((same.cosine - hit.cosine).abs() < 1e-5, "{hit:?} {same:?}");
            }
        }
        let hits: BTreeSet<RecordId> = hits.iter().map(|hit| hit.record).collect();
        found += expected.iter().filter(|hit| hits.contains(&hit.record)).count();
    }
    1_000 * found / (queries.len() * HITS)
}

/// In two crowds of a thousand, where every vector has a thousand that are nearly as near as the nearest: the neighbours are
/// found, after the store was opened anew too, among replaced and deleted ones, and when most are not wanted.
#[test]
fn the_true_neighbours_are_found_in_crowds() {
    const RECORDS: u64 = 2_000;
    let dir = tempfile::tempdir().unwrap();
    let (store, oracle) =
        (open(dir.path()), MemoryStore::new(sample_project(), Arc::new(ManualClock::new(NOW))));
    let commit = |changes: Vec<Change>| {
        store.commit(&changes).unwrap();
        oracle.commit(&changes).unwrap();
    };
    let vectors = CrowdedVectors::new(DIMENSION, 2, 7);
    let record = |n| put_record(LearningRecord { answer: String::new(), ..sample_record(n) });
    let member = |n: u64| vectors.member(usize::try_from(n).unwrap());
    // The first half is there before anybody searches; the rest comes while the search is in use.
    let half = (0..RECORDS / 2).collect::<Vec<u64>>();
    for part in half.chunks(250) {
        let put = |n: &u64| [record(*n), Change::PutVector(stored(*n, member(*n)))];
        commit(part.iter().flat_map(put).collect());
    }
    let queries: Vec<Vec<f32>> =
        (0..40).map(|n| vectors.near(&member(n))).chain((0..40).map(member)).collect();
    let all = |_| true;
    let found = recall(&store, &oracle, &queries, &all);
    assert!(found >= 990, "{found} of 1,000");
    for n in RECORDS / 2..RECORDS {
        commit(vec![record(n), Change::PutVector(stored(n, member(n)))]);
        if n % 5 == 0 {
            commit(vec![Change::PutVector(stored(n - 7, member(n)))]);
        }
        if n % 9 == 0 {
            commit(vec![Change::DeleteRecord(sample_id(n - 4))]);
        }
    }
    let found = recall(&store, &oracle, &queries, &all);
    assert!(found >= 990, "{found} of 1,000");
    let few = |id: RecordId| id.to_bytes().iter().map(|b| u32::from(*b)).sum::<u32>() % 50 == 0;
    let found = recall(&store, &oracle, &queries, &few);
    assert!(found >= 990, "{found} of 1,000");
    drop(store);
    let store = open(dir.path());
    let found = recall(&store, &oracle, &queries, &all);
    assert!(found >= 990, "{found} of 1,000");
}

/// A vector that was damaged on disk while the store is open is judged by what is in memory.
#[test]
fn a_vector_that_can_not_be_read_any_more_is_found_all_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store.commit(&[put_record(sample_record(1)), Change::PutVector(vector(1))]).unwrap();
    let search = || {
        let query = vector(1).values;
        let role = VectorRole::Question;
        let search =
            VectorSearch { embedder: "e", role, vector: &query, count: 1, wanted: &|_| true };
        store.nearest(&search).unwrap()
    };
    assert!((search()[0].cosine - 1.0).abs() < 1e-6);
    let file = std::fs::read_dir(dir.path().join("vectors")).unwrap().next().unwrap().unwrap();
    let length = file.metadata().unwrap().len();
    std::fs::File::options().write(true).open(file.path()).unwrap().set_len(length - 2).unwrap();
    assert!((search()[0].cosine - 1.0).abs() < 0.01);
}
