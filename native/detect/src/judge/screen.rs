//! How much a session's last turns resemble each other, for next to nothing.
//!
//! Each turn becomes a sketch: the smallest hashes of its pairs of words (texts, calls and what came back). Two
//! sketches are as similar as the turns, roughly. Costs one pass over a turn's words; nothing is asked of anybody.

use serde::{Deserialize, Serialize};

use crate::canonical::{hash_bytes, mix};

/// Hashes in a sketch.
const SKETCH: usize = 24;

/// How many turns are compared with the ones before them, and how many those are.
const RECENT: usize = 6;
const EARLIER: usize = 10;

/// The smallest hashes of a turn's pairs of words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sketch(Vec<u64>);

impl Sketch {
    /// Adds a text of the turn. Numbers count as words.
    pub fn add(&mut self, text: &str) {
        let mut before = 0;
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            if word.is_ascii() {
                let hash = hash_bytes(20, word.as_bytes());
                self.insert(mix(before, hash));
                before = hash;
            } else {
                // Scripts without blanks: character by character.
                for c in word.chars() {
                    let hash = mix(20, u64::from(u32::from(c)));
                    self.insert(mix(before, hash));
                    before = hash;
                }
            }
        }
    }

    fn insert(&mut self, hash: u64) {
        let at = self.0.partition_point(|known| *known < hash);
        if at >= SKETCH || self.0.get(at) == Some(&hash) {
            return;
        }
        self.0.truncate(SKETCH - 1);
        self.0.insert(at, hash);
    }

    /// How similar two turns are, 0 to 1; nothing is similar to an empty turn.
    pub fn similarity(&self, other: &Self) -> f64 {
        // The smallest of both together are a fair sample of all there is.
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        let (mut common, mut all) = (0_u32, 0_u32);
        while all < SKETCH as u32 {
            match (a.peek(), b.peek()) {
                (Some(x), Some(y)) if x == y => {
                    common += 1;
                    a.next();
                    b.next();
                }
                (Some(x), Some(y)) if x < y => {
                    a.next();
                }
                (_, Some(_)) => {
                    b.next();
                }
                (Some(_), None) => {
                    a.next();
                }
                (None, None) => break,
            }
            all += 1;
        }
        if all == 0 { 0.0 } else { f64::from(common) / f64::from(all) }
    }
}

/// How much the last turns resemble ones before them, 0 to 1: the mean over the last six of the closest of the ten turns
/// before each. 0 with fewer than eight turns.
pub fn smell(turns: &[&Sketch]) -> f64 {
    if turns.len() < 8 {
        return 0.0;
    }
    let scores = turns.iter().enumerate().rev().take(RECENT).map(|(at, turn)| {
        turns
            .iter()
            .take(at)
            .rev()
            .take(EARLIER)
            .map(|earlier| turn.similarity(earlier))
            .fold(0.0, f64::max)
    });
    scores.sum::<f64>() / RECENT as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(text: &str) -> Sketch {
        let mut sketch = Sketch::default();
        sketch.add(text);
        sketch
    }

    #[test]
    fn similarity_follows_the_words() {
        let a = sketch("read the file again and look for the error in the parser");
        assert!(a.similarity(&a) > 0.99);
        assert!(a.similarity(&sketch("write a new test for the network layer")) < 0.2);
        assert!(
            a.similarity(&sketch("read the file again and look for the bug in the parser")) > 0.5
        );
        assert!(a.similarity(&Sketch::default()) < 0.01);
        assert!(
            sketch("再看一遍这个文件的错误").similarity(&sketch("再看一遍那个文件的错误")) > 0.5
        );
    }

    #[test]
    fn turns_that_resemble_each_other_smell() {
        let circles: Vec<_> = (0..20)
            .map(|n| sketch(&format!("I will check the config once more, step {}", n % 3)))
            .collect();
        let work: Vec<_> = (0..20)
            .map(|n| {
                sketch(&format!(
                    "file{n} has function f{} which calls g{} with {}",
                    n * 7,
                    n * 3,
                    n * 11
                ))
            })
            .collect();
        assert!(smell(&circles.iter().collect::<Vec<_>>()) > 0.7);
        assert!(smell(&work.iter().collect::<Vec<_>>()) < 0.3);
        assert!(smell(&[]) < 0.01);
    }
}
