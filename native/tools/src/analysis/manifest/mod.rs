//! Build files: what the package is called, what it needs and where it is entered, each with its line.

mod cargo;
mod go;
mod gradle;
mod json_tree;
mod lines;
mod maven;
mod npm;
mod python;
mod toml_tree;

use ouro_core::analysis::{CitedText, Manifest};

pub(super) use go::short_name as short_module_name;

use super::{
    budget::Watch,
    role::{file_name, folder},
};

/// What one build file says.
#[derive(Debug, Clone, Default)]
pub(super) struct BuildFile {
    /// Name, version, dependencies.
    pub manifest: Manifest,
    /// Where the package is entered, as the build file says or its build system takes for granted.
    pub entries: Vec<Entry>,
}

/// Where a package may be entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// As in [`ouro_core::analysis::EntryPoint::kind`].
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Files it may mean, relative to the root; the first that exists counts.
    pub paths: Vec<String>,
    /// The function in that file.
    pub function: Option<String>,
}

/// Reads a build file; `None` for any other file, or one that can't be parsed.
pub(super) fn read(path: &str, text: &str, watch: Watch<'_>) -> Option<BuildFile> {
    match file_name(path) {
        "Cargo.toml" => cargo::read(path, text),
        "package.json" => npm::read(path, text, watch),
        "pom.xml" => maven::read(path, text),
        "go.mod" => go::read(path, text),
        "pyproject.toml" => python::project::read(path, text),
        "setup.cfg" => python::setup_cfg::read(path, text),
        "METADATA" => python::metadata::read(path, text),
        "setup.py" => python::setup_py::read(path, text),
        "build.gradle" | "build.gradle.kts" | "settings.gradle" | "settings.gradle.kts" => {
            gradle::build(path, text)
        }
        name if name.ends_with(".versions.toml") => gradle::catalogue(path, text),
        name if name.starts_with("requirements") && name.ends_with(".txt") => {
            python::requirements::read(path, text)
        }
        _ => None,
    }
}

/// The prose that a build file carries, each line where it stands in the file.
pub(super) fn description(path: &str, text: &str) -> Option<String> {
    (file_name(path) == "METADATA").then(|| python::metadata::description(path, text))?
}

fn manifest(path: &str, build_system: &str) -> Manifest {
    Manifest { path: path.to_owned(), build_system: build_system.to_owned(), ..Manifest::default() }
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

/// Whether a group of dependencies with this name is only for tests or the build.
fn is_development(group: &str) -> bool {
    let group = group.to_ascii_lowercase();
    ["dev", "test", "doc", "lint", "typing", "bench", "build", "check", "ci"]
        .iter()
        .any(|word| group.contains(word))
}
