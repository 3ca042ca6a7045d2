//! `call_chain`: who calls a function, or what it calls, and so on.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use ouro_core::{
    Error, ErrorKind, FreshnessStamp, ProjectAnalysis, ProjectSource, Result, Tool, ToolContext,
    ToolResult, ToolSpec,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ProjectRoot, SharedAnalysis,
    arguments::{filled, number, parse, within},
    call::on_blocking_thread,
    call_graph::{Call, CallGraph, Direction, Node},
    page::Page,
    project_file::Content,
    suggest,
    text::{clip, count},
};

const NAME: &str = "call_chain";
const DEFAULT_DEPTH: u32 = 2;
const MAX_DEPTH: u32 = 5;
/// Most calls that are shown.
const MAX_CALLS: usize = 200;
/// Most calls of one symbol that are shown.
const MAX_CALLS_OF_ONE: usize = 25;
/// Other symbols of the same name that are named.
const MAX_OTHERS: usize = 10;
/// Characters of a line of code that are shown.
const CODE_CHARS: usize = 160;

/// Follows calls.
pub(crate) struct CallChain {
    root: ProjectRoot,
    analysis: SharedAnalysis,
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    symbol: String,
    #[serde(default)]
    direction: Way,
    #[serde(default, deserialize_with = "number")]
    depth: Option<u32>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Way {
    #[default]
    Callers,
    Callees,
}

impl CallChain {
    pub(crate) fn new(root: ProjectRoot, analysis: SharedAnalysis) -> Self {
        let spec = ToolSpec {
            name: NAME.into(),
            description: "Follows the calls of a function: who calls it, or what it calls.".into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "symbol": {
                        "type": "string",
                        "description": "`name`, `Type::method`, `Type.method`, or `path#name` for one of several",
                    },
                    "direction": {
                        "type": "string",
                        "enum": ["callers", "callees"],
                        "description": "callers by default",
                    },
                    "depth": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MAX_DEPTH,
                        "description": "how many calls to follow, 2 by default",
                    },
                },
                "required": ["symbol"],
                "additionalProperties": false,
            }),
        };
        Self { root, analysis, spec }
    }
}

#[async_trait]
impl Tool for CallChain {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: &Value, context: &ToolContext) -> Result<ToolResult> {
        let arguments: Arguments = parse(NAME, arguments)?;
        let (root, source) = (self.root.clone(), self.analysis.clone());
        on_blocking_thread(context, move |context| {
            let analysis = match source.newest() {
                Some(analysis) => analysis,
                None => source.refresh(&context.cancel)?,
            };
            follow(&root, &analysis, &arguments, context)
        })
        .await
    }

    fn stamp(&self, _: &Value) -> Option<FreshnessStamp> {
        self.analysis.stamp()
    }
}

fn follow(
    root: &ProjectRoot,
    analysis: &ProjectAnalysis,
    arguments: &Arguments,
    context: &ToolContext,
) -> Result<ToolResult> {
    let symbol = filled(NAME, "symbol", &arguments.symbol, 500)?;
    let depth = within(NAME, "depth", arguments.depth.unwrap_or(DEFAULT_DEPTH), 1..=MAX_DEPTH)?;
    let direction = match arguments.direction {
        Way::Callers => Direction::Callers,
        Way::Callees => Direction::Callees,
    };
    let graph = CallGraph::new(analysis, direction);
    let candidates = graph.find(symbol);
    let Some((chosen, others)) = candidates.split_first() else {
        return Err(unknown(&graph, symbol));
    };
    let mut tree = Tree {
        graph: &graph,
        code: Code { root, files: HashMap::new() },
        page: Page::new(context.max_chars),
        context,
        depth: depth as usize,
        calls: 0,
        left_out: 0,
        expanded: HashSet::new(),
        path: Vec::new(),
    };
    let name = graph.full_name(chosen);
    if !others.is_empty() {
        tree.page.push(&ambiguity(&graph, symbol, &name, others));
    }
    for &index in chosen {
        tree.grow(Node::Symbol(index))?;
    }
    let relation = match direction {
        Direction::Callers => "callers of",
        Direction::Callees => "calls made by",
    };
    let is_unknown = tree.calls + tree.left_out == 0;
    let mut summary = match tree.calls {
        _ if is_unknown => format!("no {relation} `{name}` are known"),
        n => format!("{} shown: {relation} `{name}`, depth {depth}", count(n, "call")),
    };
    if is_unknown {
        summary.push_str(&advice(&graph, chosen));
        tree.page.push(&summary);
    }
    let cut = (tree.left_out > 0).then(|| {
        format!(
            "{} left out (at most {MAX_CALLS} are shown, {MAX_CALLS_OF_ONE} of one symbol)",
            count(tree.left_out, "more call")
        )
    });
    Ok(tree.page.finish(summary, cut))
}

