//! Finds the files of a project: sorted, without following links, and saying what was left out.

use std::{
    fs::Metadata,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::UNIX_EPOCH,
};

use globset::{Glob, GlobSet, GlobSetBuilder};
use ignore::{DirEntry, WalkBuilder};
use ouro_core::{Error, ErrorKind, Result, analysis::Skipped};

/// A regular file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Relative to the root, `/`-separated.
    pub path: String,
    /// Size and modification time.
    pub stamp: Stamp,
}

/// What tells a changed file from an unchanged one without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified_ns: i128,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Files, sorted by path.
    pub files: Vec<Found>,
    /// What was left out.
    pub skipped: SkipList,
}

/// Everything that was left out; only the first thousand with names.
#[derive(Debug, Clone, Default)]
pub(super) struct SkipList {
    /// With names, at most [`SkipList::LISTED`].
    pub list: Vec<Skipped>,
    /// All.
    pub count: u64,
}

impl SkipList {
    /// How many are listed by name.
    const LISTED: usize = 1_000;

    /// Adds one.
    pub(super) fn add(&mut self, path: impl Into<String>, why: impl Into<String>) {
        self.count += 1;
        if self.list.len() < Self::LISTED {
            self.list.push(Skipped { path: path.into(), why: why.into() });
        }
    }
}

/// Folders that never hold a project's own code.
const NEVER: [&str; 17] = [
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".idea",
    ".vscode",
    ".gradle",
    ".kotlin",
    ".tox",
    ".nox",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    "__pycache__",
    "node_modules",
    "bower_components",
    ".venv",
];

/// Folders of build output, if one of these files stands beside them.
const OUTPUT: [(&str, &[&str]); 4] = [
    ("target", &["Cargo.toml", "pom.xml", "build.sbt"]),
    (
        "build",
        &[
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "settings.gradle.kts",
            "CMakeLists.txt",
        ],
    ),
    ("out", &["build.gradle", "build.gradle.kts"]),
    ("coverage", &["package.json"]),
];

/// Hidden files and folders worth reading: they say how a project is built and checked.
const HIDDEN: [&str; 16] = [
    ".github",
    ".gitlab-ci.yml",
    ".travis.yml",
    ".circleci",
    ".ci",
    ".cargo",
    ".config",
    ".editorconfig",
    ".eslintrc.json",
    ".eslintrc.js",
    ".eslintrc.cjs",
    ".eslintrc.yml",
    ".prettierrc",
    ".pre-commit-config.yaml",
    ".rustfmt.toml",
    ".golangci.yml",
];

/// Checks that the root is a readable folder and gives its canonical path.
pub(super) fn canonical_root(root: &Path) -> Result<PathBuf> {
    let shown = root.display();
    let refused = |error: std::io::Error, what: &str| {
        let (kind, message) = match error.kind() {
            std::io::ErrorKind::NotFound => (
                ErrorKind::NotFound,
                format!("there is no folder {shown}; check the path or create it"),
            ),
            std::io::ErrorKind::PermissionDenied => (
                ErrorKind::Refused,
                format!("{what} {shown} is not permitted; give yourself read access (chmod u+rx)"),
            ),
            std::io::ErrorKind::NotADirectory => (
                ErrorKind::InvalidInput,
                format!("{shown} goes through a file; name a project's folder"),
            ),
            _ => (
                ErrorKind::InvalidInput,
                format!("{what} {shown} failed: {error}; name a project's folder"),
            ),
        };
        Error::new(kind, message).with_source(error)
    };
    let canonical = root.canonicalize().map_err(|e| refused(e, "opening"))?;
    if !canonical.is_dir() {
        return Err(Error::invalid(format!(
            "{shown} is a file, not a folder; name the folder of the project"
        )));
    }
    canonical.read_dir().map_err(|e| refused(e, "listing"))?;
    Ok(canonical)
}

/// Compiles globs of what to leave out.
pub(super) fn glob_set(globs: &[String]) -> Result<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let invalid = |error: globset::Error| {
            Error::invalid(format!(
                "excluded glob {glob:?} is invalid: {}; mend it, for example **/*.min.js",
                error.kind()
            ))
        };
        set.add(Glob::new(glob).map_err(invalid)?);
    }
    set.build().map_err(|error| {
        Error::invalid(format!("the excluded globs can't be combined: {error}; use fewer"))
    })
}

