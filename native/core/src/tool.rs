//! Tools: what an exploration can do.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{FreshnessStamp, Result, SourceRef};

/// What a tool is called, for whom it is good, and what it takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// `[a-z_]+`.
    pub name: String,
    /// One sentence for the model.
    pub description: String,
    /// JSON Schema of the arguments; its root is an object.
    pub parameters: Value,
}

/// One line of a project's file, as a tool saw it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceLine {
    /// Path relative to the root, `/`-separated.
    pub path: String,
    /// From 1.
    pub line: u32,
    /// Its text, redacted, without the line end.
    pub text: String,
}

/// What a tool found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// One sentence.
    pub summary: String,
    /// The whole result as text for a model, cut at the tool's limit.
    pub content: String,
    /// The lines of files that `content` shows: the only lines an answer may cite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<SourceLine>,
    /// What was cut, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
    /// Whether this is an error that the reasoner should see.
    #[serde(default)]
    pub is_error: bool,
}

impl ToolResult {
    /// An error that the reasoner sees.
    pub fn error(message: impl Into<String>) -> Self {
        let message = message.into();
        Self { summary: message.clone(), content: message, is_error: true, ..Self::default() }
    }

    /// The files and line ranges of [`ToolResult::lines`], adjoining lines joined, sorted.
    pub fn sources(&self) -> Vec<SourceRef> {
        let mut places: Vec<(&str, u32)> =
            self.lines.iter().map(|l| (l.path.as_str(), l.line)).collect();
        places.sort_unstable();
        places.dedup();
        let mut sources: Vec<SourceRef> = Vec::new();
        for (path, line) in places {
            match sources.last_mut() {
                Some(last) if last.path == path && last.end_line == line.checked_sub(1) => {
                    last.end_line = Some(line);
                }
                _ => sources.push(SourceRef {
                    path: path.to_owned(),
                    start_line: Some(line),
                    end_line: Some(line),
                }),
            }
        }
        sources
    }
}

/// What a call may use.
#[derive(Debug, Clone)]
pub struct ToolContext {
    /// Set when the caller no longer wants the result; a tool looks at it at least every 100 ms.
    pub cancel: CancellationToken,
    /// Most characters of [`ToolResult::content`].
    pub max_chars: usize,
    /// Longest time for the call; the engine abandons it after that.
    pub time_limit: Duration,
}

impl Default for ToolContext {
    fn default() -> Self {
        Self {
            cancel: CancellationToken::new(),
            max_chars: 16_000,
            time_limit: Duration::from_secs(30),
        }
    }
}

/// Something an exploration can call.
#[async_trait]
pub trait Tool: Send + Sync {
    /// Its name, use and parameters.
    fn spec(&self) -> &ToolSpec;

    /// Runs it. A tool does its blocking work on a blocking thread.
    ///
    /// # Errors
    /// `InvalidInput` for bad arguments, `NotFound`, `Refused` for what must not be read; the engine shows each to
    /// the reasoner as an error result.
    async fn call(&self, arguments: &Value, context: &ToolContext) -> Result<ToolResult>;

    /// The present state of what a call with these arguments would read: path, size and modification time of a
    /// file, or of the tree. `None` where there is nothing to stamp. Cheap: no content is read.
    fn stamp(&self, arguments: &Value) -> Option<FreshnessStamp>;
}

/// The tools of one project; a later one of the same name replaces the earlier.
#[derive(Clone, Default)]
pub struct ToolRegistry {
    tools: BTreeMap<String, Arc<dyn Tool>>,
}

impl ToolRegistry {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool, or replaces the one of its name.
    pub fn register(&mut self, tool: Arc<dyn Tool>) {
        self.tools.insert(tool.spec().name.clone(), tool);
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name)
    }

    /// Every tool's description, by name.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.values().map(|t| t.spec())
    }
}

impl std::fmt::Debug for ToolRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.tools.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_join_adjoining_lines_and_nothing_else() {
        let line = |path: &str, line| SourceLine { path: path.into(), line, text: String::new() };
        let lines = vec![
            line("b", 1),
            line("a", 3),
            line("a", 2),
            line("a", 2),
            line("a", 5),
            line("b", 2),
        ];
        let sources = ToolResult { lines, ..ToolResult::default() }.sources();
        let source = |path: &str, start, end| SourceRef {
            path: path.into(),
            start_line: Some(start),
            end_line: Some(end),
        };
        assert_eq!(sources, [source("a", 2, 3), source("a", 5, 5), source("b", 1, 2)]);
        assert!(ToolResult::default().sources().is_empty());
    }
}
