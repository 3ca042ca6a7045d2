//! Declarations: which count, what they are called, how they look.

use std::{cmp::Reverse, collections::HashSet};

use ouro_core::analysis::{Symbol, SymbolKind};
use tree_sitter::Node;

use super::{Extractor, Place, first_line, is_type, last_line};
use crate::{
    analysis::{
        captures::{Match, Role},
        code::{Local, Scope, ScopeId},
        expression::{base_type, chain, on_one_line},
    },
    languages::Header,
};

/// Longest signature, in characters.
const MAX_SIGNATURE: usize = 300;

impl<'t> Extractor<'t> {
    pub(super) fn declarations(&mut self) {
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
                if let Some(name) = name.filter(|_| self.is_part(one, parent)) {
                    self.declare(one, name, parent, false);
                } else if let (Role::Def(SymbolKind::Function), Some(name)) = (one.role, name) {
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
            // A function in an object that is handed on nameless is nobody's to call by name.
            let in_object = matches!(one.node.kind(), "pair" | "method_definition");
            let is_nobodys = parent.is_none() && !self.is_module_export(one.node);
            if in_object && (is_nobodys || self.is_handed_over(one.node)) {
                hidden_until = end;
                continue;
            }
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
                    let above = self.remarks.above(start, true).0;
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

    /// Whether this is a documented function in the body of a function of the top level, as in scripts whose parts share what
    /// that function was given.
    fn is_part(&self, one: &Match<'t, 'static>, parent: Option<ScopeId>) -> bool {
        let around =
            parent.and_then(|id| self.code.scope(id)).filter(|scope| scope.parent.is_none());
        let is_function = around.and_then(|scope| self.code.symbols.get(scope.symbol? as usize));
        let body = one.node.parent().filter(|node| node.kind() == "statement_block");
        let end = parent.and_then(|id| self.places.get(id as usize)).map(|place| place.end);
        one.node.kind() == "function_declaration"
            && is_function.is_some_and(|s| s.kind == SymbolKind::Function)
            && body.is_some_and(|body| Some(body.end_byte()) == end)
            && self.remarks.above(one.node.start_byte(), true).0.is_some()
    }

    /// Whether a member of an object is one of a module: `module.exports = { member() {} }`.
    fn is_module_export(&self, member: Node<'t>) -> bool {
        let holder = member.parent().and_then(|object| object.parent());
        let left = holder.and_then(|assignment| assignment.child_by_field_name("left"));
        left.is_some_and(|left| self.slice(left) == "module.exports")
    }

    /// Whether an object that holds this member is an argument: `new Parser({ member() {} })` makes no member of what comes
    /// back. `Object.freeze` hands back what it was given.
    fn is_handed_over(&self, member: Node<'t>) -> bool {
        let around = std::iter::successors(member.parent(), Node::parent);
        let mut around = around.skip_while(|node| matches!(node.kind(), "object" | "pair"));
        let arguments = around.next().filter(|node| node.kind() == "arguments");
        let callee = arguments.and_then(|node| node.prev_named_sibling());
        callee.is_some_and(|callee| !self.slice(callee).starts_with("Object."))
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
        // Forms that are documented each by itself are told each by itself.
        let is_told = |node: Node<'_>| self.remarks.above(node.start_byte(), true).0.is_some();
        if is_signature && is_told(one.node) && next.is_some_and(|next| is_told(next.node)) {
            return false;
        }
        let before = || self.remarks.above(one.node.start_byte(), true).1;
        is_signature || (one.node.kind() == "function_definition" && before().contains("overload"))
    }

    fn declare(
        &mut self,
        one: &Match<'t, 'static>,
        name: Node<'t>,
        parent: Option<ScopeId>,
        export_listed: bool,
    ) {
        // A value that isn't handed on stands more likely under a heading than under its documentation.
        let is_value = matches!(one.role, Role::Def(SymbolKind::Constant | SymbolKind::TypeAlias));
        let may_be_apart = !is_value || self.slice(one.node).contains("exports");
        let (mut doc, mut attributes) = self.remarks.above(one.node.start_byte(), may_be_apart);
        if doc.is_none() && !is_value {
            doc = self.remarks.said_above(one.node.start_byte());
        }
        let (start, start_line) = self.after_attributes(one.node, &mut attributes);
        let is_test = (self.language.is_test)(&attributes)
            || parent.and_then(|id| self.places.get(id as usize)).is_some_and(|p| p.is_test);
        let container =
            one.detail(Role::Container).and_then(|node| container(self.slice(qualified(node))));
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
        let is_part = parent_symbol.is_some_and(|s| s.kind == SymbolKind::Function);
        let in_type = (parent_symbol.is_some() && !is_part)
            || parent_scope.is_some_and(|s| s.owner.is_some());
        let name_text = self.slice(name).trim_matches(['"', '\'', '`']);
        // What is set on an object by assignment is as visible as the object.
        let holder = container.and_then(|name| self.code.symbols.iter().find(|s| s.name == name));
        let header = Header {
            name: name_text,
            signature: &signature,
            parent: parent_symbol.or(holder).map(|s| (s.kind, s.exported)),
            implements: place.is_some_and(|p| p.implements),
            export_listed,
        };
        let exported = !is_part && (self.language.is_exported)(&header);
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
            exits: Vec::new(),
            says: None,
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
            declared: declared.map(|node| self.type_of(node)),
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
        if matches!(one.role, Role::Def(kind) if is_type(kind) || kind == SymbolKind::Macro) {
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
        Some(self.type_of(node))
    }
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

/// The whole path that a name ends, where it belongs to a package: `java.time.LocalDate` is not `LocalDate`.
fn qualified(node: Node<'_>) -> Node<'_> {
    let path = node.parent().filter(|parent| parent.kind() == "user_type");
    let is_last = |path: &Node<'_>| {
        path.end_byte() == node.end_byte() && path.start_byte() < node.start_byte()
    };
    path.filter(is_last).unwrap_or(node)
}

/// The type that a container's expression names: `Foo.prototype` and `Foo<T>` are `Foo`, `exports` is none.
fn container(text: &str) -> Option<&str> {
    let name = base_type(text);
    let name = name.strip_suffix(".prototype").unwrap_or(name);
    (!matches!(name, "exports" | "module.exports" | "this" | "self" | "")).then_some(name)
}
