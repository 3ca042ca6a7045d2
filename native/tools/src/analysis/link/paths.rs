//! Which file or package an import's path names, by each language's own rules.

use std::collections::HashMap;

use super::project::{ModuleId, Unit, UnitId};
use crate::{
    analysis::{
        manifest::BuildFile,
        read::ScannedFile,
        role::{file_name, folder},
    },
    languages::Modules,
};

/// The files and packages of a project by the paths that name them.
#[derive(Debug)]
pub(super) struct ModuleIndex<'a> {
    by_path: HashMap<&'a str, UnitId>,
    /// Packages (Java, Kotlin) by name; folders (Go) by import path; crates (Rust) and packages (npm) by name.
    by_name: HashMap<(Modules, String), ModuleId>,
    /// The files of each module; the module of one file has the file's own number.
    lists: Vec<Vec<UnitId>>,
}

impl<'a> ModuleIndex<'a> {
    pub(super) fn new(units: &[Unit<'a>], files: &[&ScannedFile]) -> Self {
        let mut index = Self {
            by_path: units.iter().enumerate().map(|(id, unit)| (unit.path, id)).collect(),
            by_name: HashMap::new(),
            lists: (0..units.len()).map(|id| vec![id]).collect(),
        };
        for (id, unit) in units.iter().enumerate() {
            if let (Modules::Packages, Some(package)) = (unit.language.modules, &unit.code.package)
            {
                index.add(Modules::Packages, package.to_string(), id);
            }
            if unit.language.modules == Modules::Folders {
                index.add(Modules::Folders, format!("./{}", folder(unit.path)), id);
            }
        }
        for build in files.iter().filter_map(|f| f.build.as_ref()) {
            index.add_build_file(build, units);
        }
        index
    }

    /// The files of a module.
    pub(super) fn files(&self, module: ModuleId) -> &[UnitId] {
        self.lists.get(module).map_or(&[], Vec::as_slice)
    }

    /// The module of this name: a package, a Go import path, a crate, an npm package.
    pub(super) fn named(&self, style: Modules, name: &str) -> Option<ModuleId> {
        self.by_name.get(&(style, name.to_owned())).copied()
    }

    /// All files of the folder that holds this one, where a folder is a package.
    pub(super) fn folder_of(&self, path: &str) -> Option<ModuleId> {
        self.named(Modules::Folders, &format!("./{}", folder(path)))
    }

    fn add(&mut self, style: Modules, name: String, unit: UnitId) {
        let next = self.lists.len();
        let module = *self.by_name.entry((style, name)).or_insert(next);
        if module == next {
            self.lists.push(Vec::new());
        }
        if let Some(list) = self.lists.get_mut(module) {
            list.push(unit);
        }
    }

    fn add_build_file(&mut self, build: &BuildFile, units: &[Unit<'a>]) {
        let manifest = &build.manifest;
        let Some(name) = &manifest.name else { return };
        let home = folder(&manifest.path);
        match manifest.build_system.as_str() {
            "cargo" => {
                if let Some(unit) =
                    self.first(build.entries.iter().flat_map(|e| e.paths.iter().cloned()))
                {
                    self.add(Modules::Rust, name.text.replace('-', "_"), unit);
                }
            }
            "npm" => {
                let libraries = build.entries.iter().filter(|e| e.kind == "library");
                if let Some(unit) = self.first(libraries.flat_map(|e| e.paths.iter().cloned())) {
                    self.add(Modules::Relative, name.text.clone(), unit);
                }
            }
            "go" => {
                for (id, unit) in units.iter().enumerate() {
                    let Some(below) = below(home, folder(unit.path)) else { continue };
                    if unit.language.modules == Modules::Folders && !unit.path.ends_with("_test.go")
                    {
                        let joint = if below.is_empty() { "" } else { "/" };
                        self.add(Modules::Folders, format!("{}{joint}{below}", name.text), id);
                    }
                }
            }
            _ => {}
        }
    }

    fn first(&self, paths: impl IntoIterator<Item = String>) -> Option<UnitId> {
        paths.into_iter().find_map(|path| self.by_path.get(path.as_str()).copied())
    }

    /// Rust: the file of `mod name` in this file.
    pub(super) fn rust_child(&self, path: &str, name: &str) -> Option<UnitId> {
        let home = rust_home(path);
        let home = with_slash(&home);
        self.first([format!("{home}{name}.rs"), format!("{home}{name}/mod.rs")])
    }

    /// Rust: the file that declares this file as a module.
    pub(super) fn rust_parent(&self, path: &str) -> Option<UnitId> {
        if is_rust_root(path) {
            return None;
        }
        let home = if file_name(path) == "mod.rs" { folder(folder(path)) } else { folder(path) };
        let slash = with_slash(home);
        self.first([
            format!("{slash}mod.rs"),
            format!("{home}.rs"),
            format!("{slash}lib.rs"),
            format!("{slash}main.rs"),
        ])
    }

    /// Rust: the root file of this file's crate.
    pub(super) fn rust_root(&self, unit: UnitId, units: &[Unit<'a>]) -> UnitId {
        let mut at = unit;
        for _ in 0..32 {
            match units.get(at).and_then(|u| self.rust_parent(u.path)) {
                Some(parent) if parent != at => at = parent,
                _ => break,
            }
        }
        at
    }

    /// Python: the file that `a.b` or `..c` names in this file.
    pub(super) fn python(&self, path: &str, module: &str) -> Option<UnitId> {
        let dots = module.chars().take_while(|c| *c == '.').count();
        let rest = module.trim_start_matches('.').replace('.', "/");
        if dots > 0 {
            let mut home = folder(path);
            for _ in 1..dots {
                home = folder(home);
            }
            return self.python_at(home, &rest);
        }
        let mut root = folder(path);
        while !root.is_empty() && self.by_path.contains_key(format!("{root}/__init__.py").as_str())
        {
            root = folder(root);
        }
        [root, "", "src", "lib"].into_iter().find_map(|home| self.python_at(home, &rest))
    }

    /// Python: the module of this name inside a package.
    pub(super) fn python_child(&self, path: &str, name: &str) -> Option<UnitId> {
        (file_name(path) == "__init__.py").then(|| self.python_at(folder(path), name)).flatten()
    }

    fn python_at(&self, home: &str, rest: &str) -> Option<UnitId> {
        let stem = format!("{}{rest}", with_slash(home));
        let stem = stem.trim_end_matches('/');
        self.first([format!("{stem}/__init__.py"), format!("{stem}.py"), format!("{stem}.pyi")])
    }

    /// JavaScript and TypeScript: the file that `./a` names in this file.
    pub(super) fn relative(&self, path: &str, module: &str) -> Option<UnitId> {
        let mut parts: Vec<&str> = folder(path).split('/').filter(|p| !p.is_empty()).collect();
        for part in module.split('/') {
            match part {
                "." | "" => {}
                ".." => {
                    parts.pop()?;
                }
                part => parts.push(part),
            }
        }
        let stem = parts.join("/");
        if let Some(unit) = self.by_path.get(stem.as_str()) {
            return Some(*unit);
        }
        const ENDS: [&str; 6] = ["ts", "tsx", "js", "jsx", "mjs", "cjs"];
        let bare = ["js", "mjs", "cjs", "jsx"]
            .iter()
            .find_map(|end| stem.strip_suffix(end)?.strip_suffix('.'));
        let stems = [Some(stem.as_str()), bare].into_iter().flatten();
        let files = stems.flat_map(|s| ENDS.iter().map(move |end| format!("{s}.{end}")));
        let index = with_slash(&stem).into_owned();
        self.first(files.chain(ENDS.iter().map(|end| format!("{index}index.{end}"))))
    }
}

/// The folder that holds the child modules of a Rust file.
fn rust_home(path: &str) -> std::borrow::Cow<'_, str> {
    if is_rust_root(path) || file_name(path) == "mod.rs" {
        folder(path).into()
    } else {
        path.trim_end_matches(".rs").into()
    }
}

/// Whether a Rust file is the root of a crate.
fn is_rust_root(path: &str) -> bool {
    matches!(file_name(path), "lib.rs" | "main.rs" | "build.rs")
        || matches!(file_name(folder(path)), "tests" | "benches" | "examples" | "bin")
}

fn with_slash(folder: &str) -> std::borrow::Cow<'_, str> {
    if folder.is_empty() { "".into() } else { format!("{folder}/").into() }
}

/// What follows `home` in `path`, if `path` is `home` or below it.
fn below<'p>(home: &str, path: &'p str) -> Option<&'p str> {
    if home.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(home)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}
