//! Tool calls, failures, successes and the pauses they cause.

use std::time::Duration;

use ouro_core::{
    AvoidStrategy, Change, Clock, Error, ErrorKind, FailureStatus, FreshnessStamp, OperationKind,
    RecordStore, ToolResult,
};
use ouro_guard::{DoomLoopGuard, SkipReason, Verdict};
use serde_json::{Value, json};

use crate::fixture::{Fixture, error};

fn result(content: &str) -> ToolResult {
    ToolResult { content: content.into(), ..ToolResult::default() }
}

fn stamp(text: &str) -> Option<FreshnessStamp> {
    Some(FreshnessStamp(text.into()))
}

/// The content of the cached result.
fn cached(
    guard: &DoomLoopGuard,
    arguments: &Value,
    stamp: Option<&FreshnessStamp>,
) -> Option<String> {
    match guard.check_tool_call("read_file", arguments, stamp) {
        Verdict::Skip { reason: SkipReason::AlreadyRun { cached } } => {
            Some(cached.result.content.clone())
        }
        Verdict::Proceed { .. } => None,
        Verdict::Skip { reason } => panic!("{reason}"),
    }
}

#[tokio::test]
async fn the_same_call_is_answered_from_memory_until_the_file_changes() {
    let f = Fixture::new();
    let guard = f.open();
    let arguments = json!({ "path": "a.rs", "range": { "from": 1, "to": 9 } });
    assert_eq!(cached(&guard, &arguments, stamp("v1").as_ref()), None);
    let prepared = guard.prepare_tool_result("read_file", &arguments, stamp("v1"), &result("one"));
    assert_eq!(cached(&guard, &arguments, stamp("v1").as_ref()), None, "not yet durable");
    f.write(&guard, prepared);
    let same = json!({ "range": { "to": 9.0, "from": 1 }, "path": "a.rs" });
    for guard in [guard.clone(), f.open()] {
        assert_eq!(cached(&guard, &same, stamp("v1").as_ref()).as_deref(), Some("one"));
        assert_eq!(cached(&guard, &arguments, stamp("v2").as_ref()), None);
        assert_eq!(cached(&guard, &json!({ "path": "b.rs" }), stamp("v1").as_ref()), None);
    }
    f.write(
        &guard,
        guard.prepare_tool_result("read_file", &arguments, stamp("v2"), &result("two")),
    );
    assert_eq!(cached(&guard, &arguments, stamp("v2").as_ref()).as_deref(), Some("two"));
    assert_eq!(cached(&guard, &arguments, stamp("v1").as_ref()), None);
}

#[tokio::test]
async fn a_result_without_a_stamp_holds_for_ten_minutes() {
    let f = Fixture::new();
    let guard = f.open();
    let arguments = json!({});
    f.write(&guard, guard.prepare_tool_result("read_file", &arguments, None, &result("x")));
    f.clock.advance(Duration::from_millis(599_999));
    assert!(cached(&guard, &arguments, None).is_some());
    f.clock.advance(Duration::from_millis(1));
    assert!(cached(&guard, &arguments, None).is_none());
}

#[tokio::test]
async fn an_error_is_never_a_cached_result() {
    let f = Fixture::new();
    let guard = f.open();
    let prepared =
        guard.prepare_tool_result("read_file", &json!({}), None, &ToolResult::error("no"));
    assert!(prepared.changes().is_empty());
    f.write(&guard, prepared);
    assert_eq!(cached(&guard, &json!({}), None), None);
}

#[tokio::test]
async fn the_store_keeps_no_more_calls_than_memory_does() {
    let f = Fixture::with(|config| config.tool_cache_capacity = 3);
    let guard = f.open();
    for n in 0..10 {
        f.write(
            &guard,
            guard.prepare_tool_result("read_file", &json!({ "n": n }), stamp("v"), &result("x")),
        );
        f.clock.advance(Duration::from_millis(1));
        assert!(f.store.guard_state().unwrap().tool_calls.len() <= 4);
    }
    for guard in [guard.clone(), f.open()] {
        let kept: Vec<i32> = (0..10)
            .filter(|n| cached(&guard, &json!({ "n": n }), stamp("v").as_ref()).is_some())
            .collect();
        assert_eq!(kept, [7, 8, 9]);
    }
}

#[tokio::test]
async fn a_tool_call_that_cannot_succeed_is_not_made_again_and_does_not_pause_the_loop() {
    let f = Fixture::new();
    let guard = f.open();
    let arguments = json!({ "path": "missing.rs" });
    let not_found = error(ErrorKind::NotFound);
    guard.record_tool_failure("read_file", &arguments, None, &not_found).await.unwrap();
    for guard in [guard.clone(), f.open()] {
        let verdict = guard.check_tool_call("read_file", &arguments, None);
        let Verdict::Skip { reason: SkipReason::FailedBefore { record } } = verdict else {
            panic!("{verdict}")
        };
        assert_eq!((record.error.as_str(), record.attempts), ("it broke", 1));
        assert!(guard.backoff().remaining.is_zero());
        // The file was created since, or the reasoner mended its call.
        assert!(
            !guard.check_tool_call("read_file", &arguments, stamp("v1").as_ref()).should_skip()
        );
        assert!(!guard.check_tool_call("read_file", &json!({ "path": "b" }), None).should_skip());
        assert!(!guard.check_tool_call("grep_file", &arguments, None).should_skip());
    }
}

