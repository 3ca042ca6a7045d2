//! Looks at a loop from outside and says what is wrong with it.

use ouro_core::{
    EvolutionConfig, EvolutionStats, HealthIssue, HealthReport, Phase, SuggestedAction, WaitReason,
};

const MINUTE_MS: u64 = 60_000;

/// When something is wrong. Times in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthLimits {
    /// Errors in a row.
    pub max_consecutive_errors: u32,
    /// An active loop without a new record.
    pub no_progress_ms: u64,
    /// A loop that should work and doesn't.
    pub idle_ms: u64,
    /// Reading the memory.
    pub loading_ms: u64,
    /// Asking for questions.
    pub generating_ms: u64,
    /// Exploring.
    pub exploring_ms: u64,
    /// Summing up.
    pub summarizing_ms: u64,
    /// A rest, beyond its announced end.
    pub overslept_ms: u64,
    /// Tokens in one iteration.
    pub token_budget: u64,
    /// Bytes of the store; 0 for no limit.
    pub store_bytes: u64,
}

impl From<&EvolutionConfig> for HealthLimits {
    fn from(config: &EvolutionConfig) -> Self {
        let iteration = config.interval_ms.saturating_add(config.exploration_timeout_ms);
        Self {
            max_consecutive_errors: config.max_consecutive_errors,
            // A loop that is told to rest or explore for longer isn't stuck after ten minutes.
            no_progress_ms: (10 * MINUTE_MS).max(iteration.saturating_mul(2)),
            idle_ms: 30 * MINUTE_MS,
            loading_ms: MINUTE_MS,
            generating_ms: 10 * MINUTE_MS,
            // The engine ends an exploration itself; this is for an engine that doesn't.
            exploring_ms: config.exploration_timeout_ms.saturating_add(MINUTE_MS),
            summarizing_ms: 5 * MINUTE_MS,
            overslept_ms: MINUTE_MS,
            token_budget: config.max_tokens_per_iteration,
            store_bytes: 0,
        }
    }
}

impl Default for HealthLimits {
    fn default() -> Self {
        Self::from(&EvolutionConfig::default())
    }
}

/// What the checker looks at.
#[derive(Debug, Clone)]
pub struct HealthInput<'a> {
    /// The loop, as its user sees it.
    pub stats: &'a EvolutionStats,
    /// Whether the loop is meant to run.
    pub running: bool,
    /// When the loop was started or last ended a rest that was not just its interval, epoch milliseconds.
    pub active_since: i64,
    /// Tokens of the present iteration.
    pub iteration_tokens: u64,
    /// Bytes of the store on disk.
    pub store_bytes: u64,
    /// Whether the present iteration was restarted already: it isn't a second time.
    pub restarted: bool,
}

/// The checker: limits and no other state, so the same input has the same answer.
#[derive(Debug, Clone, Default)]
pub struct HealthChecker {
    limits: HealthLimits,
}

impl HealthChecker {
    /// A checker with these limits.
    pub fn new(limits: HealthLimits) -> Self {
        Self { limits }
    }

    /// What is wrong with the loop at `now` (epoch milliseconds), and what to do about it.
    pub fn check(&self, input: &HealthInput<'_>, now: i64) -> HealthReport {
        let limits = &self.limits;
        let stats = input.stats;
        let mut issues = Vec::new();
        if stats.consecutive_errors >= limits.max_consecutive_errors {
            issues.push(HealthIssue::ConsecutiveErrors { count: stats.consecutive_errors });
        }
        if input.running {
            issues.extend(self.stalled(input, now));
        }
        if input.iteration_tokens > limits.token_budget {
            issues.push(HealthIssue::OverTokenBudget {
                used: input.iteration_tokens,
                budget: limits.token_budget,
            });
        }
        let full = limits.store_bytes > 0 && input.store_bytes >= limits.store_bytes;
        // Nine tenths, without overflow.
        let near = limits.store_bytes - limits.store_bytes / 10;
        if limits.store_bytes > 0 && input.store_bytes >= near {
            issues.push(HealthIssue::StoreNearLimit {
                bytes: input.store_bytes,
                limit: limits.store_bytes,
            });
        }
        let suggested_action = self.action(input, &issues, full, now);
        HealthReport { healthy: issues.is_empty(), issues, suggested_action }
    }

    /// A running loop that doesn't get on.
    fn stalled(&self, input: &HealthInput<'_>, now: i64) -> Vec<HealthIssue> {
        let limits = &self.limits;
        let stats = input.stats;
        let phase = stats.current_phase;
        let in_phase = since(stats.phase_since, now);
        let mut issues = Vec::new();
        let limit = match phase {
            Phase::Idle => {
                if in_phase >= limits.idle_ms {
                    issues.push(HealthIssue::IdleTooLong { for_ms: in_phase });
                }
                return issues;
            }
            Phase::Waiting => {
                // A rest without an end (until a file changes) can't be overslept.
                let overslept = stats.waiting_until.map_or(0, |until| since(until, now));
                if overslept > limits.overslept_ms {
                    issues.push(HealthIssue::PhaseOverdue { phase, for_ms: in_phase });
                }
                return issues;
            }
            Phase::LoadingMemory => limits.loading_ms,
            Phase::GeneratingQuestion => limits.generating_ms,
            Phase::Exploring => limits.exploring_ms,
            Phase::Summarizing => limits.summarizing_ms,
        };
        if in_phase > limit {
            issues.push(HealthIssue::PhaseOverdue { phase, for_ms: in_phase });
        }
        let progress = stats.last_evolution_time.unwrap_or(i64::MIN).max(input.active_since);
        let without = since(progress, now);
        if without >= limits.no_progress_ms {
            issues.push(HealthIssue::NoProgress { for_ms: without });
        }
        issues
    }

    /// The strictest action that an issue calls for.
    fn action(
        &self,
        input: &HealthInput<'_>,
        issues: &[HealthIssue],
        full: bool,
        now: i64,
    ) -> SuggestedAction {
        let has = |wanted: fn(&HealthIssue) -> bool| issues.iter().any(wanted);
        let stuck = has(|issue| {
            matches!(
                issue,
                HealthIssue::NoProgress { .. }
                    | HealthIssue::IdleTooLong { .. }
                    | HealthIssue::PhaseOverdue { .. }
                    | HealthIssue::OverTokenBudget { .. }
            )
        });
        if full || (stuck && input.restarted) {
            SuggestedAction::Stop
        } else if has(|issue| matches!(issue, HealthIssue::ConsecutiveErrors { .. })) {
            SuggestedAction::CheckModel
        } else if stuck {
            SuggestedAction::Restart
        } else {
            let rests = matches!(
                input.stats.wait_reason,
                Some(WaitReason::InBackoff { .. } | WaitReason::QuotaExhausted { .. })
            );
            let until = input.stats.waiting_until.filter(|until| rests && *until > now);
            match until {
                Some(at) if input.stats.current_phase == Phase::Waiting => {
                    SuggestedAction::WaitUntil { at }
                }
                _ => SuggestedAction::None,
            }
        }
    }
}

/// Milliseconds that have passed since then; 0 for a clock that was set back.
fn since(then: i64, now: i64) -> u64 {
    u64::try_from(now.saturating_sub(then)).unwrap_or(0)
}
