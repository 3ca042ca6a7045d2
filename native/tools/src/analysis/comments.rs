//! Comments and documentation: what belongs to what, without the marks.

use ouro_core::analysis::CitedText;

use crate::languages::{DocComment, DocGap, Language};

/// A comment or attribute in a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Remark<'t> {
    /// As written.
    pub text: &'t str,
    /// Byte of its start.
    pub start: usize,
    /// Byte after its end.
    pub end: usize,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Whether it is an attribute, annotation or decorator.
    pub is_attribute: bool,
}

/// The comments and attributes of a file, by start.
#[derive(Debug)]
pub(super) struct Remarks<'t> {
    text: &'t str,
    all: Vec<Remark<'t>>,
    language: &'static Language,
    /// Whether the file's habit is to leave a line empty between a function and its documentation.
    is_airy: bool,
}

/// What the documentation of a function says of it in tags.
const FUNCTION_TAGS: [&str; 6] =
    ["@param", "@return", "@throws", "@arg ", "@constructor", "@yield"];

impl<'t> Remarks<'t> {
    /// Takes the comments and attributes of a file.
    pub(super) fn new(
        text: &'t str,
        mut all: Vec<Remark<'t>>,
        language: &'static Language,
    ) -> Self {
        all.sort_unstable_by_key(|r| r.start);
        let apart = |r: &Remark<'_>| text.get(r.end..).is_some_and(begins_empty_line);
        let is_airy =
            language.doc_gap == DocGap::Habit && all.iter().any(|r| r.is_of_function() && apart(r));
        Self { text, all, language, is_airy }
    }

    /// The documentation right above a declaration that starts at this byte, and the attributes above it. With an empty
    /// line between, a comment is rather a heading or the file's own, unless it `may_be_apart` and the language takes it
    /// for the documentation, or it either speaks of a function or keeps to the file's habit.
    pub(super) fn above(&self, start: usize, may_be_apart: bool) -> (Option<CitedText>, String) {
        let mut docs: Vec<Remark<'_>> = Vec::new();
        let mut attributes = String::new();
        let mut from = self.lead(start);
        let before = self.all.partition_point(|r| r.start < from);
        for remark in self.all.iter().take(before).rev() {
            // Nothing but space, and few empty lines, may stand between.
            let between = self.text.get(remark.end..from).unwrap_or("x");
            let line_ends =
                between.matches('\n').count() + usize::from(remark.text.ends_with('\n'));
            let may_gap = docs.is_empty() && self.language.doc_gap != DocGap::Never;
            let allowed = if may_gap { 2 } else { 1 };
            if !between.trim().is_empty() || line_ends > allowed {
                break;
            }
            let is_apart = line_ends > 1 && !remark.is_attribute;
            let is_first = || self.all.first().is_some_and(|first| first.start == remark.start);
            let is_told = || match self.language.doc_gap {
                DocGap::Always => remark.is_doc(),
                _ => remark.is_of_function() || self.is_airy && !is_first(),
            };
            if is_apart && !(may_be_apart && is_told()) {
                break;
            }
            if !remark.is_attribute {
                let leads = self.lead(remark.start) == remark.start
                    && self.line_before(remark.start).trim().is_empty();
                match self.kind(remark) {
                    // Behind other code it speaks of that.
                    _ if !leads && line_ends > 0 => break,
                    DocComment::Next
                        if docs.last().is_some_and(|d| d.is_block() || remark.is_block()) =>
                    {
                        break;
                    }
                    DocComment::Next => docs.push(*remark),
                    DocComment::No if docs.is_empty() => {}
                    _ => break,
                }
            } else {
                attributes.push_str(remark.text);
            }
            from = remark.start;
        }
        docs.reverse();
        (cited(&docs), attributes)
    }

