//! How a project is tested: how the tests are run, what some files cover, what they share, what some of them say.

mod running;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use ouro_core::{
    Level, QuestionType,
    analysis::{FileFacts, FileRole, ReferenceKind},
};

use super::{Ask, Inquiry};
use crate::offline::{
    code,
    draft::Draft,
    evidence::{Cite, Evidence},
    facets,
    facts::{Facts, SymbolId, is_callable, is_type},
    plan::Wants,
    subject::Subject,
    voice,
    wording::Wording,
};

/// Most tests that are told.
const MOST: usize = 3;
/// Fewest tests for a record.
const LEAST: usize = 4;
/// Most test files that are told.
const MOST_FILES: usize = 3;
/// Fewest tests that share what helps them.
const SHARED: usize = 3;

/// The project's tests.
pub(crate) struct Tests {
    subject: Subject,
    chosen: Vec<SymbolId>,
    files: Vec<String>,
    /// Files that may say how the tests are run, the likeliest first.
    guides: Vec<String>,
    /// What many tests use that is no test itself.
    helper: Option<SymbolId>,
}

impl Tests {
    /// Opens it; `None` for a project with hardly any tests.
    pub(crate) fn open(facts: &Facts) -> Option<Self> {
        let all: Vec<SymbolId> =
            facts.ids().map(|(id, _)| id).filter(|id| facts.is_test_function(*id)).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for id in &all {
            *counts.entry(facts.path(*id)).or_default() += 1;
        }
        let chosen = choose(facts, &all);
        let mut enough = all.len() >= LEAST && chosen.len() >= 3;
        // In JavaScript tests are calls, not functions with names.
        if counts.is_empty() {
            let files = facts.analysis().files.iter().filter(|f| is_script(&f.language));
            let tests = files.filter(|f| f.role == FileRole::Test && f.lines >= 20);
            counts.extend(tests.map(|f| (f.path.as_str(), f.lines as usize)));
            enough = !counts.is_empty();
        }
        let mut files: Vec<(&str, usize)> = counts.into_iter().collect();
        files.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        enough.then(|| Self {
            subject: Subject::Tests,
            chosen,
            files: files.into_iter().take(MOST_FILES).map(|(path, _)| path.to_owned()).collect(),
            guides: running::guides(facts),
            helper: helper(facts, &all),
        })
    }

    /// Whether most of what is told of the tests are words of their own: those that are calls have titles.
    pub(crate) fn says(&self, facts: &Facts) -> bool {
        let says = |id: &&SymbolId| facts.symbol(**id).is_some_and(|s| s.doc.is_some());
        self.chosen.iter().filter(says).count() * 2 >= self.chosen.len()
    }
}

impl Inquiry for Tests {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn level(&self) -> Level {
        Level::Practices
    }

    fn question_type(&self) -> QuestionType {
        QuestionType::Testing
    }

    fn module(&self, facts: &Facts) -> String {
        self.chosen.first().map_or_else(String::new, |id| facts.module_of(*id).to_owned())
    }

    fn ask(&self, facts: &Facts, _: Wording) -> Ask {
        Ask { key: "tests", values: vec![("name", facts.name().to_owned())] }
    }

    fn wants(&self, facts: &Facts, _: &Evidence) -> Wants {
        let mut wants = Wants::default();
        running::want(&self.guides, facts, &mut wants);
        if let Some(path) = self.files.first().filter(|_| self.chosen.is_empty()) {
            wants.grep(r#"^\s*(it|test)(\.\w+)?\(\s*['"`]"#.to_owned(), path, 40);
        }
        for id in &self.chosen {
            wants.declaration(facts, *id, 40);
        }
        for path in &self.files {
            if let Some(doc) = facts.analysis().file(path).and_then(|f| f.doc.as_ref()) {
                wants.lines(path, doc.start_line, doc.end_line.min(doc.start_line + 20));
            } else if let Some((_, line)) = covered(facts, path).first() {
                wants.lines(path, *line, *line);
            }
        }
        if let Some(helper) = self.helper {
            wants.declaration(facts, helper, 0);
        }
        wants
    }

    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>) {
        draft.tag("tests");
        running::tell(&self.guides, facts, draft);
        let runs = draft.substance() > 0;
        let files: Vec<_> =
            self.files.iter().filter_map(|path| covers(facts, draft, path)).collect();
        let mut items = Vec::new();
        for id in &self.chosen {
            items.extend(told(facts, draft, *id));
        }
        items.extend(self.titles(draft));
        let says = items.len() >= 2;
        // Which things a file works with is an answer only beside others.
        if !runs && !says && files.len() < 2 {
            return;
        }
        draft.say_lead("tests.files", &files, &[("name", facts.name())]);
        draft.list(false, files);
        if says {
            draft.say_lead("tests.lead", &items, &[("name", facts.name())]);
            draft.list(false, items);
        }
        draft.paragraph();
        self.sharing(facts, draft);
    }
}

