//! Folders with code, and what documents them.

use std::collections::BTreeMap;

use ouro_core::analysis::{CitedText, Document, FileFacts, Module};

use super::role::{file_name, folder};

/// Groups files by the nearest folder that holds code itself, and tells each file its module.
pub(super) fn group(files: &mut [FileFacts], documents: &[Document]) -> Vec<Module> {
    let mut paths: Vec<String> = files
        .iter()
        .filter(|f| !f.language.is_empty())
        .map(|f| folder(&f.path).to_owned())
        .chain([String::new()])
        .collect();
    paths.sort_unstable();
    paths.dedup();
    let mut modules: Vec<Module> =
        paths.into_iter().map(|path| Module { path, ..Module::default() }).collect();
    let index: BTreeMap<String, usize> =
        modules.iter().enumerate().map(|(i, m)| (m.path.clone(), i)).collect();
    for (at, file) in files.iter_mut().enumerate() {
        let mut path = folder(&file.path);
        file.module = loop {
            match index.get(path) {
                Some(module) => break *module,
                None => path = folder(path),
            }
        };
        if let Some(module) = modules.get_mut(file.module) {
            module.files.push(at);
            module.centrality += file.centrality;
        }
    }
    for module in &mut modules {
        module.doc = code_doc(module, files).or_else(|| readme(&module.path, documents));
    }
    modules
}

/// The documentation in the file that speaks for its folder.
fn code_doc(module: &Module, files: &[FileFacts]) -> Option<(String, CitedText)> {
    let beside = format!("{}.rs", module.path);
    let beside_path = beside.as_str();
    let rank = |file: &FileFacts| match file_name(&file.path) {
        "lib.rs" | "__init__.py" | "package-info.java" | "doc.go" => Some(0),
        "mod.rs" | "main.rs" | "index.ts" | "index.js" | "index.tsx" => Some(1),
        _ if file.path == beside_path => Some(2),
        name if name.ends_with(".go") => Some(3),
        _ => None,
    };
    let own = module.files.iter().filter_map(|at| files.get(*at));
    // Files are sorted by path.
    let beside = files.binary_search_by(|f| f.path.as_str().cmp(beside_path)).ok();
    own.chain(beside.and_then(|at| files.get(at)))
        .filter_map(|file| Some((rank(file)?, file, file.doc.as_ref()?)))
        .min_by_key(|(rank, _, _)| *rank)
        .map(|(_, file, doc)| (file.path.clone(), doc.clone()))
}

fn readme(path: &str, documents: &[Document]) -> Option<(String, CitedText)> {
    let document = documents.iter().find(|d| {
        folder(&d.path) == path && file_name(&d.path).to_ascii_lowercase().starts_with("readme")
    })?;
    Some((document.path.clone(), document.introduction.clone()?))
}
