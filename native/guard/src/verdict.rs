//! What the guard answers.

use std::{fmt, sync::Arc, time::Duration};

use ouro_core::{AvoidStrategy, CachedToolCall, FailureRecord, QuotaKind, RecordId};
use serde::Serialize;
use serde_json::{Value, json};

/// The guard's answer: go ahead, or don't and why.
///
/// `Display` is one sentence for a person, [`Verdict::to_json`] the form for programs.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Go ahead.
    Proceed {
        /// How to avoid an earlier failure of the same operation.
        advice: Option<AvoidStrategy>,
        /// Why the built-in embedder had to look for duplicates instead of the chosen one.
        fallback: Option<String>,
    },
    /// Don't.
    Skip {
        /// Why.
        reason: SkipReason,
    },
}

/// Why not.
#[derive(Debug, Clone, PartialEq)]
pub enum SkipReason {
    /// A pause after errors.
    InBackoff {
        /// What is left of it.
        remaining: Duration,
    },
    /// The day's share is used up.
    QuotaExhausted {
        /// Of what.
        which: QuotaKind,
        /// When it starts anew, epoch milliseconds.
        resets_at: i64,
    },
    /// The question was asked before.
    Duplicate {
        /// The question that it repeats.
        of: String,
        /// Their cosine; 1 for the same text.
        similarity: f32,
        /// The nearest questions, at most five, the first of them [`SkipReason::Duplicate::of`].
        nearest: Vec<Similar>,
        /// Who says so.
        by: MatchedBy,
    },
    /// The tool ran with these arguments, and what it read is unchanged.
    AlreadyRun {
        /// The call with its result.
        cached: Arc<CachedToolCall>,
    },
    /// The operation failed before and must not be tried again.
    FailedBefore {
        /// The failure; what to do instead is its strategy.
        record: Arc<FailureRecord>,
    },
    /// The guard can't tell.
    GuardUnavailable {
        /// Why not.
        cause: String,
    },
}

/// A question that was asked before.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Similar {
    /// The question.
    pub question: String,
    /// The record that answers it; `None` while it is explored, and within a batch.
    pub record: Option<RecordId>,
    /// Its cosine.
    pub similarity: f32,
}

/// What told two questions to be the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MatchedBy {
    /// The normalised text.
    Text,
    /// Vectors of the chosen embedder.
    Embedder(String),
    /// Vectors of the built-in embedder, because the chosen one couldn't tell.
    Fallback {
        /// The built-in embedder.
        embedder: String,
        /// Why the chosen one couldn't.
        cause: String,
    },
}

impl Verdict {
    /// Go ahead without advice.
    pub(crate) const PROCEED: Self = Self::Proceed { advice: None, fallback: None };

    /// Whether the step must not be taken.
    pub fn should_skip(&self) -> bool {
        matches!(self, Self::Skip { .. })
    }

    /// The form for programs. `should_skip`, `reason`, `remaining_backoff_ms`, `cached_result` and `similarity` are
    /// always there, `null` where they don't apply; a refusal has its `kind` and what that kind brings besides.
    pub fn to_json(&self) -> Value {
        let mut json = match self {
            Self::Proceed { advice, fallback } => json!({ "advice": advice, "fallback": fallback }),
            Self::Skip { reason } => reason.to_json(),
        };
        if let Value::Object(keys) = &mut json {
            keys.insert("should_skip".into(), self.should_skip().into());
            for key in ["reason", "remaining_backoff_ms", "cached_result", "similarity"] {
                keys.entry(key).or_insert(Value::Null);
            }
        }
        json
    }
}

impl SkipReason {
    fn to_json(&self) -> Value {
        let reason = self.to_string();
        match self {
            Self::InBackoff { remaining } => json!({
                "kind": "in_backoff",
                "reason": reason,
                "remaining_backoff_ms": whole_ms(*remaining),
            }),
            Self::QuotaExhausted { which, resets_at } => json!({
                "kind": "quota_exhausted",
                "reason": reason,
                "which": which,
                "resets_at": resets_at,
            }),
            Self::Duplicate { of, similarity, nearest, by } => json!({
                "kind": "duplicate",
                "reason": reason,
                "similarity": similarity,
                "of": of,
                "nearest": nearest,
                "by": by.to_string(),
            }),
            Self::AlreadyRun { cached } => json!({
                "kind": "already_run",
                "reason": reason,
                "cached_result": cached.result,
                "at": cached.at,
            }),
            Self::FailedBefore { record } => json!({
                "kind": "failed_before",
                "reason": reason,
                "record": **record,
                "strategy": record.strategy,
            }),
            Self::GuardUnavailable { cause } => json!({
                "kind": "guard_unavailable",
                "reason": reason,
                "cause": cause,
            }),
        }
    }
}

