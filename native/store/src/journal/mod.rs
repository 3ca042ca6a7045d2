//! The journal of learning records: append-only JSON lines, the truth from which everything else can be rebuilt.
//!
//! A line is `{"head":{...},"record":{...},"crc":"0badf00d"}`: a head that can be read without the rest, what happened
//! (`record`, `marks` or `changes`), and the CRC-32 of everything before `,"crc"`. A transaction that touches records is
//! one line for each of them, and one more with all its other changes; each line says which part of how many it is, so
//! that a transaction is seen to be whole or not.

mod line;
mod scan;

use std::{
    fs::{self, File},
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use ouro_core::{Error, ErrorKind, LearningRecord, Result};

pub(crate) use self::{
    line::{Entry, encode},
    scan::{Place, Scan, Span, read_heads, scan},
};
use crate::disk;

/// The open journal.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    len: u64,
}

/// A write that failed.
#[derive(Debug)]
pub(crate) struct AppendFailure {
    pub(crate) error: Error,
    /// Whether the journal is what it was before.
    pub(crate) undone: bool,
}

impl Journal {
    /// Opens the journal of a folder, or makes an empty one. What an interrupted replacement left is removed.
    pub(crate) fn open(dir: &Path) -> Result<Self> {
        let path = dir.join("records.jsonl");
        let _ = fs::remove_file(replacement_name(&path));
        let file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|e| disk::failed("open", &path, e))?;
        let len = file.metadata().map_err(|e| disk::failed("read", &path, e))?.len();
        Ok(Self { path, file, len })
    }

    /// Opens the journal of a folder to read it, and nothing else; an error of the system as it is.
    pub(crate) fn open_to_read(dir: &Path) -> io::Result<Self> {
        let path = dir.join("records.jsonl");
        let file = File::open(&path)?;
        let len = file.metadata()?.len();
        Ok(Self { path, file, len })
    }

    /// Bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Fails when the journal was removed while it is open.
    pub(crate) fn require_present(&self) -> Result<()> {
        disk::require_present(&self.file, &self.path)
    }

    /// Adds whole lines at the end and makes them survive a power cut.
    pub(crate) fn append(&mut self, lines: &[u8]) -> Result<(), AppendFailure> {
        let before = self.len;
        let written = self
            .file
            .seek(SeekFrom::Start(before))
            .and_then(|_| self.file.write_all(lines))
            .map_err(|e| (e, true))
            // After a failed sync nobody knows what is on the disk, whatever is done next.
            .and_then(|()| self.file.sync_data().map_err(|e| (e, false)));
        match written {
            Ok(()) => {
                self.len = before + lines.len() as u64;
                Ok(())
            }
            Err((e, trusted)) => {
                let undone = self.file.set_len(before).is_ok() && trusted;
                Err(AppendFailure { error: disk::failed("write to", &self.path, e), undone })
            }
        }
    }

    /// Cuts what follows the last whole transaction.
    pub(crate) fn cut(&mut self, len: u64) -> Result<()> {
        self.file
            .set_len(len)
            .and_then(|()| self.file.sync_data())
            .map_err(|e| disk::failed("write to", &self.path, e))?;
        self.len = len;
        Ok(())
    }

    /// The bytes of one line.
    fn line(&self, span: Span) -> Result<Vec<u8>> {
        let mut line = vec![0; span.len as usize];
        disk::read_at(&self.file, &mut line, span.offset)
            .map_err(|e| disk::failed("read", &self.path, e))?;
        Ok(line)
    }

    /// Reads one line.
    pub(crate) fn read(&self, span: Span) -> Result<Entry> {
        let line = self.line(span)?;
        let (_, entry) = line::parse(&line).ok_or_else(|| {
            Error::new(
                ErrorKind::Damaged,
                format!("{}: the line at byte {} is damaged", self.path.display(), span.offset),
            )
        })?;
        entry
    }

    /// Reads a record: as it was added, with the marks it has now.
    ///
    /// # Errors
    /// `Damaged` when a line is not what it was.
    pub(crate) fn record(&self, place: Place) -> Result<LearningRecord> {
        let damaged =
            |why: &str| Error::new(ErrorKind::Damaged, format!("{} {why}", self.path.display()));
        let Entry::Add(mut record) = self.read(place.added)? else {
            return Err(damaged("has something else in its place"));
        };
        if let Some(marked) = place.marked {
            let Entry::Mark(_, marks) = self.read(marked)? else {
                return Err(damaged("has something else in the place of its marks"));
            };
            record.set_marks(marks);
        }
        Ok(*record)
    }

    /// Appends the JSON of a record to `json` without reading it, and says whether it could: the marks of one that was marked
    /// stand elsewhere, and a line of another version may have another form.
    pub(crate) fn append_record_json(&self, place: Place, json: &mut Vec<u8>) -> bool {
        let line = self.line(place.added).ok().filter(|_| place.marked.is_none());
        let added = line.as_deref().and_then(line::added_json);
        json.extend_from_slice(added.unwrap_or_default());
        added.is_some()
    }

    /// Begins another journal, which takes this one's place at once.
    pub(crate) fn begin_replacement(&self) -> Result<Replacement> {
        let path = replacement_name(&self.path);
        let file = File::create(&path).map_err(|e| disk::failed("write to", &path, e))?;
        Ok(Replacement { path, file: BufWriter::new(file) })
    }

    /// Puts the replacement in this journal's place.
    pub(crate) fn replace(&mut self, replacement: Replacement) -> Result<()> {
        let Replacement { path, file } = replacement;
        disk::replace(file, &path, &self.path)?;
        *self = Self::open(self.path.parent().unwrap_or(Path::new(".")))?;
        Ok(())
    }
}

fn replacement_name(path: &Path) -> PathBuf {
    path.with_extension("jsonl.new")
}

/// Another journal in the making.
pub(crate) struct Replacement {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Replacement {
    /// Adds a transaction.
    pub(crate) fn append(&mut self, tx: u64, entries: &[Entry]) -> Result<()> {
        let lines = encode(tx, entries)?.concat();
        self.file.write_all(&lines).map_err(|e| disk::failed("write to", &self.path, e))
    }
}
