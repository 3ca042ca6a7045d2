//! The only file that knows sled.
//!
//! What sled 0.34 needs to be trusted, each seen in its source or in a test:
//! - It panics on some damaged files, when opening and when reading: every call is caught, and a tree that panicked or
//!   found itself damaged is marked, so that the next open rebuilds it.
//! - A page of up to 16 values that is larger than 128 KiB goes to a file of its own that is never synced: values are cut
//!   into rows of 4 KiB.
//! - `flush` survives a kill, not a power cut: the file is synced after it through a handle that is kept.
//! - Its background flush syncs the file every half second for ever, which keeps disks awake: it is off. Space is still
//!   reused without it (23 MB of records and 33,000 commits took 44 MB).
//! - A dropped tree frees its lock some milliseconds later: a held lock is tried again.
//! - Its cache is 1 GB unless told otherwise.
//! - Its configuration panics when the clock says a time before 1970.

use std::{
    cell::Cell,
    collections::BTreeMap,
    fs::{self, File},
    io,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
};

use ouro_core::{Error, ErrorKind, Result};

use crate::{
    disk,
    key::{Key, Kind},
    lock,
};

/// Longest row, bytes.
const ROW: usize = 4096;
const CACHE: u64 = 16 << 20;
/// Bytes of one batch of a copy, which is flushed: sled then uses the space of the pages again that the next batch splits. A copy
/// takes 1.7 to 2.2 times its values, where one that is flushed at its end, or in batches of 1 MiB, takes 2.5 to 3 times.
const COPIED_AT_ONCE: usize = 192 << 10;

/// Values by key; `None` removes.
pub(crate) type Writes = BTreeMap<Key, Option<Vec<u8>>>;

/// An open sled folder.
pub(crate) struct Tree {
    /// `None` when it could not be opened again after it was replaced.
    files: Option<Files>,
    folder: PathBuf,
}

struct Files {
    db: sled::Db,
    /// sled's own file, to sync it.
    file: File,
}

/// Which of its value's rows a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowPlace {
    First,
    Later,
}

/// Why a sled folder can't be opened.
#[derive(Debug)]
pub(crate) enum OpenFailure {
    /// Still locked.
    InUse,
    /// The disk can't be written: the data is as good as before.
    Storage(Error),
    /// The data is damaged, in words.
    Damaged(String),
}

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread is sled's and will be caught and returned as an error, so that a program's panic hook
/// need not print it.
pub fn panic_is_caught() -> bool {
    CATCHING.get()
}

/// Runs a call into sled; a panic becomes an error that says so.
fn caught<T>(call: impl FnOnce() -> sled::Result<T>) -> sled::Result<T> {
    let outer = CATCHING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    CATCHING.set(outer);
    result.unwrap_or_else(|payload| {
        let message = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(sled::Error::ReportableBug(format!("panic: {message}")))
    })
}

/// Whether a file error is about the disk and not about what is on it.
fn is_about_the_disk(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::PermissionDenied
    )
}

impl Tree {
    /// Opens or makes a sled folder.
    pub(crate) fn open(folder: &Path) -> Result<Self, OpenFailure> {
        let mut tries = 0;
        let config = caught(|| Ok(sled::Config::new())).map_err(|_| {
            OpenFailure::Storage(Error::new(
                ErrorKind::Storage,
                format!(
                    "{} can't be opened while this machine's clock says a year before 1970; set the clock",
                    folder.display()
                ),
            ))
        })?;
        let config = config.path(folder).cache_capacity(CACHE).flush_every_ms(None);
        let db = loop {
            match caught(|| config.open()) {
                Ok(db) => break db,
                Err(sled::Error::Io(e)) if e.to_string().contains("could not acquire lock") => {
                    tries += 1;
                    if tries == lock::TRIES {
                        return Err(OpenFailure::InUse);
                    }
                    lock::pause();
                }
                Err(sled::Error::Io(e)) if is_about_the_disk(&e) => {
                    return Err(OpenFailure::Storage(disk::failed("open", folder, e)));
                }
                Err(e) => return Err(OpenFailure::Damaged(words(&e))),
            }
        };
        let path = folder.join("db");
        let file = File::options()
            .write(true)
            .open(&path)
            .map_err(|e| OpenFailure::Storage(disk::failed("write to", &path, e)))?;
        let tree = Self { files: Some(Files { db, file }), folder: folder.to_owned() };
        tree.persist().and_then(|()| disk::sync_dir(folder)).map_err(|e| match e.kind() {
            ErrorKind::Damaged => OpenFailure::Damaged(e.to_string()),
            _ => OpenFailure::Storage(e),
        })?;
        Ok(tree)
    }

