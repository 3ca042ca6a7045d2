//! Finds the next question: what has become stale first, then what the reasoner proposes and the guard admits.

use std::sync::Arc;

use ouro_core::{
    AskedQuestion, AvoidStrategy, Change, Event, Freshness, InFlight, LearningRecord,
    OperationKind, Phase, ProjectAnalysis, ProjectMemory, Question, QuestionOutcome,
    QuestionRequest, RecordId, Result,
};
use ouro_guard::SkipReason;
use serde_json::Value;

use crate::{Project, coverage, messages::refusal_message, model::is_unpaid, status::Status};

/// How failures to find a question are called.
pub(crate) const GENERATE: &str = "generate questions";

/// A question that the guard let in; its unit of quota is spent.
#[derive(Debug)]
pub(crate) struct Admitted {
    pub(crate) question: Question,
    /// How to avoid an earlier failure of it.
    pub(crate) advice: Option<AvoidStrategy>,
    /// The stale record that its answer will replace.
    pub(crate) supersedes: Option<RecordId>,
}

/// How the search for a question ended.
#[derive(Debug)]
pub(crate) enum Search {
    /// With a question.
    Found(Box<Admitted>),
    /// The reasoner has nothing left to ask.
    NothingLeft,
    /// Everything proposed was refused; so many in a row were asked before.
    AllRefused { duplicates: u32 },
    /// The guard lets nothing in for now: quota or backoff.
    Closed(SkipReason),
}

/// What a search may look at.
pub(crate) struct Knowledge {
    pub(crate) analysis: Arc<ProjectAnalysis>,
    /// Records that were not superseded, newest first.
    pub(crate) records: Arc<Vec<LearningRecord>>,
    pub(crate) memory: ProjectMemory,
}

/// Looks for the next question.
pub(crate) async fn search(
    project: &Project,
    status: &Status,
    knowledge: &Knowledge,
) -> Result<Search> {
    let put_aside = project.guard.put_aside_questions();
    if let Some(stale) = next_renewal(knowledge, &put_aside) {
        let question = question_of(stale);
        let also = begin(project, status, &question);
        return Ok(match project.guard.admit_again(&question, also).await {
            Ok(admission) => {
                began(status);
                let (advice, supersedes) = (admission.advice, Some(stale.id));
                Search::Found(Box::new(Admitted { question, advice, supersedes }))
            }
            Err(reason) => Search::Closed(reason),
        });
    }
    let config = project.config.effective();
    let advice = project.guard.advice(OperationKind::GenerateQuestions, GENERATE);
    let mut rejected: Vec<(String, String)> = Vec::new();
    let mut duplicates = 0;
    for _ in 0..=config.max_question_retries {
        let proposed = project
            .reasoner
            .generate_questions(QuestionRequest {
                count: usize::try_from(config.questions_per_iteration).unwrap_or(usize::MAX),
                language: config.language,
                analysis: knowledge.analysis.clone(),
                records: knowledge.records.clone(),
                gaps: knowledge.memory.knowledge_gaps.clone(),
                put_aside: put_aside.iter().map(|asked| asked.question.clone()).collect(),
                rejected: rejected.clone(),
                advice: advice.clone(),
                tools: project.tools.specs().map(|tool| tool.name.clone()).collect(),
                uncovered: coverage::uncovered(&knowledge.analysis, &knowledge.records),
                tokens_left: status.tokens_left(project),
            })
            .await;
        let thought = match proposed {
            // What was asked for before has used up what one more try needs.
            Err(error) if !rejected.is_empty() && is_unpaid(&error) => break,
            proposed => proposed?,
        };
        status.account(project, &thought).await?;
        let kind = OperationKind::GenerateQuestions;
        project.guard.record_success(kind, GENERATE, &Value::Null).await?;
        let mut proposed = thought.value;
        if proposed.is_empty() {
            // Whatever it would have asked before it said so is answered, too.
            let all_answered = rejected.len() == duplicates as usize;
            return Ok(if all_answered {
                Search::NothingLeft
            } else {
                Search::AllRefused { duplicates }
            });
        }
        proposed.sort_by_key(|q| std::cmp::Reverse(q.priority));
        for (question, refusal) in project.guard.filter_duplicates(proposed).await {
            let also = begin(project, status, &question);
            let admitted = match refusal {
                Some(reason) => Err(reason),
                None => project.guard.admit_question(&question, also).await,
            };
            let reason = match admitted {
                Ok(admission) => {
                    began(status);
                    let advice = admission.advice;
                    let admitted = Admitted { question, advice, supersedes: None };
                    return Ok(Search::Found(Box::new(admitted)));
                }
                // The next one would fare no better.
                Err(
                    reason @ (SkipReason::QuotaExhausted { .. }
                    | SkipReason::InBackoff { .. }
                    | SkipReason::GuardUnavailable { .. }),
                ) => return Ok(Search::Closed(reason)),
                Err(reason) => reason,
            };
            duplicates += u32::from(matches!(reason, SkipReason::Duplicate { .. }));
            refuse(project, &question.question, &reason).await;
            rejected.push((question.question, reason.to_string()));
        }
    }
    Ok(Search::AllRefused { duplicates })
}

