//! What a scan finds in small projects written for it, one language each, and what it does with bad input.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

mod attribution;
mod bad_input;
mod languages;
mod project;
mod reached;
mod refresh;
mod support;
