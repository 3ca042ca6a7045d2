//! Without a model: what is learnt is true, and never learnt twice.

use std::{collections::HashSet, fs};

use serde_json::Value;

use crate::support::{Workplace, events, records};

/// Every cited line must exist; returns how many there were.
fn check_sources(workplace: &Workplace, record: &Value) -> usize {
    let sources = record["source_files"].as_array().unwrap();
    for source in sources {
        let path = source["path"].as_str().unwrap();
        let text = fs::read_to_string(workplace.project().join(path))
            .unwrap_or_else(|e| panic!("{path}: {e}"));
        let lines = text.lines().count() as u64;
        let (start, end) =
            (source["start_line"].as_u64().unwrap(), source["end_line"].as_u64().unwrap());
        assert!(1 <= start && start <= end && end <= lines, "{path}:{start}-{end} of {lines}");
    }
    sources.len()
}

#[test]
fn a_run_learns_different_things_with_sources_that_exist() {
    let workplace = Workplace::weather();
    let run = workplace.run(&["evolve", "{}", "--iterations", "3", "--json"]).succeeds();
    let lines = run.json_lines();
    let records = records(&lines);
    assert_eq!(records.len(), 3, "{}", run.stdout());
    let questions: HashSet<&str> =
        records.iter().map(|r| r["question"].as_str().unwrap()).collect();
    assert_eq!(questions.len(), 3);
    for record in &records {
        assert!(check_sources(&workplace, record) > 0, "{record}");
        assert_eq!(record["model"], "offline");
    }
    assert_eq!(events(&lines, "question").len(), 3);
    assert!(!events(&lines, "tool_call").is_empty());
    let finished = events(&lines, "finished");
    assert_eq!(finished.len(), 1);
    assert_eq!(finished[0]["stats"]["total_learning_records"], 3);
    assert_eq!(lines.last().unwrap()["event"], "finished");
}