    /// The words in line comments right above a function or type, where the language's habit is to document them so:
    /// orders to tools, notes of work to do and code that was taken out are no words.
    pub(super) fn said_above(&self, start: usize) -> Option<CitedText> {
        let mut lines: Vec<Remark<'_>> = Vec::new();
        let mut from = self.lead(start);
        let before = self.all.partition_point(|r| r.start < from);
        for remark in self.all.iter().take(before).rev() {
            let between = self.text.get(remark.end..from).unwrap_or("x");
            let is_near = between.trim().is_empty() && between.matches('\n').count() == 1;
            let is_alone = self.line_before(remark.start).trim().is_empty();
            if !remark.text.starts_with("//") || !is_near || !is_alone {
                break;
            }
            if !lines.is_empty() || !is_order(remark.text) {
                lines.push(*remark);
            }
            from = remark.start;
        }
        lines.reverse();
        let says = |doc: &CitedText| {
            let is_code = |line: &str| line.trim_end().ends_with([';', '{', '}']);
            doc.text.starts_with(|c: char| c.is_alphabetic() || c == '`')
                && doc.text.split_whitespace().count() >= MIN_WORDS
                && !doc.text.lines().any(is_code)
                && doc.text.lines().next().is_some_and(|first| !first.contains("://"))
        };
        let has_order = lines.iter().any(|line| is_order(line.text));
        cited(&lines).filter(|doc| self.language.line_docs && !has_order && says(doc))
    }

    /// The comment behind a field, where the language's habit is to document fields so.
    pub(super) fn behind(&self, end: usize) -> Option<CitedText> {
        let next = self.all.get(self.all.partition_point(|r| r.start < end))?;
        let between = self.text.get(end..next.start)?;
        let fits = self.language.trailing_docs
            && !next.is_attribute
            && self.kind(next) == DocComment::Next
            && between.chars().all(|c| matches!(c, ' ' | '\t' | ',' | ';'));
        fits.then(|| cited(&[*next])).flatten()
    }

    fn kind(&self, remark: &Remark<'_>) -> DocComment {
        (self.language.doc_comment)(remark.text)
    }

    /// What stands before a byte on its line.
    fn line_before(&self, byte: usize) -> &'t str {
        let before = self.text.get(..byte).unwrap_or("");
        before.get(before.rfind('\n').map_or(0, |at| at + 1)..).unwrap_or("")
    }

    /// Where a declaration starts, with what stands before it and its node leaves out (`export default`,
    /// `module.exports =`).
    fn lead(&self, start: usize) -> usize {
        let line = self.line_before(start);
        let keywords = line.trim_start();
        let exports = |part: &str| matches!(part.trim(), "" | "exports" | "module.exports");
        let is_keyword = |c: char| c.is_ascii_lowercase() || c == ' ';
        if keywords.chars().all(is_keyword) || keywords.split('=').all(exports) {
            start - keywords.len()
        } else {
            start
        }
    }

    /// The first run of comments that document what they stand in, from this byte on and before any code.
    pub(super) fn enclosing(&self, from: usize, until: usize) -> Option<CitedText> {
        let mut docs: Vec<Remark<'_>> = Vec::new();
        let first = self.all.partition_point(|c| c.start < from);
        let inside = self.all.iter().skip(first).take_while(|c| c.start < until);
        for comment in inside.filter(|r| !r.is_attribute) {
            if self.kind(comment) == DocComment::Enclosing {
                if docs.last().is_some_and(|d| comment.start_line > d.end_line + 1) {
                    break;
                }
                docs.push(*comment);
            } else if !docs.is_empty() {
                break;
            }
        }
        cited(&docs)
    }

    /// The comment before any code that speaks of the whole file: it says so, or stands apart from what follows.
    pub(super) fn leading(&self, until: usize) -> Option<CitedText> {
        let speaks_of_file = |comment: &&Remark<'_>| {
            let after = self.text.get(comment.end..until).unwrap_or("").replace('\r', "");
            let tags = ["@fileoverview", "@file ", "@module", "@packageDocumentation"];
            self.kind(comment) == DocComment::Next
                && comment.text.starts_with("/**")
                && !comment.is_of_function()
                && (tags.iter().any(|tag| comment.text.contains(tag))
                    || (after.trim_start_matches(' ').starts_with("\n\n")
                        && !after.trim().is_empty()))
        };
        let comments = self.all.iter().take_while(|c| c.end <= until && !c.is_attribute);
        // A licence may stand before it.
        comments.take(3).filter(speaks_of_file).find_map(|comment| cited(&[*comment]))
    }

    /// The comments that lie in a range of bytes.
    pub(super) fn within(&self, start: usize, end: usize) -> impl Iterator<Item = &Remark<'t>> {
        let first = self.all.partition_point(|c| c.start < start);
        self.all.iter().skip(first).take_while(move |c| c.end <= end).filter(|r| !r.is_attribute)
    }

    /// The attribute that starts at this byte.
    pub(super) fn attribute_from(&self, start: usize) -> Option<&Remark<'t>> {
        let at = self.all.partition_point(|r| r.start < start);
        self.all.iter().skip(at).take_while(|r| r.start == start).find(|r| r.is_attribute)
    }
}

