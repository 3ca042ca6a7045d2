//! API keys go to their servers and nowhere else.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use ouro_testkit::{ModelServer, Reply};
use serde_json::json;

use crate::{
    model::sensible,
    support::{LIMIT, Run, Workplace, records},
};

/// Made up, and put together so that this file holds none.
fn chat_key() -> String {
    ["sk", "-", "4f9a1c7be2d8405fa6b3c1d7e9f20b64"].concat()
}

fn embedder_key() -> String {
    ["emb", "-", "c0ffee7712ab34cd56ef78ab90cd12ef"].concat()
}

/// Whether a file below this folder, or its name, holds the text.
fn holds(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        let named = path.to_string_lossy().contains(text);
        named
            || if path.is_dir() {
                holds(&path, text)
            } else {
                let bytes = fs::read(&path).unwrap();
                bytes.windows(text.len()).any(|part| part == text.as_bytes())
            }
    })
}

/// How many processes of this machine have a key among their arguments, at this moment.
fn processes_with_a_key() -> usize {
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    let arguments = processes.flatten().filter_map(|p| fs::read(p.path().join("cmdline")).ok());
    arguments
        .filter(|line| {
            let line = String::from_utf8_lossy(line);
            line.contains(&chat_key()) || line.contains(&embedder_key())
        })
        .count()
}

/// Runs `ouro` with both keys in its environment, as talkative as it gets.
fn run(workplace: &Workplace, arguments: &[&str]) -> Run {
    let project = workplace.project();
    let project = project.to_str().unwrap();
    let arguments: Vec<&str> =
        arguments.iter().map(|a| if *a == "{}" { project } else { a }).collect();
    let mut command = workplace.command(&arguments);
    command
        .env("OURO_API_KEY", chat_key())
        .env("OURO_EMBEDDER_API_KEY", embedder_key())
        .env("RUST_LOG", "trace");
    let mut command = assert_cmd::Command::from_std(command);
    Run { output: command.timeout(LIMIT).output().unwrap() }
}

#[track_caller]
fn assert_no_key(workplace: &Workplace, run: &Run) {
    for key in [chat_key(), embedder_key()] {
        assert!(!run.stdout().contains(&key), "on standard output");
        let line = run.stderr().lines().find(|l| l.contains(&key)).map(str::to_owned);
        assert_eq!(line, None, "in the log");
        assert!(!workplace.data().exists() || !holds(&workplace.data(), &key), "in the store");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_stands_in_no_file_no_output_no_log_and_no_argument() {
    let (chat, embedder) = (ModelServer::start().await, ModelServer::start().await);
    chat.require_key(&chat_key());
    embedder.require_key(&embedder_key());
    let exposed = Arc::new(AtomicUsize::new(0));
    let seen = exposed.clone();
    chat.on_chat(move |request| {
        seen.fetch_add(processes_with_a_key(), Ordering::Relaxed);
        sensible(request)
    });
    let urls = (chat.base_url(), embedder.base_url());
    tokio::task::spawn_blocking(move || {
        let workplace = Workplace::weather();
        let models =
            ["--llm", &urls.0, "--embedder", &urls.1, "--embedder-model", ModelServer::MODEL];
        let evolve = ["evolve", "{}", "--json", "--iterations", "2"];
        let learnt = run(&workplace, &[&evolve[..], &models[..]].concat());
        assert_no_key(&workplace, &learnt);
        // It logs while threads end, too, and there the process aborted.
        assert!(!learnt.stderr().contains("TRACE sled"), "{}", learnt.stderr());
        assert_eq!(records(&learnt.succeeds().json_lines()).len(), 1);
        for arguments in [&["ask", "{}", "How are readings weighted?"][..], &["doctor", "{}"]] {
            let answered = run(&workplace, &[arguments, &models[..]].concat());
            assert_no_key(&workplace, &answered);
            answered.succeeds();
        }
    })
    .await
    .unwrap();
    assert!(!chat.requests().is_empty() && !embedder.requests().is_empty());
    assert_eq!(exposed.load(Ordering::Relaxed), 0, "among the arguments of a process");
}

/// Servers and proxies have been seen to repeat the key: in an error, in a redirect, even as the answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_a_server_repeats_is_not_passed_on() {
    type Echo = fn(&str) -> Reply;
    let echoes: [Echo; 7] = [
        |key| Reply::error(400, &format!("Incorrect API key provided: {key}.")),
        |key| Reply::error(401, &format!("Incorrect API key provided: {key}.")),
        |key| Reply::raw("text/plain", format!("Bearer {key}")).with_status(500),
        |key| Reply::status(302).header("location", &format!("/login/{key}?key={key}")),
        |key| {
            let error = json!({"error": {"message": format!("{key} is over its limit")}});
            Reply::raw("text/event-stream", format!("data: {error}\n\n"))
        },
        |key| Reply::text(format!("I was called with {key}.")),
        |key| {
            Reply::json(&json!({ "questions": [{
                "question": format!("Why does weather/forecast.py use {key}?"),
                "type": "security", "priority": 9, "reason": key,
                "suggested_tools": [key], "expected_outcome": key,
            }]}))
        },
    ];
    for echo in echoes {
        let server = ModelServer::start().await;
        server.require_key(&chat_key());
        server.on_chat(move |_| echo(&chat_key()));
        let url = server.base_url();
        tokio::task::spawn_blocking(move || {
            let workplace = Workplace::weather();
            let quick = ["--set", "base_backoff_ms=1", "--set", "max_backoff_ms=1"];
            let evolve = ["evolve", "{}", "--json", "--iterations", "1", "--llm", &url];
            let model = ["--model", ModelServer::MODEL];
            let refused = run(&workplace, &[&evolve[..], &model, &quick].concat());
            assert_no_key(&workplace, &refused);
            for show in ["failures", "stats"] {
                let list: &[&str] =
                    if show == "failures" { &["failures", "list", "{}"] } else { &["stats", "{}"] };
                assert_no_key(&workplace, &run(&workplace, list));
            }
        })
        .await
        .unwrap();
        assert!(!server.requests().is_empty());
    }
}

#[test]
fn a_key_in_the_place_of_its_variables_name_is_not_repeated() {
    let workplace = Workplace::weather();
    // A key of its own: a test beside this one looks for the others among the arguments of all processes.
    let key = ["sk", "-", "77d0b2f1c94e4a6d8e3f5b1a2c6d9e08"].concat();
    for option in ["--api-key-env", "--embedder-key-env"] {
        let server = if option == "--api-key-env" { "--llm" } else { "--embedder" };
        let run = workplace.run(&["doctor", "{}", server, "http://127.0.0.1:9/v1", option, &key]);
        let said = run.stdout() + &run.stderr();
        assert!(!said.contains(&key), "{said}");
        assert!(said.contains("name of an environment variable"), "{said}");
    }
}
