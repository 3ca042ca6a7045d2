//! What imports make known: modules, what is in them, what they hand on.

use super::{
    project::{ModuleId, SymbolId, UnitId, Value},
    resolve::{MAX_STEPS, Resolver},
};
use crate::languages::{Binding, Modules};

impl<'a> Resolver<'a> {
    pub(super) fn all_bindings(&self, id: UnitId) -> Vec<Value> {
        let Some(unit) = self.unit(id) else { return Vec::new() };
        unit.code.bindings.iter().map(|binding| self.binding(id, binding, 0)).collect()
    }

    pub(super) fn binding(&self, unit: UnitId, binding: &Binding, steps: u8) -> Value {
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

    pub(super) fn by_wildcard(&self, unit: UnitId, name: &str, steps: u8) -> Option<Value> {
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

    pub(super) fn rust_path(&self, unit: UnitId, path: &str, depth: u8, steps: u8) -> Value {
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
    pub(super) fn part(&self, value: Value, name: &str, steps: u8) -> Value {
        match value {
            // A companion's members are known as the class' own.
            Value::Type(_) if name == "Companion" => value,
            Value::Module(module) => self.in_module(module, name, steps),
            Value::Type(owner) => {
                self.member(owner, name).map_or(Value::Unknown, |s| self.project.value(s))
            }
            Value::External => Value::External,
            _ => Value::Unknown,
        }
    }

    /// Everything that a module exports, what it hands on of others included.
    pub(super) fn all_of(&self, module: ModuleId, steps: u8) -> Vec<SymbolId> {
        let mut found = Vec::new();
        let [file] = self.project.modules.files(module) else { return found };
        let Some(unit) = self.unit(*file).filter(|_| steps <= MAX_STEPS) else { return found };
        let own = (0..unit.code.symbols.len()).map(|at| unit.first_symbol + at);
        let is_top = |id: &SymbolId| {
            let symbol = self.project.symbol(*id);
            symbol.is_some_and(|s| s.exported && s.container.is_none())
        };
        found.extend(own.filter(is_top));
        for (binding, value) in unit.code.bindings.iter().zip(self.bindings(*file)) {
            if let Value::Module(inner) = *value
                && &*binding.local == "*"
            {
                found.extend(self.all_of(inner, steps + 1));
            }
        }
        found
    }

    /// What a module makes known under a name: its declarations, what it re-exports, its child modules.
    pub(super) fn in_module(&self, module: ModuleId, name: &str, steps: u8) -> Value {
        if steps > MAX_STEPS {
            return Value::Unknown;
        }
        let files = self.project.modules.files(module);
        if name == "default"
            && let Some(symbol) = self.project.default_export(module)
        {
            return self.project.value(symbol);
        }
        // What a file hands on as a whole may be what it imported from another.
        if name == "default"
            && let Some(at) =
                self.project.default_name(module).and_then(|n| self.by_local.get(&(module, n)))
            && let Some(binding) = self.unit(module).and_then(|unit| unit.code.bindings.get(*at))
        {
            return match self.binding(module, binding, steps + 1) {
                Value::Module(inner) => self.in_module(inner, name, steps + 1),
                value => value,
            };
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
}
