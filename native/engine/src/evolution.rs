//! The loop of one project: iterate, rest, and know when to end.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use ouro_core::{
    Change, DayLimit, Error, ErrorKind, Event, EvolutionLog, EvolutionStats, HealthIssue, LastEnd,
    OperationKind, Phase, QuestionOutcome, Result, StopReason, SuggestedAction, TokenUsage,
    WaitReason, clock::with_timeout,
};
use ouro_guard::{DoomLoopGuard, SkipReason};
use serde_json::json;
use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::{
    Project,
    blocking::{blocking, defect},
    current_records::CurrentRecords,
    explorer::is_busy,
    iteration::{self, Failure, MAX_BEGINNINGS, Outcome},
    messages::{gone_message, health_message, restart_message, stop_message, wait_message},
    questions, spans,
    status::{Status, Watch},
};

/// A rest in which it pays to free the records: reading a thousand again takes some 20 ms of processor time.
const LONG_REST: Duration = Duration::from_secs(20);

/// How long the end of a loop waits for its line in the log.
const LAST_LINE: Duration = Duration::from_secs(5);

/// How often the health checker looks.
const HEALTH_INTERVAL: Duration = Duration::from_secs(60);

/// Questions in a row that were asked before, after which a bounded run ends.
const MAX_CONSECUTIVE_DUPLICATES: u32 = 5;

/// How far a run goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunPlan {
    /// Ends after so many iterations; `None` goes on until it is stopped.
    pub iterations: Option<u32>,
    /// Longest pause that the run waits out; a longer one ends it. `None` waits for whatever it takes, also for the
    /// next file change.
    pub patience: Option<Duration>,
    /// Only keeps the analysis of the project, and with it the marks of its records, up to date: it asks nothing, calls
    /// nobody and needs no opt-in.
    pub analysis_only: bool,
}

impl RunPlan {
    /// Runs until it is stopped, and waits for whatever it takes: for an IDE or a server.
    pub const FOREVER: Self = Self { iterations: None, patience: None, analysis_only: false };

    /// Analyses the project at once and after each change until it is stopped: for an IDE whose user does not want the
    /// project to be learnt.
    pub const ANALYSIS: Self = Self { analysis_only: true, ..Self::FOREVER };

    /// Runs so many iterations and waits out pauses of up to a minute: for a command.
    pub fn bounded(iterations: u32) -> Self {
        let patience = Some(Duration::from_secs(60));
        Self { iterations: Some(iterations), patience, ..Self::FOREVER }
    }
}

/// The loop of one project.
pub(crate) struct Evolution {
    pub(crate) project: Project,
    pub(crate) status: Arc<Status>,
    pub(crate) records: Arc<CurrentRecords>,
    pub(crate) cancel: CancellationToken,
    pub(crate) changed: Arc<Notify>,
    /// Those of all projects: see [`Evolution::turn`].
    pub(crate) turns: Arc<Semaphore>,
    pub(crate) plan: RunPlan,
}

/// What the health checker found that can't go on like this.
enum Stuck {
    /// A rest that is over by the wall clock: the machine slept, and its monotonic clock stood still.
    Overslept(String),
    /// Everything else, in a sentence.
    Working(String),
}

/// What the loop does next.
enum Next {
    Iterate,
    /// Iterate as soon as the pause after an error is over.
    Retry,
    Rest(WaitReason, Option<i64>),
    End(StopReason),
}

/// How a rest ended.
enum Rested {
    Over,
    /// A file changed, which the rest was to wait for, too.
    Changed,
    /// Before it began: the plan has no patience for it.
    Impatient(StopReason),
}

/// What was proposed since something was last learnt, or the project changed.
#[derive(Default)]
struct Fruitless {
    /// Iterations that brought no question.
    rounds: u32,
    /// Questions that were asked before.
    duplicates: u32,
}

/// What a run has come to, also where a part of it is begun anew.
#[derive(Default)]
struct Course {
    learned: bool,
    /// Iterations.
    done: u32,
    /// The last error, as long as nothing is learnt.
    trouble: Option<String>,
    /// What comes before anything else.
    rest: Option<(WaitReason, Option<i64>)>,
    fruitless: Fruitless,
}

