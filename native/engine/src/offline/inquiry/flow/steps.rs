//! What happens in a body, in order, as the items of a list.

use std::collections::BTreeSet;

use ouro_core::analysis::{
    Condition, ConditionKind, ExitSite, OutsideCall, Reached, Reference, ReferenceKind,
};

use super::{
    Flow, MOST_LINES, MOST_STEPS, body_line,
    choice::{Cases, is_trivial, outside_steps, steps_of},
};
use crate::offline::{
    code,
    draft::Draft,
    evidence::Cite,
    facets,
    facts::{Facts, SymbolId, is_type},
    prose::Sentence,
    voice,
};

/// Most returns between two steps whose conditions are told.
const MOST_EXITS: usize = 3;

/// So many steps that do some of the work make those needless that do next to nothing.
const ENOUGH: usize = 3;

/// Steps as list items.
pub(super) struct Told {
    pub(super) items: Vec<(String, Vec<Cite>)>,
    /// Whether each of them happens in some cases that can't be told, which no item says of itself.
    pub(super) always_maybe: bool,
}

/// What a step begins with.
#[derive(PartialEq)]
enum Lead {
    /// It happens each time, or the list says of all steps when.
    Nothing,
    /// Under these conditions.
    When(Vec<Condition>),
    /// Under these and others, which can't be told; all of them, if they are known.
    Partly(String, Option<Vec<Condition>>),
    /// At several places, each under conditions of its own.
    Several,
    /// In some cases.
    Maybe,
}

impl Lead {
    fn of(step: &Step, always_maybe: bool) -> Self {
        match (&step.when, &step.conditions) {
            (Some(_), Some(conditions)) => Self::When(conditions.clone()),
            _ if step.maybe && !always_maybe => match &step.partly {
                Some((known, _)) => Self::Partly(known.clone(), step.conditions.clone()),
                None if step.is_elsewhere => Self::Several,
                None => Self::Maybe,
            },
            _ => Self::Nothing,
        }
    }
}

/// One thing that happens in a body.
struct Step {
    line: u32,
    comment: Option<(Sentence, Cite)>,
    call: Option<(String, Cite)>,
    /// The package of another project that what is called belongs to.
    package: Option<String>,
    /// Whether what is called is a type, of which a value is made.
    is_type: bool,
    /// Whether what is called does next to nothing.
    is_trivial: bool,
    code: Option<String>,
    doc: Option<(String, Cite)>,
    /// The type in whose words that is, if not in its own.
    speaker: Option<String>,
    /// Under which conditions, with the lines they stand on.
    when: Option<(String, Vec<Cite>)>,
    /// Conditions that must hold, but don't suffice.
    partly: Option<(String, Vec<Cite>)>,
    /// Whether it is a call of the function itself.
    is_own: bool,
    /// Whether it happens under other conditions, too.
    is_elsewhere: bool,
    /// Whether it happens in some cases that can't be told.
    maybe: bool,
    /// What must hold for it, as far as that is known.
    conditions: Option<Vec<Condition>>,
    order: u32,
    /// How much of the function's work it is.
    weight: f32,
}

impl Step {
    /// The words of a step that is told by its code alone: two of nearly the same words say one thing twice.
    fn parts(&self) -> Option<BTreeSet<String>> {
        let code = self.code.as_ref().filter(|_| self.comment.is_none() && self.doc.is_none())?;
        let mut parts = BTreeSet::new();
        let mut word = String::new();
        for c in code.chars().chain([' ']) {
            if !word.is_empty() && (!c.is_alphanumeric() || c.is_uppercase()) {
                parts.insert(std::mem::take(&mut word).to_lowercase());
            }
            word.extend(Some(c).filter(|c| c.is_alphanumeric()));
        }
        (parts.len() >= 4).then_some(parts)
    }

    /// Whether a return stands before it.
    fn comes_after(&self, exit: &ExitSite) -> bool {
        if self.order == 0 { exit.line < self.line } else { exit.reached.order < self.order }
    }

    /// Whether it only happens where these conditions don't all hold.
    fn excludes(&self, conditions: &Option<Vec<Condition>>) -> bool {
        let opposite =
            |a: &Condition, b: &Condition| facets::are_opposite(a, b) && a.line == b.line;
        let own = self.conditions.iter().flatten();
        own.into_iter().any(|a| conditions.iter().flatten().any(|b| opposite(a, b)))
    }

