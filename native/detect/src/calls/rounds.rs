//! The rules that look at rounds: one call, or the parallel calls of one response.

use super::{
    AdaptiveCalls, CallRule, arguments,
    config::CallConfig,
    cycle::MAX_PERIOD,
    history::{Call, Flags, Step, WINDOW},
    report::Draft,
    walk,
};
use crate::{LoopKind, canonical::mix};

/// Calls of one response that are the same: so many of them are a loop before anything is answered.
const DUPLICATES: usize = 8;

/// How far back the same call and answer between others is counted, in rounds.
const INTERLEAVED_WINDOW: usize = 32;

impl AdaptiveCalls {
    /// What can be said before the answer is known: with `guess`, that it may be the one that was given before.
    pub(super) fn judge_call(&mut self, event: u64, guess: bool) {
        let Some(call) = self.state.calls.back() else {
            return;
        };
        let limits = self.limits(&call.name).clone();
        let (exact, plain) = (call.exact, call.plain);
        let count = self.state.count;
        if limits.max_calls != 0 && count >= u64::from(limits.max_calls) {
            let draft = Draft {
                rule: CallRule::Cap,
                kind: LoopKind::NearIdenticalToolCalls,
                period: 1,
                repeats: count,
                threshold: limits.max_calls.into(),
                identity: mix(7, 7),
                onset: self.state.first_call,
                what: format!("{count} tool calls in one prompt"),
                cleared_by: "a new prompt",
            };
            self.report(event, draft, self.last_calls(1));
            return;
        }
        if !guess {
            return;
        }
        if !self.state.answers && self.state.turns <= 1 {
            // Nothing tells calls apart from rounds: the call is judged by its arguments now.
            self.settle(event);
            return;
        }
        let same = self.open_calls().filter(|open| open.exact == exact).count();
        let threshold = DUPLICATES.max(limits.identical as usize);
        if limits.identical != 0 && same >= threshold {
            let onset =
                self.open_calls().find(|open| open.exact == exact).map_or(event, |call| call.event);
            let draft = Draft {
                rule: CallRule::Cycle,
                kind: LoopKind::ConsecutiveIdenticalToolCalls,
                period: 1,
                repeats: same as u64,
                threshold: threshold as u64,
                identity: mix(8, plain),
                onset,
                what: format!("the same call {same} times without an answer between"),
                cleared_by: "an answer between the calls",
            };
            self.report(event, draft, self.last_calls(1));
            return;
        }
        // The fifth identical call need not be answered first when four were answered alike.
        if self.state.open == 1
            && let Some(last) = self.state.steps.back().copied()
            && last.calls == 1
            && last.plain == plain
        {
            let done = self.state.runs.rounds(1);
            let need = self.needed(1, &limits, &[last]);
            if need != 0 && done >= 2 && done + 1 >= need {
                self.report_cycle(event, 1, done + 1, need);
            }
        }
    }

