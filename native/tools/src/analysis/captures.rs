//! Runs a language's query over a file's tree, within bounds.

use ouro_core::analysis::SymbolKind;
use tree_sitter::{
    Node, ParseOptions, Parser, Query, QueryCursor, QueryCursorOptions, StreamingIterator, Tree,
};

use super::budget::{Budget, Unparsed};

/// What a capture marks; the table in [`crate::languages`] explains each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Def(SymbolKind),
    TypeScope,
    TraitScope,
    Namespace,
    Anonymous,
    Member,
    Field,
    Local,
    Call,
    Extends,
    Use,
    CapitalUse,
    Token,
    Failure,
    Comment,
    Attribute,
    Docstring,
    Import,
    Module,
    Export,
    DefaultExport,
    Package,
    Main,
    Name,
    Body,
    Container,
    Returns,
    Type,
    Value,
    Receiver,
    What,
}

impl Role {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "def.function" => Self::Def(SymbolKind::Function),
            "def.method" => Self::Def(SymbolKind::Method),
            "def.class" => Self::Def(SymbolKind::Class),
            "def.struct" => Self::Def(SymbolKind::Struct),
            "def.enum" => Self::Def(SymbolKind::Enum),
            "def.interface" => Self::Def(SymbolKind::Interface),
            "def.type" => Self::Def(SymbolKind::TypeAlias),
            "def.constant" => Self::Def(SymbolKind::Constant),
            "def.macro" => Self::Def(SymbolKind::Macro),
            "scope.type" => Self::TypeScope,
            "scope.trait" => Self::TraitScope,
            "scope.namespace" => Self::Namespace,
            "scope.anonymous" => Self::Anonymous,
            "member" => Self::Member,
            "field" => Self::Field,
            "local" => Self::Local,
            "call" => Self::Call,
            "extends" => Self::Extends,
            "use" => Self::Use,
            "use.capital" => Self::CapitalUse,
            "token" => Self::Token,
            "failure" => Self::Failure,
            "comment" => Self::Comment,
            "attribute" => Self::Attribute,
            "docstring" => Self::Docstring,
            "import" => Self::Import,
            "module" => Self::Module,
            "export" => Self::Export,
            "export.default" => Self::DefaultExport,
            "package" => Self::Package,
            "main" => Self::Main,
            "name" => Self::Name,
            "body" => Self::Body,
            "container" => Self::Container,
            "returns" => Self::Returns,
            "type" => Self::Type,
            "value" => Self::Value,
            "receiver" => Self::Receiver,
            "what" => Self::What,
            _ => return None,
        })
    }

    /// Whether it only adds to another capture of its match.
    fn is_detail(self) -> bool {
        matches!(
            self,
            Self::Name
                | Self::Body
                | Self::Container
                | Self::Returns
                | Self::Type
                | Self::Value
                | Self::Receiver
                | Self::What
        )
    }
}

/// One match of a query: what it marks, and the details.
#[derive(Debug, Clone)]
pub(super) struct Match<'t, 'l> {
    /// What it marks.
    pub role: Role,
    /// The node it marks.
    pub node: Node<'t>,
    /// A word that belongs before the signature.
    pub prefix: Option<&'l str>,
    details: Vec<(Role, Node<'t>)>,
}

impl<'t> Match<'t, '_> {
    /// How much is known of the node.
    pub(super) fn details(&self) -> usize {
        self.details.len()
    }

    /// Adds the details of another match of the same node.
    pub(super) fn absorb(&mut self, other: Self) {
        self.prefix = self.prefix.or(other.prefix);
        self.details.extend(other.details);
    }

    /// The node of a detail.
    pub(super) fn detail(&self, role: Role) -> Option<Node<'t>> {
        self.details.iter().find(|(r, _)| *r == role).map(|(_, node)| *node)
    }
}

/// Deepest nesting of a file that is looked into.
const MAX_DEPTH: u32 = 1_000;
/// Most marks without a name in a row.
const MAX_MARKS: u32 = 1_000;
/// Half-finished matches kept at a time: bounds the work on deeply nested files.
const MATCH_LIMIT: u32 = 1_000;

/// Whether more brackets are open at once than in any sensible file. With so many, the parser's search for a way to
/// go on after an error may take all memory there is.
fn is_overnested(text: &str) -> bool {
    let (mut brackets, mut angles) = (0_u32, 0_u32);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => brackets += 1,
            b')' | b']' | b'}' => brackets = brackets.saturating_sub(1),
            b'<' => angles += 1,
            b'>' => angles = angles.saturating_sub(1),
            _ => {}
        }
        // `<` is also an operator, but not many times in one statement.
        if matches!(byte, b';' | b'{' | b'}') {
            angles = 0;
        }
        if brackets > MAX_DEPTH || angles > MAX_DEPTH {
            return true;
        }
    }
    false
}

/// Parses a text.
pub(super) fn parse(
    grammar: &tree_sitter::Language,
    text: &str,
    budget: &Budget<'_>,
) -> Result<Tree, Unparsed> {
    if is_overnested(text) {
        return Err(Unparsed::TooComplex);
    }
    let mut parser = Parser::new();
    if parser.set_language(grammar).is_err() {
        return Err(Unparsed::TooComplex);
    }
    let bytes = text.as_bytes();
    let tree = parser.parse_with_options(
        &mut |at, _| bytes.get(at..).unwrap_or_default(),
        None,
        Some(ParseOptions::new().progress_callback(&mut |state| budget.spend(state.has_error()))),
    );
    budget.outcome()?;
    tree.filter(|tree| !is_misshapen(tree)).ok_or(Unparsed::TooComplex)
}

/// Whether a query over this tree would take long: its cost for each node grows with the depth, and with the number of
/// marks without a name (brackets, commas) that follow before the next node with one.
fn is_misshapen(tree: &Tree) -> bool {
    let mut cursor = tree.walk();
    let mut marks = 0;
    loop {
        marks = if cursor.node().is_named() { 0 } else { marks + 1 };
        if cursor.depth() > MAX_DEPTH || marks > MAX_MARKS {
            return true;
        }
        if cursor.goto_first_child() {
            marks = 0;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            marks = 0;
        }
    }
}

/// Runs a query and hands each match to `each`.
pub(super) fn matches<'t>(
    query: &'static Query,
    tree: &'t Tree,
    text: &str,
    budget: &Budget<'_>,
    mut each: impl FnMut(Match<'t, 'static>),
) -> Result<(), Unparsed> {
    let roles: Vec<Option<Role>> = query.capture_names().iter().map(|n| Role::named(n)).collect();
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCH_LIMIT);
    let mut spend = |_: &_| budget.spend(false);
    let mut found = cursor.matches_with_options(
        query,
        tree.root_node(),
        text.as_bytes(),
        QueryCursorOptions::new().progress_callback(&mut spend),
    );
    while let Some(one) = found.next() {
        let captures = || {
            one.captures().iter().filter_map(|capture| {
                let role = roles.get(capture.index as usize).copied().flatten()?;
                Some((role, capture.node))
            })
        };
        let Some((role, node)) = captures().find(|(role, _)| !role.is_detail()) else { continue };
        let details = captures().filter(|(role, _)| role.is_detail()).collect();
        let prefix = query
            .property_settings(one.pattern_index)
            .iter()
            .find(|property| &*property.key == "prefix")
            .and_then(|property| property.value.as_deref());
        each(Match { role, node, prefix, details });
    }
    budget.outcome()
}
