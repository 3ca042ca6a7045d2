//! Literal repetition: the period finder over characters.

use super::history::{HISTORY, History, zeroed};

/// How many characters must be equal before a distance is followed.
pub(super) const GRAM: u64 = 8;
/// The longest distance that can be followed: a first match of a whole unit back must still be in the history.
pub(super) const MAX_PERIOD: u32 = 3000;
const SLOTS: usize = 4096;
/// Steps back that one character pays for. Following a match back to its beginning is paid from this account, so that
/// no input costs more than a constant per character.
const CREDIT_PER_CHAR: u32 = 2;
const CREDIT_LIMIT: u32 = 8192;

/// A stretch of text that equals the text `period` characters before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Run {
    /// Distance in characters; 0 when there is no run.
    pub(super) period: u32,
    /// How many characters have been equal.
    pub(super) len: u64,
    /// The length at which the run is worth a judgement.
    pub(super) judge_at: u64,
}

/// Follows one distance at a time and looks a new one up where it breaks.
#[derive(Debug, Clone)]
pub(super) struct ExactFinder {
    slots: Box<[u16; SLOTS]>,
    recent: u64,
    run: Run,
    credit: u32,
    max_period: u32,
}

impl ExactFinder {
    pub(super) fn new(max_period: u32) -> Self {
        Self {
            slots: zeroed(),
            recent: 0,
            run: Run::default(),
            credit: 0,
            max_period: max_period.min(MAX_PERIOD),
        }
    }

    /// Takes the character at `at`, which is already in `history`. Returns whether the run is worth a judgement.
    #[inline]
    pub(super) fn step(&mut self, history: &History, at: u64, c: u32) -> bool {
        self.recent = (self.recent << 8) | u64::from(c.wrapping_mul(0x9E37_79B1) >> 24);
        self.credit = (self.credit + CREDIT_PER_CHAR).min(CREDIT_LIMIT);
        let slot = (self.recent.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52) as usize;
        let mut before = 0;
        if let Some(place) = self.slots.get_mut(slot % SLOTS) {
            before = *place;
            *place = at as u16;
        }
        let period = u64::from(self.run.period);
        if period != 0 && history.at(at.wrapping_sub(period)) == c {
            self.run.len += 1;
            return self.run.len >= self.run.judge_at;
        }
        self.run = Run::default();
        let distance = (at as u16).wrapping_sub(before);
        if distance == 0 || u32::from(distance) > self.max_period || at < u64::from(distance) + GRAM
        {
            return false;
        }
        self.follow(history, at, u64::from(distance))
    }

    /// Begins a run at distance `period` if the last characters bear it out.
    fn follow(&mut self, history: &History, at: u64, period: u64) -> bool {
        let limit = (HISTORY as u64 - period).min(at + 1 - period);
        let paid = GRAM + u64::from(self.credit);
        let mut len = 0;
        while len < limit.min(paid) && history.at(at - len) == history.at(at - len - period) {
            len += 1;
        }
        self.credit = self.credit.saturating_sub(len.saturating_sub(GRAM) as u32);
        if len < GRAM {
            return false;
        }
        self.run = Run { period: period as u32, len, judge_at: first_judgement(period) };
        len >= self.run.judge_at
    }

    /// The run at the end of the text.
    pub(super) fn run(&self) -> Run {
        self.run
    }

    /// Puts the next judgement off until the run is `len` long.
    pub(super) fn judge_again_at(&mut self, len: u64) {
        self.run.judge_at = len;
    }
}

/// Nothing is a loop before two copies and forty characters.
fn first_judgement(period: u64) -> u64 {
    (2 * period).max(40)
}
