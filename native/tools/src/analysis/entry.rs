//! Where a program or library is entered.

use std::collections::{HashMap, HashSet};

use ouro_core::analysis::{EntryPoint, FileFacts, FileRole, Symbol, SymbolKind};

use super::{
    read::ScannedFile,
    role::{file_name, folder},
};

/// The entry points that build files name, and those that the code itself shows.
pub(super) fn entry_points(
    scanned: &[&ScannedFile],
    files: &[FileFacts],
    symbols: &[Symbol],
    wholes: &[(usize, usize)],
) -> Vec<EntryPoint> {
    let index: HashMap<&str, usize> =
        scanned.iter().enumerate().map(|(at, file)| (file.facts.path.as_str(), at)).collect();
    let functions: HashMap<(usize, &str), u32> = symbols
        .iter()
        .filter(|s| s.kind == SymbolKind::Function)
        .map(|s| ((s.file, s.name.as_str()), s.line))
        .collect();
    let mut found: Vec<EntryPoint> = Vec::new();
    for entry in scanned.iter().filter_map(|s| s.build.as_ref()).flat_map(|b| &b.entries) {
        let file = |path: &&String| index.get(path.as_str()).and_then(|at| files.get(*at));
        // What was written by hand before what was built of it.
        let by_hand = |path: &&String| file(path).is_some_and(|f| f.role != FileRole::Generated);
        let exists = |path: &&String| file(path).is_some();
        let Some(path) =
            entry.paths.iter().find(by_hand).or_else(|| entry.paths.iter().find(exists))
        else {
            continue;
        };
        let line = entry
            .function
            .as_deref()
            .zip(index.get(path.as_str()))
            .and_then(|(name, file)| functions.get(&(*file, name)));
        let kind = entry.kind.to_owned();
        let (name, path) = (entry.name.clone(), path.clone());
        let of_file = |(file, _): &&(usize, usize)| index.get(path.as_str()) == Some(file);
        let exports = wholes.iter().find(of_file).filter(|_| kind == "library").map(|w| w.1);
        let one = EntryPoint { kind, name, path, line: line.copied().unwrap_or(1), exports };
        let same = |known: &EntryPoint| {
            let same_file = known.path == one.path && known.kind == one.kind;
            // A program that the build file names is called so, not as its package, which comes after.
            same_file && (known.name == one.name || one.kind == "binary")
        };
        if !found.iter().any(same) {
            found.push(one);
        }
    }
    let programs: HashSet<String> =
        found.iter().filter(|e| e.kind != "library").map(|e| e.path.clone()).collect();
    let mains: HashMap<usize, u32> =
        symbols.iter().filter(|s| is_main(s, scanned)).map(|s| (s.file, s.line)).collect();
    for (at, file) in scanned.iter().enumerate() {
        let facts = &file.facts;
        if programs.contains(&facts.path)
            || !matches!(facts.role, FileRole::Source | FileRole::Example)
        {
            continue;
        }
        let entry = |kind: &str, line| EntryPoint {
            kind: kind.to_owned(),
            name: program_name(&facts.path),
            path: facts.path.clone(),
            line,
            exports: None,
        };
        if let Some(line) = file.code.as_ref().and_then(|code| code.main_guard) {
            found.push(entry("script", line));
        } else if let Some(line) = mains.get(&at) {
            found.push(entry("main", *line));
        }
    }
    found.sort_by_cached_key(|e| (e.path.matches('/').count(), e.path.clone(), e.line));
    found
}

fn is_main(symbol: &Symbol, scanned: &[&ScannedFile]) -> bool {
    if symbol.name != "main" || symbol.is_test {
        return false;
    }
    let language = scanned.get(symbol.file).map_or("", |f| f.facts.language.as_str());
    match language {
        "rust" | "kotlin" => symbol.kind == SymbolKind::Function && symbol.container.is_none(),
        "go" => {
            let package =
                scanned.get(symbol.file).and_then(|f| f.code.as_ref()?.package.as_deref());
            symbol.kind == SymbolKind::Function && package == Some("main")
        }
        // Build steps have a `main` too: only a type that is called as programs are starts one.
        "java" => {
            let home = symbol.container.as_deref().unwrap_or("");
            let programs = ["Main", "App", "Application", "Cli", "CLI", "Server", "Launcher"];
            symbol.signature.contains("static")
                && symbol.signature.contains("void")
                && programs.iter().any(|end| home.ends_with(end))
        }
        _ => false,
    }
}

/// The file's name, or its folder's where every program's file is called the same.
fn program_name(path: &str) -> String {
    let stem = file_name(path).split('.').next().unwrap_or(path);
    let home = file_name(folder(path));
    match stem {
        "main" | "__main__" | "Main" | "mod" if !matches!(home, "" | "src" | "bin") => {
            home.to_owned()
        }
        _ => stem.to_owned(),
    }
}
