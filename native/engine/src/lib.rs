//! The self-evolution loop of Ouro.
//!
//! [`Engine::start`] takes a [`Project`], put together from ports, and runs its loop until it ends or is stopped:
//! load what is known, find a question that the guard admits, explore it with tools, write down the answer with its
//! sources in one transaction, rest, begin again.
//!
//! - `evolution` decides when to work, when to rest and when to end; `iteration` is one round.
//! - `questions`, `explorer` and `recorder` are the steps of a round.
//! - [`ModelReasoner`] and [`OfflineReasoner`] think; [`Recall`] finds what is known again.

mod blocking;
mod coverage;
mod current_records;
mod engine;
mod evolution;
mod expert;
mod explorer;
mod export;
mod freshness;
mod gaps;
mod glossary;
mod iteration;
mod loops;
mod messages;
mod model;
pub mod offline;
mod project;
mod questions;
mod quotation;
mod recall;
mod recorder;
mod relevance;
mod spans;
mod status;

pub use engine::{Engine, LoopHandle, resting_stats, spend_at_rest};
pub use evolution::RunPlan;
pub use expert::ExpertConsult;
pub use export::markdown;
pub use messages::{advice_message, health_message, stop_message, wait_message};
pub use model::ModelReasoner;
pub use offline::OfflineReasoner;
pub use project::{EventSink, Project};
pub use recall::{CodeDocuments, Passage, Paths, Recall, knowledge, place};
pub use relevance::telling_line;

rust_i18n::i18n!("locales", fallback = "en");
// The macro reads the bundle unseen by the compiler, which would not compile anew what a changed text is part of.
const _: &str = include_str!("../locales/engine.yml");
const _: &str = include_str!("../locales/offline.yml");
