//! Bad input: one clear line, the right status, nothing lost.

use std::fs;

use crate::support::{Workplace, records};

#[test]
fn a_path_that_does_not_exist_is_named() {
    let error = Workplace::empty().run(&["evolve", "nowhere/at/all"]).refuses();
    assert!(error.contains("nowhere/at/all") && error.contains("root folder"), "{error}");
}

#[test]
fn a_file_is_no_project() {
    let workplace = Workplace::weather();
    let readme = workplace.project().join("README.md");
    let error = workplace.run(&["evolve", readme.to_str().unwrap()]).refuses();
    assert!(error.contains("is a file"), "{error}");
}

#[test]
fn an_empty_folder_holds_nothing_to_learn() {
    let error = Workplace::empty().run(&["evolve", "{}"]).refuses();
    assert!(error.contains("no file that can be read"), "{error}");
}

#[test]
fn records_of_an_unknown_project_are_refused_with_the_command_that_makes_some() {
    let error = Workplace::weather().run(&["records", "list", "{}"]).refuses();
    assert!(error.contains("ouro evolve"), "{error}");
}

#[test]
fn data_that_can_not_be_read_is_not_said_to_be_unknown() {
    let workplace = Workplace::weather();
    fs::write(workplace.data(), "a file").unwrap();
    let error = workplace.run(&["records", "list", "{}"]).refuses();
    assert!(error.contains("can't be read: check that folder"), "{error}");
    assert!(!error.contains("nothing is known"), "{error}");
}

#[test]
fn wrong_settings_name_their_field_and_its_range() {
    let workplace = Workplace::weather();
    for (setting, named) in [
        ("max_exploration_steps=0", "max_exploration_steps is 0, but must be from 1 to 100"),
        ("base_backoff_ms=5000000", "max_backoff_ms"),
        ("no_such_field=1", "no_such_field"),
        ("interval_ms", "KEY=VALUE"),
        ("interval_ms=soon", "interval_ms"),
        ("enabled=false", "enabled=false forbids the run"),
        ("enabled=maybe", "enabled must be true or false"),
        ("=5", "the name of the setting is missing"),
    ] {
        let error = workplace.run(&["evolve", "{}", "--set", setting]).refuses();
        assert!(error.contains(named), "{setting}: {error}");
    }
    let file = workplace.project().join("ouro.toml");
    fs::write(&file, "max_daily_questions = \"many\"\n").unwrap();
    let error = workplace.run(&["evolve", "{}", "--config", file.to_str().unwrap()]).refuses();
    assert!(error.contains("max_daily_questions") && error.contains("ouro.toml"), "{error}");
}

#[cfg(unix)]
#[test]
fn settings_without_an_end_are_refused() {
    let workplace = Workplace::weather();
    let error = workplace.run(&["evolve", "{}", "--config", "/dev/zero"]).refuses();
    assert!(error.contains("more than 1024 KiB"), "{error}");
    let error = workplace.run(&["detect", "--format", "text", "--config", "/dev/zero"]).refuses();
    assert!(error.contains("more than 1024 KiB"), "{error}");
    let file = workplace.project().join("ouro.toml");
    fs::write(&file, b"interval_ms = 1 # \xff\xfe").unwrap();
    let error = workplace.run(&["evolve", "{}", "--config", file.to_str().unwrap()]).refuses();
    assert!(error.contains("not UTF-8"), "{error}");
}

#[test]
fn a_wrong_endpoint_or_a_missing_model_name_is_said_before_anything_starts() {
    let workplace = Workplace::weather();
    let error =
        workplace.run(&["evolve", "{}", "--llm", "localhost:1234", "--model", "m"]).refuses();
    assert!(error.contains("http://localhost:1234"), "{error}");
    let error = workplace.run(&["evolve", "{}", "--llm", "http://127.0.0.1:9/v1"]).refuses();
    assert!(error.contains("--model"), "{error}");
}

#[test]
fn a_wrong_command_line_is_told_in_one_line_too() {
    let workplace = Workplace::weather();
    for (arguments, named) in [
        (&["evolve"][..], "<PROJECT>"),
        (&["evolve", "{}", "--itertions", "3"], "--itertions"),
        (
            &["evolve", "{}", "--iterations", "0"],
            "'--iterations <ITERATIONS>': it must be a whole number from 1",
        ),
        (&["evolve", "{}", "--iterations", "abc"], "it must be a whole number from 1 to"),
        (&["evolve", "{}", "--seed", "-1"], "it must be a whole number from 0 to"),
        (&["records", "lst", "{}"], "lst"),
        (&["records"], "`ouro records` needs one of list, show, search"),
        (&["detect"], "--format text|events, --cases FILE or --corpus FILE"),
    ] {
        let run = workplace.run(arguments);
        assert_eq!(run.stderr().lines().count(), 1, "{}", run.stderr());
        let error = run.refuses();
        assert!(error.contains(named) && !error.contains("--data-dir"), "{error}");
    }
    let bare = workplace.run(&[]);
    assert_eq!(bare.output.status.code(), Some(2));
    assert!(bare.stderr().contains("Usage: ouro"), "who types the bare name gets the help");
    assert!(workplace.run(&["evolve", "--help"]).succeeds().stdout().contains("tool_cache_ttl_ms"));
    workplace.run(&["--version"]).succeeds();
}

