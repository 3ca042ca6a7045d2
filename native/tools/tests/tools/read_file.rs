//! `read_file` as a caller sees it.

use ouro_core::{ErrorKind, SourceLine};
use serde_json::json;

use crate::project::{Project, room};

fn project() -> Project {
    let lines: Vec<String> = (1..=300).map(|i| format!("let line{i} = {i};")).collect();
    Project::new(&[("src/big.rs", &lines.join("\n")), ("empty.txt", ""), ("two.txt", "a\r\nb")])
}

#[test]
fn a_small_file_is_shown_whole_with_numbers() {
    let result = project().call("read_file", json!({"path": "two.txt"})).unwrap();
    assert_eq!(result.content, "    1| a\n    2| b\n");
    assert_eq!(result.summary, "two.txt: all 2 lines");
    assert_eq!(result.truncated, None);
    let line = |line, text: &str| SourceLine { path: "two.txt".into(), line, text: text.into() };
    assert_eq!(result.lines, [line(1, "a"), line(2, "b")]);
}

#[test]
fn a_range_is_inclusive_clipped_at_the_end_and_understood_as_text() {
    let project = project();
    let part = json!({"path": "./src/big.rs", "start_line": "299", "end_line": 400});
    let result = project.call("read_file", part).unwrap();
    assert_eq!(result.content, "  299| let line299 = 299;\n  300| let line300 = 300;\n");
    assert_eq!(result.summary, "src/big.rs: lines 299-300 of 300");
}

#[test]
fn what_does_not_fit_is_said_with_where_to_go_on() {
    let project = project();
    let result =
        project.call_with("read_file", json!({"path": "src/big.rs"}), &room(1_000)).unwrap();
    assert!(result.content.chars().count() <= 1_000);
    let next = result.lines.last().unwrap().line + 1;
    let cut = format!("lines {next}-300 are cut; read on with start_line {next}");
    assert_eq!(result.truncated.as_deref(), Some(cut.as_str()));
    assert!(result.content.ends_with(&format!("[{cut}]")), "the model reads the content alone");
}

#[test]
fn wrong_ranges_name_the_field_and_the_length() {
    let project = project();
    let error = |arguments| project.call("read_file", arguments).unwrap_err();
    let behind = error(json!({"path": "two.txt", "start_line": 3}));
    assert_eq!(behind.kind(), ErrorKind::InvalidInput);
    assert!(behind.message().contains("has 2 lines"), "{behind}");
    let zero = error(json!({"path": "two.txt", "start_line": 0}));
    assert!(zero.message().contains("`start_line`: 0 must be 1 or more"), "{zero}");
    let turned = error(json!({"path": "two.txt", "start_line": 2, "end_line": 1}));
    assert!(turned.message().contains("after `end_line`"), "{turned}");
}

#[test]
fn empty_binary_and_large_files_are_described_instead() {
    let project = project();
    project.write("data.bin", &[0; 2_000]);
    project.write("generated.sql", "insert into t values (1);\n".repeat(100_000).as_bytes());
    let content = |path: &str| project.content("read_file", json!({ "path": path }));
    assert_eq!(content("empty.txt"), "empty.txt is empty");
    assert_eq!(
        content("data.bin"),
        "data.bin is binary or in an old encoding, 2 KiB; it is not shown"
    );
    let large = project.call("read_file", json!({"path": "generated.sql"})).unwrap();
    assert!(
        large.content.starts_with("generated.sql has 2.4 MiB, more than the 1.0 MiB"),
        "{}",
        large.content
    );
    assert_eq!(large.lines.len(), 20);
    assert!(large.truncated.is_some());
}

#[test]
fn a_long_line_is_cut_and_says_so() {
    let project = Project::new(&[("min.js", &"界".repeat(10_000))]);
    let result = project.call("read_file", json!({"path": "min.js"})).unwrap();
    assert!(result.lines[0].text.ends_with("… [9500 more characters]"));
}

#[test]
fn the_stamp_changes_with_the_file_and_only_with_it() {
    let project = project();
    let tool = project.tool("read_file");
    let stamp = || tool.stamp(&json!({"path": "two.txt"}));
    let before = stamp();
    assert!(before.is_some());
    project.write("empty.txt", b"changed");
    assert_eq!(stamp(), before);
    project.write("two.txt", b"a longer text");
    assert_ne!(stamp(), before);
    assert_eq!(tool.stamp(&json!({"path": "none.txt"})), None);
}
