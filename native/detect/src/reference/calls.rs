//! The tool call rules of gemini-cli and qwen-code.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    content::in_range,
    json::{Order, canonical},
};
use crate::LoopKind;

/// Calls that repeat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRepetition {
    /// What kind of loop; the originals have one name for every period.
    pub kind: LoopKind,
    /// The name of the rule that found it.
    pub rule: String,
    /// Index (from 0) of the call at which it was found, among those read since the start or the last reset.
    pub at_call: u64,
    /// Index of the first call of the repetition.
    pub onset: u64,
    /// How many calls make one round.
    pub period: u64,
    /// How many full rounds there were.
    pub repeats: u64,
    /// Name of the call at which it was found.
    pub name: String,
    /// One sentence for a person: what repeated, how often, by which rule and threshold.
    pub evidence: String,
    /// What would have kept the rule from firing.
    pub cleared_by: String,
}

/// Limits of gemini-cli's rule; the defaults are the original's (`@google/gemini-cli-core` 0.61.0).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GeminiCallsConfig {
    /// How many full rounds make a loop, 2 to 100. Default 5.
    pub repeats: u32,
    /// The longest round in calls, 1 to 100. Default 5.
    pub max_period: u32,
}

impl Default for GeminiCallsConfig {
    fn default() -> Self {
        Self { repeats: 5, max_period: 5 }
    }
}

impl GeminiCallsConfig {
    /// Says which field is out of its range, and the range.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn validate(&self) -> Result<(), String> {
        in_range("repeats", self.repeats, 2, 100)?;
        in_range("max_period", self.max_period, 1, 100)
    }
}

/// Limits of qwen-code's rule; the defaults are those of its source in July 2026.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QwenCallsConfig {
    /// How many identical calls in a row make a loop, 2 to 100. Default 5.
    pub repeats: u32,
    /// The order of keys makes no difference. Default true; false in 0.0.14.
    pub sorted_keys: bool,
}

impl Default for QwenCallsConfig {
    fn default() -> Self {
        Self { repeats: 5, sorted_keys: true }
    }
}

impl QwenCallsConfig {
    /// Says which field is out of its range, and the range.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn validate(&self) -> Result<(), String> {
        in_range("repeats", self.repeats, 2, 100)
    }
}

/// gemini-cli's rule on the tool calls of one prompt: rounds of up to five calls, five times over.
#[derive(Debug, Clone)]
pub struct GeminiCalls(Rounds);

impl GeminiCalls {
    /// A detector at the start of a prompt. Values that [`GeminiCallsConfig::validate`] refuses are brought into range.
    pub fn new(config: &GeminiCallsConfig) -> Self {
        Self(Rounds::new(
            "gemini-cli tool calls",
            config.repeats,
            config.max_period,
            Order::Insertion,
        ))
    }
}

/// qwen-code's rule on the tool calls of one prompt: five identical calls in a row.
#[derive(Debug, Clone)]
pub struct QwenCalls(Rounds);

impl QwenCalls {
    /// A detector at the start of a prompt. Values that [`QwenCallsConfig::validate`] refuses are brought into range.
    pub fn new(config: &QwenCallsConfig) -> Self {
        let order = if config.sorted_keys { Order::Sorted } else { Order::Insertion };
        Self(Rounds::new("qwen-code tool calls", config.repeats, 1, order))
    }
}

macro_rules! calls {
    ($detector:ident) => {
        impl $detector {
            /// Takes one call; `arguments` is its JSON text, read as JavaScript reads it. What is no JSON is compared as it
            /// stands. Once a loop is found it is said again for every call, which is not read, until
            /// [`Self::clear_detection`] or [`Self::reset`].
            pub fn push(&mut self, name: &str, arguments: &str) -> Option<CallRepetition> {
                self.0.push(name, arguments)
            }

            /// Takes a report back; the remembered calls stay.
            pub fn clear_detection(&mut self) {
                self.0.seen.found = None;
            }

            /// What it remembers, to go on from later.
            pub(crate) fn seen(&self) -> &Seen {
                &self.0.seen
            }

            /// Goes on from what another detector of the same limits remembered; `false` if none can have.
            pub(crate) fn restore(&mut self, seen: Seen) -> bool {
                self.0.restore(seen)
            }

            /// A new prompt begins: everything is forgotten.
            pub fn reset(&mut self) {
                self.0.reset();
            }
        }
    };
}

