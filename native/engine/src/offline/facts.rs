//! The analysis, indexed for questions: who owns, calls, implements and tests what.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::{Arc, OnceLock},
};

use ouro_core::{
    ProjectAnalysis,
    analysis::{FileFacts, FileRole, Reference, ReferenceKind, Symbol, SymbolKind},
};

use super::inquiry::Part;

/// An index into [`ProjectAnalysis::symbols`].
pub(crate) type SymbolId = usize;

/// An analysis with its lookups. Built once for each scan.
#[derive(Debug)]
pub(crate) struct Facts {
    analysis: Arc<ProjectAnalysis>,
    incoming: Vec<Vec<usize>>,
    outgoing: Vec<Vec<usize>>,
    members: Vec<Vec<SymbolId>>,
    /// The symbols of each file.
    in_file: Vec<Vec<SymbolId>>,
    owners: Vec<Option<SymbolId>>,
    keys: Vec<String>,
    /// The names of what product code raises.
    raised: HashSet<String>,
    /// The types by worth, ranked when first asked for.
    ranked: OnceLock<Vec<SymbolId>>,
    /// The parts of the overview, chosen when first asked for.
    parts: OnceLock<Vec<Part>>,
    /// How often the introductions name a word, counted when first asked for.
    introduced: OnceLock<HashMap<String, usize>>,
    /// The product files that speak for their packages.
    roots: Vec<usize>,
}

impl Facts {
    /// Indexes an analysis.
    pub(crate) fn new(analysis: Arc<ProjectAnalysis>) -> Self {
        let count = analysis.symbols.len();
        let mut incoming = vec![Vec::new(); count];
        let mut outgoing = vec![Vec::new(); count];
        for (index, reference) in analysis.references.iter().enumerate() {
            if let Some(list) = incoming.get_mut(reference.to) {
                list.push(index);
            }
            if let Some(list) = reference.from_symbol.and_then(|s| outgoing.get_mut(s)) {
                list.push(index);
            }
        }
        let mut in_file = vec![Vec::new(); analysis.files.len()];
        for (id, symbol) in analysis.symbols.iter().enumerate() {
            if let Some(list) = in_file.get_mut(symbol.file) {
                list.push(id);
            }
        }
        let speaks =
            |f: &FileFacts| f.role == FileRole::Source && super::inquiry::is_root_file(&f.path);
        let files = analysis.files.iter().enumerate();
        let roots = files.filter(|(_, f)| speaks(f)).map(|(index, _)| index).collect();
        let owners = owners(&analysis);
        let mut members = vec![Vec::new(); count];
        for (id, owner) in owners.iter().enumerate() {
            if let Some(list) = owner.and_then(|o| members.get_mut(o)) {
                list.push(id);
            }
        }
        let keys = keys(&analysis);
        let sites = analysis.symbols.iter().filter(|s| !s.is_test).flat_map(|s| &s.failures);
        let raised =
            sites.filter_map(|f| f.what.rsplit([':', '.']).next().map(str::to_owned)).collect();
        Self {
            analysis,
            incoming,
            outgoing,
            members,
            in_file,
            owners,
            keys,
            raised,
            ranked: OnceLock::new(),
            parts: OnceLock::new(),
            introduced: OnceLock::new(),
            roots,
        }
    }

    /// The analysis itself.
    pub(crate) fn analysis(&self) -> &ProjectAnalysis {
        &self.analysis
    }

    /// The types worth a record, the most central first.
    pub(crate) fn types(&self) -> &[SymbolId] {
        self.ranked.get_or_init(|| super::inquiry::rank_types(self))
    }

    /// The parts of the code that matter most.
    pub(crate) fn parts(&self) -> &[Part] {
        self.parts.get_or_init(|| super::inquiry::choose_parts(self))
    }

    /// The product files that speak for their packages, in the order of the files.
    pub(crate) fn roots(&self) -> impl Iterator<Item = &FileFacts> {
        self.roots.iter().filter_map(|index| self.analysis.files.get(*index))
    }

    /// The symbols of a file.
    pub(crate) fn ids_in(&self, file: usize) -> impl Iterator<Item = (SymbolId, &Symbol)> {
        let list = self.in_file.get(file).map_or(&[][..], Vec::as_slice);
        list.iter().filter_map(|id| Some((*id, self.analysis.symbols.get(*id)?)))
    }

