//! One project's files, for everybody who reads them.

use std::{path::Path, sync::Arc};

use ouro_core::{Clock, ProjectAnalysis, Result, TextDocument, Tool};

use crate::{
    ProjectRoot, ProjectScanner, ScanOptions, ScanProgress, SharedAnalysis, code_documents,
    native_tools,
};

/// Most bytes of code in the index that searches use.
const CODE_INDEX_BYTES: usize = 16 << 20;

/// A project's folder without what must not be read in it: its analysis, the tools over it, and its code to be searched.
#[derive(Debug, Clone)]
pub struct ProjectFiles {
    root: ProjectRoot,
    excluded: Vec<String>,
    source: SharedAnalysis,
    progress: Arc<ScanProgress>,
}

impl ProjectFiles {
    /// The files of the project at `root` but for those that match one of the globs, and for the program's own, in the
    /// folder `data`, where that lies inside. Reads none yet.
    ///
    /// # Errors
    /// `NotFound`, `InvalidInput` for what is no folder and for a wrong glob, `Refused` for what can't be entered.
    pub fn open(root: &Path, data: &Path, globs: &[String], clock: Arc<dyn Clock>) -> Result<Self> {
        let mut excluded = globs.to_vec();
        if let Ok(inside) = data.strip_prefix(root) {
            let inside = inside.to_string_lossy().replace('\\', "/");
            if !inside.is_empty() {
                excluded.push(format!("{inside}/**"));
            }
        }
        let options = ScanOptions { excluded: excluded.clone(), ..ScanOptions::default() };
        let scanner = ProjectScanner::new(root, options, clock)?;
        let progress = scanner.progress();
        let source = SharedAnalysis::new(Arc::new(scanner));
        Ok(Self { root: ProjectRoot::open(root)?, excluded, source, progress })
    }

    /// The analysis.
    pub fn source(&self) -> &SharedAnalysis {
        &self.source
    }

    /// How far the analysis has come that is made now.
    pub fn progress(&self) -> &ScanProgress {
        &self.progress
    }

    /// The native tools.
    ///
    /// # Errors
    /// `InvalidInput` names the glob that is wrong.
    pub fn tools(&self) -> Result<Vec<Arc<dyn Tool>>> {
        native_tools(&self.root, &self.source, &self.excluded)
    }

    /// What makes the code of an analysis searchable; see [`code_documents()`].
    pub fn documents(
        &self,
    ) -> impl Fn(&ProjectAnalysis) -> Vec<TextDocument> + Send + Sync + use<> {
        let root = self.root.clone();
        move |analysis| code_documents(analysis, &root, CODE_INDEX_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use ouro_core::{ProjectSource, SystemClock};
    use tokio_util::sync::CancellationToken;

    use super::*;

    #[test]
    fn neither_what_is_excluded_nor_the_programs_own_data_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for file in ["kept.py", "build/made.py", "data/own.py", "database.py"] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "def f():\n    pass\n").unwrap();
        }
        let seen = |data: &Path| {
            let globs = ["build/**".to_owned()];
            let files =
                ProjectFiles::open(&root, data, &globs, Arc::new(SystemClock::new())).unwrap();
            let analysis = files.source().refresh(&CancellationToken::new()).unwrap();
            assert!(!(files.documents())(&analysis).is_empty());
            analysis.files.iter().map(|file| file.path.clone()).collect::<Vec<_>>()
        };
        assert_eq!(seen(&root.join("data")), ["database.py", "kept.py"]);
        let outside = tempfile::tempdir().unwrap();
        assert_eq!(seen(outside.path()), ["data/own.py", "database.py", "kept.py"]);
    }
}
