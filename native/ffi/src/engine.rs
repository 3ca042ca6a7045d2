//! One open project and its loop.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    time::Duration,
};

use ouro_core::{
    FailureRecord, RecordQuery, StopReason, TokenUsage, ToolContext, ToolResult,
    clock::with_timeout,
};
use ouro_engine::{Engine, LoopHandle, RunPlan, resting_stats, spend_at_rest};
use serde_json::Value;

use crate::{
    compose::{Opened, Parts, assemble, connect},
    error::{BridgeError, Result},
    guard::{self, Units},
    records,
    request::Request,
    wire::{self, ProjectStats, RunState, Settings},
};

/// A project that a host has opened.
pub(crate) struct Session {
    opened: Opened,
    parts: RwLock<Arc<Parts>>,
    engine: Engine,
    /// Starts, stops and changes of settings come one after the other.
    turn: tokio::sync::Mutex<()>,
    last: Mutex<Last>,
    units: Units,
}

/// The loop that was started last, whether it still runs or not.
#[derive(Default)]
struct Last {
    handle: Option<LoopHandle>,
    /// How far it was to go, and the project's count of iterations when it began.
    plan: Option<(RunPlan, u64)>,
    /// How far it goes when it is resumed; `None` without a pause.
    paused: Option<RunPlan>,
}

impl Session {
    /// A session whose loop does not run.
    pub(crate) async fn new(opened: Opened, settings: &Settings) -> Result<Self> {
        let minds = connect(&opened, settings).await?;
        let parts = RwLock::new(Arc::new(assemble(&opened, settings, minds)?));
        let (engine, turn, last) = (Engine::new(), tokio::sync::Mutex::default(), Mutex::default());
        Ok(Self { opened, parts, engine, turn, last, units: Units::default() })
    }

    /// Does what is asked and gives the answer as JSON.
    pub(crate) async fn call(&self, request: Request) -> Result<Vec<u8>> {
        #[cfg(feature = "testing")]
        crate::testing::trip(crate::testing::Point::Async);
        let (opened, parts) = (&self.opened, self.parts());
        let (store, guard) = (&opened.store, &parts.project.guard);
        match request {
            Request::Configure(settings) => self.configure(&settings).await?,
            Request::Start { iterations } => {
                let _turn = self.turn.lock().await;
                self.start(iterations.map_or(RunPlan::FOREVER, RunPlan::bounded)).await?;
            }
            Request::Analyze => {
                let _turn = self.turn.lock().await;
                self.start(RunPlan::ANALYSIS).await?;
            }
            Request::Pause => self.pause().await?,
            Request::Resume => {
                let _turn = self.turn.lock().await;
                let paused = self.last().paused;
                if let Some(plan) = paused {
                    self.start(plan).await?;
                }
            }
            Request::Stop => {
                let _turn = self.turn.lock().await;
                self.engine.stop_all().await;
                self.last().paused = None;
            }
            Request::Wait { timeout_ms } => {
                return wire::write(&self.wait(Duration::from_millis(timeout_ms)).await?);
            }
            Request::ProjectChanged => {
                self.note_edits();
                self.wake();
            }
            Request::Stats => return wire::write(&self.stats().await?),
            Request::Records { before, limit } => {
                return Ok(store.records_json(&RecordQuery { before, limit })?);
            }
            Request::Record { id } => return wire::write(&store.record(id)?),
            Request::Search { query } => {
                return wire::write(&parts.recall.recall_records(&query).await?);
            }
            Request::MarkRecord { id, pinned, correction, rating } => {
                return wire::write(&records::mark(opened, id, pinned, correction, rating)?);
            }
            Request::DeleteRecord { id } => records::delete(opened, &parts, id)?,
            Request::AskAgain { id } => {
                let record = records::ask_again(opened, id)?;
                self.wake();
                return wire::write(&record);
            }
            Request::Export => {
                return wire::write(&records::export(opened, parts.project.config.language)?);
            }
            Request::Failures => return wire::write(&self.failures()?),
            Request::ForgetFailure { signature } => {
                if !guard.forget(&signature).await? {
                    let message = format!("no failure has the signature or the id {signature:?}");
                    return Err(BridgeError::not_found(message));
                }
            }
            Request::Log { limit } => return wire::write(&store.log(limit)?),
            Request::Knowledge { query, tokens } => {
                return wire::write(&records::knowledge(&parts, &query, tokens).await?);
            }
            Request::Ask { question } => {
                let answer = records::ask(&parts, &question).await?;
                if answer.tokens.total() > 0 {
                    self.spend(answer.tokens).await?;
                }
                return wire::write(&answer);
            }
            Request::Tools => {
                return wire::write(&parts.own_tools.specs().collect::<Vec<_>>());
            }
            Request::CallTool { name, arguments, max_chars, time_limit_ms } => {
                let time_limit = Duration::from_millis(time_limit_ms);
                let context = ToolContext { max_chars, time_limit, ..ToolContext::default() };
                return wire::write(&call_tool(&parts, &name, &arguments, &context).await?);
            }
            Request::Guard(request) => {
                return guard::call(opened, guard, &self.units, request).await;
            }
        }
        wire::nothing()
    }

    /// Whether a tool may be called: nothing when it may, else the verdict as JSON.
    pub(crate) fn check_tool_call(&self, tool: &str, arguments: &Value) -> Result<Option<Vec<u8>>> {
        guard::check_tool_call(&self.parts().project.guard, tool, arguments, None)
    }

    /// The parts of the loop.
    #[cfg(feature = "testing")]
    pub(crate) fn project(&self) -> ouro_engine::Project {
        self.parts().project.clone()
    }