    /// What the project is called: by its manifest, else by the title of its README, else by its folder.
    pub(crate) fn name(&self) -> &str {
        let analysis = &self.analysis;
        let named = analysis.manifests.iter().any(|m| !m.path.contains('/') && m.name.is_some())
            || analysis
                .manifests
                .iter()
                .any(|m| m.name.as_ref().is_some_and(|n| n.text == analysis.name));
        let readme =
            analysis.documents.iter().find(|d| d.path.to_lowercase().starts_with("readme"));
        let title = readme.and_then(|d| d.title.as_ref()).map(|t| t.text.trim());
        let title = title.filter(|t| {
            t.split_whitespace().count() <= 3
                && t.chars().all(|c| c.is_alphanumeric() || " -_.".contains(c))
        });
        match title {
            Some(title) if !named && !title.is_empty() => title,
            _ => &analysis.name,
        }
    }

    /// How often the project's introduction and the documentation of its root files name a word.
    pub(crate) fn mentions(&self, name: &str) -> usize {
        let count = || {
            let prose =
                self.analysis.documents.iter().take(1).filter_map(|d| d.introduction.as_ref());
            let shallow = self.roots().filter(|f| f.path.matches('/').count() <= 2);
            let roots = shallow.filter_map(|f| f.doc.as_ref()).take(3);
            let mut counts: HashMap<String, usize> = HashMap::new();
            for text in prose.chain(roots) {
                for word in text.text.split(|c: char| !c.is_alphanumeric() && c != '_') {
                    *counts.entry(word.to_owned()).or_default() += 1;
                }
            }
            counts
        };
        self.introduced.get_or_init(count).get(name).copied().unwrap_or(0)
    }

    /// Whether a file only helps to test: doubles and fixtures that are no tests themselves.
    pub(crate) fn is_test_help(path: &str) -> bool {
        path.split('/').any(|part| {
            let stem = part.split('.').next().unwrap_or(part);
            [
                "testkit",
                "testutil",
                "test_util",
                "test_utils",
                "test_helpers",
                "test_helper",
                "testhelpers",
                "testing",
                "testutils",
                "mock",
                "mocks",
                "fixtures",
            ]
            .contains(&stem)
        })
    }

    /// Whether this index was made of that analysis.
    pub(crate) fn is_of(&self, analysis: &Arc<ProjectAnalysis>) -> bool {
        Arc::ptr_eq(&self.analysis, analysis)
    }

