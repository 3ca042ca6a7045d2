//! Bytes of a file as text that is safe to show.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use ouro_core::is_display_control;

/// Most characters of one line that are shown.
pub(crate) const MAX_LINE_CHARS: usize = 500;

/// The text in `bytes`, or `None` for what is no text. UTF-8, UTF-16 with its mark, an older encoding (GBK, Shift-JIS,
/// windows-1252, ...) where everything is text in it, anything else as far as it goes.
pub(crate) fn decode(bytes: Vec<u8>) -> Option<String> {
    let text = match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ if bytes.contains(&0) => return None,
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => older_encoding(error.as_bytes())
                .unwrap_or_else(|| String::from_utf8_lossy(error.as_bytes()).into_owned()),
        },
    };
    let harmless = without_controls(text);
    let broken = harmless.chars().filter(|&c| c == char::REPLACEMENT_CHARACTER).count();
    // A text with a few broken places is one; what is a third broken is data.
    (broken * 3 <= harmless.chars().count()).then_some(harmless)
}

/// The text in what is no UTF-8, where it can be told which encoding it has: any bytes can be read in some. Of a few
/// letters it may be the wrong one.
fn older_encoding(bytes: &[u8]) -> Option<String> {
    if is_mostly_utf_8(bytes) {
        return None;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    let harmless = without_controls(text.into_owned());
    (!harmless.contains(char::REPLACEMENT_CHARACTER)).then_some(harmless)
}

/// Whether of what is not ASCII more is UTF-8 than not.
fn is_mostly_utf_8(bytes: &[u8]) -> bool {
    let (mut whole, mut broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        whole += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    whole > broken
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
        assert_eq!(
            decode(b"a caf\xc3\xa9, un \xc3\xa9t\xc3\xa9 \xff\x80".to_vec()).unwrap(),
            "a café, un été \u{fffd}\u{fffd}"
        );
        assert_eq!(decode(b"ab\0cd".to_vec()), None);
        assert_eq!(decode((128..=255).collect()), None);
    }

    #[test]
    fn older_encodings_are_read() {
        for (encoding, text) in [
            (encoding_rs::GBK, "// 计算订单的总价，单位为分\nint total(int count);\n"),
            (encoding_rs::GBK, "/** 一件商品的价格 */\nclass Price {}\n"),
            (encoding_rs::BIG5, "// 計算訂單的總價，單位為分\nint total(int count);\n"),
            (encoding_rs::SHIFT_JIS, "// 注文の合計をセントで計算する\nint total(int count);\n"),
            (encoding_rs::EUC_KR, "// 주문의 합계를 센트로 계산한다\nint total(int count);\n"),
            (encoding_rs::WINDOWS_1251, "// Сумма заказа в копейках\nint total(int count);\n"),
            (encoding_rs::WINDOWS_1252, "// Die Größe für Jürgen\n"),
            (encoding_rs::WINDOWS_1252, "café au lait"),
        ] {
            let (bytes, _, unmappable) = encoding.encode(text);
            assert!(!unmappable && std::str::from_utf8(&bytes).is_err(), "{text}");
            assert_eq!(decode(bytes.into_owned()).as_deref(), Some(text), "{}", encoding.name());
        }
    }

    #[test]
    fn data_is_no_text_in_whatever_encoding() {
        let mut random = fastrand::Rng::with_seed(7);
        for length in [200, 2_000, 20_000] {
            let data: Vec<u8> = (0..length).map(|_| random.u8(1..)).collect();
            assert_eq!(decode(data), None);
        }
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
