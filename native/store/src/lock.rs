//! One process at a time.
//!
//! `lock` is locked by the system for as long as the store is open, so that a killed process leaves no lock behind.
//! Who holds it is written to `lock.owner` beside it, because a locked file can't be read on every system.

use std::{
    fs::{self, File, TryLockError},
    path::Path,
    time::Duration,
};

use ouro_core::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

use crate::disk;

/// How often a held lock is tried again, [`PAUSE`] apart: a second in all. The owner may be just closing.
pub(crate) const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// Waits a little for whoever is just closing.
#[allow(clippy::disallowed_methods, reason = "opening is synchronous, and bounded to a second")]
pub(crate) fn pause() {
    std::thread::sleep(PAUSE);
}

/// The lock of one folder; freed when dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

#[derive(Serialize, Deserialize)]
struct Owner {
    pid: u32,
    program: String,
}

impl Lock {
    /// Locks a folder, or says who has it.
    pub(crate) fn acquire(dir: &Path) -> Result<Self> {
        let path = dir.join("lock");
        let file = File::options()
            .create(true)
            .write(true)
            .truncate(false)
            .open(&path)
            .map_err(|e| disk::failed("write to", &path, e))?;
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => {
                    write_owner(dir)?;
                    return Ok(Self { _file: file });
                }
                Err(TryLockError::WouldBlock) => pause(),
                Err(TryLockError::Error(e)) => return Err(disk::failed("lock", &path, e)),
            }
        }
        Err(in_use(dir))
    }
}

fn write_owner(dir: &Path) -> Result<()> {
    let program = std::env::current_exe().unwrap_or_default();
    let program = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let owner = Owner { pid: std::process::id(), program };
    let path = dir.join("lock.owner");
    let json = serde_json::to_vec(&owner).unwrap_or_default();
    fs::write(&path, json).map_err(|e| disk::failed("write to", &path, e))
}

/// The error that names who has the folder.
pub(crate) fn in_use(dir: &Path) -> Error {
    let owner = fs::read(dir.join("lock.owner"))
        .ok()
        .and_then(|json| serde_json::from_slice::<Owner>(&json).ok());
    let holder = match owner {
        Some(owner) if owner.pid == std::process::id() => {
            format!("this process already ({}); use what is open, or close it first", owner.pid)
        }
        Some(owner) => {
            format!("process {} ({}); wait for it or stop it", owner.pid, owner.program)
        }
        None => "another process; wait for it or stop it".to_owned(),
    };
    Error::new(ErrorKind::InUse, format!("{} is in use by {holder}", dir.display()))
}
