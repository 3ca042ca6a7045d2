//! A function that others build on, followed through its body: the steps, in order, in the words of its comments and
//! of the documentation of what it calls.

use std::collections::BTreeSet;

use ouro_core::{
    Level, QuestionType,
    analysis::{Reference, ReferenceKind, Symbol},
};

use super::{Ask, Inquiry};
use crate::offline::{
    code,
    draft::Draft,
    evidence::{Cite, Evidence},
    facets::{self, Failure},
    facts::{Facts, SymbolId, is_callable, is_type},
    plan::Wants,
    prose::{Block, Sentence},
    subject::Subject,
    voice,
    wording::Wording,
};

/// Most steps that are told.
const MOST_STEPS: usize = 8;
/// Most lines of a body that are read.
const MOST_LINES: u32 = 230;

/// How the names of functions begin that do a project's main work.
const ACTS: &str = "\
    execute run send handle process parse serve dispatch build render load start main request call compile search \
    find match read write evaluate resolve route full_dispatch wsgi_app put get_or insert convert to_json tojson fromjson from_json";

/// Functions that every type has: they tell nothing of a project.
const ROUTINE: &str = "\
    clone fmt eq ne hash cmp partial_cmp default drop from into deref index serialize deserialize next \
    toString hashCode equals compareTo copy __repr__ __str__ __eq__ __hash__ __init__ __iter__ __enter__ __exit__ \
    __getstate__ __setstate__ __len__ __getitem__ __setitem__ new constructor";

/// A function that is worth following.
pub(crate) struct Flow {
    subject: Subject,
    id: SymbolId,
    label: String,
    path: String,
    is_main: bool,
    tests: Vec<SymbolId>,
}

impl Flow {
    /// The functions worth following, the best first: no two of them one inside the other.
    pub(crate) fn find(facts: &Facts) -> Vec<SymbolId> {
        let mut found: Vec<(SymbolId, f32)> = facts
            .ids()
            .filter(|(id, s)| is_callable(s.kind) && facts.is_product(*id))
            .filter_map(|(id, _)| Some((id, worth(facts, id)?)))
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let best = found.first().map_or(0.0, |f| f.1);
        let mut chosen: Vec<SymbolId> = Vec::new();
        let mut names = BTreeSet::new();
        for (id, _) in found.into_iter().filter(|f| f.1 >= best * 0.25) {
            let own: BTreeSet<SymbolId> = steps_of(facts, id).iter().map(|r| r.to).collect();
            let inner = chosen.iter().any(|c| {
                let other: BTreeSet<SymbolId> = steps_of(facts, *c).iter().map(|r| r.to).collect();
                let shared = own.intersection(&other).count();
                other.contains(&id) || own.contains(c) || shared * 2 >= own.len().min(other.len())
            });
            let name = facts.symbol(id).map(|s| s.name.clone());
            if !inner && names.insert(name) {
                chosen.push(id);
            }
        }
        chosen
    }

    /// Opens one.
    pub(crate) fn open(facts: &Facts, id: SymbolId) -> Option<Self> {
        facts.symbol(id).filter(|s| is_callable(s.kind))?;
        Some(Self {
            subject: Subject::Flow(facts.key(id)),
            id,
            label: facts.label(id),
            path: facts.path(id).to_owned(),
            is_main: is_entry(facts, id),
            tests: facets::telling_tests(facts, id, 3),
        })
    }

