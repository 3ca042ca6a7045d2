//! Opening stores in tests.

use std::{path::Path, sync::Arc};

use ouro_core::{Change, LearningRecord, Result};
use ouro_store::{OpenReport, SledStore};
use ouro_testkit::{
    ManualClock,
    store_contract::{NOW, sample_project, sample_record},
};

/// Opens the sample project's store.
pub(crate) fn try_open(dir: &Path) -> Result<(SledStore, OpenReport)> {
    SledStore::open(dir, sample_project(), Arc::new(ManualClock::new(NOW)))
}

/// Opens the sample project's store, which must be sound.
pub(crate) fn open(dir: &Path) -> SledStore {
    let (store, report) = try_open(dir).unwrap();
    assert_eq!(report, OpenReport::default());
    store
}

/// Adds a sample record.
pub(crate) fn put(n: u64) -> Change {
    put_record(sample_record(n))
}

/// Adds a record or replaces its marks.
pub(crate) fn put_record(record: LearningRecord) -> Change {
    Change::PutRecord(Box::new(record))
}