impl From<SkipReason> for Verdict {
    fn from(reason: SkipReason) -> Self {
        Self::Skip { reason }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proceed { advice: None, .. } => f.write_str("Nothing stands in the way."),
            Self::Proceed { advice: Some(advice), .. } => {
                write!(f, "It failed before; this time: {}", advice.avoid_strategy)
            }
            Self::Skip { reason } => reason.fmt(f),
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InBackoff { remaining } => {
                write!(f, "Paused after errors for another {}.", Rounded(*remaining))
            }
            Self::QuotaExhausted { which, .. } => {
                let what = match which {
                    QuotaKind::Questions => "questions",
                    QuotaKind::Explorations => "explorations",
                };
                write!(f, "Today's {what} are used up; there are new ones from midnight.")
            }
            Self::Duplicate { of, by: MatchedBy::Text, .. } => {
                write!(f, "It was asked before: {of}")
            }
            Self::Duplicate { of, similarity, by, .. } => {
                // Rounded down: what is below 1 must not look like 1.
                let percent = (similarity * 100.0).floor();
                write!(f, "It is {percent} % like a question that was asked before ({by}): {of}")
            }
            Self::AlreadyRun { cached } => {
                write!(f, "{} ran with the same arguments before.", cached.tool)
            }
            Self::FailedBefore { record } => {
                let times = if record.attempts == 1 { "time" } else { "times" };
                write!(f, "It failed {} {times} before: {}", record.attempts, record.error)
            }
            Self::GuardUnavailable { cause } => {
                write!(f, "Skipped, because it can't be checked: {cause}")
            }
        }
    }
}

impl fmt::Display for MatchedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("the same text"),
            Self::Embedder(id) => write!(f, "by {id}"),
            Self::Fallback { embedder, cause } => write!(f, "by {embedder}, because {cause}"),
        }
    }
}

/// Milliseconds, a part of one counted as one: who waits that long has waited long enough.
pub(crate) fn whole_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

/// A duration in the unit that a person would use, rounded up.
struct Rounded(Duration);

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match whole_ms(self.0) {
            ms @ ..1_000 => write!(f, "{ms} ms"),
            ms @ ..120_000 => write!(f, "{} s", ms.div_ceil(1_000)),
            ms @ ..7_200_000 => write!(f, "{} min", ms.div_ceil(60_000)),
            ms => write!(f, "{} h", ms.div_ceil(3_600_000)),
        }
    }
}

#[cfg(test)]
mod tests {
    use ouro_core::ToolResult;

    use super::*;

    fn cached() -> Arc<CachedToolCall> {
        Arc::new(CachedToolCall {
            signature: String::new(),
            tool: "read_file".into(),
            arguments: json!({}),
            result: ToolResult { summary: "3 lines".into(), ..ToolResult::default() },
            at: 7,
            stamp: None,
        })
    }

    #[test]
    fn every_json_form_has_the_five_common_keys() {
        let verdicts = [
            Verdict::PROCEED,
            SkipReason::InBackoff { remaining: Duration::from_micros(1_500) }.into(),
            SkipReason::QuotaExhausted { which: QuotaKind::Questions, resets_at: 5 }.into(),
            SkipReason::AlreadyRun { cached: cached() }.into(),
            SkipReason::GuardUnavailable { cause: "the disk is full".into() }.into(),
        ];
        for verdict in &verdicts {
            let json = verdict.to_json();
            for key in
                ["should_skip", "reason", "remaining_backoff_ms", "cached_result", "similarity"]
            {
                assert!(json.get(key).is_some(), "{json} has no {key}");
            }
            assert_eq!(json["should_skip"], verdict.should_skip());
            assert_eq!(json["reason"].is_string(), verdict.should_skip());
        }
        let [_, backoff, quota, already, _] = verdicts.map(|v| v.to_json());
        assert_eq!(backoff["remaining_backoff_ms"], 2);
        assert_eq!((&quota["which"], &quota["resets_at"]), (&json!("questions"), &json!(5)));
        assert_eq!(already["cached_result"]["summary"], "3 lines");
    }

    #[test]
    fn a_sentence_says_why() {
        let duplicate = SkipReason::Duplicate {
            of: "What is a store?".into(),
            similarity: 0.9999,
            nearest: Vec::new(),
            by: MatchedBy::Fallback { embedder: "hash".into(), cause: "e5 is down".into() },
        };
        assert_eq!(
            duplicate.to_string(),
            "It is 99 % like a question that was asked before (by hash, because e5 is down): What is a store?"
        );
        for (ms, text) in [
            (1, "1 ms"),
            (1_001, "2 s"),
            (119_001, "120 s"),
            (3_600_000, "60 min"),
            (7_200_001, "3 h"),
        ] {
            let reason = SkipReason::InBackoff { remaining: Duration::from_millis(ms) };
            assert_eq!(reason.to_string(), format!("Paused after errors for another {text}."));
        }
    }
}
