//! Python.

use super::{Binding, DocComment, DocGap, Header, Language, LazyQuery, Modules};

static QUERY: LazyQuery = LazyQuery::new(include_str!("python.scm"));

pub(crate) static PYTHON: Language = Language {
    name: "python",
    extensions: &["py", "pyi"],
    grammar: || tree_sitter_python::LANGUAGE.into(),
    query: &QUERY,
    doc_comment: |text| if text.starts_with("#:") { DocComment::Next } else { DocComment::No },
    doc_gap: DocGap::Never,
    line_docs: false,
    trailing_docs: false,
    is_exported,
    is_test: |_| false,
    imports,
    quotes: &['"', '\''],
    returns_field: "return_type",
    modules: Modules::Python,
    family: "python",
    implicit_this: false,
};

fn is_exported(header: &Header<'_>) -> bool {
    let dunder = header.name.starts_with("__") && header.name.ends_with("__");
    (dunder || !header.name.starts_with('_')) && header.parent.is_none_or(|(_, exported)| exported)
}

fn imports(text: &str) -> Vec<Binding> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix("from ") {
        let Some((module, names)) = rest.split_once(" import") else { return Vec::new() };
        return names
            .split('\n')
            .zip(0..)
            .flat_map(|(part, line)| {
                let part = part.split('#').next().unwrap_or("");
                part.split(',').map(move |name| (name, line)).collect::<Vec<_>>()
            })
            .filter_map(|(name, line)| {
                let (name, local) = alias(name.trim_matches(['(', ')', ' ', '\t', '\r', '\\']));
                (!name.is_empty()).then(|| Binding::new(module.trim(), Some(name), local).at(line))
            })
            .collect();
    }
    let Some(rest) = text.strip_prefix("import ") else { return Vec::new() };
    rest.split(',')
        .filter_map(|part| {
            let (module, local) = alias(part.trim_matches(['(', ')', ' ', '\t', '\r', '\n', '\\']));
            if module.is_empty() {
                return None;
            }
            // `import a.b` makes only `a` known; `import a.b as c` makes `c` known as `a.b`.
            let (module, local) = if module == local {
                let first = module.split('.').next().unwrap_or(module);
                (first, first)
            } else {
                (module, local)
            };
            Some(Binding::new(module, None, local))
        })
        .collect()
}

fn alias(text: &str) -> (&str, &str) {
    match text.split_once(" as ") {
        Some((name, local)) => (name.trim(), local.trim()),
        None => (text.trim(), text.trim()),
    }
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
    fn both_forms_of_import_become_bindings() {
        assert_eq!(flat("import os, numpy as np"), ["os|-|os@0", "numpy|-|np@0"]);
        assert_eq!(flat("import a.b"), ["a|-|a@0"]);
        assert_eq!(
            flat("from .models import (\n    A,  # first\n    B as C,\n)"),
            [".models|A|A@1", ".models|B|C@2"]
        );
        assert_eq!(flat("from . import *"), [".|*|*@0"]);
    }
}
