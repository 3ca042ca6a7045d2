//! A type: what it is, how one gets one, what it offers, who uses it, how it fails, what tests hold it to.

use std::collections::BTreeSet;

use ouro_core::{
    Level, QuestionType,
    analysis::{Reference, ReferenceKind, Symbol, SymbolKind},
    example_calls,
};

use super::{Ask, Inquiry};
use crate::offline::{
    code,
    draft::Draft,
    evidence::{Cite, Evidence},
    facets::{self, Failure},
    facts::{Facts, SymbolId, is_callable, is_type, told_members},
    plan::Wants,
    subject::Subject,
    voice,
    wording::Wording,
};

/// Most functions that are listed.
const MOST_METHODS: usize = 5;

/// Most documented fields or variants that are listed.
const MOST_MEMBERS: usize = 6;

/// Most fields that are listed by their code.
const MOST_FIELDS: usize = 8;

/// A type that is worth a record.
pub(crate) struct Type {
    subject: Subject,
    id: SymbolId,
    name: String,
    path: String,
    constructors: Vec<SymbolId>,
    methods: Vec<SymbolId>,
    /// The types it extends, with the line that says so.
    parents: Vec<(SymbolId, u32)>,
    tests: Vec<SymbolId>,
}

impl Type {
    /// The types of a project, the most central first.
    pub(crate) fn rank(facts: &Facts) -> Vec<SymbolId> {
        let mut found: Vec<(SymbolId, f32)> = facts
            .ids()
            .filter(|(id, _)| {
                facts.is_thing(*id) && facts.is_product(*id) && !facts.is_failure(*id)
            })
            .filter_map(|(id, _)| Some((id, worth(facts, id)?)))
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        // A crate documents what it offers: beside that, what has no word of its own is for those inside.
        let told = |id: SymbolId| {
            facts.symbol(id).is_some_and(|s| s.doc.is_some())
                || facts
                    .members(id)
                    .iter()
                    .any(|m| facts.symbol(*m).is_some_and(|s| s.doc.is_some()))
        };
        let rust = |id: SymbolId| facts.path(id).ends_with(".rs");
        if found.iter().any(|(id, _)| rust(*id) && told(*id)) {
            found.retain(|(id, _)| !rust(*id) || told(*id));
        }
        let best = found.first().map_or(0.0, |f| f.1);
        found.retain(|f| f.1 >= best * 0.08);
        found.into_iter().map(|f| f.0).collect()
    }

    /// Opens one.
    pub(crate) fn open(facts: &Facts, id: SymbolId) -> Option<Self> {
        let symbol = facts.symbol(id).filter(|_| facts.is_thing(id))?;
        let open =
            |id: &SymbolId| facts.symbol(*id).is_some_and(|s| !s.signature.starts_with("private "));
        let left = |id: &SymbolId| !facts.is_deprecated(*id);
        let constructors: Vec<_> =
            constructors(facts, id).into_iter().filter(open).filter(left).take(2).collect();
        let methods = methods(facts, id, MOST_METHODS);
        let parents = facts
            .outgoing(id)
            .into_iter()
            .filter(|r| r.kind == ReferenceKind::Extends && r.line <= symbol.line + 3)
            .map(|r| (r.to, r.line))
            .collect();
        Some(Self {
            subject: Subject::Type(facts.key(id)),
            id,
            name: facts.label(id),
            path: facts.path(id).to_owned(),
            constructors,
            methods,
            parents,
            tests: facets::telling_tests(facts, id, 3),
        })
    }

