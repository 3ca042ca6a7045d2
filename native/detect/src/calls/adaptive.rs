//! The project's own rules for tool calls.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{
    config::CallConfig,
    cycle::Runs,
    finding::CallLoop,
    history::{Call, Step, WINDOW},
    novelty::Novelty,
    streaks::Streaks,
};
use crate::{
    canonical::{hash_bytes, hash_call},
    event::{ToolCall, ToolResult},
    pattern,
};

/// Watches the tool calls of one session by the project's own rules.
#[derive(Debug, Clone)]
pub struct AdaptiveCalls {
    config: CallConfig,
    by_tool: Vec<(String, CallConfig)>,
    pub(super) state: State,
}

/// Everything that is remembered between events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) calls: VecDeque<Call>,
    /// How many of the last calls belong to the round that is open.
    pub(super) open: usize,
    pub(super) round_id: Option<u64>,
    /// Turns that the host announced.
    pub(super) turns: u64,
    /// The host gives answers.
    pub(super) answers: bool,
    /// Calls in this prompt.
    pub(super) count: u64,
    /// The event of the first of them.
    #[serde(default)]
    pub(super) first_call: u64,
    /// Answers in this prompt that brought news.
    #[serde(default)]
    pub(super) news: u64,
    pub(super) steps: VecDeque<Step>,
    /// How many of the last steps may still be counted as evidence.
    pub(super) fresh: usize,
    pub(super) runs: Runs,
    pub(super) novelty: Novelty,
    pub(super) failures: Streaks,
    pub(super) answered: Streaks,
    pub(super) growth: u32,
    pub(super) creep: u32,
    /// Rounds in a row that brought nothing new, and how many ranges of one family they are.
    pub(super) stale: u32,
    pub(super) second_pass: u32,
    /// Calls of one tool in a row, for hosts that give no answers.
    pub(super) same_tool: u32,
    /// Loops that were acknowledged; half the evidence is enough when they come back.
    pub(super) warned: VecDeque<u64>,
    /// Rounds since the last loop that brought something new.
    pub(super) recovered: u32,
    pub(super) found: Option<CallLoop>,
    pub(super) event: u64,
}

impl AdaptiveCalls {
    /// A detector at the start of a session. `by_tool` are thresholds for tools by name (`*` at an end matches anything);
    /// the first match counts. Nothing is allocated before the first call.
    pub fn new(config: &CallConfig, by_tool: &[(String, CallConfig)]) -> Self {
        Self { config: config.clone(), by_tool: by_tool.to_vec(), state: State::default() }
    }

    /// The next event gets this number.
    pub(crate) fn at(&mut self, event: u64) {
        self.state.event = event;
    }

    /// The model called a tool.
    pub fn call(&mut self, call: &ToolCall<'_>) -> Option<CallLoop> {
        self.take(call, true)
    }

    /// The model called a tool whose answer is known already: it is judged with it. Two events.
    pub fn answered_call(
        &mut self,
        call: &ToolCall<'_>,
        result: &ToolResult<'_>,
    ) -> Option<CallLoop> {
        self.take(call, false);
        self.result(result)
    }

    /// `guess`: the call is judged before its answer is known.
    fn take(&mut self, call: &ToolCall<'_>, guess: bool) -> Option<CallLoop> {
        let event = self.next_event();
        if self.state.found.is_some() {
            return self.state.found.clone();
        }
        if !self.limits(&call.name).enabled {
            return None;
        }
        let round = call.round_id.as_ref().map(|id| hash_bytes(6, id.as_bytes()));
        if self.round_is_over(round) {
            self.settle(event);
        }
        self.state.round_id = round;
        let hash = hash_call(&call.name, &call.args);
        if self.state.count == 0 {
            self.state.first_call = event;
        }
        self.state.count += 1;
        let mut record = if self.state.calls.len() >= WINDOW {
            self.state.open = self.state.open.min(WINDOW - 1);
            self.state.calls.pop_front().unwrap_or_default()
        } else {
            Call::default()
        };
        record.refill(&call.name, &call.args);
        record.event = event;
        record.tool = hash_bytes(0, call.name.as_bytes());
        record.id = call.call_id.as_ref().map(|id| hash_bytes(6, id.as_bytes()));
        (record.exact, record.plain) = (hash.exact, hash.plain);
        self.state.calls.push_back(record);
        self.state.open += 1;
        if self.state.found.is_none() {
            self.judge_call(event, guess);
        }
        self.state.found.clone()
    }

    /// A tool answered. An answer to no known call is ignored.
    pub fn result(&mut self, result: &ToolResult<'_>) -> Option<CallLoop> {
        let event = self.next_event();
        if self.state.found.is_some() {
            return self.state.found.clone();
        }
        if !self.state.answers {
            self.state.answers = true;
            self.reopen_first_round();
        }
        let at = self.pending_call(result)?;
        let mut call = self.state.calls.get_mut(at).map(std::mem::take)?;
        self.take_answer(&mut call, result, event);
        if let Some(slot) = self.state.calls.get_mut(at) {
            *slot = call;
        }
        let complete = self.open_calls().all(|call| call.answer.is_some());
        if self.state.found.is_none() && complete && self.state.round_id.is_none() {
            self.settle(event);
        }
        self.state.found.clone()
    }

