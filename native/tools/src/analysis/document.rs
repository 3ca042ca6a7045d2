//! Prose files: title, introduction, headings.

use std::collections::HashSet;

use ouro_core::{
    analysis::{CitedText, Document, Heading},
    example_calls,
};

use super::role::{file_name, folder};

/// Reads prose.
pub(super) struct Prose;

/// Most headings kept of a file.
const MAX_HEADINGS: usize = 200;
/// Fewest words of an introduction.
const MIN_WORDS: usize = 5;
/// Fewest words of a list item that says something.
const MIN_ITEM_WORDS: usize = 4;

impl Prose {
    /// What a prose file says; `None` for legal texts.
    pub(super) fn read(path: &str, text: &str) -> Option<Document> {
        let name = file_name(path).to_ascii_lowercase();
        if ["license", "licence", "copying", "notice", "authors", "contributors"]
            .iter()
            .any(|n| name.starts_with(n))
        {
            return None;
        }
        let lines: Vec<&str> = text.lines().collect();
        let calls = if name.starts_with("readme") { example_calls(text) } else { Vec::new() };
        let mut document = Document { path: path.to_owned(), calls, ..Document::default() };
        let mut in_code = false;
        let mut in_html = false;
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let bare = line.trim();
            let number = u32::try_from(at).unwrap_or(u32::MAX - 1) + 1;
            if bare.starts_with("```") || bare.starts_with("~~~") {
                in_code = !in_code;
                hold(&mut document, u32::from(in_code && !is_shell(bare)));
                at += 1;
                continue;
            }
            if in_code {
                at += 1;
                continue;
            }
            if in_html {
                in_html = !bare.is_empty();
                at += 1;
                continue;
            }
            if let Some((text, level, used)) = heading(&lines, at) {
                if document.title.is_none() && document.introduction.is_none() {
                    let text = text.clone();
                    document.title = Some(CitedText { text, start_line: number, end_line: number });
                }
                if document.headings.len() < MAX_HEADINGS {
                    document.headings.push(Heading { text, line: number, level, content: 0 });
                }
                at += used;
                continue;
            }
            if bare.starts_with('<') {
                if document.title.is_none() && bare.starts_with("<h1") {
                    document.title = html_title(bare, number);
                }
                in_html = true;
                continue;
            }
            let length = lines.iter().skip(at).take_while(|l| !l.trim().is_empty()).count();
            let paragraph = lines.get(at..at + length).unwrap_or_default();
            if document.introduction.is_none() && is_prose(paragraph) {
                document.introduction = Some(CitedText {
                    text: paragraph.iter().map(|l| l.trim()).collect::<Vec<_>>().join("\n"),
                    start_line: number,
                    end_line: number + u32::try_from(length).unwrap_or(1) - 1,
                });
            }
            // A heading may end a paragraph without an empty line between, and so may a block of code.
            let ends = |n: &usize| {
                let fence = lines.get(at + n).is_some_and(|l| l.trim().starts_with("```"));
                fence || heading(&lines, at + n).is_some()
            };
            let length = (1..length).find(ends).unwrap_or(length).max(1);
            hold(&mut document, holds(lines.get(at..at + length).unwrap_or_default()));
            at += length;
        }
        Some(document)
    }

    /// The words in code blocks and backticks, and every word that is shaped like a name of code.
    pub(super) fn code_words(text: &str) -> Vec<Box<str>> {
        let mut words = HashSet::new();
        let mut in_block = false;
        for line in text.lines() {
            if line.trim_start().starts_with("```") {
                in_block = !in_block;
                continue;
            }
            let is_code = in_block || line.starts_with("    ");
            for (number, part) in line.split('`').enumerate() {
                let quoted = is_code || number % 2 == 1;
                let names =
                    part.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| w.len() >= 3);
                words.extend(
                    names.filter(|name| quoted || is_shaped_like_code(name)).map(Box::from),
                );
            }
        }
        words.into_iter().collect()
    }

    /// The README of the root first, then other READMEs, then by depth and path.
    pub(super) fn order(document: &Document) -> (usize, bool, String) {
        let is_readme = file_name(&document.path).to_ascii_lowercase().starts_with("readme");
        let depth = folder(&document.path).split('/').filter(|f| !f.is_empty()).count();
        (depth, !is_readme, document.path.clone())
    }
}

/// `snake_case` or `CamelCase`.
fn is_shaped_like_code(word: &str) -> bool {
    let humps =
        word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    humps || word.trim_matches('_').contains('_')
}

/// Counts what stands under the last heading.
fn hold(document: &mut Document, more: u32) {
    if let Some(heading) = document.headings.last_mut() {
        heading.content = heading.content.saturating_add(more);
    }
}