#[test]
fn a_wrong_setting_is_told_without_the_names_of_types() {
    let workplace = Workplace::weather();
    for (setting, said) in [
        ("max_daily_questions=many", "max_daily_questions must be a whole number"),
        ("max_daily_questions=100000000000000000000", "max_daily_questions must be a whole number"),
        ("max_daily_questions=-1", "max_daily_questions must be a whole number"),
        ("backoff_multiplier=fast", "backoff_multiplier must be a number"),
        ("deep_mode=very", "deep_mode must be true or false"),
        ("no_such=1", "there is no setting no_such: `ouro evolve --help` lists them all"),
    ] {
        let error = workplace.run(&["evolve", "{}", "--set", setting]).refuses();
        assert!(error.contains(said), "{setting}: {error}");
        for word in ["u32", "u64", "unknown field", "floating point"] {
            assert!(!error.contains(word), "{setting}: {error}");
        }
    }
    let file = workplace.project().join("ouro.toml");
    fs::write(&file, "deep_mode = true\nmax_daily_questions = \n").unwrap();
    let error = workplace.run(&["evolve", "{}", "--config", file.to_str().unwrap()]).refuses();
    assert!(
        error.contains("ouro.toml, line 2, is not valid TOML") && !error.contains('|'),
        "{error}"
    );
}

#[test]
fn a_model_without_its_server_is_not_ignored() {
    let workplace = Workplace::weather();
    for (option, server) in [("--model", "--llm"), ("--embedder-model", "--embedder")] {
        let error = workplace.run(&["evolve", "{}", option, "m"]).refuses();
        assert!(error.contains(option) && error.contains(&format!("{server} URL")), "{error}");
        let doctor = workplace.run(&["doctor", option, "m"]);
        assert_eq!(doctor.output.status.code(), Some(1), "{}", doctor.stdout());
    }
}

#[cfg(unix)]
#[test]
fn what_was_left_out_is_hinted_at_and_named_by_the_doctor() {
    let workplace = Workplace::weather();
    let project = workplace.project();
    fs::write(project.join("huge.py"), "x = 1\n".repeat(400_000)).unwrap();
    std::os::unix::fs::symlink("/etc", project.join("outside")).unwrap();
    let said = workplace.run(&["evolve", "{}", "--iterations", "1"]).succeeds().stderr();
    assert!(
        said.contains("note: left out, because they can't be read or are too large: 1;"),
        "{said}"
    );
    let doctor = workplace.run(&["doctor", "{}"]).succeeds().stdout();
    assert!(doctor.contains("2 left out: "), "{doctor}");
    assert!(doctor.contains("1 larger than 1048576 bytes (huge.py)"), "{doctor}");
    assert!(doctor.contains("1 symbolic link, not followed (outside)"), "{doctor}");
}

#[test]
fn a_project_of_which_nothing_can_be_read_is_refused() {
    let workplace = Workplace::empty();
    fs::write(workplace.project().join("huge.py"), "x = 1\n".repeat(400_000)).unwrap();
    let run = workplace.run(&["evolve", "{}", "--iterations", "1"]);
    let (code, said) = (run.output.status.code(), run.stderr());
    assert_eq!(code, Some(2), "{said}");
    let last = said.lines().last().unwrap();
    assert!(last.contains(workplace.project().to_str().unwrap()), "{said}");
    assert!(last.contains("`ouro doctor` says what was left out"), "{said}");
}

#[test]
fn a_project_that_is_excluded_as_a_whole_is_said_to_be_so() {
    let run = Workplace::weather().run(&["evolve", "{}", "--exclude", "**"]);
    let said = run.refuses();
    assert!(said.contains("--exclude leaves out"), "{said}");
}

#[test]
fn odd_files_are_passed_over() {
    let workplace = Workplace::weather();
    let project = workplace.project();
    fs::write(project.join("broken.py"), b"def broken():\n    return '\xff\xfe'\n").unwrap();
    fs::write(project.join("empty.py"), b"").unwrap();
    fs::write(project.join("binary.bin"), [0_u8; 4096]).unwrap();
    fs::write(project.join("generated.py"), "x = 1\n".repeat(400_000)).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&project, project.join("loop")).unwrap();
        std::os::unix::fs::symlink("/etc", project.join("outside")).unwrap();
        let fifo = std::process::Command::new("mkfifo").arg(project.join("pipe")).status();
        assert!(fifo.unwrap().success());
    }
    let lines =
        workplace.run(&["evolve", "{}", "--iterations", "2", "--json"]).succeeds().json_lines();
    assert_eq!(records(&lines).len(), 2);
}

