//! The project's own rules for tool calls.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{
    arguments,
    config::CallConfig,
    cycle::{MAX_PERIOD, Runs},
    digest::digest,
    finding::{CallLoop, CallRule},
    growing,
    history::{Answer, Call, Flags, Step, WINDOW, cut},
    novelty::Novelty,
    reading,
    streaks::{Long, Streaks},
};
use crate::{
    LoopKind,
    canonical::{hash_bytes, hash_call, mix},
    event::{ToolCall, ToolResult},
    pattern,
};

/// Calls of one response that are the same: so many of them are a loop before anything is answered.
const DUPLICATES: usize = 8;

/// How far back the same call and answer between others is counted, in rounds.
const INTERLEAVED_WINDOW: usize = 32;

/// Longer answers are not searched for what they repeat of the arguments.
const ECHO_SEARCHED: usize = 16 * 1024;

/// Watches the tool calls of one session by the project's own rules.
#[derive(Debug, Clone)]
pub struct AdaptiveCalls {
    config: CallConfig,
    by_tool: Vec<(String, CallConfig)>,
    state: State,
}

/// Everything that is remembered between events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    calls: VecDeque<Call>,
    /// How many of the last calls belong to the round that is open.
    open: usize,
    round_id: Option<u64>,
    /// Turns that the host announced.
    turns: u64,
    /// The host gives answers.
    answers: bool,
    /// Calls in this prompt.
    count: u64,
    steps: VecDeque<Step>,
    /// How many of the last steps may still be counted as evidence.
    fresh: usize,
    runs: Runs,
    novelty: Novelty,
    failures: Streaks,
    answered: Streaks,
    growth: u32,
    creep: u32,
    /// Rounds in a row that brought nothing new, and how many ranges of one family they are.
    stale: u32,
    second_pass: u32,
    /// Loops that were acknowledged; half the evidence is enough when they come back.
    warned: VecDeque<u64>,
    /// Rounds since the last loop that brought something new.
    recovered: u32,
    found: Option<CallLoop>,
    event: u64,
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
            self.judge_call(event);
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
        let Some(at) = self.pending_call(result) else {
            return None;
        };
        let Some(mut call) = self.state.calls.get_mut(at).map(std::mem::take) else {
            return None;
        };
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
        state.recovered = 0;
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
        let cycle = (1..=MAX_PERIOD).map(|period| {
            let need = match period {
                1 => config.identical,
                2 => config.pair_rounds,
                _ => config.cycle_rounds,
            };
            share(self.state.runs.rounds(period) - 1, need.saturating_sub(1))
        });
        cycle.chain([share(self.state.stale, config.no_news)]).fold(0.0, f32::max).min(1.0)
    }

    pub(super) fn state(&self) -> &State {
        &self.state
    }

    pub(super) fn restore(&mut self, state: State) -> Result<(), String> {
        let sound = state.calls.len() <= WINDOW
            && state.steps.len() <= WINDOW
            && state.open <= state.calls.len()
            && state.fresh <= state.steps.len()
            && state.warned.len() <= 32
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
        self.state.event += 1;
        event
    }

    fn limits(&self, tool: &str) -> &CallConfig {
        self.by_tool
            .iter()
            .find(|(pattern, _)| pattern::fits(pattern, tool))
            .map_or(&self.config, |(_, config)| config)
    }

    fn open_calls(&self) -> impl DoubleEndedIterator<Item = &Call> {
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

    /// The call that a result answers: the one with its id, else the oldest unanswered one of its name in the open round.
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
            .map(|(at, _)| at)
    }

    /// What can be said before the answer is known.
    fn judge_call(&mut self, event: u64) {
        let Some(call) = self.state.calls.back() else {
            return;
        };
        let limits = self.limits(&call.name).clone();
        let cap = u64::from(limits.max_calls);
        if cap != 0 && self.state.count >= cap {
            let count = self.state.count;
            let identity = mix(7, 7);
            self.report(
                event,
                CallRule::Cap,
                LoopKind::NearIdenticalToolCalls,
                1,
                count,
                cap,
                identity,
                self.state.calls.front().map_or(0, |c| c.event),
                format!("{count} tool calls in one prompt"),
                "a new prompt".into(),
            );
            return;
        }
        if !self.state.answers && self.state.turns <= 1 {
            // Nothing tells calls apart from rounds: the call is judged by its arguments now.
            self.settle(event);
            return;
        }
        let exact = call.exact;
        let same = self.open_calls().filter(|open| open.exact == exact).count();
        let threshold = DUPLICATES.max(limits.identical as usize);
        if limits.identical != 0 && same >= threshold {
            let identity = mix(8, call.near);
            let onset =
                self.open_calls().find(|open| open.exact == exact).map_or(event, |c| c.event);
            self.report(
                event,
                CallRule::Cycle,
                LoopKind::ConsecutiveIdenticalToolCalls,
                1,
                same as u64,
                threshold as u64,
                identity,
                onset,
                format!("the same call {same} times without an answer between"),
                "an answer between the calls".into(),
            );
            return;
        }
        // The fifth identical call need not be answered first when four were answered alike.
        if self.state.open == 1
            && let Some(last) = self.state.steps.back().copied()
            && last.calls == 1
            && last.plain == call.plain
        {
            let done = self.state.runs.rounds(1);
            let need = self.rounds_needed(1, &limits, &[last]);
            if need != 0 && done + 1 >= need {
                self.report_cycle(event, 1, done + 1, need);
            }
        }
    }

    /// Takes in what a tool answered.
    fn take_answer(&mut self, call: &mut Call, result: &ToolResult<'_>, event: u64) {
        let reading = reading::read(&result.text, result.is_error);
        let (mut lines, mut new_bytes, mut line_bytes) = (0_u32, 0_u32, 0_u32);
        let novelty = &mut self.state.novelty;
        let verbatim = digest(&result.text, &mut |hash, bytes| {
            lines += 1;
            line_bytes = line_bytes.saturating_add(bytes);
            if novelty.line(hash) {
                new_bytes = new_bytes.saturating_add(bytes);
            }
        });
        let key = without_echoes(call, &result.text)
            .map_or(verbatim, |text| digest(&text, &mut |_, _| {}));
        let key = mix(key, u64::from(result.is_error));
        let answer = Answer {
            key,
            verbatim,
            bytes: u32::try_from(result.text.trim().len()).unwrap_or(u32::MAX),
            lines,
            new_bytes,
            line_bytes,
            reading,
        };
        call.answer = Some(answer);
        self.view(call);
        let limits = self.limits(&call.name).clone();
        let count = self.state.count;

        let before = self
            .state
            .calls
            .iter()
            .rev()
            .skip_while(|c| c.event >= call.event || c.name.is_empty())
            .find(|c| c.tool == call.tool);
        let sibling =
            before.filter(|before| before.family == call.family && before.exact != call.exact);
        let creeps = sibling.is_some()
            && lines >= 5
            && new_bytes.saturating_mul(100) <= line_bytes.saturating_mul(15)
            && new_bytes > 0;
        let grows = before.is_some_and(|before| growing::grows(&before.args, &call.args));
        self.state.creep = if creeps {
            self.state.creep + 1
        } else if before.is_some() {
            0
        } else {
            self.state.creep
        };
        self.state.growth = if grows {
            self.state.growth + 1
        } else if before.is_some() {
            0
        } else {
            self.state.growth
        };

        let new = self.state.novelty.outcome(mix(call.near, answer.key));
        let known_lines = answer.bytes >= limits.big_answer_bytes && lines >= 3 && new_bytes == 0;
        call.stale = !new || known_lines;
        let writes = arguments::named_write(&call.name);
        call.change = !call.stale
            && !reading.error
            && !reading.negative
            && !reading.pending
            && !call.waits
            && !arguments::named_notes(&call.name)
            && (reading.acknowledged || writes || answer.bytes == 0);

        let halve = |state: &State, identity: u64| state.warned.contains(&identity);
        if call.change {
            self.state.failures.clear();
            self.state.answered.clear();
        }
        if reading.error {
            let class = mix(reading::error_class(&result.text), call.tool);
            let identity = mix(9, class);
            let known = halve(&self.state, identity);
            if let Some(long) =
                self.state.failures.failed(call, count, class, &answer, &limits, known)
            {
                self.report_streak(event, CallRule::SameError, call, &long, identity, &result.text);
                return;
            }
        } else {
            if new && !reading.negative && !reading.pending {
                self.state.failures.succeeded(call.tool);
            }
            if !reading.acknowledged
                && !reading.pending
                && !writes
                && !call.waits
                && answer.bytes > 0
            {
                let identity = mix(10, mix(call.tool, answer.key));
                let known = halve(&self.state, identity);
                if let Some(long) =
                    self.state.answered.answered(call, count, &answer, &limits, known)
                {
                    self.report_streak(
                        event,
                        CallRule::SameAnswer,
                        call,
                        &long,
                        identity,
                        &result.text,
                    );
                    return;
                }
            }
        }
        if limits.creeping != 0 && self.state.creep + 1 >= limits.creeping {
            let n = u64::from(self.state.creep) + 1;
            self.report_call(event, CallRule::Creeping, call, n, limits.creeping, mix(11, call.family), format!("{n} calls of `{}` in a row that differ only in a number and brought next to nothing new", call.name), "an answer of which more than 15 % is new".into());
        } else if limits.growing != 0 && self.state.growth + 1 >= limits.growing {
            let n = u64::from(self.state.growth) + 1;
            self.report_call(event, CallRule::Growing, call, n, limits.growing, mix(12, call.tool), format!("{n} calls of `{}` in a row, each the one before with a piece of it added once more", call.name), "a call that does not repeat itself".into());
        }
    }

    fn view(&self, call: &mut Call) {
        if !call.viewed {
            let views = arguments::views(call.tool, call.plain, call.whole_args());
            (call.near, call.family, call.viewed) = (views.near, views.family, true);
            call.waits = arguments::waits(&call.name, &call.args);
        }
    }

    /// The open round is over: it becomes a step, and the rules for rounds look at it.
    fn settle(&mut self, event: u64) {
        let first = self.state.calls.len() - self.state.open;
        let blind = !self.state.answers;
        let mut step = Step {
            event,
            near: 0,
            exact: 0,
            plain: 0,
            outcome: 0,
            family: 0,
            tool: 0,
            calls: self.state.open as u32,
            flags: Flags { stale: true, acknowledged: true, steps: true, ..Flags::default() },
        };
        for at in first..self.state.calls.len() {
            let Some(mut call) = self.state.calls.get_mut(at).map(std::mem::take) else {
                continue;
            };
            if blind {
                // Views cost more than the hash; hosts that give no answers are judged by the hash alone.
                (call.near, call.family) = (call.plain, call.plain);
            } else {
                self.view(&mut call);
            }
            let flags = &mut step.flags;
            let reading = call.answer.map(|answer| answer.reading).unwrap_or_default();
            step.event = step.event.min(call.event);
            step.near = step.near.wrapping_add(mix(13, call.near));
            step.exact = step.exact.wrapping_add(mix(13, call.exact));
            step.plain = call.plain;
            step.family = step.family.wrapping_add(mix(13, call.family));
            step.tool = call.tool;
            let key = call.answer.map_or(0, |answer| answer.key);
            step.outcome = step.outcome.wrapping_add(mix(call.near, key));
            flags.stale &= call.stale;
            flags.acknowledged &= reading.acknowledged;
            flags.steps &= !blind && arguments::named_step(&call.name);
            flags.pending |= reading.pending;
            flags.outage |= reading.outage;
            flags.waits |= call.waits;
            flags.unanswered |= call.answer.is_none();
            flags.change |= call.change;
            if let Some(slot) = self.state.calls.get_mut(at) {
                *slot = call;
            }
        }
        let state = &mut self.state;
        (state.open, state.round_id) = (0, None);
        if state.steps.len() >= WINDOW {
            state.steps.pop_front();
        }
        state.steps.push_back(step);
        state.fresh = (state.fresh + 1).min(state.steps.len());
        state.runs.push(step.outcome);
        if step.flags.change {
            // The world is another one: what is asked again now may be answered anew.
            (state.fresh, state.stale, state.second_pass) = (1, 0, 0);
        }
        if !step.flags.stale {
            state.recovered = state.recovered.saturating_add(1);
        }
        if self.find_cycle(event) || blind || self.find_interleaved(event, &step) {
            return;
        }
        self.find_no_news(event, &step);
    }

    /// How many full rounds of `period` steps are needed, given what the steps of one round are.
    fn rounds_needed(&self, period: usize, limits: &CallConfig, steps: &[Step]) -> u32 {
        let any = |flag: fn(&Flags) -> bool| steps.iter().any(|step| flag(&step.flags));
        let all = |flag: fn(&Flags) -> bool| steps.iter().all(|step| flag(&step.flags));
        let base = match period {
            1 => limits.identical,
            2 => limits.pair_rounds,
            _ => limits.cycle_rounds,
        };
        if base == 0 {
            return 0;
        }
        let waits = any(|f| f.waits);
        let patience = if any(|f| f.outage) {
            limits.outages * if waits { 2 } else { 1 }
        } else if any(|f| f.pending) && waits {
            limits.waited_polls
        } else if any(|f| f.pending) || waits {
            limits.polls
        } else if all(|f| f.acknowledged && f.steps) {
            limits.stepped
        } else if all(|f| f.acknowledged) {
            limits.acknowledged.max(base)
        } else if any(|f| f.unanswered) {
            limits.identical.max(base)
        } else {
            base
        };
        patience.max(base)
    }

    fn find_cycle(&mut self, event: u64) -> bool {
        let Some(last) = self.state.calls.back() else {
            return false;
        };
        let limits = self.limits(&last.name);
        for period in 1..=MAX_PERIOD.min(limits.max_period as usize) {
            let rounds = self.state.runs.rounds(period);
            if rounds < 2 {
                continue;
            }
            let mut steps = [Step::EMPTY; MAX_PERIOD];
            let mut identity = 0_u64;
            for (slot, step) in steps.iter_mut().zip(self.state.steps.iter().rev().take(period)) {
                *slot = *step;
                identity = identity.wrapping_add(mix(14, step.near));
            }
            let mut need = self.rounds_needed(period, limits, steps.get(..period).unwrap_or(&[]));
            if self.state.warned.contains(&identity) {
                need = need.min(if period == 1 { 3 } else { 2 });
            }
            if need != 0 && rounds >= need {
                self.report_cycle(event, period, rounds, need);
                return true;
            }
        }
        false
    }

    fn find_interleaved(&mut self, event: u64, step: &Step) -> bool {
        let Some(limits) = self.state.calls.back().map(|call| self.limits(&call.name)) else {
            return false;
        };
        let flags = &step.flags;
        if limits.interleaved == 0
            || flags.waits
            || flags.pending
            || flags.outage
            || flags.unanswered
            || !flags.stale
        {
            return false;
        }
        let window =
            || self.state.steps.iter().rev().take(self.state.fresh.min(INTERLEAVED_WINDOW));
        let same = window().filter(|other| other.outcome == step.outcome).count() as u32;
        let news = window().filter(|other| !other.flags.stale).count() as u32;
        let all = window().count() as u32;
        // Where every other round brings news, the repeated one is a habit, not the whole of the work.
        let identity = mix(14, step.near);
        let known = self.state.warned.contains(&identity);
        let need = if known {
            limits.interleaved.div_ceil(2)
        } else if news * 3 >= all {
            limits.interleaved + 2
        } else {
            limits.interleaved
        };
        if same < need {
            return false;
        }
        // Somebody who asks again and hears something else is getting on.
        let moves = window().any(|one| {
            !one.flags.stale
                && window().any(|two| {
                    two.near == one.near && two.event < one.event && two.outcome != one.outcome
                })
        });
        if moves || (flags.acknowledged && news * 4 >= all) {
            return false;
        }
        let onset = window()
            .filter(|other| other.outcome == step.outcome)
            .map(|other| other.event)
            .min()
            .unwrap_or(event);
        let evidence =
            format!("the same call with the same answer {same} times within {all} rounds");
        self.report(
            event,
            CallRule::Interleaved,
            LoopKind::AlternatingToolCalls,
            1,
            u64::from(same),
            u64::from(need),
            identity,
            onset,
            evidence,
            "another answer to it, or a change made between".into(),
        );
        true
    }

    fn find_no_news(&mut self, event: u64, step: &Step) {
        let Some(limits) = self.state.calls.back().map(|call| self.limits(&call.name).clone())
        else {
            return;
        };
        let flags = &step.flags;
        if flags.waits || flags.pending || flags.outage || flags.unanswered || flags.acknowledged {
            return;
        }
        if !flags.stale {
            (self.state.stale, self.state.second_pass) = (0, 0);
            return;
        }
        let family = self
            .state
            .steps
            .iter()
            .rev()
            .nth(1)
            .is_some_and(|before| before.family == step.family && before.exact != step.exact);
        self.state.second_pass = if family { self.state.second_pass + 1 } else { 1 };
        self.state.stale += 1;
        let (stale, pass) = (self.state.stale, self.state.second_pass);
        let onset = |rounds: u32| {
            self.state
                .steps
                .iter()
                .rev()
                .take(rounds as usize)
                .map(|s| s.event)
                .min()
                .unwrap_or(event)
        };
        if limits.second_pass != 0 && pass >= limits.second_pass {
            let evidence =
                format!("{pass} ranges in a row that had been read before brought nothing new");
            let onset = onset(pass);
            self.report(
                event,
                CallRule::SecondPass,
                LoopKind::NearIdenticalToolCalls,
                1,
                u64::from(pass),
                u64::from(limits.second_pass),
                mix(15, step.family),
                onset,
                evidence,
                "a range that was not read yet, or a change made between".into(),
            );
        } else if limits.no_news != 0 && stale >= limits.no_news {
            let evidence = format!("{stale} rounds in a row brought nothing that was not known");
            let onset = onset(stale);
            self.report(
                event,
                CallRule::NoNews,
                LoopKind::AlternatingToolCalls,
                1,
                u64::from(stale),
                u64::from(limits.no_news),
                mix(16, step.tool),
                onset,
                evidence,
                "an answer that says something new".into(),
            );
        }
    }

    fn report_cycle(&mut self, event: u64, period: usize, rounds: u32, need: u32) {
        let recent: Vec<Step> = self.state.steps.iter().rev().take(period).copied().collect();
        let identity = recent.iter().fold(0_u64, |sum, step| sum.wrapping_add(mix(14, step.near)));
        let covered = (self.state.runs.covered(period) as usize).min(self.state.steps.len());
        let of_loop = || self.state.steps.iter().rev().take(covered);
        let onset = of_loop().map(|step| step.event).min().unwrap_or(event);
        let identical = of_loop().zip(of_loop().skip(period)).all(|(a, b)| a.exact == b.exact);
        let asked_alike =
            recent.iter().all(|step| recent.first().is_some_and(|first| first.near == step.near));
        let kind = match (asked_alike, identical) {
            (true, true) => LoopKind::ConsecutiveIdenticalToolCalls,
            (_, false) => LoopKind::NearIdenticalToolCalls,
            (false, true) => LoopKind::AlternatingToolCalls,
        };
        let unanswered = recent.iter().any(|step| step.flags.unanswered);
        let what = if period == 1 {
            "the same call".to_owned()
        } else {
            format!("the same {period} rounds of calls")
        };
        let answers = if unanswered { "" } else { " with the same answers" };
        let evidence = format!("{what}{answers} {rounds} times in a row");
        self.report(
            event,
            CallRule::Cycle,
            kind,
            period as u64,
            u64::from(rounds),
            u64::from(need),
            identity,
            onset,
            evidence,
            "another call, or another answer to one of them".into(),
        );
    }

    fn report_streak(
        &mut self,
        event: u64,
        rule: CallRule,
        call: &Call,
        long: &Long,
        identity: u64,
        text: &str,
    ) {
        let line = cut(text.trim().lines().next().unwrap_or(""), 120);
        let (count, distinct) = (long.count, long.distinct);
        let (what, cleared) = if rule == CallRule::SameError {
            (
                "failed in the same way",
                "a call of this tool that brings something new, or a change made by another",
            )
        } else {
            ("gave the same answer", "another answer, or a change made between")
        };
        let evidence = format!(
            "`{}` {what} {count} times under {distinct} different arguments: {line}",
            call.name
        );
        self.push_report(
            event,
            rule,
            LoopKind::NearIdenticalToolCalls,
            1,
            u64::from(count),
            u64::from(long.threshold),
            identity,
            long.onset,
            evidence,
            cleared.into(),
            vec![call.excerpt()],
        );
    }

    #[expect(clippy::too_many_arguments, reason = "a report has as many parts")]
    fn report_call(
        &mut self,
        event: u64,
        rule: CallRule,
        call: &Call,
        count: u64,
        threshold: u32,
        identity: u64,
        evidence: String,
        cleared_by: String,
    ) {
        let onset = self
            .state
            .calls
            .iter()
            .rev()
            .filter(|c| c.tool == call.tool)
            .nth(count.saturating_sub(2) as usize)
            .map_or(call.event, |c| c.event);
        self.push_report(
            event,
            rule,
            LoopKind::NearIdenticalToolCalls,
            1,
            count,
            u64::from(threshold),
            identity,
            onset,
            evidence,
            cleared_by,
            vec![call.excerpt()],
        );
    }

    #[expect(clippy::too_many_arguments, reason = "a report has as many parts")]
    fn report(
        &mut self,
        event: u64,
        rule: CallRule,
        kind: LoopKind,
        period: u64,
        repeats: u64,
        threshold: u64,
        identity: u64,
        onset: u64,
        evidence: String,
        cleared_by: String,
    ) {
        let calls = self
            .state
            .calls
            .iter()
            .rev()
            .take(period as usize)
            .map(Call::excerpt)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        self.push_report(
            event, rule, kind, period, repeats, threshold, identity, onset, evidence, cleared_by,
            calls,
        );
    }

    #[expect(clippy::too_many_arguments, reason = "a report has as many parts")]
    fn push_report(
        &mut self,
        event: u64,
        rule: CallRule,
        kind: LoopKind,
        period: u64,
        repeats: u64,
        threshold: u64,
        identity: u64,
        onset: u64,
        evidence: String,
        cleared_by: String,
        calls: Vec<super::finding::CallExcerpt>,
    ) {
        let names: Vec<_> = calls.iter().map(|call| call.name.as_str()).collect();
        let evidence = format!(
            "{evidence} (rule `{}`, threshold {threshold}; from event {onset}; {})",
            rule.name(),
            names.join(", ")
        );
        self.state.found = Some(CallLoop {
            kind,
            rule,
            calls,
            period,
            repeats,
            threshold,
            onset,
            detected_at: event,
            identity,
            evidence,
            cleared_by,
        });
    }
}

impl Step {
    const EMPTY: Self = Self {
        event: 0,
        near: 0,
        exact: 0,
        plain: 0,
        outcome: 0,
        family: 0,
        tool: 0,
        calls: 0,
        flags: Flags {
            stale: false,
            acknowledged: false,
            steps: false,
            pending: false,
            outage: false,
            waits: false,
            unanswered: false,
            change: false,
        },
    };
}

/// The answer without the texts it repeats of the arguments; nothing if it repeats none.
fn without_echoes(call: &Call, text: &str) -> Option<String> {
    if text.len() > ECHO_SEARCHED {
        return None;
    }
    let mut kept: Option<String> = None;
    for echo in arguments::echoes(call.whole_args()?) {
        let now = kept.as_deref().unwrap_or(text);
        if now.contains(&echo) {
            kept = Some(now.replace(&echo, "\u{1}"));
        }
    }
    kept
}
