//! Rust.

use ouro_core::analysis::SymbolKind;

use super::{Binding, DocComment, DocGap, Header, Language, LazyQuery, Modules};

static QUERY: LazyQuery = LazyQuery::new(include_str!("rust.scm"));

pub(crate) static RUST: Language = Language {
    name: "rust",
    extensions: &["rs"],
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    query: &QUERY,
    doc_comment,
    doc_gap: DocGap::Never,
    line_docs: false,
    trailing_docs: false,
    is_exported,
    is_test,
    imports,
    quotes: &['"'],
    returns_field: "return_type",
    modules: Modules::Rust,
    family: "rust",
    implicit_this: false,
};

fn doc_comment(text: &str) -> DocComment {
    let next = (text.starts_with("///") && !text.starts_with("////"))
        || (text.starts_with("/**") && !text.starts_with("/***") && text != "/**/");
    if next {
        DocComment::Next
    } else if text.starts_with("//!") || text.starts_with("/*!") {
        DocComment::Enclosing
    } else {
        DocComment::No
    }
}

fn is_exported(header: &Header<'_>) -> bool {
    header.implements
        || header.signature.starts_with("pub")
        || matches!(header.parent, Some((SymbolKind::Interface, true)))
}

fn is_test(attributes: &str) -> bool {
    attributes
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| matches!(word, "test" | "rstest" | "test_case" | "bench"))
        && !attributes.contains("not(test)")
}

/// Flattens `use a::{b, c::{self, d as e}, f::*};`.
fn imports(text: &str) -> Vec<Binding> {
    let mut found = Vec::new();
    if let Some((_, rest)) = text.split_once("extern crate ") {
        let (name, local) = alias(rest.trim_end_matches([';', ' ']));
        found.push(Binding::new(name, None, local));
        return found;
    }
    let Some(start) = text.find("use ").map(|at| at + 4) else { return found };
    let mut prefixes: Vec<String> = Vec::new();
    let mut piece = String::new();
    let mut line =
        u32::try_from(text.get(..start).unwrap_or("").matches('\n').count()).unwrap_or(0);
    for c in text.get(start..).unwrap_or("").chars() {
        match c {
            '{' => {
                let prefix = prefixes.last().cloned().unwrap_or_default() + piece.trim();
                prefixes.push(prefix);
                piece.clear();
            }
            '}' | ',' | ';' => {
                let prefix = prefixes.last().map_or("", String::as_str);
                found.extend(binding(prefix, piece.trim(), line));
                piece.clear();
                if c == '}' {
                    prefixes.pop();
                }
            }
            '\n' => {
                piece.push(' ');
                line += 1;
            }
            _ => piece.push(c),
        }
    }
    for binding in &mut found {
        binding.is_public = text.starts_with("pub use ");
    }
    found
}

fn alias(text: &str) -> (&str, &str) {
    match text.split_once(" as ") {
        Some((path, local)) => (path.trim(), local.trim()),
        None => (text.trim(), text.rsplit("::").next().unwrap_or(text).trim()),
    }
}

fn binding(prefix: &str, piece: &str, line: u32) -> Option<Binding> {
    if piece.is_empty() {
        return None;
    }
    let (path, local) = alias(piece);
    let full = format!("{prefix}{path}");
    let full = full.trim_start_matches("::");
    let binding = match (full.strip_suffix("::self"), full.rsplit_once("::")) {
        (Some(module), _) if local == "self" => {
            Binding::new(module, None, module.rsplit("::").next().unwrap_or(module))
        }
        (Some(module), _) => Binding::new(module, None, local),
        (None, Some((module, name))) => Binding::new(module, Some(name), local),
        (None, None) => Binding::new(full, None, local),
    };
    Some(binding.at(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(text: &str) -> Vec<String> {
        imports(text)
            .into_iter()
            .map(|b| {
                format!("{}|{}|{}@{}", b.module, b.name.as_deref().unwrap_or("-"), b.local, b.line)
            })
            .collect()
    }

    #[test]
    fn nested_use_trees_become_single_bindings() {
        assert_eq!(
            flat("pub use crate::{\n    a::{self, B as C},\n    d::*,\n};"),
            ["crate::a|-|a@1", "crate::a|B|C@1", "crate::d|*|*@2"]
        );
        assert_eq!(flat("use serde;"), ["serde|-|serde@0"]);
        assert_eq!(flat("use super::X;"), ["super|X|X@0"]);
        assert_eq!(flat("extern crate alloc as core_alloc;"), ["alloc|-|core_alloc@0"]);
    }

    #[test]
    fn only_test_attributes_mark_tests() {
        for marked in
            ["#[test]", "#[tokio::test(flavor = \"x\")]", "#[cfg(test)]", "#[cfg(all(test, unix))]"]
        {
            assert!(is_test(marked), "{marked}");
        }
        for unmarked in ["#[cfg(not(test))]", "#[derive(Debug)]", "#[testing]", ""] {
            assert!(!is_test(unmarked), "{unmarked}");
        }
    }
}