    /// How much is lost if it is left out.
    fn value(&self) -> f32 {
        let part = |there: bool, worth: f32| if there { worth } else { 0.0 };
        part(self.doc.is_some(), 1.0) + part(self.comment.is_some(), 1.0) + self.weight
    }
}

/// A call that may be a step.
struct Call<'f> {
    /// What is called, if it is the project's own.
    to: Option<SymbolId>,
    /// The package of another project that it belongs to.
    package: Option<&'f str>,
    name: &'f str,
    label: String,
    line: u32,
    reached: &'f Reached,
    is_elsewhere: bool,
    /// Whether it makes a value of a type.
    is_type: bool,
    is_trivial: bool,
    weight: f32,
}

impl<'f> Call<'f> {
    fn inside(facts: &'f Facts, from: SymbolId, call: &'f Reference) -> Option<Self> {
        let target = facts.symbol(call.to)?;
        let lines = target.end_line.saturating_sub(target.start_line).min(90);
        Some(Self {
            to: Some(call.to),
            package: None,
            name: &target.name,
            label: facts.label(call.to),
            line: call.line,
            reached: &call.reached,
            is_elsewhere: is_elsewhere(facts, from, call),
            is_type: is_type(target.kind),
            is_trivial: is_trivial(facts, call.to),
            weight: 1.0 + lines as f32 / 30.0 + facts.weight(call.to).min(1.0),
        })
    }

    fn outside(call: &'f OutsideCall) -> Self {
        // A value that is only made is less than what is done.
        let makes = call.name.starts_with(char::is_uppercase) && !call.package.contains('/');
        Self {
            to: None,
            package: Some(&call.package),
            name: &call.name,
            label: call.name.clone(),
            line: call.line,
            reached: &call.reached,
            is_elsewhere: false,
            is_type: makes,
            is_trivial: false,
            weight: if makes { 1.0 } else { 2.0 },
        }
    }
}

