//! The five-layer guard of an autonomous loop, and the checker of its health.
//!
//! A loop that calls a paid, fallible model must never repeat itself, hammer a failing service or spend without limit.
//! [`DoomLoopGuard`] is asked before every step and told about every outcome:
//!
//! | layer | question it answers | on a hit |
//! | --- | --- | --- |
//! | 1 question deduplication | was a similar question explored in this project? | skip the question |
//! | 2 tool-call deduplication | did the same tool run with the same arguments? | hand back the cached result |
//! | 3 failure records | did this operation fail before? | retry with advice, or skip |
//! | 4 exponential backoff | how many errors in a row? | pause |
//! | 5 daily quota | how much was used today? | pause until local midnight |
//!
//! # Rules
//! - **When in doubt, skip.** A check that can't be made is [`SkipReason::GuardUnavailable`] with the cause, never a panic
//!   and never a call let through.
//! - **Durable before it counts.** Every change is committed to the [`ouro_core::RecordStore`] before memory knows of it, so no
//!   restart and no `kill -9` is a way around a pause or a quota. The one exception makes the guard stricter, not laxer: a
//!   failure that can't be written down still pauses the loop, and is written with the next commit that succeeds.
//! - **Memory answers.** Everything is read once, when the guard is opened. A tool-call check takes about a microsecond.
//! - **One guard per project.** It belongs to the project of its store. So no method takes a project, and two projects share
//!   no lock.
//!
//! # One iteration
//! ```no_run
//! # use ouro_core::*; use ouro_guard::*; use serde_json::json;
//! # async fn iteration(guard: &DoomLoopGuard, store: &dyn RecordStore, proposed: Vec<Question>, id: RecordId) -> Result<()> {
//! for (question, refusal) in guard.filter_duplicates(proposed).await {
//!     if refusal.is_some() {
//!         continue;
//!     }
//!     let Ok(admission) = guard.admit_question(&question, Vec::new()).await else { continue };
//!     let arguments = json!({ "path": "src/lib.rs" });
//!     let result = match guard.check_tool_call("read_file", &arguments, None) {
//!         Verdict::Skip { reason: SkipReason::AlreadyRun { cached } } => cached.result.clone(),
//!         Verdict::Skip { reason } => ToolResult::error(reason.to_string()),
//!         Verdict::Proceed { .. } => {
//!             let result = ToolResult::default(); // call the tool
//!             let prepared = guard.prepare_tool_result("read_file", &arguments, None, &result);
//!             store.commit(prepared.changes())?; // together with the caller's own changes
//!             guard.apply(prepared);
//!             result
//!         }
//!     };
//!     let learned = guard.prepare_learned(&question.question, id).await;
//!     store.commit(learned.changes())?; // after the record itself, in the same transaction
//!     guard.apply(learned);
//!     guard.record_success(OperationKind::Exploration, &question.question, &json!({})).await?;
//! }
//! # Ok(())
//! # }
//! ```

mod backoff;
mod config;
mod embedders;
mod failures;
mod guard;
mod health;
mod locks;
mod normalize;
mod operation;
mod outcome;
mod prepared;
mod question_dedup;
mod quota;
mod saver;
mod signature;
mod space;
mod stable;
mod tool_cache;
mod vectors;
mod verdict;

pub use backoff::BackoffStatus;
pub use config::GuardConfig;
pub use embedders::embed_each;
pub use guard::{Admission, DoomLoopGuard};
pub use health::{HealthChecker, HealthInput, HealthLimits};
pub use normalize::normalize_question;
pub use prepared::PreparedChange;
pub use quota::QuotaUnit;
pub use signature::{Signature, canonical_json};
pub use verdict::{MatchedBy, Similar, SkipReason, Verdict};
