//! The lines that tools really showed: nothing else may be cited.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    ops::Range,
};

use ouro_core::{Observation, SourceRef, analysis::CitedText};

use super::prose::{self, Block, NumberedLine, Sentence};

/// A place in a file that was observed. Only [`Evidence`] makes one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cite {
    path: String,
    start: u32,
    end: u32,
}

impl Cite {
    /// As the record's `source_files` have it.
    pub(crate) fn to_source(&self) -> SourceRef {
        SourceRef {
            path: self.path.clone(),
            start_line: Some(self.start),
            end_line: Some(self.end),
        }
    }
}

impl fmt::Display for Cite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start == self.end {
            write!(f, "`{}:{}`", self.path, self.start)
        } else {
            write!(f, "`{}:{}-{}`", self.path, self.start, self.end)
        }
    }
}

/// Everything observed in one exploration, by file and line.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    files: BTreeMap<String, BTreeMap<u32, String>>,
}

impl Evidence {
    /// Gathers the lines of all observations.
    pub(crate) fn gather(observations: &[Observation]) -> Self {
        let mut files: BTreeMap<String, BTreeMap<u32, String>> = BTreeMap::new();
        for line in observations.iter().filter(|o| !o.step.is_error).flat_map(|o| &o.lines) {
            files.entry(line.path.clone()).or_default().insert(line.line, line.text.clone());
        }
        Self { files }
    }

    /// The text of a line, if it was observed.
    pub(crate) fn line(&self, path: &str, line: u32) -> Option<&str> {
        self.files.get(path)?.get(&line).map(String::as_str)
    }

    /// A citation of these lines, if every one was observed.
    pub(crate) fn cite(&self, path: &str, start: u32, end: u32) -> Option<Cite> {
        let lines = self.files.get(path)?;
        let all = start <= end && (start..=end).all(|n| lines.contains_key(&n));
        all.then(|| Cite { path: path.to_owned(), start, end })
    }

    /// A citation of this line, if it was observed and names `word`: a file that changed since the scan doesn't.
    pub(crate) fn cite_naming(&self, path: &str, line: u32, word: &str) -> Option<Cite> {
        self.line(path, line).filter(|text| text.contains(word))?;
        self.cite(path, line, line)
    }

    /// Whether these lines of the cited file hold no word.
    pub(crate) fn is_empty_between(&self, cite: &Cite, mut lines: Range<u32>) -> bool {
        lines.all(|n| {
            let text = self.line(&cite.path, n);
            text.is_some_and(|t| !t.contains(char::is_alphanumeric))
        })
    }

    /// One citation for two that stand near each other in one file, if all between was observed.
    pub(crate) fn span(&self, a: &Cite, b: &Cite) -> Option<Cite> {
        let (start, end) = (a.start.min(b.start), a.end.max(b.end));
        if a.path == b.path && end - start <= 24 { self.cite(&a.path, start, end) } else { None }
    }

    /// The citations of one statement: a single one, if they stand near each other.
    pub(crate) fn joined(&self, mut cites: Vec<Cite>) -> Vec<Cite> {
        cites.sort();
        cites.dedup();
        let end = cites.iter().max_by_key(|c| (&c.path, c.end));
        let whole = cites.first().zip(end).and_then(|(a, b)| self.span(a, b));
        whole.map_or(cites, |whole| vec![whole])
    }

    /// The observed lines from `start` to `end`, up to the first that is missing.
    pub(crate) fn lines(&self, path: &str, start: u32, end: u32) -> Vec<NumberedLine> {
        (start..=end).map_while(|n| Some((n, self.line(path, n)?.to_owned()))).collect()
    }

    /// The observed part of a piece of documentation; nothing if its lines say something else since the scan.
    pub(crate) fn doc(&self, path: &str, doc: &CitedText) -> Vec<Block> {
        let lines = self.lines(path, doc.start_line, doc.end_line);
        let scanned = letters(&doc.text);
        let unchanged = scanned.is_empty()
            || lines.iter().all(|(_, text)| {
                let seen = letters(text);
                // The `r` of a raw docstring is no part of its text.
                scanned.contains(&seen) || scanned.contains(seen.get(1..).unwrap_or_default())
            });
        if unchanged { prose::read(path, &lines) } else { Vec::new() }
    }

    /// The sentences of a piece of documentation that are worth quoting, each with its place.
    pub(crate) fn doc_statements(&self, path: &str, doc: &CitedText) -> Vec<(Sentence, Cite)> {
        prose::statements(&self.doc(path, doc))
            .into_iter()
            .filter_map(|s| self.cite(path, s.start, s.end).map(|c| (s, c)))
            .collect()
    }

    /// What a documentation says of the symbol itself, each sentence with its place: nothing that stands under a heading
    /// of its own, and nothing at all where the first paragraph holds no sentence to quote. What comes later would only
    /// add to it.
    pub(crate) fn symbol_statements(&self, path: &str, doc: &CitedText) -> Vec<(Sentence, Cite)> {
        let mut blocks = prose::with_lists(self.doc(path, doc));
        // What Python can't tell of a function written in C, its documentation begins with.
        if let Some(Block::Text(sentences)) = blocks.first()
            && is_signature(sentences)
        {
            blocks.remove(0);
        }
        let text = blocks.iter().position(|b| matches!(b, Block::Text(_)));
        let end = text.and_then(|at| {
            let mut rest = blocks.iter().enumerate().skip(at);
            rest.find(|(_, b)| matches!(b, Block::Heading(..))).map(|(n, _)| n)
        });
        blocks.truncate(end.unwrap_or(blocks.len()));
        let first = match text.and_then(|at| blocks.get(at)) {
            Some(Block::Text(sentences)) => sentences.last().map_or(0, |s| s.end),
            _ => 0,
        };
        let told = prose::symbol_statements(&blocks);
        if told.first().is_none_or(|s| s.start > first) {
            return Vec::new();
        }
        let cited = told.into_iter().map(|s| (self.cite(path, s.start, s.end), s));
        cited.filter_map(|(cite, s)| cite.map(|c| (s, c))).collect()
    }

    /// Every observed file with its lines.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &BTreeMap<u32, String>)> {
        self.files.iter().map(|(path, lines)| (path.as_str(), lines))
    }
}

/// Whether a paragraph is nothing but a function with its parameters: `put(key, value=None) -> bool`.
fn is_signature(paragraph: &[Sentence]) -> bool {
    let text = paragraph.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join(" ");
    let Some((name, rest)) = text.split_once('(') else { return false };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_.".contains(c));
    is_name && (rest.ends_with(')') || rest.contains(") -> "))
}

/// The ASCII letters and digits of a text: what stays when comment marks and indentation are removed.
fn letters(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Joins citations into the record's sources: by file, overlapping and adjoining ranges joined.
pub(crate) fn sources(cites: impl IntoIterator<Item = Cite>) -> Vec<SourceRef> {
    let sorted: BTreeSet<Cite> = cites.into_iter().collect();
    let mut joined: Vec<Cite> = Vec::new();
    for cite in sorted {
        match joined.last_mut() {
            Some(last) if last.path == cite.path && cite.start <= last.end.saturating_add(1) => {
                last.end = last.end.max(cite.end);
            }
            _ => joined.push(cite),
        }
    }
    joined.iter().map(Cite::to_source).collect()
}
