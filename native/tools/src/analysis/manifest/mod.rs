//! Build files: what the package is called, what it needs and where it is entered, each with its line.

mod cargo;
mod toml_tree;

use ouro_core::analysis::{CitedText, EntryPoint, Manifest};

use super::role::{file_name, folder};

/// What one build file says.
#[derive(Debug, Clone, Default)]
pub(super) struct BuildFile {
    /// Name, version, dependencies.
    pub manifest: Manifest,
    /// Where the package is entered, as the build file says or its build system takes for granted. A path may name
    /// a file that doesn't exist.
    pub entries: Vec<EntryPoint>,
}

/// Reads a build file; `None` for any other file, or one that can't be parsed.
pub(super) fn read(path: &str, text: &str) -> Option<BuildFile> {
    match file_name(path) {
        "Cargo.toml" => cargo::read(path, text),
        _ => None,
    }
}

/// A path relative to the build file's folder, relative to the root.
fn beside(manifest: &str, path: &str) -> String {
    let path = path.trim_start_matches("./");
    match folder(manifest) {
        "" => path.to_owned(),
        home => format!("{home}/{path}"),
    }
}

/// Text on one line.
fn cited(text: impl Into<String>, line: u32) -> CitedText {
    CitedText { text: text.into(), start_line: line, end_line: line }
}

/// The line of a byte, from 1.
fn line_of(text: &str, byte: usize) -> u32 {
    let before = text.as_bytes().get(..byte).unwrap_or_default();
    u32::try_from(before.iter().filter(|b| **b == b'\n').count()).unwrap_or(u32::MAX - 1) + 1
}
