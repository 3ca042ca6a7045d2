//! A function that others build on, followed through its body: the steps, in order, in the words of its comments and
//! of the documentation of what it calls.

use ouro_core::{Level, QuestionType, analysis::Symbol};

pub(crate) use self::choice::{
    documented, is_central, is_telling, leads_somewhere, shown, started, steps_of, worthwhile,
};
use self::{
    choice::{fronted_by, is_entry},
    steps::{Told, is_elsewhere},
};
use super::{Ask, Inquiry};

mod choice;
mod steps;

use crate::offline::{
    code,
    draft::Draft,
    evidence::{Cite, Evidence},
    facets::{self, Failure},
    facts::{Facts, SymbolId, is_callable, is_type},
    plan::Wants,
    prose::Block,
    subject::Subject,
    voice,
    wording::Wording,
};

/// Most steps that are told.
const MOST_STEPS: usize = 8;
/// Most parameters that are told.
const MOST_PARAMETERS: usize = 6;
/// Most lines of a body that are read.
const MOST_LINES: u32 = 230;
/// Most lines that are read before a body, where its documentation stands between the two.
const MOST_SAID: u32 = 80;

/// A function that is worth following.
pub(crate) struct Flow {
    subject: Subject,
    id: SymbolId,
    label: String,
    path: String,
    /// The function by which others come to it, if it says nothing of itself.
    front: Option<SymbolId>,
    is_main: bool,
    tests: Vec<SymbolId>,
}

impl Flow {
    /// Opens one.
    pub(crate) fn open(facts: &Facts, id: SymbolId) -> Option<Self> {
        facts.symbol(id).filter(|s| is_callable(s.kind))?;
        Some(Self {
            subject: Subject::Flow(facts.key(id)),
            id,
            label: facts.label(id),
            path: facts.path(id).to_owned(),
            front: fronted_by(facts, id),
            is_main: is_entry(facts, id) || facts.started() == Some(id),
            tests: facets::telling_tests(facts, id, 3),
        })
    }

    /// The function that is asked about: the one that others call.
    fn asked(&self) -> SymbolId {
        self.front.unwrap_or(self.id)
    }

    fn failures<'f>(&self, facts: &'f Facts) -> Vec<Failure<'f>> {
        let own = facets::failures_of(facts, &[self.id]);
        // What may be caught on the way is not told to come out.
        let steps = steps_of(facts, self.id);
        let called = steps.iter().filter(|r| !r.reached.is_caught).map(|r| r.to).take(6);
        let called: Vec<SymbolId> = called.collect();
        let mut all = own;
        all.truncate(2);
        all.extend(facets::failures_of(facts, &called).into_iter().take(2));
        all.truncate(3);
        all
    }

    /// The type that a function without a word of its own belongs to, by what that says of itself.
    fn holder(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let Some(owner) = facts.owner(self.asked()) else { return };
        let Some((text, cite)) = facets::first_doc(draft, facts, owner) else { return };
        draft.remember(&text);
        let (name, kind) = (facts.label(owner), facets::kind_word(facts, owner, draft.wording));
        let quote = draft.wording.quote(voice::bare(&text));
        let at = cite.to_string();
        let values = [("name", name.as_str()), ("kind", &kind), ("quote", &quote), ("at", &at)];
        draft.say("flow.holder", vec![cite], &values);
    }

    /// What its documentation says of its parameters.
    fn parameters(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let Some((told, doc)) = facts.doc_of(self.asked()) else { return };
        let path = facts.path(told);
        let mut items = Vec::new();
        for block in draft.evidence.doc(path, doc) {
            let Block::Tag { name, about, sentences } = block else { continue };
            let Some(sentence) = sentences.into_iter().next() else { continue };
            let is_told = name == "param" && !about.is_empty() && sentence.is_telling();
            let cite = draft.evidence.cite(path, sentence.start, sentence.end);
            if let Some(cite) = cite.filter(|_| is_told && items.len() < MOST_PARAMETERS) {
                items.push(facets::member_item(draft.wording, &about, &sentence.text, cite));
            }
        }
        draft.say_lead("flow.parameters", &items, &[("name", &self.label)]);
        draft.list(false, items);
    }

    /// Where the function that is asked about leaves its work to this one.
    fn hand_on(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let Some(front) = self.front else { return };
        let call = steps_of(facts, front).first().copied();
        let path = facts.path(front);
        if let Some(cite) = call.and_then(|r| draft.evidence.cite(path, r.line, r.line)) {
            let values = [("name", self.label.as_str()), ("at", &cite.to_string())];
            draft.say("flow.inner", vec![cite], &values);
        }
    }

    /// What its documentation says comes back.
    fn result(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let asked = self.asked();
        let Some((told, doc)) = facts.doc_of(asked) else { return };
        let path = facts.path(told);
        let blocks = draft.evidence.doc(path, doc);
        let returned = blocks.iter().find_map(|b| match b {
            Block::Tag { name, sentences, .. } if matches!(name.as_str(), "return" | "returns") => {
                sentences.first()
            }
            _ => None,
        });
        let Some(sentence) = returned.filter(|s| {
            s.text.split_whitespace().count() >= 2
                && !s.text.starts_with("for ")
                && !s.text.starts_with('{')
                && draft.is_new(&s.text)
        }) else {
            return;
        };
        if let Some(cite) = draft.evidence.cite(path, sentence.start, sentence.end) {
            let quote = draft.wording.quote(voice::bare(&sentence.text));
            draft.say(
                "flow.returns",
                vec![cite.clone()],
                &[("quote", &quote), ("at", &cite.to_string())],
            );
        }
    }
}

