//! The checkpoint rule for reasoning.

use serde::{Deserialize, Serialize};

use crate::TextLoop;

/// Which checks run where; the defaults are the original's. Lengths are in Unicode scalar values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CheckpointsConfig {
    /// Off: nothing is ever found.
    pub enabled: bool,
    /// Where the last characters are searched for a short sequence.
    pub short_sequence_at: u32,
    /// Where, in ascending order, the text since the checkpoint before is searched for paragraphs and list items.
    pub period_at: Vec<u32>,
}

impl Default for CheckpointsConfig {
    fn default() -> Self {
        Self { enabled: true, short_sequence_at: 2000, period_at: vec![3000, 5000] }
    }
}

impl CheckpointsConfig {
    /// Says which field is out of range and what the range is.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Watches one stream of reasoning.
#[derive(Debug, Clone)]
pub struct CheckpointReasoning {
    _config: CheckpointsConfig,
}

impl CheckpointReasoning {
    /// A detector at the start of a stream.
    pub fn new(config: &CheckpointsConfig) -> Self {
        Self { _config: config.clone() }
    }

    /// Takes one chunk.
    pub fn push(&mut self, _chunk: &str) -> Option<TextLoop> {
        None
    }

    /// As [`Self::push`], in UTF-16 code units.
    pub fn push_utf16(&mut self, _chunk: &[u16]) -> Option<TextLoop> {
        None
    }

    /// A new stream begins.
    pub fn reset(&mut self) {}
}
