//! A project in a temporary folder, and its tools.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use ouro_core::{
    Error, ProjectAnalysis, ProjectSource, Result, Tool, ToolContext, ToolRegistry, ToolResult,
};
use ouro_tools::{ProjectRoot, SharedAnalysis, native_tools};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// A folder with files that is removed in the end.
pub(crate) struct Project {
    folder: tempfile::TempDir,
    pub(crate) tools: ToolRegistry,
    pub(crate) analysis: SharedAnalysis,
    source: Arc<Given>,
}

impl Project {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::excluding(files, &[])
    }

    pub(crate) fn excluding(files: &[(&str, &str)], excluded: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // The project is a folder inside, so that there is something beside it to get at.
        std::fs::create_dir(folder.path().join("project")).unwrap();
        let source = Arc::new(Given::default());
        let analysis = SharedAnalysis::new(source.clone());
        let root = ProjectRoot::open(&folder.path().join("project")).unwrap();
        let excluded: Vec<String> = excluded.iter().map(|&glob| glob.to_owned()).collect();
        let mut tools = ToolRegistry::new();
        for tool in native_tools(&root, &analysis, &excluded).unwrap() {
            tools.register(tool);
        }
        let project = Self { folder, tools, analysis, source };
        for (path, text) in files {
            project.write(path, text.as_bytes());
        }
        project
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join("project").join(relative)
    }

    /// What a path beside the project is called.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn root(&self) -> ProjectRoot {
        ProjectRoot::open(&self.path("")).unwrap()
    }

    pub(crate) fn write(&self, path: &str, bytes: &[u8]) {
        write(&self.path(path), bytes);
    }

    /// Lets the next refresh give this analysis, and refreshes.
    pub(crate) fn analyse(&self, analysis: ProjectAnalysis) {
        *self.source.0.lock().unwrap() = Some(Arc::new(analysis));
        self.analysis.refresh(&CancellationToken::new()).unwrap();
    }

    pub(crate) fn tool(&self, name: &str) -> Arc<dyn Tool> {
        self.tools.get(name).unwrap().clone()
    }

    pub(crate) fn call(&self, name: &str, arguments: Value) -> Result<ToolResult> {
        self.call_with(name, arguments, &ToolContext::default())
    }

    pub(crate) fn call_with(
        &self,
        name: &str,
        arguments: Value,
        context: &ToolContext,
    ) -> Result<ToolResult> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(self.tool(name).call(&arguments, context))
    }

    /// The content of a call that must succeed.
    pub(crate) fn content(&self, name: &str, arguments: Value) -> String {
        self.call(name, arguments).unwrap().content
    }
}

pub(crate) fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// A context with room for so many characters.
pub(crate) fn room(max_chars: usize) -> ToolContext {
    ToolContext { max_chars, ..ToolContext::default() }
}

/// Gives the analysis that a test wrote.
#[derive(Default)]
struct Given(Mutex<Option<Arc<ProjectAnalysis>>>);

impl ProjectSource for Given {
    fn refresh(&self, _: &CancellationToken) -> Result<Arc<ProjectAnalysis>> {
        let given = self.0.lock().unwrap().clone();
        given.ok_or_else(|| Error::invalid("this test gave no analysis"))
    }
}
