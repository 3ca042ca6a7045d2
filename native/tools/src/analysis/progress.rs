//! How far a scan has come, for whoever waits for it.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts what a scan does while it does it; each scan begins anew.
#[derive(Debug, Default)]
pub struct ScanProgress {
    found: AtomicUsize,
    read: AtomicUsize,
    to_read: AtomicUsize,
}

impl ScanProgress {
    /// Files that were found so far, those included that are too many to be read.
    pub fn found(&self) -> usize {
        self.found.load(Ordering::Relaxed)
    }

    /// Files that were read so far, and how many are to be read; none are while it still looks for files.
    pub fn read(&self) -> (usize, usize) {
        (self.read.load(Ordering::Relaxed), self.to_read.load(Ordering::Relaxed))
    }

    pub(super) fn begin(&self) {
        for count in [&self.found, &self.read, &self.to_read] {
            count.store(0, Ordering::Relaxed);
        }
    }

    pub(super) fn found_one(&self) {
        self.found.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn will_read(&self, files: usize) {
        self.to_read.store(files, Ordering::Relaxed);
    }

    pub(super) fn read_one(&self) {
        self.read.fetch_add(1, Ordering::Relaxed);
    }
}
