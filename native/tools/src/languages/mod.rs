//! The programming languages that are understood, one small file each: a grammar, a query that marks what matters
//! in its tree, and the few rules that a query can't say.
//!
//! # Captures
//! | capture | marks |
//! | --- | --- |
//! | `@def.<kind>` | a declaration; its `name` and `body` fields are taken unless `@name` or `@body` mark others |
//! | `@container` | the type a declaration belongs to when it doesn't stand inside it (a Go receiver) |
//! | `@returns` | the type a function returns |
//! | `@scope.type`, `@scope.trait` | a block that adds to a type named elsewhere: `@name` is the type |
//! | `@scope.namespace` | a named block of declarations |
//! | `@scope.anonymous` | a nameless type: what it declares is nobody's to call by name |
//! | `@member` + `@name`, `@type` | a field, variant or constant of the type around it |
//! | `@field` + `@type` or `@value` | a field that is only good for knowing its type |
//! | `@local` + `@type` or `@value` | a variable or parameter, which hides any symbol of its name |
//! | `@call` + `@receiver` | the name of what is called, and what stands before the dot |
//! | `@extends`, `@use` + `@receiver` | the name of a supertype, of a type or value that is used |
//! | `@token` | a name inside a macro call, where the grammar sees tokens only |
//! | `@failure` + `@what` | a place that fails on purpose |
//! | `@export`, `@export.default` | a name, or a statement around a declaration, that other files can import |
//! | `@comment`, `@attribute`, `@docstring`, `@import`, `@module`, `@package`, `@main` | what their names say |
//!
//! `(#set! prefix "...")` puts a word before the signature that the marked node lacks.

mod ecmascript;
mod go;
mod java;
mod kotlin;
mod python;
mod rust;

use std::sync::OnceLock;

use ouro_core::analysis::SymbolKind;
use tree_sitter::Query;

use self::{
    ecmascript::{JAVASCRIPT, TSX, TYPESCRIPT},
    go::GO,
    java::JAVA,
    kotlin::KOTLIN,
    python::PYTHON,
    rust::RUST,
};

/// What a comment documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocComment {
    /// The declaration after it.
    Next,
    /// The file or block it stands in.
    Enclosing,
    /// Nothing.
    No,
}

/// A name that an import makes known in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binding {
    /// The module, as written: `crate::store`, `.models`, `java.util`, `./app`.
    pub module: Box<str>,
    /// What is taken from the module; `None` for the module itself.
    pub name: Option<Box<str>>,
    /// The name in this file; `*` for everything that the module exports.
    pub local: Box<str>,
    /// The line, from 1.
    pub line: u32,
    /// How many inline modules it stands in.
    pub depth: u8,
    /// Whether it is handed on to those who import this file.
    pub is_public: bool,
}

impl Binding {
    /// A binding on the first line of its statement.
    pub(crate) fn new(module: &str, name: Option<&str>, local: &str) -> Self {
        Self {
            module: module.into(),
            name: name.map(Into::into),
            local: local.into(),
            line: 0,
            depth: 0,
            is_public: false,
        }
    }

    /// The same binding, so many lines further down.
    pub(crate) fn at(self, line: u32) -> Self {
        Self { line: self.line + line, ..self }
    }
}

/// What a rule sees of a declaration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Header<'a> {
    /// Its name.
    pub name: &'a str,
    /// From its first modifier to its body.
    pub signature: &'a str,
    /// The kind of the type it stands in, and whether that is exported.
    pub parent: Option<(SymbolKind, bool)>,
    /// Whether it stands in a block that implements an interface.
    pub implements: bool,
    /// Whether an export statement elsewhere in the file, or around it, names it.
    pub export_listed: bool,
}

/// How names of other files are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Modules {
    /// `crate::a::b`, `super::c`, another crate of the workspace.
    Rust,
    /// `a.b`, `.c`.
    Python,
    /// `./a`, or the name of a package of the workspace.
    Relative,
    /// `a.b.Type`; files of one package see each other.
    Packages,
    /// `host/path/folder`; files of one folder see each other.
    Folders,
}

/// Whether an empty line may stand between documentation and what it documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocGap {
    /// What stands apart is something else.
    Never,
    /// Where it is the file's habit, or the comment speaks of what a function takes and gives.
    Habit,
    /// The language's own tools take it for the documentation.
    Always,
}

/// One language.
#[derive(Debug)]
pub(crate) struct Language {
    /// Its lower-case name.
    pub name: &'static str,
    /// The ends of its files' names.
    pub extensions: &'static [&'static str],
    /// Its grammar.
    pub grammar: fn() -> tree_sitter::Language,
    /// Its query.
    pub query: &'static LazyQuery,
    /// What a comment documents.
    pub doc_comment: fn(&str) -> DocComment,
    /// Whether an empty line may stand between documentation and what it documents.
    pub doc_gap: DocGap,
    /// Whether what stands in line comments right above a function or type is its documentation as well.
    pub line_docs: bool,
    /// Whether a comment behind a field documents it.
    pub trailing_docs: bool,
    /// Whether other files can see a declaration.
    pub is_exported: fn(&Header<'_>) -> bool,
    /// Whether these attributes or annotations mark test code.
    pub is_test: fn(&str) -> bool,
    /// The names that an import statement makes known; the lines are relative to it, from 0.
    pub imports: fn(&str) -> Vec<Binding>,
    /// What opens a string.
    pub quotes: &'static [char],
    /// The field of a function's node that holds what it returns.
    pub returns_field: &'static str,
    /// How names of other files are reached.
    pub modules: Modules,
    /// Languages of one family call each other.
    pub family: &'static str,
    /// Whether a bare name may be a member of the type around it.
    pub implicit_this: bool,
}

/// A query that is compiled when it is first needed.
#[derive(Debug)]
pub(crate) struct LazyQuery {
    text: &'static str,
    compiled: OnceLock<Option<Query>>,
}

impl LazyQuery {
    const fn new(text: &'static str) -> Self {
        Self { text, compiled: OnceLock::new() }
    }
}

impl Language {
    /// The compiled query; `None` if it doesn't fit the grammar, which a test rules out.
    pub(crate) fn compiled(&self) -> Option<&'static Query> {
        let compile = || match Query::new(&(self.grammar)(), self.query.text) {
            Ok(query) => Some(query),
            Err(error) => {
                tracing::error!(language = self.name, %error, "query does not fit the grammar");
                None
            }
        };
        self.query.compiled.get_or_init(compile).as_ref()
    }
}

/// Every language with a grammar.
pub(crate) static ALL: [&Language; 8] =
    [&RUST, &JAVA, &KOTLIN, &PYTHON, &TYPESCRIPT, &TSX, &JAVASCRIPT, &GO];

/// The language of a file, by the end of its name, if there is a grammar for it.
pub(crate) fn by_path(path: &str) -> Option<&'static Language> {
    let (_, extension) = path.rsplit_once('.')?;
    ALL.iter().copied().find(|l| l.extensions.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_fits_its_grammar() {
        let errors: Vec<String> = ALL
            .iter()
            .filter_map(|l| {
                Query::new(&(l.grammar)(), l.query.text).err().map(|e| format!("{}: {e}", l.name))
            })
            .collect();
        assert_eq!(errors, [""; 0]);
    }
}
