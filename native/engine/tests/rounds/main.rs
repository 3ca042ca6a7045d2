//! Whole rounds on a manual clock: every phase, every rest, every end.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

mod calls;
mod limits;
mod log;
mod model;
mod spending;
mod stage;

use std::{sync::Arc, time::Duration};

use ouro_core::{
    AvoidStrategy, Change, Clock as _, Correction, DayLimit, ErrorKind, Event, Freshness,
    HealthIssue, LearningRecord, LoopReport, Phase, RecordQuery, RecordStore, SourceRef,
    StopReason, SuggestedAction, Summary, VectorRole, WaitReason,
};
use ouro_engine::{Engine, RunPlan};
use ouro_testkit::store_contract::{sample_record, sample_vector};
use stage::{Act, NOON, Running, Stage, question, read, stop};
use tokio::sync::mpsc;

async fn end(running: &mut Running) -> StopReason {
    running.play_out().await;
    running.handle.finished().await.unwrap()
}

async fn waiting(running: &mut Running) -> (WaitReason, Option<i64>) {
    running
        .until(|e| match e {
            Event::Waiting { reason, until, .. } => Some((reason.clone(), *until)),
            _ => None,
        })
        .await
}

#[tokio::test]
async fn a_bounded_run_passes_every_phase_and_ends() {
    let stage = Stage::new();
    let mut running = stage.start(RunPlan::bounded(2)).await;
    let events = running.play_out().await;
    let phases: Vec<Phase> = events
        .iter()
        .filter_map(|e| match e {
            Event::Phase { phase, .. } => Some(*phase),
            _ => None,
        })
        .collect();
    let round =
        [Phase::LoadingMemory, Phase::GeneratingQuestion, Phase::Exploring, Phase::Summarizing];
    assert_eq!(phases, [&round[..], &[Phase::Waiting], &round[..]].concat());
    assert_eq!(running.handle.finished().await.unwrap(), StopReason::IterationsDone);
    assert_eq!(stage.record_count(), 2);
    let stats = running.handle.stats();
    assert_eq!((stats.total_questions, stats.total_learning_records), (2, 2));
    assert_eq!((stats.current_phase, stats.consecutive_errors), (Phase::Idle, 0));
    assert_eq!(stats.quota.explorations_remaining, 98);
}

#[tokio::test]
async fn a_loop_rests_for_its_interval_and_not_longer() {
    let stage = Stage::new();
    let mut running = stage.start(RunPlan::FOREVER).await;
    let (reason, until) = waiting(&mut running).await;
    assert_eq!((reason, until), (WaitReason::Interval, Some(NOON + 60_000)));
    assert_eq!(running.handle.stats().current_phase, Phase::Waiting);
    running.sleep_until(until.unwrap()).await;
    running.until(|e| matches!(e, Event::RecordSaved { .. }).then_some(())).await;
    running.handle.stop().await;
    assert_eq!(running.handle.finished().await.unwrap(), StopReason::UserStopped);
}

#[tokio::test]
async fn errors_pause_the_loop_and_a_success_ends_the_pause() {
    let stage = Stage::new();
    stage.reasoner.questions.lock().unwrap().push_back(Act::Fail(ErrorKind::Unavailable));
    let mut running = stage.start(RunPlan::FOREVER).await;
    let (reason, until) = waiting(&mut running).await;
    assert_eq!(reason, WaitReason::InBackoff { consecutive_errors: 1 });
    assert!((NOON + 1_100..=NOON + 1_200).contains(&until.unwrap()), "{until:?}");
    running.sleep_until(until.unwrap()).await;
    running.until(|e| matches!(e, Event::RecordSaved { .. }).then_some(())).await;
    assert_eq!(waiting(&mut running).await.0, WaitReason::Interval);
    assert_eq!(running.handle.stats().consecutive_errors, 0);
    running.handle.stop().await;
}

#[tokio::test]
async fn a_failing_model_is_never_hammered_and_ends_the_loop() {
    let mut stage = Stage::new();
    stage.config.interval_ms = 0;
    for _ in 0..9 {
        stage.reasoner.questions.lock().unwrap().push_back(Act::Fail(ErrorKind::Unavailable));
    }
    let mut running = stage.start(RunPlan::bounded(20)).await;
    let events = running.play_out().await;
    let pauses = events
        .iter()
        .filter(|e| matches!(e, Event::Waiting { reason: WaitReason::InBackoff { .. }, .. }))
        .count();
    assert_eq!(pauses, 4, "a pause between each two of five errors");
    let reason = running.handle.finished().await.unwrap();
    assert!(matches!(reason, StopReason::TooManyErrors { .. }), "{reason:?}");
    assert_eq!(stage.reasoner.seen.lock().unwrap().len(), 5);
    let health = running.handle.stats().health;
    assert_eq!(health.issues, [HealthIssue::ConsecutiveErrors { count: 5 }]);
    assert_eq!(health.suggested_action, SuggestedAction::CheckModel);
}

