//! The checkpoint rule for reasoning: a look at 2,000 characters, one at 3,000 and one at 5,000, and none after.

use std::char::decode_utf16;

use serde::{Deserialize, Serialize};

use super::{
    content::in_range,
    periods::{Period, Repetition, find_period, short_sequence},
    units::is_high,
};
use crate::{LoopKind, TextLoop};

/// Which checks run where. Lengths and places are in Unicode scalar values; the defaults are the original's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CheckpointsConfig {
    /// Off: nothing is ever found. Default true.
    pub enabled: bool,
    /// Look for short sequences. Default true.
    pub short_sequences: bool,
    /// Where they are looked for, 1 to 99,999. Default 2,000.
    pub short_sequence_at: u32,
    /// In how many characters before that, 1 to 3,000. Default 200.
    pub short_sequence_window: u32,
    /// The shortest unit, 1 to `max_unit`. Default 2.
    pub min_unit: u32,
    /// The longest unit, up to 1,000. Default 50.
    pub max_unit: u32,
    /// How many copies of a unit in a row make a loop, 2 to 1,000. Default 4.
    pub min_copies: u32,
    /// Look for repeated paragraphs. Default true.
    pub paragraphs: bool,
    /// Look for repeated list items. Default true.
    pub ordered_lists: bool,
    /// Where paragraphs and list items are looked for, ascending, after `short_sequence_at`, at most 100,000; each time in
    /// the text since the checkpoint before. Default 3,000 and 5,000.
    pub period_at: Vec<u32>,
    /// The longest period in items, 1 to 1,000. Default 50.
    pub max_period: u32,
    /// How many items in a row must equal the item one period before, 1 to 10,000. Default 6.
    pub min_repeated: u32,
}

impl Default for CheckpointsConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            short_sequences: true,
            short_sequence_at: 2000,
            short_sequence_window: 200,
            min_unit: 2,
            max_unit: 50,
            min_copies: 4,
            paragraphs: true,
            ordered_lists: true,
            period_at: vec![3000, 5000],
            max_period: 50,
            min_repeated: 6,
        }
    }
}

impl CheckpointsConfig {
    /// Says which field is out of its range, and the range.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn validate(&self) -> Result<(), String> {
        in_range("short_sequence_at", self.short_sequence_at, 1, 99_999)?;
        in_range("short_sequence_window", self.short_sequence_window, 1, 3000)?;
        in_range("max_unit", self.max_unit, 1, 1000)?;
        in_range("min_unit", self.min_unit, 1, self.max_unit)?;
        in_range("min_copies", self.min_copies, 2, 1000)?;
        in_range("max_period", self.max_period, 1, 1000)?;
        in_range("min_repeated", self.min_repeated, 1, 10_000)?;
        let mut before = self.short_sequence_at;
        for &place in &self.period_at {
            in_range("period_at", place, before + 1, 100_000)?;
            before = place;
        }
        Ok(())
    }

    /// Every checkpoint with where its text begins.
    fn checkpoints(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let all = || std::iter::once(&self.short_sequence_at).chain(&self.period_at);
        let before = std::iter::once(&0).chain(all());
        before.zip(all()).map(|(from, to)| (*from as usize, *to as usize))
    }
}

/// Watches one stream of reasoning. The verdict does not depend on how the text is cut.
#[derive(Debug, Clone)]
pub struct CheckpointReasoning {
    config: CheckpointsConfig,
    text: Vec<char>,
    /// How many checkpoints are behind.
    passed: usize,
    /// The first half of a surrogate pair at the end of the last chunk.
    half: Option<u16>,
    found: Option<Box<TextLoop>>,
}

impl CheckpointReasoning {
    /// A detector at the start of a stream. With values that [`CheckpointsConfig::validate`] refuses it finds what can be
    /// found with them: a checkpoint that is not after the one before it has no text. Nothing is allocated before the
    /// first text.
    pub fn new(config: &CheckpointsConfig) -> Self {
        Self { config: config.clone(), text: Vec::new(), passed: 0, half: None, found: None }
    }

    /// Takes one chunk. Once a loop is found it is said again for every chunk until [`Self::reset`].
    pub fn push(&mut self, chunk: &str) -> Option<TextLoop> {
        if self.half.take().is_some() {
            self.read(std::iter::once(char::REPLACEMENT_CHARACTER));
        }
        self.read(chunk.chars())
    }

