//! Our side of the comparison: the profile's two detectors, together as the original's one class.

use ouro_detect::reference::{
    GeminiCalls, GeminiCallsConfig, GeminiContent, GeminiContentConfig, MarkupClasses, QwenCalls,
    QwenCallsConfig, QwenContent, QwenContentConfig,
};

use super::streams::Event;

/// The one class has one report for both kinds of loop: while it stands no event is read.
macro_rules! verdicts {
    ($content:expr, $calls:expr, $events:expr) => {{
        let mut found = false;
        let verdict = |event: &Event| {
            match event {
                Event::Clear => {
                    $content.clear_detection();
                    $calls.clear_detection();
                    found = false;
                    return '0';
                }
                Event::Reset => {
                    $content.reset();
                    $calls.reset();
                    found = false;
                    return '0';
                }
                _ if found => {}
                Event::Content(units) => {
                    let text = String::from_utf16(units);
                    found = match text {
                        Ok(text) if units.len() % 2 == 0 => $content.push(&text),
                        _ => $content.push_utf16(units),
                    }
                    .is_some();
                }
                Event::Call(name, arguments) => {
                    $content.tool_called();
                    found = $calls.push(name, arguments).is_some();
                }
            }
            if found { '1' } else { '0' }
        };
        $events.iter().map(verdict).collect()
    }};
}

/// A profile.
pub(super) enum Ours {
    Gemini(GeminiContent, GeminiCalls),
    Qwen(QwenContent, QwenCalls),
}

impl Ours {
    pub(super) fn gemini() -> Self {
        Self::Gemini(
            GeminiContent::new(&GeminiContentConfig::default()),
            GeminiCalls::new(&GeminiCallsConfig::default()),
        )
    }

    /// As it was in the only version whose class can be had alone.
    pub(super) fn early_qwen() -> Self {
        let content =
            QwenContentConfig { markup: MarkupClasses::Ranges, ..QwenContentConfig::default() };
        let calls = QwenCallsConfig { sorted_keys: false, ..QwenCallsConfig::default() };
        Self::Qwen(QwenContent::new(&content), QwenCalls::new(&calls))
    }

    /// A digit for each event: 1 where a loop is reported.
    pub(super) fn verdicts(mut self, events: &[Event]) -> String {
        match &mut self {
            Self::Gemini(content, calls) => verdicts!(content, calls, events),
            Self::Qwen(content, calls) => verdicts!(content, calls, events),
        }
    }
}
