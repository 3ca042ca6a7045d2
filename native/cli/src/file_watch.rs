//! Tells a loop that waits for it when a file of its project changes.

use std::path::Path;

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
