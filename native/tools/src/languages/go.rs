//! Go.

use super::{Binding, DocComment, DocGap, Header, Language, LazyQuery, Modules};

static QUERY: LazyQuery = LazyQuery::new(include_str!("go.scm"));

pub(crate) static GO: Language = Language {
    name: "go",
    extensions: &["go"],
    grammar: || tree_sitter_go::LANGUAGE.into(),
    query: &QUERY,
    doc_comment,
    doc_gap: DocGap::Never,
    line_docs: false,
    trailing_docs: true,
    is_exported: |header: &Header<'_>| header.name.starts_with(char::is_uppercase),
    is_test: |_| false,
    imports,
    quotes: &['"', '`'],
    returns_field: "result",
    modules: Modules::Folders,
    family: "go",
    implicit_this: false,
};

/// Any comment right above, but for directives such as `//go:build` and `//nolint`.
fn doc_comment(text: &str) -> DocComment {
    let is_directive = text.strip_prefix("//").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_lowercase())
            && !rest.split(' ').next().unwrap_or("").is_empty()
            || rest.starts_with(" +build")
    });
    if is_directive { DocComment::No } else { DocComment::Next }
}

/// `name "host/path"`.
fn imports(text: &str) -> Vec<Binding> {
    let Some((alias, path)) = text.split_once(['"', '`']) else { return Vec::new() };
    let path = path.trim_end_matches(['"', '`']);
    let local = match alias.trim() {
        "." => "*",
        "_" => return vec![Binding::new(path, None, "_")],
        "" => package_name(path),
        alias => alias,
    };
    vec![Binding::new(path, None, local)]
}

/// What a package is called when it is imported without a name: its last part, versions and the usual affixes left out.
fn package_name(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let is_version = last.strip_prefix('v').is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
    let last = if is_version { parts.next().unwrap_or(last) } else { last };
    let last = last.split(".v").next().unwrap_or(last);
    last.strip_prefix("go-").unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_known_by_their_package() {
        for (text, module, local) in [
            ("\"fmt\"", "fmt", "fmt"),
            ("x \"a/b\"", "a/b", "x"),
            (". \"a/b\"", "a/b", "*"),
            ("\"github.com/a/b/v2\"", "github.com/a/b/v2", "b"),
            ("\"gopkg.in/yaml.v3\"", "gopkg.in/yaml.v3", "yaml"),
        ] {
            assert_eq!(imports(text), [Binding::new(module, None, local)], "{text}");
        }
    }

    #[test]
    fn directives_document_nothing() {
        assert_eq!(doc_comment("//go:build linux"), DocComment::No);
        assert_eq!(doc_comment("//nolint"), DocComment::No);
        assert_eq!(doc_comment("// Run runs."), DocComment::Next);
    }
}
