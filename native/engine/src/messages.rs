//! The loop's sentences for users, from the bundle.

use jiff::Timestamp;
use ouro_core::{
    Clock, DayLimit, Error, HealthIssue, HealthReport, Language, LoopReport, Phase, StopReason,
    SuggestedAction, WaitReason,
};
use ouro_guard::{MatchedBy, SkipReason};
use rust_i18n::t;

/// Why the loop rests, in a sentence.
pub fn wait_message(reason: &WaitReason, language: Language) -> String {
    let locale = language.tag();
    match reason {
        WaitReason::Interval => t!("wait.interval", locale = locale),
        WaitReason::InBackoff { consecutive_errors } => {
            t!("wait.in_backoff", locale = locale, count = consecutive_errors)
        }
        WaitReason::QuotaExhausted { which: DayLimit::Questions } => {
            t!("wait.quota_questions", locale = locale)
        }
        WaitReason::QuotaExhausted { which: DayLimit::Explorations } => {
            t!("wait.quota_explorations", locale = locale)
        }
        WaitReason::QuotaExhausted { which: DayLimit::Tokens } => {
            t!("wait.quota_tokens", locale = locale)
        }
        WaitReason::ProjectUnchanged => t!("wait.project_unchanged", locale = locale),
        WaitReason::ConsecutiveDuplicates => t!("wait.consecutive_duplicates", locale = locale),
    }
    .into_owned()
}

/// Why a question is not explored, in a sentence.
pub(crate) fn refusal_message(reason: &SkipReason, language: Language) -> String {
    let locale = language.tag();
    match reason {
        SkipReason::Duplicate { of, by: MatchedBy::Text, .. } => {
            t!("refused.repeated", locale = locale, of = of)
        }
        SkipReason::Duplicate { of, similarity, by, .. } => {
            let by = match by {
                MatchedBy::Fallback { embedder, cause } => {
                    t!("refused.fallback", locale = locale, embedder = embedder, cause = cause)
                }
                MatchedBy::Embedder(id) => id.into(),
                MatchedBy::Text => "".into(),
            };
            // Rounded down: what is below 1 must not look like 1.
            let percent = (similarity * 100.0).floor();
            t!("refused.similar", locale = locale, percent = percent, by = by, of = of)
        }
        SkipReason::FailedBefore { record } => {
            let (count, error) = (record.attempts, &record.error);
            t!("refused.failed", locale = locale, count = count, error = error)
        }
        // These refuse all questions, not one: the loop rests or ends for them.
        SkipReason::InBackoff { .. }
        | SkipReason::QuotaExhausted { .. }
        | SkipReason::AlreadyRun { .. }
        | SkipReason::GuardUnavailable { .. } => return reason.to_string(),
    }
    .into_owned()
}

/// That a setting ended an exploration before it had found enough, in a clause.
pub(crate) fn cut_short_message(setting: &str, value: u64, language: Language) -> String {
    t!("put_aside.cut_short", locale = language.tag(), setting = setting, value = value)
        .into_owned()
}

/// That a loop was found, in a sentence.
pub(crate) fn loop_message(found: &LoopReport, language: Language) -> String {
    let LoopReport { kind, evidence } = found;
    t!("log.loop", locale = language.tag(), kind = kind, evidence = evidence).into_owned()
}

/// That the project is not where it was, in a sentence.
pub(crate) fn gone_message(error: &str, language: Language) -> String {
    t!("stop.project_gone", locale = language.tag(), error = error).into_owned()
}

/// That something was stuck and is begun anew, in a sentence.
pub(crate) fn restart_message(why: &str, language: Language) -> String {
    t!("log.restarted", locale = language.tag(), why = why).into_owned()
}

/// That the embedder fails and what follows from it, in a sentence.
pub(crate) fn embedder_message(id: &str, error: &Error, language: Language) -> String {
    let (locale, error) = (language.tag(), error.message_in(language));
    t!("error.embedder", locale = locale, id = id, error = error).into_owned()
}

