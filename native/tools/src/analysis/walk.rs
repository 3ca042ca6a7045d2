//! Finds the files of a project: sorted, without following links, and saying what was left out.

use std::{
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    fs::Metadata,
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::UNIX_EPOCH,
};

use globset::{Glob, GlobSet, GlobSetBuilder};
use ouro_core::{
    Error, ErrorKind, Result,
    analysis::{FileRole, LeftOut},
};

use super::{
    progress::ScanProgress,
    role::{language, role},
};
use crate::{
    beneath::{self, Entry, EntryKind},
    ignore_rules::IgnoreRules,
    redact::{holds_key, mark},
    text::is_unfit_for_names,
};

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
    /// Nanoseconds since 1970; good from 1678 to 2262.
    pub modified_ns: i64,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Files' paths relative to the root, `/`-separated and sorted.
    pub paths: Vec<String>,
    /// What was left out.
    pub left_out: Leavings,
}

/// Everything that was left out, by reason: how many, and the first of them by path. A million of them cost no memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Leavings(BTreeMap<String, (u64, BTreeSet<String>)>);

impl Leavings {
    /// How many are named for each reason.
    const NAMED: usize = 10;

    /// Adds one.
    pub(super) fn add(&mut self, path: impl Into<String>, why: impl Into<String>) {
        let (count, examples) = self.0.entry(why.into()).or_default();
        *count += 1;
        examples.insert(path.into());
        if examples.len() > Self::NAMED {
            examples.pop_last();
        }
    }

