//! The project's declarations, in tables that names are looked up in.

use std::collections::{HashMap, HashSet};

use ouro_core::analysis::{FileRole, Symbol, SymbolKind};

use super::paths::ModuleIndex;
use crate::{
    analysis::{
        code::{Code, Local, ScopeId, StringId},
        extract::is_type,
        read::ScannedFile,
    },
    languages::{self, Language, Modules},
};

/// Index into [`Project::units`].
pub(super) type UnitId = usize;
/// Index into the analysis' symbols.
pub(super) type SymbolId = usize;
/// A set of files that one path names; see [`ModuleIndex::files`].
pub(super) type ModuleId = usize;

/// What a name or expression stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// A type of the project, or an instance of it.
    Type(SymbolId),
    /// A function, constant or macro of the project.
    Symbol(SymbolId),
    /// A file or package of the project.
    Module(ModuleId),
    /// Something outside the project.
    External,
    /// Nobody knows.
    Unknown,
}

/// A file with code.
#[derive(Debug)]
pub(super) struct Unit<'a> {
    /// Index into the analysis' files.
    pub file: usize,
    /// Relative to the root.
    pub path: &'a str,
    /// Its language.
    pub language: &'static Language,
    /// What it says.
    pub code: &'a Code,
    /// The id of its first symbol.
    pub first_symbol: SymbolId,
    /// Whether it is test code.
    pub is_test: bool,
    ids: HashMap<&'a str, StringId>,
}

impl<'a> Unit<'a> {
    /// Whether the name occurs in the file.
    pub(super) fn mentions(&self, name: &str) -> bool {
        self.ids.contains_key(name)
    }

    /// The variables, parameters and fields of this name, by line.
    pub(super) fn locals_named(&self, name: &str) -> &'a [Local] {
        self.ids.get(name).map_or(&[], |id| self.code.locals_named(*id))
    }
}

/// All files with code, and their declarations by name.
#[derive(Debug)]
pub(super) struct Project<'a> {
    pub units: Vec<Unit<'a>>,
    /// Where each symbol is: its unit and index there.
    pub places: Vec<(UnitId, usize)>,
    /// Declarations that stand in no type, by file.
    pub top: HashMap<(UnitId, &'a str), Vec<SymbolId>>,
    /// Functions by the function or block that they stand in.
    pub parts: HashMap<(UnitId, ScopeId, &'a str), SymbolId>,
    /// Named blocks of declarations, by file.
    pub namespaces: HashSet<(UnitId, &'a str)>,
    /// Which paths name which files.
    pub modules: ModuleIndex<'a>,
}

impl<'a> Project<'a> {
    /// Indexes all files.
    pub(super) fn new(files: &[&'a ScannedFile]) -> Self {
        let mut units = Vec::new();
        let mut places = Vec::new();
        for (file, scanned) in files.iter().enumerate() {
            let Some(code) = &scanned.code else { continue };
            let Some(language) = languages::by_path(&scanned.facts.path) else { continue };
            let unit = units.len();
            let first_symbol = places.len();
            places.extend((0..code.symbols.len()).map(|symbol| (unit, symbol)));
            units.push(Unit {
                file,
                path: &scanned.facts.path,
                language,
                code,
                first_symbol,
                is_test: matches!(scanned.facts.role, FileRole::Test | FileRole::Benchmark),
                ids: code.strings.iter().map(|s| &**s).zip(0..).collect(),
            });
        }
        let mut top: HashMap<_, Vec<SymbolId>> = HashMap::new();
        let mut namespaces = HashSet::new();
        let mut parts = HashMap::new();
        for (id, unit) in units.iter().enumerate() {
            for scope in &unit.code.scopes {
                namespaces.extend(scope.namespace.map(|name| (id, unit.code.string(name))));
                let Some(symbol) = scope.symbol else { continue };
                // A Kotlin extension is imported and called like a function, too.
                let is_extension =
                    unit.language.modules == Modules::Packages && scope.parent.is_none();
                let in_type = (scope.owner.is_some() && !is_extension)
                    || unit
                        .code
                        .scopes_outwards(scope.parent)
                        .any(|(_, outer)| outer.symbol.is_some() || outer.owner.is_some());
                if let Some(found) = unit.code.symbols.get(symbol as usize)
                    && let (SymbolKind::Function, Some(around)) = (found.kind, scope.parent)
                {
                    let part = unit.first_symbol + symbol as usize;
                    parts.entry((id, around, found.name.as_str())).or_insert(part);
                }
                if let Some(found) = unit.code.symbols.get(symbol as usize).filter(|_| !in_type) {
                    top.entry((id, found.name.as_str()))
                        .or_default()
                        .push(unit.first_symbol + symbol as usize);
                }
            }
        }
        let modules = ModuleIndex::new(&units, files);
        Self { units, places, top, parts, namespaces, modules }
    }

    /// The declaration of this id.
    pub(super) fn symbol(&self, id: SymbolId) -> Option<&'a Symbol> {
        let (unit, at) = self.places.get(id)?;
        self.units.get(*unit)?.code.symbols.get(*at)
    }

    /// The file of a symbol.
    pub(super) fn unit_of(&self, id: SymbolId) -> Option<UnitId> {
        self.places.get(id).map(|(unit, _)| *unit)
    }

    /// A symbol as a value: types stand for themselves and their instances.
    pub(super) fn value(&self, id: SymbolId) -> Value {
        match self.symbol(id) {
            Some(symbol) if is_type(symbol.kind) => Value::Type(id),
            // An object with functions, or a constructor function, is used like a type.
            Some(symbol)
                if self.is_ecmascript(id)
                    && (symbol.kind == SymbolKind::Constant
                        || symbol.kind == SymbolKind::Function
                            && symbol.name.starts_with(char::is_uppercase)) =>
            {
                Value::Type(id)
            }
            _ => Value::Symbol(id),
        }
    }

    fn is_ecmascript(&self, id: SymbolId) -> bool {
        self.unit_of(id)
            .and_then(|unit| self.units.get(unit))
            .is_some_and(|u| u.language.modules == Modules::Relative)
    }

    /// What a file as a whole stands for, where a file can stand for one declaration.
    pub(super) fn default_export(&self, unit: UnitId) -> Option<SymbolId> {
        self.top.get(&(unit, self.default_name(unit)?))?.first().copied()
    }

    /// What a file calls that which it hands on as a whole.
    pub(super) fn default_name(&self, unit: UnitId) -> Option<&'a str> {
        let code = self.units.get(unit)?.code;
        Some(code.string(code.default_export?))
    }

    /// The scope that a symbol is.
    pub(super) fn scope_of(&self, id: SymbolId) -> Option<(UnitId, ScopeId)> {
        let (unit, at) = *self.places.get(id)?;
        Some((unit, *self.units.get(unit)?.code.symbol_scopes.get(at)?))
    }
}
