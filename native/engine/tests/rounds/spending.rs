//! Nothing is spent without a limit, and nothing that was spent is forgotten.

use std::{collections::BTreeSet, sync::atomic::Ordering, time::Duration};

use ouro_core::{
    Clock as _, DayLimit, ErrorKind, Event, RecordQuery, RecordStore as _, StopReason, TokenUsage,
    WaitReason,
};
use ouro_engine::RunPlan;

use crate::{
    end,
    stage::{Act, NOON, Running, Stage, question, read, stop},
    waiting,
};

const PRICE: TokenUsage = TokenUsage { prompt: 10, completion: 1, estimated: false };

fn priced() -> Stage {
    let stage = Stage::new();
    *stage.reasoner.price.lock().unwrap() = PRICE;
    stage
}

/// The same question, so many times.
fn repeats_itself(stage: &Stage, times: usize) {
    let same = || Act::Give(vec![question("What does the parser do?")]);
    stage.reasoner.questions.lock().unwrap().extend((0..times).map(|_| same()));
}

async fn asked(running: &mut Running) -> String {
    running
        .until(|e| match e {
            Event::Question { question, .. } => Some(question.question.clone()),
            _ => None,
        })
        .await
}

#[tokio::test]
async fn a_pause_that_is_asked_for_in_mid_exploration_is_kept_and_the_exploration_goes_on() {
    let stage = Stage::new();
    let half_an_hour = Duration::from_secs(1_800);
    stage.reasoner.actions.lock().unwrap().extend([
        Act::Give(read("src/a.rs")),
        Act::Wait(half_an_hour),
        Act::Give(read("src/b.rs")),
        Act::Give(stop()),
    ]);
    let mut running = stage.start(RunPlan::FOREVER).await;
    let first = asked(&mut running).await;
    let (reason, until) = waiting(&mut running).await;
    assert_eq!(stage.record_count(), 0, "nothing more was asked of the model");
    assert_eq!(reason, WaitReason::InBackoff { consecutive_errors: 1 });
    assert_eq!(until, Some(NOON + 1_800_000));
    running.sleep_until(until.unwrap()).await;
    assert_eq!(asked(&mut running).await, first);
    running.until(|e| matches!(e, Event::RecordSaved { .. }).then_some(())).await;
    waiting(&mut running).await;
    running.handle.stop().await;
    let records = stage.store.records(&RecordQuery::default()).unwrap();
    assert_eq!(records[0].exploration_path.len(), 2, "what was explored before was kept");
    let stats = running.handle.stats();
    assert_eq!((stats.total_questions, stats.consecutive_errors), (1, 0));
}

#[tokio::test]
async fn a_summary_that_the_model_has_no_time_for_is_made_up_for() {
    let mut stage = Stage::new();
    stage.config.interval_ms = 0;
    stage.reasoner.summaries.lock().unwrap().push_back(Act::Fail(ErrorKind::Unavailable));
    let mut running = stage.start(RunPlan::bounded(2)).await;
    assert_eq!(end(&mut running).await, StopReason::IterationsDone);
    assert_eq!((stage.record_count(), running.handle.stats().total_questions), (1, 1));
}

#[tokio::test]
async fn an_exploration_that_is_broken_off_again_and_again_is_summed_up_with_what_it_has() {
    let mut stage = Stage::new();
    stage.config.interval_ms = 0;
    stage.reasoner.actions.lock().unwrap().extend([
        Act::Give(read("src/a.rs")),
        Act::Fail(ErrorKind::RateLimited),
        Act::Give(read("src/b.rs")),
        Act::Fail(ErrorKind::RateLimited),
        Act::Fail(ErrorKind::RateLimited),
        // Would be asked for next.
        Act::Give(read("src/c.rs")),
    ]);
    let mut running = stage.start(RunPlan::bounded(4)).await;
    assert_eq!(end(&mut running).await, StopReason::IterationsDone);
    let records = stage.store.records(&RecordQuery::default()).unwrap();
    assert_eq!(records.len(), 1, "{records:#?}");
    let read: Vec<_> = records[0].exploration_path.iter().map(|s| &s.parameters["path"]).collect();
    assert_eq!(read, ["src/a.rs", "src/b.rs"]);
    let stats = running.handle.stats();
    assert_eq!((stats.total_questions, stats.consecutive_errors), (1, 0));
    assert!(stage.store.in_flight().unwrap().is_none());
}

