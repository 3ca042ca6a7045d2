//! Runs one detector over ordinary prose, for a profiler or for counting instructions:
//! `cargo run --release -p ouro-detect --example cost -- adaptive 20 5`: the profile, the characters of a chunk, and how
//! often 200,000 characters are read. Two runs with different counts differ by nothing else.

#![allow(clippy::print_stdout, clippy::print_stderr)]

#[path = "../benches/dice/mod.rs"]
mod dice;

use std::{env, process::ExitCode};

use dice::Dice;
use ouro_detect::{Config, Profile, StreamDetector};

const LENGTH: usize = 200_000;

/// Sentences of made-up words, without a loop.
fn prose() -> String {
    let mut dice = Dice(1);
    let mut text = String::new();
    while text.len() < LENGTH {
        text.push_str(&dice.sentence());
    }
    text.truncate(LENGTH);
    text
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let [profile, size, rounds] = args.as_slice() else {
        eprintln!("cost: give a profile, the characters of a chunk, and a number of rounds");
        return ExitCode::from(2);
    };
    let (Ok(profile), Ok(size), Ok(rounds)) =
        (profile.parse::<Profile>(), size.parse::<usize>(), rounds.parse::<usize>())
    else {
        eprintln!("cost: unknown profile `{profile}`, or no number: `{size}`, `{rounds}`");
        return ExitCode::from(2);
    };
    let text = prose();
    let mut detector = StreamDetector::new(&Config::for_profile(profile));
    let (mut chunks, mut found) = (0, 0);
    for _ in 0..rounds {
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (chunk, tail) = rest.split_at(size.clamp(1, rest.len()));
            found += usize::from(detector.push(chunk).is_some());
            chunks += 1;
            rest = tail;
        }
    }
    println!("{chunks} chunks, {found} reports");
    ExitCode::SUCCESS
}
