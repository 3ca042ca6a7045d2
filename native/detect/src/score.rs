//! Measures a detector on recorded texts: recall, false alarms, latency, onset.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::TextLoop;

/// A recorded text and what is known about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Its name; a number is read as its digits.
    #[serde(deserialize_with = "name")]
    pub id: String,
    /// The text.
    pub text: String,
    /// Whether it runs into a loop.
    #[serde(rename = "loop")]
    pub is_loop: bool,
    /// What kind of loop or of text.
    #[serde(default)]
    pub kind: String,
    /// Where the first copy of the repeated unit begins, in Unicode scalar values.
    #[serde(default)]
    pub onset_char: Option<u64>,
}

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(name) => Ok(name),
        other => Ok(other.to_string()),
    }
}

/// What a detector said about a [`Case`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The case's id.
    pub id: String,
    /// The case's kind.
    pub kind: String,
    /// Whether it is a loop.
    pub is_loop: bool,
    /// Where the loop begins, if that is known.
    pub onset: Option<u64>,
    /// What was found.
    pub found: Option<TextLoop>,
}

/// Which part of the cases: thresholds are chosen on one, judged on the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Two thirds of the cases.
    Development,
    /// The remaining third.
    HoldOut,
}

/// The part that a case belongs to: by FNV-1a of its id, so that it never changes.
pub fn part_of(id: &str) -> Part {
    let hash = id
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01B3));
    if (hash >> 32).is_multiple_of(3) { Part::HoldOut } else { Part::Development }
}

/// Runs `detect` on every case.
pub fn run<'a>(
    cases: impl IntoIterator<Item = &'a Case>,
    mut detect: impl FnMut(&str) -> Option<TextLoop>,
) -> Vec<Outcome> {
    cases
        .into_iter()
        .map(|case| Outcome {
            id: case.id.clone(),
            kind: case.kind.clone(),
            is_loop: case.is_loop,
            onset: case.onset_char,
            found: detect(&case.text),
        })
        .collect()
}

/// How many of how many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// Those that count.
    pub hits: usize,
    /// All.
    pub of: usize,
}

impl Share {
    /// Counts one more.
    pub fn add(&mut self, hit: bool) {
        self.hits += usize::from(hit);
        self.of += 1;
    }

    /// As a fraction; 0 of nothing is 0.
    pub fn fraction(self) -> f64 {
        self.hits as f64 / self.of.max(1) as f64
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} ({:.1} %)", self.hits, self.of, self.fraction() * 100.0)
    }
}

/// Quartiles and extremes of a set of numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spread {
    /// The smallest.
    pub min: f64,
    /// Half are at most this.
    pub median: f64,
    /// Nine of ten are at most this.
    pub p90: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    /// The spread of `values`; zeros when there are none.
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let index = (values.len().saturating_sub(1) as f64 * share).round() as usize;
            values.get(index).copied().unwrap_or(0.0)
        };
        Self { min: at(0.0), median: at(0.5), p90: at(0.9), max: at(1.0) }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { min, median, p90, max } = self;
        write!(f, "min {min:.1}, median {median:.1}, p90 {p90:.1}, max {max:.1}")
    }
}

/// How long reports took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Latency {
    /// Characters read from the onset to the report.
    pub chars: Spread,
    /// The same in periods.
    pub periods: Spread,
}

/// A report is prompt within so many periods or characters, whichever is more.
const PROMPT_PERIODS: u64 = 4;
const PROMPT_CHARS: u64 = 100;

/// What a set of outcomes amounts to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Score {
    /// Loops found, by kind of loop. A report from before a loop's onset does not count.
    pub recall: BTreeMap<String, Share>,
    /// Healthy texts called loops, by kind of text.
    pub false_alarms: BTreeMap<String, Share>,
    /// Loops found, in all.
    pub found: Share,
    /// False alarms, in all.
    pub alarms: Share,
    /// Loops found within four periods or 100 characters of the onset, whichever is more, of all.
    pub prompt: Share,
    /// How long the reports took.
    pub latency: Latency,
    /// The same by kind of loop.
    pub latency_by_kind: BTreeMap<String, Latency>,
    /// Characters between the onset and the reported one.
    pub onset_error: Spread,
}

