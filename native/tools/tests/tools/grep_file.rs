//! `grep_file` as a caller sees it.

use ouro_core::{ErrorKind, SourceLine};
use serde_json::json;

use crate::project::{Project, room};

fn project() -> Project {
    Project::new(&[
        ("src/main.rs", "fn main() {\n    run(1);\n}\n\nfn run(n: u8) {}\n"),
        ("src/lib.py", "def run():\n    pass\n"),
        ("docs/run.md", "How to Run it\n"),
        (".gitignore", "target\n"),
        ("target/out.rs", "fn run() {}\n"),
    ])
}

#[test]
fn matching_lines_come_with_path_and_number() {
    let result = project().call("grep_file", json!({"pattern": "fn \\w+\\("})).unwrap();
    assert_eq!(result.content, "src/main.rs:1: fn main() {\nsrc/main.rs:5: fn run(n: u8) {}\n");
    assert_eq!(result.summary, "2 matches of `fn \\w+\\(` in 1 file");
    let line = SourceLine { path: "src/main.rs".into(), line: 5, text: "fn run(n: u8) {}".into() };
    assert_eq!(result.lines.last(), Some(&line));
}

#[test]
fn a_glob_a_folder_or_a_file_narrows_the_search() {
    let project = project();
    let found = |glob: &str| project.content("grep_file", json!({"pattern": "run", "glob": glob}));
    assert_eq!(found("*.py"), "src/lib.py:1: def run():\n");
    assert_eq!(found("src/lib.py"), "src/lib.py:1: def run():\n");
    assert_eq!(found("src/").lines().count(), 3);
    assert_eq!(found("docs"), "docs/run.md:1: How to Run it\n");
}

#[test]
fn without_a_match_another_case_is_tried_and_said() {
    let project = project();
    let result = project.call("grep_file", json!({"pattern": "HOW TO"})).unwrap();
    assert_eq!(result.content, "docs/run.md:1: How to Run it\n");
    assert!(result.summary.ends_with("in another case than asked for"), "{}", result.summary);
    let none = project.call("grep_file", json!({"pattern": "absent"})).unwrap();
    assert_eq!(none.summary, "no line matches `absent`, in any case");
    assert!(!none.is_error && none.lines.is_empty());
}

#[test]
fn a_bad_pattern_says_where_and_how_to_escape_it() {
    let project = project();
    let error = project.call("grep_file", json!({"pattern": "fn run("})).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    let says = error.message();
    assert!(says.contains("unclosed group at character 7 (`fn run` ▸ `(`)"), "{says}");
    assert!(says.ends_with("escape it: fn run\\("), "{says}");
    let error = project.call("grep_file", json!({"pattern": "(?=x)y"})).unwrap_err();
    assert!(error.message().contains("look-around"), "{error}");
    let error = project.call("grep_file", json!({"pattern": "a\nb"})).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    let error = project.call("grep_file", json!({"pattern": "(\\w{500}){500}"})).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[test]
fn the_maximum_and_the_room_are_kept_and_said() {
    let project = Project::new(&[("a.txt", &"hit\n".repeat(1_000))]);
    let result = project.call("grep_file", json!({"pattern": "hit", "max": "10"})).unwrap();
    assert_eq!(result.lines.len(), 10);
    assert!(result.summary.starts_with("at least 10 matches"), "{}", result.summary);
    assert!(result.truncated.unwrap().starts_with("the search ended after 10 matches"));
    let exact = project.call("grep_file", json!({"pattern": "hit", "max": 501})).unwrap_err();
    assert!(exact.message().contains("`max`: 501 must be from 1 to 500"), "{exact}");
    let little = project.call_with("grep_file", json!({"pattern": "hit"}), &room(400)).unwrap();
    assert!(little.content.chars().count() <= 400);
    assert!(little.truncated.unwrap().contains("of 100 matches are shown"));
}

#[test]
fn a_long_line_shows_the_part_that_matched() {
    let text = format!("{}needle{}", "界".repeat(3_000), "x".repeat(3_000));
    let project = Project::new(&[("min.js", &text)]);
    let result = project.call("grep_file", json!({"pattern": "needle"})).unwrap();
    assert!(result.lines[0].text.contains("needle"));
    assert!(result.lines[0].text.chars().count() < 300);
}

#[test]
fn large_files_are_counted_and_binary_ones_passed_over() {
    let project = project();
    project.write("data.bin", b"run\0run");
    project.write("big.txt", "run\n".repeat(400_000).as_bytes());
    let result = project.call("grep_file", json!({"pattern": "def run"})).unwrap();
    assert_eq!(result.summary, "1 match of `def run` in 1 file; not searched: 1 file over 1.0 MiB");
}

/// Otherwise a secret could be guessed letter by letter.
#[test]
fn a_secret_can_neither_be_seen_nor_guessed_by_searching() {
    let key = ["AKIA", "QX7MZ3LK", "5TB2WNVR"].concat();
    let code = format!("let id = \"{key}\";\nlet other = 1;\n");
    let project = Project::new(&[("src/a.rs", &code), (".env", &format!("KEY={key}\n"))]);
    let found = project.content("grep_file", json!({"pattern": "let"}));
    assert!(found.contains("[redacted: AWS key]") && !found.contains(&key), "{found}");
    for length in 1..=key.len() {
        let guess = format!("id = .{}", &key[..length]);
        let result = project.call("grep_file", json!({ "pattern": guess })).unwrap();
        assert!(result.lines.is_empty(), "{guess}");
    }
}
