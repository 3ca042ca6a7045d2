//! What an answer adds: whether it is news, and the rules that look at one tool's answers.

use serde_json::{Map, Value};

use super::{
    AdaptiveCalls, CallRule,
    arguments::{self, Manner},
    config::CallConfig,
    digest::digest,
    growing,
    history::{Answer, Call, cut},
    reading::{self, Reading},
    report::Draft,
    streaks::{self, Long, Progress},
    walk,
};
use crate::{LoopKind, canonical::mix, event::ToolResult};

/// Longer answers are not searched for what they repeat of the arguments.
const ECHO_SEARCHED: usize = 16 * 1024;

/// An answer is next to nothing new if no more than this share of it, in percent, was not seen before.
const LITTLE_NEW: u32 = 15;

impl AdaptiveCalls {
    /// Takes in what a tool answered.
    pub(super) fn take_answer(&mut self, call: &mut Call, result: &ToolResult<'_>, event: u64) {
        let members = call.whole_args().and_then(arguments::object);
        self.view(call, members.as_ref());
        let manner = call.manner;
        let bare = without_echoes(members.as_ref(), &result.text);
        let mut reading = read(&result.text, bare.as_deref(), result.is_error);
        // An empty answer to a check is a good one.
        reading.negative &= !manner.checks;
        let empty = result.text.trim().is_empty() && !result.is_error;
        if empty && !manner.writes && arguments::searches(&call.name, &call.args) {
            reading = Reading { negative: true, ..Reading::default() };
        }
        let answer = self.fingerprint(result, bare.as_deref(), reading);
        call.answer = Some(answer);
        let limits = self.limits(&call.name).clone();
        let acts = reading.acknowledged && !arguments::has_command(&call.args) && !manner.notes;
        call.asked = if acts { call.exact } else { call.near };
        let new = self.state.novelty.outcome(mix(call.asked, answer.key));
        let known_lines =
            answer.bytes >= limits.big_answer_bytes && answer.lines >= 3 && answer.new_bytes == 0;
        call.stale = !new || known_lines;
        call.change = !call.stale
            && !reading.error
            && !reading.negative
            && (!reading.pending || reading.done && manner.writes)
            && !manner.waits
            && !manner.notes
            && (reading.acknowledged || manner.writes || answer.bytes == 0);
        if call.change {
            self.state.failures.clear();
            self.state.answered.clear();
        }
        if reading.error {
            let class = reading::error_class(bare.as_deref().unwrap_or(&result.text));
            self.check_failure(event, call, &answer, class, &result.text, &limits);
        } else {
            if new && !reading.negative && !reading.pending {
                self.state.failures.succeeded(call.tool);
            }
            self.state.news += u64::from(!call.stale && !reading.negative && !reading.pending);
            let query =
                !reading.acknowledged && !reading.pending && !manner.writes && !manner.waits;
            if query && (answer.bytes > 0 || reading.negative) {
                self.check_answer(event, call, &answer, &result.text, &limits);
            }
        }
        if self.state.found.is_none() {
            self.check_growth(event, call, &answer, &limits);
        }
    }

    /// Hashes an answer and notes its lines.
    fn fingerprint(
        &mut self,
        result: &ToolResult<'_>,
        bare: Option<&str>,
        reading: Reading,
    ) -> Answer {
        let (mut lines, mut new_bytes, mut line_bytes) = (0_u32, 0_u32, 0_u32);
        let novelty = &mut self.state.novelty;
        let verbatim = digest(&result.text, &mut |hash, bytes| {
            lines += 1;
            line_bytes = line_bytes.saturating_add(bytes);
            if novelty.line(hash) {
                new_bytes = new_bytes.saturating_add(bytes);
            }
        });
        let key = bare.map_or(verbatim, |text| digest(text, &mut |_, _| {}));
        Answer {
            key: mix(key, u64::from(result.is_error)),
            verbatim,
            bytes: u32::try_from(result.text.trim().len()).unwrap_or(u32::MAX),
            lines,
            new_bytes,
            line_bytes,
            reading,
        }
    }

