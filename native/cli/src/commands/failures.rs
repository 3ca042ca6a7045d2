//! `ouro failures`: what failed, how to avoid it, and forgetting it.

use std::process::ExitCode;

use anyhow::bail;
use ouro_core::{Change, FailureRecord};
use rust_i18n::t;
use serde_json::json;

use crate::{
    args::{FailuresCommand, Global, ProjectArg},
    compose, output, place,
};

/// Runs `ouro failures`.
pub(crate) async fn run(global: &Global, command: FailuresCommand) -> anyhow::Result<ExitCode> {
    let (project, id) = match &command {
        FailuresCommand::List(project) => (project, None),
        FailuresCommand::Show { project, id } | FailuresCommand::Forget { project, id } => {
            (project, id.as_deref())
        }
    };
    if let Some(id) = id {
        let verb = match command {
            FailuresCommand::Forget { .. } => "forget",
            _ => "show",
        };
        let right = format!("ouro failures {verb} [ID] PROJECT");
        place::require_order(&project.project, id, &right)?;
    }
    let opened = match command {
        FailuresCommand::Forget { .. } => compose::open_existing(global, &project.project)?,
        // Failures live in the database alone.
        _ => match compose::open_with_or_without_database(global, &project.project)? {
            (_, Some(why)) => return Err(why.into()),
            (opened, None) => opened,
        },
    };
    let failures = chosen(opened.store.guard_state()?.failures, id, project)?;
    match command {
        FailuresCommand::Forget { .. } => {
            let changes: Vec<Change> =
                failures.iter().map(|f| Change::DeleteFailure(f.signature.clone())).collect();
            opened.store.commit(&changes)?;
            if global.json {
                output::json(&json!({ "forgotten": failures.len() }))?;
            } else {
                let locale = global.language().tag();
                output::line(t!("failures.forgotten", locale = locale, count = failures.len()))?;
            }
        }
        _ if global.json => failures.iter().try_for_each(output::json)?,
        FailuresCommand::Show { .. } if failures.is_empty() => {
            output::line(t!("failures.none", locale = global.language().tag()))?;
        }
        FailuresCommand::List(_) => list(global, &failures)?,
        FailuresCommand::Show { .. } => {
            for failure in &failures {
                output::line(serde_json::to_string_pretty(failure)?)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// All of them, newest first, or the one whose id ends so.
fn chosen(
    mut failures: Vec<FailureRecord>,
    id: Option<&str>,
    project: &ProjectArg,
) -> anyhow::Result<Vec<FailureRecord>> {
    failures.sort_by_key(|f| std::cmp::Reverse(f.last_at));
    let Some(id) = id else { return Ok(failures) };
    let wanted = id.to_ascii_uppercase();
    failures.retain(|f| f.id.to_string().ends_with(&wanted));
    match failures.len() {
        1 => Ok(failures),
        0 => bail!(
            "no failure has the id {id:?}, or one that ends so: `ouro failures list {}` shows them",
            output::word(&project.project)
        ),
        n => bail!("{n} failures have ids that end in {id:?}: give more of it"),
    }
}

fn list(global: &Global, failures: &[FailureRecord]) -> anyhow::Result<()> {
    let locale = global.language().tag();
    if failures.is_empty() {
        return output::line(t!("failures.none", locale = locale));
    }
    let headings = ["id", "operation", "error", "attempts", "last"]
        .map(|name| t!(format!("failures.{name}"), locale = locale).into_owned());
    let mut table = output::table(&headings);
    for failure in failures {
        table.add_row([
            output::short(failure.id),
            failure.operation.clone(),
            failure.error.clone(),
            failure.attempts.to_string(),
            output::moment(failure.last_at),
        ]);
    }
    output::line(table.to_string())
}