#[tokio::test]
async fn a_server_that_is_restarted_is_waited_for_by_a_run_without_an_end() {
    let mut stage = Stage::new();
    stage.config.interval_ms = 0;
    for _ in 0..7 {
        stage.reasoner.questions.lock().unwrap().push_back(Act::Fail(ErrorKind::Unavailable));
    }
    let mut running = stage.start(RunPlan::FOREVER).await;
    for errors in 1..=7 {
        let (reason, until) = waiting(&mut running).await;
        assert_eq!(reason, WaitReason::InBackoff { consecutive_errors: errors });
        running.sleep_until(until.unwrap()).await;
    }
    running.until(|e| matches!(e, Event::RecordSaved { .. }).then_some(())).await;
    let passed = stage.clock.now_ms() - NOON;
    assert!((127_000..=153_000).contains(&passed), "{passed}");
    running.handle.stop().await;
}

#[tokio::test]
async fn an_error_that_no_waiting_mends_ends_a_run_without_an_end() {
    let mut stage = Stage::new();
    stage.config.interval_ms = 0;
    for _ in 0..9 {
        stage.reasoner.questions.lock().unwrap().push_back(Act::Fail(ErrorKind::BadReply));
    }
    let mut running = stage.start(RunPlan::FOREVER).await;
    let reason = end(&mut running).await;
    assert!(matches!(reason, StopReason::TooManyErrors { .. }), "{reason:?}");
}

#[tokio::test]
async fn a_used_up_quota_waits_for_midnight_and_a_bounded_run_ends() {
    let mut stage = Stage::new();
    stage.config.max_daily_questions = 1;
    let mut running = stage.start(RunPlan::FOREVER).await;
    let (_, interval) = waiting(&mut running).await;
    running.sleep_until(interval.unwrap()).await;
    let (reason, until) = waiting(&mut running).await;
    assert_eq!(reason, WaitReason::QuotaExhausted { which: DayLimit::Questions });
    assert_eq!(until, Some(NOON + 12 * 3_600_000));
    running.sleep_until(until.unwrap()).await;
    running.until(|e| matches!(e, Event::RecordSaved { .. }).then_some(())).await;
    running.handle.stop().await;

    let mut bounded = stage.start(RunPlan::bounded(3)).await;
    let reason = end(&mut bounded).await;
    assert!(matches!(reason, StopReason::QuotaExhausted { .. }), "{reason:?}");
    assert_eq!(stage.record_count(), 2);
}

#[tokio::test]
async fn with_nothing_left_to_ask_the_loop_waits_for_a_change() {
    let stage = Stage::new();
    stage.reasoner.questions.lock().unwrap().push_back(Act::Give(Vec::new()));
    let mut running = stage.start(RunPlan::FOREVER).await;
    assert_eq!(waiting(&mut running).await, (WaitReason::ProjectUnchanged, None));
    running.handle.project_changed();
    running.until(|e| matches!(e, Event::RecordSaved { .. }).then_some(())).await;
    running.handle.stop().await;
}

#[tokio::test]
async fn a_bounded_run_tells_covered_now_from_covered_before() {
    let stage = Stage::new();
    let mut first = stage.start(RunPlan::bounded(1)).await;
    assert_eq!(end(&mut first).await, StopReason::IterationsDone);
    for expected in [StopReason::FullyCovered, StopReason::ProjectUnchanged] {
        stage.reasoner.questions.lock().unwrap().push_back(Act::Give(Vec::new()));
        let mut running = stage.start(RunPlan::bounded(3)).await;
        assert_eq!(end(&mut running).await, expected);
    }
}

#[tokio::test]
async fn a_project_that_gives_no_question_is_called_so_and_not_answered() {
    let stage = Stage::new();
    for _ in 0..2 {
        stage.reasoner.questions.lock().unwrap().push_back(Act::Give(Vec::new()));
        let mut running = stage.start(RunPlan::bounded(3)).await;
        assert_eq!(end(&mut running).await, StopReason::NothingToAsk);
    }
}

#[tokio::test]
async fn questions_asked_before_are_named_to_the_reasoner_and_then_end_the_run() {
    let stage = Stage::new();
    let same = || Act::Give(vec![question("What does the parser do?")]);
    stage.reasoner.questions.lock().unwrap().extend((0..9).map(|_| same()));
    let mut running = stage.start(RunPlan::bounded(9)).await;
    assert_eq!(end(&mut running).await, StopReason::ConsecutiveDuplicates);
    assert_eq!(stage.record_count(), 1);
    let seen = stage.reasoner.seen.lock().unwrap();
    assert!(seen[1].rejected.is_empty());
    assert_eq!(seen[2].rejected[0].0, "What does the parser do?");
}