/// The line that the body begins at: behind a documentation that stands in it.
fn body_line(symbol: &Symbol) -> u32 {
    let inside = symbol.doc.as_ref().filter(|d| d.start_line > symbol.line);
    inside.map_or(symbol.start_line, |d| d.end_line)
}

impl Inquiry for Flow {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn level(&self) -> Level {
        Level::Implementation
    }

    fn question_type(&self) -> QuestionType {
        QuestionType::DataFlow
    }

    fn module(&self, facts: &Facts) -> String {
        facts.module_of(self.id).to_owned()
    }

    fn ask(&self, facts: &Facts, wording: Wording) -> Ask {
        let mut called: Vec<SymbolId> = steps_of(facts, self.id).iter().map(|r| r.to).collect();
        called.sort_by(|a, b| facts.weight(*b).total_cmp(&facts.weight(*a)).then(a.cmp(b)));
        let names: Vec<String> = called
            .iter()
            .filter_map(|c| facts.symbol(*c))
            .filter(|s| !self.label.ends_with(&s.name))
            .take(2)
            .map(|s| format!("`{}`", s.name))
            .collect();
        Ask {
            // Only an order that can be told is asked for.
            key: match steps_of(facts, self.id)
                .iter()
                .filter(|call| !is_elsewhere(facts, self.id, call))
                .count()
            {
                _ if self.is_main => "main",
                0 | 1 => "function",
                _ => "flow",
            },
            values: vec![
                ("name", facts.label(self.asked())),
                ("path", facts.path(self.asked()).to_owned()),
                ("called", wording.list(&names)),
            ],
        }
    }

