//! The remembered text of a stream with what makes its windows quick to find again.

use std::hint::select_unpredictable;

use super::units::{Chunk, Unit, is_high, is_low};

/// Places in each ring. More than the longest history, so that what is remembered never overlaps itself.
pub(super) const RING: usize = 8192;
/// The longest history that fits, with room for the window before and after it.
pub(super) const MAX_HISTORY: u32 = 8000;

/// What a lone surrogate becomes in UTF-8: the originals hash their windows in that encoding.
const REPLACEMENT: u16 = 0xFFFD;

/// A ring of values by position; every index is taken modulo its length.
#[derive(Clone)]
pub(super) struct Ring<T>([T; RING]);

impl<T: Copy + Default> Ring<T> {
    pub(super) fn new() -> Self {
        Self([T::default(); RING])
    }

    #[inline(always)]
    pub(super) fn at(&self, position: u64) -> T {
        self.0.get(place(position)).copied().unwrap_or_default()
    }

    #[inline(always)]
    pub(super) fn set(&mut self, position: u64, value: T) {
        if let Some(slot) = self.0.get_mut(place(position)) {
            *slot = value;
        }
    }
}

impl<T: Copy + Default> Ring<T> {
    /// Sets the values from a position on.
    #[inline(always)]
    fn copy(&mut self, position: u64, values: impl ExactSizeIterator<Item = T>) {
        let from = place(position);
        if let Some(places) = self.0.get_mut(from..from + values.len()) {
            places.iter_mut().zip(values).for_each(|(place, value)| *place = value);
        } else {
            (position..).zip(values).for_each(|(position, value)| self.set(position, value));
        }
    }

    /// The values from one position up to another, or the first of them; over the ring's end only as many as fit into
    /// the `buffer`.
    #[inline(always)]
    fn stretch<'a>(&'a self, from: u64, to: u64, buffer: &'a mut [T]) -> &'a [T] {
        let (first, length) = (place(from), to.wrapping_sub(from) as usize);
        let together = length.min(RING - first);
        if together == length || 2 * together > buffer.len() {
            return self.0.get(first..first + together).unwrap_or(&[]);
        }
        self.over_the_end(from, length.min(buffer.len()), buffer)
    }

    #[cold]
    fn over_the_end<'a>(&self, from: u64, length: usize, buffer: &'a mut [T]) -> &'a [T] {
        let buffer = buffer.get_mut(..length).unwrap_or_default();
        (from..).zip(&mut *buffer).for_each(|(position, value)| *value = self.at(position));
        buffer
    }
}

impl<T: Copy + Default + PartialEq> Ring<T> {
    /// Whether the values from `a` on and from `b` on are the same, `length` of them.
    pub(super) fn same(&self, a: u64, b: u64, length: u64) -> bool {
        let (mut a, mut b, mut left) =
            (place(a), place(b), usize::try_from(length).unwrap_or(RING));
        while left > 0 {
            let run = left.min(RING - a).min(RING - b);
            if self.0.get(a..a + run) != self.0.get(b..b + run) {
                return false;
            }
            left -= run;
            a = (a + run) % RING;
            b = (b + run) % RING;
        }
        true
    }
}

#[inline(always)]
fn place(position: u64) -> usize {
    // The cut is meant: only the low bits count.
    position as usize & (RING - 1)
}

/// The text from `start` to `end`, and a hash of everything before each position.
#[derive(Clone)]
pub(super) struct Tape {
    text: Ring<u16>,
    /// Hash of all text before a position; the difference of two is the hash of what lies between.
    prefix: Ring<u32>,
    /// Whether `prefix` is kept: only since [`Self::hash_text`] asked for it.
    is_hashed: bool,
    /// The odd factor of the hash.
    base: u32,
    /// `base` to the power of the window's length, and of one less.
    powers: (u32, u32),
    window: u64,
    history: u64,
    start: u64,
    end: u64,
    /// Where the prefix hashes began: no surrogate pair reaches over it.
    origin: u64,
    /// Windows from here on hold no surrogate and no replacement character.
    plain_from: u64,
    /// Windows from here on hold no replacement character and no half of a pair that is alone, but for one that the window
    /// cuts.
    alone_before: u64,
}

