//! `grep_file`: lines that match a regular expression.
//!
//! What is searched is the text without its secrets: otherwise a caller could guess a key letter by letter from what
//! matches and what doesn't. For speed a file is only redacted once its raw text has a match.

use std::ops::ControlFlow;

use async_trait::async_trait;
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{Searcher, SearcherBuilder, sinks};
use ouro_core::{
    Error, ErrorKind, FreshnessStamp, Result, Tool, ToolContext, ToolResult, ToolSpec,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ProjectRoot, SharedAnalysis,
    arguments::{filled, number, parse, within},
    call::on_blocking_thread,
    page::Page,
    path_pattern::PathPattern,
    project_file::{Content, MAX_BYTES},
    text::{clip, count, size},
    walk::{MAX_ENTRIES, WalkEnd, walk},
};

const NAME: &str = "grep_file";
const DEFAULT_MATCHES: u32 = 100;
const MAX_MATCHES: u32 = 500;
/// Most bytes of a pattern.
const MAX_PATTERN: usize = 1_000;
/// Most bytes of a compiled pattern: what `\w{1000}` and the like can cost.
const MAX_COMPILED: usize = 4 * 1_024 * 1_024;
/// Most characters of a line that are shown, and how many of them before the match.
const LINE_CHARS: usize = 240;
const LEAD_CHARS: usize = 60;

/// Searches the project's text.
pub(crate) struct GrepFile {
    root: ProjectRoot,
    analysis: SharedAnalysis,
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
    #[serde(default)]
    glob: Option<String>,
    #[serde(default, deserialize_with = "number")]
    max: Option<u32>,
}

impl GrepFile {
    pub(crate) fn new(root: ProjectRoot, analysis: SharedAnalysis) -> Self {
        let spec = ToolSpec {
            name: NAME.into(),
            description: "Finds the lines of the project's files that match a regular expression."
                .into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": {
                        "type": "string",
                        "description": "a regular expression in Rust's syntax, within one line; (?i) for any case",
                    },
                    "glob": {
                        "type": "string",
                        "description": "in which files: `*.rs`, `src/**/*.py`, a file or a folder; all by default",
                    },
                    "max": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MAX_MATCHES,
                        "description": "most lines to show, 100 by default",
                    },
                },
                "required": ["pattern"],
                "additionalProperties": false,
            }),
        };
        Self { root, analysis, spec }
    }
}

#[async_trait]
impl Tool for GrepFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: &Value, context: &ToolContext) -> Result<ToolResult> {
        let arguments: Arguments = parse(NAME, arguments)?;
        let root = self.root.clone();
        on_blocking_thread(context, move |context| grep(&root, &arguments, context)).await
    }

    fn stamp(&self, _: &Value) -> Option<FreshnessStamp> {
        self.analysis.stamp()
    }
}

/// A line that matched.
struct Hit {
    path: String,
    line: u32,
    text: String,
}

/// What a search met.
#[derive(Default)]
struct Hits {
    hits: Vec<Hit>,
    files: usize,
    /// Files that were left out because of their size.
    large: usize,
    /// There are more hits than asked for.
    more: bool,
    /// The walk ended at its limit.
    too_many: bool,
}

fn grep(root: &ProjectRoot, arguments: &Arguments, context: &ToolContext) -> Result<ToolResult> {
    let pattern = filled(NAME, "pattern", &arguments.pattern, MAX_PATTERN)?;
    let glob = arguments.glob.as_deref().filter(|g| !g.trim().is_empty());
    let files = PathPattern::parse(NAME, "glob", glob.unwrap_or_default())?;
    let max = within(NAME, "max", arguments.max.unwrap_or(DEFAULT_MATCHES), 1..=MAX_MATCHES)?;

    let mut found = search(root, &compile(pattern, false)?, &files, max, context)?;
    let mut note = "";
    if found.hits.is_empty() {
        found = search(root, &compile(pattern, true)?, &files, max, context)?;
        note = ", in another case than asked for";
    }
    Ok(write(&found, arguments, note, context.max_chars))
}

fn write(found: &Hits, arguments: &Arguments, note: &str, max_chars: usize) -> ToolResult {
    let mut page = Page::new(max_chars);
    let shown = found
        .hits
        .iter()
        .take_while(|h| {
            page.push_source(
                &format!("{}:{}: {}", h.path, h.line, h.text),
                &h.path,
                h.line,
                &h.text,
            )
        })
        .count();
    let mut cut = Vec::new();
    if found.more {
        cut.push(format!("the search ended after {}", count(found.hits.len(), "match")));
    }
    if shown < found.hits.len() {
        cut.push(format!("{} of {} matches are shown", shown, found.hits.len()));
    }
    if !cut.is_empty() {
        cut.push("use a narrower pattern or glob".to_owned());
    }
    if found.too_many {
        cut.push(format!("only the first {MAX_ENTRIES} files and folders were searched"));
    }
    let place = match arguments.glob.as_deref() {
        Some(glob) if !glob.trim().is_empty() => format!(" in `{glob}`"),
        _ => String::new(),
    };
    let unsearched = match found.large {
        0 => String::new(),
        n => format!("; not searched: {} over {}", count(n, "file"), size(MAX_BYTES)),
    };
    let pattern = &arguments.pattern;
    let summary = match found.hits.len() {
        0 => format!("no line matches `{pattern}`{place}, in any case{unsearched}"),
        n => {
            let at_least = if found.more { "at least " } else { "" };
            let (matches, files) = (count(n, "match"), count(found.files, "file"));
            format!("{at_least}{matches} of `{pattern}` in {files}{place}{note}{unsearched}")
        }
    };
    if found.hits.is_empty() {
        page.push(&summary);
    }
    page.finish(summary, (!cut.is_empty()).then(|| cut.join("; ")))
}

