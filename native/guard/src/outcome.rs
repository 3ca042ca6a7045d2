//! What the guard is told: failures, successes, results, what was learnt.

use std::sync::Arc;

use ouro_core::{
    AskedQuestion, AvoidStrategy, BackoffState, CachedToolCall, Change, Error, ErrorClass,
    ErrorKind, ExplorationLimits, FailureRecord, FreshnessStamp, OperationKind, QuestionOutcome,
    RecordId, Result, ToolResult,
};
use serde_json::Value;

use crate::{
    DoomLoopGuard, PreparedChange, SkipReason,
    backoff::Moment,
    embedders::{HashedQuestion, embed_each},
    guard::{Inner, unavailable},
    locks::{lock, read, write},
    operation::{Operation, tool_context},
    prepared::Effect,
    question_dedup::Which,
    signature::Signature,
};

/// Questions embedded at a time when vectors are missing.
const BATCH: usize = 64;

impl DoomLoopGuard {
    /// Records that an operation failed: one more attempt on its failure record, one more error in a row, a longer pause, at
    /// least as long as the other side asked for. `Ok(None)` for work that was cancelled on purpose: that is no failure.
    ///
    /// `operation` is the question, for an exploration and its parts; `context` is what was being done (model, step), and
    /// times, ids and line numbers in it don't make it another failure. The failure of a tool call goes to
    /// [`DoomLoopGuard::record_tool_failure`].
    ///
    /// # Errors
    /// The store's. The failure and the pause count in memory nevertheless, and are written as soon as the store can be.
    pub async fn record_failure(
        &self,
        kind: OperationKind,
        operation: &str,
        error: &Error,
        context: &Value,
    ) -> Result<Option<FailureRecord>> {
        if error.kind() == ErrorKind::Cancelled {
            return Ok(None);
        }
        // A call that the tool can't do (no such file) is for the reasoner to mend, and no reason to slow down.
        let pauses = kind != OperationKind::ToolCall
            || ErrorClass::from(error.kind()) == ErrorClass::Transient;
        let (operation, context) = (operation.to_owned(), context.clone());
        let mut seen = Error::new(error.kind(), error.message());
        if let Some(pause) = error.retry_after() {
            seen = seen.with_retry_after(pause);
        }
        self.write_or_fail(move |inner| {
            let operation = Operation { kind, name: &operation, context: &context };
            inner.record_failure(operation, &seen, pauses).map(Some)
        })
        .await
    }

    /// Records that a tool call failed. The same arguments are judged by it for as long as what the call reads (`stamp`) is
    /// unchanged.
    ///
    /// # Errors
    /// As [`DoomLoopGuard::record_failure`].
    pub async fn record_tool_failure(
        &self,
        tool: &str,
        arguments: &Value,
        stamp: Option<&FreshnessStamp>,
        error: &Error,
    ) -> Result<Option<FailureRecord>> {
        let context = tool_context(arguments, stamp);
        self.record_failure(OperationKind::ToolCall, tool, error, &context).await
    }

    /// Records that an operation succeeded: its failures are resolved, whatever their context was. A whole exploration ends the
    /// errors in a row, too; a part of one doesn't, or a loop that asks well and always fails to explore would never slow
    /// down. Writes nothing where there is nothing to clear.
    ///
    /// # Errors
    /// The store's; failures and pause stay as they were.
    pub async fn record_success(
        &self,
        kind: OperationKind,
        operation: &str,
        context: &Value,
    ) -> Result<()> {
        if !self.inner.has_to_clear(Operation { kind, name: operation, context }) {
            return Ok(());
        }
        let (operation, context) = (operation.to_owned(), context.clone());
        self.write_or_fail(move |inner| {
            inner.record_success(Operation { kind, name: &operation, context: &context })
        })
        .await
    }

    /// What to write of a tool's result, so that the same call is answered from memory. Errors are never cached; a success
    /// resolves an earlier failure of the same call. `stamp` is the state of what the tool read, taken before it read it.
    pub fn prepare_tool_result(
        &self,
        tool: &str,
        arguments: &Value,
        stamp: Option<FreshnessStamp>,
        result: &ToolResult,
    ) -> PreparedChange {
        if result.is_error {
            return PreparedChange { changes: Vec::new(), effect: Effect::Nothing };
        }
        let signature = Signature::of_tool_call(tool, arguments);
        let call = CachedToolCall {
            signature: signature.to_string(),
            tool: tool.to_owned(),
            arguments: arguments.clone(),
            result: result.clone(),
            at: self.inner.clock.now_ms(),
            stamp,
        };
        let mut deleted = lock(&self.inner.tool_cache).forgotten();
        deleted.retain(|old| *old != signature);
        let operation = Operation { kind: OperationKind::ToolCall, name: tool, context: arguments };
        let resolved = read(&self.inner.failures).resolved_by(operation);
        let mut changes: Vec<Change> =
            deleted.iter().map(|old| Change::DeleteToolCall(old.to_string())).collect();
        changes.push(Change::PutToolCall(Box::new(call.clone())));
        changes.extend(resolved.iter().map(|r| Change::PutFailure(Box::new(r.clone()))));
        let call = Arc::new(call);
        PreparedChange {
            changes,
            effect: Effect::ToolResult { signature, call, deleted, resolved },
        }
    }

