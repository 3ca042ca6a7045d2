//! What the reference profiles cost, in CPU time on one core: an event of 4, 20 and 200 characters of ordinary text, and
//! of text made to hurt.

#![allow(
    missing_docs,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "criterion's macros, and a benchmark has the liberties of a test"
)]

mod cpu_time;
mod dice;

use std::{hint::black_box, time::Duration};

use cpu_time::CpuTime;
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dice::Dice;
use ouro_detect::reference::{
    CheckpointReasoning, CheckpointsConfig, GeminiContent, GeminiContentConfig, QwenContent,
    QwenContentConfig,
};

/// Characters of each text.
const LENGTH: usize = 200_000;
const CHUNKS: [usize; 4] = [1, 4, 20, 200];

/// A sentence that begins with a capital.
fn sentence(dice: &mut Dice) -> String {
    let mut sentence = dice.sentence();
    sentence.replace_range(..1, &sentence[..1].to_uppercase());
    sentence
}

fn repeat(part: impl FnMut(usize) -> String) -> String {
    let mut text = String::new();
    for part in (0..).map(part) {
        text += &part;
        if text.len() > 4 * LENGTH {
            break;
        }
    }
    text.chars().take(LENGTH).collect()
}

fn texts() -> Vec<(&'static str, String)> {
    let mut dice = Dice(1);
    let prose = repeat(|_| sentence(&mut dice));
    let lower = prose.to_lowercase().replace(|c: char| !c.is_ascii_lowercase(), " ");
    let chinese = repeat(|_| {
        let mut line: String = (0..10 + dice.below(20))
            .filter_map(|_| char::from_u32(0x4E00 + dice.below(3000) as u32))
            .collect();
        line.push('\u{3002}');
        line
    });
    let code = repeat(|line| {
        format!("    let {} = {}({}, {line});\n", dice.word(), dice.word(), dice.word())
    });
    let markdown = repeat(|part| match part % 5 {
        0 => format!("\n## {}\n\n", dice.word()),
        1 => format!("- {}\n- {}\n", sentence(&mut dice), sentence(&mut dice)),
        2 => format!("```\nlet {} = {part};\n```\n", dice.word()),
        3 => format!("| {} | {} |\n", dice.word(), dice.word()),
        _ => (0..6).map(|_| sentence(&mut dice)).collect(),
    });
    let emoji = repeat(|_| {
        char::from_u32(0x1F600 + dice.below(64) as u32).map_or_else(String::new, String::from)
    });
    let shared: String = (0..15)
        .map(|_| sentence(&mut dice))
        .collect::<String>()
        .to_lowercase()
        .chars()
        .take(150)
        .collect();
    let counters = repeat(|round| format!("{shared}{round} "));
    let short = repeat(|round| format!("{}{round} ", &shared[..52]));
    // The same frame with one letter changed anywhere: links break at every few characters.
    let noisy = repeat(|_| {
        let mut frame = shared[..100].to_owned();
        let place = dice.below(100);
        frame.replace_range(place..=place, ["x", "y", "z", "q"][dice.below(4)]);
        frame
    });
    // And with one put in or left out, so that nothing stays where it was.
    let shifting = repeat(|_| {
        let mut frame = shared[..90].to_owned();
        let place = dice.below(90);
        match dice.below(2) {
            0 => drop(frame.remove(place)),
            _ => frame.insert(place, 'x'),
        }
        frame
    });
    let phrases: Vec<_> = (0..2).map(|part| shared[part * 25..part * 25 + 25].to_owned()).collect();
    let shuffled = repeat(|_| phrases[dice.below(2)].clone());
    let far = repeat(|_| format!("{shared}{shared}"));
    let fences = repeat(|_| "```".to_owned());
    let one = repeat(|_| "a".to_owned());
    let frame: String =
        (0..20).filter_map(|_| char::from_u32(0x1F600 + dice.below(64) as u32)).collect();
    let emoji_frame = repeat(|round| format!("{frame}{frame}{round}"));
    vec![
        ("prose", prose),
        ("prose, lower case", lower),
        ("chinese", chinese),
        ("code", code),
        ("markdown", markdown),
        ("emoji", emoji),
        ("counters after 150 shared", counters),
        ("counters after 52 shared", short),
        ("one letter changed", noisy),
        ("one letter put in or left out", shifting),
        ("two phrases shuffled, fires", shuffled),
        ("period over the reach, fires", far),
        ("fences", fences),
        ("one symbol, fires", one),
        ("emoji frame with counters", emoji_frame),
    ]
}

fn chunks(text: &str, size: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(size).map(|chunk| chunk.iter().collect()).collect()
}

fn content(criterion: &mut Criterion<CpuTime>) {
    let texts = texts();
    for size in CHUNKS {
        let mut group = criterion.benchmark_group(format!("gemini-cli content, chunks of {size}"));
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(200))
            .measurement_time(Duration::from_millis(600));
        for (name, text) in &texts {
            let chunks = chunks(text, size);
            group.throughput(Throughput::Elements(chunks.len() as u64));
            let mut detector = GeminiContent::new(&GeminiContentConfig::default());
            group.bench_with_input(
                BenchmarkId::from_parameter(name),
                &chunks,
                |bencher, chunks| {
                    bencher.iter(|| {
                        for chunk in chunks {
                            if detector.push(black_box(chunk)).is_some() {
                                detector.reset();
                            }
                        }
                    });
                },
            );
        }
    }
    let mut group = criterion.benchmark_group("qwen-code content, chunks of 20");
    let chunks = chunks(&texts[0].1, 20);
    group.throughput(Throughput::Elements(chunks.len() as u64));
    let mut detector = QwenContent::new(&QwenContentConfig::default());
    group.bench_function("prose", |bencher| {
        bencher.iter(|| {
            chunks.iter().filter(|chunk| detector.push(black_box(chunk)).is_some()).count()
        });
    });
}

fn creation(criterion: &mut Criterion<CpuTime>) {
    let config = GeminiContentConfig::default();
    criterion.bench_function("gemini-cli content, creation", |bencher| {
        bencher.iter(|| GeminiContent::new(black_box(&config)));
    });
}

/// What the checkpoint at 2,000 characters costs: the search for a short sequence in the last 200.
fn checkpoint(criterion: &mut Criterion<CpuTime>) {
    let mut dice = Dice(2);
    let mut group = criterion.benchmark_group("checkpoints, the last character before 2,000");
    let letters: String = (0..2000).map(|_| ["a", "b"][dice.below(2)]).collect();
    let cubes = repeat(|round| "ab".repeat(3) + ["a", "b", "c"][round % 3]);
    let prose = repeat(|_| sentence(&mut dice));
    for (name, text) in [
        ("prose", prose),
        ("two letters", letters),
        ("three copies", cubes),
        ("one symbol", "a".repeat(2000)),
    ] {
        let mut before = CheckpointReasoning::new(&CheckpointsConfig::default());
        before.push(&text.chars().take(1999).collect::<String>());
        let last: String = text.chars().skip(1999).take(1).collect();
        group.bench_function(name, |bencher| {
            bencher.iter_batched_ref(
                || before.clone(),
                |detector| detector.push(black_box(&last)),
                BatchSize::SmallInput,
            );
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = content, checkpoint, creation
}
criterion_main!(benches);
