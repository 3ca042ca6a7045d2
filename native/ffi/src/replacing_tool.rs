//! A host's tool in the place of a native one: how long its results hold.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use async_trait::async_trait;
use ouro_core::{FreshnessStamp, Result, Tool, ToolContext, ToolResult, ToolSpec};
use serde_json::Value;

/// When a host last said, or may have meant, that something of the project has changed. It may have text that is on no disk
/// yet, as an editor has it.
#[derive(Debug, Clone, Default)]
pub(crate) struct HostEdits(Arc<AtomicI64>);

impl HostEdits {
    /// Epoch milliseconds.
    pub(crate) fn note(&self, now_ms: i64) {
        self.0.fetch_max(now_ms, Ordering::Relaxed);
    }
}

/// The tool. It reads what the replaced one would read, so that its result holds as long as that one's, and no longer than
/// until the host's next edit.
pub(crate) struct ReplacingTool {
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) replaced: Arc<dyn Tool>,
    pub(crate) edits: HostEdits,
}

#[async_trait]
impl Tool for ReplacingTool {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    async fn call(&self, arguments: &Value, context: &ToolContext) -> Result<ToolResult> {
        self.tool.call(arguments, context).await
    }

    fn stamp(&self, arguments: &Value) -> Option<FreshnessStamp> {
        let FreshnessStamp(files) = self.replaced.stamp(arguments)?;
        let edited = self.edits.0.load(Ordering::Relaxed);
        Some(FreshnessStamp(format!("{files} {edited}")))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use ouro_core::SystemClock;
    use ouro_tools::ProjectFiles;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_holds_until_the_file_or_the_hosts_text_changes_and_a_missing_file_may_come() {
        let (root, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = root.path().join("a.txt");
        let clock = Arc::new(SystemClock::new());
        let files = ProjectFiles::open(root.path(), data.path(), &[], clock).unwrap();
        let read_file = files.tools().unwrap().into_iter().find(|t| t.spec().name == "read_file");
        let replaced = read_file.unwrap();
        let edits = HostEdits::default();
        let tool = ReplacingTool { tool: replaced.clone(), replaced, edits: edits.clone() };
        let stamp = || tool.stamp(&json!({ "path": "a.txt" }));

        assert_eq!(stamp(), None);
        fs::write(&file, "one").unwrap();
        let first = stamp();
        assert!(first.is_some());
        assert_eq!(stamp(), first);
        edits.note(5);
        let edited = stamp();
        assert_ne!(edited, first);
        edits.note(4);
        assert_eq!(stamp(), edited);
        fs::write(&file, "three").unwrap();
        assert_ne!(stamp(), edited);
    }
}