    fn callers<'f>(&self, facts: &'f Facts) -> Vec<&'f Reference> {
        let mut seen = BTreeSet::new();
        let made = std::iter::once(self.id)
            .chain(constructors(facts, self.id))
            .flat_map(|id| facts.callers(id));
        let telling = self.methods.iter().filter(|id| !facts.is_common_name(**id));
        let used = telling.flat_map(|id| facts.callers(*id));
        let makers = constructors(facts, self.id);
        let mut all: Vec<_> = made
            .chain(used)
            .filter(|r| r.from_symbol.is_some_and(|from| !makers.contains(&from)))
            .filter(|r| seen.insert(r.from_symbol))
            .collect();
        if all.is_empty() {
            all = self.named_by(facts);
        }
        all.truncate(3);
        all
    }

    /// Where product code outside of it names it as a type, once for each that does.
    fn named_by<'f>(&self, facts: &'f Facts) -> Vec<&'f Reference> {
        let mut seen = BTreeSet::new();
        let outside =
            |from: SymbolId| facts.is_product(from) && facts.owner(from).unwrap_or(from) != self.id;
        let named = facts.incoming(self.id).filter(|r| r.kind == ReferenceKind::Use);
        let mut named: Vec<_> = named
            .filter(|r| r.from_symbol.is_some_and(|from| outside(from) && seen.insert(from)))
            .collect();
        let weight = |r: &Reference| r.from_symbol.map_or(0.0, |from| facts.weight(from));
        named.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.line.cmp(&b.line)));
        named
    }

    /// Whether it is an object that functions are set on, not a type.
    fn is_object(&self, facts: &Facts) -> bool {
        let kind = facts.symbol(self.id).map(|s| s.kind);
        matches!(kind, Some(SymbolKind::Constant | SymbolKind::Function))
    }

    fn failures<'f>(&self, facts: &'f Facts) -> Vec<Failure<'f>> {
        let mut list = facets::failures_of(facts, facts.members(self.id));
        list.truncate(2);
        list
    }
}

impl Inquiry for Type {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn level(&self) -> Level {
        Level::Domain
    }

    fn question_type(&self) -> QuestionType {
        QuestionType::BusinessLogic
    }

    fn module(&self, facts: &Facts) -> String {
        facts.module_of(self.id).to_owned()
    }

    fn ask(&self, facts: &Facts, wording: Wording) -> Ask {
        let names: Vec<String> = self
            .methods
            .iter()
            .filter_map(|m| facts.symbol(*m).filter(|_| facts.doc_of(*m).is_some()))
            .take(3)
            .map(|s| format!("`{}`", s.name))
            .collect();
        let told = facts.symbol(self.id).map_or(0, |s| told_members(s).count());
        // Only what the answer can treat is asked.
        let key = match (facts.symbol(self.id).map(|s| s.kind), names.len()) {
            (Some(SymbolKind::Interface), 2..) => "interface",
            (Some(SymbolKind::Enum), _) if told >= 2 => "enum",
            (_, 1..) if self.is_object(facts) => "object",
            (_, 0 | 1) if self.callers(facts).is_empty() => "plain",
            (_, 0 | 1) => "data",
            _ if self.callers(facts).is_empty() => "type",
            _ => "type_used",
        };
        Ask {
            key,
            values: vec![
                ("name", self.name.clone()),
                ("path", self.path.clone()),
                ("methods", wording.list(&names)),
                ("kind", facets::kind_word(facts, self.id, wording)),
            ],
        }
    }

