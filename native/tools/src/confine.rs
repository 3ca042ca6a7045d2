//! The wall around a project: what may be read, and the only way to read it.
//!
//! A path from outside (a model, a user, a tool's argument) is resolved link by link within the root, judged by its
//! real name, and then opened without following any link, so that a swap in between can't lead outside.
//!
//! A hard link is the file itself: one that was made inside the project to a file outside is read like any other.
//! Whoever can make one can read the file anyway.

use std::{
    collections::VecDeque,
    fs::Metadata,
    io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use globset::{Glob, GlobSet, GlobSetBuilder};
use ouro_core::{Error, ErrorKind, Result};

use crate::{ignore_rules, secret_files, suggest};

/// Links followed before a path counts as endless.
const MAX_LINKS: usize = 40;
/// Longest path that is looked at, in bytes.
const MAX_PATH: usize = 4_096;
/// Folders of version control: their content is no part of the project.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// A project's folder. Everything the tools read goes through it.
#[derive(Debug, Clone)]
pub struct ProjectRoot {
    /// Absolute, without links.
    path: PathBuf,
    /// As it was given, made absolute: absolute paths may start with either.
    given: PathBuf,
    excluded: Arc<GlobSet>,
}

/// A file or folder inside the project.
#[derive(Debug)]
pub(crate) struct Located {
    /// Relative to the root, `/`-separated, without links; empty for the root itself.
    pub(crate) path: String,
    pub(crate) metadata: Metadata,
}

impl ProjectRoot {
    /// The project at this folder.
    ///
    /// # Errors
    /// `NotFound`, `InvalidInput` for what is no folder, `Refused` for what can't be entered.
    pub fn open(path: &Path) -> Result<Self> {
        let shown = path.display();
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Error::new(
                ErrorKind::NotFound,
                format!("there is no folder {shown}; name the project's folder"),
            ),
            _ => Error::new(ErrorKind::Refused, format!("the folder {shown} can't be read"))
                .with_source(error),
        };
        let canonical = path.canonicalize().map_err(failed)?;
        if !canonical.is_dir() {
            return Err(Error::invalid(format!(
                "{shown} is not a folder; name the folder that holds the project"
            )));
        }
        std::fs::read_dir(&canonical).map_err(failed)?;
        let given = std::path::absolute(path).unwrap_or_else(|_| canonical.clone());
        Ok(Self { path: canonical, given, excluded: Arc::default() })
    }

    /// The same project without the files and folders that match one of these globs (relative to the root).
    ///
    /// # Errors
    /// `InvalidInput` names the glob that is wrong.
    pub fn excluding(self, globs: &[String]) -> Result<Self> {
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            let wrong =
                |e: globset::Error| Error::invalid(format!("excluded glob {glob:?}: {}", e.kind()));
            let bare = glob.trim_end_matches('/');
            set.add(Glob::new(bare).map_err(wrong)?);
        }
        let set = set.build().map_err(|e| Error::invalid(format!("excluded globs: {e}")))?;
        Ok(Self { excluded: Arc::new(set), ..self })
    }

    /// The folder: absolute, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Finds what a path names and checks that it may be read. Links inside the project are followed, links that
    /// lead out are not even looked at, so that an answer never tells whether something exists outside.
    ///
    /// # Errors
    /// `InvalidInput` for what is no path, `NotFound` (with near misses), `Refused` with the reason.
    pub(crate) fn locate(&self, given: &str) -> Result<Located> {
        let relative = self.relative(given)?;
        let located = self.resolve(given, &relative)?;
        if let Some(why) = secret_files::why_secret(&relative.join("/")) {
            return Err(refused(given, &why));
        }
        if let Some(why) = self.why_refused(&located.path, located.metadata.is_dir()) {
            return Err(refused(given, &why));
        }
        Ok(located)
    }

    /// Why the thing at this resolved path may not be read.
    fn why_refused(&self, path: &str, is_dir: bool) -> Option<String> {
        self.why_excluded(path)
            .or_else(|| secret_files::why_secret(path))
            .or_else(|| ignore_rules::why_ignored(&self.path, path, is_dir))
    }

    /// Why a resolved path is left out by name alone: version control, or the user's globs.
    pub(crate) fn why_excluded(&self, path: &str) -> Option<String> {
        let is_control = |c: &str| VERSION_CONTROL.iter().any(|v| v.eq_ignore_ascii_case(c));
        if path.split('/').any(is_control) {
            return Some("it belongs to version control".to_owned());
        }
        let mut ancestors = Path::new(path).ancestors().filter(|a| !a.as_os_str().is_empty());
        ancestors
            .any(|a| self.excluded.is_match(a))
            .then(|| "it is excluded by a setting".to_owned())
    }

    /// The path's components below the root, by its text alone: `..` taken away, nothing decoded.
    fn relative(&self, given: &str) -> Result<Vec<String>> {
        if given.contains('\0') {
            return Err(Error::invalid("a path can't hold a NUL character"));
        }
        if given.len() > MAX_PATH {
            return Err(Error::invalid(format!(
                "a path of more than {MAX_PATH} bytes names no file"
            )));
        }
        let path = Path::new(given);
        let inside = if path.has_root() || path.is_absolute() {
            path.strip_prefix(&self.path)
                .or_else(|_| path.strip_prefix(&self.given))
                .map_err(|_| outside(given))?
        } else {
            path
        };
        let mut components = Vec::new();
        for component in inside.components() {
            match component {
                Component::Normal(name) => {
                    let name = name.to_string_lossy().into_owned();
                    // Windows takes `.env::$DATA` and `.env.` for `.env`.
                    if cfg!(windows) && (name.contains(':') || name.ends_with(['.', ' '])) {
                        return Err(refused(given, "it is another spelling of a file's name"));
                    }
                    components.push(name);
                }
                Component::CurDir => {}
                Component::ParentDir => {
                    components.pop().ok_or_else(|| outside(given))?;
                }
                Component::RootDir | Component::Prefix(_) => return Err(outside(given)),
            }
        }
        Ok(components)
    }

    /// Follows links one by one; each step stays within the root.
    fn resolve(&self, given: &str, relative: &[String]) -> Result<Located> {
        let mut pending: VecDeque<String> = relative.iter().cloned().collect();
        let mut path = self.path.clone();
        let mut depth = 0_usize;
        let mut links = 0;
        while let Some(name) = pending.pop_front() {
            if name == ".." {
                depth = depth.checked_sub(1).ok_or_else(|| link_outside(given))?;
                path.pop();
                continue;
            }
            path.push(&name);
            depth += 1;
            let metadata = path.symlink_metadata().map_err(|e| self.unreachable(given, &e))?;
            if !metadata.is_symlink() {
                continue;
            }
            links += 1;
            if links > MAX_LINKS {
                return Err(refused(given, "its symbolic links go round in a circle"));
            }
            let target = path.read_link().map_err(|e| self.unreachable(given, &e))?;
            path.pop();
            depth -= 1;
            let target = if target.has_root() || target.is_absolute() {
                path.clone_from(&self.path);
                depth = 0;
                target
                    .strip_prefix(&self.path)
                    .or_else(|_| target.strip_prefix(&self.given))
                    .map_err(|_| link_outside(given))?
            } else {
                &target
            };
            for component in target.components().rev() {
                match component {
                    Component::Normal(name) => {
                        pending.push_front(name.to_string_lossy().into_owned());
                    }
                    Component::ParentDir => pending.push_front("..".to_owned()),
                    Component::CurDir => {}
                    Component::RootDir | Component::Prefix(_) => return Err(link_outside(given)),
                }
            }
        }
        let path = self.as_stored(path, given)?;
        let metadata = path.symlink_metadata().map_err(|e| self.unreachable(given, &e))?;
        let inside = path.strip_prefix(&self.path).map_err(|_| outside(given))?;
        let names: Vec<_> = inside.iter().map(|n| n.to_string_lossy()).collect();
        Ok(Located { path: names.join("/"), metadata })
    }

    /// The path in the spelling that the disk has, so that `SRC/` can't get round a rule for `src/`.
    #[cfg(any(windows, target_vendor = "apple"))]
    fn as_stored(&self, path: PathBuf, given: &str) -> Result<PathBuf> {
        path.canonicalize().map_err(|e| self.unreachable(given, &e))
    }

    /// Names are exact here.
    #[cfg(not(any(windows, target_vendor = "apple")))]
    fn as_stored(&self, path: PathBuf, _given: &str) -> Result<PathBuf> {
        Ok(path)
    }

    /// What went wrong on the way to `given`.
    pub(crate) fn unreachable(&self, given: &str, error: &io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::InvalidFilename
            | io::ErrorKind::InvalidInput => {
                let near = suggest::near_paths(self, given);
                let hint = if near.is_empty() {
                    "find_file shows what there is".to_owned()
                } else {
                    format!("did you mean {}?", near.join(" or "))
                };
                Error::new(ErrorKind::NotFound, format!("there is no {}; {hint}", shown(given)))
            }
            io::ErrorKind::PermissionDenied => refused(given, "the system doesn't permit it"),
            _ => refused(given, &format!("it can't be opened ({error})")),
        }
    }
}

/// A path in a message: quoted, never longer than a line.
pub(crate) fn shown(path: &str) -> String {
    let mut short: String = path.chars().take(200).collect();
    if short.len() < path.len() {
        short.push('…');
    }
    format!("`{}`", short.escape_debug())
}

pub(crate) fn refused(path: &str, why: &str) -> Error {
    Error::new(ErrorKind::Refused, format!("{} is not read: {why}", shown(path)))
}

fn outside(path: &str) -> Error {
    refused(path, "it is outside the project; give a path relative to the project's folder")
}

fn link_outside(path: &str) -> Error {
    refused(path, "a symbolic link on its way leads out of the project")
}