impl Tests {
    /// Says what many tests build on.
    fn sharing(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let Some(id) = self.helper else { return };
        let items = facets::items(draft, facts, &[id], 1, true);
        draft.say_lead("tests.shared", &items, &[("name", facts.name())]);
        draft.list(false, items);
    }

    /// What the calls that are tests say of themselves.
    fn titles(&self, draft: &Draft<'_>) -> Vec<(String, Vec<Cite>)> {
        let Some(path) = self.files.first().filter(|_| self.chosen.is_empty()) else {
            return Vec::new();
        };
        let lines = draft.evidence.files().find(|(p, _)| p == path).map(|(_, lines)| lines);
        let mut found: Vec<(String, Vec<Cite>)> = Vec::new();
        let mut known: Vec<BTreeSet<String>> = Vec::new();
        for (line, text) in lines.into_iter().flatten() {
            let Some((title, cite)) = title(text).zip(draft.evidence.cite(path, *line, *line))
            else {
                continue;
            };
            let words: BTreeSet<String> =
                title.split_whitespace().filter(|w| w.len() > 3).map(str::to_lowercase).collect();
            let alike = |other: &BTreeSet<String>| {
                words.intersection(other).count() * 2 > words.len().min(other.len())
            };
            if title.split_whitespace().count() < 3 || known.iter().any(alike) {
                continue;
            }
            known.push(words);
            let values = [("quote", draft.wording.quote(title)), ("at", cite.to_string())];
            let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
            found.push((draft.wording.phrase("tests.title", "", &values), vec![cite]));
        }
        found.truncate(MOST);
        found
    }
}

fn is_script(language: &str) -> bool {
    matches!(language, "javascript" | "typescript" | "tsx")
}

/// The title of a test that is a call: `it('adds two spans', () => {`.
fn title(line: &str) -> Option<&str> {
    // Other lines of the file may have been read too.
    let call = line.trim_start();
    let rest = call.strip_prefix("it").or_else(|| call.strip_prefix("test"))?;
    if !rest.starts_with(['(', '.']) {
        return None;
    }
    let open = line.find(['\'', '"', '`'])?;
    let quote = line.get(open..)?.chars().next()?;
    let rest = line.get(open + 1..)?;
    rest.get(..rest.find(quote)?).map(str::trim).filter(|t| !t.contains("${"))
}

/// The things of the product that a test file works with most, each with the first line that names it.
fn covered(facts: &Facts, path: &str) -> Vec<(SymbolId, u32)> {
    let is_it = |f: &FileFacts| f.path == path && f.role == FileRole::Test;
    let Some(file) = facts.analysis().files.iter().position(is_it) else { return Vec::new() };
    let mut uses: BTreeMap<SymbolId, (usize, u32)> = BTreeMap::new();
    for reference in facts.analysis().references.iter().filter(|r| r.from_file == file) {
        let kind = facts.symbol(reference.to).map(|s| s.kind);
        let thing = kind.is_some_and(is_type);
        let free = facts.owner(reference.to).is_none() && kind.is_some_and(is_callable);
        let own = reference.kind != ReferenceKind::Import && facts.is_product(reference.to);
        if own && (thing || free) && !facts.is_failure(reference.to) {
            let entry = uses.entry(reference.to).or_insert((0, reference.line));
            *entry = (entry.0 + 1, entry.1.min(reference.line));
        }
    }
    let mut found: Vec<(SymbolId, (usize, u32))> = uses.into_iter().collect();
    found.sort_by_key(|(id, (count, _))| (Reverse(*count), *id));
    found.into_iter().take(2).map(|(id, (_, line))| (id, line)).collect()
}

