//! One stream of text, whatever the profile.

use crate::{
    Config, Profile, TextLoop,
    reference::{CheckpointReasoning, GeminiContent, QwenContent},
    text::{AdaptiveText, TextConfig},
};

/// Finds loops in one stream of text by the rules of one profile.
///
/// ```
/// use ouro_detect::{StreamDetector, text::TextConfig};
///
/// let mut detector = StreamDetector::adaptive(&TextConfig::default());
/// assert!(detector.push("Let me think about it. ").is_none());
/// let found = (0..10).find_map(|_| detector.push("I should read the file once more. ")).unwrap();
/// assert_eq!((found.onset, found.period, found.repeats), (23, 34, 4));
/// ```
#[derive(Debug, Clone)]
pub enum StreamDetector {
    /// The default: continuous, on any text.
    Adaptive(AdaptiveText),
    /// gemini-cli's rule for content.
    GeminiCli(GeminiContent),
    /// qwen-code's rule for content.
    QwenCode(QwenContent),
    /// The checkpoint rule for reasoning.
    Checkpoints(CheckpointReasoning),
}

impl StreamDetector {
    /// A detector for the profile that `config` names. Nothing is allocated before the first text.
    pub fn new(config: &Config) -> Self {
        match config.profile {
            Profile::Adaptive => Self::Adaptive(AdaptiveText::new(&config.text)),
            Profile::GeminiCli => Self::GeminiCli(GeminiContent::new(&config.gemini_content)),
            Profile::QwenCode => Self::QwenCode(QwenContent::new(&config.qwen_content)),
            Profile::Checkpoints => {
                Self::Checkpoints(CheckpointReasoning::new(&config.checkpoints))
            }
        }
    }

    /// The default profile with these thresholds.
    pub fn adaptive(config: &TextConfig) -> Self {
        Self::Adaptive(AdaptiveText::new(config))
    }

    /// Reads more text, cut anywhere. Once a loop is found, every later call says so until [`reset`](Self::reset).
    pub fn push(&mut self, text: &str) -> Option<TextLoop> {
        match self {
            Self::Adaptive(detector) => detector.push(text),
            Self::GeminiCli(detector) => detector.push(text),
            Self::QwenCode(detector) => detector.push(text),
            Self::Checkpoints(detector) => detector.push(text),
        }
    }

    /// As [`push`](Self::push), in UTF-16 code units, cut anywhere, also within a surrogate pair.
    pub fn push_utf16(&mut self, units: &[u16]) -> Option<TextLoop> {
        match self {
            Self::Adaptive(detector) => detector.push_utf16(units),
            Self::GeminiCli(detector) => detector.push_utf16(units),
            Self::QwenCode(detector) => detector.push_utf16(units),
            Self::Checkpoints(detector) => detector.push_utf16(units),
        }
    }

    /// Forgets the text read and the loop found in it, as its profile does.
    pub fn reset(&mut self) {
        match self {
            Self::Adaptive(detector) => detector.reset(),
            Self::GeminiCli(detector) => detector.reset(),
            Self::QwenCode(detector) => detector.reset(),
            Self::Checkpoints(detector) => detector.reset(),
        }
    }
}
