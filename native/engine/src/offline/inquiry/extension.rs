//! An interface and what implements it: where the project can be extended.

use std::collections::BTreeSet;

use ouro_core::{Level, QuestionType, analysis::SymbolKind};

use super::{Ask, Inquiry};
use crate::offline::{
    draft::Draft,
    evidence::{Cite, Evidence},
    facets,
    facts::{Facts, Heir, SymbolId, is_callable},
    plan::Wants,
    subject::Subject,
    voice,
    wording::Wording,
};

/// Most implementors that are listed.
const MOST: usize = 5;
/// Most methods that are shown for a type that doesn't say what it implements.
const MOST_PROOFS: usize = 2;

/// Whether it says itself what it asks of those who build on it, and two of them say what they make of it.
pub(crate) fn is_telling(facts: &Facts, id: SymbolId) -> bool {
    let told = facts.members(id).iter().filter(|m| facts.tells(**m)).count();
    let heirs = facts.heirs(id).iter().filter(|heir| facts.tells(heir.id)).count();
    (facts.tells(id) || told >= 2) && heirs >= 2
}

/// An interface or base class with several implementors.
pub(crate) struct Extension {
    subject: Subject,
    id: SymbolId,
    name: String,
    path: String,
    required: Vec<SymbolId>,
}

impl Extension {
    /// The extension points of a project, the most important first.
    pub(crate) fn find(facts: &Facts) -> Vec<SymbolId> {
        let mut found: Vec<(SymbolId, f32)> = facts
            .ids()
            .filter(|(id, s)| {
                matches!(s.kind, SymbolKind::Interface | SymbolKind::Class)
                    && facts.is_product(*id)
                    && !facts.is_failure(*id)
                    && !facts.is_deprecated(*id)
            })
            .filter_map(|(id, s)| {
                let heirs = facts.heirs(id).len();
                let interface = s.kind == SymbolKind::Interface;
                let least = if interface { 2 } else { 3 };
                let methods = facts.members(id).len();
                let is_told = |id: SymbolId| facts.symbol(id).is_some_and(|s| s.doc.is_some());
                let told = facts.members(id).iter().filter(|m| is_told(**m)).count();
                let told_heirs = facts.heirs(id).iter().filter(|h| is_told(h.id)).count();
                let doc = if s.doc.is_some() { 1.0 } else { 0.4 };
                let kind = if interface { 1.5 } else { 1.0 };
                let worth = (facts.weight(id)
                    + 0.4 * (heirs as f32).ln_1p()
                    + 0.1 * (methods.min(8) as f32))
                    * doc
                    * kind;
                // A class that says nothing of itself is for those inside.
                let says = s.doc.is_some() || (told > 0 && interface);
                // Names alone are no answer.
                (heirs >= least && says && told + told_heirs + usize::from(is_told(id)) >= 2)
                    .then_some((id, worth))
            })
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.into_iter().map(|f| f.0).collect()
    }

    /// Opens one.
    pub(crate) fn open(facts: &Facts, id: SymbolId) -> Option<Self> {
        let symbol = facts.symbol(id)?;
        let mut names = BTreeSet::new();
        let mut required: Vec<SymbolId> = facts
            .members(id)
            .iter()
            .copied()
            .filter(|m| {
                // What is attached to a type from outside is nothing that it declares.
                facts.symbol(*m).is_some_and(|s| {
                    let inside = symbol.start_line <= s.line && s.line <= symbol.end_line;
                    is_callable(s.kind) && inside && s.file == symbol.file
                })
            })
            .collect();
        required.retain(|m| {
            facts
                .symbol(*m)
                .is_some_and(|s| !s.name.starts_with('_') && names.insert(s.name.clone()))
        });
        // What has no body, or next to none, is for the implementor to write.
        required.sort_by_key(|m| {
            let s = facts.symbol(*m);
            (
                s.is_some_and(|s| s.doc.is_none()),
                s.map_or(0, |s| s.end_line.saturating_sub(s.start_line).min(20)),
                *m,
            )
        });
        required.truncate(4);
        required.sort_unstable();
        Some(Self {
            subject: Subject::Extension(facts.key(id)),
            id,
            name: facts.label(id),
            path: facts.path(id).to_owned(),
            required,
        })
    }

    fn heirs(&self, facts: &Facts) -> Vec<Heir> {
        let mut seen = BTreeSet::new();
        let mut all = facts.heirs(self.id);
        all.retain(|heir| facts.symbol(heir.id).is_some_and(|s| seen.insert(s.name.clone())));
        all.sort_by_key(|heir| facts.symbol(heir.id).is_some_and(|s| s.doc.is_none()));
        all.truncate(MOST);
        all
    }

    /// What shows that a type fits the interface without saying so.
    fn proofs(&self, facts: &Facts, heir: Heir) -> Vec<SymbolId> {
        let mut found = if heir.declared { Vec::new() } else { facts.proofs(self.id, heir.id) };
        found.truncate(MOST_PROOFS);
        found
    }
}

