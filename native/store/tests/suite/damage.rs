//! Files that were damaged while nobody looked.

use std::{
    fs::{self, File},
    io::{Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use ouro_core::{Change, Correction, ErrorKind, LearningRecord, RecordStore};
use ouro_store::OpenReport;
use ouro_testkit::store_contract::{NOW, sample_id, sample_record};

use crate::support::{assert_holds, fill, iteration, open, put_record, record, try_open, vector};

const RECORDS: u64 = 60;

/// A store with some records, marks and deletions, closed properly.
fn filled() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), RECORDS);
    // Opening writes a snapshot.
    drop(open(dir.path()));
    dir
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            files.extend(self::files(&entry.path()));
        } else {
            files.push(entry.path());
        }
    }
    files.sort();
    files
}

fn overwrite(path: &Path, offset: u64, bytes: &[u8]) {
    let mut file = File::options().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(offset)).unwrap();
    file.write_all(bytes).unwrap();
}

fn shorten(path: &Path, len: u64) {
    File::options().write(true).open(path).unwrap().set_len(len).unwrap();
}

/// Damages the journal's line that added a record.
fn damage_line(journal: &Path, n: u64) {
    let head = format!("\"op\":\"add\",\"id\":\"{}\"", sample_id(n));
    let content = fs::read_to_string(journal).unwrap();
    overwrite(journal, content.find(&head).unwrap() as u64 + 100, b"#");
}

/// A name, and what does it to a file.
type Damage = (String, Box<dyn Fn(&Path)>);

/// Every way to damage a file.
fn damages(path: &Path) -> Vec<Damage> {
    let len = fs::metadata(path).unwrap().len();
    let mut damages: Vec<Damage> = vec![
        ("removed".into(), Box::new(|p| fs::remove_file(p).unwrap())),
        ("emptied".into(), Box::new(|p| shorten(p, 0))),
    ];
    let mut add = |name: String, f: Box<dyn Fn(&Path)>| damages.push((name, f));
    for part in [1, 2, 3] {
        let keep = len * part / 4;
        add(format!("cut to {keep} of {len}"), Box::new(move |p| shorten(p, keep)));
    }
    for part in 0..8 {
        let at = len * part / 8 / 4096 * 4096;
        let size = usize::try_from((len - at).min(4096)).unwrap();
        let (what, bytes) = if part % 2 == 0 {
            ("zeros", vec![0; size])
        } else {
            ("noise", (0..size).map(|n| (n * 31 % 251) as u8).collect())
        };
        add(format!("{what} at {at} of {len}"), Box::new(move |p| overwrite(p, at, &bytes)));
    }
    damages
}

/// Whatever happens to one file, every record is there again, the store can be written, and the next open has nothing
/// left to mend.
#[test]
fn any_one_damaged_file_costs_no_record() {
    let original = filled();
    for file in files(original.path()) {
        let name = file.strip_prefix(original.path()).unwrap().to_owned();
        for (damage, apply) in damages(&file) {
            let what = format!("{}: {damage}", name.display());
            let dir = tempfile::tempdir().unwrap();
            copy(original.path(), dir.path());
            apply(&dir.path().join(&name));

            let (store, report) = try_open(dir.path()).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_holds(&store, RECORDS);
            assert!(report == OpenReport::default() || !report.messages.is_empty(), "{what}");
            assert!(report.quarantined.iter().all(|p| p.exists()), "{what}: {report:?}");
            let vectors = store.vectors("e").unwrap();
            assert!(vectors.iter().all(|v| (0..RECORDS).any(|n| vector(n) == *v)), "{what}");
            store.commit(&iteration(RECORDS)).unwrap_or_else(|e| panic!("{what}: {e}"));
            drop(store);

            // Damage that showed only when records were read is mended now; after that all is well.
            drop(try_open(dir.path()).unwrap_or_else(|e| panic!("{what}: {e}")));
            let (store, report) = try_open(dir.path()).unwrap();
            assert_eq!(report, OpenReport::default(), "{what}");
            assert_holds(&store, RECORDS + 1);
            assert_eq!(store.counters().unwrap().iterations, RECORDS + 1, "{what}");
        }
    }
}

