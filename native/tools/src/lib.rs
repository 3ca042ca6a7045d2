//! What an exploration can do to a project: read it, search it, follow its calls; and nothing else.
//!
//! Every byte comes through [`ProjectRoot`], which never leaves the project's folder, and through [`redact()`],
//! which takes secrets out.

mod beneath;
mod confine;
mod ignore_rules;
mod project_file;
mod redact;
mod secret_files;
mod suggest;
mod text;
mod walk;

pub use confine::ProjectRoot;
pub use redact::redact;
