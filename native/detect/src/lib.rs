//! Finds dead loops in a model's streamed text, in its reasoning and in an agent's tool calls.
//!
//! No I/O, no threads, no async: events go in, a verdict comes out.

pub mod calls;
mod canonical;
mod config;
mod detection;
mod event;
pub mod judge;
mod ladder;
mod pattern;
pub mod reference;
pub mod score;
mod service;
mod stream;
pub mod text;

pub use calls::ToolCallDetector;
pub use config::{Config, ConfigError, ModelLayer, Profile, ToolLayer};
pub use detection::{Channel, LoopKind, Recovery, TextLoop};
pub use event::{Chunk, Event, EventError, ToolCall, ToolResult};
pub use ladder::{LadderConfig, Level};
pub use service::{LoopDetected, LoopDetectionService, ServiceState, Span, StateError};
pub use stream::StreamDetector;
