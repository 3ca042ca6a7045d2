//! Follows names and dotted expressions to declarations.

use std::collections::HashMap;

use ouro_core::analysis::{ReferenceKind, SymbolKind};

use super::{
    members::takes_beside_self,
    names::{is_common, is_telling},
    project::{Project, SymbolId, Unit, UnitId, Value},
};
use crate::{
    analysis::code::{Local, RawReference, ScopeId},
    languages::Modules,
};

/// Longest way from one name to the next: re-exports, values of variables, supertypes.
pub(super) const MAX_STEPS: u8 = 6;
/// Most supertypes looked at for one member.
pub(super) const MAX_SUPERTYPES: usize = 64;

/// Knows what every import and every type's members are.
#[derive(Debug)]
pub(super) struct Resolver<'a> {
    pub(super) project: &'a Project<'a>,
    pub(super) bindings: Vec<Vec<Value>>,
    /// The imports of each file by local name.
    pub(super) by_local: HashMap<(UnitId, &'a str), usize>,
    pub(super) owners: Vec<Vec<Option<SymbolId>>>,
    pub(super) members: HashMap<(SymbolId, &'a str), Vec<SymbolId>>,
    pub(super) methods: HashMap<&'a str, Vec<SymbolId>>,
    pub(super) owner_of: HashMap<SymbolId, SymbolId>,
    pub(super) supertypes: HashMap<SymbolId, Vec<SymbolId>>,
    pub(super) scopes_of: HashMap<SymbolId, Vec<(UnitId, ScopeId)>>,
}

/// Where a name stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) unit: UnitId,
    pub(super) scope: Option<ScopeId>,
    pub(super) line: u32,
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
        // Members can be imported too, and were not known the first time.
        resolver.bindings = (0..project.units.len()).map(|id| resolver.all_bindings(id)).collect();
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

    /// The type that a member belongs to.
    pub(super) fn owner_of(&self, member: SymbolId) -> Option<SymbolId> {
        self.owner_of.get(&member).copied()
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
                Value::Symbol(symbol) if is_call => {
                    self.overload(symbol, name, reference.arguments)
                }
                Value::Type(symbol) | Value::Symbol(symbol) => Some(symbol),
                Value::Module(module) => match self.in_module(module, "default", 0) {
                    Value::Type(symbol) | Value::Symbol(symbol) => Some(symbol),
                    _ => None,
                },
                _ => None,
            };
        };
        match self.expression(place, code.string(receiver), 0) {
            Value::Type(owner) => self.member_taking(owner, name, reference.arguments),
            Value::Module(module) => match self.in_module(module, name, 0) {
                Value::Type(symbol) | Value::Symbol(symbol) => Some(symbol),
                _ => None,
            },
            Value::Unknown if is_call => {
                let found = self.extension(place, name).map(|(found, _)| found);
                found.or_else(|| self.only_method(unit, name, reference.arguments))
            }
            // What is of another package is none of this project's types.
            Value::External if is_call => self
                .extension(place, name)
                .filter(|(_, extended)| !matches!(extended, Value::Type(_)))
                .map(|(found, _)| found),
            _ => None,
        }
    }

    /// The package or module of another project that a call leads to, as it was imported.
    pub(super) fn outside(&self, unit: UnitId, reference: &RawReference) -> Option<&'a str> {
        let code = self.unit(unit)?.code;
        let name = code.string(reference.name);
        let receiver = reference.receiver.map_or(name, |receiver| code.string(receiver));
        let first = receiver.split(['.', ':']).next()?.trim_end_matches("()");
        let place = Place { unit, scope: reference.scope, line: reference.line };
        let at = *self.by_local.get(&(unit, first))?;
        let is_outside = reference.kind == ReferenceKind::Call
            && self.bindings(unit).get(at) == Some(&Value::External)
            && !self.is_shadowed(place, first);
        code.bindings.get(at).filter(|_| is_outside).map(|binding| &*binding.module)
    }

    /// The form of a function that takes so many arguments, where its type has several.
    fn overload(&self, symbol: SymbolId, name: &str, arguments: Option<u8>) -> Option<SymbolId> {
        match self.owner_of.get(&symbol) {
            Some(owner) => self.member_taking(*owner, name, arguments),
            None => Some(symbol),
        }
    }

    /// A function of the project that extends a type, and that type (Kotlin).
    fn extension(&self, place: Place, name: &str) -> Option<(SymbolId, Value)> {
        if self.unit(place.unit)?.language.modules != Modules::Packages {
            return None;
        }
        let Value::Symbol(found) = self.name(place, name, true, 0) else { return None };
        let (unit, scope) = self.project.scope_of(found)?;
        let code = self.unit(unit)?.code;
        let extended = code.scope(scope).filter(|s| s.parent.is_none())?.owner?;
        let home = Place { unit, scope: None, line: 0 };
        Some((found, self.type_named(home, code.string(extended), 0)))
    }

    pub(super) fn unit(&self, id: UnitId) -> Option<&'a Unit<'a>> {
        self.project.units.get(id)
    }

    /// Whether a variable, parameter or type parameter hides the declarations of this name.
    fn is_shadowed(&self, place: Place, name: &str) -> bool {
        let Some(unit) = self.unit(place.unit) else { return false };
        self.local(unit, place, name).is_some()
    }

    /// The variable of this name that is known in a function around a place, the last one set before it.
    pub(super) fn local(&self, unit: &'a Unit<'a>, place: Place, name: &str) -> Option<&'a Local> {
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
    pub(super) fn name(&self, place: Place, name: &str, is_call: bool, steps: u8) -> Value {
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
        let mut around = unit.code.scopes_outwards(place.scope);
        let part = |(scope, _)| self.project.parts.get(&(place.unit, scope, name));
        if let Some(part) = around.find_map(part) {
            return self.project.value(*part);
        }
        let top = self.top(place.unit, name, is_call);
        if let Some(symbol) = top.filter(|symbol| self.is_bound(unit, *symbol)) {
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

    /// Whether the name of a top-level declaration means it in its own file: what a script only sets on its exports
    /// (`exports.send = ...`, `module.exports = { send() {} }`) is known to others by it.
    fn is_bound(&self, unit: &Unit<'_>, symbol: SymbolId) -> bool {
        if unit.language.family != "ecmascript" {
            return true;
        }
        let Some(symbol) = self.project.symbol(symbol) else { return false };
        let mut words = symbol.signature.split([' ', '*', '(']).filter(|w| !w.is_empty());
        let is_modifier = |w: &&str| {
            matches!(*w, "export" | "default" | "declare" | "abstract" | "async")
                || w.starts_with('@')
        };
        words.by_ref().find(|w| !is_modifier(w)).is_some_and(|word| {
            let kinds = ["function", "class", "const", "let", "var", "interface", "type", "enum"];
            kinds.contains(&word) || matches!(word, "namespace" | "module")
        })
    }

    /// A declaration of a file's top level.
    pub(super) fn top(&self, unit: UnitId, name: &str, is_call: bool) -> Option<SymbolId> {
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

    /// The project's only method of this name, if it can be called with so many arguments and the name or the file makes
    /// it likely that it is meant.
    fn only_method(&self, unit: UnitId, name: &str, arguments: Option<u8>) -> Option<SymbolId> {
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
        // JavaScript takes any number of arguments.
        let fits = |id: &SymbolId| {
            from.language.family == "ecmascript"
                || arguments.zip(self.project.symbol(*id)).is_none_or(|(count, method)| {
                    takes_beside_self(&method.signature, &method.name, count)
                })
        };
        // What an heir takes beside that shows that the heir is meant.
        let mut fitting = candidates.iter().copied().filter(fits);
        let meant = if fits(&root) { root } else { fitting.next()? };
        if meant != root && fitting.next().is_some() {
            return None;
        }
        let visible = owner(&root)
            .and_then(|o| self.project.symbol(o))
            .is_some_and(|o| from.mentions(&o.name));
        (visible || is_telling(name)).then_some(meant)
    }
}
