//! Two projects in one engine, each with its own disk, clock and troubles, and the rules that must hold.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::{AddAssign, RangeInclusive},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use jiff::{civil::Date, tz::TimeZone};
use ouro_core::{
    Clock as _, Event, Freshness, RecordId, RecordQuery, RecordStore, SeededRandom, StopReason,
    WaitReason,
};
use ouro_engine::{Engine, LoopHandle, Project, RunPlan};
use ouro_guard::{DoomLoopGuard, GuardConfig, SkipReason};
use ouro_testkit::ManualClock;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::{
    disk::Disk,
    faulty_store::{FaultyStore, LAST_MINUTES_MS, local_day, ms_to_midnight},
    mind::Mind,
    stage::{Stage, question},
};

const DAY_MS: i64 = 86_400_000;

/// Questions and explorations a day, or the other way round; few, so that days pass quickly.
const FEW: u32 = 5;
const ONE_MORE: u32 = 6;

/// Rests between two iterations, milliseconds: from one with which a day's quota is used up early, to one with which work goes
/// on around midnight.
const INTERVALS: RangeInclusive<u64> = 3_600_000..=5 * 3_600_000;

/// One project of so many lives on the files of the real store, where its days take three times as long.
const ON_FILES: u64 = 4;

/// Real time in which something must happen, or the simulation hangs. Milliseconds.
const WATCHDOG_MS: u64 = 20_000;

/// Real time that nothing takes which does not wait for the clock. Milliseconds.
const LONG_MS: u64 = 2_000;

/// What happened.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) days: i64,
    lives: u64,
    crashes: u64,
    stops: u64,
    failed_writes: u64,
    slow_writes: u64,
    given_up_writes: u64,
    stops_in_writes: u64,
    units_past_midnight: u64,
    torn_writes: u64,
    refused_compactions: u64,
    silences: u64,
    clock_jumps: u64,
    changes_of_zone: u64,
    errors: u64,
    resumed: u64,
    full_days: u64,
    records: u64,
}

impl Seen {
    pub(crate) fn every_kind_of_trouble(&self) -> bool {
        let all = [
            self.crashes,
            self.stops,
            self.failed_writes,
            self.slow_writes,
            self.given_up_writes,
            self.stops_in_writes,
            self.units_past_midnight,
            self.torn_writes,
            self.refused_compactions,
            self.silences,
            self.clock_jumps,
            self.changes_of_zone,
            self.errors,
            self.resumed,
            self.full_days,
            self.records,
        ];
        all.iter().all(|n| *n > 0)
    }
}

impl AddAssign for Seen {
    fn add_assign(&mut self, other: Self) {
        self.days += other.days;
        self.lives += other.lives;
        self.crashes += other.crashes;
        self.stops += other.stops;
        self.failed_writes += other.failed_writes;
        self.slow_writes += other.slow_writes;
        self.given_up_writes += other.given_up_writes;
        self.stops_in_writes += other.stops_in_writes;
        self.units_past_midnight += other.units_past_midnight;
        self.torn_writes += other.torn_writes;
        self.refused_compactions += other.refused_compactions;
        self.silences += other.silences;
        self.clock_jumps += other.clock_jumps;
        self.changes_of_zone += other.changes_of_zone;
        self.errors += other.errors;
        self.resumed += other.resumed;
        self.full_days += other.full_days;
        self.records += other.records;
    }
}

pub(crate) struct World {
    seed: u64,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Lets every project live for so many days.
    pub(crate) async fn run(self, days: i64) -> Seen {
        let engine = Engine::new();
        let first = Inhabitant::new(self.seed * 2, &engine);
        let second = Inhabitant::new(self.seed * 2 + 1, &engine);
        let (mut seen, more) = futures_util::join!(first.live(days), second.live(days));
        seen += more;
        seen
    }
}

/// What was used of a local day, which never goes back.
struct Used {
    questions_limit: u32,
    explorations_limit: u32,
    day: Date,
    questions: u32,
    explorations: u32,
}

impl Used {
    fn question(&mut self, day: Date) {
        self.turn_to(day);
        self.questions += 1;
        let few = self.questions <= self.questions_limit;
        assert!(few, "more questions on {} than allowed", self.day);
    }

    fn exploration(&mut self, day: Date) {
        self.turn_to(day);
        self.explorations += 1;
        let few = self.explorations <= self.explorations_limit;
        assert!(few, "more explorations on {} than allowed", self.day);
    }

    fn turn_to(&mut self, day: Date) {
        if day > self.day {
            (self.day, self.questions, self.explorations) = (day, 0, 0);
        }
    }
}

