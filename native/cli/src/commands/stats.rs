//! `ouro stats`: how the loop stands.

use std::{borrow::Cow, process::ExitCode};

use ouro_core::{Clock, EvolutionConfig, EvolutionStats, RecordQuery, StopReason, WaitReason};
use ouro_engine::{advice_message, health_message, stop_message, wait_message};
use rust_i18n::t;
use serde_json::json;

use crate::{
    args::{Global, ProjectArg},
    compose::{self, Opened},
    output,
};

/// Runs `ouro stats`.
pub(crate) async fn run(global: &Global, project: &ProjectArg) -> anyhow::Result<ExitCode> {
    let (opened, without_database) = compose::open_to_read(global, &project.project)?;
    if without_database.is_some() {
        return records_only(global, &opened);
    }
    // The limits may be another run's, but not one's that never was.
    let limits = opened.store.counters()?.limits;
    let config = limits.map_or_else(EvolutionConfig::default, |limits| limits.config());
    let guard = compose::resting_guard(&opened, &config)?;
    let clock = opened.clock.as_ref();
    let stats = ouro_engine::resting_stats(opened.store, &config, &guard, clock).await?;
    if global.json {
        output::json(&stats)?;
    } else {
        print(global, &stats, &state(global, &stats, guard.backoff().cause, clock))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What can be said of a store whose database is not open.
fn records_only(global: &Global, opened: &Opened) -> anyhow::Result<ExitCode> {
    let records = opened.store.records(&RecordQuery::default())?;
    let last = records.first().map(|record| record.created_at);
    if global.json {
        output::json(&json!({
            "project_key": opened.place.key,
            "total_learning_records": records.len(),
            "last_evolution_time": last,
        }))?;
    } else {
        let locale = global.language().tag();
        let last =
            last.map_or_else(|| t!("stats.never", locale = locale).into_owned(), output::moment);
        table([
            (t!("stats.records", locale = locale), records.len().to_string()),
            (t!("stats.last", locale = locale), last),
        ])?;
    }
    Ok(ExitCode::SUCCESS)
}

fn table(rows: impl IntoIterator<Item = (Cow<'static, str>, String)>) -> anyhow::Result<()> {
    let mut table = output::table(&[]);
    for (name, value) in rows {
        table.add_row([name.into_owned(), value]);
    }
    output::line(table.to_string())
}

/// Why nothing happens now, in a sentence: what a run would wait for, else how the last one ended.
fn state(global: &Global, stats: &EvolutionStats, cause: String, clock: &dyn Clock) -> String {
    let (language, locale) = (global.language(), global.language().tag());
    match (&stats.wait_reason, &stats.stop_reason) {
        (Some(WaitReason::InBackoff { .. }), _) => {
            let until = stats.waiting_until.unwrap_or_default();
            stop_message(&StopReason::InBackoff { until, cause }, language, clock)
        }
        (Some(reason), _) => wait_message(reason, language),
        (None, Some(reason)) => {
            let state = stop_message(reason, language, clock);
            let at = output::moment(stats.phase_since);
            t!("stats.since", locale = locale, state = state, at = at).into_owned()
        }
        (None, None) => t!("stats.new", locale = locale).into_owned(),
    }
}

fn print(global: &Global, stats: &EvolutionStats, state: &str) -> anyhow::Result<()> {
    let locale = global.language().tag();
    let never = || t!("stats.never", locale = locale).into_owned();
    let quota = &stats.quota;
    let in_backoff = matches!(stats.wait_reason, Some(WaitReason::InBackoff { .. }));
    let backoff_until = stats.waiting_until.filter(|_| in_backoff);
    let language = global.language();
    let mut health = health_message(&stats.health, language);
    if let Some(advice) = advice_message(&stats.health.suggested_action, language) {
        health = format!("{health}\n{advice}");
    }
    let rows = [
        (t!("stats.state", locale = locale), state.to_owned()),
        (t!("stats.records", locale = locale), stats.total_learning_records.to_string()),
        (
            t!("stats.questions", locale = locale),
            format!("{} / {}", stats.total_questions, stats.today_questions),
        ),
        (
            t!("stats.quota", locale = locale),
            format!(
                "{} / {}, {} / {}",
                quota.questions_remaining,
                quota.questions_limit,
                quota.explorations_remaining,
                quota.explorations_limit
            ),
        ),
        (t!("stats.resets", locale = locale), output::moment(quota.resets_at)),
        (t!("stats.tokens", locale = locale), stats.tokens_today.total().to_string()),
        (t!("stats.loops", locale = locale), stats.loops_detected.to_string()),
        (t!("stats.errors", locale = locale), stats.consecutive_errors.to_string()),
        (
            t!("stats.backoff", locale = locale),
            backoff_until.map_or_else(|| "-".into(), output::end_of_pause),
        ),
        (
            t!("stats.last", locale = locale),
            stats.last_evolution_time.map_or_else(never, output::moment),
        ),
        (t!("stats.health", locale = locale), health),
    ];
    table(rows)
}
