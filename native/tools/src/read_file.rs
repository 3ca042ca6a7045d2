//! `read_file`: the lines of one file.

use std::time::UNIX_EPOCH;

use async_trait::async_trait;
use ouro_core::{Error, FreshnessStamp, Result, Tool, ToolContext, ToolResult, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ProjectRoot,
    arguments::{filled, number, parse, within},
    call::on_blocking_thread,
    page::Page,
    project_file::{Content, MAX_BYTES},
    text::{MAX_LINE_CHARS, clip, count, size},
};

const NAME: &str = "read_file";
/// Lines that are shown of a file that is too large to be read.
const HEAD_LINES: usize = 20;

/// Reads a file of the project.
pub(crate) struct ReadFile {
    root: ProjectRoot,
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    #[serde(default, deserialize_with = "number")]
    start_line: Option<u32>,
    #[serde(default, deserialize_with = "number")]
    end_line: Option<u32>,
}

impl ReadFile {
    pub(crate) fn new(root: ProjectRoot) -> Self {
        let spec = ToolSpec {
            name: NAME.into(),
            description: "Shows a file of the project, or some of its lines, each with its number."
                .into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "the file, relative to the project's folder"},
                    "start_line": {"type": "integer", "minimum": 1, "description": "first line, from 1"},
                    "end_line": {"type": "integer", "minimum": 1, "description": "last line, inclusive"},
                },
                "required": ["path"],
                "additionalProperties": false,
            }),
        };
        Self { root, spec }
    }
}

#[async_trait]
impl Tool for ReadFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: &Value, context: &ToolContext) -> Result<ToolResult> {
        let arguments: Arguments = parse(NAME, arguments)?;
        let root = self.root.clone();
        on_blocking_thread(context, move |context| read(&root, &arguments, context)).await
    }

    fn stamp(&self, arguments: &Value) -> Option<FreshnessStamp> {
        let arguments: Arguments = parse(NAME, arguments).ok()?;
        let located = self.root.locate(&arguments.path).ok()?;
        let modified = located.metadata.modified().ok()?;
        let nanoseconds = match modified.duration_since(UNIX_EPOCH) {
            Ok(after) => after.as_nanos().to_string(),
            Err(before) => format!("-{}", before.duration().as_nanos()),
        };
        let (path, bytes) = (located.path, located.metadata.len());
        Some(FreshnessStamp(format!("{path} {bytes} {nanoseconds}")))
    }
}

fn read(root: &ProjectRoot, arguments: &Arguments, context: &ToolContext) -> Result<ToolResult> {
    let path = filled(NAME, "path", arguments.path.trim(), usize::MAX)?;
    let first = within(NAME, "start_line", arguments.start_line.unwrap_or(1), 1..=u32::MAX)?;
    let last = within(NAME, "end_line", arguments.end_line.unwrap_or(u32::MAX), 1..=u32::MAX)?;
    if first > last {
        return Err(Error::invalid(format!(
            "{NAME}: argument `start_line`: {first} must not be after `end_line` {last}"
        )));
    }
    let file = root.read(path)?;
    if context.cancel.is_cancelled() {
        return Err(Error::cancelled());
    }
    let page = Page::new(context.max_chars);
    match file.content {
        Content::Text(text) => lines(page, &file.path, &text.redacted(), first, last),
        Content::Large(text) => Ok(head(page, &file.path, file.bytes, &text.redacted())),
        Content::Binary => {
            let what = format!(
                "{} is binary or in an old encoding, {}; it is not shown",
                file.path,
                size(file.bytes)
            );
            Ok(ToolResult { summary: what.clone(), content: what, ..ToolResult::default() })
        }
    }
}

fn lines(mut page: Page, path: &str, text: &str, first: u32, last: u32) -> Result<ToolResult> {
    let total = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    if total == 0 {
        let what = format!("{path} is empty");
        return Ok(ToolResult { summary: what.clone(), content: what, ..ToolResult::default() });
    }
    if first > total {
        return Err(Error::invalid(format!(
            "{NAME}: argument `start_line`: {first} is behind the end of {path}, which has {}",
            count(total as usize, "line")
        )));
    }
    let last = last.min(total);
    let mut shown = first - 1;
    for (number, line) in numbered(text).skip(first as usize - 1).take((last - first) as usize + 1)
    {
        let line = clip(line, MAX_LINE_CHARS);
        if !page.push_source(&format!("{number:>5}| {line}"), path, number, &line) {
            break;
        }
        shown = number;
    }
    let cut = (shown < last).then(|| {
        let next = shown + 1;
        format!("lines {next}-{last} are cut; read on with start_line {next}")
    });
    let summary = match shown {
        _ if shown < first => format!("{path}: nothing fits"),
        _ if first == 1 && shown == total => {
            format!("{path}: all {}", count(total as usize, "line"))
        }
        _ => format!("{path}: lines {first}-{shown} of {total}"),
    };
    Ok(page.finish(summary, cut))
}

fn head(mut page: Page, path: &str, bytes: u64, text: &str) -> ToolResult {
    let what = format!(
        "{path} has {}, more than the {} that are read; its first lines",
        size(bytes),
        size(MAX_BYTES)
    );
    page.push(&format!("{what}:"));
    for (number, line) in numbered(text).take(HEAD_LINES) {
        let line = clip(line, MAX_LINE_CHARS);
        if !page.push_source(&format!("{number:>5}| {line}"), path, number, &line) {
            break;
        }
    }
    page.finish(what, Some("everything after the first lines is left out".to_owned()))
}

fn numbered(text: &str) -> impl Iterator<Item = (u32, &str)> {
    (1..=u32::MAX).zip(text.lines())
}