    /// Stops the loop and waits for its end.
    pub(crate) async fn close(&self) {
        self.engine.stop_all().await;
    }

    async fn configure(&self, settings: &Settings) -> Result<()> {
        let _turn = self.turn.lock().await;
        // First what may fail: neither a wrong setting nor a server that is down may stop anything.
        let minds = connect(&self.opened, settings).await?;
        let running = self.interrupt().await?;
        let assembled = assemble(&self.opened, settings, minds);
        let changed = assembled.map(|parts| {
            *self.parts.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(parts);
        });
        match running {
            Some(plan) if plan.analysis_only || self.parts().project.config.enabled => {
                self.start(plan).await?;
            }
            // What the last loop says of quota and pause is true of the old guard only.
            _ => self.last().handle = None,
        }
        Ok(changed?)
    }

    async fn pause(&self) -> Result<()> {
        let _turn = self.turn.lock().await;
        if let Some(left) = self.interrupt().await? {
            self.last().paused = Some(left);
        }
        Ok(())
    }

    /// Stops a loop that runs, and gives how far it would still have gone.
    async fn interrupt(&self) -> Result<Option<RunPlan>> {
        let (running, plan) = {
            let last = self.last();
            (last.handle.clone().filter(LoopHandle::is_running), last.plan)
        };
        let (Some(running), Some((plan, began_at))) = (running, plan) else { return Ok(None) };
        running.stop().await;
        let done = self.iterations()?.saturating_sub(began_at);
        let done = u32::try_from(done).unwrap_or(u32::MAX);
        let iterations = plan.iterations.map(|all| all.saturating_sub(done).max(1));
        Ok(Some(RunPlan { iterations, ..plan }))
    }

    /// The caller has the turn.
    async fn start(&self, plan: RunPlan) -> Result<()> {
        // A host pauses its loop while its user types.
        self.note_edits();
        let began_at = self.iterations()?;
        let (running, before) = {
            let last = self.last();
            (last.handle.clone().filter(LoopHandle::is_running), last.plan)
        };
        let goes_on = before.is_some_and(|(before, _)| before.analysis_only == plan.analysis_only);
        if let Some(running) = running.as_ref().filter(|_| !goes_on) {
            running.stop().await;
        }
        let was_running = running.is_some() && goes_on;
        let handle = self.engine.start(self.parts().project.clone(), plan).await?;
        let mut last = self.last();
        last.paused = None;
        last.handle = Some(handle);
        if !was_running {
            last.plan = Some((plan, began_at));
        }
        Ok(())
    }

    fn iterations(&self) -> Result<u64> {
        Ok(self.opened.store.counters()?.iterations)
    }

    fn note_edits(&self) {
        self.opened.edits.note(self.opened.clock.now_ms());
    }

    /// A loop that has nothing left to ask looks again.
    fn wake(&self) {
        if let Some(handle) = &self.last().handle {
            handle.project_changed();
        }
    }

    async fn wait(&self, limit: Duration) -> Result<Option<StopReason>> {
        let Some(handle) = self.last().handle.clone() else {
            return Err(BridgeError::invalid("nothing was started, so nothing can be waited for"));
        };
        let clock = self.opened.clock.as_ref();
        match with_timeout(clock, limit, "the loop", handle.finished()).await {
            Ok(reason) => Ok(Some(reason?)),
            Err(_) => Ok(None),
        }
    }

    /// Counts what an answer cost towards the day of the loop.
    async fn spend(&self, usage: TokenUsage) -> Result<()> {
        let handle = self.last().handle.clone();
        match handle {
            Some(handle) => handle.spend(usage).await?,
            None => {
                let Opened { store, clock, .. } = &self.opened;
                spend_at_rest(store.clone(), clock.as_ref(), usage).await?;
            }
        }
        Ok(())
    }

    async fn stats(&self) -> Result<ProjectStats> {
        let (handle, paused) = {
            let last = self.last();
            (last.handle.clone(), last.paused.is_some())
        };
        let run = match &handle {
            Some(handle) if handle.is_running() => RunState::Running,
            _ if paused => RunState::Paused,
            _ => RunState::Stopped,
        };
        let store = &self.opened.store;
        let mut stats = match handle {
            Some(handle) => handle.stats(),
            None => {
                let parts = self.parts();
                let (config, guard) = (&parts.project.config, &parts.project.guard);
                resting_stats(store.clone(), config, guard, self.opened.clock.as_ref()).await?
            }
        };
        // The loop counts what it adds; the user deletes without it.
        stats.total_learning_records = u64::try_from(store.record_count()?).unwrap_or(u64::MAX);
        Ok(ProjectStats { stats, run })
    }

    fn failures(&self) -> Result<Vec<FailureRecord>> {
        let mut failures = self.opened.store.guard_state()?.failures;
        failures.sort_by_key(|failure| std::cmp::Reverse(failure.last_at));
        Ok(failures)
    }

    fn parts(&self) -> Arc<Parts> {
        self.parts.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn call_tool(
    parts: &Parts,
    name: &str,
    arguments: &Value,
    context: &ToolContext,
) -> Result<ToolResult> {
    let tools = &parts.own_tools;
    let Some(tool) = tools.get(name) else {
        let names: Vec<&str> = tools.specs().map(|spec| spec.name.as_str()).collect();
        let message = format!("no tool is called {name:?}; there are {}", names.join(", "));
        return Err(BridgeError::not_found(message));
    };
    // Whatever ends the wait, the tool must not go on.
    let _end = context.cancel.clone().drop_guard();
    let clock = parts.project.clock.as_ref();
    let called = tool.call(arguments, context);
    Ok(with_timeout(clock, context.time_limit, name, called).await??)
}