/// Says that a question is refused, and why.
async fn refuse(project: &Project, question: &str, reason: &SkipReason) {
    tracing::debug!(project = %project.key, %reason, "question refused");
    let (question, reason) =
        (question.to_owned(), refusal_message(reason, project.config.language));
    project.log(Phase::GeneratingQuestion, Some(&question), Err(&reason)).await;
    (project.events)(Event::QuestionRefused { question, reason });
}

/// What is written together with the admission, so that a crash never forgets a question that was taken up.
fn begin(project: &Project, status: &Status, question: &Question) -> Vec<Change> {
    let live = status.snapshot();
    let mut counters = live.counters;
    counters.total_questions += 1;
    let in_flight = InFlight {
        question: question.clone(),
        started_at: project.clock.now_ms(),
        observations: Vec::new(),
        tokens: live.iteration_tokens,
    };
    vec![Change::PutCounters(counters), Change::PutInFlight(Some(Box::new(in_flight)))]
}

fn began(status: &Status) {
    status.update(|live| live.counters.total_questions += 1);
}

/// The record to answer anew: what the user asks for again before what has become stale or is contradicted, the oldest wish
/// first.
fn next_renewal<'k>(
    knowledge: &'k Knowledge,
    put_aside: &[Arc<AskedQuestion>],
) -> Option<&'k LearningRecord> {
    knowledge
        .records
        .iter()
        .filter_map(|record| match &record.freshness {
            Freshness::AskedAgain { since } => Some((0, *since, record)),
            // A user's own words are never replaced by a model's, unless they ask for it.
            Freshness::Stale { since, .. } | Freshness::Contradicted { since, .. }
                if record.correction.is_none() =>
            {
                Some((1, *since, record))
            }
            _ => None,
        })
        .filter(|(_, since, record)| !is_given_up(knowledge, put_aside, record, *since))
        .min_by_key(|(rank, since, record)| (*rank, *since, record.id))
        .map(|(_, _, record)| record)
}

/// Whether a record was explored anew in vain, and none of its files has changed after that: what it was about is gone.
fn is_given_up(
    knowledge: &Knowledge,
    put_aside: &[Arc<AskedQuestion>],
    record: &LearningRecord,
    since: i64,
) -> bool {
    let in_vain = put_aside.iter().find(|asked| {
        asked.outcome == QuestionOutcome::Skipped
            && asked.question == record.question
            && asked.at >= since
    });
    in_vain.is_some_and(|asked| {
        let files = record.source_files.iter().filter_map(|s| knowledge.analysis.file(&s.path));
        !files.into_iter().any(|file| file.modified_at > asked.at)
    })
}

fn question_of(record: &LearningRecord) -> Question {
    Question {
        question: record.question.clone(),
        question_type: record.question_type,
        priority: 10,
        reason: match record.freshness {
            Freshness::AskedAgain { .. } => "the user asks for it again".into(),
            Freshness::Contradicted { .. } => "a later answer says otherwise".into(),
            _ => "a file that the answer rests on has changed".into(),
        },
        suggested_tools: Vec::new(),
        expected_outcome: String::new(),
        topic: record.topic.clone(),
    }
}
