//! Functions that fail for those who call them: `requireState(isOpen, "not open")`.

use ouro_core::analysis::{ConditionKind, FailureSite, Reached, Symbol};

use super::code::Check;

/// Gives each function that has something checked the failure of what it calls for that, with the condition and the
/// message that it hands over. Indexes of symbols: the first calls the second, and is reached like this.
pub(super) fn hand_on(symbols: &mut [Symbol], checks: Vec<(usize, usize, Check, Reached)>) {
    for (from, to, check, mut reached) in checks {
        let Some(checker) = symbols.get(to).filter(|_| from != to) else { continue };
        let Some(what) = fails_with(checker).map(str::to_owned) else { continue };
        let name = checker.name.clone();
        let Some(symbol) = symbols.get_mut(from).filter(|s| !s.is_test) else { continue };
        let line = check.line;
        // A check that is known by its name is a failure already.
        symbol.failures.retain(|f| !(f.line == line && f.what == name));
        let known = reached.conditions.as_mut().unwrap_or(&mut reached.known);
        known.push(check.condition);
        let message = check.message;
        symbol.failures.push(FailureSite { line, what, message, reached, check: Some(name) });
        symbol.failures.sort_by_key(|f| f.line);
    }
}

/// With what a function fails unless its first parameter holds, if that is what it is for.
fn fails_with(symbol: &Symbol) -> Option<&str> {
    let parameter = first_parameter(symbol)?;
    let [failure] = symbol.failures.as_slice() else { return None };
    let [condition] = failure.reached.conditions.as_deref()? else { return None };
    let text = condition.text.as_str();
    let wanted = match condition.kind {
        ConditionKind::Holds => text.strip_prefix('!').or_else(|| text.strip_prefix("not "))?,
        ConditionKind::Fails => text,
        _ => return None,
    };
    let is_it = |word: &str| word == wanted.trim_matches(['(', ')', ' ']);
    let named = parameter.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_it);
    (named && failure.check.is_none()).then_some(failure.what.as_str())
}

/// The first parameter of a function, as it is declared.
fn first_parameter(symbol: &Symbol) -> Option<&str> {
    let (_, rest) = symbol.signature.split_once(&format!("{}(", symbol.name)).or_else(|| {
        let (_, rest) = symbol.signature.split_once(symbol.name.as_str())?;
        rest.split_once('(')
    })?;
    let own = ["self", "&self", "&mut self", "cls"];
    rest.split([',', ')']).map(str::trim).find(|p| !own.contains(p)).filter(|p| !p.is_empty())
}
