//! One stream of text, whatever the profile.

use crate::{
    TextLoop,
    text::{AdaptiveText, TextConfig},
};

/// Finds loops in one stream of text by one of the profiles.
#[derive(Debug, Clone)]
pub enum StreamDetector {
    /// Continuous, on any text.
    Adaptive(AdaptiveText),
}

impl StreamDetector {
    /// The default profile with these thresholds.
    pub fn adaptive(config: &TextConfig) -> Self {
        Self::Adaptive(AdaptiveText::new(config))
    }

    /// Reads more text. Once a loop is found, every later call returns it until [`reset`](Self::reset).
    pub fn push(&mut self, text: &str) -> Option<TextLoop> {
        match self {
            Self::Adaptive(detector) => detector.push(text),
        }
    }

    /// As [`push`](Self::push), with UTF-16 code units, which may be cut anywhere.
    pub fn push_utf16(&mut self, units: &[u16]) -> Option<TextLoop> {
        match self {
            Self::Adaptive(detector) => detector.push_utf16(units),
        }
    }

    /// Forgets the text read and the loop found in it.
    pub fn reset(&mut self) {
        match self {
            Self::Adaptive(detector) => detector.reset(),
        }
    }
}
