//! Small pieces for tests.

use ouro_core::{Observation, SourceLine, ToolCallStep};

use super::evidence::Evidence;

/// Evidence of whole files.
pub(crate) fn evidence(files: &[(&str, &str)]) -> Evidence {
    let observations: Vec<Observation> =
        files.iter().map(|(path, text)| observed(path, text)).collect();
    Evidence::gather(&observations)
}

/// The observation of a whole file.
pub(crate) fn observed(path: &str, text: &str) -> Observation {
    let lines = (1..)
        .zip(text.lines())
        .map(|(line, text)| SourceLine { path: path.to_owned(), line, text: text.to_owned() })
        .collect();
    Observation {
        step: ToolCallStep {
            tool_name: "read_file".to_owned(),
            parameters: serde_json::json!({ "path": path }),
            result_summary: String::new(),
            at: 0,
            duration_ms: 0,
            cached: false,
            is_error: false,
        },
        content: String::new(),
        lines,
    }
}
