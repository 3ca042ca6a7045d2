//! What one project's loop is made of.

use std::sync::Arc;

use ouro_core::{
    Clock, Event, EvolutionConfig, ProjectKey, ProjectSource, Random, Reasoner, RecordStore,
    SharedEmbedder, ToolRegistry,
};
use ouro_guard::DoomLoopGuard;

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
    /// When an iteration that ends now is followed by the next one, epoch milliseconds.
    pub(crate) fn after_interval(&self) -> i64 {
        self.clock.now_ms().saturating_add_unsigned(self.config.interval_ms)
    }
}