impl Flow {
    /// The steps as list items: those that carry the function's work, in their order, with the returns between them.
    pub(super) fn told(&self, facts: &Facts, draft: &mut Draft<'_>) -> Told {
        let mut steps = self.collect(facts, draft);
        let mut told_of: Vec<BTreeSet<String>> = Vec::new();
        steps.retain(|step| {
            let Some(parts) = step.parts() else { return true };
            let alike = told_of.iter().any(|known| {
                let shared = known.intersection(&parts).count();
                shared * 5 >= known.len().max(parts.len()) * 3
            });
            told_of.push(parts);
            !alike
        });
        // That something happens at times tells little beside what is known to happen when.
        let is_told = |s: &Step| !s.maybe || s.partly.is_some() || s.is_elsewhere;
        if steps.iter().filter(|s| is_told(s)).count() >= 2 {
            steps.retain(is_told);
        }
        let left: &[ExitSite] = facts.symbol(self.id).map_or(&[], |s| &s.exits);
        // What decides whether another step is done is told as its condition.
        let asked: Vec<String> = steps
            .iter()
            .flat_map(|s| s.conditions.iter().flatten())
            .chain(left.iter().flat_map(|exit| exit.reached.conditions.iter().flatten()))
            // What is matched with a pattern is what the call is made for.
            .filter(|condition| !(self.path.ends_with(".rs") && condition.text.contains(" is ")))
            .map(|condition| condition.text.clone())
            .collect();
        let decides = |s: &Step| {
            let call = s.call.as_ref().map(|(label, _)| label.rsplit(['.', ':']).next());
            call.flatten().is_some_and(|name| asked.iter().any(|text| calls(text, name)))
        };
        if steps.iter().filter(|s| !decides(s)).count() >= 2 {
            steps.retain(|s| !decides(s));
        }
        let tells = |s: &Step| !s.is_trivial || s.comment.is_some();
        if steps.iter().filter(|s| tells(s)).count() >= ENOUGH {
            steps.retain(tells);
        }
        let mut cases = Cases::default();
        steps.retain(|s| cases.admit(s.conditions.as_deref().unwrap_or_default()));
        let mut order: Vec<usize> = (0..steps.len()).collect();
        let value = |i: &usize| steps.get(*i).map_or(0.0, Step::value);
        order.sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.cmp(b)));
        let kept: BTreeSet<usize> = order.into_iter().take(MOST_STEPS).collect();
        let mut index = 0..;
        steps.retain(|_| index.next().is_some_and(|i| kept.contains(&i)));
        let always_maybe = steps.len() >= 2 && steps.iter().all(|s| s.maybe && s.partly.is_none());
        let known = |exit: &ExitSite| exit.reached.conditions.clone().unwrap_or_default();
        let left: Vec<&ExitSite> = left.iter().filter(|exit| cases.admit(&known(exit))).collect();
        let mut exits = left.as_slice();
        let mut items: Vec<(String, Vec<Cite>)> = Vec::new();
        let mut before: Option<Lead> = None;
        let mut shown: Option<u32> = None;
        for at in 0..steps.len() {
            let Some((step, later)) = steps.get(at..).and_then(<[Step]>::split_first) else {
                break;
            };
            let passed = exits.iter().take_while(|exit| step.comes_after(exit)).count();
            let (left, ahead) = exits.split_at(passed);
            exits = ahead;
            // A return matters to those steps alone that it may keep from happening.
            let matters = |exit: &&&ExitSite| {
                std::iter::once(step).chain(later).any(|s| !s.excludes(&exit.reached.conditions))
            };
            // A return that the step before showed is no news.
            let is_shown = |exit: &&&ExitSite| shown == Some(exit.line);
            let mut open: Vec<&ExitSite> =
                left.iter().filter(matters).filter(|exit| !is_shown(exit)).copied().collect();
            if let Some(item) = items.last_mut() {
                open.retain(|exit| !self.ends_with(draft, item, before.as_ref(), exit));
            }
            items.extend(self.leaves(draft, &open));
            let lead = Lead::of(step, always_maybe);
            let again = before.as_ref() == Some(&lead) && open.is_empty();
            items.push(told(draft, step, &lead, again));
            before = Some(lead);
            let returns = items.last().is_some_and(|(text, _)| text.contains("return "));
            shown = Some(step.line).filter(|_| step.code.is_some() && returns);
        }
        Told { items, always_maybe }
    }

    /// Adds a return to the step before it, if both happen under the same conditions.
    fn ends_with(
        &self,
        draft: &Draft<'_>,
        (text, cites): &mut (String, Vec<Cite>),
        lead: Option<&Lead>,
        exit: &ExitSite,
    ) -> bool {
        let same =
            matches!(lead, Some(Lead::When(all)) if Some(all) == exit.reached.conditions.as_ref());
        let Some(cite) = draft.evidence.cite(&self.path, exit.line, exit.line).filter(|_| same)
        else {
            return false;
        };
        // A return that is shown says so by itself.
        if !text.contains("`return") {
            text.push_str(&draft.wording.phrase("step.ends", "", &[("at", &cite.to_string())]));
            cites.push(cite);
        }
        true
    }

    /// Where the function returns between two steps, as one list item.
    fn leaves(&self, draft: &Draft<'_>, exits: &[&ExitSite]) -> Option<(String, Vec<Cite>)> {
        let wording = draft.wording;
        let (mut parts, mut cites) = (Vec::new(), Vec::new());
        for exit in exits.iter().filter(|exit| !is_covered(exit, exits)) {
            if parts.len() == MOST_EXITS {
                break;
            }
            let Some(cite) = draft.evidence.cite(&self.path, exit.line, exit.line) else {
                continue;
            };
            // That it returns somewhere says nothing where it can't be told when.
            let Some(told) = facets::conditions(draft, &self.path, &exit.reached, &cite) else {
                continue;
            };
            let phrase = told.phrase(wording);
            let at = told.cites.iter().map(Cite::to_string).collect::<Vec<_>>().join(", ");
            parts.push(format!("{}{}", phrase.trim_start(), wording.aside(&at)));
            cites.extend(told.cites);
        }
        let list = wording.list(&parts);
        (!parts.is_empty()).then(|| (wording.phrase("step.exit", "", &[("list", &list)]), cites))
    }

    /// The first call of the function itself, where it can't be of another form of it.
    fn own_call<'f>(&self, facts: &'f Facts) -> Vec<&'f Reference> {
        let alike = facts.ids().filter(|(id, _)| facts.label(*id) == self.label).count();
        let own = facts
            .outgoing(self.id)
            .into_iter()
            .filter(|r| r.kind == ReferenceKind::Call && r.to == self.id && !r.reached.is_deferred);
        own.filter(|_| alike == 1).min_by_key(|r| r.reached.order).into_iter().collect()
    }

    /// Everything that happens, by line: a comment right above a call belongs to it.
    fn collect(&self, facts: &Facts, draft: &Draft<'_>) -> Vec<Step> {
        let Some(symbol) = facts.symbol(self.id) else { return Vec::new() };
        let start = body_line(symbol).max(symbol.line);
        let end = symbol.end_line.min(start + MOST_LINES);
        let mut comments: Vec<(Sentence, u32)> =
            code::comments(draft.evidence, &self.path, start, end);
        comments.retain(|(s, _)| draft.is_new(&s.text) && s.length() <= 220);
        let mut steps: Vec<Step> = Vec::new();
        let inside = [steps_of(facts, self.id), self.own_call(facts)].concat();
        let mut calls: Vec<Call> =
            inside.into_iter().filter_map(|r| Call::inside(facts, self.id, r)).collect();
        calls.extend(outside_steps(facts, self.id).into_iter().map(Call::outside));
        let depth = |line: u32| draft.evidence.line(&self.path, line).map(code::indent);
        for call in &calls {
            let Some(cite) = draft.evidence.cite_naming(&self.path, call.line, call.name) else {
                continue;
            };
            // A comment belongs to the call on the line after it, under the same conditions; above a block it speaks of
            // the block, and of which of several calls on a line can't be told.
            let mut among = calls.iter().filter(|c| c.line == call.line);
            let alone = among.clone().count() == 1;
            let holds = |c: &Call| c.line < call.line && c.reached.order > call.reached.order;
            let outermost =
                among.all(|c| c.reached.order <= call.reached.order) && !calls.iter().any(holds);
            let opens = |line: u32| {
                let text = draft.evidence.line(&self.path, line);
                text.is_none_or(|t| is_header(t.trim()))
            };
            let near = comments.iter().position(|(sentence, code)| {
                let beside = (*code..=code + 1).contains(&call.line);
                let block = (*code..=call.line).any(opens);
                // Above a choice that is made in one expression it speaks of both its branches.
                let known = call.reached.conditions.as_ref().unwrap_or(&call.reached.known);
                let chosen = known.iter().any(|c| c.line >= *code && c.subject_line.is_none());
                let level = depth(sentence.start) == depth(call.line);
                alone && beside && !block && !chosen && level
            });
            let comment = near.map(|i| comments.remove(i).0).and_then(|s| {
                let cite = draft.evidence.cite(&self.path, s.start, s.end)?;
                Some((s, cite))
            });
            // A comment speaks of the one place that it stands above.
            let elsewhere = call.is_elsewhere && comment.is_none();
            let is_own = call.to == Some(self.id);
            // What it does itself was said of it before.
            let doc = call
                .to
                .and_then(|to| facets::first_doc(draft, facts, to))
                .filter(|(t, _)| t.chars().count() <= 220 && !is_own);
            let speaker = call.to.filter(|_| doc.is_some()).and_then(|to| facts.speaker(to));
            let shown = code::statement(draft.evidence, &self.path, call.line);
            // What is called to decide whether something is done is no part of what is done.
            let decides = opens(call.line);
            let code = shown
                .filter(|c| (alone || call.to.is_none() || is_own && outermost) && !is_header(c));
            if call.to.is_none() && !outermost {
                continue;
            }
            if call.to.is_none() && decides && !is_with(draft, &self.path, call.line) {
                continue;
            }
            // A statement that is shown whole shows by itself under which condition a part of it is reached.
            let whole = code.as_ref().filter(|_| doc.is_none() && comment.is_none());
            let mut reached = call.reached.clone();
            // That nothing went wrong before needs no saying.
            let goes_well = |c: &Condition| {
                c.kind == ConditionKind::Fails && c.text != "ok" && code::says_nothing(&c.text)
            };
            reached
                .conditions
                .iter_mut()
                .chain([&mut reached.known])
                .for_each(|all| all.retain(|c| !goes_well(c)));
            if let (Some(whole), Some(conditions)) = (whole, reached.conditions.as_mut()) {
                conditions.retain(|c| c.line != call.line || !whole.contains(&c.text));
            }
            let when = facets::conditions(draft, &self.path, &reached, &cite)
                .filter(|_| !elsewhere)
                .map(|told| (told.phrase(draft.wording), told.cites));
            let partly = facets::some_conditions(draft, &self.path, &reached, &cite)
                .filter(|_| when.is_none() && !elsewhere)
                .map(|told| (told.needed(draft.wording), told.cites));
            let asks =
                decides && draft.evidence.line(&self.path, call.line).is_some_and(is_question);
            if asks && doc.is_none() && comment.is_none() {
                continue;
            }
            let maybe = when.is_none() && reached.conditions.as_ref().is_none_or(|c| !c.is_empty());
            let returned = draft.evidence.line(&self.path, call.line).map(str::trim);
            let returned = returned.is_some_and(|text| text.starts_with("return "));
            // That something happens in some cases, or for another call on the same line, says nothing by itself.
            let is_told = !maybe || partly.is_some();
            if !(is_told && outermost || is_own) && doc.is_none() && comment.is_none() {
                continue;
            }
            steps.push(Step {
                partly,
                is_own,
                is_elsewhere: elsewhere,
                order: call.reached.order,
                line: call.line,
                comment,
                call: Some((call.label.clone(), cite)),
                package: call.package.map(str::to_owned),
                is_type: call.is_type,
                is_trivial: call.is_trivial || (call.is_type && !outermost),
                code,
                doc,
                speaker,
                when,
                maybe,
                conditions: reached.conditions.filter(|_| !elsewhere),
                weight: call.weight + if returned { 1.0 } else { 0.0 }
                    - if decides || !outermost { 1.0 } else { 0.0 },
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
            let opens = draft.evidence.line(&self.path, line).is_none_or(|t| is_header(t.trim()));
            let is_remark =
                ["If ", "That", "Note", "This is "].iter().any(|r| sentence.text.starts_with(r));
            if opens || is_remark || depth(sentence.start) != shallow || depth(line) != shallow {
                continue;
            }
            if let Some(cite) = draft.evidence.cite(&self.path, sentence.start, sentence.end) {
                let comment = Some((sentence, cite));
                let (call, code, doc, when, maybe) = (None, None, None, None, false);
                steps.push(Step {
                    partly: None,
                    package: None,
                    is_type: false,
                    is_trivial: false,
                    is_own: false,
                    is_elsewhere: false,
                    order: 0,
                    line,
                    comment,
                    call,
                    code,
                    doc,
                    speaker: None,
                    when,
                    maybe,
                    conditions: Some(Vec::new()),
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
}

/// Whether what is called here is called in the same body under other conditions, too: then it isn't under these alone.
pub(super) fn is_elsewhere(facts: &Facts, id: SymbolId, call: &Reference) -> bool {
    facts.outgoing(id).iter().any(|r| {
        r.kind == ReferenceKind::Call
            && r.reached.conditions != call.reached.conditions
            && facts.label(r.to) == facts.label(call.to)
    })
}

/// A step as a list item; `again` if the one before it begins in the same way.
fn told(draft: &mut Draft<'_>, step: &Step, lead: &Lead, again: bool) -> (String, Vec<Cite>) {
    let wording = draft.wording;
    let mut cites = Vec::new();
    let mut text = match (lead, &step.when) {
        (Lead::Nothing, _) => String::new(),
        (Lead::When(_) | Lead::Partly(_, Some(_)), _) if again => wording.word("step.likewise"),
        (Lead::Maybe, _) if again => wording.word("step.maybe_again"),
        (Lead::Several, _) => wording.word("step.several"),
        (Lead::Partly(when, _), _) | (Lead::When(_), Some((when, _))) => {
            wording.phrase("step.when", "", &[("when", upper_first(when.trim_start()).as_str())])
        }
        _ => wording.word("step.maybe"),
    };
    let when = step.when.as_ref().or(step.partly.as_ref().filter(|_| *lead != Lead::Nothing));
    if let Some((_, at)) = when {
        cites.extend(at.iter().cloned());
    }
    if let Some((sentence, cite)) = &step.comment {
        draft.remember(&sentence.text);
        let said = voice::bare(&sentence.text);
        let values = [("text", said), ("at", &cite.to_string())];
        text.push_str(&wording.phrase("step.comment", "", &values));
        cites.push(cite.clone());
    }
    if let Some((label, cite)) = &step.call {
        let at = match when {
            Some((_, at)) if step.comment.is_none() && !again => {
                at.iter().map(Cite::to_string).collect::<Vec<_>>().join(", ")
            }
            _ => cite.to_string(),
        };
        let (key, code) = match (&step.comment, &step.doc, &step.code) {
            (None, _, Some(code)) if step.is_own => ("step.itself", Some(code)),
            (None, ..) if step.is_own => ("step.itself_plain", None),
            (Some(_), ..) => ("step.through", None),
            (None, None, Some(code)) => ("step.code", Some(code)),
            _ if step.is_type => ("step.makes", None),
            _ => ("step.call", None),
        };
        let values =
            [("name", label.as_str()), ("at", &at), ("code", code.map_or("", String::as_str))];
        text.push_str(&wording.phrase(key, "", &values));
        if let Some(package) = &step.package {
            text.push_str(&wording.phrase("step.outside", "", &[("package", package)]));
        }
        cites.push(cite.clone());
    }
    if let Some((doc, cite)) = &step.doc {
        draft.remember(doc);
        let name = step.call.as_ref().map_or("", |(label, _)| label.as_str());
        let name = name.rsplit(['.', ':']).next().unwrap_or(name);
        let doc = &facets::without_name(wording, name, doc);
        let (speaker, at) = (step.speaker.as_deref(), cite.to_string());
        text.push_str(&facets::said(wording, "step.doc", name, speaker, doc, &at));
        cites.push(cite.clone());
    }
    (upper_first(&text), cites)
}

/// Whether another return happens whenever this one would: that both do tells no more.
fn is_covered(exit: &ExitSite, all: &[&ExitSite]) -> bool {
    let Some(own) = &exit.reached.conditions else { return false };
    let same =
        |a: &Condition, b: &Condition| (a.line, a.kind, &a.text) == (b.line, b.kind, &b.text);
    let needs = |wanted: &Condition| own.iter().any(|c| same(c, wanted));
    all.iter()
        .filter_map(|other| other.reached.conditions.as_ref())
        .any(|less| !less.is_empty() && less.len() < own.len() && less.iter().all(needs))
}

/// Whether a condition calls a function of this name.
fn calls(condition: &str, name: &str) -> bool {
    condition.match_indices(name).any(|(at, _)| {
        let before = condition.get(..at).and_then(|text| text.chars().next_back());
        let after = condition.get(at + name.len()..).unwrap_or_default();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_') && after.starts_with('(')
    })
}

/// Whether a line of Python opens a block with what is called there: `with connect(url) as connection:`.
fn is_with(draft: &Draft<'_>, path: &str, line: u32) -> bool {
    let text = draft.evidence.line(path, line).map(str::trim).unwrap_or_default();
    text.starts_with("with ") || text.starts_with("async with ")
}

/// Whether a line only asks whether something is to be done: `if ready(x) {`. What it keeps is done there.
fn is_question(line: &str) -> bool {
    let code = line.trim().trim_start_matches(['}', ' ']);
    let code = code.strip_prefix("else ").unwrap_or(code);
    let asks = ["if ", "if(", "elif ", "while ", "while(", "switch ", "match ", "when "];
    asks.iter().any(|word| code.starts_with(word)) && !code.contains(" = ") && !code.contains(":=")
}

/// Whether a line of code opens a block: what it calls is only part of a condition.
fn is_header(code: &str) -> bool {
    let first = code.trim_start_matches('`').trim_start_matches(['}', ' ']);
    ["if", "else", "elif", "while", "for", "switch", "match", "case", "with", "catch", "when"]
        .iter()
        .any(|w| first.strip_prefix(w).is_some_and(|rest| rest.starts_with([' ', '('])))
}

fn upper_first(text: &str) -> String {
    // `withParser` is a name.
    let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    if word.contains('_') || word.chars().skip(1).any(char::is_uppercase) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_first_letter() {
        assert_eq!(upper_first("it calls itself"), "It calls itself");
        assert_eq!(upper_first("withParser leaves it"), "withParser leaves it");
        assert_eq!(upper_first("with_parser leaves it"), "with_parser leaves it");
        assert_eq!(upper_first("`a` is"), "`a` is");
        assert_eq!(upper_first(""), "");
    }
}
