//! What one iteration costs beside its reasoner and its tools: scan check, guard, events, and every durable commit to
//! a real store that holds ten thousand records. Reasoner and tool answer at once.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    reason = "a benchmark, and what it shares with the tests"
)]

#[path = "../tests/rounds/stage.rs"]
#[allow(dead_code, unreachable_pub, reason = "the tests use the rest of it")]
mod stage;

use std::{sync::Arc, time::Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use ouro_core::{
    Change, Event, RecordStore as _, SeededRandom, StopReason, StoredVector, VectorRole,
};
use ouro_engine::{Engine, Project, RunPlan};
use ouro_guard::{DoomLoopGuard, GuardConfig};
use ouro_llm::HashEmbedder;
use ouro_store::SledStore;
use ouro_testkit::store_contract::sample_record;
use stage::Stage;
use tokio::sync::mpsc::UnboundedReceiver;

/// Records that are there before the first measured iteration.
const RECORDS: u64 = 10_000;

/// What a year of learning leaves behind.
async fn fill(store: &SledStore, project: &Project) {
    let mut changes = Vec::new();
    for n in 1..=RECORDS {
        let mut record = sample_record(n);
        record.project_key = project.key.clone();
        record.question = format!("What does part {n} of the project do, and who calls it?");
        record.source_hashes.clear();
        let question = std::slice::from_ref(&record.question);
        let vector = StoredVector {
            record: record.id,
            role: VectorRole::Question,
            embedder: project.embedder.id().to_owned(),
            values: project.embedder.embed(question).await.unwrap().swap_remove(0),
        };
        changes.extend([Change::PutRecord(Box::new(record)), Change::PutVector(vector)]);
    }
    changes.chunks(1_000).for_each(|some| store.commit(some).unwrap());
}

fn bookkeeping(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut stage = Stage::new();
    stage.config.interval_ms = 0;
    stage.config.max_daily_questions = 1_000_000;
    stage.config.max_daily_explorations = 1_000_000;
    let (mut project, mut events) = stage.project();
    let (store, _) =
        SledStore::open(folder.path(), project.key.clone(), stage.clock.clone()).unwrap();
    // Of real size: ten thousand vectors of 512 numbers.
    project.embedder = Arc::new(HashEmbedder);
    runtime.block_on(fill(&store, &project));
    project.store = Arc::new(store);
    let guard = DoomLoopGuard::open(
        project.store.clone(),
        &GuardConfig::from(&stage.config),
        project.embedder.clone(),
        project.embedder.clone(),
        stage.clock.clone(),
        Arc::new(SeededRandom::new(7)),
    );
    project.guard = Arc::new(guard.unwrap());
    let engine = Engine::new();
    criterion.bench_function("iteration/bookkeeping", |bencher| {
        bencher.iter_custom(|iterations| {
            runtime.block_on(async {
                let plan = RunPlan::bounded(u32::try_from(iterations).unwrap() + 1);
                let handle = engine.start(project.clone(), plan).await.unwrap();
                // The first one reads everything that is there.
                next_record(&mut events).await;
                let start = Instant::now();
                for _ in 0..iterations {
                    next_record(&mut events).await;
                }
                let took = start.elapsed();
                assert_eq!(handle.finished().await.unwrap(), StopReason::IterationsDone);
                while !matches!(events.recv().await.unwrap(), Event::Finished { .. }) {}
                took
            })
        });
    });
}

async fn next_record(events: &mut UnboundedReceiver<Event>) {
    loop {
        match events.recv().await.unwrap() {
            Event::RecordSaved { .. } => return,
            Event::Finished { message, .. } => panic!("ended early: {message}"),
            _ => {}
        }
    }
}

criterion_group!(benches, bookkeeping);
criterion_main!(benches);
