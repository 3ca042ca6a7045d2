//! Runs of the real `ouro` binary on small real projects, with a real store, and a scripted model behind real HTTP.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

mod bad_input;
mod detection;
mod injection;
mod interruption;
mod keys;
mod model;
mod offline;
mod output;
mod reading;
mod support;
