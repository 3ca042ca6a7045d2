//! Where a line of the log belongs: to an iteration, in it to a phase, in that to a step, in that to a call.
//!
//! The fields of a span stand beside every line within it, at every level. So they are names of ours and numbers: nothing that a
//! model, a file or a user has written.

use ouro_core::{Phase, ProjectKey};
use tracing::{Span, info_span};

/// One iteration of a project.
pub(crate) fn iteration(project: &ProjectKey) -> Span {
    info_span!("iteration", %project)
}

/// One of its phases.
pub(crate) fn phase(phase: Phase) -> Span {
    info_span!("phase", name = ?phase)
}

/// One step of an exploration, the first being 1: a thought and the call that it leads to.
pub(crate) fn step(number: u32) -> Span {
    info_span!("step", number)
}

/// The call of a registered tool.
pub(crate) fn call(tool: &str) -> Span {
    info_span!("call", tool)
}
