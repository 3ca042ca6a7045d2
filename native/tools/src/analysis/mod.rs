//! What a project's tree says without any model: files, symbols, who uses what, build files, prose, entry points.

mod assemble;
mod budget;
mod captures;
mod checks;
mod code;
mod comments;
mod document;
mod entry;
mod expression;
mod extract;
mod link;
mod manifest;
mod modules;
mod progress;
mod rank;
mod reach;
mod read;
mod role;
mod scanner;
mod walk;

pub use progress::ScanProgress;
pub use scanner::{ProjectScanner, ScanOptions};
