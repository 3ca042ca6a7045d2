//! Meaning that goes in circles in ever other words: the vector of each paragraph against those of the last ones.
//!
//! No rule for words sees it. It costs a model call a paragraph, so it is off unless
//! [`SemanticConfig::enabled`] is set, and happens only when the host asks for it.

use std::{collections::VecDeque, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    Chunk, LoopKind, TextLoop,
    judge::{BoxFuture, in_time},
    text::{Fence, Utf16Decoder},
};

/// Paragraphs that wait for their vectors; if a host asks for none, the oldest are left out.
const WAITING: usize = 16;
/// A paragraph of so many characters ends with its sentence.
const LONG: usize = 800;
/// Of a paragraph that is longer still, the rest begins another one.
const LONGEST: usize = 2000;
/// Characters of a paragraph that are shown.
const PATTERN_CHARS: usize = 200;

/// The host's port to a model that turns text into vectors, and to its clock.
pub trait Embedder: Send + Sync {
    /// The vector of a text; all must have one length. Dropping the future cancels the request. An error's text is kept
    /// for the host's debug log.
    fn embed(&self, text: String) -> BoxFuture<'_, Result<Vec<f32>, String>>;

    /// Completes when so much time has passed: the time-out of a request.
    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()>;
}

/// When paragraphs say the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SemanticConfig {
    /// Whether paragraphs are kept to be compared. Off by default: each costs a model call.
    pub enabled: bool,
    /// From which cosine on two paragraphs say the same, 0.5 to 1. What is right depends on the model.
    pub similarity: f64,
    /// How many paragraphs in a row must say what an earlier one said, 2 to 100.
    pub paragraphs: u32,
    /// With how many paragraphs before it each is compared, 1 to 64.
    pub window: u32,
    /// Shorter paragraphs are left out, 1 to 1,000 characters.
    pub least_chars: u32,
    /// How long a vector may take, in seconds, 1 to 600.
    pub timeout_seconds: u32,
}

impl Eq for SemanticConfig {}

impl Default for SemanticConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            similarity: 0.92,
            paragraphs: 4,
            window: 8,
            least_chars: 60,
            timeout_seconds: 10,
        }
    }
}

impl SemanticConfig {
    /// Says which field is out of range, what it is and what the range is.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn validate(&self) -> Result<(), String> {
        for (field, value, least, most) in [
            ("paragraphs", self.paragraphs, 2, 100),
            ("window", self.window, 1, 64),
            ("least_chars", self.least_chars, 1, 1000),
            ("timeout_seconds", self.timeout_seconds, 1, 600),
        ] {
            if !(least..=most).contains(&value) {
                return Err(format!("`{field}` is {value}; it must be {least} to {most}"));
            }
        }
        if !(0.5..=1.0).contains(&self.similarity) {
            return Err(format!("`similarity` is {}; it must be 0.5 to 1", self.similarity));
        }
        Ok(())
    }
}

/// Finds paragraphs of one stream that say again what the last ones said.
///
/// Text in code fences is left out. A paragraph ends at an empty line, a long one with its sentence.
#[derive(Debug, Clone)]
pub struct SemanticDetector {
    config: SemanticConfig,
    fence: Fence,
    utf16: Utf16Decoder,
    read: Place,
    open: Paragraph,
    /// Nothing but blanks stands in the line so far.
    empty_line: bool,
    waiting: VecDeque<Paragraph>,
    known: VecDeque<(Place, Vec<f32>)>,
    /// Paragraphs in a row that said nothing new, and where what they said was said first.
    row: u32,
    onset: Place,
    found: Option<Box<TextLoop>>,
}

/// How much was read.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    chars: u64,
    utf16: u64,
}

#[derive(Debug, Clone, Default)]
struct Paragraph {
    text: String,
    chars: usize,
    start: Place,
    end: Place,
}

impl SemanticDetector {
    /// A detector at the start of a stream.
    pub fn new(config: &SemanticConfig) -> Self {
        Self {
            config: config.clone(),
            fence: Fence::default(),
            utf16: Utf16Decoder::default(),
            read: Place::default(),
            open: Paragraph::default(),
            empty_line: true,
            waiting: VecDeque::new(),
            known: VecDeque::new(),
            row: 0,
            onset: Place::default(),
            found: None,
        }
    }

    /// Reads more text, cut anywhere.
    pub fn push(&mut self, chunk: &Chunk<'_>) {
        match chunk {
            Chunk::Utf8(text) => {
                if !text.is_empty()
                    && let Some(half) = self.utf16.flush()
                {
                    self.take(half);
                }
                text.chars().for_each(|c| self.take(u32::from(c)));
            }
            Chunk::Utf16(units) => {
                let mut decoder = std::mem::take(&mut self.utf16);
                units.iter().for_each(|unit| decoder.push(*unit, |c| self.take(c)));
                self.utf16 = decoder;
            }
        }
    }

