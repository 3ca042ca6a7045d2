//! What a project's tree says without any model: files, symbols, who uses what, build files, prose, entry points.

mod captures;
mod code;
mod comments;
mod document;
mod expression;
mod extract;
mod modules;
mod read;
mod role;
mod scanner;
mod walk;

pub use scanner::{ProjectScanner, ScanOptions};
