//! What a detection says.

use serde::{Deserialize, Serialize};

/// What kind of loop was found; written as `snake_case`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopKind {
    /// The same call, again and again, with nothing between.
    ConsecutiveIdenticalToolCalls,
    /// A cycle of several calls, or the same call and result between others.
    AlternatingToolCalls,
    /// Calls that differ, but not in what they ask for or in what they bring.
    NearIdenticalToolCalls,
    /// One passage of a reply, repeated closely.
    ContentChanting,
    /// A few characters again and again.
    ShortSequence,
    /// The same sentences or paragraphs.
    Paragraph,
    /// The same items under growing numbers.
    OrderedList,
    /// The same meaning in other words.
    Semantic,
    /// A model that was asked says so.
    ModelDetected,
}

/// Where the events came from that a detection is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// A reply's text.
    Content,
    /// A model's reasoning.
    Reasoning,
    /// Tool calls and their results.
    ToolCalls,
    /// The session as a whole, judged by a model.
    Session,
}

/// What a host had best do about a loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "action")]
pub enum Recovery {
    /// Take note and go on.
    Continue,
    /// Abort the request, drop everything from the onset on and ask again.
    AbortAndRetry,
    /// Abort, and say this to the model before it goes on.
    AbortWithHint {
        /// Text for the model.
        hint: String,
    },
    /// Stop and let a person decide.
    AskUser,
}

/// A loop in one stream of text. Positions count from the stream's start (or its last reset).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextLoop {
    /// What kind of loop.
    pub kind: LoopKind,
    /// The name of the rule that found it.
    pub rule: String,
    /// Where the first copy of the repeated unit begins, in Unicode scalar values.
    pub onset: u64,
    /// How much had been read when it was found, in Unicode scalar values.
    pub detected_at: u64,
    /// As `onset`, in UTF-16 code units.
    pub onset_utf16: u64,
    /// As `detected_at`, in UTF-16 code units.
    pub detected_at_utf16: u64,
    /// One copy of what repeated, cut to 200 characters.
    pub pattern: String,
    /// Length of one copy: characters, or items where the rule compares items (the evidence says which).
    pub period: u64,
    /// How many copies had been seen.
    pub repeats: u64,
    /// One sentence for a person: what repeated, how often, from where, by which rule and threshold.
    pub evidence: String,
    /// What would have kept the rule from firing.
    pub cleared_by: String,
}
