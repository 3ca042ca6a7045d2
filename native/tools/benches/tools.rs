//! What reading and searching cost on a project of 100,000 lines: a first scan, a scan after one file has changed, cutting
//! it into documents and indexing them, a lexical query, a grep over everything, and redaction.
//!
//! Goals: the index takes less than 60 MB; a query and a file's redaction are not noticed. On Linux the resident memory
//! that the index added is printed.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a benchmark that can't be set up must not run, and says what it found"
)]

use std::{fmt::Write, hint::black_box, path::Path, sync::Arc};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ouro_core::{
    ProjectSource, Random, SeededRandom, SystemClock, TextIndex, ToolContext, ToolRegistry,
};
use ouro_tools::{
    ProjectRoot, ProjectScanner, ScanOptions, SharedAnalysis, TantivyIndex, code_documents,
    native_tools, redact,
};
use serde_json::json;

const FILES: usize = 500;
const FUNCTIONS: usize = 20;
const LINES: usize = 10;
/// As many words as a project of this size has in its names.
const WORDS: usize = 4_000;
const BUDGET: usize = 16 * 1_024 * 1_024;

/// A made-up word, the lower numbers the more frequent.
fn word(random: &SeededRandom) -> String {
    const SYLLABLES: [&str; 16] = [
        "con", "fig", "load", "par", "ser", "re", "quest", "time", "out", "in", "dex", "que", "ry",
        "sto", "re", "map",
    ];
    let skewed = random.next_f64() * random.next_f64() * WORDS as f64;
    let mut rest = skewed as usize;
    let mut word = String::new();
    while rest > 0 || word.is_empty() {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
    }
    word
}

fn source(random: &SeededRandom) -> String {
    let mut text = String::new();
    for _ in 0..FUNCTIONS {
        let words: Vec<String> = (0..LINES * 6).map(|_| word(random)).collect();
        let mut words = words.iter();
        let mut next = || words.next().map_or("", String::as_str);
        writeln!(text, "/// Gives the {} of a {} when the {} is.", next(), next(), next()).unwrap();
        writeln!(text, "fn {}_{}(token: &str) -> u32 {{", next(), next()).unwrap();
        for _ in 0..LINES - 4 {
            writeln!(text, "    let {}_{} = {}(\"{}\", token);", next(), next(), next(), next())
                .unwrap();
        }
        writeln!(text, "}}\n").unwrap();
    }
    text
}

fn project(folder: &Path) {
    let random = SeededRandom::new(1);
    for file in 0..FILES {
        let path = folder.join(format!("src/part{}/file{file}.rs", file % 20));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, source(&random)).unwrap();
    }
}

/// Resident memory in KiB.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn scanner(folder: &Path) -> ProjectScanner {
    let clock = Arc::new(SystemClock::new());
    ProjectScanner::new(folder, ScanOptions::default(), clock).unwrap()
}

fn tools(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    project(folder.path());
    let root = ProjectRoot::open(folder.path()).unwrap();
    let shared = SharedAnalysis::new(Arc::new(scanner(folder.path())));
    let context = ToolContext::default();
    let analysis = shared.refresh(&context.cancel).unwrap();

    let index = TantivyIndex::new();
    let before = resident();
    let documents = code_documents(&analysis, &root, BUDGET);
    let bytes: usize = documents.iter().map(|d| d.text.len()).sum();
    eprintln!("{} documents, {bytes} bytes", documents.len());
    index.replace_all(documents.clone()).unwrap();
    if let (Some(before), Some(after)) = (before, resident()) {
        eprintln!("documents and index: {} MiB resident", after.saturating_sub(before) / 1_024);
    }

    let mut group = criterion.benchmark_group("100,000 lines");
    group.sample_size(10);
    group.bench_function("scan, cold", |b| {
        b.iter(|| scanner(folder.path()).refresh(&context.cancel).unwrap());
    });
    let warm = scanner(folder.path());
    warm.refresh(&context.cancel).unwrap();
    let random = SeededRandom::new(3);
    group.bench_function("scan after one changed file", |b| {
        let change = || std::fs::write(folder.path().join("src/part7/file7.rs"), source(&random));
        let before = warm.refresh(&context.cancel).unwrap().fingerprint.clone();
        b.iter_batched(
            || change().unwrap(),
            |()| warm.refresh(&context.cancel).unwrap(),
            criterion::BatchSize::PerIteration,
        );
        assert_ne!(warm.refresh(&context.cancel).unwrap().fingerprint, before);
    });
    group.bench_function("cut into documents", |b| {
        b.iter(|| black_box(code_documents(&analysis, &root, BUDGET)).len());
    });
    group.bench_function("index", |b| {
        b.iter_batched(
            || documents.clone(),
            |documents| TantivyIndex::new().replace_all(documents).unwrap(),
            criterion::BatchSize::PerIteration,
        );
    });
    group.bench_function("query of six words", |b| {
        let query = "how does the config loader parse requests";
        b.iter(|| black_box(index.search(query, 20).unwrap()));
    });
    let mut registry = ToolRegistry::new();
    for tool in native_tools(&root, &shared, &[]).unwrap() {
        registry.register(tool);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let grep = registry.get("grep_file").unwrap();
    let arguments = json!({"pattern": "fn zzz\\w+\\("});
    group.bench_function("grep without a match", |b| {
        b.iter(|| runtime.block_on(grep.call(&arguments, &context)).unwrap());
    });
    group.finish();

    let text = source(&SeededRandom::new(2)).repeat(20);
    let mut group = criterion.benchmark_group("redact");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("4,000 lines of code", |b| {
        b.iter(|| redact("a.rs", black_box(&text)).len())
    });
    group.finish();
}

criterion_group!(benches, tools);
criterion_main!(benches);