impl Evolution {
    /// Runs until it ends, then says why.
    pub(crate) async fn run(self) -> StopReason {
        let work = async {
            if self.plan.analysis_only {
                self.analyse_changes().await
            } else {
                self.iterate_and_tell().await
            }
        };
        // Whoever waits for the end must hear of it, whatever happens.
        let work = AssertUnwindSafe(work).catch_unwind();
        let reason = tokio::select! {
            biased;
            () = self.cancel.cancelled() => StopReason::UserStopped,
            ended = work => ended.unwrap_or_else(|payload| {
                StopReason::Unhealthy { why: defect(payload.as_ref()) }
            }),
        };
        // Of the thought that the end cut off.
        self.spend(TokenUsage::default()).await;
        self.status.update(|live| {
            live.phase = Phase::Idle;
            live.phase_since = self.project.clock.now_ms();
            live.waiting_until = None;
            live.wait_reason = None;
            live.stop_reason = Some(reason.clone());
            live.watch = None;
            if !self.plan.analysis_only {
                let at = live.phase_since;
                live.counters.last_end = Some(LastEnd { reason: reason.clone(), at });
            }
        });
        let language = self.project.config.language;
        let message = stop_message(&reason, language, self.project.clock.as_ref());
        self.log_end(&reason, &message).await;
        let stats = Box::new(self.stats());
        tracing::info!(project = %self.project.key, %message, "the loop ended");
        (self.project.events)(Event::Finished { reason: reason.clone(), message, stats });
        reason
    }

    /// A user knows of their own stop, and waits for it. Whoever waits for another end need not wait for a disk that hangs.
    async fn log_end(&self, reason: &StopReason, message: &str) {
        let said = match reason {
            StopReason::UserStopped => return,
            StopReason::NotConfigured { .. }
            | StopReason::InBackoff { .. }
            | StopReason::NothingLearned { .. }
            | StopReason::TooManyErrors { .. }
            | StopReason::Unhealthy { .. } => Err(message),
            StopReason::IterationsDone
            | StopReason::QuotaExhausted { .. }
            | StopReason::ProjectUnchanged
            | StopReason::FullyCovered
            | StopReason::NothingToAsk
            | StopReason::ConsecutiveDuplicates => Ok(message),
        };
        let line = async {
            if !self.plan.analysis_only {
                let counters = self.status.snapshot().counters;
                self.project.write(Change::PutCounters(counters)).await;
            }
            self.project.log(Phase::Idle, None, said).await;
        };
        let line = with_timeout(self.project.clock.as_ref(), LAST_LINE, "the log", line);
        tokio::select! {
            _ = line => {}
            () = self.cancel.cancelled() => {}
        }
    }

    /// Follows the project's files and does nothing else. What goes wrong costs nobody anything: the next change tries
    /// again.
    async fn analyse_changes(&self) -> StopReason {
        loop {
            let turn = self.turn().await;
            self.status.enter(&self.project, Phase::LoadingMemory);
            match iteration::load(&self.project, &self.records, &self.cancel).await {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Cancelled => {
                    return StopReason::UserStopped;
                }
                Err(error) => {
                    let error = error.message();
                    tracing::warn!(project = %self.project.key, error, "the analysis failed");
                }
            }
            self.status.enter(&self.project, Phase::Idle);
            self.records.release();
            drop(turn);
            self.changed.notified().await;
        }
    }

    /// Iterates; a run that came to its end with nothing but errors says so, and until when it has to pause.
    async fn iterate_and_tell(&self) -> StopReason {
        let mut course = self.after_last_run();
        let end = self.iterate_under_watch(&mut course).await;
        let Some(last_error) = course.trouble else { return end };
        if !matches!(
            end,
            StopReason::IterationsDone
                | StopReason::ProjectUnchanged
                | StopReason::FullyCovered
                | StopReason::ConsecutiveDuplicates
        ) {
            return end;
        }
        let backoff = self.project.guard.backoff();
        if self.plan.patience.is_some_and(|patience| backoff.remaining > patience) {
            return StopReason::InBackoff { until: backoff.until, cause: backoff.cause };
        }
        StopReason::NothingLearned { last_error }
    }

