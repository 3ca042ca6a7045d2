//! A service between two runs of its program.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{LoopDetected, LoopDetectionService, channel::Tape, messages::Messages};
use crate::{
    Channel, Profile,
    calls::DetectorState,
    judge::{JudgeUsage, Schedule, Transcript},
    ladder::Ladder,
};

/// The version of [`ServiceState`] that this crate writes and reads.
const VERSION: u32 = 1;

/// Everything a service remembers; goes through any format of serde.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceState {
    version: u32,
    profile: Profile,
    calls: DetectorState,
    content: Tape,
    reasoning: Tape,
    #[serde(default)]
    thoughts: Tape,
    #[serde(default)]
    replies: Messages,
    ladder: Ladder,
    found: Option<LoopDetected>,
    disabled: bool,
    prompt_id: String,
    events: u64,
    messages: Vec<u64>,
    schedule: Schedule,
    transcript: Transcript,
    usage: JudgeUsage,
}

/// Why a stored state can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateError(String);

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the stored state of a loop detection service: {}", self.0)
    }
}

impl std::error::Error for StateError {}

impl LoopDetectionService {
    /// Everything the service remembers.
    ///
    /// Tool calls go on exactly as they would have. Of streamed text the last 16,384 UTF-16 code units are kept, and only
    /// if [`Config::resumable`](crate::Config::resumable) is on: a text that is no longer goes on exactly, too; without
    /// it, texts begin anew. Profiles that judge text chunk by chunk (`gemini-cli`, `qwen-code`) go on as if it had come in
    /// one chunk.
    pub fn state(&self) -> ServiceState {
        ServiceState {
            version: VERSION,
            profile: self.config.profile,
            calls: self.calls.state(),
            content: self.content.tape().clone(),
            reasoning: self.reasoning.tape().clone(),
            thoughts: self.thoughts.tape().clone(),
            replies: self.replies.clone(),
            ladder: self.ladder.clone(),
            found: self.found.clone(),
            disabled: self.disabled,
            prompt_id: self.prompt_id.clone(),
            events: self.events,
            messages: self.messages.clone(),
            schedule: self.schedule.clone(),
            transcript: self.transcript.clone(),
            usage: self.usage,
        }
    }

    /// Goes on where another service of the same configuration stood. On an error this service is as it was.
    ///
    /// # Errors
    /// For a state of another version or profile, or one that no service can have.
    pub fn restore(&mut self, state: ServiceState) -> Result<(), StateError> {
        if state.version != VERSION {
            return Err(StateError(format!("its version is {}, not {VERSION}", state.version)));
        }
        if state.profile != self.config.profile {
            return Err(StateError(format!(
                "it is one of profile `{}`, not `{}`",
                state.profile, self.config.profile
            )));
        }
        if !state.ladder.is_sound()
            || !state.transcript.is_sound()
            || !state.replies.is_sound()
            || state.messages.len() > super::MESSAGES
        {
            return Err(StateError("it is damaged: a count is out of range".into()));
        }
        let mut service = Self::with(self.config.clone());
        service.calls.restore(state.calls).map_err(StateError)?;
        let config = self.config.clone();
        service.content.restore(&config, Channel::Content, state.content).map_err(StateError)?;
        service
            .reasoning
            .restore(&config, Channel::Reasoning, state.reasoning)
            .map_err(StateError)?;
        service
            .thoughts
            .restore(&config, Channel::ToolCalls, state.thoughts)
            .map_err(StateError)?;
        service.replies = state.replies;
        service.ladder = state.ladder;
        service.found = state.found;
        service.disabled = state.disabled;
        service.prompt_id = state.prompt_id;
        service.events = state.events;
        service.messages = state.messages;
        service.schedule = state.schedule;
        service.transcript = state.transcript;
        service.usage = state.usage;
        *self = service;
        Ok(())
    }

    /// The profile this service follows.
    pub fn profile(&self) -> Profile {
        self.config.profile
    }
}
