//! Runs the loops of many projects on one runtime: started once each, stopped for sure.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use ouro_core::{
    Clock, Error, ErrorKind, EvolutionConfig, EvolutionStats, LastEnd, ProjectKey, RecordStore,
    Result, RunLimits, StopReason, TokenUsage, clock::with_timeout,
};
use ouro_guard::{DoomLoopGuard, HealthLimits};
use tokio::{
    sync::{Notify, Semaphore, watch},
    task::AbortHandle,
};
use tokio_util::sync::CancellationToken;

use crate::{
    Project, RunPlan,
    blocking::blocking,
    evolution::{Evolution, pause_before_work},
    status::Status,
};

/// Time a loop has to end after it was told to; after that its task is aborted.
const STOP_LIMIT: Duration = Duration::from_millis(1_500);
/// Iterations at the same time. Each holds its project's records in memory, and most of its time goes by in waiting for a
/// model or a disk.
const TURNS: usize = 8;

/// Every project's loop in this process. Some iterate at the same time, the others wait for their turn, first come first
/// served.
pub struct Engine {
    running: Mutex<HashMap<ProjectKey, LoopHandle>>,
    turns: Arc<Semaphore>,
}

/// One project's loop. Clones refer to the same loop.
#[derive(Clone)]
pub struct LoopHandle {
    project: Project,
    status: Arc<Status>,
    cancel: CancellationToken,
    changed: Arc<Notify>,
    finished: watch::Receiver<Option<StopReason>>,
    task: AbortHandle,
}

impl Default for Engine {
    fn default() -> Self {
        Self { running: Mutex::default(), turns: Arc::new(Semaphore::new(TURNS)) }
    }
}

impl Engine {
    /// An engine that runs nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts the project's loop on the current runtime. Where it already runs, that loop's handle is returned and
    /// nothing is started.
    ///
    /// # Errors
    /// `InvalidInput` when the configuration is wrong, a day's tokens are too few for an iteration of a reasoner that spends
    /// some, or the project is not opted in and the plan is to learn it; the store's.
    pub async fn start(&self, project: Project, plan: RunPlan) -> Result<LoopHandle> {
        project.config.validate()?;
        if !project.config.enabled && !plan.analysis_only {
            return Err(Error::invalid(format!(
                "self-evolution is off for {}: set enabled to true to opt in",
                project.key
            )));
        }
        if project.reasoner.spends_tokens() && !plan.analysis_only {
            project.config.validate_tokens()?;
        }
        let status = Arc::new(
            load_status(project.store.clone(), &project.config, project.clock.now_ms()).await?,
        );
        if !plan.analysis_only {
            let begun = LastEnd { reason: StopReason::UserStopped, at: project.clock.now_ms() };
            status.update(|live| {
                live.counters.limits = Some(RunLimits::from(&project.config));
                live.counters.last_end = Some(begun);
            });
        }
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(handle) = running.get(&project.key).filter(|h| h.is_running()) {
            return Ok(handle.clone());
        }
        let cancel = CancellationToken::new();
        let changed = Arc::new(Notify::new());
        let (sender, finished) = watch::channel(None);
        let evolution = Evolution {
            project: project.clone(),
            status: status.clone(),
            records: Arc::default(),
            cancel: cancel.clone(),
            changed: changed.clone(),
            turns: self.turns.clone(),
            plan,
        };
        let task = tokio::spawn(async move {
            let reason = evolution.run().await;
            let _ = sender.send(Some(reason));
        });
        let handle = LoopHandle {
            status,
            cancel,
            changed,
            finished,
            task: task.abort_handle(),
            project: project.clone(),
        };
        running.insert(project.key, handle.clone());
        Ok(handle)
    }

    /// Stops every loop, at the same time, and returns when all have ended.
    pub async fn stop_all(&self) {
        let handles: Vec<LoopHandle> = {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            running.drain().map(|(_, handle)| handle).collect()
        };
        for handle in &handles {
            handle.cancel.cancel();
        }
        for handle in handles {
            handle.stop().await;
        }
    }
}