/// A test file as a list item: what it says of itself, else what it works with.
fn covers(facts: &Facts, draft: &Draft<'_>, path: &str) -> Option<(String, Vec<Cite>)> {
    let file = facts.analysis().file(path)?;
    let doc = file.doc.as_ref().filter(|_| file.role == FileRole::Test);
    let told = doc.and_then(|d| draft.evidence.doc_statements(path, d).into_iter().next());
    if let Some((sentence, cite)) = told.filter(|(s, _)| s.text.split_whitespace().count() >= 4) {
        let values =
            [("name", path), ("text", voice::bare(&sentence.text)), ("at", &cite.to_string())];
        return Some((draft.wording.phrase("item", "", &values), vec![cite]));
    }
    let (mut parts, mut cites) = (Vec::new(), Vec::new());
    for (id, line) in covered(facts, path) {
        let name = facts.symbol(id).map_or("", |s| s.name.as_str());
        let Some(cite) = draft.evidence.cite_naming(path, line, name) else { continue };
        let values = [("name", name), ("at", &cite.to_string())];
        parts.push(draft.wording.phrase("users.plain", "", &values));
        cites.push(cite);
    }
    let list = draft.wording.list(&parts);
    let item = draft.wording.phrase("tests.covers", "", &[("name", path), ("list", &list)]);
    (!parts.is_empty()).then_some((item, cites))
}

/// What most tests use that only serves tests: a function they call, or a fixture that they take.
fn helper(facts: &Facts, tests: &[SymbolId]) -> Option<SymbolId> {
    let is_python = |id: SymbolId| facts.file(id).is_some_and(|f| f.language == "python");
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    for test in tests.iter().filter(|id| is_python(**id)) {
        let signature = facts.symbol(*test).map_or("", |s| s.signature.as_str());
        let parameters = signature.split_once('(').map_or("", |(_, rest)| rest);
        for word in parameters.split(|c: char| !c.is_alphanumeric() && c != '_') {
            *taken.entry(word).or_default() += 1;
        }
    }
    let users = |id: SymbolId| {
        let from: BTreeSet<SymbolId> = facts
            .incoming(id)
            .filter(|r| r.kind == ReferenceKind::Call)
            .filter_map(|r| r.from_symbol)
            .filter(|from| facts.is_test_function(*from))
            .collect();
        let free = facts.owner(id).is_none() && is_python(id);
        let name = facts.symbol(id).map_or("", |s| s.name.as_str());
        from.len().max(if free { taken.get(name).copied().unwrap_or(0) } else { 0 })
    };
    let helps = |id: &SymbolId| {
        let file = facts.file(*id).is_some_and(|f| f.role == FileRole::Test);
        // An assertion of one's own tells nothing of what is tested.
        let kind = facts.symbol(*id).is_some_and(|s| {
            let asserts = ["assert", "expect"].iter().any(|w| s.name.to_lowercase().starts_with(w));
            (is_callable(s.kind) || is_type(s.kind)) && !asserts
        });
        file && kind && !facts.is_test_function(*id) && !facts.is_common_name(*id)
    };
    let all = facts.ids().map(|(id, _)| id).filter(helps).map(|id| (users(id), id));
    let (count, id) = all.max_by_key(|(count, id)| (*count, Reverse(*id)))?;
    (count >= SHARED).then_some(id)
}

/// A test as a list item: its name, what it says about itself, what it asserts last.
fn told(facts: &Facts, draft: &mut Draft<'_>, id: SymbolId) -> Option<(String, Vec<Cite>)> {
    let symbol = facts.symbol(id)?;
    let path = facts.path(id);
    let declared = facets::declared_at(draft, facts, id)?;
    let mut cites = vec![declared.clone()];
    let mut says = String::new();
    if let Some((text, cite)) = facets::first_doc(draft, facts, id) {
        draft.remember(&text);
        let values = [("text", voice::bare(&text)), ("at", &cite.to_string())];
        says = draft.wording.phrase("tests.says", "", &values);
        cites.push(cite);
    }
    let lines = draft.evidence.lines(path, symbol.line + 1, symbol.end_line);
    let asserted = lines.iter().rev().find_map(|(number, text)| {
        let text = text.trim();
        let asserts = [
            "assert",
            "with self.assert",
            "with pytest.raises",
            "expect(",
            "self.assert",
            "require.",
            "should",
            "Assert.",
        ];
        asserts
            .iter()
            .any(|a| text.starts_with(a))
            .then(|| Some((code::inline_code(text)?, *number)))?
    });
    let asserted = asserted.filter(|(code, _)| tells(code));
    // Go has no assertions: a test says what went wrong.
    let failing = || {
        lines.iter().rev().find_map(|(number, text)| {
            let says = ["t.Fatal", "t.Error"].iter().any(|f| text.trim().starts_with(f));
            Some((code::inline_code(text).filter(|c| says && c.contains(' '))?, *number))
        })
    };
    let key = if asserted.is_some() { "tests.asserts" } else { "tests.fails" };
    let asserts = asserted.or_else(failing).and_then(|(code, number)| {
        let cite = draft.evidence.cite(path, number, number)?;
        let text = draft.wording.phrase(key, "", &[("code", &code), ("at", &cite.to_string())]);
        cites.push(cite);
        Some(text)
    });
    // A name alone is no statement.
    if says.is_empty() && asserts.is_none() {
        return None;
    }
    let values = [
        ("name", symbol.name.as_str()),
        ("at", &declared.to_string()),
        ("says", &says),
        ("asserts", asserts.as_deref().unwrap_or("")),
    ];
    Some((draft.wording.phrase("tests.item", "", &values), cites))
}