    /// Works out what costs more than a hash.
    pub(super) fn view(&self, call: &mut Call, members: Option<&Map<String, Value>>) {
        if !call.viewed {
            let views = arguments::views(call.tool, call.plain, members);
            (call.near, call.family, call.viewed) = (views.near, views.family, true);
            call.manner = Manner::of(&call.name, &call.args);
        }
    }

    fn progress(&self) -> Progress {
        Progress { calls: self.state.count, news: self.state.news }
    }

    fn check_failure(
        &mut self,
        event: u64,
        call: &Call,
        answer: &Answer,
        class: u64,
        text: &str,
        limits: &CallConfig,
    ) {
        let class = mix(class, call.tool);
        let identity = mix(9, class);
        let known = self.state.warned.contains(&identity);
        let progress = self.progress();
        let long = self.state.failures.failed(call, progress, class, answer, limits, known);
        if let Some(long) = long {
            let cleared_by =
                "a call of this tool that brings something new, or a change made by another";
            self.report_streak(
                event,
                CallRule::SameError,
                "failed in the same way",
                cleared_by,
                call,
                &long,
                identity,
                text,
            );
        }
    }

    fn check_answer(
        &mut self,
        event: u64,
        call: &Call,
        answer: &Answer,
        text: &str,
        limits: &CallConfig,
    ) {
        let identity = mix(10, mix(call.tool, answer.key));
        let known = self.state.warned.contains(&identity);
        let progress = self.progress();
        let long = self.state.answered.answered(call, progress, answer, limits, known);
        let long = long.and_then(|long| self.patiently(call, answer, limits, known, long));
        if let Some(long) = long {
            let cleared_by = "another answer, or a change made between";
            self.report_streak(
                event,
                CallRule::SameAnswer,
                "gave the same answer",
                cleared_by,
                call,
                &long,
                identity,
                text,
            );
        }
    }

    /// The streak that `call` ends, if it is long enough for what its calls are: those that go through a list of things
    /// get more patience than those that turn over one.
    fn patiently(
        &self,
        call: &Call,
        answer: &Answer,
        limits: &CallConfig,
        known: bool,
        long: Long,
    ) -> Option<Long> {
        let of_streak = |other: &&Call| {
            other.tool == call.tool && other.answer.is_some_and(|a| a.key == answer.key)
        };
        let negative = answer.reading.negative;
        // Between searches that have nothing in common, anything that was found shows that the work moves.
        let in_a_row = negative && !long.alike;
        let before = self.state.calls.iter().rev().filter(|other| other.answer.is_some());
        let before = before.take_while(|other| !in_a_row || other.stale || of_streak(other));
        let mut args: Vec<_> = before
            .filter(of_streak)
            .take(long.count as usize - 1)
            .map(|other| other.args.as_str())
            .collect();
        args.reverse();
        args.push(&call.args);
        let count = if in_a_row { args.len() as u32 } else { long.count };
        let survey = walk::survey(args.into_iter());
        let walks = survey.walks && (answer.bytes < limits.big_answer_bytes || survey.enclosed);
        let patience = match (negative, long.alike) {
            (false, _) if walks => 4,
            (true, true) if walks => 2,
            (true, false) if survey.guesses => 2,
            (true, false) => 4,
            _ => 0,
        };
        let threshold =
            long.threshold.max(streaks::halved(limits.same_answer.saturating_mul(patience), known));
        (count >= threshold).then_some(Long { count, threshold, ..long })
    }

