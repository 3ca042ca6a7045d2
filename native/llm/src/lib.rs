//! Models behind OpenAI-compatible endpoints, and an embedder that needs none.
//!
//! - [`OpenAiChat`]: streamed chat with JSON by schema, for Ollama, llama.cpp, vLLM, LM Studio, OpenAI, DeepSeek, Qwen.
//! - [`OpenAiEmbedder`]: embeddings, with the threshold for duplicates measured for each model.
//! - [`HttpReranker`]: scores how well texts answer a query, for llama.cpp, vLLM, Jina, Cohere, SiliconFlow.
//! - [`LateEmbedder`]: one whose server may come up later.
//! - [`HashEmbedder`]: built in, no model and no files.
//! - [`check_endpoint`]: what is wrong with an endpoint, in words.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use ouro_core::{ChatMessage, ChatModel, ChatRequest, ChatRole, SeededRandom, SystemClock, Unwatched};
//! use ouro_llm::{ChatConfig, OpenAiChat};
//!
//! # async fn ask() -> ouro_core::Result<()> {
//! let config = ChatConfig::new("http://localhost:11434", "qwen3");
//! let model = OpenAiChat::new(config, Arc::new(SystemClock::new()), Arc::new(SeededRandom::from_system()))?;
//! let question = ChatMessage { role: ChatRole::User, content: "What is a mutex?".to_owned() };
//! let request = ChatRequest { messages: vec![question], schema: None, max_tokens: 500, token_budget: 5_000, temperature: 0.2 };
//! let reply = model.chat(&request, &mut Unwatched).await?;
//! # drop(reply);
//! # Ok(())
//! # }
//! ```
//!
//! Time and randomness are injected: time-outs and pauses run on the [`Clock`](ouro_core::Clock). TLS is rustls with ring, against the
//! machine's root certificates (or those that `SSL_CERT_FILE` names). The proxies of the environment are used, but not
//! for endpoints on this machine. Keys appear in no error, log or `Debug`; prompts and replies in no log.

mod answer;
mod answer_body;
mod api_key;
mod base_url;
mod calibration;
mod chat;
mod conform;
mod connect_timeout;
mod dialect;
mod doctor;
mod embed;
mod frame_words;
mod hash_embedder;
mod http;
mod json_reply;
mod json_service;
mod late;
mod prompt;
mod reranker;
mod rest;
mod retry;
mod sse;
mod surrogates;
mod thinking;
mod token_ratio;
mod tokenizer;
mod wording;
mod words;

pub use api_key::{ApiKey, Credential};
pub use base_url::sends_in_the_clear;
pub use calibration::Calibration;
pub use chat::{ChatConfig, OpenAiChat};
pub use doctor::{EndpointReport, check_endpoint};
pub use embed::{EmbedderConfig, OpenAiEmbedder};
pub use hash_embedder::HashEmbedder;
pub use late::LateEmbedder;
pub use reranker::{HttpReranker, RerankerConfig};
pub use retry::RetryPolicy;

rust_i18n::i18n!("locales", fallback = "en");
// The macro reads the bundle unseen by the compiler, which would not compile anew what a changed text is part of.
const _: &str = include_str!("../locales/llm.yml");
