//! A store whose writes can fail or take minutes, and whose process can end at any of them.

use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use jiff::{Timestamp, civil::Date};
use ouro_core::{
    Change, Clock as _, Counters, Error, ErrorKind, EvolutionLog, GuardState, InFlight,
    LearningRecord, ProjectKey, ProjectMemory, QuestionOutcome, RecordId, RecordQuery, RecordStore,
    Result, StoredVector,
};
use ouro_testkit::{ManualClock, MemoryStore};

/// Of 1,000 writes so many end the process, half of them before anything is written and half after it.
const CRASHES: u32 = 8;

/// Of 1,000 writes and of 1,000 compactions so many fail, and the process lives on.
const FAILURES: u32 = 4;

/// Of 1,000 writes so many take as long as a disk that wakes up, or a share of the network that is away: minutes.
const STALLS: u32 = 12;
const LONGEST_STALL_MS: u64 = 30 * 60_000;

/// What a process sees of a disk that outlives it.
pub(crate) struct FaultyStore {
    disk: Arc<MemoryStore>,
    clock: Arc<ManualClock>,
    random: Mutex<fastrand::Rng>,
    /// The process has ended: it writes no more, whatever it still does.
    ended: AtomicBool,
    refused_compactions: AtomicU64,
    stalls: AtomicU64,
    /// Questions that are on the disk as taken up, and the local day of it, until somebody asks for them.
    taken_up: Mutex<Vec<(String, Date)>>,
    /// Nothing can be read while something is written, as in the real store.
    writing: RwLock<()>,
    hanging: Mutex<Hanging>,
    passed: Condvar,
}

/// A write that takes long. It waits until the simulation, and nobody else, has turned the clock.
#[derive(Default)]
struct Hanging {
    /// What is left of it.
    left: Option<Duration>,
    /// Commits that have begun and not come to an end.
    commits: u32,
}

impl FaultyStore {
    pub(crate) fn new(disk: Arc<MemoryStore>, clock: Arc<ManualClock>, seed: u64) -> Self {
        let random = Mutex::new(fastrand::Rng::with_seed(seed));
        Self {
            disk,
            clock,
            random,
            ended: AtomicBool::new(false),
            refused_compactions: AtomicU64::new(0),
            stalls: AtomicU64::new(0),
            taken_up: Mutex::default(),
            writing: RwLock::default(),
            hanging: Mutex::default(),
            passed: Condvar::new(),
        }
    }

    /// How long the write will take that hangs at present.
    pub(crate) fn hangs_for(&self) -> Option<Duration> {
        self.hanging().left
    }

    /// So much of the time of the write that hangs has passed.
    pub(crate) fn let_pass(&self, time: Duration) {
        let mut hanging = self.hanging();
        hanging.left =
            hanging.left.map(|left| left.saturating_sub(time)).filter(|left| !left.is_zero());
        self.passed.notify_all();
    }

    /// Ends the process, and with it the write that hangs: it has reached the disk, or never will.
    pub(crate) fn end_now(&self) {
        self.ended.store(true, Ordering::Relaxed);
        self.let_pass(Duration::MAX);
        let all_ended = self.passed.wait_while(self.hanging(), |hanging| hanging.commits > 0);
        drop(all_ended.unwrap());
    }

    fn hanging(&self) -> MutexGuard<'_, Hanging> {
        self.hanging.lock().unwrap()
    }

    fn hang(&self, time: Duration) {
        let mut hanging = self.hanging();
        if self.has_ended() {
            return;
        }
        self.stalls.fetch_add(1, Ordering::Relaxed);
        hanging.left = Some(time);
        drop(self.passed.wait_while(hanging, |hanging| hanging.left.is_some()).unwrap());
    }

    pub(crate) fn refused_compactions(&self) -> u64 {
        self.refused_compactions.load(Ordering::Relaxed)
    }

    pub(crate) fn stalls(&self) -> u64 {
        self.stalls.load(Ordering::Relaxed)
    }

    /// The questions that were taken up since this was asked last.
    pub(crate) fn newly_taken_up(&self) -> Vec<(String, Date)> {
        std::mem::take(&mut self.taken_up.lock().unwrap())
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    fn end(&self) -> Error {
        self.ended.store(true, Ordering::Relaxed);
        Error::new(ErrorKind::Storage, "the process has ended")
    }
}

impl FaultyStore {
    fn write(&self, changes: &[Change]) -> Result<()> {
        let _writing = self.writing.write().unwrap();
        if self.has_ended() {
            return Err(self.end());
        }
        let (dice, stall) = {
            let mut random = self.random.lock().unwrap();
            (random.u32(0..1_000), random.u64(1..LONGEST_STALL_MS))
        };
        match dice {
            0..CRASHES if dice.is_multiple_of(2) => Err(self.end()),
            0..CRASHES => self.put(changes).and(Err(self.end())),
            d if d < CRASHES + FAILURES => {
                Err(Error::new(ErrorKind::Storage, "the disk is full for a moment"))
            }
            d if d < CRASHES + FAILURES + STALLS => {
                self.hang(Duration::from_millis(stall));
                // Of the writes that hang when their process ends every other one gets through.
                if self.has_ended() && stall.is_multiple_of(2) {
                    return Err(self.end());
                }
                self.put(changes)
            }
            _ => self.put(changes),
        }
    }

    fn put(&self, changes: &[Change]) -> Result<()> {
        self.disk.commit(changes)?;
        for change in changes {
            if let Change::PutAsked(asked) = change
                && asked.outcome == QuestionOutcome::Started
            {
                let day = local_day(&self.clock, asked.at);
                self.taken_up.lock().unwrap().push((asked.question.clone(), day));
            }
        }
        Ok(())
    }

    /// What is on the disk, when nothing is being written.
    fn read(&self) -> &MemoryStore {
        drop(self.writing.read().unwrap());
        &self.disk
    }
}

impl RecordStore for FaultyStore {
    fn commit(&self, changes: &[Change]) -> Result<()> {
        self.hanging().commits += 1;
        let written = self.write(changes);
        self.hanging().commits -= 1;
        self.passed.notify_all();
        written
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
        self.read().record(id)
    }

    fn records(&self, query: &RecordQuery) -> Result<Vec<LearningRecord>> {
        self.read().records(query)
    }

    fn records_revision(&self) -> u64 {
        self.disk.records_revision()
    }

    fn record_count(&self) -> Result<usize> {
        self.read().record_count()
    }

    fn vectors(&self, embedder: &str) -> Result<Vec<StoredVector>> {
        self.read().vectors(embedder)
    }

    fn memory(&self) -> Result<ProjectMemory> {
        self.read().memory()
    }

    fn counters(&self) -> Result<Counters> {
        self.read().counters()
    }

    fn log(&self, limit: usize) -> Result<Vec<EvolutionLog>> {
        self.read().log(limit)
    }

    fn in_flight(&self) -> Result<Option<InFlight>> {
        self.read().in_flight()
    }

    fn guard_state(&self) -> Result<GuardState> {
        self.read().guard_state()
    }

    fn size_on_disk(&self) -> Result<u64> {
        self.disk.size_on_disk()
    }
}

/// The day of an instant where the clock is.
pub(crate) fn local_day(clock: &ManualClock, at: i64) -> Date {
    Timestamp::from_millisecond(at).unwrap().to_zoned(clock.time_zone()).date()
}
