//! Reading build files that are code or plain lines: string literals and assignments.

use ouro_core::analysis::CitedText;

use super::cited;

/// The lines of a text with their numbers, from 1.
pub(super) fn numbered(text: &str) -> impl Iterator<Item = (u32, &str)> {
    (1_u32..).zip(text.lines())
}

/// The first `key = "value"` (or `key: 'value'`, `key("value")`), with its line.
pub(super) fn assigned(text: &str, key: &str) -> Option<CitedText> {
    numbered(text).find_map(|(line, content)| {
        let at = content.find(key)?;
        let before = content.get(..at)?;
        if before
            .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '"' | '\''))
        {
            return None;
        }
        let after = content.get(at + key.len()..)?.trim_start();
        let after = after.strip_prefix(['=', ':', '(']).map_or(after, str::trim_start);
        literals(after)
            .next()
            .filter(|_| after.starts_with(['"', '\'']))
            .map(|value| cited(value, line))
    })
}

/// The string literals of a line.
pub(super) fn literals(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let open = rest.find(['"', '\''])?;
        let quote = rest.get(open..)?.chars().next()?;
        let inside = rest.get(open + 1..)?;
        let close = inside.find(quote)?;
        rest = inside.get(close + 1..)?;
        inside.get(..close)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_found_in_every_dress() {
        for text in [
            "x\nversion = \"1.0\"",
            "x\n  version: '1.0',",
            "x\nversion(\"1.0\")",
            "x\nversion '1.0'",
        ] {
            assert_eq!(assigned(text, "version"), Some(cited("1.0", 2)), "{text}");
        }
        assert_eq!(
            assigned("project.version = \"1.0\"\nmy_version = '2'\nversion = other", "version"),
            None
        );
    }
}