    /// The rest that the last run was in goes on, or each start of the process would begin an iteration. Who asks for some
    /// iterations wants them now.
    fn after_last_run(&self) -> Course {
        let counters = self.status.snapshot().counters;
        let rounds = counters.fruitless_rounds;
        let Some(until) = counters.next_iteration_at.filter(|_| self.plan.patience.is_none())
        else {
            return Course::default();
        };
        // A clock that was set back, or a shorter interval, makes no longer rest than one that begins now.
        let (reason, longest) = if rounds == 0 {
            (WaitReason::Interval, self.project.after_interval())
        } else {
            let longest = i64::try_from(self.project.config.max_backoff_ms).unwrap_or(i64::MAX);
            let longest = self.project.clock.now_ms().saturating_add(longest);
            (WaitReason::ConsecutiveDuplicates, longest.max(self.project.after_interval()))
        };
        Course {
            rest: Some((reason, Some(until.min(longest)))),
            fruitless: Fruitless { rounds, ..Fruitless::default() },
            ..Course::default()
        }
    }

    /// Iterates and rests under the health checker's eye. What is stuck is dropped and begun anew, once.
    async fn iterate_under_watch(&self, course: &mut Course) -> StopReason {
        let mut watch = Watch { active_since: self.project.clock.now_ms(), restarted: false };
        loop {
            self.status.update(|live| live.watch = Some(watch));
            let stuck = tokio::select! {
                biased;
                stuck = self.watch_health() => stuck,
                end = self.iterate(course) => return end,
            };
            let restarted = self.status.snapshot().watch.is_some_and(|watch| watch.restarted);
            match stuck {
                Stuck::Overslept(why) => {
                    watch.restarted = restarted;
                    self.log_restart(&why).await;
                }
                // Once may be bad luck; twice is a defect that the user must hear of.
                Stuck::Working(why) if restarted => return StopReason::Unhealthy { why },
                Stuck::Working(why) => {
                    self.spend(TokenUsage::default()).await;
                    tracing::warn!(project = %self.project.key, why, "the loop is stuck and starts anew");
                    watch.restarted = true;
                    self.log_restart(&why).await;
                }
            }
            watch.active_since = self.project.clock.now_ms();
        }
    }

    async fn log_restart(&self, why: &str) {
        let message = restart_message(why, self.project.config.language);
        let line = self.project.log(self.status.snapshot().phase, None, Err(&message));
        let _ = with_timeout(self.project.clock.as_ref(), LAST_LINE, "the log", line).await;
    }

    /// Iterates until something ends it.
    async fn iterate(&self, course: &mut Course) -> StopReason {
        if let Some(rest) = course.rest.take()
            && matches!(self.rest(rest).await, Rested::Changed)
        {
            course.fruitless = Fruitless::default();
        }
        loop {
            if let Some((reason, until)) = self.pause_before_work() {
                match self.rest((reason, Some(until))).await {
                    Rested::Impatient(end) => return end,
                    Rested::Over | Rested::Changed => continue,
                }
            }
            // Before anything else that takes a while: the turns go round in the order of asking for one.
            let turn = self.turn().await;
            if let Some(full) = self.full_store().await {
                return full;
            }
            let result = self.caught_iteration().await;
            self.compact_store().await;
            drop(turn);
            course.done = course.done.saturating_add(1);
            let next = match result {
                Ok(Outcome::Learned) => {
                    course.fruitless = Fruitless::default();
                    course.learned = true;
                    course.trouble = None;
                    self.status.update(|live| {
                        live.watch = live.watch.map(|watch| Watch { restarted: false, ..watch });
                    });
                    Next::Iterate
                }
                Ok(Outcome::AllRefused { duplicates }) => {
                    let fruitless = &mut course.fruitless;
                    fruitless.rounds = fruitless.rounds.saturating_add(1);
                    fruitless.duplicates = fruitless.duplicates.saturating_add(duplicates);
                    self.after_refusal(fruitless).await
                }
                Ok(Outcome::NothingToAsk { fingerprint }) => self.after_nothing(fingerprint).await,
                Ok(Outcome::Closed(reason)) => {
                    course.done = course.done.saturating_sub(1);
                    self.after_closed(reason)
                }
                Err(mut failure) => {
                    *failure.error = failure.error.in_language(self.project.config.language);
                    course.trouble = (!course.learned).then(|| failure.error.message().to_owned());
                    self.after_failure(failure).await
                }
            };
            let is_done = self.plan.iterations.is_some_and(|n| course.done >= n);
            let (reason, until) = match next {
                Next::Iterate | Next::Retry if is_done => return StopReason::IterationsDone,
                Next::Iterate => (WaitReason::Interval, Some(self.project.after_interval())),
                Next::Retry => continue,
                Next::Rest(reason, until) => (reason, until),
                Next::End(reason) => return reason,
            };
            match self.rest((reason, until)).await {
                Rested::Over => {}
                Rested::Changed => course.fruitless = Fruitless::default(),
                Rested::Impatient(end) => return end,
            }
        }
    }

