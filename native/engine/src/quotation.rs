//! Somebody else's Markdown within a document of ours.

/// Tags whose content is no text, so that one left open hides what follows: GitHub Flavored Markdown 6.11.
const HIDING: [&str; 9] =
    ["title", "textarea", "style", "xmp", "iframe", "noembed", "noframes", "script", "plaintext"];

/// Markdown as a quotation: what it leaves open, a fence or a list, ends with it, and its HTML is shown instead of
/// obeyed, since a comment left open would hide the rest of the document.
pub(crate) fn quoted(markdown: &str) -> String {
    let mut fence = None;
    let mut text = String::new();
    for line in markdown.lines() {
        let is_code = fence.is_some();
        fence = match fence {
            Some(open) if closes(line, open) => None,
            None => opened(line),
            open => open,
        };
        let line = if is_code || fence.is_some() { line.to_owned() } else { without_html(line) };
        text.push_str(if line.is_empty() { ">" } else { "> " });
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// The marks of the fence that a line opens.
fn opened(line: &str) -> Option<&str> {
    let (marks, info) = marks(line)?;
    (!marks.starts_with('`') || !info.contains('`')).then_some(marks)
}

fn closes(line: &str, open: &str) -> bool {
    marks(line).is_some_and(|(marks, rest)| marks.starts_with(open) && rest.trim().is_empty())
}

/// Three or more backticks or tildes at the start of a line, which may be one of a list; and what follows them.
fn marks(line: &str) -> Option<(&str, &str)> {
    let item = |c: char| c.is_whitespace() || "-*+>".contains(c);
    let line = line.trim_start_matches(item);
    let mark = line.chars().next().filter(|c| "`~".contains(*c))?;
    let rest = line.trim_start_matches(mark);
    let marks = line.strip_suffix(rest)?;
    (marks.len() >= 3).then_some((marks, rest))
}

/// A line of text with its tags escaped, but for what stands in `code` and hides nothing.
pub(crate) fn without_html(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    let mut code_ends_at = None;
    while let Some(next) = rest.chars().next() {
        // How much of the line is left tells places apart.
        let is_code = code_ends_at.is_some_and(|end| rest.len() > end);
        let (head, tail) = match next {
            '`' if !is_code => {
                let tail = rest.trim_start_matches('`');
                let ticks = rest.strip_suffix(tail).unwrap_or_default();
                code_ends_at = span_end(tail, ticks);
                (ticks, tail)
            }
            '\\' if !is_code => {
                rest.split_at(rest.char_indices().nth(2).map_or(rest.len(), |c| c.0))
            }
            '<' => {
                let tail = rest.get(1..).unwrap_or_default();
                if hides(tail) || (!is_code && is_tag(tail)) {
                    text.push('\\');
                }
                ("<", tail)
            }
            _ => rest.split_at(next.len_utf8()),
        };
        text.push_str(head);
        rest = tail;
    }
    text
}

/// How much of a line is left behind the code that so many backticks begin, where as many end it.
fn span_end(line: &str, ticks: &str) -> Option<usize> {
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let (_, run) = rest.split_at(at);
        rest = run.trim_start_matches('`');
        if run.len() - rest.len() == ticks.len() {
            return Some(rest.len());
        }
    }
    None
}

/// Whether what follows a `<` makes it a tag, and no comparison or link.
fn is_tag(after: &str) -> bool {
    let is_link = ["http://", "https://", "mailto:"].iter().any(|s| after.starts_with(s));
    after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') && !is_link
}

fn hides(after: &str) -> bool {
    let is_tag = |tag: &&str| after.get(..tag.len()).is_some_and(|t| t.eq_ignore_ascii_case(tag));
    after.starts_with(['!', '?']) || HIDING.iter().any(is_tag)
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn what_is_left_open_ends_with_the_quotation() {
        let open = "# A title\n\n- a list\n  ```rust\n  let a: Vec<u8>;\n";
        let expected = "> # A title\n>\n> - a list\n>   ```rust\n>   let a: Vec<u8>;\n";
        assert_eq!(quoted(open), expected);
    }

    #[test]
    fn html_is_shown_and_hides_nothing() {
        for (given, expected) in [
            ("<!-- from here", "\\<!-- from here"),
            ("see <details> and </b>", "see \\<details> and \\</b>"),
            ("`<!-- x` <?php <ScRiPt>", "`\\<!-- x` \\<?php \\<ScRiPt>"),
            ("`` a`<b> `` and <i>", "`` a`<b> `` and \\<i>"),
            ("one ` and <b>", "one ` and \\<b>"),
            ("\\<b> stays, \\\\<b> not", "\\<b> stays, \\\\\\<b> not"),
            (
                "a < b, a <= b, <https://example.org>, 中<文",
                "a < b, a <= b, <https://example.org>, 中<文",
            ),
        ] {
            assert_eq!(quoted(given), format!("> {expected}\n"), "{given}");
        }
    }

    #[test]
    fn code_between_fences_stays_as_it_is() {
        let code = "~~~html\n<!-- a -->\n```\n<b>\n~~~~\n<i>";
        let expected = "> ~~~html\n> <!-- a -->\n> ```\n> <b>\n> ~~~~\n> \\<i>\n";
        assert_eq!(quoted(code), expected);
        // What has backticks behind its fence is a line of text.
        assert_eq!(quoted("``` a ``` <b>"), "> ``` a ``` \\<b>\n");
    }
}
