//! One iteration: load what is known, find a question, explore it, write down the answer.

use std::sync::Arc;

use ouro_core::{
    Change, Error, ErrorClass, ErrorKind, Event, EvolutionConfig, EvolutionLog, FailureRecord,
    FailureStatus, Freshness, InFlight, LearningRecord, OperationKind, Phase, QuestionOutcome,
    QuotaKind, Result, SummaryRequest, TokenUsage, clock::with_timeout,
};
use ouro_guard::{PreparedChange, SkipReason};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::{
    Project,
    blocking::blocking,
    current_records::CurrentRecords,
    explorer::{End, Exploration, SUMMARY_SHARE},
    freshness,
    messages::cut_short_message,
    model::is_unpaid,
    questions::{self, Admitted, Knowledge, Search},
    recorder::{self, Finding},
    spans,
    status::Status,
};

/// An interrupted exploration older than this starts over: its results may no longer be true. Milliseconds.
const RESUME_WITHIN_MS: i64 = 3_600_000;

/// Questions embedded at the start of an iteration, when a new embedder has none of them yet.
const REEMBED_BATCH: usize = 256;

/// As [`REEMBED_BATCH`], of answers, which are longer.
const ANSWERS_BATCH: usize = 32;

/// How often an exploration that a busy reasoner breaks off is begun. A question that is too much for a server, which says "too
/// many requests" to it for ever, must not hold up the others: after that, it is summed up with what it has.
pub(crate) const MAX_BEGINNINGS: u32 = 3;

/// Questions in one iteration whose exploration brings nothing to answer them with, before it gives up.
const MAX_UNANSWERED: u32 = 5;

/// How an iteration ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// With a record.
    Learned,
    /// Everything worth asking is answered.
    NothingToAsk { fingerprint: String },
    /// Every question proposed was refused; so many of them as duplicates.
    AllRefused { duplicates: u32 },
    /// The guard is closed for now.
    Closed(SkipReason),
}

/// What failed, and while doing what.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Box<Error>,
    pub(crate) kind: OperationKind,
    /// The question, when there was one.
    pub(crate) question: Option<String>,
}

trait During<T> {
    fn during(self, kind: OperationKind, question: Option<&str>) -> Result<T, Failure>;
}

impl<T> During<T> for Result<T> {
    fn during(self, kind: OperationKind, question: Option<&str>) -> Result<T, Failure> {
        self.map_err(|error| Failure {
            error: Box::new(error),
            kind,
            question: question.map(str::to_owned),
        })
    }
}

/// Runs one iteration. Dropping the future is a clean stop: what was begun is resumed by the next one.
pub(crate) async fn run(
    project: &Project,
    status: &Status,
    records: &Arc<CurrentRecords>,
    cancel: &CancellationToken,
) -> Result<Outcome, Failure> {
    status.update(|live| live.iteration_tokens = TokenUsage::default());
    let least = project.config.effective().max_tokens_per_iteration / SUMMARY_SHARE;
    for attempts in 0..MAX_UNANSWERED {
        match attempt(project, status, records, cancel).await {
            // The attempts before it have used up what this one needs.
            Err(failure) if attempts > 0 && is_unpaid(&failure.error) => break,
            done => {
                if let Some(outcome) = done? {
                    return Ok(outcome);
                }
            }
        }
        // All attempts share what the iteration may cost, and an answer has to fit in as well.
        if status.tokens_left(project) <= least {
            break;
        }
    }
    Ok(Outcome::AllRefused { duplicates: 0 })
}