/// How much a paragraph holds: as many things as a list has items that say something, or a text sentences.
fn holds(paragraph: &[&str]) -> u32 {
    let says = |text: &str| text.split_whitespace().count() >= MIN_ITEM_WORDS;
    let items = paragraph.iter().filter_map(|l| {
        let line = l.trim_start();
        ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark))
    });
    let told = items.clone().filter(|text| says(text)).count();
    match items.count() {
        0 if is_prose(paragraph) => sentences(paragraph),
        0 => 0,
        _ => u32::try_from(told).unwrap_or(u32::MAX),
    }
}

/// About how many sentences a text has.
fn sentences(paragraph: &[&str]) -> u32 {
    let text = paragraph.join(" ");
    let ends = [". ", "! ", "? "].iter().map(|end| text.matches(end).count()).sum::<usize>();
    let wide = text.matches(['。', '！', '？']).count();
    u32::try_from(ends + wide + 1).unwrap_or(u32::MAX)
}

/// Whether a fence opens what is typed into a terminal.
fn is_shell(fence: &str) -> bool {
    let tag = fence.trim_start_matches(['`', '~']).trim().to_ascii_lowercase();
    matches!(
        tag.as_str(),
        "sh" | "bash" | "shell" | "console" | "zsh" | "shell-session" | "terminal"
    )
}

/// The heading at a line, how deep it stands, and how many lines it takes.
fn heading(lines: &[&str], at: usize) -> Option<(String, u8, usize)> {
    let line = lines.get(at)?;
    if line.starts_with("    ") || line.starts_with('\t') {
        // Code, whose comments look like headings.
        return None;
    }
    let line = line.trim();
    for mark in ['#', '='] {
        let level = line.chars().take_while(|c| *c == mark).count();
        let rest = line.trim_start_matches(mark);
        if (1..=6).contains(&level) && rest.starts_with(' ') {
            let title = plain(&without_tags(rest.trim().trim_end_matches(mark)));
            let level = u8::try_from(level).unwrap_or(u8::MAX);
            return (!title.is_empty()).then_some((title, level, 1));
        }
    }
    let is_line_of = |l: &str| {
        let l = l.trim_end();
        let first = l.chars().next();
        l.len() >= 3
            && matches!(first, Some('=' | '-' | '~' | '^' | '*' | '"' | '+'))
            && l.chars().all(|c| Some(c) == first)
    };
    if is_line_of(line) {
        // reStructuredText may also draw a line above.
        let title = lines.get(at + 1)?.trim();
        let closed = lines.get(at + 2).is_some_and(|l| is_line_of(l));
        return (closed && !title.is_empty()).then(|| (plain(title), depth(line), 3));
    }
    let under = lines.get(at + 1)?;
    let starts_text = line.starts_with(|c: char| c.is_alphanumeric() || c == '`');
    (is_line_of(under) && starts_text && under.trim().len() + 3 >= line.chars().count().min(80))
        .then(|| (plain(line), depth(under.trim()), 2))
}

/// How deep a heading stands that this line is drawn under.
fn depth(rule: &str) -> u8 {
    match rule.chars().next() {
        Some('=') => 1,
        Some('-') => 2,
        _ => 3,
    }
}

/// Without the tags of HTML: `<sup>`, `<a id="x">`. What stands in backticks is code.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (number, part) in text.split('`').enumerate() {
        if number > 0 {
            out.push('`');
        }
        let mut rest = part;
        while let Some((before, tag)) = rest.split_once('<').filter(|_| number % 2 == 0) {
            let opens = tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
            let Some((_, after)) = tag.split_once('>').filter(|_| opens) else { break };
            out.push_str(before);
            rest = after;
        }
        out.push_str(rest);
    }
    out
}

fn html_title(line: &str, number: u32) -> Option<CitedText> {
    let mut text = String::new();
    let mut in_tag = false;
    for c in line.chars() {
        match c {
            '<' => in_tag = true,
            '>' => in_tag = false,
            c if !in_tag => text.push(c),
            _ => {}
        }
    }
    let text = text.trim().to_owned();
    (!text.is_empty()).then_some(CitedText { text, start_line: number, end_line: number })
}

