//! Disks that are full, read-only or fail in the middle of a write.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::Command,
};

use ouro_core::{Change, ErrorKind, RecordStore};
use ouro_store::check_space;
use ouro_testkit::store_contract::{sample_in_flight, sample_record};

use crate::support::{assert_holds, child, child_dir, fill, iteration, open, put_record, try_open};

/// A file system in memory, unmounted when dropped; `None` where this user can't mount one.
pub(crate) struct Disk(tempfile::TempDir);

impl Disk {
    pub(crate) fn mount(options: &str) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "ouro-test"])
            .arg(dir.path())
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(dir)),
            _ => {
                eprintln!("skipped: only root can mount the file system that this test needs");
                None
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        let remounted = || {
            let status = Command::new("mount").args(["-o", &options]).arg(self.path()).status();
            status.unwrap().success()
        };
        // A child that another test starts at this moment holds every open file until it runs its own program; a file
        // that was closed here in between keeps the disk busy until then.
        assert!((0..1_000).any(|_| remounted()), "{options}");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

#[test]
fn a_full_disk_refuses_writes_before_anything_is_damaged_and_takes_them_again_later() {
    let Some(disk) = Disk::mount("size=12m") else { return };
    let dir = disk.path().join("project");
    let store = open(&dir);
    let mut n = 0;
    let error = loop {
        match store.commit(&iteration(n)) {
            Ok(()) => n += 1,
            Err(error) => break error,
        }
        assert!(n < 2_000, "the disk has no end");
    };
    assert!(n > 50);
    assert_eq!(error.kind(), ErrorKind::Storage);
    let message = error.message();
    assert!(message.contains(&*dir.to_string_lossy()), "{message}");
    assert!(message.contains("free some space"), "{message}");
    assert_holds(&store, n);
    assert_eq!(store.counters().unwrap().iterations, n);
    drop(store);

    // Opening needs no space, and it is still full.
    let store = open(&dir);
    assert_holds(&store, n);
    assert_eq!(store.commit(&iteration(n)).unwrap_err().kind(), ErrorKind::Storage);

    disk.remount("size=30m");
    store.commit(&iteration(n)).unwrap();
    assert_holds(&store, n + 1);
}

#[test]
fn a_read_only_disk_is_named_with_what_to_do() {
    let Some(disk) = Disk::mount("size=12m") else { return };
    let dir = disk.path().join("project");
    fill(&dir, 3);
    disk.remount("ro");
    for path in [&dir, &disk.path().join("another")] {
        let error = try_open(path).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Storage);
        let message = error.message();
        assert!(message.contains(&*path.to_string_lossy()), "{message}");
        assert!(
            message.contains("make that disk writable or keep the data elsewhere"),
            "{message}"
        );
    }
    disk.remount("rw");
    assert_holds(&open(&dir), 3);

    // With little room, too, which more of it would not mend.
    fs::write(disk.path().join("ballast"), vec![0; 8 << 20]).unwrap();
    disk.remount("ro");
    for error in [check_space(disk.path()).unwrap_err(), try_open(&dir).err().unwrap()] {
        assert!(error.message().contains("make that disk writable"), "{}", error.message());
    }
}

