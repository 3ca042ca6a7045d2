//! JSON as JavaScript reads and writes it: the text of `JSON.stringify(JSON.parse(text))`.
//!
//! What that changes: white space goes; of members with the same key the last value counts, at the place of the first;
//! keys that are array indexes come first, in ascending order; numbers are doubles in their shortest form; strings keep
//! only the escapes that must be. The text is read once, without recursion.

use std::{borrow::Cow, cmp::Ordering};

use sha2::{Digest, Sha256};

/// Objects deeper than this are written as their hash, so that reordering copies no text more often than this.
const COPIED_DEPTH: usize = 32;

/// How members are ordered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Order {
    /// Array indexes, then the others as they came.
    Insertion,
    /// Array indexes, then the others sorted by their UTF-16 code units.
    Sorted,
}

/// Appends the canonical text, or nothing and returns none when `json` is no JSON.
pub(super) fn canonical(json: &str, order: Order, out: &mut String) -> Option<()> {
    let begin = out.len();
    let mut writer = Writer { rest: json, out, open: Vec::new(), order };
    let written = writer.document();
    if written.is_none() {
        out.truncate(begin);
    }
    written
}

struct Writer<'a> {
    rest: &'a str,
    out: &'a mut String,
    open: Vec<Open>,
    order: Order,
}

/// An array or object that is not closed yet.
enum Open {
    Array { empty: bool },
    Object { begin: usize, members: Vec<Member> },
}

/// A member's key and where it and its value are in the text.
struct Member {
    key: String,
    begin: usize,
    end: usize,
}

