//! One small project a language: declarations, documentation, members, failures, and who uses whom.

mod ecmascript;
mod go;
mod java;
mod kotlin;
mod python;
mod rust;
