//! What the guard keeps across restarts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ErrorKind, EvolutionConfig, ProjectKey, RecordId, ToolResult};

/// Layer 4: consecutive errors and the pause they caused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackoffState {
    /// Errors in a row.
    pub consecutive_errors: u32,
    /// When the last one happened, epoch milliseconds.
    pub last_error_at: i64,
    /// Length of the current pause, milliseconds; 0 for none.
    pub pause_ms: u64,
    /// When it ends, epoch milliseconds.
    pub until: i64,
    /// The last error, in a sentence.
    #[serde(default)]
    pub cause: String,
    /// The reasoner that the errors befell: another one need not wait. Empty for one that is not known.
    #[serde(default)]
    pub reasoner: String,
}

/// Layer 5: what was used on a local day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotaState {
    /// The local day, `YYYY-MM-DD`; never goes back.
    pub day: String,
    /// Questions used.
    pub questions: u32,
    /// Explorations used.
    pub explorations: u32,
}

/// What can use up quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuotaKind {
    /// A question taken up.
    Questions,
    /// An exploration started.
    Explorations,
}

/// What kind of operation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationKind {
    /// Asking the reasoner for questions.
    GenerateQuestions,
    /// Exploring a question.
    Exploration,
    /// Calling a tool.
    ToolCall,
    /// Summing up.
    Summarize,
    /// Computing a vector.
    Embed,
    /// Writing to the store.
    Store,
}

/// Whether it makes sense to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// Time-outs, 429, 5xx, connection refused: once the backoff is over.
    Transient,
    /// Bad request, not found, parse: never.
    Permanent,
    /// Anything else: a few times.
    Unknown,
}

impl From<ErrorKind> for ErrorClass {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Unavailable
            | ErrorKind::RateLimited
            | ErrorKind::Timeout
            | ErrorKind::InUse => Self::Transient,
            ErrorKind::InvalidInput
            | ErrorKind::NotFound
            | ErrorKind::Refused
            | ErrorKind::BadReply
            | ErrorKind::TooNew => Self::Permanent,
            _ => Self::Unknown,
        }
    }
}

/// Where a failure record is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureStatus {
    /// Recorded.
    Pending,
    /// An avoid strategy is known.
    Analysed,
    /// The same operation succeeded later.
    Resolved,
    /// Given up.
    Abandoned,
}

/// How to avoid a failure the next time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AvoidStrategy {
    /// Why it failed.
    pub cause: String,
    /// What to do instead.
    pub avoid_strategy: String,
    /// Whether and how to retry.
    pub retry_suggestion: String,
}

/// Layer 3: one operation that failed, however often.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailureRecord {
    /// Sorts by the first failure.
    pub id: RecordId,
    /// The project.
    pub project_key: ProjectKey,
    /// What kind of operation.
    pub operation_kind: OperationKind,
    /// The operation: a question, a tool's name.
    pub operation: String,
    /// SHA-256 over kind, operation and the stable part of the context, hex.
    pub signature: String,
    /// The last error's message.
    pub error: String,
    /// Its class.
    pub error_class: ErrorClass,
    /// What was being done: arguments, step, model.
    pub context: Value,
    /// First time, epoch milliseconds.
    pub first_at: i64,
    /// Last time, epoch milliseconds.
    pub last_at: i64,
    /// How often.
    pub attempts: u32,
    /// Where it is in its life.
    pub status: FailureStatus,
    /// How to avoid it, once analysed.
    pub strategy: Option<AvoidStrategy>,
}

/// What became of a question that was taken up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionOutcome {
    /// Taken up, not finished.
    Started,
    /// Answered by a record.
    Learned,
    /// Explored without a result.
    Failed,
    /// Refused or put aside.
    Skipped,
}

/// A question that was taken up once; kept apart from learning records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskedQuestion {
    /// SHA-256 of the normalised question, hex.
    pub hash: String,
    /// The question.
    pub question: String,
    /// When, epoch milliseconds.
    pub at: i64,
    /// What became of it.
    pub outcome: QuestionOutcome,
    /// The record that answers it.
    pub record: Option<RecordId>,
    /// The limits that cut its exploration short before enough was found: under others it may be asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<ExplorationLimits>,
}

/// What ends an exploration, however little was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplorationLimits {
    /// Tool calls.
    pub steps: u32,
    /// Milliseconds.
    pub timeout_ms: u64,
    /// Tokens in one iteration.
    pub tokens: u64,
}

impl From<&EvolutionConfig> for ExplorationLimits {
    fn from(config: &EvolutionConfig) -> Self {
        Self {
            steps: config.effective().max_exploration_steps,
            timeout_ms: config.exploration_timeout_ms,
            tokens: config.max_tokens_per_iteration,
        }
    }
}

/// The state of what a tool read, so that a changed file is read again.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FreshnessStamp(pub String);

/// Layer 2: one tool call and its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CachedToolCall {
    /// SHA-256 over the tool's name and its canonical arguments, hex.
    pub signature: String,
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// The result; never an error.
    pub result: ToolResult,
    /// When, epoch milliseconds.
    pub at: i64,
    /// The state of what it read; `None` holds for a time.
    pub stamp: Option<FreshnessStamp>,
}

/// Everything the guard reads when it opens.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GuardState {
    /// Layer 4.
    pub backoff: BackoffState,
    /// Layer 5.
    pub quota: QuotaState,
    /// Layer 3, oldest first.
    pub failures: Vec<FailureRecord>,
    /// Layer 1's exact step, oldest first.
    pub asked: Vec<AskedQuestion>,
    /// Layer 2, oldest first.
    pub tool_calls: Vec<CachedToolCall>,
}