/// One question from search to record; `None` when it could not be answered and was put aside.
async fn attempt(
    project: &Project,
    status: &Status,
    records: &Arc<CurrentRecords>,
    cancel: &CancellationToken,
) -> Result<Option<Outcome>, Failure> {
    status.enter(project, Phase::LoadingMemory);
    let phase = spans::phase(Phase::LoadingMemory);
    let loaded = load(project, records, cancel).instrument(phase).await;
    let (knowledge, in_flight) = loaded.during(OperationKind::Store, None)?;
    make_up_vectors(project, &knowledge).await;
    let (admitted, resumed) = match in_flight {
        Some(begun) => resume(project, status, &knowledge, begun),
        None => {
            status.enter(project, Phase::GeneratingQuestion);
            let phase = spans::phase(Phase::GeneratingQuestion);
            analyse_failure(project, status).instrument(phase.clone()).await;
            let search = questions::search(project, status, &knowledge).instrument(phase).await;
            let search = search.during(OperationKind::GenerateQuestions, None)?;
            if let Err(reason) = charge_fruitless(project, status, &search).await {
                return Ok(Some(Outcome::Closed(reason)));
            }
            match search {
                Search::Found(admitted) => (*admitted, None),
                Search::NothingLeft => {
                    let fingerprint = knowledge.analysis.fingerprint.clone();
                    return Ok(Some(Outcome::NothingToAsk { fingerprint }));
                }
                Search::AllRefused { duplicates } => {
                    return Ok(Some(Outcome::AllRefused { duplicates }));
                }
                Search::Closed(reason) => return Ok(Some(Outcome::Closed(reason))),
            }
        }
    };
    // A resumed exploration takes a unit too: one that kills its process every time must still hit the cap.
    if let Err(reason) = project.guard.try_consume(QuotaKind::Explorations).await {
        return Ok(Some(Outcome::Closed(reason)));
    }
    let at = project.clock.now_ms();
    (project.events)(Event::Question { question: admitted.question.clone(), at });
    explore_and_record(project, status, records, cancel, knowledge, admitted, resumed).await
}

/// Thoughts that were paid for and brought no question take a unit of the day's questions as well: a reasoner that has nothing
/// new to say must still hit the cap.
async fn charge_fruitless(
    project: &Project,
    status: &Status,
    search: &Search,
) -> Result<(), SkipReason> {
    let fruitless = matches!(search, Search::NothingLeft | Search::AllRefused { .. });
    if fruitless && status.snapshot().iteration_tokens.total() > 0 {
        project.guard.try_consume(QuotaKind::Questions).await?;
    }
    Ok(())
}

/// Brings analysis, records and marks up to date.
pub(crate) async fn load(
    project: &Project,
    current: &Arc<CurrentRecords>,
    cancel: &CancellationToken,
) -> Result<(Knowledge, Option<InFlight>)> {
    let (source, store, current) = (project.source.clone(), project.store.clone(), current.clone());
    let (cancel, now_ms) = (cancel.child_token(), project.clock.now_ms());
    let _end = cancel.clone().drop_guard();
    let (marked, knowledge, in_flight) = blocking(move || {
        let analysis = source.refresh(&cancel)?;
        let records = current.load(store.as_ref())?;
        let marks = freshness::changed_marks(&analysis, &records, now_ms);
        let marked = marks.len();
        if marked > 0 {
            drop(records);
            let changes: Vec<Change> =
                marks.into_iter().map(|r| Change::PutRecord(Box::new(r))).collect();
            current.commit(store.as_ref(), &changes)?;
        }
        let records = current.load(store.as_ref())?;
        let memory = store.memory()?;
        let in_flight = store.in_flight()?;
        Ok((marked, Knowledge { analysis, records, memory }, in_flight))
    })
    .await?;
    if marked > 0 {
        (project.events)(Event::RecordsMarked { count: marked });
    }
    Ok((knowledge, in_flight))
}

/// Embeds a few of the questions and answers that lack a vector of the present embedder.
async fn make_up_vectors(project: &Project, knowledge: &Knowledge) {
    let questions = match project.guard.missing_vectors() {
        0 => Ok(0),
        _ => project.guard.reembed(REEMBED_BATCH).await,
    };
    let answers =
        recorder::make_up_answers(project, knowledge.records.clone(), ANSWERS_BATCH).await;
    for (what, made) in [("questions", questions), ("answers", answers)] {
        match made {
            Ok(0) => {}
            Ok(made) => tracing::debug!(project = %project.key, made, what, "made up vectors"),
            Err(error) => {
                tracing::warn!(project = %project.key, %error, what, "vectors are still missing");
            }
        }
    }
}

