//! A tool's answer as one hash that ignores what is volatile in it, and as one hash a line.

use super::volatile::{self, Run};
use crate::canonical::{hash_bytes, mix};

/// Answers longer than this are normalised only at their two ends; what is between is hashed as it stands.
pub(super) const NORMALISED: usize = 64 * 1024;

const VOLATILE: u64 = 0x5EED;

/// What is written into the hash, token by token; volatile tokens in a row count once.
struct Line<'s> {
    hash: u64,
    bytes: u32,
    all: u64,
    masked: bool,
    sink: &'s mut dyn FnMut(u64, u32),
}

impl Line<'_> {
    fn token(&mut self, bytes: &[u8]) {
        self.hash = mix(self.hash, hash_bytes(1, bytes));
        self.bytes += bytes.len() as u32;
        self.masked = false;
    }

    fn volatile(&mut self) {
        if !self.masked {
            self.hash = mix(self.hash, VOLATILE);
        }
        self.masked = true;
    }

    fn end(&mut self) {
        if self.bytes > 0 || self.masked {
            (self.sink)(self.hash, self.bytes);
            self.all = mix(self.all, self.hash);
        }
        (self.hash, self.bytes, self.masked) = (0, 0, false);
    }
}

/// Hashes an answer, of which ids count only where there is nothing else; `sink` gets every line's hash and how many bytes
/// of it count.
pub(super) fn digest(text: &str, sink: &mut dyn FnMut(u64, u32)) -> u64 {
    let mut line = Line { hash: 0, bytes: 0, all: 0, masked: false, sink };
    if volatile::is_only_ids(text) {
        line.token(text.trim().as_bytes());
        line.end();
    } else if text.len() <= NORMALISED {
        scan(text, &mut line);
    } else {
        let head = text.floor_char_boundary(NORMALISED / 2);
        let tail = text.ceil_char_boundary(text.len() - NORMALISED / 2);
        scan(text.get(..head).unwrap_or(""), &mut line);
        let middle = text.get(head..tail).unwrap_or("");
        for piece in middle.split('\n') {
            line.token(piece.as_bytes());
            line.end();
        }
        scan(text.get(tail..).unwrap_or(""), &mut line);
    }
    line.all
}

fn is_run(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'_' | b'-' | b'.' | b':' | b'/' | b'+' | b'%' | b'\\' | b'~' | b'@' | b'#'
        )
}

fn scan(text: &str, line: &mut Line<'_>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    // The last word, for labels such as `pid`.
    let mut before = "";
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        if is_run(byte) {
            let mut digit = false;
            while let Some(&next) = bytes.get(at).filter(|b| is_run(**b)) {
                digit |= next.is_ascii_digit();
                at += 1;
            }
            let run = text.get(start..at).unwrap_or("");
            let year =
                line.masked && run.len() == 4 && (run.starts_with("20") || run.starts_with("19"));
            if year {
                line.volatile();
            } else if digit || run.starts_with('/') {
                number(run, before, text.get(at..).unwrap_or(""), line);
            } else if volatile::is_calendar_word(run) || line.masked && volatile::is_time_unit(run)
            {
                line.volatile();
            } else {
                line.token(run.as_bytes());
            }
            if run.bytes().any(|b| b.is_ascii_alphanumeric()) {
                before = run;
            }
            continue;
        }
        at += 1;
        match byte {
            b'\n' => {
                line.end();
                before = "";
            }
            0x1B if bytes.get(at) == Some(&b'[') => {
                // A terminal's colour or cursor sequence ends with a letter.
                while bytes.get(at).is_some_and(|b| !b.is_ascii_alphabetic()) {
                    at += 1;
                }
                at += 1;
            }
            b if b.is_ascii_whitespace() => {}
            b if b.is_ascii() => {
                if !(line.masked && matches!(b, b',' | b'(' | b')' | b'[' | b']')) {
                    line.token(&[b]);
                }
            }
            _ => {
                let masked = line.masked;
                while bytes.get(at).is_some_and(|b| !b.is_ascii()) {
                    at += 1;
                }
                let word = text.get(start..at).unwrap_or("");
                // A unit of time goes with the number before it.
                let word = match volatile::cjk_time_unit(word) {
                    Some(unit) if masked => word.get(unit.len()..).unwrap_or(""),
                    _ => word,
                };
                if !word.chars().all(is_spinner) {
                    line.token(word.as_bytes());
                }
                before = cjk_label(word);
            }
        }
    }
    line.end();
}

/// Braille patterns are what progress spinners are made of.
fn is_spinner(c: char) -> bool {
    ('\u{2800}'..='\u{28FF}').contains(&c)
}

/// The English label for a word in front of a number.
fn cjk_label(word: &str) -> &'static str {
    let labelled = [
        "耗时",
        "用时",
        "时间",
        "编号",
        "进程号",
        "端口",
        "第",
        "请求",
        "重试",
        "时间戳",
        "已运行",
        "序号",
    ];
    if labelled.iter().any(|label| word.trim_end_matches('：').ends_with(label)) {
        "id"
    } else {
        ""
    }
}

