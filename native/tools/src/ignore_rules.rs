//! `.gitignore`, `.ignore` and `.git/info/exclude`, read as carefully as any other file of the project.
//!
//! Where the root is a folder of a repository, the rules above it count up to the repository's own, as they do for git. Those
//! of the user's configuration don't: the same repository gives the same answer on every machine.

use std::{borrow::Cow, io::Read, path::Path, sync::Arc};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use crate::beneath;

/// Most bytes of one ignore file.
const MAX_BYTES: u64 = 64 * 1_024;
/// Most patterns of one folder: each costs time for every path below it.
const MAX_PATTERNS: usize = 2_000;

/// The patterns of one folder and of those above it.
#[derive(Debug, Clone)]
pub(crate) struct IgnoreRules {
    /// Length of the folder's path with its slash: what to take away from a path before matching.
    prefix: usize,
    patterns: Gitignore,
    above: Option<Arc<IgnoreRules>>,
    /// What to put before a path for the rules above: of the root's own the way to it from the repository, with its slash.
    to_root: String,
}

impl IgnoreRules {
    /// The rules that hold in `folder` (relative, empty for the root), below those of the folder above it.
    pub(crate) fn of(root: &Path, folder: &str, above: Option<&Arc<Self>>) -> Option<Arc<Self>> {
        match folder {
            "" => Self::of_root(root),
            _ => Self::read(root, folder, above.cloned(), String::new()),
        }
    }

    /// The root's own rules, below those of the repository that it lies in. Those don't count when they ignore the root:
    /// whoever opens such a folder wants to have it read.
    fn of_root(root: &Path) -> Option<Arc<Self>> {
        let own = || Self::read(root, "", None, String::new());
        let Some(to_root) = way_from_repository(root) else { return own() };
        let names = to_root.split_terminator('/');
        let top = root.ancestors().nth(names.clone().count())?;
        let (mut above, mut folder) = (None, String::new());
        for name in names {
            above = Self::read(top, &folder, above, String::new());
            folder.extend([if folder.is_empty() { "" } else { "/" }, name]);
            if above.as_ref().is_some_and(|rules| rules.ignoring(&folder, true).is_some()) {
                return own();
            }
        }
        if above.is_none() { own() } else { Self::read(root, "", above, to_root) }
    }

    /// The rules of `folder` in `top`, below those above it.
    fn read(
        top: &Path,
        folder: &str,
        above: Option<Arc<Self>>,
        to_root: String,
    ) -> Option<Arc<Self>> {
        let mut builder = GitignoreBuilder::new("");
        let slash = if folder.is_empty() { "" } else { "/" };
        let mut count = 0;
        // The last match wins, so the strongest comes last.
        for name in [".git/info/exclude", ".gitignore", ".ignore"] {
            if name.starts_with(".git/") && !folder.is_empty() {
                continue;
            }
            let path = format!("{folder}{slash}{name}");
            let Some(text) = read(top, &path) else { continue };
            for line in text.trim_start_matches('\u{feff}').lines() {
                count += 1;
                if count <= MAX_PATTERNS {
                    // A pattern that can't be parsed is passed over, as git does.
                    let _ = builder.add_line(Some(path.clone().into()), line);
                }
            }
        }
        if count == 0 && to_root.is_empty() {
            return above;
        }
        let Ok(patterns) = builder.build() else { return above };
        let prefix = folder.len() + slash.len();
        Some(Arc::new(Self { prefix, patterns, above, to_root }))
    }

    /// The pattern that leaves this path out, and the file it stands in. Folders on the way were asked before.
    pub(crate) fn ignoring(&self, path: &str, is_dir: bool) -> Option<String> {
        let own_len = path.len();
        let mut path = Cow::Borrowed(path);
        let mut rules = Some(self);
        while let Some(here) = rules {
            let below = path.get(here.prefix..).unwrap_or(&path);
            match here.patterns.matched(below, is_dir) {
                Match::Ignore(glob) => {
                    let file = glob.from().unwrap_or(Path::new(".gitignore")).display();
                    let whose = if path.len() > own_len { " of the repository" } else { "" };
                    return Some(format!("`{}` in {file}{whose}", glob.original()));
                }
                Match::Whitelist(_) => return None,
                Match::None => rules = here.above.as_deref(),
            }
            if !here.to_root.is_empty() {
                path = Cow::Owned(format!("{}{path}", here.to_root));
            }
        }
        None
    }
}

/// The way to the root from the repository that it lies in, with its slash; `None` where it is one itself or lies in none.
fn way_from_repository(root: &Path) -> Option<String> {
    let top = root.ancestors().find(|folder| folder.join(".git").exists())?;
    let way = root.strip_prefix(top).ok()?.to_str()?.replace('\\', "/");
    (!way.is_empty()).then(|| way + "/")
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

    #[test]
    fn the_rules_of_the_repository_hold_in_a_folder_of_it() {
        let folder = tree(&[
            (".gitignore", "*.local\n/app/out/\nbuilt/\n"),
            (".git/info/exclude", "private.txt\n"),
            ("app/.gitignore", "!kept.local\n"),
            ("app/web/.ignore", "*.tmp\n"),
        ]);
        let ignored = |root: &str, path: &str| why_ignored(&folder.path().join(root), path, false);
        let why = "it is ignored by `*.local` in .gitignore of the repository";
        assert_eq!(ignored("app", "deep/a.local").unwrap(), why);
        assert!(ignored("app", "private.txt").unwrap().contains(".git/info/exclude"));
        assert!(ignored("app", "out/x.rs").is_some());
        assert!(ignored("app/web", "a.local").is_some());
        for (root, path) in
            [("app", "kept.local"), ("app", "web/out/x.rs"), ("app/web", "kept.local")]
        {
            assert_eq!(ignored(root, path), None, "{path} in {root}");
        }
        assert_eq!(ignored("app", "web/a.tmp").unwrap(), "it is ignored by `*.tmp` in web/.ignore");
    }

    #[test]
    fn a_repository_within_another_and_a_folder_that_is_ignored_itself_have_their_own_rules_alone()
    {
        let folder = tree(&[
            (".gitignore", "*.local\n/home/\n"),
            (".git/HEAD", ""),
            ("inner/.git", "gitdir: elsewhere"),
            ("home/deep/.gitignore", "*.tmp\n"),
        ]);
        let ignored = |root: &str, path: &str| why_ignored(&folder.path().join(root), path, false);
        assert_eq!(ignored("inner", "a.local"), None);
        assert_eq!(ignored("home/deep", "a.local"), None);
        assert!(ignored("home/deep", "a.tmp").is_some());
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
