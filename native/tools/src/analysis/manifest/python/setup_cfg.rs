//! `setup.cfg`.

use super::{library, requirement, script};
use crate::analysis::manifest::{BuildFile, cited, is_development, lines::numbered, manifest};

pub(in crate::analysis::manifest) fn read(path: &str, text: &str) -> Option<BuildFile> {
    let mut build = BuildFile { manifest: manifest(path, "python"), entries: Vec::new() };
    let (mut section, mut key) = (String::new(), String::new());
    for (line, content) in numbered(text) {
        let bare = content.trim();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = bare.strip_prefix('[').and_then(|s| s.strip_suffix(']')) {
            section = name.trim().to_owned();
            key.clear();
            continue;
        }
        let value = if content.starts_with([' ', '\t']) {
            bare
        } else {
            let Some((name, value)) = bare.split_once('=') else { continue };
            key = name.trim().to_owned();
            value.trim()
        };
        if value.is_empty() {
            continue;
        }
        let field = match (section.as_str(), key.as_str()) {
            ("metadata", "name") => &mut build.manifest.name,
            ("metadata", "version") => &mut build.manifest.version,
            ("metadata", "description" | "summary") => &mut build.manifest.description,
            ("options", "install_requires") => {
                build.manifest.dependencies.extend(requirement(value, line, false));
                continue;
            }
            ("options.extras_require", extra) => {
                build.manifest.dependencies.extend(requirement(value, line, is_development(extra)));
                continue;
            }
            ("options.entry_points", "console_scripts") => {
                let target = value.split_once('=');
                build
                    .entries
                    .extend(target.and_then(|(name, target)| script(path, "script", name, target)));
                continue;
            }
            _ => continue,
        };
        *field = field.take().or_else(|| Some(cited(value, line)));
    }
    build.entries.extend(build.manifest.name.as_ref().map(|name| library(path, &name.text)));
    Some(build)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_continued_lines_are_read() {
        let text = "[metadata]\nname = x\n[options]\ninstall_requires =\n    a>=1\n    # why\n    b\n[options.entry_points]\nconsole_scripts =\n    run = x.cli:main\n";
        let build = read("setup.cfg", text).unwrap();
        let list: Vec<_> =
            build.manifest.dependencies.iter().map(|d| (d.name.as_str(), d.line)).collect();
        assert_eq!(list, [("a", 5), ("b", 7)]);
        assert_eq!((build.entries[0].name.as_str(), build.entries[0].kind), ("run", "script"));
    }
}
