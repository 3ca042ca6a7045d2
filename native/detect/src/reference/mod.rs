//! Exact re-implementations of public loop detectors, for comparison and for hosts that need the same verdicts.
//!
//! The same events give the same verdicts as the original at the same events, however the text is cut, known defects
//! included. `cargo xtask peers` runs the originals beside them.
//!
//! # gemini-cli ([`GeminiContent`], [`GeminiCalls`])
//!
//! Of `@google/gemini-cli-core` 0.61.0. *Content*: the last 5,000 UTF-16 code units are remembered; a window of 50 slides
//! over them. A window that came ten times, the last ten on average at most 250 units apart and with at most five
//! different texts between consecutive ones, is a loop. A chunk that shows a code fence, table, list item, heading,
//! quotation or divider, and a tool call, make it forget; nothing is remembered inside a fence. *Calls*: a round of one to
//! five calls (name, and arguments as `JSON.stringify` writes them) five times over.
//!
//! What is wrong with it and kept: Markdown is judged chunk by chunk, so that another cut gives another verdict and a fence
//! cut in two is missed; a chunk of `.`, digits or capitals counts as a divider; `-` begins no list item; `~~~` is no
//! fence, and a fence of four backticks is one of three; an open fence outlives [`GeminiContent::reset`]; after
//! [`GeminiContent::clear_detection`] almost any text is a loop again; units over 250 and anything in code, lists or under
//! headings are never found. The order of keys hides a repeated call, and results count for nothing.
//!
//! # qwen-code ([`QwenContent`], [`QwenCalls`])
//!
//! As its source was in July 2026, with `-` bullets and dividers mended and keys in sorted order. The same window, but
//! 1,000 units are remembered, the last ten may be 75 apart on average, and what lies between them is not looked at. Five
//! identical calls in a row are a loop. The configuration also gives 0.0.14, the version whose class the registry has.
//! Its other guards (a cap on calls, similar shell commands, reads, thoughts) are not part of the profile.
//!
//! # checkpoints ([`CheckpointReasoning`])
//!
//! Reasoning alone, in Unicode scalar values. At 2,000 a unit of 2 to 50 characters, not all the same, four times in a row
//! anywhere in the last 200. At 3,000 and 5,000, in the text since the checkpoint before: sentences (without the marks
//! between them, empty ones left out), then lines (without labels such as `1. `, empty ones kept), of which six in a row
//! from the end equal the one a period of up to 50 before. White space counts. A half sentence at a checkpoint breaks the
//! comparison, and nothing is looked at after the last one.
//!
//! # Cost
//!
//! Content takes O(1) a character on any text and 118 KiB a stream, allocated with the first text; a chunk allocates
//! nothing. Text that repeats nothing is only screened. Windows are told apart by a hash that is keyed anew for each
//! stream, and compared by their text. Calls take one pass over the arguments and SHA-256. The checkpoint rule keeps the
//! text up to the last checkpoint.

mod calls;
mod chanting;
mod checkpoints;
mod content;
mod json;
mod markup;
mod periods;
mod screen;
mod tape;
mod units;

pub(crate) use calls::Seen;
pub use calls::{CallRepetition, GeminiCalls, GeminiCallsConfig, QwenCalls, QwenCallsConfig};
pub use checkpoints::{CheckpointReasoning, CheckpointsConfig};
pub use content::{GeminiContent, GeminiContentConfig, QwenContent, QwenContentConfig};
pub use markup::MarkupClasses;
