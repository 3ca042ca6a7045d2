//! Loops in tool calls.

mod adaptive;
mod answers;
mod arguments;
mod config;
mod cycle;
mod detector;
mod digest;
mod finding;
mod growing;
mod history;
mod novelty;
mod reading;
mod report;
mod rounds;
mod streaks;
mod volatile;
mod walk;

pub use adaptive::AdaptiveCalls;
pub use config::CallConfig;
pub(crate) use detector::DetectorState;
pub use detector::ToolCallDetector;
pub use finding::{CallExcerpt, CallLoop, CallRule};
