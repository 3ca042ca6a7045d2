//! Rounds that repeat with a period.

use serde::{Deserialize, Serialize};

/// The longest period, in rounds.
pub(super) const MAX_PERIOD: usize = 16;

/// For every period up to [`MAX_PERIOD`]: how many of the last items equal the item one period before. O(16) an item.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Runs {
    /// The last items, newest first.
    last: Vec<u64>,
    /// `runs[p - 1]` for period p.
    runs: Vec<u32>,
}

impl Runs {
    pub(super) fn push(&mut self, item: u64) {
        self.runs.resize(MAX_PERIOD, 0);
        for (run, earlier) in self.runs.iter_mut().zip(&self.last) {
            *run = if *earlier == item { run.saturating_add(1) } else { 0 };
        }
        self.last.truncate(MAX_PERIOD - 1);
        self.last.insert(0, item);
    }

    /// How many full rounds of `period` items the items end with; 1 if nothing repeats.
    pub(super) fn rounds(&self, period: usize) -> u32 {
        let run = period.checked_sub(1).and_then(|at| self.runs.get(at)).copied().unwrap_or(0);
        let period = period.max(1) as u32;
        (run + period) / period
    }

    /// How many items the repetition of `period` covers.
    pub(super) fn covered(&self, period: usize) -> u32 {
        let run = period.checked_sub(1).and_then(|at| self.runs.get(at)).copied().unwrap_or(0);
        run + period as u32
    }

    /// Whether no shorter period explains the repetition of `period`.
    pub(super) fn is_primitive(&self, period: usize) -> bool {
        let covered = self.covered(period);
        (1..period).all(|part| !period.is_multiple_of(part) || self.covered(part) < covered)
    }

    /// Counts from here on; what the items were is remembered.
    pub(super) fn forgive(&mut self) {
        self.runs.fill(0);
    }

    pub(super) fn clear(&mut self) {
        self.last.clear();
        self.runs.clear();
    }

    /// Whether a stored state is one this type can have.
    pub(super) fn is_sound(&self) -> bool {
        self.last.len() <= MAX_PERIOD
            && self.runs.iter().all(|run| *run < 1 << 30)
            && (self.runs.is_empty() || self.runs.len() == MAX_PERIOD)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Compares every full round at the end with the one before, starting from nothing.
    fn naive_rounds(items: &[u64], period: usize) -> u32 {
        let mut rounds = 1;
        let mut tail = items.len();
        while tail >= 2 * period
            && items[tail - period..tail] == items[tail - 2 * period..tail - period]
        {
            rounds += 1;
            tail -= period;
        }
        rounds
    }

    #[test]
    fn twice_a_period_is_no_period_of_its_own() {
        let mut runs = Runs::default();
        for item in [9, 1, 2, 1, 2, 1, 2, 1, 2] {
            runs.push(item);
        }
        assert!(runs.is_primitive(2) && !runs.is_primitive(4));
        for item in [3, 1, 2, 1, 2, 3] {
            runs.push(item);
        }
        assert!(runs.is_primitive(5));
    }

    proptest! {
        #[test]
        fn rounds_are_those_that_comparing_finds(
            items in prop::collection::vec(0_u64..3, 0..120),
            unit in prop::collection::vec(0_u64..3, 1..18),
            copies in 0_usize..6,
        ) {
            let mut all = items;
            all.extend(unit.iter().cycle().take(unit.len() * copies));
            let mut runs = Runs::default();
            for (at, item) in all.iter().enumerate() {
                runs.push(*item);
                for period in 1..=MAX_PERIOD.min(at + 1) {
                    prop_assert_eq!(runs.rounds(period), naive_rounds(&all[..=at], period));
                }
            }
            prop_assert!(runs.is_sound());
        }
    }
}
