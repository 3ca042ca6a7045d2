//! What one source file says by itself, before files are linked.
//!
//! Names are kept once per file and referred to by [`StringId`], so that 100,000 lines stay small in memory.

use std::collections::HashMap;

use ouro_core::analysis::{CitedText, Condition, Reached, ReferenceKind, Symbol};

use crate::languages::Binding;

/// Index into [`Code::strings`].
pub(super) type StringId = u32;

/// Index into [`Code::scopes`].
pub(super) type ScopeId = u32;

/// The code of one file.
#[derive(Debug, Default)]
pub(super) struct Code {
    /// Every name and short expression that the lists below refer to.
    pub strings: Vec<Box<str>>,
    /// The file's own documentation.
    pub doc: Option<CitedText>,
    /// The package it says it belongs to.
    pub package: Option<Box<str>>,
    /// The name of what other files get when they import the file as a whole.
    pub default_export: Option<StringId>,
    /// The line of the main guard (`if __name__ == "__main__"`).
    pub main_guard: Option<u32>,
    /// The modules in files of their own that it opens to all.
    pub open_modules: Vec<Box<str>>,
    /// What its imports make known.
    pub bindings: Vec<Binding>,
    /// Declarations and blocks, by start.
    pub scopes: Vec<Scope>,
    /// Declarations, by start; file and centrality are not known yet.
    pub symbols: Vec<Symbol>,
    /// Uses of names.
    pub references: Vec<RawReference>,
    /// The scope of each symbol.
    pub symbol_scopes: Vec<ScopeId>,
    /// Variables, parameters and fields, by name and line.
    pub locals: Vec<Local>,
}

/// A declaration, or a block that adds to a type.
#[derive(Debug)]
pub(super) struct Scope {
    /// The scope around it.
    pub parent: Option<ScopeId>,
    /// Index into [`Code::symbols`], if it is a declaration.
    pub symbol: Option<u32>,
    /// The type whose members it declares, if that is named elsewhere: of an `impl` block, or a Go receiver.
    pub owner: Option<StringId>,
    /// The name of a block of declarations that is no type.
    pub namespace: Option<StringId>,
    /// The type a function returns.
    pub returns: Option<StringId>,
}

/// One use of a name.
#[derive(Debug)]
pub(super) struct RawReference {
    /// The name.
    pub name: StringId,
    /// What stands before the dot: `self.client`, `Foo::new()`, `?` when that is too complex to follow.
    pub receiver: Option<StringId>,
    /// The innermost scope.
    pub scope: Option<ScopeId>,
    /// The line, from 1.
    pub line: u32,
    /// How it is used.
    pub kind: ReferenceKind,
    /// How many arguments a call hands over.
    pub arguments: Option<u8>,
    /// When a call is made, within its declaration.
    pub reached: Reached,
    /// What it checks, if it may be made for that.
    pub check: Option<Box<Check>>,
}

/// What a call is given to check.
#[derive(Debug, Clone)]
pub(super) struct Check {
    /// The line of the call, from 1.
    pub line: u32,
    /// What must hold, as what doesn't where the check fails.
    pub condition: Condition,
    /// What is said then.
    pub message: Option<CitedText>,
}

/// A variable, a parameter or a typed field.
#[derive(Debug)]
pub(super) struct Local {
    /// Its name.
    pub name: StringId,
    /// Where it is known.
    pub scope: Option<ScopeId>,
    /// The line, from 1.
    pub line: u32,
    /// Its declared type.
    pub declared: Option<StringId>,
    /// The expression it is set to.
    pub value: Option<StringId>,
    /// Whether it is known only through its type or file, so that it hides no other name.
    pub is_field: bool,
}

impl Code {
    /// Gives back the room that lists keep to grow: small files would take several times what is in them.
    pub(super) fn shrink(&mut self) {
        self.strings.shrink_to_fit();
        self.open_modules.shrink_to_fit();
        self.bindings.shrink_to_fit();
        self.scopes.shrink_to_fit();
        self.symbols.shrink_to_fit();
        self.references.shrink_to_fit();
        self.symbol_scopes.shrink_to_fit();
        self.locals.shrink_to_fit();
    }

    /// The string of this id; empty for an id of another file.
    pub(super) fn string(&self, id: StringId) -> &str {
        self.strings.get(id as usize).map_or("", |s| s)
    }

    /// The variables, parameters and fields of this name, by line.
    pub(super) fn locals_named(&self, name: StringId) -> &[Local] {
        let start = self.locals.partition_point(|l| l.name < name);
        let end = self.locals.partition_point(|l| l.name <= name);
        self.locals.get(start..end).unwrap_or_default()
    }

    /// The scope of this id.
    pub(super) fn scope(&self, id: ScopeId) -> Option<&Scope> {
        self.scopes.get(id as usize)
    }

    /// The scopes from this one outwards.
    pub(super) fn scopes_outwards(
        &self,
        from: Option<ScopeId>,
    ) -> impl Iterator<Item = (ScopeId, &Scope)> {
        let at = |id: ScopeId| self.scope(id).map(|scope| (id, scope));
        std::iter::successors(from.and_then(at), move |(_, scope)| scope.parent.and_then(at))
    }
}

/// Collects each string once.
#[derive(Debug, Default)]
pub(super) struct Strings<'t> {
    ids: HashMap<std::borrow::Cow<'t, str>, StringId>,
    list: Vec<Box<str>>,
}

impl<'t> Strings<'t> {
    /// The id of this string.
    pub(super) fn id(&mut self, text: impl Into<std::borrow::Cow<'t, str>>) -> StringId {
        let text = text.into();
        if let Some(id) = self.ids.get(&text) {
            return *id;
        }
        let id = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(text.as_ref().into());
        self.ids.insert(text, id);
        id
    }

    /// The strings, by id.
    pub(super) fn into_list(self) -> Vec<Box<str>> {
        self.list
    }
}
