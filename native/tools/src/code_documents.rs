//! Cuts a project into documents for the lexical index: a declaration with its documentation and first lines, a section
//! of prose. A document's text is exactly the lines that its source names, so that it can be cited.

use std::collections::HashMap;

use ouro_core::{
    ProjectAnalysis, SourceRef, TextDocument,
    analysis::{CitedText, FileRole, Symbol, SymbolKind},
};

use crate::{
    ProjectRoot,
    project_file::Content,
    text::{MAX_LINE_CHARS, clip},
};

/// Lines of a declaration, its documentation included.
const SYMBOL_LINES: u32 = 24;
/// Lines of a section of prose or of a file's own documentation.
const SECTION_LINES: u32 = 40;
/// Lines between a declaration and its documentation that can be attributes.
const MAX_GAP: u32 = 6;

/// A piece of a file, before its text is read.
struct Piece {
    file: usize,
    start: u32,
    end: u32,
    /// What is kept first when there is too much.
    weight: f32,
}

/// The documents of a project, secrets redacted, by path and line. Of a project with more than `budget` bytes of them
/// the most central are taken. Reads files: call it on a blocking thread.
pub fn code_documents(
    analysis: &ProjectAnalysis,
    root: &ProjectRoot,
    budget: usize,
) -> Vec<TextDocument> {
    let mut by_file: HashMap<usize, Vec<Piece>> = HashMap::new();
    for piece in pieces(analysis) {
        by_file.entry(piece.file).or_default().push(piece);
    }
    let mut files: Vec<(usize, Vec<Piece>)> = by_file.into_iter().collect();
    let weight = |pieces: &[Piece]| pieces.iter().map(|p| p.weight).fold(f32::MIN, f32::max);
    files.sort_by(|(i, a), (j, b)| weight(b).total_cmp(&weight(a)).then(i.cmp(j)));

    let mut left = budget;
    let mut documents = Vec::new();
    for (file, mut pieces) in files {
        let Some(path) = analysis.files.get(file).map(|f| f.path.as_str()) else { continue };
        let Some(text) = read(root, path) else { continue };
        let lines: Vec<&str> = text.lines().collect();
        pieces.sort_by_key(|p| (p.start, p.end));
        pieces.dedup_by_key(|p| p.start);
        for piece in pieces {
            let Some(document) = document(path, &lines, &piece) else { continue };
            match left.checked_sub(document.text.len()) {
                Some(rest) => left = rest,
                None => return documents,
            }
            documents.push(document);
        }
    }
    documents
}

fn read(root: &ProjectRoot, path: &str) -> Option<String> {
    match root.read(path).ok()?.content {
        Content::Text(text) => Some(text.redacted()),
        _ => None,
    }
}

fn document(path: &str, lines: &[&str], piece: &Piece) -> Option<TextDocument> {
    let start = piece.start.max(1);
    let end = piece.end.min(u32::try_from(lines.len()).unwrap_or(u32::MAX));
    let shown = lines.get(start as usize - 1..end as usize)?;
    let text: Vec<_> = shown.iter().map(|line| clip(line, MAX_LINE_CHARS)).collect();
    let source = SourceRef { path: path.to_owned(), start_line: Some(start), end_line: Some(end) };
    let key = format!("{path}:{start}");
    let text = text.join("\n");
    (!text.trim().is_empty()).then_some(TextDocument { key, text, source: Some(source) })
}

fn pieces(analysis: &ProjectAnalysis) -> Vec<Piece> {
    let worth_it = |file: usize| {
        let role = analysis.files.get(file).map(|f| f.role);
        !matches!(role, None | Some(FileRole::Generated | FileRole::Vendored))
    };
    let symbols =
        analysis.symbols.iter().filter(|s| worth_it(s.file) && !is_member(s)).map(symbol_piece);
    let file_docs = analysis.files.iter().enumerate().filter_map(|(file, facts)| {
        let doc = facts.doc.as_ref().filter(|_| worth_it(file))?;
        Some(section(file, doc.start_line, doc.end_line, facts.centrality))
    });
    symbols.chain(file_docs).chain(prose(analysis)).collect()
}

/// A constant inside a type is part of the type's own document.
fn is_member(symbol: &Symbol) -> bool {
    symbol.kind == SymbolKind::Constant && symbol.container.is_some()
}

fn symbol_piece(symbol: &Symbol) -> Piece {
    let declared = symbol.start_line;
    let is_above = |doc: &&CitedText| doc.end_line < declared && declared - doc.end_line <= MAX_GAP;
    let start = symbol.doc.as_ref().filter(is_above).map_or(declared, |doc| doc.start_line);
    // However long the documentation is, the declaration itself is shown.
    let end = (start + SYMBOL_LINES - 1).max(symbol.line).min(symbol.end_line.max(symbol.line));
    let weight = if symbol.is_test { -1.0 } else { symbol.centrality };
    Piece { file: symbol.file, start, end, weight }
}

fn section(file: usize, start: u32, end: u32, weight: f32) -> Piece {
    Piece { file, start, end: end.min(start + SECTION_LINES - 1), weight }
}

/// Each heading of a document with what follows it, up to the next one.
fn prose(analysis: &ProjectAnalysis) -> impl Iterator<Item = Piece> {
    analysis.documents.iter().enumerate().flat_map(|(rank, document)| {
        let file = analysis.files.binary_search_by(|f| f.path.as_str().cmp(&document.path)).ok();
        let first = document.title.iter().chain(&document.introduction);
        let mut starts: Vec<u32> = first
            .map(|text| text.start_line)
            .chain(document.headings.iter().map(|h| h.line))
            .collect();
        starts.sort_unstable();
        starts.dedup();
        let ends: Vec<u32> = starts.iter().skip(1).map(|next| next - 1).collect();
        // The README comes first in the list.
        let weight = if rank == 0 { 1.0 } else { 0.0 };
        let ends = ends.into_iter().chain([u32::MAX]);
        let piece = move |(start, end)| file.map(|file| section(file, start, end, weight));
        starts.into_iter().zip(ends).filter_map(piece).collect::<Vec<_>>()
    })
}
