//! The scanner: walks, reads what changed, links, ranks.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use globset::GlobSet;
use ouro_core::{Clock, Error, ErrorKind, ProjectAnalysis, ProjectSource, Result};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use tokio_util::sync::CancellationToken;

use super::{
    assemble::assemble,
    budget::Watch,
    read::{ScannedFile, read_file},
    walk::{Found, canonical_root, glob_set, walk},
};

/// What a scan leaves out, and its limits.
#[derive(Debug, Clone)]
pub struct ScanOptions {
    /// Globs of paths, relative to the root, to leave out in addition to what `.gitignore` names.
    pub excluded: Vec<String>,
    /// Most files; what is beyond is counted as left out. It bounds the memory: small files take about 4 KiB each, so the
    /// default comes to 1.3 GiB.
    pub max_files: usize,
    /// Most bytes of a file that is read; larger ones are listed by name and size only.
    pub max_file_bytes: u64,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self { excluded: Vec::new(), max_files: 300_000, max_file_bytes: 1 << 20 }
    }
}

/// Threads that read and parse; also the most cores a scan takes from the user.
const THREADS: usize = 2;
/// The parser frees its states by recursion, one frame of about 100 bytes for each token in the worst case. Only what is
/// used of the stack takes memory.
const STACK_BYTES: usize = 256 << 20;
/// A file changed this shortly before it was read may change again without a new time stamp.
const TIME_GRAIN_MS: i64 = 2_000;

/// Analyses one project, again and again at little cost.
#[derive(Debug)]
pub struct ProjectScanner {
    root: PathBuf,
    excluded: GlobSet,
    options: ScanOptions,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    files: HashMap<String, ScannedFile>,
    analysis: Option<Arc<ProjectAnalysis>>,
}

impl ProjectScanner {
    /// A scanner of the project at `root`. Reads nothing yet but the root's listing.
    ///
    /// # Errors
    /// `NotFound`, `Refused` or `InvalidInput` for a root that can't be scanned; `InvalidInput` for a bad glob.
    pub fn new(root: &Path, options: ScanOptions, clock: Arc<dyn Clock>) -> Result<Self> {
        let root = canonical_root(root)?;
        let excluded = glob_set(&options.excluded)?;
        Ok(Self { root, excluded, options, clock, state: Mutex::default() })
    }

    /// The canonical root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reads what is new or changed and forgets what is gone; says whether anything differs.
    fn read_changed(
        &self,
        state: &mut State,
        found: &[Found],
        cancel: &CancellationToken,
    ) -> Result<bool> {
        let scanned_at = state.analysis.as_ref().map_or(i64::MIN, |a| a.scanned_at);
        let is_current = |found: &Found| {
            state.files.get(&found.path).is_some_and(|known| known.stamp == found.stamp)
                && found.stamp.modified_ms() <= scanned_at.saturating_sub(TIME_GRAIN_MS)
        };
        let changed: Vec<&Found> = found.iter().filter(|f| !is_current(f)).collect();
        let is_cancelled = || cancel.is_cancelled();
        let watch = Watch { is_cancelled: &is_cancelled, clock: &*self.clock };
        let read = |found: &Found| read_file(&self.root, found, self.options.max_file_bytes, watch);
        let fresh: Option<Vec<ScannedFile>> = changed.into_par_iter().map(read).collect();
        let mut differs = false;
        for file in fresh.ok_or_else(Error::cancelled)? {
            let known = state.files.get(&file.facts.path);
            differs |= known.is_none_or(|known| known.identity() != file.identity());
            state.files.insert(file.facts.path.clone(), file);
        }
        if state.files.len() > found.len() {
            let present: HashSet<&str> = found.iter().map(|f| f.path.as_str()).collect();
            state.files.retain(|path, _| present.contains(path.as_str()));
            differs = true;
        }
        Ok(differs)
    }
}

impl ProjectSource for ProjectScanner {
    fn refresh(&self, cancel: &CancellationToken) -> Result<Arc<ProjectAnalysis>> {
        canonical_root(&self.root)?;
        let mut guard = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state: &mut State = &mut guard;
        let walked =
            walk(&self.root, &self.excluded, self.options.max_files, &|| cancel.is_cancelled())?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(THREADS)
            .stack_size(STACK_BYTES)
            .thread_name(|n| format!("ouro-scan-{n}"))
            .build()
            .map_err(|e| {
                Error::new(ErrorKind::Internal, "no thread to scan the project with").with_source(e)
            })?;
        pool.install(|| {
            let changed = self.read_changed(state, &walked.files, cancel)?;
            if let Some(analysis) = &state.analysis
                && !changed
            {
                return Ok(Arc::clone(analysis));
            }
            let scanned: Vec<&ScannedFile> =
                walked.files.iter().filter_map(|f| state.files.get(&f.path)).collect();
            let analysis =
                assemble(&self.root, self.clock.now_ms(), &scanned, walked.left_out, &|| {
                    cancel.is_cancelled()
                })
                .ok_or_else(Error::cancelled)?;
            let analysis = Arc::new(analysis);
            state.analysis = Some(Arc::clone(&analysis));
            Ok(analysis)
        })
    }
}
