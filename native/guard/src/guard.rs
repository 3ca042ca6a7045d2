//! The guard itself: opens the layers, asks them in order, admits, and counts.

use std::sync::{Arc, Mutex, RwLock};

use ouro_core::{
    AskedQuestion, AvoidStrategy, Change, Clock, FreshnessStamp, GuardState, ProjectKey, Question,
    QuestionOutcome, QuotaKind, QuotaStatus, Random, RecordId, RecordStore, Result, SharedEmbedder,
};
use serde_json::Value;

use crate::{
    BackoffStatus, GuardConfig, QuotaUnit, SkipReason, Verdict,
    backoff::{Backoff, Moment},
    embedders::{Embedders, HashedQuestion, QuestionVectors},
    failures::{Failures, Retry},
    locks::{lock, read, write},
    question_dedup::Questions,
    quota::Quota,
    saver::{Saver, blocking},
    signature::Signature,
    tool_cache::ToolCache,
};

/// Stands between one project's loop and everything it could do too often.
///
/// Cheap to clone: the clones are one guard. Its state is that of the project of its store, so a process has one guard for
/// each open project, and two projects share no lock. Asynchronous methods need a tokio runtime; none of them holds a lock
/// across an await, and a future that is dropped leaves either the whole change or nothing.
#[derive(Clone)]
pub struct DoomLoopGuard {
    pub(crate) inner: Arc<Inner>,
}

/// A question that may be explored now.
#[derive(Debug, PartialEq)]
pub struct Admission {
    /// The unit of quota that it took; release it when the exploration never starts.
    pub unit: QuotaUnit,
    /// How to avoid an earlier failure of this question.
    pub advice: Option<AvoidStrategy>,
    /// Why the built-in embedder had to look for duplicates instead of the chosen one.
    pub fallback: Option<String>,
}

/// The layers, each behind a lock that is held only in memory, never while the store writes.
pub(crate) struct Inner {
    pub(crate) project: ProjectKey,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) embedders: Embedders,
    pub(crate) saver: Saver,
    pub(crate) questions: RwLock<Questions>,
    pub(crate) tool_cache: Mutex<ToolCache>,
    pub(crate) failures: RwLock<Failures>,
    pub(crate) backoff: Mutex<Backoff>,
    pub(crate) quota: Mutex<Quota>,
}

