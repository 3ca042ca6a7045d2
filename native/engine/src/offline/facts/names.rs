//! What the project and its symbols are called, and finding them by that.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use ouro_core::{
    ProjectAnalysis,
    analysis::{Document, FileRole, Symbol, SymbolKind, declaration_stem},
    example_calls,
};

use super::{Facts, SymbolId, is_callable, is_type};

/// Methods that standard types have as well.
const COMMON: &str = "\
    get set put add update pop push remove delete clear close open read write flush copy clone items keys values \
    append extend insert contains len length size count next iter map filter find sort join split format replace \
    strip trim encode decode index start stop run send recv call apply bind then catch toString equals hashCode \
    compareTo from into unwrap expect as_str to_string is_empty first last min max take skip eq cmp hash fmt drop \
    name value key text json ok data type id path url body header headers status content result error message lock load store wait match end seek tell reset";

impl Facts {
    /// What the project is called: by its manifest, else by the title of its README, else by its folder.
    pub(crate) fn name(&self) -> &str {
        let analysis = &self.analysis;
        let named = analysis.manifests.iter().any(|m| !m.path.contains('/') && m.name.is_some())
            || analysis
                .manifests
                .iter()
                .any(|m| m.name.as_ref().is_some_and(|n| n.text == analysis.name));
        let title = self.readme().and_then(|d| d.title.as_ref()).map(|t| t.text.trim());
        let title = title.filter(|t| {
            t.split_whitespace().count() <= 3
                && t.chars().all(|c| c.is_alphanumeric() || " -_.".contains(c))
        });
        match title {
            Some(title) if !named && !title.is_empty() => title,
            _ => &analysis.name,
        }
    }

    /// The README of the root, or the one that a wheel or an archive of Java's carries in its metadata, or the first page
    /// of the documentation; of a project without code the first document.
    pub(crate) fn readme(&self) -> Option<&Document> {
        let documents = || self.analysis.documents.iter();
        let mut root = documents().filter(|d| !d.path.contains('/'));
        let of_archive =
            |path: &str| path.strip_prefix("META-INF/").is_some_and(|name| !name.contains('/'));
        root.find(|d| is_readme(&d.path))
            .or_else(|| documents().find(|d| is_wheel(&d.path)))
            .or_else(|| documents().find(|d| of_archive(&d.path) && is_readme(&d.path)))
            .or_else(|| documents().find(|d| is_front_page(&d.path)))
            .or_else(|| documents().next().filter(|_| self.is_without_code()))
    }

    /// Whether nothing was found that a language declares: what there is to learn stands in documents.
    pub(crate) fn is_without_code(&self) -> bool {
        self.ids().next().is_none()
    }

    /// How often the project's introduction and the documentation of its root files name a word.
    pub(crate) fn mentions(&self, name: &str) -> usize {
        let count = || {
            let prose =
                self.analysis.documents.iter().take(1).filter_map(|d| d.introduction.as_ref());
            let shallow = self.roots().filter(|f| f.path.matches('/').count() <= 2);
            let roots = shallow.filter_map(|f| f.doc.as_ref()).take(3);
            let mut counts: HashMap<String, usize> = HashMap::new();
            for text in prose.chain(roots) {
                for word in text.text.split(|c: char| !c.is_alphanumeric() && c != '_') {
                    *counts.entry(word.to_owned()).or_default() += 1;
                }
            }
            counts
        };
        self.introduced.get_or_init(count).get(name).copied().unwrap_or(0)
    }

    /// The names that the examples of the README and of the root files call, in their order.
    pub(crate) fn shown(&self) -> &[String] {
        self.shown.get_or_init(|| {
            let readme = self.readme().map_or(&[][..], |d| &d.calls).iter().cloned();
            let depth = |path: &str| path.matches('/').count();
            let top = self.roots().map(|f| depth(&f.path)).min();
            let roots = self.roots().filter(|f| Some(depth(&f.path)) == top);
            let docs = roots.filter_map(|f| f.doc.as_ref()).take(3);
            let mut seen = HashSet::new();
            let all = readme.chain(docs.flat_map(|doc| example_calls(&doc.text)));
            all.filter(|name| seen.insert(name.clone())).collect()
        })
    }

    /// Whether a type bears the project's name.
    pub(crate) fn is_namesake(&self, name: &str) -> bool {
        let plain = |text: &str| text.to_lowercase().replace(['-', '_', '.'], "");
        let (project, name) = (plain(self.name()), plain(name));
        // Nobody comes for what only helps.
        if ["util", "utils", "helper", "helpers", "constants"].iter().any(|end| name.ends_with(end))
        {
            return name == project;
        }
        name == project
            || (project.len() > 2 && name.starts_with(&project) && name.len() < project.len() * 3)
    }

