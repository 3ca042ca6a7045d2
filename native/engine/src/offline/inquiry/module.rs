//! A folder: what it is for, what matters in it, who needs it.

use std::collections::BTreeSet;

use ouro_core::{
    Level, QuestionType,
    analysis::{FileRole, Reference},
};

use super::{Ask, Inquiry, typ};
use crate::offline::{
    code,
    draft::Draft,
    evidence::Evidence,
    facets,
    facts::{Facts, SymbolId, is_callable, is_type},
    plan::Wants,
    subject::Subject,
    wording::Wording,
};

/// Most things that are listed.
const MOST: usize = 6;

/// A module with several things in it.
pub(crate) struct Module {
    subject: Subject,
    index: usize,
    path: String,
    things: Vec<SymbolId>,
}

impl Module {
    /// The modules worth a record, the most central first: none whose only matter is one type.
    pub(crate) fn find(facts: &Facts) -> Vec<usize> {
        let analysis = facts.analysis();
        let mut found: Vec<(usize, f32)> = analysis
            .modules
            .iter()
            .enumerate()
            .filter(|(_, m)| !m.path.is_empty())
            .filter_map(|(index, m)| {
                let source = m.files.iter().filter(|f| {
                    analysis.files.get(**f).is_some_and(|f| f.role == FileRole::Source)
                });
                let things = things(facts, index).len();
                let told = if m.doc.is_some() { 1.5 } else { 1.0 };
                (source.count() >= 2 && things >= 3)
                    .then_some((index, (m.centrality + 0.1 * (things.min(10) as f32)) * told))
            })
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        // The one module that holds everything is what the overview is about.
        if found.len() < 2 { Vec::new() } else { found.into_iter().map(|f| f.0).collect() }
    }

    /// Opens one.
    pub(crate) fn open(facts: &Facts, index: usize) -> Option<Self> {
        let module = facts.analysis().modules.get(index)?;
        let mut things = things(facts, index);
        things.truncate(MOST + 2);
        Some(Self {
            subject: Subject::Module(module.path.clone()),
            index,
            path: module.path.clone(),
            things,
        })
    }

    /// The module with this path.
    pub(crate) fn index(facts: &Facts, path: &str) -> Option<usize> {
        facts.analysis().modules.iter().position(|m| m.path == path)
    }

    /// References from other modules, one for each, those to the most central things first.
    fn users<'f>(&self, facts: &'f Facts) -> Vec<&'f Reference> {
        let module_of = |file: usize| facts.analysis().files.get(file).map(|f| f.module);
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        for id in &self.things {
            for reference in facts.incoming(*id) {
                let from = module_of(reference.from_file);
                let product = reference.from_symbol.is_some_and(|f| facts.is_product(f));
                if product && from != Some(self.index) && seen.insert(from) {
                    found.push(reference);
                }
            }
        }
        found.truncate(3);
        found
    }
}

impl Inquiry for Module {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn level(&self) -> Level {
        Level::Foundation
    }

    fn question_type(&self) -> QuestionType {
        QuestionType::CodeStructure
    }

    fn module(&self, _: &Facts) -> String {
        self.path.clone()
    }

    fn ask(&self, facts: &Facts, wording: Wording) -> Ask {
        let names: Vec<String> = self
            .things
            .iter()
            .take(2)
            .filter_map(|t| facts.symbol(*t))
            .map(|s| format!("`{}`", s.name))
            .collect();
        Ask {
            key: if self.users(facts).is_empty() { "module" } else { "module_used" },
            values: vec![("path", self.path.clone()), ("list", wording.list(&names))],
        }
    }

    fn wants(&self, facts: &Facts, _: &Evidence) -> Wants {
        let mut wants = Wants::default();
        if let Some((path, doc)) =
            facts.analysis().modules.get(self.index).and_then(|m| m.doc.as_ref())
        {
            wants.lines(path, doc.start_line, doc.end_line.min(doc.start_line + 40));
        }
        for id in &self.things {
            wants.declaration(facts, *id, 0);
        }
        for user in self.users(facts) {
            let path = facts.analysis().files.get(user.from_file).map_or("", |f| f.path.as_str());
            wants.lines(path, user.line, user.line);
        }
        wants
    }

    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>) {
        draft.tag(self.path.rsplit('/').next().unwrap_or(&self.path));
        if let Some((path, doc)) =
            facts.analysis().modules.get(self.index).and_then(|m| m.doc.as_ref())
        {
            let statements = draft.evidence.doc_statements(path, doc);
            draft.describe(&self.path, &self.path, None, &statements, 3);
        }
        let items = facets::items(draft, facts, &self.things, MOST, false);
        if !items.is_empty() {
            draft.say_lead("module.things", &items, &[("name", &self.path)]);
            draft.list(false, items);
        }
        draft.paragraph();
        let mut parts = Vec::new();
        let mut cites = Vec::new();
        for user in self.users(facts) {
            let Some(target) = facts.symbol(user.to) else { continue };
            let path = facts.analysis().files.get(user.from_file).map_or("", |f| f.path.as_str());
            let Some(cite) = draft.evidence.cite_naming(path, user.line, &target.name) else {
                continue;
            };
            let Some(code) = draft.evidence.line(path, user.line).and_then(code::inline_code)
            else {
                continue;
            };
            parts.push(format!("{code}{}", draft.wording.aside(&cite.to_string())));
            cites.push(cite);
        }
        if !parts.is_empty() {
            let list = draft.wording.list(&parts);
            draft.say("module.users", cites, &[("name", &self.path), ("list", &list)]);
        }
        for id in self.things.iter().take(3) {
            draft.gap(format!("`{}` ({})", facts.label(*id), facts.path(*id)));
        }
    }
}

/// What matters in a module: documented types and functions that others can see, the best first.
fn things(facts: &Facts, index: usize) -> Vec<SymbolId> {
    let files = facts.analysis().modules.get(index).map_or(&[][..], |m| m.files.as_slice());
    let mut names = BTreeSet::new();
    let mut found: Vec<(SymbolId, f32)> = files
        .iter()
        .flat_map(|file| facts.ids_in(*file))
        .filter(|(id, s)| s.container.is_none() && facts.is_product(*id) && s.doc.is_some())
        .filter(|(id, s)| {
            (is_type(s.kind) || is_callable(s.kind)) && s.exported && !facts.is_failure(*id)
        })
        .map(|(id, s)| {
            let worth = if is_type(s.kind) { typ::worth(facts, id) } else { None };
            (id, worth.unwrap_or_else(|| facts.weight(id)))
        })
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.retain(|(id, _)| facts.symbol(*id).is_some_and(|s| names.insert(s.name.clone())));
    found.into_iter().map(|f| f.0).collect()
}
