//! Failures of the whole project: which errors there are, what triggers them, where they are caught.

use std::collections::{BTreeMap, BTreeSet};

use ouro_core::{
    Level, QuestionType,
    analysis::{CitedText, ReferenceKind, SymbolKind},
};

use super::{Ask, Inquiry};
use crate::offline::{
    code,
    draft::Draft,
    evidence::{Cite, Evidence},
    facets::{self, Failure},
    facts::{Facts, SymbolId, is_callable},
    plan::Wants,
    subject::Subject,
    wording::Wording,
};

/// Most error types that are listed.
const MOST_TYPES: usize = 6;
/// Most places that are told.
const MOST_PLACES: usize = 4;
/// How many more are looked at: some can't be told, some were told before.
const SPARE_PLACES: usize = 3;

/// Most lines that are read at once.
const MOST_LINES: u32 = 240;

/// How failures are represented and reach the caller.
pub(crate) struct Errors {
    subject: Subject,
    /// Error types, the most used first.
    types: Vec<SymbolId>,
    /// Errors that are made in advance, the most used first.
    values: Vec<SymbolId>,
    /// Functions that fail, the most central first.
    failing: Vec<SymbolId>,
}

impl Errors {
    /// Opens it; `None` for a project that hardly fails on purpose.
    pub(crate) fn open(facts: &Facts) -> Option<Self> {
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        let mut failing: Vec<SymbolId> = Vec::new();
        for (id, symbol) in
            facts.ids().filter(|(id, s)| facts.is_product(*id) && !s.failures.is_empty())
        {
            failing.push(id);
            for site in &symbol.failures {
                let name = site.what.split(['(', '{']).next().unwrap_or_default();
                for part in name.split([':', '.']).filter(|p| !p.is_empty()) {
                    *uses.entry(part).or_default() += 1;
                }
            }
        }
        // What stands in a `Result`.
        let returned: BTreeSet<String> = facts
            .ids()
            .filter(|(id, s)| is_callable(s.kind) && facts.is_product(*id))
            .filter_map(|(_, s)| s.signature.rsplit_once("Result<").map(|(_, rest)| rest))
            .flat_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_'))
            .filter(|word| word.ends_with("Error"))
            .map(str::to_owned)
            .collect();
        let mut types: Vec<(SymbolId, f32)> = facts
            .ids()
            .filter(|(id, _)| facts.is_product(*id) && facts.is_failure(*id))
            .filter(|(id, s)| {
                // Where no type inherits, only use tells an error from what handles one.
                let inherits =
                    !matches!(facts.file(*id).map_or("", |f| f.language.as_str()), "rust" | "go");
                inherits
                    || uses.contains_key(s.name.as_str())
                    || returned.contains(&s.name)
                    || is_error_value(facts, *id)
            })
            .filter(|(_, s)| !s.name.ends_with("Warning"))
            .map(|(id, s)| {
                let used = uses.get(s.name.as_str()).copied().unwrap_or_default();
                let heirs = facts.implementors(id).len();
                let doc = if s.doc.is_some() { 1.0 } else { 0.2 };
                (
                    id,
                    (1.0 + used as f32
                        + 2.0 * heirs as f32
                        + facts.incoming(id).count() as f32 / 10.0)
                        * doc,
                )
            })
            .collect();
        types.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        // What a package of JavaScript hands out of its errors are those that its users meet.
        let is_handed_out = |id: SymbolId| facts.is_of_ecmascript(id) && facts.is_reexported(id);
        let hands_out = types.iter().any(|(id, _)| is_handed_out(*id));
        types.retain(|(id, _)| {
            let doc = facts.symbol(*id).and_then(|s| s.doc.as_ref());
            let is_internal = doc.is_some_and(|doc| doc.text.starts_with("Internal "));
            let is_hidden = hands_out && facts.is_of_ecmascript(*id) && !is_handed_out(*id);
            !is_internal && !is_hidden
        });
        // A type that says nothing of itself and that nothing raises is no part of what a caller sees.
        types.retain(|(id, _)| {
            facts.symbol(*id).is_some_and(|s| {
                let used = uses.get(s.name.as_str()).copied().unwrap_or_default();
                s.exported
                    && (s.doc.is_some()
                        || used >= 2
                        || is_handed_out(*id)
                        || s.members.iter().any(|m| m.doc.is_some()))
            })
        });
        // Those who use the package don't meet what stays inside.
        let is_met = |id: SymbolId| !Facts::is_inner(facts.path(id));
        if types.iter().any(|(id, _)| is_met(*id)) {
            types.retain(|(id, _)| is_met(*id));
        }
        // The type that all others derive from comes first.
        let roots: Vec<SymbolId> = types.iter().map(|(id, _)| facts.root_failure(*id)).collect();
        let heirs = |root: SymbolId| roots.iter().filter(|r| **r == root).count();
        let root = roots.iter().copied().max_by_key(|r| (heirs(*r), std::cmp::Reverse(*r)));
        let root = root.filter(|r| heirs(*r) >= 3);
        if let Some(at) = root.and_then(|r| types.iter().position(|(id, _)| *id == r)) {
            let first = types.remove(at);
            types.insert(0, first);
        }
        let mut names = BTreeSet::new();
        types.retain(|(id, _)| facts.symbol(*id).is_some_and(|s| names.insert(s.name.clone())));
        let types: Vec<SymbolId> = types.into_iter().map(|t| t.0).collect();
        failing.sort_by(|a, b| {
            let weight =
                |id: SymbolId| facts.weight(id) + facts.owner(id).map_or(0.0, |o| facts.weight(o));
            weight(*b).total_cmp(&weight(*a)).then(a.cmp(b))
        });
        let named = |id: &SymbolId| facts.symbol(*id).map_or("", |s| s.name.as_str());
        let used = |id: &SymbolId| uses.get(named(id)).copied().unwrap_or_default();
        let offered = |id: &SymbolId| {
            facts.symbol(*id).is_some_and(|s| s.exported) && !facts.is_in_program(*id)
        };
        let mut values: Vec<SymbolId> = facts.error_values().filter(offered).collect();
        // Of several of one name that is told which stands nearest to the root.
        let depth = |id: &SymbolId| facts.path(*id).matches('/').count();
        values.sort_by_key(|id| (std::cmp::Reverse(used(id)), depth(id), *id));
        let mut names = BTreeSet::new();
        values.retain(|id| names.insert(named(id)));
        // A program beside a library fails for its own user; what others can call fails for them.
        let is_open = |id: &SymbolId| {
            let all = [Some(*id), facts.owner(*id)].into_iter().flatten();
            let exported = all.filter_map(|id| facts.symbol(id)).all(|s| s.exported);
            exported && is_met(*id)
        };
        failing.sort_by_key(|id| (facts.is_in_program(*id), !is_open(id)));
        let telling = facets::failures_of(facts, &failing).len();
        let kinds = types.len() + values.len();
        (telling >= 3 || (kinds >= 2 && telling >= 1)).then_some(Self {
            subject: Subject::Errors,
            types,
            values,
            failing,
        })
    }

