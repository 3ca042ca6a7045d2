//! The chanting rule of gemini-cli and qwen-code.

use serde::{Deserialize, Serialize};

use crate::TextLoop;

macro_rules! stub_config {
    ($name:ident { $($field:ident: $type:ty = $default:expr, $doc:literal;)* }) => {
        #[doc = "Limits of the rule; the defaults are the original's."]
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name { $(#[doc = $doc] pub $field: $type,)* }
        impl Default for $name {
            fn default() -> Self { Self { $($field: $default,)* } }
        }
    };
}

stub_config!(GeminiContentConfig {
    window: u16 = 50, "Length of the compared window, in UTF-16 code units.";
    occurrences: u16 = 10, "How many occurrences of one window make a loop.";
    max_mean_distance: u16 = 250, "Largest mean distance of those occurrences, in UTF-16 code units.";
    max_distinct_periods: u16 = 5, "Most distinct texts between consecutive occurrences.";
    history: u16 = 5000, "How much text is remembered, in UTF-16 code units.";
});
stub_config!(QwenContentConfig {
    window: u16 = 50, "Length of the compared window, in UTF-16 code units.";
    occurrences: u16 = 10, "How many occurrences of one window make a loop.";
    max_mean_distance: u16 = 75, "Largest mean distance of those occurrences, in UTF-16 code units.";
    history: u16 = 1000, "How much text is remembered, in UTF-16 code units.";
});

macro_rules! stub_detector {
    ($name:ident, $config:ident) => {
        #[doc = "Watches one stream of a reply's text."]
        #[derive(Debug, Clone)]
        pub struct $name {
            _config: $config,
        }
        impl $name {
            #[doc = "A detector at the start of a stream. Nothing is allocated before the first text."]
            pub fn new(config: &$config) -> Self {
                Self { _config: config.clone() }
            }
            #[doc = "Takes one chunk. Once it has found a loop it says so for every later chunk, until [`Self::reset`]."]
            pub fn push(&mut self, _chunk: &str) -> Option<TextLoop> {
                None
            }
            #[doc = "As [`Self::push`], in UTF-16 code units; a chunk may begin or end inside a surrogate pair."]
            pub fn push_utf16(&mut self, _chunk: &[u16]) -> Option<TextLoop> {
                None
            }
            #[doc = "A tool call came: text before it and after it are not compared."]
            pub fn tool_called(&mut self) {}
            #[doc = "Takes back a report, so that the stream goes on; what was remembered stays."]
            pub fn clear_detection(&mut self) {}
            #[doc = "A new prompt begins. As in the original, an open code fence stays open."]
            pub fn reset(&mut self) {}
        }
    };
}
stub_detector!(GeminiContent, GeminiContentConfig);
stub_detector!(QwenContent, QwenContentConfig);
impl GeminiContentConfig {
    /// Says which field is out of range and what the range is.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}
impl QwenContentConfig {
    /// Says which field is out of range and what the range is.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}
