//! A new database in the place of one that is damaged, with everything that was sound in it but the records that the
//! journal has (those come from there), or of one that is bloated, with everything.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use ouro_core::{ErrorKind, ProjectKey, Result};

use crate::{
    disk,
    index::{self, Index},
    journal::Scan,
    key::{Key, Kind},
    tree::{Tree, Writes},
};

/// sled gives no space back: from this size on, bytes, a database is made anew when it is two and a half times what it holds. A
/// new one takes 1.7 to 2.2 times that.
const BLOATED: u64 = 4 << 20;

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

/// Whether a database is much larger than what it holds, which is counted anew when it seems so: it may have grown.
pub(crate) fn is_bloated(tree: &Tree, index: &mut Index) -> Result<bool> {
    let size = disk::size(tree.folder())?;
    let seems_so = |index: &Index| size > BLOATED && size / 5 > index.held_bytes / 2;
    if seems_so(index) {
        index.held_bytes = index::held_bytes(tree)?;
    }
    Ok(seems_so(index))
}

/// A copy of a bloated database, to be put in its place by [`replace`]. The disk holds both for a moment.
pub(crate) fn copy(tree: &Tree, index: &Index) -> Result<Tree> {
    disk::require_space(tree.folder(), index.held_bytes.saturating_mul(3))?;
    let folder = fresh_name(tree.folder());
    remove(&folder)?;
    let fresh = Tree::open_sound(&folder)?;
    // Long values first: behind short ones they take a sixth more.
    tree.copy_to(&fresh, Kind::Record, Kind::Record)?;
    tree.copy_to(&fresh, Kind::Schema, Kind::Deleted)?;
    fresh.persist()?;
    Ok(fresh)
}

/// Puts a copy in the place of a database.
pub(crate) fn replace(tree: &mut Tree, copy: Tree) -> Result<()> {
    let folder = tree.folder().to_owned();
    let old = folder.with_extension("old");
    tree.replace_with(copy, &old)?;
    // The old one goes when nothing can bring it back.
    old.parent().map_or(Ok(()), disk::sync_dir)?;
    finish(&folder)
}

/// Puts a new database in the place of `tree`, and that one to `aside`. It lacks the records that the journal has.
pub(crate) fn renew(
    mut tree: Tree,
    index: &Index,
    project: &ProjectKey,
    scan: &Scan,
    aside: &Path,
) -> Result<(Tree, Index)> {
    let fresh = Tree::open_sound(&fresh_name(tree.folder()))?;
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
    tree.replace_with(fresh, aside)?;
    let index = Index::load(&tree, project)?;
    Ok((tree, index))
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