#[test]
fn a_damaged_store_is_rebuilt_and_nothing_is_lost() {
    let workplace = Workplace::weather();
    let lines =
        workplace.run(&["evolve", "{}", "--iterations", "2", "--json"]).succeeds().json_lines();
    let before: Vec<String> = records(&lines).iter().map(|r| r["id"].to_string()).collect();
    let mut damaged = 0;
    for entry in walk(&workplace.store()) {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        if name == "db" || name.starts_with("snap.") {
            fs::write(&entry, b"this is not a database").unwrap();
            damaged += 1;
        }
    }
    assert!(damaged > 0, "the store's files were found");
    let listed = workplace.run(&["records", "list", "{}", "--json"]).succeeds();
    let after: Vec<String> = listed.json_lines().iter().map(|r| r["id"].to_string()).collect();
    for id in before {
        assert!(after.contains(&id), "{id} is lost: {}", listed.stderr());
    }
}

#[test]
fn emptied_files_are_rebuilt_from_each_other_and_what_is_lost_is_told() {
    let workplace = Workplace::weather();
    workplace.run(&["evolve", "{}", "--iterations", "2"]).succeeds();
    let store = workplace.store();
    let list = || workplace.run(&["records", "list", "{}", "--json"]).succeeds();
    for file in ["sled/db", "records.jsonl"] {
        fs::write(store.join(file), "").unwrap();
        let listed = list();
        assert_eq!(listed.json_lines().len(), 2, "{file}: {}", listed.stderr());
        assert!(listed.stderr().contains("journal"), "{file}: {}", listed.stderr());
    }
    for file in walk(&store) {
        fs::write(file, "").unwrap();
    }
    assert!(list().json_lines().is_empty());
    let said = workplace.run(&["records", "list", "{}"]).succeeds().stdout();
    assert!(said.contains("There are no records: `ouro evolve "), "{said}");
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(walk(&path)) } else { files.push(path) }
    }
    files
}

#[test]
fn a_project_in_another_arguments_place_is_told_with_the_right_order() {
    let workplace = Workplace::weather();
    for (arguments, order) in [
        (&["records", "show", "{}", "ABC"][..], "`ouro records show ID PROJECT`"),
        (&["records", "delete", "{}", "ABC"], "`ouro records delete ID PROJECT`"),
        (&["records", "pin", "{}", "ABC"], "`ouro records pin ID PROJECT`"),
        (&["records", "rate", "{}", "ABC", "useful"], "`ouro records rate ID PROJECT"),
        (
            &["records", "correct", "{}", "ABC", "--text", "So."],
            "`ouro records correct ID PROJECT --text TEXT`",
        ),
        (&["records", "search", "{}", "wind"], "`ouro records search QUERY PROJECT`"),
        (&["failures", "show", "{}", "ABC"], "`ouro failures show [ID] PROJECT`"),
        (&["failures", "forget", "{}", "ABC"], "`ouro failures forget [ID] PROJECT`"),
        (&["ask", "How is it made?", "{}"], "`ouro ask PROJECT QUESTION`"),
    ] {
        let error = workplace.run(arguments).refuses();
        assert!(error.contains(order), "{arguments:?}: {error}");
    }
}

#[test]
fn a_question_or_query_of_nothing_is_wrong_use() {
    let workplace = Workplace::weather();
    assert!(workplace.run(&["ask", "{}", " "]).refuses().contains("the question is empty"));
    assert!(
        workplace.run(&["records", "search", "", "{}"]).refuses().contains("the query is empty")
    );
}

#[test]
fn text_without_code_or_description_is_no_answered_project() {
    let workplace = Workplace::empty();
    fs::write(workplace.project().join("notes.txt"), "milk, bread\n").unwrap();
    let said = workplace.run(&["evolve", "{}", "--iterations", "1"]).refuses();
    assert!(said.contains("Nothing worth telling was found"), "{said}");
    assert!(said.contains(workplace.project().to_str().unwrap()), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_data_folder_that_is_set_to_nothing_is_the_platforms() {
    let workplace = Workplace::empty();
    let mut command = workplace.command(&["doctor", "--json"]);
    command.env("OURO_DATA_DIR", "").env("XDG_DATA_HOME", workplace.data());
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    let folder = workplace.data().join("ouro");
    assert!(said.contains(folder.to_str().unwrap()), "{said}");
    assert!(folder.is_dir());
}
