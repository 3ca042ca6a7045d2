//! `build.gradle`, `settings.gradle` (Groovy and Kotlin), and version catalogues. These are programs, so only what is
//! written out plainly is read.

use ouro_core::analysis::Dependency;

use super::{
    BuildFile, is_development,
    lines::{assigned, literals, numbered},
    manifest,
    toml_tree::with_root,
};

/// Reads a build or settings script.
pub(super) fn build(path: &str, text: &str) -> Option<BuildFile> {
    let mut build = BuildFile { manifest: manifest(path, "gradle"), entries: Vec::new() };
    build.manifest.name = assigned(text, "rootProject.name");
    build.manifest.version = assigned(text, "version").filter(|_| !path.contains("settings."));
    build.manifest.description = assigned(text, "description");
    for (line, content) in numbered(text) {
        let content = content.trim();
        let Some(configuration) = content.split(['(', ' ', '"', '\'']).next() else { continue };
        if !is_configuration(configuration) {
            continue;
        }
        let coordinates = literals(content).find_map(|literal| {
            let (group, rest) = literal.split_once(':')?;
            let (artifact, version) = rest.split_once(':').unwrap_or((rest, ""));
            (!group.is_empty() && !artifact.is_empty())
                .then(|| (format!("{group}:{artifact}"), version.to_owned()))
        });
        if let Some((name, version)) = coordinates {
            let development = is_development(configuration);
            build.manifest.dependencies.push(Dependency { name, version, line, development });
        }
    }
    Some(build)
}

fn is_configuration(word: &str) -> bool {
    [
        "implementation",
        "api",
        "compileOnly",
        "runtimeOnly",
        "annotationProcessor",
        "kapt",
        "ksp",
        "classpath",
    ]
    .iter()
    .any(|known| {
        let prefixed = word.to_ascii_lowercase().ends_with(&known.to_ascii_lowercase());
        word == *known
            || (prefixed
                && word.starts_with(|c: char| c.is_ascii_lowercase())
                && word.chars().all(char::is_alphanumeric))
    })
}

/// Reads `libs.versions.toml`.
pub(super) fn catalogue(path: &str, text: &str) -> Option<BuildFile> {
    with_root(text, |root| {
        let mut build = BuildFile { manifest: manifest(path, "gradle"), entries: Vec::new() };
        let version_of =
            |name: &str| root.table("versions").and_then(|v| v.string(name)).map(|v| v.text);
        for (_, line, short, details) in root.table("libraries").iter().flat_map(|t| t.entries()) {
            let text = |key: &str| details.and_then(|d| d.string(key)).map(|t| t.text);
            let module = short
                .or_else(|| text("module"))
                .or_else(|| Some(format!("{}:{}", text("group")?, text("name")?)));
            let Some(module) = module else { continue };
            let (name, version) = match module.match_indices(':').nth(1) {
                Some((at, _)) => (
                    module.get(..at).unwrap_or("").to_owned(),
                    module.get(at + 1..).map(str::to_owned),
                ),
                None => (module, None),
            };
            let referred = || {
                let table = details?.table("version")?;
                version_of(&table.string("ref")?.text)
            };
            let version = version.or_else(|| text("version")).or_else(referred).unwrap_or_default();
            build.manifest.dependencies.push(Dependency {
                name,
                version,
                line,
                development: false,
            });
        }
        build.manifest.dependencies.sort_by_key(|d| d.line);
        build
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_dialects_are_read() {
        let text = "plugins { id(\"java\") }\nversion = \"1.0\"\ndependencies {\n    implementation(\"g:a:1\")\n    testImplementation 'g:b:2'\n    api(libs.okio)\n    println(\"x:y:z\")\n}\n";
        let manifest = build("build.gradle.kts", text).unwrap().manifest;
        assert_eq!(manifest.version.unwrap().start_line, 2);
        let list: Vec<_> = manifest
            .dependencies
            .iter()
            .map(|d| (d.name.as_str(), d.version.as_str(), d.line, d.development))
            .collect();
        assert_eq!(list, [("g:a", "1", 4, false), ("g:b", "2", 5, true)]);
        let settings = build("settings.gradle", "rootProject.name = 'app'\n").unwrap();
        assert_eq!(settings.manifest.name.unwrap().text, "app");
    }

    #[test]
    fn a_catalogue_joins_libraries_and_versions() {
        let text = "[versions]\nokio = \"3.9\"\n[libraries]\nokio = { module = \"c.s:okio\", version.ref = \"okio\" }\na = \"g:a:1\"\nb = { group = \"g\", name = \"b\", version = \"2\" }\n";
        let manifest = catalogue("gradle/libs.versions.toml", text).unwrap().manifest;
        let list: Vec<_> = manifest
            .dependencies
            .iter()
            .map(|d| format!("{} {} {}", d.name, d.version, d.line))
            .collect();
        assert_eq!(list, ["c.s:okio 3.9 4", "g:a 1 5", "g:b 2 6"]);
    }
}
