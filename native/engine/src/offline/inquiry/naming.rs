//! Which things of a project a piece of example code names.

use std::collections::BTreeSet;

use ouro_core::analysis::{Symbol, SymbolKind};

use crate::offline::{
    facts::{Facts, SymbolId, is_callable, is_type},
    prose::NumberedLine,
};

/// Documented things that an example is likely to name.
pub(super) fn likely(facts: &Facts) -> Vec<SymbolId> {
    let mut found: Vec<(SymbolId, f32)> = facts
        .ids()
        .filter(|(id, s)| {
            let owner = facts.owner(*id).and_then(|o| facts.symbol(o));
            let seen = s.exported || owner.is_some_and(|o| o.exported && !s.name.starts_with('_'));
            let free = s.container.is_none();
            seen && (s.doc.is_some() || is_type(s.kind) || free) && facts.is_product(*id)
        })
        .filter(|(id, s)| is_callable(s.kind) || (is_type(s.kind) && !facts.is_failure(*id)))
        .map(|(id, s)| {
            let owner = facts.owner(id).map_or(0.0, |o| facts.weight(o));
            let free = if s.container.is_none() { 0.5 } else { 0.0 };
            let public = if facts.is_reexported(id) { 1.0 } else { 0.0 };
            (id, facts.weight(id) + owner + free + public)
        })
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.into_iter().take(5000).map(|f| f.0).collect()
}

/// The things that an example names, in its order: a function only where it is called.
pub(super) fn pieces(facts: &Facts, lines: &[NumberedLine], likely: &[SymbolId]) -> Vec<SymbolId> {
    let code: String = lines.iter().map(|(_, t)| format!("{}\n", without_comment(t))).collect();
    let words: Vec<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let known: BTreeSet<&str> = words.iter().copied().collect();
    let mut named = BTreeSet::new();
    let mut found: Vec<(usize, SymbolId)> = likely
        .iter()
        .filter_map(|id| {
            let s = facts.symbol(*id)?;
            let at = words.iter().position(|w| *w == s.name)?;
            let meant = match facts.owner(*id).filter(|_| is_callable(s.kind)) {
                Some(owner) => is_method_call(facts, owner, &s.name, &code, &known),
                None if is_callable(s.kind) => {
                    (s.doc.is_some() || is_only(facts, *id))
                        && is_function_call(facts, &s.name, s.doc.is_some(), &code)
                }
                None => true,
            };
            (meant && named.insert(s.name.clone())).then_some((at, *id))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().take(5).map(|f| f.1).collect()
}

/// What stands before each call of a name: `None` for nothing, else the word before the dot.
fn receivers<'c>(code: &'c str, name: &str) -> Vec<Option<&'c str>> {
    let call = format!("{name}(");
    code.match_indices(&call)
        .filter_map(|(at, _)| {
            let before = code.get(..at)?;
            let Some(object) = before.strip_suffix('.').or_else(|| before.strip_suffix("::"))
            else {
                let inside = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
                return (!inside).then_some(None);
            };
            let start =
                object.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |n| n + 1);
            Some(object.get(start..))
        })
        .collect()
}

/// Whether the code calls a method of this type: on an object, where the type or an heir of it is named as well.
fn is_method_call(
    facts: &Facts,
    owner: SymbolId,
    name: &str,
    code: &str,
    known: &BTreeSet<&str>,
) -> bool {
    let Some(symbol) = facts.symbol(owner) else { return false };
    let made = name == symbol.name && code.contains(&format!("{name}("));
    let receivers = receivers(code, name);
    if symbol.kind == SymbolKind::Constant {
        return receivers.contains(&Some(symbol.name.as_str()));
    }
    let maker = format!("New{}", symbol.name);
    let own = known.contains(symbol.name.as_str())
        || known.contains(maker.as_str())
        || facts.is_namesake(&symbol.name);
    // `Walk::new` is no function of another type, however well that is known.
    let fits = |receiver: &Option<&str>| {
        receiver.is_some_and(|r| !r.starts_with(char::is_uppercase) || r == symbol.name)
    };
    made || (receivers.iter().any(fits) && (own || inherited(facts, owner, known, 3)))
}

/// Whether no other part of the product has a free function of this name.
fn is_only(facts: &Facts, id: SymbolId) -> bool {
    let name = facts.symbol(id).map_or("", |s| s.name.as_str());
    let same = |other: SymbolId, s: &Symbol| {
        s.name == name && s.container.is_none() && facts.is_product(other)
    };
    facts.ids().filter(|(other, s)| same(*other, s)).count() == 1
}

/// Whether the code calls a free function: by its bare name, or through the package or a module of it.
fn is_function_call(facts: &Facts, name: &str, documented: bool, code: &str) -> bool {
    let analysis = facts.analysis();
    let project = facts.name().to_lowercase();
    // `import * as z from "zod"` makes `z` the package.
    let imported = |object: &str| {
        code.lines().any(|line| {
            let words = || line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let imports = words().any(|w| matches!(w, "import" | "require" | "use"));
            imports && line.to_lowercase().contains(&project) && words().any(|w| w == object)
        })
    };
    receivers(code, name).into_iter().any(|receiver| match receiver {
        None => documented,
        Some(object) if imported(object) => true,
        Some(object) => {
            let plain = analysis.name.to_lowercase().replace('-', "_");
            object.to_lowercase() == plain
                || analysis.modules.iter().any(|m| m.path.rsplit('/').next() == Some(object))
        }
    })
}

/// Whether a named type inherits from this one.
fn inherited(facts: &Facts, id: SymbolId, known: &BTreeSet<&str>, depth: u32) -> bool {
    facts.implementors(id).iter().filter_map(|r| r.from_symbol).any(|heir| {
        facts.symbol(heir).is_some_and(|s| known.contains(s.name.as_str()))
            || (depth > 0 && heir != id && inherited(facts, heir, known, depth - 1))
    })
}

/// A line of code without the comment at its end.
fn without_comment(line: &str) -> &str {
    let cut = ["// ", "# "].iter().filter_map(|m| line.find(m)).min();
    cut.and_then(|n| line.get(..n)).unwrap_or(line)
}
