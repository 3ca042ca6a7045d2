//! Ouro's durable store: one folder for each project.
//!
//! | in the folder | what | lost or damaged |
//! | --- | --- | --- |
//! | `records.jsonl` | the journal of learning records: what was added, marked and deleted, one line each | written anew from the database |
//! | `sled/` | the database: everything but vectors, by key | made anew from the journal |
//! | `vectors/` | a flat file for each embedder | computed anew by whoever asks |
//! | `lock`, `lock.owner` | who has it open | made anew |
//!
//! # One transaction
//!
//! [`RecordStore::commit`](ouro_core::RecordStore::commit) writes in this order and reports after the last:
//!
//! 1. Vectors go to their files. Nobody waits for the disk: what a power cut takes of them is computed anew.
//! 2. If records change, the *whole* transaction (vectors left out) goes to the journal, which is synced. The journal now
//!    decides.
//! 3. Everything goes to the database in one atomic batch, with the number of the transaction and the journal's length;
//!    the database is flushed and its file is synced.
//!
//! So a transaction that was reported is in both, and whatever cuts the work off leaves one of these:
//!
//! | cut off | what the next open finds | what it does |
//! | --- | --- | --- |
//! | in 1 | vectors nobody points to, torn, or of a record that exists | they are passed over, or are what an embedder would say again |
//! | in 2 | a transaction without its last lines, or with holes | cuts it off: nothing of it appears |
//! | between 2 and 3, or in 3 | the journal is ahead of the database, whose batch is there or not | applies the journal's transaction again: all of it appears |
//!
//! An error is reported in the same way: one in 1 or 2 is undone, and the store goes on. After one in 3, or in a sync
//! (where nobody knows what reached the disk), the store takes no more writes: what the transaction came to is settled
//! when it is opened again, whole or not at all.
//!
//! A transaction without records is step 3 alone, atomic by the database's own means. When the database is damaged, such
//! state (quota, pauses, cached tool calls) is as old as the last transaction with a record.
//!
//! Why the journal is written first and holds the other changes too: were it second, a database that fails to be synced
//! would have to be undone. Were it to hold records alone, redoing it after a cut would show a record whose counters and
//! resumable iteration still say that it is yet to come.
//!
//! # Damage
//!
//! Opening checks every line of the journal by its checksum, while the database recovers beside it, and compares the
//! records that the two know.
//! What only one has is given to the other. A damaged part is set aside, never deleted, and [`OpenReport`] says what
//! was done. Records are read from the journal, whose lines need no memory when they were read once, and from the database
//! when a line is not what it was. Damage to anything else that shows later (the database checks a page when it is read)
//! is returned as an error, and mended by the next open.
//!
//! # Space
//!
//! [`RecordStore::compact`](ouro_core::RecordStore::compact) writes journal and vectors anew when a twentieth of them is of no
//! use any more, and the database when it is two and a half times what it holds: sled gives no space back, so that it is copied
//! while it can be read, and the copy takes its place. Values are compressed there, for the journal has the same text.
//!
//! # Searching vectors
//!
//! [`RecordStore::nearest`](ouro_core::RecordStore::nearest) looks in a quantised copy in memory, which is read from the vectors' file
//! when it is first needed, follows every commit, and is searched without waiting for one. Which vectors are nearest is found
//! in three passes over fewer and fewer of them: by the signs of their numbers after the mean is taken off (all), in 8-bit
//! numbers (128 to 500), and exactly, from the file (whatever rounding leaves in doubt, at most four for each hit that is
//! wanted). A graph would answer about as fast, but it must be
//! built, kept, and mended where a vector goes; here there is nothing to keep but the file.
//!
//! # Reading without the lock
//!
//! Another process may hold the lock for days, a disk may be full or read-only: [`open_to_read`] then reads the records
//! from the journal alone, which needs no lock and writes nothing. What only the database knows is an error there.

mod codec;
mod compaction;
mod disk;
mod index;
mod journal;
mod key;
mod lock;
mod open;
mod plan;
mod reading;
mod reconcile;
#[cfg(test)]
mod recovery_tests;
mod renew;
mod state;
mod store;
mod tree;
mod vectors;

pub use disk::{check_space, make_folder};
pub use open::OpenReport;
pub use reading::{ToRead, open_to_read};
pub use store::SledStore;
pub use tree::panic_is_caught;
