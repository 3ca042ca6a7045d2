//! What weeks cost: the disk after churn, the memory over ten thousand iterations, opening after a kill, fifty projects at once.
//!
//! `cargo bench -p ouro-engine --bench endurance` prints a line for each figure, with its goal; a name of [`PARTS`] runs that
//! part alone. Each part is a process of its own, so that one's memory isn't counted in another's.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a benchmark, and what it shares with the tests"
)]

#[path = "../tests/rounds/stage.rs"]
#[allow(dead_code, unreachable_pub, reason = "the tests use the rest of it")]
mod stage;

use std::{
    alloc::System,
    collections::{BTreeMap, VecDeque},
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use ouro_core::{
    ActionRequest, AvoidStrategy, Change, Clock, Correction, Embedder, Event, EvolutionConfig,
    FailureRecord, LearningRecord, NextAction, Question, QuestionRequest, Reasoner, RecordQuery,
    RecordStore as _, Result, SeededRandom, StoredVector, Summary, SummaryRequest, SystemClock,
    Thought, VectorRole,
};
use ouro_engine::{Engine, Project, RunPlan};
use ouro_guard::{DoomLoopGuard, GuardConfig};
use ouro_llm::HashEmbedder;
use ouro_store::SledStore;
use ouro_testkit::{
    ManualClock,
    store_contract::{NOW, sample_project, sample_record, sample_vector},
};
use stage::Stage;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

/// Counts what is allocated: what the allocator keeps of the rest is resident, too.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The parts, in the order in which they run.
const PARTS: [&str; 4] = ["disk", "open", "memory", "projects"];

/// What a child is told by its first argument.
const WRITER: &str = "writes-until-it-is-killed";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["disk"] => disk(),
        ["open"] => open(),
        ["memory"] => memory(),
        ["projects"] => projects(),
        [WRITER, folder, records] => write(Path::new(folder), records.parse().unwrap()),
        _ => PARTS.iter().for_each(|part| assert!(myself(&[part]).status().unwrap().success())),
    }
}

fn myself(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(arguments);
    command
}

fn say(what: &str, figure: String, goal: &str) {
    println!("{what:<58} {figure:>12}   {goal}");
}

/// Resident memory of this process in MB; 0 where the system doesn't say.
fn resident() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1024.0
}

/// Memory that is allocated now, in MB.
fn allocated() -> f64 {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated.saturating_sub(stats.bytes_deallocated) as f64 / 1_048_576.0
}

/// CPU time of this process so far, in seconds; 0 where the system doesn't say.
fn cpu() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    // User and system time, in hundredths of a second.
    fields.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<f64>().ok()).sum::<f64>()
        / 100.0
}

/// A record as a model writes it: some thousand bytes, no two alike.
fn record(n: u64) -> LearningRecord {
    let sentence = |i| {
        let word = ouro_core::sha256_hex(format!("{n} {i}").as_bytes());
        format!("`{}` hands {} over to `{}`, which keeps it. ", &word[..9], i, &word[9..20])
    };
    let answer = (0..40).map(sentence).collect();
    // Without sources: that all of them are out of date at once is not what is measured.
    LearningRecord { answer, source_hashes: BTreeMap::new(), ..sample_record(n) }
}

/// Numbers of an embedder of this length.
fn values(n: u64, length: u64) -> Vec<f32> {
    (0..length).map(|i| ((n * 31 + i * 17) % 97) as f32 / 97.0 - 0.5).collect()
}

fn addition(n: u64) -> Vec<Change> {
    vec![
        Change::PutRecord(Box::new(record(n))),
        Change::PutVector(sample_vector(n, VectorRole::Question, "e", &values(n, 1_024))),
        Change::PutVector(sample_vector(n, VectorRole::Answer, "e", &values(n + 1, 1_024))),
    ]
}

fn open_sample(folder: &Path) -> SledStore {
    let clock = Arc::new(ManualClock::new(NOW));
    // A killed process lets go of its files a moment later.
    SledStore::open(folder, sample_project(), clock).unwrap().0
}

