//! What ends work says so: a setting, which says nothing of the question; a run, also later; a project that is gone.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use ouro_core::{
    Clock as _, Error, ErrorKind, Event, EvolutionStats, Language, ProjectAnalysis, ProjectSource,
    QuestionOutcome, RecordStore as _, Result, StopReason,
};
use ouro_engine::RunPlan;

use crate::{
    end,
    stage::{Act, Stage, question},
};

fn asks_again(stage: &Stage) {
    let same = || Act::Give(vec![question("What does the parser do?")]);
    stage.reasoner.questions.lock().unwrap().extend((0..4).map(|_| same()));
}

#[tokio::test]
async fn a_reasoner_that_costs_nothing_is_not_held_up_by_a_days_tokens() {
    let mut stage = Stage::new();
    stage.config.max_daily_tokens = 1;
    stage.reasoner.free.store(true, Ordering::Relaxed);
    let mut running = stage.start(RunPlan::bounded(3)).await;
    assert_eq!(end(&mut running).await, StopReason::IterationsDone);
    assert_eq!(stage.record_count(), 3);
    let records = stage.store.records(&ouro_core::RecordQuery::default()).unwrap();
    assert!(records.iter().all(|record| record.exploration_path.len() == 1));
}

#[tokio::test]
async fn a_day_with_too_few_tokens_for_an_iteration_starts_none_and_takes_no_question() {
    let mut stage = Stage::new();
    stage.config.max_daily_tokens = 5_000;
    let (project, _events) = stage.project();
    let error = stage.engine.start(project, RunPlan::bounded(1)).await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().starts_with("max_daily_tokens is 5000"), "{error}");
    assert!(stage.reasoner.seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_question_that_a_limit_cut_short_says_so_and_is_asked_again_under_another_limit() {
    for (language, told) in [
        (Language::English, "ended at max_exploration_steps = 1 before enough was found"),
        (Language::Chinese, "探索在 max_exploration_steps = 1 处结束"),
    ] {
        let mut stage = Stage::new();
        stage.config.language = language;
        stage.config.max_exploration_steps = 1;
        asks_again(&stage);
        stage.reasoner.summaries.lock().unwrap().push_back(Act::Fail(ErrorKind::NotFound));
        // Again and again under the same limit, it is refused.
        let mut running = stage.start(RunPlan::bounded(1)).await;
        let events = running.play_out().await;
        let refused: Vec<&String> = events
            .iter()
            .filter_map(|e| match e {
                Event::QuestionRefused { reason, .. } => Some(reason),
                _ => None,
            })
            .collect();
        assert!(refused[0].contains(told), "{refused:?}");
        assert_eq!(refused.len(), 4, "{refused:?}");
        assert_eq!(running.handle.stats().total_questions, 2);
        stage.config.max_exploration_steps = 2;
        asks_again(&stage);
        stage.reasoner.questions.lock().unwrap().truncate(1);
        stage.start(RunPlan::bounded(1)).await.play_out().await;
        let asked = stage.store.guard_state().unwrap().asked;
        let parser = asked.iter().find(|a| a.question == "What does the parser do?").unwrap();
        assert_eq!((parser.outcome, parser.cut_short), (QuestionOutcome::Learned, None));
    }
}

#[tokio::test]
async fn what_nothing_answers_whatever_the_limits_stays_put_aside() {
    let mut stage = Stage::new();
    asks_again(&stage);
    stage.reasoner.summaries.lock().unwrap().push_back(Act::Fail(ErrorKind::NotFound));
    stage.start(RunPlan::bounded(1)).await.play_out().await;
    stage.config.max_exploration_steps = 20;
    asks_again(&stage);
    stage.start(RunPlan::bounded(1)).await.play_out().await;
    let asked = stage.store.guard_state().unwrap().asked;
    let parser = asked.iter().find(|a| a.question == "What does the parser do?").unwrap();
    assert_eq!(parser.outcome, QuestionOutcome::Skipped);
}

#[tokio::test]
async fn no_answer_is_made_up_where_the_tokens_ended_before_the_first_step() {
    let mut stage = Stage::new();
    stage.config.max_tokens_per_iteration = 100;
    stage.reasoner.price.lock().unwrap().prompt = 80;
    let mut running = stage.start(RunPlan::bounded(1)).await;
    let events = running.play_out().await;
    assert!(!events.iter().any(|e| matches!(e, Event::ToolCall { .. })));
    assert_eq!(stage.record_count(), 0);
}

async fn resting(stage: &Stage) -> EvolutionStats {
    let (project, _) = stage.project();
    let (config, guard) = (&project.config, &project.guard);
    ouro_engine::resting_stats(project.store, config, guard, stage.clock.as_ref()).await.unwrap()
}

#[tokio::test]
async fn why_and_when_a_run_ended_is_known_to_who_asks_later() {
    let stage = Stage::new();
    assert_eq!(resting(&stage).await.stop_reason, None);
    stage.start(RunPlan::bounded(1)).await.play_out().await;
    assert_eq!(resting(&stage).await.stop_reason, Some(StopReason::IterationsDone));
    for expected in [StopReason::FullyCovered, StopReason::ProjectUnchanged] {
        stage.reasoner.questions.lock().unwrap().push_back(Act::Give(Vec::new()));
        stage.start(RunPlan::bounded(3)).await.play_out().await;
        let ended = stage.clock.now_ms();
        stage.clock.advance(Duration::from_secs(5_000));
        let stats = resting(&stage).await;
        assert_eq!((stats.stop_reason, stats.phase_since), (Some(expected), ended));
    }
    // One that is stopped writes nothing of its end; what it did before says that it was begun.
    let mut running = stage.start(RunPlan::FOREVER).await;
    running.until(|e| matches!(e, Event::RecordSaved { .. }).then_some(())).await;
    running.handle.stop().await;
    assert_eq!(resting(&stage).await.stop_reason, Some(StopReason::UserStopped));
}

/// A project that was moved away.
struct Gone;

impl ProjectSource for Gone {
    fn refresh(&self, _: &tokio_util::sync::CancellationToken) -> Result<Arc<ProjectAnalysis>> {
        Err(Error::new(ErrorKind::NotFound, "there is no folder my-project"))
    }
}

#[tokio::test]
async fn a_project_that_is_gone_ends_the_loop_with_a_sentence_and_takes_no_question() {
    for (language, told) in [
        (Language::English, "the project is not where it was"),
        (Language::Chinese, "项目已不在原处"),
    ] {
        let mut stage = Stage::new();
        stage.config.language = language;
        let (mut project, events) = stage.project();
        project.source = Arc::new(Gone);
        let mut running = stage.run(project, events, RunPlan::FOREVER).await;
        let reason = end(&mut running).await;
        let StopReason::Unhealthy { why } = reason else { panic!("{reason:?}") };
        assert!(why.contains(told) && why.contains("my-project"), "{why}");
        assert_eq!(running.handle.stats().total_questions, 0);
        assert!(stage.reasoner.seen.lock().unwrap().is_empty());
    }
}
