//! Loops in tool calls.

mod adaptive;
mod arguments;
mod config;
mod cycle;
mod digest;
mod finding;
mod growing;
mod history;
mod novelty;
mod reading;
mod streaks;
mod volatile;

pub use adaptive::AdaptiveCalls;
pub use config::CallConfig;
pub use finding::{CallExcerpt, CallLoop, CallRule};
