//! The service on recorded and generated sessions.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may"
)]

mod behaviour;
mod cases;
mod generated;
mod generator;
mod judge;
mod memory;
mod semantic;
