//! Reading a store whose database can't be opened: another process holds it, or its disk can't be written.
//!
//! The journal is append-only and each of its lines has a checksum, so that it can be read while another process writes:
//! a transaction that is not whole yet is left out.

use std::{collections::BTreeMap, io, path::Path, sync::Arc};

use ouro_core::{
    Change, Clock, Counters, Error, ErrorKind, EvolutionLog, GuardState, InFlight, LearningRecord,
    ProjectKey, ProjectMemory, RecordId, RecordQuery, RecordStore, Result, StoredVector,
};

use crate::{
    OpenReport, SledStore, disk,
    journal::{self, Journal},
    vectors::Vectors,
};

/// A store that was opened for reading.
pub struct ToRead {
    /// It.
    pub store: Arc<dyn RecordStore>,
    /// What opening had to mend.
    pub report: OpenReport,
    /// Why the database is not open, when it isn't: records and vectors can be read then, everything else is an error.
    pub without_database: Option<Error>,
}

/// Opens a project's store for somebody who only reads. Where it can't be opened because another process has it or
/// because its disk can't be written, its records are read from the journal.
///
/// # Errors
/// Those of [`SledStore::open`] but `InUse` and `Storage`; `Storage` when the journal can't be read either.
pub fn open_to_read(dir: &Path, project_key: ProjectKey, clock: Arc<dyn Clock>) -> Result<ToRead> {
    // The database writes a little when it is opened, and may be hurt by a disk without space for that.
    let opened =
        disk::check_space(dir).and_then(|()| SledStore::open(dir, project_key.clone(), clock));
    match opened {
        Ok((store, report)) => {
            Ok(ToRead { store: Arc::new(store), report, without_database: None })
        }
        Err(why) if matches!(why.kind(), ErrorKind::InUse | ErrorKind::Storage) => {
            let (store, report) = JournalStore::open(dir, project_key, &why)?;
            Ok(ToRead { store: Arc::new(store), report, without_database: Some(why) })
        }
        Err(error) => Err(error),
    }
}

/// The records of a journal, as they were when it was opened.
struct JournalStore {
    project_key: ProjectKey,
    dir: std::path::PathBuf,
    records: BTreeMap<RecordId, LearningRecord>,
    vectors: Vectors,
    /// Why there is no database.
    why: (ErrorKind, String),
}

impl JournalStore {
    fn open(dir: &Path, project_key: ProjectKey, why: &Error) -> Result<(Self, OpenReport)> {
        let mut records = BTreeMap::new();
        let mut report = OpenReport::default();
        match Journal::open_to_read(dir) {
            Ok(journal) => {
                let scan = journal::scan(&journal, 0, 0)?;
                for (id, place) in &scan.live {
                    records.insert(*id, journal.record(*place)?);
                }
                if scan.damaged {
                    report.messages.push(format!(
                        "{} has damaged lines; they are passed over until the store can be opened and mended.",
                        journal.path().display()
                    ));
                }
            }
            // Nothing was learnt yet.
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(disk::failed("read", &dir.join("records.jsonl"), e)),
        }
        let vectors = Vectors::open_to_read(dir);
        let why = (why.kind(), why.message().to_owned());
        Ok((Self { project_key, dir: dir.to_owned(), records, vectors, why }, report))
    }

    fn unknown<T>(&self, what: &str) -> Result<T> {
        let (kind, why) = &self.why;
        Err(Error::new(*kind, format!("{what} in the database, which can't be opened: {why}")))
    }
}

impl RecordStore for JournalStore {
    fn project_key(&self) -> &ProjectKey {
        &self.project_key
    }

    fn commit(&self, _: &[Change]) -> Result<()> {
        self.unknown("a change needs a place")
    }

    fn record(&self, id: RecordId) -> Result<LearningRecord> {
        self.records.get(&id).cloned().ok_or_else(|| {
            Error::new(
                ErrorKind::NotFound,
                format!("project {} has no record {id}", self.project_key),
            )
        })
    }

    fn records(&self, query: &RecordQuery) -> Result<Vec<LearningRecord>> {
        let limit = if query.limit == 0 { usize::MAX } else { query.limit };
        let newest_first = self.records.iter().rev();
        let older = newest_first.filter(|(id, _)| query.before.is_none_or(|before| **id < before));
        Ok(older.take(limit).map(|(_, record)| record.clone()).collect())
    }

    fn records_revision(&self) -> u64 {
        0
    }

    fn record_count(&self) -> Result<usize> {
        Ok(self.records.len())
    }

    fn vectors(&self, embedder: &str) -> Result<Vec<StoredVector>> {
        self.vectors.read(embedder, |id| self.records.contains_key(&id))
    }

    fn memory(&self) -> Result<ProjectMemory> {
        self.unknown("the project's memory is")
    }

    fn counters(&self) -> Result<Counters> {
        self.unknown("the counters are")
    }

    fn log(&self, _: usize) -> Result<Vec<EvolutionLog>> {
        self.unknown("the log is")
    }

    fn in_flight(&self) -> Result<Option<InFlight>> {
        self.unknown("the iteration in flight is")
    }

    fn guard_state(&self) -> Result<GuardState> {
        self.unknown("what failed, and the quota, are")
    }

    fn size_on_disk(&self) -> Result<u64> {
        disk::size(&self.dir)
    }
}
