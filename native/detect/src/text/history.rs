//! The last characters of a stream, by position.

use super::class::{Class, class_of};

/// How many characters are kept: more than the longest period, so that a character can be compared with the one a
/// period back.
pub(super) const HISTORY: usize = 4096;
/// How far a word's end is looked for.
const LONGEST_WORD: usize = 40;
const MARKS: usize = 16_384;
const WORDS: usize = MARKS / 64;
/// How far may be read ahead, in characters.
const AHEAD: u64 = 64;

/// A ring of the last characters, and a longer bit map of those that take two UTF-16 code units. The literal rule, which
/// does most of the reading, may read ahead of the others; what they see does not depend on how far it has.
#[derive(Debug, Clone)]
pub(super) struct History {
    chars: Characters,
    wide: Box<[u64; WORDS]>,
    /// Characters read by all rules.
    len: u64,
    /// Characters kept: `len` and those read ahead.
    kept: u64,
    wide_total: u64,
    /// Words of `wide`, counted from the stream's start, that are in use: those behind them are from an earlier turn.
    wide_words: usize,
}

/// The ring.
#[derive(Debug, Clone)]
pub(super) struct Characters(Box<[u32; HISTORY]>);

impl Characters {
    /// The character at `position`, or one that came [`HISTORY`] before or after it.
    #[inline]
    pub(super) fn at(&self, position: u64) -> u32 {
        self.0.get(position as usize % HISTORY).copied().unwrap_or(0)
    }

    #[inline]
    fn put(&mut self, position: u64, c: u32) {
        if let Some(slot) = self.0.get_mut(position as usize % HISTORY) {
            *slot = c;
        }
    }
}

impl History {
    pub(super) fn new() -> Self {
        Self {
            chars: Characters(zeroed()),
            wide: zeroed(),
            len: 0,
            kept: 0,
            wide_total: 0,
            wide_words: 0,
        }
    }

    /// As new.
    pub(super) fn reset(&mut self) {
        clear(self.chars.0.as_mut_slice(), self.kept);
        (self.len, self.kept) = (0, 0);
        (self.wide_total, self.wide_words) = (0, 0);
    }

    /// How many characters have been read.
    #[inline]
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Keeps a character where nothing was read ahead.
    #[inline]
    pub(super) fn push(&mut self, c: u32) {
        self.put(self.kept, c);
        self.kept = self.kept.wrapping_add(1);
        self.len = self.kept;
    }

    /// Keeps the characters of `text` as long as `take`, told the position and the character, agrees, at most `limit` and
    /// [`AHEAD`] characters. Returns the one that was not kept, or nothing at the text's end.
    #[inline(always)]
    pub(super) fn read_ahead(
        &mut self,
        limit: u64,
        text: &mut impl Iterator<Item = u32>,
        mut take: impl FnMut(&Characters, u64, u32) -> bool,
    ) -> Option<u32> {
        let mut at = self.kept;
        let end = at.saturating_add(limit.min(AHEAD));
        let refused = loop {
            let Some(c) = text.next() else { break None };
            if at == end || !take(&self.chars, at, c) {
                break Some(c);
            }
            self.put(at, c);
            at = at.wrapping_add(1);
        };
        self.kept = at;
        refused
    }

    /// How many characters are kept: those read ahead, too.
    #[inline]
    pub(super) fn kept(&self) -> u64 {
        self.kept
    }

    /// All rules have read what is before `position`.
    #[inline]
    pub(super) fn read_to(&mut self, position: u64) {
        self.len = position;
    }

    #[inline(always)]
    fn put(&mut self, at: u64, c: u32) {
        self.chars.put(at, c);
        if c > 0xFFFF {
            self.mark_wide(at as usize);
        }
    }

    #[cold]
    fn mark_wide(&mut self, at: usize) {
        let word = at / 64;
        let oldest = word.saturating_sub(WORDS - 1);
        for unused in self.wide_words.max(oldest)..=word {
            if let Some(bits) = self.wide.get_mut(unused % WORDS) {
                *bits = 0;
            }
        }
        self.wide_words = self.wide_words.max(word + 1);
        if let Some(bits) = self.wide.get_mut(word % WORDS) {
            *bits |= 1 << (at % 64);
        }
        self.wide_total = self.wide_total.wrapping_add(1);
    }

    /// The character at `position`, which must not be before [`Self::oldest`]; otherwise some other character.
    #[inline]
    pub(super) fn at(&self, position: u64) -> u32 {
        self.chars.at(position)
    }

    /// The first position that is still held.
    pub(super) fn oldest(&self) -> u64 {
        self.len.saturating_sub(HISTORY as u64 - AHEAD)
    }

    /// `position` counted in UTF-16 code units. Exact for the last 16,000 characters; before that, characters outside
    /// the basic plane are counted as if they stood before `position`.
    pub(super) fn utf16(&self, position: u64) -> u64 {
        if self.wide_total == 0 {
            return position;
        }
        let from = position.max(self.len.saturating_sub(MARKS as u64 - 64 - AHEAD));
        let mut after = 0u64;
        let mut at = from;
        while at < self.kept.min(64 * self.wide_words as u64) {
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

/// Makes what was `used` of an array, as a ring or from its beginning, zeros again.
pub(super) fn clear<T: Copy + Default>(array: &mut [T], used: u64) {
    let used = usize::try_from(used).unwrap_or(usize::MAX).min(array.len());
    array.iter_mut().take(used).for_each(|place| *place = T::default());
}

/// An array of zeros on the heap, never on the stack.
pub(super) fn zeroed<T: Copy + Default, const N: usize>() -> Box<[T; N]> {
    match vec![T::default(); N].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => Box::new([T::default(); N]),
    }
}
