//! Writes the guard's changes, one after the other, and remembers when the store refused.

use std::sync::{Arc, Mutex, MutexGuard};

use ouro_core::{Change, Error, ErrorKind, RecordStore, Result};

use crate::locks::lock;

/// Changes that wait for a store that is down; more than a loop that pauses after each error can bring up.
const MAX_UNSAVED: usize = 1_000;

/// The store behind its outages.
pub(crate) struct Saver {
    store: Arc<dyn RecordStore>,
    turn: Mutex<()>,
    outage: Mutex<Outage>,
}

#[derive(Default)]
struct Outage {
    /// Why the last commit failed; `None` when it didn't.
    cause: Option<String>,
    /// Changes that count already although they could not be written: failures and pauses.
    unsaved: Vec<Change>,
}

impl Saver {
    pub(crate) fn new(store: Arc<dyn RecordStore>) -> Self {
        Self { store, turn: Mutex::default(), outage: Mutex::default() }
    }

    /// The right to decide on a change, write it, and let it count. Whoever holds it sees no state that another writer is
    /// about to replace; readers of the state are not held up. Blocks for other writers' commits.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        lock(&self.turn)
    }

    /// Why the store is known to be down.
    pub(crate) fn outage(&self) -> Option<String> {
        lock(&self.outage).cause.clone()
    }

    /// Writes the changes; after an error none of them counts.
    pub(crate) fn commit(&self, changes: Vec<Change>) -> Result<()> {
        self.write(changes, false)
    }

    /// Writes the changes, or keeps them to be written with the next commit: for what counts in any case.
    pub(crate) fn commit_or_keep(&self, changes: Vec<Change>) -> Result<()> {
        self.write(changes, true)
    }

    fn write(&self, changes: Vec<Change>, keep: bool) -> Result<()> {
        let mut all = std::mem::take(&mut lock(&self.outage).unsaved);
        let owed = all.len();
        all.extend(changes);
        let result = self.store.commit(&all);
        let mut outage = lock(&self.outage);
        match &result {
            Ok(()) => outage.cause = None,
            Err(error) => {
                if !keep {
                    all.truncate(owed);
                }
                let excess = all.len().saturating_sub(MAX_UNSAVED);
                all.drain(..excess);
                outage.unsaved = all;
                // What the store refuses for its content says nothing about the store.
                if error.kind() != ErrorKind::InvalidInput {
                    outage.cause = Some(format!("the store can't be written: {error}"));
                }
            }
        }
        result
    }
}

/// Runs work that waits for the disk on a thread that may wait.
///
/// # Errors
/// `Internal` when the work panicked, `Cancelled` when the runtime is shutting down.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|stopped| {
        if stopped.is_panic() {
            Error::new(ErrorKind::Internal, "writing the guard's state failed by a defect")
                .with_source(stopped)
        } else {
            Error::cancelled()
        }
    })
}
