//! What a library of Rust offers to other crates: what its root declares, what stands in its public modules, and what
//! either hands on by `pub use`, maybe under another name. Whatever else is `pub` is so for the crate alone.

use std::collections::{BTreeSet, HashSet};

use super::{
    project::{Project, SymbolId, UnitId, Value},
    resolve::Resolver,
};
use crate::{analysis::role::file_name, languages::Modules};

/// How the declarations of libraries of Rust are known to other crates.
pub(super) struct Offer {
    /// What they can't reach, though it is marked as public.
    pub hidden: Vec<SymbolId>,
    /// The names of what they know by others than its own.
    pub aliases: Vec<(String, SymbolId)>,
}

/// What the libraries of Rust in this project offer.
pub(super) fn offer(project: &Project<'_>, resolver: &Resolver<'_>) -> Offer {
    let is_rust = |id: &UnitId| {
        project.units.get(*id).is_some_and(|u| u.language.modules == Modules::Rust && !u.is_test)
    };
    let units = || (0..project.units.len()).filter(is_rust);
    let is_library =
        |id: &UnitId| project.units.get(*id).is_some_and(|u| file_name(u.path) == "lib.rs");
    let roots: Vec<UnitId> = units().filter(is_library).collect();
    let Reach { symbols: offered, aliases } = reach(project, resolver, roots.clone());
    let is_of_crate =
        |id: SymbolId| project.symbol(id).is_some_and(|s| s.signature.starts_with("pub("));
    // What is marked as the crate's own, `pub(crate)`, misleads nobody.
    let is_hidden = |id: SymbolId| {
        let is_public = project.symbol(id).is_some_and(|s| s.exported) && !is_of_crate(id);
        is_public && !offered.contains(&id)
    };
    let mut hidden = Vec::new();
    for id in units() {
        let Some(unit) = project.units.get(id) else { continue };
        if !roots.contains(&project.modules.rust_root(id, &project.units)) {
            continue;
        }
        for (at, symbol) in unit.code.symbols.iter().enumerate().filter(|(_, s)| s.exported) {
            let symbol_id = unit.first_symbol + at;
            // Whoever has a value can call the functions of its type, but those of the crate alone.
            let of_type =
                |owner| is_hidden(owner) || (is_of_crate(symbol_id) && !is_of_crate(owner));
            let owner = resolver.owner_of(symbol_id);
            if owner.map_or(symbol.container.is_none() && is_hidden(symbol_id), of_type) {
                hidden.push(symbol_id);
            }
        }
    }
    Offer { hidden, aliases: aliases.into_iter().collect() }
}

/// What can be named from outside of some crates.
#[derive(Default)]
struct Reach {
    symbols: HashSet<SymbolId>,
    aliases: BTreeSet<(String, SymbolId)>,
}

/// What can be named from outside of the crates with these roots.
fn reach(project: &Project<'_>, resolver: &Resolver<'_>, roots: Vec<UnitId>) -> Reach {
    let mut found = Reach::default();
    let mut seen: HashSet<UnitId> = roots.iter().copied().collect();
    let mut waiting = roots;
    while let Some(id) = waiting.pop() {
        let Some(unit) = project.units.get(id) else { continue };
        let own = unit.code.symbols.iter().enumerate();
        let own = own.filter(|(_, s)| s.container.is_none() && s.signature.starts_with("pub "));
        found.symbols.extend(own.map(|(at, _)| unit.first_symbol + at));
        let children = unit.code.open_modules.iter();
        let mut modules: Vec<UnitId> =
            children.filter_map(|name| project.modules.rust_child(unit.path, name)).collect();
        for (binding, value) in unit.code.bindings.iter().zip(resolver.bindings(id)) {
            match *value {
                _ if !binding.is_public => {}
                Value::Type(symbol) | Value::Symbol(symbol) => {
                    found.symbols.insert(symbol);
                    let is_other = project.symbol(symbol).is_some_and(|s| s.name != *binding.local);
                    if is_other && &*binding.local != "_" {
                        found.aliases.insert((binding.local.to_string(), symbol));
                    }
                }
                Value::Module(module) => modules.extend(project.modules.files(module)),
                _ => {}
            }
        }
        waiting.extend(modules.into_iter().filter(|module| seen.insert(*module)));
    }
    found
}
