//! `find_file` as a caller sees it.

use ouro_core::ErrorKind;
use serde_json::json;

use crate::project::{Project, room};

fn project() -> Project {
    Project::new(&[
        ("README.md", "# A\n"),
        ("src/guard/lib.rs", "1\n2\n"),
        ("src/guard.rs", "1\n"),
        ("src/safeguard.rs", "1\n"),
        ("secrets.toml", "x = 1\n"),
        ("skipped.log", "x\n"),
        (".gitignore", "*.log\n"),
    ])
}

#[test]
fn a_part_of_a_path_finds_names_before_folders() {
    let result = project().call("find_file", json!({"pattern": "Guard"})).unwrap();
    let expected = "src/guard.rs (1 line)\nsrc/safeguard.rs (1 line)\nsrc/guard/lib.rs (2 lines)\n";
    assert_eq!(result.content, expected);
    assert_eq!(result.summary, "3 files for `Guard`");
}

#[test]
fn a_glob_finds_files_and_secrets_are_named_but_not_read() {
    let project = project();
    project.write("image.bin", &[0; 5]);
    let found = project.content("find_file", json!({"pattern": "*"}));
    let expected = ".gitignore (1 line)\nREADME.md (1 line)\nimage.bin (binary, 5 bytes)\n\
                    secrets.toml (holds secrets, never read)\nsrc/guard.rs (1 line)\n\
                    src/safeguard.rs (1 line)\nsrc/guard/lib.rs (2 lines)\n";
    assert_eq!(found, expected);
}

#[cfg(unix)]
#[test]
fn a_name_that_no_line_can_show_is_not_there() {
    let project = Project::new(&[("a.py", "1\n"), ("b\u{1b}[31m.py", "1\n"), ("c\n/d.py", "1\n")]);
    let found = project.content("find_file", json!({"pattern": "*.py"}));
    assert_eq!(found, "a.py (1 line)\n");
}

/// A path goes wherever a line does: into listings, matches, records and what a model is shown.
#[test]
fn a_name_with_a_key_in_it_is_in_no_list() {
    let key = ["gh", "p_", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"].concat();
    let (file, folder) = (format!("b_{key}.py"), format!("{key}/c.py"));
    let project = Project::new(&[("a.py", "A = 1\n"), (&file, "B = 1\n"), (&folder, "C = 1\n")]);
    assert_eq!(project.content("find_file", json!({"pattern": "*.py"})), "a.py (1 line)\n");
    let matches = project.content("grep_file", json!({"pattern": "= 1"}));
    assert!(matches.contains("a.py") && !matches.contains(&key), "{matches}");
}

#[test]
fn nothing_found_is_an_answer_with_near_misses() {
    let result = project().call("find_file", json!({"pattern": "gaurd.rs"})).unwrap();
    assert!(!result.is_error);
    assert_eq!(result.summary, "no file for `gaurd.rs`; near misses: `src/guard.rs`");
}

#[test]
fn installed_packages_and_caches_are_passed_over_even_when_nothing_ignores_them() {
    let project = Project::new(&[
        ("a.js", "1\n"),
        ("node_modules/b.js", "1\n"),
        ("output/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n"),
        ("output/c.js", "1\n"),
    ]);
    assert_eq!(project.content("find_file", json!({"pattern": "*"})), "a.js (1 line)\n");
}

#[test]
fn what_does_not_fit_is_counted() {
    let project = Project::new(&[]);
    for i in 0..300 {
        project.write(&format!("f{i:03}.txt"), b"x\n");
    }
    let result = project.call("find_file", json!({"pattern": "*.txt"})).unwrap();
    assert_eq!(result.truncated.as_deref(), Some("100 more are not named; use a narrower pattern"));
    let little = project.call_with("find_file", json!({"pattern": "*.txt"}), &room(300)).unwrap();
    let named = little.content.lines().filter(|l| l.starts_with('f')).count();
    assert!(little.truncated.unwrap().starts_with(&format!("{} more", 300 - named)));
}

#[test]
fn a_bad_pattern_is_an_error_that_names_the_argument() {
    let project = project();
    for (pattern, says) in [("src/[a", "argument `pattern`"), ("  ", "must not be empty")] {
        let error = project.call("find_file", json!({ "pattern": pattern })).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.message().contains(says), "{error}");
    }
}
