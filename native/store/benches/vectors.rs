//! The search for the nearest vectors, beside the plain scan and a graph (HNSW): processor time of one query, and how many of
//! the five true neighbours are found.
//!
//! `cargo bench -p ouro-store --bench vectors [-- RECORDS...]`; 1,000 and 10,000 records without arguments. The graph is built
//! for 10,000 records at most: more take minutes. Vectors have 1,024 numbers and stand in crowds of 50, or of 5,000 where
//! it says "crowded".

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark"
)]

use std::{collections::BTreeSet, hint::black_box, path::Path, sync::Arc};

use instant_distance::{Builder, HnswMap, Point, Search};
use ouro_core::{
    Change, LearningRecord, RecordId, RecordStore, StoredVector, SystemClock, VectorRole,
    VectorSearch,
};
use ouro_store::SledStore;
use ouro_testkit::{
    CrowdedVectors,
    store_contract::{sample_id, sample_project, sample_record},
};
use pulp::{Arch, Simd, WithSimd};
use rustix::time::{ClockId, clock_gettime};

const DIMENSION: usize = 1_024;
const HITS: usize = 5;
const QUERIES: usize = 200;
/// The graph is not built for more.
const GRAPH_LIMIT: usize = 10_000;

fn main() {
    let given: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let sizes = if given.is_empty() { vec![1_000, 10_000] } else { given };
    println!(
        "| records | | search | recall@5 | plain scan, f32 | graph, ef 64 | its recall@5 | a vector in memory |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for records in sizes {
        for (name, in_crowd) in [("", 50), ("crowded", 5_000)] {
            compare(records, name, in_crowd);
        }
    }
}

fn compare(records: usize, name: &str, in_crowd: usize) {
    let source = CrowdedVectors::new(DIMENSION, records.div_ceil(in_crowd), 1);
    let vectors: Vec<Vec<f32>> = (0..records).map(|n| source.member(n)).collect();
    let step = (records / QUERIES).max(1);
    let near = vectors.iter().step_by(step).map(|vector| source.near(vector));
    let queries: Vec<Vec<f32>> =
        near.chain((0..QUERIES).map(|n| source.member(n * step))).collect();

    let mut expected = Vec::new();
    let plain = time(&queries, |query| expected.push(scan(&vectors, query)));

    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &vectors);
    let store = open(dir.path());
    let before = resident();
    drop(search(&store, &vectors[0]));
    let in_memory = (resident() - before) / records;
    let mut found = Vec::new();
    let ours = time(&queries, |query| found.push(search(&store, query)));

    let graph = (records <= GRAPH_LIMIT).then(|| {
        let points = vectors.iter().cloned().map(Unit).collect();
        let map: HnswMap<Unit, usize> =
            Builder::default().ef_search(64).seed(1).build(points, (0..records).collect());
        let mut found = Vec::new();
        let mut search = Search::default();
        let spent = time(&queries, |query| {
            let hits = map.search(&Unit(query.to_vec()), &mut search).take(HITS);
            found.push(hits.map(|hit| id(*hit.value)).collect::<Vec<RecordId>>());
        });
        (spent, recall(&expected, &found))
    });
    let (graph, its_recall) = graph.map_or(("-".to_owned(), "-".to_owned()), |(spent, recall)| {
        (format!("{spent:.1} us"), format!("{recall:.3}"))
    });
    let recall = recall(&expected, &found);
    println!(
        "| {records} | {name} | {ours:.1} us | {recall:.3} | {plain:.1} us | {graph} | {its_recall} | {in_memory} B |"
    );
}

#[derive(Clone)]
struct Unit(Vec<f32>);

impl Point for Unit {
    fn distance(&self, other: &Self) -> f32 {
        1.0 - dot(&self.0, &other.0)
    }
}

fn id(n: usize) -> RecordId {
    sample_id(n as u64)
}

fn open(dir: &Path) -> SledStore {
    SledStore::open(dir, sample_project(), Arc::new(SystemClock::new())).unwrap().0
}

fn fill(dir: &Path, vectors: &[Vec<f32>]) {
    let store = open(dir);
    let numbers: Vec<usize> = (0..vectors.len()).collect();
    for part in numbers.chunks(500) {
        let changes = part.iter().flat_map(|n| {
            let record = LearningRecord { answer: String::new(), ..sample_record(*n as u64) };
            let (embedder, role) = ("e".to_owned(), VectorRole::Question);
            let values = vectors[*n].clone();
            let vector = StoredVector { record: record.id, role, embedder, values };
            [Change::PutRecord(Box::new(record)), Change::PutVector(vector)]
        });
        store.commit(&changes.collect::<Vec<_>>()).unwrap();
    }
}

fn search(store: &SledStore, query: &[f32]) -> Vec<RecordId> {
    let search = VectorSearch {
        embedder: "e",
        role: VectorRole::Question,
        vector: query,
        count: HITS,
        wanted: &|_| true,
    };
    store.nearest(&search).unwrap().iter().map(|hit| hit.record).collect()
}

fn scan(vectors: &[Vec<f32>], query: &[f32]) -> Vec<RecordId> {
    let mut best: Vec<(f32, usize)> = Vec::with_capacity(HITS + 1);
    for (n, vector) in vectors.iter().enumerate() {
        let cosine = dot(vector, query);
        if best.len() < HITS || best.last().is_some_and(|(worst, _)| cosine > *worst) {
            best.insert(best.partition_point(|(c, _)| *c >= cosine), (cosine, n));
            best.truncate(HITS);
        }
    }
    best.into_iter().map(|(_, n)| id(n)).collect()
}

/// The products of 32 lanes, by the instructions that this machine has.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    struct Dot<'a>(&'a [f32], &'a [f32]);
    impl WithSimd for Dot<'_> {
        type Output = f32;
        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> f32 {
            let mut sums = [0.0_f32; 32];
            for (a, b) in self.0.as_chunks::<32>().0.iter().zip(self.1.as_chunks::<32>().0) {
                for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
                    *sum += a * b;
                }
            }
            sums.iter().sum()
        }
    }
    Arch::new().dispatch(Dot(a, b))
}

fn recall(expected: &[Vec<RecordId>], found: &[Vec<RecordId>]) -> f64 {
    let (mut hits, mut all) = (0.0, 0.0);
    for (expected, found) in expected.iter().zip(found) {
        let found: BTreeSet<_> = found.iter().collect();
        hits += expected.iter().filter(|id| found.contains(id)).count() as f64;
        all += expected.len() as f64;
    }
    hits / all
}

/// Microseconds of this thread's processor time for one of `queries`.
fn time(queries: &[Vec<f32>], mut one: impl FnMut(&[f32])) -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
    };
    let start = now();
    queries.iter().for_each(|query| one(black_box(query)));
    (now() - start) / queries.len() as f64
}

/// Bytes of memory that this process holds.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    status.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or_default()
        * 4_096
}
