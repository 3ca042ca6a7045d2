//! Cuts a stream of characters into words, numbers and signs, with everything volatile folded.

use super::{
    class::{Class, class_of},
    history::History,
};

/// Stands for every number and id.
const NUMBER: u32 = 0x23;
/// The length of the shortest hashes in use.
const SHORTEST_HASH: u32 = 7;
/// Stands for every line end; blank lines are folded into it.
const LINE_END: u32 = 0x0A;

/// A word, a number, a sign or the end of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Token {
    /// Equal for equal words whatever their case, and for all numbers.
    pub(super) hash: u32,
    /// The digits as one number, modulo 2^32; for an id a hash of it; 0 for a word.
    pub(super) value: u32,
    /// Length in characters.
    pub(super) len: u32,
    /// What it is.
    pub(super) kind: Kind,
}

/// What a token is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word, a sign or a line end.
    #[default]
    Word,
    /// Digits, perhaps joined by signs or within a word.
    Number,
    /// A mix of letters and digits, of which no next one can be foretold.
    Id,
}

#[derive(Debug, Clone, Copy, Default)]
struct Pending {
    /// Of the letters, with one mark for each run of digits.
    hash: u32,
    /// The digits as one number.
    value: u32,
    letters: u32,
    /// Digits, and signs between them.
    others: u32,
    /// How often letters and digits took turns.
    switches: u32,
    /// The highest letter, in lower case.
    highest: u32,
    last_is_digit: bool,
    digits: bool,
}

/// The cutter's state.
#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    pending: Pending,
    /// A sign between two digits may belong to a number such as 3.14, 10:30 or 2024-01-15.
    connector: Option<u32>,
    last_sign: u32,
}

impl Words {
    /// Whether a sign waits for the next character, which decides whether it belongs to a number.
    #[inline]
    pub(super) fn is_undecided(&self) -> bool {
        self.connector.is_some()
    }

    /// Decides about the sign that waits: nothing when it and `c` go on with the number, else the number and the sign,
    /// which end one and no character before `c`.
    #[cold]
    pub(super) fn decide(
        &mut self,
        c: u32,
        class: Class,
    ) -> Option<(Option<Token>, Option<Token>)> {
        let sign = self.connector.take().unwrap_or(0);
        let goes_on = class == Class::Digit
            || (class == Class::Letter && sign == u32::from('-') && is_hex_letter(c));
        if goes_on {
            self.pending.others += 1;
            self.extend(c, class);
            return None;
        }
        Some((self.end_word(), self.sign(sign)))
    }

    /// Takes the plain letters from `at` on, before `end`. Returns where they stop, and the word if it ends there.
    #[inline(always)]
    pub(super) fn extend_with_letters(
        &mut self,
        history: &History,
        mut at: u64,
        end: u64,
    ) -> (u64, Option<Token>) {
        let mut word = self.pending;
        let first = at;
        while at < end {
            let lower = history.at(at) | 0x20;
            if lower.wrapping_sub(u32::from('a')) >= 26 {
                break;
            }
            word.hash = mix(word.hash, lower);
            word.highest = word.highest.max(lower);
            at = at.wrapping_add(1);
        }
        if at != first {
            word.letters = word.letters.wrapping_add(at.wrapping_sub(first) as u32);
            word.after_letters();
            let ends =
                at < end && !matches!(class_of(history.at(at)), Class::Letter | Class::Digit);
            if ends && !word.digits {
                self.pending = Pending::default();
                self.last_sign = 0;
                return (at, Some(word.token()));
            }
            self.pending = word;
        }
        (at, None)
    }

    /// What a character is that stands for itself, unless a word, number or sign before it waits for its end.
    #[inline(always)]
    pub(super) fn solo(&mut self, c: u32) -> Option<Token> {
        if self.is_undecided() || !self.pending.is_empty() {
            return None;
        }
        self.own(c, Class::Solo)
    }

    /// Takes a letter or a digit.
    #[inline]
    pub(super) fn extend(&mut self, c: u32, class: Class) {
        if class == Class::Letter {
            self.pending.letter(c);
        } else {
            self.pending.digit(c);
        }
    }

