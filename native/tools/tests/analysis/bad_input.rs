//! Input that no sensible project has, and that must neither panic, hang nor hide the rest.

use std::{path::Path, sync::Arc};

use ouro_core::{ErrorKind, ProjectAnalysis, ProjectSource, analysis::LeftOut};
use ouro_testkit::ManualClock;
use ouro_tools::{ProjectScanner, ScanOptions};
use tokio_util::sync::CancellationToken;

use crate::support::{LATER, Project, scanner, symbols};

fn open(root: &Path) -> (ErrorKind, String) {
    let clock = Arc::new(ManualClock::new(LATER));
    let error = ProjectScanner::new(root, ScanOptions::default(), clock).unwrap_err();
    (error.kind(), error.message().to_owned())
}

/// "path: why" of everything that is named as left out, sorted.
fn left_out(found: &ProjectAnalysis) -> Vec<String> {
    let of = |reason: &LeftOut| -> Vec<String> {
        reason.examples.iter().map(|path| format!("{path}: {}", reason.why)).collect()
    };
    let mut all: Vec<String> = found.left_out.iter().flat_map(of).collect();
    all.sort();
    all
}

#[test]
fn a_missing_root_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("gone");
    let message = format!("there is no folder {}; check the path or create it", root.display());
    assert_eq!(open(&root), (ErrorKind::NotFound, message));
}

#[test]
fn a_file_is_no_root() {
    let project = Project::new(&[("a.rs", "")]);
    let root = project.folder.path().join("a.rs");
    let message =
        format!("{} is a file, not a folder; name the folder of the project", root.display());
    assert_eq!(open(&root), (ErrorKind::InvalidInput, message));
    let inside = root.join("b");
    let message = format!("{} goes through a file; name a project's folder", inside.display());
    assert_eq!(open(&inside), (ErrorKind::InvalidInput, message));
}

