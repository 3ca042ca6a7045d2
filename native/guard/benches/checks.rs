//! What a check costs: a question among 10,000 records whose vectors have 1,024 numbers, in a store on disk; a tool call with
//! small and large arguments.
//!
//! Goals: a question in less than 0.2 ms without its embedding, a tool call in less than 5 microseconds.

#![allow(clippy::unwrap_used, reason = "a benchmark that can't be set up must not run")]

use std::{hint::black_box, path::Path, sync::Arc};

use async_trait::async_trait;
use criterion::{Criterion, criterion_group, criterion_main};
use ouro_core::{
    Change, Embedder, LearningRecord, Random, RecordId, RecordStore, Result, SeededRandom,
    ToolResult,
};
use ouro_guard::{DoomLoopGuard, GuardConfig};
use ouro_store::SledStore;
use ouro_testkit::ManualClock;
use serde_json::{Value, json};

const RECORDS: usize = 10_000;
const DIMENSION: usize = 1_024;

/// Makes the vector of a text from its bytes: always the same one, and none near another.
#[derive(Debug)]
struct Scatter(&'static str);

#[async_trait]
impl Embedder for Scatter {
    fn id(&self) -> &str {
        self.0
    }

    fn duplicate_threshold(&self) -> f32 {
        0.9
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}

impl Scatter {
    #[allow(clippy::cast_possible_truncation, reason = "any f32 will do")]
    fn vector(&self, text: &str) -> Vec<f32> {
        let seed =
            text.bytes().fold(17_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        let random = SeededRandom::new(seed);
        (0..DIMENSION).map(|_| random.next_f64() as f32 - 0.5).collect()
    }
}

fn record(id: RecordId, question: &str) -> LearningRecord {
    serde_json::from_value(json!({
        "id": id, "project_key": "bench", "created_at": 0, "question": question, "question_type": "other",
        "answer": "", "exploration_path": [], "confidence": 1.0, "source_files": [], "tags": [], "domain": "",
        "embedder": "chosen", "model": "offline", "tokens": { "prompt": 0, "completion": 0 },
    }))
    .unwrap()
}

fn open(runtime: &tokio::runtime::Runtime, dir: &Path, records: usize) -> DoomLoopGuard {
    let clock = Arc::new(ManualClock::new(1_750_000_000_000));
    let store = Arc::new(SledStore::open(dir, "bench".parse().unwrap(), clock.clone()).unwrap().0);
    let random = Arc::new(SeededRandom::new(1));
    let changes: Vec<Change> = (0..records)
        .map(|n| {
            let id = RecordId::new(clock.as_ref(), random.as_ref());
            Change::PutRecord(Box::new(record(id, &format!("what is thing number {n} for"))))
        })
        .collect();
    changes.chunks(500).for_each(|part| store.commit(part).unwrap());
    let (chosen, builtin) = (Arc::new(Scatter("chosen")), Arc::new(Scatter("builtin")));
    let guard = DoomLoopGuard::open(store, &GuardConfig::default(), chosen, builtin, clock, random)
        .unwrap();
    while runtime.block_on(guard.reembed(1_000)).unwrap() > 0 {}
    guard
}

fn checks(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let guard = open(&runtime, dir.path(), RECORDS);

    // The same new question each time: its vector is remembered, so this is the check without the embedding.
    criterion.bench_function("question, 10,000 records", |bencher| {
        bencher.iter(|| {
            let verdict = runtime
                .block_on(guard.check_question(black_box("how are settings read at the start")));
            assert!(!verdict.should_skip());
        });
    });
    criterion.bench_function("question, same text", |bencher| {
        bencher.iter(|| {
            let verdict =
                runtime.block_on(guard.check_question(black_box("What is thing number 77 for?")));
            assert!(verdict.should_skip());
        });
    });

    let small = json!({
        "path": "native/guard/src/question_dedup.rs",
        "start_line": 100,
        "end_line": 200,
        "options": { "context": 3, "case": false, "glob": "*.rs" },
        "why": "the exact step",
    });
    let large =
        json!({ "path": "a.rs", "text": "fn main() { println!(\"hello\"); } ".repeat(122) });
    for (name, arguments) in [("tool call, 150 B", small), ("tool call, 4 KB", large)] {
        tool_call(criterion, &guard, name, &arguments);
    }
}

fn tool_call(criterion: &mut Criterion, guard: &DoomLoopGuard, name: &str, arguments: &Value) {
    criterion.bench_function(&format!("{name}, new"), |bencher| {
        bencher.iter(|| {
            assert!(!guard.check_tool_call("read_file", black_box(arguments), None).should_skip())
        });
    });
    guard.apply(guard.prepare_tool_result("read_file", arguments, None, &ToolResult::default()));
    criterion.bench_function(&format!("{name}, cached"), |bencher| {
        bencher.iter(|| {
            assert!(guard.check_tool_call("read_file", black_box(arguments), None).should_skip())
        });
    });
}

criterion_group!(benches, checks);
criterion_main!(benches);