    /// The model is about to be asked: the round that was open is over.
    pub fn turn_started(&mut self) -> Option<CallLoop> {
        let event = self.next_event();
        if self.state.turns == 1 && !self.state.answers && self.state.found.is_none() {
            // The host announces turns, so the calls of the first one were one round, too.
            self.reopen_first_round();
        }
        self.state.turns += 1;
        if self.state.found.is_none() && self.state.open > 0 {
            self.settle(event);
        }
        self.state.found.clone()
    }

    /// Somebody said something new to the model: what was counted so far is no evidence any more.
    pub fn prompt_changed(&mut self) {
        let State { turns, answers, event, found, warned, .. } = std::mem::take(&mut self.state);
        self.state = State { turns, answers, event, found, warned, ..State::default() };
    }

    /// The loop that was found has been dealt with: goes on. The same loop is found again on half the evidence; the cap
    /// on calls stays reached.
    pub fn acknowledge(&mut self) {
        let Some(found) = self.state.found.take() else {
            return;
        };
        let state = &mut self.state;
        if !state.warned.contains(&found.identity) {
            state.warned.truncate(31);
            state.warned.push_front(found.identity);
        }
        state.runs.forgive();
        state.failures.clear();
        state.answered.clear();
        (state.fresh, state.growth, state.creep, state.stale, state.second_pass) = (0, 0, 0, 0, 0);
        // The call at which it was found is not carried out.
        (state.recovered, state.open, state.round_id) = (0, 0, None);
    }

    /// A new prompt begins: everything is forgotten.
    pub fn reset(&mut self) {
        self.state = State::default();
    }

    /// How many rounds in a row brought something new since the last loop was acknowledged.
    pub fn recovered(&self) -> u32 {
        self.state.recovered
    }

    /// How near the calls are to a loop, 0 to 1: the share of the evidence that the rules for rounds have.
    pub fn suspicion(&self) -> f32 {
        if self.state.found.is_some() {
            return 1.0;
        }
        let config = &self.config;
        let share = |have: u32, need: u32| if need == 0 { 0.0 } else { have as f32 / need as f32 };
        let cycle = (1..=super::cycle::MAX_PERIOD).map(|period| {
            let need = match period {
                1 => config.identical,
                2 => config.pair_rounds,
                _ => config.cycle_rounds,
            };
            share(self.state.runs.rounds(period) - 1, need.saturating_sub(1))
        });
        cycle.chain([share(self.state.stale, config.no_news)]).fold(0.0, f32::max).min(1.0)
    }

    pub(super) fn restore(&mut self, state: State) -> Result<(), String> {
        let sound = state.calls.len() <= WINDOW
            && state.steps.len() <= WINDOW
            && state.open <= state.calls.len()
            && state.fresh <= state.steps.len()
            && state.warned.len() <= 32
            && [state.event, state.count, state.turns, state.news]
                .iter()
                .all(|count| *count < 1 << 60)
            && [state.creep, state.growth, state.stale, state.second_pass, state.same_tool]
                .iter()
                .all(|count| *count < 1 << 30)
            && state.runs.is_sound()
            && state.novelty.is_sound()
            && state.failures.is_sound()
            && state.answered.is_sound();
        if !sound {
            return Err(
                "the state of the tool call rules is damaged: a count is out of range".into()
            );
        }
        self.state = state;
        Ok(())
    }

    fn next_event(&mut self) -> u64 {
        let event = self.state.event;
        self.state.event = event.saturating_add(1);
        event
    }

    pub(super) fn limits(&self, tool: &str) -> &CallConfig {
        self.by_tool
            .iter()
            .find(|(pattern, _)| pattern::fits(pattern, tool))
            .map_or(&self.config, |(_, config)| config)
    }

    pub(super) fn open_calls(&self) -> impl DoubleEndedIterator<Item = &Call> {
        self.state.calls.iter().skip(self.state.calls.len() - self.state.open)
    }

    /// Whether the next call begins a new round.
    fn round_is_over(&self, round: Option<u64>) -> bool {
        if self.state.open == 0 {
            return false;
        }
        match (round, self.state.round_id) {
            (Some(new), Some(old)) => new != old,
            // Without answers and turns there is nothing that tells rounds apart: every call is one.
            _ if !self.state.answers && self.state.turns <= 1 => true,
            _ => self.open_calls().any(|call| call.answer.is_some()),
        }
    }

    /// The first answer shows that the calls before it, taken for rounds of their own, were one.
    fn reopen_first_round(&mut self) {
        if self.state.turns <= 1 {
            self.state.open = self.state.calls.len();
            self.state.steps.clear();
            self.state.fresh = 0;
            self.state.runs.clear();
        }
    }

    /// The call that a result answers: the one with its id, else the oldest unanswered one of its name in the open round;
    /// under a name that nobody called, the only one that waits for an answer.
    fn pending_call(&self, result: &ToolResult<'_>) -> Option<usize> {
        let first = self.state.calls.len() - self.state.open;
        let id = result.call_id.as_ref().map(|id| hash_bytes(6, id.as_bytes()));
        let tool = hash_bytes(0, result.name.as_bytes());
        let open =
            || self.state.calls.iter().enumerate().skip(first).filter(|(_, c)| c.answer.is_none());
        open()
            .find(|(_, call)| id.is_some() && call.id == id)
            .or_else(|| {
                open().find(|(_, call)| call.tool == tool && (id.is_none() || call.id.is_none()))
            })
            .or_else(|| {
                let mut nameless = open().filter(|(_, call)| id.is_none() || call.id.is_none());
                nameless.next().filter(|_| nameless.next().is_none())
            })
            .map(|(at, _)| at)
    }
}
