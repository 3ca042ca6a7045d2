//! The project as a whole: what it is, how its code is laid out, where to start reading.

use std::collections::BTreeSet;

use ouro_core::{
    Level, QuestionType,
    analysis::{CitedText, EntryPoint, FileRole},
};

use super::{
    Ask, Inquiry,
    contents::{contents, declared},
    start::start,
    typ,
};
use crate::offline::{
    draft::Draft,
    evidence::{Cite, Evidence},
    facets,
    facts::{Facts, SymbolId, is_callable, is_readme},
    plan::Wants,
    prose::Sentence,
    subject::Subject,
    voice,
    wording::Wording,
};

/// Most parts that are listed.
const MOST_PARTS: usize = 8;
/// Most lines of a README that are searched for what the project is.
const MOST_LINES: u32 = 60;
/// Most lines of a README that are searched for an example.
const EXAMPLE_LINES: u32 = 200;

/// The whole project.
pub(crate) struct Overview {
    subject: Subject,
    parts: Vec<Part>,
    /// In a project of a few files: what they declare.
    contents: Vec<SymbolId>,
}

/// A module or file with its own documentation, or with a documented type that stands for it.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    path: String,
    doc: Option<(String, CitedText)>,
    main: Option<SymbolId>,
}

impl Overview {
    /// Opens it; `None` for a folder with neither prose nor code to tell about.
    pub(crate) fn open(facts: &Facts) -> Option<Self> {
        let analysis = facts.analysis();
        let told = analysis.documents.iter().any(|d| d.introduction.is_some())
            || analysis.manifests.iter().any(|m| m.description.is_some() || m.name.is_some())
            || analysis.files.iter().any(|f| f.doc.is_some());
        let code =
            analysis.files.iter().any(|f| f.role == FileRole::Source && !f.language.is_empty());
        let overview = Self {
            subject: Subject::Overview,
            parts: if code { own_parts(facts) } else { Vec::new() },
            contents: contents(facts),
        };
        (told || overview.parts.len() >= 2 || !overview.contents.is_empty()).then_some(overview)
    }

    /// The introductions of the project, the best first: README, package documentation.
    fn introductions(facts: &Facts) -> Vec<(&str, CitedText)> {
        let analysis = facts.analysis();
        let readme = analysis.documents.iter().filter_map(|d| {
            let text = d.introduction.as_ref()?;
            let lines = analysis.file(&d.path).map_or(text.end_line, |f| f.lines);
            // What the project is may stand a few paragraphs further down.
            let end_line = lines.min(text.start_line + MOST_LINES).max(text.end_line);
            let start_line = text.start_line;
            Some((d.path.as_str(), CitedText { text: String::new(), start_line, end_line }))
        });
        let roots: BTreeSet<&str> = facts.roots().map(|f| f.path.as_str()).collect();
        let whole = facts.roots().filter(|f| !is_inside_another(&f.path, &roots));
        let mut docs: Vec<_> =
            whole.filter_map(|f| Some((f.path.as_str(), f.doc.clone()?))).collect();
        docs.retain(|(path, _)| !path.ends_with("package-info.java") || holds_most(facts, path));
        docs.sort_by_key(|(path, _)| (path.matches('/').count(), *path));
        let front = facts.readme().map(|d| d.path.as_str());
        let speaks = |path: &str| is_readme(path) && path.matches('/').count() <= 1;
        let mut all: Vec<_> =
            readme.filter(|(p, _)| speaks(p) || Some(*p) == front).take(1).collect();
        all.extend(docs.into_iter().take(2));
        all
    }
}

