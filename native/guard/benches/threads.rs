//! Thirty-two threads that ask one guard, and the same threads with a guard of a project of its own each: how many tool calls are
//! judged in a second, and what one costs in processor time. Half of the calls are known, and every verdict is counted.
//!
//! Goal: 200,000 a second on one guard.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark that can't be set up must not run"
)]

use std::{sync::Arc, thread, time::Instant};

use ouro_core::{SeededRandom, ToolResult};
use ouro_guard::{DoomLoopGuard, GuardConfig};
use ouro_llm::HashEmbedder;
use ouro_testkit::{ManualClock, MemoryStore};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

const THREADS: usize = 32;
const CALLS: usize = 20_000;
/// Calls that differ; half of them have a result.
const DIFFERENT: usize = 100;

fn main() {
    println!(
        "| {THREADS} threads | checks a second | processor time of one |\n| --- | --- | --- |"
    );
    run("on one guard", &[open()]);
    run("on a guard each", &(0..THREADS).map(|_| open()).collect::<Vec<_>>());
}

fn open() -> DoomLoopGuard {
    let clock = Arc::new(ManualClock::new(1_750_000_000_000));
    let store = Arc::new(MemoryStore::new("bench".parse().unwrap(), clock.clone()));
    let (embedder, random) = (Arc::new(HashEmbedder), Arc::new(SeededRandom::new(1)));
    let config = GuardConfig::default();
    let guard =
        DoomLoopGuard::open(store, &config, embedder.clone(), embedder, clock, random).unwrap();
    for n in (0..DIFFERENT).step_by(2) {
        let result = ToolResult::default();
        guard.apply(guard.prepare_tool_result("read_file", &arguments(n), None, &result));
    }
    guard
}

fn arguments(n: usize) -> Value {
    json!({
        "path": format!("native/guard/src/question_dedup_{n}.rs"),
        "start_line": 100,
        "end_line": 200,
        "options": { "context": 3, "case": false, "glob": "*.rs" },
    })
}

fn run(name: &str, guards: &[DoomLoopGuard]) {
    let all: Vec<Value> = (0..DIFFERENT).map(arguments).collect();
    let (start, cpu) = (Instant::now(), process_seconds());
    let known: usize = thread::scope(|scope| {
        let threads: Vec<_> = guards
            .iter()
            .cycle()
            .take(THREADS)
            .map(|guard| {
                let calls = all.iter().cycle().take(CALLS);
                scope.spawn(move || {
                    calls
                        .filter(|a| guard.check_tool_call("read_file", a, None).should_skip())
                        .count()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), process_seconds() - cpu);
    assert_eq!(known, THREADS * CALLS / 2, "a verdict was wrong");
    let calls = (THREADS * CALLS) as f64;
    println!("| {name} | {:.0} | {:.2} us |", calls / seconds, cpu / calls * 1e6);
}

fn process_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
