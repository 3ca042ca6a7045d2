//! Comments and documentation: what belongs to what, without the marks.

use std::collections::HashMap;

use ouro_core::analysis::CitedText;

use crate::languages::{DocComment, Language};

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
    /// Whether nothing but space stands before it on its line.
    pub leads_line: bool,
}

/// The comments and attributes of a file, found by the line they end at.
#[derive(Debug)]
pub(super) struct Remarks<'t> {
    comments: Vec<Remark<'t>>,
    attributes: Vec<Remark<'t>>,
    comment_at: HashMap<u32, usize>,
    attribute_at: HashMap<u32, usize>,
    kind: fn(&str) -> DocComment,
    gap: u32,
}

impl<'t> Remarks<'t> {
    /// Takes the comments and attributes of a file; the language says what a comment documents.
    pub(super) fn new(
        mut comments: Vec<Remark<'t>>,
        mut attributes: Vec<Remark<'t>>,
        language: &Language,
    ) -> Self {
        comments.sort_unstable_by_key(|c| c.start);
        attributes.sort_unstable_by_key(|a| a.start);
        let by_line = |list: &[Remark<'_>]| {
            list.iter()
                .enumerate()
                .filter(|(_, r)| r.leads_line)
                .map(|(i, r)| (r.end_line, i))
                .collect()
        };
        Self {
            comment_at: by_line(&comments),
            attribute_at: by_line(&attributes),
            comments,
            attributes,
            kind: language.doc_comment,
            gap: language.doc_gap,
        }
    }

    /// The documentation right above a declaration that starts at this byte and line, and the attributes between.
    pub(super) fn above(&self, start: usize, line: u32) -> (Option<CitedText>, String) {
        let mut attributes = String::new();
        let same_line = self.comments.iter().rev().find(|c| c.end_line == line && c.end <= start);
        if let Some(comment) = same_line
            && comment.leads_line
            && (self.kind)(comment.text) == DocComment::Next
        {
            return (cited(&[*comment]), attributes);
        }
        let mut line = line;
        // Attributes may stand between.
        while let Some(attribute) = self.ending_at(&self.attribute_at, &self.attributes, line) {
            attributes.push_str(attribute.text);
            line = attribute.start_line;
        }
        // So may comments that are no documentation.
        while let Some(comment) = self.ending_at(&self.comment_at, &self.comments, line)
            && (self.kind)(comment.text) == DocComment::No
        {
            line = comment.start_line;
        }
        let mut docs = Vec::new();
        // The first comment may stand apart, where the language's habit allows it.
        let apart =
            (0..=self.gap).find(|gap| self.comment_at.contains_key(&line.saturating_sub(1 + gap)));
        line -= apart.unwrap_or(0);
        while let Some(comment) = self.ending_at(&self.comment_at, &self.comments, line)
            && (self.kind)(comment.text) == DocComment::Next
        {
            docs.push(*comment);
            line = comment.start_line;
        }
        docs.reverse();
        // Attributes may also stand above the documentation.
        while let Some(attribute) = self.ending_at(&self.attribute_at, &self.attributes, line) {
            attributes.push_str(attribute.text);
            line = attribute.start_line;
        }
        (cited(&docs), attributes)
    }

    /// The first run of comments that document what they stand in, from this byte on and before any code.
    pub(super) fn enclosing(&self, from: usize, until: usize) -> Option<CitedText> {
        let mut docs: Vec<Remark<'_>> = Vec::new();
        let first = self.comments.partition_point(|c| c.start < from);
        for comment in self.comments.iter().skip(first).take_while(|c| c.start < until) {
            if (self.kind)(comment.text) == DocComment::Enclosing {
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
    pub(super) fn leading(&self, text: &str, until: usize) -> Option<CitedText> {
        let speaks_of_file = |comment: &&Remark<'_>| {
            let after = text.get(comment.end..comment.end + 4).unwrap_or("").replace('\r', "");
            let tags = ["@fileoverview", "@file ", "@module", "@packageDocumentation"];
            (self.kind)(comment.text) == DocComment::Next
                && comment.text.starts_with("/**")
                && (tags.iter().any(|tag| comment.text.contains(tag))
                    || after.trim_start_matches(' ').starts_with("\n\n"))
        };
        let mut comments = self.comments.iter().take_while(|c| c.end <= until);
        // A licence may stand before it.
        comments.by_ref().take(3).filter(speaks_of_file).find_map(|comment| cited(&[*comment]))
    }

    /// The comments that lie in a range of bytes.
    pub(super) fn within(&self, start: usize, end: usize) -> impl Iterator<Item = &Remark<'t>> {
        let first = self.comments.partition_point(|c| c.start < start);
        self.comments.iter().skip(first).take_while(move |c| c.end <= end)
    }

    /// The attribute that starts at this byte.
    pub(super) fn attribute_from(&self, start: usize) -> Option<&Remark<'t>> {
        let at = self.attributes.binary_search_by_key(&start, |a| a.start).ok()?;
        self.attributes.get(at)
    }

    fn ending_at<'a>(
        &self,
        index: &HashMap<u32, usize>,
        list: &'a [Remark<'t>],
        line: u32,
    ) -> Option<&'a Remark<'t>> {
        list.get(*index.get(&line.checked_sub(1)?)?)
    }
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
    Some(CitedText { text, start_line, end_line })
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
    let marks: &[&str] = &["///", "//!", "//", "#"];
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
        Remark { text, start: 0, end: text.len(), start_line: 10, end_line: 10, leads_line: true }
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