/// One project and everything that was ever reported of it.
struct Inhabitant<'a> {
    engine: &'a Engine,
    stage: Stage,
    disk: Disk,
    /// The last process ended in the middle of a write.
    torn: bool,
    random: fastrand::Rng,
    seen: Seen,
    /// Every record that was reported, with its question.
    reported: BTreeMap<RecordId, String>,
    /// Every question that was ever taken up.
    taken_up: BTreeSet<String>,
    used: Used,
}

/// What happens next to a process.
enum Next {
    Event(Event),
    /// Its user has no patience with a write that hangs.
    Stop,
}

impl<'a> Inhabitant<'a> {
    fn new(seed: u64, engine: &'a Engine) -> Self {
        let mut stage = Stage::of(&format!("project-{seed}"));
        let mut random = fastrand::Rng::with_seed(seed);
        let (questions, explorations) =
            if random.bool() { (FEW, ONE_MORE) } else { (ONE_MORE, FEW) };
        stage.config.max_daily_questions = questions;
        stage.config.max_daily_explorations = explorations;
        stage.config.interval_ms = random.u64(INTERVALS);
        // A week before the clocks change in Berlin.
        stage.clock.set_wall(1_774_000_000_000);
        stage.clock.set_zone(TimeZone::get("Europe/Berlin").unwrap());
        let (key, clock) = (stage.store.project_key().clone(), stage.clock.clone());
        let disk = if seed.is_multiple_of(ON_FILES) {
            Disk::of_files(key, clock)
        } else {
            Disk::Memory(stage.store.clone())
        };
        Self {
            engine,
            stage,
            disk,
            torn: false,
            random,
            seen: Seen::default(),
            reported: BTreeMap::new(),
            taken_up: BTreeSet::new(),
            used: Used {
                questions_limit: questions,
                explorations_limit: explorations,
                day: Date::MIN,
                questions: 0,
                explorations: 0,
            },
        }
    }

    fn clock(&self) -> &Arc<ManualClock> {
        &self.stage.clock
    }

    async fn live(mut self, days: i64) -> Seen {
        let end = self.clock().monotonic() + Duration::from_millis(days as u64 * DAY_MS as u64);
        while self.clock().monotonic() < end {
            self.one_process(end).await;
        }
        let left = self.disk.open();
        self.check_what_is_stored(left.store.as_ref());
        self.seen.days = days;
        self.seen.records = self.reported.len() as u64;
        self.seen
    }

    /// From its start to its end: a crash, a stop, a failed write, or the last day.
    async fn one_process(&mut self, end: Duration) {
        self.seen.lives += 1;
        let disk = self.disk.open();
        let store = FaultyStore::new(disk.clone(), self.clock().clone(), self.random.u64(..));
        let store = Arc::new(store);
        self.process_with(&store, disk.store.as_ref(), end).await;
        store.end_now();
        self.count_questions(&store);
        let torn = store.take_torn();
        self.torn = torn.is_some();
        self.seen.torn_writes += u64::from(self.torn);
        self.disk.leave(&disk, torn);
        self.seen.refused_compactions += store.refused_compactions();
        self.seen.slow_writes += store.stalls();
        self.seen.units_past_midnight += store.units_past_midnight();
    }

    /// `disk` is what the store writes to.
    async fn process_with(
        &mut self,
        store: &Arc<FaultyStore>,
        disk: &dyn RecordStore,
        end: Duration,
    ) {
        let mind = Arc::new(Mind::new(self.random.u64(..)));
        let (project, mut events) = self.boot(store, disk, &mind).await;
        store.let_trouble_come();
        let resumes = disk.in_flight().unwrap();
        let resumes = resumes.map(|begun| begun.question.question);
        let handle = self.engine.start(project, RunPlan::FOREVER).await.unwrap();
        loop {
            let event = match self.next(&mut events, &mind, store).await {
                Next::Event(event) => event,
                Next::Stop => {
                    self.seen.stops_in_writes += 1;
                    self.stop(&handle).await;
                    return;
                }
            };
            self.count_questions(store);
            match event {
                Event::Question { question, at } => {
                    self.seen.resumed += u64::from(resumes.as_ref() == Some(&question.question));
                    self.explored(&question.question, at);
                }
                Event::RecordSaved { record } => {
                    let stored = disk.record(record.id).expect("it is durable");
                    assert_eq!(stored, *record);
                    let known = self.reported.values().any(|q| *q == record.question);
                    assert!(!known, "learnt twice: {}", record.question);
                    self.reported.insert(record.id, record.question);
                }
                Event::Error { .. } => self.seen.errors += 1,
                Event::Waiting { reason, until, .. } => {
                    let full = matches!(reason, WaitReason::QuotaExhausted { .. });
                    self.seen.full_days += u64::from(full);
                    if self.clock().monotonic() >= end || self.random.u32(0..100) < 3 {
                        self.stop(&handle).await;
                        return;
                    }
                    self.pass(until, &handle).await;
                }
                Event::Finished { reason, .. } => {
                    self.ended(&reason, store);
                    return;
                }
                _ => {}
            }
        }
    }