    /// Lets the sign `c` wait if it may belong to a number.
    #[inline]
    pub(super) fn hold(&mut self, c: u32) -> bool {
        let may_join = self.pending.may_go_on_after(c);
        if may_join {
            self.connector = Some(c);
        }
        may_join
    }

    /// The word or number that ends here, if one does.
    #[inline]
    pub(super) fn end_word(&mut self) -> Option<Token> {
        if self.pending.is_empty() {
            return None;
        }
        self.last_sign = 0;
        Some(std::mem::take(&mut self.pending).token())
    }

    /// What `c`, no letter or digit, is by itself: nothing for a blank and for a sign that only goes on.
    #[inline]
    pub(super) fn own(&mut self, c: u32, class: Class) -> Option<Token> {
        match class {
            Class::Symbol => self.sign(c),
            Class::LineEnd => self.sign(LINE_END),
            Class::Solo => {
                self.last_sign = 0;
                Some(Token { hash: hash_of(c), len: 1, ..Token::default() })
            }
            Class::Blank | Class::Letter | Class::Digit => {
                self.last_sign = 0;
                None
            }
        }
    }

    /// A run of one sign counts once, whatever its length.
    #[inline]
    fn sign(&mut self, c: u32) -> Option<Token> {
        if self.last_sign == c {
            return None;
        }
        self.last_sign = c;
        Some(Token { hash: hash_of(c), len: 1, ..Token::default() })
    }
}

impl Pending {
    #[inline]
    fn is_empty(&self) -> bool {
        self.letters + self.others == 0
    }

    #[inline]
    fn letter(&mut self, c: u32) {
        let c = if c < 128 { c | 0x20 } else { c };
        self.hash = mix(self.hash, c);
        self.letters = self.letters.wrapping_add(1);
        self.highest = self.highest.max(c);
        self.after_letters();
    }

    #[inline]
    fn after_letters(&mut self) {
        self.switches += u32::from(self.last_is_digit);
        self.last_is_digit = false;
    }

    fn is_hex(&self) -> bool {
        self.highest <= u32::from('f')
    }

    #[inline]
    fn digit(&mut self, c: u32) {
        self.value = self.value.wrapping_mul(10).wrapping_add(c & 0x0F);
        self.others += 1;
        if !self.last_is_digit {
            self.hash = mix(self.hash, NUMBER);
            self.switches += u32::from(self.letters > 0);
        }
        self.last_is_digit = true;
        self.digits = true;
    }

    #[inline]
    fn token(self) -> Token {
        let Self { hash, value, letters, others, digits, .. } = self;
        let len = letters + others;
        let kind = if !digits {
            Kind::Word
        } else if letters > 0 && self.is_id() {
            return Token { hash: mix(0, NUMBER), value: mix(hash, value), len, kind: Kind::Id };
        } else {
            Kind::Number
        };
        Token { hash, value, len, kind }
    }

    /// Whether letters and digits are mixed as in a hash or a key: a short name with a number behind it is none.
    fn is_id(&self) -> bool {
        let len = self.letters + self.others;
        let is_name = self.switches == 1 && self.last_is_digit && len < SHORTEST_HASH;
        (self.is_hex() && len >= 4 && !is_name) || (self.switches >= 3 && len >= 6)
    }

    /// Whether the sign `c` may stand within the number or id.
    #[inline]
    fn may_go_on_after(&self, c: u32) -> bool {
        let sign = char::from_u32(c);
        self.digits
            && self.is_hex()
            && (sign == Some('-')
                || (self.letters == 0 && matches!(sign, Some('.' | ',' | ':' | '/'))))
    }
}

fn is_hex_letter(c: u32) -> bool {
    matches!(c | 0x20, 0x61..=0x66)
}

#[inline]
fn mix(hash: u32, c: u32) -> u32 {
    (hash.rotate_left(5) ^ c).wrapping_mul(0x9E37_79B1)
}

#[inline]
fn hash_of(c: u32) -> u32 {
    mix(0x5BD1_E995, c)
}

/// Whether `hash` is that of a sign that ends a sentence.
pub(super) fn ends_sentence(hash: u32) -> bool {
    ['.', '!', '?', '。', '！', '？'].iter().any(|sign| hash == hash_of(u32::from(*sign)))
}
