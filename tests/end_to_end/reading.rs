//! What is known can be read whatever the store's state, and says truly how old it is and whose words it is.

use std::{fs, process::Command};

use serde_json::Value;

use crate::{
    interruption::{read_until, signal, start},
    support::{Workplace, records},
};

/// Runs every command that reads records and returns what they said on standard error.
fn read_everything(workplace: &Workplace) -> String {
    let listed = workplace.run(&["records", "list", "{}", "--json"]).succeeds();
    let all = listed.json_lines();
    assert!(!all.is_empty());
    let (id, question) = (all[0]["id"].as_str().unwrap(), all[0]["question"].as_str().unwrap());
    let shown = workplace.run(&["records", "show", id, "{}"]).succeeds().stdout();
    assert!(shown.contains(question), "{shown}");
    let found = workplace.run(&["records", "search", question, "{}"]).succeeds().stdout();
    assert!(found.contains(&id[18..]), "{found}");
    let exported = workplace.run(&["records", "export", "{}"]).succeeds().stdout();
    assert!(exported.contains(question), "{exported}");
    let answer = workplace.run(&["ask", "{}", question]).succeeds().stdout();
    assert!(answer.contains(question), "{answer}");
    let stats = workplace.run(&["stats", "{}", "--json"]).succeeds().json_lines();
    assert!(stats[0]["total_learning_records"].as_u64().unwrap() >= all.len() as u64);
    assert!(workplace.run(&["stats", "{}"]).succeeds().stdout().contains("records"));
    listed.stderr()
}

#[test]
fn records_can_be_read_while_another_process_has_the_store() {
    let workplace = Workplace::weather();
    let mut child = start(&workplace);
    read_until(&mut child, "record_saved", 2);
    let owner = format!("in use by process {}", child.id());
    let note = read_everything(&workplace);
    assert!(note.contains("note: only the learning records") && note.contains(&owner), "{note}");
    let doctor = workplace.run(&["doctor", "{}", "--json"]).succeeds().json_lines();
    assert_eq!(workplace.run(&["doctor", "{}"]).stderr(), "", "it is told once");
    let store = doctor.iter().find(|check| check["check"] == "store").unwrap();
    assert!(store["message"].as_str().unwrap().contains(&owner), "{store}");
    // What only the database knows is refused, and so is every change.
    for arguments in [&["failures", "list", "{}"][..], &["evolve", "{}", "--iterations", "1"]] {
        let said = workplace.run(arguments).refuses();
        assert!(said.contains(&owner), "{said}");
    }
    signal(&child, "-TERM");
    child.wait().unwrap();
    let note = read_everything(&workplace);
    assert_eq!(note, "");
}

#[cfg(target_os = "linux")]
#[test]
fn records_can_be_read_on_a_full_and_on_a_read_only_disk() {
    let workplace = Workplace::weather();
    fs::create_dir(workplace.data()).unwrap();
    let mount = |arguments: &[&str]| {
        let done = Command::new("mount").args(arguments).arg(workplace.data()).output();
        done.is_ok_and(|output| output.status.success())
    };
    if !mount(&["-t", "tmpfs", "-o", "size=16m", "ouro-test"]) {
        eprintln!("skipped: only root can mount the file system that this test needs");
        return;
    }
    let unmounted = Unmounted(workplace.data());
    workplace.run(&["evolve", "{}", "--iterations", "2"]).succeeds();
    let filler = workplace.data().join("filler");
    let mut file = fs::File::create(&filler).unwrap();
    while std::io::Write::write_all(&mut file, &[7; 4096]).is_ok() {}
    // A little is left: enough for a probe, and not for the database.
    file.set_len(file.metadata().unwrap().len() - 300_000).unwrap();
    drop(file);
    let note = read_everything(&workplace);
    assert!(note.contains("free some space there"), "{note}");
    let doctor = workplace.run(&["doctor", "{}", "--json"]);
    assert_eq!(doctor.output.status.code(), Some(1));
    let data = &doctor.json_lines()[1];
    assert!(data["message"].as_str().unwrap().contains("are needed"), "{data}");
    // A child that another test starts holds the open files of this process for a moment.
    assert!((0..1_000).any(|_| mount(&["-o", "remount,ro"])));
    let note = read_everything(&workplace);
    assert!(note.contains("make that disk writable") || note.contains("free some space"), "{note}");
    drop(unmounted);
}

/// Unmounts when dropped.
#[cfg(target_os = "linux")]
struct Unmounted(std::path::PathBuf);

