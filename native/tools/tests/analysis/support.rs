//! A project in a temporary folder, and its analysis as text.

use std::{fmt::Write, path::Path, sync::Arc};

use ouro_core::{ProjectAnalysis, ProjectSource, analysis::Symbol};
use ouro_testkit::ManualClock;
use ouro_tools::{ProjectScanner, ScanOptions};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// After every file that a test writes: files count as unchanged from scan to scan.
pub(crate) const LATER: i64 = 32_503_680_000_000;

pub(crate) struct Project {
    pub(crate) folder: TempDir,
}

impl Project {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn scanner(&self) -> ProjectScanner {
        scanner(self.folder.path(), ScanOptions::default())
    }

    pub(crate) fn scan(&self) -> Arc<ProjectAnalysis> {
        self.scanner().refresh(&CancellationToken::new()).unwrap()
    }
}

pub(crate) fn scanner(root: &Path, options: ScanOptions) -> ProjectScanner {
    ProjectScanner::new(root, options, Arc::new(ManualClock::new(LATER))).unwrap()
}

/// One paragraph a symbol: place, kind, name; then what else is known.
pub(crate) fn symbols(analysis: &ProjectAnalysis) -> String {
    let mut text = String::new();
    for symbol in &analysis.symbols {
        let file = &analysis.file_of(symbol).unwrap().path;
        let marks = [(symbol.exported, " exported"), (symbol.is_test, " test")];
        let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
        let (line, start, end) = (symbol.line, symbol.start_line, symbol.end_line);
        writeln!(
            text,
            "{file}:{line} [{start}-{end}] {:?} {}{marks}",
            symbol.kind,
            full_name(symbol)
        )
        .unwrap();
        writeln!(text, "  {}", symbol.signature).unwrap();
        if let Some(doc) = &symbol.doc {
            writeln!(
                text,
                "  doc {}-{}: {}",
                doc.start_line,
                doc.end_line,
                doc.text.replace('\n', " / ")
            )
            .unwrap();
        }
        for member in &symbol.members {
            let doc = member.doc.as_ref().map_or_else(String::new, |d| format!(": {}", d.text));
            writeln!(text, "  member {}@{}{doc}", member.name, member.line).unwrap();
        }
        for failure in &symbol.failures {
            let message =
                failure.message.as_ref().map_or_else(String::new, |m| format!(" {:?}", m.text));
            writeln!(text, "  fails {}@{}{message}", failure.what, failure.line).unwrap();
        }
    }
    text
}

/// One line a reference: place, who, how, whom.
pub(crate) fn references(analysis: &ProjectAnalysis) -> String {
    let mut text = String::new();
    for reference in &analysis.references {
        let from = &analysis.files[reference.from_file].path;
        let user =
            reference.from_symbol.map_or("-".to_owned(), |s| full_name(&analysis.symbols[s]));
        let to = &analysis.symbols[reference.to];
        let home = &analysis.file_of(to).unwrap().path;
        writeln!(
            text,
            "{from}:{} {user} {:?} {home} {}",
            reference.line,
            reference.kind,
            full_name(to)
        )
        .unwrap();
    }
    text
}

pub(crate) fn full_name(symbol: &Symbol) -> String {
    match &symbol.container {
        Some(container) => format!("{container}.{}", symbol.name),
        None => symbol.name.clone(),
    }
}