calls!(GeminiCalls);
calls!(QwenCalls);

type Fingerprint = [u8; 32];

/// What a rule remembers of the calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Seen {
    /// The last calls, as many as the longest round, the latest first.
    recent: Vec<Fingerprint>,
    /// The count for rounds of one call, of two, and so on.
    runs: Vec<u64>,
    read: u64,
    found: Option<Box<CallRepetition>>,
}

/// Looks for rounds by counting, for each length of a round, how many calls in a row equal the call that long before.
#[derive(Debug, Clone)]
struct Rounds {
    name: &'static str,
    repeats: u64,
    max_period: usize,
    order: Order,
    seen: Seen,
    /// Kept from call to call for its memory.
    text: String,
}

/// Memory for a call's text beyond this is given back.
const KEPT_TEXT: usize = 16 * 1024;

impl Rounds {
    fn new(name: &'static str, repeats: u32, max_period: u32, order: Order) -> Self {
        Self {
            name,
            repeats: u64::from(repeats.clamp(2, 100)),
            max_period: max_period.clamp(1, 100) as usize,
            order,
            seen: Seen::default(),
            text: String::new(),
        }
    }

    fn push(&mut self, name: &str, arguments: &str) -> Option<CallRepetition> {
        if let Some(found) = &self.seen.found {
            return Some(CallRepetition::clone(found));
        }
        let call = self.fingerprint(name, arguments);
        let Seen { recent, runs, read, .. } = &mut self.seen;
        runs.resize(self.max_period, 0);
        for (place, run) in runs.iter_mut().enumerate() {
            *run = if recent.get(place) == Some(&call) { *run + 1 } else { 0 };
        }
        recent.truncate(self.max_period - 1);
        recent.insert(0, call);
        *read += 1;
        let read = *read;

        let repeats = self.repeats;
        let rounds = runs.iter().zip(1_u64..).find(|(run, period)| **run >= (repeats - 1) * period);
        let (run, period) = rounds.map(|(run, period)| (*run, period))?;
        let found = CallRepetition {
            kind: LoopKind::ConsecutiveIdenticalToolCalls,
            rule: self.name.to_owned(),
            at_call: read - 1,
            onset: read.saturating_sub(run + period),
            period,
            repeats: run / period + 1,
            name: name.to_owned(),
            evidence: match period {
                1 => format!(
                    "The same call of {name} came {} times in a row (limit {repeats}).",
                    run + 1
                ),
                _ => format!(
                    "The same {period} calls, the last of them {name}, came {} times over (limit {repeats}).",
                    run / period + 1
                ),
            },
            cleared_by: "Another tool or other arguments; results make no difference to this rule."
                .to_owned(),
        };
        self.seen.found = Some(Box::new(found.clone()));
        Some(found)
    }

    fn fingerprint(&mut self, name: &str, arguments: &str) -> Fingerprint {
        self.text.clear();
        self.text.push_str(name);
        self.text.push(':');
        if canonical(arguments, self.order, &mut self.text).is_none() {
            self.text.push('\0');
            self.text.push_str(arguments);
        }
        let fingerprint = Sha256::digest(&self.text).into();
        self.text.shrink_to(KEPT_TEXT);
        fingerprint
    }

    fn restore(&mut self, seen: Seen) -> bool {
        let Seen { recent, runs, read, .. } = &seen;
        let sound = recent.len() <= self.max_period
            && (runs.is_empty() || runs.len() == self.max_period)
            && runs.iter().all(|run| run < read)
            && *read < 1 << 60;
        if sound {
            self.seen = seen;
        }
        sound
    }

    fn reset(&mut self) {
        self.seen = Seen::default();
    }
}
