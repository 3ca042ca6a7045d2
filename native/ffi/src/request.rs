//! What can be asked of an open project.

use ouro_core::{FreshnessStamp, OperationKind, QuotaKind, Rating, RecordId, ToolResult};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    error::BridgeError,
    wire::{self, Settings},
};

/// What [`crate::api::engine_call`] takes. Each says what the answer is; without a word of it, it is `null`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Request {
    /// Replaces the settings. A loop that runs is interrupted and goes on with the new ones; what was begun is resumed.
    Configure(Box<Settings>),
    /// Starts the loop and returns; where it runs already nothing happens. It takes the place of [`Self::Analyze`].
    Start {
        /// Ends after so many iterations and waits out pauses of up to a minute; without it the loop goes on until it
        /// is stopped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        iterations: Option<u32>,
    },
    /// Analyses the project at once and after each [`Self::ProjectChanged`], and marks the records whose sources changed,
    /// until it is stopped; returns at once. Nothing is learnt, so the project needs no opt-in. It takes the place of a
    /// loop that learns, which does the same by itself; [`Self::Stop`], [`Self::Pause`], [`Self::Resume`] and
    /// [`Self::Wait`] are about it, too.
    Analyze,
    /// Stops the loop until it is resumed, within two seconds; where it doesn't run nothing happens.
    Pause,
    /// Goes on after a pause, for as many iterations as were left; where there is no pause nothing happens.
    Resume,
    /// Stops the loop and returns when it has ended, within two seconds. It ends a pause, too.
    Stop,
    /// Waits until the loop has ended, which a pause does too: an [`ouro_core::StopReason`], or `null` when it has not by
    /// then.
    Wait {
        /// Longest wait, milliseconds.
        timeout_ms: u64,
    },
    /// Says that files of the project changed.
    ProjectChanged,
    /// How things stand: [`crate::wire::ProjectStats`].
    Stats,
    /// A page of records, newest first.
    Records {
        /// Only records older than this one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<RecordId>,
        /// At most so many; 0 means all.
        #[serde(default)]
        limit: usize,
    },
    /// One record.
    Record {
        /// Which one.
        id: RecordId,
    },
    /// The records that fit words best, best first.
    Search {
        /// The words.
        query: String,
    },
    /// Changes a record's marks; the record as it is now.
    MarkRecord {
        /// Which one.
        id: RecordId,
        /// Whether it is kept at the top; left as it is without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pinned: Option<bool>,
        /// The user's own words, which outrank the answer; empty ones take the correction back. Left as they are without
        /// it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        correction: Option<String>,
        /// What the user thinks of it; left as it is without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rating: Option<RatingMark>,
    },
    /// Removes a record.
    DeleteRecord {
        /// Which one.
        id: RecordId,
    },
    /// Marks a record to be answered anew: the next iteration takes its question up before any other. The record as it
    /// is now.
    AskAgain {
        /// Which one.
        id: RecordId,
    },
    /// All records as one Markdown text, oldest first: a JSON string.
    Export,
    /// The failure records, newest first.
    Failures,
    /// Forgets a failure, so that it may be tried again.
    ForgetFailure {
        /// Its signature or its id.
        signature: String,
    },
    /// The newest lines of the log, newest first.
    Log {
        /// At most so many.
        limit: usize,
    },
    /// Everything that is known about a query as one Markdown text, to put into another assistant's prompt: a JSON string,
    /// empty when nothing is known.
    Knowledge {
        /// The query.
        query: String,
        /// At most so many tokens.
        tokens: u64,
    },
    /// Answers a question from what is known: [`crate::wire::Answer`]. What a model's answer costs counts towards the day.
    Ask {
        /// The question.
        question: String,
    },
    /// The library's own tools, whether the host replaced them or not: [`ouro_core::ToolSpec`]s by name.
    Tools,
    /// Calls one of the library's own tools: an [`ouro_core::ToolResult`].
    CallTool {
        /// The tool.
        name: String,
        /// Its arguments.
        arguments: Value,
        /// Most characters of the result.
        #[serde(default = "default_max_chars")]
        max_chars: usize,
        /// Longest time, milliseconds.
        #[serde(default = "default_time_limit")]
        time_limit_ms: u64,
    },
    /// Asks or tells the project's guard.
    Guard(GuardRequest),
}

