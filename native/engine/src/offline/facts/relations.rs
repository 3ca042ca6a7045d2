//! Who calls, extends, tests and shows whom.

use std::collections::BTreeSet;

use ouro_core::analysis::{Reference, ReferenceKind};

use super::{Facts, SymbolId, is_callable, is_type};

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
}
