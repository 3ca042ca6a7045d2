//! Where a project and its data are.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use ouro_core::ProjectKey;
use rust_i18n::t;

use crate::{args::Global, output};

/// A project's root and the folder its data lives in.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The canonical root.
    pub(crate) root: PathBuf,
    /// The project's name in the store.
    pub(crate) key: ProjectKey,
    /// The folder of its store.
    pub(crate) data: PathBuf,
}

impl Place {
    /// Finds the project at `path`.
    pub(crate) fn find(global: &Global, path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let root = match path.canonicalize() {
            Ok(root) => root,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                bail!("there is no folder {shown}: give the root folder of a project")
            }
            Err(e) => {
                return Err(e)
                    .with_context(|| format!("{shown} can't be opened: check its permissions"));
            }
        };
        if !root.is_dir() {
            bail!("{shown} is a file: give the folder that holds the project");
        }
        let key = ProjectKey::for_root(&root);
        let data = data_dir(global)?.join(key.as_str());
        Ok(Self { root, key, data })
    }

    /// As [`Place::find`], for who needs but the data: what was learnt is there also when the project is not any more.
    pub(crate) fn find_data(global: &Global, path: &Path) -> anyhow::Result<Self> {
        let found = Self::find(global, path);
        if found.is_ok() || path.exists() {
            return found;
        }
        let Ok(absolute) = std::path::absolute(path) else { return found };
        let parent = absolute.parent().and_then(|parent| parent.canonicalize().ok());
        let root = match (parent, absolute.file_name()) {
            (Some(parent), Some(name)) => parent.join(name),
            _ => absolute,
        };
        let key = ProjectKey::for_root(&root);
        let data = data_dir(global)?.join(key.as_str());
        if !data.is_dir() {
            return found;
        }
        output::note(&t!("place.gone", locale = global.language().tag(), path = root.display()));
        Ok(Self { root, key, data })
    }

    /// Whether the project itself is there.
    pub(crate) fn is_there(&self) -> bool {
        self.root.is_dir()
    }

    /// Whether anything was ever learnt about the project.
    pub(crate) fn has_data(&self) -> anyhow::Result<bool> {
        self.data.try_exists().with_context(|| {
            format!("{} can't be read: check that folder and its permissions", self.data.display())
        })
    }

    /// Fails with a hint when nothing was ever learnt about the project.
    pub(crate) fn require_data(&self) -> anyhow::Result<()> {
        if self.has_data()? {
            return Ok(());
        }
        bail!(
            "nothing is known about {} yet: run `ouro evolve {}` first",
            self.root.display(),
            output::word(&self.root)
        )
    }
}

/// Fails when a project and what goes with it stand in each other's place; `right` is how to write it.
pub(crate) fn require_order(project: &Path, other: &str, right: &str) -> anyhow::Result<()> {
    if !project.exists() && Path::new(other).is_dir() {
        bail!("{} is no folder and {other} is one: the order is `{right}`", project.display());
    }
    Ok(())
}

/// Names the folder of the data where no option does.
const DATA_DIR: &str = "OURO_DATA_DIR";

/// The folder that holds every project's store.
pub(crate) fn data_dir(global: &Global) -> anyhow::Result<PathBuf> {
    // As everywhere, a variable that is set to nothing is not set.
    let variable = std::env::var_os(DATA_DIR).filter(|dir| !dir.is_empty()).map(PathBuf::from);
    if let Some(dir) = global.data_dir.clone().or(variable) {
        return std::path::absolute(&dir)
            .with_context(|| format!("{} can't be made absolute", dir.display()));
    }
    directories::ProjectDirs::from("", "", "ouro")
        .map(|dirs| dirs.data_dir().to_owned())
        .context("this user has no home folder: choose one with --data-dir")
}
