//! The reference profiles against slow, literal readings of the rules.

mod calls;
mod checkpoints;
mod content;
mod content_oracle;
mod memory;
mod streams;
