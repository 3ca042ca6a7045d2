//! Who calls whom: the calls of a project analysis, found by symbol.

use std::collections::HashMap;

use ouro_core::analysis::{FileFacts, ProjectAnalysis, ReferenceKind, Symbol, SymbolKind};

/// Which way calls are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// To whoever calls.
    Callers,
    /// To what is called.
    Callees,
}

/// One end of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// Index of a symbol.
    Symbol(usize),
    /// Code of the file of this index that stands in no symbol.
    TopLevel(usize),
}

/// One place where something is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) caller: Node,
    pub(crate) callee: Node,
    /// Index of the file.
    pub(crate) file: usize,
    pub(crate) line: u32,
}

impl Call {
    /// The end that following this way leads to.
    pub(crate) fn next(&self, direction: Direction) -> Node {
        match direction {
            Direction::Callers => self.caller,
            Direction::Callees => self.callee,
        }
    }
}

/// The calls of a project.
pub(crate) struct CallGraph<'a> {
    analysis: &'a ProjectAnalysis,
    calls: HashMap<Node, Vec<Call>>,
    direction: Direction,
}

impl<'a> CallGraph<'a> {
    /// Every call, by the end that `direction` starts from; the product's own before the tests', then by place.
    pub(crate) fn new(analysis: &'a ProjectAnalysis, direction: Direction) -> Self {
        let mut calls: HashMap<Node, Vec<Call>> = HashMap::new();
        for reference in analysis.references.iter().filter(|r| r.kind == ReferenceKind::Call) {
            let file = reference.from_file;
            let caller = reference.from_symbol.map_or(Node::TopLevel(file), Node::Symbol);
            let callee = Node::Symbol(reference.to);
            let call = Call { caller, callee, file, line: reference.line };
            let start = if direction == Direction::Callers { callee } else { caller };
            calls.entry(start).or_default().push(call);
        }
        let graph = Self { analysis, calls: HashMap::new(), direction };
        for calls in calls.values_mut() {
            calls.sort_by_key(|c| (graph.is_test(c.next(direction)), c.file, c.line));
            calls.dedup();
        }
        Self { calls, ..graph }
    }

    /// The calls from (or to) a node.
    pub(crate) fn calls(&self, node: Node) -> &[Call] {
        self.calls.get(&node).map(Vec::as_slice).unwrap_or_default()
    }

    /// Which way calls are followed.
    pub(crate) fn direction(&self) -> Direction {
        self.direction
    }

    /// The symbol of a node.
    pub(crate) fn symbol(&self, node: Node) -> Option<&'a Symbol> {
        match node {
            Node::Symbol(index) => self.analysis.symbols.get(index),
            Node::TopLevel(_) => None,
        }
    }

    /// The path of the file of this index.
    pub(crate) fn path(&self, file: usize) -> &'a str {
        self.analysis.files.get(file).map(|f| f.path.as_str()).unwrap_or_default()
    }

    /// Whether a node is test code.
    pub(crate) fn is_test(&self, node: Node) -> bool {
        self.symbol(node).is_some_and(|s| s.is_test)
    }

    /// A node's name with that of its type.
    pub(crate) fn name(&self, node: Node) -> String {
        match node {
            Node::TopLevel(_) => "(top level)".to_owned(),
            Node::Symbol(_) => self.symbol(node).map(|s| self.symbol_name(s)).unwrap_or_default(),
        }
    }

    fn symbol_name(&self, symbol: &Symbol) -> String {
        let language = self.analysis.file_of(symbol).map(|f| f.language.as_str());
        let joint = if language == Some("rust") { "::" } else { "." };
        match &symbol.container {
            Some(container) => format!("{container}{joint}{}", symbol.name),
            None => symbol.name.clone(),
        }
    }

    /// The name that [`CallGraph::find`] takes for exactly this symbol.
    pub(crate) fn full_name(&self, group: &[usize]) -> String {
        let symbol = group.first().and_then(|&i| self.analysis.symbols.get(i));
        let Some(symbol) = symbol else { return String::new() };
        format!("{}#{}", self.path(symbol.file), self.symbol_name(symbol))
    }

    /// The symbols that a name may mean, the most central first; declarations of the same name in the same place
    /// (overloads) are one. Takes `name`, `Type::method`, `Type.method`, `module::name`, and each after `path#`.
    pub(crate) fn find(&self, wanted: &str) -> Vec<Vec<usize>> {
        let wanted = wanted.trim().trim_end_matches("()");
        let (path, name) = match wanted.rsplit_once('#') {
            Some((path, name)) => (Some(path.trim_start_matches("./")), name),
            None => (None, wanted),
        };
        let name = name.replace("::", ".");
        let (container, name) = match name.rsplit_once('.') {
            Some((container, name)) => (container.rsplit('.').next(), name),
            None => (None, name.as_str()),
        };
        let fits = |symbol: &Symbol| {
            let file = self.analysis.file_of(symbol);
            symbol.name == name
                && path.is_none_or(|p| file.is_some_and(|f| ends_with_path(&f.path, p)))
                && container.is_none_or(|c| belongs_to(symbol, file, c))
        };
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (index, symbol) in self.analysis.symbols.iter().enumerate().filter(|(_, s)| fits(s)) {
            let same = |group: &&mut Vec<usize>| {
                group.first().and_then(|&i| self.analysis.symbols.get(i)).is_some_and(|other| {
                    other.file == symbol.file && other.container == symbol.container
                })
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.push(index),
                None => groups.push(vec![index]),
            }
        }
        groups.sort_by(|a, b| self.weight(b).total_cmp(&self.weight(a)));
        groups
    }

    /// What comes first among symbols of one name: no tests, then whatever has calls, then the central.
    fn weight(&self, group: &[usize]) -> f32 {
        let of = |&i: &usize| {
            let node = Node::Symbol(i);
            let test = if self.is_test(node) { -4.0 } else { 0.0 };
            let calls = if self.calls(node).is_empty() { 0.0 } else { 2.0 };
            test + calls + self.symbol(node).map_or(0.0, |s| s.centrality)
        };
        group.iter().map(of).fold(f32::MIN, f32::max)
    }

    /// The methods of a type.
    pub(crate) fn methods(&self, node: Node) -> Vec<&'a str> {
        let Some(owner) = self.symbol(node) else { return Vec::new() };
        let is_type = !matches!(owner.kind, SymbolKind::Function | SymbolKind::Method);
        let methods = self.analysis.symbols.iter().filter(|s| {
            is_type && s.kind == SymbolKind::Method && s.container.as_deref() == Some(&owner.name)
        });
        methods.map(|s| s.name.as_str()).collect()
    }

    /// Every name that could be asked for.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.analysis.symbols.iter().map(|s| s.name.as_str())
    }
}

/// Whether `path` is `wanted` or ends with it at a folder's border.
fn ends_with_path(path: &str, wanted: &str) -> bool {
    path.strip_suffix(wanted).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Whether a symbol is of this type, or stands in a file or folder of this name.
fn belongs_to(symbol: &Symbol, file: Option<&FileFacts>, container: &str) -> bool {
    let own = symbol.container.as_deref().map(|c| c.rsplit(['.', ':']).next().unwrap_or(c));
    if own == Some(container) {
        return true;
    }
    let in_path = |part: &str| part == container || part.split('.').next() == Some(container);
    symbol.container.is_none() && file.is_some_and(|f| f.path.split('/').any(in_path))
}
