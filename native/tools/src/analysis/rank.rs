//! How central files and symbols are.

use std::collections::HashMap;

use ouro_core::analysis::{FileFacts, FileRole, Reference, ReferenceKind, Symbol, SymbolKind};

use super::link::Links;

/// Share of rank that follows references; the rest is spread evenly.
const DAMPING: f64 = 0.85;
/// Rounds of spreading rank; enough for three stable digits.
const ROUNDS: usize = 40;
/// How much a reference inside the same file counts.
const OWN_FILE: f64 = 0.1;
/// How much of its members' rank a type gets.
const OF_MEMBERS: f64 = 0.5;

/// Sets the centrality of all files and symbols.
pub(super) fn rank(files: &mut [FileFacts], symbols: &mut [Symbol], links: &Links) {
    let of_files = file_ranks(files, symbols, links);
    for (file, rank) in files.iter_mut().zip(&of_files) {
        #[allow(clippy::cast_possible_truncation, reason = "three digits are enough")]
        let rank = *rank as f32;
        file.centrality = rank;
    }
    let of_symbols = symbol_ranks(files, symbols, links, &of_files);
    let most = of_symbols.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    for (symbol, rank) in symbols.iter_mut().zip(of_symbols) {
        #[allow(clippy::cast_possible_truncation, reason = "three digits are enough")]
        let rank = (rank / most) as f32;
        symbol.centrality = rank;
    }
}

/// How much what this file says counts.
fn weight(role: FileRole) -> f64 {
    match role {
        FileRole::Source => 1.0,
        FileRole::Generated | FileRole::Example => 0.1,
        FileRole::Test | FileRole::Benchmark => 0.05,
        _ => 0.0,
    }
}

/// PageRank over files with code; sums to 1.
fn file_ranks(files: &[FileFacts], symbols: &[Symbol], links: &Links) -> Vec<f64> {
    let base: Vec<f64> =
        files.iter().map(|f| if f.language.is_empty() { 0.0 } else { weight(f.role) }).collect();
    let total: f64 = base.iter().sum();
    if total == 0.0 {
        return base;
    }
    let base: Vec<f64> = base.iter().map(|b| b / total).collect();
    let mut counts: HashMap<(usize, usize), f64> = HashMap::new();
    for reference in &links.references {
        let Some(to) = symbols.get(reference.to).map(|s| s.file) else { continue };
        *counts.entry((reference.from_file, to)).or_default() += 1.0;
    }
    for import in &links.file_imports {
        *counts.entry(*import).or_default() += 1.0;
    }
    let mut edges: Vec<(usize, usize, f64)> = counts
        .into_iter()
        .filter(|((from, to), _)| from != to)
        .map(|((from, to), count)| (from, to, (1.0 + count).ln()))
        .collect();
    edges.sort_unstable_by_key(|(from, to, _)| (*from, *to));
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
) -> Vec<f64> {
    let mut uses: HashMap<(usize, usize), f64> = HashMap::new();
    for Reference { from_file, to, kind, .. } in &links.references {
        *uses.entry((*to, *from_file)).or_default() += match kind {
            ReferenceKind::Extends => 2.0,
            ReferenceKind::Call | ReferenceKind::Use => 1.0,
            ReferenceKind::Import => 0.5,
        };
    }
    let mut uses: Vec<_> = uses.into_iter().collect();
    uses.sort_unstable_by_key(|(key, _)| *key);
    let coded = files.iter().filter(|f| !f.language.is_empty()).count().max(1);
    #[allow(clippy::cast_precision_loss, reason = "far below 2^52 files")]
    let mean = 1.0 / coded as f64;
    let mut ranks = vec![0.0; symbols.len()];
    for ((to, from), count) in uses {
        let (Some(symbol), Some(file)) = (symbols.get(to), files.get(from)) else { continue };
        let standing = 0.5 + of_files.get(from).copied().unwrap_or(0.0) / mean;
        let own = if symbol.file == from { OWN_FILE } else { 1.0 };
        if let Some(rank) = ranks.get_mut(to) {
            *rank += weight(file.role) * own * standing.sqrt() * (1.0 + count).ln();
        }
    }
    for (symbol, rank) in symbols.iter().zip(ranks.iter_mut()) {
        let role = files.get(symbol.file).map_or(0.0, |f| weight(f.role));
        *rank *= role
            * if symbol.is_test { 0.05 } else { 1.0 }
            * if symbol.exported { 1.0 } else { 0.5 };
        if symbol.kind == SymbolKind::Method {
            *rank *= if is_everyday(&symbol.name) { 0.2 } else { 0.7 };
        }
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

/// Names that half of all types have: they say little about what is central.
fn is_everyday(name: &str) -> bool {
    matches!(
        name,
        "new"
            | "get"
            | "set"
            | "main"
            | "run"
            | "add"
            | "put"
            | "len"
            | "size"
            | "length"
            | "push"
            | "pop"
            | "next"
            | "iter"
            | "from"
            | "into"
            | "clone"
            | "default"
            | "fmt"
            | "eq"
            | "hash"
            | "build"
            | "builder"
            | "create"
            | "close"
            | "open"
            | "read"
            | "write"
            | "name"
            | "value"
            | "init"
            | "__init__"
            | "constructor"
            | "toString"
            | "to_string"
            | "equals"
            | "hashCode"
            | "isEmpty"
            | "is_empty"
            | "contains"
            | "remove"
            | "clear"
            | "as_str"
            | "as_ref"
            | "of"
            | "call"
            | "start"
            | "stop"
            | "update"
            | "copy"
            | "String"
            | "Error"
            | "New"
            | "Close"
            | "Len"
            | "index"
            | "peek"
            | "flush"
            | "append"
            | "insert"
            | "apply"
            | "id"
            | "kind"
            | "path"
            | "parent"
            | "first"
            | "last"
            | "map"
            | "drop"
            | "with"
    )
}
