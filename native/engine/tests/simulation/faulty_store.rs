//! A store whose writes can fail, take minutes or be torn, and whose process can end at any of them.

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
    Result, StoredVector, VectorCatalog, VectorHit, VectorRole, VectorSearch,
};
use ouro_testkit::ManualClock;

use crate::disk::{Image, Opened};

/// Of 1,000 writes so many end the process: of four one before anything is written, one after it, and two in its middle where
/// there are files, else one more each.
const CRASHES: u32 = 8;

/// Of 1,000 writes and of 1,000 compactions so many fail, and the process lives on.
const FAILURES: u32 = 4;

/// Of 1,000 writes so many take as long as a disk that wakes up, or a share of the network that is away: minutes.
const STALLS: u32 = 12;
const LONGEST_STALL_MS: u64 = 30 * 60_000;

/// Of 1,000 writes that take a unit of a day's quota in its last minutes so many go on past its midnight.
const STALLS_PAST_MIDNIGHT: u32 = 300;
pub(crate) const LAST_MINUTES_MS: u64 = 3 * 60_000;

/// What a process sees of a disk that outlives it.
pub(crate) struct FaultyStore {
    disk: Opened,
    clock: Arc<ManualClock>,
    random: Mutex<fastrand::Rng>,
    /// What the write left in whose middle the process ended.
    torn: Mutex<Option<Image>>,
    /// Nothing fails before: whoever opens a store waits for it, and the simulation with them.
    troubled: AtomicBool,
    /// The process has ended: it writes no more, whatever it still does.
    ended: AtomicBool,
    refused_compactions: AtomicU64,
    stalls: AtomicU64,
    units_past_midnight: AtomicU64,
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
    pub(crate) fn new(disk: Opened, clock: Arc<ManualClock>, seed: u64) -> Self {
        let random = Mutex::new(fastrand::Rng::with_seed(seed));
        Self {
            disk,
            clock,
            random,
            torn: Mutex::default(),
            troubled: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            refused_compactions: AtomicU64::new(0),
            stalls: AtomicU64::new(0),
            units_past_midnight: AtomicU64::new(0),
            taken_up: Mutex::default(),
            writing: RwLock::default(),
            hanging: Mutex::default(),
            passed: Condvar::new(),
        }
    }

    /// From now on writes fail, hang and end the process.
    pub(crate) fn let_trouble_come(&self) {
        self.troubled.store(true, Ordering::Relaxed);
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

    /// What the next process finds, if this one has ended in the middle of a write.
    pub(crate) fn take_torn(&self) -> Option<Image> {
        self.torn.lock().unwrap().take()
    }

    pub(crate) fn refused_compactions(&self) -> u64 {
        self.refused_compactions.load(Ordering::Relaxed)
    }

    pub(crate) fn stalls(&self) -> u64 {
        self.stalls.load(Ordering::Relaxed)
    }

    /// Units of a day's quota that were written when that day was over.
    pub(crate) fn units_past_midnight(&self) -> u64 {
        self.units_past_midnight.load(Ordering::Relaxed)
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
        if !self.troubled.load(Ordering::Relaxed) {
            return self.put(changes);
        }
        let takes_a_unit = changes.iter().any(|change| matches!(change, Change::PutQuota(_)));
        let day_left = ms_to_midnight(&self.clock);
        let (dice, stall) = {
            let mut random = self.random.lock().unwrap();
            if takes_a_unit
                && day_left < LAST_MINUTES_MS
                && random.u32(0..1_000) < STALLS_PAST_MIDNIGHT
            {
                (CRASHES + FAILURES, random.u64(day_left..LAST_MINUTES_MS))
            } else {
                (random.u32(0..1_000), random.u64(1..LONGEST_STALL_MS))
            }
        };
        match dice {
            0..CRASHES if dice % 4 < 2 && self.tear(changes) => Err(self.end()),
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
                let past = takes_a_unit && !self.has_ended() && stall >= day_left;
                self.units_past_midnight.fetch_add(u64::from(past), Ordering::Relaxed);
                self.put(changes)
            }
            _ => self.put(changes),
        }
    }

    fn put(&self, changes: &[Change]) -> Result<()> {
        self.disk.store.commit(changes)?;
        self.taken_up.lock().unwrap().extend(self.taken_up_by(changes));
        Ok(())
    }

    /// Whether the write could be torn. What is left of it the next process will see.
    fn tear(&self, changes: &[Change]) -> bool {
        let Some((written, torn)) =
            self.disk.commit_torn(changes, &mut self.random.lock().unwrap())
        else {
            return false;
        };
        written.unwrap();
        *self.torn.lock().unwrap() = Some(torn);
        true
    }

    fn taken_up_by(&self, changes: &[Change]) -> impl Iterator<Item = (String, Date)> {
        changes.iter().filter_map(|change| match change {
            Change::PutAsked(asked) if asked.outcome == QuestionOutcome::Started => {
                Some((asked.question.clone(), local_day(&self.clock, asked.at)))
            }
            _ => None,
        })
    }

    /// What is on the disk, when nothing is being written.
    fn read(&self) -> &dyn RecordStore {
        drop(self.writing.read().unwrap());
        self.disk.store.as_ref()
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
        self.disk.store.compact()
    }

    fn project_key(&self) -> &ProjectKey {
        self.disk.store.project_key()
    }

    fn record(&self, id: RecordId) -> Result<LearningRecord> {
        self.read().record(id)
    }

    fn records(&self, query: &RecordQuery) -> Result<Vec<LearningRecord>> {
        self.read().records(query)
    }

    fn records_revision(&self) -> u64 {
        self.disk.store.records_revision()
    }

    fn record_count(&self) -> Result<usize> {
        self.read().record_count()
    }

    fn vectors(&self, embedder: &str) -> Result<Vec<StoredVector>> {
        self.read().vectors(embedder)
    }

    fn nearest(&self, search: &VectorSearch<'_>) -> Result<Vec<VectorHit>> {
        self.read().nearest(search)
    }

    fn vector_catalog(&self, embedder: &str, role: VectorRole) -> Result<VectorCatalog> {
        self.read().vector_catalog(embedder, role)
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
        self.disk.store.size_on_disk()
    }
}

/// What is left of the day where the clock is.
pub(crate) fn ms_to_midnight(clock: &ManualClock) -> u64 {
    let now = Timestamp::from_millisecond(clock.now_ms()).unwrap().to_zoned(clock.time_zone());
    let midnight = now.tomorrow().and_then(|tomorrow| tomorrow.start_of_day()).unwrap();
    now.duration_until(&midnight).as_millis().try_into().unwrap()
}

/// The day of an instant where the clock is.
pub(crate) fn local_day(clock: &ManualClock, at: i64) -> Date {
    Timestamp::from_millisecond(at).unwrap().to_zoned(clock.time_zone()).date()
}