impl Tape {
    /// An empty tape. `base` should differ from tape to tape: whoever knows it can make windows collide, which costs
    /// time but changes no verdict.
    pub(super) fn new(window: u32, history: u32, base: u32) -> Self {
        let base = base | 1;
        // Beyond the reach of a ring's zeroes, which would look like entries of position 0.
        let end = RING as u64;
        Self {
            text: Ring::new(),
            prefix: Ring::new(),
            is_hashed: false,
            base,
            powers: (base.wrapping_pow(window), base.wrapping_pow(window.saturating_sub(1))),
            window: u64::from(window),
            history: u64::from(history),
            start: end,
            end,
            origin: end,
            plain_from: end,
            alone_before: end,
        }
    }

    /// Where the remembered text begins.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// Where it ends.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Whether the hashes of the text are kept.
    #[inline(always)]
    pub(super) fn is_hashed(&self) -> bool {
        self.is_hashed
    }

    /// Keeps the hashes of the text from its start on, until it is forgotten. A text with surrogates or replacement
    /// characters has them in any case.
    pub(super) fn hash_text(&mut self) {
        self.is_hashed = true;
        let mut hash = self.prefix.at(self.start);
        for position in self.start..self.end {
            hash = self.step(hash, self.text.at(position));
            self.prefix.set(position + 1, hash);
        }
    }

    /// Forgets all text. Positions go on.
    pub(super) fn forget(&mut self) {
        self.is_hashed = false;
        self.drop_text();
    }

    fn drop_text(&mut self) {
        self.start = self.end;
        self.origin = self.end;
        self.plain_from = self.end;
        self.alone_before = self.end;
    }

    /// Appends a chunk of `length` units and forgets what is older than the history.
    pub(super) fn append(&mut self, chunk: &impl Chunk, length: u64) {
        let mut skip = length.saturating_sub(self.history);
        if skip > 0 {
            self.end += skip;
            self.drop_text();
        }
        chunk.blocks(|block| {
            if skip == 0 {
                return self.append_block(block);
            }
            let skipped = usize::try_from(skip).unwrap_or(usize::MAX).min(block.len());
            skip -= skipped as u64;
            self.append_block(block.get(skipped..).unwrap_or(&[]));
        });
        self.start = self.start.max(self.end.saturating_sub(self.history));
    }

    #[inline]
    fn append_block<U: Unit>(&mut self, block: &[U]) {
        let special = |unit: &U| is_special(unit.code());
        let has_special = block.iter().fold(false, |any, unit| any | special(unit));
        let after_high = self.plain_from == self.end && self.ends_in_high();
        if has_special {
            if !self.is_hashed {
                self.hash_text();
            }
            if !is_paired(block, after_high) {
                return block.iter().for_each(|unit| self.append_special(unit.code()));
            }
            if after_high {
                self.complete_pair();
            }
        } else if !self.is_hashed {
            self.text.copy(self.end, block.iter().map(|unit| unit.code()));
            self.end += block.len() as u64;
            return;
        } else if after_high && !block.is_empty() {
            self.alone_before = self.end;
        }
        let before = self.end;
        self.append_hashed(block);
        if has_special {
            let plain = block.iter().rev().take_while(|unit| !special(unit)).count();
            self.plain_from = self.end - plain as u64;
            if self.ends_in_high() && before < self.end {
                let last = self.end - 1;
                self.prefix.set(self.end, self.step(self.prefix.at(last), REPLACEMENT));
            }
        }
    }

    /// Appends units that are hashed as they are.
    #[inline(always)]
    fn append_hashed<U: Unit>(&mut self, block: &[U]) {
        let (base, mut end, mut hash) = (self.base, self.end, self.prefix.at(self.end));
        // By twos: each hash comes from the one two before it, so that the next pair needn't wait for both.
        let square = base.wrapping_mul(base);
        let (pairs, odd) = block.as_chunks::<2>();
        for [first, second] in pairs {
            let (first, second) = (first.code(), second.code());
            let next = end.wrapping_add(1);
            self.text.set(end, first);
            self.text.set(next, second);
            self.prefix.set(next, hash.wrapping_mul(base).wrapping_add(u32::from(first)));
            let both = u32::from(first).wrapping_mul(base).wrapping_add(u32::from(second));
            hash = hash.wrapping_mul(square).wrapping_add(both);
            end = next.wrapping_add(1);
            self.prefix.set(end, hash);
        }
        for unit in odd {
            self.text.set(end, unit.code());
            hash = hash.wrapping_mul(base).wrapping_add(u32::from(unit.code()));
            end = end.wrapping_add(1);
            self.prefix.set(end, hash);
        }
        self.end = end;
    }

