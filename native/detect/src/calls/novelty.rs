//! Whether an answer brings anything that was not known.

use serde::{Deserialize, Serialize};

/// Slots of the table of known lines. A line that loses its slot to others counts as new again: forgetting only ever
/// makes answers look newer.
const SLOTS: usize = 4096;

/// How many slots a line may stand in; the one that came first makes room.
const WAYS: usize = 8;

/// How many outcomes are remembered.
const OUTCOMES: usize = 256;

/// What was seen in this prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Novelty {
    /// By the low bits of a line's hash, the high bits of the last such lines; empty until the first answer.
    lines: Vec<u32>,
    /// The last outcomes, in a ring.
    outcomes: Vec<u64>,
    next: u32,
}

impl Novelty {
    /// Notes a line; says whether it is new.
    pub(super) fn line(&mut self, hash: u64) -> bool {
        if self.lines.is_empty() {
            self.lines.resize(SLOTS, 0);
        }
        let tag = ((hash >> 32) as u32) | 1;
        let first = hash as usize % (SLOTS / WAYS) * WAYS;
        match self.lines.get_mut(first..first + WAYS) {
            Some(slots) if !slots.contains(&tag) => {
                slots.rotate_right(1);
                if let Some(newest) = slots.first_mut() {
                    *newest = tag;
                }
                true
            }
            _ => false,
        }
    }

    /// Notes an outcome (a call and its answer); says whether it is new.
    pub(super) fn outcome(&mut self, hash: u64) -> bool {
        if self.outcomes.contains(&hash) {
            return false;
        }
        if self.outcomes.len() < OUTCOMES {
            self.outcomes.push(hash);
        } else if let Some(slot) = self.outcomes.get_mut(self.next as usize % OUTCOMES) {
            *slot = hash;
        }
        self.next = (self.next + 1) % OUTCOMES as u32;
        true
    }

    pub(super) fn is_sound(&self) -> bool {
        (self.lines.is_empty() || self.lines.len() == SLOTS) && self.outcomes.len() <= OUTCOMES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::hash_bytes;

    #[test]
    fn a_file_of_a_thousand_lines_is_known_when_it_is_read_again() {
        let mut novelty = Novelty::default();
        let mut read = || {
            let lines = (0..1000_u32).map(|line| hash_bytes(1, &line.to_le_bytes()));
            lines.filter(|hash| novelty.line(*hash)).count()
        };
        assert_eq!(read(), 1000);
        assert!(read() < 20);
        assert!(novelty.is_sound());
    }
}