/// Whether a paragraph is running text: no list, table, quote, badge, directive or link definition.
fn is_prose(paragraph: &[&str]) -> bool {
    let Some(first) = paragraph.first().map(|l| l.trim()) else { return false };
    let indented = paragraph.first().is_some_and(|l| l.starts_with("    ") || l.starts_with('\t'));
    let marked =
        ["- ", "* ", "+ ", "|", ">", "![", "[![", "[<", "..", ":", "<", "{", "---", "[//]"]
            .iter()
            .any(|mark| first.starts_with(mark));
    let numbered = first.split_once(['.', ')']).is_some_and(|(n, rest)| {
        !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()) && rest.starts_with(' ')
    });
    let definition = first.starts_with('[') && first.contains("]:");
    if indented || marked || numbered || definition {
        return false;
    }
    let text = plain(&paragraph.join(" "));
    let words = text.split_whitespace().filter(|w| w.chars().any(char::is_alphabetic)).count();
    let has_wide = text.chars().filter(|c| ('\u{2e80}'..'\u{fb00}').contains(c)).count() >= 10;
    words >= MIN_WORDS || has_wide
}

/// Without images, link targets and emphasis marks.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let (before, link) = rest.split_at(open);
        let image = before.ends_with('!');
        out.push_str(before.strip_suffix('!').unwrap_or(before));
        let Some(close) = matching(link, '[', ']') else {
            out.push_str(link);
            return tidy(&out);
        };
        let label = link.get(1..close).unwrap_or("");
        let after = link.get(close + 1..).unwrap_or("");
        let target = match after.chars().next() {
            Some('(') => matching(after, '(', ')').map_or(0, |end| end + 1),
            Some('[') => matching(after, '[', ']').map_or(0, |end| end + 1),
            _ => 0,
        };
        // `uuid.v4([options[, buffer]])`: brackets of code, without a target and close to it.
        let is_code = before.ends_with(|c: char| c.is_alphanumeric() || c == '(')
            || label.starts_with([',', '.']);
        if is_code && target == 0 && !image {
            out.push('[');
            out.push_str(&plain(label));
            out.push(']');
        } else if !image {
            out.push_str(&plain(label));
        }
        rest = after.get(target..).unwrap_or("");
    }
    out.push_str(rest);
    tidy(&out)
}

fn tidy(text: &str) -> String {
    text.replace("**", "")
        .replace("~~", "")
        .replace('`', "")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// The byte of the bracket that closes the first one of a text.
fn matching(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_introduction_is_the_first_real_prose() {
        let text = "<p align=\"center\">\n  <img src=\"x\">\n</p>\n\n# My `tool` [![ci](b)](c)\n\n[![badge](x)](y)\n\n- a list item of several words here\n\nIt reads files and writes\nthem again.\n\n## Use\n";
        let document = Prose::read("README.md", text).unwrap();
        assert_eq!(document.title.unwrap().text, "My tool");
        let introduction = document.introduction.unwrap();
        assert_eq!(introduction.text, "It reads files and writes\nthem again.");
        assert_eq!((introduction.start_line, introduction.end_line), (11, 12));
        assert_eq!(document.headings.iter().map(|h| h.line).collect::<Vec<_>>(), [5, 14]);
    }

    #[test]
    fn underlined_titles_and_code_blocks_are_understood() {
        let text = "=====\nTitle\n=====\n\n.. image:: x\n\n```\n# not a heading\n```\n\n    # no heading either\n\nSection\n-------\n\nA sentence with five words.\n";
        let document = Prose::read("README.rst", text).unwrap();
        assert_eq!(
            document.headings.iter().map(|h| h.text.as_str()).collect::<Vec<_>>(),
            ["Title", "Section"]
        );
        assert_eq!(document.introduction.unwrap().start_line, 16);
    }

    #[test]
    fn a_heading_knows_its_depth_and_how_much_stands_under_it() {
        let text = "# Lib\n\n## `run(a)` <sup>async</sup>\n\nIt runs what it is given.\n\n```js\nrun(1)\n```\n- one that runs first\n- two that follow it\n- three\n\n```sh\nrun 1\n```\n\n### Empty\n\n![x](y)\n\nOld\n---\nIt was run in another way.\n```\nx\n```\n";
        let document = Prose::read("README.md", text).unwrap();
        let found = document.headings.iter().map(|h| (h.text.as_str(), h.line, h.level, h.content));
        assert_eq!(
            found.collect::<Vec<_>>(),
            [("Lib", 1, 1, 0), ("run(a) async", 3, 2, 4), ("Empty", 18, 3, 0), ("Old", 22, 2, 2)]
        );
    }

    #[test]
    fn unclosed_brackets_do_no_harm() {
        assert_eq!(plain("a [b](c [d"), "a b(c [d");
        assert_eq!(plain("![x](y) [a](b)"), "a");
        assert_eq!(plain("make(a[, b[, c]]) of [d]"), "make(a[, b[, c]]) of d");
    }
}
