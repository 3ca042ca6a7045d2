//! `METADATA`: what a built package, a wheel, says of itself.

use super::{library, requirement};
use crate::analysis::{
    manifest::{BuildFile, cited, lines::numbered, manifest},
    role::folder,
};

/// Reads the headers of the file; the description after them is prose.
pub(in crate::analysis::manifest) fn read(path: &str, text: &str) -> Option<BuildFile> {
    let home = folder(path);
    if !home.ends_with(".dist-info") {
        return None;
    }
    let mut build = BuildFile { manifest: manifest(path, "python"), entries: Vec::new() };
    let headers = numbered(text).take_while(|(_, content)| !content.trim().is_empty());
    for (line, content) in headers {
        let Some((key, value)) = content.split_once(':') else { continue };
        let value = value.trim();
        let field = match key {
            "Name" => &mut build.manifest.name,
            "Version" => &mut build.manifest.version,
            "Summary" => &mut build.manifest.description,
            "Requires-Dist" => {
                let optional =
                    value.split_once(';').is_some_and(|(_, mark)| mark.contains("extra"));
                build.manifest.dependencies.extend(requirement(value, line, optional));
                continue;
            }
            _ => continue,
        };
        *field = field.take().or_else(|| Some(cited(value, line)));
    }
    // The package stands beside the folder that tells of it.
    let beside = match folder(home) {
        "" => String::new(),
        above => format!("{above}/"),
    };
    let name = build.manifest.name.as_ref();
    build.entries.extend(name.map(|name| library(&beside, &name.text)));
    Some(build)
}

/// The description after the headers, on its own lines: the README that the package was built with.
pub(in crate::analysis::manifest) fn description(path: &str, text: &str) -> Option<String> {
    let is_wheel = folder(path).ends_with(".dist-info");
    let headers = text.lines().take_while(|line| !line.trim().is_empty()).count();
    let body = text.lines().enumerate().map(|(at, line)| if at < headers { "" } else { line });
    is_wheel.then(|| body.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_are_read_and_the_package_is_looked_for_beside_the_folder() {
        let text = "Metadata-Version: 2.4\nName: Tide\nVersion: 1.2\nSummary: Tells the tide.\nRequires-Dist: moon>=2\nRequires-Dist: chart ; extra == \"map\"\n\nName: no header\n";
        let build = read("lib/tide-1.2.dist-info/METADATA", text).unwrap();
        let (name, summary) = (build.manifest.name.unwrap(), build.manifest.description.unwrap());
        assert_eq!((name.text.as_str(), name.start_line), ("Tide", 2));
        assert_eq!((summary.text.as_str(), summary.start_line), ("Tells the tide.", 4));
        let list = build.manifest.dependencies.iter();
        let list: Vec<_> = list.map(|d| (d.name.as_str(), d.line, d.development)).collect();
        assert_eq!(list, [("moon", 5, false), ("chart", 6, true)]);
        assert!(build.entries[0].paths.contains(&"lib/tide/__init__.py".to_owned()));
        assert!(read("docs/METADATA", text).is_none());
        let body = description("tide-1.2.dist-info/METADATA", text).unwrap();
        let lines: Vec<_> = body.lines().collect();
        assert_eq!((lines.len(), lines[1], lines[7]), (8, "", "Name: no header"));
    }
}