    /// Whether there is more to tell than a place or two: errors with a word of their own, or several places.
    pub(crate) fn is_telling(&self, facts: &Facts) -> bool {
        let told = self.types.iter().filter(|id| facts.tells(**id)).count() + self.values.len();
        let (places, more) = self.places(facts);
        told + places.len() + more.len() >= MOST_PLACES - 1
    }

    /// Places that fail, each error once, spread over functions; and others, where those are too few.
    fn places<'f>(&self, facts: &'f Facts) -> (Vec<Failure<'f>>, Vec<Failure<'f>>) {
        let mut whats = BTreeSet::new();
        let mut functions = BTreeSet::new();
        let mut all = facets::failures_of(facts, &self.failing);
        all.sort_by_key(|f| {
            let order = self.failing.iter().position(|id| *id == f.function);
            (f.site.message.is_none(), order)
        });
        let (chosen, mut more): (Vec<_>, Vec<_>) = all.into_iter().partition(|f| {
            // Only what is told makes the next one needless.
            let is_new = !whats.contains(&f.site.what) && !functions.contains(&f.function);
            is_new && whats.insert(f.site.what.clone()) && functions.insert(f.function)
        });
        // One place of each type says more than several of one.
        let mut of_type: BTreeMap<SymbolId, usize> = BTreeMap::new();
        let mut turns: Vec<(usize, Failure<'f>)> = Vec::new();
        for failure in chosen {
            let owner = facts.owner(failure.function).unwrap_or(failure.function);
            let turn = of_type.entry(owner).or_default();
            *turn += 1;
            turns.push((*turn, failure));
        }
        turns.sort_by_key(|(turn, _)| *turn);
        let mut chosen: Vec<_> = turns.into_iter().map(|(_, failure)| failure).collect();
        chosen.truncate(MOST_PLACES + SPARE_PLACES);
        // The same error says something else in another function.
        let said = |f: &Failure<'f>| f.site.message.as_ref().map(|message| message.text.as_str());
        let mut messages: BTreeSet<_> = chosen.iter().map(said).chain([None]).collect();
        more.retain(|f| messages.insert(said(f)) && functions.insert(f.function));
        more.truncate(MOST_PLACES.saturating_sub(chosen.len()));
        (chosen, more)
    }
}