/// Takes up an interrupted exploration where it was.
fn resume(
    project: &Project,
    status: &Status,
    knowledge: &Knowledge,
    mut begun: InFlight,
) -> (Admitted, Option<InFlight>) {
    if project.clock.now_ms().saturating_sub(begun.started_at) > RESUME_WITHIN_MS {
        begun.observations.clear();
        begun.tokens = TokenUsage::default();
    }
    status.update(|live| live.iteration_tokens = begun.tokens);
    let is_it = |r: &&LearningRecord| {
        r.question == begun.question.question && r.freshness != Freshness::Fresh
    };
    let supersedes = knowledge.records.iter().find(is_it).map(|r| r.id);
    tracing::info!(project = %project.key, steps = begun.observations.len(), "resuming an interrupted exploration");
    let advice = project.guard.advice(OperationKind::Exploration, &begun.question.question);
    (Admitted { question: begun.question.clone(), advice, supersedes }, Some(begun))
}

/// Asks the reasoner how to avoid a failure, one an iteration, those of the loop itself before those of tools. Here it is not
/// paused, as it was right after the failure. The failure of an analysis is never analysed, nor is the analysis tried again
/// in this run: that would be a loop.
async fn analyse_failure(project: &Project, status: &Status) {
    let Project { clock, config, guard, reasoner, .. } = project;
    let worth_it = |failure: &Arc<FailureRecord>| {
        failure.status == FailureStatus::Pending && failure.error_class != ErrorClass::Transient
    };
    let mut pending: Vec<_> = guard.failures().into_iter().filter(worth_it).collect();
    pending.sort_by_key(|failure| failure.operation_kind == OperationKind::ToolCall);
    let mut untried = pending.into_iter().filter(|failure| status.begin_analysis(failure.id));
    let Some(failure) = untried.next() else { return };
    let thought = reasoner.analyse_failure(&failure, status.tokens_left(project));
    // The loop waits for it.
    let limit = config.exploration_timeout();
    let thought = with_timeout(clock.as_ref(), limit, "the analysis of a failure", thought);
    let kept = match thought.await.and_then(|thought| thought) {
        Ok(thought) => match status.account(project, &thought).await {
            Ok(()) => guard.set_strategy(&failure.signature, thought.value).await.map(|_| ()),
            unpaid => unpaid,
        },
        Err(error) => status.spend(project, error.spent()).await.and(Err(error)),
    };
    if let Err(error) = kept {
        tracing::debug!(project = %project.key, %error, "a failure was not analysed");
    }
}

/// How often the reasoner had no time for an exploration since it last came to its end.
fn times_broken_off(project: &Project, question: &str) -> u32 {
    let is_it = |failure: &&Arc<FailureRecord>| {
        failure.operation_kind == OperationKind::Exploration
            && failure.operation == question
            && failure.status != FailureStatus::Resolved
            && failure.error_class == ErrorClass::Transient
    };
    let failures = project.guard.failures();
    failures.iter().filter(is_it).map(|failure| failure.attempts).max().unwrap_or(0)
}

