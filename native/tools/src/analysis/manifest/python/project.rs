//! `pyproject.toml`, of any build backend, Poetry included.

use ouro_core::analysis::Dependency;

use super::{library, requirement, script};
use crate::analysis::manifest::{
    BuildFile, is_development, manifest,
    toml_tree::{Table, with_root},
};

pub(in crate::analysis::manifest) fn read(path: &str, text: &str) -> Option<BuildFile> {
    with_root(text, |root| {
        let project = root.table("project");
        let poetry = root.table("tool.poetry");
        let field = |key| {
            project.and_then(|p| p.string(key)).or_else(|| poetry.and_then(|p| p.string(key)))
        };
        let mut build = BuildFile { manifest: manifest(path, "python"), entries: Vec::new() };
        build.manifest.name = field("name");
        build.manifest.version = field("version");
        build.manifest.description = field("description");
        build.manifest.dependencies = dependencies(root);
        for holder in [project, poetry].into_iter().flatten() {
            for (key, kind) in
                [("scripts", "script"), ("gui-scripts", "script"), ("entry-points", "plugin")]
            {
                for (name, _, target, inner) in holder.table(key).iter().flat_map(Table::entries) {
                    build.entries.extend(target.and_then(|t| script(path, kind, name, &t)));
                    for (name, _, target, _) in inner.iter().flat_map(Table::entries) {
                        build.entries.extend(target.and_then(|t| script(path, kind, name, &t)));
                    }
                }
            }
        }
        build.entries.extend(build.manifest.name.as_ref().map(|name| library(path, &name.text)));
        build
    })
}

fn dependencies(root: Table<'_>) -> Vec<Dependency> {
    let mut found = Vec::new();
    let mut add = |table: Option<Table<'_>>, key: &str, development: bool| {
        let list = table.map(|t| t.strings(key)).unwrap_or_default();
        found.extend(
            list.iter().filter_map(|text| requirement(&text.text, text.start_line, development)),
        );
    };
    add(root.table("project"), "dependencies", false);
    add(root.table("build-system"), "requires", true);
    for group in ["project.optional-dependencies", "dependency-groups"] {
        let table = root.table(group);
        for (name, ..) in table.iter().flat_map(Table::entries) {
            add(table, name, group == "dependency-groups" || is_development(name));
        }
    }
    let poetry_groups = root.table("tool.poetry.group");
    let inner = poetry_groups.iter().flat_map(Table::entries);
    let mut tables = vec![
        (root.table("tool.poetry.dependencies"), false),
        (root.table("tool.poetry.dev-dependencies"), true),
    ];
    tables.extend(inner.map(|(name, _, _, group)| {
        (group.and_then(|g| g.table("dependencies")), is_development(name))
    }));
    for (table, development) in tables {
        for (name, line, version, details) in table.iter().flat_map(Table::entries) {
            let version =
                version.or_else(|| details?.string("version").map(|v| v.text)).unwrap_or_default();
            if name != "python" {
                found.push(Dependency { name: name.to_owned(), version, line, development });
            }
        }
    }
    found.sort_by_key(|d| d.line);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_table_is_read_with_its_lines() {
        let text = "[build-system]\nrequires = [\"flit_core<4\"]\n[project]\nname = \"My-Tool\"\ndescription = \"Does it.\"\ndependencies = [\n  \"click>=8\",\n]\n[project.optional-dependencies]\ntest = [\"pytest\"]\n[project.scripts]\nmy = \"my_tool.cli:main\"\n";
        let build = read("pyproject.toml", text).unwrap();
        assert_eq!(build.manifest.name.unwrap().start_line, 4);
        let list: Vec<_> = build
            .manifest
            .dependencies
            .iter()
            .map(|d| (d.name.as_str(), d.line, d.development))
            .collect();
        assert_eq!(list, [("flit_core", 2, true), ("click", 7, false), ("pytest", 10, true)]);
        assert_eq!(build.entries[0].paths[1], "src/my_tool/cli.py");
        assert_eq!(build.entries[0].function.as_deref(), Some("main"));
        assert!(build.entries[1].paths.contains(&"my_tool/__init__.py".to_owned()));
    }

    #[test]
    fn poetry_is_read_too() {
        let text = "[tool.poetry]\nname = \"x\"\n[tool.poetry.dependencies]\npython = \"^3.9\"\na = {version = \"1\"}\n[tool.poetry.group.dev.dependencies]\nb = \"2\"\n";
        let manifest = read("pyproject.toml", text).unwrap().manifest;
        let list: Vec<_> = manifest
            .dependencies
            .iter()
            .map(|d| format!("{} {} {}", d.name, d.version, d.development))
            .collect();
        assert_eq!(list, ["a 1 false", "b 2 true"]);
    }
}
