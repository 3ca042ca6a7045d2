//! A crash after every single write: whatever the live guard knows, one that is opened from the store knows too.

use std::time::Duration;

use ouro_core::{
    AvoidStrategy, Change, ErrorKind, FreshnessStamp, OperationKind, QuestionOutcome, QuotaKind,
    RecordStore, ToolResult,
};
use ouro_guard::{DoomLoopGuard, QuotaUnit};
use proptest::prelude::*;
use serde_json::json;

use crate::fixture::{Fixture, error, question};

const QUESTIONS: [&str; 4] = [
    "how does the store write records",
    "which grammar parses kotlin",
    "who draws the board of the game",
    "where are limits of quota set",
];

#[derive(Debug, Clone)]
enum Step {
    Consume(QuotaKind),
    Release,
    Admit(usize),
    AdmitAgain(usize),
    Learn(usize),
    PutAside(usize, QuestionOutcome),
    Delete(usize),
    Fail(usize, ErrorKind),
    FailTool(usize, ErrorKind),
    Succeed(usize),
    Tool(usize),
    Strategy,
    Forget,
    Pass(Duration),
    /// The process ends and starts anew.
    Restart,
}

fn any_step() -> impl Strategy<Value = Step> {
    let question = 0..QUESTIONS.len();
    let kind = prop::sample::select(vec![
        ErrorKind::Timeout,
        ErrorKind::BadReply,
        ErrorKind::Internal,
        ErrorKind::Cancelled,
    ]);
    let outcome = prop::sample::select(vec![QuestionOutcome::Failed, QuestionOutcome::Skipped]);
    let quota = prop::sample::select(vec![QuotaKind::Questions, QuotaKind::Explorations]);
    prop_oneof![
        1 => quota.prop_map(Step::Consume),
        1 => Just(Step::Release),
        4 => question.clone().prop_map(Step::Admit),
        1 => question.clone().prop_map(Step::AdmitAgain),
        3 => question.clone().prop_map(Step::Learn),
        1 => (question.clone(), outcome).prop_map(|(q, o)| Step::PutAside(q, o)),
        1 => question.clone().prop_map(Step::Delete),
        2 => (question.clone(), kind.clone()).prop_map(|(q, k)| Step::Fail(q, k)),
        1 => (question.clone(), kind).prop_map(|(q, k)| Step::FailTool(q, k)),
        1 => question.clone().prop_map(Step::Succeed),
        2 => question.prop_map(Step::Tool),
        1 => Just(Step::Strategy),
        1 => Just(Step::Forget),
        2 => (0_u64..100_000).prop_map(|s| Step::Pass(Duration::from_secs(s))),
        1 => Just(Step::Restart),
    ]
}

/// Everything that can be seen of a guard.
async fn seen(guard: &DoomLoopGuard) -> String {
    let mut verdicts = Vec::new();
    for text in QUESTIONS {
        verdicts.push(guard.check_question(text).await.to_json());
        verdicts.push(guard.check_question(&format!("{text} here")).await.to_json());
        verdicts.push(guard.check_tool_call("read", &json!({ "q": text }), None).to_json());
    }
    let told = (guard.remaining(), guard.backoff(), guard.put_aside_questions());
    format!("{verdicts:#?} {told:#?} {} {:#?}", guard.missing_vectors(), guard.failures())
}

struct Run {
    f: Fixture,
    guard: DoomLoopGuard,
    units: Vec<QuotaUnit>,
}

impl Run {
    async fn step(&mut self, step: &Step) {
        let guard = self.guard.clone();
        let exploration = OperationKind::Exploration;
        // What a full store refuses is not done, and the step is over.
        match step {
            Step::Consume(kind) => self.units.extend(guard.try_consume(*kind).await.ok()),
            Step::Release => {
                if let Some(unit) = self.units.pop() {
                    let _ = guard.release(unit).await;
                }
            }
            Step::Admit(q) => {
                let admitted = guard.admit_question(&question(QUESTIONS[*q]), Vec::new()).await;
                self.units.extend(admitted.ok().map(|a| a.unit));
            }
            Step::AdmitAgain(q) => {
                let admitted = guard.admit_again(&question(QUESTIONS[*q]), Vec::new()).await;
                self.units.extend(admitted.ok().map(|a| a.unit));
            }
            Step::Learn(q) => {
                let record = self.f.new_record(QUESTIONS[*q]);
                let mut prepared = guard.prepare_learned(QUESTIONS[*q], record.id).await;
                let mut changes = vec![Change::PutRecord(Box::new(record))];
                changes.extend(prepared.take_changes());
                if self.f.store.commit(&changes).is_ok() {
                    guard.apply(prepared);
                }
            }
            Step::PutAside(q, outcome) => {
                let prepared = guard.prepare_put_aside(QUESTIONS[*q], *outcome);
                self.write(prepared);
            }
            Step::Delete(n) => {
                let records = self.f.store.memory().unwrap().learning_record_ids;
                if let Some(id) = records.get(*n) {
                    self.write(guard.prepare_delete(*id));
                }
            }
            Step::Fail(q, kind) => {
                let _ = guard
                    .record_failure(exploration, QUESTIONS[*q], &error(*kind), &json!({}))
                    .await;
            }
            Step::FailTool(q, kind) => {
                let arguments = json!({ "q": QUESTIONS[*q] });
                let stamp = None::<&FreshnessStamp>;
                let _ = guard.record_tool_failure("read", &arguments, stamp, &error(*kind)).await;
            }
            Step::Succeed(q) => {
                let _ = guard.record_success(exploration, QUESTIONS[*q], &json!({})).await;
            }
            Step::Tool(q) => {
                let result = ToolResult { content: format!("{q}"), ..ToolResult::default() };
                let arguments = json!({ "q": QUESTIONS[*q] });
                self.write(guard.prepare_tool_result("read", &arguments, None, &result));
            }
            Step::Strategy => {
                let strategy = AvoidStrategy {
                    cause: "c".into(),
                    avoid_strategy: "a".into(),
                    ..AvoidStrategy::default()
                };
                if let Some(record) = guard.failures().first() {
                    let _ = guard.set_strategy(&record.signature, strategy).await;
                }
            }
            Step::Forget => {
                if let Some(record) = guard.failures().last() {
                    let _ = guard.forget(&record.id.to_string()).await;
                }
            }
            Step::Pass(time) => self.f.clock.advance(*time),
            Step::Restart => self.guard = self.f.open(),
        }
    }