#[cfg(target_os = "linux")]
impl Drop for Unmounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_record_is_out_of_date_as_soon_as_its_file_has_changed() {
    let workplace = Workplace::weather();
    let lines =
        workplace.run(&["evolve", "{}", "--iterations", "2", "--json"]).succeeds().json_lines();
    let first = records(&lines)[0].clone();
    let path = first["source_files"][0]["path"].as_str().unwrap();
    let file = workplace.project().join(path);
    let before = fs::read_to_string(&file).unwrap();
    let stale = || -> Vec<Value> {
        let listed = workplace.run(&["records", "list", "{}", "--json"]).succeeds().json_lines();
        let rests_on = |r: &Value| r["source_hashes"].as_object().unwrap().contains_key(path);
        listed.into_iter().filter(rests_on).map(|r| r["freshness"]["state"].clone()).collect()
    };
    let fresh = stale();
    fs::write(&file, before.clone() + "\n").unwrap();
    let changed = stale();
    assert!(!changed.is_empty() && changed.iter().zip(&fresh).all(|(a, b)| a != b), "{changed:?}");
    let table = workplace.run(&["records", "list", "{}"]).succeeds().stdout();
    assert!(table.contains("(out of date)"), "{table}");
    fs::write(&file, before).unwrap();
    assert_eq!(stale(), fresh);
}

#[test]
fn a_correction_is_shown_as_the_users_and_an_empty_one_is_refused() {
    let workplace = Workplace::weather();
    let lines =
        workplace.run(&["evolve", "{}", "--iterations", "1", "--json"]).succeeds().json_lines();
    let record = records(&lines)[0].clone();
    let id = record["id"].as_str().unwrap();
    workplace.run(&["records", "correct", id, "{}", "--text", "It rains."]).succeeds();
    for empty in ["", "  \n"] {
        let error = workplace.run(&["records", "correct", id, "{}", "--text", empty]).refuses();
        assert!(error.contains("--text is empty"), "{error}");
    }
    let shown = workplace.run(&["records", "show", id, "{}"]).succeeds().stdout();
    assert!(shown.contains("It rains.") && shown.contains("your correction of"), "{shown}");
    assert!(!shown.contains(" % ") && !shown.contains("offline"), "{shown}");
    let sources = record["source_files"].as_array().unwrap();
    let cited = format!("\n  {}:", sources[0]["path"].as_str().unwrap());
    assert!(!shown.contains(&cited), "the old answer's sources: {shown}");
    let table = workplace.run(&["records", "list", "{}"]).succeeds().stdout();
    assert!(table.contains("yours") && !table.contains(" %"), "{table}");
}

#[test]
fn an_answer_is_the_best_record_with_the_lines_of_code_and_other_records_by_name() {
    let workplace = Workplace::weather();
    workplace.run(&["evolve", "{}", "--iterations", "6"]).succeeds();
    let answer = workplace.run(&["ask", "{}", "What is a reading?"]).succeeds().stdout();
    let (record, rest) = answer.split_once("In the code:\n").expect(&answer);
    assert!(record.contains("`Reading`"), "{answer}");
    let first = rest.lines().next().unwrap();
    let (place, line) = first.trim().split_once("  ").expect(first);
    let (path, number) = place.split_once(':').unwrap();
    assert!(!path.starts_with("tests/"), "{answer}");
    let text = fs::read_to_string(workplace.project().join(path)).unwrap();
    assert_eq!(text.lines().nth(number.parse::<usize>().unwrap() - 1).unwrap().trim(), line);
    let lines: Vec<&str> = rest.lines().take_while(|line| !line.is_empty()).collect();
    let distinct: std::collections::BTreeSet<&&str> = lines.iter().collect();
    assert_eq!(distinct.len(), lines.len(), "{answer}");
    let (_, more) = rest.split_once("More records").expect(&answer);
    let (_, named) = more.lines().nth(1).unwrap().trim().split_once("  ").unwrap();
    assert!(!record.contains(named), "told twice: {answer}");
    // In Chinese, of code and records in English.
    for question in ["`NotEnoughReadings` 在什么时候出现？", "如何处理错误？"] {
        let answer = workplace.run(&["ask", "{}", question]).succeeds().stdout();
        assert!(answer.contains("NotEnoughReadings"), "{question}: {answer}");
    }
    let answer = workplace.run(&["ask", "{}", "法国的首都是哪里？"]).succeeds().stdout();
    assert!(answer.starts_with("Nothing is known about that yet."), "{answer}");
}

