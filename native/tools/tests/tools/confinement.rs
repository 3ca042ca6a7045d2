//! Attacks on the wall around a project.

use std::{
    os::unix::fs::symlink,
    sync::atomic::{AtomicBool, Ordering},
};

use ouro_core::{ErrorKind, Result, ToolResult};
use rustix::fs::{CWD, FileType, Mode, OFlags, mkdirat, mknodat, openat};
use serde_json::json;

use crate::project::{Project, write};

const OUTSIDE: &str = "what is outside stays outside";

/// A project beside a file and a folder that nobody may get at.
fn project() -> Project {
    let project = Project::new(&[("src/main.rs", "fn main() {}\n"), ("README.md", "# Read me\n")]);
    write(&project.outside("private.txt"), OUTSIDE.as_bytes());
    write(&project.outside("other/private.txt"), OUTSIDE.as_bytes());
    project
}

fn read(project: &Project, path: &str) -> Result<ToolResult> {
    project.call("read_file", json!({ "path": path }))
}

#[track_caller]
fn assert_refused(project: &Project, path: &str, why: &str) {
    let error = read(project, path).expect_err(path);
    assert_eq!(error.kind(), ErrorKind::Refused, "{path}: {error}");
    assert!(error.message().contains(why), "{path}: {error}");
}

#[track_caller]
fn assert_not_found(project: &Project, path: &str) {
    let error = read(project, path).expect_err(path);
    assert_eq!(error.kind(), ErrorKind::NotFound, "{path}: {error}");
}

#[test]
fn paths_that_lead_out_are_refused_whether_or_not_there_is_something() {
    let project = project();
    for path in [
        "../private.txt",
        "../nothing-here.txt",
        "src/../../private.txt",
        "./src/./../../private.txt",
        "..",
        "/etc/passwd",
        "/nothing/here",
        "//etc/passwd",
    ] {
        assert_refused(&project, path, "outside the project");
    }
}

#[test]
fn an_absolute_path_inside_is_the_relative_one_and_a_look_alike_is_not() {
    let project = project();
    let inside = project.path("src/main.rs");
    assert_eq!(read(&project, inside.to_str().unwrap()).unwrap().lines[0].path, "src/main.rs");
    write(&project.outside("project-2/a.txt"), OUTSIDE.as_bytes());
    let beside = project.outside("project-2/a.txt");
    assert_refused(&project, beside.to_str().unwrap(), "outside the project");
}

