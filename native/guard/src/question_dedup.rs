//! Layer 1: has a similar question been explored?
//!
//! First the hash of the normalised text, which needs no embedder; then the cosine to the questions that have a record, whose
//! vectors the store has and searches, or are explored at this moment. Vectors of two embedders are never compared: each lives
//! in a space of its own.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use ouro_core::{
    AskedQuestion, Change, Embedder, Error, ErrorKind, QuestionOutcome, RecordId, RecordStore,
    Result, StoredVector, VectorRole, VectorSearch,
};

use crate::{
    MatchedBy, Similar, SkipReason,
    embedders::{Embedders, HashedQuestion, QuestionVectors},
    signature::Signature,
    space::Space,
    vectors::cosine,
};

/// So many near questions go into a verdict, so that a user sees why.
const NEAREST: usize = 5;

/// Which of the two embedders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    Chosen,
    Builtin,
}

/// A question whose vector is missing.
#[derive(Debug)]
pub(crate) struct Missing {
    pub(crate) hash: Signature,
    pub(crate) record: RecordId,
    pub(crate) text: String,
}

/// The layer: every question that was ever taken up.
pub(crate) struct Questions {
    store: Arc<dyn RecordStore>,
    /// Shared with whoever lists them: they are asked for in every iteration, and there may be thousands.
    asked: HashMap<Signature, Arc<AskedQuestion>>,
    by_record: HashMap<RecordId, Signature>,
    /// `None` when the built-in embedder is the chosen one.
    chosen: Option<Space>,
    /// Replaces the chosen embedder's own threshold.
    threshold: Option<f32>,
    builtin: Space,
}

impl Questions {
    /// `threshold` replaces the chosen embedder's own.
    pub(crate) fn new(
        store: Arc<dyn RecordStore>,
        embedders: &Embedders,
        threshold: Option<f32>,
    ) -> Self {
        let chosen = embedders.chosen.as_ref().map(|e| Space::new(e.as_ref(), threshold));
        let builtin_threshold = if chosen.is_some() { None } else { threshold };
        Self {
            store,
            asked: HashMap::new(),
            by_record: HashMap::new(),
            chosen,
            threshold,
            builtin: Space::new(embedders.builtin.as_ref(), builtin_threshold),
        }
    }

    /// Takes a question as the store has it. [`Questions::find_missing`] is due when all are taken.
    pub(crate) fn put_stored(&mut self, asked: AskedQuestion) {
        let hash = Signature::from_hex(&asked.hash)
            .or_else(|| HashedQuestion::new(&asked.question).map(|q| q.hash));
        let Some(hash) = hash else { return };
        if let Some(record) = asked.record {
            self.by_record.insert(record, hash);
        }
        // What was begun when the process ended is known by its text only.
        self.asked.insert(hash, Arc::new(asked));
    }

    /// Takes the question of a stored record that no asked question names: one that was superseded, or one whose guard state
    /// was lost. Newest first: of several records of one question the first answers it.
    pub(crate) fn put_stored_record(&mut self, record: RecordId, question: &str, at: i64) {
        let Some(question) = HashedQuestion::new(question) else { return };
        self.by_record.insert(record, question.hash);
        if self.get(question.hash).is_none_or(|known| known.record.is_none()) {
            let asked = self.next(&question, QuestionOutcome::Learned, Some(record), at);
            self.asked.insert(question.hash, Arc::new(asked));
        }
    }

    /// Whether the chosen embedder is the one whose space this is: one whose server was away says late what it is.
    pub(crate) fn is_chosen(&self, embedder: &dyn Embedder) -> bool {
        self.chosen.as_ref().is_none_or(|space| space.embedder == embedder.id())
    }

    /// Takes the space of the chosen embedder that has said what it is.
    ///
    /// # Errors
    /// The store's.
    pub(crate) fn choose(&mut self, embedder: &dyn Embedder) -> Result<()> {
        let missing = self.chosen.take().map(|unknown| unknown.missing).unwrap_or_default();
        self.chosen = Some(Space { missing, ..Space::new(embedder, self.threshold) });
        self.find_missing()
    }