/// The child: no file of this process may grow over a limit, so that a write fails in its middle.
#[test]
#[ignore = "runs as a child of the test below"]
fn writes_until_a_write_fails() {
    let Some(dir) = child_dir() else { return };
    let store = open(&dir);
    let mut n = 0;
    loop {
        // What can't be compressed, so that the database is as large as the journal.
        let hash = |i: u64| ouro_core::sha256_hex(format!("{n} {i}").as_bytes());
        let begun = Box::new(sample_in_flight(&(0..625).map(hash).collect::<String>()));
        let done = store
            .commit(&[Change::PutInFlight(Some(begun))])
            .and_then(|()| store.commit(&iteration(n)));
        match done {
            Ok(()) => n += 1,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Storage, "{error}");
                println!("\nfailed after {n}");
                let error = store.commit(&iteration(n)).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Damaged, "{error}");
                assert!(error.message().contains("open the store again"), "{error}");
                // Records can be read all the same.
                assert_holds(&store, store.record_count().unwrap() as u64);
                return;
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_write_that_fails_in_its_middle_loses_nothing_reported_and_leaves_nothing_by_half() {
    for blocks in [1_100, 2_048, 3_333, 5_001] {
        let dir = tempfile::tempdir().unwrap();
        let inner = child("disk::writes_until_a_write_fails", dir.path());
        let mut child = Command::new("sh");
        child.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""));
        child.arg(inner.get_program()).args(inner.get_args());
        child.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = child.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let lines = BufReader::new(output.stdout.as_slice()).lines().map(Result::unwrap);
        let reported: u64 = lines
            .filter_map(|line| line.strip_prefix("failed after ")?.parse().ok())
            .next()
            .unwrap();

        let store = open(dir.path());
        let count = store.record_count().unwrap() as u64;
        assert!(count == reported || count == reported + 1, "{reported} reported, holds {count}");
        assert_holds(&store, count);
        assert_eq!(store.counters().unwrap().iterations, count);
        assert_eq!(store.log(usize::MAX).unwrap().len() as u64, count);
        store.commit(&iteration(count)).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_journal_that_can_not_be_written_leaves_the_database_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/full", dir.path().join("records.jsonl")).unwrap();
    let store = open(dir.path());
    let error = store.commit(&iteration(0)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Storage);
    assert!(error.message().contains("records.jsonl: No space left on device"), "{error}");
    assert!(error.message().contains("free some space there"), "{error}");
    assert_eq!(store.record_count().unwrap(), 0);
    assert_eq!(store.counters().unwrap().iterations, 0);
    assert_eq!(store.vectors("e").unwrap(), []);
    // It could not even be shortened, so that nobody knows what it holds.
    let error = store.commit(&[put_record(sample_record(1))]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    drop(store);

    fs::remove_file(dir.path().join("records.jsonl")).unwrap();
    let store = open(dir.path());
    store.commit(&iteration(0)).unwrap();
    assert_holds(&store, 1);
}

#[cfg(unix)]
#[test]
fn a_store_that_is_removed_while_it_is_open_takes_no_writes_and_says_so() {
    for gone in ["", "records.jsonl", "sled"] {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("store");
        let store = open(&dir);
        store.commit(&iteration(0)).unwrap();
        let gone = dir.join(gone);
        if gone.is_dir() { fs::remove_dir_all(&gone) } else { fs::remove_file(&gone) }.unwrap();
        let error = store.commit(&iteration(1)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Storage, "{error}");
        assert!(error.message().contains("was removed while it was in use"), "{error}");
        assert_eq!(store.memory().unwrap_err().kind(), ErrorKind::Storage);
    }
}

#[test]
fn a_folder_in_the_place_of_a_file_is_named_with_what_to_do() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("store");
    let store = open(&dir);
    store.commit(&iteration(0)).unwrap();
    drop(store);
    let vectors = fs::read_dir(dir.join("vectors")).unwrap().next().unwrap().unwrap().path();
    for file in [dir.join("lock"), dir.join("lock.owner"), vectors] {
        let kept = fs::read(&file).unwrap();
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        let error = try_open(&dir).err().unwrap();
        let said = error.message();
        assert!(said.contains(file.to_str().unwrap()), "{said}");
        if cfg!(unix) {
            assert!(said.contains("move that folder away"), "{said}");
        }
        fs::remove_dir(&file).unwrap();
        fs::write(&file, kept).unwrap();
    }
}

#[test]
fn the_size_on_disk_is_that_of_all_files_and_grows_with_them() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let before = store.size_on_disk().unwrap();
    (0..200).for_each(|n| store.commit(&iteration(n)).unwrap());
    let grown = store.size_on_disk().unwrap() - before;
    // In the journal as they are, in the database compressed.
    assert!(grown > 200 * 8_000, "{grown}");
}