fn number(run: &str, before: &str, after: &str, line: &mut Line<'_>) {
    match volatile::judge(run, before, after) {
        Run::Volatile => line.volatile(),
        Run::Kept => line.token(run.as_bytes()),
        Run::Composite => parts(run, line),
    }
}

/// Hashes a name part by part, leaving out the volatile ones.
fn parts(run: &str, line: &mut Line<'_>) {
    let mut rest = run;
    if let Some(length) = volatile::temporary_prefix(run) {
        // The first name below a temporary folder is made up.
        line.token(run.get(..length).unwrap_or("").as_bytes());
        let below = run.get(length..).unwrap_or("");
        let end = below.find('/').unwrap_or(below.len());
        let name = below.get(..end).unwrap_or("");
        if name.starts_with("tmp")
            || name.starts_with('.')
            || name.bytes().any(|b| b.is_ascii_digit())
        {
            line.volatile();
            line.masked = false;
            rest = below.get(end..).unwrap_or("");
        } else {
            rest = below;
        }
    }
    let (mut before, mut separator) = ("", ' ');
    while !rest.is_empty() {
        let end = rest.find(['-', '_', '/', ':', '.', '\\', '#', '@', '+']).unwrap_or(rest.len());
        let part = rest.get(..end).unwrap_or("");
        if volatile::part_is_volatile(part, before, separator) {
            line.hash = mix(line.hash, VOLATILE);
        } else if !part.is_empty() {
            line.token(part.as_bytes());
        }
        let tail = rest.get(end..).unwrap_or("");
        let mut characters = tail.chars();
        if let Some(next) = characters.next() {
            separator = next;
            line.token(&[next as u8]);
        }
        before = part;
        rest = characters.as_str();
    }
    line.masked = false;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hash(text: &str) -> u64 {
        digest(text, &mut |_, _| {})
    }

    #[test]
    fn answers_that_differ_only_in_what_is_volatile_are_equal() {
        for (a, b) in [
            ("[12:01:03] still nothing", "[12:09:44] still nothing"),
            ("Sun Nov 22 01:56:15 UTC 2026", "Mon Nov 23 11:06:45 UTC 2026"),
            ("took 12 ms", "took 2 s"),
            (r#"{"took_ms": 12}"#, r#"{"took_ms": 3}"#),
            ("button [ref=e12]", "button [ref=e345]"),
            ("done in 1m30s", "done in 45s"),
            ("request req_8f3kd92kd1 failed", "request req_11kd92kd9z failed"),
            ("written to /tmp/tmpab3x_9/out.txt", "written to /tmp/tmpq81zz0/out.txt"),
            ("pid 4242, port 54321", "pid 77, port 40001"),
            ("listening on localhost:54321", "listening on localhost:40001"),
            (
                r#"{"id":17,"elapsed_ms":90,"state":"idle"}"#,
                r#"{"id":18,"elapsed_ms":7,"state":"idle"}"#,
            ),
            ("耗时 12 毫秒，无结果", "耗时 7 秒，无结果"),
            ("\u{1b}[32mok\u{1b}[0m  done", "ok done"),
            ("⠋ loading", "⠙ loading"),
            ("attempt 3/10 failed", "attempt 4/10 failed"),
            (r#"{"id":"8f3a91c0","state":"idle"}"#, r#"{"id":"77b0e4d2","state":"idle"}"#),
            (r#"{"ts":1714550000}"#, r#"{"ts":1714550060}"#),
            ("request 8f3a91c0", "request 77b0e4d2"),
        ] {
            assert_eq!(hash(a), hash(b), "{a} / {b}");
        }
    }

    #[test]
    fn answers_that_say_something_else_differ() {
        for (a, b) in [
            ("progress 10%", "progress 20%"),
            ("step 3/10", "step 4/10"),
            ("epoch 3 loss 0.53", "epoch 4 loss 0.48"),
            ("3 passed, 2 failed", "4 passed, 1 failed"),
            ("src/a.rs:12:5 warning", "src/a.rs:13:5 warning"),
            ("version 1.2.3", "version 1.2.4"),
            ("test_1 ok", "test_2 ok"),
            ("共 3 行", "共 4 行"),
            (r#"{"id": "8f3a91c0"}"#, r#"{"id": "77b0e4d2"}"#),
            ("/tmp/tmp.Xa81kQ", "/tmp/tmp.b2Zr07"),
            ("550e8400-e29b-41d4-a716-446655440000", "7d444840-9dc0-11d1-b245-5ffdce74fad2"),
        ] {
            assert_ne!(hash(a), hash(b), "{a} / {b}");
        }
    }

    #[test]
    fn a_gigantic_answer_counts_in_full() {
        let mut text = "line of text\n".repeat(100_000);
        let before = hash(&text);
        let middle = text.len() / 2;
        text.replace_range(middle..=middle, "#");
        assert_ne!(hash(&text), before);
    }

    proptest! {
        #[test]
        fn any_text_has_a_digest(text in "(\\PC|\n|\u{1b}|[0-9:./#-]){0,300}") {
            let mut lines = 0;
            digest(&text, &mut |_, _| lines += 1);
            prop_assert!(lines <= text.split('\n').count());
            prop_assert_eq!(hash(&text), hash(&format!("  {text}  ")));
        }
    }
}
