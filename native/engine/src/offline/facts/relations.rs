//! Who calls, extends, tests and shows whom.

use std::collections::{BTreeSet, HashMap};

use ouro_core::analysis::{
    CitedText, EntryPoint, FileFacts, FileRole, Reference, ReferenceKind, Symbol, SymbolKind,
};

use super::{Facts, SymbolId, is_callable, is_said, is_type};

/// A type that builds on another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heir {
    /// The type.
    pub(crate) id: SymbolId,
    /// The line that says so.
    pub(crate) line: u32,
    /// Whether that line names what it builds on; else it only declares the type.
    pub(crate) declared: bool,
}

impl Facts {
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

    /// Whether it is a test itself, not a helper of tests: it is called so, or takes nothing. In JavaScript tests are
    /// calls; what is declared there only serves them.
    pub(crate) fn is_test_function(&self, id: SymbolId) -> bool {
        let language = self.file(id).map_or("", |f| f.language.as_str());
        if matches!(language, "javascript" | "typescript" | "tsx") {
            return false;
        }
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
            .filter(|r| r.from_symbol.is_some_and(|f| self.can_extend(f)))
            .filter(|r| seen.insert(r.from_symbol))
            .collect();
        found.sort_by(|a, b| {
            let weight = |r: &Reference| r.from_symbol.map_or(0.0, |f| self.weight(f));
            weight(b).total_cmp(&weight(a)).then(a.from_symbol.cmp(&b.from_symbol))
        });
        found
    }

    /// Whether what stands there may be a type: a function that makes an object without a name is none. JavaScript makes
    /// types of functions and constants.
    fn can_extend(&self, id: SymbolId) -> bool {
        let is_value = |kind| is_callable(kind) || kind == SymbolKind::Constant;
        self.is_of_ecmascript(id) || self.symbol(id).is_some_and(|s| !is_value(s.kind))
    }

