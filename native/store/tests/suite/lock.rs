//! One owner at a time.

use std::io::{BufRead, BufReader};

use ouro_core::{ErrorKind, RecordStore};

use crate::support::{child, child_dir, iteration, open, try_open};

#[test]
#[ignore = "runs as a child of the test below"]
fn holds_the_store_until_it_is_killed() {
    let Some(dir) = child_dir() else { return };
    let store = open(&dir);
    store.commit(&iteration(0)).unwrap();
    println!("\nopen");
    loop {
        std::thread::park();
    }
}

#[test]
fn a_second_process_is_told_who_has_the_store_and_gets_it_when_that_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = child("lock::holds_the_store_until_it_is_killed", dir.path()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "open"));

    let error = try_open(dir.path()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InUse);
    let owner = format!("{} is in use by process {} (suite", dir.path().display(), child.id());
    assert!(error.message().starts_with(&owner), "{error}");

    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(open(dir.path()).record_count().unwrap(), 1);
}

#[test]
fn a_second_open_in_the_same_process_is_refused_until_the_first_is_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let error = try_open(dir.path()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InUse);
    let owner = format!("in use by this process already ({})", std::process::id());
    assert!(error.message().contains(&owner), "{error}");
    drop(store);
    for _ in 0..20 {
        drop(open(dir.path()));
    }
}
