//! What the code calls of the packages that the project asks for.

use ouro_core::analysis::{Manifest, OutsideCall};

use super::{Facts, SymbolId};

/// What the platforms of Java and Kotlin, and Rust itself, bring along.
const OWN_OF_LANGUAGE: [&str; 9] =
    ["java", "javax", "jdk", "sun", "kotlin", "std", "core", "alloc", "proc_macro"];

impl Facts {
    /// The calls in a body that lead into other packages: what comes with the language is none.
    pub(crate) fn calls_outside(&self, id: SymbolId) -> impl Iterator<Item = &OutsideCall> {
        let list = self.outside.get(id).map_or(&[][..], Vec::as_slice);
        let calls = list.iter().filter_map(|i| self.analysis.outside.get(*i));
        calls.filter(move |call| self.is_of_another(id, &call.package))
    }

    fn is_of_another(&self, id: SymbolId, package: &str) -> bool {
        let first = package.split(['.', ':', '/']).next().unwrap_or(package);
        match self.file(id).map_or("", |f| f.language.as_str()) {
            // The standard library's packages have no host.
            "go" => package.split('/').next().is_some_and(|host| host.contains('.')),
            "rust" | "java" | "kotlin" => !OWN_OF_LANGUAGE.contains(&first),
            _ => self.analysis.manifests.iter().any(|manifest| {
                let mut asked = manifest.dependencies.iter().filter(|d| !d.development);
                asked.any(|d| is_part_of(manifest, &d.name, package))
            }),
        }
    }
}

/// Whether what is imported is a package of this name, or in it.
pub(crate) fn is_part_of(manifest: &Manifest, name: &str, what: &str) -> bool {
    let name = name.to_lowercase();
    let module = name.rsplit(':').next().unwrap_or(&name).replace('-', "_");
    let what = what.trim_matches(['"', '\'', ';', ' ']).to_lowercase();
    if manifest.build_system == "go" {
        return what.contains(&name);
    }
    let plain = what.replace('-', "_");
    let first = plain.split([':', '.', '/', ' ', '{', ';', ',']).next().unwrap_or(&plain);
    first == module || what == name || what.starts_with(&format!("{name}/"))
}
