//! A folder: what it is for, what matters in it, who needs it. Where there is but one, its files with several functions.

use std::collections::BTreeSet;

use ouro_core::{
    Level, QuestionType,
    analysis::{CitedText, FileFacts, FileRole, Reference},
};

use super::{
    Ask, Inquiry,
    contents::{contents, declared},
    typ,
};
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
/// Most lines of a function that are looked at where it is but listed.
const BODY: u32 = 12;

/// A folder or file with several things in it.
pub(crate) struct Module {
    subject: Subject,
    path: String,
    is_file: bool,
    /// The files that belong to it.
    files: Vec<usize>,
    doc: Option<(String, CitedText)>,
    things: Vec<SymbolId>,
}

impl Module {
    /// What is worth a record, by path, the most central first: folders with more in them than one type, or, where not
    /// even two are, the files with several functions.
    pub(crate) fn find(facts: &Facts) -> Vec<String> {
        let analysis = facts.analysis();
        let mut found: Vec<(&str, f32)> = analysis
            .modules
            .iter()
            .filter(|m| !m.path.is_empty())
            .filter_map(|m| {
                let source = m.files.iter().filter(|f| {
                    analysis.files.get(**f).is_some_and(|f| f.role == FileRole::Source)
                });
                let things = things_in_folder(facts, &m.files).len();
                let told = if m.doc.is_some() { 1.5 } else { 1.0 };
                (source.count() >= 2 && things >= 3).then_some((
                    m.path.as_str(),
                    (m.centrality + 0.1 * (things.min(10) as f32)) * told,
                ))
            })
            .collect();
        // The one module that holds everything is what the overview is about.
        if found.len() < 2 {
            found = files_of_functions(facts);
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        found.into_iter().map(|(path, _)| path.to_owned()).collect()
    }

    /// The folder or file with this path.
    pub(crate) fn open(facts: &Facts, path: &str) -> Option<Self> {
        let analysis = facts.analysis();
        let subject = Subject::Module(path.to_owned());
        let path = path.to_owned();
        if let Some(module) = analysis.modules.iter().find(|m| m.path == path) {
            let mut things = things_in_folder(facts, &module.files);
            things.truncate(MOST + 2);
            let (files, doc) = (module.files.clone(), module.doc.clone());
            return Some(Self { subject, path, is_file: false, files, doc, things });
        }
        let index = analysis.files.iter().position(|f| f.path == path)?;
        let doc = analysis.files.get(index).and_then(|f| f.doc.clone());
        let doc = doc.map(|text| (path.clone(), text));
        let mut things = functions_in_file(facts, index);
        // What only the file itself can call is told where there is little else.
        let exported = |id: &SymbolId| facts.symbol(*id).is_some_and(|s| s.exported);
        if things.iter().filter(|id| exported(id)).count() >= 2 {
            things.retain(exported);
        }
        Some(Self { subject, path, is_file: true, files: vec![index], doc, things })
    }

    /// References from elsewhere, one for each module or file, those to the most central things first.
    fn users<'f>(&self, facts: &'f Facts) -> Vec<&'f Reference> {
        let module_of = |file: usize| facts.analysis().files.get(file).map(|f| f.module);
        let unit = |file: usize| if self.is_file { Some(file) } else { module_of(file) };
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        for id in &self.things {
            for reference in facts.incoming(*id) {
                let product = reference.from_symbol.is_some_and(|f| facts.is_product(f));
                let outside = !self.files.contains(&reference.from_file);
                if product && outside && seen.insert(unit(reference.from_file)) {
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
        let mut seen = BTreeSet::new();
        let things = self.things.iter().filter_map(|t| facts.symbol(*t));
        let things = things.filter(|s| seen.insert(s.name.as_str())).take(2);
        let names: Vec<String> = things.map(|s| format!("`{}`", s.name)).collect();
        Ask {
            key: match (self.is_file, self.users(facts).is_empty()) {
                (true, _) => "file",
                (false, true) => "module",
                (false, false) => "module_used",
            },
            values: vec![("path", self.path.clone()), ("list", wording.list(&names))],
        }
    }

    fn wants(&self, facts: &Facts, _: &Evidence) -> Wants {
        let mut wants = Wants::default();
        if let Some((path, doc)) = &self.doc {
            wants.lines(path, doc.start_line, doc.end_line.min(doc.start_line + 40));
        }
        for id in &self.things {
            wants.declaration(facts, *id, if self.is_file { BODY } else { 0 });
        }
        for user in self.users(facts) {
            let path = facts.analysis().files.get(user.from_file).map_or("", |f| f.path.as_str());
            wants.lines(path, user.line, user.line);
        }
        wants
    }

    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>) {
        draft.tag(self.path.rsplit('/').next().unwrap_or(&self.path));
        if let Some((path, doc)) = &self.doc {
            let statements = draft.evidence.doc_statements(path, doc);
            draft.describe(&self.path, &self.path, None, &statements, 3);
        }
        let items: Vec<_> = if self.is_file {
            self.things.iter().filter_map(|id| declared(facts, draft, *id)).collect()
        } else {
            facets::items(draft, facts, &self.things, MOST, false)
        };
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
            let Some(code) = code::statement(draft.evidence, path, user.line) else { continue };
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

/// What matters in a folder: documented types and functions that others can see, the best first.
fn things_in_folder(facts: &Facts, files: &[usize]) -> Vec<SymbolId> {
    let mut names = BTreeSet::new();
    let mut found: Vec<(SymbolId, f32)> = files
        .iter()
        .flat_map(|file| facts.ids_in(*file))
        .filter(|(id, s)| s.container.is_none() && facts.is_product(*id) && s.doc.is_some())
        .filter(|(id, s)| {
            (is_type(s.kind) || is_callable(s.kind))
                && s.exported
                && !facts.is_failure(*id)
                && !facts.is_deprecated(*id)
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

/// The files with several functions that are told somewhere, and how central these are. Those of a project that is told
/// whole are not worth a record more.
fn files_of_functions(facts: &Facts) -> Vec<(&str, f32)> {
    if !contents(facts).is_empty() {
        return Vec::new();
    }
    let files = facts.analysis().files.iter().enumerate();
    let source = |f: &FileFacts| f.role == FileRole::Source && !Facts::is_test_help(&f.path);
    files
        .filter(|(_, f)| source(f))
        .filter_map(|(index, f)| {
            let functions = functions_in_file(facts, index);
            let told = functions.iter().filter(|id| is_documented(facts, **id)).count();
            let weight: f32 = functions.iter().map(|id| facts.weight(*id)).sum();
            (functions.len() >= 3 && told >= 2).then_some((f.path.as_str(), weight))
        })
        .collect()
}

fn is_documented(facts: &Facts, id: SymbolId) -> bool {
    facts.symbol(id).is_some_and(|s| s.doc.is_some())
}

/// The functions of a file that belong to no type: those that others can see and those that are documented, in their
/// order.
fn functions_in_file(facts: &Facts, file: usize) -> Vec<SymbolId> {
    let mut found: Vec<SymbolId> = facts
        .ids_in(file)
        .filter(|(id, s)| {
            is_callable(s.kind)
                && s.container.is_none()
                && facts.is_product(*id)
                && (s.exported || s.doc.is_some())
                && !facts.is_deprecated(*id)
        })
        .map(|(id, _)| id)
        .collect();
    // Several forms of one function are one thing; what is said of any may be said of the first.
    found.sort_by_key(|id| (!is_documented(facts, *id), *id));
    let mut names = BTreeSet::new();
    found.retain(|id| facts.symbol(*id).is_some_and(|s| names.insert(s.name.clone())));
    found.sort_unstable();
    if found.len() > MOST {
        let mut best = found.clone();
        best.sort_by(|a, b| {
            let told = |id: &SymbolId| is_documented(facts, *id);
            told(b).cmp(&told(a)).then(facts.weight(*b).total_cmp(&facts.weight(*a))).then(a.cmp(b))
        });
        best.truncate(MOST);
        found.retain(|id| best.contains(id));
    }
    found
}