    /// The open round is over: it becomes a step, and the rules for rounds look at it.
    pub(super) fn settle(&mut self, event: u64) {
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
            flags: Flags {
                stale: true,
                acknowledged: true,
                steps: true,
                idempotent: true,
                empty: true,
                ..Flags::default()
            },
        };
        for at in first..self.state.calls.len() {
            let Some(mut call) = self.state.calls.get_mut(at).map(std::mem::take) else {
                continue;
            };
            if blind {
                // Views cost more than the hash; hosts that give no answers are judged by the hash alone.
                (call.near, call.family) = (call.plain, call.plain);
                call.asked = call.plain;
            } else {
                let members =
                    call.whole_args().filter(|_| !call.viewed).and_then(arguments::object);
                self.view(&mut call, members.as_ref());
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
            let asked = if call.answer.is_some() { call.asked } else { call.near };
            step.outcome = step.outcome.wrapping_add(mix(asked, key));
            flags.stale &= call.stale;
            // What a note or a write says of what is still to be done is nothing to wait for.
            let manner = call.manner;
            let acts = manner.notes || reading.done && manner.writes;
            flags.acknowledged &= reading.acknowledged || reading.done && acts;
            flags.steps &= manner.steps;
            flags.idempotent &= manner.idempotent;
            flags.pending |= reading.pending && !acts;
            flags.empty &= reading.negative || manner.notes;
            flags.outage |= reading.outage;
            flags.waits |= call.manner.waits;
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
        if self.find_cycle(event) {
            return;
        }
        if blind {
            self.find_respelt(event, &step);
        } else if !self.find_interleaved(event, &step) {
            self.find_no_news(event, &step);
        }
    }

    fn find_cycle(&mut self, event: u64) -> bool {
        let Some(last) = self.state.calls.back() else {
            return false;
        };
        let limits = self.limits(&last.name);
        for period in 1..=MAX_PERIOD.min(limits.max_period as usize) {
            let rounds = self.state.runs.rounds(period);
            if rounds < 2 || !self.state.runs.is_primitive(period) {
                continue;
            }
            let mut steps = [Step::EMPTY; MAX_PERIOD];
            for (slot, step) in steps.iter_mut().zip(self.state.steps.iter().rev().take(period)) {
                *slot = *step;
            }
            let steps = steps.get(..period).unwrap_or(&[]);
            let need = self.needed(period, limits, steps);
            if need != 0 && rounds >= need {
                self.report_cycle(event, period, rounds, need);
                return true;
            }
        }
        false
    }

    /// How many full rounds of these steps make a loop; fewer if it was found before.
    fn needed(&self, period: usize, limits: &CallConfig, steps: &[Step]) -> u32 {
        let need = rounds_needed(period, limits, steps);
        if self.state.warned.contains(&identity_of(steps)) {
            need.min(if period == 1 { 3 } else { 2 })
        } else {
            need
        }
    }

    /// Calls without answers that differ in their spelling alone. Looking closely costs more than the hash, so it is done
    /// when one tool was called six, twelve, twenty-four … times in a row.
    fn find_respelt(&mut self, event: u64, step: &Step) {
        let state = &mut self.state;
        let again = state.steps.iter().rev().nth(1).is_some_and(|before| before.tool == step.tool);
        state.same_tool = if again && step.calls == 1 { state.same_tool + 1 } else { 1 };
        let (row, threshold) = (state.same_tool, self.limits_now().identical + 1);
        if threshold == 1 || row % threshold != 0 || !(row / threshold).is_power_of_two() {
            return;
        }
        let near = |call: &Call| {
            let members = call.whole_args().and_then(arguments::object);
            arguments::views(call.tool, call.plain, members.as_ref()).near
        };
        let calls = || self.state.calls.iter().rev().take(threshold as usize);
        let Some(first) = self.state.calls.back().map(near) else {
            return;
        };
        if !calls().all(|call| near(call) == first) {
            return;
        }
        let draft = Draft {
            rule: CallRule::Cycle,
            kind: LoopKind::NearIdenticalToolCalls,
            period: 1,
            repeats: threshold.into(),
            threshold: threshold.into(),
            identity: mix(18, first),
            onset: calls().map(|call| call.event).min().unwrap_or(event),
            what: format!("the same call in another spelling {threshold} times in a row"),
            cleared_by: "another call, or answers that differ",
        };
        self.report(event, draft, self.last_calls(1));
    }

    /// Whether the last `span` rounds are two rounds or more of one cycle, which then is what decides.
    fn in_cycle(&self, span: u32) -> bool {
        let max = MAX_PERIOD.min(self.limits_now().max_period as usize);
        let runs = &self.state.runs;
        (1..=max).any(|period| runs.rounds(period) >= 2 && runs.covered(period) >= span)
    }

    /// Whether each of the last `count` rounds repeats the one a fixed number of rounds before it.
    fn is_cyclic(&self, count: u32) -> bool {
        let max = MAX_PERIOD.min(self.limits_now().max_period as usize);
        (1..=max).any(|period| self.state.runs.covered(period) >= count + period as u32)
    }

    fn limits_now(&self) -> &CallConfig {
        self.limits(self.state.calls.back().map_or("", |call| &call.name))
    }

    /// The same call and answer again and again between others.
    fn find_interleaved(&mut self, event: u64, step: &Step) -> bool {
        let threshold = self.limits_now().interleaved;
        let flags = &step.flags;
        let reasonable = flags.waits || flags.pending || flags.outage || flags.unanswered;
        let moves_on = flags.acknowledged && flags.steps;
        if threshold == 0 || reasonable || moves_on || !flags.stale {
            return false;
        }
        let identity = identity_of(std::slice::from_ref(step));
        let known = self.state.warned.contains(&identity);
        let least = if known { threshold.div_ceil(2) } else { threshold };
        let fresh = self.state.fresh.min(INTERLEAVED_WINDOW);
        let within = |rounds: usize| self.state.steps.iter().rev().take(rounds);
        let repeats = || within(fresh).filter(|other| other.outcome == step.outcome);
        let same = repeats().count() as u32;
        let Some(first) = repeats().nth(least as usize - 1) else {
            return false;
        };
        let onset = first.event;
        let span = within(fresh).take_while(|other| other.event >= onset).count();
        let brings = |other: &&Step| !other.flags.stale && !other.flags.empty;
        let news = within(span).filter(brings).count();
        // Where many rounds bring news, the repeated one is a habit, not the whole of the work.
        let habit = if !known && news * 3 >= span { least + 2 } else { least };
        let need = if habit > least && self.goes_by_steps(onset) { habit * 2 } else { habit };
        // Somebody who asks again and hears something else is getting on.
        let moves = within(span).any(|one| {
            !one.flags.stale
                && within(span).any(|two| {
                    two.near == one.near && two.event < one.event && two.outcome != one.outcome
                })
        });
        let acts = flags.acknowledged && news * 4 >= span;
        if same < need || moves || acts || self.in_cycle(span as u32) {
            return false;
        }
        let whole_onset = repeats().map(|other| other.event).min().unwrap_or(onset);
        let whole = within(fresh).take_while(|other| other.event >= whole_onset).count();
        let draft = Draft {
            rule: CallRule::Interleaved,
            kind: LoopKind::AlternatingToolCalls,
            period: 1,
            repeats: same.into(),
            threshold: need.into(),
            identity,
            onset: whole_onset,
            what: format!("the same call with the same answer {same} times within {whole} rounds"),
            cleared_by: "another answer to it, or a change made between",
        };
        self.report(event, draft, self.last_calls(step.calls as usize));
        true
    }

    /// Whether what is new since the event `onset` is short: answers of a line or two are what steps of work give, and
    /// looking at where one stands after each of them is no loop yet.
    fn goes_by_steps(&self, onset: u64) -> bool {
        let since = self.state.calls.iter().filter(|call| call.event >= onset && !call.stale);
        since.filter_map(|call| Some((call, call.answer?))).all(|(call, answer)| {
            answer.new_bytes > 0
                && answer.lines <= 2
                && answer.bytes < self.limits(&call.name).big_answer_bytes
        })
    }

    /// Whether the last `count` calls go through a list of things, such as the same file of many folders.
    fn walks(&self, count: u32) -> bool {
        let first = self.state.calls.len().saturating_sub(count as usize);
        let calls = || self.state.calls.iter().skip(first);
        let one_tool =
            calls().all(|call| self.state.calls.back().is_some_and(|l| l.tool == call.tool));
        let survey = walk::survey(calls().map(|call| call.args.as_str()));
        one_tool && survey.walks && survey.enclosed
    }

    /// Rounds in a row that brought nothing new, and ranges read a second time.
    fn find_no_news(&mut self, event: u64, step: &Step) {
        let (no_news, second_pass) = (self.limits_now().no_news, self.limits_now().second_pass);
        let flags = &step.flags;
        if flags.waits || flags.pending || flags.outage || flags.unanswered || flags.acknowledged {
            return;
        }
        let state = &mut self.state;
        if !flags.stale {
            (state.stale, state.second_pass) = (0, 0);
            return;
        }
        let before = state.steps.iter().rev().nth(1);
        let sibling =
            before.is_some_and(|before| before.family == step.family && before.exact != step.exact);
        state.second_pass = if sibling { state.second_pass + 1 } else { 1 };
        state.stale += 1;
        let (stale, pass) = (state.stale, state.second_pass);
        let turns_over = no_news != 0 && stale >= no_news && !self.is_cyclic(stale);
        // Going through a list of things gets twice the patience.
        let no_news = no_news * if turns_over && self.walks(stale) { 2 } else { 1 };
        let (rule, kind, count, threshold, identity, what, cleared_by) =
            if second_pass != 0 && pass >= second_pass {
                let what =
                    format!("{pass} ranges in a row that had been read before brought nothing new");
                let cleared_by = "a range that was not read yet, or a change made between";
                (
                    CallRule::SecondPass,
                    LoopKind::NearIdenticalToolCalls,
                    pass,
                    second_pass,
                    mix(15, step.family),
                    what,
                    cleared_by,
                )
            } else if turns_over && stale >= no_news {
                let what = format!("{stale} rounds in a row brought nothing that was not known");
                let cleared_by = "an answer that says something new";
                (
                    CallRule::NoNews,
                    LoopKind::AlternatingToolCalls,
                    stale,
                    no_news,
                    mix(16, step.tool),
                    what,
                    cleared_by,
                )
            } else {
                return;
            };
        let onset = self
            .state
            .steps
            .iter()
            .rev()
            .take(count as usize)
            .map(|s| s.event)
            .min()
            .unwrap_or(event);
        let draft = Draft {
            rule,
            kind,
            period: 1,
            repeats: count.into(),
            threshold: threshold.into(),
            identity,
            onset,
            what,
            cleared_by,
        };
        self.report(event, draft, self.last_calls(4));
    }

    fn report_cycle(&mut self, event: u64, period: usize, rounds: u32, need: u32) {
        let steps: Vec<Step> = self.state.steps.iter().rev().take(period).copied().collect();
        let covered = (self.state.runs.covered(period) as usize).min(self.state.steps.len());
        let of_loop = || self.state.steps.iter().rev().take(covered);
        let identical = of_loop().zip(of_loop().skip(period)).all(|(a, b)| a.exact == b.exact);
        let asked_alike =
            steps.iter().all(|step| steps.first().is_some_and(|first| first.near == step.near));
        let kind = match (asked_alike, identical) {
            (true, true) => LoopKind::ConsecutiveIdenticalToolCalls,
            (_, false) => LoopKind::NearIdenticalToolCalls,
            (false, true) => LoopKind::AlternatingToolCalls,
        };
        let parallel = steps.iter().any(|step| step.calls > 1);
        let what = match (period, parallel) {
            (1, false) => "the same call".to_owned(),
            (1, true) => "the same parallel calls".to_owned(),
            _ => format!("the same {period} rounds of calls"),
        };
        let unanswered = steps.iter().any(|step| step.flags.unanswered);
        let answers = if unanswered { "" } else { " with the same answers" };
        let draft = Draft {
            rule: CallRule::Cycle,
            kind,
            period: period as u64,
            repeats: rounds.into(),
            threshold: need.into(),
            identity: identity_of(&steps),
            onset: of_loop().map(|step| step.event).min().unwrap_or(event),
            what: format!("{what}{answers} {rounds} times in a row"),
            cleared_by: "another call, or another answer to one of them",
        };
        let calls: u32 = steps.iter().map(|step| step.calls).sum();
        self.report(event, draft, self.last_calls(calls.min(16) as usize));
    }
}

/// The same for the same round, wherever it was caught.
fn identity_of(steps: &[Step]) -> u64 {
    steps.iter().fold(0_u64, |sum, step| sum.wrapping_add(mix(14, step.near)))
}

/// How many full rounds of `period` steps are needed, given what the steps of one round are.
fn rounds_needed(period: usize, limits: &CallConfig, steps: &[Step]) -> u32 {
    let any = |flag: fn(&Flags) -> bool| steps.iter().any(|step| flag(&step.flags));
    let all = |flag: fn(&Flags) -> bool| steps.iter().all(|step| flag(&step.flags));
    let base = match period {
        1 => limits.identical,
        2 if any(|f| f.acknowledged || f.unanswered) => limits.pair_rounds,
        _ => limits.cycle_rounds,
    };
    if base == 0 {
        return 0;
    }
    let waits = any(|f| f.waits);
    // Patience is for calls: a round of several looks at what is going on is as many looks, waits not counted.
    let looks = (period as u32).saturating_sub(u32::from(waits)).max(1);
    let patience = if any(|f| f.outage) {
        (limits.outages * if waits { 2 } else { 1 }).div_ceil(looks)
    } else if any(|f| f.pending) && waits {
        limits.waited_polls.div_ceil(looks)
    } else if any(|f| f.pending) || waits {
        limits.polls.div_ceil(looks)
    } else if all(|f| f.acknowledged && f.steps) {
        limits.stepped
    } else if all(|f| f.acknowledged && f.idempotent) {
        base
    } else if all(|f| f.acknowledged) {
        limits.acknowledged
    } else if any(|f| f.unanswered) {
        base + u32::from(period > 1)
    } else {
        base
    };
    patience.max(base)
}