#[test]
fn a_root_that_vanishes_is_an_error_of_the_next_scan() {
    let project = Project::new(&[("a.rs", "")]);
    let scanner = project.scanner();
    std::fs::remove_dir_all(project.folder.path()).unwrap();
    let error = scanner.refresh(&CancellationToken::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[test]
fn a_bad_glob_is_shown() {
    let project = Project::new(&[]);
    let options = ScanOptions { excluded: vec!["a/[".into()], ..ScanOptions::default() };
    let clock = Arc::new(ManualClock::new(LATER));
    let error = ProjectScanner::new(project.folder.path(), options, clock).unwrap_err();
    assert_eq!(
        error.message(),
        "excluded glob \"a/[\" is invalid: unclosed character class; missing ']'; mend it, for example **/*.min.js"
    );
}

#[test]
fn an_empty_project_is_a_project() {
    let found = Project::new(&[]).scan();
    assert_eq!((found.files.len(), found.symbols.len(), found.left_out.len()), (0, 0, 0));
    assert_eq!(found.modules.len(), 1);
    assert_eq!(found.fingerprint.len(), 64);
}

#[test]
fn cancelled_work_stops() {
    let project = Project::new(&[("a.rs", "fn a() {}")]);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let error = project.scanner().refresh(&cancel).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[test]
fn what_is_too_large_binary_or_secret_is_listed_and_not_read() {
    let project = Project::new(&[
        ("a.rs", "pub fn a() {}\n"),
        (".github/x.yml", "a: 1\n"),
        (".env", "KEY=1\n"),
    ]);
    project.write("big.rs", vec![b'x'; (1 << 20) + 1]);
    project.write("picture.rs", b"fn a() {}\0\0\0");
    project.write("id_rsa", "x");
    let found = project.scan();
    assert_eq!(
        left_out(&found),
        [
            "big.rs: larger than 1048576 bytes",
            "id_rsa: files of this name hold secrets",
            "picture.rs: binary"
        ]
    );
    let facts = found.file("big.rs").unwrap();
    assert_eq!((facts.bytes, facts.lines, facts.content_hash.as_str()), ((1 << 20) + 1, 0, ""));
    assert!(found.file(".github/x.yml").is_some() && found.file(".env").is_none());
}

#[test]
fn broken_text_is_read_as_far_as_it_goes() {
    let project = Project::new(&[]);
    let broken = b"# caf\xc3\xa9, \xc3\xa9t\xc3\xa9\ndef one():\n    \"\"\"Does \xff it.\"\"\"\n";
    project.write("a.py", broken);
    project.write("b.go", "\u{feff}package b\r\n\r\n// Two does it.\r\nfunc Two() {}\r\n");
    let found = project.scan();
    assert_eq!(left_out(&found), Vec::<String>::new());
    assert_eq!(
        symbols(&found),
        "a.py:2 [2-3] Function one exported\n  def one()\n  doc 3-3: Does \u{fffd} it.\n\
         b.go:4 [4-4] Function Two exported\n  func Two()\n  doc 3-3: Two does it.\n"
    );
}

#[test]
fn names_in_latin_1_are_whole_in_every_language() {
    let files = [
        ("a.py", "def gr\u{f6}\u{df}e():\n    \"\"\"Misst die L\u{e4}nge.\"\"\"\n"),
        ("a.rs", "/// \u{dc}bung.\npub struct \u{dc}bung;\n"),
        ("a.go", "package a\nfunc L\u{e4}nge() {}\n"),
        ("a.ts", "export class \u{dc}berschrift {}\n"),
        ("A.java", "/** \u{a9} */\nclass \u{c4}pfel {}\n"),
        ("a.kt", "class \u{d6}l\n"),
    ];
    let project = Project::new(&[]);
    for (path, text) in files {
        let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap()).collect();
        project.write(path, bytes);
    }
    let found = project.scan();
    let mut names: Vec<&str> = found.symbols.iter().map(|s| s.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "L\u{e4}nge",
            "gr\u{f6}\u{df}e",
            "\u{c4}pfel",
            "\u{d6}l",
            "\u{dc}berschrift",
            "\u{dc}bung"
        ]
    );
}

#[test]
fn a_key_in_a_name_is_in_no_path() {
    let key = ["gh", "p_", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"].concat();
    let (file, folder) = (format!("token_{key}.py"), format!("src/{key}/b.py"));
    let project = Project::new(&[("a.py", ""), (&file, ""), (&folder, "")]);
    let scanner = scanner(project.folder.path(), ScanOptions::default());
    let found = scanner.refresh(&CancellationToken::new()).unwrap();
    let files: Vec<_> = found.files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(files, ["a.py"]);
    let told = ["[redacted: key]: a key in its name", "src/[redacted: key]: a key in its name"];
    assert_eq!(left_out(&found), told);
}

#[test]
fn output_and_ignored_files_are_left_out() {
    let project = Project::new(&[
        (".gitignore", "*.log\n/private/\n"),
        ("Cargo.toml", ""),
        ("target/debug/a.rs", ""),
        ("src/target/kept.rs", ""),
        ("node_modules/x/index.js", ""),
        ("a.log", ""),
        ("private/b.rs", ""),
        ("docs/private/c.md", ""),
        (".git/config", ""),
        ("kept.rs", ""),
    ]);
    let options = ScanOptions { excluded: vec!["docs".into()], ..ScanOptions::default() };
    let found = scanner(project.folder.path(), options).refresh(&CancellationToken::new()).unwrap();
    let files: Vec<_> = found.files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(files, ["Cargo.toml", "kept.rs", "src/target/kept.rs"]);
    assert_eq!(
        left_out(&found),
        [
            "a.log: named by ignore files",
            "docs: excluded by the settings",
            "node_modules: installed dependencies or caches",
            "private: named by ignore files",
            "target: build output"
        ]
    );
}

#[test]
fn too_many_files_are_counted() {
    let project = Project::new(&[("a.rs", ""), ("b.rs", ""), ("c/d.rs", ""), ("e.rs", "")]);
    let options = ScanOptions { max_files: 2, ..ScanOptions::default() };
    let found = scanner(project.folder.path(), options).refresh(&CancellationToken::new()).unwrap();
    assert_eq!(found.files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["a.rs", "b.rs"]);
    assert_eq!(left_out(&found), ["c/d.rs: more than 2 files", "e.rs: more than 2 files"]);
}

#[test]
fn of_too_many_files_code_near_the_root_is_kept_and_the_scan_says_how_far_it_is() {
    let project = Project::new(&[("src/deep/er/z.rs", ""), ("src/y.rs", "")]);
    for n in 0..20 {
        project.write(&format!("aa/{n}.png"), [0]);
    }
    let options = ScanOptions { max_files: 2, ..ScanOptions::default() };
    let scanner = scanner(project.folder.path(), options);
    let found = scanner.refresh(&CancellationToken::new()).unwrap();
    let kept: Vec<_> = found.files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(kept, ["src/deep/er/z.rs", "src/y.rs"]);
    assert_eq!(found.left_out_count(), 20);
    let progress = scanner.progress();
    assert_eq!((progress.found(), progress.read()), (22, (2, 2)));
}

#[test]
fn what_is_left_out_is_counted_and_the_first_are_named() {
    let project = Project::new(&[]);
    for n in 100..125 {
        project.write(&format!("{n}.bin"), [0]);
    }
    let [binary] = &project.scan().left_out[..] else { panic!("more than one reason") };
    let named: Vec<String> = (100..110).map(|n| format!("{n}.bin")).collect();
    assert_eq!((binary.count, &binary.examples), (25, &named));
}

#[cfg(unix)]
#[test]
fn links_pipes_and_closed_folders_are_passed_by() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let project = Project::new(&[("src/a.rs", "fn a() {}"), ("closed/b.rs", "")]);
    let root = project.folder.path();
    symlink(root, root.join("src/loop")).unwrap();
    symlink("/etc/passwd", root.join("src/link.rs")).unwrap();
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(rustix::fs::CWD, root.join("pipe.rs"), kind, mode, 0).unwrap();
    let closed = root.join("closed");
    std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o0)).unwrap();
    // The superuser may enter it all the same.
    let may_enter = std::fs::read_dir(&closed).is_ok();
    let mut expected = vec![
        "pipe.rs: not a regular file",
        "src/link.rs: symbolic link, not followed",
        "src/loop: symbolic link, not followed",
    ];
    if !may_enter {
        expected.insert(0, "closed: unreadable: permission denied");
    }
    assert_eq!(left_out(&project.scan()), expected);
    std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o700)).unwrap();
}