async fn explore_and_record(
    project: &Project,
    status: &Status,
    records: &Arc<CurrentRecords>,
    cancel: &CancellationToken,
    knowledge: Knowledge,
    admitted: Admitted,
    resumed: Option<InFlight>,
) -> Result<Option<Outcome>, Failure> {
    let question = admitted.question.question.clone();
    let is_to_be_summed_up = resumed.as_ref().is_some_and(|begun| {
        !begun.observations.is_empty() && times_broken_off(project, &question) >= MAX_BEGINNINGS
    });
    status.enter(project, Phase::Exploring);
    let mut exploration = Exploration {
        project,
        status,
        analysis: knowledge.analysis.clone(),
        question: admitted.question.clone(),
        started_at: resumed.as_ref().map_or_else(|| project.clock.now_ms(), |r| r.started_at),
        observations: resumed.map(|r| r.observations).unwrap_or_default(),
        advice: admitted.advice.clone(),
        cancel: cancel.clone(),
    };
    let end = if is_to_be_summed_up {
        Ok(End::Failed)
    } else {
        exploration.run().instrument(spans::phase(Phase::Exploring)).await
    };
    let end = end.during(OperationKind::Exploration, Some(&question))?;
    tracing::debug!(project = %project.key, ?end, steps = exploration.observations.len(), "explored");
    let Exploration { observations, started_at, .. } = exploration;
    let config = project.config.effective();
    if let Some(limit) = limit_of(end, &config).filter(|_| observations.is_empty()) {
        // An answer from nothing would be made up.
        let cut_short = cut_short(project, status, &question, limit).await;
        cut_short.during(OperationKind::Store, Some(&question))?;
        return Ok(None);
    }

    status.enter(project, Phase::Summarizing);
    let phase = spans::phase(Phase::Summarizing);
    let observations = Arc::new(observations);
    let summary = project
        .reasoner
        .summarize(SummaryRequest {
            question: admitted.question.clone(),
            language: config.language,
            analysis: knowledge.analysis.clone(),
            observations: observations.clone(),
            records: knowledge.records.clone(),
            advice: admitted.advice.clone(),
            cite_lines: config.deep_mode,
            tokens_left: status.tokens_left(project),
        })
        .instrument(phase.clone())
        .await;
    let thought = match summary {
        Err(error) if error.kind() == ErrorKind::NotFound || is_unpaid(&error) => {
            let end = if is_unpaid(&error) { End::TokenLimit } else { end };
            let closed = match limit_of(end, &config) {
                Some(limit) => cut_short(project, status, &question, limit).await,
                None => put_aside(project, status, &question, &error).await,
            };
            closed.during(OperationKind::Store, Some(&question))?;
            return Ok(None);
        }
        summary => summary.during(OperationKind::Summarize, Some(&question))?,
    };
    status.account(project, &thought).await.during(OperationKind::Store, Some(&question))?;
    let finding = Finding {
        admitted,
        summary: thought.value,
        observations: Arc::unwrap_or_clone(observations),
        started_at,
    };
    let record = recorder::record(project, status, records, knowledge, finding)
        .instrument(phase)
        .await
        .during(OperationKind::Store, Some(&question))?;
    (project.events)(Event::RecordSaved { record: Box::new(record) });
    let cleared =
        project.guard.record_success(OperationKind::Exploration, &question, &json!({})).await;
    cleared.during(OperationKind::Store, Some(&question))?;
    Ok(Some(Outcome::Learned))
}

/// The setting that ended an exploration however little was found, and its value.
fn limit_of(end: End, config: &EvolutionConfig) -> Option<(&'static str, u64)> {
    match end {
        End::StepLimit => Some(("max_exploration_steps", config.max_exploration_steps.into())),
        End::TimeLimit => Some(("exploration_timeout_ms", config.exploration_timeout_ms)),
        End::TokenLimit => Some(("max_tokens_per_iteration", config.max_tokens_per_iteration)),
        End::Satisfied | End::Enough | End::UnusableCalls | End::Looping | End::Failed => None,
    }
}

/// Closes the books of a question that nothing was found for: no failure, but nothing to try again either.
async fn put_aside(project: &Project, status: &Status, question: &str, why: &Error) -> Result<()> {
    let prepared = project.guard.prepare_put_aside(question, QuestionOutcome::Skipped);
    // The line and the event name the question by themselves.
    let why = why.message();
    let why = why.strip_suffix(question).map_or(why, |w| w.trim_end_matches([':', ' ']));
    close_unanswered(project, status, question, prepared, why).await
}

/// As [`put_aside`], for a question that there was no room for: nothing is known of it, and it is asked again once the limits
/// are others.
async fn cut_short(
    project: &Project,
    status: &Status,
    question: &str,
    (setting, value): (&str, u64),
) -> Result<()> {
    let prepared = project.guard.prepare_cut_short(question, (&project.config).into());
    let why = cut_short_message(setting, value, project.config.language);
    close_unanswered(project, status, question, prepared, &why).await
}

/// Writes that a question got no answer and why, and says so.
async fn close_unanswered(
    project: &Project,
    status: &Status,
    question: &str,
    prepared: PreparedChange,
    why: &str,
) -> Result<()> {
    let now = project.clock.now_ms();
    let mut changes = vec![
        Change::PutInFlight(None),
        Change::AppendLog(EvolutionLog {
            timestamp: now,
            phase: Phase::Summarizing,
            question: Some(question.to_owned()),
            success: false,
            error: Some(why.to_owned()),
            duration_ms: u64::try_from(now - status.snapshot().phase_since).unwrap_or(0),
        }),
    ];
    changes.extend(prepared.changes().iter().cloned());
    let store = project.store.clone();
    blocking(move || store.commit(&changes)).await?;
    project.guard.apply(prepared);
    let (question, reason) = (question.to_owned(), why.to_owned());
    (project.events)(Event::QuestionRefused { question, reason });
    Ok(())
}