/// Whether an assertion says what must hold by itself: it names a value, or what is asked of a thing. That one variable
/// equals another tells nothing.
fn tells(code: &str) -> bool {
    let inner = code.split_once('(').map_or(code, |(_, inner)| inner);
    inner.contains(['"', '\'', '.', '(', '=']) || inner.chars().any(|c| c.is_ascii_digit())
}

/// Tests of the most important types and functions: a few for each, whose names say what must hold.
fn choose(facts: &Facts, all: &[SymbolId]) -> Vec<SymbolId> {
    let mut targets: Vec<SymbolId> = facts.types().iter().copied().take(8).collect();
    let mut functions: Vec<SymbolId> = facts
        .ids()
        .filter(|(id, s)| is_callable(s.kind) && s.container.is_none() && facts.is_product(*id))
        .map(|(id, _)| id)
        .collect();
    functions.sort_by(|a, b| facts.weight(*b).total_cmp(&facts.weight(*a)).then(a.cmp(b)));
    targets.extend(functions.into_iter().take(8));

    let mut chosen: Vec<SymbolId> = Vec::new();
    let told: Vec<Vec<SymbolId>> =
        targets.iter().map(|t| telling(facts, &facts.tests_of(*t))).collect();
    for _ in 0..3 {
        for tests in &told {
            let next = tests.iter().find(|t| is_distinct(facts, **t, &chosen));
            chosen.extend(next.filter(|_| chosen.len() < MOST));
        }
    }
    for test in telling(facts, all) {
        if chosen.len() < MOST && is_distinct(facts, test, &chosen) {
            chosen.push(test);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Whether a test's name has little in common with those that were chosen.
fn is_distinct(facts: &Facts, test: SymbolId, chosen: &[SymbolId]) -> bool {
    let words = |id: SymbolId| -> BTreeSet<String> {
        let name = facts.symbol(id).map_or("", |s| s.name.as_str());
        name.split('_').filter(|w| w.len() > 2 && *w != "test").map(str::to_lowercase).collect()
    };
    let own = words(test);
    chosen.iter().all(|c| {
        let other = words(*c);
        *c != test && own.intersection(&other).count() * 2 <= own.len().min(other.len())
    })
}

/// Tests whose names are statements and whose bodies can be taken in at a glance, the best first.
fn telling(facts: &Facts, tests: &[SymbolId]) -> Vec<SymbolId> {
    let mut found: Vec<(SymbolId, usize)> = tests
        .iter()
        .filter_map(|id| {
            let s = facts.symbol(*id)?;
            let lines = s.end_line.saturating_sub(s.start_line);
            let words = facets::word_count(&s.name).min(7) + if s.doc.is_some() { 3 } else { 0 };
            (facts.is_test_function(*id) && (2..=40).contains(&lines) && words >= 3)
                .then_some((*id, words))
        })
        .collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    found.into_iter().map(|f| f.0).collect()
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn a_test_that_is_a_call_has_a_title() {
        assert_eq!(title("  it('adds two spans', () => {"), Some("adds two spans"));
        assert_eq!(title("  test(`adds ${n}`, () => {"), None);
        assert_eq!(title("  it(name, () => {"), None);
        assert_eq!(title("    let matcher = new Matcher('* * *');"), None);
        assert_eq!(title("    items.push('a b c');"), None);
    }
}