    fn failures<'f>(&self, facts: &'f Facts) -> Vec<Failure<'f>> {
        let own = facets::failures_of(facts, &[self.id]);
        let called: Vec<SymbolId> = steps_of(facts, self.id).iter().map(|r| r.to).take(6).collect();
        let mut all = own;
        all.truncate(2);
        all.extend(facets::failures_of(facts, &called).into_iter().take(2));
        all.truncate(3);
        all
    }
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
            key: if self.is_main { "main" } else { "flow" },
            values: vec![
                ("name", self.label.clone()),
                ("path", self.path.clone()),
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
        wants.lines(&self.path, start, symbol.end_line.min(start + MOST_LINES));
        if let Some(doc) = &symbol.doc {
            wants.lines(&self.path, doc.start_line, doc.end_line.min(doc.start_line + 20));
        }
        wants.callees(self.id);
        if !facts.callers(self.id).is_empty() {
            wants.callers(self.id);
        }
        let mut called: Vec<SymbolId> = steps_of(facts, self.id).iter().map(|r| r.to).collect();
        called.retain(|c| facts.symbol(*c).is_some_and(|s| s.doc.is_some()));
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
        let Some(symbol) = facts.symbol(self.id) else { return };
        draft.tag(&symbol.name);
        let doc = symbol
            .doc
            .as_ref()
            .map(|d| draft.evidence.doc_statements(&self.path, d))
            .unwrap_or_default();
        let declared = facets::declared_at(draft, facts, self.id);
        let said = draft.describe(&self.label, &symbol.name, declared.as_ref(), &doc, 2);
        if let Some(cite) = declared {
            let signature = code::inline_code(&symbol.signature);
            let at = cite.to_string();
            let values = [
                ("name", self.label.as_str()),
                ("at", &at),
                ("code", signature.as_deref().unwrap_or("")),
            ];
            let key = if signature.is_some() { "flow.signature" } else { "flow.declared" };
            let short = symbol.signature.chars().count() >= 40;
            if said == 0 || (signature.is_some() && short) {
                draft.say(key, vec![cite], &values);
            }
        }
        let callers: Vec<_> = facts.callers(self.id).into_iter().take(3).collect();
        facets::users(draft, facts, "users.flow", &self.label, &callers);
        let steps = self.told(facts, draft);
        if steps.len() >= 2 {
            draft.say_lead("flow.steps", &steps, &[("name", self.label.as_str())]);
            draft.list(true, steps);
        } else if let Some((text, cites)) = steps.into_iter().next() {
            draft.state(format!("{text}{}", draft.wording.stop()), cites);
        }
        draft.paragraph();
        self.result(facts, draft);
        facets::failures(draft, facts, &self.failures(facts), 3);
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

/// One thing that happens in a body.
struct Step {
    line: u32,
    comment: Option<(Sentence, Cite)>,
    call: Option<(String, Cite)>,
    code: Option<String>,
    doc: Option<(String, Cite)>,
    /// Under which conditions, with the lines they stand on.
    when: Option<(String, Vec<Cite>)>,
    /// Whether it happens in some cases that can't be told.
    maybe: bool,
    order: u32,
    /// How much of the function's work it is.
    weight: f32,
}

impl Step {
    /// How much is lost if it is left out.
    fn value(&self) -> f32 {
        let part = |there: bool, worth: f32| if there { worth } else { 0.0 };
        part(self.doc.is_some(), 2.0) + part(self.comment.is_some(), 1.5) + self.weight
    }
}

impl Flow {
    /// The steps as list items: those that carry the function's work, in their order.
    fn told(&self, facts: &Facts, draft: &mut Draft<'_>) -> Vec<(String, Vec<Cite>)> {
        let steps = self.collect(facts, draft);
        let mut order: Vec<usize> = (0..steps.len()).collect();
        let value = |i: &usize| steps.get(*i).map_or(0.0, Step::value);
        order.sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.cmp(b)));
        let kept: BTreeSet<usize> = order.into_iter().take(MOST_STEPS).collect();
        let mut items = Vec::new();
        for (index, step) in steps.into_iter().enumerate() {
            if kept.contains(&index) {
                items.push(told(draft, step));
            }
        }
        items
    }

    /// Everything that happens, by line: a comment right above a call belongs to it.
    fn collect(&self, facts: &Facts, draft: &Draft<'_>) -> Vec<Step> {
        let Some(symbol) = facts.symbol(self.id) else { return Vec::new() };
        let end = symbol.end_line.min(symbol.start_line + MOST_LINES);
        let mut comments: Vec<(Sentence, u32)> =
            code::comments(draft.evidence, &self.path, symbol.line, end);
        comments.retain(|(s, _)| draft.is_new(&s.text) && s.length() <= 220);
        let mut steps: Vec<Step> = Vec::new();
        let calls = steps_of(facts, self.id);
        let depth = |line: u32| draft.evidence.line(&self.path, line).map(code::indent);
        for call in &calls {
            let Some(target) = facts.symbol(call.to) else { continue };
            let Some(cite) = draft.evidence.cite_naming(&self.path, call.line, &target.name) else {
                continue;
            };
            // A comment belongs to the call on the line after it, under the same conditions.
            let near = comments.iter().position(|(sentence, code)| {
                let beside = (*code..=code + 1).contains(&call.line);
                beside && depth(sentence.start) == depth(call.line)
            });
            let comment = near.map(|i| comments.remove(i).0).and_then(|s| {
                let cite = draft.evidence.cite(&self.path, s.start, s.end)?;
                Some((s, cite))
            });
            let when = facets::conditions(draft, &self.path, &call.reached, &cite);
            let maybe =
                when.is_none() && call.reached.conditions.as_ref().is_none_or(|c| !c.is_empty());
            let doc =
                facets::first_doc(draft, facts, call.to).filter(|(t, _)| t.chars().count() <= 220);
            let alone = calls.iter().filter(|c| c.line == call.line).count() == 1;
            let code = draft.evidence.line(&self.path, call.line).and_then(code::inline_code);
            let lines = target.end_line.saturating_sub(target.start_line).min(90);
            steps.push(Step {
                order: call.reached.order,
                line: call.line,
                comment,
                call: Some((facts.label(call.to), cite)),
                code: code.filter(|c| alone && !is_header(c)),
                doc,
                when,
                maybe,
                weight: 1.0 + lines as f32 / 30.0 + facts.weight(call.to).min(1.0),
            });
        }
        // Of what no call stands for, only what happens in every case can be told.
        let body = (symbol.line + 1..end).filter_map(|line| {
            let text = draft.evidence.line(&self.path, line)?;
            let inside =
                !text.trim().is_empty() && Some(code::indent(text)) > depth(symbol.start_line);
            inside.then(|| code::indent(text))
        });
        let shallow = body.min();
        for (sentence, line) in comments {
            if depth(sentence.start) != shallow || depth(line) != shallow {
                continue;
            }
            if let Some(cite) = draft.evidence.cite(&self.path, sentence.start, sentence.end) {
                let comment = Some((sentence, cite));
                let (call, code, doc, when, maybe) = (None, None, None, None, false);
                steps.push(Step {
                    order: 0,
                    line,
                    comment,
                    call,
                    code,
                    doc,
                    when,
                    maybe,
                    weight: 0.0,
                });
            }
        }
        // Calls in the order of their evaluation; what stands between them, by its line.
        steps.sort_by_key(|s| (s.order == 0, s.order));
        let at = steps.iter().position(|s| s.order == 0).unwrap_or(steps.len());
        let loose = steps.split_off(at);
        for step in loose {
            let before = steps.iter().position(|s| s.line >= step.line).unwrap_or(steps.len());
            steps.insert(before, step);
        }
        steps
    }

    /// What its documentation says comes back.
    fn result(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let Some(doc) = facts.symbol(self.id).and_then(|s| s.doc.as_ref()) else { return };
        let blocks = draft.evidence.doc(&self.path, doc);
        let returned = blocks.iter().find_map(|b| match b {
            Block::Tag { name, sentences, .. } if matches!(name.as_str(), "return" | "returns") => {
                sentences.first()
            }
            _ => None,
        });
        let Some(sentence) = returned.filter(|s| {
            s.text.split_whitespace().count() >= 2
                && !s.text.starts_with('{')
                && draft.is_new(&s.text)
        }) else {
            return;
        };
        if let Some(cite) = draft.evidence.cite(&self.path, sentence.start, sentence.end) {
            let quote = draft.wording.quote(voice::bare(&sentence.text));
            draft.say(
                "flow.returns",
                vec![cite.clone()],
                &[("quote", &quote), ("at", &cite.to_string())],
            );
        }
    }
}