/// Thousands of records written, corrected and deleted: how much more the disk holds than what lives.
fn disk() {
    const WRITTEN: u64 = 6_000;
    let folder = tempfile::tempdir().unwrap();
    let store = open_sample(folder.path());
    let mut largest = 0;
    for n in 0..WRITTEN {
        store.commit(&addition(n)).unwrap();
        if n % 2 == 0 {
            let text = format!("Corrected: {}", record(n).answer);
            let correction = Some(Correction { text, at: NOW });
            let corrected = LearningRecord { correction, ..record(n) };
            store.commit(&[Change::PutRecord(Box::new(corrected))]).unwrap();
        }
        if n >= 2_000 {
            store.commit(&[Change::DeleteRecord(record(n - 2_000).id)]).unwrap();
        }
        // As the loop does after each iteration.
        store.compact().unwrap();
        largest = largest.max(store.size_on_disk().unwrap());
    }
    let live = |store: &SledStore| {
        let records = store.records(&RecordQuery::default()).unwrap();
        let text: usize = records.iter().map(|r| serde_json::to_vec(r).unwrap().len()).sum();
        let vectors: usize = store.vectors("e").unwrap().iter().map(|v| v.values.len() * 4).sum();
        println!(
            "  {} records of {} KB live, vectors {} KB",
            records.len(),
            text / 1024,
            vectors / 1024
        );
        (text + vectors) as f64
    };
    let before = largest as f64 / live(&store);
    drop(store);
    let store = open_sample(folder.path());
    let after = store.size_on_disk().unwrap() as f64 / live(&store);
    for entry in fs::read_dir(folder.path()).unwrap().flatten() {
        println!("  {:>8} KB  {}", size(&entry.path()) / 1024, entry.file_name().display());
    }
    say("disk / live payload in churn, at most", format!("{before:.2}"), "<= 1.5");
    say("disk / live payload after churn and a restart", format!("{after:.2}"), "<= 1.5");
}

fn size(path: &Path) -> u64 {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|e| size(&e.path())).sum(),
        Err(_) => fs::metadata(path).map_or(0, |m| m.len()),
    }
}

/// The child: fills a store, says so, and goes on writing.
fn write(folder: &Path, records: u64) -> ! {
    let store = open_sample(folder);
    for first in (0..records).step_by(500) {
        let put = |n| Change::PutRecord(Box::new(record(n)));
        store.commit(&(first..first + 500).map(put).collect::<Vec<_>>()).unwrap();
    }
    println!("filled");
    std::io::stdout().flush().unwrap();
    let mut next = records;
    loop {
        store.commit(&addition(next)).unwrap();
        next += 1;
    }
}

/// Opening a store whose process was killed while it wrote.
fn open() {
    for (records, goal) in [(10_000, "< 1000 ms"), (100_000, "<= 300 ms")] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let mut child = myself(&[WRITER, path, &records.to_string()]);
        let mut child = child.stdout(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
        assert_eq!(said, "filled\n");
        std::thread::sleep(Duration::from_millis(700));
        child.kill().unwrap();
        child.wait().unwrap();
        let start = Instant::now();
        let store = open_sample(folder.path());
        let killed = start.elapsed();
        assert!(store.record_count().unwrap() as u64 >= records);
        drop(store);
        std::thread::sleep(Duration::from_millis(300));
        let start = Instant::now();
        let store = open_sample(folder.path());
        let again = start.elapsed();
        let disk = store.size_on_disk().unwrap() >> 20;
        say(
            &format!("open {records} records ({disk} MB) after a kill"),
            format!("{} ms", killed.as_millis()),
            goal,
        );
        say(
            &format!("open {records} records after a close"),
            format!("{} ms", again.as_millis()),
            goal,
        );
    }
}

/// Asks something new each time, reads a file, and answers at length. Keeps nothing.
#[derive(Default)]
struct Tireless(AtomicU64);

#[async_trait]
impl Reasoner for Tireless {
    fn id(&self) -> &str {
        "tireless"
    }

    async fn generate_questions(&self, _: QuestionRequest) -> Result<Thought<Vec<Question>>> {
        let n = self.0.fetch_add(1, Ordering::Relaxed);
        let word = ouro_core::sha256_hex(&n.to_le_bytes());
        let words: Vec<&str> = (0..8).map(|i| &word[i * 8..i * 8 + 8]).collect();
        Ok(Thought::free(vec![stage::question(&format!("{}?", words.join(" ")))]))
    }

    async fn next_action(&self, request: ActionRequest) -> Result<Thought<NextAction>> {
        let first = request.observations.is_empty();
        Ok(Thought::free(if first { stage::read("src/a.rs") } else { stage::stop() }))
    }

    async fn summarize(&self, _: SummaryRequest) -> Result<Thought<Summary>> {
        let answer = record(self.0.load(Ordering::Relaxed)).answer;
        Ok(Thought::free(Summary { answer, confidence: 0.8, ..Summary::default() }))
    }

    async fn analyse_failure(&self, _: &FailureRecord, _: u64) -> Result<Thought<AvoidStrategy>> {
        Ok(Thought::free(AvoidStrategy::default()))
    }
}