#[tokio::test]
async fn a_tool_that_succeeds_later_has_no_failure_any_more() {
    let f = Fixture::new();
    let guard = f.open();
    let arguments = json!({ "pattern": "x" });
    let timeout = error(ErrorKind::Timeout);
    guard.record_tool_failure("grep_file", &arguments, None, &timeout).await.unwrap();
    let verdict = guard.check_tool_call("grep_file", &arguments, None);
    assert!(matches!(verdict, Verdict::Skip { reason: SkipReason::InBackoff { .. } }));
    f.clock.advance(Duration::from_secs(2));
    assert!(!guard.check_tool_call("grep_file", &arguments, None).should_skip());
    f.write(&guard, guard.prepare_tool_result("grep_file", &arguments, None, &result("found")));
    for guard in [guard.clone(), f.open()] {
        assert_eq!(guard.failures()[0].status, FailureStatus::Resolved);
        assert_eq!(guard.backoff().consecutive_errors, 1, "a tool's success ends no row of errors");
    }
}

#[tokio::test]
async fn pauses_double_survive_restarts_and_end_with_an_explored_question() {
    let f = Fixture::new();
    let mut last = 0;
    for n in 1..=6_u32 {
        // A restart between any two errors changes nothing.
        let guard = f.open();
        guard
            .record_failure(
                OperationKind::GenerateQuestions,
                "ask",
                &error(ErrorKind::Unavailable),
                &json!({}),
            )
            .await
            .unwrap();
        let status = f.open().backoff();
        let pause = u64::try_from(status.remaining.as_millis()).unwrap();
        let plain = 1_000 << (n - 1);
        assert_eq!(status.consecutive_errors, n);
        assert!((plain * 11 / 10..=plain * 12 / 10).contains(&pause) && pause > last, "{pause}");
        assert_eq!(status.until, f.clock.now_ms() + i64::try_from(pause).unwrap());
        last = pause;
        f.clock.advance(status.remaining);
        assert!(f.open().backoff().remaining.is_zero());
    }
    let guard = f.open();
    for part in [OperationKind::GenerateQuestions, OperationKind::ToolCall, OperationKind::Embed] {
        guard.record_success(part, "ask", &json!({})).await.unwrap();
        assert_eq!(guard.backoff().consecutive_errors, 6);
    }
    assert_eq!(guard.failures()[0].status, FailureStatus::Resolved);
    guard.record_success(OperationKind::Exploration, "anything", &json!({})).await.unwrap();
    assert_eq!((guard.backoff().consecutive_errors, f.open().backoff().consecutive_errors), (0, 0));
    let commits = f.store.commits();
    guard.record_success(OperationKind::Exploration, "anything", &json!({})).await.unwrap();
    assert_eq!(f.store.commits(), commits, "there was nothing to clear");
}

#[tokio::test]
async fn a_server_that_asks_for_time_gets_it() {
    let f = Fixture::new();
    let guard = f.open();
    let limited =
        Error::new(ErrorKind::RateLimited, "slow down").with_retry_after(Duration::from_secs(600));
    guard.record_failure(OperationKind::Summarize, "q", &limited, &json!({})).await.unwrap();
    assert_eq!(f.open().backoff().remaining, Duration::from_secs(600));
}

#[tokio::test]
async fn work_that_was_cancelled_is_no_failure() {
    let f = Fixture::new();
    let guard = f.open();
    let recorded = guard
        .record_failure(OperationKind::Exploration, "q", &Error::cancelled(), &json!({}))
        .await
        .unwrap();
    assert_eq!(recorded, None);
    assert!(guard.failures().is_empty() && guard.backoff().remaining.is_zero());
    assert_eq!(f.store.commits(), 0);
}

#[tokio::test]
async fn rubbish_for_an_avoid_strategy_leaves_the_failure_pending() {
    let f = Fixture::new();
    let guard = f.open();
    let record = guard
        .record_failure(OperationKind::Exploration, "q", &error(ErrorKind::Internal), &json!({}))
        .await
        .unwrap()
        .unwrap();
    let rubbish = AvoidStrategy { cause: " \u{0}\n".into(), ..AvoidStrategy::default() };
    let refused = guard.set_strategy(&record.signature, rubbish.clone()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidInput);
    assert_eq!(guard.failures().len(), 1, "the analysis is itself no failure");
    assert_eq!(f.open().failures()[0].status, FailureStatus::Pending);
    let good =
        AvoidStrategy { cause: "c".into(), avoid_strategy: "a".into(), ..AvoidStrategy::default() };
    assert!(guard.set_strategy(&record.id.to_string(), good).await.unwrap());
    assert_eq!(f.open().failures()[0].status, FailureStatus::Analysed);
    assert!(guard.forget(&record.signature).await.unwrap());
    assert!(!guard.forget(&record.signature).await.unwrap());
    assert!(f.open().failures().is_empty());
}

#[tokio::test]
async fn what_the_store_would_refuse_is_refused_and_is_no_outage() {
    let f = Fixture::new();
    let guard = f.open();
    let mut foreign = f.new_record("q");
    foreign.project_key = "another".parse().unwrap();
    let also = vec![Change::PutRecord(Box::new(foreign))];
    assert!(guard.admit_question(&crate::fixture::question("q"), also).await.is_err());
    assert!(!guard.check_tool_call("t", &json!({}), None).should_skip());
    assert!(guard.admit_question(&crate::fixture::question("q"), Vec::new()).await.is_ok());
}