fn unknown(graph: &CallGraph<'_>, symbol: &str) -> Error {
    let name = symbol.rsplit(['#', '.', ':']).next().unwrap_or(symbol);
    let near = suggest::near_names(name.trim_end_matches("()"), graph.names());
    let hint = match near.as_slice() {
        [] => "grep_file may find where it is declared".to_owned(),
        near => format!("did you mean {}?", near.join(" or ")),
    };
    let shown = clip(symbol, 100);
    Error::new(ErrorKind::NotFound, format!("{NAME}: no symbol `{shown}` is known; {hint}"))
}

fn ambiguity(graph: &CallGraph<'_>, symbol: &str, chosen: &str, others: &[Vec<usize>]) -> String {
    let names: Vec<_> = others
        .iter()
        .take(MAX_OTHERS)
        .map(|group| format!("`{}`", graph.full_name(group)))
        .collect();
    let more = match others.len().saturating_sub(MAX_OTHERS) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    format!(
        "`{symbol}` is ambiguous: this is `{chosen}`, the most used; others: {}{more}",
        names.join(", ")
    )
}

/// What to ask instead when a symbol has no calls.
fn advice(graph: &CallGraph<'_>, chosen: &[usize]) -> String {
    let methods = chosen.first().map(|&i| graph.methods(Node::Symbol(i))).unwrap_or_default();
    if methods.is_empty() {
        return "; calls through a variable, a trait or a framework can't be seen".to_owned();
    }
    let some: Vec<_> = methods.iter().take(MAX_OTHERS).copied().collect();
    format!("; it is a type, ask for one of its methods: {}", some.join(", "))
}

/// The tree as it is written.
struct Tree<'a> {
    graph: &'a CallGraph<'a>,
    code: Code<'a>,
    page: Page,
    context: &'a ToolContext,
    depth: usize,
    calls: usize,
    left_out: usize,
    /// Whose calls were shown already.
    expanded: HashSet<Node>,
    /// From the root to where we are.
    path: Vec<Node>,
}

impl Tree<'_> {
    /// Writes the calls of a node and, below each, those of its other end. As deep as [`MAX_DEPTH`].
    fn grow(&mut self, node: Node) -> Result<()> {
        if self.context.cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        self.expanded.insert(node);
        self.path.push(node);
        let graph = self.graph;
        let calls = graph.calls(node);
        for (count, call) in calls.iter().enumerate() {
            if count == MAX_CALLS_OF_ONE || self.calls >= MAX_CALLS {
                self.left_out += calls.len() - count;
                break;
            }
            let next = call.next(graph.direction());
            let is_cycle = self.path.contains(&next);
            let is_known = self.expanded.contains(&next);
            let has_more = !graph.calls(next).is_empty();
            let mark = match () {
                () if is_cycle => " (cycle)",
                () if is_known && has_more => " (shown above)",
                () => "",
            };
            if !self.write(call, mark) {
                self.left_out += calls.len() - count;
                break;
            }
            if !is_known && self.path.len() < self.depth {
                self.grow(next)?;
            }
        }
        self.path.pop();
        Ok(())
    }

    fn write(&mut self, call: &Call, mark: &str) -> bool {
        let graph = self.graph;
        let (path, line) = (graph.path(call.file), call.line);
        let indent = "  ".repeat(self.path.len().saturating_sub(1));
        let (caller, callee) = (graph.name(call.caller), graph.name(call.callee));
        let head = format!("{indent}{path}:{line}: {caller} -> {callee}{mark}");
        let fits = match self.code.line(path, line) {
            Some(code) => {
                self.page.push_source(&format!("{head} | {}", code.trim_start()), path, line, &code)
            }
            None => self.page.push(&head),
        };
        self.calls += usize::from(fits);
        fits
    }
}

/// Lines of the files that calls stand in.
struct Code<'a> {
    root: &'a ProjectRoot,
    files: HashMap<String, Vec<String>>,
}

impl Code<'_> {
    /// A line as it is now, redacted; `None` if it can't be read or isn't there any more.
    fn line(&mut self, path: &str, line: u32) -> Option<String> {
        if !self.files.contains_key(path) {
            let lines = match self.root.read(path).ok()?.content {
                Content::Text(text) => text.redacted().lines().map(str::to_owned).collect(),
                _ => Vec::new(),
            };
            self.files.insert(path.to_owned(), lines);
        }
        let line = self.files.get(path)?.get(line.checked_sub(1)? as usize)?;
        Some(clip(line, CODE_CHARS).into_owned())
    }
}
