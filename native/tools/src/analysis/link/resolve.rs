//! Follows names and dotted expressions to declarations.

use std::collections::{HashMap, HashSet};

use ouro_core::analysis::{ReferenceKind, SymbolKind};

use super::{
    names::{is_common, is_telling},
    project::{ModuleId, Project, SymbolId, Unit, UnitId, Value},
};
use crate::{
    analysis::code::{Local, RawReference, ScopeId},
    languages::{Binding, Modules},
};

/// Longest way from one name to the next: re-exports, values of variables, supertypes.
const MAX_STEPS: u8 = 6;
/// Most supertypes looked at for one member.
const MAX_SUPERTYPES: usize = 64;

/// Knows what every import and every type's members are.
#[derive(Debug)]
pub(super) struct Resolver<'a> {
    project: &'a Project<'a>,
    bindings: Vec<Vec<Value>>,
    /// The imports of each file by local name.
    by_local: HashMap<(UnitId, &'a str), usize>,
    owners: Vec<Vec<Option<SymbolId>>>,
    members: HashMap<(SymbolId, &'a str), Vec<SymbolId>>,
    methods: HashMap<&'a str, Vec<SymbolId>>,
    owner_of: HashMap<SymbolId, SymbolId>,
    supertypes: HashMap<SymbolId, Vec<SymbolId>>,
    scopes_of: HashMap<SymbolId, Vec<(UnitId, ScopeId)>>,
}

/// Where a name stands.
#[derive(Debug, Clone, Copy)]
struct Place {
    unit: UnitId,
    scope: Option<ScopeId>,
    line: u32,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(project: &'a Project<'a>) -> Self {
        let mut resolver = Self {
            project,
            bindings: Vec::new(),
            by_local: HashMap::new(),
            owners: Vec::new(),
            members: HashMap::new(),
            methods: HashMap::new(),
            owner_of: HashMap::new(),
            supertypes: HashMap::new(),
            scopes_of: HashMap::new(),
        };
        for (id, unit) in project.units.iter().enumerate() {
            for (at, binding) in unit.code.bindings.iter().enumerate().rev() {
                resolver.by_local.insert((id, &binding.local), at);
            }
        }
        resolver.bindings = (0..project.units.len()).map(|id| resolver.all_bindings(id)).collect();
        resolver.add_owners();
        resolver.add_supertypes();
        resolver
    }

    /// What the imports of a file stand for, in their order.
    pub(super) fn bindings(&self, unit: UnitId) -> &[Value] {
        self.bindings.get(unit).map_or(&[], Vec::as_slice)
    }

    /// The type whose members a scope declares, or which it is.
    pub(super) fn owner(&self, unit: UnitId, scope: ScopeId) -> Option<SymbolId> {
        *self.owners.get(unit)?.get(scope as usize)?
    }

    /// Each member and the type it belongs to, by member.
    pub(super) fn into_owners(self) -> Vec<(SymbolId, SymbolId)> {
        let mut owners: Vec<_> = self.owner_of.into_iter().collect();
        owners.sort_unstable();
        owners
    }

    /// The declaration that a use means.
    pub(super) fn resolve(&self, unit: UnitId, reference: &RawReference) -> Option<SymbolId> {
        let code = self.project.units.get(unit)?.code;
        let name = code.string(reference.name);
        let place = Place { unit, scope: reference.scope, line: reference.line };
        let is_call = reference.kind == ReferenceKind::Call;
        let Some(receiver) = reference.receiver else {
            if self.is_shadowed(place, name) {
                return None;
            }
            return match self.name(place, name, is_call, 0) {
                Value::Type(symbol) | Value::Symbol(symbol) => Some(symbol),
                Value::Module(module) => match self.in_module(module, "default", 0) {
                    Value::Type(symbol) | Value::Symbol(symbol) => Some(symbol),
                    _ => None,
                },
                _ => None,
            };
        };
        match self.expression(place, code.string(receiver), 0) {
            Value::Type(owner) => self.member(owner, name),
            Value::Module(module) => match self.in_module(module, name, 0) {
                Value::Type(symbol) | Value::Symbol(symbol) => Some(symbol),
                _ => None,
            },
            Value::Unknown if is_call => {
                self.extension(place, name).or_else(|| self.only_method(unit, name))
            }
            Value::External if is_call => self.extension(place, name),
            _ => None,
        }
    }

    /// A function of the project that extends a type from outside (Kotlin).
    fn extension(&self, place: Place, name: &str) -> Option<SymbolId> {
        if self.unit(place.unit)?.language.modules != Modules::Packages {
            return None;
        }
        let Value::Symbol(found) = self.name(place, name, true, 0) else { return None };
        let (unit, scope) = self.project.scope_of(found)?;
        let scope = self.unit(unit)?.code.scope(scope)?;
        (scope.owner.is_some() && scope.parent.is_none()).then_some(found)
    }

    fn unit(&self, id: UnitId) -> Option<&'a Unit<'a>> {
        self.project.units.get(id)
    }

    // ---- what is known before any use is looked at ----

    fn all_bindings(&self, id: UnitId) -> Vec<Value> {
        let Some(unit) = self.unit(id) else { return Vec::new() };
        unit.code.bindings.iter().map(|binding| self.binding(id, binding, 0)).collect()
    }

    fn binding(&self, unit: UnitId, binding: &Binding, steps: u8) -> Value {
        if steps > MAX_STEPS {
            return Value::Unknown;
        }
        let module = self.module_path(unit, &binding.module, binding.depth, steps);
        match &binding.name {
            None => module,
            Some(_) if &*binding.local == "*" => module,
            Some(name) => self.part(module, name, steps + 1),
        }
    }

    fn add_owners(&mut self) {
        for (id, unit) in self.project.units.iter().enumerate() {
            let owners = unit
                .code
                .scopes
                .iter()
                .map(|scope| {
                    let symbol = scope.symbol.map(|s| unit.first_symbol + s as usize);
                    let own = symbol.filter(|s| matches!(self.project.value(*s), Value::Type(_)));
                    own.or_else(|| {
                        let place = Place { unit: id, scope: scope.parent, line: 0 };
                        match self.type_named(place, unit.code.string(scope.owner?), 0) {
                            Value::Type(owner) => Some(owner),
                            _ => None,
                        }
                    })
                })
                .collect();
            self.owners.push(owners);
        }
        for (id, unit) in self.project.units.iter().enumerate() {
            for (at, scope) in unit.code.scopes.iter().enumerate() {
                let Ok(at) = u32::try_from(at) else { continue };
                let own = self.owner(id, at);
                if let Some(own) = own {
                    self.scopes_of.entry(own).or_default().push((id, at));
                }
                let Some(symbol) = scope.symbol.map(|s| unit.first_symbol + s as usize) else {
                    continue;
                };
                let owner = if scope.owner.is_some() {
                    own
                } else {
                    scope.parent.and_then(|p| self.owner(id, p))
                };
                let Some(found) = self.project.symbol(symbol) else { continue };
                if let Some(owner) = owner {
                    self.members.entry((owner, found.name.as_str())).or_default().push(symbol);
                    self.owner_of.insert(symbol, owner);
                }
                if found.kind == SymbolKind::Method {
                    self.methods.entry(found.name.as_str()).or_default().push(symbol);
                }
            }
        }
    }

    fn add_supertypes(&mut self) {
        let mut supertypes: HashMap<SymbolId, Vec<SymbolId>> = HashMap::new();
        for (id, unit) in self.project.units.iter().enumerate() {
            for reference in
                unit.code.references.iter().filter(|r| r.kind == ReferenceKind::Extends)
            {
                let heir = unit
                    .code
                    .scopes_outwards(reference.scope)
                    .find_map(|(scope, _)| self.owner(id, scope));
                if let (Some(heir), Some(parent)) = (heir, self.resolve(id, reference))
                    && heir != parent
                {
                    supertypes.entry(heir).or_default().push(parent);
                }
            }
        }
        self.supertypes = supertypes;
    }

    // ---- names ----

    /// Whether a variable, parameter or type parameter hides the declarations of this name.
    fn is_shadowed(&self, place: Place, name: &str) -> bool {
        let Some(unit) = self.unit(place.unit) else { return false };
        self.local(unit, place, name).is_some()
    }

    /// The variable of this name that is known in a function around a place, the last one set before it.
    fn local(&self, unit: &'a Unit<'a>, place: Place, name: &str) -> Option<&'a Local> {
        let all = unit.locals_named(name);
        if all.is_empty() {
            return None;
        }
        let around =
            |scope: ScopeId| unit.code.scopes_outwards(place.scope).any(|(id, _)| id == scope);
        let known = |local: &&Local| !local.is_field && local.scope.is_some_and(around);
        all.iter().filter(known).rfind(|l| l.line <= place.line).or_else(|| all.iter().find(known))
    }

    /// What a bare name stands for.
    fn name(&self, place: Place, name: &str, is_call: bool, steps: u8) -> Value {
        let Some(unit) = self.unit(place.unit) else { return Value::Unknown };
        if steps > MAX_STEPS {
            return Value::Unknown;
        }
        if unit.language.implicit_this {
            let inner = unit
                .code
                .scopes_outwards(place.scope)
                .filter_map(|(id, _)| self.owner(place.unit, id));
            for owner in inner {
                if let Some(symbol) = self.member(owner, name)
                    && (is_call
                        || self
                            .project
                            .symbol(symbol)
                            .is_some_and(|s| s.kind != SymbolKind::Method))
                {
                    return self.project.value(symbol);
                }
            }
        }
        if let Some(symbol) = self.top(place.unit, name, is_call) {
            return self.project.value(symbol);
        }
        if let Some(at) = self.by_local.get(&(place.unit, name)) {
            return match self.bindings.get(place.unit).and_then(|b| b.get(*at)) {
                Some(value) => *value,
                None => {
                    unit.code.bindings.get(*at).map_or(Value::Unknown, |binding| {
                        self.binding(place.unit, binding, steps + 1)
                    })
                }
            };
        }
        if let Some(value) = self.beside(unit, name) {
            return value;
        }
        self.by_wildcard(place.unit, name, steps).unwrap_or(Value::Unknown)
    }

    /// A declaration of a file's top level.
    fn top(&self, unit: UnitId, name: &str, is_call: bool) -> Option<SymbolId> {
        let all = self.project.top.get(&(unit, name))?;
        let fits = |id: &&SymbolId| {
            let kind = self.project.symbol(**id).map(|s| s.kind);
            kind.is_some_and(|k| is_call || k != SymbolKind::Macro)
        };
        all.iter().find(fits).or(all.first()).copied()
    }

    /// What other files of the same package declare, where that needs no import.
    fn beside(&self, unit: &Unit<'_>, name: &str) -> Option<Value> {
        let module = match unit.language.modules {
            Modules::Packages => {
                self.project.modules.named(Modules::Packages, unit.code.package.as_deref()?)?
            }
            Modules::Folders => self.project.modules.folder_of(unit.path)?,
            _ => return None,
        };
        let found = self
            .project
            .modules
            .files(module)
            .iter()
            .find_map(|file| self.top(*file, name, true))?;
        Some(self.project.value(found))
    }

    fn by_wildcard(&self, unit: UnitId, name: &str, steps: u8) -> Option<Value> {
        let bindings = &self.unit(unit)?.code.bindings;
        bindings
            .iter()
            .enumerate()
            .filter(|(_, binding)| &*binding.local == "*")
            .map(|(at, binding)| match self.bindings.get(unit).and_then(|b| b.get(at)) {
                Some(value) => self.part(*value, name, steps + 1),
                None => self.part(self.binding(unit, binding, steps + 1), name, steps + 1),
            })
            .find(|value| matches!(value, Value::Type(_) | Value::Symbol(_) | Value::Module(_)))
    }

    // ---- paths ----

    /// The module that an import's path names.
    fn module_path(&self, unit: UnitId, path: &str, depth: u8, steps: u8) -> Value {
        let Some(from) = self.unit(unit) else { return Value::Unknown };
        let modules = &self.project.modules;
        let found = |module: Option<ModuleId>| module.map_or(Value::External, Value::Module);
        match from.language.modules {
            Modules::Python => found(modules.python(from.path, path)),
            Modules::Relative if path.starts_with('.') => found(modules.relative(from.path, path)),
            Modules::Relative | Modules::Folders => {
                found(modules.named(from.language.modules, path))
            }
            Modules::Packages => self.package_path(path, steps),
            Modules::Rust => self.rust_path(unit, path, depth, steps),
        }
    }

    /// `a.b.Type`: the longest part that is a package, then what is in it.
    fn package_path(&self, path: &str, steps: u8) -> Value {
        let mut end = path.len();
        while end > 0 {
            let package = path.get(..end).unwrap_or("");
            if let Some(module) = self.project.modules.named(Modules::Packages, package) {
                let rest = path.get(end..).unwrap_or("").split('.').filter(|p| !p.is_empty());
                return rest
                    .fold(Value::Module(module), |value, part| self.part(value, part, steps + 1));
            }
            end = package.rfind('.').unwrap_or(0);
        }
        Value::External
    }

    fn rust_path(&self, unit: UnitId, path: &str, depth: u8, steps: u8) -> Value {
        let modules = &self.project.modules;
        let mut at = unit;
        let mut depth = depth;
        let mut parts = path.split("::").peekable();
        let mut anchored = false;
        while let Some(part) = parts.peek() {
            match *part {
                "crate" => at = modules.rust_root(unit, &self.project.units),
                "self" => {}
                // Inside an inline module, the file itself is the parent.
                "super" if depth > 0 => depth -= 1,
                "super" => {
                    match self.unit(at).and_then(|u| modules.rust_parent(u.path)) {
                        Some(parent) => at = parent,
                        None => return Value::Unknown,
                    };
                }
                _ => break,
            }
            anchored = true;
            parts.next();
        }
        let start = if anchored {
            Value::Module(at)
        } else {
            let Some(first) = parts.next() else { return Value::Unknown };
            let child = self.unit(unit).and_then(|u| modules.rust_child(u.path, first));
            match child.or_else(|| modules.named(Modules::Rust, first)) {
                Some(module) => Value::Module(module),
                None => match self.top(unit, first, false) {
                    Some(symbol) => self.project.value(symbol),
                    None if self.project.namespaces.contains(&(unit, first)) => Value::Module(unit),
                    None => Value::External,
                },
            }
        };
        parts.fold(start, |value, part| self.part(value, part, steps + 1))
    }

    /// `value.name` as a path: a declaration or module in a module, a member of a type.
    fn part(&self, value: Value, name: &str, steps: u8) -> Value {
        match value {
            Value::Module(module) => self.in_module(module, name, steps),
            Value::Type(owner) => {
                self.member(owner, name).map_or(Value::Unknown, |s| self.project.value(s))
            }
            Value::External => Value::External,
            _ => Value::Unknown,
        }
    }

    /// What a module makes known under a name: its declarations, what it re-exports, its child modules.
    fn in_module(&self, module: ModuleId, name: &str, steps: u8) -> Value {
        if steps > MAX_STEPS {
            return Value::Unknown;
        }
        let files = self.project.modules.files(module);
        if name == "default"
            && let Some(symbol) = self.project.default_export(module)
        {
            return self.project.value(symbol);
        }
        if let Some(symbol) = files.iter().find_map(|file| self.top(*file, name, true)) {
            return self.project.value(symbol);
        }
        let [file] = files else { return Value::Unknown };
        let Some(unit) = self.unit(*file) else { return Value::Unknown };
        if self.project.namespaces.contains(&(*file, name)) {
            return Value::Module(*file);
        }
        let child = match unit.language.modules {
            Modules::Rust => self.project.modules.rust_child(unit.path, name),
            Modules::Python => self.project.modules.python_child(unit.path, name),
            _ => None,
        };
        if let Some(at) = self.by_local.get(&(*file, name)) {
            let binding = unit.code.bindings.get(*at);
            let value = binding.map_or(Value::Unknown, |b| self.binding(*file, b, steps + 1));
            if !matches!(value, Value::Unknown) {
                return value;
            }
        }
        if let Some(child) = child {
            return Value::Module(child);
        }
        if let Some(Value::Type(whole)) =
            self.project.default_export(module).map(|s| self.project.value(s))
            && let Some(member) = self.member(whole, name)
        {
            return self.project.value(member);
        }
        self.by_wildcard(*file, name, steps + 1).unwrap_or(Value::Unknown)
    }

    /// The member of a type or of what it inherits from.
    fn member(&self, owner: SymbolId, name: &str) -> Option<SymbolId> {
        let mut seen = HashSet::new();
        let mut waiting = std::collections::VecDeque::from([owner]);
        while let Some(at) = waiting.pop_front() {
            if !seen.insert(at) || seen.len() > MAX_SUPERTYPES {
                continue;
            }
            if let Some(found) = self.members.get(&(at, name)).and_then(|all| all.first()) {
                return Some(*found);
            }
            waiting.extend(self.supertypes.get(&at).into_iter().flatten());
        }
        None
    }

    // ---- expressions ----

    /// What a type's name stands for at a place.
    fn type_named(&self, place: Place, path: &str, steps: u8) -> Value {
        if steps > MAX_STEPS {
            return Value::Unknown;
        }
        match self.expression(place, path, steps + 1) {
            Value::Type(symbol) => Value::Type(symbol),
            Value::External => Value::External,
            _ => Value::Unknown,
        }
    }

    /// A type that is written out: if the project doesn't know it, nothing inside the project is meant.
    fn declared(&self, place: Place, path: &str, steps: u8) -> Value {
        match self.type_named(place, path, steps + 1) {
            Value::Unknown => Value::External,
            known => known,
        }
    }

    /// What a dotted expression stands for: `self.client`, `Foo::new()`, `module.make().field`.
    fn expression(&self, place: Place, text: &str, steps: u8) -> Value {
        if steps > MAX_STEPS || text.starts_with('?') {
            return Value::Unknown;
        }
        let Some(unit) = self.unit(place.unit) else { return Value::Unknown };
        let mut value = None;
        for part in text.split(['.', ':']).filter(|p| !p.is_empty()) {
            let (name, is_call) =
                part.strip_suffix("()").map_or((part, false), |name| (name, true));
            value = Some(match value {
                None => self.first_part(unit, place, name, is_call, text, steps),
                Some(value) => self.next_part(value, name, is_call, steps),
            });
            if matches!(value, Some(Value::Unknown | Value::External)) {
                break;
            }
        }
        value.unwrap_or(Value::Unknown)
    }

    fn first_part(
        &self,
        unit: &'a Unit<'a>,
        place: Place,
        name: &str,
        is_call: bool,
        text: &str,
        steps: u8,
    ) -> Value {
        let enclosing = || {
            let found = unit
                .code
                .scopes_outwards(place.scope)
                .find_map(|(id, _)| self.owner(place.unit, id));
            found.map_or(Value::Unknown, Value::Type)
        };
        let is_rust = unit.language.modules == Modules::Rust;
        match name {
            "crate" | "super" | "self" if is_rust && text.starts_with(&format!("{name}::")) => {
                return self.rust_path(place.unit, name, 0, steps);
            }
            "self" | "this" | "Self" | "cls" => return enclosing(),
            "super" => {
                let Value::Type(own) = enclosing() else { return Value::Unknown };
                let parent = self.supertypes.get(&own).and_then(|all| all.first());
                return parent.map_or(Value::Unknown, |p| Value::Type(*p));
            }
            _ => {}
        }
        if let Some(local) = self.local(unit, place, name) {
            let place = Place { line: local.line.saturating_sub(1), scope: local.scope, ..place };
            return if is_call {
                Value::Unknown
            } else {
                self.local_type(unit, place, local, steps)
            };
        }
        let found = self.name(place, name, is_call, steps);
        match found {
            Value::Symbol(symbol) => self.outcome(symbol, is_call, steps),
            Value::Unknown if unit.language.implicit_this => {
                let owners = unit
                    .code
                    .scopes_outwards(place.scope)
                    .filter_map(|(id, _)| self.owner(place.unit, id));
                owners
                    .map(|owner| self.field_type(owner, name, steps))
                    .find(|value| *value != Value::Unknown)
                    .unwrap_or(Value::Unknown)
            }
            Value::Unknown if is_rust => self.rust_path(place.unit, name, 0, steps),
            found => found,
        }
    }

    fn next_part(&self, value: Value, name: &str, is_call: bool, steps: u8) -> Value {
        match value {
            // `Type.class` is a reflection object, no value of the type.
            Value::Type(_) if matches!(name, "class" | "java" | "javaClass" | "__class__") => {
                Value::External
            }
            Value::Module(module) => match self.in_module(module, name, steps + 1) {
                Value::Symbol(symbol) => self.outcome(symbol, is_call, steps),
                found => found,
            },
            Value::Type(owner) => {
                if !is_call {
                    let field = self.field_type(owner, name, steps);
                    if field != Value::Unknown {
                        return field;
                    }
                }
                match self.member(owner, name).map(|symbol| (symbol, self.project.value(symbol))) {
                    Some((_, Value::Type(inner))) => Value::Type(inner),
                    Some((symbol, _)) => self.outcome(symbol, is_call, steps),
                    None if KEEPS_TYPE.contains(&name) => value,
                    None => Value::Unknown,
                }
            }
            other => other,
        }
    }

    /// What a function returns, or the type of a constant.
    fn outcome(&self, symbol: SymbolId, is_call: bool, steps: u8) -> Value {
        let Some((id, scope)) = self.project.scope_of(symbol) else { return Value::Unknown };
        let Some(unit) = self.unit(id) else { return Value::Unknown };
        let Some(known) = unit.code.scope(scope) else { return Value::Unknown };
        if let Some(returns) = known.returns {
            let line =
                unit.code.symbols.get(known.symbol.unwrap_or(0) as usize).map_or(0, |s| s.line);
            return match unit.code.string(returns) {
                "Self" => self.owner_of.get(&symbol).map_or(Value::Unknown, |o| Value::Type(*o)),
                path => {
                    self.type_named(Place { unit: id, scope: Some(scope), line }, path, steps + 1)
                }
            };
        }
        if is_call {
            return Value::Unknown;
        }
        let Some(name) = self.project.symbol(symbol).map(|s| s.name.as_str()) else {
            return Value::Unknown;
        };
        let constant = unit.locals_named(name).iter().find(|local| local.scope == known.parent);
        constant.map_or(Value::Unknown, |local| {
            let place = Place { unit: id, scope: known.parent, line: local.line };
            self.local_type(unit, place, local, steps)
        })
    }

    /// The type of a variable: the declared one, else that of what it is set to.
    fn local_type(&self, unit: &'a Unit<'a>, place: Place, local: &Local, steps: u8) -> Value {
        if let Some(declared) = local.declared {
            return self.declared(place, unit.code.string(declared), steps);
        }
        local.value.map_or(Value::Unknown, |value| {
            self.expression(place, unit.code.string(value), steps + 1)
        })
    }

    /// The type of a field of a type or of what it inherits from.
    fn field_type(&self, owner: SymbolId, name: &str, steps: u8) -> Value {
        let mut waiting = vec![owner];
        let mut seen = HashSet::new();
        while let Some(at) = waiting.pop() {
            if !seen.insert(at) || seen.len() > MAX_SUPERTYPES {
                continue;
            }
            for (id, scope) in self.scopes_of.get(&at).into_iter().flatten() {
                let Some(unit) = self.unit(*id) else { continue };
                let mut fields = unit
                    .locals_named(name)
                    .iter()
                    .filter(|l| l.is_field && l.scope == Some(*scope));
                let typed = fields.find(|l| l.declared.is_some() || l.value.is_some());
                if let Some(field) = typed {
                    let place = Place { unit: *id, scope: Some(*scope), line: field.line };
                    return self.local_type(unit, place, field, steps + 1);
                }
            }
            waiting.extend(self.supertypes.get(&at).into_iter().flatten());
        }
        Value::Unknown
    }

    // ---- the last resort ----

    /// The project's only method of this name, if the name or the file makes it likely that it is meant.
    fn only_method(&self, unit: UnitId, name: &str) -> Option<SymbolId> {
        let from = self.unit(unit)?;
        if is_common(name) {
            return None;
        }
        let candidates: Vec<SymbolId> = self
            .methods
            .get(name)?
            .iter()
            .copied()
            .filter(|candidate| {
                let home = self.project.unit_of(*candidate).and_then(|u| self.unit(u));
                home.is_some_and(|home| {
                    home.language.family == from.language.family && (from.is_test || !home.is_test)
                })
            })
            .collect();
        let owner = |id: &SymbolId| self.owner_of.get(id).copied();
        let root = *candidates.iter().find(|candidate| {
            candidates.iter().all(|other| match (owner(candidate), owner(other)) {
                (Some(root), Some(heir)) => self.inherits(heir, root),
                _ => candidates.len() == 1,
            })
        })?;
        let visible = owner(&root)
            .and_then(|o| self.project.symbol(o))
            .is_some_and(|o| from.mentions(&o.name));
        (visible || is_telling(name)).then_some(root)
    }

    fn inherits(&self, heir: SymbolId, ancestor: SymbolId) -> bool {
        let mut waiting = vec![heir];
        let mut seen = HashSet::new();
        while let Some(at) = waiting.pop() {
            if at == ancestor {
                return true;
            }
            if seen.insert(at) && seen.len() <= MAX_SUPERTYPES {
                waiting.extend(self.supertypes.get(&at).into_iter().flatten());
            }
        }
        false
    }
}

/// Methods whose result is used like what they were called on.
const KEEPS_TYPE: [&str; 16] = [
    "unwrap",
    "expect",
    "clone",
    "as_ref",
    "as_mut",
    "as_deref",
    "to_owned",
    "borrow",
    "borrow_mut",
    "lock",
    "read",
    "write",
    "await",
    "unwrap_or_default",
    "also",
    "apply",
];
