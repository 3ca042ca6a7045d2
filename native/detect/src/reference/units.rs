//! Text as the originals see it: UTF-16 code units with JavaScript's character classes.

use memchr::memchr2;

/// A code unit: one byte of ASCII text, or one of UTF-16.
pub(super) trait Unit: Copy {
    /// The unit as one of UTF-16.
    fn code(self) -> u16;

    /// Where the first [mark](is_mark) is.
    fn first_mark(units: &[Self]) -> Option<usize>;
}

impl Unit for u8 {
    fn code(self) -> u16 {
        u16::from(self)
    }

    #[inline]
    fn first_mark(units: &[u8]) -> Option<usize> {
        memchr2(b'\n', b'`', units)
    }
}

impl Unit for u16 {
    fn code(self) -> u16 {
        self
    }

    fn first_mark(units: &[u16]) -> Option<usize> {
        // Without an early end, so that it becomes vector code.
        let has_mark = |units: &&[u16]| units.iter().fold(false, |any, unit| any | is_mark(*unit));
        let before = units.chunks(64).take_while(|units| !has_mark(units)).count() * 64;
        Some(before + units.get(before..)?.iter().position(|unit| is_mark(*unit))?)
    }
}

/// A chunk of text that can be read as blocks of code units, as often as needed.
pub(super) trait Chunk {
    /// The unit it is read in.
    type Unit: Unit;
    /// Calls `visit` with each block in order.
    fn blocks(&self, visit: impl FnMut(&[Self::Unit]));
}

/// ASCII text, byte by byte.
pub(super) struct Ascii<'a>(pub(super) &'a [u8]);

impl Chunk for Ascii<'_> {
    type Unit = u8;

    #[inline(always)]
    fn blocks(&self, mut visit: impl FnMut(&[u8])) {
        visit(self.0);
    }
}

/// UTF-16, also with lone surrogates.
pub(super) struct Utf16<'a>(pub(super) &'a [u16]);

impl Chunk for Utf16<'_> {
    type Unit = u16;

    fn blocks(&self, mut visit: impl FnMut(&[u16])) {
        visit(self.0);
    }
}

/// UTF-8, encoded anew block by block, so that a long chunk needs no buffer of its length.
pub(super) struct Utf8<'a>(pub(super) &'a str);

impl Chunk for Utf8<'_> {
    type Unit = u16;

    fn blocks(&self, mut visit: impl FnMut(&[u16])) {
        let mut buffer = [0_u16; BLOCK];
        let mut rest = self.0;
        while !rest.is_empty() {
            let (units, read) = encode(rest, &mut buffer);
            visit(units);
            rest = rest.get(read..).unwrap_or("");
        }
    }
}

/// Units of a block.
const BLOCK: usize = 256;

/// The beginning of a text in UTF-16, as much as there is room for, and how many bytes of it that is.
#[inline(always)]
pub(super) fn encode<'a, const ROOM: usize>(
    text: &str,
    buffer: &'a mut [u16; ROOM],
) -> (&'a [u16], usize) {
    let (mut filled, mut read) = (0_usize, 0_usize);
    for c in text.chars() {
        let scalar = u32::from(c);
        if let Ok(unit) = u16::try_from(scalar) {
            let Some(place) = buffer.get_mut(filled) else { break };
            *place = unit;
            filled = filled.wrapping_add(1);
        } else {
            let Some([first, second]) = buffer.get_mut(filled..).and_then(<[u16]>::first_chunk_mut)
            else {
                break;
            };
            let over = scalar.wrapping_sub(0x1_0000);
            *first = 0xD800 | (over >> 10) as u16;
            *second = 0xDC00 | (over & 0x3FF) as u16;
            filled = filled.wrapping_add(2);
        }
        read = read.wrapping_add(c.len_utf8());
    }
    (buffer.get(..filled).unwrap_or(&[]), read)
}

/// A line feed or a backtick: what markup within a line, or the next line, begins with.
pub(super) fn is_mark(unit: u16) -> bool {
    matches!(unit, 0x0A | 0x60)
}

/// The first half of a surrogate pair.
pub(super) fn is_high(unit: u16) -> bool {
    unit & 0xFC00 == 0xD800
}

/// The second half of a surrogate pair.
pub(super) fn is_low(unit: u16) -> bool {
    unit & 0xFC00 == 0xDC00
}

/// What `\s` matches in a regular expression.
pub(super) fn is_space(unit: u16) -> bool {
    matches!(
        unit,
        0x09..=0x0D
            | 0x20
            | 0xA0
            | 0x1680
            | 0x2000..=0x200A
            | 0x2028
            | 0x2029
            | 0x202F
            | 0x205F
            | 0x3000
            | 0xFEFF
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_read_in_blocks_is_the_whole_chunk() {
        for length in [0, 1, 127, 128, 129, 255, 256, 1000] {
            let text: String = "a\u{1F600}\u{4E2D}".chars().cycle().take(length).collect();
            let mut read = Vec::new();
            Utf8(&text).blocks(|block| {
                assert!(!block.is_empty());
                read.extend_from_slice(block);
            });
            assert_eq!(read, text.encode_utf16().collect::<Vec<_>>(), "{length}");
        }
    }
}
