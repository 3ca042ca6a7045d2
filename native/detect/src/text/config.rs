//! Thresholds of the adaptive rules.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{exact::MAX_PERIOD, folded::MAX_PERIOD_WORDS, history::HISTORY};

/// How much must repeat before it is called a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Copies of the unit, the first included, 2 to 1,000.
    pub copies: u32,
    /// Characters that all copies cover together, 1 to 100,000.
    pub chars: u32,
}

/// [`Evidence`] by what the repeated unit looks like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceByTexture {
    /// Sentences and words.
    pub prose: Evidence,
    /// List items, headings, quotes.
    pub list: Evidence,
    /// Table rows and columns.
    pub table: Evidence,
    /// Words inside a code fence.
    pub fenced: Evidence,
    /// Source code, in a fence or not.
    pub code: Evidence,
    /// Numbers, ids, base64, hex, links, cells of a row, one letter for ever.
    pub data: Evidence,
    /// Several digits without anything between: long numbers, bit strings; and lines of one number or one letter again
    /// and again.
    pub digits: Evidence,
    /// Different signs within a line, or lines of a sign or two, without a letter or a digit.
    pub signs: Evidence,
    /// One sign or blanks for ever, and drawings of lines: dividers, leaders, empty tables.
    pub symbols: Evidence,
}

/// The largest share of new characters in the copies after the first, in percent, 0 to 40. Numbers that count on by
/// the same step and words that return from the copy before the last are not new; neither are ids in sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Novelty {
    /// In sentences.
    pub prose: u32,
    /// In list items and single lines that are no sentences.
    pub list: u32,
    /// In short units, where one word is a large share of what is said.
    pub short: u32,
    /// In tables, code and data.
    pub other: u32,
}

/// Thresholds of the adaptive rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextConfig {
    /// Whether literal repetition is looked for.
    pub exact: bool,
    /// Whether repetition with changed numbers and words is looked for.
    pub folded: bool,
    /// Whether prose is looked for that says the same again in another order.
    pub stale: bool,
    /// The longest period of literal repetition in characters, 2 to 3,000.
    pub max_period: u32,
    /// The longest period of repetition with changes in words and signs, 1 to 1,000.
    pub max_period_words: u32,
    /// What literal repetition needs. Code, data and digits that stand in plain text, or at a stream's start, need no
    /// more than prose; data that is objects of JSON, or at least three different numbers of a list, no more characters
    /// than code, and data that is values which differ from each other no more copies either.
    pub exact_evidence: EvidenceByTexture,
    /// What repetition with changes needs while nothing is new in a copy.
    pub folded_evidence: EvidenceByTexture,
    /// What repetition needs in which nothing changes but numbers that count on by one step, of whatever size. `table` is
    /// for rows between bars or behind their number; objects of JSON need as many copies, and as many characters as `code`,
    /// or as `list` if they hold little but numbers. `fenced` is for code and links there, too, `code` for lines of a log,
    /// too, with `short_unit_copies` more; one or two lines of `code` that are no object of JSON need as many characters as
    /// by `folded_evidence`.
    pub counting_evidence: EvidenceByTexture,
    /// How much may be new in each copy in repetition with changes.
    pub novelty: Novelty,
    /// How many percent of new characters cost one more copy, 1 to 100.
    pub novelty_percent_per_copy: u32,
    /// A unit of fewer words is short, 0 to 100.
    pub short_unit_words: u32,
    /// How many copies more a short unit of prose or of a list needs when it changes, 0 to 100; twice as many without
    /// the end of a sentence in it. A line that is no sentence needs twice as many more, whatever its length.
    pub short_unit_copies: u32,
    /// A unit of at least as many characters is long, 1 to 100,000: literally repeated it needs as many copies as prose.
    pub long_unit: u32,
    /// How many copies a long unit of plain prose needs when it changes, 2 to 1,000; novelty adds to them.
    pub long_unit_copies: u32,
    /// How many characters must pass without news before prose is stale, 200 to 4,000.
    pub stale_chars: u32,
    /// How often they must say the same again, 1 to 100.
    pub stale_rounds: u32,
}

