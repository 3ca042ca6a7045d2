//! Makes questions' vectors: by the chosen embedder, and always by the built-in one too.

use std::{
    num::NonZeroUsize,
    sync::{Arc, Mutex},
    time::Duration,
};

use lru::LruCache;
use ouro_core::{Clock, Embedder, Error, ErrorKind, Result, SharedEmbedder, clock::with_timeout};

use crate::{locks::lock, normalize::normalize_question, signature::Signature, vectors::unit};

/// An embedder that takes longer is down.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// Vectors of so many recent questions are kept: a question that was checked in a batch is admitted and learnt without being
/// embedded again.
const RECENT: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// A question with the hash of its normalised text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HashedQuestion {
    pub(crate) hash: Signature,
    pub(crate) text: String,
}

impl HashedQuestion {
    /// `None` for a question without a word.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let normalized = normalize_question(text);
        (!normalized.is_empty())
            .then(|| Self { hash: Signature::of(normalized.as_bytes()), text: text.to_owned() })
    }
}

/// One question's unit vectors, or why there are none.
#[derive(Debug, Clone)]
pub(crate) struct QuestionVectors {
    /// `None` when the built-in embedder is the chosen one.
    pub(crate) chosen: Option<Result<Vec<f32>, String>>,
    pub(crate) builtin: Result<Vec<f32>, String>,
}

/// The chosen embedder, unless it is the built-in one, and the built-in one.
pub(crate) struct Embedders {
    pub(crate) chosen: Option<SharedEmbedder>,
    pub(crate) builtin: SharedEmbedder,
    clock: Arc<dyn Clock>,
    recent: Mutex<LruCache<Signature, Arc<QuestionVectors>>>,
}

impl Embedders {
    pub(crate) fn new(
        chosen: SharedEmbedder,
        builtin: SharedEmbedder,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let chosen = (chosen.id() != builtin.id()).then_some(chosen);
        Self { chosen, builtin, clock, recent: Mutex::new(LruCache::new(RECENT)) }
    }

    /// Vectors of these questions, in order; those that are not known yet in one call for each embedder.
    pub(crate) async fn of_questions(
        &self,
        questions: &[HashedQuestion],
    ) -> Vec<Arc<QuestionVectors>> {
        let known: Vec<Option<Arc<QuestionVectors>>> = {
            let mut recent = lock(&self.recent);
            questions.iter().map(|q| recent.get(&q.hash).cloned()).collect()
        };
        let unknown = questions.iter().zip(&known).filter(|(_, known)| known.is_none());
        let texts: Vec<String> = unknown.map(|(question, _)| question.text.clone()).collect();
        let mut new = self.of_texts(&texts).await.into_iter();
        let mut all = Vec::with_capacity(questions.len());
        for (question, known) in questions.iter().zip(known) {
            let Some(vectors) = known.or_else(|| new.next()) else { continue };
            // A failure is not kept: the embedder may be back the next time.
            if vectors.builtin.is_ok() && !matches!(vectors.chosen, Some(Err(_))) {
                lock(&self.recent).put(question.hash, vectors.clone());
            }
            all.push(vectors);
        }
        all
    }

    async fn of_texts(&self, texts: &[String]) -> Vec<Arc<QuestionVectors>> {
        if texts.is_empty() {
            return Vec::new();
        }
        let clock = self.clock.as_ref();
        let mut builtin = Column::new(embed(clock, self.builtin.as_ref(), texts).await);
        let mut chosen = match &self.chosen {
            Some(chosen) => Some(Column::new(embed(clock, chosen.as_ref(), texts).await)),
            None => None,
        };
        texts
            .iter()
            .map(|_| {
                let chosen = chosen.as_mut().map(Column::next);
                Arc::new(QuestionVectors { chosen, builtin: builtin.next() })
            })
            .collect()
    }
}

/// The vectors of `texts` by one call, or, where its reply is bad, of each text by itself: one that the embedder can't do,
/// which has none then, must not keep the others without.
///
/// # Errors
/// The embedder's; `Timeout`; the last one where no text could be embedded.
pub async fn embed_each(
    clock: &dyn Clock,
    embedder: &dyn Embedder,
    texts: &[String],
) -> Result<Vec<Option<Vec<f32>>>> {
    match embed(clock, embedder, texts).await {
        Ok(vectors) => return Ok(vectors.into_iter().map(Some).collect()),
        Err(error) if error.kind() == ErrorKind::BadReply && texts.len() > 1 => {}
        Err(error) => return Err(error),
    }
    let mut vectors = Vec::with_capacity(texts.len());
    let mut last_error = None;
    for text in texts {
        match embed(clock, embedder, std::slice::from_ref(text)).await {
            Ok(one) => vectors.push(one.into_iter().next()),
            Err(error) => {
                tracing::warn!(%error, "a text can't be embedded");
                last_error = Some(error);
                vectors.push(None);
            }
        }
    }
    match last_error {
        Some(error) if vectors.iter().all(Option::is_none) => Err(error),
        _ => Ok(vectors),
    }
}

/// One unit vector for each text.
///
/// # Errors
/// The embedder's; `Timeout`; `BadReply` that names the embedder for a vector without a direction or a wrong number of
/// vectors.
async fn embed(
    clock: &dyn Clock,
    embedder: &dyn Embedder,
    texts: &[String],
) -> Result<Vec<Vec<f32>>> {
    let id = embedder.id();
    let what = format!("embedder {id}");
    let vectors = with_timeout(clock, TIME_LIMIT, &what, embedder.embed(texts)).await??;
    if vectors.len() != texts.len() {
        let message =
            format!("embedder {id} gave {} vectors for {} texts", vectors.len(), texts.len());
        return Err(Error::new(ErrorKind::BadReply, message));
    }
    vectors.into_iter().map(|values| unit(id, values)).collect()
}

/// One embedder's answer for a batch, handed out text by text.
struct Column(Result<std::vec::IntoIter<Vec<f32>>, String>);

impl Column {
    fn new(answer: Result<Vec<Vec<f32>>>) -> Self {
        Self(answer.map(Vec::into_iter).map_err(|error| error.message().to_owned()))
    }

    fn next(&mut self) -> Result<Vec<f32>, String> {
        match &mut self.0 {
            Ok(vectors) => vectors.next().ok_or_else(|| "a vector is missing".to_owned()),
            Err(cause) => Err(cause.clone()),
        }
    }
}