impl LoopHandle {
    /// How things stand.
    pub fn stats(&self) -> EvolutionStats {
        let Project { key, guard, clock, .. } = &self.project;
        self.status.stats(key, guard, clock.as_ref())
    }

    /// Counts the tokens of a question that a user asked beside it towards the local day.
    ///
    /// # Errors
    /// The store's; they count nevertheless, until the process ends.
    pub async fn spend(&self, usage: TokenUsage) -> Result<()> {
        let Project { store, clock, .. } = &self.project;
        self.status.spend_today(store.clone(), clock.as_ref(), usage).await
    }

    /// Whether it has not ended yet.
    pub fn is_running(&self) -> bool {
        self.finished.borrow().is_none() && !self.task.is_finished()
    }

    /// Says that a file of the project changed: a loop with nothing left to ask goes on.
    pub fn project_changed(&self) {
        self.changed.notify_one();
    }

    /// Tells it to stop, without waiting.
    pub fn request_stop(&self) {
        self.cancel.cancel();
    }

    /// Stops it and returns within two seconds, whatever it is doing. What was begun is resumed by the next start.
    pub async fn stop(&self) {
        self.cancel.cancel();
        let ended = self.finished();
        let clock = self.project.clock.clone();
        if with_timeout(clock.as_ref(), STOP_LIMIT, "the stop", ended).await.is_err() {
            tracing::error!(project = %self.project.key, "a loop did not end in time and is aborted");
            self.task.abort();
        }
    }

    /// Waits until it has ended; why, unless it was aborted.
    ///
    /// # Errors
    /// `Internal` when its task was aborted.
    pub async fn finished(&self) -> Result<StopReason> {
        let mut finished = self.finished.clone();
        let reason = finished.wait_for(Option::is_some).await.ok().and_then(|r| r.clone());
        reason.ok_or_else(|| Error::new(ErrorKind::Internal, "the loop's task was aborted"))
    }
}

async fn load_status(
    store: Arc<dyn RecordStore>,
    config: &EvolutionConfig,
    now_ms: i64,
) -> Result<Status> {
    let limits = HealthLimits::from(config);
    blocking(move || {
        let records = u64::try_from(store.record_count()?).unwrap_or(u64::MAX);
        let status = Status::new(store.counters()?, records, limits, now_ms);
        let bytes = store.size_on_disk().unwrap_or(0);
        status.update(|live| live.store_bytes = bytes);
        Ok(status)
    })
    .await
}

/// As [`LoopHandle::spend`], for a project whose loop doesn't run.
///
/// # Errors
/// The store's.
pub async fn spend_at_rest(
    store: Arc<dyn RecordStore>,
    clock: &dyn Clock,
    usage: TokenUsage,
) -> Result<()> {
    let status = load_status(store.clone(), &EvolutionConfig::default(), clock.now_ms()).await?;
    status.spend_today(store, clock, usage).await
}

/// The statistics of a project whose loop doesn't run: why and since when, and the pause that a run would begin with.
///
/// # Errors
/// The store's.
pub async fn resting_stats(
    store: Arc<dyn RecordStore>,
    config: &EvolutionConfig,
    guard: &DoomLoopGuard,
    clock: &dyn Clock,
) -> Result<EvolutionStats> {
    let key = store.project_key().clone();
    let status = load_status(store.clone(), config, clock.now_ms()).await?;
    if let Some(LastEnd { reason, at }) = status.snapshot().counters.last_end {
        // What a run that was stopped did last says when that was, about.
        let last_line = blocking(move || store.log(1)).await?.first().map_or(at, |l| l.timestamp);
        status.update(|live| {
            live.stop_reason = Some(reason);
            live.phase_since = at.max(last_line);
        });
    }
    if let Some((reason, until)) = pause_before_work(guard) {
        status.update(|live| (live.wait_reason, live.waiting_until) = (Some(reason), Some(until)));
    }
    Ok(status.stats(&key, guard, clock))
}
