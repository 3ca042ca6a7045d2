//! One service watches one session: tool calls, streamed content, reasoning and turns.

mod channel;
mod detected;
mod messages;
mod state;
mod thought;

use std::{future::Future, sync::Arc};

pub use detected::{LoopDetected, Span};
pub use messages::MessagesConfig;
pub use state::{ServiceState, StateError};

use crate::{
    Channel, CheckedConfig, Chunk, Config, ConfigError, Event, LoopKind, Profile, TextLoop,
    ToolCall, ToolResult,
    calls::{CallExcerpt, ToolCallDetector},
    canonical::hash_bytes,
    judge::{self, Judge, JudgeUsage, Schedule, Transcript},
    ladder::{Ladder, Level, advice},
    semantic::Embedder,
};
use channel::TextChannel;
use messages::{Messages, Repeated};

/// How many messages of the user are remembered, to tell a new one from one that a host repeats.
const MESSAGES: usize = 8;

/// Watches one session of an agent. See the [crate's documentation](crate) for its use.
///
/// Any order of events has a defined answer: an answer to no known call is ignored, calls without an answer are judged by
/// their arguments, empty chunks change nothing, and NUL is a character like any other.
#[derive(Debug, Clone)]
pub struct LoopDetectionService {
    config: Arc<CheckedConfig>,
    calls: ToolCallDetector,
    content: TextChannel,
    reasoning: TextChannel,
    /// What was said by calls, one after the other, that say nothing but a thought.
    thoughts: TextChannel,
    replies: Messages,
    ladder: Ladder,
    found: Option<LoopDetected>,
    disabled: bool,
    prompt_id: String,
    /// Events so far.
    events: u64,
    messages: Vec<u64>,
    schedule: Schedule,
    transcript: Transcript,
    usage: JudgeUsage,
    judge_failure: Option<String>,
}

impl LoopDetectionService {
    /// A service at the start of a session.
    ///
    /// # Errors
    /// If the configuration has a value that is not allowed; see [`Config::validate`].
    pub fn new(config: impl Into<Arc<Config>>) -> Result<Self, ConfigError> {
        let config = Arc::unwrap_or_clone(config.into());
        Ok(Self::with(Arc::new(CheckedConfig::new(config)?)))
    }

