//! The tools on real files.

mod arguments;
mod call_chain;
mod code_documents;
mod confinement;
mod find_file;
mod grep_file;
mod project;
mod read_file;
mod redaction;
