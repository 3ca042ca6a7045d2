//! `ouro evolve`: runs the loop and shows what happens.

use std::{path::Path, process::ExitCode, sync::Arc};

use anyhow::Context;
use ouro_core::{Event, StopReason};
use ouro_engine::{Engine, LoopHandle, RunPlan};
use rust_i18n::t;
use tokio::sync::{mpsc, watch};

use super::evolve_progress::Progress;
use crate::{
    args::{EvolveArgs, Global},
    compose, file_watch, output, settings,
    signals::{Interruption, Signals},
};

/// Runs `ouro evolve`.
pub(crate) async fn run(global: &Global, args: &EvolveArgs) -> anyhow::Result<ExitCode> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let events = Arc::new(move |event: Event| {
        let _ = sender.send(event);
    });
    // Before signals are caught: a pipe that nobody writes to can then be left with Ctrl-C.
    let config = settings::read(global, args)?;
    let global = &global.speaking(config.language);
    let mut signals = Signals::catch().context("Ctrl-C can't be caught")?;
    let mut progress = Progress::new(global);
    progress.message("progress.opening");
    let (place, project) = tokio::select! {
        composed = compose::evolving_project(global, args, config, events, progress.line()) => composed?,
        interruption = signals.next() => {
            output::note(&t!("evolve.stopped_early", locale = global.language().tag()));
            return Ok(interruption.into());
        }
    };
    let plan = if args.forever { RunPlan::FOREVER } else { RunPlan::bounded(args.iterations) };
    let engine = Engine::new();
    let handle = engine.start(project, plan).await?;
    let (interrupted, interruption) = watch::channel(None);
    let stopper = tokio::spawn(stop_when_told(signals, handle.clone(), interrupted));
    let watcher = match args.forever {
        true => Some(file_watch::watch(&place.root, handle.clone())?),
        false => None,
    };
    let presence = tokio::spawn(file_watch::tell_when_gone(place.root.clone(), handle.clone()));
    let result = show(global, &place.root, &mut progress, receiver).await;
    stopper.abort();
    presence.abort();
    drop(watcher);
    engine.stop_all().await;
    let interruption = *interruption.borrow();
    result.map(|code| interruption.map_or(code, ExitCode::from))
}

/// The first signal stops cleanly, the second at once.
async fn stop_when_told(
    mut signals: Signals,
    handle: LoopHandle,
    interrupted: watch::Sender<Option<Interruption>>,
) {
    let first = signals.next().await;
    interrupted.send_replace(Some(first));
    handle.request_stop();
    let second = signals.next().await;
    // Everything that was reported is durable already.
    std::process::exit(i32::from(second.status()));
}

/// Shows every event until the last one.
async fn show(
    global: &Global,
    project: &Path,
    progress: &mut Progress,
    mut events: mpsc::UnboundedReceiver<Event>,
) -> anyhow::Result<ExitCode> {
    let mut learned = Vec::new();
    while let Some(event) = events.recv().await {
        if global.json {
            output::json(&event)?;
        } else {
            progress.show(&event)?;
        }
        match event {
            Event::RecordSaved { record } => learned.push(*record),
            Event::Finished { reason, message, stats } => {
                let status = status(project, &reason, &message, learned.is_empty());
                // What went wrong is said once, on standard error.
                let why = status.as_ref().ok().map(|_| message.as_str());
                if !global.json && (why.is_some() || !learned.is_empty()) {
                    progress.finish(&learned, why, &stats)?;
                }
                return status;
            }
            _ => {}
        }
    }
    anyhow::bail!("the loop ended without saying why")
}

/// 0 when the loop did what was asked or the user stopped it; bad input and a loop that learnt nothing but errors
/// are said on standard error.
fn status(
    project: &Path,
    reason: &StopReason,
    message: &str,
    learned_nothing: bool,
) -> anyhow::Result<ExitCode> {
    match reason {
        StopReason::NotConfigured { .. }
        | StopReason::NothingLearned { .. }
        | StopReason::TooManyErrors { .. }
        | StopReason::Unhealthy { .. } => anyhow::bail!("{message}"),
        StopReason::NothingToAsk => anyhow::bail!("{}: {message}", project.display()),
        StopReason::InBackoff { .. } if learned_nothing => anyhow::bail!("{message}"),
        _ => Ok(ExitCode::SUCCESS),
    }
}
