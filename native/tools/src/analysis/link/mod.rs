//! Finds out which declaration each use of a name means.
//!
//! There is no compiler here, so an edge is drawn only where the language's own rules leave one answer: the same
//! file, an import, the same package, the declared or evident type of what stands before the dot. A method called on
//! something of unknown type is linked only if the project has one method of that name and the name is telling. A
//! missing edge costs little; a wrong one becomes a false statement.

mod imports;
mod members;
mod names;
mod offered;
mod paths;
mod project;
mod resolve;
mod types;

use ouro_core::analysis::{OutsideCall, Reached, Reference, ReferenceKind};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

pub(super) use self::names::is_everyday;
use self::{
    offered::Offer,
    project::{Project, Unit, UnitId, Value},
    resolve::Resolver,
};
use super::{code::Check, read::ScannedFile};
use crate::languages::Modules;

/// The edges of a project.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// By file and line.
    pub references: Vec<Reference>,
    /// By file and line.
    pub outside: Vec<OutsideCall>,
    /// Indexes of symbols: the first calls the second to check something, under these conditions.
    pub checks: Vec<(usize, usize, Check, Reached)>,
    /// Indexes of files: the first imports the second.
    pub file_imports: Vec<(usize, usize)>,
    /// Indexes of symbols: the first is a member of the second.
    pub owners: Vec<(usize, usize)>,
    /// Indexes of a file and a symbol: the second is what whoever imports the first as a whole gets.
    pub wholes: Vec<(usize, usize)>,
    /// Indexes of symbols that other packages can't reach, though they are marked as public.
    pub hidden: Vec<usize>,
    /// Names by which other packages know a symbol that is declared under another one, and its index.
    pub aliases: Vec<(String, usize)>,
}

/// Links all files.
pub(super) fn link(
    files: &[&ScannedFile],
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<Links> {
    let project = Project::new(files);
    let resolver = Resolver::new(&project);
    let per_unit: Option<Vec<Links>> = (0..project.units.len())
        .into_par_iter()
        .map(|unit| (!is_cancelled()).then(|| link_unit(&project, &resolver, unit)))
        .collect();
    let wholes = (0..project.units.len()).filter_map(|unit| whole(&project, &resolver, unit));
    let wholes = wholes.collect();
    let Offer { hidden, aliases } = offered::offer(&project, &resolver);
    let owners = resolver.into_owners();
    let mut links = Links { owners, wholes, hidden, aliases, ..Links::default() };
    for mut unit in per_unit? {
        links.references.append(&mut unit.references);
        links.outside.append(&mut unit.outside);
        links.checks.append(&mut unit.checks);
        links.file_imports.append(&mut unit.file_imports);
    }
    Some(links)
}

/// Whether a file makes everything that it imports from a module known to those who import it.
fn hands_on(unit: &Unit<'_>) -> bool {
    match unit.language.modules {
        Modules::Relative => true,
        Modules::Python => unit.path.ends_with("__init__.py"),
        _ => false,
    }
}

/// A file that can stand for one declaration, and that.
fn whole(project: &Project<'_>, resolver: &Resolver<'_>, id: UnitId) -> Option<(usize, usize)> {
    let unit = project.units.get(id).filter(|u| u.language.modules == Modules::Relative)?;
    match resolver.in_module(id, "default", 0) {
        Value::Type(symbol) | Value::Symbol(symbol) => Some((unit.file, symbol)),
        _ => None,
    }
}

fn link_unit(project: &Project<'_>, resolver: &Resolver<'_>, id: UnitId) -> Links {
    let mut links = Links::default();
    let Some(unit) = project.units.get(id) else { return links };
    let from_file = unit.file;
    let mut references = Vec::new();
    let mut add = |from_symbol: Option<usize>, to: usize, line: u32, kind, reached: Reached| {
        references.push(Reference { from_file, from_symbol, to, line, kind, reached });
    };
    for (binding, value) in unit.code.bindings.iter().zip(resolver.bindings(id)) {
        match *value {
            Value::Type(symbol) | Value::Symbol(symbol) => {
                add(None, symbol, binding.line, ReferenceKind::Import, Reached::default());
            }
            // What a package's file hands on, it offers, though it doesn't name it.
            Value::Module(module) if &*binding.local == "*" && hands_on(unit) => {
                for symbol in resolver.all_of(module, 0) {
                    add(None, symbol, binding.line, ReferenceKind::Import, Reached::default());
                }
            }
            _ => {}
        }
    }
    for reference in &unit.code.references {
        let from =
            unit.code.scopes_outwards(reference.scope).find_map(|(at, scope)| match scope.symbol {
                Some(symbol) => Some(unit.first_symbol + symbol as usize),
                None => resolver.owner(id, at),
            });
        let Some(to) = resolver.resolve(id, reference) else {
            let package = resolver.outside(id, reference);
            links.outside.extend(from.zip(package).map(|(from_symbol, package)| OutsideCall {
                from_symbol,
                package: package.to_owned(),
                name: unit.code.string(reference.name).to_owned(),
                line: reference.line,
                reached: reference.reached.clone(),
            }));
            continue;
        };
        if let (Some(from), Some(check)) = (from, &reference.check) {
            links.checks.push((from, to, Check::clone(check), reference.reached.clone()));
        }
        // A declaration's own name inside it, such as a recursive call, is kept; a type naming itself says nothing.
        if from == Some(to) && reference.kind == ReferenceKind::Use {
            continue;
        }
        add(from, to, reference.line, reference.kind, reference.reached.clone());
    }
    links.references = references;
    links.references.sort_by_key(|r| (r.line, r.to, r.kind, r.from_symbol));
    links.references.dedup_by_key(|r| (r.line, r.to, r.kind, r.from_symbol));
    for value in resolver.bindings(id) {
        if let Value::Module(module) = value {
            let targets =
                project.modules.files(*module).iter().filter_map(|u| project.units.get(*u));
            links.file_imports.extend(targets.map(|target| (unit.file, target.file)));
        }
    }
    links
}
