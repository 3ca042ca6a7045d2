//! Tool calls alone, whatever the profile.

use serde::{Deserialize, Serialize};

use super::{
    AdaptiveCalls, CallConfig,
    adaptive::State,
    finding::{CallExcerpt, CallLoop, CallRule},
    history::cut,
};
use crate::{
    canonical::{hash_call, mix},
    event::{ToolCall, ToolResult},
    reference::{CallRepetition, GeminiCalls, GeminiCallsConfig, QwenCalls, QwenCallsConfig, Seen},
};

/// Finds loops in tool calls by one of the profiles.
#[derive(Debug, Clone)]
pub struct ToolCallDetector {
    rules: Rules,
    event: u64,
    /// What a reference rule found, in the form of the adaptive ones.
    found: Option<CallLoop>,
}

#[derive(Debug, Clone)]
enum Rules {
    Adaptive(Box<AdaptiveCalls>),
    Gemini(GeminiCalls),
    Qwen(QwenCalls),
    Off,
}

/// A detector between two runs of its program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DetectorState {
    event: u64,
    found: Option<CallLoop>,
    adaptive: Option<State>,
    reference: Option<Seen>,
}

impl ToolCallDetector {
    /// The project's own rules; see [`AdaptiveCalls::new`].
    pub fn adaptive(config: &CallConfig, by_tool: &[(String, CallConfig)]) -> Self {
        Self::with(Rules::Adaptive(Box::new(AdaptiveCalls::new(config, by_tool))))
    }

    /// gemini-cli's rule.
    pub fn gemini(config: &GeminiCallsConfig) -> Self {
        Self::with(Rules::Gemini(GeminiCalls::new(config)))
    }

    /// qwen-code's rule.
    pub fn qwen(config: &QwenCallsConfig) -> Self {
        Self::with(Rules::Qwen(QwenCalls::new(config)))
    }

    /// Never finds anything.
    pub fn off() -> Self {
        Self::with(Rules::Off)
    }

    fn with(rules: Rules) -> Self {
        Self { rules, event: 0, found: None }
    }

    /// The next event gets this number; without it events are counted from 0.
    pub fn at(&mut self, event: u64) {
        self.event = event;
    }

    /// The model called a tool. Once a loop is found, every later call returns it until [`Self::reset`] or
    /// [`Self::acknowledge`].
    pub fn call(&mut self, call: &ToolCall<'_>) -> Option<CallLoop> {
        let event = self.next_event();
        let repetition = match &mut self.rules {
            Rules::Adaptive(rules) => {
                rules.at(event);
                return rules.call(call);
            }
            Rules::Gemini(rules) => rules.push(&call.name, &call.args),
            Rules::Qwen(rules) => rules.push(&call.name, &call.args),
            Rules::Off => None,
        }?;
        if self.found.is_none() {
            self.found = Some(reference_loop(&repetition, call, event));
        }
        self.found.clone()
    }

    /// As [`Self::call`], for a call without ids.
    pub fn push(&mut self, name: &str, args: &str) -> Option<CallLoop> {
        self.call(&ToolCall { name: name.into(), args: args.into(), ..ToolCall::default() })
    }

    /// As [`Self::call`] and [`Self::result`], for a call whose answer is known already: no rule guesses at it.
    pub fn answered_call(
        &mut self,
        call: &ToolCall<'_>,
        result: &ToolResult<'_>,
    ) -> Option<CallLoop> {
        match &mut self.rules {
            Rules::Adaptive(rules) => {
                rules.at(self.event);
                self.event = self.event.saturating_add(2);
                rules.answered_call(call, result)
            }
            _ => {
                self.call(call);
                self.result(result)
            }
        }
    }

    /// A tool answered. An answer to no known call is ignored; the reference rules ignore all of them.
    pub fn result(&mut self, result: &ToolResult<'_>) -> Option<CallLoop> {
        let event = self.next_event();
        match &mut self.rules {
            Rules::Adaptive(rules) => {
                rules.at(event);
                rules.result(result)
            }
            _ => self.found.clone(),
        }
    }

