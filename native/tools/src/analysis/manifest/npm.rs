//! `package.json`.

use ouro_core::analysis::{Dependency, declaration_stem};

use super::{
    BuildFile, Entry, beside,
    json_tree::{Json, Value},
    manifest,
};
use crate::analysis::budget::Watch;

pub(super) fn read(path: &str, text: &str, watch: Watch<'_>) -> Option<BuildFile> {
    let json = Json::parse(text, watch)?;
    let root = json.root()?;
    let mut build = BuildFile { manifest: manifest(path, "npm"), entries: Vec::new() };
    let text = |key| root.get(key).and_then(Value::string);
    build.manifest.name = text("name");
    build.manifest.version = text("version");
    build.manifest.description = text("description");
    for (group, development) in [
        ("dependencies", false),
        ("peerDependencies", false),
        ("optionalDependencies", false),
        ("devDependencies", true),
    ] {
        for (name, version) in root.get(group).into_iter().flat_map(Value::entries) {
            build.manifest.dependencies.push(Dependency {
                name: name.text,
                version: version.string().map(|v| v.text).unwrap_or_default(),
                line: name.start_line,
                development,
            });
        }
    }
    build.manifest.dependencies.sort_by_key(|d| d.line);
    // Without a name it only sets the module format of its folder.
    build.entries = if build.manifest.name.is_some() { entries(path, root) } else { Vec::new() };
    Some(build)
}

fn entries(path: &str, root: Value<'_>) -> Vec<Entry> {
    let name = root.get("name").and_then(Value::string).map(|n| n.text).unwrap_or_default();
    let mut entries = Vec::new();
    if let Some(bin) = root.get("bin") {
        let single = bin.string().map(|target| (name.clone(), target.text));
        let named =
            bin.entries().filter_map(|(name, target)| Some((name.text, target.string()?.text)));
        for (name, target) in single.into_iter().chain(named) {
            entries.push(Entry {
                kind: "binary",
                name,
                paths: candidates(path, &target),
                function: None,
            });
        }
    }
    let exports =
        root.get("exports").map(|e| e.get(".").unwrap_or(e).all_strings()).unwrap_or_default();
    let fields =
        ["source", "main", "module"].iter().filter_map(|key| Some(root.get(key)?.string()?.text));
    let mut paths: Vec<String> = fields
        .chain(exports.into_iter().take(20))
        .flat_map(|target| candidates(path, &target))
        .collect();
    // What is published is often built from these, and only these are in the repository.
    let usual =
        ["src/index.ts", "src/index.tsx", "src/index.js", "index.ts", "index.js", "src/main.ts"];
    paths.extend(usual.iter().map(|usual| beside(path, usual)));
    // Of what is exported the types are named first, but they are not what runs.
    paths.sort_by_key(|path| declaration_stem(path).is_some());
    entries.push(Entry { kind: "library", name, paths, function: None });
    entries
}

/// The files that a target may mean: its ending may be left out, and it may name a folder.
fn candidates(path: &str, target: &str) -> Vec<String> {
    let target = beside(path, target.trim_end_matches('/'));
    let mut paths = vec![target.clone()];
    for end in [".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts"] {
        paths.push(format!("{target}{end}"));
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_tells_its_name_needs_and_entries() {
        let text = "{\n \"name\": \"@a/b\",\n \"version\": \"1.2.3\",\n \"bin\": {\"tool\": \"./bin/tool.js\"},\n \"main\": \"lib\",\n \"dependencies\": {\n  \"c\": \"^1\"\n },\n \"devDependencies\": {\"d\": \"2\"}\n}";
        let watch = Watch { is_cancelled: &|| false, clock: &ouro_testkit::ManualClock::new(0) };
        let build = read("web/package.json", text, watch).unwrap();
        assert_eq!(build.manifest.name.unwrap().start_line, 2);
        let list: Vec<_> = build
            .manifest
            .dependencies
            .iter()
            .map(|d| (d.name.as_str(), d.line, d.development))
            .collect();
        assert_eq!(list, [("c", 7, false), ("d", 9, true)]);
        assert_eq!(build.entries[0].paths[0], "web/bin/tool.js");
        assert!(build.entries[1].paths.contains(&"web/lib/index.js".to_owned()));
        let text = "{\"name\": \"b\", \"exports\": {\".\": {\"types\": \"./b.d.ts\", \"default\": \"./b.js\"}}}";
        let build = read("package.json", text, watch).unwrap();
        let place = |path: &str| build.entries[0].paths.iter().position(|p| p == path).unwrap();
        assert!(place("b.js") < place("b.d.ts"));
    }
}