    fn wants(&self, facts: &Facts, _: &Evidence) -> Wants {
        let mut wants = Wants::default();
        // A type without functions is told by its members.
        let is_enum = facts.symbol(self.id).is_some_and(|s| s.kind == SymbolKind::Enum);
        let told = |m: &&SymbolId| facts.doc_of(**m).is_some();
        let by_members = is_enum || self.methods.iter().filter(told).count() < 2;
        wants.declaration(facts, self.id, if by_members { 120 } else { 25 });
        // What the question names comes first.
        for id in self.methods.iter().filter(told).take(3) {
            wants.declaration(facts, *id, 0);
        }
        if let Some(target) = self.callers(facts).first().map(|r| r.to) {
            wants.callers(target);
        }
        for id in self.constructors.iter().chain(&self.methods) {
            wants.declaration(facts, *id, 0);
        }
        for caller in self.callers(facts) {
            let path = caller.from_symbol.map_or("", |f| facts.path(f));
            wants.lines(path, caller.line, caller.line);
        }
        for failure in self.failures(facts) {
            facets::want_failure(&mut wants, facts, &failure);
        }
        facets::want_tests(&mut wants, facts, &self.tests);
        // The functions of an object stand where they are set on it.
        if by_members && self.is_object(facts) {
            let members = facts.members(self.id).iter().filter_map(|m| facts.symbol(*m));
            for member in members.take(MOST_FIELDS) {
                wants.lines(&self.path, member.line, member.line);
            }
        }
        wants
    }

    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let Some(symbol) = facts.symbol(self.id) else { return };
        let wording = draft.wording;
        draft.tag(&self.name);
        let mut doc = symbol
            .doc
            .as_ref()
            .map(|d| draft.evidence.symbol_statements(&self.path, d))
            .unwrap_or_default();
        doc.retain(|(sentence, _)| !tells_of_making(&sentence.text, &symbol.name));
        let declared = facets::declared_at(draft, facts, self.id);
        let said = draft.describe(&self.name, &symbol.name, declared.as_ref(), &doc, 3);
        let near = doc
            .first()
            .zip(declared.as_ref())
            .is_some_and(|((_, c), d)| draft.evidence.span(c, d).is_some());
        if let Some(cite) = declared.filter(|_| said == 0 || !near || !self.parents.is_empty()) {
            let parents: Vec<String> = self
                .parents
                .iter()
                .filter_map(|(p, line)| Some((facts.symbol(*p)?, *line)))
                .filter(|(s, line)| {
                    draft.evidence.cite_naming(&self.path, *line, &s.name).is_some()
                })
                .map(|(s, _)| format!("`{}`", s.name))
                .collect();
            let kind = facets::kind_word(facts, self.id, wording);
            let values = [
                ("name", self.name.as_str()),
                ("kind", &kind),
                ("at", &cite.to_string()),
                ("parents", &wording.list(&parents)),
            ];
            let key = match (parents.is_empty(), said) {
                (true, 0) => "type.plain",
                (true, _) => "type.declared",
                (false, 0) => "type.plain_extends",
                (false, _) => "type.extends",
            };
            draft.say(key, vec![cite], &values);
        }
        self.making(facts, draft);
        let members = self.offers(facts, draft);
        draft.paragraph();
        facets::users(draft, facts, "users.type", &self.name, &self.callers(facts));
        facets::failures(draft, facts, &self.failures(facts), 2);
        facets::tests(draft, facts, &self.name, &self.tests);
        for next in facts.outgoing(self.id).iter().map(|r| r.to).chain(members) {
            let used = facts.outgoing(next).into_iter().map(|r| r.to);
            for other in used.filter(|o| *o != self.id && facts.is_product(*o)) {
                if facts.symbol(other).is_some_and(|s| is_type(s.kind)) {
                    draft.gap(format!("`{}` ({})", facts.label(other), facts.path(other)));
                }
            }
        }
    }
}

impl Type {
    /// How one gets a value of the type.
    fn making(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let mut parts = Vec::new();
        let mut cites = Vec::new();
        for id in &self.constructors {
            if !facts.symbol(*id).is_some_and(|s| s.exported) {
                continue;
            }
            let Some(cite) = facets::declared_at(draft, facts, *id) else { continue };
            let label = facts.label(*id);
            let Some((text, at)) = facets::first_doc(draft, facts, *id) else {
                // Without a word of documentation only a name that tells how is worth its place.
                let tells = ["::new", "create", "open", "build", "with_", ".of"];
                if !tells.iter().any(|t| label.contains(t)) && !label.starts_with("New") {
                    continue;
                }
                let values = [("name", label.as_str()), ("at", &cite.to_string())];
                parts.push(draft.wording.phrase("users.plain", "", &values));
                cites.push(cite);
                continue;
            };
            draft.remember(&text);
            let place = draft.evidence.span(&cite, &at).unwrap_or_else(|| at.clone());
            let quote = draft.wording.quote(voice::bare(&text));
            let values = [("name", label.as_str()), ("quote", &quote), ("at", &place.to_string())];
            parts.push(draft.wording.phrase("type.maker", "", &values));
            cites.extend([cite, at]);
        }
        if !parts.is_empty() {
            let list = draft.wording.list(&parts);
            let values =
                [("name", self.name.as_str()), ("list", &list), ("a", voice::article(&self.name))];
            draft.say("type.made", cites, &values);
        }
    }

