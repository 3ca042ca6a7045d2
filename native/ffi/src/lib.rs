//! The native library of Ouro (`libouro`): the engine and the loop detectors for the JVM and for C.
//!
//! [`api`] holds every operation as a plain Rust function. The two layers over it (`jni` for
//! `dev.ouro.bridge.NativeApi`, `capi` for `include/ouro.h`) decode, delegate and encode, nothing more.
//!
//! - Handles are numbers from [`registry`]: one that is closed, foreign or made up is an error.
//! - No panic leaves this library: [`panics`] turns it into an error with its message.
//! - Compound values are JSON in UTF-8 with a schema version: [`wire`].
//! - The host is called from threads of its own ([`host`]); no worker is ever inside it, or waits for its answer longer
//!   than it would take to fall asleep and wake.

#![cfg_attr(
    not(any(feature = "capi", feature = "jni")),
    allow(dead_code, reason = "without a layer over it nothing is exported")
)]

pub mod api;
#[cfg(feature = "capi")]
pub mod capi;
mod compose;
mod detector;
mod endpoint;
mod engine;
pub mod error;
mod guard;
pub mod host;
mod host_tool;
#[cfg(feature = "jni")]
mod jni;
mod library;
mod logs;
mod panics;
mod records;
mod registry;
mod replacing_tool;
pub mod request;
#[cfg(feature = "testing")]
mod testing;
pub mod wire;
