//! Bytes of a file as text that is safe to show.

use std::borrow::Cow;

use ouro_core::is_display_control;

/// Most characters of one line that are shown.
pub(crate) const MAX_LINE_CHARS: usize = 500;

/// The text in `bytes`, or `None` for what is no text. UTF-8, UTF-16 with its mark, Latin-1 where it looks like that,
/// anything else as far as it goes.
pub(crate) fn decode(bytes: Vec<u8>) -> Option<String> {
    let text = match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ if bytes.contains(&0) => return None,
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) if is_latin_1(error.as_bytes()) => {
                error.as_bytes().iter().map(|&byte| char::from(byte)).collect()
            }
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        },
    };
    let harmless = without_controls(text);
    let broken = harmless.chars().filter(|&c| c == char::REPLACEMENT_CHARACTER).count();
    // A file in an old 8-bit encoding has a few; what is a third broken is data.
    (broken * 3 <= harmless.chars().count()).then_some(harmless)
}

/// Longest run of marked letters that is taken for Latin-1: encodings of other scripts have longer ones.
const MOST_MARKED: usize = 3;

/// Whether what is no UTF-8 looks like a Western language in Latin-1: few letters with marks at a time among plain ones,
/// and none of them written as UTF-8 has it.
fn is_latin_1(bytes: &[u8]) -> bool {
    let is_shown = |&byte: &u8| (0xa0..0xff).contains(&byte);
    let mut runs = bytes.split(u8::is_ascii);
    runs.all(|run| run.len() <= MOST_MARKED && run.iter().all(is_shown))
        && bytes.utf8_chunks().all(|chunk| chunk.valid().is_ascii())
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    char::decode_utf16(pairs.iter().map(|&pair| unit(pair)))
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// The text with U+FFFD for what would be shown as something else; a form feed parts pages, so it becomes a blank.
fn without_controls(text: String) -> String {
    if !text.contains(is_display_control) {
        return text;
    }
    let text = text.replace("\r\n", "\n");
    text.chars()
        .map(|c| match c {
            '\u{c}' => ' ',
            c if is_display_control(c) => char::REPLACEMENT_CHARACTER,
            c => c,
        })
        .collect()
}

/// Whether a name with this character can't be shown on one line as it is, and so can't be cited.
pub(crate) fn is_unfit_for_names(c: char) -> bool {
    c.is_control() || is_display_control(c)
}

/// The first `max` characters of a line, and a mark that says how many are missing.
pub(crate) fn clip(line: &str, max: usize) -> Cow<'_, str> {
    match line.char_indices().nth(max) {
        None => Cow::Borrowed(line),
        Some((end, _)) => {
            let (shown, rest) = line.split_at(end);
            Cow::Owned(format!("{shown}… [{} more characters]", rest.chars().count()))
        }
    }
}

/// The first whole lines of a text that have at most `max` characters together; part of the first if it is longer.
pub(crate) fn clip_lines(text: &str, max: usize) -> &str {
    let Some((limit, _)) = text.char_indices().nth(max) else { return text };
    let head = text.get(..limit).unwrap_or(text);
    head.rsplit_once('\n').map_or(head, |(lines, _)| lines)
}

/// A number of bytes for a person.
pub(crate) fn size(bytes: u64) -> String {
    const KIB: u64 = 1_024;
    const MIB: u64 = KIB * KIB;
    match bytes {
        0..KIB => format!("{bytes} bytes"),
        KIB..MIB => format!("{} KiB", bytes.div_ceil(KIB)),
        _ => format!("{}.{} MiB", bytes / MIB, bytes % MIB * 10 / MIB),
    }
}

/// `1 line`, `2 lines`.
pub(crate) fn count(number: usize, what: &str) -> String {
    let plural = match what {
        _ if number == 1 => "",
        _ if what.ends_with("match") => "es",
        _ => "s",
    };
    format!("{number} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_8_and_utf_16_are_read_and_binary_is_not() {
        assert_eq!(decode("a\r\n界\n".into()).unwrap(), "a\n界\n");
        assert_eq!(decode(b"\xef\xbb\xbfx".to_vec()).unwrap(), "x");
        assert_eq!(decode(b"\xff\xfea\0\n\0".to_vec()).unwrap(), "a\n");
        assert_eq!(decode(b"\xfe\xff\0a".to_vec()).unwrap(), "a");
        assert_eq!(decode(b"caf\xe9 au lait".to_vec()).unwrap(), "caf\u{e9} au lait");
        assert_eq!(decode(b"a caf\xc3\xa9 \xff\x80".to_vec()).unwrap(), "a café \u{fffd}\u{fffd}");
        assert_eq!(decode(b"ab\0cd".to_vec()), None);
        assert_eq!(decode((128..=255).collect()), None);
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let text = decode("a\u{1b}[2Jb\u{202e}c\rd".into()).unwrap();
        assert_eq!(text, "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d");
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        assert_eq!(clip("界界界", 2), "界界… [1 more characters]");
        assert_eq!(clip("abc", 3), "abc");
    }

    #[test]
    fn sizes_read_well() {
        assert_eq!(size(12), "12 bytes");
        assert_eq!(size(1_500), "2 KiB");
        assert_eq!(size(3 * 1_024 * 1_024 + 600_000), "3.5 MiB");
    }
}
