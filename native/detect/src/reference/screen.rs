//! A quick look at text, most of which is never repeated: says when a window may have come often enough to fire.
//!
//! A window that comes back brings its grams back, which are shorter. One in [`RATE`] grams is counted: which ones is
//! said by their own first units, so that a gram is counted wherever it stands or nowhere. Of a window's first
//! [`REACH`]` + 1` grams one is counted for sure, because after so many that were not all are counted. A slot counts how
//! often in a row one of its grams came back within the rule's span; that takes fewer steps than to list every window.

use super::{chanting::Rule, tape::Tape};

/// Units of a gram: enough that ordinary text repeats few; they are read by fours.
const GRAM: usize = 20;
/// How far into a window its first counted gram may begin.
const REACH: u64 = 18;
/// One in so many grams is counted, on average.
const RATE: u64 = 8;
/// The shortest window that its grams can speak for: the last one must end within it.
pub(super) const LEAST_WINDOW: u32 = GRAM as u32 + REACH as u32 + 1;

/// Enough slots that few grams share one by chance, within the memory of a stream.
const SLOT_BITS: u32 = 11;
/// How much of a slot is the count; the rest is where the last gram was, in steps of 64 units, as far as that fits.
const COUNT_BITS: u32 = 6;
const COUNT_MASK: u16 = (1 << COUNT_BITS) - 1;
const STEP_BITS: u32 = 6;

/// Most grams that are looked at together.
const BLOCK: u64 = 64;

/// What the grams of a text have shown.
#[derive(Clone)]
pub(super) struct Screen {
    /// For each slot where its last gram was, above the count.
    slots: [u16; 1 << SLOT_BITS],
    /// The next gram.
    next: u64,
    /// From here on all grams are counted, up to one that is picked by its units.
    all_from: u64,
    /// The odd factors of the hash that picks a gram, and of the gram's own.
    picking: u64,
    factors: [u64; GRAM / 4],
}

impl Screen {
    /// Nothing read. `seed` should differ from text to text: whoever knows it can make grams collide, which costs time
    /// but changes no verdict.
    pub(super) fn new(seed: u64) -> Self {
        let mut state = seed;
        let mut odd = || {
            // A step of splitmix64.
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB) | 1
        };
        let picking = odd();
        let factors = std::array::from_fn(|_| odd());
        Self { slots: [0; 1 << SLOT_BITS], next: 0, all_from: 0, picking, factors }
    }

    /// The text begins at `start`.
    pub(super) fn begin(&mut self, start: u64) {
        self.next = start;
        self.all_from = start.wrapping_add(REACH);
    }

    /// Whether a window may have been completed that no gram has spoken for yet, by a text that ends at `end`.
    #[inline(always)]
    pub(super) fn is_due(&self, end: u64, window: u64) -> bool {
        end.wrapping_sub(self.next) >= window.wrapping_sub(REACH)
    }

    /// Reads the grams up to the text's end; `true` when one has come so often that a window may fire.
    pub(super) fn looks_repeated(&mut self, tape: &Tape, rule: &Rule) -> bool {
        if self.next < tape.start() {
            self.begin(tape.start());
        }
        // Rounded up, as the steps are rounded down.
        let span = (rule.max_span >> STEP_BITS) as u16 + 1;
        let most = rule.occurrences as u16;
        let mut buffer = [0; 2 * GRAM];
        while self.next + GRAM as u64 <= tape.end() {
            let end = tape.end().min(self.next + BLOCK + GRAM as u64 - 1);
            if self.count(tape.stretch(self.next, end, &mut buffer), span, most) {
                return true;
            }
        }
        false
    }

    /// Counts the grams of a text that begins with the next one.
    #[inline(always)]
    fn count(&mut self, text: &[u16], span: u16, most: u16) -> bool {
        let end = self.next.wrapping_add((text.len() + 1 - GRAM) as u64);
        let mut picks = self.picks(text);
        loop {
            let pick = self.next.wrapping_add(u64::from(picks.trailing_zeros())).min(end);
            let mut grams = self.all_from.min(pick)..pick;
            if grams.any(|position| self.comes_often(text, position, span, most)) {
                return true;
            }
            if pick == end {
                self.all_from = self.all_from.max(end);
                self.next = end;
                return false;
            }
            if self.comes_often(text, pick, span, most) {
                return true;
            }
            self.all_from = pick.wrapping_add(REACH + 1);
            picks &= picks.wrapping_sub(1);
        }
    }

    /// A bit for each gram of a text that is picked by its first units.
    #[inline(always)]
    fn picks(&self, text: &[u16]) -> u64 {
        let grams = text.array_windows::<4>().take(text.len() + 1 - GRAM).enumerate();
        grams.fold(0, |picks, (gram, units)| {
            let is_picked = word(units).wrapping_mul(self.picking) < u64::MAX / RATE;
            picks | u64::from(is_picked) << gram
        })
    }

    /// Counts the gram at a position.
    #[inline(always)]
    fn comes_often(&mut self, text: &[u16], position: u64, span: u16, most: u16) -> bool {
        let offset = position.wrapping_sub(self.next) as usize;
        let Some(gram) = text.get(offset..).and_then(<[u16]>::first_chunk::<GRAM>) else {
            return false;
        };
        let (fours, _) = gram.as_chunks::<4>();
        let hash = fours.iter().zip(self.factors).fold(0_u64, |hash, (units, factor)| {
            hash.wrapping_add(word(units).wrapping_mul(factor))
        });
        let Some(entry) = self.slots.get_mut((hash >> (64 - SLOT_BITS)) as usize) else {
            return false;
        };
        let stamp = ((position >> STEP_BITS) as u16) << COUNT_BITS;
        let gap = stamp.wrapping_sub(*entry & !COUNT_MASK) >> COUNT_BITS;
        let count = if gap <= span { (*entry & COUNT_MASK).wrapping_add(1) } else { 1 };
        *entry = stamp | count;
        count >= most
    }
}

/// Four units as one number, which is how they lie in memory on most machines.
#[inline(always)]
fn word(units: &[u16; 4]) -> u64 {
    let [a, b, c, d] = units.map(u64::from);
    a | b << 16 | c << 32 | d << 48
}
