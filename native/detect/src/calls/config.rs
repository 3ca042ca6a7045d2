//! Thresholds of the adaptive rules for tool calls.

use serde::{Deserialize, Serialize};

/// How much evidence each rule needs. A threshold counts what its field says; 0 turns its rule off, or, where
/// the field only gives patience (`acknowledged`, `stepped`, `polls`, `waited_polls`, `outages`), gives none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CallConfig {
    /// Whether tool calls are watched at all (the hard cap included).
    pub enabled: bool,
    /// Identical calls in a row with equal answers (or none).
    pub identical: u32,
    /// Full rounds of two calls taking turns, with equal answers, one of which is a bare acknowledgement or missing.
    pub pair_rounds: u32,
    /// Full rounds of two or more calls, with equal answers.
    pub cycle_rounds: u32,
    /// The longest round in calls (parallel calls count as one), 1 to 16.
    pub max_period: u32,
    /// Identical calls whose answer is a bare acknowledgement, where the tool's name does not say that doing it twice is
    /// no more than doing it once.
    pub acknowledged: u32,
    /// Identical calls of a tool whose name says that it moves on (`scroll`, `next`), when the answer is a bare acknowledgement.
    pub stepped: u32,
    /// Equal answers that say something is still going on, or equal answers with a wait between them.
    pub polls: u32,
    /// Equal answers that say something is still going on, with a wait between them.
    pub waited_polls: u32,
    /// Equal failures that time mends (network, overload, limits); twice as many with a wait between them.
    pub outages: u32,
    /// The same call and answer again and again between others; two more where these bring news, and twice as many as that
    /// where the news is a line or two.
    pub interleaved: u32,
    /// One tool failing in the same way under changing arguments about the same thing; a third more about other things, and
    /// up to twice as many as that where other calls bring news between failures that tell what is missing or faulty, or
    /// that refuse one thing after the other.
    pub same_error: u32,
    /// One tool giving the same answer to reworded queries; twice as many for guesses at one name that find nothing, four
    /// times as many for calls that go through a list of things.
    pub same_answer: u32,
    /// From how many bytes on an answer is big: the same big answer to any queries is a loop.
    pub big_answer_bytes: u32,
    /// Calls in a row each of which is the one before with a piece of it added once more.
    pub growing: u32,
    /// Calls in a row that differ in a limit and bring next to nothing new.
    pub creeping: u32,
    /// Answers in a row that were all seen before; twice as many where calls go through a list of things.
    pub no_news: u32,
    /// Ranges read a second time, one after the other, without anything new.
    pub second_pass: u32,
    /// Calls in one prompt, whatever they do. No acknowledgement resets the count.
    pub max_calls: u32,
}

impl Default for CallConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            identical: 5,
            pair_rounds: 4,
            cycle_rounds: 3,
            max_period: 16,
            acknowledged: 8,
            stepped: 16,
            polls: 12,
            waited_polls: 30,
            outages: 10,
            interleaved: 6,
            same_error: 6,
            same_answer: 5,
            big_answer_bytes: 200,
            growing: 5,
            creeping: 6,
            no_news: 10,
            second_pass: 6,
            max_calls: 200,
        }
    }
}

impl CallConfig {
    /// Says which field is out of range, what it is and what the range is.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn validate(&self) -> Result<(), String> {
        let counts = [
            ("identical", self.identical, 3),
            ("pair_rounds", self.pair_rounds, 3),
            ("cycle_rounds", self.cycle_rounds, 2),
            ("acknowledged", self.acknowledged, 3),
            ("stepped", self.stepped, 3),
            ("polls", self.polls, 3),
            ("waited_polls", self.waited_polls, 3),
            ("outages", self.outages, 3),
            ("interleaved", self.interleaved, 3),
            ("same_error", self.same_error, 3),
            ("same_answer", self.same_answer, 3),
            ("growing", self.growing, 3),
            ("creeping", self.creeping, 3),
            ("no_news", self.no_news, 4),
            ("second_pass", self.second_pass, 4),
        ];
        for (field, value, least) in counts {
            if value != 0 && !(least..=1000).contains(&value) {
                return Err(format!("`{field}` is {value}; it must be 0 (off) or {least} to 1000"));
            }
        }
        let ranges = [
            ("max_period", self.max_period, 1, 16),
            ("big_answer_bytes", self.big_answer_bytes, 1, 1_000_000),
        ];
        for (field, value, least, most) in ranges {
            if !(least..=most).contains(&value) {
                return Err(format!("`{field}` is {value}; it must be {least} to {most}"));
            }
        }
        if self.max_calls > 1_000_000 {
            return Err(format!(
                "`max_calls` is {}; it must be 0 (no cap) or 1 to 1000000",
                self.max_calls
            ));
        }
        let patience = [
            ("polls", self.polls, "waited_polls", self.waited_polls),
            ("identical", self.identical, "polls", self.polls),
            ("acknowledged", self.acknowledged, "stepped", self.stepped),
        ];
        for (low, less, high, more) in patience {
            if less != 0 && more != 0 && less > more {
                return Err(format!(
                    "`{low}` ({less}) and `{high}` ({more}) contradict each other: `{high}` must not be the smaller one"
                ));
            }
        }
        if self.max_calls != 0 && self.max_calls < self.identical {
            return Err(format!(
                "`max_calls` ({}) and `identical` ({}) contradict each other: the cap would end every prompt first",
                self.max_calls, self.identical
            ));
        }
        Ok(())
    }
}
