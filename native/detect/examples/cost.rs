//! Runs one detector over made-up text, for a profiler or for counting instructions:
//! `cargo run --release -p ouro-detect --example cost -- adaptive 20 5 prose`: the profile, the characters of a chunk, how
//! often 200,000 characters are read, and of what: `prose`, `chinese`, `emoji`, or `changed`, `shifted`, `counted`, `short`,
//! `fences`, `pairs`, which are made to hurt. Two runs with different counts differ by nothing else.

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
    repeat(|| dice.sentence())
}

/// Sentences of ideographs, without a loop.
fn chinese() -> String {
    let mut dice = Dice(1);
    repeat(|| {
        let ideographs = (0..8 + dice.below(20)).map(|_| 0x4E00 + dice.below(2500) as u32);
        let clause: String = ideographs.filter_map(char::from_u32).collect();
        clause + dice.pick(&["，", "。", "；"])
    })
}

fn repeat(mut part: impl FnMut() -> String) -> String {
    std::iter::repeat_with(|| part().chars().collect::<Vec<_>>()).flatten().take(LENGTH).collect()
}

/// The text in chunks of so many characters.
fn chunks(text: &str, size: usize) -> Vec<&str> {
    let starts = text.char_indices().step_by(size.max(1)).map(|(at, _)| at);
    let cuts: Vec<usize> = starts.chain([text.len()]).collect();
    cuts.array_windows().filter_map(|[from, to]| text.get(*from..*to)).collect()
}

/// One frame again and again, each time with another letter changed: it is always nearly a loop, and never one.
fn changed() -> String {
    let mut dice = Dice(1);
    let frame = frame(&mut dice, 100);
    repeat(|| {
        let place = dice.below(100);
        let mut copy = frame.clone();
        copy.replace_range(place..=place, dice.pick(&["x", "y", "z", "q"]));
        copy
    })
}

/// As [`changed`], with a letter put in or left out, so that nothing stays where it was.
fn shifted() -> String {
    let mut dice = Dice(1);
    let frame = frame(&mut dice, 90);
    repeat(|| {
        let place = dice.below(90);
        let mut copy = frame.clone();
        match dice.below(2) {
            0 => drop(copy.remove(place)),
            _ => copy.insert(place, 'x'),
        }
        copy
    })
}

/// Emoji, without a loop.
fn emoji() -> String {
    let mut dice = Dice(1);
    repeat(|| emojis(&mut dice, 1))
}

/// A frame of emoji, twice, and a number after it, again and again.
fn pairs() -> String {
    let frame = emojis(&mut Dice(1), 20);
    let mut round = 0;
    repeat(|| {
        round += 1;
        format!("{frame}{frame}{round}")
    })
}

fn emojis(dice: &mut Dice, count: usize) -> String {
    (0..count).filter_map(|_| char::from_u32(0x1F600 + dice.below(64) as u32)).collect()
}

/// One frame again and again with a number after it.
fn counted(length: usize) -> String {
    let frame = frame(&mut Dice(1), length);
    let mut round = 0;
    repeat(|| {
        round += 1;
        format!("{frame}{round} ")
    })
}

fn frame(dice: &mut Dice, length: usize) -> String {
    (0..15).map(|_| dice.sentence()).collect::<String>().chars().take(length).collect()
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let [profile, size, rounds, kind] = args.as_slice() else {
        eprintln!(
            "cost: give a profile, the characters of a chunk, a number of rounds, and the kind of text"
        );
        return ExitCode::from(2);
    };
    let (Ok(profile), Ok(size), Ok(rounds)) =
        (profile.parse::<Profile>(), size.parse::<usize>(), rounds.parse::<usize>())
    else {
        eprintln!("cost: unknown profile `{profile}`, or no number: `{size}`, `{rounds}`");
        return ExitCode::from(2);
    };
    let text = match kind.as_str() {
        "prose" => prose(),
        "chinese" => chinese(),
        "emoji" => emoji(),
        "changed" => changed(),
        "shifted" => shifted(),
        "counted" => counted(150),
        "short" => counted(52),
        "pairs" => pairs(),
        "fences" => repeat(|| "```".to_owned()),
        _ => {
            eprintln!("cost: unknown text `{kind}`");
            return ExitCode::from(2);
        }
    };
    let mut detector = StreamDetector::new(&Config::for_profile(profile));
    let chunks = chunks(&text, size);
    let mut found = 0;
    for _ in 0..rounds {
        for chunk in &chunks {
            if detector.push(chunk).is_some() {
                found += 1;
                detector.reset();
            }
        }
    }
    println!("{} chunks, {found} reports", rounds * chunks.len());
    ExitCode::SUCCESS
}