#[test]
fn the_export_speaks_the_language_of_the_user() {
    let workplace = Workplace::weather();
    workplace.run(&["evolve", "{}", "--iterations", "2", "--language", "zh-CN"]).succeeds();
    let exported = workplace.run(&["records", "export", "{}", "--language", "zh-CN"]).succeeds();
    let text = exported.stdout();
    assert!(text.starts_with("# 关于 project 的已知内容\n\n- **基础**\n"), "{text}");
    assert!(text.contains("\n来源：[") && text.contains("，可信度 "), "{text}");
    assert!(text.contains("\n*离线，可信度 "), "{text}");
    for english in ["What is known", "Foundation", "Sources:", "confidence", "offline"] {
        assert!(!text.contains(english), "{english}: {text}");
    }
}

#[test]
fn a_question_is_shown_once_where_both_outputs_are_one() {
    let workplace = Workplace::weather();
    let log = workplace.data().with_extension("log");
    let file = fs::File::create(&log).unwrap();
    let project = workplace.project();
    let arguments = ["evolve", project.to_str().unwrap(), "--iterations", "1"];
    let mut command = workplace.command(&arguments);
    command.stdout(file.try_clone().unwrap()).stderr(file);
    assert!(command.status().unwrap().success());
    let said = fs::read_to_string(log).unwrap();
    // The table at the end breaks it into lines.
    assert_eq!(said.matches("where should a newcomer start reading?").count(), 1, "{said}");
    let apart = workplace.run(&["evolve", "{}", "--iterations", "1"]).succeeds();
    let asked = apart.stderr();
    let asked = asked.lines().find_map(|line| line.strip_prefix("? ")).unwrap();
    assert!(apart.stdout().lines().any(|line| line == asked), "{}", apart.stdout());
}

#[test]
fn ids_stand_before_the_project_for_records_and_failures_alike() {
    let workplace = Workplace::weather();
    workplace.run(&["evolve", "{}", "--iterations", "1"]).succeeds();
    for arguments in [
        &["records", "show", "nosuchid", "{}"][..],
        &["failures", "show", "nosuchid", "{}"],
        &["failures", "forget", "nosuchid", "{}"],
    ] {
        let error = workplace.run(arguments).refuses();
        assert!(error.contains("has the id \"nosuchid\""), "{error}");
    }
    workplace.run(&["failures", "forget", "{}"]).succeeds();
}

#[test]
fn json_is_json_for_every_command() {
    let workplace = Workplace::weather();
    let lines =
        workplace.run(&["evolve", "{}", "--iterations", "2", "--json"]).succeeds().json_lines();
    let id = records(&lines)[0]["id"].as_str().unwrap().to_owned();
    let exported = workplace.run(&["records", "export", "{}", "--json"]).succeeds().json_lines();
    assert_eq!(exported[0].as_array().unwrap().len(), 2);
    let deleted = workplace.run(&["records", "delete", &id, "{}", "--json"]).succeeds();
    assert_eq!(deleted.json_lines()[0]["deleted"], id);
    let forgotten = workplace.run(&["failures", "forget", "{}", "--json"]).succeeds();
    assert_eq!(forgotten.json_lines()[0]["forgotten"], 0);
    let shown = workplace.run(&["failures", "show", "{}"]).succeeds().stdout();
    assert!(shown.contains("Nothing has failed"), "{shown}");
}

#[test]
fn what_is_not_known_is_said_with_the_nearest_questions_and_not_made_up() {
    let workplace = Workplace::weather();
    workplace.run(&["evolve", "{}", "--iterations", "3"]).succeeds();
    let found = workplace.run(&["records", "search", "zzzzqqqq", "{}", "--json"]).succeeds();
    assert_eq!(found.stdout(), "");
    let question = "What is the capital of France?";
    let answer = workplace.run(&["ask", "{}", question]).succeeds().stdout();
    assert!(answer.starts_with("Nothing is known about that yet."), "{answer}");
    assert!(answer.contains("The nearest questions that are answered:"), "{answer}");
    let json = workplace.run(&["ask", "{}", question, "--json"]).succeeds().json_lines();
    assert_eq!(json.len(), 1);
    assert_eq!(json[0]["answer"], Value::Null);
    let nearest = json[0]["nearest_questions"].as_array().unwrap();
    assert_eq!(nearest.len(), 3);
    let known = workplace.run(&["ask", "{}", nearest[0].as_str().unwrap()]).succeeds().stdout();
    assert!(known.starts_with(nearest[0].as_str().unwrap()), "{known}");
}