    /// Finds out whose vectors the store lacks.
    ///
    /// # Errors
    /// The store's.
    pub(crate) fn find_missing(&mut self) -> Result<()> {
        for space in self.chosen.iter_mut().chain([&mut self.builtin]) {
            let catalog = self.store.vector_catalog(&space.embedder, VectorRole::Question)?;
            let there: HashSet<Signature> =
                catalog.records.iter().filter_map(|id| self.by_record.get(id).copied()).collect();
            // One that is explored at this moment is in no catalog.
            space.missing.retain(|hash| self.asked.get(hash).is_some_and(|a| a.record.is_none()));
            let answered = self.asked.iter().filter(|(_, asked)| asked.record.is_some());
            space.missing.extend(answered.map(|(hash, _)| *hash).filter(|h| !there.contains(h)));
            space.dimension = space.dimension.or(catalog.dimension);
        }
        Ok(())
    }

    /// Whether a record's question is known.
    pub(crate) fn has_record(&self, record: RecordId) -> bool {
        self.by_record.contains_key(&record)
    }

    /// What became of the question.
    pub(crate) fn get(&self, hash: Signature) -> Option<&AskedQuestion> {
        self.asked.get(&hash).map(Arc::as_ref)
    }

    /// Every question that was put aside without an answer, oldest first.
    pub(crate) fn put_aside(&self) -> Vec<Arc<AskedQuestion>> {
        let mut aside: Vec<Arc<AskedQuestion>> = self
            .asked
            .values()
            .filter(|q| matches!(q.outcome, QuestionOutcome::Failed | QuestionOutcome::Skipped))
            .cloned()
            .collect();
        aside.sort_by(|a, b| (a.at, &a.hash).cmp(&(b.at, &b.hash)));
        aside
    }

    /// The exact step. `retry`: the question failed before and may be tried again.
    pub(crate) fn check_text(&self, hash: Signature, retry: bool) -> Result<(), SkipReason> {
        let Some(asked) = self.get(hash) else { return Ok(()) };
        if retry && asked.outcome == QuestionOutcome::Failed {
            return Ok(());
        }
        let similar =
            Similar { question: asked.question.clone(), record: asked.record, similarity: 1.0 };
        Err(SkipReason::Duplicate {
            of: asked.question.clone(),
            similarity: 1.0,
            nearest: vec![similar],
            by: MatchedBy::Text,
        })
    }

    /// The similarity step. `Ok` says why the built-in embedder had to decide, if it had to.
    pub(crate) fn check_vectors(
        &self,
        hash: Signature,
        vectors: &QuestionVectors,
    ) -> Result<Option<String>, SkipReason> {
        let mut cause = None;
        // Without a chosen embedder's space, or if it can't tell, the built-in one answers for every question.
        let mut answers_for: Option<&BTreeSet<Signature>> = None;
        if let (Some(space), Some(vector)) = (&self.chosen, &vectors.chosen) {
            let usable = vector.as_ref().map_err(Clone::clone);
            match usable.and_then(|v| space.check_dimension(v).map(|()| v)) {
                Ok(vector) => {
                    let by = MatchedBy::Embedder(space.embedder.clone());
                    self.look(space, vector, |key| *key != hash, by)?;
                    if space.missing.is_empty() {
                        return Ok(None);
                    }
                    let (count, id) = (space.missing.len(), &space.embedder);
                    cause = Some(format!("{count} earlier questions have no vector of {id} yet"));
                    answers_for = Some(&space.missing);
                }
                Err(why) => cause = Some(why),
            }
        }
        let space = &self.builtin;
        let unavailable = |why: String| SkipReason::GuardUnavailable { cause: why };
        let vector = vectors.builtin.as_ref().map_err(|why| unavailable(why.clone()))?;
        space.check_dimension(vector).map_err(unavailable)?;
        if !space.missing.is_empty() {
            return Err(unavailable(format!(
                "{} earlier questions have no vector of {}",
                space.missing.len(),
                space.embedder
            )));
        }
        let embedder = space.embedder.clone();
        let by = match &cause {
            Some(cause) => MatchedBy::Fallback { embedder, cause: cause.clone() },
            None => MatchedBy::Embedder(embedder),
        };
        let wanted = |key: &Signature| *key != hash && answers_for.is_none_or(|m| m.contains(key));
        self.look(space, vector, wanted, by)?;
        Ok(cause)
    }

