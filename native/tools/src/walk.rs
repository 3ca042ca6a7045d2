//! Every file of a project that may be read, in a fixed order.

use std::{ops::ControlFlow, path::Path, sync::Arc};

use ouro_core::{Error, Result};
use tokio_util::sync::CancellationToken;

use crate::{
    ProjectRoot,
    beneath::{self, EntryKind},
    ignore_rules::IgnoreRules,
    redact::holds_key,
    secret_files,
    text::is_unfit_for_names,
};

/// Most files and folders that one walk looks at.
pub(crate) const MAX_ENTRIES: usize = 200_000;

/// Folders of installed packages and of caches, which not every project ignores.
const NOT_ITS_OWN: [&str; 10] = [
    ".gradle",
    ".idea",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".venv",
    "__pycache__",
    "bower_components",
    "node_modules",
];
/// A file by which a cache says what it is (bford.info/cachedir).
const CACHE_TAG: &str = "/CACHEDIR.TAG";

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkEnd {
    /// Everything was seen.
    Complete,
    /// The visitor had enough.
    Stopped,
    /// There is more than [`MAX_ENTRIES`].
    TooMany,
}

/// A file that a walk met.
#[derive(Debug)]
pub(crate) struct Visited<'a> {
    /// Relative to the root, `/`-separated.
    pub(crate) path: &'a str,
    /// Its name says that it holds secrets: it may be named, not read.
    pub(crate) secret: bool,
}

struct Folder {
    path: String,
    rules: Option<Arc<IgnoreRules>>,
}

/// Shows every ordinary file to `visit`: a folder's own files by name, then its folders by name. Links aren't
/// followed, so there are no circles; what is ignored, excluded, installed, cached or can't be listed is passed over.
///
/// # Errors
/// `Cancelled`.
pub(crate) fn walk(
    root: &ProjectRoot,
    cancel: &CancellationToken,
    mut visit: impl FnMut(Visited<'_>) -> Result<ControlFlow<()>>,
) -> Result<WalkEnd> {
    let mut budget = MAX_ENTRIES;
    let mut folders = vec![Folder { path: String::new(), rules: None }];
    while let Some(folder) = folders.pop() {
        if cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        let rules = IgnoreRules::of(root.path(), &folder.path, folder.rules.as_ref());
        let entries = list(root.path(), &folder.path, budget);
        let complete = entries.len() < budget;
        budget -= entries.len();
        if entries.iter().any(|(path, _)| path.ends_with(CACHE_TAG)) {
            continue;
        }
        let mut inner = Vec::new();
        for (path, is_dir) in entries {
            let ignored = rules.as_ref().is_some_and(|r| r.ignoring(&path, is_dir).is_some());
            if ignored || root.why_excluded(&path).is_some() {
                continue;
            }
            if is_dir {
                let name = path.rsplit('/').next().unwrap_or(&path);
                if NOT_ITS_OWN.contains(&name) {
                    continue;
                }
                inner.push(Folder { path, rules: rules.clone() });
                continue;
            }
            if cancel.is_cancelled() {
                return Err(Error::cancelled());
            }
            let secret = secret_files::why_secret(&path).is_some();
            if visit(Visited { path: &path, secret })?.is_break() {
                return Ok(WalkEnd::Stopped);
            }
        }
        if !complete {
            return Ok(WalkEnd::TooMany);
        }
        folders.extend(inner.into_iter().rev());
    }
    Ok(WalkEnd::Complete)
}

/// A folder's ordinary files and folders, sorted, at most `limit`. Names that can't be asked for or
/// cited are left out: such as are no UTF-8, and with control characters. So are names with a key in them, which would go
/// wherever a path goes.
fn list(root: &Path, folder: &str, limit: usize) -> Vec<(String, bool)> {
    let Ok(entries) = beneath::list(root, folder, limit) else { return Vec::new() };
    let slash = if folder.is_empty() { "" } else { "/" };
    let mut found: Vec<_> = entries
        .into_iter()
        .filter(|entry| matches!(entry.kind, EntryKind::File | EntryKind::Folder))
        .filter_map(|entry| {
            let name = entry.name.into_string().ok()?;
            if name.contains(is_unfit_for_names) || holds_key(&name) {
                return None;
            }
            Some((format!("{folder}{slash}{name}"), entry.kind == EntryKind::Folder))
        })
        .collect();
    found.sort_unstable();
    found
}
