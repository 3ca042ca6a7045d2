//! Replaces secrets in text by `[redacted: kind]` before it goes anywhere. The number of lines stays the same.
//!
//! Four kinds of evidence: a format that only keys have (see the `formats` module), a private key block, a file that sets
//! nothing but variables (`environment`), and a value under a name that says `password`, `token` and the like
//! (`assignment`). All patterns run in time linear in the text.

mod assignment;
mod environment;
mod formats;
mod key_block;
mod name;
mod value;

use std::{borrow::Cow, ops::Range};

use regex::Regex;

pub(crate) use self::formats::holds_key;

/// The mark that stands for a secret.
pub(crate) fn mark(kind: &str) -> String {
    format!("[redacted: {kind}]")
}

/// `text` without its secrets. The path tells settings files, where values need no quotes, from code.
pub fn redact<'t>(path: &str, text: &'t str) -> Cow<'t, str> {
    let text = key_block::redact(text);
    let text = chain(text, formats::redact);
    let text = chain(text, |text| environment::redact(path, text));
    chain(text, |text| assignment::redact(path, text))
}

/// Applies a step to text that may have been changed before.
fn chain<'t>(text: Cow<'t, str>, step: impl Fn(&str) -> Cow<'_, str>) -> Cow<'t, str> {
    match text {
        Cow::Borrowed(text) => step(text),
        Cow::Owned(text) => match step(&text) {
            Cow::Owned(changed) => Cow::Owned(changed),
            Cow::Borrowed(_) => Cow::Owned(text),
        },
    }
}

/// Replaces the bytes in these ranges by the marks of their kinds. Where ranges overlap, the first counts.
fn replace<'t>(text: &'t str, mut secrets: Vec<(Range<usize>, &'static str)>) -> Cow<'t, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    secrets.sort_by_key(|(range, _)| (range.start, range.end));
    let mut changed = String::with_capacity(text.len());
    let mut done = 0;
    for (range, kind) in secrets {
        if range.start >= done {
            changed.push_str(text.get(done..range.start).unwrap_or_default());
            changed.push_str(&mark(kind));
        }
        done = done.max(range.end);
    }
    changed.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(changed)
}

/// A pattern of this crate.
#[allow(clippy::expect_used, reason = "constants; a test compiles every one")]
fn compile(pattern: &str) -> Regex {
    Regex::new(&ascii_words(pattern)).expect("the pattern is a constant that a test compiles")
}

/// Unicode's word boundary would keep the pattern from the fast matcher.
fn ascii_words(pattern: &str) -> String {
    pattern.replace(r"\b", r"(?-u:\b)")
}

/// How much a text surprises, in bits a character: 0 for one letter repeated, about 4 for random hexadecimal digits,
/// 5 and more for random letters and digits of this length.
#[allow(clippy::cast_precision_loss, reason = "counts of characters in one value")]
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let length = text.len() as f64;
    let share = |&count: &u32| f64::from(count) / length;
    counts.iter().filter(|c| **c > 0).map(share).map(|p| -p * p.log2()).sum()
}
