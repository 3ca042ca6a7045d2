//! The packages that the code is built on, and where each of them enters.

use ouro_core::{
    Level, QuestionType,
    analysis::{Dependency, FileRole, Manifest},
};

use super::{Ask, Inquiry};
use crate::offline::{
    code,
    draft::Draft,
    evidence::Evidence,
    facts::{Facts, is_part_of},
    plan::Wants,
    subject::Subject,
    wording::Wording,
};

/// Most packages that are told.
const MOST: usize = 6;

/// Packages of the first manifest that the code imports.
pub(crate) struct Dependencies {
    subject: Subject,
    manifest: String,
    found: Vec<Entry>,
}

/// A package and the most central place that imports it.
struct Entry {
    dependency: Dependency,
    path: String,
    line: u32,
}

impl Dependencies {
    /// Opens it; `None` when fewer than two packages are asked for and imported.
    pub(crate) fn open(facts: &Facts) -> Option<Self> {
        let manifest = facts
            .analysis()
            .manifests
            .iter()
            .find(|m| m.dependencies.iter().any(|d| !d.development))?;
        let mut found: Vec<Entry> = manifest
            .dependencies
            .iter()
            .filter(|d| !d.development)
            .filter_map(|d| {
                let (path, line) = entered(facts, manifest, &d.name)?;
                Some(Entry { dependency: d.clone(), path, line })
            })
            .collect();
        found.truncate(MOST);
        (found.len() >= 2).then(|| Self {
            subject: Subject::Dependencies,
            manifest: manifest.path.clone(),
            found,
        })
    }
}

impl Inquiry for Dependencies {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn level(&self) -> Level {
        Level::Foundation
    }

    fn question_type(&self) -> QuestionType {
        QuestionType::Dependency
    }

    fn module(&self, _: &Facts) -> String {
        String::new()
    }

    fn ask(&self, facts: &Facts, wording: Wording) -> Ask {
        let names: Vec<String> =
            self.found.iter().take(3).map(|e| format!("`{}`", e.dependency.name)).collect();
        Ask {
            key: "dependencies",
            values: vec![("name", facts.name().to_owned()), ("list", wording.list(&names))],
        }
    }

    fn wants(&self, _: &Facts, _: &Evidence) -> Wants {
        let mut wants = Wants::default();
        for entry in &self.found {
            wants.lines(&self.manifest, entry.dependency.line, entry.dependency.line);
        }
        for entry in &self.found {
            wants.lines(&entry.path, entry.line, entry.line);
        }
        wants
    }

    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>) {
        draft.tag("dependencies");
        let mut items = Vec::new();
        for entry in &self.found {
            let name = entry.dependency.name.as_str();
            let Some(asked) =
                draft.evidence.cite(&self.manifest, entry.dependency.line, entry.dependency.line)
            else {
                continue;
            };
            let Some(text) = draft.evidence.line(&entry.path, entry.line) else { continue };
            let Some(code) = code::inline_code(text) else { continue };
            let Some(used) = draft.evidence.cite(&entry.path, entry.line, entry.line) else {
                continue;
            };
            let version = entry.dependency.version.trim();
            let values = [
                ("name", name),
                ("version", version),
                ("asked", &asked.to_string()),
                ("code", &code),
                ("used", &used.to_string()),
            ];
            let key = if version.is_empty() || version == "*" {
                "dependencies.item"
            } else {
                "dependencies.version"
            };
            items.push((draft.wording.phrase(key, "", &values), vec![asked, used]));
            draft.tag(name);
        }
        if items.len() >= 2 {
            draft.say_lead(
                "dependencies.lead",
                &items,
                &[("name", facts.name()), ("path", &self.manifest)],
            );
            draft.list(false, items);
        }
    }
}

/// The most central product file that imports a package, and the line.
fn entered(facts: &Facts, manifest: &Manifest, name: &str) -> Option<(String, u32)> {
    let mut files: Vec<_> =
        facts.analysis().files.iter().filter(|f| f.role == FileRole::Source).collect();
    files.sort_by(|a, b| b.centrality.total_cmp(&a.centrality).then_with(|| a.path.cmp(&b.path)));
    files.into_iter().find_map(|file| {
        let import = file.imports.iter().find(|i| is_part_of(manifest, name, &i.what))?;
        Some((file.path.clone(), import.line))
    })
}
