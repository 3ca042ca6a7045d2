//! The analysis, indexed for questions.
//!
//! - here: the index and what a symbol is;
//! - [`relations`]: who calls, extends, tests and shows whom;
//! - [`names`]: what things are called, and finding them by that;
//! - [`failures`]: which types stand for a failure, and what errors say;
//! - [`packages`]: what the code calls of the packages it asks for.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::{Arc, OnceLock},
};

use ouro_core::{
    ProjectAnalysis,
    analysis::{CitedText, FileFacts, FileRole, Member, Reference, Symbol, SymbolKind},
};

use super::inquiry::Part;

mod failures;
mod names;
mod packages;
mod relations;

pub(crate) use names::is_readme;
pub(crate) use packages::is_part_of;
pub(crate) use relations::Heir;

/// An index into [`ProjectAnalysis::symbols`].
pub(crate) type SymbolId = usize;

/// An analysis with its lookups. Built once for each scan.
#[derive(Debug)]
pub(crate) struct Facts {
    analysis: Arc<ProjectAnalysis>,
    incoming: Vec<Vec<usize>>,
    outgoing: Vec<Vec<usize>>,
    /// The calls of other packages in each symbol.
    outside: Vec<Vec<usize>>,
    members: Vec<Vec<SymbolId>>,
    /// The symbols of each file.
    in_file: Vec<Vec<SymbolId>>,
    owners: Vec<Option<SymbolId>>,
    keys: Vec<String>,
    /// The names that several types of the product share.
    shared_names: HashSet<String>,
    /// The names of what product code raises.
    raised: HashSet<String>,
    /// The errors that are made before anything fails.
    made: Vec<SymbolId>,
    /// The types by worth, ranked when first asked for.
    ranked: OnceLock<Vec<SymbolId>>,
    /// The parts of the overview, chosen when first asked for.
    parts: OnceLock<Vec<Part>>,
    /// The types of Go by their functions, gathered when first asked for.
    go_functions: OnceLock<HashMap<relations::Form, BTreeSet<SymbolId>>>,
    /// How often the introductions name a word, counted when first asked for.
    introduced: OnceLock<HashMap<String, usize>>,
    /// What the examples of the introductions call, gathered when first asked for.
    shown: OnceLock<Vec<String>>,
    /// What the program does from its start on, followed when first asked for.
    started: OnceLock<Option<SymbolId>>,
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
        let mut outside = vec![Vec::new(); count];
        for (index, call) in analysis.outside.iter().enumerate() {
            if let Some(list) = outside.get_mut(call.from_symbol) {
                list.push(index);
            }
        }
        let mut in_file = vec![Vec::new(); analysis.files.len()];
        for (id, symbol) in analysis.symbols.iter().enumerate() {
            if let Some(list) = in_file.get_mut(symbol.file) {
                list.push(id);
            }
        }
        let sources =
            || analysis.files.iter().enumerate().filter(|(_, f)| f.role == FileRole::Source);
        // Beside a package of Python what lies on top is a script, not what is imported.
        let is_package = |path: &str| path.ends_with("__init__.py");
        let has_package = sources().any(|(_, f)| is_package(&f.path));
        let is_script = |f: &FileFacts| f.language == "python" && !is_package(&f.path);
        let speaks =
            |f: &FileFacts| super::inquiry::is_root_file(&f.path) && !(has_package && is_script(f));
        let roots = sources().filter(|(_, f)| speaks(f)).map(|(index, _)| index).collect();
        let owners = owners(&analysis);
        let mut members = vec![Vec::new(); count];
        for (id, owner) in owners.iter().enumerate() {
            if let Some(list) = owner.and_then(|o| members.get_mut(o)) {
                list.push(id);
            }
        }
        let keys = names::keys(&analysis);
        let shared_names = names::shared(&analysis);
        let sites = analysis.symbols.iter().filter(|s| !s.is_test).flat_map(|s| &s.failures);
        let raised =
            sites.filter_map(|f| f.what.rsplit([':', '.']).next().map(str::to_owned)).collect();
        let symbols = analysis.symbols.iter().enumerate();
        let made = symbols.filter(|(_, s)| s.says.is_some()).map(|(id, _)| id).collect();
        Self {
            analysis,
            incoming,
            outgoing,
            outside,
            members,
            in_file,
            owners,
            keys,
            shared_names,
            raised,
            made,
            ranked: OnceLock::new(),
            parts: OnceLock::new(),
            go_functions: OnceLock::new(),
            introduced: OnceLock::new(),
            shown: OnceLock::new(),
            started: OnceLock::new(),
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

    /// What the program does that the project is made for, from its start on.
    pub(crate) fn started(&self) -> Option<SymbolId> {
        *self.started.get_or_init(|| super::inquiry::find_start(self))
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

    /// Whether a folder's name says that what stands in it is not for others.
    pub(crate) fn is_inner(path: &str) -> bool {
        path.split('/').any(|part| matches!(part, "internal" | "internals"))
    }

    /// Whether a file only helps to test: doubles and fixtures that are no tests themselves.
    pub(crate) fn is_test_help(path: &str) -> bool {
        let is_inner = Self::is_inner(path);
        path.split('/').any(|part| {
            let stem = part.split('.').next().unwrap_or(part);
            // What is called `xtest` helps those who use the library, unless it is kept from them.
            let tests = ["test", "testing"].iter().any(|end| stem.ends_with(end));
            is_inner && tests
                || [
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

    /// Whether a file or folder offers so many things beside this one that it can't stand for them.
    pub(crate) fn is_one_of_many(&self, id: SymbolId, path: &str) -> bool {
        let beside = |other: &str| {
            other == path || other.rsplit_once('/').is_some_and(|(folder, _)| folder == path)
        };
        let others = self.ids().filter(|(other, s)| {
            let offered = s.exported && s.doc.is_some() && s.container.is_none();
            let thing = is_type(s.kind) || is_callable(s.kind);
            *other != id && offered && thing && self.is_product(*other) && beside(self.path(*other))
        });
        others.take(MANY).count() == MANY
    }

    /// Whether it is written in JavaScript or TypeScript.
    pub(crate) fn is_of_ecmascript(&self, id: SymbolId) -> bool {
        let languages = ["javascript", "typescript", "tsx"];
        self.file(id).is_some_and(|f| languages.contains(&f.language.as_str()))
    }

    /// Whether it is written in Go.
    pub(crate) fn is_of_go(&self, id: SymbolId) -> bool {
        self.file(id).is_some_and(|f| f.language == "go")
    }

    /// Whether it is written in Java or Kotlin, whose packages hide what is no one else's to use.
    pub(crate) fn is_of_jvm(&self, id: SymbolId) -> bool {
        self.file(id).is_some_and(|f| matches!(f.language.as_str(), "java" | "kotlin"))
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

    /// Whether its documentation, or that of the type it belongs to, tells its users to leave it.
    pub(crate) fn is_deprecated(&self, id: SymbolId) -> bool {
        let says = |id: SymbolId, marks: &[&str]| {
            let doc = self.symbol(id).and_then(|s| s.doc.as_ref());
            doc.is_some_and(|doc| marks.iter().any(|mark| doc.text.contains(mark)))
        };
        // Elsewhere the documentation of a type may speak of a part of it.
        let owner = self.owner(id).is_some_and(|o| says(o, &["@deprecated", "Deprecated:"]));
        let first = self.symbol(id).and_then(|s| s.doc.as_ref());
        owner
            || says(id, &["@deprecated", "Deprecated:", ".. deprecated::", "DEPRECATED"])
            || first.is_some_and(|doc| {
                ["Deprecated ", "A deprecated "].iter().any(|start| doc.text.starts_with(start))
            })
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

    /// How much a symbol matters: its own centrality, its documentation, and the names that lead to it.
    pub(crate) fn weight(&self, id: SymbolId) -> f32 {
        let Some(symbol) = self.symbol(id) else { return 0.0 };
        let documented =
            symbol.doc.as_ref().map_or(0.0, |d| (d.text.len().min(600) as f32) / 600.0);
        let exported = if symbol.exported { 0.15 } else { 0.0 };
        symbol.centrality + 0.25 * documented + exported
    }

    /// Whether it is a type, a name for a form of objects, or an object that functions are attached to.
    pub(crate) fn is_thing(&self, id: SymbolId) -> bool {
        self.symbol(id).is_some_and(|s| {
            let offered =
                |m: &&SymbolId| self.symbol(**m).is_some_and(|s| is_callable(s.kind) && s.exported);
            let made = is_made_of_another(&self.analysis, s);
            is_type(s.kind)
                || (s.kind == SymbolKind::TypeAlias && told_members(s).count() >= 2)
                || (made && self.members(id).iter().filter(offered).count() >= 2)
                || (s.container.is_none() && self.members(id).len() >= 3)
        })
    }
}

/// So many other things in a file or folder are too many for one to stand for all.
const MANY: usize = 4;

/// Whether a documentation says what something is or does: what only explains its parameters doesn't.
fn is_said(doc: &CitedText) -> bool {
    !doc.text.trim_start().starts_with('@')
}

/// The members of a type that can be seen from outside and are documented.
pub(crate) fn told_members(symbol: &Symbol) -> impl Iterator<Item = &Member> {
    symbol.members.iter().filter(|m| m.exported && m.doc.is_some())
}

/// Whether a type of Go has the form of another and functions of its own: `type ID [16]byte`. With a `=` it would be but
/// another name for that.
pub(crate) fn is_made_of_another(analysis: &ProjectAnalysis, symbol: &Symbol) -> bool {
    symbol.kind == SymbolKind::TypeAlias
        && analysis.file_of(symbol).is_some_and(|f| f.language == "go")
        && !symbol.signature.contains('=')
}

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

/// The type each symbol belongs to: by name, in the same file, else the same module, else the only one in the project.
fn owners(analysis: &ProjectAnalysis) -> Vec<Option<SymbolId>> {
    let mut types: HashMap<&str, Vec<SymbolId>> = HashMap::new();
    for (id, symbol) in analysis.symbols.iter().enumerate().filter(|(_, s)| is_type(s.kind)) {
        types.entry(symbol.name.as_str()).or_default().push(id);
    }
    // JavaScript attaches functions to plain objects and to functions, Go to types that are made of others.
    let mut objects: HashMap<&str, Vec<SymbolId>> = HashMap::new();
    for (id, symbol) in analysis.symbols.iter().enumerate().filter(|(_, s)| s.container.is_none()) {
        let plain = matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Function);
        if plain || is_made_of_another(analysis, symbol) {
            objects.entry(symbol.name.as_str()).or_default().push(id);
        }
    }
    for (name, found) in objects {
        types.entry(name).or_insert(found);
    }
    let module = |file: usize| analysis.files.get(file).map(|f| f.module);
    analysis
        .symbols
        .iter()
        .map(|symbol| {
            let container = symbol.container.as_deref()?;
            let name = container.rsplit(['.', ':']).next().unwrap_or(container);
            // `java.time.LocalDate` is another package's, whatever is called so here.
            let kotlin = analysis.files.get(symbol.file).is_some_and(|f| f.language == "kotlin");
            if kotlin && container.contains('.') && container.starts_with(char::is_lowercase) {
                return None;
            }
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
