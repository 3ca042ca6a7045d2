//! `ouro doctor`: what is right, what is wrong, and what to do about it.

use std::{path::Path, process::ExitCode, sync::Arc};

use ouro_core::{Clock, ErrorKind, Random, SeededRandom, SystemClock};
use serde::Serialize;

use crate::{
    args::{DoctorArgs, Global},
    compose, left_out, models, output, place,
};

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Check {
    check: &'static str,
    ok: bool,
    message: String,
}

impl Check {
    fn of(check: &'static str, result: Result<String, String>) -> Self {
        let ok = result.is_ok();
        let message = result.unwrap_or_else(|message| message);
        Self { check, ok, message }
    }
}

/// Runs `ouro doctor`: status 1 when something is wrong.
pub(crate) async fn run(global: &Global, args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let mut checks = vec![
        Check::of("version", Ok(format!("ouro {}", env!("CARGO_PKG_VERSION")))),
        Check::of("data", data(global)),
    ];
    if let Some(project) = &args.project {
        checks.push(Check::of("project", project_readable(global, project).await));
        checks.push(Check::of("store", store(global, project)));
    }
    checks.push(Check::of("model", model(args).await));
    checks.push(Check::of("embedder", embedder(args).await));
    checks.push(Check::of("reranker", reranker(args).await));
    let healthy = checks.iter().all(|c| c.ok);
    for check in &checks {
        if global.json {
            output::json(check)?;
        } else {
            let mark = if check.ok { "✓" } else { "✗" };
            output::line(format!("{mark} {:<9} {}", check.check, check.message))?;
        }
    }
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn said(error: impl Into<anyhow::Error>) -> String {
    output::in_one_line(&error.into())
}

/// The data folder exists or can be made, and a file can be written there.
fn data(global: &Global) -> Result<String, String> {
    let dir = place::data_dir(global).map_err(said)?;
    let shown = output::short_path(&dir);
    ouro_store::make_folder(&dir)
        .map_err(|e| format!("{shown} can't be made ({e}): choose another with --data-dir"))?;
    let probe = dir.join(".ouro-doctor");
    std::fs::write(&probe, b"ouro")
        .and_then(|()| std::fs::remove_file(&probe))
        .map_err(|e| format!("{shown} can't be written ({e}): choose another with --data-dir"))?;
    // As much as the store wants before it writes anything.
    ouro_store::check_space(&dir).map_err(said)?;
    Ok(format!("{shown} can be written"))
}

async fn project_readable(global: &Global, project: &Path) -> Result<String, String> {
    let place = place::Place::find(global, project).map_err(said)?;
    let analysis = compose::scan(global, &place).await.map_err(said)?;
    let languages: Vec<String> = analysis
        .languages
        .iter()
        .take(3)
        .map(|l| format!("{} ({})", l.language, output::counted(l.lines, "line")))
        .collect();
    if analysis.files.is_empty() {
        let root = output::short_path(&place.root);
        return Err(format!("{root} holds no file that can be read"));
    }
    Ok(format!(
        "{}: {}, {}; {}",
        output::short_path(&place.root),
        output::counted(analysis.files.len(), "file"),
        if languages.is_empty() { "no code".to_owned() } else { languages.join(", ") },
        left_out::summary(&analysis),
    ))
}

fn store(global: &Global, project: &Path) -> Result<String, String> {
    let place = place::Place::find_data(global, project).map_err(said)?;
    if !place.has_data().map_err(said)? {
        return Ok("nothing is known about this project yet".into());
    }
    let (opened, without_database) =
        compose::open_with_or_without_database(global, project).map_err(said)?;
    let records = opened.store.record_count().map_err(said)?;
    let bytes = opened.store.size_on_disk().map_err(said)?;
    let records = output::counted(records, "record");
    let folder = output::short_path(&place.data);
    let what = format!("{records}, {} KiB in {folder}", bytes.div_ceil(1024));
    match without_database {
        None => Ok(what),
        // That is how it is while the loop runs in the background.
        Some(why) if why.kind() == ErrorKind::InUse => Ok(format!("{what}; {why}")),
        Some(why) => Err(format!("{what} can be read, but not be added to: {why}")),
    }
}

async fn model(args: &DoctorArgs) -> Result<String, String> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let random: Arc<dyn Random> = Arc::new(SeededRandom::from_system());
    models::describe_chat(&args.models, &clock, &random).await.map_err(said)
}

async fn embedder(args: &DoctorArgs) -> Result<String, String> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let random: Arc<dyn Random> = Arc::new(SeededRandom::from_system());
    let embedder = models::embedder(&args.models, &clock, &random).await.map_err(said)?;
    Ok(format!(
        "{}, duplicates from a cosine of {:.2}",
        embedder.id(),
        embedder.duplicate_threshold()
    ))
}

async fn reranker(args: &DoctorArgs) -> Result<String, String> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let random: Arc<dyn Random> = Arc::new(SeededRandom::from_system());
    models::describe_reranker(&args.models, &clock, &random).await.map_err(said)
}
