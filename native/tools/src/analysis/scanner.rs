//! The scanner: walks, reads what changed, links, ranks.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use globset::GlobSet;
use ouro_core::{Clock, Error, ErrorKind, ProjectAnalysis, ProjectSource, Result};
use rayon::iter::{Either, IntoParallelIterator, ParallelIterator};
use tokio_util::sync::CancellationToken;

use super::{
    assemble::assemble,
    budget::Watch,
    progress::ScanProgress,
    read::{ScannedFile, read_file},
    walk::{Found, Leavings, Walked, canonical_root, glob_set, walk},
};

/// What a scan leaves out, and its limits.
#[derive(Debug, Clone)]
pub struct ScanOptions {
    /// Globs of paths, relative to the root, to leave out in addition to what `.gitignore` names.
    pub excluded: Vec<String>,
    /// Most files, code and what is near the root first; what is beyond is counted as left out. It bounds the memory: small
    /// files take up to 3 KiB each, so the default comes to some 300 MB.
    pub max_files: usize,
    /// Most bytes of a file that is read; larger ones are listed by name and size only.
    pub max_file_bytes: u64,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self { excluded: Vec::new(), max_files: 100_000, max_file_bytes: 1 << 20 }
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
    progress: Arc<ScanProgress>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Sorted by path.
    files: Vec<ScannedFile>,
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
        let (progress, state) = (Arc::default(), Mutex::default());
        Ok(Self { root, excluded, options, clock, progress, state })
    }

    /// The canonical root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// How far the scan has come that runs now.
    pub fn progress(&self) -> Arc<ScanProgress> {
        Arc::clone(&self.progress)
    }

    /// Size and time of every file; those that are gone or can't be asked are left out.
    fn stamped(
        &self,
        walked: Walked,
        cancel: &CancellationToken,
    ) -> Result<(Vec<Found>, Leavings)> {
        let Walked { paths, mut left_out } = walked;
        let (found, failed): (Vec<Found>, Vec<_>) = paths
            .into_par_iter()
            .take_any_while(|_| !cancel.is_cancelled())
            .partition_map(|path| match Found::at(&self.root, path) {
                Ok(found) => Either::Left(found),
                Err(failed) => Either::Right(failed),
            });
        if cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        for (path, error) in failed {
            left_out.add(path, format!("unreadable: {}", error.kind()));
        }
        Ok((found, left_out))
    }

    /// Reads what is new or changed and forgets what is gone; says whether anything differs.
    fn read_changed(
        &self,
        state: &mut State,
        found: Vec<Found>,
        cancel: &CancellationToken,
    ) -> Result<bool> {
        let scanned_at = state.analysis.as_ref().map_or(i64::MIN, |a| a.scanned_at);
        let mut current = vec![false; state.files.len()];
        let mut changed = Vec::new();
        for found in found {
            let is_old = found.stamp.modified_ms() <= scanned_at.saturating_sub(TIME_GRAIN_MS);
            let known = state.position(&found.path).filter(|at| {
                is_old && state.files.get(*at).is_some_and(|known| known.stamp == found.stamp)
            });
            match known.and_then(|at| current.get_mut(at)) {
                Some(current) => *current = true,
                None => changed.push(found),
            }
        }
        self.progress.will_read(changed.len());
        let is_cancelled = || cancel.is_cancelled();
        let watch = Watch { is_cancelled: &is_cancelled, clock: &*self.clock };
        let read = |found: Found| {
            let file = read_file(&self.root, found, self.options.max_file_bytes, watch);
            self.progress.read_one();
            file
        };
        // Collected in two steps: the first knows how many there are, so that nothing is copied.
        let fresh: Vec<Option<ScannedFile>> = changed.into_par_iter().map(read).collect();
        let fresh: Option<Vec<ScannedFile>> = fresh.into_iter().collect();
        let mut files = fresh.ok_or_else(Error::cancelled)?;
        let stay_same = |file: &&ScannedFile| {
            let known = state.position(&file.facts.path).and_then(|at| state.files.get(at));
            known.is_some_and(|known| known.identity() == file.identity())
        };
        let kept = current.iter().filter(|is| **is).count();
        let same = kept + files.iter().filter(stay_same).count();
        let differs = same != state.files.len() || same != kept + files.len();
        let mut current = current.into_iter();
        state.files.retain(|_| current.next().unwrap_or(false));
        if state.files.is_empty() {
            state.files = files;
        } else {
            state.files.append(&mut files);
            state.files.sort_unstable_by(|a, b| a.facts.path.cmp(&b.facts.path));
        }
        Ok(differs)
    }
}

impl State {
    /// Where the file at this path is.
    fn position(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|file| file.facts.path.as_str().cmp(path)).ok()
    }
}

impl ProjectSource for ProjectScanner {
    fn refresh(&self, cancel: &CancellationToken) -> Result<Arc<ProjectAnalysis>> {
        canonical_root(&self.root)?;
        let mut guard = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state: &mut State = &mut guard;
        self.progress.begin();
        let (root, max_files) = (&self.root, self.options.max_files);
        let is_cancelled = || cancel.is_cancelled();
        let walked = walk(root, &self.excluded, max_files, &self.progress, &is_cancelled)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(THREADS)
            .stack_size(STACK_BYTES)
            .thread_name(|n| format!("ouro-scan-{n}"))
            .build()
            .map_err(|e| {
                Error::new(ErrorKind::Internal, "no thread to scan the project with").with_source(e)
            })?;
        pool.install(|| {
            let (found, left_out) = self.stamped(walked, cancel)?;
            let changed = self.read_changed(state, found, cancel)?;
            if let Some(analysis) = &state.analysis
                && !changed
            {
                return Ok(Arc::clone(analysis));
            }
            let scanned: Vec<&ScannedFile> = state.files.iter().collect();
            let analysis =
                assemble(&self.root, self.clock.now_ms(), &scanned, left_out, &is_cancelled)
                    .ok_or_else(Error::cancelled)?;
            let analysis = Arc::new(analysis);
            state.analysis = Some(Arc::clone(&analysis));
            Ok(analysis)
        })
    }
}