    /// As [`Self::new`] with the layers that fit a model's name.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn for_model(config: &Config, model: &str) -> Result<Self, ConfigError> {
        Self::new(config.for_model(model)?)
    }

    /// A service at the start of a session, with a configuration that was checked before: less than a microsecond.
    pub fn with(config: Arc<CheckedConfig>) -> Self {
        let calls = match config.profile {
            Profile::Adaptive => ToolCallDetector::adaptive(&config.calls, config.by_tool()),
            Profile::GeminiCli => ToolCallDetector::gemini(&config.gemini_calls),
            Profile::QwenCode => ToolCallDetector::qwen(&config.qwen_calls),
            Profile::Checkpoints => ToolCallDetector::off(),
        };
        Self {
            config,
            calls,
            content: TextChannel::default(),
            reasoning: TextChannel::default(),
            thoughts: TextChannel::default(),
            replies: Messages::default(),
            ladder: Ladder::default(),
            found: None,
            disabled: false,
            prompt_id: String::new(),
            events: 0,
            messages: Vec::new(),
            schedule: Schedule::default(),
            transcript: Transcript::default(),
            usage: JudgeUsage::default(),
            judge_failure: None,
        }
    }

    /// Takes in an event and says whether the session is in a loop.
    ///
    /// Once a loop is found, every later event of the prompt is answered with it, until [`Self::reset`] (or a reset
    /// event), or until the host has dealt with it and says so by [`Self::acknowledge`].
    pub fn add_and_check(&mut self, event: &Event<'_>) -> Option<LoopDetected> {
        let at = self.events;
        self.events = self.events.saturating_add(1);
        if self.disabled {
            return None;
        }
        if let Event::Reset { prompt_id } = event {
            self.reset(prompt_id);
            return None;
        }
        if matches!(event, Event::TurnStarted) {
            self.schedule.begin_turn();
        }
        if self.found.is_some() {
            return self.found.clone();
        }
        if self.config.judge.enabled {
            self.record(event);
        }
        self.calls.at(at);
        match event {
            Event::Content(chunk) => {
                self.replies.push(chunk, at);
                if let Some(found) = self.content.push(&self.config, Channel::Content, chunk) {
                    self.text_loop(found, Channel::Content, at);
                }
            }
            Event::Reasoning(chunk) => {
                if let Some(found) = self.reasoning.push(&self.config, Channel::Reasoning, chunk) {
                    self.text_loop(found, Channel::Reasoning, at);
                }
            }
            Event::ToolCall(call) => {
                self.content.tool_called();
                self.reasoning.tool_called();
                self.replies.reset();
                let found = self.calls.call(call);
                self.call_loop(found);
                self.think(call, at);
            }
            Event::ToolResult(result) => {
                let found = self.calls.result(result);
                self.call_loop(found);
            }
            Event::TurnStarted => {
                // A request's reasoning is a text of its own.
                self.reasoning.reset();
                let found = self.calls.turn_started();
                self.call_loop(found);
                self.turn_ended(at);
            }
            Event::UserMessage(message) => self.user_message(message),
            Event::Reset { .. } => {}
        }
        self.found.clone()
    }

    /// As [`Self::add_and_check`], for a call and its answer at once: a host that knows the answer before it asks whether this
    /// is a loop has the call judged with it, not by a guess at it. Counts as two events.
    pub fn add_answered_call(
        &mut self,
        call: &ToolCall<'_>,
        result: &ToolResult<'_>,
    ) -> Option<LoopDetected> {
        let at = self.events;
        self.events = self.events.saturating_add(2);
        if self.disabled {
            return None;
        }
        if self.found.is_some() {
            return self.found.clone();
        }
        if self.config.judge.enabled {
            self.transcript.called(call);
            self.transcript.answered(result);
        }
        self.calls.at(at);
        self.content.tool_called();
        self.reasoning.tool_called();
        self.replies.reset();
        let found = self.calls.answered_call(call, result);
        self.call_loop(found);
        self.think(call, at);
        self.found.clone()
    }

    /// Counts an event that the service does not know, so that later ones keep their numbers.
    pub fn skip_event(&mut self) {
        self.events = self.events.saturating_add(1);
    }

    /// A turn begins: as the event, and if it is time for it, a model is asked whether the session is getting anywhere.
    ///
    /// The future does nothing on its own account and needs no particular runtime; dropping it cancels the question. A
    /// judge that fails or takes too long means no loop; [`Self::judge_failure`] says why.
    pub fn turn_started<'a>(
        &'a mut self,
        judge: &'a dyn Judge,
    ) -> impl Future<Output = Option<LoopDetected>> + Send + 'a {
        let found = self.add_and_check(&Event::TurnStarted);
        let config = Arc::clone(&self.config);
        let due = found.is_none() && !self.disabled && config.judge.enabled && {
            let smell = self.transcript.smell().max(f64::from(self.calls.suspicion()));
            self.schedule.is_due(&config.judge, smell)
        };
        async move {
            if !due {
                return found;
            }
            let turns = self.transcript.render();
            match judge::ask(judge, &config.judge, turns, &mut self.usage).await {
                Ok(opinion) => {
                    self.judge_failure = None;
                    self.schedule.judged(&config.judge, opinion.confidence);
                    if opinion.is_loop {
                        self.judged(&opinion);
                    }
                }
                Err(failure) => self.judge_failure = Some(failure),
            }
            self.found.clone()
        }
    }

    /// Compares what was said since the last call in meaning, if [`Config::semantic`] is enabled: one vector for each new
    /// paragraph. To be called when a reply has got on by some text or is over; the reasoning before the turn is over.
    ///
    /// As with [`Self::turn_started`], dropping the future cancels the requests, and an embedder that fails or takes too
    /// long means no loop; [`Self::judge_failure`] says why.
    pub async fn check_meaning(&mut self, embedder: &dyn Embedder) -> Option<LoopDetected> {
        for channel in [Channel::Content, Channel::Reasoning] {
            if self.disabled || self.found.is_some() {
                break;
            }
            let text = match channel {
                Channel::Content => &mut self.content,
                _ => &mut self.reasoning,
            };
            let Some(meaning) = text.meaning() else { continue };
            if let Err(failure) = meaning.check(embedder).await {
                self.judge_failure = Some(failure);
            }
            if let Some(found) = meaning.found() {
                let found = text.placed(found);
                self.text_loop(found, channel, self.events.saturating_sub(1));
            }
        }
        self.found.clone()
    }

    /// Why the last question to a judge or an embedder brought nothing, for the host's debug log.
    pub fn judge_failure(&self) -> Option<&str> {
        self.judge_failure.as_deref()
    }

    /// What judging has cost since the service began.
    pub fn judge_usage(&self) -> JudgeUsage {
        self.usage
    }

    /// The loop that this prompt is in.
    pub fn found(&self) -> Option<&LoopDetected> {
        self.found.as_ref()
    }

    /// How near the tool calls are to a loop, 0 to 1: an early warning.
    pub fn suspicion(&self) -> f32 {
        if self.disabled { 0.0 } else { self.calls.suspicion() }
    }

    /// The host has followed the advice and the session goes on. The same loop is found again on half the evidence and
    /// climbs the ladder; another one begins at its foot. The count of calls in the prompt goes on.
    pub fn acknowledge(&mut self) {
        let Some(found) = self.found.take() else {
            return;
        };
        match found.channel {
            Channel::ToolCalls => {
                self.calls.acknowledge();
                self.thoughts.acknowledge();
            }
            Channel::Content => {
                self.content.acknowledge();
                self.replies.reset();
            }
            Channel::Reasoning => self.reasoning.acknowledge(),
            Channel::Session => {}
        }
    }

    /// A new prompt begins: everything is forgotten but the switch of [`Self::disable_for_session`], the number of
    /// events, and, in the reference profiles, what their originals keep.
    pub fn reset(&mut self, prompt_id: &str) {
        self.calls.reset();
        self.content.reset();
        self.reasoning.reset();
        self.thoughts.reset();
        self.replies.reset();
        self.ladder.rearm();
        self.found = None;
        self.messages.clear();
        self.schedule = Schedule::default();
        self.transcript.clear();
        self.prompt_id.clear();
        self.prompt_id.push_str(prompt_id.get(..prompt_id.floor_char_boundary(200)).unwrap_or(""));
    }

    /// Finds nothing any more, whatever comes.
    pub fn disable_for_session(&mut self) {
        self.disabled = true;
        self.found = None;
    }

    /// A message that was not there before begins a piece of work of its own; one that a host sends again and again
    /// ("continue") does not.
    fn user_message(&mut self, message: &str) {
        let hash = hash_bytes(32, message.trim().as_bytes());
        if self.messages.contains(&hash) {
            return;
        }
        if self.messages.len() >= MESSAGES {
            self.messages.remove(0);
        }
        self.messages.push(hash);
        self.calls.prompt_changed();
        self.content.reset();
        self.reasoning.reset();
        self.thoughts.reset();
        self.replies.reset();
    }

    /// Reads what a call says that does nothing but think, as reasoning is read. Any other call begins a new text.
    fn think(&mut self, call: &ToolCall<'_>, at: u64) {
        let Some(thought) = thought::thought(&call.name, &call.args) else {
            self.thoughts.reset();
            return;
        };
        let chunk = Chunk::Utf8(format!("{thought}\n").into());
        let found = self.thoughts.push(&self.config, Channel::ToolCalls, &chunk);
        if let Some(found) = found.filter(|_| self.found.is_none()) {
            self.text_loop(found, Channel::ToolCalls, at);
            if let Some(found) = &mut self.found {
                found.calls.push(CallExcerpt::of(&call.name, &call.args));
            }
        }
    }

    fn call_loop(&mut self, found: Option<crate::calls::CallLoop>) {
        let rearm = self.config.ladder.rearm_after;
        if rearm != 0 && self.calls.recovered() >= rearm {
            self.ladder.rearm();
        }
        if let Some(found) = found {
            let level = if found.rule == crate::calls::CallRule::Cap {
                Level::Stop
            } else {
                self.ladder.climb(found.identity, &self.config.ladder)
            };
            self.found = Some(LoopDetected::of_calls(found, &self.prompt_id, level));
        }
    }

    /// A turn without a tool call is over: what it said may have been said before.
    fn turn_ended(&mut self, at: u64) {
        if self.config.profile != Profile::Adaptive {
            return;
        }
        let threshold = self.config.messages.repeated;
        let repeated = self.replies.turn_ended(threshold);
        let Some(Repeated { times, onset, message }) = repeated else { return };
        if self.found.is_some() {
            return;
        }
        const IDENTITY: u64 = 35;
        let level = self.ladder.climb(IDENTITY, &self.config.ladder);
        self.found = Some(LoopDetected {
            kind: LoopKind::Paragraph,
            channel: Channel::Content,
            rule: "repeated_messages".to_owned(),
            at_event: at,
            onset_event: Some(onset),
            span: None,
            pattern: Some(message.clone()),
            calls: Vec::new(),
            period: message.chars().count() as u64,
            count: times.into(),
            threshold: Some(threshold.into()),
            evidence: format!(
                "{times} turns say what one of the {} before had said, and call no tool; the last one: {message:?} (rule \
                 `repeated_messages`, threshold {threshold}; from event {onset})",
                messages::REMEMBERED
            ),
            cleared_by:
                "a message that says something new, a tool call, or a new message of the user"
                    .to_owned(),
            prompt_id: self.prompt_id.clone(),
            identity: IDENTITY,
            level,
            recovery: advice(level, || {
                "You are saying the same again without being asked. If the task is done, end your reply; otherwise take \
                 the next step."
                    .to_owned()
            }),
        });
    }

    fn text_loop(&mut self, found: TextLoop, channel: Channel, at: u64) {
        let identity = detected::text_identity(&found, channel);
        let level = self.ladder.climb(identity, &self.config.ladder);
        self.found = Some(LoopDetected::of_text(found, channel, at, &self.prompt_id, level));
    }

    fn judged(&mut self, opinion: &judge::Opinion) {
        const IDENTITY: u64 = 33;
        let level = self.ladder.climb(IDENTITY, &self.config.ladder);
        let confidence = opinion.confidence;
        self.found = Some(LoopDetected {
            kind: LoopKind::ModelDetected,
            channel: Channel::Session,
            rule: "judge".to_owned(),
            at_event: self.events.saturating_sub(1),
            onset_event: None,
            span: None,
            pattern: None,
            calls: Vec::new(),
            period: 1,
            count: 1,
            threshold: None,
            evidence: format!(
                "a model judges the last turns unproductive with confidence {confidence:.2} (threshold {}): {}",
                self.config.judge.confidence,
                opinion.analysis.chars().take(400).collect::<String>()
            ),
            cleared_by: "a turn that gets nearer to what was asked".to_owned(),
            prompt_id: self.prompt_id.clone(),
            identity: IDENTITY,
            level,
            recovery: advice(level, || {
                format!(
                    "Your last turns did not get nearer to the goal: {} Stop and think what has not been tried, or say \
                     what is missing.",
                    opinion.analysis.chars().take(300).collect::<String>()
                )
            }),
        });
    }

    /// Keeps what a judge would read.
    fn record(&mut self, event: &Event<'_>) {
        match event {
            Event::TurnStarted => {
                self.transcript.turn_started(self.config.judge.window as usize + 1)
            }
            Event::Content(Chunk::Utf8(text)) => self.transcript.said(text),
            Event::Content(Chunk::Utf16(units)) => {
                if self.transcript.has_room() {
                    self.transcript.said(&String::from_utf16_lossy(units));
                }
            }
            Event::UserMessage(message) => self.transcript.user(message),
            Event::ToolCall(call) => self.transcript.called(call),
            Event::ToolResult(result) => self.transcript.answered(result),
            Event::Reasoning(_) | Event::Reset { .. } => {}
        }
    }
}
