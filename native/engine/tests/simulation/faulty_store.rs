//! A store whose writes can fail, and whose process can end at any of them.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use ouro_core::{
    Change, Counters, Error, ErrorKind, EvolutionLog, GuardState, InFlight, LearningRecord,
    ProjectKey, ProjectMemory, RecordId, RecordQuery, RecordStore, Result, StoredVector,
};
use ouro_testkit::MemoryStore;

/// Of 1,000 writes so many end the process, half of them before anything is written and half after it.
const CRASHES: u32 = 8;

/// Of 1,000 writes and of 1,000 compactions so many fail, and the process lives on.
const FAILURES: u32 = 4;

/// What a process sees of a disk that outlives it.
pub(crate) struct FaultyStore {
    disk: Arc<MemoryStore>,
    random: Mutex<fastrand::Rng>,
    /// The process has ended: it writes no more, whatever it still does.
    ended: AtomicBool,
    refused_compactions: AtomicU64,
}

impl FaultyStore {
    pub(crate) fn new(disk: Arc<MemoryStore>, seed: u64) -> Self {
        let random = Mutex::new(fastrand::Rng::with_seed(seed));
        Self { disk, random, ended: AtomicBool::new(false), refused_compactions: AtomicU64::new(0) }
    }

    pub(crate) fn refused_compactions(&self) -> u64 {
        self.refused_compactions.load(Ordering::Relaxed)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    fn end(&self) -> Error {
        self.ended.store(true, Ordering::Relaxed);
        Error::new(ErrorKind::Storage, "the process has ended")
    }
}

impl RecordStore for FaultyStore {
    fn commit(&self, changes: &[Change]) -> Result<()> {
        if self.has_ended() {
            return Err(self.end());
        }
        let dice = self.random.lock().unwrap().u32(0..1_000);
        match dice {
            0..CRASHES if dice.is_multiple_of(2) => Err(self.end()),
            0..CRASHES => self.disk.commit(changes).and(Err(self.end())),
            d if d < CRASHES + FAILURES => {
                Err(Error::new(ErrorKind::Storage, "the disk is full for a moment"))
            }
            _ => self.disk.commit(changes),
        }
    }

    fn compact(&self) -> Result<()> {
        if self.random.lock().unwrap().u32(0..1_000) < FAILURES {
            self.refused_compactions.fetch_add(1, Ordering::Relaxed);
            return Err(Error::new(ErrorKind::Storage, "there is no room for a copy"));
        }
        self.disk.compact()
    }

    fn project_key(&self) -> &ProjectKey {
        self.disk.project_key()
    }

    fn record(&self, id: RecordId) -> Result<LearningRecord> {
        self.disk.record(id)
    }

    fn records(&self, query: &RecordQuery) -> Result<Vec<LearningRecord>> {
        self.disk.records(query)
    }

    fn records_revision(&self) -> u64 {
        self.disk.records_revision()
    }

    fn record_count(&self) -> Result<usize> {
        self.disk.record_count()
    }

    fn vectors(&self, embedder: &str) -> Result<Vec<StoredVector>> {
        self.disk.vectors(embedder)
    }

    fn memory(&self) -> Result<ProjectMemory> {
        self.disk.memory()
    }

    fn counters(&self) -> Result<Counters> {
        self.disk.counters()
    }

    fn log(&self, limit: usize) -> Result<Vec<EvolutionLog>> {
        self.disk.log(limit)
    }

    fn in_flight(&self) -> Result<Option<InFlight>> {
        self.disk.in_flight()
    }

    fn guard_state(&self) -> Result<GuardState> {
        self.disk.guard_state()
    }

    fn size_on_disk(&self) -> Result<u64> {
        self.disk.size_on_disk()
    }
}
