//! `go.mod`.

use ouro_core::analysis::Dependency;

use super::{BuildFile, Entry, beside, cited, lines::numbered, manifest};

pub(super) fn read(path: &str, text: &str) -> Option<BuildFile> {
    let mut build = BuildFile { manifest: manifest(path, "go"), entries: Vec::new() };
    let mut in_require = false;
    for (line, content) in numbered(text) {
        let (content, comment) = content.split_once("//").unwrap_or((content, ""));
        let content = content.trim();
        let required = match content.strip_prefix("require") {
            Some(rest) if rest.trim() == "(" => {
                in_require = true;
                continue;
            }
            Some(rest) => Some(rest.trim()),
            None if content == ")" => {
                in_require = false;
                continue;
            }
            None => in_require.then_some(content),
        };
        if let Some(name) = content.strip_prefix("module ") {
            build.manifest.name = Some(cited(name.trim().trim_matches('"'), line));
        }
        // Indirect ones are needed by dependencies, not by this project.
        if let Some((name, version)) = required.and_then(|r| r.split_once(' '))
            && !comment.contains("indirect")
        {
            build.manifest.dependencies.push(Dependency {
                name: name.to_owned(),
                version: version.trim().to_owned(),
                line,
                development: false,
            });
        }
    }
    let name = short_name(&build.manifest.name.as_ref()?.text).to_owned();
    let paths = vec![beside(path, "doc.go"), beside(path, &format!("{name}.go"))];
    build.entries.push(Entry { kind: "library", name, paths, function: None });
    Some(build)
}

/// What a module is called for short: its last part that is no version.
pub(in crate::analysis) fn short_name(module: &str) -> &str {
    let mut parts = module.rsplit('/');
    let last = parts.next().unwrap_or(module);
    let is_version = last
        .strip_prefix('v')
        .is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()));
    if is_version { parts.next().unwrap_or(last) } else { last }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direct_requirements_are_listed() {
        let text = "module github.com/a/tool/v2\n\ngo 1.22\n\nrequire (\n\tgithub.com/b/c v1.0.0\n\tgithub.com/d/e v0.1.0 // indirect\n)\n\nrequire golang.org/x/sys v0.2.0\n";
        let build = read("go.mod", text).unwrap();
        let list: Vec<_> =
            build.manifest.dependencies.iter().map(|d| (d.name.as_str(), d.line)).collect();
        assert_eq!(list, [("github.com/b/c", 6), ("golang.org/x/sys", 10)]);
        assert_eq!(build.entries[0].name, "tool");
    }
}
