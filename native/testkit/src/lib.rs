//! Test doubles that Ouro's crates share. Not published.
//!
//! - [`ManualClock`]: time that moves only when told to.

mod clock;

pub use clock::ManualClock;
