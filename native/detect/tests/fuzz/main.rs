//! What the fuzz targets check, for a few seconds: on the inputs kept in `corpus`, and on mixtures of their pieces. The
//! targets themselves run as long as one likes: `cargo +nightly fuzz run -s none text`, or `events`, or `config`.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test may fail by any of them, and shows at which input"
)]

mod config;
mod events;
mod input;
mod text;

use std::{fs, path::Path};

/// Xorshift: the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % limit.max(1) as u64) as usize
    }

    /// A piece of one of the inputs.
    fn piece<'a>(&mut self, inputs: &'a [Vec<u8>]) -> &'a [u8] {
        let input = &inputs[self.below(inputs.len())];
        let from = self.below(input.len());
        &input[from..from + self.below(input.len() - from + 1)]
    }
}

/// Checks every kept input of a target, and `mixtures` of their pieces with some bytes changed.
fn run(target: &str, mixtures: usize, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(target);
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let inputs: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(inputs.len() >= 5, "{target}: {} inputs", inputs.len());
    for (path, input) in paths.iter().zip(&inputs) {
        println!("{}", path.display());
        check(input);
    }
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for _ in 0..mixtures {
        let mut mixture = Vec::new();
        for _ in 0..1 + dice.below(4) {
            mixture.extend_from_slice(dice.piece(&inputs));
            if dice.below(3) == 0 {
                mixture.extend([0xFF, dice.below(40) as u8, dice.below(120) as u8]);
            }
        }
        for _ in 0..dice.below(4) {
            let place = dice.below(mixture.len());
            if let Some(byte) = mixture.get_mut(place) {
                *byte = dice.below(256) as u8;
            }
        }
        check(&mixture);
    }
}

#[test]
fn any_text_has_one_verdict_however_it_is_cut_and_encoded() {
    run("text", 6000, text::check);
}

#[test]
fn any_events_are_answered_alike_by_a_service_that_was_stored() {
    run("events", 6000, events::check);
}

#[test]
fn any_configuration_is_refused_with_words_or_can_be_used() {
    run("config", 6000, config::check);
}
