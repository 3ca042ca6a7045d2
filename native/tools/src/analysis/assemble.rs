//! Puts the facts of single files together to what is known of the project.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
};

use ouro_core::{
    ProjectAnalysis,
    analysis::{EntryPoint, FileFacts, FileRole, LanguageShare, Reference, ReferenceKind, Symbol},
};
use sha2::{Digest, Sha256};

use super::{
    checks,
    document::Prose,
    entry::entry_points,
    link::link,
    manifest::short_module_name,
    modules,
    rank::{Hints, rank},
    read::ScannedFile,
    role::compiled_copies,
    walk::Leavings,
};

/// The analysis of these files, sorted by path; `None` if it was cancelled.
pub(super) fn assemble(
    root: &Path,
    scanned_at: i64,
    scanned: &[&ScannedFile],
    mut left_out: Leavings,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<ProjectAnalysis> {
    for file in scanned {
        if let Some(why) = &file.skipped {
            left_out.add(file.facts.path.clone(), why.clone());
        }
    }
    let mut files: Vec<_> = scanned.iter().map(|s| s.facts.clone()).collect();
    // A package that was published without its sources is what a compiler made of them.
    let declares = |path: &str| [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| path.ends_with(end));
    let is_source =
        |f: &FileFacts| f.role == FileRole::Source && !f.language.is_empty() && !declares(&f.path);
    if !files.iter().any(is_source) {
        for (file, scanned) in files.iter_mut().zip(scanned) {
            if file.role == FileRole::Generated && scanned.code.is_some() {
                file.role = FileRole::Source;
            }
        }
    }
    let paths: Vec<&str> = scanned.iter().map(|s| s.facts.path.as_str()).collect();
    for (file, is_copy) in files.iter_mut().zip(compiled_copies(&paths)) {
        if is_copy && file.role == FileRole::Source {
            file.role = FileRole::Generated;
        }
    }
    let mut symbols = symbols(scanned);
    let mut links = link(scanned, is_cancelled)?;
    checks::hand_on(&mut symbols, std::mem::take(&mut links.checks));
    hand_down(&mut symbols, &links.references);
    for hidden in &links.hidden {
        if let Some(symbol) = symbols.get_mut(*hidden) {
            symbol.exported = false;
        }
    }
    let entry_points = entry_points(scanned, &files, &symbols, &links.wholes);
    rank(&mut files, &mut symbols, &links, &hints(scanned, &entry_points));
    let mut manifests: Vec<_> =
        scanned.iter().filter_map(|s| Some(s.build.as_ref()?.manifest.clone())).collect();
    manifests.sort_by_cached_key(|m| (m.path.matches('/').count(), m.path.clone()));
    let mut documents: Vec<_> =
        scanned.iter().filter_map(|s| s.document.as_deref().cloned()).collect();
    documents.sort_by_cached_key(Prose::order);
    let modules = modules::group(&mut files, &documents);
    // A wheel tells of itself in a folder beside the package.
    let of_root = |m: &&ouro_core::analysis::Manifest| {
        let home = m.path.split_once('/').map_or("", |(home, _)| home);
        home.is_empty() || m.path == format!("{home}/METADATA")
    };
    let named = manifests.iter().filter(of_root).find(|m| m.name.is_some());
    let name = match named.and_then(|m| Some((m, m.name.as_ref()?))) {
        Some((manifest, name)) if manifest.build_system == "go" => {
            short_module_name(&name.text).to_owned()
        }
        Some((_, name)) => name.text.clone(),
        None => {
            let folder = root.file_name().unwrap_or_default().to_string_lossy();
            without_version(&folder).to_owned()
        }
    };
    Some(ProjectAnalysis {
        root: root.to_owned(),
        name,
        scanned_at,
        fingerprint: fingerprint(scanned),
        languages: languages(&files),
        files,
        modules,
        symbols,
        references: links.references,
        outside: links.outside,
        aliases: links.aliases,
        manifests,
        documents,
        entry_points,
        left_out: left_out.by_reason(),
    })
}

/// The name of an unpacked archive without the version at its end: `moshi-1.15.1-sources` is `moshi`.
fn without_version(folder: &str) -> &str {
    let folder = folder.strip_suffix("-sources").unwrap_or(folder);
    let is_version = |rest: &str| {
        let rest = rest.strip_prefix('v').unwrap_or(rest);
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains('.')
    };
    let cut =
        folder.match_indices('-').find(|(at, _)| is_version(folder.get(at + 1..).unwrap_or("")));
    cut.and_then(|(at, _)| folder.get(..at)).filter(|name| !name.is_empty()).unwrap_or(folder)
}

fn symbols(scanned: &[&ScannedFile]) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for (index, file) in scanned.iter().enumerate() {
        let in_tests = matches!(file.facts.role, FileRole::Test | FileRole::Benchmark);
        for symbol in file.code.iter().flat_map(|code| &code.symbols) {
            let mut symbol = Symbol { file: index, ..symbol.clone() };
            symbol.is_test |= in_tests;
            symbols.push(symbol);
        }
    }
    symbols
}