impl Remark<'_> {
    fn is_block(&self) -> bool {
        self.text.starts_with("/*")
    }

    /// Whether it is marked as documentation.
    fn is_doc(&self) -> bool {
        self.text.starts_with("/**")
    }

    /// Whether it speaks of what a function takes and gives.
    fn is_of_function(&self) -> bool {
        self.is_doc() && FUNCTION_TAGS.iter().any(|tag| self.text.contains(tag))
    }
}

/// Whether nothing stands on the rest of a line and on the next.
fn begins_empty_line(text: &str) -> bool {
    let mut lines = text.split('\n').map(str::trim);
    lines.next() == Some("") && lines.next() == Some("")
}

/// Fewer words in a line comment are a heading.
const MIN_WORDS: usize = 3;

/// Whether a line comment tells a tool or an author what to do, or is a link.
fn is_order(comment: &str) -> bool {
    let text = comment.trim_start_matches('/').trim_start();
    [
        "eslint",
        "@ts-",
        "prettier-",
        "istanbul",
        "c8 ",
        "v8 ",
        "biome-",
        "tslint",
        "jshint",
        "$FlowFixMe",
        "TODO",
        "FIXME",
        "XXX",
        "HACK",
        "http:",
        "https:",
        "@__",
    ]
    .iter()
    .any(|start| text.starts_with(start))
}

/// Joins comments and removes their marks. Line `n` of the text stands at `start_line + n`.
pub(super) fn cited(comments: &[Remark<'_>]) -> Option<CitedText> {
    let first = comments.first()?;
    let mut lines: Vec<&str> = Vec::new();
    for comment in comments {
        lines.extend(strip_marks(comment.text));
    }
    trimmed(&lines, first.start_line, 0).filter(|doc| !is_licence(&doc.text))
}

/// The text of a string literal that documents what it stands in.
pub(super) fn docstring(text: &str, start_line: u32) -> Option<CitedText> {
    let inner = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let inner = ["\"\"\"", "'''", "\"", "'"]
        .iter()
        .find_map(|quote| inner.strip_prefix(quote)?.strip_suffix(quote))?;
    // The first line stands right after the quotes, so its indentation says nothing.
    trimmed(&inner.lines().collect::<Vec<_>>(), start_line, 1)
}

/// Removes empty lines at both ends, and the indentation that all but the first `unindented` lines share.
fn trimmed(lines: &[&str], start_line: u32, unindented: usize) -> Option<CitedText> {
    let first = lines.iter().position(|l| !l.trim().is_empty())?;
    let last = lines.iter().rposition(|l| !l.trim().is_empty())?;
    let lines = lines.get(first..=last)?;
    let indent = lines
        .iter()
        .skip(unindented)
        .filter(|l| !l.trim().is_empty())
        .map(|l| l.len() - l.trim_start().len())
        .min()
        .unwrap_or(0);
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        if number == 0 {
            text.push_str(line.trim());
        } else {
            text.push('\n');
            text.push_str(line.get(indent..).unwrap_or_else(|| line.trim_start()).trim_end());
        }
    }
    let start_line = start_line + u32::try_from(first).unwrap_or(0);
    let end_line = start_line + u32::try_from(lines.len() - 1).unwrap_or(0);
    // That the words stand elsewhere is no word.
    let is_elsewhere = matches!(text.as_str(), "{@inheritDoc}" | "@inheritDoc" | "@inheritdoc");
    (!is_elsewhere).then_some(CitedText { text, start_line, end_line })
}

