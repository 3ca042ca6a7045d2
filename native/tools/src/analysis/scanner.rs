//! The scanner: walks, reads what changed, links, ranks.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use globset::GlobSet;
use ouro_core::{
    Clock, Error, ErrorKind, ProjectAnalysis, ProjectSource, Result,
    analysis::{FileRole, LanguageShare},
};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::{
    document::Prose,
    modules,
    read::{ScannedFile, read_file},
    walk::{Found, SkipList, canonical_root, glob_set, walk},
};

/// What a scan leaves out, and its limits.
#[derive(Debug, Clone)]
pub struct ScanOptions {
    /// Globs of paths, relative to the root, to leave out in addition to what `.gitignore` names.
    pub excluded: Vec<String>,
    /// Most files; what is beyond is counted as skipped.
    pub max_files: usize,
    /// Most bytes of a file that is read; larger ones are listed by name and size only.
    pub max_file_bytes: u64,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self { excluded: Vec::new(), max_files: 1_000_000, max_file_bytes: 1 << 20 }
    }
}

/// Threads that read and parse; also the most cores a scan takes from the user.
const THREADS: usize = 2;
/// Fewer files than this are read on the caller's thread.
const WORTH_THREADS: usize = 16;
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

    fn read_changed(
        &self,
        state: &mut State,
        found: &[Found],
        cancel: &CancellationToken,
    ) -> Result<bool> {
        let scanned_at = state.analysis.as_ref().map_or(i64::MIN, |a| a.scanned_at);
        let changed: Vec<&Found> = found
            .iter()
            .filter(|f| {
                state.files.get(&f.path).is_none_or(|known| known.stamp != f.stamp)
                    || f.stamp.modified_ms() > scanned_at.saturating_sub(TIME_GRAIN_MS)
            })
            .collect();
        let is_cancelled = || cancel.is_cancelled();
        let read = |found: &Found| {
            read_file(&self.root, found, self.options.max_file_bytes, &is_cancelled)
        };
        let fresh: Option<Vec<ScannedFile>> = if changed.len() < WORTH_THREADS {
            changed.into_iter().map(read).collect()
        } else {
            rayon::ThreadPoolBuilder::new()
                .num_threads(THREADS)
                .thread_name(|n| format!("ouro-scan-{n}"))
                .build()
                .map_err(|e| {
                    Error::new(ErrorKind::Internal, "no thread to scan with").with_source(e)
                })?
                .install(|| changed.into_par_iter().map(read).collect())
        };
        let before = state.files.len();
        let mut differs = false;
        for file in fresh.ok_or_else(Error::cancelled)? {
            let path = file.facts.path.clone();
            let old = state.files.insert(path, file);
            let new = old.as_ref().and_then(|o| state.files.get(&o.facts.path));
            differs |= match (&old, new) {
                (Some(old), Some(new)) => old.identity() != new.identity(),
                _ => true,
            };
        }
        if state.files.len() > found.len() {
            let present: std::collections::HashSet<&str> =
                found.iter().map(|f| f.path.as_str()).collect();
            state.files.retain(|path, _| present.contains(path.as_str()));
        }
        Ok(differs || state.files.len() != before)
    }

    fn assemble(&self, state: &State, found: &[Found], mut skipped: SkipList) -> ProjectAnalysis {
        let scanned: Vec<&ScannedFile> =
            found.iter().filter_map(|f| state.files.get(&f.path)).collect();
        let mut analysis = ProjectAnalysis {
            root: self.root.clone(),
            scanned_at: self.clock.now_ms(),
            fingerprint: fingerprint(&scanned),
            files: scanned.iter().map(|s| s.facts.clone()).collect(),
            ..ProjectAnalysis::default()
        };
        for file in &scanned {
            if let Some(why) = &file.skipped {
                skipped.add(file.facts.path.clone(), why.clone());
            }
        }
        for (index, file) in scanned.iter().enumerate() {
            let symbols = file.code.iter().flat_map(|code| &code.symbols).cloned();
            let in_tests = matches!(file.facts.role, FileRole::Test | FileRole::Benchmark);
            analysis.symbols.extend(symbols.map(|mut symbol| {
                symbol.file = index;
                symbol.is_test |= in_tests;
                symbol
            }));
        }
        analysis.documents = scanned.iter().filter_map(|s| s.document.clone()).collect();
        analysis.documents.sort_by_cached_key(Prose::order);
        analysis.languages = languages(&scanned);
        analysis.modules = modules::group(&mut analysis.files, &analysis.documents);
        analysis.name =
            self.root.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        analysis.skipped = skipped.list;
        analysis.skipped_count = skipped.count;
        analysis
    }
}

impl ProjectSource for ProjectScanner {
    fn refresh(&self, cancel: &CancellationToken) -> Result<Arc<ProjectAnalysis>> {
        canonical_root(&self.root)?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_cancelled = || cancel.is_cancelled();
        let walked = walk(&self.root, &self.excluded, self.options.max_files, &is_cancelled)?;
        let changed = self.read_changed(&mut state, &walked.files, cancel)?;
        if let Some(analysis) = &state.analysis
            && !changed
        {
            return Ok(Arc::clone(analysis));
        }
        let analysis = Arc::new(self.assemble(&state, &walked.files, walked.skipped));
        state.analysis = Some(Arc::clone(&analysis));
        Ok(analysis)
    }
}

fn fingerprint(files: &[&ScannedFile]) -> String {
    let mut hasher = Sha256::new();
    for file in files {
        hasher.update(file.facts.path.as_bytes());
        hasher.update([0]);
        hasher.update(file.identity().as_bytes());
        hasher.update([0]);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// How much code of each language is the project's own, the largest first.
fn languages(files: &[&ScannedFile]) -> Vec<LanguageShare> {
    let mut shares: BTreeMap<&str, (u32, u64)> = BTreeMap::new();
    for file in files {
        let facts = &file.facts;
        let foreign = matches!(facts.role, FileRole::Generated | FileRole::Vendored);
        if !facts.language.is_empty() && !foreign {
            let share = shares.entry(&facts.language).or_default();
            share.0 += 1;
            share.1 += u64::from(facts.lines);
        }
    }
    let mut list: Vec<LanguageShare> = shares
        .into_iter()
        .map(|(language, (files, lines))| LanguageShare {
            language: language.to_owned(),
            files,
            lines,
        })
        .collect();
    list.sort_by_key(|share| std::cmp::Reverse(share.lines));
    list
}
