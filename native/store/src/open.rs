//! Opening: find what is damaged, set it aside, and bring journal and tree to the same state.

use std::{
    fs,
    path::{Path, PathBuf},
};

use ouro_core::{Error, ErrorKind, ProjectKey, Result};

use crate::{
    disk,
    index::Index,
    journal::Journal,
    lock::{self, Lock},
    reconcile,
    state::State,
    tree::{OpenFailure, Tree, suspect_mark},
    vectors::Vectors,
};

/// What opening a store had to mend.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// The database was made anew from the journal.
    pub rebuilt: bool,
    /// Damaged files and folders that were set aside. They can be removed.
    pub quarantined: Vec<PathBuf>,
    /// What happened, in sentences for a person; empty when all was well.
    pub messages: Vec<String>,
}

/// Opens the store of a folder.
pub(crate) fn open(dir: &Path, project: &ProjectKey, now_ms: i64) -> Result<(State, OpenReport)> {
    fs::create_dir_all(dir).map_err(|e| disk::failed("make", dir, e))?;
    let lock = Lock::acquire(dir)?;
    let mut report = OpenReport::default();
    let (tree, index) = open_tree(dir, project, now_ms, &mut report)?;
    let journal = Journal::open(dir)?;
    let vectors = Vectors::open(dir, &mut report)?;
    disk::sync_dir(dir)?;
    let dir = dir.to_owned();
    let mut state = State { dir, tree, journal, vectors, index, poisoned: None, _lock: lock };
    reconcile::reconcile(&mut state, now_ms, &mut report)?;
    for message in &report.messages {
        tracing::warn!(project = %project, "{message}");
    }
    Ok((state, report))
}

/// Opens the tree; when it is damaged, first without its snapshot (which sled makes anew), then as an empty one.
fn open_tree(
    dir: &Path,
    project: &ProjectKey,
    now_ms: i64,
    report: &mut OpenReport,
) -> Result<(Tree, Index)> {
    let folder = dir.join("sled");
    if let Ok(why) = fs::read_to_string(suspect_mark(&folder)) {
        set_aside_folder(&folder, &why, now_ms, report)?;
    }
    let mut snapshots_are_aside = false;
    loop {
        let why = match try_open(dir, &folder, project)? {
            Ok(opened) => return Ok(opened),
            Err(why) => why,
        };
        if !snapshots_are_aside && set_aside_snapshots(&folder, now_ms, report)? {
            snapshots_are_aside = true;
            continue;
        }
        if report.rebuilt {
            return Err(Error::new(
                ErrorKind::Damaged,
                format!("a new database in {} can't be used: {why}", folder.display()),
            ));
        }
        set_aside_folder(&folder, &why, now_ms, report)?;
    }
}

/// The inner error says how the tree is damaged.
fn try_open(
    dir: &Path,
    folder: &Path,
    project: &ProjectKey,
) -> Result<Result<(Tree, Index), String>> {
    let loaded = Tree::open(folder).map(|tree| (Index::load(&tree, project), tree));
    match loaded {
        Ok((Ok(index), tree)) => Ok(Ok((tree, index))),
        Ok((Err(e), _)) if e.kind() == ErrorKind::Damaged => Ok(Err(e.to_string())),
        Ok((Err(e), _)) => Err(e),
        Err(OpenFailure::Damaged(why)) => Ok(Err(why)),
        Err(OpenFailure::Storage(e)) => Err(e),
        Err(OpenFailure::InUse) => Err(lock::in_use(dir)),
    }
}

/// Whether there was any.
fn set_aside_snapshots(folder: &Path, now_ms: i64, report: &mut OpenReport) -> Result<bool> {
    let entries = fs::read_dir(folder).map_err(|e| disk::failed("read", folder, e))?;
    let is_snapshot = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("snap."))
    };
    let snapshots: Vec<PathBuf> =
        entries.filter_map(|e| e.ok().map(|e| e.path())).filter(is_snapshot).collect();
    if snapshots.is_empty() {
        return Ok(false);
    }
    let aside = disk::aside_name(&folder.with_extension("snapshots"), now_ms);
    fs::create_dir(&aside).map_err(|e| disk::failed("make", &aside, e))?;
    for path in &snapshots {
        let to = aside.join(path.file_name().unwrap_or_default());
        fs::rename(path, &to).map_err(|e| disk::failed("move", path, e))?;
    }
    let _ = fs::remove_file(suspect_mark(folder));
    report.messages.push(format!(
        "The database's snapshot was damaged and was set aside as {}; it was made anew.",
        aside.display()
    ));
    report.quarantined.push(aside);
    Ok(true)
}

fn set_aside_folder(folder: &Path, why: &str, now_ms: i64, report: &mut OpenReport) -> Result<()> {
    if folder.exists() {
        let aside = disk::aside_name(folder, now_ms);
        fs::rename(folder, &aside).map_err(|e| disk::failed("move", folder, e))?;
        report.messages.push(format!(
            "The database was damaged ({why}) and was set aside as {}; it was rebuilt from the journal. Today's quota, \
             pauses after errors and cached tool results may start anew.",
            aside.display()
        ));
        report.quarantined.push(aside);
    }
    let _ = fs::remove_file(suspect_mark(folder));
    report.rebuilt = true;
    Ok(())
}
