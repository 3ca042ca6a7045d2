//! `.gitignore`, `.ignore` and `.git/info/exclude`, read as carefully as any other file of the project.
//!
//! The rules of folders above the root and of the user's own configuration don't count: the same tree gives the
//! same answer on every machine.

use std::{io::Read, path::Path, sync::Arc};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use crate::beneath;

/// Most bytes of one ignore file.
const MAX_BYTES: u64 = 64 * 1_024;
/// Most patterns of one folder: each costs time for every path below it.
const MAX_PATTERNS: usize = 2_000;

/// The patterns of one folder and of those above it, up to the root.
#[derive(Debug, Clone)]
pub(crate) struct IgnoreRules {
    /// Length of the folder's path with its slash: what to take away from a path before matching.
    prefix: usize,
    patterns: Gitignore,
    above: Option<Arc<IgnoreRules>>,
}

impl IgnoreRules {
    /// The rules that hold in `folder` (relative, empty for the root), below those of the folder above it.
    pub(crate) fn of(root: &Path, folder: &str, above: Option<&Arc<Self>>) -> Option<Arc<Self>> {
        let mut builder = GitignoreBuilder::new("");
        let slash = if folder.is_empty() { "" } else { "/" };
        let mut count = 0;
        // The last match wins, so the strongest comes last.
        for name in [".git/info/exclude", ".gitignore", ".ignore"] {
            if name.starts_with(".git/") && !folder.is_empty() {
                continue;
            }
            let path = format!("{folder}{slash}{name}");
            let Some(text) = read(root, &path) else { continue };
            for line in text.trim_start_matches('\u{feff}').lines() {
                count += 1;
                if count <= MAX_PATTERNS {
                    // A pattern that can't be parsed is passed over, as git does.
                    let _ = builder.add_line(Some(path.clone().into()), line);
                }
            }
        }
        if count == 0 {
            return above.cloned();
        }
        let Ok(patterns) = builder.build() else { return above.cloned() };
        let prefix = folder.len() + slash.len();
        Some(Arc::new(Self { prefix, patterns, above: above.cloned() }))
    }

    /// The pattern that leaves this path out, and the file it stands in. Folders on the way were asked before.
    pub(crate) fn ignoring(&self, path: &str, is_dir: bool) -> Option<String> {
        let mut rules = Some(self);
        while let Some(here) = rules {
            let below = path.get(here.prefix..).unwrap_or(path);
            match here.patterns.matched(below, is_dir) {
                Match::Ignore(glob) => {
                    let file = glob.from().unwrap_or(Path::new(".gitignore")).display();
                    return Some(format!("`{}` in {file}", glob.original()));
                }
                Match::Whitelist(_) => return None,
                Match::None => rules = here.above.as_deref(),
            }
        }
        None
    }
}

/// Why the thing at this resolved path is ignored: itself, or a folder on the way to it.
pub(crate) fn why_ignored(root: &Path, path: &str, is_dir: bool) -> Option<String> {
    let mut rules = IgnoreRules::of(root, "", None);
    let mut end = 0;
    for name in path.split('/').filter(|n| !n.is_empty()) {
        end += name.len();
        let here = path.get(..end)?;
        let is_last = end == path.len();
        let reason = rules.as_ref().and_then(|r| r.ignoring(here, is_dir || !is_last));
        if let Some(pattern) = reason {
            return Some(format!("it is ignored by {pattern}"));
        }
        if !is_last {
            rules = IgnoreRules::of(root, here, rules.as_ref());
        }
        end += 1;
    }
    None
}

fn read(root: &Path, path: &str) -> Option<String> {
    let file = beneath::open(root, path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn deeper_rules_win_but_nothing_comes_back_from_an_ignored_folder() {
        let folder = tree(&[
            (".gitignore", "*.log\n/target/\nbuild\n"),
            ("kept/.gitignore", "!keep.log\n"),
            ("target/.gitignore", "!wanted.rs\n"),
            (".git/info/exclude", "private.txt\n"),
        ]);
        let ignored = |path: &str| why_ignored(folder.path(), path, false);
        assert_eq!(ignored("src/a.log").unwrap(), "it is ignored by `*.log` in .gitignore");
        assert!(ignored("target/wanted.rs").is_some());
        assert!(ignored("deep/build/x.rs").is_some());
        assert!(ignored("sub/private.txt").unwrap().contains(".git/info/exclude"));
        assert_eq!(ignored("kept/keep.log"), None);
        assert_eq!(ignored("src/target/x.rs"), None);
        assert_eq!(ignored("src/main.rs"), None);
    }

    #[test]
    fn an_anchored_pattern_holds_only_in_its_own_folder() {
        let folder = tree(&[("sub/.gitignore", "/out.txt\n")]);
        let ignored = |path: &str| why_ignored(folder.path(), path, false).is_some();
        assert!(ignored("sub/out.txt"));
        assert!(!ignored("out.txt"));
        assert!(!ignored("sub/deeper/out.txt"));
    }

    #[cfg(unix)]
    #[test]
    fn an_ignore_file_that_is_a_pipe_or_a_link_to_an_endless_device_stops_nothing() {
        let folder = tree(&[("src/a.rs", "")]);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folder.path().join(".gitignore"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        std::os::unix::fs::symlink("/dev/zero", folder.path().join("src/.gitignore")).unwrap();
        assert_eq!(why_ignored(folder.path(), "src/a.rs", false), None);
    }
}