#[tokio::test]
async fn a_summary_that_never_comes_ends_an_exploration_that_was_broken_off() {
    let mut stage = Stage::new();
    stage.config.interval_ms = 0;
    stage.config.max_consecutive_errors = 100;
    let busy = || Act::Fail(ErrorKind::RateLimited);
    let actions = [Act::Give(read("src/a.rs")), busy(), busy(), busy()];
    stage.reasoner.actions.lock().unwrap().extend(actions);
    let summaries = (0..3).map(|_| Act::Fail(ErrorKind::RateLimited));
    stage.reasoner.summaries.lock().unwrap().extend(summaries);
    let mut running = stage.start(RunPlan::bounded(7)).await;
    assert_eq!(end(&mut running).await, StopReason::IterationsDone);
    assert_eq!((stage.record_count(), running.handle.stats().total_questions), (1, 2));
}

#[tokio::test]
async fn a_question_that_the_model_never_has_time_for_does_not_hold_up_the_others() {
    let mut stage = Stage::new();
    stage.config.interval_ms = 0;
    let never = (0..3).map(|_| Act::Fail(ErrorKind::RateLimited));
    stage.reasoner.actions.lock().unwrap().extend(never);
    let mut running = stage.start(RunPlan::bounded(4)).await;
    let events = running.play_out().await;
    let asked = events.iter().filter_map(|e| match e {
        Event::Question { question, .. } => Some(question.question.as_str()),
        _ => None,
    });
    let asked: Vec<&str> = asked.collect();
    assert_eq!(asked.len(), 4, "{asked:?}");
    assert_eq!(asked.into_iter().collect::<BTreeSet<_>>().len(), 2);
    assert_eq!((stage.record_count(), running.handle.stats().consecutive_errors), (1, 0));
}

#[tokio::test]
async fn a_model_that_proposes_nothing_new_is_asked_ever_more_seldom() {
    let mut stage = Stage::new();
    stage.config.interval_ms = 100;
    repeats_itself(&stage, 1_000);
    let mut running = stage.start(RunPlan::FOREVER).await;
    let mut pauses = Vec::new();
    for _ in 0..16 {
        let (reason, until) = waiting(&mut running).await;
        pauses.push((reason, until.unwrap() - stage.clock.now_ms()));
        running.sleep_until(until.unwrap()).await;
    }
    assert_eq!(pauses[0], (WaitReason::Interval, 100), "one was learnt");
    assert!(pauses.windows(2).all(|two| two[0].1 <= two[1].1), "{pauses:?}");
    assert_eq!(pauses[15], (WaitReason::ConsecutiveDuplicates, 3_600_000));

    let rest = waiting(&mut running).await;
    running.handle.stop().await;
    let mut running = stage.start(RunPlan::FOREVER).await;
    assert_eq!(waiting(&mut running).await, rest, "a restart is no way around it");
    running.handle.project_changed();
    let (_, until) = waiting(&mut running).await;
    let pause = until.unwrap() - stage.clock.now_ms();
    assert!(pause < 2_000, "a changed project is worth another look at once: {pause}");

    stage.reasoner.questions.lock().unwrap().clear();
    running.sleep_until(until.unwrap()).await;
    running.until(|e| matches!(e, Event::RecordSaved { .. }).then_some(())).await;
    assert_eq!(waiting(&mut running).await.0, WaitReason::Interval);
    running.handle.stop().await;
}

