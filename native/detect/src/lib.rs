//! Finds dead loops in a model's streamed text, in its reasoning and in an agent's tool calls.
//!
//! No I/O, no threads, no async: events go in, a verdict comes out.

mod detection;
pub mod reference;
pub mod score;
mod stream;
pub mod text;

pub use detection::{Channel, LoopKind, Recovery, TextLoop};
pub use stream::StreamDetector;
