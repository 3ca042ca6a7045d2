//! How central files and symbols are.

use std::collections::{BTreeMap, HashSet};

use ouro_core::analysis::{FileFacts, FileRole, Reference, ReferenceKind, Symbol, SymbolKind};

use super::{
    link::{Links, is_everyday},
    role::folder,
};

/// Share of rank that follows references; the rest is spread evenly. Lower than for the web: with more, rank gathers in
/// the small files at the end of every chain.
const DAMPING: f64 = 0.5;
/// Rounds of spreading rank; enough for three stable digits.
const ROUNDS: usize = 40;
/// Dampens what many files of one folder say alike: 1 would count each in full, 0 only the folder.
const WITHIN_FOLDER: f64 = 0.75;
/// How much a reference inside the same file counts.
const OWN_FILE: f64 = 0.1;
/// What the rank of errors and exceptions is worth: they are used everywhere and central nowhere.
const OF_FAILURES: f64 = 0.5;
/// What the rank of helpers is worth: everybody uses them and nobody comes for them.
const OF_HELPERS: f64 = 0.5;
/// What a place on a library's face is worth.
const ON_THE_FACE: f64 = 1.5;
/// How much of its members' rank a type gets.
const OF_MEMBERS: f64 = 0.5;

/// Words of a project that say what is central.
#[derive(Debug, Default)]
pub(super) struct Hints<'a> {
    /// Files in which libraries are entered: what they import from the project is its face.
    pub faces: HashSet<usize>,
    /// Code words of the README.
    pub readme: HashSet<&'a str>,
}

/// Sets the centrality of all files and symbols.
pub(super) fn rank(
    files: &mut [FileFacts],
    symbols: &mut [Symbol],
    links: &Links,
    hints: &Hints<'_>,
) {
    let mut of_files = file_ranks(files, symbols, links);
    for (file, rank) in files.iter().zip(&mut of_files) {
        *rank *= if is_helper(&file.path) { OF_HELPERS } else { 1.0 };
    }
    let total: f64 = of_files.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    of_files.iter_mut().for_each(|rank| *rank /= total);
    for (file, rank) in files.iter_mut().zip(&of_files) {
        file.centrality = rounded(*rank);
    }
    let of_symbols = symbol_ranks(files, symbols, links, &of_files, hints);
    let most = of_symbols.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    for (symbol, rank) in symbols.iter_mut().zip(of_symbols) {
        symbol.centrality = rounded(rank / most);
    }
}

#[allow(clippy::cast_possible_truncation, reason = "a few digits are enough")]
fn rounded(rank: f64) -> f32 {
    rank as f32
}

/// How much what this file says, and what it declares, counts.
fn weight(file: &FileFacts) -> f64 {
    let role = match file.role {
        FileRole::Source => 1.0,
        FileRole::Generated | FileRole::Example => 0.1,
        FileRole::Test | FileRole::Benchmark => 0.1,
        _ => 0.0,
    };
    let only_declares = [".d.ts", ".pyi"].iter().any(|end| file.path.ends_with(end));
    if only_declares { role * 0.3 } else { role }
}

/// Whether a file's path says that it only helps the others.
fn is_helper(path: &str) -> bool {
    path.split('/').any(|part| {
        let stem = part.split('.').next().unwrap_or(part).to_ascii_lowercase();
        let private = stem.starts_with('_') && !stem.starts_with("__");
        private
            || matches!(
                stem.as_str(),
                "util"
                    | "utils"
                    | "utilities"
                    | "helper"
                    | "helpers"
                    | "compat"
                    | "internal"
                    | "internals"
                    | "support"
                    | "shims"
                    | "polyfills"
                    | "loom"
                    | "macros"
            )
    })
}

/// PageRank over files with code; sums to 1.
fn file_ranks(files: &[FileFacts], symbols: &[Symbol], links: &Links) -> Vec<f64> {
    let base: Vec<f64> =
        files.iter().map(|f| if f.language.is_empty() { 0.0 } else { weight(f) }).collect();
    let total: f64 = base.iter().sum();
    if total == 0.0 {
        return base;
    }
    let base: Vec<f64> = base.iter().map(|b| b / total).collect();
    let mut counts: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for reference in &links.references {
        let Some(to) = symbols.get(reference.to).map(|s| s.file) else { continue };
        *counts.entry((reference.from_file, to)).or_default() += 1.0;
    }
    for import in &links.file_imports {
        *counts.entry(*import).or_default() += 1.0;
    }
    let edges: Vec<(usize, usize, f64)> = counts
        .into_iter()
        .filter(|((from, to), _)| from != to)
        .map(|((from, to), count)| (from, to, (1.0 + count).ln()))
        .collect();
    let mut out = vec![0.0; files.len()];
    for (from, _, weight) in &edges {
        if let Some(out) = out.get_mut(*from) {
            *out += weight;
        }
    }
    let mut rank = base.clone();
    for _ in 0..ROUNDS {
        let loose: f64 =
            rank.iter().zip(&out).filter(|(_, out)| **out == 0.0).map(|(r, _)| r).sum();
        let mut next: Vec<f64> =
            base.iter().map(|b| b * (1.0 - DAMPING + DAMPING * loose)).collect();
        for (from, to, weight) in &edges {
            let (Some(rank), Some(out)) = (rank.get(*from), out.get(*from)) else { continue };
            if let Some(next) = next.get_mut(*to) {
                *next += DAMPING * rank * weight / out;
            }
        }
        rank = next;
    }
    rank
}

