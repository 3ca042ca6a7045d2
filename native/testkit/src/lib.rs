//! Test doubles that Ouro's crates share. Not published.
//!
//! - [`ManualClock`]: time that moves only when told to.
//! - [`ModelServer`]: an OpenAI-compatible server that answers what a test tells it, as [`Reply`] says.
//! - [`MemoryStore`]: a store without a disk, with failures on demand.
//! - [`mod@store_contract`]: what every store must do, as tests, with samples of everything that is stored.

mod clock;
mod crowded_vectors;
mod memory_store;
mod model_reply;
mod model_server;
pub mod store_contract;

pub use clock::ManualClock;
pub use crowded_vectors::CrowdedVectors;
pub use memory_store::MemoryStore;
pub use model_reply::Reply;
pub use model_server::{ModelServer, SeenRequest};