impl Score {
    /// The score of `outcomes`.
    pub fn of(outcomes: &[Outcome]) -> Self {
        let mut score = Self::default();
        let mut delays = BTreeMap::<&str, Delays>::new();
        let mut error = Vec::new();
        for outcome in outcomes {
            if !outcome.is_loop {
                let hit = outcome.found.is_some();
                score.false_alarms.entry(outcome.kind.clone()).or_default().add(hit);
                score.alarms.add(hit);
                continue;
            }
            // A report from before the onset is about something else.
            let is_of_it = |found: &&TextLoop| outcome.onset.is_none_or(|o| found.detected_at > o);
            let found = outcome.found.as_ref().filter(is_of_it);
            score.recall.entry(outcome.kind.clone()).or_default().add(found.is_some());
            score.found.add(found.is_some());
            let Some(onset) = outcome.onset else { continue };
            let Some(found) = found else {
                score.prompt.add(false);
                continue;
            };
            let delay = found.detected_at.saturating_sub(onset);
            score.prompt.add(delay <= PROMPT_CHARS.max(PROMPT_PERIODS * found.period));
            delays.entry(&outcome.kind).or_default().add(delay, found.period);
            error.push(found.onset.abs_diff(onset) as f64);
        }
        let mut all = Delays::default();
        for (kind, delays) in delays {
            all.chars.extend(&delays.chars);
            all.periods.extend(&delays.periods);
            score.latency_by_kind.insert(kind.to_owned(), delays.into());
        }
        score.latency = all.into();
        score.onset_error = Spread::of(error);
        score
    }
}

/// Delays of several reports.
#[derive(Default)]
struct Delays {
    chars: Vec<f64>,
    periods: Vec<f64>,
}

impl Delays {
    fn add(&mut self, chars: u64, period: u64) {
        self.chars.push(chars as f64);
        self.periods.push(chars as f64 / period.max(1) as f64);
    }
}

impl From<Delays> for Latency {
    fn from(delays: Delays) -> Self {
        Self { chars: Spread::of(delays.chars), periods: Spread::of(delays.periods) }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "loops found        {}", self.found)?;
        for (kind, share) in &self.recall {
            writeln!(f, "  {kind:<16} {share}")?;
        }
        writeln!(f, "false alarms       {}", self.alarms)?;
        for (kind, share) in self.false_alarms.iter().filter(|(_, share)| share.hits > 0) {
            writeln!(f, "  {kind:<16} {share}")?;
        }
        writeln!(f, "found promptly     {}", self.prompt)?;
        writeln!(f, "latency (chars)    {}", self.latency.chars)?;
        writeln!(f, "latency (periods)  {}", self.latency.periods)?;
        for (kind, latency) in &self.latency_by_kind {
            writeln!(f, "  {kind:<16} {}", latency.periods)?;
        }
        write!(f, "onset error        {}", self.onset_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{AdaptiveText, TextConfig};

    fn outcome(kind: &str, before: &str, unit: &str, onset: u64) -> Outcome {
        let text = format!("{before}{}", unit.repeat(12));
        Outcome {
            id: kind.to_owned(),
            kind: kind.to_owned(),
            is_loop: true,
            onset: Some(onset),
            found: AdaptiveText::new(&TextConfig::default()).push(&text),
        }
    }

    #[test]
    fn a_score_tells_kinds_apart_and_counts_no_report_from_before_the_onset() {
        let unit = "I should read the whole file once more before I go on. ";
        let found = outcome("sentence", "First of all: ", unit, 14);
        let early = outcome("list", "", unit, 5000);
        let missed = Outcome { found: None, ..early.clone() };
        let score = Score::of(&[found, early, missed]);
        assert_eq!(score.found, Share { hits: 1, of: 3 });
        assert_eq!(score.recall.get("list"), Some(&Share { hits: 0, of: 2 }));
        assert_eq!(score.prompt, Share { hits: 1, of: 3 });
        let kinds: Vec<_> = score.latency_by_kind.keys().collect();
        assert_eq!(kinds, ["sentence"]);
        // The blank before the unit is as that at its end: four copies are complete a character earlier.
        assert_eq!(score.latency.chars.median, 4.0 * unit.len() as f64 - 1.0);
        assert_eq!(score.latency_by_kind.get("sentence"), Some(&score.latency));
    }
}
