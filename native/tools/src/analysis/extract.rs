//! Turns the marks that a query leaves on a file's tree into [`Code`].

use std::{borrow::Cow, cmp::Reverse, collections::HashSet};

use ouro_core::analysis::{FailureSite, Member, ReferenceKind, Symbol, SymbolKind};
use tree_sitter::Node;

use super::{
    captures::{self, Match, Role, Unparsed},
    code::{Code, Local, RawReference, Scope, ScopeId, Strings},
    comments::{Remark, Remarks, docstring},
    expression::{base_type, chain, first_literal, on_one_line, type_path},
};
use crate::languages::{Binding, Header, Language};

/// Longest signature, in characters.
const MAX_SIGNATURE: usize = 300;
/// Longest expression whose type is followed, in bytes.
const MAX_EXPRESSION: usize = 300;

/// What one file in this language says.
pub(super) fn extract(
    language: &'static Language,
    text: &str,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Code, Unparsed> {
    let (tree, budget) = captures::parse(language, text, is_cancelled)?;
    let mut marks = Marks::default();
    captures::matches(language, &tree, text, budget, is_cancelled, |found| marks.sort_in(found))?;
    Ok(Extractor::new(language, text, marks).run())
}

/// The matches of one file, by what they mark.
#[derive(Default)]
struct Marks<'t> {
    declarations: Vec<Match<'t, 'static>>,
    members: Vec<Match<'t, 'static>>,
    locals: Vec<Match<'t, 'static>>,
    references: Vec<Match<'t, 'static>>,
    failures: Vec<Match<'t, 'static>>,
    comments: Vec<Node<'t>>,
    attributes: Vec<Node<'t>>,
    docstrings: Vec<Node<'t>>,
    imports: Vec<Node<'t>>,
    exports: Vec<Node<'t>>,
    default_export: Option<Node<'t>>,
    package: Option<Node<'t>>,
    main: Option<Node<'t>>,
}

impl<'t> Marks<'t> {
    fn sort_in(&mut self, found: Match<'t, 'static>) {
        match found.role {
            Role::Def(_)
            | Role::TypeScope
            | Role::TraitScope
            | Role::Namespace
            | Role::Anonymous => self.declarations.push(found),
            Role::Member => self.members.push(found),
            Role::Local | Role::Field => self.locals.push(found),
            Role::Call | Role::Extends | Role::Use | Role::CapitalUse | Role::Token => {
                self.references.push(found);
            }
            Role::Failure => self.failures.push(found),
            Role::Comment => self.comments.push(found.node),
            Role::Attribute => self.attributes.push(found.node),
            Role::Docstring => self.docstrings.push(found.node),
            Role::Import => self.imports.push(found.node),
            Role::Export => self.exports.push(found.node),
            Role::DefaultExport => {
                self.exports.push(found.node);
                self.default_export = Some(found.node);
            }
            Role::Package => self.package = self.package.or(Some(found.node)),
            Role::Main => self.main = self.main.or(Some(found.node)),
            _ => {}
        }
    }
}

/// Where a kept scope lies, and what it hands on to what is in it.
struct Place {
    start: usize,
    end: usize,
    parent: Option<ScopeId>,
    name: String,
    is_test: bool,
    implements: bool,
}

struct Extractor<'t> {
    language: &'static Language,
    text: &'t str,
    marks: Marks<'t>,
    remarks: Remarks<'t>,
    strings: Strings<'t>,
    code: Code,
    places: Vec<Place>,
    /// Bytes where a name is declared, which is no use of it.
    declared_at: HashSet<usize>,
}

impl<'t> Extractor<'t> {
    fn new(language: &'static Language, text: &'t str, marks: Marks<'t>) -> Self {
        let remark = |node: &Node<'_>| remark(text, *node);
        let remarks = Remarks::new(
            marks.comments.iter().filter_map(remark).collect(),
            marks.attributes.iter().filter_map(remark).collect(),
            language,
        );
        Self {
            language,
            text,
            marks,
            remarks,
            strings: Strings::default(),
            code: Code::default(),
            places: Vec::new(),
            declared_at: HashSet::new(),
        }
    }

