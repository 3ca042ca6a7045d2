//! Where one project's loop is: what a user sees of it, and the counters behind it.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ouro_core::{
    Change, Clock, Counters, Error, Event, EvolutionStats, HealthReport, LoopReport, Phase,
    ProjectKey, RecordId, RecordStore, Result, StopReason, Thought, TokenUsage, WaitReason,
};
use ouro_guard::{DoomLoopGuard, HealthChecker, HealthInput, HealthLimits};

use crate::{
    Project,
    blocking::blocking,
    messages::{embedder_message, loop_message},
};

/// The live state of one loop, shared between the loop and whoever looks.
pub(crate) struct Status {
    live: Mutex<Live>,
    /// Failures that were analysed in this run, or could not be.
    analysed: Mutex<BTreeSet<RecordId>>,
    checker: HealthChecker,
}

#[derive(Debug, Clone)]
pub(crate) struct Live {
    pub(crate) phase: Phase,
    pub(crate) phase_since: i64,
    pub(crate) waiting_until: Option<i64>,
    pub(crate) wait_reason: Option<WaitReason>,
    pub(crate) stop_reason: Option<StopReason>,
    /// Of a loop that runs.
    pub(crate) watch: Option<Watch>,
    pub(crate) counters: Counters,
    pub(crate) records: u64,
    /// Bytes of the store on disk when they were last looked at.
    pub(crate) store_bytes: u64,
    pub(crate) iteration_tokens: TokenUsage,
    /// The user was told that the embedder fails.
    pub(crate) embedder_fails: bool,
}

impl Live {
    /// The local day, if it is later than that of the tokens: a clock that was set back brings no new ones.
    fn newer_day(&self, clock: &dyn Clock) -> Option<String> {
        Some(local_day(clock)).filter(|today| *today > self.counters.tokens_day)
    }

    fn tokens_today(&self, clock: &dyn Clock) -> TokenUsage {
        match self.newer_day(clock) {
            Some(_) => TokenUsage::default(),
            None => self.counters.tokens_today,
        }
    }
}

/// What the health checker has to know of a loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch {
    /// When it was started or last ended a rest that was not just its interval, epoch milliseconds.
    pub(crate) active_since: i64,
    /// Whether it was stuck before and has learnt nothing since.
    pub(crate) restarted: bool,
}

impl Status {
    pub(crate) fn new(counters: Counters, records: u64, limits: HealthLimits, now_ms: i64) -> Self {
        Self {
            checker: HealthChecker::new(limits),
            analysed: Mutex::default(),
            live: Mutex::new(Live {
                phase: Phase::Idle,
                phase_since: now_ms,
                waiting_until: None,
                wait_reason: None,
                stop_reason: None,
                watch: None,
                counters,
                records,
                store_bytes: 0,
                iteration_tokens: TokenUsage::default(),
                embedder_fails: false,
            }),
        }
    }

