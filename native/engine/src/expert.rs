//! `expert_consult`: asks what is already known, records and code together.

use async_trait::async_trait;
use ouro_core::{Error, FreshnessStamp, Result, Tool, ToolContext, ToolResult, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::recall::{Passage, Recall};

/// The tool's name.
pub(crate) const EXPERT_CONSULT: &str = "expert_consult";

/// Passages returned when the caller names no number.
const DEFAULT_TOP_K: usize = 5;

/// Most passages.
const MAX_TOP_K: usize = 20;

/// The tool over [`Recall`].
pub struct ExpertConsult {
    recall: Recall,
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    query: String,
    #[serde(default)]
    top_k: Option<usize>,
}

impl ExpertConsult {
    /// The tool over this recall.
    pub fn new(recall: Recall) -> Self {
        let spec = ToolSpec {
            name: EXPERT_CONSULT.into(),
            description: "Searches what was learnt about this project and its code for a question in plain words."
                .into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "what to look for" },
                    "top_k": { "type": "integer", "minimum": 1, "maximum": MAX_TOP_K },
                },
                "required": ["query"],
                "additionalProperties": false,
            }),
        };
        Self { recall, spec }
    }
}

#[async_trait]
impl Tool for ExpertConsult {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: &Value, context: &ToolContext) -> Result<ToolResult> {
        let arguments = Arguments::deserialize(arguments).map_err(|e| {
            Error::invalid(format!(
                "expert_consult: {e}; it takes {{\"query\": text, \"top_k\": 1..{MAX_TOP_K}}}"
            ))
        })?;
        let top_k = arguments.top_k.unwrap_or(DEFAULT_TOP_K).clamp(1, MAX_TOP_K);
        // Four characters a token: the text can't exceed the caller's limit by much, and is cut to it below.
        let budget = u64::try_from(context.max_chars / 4).unwrap_or(u64::MAX);
        let found = self.recall.recall(&arguments.query, budget).await?;
        let total = found.len();
        let shown = pick(found, top_k);
        let records = shown.iter().filter(|p| matches!(p, Passage::Record(_))).count();
        let (mut content, mut lines) = (String::new(), Vec::new());
        let mut truncated =
            (shown.len() < total).then(|| format!("{} of {total} passages are shown", shown.len()));
        for passage in &shown {
            let text = passage.to_markdown();
            if content.chars().count() + text.chars().count() > context.max_chars {
                truncated =
                    Some(format!("passages beyond {} characters are left out", context.max_chars));
                break;
            }
            content.push_str(&text);
            content.push('\n');
            lines.extend(passage.lines());
        }
        let summary = match shown.len() {
            0 => format!("nothing is known about {:?}", arguments.query),
            n => format!("{records} record(s) and {} place(s) in the code", n - records),
        };
        Ok(ToolResult { summary, content, truncated, lines, ..ToolResult::default() })
    }

    /// Records are added all the time: the result holds only for the cache's time to live.
    fn stamp(&self, _: &Value) -> Option<FreshnessStamp> {
        None
    }
}

/// Up to `top_k` passages: records first, but code keeps at least two of five places.
fn pick(found: Vec<Passage>, top_k: usize) -> Vec<Passage> {
    let (records, code): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|p| matches!(p, Passage::Record(_)));
    let for_code = code.len().min(top_k * 2 / 5).max(top_k.saturating_sub(records.len()));
    let for_records = top_k.saturating_sub(for_code);
    records.into_iter().take(for_records).chain(code.into_iter().take(for_code)).collect()
}
