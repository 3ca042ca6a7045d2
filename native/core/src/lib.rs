//! Domain types and ports of Ouro.
//!
//! Everything that two crates must agree on is here, and nothing else: no I/O, no policy. The ports ([`Reasoner`],
//! [`ChatModel`], [`Embedder`], [`RecordStore`], [`Tool`], [`TextIndex`], [`ProjectSource`], [`Clock`], [`Random`])
//! are implemented by the adapters and by the doubles in `ouro-testkit`.

pub mod analysis;
pub mod clock;
mod config;
mod display;
mod error;
mod examples;
mod guard_state;
mod id;
mod model;
mod question;
mod random;
mod reasoner;
mod record;
mod search;
mod stats;
mod store;
mod tokens;
mod tool;
pub mod vector_search;

pub use analysis::ProjectAnalysis;
pub use clock::{Clock, SystemClock};
pub use config::{EvolutionConfig, Language};
pub use display::is_display_control;
pub use error::{Error, ErrorKind, Result};
pub use examples::example_calls;
pub use guard_state::{
    AskedQuestion, AvoidStrategy, BackoffState, CachedToolCall, ErrorClass, ExplorationLimits,
    FailureRecord, FailureStatus, FreshnessStamp, GuardState, OperationKind, QuestionOutcome,
    QuotaKind, QuotaState,
};
pub use id::{ProjectKey, RecordId, sha256_hex};
pub use model::{
    Abandoned, ChatMessage, ChatModel, ChatReply, ChatRequest, ChatRole, Embedder, Held,
    ReplyDelta, ReplyObserver, ReplySchema, Reranker, SharedEmbedder, TokenUsage, Unwatched,
};
pub use question::{Level, Question, QuestionType, Topic};
pub use random::{Random, SeededRandom};
pub use reasoner::{
    ActionRequest, LoopReport, NextAction, Observation, QuestionRequest, Reasoner, Summary,
    SummaryRequest, Thought,
};
pub use record::{
    Correction, EvolutionStatus, Freshness, KnowledgeGap, LearningRecord, ProjectMemory, Rating,
    RecordMarks, SourceRef, StoredVector, ToolCallStep, VectorRole,
};
pub use search::{TextDocument, TextHit, TextIndex};
pub use stats::{
    DayLimit, Event, EvolutionLog, EvolutionStats, HealthIssue, HealthReport, Phase, QuotaStatus,
    StopReason, SuggestedAction, WaitReason,
};
pub use store::{Change, Counters, InFlight, LastEnd, RecordQuery, RecordStore, RunLimits};
pub use tokens::{cut_to_tokens, estimate_tokens};
pub use tool::{SourceLine, Tool, ToolContext, ToolRegistry, ToolResult, ToolSpec};
pub use vector_search::{VectorCatalog, VectorHit, VectorSearch};

/// The port to project analysis.
pub trait ProjectSource: Send + Sync {
    /// Brings the analysis up to date (only what changed is read again) and returns it. Blocks: seconds at first,
    /// milliseconds later; gives up soon after `cancel`.
    ///
    /// # Errors
    /// `NotFound`, `Refused` or `InvalidInput` for a root that can't be read, `Cancelled`.
    fn refresh(
        &self,
        cancel: &tokio_util::sync::CancellationToken,
    ) -> Result<std::sync::Arc<ProjectAnalysis>>;
}
