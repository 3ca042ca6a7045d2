//! `setup.py`: a program, so only what is written out plainly is read.

use super::{library, requirement, script};
use crate::analysis::manifest::{
    BuildFile,
    lines::{assigned, literals, numbered},
    manifest,
};

pub(in crate::analysis::manifest) fn read(path: &str, text: &str) -> Option<BuildFile> {
    let mut build = BuildFile { manifest: manifest(path, "python"), entries: Vec::new() };
    let call = text.rfind("setup(").unwrap_or(0);
    // Lines stay countable when what stands before the call is blanked out.
    let skipped = text.get(..call).unwrap_or("").matches('\n').count();
    let arguments = "\n".repeat(skipped) + text.get(call..).unwrap_or("");
    build.manifest.name = assigned(&arguments, "name");
    build.manifest.version = assigned(&arguments, "version");
    build.manifest.description = assigned(&arguments, "description");
    for (line, literal) in in_list(text, "install_requires") {
        build.manifest.dependencies.extend(requirement(literal, line, false));
    }
    for (_, literal) in in_list(text, "console_scripts") {
        build.entries.extend(
            literal.split_once('=').and_then(|(name, target)| script(path, "script", name, target)),
        );
    }
    build.entries.extend(build.manifest.name.as_ref().map(|name| library(path, &name.text)));
    Some(build)
}

/// The string literals of the list that follows a word, with their lines.
fn in_list<'t>(text: &'t str, word: &str) -> Vec<(u32, &'t str)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (line, content) in numbered(text) {
        let mut part = content;
        if !inside {
            let list = content.split_once(word).and_then(|(_, rest)| rest.split_once('['));
            let Some((_, rest)) = list else { continue };
            inside = true;
            part = rest;
        }
        let end = part.split('#').next().unwrap_or(part).rfind(']');
        found.extend(
            literals(end.and_then(|end| part.get(..end)).unwrap_or(part))
                .map(|literal| (line, literal)),
        );
        if end.is_some() {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_out_is_read() {
        let text = "from setuptools import setup\nname = 'not this'\nsetup(\n    name='x',\n    version=get(),\n    install_requires=['a>=1',\n        'b'],\n    entry_points={'console_scripts': ['run=x.cli:main']},\n)\n";
        let build = read("setup.py", text).unwrap();
        let name = build.manifest.name.unwrap();
        assert_eq!((name.text.as_str(), name.start_line), ("x", 4));
        assert_eq!(build.manifest.version, None);
        let list: Vec<_> =
            build.manifest.dependencies.iter().map(|d| (d.name.as_str(), d.line)).collect();
        assert_eq!(list, [("a", 6), ("b", 7)]);
        assert_eq!(build.entries[0].function.as_deref(), Some("main"));
    }
}