#[test]
fn a_snapshot_that_was_never_finished_is_set_aside_and_nothing_is_rebuilt() {
    let dir = filled();
    fs::write(dir.path().join("sled/snap.FFFFFFFFFFFFFFF0.generating"), [7; 100]).unwrap();
    let (store, report) = try_open(dir.path()).unwrap();
    assert_holds(&store, RECORDS);
    assert!(!report.rebuilt);
    assert_eq!(report.quarantined.len(), 1);
    assert!(report.messages[0].contains("snapshot was damaged"), "{report:?}");
    assert_eq!(store.counters().unwrap().iterations, RECORDS);
}

#[test]
fn a_lost_database_is_rebuilt_with_everything_that_was_committed_beside_records() {
    let dir = filled();
    fs::write(dir.path().join("sled/conf"), b"not the configuration").unwrap();
    let (store, report) = try_open(dir.path()).unwrap();
    assert!(report.rebuilt, "{report:?}");
    let names: Vec<_> =
        report.quarantined.iter().map(|p| p.file_name().unwrap().to_str().unwrap()).collect();
    let time = "damaged-20261121T000000Z";
    assert_eq!(names, [format!("sled.snapshots.{time}"), format!("sled.{time}")]);
    let kept = report.quarantined[1].join("conf");
    assert_eq!(fs::read(kept).unwrap(), b"not the configuration");
    assert_holds(&store, RECORDS);
    assert_eq!(store.counters().unwrap().iterations, RECORDS);
    assert_eq!(store.log(usize::MAX).unwrap().len() as u64, RECORDS);
    assert_eq!(store.vectors("e").unwrap().len() as u64, RECORDS);
}

#[test]
fn marks_and_deletions_survive_the_loss_of_the_database() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let pinned = LearningRecord { pinned: true, ..sample_record(2) };
    store.commit(&[1, 2, 3].map(|n| put_record(sample_record(n)))).unwrap();
    store.commit(&[put_record(pinned.clone())]).unwrap();
    store.commit(&[Change::DeleteRecord(sample_id(1))]).unwrap();
    drop(store);
    fs::remove_dir_all(dir.path().join("sled")).unwrap();

    for _ in 0..2 {
        let store = try_open(dir.path()).unwrap().0;
        assert_eq!(store.record_count().unwrap(), 2);
        assert_eq!(store.record(sample_id(2)).unwrap(), pinned);
        store.commit(&[put_record(sample_record(1))]).unwrap();
        assert_eq!(store.record(sample_id(1)).unwrap_err().kind(), ErrorKind::NotFound);
    }
}

#[test]
fn the_text_of_a_deleted_record_leaves_the_journal_when_the_store_is_opened_again() {
    let dir = tempfile::tempdir().unwrap();
    let journal = dir.path().join("records.jsonl");
    let secret = LearningRecord { answer: "the secret".into(), ..sample_record(1) };
    let store = open(dir.path());
    store.commit(&[put_record(secret), put_record(sample_record(2))]).unwrap();
    store.commit(&[Change::DeleteRecord(sample_id(1))]).unwrap();
    assert!(fs::read_to_string(&journal).unwrap().contains("the secret"));
    drop(store);
    let store = open(dir.path());
    assert!(!fs::read_to_string(&journal).unwrap().contains("the secret"));
    assert_eq!(store.record(sample_id(2)).unwrap(), sample_record(2));
}

#[test]
fn a_torn_last_line_of_the_journal_is_cut_off() {
    let dir = filled();
    let journal = dir.path().join("records.jsonl");
    let whole = fs::read(&journal).unwrap();
    let line = whole.iter().rev().skip(1).position(|b| *b == b'\n').unwrap();
    for torn in [1, 10, line / 2, line] {
        let last_line = &whole[whole.len() - 1 - line..];
        let torn_line = &last_line[..torn];
        fs::write(&journal, [&whole, torn_line].concat()).unwrap();
        assert_holds(&open(dir.path()), RECORDS);
        assert_eq!(fs::read(&journal).unwrap(), whole, "{torn}");
    }
}

#[test]
fn a_damaged_line_in_the_middle_is_passed_over_and_written_anew_from_the_database() {
    let dir = filled();
    let journal = dir.path().join("records.jsonl");
    damage_line(&journal, RECORDS / 2);
    let damaged = fs::read(&journal).unwrap();
    let (store, report) = try_open(dir.path()).unwrap();
    assert_holds(&store, RECORDS);
    assert!(!report.rebuilt);
    assert_eq!(fs::read(&report.quarantined[0]).unwrap(), damaged);
    assert!(report.messages[0].contains("journal of learning records was damaged"), "{report:?}");
    drop(store);

    // The journal alone is enough again.
    fs::remove_dir_all(dir.path().join("sled")).unwrap();
    let (store, _) = try_open(dir.path()).unwrap();
    assert_holds(&store, RECORDS);
}