    /// As [`Self::open`], where no damage is expected.
    ///
    /// # Errors
    /// `Storage`, `InUse`, `Damaged`.
    pub(crate) fn open_sound(folder: &Path) -> Result<Self> {
        Self::open(folder).map_err(|failure| match failure {
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

    /// The value of a key.
    pub(crate) fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        let base = key.to_bytes();
        let Some(first) = self.row(&base, 0)? else { return Ok(None) };
        let (rows, head) = split_head(&first).ok_or_else(|| self.damaged("a row has no head"))?;
        let mut value = head.to_vec();
        for n in 1..rows {
            let row = self.row(&base, n)?.ok_or_else(|| self.damaged("a row is missing"))?;
            value.extend_from_slice(&row);
        }
        Ok(Some(value))
    }

    /// Every key and value of the kinds `from` to `to`, in order.
    pub(crate) fn scan(&self, from: Kind, to: Kind) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut found: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        self.for_each_row(from, to, |key, place, row| match place {
            RowPlace::First => {
                found.push((key.to_vec(), row.to_vec()));
                true
            }
            RowPlace::Later => found.last_mut().is_some_and(|(last, value)| {
                value.extend_from_slice(row);
                last == key
            }),
        })?;
        Ok(found)
    }

    /// Every key of a kind with short values, in order, as `parse` reads key and value; what it can't read is damage.
    pub(crate) fn list<T>(
        &self,
        kind: Kind,
        parse: impl Fn(&[u8], &[u8]) -> Option<T>,
    ) -> Result<Vec<T>> {
        let mut list = Vec::new();
        self.for_each_row(kind, kind, |key, place, row| match parse(key, row) {
            Some(entry) if place == RowPlace::First => {
                list.push(entry);
                true
            }
            _ => false,
        })?;
        Ok(list)
    }

    /// Shows every row of the kinds `from` to `to`, in order, to `take`, which says whether it belongs there.
    fn for_each_row(
        &self,
        from: Kind,
        to: Kind,
        mut take: impl FnMut(&[u8], RowPlace, &[u8]) -> bool,
    ) -> Result<()> {
        let mut missing = 0_u16;
        let mut rows = self.files()?.db.range([from as u8]..[to as u8 + 1]);
        while let Some((key, row)) =
            caught(|| rows.next().transpose()).map_err(|e| self.failed(e))?
        {
            let (base, n) =
                key.split_last_chunk::<2>().ok_or_else(|| self.damaged("a key is too short"))?;
            let is_taken = if u16::from_be_bytes(*n) == 0 {
                let (count, head) =
                    split_head(&row).ok_or_else(|| self.damaged("a row has no head"))?;
                if std::mem::replace(&mut missing, count - 1) > 0 {
                    return Err(self.damaged("a row is missing"));
                }
                take(base, RowPlace::First, head)
            } else {
                missing > 0 && {
                    missing -= 1;
                    take(base, RowPlace::Later, &row)
                }
            };
            if !is_taken {
                return Err(self.damaged("a row is out of place"));
            }
        }
        if missing > 0 {
            return Err(self.damaged("a row is missing"));
        }
        Ok(())
    }

    /// Copies the rows of the kinds `from` to `to` into another tree.
    pub(crate) fn copy_to(&self, other: &Self, from: Kind, to: Kind) -> Result<()> {
        let mut rows = self.files()?.db.range([from as u8]..[to as u8 + 1]);
        let copy = &other.files()?.db;
        let mut is_done = false;
        while !is_done {
            let mut batch = sled::Batch::default();
            let mut bytes = 0;
            while bytes < COPIED_AT_ONCE && !is_done {
                match caught(|| rows.next().transpose()).map_err(|e| self.failed(e))? {
                    Some((key, value)) => {
                        bytes += value.len();
                        batch.insert(key, value);
                    }
                    None => is_done = true,
                }
            }
            caught(|| copy.apply_batch(batch)).map_err(|e| other.failed(e))?;
            caught(|| copy.flush()).map_err(|e| other.failed(e))?;
        }
        Ok(())
    }

    /// Puts another tree in the place of this one, which stays as `aside`. What fails leaves this one where it is;
    /// if it can't be opened again either, whatever is asked of it fails.
    pub(crate) fn replace_with(&mut self, fresh: Self, aside: &Path) -> Result<()> {
        let fresh_folder = fresh.folder.clone();
        drop(fresh);
        self.files = None;
        let moved = disk::rename_patiently(&self.folder, aside).and_then(|()| {
            disk::rename_patiently(&fresh_folder, &self.folder)
                .inspect_err(|_| drop(fs::rename(aside, &self.folder)))
        });
        let reopened = Self::open_sound(&self.folder).map(|tree| *self = tree);
        moved.and(reopened)
    }

    /// Where it is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Applies all writes or none. They are durable after [`Tree::persist`].
    pub(crate) fn apply(&self, writes: &Writes) -> Result<()> {
        let db = &self.files()?.db;
        let mut batch = sled::Batch::default();
        for (key, value) in writes {
            let base = key.to_bytes();
            let old = match self.row(&base, 0)? {
                Some(row) => split_head(&row).ok_or_else(|| self.damaged("a row has no head"))?.0,
                None => 0,
            };
            let mut new = 0;
            if let Some(value) = value {
                let (head, rest) = value.split_at(value.len().min(ROW));
                let rest = rest.chunks(ROW);
                new = u16::try_from(rest.len() + 1).map_err(|_| {
                    Error::invalid(format!("a value of {} MiB is too large", value.len() >> 20))
                })?;
                batch.insert(row_key(&base, 0), [&new.to_be_bytes()[..], head].concat());
                for (n, row) in (1_u16..).zip(rest) {
                    batch.insert(row_key(&base, n), row);
                }
            }
            (new..old).for_each(|n| batch.remove(row_key(&base, n)));
        }
        caught(|| db.apply_batch(batch)).map_err(|e| self.failed(e))
    }

    /// Fails when the database was removed while it is open.
    pub(crate) fn require_present(&self) -> Result<()> {
        disk::require_present(&self.files()?.file, &self.folder)
    }

    /// Makes everything that was applied survive a kill and a power cut.
    pub(crate) fn persist(&self) -> Result<()> {
        let Files { db, file } = self.files()?;
        caught(|| db.flush()).map_err(|e| self.failed(e))?;
        file.sync_data().map_err(|e| disk::failed("write to", &self.folder, e))
    }

    fn row(&self, base: &[u8], n: u16) -> Result<Option<sled::IVec>> {
        let db = &self.files()?.db;
        caught(|| db.get(row_key(base, n))).map_err(|e| self.failed(e))
    }

    fn files(&self) -> Result<&Files> {
        self.files.as_ref().ok_or_else(|| {
            let folder = self.folder.display();
            Error::new(
                ErrorKind::Storage,
                format!("{folder} could not be opened again; open the store again"),
            )
        })
    }

    fn failed(&self, error: sled::Error) -> Error {
        match error {
            sled::Error::Io(e) if is_about_the_disk(&e) => {
                disk::failed("write to", &self.folder, e)
            }
            other => self.damaged(&words(&other)),
        }
    }

    /// Notes the damage, so that the next open rebuilds the tree.
    pub(crate) fn damaged(&self, why: &str) -> Error {
        let _ = fs::write(suspect_mark(&self.folder), why);
        Error::new(
            ErrorKind::Damaged,
            format!(
                "{} is damaged ({why}); open the store again, and it is rebuilt from the journal",
                self.folder.display()
            ),
        )
    }
}

/// What sled found, without its request to report it there.
fn words(error: &sled::Error) -> String {
    match error {
        sled::Error::Corruption { .. } => "a checksum is wrong".to_owned(),
        sled::Error::ReportableBug(what) => what.trim_end().to_owned(),
        other => other.to_string(),
    }
}

/// The file whose existence says that a sled folder was found to be damaged while it was open.
pub(crate) fn suspect_mark(folder: &Path) -> PathBuf {
    folder.with_extension("suspect")
}

fn row_key(base: &[u8], n: u16) -> Vec<u8> {
    [base, &n.to_be_bytes()].concat()
}

/// How many rows a value has, from its first row, and the part of it that is there.
fn split_head(row: &[u8]) -> Option<(u16, &[u8])> {
    let (count, head) = row.split_first_chunk::<2>()?;
    Some((u16::from_be_bytes(*count), head)).filter(|(count, _)| *count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writes(pairs: &[(Key, Option<Vec<u8>>)]) -> Writes {
        pairs.iter().cloned().collect()
    }

    #[test]
    fn a_value_of_any_size_is_read_back_and_a_shorter_one_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let tree = Tree::open(&dir.path().join("sled")).unwrap();
        for size in [0, 1, ROW - 1, ROW, ROW + 1, 50 * ROW, 3 * ROW, 0] {
            let value: Vec<u8> = (0..size).map(|n| u8::try_from(n % 251).unwrap()).collect();
            tree.apply(&writes(&[(Key::Memory, Some(value.clone()))])).unwrap();
            assert_eq!(tree.get(&Key::Memory).unwrap(), Some(value.clone()), "{size}");
            let all = tree.scan(Kind::Schema, Kind::Record).unwrap();
            assert_eq!(all, vec![(Key::Memory.to_bytes(), value)], "{size}");
        }
        tree.apply(&writes(&[(Key::Memory, None)])).unwrap();
        assert_eq!(tree.get(&Key::Memory).unwrap(), None);
        assert_eq!(tree.files().unwrap().db.len(), 0);
    }

    #[test]
    fn a_scan_keeps_to_its_kinds() {
        let dir = tempfile::tempdir().unwrap();
        let tree = Tree::open(&dir.path().join("sled")).unwrap();
        let keys = [Key::Counters, Key::Asked("a".into()), Key::Asked("b".into()), Key::Quota];
        tree.apply(&keys.iter().map(|k| (k.clone(), Some(vec![1]))).collect()).unwrap();
        assert_eq!(tree.scan(Kind::Asked, Kind::Asked).unwrap().len(), 2);
        assert_eq!(tree.scan(Kind::Counters, Kind::Quota).unwrap().len(), 2);
    }

    #[test]
    fn a_missing_row_is_damage_and_leaves_a_mark() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("sled");
        let tree = Tree::open(&folder).unwrap();
        tree.apply(&writes(&[(Key::Memory, Some(vec![7; 3 * ROW]))])).unwrap();
        tree.files().unwrap().db.remove(row_key(&Key::Memory.to_bytes(), 1)).unwrap();
        assert_eq!(tree.get(&Key::Memory).unwrap_err().kind(), ErrorKind::Damaged);
        assert_eq!(tree.scan(Kind::Memory, Kind::Memory).unwrap_err().kind(), ErrorKind::Damaged);
        assert!(suspect_mark(&folder).exists());
    }

    #[test]
    fn a_panic_inside_is_an_error_outside() {
        assert!(!panic_is_caught());
        let error = caught::<()>(|| {
            assert!(panic_is_caught());
            panic!("page {} is gone", 7)
        })
        .unwrap_err();
        assert!(error.to_string().contains("page 7 is gone"), "{error}");
        assert!(!panic_is_caught());
    }
}
