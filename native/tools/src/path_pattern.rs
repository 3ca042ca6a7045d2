//! Which files somebody means by `*.rs`, `src/**/*.kt`, `src/` or `guard`.

use globset::{GlobBuilder, GlobMatcher};
use ouro_core::{Error, Result};

/// A pattern over paths.
pub(crate) enum PathPattern {
    /// With wildcards; over the file's name alone unless it has a slash.
    Glob { matcher: GlobMatcher, over_path: bool },
    /// Without wildcards, in lower case.
    Plain(String),
}

impl PathPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// `InvalidInput` names the argument and what is wrong with it.
    pub(crate) fn parse(tool: &str, field: &str, pattern: &str) -> Result<Self> {
        let pattern = pattern.trim().trim_start_matches("./").trim_start_matches('/');
        if !pattern.contains(['*', '?', '[', '{']) {
            return Ok(Self::Plain(pattern.to_lowercase()));
        }
        let whole = match pattern.strip_suffix('/') {
            Some(folder) => format!("{folder}/**"),
            None => pattern.to_owned(),
        };
        let built = GlobBuilder::new(&whole).literal_separator(true).backslash_escape(true).build();
        let matcher = built.map_err(|e| {
            let why = e.kind();
            Error::invalid(format!(
                "{tool}: argument `{field}`: {why} in {pattern:?}; write a glob such as `*.rs` or `src/**/*.py`"
            ))
        })?;
        Ok(Self::Glob { over_path: whole.contains('/'), matcher: matcher.compile_matcher() })
    }

    /// Whether a file is meant, where the pattern says in which files to look: wildcards, a file, its name, or a folder.
    pub(crate) fn selects(&self, path: &str) -> bool {
        match self {
            Self::Glob { .. } => self.rank(path).is_some(),
            Self::Plain(plain) => {
                let path = path.to_lowercase();
                let folder = plain.trim_end_matches('/');
                let below = path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
                plain.is_empty() || path == *plain || name(&path) == plain || below
            }
        }
    }

    /// How well a file fits, 0 the best, where the pattern says which files to find: wildcards, or a part of the path in
    /// any case.
    pub(crate) fn rank(&self, path: &str) -> Option<u8> {
        match self {
            Self::Glob { matcher, over_path: true } => matcher.is_match(path).then_some(0),
            Self::Glob { matcher, over_path: false } => matcher.is_match(name(path)).then_some(0),
            Self::Plain(plain) => {
                let path = path.to_lowercase();
                let name = name(&path);
                let stem = name.split('.').next().unwrap_or(name);
                match () {
                    () if path == *plain || name == plain || stem == plain => Some(0),
                    () if name.contains(plain.as_str()) => Some(1),
                    () if path.contains(plain.as_str()) => Some(2),
                    () => None,
                }
            }
        }
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> PathPattern {
        PathPattern::parse("tool", "glob", text).unwrap()
    }

    #[test]
    fn a_glob_without_a_slash_looks_at_names_and_one_with_a_slash_at_paths() {
        assert!(pattern("*.rs").selects("src/deep/main.rs"));
        assert!(pattern("src/*.rs").selects("src/main.rs"));
        assert!(!pattern("src/*.rs").selects("src/deep/main.rs"));
        assert!(pattern("src/**/*.rs").selects("src/main.rs"));
        assert!(pattern("*.{ts,js}").selects("a/b.js"));
    }

    #[test]
    fn a_plain_pattern_selects_a_file_a_name_or_a_folder() {
        assert!(pattern("src/").selects("src/a/b.rs"));
        assert!(pattern("./src").selects("src/a.rs"));
        assert!(!pattern("src").selects("srcs/a.rs"));
        assert!(pattern("Main.java").selects("app/main.java"));
    }

    #[test]
    fn a_plain_pattern_finds_parts_of_paths_names_first() {
        assert_eq!(pattern("guard").rank("src/guard.rs"), Some(0));
        assert_eq!(pattern("guard").rank("src/SafeGuard.java"), Some(1));
        assert_eq!(pattern("guard").rank("guard/lib.rs"), Some(2));
        assert_eq!(pattern("guard").rank("src/lib.rs"), None);
    }

    #[test]
    fn a_bad_glob_is_an_error_that_names_it() {
        let error = PathPattern::parse("grep_file", "glob", "src/[a").err().unwrap();
        assert!(error.message().contains("argument `glob`"), "{error}");
    }
}