impl DoomLoopGuard {
    /// Opens the guard of the store's project and reads its state. Blocks on the disk.
    ///
    /// `fallback_embedder` is the built-in one that needs no server: it makes a second vector of every question and decides
    /// when `embedder` is down. The two may be the same.
    ///
    /// # Errors
    /// `InvalidInput` for a configuration that [`GuardConfig::validate`] refuses; the store's.
    pub fn open(
        store: Arc<dyn RecordStore>,
        config: &GuardConfig,
        embedder: SharedEmbedder,
        fallback_embedder: SharedEmbedder,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Result<Self> {
        config.validate()?;
        let GuardState { backoff, quota, failures, asked, tool_calls } = store.guard_state()?;
        let embedders = Embedders::new(embedder, fallback_embedder, clock.clone());
        let mut questions = Questions::new(store.clone(), &embedders, config.similarity_threshold);
        let records: std::collections::BTreeSet<RecordId> =
            store.memory()?.learning_record_ids.into_iter().collect();
        for mut asked in asked {
            if asked.record.is_some_and(|record| !records.contains(&record)) {
                asked.record = None;
                asked.outcome = QuestionOutcome::Skipped;
            }
            if asked.cut_short.is_some_and(|limits| limits != config.exploration) {
                // Nothing was said about the question but that there was no room for it.
                if asked.record.is_none() {
                    continue;
                }
                (asked.outcome, asked.cut_short) = (QuestionOutcome::Learned, None);
            }
            questions.put_stored(asked);
        }
        for id in records.into_iter().rev() {
            if !questions.has_record(id) {
                let record = store.record(id)?;
                questions.put_stored_record(id, &record.question, record.created_at);
            }
        }
        questions.find_missing()?;
        let now = Moment::now(clock.as_ref());
        let mut backoff = Backoff::load(config, backoff, now);
        let saver = Saver::new(store.clone());
        if let Some(state) = backoff.rebased(now) {
            // A store that can't be written is told by the first check.
            let _ = saver.commit_or_keep(vec![Change::PutBackoff(state.clone())]);
            backoff.set(state, now);
        }
        let inner = Inner {
            project: store.project_key().clone(),
            embedders,
            saver,
            questions: RwLock::new(questions),
            tool_cache: Mutex::new(ToolCache::load(config, tool_calls)),
            failures: RwLock::new(Failures::load(config, failures)),
            backoff: Mutex::new(backoff),
            quota: Mutex::new(Quota::load(config, &quota)?),
            clock,
            random,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Whether a question may be explored: backoff, quota, failures, duplicates, in this order. Consumes nothing.
    pub async fn check_question(&self, question: &str) -> Verdict {
        self.check(question).await.unwrap_or_else(Verdict::from)
    }

    async fn check(&self, question: &str) -> Result<Verdict, SkipReason> {
        let question = hashed(question)?;
        self.retry_store().await?;
        let retry = self.inner.check_without_vectors(&question, false)?;
        let vectors = self.vectors(&question).await?;
        let fallback = read(&self.inner.questions).check_vectors(question.hash, &vectors)?;
        Ok(Verdict::Proceed { advice: retry.and_then(|r| r.advice), fallback })
    }

    /// Takes a question up: the check of [`DoomLoopGuard::check_question`], a unit of the day's questions, and the mark that it
    /// was asked, in one atomic and durable step. Of two callers with one question, or with one unit left, one gets it.
    ///
    /// `also` is written in the same transaction, so that a crash never leaves a question that was taken up and forgotten.
    ///
    /// # Errors
    /// Why not; nothing is consumed and nothing of `also` written then.
    pub async fn admit_question(
        &self,
        question: &Question,
        also: Vec<Change>,
    ) -> Result<Admission, SkipReason> {
        self.admit(question, also, false).await
    }

    /// Takes up again a question whose record is to be replaced, because what the record rests on has changed. Everything is
    /// checked but duplicates: it is one.
    ///
    /// # Errors
    /// As [`DoomLoopGuard::admit_question`].
    pub async fn admit_again(
        &self,
        question: &Question,
        also: Vec<Change>,
    ) -> Result<Admission, SkipReason> {
        self.admit(question, also, true).await
    }

    async fn admit(
        &self,
        question: &Question,
        also: Vec<Change>,
        again: bool,
    ) -> Result<Admission, SkipReason> {
        let question = hashed(&question.question)?;
        self.retry_store().await?;
        // What needs no vectors first: a refused question costs no embedding.
        self.inner.check_without_vectors(&question, again)?;
        let vectors = self.vectors(&question).await?;
        self.write(move |inner| inner.admit(&question, &vectors, also, again)).await?
    }

    /// Each question with the reason to drop it: it failed for good, was asked before, or repeats an earlier one of the batch.
    /// The batch is embedded in one call, and admitting one of its questions needs no other.
    pub async fn filter_duplicates(
        &self,
        batch: Vec<Question>,
    ) -> Vec<(Question, Option<SkipReason>)> {
        let refuse_all = |batch: Vec<Question>, reason: SkipReason| {
            batch.into_iter().map(|question| (question, Some(reason.clone()))).collect()
        };
        if let Err(reason) = self.retry_store().await {
            return refuse_all(batch, reason);
        }
        let hashed: Vec<Result<HashedQuestion, SkipReason>> = batch
            .iter()
            .map(|q| {
                let question = hashed(&q.question)?;
                self.inner.check_known(&question, false)?;
                Ok(question)
            })
            .collect();
        let fresh: Vec<HashedQuestion> = hashed.iter().flatten().cloned().collect();
        if let Err(reason) = self.complete_builtin_vectors().await {
            return refuse_all(batch, reason);
        }
        let mut vectors = match self.of_questions(&fresh).await {
            Ok(vectors) => vectors.into_iter(),
            Err(reason) => return refuse_all(batch, reason),
        };
        let questions = read(&self.inner.questions);
        let mut kept: Vec<(HashedQuestion, Arc<QuestionVectors>)> = Vec::new();
        batch
            .into_iter()
            .zip(hashed)
            .map(|(question, hashed)| {
                let checked = hashed.and_then(|hashed| {
                    let vectors =
                        vectors.next().ok_or_else(|| unavailable("a vector is missing"))?;
                    questions.check_vectors(hashed.hash, &vectors)?;
                    kept.iter().try_for_each(|(earlier, earlier_vectors)| {
                        questions.check_pair((earlier, earlier_vectors), (&hashed, &vectors))
                    })?;
                    kept.push((hashed, vectors));
                    Ok(())
                });
                (question, checked.err())
            })
            .collect()
    }

    /// Whether a tool may be called with these arguments: its cached result, then its failures. `stamp` is the present state of
    /// what the call would read. Answers from memory, in about a microsecond for usual arguments.
    pub fn check_tool_call(
        &self,
        tool: &str,
        arguments: &Value,
        stamp: Option<&FreshnessStamp>,
    ) -> Verdict {
        if let Some(cause) = self.inner.saver.outage() {
            return SkipReason::GuardUnavailable { cause }.into();
        }
        let now = Moment::now(self.inner.clock.as_ref());
        let signature = Signature::of_tool_call(tool, arguments);
        if let Some(cached) = lock(&self.inner.tool_cache).get(signature, stamp, now.wall) {
            return SkipReason::AlreadyRun { cached }.into();
        }
        let pause = lock(&self.inner.backoff).status(now).remaining;
        let failures = read(&self.inner.failures);
        match failures.check_tool_call(signature, stamp, now.wall, pause) {
            Ok(None) => Verdict::PROCEED,
            Ok(Some(Retry { advice })) => Verdict::Proceed { advice, fallback: None },
            Err(reason) => reason.into(),
        }
    }

    /// Takes a unit of the day's quota, durably, before the work starts: work that fails counts too.
    ///
    /// # Errors
    /// `QuotaExhausted`, `GuardUnavailable`.
    pub async fn try_consume(&self, kind: QuotaKind) -> Result<QuotaUnit, SkipReason> {
        self.write(move |inner| {
            loop {
                let (used, unit) = lock(&inner.quota).consume(kind, inner.clock.as_ref())?;
                let changes = vec![Change::PutQuota(used.to_state())];
                inner.saver.commit(changes).map_err(unavailable)?;
                let mut quota = lock(&inner.quota);
                quota.set(used);
                // A write can take longer than what was left of its day. Work counts on the day on which it begins.
                if !quota.is_over(&unit, inner.clock.as_ref()) {
                    return Ok(unit);
                }
            }
        })
        .await?
    }

    /// Gives a unit back whose work never started. A unit of a day that is over is of no use any more, and that is no error.
    ///
    /// # Errors
    /// The store's; the unit stays spent.
    pub async fn release(&self, unit: QuotaUnit) -> Result<()> {
        self.write_or_fail(move |inner| {
            let released = lock(&inner.quota).release(&unit, inner.clock.as_ref());
            let Some(used) = released else { return Ok(()) };
            inner.saver.commit(vec![Change::PutQuota(used.to_state())])?;
            lock(&inner.quota).set(used);
            Ok(())
        })
        .await
    }

    /// The day's quota.
    pub fn remaining(&self) -> QuotaStatus {
        lock(&self.inner.quota).status(self.inner.clock.as_ref())
    }

    /// Questions that were taken up today: more than the limit where that was lowered, or is another run's.
    pub fn questions_today(&self) -> u32 {
        lock(&self.inner.quota).questions_today(self.inner.clock.as_ref())
    }

    /// The pause after errors.
    pub fn backoff(&self) -> BackoffStatus {
        lock(&self.inner.backoff).status(Moment::now(self.inner.clock.as_ref()))
    }

    /// The pause, milliseconds, after so many rounds in a row that brought nothing: as long as after so many errors.
    pub fn pause_after(&self, rounds: u32) -> u64 {
        lock(&self.inner.backoff).pause_ms(rounds, self.inner.random.next_f64())
    }

    /// Questions that were taken up in vain the last time: they failed, or were put aside. One that has a record was to
    /// renew it. Oldest first.
    pub fn put_aside_questions(&self) -> Vec<Arc<AskedQuestion>> {
        read(&self.inner.questions).put_aside()
    }

    /// Vectors of one question, for comparison with complete spaces.
    async fn vectors(&self, question: &HashedQuestion) -> Result<Arc<QuestionVectors>, SkipReason> {
        self.complete_builtin_vectors().await?;
        let vectors = self.of_questions(std::slice::from_ref(question)).await?;
        vectors.into_iter().next().ok_or_else(|| unavailable("a vector is missing"))
    }

    async fn of_questions(
        &self,
        questions: &[HashedQuestion],
    ) -> Result<Vec<Arc<QuestionVectors>>, SkipReason> {
        let vectors = self.inner.embedders.of_questions(questions).await;
        self.meet_chosen_embedder().await.map_err(unavailable)?;
        Ok(vectors)
    }

    /// Looks into the chosen embedder's space when its server came up after the guard was opened: only then it says what it is.
    pub(crate) async fn meet_chosen_embedder(&self) -> Result<()> {
        let Some(chosen) = self.inner.embedders.chosen.clone() else { return Ok(()) };
        if read(&self.inner.questions).is_chosen(chosen.as_ref()) {
            return Ok(());
        }
        self.write_or_fail(move |inner| write(&inner.questions).choose(chosen.as_ref())).await
    }

    /// Tries a store again that is known to be down.
    async fn retry_store(&self) -> Result<(), SkipReason> {
        if self.inner.saver.outage().is_none() {
            return Ok(());
        }
        self.write(|inner| inner.saver.commit(Vec::new()))
            .await?
            .map_err(|_| unavailable(self.inner.saver.outage().unwrap_or_default()))
    }

    /// Runs a change on a blocking thread, when it is its turn.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Inner) -> T + Send + 'static,
    ) -> Result<T, SkipReason> {
        self.turn(change).await.map_err(unavailable)
    }

    /// As [`DoomLoopGuard::write`], for changes that fail with an error.
    pub(crate) async fn write_or_fail<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Inner) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.turn(change).await?
    }

