//! Exact re-implementations of public loop detectors, for comparison and for hosts that need the same verdicts.

mod calls;
mod chanting;
mod checkpoints;
mod content;
mod json;
mod markup;
mod periods;
mod tape;
mod units;

pub use calls::{CallRepetition, GeminiCalls, GeminiCallsConfig, QwenCalls, QwenCallsConfig};
pub use checkpoints::{CheckpointReasoning, CheckpointsConfig};
pub use content::{GeminiContent, GeminiContentConfig, QwenContent, QwenContentConfig};
pub use markup::MarkupClasses;