impl Inquiry for Errors {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn level(&self) -> Level {
        Level::Implementation
    }

    fn question_type(&self) -> QuestionType {
        QuestionType::ErrorHandling
    }

    fn module(&self, facts: &Facts) -> String {
        self.types.first().map_or_else(String::new, |id| facts.module_of(*id).to_owned())
    }

    fn ask(&self, facts: &Facts, wording: Wording) -> Ask {
        let names: Vec<String> = self
            .types
            .iter()
            .filter_map(|t| facts.symbol(*t))
            .filter(|s| s.doc.is_some())
            .chain(self.values.iter().filter_map(|v| facts.symbol(*v)))
            .take(2)
            .map(|s| format!("`{}`", s.name))
            .collect();
        let key = if names.is_empty() { "failures" } else { "errors" };
        Ask { key, values: vec![("name", facts.name().to_owned()), ("list", wording.list(&names))] }
    }

    fn wants(&self, facts: &Facts, _: &Evidence) -> Wants {
        let mut wants = Wants::default();
        if let Some((function, cases)) = self.cases(facts) {
            wants.declaration(facts, cases, 60);
            wants.declaration(facts, function, 0);
        }
        for id in self.types.iter().take(MOST_TYPES) {
            wants.declaration(
                facts,
                *id,
                if facts.symbol(*id).is_some_and(|s| s.kind == SymbolKind::Enum) { 60 } else { 1 },
            );
        }
        let (places, more) = self.places(facts);
        let places = [places, more].concat();
        let raised = places.iter().filter_map(|f| facts.error_value(&f.site.what));
        let told = self.values.iter().copied().take(MOST_TYPES);
        self.want_values(facts, &mut wants, told.chain(raised));
        for failure in places {
            facets::want_failure(&mut wants, facts, &failure);
        }
        if let Some((pattern, glob)) = self.catching(facts) {
            wants.grep(pattern, glob, 12);
        }
        wants
    }

    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>) {
        for id in self.types.iter().take(3) {
            if let Some(symbol) = facts.symbol(*id) {
                draft.tag(&symbol.name);
            }
        }
        draft.tag("errors");
        let listed = match self.root(facts) {
            Some(root) => self.family(facts, draft, root),
            None => self.kinds(facts, draft),
        };
        self.values(facts, draft);
        draft.paragraph();
        let (places, more) = self.places(facts);
        let mut places = facets::failure_items(draft, facts, &places, MOST_PLACES);
        let left = MOST_PLACES.saturating_sub(places.len());
        places.extend(facets::failure_items(draft, facts, &more, left));
        draft.say_lead("errors.places", &places, &[("name", facts.name())]);
        draft.list(false, places);
        self.caught(facts, draft, &listed);
    }
}