    /// Opens the guard over what the last process left, and checks that nothing of it was forgotten.
    async fn boot(
        &mut self,
        store: &Arc<FaultyStore>,
        disk: &dyn RecordStore,
        mind: &Arc<Mind>,
    ) -> (Project, UnboundedReceiver<Event>) {
        self.check_what_is_stored(disk);
        self.count_torn_questions(disk);
        let (mut project, events) = self.stage.project();
        let random = Arc::new(SeededRandom::new(self.random.u64(..)));
        let guard = DoomLoopGuard::open(
            store.clone(),
            &GuardConfig::from(&self.stage.config),
            project.embedder.clone(),
            project.embedder.clone(),
            self.clock().clone(),
            random.clone(),
        );
        let guard = Arc::new(guard.unwrap());
        let pause = disk.guard_state().unwrap().backoff;
        let now = self.clock().now_ms();
        // A clock that was set forward past its end, or back before its beginning, has its own rules.
        if pause.last_error_at <= now && now < pause.until {
            let left = i64::try_from(guard.backoff().remaining.as_millis()).unwrap();
            assert!(left >= pause.until - now, "a restart shortened the pause");
        }
        let learnt: Vec<_> = self.reported.values().take(5).map(|q| question(q)).collect();
        for (known, refusal) in guard.filter_duplicates(learnt).await {
            let cannot_tell = matches!(refusal, Some(SkipReason::GuardUnavailable { .. }));
            assert!(refusal.is_some() && !cannot_tell, "forgotten: {}", known.question);
        }
        // What a power cut took of the vectors is computed anew.
        self.torn = false;
        self.check_what_is_stored(disk);
        project.store = store.clone();
        project.guard = guard;
        project.reasoner = mind.clone();
        project.random = random;
        (project, events)
    }

    /// Nothing that was reported is lost, and nothing half-written is visible.
    fn check_what_is_stored(&self, store: &dyn RecordStore) {
        let records = store.records(&RecordQuery::default()).unwrap();
        for id in self.reported.keys() {
            assert!(records.iter().any(|r| r.id == *id), "lost: {id}");
        }
        let questions: BTreeSet<&str> = records.iter().map(|r| r.question.as_str()).collect();
        assert_eq!(questions.len(), records.len(), "a question has two records");
        let vectors = store.vectors("words-64").unwrap();
        let asked = store.guard_state().unwrap().asked;
        for record in &records {
            assert_eq!(record.freshness, Freshness::Fresh);
            assert!(!record.exploration_path.is_empty() && !record.answer.is_empty());
            let own = vectors.iter().filter(|v| v.record == record.id).count();
            assert!(own > 0 || self.torn, "a record without its vectors: {}", record.question);
            assert!(asked.iter().any(|a| a.record == Some(record.id)), "a record without its mark");
        }
        let in_flight = store.in_flight().unwrap().map(|i| i.question.question);
        assert!(
            in_flight.is_none_or(|q| !questions.contains(q.as_str())),
            "a question is both answered and in flight"
        );
    }

    /// What happens next. Where a thought never comes or a write hangs, time passes until it does, or is given up.
    async fn next(
        &mut self,
        events: &mut UnboundedReceiver<Event>,
        mind: &Mind,
        store: &FaultyStore,
    ) -> Next {
        let (mut silent, mut hung) = (false, false);
        for _ in 0..WATCHDOG_MS {
            let hangs_for = store.hangs_for();
            let is_silent = mind.silent.load(Ordering::Relaxed);
            // What was said before is heard before time passes.
            if let Ok(event) = events.try_recv() {
                return Next::Event(event);
            }
            if let Some(left) = hangs_for {
                if !std::mem::replace(&mut hung, true) && self.random.u32(0..100) < 20 {
                    return Next::Stop;
                }
                let step = self.clock().next_wake().map_or(left, |wake| wake.min(left));
                self.clock().advance(step);
                store.let_pass(step);
            } else if is_silent && let Some(pause) = self.clock().next_wake() {
                self.seen.silences += u64::from(!std::mem::replace(&mut silent, true));
                self.clock().advance(pause);
            }
            tokio::select! {
                biased;
                Some(event) = events.recv() => return Next::Event(event),
                () = a_moment() => {}
            }
        }
        panic!(
            "nothing happens any more: a thought is awaited: {}, a write hangs: {:?}, somebody wakes in {:?}",
            mind.silent.load(Ordering::Relaxed),
            store.hangs_for(),
            self.clock().next_wake(),
        );
    }

