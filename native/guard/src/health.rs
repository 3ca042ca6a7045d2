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
            store_bytes: config.max_store_mb.saturating_mul(1 << 20),
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
                // The interval is a part of the work; whatever else a loop waits for, it isn't stalled.
                if stats.wait_reason != Some(WaitReason::Interval) {
                    return issues;
                }
                u64::MAX
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
            )
        });
        // A last reply may overshoot the budget; twice the budget says that nothing holds the loop to it.
        let spends = input.iteration_tokens / 2 > self.limits.token_budget;
        if full || spends || (stuck && input.restarted) {
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

#[cfg(test)]
mod tests {
    use ouro_core::{DayLimit, QuotaStatus, TokenUsage};

    use super::*;

    const NOW: i64 = 1_750_000_000_000;
    const MINUTE: i64 = 60_000;

    fn stats(current_phase: Phase, minutes_in_phase: i64) -> EvolutionStats {
        EvolutionStats {
            project_key: "demo".parse().unwrap(),
            total_questions: 0,
            loops_detected: 0,
            today_questions: 0,
            total_learning_records: 0,
            consecutive_errors: 0,
            last_evolution_time: None,
            current_phase,
            phase_since: NOW - minutes_in_phase * MINUTE,
            waiting_until: None,
            wait_reason: None,
            stop_reason: None,
            tokens_today: TokenUsage::default(),
            quota: QuotaStatus::default(),
            health: HealthReport::default(),
        }
    }

    fn input(stats: &EvolutionStats) -> HealthInput<'_> {
        HealthInput {
            stats,
            running: true,
            active_since: NOW,
            iteration_tokens: 0,
            store_bytes: 0,
            restarted: false,
        }
    }

    fn check(input: &HealthInput<'_>) -> (Vec<HealthIssue>, SuggestedAction) {
        let limits = HealthLimits { store_bytes: 1_000, ..HealthLimits::default() };
        let report = HealthChecker::new(limits).check(input, NOW);
        assert_eq!(report.healthy, report.issues.is_empty());
        (report.issues, report.suggested_action)
    }

    #[test]
    fn a_loop_that_works_is_healthy() {
        for phase in [Phase::Exploring, Phase::GeneratingQuestion, Phase::Summarizing] {
            let stats = stats(phase, 1);
            assert_eq!(check(&input(&stats)), (vec![], SuggestedAction::None));
        }
    }

    #[test]
    fn five_errors_in_a_row_say_look_at_the_model() {
        let mut stats = stats(Phase::Exploring, 0);
        stats.consecutive_errors = 4;
        assert_eq!(check(&input(&stats)).1, SuggestedAction::None);
        stats.consecutive_errors = 5;
        let issue = HealthIssue::ConsecutiveErrors { count: 5 };
        assert_eq!(check(&input(&stats)), (vec![issue], SuggestedAction::CheckModel));
    }

    #[test]
    fn ten_minutes_without_a_record_are_no_progress_only_while_the_loop_is_active() {
        let mut working = stats(Phase::Exploring, 1);
        working.last_evolution_time = Some(NOW - 60 * MINUTE);
        // The interval is a part of the work.
        let mut between = stats(Phase::Waiting, 1);
        between.last_evolution_time = working.last_evolution_time;
        between.wait_reason = Some(WaitReason::Interval);
        for stats in [working, between] {
            for (active_since, issues) in [
                (NOW - 10 * MINUTE + 1, vec![]),
                (NOW - 10 * MINUTE, vec![HealthIssue::NoProgress { for_ms: 600_000 }]),
            ] {
                let input = HealthInput { active_since, ..input(&stats) };
                let action = if issues.is_empty() {
                    SuggestedAction::None
                } else {
                    SuggestedAction::Restart
                };
                assert_eq!(check(&input), (issues, action));
            }
        }
        let until = NOW + MINUTE;
        for (reason, action) in [
            (
                WaitReason::InBackoff { consecutive_errors: 2 },
                SuggestedAction::WaitUntil { at: until },
            ),
            (
                WaitReason::QuotaExhausted { which: DayLimit::Questions },
                SuggestedAction::WaitUntil { at: until },
            ),
            (WaitReason::ProjectUnchanged, SuggestedAction::None),
        ] {
            let mut waiting = stats(Phase::Waiting, 300);
            waiting.last_evolution_time = Some(NOW - 300 * MINUTE);
            (waiting.wait_reason, waiting.waiting_until) = (Some(reason), Some(until));
            let input = HealthInput { active_since: NOW - 300 * MINUTE, ..input(&waiting) };
            assert_eq!(check(&input), (vec![], action));
        }
    }

    #[test]
    fn a_rest_without_an_end_is_fine_and_one_that_is_overslept_is_not() {
        let mut waiting = stats(Phase::Waiting, 600);
        waiting.wait_reason = Some(WaitReason::ProjectUnchanged);
        assert_eq!(check(&input(&waiting)), (vec![], SuggestedAction::None));
        waiting.waiting_until = Some(NOW - MINUTE - 1);
        let issue = HealthIssue::PhaseOverdue { phase: Phase::Waiting, for_ms: 36_000_000 };
        assert_eq!(check(&input(&waiting)), (vec![issue], SuggestedAction::Restart));
    }

    #[test]
    fn half_an_hour_idle_is_an_issue_only_for_a_loop_that_should_run() {
        let idle = stats(Phase::Idle, 30);
        let issue = HealthIssue::IdleTooLong { for_ms: 1_800_000 };
        assert_eq!(check(&input(&idle)), (vec![issue], SuggestedAction::Restart));
        let stopped = HealthInput { running: false, ..input(&idle) };
        assert_eq!(check(&stopped), (vec![], SuggestedAction::None));
        assert_eq!(check(&input(&stats(Phase::Idle, 29))), (vec![], SuggestedAction::None));
    }

    #[test]
    fn every_phase_has_its_own_limit() {
        for (phase, minutes) in [
            (Phase::LoadingMemory, 1),
            (Phase::GeneratingQuestion, 10),
            (Phase::Exploring, 3),
            (Phase::Summarizing, 5),
        ] {
            assert!(check(&input(&stats(phase, minutes))).0.is_empty(), "{phase:?}");
            let overdue = stats(phase, minutes + 1);
            let (issues, action) = check(&input(&overdue));
            let for_ms = u64::try_from((minutes + 1) * MINUTE).unwrap();
            assert_eq!(issues, [HealthIssue::PhaseOverdue { phase, for_ms }]);
            assert_eq!(action, SuggestedAction::Restart);
            let second = HealthInput { restarted: true, ..input(&overdue) };
            assert_eq!(check(&second).1, SuggestedAction::Stop);
        }
    }

    #[test]
    fn tokens_and_bytes_have_limits() {
        let stats = stats(Phase::Exploring, 0);
        let tokens = |used| HealthInput { iteration_tokens: used, ..input(&stats) };
        assert_eq!(check(&tokens(8_000)), (vec![], SuggestedAction::None));
        let issue = HealthIssue::OverTokenBudget { used: 8_001, budget: 8_000 };
        assert_eq!(check(&tokens(8_001)), (vec![issue], SuggestedAction::None));
        assert_eq!(check(&tokens(16_002)).1, SuggestedAction::Stop);
        let bytes = |store_bytes| HealthInput { store_bytes, ..input(&stats) };
        assert_eq!(check(&bytes(899)), (vec![], SuggestedAction::None));
        let issue = |bytes| HealthIssue::StoreNearLimit { bytes, limit: 1_000 };
        assert_eq!(check(&bytes(900)), (vec![issue(900)], SuggestedAction::None));
        assert_eq!(check(&bytes(1_000)), (vec![issue(1_000)], SuggestedAction::Stop));
    }

    #[test]
    fn a_clock_that_was_set_back_makes_nobody_ill() {
        let mut stats = stats(Phase::Exploring, -60);
        stats.last_evolution_time = Some(i64::MAX);
        let ages =
            |stats: &EvolutionStats| check(&HealthInput { active_since: i64::MIN, ..input(stats) });
        assert_eq!(ages(&stats), (vec![], SuggestedAction::None));
        stats.last_evolution_time = Some(i64::MIN);
        assert!(matches!(ages(&stats).0.as_slice(), [HealthIssue::NoProgress { .. }]));
    }
}
