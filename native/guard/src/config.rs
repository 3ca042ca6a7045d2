//! What the guard is told about its limits.

use ouro_core::{Error, EvolutionConfig, ExplorationLimits, Result};

/// The limits of all five layers.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardConfig {
    /// Cosine from which two questions are the same for the chosen embedder; `None` takes the embedder's own.
    pub similarity_threshold: Option<f32>,
    /// Tool calls that are remembered, at least 1.
    pub tool_cache_capacity: usize,
    /// How long a tool result without a freshness stamp holds, milliseconds.
    pub tool_cache_ttl_ms: u64,
    /// Attempts at an operation that fails for unknown reasons, at least 1.
    pub max_attempts: u32,
    /// First pause after an error, milliseconds, at least 1.
    pub base_backoff_ms: u64,
    /// Longest pause after errors, milliseconds, at least the first one.
    pub max_backoff_ms: u64,
    /// Factor from one pause to the next, at least 1.
    pub backoff_multiplier: f64,
    /// The reasoner that the loop thinks with. A pause after errors holds for the one that had them, so that one wrong
    /// endpoint doesn't keep another model, or none, from working. Empty: any pause holds.
    pub reasoner: String,
    /// Questions a local day.
    pub max_daily_questions: u32,
    /// Explorations a local day.
    pub max_daily_explorations: u32,
    /// What ends an exploration. A question that was cut short by other limits may be asked again.
    pub exploration: ExplorationLimits,
}

impl From<&EvolutionConfig> for GuardConfig {
    fn from(config: &EvolutionConfig) -> Self {
        Self {
            similarity_threshold: config.similarity_threshold,
            tool_cache_capacity: config.tool_cache_capacity,
            tool_cache_ttl_ms: config.tool_cache_ttl_ms,
            max_attempts: 3,
            base_backoff_ms: config.base_backoff_ms,
            max_backoff_ms: config.max_backoff_ms,
            backoff_multiplier: config.backoff_multiplier,
            reasoner: String::new(),
            max_daily_questions: config.max_daily_questions,
            max_daily_explorations: config.max_daily_explorations,
            exploration: config.into(),
        }
    }
}

impl Default for GuardConfig {
    fn default() -> Self {
        Self::from(&EvolutionConfig::default())
    }
}

impl GuardConfig {
    /// Checks what the layers rely on; the error names the field and its legal range.
    ///
    /// # Errors
    /// [`ouro_core::ErrorKind::InvalidInput`].
    pub fn validate(&self) -> Result<()> {
        let wrong =
            |field: &str, must: &str| Err(Error::invalid(format!("{field} must be {must}")));
        if self.base_backoff_ms == 0 {
            return wrong("base_backoff_ms", "at least 1");
        }
        if self.max_backoff_ms < self.base_backoff_ms {
            return wrong("max_backoff_ms", "at least base_backoff_ms");
        }
        if !(self.backoff_multiplier.is_finite() && self.backoff_multiplier >= 1.0) {
            return wrong("backoff_multiplier", "a number from 1");
        }
        if self.max_attempts == 0 {
            return wrong("max_attempts", "at least 1");
        }
        if self.tool_cache_capacity == 0 {
            return wrong("tool_cache_capacity", "at least 1");
        }
        if self.similarity_threshold.is_some_and(|t| !(t > 0.0 && t <= 1.0)) {
            return wrong("similarity_threshold", "above 0 and at most 1");
        }
        Ok(())
    }
}