impl Writer<'_> {
    fn document(&mut self) -> Option<()> {
        loop {
            self.value()?;
            // A scalar or an empty container is complete: so may be those around it.
            loop {
                self.space();
                match self.open.last_mut() {
                    None => return self.rest.is_empty().then_some(()),
                    Some(Open::Array { empty }) => {
                        *empty = false;
                        if self.take(',') {
                            self.out.push(',');
                            break;
                        }
                        self.expect(']')?;
                        self.out.push(']');
                        self.open.pop();
                    }
                    Some(Open::Object { members, .. }) => {
                        let end = self.out.len();
                        if let Some(member) = members.last_mut() {
                            member.end = end;
                        }
                        if self.take(',') {
                            self.out.push(',');
                            self.key()?;
                            break;
                        }
                        self.expect('}')?;
                        self.close_object()?;
                    }
                }
            }
        }
    }

    /// A scalar, an empty container, or everything up to the first of them.
    fn value(&mut self) -> Option<()> {
        loop {
            self.space();
            if self.take('[') {
                self.out.push('[');
                self.space();
                if self.take(']') {
                    self.out.push(']');
                    return Some(());
                }
                self.open.push(Open::Array { empty: true });
            } else if self.take('{') {
                self.out.push('{');
                self.space();
                if self.take('}') {
                    self.out.push('}');
                    return Some(());
                }
                let begin = self.out.len() - 1;
                self.open.push(Open::Object { begin, members: Vec::new() });
                self.key()?;
            } else {
                return self.scalar();
            }
        }
    }

    fn key(&mut self) -> Option<()> {
        self.space();
        let begin = self.out.len();
        self.string()?;
        let key = self.out.get(begin + 1..self.out.len() - 1)?.to_owned();
        self.space();
        self.expect(':')?;
        self.out.push(':');
        if let Some(Open::Object { members, .. }) = self.open.last_mut() {
            members.push(Member { key, begin, end: begin });
        }
        Some(())
    }

    fn scalar(&mut self) -> Option<()> {
        for word in ["null", "true", "false"] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                self.out.push_str(word);
                return Some(());
            }
        }
        if self.rest.starts_with('"') { self.string() } else { self.number() }
    }

    fn string(&mut self) -> Option<()> {
        self.expect('"')?;
        self.out.push('"');
        loop {
            let plain = self.rest.find(|c| c < ' ' || c == '"' || c == '\\')?;
            let (text, rest) = self.rest.split_at_checked(plain)?;
            self.out.push_str(text);
            self.rest = rest;
            if self.take('"') {
                self.out.push('"');
                return Some(());
            }
            self.expect('\\')?;
            let mut after = self.rest.chars();
            let escaped = after.next()?;
            self.rest = after.as_str();
            match escaped {
                '"' | '\\' | '/' => self.write_char(escaped),
                'b' => self.write_char('\u{8}'),
                'f' => self.write_char('\u{C}'),
                'n' => self.write_char('\n'),
                'r' => self.write_char('\r'),
                't' => self.write_char('\t'),
                'u' => self.code_unit()?,
                _ => return None,
            }
        }
    }

    /// What follows `\u`, and the other half of a pair if it follows.
    fn code_unit(&mut self) -> Option<()> {
        let unit = self.hex()?;
        if let Some(c) = char::from_u32(unit) {
            self.write_char(c);
            return Some(());
        }
        let before = self.rest;
        if unit < 0xDC00
            && let Some(rest) = self.rest.strip_prefix("\\u")
        {
            self.rest = rest;
            let low = self.hex()?;
            if (0xDC00..0xE000).contains(&low) {
                self.write_char(char::from_u32(
                    0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00),
                )?);
                return Some(());
            }
            self.rest = before;
        }
        self.out.push_str(&format!("\\u{unit:04x}"));
        Some(())
    }

    fn hex(&mut self) -> Option<u32> {
        let (digits, rest) = self.rest.split_at_checked(4)?;
        self.rest = rest;
        let digit = |value: u32, c: char| Some(value * 16 + c.to_digit(16)?);
        digits.chars().try_fold(0, digit)
    }

    fn write_char(&mut self, c: char) {
        match c {
            '"' => self.out.push_str("\\\""),
            '\\' => self.out.push_str("\\\\"),
            '\u{8}' => self.out.push_str("\\b"),
            '\t' => self.out.push_str("\\t"),
            '\n' => self.out.push_str("\\n"),
            '\u{C}' => self.out.push_str("\\f"),
            '\r' => self.out.push_str("\\r"),
            c if c < ' ' => self.out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => self.out.push(c),
        }
    }

    fn number(&mut self) -> Option<()> {
        let bytes = self.rest.as_bytes();
        let digits =
            |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
        let at = |place: usize| bytes.get(place).copied().unwrap_or(0);
        let mut end = usize::from(at(0) == b'-');
        end += match (at(end), digits(end)) {
            (_, 0) => return None,
            (b'0', _) => 1,
            (_, count) => count,
        };
        if at(end) == b'.' {
            let count = digits(end + 1);
            if count == 0 {
                return None;
            }
            end += 1 + count;
        }
        if matches!(at(end), b'e' | b'E') {
            let sign = usize::from(matches!(at(end + 1), b'+' | b'-'));
            let count = digits(end + 1 + sign);
            if count == 0 {
                return None;
            }
            end += 1 + sign + count;
        }
        let (text, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        write_number(text.parse().ok()?, self.out);
        Some(())
    }

    /// Puts the members of the innermost object in order.
    fn close_object(&mut self) -> Option<()> {
        let Some(Open::Object { begin, members }) = self.open.pop() else { return None };
        let mut places: Vec<(Key<'_>, usize)> = members
            .iter()
            .enumerate()
            .map(|(place, member)| (Key::of(&member.key), place))
            .collect();
        let is_sorted = |pair: &[(Key<'_>, usize)]| match pair {
            [a, b] => a.0.order(&b.0) == Ordering::Less,
            _ => true,
        };
        let by_insertion = self.order == Order::Insertion;
        // Most often everything is in order: keys without an index, no key twice.
        let in_order = if by_insertion {
            places.iter().all(|(key, _)| matches!(key, Key::Name(_))) && !has_twice(&members)
        } else {
            places.windows(2).all(is_sorted)
        };
        if !in_order {
            // Equal keys side by side, in the order they came; the first keeps its place and takes the last one's value.
            places.sort_by(|a, b| a.0.order(&b.0).then(a.1.cmp(&b.1)));
            let mut chosen: Vec<(usize, usize)> = Vec::new();
            let mut before: Option<&Key<'_>> = None;
            for (key, place) in &places {
                match chosen.last_mut() {
                    Some((_, value)) if before.is_some_and(|before| before.order(key).is_eq()) => {
                        *value = *place
                    }
                    _ => chosen.push((*place, *place)),
                }
                before = Some(key);
            }
            if by_insertion {
                let is_name = |first: usize| {
                    members
                        .get(first)
                        .is_some_and(|member| matches!(Key::of(&member.key), Key::Name(_)))
                };
                let indexes = chosen.iter().take_while(|(first, _)| !is_name(*first)).count();
                if let Some(names) = chosen.get_mut(indexes..) {
                    names.sort_unstable();
                }
            }
            let mut text = String::with_capacity(self.out.len() - begin);
            for (_, value) in chosen {
                let member = members.get(value)?;
                text.push(if text.is_empty() { '{' } else { ',' });
                text.push_str(self.out.get(member.begin..member.end)?);
            }
            self.out.truncate(begin);
            self.out.push_str(&text);
        }
        self.out.push('}');
        if self.open.len() >= COPIED_DEPTH {
            let digest = Sha256::digest(self.out.get(begin..)?);
            self.out.truncate(begin);
            // No JSON holds this character unescaped.
            self.out.push('\0');
            for byte in digest {
                self.out.push_str(&format!("{byte:02x}"));
            }
        }
        Some(())
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn take(&mut self, c: char) -> bool {
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, c: char) -> Option<()> {
        self.take(c).then_some(())
    }
}

fn has_twice(members: &[Member]) -> bool {
    if members.len() <= 8 {
        return members.iter().enumerate().any(|(place, member)| {
            members.iter().take(place).any(|other| other.key == member.key)
        });
    }
    let mut seen = std::collections::HashSet::with_capacity(members.len());
    members.iter().any(|member| !seen.insert(&member.key))
}

/// A key as its object orders it; escaped as in the text.
enum Key<'a> {
    Index(u32),
    Name(&'a str),
}

impl<'a> Key<'a> {
    fn of(key: &'a str) -> Self {
        let canonical =
            key == "0" || key.bytes().all(|byte| byte.is_ascii_digit()) && !key.starts_with('0');
        match key.parse::<u32>() {
            Ok(index) if canonical && index < u32::MAX => Self::Index(index),
            _ => Self::Name(key),
        }
    }

    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Index(a), Self::Index(b)) => a.cmp(b),
            (Self::Index(_), Self::Name(_)) => Ordering::Less,
            (Self::Name(_), Self::Index(_)) => Ordering::Greater,
            (Self::Name(a), Self::Name(b)) if a == b => Ordering::Equal,
            (Self::Name(a), Self::Name(b)) => unescaped(a).cmp(unescaped(b)),
        }
    }
}

