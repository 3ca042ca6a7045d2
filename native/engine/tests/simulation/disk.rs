//! What outlives a process: a store in memory, or the files of the real one and what a power cut leaves of them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use ouro_core::{Change, ProjectKey, RecordStore, Result};
use ouro_store::SledStore;
use ouro_testkit::{ManualClock, MemoryStore};
use tempfile::TempDir;

/// The least that a disk writes whole, bytes.
const SECTOR: usize = 512;

/// The disk of one project.
pub(crate) enum Disk {
    Memory(Arc<MemoryStore>),
    Files(Files),
}

/// The files of the real store, from one process to the next.
pub(crate) struct Files {
    project: ProjectKey,
    clock: Arc<ManualClock>,
    left: Image,
}

/// An open store.
#[derive(Clone)]
pub(crate) struct Opened {
    pub(crate) store: Arc<dyn RecordStore>,
    /// Where the real one is. Removed after the store has let go of it.
    folder: Option<Arc<Folder>>,
}

struct Folder {
    dir: TempDir,
    opened: Image,
}

/// The files of a folder by their names in it.
pub(crate) type Image = BTreeMap<PathBuf, Vec<u8>>;

impl Disk {
    pub(crate) fn of_files(project: ProjectKey, clock: Arc<ManualClock>) -> Self {
        Self::Files(Files { project, clock, left: Image::new() })
    }

    /// Opens what the last process left.
    pub(crate) fn open(&self) -> Opened {
        let Files { project, clock, left } = match self {
            Self::Memory(store) => return Opened { store: store.clone(), folder: None },
            Self::Files(files) => files,
        };
        let dir = in_memory_if_possible();
        write(dir.path(), left);
        let (store, report) = SledStore::open(dir.path(), project.clone(), clock.clone()).unwrap();
        assert!(!report.rebuilt, "{report:?}");
        let opened = read(dir.path());
        Opened { store: Arc::new(store), folder: Some(Arc::new(Folder { dir, opened })) }
    }

    /// What the next process will find: `torn`, or the files as they are at this moment, without the store being closed.
    pub(crate) fn leave(&mut self, opened: &Opened, torn: Option<Image>) {
        if let (Self::Files(files), Some(folder)) = (self, &opened.folder) {
            files.left = torn.unwrap_or_else(|| read(folder.dir.path()));
        }
    }
}

impl Opened {
    /// Commits, and says what a power cut in the middle of it would have left, if the store is one of files.
    pub(crate) fn commit_torn(
        &self,
        changes: &[Change],
        random: &mut fastrand::Rng,
    ) -> Option<(Result<()>, Image)> {
        let folder = self.folder.as_ref()?;
        let before = read(folder.dir.path());
        let committed = self.store.commit(changes);
        let after = read(folder.dir.path());
        Some((committed, torn(&folder.opened, &before, &after, random)))
    }
}

/// Of the files that a transaction has changed those as they were before it whose turn had not come, and a part of what was
/// to be written to the one whose turn it was. What came before it was synced, but for vectors: what was written to them since
/// `opened` may be missing.
fn torn(opened: &Image, before: &Image, after: &Image, random: &mut fastrand::Rng) -> Image {
    let journal = Path::new("records.jsonl");
    let in_journal = before.get(journal) != after.get(journal) && random.bool();
    after
        .iter()
        .map(|(name, new)| {
            let old = |image: &Image| image.get(name).cloned().unwrap_or_default();
            let left = match name.components().next().map(|part| part.as_os_str()) {
                Some(part) if part == "vectors" => in_part(&old(opened), new, random),
                Some(part) if part == "sled" && in_journal => old(before),
                _ if name == journal && !in_journal => new.clone(),
                _ => in_part(&old(before), new, random),
            };
            (name.clone(), left)
        })
        .collect()
}

/// A file on the way from `old` to `new`: what was written up to some byte of it, or some of its sectors and not others.
fn in_part(old: &[u8], new: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    let Some(first) = (0..old.len().max(new.len())).find(|n| old.get(*n) != new.get(*n)) else {
        return new.to_vec();
    };
    if random.bool() {
        let end = random.usize(first..=new.len().max(first));
        let written = new.get(..end).unwrap_or(new);
        return [written, old.get(end..).unwrap_or_default()].concat();
    }
    // What a file grew by is there, and nothing in it yet.
    let mut left = old.to_vec();
    left.resize(new.len(), 0);
    for (left, new) in left.chunks_mut(SECTOR).zip(new.chunks(SECTOR)) {
        if random.bool() {
            left.copy_from_slice(new);
        }
    }
    left
}

fn read(folder: &Path) -> Image {
    let mut image = Image::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                image.insert(name, fs::read(path).unwrap());
            }
        }
    }
    image
}

fn write(folder: &Path, image: &Image) {
    for (name, content) in image {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// A temporary folder that no real disk is waited for, where the system has such.
fn in_memory_if_possible() -> TempDir {
    let in_memory = Path::new("/dev/shm");
    if in_memory.is_dir() { tempfile::tempdir_in(in_memory) } else { tempfile::tempdir() }.unwrap()
}
