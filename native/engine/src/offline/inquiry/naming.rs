//! Which things of a project a piece of example code names.
//!
//! A name counts only where what stands before it leaves one answer: the package or a module of it, a type, or a
//! variable that the example itself makes. Whatever could be something else is nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::offline::{
    code,
    facts::{Facts, SymbolId, is_callable, is_type},
    prose::NumberedLine,
};

/// Things that an example is likely to name: what others can see.
pub(super) fn likely(facts: &Facts) -> Vec<SymbolId> {
    let mut found: Vec<(SymbolId, f32)> = facts
        .ids()
        .filter(|(id, s)| {
            let owner = facts.owner(*id).and_then(|o| facts.symbol(o));
            let seen = s.exported || owner.is_some_and(|o| o.exported && !s.name.starts_with('_'));
            let free = matches!(s.container.as_deref(), None | Some("module"));
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

/// Names that every program knows without an import.
const PRELUDES: [&str; 30] = [
    "Ok",
    "Err",
    "Some",
    "None",
    "Option",
    "Result",
    "Box",
    "String",
    "Vec",
    "Default",
    "Clone",
    "Iterator",
    "Error",
    "Exception",
    "Object",
    "Array",
    "Map",
    "Set",
    "Promise",
    "Date",
    "Symbol",
    "open",
    "print",
    "format",
    "filter",
    "map",
    "range",
    "type",
    "List",
    "Pair",
];

/// The packages that can be imported: Python's may be called otherwise than the project.
fn top_packages(facts: &Facts) -> Vec<String> {
    let folder = |path: &str| path.strip_suffix("/__init__.py").map(str::to_owned);
    let all: BTreeSet<String> = facts.roots().filter_map(|f| folder(&f.path)).collect();
    let top = |p: &&String| p.rsplit_once('/').is_none_or(|(above, _)| !all.contains(above));
    all.iter().filter(top).filter_map(|p| p.rsplit('/').next()).map(str::to_owned).collect()
}

/// The statements that import something, each on one line.
fn imports(lines: &[NumberedLine]) -> Vec<String> {
    split_imports(lines).0
}

/// What an example does with what it imports.
fn without_imports(lines: &[NumberedLine]) -> Vec<NumberedLine> {
    split_imports(lines).1
}

fn split_imports(lines: &[NumberedLine]) -> (Vec<String>, Vec<NumberedLine>) {
    let mut found: Vec<String> = Vec::new();
    let mut rest: Vec<NumberedLine> = Vec::new();
    let mut open = 0_i32;
    for (number, line) in lines {
        let text = line.trim_start().trim_start_matches(['>', '#', '.', ' ']);
        let requires = line.contains("require(");
        let starts = ["import ", "use ", "pub use ", "from "].iter().any(|s| text.starts_with(s))
            || requires;
        let depth = |text: &str| -> i32 {
            text.chars().map(|c| i32::from("({".contains(c)) - i32::from(")}".contains(c))).sum()
        };
        match found.last_mut().filter(|_| open > 0) {
            Some(last) => {
                last.push(' ');
                last.push_str(text);
                open += depth(text);
            }
            // What is required may be used on the same line.
            None if requires => {
                found.push(text.to_owned());
                rest.push((*number, line.clone()));
            }
            None if starts => {
                open = depth(text);
                found.push(text.to_owned());
            }
            None => rest.push((*number, line.clone())),
        }
    }
    (found, rest)
}

/// The names by which an import makes a package or a module of it known: `import numpy as np`, `use regex as re`,
/// `log "github.com/sirupsen/logrus"`.
fn aliases(line: &str, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    if let [.., module, "as", own] = words
        && !line.contains('{')
        && !line.contains(" from ")
        && !line.trim_start().starts_with("from ")
        && module.starts_with(char::is_lowercase)
    {
        found.push((*own).to_owned());
    }
    // Only Go writes the path of a package right behind its name.
    let parts: Vec<&str> = line.split('"').collect();
    for pair in parts.chunks_exact(2).filter(|_| line.starts_with("import")) {
        let [before, path] = pair else { continue };
        let name = before.split(|c: char| c.is_whitespace() || c == '(').rfind(|w| !w.is_empty());
        let name = name.filter(|n| is_word(n) && *n != "import" && *n != "from" && *n != "_");
        found.extend(name.filter(|_| path.contains('/')).map(str::to_owned));
    }
    found
}

/// Letters and digits in lower case: `kotlinx.datetime` and `kotlinx-datetime` are one name.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The things that an example in the file `path` names, in its order, at most five.
pub(super) fn pieces(
    facts: &Facts,
    path: &str,
    lines: &[NumberedLine],
    likely: &[SymbolId],
) -> Vec<SymbolId> {
    let mut example = Example::read(facts, path, lines, likely);
    let mut found: Vec<SymbolId> = Vec::new();
    let mut names = BTreeSet::new();
    for at in 0..example.tokens.len() {
        if example.is_assignment(at) {
            example.assign(at);
        }
        let Some(id) = example.meant(at, 0) else { continue };
        let Some(symbol) = facts.symbol(id).filter(|_| example.likely.contains(&id)) else {
            continue;
        };
        let called = example.is(at + 1, "(") || example.decorates(at);
        if (called || is_type(symbol.kind)) && names.insert(symbol.name.clone()) {
            found.push(id);
        }
    }
    if lines.iter().any(|(_, line)| example.calls_package(line)) {
        found.splice(0..0, super::start::called(facts, facts.name()));
    }
    // A type may be needed without being named again: a trait, for its functions.
    for name in example.imported.iter().flatten() {
        let id = example.only(name, |id| example.is_type(id));
        let id = id.filter(|id| example.likely.contains(id) && !found.contains(id));
        found.extend(id.filter(|_| names.insert(name.clone())));
    }
    found.truncate(5);
    found
}

/// The name of what a function hands back first, as its signature writes it.
fn result_of(facts: &Facts, id: SymbolId) -> Option<String> {
    let symbol = facts.symbol(id)?;
    let signature = symbol.signature.as_str();
    let open = signature.find(&format!("{}(", symbol.name));
    let said = match facts.file(id).map_or("", |f| f.language.as_str()) {
        "java" => signature.get(..open?)?.trim_end().rsplit(' ').next()?,
        "go" => {
            let taken = signature.get(open? + symbol.name.len() + 1..)?;
            let results = taken.get(code::closing(taken)? + 1..)?;
            // Results may have names: `(db *DB, err error)`.
            let first = results.trim_start_matches([' ', '(']).split([',', ')']).next()?;
            first.trim().rsplit(' ').next()?
        }
        "rust" | "python" => signature.split_once("->")?.1,
        _ => signature.rsplit_once("):")?.1,
    };
    let said = said.trim_start_matches(['&', '*', '"', '\'', ' ', '(']);
    let name: String = said.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    Some(name).filter(|name| !name.is_empty())
}

/// The type of what a function hands back first: the one of that name in its own folder, else the only one of the product.
pub(super) fn made_by(facts: &Facts, id: SymbolId) -> Option<SymbolId> {
    let name = result_of(facts, id)?;
    let types = facts.ids().filter(|(_, s)| s.name == name && is_type(s.kind));
    let types = types.map(|(made, _)| made).filter(|made| facts.is_product(*made));
    let types: Vec<SymbolId> = types.collect();
    let folder = |id: SymbolId| facts.path(id).rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut beside = types.iter().filter(|made| folder(**made) == folder(id));
    let only = types.first().filter(|_| types.len() == 1);
    only.or_else(|| beside.next().filter(|_| beside.next().is_none())).copied()
}

/// An example as words and marks, with what is known of its variables.
struct Example<'f> {
    facts: &'f Facts,
    tokens: Vec<String>,
    likely: BTreeSet<SymbolId>,
    by_name: BTreeMap<&'f str, Vec<SymbolId>>,
    variables: BTreeMap<String, SymbolId>,
    /// Names that the example imports from elsewhere.
    foreign: BTreeSet<String>,
    /// Names that stand for the package as a whole.
    packages: BTreeSet<String>,
    /// Names that the example imports from the package, `*` for all of them; `None` where it imports nothing at all.
    imported: Option<BTreeSet<String>>,
    /// What the example calls by names of its own: `import { parse as read }`.
    renamed: BTreeMap<String, String>,
    /// Whether a bare name can't be one of the package's: Go, outside of it.
    qualified: bool,
}

impl<'f> Example<'f> {
    fn read(facts: &'f Facts, path: &str, lines: &[NumberedLine], likely: &[SymbolId]) -> Self {
        let mut by_name: BTreeMap<&str, Vec<SymbolId>> = BTreeMap::new();
        for (id, symbol) in facts.ids().filter(|(id, _)| facts.is_product(*id)) {
            by_name.entry(symbol.name.as_str()).or_default().push(id);
        }
        let analysis = facts.analysis();
        for (name, id) in analysis.aliases.iter().filter(|(_, id)| facts.is_product(*id)) {
            by_name.entry(name.as_str()).or_default().push(*id);
        }
        let go = analysis.languages.first().is_some_and(|l| l.language == "go");
        let mut packages: BTreeSet<String> = [facts.name(), &analysis.name]
            .into_iter()
            .map(|n| n.rsplit('/').next().unwrap_or(n).to_lowercase().replace('-', "_"))
            .chain(top_packages(facts))
            .collect();
        let mut foreign = BTreeSet::new();
        let mut imported = None;
        let mut renamed = BTreeMap::new();
        for (_, line) in lines {
            let words: Vec<&str> = words(line).collect();
            // What the example declares itself hides what the package offers under the same name.
            let declares =
                ["def", "fn", "fun", "func", "function", "class", "struct", "type", "enum"];
            let own = words.iter().zip(words.iter().skip(1)).filter(|(a, _)| declares.contains(*a));
            foreign.extend(own.map(|(_, name)| (*name).to_owned()));
        }
        for line in imports(lines) {
            let words: Vec<&str> = words(&line).collect();
            let known: &mut BTreeSet<String> = imported.get_or_insert_default();
            let text = plain(&line);
            let own = packages.iter().any(|p| p.len() > 1 && text.contains(&plain(p)));
            let marks = ["import", "use", "from", "require", "as", "const", "let", "var", "pub"];
            let names = words.iter().filter(|w| !marks.contains(*w));
            if own {
                // `import * as z from "zod"`, `const f = require("f")`: the name is the package.
                let whole =
                    line.contains("* as") || line.contains("require(") || line.contains(" as ");
                let default = line.trim_start().starts_with("import ")
                    && !line.contains('{')
                    && line.contains(" from ");
                if (whole || default) && !line.contains('{') {
                    packages.extend(names.clone().take(1).map(|w| (*w).to_owned()));
                }
                packages.extend(aliases(&line, &words));
                // `use a::*`, `from a import *`: any of its names.
                let all = line.contains("::*") || line.contains("import *") || line.contains(".*");
                for three in words.windows(3) {
                    if let [name, "as", own] = three {
                        renamed.insert((*own).to_owned(), (*name).to_owned());
                    }
                }
                known.extend(names.map(|w| (*w).to_owned()));
                if all && !line.contains(" as ") {
                    known.insert("*".to_owned());
                }
            } else {
                foreign.extend(names.map(|w| (*w).to_owned()));
            }
        }
        // A documentation needs no import of what its own file declares.
        let own = analysis.files.iter().position(|f| f.path == path);
        if let (Some(known), Some(own)) = (imported.as_mut(), own) {
            let named: BTreeSet<&str> = lines.iter().flat_map(|(_, line)| words(line)).collect();
            let declared = facts.ids_in(own).filter(|(_, s)| s.container.is_none() && s.exported);
            let names = declared.map(|(_, s)| s.name.as_str());
            let names = names.filter(|name| named.contains(name) && !PRELUDES.contains(name));
            known.extend(names.map(str::to_owned));
        }
        Self {
            facts,
            tokens: tokens(&without_imports(lines)),
            likely: likely.iter().copied().collect(),
            by_name,
            variables: BTreeMap::new(),
            foreign,
            packages,
            imported,
            renamed,
            qualified: go && !path.ends_with(".go"),
        }
    }

    /// Whether a line calls the package where it requires it: `require('yargs-parser')(arguments)`.
    fn calls_package(&self, line: &str) -> bool {
        let call = line.split_once("require(").and_then(|(_, rest)| rest.split_once(")("));
        call.is_some_and(|(module, _)| self.packages.iter().any(|p| plain(p) == plain(module)))
    }

    fn token(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", String::as_str)
    }

    fn is(&self, at: usize, mark: &str) -> bool {
        self.token(at) == mark
    }

    /// Whether the name that ends here stands as a decorator, maybe with the package before it: `@mill.turn`.
    fn decorates(&self, at: usize) -> bool {
        let mut first = at;
        while self.is(first.wrapping_sub(1), ".") && first >= 2 {
            first -= 2;
        }
        self.is(first.wrapping_sub(1), "@")
    }

    /// Whether a variable is set here.
    fn is_assignment(&self, at: usize) -> bool {
        matches!(self.token(at), "=" | ":=" | "as")
    }

    /// Notes what the variable before a `=` is made of, or the one after `as`.
    fn assign(&mut self, at: usize) {
        let mut name = at.wrapping_sub(1);
        let mut declared = None;
        if self.is(at, "as") {
            let made = self.value(at.wrapping_sub(1), 0);
            if let Some(made) = made {
                self.variables.insert(self.token(at + 1).to_owned(), made);
            }
            return;
        }
        // `let x: T =`, `T x =`
        if self.is(at.wrapping_sub(2), ":") {
            declared = self.meant(name, 0);
            name = at.wrapping_sub(3);
        } else if is_word(self.token(at.wrapping_sub(2))) {
            declared = self.meant(at.wrapping_sub(2), 0);
        }
        // Of several values the first is what was asked for; the others tell how that went: `db, err := open()`.
        if self.is(at, ":=") {
            while self.is(name.wrapping_sub(1), ",") && is_word(self.token(name.wrapping_sub(2))) {
                name -= 2;
            }
        }
        let made = declared.filter(|id| self.is_type(*id)).or_else(|| {
            let end = self.end_of(at + 1);
            self.value(end, 0)
        });
        let variable = self.token(name).to_owned();
        match made.filter(|_| is_word(&variable)) {
            Some(made) => self.variables.insert(variable, made),
            None => self.variables.remove(&variable),
        };
    }

    /// The last word or bracket of the expression that starts here.
    fn end_of(&self, start: usize) -> usize {
        let (mut depth, mut last) = (0_i32, start);
        for at in start..self.tokens.len() {
            let token = self.token(at);
            depth += i32::from(matches!(token, "(" | "[" | "{"))
                - i32::from(matches!(token, ")" | "]" | "}"));
            let ends = depth < 0 || (depth == 0 && matches!(token, ";" | ","));
            let line_ends = depth == 0 && token == "\n" && !self.is(at + 1, ".");
            if ends || (line_ends && at > start) {
                break;
            }
            // `?`, `.await` and `.unwrap()` hand on what stands before them.
            if !matches!(token, "\n" | "?" | ";") {
                last = at;
            }
        }
        last
    }

    fn is_type(&self, id: SymbolId) -> bool {
        self.facts.symbol(id).is_some_and(|s| is_type(s.kind))
    }

    /// The type of the value of the expression that ends here.
    fn value(&self, end: usize, depth: u8) -> Option<SymbolId> {
        if depth > 8 {
            return None;
        }
        let token = self.token(end);
        if token == ")" {
            let callee = self.opening(end)?.checked_sub(1)?;
            if matches!(self.token(callee), "unwrap" | "expect" | "await" | "clone") {
                return self.value(callee.checked_sub(2)?, depth + 1);
            }
            return self.returned(self.meant(callee, depth + 1)?);
        }
        if token == "await" && self.is(end.wrapping_sub(1), ".") {
            return self.value(end.checked_sub(2)?, depth + 1);
        }
        let bare = !matches!(self.token(end.wrapping_sub(1)), "." | "::");
        if bare && let Some(made) = self.variables.get(token) {
            return Some(*made);
        }
        self.meant(end, depth + 1).filter(|id| self.is_type(*id))
    }

    /// The bracket that this one closes.
    fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0_i32;
        (0..=close).rev().find(|at| {
            depth += i32::from(self.is(*at, ")")) - i32::from(self.is(*at, "("));
            depth == 0
        })
    }

    /// What a call of this hands back: a type itself, or what a function's signature says.
    fn returned(&self, id: SymbolId) -> Option<SymbolId> {
        let symbol = self.facts.symbol(id)?;
        if is_type(symbol.kind) {
            return Some(id);
        }
        let owner = self.facts.owner(id);
        if symbol.name == "constructor" || symbol.name == "__init__" {
            return owner;
        }
        let name = result_of(self.facts, id)?;
        if name == "Self"
            || owner.and_then(|o| self.facts.symbol(o)).is_some_and(|o| o.name == name)
        {
            return owner;
        }
        made_by(self.facts, id).or_else(|| self.only(&name, |id| self.is_type(id)))
    }

    /// The one thing of this name that fits, or the one of several that the package itself offers.
    fn only(&self, name: &str, fits: impl Fn(SymbolId) -> bool) -> Option<SymbolId> {
        let all = self.by_name.get(name)?;
        let mut found: Vec<SymbolId> = all.iter().copied().filter(|id| fits(*id)).collect();
        // What is declared for its types is the code that it stands for.
        if found.len() > 1 {
            found.retain(|id| self.facts.code_of(*id).is_none_or(|code| !fits(code)));
        }
        match found.as_slice() {
            [one] => Some(*one),
            _ => {
                let offered = found.iter().filter(|id| self.facts.is_reexported(**id));
                let offered: Vec<SymbolId> = offered.copied().collect();
                // What is built once for each platform is one thing.
                let same = |a: SymbolId, b: SymbolId| {
                    let file = |id| self.facts.path(id).rsplit('/').next().map(str::to_owned);
                    let header = |id| self.facts.symbol(id).map(|s| s.signature.clone());
                    file(a) == file(b) && header(a) == header(b)
                };
                let first = offered.first().copied();
                first.filter(|first| offered.iter().all(|other| same(*first, *other)))
            }
        }
    }

    /// What the word at this place means.
    fn meant(&self, at: usize, depth: u8) -> Option<SymbolId> {
        let name = self.token(at);
        if depth > 8 || !is_word(name) {
            return None;
        }
        let free = |id: SymbolId| {
            self.facts.symbol(id).is_some_and(|s| {
                s.container.is_none() && s.exported && (is_type(s.kind) || is_callable(s.kind))
            })
        };
        if !matches!(self.token(at.wrapping_sub(1)), "." | "::") {
            let known = self.variables.contains_key(name) || self.foreign.contains(name);
            let ours = match &self.imported {
                Some(imported) => imported.contains(name) || imported.contains("*"),
                None => true,
            };
            // `import f from "f"`: what the package is called for, is the function of its name.
            if self.packages.contains(name) && self.is(at + 1, "(") {
                return super::start::called(self.facts, name);
            }
            // What every program of the language knows is taken for the package's only where it is imported.
            let named = self.imported.as_ref().is_some_and(|i| i.contains(name));
            if known || self.qualified || !ours || (!named && PRELUDES.contains(&name)) {
                return None;
            }
            let name = self.renamed.get(name).map_or(name, String::as_str);
            return self.only(name, free);
        }
        let before = at.checked_sub(2)?;
        let receiver = self.token(before);
        let bare = !matches!(self.token(before.wrapping_sub(1)), "." | "::");
        if let Some(owner) = self.value(before, depth + 1) {
            return self.member(owner, name, self.arguments(at + 1));
        }
        if !bare || self.variables.contains_key(receiver) || self.foreign.contains(receiver) {
            return None;
        }
        let plain = receiver.to_lowercase();
        if self.packages.contains(receiver) || self.packages.contains(&plain) {
            let depth_of = |id: SymbolId| self.facts.path(id).matches('/').count();
            let top = self
                .by_name
                .get(name)?
                .iter()
                .filter(|id| free(**id))
                .map(|id| depth_of(*id))
                .min()?;
            return self
                .only(name, free)
                .or_else(|| self.only(name, |id| free(id) && depth_of(id) == top));
        }
        // A module of the package: its folder, or its file.
        let inside = |id: SymbolId| {
            let module = self.facts.module_of(id).rsplit('/').next() == Some(receiver);
            let file = self.facts.path(id).rsplit('/').next().and_then(|f| f.split('.').next());
            module || file == Some(receiver)
        };
        self.only(name, |id| free(id) && inside(id))
    }

    /// How many values a call is given, if a bracket opens here.
    fn arguments(&self, open: usize) -> Option<usize> {
        if !self.is(open, "(") {
            return None;
        }
        let (mut depth, mut commas, mut some) = (0_i32, 0, false);
        for at in open..self.tokens.len() {
            match self.token(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 1 => commas += 1,
                _ => {}
            }
            if depth == 0 {
                return Some(if some { commas + 1 } else { 0 });
            }
            some |= at > open && !self.is(at, "\n");
        }
        None
    }

    /// The only member of this name that a type has or inherits; of several forms the only one that takes so many values.
    fn member(&self, owner: SymbolId, name: &str, given: Option<usize>) -> Option<SymbolId> {
        let mut waiting = vec![owner];
        let mut seen = BTreeSet::new();
        while let Some(at) = waiting.pop() {
            if !seen.insert(at) {
                continue;
            }
            let named = |id: &&SymbolId| self.facts.symbol(**id).is_some_and(|s| s.name == name);
            let found: Vec<&SymbolId> = self.facts.members(at).iter().filter(named).collect();
            match found.as_slice() {
                [] => waiting.extend(self.facts.parents(at)),
                [one] => return Some(**one),
                // Which of several forms is meant may depend on the types of what is given.
                forms => {
                    let taken = |id: &&&SymbolId| self.facts.parameters(***id) == given;
                    let mut fitting = forms.iter().filter(taken).filter(|_| given.is_some());
                    return fitting.next().filter(|_| fitting.next().is_none()).map(|id| **id);
                }
            }
        }
        None
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty())
}

/// Words, brackets and marks of code; what stands in strings and comments is left out.
fn tokens(lines: &[NumberedLine]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    // In a session, what isn't typed in is the answer.
    let session = lines.iter().any(|(_, line)| line.trim_start().starts_with(">>> "));
    for (_, line) in lines {
        let typed = [">>> ", "... "].iter().find_map(|p| line.trim_start().strip_prefix(p));
        let Some(line) = (if session { typed } else { Some(line.as_str()) }) else { continue };
        let mut chars = code::without_comment(line).chars().peekable();
        while let Some(c) = chars.next() {
            if c.is_alphanumeric() || c == '_' {
                let mut word = String::from(c);
                while let Some(more) = chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
                    word.push(more);
                }
                found.push(word);
            } else if matches!(c, '"' | '`')
                || (c == '\'' && !line.contains("'_") && line.matches('\'').count() % 2 == 0)
            {
                while chars.next().is_some_and(|inner| inner != c) {}
                found.push("\"".to_owned());
            } else if c == ':' && chars.next_if_eq(&':').is_some() {
                found.push("::".to_owned());
            } else if c == ':' && chars.next_if_eq(&'=').is_some() {
                found.push(":=".to_owned());
            } else if c == '=' && chars.next_if(|c| matches!(c, '=' | '>')).is_some() {
                found.push("==".to_owned());
            } else if !c.is_whitespace() {
                found.push(c.to_string());
            }
        }
        found.push("\n".to_owned());
    }
    // A chain that goes on in the next line.
    let mut joined: Vec<String> = Vec::with_capacity(found.len());
    for token in found {
        if token == "." && joined.last().is_some_and(|t| t == "\n") {
            joined.pop();
        }
        joined.push(token);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_comments_hold_no_names() {
        let line = |text: &str| vec![(1, text.to_owned())];
        let read = |text: &str| tokens(&line(text)).join(" ");
        assert_eq!(read("let a = B::new(\"C d\"); // E"), "let a = B :: new ( \" ) ; \n");
        assert_eq!(read("a := b.C('x')"), "a := b . C ( \" ) \n");
        assert_eq!(read("x => y == z"), "x == y == z \n");
    }
}