#[tokio::test]
async fn a_round_that_was_paid_for_takes_its_unit_of_the_day_even_if_it_brings_no_question() {
    for (price, refused_rounds, reason) in [
        (PRICE, 2, WaitReason::QuotaExhausted { which: DayLimit::Questions }),
        (TokenUsage::default(), 9, WaitReason::ConsecutiveDuplicates),
    ] {
        let mut stage = Stage::new();
        *stage.reasoner.price.lock().unwrap() = price;
        stage.config.max_daily_questions = 3;
        repeats_itself(&stage, 1_000);
        let mut running = stage.start(RunPlan::FOREVER).await;
        for _ in 0..=refused_rounds {
            let (_, until) = waiting(&mut running).await;
            running.sleep_until(until.unwrap()).await;
        }
        assert_eq!(waiting(&mut running).await.0, reason);
        running.handle.stop().await;
    }
}

/// An iteration of the stage: a question, two steps and an answer.
const ITERATION: u64 = 4 * (PRICE.prompt + PRICE.completion);

#[tokio::test]
async fn a_day_has_so_many_tokens_and_an_iteration_that_may_need_more_waits_for_the_next() {
    let mut stage = priced();
    stage.config.max_tokens_per_iteration = 100;
    // Of a second iteration's 100 there are but 60 left after the first.
    stage.config.max_daily_tokens = ITERATION + 99;
    let mut running = stage.start(RunPlan::FOREVER).await;
    let (reason, until) = waiting(&mut running).await;
    assert_eq!(reason, WaitReason::Interval);
    running.sleep_until(until.unwrap()).await;
    let (reason, midnight) = waiting(&mut running).await;
    assert_eq!(reason, WaitReason::QuotaExhausted { which: DayLimit::Tokens });
    assert_eq!(midnight, Some(NOON + 12 * 3_600_000));
    running.handle.stop().await;
    assert_eq!(stage.record_count(), 1);

    // Neither another process nor a clock that is set back to yesterday brings new ones.
    for back in [0, 86_400_000] {
        stage.clock.set_wall(stage.clock.now_ms() - back);
        let stopped = end(&mut stage.start(RunPlan::bounded(1)).await).await;
        assert!(matches!(stopped, StopReason::QuotaExhausted { .. }), "{stopped:?}");
    }
    stage.clock.set_wall(midnight.unwrap());
    let stopped = end(&mut stage.start(RunPlan::bounded(1)).await).await;
    assert_eq!(stopped, StopReason::IterationsDone);
    assert_eq!(stage.record_count(), 2);
}

#[tokio::test]
async fn a_thought_is_told_the_tokens_that_the_day_has_left() {
    let mut stage = priced();
    stage.config.max_daily_tokens = 1_000;
    stage.config.max_tokens_per_iteration = 1_000;
    end(&mut stage.start(RunPlan::bounded(1)).await).await;
    let asked = stage.reasoner.seen.lock().unwrap();
    assert_eq!(asked.first().unwrap().tokens_left, 1_000);
}

/// What the run tells, what is stored, and what it really cost are the same.
fn nothing_is_forgotten(stage: &Stage, running: &Running, case: &str) {
    let told = running.handle.stats().tokens_today;
    let thoughts = stage.reasoner.thoughts.load(Ordering::Relaxed);
    assert!(thoughts > 2, "{case}: {thoughts}");
    let cost = (thoughts * PRICE.prompt, thoughts * PRICE.completion);
    assert_eq!((told.prompt, told.completion), cost, "{case}");
    assert_eq!(stage.store.counters().unwrap().tokens_today, told, "{case}");
}

#[tokio::test]
async fn what_was_paid_for_is_counted_when_the_run_is_stopped_in_the_middle() {
    for (case, thoughts) in [("second step", 3), ("summary", 4)] {
        let stage = priced();
        if case == "summary" {
            stage.reasoner.summaries.lock().unwrap().push_back(Act::Hang);
        } else {
            let actions = [Act::Give(read("src/a.rs")), Act::Hang];
            stage.reasoner.actions.lock().unwrap().extend(actions);
        }
        let running = stage.start(RunPlan::bounded(1)).await;
        while stage.reasoner.thoughts.load(Ordering::Relaxed) < thoughts {
            tokio::task::yield_now().await;
        }
        running.handle.stop().await;
        nothing_is_forgotten(&stage, &running, case);
    }
}

