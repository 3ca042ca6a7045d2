//! Cuts a stream of characters into words, numbers and signs, with everything volatile folded.

use super::class::{Class, class_of};

/// Stands for every number and id.
pub(super) const NUMBER: u32 = 0x23;
/// Stands for every line end; blank lines are folded into it.
pub(super) const LINE_END: u32 = 0x0A;

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
    /// How many characters before the reader's place it ended.
    pub(super) back: u32,
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

/// The tokens that one character completes: at most two.
pub(super) type Completed = [Option<Token>; 2];

#[derive(Debug, Clone, Copy, Default)]
struct Pending {
    hash: u32,
    raw: u32,
    value: u32,
    len: u32,
    letters: u32,
    switches: u32,
    not_hex: bool,
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
    /// Takes one character and returns the tokens it completes.
    #[inline]
    pub(super) fn step(&mut self, c: u32) -> Completed {
        let class = class_of(c);
        if self.connector.is_some() {
            return self.after_connector(c, class);
        }
        self.plain(c, class)
    }

    #[inline]
    fn plain(&mut self, c: u32, class: Class) -> Completed {
        match class {
            Class::Letter => {
                self.last_sign = 0;
                self.pending.letter(c);
                [None, None]
            }
            Class::Digit => {
                self.last_sign = 0;
                self.pending.digit(c);
                [None, None]
            }
            Class::Blank => {
                self.last_sign = 0;
                [self.pending.take(), None]
            }
            Class::LineEnd => [self.pending.take(), self.sign(LINE_END)],
            Class::Solo => {
                self.last_sign = 0;
                [self.pending.take(), Some(Token { hash: hash_of(c), len: 1, ..Token::default() })]
            }
            Class::Symbol => {
                if self.pending.may_go_on_after(c) {
                    self.connector = Some(c);
                    return [None, None];
                }
                [self.pending.take(), self.sign(c)]
            }
        }
    }

    #[cold]
    fn after_connector(&mut self, c: u32, class: Class) -> Completed {
        let sign = self.connector.take().unwrap_or(0);
        if class == Class::Digit {
            self.pending.len += 1;
            self.pending.digit(c);
            return [None, None];
        }
        if class == Class::Letter && sign == u32::from('-') && is_hex_letter(c) {
            self.pending.len += 1;
            self.pending.letter(c);
            return [None, None];
        }
        let number = self.pending.take().map(|number| Token { back: 2, ..number });
        let sign = self.sign(sign).map(|sign| Token { back: 1, ..sign });
        // The number and its sign fill both places; what `c` itself completes can only be a sign or a solo.
        match self.plain(c, class) {
            [None, None] => [number, sign],
            [_, Some(last)] | [Some(last), None] => [number, Some(last)],
        }
    }

    /// A run of one sign counts once, whatever its length.
    fn sign(&mut self, c: u32) -> Option<Token> {
        if self.last_sign == c {
            return None;
        }
        self.last_sign = c;
        let hash = if c == LINE_END { LINE_END } else { hash_of(c) };
        Some(Token { hash, len: 1, ..Token::default() })
    }
}

impl Pending {
    #[inline]
    fn letter(&mut self, c: u32) {
        let c = if c < 128 { c | 0x20 } else { c };
        self.hash = mix(self.hash, c);
        self.raw = mix(self.raw, c);
        self.len += 1;
        self.letters += 1;
        self.not_hex |= c > 0x66;
        self.switches += u32::from(self.last_is_digit);
        self.last_is_digit = false;
    }

    #[inline]
    fn digit(&mut self, c: u32) {
        self.raw = mix(self.raw, c);
        self.value = self.value.wrapping_mul(10).wrapping_add(c & 0x0F);
        self.len += 1;
        if !self.last_is_digit {
            self.hash = mix(self.hash, NUMBER);
            self.switches += u32::from(self.letters > 0);
        }
        self.last_is_digit = true;
        self.digits = true;
    }

    /// Whether the sign `c` may stand within the number or id.
    #[inline]
    fn may_go_on_after(&self, c: u32) -> bool {
        let sign = char::from_u32(c);
        self.digits
            && !self.not_hex
            && (sign == Some('-')
                || (self.letters == 0 && matches!(sign, Some('.' | ',' | ':' | '/'))))
    }

    #[inline]
    fn take(&mut self) -> Option<Token> {
        if self.len == 0 {
            return None;
        }
        let this = std::mem::take(self);
        let token = Token {
            hash: this.hash,
            value: this.value,
            len: this.len,
            kind: Kind::Number,
            back: 1,
        };
        if !this.digits {
            return Some(Token { kind: Kind::Word, ..token });
        }
        let is_id = this.letters > 0
            && ((!this.not_hex && this.len >= 4) || (this.switches >= 3 && this.len >= 6));
        Some(if is_id {
            Token { hash: mix(0, NUMBER), value: this.raw, kind: Kind::Id, ..token }
        } else {
            token
        })
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