/// Walks the tree below a canonical root.
pub(super) fn walk(
    root: &Path,
    excluded: &GlobSet,
    max_files: usize,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Walked> {
    let skipped = Arc::new(Mutex::new(SkipList::default()));
    let mut files = Vec::new();
    let walker = WalkBuilder::new(root)
        .hidden(false)
        .parents(false)
        .git_global(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry({
            let (root, excluded, skipped) =
                (root.to_owned(), excluded.clone(), Arc::clone(&skipped));
            move |entry| {
                let Some(path) = relative(&root, entry.path()).filter(|p| !p.is_empty()) else {
                    return true;
                };
                if excluded.is_match(&path) {
                    return false;
                }
                match unwanted(entry) {
                    None => true,
                    Some("") => false,
                    Some(why) => {
                        skipped.lock().unwrap_or_else(PoisonError::into_inner).add(path, why);
                        false
                    }
                }
            }
        })
        .build();
    let skip = |path: String, why: String| {
        skipped.lock().unwrap_or_else(PoisonError::into_inner).add(path, why);
    };
    for entry in walker {
        if is_cancelled() {
            return Err(Error::cancelled());
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let (path, why) = failure(root, &error);
                skip(path, why);
                continue;
            }
        };
        let Some(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            continue;
        }
        let Some(path) = relative(root, entry.path()) else { continue };
        if kind.is_symlink() {
            skip(path, "symbolic link, not followed".into());
            continue;
        }
        if !kind.is_file() {
            skip(path, "not a regular file".into());
            continue;
        }
        if files.len() >= max_files {
            skip(path, format!("more than {max_files} files"));
            continue;
        }
        match entry.metadata() {
            Ok(metadata) => files.push(Found { path, stamp: Stamp::of(&metadata) }),
            Err(error) => skip(path, format!("unreadable: {error}")),
        }
    }
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let mut skipped = std::mem::take(&mut *skipped.lock().unwrap_or_else(PoisonError::into_inner));
    skipped.list.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(Walked { files, skipped })
}

impl Stamp {
    /// The stamp of a file.
    pub(super) fn of(metadata: &Metadata) -> Self {
        let modified_ns =
            metadata.modified().map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
                Ok(after) => i128::try_from(after.as_nanos()).unwrap_or(i128::MAX),
                Err(before) => -i128::try_from(before.duration().as_nanos()).unwrap_or(i128::MAX),
            });
        Self { size: metadata.len(), modified_ns }
    }
}

impl Stamp {
    /// Milliseconds since 1970, rounded down.
    pub(super) fn modified_ms(&self) -> i64 {
        i64::try_from(self.modified_ns.div_euclid(1_000_000)).unwrap_or(i64::MAX)
    }
}

/// Why an entry is left out; empty for what isn't worth a word.
fn unwanted(entry: &DirEntry) -> Option<&'static str> {
    let name = entry.file_name().to_string_lossy();
    let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
    if is_dir && NEVER.contains(&name.as_ref()) {
        return Some(if name.starts_with('.') { "" } else { "installed dependencies or caches" });
    }
    if name.starts_with('.') && !HIDDEN.contains(&name.as_ref()) {
        return Some("");
    }
    if !is_dir {
        return None;
    }
    let beside = |file: &str| entry.path().with_file_name(file).is_file();
    let is_output =
        OUTPUT.iter().any(|(folder, files)| *folder == name && files.iter().any(|f| beside(f)))
            || entry.path().join("CACHEDIR.TAG").is_file();
    if is_output {
        return Some("build output");
    }
    entry.path().join("pyvenv.cfg").is_file().then_some("a Python environment")
}

fn relative(root: &Path, path: &Path) -> Option<String> {
    let relative = path.strip_prefix(root).ok()?;
    let parts: Vec<_> = relative.components().map(|c| c.as_os_str().to_string_lossy()).collect();
    Some(parts.join("/"))
}

fn failure(root: &Path, error: &ignore::Error) -> (String, String) {
    let (mut error, mut path) = (error, String::new());
    loop {
        match error {
            ignore::Error::WithPath { path: at, err } => {
                path = relative(root, at).unwrap_or_default();
                error = err;
            }
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
                error = err
            }
            ignore::Error::Io(io) => return (path, format!("unreadable: {}", io.kind())),
            other => return (path, other.to_string()),
        }
    }
}
