//! Comment marks of the known languages.

use super::NumberedLine;

/// How documentation is written, as far as it changes what a line means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Markdown, and doc comments that use it (Rust, KDoc, JSDoc).
    Markdown,
    /// reStructuredText and docstrings.
    Rst,
    /// Javadoc: HTML and `{@link}`.
    Javadoc,
    /// Go: plain text, code is indented.
    Go,
}

/// The dialect that files with this name use.
pub(crate) fn dialect(path: &str) -> Dialect {
    match path.rsplit_once('.').map_or("", |(_, ext)| ext) {
        "py" | "pyi" | "rst" => Dialect::Rst,
        "java" | "scala" | "groovy" => Dialect::Javadoc,
        "go" => Dialect::Go,
        _ => Dialect::Markdown,
    }
}

/// Whether `#` starts a comment in files with this name.
fn has_hash_comments(path: &str) -> bool {
    matches!(
        path.rsplit_once('.').map_or("", |(_, ext)| ext),
        "py" | "pyi" | "toml" | "yml" | "yaml" | "rb" | "sh" | "properties" | "cfg" | "ini"
    )
}

/// Whether the file is prose, not code.
fn is_prose(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((_, ext)) => {
            matches!(ext.to_ascii_lowercase().as_str(), "md" | "markdown" | "rst" | "txt" | "adoc")
        }
        None => true,
    }
}

/// The text of the lines without comment marks; indentation that belongs to the text stays.
pub(super) fn strip(path: &str, lines: &[NumberedLine]) -> Vec<NumberedLine> {
    if is_prose(path) {
        return lines.to_vec();
    }
    let hash = has_hash_comments(path);
    // Where `#` begins a comment there are no blocks: a star is emphasis, or an item of a list.
    let mut in_block =
        !hash && lines.first().is_some_and(|(_, text)| text.trim_start().starts_with('*'));
    let mut in_docstring = false;
    let mut unmarked = false;
    let mut plain: Vec<NumberedLine> = Vec::with_capacity(lines.len());
    for (number, raw) in lines {
        let text = raw.trim_start();
        let stripped = if in_block || text.starts_with("/*") {
            let opened = ["/**", "/*!", "/*"].iter().find_map(|m| text.strip_prefix(m));
            let body = match opened {
                Some(rest) => rest.trim_start_matches('*').trim_start(),
                None => block_line(raw),
            };
            in_block = !text.contains("*/");
            body.trim_end().trim_end_matches("*/").trim_end_matches('*').trim_end().to_owned()
        } else if let Some(rest) =
            ["///", "//!", "//"].iter().find_map(|m| text.strip_prefix(m)).filter(|_| !in_docstring)
        {
            rest.strip_prefix(' ').unwrap_or(rest).to_owned()
        } else if hash && !in_docstring && text.starts_with('#') {
            let rest = text.trim_start_matches('#');
            let rest = rest.strip_prefix(':').unwrap_or(rest);
            rest.strip_prefix(' ').unwrap_or(rest).to_owned()
        } else {
            unmarked = true;
            docstring_line(raw, &mut in_docstring)
        };
        plain.push((*number, stripped));
    }
    // A docstring has no mark on each line: its own indentation is not part of the text.
    if unmarked {
        dedent(&mut plain);
    }
    plain
}

/// A line inside a block comment: without its leading star, if it has one.
fn block_line(raw: &str) -> &str {
    match raw.trim_start().strip_prefix('*') {
        Some(rest) if rest.starts_with('/') => "",
        Some(rest) => rest.strip_prefix(' ').unwrap_or(rest),
        None => raw,
    }
}

/// A line of a docstring without its quotes.
fn docstring_line(raw: &str, inside: &mut bool) -> String {
    let trimmed = raw.trim_start();
    let unprefixed = trimmed.trim_start_matches(['r', 'R', 'u', 'U', 'b', 'f']);
    for quotes in ["\"\"\"", "'''"] {
        if !*inside && let Some(rest) = unprefixed.strip_prefix(quotes) {
            let body = rest.split(quotes).next().unwrap_or(rest);
            *inside = !rest.contains(quotes);
            return body.trim_end_matches('\\').trim_start().to_owned();
        }
        if *inside && raw.contains(quotes) {
            *inside = false;
            return raw.split(quotes).next().unwrap_or_default().to_owned();
        }
    }
    raw.to_owned()
}

/// Removes the indentation that all lines after the first share.
fn dedent(lines: &mut [NumberedLine]) {
    let indent = |text: &str| text.chars().take_while(|c| c.is_whitespace()).count();
    let shared =
        lines.iter().skip(1).filter(|(_, t)| !t.trim().is_empty()).map(|(_, t)| indent(t)).min();
    // The only line there is has nothing to be indented against.
    let shared = shared.unwrap_or(usize::MAX);
    if shared == 0 {
        return;
    }
    for (index, (_, text)) in lines.iter_mut().enumerate() {
        let cut = if index == 0 { indent(text) } else { shared };
        *text = text.chars().skip(cut.min(indent(text))).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(path: &str, text: &str) -> Vec<String> {
        let lines: Vec<_> = (1..).zip(text.lines().map(str::to_owned)).collect();
        strip(path, &lines).into_iter().map(|(_, t)| t).collect()
    }

    #[test]
    fn marks_of_every_language_are_removed_and_the_text_stays() {
        let cases = [
            ("a.rs", "/// An LRU.\n///\n///     code", vec!["An LRU.", "", "    code"]),
            ("a.rs", "    //! Inner * star", vec!["Inner * star"]),
            (
                "A.java",
                "/**\n * First.\n *\n * <p>Second.\n */",
                vec!["", "First.", "", "<p>Second.", ""],
            ),
            ("a.kt", "/** One line. */", vec!["One line."]),
            ("a.go", "// Command is just that.\n// More.", vec!["Command is just that.", "More."]),
            (
                "a.py",
                "    r\"\"\"A session.\n\n    Provides.\n      deep\n    \"\"\"",
                vec!["A session.", "", "Provides.", "  deep", ""],
            ),
            ("a.py", "#: The class.\n# of it", vec!["The class.", "of it"]),
            ("a.py", "    *Read-only* view.", vec!["*Read-only* view."]),
            ("README.md", "# Title\n* item", vec!["# Title", "* item"]),
        ];
        for (path, text, wanted) in cases {
            assert_eq!(stripped(path, text), wanted, "{path}: {text}");
        }
    }
}
