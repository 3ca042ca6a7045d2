//! The durable store on real files.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "helpers of tests"
)]

mod compaction;
mod contract;
mod crash;
mod damage;
mod disk;
mod lock;
mod nearest;
mod oracle;
mod reading;
mod support;