impl Inquiry for Extension {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn level(&self) -> Level {
        Level::Implementation
    }

    fn question_type(&self) -> QuestionType {
        QuestionType::DesignPattern
    }

    fn module(&self, facts: &Facts) -> String {
        facts.module_of(self.id).to_owned()
    }

    fn ask(&self, facts: &Facts, wording: Wording) -> Ask {
        let names: Vec<String> = self
            .heirs(facts)
            .iter()
            .take(2)
            .filter_map(|heir| facts.symbol(heir.id))
            .map(|s| format!("`{}`", s.name))
            .collect();
        let told = self.required.iter().any(|m| facts.symbol(*m).is_some_and(|s| s.doc.is_some()));
        Ask {
            key: if told { "extension" } else { "heirs" },
            values: vec![
                ("name", self.name.clone()),
                ("path", self.path.clone()),
                ("list", wording.list(&names)),
                ("kind", facets::kind_word(facts, self.id, wording)),
            ],
        }
    }

    fn wants(&self, facts: &Facts, _: &Evidence) -> Wants {
        let mut wants = Wants::default();
        wants.declaration(facts, self.id, 30);
        for id in &self.required {
            wants.declaration(facts, *id, 0);
        }
        for heir in self.heirs(facts) {
            wants.declaration(facts, heir.id, 0);
            wants.lines(facts.path(heir.id), heir.line, heir.line);
            for proof in self.proofs(facts, heir) {
                wants.declaration(facts, proof, 0);
            }
        }
        wants
    }

    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let Some(symbol) = facts.symbol(self.id) else { return };
        draft.tag(&self.name);
        let doc = symbol
            .doc
            .as_ref()
            .map(|d| draft.evidence.symbol_statements(&self.path, d))
            .unwrap_or_default();
        let declared = facets::declared_at(draft, facts, self.id);
        let said = draft.describe(&self.name, &symbol.name, declared.as_ref(), &doc, 3);
        if let Some(cite) = declared.filter(|_| said == 0) {
            let kind = facets::kind_word(facts, self.id, draft.wording);
            draft.say(
                "type.plain",
                vec![cite.clone()],
                &[("name", &self.name), ("kind", &kind), ("at", &cite.to_string())],
            );
        }
        let required = facets::items(draft, facts, &self.required, 4, false);
        if !required.is_empty() {
            draft.say_lead("extension.required", &required, &[("name", &self.name)]);
            draft.list(false, required);
        }
        for (declared, key) in [(true, "extension.heirs"), (false, "extension.satisfied")] {
            let heirs = self.heirs(facts).into_iter().filter(|heir| heir.declared == declared);
            let items: Vec<_> = heirs.filter_map(|heir| self.heir(facts, draft, heir)).collect();
            if !items.is_empty() {
                draft.say_lead(key, &items, &[("name", &self.name)]);
                draft.list(false, items);
            }
        }
    }
}

impl Extension {
    /// A type that builds on this one, as a list item with what shows that it does.
    fn heir(
        &self,
        facts: &Facts,
        draft: &mut Draft<'_>,
        heir: Heir,
    ) -> Option<(String, Vec<Cite>)> {
        let (from, name) = (heir.id, facts.symbol(heir.id)?.name.clone());
        let path = facts.path(from);
        let own = facts.symbol(self.id).map_or("", |s| s.name.as_str());
        let shown = if heir.declared { own } else { &name };
        let cite = draft.evidence.cite_naming(path, heir.line, shown)?;
        let (mut text, mut cites) = match facets::first_doc(draft, facts, from) {
            Some((text, at)) => {
                draft.remember(&text);
                let text = facets::without_name(draft.wording, &name, &text);
                let both = format!("{cite}, {at}");
                let place = draft.evidence.span(&cite, &at).map_or(both, |c| c.to_string());
                let values =
                    [("name", name.as_str()), ("text", voice::bare(&text)), ("at", &place)];
                (draft.wording.phrase("item", "", &values), vec![cite, at])
            }
            None => {
                let values = [("name", name.as_str()), ("at", &cite.to_string())];
                (draft.wording.phrase("users.plain", "", &values), vec![cite])
            }
        };
        let (mut shown, mut at) = (Vec::new(), Vec::new());
        for proof in self.proofs(facts, heir) {
            let Some(cite) = facets::declared_at(draft, facts, proof) else { continue };
            let method = facts.symbol(proof).map_or("", |s| s.name.as_str());
            let values = [("name", method), ("at", &cite.to_string())];
            shown.push(draft.wording.phrase("users.plain", "", &values));
            at.push(cite);
        }
        if !heir.declared && shown.is_empty() {
            return None;
        }
        if !shown.is_empty() {
            let list = draft.wording.list(&shown);
            text.push_str(&draft.wording.phrase("extension.proof", "", &[("list", &list)]));
            cites.extend(at);
        }
        draft.gap(format!("`{name}` ({path})"));
        Some((text, cites))
    }
}
