//! `Cargo.toml`.

use ouro_core::analysis::{Dependency, Manifest};

use super::{
    BuildFile, Entry, beside,
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
fn entries(path: &str, root: Table<'_>, manifest: &Manifest) -> Vec<Entry> {
    let Some(package) = manifest.name.as_ref().map(|n| n.text.clone()) else { return Vec::new() };
    let text = |table: Table<'_>, key| table.string(key).map(|t| t.text);
    let entry = |kind, name, files: Vec<String>| Entry {
        kind,
        name,
        paths: files.iter().map(|file| beside(path, file)).collect(),
        function: (kind == "binary").then(|| "main".to_owned()),
    };
    let library = root.table("lib");
    let file = library.and_then(|l| text(l, "path")).unwrap_or_else(|| "src/lib.rs".to_owned());
    let name = library.and_then(|l| text(l, "name")).unwrap_or_else(|| package.replace('-', "_"));
    let mut entries = vec![entry("library", name, vec![file])];
    for binary in root.tables("bin") {
        let Some(name) = text(binary, "name") else { continue };
        let files = match text(binary, "path") {
            Some(path) => vec![path],
            None => vec![
                format!("src/bin/{name}.rs"),
                format!("src/bin/{name}/main.rs"),
                "src/main.rs".to_owned(),
            ],
        };
        entries.push(entry("binary", name, files));
    }
    entries.push(entry("binary", package, vec!["src/main.rs".to_owned()]));
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_tells_its_name_needs_and_entries() {
        let text = "[package]\nname = \"my-tool\"\nversion.workspace = true\n\n[[bin]]\nname = \"tool\"\npath = \"src/tool.rs\"\n\n[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\nlocal = { path = \"../local\" }\n\n[dev-dependencies]\ntempfile = \"3\"\n\n[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n";
        let build = read("a/Cargo.toml", text).unwrap();
        assert_eq!(build.manifest.name.unwrap().start_line, 2);
        let list: Vec<_> = build
            .manifest
            .dependencies
            .iter()
            .map(|d| format!("{} {} {} {}", d.name, d.version, d.line, d.development))
            .collect();
        assert_eq!(
            list,
            [
                "serde 1 10 false",
                "local ../local 11 false",
                "tempfile 3 14 true",
                "libc 0.2 17 false"
            ]
        );
        let entries: Vec<_> =
            build.entries.iter().map(|e| format!("{} {} {}", e.kind, e.name, e.paths[0])).collect();
        assert_eq!(
            entries,
            [
                "library my_tool a/src/lib.rs",
                "binary tool a/src/tool.rs",
                "binary my-tool a/src/main.rs"
            ]
        );
    }

    #[test]
    fn what_is_no_toml_is_no_manifest() {
        assert!(read("Cargo.toml", "[package\nname =").is_none());
        assert!(read("Cargo.toml", "").unwrap().entries.is_empty());
    }
}