    fn write(&self, prepared: ouro_guard::PreparedChange) {
        if self.f.store.commit(prepared.changes()).is_ok() {
            self.guard.apply(prepared);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_is_lost_and_nothing_counts_that_was_not_written(
        steps in prop::collection::vec((any_step(), prop::bool::weighted(0.2)), 1..25),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let f = Fixture::with(|config| config.max_daily_questions = 6);
            let guard = f.open();
            let mut run = Run { f, guard, units: Vec::new() };
            for (step, full) in &steps {
                if *full {
                    run.f.store.fail_next_commits(1, ErrorKind::Storage);
                }
                run.step(step).await;
                if *full {
                    // A failure that the step didn't meet must not hit a later one.
                    let _ = run.f.store.commit(&[]);
                }
                // A check writes what a full store made the guard owe.
                run.guard.check_question("anything else").await;
                // The questions that are explored right now are known to the live guard by their vectors too; a process that
                // starts anew resumes or forgets them. Text, counts and everything else must be the same.
                run.settle().await;
                let (live, reopened) = (seen(&run.guard).await, seen(&run.f.open()).await);
                let differs = live.lines().zip(reopened.lines()).find(|(a, b)| a != b);
                prop_assert_eq!((differs, live.len()), (None, reopened.len()), "after {:?}", step);
            }
            Ok(())
        })?;
    }
}

impl Run {
    /// Ends the explorations that are going on in memory.
    async fn settle(&self) {
        for asked in self.f.store.guard_state().unwrap().asked {
            if asked.outcome == QuestionOutcome::Started {
                self.write(self.guard.prepare_put_aside(&asked.question, QuestionOutcome::Failed));
            }
        }
    }
}

#[tokio::test]
async fn a_crash_between_the_commit_and_its_application_loses_nothing() {
    let f = Fixture::new();
    let guard = f.open();
    let arguments = json!({ "path": "a" });
    let tool = guard.prepare_tool_result("read", &arguments, None, &ToolResult::default());
    f.store.commit(tool.changes()).unwrap();
    let record = f.new_record(QUESTIONS[0]);
    let learned = guard.prepare_learned(QUESTIONS[0], record.id).await;
    let mut changes = vec![Change::PutRecord(Box::new(record))];
    changes.extend(learned.changes().iter().cloned());
    f.store.commit(&changes).unwrap();
    // Neither was applied.
    assert!(!guard.check_tool_call("read", &arguments, None).should_skip());
    let reopened = f.open();
    assert!(reopened.check_tool_call("read", &arguments, None).should_skip());
    assert!(reopened.check_question(&format!("{} here", QUESTIONS[0])).await.should_skip());
    assert_eq!(reopened.missing_vectors(), 0);
}

#[test]
fn a_caller_that_gives_up_leaves_a_whole_change_or_none() {
    let f = Fixture::new();
    let guard = f.open();
    for n in 0..20 {
        let text = format!("word{n}");
        let question = question(&text);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        // Polled some times, then dropped wherever it is.
        runtime.block_on(async {
            tokio::select! {
                biased;
                _ = guard.admit_question(&question, Vec::new()) => {}
                () = async { for _ in 0..n { tokio::task::yield_now().await } } => {}
            }
        });
        // Waits for what is being written; what has not begun never will.
        drop(runtime);
        let asked = f.store.guard_state().unwrap().asked.len();
        assert_eq!(guard.remaining(), f.open().remaining());
        assert_eq!(guard.remaining().questions_remaining, 50 - u32::try_from(asked).unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let known =
            |guard: &DoomLoopGuard| runtime.block_on(guard.check_question(&text)).should_skip();
        assert_eq!(known(&guard), known(&f.open()));
    }
}
