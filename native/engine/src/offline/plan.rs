//! What to look at for an answer, and in which calls.

use ouro_core::{
    Observation,
    analysis::{CitedText, Symbol},
};
use serde_json::{Value, json};

use super::{
    facts::{Facts, SymbolId},
    wording::Wording,
};

/// Most calls for one answer.
const MOST_CALLS: usize = 9;
/// Most lines in one reading: they fit the usual limit of a tool's result.
const MOST_LINES: u32 = 240;
/// Lines of a documentation that are read where it is too long to be read with the rest: what is told of it stands at
/// its beginning, and all that can be read is limited.
const BEGINNING: u32 = 60;
/// Longest documentation above a declaration that is read as a whole: in two parts it would take two readings.
const MOST_ABOVE: u32 = 200;
/// Two places nearer than this are read at once.
const NEAR: u32 = 40;

/// Something worth seeing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Want {
    /// Lines of a file.
    Lines {
        /// The file.
        path: String,
        /// First line.
        start: u32,
        /// Last line.
        end: u32,
    },
    /// Who calls a symbol.
    Callers(SymbolId),
    /// What a symbol calls.
    Callees(SymbolId),
    /// Lines that match.
    Grep {
        /// A regular expression.
        pattern: String,
        /// Which files.
        glob: String,
        /// Most lines.
        max: u32,
    },
}

/// Things worth seeing, the most important first.
#[derive(Debug, Default)]
pub(crate) struct Wants(Vec<Want>);

impl Wants {
    pub(crate) fn lines(&mut self, path: &str, start: u32, end: u32) {
        if !path.is_empty() && start > 0 {
            self.0.push(Want::Lines { path: path.to_owned(), start, end: end.max(start) });
        }
    }

    /// A symbol's documentation, wherever it stands, name and the first `body` lines after it.
    pub(crate) fn declaration(&mut self, facts: &Facts, id: SymbolId, body: u32) {
        let Some(symbol) = facts.symbol(id) else { return };
        self.declared(facts, id, symbol, body);
        if let Some((other, doc)) = facts.doc_of(id).filter(|(other, _)| *other != id) {
            let end = doc.end_line.min(doc.start_line.saturating_add(BEGINNING));
            self.lines(facts.path(other), doc.start_line, end);
        }
    }

    fn declared(&mut self, facts: &Facts, id: SymbolId, symbol: &Symbol, body: u32) {
        let start =
            symbol.doc.as_ref().map_or(symbol.start_line, |d| d.start_line.min(symbol.start_line));
        let told = |d: &CitedText| {
            let is_inside = d.start_line > symbol.line;
            let is_long = is_inside || d.end_line.saturating_sub(d.start_line) > MOST_ABOVE;
            let most = if is_long { d.start_line.saturating_add(BEGINNING) } else { u32::MAX };
            d.end_line.min(most)
        };
        let head = symbol.doc.as_ref().map_or(symbol.line, |d| told(d).max(symbol.line));
        // A long documentation ends far from where it begins; that of several forms may stand above the first of them.
        if let Some(doc) =
            symbol.doc.as_ref().filter(|d| told(d).saturating_add(NEAR) < symbol.line)
        {
            self.lines(facts.path(id), doc.start_line, told(doc));
            self.lines(
                facts.path(id),
                symbol.line,
                symbol.line.saturating_add(body).min(symbol.end_line),
            );
            return;
        }
        let end = symbol.line.saturating_add(body).min(symbol.end_line).max(head);
        self.lines(facts.path(id), start, end.min(start.saturating_add(MOST_LINES)));
    }

    pub(crate) fn callers(&mut self, id: SymbolId) {
        self.0.push(Want::Callers(id));
    }

    pub(crate) fn callees(&mut self, id: SymbolId) {
        self.0.push(Want::Callees(id));
    }

    pub(crate) fn grep(&mut self, pattern: String, glob: &str, max: u32) {
        self.0.push(Want::Grep { pattern, glob: glob.to_owned(), max });
    }
}

/// One planned call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    /// The tool.
    pub(crate) tool: &'static str,
    /// Its arguments.
    pub(crate) arguments: Value,
    /// Why, for the log.
    pub(crate) reason: String,
}