    async fn turn<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Inner) -> T + Send + 'static,
    ) -> Result<T> {
        let inner = self.inner.clone();
        blocking(move || {
            let _turn = inner.saver.turn();
            change(&inner)
        })
        .await
    }
}

impl Inner {
    /// Backoff, quota, failures, and the exact step of the duplicates.
    fn check_without_vectors(
        &self,
        question: &HashedQuestion,
        again: bool,
    ) -> Result<Option<Retry>, SkipReason> {
        let remaining = lock(&self.backoff).status(Moment::now(self.clock.as_ref())).remaining;
        if !remaining.is_zero() {
            return Err(SkipReason::InBackoff { remaining });
        }
        {
            let quota = lock(&self.quota);
            quota.check(QuotaKind::Questions, self.clock.as_ref())?;
            // A question that can't be explored today isn't worth asking today.
            quota.check(QuotaKind::Explorations, self.clock.as_ref())?;
        }
        self.check_known(question, again)
    }

    /// Failures, and the exact step of the duplicates.
    fn check_known(
        &self,
        question: &HashedQuestion,
        again: bool,
    ) -> Result<Option<Retry>, SkipReason> {
        let now = Moment::now(self.clock.as_ref());
        let pause = lock(&self.backoff).status(now).remaining;
        let retry = read(&self.failures).check_question(&question.text, now.wall, pause)?;
        if !again {
            read(&self.questions).check_text(question.hash, retry.is_some())?;
        }
        Ok(retry)
    }

