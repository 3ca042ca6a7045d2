//! Which types stand for a failure.

use ouro_core::analysis::{ReferenceKind, Symbol, SymbolKind};

use super::{Facts, SymbolId, is_type};

impl Facts {
    /// Whether a type stands for a failure: by its name, or by what it extends.
    pub(crate) fn is_failure(&self, id: SymbolId) -> bool {
        self.fails_within(id, 4)
    }

    fn fails_within(&self, id: SymbolId, depth: u32) -> bool {
        // Go makes types of failures of any other: `type NotFoundError string`.
        let is_made = |s: &Symbol| s.kind == SymbolKind::TypeAlias && self.is_of_go(id);
        let Some(symbol) = self.symbol(id).filter(|s| is_type(s.kind) || is_made(s)) else {
            return false;
        };
        let named = ["Error", "Exception", "ErrorKind", "Warning"];
        let thrown = symbol.kind == SymbolKind::Class && self.raised.contains(&symbol.name);
        if thrown || named.iter().any(|n| symbol.name.ends_with(n)) {
            return true;
        }
        depth > 0
            && self.outgoing(id).iter().any(|r| {
                r.kind == ReferenceKind::Extends && r.to != id && self.fails_within(r.to, depth - 1)
            })
    }

    /// The error made in advance that is meant by this name, if only one is called so.
    pub(crate) fn error_value(&self, what: &str) -> Option<SymbolId> {
        let name = what.rsplit([':', '.']).next().unwrap_or(what);
        let mut found =
            self.error_values().filter(|id| self.symbol(*id).is_some_and(|s| s.name == name));
        found.next().filter(|_| found.next().is_none())
    }

    /// The errors that the product makes before anything fails.
    pub(crate) fn error_values(&self) -> impl Iterator<Item = SymbolId> {
        self.made.iter().copied().filter(|id| self.is_product(*id))
    }

    /// The failure type of the project that this one derives from in the end; itself, if from none.
    pub(crate) fn root_failure(&self, id: SymbolId) -> SymbolId {
        let mut at = id;
        for _ in 0..6 {
            let parent = self.outgoing(at).into_iter().find(|r| {
                r.kind == ReferenceKind::Extends
                    && r.to != at
                    && self.is_product(r.to)
                    && self.is_failure(r.to)
            });
            match parent {
                Some(parent) => at = parent.to,
                None => break,
            }
        }
        at
    }
}