    /// As for other units, but a half of a pair that is alone counts as the replacement character. The first half is
    /// alone until the second one comes.
    fn append_special(&mut self, unit: u16) {
        let mut hashed = if is_high(unit) { REPLACEMENT } else { unit };
        if is_low(unit) {
            if self.ends_in_high() {
                self.complete_pair();
            } else {
                hashed = REPLACEMENT;
            }
        } else if self.ends_in_high() {
            self.alone_before = self.end;
        }
        let hash = self.step(self.prefix.at(self.end), hashed);
        self.text.set(self.end, unit);
        self.end += 1;
        self.prefix.set(self.end, hash);
        if is_special(unit) {
            self.plain_from = self.end;
        }
        if hashed == REPLACEMENT && !is_high(unit) {
            self.alone_before = self.end;
        }
    }

    /// The half that the text ends in is no longer alone.
    fn complete_pair(&mut self) {
        let before = self.end.wrapping_sub(1);
        let whole = self.step(self.prefix.at(before), self.text.at(before));
        self.prefix.set(self.end, whole);
    }

    /// Whether the text so far ends in the first half of a pair.
    fn ends_in_high(&self) -> bool {
        self.end > self.origin && is_high(self.text.at(self.end.wrapping_sub(1)))
    }

    fn step(&self, hash: u32, unit: u16) -> u32 {
        hash.wrapping_mul(self.base).wrapping_add(u32::from(unit))
    }

    /// The unit at a position.
    #[inline(always)]
    pub(super) fn unit(&self, position: u64) -> u16 {
        self.text.at(position)
    }

    /// The units from a position on up to `to`, or fewer where they don't stand together in memory, at least as many as
    /// half the `buffer` has room for, if there are.
    #[inline(always)]
    pub(super) fn stretch<'a>(&'a self, from: u64, to: u64, buffer: &'a mut [u16]) -> &'a [u16] {
        self.text.stretch(from, to, buffer)
    }

