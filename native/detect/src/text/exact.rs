//! Literal repetition: the period finder over characters.

use super::{
    config::Evidence,
    history::{HISTORY, History, zeroed},
};

/// How many characters must be equal before a distance is followed. In prose nearly every word has come before: eight would
/// be followed all the time.
const GRAM: u64 = 16;
/// The longest distance that can be followed: a first match of a whole unit back must still be in the history.
pub(super) const MAX_PERIOD: u32 = 3000;
const SLOTS: usize = 2048;
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
/// The second, longer gram, for text in which every short one is everywhere: two letters, bits, strokes.
const LONG_GRAM: u64 = 32;
const LONG_SLOTS: usize = 1024;
/// Steps back that one character pays for. Following a match back to its beginning is paid from this account, so that
/// no input costs more than a constant per character.
const CREDIT_PER_CHAR: u64 = 2;
const CREDIT_LIMIT: u64 = 8192;

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

/// Hashes of the last characters. Each is shifted out after as many steps as the gram is long.
#[derive(Debug, Clone, Copy, Default)]
struct Grams {
    /// Of the last 16 characters.
    short: u64,
    /// Of the last 32.
    long: u64,
}

impl Grams {
    #[inline]
    fn with(self, c: u32) -> Self {
        Self {
            short: (self.short << (64 / GRAM)).wrapping_add(u64::from(c).wrapping_mul(MIX)),
            long: (self.long << (64 / LONG_GRAM))
                .wrapping_add(u64::from(c.wrapping_mul(0x85EB_CA6B))),
        }
    }

    #[inline]
    fn long_hash(self) -> u64 {
        self.long.wrapping_mul(MIX)
    }

    /// Whether the long gram is one of those that are looked up.
    #[inline]
    fn is_sample(self) -> bool {
        (self.long >> 40) & 0xF == 0
    }
}

/// Follows one distance at a time and looks a new one up where it breaks.
#[derive(Debug, Clone)]
pub(super) struct ExactFinder {
    /// By the hash of the last characters.
    slots: Box<[Slot; SLOTS]>,
    /// As `slots`, for the long gram, at the places where its hash says so.
    long_slots: Box<[Slot; LONG_SLOTS]>,
    grams: Grams,
    run: Run,
    /// Steps back that were paid for when the account was last used, and when that was.
    credit: u64,
    credit_at: u64,
    max_period: u32,
    least: Evidence,
}

impl ExactFinder {
    /// Looks for distances up to `max_period`; a run is worth a judgement once it has `least`.
    pub(super) fn new(max_period: u32, least: Evidence) -> Self {
        Self {
            slots: zeroed(),
            long_slots: zeroed(),
            grams: Grams::default(),
            run: Run::default(),
            credit: 0,
            credit_at: 0,
            max_period: max_period.min(MAX_PERIOD),
            least,
        }
    }

    /// As new.
    pub(super) fn reset(&mut self) {
        self.slots.fill(Slot::default());
        self.long_slots.fill(Slot::default());
        self.grams = Grams::default();
        self.run = Run::default();
        (self.credit, self.credit_at) = (0, 0);
    }

    /// Reads ahead into `history`, as far as it may be, while nothing happens: no run begins, ends or is worth a
    /// judgement. Returns the first character of which that is not certain; it is for [`Self::step`], which would do
    /// the same with the others. Loops as tight as this one keep in registers what [`Self::step`] loads and stores.
    #[inline(always)]
    pub(super) fn read_ahead(
        &mut self,
        history: &mut History,
        text: &mut impl Iterator<Item = u32>,
    ) -> Option<u32> {
        let Self { run, slots, long_slots, .. } = self;
        let mut grams = self.grams;
        let back = u64::from(run.period);
        let next = if back == 0 {
            history.read_ahead(u64::MAX, text, |_, at, c| {
                let next = grams.with(c);
                let is_new = put_new(slots, next.short, at)
                    && (!next.is_sample() || put_new(long_slots, next.long_hash(), at));
                if is_new {
                    grams = next;
                }
                is_new
            })
        } else {
            let first = history.kept();
            let quiet = run.judge_at.saturating_sub(run.len.saturating_add(1));
            let next = history.read_ahead(quiet, text, |chars, at, c| {
                let next = grams.with(c);
                let goes_on = !next.is_sample() && chars.at(at.wrapping_sub(back)) == c;
                if goes_on {
                    swap(slots, next.short, at);
                    grams = next;
                }
                goes_on
            });
            run.len = run.len.wrapping_add(history.kept().wrapping_sub(first));
            next
        };
        self.grams = grams;
        next
    }