impl Request {
    /// Reads a request.
    ///
    /// # Errors
    /// `invalid_input` names the field that is missing or wrong.
    pub fn read(json: &[u8]) -> Result<Self, BridgeError> {
        wire::read("the request", json).map_err(|error| match wrong_field(json) {
            Some((field, why)) => BridgeError::invalid(format!("the request at `{field}`: {why}")),
            None => error,
        })
    }
}

/// The field whose value is wrong, and what is wrong with it. To find the `op`, serde reads a request as a whole first, and
/// no longer knows then which field an error is about: it is the one without which there is another error, or none.
fn wrong_field(json: &[u8]) -> Option<(String, String)> {
    fn error(request: Map<String, Value>) -> Option<String> {
        Request::deserialize(Value::Object(request)).err().map(|error| error.to_string())
    }
    let request: Map<String, Value> = serde_json::from_slice(json).ok()?;
    let why = error(request.clone()).filter(|why| !why.starts_with("missing field"))?;
    let mut fields = request.keys().filter(|name| !matches!(name.as_str(), "op" | "guard"));
    let field = fields.find(|name| {
        let mut rest = request.clone();
        rest.remove(*name);
        error(rest).as_ref() != Some(&why)
    })?;
    Some((field.clone(), why))
}

fn default_max_chars() -> usize {
    ouro_core::ToolContext::default().max_chars
}

fn default_time_limit() -> u64 {
    30_000
}

/// What can be asked of a project's guard, and told to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "guard", rename_all = "snake_case")]
pub enum GuardRequest {
    /// Whether a question may be explored: a verdict. Consumes nothing.
    CheckQuestion {
        /// The question.
        question: String,
    },
    /// Whether a tool may be called: a verdict.
    CheckToolCall {
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: Value,
        /// The present state of what the call would read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stamp: Option<FreshnessStamp>,
    },
    /// Keeps a tool's result, so that the same call is answered from memory. Errors are not kept.
    RecordToolResult {
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: Value,
        /// The state of what it read, taken before it read it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stamp: Option<FreshnessStamp>,
        /// What it found.
        result: ToolResult,
    },
    /// Records a failure: the [`ouro_core::FailureRecord`], or `null` for work that was cancelled on purpose.
    RecordFailure {
        /// What kind of operation.
        kind: OperationKind,
        /// The operation: a question, a tool's name.
        operation: String,
        /// What was being done. For a tool call, its arguments.
        #[serde(default)]
        context: Value,
        /// What happened.
        error: BridgeError,
    },
    /// Records that an operation succeeded: its failures are resolved.
    RecordSuccess {
        /// What kind of operation.
        kind: OperationKind,
        /// The operation.
        operation: String,
        /// What was being done.
        #[serde(default)]
        context: Value,
    },
    /// Takes a unit of the day's quota: a [`QuotaTaken`].
    Consume {
        /// Of what.
        kind: QuotaKind,
    },
    /// Gives back a unit whose work never started.
    Release {
        /// Of [`QuotaTaken`].
        unit: u64,
    },
    /// The day's quota: an [`ouro_core::QuotaStatus`].
    Quota,
    /// The pause after errors: a [`Backoff`].
    Backoff,
}

/// What a user thinks of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RatingMark {
    /// It stands higher.
    Useful,
    /// It stands lower.
    Useless,
    /// No opinion.
    None,
}

impl From<RatingMark> for Option<Rating> {
    fn from(mark: RatingMark) -> Self {
        match mark {
            RatingMark::Useful => Some(Rating::Useful),
            RatingMark::Useless => Some(Rating::Useless),
            RatingMark::None => None,
        }
    }
}

/// The answer to [`GuardRequest::Consume`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuotaTaken {
    /// Whether there was one.
    pub verdict: Value,
    /// What to give back if the work never starts; `None` without one.
    pub unit: Option<u64>,
}

/// The answer to [`GuardRequest::Backoff`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backoff {
    /// Errors in a row.
    pub consecutive_errors: u32,
    /// What is left of the pause, milliseconds.
    pub remaining_ms: u64,
    /// When it ends, epoch milliseconds.
    pub until: i64,
}
