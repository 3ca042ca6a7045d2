//! `ouro detect` and `ouro eval`: texts and sessions in, verdicts out.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::support::{LIMIT, Run, Workplace};

const LOOP: &str = "Let me look at the file first. Then I will decide what has to change. ";

const STORY: &str = "The station sends its readings every ten minutes. A missing one is filled from its \
neighbours, unless they are too far away. At midnight the day is closed and its mean is kept.\n";

fn piped(arguments: &[&str], input: &[u8]) -> Run {
    let workplace = Workplace::empty();
    let mut command = assert_cmd::Command::from_std(workplace.command(arguments));
    Run { output: command.timeout(LIMIT).write_stdin(input).output().unwrap() }
}

fn status(run: &Run) -> i32 {
    run.output.status.code().unwrap()
}

fn stdout(run: &Run) -> Value {
    serde_json::from_slice(&run.output.stdout).unwrap()
}

fn call(path: &str) -> Value {
    json!({ "type": "tool_call", "name": "read_file", "args": { "path": path } })
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

fn file(workplace: &Workplace, name: &str, text: &str) -> PathBuf {
    let path = workplace.project().join(name);
    fs::File::create(&path).unwrap().write_all(text.as_bytes()).unwrap();
    path
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn the_detectors_that_watch_a_run_are_set_by_a_file_that_is_checked_first() {
    let workplace = Workplace::weather();
    let file = workplace.project().with_extension("json");
    let evolve = ["evolve", "{}", "--iterations", "1", "--detection", file.to_str().unwrap()];
    fs::write(&file, r#"{"profile": "nobodys"}"#).unwrap();
    let error = workplace.run(&evolve).refuses();
    assert!(error.contains(file.to_str().unwrap()) && error.contains("profile"), "{error}");
    fs::write(&file, r#"{"profile": "checkpoints"}"#).unwrap();
    workplace.run(&evolve).succeeds();
}

#[test]
fn a_text_that_loops_is_found_with_its_place_and_status_one() {
    let text = format!("{STORY}{}", LOOP.repeat(20));
    let run = piped(&["detect", "--format", "text"], text.as_bytes());
    assert_eq!(status(&run), 1);
    let verdict = stdout(&run);
    assert_eq!(verdict["loop"], true);
    assert_eq!(verdict["onset"], STORY.chars().count());
    assert_eq!(verdict["period"], LOOP.len());
    assert!(verdict["detected_at"].as_u64().unwrap() <= (STORY.len() + 4 * LOOP.len()) as u64);
}

#[test]
fn a_healthy_text_has_status_zero_also_when_it_is_no_utf_8() {
    let mut text = STORY.as_bytes().to_vec();
    text.extend([0xff, 0xfe, 0]);
    let run = piped(&["detect", "--format", "text"], &text);
    assert_eq!((status(&run), stdout(&run)), (0, json!({ "loop": false })));
}

#[test]
fn a_session_that_loops_is_found_at_its_event_and_unknown_events_keep_their_numbers() {
    let mut events = vec![json!({ "type": "turn_started" }), json!({ "type": "compaction" })];
    events.extend((0..12).map(|_| call("src/main.rs")));
    let run = piped(&["detect", "--format", "events"], lines(&events).as_bytes());
    assert_eq!(status(&run), 1);
    let verdict = stdout(&run);
    assert_eq!(verdict["kind"], "consecutive_identical_tool_calls");
    assert!(verdict["at_event"].as_u64().unwrap() >= 4, "{verdict}");
    let warning = String::from_utf8(run.output.stderr).unwrap();
    assert!(warning.contains("compaction"), "{warning}");
}

#[test]
fn the_reference_profile_reports_the_fifth_identical_call() {
    let events: Vec<Value> = (0..8).map(|_| call("src/main.rs")).collect();
    let arguments = ["detect", "--format", "events", "--profile", "gemini-cli"];
    let verdict = stdout(&piped(&arguments, lines(&events).as_bytes()));
    assert_eq!(verdict["at_event"], 4);
}

#[test]
fn a_line_that_is_no_json_ends_the_run_with_its_number() {
    let input = format!("{}\n\nnot json\n", json!({ "type": "turn_started" }));
    let run = piped(&["detect", "--format", "events"], input.as_bytes());
    let error = run.refuses();
    assert!(error.contains("line 3"), "{error}");
}

#[test]
fn cases_and_corpora_give_a_line_for_each() {
    let workplace = Workplace::empty();
    let loops: Vec<Value> = (0..12).map(|_| call("a")).collect();
    let works: Vec<Value> = (0..12).map(|n| call(&format!("src/part{n}.rs"))).collect();
    let cases = lines(&[
        json!({ "id": "loops", "events": loops, "loop": true, "kind": "identical" }),
        json!({ "id": "works", "events": works, "loop": false, "kind": "batch" }),
    ]);
    let cases = file(&workplace, "cases.jsonl", &cases);
    let verdicts = workplace.run(&["detect", "--cases", path(&cases)]).succeeds().json_lines();
    let of = |verdicts: &[Value]| -> Vec<(String, bool)> {
        verdicts
            .iter()
            .map(|v| (v["id"].as_str().unwrap().to_owned(), v["loop"].as_bool().unwrap()))
            .collect()
    };
    assert_eq!(of(&verdicts), [("loops".to_owned(), true), ("works".to_owned(), false)]);
    assert_eq!(verdicts[1]["at_event"], Value::Null);

    let corpus = lines(&[
        json!({ "id": "a", "text": LOOP.repeat(9), "loop": true, "kind": "sentence", "onset_char": 0 }),
        json!({ "id": "b", "text": STORY, "loop": false, "kind": "prose" }),
    ]);
    let corpus = file(&workplace, "corpus.jsonl", &corpus);
    let verdicts = workplace.run(&["detect", "--corpus", path(&corpus)]).succeeds().json_lines();
    assert_eq!(of(&verdicts), [("a".to_owned(), true), ("b".to_owned(), false)]);
    assert_eq!(verdicts[0]["onset"], 0);

    let arguments = ["eval", "--json", path(&corpus), path(&cases)];
    let profiles = workplace.run(&arguments).succeeds().json_lines();
    let names: Vec<&str> = profiles.iter().map(|p| p["profile"].as_str().unwrap()).collect();
    assert_eq!(names, ["adaptive", "gemini-cli", "qwen-code", "checkpoints"]);
    assert_eq!(profiles[0]["found"], json!({ "hits": 1, "of": 1 }));
    assert_eq!(profiles[0]["sessions_found_by_kind"]["identical"], json!({ "hits": 1, "of": 1 }));
    assert_eq!(profiles[0]["session_false_alarms_by_kind"]["batch"], json!({ "hits": 0, "of": 1 }));

    let empty = file(&workplace, "empty.jsonl", "");
    let error = workplace.run(&["eval", path(&empty)]).refuses();
    assert!(error.contains("nothing to judge"), "{error}");
}

#[test]
fn a_wrong_profile_or_threshold_is_named_with_what_is_allowed() {
    let workplace = Workplace::empty();
    let run = workplace.run(&["detect", "--format", "text", "--profile", "gemini"]);
    assert_eq!(status(&run), 2);
    assert!(run.stderr().contains("gemini-cli"), "{}", run.stderr());
    let config = file(&workplace, "detect.json", r#"{"profile": "adaptive", "txt": {}}"#);
    let arguments = ["detect", "--format", "text", "--config", path(&config)];
    let error = workplace.run(&arguments).refuses();
    assert!(error.contains("txt") && error.contains("detect.json"), "{error}");
}
