//! Kotlin.

use super::{DocGap, Header, Language, LazyQuery, Modules, java};

static QUERY: LazyQuery = LazyQuery::new(include_str!("kotlin.scm"));

pub(crate) static KOTLIN: Language = Language {
    name: "kotlin",
    extensions: &["kt", "kts"],
    grammar: || tree_sitter_kotlin_ng::LANGUAGE.into(),
    query: &QUERY,
    doc_comment: java::doc_comment,
    doc_gap: DocGap::Always,
    line_docs: false,
    trailing_docs: false,
    is_exported,
    is_test: java::is_test,
    imports: java::imports,
    quotes: &['"'],
    returns_field: "",
    modules: Modules::Packages,
    family: "jvm",
    implicit_this: true,
};

fn is_exported(header: &Header<'_>) -> bool {
    let modifiers = header.signature.split(['(', '=', '{']).next().unwrap_or("");
    // A class with a private constructor is known all the same.
    let mut words = modifiers.split(' ').take_while(|w| !DECLARES.contains(w));
    let is_hidden = words.any(|w| matches!(w, "private" | "internal"));
    !is_hidden && header.parent.is_none_or(|(_, exported)| exported)
}

/// Words behind which no modifier of the declaration itself stands.
const DECLARES: [&str; 7] = ["class", "interface", "object", "fun", "val", "var", "typealias"];