impl Inquiry for Overview {
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
        String::new()
    }

    fn ask(&self, facts: &Facts, _: Wording) -> Ask {
        let analysis = facts.analysis();
        let told = !Self::introductions(facts).is_empty()
            || analysis.manifests.first().is_some_and(|m| m.description.is_some());
        let key = match told {
            true if facts.is_without_code() => "documents",
            true => "overview",
            false => "layout",
        };
        Ask { key, values: vec![("name", facts.name().to_owned())] }
    }

    fn wants(&self, facts: &Facts, seen: &Evidence) -> Wants {
        let mut wants = Wants::default();
        for (path, text) in Self::introductions(facts) {
            wants.lines(path, text.start_line, text.end_line.min(text.start_line + MOST_LINES));
        }
        // Its example stands further down.
        if let Some(file) = facts.readme().and_then(|d| facts.analysis().file(&d.path)) {
            wants.lines(&file.path, 1, file.lines.min(EXAMPLE_LINES));
        }
        if let Some(manifest) = facts.analysis().manifests.first() {
            let lines = [&manifest.name, &manifest.version, &manifest.description];
            for text in lines.into_iter().flatten() {
                wants.lines(&manifest.path, text.start_line, text.end_line);
            }
        }
        if let Some((id, symbol)) = start(facts, seen).and_then(|id| Some((id, facts.symbol(id)?)))
        {
            wants.lines(facts.path(id), symbol.line, symbol.line);
        }
        for entry in entries(facts) {
            wants.lines(&entry.path, entry.line, entry.line);
        }
        for id in &self.contents {
            wants.declaration(facts, *id, 12);
        }
        for part in &self.parts {
            match (&part.doc, part.main) {
                (Some((path, doc)), main) => {
                    wants.lines(path, doc.start_line, doc.end_line.min(doc.start_line + 12));
                    // What was said of the whole before is no word on its main file.
                    if let Some(id) = main.filter(|_| is_root_file(path)) {
                        wants.declaration(facts, id, 0);
                    }
                }
                (None, Some(id)) => wants.declaration(facts, id, 0),
                (None, None) => {}
            }
        }
        wants
    }

    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let name = facts.name().to_owned();
        draft.tag(&name);
        let said = self.introduce(facts, draft, &name);
        self.package(facts, draft, said);
        self.entries(facts, draft);
        self.begin(facts, draft);
        let parts = self.told_parts(facts, draft);
        if parts.len() >= 2 {
            draft.paragraph();
            draft.say_lead("overview.parts", &parts, &[("name", name.as_str())]);
            draft.list(false, parts);
        }
        let contents: Vec<_> =
            self.contents.iter().filter_map(|id| declared(facts, draft, *id)).collect();
        draft.paragraph();
        draft.say_lead("overview.contents", &contents, &[("name", name.as_str())]);
        draft.list(false, contents);
    }
}

/// The parts of the product itself, without helpers of tests.
fn own_parts(facts: &Facts) -> Vec<Part> {
    facts.parts().iter().filter(|part| !Facts::is_test_help(&part.path)).cloned().collect()
}

/// Whether a sentence says what the thing of this name is: `Name is a ...`.
fn defines(names: &[&str], text: &str) -> bool {
    let Some(rest) = behind_name(names, text) else { return false };
    let mut rest = rest.iter().map(String::as_str).skip_while(|w| w.starts_with('('));
    let verb = rest.next().unwrap_or_default();
    verb == "is" && matches!(rest.next(), Some("a" | "an" | "the" | "one" | "just"))
        || matches!(verb, "provides" | "implements")
}

/// Verbs behind a project's name that say what it needs or who made it, not what it does.
const ASIDE: &str = "supports requires needs uses follows depends includes works comes contains";

/// Whether a sentence says what the thing of this name does: `Name reads ...`.
fn says_what_it_does(names: &[&str], text: &str) -> bool {
    let rest = behind_name(names, text);
    let Some([verb, rest @ ..]) = rest.as_deref() else { return false };
    // `Name aims to be`, `Name lets you`: what takes an object is a verb.
    let takes = |word: &String| TAKEN.split_whitespace().any(|object| object == word);
    let is_verb = voice::third_person(verb)
        || (voice::ends_like_verb(verb) && rest.first().is_some_and(takes));
    is_verb && !ASIDE.split_whitespace().any(|aside| aside == verb)
}

/// Words that what a verb does is done to begin with.
const TAKEN: &str = "a an the any all your you to";

