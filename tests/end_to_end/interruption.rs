//! Cut off in the middle: what was reported stays, the next run goes on.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::PathBuf,
    process::{Child, Command},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
};

use serde_json::Value;

use crate::support::{LIMIT, Workplace, events, records};

/// Starts a run that never ends by itself.
pub(crate) fn start(workplace: &Workplace) -> Child {
    let project = workplace.project();
    let arguments = ["evolve", project.to_str().unwrap(), "--forever", "--interval", "0", "--json"];
    workplace.command(&arguments).spawn().unwrap()
}

/// The events of a run as they come.
fn events_of(child: &mut Child) -> impl Iterator<Item = Value> + use<> {
    let output = child.stdout.take().unwrap();
    lines_of(child, output).map(|line| serde_json::from_str(&line).unwrap())
}

/// What a run says, as it comes; one that says nothing for too long is ended, and the test with it.
fn lines_of<R: Read + Send + 'static>(
    child: &Child,
    output: R,
) -> impl Iterator<Item = String> + use<R> {
    let lines = BufReader::new(output).lines();
    let (sender, receiver) = mpsc::channel();
    // To its end, whoever still listens: a closed pipe would end the run.
    #[allow(
        clippy::disallowed_methods,
        reason = "the reader of another process is no part of a loop that stops"
    )]
    thread::spawn(move || {
        lines.map_while(Result::ok).for_each(|line| drop(sender.send(line)));
    });
    let run = child.id().to_string();
    std::iter::from_fn(move || match receiver.recv_timeout(LIMIT) {
        Ok(line) => Some(line),
        Err(RecvTimeoutError::Disconnected) => None,
        Err(RecvTimeoutError::Timeout) => {
            let _ = Command::new("kill").args(["-KILL", &run]).status();
            panic!("the run said nothing for {LIMIT:?}");
        }
    })
}

/// Reads events until `enough` of one name were seen.
pub(crate) fn read_until(child: &mut Child, name: &str, enough: usize) -> Vec<Value> {
    let mut seen = Vec::new();
    for event in events_of(child) {
        seen.push(event);
        if events(&seen, name).len() == enough {
            return seen;
        }
    }
    panic!("the run ended after {seen:?}");
}

pub(crate) fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(status.unwrap().success());
}

#[test]
fn nothing_that_was_reported_is_lost_by_kill_9_and_the_lock_is_freed() {
    let workplace = Workplace::weather();
    let mut child = start(&workplace);
    let seen = read_until(&mut child, "record_saved", 2);
    signal(&child, "-KILL");
    child.wait().unwrap();
    let reported: Vec<Value> = records(&seen).into_iter().map(|r| r["id"].clone()).collect();
    let listed = workplace.run(&["records", "list", "{}", "--json"]).succeeds().json_lines();
    for id in reported {
        assert!(listed.iter().any(|r| r["id"] == id), "{id} is lost");
    }
    let again = workplace.run(&["evolve", "{}", "--iterations", "1", "--json"]).succeeds();
    let known: Vec<&Value> = listed.iter().map(|r| &r["question"]).collect();
    let lines = again.json_lines();
    for record in records(&lines) {
        assert!(!known.contains(&&record["question"]), "asked twice: {record}");
    }
}

#[test]
#[cfg(unix)]
fn a_signal_ends_a_run_that_waits_for_its_settings_from_a_pipe() {
    use std::os::unix::process::ExitStatusExt;
    let workplace = Workplace::weather();
    let pipe = workplace.project().join("settings");
    let pipe = pipe.to_str().unwrap();
    assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    let project = workplace.project();
    let arguments = ["evolve", project.to_str().unwrap(), "--config", pipe];
    let mut child = workplace.command(&arguments).spawn().unwrap();
    // Whoever opens a pipe waits for its other end: from here on the run reads.
    let writer = fs::File::options().write(true).open(pipe).unwrap();
    signal(&child, "-TERM");
    // A run that catches the signal first reads to the pipe's end, and ends with a status of its own.
    drop(writer);
    assert_eq!(child.wait().unwrap().signal(), Some(15));
}

#[test]
fn a_second_process_is_told_who_uses_the_store() {
    let workplace = Workplace::weather();
    let mut child = start(&workplace);
    read_until(&mut child, "record_saved", 1);
    let error = workplace.run(&["evolve", "{}", "--iterations", "1"]).refuses();
    assert!(error.contains(&format!("in use by process {}", child.id())), "{error}");
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
    workplace.run(&["records", "list", "{}"]).succeeds();
}

