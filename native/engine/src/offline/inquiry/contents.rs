//! A project of one or two small files, told by what these declare.

use std::collections::HashMap;

use ouro_core::analysis::{FileFacts, FileRole, ReferenceKind, Symbol, SymbolKind};

use crate::offline::{
    code,
    draft::Draft,
    evidence::Cite,
    facets,
    facts::{Facts, SymbolId, is_callable, is_type},
    voice,
};

/// Most declarations of a small project that are listed.
const MOST_CONTENTS: usize = 12;

/// What a few files declare: types and functions, in their order.
pub(super) fn contents(facts: &Facts) -> Vec<SymbolId> {
    let analysis = facts.analysis();
    // A file that is empty, or too large to be read, tells nothing.
    let code = |f: &&FileFacts| f.role == FileRole::Source && !f.language.is_empty() && f.lines > 0;
    if analysis.files.iter().filter(code).count() > 2 {
        return Vec::new();
    }
    let told = |id: SymbolId, s: &Symbol| {
        (is_type(s.kind) || s.kind == SymbolKind::TypeAlias || is_callable(s.kind))
            && facts.is_product(id)
            && !s.name.starts_with("__")
    };
    let mut all: Vec<SymbolId> =
        facts.ids().filter(|(id, s)| told(*id, s)).map(|(id, _)| id).collect();
    // Of a thing and its declaration the one that is documented is told, else the code.
    let documented = |id: SymbolId| facts.symbol(id).is_some_and(|s| s.doc.is_some());
    let twins = all.iter().filter_map(|id| Some((*id, facts.code_of(*id)?)));
    let hidden: Vec<SymbolId> = twins
        .map(|(header, code)| if documented(header) && !documented(code) { code } else { header })
        .collect();
    all.retain(|id| !hidden.contains(id));
    // What nobody outside can call is told only where there is nothing else.
    let is_offered = |id: &SymbolId| facts.symbol(*id).is_some_and(|s| s.exported);
    if all.iter().any(is_offered) {
        all.retain(is_offered);
    }
    // Of what is built in two ways one is told.
    let mut built: HashMap<_, usize> = HashMap::new();
    let file = |id: SymbolId| facts.symbol(id).map_or(0, |s| s.file);
    all.retain(|id| {
        let first = built.entry(facts.built_as(facts.path(*id), Some(*id)));
        *first.or_insert(file(*id)) == file(*id)
    });
    if all.len() > MOST_CONTENTS { Vec::new() } else { all }
}

/// A declaration of a small project as a list item: what its documentation says, else what its code shows.
pub(super) fn declared(
    facts: &Facts,
    draft: &mut Draft<'_>,
    id: SymbolId,
) -> Option<(String, Vec<Cite>)> {
    let symbol = facts.symbol(id)?;
    let cite = facets::declared_at(draft, facts, id)?;
    let name = facts.label(id);
    let wording = draft.wording;
    if let Some((text, at)) = facets::first_doc(draft, facts, id) {
        draft.remember(&text);
        let text = facets::without_name(wording, &symbol.name, &text);
        let place = draft.evidence.span(&cite, &at).unwrap_or_else(|| at.clone());
        let values =
            [("name", name.as_str()), ("text", voice::bare(&text)), ("at", &place.to_string())];
        return Some((wording.phrase("item", "", &values), vec![cite, at]));
    }
    let path = facts.path(id);
    // A body of one statement is all that the function does.
    let body: Vec<_> = draft
        .evidence
        .lines(path, symbol.line + 1, symbol.end_line)
        .into_iter()
        .filter(|(_, t)| !t.trim().is_empty() && t.trim() != "}" && !code::is_comment(t.trim()))
        .collect();
    let does = match body.as_slice() {
        [(line, text)] if is_callable(symbol.kind) => {
            code::inline_code(text.trim()).zip(draft.evidence.cite(path, *line, *line))
        }
        _ => None,
    };
    if let Some((code, at)) = does {
        let place = draft.evidence.span(&cite, &at).unwrap_or_else(|| at.clone());
        let values = [("name", name.as_str()), ("code", &code), ("at", &place.to_string())];
        return Some((wording.phrase("overview.does", "", &values), vec![place]));
    }
    let calls: Vec<String> = facts
        .outgoing(id)
        .into_iter()
        .filter(|r| r.kind == ReferenceKind::Call && r.to != id && is_callable(symbol.kind))
        .filter(|r| draft.evidence.cite(path, r.line, r.line).is_some())
        .map(|r| format!("`{}`", facts.label(r.to)))
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    let signature = code::inline_code(&symbol.signature).unwrap_or_else(|| format!("`{name}`"));
    let (kind, at) = (facets::kind_word(facts, id, wording), cite.to_string());
    let values = [
        ("name", name.as_str()),
        ("kind", &kind),
        ("code", &signature),
        ("list", &wording.list(&calls)),
        ("at", &at),
    ];
    // What the signature holds beside the name is worth showing.
    let plain = symbol.signature.split_whitespace().count() < 2;
    let key = match calls.is_empty() {
        true if plain => "users.plain",
        true => "overview.declares",
        false => "overview.calls",
    };
    Some((wording.phrase(key, "", &values), vec![cite]))
}
