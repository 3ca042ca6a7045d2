//! Changes that a caller writes together with its own.

use std::sync::Arc;

use ouro_core::{AskedQuestion, CachedToolCall, Change, FailureRecord, RecordId};

use crate::{
    embedders::{HashedQuestion, QuestionVectors},
    signature::Signature,
};

/// Changes for the caller's own transaction, and what they mean to the guard's memory.
///
/// Commit [`PreparedChange::changes`] and, when that succeeded, hand it to [`crate::DoomLoopGuard::apply`]. Dropped without
/// that, nothing has happened; after a crash between the two, the guard reads the same from the store. Prepared changes touch
/// neither pause nor quota, and only what belongs to their own question or tool call, so their order among other changes
/// doesn't matter.
#[derive(Debug)]
#[must_use = "commit the changes, then apply it"]
pub struct PreparedChange {
    pub(crate) changes: Vec<Change>,
    pub(crate) effect: Effect,
}

impl PreparedChange {
    /// What to commit.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// What to commit, moved out.
    pub fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }
}

/// What the guard's memory learns once the changes are durable.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Nothing.
    Nothing,
    /// A tool's result.
    ToolResult {
        signature: Signature,
        call: Arc<CachedToolCall>,
        deleted: Vec<Signature>,
        resolved: Vec<FailureRecord>,
    },
    /// A question and what became of it.
    Question {
        question: HashedQuestion,
        asked: AskedQuestion,
        /// The vectors of a question that was learnt.
        vectors: Option<Arc<QuestionVectors>>,
    },
    /// A deleted record.
    Deleted(RecordId),
}