#[test]
fn tokens_that_nobody_spends_hold_nothing_up_and_too_few_for_a_model_are_named() {
    let workplace = Workplace::weather();
    let few = ["evolve", "{}", "--iterations", "3", "--json", "--set", "max_daily_tokens=1"];
    let lines = workplace.run(&few).succeeds().json_lines();
    assert_eq!(records(&lines).len(), 3);
    let model = ["--llm", "http://127.0.0.1:1", "--model", "m"];
    let error = workplace.run(&[&few[..], &model].concat()).refuses();
    for part in ["max_daily_tokens is 1", "8000", "raise max_daily_tokens"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn what_one_step_is_too_few_for_is_learnt_with_more_of_them() {
    let workplace = Workplace::weather();
    let one = ["evolve", "{}", "--iterations", "1", "--set", "max_exploration_steps=1"];
    let told = workplace.run(&one).succeeds().stderr();
    assert!(told.contains("ended at max_exploration_steps = 1 before enough was found"), "{told}");
    let mut all: Vec<Vec<String>> = Vec::new();
    for workplace in [&workplace, &Workplace::weather()] {
        let lines = workplace.run(&["evolve", "{}", "--iterations", "4", "--json"]).succeeds();
        let lines = lines.json_lines();
        let asked = |r: &&Value| r["question"].as_str().unwrap().to_owned();
        all.push(records(&lines).iter().map(asked).collect());
    }
    assert_eq!(all[0], all[1], "as if nothing had been tried before");
}

#[cfg(unix)]
#[test]
fn nobody_else_can_look_into_the_data() {
    use std::os::unix::fs::PermissionsExt as _;
    let workplace = Workplace::weather();
    workplace.run(&["evolve", "{}", "--iterations", "1"]).succeeds();
    for folder in [workplace.data(), workplace.store()] {
        let mode = folder.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{}", folder.display());
    }
}

#[test]
fn the_next_run_goes_on_and_ends_when_everything_is_answered() {
    let workplace = Workplace::weather();
    let mut questions = HashSet::new();
    let mut reason = Value::Null;
    for _ in 0..10 {
        let run = workplace.run(&["evolve", "{}", "--iterations", "5", "--json"]).succeeds();
        let lines = run.json_lines();
        for record in records(&lines) {
            let question = record["question"].as_str().unwrap().to_owned();
            assert!(questions.insert(question.clone()), "asked twice: {question}");
        }
        reason = events(&lines, "finished")[0]["reason"].clone();
        if reason == "project_unchanged" {
            break;
        }
    }
    assert_eq!(
        reason, "project_unchanged",
        "a small project is learnt in fewer than 50 iterations"
    );
    assert!(questions.len() >= 3, "{questions:?}");
}

#[test]
fn a_seed_makes_a_run_repeatable() {
    let learn = || {
        let workplace = Workplace::weather();
        let lines = workplace
            .run(&["evolve", "{}", "--iterations", "2", "--json", "--seed", "7"])
            .succeeds()
            .json_lines();
        records(&lines)
            .iter()
            .map(|r| (r["question"].clone(), r["answer"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(learn(), learn());
}

#[test]
fn answers_can_be_in_chinese() {
    let workplace = Workplace::weather();
    let run = workplace
        .run(&["evolve", "{}", "--iterations", "1", "--json", "--language", "zh-CN"])
        .succeeds();
    let lines = run.json_lines();
    let answer = records(&lines)[0]["answer"].as_str().unwrap();
    assert!(answer.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{answer}");
}

#[test]
fn a_changed_file_makes_its_record_stale_and_is_explored_first() {
    let workplace = Workplace::weather();
    let lines =
        workplace.run(&["evolve", "{}", "--iterations", "2", "--json"]).succeeds().json_lines();
    let first = records(&lines)[0].clone();
    let path = first["source_files"][0]["path"].as_str().unwrap();
    let file = workplace.project().join(path);
    let changed = fs::read_to_string(&file).unwrap() + "\n";
    fs::write(&file, changed).unwrap();
    let lines =
        workplace.run(&["evolve", "{}", "--iterations", "1", "--json"]).succeeds().json_lines();
    let again = records(&lines)[0].clone();
    assert!(again["supersedes"].is_string(), "{again}");
    let listed = workplace.run(&["records", "export", "{}", "--format", "json"]).succeeds();
    let all: Value = serde_json::from_str(&listed.stdout()).unwrap();
    let old = all.as_array().unwrap().iter().find(|r| r["id"] == again["supersedes"]).unwrap();
    assert_eq!(old["superseded_by"], again["id"]);
    assert_eq!(old["question"], again["question"]);
}

#[test]
fn what_can_not_be_answered_any_more_is_explored_once_until_its_file_changes() {
    let workplace = Workplace::weather();
    let learn = || {
        let arguments = ["evolve", "{}", "--iterations", "3", "--json"];
        let events = workplace.run(&arguments).succeeds().json_lines();
        let asked = events.into_iter().filter(|event| event["event"] == "question");
        let text = |event: Value| event["question"]["question"].as_str().unwrap().to_owned();
        asked.map(text).collect::<Vec<_>>()
    };
    let lines =
        workplace.run(&["evolve", "{}", "--iterations", "9", "--json"]).succeeds().json_lines();
    let named = |record: &Value| {
        let question = record["question"].as_str().unwrap().to_owned();
        let path = record["source_files"][0]["path"].as_str().unwrap().to_owned();
        question.contains(&format!("`{path}`")).then_some((question, path))
    };
    let (question, path) =
        records(&lines).iter().find_map(|record| named(record)).expect("a record of one file");
    let file = workplace.project().join(path);
    let gone = fs::read_to_string(&file).unwrap();
    fs::write(&file, "# Nothing is left.\n").unwrap();
    let asked = [learn(), learn()].concat();
    assert_eq!(asked.iter().filter(|q| **q == question).count(), 1, "{asked:#?}");
    fs::write(&file, gone + "\n").unwrap();
    assert!(learn().contains(&question), "the file has changed again");
}

#[test]
fn records_are_listed_shown_found_exported_corrected_and_deleted() {
    let workplace = Workplace::weather();
    let lines =
        workplace.run(&["evolve", "{}", "--iterations", "3", "--json"]).succeeds().json_lines();
    let record = records(&lines)[0].clone();
    let (id, question) = (record["id"].as_str().unwrap(), record["question"].as_str().unwrap());

    let table = workplace.run(&["records", "list", "{}"]).succeeds().stdout();
    assert!(table.contains(&id[18..]), "{table}");
    assert_eq!(
        workplace.run(&["records", "list", "{}", "--json"]).succeeds().json_lines().len(),
        3
    );
    let shown = workplace.run(&["records", "show", &id[18..], "{}"]).succeeds().stdout();
    assert!(
        shown.contains(question) && shown.contains(record["answer"].as_str().unwrap()),
        "{shown}"
    );
    let found =
        workplace.run(&["records", "search", question, "{}", "--json"]).succeeds().json_lines();
    assert_eq!(found[0]["id"], id);

    let markdown = || workplace.run(&["records", "export", "{}"]).succeeds().stdout();
    let exported = markdown();
    assert!(exported.contains(question) && exported == markdown());

    workplace.run(&["records", "correct", id, "{}", "--text", "The user knows better."]).succeeds();
    let corrected = workplace.run(&["records", "show", id, "{}"]).succeeds().stdout();
    assert!(corrected.contains("The user knows better."), "{corrected}");
    for (rating, shown) in [("useless", true), ("none", false)] {
        let rated = workplace.run(&["records", "rate", id, "{}", rating]).succeeds().stdout();
        assert_eq!(rated.contains("useless, as you say"), shown, "{rated}");
    }
    workplace.run(&["records", "delete", id, "{}"]).succeeds();
    let error = workplace.run(&["records", "show", id, "{}"]).refuses();
    assert!(error.contains("no record has the id"), "{error}");
}

#[test]
fn a_pinned_record_is_listed_first_however_old_it_is() {
    let workplace = Workplace::weather();
    workplace.run(&["evolve", "{}", "--iterations", "3"]).succeeds();
    let list = |limit| {
        let arguments = ["records", "list", "{}", "--json", "--limit", limit];
        let records = workplace.run(&arguments).succeeds().json_lines();
        records.iter().map(|r| r["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let oldest = list("0").pop().unwrap();
    assert_ne!(list("1"), [&*oldest]);
    workplace.run(&["records", "pin", &oldest, "{}"]).succeeds();
    assert_eq!(list("1"), [&*oldest]);
}

#[test]
fn what_is_known_is_printed_for_another_assistant_within_its_limit() {
    let workplace = Workplace::weather();
    workplace.run(&["evolve", "{}", "--iterations", "3"]).succeeds();
    let ask = |limit| {
        let knowledge = format!("--knowledge{limit}");
        workplace
            .run(&["ask", "{}", "How is tomorrow's temperature forecast?", &knowledge])
            .succeeds()
            .stdout()
    };
    let all = ask("");
    assert!(all.contains("### ") && all.contains("Sources: ") && all.contains("```"), "{all}");
    let some = ask("=700");
    assert!(!some.is_empty() && some.len() < all.len(), "{some}");
}

#[test]
fn a_question_is_answered_from_the_records_with_places_in_the_code() {
    let workplace = Workplace::weather();
    workplace.run(&["evolve", "{}", "--iterations", "3"]).succeeds();
    let answer = workplace
        .run(&["ask", "{}", "How is tomorrow's temperature forecast?"])
        .succeeds()
        .stdout();
    assert!(answer.contains("weather/") && answer.contains(':'), "{answer}");
}

#[test]
fn stats_doctor_and_failures_say_how_things_stand() {
    let workplace = Workplace::weather();
    workplace.run(&["evolve", "{}", "--iterations", "2"]).succeeds();
    let stats = workplace.run(&["stats", "{}", "--json"]).succeeds().json_lines();
    assert_eq!(stats[0]["total_learning_records"], 2);
    assert_eq!(stats[0]["quota"]["questions_remaining"], 48);
    assert!(workplace.run(&["stats", "{}"]).succeeds().stdout().contains("48 / 50"));
    // The limits are those of the last run.
    let few = ["--set", "max_daily_questions=7", "--set", "max_daily_explorations=9"];
    workplace.run(&[&["evolve", "{}", "--iterations", "1"], &few[..]].concat()).succeeds();
    let stats = workplace.run(&["stats", "{}"]).succeeds().stdout();
    assert!(stats.contains("4 / 7, 6 / 9"), "{stats}");
    assert!(stats.contains("All iterations are done. ("), "{stats}");
    assert!(
        workplace
            .run(&["failures", "list", "{}"])
            .succeeds()
            .stdout()
            .contains("Nothing has failed")
    );
    let doctor = workplace.run(&["doctor", "{}", "--json"]).succeeds().json_lines();
    assert!(doctor.iter().all(|check| check["ok"] == true), "{doctor:?}");
}

#[test]
fn help_and_completions_are_there() {
    let workplace = Workplace::empty();
    let help = workplace.run(&["help"]).succeeds().stdout();
    for command in ["evolve", "records", "stats", "failures", "ask", "doctor", "completions"] {
        assert!(help.contains(command), "{help}");
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(workplace.run(&["completions", shell]).succeeds().stdout().contains("ouro"));
    }
}

#[test]
fn a_file_of_settings_sets_what_it_names_and_nothing_else() {
    let workplace = Workplace::weather();
    let file = workplace.project().join("ouro.toml");
    fs::write(&file, "max_daily_questions = 10\nlanguage = \"zh-CN\"\n").unwrap();
    let file = file.to_str().unwrap();
    let run = workplace.run(&["evolve", "{}", "--json", "--config", file, "--iterations", "2"]);
    let lines = run.succeeds().json_lines();
    let questions: Vec<_> = records(&lines).iter().map(|r| r["question"].to_string()).collect();
    assert_eq!(questions.len(), 2);
    assert_eq!(events(&lines, "waiting"), Vec::<&Value>::new(), "a run with an end doesn't rest");
    assert!(questions.iter().all(|q| q.contains('？')), "{questions:?}");
    let run = workplace.run(&["evolve", "{}", "--config", file, "--iterations", "1"]).succeeds();
    assert!(run.stdout().contains("所有迭代均已完成"), "{}", run.stdout());
}
