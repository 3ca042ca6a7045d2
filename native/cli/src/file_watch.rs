//! Tells a loop that waits for it when a file of its project changes.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use ouro_engine::LoopHandle;

/// Watches `root` until the watcher is dropped.
pub(crate) fn watch(root: &Path, handle: LoopHandle) -> anyhow::Result<RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Reading a file is an event too; only what changes it counts. The scan decides whether it matters.
        if !event.is_ok_and(|e| matches!(e.kind, EventKind::Access(_))) {
            handle.project_changed();
        }
    })
    .context("file changes can't be watched")?;
    watcher
        .watch(root, RecursiveMode::Recursive)
        .with_context(|| format!("{} can't be watched for changes", root.display()))?;
    Ok(watcher)
}

/// How often a folder is looked for that may have been moved away, which no watcher tells.
const PRESENCE: Duration = Duration::from_secs(5);

/// Tells the loop once when its project is not there any more: it may wait for a change of it.
pub(crate) async fn tell_when_gone(root: PathBuf, handle: LoopHandle) {
    let mut ticks = tokio::time::interval(PRESENCE);
    while root.exists() {
        ticks.tick().await;
    }
    handle.project_changed();
}