/// References to each symbol, those of central files counting more and repeated ones less.
fn symbol_ranks(
    files: &[FileFacts],
    symbols: &[Symbol],
    links: &Links,
    of_files: &[f64],
    hints: &Hints<'_>,
) -> Vec<f64> {
    // Ordered maps: sums of the same numbers in another order differ in their last digits.
    let mut uses: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for Reference { from_file, to, kind, .. } in &links.references {
        *uses.entry((*to, *from_file)).or_default() += match kind {
            ReferenceKind::Extends => 2.0,
            ReferenceKind::Call | ReferenceKind::Use => 1.0,
            ReferenceKind::Import => 0.5,
        };
    }
    let coded = files.iter().filter(|f| !f.language.is_empty()).count().max(1);
    #[allow(clippy::cast_precision_loss, reason = "far below 2^52 files")]
    let mean = 1.0 / coded as f64;
    let mut by_folder: BTreeMap<(usize, &str), f64> = BTreeMap::new();
    for ((to, from), count) in uses {
        let (Some(symbol), Some(file)) = (symbols.get(to), files.get(from)) else { continue };
        let standing = 0.5 + of_files.get(from).copied().unwrap_or(0.0) / mean;
        let own = if symbol.file == from { OWN_FILE } else { 1.0 };
        let on_the_face =
            if hints.faces.contains(&from) && symbol.file != from { ON_THE_FACE } else { 0.0 };
        *by_folder.entry((to, folder(&file.path))).or_default() +=
            weight(file) * (own * standing.sqrt() * (1.0 + count).ln() + on_the_face);
    }
    let mut ranks = vec![0.0; symbols.len()];
    for ((to, _), used) in by_folder {
        if let Some(rank) = ranks.get_mut(to) {
            // Files of one folder are often much alike.
            *rank += used.powf(WITHIN_FOLDER);
        }
    }
    let failures = failures(symbols, links);
    for (at, (symbol, rank)) in symbols.iter().zip(ranks.iter_mut()).enumerate() {
        let worth = files.get(symbol.file).map_or(0.0, |file| prominence(symbol, file, hints));
        *rank *= worth * if failures.contains(&at) { OF_FAILURES } else { 1.0 };
    }
    let members: Vec<(usize, f64)> = links
        .owners
        .iter()
        .filter_map(|(member, owner)| Some((*owner, *ranks.get(*member)?)))
        .collect();
    for (owner, share) in members {
        if let Some(rank) = ranks.get_mut(owner) {
            *rank += OF_MEMBERS * share;
        }
    }
    ranks
}

/// What a symbol is worth before anybody uses it: a documented public type more than a private helper.
fn prominence(symbol: &Symbol, file: &FileFacts, hints: &Hints<'_>) -> f64 {
    let lines = f64::from(symbol.end_line.saturating_sub(symbol.start_line) + 1);
    let mut worth = weight(file)
        * match symbol.kind {
            SymbolKind::Method if is_everyday(&symbol.name) => 0.2,
            SymbolKind::Method => 0.6,
            SymbolKind::Constant | SymbolKind::TypeAlias => 0.5,
            SymbolKind::Function | SymbolKind::Macro => 0.9,
            _ => 1.0 + 0.1 * lines.ln(),
        };
    let mut reduce = |reason: bool, factor: f64| {
        if reason {
            worth *= factor;
        }
    };
    reduce(symbol.is_test, 0.05);
    reduce(!symbol.exported, 0.5);
    reduce(symbol.signature.starts_with("pub("), 0.7);
    reduce(symbol.doc.is_none(), 0.7);
    reduce(is_helper(&file.path), OF_HELPERS);
    reduce(hints.readme.contains(symbol.name.as_str()), 1.5);
    worth
}

/// Types that are thrown or returned when something fails, by their names and what they inherit from.
fn failures(symbols: &[Symbol], links: &Links) -> HashSet<usize> {
    let named =
        |name: &str| ["Error", "Exception", "Warning"].iter().any(|end| name.ends_with(end));
    let is_one = |symbol: &Symbol| {
        let inherits = symbol.kind == SymbolKind::Class
            && symbol.signature.split(|c: char| !c.is_alphanumeric()).any(named);
        inherits || named(&symbol.name) || matches!(symbol.name.as_str(), "ErrorKind" | "ErrorCode")
    };
    let mut found: HashSet<usize> =
        symbols.iter().enumerate().filter(|(_, s)| is_one(s)).map(|(at, _)| at).collect();
    let heirs: Vec<(usize, usize)> = links
        .references
        .iter()
        .filter(|r| r.kind == ReferenceKind::Extends)
        .filter_map(|r| Some((r.from_symbol?, r.to)))
        .filter(|(heir, _)| symbols.get(*heir).is_some_and(|s| s.kind == SymbolKind::Class))
        .collect();
    loop {
        let before = found.len();
        let more: Vec<usize> = heirs
            .iter()
            .filter(|(_, parent)| found.contains(parent))
            .map(|(heir, _)| *heir)
            .collect();
        found.extend(more);
        if found.len() == before {
            return found;
        }
    }
}