    /// A question is explored.
    fn explored(&mut self, question: &str, at: i64) {
        assert!(self.taken_up.contains(question), "not on the disk before it began: {question}");
        assert!(!self.reported.values().any(|q| q == question), "asked again: {question}");
        self.used.exploration(local_day(self.clock(), at));
    }

    /// A question whose write was torn counts if it is there.
    fn count_torn_questions(&mut self, disk: &dyn RecordStore) {
        for asked in disk.guard_state().unwrap().asked {
            if self.taken_up.insert(asked.question) {
                self.used.question(local_day(self.clock(), asked.at));
            }
        }
    }

    fn count_questions(&mut self, store: &FaultyStore) {
        for (question, day) in store.newly_taken_up() {
            self.used.question(day);
            self.taken_up.insert(question);
        }
    }

    async fn stop(&mut self, handle: &LoopHandle) {
        self.seen.stops += 1;
        let told_at = self.clock().monotonic();
        let mut stop = std::pin::pin!(handle.stop());
        let mut ended = false;
        for waited_ms in 0..WATCHDOG_MS {
            tokio::select! {
                biased;
                () = &mut stop => ended = true,
                () = a_moment() => {}
            }
            if ended {
                break;
            }
            if waited_ms > LONG_MS
                && let Some(pause) = self.clock().next_wake()
            {
                self.clock().advance(pause);
            }
        }
        assert!(ended && !handle.is_running(), "stop always ends");
        let took = self.clock().monotonic() - told_at;
        assert!(took <= Duration::from_secs(2), "the stop took {took:?}");
    }

    /// Passes a rest; now and then the clock is set, the machine travels, or it sleeps until its day is nearly over.
    async fn pass(&mut self, until: Option<i64>, handle: &LoopHandle) {
        let pause = until.map(|until| u64::try_from(until - self.clock().now_ms()).unwrap_or(0));
        match self.random.u32(0..1_000) {
            0..5 => {
                self.seen.clock_jumps += 1;
                let by = self.random.i64(-3 * DAY_MS..3 * DAY_MS);
                self.clock().set_wall(self.clock().now_ms() + by);
            }
            5..10 => {
                self.seen.changes_of_zone += 1;
                let zones = ["Pacific/Kiritimati", "America/New_York", "Europe/Berlin", "UTC"];
                let zone = zones[self.random.usize(..zones.len())];
                self.clock().set_zone(TimeZone::get(zone).unwrap());
            }
            _ => {}
        }
        let Some(pause) = pause else {
            handle.project_changed();
            return;
        };
        for _ in 0..WATCHDOG_MS {
            if self.clock().next_wake().is_some() {
                let (late, sleeps) =
                    (self.random.u64(0..LAST_MINUTES_MS), self.random.u32(0..100) < 5);
                let until_late = ms_to_midnight(self.clock()).saturating_sub(late);
                let pause = if sleeps { pause.max(until_late) } else { pause };
                self.clock().advance(Duration::from_millis(pause));
                return;
            }
            a_moment().await;
        }
        panic!("the loop never falls asleep");
    }

    fn ended(&mut self, reason: &StopReason, store: &FaultyStore) {
        if store.has_ended() {
            self.seen.crashes += 1;
        } else {
            let unhealthy = matches!(reason, StopReason::Unhealthy { .. });
            let tired = matches!(reason, StopReason::TooManyErrors { .. });
            assert!(unhealthy || tired, "it ended without a reason: {reason:?}");
            let hangs = store.hangs_for().is_some();
            self.seen.given_up_writes += u64::from(unhealthy && hangs);
            self.seen.failed_writes += u64::from(unhealthy && !hangs);
        }
        // Somebody starts it again after a while.
        self.stage.clock.advance(Duration::from_secs(600));
    }
}

/// Real time for the blocking threads to do their work.
#[expect(clippy::disallowed_methods, reason = "the simulated clock stands still meanwhile")]
async fn a_moment() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}
