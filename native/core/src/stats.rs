//! What a user sees of the loop: phase, statistics, log, events.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{LearningRecord, ProjectKey, Question, TokenUsage};

/// Where an iteration is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Not running.
    #[default]
    Idle,
    /// Reading what is known.
    LoadingMemory,
    /// Asking for questions.
    GeneratingQuestion,
    /// Calling tools.
    Exploring,
    /// Writing the answer.
    Summarizing,
    /// Resting: see the wait reason.
    Waiting,
}

/// What a local day has so much of and no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DayLimit {
    /// Questions taken up.
    Questions,
    /// Explorations started.
    Explorations,
    /// Tokens spent.
    Tokens,
}

/// Why the loop rests; it goes on by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum WaitReason {
    /// The pause between two iterations.
    Interval,
    /// A pause after errors.
    InBackoff {
        /// Errors in a row.
        consecutive_errors: u32,
    },
    /// The day's quota is used up.
    QuotaExhausted {
        /// Which one.
        which: DayLimit,
    },
    /// Everything worth asking is answered; waits for the next file change.
    ProjectUnchanged,
    /// Nothing new was proposed; waits for a file change, or ever longer until the next attempt.
    ConsecutiveDuplicates,
}

/// Why the loop ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum StopReason {
    /// The user, or the end of the process.
    UserStopped,
    /// The number of iterations that was asked for is done.
    IterationsDone,
    /// No model while one is chosen, or the project is not opted in.
    NotConfigured {
        /// What is missing.
        what: String,
    },
    /// The day's quota is used up, and the run was not to wait for it.
    QuotaExhausted {
        /// Epoch milliseconds.
        until: i64,
    },
    /// A pause after errors, and the run was not to wait for it.
    InBackoff {
        /// Epoch milliseconds.
        until: i64,
        /// The last error.
        #[serde(default)]
        cause: String,
    },
    /// Nothing changed since everything was answered, and the run was not to wait for it.
    ProjectUnchanged,
    /// Everything worth asking is answered.
    FullyCovered,
    /// Nothing in the project gave a question, and nothing was known before.
    NothingToAsk,
    /// Five questions in a row were asked before.
    ConsecutiveDuplicates,
    /// The run is done, nothing was learnt, and an error was why.
    NothingLearned {
        /// The last one.
        last_error: String,
    },
    /// Too many errors in a row.
    TooManyErrors {
        /// The last one.
        last_error: String,
    },
    /// The health checker stopped it.
    Unhealthy {
        /// Why.
        why: String,
    },
}

/// The day's quota.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotaStatus {
    /// Questions left.
    pub questions_remaining: u32,
    /// Questions a day.
    pub questions_limit: u32,
    /// Explorations left.
    pub explorations_remaining: u32,
    /// Explorations a day.
    pub explorations_limit: u32,
    /// When it starts anew, epoch milliseconds.
    pub resets_at: i64,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "issue", rename_all = "snake_case")]
pub enum HealthIssue {
    /// Errors in a row.
    ConsecutiveErrors {
        /// How many.
        count: u32,
    },
    /// Active, but no record for a while.
    NoProgress {
        /// Milliseconds since the last one.
        for_ms: u64,
    },
    /// Should be working, but isn't.
    IdleTooLong {
        /// Milliseconds.
        for_ms: u64,
    },
    /// A phase outlived its own time limit.
    PhaseOverdue {
        /// The phase.
        phase: Phase,
        /// Milliseconds in it.
        for_ms: u64,
    },
    /// More tokens than allowed.
    OverTokenBudget {
        /// Used.
        used: u64,
        /// Allowed.
        budget: u64,
    },
    /// The store is nearly full.
    StoreNearLimit {
        /// Bytes.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
}

/// What to do about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum SuggestedAction {
    /// Nothing.
    #[default]
    None,
    /// Begin the iteration anew.
    Restart,
    /// Wait.
    WaitUntil {
        /// Epoch milliseconds.
        at: i64,
    },
    /// Look at the model's endpoint.
    CheckModel,
    /// Stop the loop.
    Stop,
}

/// The health checker's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthReport {
    /// No issue.
    pub healthy: bool,
    /// What is wrong.
    pub issues: Vec<HealthIssue>,
    /// What to do.
    pub suggested_action: SuggestedAction,
}