#[tokio::test]
async fn a_stop_is_heard_in_the_middle_of_anything() {
    for act in ["thinking", "tool", "summary"] {
        let stage = Stage::new();
        match act {
            "thinking" => stage.reasoner.questions.lock().unwrap().push_back(Act::Hang),
            "tool" => stage.reasoner.actions.lock().unwrap().push_back(Act::Give(read("hang"))),
            _ => stage.reasoner.summaries.lock().unwrap().push_back(Act::Hang),
        }
        let mut running = stage.start(RunPlan::FOREVER).await;
        let phase = match act {
            "thinking" => Phase::GeneratingQuestion,
            "tool" => Phase::Exploring,
            _ => Phase::Summarizing,
        };
        running.phase(phase).await;
        // The clock stands still: only the stop itself can end this.
        running.handle.stop().await;
        assert_eq!(running.handle.finished().await.unwrap(), StopReason::UserStopped, "{act}");
    }
}

#[tokio::test]
async fn an_interrupted_exploration_is_resumed_where_it_was() {
    let stage = Stage::new();
    let actions = [Act::Give(read("src/a.rs")), Act::Hang];
    stage.reasoner.actions.lock().unwrap().extend(actions);
    let mut running = stage.start(RunPlan::FOREVER).await;
    let asked = running.until(|e| match e {
        Event::Question { question, .. } => Some(question.clone()),
        _ => None,
    });
    let asked = asked.await;
    running.until(|e| matches!(e, Event::ToolCall { .. }).then_some(())).await;
    running.handle.stop().await;

    stage.reasoner.actions.lock().unwrap().extend([Act::Give(read("src/b.rs")), Act::Give(stop())]);
    let mut again = stage.start(RunPlan::bounded(1)).await;
    assert_eq!(end(&mut again).await, StopReason::IterationsDone);
    let records = stage.store.records(&RecordQuery::default()).unwrap();
    assert_eq!((records.len(), &records[0].question), (1, &asked.question));
    let paths: Vec<&str> = records[0]
        .exploration_path
        .iter()
        .map(|s| s.parameters["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["src/a.rs", "src/b.rs"]);
    assert_eq!(again.handle.stats().total_questions, 1);
    assert_eq!(stage.store.in_flight().unwrap(), None);
}

#[tokio::test]
async fn a_panic_is_a_failure_of_its_project_alone() {
    let (stage, other) = (Stage::new(), Stage::of("other"));
    stage.reasoner.questions.lock().unwrap().push_back(Act::Panic);
    let (project, _events) = other.project();
    let neighbour = stage.engine.start(project, RunPlan::bounded(1)).await.unwrap();
    let mut running = stage.start(RunPlan::bounded(1)).await;
    let events = running.play_out().await;
    let said = events.iter().any(|e| matches!(e, Event::Error { kind: ErrorKind::Internal, message } if message.contains("scripted panic")));
    assert!(said, "{events:?}");
    assert_eq!(neighbour.finished().await.unwrap(), StopReason::IterationsDone);
    assert_eq!((stage.record_count(), other.record_count()), (0, 1));
}

#[tokio::test]
async fn a_panic_outside_of_an_iteration_ends_the_loop_and_is_told() {
    let stage = Stage::new();
    let (mut project, events) = stage.project();
    let tell = project.events.clone();
    project.events = Arc::new(move |event| {
        assert!(!matches!(event, Event::Waiting { .. }), "scripted panic");
        tell(event);
    });
    let mut running = stage.run(project, events, RunPlan::FOREVER).await;
    let events = running.play_out().await;
    let Some(Event::Finished { reason, .. }) = events.last() else { panic!("{events:?}") };
    let why = "a defect in Ouro: scripted panic".to_owned();
    assert_eq!(*reason, StopReason::Unhealthy { why });
    assert_eq!(running.handle.finished().await.unwrap(), *reason);
}

#[tokio::test]
async fn what_was_found_out_about_a_failure_is_told_to_the_next_attempt_also_to_a_resumed_one() {
    let stage = Stage::new();
    let asked = || Act::Give(vec![question("What does the parser do?")]);
    stage.reasoner.questions.lock().unwrap().extend([asked(), asked()]);
    stage.reasoner.actions.lock().unwrap().extend([
        Act::Fail(ErrorKind::Internal),
        Act::Give(read("src/a.rs")),
        Act::Hang,
    ]);
    let strategy = AvoidStrategy {
        cause: "A defect.".into(),
        avoid_strategy: "Don't.".into(),
        retry_suggestion: "Slowly.".into(),
    };
    stage.reasoner.analyses.lock().unwrap().push_back(Act::Give(strategy.clone()));
    let mut running = stage.start(RunPlan::FOREVER).await;
    let (_, until) = waiting(&mut running).await;
    running.sleep_until(until.unwrap()).await;
    running.until(|e| matches!(e, Event::ToolCall { .. }).then_some(())).await;
    running.handle.stop().await;
    end(&mut stage.start(RunPlan::bounded(1)).await).await;
    let told = stage.reasoner.advice.lock().unwrap().clone();
    assert_eq!(told.first(), Some(&None));
    assert!(told.len() >= 4 && told[1..].iter().all(|t| *t == Some(strategy.clone())), "{told:?}");
}

#[tokio::test]
async fn an_error_that_a_tool_returns_is_recorded_and_not_called_for_again_for_ever() {
    let stage = Stage::new();
    let path = |n| if n % 3 == 0 { format!("src/{n}.rs") } else { "broken".to_owned() };
    let calls = (0..9).map(|n| Act::Give(read(&path(n))));
    stage.reasoner.actions.lock().unwrap().extend(calls);
    end(&mut stage.start(RunPlan::bounded(1)).await).await;
    let failures = stage.store.guard_state().unwrap().failures;
    let [failure] = failures.as_slice() else { panic!("{failures:?}") };
    assert_eq!((failure.operation.as_str(), failure.attempts), ("read_file", 3));
    assert_eq!(failure.error, "the disk is broken");
}

#[tokio::test]
async fn projects_beyond_the_eighth_wait_for_their_turn_in_order() {
    let engine = Engine::new();
    let stages: Vec<Stage> = (0..11).map(|n| Stage::of(&format!("project-{n}"))).collect();
    let asked = || stages.iter().filter(|s| !s.reasoner.seen.lock().unwrap().is_empty()).count();
    let mut handles = Vec::new();
    let mut events = Vec::new();
    for stage in &stages {
        stage.reasoner.questions.lock().unwrap().push_back(Act::Hang);
        let (project, said) = stage.project();
        handles.push(engine.start(project, RunPlan::FOREVER).await.unwrap());
        events.push(said);
    }
    for said in events.iter_mut().take(8) {
        until_asked(said).await;
    }
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(asked(), 8);
    assert_eq!(handles[8].stats().current_phase, Phase::Waiting);

    // One that waits ends when it is told to, and one that ends lets the next one on.
    handles[8].stop().await;
    assert_eq!(handles[8].finished().await.unwrap(), StopReason::UserStopped);
    handles[3].stop().await;
    until_asked(&mut events[9]).await;
    assert_eq!(asked(), 9);
    assert!(stages[10].reasoner.seen.lock().unwrap().is_empty());
    engine.stop_all().await;
}

/// Until the loop has asked its reasoner.
async fn until_asked(events: &mut mpsc::UnboundedReceiver<Event>) {
    let asks = |e: &Event| matches!(e, Event::Phase { phase: Phase::GeneratingQuestion, .. });
    while !asks(&events.recv().await.expect("the loop goes on")) {}
    tokio::task::yield_now().await;
}

#[tokio::test]
async fn a_stuck_iteration_starts_anew_once_and_then_ends_the_loop() {
    let stage = Stage::new();
    stage.reasoner.questions.lock().unwrap().extend([Act::Hang, Act::Hang]);
    let mut running = stage.start(RunPlan::FOREVER).await;
    for _ in 0..2 {
        running.phase(Phase::GeneratingQuestion).await;
        // The health checker looks every minute and gives up after some of them.
        while running.events.is_empty() {
            stage.clock.advance(Duration::from_secs(60));
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
        }
    }
    let reason = running.handle.finished().await.unwrap();
    let StopReason::Unhealthy { why } = reason else { panic!("{reason:?}") };
    // How often the clock was turned until it looked is left to the threads.
    assert!(why.contains("No new record for "), "{why}");
}

#[tokio::test]
async fn a_rest_that_is_over_by_the_wall_clock_ends_although_the_machine_slept() {
    let mut stage = Stage::new();
    stage.config.max_daily_questions = 1;
    let mut running = stage.start(RunPlan::FOREVER).await;
    let (_, interval) = waiting(&mut running).await;
    running.sleep_until(interval.unwrap()).await;
    let (_, midnight) = waiting(&mut running).await;
    // The monotonic clock of a machine that sleeps stands still.
    stage.clock.set_wall(midnight.unwrap() + 3_600_000);
    stage.clock.advance(Duration::from_secs(60));
    running.until(|e| matches!(e, Event::RecordSaved { .. }).then_some(())).await;
    running.handle.stop().await;
}

#[tokio::test]
async fn a_loop_that_is_active_and_learns_nothing_is_told_after_ten_minutes_and_then_ends() {
    let mut stage = Stage::new();
    // Of the day's explorations, five go to each iteration.
    stage.config.max_daily_explorations = 1_000;
    stage.config.max_daily_questions = 1_000;
    let nothing = (0..1_000).map(|_| Act::Fail(ErrorKind::NotFound));
    stage.reasoner.summaries.lock().unwrap().extend(nothing);
    let mut running = stage.start(RunPlan::bounded(100)).await;
    let reason = end(&mut running).await;
    let StopReason::Unhealthy { why } = reason else { panic!("{reason:?}") };
    assert!(why.contains("No new record for "), "{why}");
    let minutes = (stage.clock.now_ms() - NOON) / 60_000;
    assert!((20..=22).contains(&minutes), "{minutes}");
}

#[tokio::test]
async fn a_rest_is_kept_over_a_restart_and_a_user_who_asks_for_iterations_gets_them_at_once() {
    let mut stage = Stage::new();
    let mut first = stage.start(RunPlan::FOREVER).await;
    let (_, interval) = waiting(&mut first).await;
    first.handle.stop().await;
    stage.clock.advance(Duration::from_secs(20));
    let mut again = stage.start(RunPlan::FOREVER).await;
    assert_eq!(waiting(&mut again).await, (WaitReason::Interval, interval));
    again.handle.stop().await;
    // A clock that was set back makes it no longer than an interval, and a shorter one is kept.
    for (interval_ms, back) in [(60_000, 86_400_000), (10_000, 0)] {
        stage.config.interval_ms = interval_ms;
        stage.clock.set_wall(stage.clock.now_ms() - back);
        let mut set_back = stage.start(RunPlan::FOREVER).await;
        let until = stage.clock.now_ms() + i64::try_from(interval_ms).unwrap();
        assert_eq!(waiting(&mut set_back).await, (WaitReason::Interval, Some(until)));
        set_back.handle.stop().await;
    }
    assert_eq!(stage.record_count(), 1);
    end(&mut stage.start(RunPlan::bounded(1)).await).await;
    assert_eq!(stage.record_count(), 2);
}

#[tokio::test]
async fn the_log_tells_refusals_rests_loops_and_ends_in_the_users_language() {
    for (language, asked_before, looks_anew) in [
        (ouro_core::Language::English, "It was asked before: What does the parser do?", "resting"),
        (ouro_core::Language::Chinese, "此前已问过：What does the parser do?", "休息后再尝试"),
    ] {
        let mut stage = Stage::new();
        stage.config.language = language;
        let same = || Act::Give(vec![question("What does the parser do?")]);
        stage.reasoner.questions.lock().unwrap().extend((0..9).map(|_| same()));
        let round = LoopReport { kind: "paragraph".into(), evidence: "It came five times.".into() };
        stage.reasoner.loops.lock().unwrap().push(round);
        let mut running = stage.start(RunPlan::FOREVER).await;
        let (_, interval) = waiting(&mut running).await;
        running.sleep_until(interval.unwrap()).await;
        let refused = running.until(|e| match e {
            Event::QuestionRefused { reason, .. } => Some(reason.clone()),
            _ => None,
        });
        assert_eq!(refused.await, asked_before);
        waiting(&mut running).await;
        running.handle.stop().await;
        end(&mut stage.start(RunPlan::bounded(1)).await).await;

        let log = stage.store.log(100).unwrap();
        let lines = |phase, success| {
            let lines = log.iter().filter(move |l| (l.phase, l.success) == (phase, success));
            lines.map(|l| l.error.clone().unwrap_or_default()).collect::<Vec<_>>()
        };
        let asking = lines(Phase::GeneratingQuestion, false);
        let (found, refused): (Vec<_>, Vec<_>) =
            asking.into_iter().partition(|line| line.contains("It came five times."));
        assert_eq!((found.len(), refused.len()), (1, 8), "{log:?}");
        assert!(refused.iter().all(|line| line == asked_before), "{log:?}");
        assert!(lines(Phase::Waiting, true)[0].contains(looks_anew), "{log:?}");
        assert_eq!(lines(Phase::Idle, true).len(), 1, "{log:?}");
        assert_eq!(lines(Phase::Summarizing, true).len(), 1, "{log:?}");
    }
}

#[tokio::test]
async fn a_second_start_is_the_same_loop() {
    let stage = Stage::new();
    stage.reasoner.questions.lock().unwrap().push_back(Act::Hang);
    let mut first = stage.start(RunPlan::FOREVER).await;
    first.phase(Phase::GeneratingQuestion).await;
    let mut second = stage.start(RunPlan::FOREVER).await;
    first.handle.stop().await;
    assert!(!second.handle.is_running());
    assert!(second.events.try_recv().is_err(), "nothing was started");
}

#[tokio::test]
async fn a_refused_key_ends_the_loop_at_once_and_says_why() {
    let stage = Stage::new();
    stage.reasoner.questions.lock().unwrap().push_back(Act::Fail(ErrorKind::Refused));
    let mut running = stage.start(RunPlan::FOREVER).await;
    assert_eq!(
        end(&mut running).await,
        StopReason::NotConfigured { what: "scripted Refused".into() }
    );
}

#[tokio::test]
async fn a_project_that_is_not_opted_in_is_not_started() {
    let mut stage = Stage::new();
    stage.config.enabled = false;
    let (project, _events) = stage.project();
    let error = stage.engine.start(project, RunPlan::FOREVER).await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[tokio::test]
async fn invented_sources_are_dropped_and_lower_the_confidence() {
    let stage = Stage::new();
    let source =
        |path: &str, line| SourceRef { path: path.into(), start_line: line, end_line: line };
    let summary = |sources| {
        Act::Give(Summary {
            answer: "a".into(),
            confidence: 7.0,
            source_files: sources,
            ..Summary::default()
        })
    };
    stage.reasoner.summaries.lock().unwrap().extend([
        summary(vec![
            source("src/a.rs", Some(1)),
            source("src/a.rs", Some(9)),
            source("made/up.rs", Some(1)),
        ]),
        summary(vec![source("made/up.rs", None)]),
    ]);
    let mut running = stage.start(RunPlan::bounded(2)).await;
    end(&mut running).await;
    let records = stage.store.records(&RecordQuery::default()).unwrap();
    assert_eq!(records[1].source_files, [source("src/a.rs", None), source("src/a.rs", Some(1))]);
    assert_eq!(records[1].confidence, 1.0);
    assert!(records[0].source_files.is_empty());
    assert!(records[0].confidence <= 0.2);
}

#[tokio::test]
async fn unknown_tools_are_answered_and_three_in_a_row_end_the_exploration() {
    let stage = Stage::new();
    let unknown = |n: u32| {
        let mut action = read("x");
        action.tool_name = format!("no_such_tool_{n}");
        Act::Give(action)
    };
    stage.reasoner.actions.lock().unwrap().extend((0..5).map(unknown));
    let mut running = stage.start(RunPlan::bounded(1)).await;
    let events = running.play_out().await;
    let calls: Vec<&String> = events
        .iter()
        .filter_map(|e| match e {
            Event::ToolCall { summary, is_error: true, .. } => Some(summary),
            _ => None,
        })
        .collect();
    assert_eq!(calls.len(), 3);
    assert!(calls[0].contains("read_file"), "the tools that exist are named: {}", calls[0]);
}

#[tokio::test]
async fn what_was_gathered_before_an_error_is_summed_up() {
    let stage = Stage::new();
    stage
        .reasoner
        .actions
        .lock()
        .unwrap()
        .extend([Act::Give(read("src/a.rs")), Act::Fail(ErrorKind::Timeout)]);
    let mut running = stage.start(RunPlan::bounded(1)).await;
    assert_eq!(end(&mut running).await, StopReason::IterationsDone);
    assert_eq!(stage.record_count(), 1);
}

#[tokio::test]
async fn a_changed_source_is_explored_again_and_the_old_answer_stays_in_the_history() {
    let stage = Stage::new();
    end(&mut stage.start(RunPlan::bounded(1)).await).await;
    *stage.source.0.lock().unwrap() = "changed".into();
    stage.clock.advance(Duration::from_secs(1));
    end(&mut stage.start(RunPlan::bounded(1)).await).await;
    let records = stage.store.records(&RecordQuery::default()).unwrap();
    let [new, old] = records.as_slice() else { panic!("{} records", records.len()) };
    assert_eq!((new.supersedes, old.superseded_by), (Some(old.id), Some(new.id)));
    assert_eq!(new.question, old.question);
    assert_eq!(new.freshness, Freshness::Fresh);
}

#[tokio::test]
async fn a_contradicted_answer_is_given_anew_and_a_users_own_words_are_not_doubted() {
    let stage = Stage::new();
    end(&mut stage.start(RunPlan::bounded(2)).await).await;
    let records = || stage.store.records(&RecordQuery::default()).unwrap();
    let [corrected, doubted] = records().try_into().unwrap();
    let correction = Some(Correction { text: "My words".into(), at: NOON });
    let corrected = LearningRecord { correction, ..corrected };
    stage.store.commit(&[Change::PutRecord(Box::new(corrected.clone()))]).unwrap();
    let summary = Summary {
        answer: "It is otherwise.".into(),
        contradicts: vec![corrected.id, doubted.id],
        ..Summary::default()
    };
    stage.reasoner.summaries.lock().unwrap().push_back(Act::Give(summary));
    let events = stage.start(RunPlan::bounded(1)).await.play_out().await;
    assert!(events.iter().any(|e| matches!(e, Event::RecordsMarked { count: 1 })), "{events:?}");
    let by = records().into_iter().find(|r| r.answer == "It is otherwise.").unwrap();
    assert_eq!(stage.store.record(corrected.id).unwrap(), corrected);
    let freshness = Freshness::Contradicted { by: by.id, since: by.created_at };
    assert_eq!(stage.store.record(doubted.id).unwrap().freshness, freshness);

    end(&mut stage.start(RunPlan::bounded(1)).await).await;
    let anew = records().into_iter().find(|r| r.supersedes.is_some()).unwrap();
    assert_eq!((&anew.question, anew.supersedes), (&doubted.question, Some(doubted.id)));
}

#[tokio::test]
async fn a_project_that_is_not_learnt_is_analysed_after_each_change_and_nobody_is_asked() {
    let mut stage = Stage::new();
    end(&mut stage.start(RunPlan::bounded(1)).await).await;
    let asked = stage.reasoner.seen.lock().unwrap().len();
    let quota = stage.project().0.guard.remaining();
    stage.config.enabled = false;
    let mut running = stage.start(RunPlan::ANALYSIS).await;
    let freshness = || stage.store.records(&RecordQuery::default()).unwrap().remove(0).freshness;
    running.phase(Phase::Idle).await;
    assert_eq!(freshness(), Freshness::Fresh);

    for (content, is_fresh) in [("changed", false), ("changed again", false), ("", true)] {
        *stage.source.0.lock().unwrap() = content.into();
        running.handle.project_changed();
        running.phase(Phase::Idle).await;
        assert_eq!(freshness() == Freshness::Fresh, is_fresh, "{content:?}");
    }

    running.handle.stop().await;
    assert_eq!(running.handle.finished().await.unwrap(), StopReason::UserStopped);
    assert_eq!(stage.reasoner.seen.lock().unwrap().len(), asked);
    assert_eq!((stage.project().0.guard.remaining(), stage.record_count()), (quota, 1));
}

#[tokio::test]
async fn an_analysis_that_fails_is_tried_again_after_the_next_change() {
    let stage = Stage::new();
    let mut first = stage.start(RunPlan::bounded(1)).await;
    end(&mut first).await;
    *stage.source.0.lock().unwrap() = "changed".into();
    stage.store.fail_next_commits(1, ErrorKind::Storage);
    let mut running = stage.start(RunPlan::ANALYSIS).await;
    running.phase(Phase::Idle).await;
    running.handle.project_changed();
    running.phase(Phase::Idle).await;
    let record = stage.store.records(&RecordQuery::default()).unwrap().remove(0);
    assert!(matches!(record.freshness, Freshness::Stale { .. }));
    running.handle.stop().await;
}

#[tokio::test]
async fn a_store_that_cannot_be_written_ends_the_loop_and_nothing_is_reported() {
    let stage = Stage::new();
    let mut running = stage.start(RunPlan::FOREVER).await;
    let (_, until) = waiting(&mut running).await;
    stage.store.fail_next_commits(50, ErrorKind::Storage);
    running.sleep_until(until.unwrap()).await;
    let events = running.play_out().await;
    assert!(!events.iter().any(|e| matches!(e, Event::RecordSaved { .. })));
    let reason = running.handle.finished().await.unwrap();
    assert!(matches!(reason, StopReason::Unhealthy { .. }), "{reason:?}");
    assert_eq!(stage.record_count(), 1);
}

#[tokio::test]
async fn a_question_that_nothing_answers_is_put_aside_and_the_next_one_takes_its_turn() {
    let stage = Stage::new();
    stage.reasoner.summaries.lock().unwrap().push_back(Act::Fail(ErrorKind::NotFound));
    let mut running = stage.start(RunPlan::bounded(1)).await;
    let events = running.play_out().await;
    assert!(events.iter().any(|e| matches!(e, Event::QuestionRefused { .. })));
    assert!(!events.iter().any(|e| matches!(e, Event::Error { .. } | Event::Waiting { .. })));
    assert_eq!(running.handle.finished().await.unwrap(), StopReason::IterationsDone);
    assert_eq!((stage.record_count(), running.handle.stats().consecutive_errors), (1, 0));
    assert_eq!(stage.store.in_flight().unwrap(), None);
}

#[tokio::test]
async fn an_answer_without_a_vector_of_the_present_embedder_gets_one() {
    let stage = Stage::new();
    let project_key = stage.store.project_key().clone();
    let record = LearningRecord { project_key, ..sample_record(1) };
    let vector = sample_vector(1, VectorRole::Answer, "another", &[1.0]);
    let old = [Change::PutRecord(Box::new(record.clone())), Change::PutVector(vector)];
    stage.store.commit(&old).unwrap();
    stage.start(RunPlan::bounded(1)).await.play_out().await;
    let catalog = stage.store.vector_catalog("words-64", VectorRole::Answer).unwrap();
    assert_eq!(catalog.records.len(), 2);
    assert!(catalog.records.contains(&record.id));
}

#[tokio::test]
async fn an_answer_that_the_embedder_refuses_does_not_keep_the_others_without_a_vector() {
    let stage = Stage::new();
    let project_key = stage.store.project_key().clone();
    let refused = LearningRecord { answer: "a \0 in it".into(), ..sample_record(1) };
    let records = [refused, sample_record(2), sample_record(3)]
        .map(|record| LearningRecord { project_key: project_key.clone(), ..record });
    stage.store.commit(&records.clone().map(|r| Change::PutRecord(Box::new(r)))).unwrap();
    stage.start(RunPlan::bounded(1)).await.play_out().await;
    let catalog = stage.store.vector_catalog("words-64", VectorRole::Answer).unwrap();
    let have = records.map(|record| catalog.records.contains(&record.id));
    assert_eq!(have, [false, true, true]);
}

#[tokio::test]
async fn a_user_is_told_once_that_the_embedder_fails_and_nothing_is_lost() {
    for (language, wanted) in [
        (
            ouro_core::Language::English,
            "The embedder `down-8` gives no vectors (vectors of 4 numbers came, not of 8)",
        ),
        (
            ouro_core::Language::Chinese,
            "嵌入模型 `down-8` 无法生成向量（vectors of 4 numbers came, not of 8）",
        ),
    ] {
        let mut stage = Stage::without_embedder();
        stage.config.language = language;
        let events = stage.start(RunPlan::bounded(2)).await.play_out().await;
        let told: Vec<&str> = events
            .iter()
            .filter_map(|e| match e {
                Event::Error { message, .. } => Some(message.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with(wanted), "{told:?}");
        assert_eq!(stage.record_count(), 2);
    }
}

#[tokio::test]
async fn the_statistics_between_two_runs_tell_the_pause_of_the_next_one() {
    let stage = Stage::new();
    let pause = Duration::from_secs(3_600);
    stage.reasoner.questions.lock().unwrap().push_back(Act::Wait(pause));
    let reason = end(&mut stage.start(RunPlan::bounded(1)).await).await;
    let StopReason::InBackoff { until, .. } = reason else { panic!("{reason:?}") };
    let resting = async || {
        let (project, _) = stage.project();
        let clock = stage.clock.as_ref();
        let (config, guard) = (&project.config, &project.guard);
        ouro_engine::resting_stats(project.store, config, guard, clock).await.unwrap()
    };
    let stats = resting().await;
    let errors = WaitReason::InBackoff { consecutive_errors: 1 };
    assert_eq!((stats.wait_reason, stats.waiting_until), (Some(errors), Some(until)));
    stage.clock.advance(pause);
    let stats = resting().await;
    assert_eq!((stats.wait_reason, stats.waiting_until), (None, None));
}

#[tokio::test]
async fn a_store_near_its_limit_is_told_and_a_full_one_ends_the_loop_before_anything_is_asked() {
    let mut stage = Stage::new();
    stage.config.max_store_mb = 100;
    for (mb, told, learnt) in [(89, false, 1), (90, true, 2), (100, true, 2)] {
        stage.store.set_size(mb << 20);
        let mut running = stage.start(RunPlan::bounded(1)).await;
        let events = running.play_out().await;
        let near = HealthIssue::StoreNearLimit { bytes: mb << 20, limit: 100 << 20 };
        assert_eq!(running.handle.stats().health.issues.contains(&near), told, "{mb}");
        assert_eq!(stage.record_count(), learnt, "{mb}");
        let full = matches!(
            events.last(),
            Some(Event::Finished { reason: StopReason::Unhealthy { why }, .. })
                if why.contains("max_store_mb")
        );
        assert_eq!(full, mb == 100, "{events:?}");
    }
    stage.config.max_store_mb = 0;
    let mut running = stage.start(RunPlan::bounded(1)).await;
    running.play_out().await;
    assert_eq!(stage.record_count(), 3);
}