#[test]
fn with_both_damaged_every_sound_line_is_kept_and_the_damage_is_told() {
    let dir = filled();
    let journal = dir.path().join("records.jsonl");
    damage_line(&journal, RECORDS / 2);
    fs::remove_dir_all(dir.path().join("sled")).unwrap();
    let (store, report) = try_open(dir.path()).unwrap();
    assert_eq!(store.record_count().unwrap() as u64, RECORDS - 1);
    assert_eq!(report.quarantined.len(), 1);
    for n in (0..RECORDS).filter(|n| *n != RECORDS / 2) {
        assert_eq!(store.record(sample_id(n)).unwrap(), record(n));
    }
    drop(store);
    assert_eq!(open(dir.path()).record_count().unwrap() as u64, RECORDS - 1);
}

#[test]
fn a_damaged_vector_is_missing_and_the_others_are_there() {
    let dir = filled();
    let file = files(&dir.path().join("vectors")).remove(0);
    let len = fs::metadata(&file).unwrap().len();
    overwrite(&file, len / 2, &[0xff]);
    shorten(&file, len - 5);
    let store = open(dir.path());
    assert_eq!(store.vectors("e").unwrap().len() as u64, RECORDS - 2);
    store.commit(&[Change::PutVector(vector(RECORDS - 1))]).unwrap();
    assert_eq!(store.vectors("e").unwrap().len() as u64, RECORDS - 1);
}

#[test]
fn another_projects_store_is_refused_and_left_alone() {
    let dir = filled();
    let other = "other-project".parse().unwrap();
    let clock = std::sync::Arc::new(ouro_testkit::ManualClock::new(0));
    let error = ouro_store::SledStore::open(dir.path(), other, clock).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().contains("project sample-project, not of other-project"), "{error}");
    assert_holds(&open(dir.path()), RECORDS);
}

/// What opening the folder says, in one text, and the files that were put aside.
fn said(dir: &Path) -> (String, Vec<PathBuf>) {
    let (_, report) = try_open(dir).unwrap();
    for aside in &report.quarantined {
        assert!(aside.exists(), "{}", aside.display());
    }
    (report.messages.join("\n"), report.quarantined)
}

#[test]
fn a_database_that_lost_everything_is_called_damaged_and_put_aside() {
    for damage in [
        |db: &Path| fs::write(db, vec![0xa5; 300_000]).unwrap(),
        |db: &Path| fs::write(db, b"this is no database").unwrap(),
        |db: &Path| shorten(db, 1_000),
    ] {
        let dir = filled();
        let folder = dir.path().join("sled");
        damage(&folder.join("db"));
        for file in files(&folder).iter().filter(|f| !f.ends_with("db")) {
            fs::remove_file(file).unwrap();
        }
        let (said, aside) = said(dir.path());
        assert!(said.contains("The database was damaged"), "{said}");
        assert!(said.contains("quota") && said.contains("start anew"), "{said}");
        assert!(!said.contains("missing"), "{said}");
        assert!(aside.iter().any(|p| p.join("db").exists()), "{aside:?}");
        assert_holds(&open(dir.path()), RECORDS);
    }
}

#[test]
fn a_journal_that_was_cut_when_the_database_was_gone_too_is_told_with_what_is_left() {
    let dir = filled();
    fs::remove_dir_all(dir.path().join("sled")).unwrap();
    let journal = dir.path().join("records.jsonl");
    let content = fs::read(&journal).unwrap();
    let first = content.iter().position(|b| *b == b'\n').unwrap() + 1;
    let second = content[first..].iter().position(|b| *b == b'\n').unwrap() + 1;
    // The first transaction, which is two lines, and a half line after it.
    shorten(&journal, (first + second + 500) as u64);
    let (said, aside) = said(dir.path());
    assert!(said.contains("The database was missing"), "{said}");
    assert!(said.contains("1 of its lines can't be read or are not whole"), "{said}");
    assert!(said.contains("1 records can be read"), "{said}");
    assert!(said.contains("quota") && said.contains("start anew"), "{said}");
    assert_eq!(fs::metadata(&aside[0]).unwrap().len(), (first + second + 500) as u64);
    assert_holds(&open(dir.path()), 1);
}

