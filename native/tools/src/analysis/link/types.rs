//! The types of dotted expressions, as far as declarations and plain assignments tell them.

use std::collections::HashSet;

use super::{
    project::{SymbolId, Unit, Value},
    resolve::{MAX_STEPS, MAX_SUPERTYPES, Place, Resolver},
};
use crate::{analysis::code::Local, languages::Modules};

impl<'a> Resolver<'a> {
    /// What a type's name stands for at a place.
    pub(super) fn type_named(&self, place: Place, path: &str, steps: u8) -> Value {
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
    pub(super) fn expression(&self, place: Place, text: &str, steps: u8) -> Value {
        if steps > MAX_STEPS || text.starts_with('?') {
            return Value::Unknown;
        }
        let Some(unit) = self.unit(place.unit) else { return Value::Unknown };
        // A string is of the language's own type. Other languages than these may give it functions of a project.
        if text.starts_with('"') {
            let is_plain = unit.language.modules == Modules::Packages;
            return if is_plain { Value::External } else { Value::Unknown };
        }
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
                    let place = Place { unit: id, scope: Some(scope), line };
                    // Kotlin and Java write every type out.
                    if unit.language.modules == Modules::Packages {
                        self.declared(place, path, steps + 1)
                    } else {
                        self.type_named(place, path, steps + 1)
                    }
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