    /// Takes the character at `at`, which is already in `history`. Returns whether the run is worth a judgement.
    #[inline]
    pub(super) fn step(&mut self, history: &History, at: u64, c: u32) -> bool {
        self.grams = self.grams.with(c);
        let before = swap(&mut self.slots, self.grams.short, at);
        if self.grams.is_sample() {
            self.look_far(history, at, self.grams.long_hash());
        }
        if self.run.period != 0 {
            if history.at(at.wrapping_sub(u64::from(self.run.period))) == c {
                self.run.len = self.run.len.wrapping_add(1);
                return self.run.len >= self.run.judge_at;
            }
            self.run = Run::default();
        }
        match before {
            Some(before) => self.follow(history, at, before),
            None => false,
        }
    }

    /// Prefers the distance of a long gram to one that has held for less.
    fn look_far(&mut self, history: &History, at: u64, hash: u64) {
        let before = swap(&mut self.long_slots, hash, at);
        let Some(distance) = before else { return };
        if self.run.len >= LONG_GRAM || u32::from(distance) == self.run.period {
            return;
        }
        // The run is followed as of the character before: the caller adds the one at `at`.
        let old = self.run;
        if at > 0 {
            self.run = Run::default();
            self.follow(history, at - 1, distance);
        }
        if self.run.len < old.len {
            self.run = old;
        }
    }

    /// Begins a run at `distance` if the characters up to `at` bear it out.
    fn follow(&mut self, history: &History, at: u64, distance: u16) -> bool {
        let period = u64::from(distance);
        if period == 0 || u32::from(distance) > self.max_period || at < period + GRAM {
            return false;
        }
        let limit = (HISTORY as u64 - 1 - period).min(at + 1 - period);
        let earned = CREDIT_PER_CHAR * at.saturating_sub(self.credit_at);
        self.credit = (self.credit + earned).min(CREDIT_LIMIT);
        self.credit_at = at;
        let paid = GRAM + self.credit;
        let mut len = 0;
        while len < limit.min(paid) && history.at(at - len) == history.at(at - len - period) {
            len += 1;
        }
        self.credit = self.credit.saturating_sub(len.saturating_sub(GRAM));
        if len < GRAM {
            return false;
        }
        let copies = u64::from(self.least.copies.saturating_sub(1)) * period;
        let judge_at = copies.max(u64::from(self.least.chars).saturating_sub(period));
        self.run = Run { period: period as u32, len, judge_at };
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

/// Where a gram ended last.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// Bits that tell this gram from others of the same slot.
    tag: u16,
    /// The position, modulo 2^16.
    at: u16,
}

impl Slot {
    #[inline]
    fn new(hash: u64, at: u64) -> Self {
        Self { tag: (hash >> 37) as u16, at: at as u16 }
    }

    #[inline]
    fn of<const N: usize>(slots: &mut [Self; N], hash: u64) -> Option<&mut Self> {
        slots.get_mut((hash >> 53) as usize % N)
    }
}

/// Puts `at` into the slot of `hash` and returns how far back the same gram was, if the slot's tag says it was the same.
#[inline]
fn swap<const N: usize>(slots: &mut [Slot; N], hash: u64, at: u64) -> Option<u16> {
    let new = Slot::new(hash, at);
    let before = std::mem::replace(Slot::of(slots, hash)?, new);
    (before.tag == new.tag).then(|| new.at.wrapping_sub(before.at))
}

/// As [`swap`], unless the tag says that the gram was seen before: then nothing is put there.
#[inline]
fn put_new<const N: usize>(slots: &mut [Slot; N], hash: u64, at: u64) -> bool {
    let new = Slot::new(hash, at);
    let Some(slot) = Slot::of(slots, hash) else { return false };
    let is_new = slot.tag != new.tag;
    if is_new {
        *slot = new;
    }
    is_new
}