    pub(crate) fn symbol(&self, id: SymbolId) -> Option<&Symbol> {
        self.analysis.symbols.get(id)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = (SymbolId, &Symbol)> {
        self.analysis.symbols.iter().enumerate()
    }

    pub(crate) fn file(&self, id: SymbolId) -> Option<&FileFacts> {
        self.analysis.file_of(self.symbol(id)?)
    }

    /// The path of the file a symbol stands in; empty for an index that is none.
    pub(crate) fn path(&self, id: SymbolId) -> &str {
        self.file(id).map_or("", |f| f.path.as_str())
    }

    /// The module a symbol's file belongs to.
    pub(crate) fn module_of(&self, id: SymbolId) -> &str {
        let module = self.file(id).and_then(|f| self.analysis.modules.get(f.module));
        module.map_or("", |m| m.path.as_str())
    }

    /// Whether the symbol is part of the product: no test, example, generated or copied code.
    pub(crate) fn is_product(&self, id: SymbolId) -> bool {
        self.symbol(id).is_some_and(|s| !s.is_test)
            && self.file(id).is_some_and(|f| f.role == FileRole::Source)
    }

    /// The functions, constants and nested types of a type.
    pub(crate) fn members(&self, id: SymbolId) -> &[SymbolId] {
        self.members.get(id).map_or(&[], Vec::as_slice)
    }

    /// The type a symbol belongs to.
    pub(crate) fn owner(&self, id: SymbolId) -> Option<SymbolId> {
        self.owners.get(id).copied().flatten()
    }

    /// Every place that uses a symbol.
    pub(crate) fn incoming(&self, id: SymbolId) -> impl Iterator<Item = &Reference> {
        let list = self.incoming.get(id).map_or(&[][..], Vec::as_slice);
        list.iter().filter_map(|i| self.analysis.references.get(*i))
    }

    /// Everything a symbol's body uses, by line.
    pub(crate) fn outgoing(&self, id: SymbolId) -> Vec<&Reference> {
        let list = self.outgoing.get(id).map_or(&[][..], Vec::as_slice);
        let mut list: Vec<_> =
            list.iter().filter_map(|i| self.analysis.references.get(*i)).collect();
        list.sort_by_key(|r| (r.line, r.to));
        list
    }

    /// Places in product code outside the symbol's own type that call or construct it, the most central caller first,
    /// one for each calling symbol.
    pub(crate) fn callers(&self, id: SymbolId) -> Vec<&Reference> {
        let own = self.owner(id).unwrap_or(id);
        let mut seen = BTreeSet::new();
        let mut found: Vec<&Reference> = self
            .incoming(id)
            .filter(|r| r.kind == ReferenceKind::Call)
            .filter(|r| {
                r.from_symbol.is_some_and(|from| {
                    self.is_product(from) && from != id && self.owner(from).unwrap_or(from) != own
                })
            })
            .filter(|r| seen.insert(r.from_symbol))
            .collect();
        found.sort_by(|a, b| {
            let weight = |r: &Reference| {
                let from = r.from_symbol.unwrap_or_default();
                self.weight(from)
                    + if r.from_file == self.symbol(id).map_or(0, |s| s.file) { 0.0 } else { 1.0 }
            };
            weight(b)
                .total_cmp(&weight(a))
                .then_with(|| (a.from_file, a.line).cmp(&(b.from_file, b.line)))
        });
        found
    }

    /// Tests that use the symbol, or a function of it, in the order of the files.
    pub(crate) fn tests_of(&self, id: SymbolId) -> Vec<SymbolId> {
        let mut tests: BTreeSet<SymbolId> = BTreeSet::new();
        let members = self.members(id).iter().copied().filter(|m| !self.is_common_name(*m));
        for target in std::iter::once(id).chain(members) {
            let from = self.incoming(target).filter_map(|r| r.from_symbol);
            tests.extend(from.filter(|f| self.is_test_function(*f)));
        }
        tests.into_iter().collect()
    }

    /// Whether it is a test itself, not a helper of tests: it is called so, or takes nothing.
    pub(crate) fn is_test_function(&self, id: SymbolId) -> bool {
        self.symbol(id).is_some_and(|s| {
            let name = s.name.to_ascii_lowercase();
            let rest = ["test", "example"].iter().find_map(|p| name.strip_prefix(p));
            let camel = rest.is_some() && s.name.chars().skip(4).any(char::is_uppercase);
            let named = rest.is_some_and(|r| r.is_empty() || r.starts_with('_')) || camel;
            let takes_nothing = s.signature.contains("()")
                && (s.name.contains('_') || s.name.len() > 8)
                && !s.exported
                && (!s.signature.contains("->") || s.signature.contains("Result"))
                && self.incoming(id).next().is_none();
            s.is_test && is_callable(s.kind) && (named || takes_nothing)
        })
    }

    /// Types that extend or implement this one, product code only, the most central first.
    pub(crate) fn implementors(&self, id: SymbolId) -> Vec<&Reference> {
        let mut seen = BTreeSet::new();
        let mut found: Vec<_> = self
            .incoming(id)
            .filter(|r| r.kind == ReferenceKind::Extends)
            .filter(|r| r.from_symbol.is_some_and(|f| self.is_product(f) && f != id))
            .filter(|r| seen.insert(r.from_symbol))
            .collect();
        found.sort_by(|a, b| {
            let weight = |r: &Reference| r.from_symbol.map_or(0.0, |f| self.weight(f));
            weight(b).total_cmp(&weight(a)).then(a.from_symbol.cmp(&b.from_symbol))
        });
        found
    }

    /// The types that a type declares to extend or implement.
    pub(crate) fn parents(&self, id: SymbolId) -> impl Iterator<Item = SymbolId> {
        let extends = |r: &&Reference| r.kind == ReferenceKind::Extends && r.to != id;
        self.outgoing(id).into_iter().filter(extends).map(|r| r.to).collect::<Vec<_>>().into_iter()
    }

    /// How much a symbol matters: its own centrality, its documentation, and the names that lead to it.
    pub(crate) fn weight(&self, id: SymbolId) -> f32 {
        let Some(symbol) = self.symbol(id) else { return 0.0 };
        let documented =
            symbol.doc.as_ref().map_or(0.0, |d| (d.text.len().min(600) as f32) / 600.0);
        let exported = if symbol.exported { 0.15 } else { 0.0 };
        symbol.centrality + 0.25 * documented + exported
    }

    /// Whether a type stands for a failure: by its name, or by what it extends.
    pub(crate) fn is_failure(&self, id: SymbolId) -> bool {
        self.fails_within(id, 4)
    }

    fn fails_within(&self, id: SymbolId, depth: u32) -> bool {
        let Some(symbol) = self.symbol(id).filter(|s| is_type(s.kind)) else { return false };
        let named = ["Error", "Exception", "ErrorKind", "Warning", "ErrorCode"];
        let thrown = symbol.kind == SymbolKind::Class && self.raised.contains(&symbol.name);
        if thrown || named.iter().any(|n| symbol.name.ends_with(n)) {
            return true;
        }
        depth > 0
            && self.outgoing(id).iter().any(|r| {
                r.kind == ReferenceKind::Extends && r.to != id && self.fails_within(r.to, depth - 1)
            })
    }

    /// The failure type of the project that this one derives from in the end; itself, if from none.
    pub(crate) fn root_failure(&self, id: SymbolId) -> SymbolId {
        let mut at = id;
        for _ in 0..6 {
            let parent = self.outgoing(at).into_iter().find(|r| {
                r.kind == ReferenceKind::Extends
                    && r.to != at
                    && self.is_product(r.to)
                    && self.is_failure(r.to)
            });
            match parent {
                Some(parent) => at = parent.to,
                None => break,
            }
        }
        at
    }

    /// Whether a type bears the project's name.
    pub(crate) fn is_namesake(&self, name: &str) -> bool {
        let plain = |text: &str| text.to_lowercase().replace(['-', '_', '.'], "");
        let (project, name) = (plain(self.name()), plain(name));
        name == project
            || (project.len() > 2 && name.starts_with(&project) && name.len() < project.len() * 3)
    }

    /// How many other product types a type and its functions call on.
    pub(crate) fn reach(&self, id: SymbolId) -> usize {
        let mut reached = BTreeSet::new();
        for from in std::iter::once(id).chain(self.members(id).iter().copied()) {
            for reference in self.outgoing(from) {
                let target = self.owner(reference.to).unwrap_or(reference.to);
                let typ = self.symbol(target).is_some_and(|s| is_type(s.kind));
                if typ && target != id && self.is_product(target) {
                    reached.insert(target);
                }
            }
        }
        reached.len()
    }

    /// Whether the file that stands for the package imports it from elsewhere: it is part of what the package offers.
    pub(crate) fn is_reexported(&self, id: SymbolId) -> bool {
        self.incoming(id).any(|r| {
            let from = self.analysis.files.get(r.from_file).map_or("", |f| f.path.as_str());
            let name = from.rsplit('/').next().unwrap_or(from);
            let root = matches!(
                name,
                "__init__.py" | "lib.rs" | "index.js" | "index.ts" | "index.mjs" | "mod.rs"
            );
            root && r.kind == ReferenceKind::Import
        })
    }

    /// Whether calls of this name may well mean something else: a name that several symbols share, or that the
    /// language's own collections have.
    pub(crate) fn is_common_name(&self, id: SymbolId) -> bool {
        let Some(symbol) = self.symbol(id) else { return true };
        let method = symbol.kind == SymbolKind::Method;
        method && COMMON.split_whitespace().any(|w| w == symbol.name.to_ascii_lowercase())
    }

    /// The name of a symbol with the type it belongs to, as its language writes it.
    pub(crate) fn label(&self, id: SymbolId) -> String {
        let Some(symbol) = self.symbol(id) else { return String::new() };
        let join = if self.file(id).is_some_and(|f| f.language == "rust") { "::" } else { "." };
        match symbol.container.as_deref().filter(|c| !c.is_empty() && is_callable(symbol.kind)) {
            Some(container) if symbol.name == "constructor" => format!("new {container}"),
            Some(container)
                if container == symbol.name
                    && self.file(id).is_some_and(|f| matches!(&*f.language, "java" | "kotlin")) =>
            {
                format!("new {container}")
            }
            Some(container) => format!("{container}{join}{}", symbol.name),
            None => symbol.name.clone(),
        }
    }

    /// `path#Container.name`: what names a symbol in a topic; further ones of the same name have `~2` and so on.
    pub(crate) fn key(&self, id: SymbolId) -> String {
        self.keys.get(id).cloned().unwrap_or_default()
    }

    /// The symbol that [`Facts::key`] names.
    pub(crate) fn find(&self, key: &str) -> Option<SymbolId> {
        self.keys.iter().position(|k| k == key)
    }

    /// What two declarations of one thing share: a header and its code, or the same type for several platforms.
    pub(crate) fn identity(&self, id: SymbolId) -> (String, String) {
        let name = self.symbol(id).map_or("", |s| s.name.as_str());
        let file = self.path(id).rsplit('/').next().unwrap_or_default();
        let kotlin = file.ends_with(".kt");
        let stem = file.split('.').next().unwrap_or(file);
        let place = if kotlin { stem.to_owned() } else { self.path(id).to_owned() };
        (name.to_owned(), if file.ends_with(".d.ts") { String::new() } else { place })
    }

    /// Whether it is a type, or an object that functions are attached to.
    pub(crate) fn is_thing(&self, id: SymbolId) -> bool {
        self.symbol(id).is_some_and(|s| {
            is_type(s.kind) || (s.container.is_none() && self.members(id).len() >= 3)
        })
    }

    /// The product type or function with this name that matters most.
    pub(crate) fn find_name(&self, name: &str) -> Option<SymbolId> {
        let plain = name.rsplit(['.', ':']).next().unwrap_or(name);
        self.ids()
            .filter(|(id, s)| (self.label(*id) == name || s.name == plain) && self.is_product(*id))
            .max_by(|(a, _), (b, _)| self.weight(*a).total_cmp(&self.weight(*b)).then(b.cmp(a)))
            .map(|(id, _)| id)
    }
}

/// Methods that standard types have as well.
const COMMON: &str = "\
    get set put add update pop push remove delete clear close open read write flush copy clone items keys values \
    append extend insert contains len length size count next iter map filter find sort join split format replace \
    strip trim encode decode index start stop run send recv call apply bind then catch toString equals hashCode \
    compareTo from into unwrap expect as_str to_string is_empty first last min max take skip eq cmp hash fmt drop \
    name value key text json ok data type id path url body header headers status content result error message lock load store wait match end seek tell reset";

/// Whether it is a function of some kind.
pub(crate) fn is_callable(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Function | SymbolKind::Method)
}