impl Errors {
    /// The type that at least two of the others derive from.
    fn root(&self, facts: &Facts) -> Option<SymbolId> {
        let first = *self.types.first()?;
        let heirs = self.types.iter().filter(|t| **t != first && derives(facts, **t, first));
        (heirs.count() >= 2).then_some(first)
    }

    /// The base of the errors, what derives from it, and what doesn't. Returns what was named.
    fn family(&self, facts: &Facts, draft: &mut Draft<'_>, root: SymbolId) -> Vec<SymbolId> {
        let Some(symbol) = facts.symbol(root) else { return Vec::new() };
        let doc = symbol
            .doc
            .as_ref()
            .map(|d| draft.evidence.symbol_statements(facts.path(root), d))
            .unwrap_or_default();
        let declared = facets::declared_at(draft, facts, root);
        draft.describe(&symbol.name, &symbol.name, declared.as_ref(), &doc, 2);
        let (heirs, others): (Vec<SymbolId>, Vec<SymbolId>) = self
            .types
            .iter()
            .copied()
            .filter(|t| *t != root)
            .partition(|t| derives(facts, *t, root));
        let items = facets::items(draft, facts, &heirs, MOST_TYPES - 1, true);
        if let Some(cite) = declared.filter(|_| !items.is_empty()) {
            let kind = facets::kind_word(facts, root, draft.wording);
            let values =
                [("name", symbol.name.as_str()), ("kind", &kind), ("at", &cite.to_string())];
            draft.say("errors.root", vec![cite], &values);
        }
        draft.list(false, items);
        let items = facets::items(draft, facts, &others, 3, true);
        draft.say_lead("errors.others", &items, &[("name", &symbol.name)]);
        draft.list(false, items);
        self.types.clone()
    }

    /// Errors that have nothing in common. Returns what was named.
    fn kinds(&self, facts: &Facts, draft: &mut Draft<'_>) -> Vec<SymbolId> {
        let variants = self.types.first().map(|t| self.variants(facts, draft, *t));
        let mut rest = self.types.as_slice();
        if let (Some(variants), Some(first)) = (variants, self.types.first())
            && variants.len() >= 2
            && let Some(symbol) = facts.symbol(*first)
        {
            let doc = symbol
                .doc
                .as_ref()
                .map(|d| draft.evidence.symbol_statements(facts.path(*first), d))
                .unwrap_or_default();
            let declared = facets::declared_at(draft, facts, *first);
            draft.describe(&symbol.name, &symbol.name, declared.as_ref(), &doc, 2);
            draft.say_lead("errors.variants", &variants, &[("name", symbol.name.as_str())]);
            draft.list(false, variants);
            rest = rest.get(1..).unwrap_or_default();
        }
        let items = facets::items(draft, facts, rest, MOST_TYPES, true);
        draft.say_lead("errors.kinds", &items, &[("name", facts.name())]);
        draft.list(false, items);
        if let Some((function, cases)) = self.cases(facts)
            && let Some(declared) = facets::declared_at(draft, facts, function)
        {
            let variants = self.variants(facts, draft, cases);
            let (label, at) = (facts.label(function), declared.to_string());
            if !variants.is_empty() {
                draft.say("errors.cases", vec![declared], &[("name", &label), ("at", &at)]);
            }
            draft.list(false, variants);
        }
        self.types.clone()
    }

    /// Wants the lines of errors that are made in advance: as many of one file at once as can be read.
    fn want_values(
        &self,
        facts: &Facts,
        wants: &mut Wants,
        values: impl Iterator<Item = SymbolId>,
    ) {
        let mut ranges: BTreeMap<&str, Vec<(u32, u32)>> = BTreeMap::new();
        for id in values {
            let Some(symbol) = facts.symbol(id) else { continue };
            let start = symbol.doc.as_ref().map_or(symbol.line, |d| d.start_line.min(symbol.line));
            let end = symbol.says.as_ref().map_or(symbol.line, |m| m.end_line.max(symbol.line));
            ranges.entry(facts.path(id)).or_default().push((start, end));
        }
        for (path, mut all) in ranges {
            all.sort_unstable();
            let mut all = all.into_iter();
            let Some((mut from, mut to)) = all.next() else { continue };
            for (start, end) in all {
                if end.saturating_sub(from) >= MOST_LINES {
                    wants.lines(path, from, to);
                    from = start;
                }
                to = to.max(end);
            }
            wants.lines(path, from, to);
        }
    }

