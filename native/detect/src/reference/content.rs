//! The chanting rule on a stream of a reply's text, with the state that the originals keep around it.

use serde::{Deserialize, Serialize};

use super::{
    chanting::{Chant, Chanting, MAX_OCCURRENCES, Rule},
    markup::{Markup, MarkupClasses},
    tape::MAX_HISTORY,
    units::{Ascii, Chunk, Unit, Utf8, Utf16, encode, is_high, is_low},
};
use crate::{LoopKind, TextLoop};

/// Limits of gemini-cli's rule; the defaults are the original's (`@google/gemini-cli-core` 0.61.0).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GeminiContentConfig {
    /// Length of the compared window in UTF-16 code units, 2 to 1,000. Default 50.
    pub window: u32,
    /// How many occurrences of one window make a loop, 3 to 32. Default 10.
    pub occurrences: u32,
    /// Largest mean distance of those occurrences in UTF-16 code units, 1 to 1,000. Default 250.
    pub max_mean_distance: u32,
    /// Most distinct texts between consecutive occurrences, 1 to 31. Default 5.
    pub max_periods: u32,
    /// How much text is remembered, in UTF-16 code units: `window` to 8,000. Default 5,000.
    pub history: u32,
    /// How dividers and list items are recognised. Default `ranges`.
    pub markup: MarkupClasses,
}

impl Default for GeminiContentConfig {
    fn default() -> Self {
        Self {
            window: 50,
            occurrences: 10,
            max_mean_distance: 250,
            max_periods: 5,
            history: 5000,
            markup: MarkupClasses::Ranges,
        }
    }
}

impl GeminiContentConfig {
    /// Says which field is out of its range, and the range.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn validate(&self) -> Result<(), String> {
        validate(self.window, self.occurrences, self.max_mean_distance, self.history)?;
        in_range("max_periods", self.max_periods, 1, MAX_OCCURRENCES as u32 - 1)
    }
}

/// Limits of qwen-code's rule; the defaults are those of its source once both character classes were mended (July 2026:
/// after 0.0.14, before 0.24 with its other window rule).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QwenContentConfig {
    /// Length of the compared window in UTF-16 code units, 2 to 1,000. Default 50.
    pub window: u32,
    /// How many occurrences of one window make a loop, 3 to 32. Default 10.
    pub occurrences: u32,
    /// Largest mean distance of those occurrences in UTF-16 code units, 1 to 1,000. Default 75.
    pub max_mean_distance: u32,
    /// How much text is remembered, in UTF-16 code units: `window` to 8,000. Default 1,000.
    pub history: u32,
    /// How dividers and list items are recognised. Default `literal`; 0.0.14 has `ranges`.
    pub markup: MarkupClasses,
}

impl Default for QwenContentConfig {
    fn default() -> Self {
        Self {
            window: 50,
            occurrences: 10,
            max_mean_distance: 75,
            history: 1000,
            markup: MarkupClasses::Literal,
        }
    }
}

impl QwenContentConfig {
    /// Says which field is out of its range, and the range.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn validate(&self) -> Result<(), String> {
        validate(self.window, self.occurrences, self.max_mean_distance, self.history)
    }
}

fn validate(window: u32, occurrences: u32, distance: u32, history: u32) -> Result<(), String> {
    in_range("window", window, 2, 1000)?;
    in_range("occurrences", occurrences, 3, MAX_OCCURRENCES as u32)?;
    in_range("max_mean_distance", distance, 1, 1000)?;
    in_range("history", history, window, MAX_HISTORY)
}

pub(super) fn in_range(field: &str, value: u32, least: u32, most: u32) -> Result<(), String> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(format!("{field} is {value}; it must be {least} to {most}"))
}

/// gemini-cli's rule on one stream of a reply's text.
#[derive(Clone)]
pub struct GeminiContent(Watch);

impl GeminiContent {
    /// A detector at the start of a stream. Values that [`GeminiContentConfig::validate`] refuses are brought into their
    /// range. Nothing is allocated before the first text.
    pub fn new(config: &GeminiContentConfig) -> Self {
        let periods = Some(config.max_periods);
        let limits = (config.window, config.occurrences, config.max_mean_distance, config.history);
        Self(Watch::new("gemini-cli chanting", limits, periods, config.markup))
    }
}

