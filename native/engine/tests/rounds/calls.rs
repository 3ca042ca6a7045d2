//! Tool calls that run in circles: found, told, counted, and ended.

use ouro_core::{Event, NextAction, RecordQuery, RecordStore as _};
use ouro_engine::RunPlan;

use crate::stage::{Act, Stage, read};

fn unknown(n: usize) -> NextAction {
    NextAction { tool_name: format!("no_such_tool_{n}"), ..read("src/a.rs") }
}

struct Course {
    calls: usize,
    /// The kind of each loop that was told.
    loops: Vec<String>,
    /// What the reasoner was told before each step.
    hints: Vec<Option<String>>,
}

/// One iteration in which the reasoner makes these calls.
async fn explore(stage: &Stage, calls: impl IntoIterator<Item = NextAction>) -> Course {
    stage.reasoner.actions.lock().unwrap().extend(calls.into_iter().map(Act::Give));
    let mut running = stage.start(RunPlan::bounded(1)).await;
    let events = running.play_out().await;
    let loops: Vec<String> = events
        .iter()
        .filter_map(|e| match e {
            Event::LoopDetected { found } => Some(found.kind.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(running.handle.stats().loops_detected, loops.len() as u64, "each is counted");
    Course {
        calls: events.iter().filter(|e| matches!(e, Event::ToolCall { .. })).count(),
        loops,
        hints: stage.reasoner.hints.lock().unwrap().clone(),
    }
}

#[tokio::test]
async fn calls_that_repeat_are_hinted_at_and_then_end_the_exploration_as_a_loop() {
    let paths = |n: usize, period: usize| format!("src/{}.rs", n % period);
    for (period, kind) in [(1, "consecutive_identical_tool_calls"), (2, "alternating_tool_calls")] {
        let stage = Stage::new();
        let course = explore(&stage, (0..9).map(|n| read(&paths(n, period)))).await;
        // As many as there are, and three that were made before.
        assert_eq!(course.calls, period + 3);
        assert_eq!(course.loops, [kind]);
        let hinted: Vec<bool> = course.hints.iter().map(Option::is_some).collect();
        let last = hinted.len() - 1;
        assert!(hinted[last] && !hinted[..last].contains(&true), "before the last: {hinted:?}");
        let records = stage.store.records(&RecordQuery::default()).unwrap();
        assert_eq!(records.len(), 1, "what was gathered is summed up");
        let log = stage.store.log(100).unwrap();
        assert!(log.iter().any(|line| line.error.as_ref().is_some_and(|e| e.contains(kind))));
    }
}

#[tokio::test]
async fn a_call_that_fails_again_and_again_is_a_loop_and_failures_of_different_calls_are_none() {
    let same = explore(&Stage::new(), (0..9).map(|_| unknown(0))).await;
    assert_eq!((same.calls, same.loops.len()), (3, 1));
    let different = explore(&Stage::new(), (0..9).map(unknown)).await;
    assert_eq!((different.calls, different.loops.len()), (3, 0));
    let hint = different.hints.last().unwrap().as_ref().expect("told before the third");
    assert!(hint.contains("each failed"), "{hint}");
}

#[tokio::test]
async fn a_loop_between_other_calls_is_hinted_at_by_the_detectors_and_ends_the_exploration() {
    let mut stage = Stage::new();
    stage.config.max_exploration_steps = 100;
    let path =
        |n: usize| if n.is_multiple_of(2) { "src/a.rs".to_owned() } else { format!("src/{n}.rs") };
    let course = explore(&stage, (0..90).map(|n| read(&path(n)))).await;
    assert!(course.loops.len() == 2 && course.calls < 40, "{:?} {}", course.loops, course.calls);
    let hints: Vec<&String> = course.hints.iter().flatten().collect();
    assert_eq!(hints.len(), 1, "a hint, then the end: {hints:?}");
}