    /// What it offers: its documented functions, or its documented members.
    fn offers(&self, facts: &Facts, draft: &mut Draft<'_>) -> Vec<SymbolId> {
        let Some(symbol) = facts.symbol(self.id) else { return Vec::new() };
        // What an enum is for is in its variants.
        let is_enum = symbol.kind == SymbolKind::Enum;
        let variants = if is_enum { self.members(symbol, draft) } else { Vec::new() };
        let has_variants = variants.len() >= 2;
        if has_variants {
            draft.say_lead("type.variants", &variants, &[("name", &self.name)]);
            draft.list(false, variants);
        }
        // What another record says of a function is not said again, but the function has its place in the list.
        let told = |m: &SymbolId| facts.doc_of(*m).is_some();
        let methods: Vec<SymbolId> = self.methods.iter().copied().filter(told).collect();
        if methods.len() >= 2 {
            let items = facets::items(draft, facts, &methods, MOST_METHODS, true);
            if items.len() >= 2 {
                if has_variants {
                    draft.say_lead("type.functions", &items, &[("name", &self.name)]);
                }
                draft.list(false, items);
                return self.methods.clone();
            }
        }
        let members = if is_enum { Vec::new() } else { self.members(symbol, draft) };
        if members.len() >= 2 {
            draft.list(false, members);
            return Vec::new();
        }
        // One alone is enough beside what makes a value; else it is told among all that the type declares.
        if methods.len() == 1 && self.constructors.iter().any(told) {
            let items = facets::items(draft, facts, &methods, 1, true);
            draft.list(false, items);
            return self.methods.clone();
        }
        let fields = if is_enum { Vec::new() } else { self.fields(facts, symbol, draft) };
        if !fields.is_empty() {
            draft.say_lead("type.fields", &fields, &[("name", &self.name)]);
            draft.list(false, fields);
        }
        Vec::new()
    }

    /// Its fields and functions as they are declared, where hardly any has a word of its own: their types tell something.
    fn fields(
        &self,
        facts: &Facts,
        symbol: &Symbol,
        draft: &Draft<'_>,
    ) -> Vec<(String, Vec<Cite>)> {
        let opens = |name: &str, exported: bool| exported && !facts.keeps_inside(self.id, name);
        let fields = symbol.members.iter();
        let fields = fields.map(|m| (m.line, m.name.as_str(), opens(&m.name, m.exported), None));
        let inside = symbol.start_line..=symbol.end_line;
        let own = |m: &&Symbol| {
            let belongs = inside.contains(&m.line) || self.is_object(facts);
            m.file == symbol.file && belongs && !m.name.starts_with("__")
        };
        let functions = facts.members(self.id).iter();
        let functions = functions.filter_map(|m| Some((*m, facts.symbol(*m).filter(own)?)));
        // Nothing but its name keeps a function of an object to itself.
        let functions = functions
            .map(|(id, m)| (m.line, m.name.as_str(), opens(&m.name, m.exported), Some(id)));
        let mut all: Vec<_> = fields.chain(functions).collect();
        all.sort_unstable();
        // Of what others can name only that is told which they can use.
        let is_open = |(.., open, _): &(u32, &str, bool, Option<SymbolId>)| *open;
        let seen = symbol.exported || all.iter().filter(|one| is_open(one)).count() >= 2;
        all.retain(|one| is_open(one) || !seen);
        // What has a word of its own is not left out for what has none.
        let says = |id: &Option<SymbolId>| {
            id.and_then(|id| facts.symbol(id)).is_some_and(|s| s.doc.is_some())
        };
        // Nor is what the introduction calls, or what can be done at all, for what only lies there.
        let is_shown = |name: &str| facts.shown().iter().any(|shown| shown == name);
        all.sort_by_key(|(line, name, _, function)| {
            (!says(function), !is_shown(name), function.is_none(), *line)
        });
        all.truncate(MOST_FIELDS);
        all.sort_unstable();
        let mut found = Vec::new();
        for (line, name, _, function) in all {
            let cite = draft.evidence.cite_naming(&self.path, line, name);
            let Some(cite) = cite else { continue };
            let text = draft.evidence.line(&self.path, line).unwrap_or_default();
            let text = code::without_comment(text).trim_end();
            let text = if self.path.ends_with(".py") { text.trim_end_matches(':') } else { text };
            let Some(code) = code::inline_code(text) else { continue };
            // A declaration that goes on in the next line is told by its name.
            let bare = code.trim_matches('`').trim_end();
            let is_open = ["<", "=", "|", "&", "=>", "+"].iter().any(|sign| bare.ends_with(sign));
            let code = if is_open { format!("`{name}`") } else { code };
            // One of them may have a word of its own.
            let told = function.and_then(|id| facets::first_doc(draft, facts, id));
            let told = told.and_then(|(text, at)| Some((text, draft.evidence.span(&cite, &at)?)));
            let item = match told {
                Some((text, at)) => {
                    let text = facets::without_name(draft.wording, name, &text);
                    let speaker = function.and_then(|id| facts.speaker(id));
                    let (name, place) = (code.trim_matches('`'), at.to_string());
                    let (wording, speaker) = (draft.wording, speaker.as_deref());
                    (facets::said(wording, "item", name, speaker, &text, &place), vec![at])
                }
                None => {
                    let values = [("code", code.as_str()), ("at", &cite.to_string())];
                    (draft.wording.phrase("type.field", "", &values), vec![cite])
                }
            };
            // Several may stand on one line.
            if !found.contains(&item) {
                found.push(item);
            }
        }
        found
    }

