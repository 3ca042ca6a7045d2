//! Reading what can't be opened.

use std::{fs, path::Path, sync::Arc};

use ouro_core::{Change, ErrorKind, Freshness, LearningRecord, RecordId, RecordQuery, RecordStore};
use ouro_store::{ToRead, open_to_read};
use ouro_testkit::{
    ManualClock,
    store_contract::{NOW, sample_id, sample_project},
};

use crate::{
    disk::Disk,
    support::{fill, iteration, open, put_record, record},
};

fn read(dir: &Path) -> ToRead {
    open_to_read(dir, sample_project(), Arc::new(ManualClock::new(NOW))).unwrap()
}

fn all(store: &dyn RecordStore) -> Vec<LearningRecord> {
    store.records(&RecordQuery::default()).unwrap()
}

/// Every answer about records is the same as the one of the store that is open.
fn assert_alike(reader: &dyn RecordStore, store: &dyn RecordStore) {
    assert!(all(reader) == all(store));
    assert_eq!(reader.record_count().unwrap(), store.record_count().unwrap());
    assert_eq!(reader.project_key(), store.project_key());
    let ids: Vec<RecordId> = all(store).iter().map(|r| r.id).collect();
    for before in [None, Some(ids[1]), ids.last().copied()] {
        for limit in [0, 1, 2, 100] {
            let query = RecordQuery { before, limit };
            assert!(reader.records(&query).unwrap() == store.records(&query).unwrap());
        }
    }
    for id in ids {
        assert_eq!(reader.record(id).unwrap(), store.record(id).unwrap());
    }
    assert_eq!(reader.record(sample_id(99)).unwrap_err().kind(), ErrorKind::NotFound);
    let vectors = |store: &dyn RecordStore| {
        let mut vectors = store.vectors("e").unwrap();
        vectors.sort_by_key(|v| v.record);
        vectors
    };
    assert_eq!(vectors(reader), vectors(store));
    assert!(reader.size_on_disk().unwrap() > 0);
}

#[test]
fn a_store_that_is_in_use_can_be_read_with_every_mark_and_without_what_was_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    (0..5).for_each(|n| store.commit(&iteration(n)).unwrap());
    let stale = Freshness::Stale { path: "a.rs".into(), since: 7 };
    store.commit(&[put_record(LearningRecord { freshness: stale, ..record(2) })]).unwrap();
    store.commit(&[Change::DeleteRecord(sample_id(3))]).unwrap();

    let ToRead { store: reader, report, without_database } = read(dir.path());
    assert_eq!(without_database.unwrap().kind(), ErrorKind::InUse);
    assert_eq!(report.messages, [""; 0]);
    assert_alike(reader.as_ref(), &store);

    // What it does not know is an error and not an empty answer; and it changes nothing.
    assert_eq!(reader.counters().unwrap_err().kind(), ErrorKind::InUse);
    assert_eq!(reader.guard_state().unwrap_err().kind(), ErrorKind::InUse);
    assert!(reader.memory().is_err() && reader.log(1).is_err() && reader.in_flight().is_err());
    let error = reader.commit(&iteration(9)).unwrap_err();
    assert!(error.message().contains("in use by this process"), "{error}");
    store.commit(&iteration(9)).unwrap();
}

#[test]
fn a_store_that_nobody_has_is_opened_whole() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), 3);
    let read = read(dir.path());
    assert!(read.without_database.is_none());
    assert_eq!(read.store.counters().unwrap().iterations, 3);
}

#[test]
fn a_transaction_that_is_being_written_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    (0..3).for_each(|n| store.commit(&iteration(n)).unwrap());
    let journal = fs::read(dir.path().join("records.jsonl")).unwrap();
    store.commit(&iteration(3)).unwrap();
    let whole = fs::read(dir.path().join("records.jsonl")).unwrap();
    for cut in [journal.len() + 1, journal.len() + 4_000, whole.len() - 1] {
        fs::write(dir.path().join("records.jsonl"), &whole[..cut]).unwrap();
        let read = read(dir.path());
        assert_eq!(all(read.store.as_ref()).len(), 3, "cut at {cut}");
        assert_eq!(read.report.messages, [""; 0]);
    }
}

#[test]
fn a_full_or_read_only_disk_can_be_read() {
    let Some(disk) = Disk::mount("size=12m") else { return };
    let dir = disk.path().join("project");
    fill(&dir, 3);
    let expected = all(&open(&dir));
    let filler = disk.path().join("filler");
    let mut file = fs::File::create(&filler).unwrap();
    while std::io::Write::write_all(&mut file, &[7; 4096]).is_ok() {}
    drop(file);
    disk.remount("ro");
    let reading = read(&dir);
    assert_eq!(reading.without_database.unwrap().kind(), ErrorKind::Storage);
    assert!(all(reading.store.as_ref()) == expected);

    disk.remount("rw");
    let reading = read(&dir);
    let why = reading.without_database.unwrap();
    assert!(why.message().contains("free some space there"), "{why}");
    assert!(all(reading.store.as_ref()) == expected);
    fs::remove_file(filler).unwrap();
    assert!(all(&open(&dir)) == expected, "reading has damaged nothing");
}