#[test]
fn a_store_of_which_only_the_vectors_are_left_says_so() {
    let dir = filled();
    fs::remove_dir_all(dir.path().join("sled")).unwrap();
    fs::remove_file(dir.path().join("records.jsonl")).unwrap();
    let (said, _) = said(dir.path());
    assert!(said.contains("what was learnt is lost"), "{said}");
}

#[test]
fn what_no_store_ever_wrote_behind_the_journal_is_told_and_a_copy_kept() {
    let dir = filled();
    let journal = dir.path().join("records.jsonl");
    let len = fs::metadata(&journal).unwrap().len();
    overwrite(&journal, len, &[0x9c; 3_000]);
    let (said, aside) = said(dir.path());
    assert!(said.contains("1 of its lines can't be read"), "{said}");
    assert!(said.contains(&format!("{RECORDS} records can be read")), "{said}");
    assert_eq!(fs::metadata(&aside[0]).unwrap().len(), len + 3_000);
    assert_holds(&open(dir.path()), RECORDS);
}

fn corrected(text: &str) -> LearningRecord {
    LearningRecord { correction: Some(Correction { text: text.into(), at: NOW }), ..record(0) }
}

/// Marks two records after `journal` was copied, puts the copy back and opens twice: the marks are there.
fn assert_marks_outlive(dir: &Path, old_journal: &[u8]) {
    let journal = dir.join("records.jsonl");
    let pinned = LearningRecord { pinned: true, ..record(1) };
    let store = open(dir);
    store
        .commit(&[put_record(corrected("In truth it is round.")), put_record(pinned.clone())])
        .unwrap();
    store.compact().unwrap();
    drop(store);
    fs::write(&journal, old_journal).unwrap();
    let (said, aside) = said(dir);
    assert!(said.contains("The end of the journal of learning records was missing"), "{said}");
    assert_eq!(fs::read(&aside[0]).unwrap(), old_journal);
    let store = open(dir);
    assert_eq!(store.record(sample_id(0)).unwrap(), corrected("In truth it is round."));
    assert_eq!(store.record(sample_id(1)).unwrap(), pinned);
    assert_eq!(store.record_count().unwrap(), usize::try_from(RECORDS).unwrap());
}

#[test]
fn an_older_copy_of_the_journal_takes_no_correction_and_no_pin_away() {
    let dir = filled();
    let old = fs::read(dir.path().join("records.jsonl")).unwrap();
    assert_marks_outlive(dir.path(), &old);
}

#[test]
fn nor_does_an_older_copy_that_is_longer_than_the_journal() {
    let dir = filled();
    let store = open(dir.path());
    for n in 0..60 {
        store.commit(&[put_record(corrected(&format!("{n} ").repeat(5_000)))]).unwrap();
    }
    drop(store);
    let journal = dir.path().join("records.jsonl");
    let old = fs::read(&journal).unwrap();
    assert_marks_outlive(dir.path(), &old);
    assert!(fs::metadata(&journal).unwrap().len() < old.len() as u64 / 2);
}

#[test]
fn a_damaged_line_of_the_journal_takes_no_correction_away() {
    let dir = filled();
    let store = open(dir.path());
    store.commit(&[put_record(corrected("In truth it is round."))]).unwrap();
    store.commit(&[put_record(LearningRecord { pinned: true, ..record(1) })]).unwrap();
    drop(store);
    let journal = dir.path().join("records.jsonl");
    let content = fs::read_to_string(&journal).unwrap();
    overwrite(&journal, content.find("In truth").unwrap() as u64, b"#");
    let (said, _) = said(dir.path());
    assert!(said.contains("1 of its lines can't be read"), "{said}");
    let store = open(dir.path());
    assert_eq!(store.record(sample_id(0)).unwrap(), corrected("In truth it is round."));
}

#[test]
fn something_else_under_the_name_of_a_part_is_to_be_moved_away() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("sled"), b"mine").unwrap();
    let error = try_open(dir.path()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().contains("sled is a file") && error.message().contains("move it away"));
    assert_eq!(fs::read(dir.path().join("sled")).unwrap(), b"mine");

    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("records.jsonl")).unwrap();
    let error = try_open(dir.path()).err().unwrap();
    assert!(error.message().contains("records.jsonl is a folder"), "{error}");
}
