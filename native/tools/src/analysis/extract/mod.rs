//! Turns the marks that a query leaves on a file's tree into [`Code`].

mod declarations;
mod uses;

use std::{borrow::Cow, collections::HashSet, ops::Range};

use ouro_core::analysis::{Reached, SymbolKind};
use tree_sitter::Node;

use super::{
    budget::{Budget, Unparsed, Watch},
    captures::{self, Match, Role},
    code::{Code, ScopeId, StringId, Strings},
    comments::{Remark, Remarks},
    expression::type_path,
    reach::Branches,
};
use crate::languages::Language;

/// Longest expression whose type is followed, in bytes.
const MAX_EXPRESSION: usize = 600;

/// What one file in this language says.
pub(super) fn extract(
    language: &'static Language,
    text: &str,
    watch: Watch<'_>,
) -> Result<Code, Unparsed> {
    // The query is compiled for all files of the language: on a busy machine that takes longer than the first may.
    let Some(query) = language.compiled() else { return Err(Unparsed::TooComplex) };
    let budget = Budget::new(watch, text.len());
    let tree = captures::parse(&(language.grammar)(), text, &budget)?;
    let mut marks = Marks::default();
    captures::matches(query, &tree, text, &budget, |found| marks.sort_in(found))?;
    let branches = Branches::of(&tree, text);
    Ok(Extractor::new(language, text, marks, branches).run())
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
    modules: Vec<Node<'t>>,
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
            Role::Module => self.modules.push(found.node),
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
    branches: Branches,
    /// Bytes where a name is declared, which is no use of it.
    declared_at: HashSet<usize>,
}

impl<'t> Extractor<'t> {
    fn new(
        language: &'static Language,
        text: &'t str,
        marks: Marks<'t>,
        branches: Branches,
    ) -> Self {
        let comments = marks.comments.iter().map(|node| (node, false));
        let attributes = marks.attributes.iter().map(|node| (node, true));
        let all =
            comments.chain(attributes).filter_map(|(node, is)| remark(text, *node, is)).collect();
        let remarks = Remarks::new(text, all, language);
        Self {
            language,
            text,
            marks,
            remarks,
            strings: Strings::default(),
            code: Code::default(),
            places: Vec::new(),
            branches,
            declared_at: HashSet::new(),
        }
    }

    fn run(mut self) -> Code {
        self.declarations();
        self.docstrings();
        self.members();
        self.locals();
        self.failures();
        self.exits();
        self.references();
        self.imports();
        let open = self.marks.modules.iter().map(|node| self.slice(*node));
        let open = open.filter_map(|text| text.strip_prefix("pub mod ")?.strip_suffix(';'));
        self.code.open_modules = open.map(|name| name.trim().into()).collect();
        self.code.package = self.marks.package.map(|node| self.slice(node).trim().into());
        self.code.default_export =
            self.marks.default_export.map(|node| self.strings.id(self.slice(node)));
        self.code.main_guard = self.marks.main.map(first_line);
        let first = self.places.first().map_or(self.text.len(), |p| p.start);
        if self.code.doc.is_none() {
            let package =
                self.marks.package.and_then(|node| self.remarks.above(node.start_byte(), true).0);
            self.code.doc = package
                .or_else(|| self.remarks.enclosing(0, first))
                .or_else(|| self.remarks.leading(first));
        }
        self.code.strings = self.strings.into_list();
        self.code.shrink();
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

    /// How a node is reached within the declaration that it stands in.
    fn reached(&self, node: Node<'_>) -> Reached {
        self.reached_at(&node.byte_range())
    }

    /// How a place is reached within the declaration that it stands in.
    fn reached_at(&self, place: &Range<usize>) -> Reached {
        let scopes = self.code.scopes_outwards(self.scope_at(place.start));
        let mut symbols = scopes.filter(|(_, scope)| scope.symbol.is_some());
        let around = symbols.next().and_then(|(id, _)| self.places.get(id as usize));
        self.branches.reached(around.map_or(0, |p| p.start), place.start, place.end)
    }

    /// The symbol that a scope is, or stands in.
    fn symbol_around(&self, scope: Option<ScopeId>) -> Option<usize> {
        self.code
            .scopes_outwards(scope)
            .find_map(|(_, scope)| scope.symbol)
            .map(|symbol| symbol as usize)
    }

    /// The path of a declared type; `?` if it is more than a path.
    fn type_of(&mut self, node: Node<'t>) -> StringId {
        let unreadable = self.strings.id("?");
        self.path_of(node, type_path).unwrap_or(unreadable)
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
}

/// Whether symbols of this kind have members.
pub(super) fn is_type(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Class | SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Interface
    )
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

fn remark<'t>(text: &'t str, node: Node<'_>, is_attribute: bool) -> Option<Remark<'t>> {
    Some(Remark {
        text: text.get(node.byte_range())?,
        start: node.start_byte(),
        end: node.end_byte(),
        start_line: first_line(node),
        end_line: last_line(text, node),
        is_attribute,
    })
}