/// The calls that show everything wanted: places near each other are read at once.
pub(crate) fn calls(facts: &Facts, wants: &Wants, wording: Wording) -> Vec<Call> {
    let mut merged: Vec<Want> = Vec::new();
    for want in &wants.0 {
        let joined = merged.iter_mut().any(|known| join(known, want));
        if !joined && !merged.contains(want) {
            merged.push(want.clone());
        }
    }
    merged.truncate(MOST_CALLS);
    merged.iter().map(|want| call(facts, want, wording)).collect()
}

/// Widens `known` so that it covers `want` too, if both are near each other in one file.
fn join(known: &mut Want, want: &Want) -> bool {
    let (Want::Lines { path, start, end }, Want::Lines { path: other, start: from, end: to }) =
        (known, want)
    else {
        return false;
    };
    let (low, high) = ((*start).min(*from), (*end).max(*to));
    let near = *from <= end.saturating_add(NEAR) && *start <= to.saturating_add(NEAR);
    let inside = *from >= *start && *to <= *end;
    let fits = path == other && (inside || (near && high - low < MOST_LINES));
    if fits {
        (*start, *end) = (low, high);
    }
    fits
}

fn call(facts: &Facts, want: &Want, wording: Wording) -> Call {
    let label = |id: &SymbolId| facts.label(*id);
    match want {
        Want::Lines { path, start, end } => Call {
            tool: "read_file",
            arguments: json!({ "path": path, "start_line": start, "end_line": end }),
            reason: wording.phrase("plan.read", "", &[("path", path)]),
        },
        Want::Callers(id) => Call {
            tool: "call_chain",
            arguments: json!({ "symbol": label(id), "direction": "callers", "depth": 1 }),
            reason: wording.phrase("plan.callers", "", &[("name", &label(id))]),
        },
        Want::Callees(id) => Call {
            tool: "call_chain",
            arguments: json!({ "symbol": label(id), "direction": "callees", "depth": 1 }),
            reason: wording.phrase("plan.callees", "", &[("name", &label(id))]),
        },
        Want::Grep { pattern, glob, max } => Call {
            tool: "grep_file",
            arguments: json!({ "pattern": pattern, "glob": glob, "max": max }),
            reason: wording.phrase("plan.grep", "", &[("pattern", pattern)]),
        },
    }
}

/// The planned calls that were not made yet. A chain of calls that showed nothing is looked for as text instead.
pub(crate) fn remaining(calls: Vec<Call>, made: &[Observation], wording: Wording) -> Vec<Call> {
    let find = |call: &Call| {
        made.iter().find(|o| o.step.tool_name == call.tool && o.step.parameters == call.arguments)
    };
    let mut open = Vec::new();
    for call in calls {
        match find(&call) {
            None => open.push(call),
            Some(seen) if call.tool == "call_chain" && seen.lines.is_empty() => {
                open.extend(as_text(&call, wording).filter(|c| find(c).is_none()));
            }
            Some(_) => {}
        }
    }
    open
}

/// A search for the name of a symbol whose calls could not be followed.
fn as_text(call: &Call, wording: Wording) -> Option<Call> {
    let symbol = call.arguments.get("symbol")?.as_str()?;
    let name = symbol.rsplit([':', '.']).next().unwrap_or(symbol);
    let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (plain && !name.is_empty()).then(|| Call {
        tool: "grep_file",
        arguments: json!({ "pattern": format!(r"\b{name}\b"), "max": 20 }),
        reason: wording.phrase("plan.grep", "", &[("pattern", name)]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_places_are_read_at_once_and_far_ones_apart() {
        let mut wants = Wants::default();
        wants.lines("a", 10, 20);
        wants.lines("a", 50, 60);
        wants.lines("a", 900, 910);
        wants.lines("b", 12, 13);
        wants.lines("a", 12, 13);
        let mut merged: Vec<Want> = Vec::new();
        for want in &wants.0 {
            if !merged.iter_mut().any(|k| join(k, want)) {
                merged.push(want.clone());
            }
        }
        let line = |path: &str, start, end| Want::Lines { path: path.to_owned(), start, end };
        assert_eq!(merged, [line("a", 10, 60), line("a", 900, 910), line("b", 12, 13)]);
    }
}