    /// Why to wait before anything is paid for, and until when.
    fn pause_before_work(&self) -> Option<(WaitReason, i64)> {
        let Project { guard, reasoner, config, .. } = &self.project;
        pause_before_work(guard).or_else(|| {
            // An iteration begins only where the day has room for all that it may cost.
            let needed = config.max_tokens_per_iteration;
            let lacks =
                reasoner.spends_tokens() && self.status.tokens_left_today(&self.project) < needed;
            let reason = WaitReason::QuotaExhausted { which: DayLimit::Tokens };
            lacks.then(|| (reason, guard.remaining().resets_at))
        })
    }

    /// Waits for a turn. Nobody closes the semaphore; were it closed, everybody would have one.
    async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        if let Ok(turn) = self.turns.try_acquire() {
            return Some(turn);
        }
        self.status.enter(&self.project, Phase::Waiting);
        self.records.release();
        let turn = self.turns.acquire().await.ok();
        self.active_again();
        turn
    }

    /// What was waited for says nothing of how the loop gets on.
    fn active_again(&self) {
        let active_since = self.project.clock.now_ms();
        self.status.update(|live| {
            live.watch = live.watch.map(|watch| Watch { active_since, ..watch });
        });
    }

    /// Counts tokens at a place that can't fail.
    async fn spend(&self, usage: TokenUsage) {
        self.note(self.status.spend(&self.project, usage).await);
    }

    /// A store that doesn't take a count takes nothing else either: whatever is written next says so.
    fn note(&self, counted: Result<()>) {
        if let Err(error) = counted {
            tracing::warn!(project = %self.project.key, %error, "tokens could not be written down");
        }
    }

    fn stats(&self) -> EvolutionStats {
        let Project { key, guard, clock, .. } = &self.project;
        self.status.stats(key, guard, clock.as_ref())
    }

    /// Rests until a moment, or until a file changes where there is none. Where nothing new was proposed, whichever comes
    /// first: a changed project may give new questions.
    async fn rest(&self, (reason, until): (WaitReason, Option<i64>)) -> Rested {
        let now = self.project.clock.now_ms();
        let pause = until.map(|until| {
            Duration::from_millis(u64::try_from(until.saturating_sub(now)).unwrap_or(0))
        });
        let patient = match (self.plan.patience, pause) {
            (None, _) => true,
            // The interval is the user's own wish, however long.
            (Some(_), Some(_)) if reason == WaitReason::Interval => true,
            (Some(patience), Some(pause)) => pause <= patience,
            (Some(_), None) => false,
        };
        if !patient {
            return Rested::Impatient(match reason {
                WaitReason::InBackoff { .. } => StopReason::InBackoff {
                    until: until.unwrap_or(now),
                    cause: self.project.guard.backoff().cause,
                },
                WaitReason::QuotaExhausted { .. } => {
                    StopReason::QuotaExhausted { until: until.unwrap_or(now) }
                }
                WaitReason::ConsecutiveDuplicates => StopReason::ConsecutiveDuplicates,
                WaitReason::ProjectUnchanged | WaitReason::Interval => StopReason::ProjectUnchanged,
            });
        }
        if pause.is_some_and(|p| p.is_zero()) {
            return Rested::Over;
        }
        self.status.enter(&self.project, Phase::Waiting);
        self.status.update(|live| {
            live.waiting_until = until;
            live.wait_reason = Some(reason.clone());
        });
        let message = wait_message(&reason, self.project.config.language);
        let ends_at_change = until.is_none() || reason == WaitReason::ConsecutiveDuplicates;
        let is_interval = reason == WaitReason::Interval;
        (self.project.events)(Event::Waiting { reason, until, message: message.clone() });
        if pause.is_none_or(|pause| pause >= LONG_REST) {
            self.records.release();
        }
        let line = async {
            // The interval follows each iteration: that goes without saying.
            if !is_interval {
                self.project.log(Phase::Waiting, None, Ok(&message)).await;
            }
        };
        let sleep = async {
            match pause {
                Some(pause) => self.project.clock.sleep(pause).await,
                None => std::future::pending().await,
            }
        };
        // The pause has begun: it is not for the line to end first.
        let over = futures_util::future::join(line, sleep);
        let rested = tokio::select! {
            _ = over => Rested::Over,
            () = self.changed.notified(), if ends_at_change => Rested::Changed,
        };
        if !is_interval {
            self.active_again();
        }
        rested
    }

    /// One iteration; a panic in it is a failure like any other.
    async fn caught_iteration(&self) -> Result<Outcome, Failure> {
        let iteration = iteration::run(&self.project, &self.status, &self.records, &self.cancel);
        let iteration = iteration.instrument(spans::iteration(&self.project.key));
        AssertUnwindSafe(iteration).catch_unwind().await.unwrap_or_else(|payload| {
            Err(failure(Error::new(ErrorKind::Internal, defect(payload.as_ref()))))
        })
    }

    /// What is open for weeks gives back the space of what it replaced. The turn is still ours: two projects need not copy at
    /// once.
    async fn compact_store(&self) {
        let store = self.project.store.clone();
        if let Err(error) = blocking(move || store.compact()).await {
            tracing::warn!(project = %self.project.key, %error, "the store was not compacted");
        }
    }

    /// Looks every minute; returns when what the loop does must be given up, and why.
    async fn watch_health(&self) -> Stuck {
        loop {
            self.project.clock.sleep(HEALTH_INTERVAL).await;
            // A rest adds nothing to the store.
            if self.status.snapshot().phase != Phase::Waiting {
                self.measure_store().await;
            }
            let EvolutionStats { health, current_phase, .. } = self.stats();
            let overdue = |issue: &HealthIssue| matches!(issue, HealthIssue::PhaseOverdue { .. });
            let why = || health_message(&health, self.project.config.language);
            if current_phase == Phase::Waiting && health.issues.iter().any(overdue) {
                return Stuck::Overslept(why());
            }
            if matches!(health.suggested_action, SuggestedAction::Restart | SuggestedAction::Stop) {
                return Stuck::Working(why());
            }
        }
    }

    /// Looks how large the store is. A disk that does not answer may be what an iteration is stuck in: nobody waits for it.
    async fn measure_store(&self) {
        let Project { clock, store, .. } = &self.project;
        let store = store.clone();
        let size = blocking(move || store.size_on_disk());
        let size = with_timeout(clock.as_ref(), HEALTH_INTERVAL, "the size of the store", size);
        if let Ok(Ok(bytes)) = size.await {
            self.status.update(|live| live.store_bytes = bytes);
        }
    }

    /// Why nothing more may be written: an iteration is over long before the health checker looks at it.
    async fn full_store(&self) -> Option<StopReason> {
        self.measure_store().await;
        let mut health = self.stats().health;
        health.issues.retain(
            |issue| matches!(issue, HealthIssue::StoreNearLimit { bytes, limit } if bytes >= limit),
        );
        (!health.issues.is_empty()).then(|| StopReason::Unhealthy {
            why: health_message(&health, self.project.config.language),
        })
    }

    /// A reasoner that proposes nothing new costs as much as one that does: it is asked ever more seldom.
    async fn after_refusal(&self, fruitless: &Fruitless) -> Next {
        match self.plan.patience {
            Some(_) if fruitless.duplicates >= MAX_CONSECUTIVE_DUPLICATES => {
                Next::End(StopReason::ConsecutiveDuplicates)
            }
            Some(_) => Next::Iterate,
            None => {
                let pause = self.project.guard.pause_after(fruitless.rounds);
                let until = self
                    .project
                    .after_interval()
                    .max(self.project.clock.now_ms().saturating_add_unsigned(pause));
                self.status.update(|live| {
                    live.counters.next_iteration_at = Some(until);
                    live.counters.fruitless_rounds = fruitless.rounds;
                });
                let counters = self.status.snapshot().counters;
                self.project.write(Change::PutCounters(counters)).await;
                Next::Rest(WaitReason::ConsecutiveDuplicates, Some(until))
            }
        }
    }

    /// Remembers at which state of the files everything was answered.
    async fn after_nothing(&self, fingerprint: String) -> Next {
        let store = self.project.store.clone();
        let reason = blocking(move || {
            let mut memory = store.memory()?;
            let before = memory.evolution_status.complete_at_fingerprint.replace(fingerprint);
            let reason = if memory.learning_record_ids.is_empty() {
                StopReason::NothingToAsk
            } else if before == memory.evolution_status.complete_at_fingerprint {
                StopReason::ProjectUnchanged
            } else {
                StopReason::FullyCovered
            };
            if before != memory.evolution_status.complete_at_fingerprint {
                store.commit(&[Change::PutMemory(memory)])?;
            }
            Ok(reason)
        })
        .await;
        match reason {
            Err(error) => self.after_failure(failure(error)).await,
            Ok(_) if self.plan.patience.is_none() => Next::Rest(WaitReason::ProjectUnchanged, None),
            Ok(reason) => Next::End(reason),
        }
    }

    fn after_closed(&self, reason: SkipReason) -> Next {
        match reason {
            SkipReason::InBackoff { .. } | SkipReason::QuotaExhausted { .. } => {
                match self.pause_before_work() {
                    Some((reason, until)) => Next::Rest(reason, Some(until)),
                    // It ended in the meantime.
                    None => Next::Iterate,
                }
            }
            SkipReason::GuardUnavailable { cause } => {
                Next::End(StopReason::Unhealthy { why: cause })
            }
            other => Next::End(StopReason::Unhealthy { why: other.to_string() }),
        }
    }

    /// Records the failure, slows down, and ends the loop when there were too many.
    async fn after_failure(&self, Failure { error, kind, question }: Failure) -> Next {
        let project = &self.project;
        self.spend(error.spent()).await;
        // A stop is on its way: that is no error.
        if error.kind() == ErrorKind::Cancelled {
            return Next::End(StopReason::UserStopped);
        }
        (project.events)(Event::Error { kind: error.kind(), message: error.message().to_owned() });
        tracing::warn!(project = %project.key, error = error.message(), kind = ?error.kind(), "an iteration failed");
        match error.kind() {
            ErrorKind::NotFound if kind == OperationKind::Store && question.is_none() => {
                let why = gone_message(error.message(), project.config.language);
                return Next::End(StopReason::Unhealthy { why });
            }
            // Nothing of this mends itself: saying so at once is kinder than five tries.
            ErrorKind::Refused | ErrorKind::InvalidInput | ErrorKind::NotFound
                if kind == OperationKind::Store || question.is_none() =>
            {
                return Next::End(StopReason::NotConfigured { what: error.message().to_owned() });
            }
            ErrorKind::Storage | ErrorKind::Damaged | ErrorKind::TooNew => {
                return Next::End(StopReason::Unhealthy { why: error.message().to_owned() });
            }
            _ => {}
        }
        let operation = question.as_deref().unwrap_or(questions::GENERATE);
        let context = json!({ "model": project.reasoner.id() });
        let recorded = match project.guard.record_failure(kind, operation, &error, &context).await {
            Ok(recorded) => recorded,
            Err(cause) => {
                let why = format!("a failure could not be recorded: {}", cause.message());
                return Next::End(StopReason::Unhealthy { why });
            }
        };
        let begun = recorded.as_ref().map_or(0, |record| record.attempts);
        let goes_on = question.is_some()
            && is_busy(&error)
            && (begun < MAX_BEGINNINGS
                || (begun == MAX_BEGINNINGS && self.has_gathered(kind).await));
        if let Err(cause) = self.close_books(kind, question.as_deref(), &error, goes_on).await {
            return Next::End(StopReason::Unhealthy { why: cause.message().to_owned() });
        }
        let errors = project.guard.backoff().consecutive_errors;
        // A server that is restarted or busy will be back: who runs for ever waits for it, ever longer.
        let waits = self.plan.patience.is_none() && is_busy(&error);
        if errors >= project.config.max_consecutive_errors && !waits {
            let last_error = error.message().to_owned();
            return Next::End(StopReason::TooManyErrors { last_error });
        }
        Next::Retry
    }

    /// Whether an exploration that was broken off has steps to sum up.
    async fn has_gathered(&self, kind: OperationKind) -> bool {
        if kind != OperationKind::Exploration {
            return false;
        }
        let store = self.project.store.clone();
        let in_flight = blocking(move || store.in_flight()).await;
        in_flight.is_ok_and(|begun| begun.is_some_and(|begun| !begun.observations.is_empty()))
    }

    /// Closes the failed iteration's books: its question is put aside, unless its exploration goes on later.
    async fn close_books(
        &self,
        kind: OperationKind,
        question: Option<&str>,
        error: &Error,
        goes_on: bool,
    ) -> Result<()> {
        let prepared = question
            .filter(|_| !goes_on)
            .map(|q| self.project.guard.prepare_put_aside(q, QuestionOutcome::Failed));
        let phase = match kind {
            OperationKind::GenerateQuestions => Phase::GeneratingQuestion,
            OperationKind::Summarize => Phase::Summarizing,
            OperationKind::Store => Phase::LoadingMemory,
            _ => Phase::Exploring,
        };
        let live = self.status.snapshot();
        let now = self.project.clock.now_ms();
        let mut counters = live.counters;
        counters.iterations += 1;
        let log = EvolutionLog {
            timestamp: now,
            phase,
            question: question.map(str::to_owned),
            success: false,
            error: Some(error.message().to_owned()),
            duration_ms: u64::try_from(now - live.phase_since).unwrap_or(0),
        };
        let mut changes = vec![Change::PutCounters(counters.clone()), Change::AppendLog(log)];
        if !goes_on {
            changes.push(Change::PutInFlight(None));
        }
        changes.extend(prepared.iter().flat_map(|p| p.changes().iter().cloned()));
        let store = self.project.store.clone();
        blocking(move || store.commit(&changes)).await?;
        if let Some(prepared) = prepared {
            self.project.guard.apply(prepared);
        }
        self.status.update(|live| live.counters = counters);
        Ok(())
    }
}

/// Backoff and quota are looked at before anything is paid for: why to wait, and until when.
pub(crate) fn pause_before_work(guard: &DoomLoopGuard) -> Option<(WaitReason, i64)> {
    let backoff = guard.backoff();
    if !backoff.remaining.is_zero() {
        let reason = WaitReason::InBackoff { consecutive_errors: backoff.consecutive_errors };
        return Some((reason, backoff.until));
    }
    let quota = guard.remaining();
    let which = if quota.questions_remaining == 0 {
        DayLimit::Questions
    } else if quota.explorations_remaining == 0 {
        DayLimit::Explorations
    } else {
        return None;
    };
    Some((WaitReason::QuotaExhausted { which }, quota.resets_at))
}

fn failure(error: Error) -> Failure {
    Failure { error: Box::new(error), kind: OperationKind::Exploration, question: None }
}