/// Why the loop ended, in a sentence.
pub fn stop_message(reason: &StopReason, language: Language, clock: &dyn Clock) -> String {
    let locale = language.tag();
    let local = |ms: i64, format: &str| {
        Timestamp::from_millisecond(ms)
            .map(|at| at.to_zoned(clock.time_zone()).strftime(format).to_string())
            .unwrap_or_default()
    };
    match reason {
        StopReason::UserStopped => t!("stop.user_stopped", locale = locale),
        StopReason::IterationsDone => t!("stop.iterations_done", locale = locale),
        StopReason::NotConfigured { what } => {
            t!("stop.not_configured", locale = locale, what = what)
        }
        StopReason::QuotaExhausted { until } => {
            let until = local(*until, "%Y-%m-%d %H:%M");
            t!("stop.quota_exhausted", locale = locale, until = until)
        }
        StopReason::InBackoff { until, cause } => {
            // A pause may last but a second.
            let until = local(*until, "%Y-%m-%d %H:%M:%S");
            t!("stop.in_backoff", locale = locale, until = until, cause = cause)
        }
        StopReason::ProjectUnchanged => t!("stop.project_unchanged", locale = locale),
        StopReason::FullyCovered => t!("stop.fully_covered", locale = locale),
        StopReason::NothingToAsk => t!("stop.nothing_to_ask", locale = locale),
        StopReason::ConsecutiveDuplicates => t!("stop.consecutive_duplicates", locale = locale),
        StopReason::NothingLearned { last_error } => {
            t!("stop.nothing_learned", locale = locale, error = last_error)
        }
        StopReason::TooManyErrors { last_error } => {
            t!("stop.too_many_errors", locale = locale, error = last_error)
        }
        StopReason::Unhealthy { why } => t!("stop.unhealthy", locale = locale, why = why),
    }
    .into_owned()
}

/// What is wrong with a loop, in a sentence each; that nothing is, where there is nothing.
pub fn health_message(health: &HealthReport, language: Language) -> String {
    if health.issues.is_empty() {
        return t!("health.good", locale = language.tag()).into_owned();
    }
    let issues: Vec<String> = health.issues.iter().map(|i| issue_message(i, language)).collect();
    issues.join(if language == Language::Chinese { "" } else { " " })
}

fn issue_message(issue: &HealthIssue, language: Language) -> String {
    let locale = language.tag();
    let seconds = |ms: &u64| ms / 1_000;
    match issue {
        HealthIssue::ConsecutiveErrors { count } => {
            t!("health.consecutive_errors", locale = locale, count = count)
        }
        HealthIssue::NoProgress { for_ms } => {
            t!("health.no_progress", locale = locale, seconds = seconds(for_ms))
        }
        HealthIssue::IdleTooLong { for_ms } => {
            t!("health.idle_too_long", locale = locale, seconds = seconds(for_ms))
        }
        HealthIssue::PhaseOverdue { phase, for_ms } => {
            let phase = phase_name(*phase, language);
            t!("health.phase_overdue", locale = locale, phase = phase, seconds = seconds(for_ms))
        }
        HealthIssue::OverTokenBudget { used, budget } => {
            t!("health.over_token_budget", locale = locale, used = used, budget = budget)
        }
        HealthIssue::StoreNearLimit { bytes, limit } => {
            let mb = |bytes: &u64| bytes >> 20;
            t!("health.store_near_limit", locale = locale, bytes = mb(bytes), limit = mb(limit))
        }
    }
    .into_owned()
}

fn phase_name(phase: Phase, language: Language) -> String {
    let locale = language.tag();
    match phase {
        Phase::Idle => t!("phase.idle", locale = locale),
        Phase::LoadingMemory => t!("phase.loading_memory", locale = locale),
        Phase::GeneratingQuestion => t!("phase.generating_question", locale = locale),
        Phase::Exploring => t!("phase.exploring", locale = locale),
        Phase::Summarizing => t!("phase.summarizing", locale = locale),
        Phase::Waiting => t!("phase.waiting", locale = locale),
    }
    .into_owned()
}

/// What to do about it, in a sentence; `None` where the loop sees to it itself or nothing is wrong.
pub fn advice_message(action: &SuggestedAction, language: Language) -> Option<String> {
    let locale = language.tag();
    match action {
        SuggestedAction::CheckModel => Some(t!("advice.check_model", locale = locale).into_owned()),
        SuggestedAction::Stop => Some(t!("advice.stop", locale = locale).into_owned()),
        SuggestedAction::None | SuggestedAction::Restart | SuggestedAction::WaitUntil { .. } => {
            None
        }
    }
}
