//! What the redaction takes out of real code, by kind: `redaction FOLDER...`
//!
//! For judging false alarms: code that was published holds next to no keys, so nearly every mark is one. The places are
//! named, never what stood there.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program for developers, which measures real time"
)]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use ouro_tools::redact;

/// Places that are named for each kind.
const NAMED: usize = 5;
/// Larger files are never shown.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Default)]
struct Seen {
    files: usize,
    lines: usize,
    bytes: usize,
    took: Duration,
    /// Places by kind.
    marks: BTreeMap<String, Vec<String>>,
}

fn main() {
    let mut seen = Seen::default();
    for folder in std::env::args_os().skip(1) {
        look(&PathBuf::from(folder), &mut seen);
    }
    let marks: usize = seen.marks.values().map(Vec::len).sum();
    println!(
        "{} files, {} lines, {:.1} MB in {:.1} s; {marks} lines with a mark",
        seen.files,
        seen.lines,
        megabytes(seen.bytes),
        seen.took.as_secs_f64()
    );
    for (kind, places) in seen.marks {
        println!("{:6}  {kind}", places.len());
        let step = places.len().div_ceil(NAMED);
        places.iter().step_by(step).for_each(|place| println!("        {place}"));
    }
}

#[allow(clippy::cast_precision_loss, reason = "for reading")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn look(path: &Path, seen: &mut Seen) {
    if path.is_symlink() {
        return;
    }
    if let Ok(entries) = fs::read_dir(path) {
        let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        inside.sort();
        inside.iter().for_each(|path| look(path, seen));
        return;
    }
    if fs::metadata(path).is_ok_and(|m| m.len() <= MAX_BYTES)
        && let Ok(text) = fs::read_to_string(path)
    {
        examine(path, &text, seen);
    }
}

fn examine(path: &Path, text: &str, seen: &mut Seen) {
    let start = Instant::now();
    let shown = redact(&path.to_string_lossy(), text);
    seen.took += start.elapsed();
    seen.files += 1;
    seen.bytes += text.len();
    for (number, (line, before)) in (1..).zip(shown.lines().zip(text.lines())) {
        seen.lines += 1;
        if line == before {
            continue;
        }
        let mark = line.split_once("[redacted: ").and_then(|(_, rest)| rest.split_once(']'));
        let kind = mark.map_or("unnamed", |(kind, _)| kind);
        let place = format!("{}:{number}", path.display());
        seen.marks.entry(kind.to_owned()).or_default().push(place);
    }
}