    /// What to write when a record answers a question: the mark, and the question's vectors. They belong behind the record
    /// itself in its transaction. The vectors are those of the admission; a question that was resumed after a restart is
    /// embedded anew. Where an embedder is down, its vector is made up for by [`DoomLoopGuard::reembed`].
    pub async fn prepare_learned(&self, question: &str, record: RecordId) -> PreparedChange {
        let Some(question) = HashedQuestion::new(question) else {
            return PreparedChange { changes: Vec::new(), effect: Effect::Nothing };
        };
        let vectors = self.inner.embedders.of_questions(std::slice::from_ref(&question)).await;
        let vectors = vectors.into_iter().next();
        let questions = read(&self.inner.questions);
        let now = self.inner.clock.now_ms();
        let asked = questions.next(&question, QuestionOutcome::Learned, Some(record), now);
        let mut changes = vec![Change::PutAsked(asked.clone())];
        changes.extend(vectors.iter().flat_map(|v| questions.vector_changes(record, v)));
        PreparedChange { changes, effect: Effect::Question { question, asked, vectors } }
    }

    /// What to write when a question that was taken up brought nothing (`Failed`), or is put aside (`Skipped`): it counts as
    /// explored by its text.
    pub fn prepare_put_aside(&self, question: &str, outcome: QuestionOutcome) -> PreparedChange {
        self.prepare_aside(question, outcome, None)
    }

    /// As [`DoomLoopGuard::prepare_put_aside`], for a question whose exploration was cut short by these limits: a guard that is
    /// opened with others lets it in again.
    pub fn prepare_cut_short(&self, question: &str, limits: ExplorationLimits) -> PreparedChange {
        self.prepare_aside(question, QuestionOutcome::Skipped, Some(limits))
    }

    fn prepare_aside(
        &self,
        question: &str,
        outcome: QuestionOutcome,
        cut_short: Option<ExplorationLimits>,
    ) -> PreparedChange {
        let Some(question) = HashedQuestion::new(question) else {
            return PreparedChange { changes: Vec::new(), effect: Effect::Nothing };
        };
        let now = self.inner.clock.now_ms();
        let asked = read(&self.inner.questions).next(&question, outcome, None, now);
        let asked = AskedQuestion { cut_short, ..asked };
        let changes = vec![Change::PutAsked(asked.clone())];
        PreparedChange { changes, effect: Effect::Question { question, asked, vectors: None } }
    }

    /// What to write when a user deletes a record: its deletion, and that its question is put aside.
    pub fn prepare_delete(&self, record: RecordId) -> PreparedChange {
        let mut changes = vec![Change::DeleteRecord(record)];
        changes.extend(read(&self.inner.questions).after_delete(record).map(Change::PutAsked));
        PreparedChange { changes, effect: Effect::Deleted(record) }
    }

    /// Takes that prepared changes are durable.
    pub fn apply(&self, prepared: PreparedChange) {
        match prepared.effect {
            Effect::Nothing => {}
            Effect::ToolResult { signature, call, deleted, resolved } => {
                lock(&self.inner.tool_cache).written(signature, call, &deleted);
                let mut failures = write(&self.inner.failures);
                resolved.into_iter().for_each(|record| failures.put(Arc::new(record)));
            }
            Effect::Question { question, asked, vectors } => {
                write(&self.inner.questions).put(question.hash, asked, vectors.as_deref());
            }
            Effect::Deleted(record) => write(&self.inner.questions).delete(record),
        }
    }

    /// Every failure record, the latest failure first.
    pub fn failures(&self) -> Vec<Arc<FailureRecord>> {
        read(&self.inner.failures).newest_first()
    }

    /// How to avoid what an operation failed of, as far as that was found out and nothing has resolved it since; for a question,
    /// what any part of its exploration failed of.
    pub fn advice(&self, kind: OperationKind, operation: &str) -> Option<AvoidStrategy> {
        let now = self.inner.clock.now_ms();
        read(&self.inner.failures).advice(kind, operation, now).cloned()
    }

    /// Writes down how to avoid a failure, for the prompt of its next attempt. False when there is no such record.
    ///
    /// # Errors
    /// `InvalidInput` for a strategy that doesn't say what to do (the record stays pending); the store's.
    pub async fn set_strategy(
        &self,
        signature_or_id: &str,
        strategy: AvoidStrategy,
    ) -> Result<bool> {
        let key = signature_or_id.to_owned();
        self.write_or_fail(move |inner| {
            let analysed = read(&inner.failures).with_strategy(&key, &strategy)?;
            let Some(record) = analysed else { return Ok(false) };
            inner.saver.commit(vec![Change::PutFailure(Box::new(record.clone()))])?;
            write(&inner.failures).put(Arc::new(record));
            Ok(true)
        })
        .await
    }