    fn take(&mut self, c: u32) {
        let c = char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER);
        if self.open.chars == 0 {
            self.open.start = self.read;
        }
        self.read.chars += 1;
        self.read.utf16 += c.len_utf16() as u64;
        let fenced = self.fence.is_open();
        if c == '\n' {
            self.fence.end_line();
            if self.empty_line || fenced != self.fence.is_open() {
                self.end_paragraph(fenced);
            }
            self.empty_line = true;
        } else {
            self.fence.step(u32::from(c));
            self.empty_line &= c.is_whitespace();
        }
        if self.open.chars > 0 || !c.is_whitespace() {
            self.open.text.push(c);
            self.open.chars += 1;
        }
        let sentence_ends =
            matches!(c, '.' | '!' | '?' | '\u{3002}' | '\u{FF01}' | '\u{FF1F}' | '\n');
        if self.open.chars >= LONGEST || self.open.chars >= LONG && sentence_ends {
            self.end_paragraph(fenced);
        }
    }

    fn end_paragraph(&mut self, fenced: bool) {
        let paragraph = std::mem::take(&mut self.open);
        if fenced || paragraph.chars < self.config.least_chars as usize {
            return;
        }
        if self.waiting.len() >= WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back(Paragraph { end: self.read, ..paragraph });
    }

    /// The next paragraph whose vector is wanted; [`Self::embedded`] takes it.
    pub fn next_paragraph(&self) -> Option<&str> {
        let paragraph = self.waiting.front().filter(|_| self.found.is_none());
        paragraph.map(|paragraph| paragraph.text.trim())
    }

    /// Takes the vector of [`Self::next_paragraph`]. Once a loop is found it stays found until [`Self::reset`].
    pub fn embedded(&mut self, vector: &[f32]) -> Option<TextLoop> {
        if self.found.is_none()
            && let Some(paragraph) = self.waiting.pop_front()
        {
            self.compare(&paragraph, vector);
        }
        self.found()
    }

    /// The loop that was found.
    pub fn found(&self) -> Option<TextLoop> {
        self.found.as_deref().cloned()
    }

    fn compare(&mut self, paragraph: &Paragraph, vector: &[f32]) {
        let vector = unit(vector);
        let closest = self
            .known
            .iter()
            .map(|(place, known)| (*place, cosine(known, &vector)))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        match closest {
            Some((place, cosine)) if cosine >= self.config.similarity => {
                if self.row == 0 {
                    self.onset = place;
                }
                self.row += 1;
                if self.row >= self.config.paragraphs {
                    self.found = Some(Box::new(self.describe(paragraph, cosine)));
                }
            }
            _ => self.row = 0,
        }
        if self.known.len() >= self.config.window as usize {
            self.known.pop_front();
        }
        self.known.push_back((paragraph.start, vector));
    }

    fn describe(&self, paragraph: &Paragraph, cosine: f64) -> TextLoop {
        let pattern: String = paragraph.text.trim().chars().take(PATTERN_CHARS).collect();
        let (row, onset, end) = (u64::from(self.row), self.onset, paragraph.end);
        TextLoop {
            kind: LoopKind::Semantic,
            rule: "same_meaning".into(),
            onset: onset.chars,
            detected_at: end.chars,
            onset_utf16: onset.utf16,
            detected_at_utf16: end.utf16,
            period: (end.chars - onset.chars) / (row + 1),
            repeats: row + 1,
            evidence: format!(
                "{row} paragraphs in a row say in other words what was said from character {} on; the last one, {pattern:?}, \
                 resembles an earlier one by {cosine:.2} (threshold {}, {} paragraphs).",
                onset.chars, self.config.similarity, self.config.paragraphs
            ),
            cleared_by: "A paragraph that says something else.".into(),
            pattern,
        }
    }

    /// Asks for the vectors of the paragraphs that wait, one after the other.
    ///
    /// # Errors
    /// What the embedder said, or that it took too long. The paragraph is left out.
    pub(crate) async fn check(&mut self, embedder: &dyn Embedder) -> Result<(), String> {
        while let Some(paragraph) = self.next_paragraph() {
            let answer = embedder.embed(paragraph.to_owned());
            let seconds = self.config.timeout_seconds;
            let limit = embedder.sleep(Duration::from_secs(seconds.into()));
            match in_time(answer, limit, seconds).await {
                Ok(vector) => {
                    self.embedded(&vector);
                }
                Err(why) => {
                    self.waiting.pop_front();
                    return Err(why);
                }
            }
        }
        Ok(())
    }

    /// Forgets the text and the loop found in it.
    pub fn reset(&mut self) {
        *self = Self::new(&self.config);
    }
}

/// The vector with length 1; one without a direction is empty.
fn unit(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    if !length.is_normal() {
        return Vec::new();
    }
    vector.iter().map(|x| (f64::from(*x) / length) as f32).collect()
}

/// Of two vectors of length 1; 0 where their lengths differ.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
}