    fn look(
        &self,
        space: &Space,
        vector: &[f32],
        wanted: impl Fn(&Signature) -> bool,
        by: MatchedBy,
    ) -> Result<(), SkipReason> {
        let search = VectorSearch {
            embedder: &space.embedder,
            role: VectorRole::Question,
            vector,
            count: NEAREST,
            wanted: &|record| self.by_record.get(&record).is_some_and(&wanted),
        };
        let stored = self.store.nearest(&search).map_err(|error| SkipReason::GuardUnavailable {
            cause: format!("no vectors to compare with: {error}"),
        })?;
        let stored = stored
            .into_iter()
            .filter_map(|hit| Some((*self.by_record.get(&hit.record)?, hit.cosine)));
        let mut found: Vec<(Signature, f32)> =
            space.begun.nearest(vector, NEAREST, &wanted).into_iter().chain(stored).collect();
        found.sort_by(|(a, x), (b, y)| y.total_cmp(x).then(a.cmp(b)));
        let mut seen = HashSet::new();
        let nearest: Vec<Similar> = found
            .into_iter()
            // A question that was answered anew has the vectors of all its records.
            .filter(|(hash, _)| seen.insert(*hash))
            .filter_map(|(hash, similarity)| {
                let asked = self.get(hash)?;
                let (question, record) = (asked.question.clone(), asked.record);
                Some(Similar { question, record, similarity })
            })
            .take(NEAREST)
            .collect();
        match nearest.first() {
            Some(first) if first.similarity >= space.threshold => Err(SkipReason::Duplicate {
                of: first.question.clone(),
                similarity: first.similarity,
                nearest,
                by,
            }),
            _ => Ok(()),
        }
    }

    /// Whether two questions of one batch are the same.
    pub(crate) fn check_pair(
        &self,
        (first, first_vectors): (&HashedQuestion, &QuestionVectors),
        (second, second_vectors): (&HashedQuestion, &QuestionVectors),
    ) -> Result<(), SkipReason> {
        let same = |similarity: f32, by| SkipReason::Duplicate {
            of: first.text.clone(),
            similarity,
            nearest: vec![Similar { question: first.text.clone(), record: None, similarity }],
            by,
        };
        if first.hash == second.hash {
            return Err(same(1.0, MatchedBy::Text));
        }
        let (space, a, b) = match (&self.chosen, &first_vectors.chosen, &second_vectors.chosen) {
            (Some(space), Some(Ok(a)), Some(Ok(b))) => (space, a, b),
            _ => match (&first_vectors.builtin, &second_vectors.builtin) {
                (Ok(a), Ok(b)) => (&self.builtin, a, b),
                // That a vector is missing was said when each was compared with the past.
                _ => return Ok(()),
            },
        };
        let similarity = cosine(a, b);
        if a.len() == b.len() && similarity >= space.threshold {
            return Err(same(similarity, MatchedBy::Embedder(space.embedder.clone())));
        }
        Ok(())
    }

    /// The state to write when a question takes a turn. A question that has a record keeps it, and stays learnt when a
    /// renewal fails; one whose renewal was put aside says so.
    pub(crate) fn next(
        &self,
        question: &HashedQuestion,
        outcome: QuestionOutcome,
        record: Option<RecordId>,
        at: i64,
    ) -> AskedQuestion {
        let record = record.or_else(|| self.get(question.hash)?.record);
        let outcome = match outcome {
            QuestionOutcome::Failed if record.is_some() => QuestionOutcome::Learned,
            outcome => outcome,
        };
        AskedQuestion {
            hash: question.hash.to_string(),
            question: question.text.clone(),
            at,
            outcome,
            record,
            cut_short: None,
        }
    }

    /// Takes a state that the store has, and with a record its question's `vectors`, as far as they fit.
    pub(crate) fn put(
        &mut self,
        hash: Signature,
        asked: AskedQuestion,
        vectors: Option<&QuestionVectors>,
    ) {
        if let Some(record) = asked.record {
            self.by_record.insert(record, hash);
        }
        let was_answered = self.get(hash).is_some_and(|known| known.record.is_some());
        let of_chosen = vectors.and_then(|v| v.chosen.as_ref()?.as_deref().ok());
        let of_builtin = vectors.and_then(|v| v.builtin.as_deref().ok());
        let spaces = self.chosen.iter_mut().zip([of_chosen]);
        for (space, vector) in spaces.chain([(&mut self.builtin, of_builtin)]) {
            if asked.outcome == QuestionOutcome::Started {
                space.begin(hash, vector, was_answered);
            } else if asked.record.is_some() {
                space.answer(hash, vector, was_answered);
            } else {
                space.remove(hash);
            }
        }
        self.asked.insert(hash, Arc::new(asked));
    }

