//! The last characters of a stream, by position.

use super::class::{Class, class_of};

/// How many characters are kept: more than the longest period, so that a character can be compared with the one a
/// period back.
pub(super) const HISTORY: usize = 4096;
/// How far a word's end is looked for.
const LONGEST_WORD: usize = 40;
const MARKS: usize = 16_384;
const WORDS: usize = MARKS / 64;

/// A ring of the last characters, and a longer bit map of those that take two UTF-16 code units.
#[derive(Debug, Clone)]
pub(super) struct History {
    chars: Box<[u32; HISTORY]>,
    wide: Box<[u64; WORDS]>,
    len: u64,
    wide_total: u64,
}

impl History {
    pub(super) fn new() -> Self {
        Self { chars: zeroed(), wide: zeroed(), len: 0, wide_total: 0 }
    }

    /// How many characters have been read.
    #[inline]
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    #[inline]
    pub(super) fn push(&mut self, c: u32) {
        let at = self.len as usize;
        if let Some(slot) = self.chars.get_mut(at % HISTORY) {
            *slot = c;
        }
        if at.is_multiple_of(64)
            && let Some(word) = self.wide.get_mut(at / 64 % WORDS)
        {
            *word = 0;
        }
        if c > 0xFFFF {
            self.mark_wide(at);
        }
        self.len = self.len.wrapping_add(1);
    }

    #[cold]
    fn mark_wide(&mut self, at: usize) {
        if let Some(word) = self.wide.get_mut(at / 64 % WORDS) {
            *word |= 1 << (at % 64);
        }
        self.wide_total = self.wide_total.wrapping_add(1);
    }

    /// The character at `position`, which must be among the last [`HISTORY`]; otherwise some other character.
    #[inline]
    pub(super) fn at(&self, position: u64) -> u32 {
        self.chars.get(position as usize % HISTORY).copied().unwrap_or(0)
    }

    /// The first position that is still held.
    pub(super) fn oldest(&self) -> u64 {
        self.len.saturating_sub(HISTORY as u64)
    }

    /// `position` counted in UTF-16 code units. Exact for the last 16,000 characters; before that, characters outside
    /// the basic plane are counted as if they stood before `position`.
    pub(super) fn utf16(&self, position: u64) -> u64 {
        if self.wide_total == 0 || position >= self.len {
            return position.wrapping_add(self.wide_total);
        }
        let from = position.max(self.len.saturating_sub(MARKS as u64 - 64));
        let mut after = 0u64;
        let mut at = from;
        while at < self.len {
            let word = self.wide.get(at as usize / 64 % WORDS).copied().unwrap_or(0);
            after += u64::from((word >> (at % 64)).count_ones());
            at = (at / 64 + 1) * 64;
        }
        position.wrapping_add(self.wide_total.saturating_sub(after))
    }

    /// The start of the first word in `from..to`: a repetition that seems to begin within a word or before a blank only
    /// shares that end with the text before it. `from` if there is none close by, or it is no longer held.
    pub(super) fn word_start(&self, from: u64, to: u64) -> u64 {
        if from < self.oldest() {
            return from;
        }
        let is_gap = |at: u64| matches!(class_of(self.at(at)), Class::Blank | Class::LineEnd);
        let is_word = |at: u64| matches!(class_of(self.at(at)), Class::Letter | Class::Digit);
        let is_sign = class_of(self.at(from)) == Class::Symbol;
        let within = from > self.oldest()
            && !is_gap(from - 1)
            && (is_sign || (is_word(from - 1) && is_word(from)));
        let gap =
            if within { (from..to).take(LONGEST_WORD).find(|at| is_gap(*at)) } else { Some(from) };
        gap.and_then(|gap| (gap..to).find(|at| !is_gap(*at))).unwrap_or(from)
    }

    /// The characters of `from..to` as text, at most `limit` of them; those no longer held are left out.
    pub(super) fn text(&self, from: u64, to: u64, limit: usize) -> String {
        (from.max(self.oldest())..to.min(self.len))
            .take(limit)
            .map(|at| char::from_u32(self.at(at)).unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }
}

/// An array of zeros on the heap, never on the stack.
pub(super) fn zeroed<T: Copy + Default, const N: usize>() -> Box<[T; N]> {
    match vec![T::default(); N].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => Box::new([T::default(); N]),
    }
}