    /// Whether nothing but an underscore of its name keeps something to those inside: `_read`, in JavaScript also `read_`,
    /// which elsewhere only avoids a word of the language.
    pub(crate) fn is_private_by_name(&self, id: SymbolId) -> bool {
        self.symbol(id).is_some_and(|s| self.keeps_inside(id, &s.name))
    }

    /// The same for a member of a symbol.
    pub(crate) fn keeps_inside(&self, id: SymbolId, member: &str) -> bool {
        member.starts_with('_') || (member.ends_with('_') && self.is_of_ecmascript(id))
    }

    /// Whether calls of this name may well mean something else: a name that several symbols share, or that the
    /// language's own collections have.
    pub(crate) fn is_common_name(&self, id: SymbolId) -> bool {
        let Some(symbol) = self.symbol(id) else { return true };
        static SET: LazyLock<HashSet<String>> =
            LazyLock::new(|| COMMON.split_whitespace().map(str::to_ascii_lowercase).collect());
        let method = symbol.kind == SymbolKind::Method;
        method && SET.contains(&symbol.name.to_ascii_lowercase())
    }

    /// The name of a symbol with the type it belongs to, as its language writes it.
    pub(crate) fn label(&self, id: SymbolId) -> String {
        let Some(symbol) = self.symbol(id) else { return String::new() };
        let join = if self.file(id).is_some_and(|f| f.language == "rust") { "::" } else { "." };
        // What stands in a function is no part of its name.
        let owner = self.owner(id).and_then(|owner| self.symbol(owner));
        let in_function = symbol.kind == SymbolKind::Function
            && owner.is_some_and(|owner| owner.kind == SymbolKind::Function);
        let named = |c: &&str| !c.is_empty() && is_callable(symbol.kind) && !in_function;
        match symbol.container.as_deref().filter(named) {
            Some(container) if symbol.name == "constructor" || container == symbol.name => {
                match self.file(id).map(|f| f.language.as_str()) {
                    Some("kotlin") => format!("{container}()"),
                    Some("java" | "javascript" | "typescript" | "tsx") => {
                        format!("new {container}")
                    }
                    _ => format!("{container}{join}{}", symbol.name),
                }
            }
            Some(container) => match owner.and_then(|owner| self.around(owner)) {
                Some(around) => format!("{around}{join}{container}{join}{}", symbol.name),
                None => format!("{container}{join}{}", symbol.name),
            },
            None => match self.around(symbol) {
                Some(around) => format!("{around}{join}{}", symbol.name),
                None => symbol.name.clone(),
            },
        }
    }

    /// The type that a type stands in, where its own name doesn't tell it from others: one `Builder` of many.
    fn around<'s>(&self, of: &'s Symbol) -> Option<&'s str> {
        let is_shared = is_type(of.kind) && self.shared_names.contains(&of.name);
        of.container.as_deref().filter(|around| is_shared && !around.is_empty())
    }

    /// `path#Container.name`: what names a symbol in a topic; further ones of the same name have `~2` and so on.
    pub(crate) fn key(&self, id: SymbolId) -> String {
        self.keys.get(id).cloned().unwrap_or_default()
    }

    /// What the same thing has in common where it is built in several ways, `mill.cjs` beside `mill.mjs`: the place without
    /// its ending, and the name.
    pub(crate) fn built_as(&self, path: &str, id: Option<SymbolId>) -> (String, Option<String>) {
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        (stem.to_owned(), id.map(|id| self.label(id)))
    }

    /// The symbol that [`Facts::key`] names.
    pub(crate) fn find(&self, key: &str) -> Option<SymbolId> {
        self.keys.iter().position(|k| k == key)
    }

    /// What two declarations of one thing share: a header and its code, or the same type for several platforms.
    pub(crate) fn identity(&self, id: SymbolId) -> (String, String) {
        let name = self.symbol(id).map_or("", |s| s.name.as_str());
        let file = self.path(id).rsplit('/').next().unwrap_or_default();
        let kotlin = file.ends_with(".kt");
        let stem = file.split('.').next().unwrap_or(file);
        let place = match self.code_of(id) {
            Some(code) => self.path(code).to_owned(),
            None if declares(file) => String::new(),
            None if kotlin => stem.to_owned(),
            None => self.path(id).to_owned(),
        };
        (name.to_owned(), place)
    }

    /// The code of what a file only declares: `index.js` for `index.d.ts`.
    pub(crate) fn code_of(&self, id: SymbolId) -> Option<SymbolId> {
        let symbol = self.symbol(id)?;
        let stem = without_extension(self.path(id)).filter(|_| declares(self.path(id)))?;
        let found = self.codes(id);
        let beside = |other: &&SymbolId| without_extension(self.path(**other)) == Some(stem);
        // Declarations may stand in a folder of their own: then the name tells, if one thing alone has it.
        let alone = || found.first().filter(|_| found.len() == 1 && symbol.container.is_none());
        found.iter().find(beside).or_else(alone).copied()
    }

    /// Whether a file only declares what there is code of: in a package that carries what was built of it, too.
    pub(crate) fn has_code(&self, id: SymbolId) -> bool {
        declares(self.path(id)) && !self.codes(id).is_empty()
    }

    /// The code that bears the name of what is declared.
    fn codes(&self, id: SymbolId) -> Vec<SymbolId> {
        let Some(symbol) = self.symbol(id) else { return Vec::new() };
        let is_same = |s: &Symbol| s.name == symbol.name && s.container == symbol.container;
        let code = |other: &SymbolId| !declares(self.path(*other)) && self.is_product(*other);
        let found = self.ids().filter(|(_, s)| is_same(s)).map(|(other, _)| other);
        found.filter(code).collect()
    }

    /// What is documented of it where it is only declared, if the code itself says nothing: `index.d.ts` for `index.js`.
    pub(crate) fn told_of(&self, id: SymbolId) -> Option<SymbolId> {
        let is_told = |id: SymbolId| {
            let told = |id: SymbolId| self.symbol(id).is_some_and(|s| s.doc.is_some());
            told(id) || self.members(id).iter().any(|m| told(*m))
        };
        let name = &self.symbol(id).filter(|_| !is_told(id))?.name;
        let twins = self.ids().filter(|(_, s)| s.name == *name).map(|(twin, _)| twin);
        let mut twins = twins.filter(|twin| is_told(*twin) && self.code_of(*twin) == Some(id));
        twins.next()
    }

    /// The product type or function with this name that matters most.
    pub(crate) fn find_name(&self, name: &str) -> Option<SymbolId> {
        let plain = name.rsplit(['.', ':']).next().unwrap_or(name);
        self.ids()
            .filter(|(id, s)| (self.label(*id) == name || s.name == plain) && self.is_product(*id))
            .max_by(|(a, _), (b, _)| self.weight(*a).total_cmp(&self.weight(*b)).then(b.cmp(a)))
            .map(|(id, _)| id)
    }
}

