//! `requirements.txt`.

use super::requirement;
use crate::analysis::{
    manifest::{BuildFile, is_development, lines::numbered, manifest},
    role::file_name,
};

pub(in crate::analysis::manifest) fn read(path: &str, text: &str) -> Option<BuildFile> {
    let mut build = BuildFile { manifest: manifest(path, "python"), entries: Vec::new() };
    let development = is_development(file_name(path));
    for (line, content) in numbered(text) {
        let is_option = content.starts_with(['-', '.', '/']) || content.contains("://");
        if !is_option {
            build.manifest.dependencies.extend(requirement(content, line, development));
        }
    }
    Some(build)
}