    /// Forgets a failure, so that its operation may be tried again. False when there is no such record.
    ///
    /// # Errors
    /// The store's; the record stays.
    pub async fn forget(&self, signature_or_id: &str) -> Result<bool> {
        let key = signature_or_id.to_owned();
        self.write_or_fail(move |inner| {
            let signature = read(&inner.failures).find(&key).map(|r| r.signature.clone());
            let Some(signature) = signature else { return Ok(false) };
            inner.saver.commit(vec![Change::DeleteFailure(signature.clone())])?;
            if let Some(signature) = Signature::from_hex(&signature) {
                write(&inner.failures).remove(signature);
            }
            Ok(true)
        })
        .await
    }

    /// How many vectors of records' questions are missing: after the embedder was changed, was down, or the store was rebuilt.
    pub fn missing_vectors(&self) -> usize {
        let questions = read(&self.inner.questions);
        questions.missing_count(Which::Chosen) + questions.missing_count(Which::Builtin)
    }

    /// Makes up for at most `batch` missing vectors in one call of one embedder, and writes them. Returns how many; 0 when
    /// none is missing. For the background: until it is done, the built-in embedder answers for questions that lack a vector.
    ///
    /// # Errors
    /// The embedder's, the store's.
    pub async fn reembed(&self, batch: usize) -> Result<usize> {
        match self.reembed_with(Which::Builtin, batch).await? {
            0 => self.reembed_with(Which::Chosen, batch).await,
            done => Ok(done),
        }
    }

    async fn reembed_with(&self, which: Which, batch: usize) -> Result<usize> {
        let embedders = &self.inner.embedders;
        let embedder = match which {
            Which::Chosen => embedders.chosen.as_ref(),
            Which::Builtin => Some(&embedders.builtin),
        };
        let missing = read(&self.inner.questions).missing(which, batch);
        let Some(embedder) = embedder.filter(|_| !missing.is_empty()) else { return Ok(0) };
        let texts: Vec<String> = missing.iter().map(|m| m.text.clone()).collect();
        let vectors = embed_each(self.inner.clock.as_ref(), embedder.as_ref(), &texts).await?;
        self.meet_chosen_embedder().await?;
        let found: Vec<_> =
            missing.into_iter().zip(vectors).filter_map(|(m, v)| Some((m, v?))).collect();
        self.write_or_fail(move |inner| {
            let changes: Result<Vec<Change>> = {
                let questions = read(&inner.questions);
                found.iter().map(|(m, v)| questions.missing_change(which, m.record, v)).collect()
            };
            inner.saver.commit(changes?)?;
            let mut questions = write(&inner.questions);
            found.iter().for_each(|(m, v)| questions.put_missing(which, m.hash, v));
            Ok(found.len())
        })
        .await
    }

    /// The built-in embedder is the last resort, so its vectors are made up for before anything is compared.
    pub(crate) async fn complete_builtin_vectors(&self) -> Result<(), SkipReason> {
        while self.reembed_with(Which::Builtin, BATCH).await.map_err(unavailable)? > 0 {}
        Ok(())
    }
}

impl Inner {
    fn record_failure(
        &self,
        operation: Operation<'_>,
        error: &Error,
        pauses: bool,
    ) -> Result<FailureRecord> {
        let now = Moment::now(self.clock.as_ref());
        let (record, outdated) = {
            let failures = read(&self.failures);
            let id = || RecordId::new(self.clock.as_ref(), self.random.as_ref());
            let record = failures.after_failure(&self.project, operation, error, now.wall, id);
            (record, failures.outdated(operation.signature(), now.wall))
        };
        let backoff =
            pauses.then(|| lock(&self.backoff).after_error(now, error, self.random.as_ref()));
        let mut changes = vec![Change::PutFailure(Box::new(record.clone()))];
        changes.extend(outdated.iter().map(|old| Change::DeleteFailure(old.to_string())));
        changes.extend(backoff.clone().map(Change::PutBackoff));
        let written = self.saver.commit_or_keep(changes);
        {
            let mut failures = write(&self.failures);
            outdated.into_iter().for_each(|old| drop(failures.remove(old)));
            failures.put(Arc::new(record.clone()));
        }
        if let Some(state) = backoff {
            lock(&self.backoff).set(state, now);
        }
        written.map(|()| record)
    }

    fn has_to_clear(&self, operation: Operation<'_>) -> bool {
        let errors =
            operation.kind == OperationKind::Exploration && !lock(&self.backoff).is_clear();
        errors || !read(&self.failures).resolved_by(operation).is_empty()
    }

    fn record_success(&self, operation: Operation<'_>) -> Result<()> {
        let resolved = read(&self.failures).resolved_by(operation);
        let clears =
            operation.kind == OperationKind::Exploration && !lock(&self.backoff).is_clear();
        let mut changes: Vec<Change> =
            resolved.iter().map(|r| Change::PutFailure(Box::new(r.clone()))).collect();
        if clears {
            changes.push(Change::PutBackoff(BackoffState::default()));
        }
        self.saver.commit(changes)?;
        let mut failures = write(&self.failures);
        resolved.into_iter().for_each(|record| failures.put(Arc::new(record)));
        if clears {
            let now = Moment::now(self.clock.as_ref());
            lock(&self.backoff).set(BackoffState::default(), now);
        }
        Ok(())
    }
}
