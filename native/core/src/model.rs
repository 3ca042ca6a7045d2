//! Ports to models: chat and embeddings.

use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Result;

/// Tokens of one or many requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens sent.
    pub prompt: u64,
    /// Tokens received.
    pub completion: u64,
    /// Whether any of it was estimated because the server didn't count.
    #[serde(default)]
    pub estimated: bool,
}

impl TokenUsage {
    /// Sent and received together.
    pub fn total(self) -> u64 {
        self.prompt.saturating_add(self.completion)
    }
}

impl std::ops::AddAssign for TokenUsage {
    fn add_assign(&mut self, other: Self) {
        self.prompt = self.prompt.saturating_add(other.prompt);
        self.completion = self.completion.saturating_add(other.completion);
        self.estimated = self.estimated || other.estimated;
    }
}

/// Tokens of work that was dropped before it could tell of them. Whoever dropped it asks for them here.
#[derive(Debug, Default)]
pub struct Abandoned(Mutex<TokenUsage>);

impl Abandoned {
    fn lock(&self) -> MutexGuard<'_, TokenUsage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts what nobody else will tell of.
    pub fn add(&self, usage: TokenUsage) {
        *self.lock() += usage;
    }

    /// What came together since the last time.
    pub fn take(&self) -> TokenUsage {
        std::mem::take(&mut *self.lock())
    }

    /// Counts `usage` if the work that holds it is dropped.
    pub fn hold(&self, usage: TokenUsage) -> Held<'_> {
        Held { abandoned: self, usage }
    }
}

/// Tokens that are still to be told of: see [`Abandoned::hold`].
#[derive(Debug)]
#[must_use = "dropped, it counts as abandoned"]
pub struct Held<'a> {
    abandoned: &'a Abandoned,
    usage: TokenUsage,
}

impl Held<'_> {
    /// The work goes on, and tells of them itself.
    pub fn release(mut self) -> TokenUsage {
        std::mem::take(&mut self.usage)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.abandoned.add(self.usage);
    }
}

/// Who speaks in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    /// Instructions.
    System,
    /// The engine.
    User,
    /// The model.
    Assistant,
}

/// One message of a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: ChatRole,
    /// What is said.
    pub content: String,
}

/// A JSON reply that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplySchema {
    /// A name for the server, `[a-z_]+`.
    pub name: &'static str,
    /// JSON Schema of the reply; its root is an object.
    pub schema: Value,
    /// A wider one, for a reply that doesn't match the first when it was asked for again: who asked can say better what is wrong
    /// with it. `None` for a reply that is of no use then.
    pub at_least: Option<Value>,
}

/// One request to a chat model.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// The chat so far.
    pub messages: Vec<ChatMessage>,
    /// The JSON that is asked for; `None` for free text.
    pub schema: Option<ReplySchema>,
    /// Most tokens to receive.
    pub max_tokens: u64,
    /// Most tokens, sent and received, that this chat may cost in all: a reply of no use is asked for again only
    /// within it.
    pub token_budget: u64,
    /// 0 (always the likeliest word) to 2.
    pub temperature: f32,
}

/// A piece of a streamed reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyDelta<'a> {
    /// The model's reasoning.
    Reasoning(&'a str),
    /// The reply itself.
    Content(&'a str),
}

/// Watches a reply as it streams; `Break(why)` aborts the request at once.
pub trait ReplyObserver: Send {
    /// Sees the next piece.
    fn on_delta(&mut self, delta: ReplyDelta<'_>) -> ControlFlow<String>;
}

/// Lets every reply pass.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl ReplyObserver for Unwatched {
    fn on_delta(&mut self, _: ReplyDelta<'_>) -> ControlFlow<String> {
        ControlFlow::Continue(())
    }
}

/// A whole reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatReply {
    /// The reply; with a schema it is the JSON text as it came, found and validated in [`ChatReply::json`].
    pub content: String,
    /// The reasoning, if the model shows it.
    pub reasoning: String,
    /// The validated value, when a schema was asked for.
    pub json: Option<Value>,
    /// Tokens, re-asks included.
    pub usage: TokenUsage,
}

/// A chat model behind some endpoint.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// The model's name, as records show it.
    fn id(&self) -> &str;

    /// Asks, streams into `observer`, and returns the whole reply.
    ///
    /// Dropping the future aborts the request.
    ///
    /// # Errors
    /// By kind: `Unavailable`, `RateLimited`, `Timeout` (retryable), `Refused` (key), `BadReply` (no valid JSON
    /// after a re-ask, or not an answer at all), `Cancelled` (the observer broke it off; the message is its reason).
    async fn chat(
        &self,
        request: &ChatRequest,
        observer: &mut dyn ReplyObserver,
    ) -> Result<ChatReply>;

    /// What chats cost that were dropped before their end, as an estimate, since the last time.
    fn take_abandoned(&self) -> TokenUsage {
        TokenUsage::default()
    }

    /// How many tokens the model counts for each that [`crate::estimate_tokens`] estimates; 1 until it has counted.
    fn tokens_per_estimated(&self) -> f32 {
        1.0
    }
}

/// Turns texts into vectors that can be compared.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Names the model and its dimension, for example `ouro-hash-512`: vectors are compared only within an id. One whose server
    /// was away from the start may say it, and its threshold, only when it has given vectors.
    fn id(&self) -> &str;

    /// Cosine from which two questions count as the same, calibrated for this embedder.
    fn duplicate_threshold(&self) -> f32;

    /// Cosine from which a text has to do with a query, measured on questions that have nothing to do with each other.
    /// Where nothing was measured, only the same question counts.
    fn relevance_floor(&self) -> f32 {
        self.duplicate_threshold()
    }

    /// One normalised vector for each text, in order.
    ///
    /// # Errors
    /// As [`ChatModel::chat`]; `BadReply` names the model when a vector is zero, not finite, or of another length.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>>;
}

/// A shared embedder.
pub type SharedEmbedder = Arc<dyn Embedder>;

/// Judges how well texts answer a query, by reading both together.
#[async_trait]
pub trait Reranker: Send + Sync {
    /// One finite score for each text, in order; the higher, the better. They compare within one call only.
    ///
    /// # Errors
    /// As [`ChatModel::chat`].
    async fn scores(&self, query: &str, texts: &[String]) -> Result<Vec<f32>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_estimate_makes_the_sum_an_estimate_and_no_sum_overflows() {
        let mut sum = TokenUsage { prompt: u64::MAX, completion: 1, estimated: false };
        sum += TokenUsage { prompt: 1, completion: 2, estimated: true };
        assert_eq!(sum, TokenUsage { prompt: u64::MAX, completion: 3, estimated: true });
        assert_eq!(sum.total(), u64::MAX);
    }

    #[test]
    fn what_is_held_counts_as_abandoned_once_and_only_if_it_is_dropped() {
        let usage = TokenUsage { prompt: 3, completion: 1, estimated: false };
        let abandoned = Abandoned::default();
        assert_eq!(abandoned.hold(usage).release(), usage);
        assert_eq!(abandoned.take(), TokenUsage::default());
        drop(abandoned.hold(usage));
        assert_eq!((abandoned.take(), abandoned.take()), (usage, TokenUsage::default()));
    }
}