    /// The units of a stretch.
    pub(super) fn units(&self, from: u64, to: u64) -> impl Iterator<Item = u16> + '_ {
        (from..to).map(|position| self.text.at(position))
    }

    /// Whether two stretches hold the same text.
    pub(super) fn same(&self, a: u64, b: u64, length: u64) -> bool {
        self.text.same(a, b, length)
    }

    /// Whether two windows hold the same text.
    pub(super) fn same_window(&self, a: u64, b: u64) -> bool {
        self.same(a, b, self.window)
    }

    /// Whether the window at a position may be equal to another one in the original's hash only: it holds a surrogate or
    /// a replacement character, or may do so.
    #[inline(always)]
    pub(super) fn is_ambiguous(&self, position: u64) -> bool {
        position < self.plain_from && self.holds_half(position)
    }

    fn holds_half(&self, position: u64) -> bool {
        position < self.alone_before
            || is_low(self.unit(position))
            || is_high(self.unit(position.wrapping_add(self.window).wrapping_sub(1)))
    }

    /// Where windows without any surrogate or replacement character begin.
    pub(super) fn plain_from(&self) -> u64 {
        self.plain_from
    }

    /// The window's length and its factor in the hash.
    pub(super) fn window_factor(&self) -> (u64, u32) {
        (self.window, self.powers.0)
    }

    /// [`Self::window_hash`] of a plain window; its length and factor come from outside, where they stay in registers.
    #[inline(always)]
    pub(super) fn plain_hash(&self, position: u64, window: u64, power: u32) -> u32 {
        let before = self.prefix.at(position).wrapping_mul(power);
        self.prefix.at(position.wrapping_add(window)).wrapping_sub(before)
    }

    /// A hash of the window at a position, the same for windows that are the same in UTF-8.
    pub(super) fn window_hash(&self, position: u64) -> u32 {
        let hash = self.plain_hash(position, self.window, self.powers.0);
        if position < self.plain_from { self.cut_pairs(position, hash) } else { hash }
    }

    /// [`Self::window_hash`] of a window before [`Self::plain_from`], and whether it [is ambiguous](Self::is_ambiguous);
    /// its length and factor come from outside, as for [`Self::plain_hash`].
    #[inline(always)]
    pub(super) fn special_hash(&self, position: u64, window: u64, power: u32) -> (u32, bool) {
        let hash = self.plain_hash(position, window, power);
        let last = position.wrapping_add(window).wrapping_sub(1);
        if is_low(self.unit(position)) || is_high(self.unit(last)) {
            return (self.cut_pairs(position, hash), true);
        }
        (hash, position < self.alone_before)
    }

    /// A window that begins or ends inside a pair holds a half that is alone.
    #[inline(always)]
    fn cut_pairs(&self, position: u64, hash: u32) -> u32 {
        let after = position.wrapping_add(self.window);
        let before = position.wrapping_sub(1);
        let (first, last) = (self.unit(position), self.unit(after.wrapping_sub(1)));
        let begins = is_low(first) & (position > self.origin) & is_high(self.unit(before));
        let ends = is_high(last) & (after < self.end) & is_low(self.unit(after));
        // Which it is takes turns.
        let alone = |is_cut, half: u16| {
            let change = u32::from(REPLACEMENT).wrapping_sub(u32::from(half));
            select_unpredictable(is_cut, change, 0)
        };
        hash.wrapping_add(alone(begins, first).wrapping_mul(self.powers.1))
            .wrapping_add(alone(ends, last))
    }

    /// A hash of a stretch without surrogates; `power` is [`Self::power`] of its length.
    pub(super) fn stretch_hash(&self, from: u64, to: u64, power: u32) -> u32 {
        self.prefix.at(to).wrapping_sub(self.prefix.at(from).wrapping_mul(power))
    }

    /// The factor for stretches of a length.
    pub(super) fn power(&self, length: u32) -> u32 {
        self.base.wrapping_pow(length)
    }

    /// A quick look at the second and third units: `true` when the windows are certainly not the same in UTF-8. It says
    /// so only where no half inside `position`'s window is alone.
    pub(super) fn differ_inside(&self, other: u64, position: u64) -> bool {
        self.window > 3
            && position >= self.alone_before
            && (self.unit(other + 1) != self.unit(position + 1)
                || self.unit(other + 2) != self.unit(position + 2))
    }

    /// Whether two windows are the same in UTF-8, given that they hold the same hash: every half that is alone in its
    /// window counts as the replacement character.
    pub(super) fn same_in_utf8(&self, a: u64, b: u64) -> bool {
        let seen = |window: u64, offset: u64| {
            let unit = self.unit(window + offset);
            let paired = if is_high(unit) {
                offset + 1 < self.window && is_low(self.unit(window + offset + 1))
            } else if is_low(unit) {
                offset > 0 && is_high(self.unit(window + offset - 1))
            } else {
                true
            };
            if paired { unit } else { REPLACEMENT }
        };
        (0..self.window).all(|offset| seen(a, offset) == seen(b, offset))
    }
}

/// Whether each half of a pair in a block, which may begin with a second one `after` the first, has its other half, but for
/// a first one at the end; and nothing else is special.
#[inline]
fn is_paired<U: Unit>(block: &[U], after: bool) -> bool {
    let starts = block.first().is_none_or(|unit| is_low(unit.code()) == after);
    let is_odd = |[unit, next]: &[U; 2]| is_high(unit.code()) != is_low(next.code());
    let has_odd = block.array_windows().fold(false, |any, pair| any | is_odd(pair));
    let has_mark = block.iter().fold(false, |any, unit| any | (unit.code() == REPLACEMENT));
    starts && !has_odd && !has_mark
}

fn is_special(unit: u16) -> bool {
    is_high(unit) || is_low(unit) || unit == REPLACEMENT
}
