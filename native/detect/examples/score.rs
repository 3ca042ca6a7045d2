//! Scores the adaptive detector on a corpus of JSON lines:
//! `cargo run --release -p ouro-detect --example score -- CORPUS [--hold-out|--all] [--json] [--config FILE]`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::{env, fs, process::ExitCode};

use ouro_detect::{
    Config,
    score::{Case, Part, Score, part_of, run},
    text::AdaptiveText,
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
    let config = match args.iter().position(|a| a == "--config").and_then(|at| args.get(at + 1)) {
        None => Ok(Config::default()),
        Some(file) => fs::read_to_string(file)
            .map_err(|error| error.to_string())
            .and_then(|text| Config::from_json(&text).map_err(|error| error.to_string())),
    };
    let config = match config {
        Ok(config) => config,
        Err(error) => {
            eprintln!("score: {error}");
            return ExitCode::from(2);
        }
    };
    let mut detector = AdaptiveText::new(&config.text);
    let outcomes = run(chosen, |text| {
        detector.reset();
        detector.push(text)
    });
    if has("--json") {
        for line in outcomes.iter().filter_map(|outcome| serde_json::to_string(outcome).ok()) {
            println!("{line}");
        }
        return ExitCode::SUCCESS;
    }
    println!("{}", Score::of(&outcomes));
    ExitCode::SUCCESS
}
