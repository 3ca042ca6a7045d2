//! The tool call rules of gemini-cli and qwen-code.

use serde::{Deserialize, Serialize};

use crate::LoopKind;

/// Calls that repeat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRepetition {
    /// What kind of loop.
    pub kind: LoopKind,
    /// The name of the rule that found it.
    pub rule: String,
    /// Index (from 0) of the call at which it was found, counted from the start or the last reset.
    pub at_call: u64,
    /// Index of the first call of the repetition.
    pub onset: u64,
    /// How many calls make one round.
    pub period: u64,
    /// How many full rounds there were.
    pub repeats: u64,
    /// Name of the call at which it was found.
    pub name: String,
    /// One sentence for a person: what repeated, how often, by which rule and threshold.
    pub evidence: String,
    /// What would have kept the rule from firing.
    pub cleared_by: String,
}

/// Limits of the gemini-cli rule; the defaults are the original's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GeminiCallsConfig {
    /// How many full rounds make a loop.
    pub repeats: u16,
    /// The longest round, in calls.
    pub max_period: u16,
}

impl Default for GeminiCallsConfig {
    fn default() -> Self {
        Self { repeats: 5, max_period: 5 }
    }
}

/// Limits of the qwen-code rule; the defaults are the original's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QwenCallsConfig {
    /// How many identical calls in a row make a loop.
    pub repeats: u16,
}

impl Default for QwenCallsConfig {
    fn default() -> Self {
        Self { repeats: 5 }
    }
}

impl GeminiCallsConfig {
    /// Says which field is out of range and what the range is.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}

impl QwenCallsConfig {
    /// Says which field is out of range and what the range is.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}

macro_rules! stub_detector {
    ($name:ident, $config:ident) => {
        /// Watches the tool calls of one prompt.
        #[derive(Debug, Clone)]
        pub struct $name {
            _config: $config,
        }
        impl $name {
            /// A detector at the start of a prompt.
            pub fn new(config: &$config) -> Self {
                Self { _config: config.clone() }
            }
            /// Takes one call. `arguments` is its JSON text. Once it has found a loop it says so for every later call,
            /// until [`Self::reset`].
            pub fn push(&mut self, _name: &str, _arguments: &str) -> Option<CallRepetition> {
                None
            }
            /// Takes back a report; the remembered calls stay.
            pub fn clear_detection(&mut self) {}
            /// A new prompt begins: everything is forgotten.
            pub fn reset(&mut self) {}
        }
    };
}
stub_detector!(GeminiCalls, GeminiCallsConfig);
stub_detector!(QwenCalls, QwenCallsConfig);