    fn wants(&self, facts: &Facts, _: &Evidence) -> Wants {
        let mut wants = Wants::default();
        let Some(symbol) = facts.symbol(self.id) else { return wants };
        let start =
            symbol.doc.as_ref().map_or(symbol.start_line, |d| d.start_line.min(symbol.start_line));
        let start = start.max(symbol.start_line.saturating_sub(30));
        let body = body_line(symbol);
        if body > start + MOST_SAID {
            wants.lines(&self.path, start, start + MOST_SAID);
            wants.lines(&self.path, body, symbol.end_line.min(body + MOST_LINES - MOST_SAID));
        } else {
            wants.lines(&self.path, start, symbol.end_line.min(start + MOST_LINES));
        }
        if let Some(owner) =
            facts.owner(self.asked()).filter(|_| facts.doc_of(self.asked()).is_none())
        {
            wants.declaration(facts, owner, 0);
        }
        if let Some((told, doc)) = facts.doc_of(self.id) {
            wants.lines(facts.path(told), doc.start_line, doc.end_line.min(doc.start_line + 20));
        }
        if let Some(front) = self.front {
            wants.declaration(facts, front, MOST_LINES / 10);
            // A documentation that stands in the body may be longer than what is read of that.
            if let Some(call) = steps_of(facts, front).first() {
                wants.lines(facts.path(front), call.line, call.line);
            }
        }
        wants.callees(self.id);
        if !facts.callers(self.asked()).is_empty() {
            wants.callers(self.asked());
        }
        let mut called: Vec<SymbolId> = steps_of(facts, self.id).iter().map(|r| r.to).collect();
        called.retain(|c| facts.doc_of(*c).is_some());
        for id in called.into_iter().take(MOST_STEPS) {
            wants.declaration(facts, id, 0);
        }
        for failure in self.failures(facts) {
            facets::want_failure(&mut wants, facts, &failure);
        }
        facets::want_tests(&mut wants, facts, &self.tests);
        wants
    }

    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let asked = self.asked();
        let Some(symbol) = facts.symbol(asked) else { return };
        let label = facts.label(asked);
        draft.tag(&symbol.name);
        let doc = facts
            .doc_of(asked)
            .map(|(told, d)| draft.evidence.symbol_statements(facts.path(told), d))
            .unwrap_or_default();
        let declared = facets::declared_at(draft, facts, asked);
        let said = match facts.told_by(asked).map(|told| facts.label(told)) {
            None => draft.describe(&label, &symbol.name, declared.as_ref(), &doc, 2),
            // Whose words they are is said before they are.
            Some(other) => {
                let at = declared.as_ref().map_or_else(String::new, Cite::to_string);
                let values = [("name", label.as_str()), ("other", &other), ("at", &at)];
                draft.say("flow.silent", declared.iter().cloned().collect(), &values);
                draft.describe(&other, &symbol.name, None, &doc, 2)
            }
        };
        if let Some(cite) = declared {
            let signature = code::inline_code(&symbol.signature);
            let at = cite.to_string();
            let values = [
                ("name", label.as_str()),
                ("at", &at),
                ("code", signature.as_deref().unwrap_or("")),
            ];
            let key = if signature.is_some() { "flow.signature" } else { "flow.declared" };
            let short = symbol.signature.chars().count() >= 40;
            if said == 0 || (signature.is_some() && short) {
                draft.say(key, vec![cite], &values);
            }
        }
        if said == 0 {
            self.holder(facts, draft);
        }
        let callers: Vec<_> = facts.callers(asked).into_iter().take(3).collect();
        facets::users(draft, facts, "users.flow", &label, &callers);
        self.hand_on(facts, draft);
        let Told { items: steps, always_maybe } = self.told(facts, draft);
        // Who calls what says nothing and does one thing is no answer.
        if said == 0 && steps.len() < 2 {
            draft.discard();
            return;
        }
        if steps.len() < 2 {
            self.parameters(facts, draft);
        }
        if steps.len() >= 2 {
            let key = if always_maybe { "flow.cases" } else { "flow.steps" };
            draft.say_lead(key, &steps, &[("name", self.label.as_str())]);
            draft.list(true, steps);
        } else if let Some((text, cites)) = steps.into_iter().next() {
            draft.say("flow.step", cites, &[("text", text.as_str())]);
        }
        draft.paragraph();
        self.result(facts, draft);
        let failures = self.failures(facts);
        facets::failures(draft, facts, &failures, 3);
        facets::tests(draft, facts, &self.label, &self.tests);
        for step in steps_of(facts, self.id) {
            let target = facts.owner(step.to).unwrap_or(step.to);
            if facts.symbol(target).is_some_and(|s| is_type(s.kind))
                && facts.owner(self.id) != Some(target)
            {
                draft.gap(format!("`{}` ({})", facts.label(target), facts.path(target)));
            }
        }
    }
}
