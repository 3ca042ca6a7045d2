//! What one project's loop is made of.

use std::sync::Arc;

use ouro_core::{
    Change, Clock, Event, EvolutionConfig, EvolutionLog, Phase, ProjectKey, ProjectSource, Random,
    Reasoner, RecordStore, SharedEmbedder, ToolRegistry,
};
use ouro_guard::DoomLoopGuard;

use crate::blocking::blocking;

/// Receives every event of one project, in order. Called from the loop's task: it must return at once.
pub type EventSink = Arc<dyn Fn(Event) + Send + Sync>;

/// The parts of one project, put together by whoever composes (the command, the bridge).
#[derive(Clone)]
pub struct Project {
    /// Names it.
    pub key: ProjectKey,
    /// The user's settings.
    pub config: EvolutionConfig,
    /// Its durable state.
    pub store: Arc<dyn RecordStore>,
    /// Its guard.
    pub guard: Arc<DoomLoopGuard>,
    /// Who thinks.
    pub reasoner: Arc<dyn Reasoner>,
    /// Makes vectors.
    pub embedder: SharedEmbedder,
    /// How loops in replies and in tool calls are found.
    pub detection: Arc<ouro_detect::CheckedConfig>,
    /// What an exploration can call.
    pub tools: ToolRegistry,
    /// Scans the tree.
    pub source: Arc<dyn ProjectSource>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Random>,
    /// Who listens.
    pub events: EventSink,
}

impl Project {
    /// Adds a line to the log: what went well, or what didn't, each with what there is to say. Nothing depends on it.
    pub(crate) async fn log(&self, phase: Phase, question: Option<&str>, said: Result<&str, &str>) {
        let line = EvolutionLog {
            timestamp: self.clock.now_ms(),
            phase,
            question: question.map(str::to_owned),
            success: said.is_ok(),
            error: said.map_or_else(Some, Some).map(str::to_owned),
            duration_ms: 0,
        };
        self.write(Change::AppendLog(line)).await;
    }

    /// Writes what the loop can do without. A store that takes nothing is told by what it can't.
    pub(crate) async fn write(&self, change: Change) {
        let store = self.store.clone();
        if let Err(error) = blocking(move || store.commit(&[change])).await {
            tracing::warn!(project = %self.key, %error, "the loop's books are incomplete");
        }
    }

    /// When an iteration that ends now is followed by the next one, epoch milliseconds.
    pub(crate) fn after_interval(&self) -> i64 {
        self.clock.now_ms().saturating_add_unsigned(self.config.interval_ms)
    }
}