/// Whether a file is made to introduce the code beside it: a README, or what a wheel says of itself.
pub(crate) fn is_readme(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    is_wheel(path) || name.to_lowercase().starts_with("readme")
}

/// Whether a file is the metadata of the wheel that the project is.
fn is_wheel(path: &str) -> bool {
    path.ends_with(".dist-info/METADATA") && path.matches('/').count() == 1
}

/// Whether a file only declares what the code of another holds.
fn declares(path: &str) -> bool {
    declaration_stem(path).is_some()
}

fn without_extension(path: &str) -> Option<&str> {
    declaration_stem(path).or_else(|| path.rsplit_once('.').map(|(stem, _)| stem))
}

/// The names that several types of the product share.
pub(super) fn shared(analysis: &ProjectAnalysis) -> HashSet<String> {
    let of_product =
        |s: &Symbol| !s.is_test && analysis.file_of(s).is_some_and(|f| f.role == FileRole::Source);
    let mut seen = HashSet::new();
    let types = analysis.symbols.iter().filter(|s| is_type(s.kind) && of_product(s));
    types.filter(|s| !seen.insert(s.name.as_str())).map(|s| s.name.clone()).collect()
}

/// What names each symbol.
pub(super) fn keys(analysis: &ProjectAnalysis) -> Vec<String> {
    let mut seen: HashMap<String, u32> = HashMap::new();
    let name = |s: &Symbol| {
        let path = analysis.file_of(s).map_or("", |f| f.path.as_str());
        match s.container.as_deref().filter(|c| !c.is_empty()) {
            Some(container) => format!("{path}#{container}.{}", s.name),
            None => format!("{path}#{}", s.name),
        }
    };
    let mut number = |key: String| {
        let count = seen.entry(key.clone()).or_default();
        *count += 1;
        if *count == 1 { key } else { format!("{key}~{count}") }
    };
    analysis.symbols.iter().map(|s| number(name(s))).collect()
}

/// Whether the documentation of a project begins in this file: a README may be a link to it.
fn is_front_page(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem == "index" && ["doc", "docs", "doc/source", "docs/source"].contains(&folder)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ouro_core::analysis::{CitedText, Document};
    use proptest::prelude::*;

    use super::*;

    fn introduced_by(introduction: &str) -> ProjectAnalysis {
        let text = CitedText { text: introduction.to_owned(), ..CitedText::default() };
        ProjectAnalysis {
            documents: vec![Document { introduction: Some(text), ..Document::default() }],
            ..ProjectAnalysis::default()
        }
    }

    proptest! {
        #[test]
        fn a_word_of_the_introduction_is_counted_as_a_whole_word(text in "([ab_]{1,2}[ .]){0,8}") {
            let facts = Facts::new(Arc::new(introduced_by(&text)));
            for word in ["a", "b", "ab", "a_", "c"] {
                let count = text.split([' ', '.']).filter(|w| *w == word).count();
                prop_assert_eq!(facts.mentions(word), count);
            }
        }
    }
}
