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
    /// Source code, and anything inside a code fence.
    pub code: Evidence,
    /// Numbers, ids, base64, hex.
    pub data: Evidence,
    /// Units without a letter or a digit: dividers, blanks, punctuation.
    pub symbols: Evidence,
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
    /// The longest period in characters, 2 to 3,000.
    pub max_period: u32,
    /// The longest period in words and signs, 1 to 1,000.
    pub max_period_words: u32,
    /// What literal repetition needs.
    pub exact_evidence: EvidenceByTexture,
    /// What repetition with changes needs when nothing but foretold numbers changes.
    pub folded_evidence: EvidenceByTexture,
    /// The largest share of new characters in repetition with changes, in percent, 0 to 40.
    pub max_novelty_percent: u32,
    /// The same where the text is no prose: in tables, code and data, in percent, 0 to 40.
    pub max_structured_novelty_percent: u32,
    /// A unit of fewer words is short: with changes, it needs two copies more.
    pub short_unit_words: u32,
    /// A unit of at least as many characters of prose needs one copy less.
    pub long_unit: u32,
    /// How many percent of new characters cost one more copy.
    pub novelty_percent_per_copy: u32,
}

impl Default for TextConfig {
    fn default() -> Self {
        Self {
            exact: true,
            folded: true,
            stale: true,
            stale_chars: 1000,
            max_period: 3000,
            max_period_words: 1000,
            exact_evidence: EvidenceByTexture::exact(),
            folded_evidence: EvidenceByTexture::folded(),
            max_novelty_percent: 12,
            max_structured_novelty_percent: 1,
            short_unit_words: 8,
            long_unit: 200,
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
            code: Evidence { copies: 12, chars: 350 },
            data: Evidence { copies: 30, chars: 2000 },
            symbols: Evidence { copies: 40, chars: 2000 },
        }
    }
}
