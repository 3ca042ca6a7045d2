//! What a user can set for one project's loop.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The language of questions, answers and messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Language {
    /// English.
    #[default]
    #[serde(rename = "en")]
    English,
    /// Simplified Chinese.
    #[serde(rename = "zh-CN")]
    Chinese,
}

impl Language {
    /// The BCP 47 tag, which is also the name of the message bundle.
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-CN",
        }
    }

    /// The language that a locale name such as `zh_CN.UTF-8` asks for; English for everything else.
    pub fn from_locale(locale: &str) -> Self {
        if locale.to_ascii_lowercase().starts_with("zh") { Self::Chinese } else { Self::English }
    }
}

/// The settings of one project's loop, with their defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvolutionConfig {
    /// Whether the loop may run at all. Off until the user opts in for this project.
    pub enabled: bool,
    /// Rest between two iterations, milliseconds.
    pub interval_ms: u64,
    /// Questions asked of the reasoner at a time.
    pub questions_per_iteration: u32,
    /// How often the reasoner is asked again when all its questions were refused.
    pub max_question_retries: u32,
    /// Tool calls in one exploration.
    pub max_exploration_steps: u32,
    /// Time for one exploration, milliseconds.
    pub exploration_timeout_ms: u64,
    /// Questions a local day.
    pub max_daily_questions: u32,
    /// Explorations a local day.
    pub max_daily_explorations: u32,
    /// Tokens a local day; 0 lets no model be asked.
    pub max_daily_tokens: u64,
    /// Megabytes (2^20 bytes) of the store on disk, at which the loop stops; 0 for no limit.
    pub max_store_mb: u64,
    /// First pause after an error, milliseconds.
    pub base_backoff_ms: u64,
    /// Longest pause after errors, milliseconds.
    pub max_backoff_ms: u64,
    /// Factor from one pause to the next.
    pub backoff_multiplier: f64,
    /// Errors in a row after which the loop stops and tells the user. A run without an end waits instead for a server that is
    /// away or busy.
    pub max_consecutive_errors: u32,
    /// Tokens in one iteration.
    pub max_tokens_per_iteration: u64,
    /// Characters gathered that may be enough for an answer.
    pub sufficient_chars: usize,
    /// Cosine from which two questions are the same; `None` takes the embedder's own.
    pub similarity_threshold: Option<f32>,
    /// The language of questions and answers.
    pub language: Language,
    /// Ask more, look longer, cite line ranges.
    pub deep_mode: bool,
    /// Entries of the tool-call cache.
    pub tool_cache_capacity: usize,
    /// How long a cached tool result without a freshness stamp holds, milliseconds.
    pub tool_cache_ttl_ms: u64,
}

impl Default for EvolutionConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            interval_ms: 60_000,
            questions_per_iteration: 3,
            max_question_retries: 3,
            max_exploration_steps: 10,
            exploration_timeout_ms: 120_000,
            max_daily_questions: 50,
            max_daily_explorations: 100,
            max_daily_tokens: 800_000,
            max_store_mb: 4_096,
            base_backoff_ms: 1_000,
            max_backoff_ms: 3_600_000,
            backoff_multiplier: 2.0,
            max_consecutive_errors: 5,
            max_tokens_per_iteration: 8_000,
            sufficient_chars: 2_000,
            similarity_threshold: None,
            language: Language::English,
            deep_mode: false,
            tool_cache_capacity: 100,
            tool_cache_ttl_ms: 600_000,
        }
    }
}

