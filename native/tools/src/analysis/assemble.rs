//! Puts the facts of single files together to what is known of the project.

use std::{collections::BTreeMap, path::Path};

use ouro_core::{
    ProjectAnalysis,
    analysis::{FileRole, LanguageShare, Symbol},
};
use sha2::{Digest, Sha256};

use super::{
    document::Prose, entry::entry_points, link::link, modules, rank::rank, read::ScannedFile,
    walk::SkipList,
};

/// The analysis of these files, sorted by path; `None` if it was cancelled.
pub(super) fn assemble(
    root: &Path,
    scanned_at: i64,
    scanned: &[&ScannedFile],
    mut skipped: SkipList,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<ProjectAnalysis> {
    for file in scanned {
        if let Some(why) = &file.skipped {
            skipped.add(file.facts.path.clone(), why.clone());
        }
    }
    let mut files: Vec<_> = scanned.iter().map(|s| s.facts.clone()).collect();
    let mut symbols = symbols(scanned);
    let links = link(scanned, is_cancelled)?;
    rank(&mut files, &mut symbols, &links);
    let mut manifests: Vec<_> =
        scanned.iter().filter_map(|s| Some(s.build.as_ref()?.manifest.clone())).collect();
    manifests.sort_by_cached_key(|m| (m.path.matches('/').count(), m.path.clone()));
    let mut documents: Vec<_> = scanned.iter().filter_map(|s| s.document.clone()).collect();
    documents.sort_by_cached_key(Prose::order);
    let modules = modules::group(&mut files, &documents);
    let named = manifests.iter().filter(|m| !m.path.contains('/')).find_map(|m| m.name.as_ref());
    let name = match named {
        Some(name) => name.text.clone(),
        None => root.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned()),
    };
    let entry_points = entry_points(scanned, &symbols);
    Some(ProjectAnalysis {
        root: root.to_owned(),
        name,
        scanned_at,
        fingerprint: fingerprint(scanned),
        languages: languages(scanned),
        files,
        modules,
        symbols,
        references: links.references,
        manifests,
        documents,
        entry_points,
        skipped: skipped.list,
        skipped_count: skipped.count,
    })
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
fn languages(scanned: &[&ScannedFile]) -> Vec<LanguageShare> {
    let mut shares: BTreeMap<&str, (u32, u64)> = BTreeMap::new();
    for file in scanned {
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