impl Default for TextConfig {
    fn default() -> Self {
        Self {
            exact: true,
            folded: true,
            stale: true,
            max_period: MAX_PERIOD,
            max_period_words: MAX_PERIOD_WORDS,
            exact_evidence: EvidenceByTexture {
                prose: Evidence { copies: 4, chars: 100 },
                list: Evidence { copies: 4, chars: 100 },
                table: Evidence { copies: 4, chars: 100 },
                fenced: Evidence { copies: 4, chars: 100 },
                code: Evidence { copies: 4, chars: 200 },
                data: Evidence { copies: 8, chars: 600 },
                digits: Evidence { copies: 4, chars: 4000 },
                signs: Evidence { copies: 4, chars: 100 },
                symbols: Evidence { copies: 4, chars: 500 },
            },
            folded_evidence: EvidenceByTexture {
                prose: Evidence { copies: 4, chars: 150 },
                list: Evidence { copies: 5, chars: 200 },
                table: Evidence { copies: 12, chars: 400 },
                fenced: Evidence { copies: 8, chars: 250 },
                code: Evidence { copies: 20, chars: 1000 },
                data: Evidence { copies: 60, chars: 4000 },
                digits: Evidence { copies: 60, chars: 4000 },
                signs: Evidence { copies: 60, chars: 4000 },
                symbols: Evidence { copies: 60, chars: 4000 },
            },
            counting_evidence: EvidenceByTexture {
                prose: Evidence { copies: 4, chars: 150 },
                list: Evidence { copies: 5, chars: 200 },
                table: Evidence { copies: 8, chars: 120 },
                fenced: Evidence { copies: 5, chars: 250 },
                code: Evidence { copies: 6, chars: 400 },
                data: Evidence { copies: 16, chars: 600 },
                digits: Evidence { copies: 60, chars: 4000 },
                signs: Evidence { copies: 60, chars: 4000 },
                symbols: Evidence { copies: 60, chars: 4000 },
            },
            novelty: Novelty::default(),
            novelty_percent_per_copy: 3,
            short_unit_words: 8,
            short_unit_copies: 2,
            long_unit: 200,
            long_unit_copies: 3,
            stale_chars: 800,
            stale_rounds: 3,
        }
    }
}

impl Default for Novelty {
    fn default() -> Self {
        Self { prose: 10, list: 5, short: 1, other: 1 }
    }
}

impl TextConfig {
    /// Says which field is out of its range, and the range.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn validate(&self) -> Result<(), String> {
        let in_range =
            |field: &str, value, least, most| in_range(format_args!("{field}"), value, least, most);
        in_range("max_period", self.max_period, 2, MAX_PERIOD)?;
        in_range("max_period_words", self.max_period_words, 1, MAX_PERIOD_WORDS)?;
        self.exact_evidence.validate("exact_evidence")?;
        self.folded_evidence.validate("folded_evidence")?;
        self.counting_evidence.validate("counting_evidence")?;
        let novelty = [
            ("novelty.prose", self.novelty.prose),
            ("novelty.list", self.novelty.list),
            ("novelty.short", self.novelty.short),
            ("novelty.other", self.novelty.other),
        ];
        for (field, value) in novelty {
            in_range(field, value, 0, 40)?;
        }
        in_range("novelty_percent_per_copy", self.novelty_percent_per_copy, 1, 100)?;
        in_range("short_unit_words", self.short_unit_words, 0, 100)?;
        in_range("short_unit_copies", self.short_unit_copies, 0, 100)?;
        in_range("long_unit", self.long_unit, 1, 100_000)?;
        in_range("long_unit_copies", self.long_unit_copies, 2, 1000)?;
        in_range("stale_chars", self.stale_chars, 200, HISTORY as u32 - 96)?;
        in_range("stale_rounds", self.stale_rounds, 1, 100)
    }
}

impl EvidenceByTexture {
    fn all(&self) -> [Evidence; 9] {
        [
            self.prose,
            self.list,
            self.table,
            self.fenced,
            self.code,
            self.data,
            self.digits,
            self.signs,
            self.symbols,
        ]
    }

    /// What no texture needs less of.
    pub(super) fn least(&self) -> Evidence {
        let least = |of: fn(&Evidence) -> u32| self.all().iter().map(of).min().unwrap_or(1);
        Evidence {
            copies: least(|evidence| evidence.copies),
            chars: least(|evidence| evidence.chars),
        }
    }

    fn validate(&self, name: &str) -> Result<(), String> {
        let names =
            ["prose", "list", "table", "fenced", "code", "data", "digits", "signs", "symbols"];
        for (texture, evidence) in names.into_iter().zip(self.all()) {
            in_range(format_args!("{name}.{texture}.copies"), evidence.copies, 2, 1000)?;
            in_range(format_args!("{name}.{texture}.chars"), evidence.chars, 1, 100_000)?;
        }
        Ok(())
    }
}

fn in_range(field: fmt::Arguments<'_>, value: u32, least: u32, most: u32) -> Result<(), String> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(format!("{field} is {value}; it must be {least} to {most}"))
}
