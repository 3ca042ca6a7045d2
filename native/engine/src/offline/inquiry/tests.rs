//! What the tests promise: the behaviour of the most important things, as tests state it.

use std::collections::{BTreeMap, BTreeSet};

use ouro_core::{Level, QuestionType, analysis::FileRole};

use super::{Ask, Inquiry};
use crate::offline::{
    code,
    draft::Draft,
    evidence::{Cite, Evidence},
    facets,
    facts::{Facts, SymbolId, is_callable},
    plan::Wants,
    subject::Subject,
    voice,
    wording::Wording,
};

/// Most tests that are told.
const MOST: usize = 6;
/// Fewest tests for a record.
const LEAST: usize = 4;

/// The project's tests.
pub(crate) struct Tests {
    subject: Subject,
    chosen: Vec<SymbolId>,
    files: Vec<String>,
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
        let mut files: Vec<(&str, usize)> = counts.into_iter().collect();
        files.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let chosen = choose(facts, &all);
        (all.len() >= LEAST && chosen.len() >= 3).then(|| Self {
            subject: Subject::Tests,
            chosen,
            files: files.into_iter().take(3).map(|(path, _)| path.to_owned()).collect(),
        })
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
        let path = self.chosen.first().map_or_else(String::new, |id| facts.path(*id).to_owned());
        Ask { key: "tests", values: vec![("name", facts.name().to_owned()), ("path", path)] }
    }

    fn wants(&self, facts: &Facts, _: &Evidence) -> Wants {
        let mut wants = Wants::default();
        for path in &self.files {
            if let Some(doc) = facts.analysis().file(path).and_then(|f| f.doc.as_ref()) {
                wants.lines(path, doc.start_line, doc.end_line.min(doc.start_line + 20));
            }
        }
        for id in &self.chosen {
            wants.declaration(facts, *id, 40);
        }
        wants
    }

    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>) {
        draft.tag("tests");
        let mut files = Vec::new();
        for path in &self.files {
            let file = facts.analysis().file(path).filter(|f| f.role == FileRole::Test);
            let Some(doc) = file.and_then(|f| f.doc.as_ref()) else { continue };
            let told = draft.evidence.doc_statements(path, doc).into_iter().next();
            let Some((sentence, cite)) =
                told.filter(|(s, _)| s.text.split_whitespace().count() >= 4)
            else {
                continue;
            };
            let values = [
                ("name", path.as_str()),
                ("text", voice::bare(&sentence.text)),
                ("at", &cite.to_string()),
            ];
            files.push((draft.wording.phrase("item", "", &values), vec![cite]));
        }
        draft.say_lead("tests.files", &files, &[("name", facts.name())]);
        draft.list(false, files);
        let mut items = Vec::new();
        for id in &self.chosen {
            items.extend(told(facts, draft, *id));
        }
        if items.len() >= 2 {
            draft.say_lead("tests.lead", &items, &[("name", facts.name())]);
            draft.list(false, items);
        }
    }
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
    let asserts = asserted.and_then(|(code, number)| {
        let cite = draft.evidence.cite(path, number, number)?;
        let text = draft.wording.phrase(
            "tests.asserts",
            "",
            &[("code", &code), ("at", &cite.to_string())],
        );
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
        if chosen.len() < LEAST && is_distinct(facts, test, &chosen) {
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