    /// The types of Go with all functions that an interface asks for: none says so itself.
    fn satisfying(&self, id: SymbolId) -> Vec<SymbolId> {
        if !self.is_go(id) || self.symbol(id).is_none_or(|s| s.kind != SymbolKind::Interface) {
            return Vec::new();
        }
        let wanted: BTreeSet<Form> = self.forms(id).collect();
        let with = |form: &Form| self.go_functions().get(form);
        let sets: Option<Vec<&BTreeSet<SymbolId>>> = wanted.iter().map(with).collect();
        // That one function has the same name and so many parameters may be chance.
        match sets.as_deref() {
            Some([first, rest @ ..]) if !rest.is_empty() => {
                let all = first.iter().filter(|other| rest.iter().all(|set| set.contains(other)));
                all.copied().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The product's types of Go, by the functions that they have.
    fn go_functions(&self) -> &HashMap<Form, BTreeSet<SymbolId>> {
        self.go_functions.get_or_init(|| {
            let mut found: HashMap<Form, BTreeSet<SymbolId>> = HashMap::new();
            let types = self.ids().filter(|(id, s)| {
                s.kind != SymbolKind::Interface && self.is_go(*id) && self.is_thing(*id)
            });
            for (id, _) in types.filter(|(id, _)| self.is_product(*id)) {
                for form in self.forms(id) {
                    found.entry(form).or_default().insert(id);
                }
            }
            found
        })
    }

    fn is_go(&self, id: SymbolId) -> bool {
        self.file(id).is_some_and(|f| f.language == "go")
    }

    /// The functions of a type by what tells them apart.
    fn forms(&self, id: SymbolId) -> impl Iterator<Item = Form> {
        let members = self.members(id).iter().filter_map(|m| self.symbol(*m));
        members.filter(|s| is_callable(s.kind)).filter_map(form)
    }

    /// The functions by which a type of Go fits an interface that it doesn't name, in the order of the interface.
    pub(crate) fn proofs(&self, interface: SymbolId, heir: SymbolId) -> Vec<SymbolId> {
        let members = self.members(heir);
        let fitting = |wanted: Form| {
            members.iter().copied().find(|m| {
                self.symbol(*m).filter(|s| is_callable(s.kind)).and_then(form).as_ref()
                    == Some(&wanted)
            })
        };
        self.forms(interface).filter_map(fitting).collect()
    }

    /// Types that build on this one, the most central first.
    pub(crate) fn heirs(&self, id: SymbolId) -> Vec<Heir> {
        let declared = self.implementors(id).into_iter();
        let declared = declared
            .filter_map(|r| Some(Heir { id: r.from_symbol?, line: r.line, declared: true }));
        let mut found: Vec<Heir> = declared.collect();
        let known: BTreeSet<SymbolId> = found.iter().map(|heir| heir.id).collect();
        let mut silent = self.satisfying(id);
        silent.retain(|other| !known.contains(other));
        silent.sort_by(|a, b| self.weight(*b).total_cmp(&self.weight(*a)).then(a.cmp(b)));
        found.extend(silent.into_iter().filter_map(|other| {
            Some(Heir { id: other, line: self.symbol(other)?.line, declared: false })
        }));
        found
    }

    /// The types that a type declares to extend or implement.
    pub(crate) fn parents(&self, id: SymbolId) -> impl Iterator<Item = SymbolId> {
        let extends = |r: &&Reference| r.kind == ReferenceKind::Extends && r.to != id;
        self.outgoing(id).into_iter().filter(extends).map(|r| r.to).collect::<Vec<_>>().into_iter()
    }

    /// The documentation of a function, and where it stands: if it says nothing itself, what a type that its own builds
    /// on says of the function of its form.
    pub(crate) fn doc_of(&self, id: SymbolId) -> Option<(SymbolId, &CitedText)> {
        let symbol = self.symbol(id)?;
        match &symbol.doc {
            Some(doc) => Some((id, doc)),
            None => self.promised(id, symbol),
        }
    }

    /// The function in whose words one without any of its own is told.
    pub(crate) fn told_by(&self, id: SymbolId) -> Option<SymbolId> {
        self.doc_of(id).map(|(told, _)| told).filter(|told| *told != id)
    }

    /// The type of that function.
    pub(crate) fn speaker(&self, id: SymbolId) -> Option<String> {
        Some(self.label(self.owner(self.told_by(id)?)?))
    }

    /// Whether a documentation says what a function is for: what only explains its parameters doesn't.
    pub(crate) fn tells(&self, id: SymbolId) -> bool {
        self.doc_of(id).is_some_and(|(_, doc)| is_said(doc))
    }

    fn promised(&self, id: SymbolId, symbol: &Symbol) -> Option<(SymbolId, &CitedText)> {
        let owner = self.owner(id).filter(|_| is_callable(symbol.kind))?;
        let wanted = form(symbol)?;
        let mut above = vec![owner];
        let mut seen = BTreeSet::from([owner]);
        while let Some(at) = above.pop() {
            for parent in self.parents(at).filter(|p| seen.len() < MOST_ABOVE && seen.insert(*p)) {
                let told = self.members(parent).iter().find_map(|m| {
                    let s = self.symbol(*m).filter(|s| s.name == symbol.name)?;
                    let doc = s.doc.as_ref().filter(|_| form(s).as_ref() == Some(&wanted))?;
                    Some((*m, doc))
                });
                if told.is_some() {
                    return told;
                }
                above.push(parent);
            }
        }
        None
    }

    /// How many parameters a function declares, if its signature shows them all.
    pub(crate) fn parameters(&self, id: SymbolId) -> Option<usize> {
        form(self.symbol(id)?).map(|(_, count)| count)
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

    /// Whether the manifest says that the library is entered in this file.
    pub(crate) fn is_library(&self, path: &str) -> bool {
        self.analysis.entry_points.iter().any(|e| e.kind == "library" && e.path == path)
    }

    /// Where the programs are started that the project is made for: those that its build file names, where nothing else is
    /// made of it, and those that stand in its root or bear its name.
    pub(crate) fn programs(&self) -> impl Iterator<Item = &EntryPoint> {
        // Beside a package of Python, or the code of another language, a script that lies on top is a tool.
        let is_package =
            |f: &FileFacts| f.role == FileRole::Source && f.path.ends_with("__init__.py");
        let has_package = self.analysis.files.iter().any(is_package);
        let is_python = self.analysis.languages.first().is_some_and(|l| l.language == "python");
        let is_own = move |entry: &&EntryPoint| match entry.kind.as_str() {
            "binary" => !self.offers_library() || self.is_namesake(&entry.name),
            "main" if !self.offers_library() => true,
            // A script is also whatever starts when it is run.
            "main" | "script" => {
                let is_tool = has_package || (entry.kind == "script" && !is_python);
                let on_top = !entry.path.contains('/') && !is_tool;
                on_top || self.is_namesake(&entry.name)
            }
            _ => false,
        };
        // What starts a script may have no ending that tells its language.
        let is_written = |entry: &&EntryPoint| {
            let role = self.analysis.file(&entry.path).map(|f| f.role);
            role == Some(FileRole::Source)
                || (role == Some(FileRole::Data) && entry.kind == "binary")
        };
        self.analysis.entry_points.iter().filter(is_own).filter(is_written)
    }

    /// Whether others can build on the project: a program in it is then but one of its users.
    pub(crate) fn offers_library(&self) -> bool {
        let entries = || self.analysis.entry_points.iter();
        let of_root = |path: &str| !path.contains('/');
        let is_program = |path: &str| entries().any(|e| e.path == path);
        let files = self.analysis.files.iter();
        let mut go = files.filter(|f| f.language == "go" && of_root(&f.path));
        entries().any(|e| e.kind == "library")
            || go.clone().any(|f| f.role == FileRole::Source) && !go.any(|f| is_program(&f.path))
    }

    /// Whether it belongs to a program that stands in a folder of its own, beside what others build on.
    pub(crate) fn is_in_program(&self, id: SymbolId) -> bool {
        let mut folder = self.path(id);
        while let Some((above, _)) = folder.rsplit_once('/') {
            folder = above;
            let entries = self.analysis.entry_points.iter();
            let mut entries = entries
                .filter(|e| e.path.rsplit_once('/').is_some_and(|(inside, _)| inside == folder))
                .peekable();
            if entries.peek().is_some() {
                let has =
                    |kinds: &[&str]| entries.clone().any(|e| kinds.contains(&e.kind.as_str()));
                return has(&["binary", "main"]) && !has(&["library"]);
            }
        }
        false
    }

    /// The names by which other packages know it, where they aren't its own.
    pub(crate) fn aliases(&self, id: SymbolId) -> impl Iterator<Item = &str> {
        let of = self.analysis.aliases.iter().filter(move |(_, to)| *to == id);
        of.map(|(name, _)| name.as_str())
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
            r.kind == ReferenceKind::Import && (root || self.is_library(from))
        })
    }
}

/// Most types above one that are asked what they promise.
const MOST_ABOVE: usize = 16;

/// What two functions share of which one can stand for the other: the name, and how many parameters there are.
pub(super) type Form = (String, usize);

fn form(function: &Symbol) -> Option<Form> {
    let (_, rest) = function.signature.split_once(&format!("{}(", function.name))?;
    let mut depth = 1_i32;
    let mut commas = 0;
    let mut end = 0;
    for (at, c) in rest.char_indices() {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        if depth == 0 {
            end = at;
            break;
        }
        commas += usize::from(c == ',' && depth == 1);
    }
    let some = !rest.get(..end)?.trim().is_empty();
    Some((function.name.clone(), if some { commas + 1 } else { 0 }))
}
