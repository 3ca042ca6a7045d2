//! A type whose members are settings: which there are, what they mean, who reads them.

use std::collections::BTreeSet;

use ouro_core::{Level, QuestionType, analysis::Member};

use super::{Ask, Inquiry, typ};
use crate::offline::{
    draft::Draft,
    evidence::Evidence,
    facets,
    facts::{Facts, SymbolId, is_type, told_members},
    plan::Wants,
    subject::Subject,
    wording::Wording,
};

/// Fewest documented settings for a record.
const LEAST: usize = 4;
/// Most settings that are listed.
const MOST: usize = 8;

/// A type that configures something.
pub(crate) struct Options {
    subject: Subject,
    id: SymbolId,
    name: String,
    path: String,
    setters: Vec<SymbolId>,
}

impl Options {
    /// The configuration types of a project, the most important first.
    pub(crate) fn find(facts: &Facts) -> Vec<SymbolId> {
        let mut found: Vec<(SymbolId, f32)> = facts
            .ids()
            .filter(|(id, s)| {
                is_type(s.kind) && s.exported && facts.is_product(*id) && is_settings(&s.name)
            })
            .filter(|(id, s)| {
                told_members(s).count() >= LEAST || setters(facts, *id).len() >= LEAST
            })
            .map(|(id, s)| {
                let members = s.members.len() + facts.members(id).len();
                (id, facts.weight(id) + 0.2 * (members as f32).ln_1p())
            })
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.into_iter().map(|f| f.0).collect()
    }

    /// Opens one.
    pub(crate) fn open(facts: &Facts, id: SymbolId) -> Option<Self> {
        facts.symbol(id)?;
        Some(Self {
            subject: Subject::Options(facts.key(id)),
            id,
            name: facts.label(id),
            path: facts.path(id).to_owned(),
            setters: setters(facts, id),
        })
    }
}

impl Options {
    /// What can be set by naming it.
    fn members<'f>(&self, facts: &'f Facts) -> impl Iterator<Item = &'f Member> {
        facts.symbol(self.id).into_iter().flat_map(told_members)
    }
}

impl Inquiry for Options {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn level(&self) -> Level {
        Level::Foundation
    }

    fn question_type(&self) -> QuestionType {
        QuestionType::Configuration
    }

    fn module(&self, facts: &Facts) -> String {
        facts.module_of(self.id).to_owned()
    }

    fn ask(&self, facts: &Facts, wording: Wording) -> Ask {
        let members: Vec<&str> = self.members(facts).map(|m| m.name.as_str()).collect();
        let key = if members.is_empty() { "setters" } else { "options" };
        let setters = self.setters.iter().filter_map(|s| facts.symbol(*s)).map(|s| s.name.as_str());
        let names: Vec<String> =
            members.into_iter().chain(setters).take(3).map(|n| format!("`{n}`")).collect();
        Ask {
            key,
            values: vec![
                ("name", self.name.clone()),
                ("path", self.path.clone()),
                ("list", wording.list(&names)),
            ],
        }
    }

