//! What the rules for tool calls find.

use serde::{Deserialize, Serialize};

use super::history::{KEPT_NAME, cut};
use crate::LoopKind;

/// How much of the arguments a person reads, in bytes.
const KEPT_EXCERPT: usize = 200;

/// The rules for tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallRule {
    /// The same round of calls with the same answers.
    Cycle,
    /// The same call and answer between others.
    Interleaved,
    /// The same failure under changing arguments.
    SameError,
    /// The same answer to reworded queries.
    SameAnswer,
    /// A call that adds to itself.
    Growing,
    /// A limit raised again and again.
    Creeping,
    /// Nothing but answers that were seen before.
    NoNews,
    /// A range read a second time.
    SecondPass,
    /// Too many calls in one prompt.
    Cap,
    /// A rule of another program, re-implemented.
    Reference,
}

impl CallRule {
    /// The rule's name as it is written in configuration and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cycle => "cycle",
            Self::Interleaved => "interleaved",
            Self::SameError => "same_error",
            Self::SameAnswer => "same_answer",
            Self::Growing => "growing",
            Self::Creeping => "creeping",
            Self::NoNews => "no_news",
            Self::SecondPass => "second_pass",
            Self::Cap => "cap",
            Self::Reference => "reference",
        }
    }
}

/// One call of a loop, cut to what a person reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallExcerpt {
    /// The tool's name, cut to 100 bytes.
    pub name: String,
    /// Its arguments, cut to 200 bytes.
    pub args: String,
}

impl CallExcerpt {
    pub(crate) fn of(name: &str, args: &str) -> Self {
        Self { name: cut(name, KEPT_NAME).to_owned(), args: cut(args, KEPT_EXCERPT).to_owned() }
    }
}

/// A loop in tool calls. Events are counted from the detector's start or its last reset; the service uses its own count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLoop {
    /// What kind of loop.
    pub kind: LoopKind,
    /// The rule that found it.
    pub rule: CallRule,
    /// The calls of one round, at most 16; for rules that do not look for rounds, the last call.
    pub calls: Vec<CallExcerpt>,
    /// How many rounds of calls make one repetition.
    pub period: u64,
    /// How often it was seen.
    pub repeats: u64,
    /// How often it takes.
    pub threshold: u64,
    /// The event of the first call of the repetition, as far back as it is remembered.
    pub onset: u64,
    /// The event at which it was found.
    pub detected_at: u64,
    /// The same for the same loop, wherever in its round it was caught.
    pub identity: u64,
    /// What repeated, how often, by which rule and threshold.
    pub evidence: String,
    /// What would have kept the rule from firing.
    pub cleared_by: String,
}