/// A step as a list item.
fn told(draft: &mut Draft<'_>, step: Step) -> (String, Vec<Cite>) {
    let wording = draft.wording;
    let mut cites = Vec::new();
    let mut text = String::new();
    if let Some((when, at)) = &step.when {
        text =
            wording.phrase("step.when", "", &[("when", upper_first(when.trim_start()).as_str())]);
        cites.extend(at.iter().cloned());
    } else if step.maybe {
        text = wording.word("step.maybe");
    }
    if let Some((sentence, cite)) = &step.comment {
        draft.remember(&sentence.text);
        let said = voice::bare(&sentence.text);
        let said = if text.is_empty() { upper_first(said) } else { said.to_owned() };
        let values = [("text", said.as_str()), ("at", &cite.to_string())];
        text.push_str(&wording.phrase("step.comment", "", &values));
        cites.push(cite.clone());
    }
    if let Some((label, cite)) = &step.call {
        let at = match &step.when {
            Some((_, at)) if step.comment.is_none() => {
                at.iter().map(Cite::to_string).collect::<Vec<_>>().join(", ")
            }
            _ => cite.to_string(),
        };
        let (key, code) = match (&step.comment, &step.doc, &step.code) {
            (Some(_), ..) => ("step.through", None),
            (None, None, Some(code)) => ("step.code", Some(code)),
            _ => ("step.call", None),
        };
        let values =
            [("name", label.as_str()), ("at", &at), ("code", code.map_or("", String::as_str))];
        text.push_str(&wording.phrase(key, "", &values));
        cites.push(cite.clone());
    }
    if let Some((doc, cite)) = &step.doc {
        draft.remember(doc);
        let name = step.call.as_ref().map_or("", |(label, _)| label.as_str());
        let name = name.rsplit(['.', ':']).next().unwrap_or(name);
        let doc = &facets::without_name(wording, name, doc);
        let values = [("text", voice::bare(doc)), ("at", &cite.to_string())];
        text.push_str(&wording.phrase("step.doc", "", &values));
        cites.push(cite.clone());
    }
    (text, cites)
}

