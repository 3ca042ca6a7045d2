//! What exists once in a loaded library: the runtime, the way to the host, and the open projects.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use ouro_core::{Clock, Error, ErrorKind, SystemClock, clock::with_timeout};
use tokio::{
    runtime::{Builder, Handle, Runtime},
    task::JoinHandle,
};

use crate::{
    engine::Session,
    error::{BridgeError, Result},
    host::{Host, Outbox},
    host_tool::Calls,
    logs,
    registry::Registry,
};

/// Threads that run the loops. They mostly wait; what computes for long runs on blocking threads.
const WORKERS: usize = 2;

static LIBRARY: RwLock<Option<Library>> = RwLock::new(None);

/// The projects that are open.
pub(crate) static SESSIONS: Registry<Session> = Registry::new("engine");

struct Library {
    runtime: Runtime,
    access: Access,
    pump: JoinHandle<()>,
}

/// What calls need of the library. It may outlive a shutdown: its tasks are cancelled then.
#[derive(Clone)]
pub(crate) struct Access {
    /// Where async work runs.
    pub(crate) runtime: Handle,
    /// The way to the host.
    pub(crate) outbox: Outbox,
    /// Tool calls that wait for the host.
    pub(crate) calls: Arc<Calls>,
}

/// Starts the runtime and connects the host.
pub(crate) fn start(host: Arc<dyn Host>) -> Result<()> {
    let mut library = LIBRARY.write().unwrap_or_else(PoisonError::into_inner);
    if library.is_some() {
        return Err(Error::new(
            ErrorKind::InUse,
            "this library has a host already: shut it down before another one takes it",
        )
        .into());
    }
    let telling = host.clone();
    let runtime = Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .thread_name("ouro")
        .on_thread_stop(move || telling.thread_ends())
        .enable_all()
        .build()
        .map_err(|error| {
            Error::new(ErrorKind::Unavailable, "no threads can be started").with_source(error)
        })?;
    let takes_calls_at_once = host.takes_calls_at_once();
    let (outbox, pump) = Outbox::new(host);
    let pump = runtime.spawn_blocking(pump);
    if takes_calls_at_once {
        runtime.spawn_blocking(outbox.caller());
    }
    logs::send_to(Some(outbox.clone()));
    let access = Access { runtime: runtime.handle().clone(), outbox, calls: Arc::default() };
    *library = Some(Library { runtime, access, pump });
    Ok(())
}

/// Stops every loop, closes every project and ends the runtime; what does not end within `limit` is left behind.
///
/// Without a host there is nothing to do.
pub(crate) fn shut_down(limit: Duration) {
    let taken = LIBRARY.write().unwrap_or_else(PoisonError::into_inner).take();
    let Some(Library { runtime, access, pump }) = taken else { return };
    let sessions = SESSIONS.drain();
    let stopping: Vec<_> = sessions
        .into_iter()
        .map(|session| access.runtime.spawn(async move { session.close().await }))
        .collect();
    access.runtime.block_on(async {
        for stopped in stopping {
            // A loop that panics while it stops has stopped.
            let _ = stopped.await;
        }
    });
    logs::send_to(None);
    let end = access.outbox.end();
    drop(access);
    // What happened last is still delivered. Past the limit the host hangs in a callback and gets nothing more.
    let clock = SystemClock::new();
    let begin = clock.monotonic();
    let _ = runtime.block_on(with_timeout(&clock, limit, "the host", pump));
    end();
    runtime.shutdown_timeout(limit.saturating_sub(clock.monotonic() - begin));
}

/// The library, where a host is connected.
pub(crate) fn access() -> Result<Access> {
    let library = LIBRARY.read().unwrap_or_else(PoisonError::into_inner);
    library.as_ref().map(|library| library.access.clone()).ok_or_else(|| {
        BridgeError::invalid("no host is connected: init comes first, and again after a shutdown")
    })
}