/// Most lines from the end of a function that only hands on to what it hands on to, where one documentation is for both.
const NEXT: u32 = 2;

/// Gives a function without documentation that of the one of its name right above it which only calls it: a package's own
/// `Get` above the `Get` of its type.
fn hand_down(symbols: &mut [Symbol], references: &[Reference]) {
    let mut calls: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for reference in references.iter().filter(|r| r.kind == ReferenceKind::Call) {
        if let Some(from) = reference.from_symbol {
            calls.entry(from).or_default().push(reference.to);
        }
    }
    for (from, called) in calls {
        let ([to], Some(above)) = (called.as_slice(), symbols.get(from)) else { continue };
        let (file, name, end, doc) =
            (above.file, above.name.clone(), above.end_line, above.doc.clone());
        let is_next = |s: &&mut Symbol| {
            s.file == file && s.name == name && (end..=end + NEXT).contains(&s.start_line)
        };
        if let Some(below) = symbols.get_mut(*to).filter(is_next)
            && below.doc.is_none()
        {
            below.doc = doc;
        }
    }
}

/// What speaks for the whole project.
fn hints<'a>(scanned: &[&'a ScannedFile], entry_points: &[EntryPoint]) -> Hints<'a> {
    let libraries: HashSet<&str> =
        entry_points.iter().filter(|e| e.kind == "library").map(|e| e.path.as_str()).collect();
    let is_face = |path: &str| libraries.contains(path);
    Hints {
        faces: scanned
            .iter()
            .enumerate()
            .filter(|(_, f)| is_face(&f.facts.path))
            .map(|(at, _)| at)
            .collect(),
        readme: scanned.iter().flat_map(|f| &f.code_words).map(|word| &**word).collect(),
    }
}

/// Changes whenever a file is added, removed or changed.
fn fingerprint(scanned: &[&ScannedFile]) -> String {
    let mut hasher = Sha256::new();
    for file in scanned {
        hasher.update(file.facts.path.as_bytes());
        hasher.update([0]);
        hasher.update(file.identity().as_bytes());
        hasher.update([0]);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// How much code of each language is the project's own, the largest first.
fn languages(files: &[FileFacts]) -> Vec<LanguageShare> {
    let mut shares: BTreeMap<&str, (u32, u64)> = BTreeMap::new();
    for facts in files {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unpacked_archive_is_called_as_what_is_in_it() {
        for (folder, name) in [
            ("moshi-1.15.1", "moshi"),
            ("kaml-jvm-0.61.0-sources", "kaml-jvm"),
            ("a-v2.0", "a"),
            ("log4j-2", "log4j-2"),
            ("utf-8", "utf-8"),
            ("-1.0", "-1.0"),
        ] {
            assert_eq!(without_version(folder), name);
        }
    }
}