/// Whether a line of code opens a block: what it calls is only part of a condition.
fn is_header(code: &str) -> bool {
    let first = code.trim_start_matches('`').trim_start_matches(['}', ' ']);
    ["if", "else", "elif", "while", "for", "switch", "match", "case", "with", "catch", "when"]
        .iter()
        .any(|w| first.strip_prefix(w).is_some_and(|rest| rest.starts_with([' ', '('])))
}

fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

/// The calls in a body that lead on: each function or type once, in the order of evaluation. What an inner function
/// calls is no step of the outer one.
pub(crate) fn steps_of(facts: &Facts, id: SymbolId) -> Vec<&Reference> {
    let mut seen = BTreeSet::new();
    let mut calls: Vec<&Reference> = facts
        .outgoing(id)
        .into_iter()
        .filter(|r| r.kind == ReferenceKind::Call && r.to != id && facts.is_product(r.to))
        .filter(|r| !r.reached.is_deferred && !facts.is_common_name(r.to))
        .filter(|r| !facts.is_failure(facts.owner(r.to).unwrap_or(r.to)))
        .filter(|r| facts.symbol(r.to).is_some_and(leads_on))
        .collect();
    calls.sort_by_key(|r| (r.reached.order, r.line, r.to));
    calls.retain(|r| seen.insert(facts.label(r.to)));
    calls
}

/// Whether a function does more than hand out a value or write a line to a log.
fn leads_on(symbol: &Symbol) -> bool {
    let lines = symbol.end_line.saturating_sub(symbol.start_line);
    let plain = symbol.name.to_lowercase();
    let starts = |words: &[&str]| words.iter().any(|p| plain.starts_with(p));
    let accessor = starts(&["get", "set", "is", "has"]) && lines <= 4;
    let logs = starts(&["log", "debug", "trace", "warn", "print"]) && lines <= 12;
    if (accessor || logs) && is_callable(symbol.kind) {
        return false;
    }
    (is_callable(symbol.kind) || is_type(symbol.kind)) && (lines >= 2 || symbol.doc.is_some())
}

fn is_entry(facts: &Facts, id: SymbolId) -> bool {
    let Some(symbol) = facts.symbol(id) else { return false };
    facts.analysis().entry_points.iter().any(|e| {
        e.path == facts.path(id)
            && matches!(e.kind.as_str(), "binary" | "main" | "script")
            && symbol.name == "main"
    })
}

/// How much a function is worth following; `None` for one with too few steps.
fn worth(facts: &Facts, id: SymbolId) -> Option<f32> {
    let symbol = facts.symbol(id)?;
    if ROUTINE.split_whitespace().any(|w| w == symbol.name) {
        return None;
    }
    let lines = symbol.end_line.saturating_sub(symbol.start_line);
    let steps = steps_of(facts, id);
    let told = steps.iter().filter(|r| facts.symbol(r.to).is_some_and(|s| s.doc.is_some())).count();
    let enough = steps.len() >= 3 || (steps.len() >= 2 && told >= 2);
    if !(6..=320).contains(&lines) || !enough {
        return None;
    }
    let entry = is_entry(facts, id);
    if !symbol.exported && symbol.doc.is_none() && !entry {
        return None;
    }
    let owner = facts.owner(id).map_or(0.0, |o| facts.weight(o));
    let documented = if symbol.doc.is_some() { 1.0 } else { 0.5 };
    let owner_of = |id: SymbolId| facts.owner(id).unwrap_or(id);
    let across = steps.iter().filter(|r| owner_of(r.to) != owner_of(id)).count();
    let steps =
        steps.len().min(8) as f32 / 8.0 + told.min(6) as f32 / 6.0 + across.min(5) as f32 / 5.0;
    let calls = facts.callers(id).len().min(6) as f32 / 12.0;
    let sum = (facts.weight(id) + 0.7 * owner + calls + steps) * documented;
    let name = symbol.name.to_lowercase();
    let acts = ACTS.split_whitespace().any(|w| name.starts_with(w));
    let public = symbol.exported && !symbol.name.starts_with('_');
    Some(sum * if entry || acts { 1.3 } else { 1.0 } * if public || entry { 1.0 } else { 0.55 })
}
