//! What a model's tokens are to the estimate that is made where nobody counts.

use std::sync::atomic::{AtomicU32, Ordering};

/// Prompts estimated below this say little: the marks around messages weigh more than their text. Tokens.
const MIN_ESTIMATE: u64 = 200;

/// Counted tokens for each estimated one, learnt from the server's counts.
pub(crate) struct TokenRatio {
    per_mille: AtomicU32,
}

impl Default for TokenRatio {
    fn default() -> Self {
        Self { per_mille: AtomicU32::new(1_000) }
    }
}

impl TokenRatio {
    /// A prompt of so many estimated tokens was counted as so many.
    ///
    /// A higher ratio counts at once, a lower one by and by: a budget is better kept than used up.
    pub(crate) fn observe(&self, estimated: u64, counted: u64) {
        if estimated < MIN_ESTIMATE {
            return;
        }
        let seen = (counted.saturating_mul(1_000) / estimated).clamp(500, 4_000);
        let seen = u32::try_from(seen).unwrap_or(1_000);
        let known = self.per_mille.load(Ordering::Relaxed);
        let next = if seen > known { seen } else { (known * 3 + seen) / 4 };
        self.per_mille.store(next, Ordering::Relaxed);
    }

    /// The ratio; 1 until something was counted.
    #[expect(clippy::cast_precision_loss, reason = "at most 4,000")]
    pub(crate) fn get(&self) -> f32 {
        self.per_mille.load(Ordering::Relaxed) as f32 / 1_000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_count_is_believed_at_once_and_a_lower_one_by_and_by() {
        let ratio = TokenRatio::default();
        ratio.observe(10, 900);
        assert!((ratio.get() - 1.0).abs() < 1e-6, "too short a prompt to learn from");
        ratio.observe(1_000, 1_500);
        assert!((ratio.get() - 1.5).abs() < 1e-6);
        ratio.observe(1_000, 1_100);
        assert!((ratio.get() - 1.4).abs() < 1e-6);
        ratio.observe(1_000, 1_000_000);
        assert!((ratio.get() - 4.0).abs() < 1e-6, "a server's nonsense is bounded");
    }
}