    /// Errors that are made in advance: what each means, or what it says.
    fn values(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let mut items = Vec::new();
        for id in &self.values {
            let Some(symbol) = facts.symbol(*id) else { continue };
            let Some(declared) = facets::declared_at(draft, facts, *id) else { continue };
            let (text, said) = match (facets::first_doc(draft, facts, *id), &symbol.says) {
                (Some((text, cite)), _) => {
                    let own = text.strip_prefix(&format!("{} ", symbol.name));
                    let own = own.filter(|_| !draft.wording.is_chinese()).map(str::to_owned);
                    let short = || facets::without_name(draft.wording, &symbol.name, &text);
                    (own.map_or_else(short, |own| without_is(&own).to_owned()), Some(cite))
                }
                (None, Some(says)) => {
                    let cite = draft.evidence.cite(facts.path(*id), says.start_line, says.end_line);
                    // In Chinese all that an item says is a quotation.
                    let is_quoted = draft.wording.is_chinese();
                    let text = says.text.clone();
                    (if is_quoted { text } else { draft.wording.quote(&text) }, cite)
                }
                (None, None) => continue,
            };
            let Some(said) = said.filter(|_| draft.is_new(&text)) else { continue };
            draft.remember(&text);
            let at = draft.evidence.span(&declared, &said).unwrap_or(said);
            items.push(facets::member_item(draft.wording, &symbol.name, &text, at));
            if items.len() == MOST_TYPES {
                break;
            }
        }
        draft.say_lead("errors.values", &items, &[("name", facts.name())]);
        draft.list(false, items);
    }

    /// The function of an error that tells its kind, and the enumeration of the kinds, if that is no error itself.
    fn cases(&self, facts: &Facts) -> Option<(SymbolId, SymbolId)> {
        let enums = facts.ids().filter(|(id, s)| {
            let told = s.members.iter().filter(|m| m.doc.is_some()).count() >= 2;
            s.kind == SymbolKind::Enum && s.exported && told && facts.is_product(*id)
        });
        let enums: Vec<(SymbolId, &str)> = enums
            .filter(|(id, _)| !self.types.contains(id))
            .map(|(id, s)| (id, s.name.as_str()))
            .collect();
        // What other files add to an error serves them.
        let of_error = |id: SymbolId| {
            let members = facts.members(id).iter().copied();
            members.filter(move |m| facts.path(*m) == facts.path(id))
        };
        let functions = self.types.iter().take(3).flat_map(|id| of_error(*id));
        functions.into_iter().find_map(|function| {
            let symbol = facts.symbol(function).filter(|s| is_callable(s.kind) && s.exported)?;
            let (_, after) = symbol.signature.split_once(symbol.name.as_str())?;
            let returned = after.rsplit_once("->").or_else(|| after.rsplit_once(')'))?.1;
            let cases = enums.iter().find(|(_, name)| names(returned, name))?;
            Some((function, cases.0))
        })
    }

    /// The variants of an error enum, with their meaning.
    fn variants(
        &self,
        facts: &Facts,
        draft: &mut Draft<'_>,
        id: SymbolId,
    ) -> Vec<(String, Vec<Cite>)> {
        let Some(symbol) = facts.symbol(id).filter(|s| s.kind == SymbolKind::Enum) else {
            return Vec::new();
        };
        facets::member_items(draft, facts.path(id), &symbol.members, MOST_TYPES)
    }

