//! One file for each command.

pub(crate) mod ask;
pub(crate) mod detect;
pub(crate) mod doctor;
pub(crate) mod eval;
pub(crate) mod evolve;
pub(crate) mod evolve_progress;
pub(crate) mod failures;
pub(crate) mod records;
pub(crate) mod stats;
