//! One tool giving the same answer, or failing in the same way, although it is asked differently.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{
    arguments,
    config::CallConfig,
    history::{Answer, Call},
};

/// How many streaks are followed at once; the longest untouched one makes room.
const STREAKS: usize = 16;

/// How many different arguments a streak remembers.
const DISTINCT: usize = 24;

/// After so many calls without another of its kind a streak is over.
const EXPIRY: u64 = 40;

/// So many answers that bring news between failures about different things give one more failure of patience.
const NEWS_PER_FAILURE: u32 = 2;

/// How far a prompt has come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Progress {
    /// The calls made.
    pub(super) calls: u64,
    /// The answers that brought news.
    pub(super) news: u64,
}

/// Calls of one tool that ended alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Streak {
    tool: u64,
    /// The class of the error, or the answer.
    end: u64,
    count: u32,
    /// How many of them ask about the same thing as the one before or the first.
    related: u32,
    distinct: VecDeque<u64>,
    first_args: String,
    last_args: String,
    onset: u64,
    #[serde(default)]
    first_call: u64,
    last_call: u64,
    /// How many answers of the prompt had brought news when it began.
    #[serde(default)]
    first_news: u64,
    outage: bool,
    waited: bool,
    /// The answer was the same even where it repeats the arguments.
    verbatim: u64,
    verbatim_count: u32,
}

/// A streak that is long enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Long {
    pub(super) count: u32,
    pub(super) threshold: u32,
    pub(super) onset: u64,
    pub(super) end: u64,
    pub(super) distinct: u32,
    /// The calls ask the same in other words, or about the same thing.
    pub(super) alike: bool,
}

/// The streaks of a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Streaks {
    streaks: VecDeque<Streak>,
}

impl Streaks {
    /// Counts a call that ended in `end`; returns its streak.
    fn count(
        &mut self,
        call: &Call,
        Progress { calls: number, news }: Progress,
        end: u64,
        answer: &Answer,
        same: fn(&str, &str) -> bool,
    ) -> Option<&Streak> {
        let at = self.streaks.iter().position(|s| s.tool == call.tool && s.end == end);
        let mut streak = match at.and_then(|at| self.streaks.remove(at)) {
            Some(streak) if number.saturating_sub(streak.last_call) <= EXPIRY => streak,
            _ => Streak {
                tool: call.tool,
                end,
                count: 0,
                related: 0,
                distinct: VecDeque::new(),
                first_args: call.args.clone(),
                last_args: String::new(),
                onset: call.event,
                first_call: number,
                last_call: number,
                first_news: news,
                outage: false,
                waited: false,
                verbatim: answer.verbatim,
                verbatim_count: 0,
            },
        };
        if streak.count > 0
            && (same(&streak.last_args, &call.args) || same(&streak.first_args, &call.args))
        {
            streak.related += 1;
        }
        streak.count += 1;
        streak.verbatim_count += u32::from(streak.verbatim == answer.verbatim);
        streak.last_call = number;
        streak.outage |= answer.reading.outage;
        streak.waited |= call.manner.waits;
        streak.last_args.clear();
        streak.last_args.push_str(&call.args);
        if !streak.distinct.contains(&call.plain) && streak.distinct.len() < DISTINCT {
            streak.distinct.push_back(call.plain);
        }
        self.streaks.truncate(STREAKS - 1);
        self.streaks.push_front(streak);
        self.streaks.front()
    }

    /// A call failed: is it the same failure once too often?
    pub(super) fn failed(
        &mut self,
        call: &Call,
        progress: Progress,
        class: u64,
        answer: &Answer,
        limits: &CallConfig,
        halve: bool,
    ) -> Option<Long> {
        let streak = self.count(call, progress, class, answer, arguments::same_target)?;
        let related = streak.related * 2 >= streak.count.saturating_sub(1);
        let base = if streak.outage {
            (limits.outages * if streak.waited { 2 } else { 1 }).max(limits.same_error)
        } else if related || streak.is_in_a_row() && streak.is_verbatim() && !answer.reading.absent
        {
            // A failure that does not even name what was asked for is not about it.
            limits.same_error
        } else {
            let others = limits.same_error + limits.same_error.div_ceil(3);
            // That each of many things is missing or faulty is found out while going through them, if there is other work
            // between. A failure that names none of them is one thing that stands in the way, but a refusal seldom names
            // what it refuses: where each call asks for something else, it is as if it did.
            let is_told = answer.reading.absent
                || !streak.is_verbatim()
                || answer.reading.refused && streak.is_about_many();
            let news = progress.news.saturating_sub(streak.first_news) as u32;
            others + if is_told { (news / NEWS_PER_FAILURE).min(others) } else { 0 }
        };
        streak.long(base, halve, related, limits.same_error != 0 && streak.distinct.len() >= 3)
    }

    /// A query was answered: is it the same answer once too often?
    pub(super) fn answered(
        &mut self,
        call: &Call,
        progress: Progress,
        answer: &Answer,
        limits: &CallConfig,
        halve: bool,
    ) -> Option<Long> {
        let big = answer.bytes >= limits.big_answer_bytes;
        // Pieces of a range that are all answered shortly are work done on them, unless there is nothing there.
        let same = if big || answer.reading.negative {
            arguments::alike
        } else {
            arguments::alike_in_place
        };
        let streak = self.count(call, progress, answer.key, answer, same)?;
        let alike = streak.related * 4 >= (streak.count - 1) * 3;
        // A short answer to different questions is work, if it is not that there is nothing; so is an answer that names
        // what was asked for.
        let fair = alike || answer.reading.negative || big && streak.is_verbatim();
        let base = limits.same_answer + u32::from(!(big && alike));
        streak.long(
            base,
            halve,
            alike,
            limits.same_answer != 0 && fair && streak.distinct.len() >= 3,
        )
    }

    /// The tool did something new, so its failures were steps on the way.
    pub(super) fn succeeded(&mut self, tool: u64) {
        self.streaks.retain(|streak| streak.tool != tool);
    }

    pub(super) fn clear(&mut self) {
        self.streaks.clear();
    }

    pub(super) fn is_sound(&self) -> bool {
        self.streaks.len() <= STREAKS
            && self.streaks.iter().all(|s| {
                s.distinct.len() <= DISTINCT
                    && s.count < 1 << 28
                    && s.related <= s.count
                    && s.verbatim_count <= s.count
            })
    }
}

impl Streak {
    /// The answers are the same even where they repeat the arguments.
    fn is_verbatim(&self) -> bool {
        self.verbatim_count == self.count
    }

    /// No call was made twice.
    fn is_about_many(&self) -> bool {
        self.distinct.len() == self.count as usize
    }

    /// No other call stands between its calls.
    fn is_in_a_row(&self) -> bool {
        self.last_call.saturating_sub(self.first_call) < u64::from(self.count)
    }

    fn long(&self, threshold: u32, halve: bool, alike: bool, applies: bool) -> Option<Long> {
        let threshold = halved(threshold, halve);
        (applies && self.count >= threshold).then_some(Long {
            count: self.count,
            threshold,
            onset: self.onset,
            end: self.end,
            distinct: self.distinct.len() as u32,
            alike,
        })
    }
}

/// The evidence that is needed: half of it for a loop that was found before.
pub(super) fn halved(threshold: u32, halve: bool) -> u32 {
    if halve { (threshold / 2).max(2) } else { threshold }
}