    /// As [`Self::push`], in UTF-16 code units. The first half of a pair at the end of a chunk waits for its other half; a
    /// half alone counts as U+FFFD.
    pub fn push_utf16(&mut self, chunk: &[u16]) -> Option<TextLoop> {
        let [.., last] = chunk else { return self.found.as_deref().cloned() };
        let (whole, half) = match chunk.split_last() {
            Some((_, whole)) if is_high(*last) => (whole, Some(*last)),
            _ => (chunk, None),
        };
        let before = self.half.take();
        let units = before.into_iter().chain(whole.iter().copied());
        let found =
            self.read(decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
        self.half = half;
        found
    }

    /// A new stream begins: everything is forgotten.
    pub fn reset(&mut self) {
        self.text.clear();
        self.passed = 0;
        self.half = None;
        self.found = None;
    }

    fn read(&mut self, mut chars: impl Iterator<Item = char>) -> Option<TextLoop> {
        while self.found.is_none() && self.config.enabled {
            let Some((from, to)) = self.config.checkpoints().nth(self.passed) else { break };
            if self.text.capacity() == 0 {
                let last = self.config.checkpoints().map(|(_, to)| to).max();
                self.text.reserve_exact(last.unwrap_or(0).min(100_000));
            }
            let missing = to.saturating_sub(self.text.len());
            self.text.extend(chars.by_ref().take(missing));
            if self.text.len() < to {
                break;
            }
            self.found = self.check(from, to).map(Box::new);
            self.passed += 1;
        }
        self.found.as_deref().cloned()
    }

    fn check(&self, from: usize, to: usize) -> Option<TextLoop> {
        let config = &self.config;
        if self.passed == 0 {
            let from = to.saturating_sub(config.short_sequence_window as usize);
            let text = self.text.get(from..to)?;
            let found = short_sequence(
                text,
                config.min_unit as usize,
                config.max_unit as usize,
                config.min_copies as usize,
            );
            return found
                .filter(|_| config.short_sequences)
                .map(|found| self.short_sequence(from, to, &found));
        }
        let segment = self.text.get(from..to)?;
        let paragraphs = config.paragraphs.then(|| (LoopKind::Paragraph, paragraphs(segment)));
        let lists = || config.ordered_lists.then(|| (LoopKind::OrderedList, list_items(segment)));
        let look = |(kind, items): (LoopKind, Vec<Item<'_>>)| {
            let texts: Vec<&[char]> = items.iter().map(|item| item.text).collect();
            let period =
                find_period(&texts, config.max_period as usize, config.min_repeated as usize)?;
            self.period(kind, from, to, &items, &period)
        };
        paragraphs.and_then(look).or_else(|| lists().and_then(look))
    }

    fn short_sequence(&self, window: usize, to: usize, found: &Repetition) -> TextLoop {
        let onset = window + found.start;
        let unit: String = self.text.iter().skip(onset).take(found.unit).collect();
        let copies = self.config.min_copies;
        self.report(LoopKind::ShortSequence, onset, to, unit.clone(), found.unit, found.copies, format!(
            "{unit:?} came {} times in a row from character {onset} on (limit {copies}), in the {} characters before character {to}.",
            found.copies, self.config.short_sequence_window,
        ))
    }

    fn period(
        &self,
        kind: LoopKind,
        from: usize,
        to: usize,
        items: &[Item<'_>],
        period: &Period,
    ) -> Option<TextLoop> {
        let first = items.get(items.len().checked_sub(period.repeated + period.length)?)?;
        let last_round = items.get(items.len().checked_sub(period.length)?)?;
        let end = items.last().map(|item| item.start + item.text.len())?;
        let onset = from + first.start;
        let mut pattern: String =
            self.text.get(from + last_round.start..from + end)?.iter().collect();
        if pattern.is_empty() {
            // Empty lines.
            pattern.push('\n');
        }
        let what = if kind == LoopKind::OrderedList { "lines" } else { "sentences or lines" };
        let copies = period.repeated / period.length + 1;
        Some(self.report(kind, onset, to, pattern, period.length, copies, format!(
            "The last {} {what} before character {to} equal those {} before them, from character {onset} on (limit {}).",
            period.repeated, period.length, self.config.min_repeated,
        )))
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of a report")]
    fn report(
        &self,
        kind: LoopKind,
        onset: usize,
        to: usize,
        pattern: String,
        period: usize,
        repeats: usize,
        evidence: String,
    ) -> TextLoop {
        let utf16 = |end: usize| self.text.iter().take(end).map(|c| c.len_utf16() as u64).sum();
        TextLoop {
            kind,
            rule: "checkpoints".to_owned(),
            onset: onset as u64,
            detected_at: to as u64,
            onset_utf16: utf16(onset),
            detected_at_utf16: utf16(to),
            pattern: pattern.chars().take(200).collect(),
            period: period as u64,
            repeats: repeats as u64,
            evidence,
            cleared_by: "Any other character in the repetition: the comparison is exact."
                .to_owned(),
        }
    }
}

/// A piece of a segment, by where it begins there.
struct Item<'a> {
    start: usize,
    text: &'a [char],
}

/// What lies between sentence marks and line feeds, but for empty pieces.
fn paragraphs(segment: &[char]) -> Vec<Item<'_>> {
    let mark = |c: &char| {
        matches!(
            c,
            '\u{3002}' | '.' | '\u{FF1B}' | ';' | '\u{FF01}' | '!' | '\u{FF1F}' | '?' | '\n'
        )
    };
    let mut items = pieces(segment, mark);
    items.retain(|item| !item.text.is_empty());
    items
}

/// The lines, without labels such as `1. `.
fn list_items(segment: &[char]) -> Vec<Item<'_>> {
    let mut items = pieces(segment, |c| *c == '\n');
    for item in &mut items {
        let label = label(item.text);
        item.start += label;
        item.text = item.text.get(label..).unwrap_or(&[]);
    }
    items
}

fn pieces(segment: &[char], separator: impl Fn(&char) -> bool) -> Vec<Item<'_>> {
    let mut start = 0;
    let mut items = Vec::new();
    for text in segment.split(separator) {
        items.push(Item { start, text });
        start += text.len() + 1;
    }
    items
}

/// Length of a line's label with the white space around it: digits and a dot.
fn label(line: &[char]) -> usize {
    let run = |from: usize, what: fn(&char) -> bool| {
        line.iter().skip(from).take_while(|c| what(c)).count()
    };
    let indent = run(0, |c| c.is_whitespace());
    let digits = run(indent, char::is_ascii_digit);
    let dot = indent + digits;
    if digits == 0 || line.get(dot) != Some(&'.') {
        return 0;
    }
    dot + 1 + run(dot + 1, |c| c.is_whitespace())
}
