//! Classes of characters: what makes a word, a number, a space.

use std::ops::RangeInclusive;

pub(super) const LINE_FEED: u32 = 0x0A;
/// With a line feed behind it, it ends one line; alone it goes back to the line's beginning.
pub(super) const CARRIAGE_RETURN: u32 = 0x0D;

/// The class of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A letter of a script that writes words apart.
    Letter,
    /// A decimal digit.
    Digit,
    /// A blank within a line.
    Blank,
    /// The end of a line.
    LineEnd,
    /// Punctuation and signs.
    Symbol,
    /// A character that stands for itself: ideographs, syllables, scripts without spaces, emoji.
    Solo,
}

use Class::{Blank, Digit, Letter, LineEnd, Solo, Symbol};

const ASCII: [Class; 128] = {
    let mut table = [Symbol; 128];
    let mut at = 0;
    while at < 128 {
        let c = at as u8;
        let class = if c.is_ascii_alphabetic() {
            Letter
        } else if c.is_ascii_digit() {
            Digit
        } else if c == b'\n' || c == b'\r' {
            LineEnd
        } else if c == b' ' || c.is_ascii_control() {
            Blank
        } else {
            Symbol
        };
        let (_, rest) = table.split_at_mut(at);
        if let [slot, ..] = rest {
            *slot = class;
        }
        at += 1;
    }
    table
};

/// The ideographs of most Chinese text: asked for first.
const IDEOGRAPHS: RangeInclusive<u32> = 0x3400..=0x9FFF;

/// The class of the scalar value `c`.
#[inline]
pub(super) fn class_of(c: u32) -> Class {
    match ASCII.get(c as usize) {
        Some(class) => *class,
        None if IDEOGRAPHS.contains(&c) => Solo,
        None => wide_class_of(c),
    }
}

fn wide_class_of(c: u32) -> Class {
    match c {
        0x3040..=0x30FF | 0xAC00..=0xD7FF => Solo,
        0xC0..=0x24F | 0x370..=0x5FF if c != 0xD7 && c != 0xF7 => Letter,
        0x85 | 0x2028 | 0x2029 => LineEnd,
        0xA0 | 0x2000..=0x200B | 0x202F | 0x205F | 0x3000 | 0xFEFF => Blank,
        0x660..=0x669 | 0x6F0..=0x6F9 | 0x966..=0x96F | 0xFF10..=0xFF19 => Digit,
        0xAA | 0xB5 | 0xBA => Letter,
        0x80..=0xBF | 0xD7 | 0xF7 => Symbol,
        0x60C | 0x61B | 0x61F | 0x66A..=0x66D | 0x6D4 | 0x964 | 0x965 => Symbol,
        0xE00..=0xEFF | 0x1000..=0x109F | 0x1780..=0x17FF => Solo,
        0x2600..=0x27BF | 0x1F000..=0x1FAFF | 0x20000..=0x3FFFF => Solo,
        0x1100..=0x11FF | 0x3105..=0x33FF | 0xF900..=0xFAFF | 0xFF66..=0xFFDC => Solo,
        0x200C..=0x2BFF | 0x2E00..=0x2E7F | 0x3001..=0x303F | 0xFE10..=0xFE6F => Symbol,
        0xFF00..=0xFF20 | 0xFF3B..=0xFF40 | 0xFF5B..=0xFF65 | 0xFFDD..=0xFFFF => Symbol,
        _ => Letter,
    }
}
