//! What one iteration costs beside its reasoner and its tools: scan check, guard, events, and every durable commit to
//! a real store. Reasoner and tool answer at once.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a benchmark, and what it shares with the tests"
)]

#[path = "../tests/rounds/stage.rs"]
#[allow(dead_code, unreachable_pub, reason = "the tests use the rest of it")]
mod stage;

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use ouro_core::{SeededRandom, StopReason};
use ouro_engine::{Engine, RunPlan};
use ouro_guard::{DoomLoopGuard, GuardConfig};
use ouro_store::SledStore;
use stage::Stage;

fn bookkeeping(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = Stage::new();
    stage.config.max_daily_questions = 1_000_000;
    stage.config.max_daily_explorations = 1_000_000;
    let (mut project, _events) = stage.project();
    let (store, _) =
        SledStore::open(folder.path(), project.key.clone(), stage.clock.clone()).unwrap();
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
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    criterion.bench_function("iteration/bookkeeping", |bencher| {
        bencher.to_async(&runtime).iter(|| async {
            // Another moment for each record.
            stage.clock.advance(std::time::Duration::from_millis(1));
            let handle = engine.start(project.clone(), RunPlan::bounded(1)).await.unwrap();
            assert_eq!(handle.finished().await.unwrap(), StopReason::IterationsDone);
        });
    });
}

criterion_group!(benches, bookkeeping);
criterion_main!(benches);