/// The words behind the name that a sentence begins with, in lower case.
fn behind_name(names: &[&str], text: &str) -> Option<Vec<String>> {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|w| w.trim_matches(['`', '*', '"', ',', '\'']).to_lowercase())
        .collect();
    let plain = |n: &str| n.rsplit('/').next().unwrap_or(n).to_lowercase();
    let start = usize::from(words.first().is_some_and(|w| matches!(w.as_str(), "the" | "package")));
    let is_name = words.get(start).is_some_and(|w| {
        names.iter().any(|n| {
            let n = plain(n);
            plain(w) == n
                || w.strip_suffix("js").is_some_and(|s| s.trim_end_matches('.') == n)
                || n.strip_suffix(w.as_str()).is_some_and(|rest| rest.ends_with(['-', '_', '.']))
                || n.strip_prefix(w.as_str())
                    .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
        })
    });
    is_name.then(|| words.get(start + 1..).unwrap_or_default().to_vec())
}

impl Overview {
    /// What the project is, in the words of its introductions: the first that says so, else the documentation of its
    /// root file. Returns how many sentences were said. What else a README begins with, news and warnings, is left
    /// out where the build file describes the project.
    fn introduce(&self, facts: &Facts, draft: &mut Draft<'_>, name: &str) -> usize {
        let own = [name, &facts.analysis().name];
        let all: Vec<_> = Self::introductions(facts)
            .into_iter()
            .map(|(path, text)| {
                let mut statements = draft.evidence.doc_statements(path, &text);
                statements.retain(|(s, _)| !is_notice(&s.text));
                (path, statements)
            })
            .collect();
        for (path, statements) in &all {
            let acts = is_readme(path)
                && statements.first().is_some_and(|(s, _)| says_what_it_does(&own, &s.text));
            let defined = statements.iter().position(|(s, _)| defines(&own, &s.text));
            let Some(at) = acts.then_some(0).or(defined) else { continue };
            let told = statements.get(at..).unwrap_or_default();
            let end = told.first().map_or(0, |(s, _)| section_end(facts, path, s.end));
            let told: Vec<_> = told.iter().filter(|(s, _)| s.end < end).cloned().collect();
            return draft.describe(name, name, None, &told, 3);
        }
        let described = facts.analysis().manifests.first().is_some_and(|m| m.description.is_some());
        // A script has no place for what documents the whole of it: its first comment may speak of its first line.
        let is_script = |path: &str| [".js", ".mjs", ".cjs"].iter().any(|end| path.ends_with(end));
        let is_silent = |path: &str| is_readme(path) || (described && is_script(path));
        let root = all.iter().find(|(path, told)| !is_silent(path) && !told.is_empty());
        if let Some((_, statements)) = root {
            return draft.describe(name, name, None, statements, 3);
        }
        if described {
            return 0;
        }
        let Some((path, statements)) = all.first() else { return 0 };
        // Without a sentence that says what it is, only the introduction speaks for the whole.
        let document = facts.analysis().documents.iter().find(|d| d.path == *path);
        let end = document.and_then(|d| d.introduction.as_ref()).map_or(0, |i| i.end_line);
        let told: Vec<_> = statements.iter().filter(|(s, _)| s.end <= end).cloned().collect();
        draft.describe(name, name, None, &told, 3)
    }

    /// What the manifest says.
    fn package(&self, facts: &Facts, draft: &mut Draft<'_>, said: usize) {
        let Some(manifest) = facts.analysis().manifests.first() else { return };
        let cite = |t: &CitedText| draft.evidence.cite(&manifest.path, t.start_line, t.end_line);
        let named = manifest.name.as_ref().and_then(|t| Some((t.text.clone(), cite(t)?)));
        let version = manifest.version.as_ref().and_then(|t| Some((t.text.clone(), cite(t)?)));
        let described =
            manifest.description.as_ref().and_then(|t| Some((t.text.clone(), cite(t)?)));
        if let Some((text, cite)) = described.filter(|(t, _)| said == 0 && draft.is_new(t)) {
            let quote = draft.wording.quote(voice::bare(&text));
            let name = facts.name().to_owned();
            draft.say(
                "overview.described",
                vec![cite.clone()],
                &[("name", &name), ("quote", &quote), ("at", &cite.to_string())],
            );
        }
        let Some((name, at)) = named else { return };
        let system = system_name(&manifest.build_system);
        let mut values = vec![("name", name.as_str()), ("system", system)];
        let version = version.filter(|(_, c)| draft.evidence.span(c, &at).is_some());
        let place = version.as_ref().and_then(|(_, c)| draft.evidence.span(c, &at)).unwrap_or(at);
        let place_text = place.to_string();
        values.push(("at", &place_text));
        let version_text = version.map(|(v, _)| v).unwrap_or_default();
        values.push(("version", &version_text));
        draft.say(
            if version_text.is_empty() { "overview.package" } else { "overview.version" },
            vec![place],
            &values,
        );
    }