    /// Its documented fields or variants as list items.
    fn members(&self, symbol: &Symbol, draft: &mut Draft<'_>) -> Vec<(String, Vec<Cite>)> {
        facets::member_items(draft, &self.path, told_members(symbol), MOST_MEMBERS)
    }
}

/// Functions that tell little of a type.
const ROUTINE: &str = "to_string toString hashCode equals fmt len clone eq hash repr compareTo cmp";

fn is_routine(name: &str) -> bool {
    ROUTINE.split_whitespace().any(|word| word == name)
}

/// Whether a name is that of a getter or setter: `getName`, `is_open`, `IsSet`.
fn is_accessor(name: &str) -> bool {
    ["get", "set", "is", "has", "Get", "Set", "Is", "Has"].iter().any(|prefix| {
        let rest = name.strip_prefix(prefix);
        rest.is_some_and(|r| r.starts_with(|c: char| c == '_' || c.is_uppercase()))
    })
}

/// How much a type is worth a record; `None` for one that has nothing to tell.
pub(crate) fn worth(facts: &Facts, id: SymbolId) -> Option<f32> {
    let symbol = facts.symbol(id)?;
    let documented = symbol.doc.as_ref().map_or(0, |d| d.text.len());
    let methods = facts.members(id).iter().filter(|m| is_offered(facts, **m)).count();
    let told = facts
        .members(id)
        .iter()
        .filter(|m| facts.symbol(**m).is_some_and(|s| s.doc.is_some()))
        .count()
        + told_members(symbol).count();
    if documented == 0 && told < 2 && methods < 3 {
        return None;
    }
    let namesake = facts.is_namesake(&symbol.name);
    let users = facts.callers(id).len() + facts.incoming(id).count().min(40) / 4;
    let tests = facts.tests_of(id).len();
    let reach = facts.reach(id);
    let much = |n: usize| (n as f32).ln_1p();
    let central = facts.weight(id) + 0.25 * much(users) + 0.45 * much(tests) + 0.5 * much(reach);
    let public = if facts.is_reexported(id) { 1.6 } else { 1.0 };
    // A package of Java or Kotlin may do its work in types that only it can see.
    let in_package = facts.is_of_jvm(id) && !symbol.signature.contains("private ");
    let exported = match (symbol.exported, in_package) {
        (true, _) => 1.0,
        (false, true) => 0.6,
        (false, false) => 0.4,
    };
    let mentioned = 1.0 + 0.3 * much(facts.mentions(&symbol.name));
    let size = 1.0 + 0.3 * (much(methods) + much(told));
    let path = facts.path(id);
    let help = if Facts::is_inner(path) || Facts::is_test_help(path) { 0.25 } else { 1.0 };
    // What nobody documented is meant for those who know it already.
    let help = if documented == 0 { help * 0.5 } else { help };
    // An object that nobody documented is but a bundle of helpers.
    let bundle = documented == 0 && symbol.kind == SymbolKind::Constant;
    let help = if bundle { help * 0.4 } else { help };
    // What others are built on is read after one of these.
    let base = symbol.kind == SymbolKind::Class
        && ["Base", "Abstract"].iter().any(|word| {
            let rest = symbol.name.strip_prefix(word);
            rest.is_some_and(|r| r.starts_with(char::is_uppercase))
        });
    let help = if base { help * 0.5 } else { help };
    Some(central * help * size * mentioned * public * exported * if namesake { 2.0 } else { 1.0 })
}

