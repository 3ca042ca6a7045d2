//! What is remembered of a session's calls.

use serde::{Deserialize, Serialize};

use super::{arguments::Manner, finding::CallExcerpt, reading::Reading};

/// How many calls and rounds are remembered.
pub(super) const WINDOW: usize = 64;

/// How much of a call's arguments is kept, in bytes; longer ones are hashed in full and kept cut.
pub(super) const KEPT_ARGS: usize = 1024;

/// How much of a name is kept, in bytes.
pub(super) const KEPT_NAME: usize = 100;

/// What came back for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Answer {
    /// Its hash without what is volatile and without what it repeats of the arguments.
    pub(super) key: u64,
    /// Its hash with what it repeats of the arguments.
    pub(super) verbatim: u64,
    pub(super) bytes: u32,
    pub(super) lines: u32,
    /// How many of its bytes stand in lines never seen before in this prompt.
    pub(super) new_bytes: u32,
    pub(super) line_bytes: u32,
    pub(super) reading: Reading,
}

/// A call and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Call {
    pub(super) event: u64,
    pub(super) tool: u64,
    pub(super) name: String,
    pub(super) args: String,
    pub(super) args_bytes: u32,
    pub(super) id: Option<u64>,
    pub(super) exact: u64,
    pub(super) plain: u64,
    pub(super) near: u64,
    pub(super) family: u64,
    /// Whether `near` and `family` are worked out yet.
    pub(super) viewed: bool,
    #[serde(default)]
    pub(super) manner: Manner,
    pub(super) answer: Option<Answer>,
    /// The answer brought nothing that was not known.
    pub(super) stale: bool,
    /// A change of the world that was not made before.
    pub(super) change: bool,
    /// What stands for the call where outcomes are compared: `near`, or `exact` where the answer is a bare
    /// acknowledgement, for then a comment may be what was written.
    pub(super) asked: u64,
}

impl Call {
    /// Takes the place of an old call, in its buffers.
    pub(super) fn refill(&mut self, name: &str, args: &str) {
        let (mut kept_name, mut kept_args) =
            (std::mem::take(&mut self.name), std::mem::take(&mut self.args));
        kept_name.clear();
        kept_args.clear();
        kept_name.push_str(cut(name, KEPT_NAME));
        kept_args.push_str(cut(args, KEPT_ARGS));
        *self = Self {
            name: kept_name,
            args: kept_args,
            args_bytes: u32::try_from(args.len()).unwrap_or(u32::MAX),
            ..Self::default()
        };
    }

    /// The arguments, if they are kept whole.
    pub(super) fn whole_args(&self) -> Option<&str> {
        (self.args_bytes as usize == self.args.len()).then_some(self.args.as_str())
    }

    pub(super) fn excerpt(&self) -> CallExcerpt {
        CallExcerpt::of(&self.name, &self.args)
    }
}

pub(super) fn cut(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or("")
}

/// A round: one call, or the parallel calls of one response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Step {
    /// The event of its first call.
    pub(super) event: u64,
    /// What was asked, nearly: the order of parallel calls does not count.
    pub(super) near: u64,
    /// What was asked, exactly.
    pub(super) exact: u64,
    /// For a round of one call: its exact hash without comments.
    pub(super) plain: u64,
    /// What was asked and what came back.
    pub(super) outcome: u64,
    pub(super) family: u64,
    pub(super) tool: u64,
    pub(super) calls: u32,
    pub(super) flags: Flags,
}

/// What holds for a round. `some` for any of its calls, `all` for every one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Flags {
    /// All: the answer brought nothing new.
    pub(super) stale: bool,
    /// All: bare acknowledgements.
    pub(super) acknowledged: bool,
    /// All: the tool's name says that it moves on.
    pub(super) steps: bool,
    /// All: the tool's name says that doing it twice is no more than doing it once.
    pub(super) idempotent: bool,
    /// All: nothing was found, or it was only the model's own note.
    #[serde(default)]
    pub(super) empty: bool,
    /// Some: an answer that says something is going on.
    pub(super) pending: bool,
    /// Some: a failure that time mends.
    pub(super) outage: bool,
    /// Some: time was let pass.
    pub(super) waits: bool,
    /// Some: no answer.
    pub(super) unanswered: bool,
    /// Some: the world was changed in a way not seen before.
    pub(super) change: bool,
}

impl Step {
    pub(super) const EMPTY: Self = Self {
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
            idempotent: false,
            empty: false,
            pending: false,
            outage: false,
            waits: false,
            unanswered: false,
            change: false,
        },
    };
}