/// A project with a real store in this folder, on this clock.
fn project(stage: &Stage, folder: &Path, clock: Arc<dyn Clock>, seed: u64) -> Project {
    let (mut project, _) = stage.project();
    let (store, _) = SledStore::open(folder, project.key.clone(), clock.clone()).unwrap();
    project.store = Arc::new(store);
    project.clock = clock.clone();
    project.random = Arc::new(SeededRandom::new(seed));
    project.embedder = Arc::new(HashEmbedder);
    project.reasoner = Arc::new(Tireless(AtomicU64::new(seed << 32)));
    project.guard = Arc::new(
        DoomLoopGuard::open(
            project.store.clone(),
            &GuardConfig::from(&project.config),
            project.embedder.clone(),
            project.embedder.clone(),
            clock,
            project.random.clone(),
        )
        .unwrap(),
    );
    project
}

/// A user who sets no limits.
fn unlimited(interval_ms: u64) -> EvolutionConfig {
    EvolutionConfig {
        enabled: true,
        interval_ms,
        max_daily_questions: 1_000_000,
        max_daily_explorations: 1_000_000,
        ..EvolutionConfig::default()
    }
}

/// Memory at every tenth of ten thousand iterations, ten minutes of the wall's clock each. In the second half as
/// many records go as come: a user deletes the oldest from time to time. Their questions stay known, so that none is
/// asked again.
fn memory() {
    const ITERATIONS: u64 = 10_000;
    const AT_ONCE: usize = 500;
    // glibc keeps what each thread has freed: resident, different from run to run, and nobody's growth.
    if std::env::var_os("MALLOC_ARENA_MAX").is_none() {
        assert!(myself(&["memory"]).env("MALLOC_ARENA_MAX", "1").status().unwrap().success());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut stage = Stage::of("memory");
    stage.config = unlimited(0);
    let clock = stage.clock.clone();
    let mut project = project(&stage, folder.path(), clock.clone(), 1);
    let learnt = Arc::new(AtomicU64::new(0));
    let seen = learnt.clone();
    let first = Arc::new(std::sync::Mutex::new(Vec::<(f64, f64)>::new()));
    let marks = first.clone();
    let (shared, guard) = (project.store.clone(), project.guard.clone());
    let oldest_first = std::sync::Mutex::new(VecDeque::new());
    project.events = Arc::new(move |event| {
        if let Event::RecordSaved { record } = event {
            clock.set_wall(clock.now_ms() + 600_000);
            let saved = seen.fetch_add(1, Ordering::Relaxed) + 1;
            let mut oldest_first = oldest_first.lock().unwrap();
            oldest_first.push_back(record.id);
            if saved > ITERATIONS / 2 && saved.is_multiple_of(AT_ONCE as u64) {
                for oldest in oldest_first.drain(..AT_ONCE) {
                    let deletion = guard.prepare_delete(oldest);
                    shared.commit(deletion.changes()).unwrap();
                    guard.apply(deletion);
                }
            }
            if saved.is_multiple_of(ITERATIONS / 10) {
                marks.lock().unwrap().push((resident(), allocated()));
            }
        }
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let start = Instant::now();
    let store = project.store.clone();
    runtime.block_on(async {
        let plan = RunPlan::bounded(u32::try_from(ITERATIONS).unwrap());
        let handle = Engine::new().start(project, plan).await.unwrap();
        println!("  {:?}", handle.finished().await.unwrap());
    });
    let records = store.records(&RecordQuery { before: None, limit: 100 }).unwrap();
    let text: usize = records.iter().map(|r| serde_json::to_vec(r).unwrap().len()).sum();
    let marks = first.lock().unwrap().clone();
    let shown = |kind: fn(&(f64, f64)) -> f64| -> String {
        marks.iter().map(|mark| format!(" {:.1}", kind(mark))).collect()
    };
    println!("  MB after each tenth:{}; allocated:{}", shown(|m| m.0), shown(|m| m.1));
    let rate = |kind: fn(&(f64, f64)) -> f64, from: usize, to: usize| {
        let grown = kind(&marks[to]) - kind(&marks[from]);
        format!("{:.2} KB", grown * 1024.0 / ((to - from) as f64 * ITERATIONS as f64 / 10.0))
    };
    let took = start.elapsed().as_millis() as f64 / learnt.load(Ordering::Relaxed) as f64;
    say("an iteration, with every durable commit", format!("{took:.1} ms"), "");
    let per_record = format!("{:.1} KB", text as f64 / records.len() as f64 / 1024.0);
    say("a record's own text", per_record, "");
    say("memory per iteration that adds a record", rate(|m| m.0, 0, 4), "");
    // The sixth tenth holds as many records more as go at once, and what the heap grew to then it keeps.
    let known = "that of the known question";
    say("memory per iteration when one goes, too", rate(|m| m.0, 5, 9), "");
    say("of that allocated", rate(|m| m.1, 5, 9), known);
}

/// Fifty projects that know a thousand things each: their memory, their turns, and what they cost while they rest.
fn projects() {
    const PROJECTS: u64 = 50;
    const RECORDS: u64 = 1_000;
    let folder = tempfile::tempdir().unwrap();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let name = |n: u64| format!("project-{n}");
    // Written by another process, as it would be: what writing leaves in memory isn't what is measured.
    if std::env::var_os("OURO_FILLS").is_some() {
        for n in 0..PROJECTS {
            runtime.block_on(fill(&Stage::of(&name(n)), folder_of(n), clock.clone(), RECORDS));
        }
        return;
    }
    let mut filler = myself(&["projects"]);
    let filled = filler.env("OURO_FILLS", "1").env("OURO_FOLDER", folder.path()).status();
    assert!(filled.unwrap().success());
    println!("  {:.0} MB before the first is opened", resident());
    let turns: Arc<Vec<AtomicU64>> = Arc::new((0..PROJECTS).map(|_| AtomicU64::new(0)).collect());
    let engine = Engine::new();
    let start = |interval_ms: u64, turns: Arc<Vec<AtomicU64>>| {
        let all: Vec<Project> = (0..PROJECTS)
            .map(|n| {
                let mut stage = Stage::of(&name(n));
                stage.config = unlimited(interval_ms);
                let place = folder.path().join(name(n));
                let mut project = project(&stage, &place, clock.clone(), 1_000 + n);
                let turns = turns.clone();
                project.events = Arc::new(move |event| {
                    if let Event::RecordSaved { .. } = event {
                        turns[usize::try_from(n).unwrap()].fetch_add(1, Ordering::Relaxed);
                    }
                });
                project
            })
            .collect();
        println!("  {:.0} MB when all are opened", resident());
        runtime.block_on(async {
            for project in all {
                engine.start(project, RunPlan::FOREVER).await.unwrap();
            }
        });
    };
    // As a user has it: an iteration, then a rest of a minute and more.
    start(600_000, turns.clone());
    while turns.iter().any(|t| t.load(Ordering::Relaxed) == 0) {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_secs(2));
    say("50 projects of 1,000 records: memory", format!("{:.0} MB", resident()), "< 300 MB");
    let (before, from) = (cpu(), Instant::now());
    std::thread::sleep(Duration::from_secs(130));
    let idle = (cpu() - before) / from.elapsed().as_secs_f64() * 100.0;
    runtime.block_on(engine.stop_all());
    say("50 resting projects: CPU", format!("{idle:.3} %"), "< 0.1 %");
    // Without a rest: everybody wants all there is.
    let turns: Arc<Vec<AtomicU64>> = Arc::new((0..PROJECTS).map(|_| AtomicU64::new(0)).collect());
    std::thread::sleep(Duration::from_millis(500));
    start(0, turns.clone());
    std::thread::sleep(Duration::from_secs(20));
    runtime.block_on(engine.stop_all());
    let mut taken: Vec<u64> = turns.iter().map(|t| t.load(Ordering::Relaxed)).collect();
    taken.sort_unstable();
    say(
        "50 projects without a rest: turns, fewest / median / most",
        format!("{} / {} / {}", taken[0], taken[25], taken[49]),
        "fair",
    );
    println!("  {:.0} MB at the end", resident());
}

fn folder_of(n: u64) -> std::path::PathBuf {
    let folder = std::env::var_os("OURO_FOLDER").expect("the parent names it");
    Path::new(&folder).join(format!("project-{n}"))
}

/// What a thousand iterations leave behind.
async fn fill(stage: &Stage, folder: std::path::PathBuf, clock: Arc<dyn Clock>, records: u64) {
    let (project, _) = stage.project();
    let (store, _) = SledStore::open(&folder, project.key.clone(), clock).unwrap();
    let mut changes = Vec::new();
    for n in 1..=records {
        let record = LearningRecord { project_key: project.key.clone(), ..record(n) };
        let texts = [record.question.clone(), record.answer.clone()];
        let vectors = HashEmbedder.embed(&texts).await.unwrap();
        for (values, role) in vectors.into_iter().zip([VectorRole::Question, VectorRole::Answer]) {
            let embedder = HashEmbedder.id().to_owned();
            let vector = StoredVector { record: record.id, role, embedder, values };
            changes.push(Change::PutVector(vector));
        }
        changes.insert(0, Change::PutRecord(Box::new(record)));
    }
    // Vectors follow their records.
    changes.chunks(3_000).for_each(|some| store.commit(some).unwrap());
}