/// The lines of one comment without its marks.
fn strip_marks(comment: &str) -> Vec<&str> {
    let comment = comment.trim_end();
    if let Some(inner) = comment.strip_prefix("/*") {
        let inner = inner.strip_suffix("*/").unwrap_or(inner);
        return inner
            .trim_start_matches(['*', '!'])
            .trim_end_matches('*')
            .lines()
            .enumerate()
            .map(|(number, line)| {
                let bare = line.trim_start();
                match bare.strip_prefix('*') {
                    Some(rest) if number > 0 => rest.strip_prefix(' ').unwrap_or(rest),
                    _ if bare.is_empty() => "",
                    _ => line,
                }
            })
            .collect();
    }
    let marks: &[&str] = &["///", "//!", "//", "#:", "#"];
    let bare = marks.iter().find_map(|mark| comment.strip_prefix(mark)).unwrap_or(comment);
    vec![bare.strip_prefix(' ').unwrap_or(bare)]
}

/// Whether a text is a licence or copyright notice.
pub(super) fn is_licence(text: &str) -> bool {
    let head: String = text.chars().take(600).collect::<String>().to_lowercase();
    [
        "copyright (",
        "copyright ©",
        "copyright 1",
        "copyright 2",
        "(c) 1",
        "(c) 2",
        "licensed under",
        "license:",
        "spdx-license",
        "all rights reserved",
        "permission is hereby granted",
        "@license",
        "mit licensed",
        "this source code is licensed",
        "governed by a bsd",
        "redistribution and use",
        "public domain",
    ]
    .iter()
    .any(|mark| head.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remark(text: &str) -> Remark<'_> {
        Remark {
            text,
            start: 0,
            end: text.len(),
            start_line: 10,
            end_line: 10,
            is_attribute: false,
        }
    }

    #[test]
    fn marks_and_indentation_go_and_lines_stay_countable() {
        let doc =
            cited(&[remark("/**\n     * Reads.\n     *\n     *   Indented.\n     */")]).unwrap();
        assert_eq!(doc.text, "Reads.\n\n  Indented.");
        assert_eq!((doc.start_line, doc.end_line), (11, 13));
    }

    #[test]
    fn line_comments_are_joined() {
        let mut second = remark("/// Two.");
        second.start_line = 11;
        let doc = cited(&[remark("/// One."), second]).unwrap();
        assert_eq!(doc, CitedText { text: "One.\nTwo.".into(), start_line: 10, end_line: 11 });
    }

    #[test]
    fn a_reference_to_inherited_words_is_no_documentation() {
        assert_eq!(cited(&[remark("/** {@inheritDoc} */")]), None);
        assert!(cited(&[remark("/** {@inheritDoc} It is never empty. */")]).is_some());
    }

    #[test]
    fn docstrings_lose_their_quotes_and_prefix() {
        let doc = docstring("r\"\"\"Sends it.\n\n    More.\n    \"\"\"", 3).unwrap();
        assert_eq!(
            doc,
            CitedText { text: "Sends it.\n\nMore.".into(), start_line: 3, end_line: 5 }
        );
        assert_eq!(docstring("\"\"\"   \"\"\"", 3), None);
    }

    #[test]
    fn a_licence_is_no_documentation() {
        assert_eq!(cited(&[remark("/* Copyright 2020 X. Licensed under Y. */")]), None);
    }
}