fn search(
    root: &ProjectRoot,
    matcher: &RegexMatcher,
    files: &PathPattern,
    max: u32,
    context: &ToolContext,
) -> Result<Hits> {
    let mut searcher = SearcherBuilder::new().line_number(true).bom_sniffing(false).build();
    let mut found = Hits::default();
    let end = walk(root, &context.cancel, |file| {
        if file.secret || !files.selects(file.path) {
            return Ok(ControlFlow::Continue(()));
        }
        let text = match root.read_walked(file.path).map(|f| f.content) {
            Some(Content::Text(text)) => text,
            Some(Content::Large(_)) => {
                found.large += 1;
                return Ok(ControlFlow::Continue(()));
            }
            _ => return Ok(ControlFlow::Continue(())),
        };
        if !has_match(&mut searcher, matcher, text.bytes())? {
            return Ok(ControlFlow::Continue(()));
        }
        let before = found.hits.len();
        let room = max as usize - before;
        found.more =
            collect(&mut searcher, matcher, &text.redacted(), file.path, room, &mut found.hits)?;
        found.files += usize::from(found.hits.len() > before);
        Ok(if found.more { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    found.too_many = end == WalkEnd::TooMany;
    Ok(found)
}

fn has_match(searcher: &mut Searcher, matcher: &RegexMatcher, text: &[u8]) -> Result<bool> {
    let mut any = false;
    let sink = sinks::Bytes(|_, _| {
        any = true;
        Ok(false)
    });
    searcher.search_slice(matcher, text, sink).map_err(failed)?;
    Ok(any)
}

/// Adds the matching lines, at most `room`; whether there are more.
fn collect(
    searcher: &mut Searcher,
    matcher: &RegexMatcher,
    text: &str,
    path: &str,
    room: usize,
    hits: &mut Vec<Hit>,
) -> Result<bool> {
    let full = hits.len() + room;
    let mut more = false;
    let sink = sinks::UTF8(|number, line| {
        if hits.len() == full {
            more = true;
            return Ok(false);
        }
        let line = line.trim_end_matches('\n');
        let start = matcher.find(line.as_bytes()).ok().flatten().map_or(0, |m| m.start());
        let text = around(line, start);
        hits.push(Hit {
            path: path.to_owned(),
            line: u32::try_from(number).unwrap_or(u32::MAX),
            text,
        });
        Ok(true)
    });
    searcher.search_slice(matcher, text.as_bytes(), sink).map_err(failed)?;
    Ok(more)
}

/// The part of a line that shows what matched at this byte.
fn around(line: &str, start: usize) -> String {
    let before = line.get(..start).map_or(0, |text| text.chars().count());
    if before + LEAD_CHARS < LINE_CHARS {
        return clip(line, LINE_CHARS).into_owned();
    }
    let tail = line.char_indices().nth(before - LEAD_CHARS).and_then(|(at, _)| line.get(at..));
    format!("…{}", clip(tail.unwrap_or_default(), LINE_CHARS))
}

fn failed(error: std::io::Error) -> Error {
    Error::new(ErrorKind::Internal, "the search failed").with_source(error)
}

fn compile(pattern: &str, any_case: bool) -> Result<RegexMatcher> {
    let built = RegexMatcherBuilder::new()
        .line_terminator(Some(b'\n'))
        .multi_line(true)
        .case_insensitive(any_case)
        .size_limit(MAX_COMPILED)
        .dfa_size_limit(MAX_COMPILED)
        .build(pattern);
    built.map_err(|error| {
        let what = what_is_wrong(pattern).unwrap_or_else(|| {
            // Of several lines the last says what is wrong, the others draw it.
            error.to_string().lines().last().unwrap_or_default().trim().to_owned()
        });
        Error::invalid(format!(
            "{NAME}: argument `pattern`: {what}. To find the text as it stands, escape it: {}",
            regex::escape(pattern)
        ))
    })
}

/// What is wrong with a pattern and at which character.
fn what_is_wrong(pattern: &str) -> Option<String> {
    use regex_syntax::Error::{Parse, Translate};
    let (what, start) = match regex_syntax::parse(pattern).err()? {
        Parse(error) => (error.kind().to_string(), error.span().start),
        Translate(error) => (error.kind().to_string(), error.span().start),
        _ => return None,
    };
    let (before, after) = pattern.split_at_checked(start.offset)?;
    Some(format!("{what} at character {} (`{before}` ▸ `{after}`)", before.chars().count() + 1))
}