/// Whether it is a type with a body of its own.
pub(crate) fn is_type(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Class | SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Interface
    )
}

/// What names each symbol.
fn keys(analysis: &ProjectAnalysis) -> Vec<String> {
    let mut seen: HashMap<String, u32> = HashMap::new();
    let name = |s: &Symbol| {
        let path = analysis.file_of(s).map_or("", |f| f.path.as_str());
        match s.container.as_deref().filter(|c| !c.is_empty()) {
            Some(container) => format!("{path}#{container}.{}", s.name),
            None => format!("{path}#{}", s.name),
        }
    };
    let mut number = |key: String| {
        let count = seen.entry(key.clone()).or_default();
        *count += 1;
        if *count == 1 { key } else { format!("{key}~{count}") }
    };
    analysis.symbols.iter().map(|s| number(name(s))).collect()
}

/// The type each symbol belongs to: by name, in the same file, else the same module, else the only one in the project.
fn owners(analysis: &ProjectAnalysis) -> Vec<Option<SymbolId>> {
    let mut types: HashMap<&str, Vec<SymbolId>> = HashMap::new();
    for (id, symbol) in analysis.symbols.iter().enumerate().filter(|(_, s)| is_type(s.kind)) {
        types.entry(symbol.name.as_str()).or_default().push(id);
    }
    // JavaScript attaches functions to plain objects and to functions.
    for (id, symbol) in analysis.symbols.iter().enumerate().filter(|(_, s)| s.container.is_none()) {
        if matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Function) {
            types.entry(symbol.name.as_str()).or_insert_with(|| vec![id]);
        }
    }
    let module = |file: usize| analysis.files.get(file).map(|f| f.module);
    analysis
        .symbols
        .iter()
        .map(|symbol| {
            let container = symbol.container.as_deref()?;
            let name = container.rsplit(['.', ':']).next().unwrap_or(container);
            let candidates = types.get(name)?;
            let file_of = |id: &&SymbolId| analysis.symbols.get(**id).map(|s| s.file);
            candidates
                .iter()
                .find(|id| file_of(id) == Some(symbol.file))
                .or_else(|| {
                    candidates.iter().find(|id| file_of(id).and_then(module) == module(symbol.file))
                })
                .or_else(|| candidates.first().filter(|_| candidates.len() == 1))
                .copied()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use ouro_core::analysis::{CitedText, Document};
    use proptest::prelude::*;

    use super::*;

    fn introduced_by(introduction: &str) -> ProjectAnalysis {
        let text = CitedText { text: introduction.to_owned(), ..CitedText::default() };
        ProjectAnalysis {
            documents: vec![Document { introduction: Some(text), ..Document::default() }],
            ..ProjectAnalysis::default()
        }
    }

    proptest! {
        #[test]
        fn a_word_of_the_introduction_is_counted_as_a_whole_word(text in "([ab_]{1,2}[ .]){0,8}") {
            let facts = Facts::new(Arc::new(introduced_by(&text)));
            for word in ["a", "b", "ab", "a_", "c"] {
                let count = text.split([' ', '.']).filter(|w| *w == word).count();
                prop_assert_eq!(facts.mentions(word), count);
            }
        }
    }
}
