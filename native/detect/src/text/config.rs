//! Thresholds of the adaptive rules.

use serde::{Deserialize, Serialize};

/// How much must repeat before it is called a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Copies of the unit, the first included.
    pub copies: u32,
    /// Characters that all copies cover together.
    pub chars: u32,
}

/// [`Evidence`] by what the repeated unit looks like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvidenceByTexture {
    /// Sentences and words.
    pub prose: Evidence,
    /// List items, headings, quotes.
    pub list: Evidence,
    /// Table rows.
    pub table: Evidence,
    /// Words inside a code fence.
    pub fenced: Evidence,
    /// Source code.
    pub code: Evidence,
    /// Numbers, ids, base64, hex.
    pub data: Evidence,
    /// Units without a letter or a digit: dividers, blanks, punctuation.
    pub symbols: Evidence,
}

/// The largest share of new characters in the copies after the first, in percent, 0 to 40. Numbers that count on by
/// the same step are not new.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Novelty {
    /// In sentences.
    pub prose: u32,
    /// In list items.
    pub list: u32,
    /// In short units, where one word is a large share of what is said.
    pub short: u32,
    /// In tables, code and data.
    pub other: u32,
}

impl Default for Novelty {
    fn default() -> Self {
        Self { prose: 10, list: 5, short: 1, other: 1 }
    }
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
    /// Characters of such prose.
    pub stale_chars: u32,
    /// How often it must say so.
    pub stale_rounds: u32,
    /// The longest period in characters, 2 to 3,000.
    pub max_period: u32,
    /// The longest period in words and signs, 1 to 1,000.
    pub max_period_words: u32,
    /// What literal repetition needs.
    pub exact_evidence: EvidenceByTexture,
    /// What repetition with changes needs when nothing but foretold numbers changes.
    pub folded_evidence: EvidenceByTexture,
    /// How much may be new in each copy in repetition with changes.
    pub novelty: Novelty,
    /// A unit of fewer words is short.
    pub short_unit_words: u32,
    /// How many copies more a short unit of prose or of a list needs when it changes.
    pub short_unit_copies: u32,
    /// A unit of at least as many characters of plain prose is long.
    pub long_unit: u32,
    /// How many copies a long unit needs, changed or not.
    pub long_unit_copies: u32,
    /// How many percent of new characters cost one more copy.
    pub novelty_percent_per_copy: u32,
}

impl Default for TextConfig {
    fn default() -> Self {
        Self {
            exact: true,
            folded: true,
            stale: true,
            stale_chars: 800,
            stale_rounds: 3,
            max_period: 3000,
            max_period_words: 1000,
            exact_evidence: EvidenceByTexture::exact(),
            folded_evidence: EvidenceByTexture::folded(),
            novelty: Novelty::default(),
            short_unit_words: 8,
            short_unit_copies: 2,
            long_unit: 200,
            long_unit_copies: 3,
            novelty_percent_per_copy: 3,
        }
    }
}

impl Default for EvidenceByTexture {
    fn default() -> Self {
        Self::exact()
    }
}

impl EvidenceByTexture {
    fn exact() -> Self {
        Self {
            prose: Evidence { copies: 4, chars: 100 },
            list: Evidence { copies: 5, chars: 200 },
            table: Evidence { copies: 5, chars: 300 },
            fenced: Evidence { copies: 5, chars: 200 },
            code: Evidence { copies: 5, chars: 250 },
            data: Evidence { copies: 8, chars: 500 },
            symbols: Evidence { copies: 4, chars: 1000 },
        }
    }

    fn folded() -> Self {
        Self {
            prose: Evidence { copies: 4, chars: 150 },
            list: Evidence { copies: 5, chars: 200 },
            table: Evidence { copies: 12, chars: 400 },
            fenced: Evidence { copies: 8, chars: 250 },
            code: Evidence { copies: 20, chars: 500 },
            data: Evidence { copies: 60, chars: 4000 },
            symbols: Evidence { copies: 60, chars: 4000 },
        }
    }
}
