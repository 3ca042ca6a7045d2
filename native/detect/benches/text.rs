//! What the adaptive detector costs, in CPU time on one core: an event of 1, 4, 20, 200 and 4,096 characters of
//! ordinary text, and of text made to hurt.

#![allow(missing_docs, reason = "criterion's macros")]
#![allow(clippy::indexing_slicing, reason = "of texts made for the benchmark")]

mod dice;

use std::{fmt::Write, hint::black_box, time::Duration};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dice::Dice;
use ouro_detect::text::{AdaptiveText, TextConfig};

/// Characters of each text.
const LENGTH: usize = 200_000;
const CHUNKS: [usize; 5] = [1, 4, 20, 200, 4096];

/// Fills a text with what `more` writes.
fn fill(mut more: impl FnMut(&mut Dice, &mut String)) -> String {
    let mut dice = Dice(7);
    let mut text = String::new();
    while text.chars().count() < LENGTH {
        for _ in 0..100 {
            more(&mut dice, &mut text);
        }
    }
    text.chars().take(LENGTH).collect()
}

fn prose() -> String {
    fill(|dice, text| text.push_str(&dice.sentence()))
}

fn chinese() -> String {
    fill(|dice, text| {
        for _ in 0..8 + dice.below(20) {
            text.extend(char::from_u32(0x4E00 + dice.below(2500) as u32));
        }
        text.push_str(["，", "。", "。\n"][dice.below(3)]);
    })
}

fn code() -> String {
    fill(|dice, text| {
        let (name, value) = (dice.word(), dice.word());
        let _ = writeln!(text, "    let {name} = {value}_{}({});", dice.word(), dice.below(90));
        if dice.below(5) == 0 {
            let _ = writeln!(text, "}}\n\nfn {}(&self) -> u32 {{", dice.word());
        }
    })
}

fn markdown() -> String {
    fill(|dice, text| match dice.below(5) {
        0 => {
            let _ = writeln!(text, "\n## {}\n", dice.sentence());
        }
        1 => {
            let _ = writeln!(text, "- **{}**: {}", dice.word(), dice.sentence());
        }
        2 => {
            let _ = writeln!(text, "| {} | {} | {} |", dice.word(), dice.below(900), dice.word());
        }
        3 => {
            let _ = writeln!(text, "\n```rust\nlet {} = {};\n```\n", dice.word(), dice.below(900));
        }
        _ => {
            let _ = writeln!(text, "{}{}", dice.sentence(), dice.sentence());
        }
    })
}

/// A long unit that comes again with one word changed too often for a loop.
fn almost_periods() -> String {
    let unit: Vec<String> = {
        let mut dice = Dice(3);
        (0..200).map(|_| dice.word()).collect()
    };
    let mut at = 0;
    fill(move |dice, text| {
        at += 1;
        let word = if dice.below(6) == 0 { dice.word() } else { unit[at % unit.len()].clone() };
        let _ = write!(text, "{word} ");
    })
}

/// The same 150 characters, then a random number.
fn shared_prefixes() -> String {
    let prefix: String = "let total = compute(&registry, options, default_limits); ".repeat(3);
    fill(move |dice, text| {
        let _ = write!(text, "{prefix:.150}{}{};", dice.word(), dice.below(1_000_000_000));
    })
}

/// Two letters at random: every short gram is everywhere.
fn two_letters() -> String {
    fill(|dice, text| text.push(['a', 'b'][dice.below(2)]))
}

/// Single letters and blanks: a token each.
fn loose_letters() -> String {
    fill(|dice, text| {
        text.push(['a', 'b'][dice.below(2)]);
        text.push(' ');
    })
}

/// One sign, broken just before it would be too long.
fn one_symbol() -> String {
    fill(|_, text| {
        text.push_str(&"-".repeat(990));
        text.push('x');
    })
}

fn fences() -> String {
    fill(|dice, text| text.push_str(["```\n", "~~~\n", "````\n"][dice.below(3)]))
}

fn bench(criterion: &mut Criterion) {
    let texts = [
        ("prose", prose()),
        ("chinese", chinese()),
        ("code", code()),
        ("markdown", markdown()),
        ("hurt/almost_periods", almost_periods()),
        ("hurt/shared_prefixes", shared_prefixes()),
        ("hurt/two_letters", two_letters()),
        ("hurt/loose_letters", loose_letters()),
        ("hurt/one_symbol", one_symbol()),
        ("hurt/fences", fences()),
    ];
    let config = TextConfig::default();
    for (name, text) in &texts {
        let mut group = criterion.benchmark_group(*name);
        group.sample_size(10).measurement_time(Duration::from_secs(1));
        for size in CHUNKS {
            let characters: Vec<char> = text.chars().collect();
            let chunks: Vec<String> =
                characters.chunks(size).map(|chunk| chunk.iter().collect()).collect();
            group.throughput(Throughput::Elements(chunks.len() as u64));
            group.bench_with_input(
                BenchmarkId::from_parameter(size),
                &chunks,
                |bencher, chunks| {
                    let mut detector = AdaptiveText::new(&config);
                    bencher.iter(|| {
                        let mut found = 0u32;
                        for chunk in chunks {
                            if detector.push(black_box(chunk)).is_some() {
                                found += 1;
                                detector.reset();
                            }
                        }
                        found
                    });
                },
            );
        }
        group.finish();
    }
    criterion.bench_function("create", |bencher| {
        bencher.iter(|| AdaptiveText::new(black_box(&config)));
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
