//! The reference profiles against slow, literal readings of the rules.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail by any of them"
)]

mod calls;
mod checkpoints;
mod content;
mod content_oracle;
mod memory;
mod streams;
