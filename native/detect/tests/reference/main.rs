//! The reference profiles against slow, literal readings of the rules.

mod content;
mod content_oracle;
mod streams;
