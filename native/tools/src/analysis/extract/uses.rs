//! What stands inside declarations: documentation, members, variables, failures, uses of other names, imports.

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{HashMap, HashSet},
    ops::Range,
};

use ouro_core::analysis::{
    CitedText, ExitSite, FailureSite, Member, Reached, ReferenceKind, Symbol, SymbolKind,
};
use tree_sitter::Node;

use super::{Extractor, MAX_EXPRESSION, first_line, is_type};
use crate::{
    analysis::{
        captures::{Match, Role},
        code::{Check, Code, Local, RawReference, ScopeId},
        comments::docstring,
        expression::{chain, first_literal, on_one_line},
        reach::{checked, is_swallowed},
    },
    languages::{Binding, Header},
};

impl<'t> Extractor<'t> {
    pub(super) fn docstrings(&mut self) {
        for node in std::mem::take(&mut self.marks.docstrings) {
            let scope = self.scope_at(node.start_byte());
            // An inner function that is nobody's to call by name has its own, which says nothing of the one around it.
            let around = scope.and_then(|id| self.places.get(id as usize));
            if around.is_some_and(|place| !declares(node, place.start)) {
                continue;
            }
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

    pub(super) fn members(&mut self) {
        let mut found = std::mem::take(&mut self.marks.members);
        found.sort_by_key(|m| {
            (m.node.start_byte(), Reverse(m.node.end_byte()), Reverse(m.details()))
        });
        // What stands inside a member, such as the fields of a variant, is no member of the type.
        let mut last = 0..0;
        for one in &found {
            let Some(name) = one.detail(Role::Name) else { continue };
            let is_new = self.declared_at.insert(name.start_byte());
            let inside = one.node.start_byte() < last.end && one.node.byte_range() != last;
            if inside || !is_new {
                continue;
            }
            let scope = self.scope_at(one.node.start_byte());
            let declared = one.detail(Role::Type).map(|node| self.type_of(node));
            let line = first_line(name);
            let above = self.remarks.above(one.node.start_byte(), false).0;
            let behind = || self.remarks.behind(one.node.end_byte());
            let doc = above.or_else(behind).or_else(|| self.docstring_below(one.node));
            let (name, written) = (self.slice(name), self.slice(one.node));
            let symbol = declared_by(&mut self.code, scope)
                .filter(|symbol| is_type(symbol.kind) || symbol.kind == SymbolKind::TypeAlias);
            let Some(symbol) = symbol else { continue };
            last = one.node.byte_range();
            let header = member_header(name, written, symbol.kind);
            let exported = symbol.kind == SymbolKind::Enum || (self.language.is_exported)(&header);
            symbol.members.push(Member { name: name.to_owned(), line, doc, exported });
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

    /// The string that stands by itself right below an assignment: what Python says of an attribute.
    fn docstring_below(&self, member: Node<'t>) -> Option<CitedText> {
        let statement = member.parent().filter(|node| node.kind() == "expression_statement")?;
        let next = statement.next_named_sibling().filter(|node| node.kind() == statement.kind())?;
        let string = next.named_child(0).filter(|node| node.kind() == "string")?;
        docstring(self.slice(string), first_line(string))
    }

    pub(super) fn locals(&mut self) {
        let mut found = std::mem::take(&mut self.marks.locals);
        // What says most of a variable comes first, and the rest of it is dropped.
        found.sort_by_key(|m| (m.node.start_byte(), m.role == Role::Field, Reverse(m.details())));
        for one in found {
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
                self.documented_field(one.node, scope);
            } else if self.declared_at.contains(&start) {
                continue;
            } else {
                self.declared_at.insert(start);
            }
            let written = one.detail(Role::Type).filter(|node| self.slice(*node) != "var");
            let declared = written.map(|node| self.type_of(node));
            let value = one.detail(Role::Value).and_then(|node| self.path_of(node, chain));
            let name = self.strings.id(self.slice(one.node));
            let (line, is_field) = (first_line(one.node), one.role == Role::Field);
            self.code.locals.push(Local { name, scope, line, declared, value, is_field });
        }
        self.code.locals.sort_by_key(|l| (l.name, l.line));
    }

    /// Takes a field that is first set in a function of its type for a member, if it is documented there: as Python's
    /// attributes are, by `#:` above or a string below the assignment.
    fn documented_field(&mut self, name: Node<'t>, scope: Option<u32>) {
        let set = name.parent().and_then(|target| target.parent());
        let Some(set) = set.filter(|node| node.kind() == "assignment") else { return };
        let above = self.remarks.above(set.start_byte(), false).0;
        let Some(doc) = above.or_else(|| self.docstring_below(set)) else { return };
        let (name, line, written) = (self.slice(name), first_line(name), self.slice(set));
        let symbol = declared_by(&mut self.code, scope);
        let Some(symbol) = symbol.filter(|s| s.members.iter().all(|m| m.name != name)) else {
            return;
        };
        let header = member_header(name, written, symbol.kind);
        let exported = (self.language.is_exported)(&header);
        symbol.members.push(Member { name: name.to_owned(), line, doc: Some(doc), exported });
    }

    pub(super) fn failures(&mut self) {
        let mut seen = HashSet::new();
        let mut found = std::mem::take(&mut self.marks.failures);
        found.sort_by_key(|m| (m.node.start_byte(), Reverse(m.node.end_byte())));
        for one in found {
            if !seen.insert(one.node.start_byte()) {
                continue;
            }
            let Some(what) = one.detail(Role::What) else { continue };
            if is_swallowed(one.node, self.slice(what), self.text) || self.is_for_tests(one.node) {
                continue;
            }
            let symbol = self.symbol_around(self.scope_at(one.node.start_byte()));
            let reached = self.reached(one.node);
            let literal_from =
                if self.is_string(what) { what.start_byte() } else { what.end_byte() };
            let rest = self.text.get(literal_from..one.node.end_byte()).unwrap_or("");
            // What makes an error in advance is given what that says, maybe after its code.
            let around = [Some(one.node), one.node.parent()].into_iter().flatten();
            let is_value = around.map(|n| n.kind()).any(|kind| VALUES_IN.contains(&kind));
            let constant = symbol.and_then(|at| self.code.symbols.get(at));
            let is_made = is_value && constant.is_some_and(|s| s.kind == SymbolKind::Constant);
            // A function that a constant holds is nobody's to call by name.
            if !is_made && constant.is_some_and(|s| s.kind == SymbolKind::Constant) {
                continue;
            }
            let says = is_made || self.is_string(what) || takes_message(self.slice(what));
            let message = || {
                let literal = |from: usize| self.literal(one.node, from, one.node.end_byte());
                let first = literal(literal_from);
                if let Some((code, end)) = first.as_ref().filter(|_| is_made)
                    && !code.text.contains(' ')
                {
                    return literal(*end).map(|(text, _)| text).filter(|m| m.text.contains(' '));
                }
                first.map(|(text, _)| text).or_else(|| {
                    let place = self.set_before(one.node, rest)?;
                    Some(self.literal(one.node, place.start, place.end)?.0)
                })
            };
            let message = says.then(message).flatten();
            let what = if self.is_string(what) {
                "Err".to_owned()
            } else {
                on_one_line(self.slice(what), 80)
            };
            let Some(symbol) = symbol.and_then(|at| self.code.symbols.get_mut(at)) else {
                continue;
            };
            if !symbol.is_test {
                let line = first_line(one.node);
                symbol.failures.push(FailureSite { line, what, message, reached, check: None });
            }
        }
        // `var ErrFull = errors.New("...")` fails nowhere; whoever returns it does, with its message.
        let mut messages: HashMap<String, CitedText> = HashMap::new();
        for symbol in self.code.symbols.iter_mut().filter(|s| s.kind == SymbolKind::Constant) {
            let made = std::mem::take(&mut symbol.failures);
            symbol.says = made.into_iter().find_map(|failure| failure.message);
            messages.extend(symbol.says.clone().map(|message| (symbol.name.clone(), message)));
        }
        // A variable is an error only where its declaration says so.
        let is_variable = |what: &str| {
            what.strip_prefix("err").is_some_and(|rest| rest.starts_with(char::is_uppercase))
        };
        for symbol in &mut self.code.symbols {
            symbol.failures.retain(|f| !is_variable(&f.what) || messages.contains_key(&f.what));
            symbol.failures.sort_by_key(|f| f.line);
            for failure in symbol.failures.iter_mut().filter(|f| f.message.is_none()) {
                failure.message = messages.get(&failure.what).cloned();
            }
        }
    }

    /// Whether the statement that a node stands in, or one around that, is marked as there for tests only.
    fn is_for_tests(&self, node: Node<'t>) -> bool {
        let mut around = Some(node);
        while let Some(at) = around {
            let mut before = at.prev_sibling();
            while let Some(attribute) = before.filter(|n| n.kind() == "attribute_item") {
                if (self.language.is_test)(self.slice(attribute)) {
                    return true;
                }
                before = attribute.prev_sibling();
            }
            around = at.parent();
        }
        false
    }

    /// Returns on the way: not the one at the end of a body, nor one that fails or hands a failure on.
    pub(super) fn exits(&mut self) {
        let (mut line, mut counted) = (1, 0);
        for place in self.branches.returns().to_vec() {
            let passed = self.text.as_bytes().get(counted..place.start).unwrap_or_default();
            line += u32::try_from(passed.iter().filter(|b| **b == b'\n').count()).unwrap_or(0);
            counted = place.start;
            let reached = self.reached_at(&place);
            let always = reached.conditions.as_ref().is_some_and(Vec::is_empty);
            let code = self.text.get(place.clone()).unwrap_or("");
            let lines = line..=line + u32::try_from(code.matches('\n').count()).unwrap_or(0);
            if always || reached.is_deferred || hands_failure_on(code) {
                continue;
            }
            let symbol = self.symbol_around(self.scope_at(place.start));
            let symbol = symbol.and_then(|at| self.code.symbols.get_mut(at));
            let is_callable = |s: &&mut Symbol| {
                matches!(s.kind, SymbolKind::Function | SymbolKind::Method) && !s.is_test
            };
            if let Some(symbol) = symbol.filter(is_callable)
                && !symbol.failures.iter().any(|f| lines.contains(&f.line))
            {
                symbol.exits.push(ExitSite { line, reached });
            }
        }
    }

    /// The first literal between two bytes near a node that is a message, and the byte after it.
    fn literal(&self, near: Node<'t>, from: usize, to: usize) -> Option<(CitedText, usize)> {
        let (text, place) = first_literal(self.text.get(from..to)?, self.language.quotes)?;
        let start_line = self.line_of(near, from + place.start);
        let end_line = self.line_of(near, from + place.end);
        Some((CitedText { text, start_line, end_line }, from + place.end))
    }

    /// What a call whose value nobody uses is given: a condition, and what to say where it doesn't hold.
    fn check(&self, name: Node<'t>) -> Option<Box<Check>> {
        let call = arguments_of(name).filter(|(call, _)| stands_alone(*call));
        let (call, arguments) = call?;
        let mut cursor = arguments.walk();
        let first = arguments.named_children(&mut cursor).find(|c| !c.is_extra())?;
        let value = if first.kind() == "value_argument" { first.named_child(0)? } else { first };
        // Behind the brackets of Kotlin a lambda may say it.
        let whole = call.parent().filter(|p| p.kind() == call.kind()).unwrap_or(call);
        let message = self.literal(name, first.end_byte(), whole.end_byte()).map(|(text, _)| text);
        let message = message.filter(|m| m.text.contains(' '));
        if message.is_none() && !COMPARISONS.contains(&value.kind()) {
            return None;
        }
        let condition = checked(value, self.text)?;
        Some(Box::new(Check { line: first_line(name), condition, message }))
    }

    /// The line of a byte near a node, from 1.
    fn line_of(&self, node: Node<'_>, byte: usize) -> u32 {
        let breaks = |from: usize, to: usize| {
            let between = self.text.as_bytes().get(from..to).unwrap_or_default();
            u32::try_from(between.iter().filter(|b| **b == b'\n').count()).unwrap_or(0)
        };
        let start = node.start_byte();
        (first_line(node) + breaks(start, byte)).saturating_sub(breaks(byte, start))
    }

    /// Where the only argument of a failure was set right before, in the same block: `msg = "..."`. One that was set
    /// again since, in a branch or to more than that, may be another by now.
    fn set_before(&self, failure: Node<'t>, arguments: &str) -> Option<Range<usize>> {
        let name = arguments.trim().strip_prefix('(')?.split(')').next()?.trim();
        let is_name = |n: &str| n.chars().all(|c| c.is_alphanumeric() || c == '_') && n.len() > 1;
        let before = self.text.get(..failure.start_byte()).filter(|_| is_name(name))?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let indent = |line: &str| line.len() - line.trim_start().len();
        let own = indent(self.text.get(line_start..)?);
        let mut end = line_start;
        // Up to the first line that is further out: there the block begins.
        while let Some(above) = self.text.get(..end.checked_sub(1)?) {
            let start = above.rfind('\n').map_or(0, |at| at + 1);
            let line = self.text.get(start..end)?;
            if !line.trim().is_empty() && indent(line) < own {
                return None;
            }
            let words = ["const ", "let ", "var ", "final ", "val ", "String ", ""];
            let set =
                words.iter().find_map(|w| line.trim_start().strip_prefix(w)?.strip_prefix(name));
            let set = set.map(str::trim_start).filter(|rest| !rest.starts_with("=="));
            let value = set.and_then(|rest| rest.strip_prefix(['=', ':']));
            let adds =
                set.is_some_and(|rest| ["+=", "%=", "??="].iter().any(|o| rest.starts_with(o)));
            if adds || (value.is_some() && indent(line) > own) {
                return None;
            }
            if let Some(value) = value {
                let value = value.trim_start_matches('=').trim_start();
                let quoted = value.trim_start_matches(['(', '\n', ' ', 'f', 'r', 'b', 'u']);
                let at = end - value.len();
                let first = self.text.get(at..line_start)?;
                let opens = quoted.is_empty()
                    && first
                        .trim_start_matches(['(', '\n', ' ', 'f'])
                        .starts_with(self.language.quotes);
                return (opens || quoted.starts_with(self.language.quotes))
                    .then_some(at..line_start);
            }
            end = start;
        }
        None
    }

    fn is_string(&self, node: Node<'t>) -> bool {
        self.slice(node).starts_with(self.language.quotes)
    }

    pub(super) fn references(&mut self) {
        let mut found = std::mem::take(&mut self.marks.references);
        self.marks.imports.sort_by_key(Node::start_byte);
        let rank = |m: &Match<'_, '_>| match m.role {
            Role::Extends => 0,
            Role::Call => 1,
            Role::Use if m.detail(Role::Receiver).is_some() => 2,
            Role::Use => 3,
            Role::Token => 4,
            _ => 5,
        };
        found.sort_by_key(|m| (m.node.start_byte(), rank(m)));
        found.dedup_by_key(|m| m.node.start_byte());
        for one in found {
            let start = one.node.start_byte();
            let imports = self.marks.imports.partition_point(|import| import.start_byte() <= start);
            let last = imports.checked_sub(1).and_then(|at| self.marks.imports.get(at));
            if self.declared_at.contains(&start)
                || last.is_some_and(|import| start < import.end_byte())
            {
                continue;
            }
            let name = self.slice(one.node);
            let before = self.text.get(..start).unwrap_or("");
            let kind = match one.role {
                Role::Extends => ReferenceKind::Extends,
                Role::Call => ReferenceKind::Call,
                Role::CapitalUse if !name.starts_with(char::is_uppercase) => continue,
                Role::Token if before.ends_with('$') => continue,
                Role::Token
                    if self.text.get(one.node.end_byte()..).is_some_and(|t| t.starts_with('(')) =>
                {
                    ReferenceKind::Call
                }
                Role::Token if !name.starts_with(char::is_uppercase) => continue,
                _ => ReferenceKind::Use,
            };
            let receiver = match one.detail(Role::Receiver) {
                Some(node) => {
                    let short = node.end_byte() - node.start_byte() <= MAX_EXPRESSION;
                    let path = short.then(|| chain(self.slice(node))).flatten();
                    let other = if self.is_string(node) { "\"" } else { "?" };
                    Some(path.unwrap_or(Cow::Borrowed(other)))
                }
                None if one.role == Role::Token => token_receiver(before).map(Cow::Borrowed),
                None => None,
            };
            let (reached, arguments, check) = if kind == ReferenceKind::Call {
                let arguments = self.branches.arguments(start, one.node.end_byte());
                (self.reached(one.node), arguments, self.check(one.node))
            } else {
                (Reached::default(), None, None)
            };
            let reference = RawReference {
                name: self.strings.id(name),
                receiver: receiver.map(|r| self.strings.id(r)),
                scope: self.scope_at(start),
                line: first_line(one.node),
                kind,
                arguments,
                reached,
                check,
            };
            self.code.references.push(reference);
        }
    }

    pub(super) fn imports(&mut self) {
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

/// Kinds of nodes that give a name to a value.
const VALUES_IN: [&str; 3] = ["pair", "variable_declarator", "var_spec"];

/// Kinds of nodes that are true or false on the face of it.
const COMPARISONS: [&str; 10] = [
    "binary_expression",
    "unary_expression",
    "parenthesized_expression",
    "comparison_operator",
    "boolean_operator",
    "not_operator",
    "comparison_expression",
    "equality_expression",
    "conjunction_expression",
    "disjunction_expression",
];

/// The call that a name is called in, and its arguments.
fn arguments_of(name: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let around = std::iter::successors(name.parent(), Node::parent).take(2);
    around.into_iter().find_map(|call| {
        let mut cursor = call.walk();
        let arguments = call
            .child_by_field_name("arguments")
            .or_else(|| call.named_children(&mut cursor).find(|c| c.kind() == "value_arguments"))?;
        (arguments.start_byte() >= name.end_byte()).then_some((call, arguments))
    })
}

/// Whether nothing is made of a call's value but to hand on a failure.
fn stands_alone(call: Node<'_>) -> bool {
    let mut node = call;
    while let Some(outer) = node.parent() {
        match outer.kind() {
            "expression_statement" | "statements" => return true,
            // A body of Kotlin holds its statements itself; a lambda behind a call belongs to the call.
            "block" | "function_body" => return node.kind() == "call_expression",
            "try_expression" | "await_expression" | "await" | "call_expression" => node = outer,
            _ => return false,
        }
    }
    false
}

/// Whether a return hands on a failure that it was given: `return nil, err`, `return Err(e)`.
fn hands_failure_on(code: &str) -> bool {
    let code = code.trim_end_matches(';');
    let last = code.rsplit([',', ' ']).next().unwrap_or(code);
    let named = matches!(last, "err" | "error") || last.ends_with("Err");
    named || code.starts_with("return Err(")
}

/// Whether the innermost declaration around a node starts at this byte.
fn declares(node: Node<'_>, start: usize) -> bool {
    let around = std::iter::successors(node.parent(), Node::parent);
    let mut definitions = around.filter(|n| n.kind().ends_with("_definition"));
    let Some(inner) = definitions.next() else { return false };
    let decorated = definitions.next().filter(|n| n.kind() == "decorated_definition");
    inner.start_byte() == start || decorated.is_some_and(|n| n.start_byte() == start)
}

/// Whether what makes a failure is given its message: a type, or a function known to take one. Any other function may
/// make something else of its arguments.
fn takes_message(what: &str) -> bool {
    let name = what.trim_end_matches('!').rsplit([':', '.']).next().unwrap_or(what);
    name.starts_with(char::is_uppercase) || SPEAKING.contains(&name)
}

/// Functions and macros that fail with, or make an error of, the message they are given.
const SPEAKING: [&str; 30] = [
    "adhoc",
    "anyhow",
    "assert",
    "bail",
    "check",
    "checkArgument",
    "checkElementIndex",
    "checkNotNull",
    "checkPositionIndex",
    "checkState",
    "custom",
    "ensure",
    "error",
    "eyre",
    "fail",
    "format",
    "format_err",
    "from",
    "message",
    "msg",
    "new",
    "other",
    "panic",
    "require",
    "requireNonNull",
    "requireNotNull",
    "todo",
    "unimplemented",
    "unreachable",
    "with_message",
];

/// What stands before the dot that a text ends with; `?` if that is more than a path.
fn token_receiver(before: &str) -> Option<&str> {
    let path = before.strip_suffix("::").or_else(|| before.strip_suffix('.'))?;
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let start = path.rfind(|c| !is_path(c)).map_or(0, |at| at + 1);
    Some(
        path.get(start..)
            .filter(|path| path.starts_with(|c: char| c.is_alphabetic() || c == '_'))
            .unwrap_or("?"),
    )
}

/// The symbol whose inside a scope is.
fn declared_by(code: &mut Code, scope: Option<ScopeId>) -> Option<&mut Symbol> {
    let at = code.scope(scope?)?.symbol?;
    code.symbols.get_mut(at as usize)
}

/// How a member of a type that others see is declared.
fn member_header<'a>(name: &'a str, signature: &'a str, kind: SymbolKind) -> Header<'a> {
    let parent = Some((kind, true));
    Header { name, signature, parent, implements: false, export_listed: false }
}