    fn run(mut self) -> Code {
        self.declarations();
        self.docstrings();
        self.members();
        self.locals();
        self.failures();
        self.references();
        self.imports();
        self.code.package = self.marks.package.map(|node| self.slice(node).trim().into());
        self.code.default_export =
            self.marks.default_export.map(|node| self.strings.id(self.slice(node)));
        self.code.main_guard = self.marks.main.map(first_line);
        let first = self.places.first().map_or(self.text.len(), |p| p.start);
        if self.code.doc.is_none() {
            let package = self
                .marks
                .package
                .and_then(|node| self.remarks.above(node.start_byte(), first_line(node)).0);
            self.code.doc = package
                .or_else(|| self.remarks.enclosing(0, first))
                .or_else(|| self.remarks.leading(self.text, first));
        }
        self.code.strings = self.strings.into_list();
        self.code
    }

    fn slice(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// The innermost scope around a byte.
    fn scope_at(&self, byte: usize) -> Option<ScopeId> {
        let after = self.places.partition_point(|p| p.start <= byte);
        let mut at = u32::try_from(after.checked_sub(1)?).ok();
        while let Some(id) = at {
            let place = self.places.get(id as usize)?;
            if byte < place.end {
                return Some(id);
            }
            at = place.parent;
        }
        None
    }

    /// The symbol that a scope is, or stands in.
    fn symbol_around(&self, scope: Option<ScopeId>) -> Option<usize> {
        self.code
            .scopes_outwards(scope)
            .find_map(|(_, scope)| scope.symbol)
            .map(|symbol| symbol as usize)
    }

    fn declarations(&mut self) {
        let found = merged(std::mem::take(&mut self.marks.declarations));
        let exports = std::mem::take(&mut self.marks.exports);
        let (names, ranges): (Vec<_>, Vec<_>) =
            exports.into_iter().partition(|node| node.kind().ends_with("identifier"));
        let names: HashSet<&str> = names.into_iter().map(|node| self.slice(node)).collect();
        // The end of the function or nameless type that hides what it declares.
        let mut hidden_until = 0;
        let mut overload_doc = None;
        for (at, one) in found.iter().enumerate() {
            let (start, end) = (one.node.start_byte(), one.node.end_byte());
            let name = one.detail(Role::Name).or_else(|| one.node.child_by_field_name("name"));
            if let Some(name) = name {
                self.declared_at.insert(name.start_byte());
            }
            let parent = self.scope_at(start);
            if start < hidden_until {
                if let (Role::Def(SymbolKind::Function), Some(name)) = (one.role, name) {
                    let name = self.strings.id(self.slice(name));
                    let line = first_line(one.node);
                    let local = Local {
                        name,
                        scope: parent,
                        line,
                        declared: None,
                        value: None,
                        is_field: false,
                    };
                    self.code.locals.push(local);
                }
                continue;
            }
            if one.role == Role::Anonymous {
                hidden_until = end;
                continue;
            }
            let Some(name) = name else { continue };
            // `const a = require('./a')` declares nothing that the import doesn't.
            let value = one.node.child_by_field_name("value");
            if value.is_some_and(|value| self.slice(value).starts_with("require(")) {
                continue;
            }
            if let Role::Def(SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro) =
                one.role
            {
                hidden_until = end;
                let next = found.iter().skip(at + 1).find(|next| next.node.start_byte() >= end);
                if self.is_overload_of(one, name, next) {
                    let above = self.remarks.above(start, first_line(one.node)).0;
                    overload_doc = overload_doc.take().or(above);
                    continue;
                }
            }
            let exported = names.contains(self.slice(name))
                || ranges.iter().any(|r| r.start_byte() <= start && end <= r.end_byte());
            self.declare(one, name, parent, exported);
            if let Some(symbol) = self.code.symbols.last_mut() {
                symbol.doc = symbol.doc.take().or(overload_doc.take());
            }
        }
    }

    /// Whether a declaration only announces another form of the next one.
    fn is_overload_of(
        &self,
        one: &Match<'t, 'static>,
        name: Node<'t>,
        next: Option<&Match<'t, 'static>>,
    ) -> bool {
        let next_name =
            next.and_then(|n| n.detail(Role::Name).or_else(|| n.node.child_by_field_name("name")));
        if next_name.is_none_or(|next| self.slice(next) != self.slice(name)) {
            return false;
        }
        let is_signature = one.node.kind().ends_with("function_signature")
            || one.node.kind() == "method_signature";
        let before = || self.remarks.above(one.node.start_byte(), first_line(one.node)).1;
        is_signature || (one.node.kind() == "function_definition" && before().contains("overload"))
    }

    fn declare(
        &mut self,
        one: &Match<'t, 'static>,
        name: Node<'t>,
        parent: Option<ScopeId>,
        export_listed: bool,
    ) {
        let line = first_line(one.node);
        let (doc, mut attributes) = self.remarks.above(one.node.start_byte(), line);
        let (start, start_line) = self.after_attributes(one.node, &mut attributes);
        let is_test = (self.language.is_test)(&attributes)
            || parent.and_then(|id| self.places.get(id as usize)).is_some_and(|p| p.is_test);
        let container = one.detail(Role::Container).and_then(|node| container(self.slice(node)));
        let name_text = base_type(self.slice(name));
        let mut scope = Scope {
            parent,
            symbol: None,
            owner: container.map(|c| self.strings.id(c)),
            namespace: None,
            returns: self.returns(one),
        };
        match one.role {
            Role::Def(kind) => {
                let signature = self.signature(one, start);
                let symbol = self.symbol(kind, name, signature, container, parent, export_listed);
                scope.symbol = u32::try_from(self.code.symbols.len()).ok();
                self.code.symbol_scopes.push(u32::try_from(self.places.len()).unwrap_or(u32::MAX));
                if kind == SymbolKind::Constant {
                    self.constant(one.node, name, parent);
                }
                self.code.symbols.push(Symbol {
                    start_line,
                    end_line: last_line(self.text, one.node),
                    doc,
                    is_test,
                    ..symbol
                });
            }
            Role::TypeScope | Role::TraitScope => scope.owner = Some(self.strings.id(name_text)),
            _ => scope.namespace = Some(self.strings.id(name_text)),
        }
        self.places.push(Place {
            start: one.node.start_byte(),
            end: one.node.end_byte(),
            parent,
            name: name_text.rsplit([':', '.']).next().unwrap_or(name_text).to_owned(),
            is_test,
            implements: one.role == Role::TraitScope,
        });
        self.code.scopes.push(scope);
    }

    fn symbol(
        &self,
        kind: SymbolKind,
        name: Node<'t>,
        signature: String,
        container: Option<&str>,
        parent: Option<ScopeId>,
        export_listed: bool,
    ) -> Symbol {
        let place = parent.and_then(|id| self.places.get(id as usize));
        let parent_scope = parent.and_then(|id| self.code.scope(id));
        let parent_symbol = parent_scope
            .and_then(|scope| scope.symbol)
            .and_then(|at| self.code.symbols.get(at as usize));
        let in_type = parent_symbol.is_some() || parent_scope.is_some_and(|s| s.owner.is_some());
        let name_text = self.slice(name).trim_matches(['"', '\'', '`']);
        let header = Header {
            name: name_text,
            signature: &signature,
            parent: parent_symbol.map(|s| (s.kind, s.exported)),
            implements: place.is_some_and(|p| p.implements),
            export_listed,
        };
        let exported = (self.language.is_exported)(&header);
        Symbol {
            name: name_text.to_owned(),
            container: container.map(str::to_owned).or_else(|| place.map(|p| p.name.clone())),
            kind: match kind {
                SymbolKind::Function if in_type || container.is_some() => SymbolKind::Method,
                SymbolKind::Method if !in_type && container.is_none() => SymbolKind::Function,
                kind => kind,
            },
            file: 0,
            line: first_line(name),
            start_line: 0,
            end_line: 0,
            signature,
            doc: None,
            exported,
            is_test: false,
            members: Vec::new(),
            failures: Vec::new(),
            centrality: 0.0,
        }
    }

    /// What a constant is, so that calls on it can be followed.
    fn constant(&mut self, node: Node<'t>, name: Node<'t>, scope: Option<ScopeId>) {
        let declared = node.child_by_field_name("type");
        let value = ["value", "right"].iter().find_map(|field| node.child_by_field_name(field));
        let local = Local {
            name: self.strings.id(self.slice(name)),
            scope,
            line: first_line(name),
            declared: declared.and_then(|node| self.path_of(node, type_path)),
            value: value.and_then(|node| self.path_of(node, chain)),
            is_field: true,
        };
        self.code.locals.push(local);
    }

    /// The first byte and line of a declaration after the annotations that its node begins with.
    fn after_attributes(&self, node: Node<'t>, attributes: &mut String) -> (usize, u32) {
        let (mut start, mut line) = (node.start_byte(), first_line(node));
        while let Some(attribute) = self.remarks.attribute_from(start) {
            if attribute.end >= node.end_byte() {
                break;
            }
            attributes.push_str(attribute.text);
            let gap = self.text.get(attribute.end..).unwrap_or("");
            let space = gap.len() - gap.trim_start().len();
            let passed = self.text.get(start..attribute.end + space).unwrap_or("");
            line += u32::try_from(passed.matches('\n').count()).unwrap_or(0);
            start = attribute.end + space;
        }
        (start, line)
    }

    fn signature(&self, one: &Match<'t, 'static>, start: usize) -> String {
        let node = one.node;
        let body =
            one.detail(Role::Body).or_else(|| node.child_by_field_name("body")).or_else(|| {
                let mut cursor = node.walk();
                node.children(&mut cursor).find(|child| child.kind().ends_with("_body"))
            });
        let mut end =
            body.map_or(node.end_byte(), |b| b.start_byte()).min(start + 20 * MAX_SIGNATURE);
        if matches!(one.role, Role::Def(kind) if is_type(kind)) {
            let open = self.text.get(start..end).and_then(|header| header.find('{'));
            end = open.map_or(end, |open| start + open);
        }
        let mut pieces = vec![one.prefix.unwrap_or("")];
        let mut from = start;
        for comment in self.remarks.within(start, end) {
            pieces.push(self.text.get(from..comment.start).unwrap_or(""));
            from = comment.end;
        }
        let last = (0..4).find_map(|back| self.text.get(from..end.saturating_sub(back)));
        pieces.push(last.unwrap_or(""));
        on_one_line(&pieces.join(" "), MAX_SIGNATURE)
    }

    fn returns(&mut self, one: &Match<'t, 'static>) -> Option<u32> {
        let node = one
            .detail(Role::Returns)
            .or_else(|| one.node.child_by_field_name(self.language.returns_field))?;
        self.path_of(node, type_path)
    }

    /// The path that a type or expression is read as, if it is short enough to be followed.
    fn path_of(
        &mut self,
        node: Node<'t>,
        read: fn(&'t str) -> Option<Cow<'t, str>>,
    ) -> Option<u32> {
        (node.end_byte() - node.start_byte() <= MAX_EXPRESSION)
            .then(|| read(self.slice(node)))
            .flatten()
            .map(|text| self.strings.id(text))
    }

    fn docstrings(&mut self) {
        for node in std::mem::take(&mut self.marks.docstrings) {
            let scope = self.scope_at(node.start_byte());
            let doc = docstring(self.slice(node), first_line(node));
            match scope.and_then(|id| self.code.scope(id)).map(|s| s.symbol) {
                None => self.code.doc = self.code.doc.take().or(doc),
                Some(symbol) => {
                    let symbol = symbol.and_then(|at| self.code.symbols.get_mut(at as usize));
                    if let Some(symbol) = symbol {
                        symbol.doc = doc;
                    }
                }
            }
        }
    }

    fn members(&mut self) {
        let mut found = std::mem::take(&mut self.marks.members);
        found.sort_by_key(|m| (m.node.start_byte(), Reverse(m.node.end_byte())));
        // What stands inside a member, such as the fields of a variant, is no member of the type.
        let mut end = 0;
        for one in &found {
            let Some(name) = one.detail(Role::Name) else { continue };
            self.declared_at.insert(name.start_byte());
            if one.node.start_byte() < end {
                continue;
            }
            let scope = self.scope_at(one.node.start_byte());
            let declared = one.detail(Role::Type).and_then(|node| self.path_of(node, type_path));
            let line = first_line(name);
            let (doc, _) = self.remarks.above(one.node.start_byte(), first_line(one.node));
            let name = self.slice(name);
            let symbol = scope
                .and_then(|id| self.code.scope(id))
                .and_then(|scope| scope.symbol)
                .and_then(|at| self.code.symbols.get_mut(at as usize))
                .filter(|symbol| is_type(symbol.kind));
            let Some(symbol) = symbol else { continue };
            end = one.node.end_byte();
            symbol.members.push(Member { name: name.to_owned(), line, doc });
            let name = self.strings.id(name);
            self.code.locals.push(Local {
                name,
                scope,
                line,
                declared,
                value: None,
                is_field: true,
            });
        }
    }

    fn locals(&mut self) {
        for one in std::mem::take(&mut self.marks.locals) {
            let start = one.node.start_byte();
            let mut scope = self.scope_at(start);
            if one.role == Role::Field {
                scope = self
                    .code
                    .scopes_outwards(scope)
                    .find(|(_, s)| {
                        s.symbol
                            .and_then(|at| self.code.symbols.get(at as usize))
                            .is_some_and(|symbol| is_type(symbol.kind))
                    })
                    .map(|(id, _)| id);
            } else if self.declared_at.contains(&start) {
                continue;
            } else {
                self.declared_at.insert(start);
            }
            let written = one.detail(Role::Type).filter(|node| self.slice(*node) != "var");
            let declared = written.and_then(|node| self.path_of(node, type_path));
            let value = one.detail(Role::Value).and_then(|node| self.path_of(node, chain));
            let name = self.strings.id(self.slice(one.node));
            let (line, is_field) = (first_line(one.node), one.role == Role::Field);
            self.code.locals.push(Local { name, scope, line, declared, value, is_field });
        }
        self.code.locals.sort_by_key(|l| (l.name, l.line));
    }

    fn failures(&mut self) {
        let mut seen = HashSet::new();
        for one in std::mem::take(&mut self.marks.failures) {
            if !seen.insert(one.node.start_byte()) {
                continue;
            }
            let Some(what) = one.detail(Role::What) else { continue };
            let symbol = self.symbol_around(self.scope_at(one.node.start_byte()));
            let literal_from =
                if self.is_string(what) { what.start_byte() } else { what.end_byte() };
            let rest = self.text.get(literal_from..one.node.end_byte()).unwrap_or("");
            let message = first_literal(rest, self.language.quotes);
            let what = if self.is_string(what) {
                "Err".to_owned()
            } else {
                on_one_line(self.slice(what), 80)
            };
            let Some(symbol) = symbol.and_then(|at| self.code.symbols.get_mut(at)) else {
                continue;
            };
            if !symbol.is_test {
                symbol.failures.push(FailureSite { line: first_line(one.node), what, message });
            }
        }
        for symbol in &mut self.code.symbols {
            symbol.failures.sort_by_key(|f| f.line);
        }
    }

    fn is_string(&self, node: Node<'t>) -> bool {
        self.slice(node).starts_with(self.language.quotes)
    }

    fn references(&mut self) {
        let mut found = std::mem::take(&mut self.marks.references);
        let rank = |m: &Match<'_, '_>| match m.role {
            Role::Extends => 0,
            Role::Call => 1,
            Role::Use if m.detail(Role::Receiver).is_some() => 2,
            Role::Use => 3,
            Role::CapitalUse => 4,
            _ => 5,
        };
        found.sort_by_key(|m| (m.node.start_byte(), rank(m)));
        found.dedup_by_key(|m| m.node.start_byte());
        for one in found {
            let start = one.node.start_byte();
            if self.declared_at.contains(&start) {
                continue;
            }
            let name = self.slice(one.node);
            let before = self.text.get(..start).unwrap_or("");
            let kind = match one.role {
                Role::Extends => ReferenceKind::Extends,
                Role::Call => ReferenceKind::Call,
                Role::CapitalUse if !name.starts_with(char::is_uppercase) => continue,
                // Inside a macro call, what stands before a dot is unknown.
                Role::Token if before.ends_with(['.', ':', '$']) => continue,
                Role::Token
                    if self.text.get(one.node.end_byte()..).is_some_and(|t| t.starts_with('(')) =>
                {
                    ReferenceKind::Call
                }
                Role::Token if !name.starts_with(char::is_uppercase) => continue,
                _ => ReferenceKind::Use,
            };
            let receiver = one.detail(Role::Receiver).map(|node| {
                let unknown = Cow::Borrowed("?");
                let short = node.end_byte() - node.start_byte() <= MAX_EXPRESSION;
                short.then(|| chain(self.slice(node))).flatten().unwrap_or(unknown)
            });
            let reference = RawReference {
                name: self.strings.id(name),
                receiver: receiver.map(|r| self.strings.id(r)),
                scope: self.scope_at(start),
                line: first_line(one.node),
                kind,
            };
            self.code.references.push(reference);
        }
    }

    fn imports(&mut self) {
        for node in std::mem::take(&mut self.marks.imports) {
            let scope = self.scope_at(node.start_byte());
            let inside = self.code.scopes_outwards(scope).filter(|(_, s)| s.namespace.is_some());
            let depth = u8::try_from(inside.count()).unwrap_or(u8::MAX);
            for binding in (self.language.imports)(self.slice(node)) {
                self.code.bindings.push(Binding { depth, ..binding.at(first_line(node)) });
            }
        }
        self.code.bindings.sort_by_key(|b| b.line);
        let mut seen = HashSet::new();
        self.code
            .bindings
            .retain(|b| seen.insert((b.local.clone(), b.module.clone(), b.name.clone())));
    }
}

/// Whether symbols of this kind have members.
pub(super) fn is_type(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Class | SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Interface
    )
}

/// Sorted by place, outer ones first; what several patterns say of one node put together, under the most special kind.
fn merged<'t>(mut found: Vec<Match<'t, 'static>>) -> Vec<Match<'t, 'static>> {
    let special = |m: &Match<'_, '_>| match m.role {
        Role::Def(SymbolKind::Enum | SymbolKind::Interface | SymbolKind::Struct) => 0,
        Role::Def(SymbolKind::Function | SymbolKind::Method) => 1,
        _ => 2,
    };
    found.sort_by_key(|d| {
        (d.node.start_byte(), Reverse(d.node.end_byte()), special(d), Reverse(d.details()))
    });
    let mut merged: Vec<Match<'t, 'static>> = Vec::with_capacity(found.len());
    for one in found {
        match merged.last_mut() {
            Some(last) if last.node.byte_range() == one.node.byte_range() => last.absorb(one),
            _ => merged.push(one),
        }
    }
    merged
}