impl Default for HealthReport {
    fn default() -> Self {
        Self { healthy: true, issues: Vec::new(), suggested_action: SuggestedAction::None }
    }
}

/// Everything a user wants to know about one project's loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvolutionStats {
    /// The project.
    pub project_key: ProjectKey,
    /// Questions taken up, ever.
    pub total_questions: u64,
    /// Questions taken up today.
    pub today_questions: u32,
    /// Records, ever.
    pub total_learning_records: u64,
    /// Loops found in replies and in tool calls, ever.
    #[serde(default)]
    pub loops_detected: u64,
    /// Errors in a row.
    pub consecutive_errors: u32,
    /// When a record was last written, epoch milliseconds.
    pub last_evolution_time: Option<i64>,
    /// Where the loop is.
    pub current_phase: Phase,
    /// Since when, epoch milliseconds.
    pub phase_since: i64,
    /// Until when it waits, epoch milliseconds; `None` when it waits for no clock.
    pub waiting_until: Option<i64>,
    /// Why it waits.
    pub wait_reason: Option<WaitReason>,
    /// Why it ended.
    pub stop_reason: Option<StopReason>,
    /// Tokens spent on this local day.
    pub tokens_today: TokenUsage,
    /// The day's quota.
    pub quota: QuotaStatus,
    /// How it is doing.
    pub health: HealthReport,
}

/// One line of the loop's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionLog {
    /// Epoch milliseconds.
    pub timestamp: i64,
    /// Where the loop was.
    pub phase: Phase,
    /// The question, if there was one.
    pub question: Option<String>,
    /// Whether it went well.
    pub success: bool,
    /// The error, why a question was refused or put aside, why the loop rests or ended.
    pub error: Option<String>,
    /// Milliseconds.
    pub duration_ms: u64,
}

/// What happens, as it happens. The JSON form is `ouro evolve --json`'s.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A new phase.
    Phase {
        /// Which.
        phase: Phase,
        /// Epoch milliseconds.
        at: i64,
    },
    /// A question was taken up.
    Question {
        /// It.
        question: Question,
        /// Epoch milliseconds.
        at: i64,
    },
    /// A question was refused.
    QuestionRefused {
        /// It.
        question: String,
        /// Why, in a sentence.
        reason: String,
    },
    /// A tool was called.
    ToolCall {
        /// Its name.
        tool: String,
        /// Its arguments.
        arguments: Value,
        /// What came back, in a sentence.
        summary: String,
        /// Whether it came from the cache.
        cached: bool,
        /// Whether it failed.
        is_error: bool,
        /// Milliseconds.
        duration_ms: u64,
    },
    /// A model ran in circles: its reply was broken off or put away, or its calls came around again.
    LoopDetected {
        /// The loop.
        #[serde(flatten)]
        found: crate::LoopReport,
    },
    /// Tokens were spent.
    Tokens {
        /// In this iteration so far.
        iteration: TokenUsage,
    },
    /// A record is durable.
    RecordSaved {
        /// It.
        record: Box<LearningRecord>,
    },
    /// Records were found to rest on sources that changed, or on sources that are again as they were.
    RecordsMarked {
        /// How many.
        count: usize,
    },
    /// The loop rests.
    Waiting {
        /// Why.
        #[serde(flatten)]
        reason: WaitReason,
        /// Epoch milliseconds; `None` when it waits for no clock.
        until: Option<i64>,
        /// In the user's language.
        message: String,
    },
    /// Something failed; the loop goes on if it can.
    Error {
        /// What kind.
        kind: crate::ErrorKind,
        /// What, where and how to mend it.
        message: String,
    },
    /// The loop ended.
    Finished {
        /// Why.
        #[serde(flatten)]
        reason: StopReason,
        /// In the user's language.
        message: String,
        /// How things stand.
        stats: Box<EvolutionStats>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_have_the_form_that_programs_read() {
        let waiting = Event::Waiting {
            reason: WaitReason::QuotaExhausted { which: DayLimit::Questions },
            until: Some(5),
            message: "m".into(),
        };
        let json = serde_json::to_value(&waiting).unwrap();
        assert_eq!(
            json,
            serde_json::json!({ "event": "waiting", "reason": "quota_exhausted", "which": "questions", "until": 5, "message": "m" })
        );
        assert_eq!(serde_json::from_value::<Event>(json).unwrap(), waiting);
    }
}