    /// A search for the places that catch or convert these errors, in the project's language.
    fn catching(&self, facts: &Facts) -> Option<(String, &'static str)> {
        let names: Vec<&str> = self
            .types
            .iter()
            .take(8)
            .filter_map(|t| facts.symbol(*t))
            .map(|s| s.name.as_str())
            .collect();
        let id = self.types.first()?;
        let names = names.join("|");
        match facts.file(*id)?.language.as_str() {
            "python" => Some((format!(r"^\s*except\b.*\b({names})\b"), "**/*.py")),
            "java" => Some((format!(r"catch \(.*\b({names})\b"), "**/*.java")),
            "kotlin" => Some((format!(r"catch \(.*\b({names})\b"), "**/*.kt")),
            "rust" => Some((format!(r"impl.*\bFrom<.*> for ({names})\b"), "**/*.rs")),
            _ => None,
        }
    }

    /// Where errors are caught or converted.
    fn caught(&self, facts: &Facts, draft: &mut Draft<'_>, listed: &[SymbolId]) {
        let mut parts = Vec::new();
        let mut cites = Vec::new();
        let mut rust = false;
        for (path, lines) in draft.evidence.files() {
            if facts
                .analysis()
                .file(path)
                .is_none_or(|f| f.role != ouro_core::analysis::FileRole::Source)
            {
                continue;
            }
            for (number, text) in lines {
                let trimmed = text.trim();
                let catches = trimmed.starts_with("except ") || trimmed.contains("catch (");
                // What an error of the project is turned into is another matter.
                let into = trimmed.split_once(" for ").map(|(_, into)| into);
                let converts = trimmed.starts_with("impl") && trimmed.contains("From<");
                let named_in = |code: &str| {
                    let mut listed = listed.iter().take(MOST_TYPES);
                    listed.any(|t| facts.symbol(*t).is_some_and(|s| names(code, &s.name)))
                };
                let converts = converts && into.is_some_and(named_in);
                if is_prose(facts, path, *number) || code::is_comment(trimmed) {
                    continue;
                }
                if (catches && named_in(trimmed) || converts) && parts.len() < 3 {
                    let (Some(code), Some(cite)) =
                        (code::inline_code(trimmed), draft.evidence.cite(path, *number, *number))
                    else {
                        continue;
                    };
                    rust |= converts;
                    parts.push(format!("{code}{}", draft.wording.aside(&cite.to_string())));
                    cites.push(cite);
                }
            }
        }
        if !parts.is_empty() {
            let list = draft.wording.list(&parts);
            draft.say(
                if rust { "errors.converted" } else { "errors.caught" },
                cites,
                &[("list", &list)],
            );
        }
    }
}

/// What is said of a thing behind "is".
fn without_is(text: &str) -> &str {
    text.strip_prefix("is ").unwrap_or(text)
}

/// Whether Go takes values of the type for errors: it has a method `Error`.
fn is_error_value(facts: &Facts, id: SymbolId) -> bool {
    facts.file(id).is_some_and(|f| f.language == "go")
        && facts.members(id).iter().any(|m| facts.symbol(*m).is_some_and(|s| s.name == "Error"))
}

/// Whether a type derives from another, directly or not, as far as the project's own types tell.
fn derives(facts: &Facts, heir: SymbolId, base: SymbolId) -> bool {
    let mut waiting = vec![heir];
    let mut seen = BTreeSet::new();
    while let Some(at) = waiting.pop() {
        if at == base {
            return true;
        }
        if seen.insert(at) {
            let parents = facts.outgoing(at).into_iter();
            waiting.extend(parents.filter(|r| r.kind == ReferenceKind::Extends).map(|r| r.to));
        }
    }
    false
}

/// Whether a line belongs to a documentation: code in it doesn't run.
fn is_prose(facts: &Facts, path: &str, line: u32) -> bool {
    let inside = |doc: &CitedText| (doc.start_line..=doc.end_line).contains(&line);
    facts.analysis().file(path).and_then(|f| f.doc.as_ref()).is_some_and(inside)
        || facts.ids().any(|(id, s)| {
            let doc = s.doc.as_ref().is_some_and(inside)
                || s.members.iter().any(|m| m.doc.as_ref().is_some_and(inside));
            doc && facts.path(id) == path
        })
}

/// Whether a line has this name as a word.
fn names(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == name)
}
