//! Python's kinds of build file.

pub(super) mod metadata;
pub(super) mod project;
pub(super) mod requirements;
pub(super) mod setup_cfg;
pub(super) mod setup_py;

use ouro_core::analysis::Dependency;

use super::{Entry, beside};

/// A requirement such as `click>=8.0 ; python_version < "3.8"`.
fn requirement(text: &str, line: u32, development: bool) -> Option<Dependency> {
    let text = text.split([';', '#']).next()?.trim();
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .unwrap_or(text.len());
    let name = text.get(..end)?;
    let rest = text.get(end..)?.trim();
    // `[extras]` stand between name and version.
    let version =
        rest.strip_prefix('[').and_then(|r| r.split_once(']')).map_or(rest, |(_, v)| v).trim();
    (!name.is_empty()).then(|| Dependency {
        name: name.to_owned(),
        version: version.to_owned(),
        line,
        development,
    })
}

/// What a console script `name = "package.module:function"` starts.
fn script(path: &str, kind: &'static str, name: &str, target: &str) -> Option<Entry> {
    let (module, function) = target.trim().split_once(':')?;
    let function = function.split(['[', ' ', '.']).next().unwrap_or(function);
    Some(Entry {
        kind,
        name: name.trim().to_owned(),
        paths: module_files(path, module),
        function: Some(function.to_owned()),
    })
}

/// The package that a distribution of this name most likely holds.
fn library(path: &str, name: &str) -> Entry {
    let module = name.replace(['-', '.'], "_");
    let mut paths = module_files(path, &module);
    paths.extend(module_files(path, &module.to_ascii_lowercase()));
    Entry { kind: "library", name: name.to_owned(), paths, function: None }
}

fn module_files(path: &str, module: &str) -> Vec<String> {
    let stem = module.trim().replace('.', "/");
    ["src/", "", "lib/"]
        .iter()
        .flat_map(|root| [format!("{root}{stem}/__init__.py"), format!("{root}{stem}.py")])
        .map(|file| beside(path, &file))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_split_into_name_and_version() {
        for (text, name, version) in [
            ("click>=8.0,<9", "click", ">=8.0,<9"),
            ("a[b,c] == 1 ; python_version < \"3.8\"", "a", "== 1"),
            ("importlib-metadata", "importlib-metadata", ""),
        ] {
            let found = requirement(text, 1, false).unwrap();
            assert_eq!((found.name.as_str(), found.version.as_str()), (name, version));
        }
        assert_eq!(requirement("# only a comment", 1, false), None);
    }
}
