//! The native tools of one project.

use std::sync::Arc;

use ouro_core::{Result, Tool};

use crate::{
    ProjectRoot, SharedAnalysis, call_chain::CallChain, find_file::FindFile, grep_file::GrepFile,
    read_file::ReadFile,
};

/// `read_file`, `grep_file`, `find_file` and `call_chain` over one project, without what the globs exclude.
///
/// # Errors
/// `InvalidInput` names the glob that is wrong.
pub fn native_tools(
    root: &ProjectRoot,
    analysis: &SharedAnalysis,
    excluded: &[String],
) -> Result<Vec<Arc<dyn Tool>>> {
    let root = root.clone().excluding(excluded)?;
    Ok(vec![
        Arc::new(ReadFile::new(root.clone())),
        Arc::new(GrepFile::new(root.clone(), analysis.clone())),
        Arc::new(FindFile::new(root.clone(), analysis.clone())),
        Arc::new(CallChain::new(root, analysis.clone())),
    ])
}
