//! Thinking without a model: questions come from the project's structure, answers from what tools showed.
//!
//! Nothing is guessed. A statement is made only about lines that a tool showed in this exploration, and carries them
//! as its citation; where nothing was found nothing is said.

mod code;
mod draft;
mod evidence;
mod facets;
mod facts;
mod failure;
mod inquiry;
mod plan;
mod prose;
mod reasoner;
mod subject;
mod topics;
mod voice;
mod wording;

#[cfg(test)]
mod fixture;

pub(crate) use reasoner::OFFLINE;
pub use reasoner::OfflineReasoner;