    fn wants(&self, facts: &Facts, _: &Evidence) -> Wants {
        let mut wants = Wants::default();
        wants.declaration(facts, self.id, 120);
        for id in &self.setters {
            wants.declaration(facts, *id, 0);
        }
        for caller in facts.callers(self.id).into_iter().take(2) {
            let path = caller.from_symbol.map_or("", |f| facts.path(f));
            wants.lines(path, caller.line, caller.line);
        }
        let checks = facets::failures_of(facts, facts.members(self.id));
        for failure in checks.iter().take(2) {
            facets::want_failure(&mut wants, facts, failure);
        }
        wants
    }

    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let Some(symbol) = facts.symbol(self.id) else { return };
        draft.tag(&self.name);
        draft.tag("configuration");
        let doc = symbol
            .doc
            .as_ref()
            .map(|d| draft.evidence.symbol_statements(&self.path, d))
            .unwrap_or_default();
        let declared = facets::declared_at(draft, facts, self.id);
        let said = draft.describe(&self.name, &symbol.name, declared.as_ref(), &doc, 2);
        if let Some(cite) = declared.filter(|_| said == 0) {
            let kind = facets::kind_word(facts, self.id, draft.wording);
            draft.say(
                "type.plain",
                vec![cite.clone()],
                &[("name", &self.name), ("kind", &kind), ("at", &cite.to_string())],
            );
        }
        let mut items = facets::member_items(draft, &self.path, self.members(facts), MOST);
        let left = MOST.saturating_sub(items.len());
        items.extend(facets::items(draft, facts, &self.setters, left, false));
        if items.len() >= 2 {
            let key = if self.members(facts).next().is_none() { "setters" } else { "options" };
            draft.say_lead(&format!("{key}.list"), &items, &[("name", &self.name)]);
            draft.list(false, items);
        }
        draft.paragraph();
        let callers: Vec<_> = facts.callers(self.id).into_iter().take(2).collect();
        facets::users(draft, facts, "users.type", &self.name, &callers);
        let checks = facets::failures_of(facts, facts.members(self.id));
        facets::failures(draft, facts, &checks, 2);
    }
}

/// Whether a type is called like one that holds settings.
pub(super) fn is_settings(name: &str) -> bool {
    let ends = [
        "Config",
        "Configuration",
        "Options",
        "Opts",
        "Settings",
        "Builder",
        "Params",
        "Format",
        "Args",
    ];
    ends.iter().any(|e| name.ends_with(e))
}

/// Whether a member's header looks like that of a function that sets something: it works on the value, and gives it back or
/// nothing. One that gives something else looks up or makes it.
fn sets(signature: &str, type_name: &str) -> bool {
    let returned = signature.rsplit_once("->").map_or("", |(_, returned)| returned);
    let returned = returned.trim().trim_end_matches([':', ';']);
    let itself = returned.contains("Self") || returned.contains(type_name);
    let nothing = matches!(returned, "" | "()" | "None");
    // What Kotlin adds to a type begins with it, whatever it gives.
    let own = signature.replace(&format!("{type_name}."), "");
    own.contains(type_name) || (signature.contains("self") && (itself || nothing))
}

/// Documented functions that set something: in the order of the file, spread over it.
fn setters(facts: &Facts, id: SymbolId) -> Vec<SymbolId> {
    let makers = typ::constructors(facts, id);
    let own = facts.symbol(id).map_or("", |s| s.name.as_str());
    let mut names = BTreeSet::new();
    let mut found: Vec<SymbolId> = facts
        .members(id)
        .iter()
        .copied()
        .filter(|m| facts.is_product(*m) && !makers.contains(m))
        .filter(|m| {
            facts.symbol(*m).is_some_and(|s| {
                let sets = sets(&s.signature, own) || s.name.starts_with("set");
                // What hands back a copy as it is sets nothing.
                let plain = ["build", "copy", "clone"].iter().any(|w| s.name.starts_with(w));
                s.doc.is_some() && s.exported && sets && !plain && names.insert(s.name.clone())
            })
        })
        .collect();
    found.sort_by(|a, b| facts.weight(*b).total_cmp(&facts.weight(*a)).then(a.cmp(b)));
    found.truncate(MOST);
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sets_gives_the_value_back_or_nothing() {
        for signature in [
            "pub fn depth(mut self, depth: usize) -> Self",
            "pub fn depth(&mut self, depth: usize) -> &mut Self",
            "pub fn set(&mut self, depth: usize)",
            "def depth(self, depth: int) -> None:",
            "public CacheBuilder depth(int depth)",
            "public fun CacheBuilder.depth(depth: Int): CacheBuilder",
        ] {
            assert!(sets(signature, "CacheBuilder"), "{signature}");
        }
        for signature in [
            "pub fn from_key(self, key: &K) -> Option<(&K, &V)>",
            "def depth(self) -> int:",
            "public int depth()",
            "public fun CacheBuilder.entries(): List<Entry>",
        ] {
            assert!(!sets(signature, "CacheBuilder"), "{signature}");
        }
    }
}