    /// The model is about to be asked.
    pub fn turn_started(&mut self) -> Option<CallLoop> {
        let event = self.next_event();
        match &mut self.rules {
            Rules::Adaptive(rules) => {
                rules.at(event);
                rules.turn_started()
            }
            _ => self.found.clone(),
        }
    }

    /// Somebody said something new to the model: what was counted so far is no evidence any more. A loop that was found
    /// stays found. The reference rules know of no such thing.
    pub fn prompt_changed(&mut self) {
        if let Rules::Adaptive(rules) = &mut self.rules {
            rules.prompt_changed();
        }
    }

    /// The loop that was found has been dealt with: goes on watching.
    pub fn acknowledge(&mut self) {
        self.found = None;
        match &mut self.rules {
            Rules::Adaptive(rules) => rules.acknowledge(),
            Rules::Gemini(rules) => rules.clear_detection(),
            Rules::Qwen(rules) => rules.clear_detection(),
            Rules::Off => {}
        }
    }

    /// A new prompt begins: everything is forgotten.
    pub fn reset(&mut self) {
        self.found = None;
        match &mut self.rules {
            Rules::Adaptive(rules) => rules.reset(),
            Rules::Gemini(rules) => rules.reset(),
            Rules::Qwen(rules) => rules.reset(),
            Rules::Off => {}
        }
    }

    /// How many rounds brought something new since the last loop was acknowledged.
    pub(crate) fn recovered(&self) -> u32 {
        match &self.rules {
            Rules::Adaptive(rules) => rules.recovered(),
            _ => 0,
        }
    }

    /// Half-way to a loop and beyond: how near the calls are to one, 0 to 1.
    pub fn suspicion(&self) -> f32 {
        match &self.rules {
            Rules::Adaptive(rules) => rules.suspicion(),
            _ => 0.0,
        }
    }

    pub(crate) fn state(&self) -> DetectorState {
        let (adaptive, reference) = match &self.rules {
            Rules::Adaptive(rules) => (Some(rules.state.clone()), None),
            Rules::Gemini(rules) => (None, Some(rules.seen().clone())),
            Rules::Qwen(rules) => (None, Some(rules.seen().clone())),
            Rules::Off => (None, None),
        };
        DetectorState { event: self.event, found: self.found.clone(), adaptive, reference }
    }

    pub(crate) fn restore(&mut self, state: DetectorState) -> Result<(), String> {
        let sound = match (&mut self.rules, state.adaptive, state.reference) {
            (Rules::Adaptive(rules), Some(state), None) => {
                rules.restore(state)?;
                true
            }
            (Rules::Gemini(rules), None, Some(seen)) => rules.restore(seen),
            (Rules::Qwen(rules), None, Some(seen)) => rules.restore(seen),
            (Rules::Off, None, None) => true,
            _ => return Err("the state is one of another profile".into()),
        };
        if !sound {
            return Err("it is damaged: a count of tool calls is out of range".into());
        }
        (self.event, self.found) = (state.event, state.found);
        Ok(())
    }

    fn next_event(&mut self) -> u64 {
        let event = self.event;
        self.event = event.saturating_add(1);
        event
    }
}

fn reference_loop(found: &CallRepetition, call: &ToolCall<'_>, event: u64) -> CallLoop {
    CallLoop {
        kind: found.kind,
        rule: CallRule::Reference,
        calls: vec![CallExcerpt {
            name: cut(&call.name, 100).to_owned(),
            args: cut(&call.args, 200).to_owned(),
        }],
        period: found.period,
        repeats: found.repeats,
        threshold: found.repeats,
        onset: event.saturating_sub(found.at_call.saturating_sub(found.onset)),
        detected_at: event,
        identity: mix(17, hash_call(&call.name, &call.args).exact),
        evidence: found.evidence.clone(),
        cleared_by: found.cleared_by.clone(),
    }
}