    /// Where it is started.
    fn entries(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let mut parts = Vec::new();
        let mut cites = Vec::new();
        for entry in entries(facts) {
            let Some(cite) = draft.evidence.cite(&entry.path, entry.line, entry.line) else {
                continue;
            };
            parts.push(format!("`{}`{}", entry.name, draft.wording.aside(&cite.to_string())));
            cites.push(cite);
        }
        if !parts.is_empty() {
            let list = draft.wording.list(&parts);
            let comes =
                if facts.offers_library() { "overview.program" } else { "overview.entries" };
            draft.say(comes, cites, &[("list", &list)]);
        }
    }

    /// Where to begin reading.
    fn begin(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let Some(id) = start(facts, draft.evidence) else { return };
        let Some(cite) = facets::declared_at(draft, facts, id) else { return };
        let label = facts.label(id);
        let kind = facets::kind_word(facts, id, draft.wording);
        draft.say(
            "overview.begin",
            vec![cite.clone()],
            &[("name", &label), ("kind", &kind), ("at", &cite.to_string())],
        );
        draft.tag(&label);
    }

    fn told_parts(&self, facts: &Facts, draft: &mut Draft<'_>) -> Vec<(String, Vec<Cite>)> {
        let mut items = Vec::new();
        // A file that declares nothing only speaks for others, at the front for all of them.
        let only_speaks = |part: &&Part| {
            part.main.is_none() && !part.path.contains('/') && is_root_file(&part.path)
        };
        for part in self.parts.iter().filter(|part| !only_speaks(part)) {
            let told: Option<(Sentence, Cite)> = match (&part.doc, part.main) {
                (Some((path, doc)), _) => {
                    draft.evidence.doc_statements(path, doc).into_iter().next()
                }
                _ => None,
            };
            let wording = draft.wording;
            if let Some((sentence, cite)) = told.filter(|(s, _)| draft.is_new(&s.text)) {
                draft.remember(&sentence.text);
                let values = [
                    ("name", part.path.as_str()),
                    ("text", voice::bare(&sentence.text)),
                    ("at", &cite.to_string()),
                ];
                items.push((wording.phrase("item", "", &values), vec![cite]));
            } else if let Some(id) = part.main {
                let Some(declared) = facets::declared_at(draft, facts, id) else { continue };
                let label = facts.label(id);
                // What an error means is told where errors are.
                let doc = facets::first_doc(draft, facts, id).filter(|_| !facts.is_failure(id));
                if let Some((text, cite)) = doc {
                    draft.remember(&text);
                    let text = facets::without_name(draft.wording, &label, &text);
                    let at = draft.evidence.span(&declared, &cite).unwrap_or(cite);
                    let values = [
                        ("path", part.path.as_str()),
                        ("name", &label),
                        ("text", voice::bare(&text)),
                        ("at", &at.to_string()),
                    ];
                    let one_file = self.parts.iter().filter(|p| p.path == part.path).count() > 1;
                    let key = match (one_file, facts.is_one_of_many(id, &part.path)) {
                        (true, _) => "item",
                        (false, true) => "overview.holds_such_as_doc",
                        (false, false) => "overview.holds_doc",
                    };
                    items.push((wording.phrase(key, "", &values), vec![at]));
                } else {
                    let values = [
                        ("path", part.path.as_str()),
                        ("name", &label),
                        ("at", &declared.to_string()),
                    ];
                    let many = facts.is_one_of_many(id, &part.path);
                    let key = if many { "overview.holds_such_as" } else { "overview.holds" };
                    items.push((wording.phrase(key, "", &values), vec![declared]));
                }
            }
        }
        items
    }
}

