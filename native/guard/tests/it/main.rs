//! The guard as the engine uses it: over a store, a clock that stands still, and embedders that fail on demand.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test they are what fails it"
)]

mod concurrency;
mod crashes;
mod faults;
mod fixture;
mod outcomes;
mod questions;
