//! `ouro records`: what was learnt.

use std::{borrow::Cow, process::ExitCode};

use anyhow::bail;
use ouro_core::{
    Change, Clock, Correction, EvolutionConfig, Freshness, LearningRecord, Rating, RecordQuery,
    RecordStore, SystemClock,
};
use rust_i18n::t;
use serde_json::json;

use crate::{
    args::{ExportFormat, Global, ProjectArg, RatingArg, RecordsCommand},
    compose::{self, Opened},
    freshness, output, place,
};

/// Runs `ouro records`.
pub(crate) async fn run(global: &Global, command: RecordsCommand) -> anyhow::Result<ExitCode> {
    let locale = locale(global);
    require_order(&command)?;
    match command {
        RecordsCommand::List { project, limit } => list(global, &project, limit)?,
        RecordsCommand::Show { id, project } => {
            let (opened, _) = compose::open_to_read(global, &project.project)?;
            let mut record = find(opened.store.as_ref(), &id, &project)?;
            freshness::mark(&opened.place.root, [&mut record], opened.clock.now_ms());
            show(global, &record)?;
        }
        RecordsCommand::Search { query, project } => search(global, &project, &query).await?,
        RecordsCommand::Export { project, format } => export(global, &project, format)?,
        RecordsCommand::Correct { id, project, text } => {
            if text.trim().is_empty() {
                bail!("--text is empty: write the right answer there");
            }
            change(global, &project, &id, |record| {
                let at = SystemClock::new().now_ms();
                record.correction = Some(Correction { text, at });
            })?;
        }
        RecordsCommand::Rate { id, project, rating } => {
            change(global, &project, &id, |record| {
                record.rating = match rating {
                    RatingArg::Useful => Some(Rating::Useful),
                    RatingArg::Useless => Some(Rating::Useless),
                    RatingArg::None => None,
                };
            })?;
        }
        RecordsCommand::Pin { id, project, undo } => {
            change(global, &project, &id, |record| record.pinned = !undo)?;
        }
        RecordsCommand::Delete { id, project } => {
            let opened = open(global, &project)?;
            let record = find(opened.store.as_ref(), &id, &project)?;
            let prepared = compose::resting_guard(&opened, &EvolutionConfig::default())?
                .prepare_delete(record.id);
            opened.store.commit(prepared.changes())?;
            if global.json {
                output::json(&json!({ "deleted": record.id }))?;
            } else {
                let id = output::short(record.id);
                output::line(t!("records.deleted", locale = locale, id = id))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The other commands begin with the project.
fn require_order(command: &RecordsCommand) -> anyhow::Result<()> {
    let (project, other, right) = match command {
        RecordsCommand::List { .. } | RecordsCommand::Export { .. } => return Ok(()),
        RecordsCommand::Show { id, project } => (project, id, "show ID PROJECT"),
        RecordsCommand::Search { query, project } => (project, query, "search QUERY PROJECT"),
        RecordsCommand::Correct { id, project, .. } => {
            (project, id, "correct ID PROJECT --text TEXT")
        }
        RecordsCommand::Rate { id, project, .. } => {
            (project, id, "rate ID PROJECT useful|useless|none")
        }
        RecordsCommand::Pin { id, project, .. } => (project, id, "pin ID PROJECT"),
        RecordsCommand::Delete { id, project } => (project, id, "delete ID PROJECT"),
    };
    place::require_order(&project.project, other, &format!("ouro records {right}"))
}

fn locale(global: &Global) -> &'static str {
    global.language().tag()
}

fn open(global: &Global, project: &ProjectArg) -> anyhow::Result<Opened> {
    compose::open_existing(global, &project.project)
}

/// The record of this id, or the only one whose id ends so.
fn find(store: &dyn RecordStore, id: &str, project: &ProjectArg) -> anyhow::Result<LearningRecord> {
    let wanted = id.to_ascii_uppercase();
    let mut found = store.records(&RecordQuery::default())?;
    found.retain(|r| r.id.to_string().ends_with(&wanted));
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => bail!(
            "no record has the id {id:?}, or one that ends so: `ouro records list {}` shows them",
            output::word(&project.project)
        ),
        n => bail!("{n} records have ids that end in {id:?}: give more of it"),
    }
}

fn change(
    global: &Global,
    project: &ProjectArg,
    id: &str,
    edit: impl FnOnce(&mut LearningRecord),
) -> anyhow::Result<()> {
    let store = open(global, project)?.store;
    let mut record = find(store.as_ref(), id, project)?;
    edit(&mut record);
    store.commit(&[Change::PutRecord(Box::new(record.clone()))])?;
    show(global, &record)
}

fn show(global: &Global, record: &LearningRecord) -> anyhow::Result<()> {
    if global.json {
        return output::json(record);
    }
    output::line(output::record(record, global.language()))?;
    // The calls are those that led to the answer that was corrected.
    for step in record.exploration_path.iter().filter(|_| record.correction.is_none()) {
        output::line(format!("  {} {}: {}", step.tool_name, step.parameters, step.result_summary))?;
    }
    // Whose words they are: a correction is the user's, whatever was answered before it.
    let author = match &record.correction {
        Some(correction) => {
            t!("records.corrected", locale = locale(global), at = output::moment(correction.at))
                .into_owned()
        }
        None => format!(
            "{} · {} · {:.0} %",
            output::moment(record.created_at),
            record.model,
            record.confidence * 100.0
        ),
    };
    let rating = match record.rating {
        Some(Rating::Useful) => t!("records.useful", locale = locale(global)),
        Some(Rating::Useless) => t!("records.useless", locale = locale(global)),
        None => Cow::Borrowed(""),
    };
    output::line(format!(
        "\n  {} · {author}{rating}{}",
        record.id,
        if record.tags.is_empty() {
            String::new()
        } else {
            format!(" · {}", record.tags.join(", "))
        },
    ))
}

fn list(global: &Global, project: &ProjectArg, limit: usize) -> anyhow::Result<()> {
    let (opened, _) = compose::open_to_read(global, &project.project)?;
    let mut records = opened.store.records(&RecordQuery::default())?;
    records.sort_by_key(|r| !r.pinned);
    if limit > 0 {
        records.truncate(limit);
    }
    freshness::mark(&opened.place.root, &mut records, opened.clock.now_ms());
    if global.json {
        return records.iter().try_for_each(output::json);
    }
    if records.is_empty() {
        let project = output::word(&project.project);
        return output::line(t!("records.none", locale = locale(global), project = project));
    }
    print_table(global, &records)
}

/// The table of records that commands end with; there are some.
pub(crate) fn print_table(global: &Global, records: &[LearningRecord]) -> anyhow::Result<()> {
    let locale = locale(global);
    let narrow = output::is_narrow();
    let mut table = output::table(&[
        t!("records.id", locale = locale).into_owned(),
        t!("records.question", locale = locale).into_owned(),
        t!("records.sources", locale = locale).into_owned(),
        t!("records.confidence", locale = locale).into_owned(),
    ]);
    for record in records {
        let mark = match (&record.superseded_by, &record.freshness) {
            (Some(_), _) => t!("records.superseded", locale = locale),
            (None, Freshness::Stale { .. }) => t!("records.stale", locale = locale),
            (None, Freshness::Contradicted { .. }) => t!("records.doubtful", locale = locale),
            _ if record.pinned => t!("records.pinned", locale = locale),
            _ => Cow::Borrowed(""),
        };
        if narrow {
            let (id, question) = (output::short(record.id), &record.question);
            output::line(format!("{id} {mark}{question}"))?;
            continue;
        }
        table.add_row([
            output::short(record.id),
            format!("{mark}{}", record.question),
            record.source_files.len().to_string(),
            match record.correction {
                Some(_) => t!("records.yours", locale = locale).into_owned(),
                None => format!("{:.0} %", record.confidence * 100.0),
            },
        ]);
    }
    if narrow { Ok(()) } else { output::line(table.to_string()) }
}

async fn search(global: &Global, project: &ProjectArg, query: &str) -> anyhow::Result<()> {
    if query.trim().is_empty() {
        anyhow::bail!("the query is empty: name what to search for");
    }
    let (opened, _) = compose::open_to_read(global, &project.project)?;
    let mut found = compose::recall_offline(&opened)?.recall_records(query).await?;
    freshness::mark(&opened.place.root, &mut found, opened.clock.now_ms());
    if global.json {
        return found.iter().try_for_each(output::json);
    }
    if found.is_empty() {
        return output::line(t!("records.no_match", locale = locale(global), query = query));
    }
    print_table(global, &found)
}

fn export(global: &Global, project: &ProjectArg, format: ExportFormat) -> anyhow::Result<()> {
    let (opened, _) = compose::open_to_read(global, &project.project)?;
    let mut records = opened.store.records(&RecordQuery::default())?;
    freshness::mark(&opened.place.root, &mut records, opened.clock.now_ms());
    records.reverse();
    match format {
        _ if global.json => output::json(&records),
        ExportFormat::Json => output::json(&records),
        ExportFormat::Md => {
            let name = opened.place.root.file_name().unwrap_or_default().to_string_lossy();
            output::line(ouro_engine::markdown(&name, &records, global.language()))
        }
    }
}