/// The line after the section of a prose file that this line stands in.
fn section_end(facts: &Facts, path: &str, line: u32) -> u32 {
    let document = facts.analysis().documents.iter().find(|d| d.path == path);
    let headings = document.map_or(&[][..], |d| d.headings.as_slice());
    headings.iter().map(|h| h.line).find(|at| *at > line).unwrap_or(u32::MAX)
}

/// Whether a sentence of a README is news, a warning or thanks: it says nothing of what the project is.
fn is_notice(text: &str) -> bool {
    let lower = text.to_lowercase();
    let starts = ["important", "warning", "note:", "news", "announc", "attention", "caution"];
    let holds = [
        "sponsor",
        "donat",
        "trusted by",
        "backer",
        "patreon",
        " branch",
        "thank",
        "newsletter",
        "discord",
        "we are hiring",
        "badge",
        "maintainers wanted",
    ];
    starts.iter().any(|w| lower.starts_with(w)) || holds.iter().any(|w| lower.contains(w))
}

/// Most places where the product is started that are told.
const MOST_ENTRIES: usize = 2;

/// Where the product is started: what is called like the project, or is all of it, before what else can be started.
fn entries(facts: &Facts) -> Vec<&EntryPoint> {
    let analysis = facts.analysis();
    let other = |e: &&EntryPoint| {
        // A plugin is started by whatever it extends.
        !matches!(e.kind.as_str(), "library" | "plugin")
            && analysis.file(&e.path).is_some_and(|f| f.role == FileRole::Source)
    };
    // One program may be started in two ways.
    let mut names = BTreeSet::new();
    let programs = facts.programs().filter(|e| names.insert(e.name.as_str()));
    let mut found: Vec<&EntryPoint> = programs.take(MOST_ENTRIES).collect();
    if found.is_empty() {
        found.extend(analysis.entry_points.iter().filter(other).take(MOST_ENTRIES));
    }
    found
}

fn system_name(system: &str) -> &str {
    match system {
        "cargo" => "Cargo",
        "maven" => "Maven",
        "gradle" => "Gradle",
        "npm" => "npm",
        "python" => "Python",
        "go" => "Go",
        other => other,
    }
}

/// Whether a folder around the file's own has a file of the same name, which speaks for more.
/// Whether most of the product's files lie in the folder of this one.
fn holds_most(facts: &Facts, path: &str) -> bool {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let sources = || facts.analysis().files.iter().filter(|f| f.role == FileRole::Source);
    let held =
        sources().filter(|f| f.path.strip_prefix(folder).is_some_and(|p| p.starts_with('/')));
    folder.is_empty() || held.count() * 2 > sources().count()
}

/// Whether the same file speaks for a folder around this one.
fn is_inside_another(path: &str, roots: &BTreeSet<&str>) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    let around = folder.rmatch_indices('/').map(|(end, _)| folder.get(..end).unwrap_or_default());
    around.chain([""]).any(|outer| {
        let slash = if outer.is_empty() { "" } else { "/" };
        roots.contains(format!("{outer}{slash}{name}").as_str())
    })
}

/// Whether a file speaks for its package.
pub(crate) fn is_root_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(
        name,
        "lib.rs"
            | "main.rs"
            | "__init__.py"
            | "index.js"
            | "index.ts"
            | "doc.go"
            | "package-info.java"
    ) || !path.contains('/')
}