#[test]
fn nothing_in_a_path_is_decoded() {
    let project = project();
    for path in [
        "%2e%2e/private.txt",
        "..%2fprivate.txt",
        "%2e%2e%2fprivate.txt",
        "..\\private.txt",
        "src\\..\\..\\private.txt",
        "\u{ff0e}\u{ff0e}/private.txt",
        "..\u{2215}private.txt",
        "file:///etc/passwd",
        "~/private.txt",
        "$HOME/private.txt",
        "src/main.rs\n../private.txt",
        // Encoded twice, in too many bytes, cut by an encoded NUL, and what a careless decoder makes of them.
        "%252e%252e%252fprivate.txt",
        "%c0%ae%c0%ae/private.txt",
        "%c0%ae%c0%ae%c0%afprivate.txt",
        "%e0%80%ae%e0%80%ae/private.txt",
        "..%5cprivate.txt",
        "src/main.rs%00.txt",
        "\u{fffd}\u{fffd}/private.txt",
        "\u{2024}\u{2024}/private.txt",
        "\u{2025}/private.txt",
        "..\u{ff0f}private.txt",
        "..\u{200b}/private.txt",
        ". ./private.txt",
        ".../private.txt",
        "\\\\?\\C:\\private.txt",
        "C:\\private.txt",
        "&#46;&#46;/private.txt",
        "\\x2e\\x2e/private.txt",
    ] {
        assert_not_found(&project, path);
    }
    let error = read(&project, "src/main.rs\0.txt").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[test]
fn case_is_no_way_around_a_rule() {
    let project = project();
    for path in [".ENV", "certs/Server.PEM", "ID_RSA", ".Git/config", ".AWS/Config"] {
        project.write(path, OUTSIDE.as_bytes());
        let error = read(&project, path).expect_err(path);
        assert_eq!(error.kind(), ErrorKind::Refused, "{path}: {error}");
    }
    assert!(!project.content("grep_file", json!({"pattern": "stays"})).contains("outside"));
    // A name in another case is the same file or none, as the disk has it; never another one.
    match read(&project, "README.MD") {
        Ok(result) => assert!(result.content.contains("# Read me")),
        Err(error) => assert!(error.message().contains("did you mean `README.md`?"), "{error}"),
    }
}

#[test]
fn a_long_name_is_an_error_and_not_a_crash() {
    let project = project();
    assert_not_found(&project, &"a".repeat(300));
    assert_not_found(&project, &"a/".repeat(1_000));
    let error = read(&project, &"a/".repeat(100_000)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().len() < 500, "a message is no place for the whole path");
    assert_refused(&project, &"../".repeat(1_000), "outside the project");
}

#[test]
fn the_longest_names_are_read_and_what_lies_too_deep_is_passed_over() {
    let project = project();
    let longest = "n".repeat(255);
    project.write(&longest, b"as long as a name can be\n");
    assert!(read(&project, &longest).unwrap().content.contains("as long"));
    assert_not_found(&project, &"n".repeat(256));
    // Deeper than any path can say: made step by step.
    let mut folder = rustix::fs::open(project.path(""), OFlags::DIRECTORY, Mode::empty()).unwrap();
    let name = "d".repeat(250);
    for _ in 0..20 {
        mkdirat(&folder, &name, Mode::RWXU).unwrap();
        folder = openat(&folder, &name, OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    let file = OFlags::CREATE | OFlags::WRONLY;
    let file = openat(&folder, "deep.txt", file, Mode::RWXU).unwrap();
    rustix::io::write(&file, b"too deep to be read\n").unwrap();
    let deep = format!("{name}/").repeat(20) + "deep.txt";
    let error = read(&project, &deep).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    let almost = format!("{name}/").repeat(16) + "deep.txt";
    assert!(read(&project, &almost).is_err());
    let found = project.content("grep_file", json!({"pattern": "as long as|too deep"}));
    assert_eq!(found, format!("{longest}:1: as long as a name can be\n"));
    assert!(!project.content("find_file", json!({"pattern": "*.txt"})).contains("deep.txt"));
}

#[test]
fn links_that_lead_out_are_refused_whether_or_not_there_is_something() {
    let project = project();
    symlink("../private.txt", project.path("relative")).unwrap();
    symlink(project.outside("private.txt"), project.path("absolute")).unwrap();
    symlink("../nothing-here", project.path("dangling")).unwrap();
    symlink("../other", project.path("folder")).unwrap();
    symlink("relative", project.path("chain")).unwrap();
    symlink("src/../../private.txt", project.path("winding")).unwrap();
    symlink("/dev/zero", project.path("endless")).unwrap();
    symlink("/proc/self/environ", project.path("environment")).unwrap();
    for path in [
        "relative",
        "absolute",
        "dangling",
        "folder/private.txt",
        "folder/nothing-here",
        "chain",
        "winding",
        "endless",
        "environment",
    ] {
        assert_refused(&project, path, "leads out of the project");
    }
}

#[test]
fn links_inside_are_followed_and_judged_by_where_they_lead() {
    let project = project();
    project.write(".env", b"A=b\n");
    project.write("target/out.txt", b"built\n");
    project.write(".gitignore", b"target/\n");
    symlink("src/main.rs", project.path("entry.rs")).unwrap();
    symlink(project.path("README.md"), project.path("absolute.md")).unwrap();
    symlink(".env", project.path("settings.txt")).unwrap();
    symlink("target/out.txt", project.path("out.txt")).unwrap();
    symlink("README.md", project.path("prod.env")).unwrap();
    assert_eq!(read(&project, "entry.rs").unwrap().lines[0].path, "src/main.rs");
    assert_eq!(read(&project, "absolute.md").unwrap().lines[0].path, "README.md");
    assert_refused(&project, "settings.txt", "secrets");
    assert_refused(&project, "prod.env", "secrets");
    assert_refused(&project, "out.txt", "ignored");
}

#[test]
fn links_that_go_round_end() {
    let project = project();
    symlink("b", project.path("a")).unwrap();
    symlink("a", project.path("b")).unwrap();
    symlink(".", project.path("self")).unwrap();
    assert_refused(&project, "a", "circle");
    assert!(read(&project, &format!("{}README.md", "self/".repeat(30))).is_ok());
    assert_refused(&project, &format!("{}README.md", "self/".repeat(60)), "circle");
    let found = project.content("find_file", json!({"pattern": "README"}));
    assert_eq!(found, "README.md (1 line)\n");
}

#[test]
fn pipes_sockets_and_folders_are_refused_without_waiting() {
    let project = project();
    mknodat(CWD, project.path("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(project.path("socket")).unwrap();
    assert_refused(&project, "pipe", "not an ordinary file");
    assert_refused(&project, "socket", "not an ordinary file");
    assert_refused(&project, "src", "folder");
    symlink("pipe", project.path("to-pipe")).unwrap();
    assert_refused(&project, "to-pipe", "not an ordinary file");
    assert_eq!(
        project.content("grep_file", json!({"pattern": "main"})),
        "src/main.rs:1: fn main() {}\n"
    );
    let named = project.content("grep_file", json!({"pattern": ".", "glob": "pipe"}));
    assert!(named.starts_with("no line matches"), "{named}");
    let listed = project.content("find_file", json!({"pattern": "*"}));
    assert_eq!(listed, "README.md (1 line)\nsrc/main.rs (1 line)\n");
}

/// A file turns into a pipe that nobody ever writes to, and back: whoever opens it must not wait.
#[test]
fn a_file_that_turns_into_a_pipe_while_tools_read_holds_nobody_up() {
    let project = project();
    project.write("turns.txt", b"a file\n");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (project, stop) = (&project, &stop);
        scope.spawn(move || {
            let (path, aside) = (project.path("turns.txt"), project.outside("aside"));
            while !stop.load(Ordering::Relaxed) {
                std::fs::rename(&path, &aside).unwrap();
                mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
                std::fs::rename(&aside, &path).unwrap();
            }
        });
        let _ends = Ends(stop);
        for _ in 0..1_000 {
            if let Ok(result) = read(project, "turns.txt") {
                assert_eq!(result.content, "    1| a file\n");
            }
        }
        for _ in 0..50 {
            project.content("grep_file", json!({"pattern": "a file"}));
            project.content("find_file", json!({"pattern": "*.txt"}));
        }
    });
}

#[test]
fn a_device_is_refused() {
    let project = project();
    let made = mknodat(
        CWD,
        project.path("zero"),
        FileType::CharacterDevice,
        Mode::RWXU,
        rustix::fs::makedev(1, 5),
    );
    // Only the system's administrator can make one.
    if made.is_ok() {
        assert_refused(&project, "zero", "not an ordinary file");
    }
}

#[test]
fn version_control_ignored_and_excluded_files_are_refused_with_the_reason() {
    let project = Project::excluding(
        &[
            (".git/config", "[remote]\n"),
            ("sub/.GIT/config", "[remote]\n"),
            (".gitignore", "*.log\n/build/\n"),
            ("app.log", "x\n"),
            ("build/deep/out.txt", "x\n"),
            ("vendor/lib.rs", "x\n"),
            ("api/gen/types.rs", "x\n"),
        ],
        &["vendor/", "**/gen"],
    );
    assert_refused(&project, ".git/config", "version control");
    assert_refused(&project, "sub/.GIT/config", "version control");
    assert_refused(&project, "app.log", "`*.log` in .gitignore");
    assert_refused(&project, "build/deep/out.txt", "`/build/` in .gitignore");
    assert_refused(&project, "vendor/lib.rs", "setting");
    assert_refused(&project, "api/gen/types.rs", "setting");
    assert_eq!(project.content("find_file", json!({"pattern": "*"})), ".gitignore (2 lines)\n");
}

#[test]
fn a_file_without_permission_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let project = project();
    let path = project.path("src/main.rs");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    // The system's administrator may read it all the same.
    if std::fs::read(&path).is_err() {
        assert_refused(&project, "src/main.rs", "permit");
    }
}

#[test]
fn a_hard_link_is_the_file_itself() {
    let project = project();
    std::fs::hard_link(project.outside("private.txt"), project.path("linked.txt")).unwrap();
    assert!(read(&project, "linked.txt").unwrap().content.contains(OUTSIDE));
}

#[test]
fn a_mistyped_path_gets_near_misses() {
    let project = project();
    let error = read(&project, "src/mian.rs").unwrap_err();
    assert!(error.message().contains("did you mean `src/main.rs`?"), "{error}");
    let error = read(&project, "lib/readme.md").unwrap_err();
    assert!(error.message().contains("`README.md`"), "{error}");
}

/// Ends the attack also when a test fails, so that it doesn't wait for its attacker.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Somebody swaps a folder, a file or the folder above it for a link that leads out, as fast as the disk allows, while
/// tools read: nothing from outside ever comes back.
#[test]
fn swapping_links_in_while_tools_read_gives_nothing_from_outside() {
    let project = project();
    write(&project.path("a/b/private.txt"), b"inside\n");
    write(&project.outside("decoy/b/private.txt"), OUTSIDE.as_bytes());
    write(&project.outside("decoy/private.txt"), OUTSIDE.as_bytes());
    // Names of files tell something too.
    write(&project.outside("decoy/b/unheard-of.txt"), b"");
    write(&project.outside("decoy/unheard-of.txt"), b"");
    let stop = AtomicBool::new(false);
    let (mut inside, mut calls) = (0, 0);
    std::thread::scope(|scope| {
        let swaps: [(&str, &str); 3] =
            [("a", "decoy"), ("a/b", "decoy/b"), ("a/b/private.txt", "private.txt")];
        let (project, stop) = (&project, &stop);
        scope.spawn(move || {
            let aside = project.outside("aside");
            while !stop.load(Ordering::Relaxed) {
                for (path, target) in swaps {
                    let path = project.path(path);
                    std::fs::rename(&path, &aside).unwrap();
                    symlink(project.outside(target), &path).unwrap();
                    std::fs::remove_file(&path).unwrap();
                    std::fs::rename(&aside, &path).unwrap();
                }
            }
        });
        let _ends = Ends(stop);
        while calls < 3_000 {
            calls += 1;
            match read(project, "a/b/private.txt") {
                Ok(result) => {
                    assert_eq!(result.content, "    1| inside\n");
                    inside += 1;
                }
                Err(error) => assert!(!error.to_string().contains(OUTSIDE)),
            }
            if calls % 20 == 0 {
                let found = project.content("grep_file", json!({"pattern": "inside|outside"}));
                assert!(!found.contains(OUTSIDE), "{found}");
                let found = project.content("find_file", json!({"pattern": "*.txt"}));
                assert!(!found.contains("unheard"), "{found}");
                let near = read(project, "unheard-off.txt").unwrap_err();
                assert!(!near.message().contains("`a/"), "{near}");
            }
        }
    });
    assert!(inside > 0, "the attack must not keep the reader out all the time");
}
