//! The newest project analysis, for everybody who works on the project.

use std::sync::{Arc, Mutex, PoisonError};

use ouro_core::{FreshnessStamp, ProjectAnalysis, ProjectSource, Result};
use tokio_util::sync::CancellationToken;

/// A project source that remembers what it gave last. Give the engine and the tools clones of the same one: what the
/// engine's refresh finds, the tools see.
#[derive(Clone)]
pub struct SharedAnalysis {
    source: Arc<dyn ProjectSource>,
    newest: Arc<Mutex<Option<Arc<ProjectAnalysis>>>>,
}

impl SharedAnalysis {
    /// Remembers what this source gives.
    pub fn new(source: Arc<dyn ProjectSource>) -> Self {
        Self { source, newest: Arc::default() }
    }

    /// What the last refresh gave.
    pub fn newest(&self) -> Option<Arc<ProjectAnalysis>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The state of the whole tree as of the last refresh.
    pub(crate) fn stamp(&self) -> Option<FreshnessStamp> {
        self.newest().map(|analysis| FreshnessStamp(analysis.fingerprint.clone()))
    }
}

impl ProjectSource for SharedAnalysis {
    fn refresh(&self, cancel: &CancellationToken) -> Result<Arc<ProjectAnalysis>> {
        let analysis = self.source.refresh(cancel)?;
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&analysis));
        Ok(analysis)
    }
}

impl std::fmt::Debug for SharedAnalysis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let known = self.newest().map(|a| a.fingerprint.clone());
        f.debug_struct("SharedAnalysis").field("fingerprint", &known).finish_non_exhaustive()
    }
}