/// The parts of the code that matter most: modules, or files where there are few modules, or types where there are few
/// files.
pub(crate) fn choose_parts(facts: &Facts) -> Vec<Part> {
    let analysis = facts.analysis();
    let source = |f: &usize| {
        analysis.files.get(*f).is_some_and(|f| f.role == FileRole::Source && !f.language.is_empty())
    };
    let modules: Vec<_> = analysis.modules.iter().filter(|m| m.files.iter().any(&source)).collect();
    let mut ranked: Vec<(f32, Part)> = Vec::new();
    let files: Vec<usize> = (0..analysis.files.len()).filter(source).collect();
    let of_file = |index: usize| {
        let file = analysis.files.get(index)?;
        let (main, worth) = main_symbol(facts, &[index]);
        let doc = file.doc.clone().map(|d| (file.path.clone(), d));
        let library = |e: &EntryPoint| e.kind == "library" && e.path == file.path;
        let entered = if analysis.entry_points.iter().any(library) { 2.0 } else { 1.0 };
        // What a package hands on to its users matters more than what it only needs itself.
        let handed_on = if main.is_some_and(|id| facts.is_reexported(id)) { 1.5 } else { 1.0 };
        let worth =
            (worth + file.centrality + 0.3 * (file.lines as f32).ln_1p()) * entered * handed_on;
        Some((worth * plainness(&file.path), Part { path: file.path.clone(), doc, main }))
    };
    if modules.len() >= 4 {
        for module in modules {
            // The files of the root folder are parts of their own: no folder stands for them.
            if module.path.is_empty() {
                ranked.extend(module.files.iter().copied().filter(source).filter_map(of_file));
                continue;
            }
            let (main, worth) = main_symbol(facts, &module.files);
            let worth = (worth + 2.0 * module.centrality) * plainness(&module.path);
            let (path, doc) = (module.path.clone(), module.doc.clone());
            ranked.push((worth, Part { path, doc, main }));
        }
    } else {
        ranked.extend(files.iter().copied().filter_map(of_file));
    }
    ranked.retain(|(_, p)| p.doc.is_some() || p.main.is_some());
    ranked.retain(|(_, p)| p.main.is_none_or(|id| !facts.has_code(id)));
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
    // The same code may be built in several ways: `mill.cjs` beside `mill.mjs`.
    let mut built = BTreeSet::new();
    ranked.retain(|(_, p)| built.insert(facts.built_as(&p.path, p.main)));
    let parts: Vec<Part> = ranked.into_iter().take(MOST_PARTS).map(|(_, p)| p).collect();
    if parts.len() >= 2 {
        return parts;
    }
    // Where all is listed that is declared, its types are in the list.
    if !contents(facts).is_empty() {
        return Vec::new();
    }
    let mut built = BTreeSet::new();
    let types = facts.types().iter().copied().filter(|id| !facts.has_code(*id));
    let types = types.filter(|id| built.insert(facts.built_as(facts.path(*id), Some(*id))));
    let types = types.take(MOST_PARTS);
    types.map(|id| Part { path: facts.path(id).to_owned(), doc: None, main: Some(id) }).collect()
}

/// Less than one for what a file's name already says is only help for the rest.
fn plainness(path: &str) -> f32 {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name).trim_matches('_').to_lowercase();
    let help = [
        "compat",
        "util",
        "utils",
        "types",
        "version",
        "common",
        "constants",
        "helpers",
        "internal",
        "macros",
        "about",
    ];
    if name.ends_with(".d.ts") {
        return 0.2;
    }
    let inner =
        path.split('/').any(|part| ["internal", "internals", "docs", "scripts"].contains(&part));
    if inner
        || help.contains(&stem.as_str())
        || name.starts_with('_') && !name.starts_with("__init__")
    {
        0.4
    } else {
        1.0
    }
}

/// The symbol that stands for these files, and how much it is worth.
fn main_symbol(facts: &Facts, files: &[usize]) -> (Option<SymbolId>, f32) {
    files
        .iter()
        .flat_map(|file| facts.ids_in(*file))
        // A package of Java or Kotlin may do its work in types that only it can see.
        .filter(|(id, s)| {
            // So may a crate, in modules of its own.
            let in_crate = s.signature.starts_with("pub ");
            s.exported || in_crate || (s.doc.is_some() && facts.is_of_jvm(*id))
        })
        .filter(|(id, s)| s.container.is_none() && facts.is_product(*id))
        .filter(|(id, _)| !facts.is_deprecated(*id))
        // What the language calls by itself stands for no file.
        .filter(|(_, s)| !s.name.starts_with("__"))
        .filter(|(id, s)| {
            // Of helpers only what is documented tells anything.
            let plain = plainness(facts.path(*id)) > 0.9;
            facts.is_thing(*id) || (is_callable(s.kind) && (s.doc.is_some() || plain))
        })
        .map(|(id, s)| {
            let worth = if facts.is_thing(id) { typ::worth(facts, id) } else { None };
            let told = if s.doc.is_some() { 1.0 } else { 0.5 };
            (Some(id), worth.unwrap_or_else(|| facts.weight(id) * told))
        })
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
        .unwrap_or((None, 0.0))
}
