//! Writes down what a rule found.

use super::{AdaptiveCalls, CallExcerpt, CallLoop, CallRule};
use crate::LoopKind;

/// What a rule has to say.
pub(super) struct Draft {
    pub(super) rule: CallRule,
    pub(super) kind: LoopKind,
    pub(super) period: u64,
    pub(super) repeats: u64,
    pub(super) threshold: u64,
    pub(super) identity: u64,
    pub(super) onset: u64,
    /// What repeated and how often.
    pub(super) what: String,
    pub(super) cleared_by: &'static str,
}

impl AdaptiveCalls {
    /// Reports a loop; from now on every event is answered with it.
    pub(super) fn report(&mut self, event: u64, draft: Draft, calls: Vec<CallExcerpt>) {
        let names: Vec<_> = calls.iter().map(|call| call.name.as_str()).collect();
        let evidence = format!(
            "{} (rule `{}`, threshold {}; from event {}; {})",
            draft.what,
            draft.rule.name(),
            draft.threshold,
            draft.onset,
            names.join(", ")
        );
        self.state.found = Some(CallLoop {
            kind: draft.kind,
            rule: draft.rule,
            calls,
            period: draft.period,
            repeats: draft.repeats,
            threshold: draft.threshold,
            onset: draft.onset,
            detected_at: event,
            identity: draft.identity,
            evidence,
            cleared_by: draft.cleared_by.to_owned(),
        });
    }

    /// The last calls as a person reads them.
    pub(super) fn last_calls(&self, count: usize) -> Vec<CallExcerpt> {
        let skipped = self.state.calls.len().saturating_sub(count);
        self.state.calls.iter().skip(skipped).map(|call| call.excerpt()).collect()
    }
}