/// qwen-code's rule on one stream of a reply's text.
#[derive(Clone)]
pub struct QwenContent(Watch);

impl QwenContent {
    /// A detector at the start of a stream. Values that [`QwenContentConfig::validate`] refuses are brought into their
    /// range. Nothing is allocated before the first text.
    pub fn new(config: &QwenContentConfig) -> Self {
        let limits = (config.window, config.occurrences, config.max_mean_distance, config.history);
        Self(Watch::new("qwen-code chanting", limits, None, config.markup))
    }
}

macro_rules! stream {
    ($detector:ident) => {
        impl $detector {
            /// Takes one chunk. Once a loop is found it is said again for every chunk, which is not read, until
            /// [`Self::clear_detection`] or [`Self::reset`].
            pub fn push(&mut self, chunk: &str) -> Option<TextLoop> {
                self.0.push_text(chunk)
            }

            /// As [`Self::push`], in UTF-16 code units. As in the original a half of a surrogate pair at the end of a chunk
            /// is compared at once, before its other half comes.
            pub fn push_utf16(&mut self, chunk: &[u16]) -> Option<TextLoop> {
                self.0.push(&Utf16(chunk))
            }

            /// A tool was called: what came before it is not compared with what comes. A report stands.
            pub fn tool_called(&mut self) {
                self.0.tool_called();
            }

            /// Takes a report back. As in the original the remembered text stays, and so the next text is most often a loop
            /// again.
            pub fn clear_detection(&mut self) {
                self.0.found = None;
            }

            /// A new prompt begins and positions count anew. As in the original an open code fence stays open.
            pub fn reset(&mut self) {
                self.0.reset();
            }

            /// Whether a code fence is open.
            pub(crate) fn is_in_code(&self) -> bool {
                self.0.in_code
            }

            /// Begins behind so many characters and UTF-16 code units, and maybe behind an open code fence.
            pub(crate) fn begin_behind(&mut self, scalars: u64, units: u64, in_code: bool) {
                self.0.read = Read { scalars, units, ..Read::default() };
                self.0.in_code = in_code;
            }
        }

        impl std::fmt::Debug for $detector {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

stream!(GeminiContent);
stream!(QwenContent);

/// Apart, or the room that it takes on the stack would be made ready for every chunk.
#[cold]
#[inline(never)]
fn start(rule: &Rule) -> Box<Chanting> {
    Box::new(Chanting::new(rule.clone()))
}

/// The longest chunk that is looked at as a whole before it is read, and the longest that is looked at word by word.
const QUICK: usize = 1024;
const SHORT: usize = 32;

/// Whether all is ASCII and nothing a line feed or a backtick: in a short chunk eight bytes at a time, some of them twice.
#[inline]
fn is_unmarked_ascii(chunk: &[u8]) -> bool {
    if chunk.len() > SHORT {
        return is_long_unmarked_ascii(chunk);
    }
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = ONES << 7;
    let has_zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let marks = |word: u64| {
        word & HIGHS
            | has_zero(word ^ (ONES * u64::from(b'\n')))
            | has_zero(word ^ (ONES * u64::from(b'`')))
    };
    if let Some(last) = chunk.last_chunk::<8>() {
        let (words, _) = chunk.as_chunks::<8>();
        words.iter().chain([last]).fold(0, |all, word| all | marks(u64::from_ne_bytes(*word))) == 0
    } else if let (Some(first), Some(last)) = (chunk.first_chunk::<4>(), chunk.last_chunk::<4>()) {
        let (first, last) = (u32::from_ne_bytes(*first), u32::from_ne_bytes(*last));
        marks(u64::from(first) << 32 | u64::from(last)) == 0
    } else {
        chunk.iter().all(|byte| marks(u64::from(*byte)) == 0)
    }
}

/// Apart, or the registers that it takes would be saved for every short chunk.
#[inline(never)]
fn is_long_unmarked_ascii(chunk: &[u8]) -> bool {
    chunk.is_ascii() && u8::first_mark(chunk).is_none()
}

/// Whether a chunk of ASCII begins, maybe after a blank, with what nothing in its first line is found after, and is no
/// divider.
#[inline]
fn begins_plainly(chunk: &[u8]) -> bool {
    let is_plain = |byte: u8| {
        (b'!'..=b'~').contains(&byte)
            && !matches!(byte, b'#' | b'>' | b'|' | b'*' | b'+' | b'-' | b'0'..=b'9' | b'`')
    };
    let is_divider = |byte: u8| (b'*'..=b'_').contains(&byte);
    match chunk {
        [b' ', first, ..] => is_plain(*first),
        [first, second, ..] => is_plain(*first) && !(is_divider(*first) && is_divider(*second)),
        _ => false,
    }
}

/// A rule with what it has seen.
#[derive(Clone)]
struct Watch {
    name: &'static str,
    rule: Rule,
    markup: MarkupClasses,
    chanting: Option<Box<Chanting>>,
    in_code: bool,
    found: Option<Box<TextLoop>>,
    read: Read,
}

/// How much was read since the start or the last reset.
#[derive(Debug, Clone, Copy, Default)]
struct Read {
    units: u64,
    scalars: u64,
    ends_in_half: bool,
}

impl Read {
    fn add<U: Unit>(&mut self, units: &[U]) {
        self.units = self.units.wrapping_add(units.len() as u64);
        self.scalars = self.scalars.wrapping_add(units.len() as u64);
        let Some(last) = units.last() else { return };
        // Surrogates are looked for one by one only where there are any.
        if size_of::<U>() > 1
            && units.iter().fold(false, |any, unit| any | (unit.code() & 0xF800 == 0xD800))
        {
            let starts = units.first().is_some_and(|unit| self.ends_in_half && is_low(unit.code()));
            let is_pair = |[unit, next]: &[U; 2]| is_high(unit.code()) & is_low(next.code());
            let pairs = units
                .array_windows()
                .fold(0_u32, |pairs, units| pairs.wrapping_add(u32::from(is_pair(units))));
            self.scalars = self.scalars.wrapping_sub(u64::from(starts) + u64::from(pairs));
        }
        self.ends_in_half = is_high(last.code());
    }
}

impl Watch {
    fn new(
        name: &'static str,
        (window, occurrences, distance, history): (u32, u32, u32, u32),
        max_periods: Option<u32>,
        markup: MarkupClasses,
    ) -> Self {
        let window = window.clamp(2, 1000);
        let occurrences = occurrences.clamp(3, MAX_OCCURRENCES as u32);
        let rule = Rule {
            window,
            occurrences: occurrences as usize,
            max_span: u64::from(distance.clamp(1, 1000) * (occurrences - 1)),
            max_periods: max_periods.map(|most| most.clamp(1, MAX_OCCURRENCES as u32 - 1) as usize),
            history: history.clamp(window, MAX_HISTORY),
        };
        Self {
            name,
            rule,
            markup,
            chanting: None,
            in_code: false,
            found: None,
            read: Read::default(),
        }
    }

    fn push_text(&mut self, chunk: &str) -> Option<TextLoop> {
        let bytes = chunk.as_bytes();
        if !begins_plainly(bytes)
            || bytes.len() > QUICK
            || !is_unmarked_ascii(bytes)
            || self.found.is_some()
        {
            return self.push_marked(chunk);
        }
        // Most chunks: no markup at all.
        let length = bytes.len() as u64;
        self.read.units = self.read.units.wrapping_add(length);
        self.read.scalars = self.read.scalars.wrapping_add(length);
        self.read.ends_in_half = false;
        if self.in_code {
            return None;
        }
        let chanting = self.chanting.get_or_insert_with(|| start(&self.rule));
        let chant = chanting.push(&Ascii(bytes), length)?;
        self.found(&chant)
    }

    /// Apart, or the room that it takes on the stack would be made ready for every chunk.
    #[inline(never)]
    fn push_marked(&mut self, chunk: &str) -> Option<TextLoop> {
        if chunk.is_ascii() {
            self.push(&Ascii(chunk.as_bytes()))
        } else if chunk.len() <= SHORT {
            self.push_encoded::<SHORT>(chunk)
        } else if chunk.len() <= QUICK {
            self.push_encoded::<QUICK>(chunk)
        } else {
            self.push(&Utf8(chunk))
        }
    }

    /// A chunk of at most so many bytes, which are as many units or more: encoded once and not for each look.
    fn push_encoded<const ROOM: usize>(&mut self, chunk: &str) -> Option<TextLoop> {
        let mut buffer = [0; ROOM];
        let (units, _) = encode(chunk, &mut buffer);
        self.push(&Utf16(units))
    }

    fn push(&mut self, chunk: &impl Chunk) -> Option<TextLoop> {
        if let Some(found) = &self.found {
            return Some(TextLoop::clone(found));
        }
        let mut markup = Markup::new(self.markup);
        let before = self.read.units;
        chunk.blocks(|block| {
            markup.read(block);
            self.read.add(block);
        });
        if markup.is_structured() {
            self.forget();
        }
        let was_in_code = self.in_code;
        self.in_code ^= markup.fences() % 2 == 1;
        if was_in_code || self.in_code || markup.is_divider() {
            return None;
        }
        let chanting = self.chanting.get_or_insert_with(|| start(&self.rule));
        let chant = chanting.push(chunk, self.read.units.wrapping_sub(before))?;
        self.found(&chant)
    }

    #[cold]
    fn found(&mut self, chant: &Chant) -> Option<TextLoop> {
        let found = self.report(chant);
        self.found = found.clone().map(Box::new);
        found
    }

    fn tool_called(&mut self) {
        if self.found.is_none() {
            self.forget();
        }
    }

    fn reset(&mut self) {
        self.forget();
        self.found = None;
        self.read = Read::default();
    }

    fn forget(&mut self) {
        if let Some(chanting) = &mut self.chanting {
            chanting.forget();
        }
    }

    fn report(&self, chant: &Chant) -> Option<TextLoop> {
        let tape = self.chanting.as_ref()?.tape();
        let window = u64::from(self.rule.window);
        let place = |position: u64| {
            let back = Read::over(tape.units(position, tape.end()));
            (
                self.read.units.saturating_sub(back.units),
                self.read.scalars.saturating_sub(back.scalars),
            )
        };
        let (onset_utf16, onset) = place(chant.first);
        let (detected_at_utf16, detected_at) = place(chant.last + window);
        let period = match chant.last - chant.previous {
            0 => window,
            period => period,
        };
        let from = chant.last - (chant.last - chant.previous);
        let units: Vec<u16> = tape.units(from, (from + period).min(tape.end())).collect();
        let pattern: String = String::from_utf16_lossy(&units).chars().take(200).collect();
        let (occurrences, span) = (self.rule.occurrences, chant.last - chant.first);
        let mean = span as f64 / (occurrences - 1) as f64;
        let limit = self.rule.max_span / (occurrences as u64 - 1);
        let periods = match self.rule.max_periods {
            Some(most) => format!(", with at most {most} different texts between them"),
            None => String::new(),
        };
        Some(TextLoop {
            kind: LoopKind::ContentChanting,
            rule: self.name.to_owned(),
            onset,
            detected_at,
            onset_utf16,
            detected_at_utf16,
            pattern,
            period,
            repeats: occurrences as u64,
            evidence: format!(
                "The same {window} characters came {occurrences} times from character {onset} on, {mean:.0} apart on \
                 average (limit {limit}){periods}."
            ),
            cleared_by: format!(
                "A mean distance above {limit} characters, or a list item, heading, table, quotation, divider, code fence \
                 or tool call in between."
            ),
        })
    }
}

impl Read {
    fn over(units: impl Iterator<Item = u16>) -> Self {
        let mut read = Self::default();
        units.for_each(|unit| read.add(&[unit]));
        read
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let watch = &mut formatter.debug_struct("Watch");
        watch.field("rule", &self.rule).field("in_code", &self.in_code).field("found", &self.found);
        watch.field("read", &self.read).finish_non_exhaustive()
    }
}