    /// The state to write for the question of a deleted record: answered by the record before it, or put aside, for its user
    /// didn't want it. `None` when a newer record answers it.
    pub(crate) fn after_delete(&self, record: RecordId) -> Option<AskedQuestion> {
        let hash = self.by_record.get(&record)?;
        let asked = self.get(*hash).filter(|asked| asked.record == Some(record))?;
        let others = self.by_record.iter().filter(|(id, h)| *h == hash && **id != record);
        let record = others.map(|(id, _)| *id).max();
        let outcome = if record.is_some() { asked.outcome } else { QuestionOutcome::Skipped };
        Some(AskedQuestion { outcome, record, ..asked.clone() })
    }

    /// Takes that a record was deleted.
    pub(crate) fn delete(&mut self, record: RecordId) {
        let after = self.after_delete(record);
        if let (Some(hash), Some(asked)) = (self.by_record.remove(&record), after) {
            self.put(hash, asked, None);
            // The record before it may have been written when an embedder was down.
            if let Err(error) = self.find_missing() {
                tracing::warn!(%error, "missing vectors are found when the project is opened again");
            }
        }
    }

    /// The changes that store a record's vectors, as far as they can be compared with the others.
    pub(crate) fn vector_changes(
        &self,
        record: RecordId,
        vectors: &QuestionVectors,
    ) -> Vec<Change> {
        let chosen = self.chosen.as_ref().zip(vectors.chosen.as_ref());
        [chosen, Some((&self.builtin, &vectors.builtin))]
            .into_iter()
            .flatten()
            .filter_map(|(space, vector)| {
                let values = vector.as_ref().ok()?;
                space.check_dimension(values).ok()?;
                Some(put_vector(record, &space.embedder, values))
            })
            .collect()
    }

    /// How many records' questions lack a vector of an embedder.
    pub(crate) fn missing_count(&self, which: Which) -> usize {
        let hashes = self.space(which).into_iter().flat_map(|space| &space.missing);
        hashes.filter(|hash| self.get(**hash).is_some_and(|q| q.record.is_some())).count()
    }

    /// At most `count` of them.
    pub(crate) fn missing(&self, which: Which, count: usize) -> Vec<Missing> {
        let hashes = self.space(which).into_iter().flat_map(|space| &space.missing);
        hashes
            .filter_map(|hash| {
                let asked = self.get(*hash)?;
                Some(Missing { hash: *hash, record: asked.record?, text: asked.question.clone() })
            })
            .take(count)
            .collect()
    }

    /// The change that stores a vector that was missing.
    ///
    /// # Errors
    /// `BadReply` that names the embedder, for a vector of another dimension.
    pub(crate) fn missing_change(
        &self,
        which: Which,
        record: RecordId,
        vector: &[f32],
    ) -> Result<Change> {
        let space = self.space(which).unwrap_or(&self.builtin);
        space.check_dimension(vector).map_err(|why| Error::new(ErrorKind::BadReply, why))?;
        Ok(put_vector(record, &space.embedder, vector))
    }

    /// Takes that the store has a vector that was missing.
    pub(crate) fn put_missing(&mut self, which: Which, hash: Signature, vector: &[f32]) {
        let space = match which {
            Which::Chosen => self.chosen.as_mut(),
            Which::Builtin => Some(&mut self.builtin),
        };
        if let Some(space) = space {
            space.answer(hash, Some(vector), true);
        }
    }

    fn space(&self, which: Which) -> Option<&Space> {
        match which {
            Which::Chosen => self.chosen.as_ref(),
            Which::Builtin => Some(&self.builtin),
        }
    }
}

fn put_vector(record: RecordId, embedder: &str, values: &[f32]) -> Change {
    Change::PutVector(StoredVector {
        record,
        role: VectorRole::Question,
        embedder: embedder.to_owned(),
        values: values.to_vec(),
    })
}
