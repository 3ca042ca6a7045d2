#![doc = include_str!("../README.md")]

pub mod calls;
mod canonical;
mod config;
mod detection;
mod event;
mod json;
pub mod judge;
mod ladder;
mod pattern;
pub mod reference;
pub mod score;
pub mod semantic;
mod service;
mod stream;
pub mod text;

pub use calls::ToolCallDetector;
pub use config::{CheckedConfig, Config, ConfigError, ModelLayer, Profile, ToolLayer};
pub use detection::{Channel, LoopKind, Recovery, TextLoop};
pub use event::{Chunk, Event, EventError, ToolCall, ToolResult};
pub use ladder::{LadderConfig, Level};
pub use service::{
    LoopDetected, LoopDetectionService, MessagesConfig, ServiceState, Span, StateError,
};
pub use stream::StreamDetector;
