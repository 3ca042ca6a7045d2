//! What an exploration can do to a project: read it, search it, follow its calls; and nothing else.
//!
//! Every byte comes through [`ProjectRoot`], which never leaves the project's folder, and through [`redact()`],
//! which takes secrets out.

mod analysis;
mod arguments;
mod beneath;
mod call;
mod call_chain;
mod call_graph;
mod code_documents;
mod confine;
mod find_file;
mod grep_file;
mod ignore_rules;
mod languages;
mod page;
mod path_pattern;
mod project_file;
mod project_files;
mod read_file;
mod redact;
mod registry;
mod secret_files;
mod shared_analysis;
mod suggest;
mod text;
mod text_index;
mod tokens;
mod walk;

pub use analysis::{ProjectScanner, ScanOptions, ScanProgress};
pub use code_documents::code_documents;
pub use confine::ProjectRoot;
pub use project_files::ProjectFiles;
pub use redact::redact;
pub use registry::native_tools;
pub use shared_analysis::SharedAnalysis;
pub use text_index::TantivyIndex;
