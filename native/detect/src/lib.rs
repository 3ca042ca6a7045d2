//! Finds dead loops in a model's streamed text, in its reasoning and in an agent's tool calls.
//!
//! No I/O, no threads, no async: events go in, a verdict comes out.

pub mod calls;
mod canonical;
mod detection;
mod event;
pub mod reference;
pub mod score;
mod stream;
pub mod text;

pub use detection::{Channel, LoopKind, Recovery, TextLoop};
pub use event::{Chunk, Event, EventError, ToolCall, ToolResult};
pub use stream::StreamDetector;
