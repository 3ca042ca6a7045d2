//! How a call is run: on a blocking thread, and no longer than somebody waits for it.

use ouro_core::{Error, ErrorKind, Result, ToolContext, ToolResult};

/// Runs a tool's work. When the future is dropped, the work is told to stop.
///
/// # Errors
/// The work's; `Internal` when it panicked.
pub(crate) async fn on_blocking_thread(
    context: &ToolContext,
    work: impl FnOnce(&ToolContext) -> Result<ToolResult> + Send + 'static,
) -> Result<ToolResult> {
    let context = ToolContext { cancel: context.cancel.child_token(), ..context.clone() };
    let _stops_when_dropped = context.cancel.clone().drop_guard();
    let done = tokio::task::spawn_blocking(move || work(&context)).await;
    done.unwrap_or_else(|failure| {
        Err(Error::new(ErrorKind::Internal, "a tool stopped with a defect").with_source(failure))
    })
}