#[test]
fn ctrl_c_ends_a_waiting_run_cleanly_with_its_statistics() {
    let workplace = Workplace::weather();
    let mut child = start(&workplace);
    let mut events = events_of(&mut child);
    let unchanged = |e: &Value| e["event"] == "waiting" && e["reason"] == "project_unchanged";
    events.find(unchanged).expect("the run goes on");
    signal(&child, "-INT");
    let last = events.last().unwrap();
    assert_eq!((&last["event"], &last["reason"]), (&"finished".into(), &"user_stopped".into()));
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// Runs the loop with a rest after each iteration, takes a folder away in the first one, and returns the status and what was
/// said on standard output and standard error.
fn robbed_of(folder: impl FnOnce(&Workplace) -> PathBuf) -> (Option<i32>, String, String) {
    let workplace = Workplace::weather();
    let project = workplace.project();
    let arguments =
        ["evolve", project.to_str().unwrap(), "--iterations", "3", "--interval", "3000"];
    let mut child = workplace.command(&arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut said = lines.by_ref().find(|line| line.starts_with("What is weather")).unwrap();
    let folder = folder(&workplace);
    fs::rename(&folder, folder.with_extension("away")).unwrap();
    fs::remove_dir_all(folder.with_extension("away")).unwrap();
    said.extend(lines);
    let output = child.wait_with_output().unwrap();
    (output.status.code(), said, String::from_utf8(output.stderr).unwrap())
}

#[cfg(unix)]
#[test]
fn a_run_whose_data_is_removed_ends_and_says_so() {
    let (code, said, why) = robbed_of(Workplace::data);
    assert_eq!(code, Some(2), "{said}{why}");
    assert!(why.contains("was removed while it was in use"), "{why}");
    assert!(said.contains("1 learnt now"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_run_whose_project_is_removed_says_what_was_done_and_why_it_ends() {
    let (code, said, why) = robbed_of(Workplace::project);
    assert_eq!(code, Some(2), "{said}{why}");
    assert!(why.contains("there is no folder") && !why.contains("Not started"), "{why}");
    assert!(said.contains("1 learnt now"), "{said}");
}

#[test]
fn a_file_change_wakes_a_run_that_has_nothing_left_to_ask() {
    let workplace = Workplace::weather();
    let mut child = start(&workplace);
    let mut events = events_of(&mut child);
    let mut next = |wanted: &dyn Fn(&Value) -> bool| events.find(wanted).expect("the run goes on");
    next(&|e| e["event"] == "waiting" && e["reason"] == "project_unchanged");
    let source = workplace.project().join("weather/readings.py");
    let text = fs::read_to_string(&source).unwrap();
    fs::write(&source, text + "\n# Stations report once a day.\n").unwrap();
    let record = next(&|e| e["event"] == "record_saved");
    assert!(
        record["record"]["supersedes"].is_string(),
        "what rests on the file is explored again: {record}"
    );
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
}

/// Ends a run when its standard error says something, and returns the status and everything it said there.
fn ended_when_it_says(workplace: &Workplace, sign: &str, name: &str) -> (Option<i32>, String) {
    let project = workplace.project();
    let arguments = ["evolve", project.to_str().unwrap(), "--forever", "--interval", "0", "-v"];
    let mut command = workplace.command(&arguments);
    let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    let mut said = String::new();
    let stderr = child.stderr.take().unwrap();
    for line in lines_of(&child, stderr) {
        if line.contains(sign) {
            signal(&child, name);
        }
        said.push_str(&line);
        said.push('\n');
    }
    (child.wait().unwrap().code(), said)
}

#[test]
fn an_interrupted_run_has_the_same_status_in_every_phase_and_calls_it_no_error() {
    for (name, status) in [("-INT", 130), ("-TERM", 143)] {
        for sign in [
            "Opening the store",
            "Reading what has changed",
            "Looking for a question",
            "? ",
            "Writing down the answer",
            "~ ",
        ] {
            let workplace = Workplace::weather();
            let (code, said) = ended_when_it_says(&workplace, sign, name);
            assert!(said.contains(sign), "{said}");
            assert_eq!(code, Some(status), "{name} at {sign:?}: {said}");
            assert!(!said.contains("! ") && !said.contains("ancelled"), "{sign:?}: {said}");
            let again = workplace.run(&["evolve", "{}", "--iterations", "1"]);
            again.succeeds();
        }
    }
}

#[test]
fn a_project_that_is_moved_away_ends_a_run_without_end_and_what_was_learnt_can_still_be_read() {
    let workplace = Workplace::weather();
    let mut child = start(&workplace);
    let mut events = events_of(&mut child);
    let unchanged = |e: &Value| e["event"] == "waiting" && e["reason"] == "project_unchanged";
    events.find(unchanged).expect("the run goes on");
    fs::rename(workplace.project(), workplace.project().with_extension("moved")).unwrap();
    let last = events.last().unwrap();
    assert_eq!((&last["event"], &last["reason"]), (&"finished".into(), &"unhealthy".into()));
    assert!(
        last["message"].as_str().unwrap().contains("the project is not where it was"),
        "{last}"
    );
    assert_eq!(child.wait().unwrap().code(), Some(2));

    let listed = workplace.run(&["records", "list", "{}", "--json"]).succeeds();
    assert!(listed.stderr().contains("is not there any more"), "{}", listed.stderr());
    let records = listed.json_lines();
    assert!(records.len() > 3 && records.iter().all(|r| r["freshness"]["state"] != "stale"));
    let question = records[0]["question"].as_str().unwrap();
    let stats = workplace.run(&["stats", "{}"]).succeeds().stdout();
    assert!(stats.contains("the project is not where it was"), "{stats}");
    assert!(workplace.run(&["ask", "{}", question]).succeeds().stdout().contains(question));
    workplace.run(&["records", "search", question, "{}"]).succeeds();
    workplace.run(&["records", "export", "{}"]).succeeds();
    let error = workplace.run(&["evolve", "{}"]).refuses();
    assert!(error.contains("there is no folder"), "{error}");
}
