//! `Cargo.toml`.

use ouro_core::analysis::{Dependency, EntryPoint, Manifest};

use super::{
    BuildFile, beside,
    toml_tree::{Table, with_root},
};

pub(super) fn read(path: &str, text: &str) -> Option<BuildFile> {
    with_root(text, |root| {
        let package = root.table("package");
        let field = |key| package.and_then(|p| p.string(key));
        let name = field("name");
        let mut build = BuildFile {
            manifest: Manifest {
                path: path.to_owned(),
                build_system: "cargo".to_owned(),
                version: field("version")
                    .or_else(|| root.table("workspace.package")?.string("version")),
                description: field("description"),
                dependencies: dependencies(root),
                name,
            },
            entries: Vec::new(),
        };
        build.entries = entries(path, root, &build.manifest);
        build
    })
}

fn dependencies(root: Table<'_>) -> Vec<Dependency> {
    let mut found = Vec::new();
    let mut add = |table: Option<Table<'_>>, development: bool| {
        for (name, line, version, details) in table.iter().flat_map(Table::entries) {
            let detail = |key| details.and_then(|d| d.string(key)).map(|text| text.text);
            let version = version
                .or_else(|| detail("version"))
                .or_else(|| detail("git"))
                .or_else(|| detail("path"));
            let name = detail("package").unwrap_or_else(|| name.to_owned());
            found.push(Dependency {
                name,
                version: version.unwrap_or_default(),
                line,
                development,
            });
        }
    };
    let targets = root
        .table("target")
        .into_iter()
        .flat_map(|t| t.entries().filter_map(|e| e.3).collect::<Vec<_>>());
    for table in [Some(root), root.table("workspace")].into_iter().flatten().chain(targets) {
        add(table.table("dependencies"), false);
        add(table.table("dev-dependencies"), true);
        add(table.table("build-dependencies"), true);
    }
    found.sort_by_key(|d| d.line);
    found
}

/// What is declared, and the files that cargo takes for granted.
fn entries(path: &str, root: Table<'_>, manifest: &Manifest) -> Vec<EntryPoint> {
    let Some(name) = manifest.name.as_ref().map(|n| n.text.clone()) else { return Vec::new() };
    let mut entries = Vec::new();
    let mut add = |kind: &str, name: String, file: &str| {
        let path = beside(path, file);
        if !entries.iter().any(|e: &EntryPoint| e.path == path) {
            entries.push(EntryPoint { kind: kind.to_owned(), name, path, line: 1 });
        }
    };
    let library = root.table("lib");
    let text = |table: &Table<'_>, key| table.string(key).map(|t| t.text);
    let file = library.and_then(|l| text(&l, "path")).unwrap_or_else(|| "src/lib.rs".to_owned());
    add(
        "library",
        library.and_then(|l| text(&l, "name")).unwrap_or_else(|| name.replace('-', "_")),
        &file,
    );
    for binary in root.tables("bin") {
        let Some(own) = text(&binary, "name") else { continue };
        let paths = match text(&binary, "path") {
            Some(path) => vec![path],
            None => vec![
                format!("src/bin/{own}.rs"),
                format!("src/bin/{own}/main.rs"),
                "src/main.rs".to_owned(),
            ],
        };
        for path in paths {
            add("binary", own.clone(), &path);
        }
    }
    add("binary", name, "src/main.rs");
    entries
}