    /// Whether the analysis of a failure begins for the first time in this run.
    pub(crate) fn begin_analysis(&self, failure: RecordId) -> bool {
        self.analysed.lock().unwrap_or_else(PoisonError::into_inner).insert(failure)
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn snapshot(&self) -> Live {
        self.lock().clone()
    }

    pub(crate) fn update(&self, change: impl FnOnce(&mut Live)) {
        change(&mut self.lock());
    }

    /// Enters a phase and says so.
    pub(crate) fn enter(&self, project: &Project, phase: Phase) {
        let at = project.clock.now_ms();
        self.update(|live| {
            live.phase = phase;
            live.phase_since = at;
            live.waiting_until = None;
            live.wait_reason = None;
        });
        tracing::debug!(project = %project.key, ?phase, "phase");
        (project.events)(Event::Phase { phase, at });
    }

    /// Counts tokens towards the iteration and the local day, together with those of thoughts that were dropped: at once and
    /// durably, for what was paid for stays so however the run ends.
    ///
    /// # Errors
    /// The store's; they count in memory nevertheless.
    pub(crate) async fn spend(&self, project: &Project, mut usage: TokenUsage) -> Result<()> {
        usage += project.reasoner.take_abandoned();
        if usage.total() == 0 {
            return Ok(());
        }
        let iteration = {
            let mut live = self.lock();
            live.iteration_tokens += usage;
            live.iteration_tokens
        };
        (project.events)(Event::Tokens { iteration });
        self.spend_today(project.store.clone(), project.clock.as_ref(), usage).await
    }

    /// Counts tokens towards the local day alone, durably.
    ///
    /// # Errors
    /// The store's; they count in memory nevertheless.
    pub(crate) async fn spend_today(
        &self,
        store: Arc<dyn RecordStore>,
        clock: &dyn Clock,
        usage: TokenUsage,
    ) -> Result<()> {
        let counters = {
            let mut live = self.lock();
            if let Some(today) = live.newer_day(clock) {
                live.counters.tokens_day = today;
                live.counters.tokens_today = TokenUsage::default();
            }
            live.counters.tokens_today += usage;
            live.counters.clone()
        };
        blocking(move || store.commit(&[Change::PutCounters(counters)])).await
    }

    /// Tokens that may still be spent on this local day.
    pub(crate) fn tokens_left_today(&self, project: &Project) -> u64 {
        let spent = self.lock().tokens_today(project.clock.as_ref()).total();
        project.config.max_daily_tokens.saturating_sub(spent)
    }

    /// Tokens that may still be spent in this iteration; without end for a reasoner that spends none.
    pub(crate) fn tokens_left(&self, project: &Project) -> u64 {
        if !project.reasoner.spends_tokens() {
            return u64::MAX;
        }
        let spent = self.lock().iteration_tokens.total();
        let of_iteration = project.config.max_tokens_per_iteration.saturating_sub(spent);
        of_iteration.min(self.tokens_left_today(project))
    }

    /// Counts what a thought cost and the loops it ran into.
    ///
    /// # Errors
    /// As [`Status::spend`].
    pub(crate) async fn account<T>(&self, project: &Project, thought: &Thought<T>) -> Result<()> {
        for found in &thought.loops {
            self.loop_found(project, found.clone()).await;
        }
        self.spend(project, thought.usage).await
    }

    /// Says once that the embedder fails, until it works again.
    pub(crate) fn embedded(&self, project: &Project, error: Option<&Error>) {
        let mut known = false;
        self.update(|live| known = std::mem::replace(&mut live.embedder_fails, error.is_some()));
        if let Some(error) = error.filter(|_| !known) {
            let (id, language) = (project.embedder.id(), project.config.language);
            let message = embedder_message(id, error, language);
            (project.events)(Event::Error { kind: error.kind(), message });
        }
    }

    /// Counts a loop and says so.
    pub(crate) async fn loop_found(&self, project: &Project, found: LoopReport) {
        tracing::warn!(project = %project.key, kind = found.kind, "a loop was found");
        // What went round is a model's text or a project's code.
        tracing::debug!(evidence = found.evidence, "what went round");
        self.update(|live| live.counters.loops_detected += 1);
        let message = loop_message(&found, project.config.language);
        project.log(self.snapshot().phase, None, Err(&message)).await;
        (project.events)(Event::LoopDetected { found });
    }

    /// Everything a user wants to know, its health as it is at this moment.
    pub(crate) fn stats(
        &self,
        key: &ProjectKey,
        guard: &DoomLoopGuard,
        clock: &dyn Clock,
    ) -> EvolutionStats {
        let live = self.snapshot();
        let quota = guard.remaining();
        let tokens_today = live.tokens_today(clock);
        let mut stats = EvolutionStats {
            project_key: key.clone(),
            total_questions: live.counters.total_questions,
            today_questions: guard.questions_today(),
            total_learning_records: live.records,
            loops_detected: live.counters.loops_detected,
            consecutive_errors: guard.backoff().consecutive_errors,
            last_evolution_time: live.counters.last_evolution_at,
            current_phase: live.phase,
            phase_since: live.phase_since,
            waiting_until: live.waiting_until,
            wait_reason: live.wait_reason,
            stop_reason: live.stop_reason,
            tokens_today,
            quota,
            health: HealthReport::default(),
        };
        let input = HealthInput {
            stats: &stats,
            running: live.watch.is_some(),
            active_since: live.watch.map_or(live.phase_since, |watch| watch.active_since),
            iteration_tokens: match live.phase {
                Phase::Idle | Phase::Waiting => 0,
                _ => live.iteration_tokens.total(),
            },
            store_bytes: live.store_bytes,
            restarted: live.watch.is_some_and(|watch| watch.restarted),
        };
        stats.health = self.checker.check(&input, clock.now_ms());
        stats
    }
}

/// The machine's local day, `YYYY-MM-DD`.
pub(crate) fn local_day(clock: &dyn Clock) -> String {
    jiff::Timestamp::from_millisecond(clock.now_ms())
        .map(|now| now.to_zoned(clock.time_zone()).date().to_string())
        .unwrap_or_default()
}