impl EvolutionConfig {
    /// Checks every field; the error names the first one that is wrong and its legal range.
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidInput`].
    pub fn validate(&self) -> Result<()> {
        fn range(
            field: &str,
            value: impl Into<f64>,
            low: impl Into<f64>,
            high: impl Into<f64>,
        ) -> Result<()> {
            let (value, low, high) = (value.into(), low.into(), high.into());
            if value.is_finite() && (low..=high).contains(&value) {
                return Ok(());
            }
            Err(Error::invalid(format!("{field} is {value}, but must be from {low} to {high}")))
        }
        #[allow(clippy::cast_precision_loss, reason = "only compared with small bounds")]
        let float = |v: u64| v as f64;
        const DAY_MS: u32 = 86_400_000;
        range("interval_ms", float(self.interval_ms), 0, DAY_MS)?;
        range("questions_per_iteration", self.questions_per_iteration, 1, 20)?;
        range("max_question_retries", self.max_question_retries, 0, 20)?;
        range("max_exploration_steps", self.max_exploration_steps, 1, 100)?;
        range("exploration_timeout_ms", float(self.exploration_timeout_ms), 1_000, DAY_MS)?;
        range("max_daily_questions", self.max_daily_questions, 0, 1_000_000)?;
        range("max_daily_explorations", self.max_daily_explorations, 0, 1_000_000)?;
        range("max_daily_tokens", float(self.max_daily_tokens), 0, 1e15)?;
        range("max_store_mb", float(self.max_store_mb), 0, 1e9)?;
        range("base_backoff_ms", float(self.base_backoff_ms), 1, DAY_MS)?;
        range("max_backoff_ms", float(self.max_backoff_ms), 1, DAY_MS)?;
        if self.max_backoff_ms < self.base_backoff_ms {
            return Err(Error::invalid(format!(
                "max_backoff_ms is {}, but must be at least base_backoff_ms ({})",
                self.max_backoff_ms, self.base_backoff_ms
            )));
        }
        range("backoff_multiplier", self.backoff_multiplier, 1, 100)?;
        range("max_consecutive_errors", self.max_consecutive_errors, 1, 1_000)?;
        range("max_tokens_per_iteration", float(self.max_tokens_per_iteration), 100, 100_000_000)?;
        range("sufficient_chars", float(self.sufficient_chars as u64), 1, 10_000_000)?;
        if let Some(threshold) = self.similarity_threshold {
            // As it was written, not as its nearest binary number.
            let threshold = (f64::from(threshold) * 1e6).round() / 1e6;
            range("similarity_threshold", threshold, 0.01, 1)?;
        }
        range("tool_cache_capacity", float(self.tool_cache_capacity as u64), 1, 100_000)?;
        range("tool_cache_ttl_ms", float(self.tool_cache_ttl_ms), 0, DAY_MS)?;
        Ok(())
    }

    /// Checks, for a reasoner that spends tokens, that a day has enough for one iteration: none would ever begin otherwise. A
    /// day without any lets no model be asked, which is a wish of its own.
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidInput`].
    pub fn validate_tokens(&self) -> Result<()> {
        let (day, iteration) = (self.max_daily_tokens, self.max_tokens_per_iteration);
        if day == 0 || day >= iteration {
            return Ok(());
        }
        let message = format!(
            "max_daily_tokens is {day}, but one iteration may cost {iteration} (max_tokens_per_iteration): raise max_daily_tokens \
             to at least {iteration}, or lower max_tokens_per_iteration"
        );
        Err(Error::invalid(message).with_chinese(format!(
            "max_daily_tokens 为 {day}，而一次迭代最多可能花费 {iteration}（max_tokens_per_iteration）：请将 max_daily_tokens 至少提高到 \
             {iteration}，或降低 max_tokens_per_iteration"
        )))
    }

    /// These settings with deep mode's numbers (5 questions, 15 steps) where it is on.
    #[must_use]
    pub fn effective(&self) -> Self {
        let mut config = self.clone();
        if self.deep_mode {
            config.questions_per_iteration = config.questions_per_iteration.max(5);
            config.max_exploration_steps = config.max_exploration_steps.max(15);
        }
        config
    }

    /// Time for one exploration.
    pub fn exploration_timeout(&self) -> Duration {
        Duration::from_millis(self.exploration_timeout_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_legal_and_off() {
        let config = EvolutionConfig::default();
        config.validate().unwrap();
        assert!(!config.enabled);
    }

    #[test]
    fn each_wrong_field_is_named_with_its_range() {
        let default = EvolutionConfig::default;
        let wrong = [
            ("interval_ms", EvolutionConfig { interval_ms: u64::MAX, ..default() }),
            (
                "questions_per_iteration",
                EvolutionConfig { questions_per_iteration: 0, ..default() },
            ),
            ("max_exploration_steps", EvolutionConfig { max_exploration_steps: 101, ..default() }),
            ("base_backoff_ms", EvolutionConfig { base_backoff_ms: 0, ..default() }),
            ("max_backoff_ms", EvolutionConfig { max_backoff_ms: 999, ..default() }),
            ("backoff_multiplier", EvolutionConfig { backoff_multiplier: f64::NAN, ..default() }),
            (
                "similarity_threshold",
                EvolutionConfig { similarity_threshold: Some(1.5), ..default() },
            ),
            ("tool_cache_capacity", EvolutionConfig { tool_cache_capacity: 0, ..default() }),
        ];
        for (field, config) in wrong {
            let error = config.validate().unwrap_err();
            assert!(error.message().starts_with(field), "{field}: {error}");
        }
    }

    #[test]
    fn a_day_with_too_few_tokens_for_an_iteration_is_refused_with_what_is_needed() {
        let tokens = |day| EvolutionConfig { max_daily_tokens: day, ..Default::default() };
        assert!([0, 8_000, 8_001].iter().all(|day| tokens(*day).validate_tokens().is_ok()));
        let error = tokens(5_000).validate_tokens().unwrap_err();
        for language in [Language::English, Language::Chinese] {
            let message = error.message_in(language);
            let names = ["max_daily_tokens", "5000", "8000", "max_tokens_per_iteration"];
            assert!(names.iter().all(|name| message.contains(name)), "{message}");
        }
    }

    #[test]
    fn deep_mode_only_ever_raises() {
        let deep =
            EvolutionConfig { deep_mode: true, max_exploration_steps: 40, ..Default::default() };
        let effective = deep.effective();
        assert_eq!((effective.questions_per_iteration, effective.max_exploration_steps), (5, 40));
        assert_eq!(EvolutionConfig::default().effective().questions_per_iteration, 3);
    }

    #[test]
    fn a_locale_chooses_the_language() {
        assert_eq!(Language::from_locale("zh_CN.UTF-8"), Language::Chinese);
        assert_eq!(Language::from_locale("de_DE"), Language::English);
        assert_eq!(serde_json::to_string(&Language::Chinese).unwrap(), "\"zh-CN\"");
    }
}