/// Whether there is more to tell of a type than names: two things at least have a word of their own, itself or its members.
pub(crate) fn is_telling(facts: &Facts, id: SymbolId) -> bool {
    let told = facts.members(id).iter().chain([&id]).filter(|id| facts.tells(**id)).count();
    told + facts.symbol(id).map_or(0, |s| told_members(s).count()) >= 2
}

/// Whether the functions of a type tell something by their types, where no word does: several that others can call.
pub(crate) fn has_forms(facts: &Facts, id: SymbolId) -> bool {
    let typed = |s: &Symbol| is_callable(s.kind) && s.signature.contains(": ");
    let open = |m: &&SymbolId| is_offered(facts, **m) && facts.symbol(**m).is_some_and(typed);
    facts.members(id).iter().filter(open).count() >= 3
}

/// So many functions of a type that its example calls first are what it is for.
const FIRST_CALLS: usize = 3;

/// Whether a text shows a call of this name.
fn calls_of(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let inside = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !inside && text.get(at + name.len()..).is_some_and(|rest| rest.starts_with('('))
    })
}

fn is_offered(facts: &Facts, id: SymbolId) -> bool {
    facts.symbol(id).is_some_and(|s| is_callable(s.kind) && s.exported)
        && !facts.is_private_by_name(id)
}

/// Words behind the name of a type that leave it the thing that is made.
const BEHIND: &str = "instance object with from for of using by that and given";

/// Whether a sentence says how a value of the type comes to be, not what the type is.
fn tells_of_making(sentence: &str, name: &str) -> bool {
    let mut words = sentence.split_whitespace();
    let makes = matches!(
        words.next(),
        Some("Create" | "Creates" | "Construct" | "Constructs" | "Initialize" | "Initializes")
    );
    let rest: Vec<&str> = words.collect();
    let rest = rest.join(" ");
    let object =
        ["a new ", "an ", "a ", "new "].iter().find_map(|article| rest.strip_prefix(article));
    let object = object.map(|o| o.strip_prefix("instance of ").unwrap_or(o));
    let object = object.map(|o| o.trim_start_matches("the ").trim_start_matches('`'));
    // What is called by the type's name and more is something else: `a Mill worker`.
    let after = object.and_then(|o| o.strip_prefix(name)).map(|rest| rest.trim_start_matches('`'));
    let goes_on =
        |rest: &str| match rest.strip_prefix(' ').and_then(|r| r.split_whitespace().next()) {
            Some(word) => BEHIND.split_whitespace().any(|w| w == word.trim_end_matches('.')),
            None => !rest.starts_with(char::is_alphanumeric),
        };
    makes && after.is_some_and(goes_on)
}

/// Functions that make a value of the type, documented ones first.
pub(crate) fn constructors(facts: &Facts, id: SymbolId) -> Vec<SymbolId> {
    let Some(symbol) = facts.symbol(id) else { return Vec::new() };
    let folder = |id: SymbolId| facts.path(id).rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_go = facts.file(id).is_some_and(|f| f.language == "go");
    let makes =
        |s: &Symbol| s.exported && s.name.starts_with("New") && returns(&s.signature, &symbol.name);
    let own = facts.members(id).iter().copied().filter(|m| {
        facts.symbol(*m).is_some_and(|s| {
            let returns_self = makes_self(&s.signature, &symbol.name);
            let takes_self = s.signature.contains("self");
            is_callable(s.kind)
                && (matches!(s.name.as_str(), "new" | "__init__" | "constructor")
                    || (s.name == symbol.name && facts.is_of_jvm(id))
                    || (returns_self && !takes_self && s.exported))
        })
    });
    let free = facts
        .ids()
        .filter(|(i, s)| {
            is_go && s.kind == SymbolKind::Function && makes(s) && folder(*i) == folder(id)
        })
        .map(|(i, _)| i);
    let mut seen = BTreeSet::new();
    let mut found: Vec<SymbolId> = own.chain(free).filter(|i| facts.is_product(*i)).collect();
    found.retain(|i| facts.symbol(*i).is_some_and(|s| seen.insert(s.name.clone())));
    found.sort_by_key(|i| {
        let s = facts.symbol(*i);
        (s.is_some_and(|s| s.doc.is_none()), s.is_some_and(|s| s.name != "new"), *i)
    });
    found
}

