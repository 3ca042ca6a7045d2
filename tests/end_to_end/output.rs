//! Standard output that can't take what was asked for, and readers that go away.

#![cfg(target_os = "linux")]

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    process::{Command, Output, Stdio},
    sync::mpsc,
    thread,
};

use crate::{
    interruption::start,
    support::{LIMIT, Workplace},
};

/// Runs the command with a standard output that is always full.
fn onto_a_full_disk(workplace: &Workplace, arguments: &[&str]) -> Output {
    let full = File::options().write(true).open("/dev/full").unwrap();
    workplace.command(arguments).stdout(full).output().unwrap()
}

#[test]
fn output_that_can_not_be_written_is_an_error_in_one_line() {
    let workplace = Workplace::weather();
    workplace.run(&["evolve", "{}", "--iterations", "2"]).succeeds();
    let project = workplace.project();
    let project = project.to_str().unwrap();
    for arguments in [
        &["records", "export", project][..],
        &["records", "list", project],
        &["records", "list", project, "--json"],
        &["stats", project],
        &["doctor"],
        &["completions", "bash"],
        &["ask", project, "How is the forecast made?"],
        &["evolve", project, "--iterations", "1", "--json"],
    ] {
        let output = onto_a_full_disk(&workplace, arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("ouro: ")).collect();
        assert_eq!(lines.len(), 1, "{arguments:?}: {said}");
        assert!(said.contains("standard output") && !said.contains("panicked"), "{said}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let workplace = Workplace::empty();
    let mut child =
        workplace.command(&["completions", "bash"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 1];
    let mut reader = child.stdout.take().unwrap();
    reader.read_exact(&mut first).unwrap();
    drop(reader);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_run_without_end_ends_when_nobody_reads_it_any_more() {
    let workplace = Workplace::weather();
    let mut child = start(&workplace);
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    reader.read_line(&mut String::new()).unwrap();
    drop(reader);
    let (ended, end) = mpsc::channel();
    thread::scope(|scope| {
        let run = child.id();
        scope.spawn(move || ended.send(child.wait_with_output().unwrap()).unwrap());
        let output = end.recv_timeout(LIMIT).inspect_err(|_| kill(run));
        let output = output.expect("the run goes on for nobody");
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    });
}

fn kill(run: u32) {
    let _ = Command::new("kill").args(["-KILL", &run.to_string()]).status();
}
