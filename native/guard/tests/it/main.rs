//! The guard as the engine uses it: over a store, a clock that stands still, and embedders that fail on demand.

mod concurrency;
mod crashes;
mod faults;
mod fixture;
mod outcomes;
mod questions;
