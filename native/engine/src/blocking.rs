//! Work that blocks, and panics that are caught.

use ouro_core::{Error, ErrorKind, Result};
use tracing::Span;

/// Runs work that blocks on the disk or the processor on a thread that may block.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let span = Span::current();
    match tokio::task::spawn_blocking(move || span.in_scope(work)).await {
        Ok(result) => result,
        Err(stopped) => Err(Error::new(ErrorKind::Internal, panic_message(stopped))),
    }
}

fn panic_message(stopped: tokio::task::JoinError) -> String {
    if !stopped.is_panic() {
        return "the runtime is shutting down".into();
    }
    defect(stopped.into_panic().as_ref())
}

/// What a caught panic is to the user.
pub(crate) fn defect(payload: &(dyn std::any::Any + Send)) -> String {
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message");
    format!("a defect in Ouro: {message}")
}
