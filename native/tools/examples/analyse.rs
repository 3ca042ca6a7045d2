//! Prints what a scan finds in a folder: `cargo run -p ouro-tools --example analyse -- FOLDER`; with `references` after
//! the folder, every link between a use and a declaration.
#![allow(clippy::print_stdout, reason = "printing is what this example is for")]

use std::{path::Path, sync::Arc};

use ouro_core::{Clock, ProjectSource, SystemClock};
use ouro_tools::{ProjectScanner, ScanOptions};
use tokio_util::sync::CancellationToken;

fn main() -> ouro_core::Result<()> {
    let root = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let clock = Arc::new(SystemClock::new());
    let scanner = ProjectScanner::new(Path::new(&root), ScanOptions::default(), clock.clone())?;
    let start = clock.monotonic();
    let found = scanner.refresh(&CancellationToken::new())?;
    let cold = clock.monotonic() - start;
    scanner.refresh(&CancellationToken::new())?;
    let warm = clock.monotonic() - start - cold;
    println!(
        "{}: {} files, {} lines of code, {} symbols, {} references, {} left out; {} ms, again {} ms",
        found.name,
        found.files.len(),
        found.code_lines(),
        found.symbols.len(),
        found.references.len(),
        found.left_out_count(),
        cold.as_millis(),
        warm.as_millis()
    );
    for language in &found.languages {
        println!(
            "  language {} {} files {} lines",
            language.language, language.files, language.lines
        );
    }
    for manifest in &found.manifests {
        println!(
            "  manifest {} {:?} {:?} {} dependencies",
            manifest.path,
            manifest.name,
            manifest.version,
            manifest.dependencies.len()
        );
    }
    for entry in &found.entry_points {
        println!("  entry {} {} {}:{}", entry.kind, entry.name, entry.path, entry.line);
    }
    for document in found.documents.iter().take(3) {
        println!("  document {} {:?} {:?}", document.path, document.title, document.introduction);
    }
    if std::env::args().nth(2).is_some_and(|a| a == "references") {
        for reference in &found.references {
            let path = |file: usize| found.files.get(file).map_or("", |f| f.path.as_str());
            let Some(to) = found.symbols.get(reference.to) else { continue };
            let container = to.container.as_deref().unwrap_or("");
            println!(
                "{}:{} {:?} -> {container}.{} {}:{}",
                path(reference.from_file),
                reference.line,
                reference.kind,
                to.name,
                path(to.file),
                to.line
            );
        }
        return Ok(());
    }
    let mut files: Vec<_> = found.files.iter().collect();
    files.sort_by(|a, b| b.centrality.total_cmp(&a.centrality));
    for file in files.iter().take(8) {
        println!("  file {:.3} {} {:?}", file.centrality, file.path, file.role);
    }
    let mut symbols: Vec<_> = found.symbols.iter().collect();
    symbols.sort_by(|a, b| b.centrality.total_cmp(&a.centrality));
    for symbol in symbols.iter().take(20) {
        let path = found.file_of(symbol).map_or("", |f| f.path.as_str());
        let doc = symbol.doc.as_ref().map_or("", |d| d.text.lines().next().unwrap_or(""));
        println!(
            "  {:.3} {:?} {}{} {path}:{} | {} | {doc} | {} members {} failures",
            symbol.centrality,
            symbol.kind,
            symbol.container.as_ref().map_or_else(String::new, |c| format!("{c}.")),
            symbol.name,
            symbol.line,
            symbol.signature,
            symbol.members.len(),
            symbol.failures.len()
        );
    }
    Ok(())
}