    /// The atomic step of an admission: the caller has the turn.
    fn admit(
        &self,
        question: &HashedQuestion,
        vectors: &QuestionVectors,
        also: Vec<Change>,
        again: bool,
    ) -> Result<Admission, SkipReason> {
        let retry = self.check_without_vectors(question, again)?;
        let now = self.clock.now_ms();
        let (asked, fallback) = {
            let questions = read(&self.questions);
            let fallback =
                if again { None } else { questions.check_vectors(question.hash, vectors)? };
            (questions.next(question, QuestionOutcome::Started, None, now), fallback)
        };
        let (used, unit) = lock(&self.quota).consume(QuotaKind::Questions, self.clock.as_ref())?;
        let mut changes = vec![Change::PutQuota(used.to_state()), Change::PutAsked(asked.clone())];
        changes.extend(also);
        self.saver.commit(changes).map_err(unavailable)?;
        lock(&self.quota).set(used);
        write(&self.questions).put(question.hash, asked, Some(vectors));
        Ok(Admission { unit, advice: retry.and_then(|r| r.advice), fallback })
    }
}

fn hashed(question: &str) -> Result<HashedQuestion, SkipReason> {
    HashedQuestion::new(question).ok_or_else(|| unavailable("the question has no words"))
}

pub(crate) fn unavailable(cause: impl ToString) -> SkipReason {
    SkipReason::GuardUnavailable { cause: cause.to_string() }
}