/// The type that a container's expression names: `Foo.prototype` and `Foo<T>` are `Foo`, `exports` is none.
fn container(text: &str) -> Option<&str> {
    let name = base_type(text);
    let name = name.strip_suffix(".prototype").unwrap_or(name);
    (!matches!(name, "exports" | "module.exports" | "this" | "self" | "")).then_some(name)
}

fn first_line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).unwrap_or(u32::MAX - 1) + 1
}

/// The last line, not counting a line end that the node includes.
fn last_line(text: &str, node: Node<'_>) -> u32 {
    let ends_with_line_end = text.get(node.byte_range()).is_some_and(|t| t.ends_with('\n'))
        && node.end_position().column == 0;
    let row = node.end_position().row - usize::from(ends_with_line_end);
    u32::try_from(row).unwrap_or(u32::MAX - 1) + 1
}

fn remark<'t>(text: &'t str, node: Node<'_>) -> Option<Remark<'t>> {
    let before = text.get(..node.start_byte())?;
    let line = before.rsplit('\n').next().unwrap_or("");
    Some(Remark {
        text: text.get(node.byte_range())?,
        start: node.start_byte(),
        end: node.end_byte(),
        start_line: first_line(node),
        end_line: last_line(text, node),
        leads_line: line.trim().is_empty(),
    })
}
