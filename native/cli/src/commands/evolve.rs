//! `ouro evolve`: runs the loop and shows what happens.

use std::{process::ExitCode, sync::Arc};

use ouro_core::{Event, StopReason};
use ouro_engine::{Engine, LoopHandle, RunPlan};
use tokio::sync::mpsc;

use super::evolve_progress::Progress;
use crate::{
    args::{EvolveArgs, Global},
    compose, output, watch,
};

/// Runs `ouro evolve`.
pub(crate) async fn run(global: &Global, args: &EvolveArgs) -> anyhow::Result<ExitCode> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let events = Arc::new(move |event: Event| {
        let _ = sender.send(event);
    });
    let mut progress = Progress::new(global);
    progress.message("progress.opening");
    let (place, project) = tokio::select! {
        composed = compose::evolving_project(global, args, events) => composed?,
        // Nothing is begun yet: there is nothing to stop.
        _ = tokio::signal::ctrl_c() => return Ok(ExitCode::from(130)),
    };
    let plan = if args.forever { RunPlan::FOREVER } else { RunPlan::bounded(args.iterations) };
    let engine = Engine::new();
    let handle = engine.start(project, plan).await?;
    let watcher = match args.forever {
        true => Some(watch::watch(&place.root, handle.clone())?),
        false => None,
    };
    let stopper = tokio::spawn(stop_on_ctrl_c(handle.clone()));
    let result = show(global, &mut progress, receiver).await;
    stopper.abort();
    drop(watcher);
    engine.stop_all().await;
    result
}

/// The first Ctrl-C (or termination) stops cleanly, the second at once.
async fn stop_on_ctrl_c(handle: LoopHandle) {
    stop_signal().await;
    handle.request_stop();
    stop_signal().await;
    // Everything that was reported is durable already.
    std::process::exit(130);
}

#[cfg(unix)]
async fn stop_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminated) = signal(SignalKind::terminate()) else {
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminated.recv() => {}
    }
}

#[cfg(not(unix))]
async fn stop_signal() {
    let _ = tokio::signal::ctrl_c().await;
}

/// Shows every event until the last one.
async fn show(
    global: &Global,
    progress: &mut Progress,
    mut events: mpsc::UnboundedReceiver<Event>,
) -> anyhow::Result<ExitCode> {
    let mut learned = Vec::new();
    let mut last_error = None;
    while let Some(event) = events.recv().await {
        if global.json {
            output::json(&event)?;
        } else {
            progress.show(&event)?;
        }
        match event {
            Event::RecordSaved { record } => learned.push(*record),
            Event::Error { message, .. } => last_error = Some(message),
            Event::Finished { reason, message, stats } => {
                if !global.json {
                    progress.finish(&learned, &message, &stats)?;
                }
                return status(&reason, &message, learned.is_empty(), last_error);
            }
            _ => {}
        }
    }
    anyhow::bail!("the loop ended without saying why")
}

/// 0 when the loop did what was asked or the user stopped it; bad input and a loop that learnt nothing but errors
/// are said on standard error.
fn status(
    reason: &StopReason,
    message: &str,
    learned_nothing: bool,
    last_error: Option<String>,
) -> anyhow::Result<ExitCode> {
    match (reason, last_error) {
        (
            StopReason::NotConfigured { .. }
            | StopReason::TooManyErrors { .. }
            | StopReason::Unhealthy { .. },
            _,
        ) => anyhow::bail!("{message}"),
        (StopReason::UserStopped, _) => Ok(ExitCode::SUCCESS),
        (_, Some(error)) if learned_nothing => anyhow::bail!("nothing was learnt: {error}"),
        _ => Ok(ExitCode::SUCCESS),
    }
}