/// The code units that an escaped string stands for.
fn unescaped(text: &str) -> impl Iterator<Item = u16> + '_ {
    let mut rest = text.encode_utf16();
    std::iter::from_fn(move || {
        let unit = rest.next()?;
        if unit != u16::from(b'\\') {
            return Some(unit);
        }
        let escaped = u8::try_from(rest.next()?).ok()?;
        Some(match escaped {
            b'b' => 8,
            b't' => 9,
            b'n' => 10,
            b'f' => 12,
            b'r' => 13,
            b'u' => rest.by_ref().take(4).fold(0, |value, unit| {
                let digit = char::from_u32(unit.into()).and_then(|c| c.to_digit(16)).unwrap_or(0);
                value << 4 | digit as u16
            }),
            other => u16::from(other),
        })
    })
}

/// A double as JavaScript writes it; what is beyond its range is `null`.
fn write_number(value: f64, out: &mut String) {
    if !value.is_finite() {
        return out.push_str("null");
    }
    if value == 0.0 {
        return out.push('0');
    }
    let shortest = format!("{value:e}");
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let digits: Cow<'_, str> = mantissa.replace('.', "").into();
    out.push_str(sign);
    let point = exponent + 1;
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    if (count..=21).contains(&point) {
        out.push_str(&digits);
        out.push_str(&zeros(point - count));
    } else if (1..=21).contains(&point) {
        let (whole, part) =
            digits.split_at_checked(usize::try_from(point).unwrap_or(0)).unwrap_or((&digits, ""));
        out.push_str(&format!("{whole}.{part}"));
    } else if (-5..=0).contains(&point) {
        out.push_str(&format!("0.{}{digits}", zeros(-point)));
    } else {
        out.push_str(mantissa);
        out.push_str(&format!("e{}{}", if exponent < 0 { "-" } else { "+" }, exponent.abs()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str, order: Order) -> String {
        let mut out = String::new();
        match canonical(json, order, &mut out) {
            Some(()) => out,
            None => format!("no JSON{out}"),
        }
    }

    #[test]
    fn numbers_are_written_as_javascript_writes_them() {
        for (json, expected) in [
            ("-0", "0"),
            ("1.0", "1"),
            ("1e2", "100"),
            ("-1.50", "-1.5"),
            ("123456789012345678901", "123456789012345680000"),
            ("1e21", "1e+21"),
            ("1.5e300", "1.5e+300"),
            ("1e400", "null"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1e-7"),
            ("1.25e-9", "1.25e-9"),
            ("5e-324", "5e-324"),
            ("1e-400", "0"),
            ("0.1", "0.1"),
            ("9007199254740993", "9007199254740992"),
            ("12345.678", "12345.678"),
        ] {
            assert_eq!(text(json, Order::Insertion), expected, "{json}");
        }
    }

    #[test]
    fn members_are_ordered_as_javascript_orders_them() {
        let json = r#"{ "b":1, "10":2, "a":{"z":[ ],"2":{}}, "2":3, "b":4, "01":5, "4294967295":6, "4294967294":7 }"#;
        assert_eq!(
            text(json, Order::Insertion),
            r#"{"2":3,"10":2,"4294967294":7,"b":4,"a":{"2":{},"z":[]},"01":5,"4294967295":6}"#
        );
        assert_eq!(
            text(json, Order::Sorted),
            r#"{"2":3,"10":2,"4294967294":7,"01":5,"4294967295":6,"a":{"2":{},"z":[]},"b":4}"#
        );
        // By code units: a pair of surrogates comes before the last characters of the basic plane.
        let json = "{\"\u{FF5E}\":1,\"\u{1F600}\":2,\"\\ud83d\":3,\"\\u001f\":4,\"!\":5}";
        let sorted = "{\"\\u001f\":4,\"!\":5,\"\\ud83d\":3,\"\u{1F600}\":2,\"\u{FF5E}\":1}";
        assert_eq!(text(json, Order::Sorted), sorted);
    }

    #[test]
    fn strings_keep_the_escapes_that_must_be() {
        let json = r#"["\u0041\/\"\\\b\f\n\r\t\u0000\u007f", "\ud83d\ude00", "\ud83d\ud83d\ude00\ude00\uD800x"]"#;
        let expected = "[\"A/\\\"\\\\\\b\\f\\n\\r\\t\\u0000\u{7f}\",\"\u{1F600}\",\"\\ud83d\u{1F600}\\ude00\\ud800x\"]";
        assert_eq!(text(json, Order::Insertion), expected);
    }

    #[test]
    fn what_is_no_json_leaves_nothing_behind() {
        for json in [
            "",
            "{",
            "[1,]",
            "{\"a\"}",
            "{\"a\":1,}",
            "01",
            "+1",
            "1.",
            ".5",
            "1e",
            "nul",
            "\"\n\"",
            "\"\\x\"",
            "\"\\ud83d\\u\"",
            "[1]2",
            "]",
            "{1:2}",
            "\"a",
        ] {
            assert_eq!(text(json, Order::Insertion), "no JSON", "{json}");
        }
    }

    #[test]
    fn depth_costs_neither_stack_nor_square_time() {
        let depth = 20_000;
        let arrays = "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(text(&arrays, Order::Sorted), arrays);
        let nested = |key: &str, other: &str| {
            let open = format!("{{\"{key}\":0,\"{other}\":").repeat(depth);
            text(&format!("{open}1{}", "}".repeat(depth)), Order::Sorted)
        };
        let written = nested("b", "a");
        assert!(written.len() < 1000, "{}", written.len());
        assert_eq!(nested("b", "a"), written);
        assert_ne!(nested("b", "c"), written);
    }
}
