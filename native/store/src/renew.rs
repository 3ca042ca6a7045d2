//! A new database in the place of a damaged or bloated one, with everything that was sound in it but the records that the
//! journal has: those come from there.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use ouro_core::{Error, ErrorKind, ProjectKey, Result};

use crate::{
    disk,
    index::{self, Index},
    journal::Scan,
    key::{Key, Kind},
    tree::{OpenFailure, Tree, Writes},
};

/// sled gives no space back: from this size on, and when it is so many times what it holds, a database is made anew. A new
/// one takes two to three times its values.
const BLOATED: u64 = 8 << 20;
const BLOATED_FACTOR: u64 = 4;

/// Removes what an interrupted renewal left, or completes it. In its course there are, one after the other: `sled` and an
/// incomplete `sled.new`; a complete `sled.new` alone; `sled` and a `sled.old` that nobody needs.
pub(crate) fn finish(folder: &Path) -> Result<()> {
    let fresh = fresh_name(folder);
    if fresh.exists() && !folder.exists() {
        fs::rename(&fresh, folder).map_err(|e| disk::failed("move", &fresh, e))?;
    }
    remove(&fresh)?;
    remove(&folder.with_extension("old"))
}

/// Whether a database is much larger than the bytes that it holds.
pub(crate) fn is_bloated(folder: &Path, held: u64) -> Result<bool> {
    let size = disk::size(folder)?;
    Ok(size > BLOATED && size / BLOATED_FACTOR > held)
}

/// Puts a new database in the place of `tree`, and that one to `aside`. It lacks the records that the journal has.
pub(crate) fn renew(
    tree: Tree,
    index: &Index,
    project: &ProjectKey,
    scan: &Scan,
    aside: &Path,
) -> Result<(Tree, Index)> {
    let folder = tree.folder().to_owned();
    let fresh_folder = fresh_name(&folder);
    let fresh = open(&fresh_folder)?;
    for (from, to) in [(Kind::Schema, Kind::ToolCall), (Kind::Deleted, Kind::Deleted)] {
        match tree.copy_to(&fresh, from, to) {
            Err(e) if e.kind() == ErrorKind::Damaged => tracing::warn!(%e, "copied in part"),
            other => other?,
        }
    }
    for id in index.records.keys().filter(|id| !scan.live.contains_key(id)) {
        // What can't be read here is nowhere.
        if let Ok(Some(record)) = tree.get(&Key::Record(*id)) {
            fresh.apply(&Writes::from([
                (Key::Known(*id), Some(index::known(&record))),
                (Key::Record(*id), Some(record)),
            ]))?;
        }
    }
    fresh.persist()?;
    drop((tree, fresh));
    disk::rename_patiently(&folder, aside)?;
    disk::rename_patiently(&fresh_folder, &folder)?;
    let tree = open(&folder)?;
    let index = Index::load(&tree, project)?;
    Ok((tree, index))
}

fn open(folder: &Path) -> Result<Tree> {
    Tree::open(folder).map_err(|failure| match failure {
        OpenFailure::Storage(e) => e,
        OpenFailure::InUse => {
            Error::new(ErrorKind::InUse, format!("{} is in use", folder.display()))
        }
        OpenFailure::Damaged(why) => Error::new(
            ErrorKind::Damaged,
            format!("a new database in {} can't be used: {why}", folder.display()),
        ),
    })
}

fn fresh_name(folder: &Path) -> PathBuf {
    folder.with_extension("new")
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(disk::failed("remove", folder, e)),
        _ => Ok(()),
    }
}