    /// The most frequent reason first.
    pub(super) fn by_reason(self) -> Vec<LeftOut> {
        let mut reasons: Vec<LeftOut> = self
            .0
            .into_iter()
            .map(|(why, (count, examples))| LeftOut {
                why,
                count,
                examples: examples.into_iter().collect(),
            })
            .collect();
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.count));
        reasons
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
    let refused = |error: io::Error, what: &str| {
        let (kind, message) = match error.kind() {
            io::ErrorKind::NotFound => (
                ErrorKind::NotFound,
                format!("there is no folder {shown}; check the path or create it"),
            ),
            io::ErrorKind::PermissionDenied => (
                ErrorKind::Refused,
                format!("{what} {shown} is not permitted; give yourself read access (chmod u+rx)"),
            ),
            io::ErrorKind::NotADirectory => (
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

struct Folder {
    path: String,
    rules: Option<Arc<IgnoreRules>>,
}

/// Walks the tree below a canonical root. Of more than `max_files` it keeps the ones a reader would look at first: a
/// million pictures in one folder don't crowd out the code.
///
/// # Errors
/// `Cancelled`.
pub(super) fn walk(
    root: &Path,
    excluded: &GlobSet,
    max_files: usize,
    progress: &ScanProgress,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Walked> {
    let mut left_out = Leavings::default();
    let mut files: BinaryHeap<Candidate> = BinaryHeap::new();
    let mut folders = vec![Folder { path: String::new(), rules: None }];
    while let Some(folder) = folders.pop() {
        let rules = IgnoreRules::of(root, &folder.path, folder.rules.as_ref());
        let mut entries = match beneath::list(root, &folder.path, usize::MAX) {
            Ok(entries) => entries,
            Err(error) => {
                left_out.add(folder.path, format!("unreadable: {}", error.kind()));
                continue;
            }
        };
        // Folders come off the end again: by name, so that those that come later are mostly too many at once.
        entries.sort_unstable_by(|a, b| b.name.cmp(&a.name));
        for entry in entries {
            if is_cancelled() {
                return Err(Error::cancelled());
            }
            let joint = if folder.path.is_empty() { "" } else { "/" };
            let name = entry.name.to_string_lossy().replace(is_unfit_for_names, "\u{fffd}");
            // What is left out is told by its path.
            if holds_key(&name) {
                let path = format!("{}{joint}{}", folder.path, mark("key"));
                left_out.add(path, "a key in its name");
                continue;
            }
            let path = format!("{}{joint}{name}", folder.path);
            let is_dir = entry.kind == EntryKind::Folder;
            let ignored = rules.as_ref().is_some_and(|r| r.ignoring(&path, is_dir).is_some());
            match judge(root, &path, &entry) {
                Verdict::Ignored => {}
                _ if ignored => left_out.add(path, "named by ignore files"),
                _ if excluded.is_match(&path) => left_out.add(path, "excluded by the settings"),
                Verdict::Folder => folders.push(Folder { path, rules: rules.clone() }),
                Verdict::File => {
                    progress.found_one();
                    if let Some(path) = keep_best(&mut files, Candidate::new(path), max_files) {
                        left_out.add(path, format!("more than {max_files} files"));
                    }
                }
                Verdict::Skipped(why) => left_out.add(path, why),
            }
        }
    }
    let mut paths: Vec<String> = files.into_iter().map(|file| file.path).collect();
    paths.sort_unstable();
    Ok(Walked { paths, left_out })
}

/// A file that may be read; the greatest one is the first to be left out where there are too many.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    is_no_code: bool,
    depth: usize,
    path: String,
}

impl Candidate {
    fn new(path: String) -> Self {
        let is_no_code = matches!(
            role(&path, language(&path)),
            FileRole::Data | FileRole::Generated | FileRole::Vendored
        );
        Self { is_no_code, depth: path.matches('/').count(), path }
    }
}

/// Adds a file; the path of the one that is too many then.
fn keep_best(
    files: &mut BinaryHeap<Candidate>,
    mut file: Candidate,
    max_files: usize,
) -> Option<String> {
    if files.len() < max_files {
        files.push(file);
        return None;
    }
    if let Some(mut worst) = files.peek_mut()
        && file < *worst
    {
        std::mem::swap(&mut *worst, &mut file);
    }
    Some(file.path)
}

/// What to do with an entry of a folder.
enum Verdict {
    Folder,
    File,
    Skipped(String),
    /// Left out without a word, as every tool does.
    Ignored,
}

fn judge(root: &Path, path: &str, entry: &Entry) -> Verdict {
    let skipped = |why: &str| Verdict::Skipped(why.to_owned());
    let Some(name) = entry.name.to_str() else { return skipped("its name is not UTF-8") };
    if name.contains(is_unfit_for_names) {
        return skipped("its name holds control characters");
    }
    let is_folder = entry.kind == EntryKind::Folder;
    let hidden = name.starts_with('.') && !HIDDEN.contains(&name);
    if is_folder && NEVER.contains(&name) && !hidden {
        return skipped("installed dependencies or caches");
    }
    if hidden {
        return Verdict::Ignored;
    }
    let path = root.join(path);
    match entry.kind {
        EntryKind::Folder if is_output(&path, name) => skipped("build output"),
        EntryKind::Folder if path.join("pyvenv.cfg").is_file() => skipped("a Python environment"),
        EntryKind::Folder => Verdict::Folder,
        EntryKind::Link => skipped("symbolic link, not followed"),
        EntryKind::Other => skipped("not a regular file"),
        EntryKind::File => Verdict::File,
    }
}

fn is_output(path: &Path, name: &str) -> bool {
    let beside = |file: &&str| path.with_file_name(file).is_file();
    OUTPUT.iter().any(|(folder, files)| *folder == name && files.iter().any(beside))
        || path.join("CACHEDIR.TAG").is_file()
}

impl Found {
    /// The file at this path below the root.
    pub(super) fn at(root: &Path, path: String) -> Result<Self, (String, io::Error)> {
        match root.join(&path).symlink_metadata() {
            Ok(metadata) => Ok(Self { stamp: Stamp::of(&metadata), path }),
            Err(error) => Err((path, error)),
        }
    }
}

impl Stamp {
    /// The stamp of a file.
    fn of(metadata: &Metadata) -> Self {
        let modified_ns =
            metadata.modified().map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
                Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
                Err(before) => -i64::try_from(before.duration().as_nanos()).unwrap_or(i64::MAX),
            });
        Self { size: metadata.len(), modified_ns }
    }

    /// Milliseconds since 1970, rounded down.
    pub(super) fn modified_ms(&self) -> i64 {
        self.modified_ns.div_euclid(1_000_000)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{cell::Cell, fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn a_folder_swapped_for_a_link_during_the_walk_names_nothing_from_outside() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("project"), folder.path().join("outside"));
        for path in ["project/a.rs", "project/src/b.rs", "outside/secret.rs", "outside/hidden.bin"]
        {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let swapped = Cell::new(false);
        let swap = || {
            if !swapped.replace(true) {
                fs::rename(root.join("src"), root.join("was")).unwrap();
                symlink(&outside, root.join("src")).unwrap();
            }
            false
        };
        let canonical = canonical_root(&root).unwrap();
        let walked =
            walk(&canonical, &GlobSet::empty(), 99, &ScanProgress::default(), &swap).unwrap();
        assert_eq!(walked.paths, ["a.rs"]);
        let left_out = walked.left_out.by_reason();
        let examples: Vec<&String> = left_out.iter().flat_map(|reason| &reason.examples).collect();
        assert_eq!(examples, ["src"], "{left_out:?}");
    }
}