    #[expect(clippy::too_many_arguments, reason = "the two streaks differ in nothing else")]
    fn report_streak(
        &mut self,
        event: u64,
        rule: CallRule,
        what: &str,
        cleared_by: &'static str,
        call: &Call,
        long: &Long,
        identity: u64,
        text: &str,
    ) {
        let line = cut(text.trim().lines().next().unwrap_or(""), 120);
        let (count, distinct) = (long.count, long.distinct);
        let draft = Draft {
            rule,
            kind: LoopKind::NearIdenticalToolCalls,
            period: 1,
            repeats: count.into(),
            threshold: long.threshold.into(),
            identity,
            onset: long.onset,
            what: format!(
                "`{}` {what} {count} times under {distinct} different arguments: {line}",
                call.name
            ),
            cleared_by,
        };
        self.report(event, draft, vec![call.excerpt()]);
    }

    /// Calls that creep (a limit raised again and again) and calls that grow (a command that appends itself).
    fn check_growth(&mut self, event: u64, call: &Call, answer: &Answer, limits: &CallConfig) {
        // The place of the call itself is empty while its answer is taken in.
        let earlier = self.state.calls.iter().rev().filter(|other| other.event < call.event);
        let Some(before) =
            earlier.clone().find(|other| other.tool == call.tool && !other.name.is_empty())
        else {
            return;
        };
        let little =
            answer.new_bytes.saturating_mul(100) <= answer.line_bytes.saturating_mul(LITTLE_NEW);
        let sibling = before.family == call.family && before.exact != call.exact;
        let reading = &answer.reading;
        let waits = reading.pending || reading.outage || call.manner.waits;
        // The number is how much may come back, or it brings more: other numbers are other things asked for.
        let more = before.near == call.near
            || before.answer.is_some_and(|before| answer.lines > before.lines);
        let creeps = sibling && more && !waits && answer.lines >= 5 && little;
        let grows = growing::grows(&before.args, &call.args);
        let state = &mut self.state;
        state.creep = if creeps { state.creep + 1 } else { 0 };
        state.growth = if grows { state.growth + 1 } else { 0 };
        let (creep, growth) = (state.creep + 1, state.growth + 1);
        let (rule, count, threshold, identity, what, cleared_by) =
            if limits.creeping != 0 && creep >= limits.creeping {
                let what = "differ only in a number and brought next to nothing new";
                let cleared_by = "an answer of which more than 15 % is new";
                (CallRule::Creeping, creep, limits.creeping, mix(11, call.family), what, cleared_by)
            } else if limits.growing != 0 && growth >= limits.growing {
                let what = "are each the one before with a piece of it added once more";
                let cleared_by = "a call that does not repeat itself";
                (CallRule::Growing, growth, limits.growing, mix(12, call.tool), what, cleared_by)
            } else {
                return;
            };
        let first = self.state.calls.iter().rev().filter(|other| other.tool == call.tool);
        let onset =
            first.take(count as usize - 1).map(|other| other.event).min().unwrap_or(call.event);
        let draft = Draft {
            rule,
            kind: LoopKind::NearIdenticalToolCalls,
            period: 1,
            repeats: count.into(),
            threshold: threshold.into(),
            identity,
            onset,
            what: format!("{count} calls of `{}` in a row {what}", call.name),
            cleared_by,
        };
        self.report(event, draft, vec![call.excerpt()]);
    }
}

/// What an answer says. What it only repeats of the arguments gives no patience: a file may be called `timeout`.
fn read(text: &str, bare: Option<&str>, is_error: bool) -> Reading {
    let mut reading = reading::read(text, is_error);
    if let Some(bare) = bare {
        let bare = reading::read(bare, is_error);
        reading.outage &= bare.outage;
        reading.pending &= bare.pending;
    }
    reading
}

/// The answer without the texts it repeats of the arguments; nothing if it repeats none.
fn without_echoes(members: Option<&Map<String, Value>>, text: &str) -> Option<String> {
    if text.len() > ECHO_SEARCHED {
        return None;
    }
    let mut kept: Option<String> = None;
    for echo in arguments::echoes(members?) {
        let now = kept.as_deref().unwrap_or(text);
        if now.contains(echo) {
            kept = Some(now.replace(echo, "\u{1}"));
        }
    }
    kept
}