#[tokio::test]
async fn what_was_paid_for_is_counted_when_nothing_is_learnt_from_it() {
    for case in ["all refused", "failed and analysed"] {
        let stage = priced();
        if case == "all refused" {
            repeats_itself(&stage, 100);
        } else {
            let reply = Act::Fail(ErrorKind::BadReply);
            stage.reasoner.summaries.lock().unwrap().push_back(reply);
        }
        let mut running = stage.start(RunPlan::bounded(2)).await;
        running.play_out().await;
        nothing_is_forgotten(&stage, &running, case);
    }
}

#[tokio::test]
async fn a_thought_that_the_time_limit_cuts_off_is_counted() {
    let stage = priced();
    let actions = [Act::Give(read("src/a.rs")), Act::Hang];
    stage.reasoner.actions.lock().unwrap().extend(actions);
    let mut running = stage.start(RunPlan::bounded(1)).await;
    while stage.reasoner.thoughts.load(Ordering::Relaxed) < 3 {
        tokio::task::yield_now().await;
    }
    stage.clock.advance(Duration::from_millis(stage.config.exploration_timeout_ms));
    assert_eq!(end(&mut running).await, StopReason::IterationsDone);
    assert_eq!(stage.record_count(), 1);
    nothing_is_forgotten(&stage, &running, "time limit");
}

#[tokio::test]
async fn a_failure_is_analysed_behind_the_pause_that_it_brought_and_within_the_next_iteration() {
    let mut stage = priced();
    stage.config.max_tokens_per_iteration = 1_000;
    stage.reasoner.summaries.lock().unwrap().push_back(Act::Fail(ErrorKind::BadReply));
    let mut running = stage.start(RunPlan::bounded(2)).await;
    let (reason, until) = waiting(&mut running).await;
    assert_eq!(reason, WaitReason::InBackoff { consecutive_errors: 1 });
    assert_eq!(*stage.reasoner.left_for_analysis.lock().unwrap(), None, "it is paused");
    running.sleep_until(until.unwrap()).await;
    end(&mut running).await;
    assert_eq!(*stage.reasoner.left_for_analysis.lock().unwrap(), Some(1_000));
    let records = stage.store.records(&RecordQuery::default()).unwrap();
    assert_eq!(records[0].tokens.total(), 5 * PRICE.total(), "the analysis belongs to it");
}

#[tokio::test]
async fn an_analysis_of_a_failure_that_never_comes_is_given_up_and_counted() {
    let stage = priced();
    stage.reasoner.summaries.lock().unwrap().push_back(Act::Fail(ErrorKind::BadReply));
    stage.reasoner.analyses.lock().unwrap().push_back(Act::Hang);
    let mut running = stage.start(RunPlan::bounded(3)).await;
    let (_, until) = waiting(&mut running).await;
    running.sleep_until(until.unwrap()).await;
    while stage.reasoner.thoughts.load(Ordering::Relaxed) < 4 {
        tokio::task::yield_now().await;
    }
    stage.clock.advance(Duration::from_millis(stage.config.exploration_timeout_ms));
    assert_eq!(end(&mut running).await, StopReason::IterationsDone);
    nothing_is_forgotten(&stage, &running, "an analysis");
    let analysed = stage.store.guard_state().unwrap().failures.iter().any(|f| f.strategy.is_some());
    assert!(!analysed, "and not tried again");
}

#[tokio::test]
async fn what_an_iteration_may_cost_is_shared_by_all_its_attempts() {
    let mut stage = priced();
    stage.config.max_tokens_per_iteration = 100;
    let nothing = (0..9).map(|_| Act::Fail(ErrorKind::NotFound));
    stage.reasoner.summaries.lock().unwrap().extend(nothing);
    let mut running = stage.start(RunPlan::bounded(1)).await;
    let events = running.play_out().await;
    let spent = events.iter().filter_map(|e| match e {
        Event::Tokens { iteration } => Some(iteration.total()),
        _ => None,
    });
    // Two with a question and two steps each; the third had but its question left.
    assert_eq!(spent.max(), Some(7 * PRICE.total()));
    assert_eq!(stage.reasoner.seen.lock().unwrap().len(), 3);
}
