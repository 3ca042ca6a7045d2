//! Models behind OpenAI-compatible endpoints, and an embedder that needs none.
//!
//! - [`OpenAiChat`]: streamed chat with JSON by schema, over HTTP or TLS, with time-outs on the injected clock.

mod answer;
mod answer_body;
mod api_key;
mod base_url;
mod calibration;
mod chat;
mod connect_timeout;
mod dialect;
mod doctor;
mod embed;
mod frame_words;
mod hash_embedder;
mod http;
mod json_reply;
mod prompt;
mod retry;
mod sse;
mod thinking;
mod words;

pub use api_key::ApiKey;
pub use calibration::Calibration;
pub use chat::{ChatConfig, OpenAiChat};
pub use doctor::{EndpointReport, check_endpoint};
pub use embed::{EmbedderConfig, OpenAiEmbedder};
pub use hash_embedder::HashEmbedder;
pub use retry::RetryPolicy;
