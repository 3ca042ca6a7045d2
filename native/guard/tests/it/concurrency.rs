//! Thirty-two threads on one guard.

use std::sync::Mutex;

use ouro_core::{ErrorKind, OperationKind, QuotaKind, RecordStore, ToolResult};
use ouro_guard::DoomLoopGuard;
use serde_json::json;

use crate::fixture::{Fixture, error, question};

const THREADS: usize = 32;

/// Runs `work` on 32 threads at once and collects what they return.
fn on_all_threads<T: Send>(work: impl Fn(usize, &tokio::runtime::Handle) -> T + Sync) -> Vec<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let results = Mutex::new(Vec::new());
    let start = std::sync::Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (work, results, start, handle) = (&work, &results, &start, runtime.handle());
            scope.spawn(move || {
                start.wait();
                let result = work(thread, handle);
                results.lock().unwrap().push(result);
            });
        }
    });
    results.into_inner().unwrap()
}

#[test]
fn no_more_units_are_taken_than_there_are() {
    let f = Fixture::with(|config| config.max_daily_explorations = 100);
    let guard = f.open();
    let taken: usize = on_all_threads(|_, runtime| {
        let take = || runtime.block_on(guard.try_consume(QuotaKind::Explorations)).is_ok();
        (0..10).filter(|_| take()).count()
    })
    .into_iter()
    .sum();
    assert_eq!((taken, guard.remaining().explorations_remaining), (100, 0));
    assert_eq!(f.store.guard_state().unwrap().quota.explorations, 100);
}

#[test]
fn units_that_come_back_are_counted_exactly() {
    let f = Fixture::with(|config| config.max_daily_questions = 40);
    let guard = f.open();
    let kept: u32 = on_all_threads(|thread, runtime| {
        let mut kept = 0;
        for turn in 0..6 {
            let Ok(unit) = runtime.block_on(guard.try_consume(QuotaKind::Questions)) else {
                continue;
            };
            if (thread + turn) % 2 == 0 {
                runtime.block_on(guard.release(unit)).unwrap();
            } else {
                kept += 1;
            }
        }
        kept
    })
    .into_iter()
    .sum();
    assert!(kept <= 40);
    assert_eq!(guard.remaining().questions_remaining, 40 - kept);
    assert_eq!(f.open().remaining(), guard.remaining());
}

#[test]
fn one_question_is_admitted_once_however_it_is_spelled() {
    let f = Fixture::new();
    let guard = f.open();
    let admit = |thread: usize, runtime: &tokio::runtime::Handle| {
        let text = match thread % 3 {
            0 => "how does the store write records to the disk",
            1 => "How does the store write records to the DISK?",
            _ => "how does the store write records to the medium",
        };
        runtime.block_on(guard.admit_question(&question(text), Vec::new())).is_ok()
    };
    assert_eq!(on_all_threads(admit).into_iter().filter(|admitted| *admitted).count(), 1);
    assert_eq!(guard.remaining().questions_remaining, 49);
    assert_eq!(f.store.guard_state().unwrap().asked.len(), 1);
}

#[test]
fn different_questions_are_admitted_up_to_the_quota() {
    let f = Fixture::with(|config| config.max_daily_questions = 20);
    let guard = f.open();
    let admit = |thread: usize, runtime: &tokio::runtime::Handle| {
        runtime
            .block_on(guard.admit_question(&question(&format!("word{thread}")), Vec::new()))
            .is_ok()
    };
    assert_eq!(on_all_threads(admit).into_iter().filter(|admitted| *admitted).count(), 20);
    assert_eq!(f.store.guard_state().unwrap().asked.len(), 20);
}

#[test]
fn every_failure_and_every_error_is_counted() {
    let f = Fixture::new();
    let guard = f.open();
    on_all_threads(|thread, runtime| {
        for _ in 0..10 {
            let name = format!("question {}", thread % 4);
            let timeout = error(ErrorKind::Timeout);
            runtime
                .block_on(guard.record_failure(
                    OperationKind::Exploration,
                    &name,
                    &timeout,
                    &json!({}),
                ))
                .unwrap();
        }
    });
    let check = |guard: &DoomLoopGuard| {
        assert_eq!(guard.backoff().consecutive_errors, 320);
        let attempts: Vec<u32> = guard.failures().iter().map(|r| r.attempts).collect();
        assert_eq!(attempts, [80; 4]);
    };
    check(&guard);
    check(&f.open());
}

#[test]
fn results_of_many_threads_are_all_found_again() {
    let f = Fixture::with(|config| config.tool_cache_capacity = 50);
    let guard = f.open();
    on_all_threads(|thread, _| {
        for n in 0..10 {
            let arguments = json!({ "thread": thread, "n": n });
            let result = ToolResult { content: format!("{thread} {n}"), ..ToolResult::default() };
            f.write(&guard, guard.prepare_tool_result("t", &arguments, None, &result));
        }
    });
    let found = |guard: &DoomLoopGuard| {
        let calls = (0..THREADS)
            .flat_map(|thread| (0..10).map(move |n| json!({ "thread": thread, "n": n })));
        calls.filter(|arguments| guard.check_tool_call("t", arguments, None).should_skip()).count()
    };
    assert_eq!((found(&guard), found(&f.open())), (50, 50));
}
