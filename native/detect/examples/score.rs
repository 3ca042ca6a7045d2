//! Scores the adaptive detector on a corpus of JSON lines:
//! `cargo run --release -p ouro-detect --example score -- CORPUS [--hold-out|--all] [-v]`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::{env, fs, process::ExitCode};

use ouro_detect::{
    score::{Case, Part, Score, part_of, run},
    text::{AdaptiveText, TextConfig},
};

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let has = |flag: &str| args.iter().any(|a| a == flag);
    let Some(path) = args.first() else {
        eprintln!("score: give the path of a corpus of JSON lines");
        return ExitCode::from(2);
    };
    let cases: Vec<Case> = match fs::read_to_string(path) {
        Ok(text) => text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
        Err(error) => {
            eprintln!("score: {path}: {error}");
            return ExitCode::from(2);
        }
    };
    let part = if has("--hold-out") { Part::HoldOut } else { Part::Development };
    let chosen = cases.iter().filter(|case| has("--all") || part_of(&case.id) == part);
    let mut detector = AdaptiveText::new(&TextConfig::default());
    let outcomes = run(chosen, |text| {
        detector.reset();
        detector.push(text)
    });
    if has("-v") {
        for outcome in &outcomes {
            let wrong = outcome.is_loop != outcome.found.is_some();
            let found = outcome.found.as_ref();
            if wrong || has("-vv") {
                println!(
                    "{} {} loop={} onset={:?}: {} {:?}",
                    outcome.id,
                    outcome.kind,
                    outcome.is_loop,
                    outcome.onset,
                    found.map_or("", |f| f.rule.as_str()),
                    found.map(|f| (f.onset, f.detected_at, f.period, f.repeats, &f.evidence))
                );
            }
        }
    }
    println!("{}", Score::of(&outcomes));
    ExitCode::SUCCESS
}
