//! Opening: find what is damaged, set it aside, and bring journal and tree to the same state.

use std::{
    fs,
    panic::resume_unwind,
    path::{Path, PathBuf},
    thread,
};

use ouro_core::{Error, ErrorKind, ProjectKey, RecordId, Result};

use crate::{
    compaction, disk,
    index::Index,
    journal::{self, Journal, Place, Scan},
    key::Key,
    lock::{self, Lock},
    reconcile, renew,
    state::State,
    tree::{OpenFailure, Tree, suspect_mark},
    vectors::Vectors,
};

/// What opening a store had to mend.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// The database was made anew from the journal, and from what was sound of it.
    pub rebuilt: bool,
    /// Damaged files and folders that were set aside. They can be removed.
    pub quarantined: Vec<PathBuf>,
    /// What happened, in sentences for a person; empty when all was well.
    pub messages: Vec<String>,
}

/// Opens the store of a folder.
pub(crate) fn open(dir: &Path, project: &ProjectKey, now_ms: i64) -> Result<(State, OpenReport)> {
    disk::make_folder(dir)?;
    let mut report = OpenReport::default();
    let state = match open_once(dir, project, now_ms, &mut report) {
        // The damage showed late, and is known now.
        Err(e) if e.kind() == ErrorKind::Damaged && suspect_mark(&dir.join("sled")).exists() => {
            open_once(dir, project, now_ms, &mut report)?
        }
        other => other?,
    };
    for message in &report.messages {
        tracing::warn!(project = %project, "{message}");
    }
    Ok((state, report))
}

fn open_once(
    dir: &Path,
    project: &ProjectKey,
    now_ms: i64,
    report: &mut OpenReport,
) -> Result<State> {
    let folder = dir.join("sled");
    disk::require_folder(&folder)?;
    disk::require_file(&dir.join("records.jsonl"))?;
    let lock = Lock::acquire(dir)?;
    let had_database = fs::metadata(folder.join("db")).is_ok_and(|m| m.len() > 0);
    renew::finish(&folder)?;
    // Read before opening, which can find damage too and mend it.
    let suspicion = fs::read_to_string(suspect_mark(&folder)).ok();
    let journal = Journal::open(dir)?;
    // Each takes about as long as the other.
    let (opened, heads) = thread::scope(|scope| {
        let reading = thread::Builder::new().spawn_scoped(scope, || journal::read_heads(&journal));
        let opened = open_tree(dir, &folder, project, now_ms, report);
        let heads = match reading {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // There is no thread to be had.
            Err(_) => journal::read_heads(&journal),
        };
        (opened, heads)
    });
    let (mut tree, mut index) = opened?;
    let scan = heads?.scan(index.progress.tx, index.progress.journal_len);
    // One transaction may have been cut off before it reached the database; more were reported as written.
    let knows_nothing = index.is_new || (index.progress.tx == 0 && scan.last_tx > 1);
    let lost_all = knows_nothing && had_database && !report.rebuilt && journal.len() > 0;
    let suspicion = suspicion
        .filter(|_| !report.rebuilt)
        .or_else(|| lost_all.then(|| "none of its records can be read".to_owned()))
        .or_else(|| losses(&index, &scan))
        .or_else(|| newest_page_damage(&tree, &index));
    if let Some(why) = suspicion {
        let aside = disk::aside_name(&folder, now_ms);
        (tree, index) = renew::renew(tree, &index, project, &scan, &aside)?;
        let _ = fs::remove_file(suspect_mark(&folder));
        report.database_set_aside(&why, aside, "its sound parts and the journal");
    }
    let vectors = Vectors::open(dir, report)?;
    disk::sync_dir(dir)?;
    if index.is_new && journal.len() == 0 && vectors.count() > 0 {
        report.messages.push(format!(
            "Database and journal in {} are gone or empty, but {} vectors of learning records are left: what was learnt is lost, unless you have a copy of that folder.",
            dir.display(),
            vectors.count()
        ));
    }
    let dir = dir.to_owned();
    let mut state = State { dir, tree, journal, vectors, index, poisoned: None, _lock: lock };
    reconcile::reconcile(&mut state, &scan, now_ms, report)?;
    match compaction::compact(&mut state) {
        Err(e) if e.kind() == ErrorKind::Storage => tracing::warn!(%e, "put off"),
        other => other?,
    }
    Ok(state)
}

/// What a tree must have lost that opened without complaint: a damaged sled folder can do that.
fn losses(index: &Index, scan: &Scan) -> Option<String> {
    let progress = index.progress;
    if progress.tx == 0 {
        // Nothing is here yet; the journal fills it.
        return None;
    }
    let is_missing = |(id, place): &(&RecordId, &Place)| {
        place.added.offset < progress.journal_len
            && !index.records.contains_key(id)
            && !index.deleted.contains(id)
    };
    let missing = scan.live.iter().filter(is_missing).count();
    // One may be a transaction that was cut off; more than one were reported as written.
    let behind = scan.last_tx.saturating_sub(progress.tx);
    if missing > 0 {
        Some(format!("{missing} learning records are missing in it"))
    } else if behind > 1 {
        Some(format!("its last {behind} transactions are missing"))
    } else {
        None
    }
}

/// Reads the newest record, whose page takes the next one: damage there would fail the next write.
fn newest_page_damage(tree: &Tree, index: &Index) -> Option<String> {
    let (id, _) = index.records.last_key_value()?;
    let error = tree.get(&Key::Record(*id)).err()?;
    Some(fs::read_to_string(suspect_mark(tree.folder())).unwrap_or_else(|_| error.to_string()))
}

/// Opens the tree; when it is damaged, first without its snapshot (which sled makes anew), then as an empty one.
fn open_tree(
    dir: &Path,
    folder: &Path,
    project: &ProjectKey,
    now_ms: i64,
    report: &mut OpenReport,
) -> Result<(Tree, Index)> {
    let mut snapshots_are_aside = false;
    loop {
        let why = match try_open(dir, folder, project)? {
            Ok(opened) => return Ok(opened),
            Err(why) => why,
        };
        if !snapshots_are_aside && set_aside_snapshots(folder, now_ms, report)? {
            snapshots_are_aside = true;
            continue;
        }
        if report.rebuilt {
            return Err(Error::new(
                ErrorKind::Damaged,
                format!("a new database in {} can't be used: {why}", folder.display()),
            ));
        }
        let aside = disk::aside_name(folder, now_ms);
        disk::rename_patiently(folder, &aside)?;
        let _ = fs::remove_file(suspect_mark(folder));
        report.database_set_aside(&why, aside, "the journal");
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

impl OpenReport {
    fn database_set_aside(&mut self, why: &str, aside: PathBuf, from: &str) {
        self.rebuilt = true;
        self.messages.push(format!(
            "The database was damaged ({why}) and was set aside as {}; it was made anew from {from}.",
            aside.display()
        ));
        self.quarantined.push(aside);
        self.state_may_be_old();
    }

    /// What the journal holds only beside records.
    pub(crate) fn state_may_be_old(&mut self) {
        self.messages.push(
            "Today's quota, pauses after errors and cached tool results may start anew.".to_owned(),
        );
    }
}