/// Whether a signature of Rust gives back a value of the type, be it only where that goes well.
fn makes_self(signature: &str, name: &str) -> bool {
    signature.split("-> ").skip(1).any(|result| {
        let inner =
            ["Result<", "io::Result<", "Option<"].iter().find_map(|w| result.strip_prefix(w));
        let inner = inner.unwrap_or(result);
        ["Self", name].iter().any(|own| {
            let rest = inner.strip_prefix(own);
            rest.is_some_and(|r| !r.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    })
}

/// Whether a signature of Go names a type of its own package behind its parameters.
fn returns(signature: &str, name: &str) -> bool {
    let (_, rest) = signature.split_once('(').unwrap_or_default();
    let results = code::closing(rest).and_then(|at| rest.get(at..)).unwrap_or_default();
    let mut words = results.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.');
    words.any(|word| word == name)
}

/// The functions of a type that say most about it, in the order of the file.
pub(crate) fn methods(facts: &Facts, id: SymbolId, most: usize) -> Vec<SymbolId> {
    let makers = constructors(facts, id);
    let mut seen = BTreeSet::new();
    let doc = facts.symbol(id).and_then(|s| s.doc.as_ref()).map_or("", |d| d.text.as_str());
    let members = facts.members(id).iter().filter(|m| facts.tells(**m));
    let told: BTreeSet<&str> =
        members.filter_map(|m| facts.symbol(*m)).map(|s| s.name.as_str()).collect();
    let calls = |names: &[String]| -> Vec<String> {
        let own = |name: &&String| told.contains(name.as_str()) && !is_routine(name);
        names.iter().filter(own).take(FIRST_CALLS).cloned().collect()
    };
    let first = calls(&example_calls(doc));
    // What the introduction calls on what it is about.
    let introduced = if first.is_empty() { calls(facts.shown()) } else { Vec::new() };
    let mut found: Vec<(SymbolId, f32)> = facts
        .members(id)
        .iter()
        .copied()
        .filter(|m| is_offered(facts, *m) && facts.is_product(*m) && !makers.contains(m))
        .filter(|m| !facts.is_deprecated(*m))
        .filter_map(|m| {
            let s = facts.symbol(m)?;
            let makes = matches!(s.name.as_str(), "constructor" | "__init__");
            let bears = facts.symbol(id).is_some_and(|t| t.name == s.name);
            if makes || (bears && facts.is_of_jvm(id)) {
                return None;
            }
            let short = s.end_line.saturating_sub(s.start_line) < 6;
            let accessor = is_accessor(&s.name) || is_routine(&s.name);
            let body = f32::min(s.end_line.saturating_sub(s.start_line) as f32, 60.0) / 60.0;
            let calls = facts.incoming(m).count().min(20) as f32 / 20.0;
            let documented = if facts.tells(m) { 1.0 } else { 0.2 };
            // What the type itself shows a use of is what it is there for.
            let is_shown = first.contains(&s.name) || introduced.contains(&s.name);
            let shown =
                if is_shown { 1.0 } else { 0.0 } + if calls_of(doc, &s.name) { 1.0 } else { 0.0 };
            let weight = (facts.weight(m) + 0.8 * body + 0.6 * calls + shown) * documented;
            // Of several forms the first that says something of itself.
            let is_silent = !facts.tells(m) && told.contains(s.name.as_str());
            (!is_silent && seen.insert(s.name.as_str())).then_some((
                m,
                if accessor { weight * if short { 0.25 } else { 0.5 } } else { weight },
            ))
        })
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.truncate(most);
    let mut ids: Vec<SymbolId> = found.into_iter().map(|f| f.0).collect();
    ids.sort_by_key(|i| facts.symbol(*i).map(|s| (s.file, s.line)));
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_tells_how_a_value_is_made_is_told_from_what_it_is() {
        for making in [
            "Create a new instance of Mill",
            "Creates a Mill.",
            "Constructs a new `Mill` from its parts",
            "Creates a new Mill instance.",
        ] {
            assert!(tells_of_making(making, "Mill"), "{making}");
        }
        for saying in
            ["Creates a Mill application.", "Creates a Miller.", "A new Mill.", "Creates a flour."]
        {
            assert!(!tells_of_making(saying, "Mill"), "{saying}");
        }
    }
}
