//! `find_file`: files by name.

use std::ops::ControlFlow;

use async_trait::async_trait;
use ouro_core::{Error, FreshnessStamp, Result, Tool, ToolContext, ToolResult, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ProjectRoot, SharedAnalysis,
    arguments::{filled, parse},
    beneath,
    call::on_blocking_thread,
    page::Page,
    path_pattern::PathPattern,
    project_file::Content,
    suggest,
    text::{count, size},
    walk::{MAX_ENTRIES, WalkEnd, walk},
};

const NAME: &str = "find_file";
/// Most files that are named.
const MAX_NAMED: usize = 200;

/// Finds files of the project.
pub(crate) struct FindFile {
    root: ProjectRoot,
    analysis: SharedAnalysis,
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
}

impl FindFile {
    pub(crate) fn new(root: ProjectRoot, analysis: SharedAnalysis) -> Self {
        let spec = ToolSpec {
            name: NAME.into(),
            description:
                "Finds files of the project by a glob, or by a part of their path in any case."
                    .into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": {
                        "type": "string",
                        "description": "`*.rs`, `src/**/*.py`, or a part of the path such as `guard`",
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
impl Tool for FindFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: &Value, context: &ToolContext) -> Result<ToolResult> {
        let arguments: Arguments = parse(NAME, arguments)?;
        let root = self.root.clone();
        on_blocking_thread(context, move |context| find(&root, &arguments, context)).await
    }

    fn stamp(&self, _: &Value) -> Option<FreshnessStamp> {
        self.analysis.stamp()
    }
}

struct Found {
    rank: u8,
    path: String,
    secret: bool,
}

fn find(root: &ProjectRoot, arguments: &Arguments, context: &ToolContext) -> Result<ToolResult> {
    let wanted = filled(NAME, "pattern", &arguments.pattern, 1_000)?;
    let pattern = PathPattern::parse(NAME, "pattern", wanted)?;
    let mut found = Vec::new();
    let end = walk(root, &context.cancel, |file| {
        if let Some(rank) = pattern.rank(file.path) {
            found.push(Found { rank, path: file.path.to_owned(), secret: file.secret });
        }
        Ok(ControlFlow::Continue(()))
    })?;
    // Stable: files of one rank stay in the order of the walk.
    found.sort_by_key(|f| f.rank);
    let mut page = Page::new(context.max_chars);
    let (mut shown, mut gone) = (0, 0);
    for file in found.iter().take(MAX_NAMED) {
        if context.cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        let Some(size) = describe(root, file) else {
            gone += 1;
            continue;
        };
        if !page.push(&format!("{} ({size})", file.path)) {
            break;
        }
        shown += 1;
    }
    let missing = found.len() - shown - gone;
    let mut cut = Vec::new();
    if missing > 0 {
        cut.push(format!("{missing} more are not named; use a narrower pattern"));
    }
    if end == WalkEnd::TooMany {
        cut.push(format!("only the first {MAX_ENTRIES} files and folders were looked at"));
    }
    let summary = if found.is_empty() {
        nothing(root, wanted)
    } else {
        format!("{} for `{wanted}`", count(found.len(), "file"))
    };
    if found.is_empty() {
        page.push(&summary);
    }
    Ok(page.finish(summary, (!cut.is_empty()).then(|| cut.join("; "))))
}

/// How large a file is; `None` for one that went away or turned out to lead elsewhere.
fn describe(root: &ProjectRoot, found: &Found) -> Option<String> {
    if found.secret {
        // Opened, not read: only what is really inside is named.
        beneath::open(root.path(), &found.path).ok()?;
        return Some("holds secrets, never read".to_owned());
    }
    let file = root.read_walked(&found.path)?;
    Some(match file.content {
        Content::Text(text) => count(text.lines(), "line"),
        Content::Large(_) => size(file.bytes),
        Content::Binary => format!("binary, {}", size(file.bytes)),
    })
}

fn nothing(root: &ProjectRoot, wanted: &str) -> String {
    let near = suggest::near_paths(root, wanted);
    if near.is_empty() {
        format!("no file for `{wanted}`")
    } else {
        format!("no file for `{wanted}`; near misses: {}", near.join(", "))
    }
}
