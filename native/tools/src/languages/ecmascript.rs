//! JavaScript and TypeScript.

use super::{Binding, DocComment, DocGap, Header, Language, LazyQuery, Modules, java};

static JAVASCRIPT_QUERY: LazyQuery =
    LazyQuery::new(concat!(include_str!("ecmascript.scm"), include_str!("javascript.scm")));
static TYPESCRIPT_QUERY: LazyQuery =
    LazyQuery::new(concat!(include_str!("ecmascript.scm"), include_str!("typescript.scm")));
static TSX_QUERY: LazyQuery = LazyQuery::new(concat!(
    include_str!("ecmascript.scm"),
    include_str!("typescript.scm"),
    include_str!("tsx.scm")
));

const SHARED: Language = Language {
    name: "javascript",
    extensions: &[],
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    query: &JAVASCRIPT_QUERY,
    doc_comment,
    doc_gap: DocGap::Habit,
    line_docs: true,
    trailing_docs: false,
    is_exported,
    is_test: |_| false,
    imports,
    quotes: &['"', '\'', '`'],
    returns_field: "return_type",
    modules: Modules::Relative,
    family: "ecmascript",
    implicit_this: false,
};

pub(crate) static JAVASCRIPT: Language =
    Language { extensions: &["js", "mjs", "cjs", "jsx"], ..SHARED };

pub(crate) static TYPESCRIPT: Language = Language {
    name: "typescript",
    extensions: &["ts", "mts", "cts"],
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    query: &TYPESCRIPT_QUERY,
    ..SHARED
};

pub(crate) static TSX: Language = Language {
    name: "typescript",
    extensions: &["tsx"],
    grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    query: &TSX_QUERY,
    ..SHARED
};

fn doc_comment(text: &str) -> DocComment {
    // A heading over a block of `require`s, not documentation.
    let is_heading = text.contains("Module dependencies")
        || text.contains("Module exports")
        || text.contains("@overload");
    if is_heading { DocComment::No } else { java::doc_comment(text) }
}

fn is_exported(header: &Header<'_>) -> bool {
    let is_hidden = header.name.starts_with(['#', '_']) || header.signature.starts_with("private ");
    match header.parent {
        Some((_, exported)) => exported && !is_hidden,
        None => header.export_listed,
    }
}

fn imports(text: &str) -> Vec<Binding> {
    let Some((before, module)) = module_of(text) else { return Vec::new() };
    let is_require = text.contains("require");
    let is_export = text.starts_with("export");
    let mut found = Vec::new();
    let mut add = |name: Option<&str>, local: &str| {
        if !local.is_empty() {
            found.push(Binding::new(module, name, local));
        }
    };
    let (outside, inside) = match (before.find('{'), before.rfind('}')) {
        (Some(open), Some(close)) if open < close => {
            (before.get(..open), before.get(open + 1..close))
        }
        _ => (Some(before), None),
    };
    for part in inside.into_iter().flat_map(|names| names.split(',')) {
        let part = part.trim().trim_start_matches("type ");
        let (name, local) =
            part.split_once(" as ").or(part.split_once(':')).unwrap_or((part, part));
        add(Some(name.trim()), local.split('=').next().unwrap_or("").trim());
    }
    if before.trim_start().starts_with("module.exports") {
        add(Some("*"), "*");
        add(Some("default"), "default");
    }
    let outside = outside.unwrap_or("").split('=').next().unwrap_or("");
    let keywords = ["import", "export", "from", "type", "const", "let", "var"];
    let words = outside
        .split([',', ' ', '\n', '\t', '\r'])
        .filter(|w| !w.is_empty() && !keywords.contains(w));
    let words: Vec<&str> = words.collect();
    match words.as_slice() {
        ["*"] if is_export => add(Some("*"), "*"),
        [default, "*", "as", space] => {
            add(Some("default"), default);
            add(None, space);
        }
        ["*", "as", space] => add(None, space),
        [name] if is_require && *name != "module.exports" => match text.rsplit_once(").") {
            Some((_, member)) => add(Some(member.trim_end_matches(';').trim()), name),
            None => add(None, name),
        },
        ["module.exports"] => {}
        [default] => add(Some("default"), default),
        _ => {}
    }
    if found.is_empty() {
        found.push(Binding::new(module, None, "_"));
    }
    found
}

/// What stands before the module's path, and the path.
fn module_of(text: &str) -> Option<(&str, &str)> {
    let from = text
        .rfind(" from ")
        .or_else(|| text.find("require("))
        .or_else(|| text.find("}from"))
        .unwrap_or(0);
    let rest = text.get(from..)?;
    let open = rest.find(['"', '\''])?;
    let quote = rest.get(open..)?.chars().next()?;
    let path = rest.get(open + 1..)?.split(quote).next()?;
    let before = if from == 0 { "" } else { text.get(..from)? };
    Some((before, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_import_becomes_bindings() {
        let one = |name: Option<&str>, local: &str| Binding::new("./m", name, local);
        for (text, expected) in [
            ("import a from './m';", vec![one(Some("default"), "a")]),
            ("import * as a from \"./m\"", vec![one(None, "a")]),
            ("import { a, b as c } from './m';", vec![one(Some("a"), "a"), one(Some("b"), "c")]),
            ("import type { T } from './m';", vec![one(Some("T"), "T")]),
            ("import d, { a } from './m';", vec![one(Some("a"), "a"), one(Some("default"), "d")]),
            ("import './m';", vec![one(None, "_")]),
            ("export * from './m';", vec![one(Some("*"), "*")]),
            ("export { a as b } from './m';", vec![one(Some("a"), "b")]),
            ("a = require('./m')", vec![one(None, "a")]),
            ("{ a, b: c } = require('./m')", vec![one(Some("a"), "a"), one(Some("b"), "c")]),
            ("a = require('./m').b", vec![one(Some("b"), "a")]),
            (
                "module.exports = require('./m')",
                vec![one(Some("*"), "*"), one(Some("default"), "default")],
            ),
        ] {
            assert_eq!(imports(text), expected, "{text}");
        }
    }
}
