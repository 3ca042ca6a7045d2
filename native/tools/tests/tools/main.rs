//! The tools on real files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    reason = "in a test they are what fails it; an attacker's thread is no part of the runtime"
)]

mod arguments;
mod call_chain;
mod code_documents;
#[cfg(unix)]
mod confinement;
mod find_file;
mod grep_file;
mod project;
mod read_file;
mod redaction;
