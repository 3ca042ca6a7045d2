//! Test doubles that Ouro's crates share. Not published.
//!
//! - [`ManualClock`]: time that moves only when told to.
//! - [`MemoryStore`]: a store without a disk, with failures on demand.

mod clock;
mod memory_store;

pub use clock::ManualClock;
pub use memory_store::MemoryStore;