#[cfg(unix)]
#[test]
fn names_that_no_line_can_show_are_passed_by() {
    let files = ["a.py", "b\u{1b}[31m.py", "c\nd.py", "e\u{202e}.py"];
    let project = Project::new(&files.map(|name| (name, "def f(): pass\n")));
    let analysis = project.scan();
    assert_eq!(analysis.files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["a.py"]);
    let why = "its name holds control characters";
    assert_eq!(
        left_out(&analysis),
        ["b\u{fffd}[31m.py", "c\u{fffd}d.py", "e\u{fffd}.py"].map(|name| format!("{name}: {why}"))
    );
}

/// A megabyte of what makes parsers slow or their stacks overflow. It may be given up, but must come to an end.
#[test]
fn hostile_sources_come_to_an_end() {
    let many = |unit: &str| unit.repeat(((1 << 20) - 64) / unit.len());
    let hostile = [
        ("nest.rs", many("(")),
        ("nest.py", many("[")),
        ("nest.js", many("{a:")),
        ("nest.ts", many("<T")),
        ("nest.java", many("class A {")),
        ("nest.kt", many("if (a) {")),
        ("nest.go", many("func(){")),
        ("chain.rs", format!("fn a() {{ x{} }}", many(".b()"))),
        ("chain.js", format!("x{}", many(".b()"))),
        ("chain.kt", format!("val x = y{}", many(".b()"))),
        ("line.js", many("a=1;")),
        ("else.java", format!("class A {{ void a() {{ {} }} }}", many("if (a) b(); else "))),
        ("indent.py", (0..1_400).map(|n| " ".repeat(n) + "if a:\n").collect()),
    ];
    let project = Project::new(&[("good.rs", "/// Fine.\npub fn good() {}\n")]);
    for (path, text) in &hostile {
        project.write(path, text);
    }
    let found = project.scan();
    assert_eq!(found.files.len(), hostile.len() + 1);
    assert!(found.symbols.iter().any(|s| s.name == "good"));
    for reason in &found.left_out {
        let shown = "too complex to parse; its symbols are missing";
        assert_eq!(reason.why, shown, "{:?}", reason.examples);
    }
}
