//! Java.

use ouro_core::analysis::SymbolKind;

use super::{Binding, DocComment, DocGap, Header, Language, LazyQuery, Modules};

static QUERY: LazyQuery = LazyQuery::new(include_str!("java.scm"));

pub(crate) static JAVA: Language = Language {
    name: "java",
    extensions: &["java"],
    grammar: || tree_sitter_java::LANGUAGE.into(),
    query: &QUERY,
    doc_comment,
    doc_gap: DocGap::Always,
    line_docs: false,
    trailing_docs: false,
    is_exported,
    is_test,
    imports,
    quotes: &['"'],
    returns_field: "type",
    modules: Modules::Packages,
    family: "jvm",
    implicit_this: true,
};

/// `/** ... */`, as in Kotlin.
pub(super) fn doc_comment(text: &str) -> DocComment {
    if text.starts_with("/**") && text.len() > 4 { DocComment::Next } else { DocComment::No }
}

fn is_exported(header: &Header<'_>) -> bool {
    let modifiers = header.signature.split(['(', '=', '{']).next().unwrap_or("");
    let says = |word: &str| modifiers.split_whitespace().any(|w| w == word);
    let is_open = says("public") || says("protected");
    match header.parent {
        Some((SymbolKind::Interface, exported)) => exported,
        // What a record is made of is as open as the record.
        Some((SymbolKind::Struct, exported)) => exported && !says("private"),
        Some((_, exported)) => exported && is_open,
        None => is_open,
    }
}

/// Annotations of JUnit and TestNG, as in Kotlin.
pub(super) fn is_test(attributes: &str) -> bool {
    [
        "@Test",
        "@ParameterizedTest",
        "@RepeatedTest",
        "@TestFactory",
        "@BeforeEach",
        "@AfterEach",
        "@Before",
        "@After",
    ]
    .iter()
    .any(|mark| {
        attributes.match_indices(mark).any(|(at, _)| {
            !attributes
                .get(at + mark.len()..)
                .unwrap_or("")
                .starts_with(|c: char| c.is_alphanumeric())
        })
    })
}

/// `import a.b.C;`, `import static a.b.C.f;`, `import a.b.*;`; Kotlin's `import a.b.C as D` too.
pub(super) fn imports(text: &str) -> Vec<Binding> {
    let path = text.trim().trim_start_matches("import").trim_start();
    let path =
        path.strip_prefix("static ").unwrap_or(path).trim_end_matches([';', ' ', '\n', '\r']);
    let (path, alias) = match path.split_once(" as ") {
        Some((path, alias)) => (path.trim(), Some(alias.trim())),
        None => (path, None),
    };
    let path: String = path.split_whitespace().collect();
    match path.rsplit_once('.') {
        Some((module, name)) => vec![Binding::new(module, Some(name), alias.unwrap_or(name))],
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_import_becomes_a_binding() {
        for (text, module, name, local) in [
            ("import a.b.C;", "a.b", "C", "C"),
            ("import static a.b.C.make;", "a.b.C", "make", "make"),
            ("import a.b.*;", "a.b", "*", "*"),
            ("import a.b.C as D", "a.b", "C", "D"),
        ] {
            assert_eq!(imports(text), [Binding::new(module, Some(name), local)], "{text}");
        }
    }

    #[test]
    fn test_annotations_are_told_from_longer_names() {
        assert!(is_test("@Test(timeout = 5)") && is_test("@Override@ParameterizedTest"));
        assert!(!is_test("@TestOnly") && !is_test("@VisibleForTesting") && !is_test(""));
    }
}
