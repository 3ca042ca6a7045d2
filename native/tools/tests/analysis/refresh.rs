//! Scanning again after a change.

use std::{fs::File, sync::Arc, time::SystemTime};

use ouro_core::ProjectSource;
use ouro_testkit::ManualClock;
use ouro_tools::{ProjectScanner, ScanOptions};
use tokio_util::sync::CancellationToken;

use crate::support::{LATER, Project, references};

fn modified(project: &Project, path: &str) -> SystemTime {
    project.folder.path().join(path).metadata().unwrap().modified().unwrap()
}

fn set_modified(project: &Project, path: &str, time: SystemTime) {
    let file = File::options().write(true).open(project.folder.path().join(path)).unwrap();
    file.set_modified(time).unwrap();
}

#[test]
fn an_unchanged_project_gives_the_same_analysis() {
    let project = Project::new(&[("a.rs", "fn a() {}")]);
    let scanner = project.scanner();
    let first = scanner.refresh(&CancellationToken::new()).unwrap();
    let second = scanner.refresh(&CancellationToken::new()).unwrap();
    assert!(Arc::ptr_eq(&first, &second));
    assert_eq!(first.fingerprint, project.scan().fingerprint);
}

#[test]
fn only_what_looks_changed_is_read_again() {
    let project = Project::new(&[("a.py", "def one(): pass\n"), ("b.py", "def two(): pass\n")]);
    let scanner = project.scanner();
    scanner.refresh(&CancellationToken::new()).unwrap();
    let time = modified(&project, "a.py");
    // Same size and time: nothing tells that it changed, so it isn't read.
    project.write("a.py", "def neo(): pass\n");
    set_modified(&project, "a.py", time);
    project.write("b.py", "def three(): pass\n");
    let found = scanner.refresh(&CancellationToken::new()).unwrap();
    assert_eq!(found.symbols.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["one", "three"]);
}

#[test]
fn a_file_changed_within_the_grain_of_time_stamps_is_read_again() {
    let project = Project::new(&[("a.py", "def one(): pass\n")]);
    let time = modified(&project, "a.py");
    let now = time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
    let clock = Arc::new(ManualClock::new(i64::try_from(now).unwrap()));
    let scanner =
        ProjectScanner::new(project.folder.path(), ScanOptions::default(), clock).unwrap();
    scanner.refresh(&CancellationToken::new()).unwrap();
    project.write("a.py", "def neo(): pass\n");
    set_modified(&project, "a.py", time);
    let found = scanner.refresh(&CancellationToken::new()).unwrap();
    assert_eq!(found.symbols[0].name, "neo");
}

#[test]
fn every_kind_of_change_gives_a_new_fingerprint_and_undoing_it_the_old_one() {
    let project = Project::new(&[("a.rs", "fn a() {}\n"), ("b.md", "# B\n")]);
    project.write("c.bin", [0, 1]);
    let scanner = project.scanner();
    let fingerprint = || scanner.refresh(&CancellationToken::new()).unwrap().fingerprint.clone();
    let first = fingerprint();
    project.write("d.rs", "");
    let added = fingerprint();
    std::fs::remove_file(project.folder.path().join("d.rs")).unwrap();
    assert_eq!(fingerprint(), first);
    project.write("b.md", "# C\n\n");
    let changed = fingerprint();
    project.write("b.md", "# B\n");
    assert_eq!(fingerprint(), first);
    project.write("c.bin", [0, 1, 2]);
    let binary = fingerprint();
    let all = [&first, &added, &changed, &binary];
    assert!(all.iter().enumerate().all(|(i, a)| all[i + 1..].iter().all(|b| a != b)), "{all:?}");
}

#[test]
fn links_follow_a_change_in_another_file() {
    let project = Project::new(&[
        ("src/lib.rs", "mod a;\nmod b;\nfn go() { a::run(); }\n"),
        ("src/a.rs", "pub use crate::b::run;\n"),
        ("src/b.rs", "\npub fn run() {}\n"),
    ]);
    let scanner = project.scanner();
    let before = scanner.refresh(&CancellationToken::new()).unwrap();
    assert_eq!(
        references(&before),
        "src/a.rs:1 - Import src/b.rs run\nsrc/lib.rs:3 go Call src/b.rs run\n"
    );
    project.write("src/a.rs", "pub fn run() { later() }\nfn later() {}\n");
    let after = scanner.refresh(&CancellationToken::new()).unwrap();
    assert_eq!(
        references(&after),
        "src/a.rs:1 run Call src/a.rs later\nsrc/lib.rs:3 go Call src/a.rs run\n"
    );
    std::fs::remove_file(project.folder.path().join("src/a.rs")).unwrap();
    assert_eq!(references(&scanner.refresh(&CancellationToken::new()).unwrap()), "");
}

#[test]
fn scans_of_one_tree_are_alike_to_the_last_digit() {
    let files: Vec<(String, String)> = (0..60)
        .map(|n| {
            let text = format!(
                "use crate::m{}::T{};\npub struct T{n};\nfn f{n}(t: T{}) {{}}\n",
                n / 2,
                n / 2,
                n / 2
            );
            (format!("src/m{n}.rs"), text)
        })
        .collect();
    let mods: String = (0..60).map(|n| format!("pub mod m{n};\n")).collect();
    let project = Project::new(&[("src/lib.rs", &mods)]);
    for (path, text) in &files {
        project.write(path, text);
    }
    let (mut one, two) = ((*project.scan()).clone(), project.scan());
    one.scanned_at = LATER;
    assert!(one == *two);
    assert!(one.references.len() > 100);
}
