//! Rounds with a chat model: a scripted server in place of a real one.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use ouro_core::{
    Event, FailureStatus, Level, RecordQuery, RecordStore as _, SeededRandom, StopReason,
};
use ouro_detect::Config;
use ouro_engine::{ModelReasoner, RunPlan};
use ouro_llm::{ChatConfig, OpenAiChat};
use ouro_testkit::{ManualClock, ModelServer, Reply};
use serde_json::{Value, json};

use crate::stage::{NOON, Running, Stage};

fn asked(questions: &[&str]) -> Value {
    let question = |text: &&str| {
        json!({
            "question": text, "type": "CodeStructure", "priority": 5, "reason": "",
            "suggested_tools": [], "expected_outcome": "",
        })
    };
    json!({ "questions": questions.iter().map(question).collect::<Vec<_>>() })
}

/// Answers a request: reads one file, then answers the question.
fn explores(schema: Option<&str>, messages: &str) -> Reply {
    match schema {
        Some("next_action") if messages.contains("Step 1:") => {
            Reply::json(&json!({ "should_stop": true, "call": null, "reason": "" }))
        }
        Some("next_action") => Reply::json(&json!({
            "should_stop": false,
            "call": { "tool_name": "read_file", "parameters": { "path": "src/a.rs" } },
            "reason": "",
        })),
        Some("summary") => Reply::json(&json!({
            "answer": "It does one thing.", "confidence": 0.8, "tags": [], "domain": "", "gaps": [],
            "source_files": [{ "path": "src/a.rs", "start_line": 1, "end_line": 1 }],
        })),
        other => panic!("not scripted: {other:?}"),
    }
}

async fn start(stage: &Stage, server: &ModelServer, plan: RunPlan) -> Running {
    let mut config = ChatConfig::new(server.base_url(), ModelServer::MODEL);
    config.retry.max_attempts = 1;
    // Its own clock: bytes on a socket take real time.
    let clock = Arc::new(ManualClock::new(NOON));
    let model = OpenAiChat::new(config, clock, Arc::new(SeededRandom::new(1))).unwrap();
    let (mut project, events) = stage.project();
    project.reasoner = Arc::new(ModelReasoner::new(Arc::new(model), Config::default()));
    stage.run(project, events, plan).await
}

#[tokio::test]
async fn a_model_can_say_that_everything_is_answered() {
    // At once, or after it was told that what it would ask is answered.
    for repeats in [0, 1] {
        let stage = Stage::new();
        let server = ModelServer::start().await;
        let rounds = AtomicUsize::new(0);
        server.on_chat(move |request| match request.schema_name() {
            Some("questions") => {
                let first = rounds.fetch_add(1, Ordering::Relaxed) <= repeats;
                let questions: &[&str] = if first { &["What does a do?"] } else { &[] };
                Reply::json(&asked(questions))
            }
            other => explores(other, &request.body.to_string()),
        });
        let first = start(&stage, &server, RunPlan::bounded(1)).await;
        assert_eq!(first.handle.finished().await.unwrap(), StopReason::IterationsDone);
        for expected in [StopReason::FullyCovered, StopReason::ProjectUnchanged] {
            let again = start(&stage, &server, RunPlan::bounded(3)).await;
            assert_eq!(again.handle.finished().await.unwrap(), expected, "{repeats}");
        }
        let told = |n: usize| {
            let requests = server.requests();
            let asking = requests.iter().filter(|r| r.schema_name() == Some("questions"));
            let body = asking.map(|r| r.body.to_string()).nth(n).unwrap();
            body.contains("give an empty list")
        };
        assert_eq!((told(0), told(1)), (false, true), "a new project has something to ask");
    }
}

#[tokio::test]
async fn a_server_that_lost_its_model_is_a_failure_and_no_answer() {
    let stage = Stage::new();
    let server = ModelServer::start().await;
    server.on_chat(|request| match request.schema_name() {
        Some("questions") => Reply::json(&asked(&["What does a do?"])),
        Some("summary") => Reply::error(404, "model not found"),
        other => explores(other, &request.body.to_string()),
    });
    let mut running = start(&stage, &server, RunPlan::bounded(1)).await;
    let reason = running.handle.finished().await.unwrap();
    assert!(matches!(reason, StopReason::NothingLearned { .. }), "{reason:?}");
    let stats = running.handle.stats();
    assert_eq!((stats.consecutive_errors, stats.total_questions), (1, 1));
    let mut errors = 0;
    while let Ok(event) = running.events.try_recv() {
        assert!(!matches!(event, Event::QuestionRefused { .. }), "{event:?}");
        errors += usize::from(matches!(event, Event::Error { .. }));
    }
    assert_eq!(errors, 1);
    let begun = stage.store.in_flight().unwrap().expect("its question is taken up again");
    assert_eq!(begun.question.question, "What does a do?");
}

#[tokio::test]
async fn questions_without_words_are_a_bad_reply_and_end_nothing() {
    let stage = Stage::new();
    let server = ModelServer::start().await;
    let rounds = AtomicUsize::new(0);
    server.on_chat(move |request| match request.schema_name() {
        Some("questions") => {
            let replies = [&[", ", "?"][..], &["…", "What does a do?"]];
            Reply::json(&asked(replies[rounds.fetch_add(1, Ordering::Relaxed).min(1)]))
        }
        Some("avoid_strategy") => Reply::json(&json!({
            "cause": "", "avoid_strategy": "Ask in words.", "retry_suggestion": "",
        })),
        other => explores(other, &request.body.to_string()),
    });
    let mut running = start(&stage, &server, RunPlan::bounded(2)).await;
    let (_, until) = crate::waiting(&mut running).await;
    let failures = stage.store.guard_state().unwrap().failures;
    assert!(failures.iter().any(|f| f.error.contains("without a word")), "{failures:?}");
    running.sleep_until(until.unwrap()).await;
    assert_eq!(crate::end(&mut running).await, StopReason::IterationsDone);
    let records = stage.store.records(&RecordQuery::default()).unwrap();
    assert_eq!(records.len(), 1, "{records:?}");
    assert_eq!(records[0].question, "What does a do?");
}

#[tokio::test]
async fn a_hole_in_the_coverage_map_is_filled_by_the_question_that_was_asked_for_it() {
    let mut stage = Stage::new();
    stage.config.interval_ms = 0;
    let server = ModelServer::start().await;
    let rounds = AtomicUsize::new(0);
    server.on_chat(move |request| match request.schema_name() {
        Some("questions") => {
            // Of its own type the one would be of the first level and the other, too; by its source, of a folder.
            let round = rounds.fetch_add(1, Ordering::Relaxed);
            let mut asked =
                asked(&[["What does a do?", "Who calls zebra and giraffe?"][round % 2]]);
            asked["questions"][0]["part"] = json!(1);
            Reply::json(&asked)
        }
        other => explores(other, &request.body.to_string()),
    });
    let running = start(&stage, &server, RunPlan::bounded(2)).await;
    assert_eq!(running.handle.finished().await.unwrap(), StopReason::IterationsDone);
    let records = stage.store.records(&RecordQuery::default()).unwrap();
    let cells: Vec<_> =
        records.iter().flat_map(|r| &r.topic).map(|t| (t.level, t.module.as_str())).collect();
    assert_eq!(cells.len(), 2);
    assert!(cells.contains(&(Level::Foundation, "")), "{cells:?}");
    assert!(cells.contains(&(Level::Domain, "")), "{cells:?}");
    let requests = server.requests();
    let asking = requests.iter().filter(|r| r.schema_name() == Some("questions"));
    let first: Vec<bool> =
        asking.map(|r| r.body.to_string().contains("1. Foundation (structure")).collect();
    assert_eq!(first, [true, false], "what is filled is not asked for any more");
}

#[tokio::test]
async fn a_model_that_failed_is_asked_why_behind_its_pause_and_told_at_its_next_attempt() {
    let stage = Stage::new();
    let server = ModelServer::start().await;
    let rounds = AtomicUsize::new(0);
    server.on_chat(move |request| match request.schema_name() {
        // It is asked once more for what does not fit.
        Some("questions") if rounds.fetch_add(1, Ordering::Relaxed) < 2 => {
            Reply::json(&json!({ "questions": "none" }))
        }
        Some("questions") => Reply::json(&asked(&["What does a do?"])),
        Some("avoid_strategy") => Reply::json(&json!({
            "cause": "No JSON came.", "avoid_strategy": "Send JSON alone.",
            "retry_suggestion": "Ask for fewer.",
        })),
        other => explores(other, &request.body.to_string()),
    });
    let mut running = start(&stage, &server, RunPlan::bounded(2)).await;
    let (_, until) = crate::waiting(&mut running).await;
    assert_eq!(server.requests().len(), 2, "nothing more while it is paused");
    running.sleep_until(until.unwrap()).await;
    assert_eq!(crate::end(&mut running).await, StopReason::IterationsDone);
    let requests = server.requests();
    assert_eq!(requests[2].schema_name(), Some("avoid_strategy"));
    let told = requests[3].body.to_string();
    for part in ["No JSON came.", "Send JSON alone.", "Ask for fewer."] {
        assert!(told.contains(part), "{told}");
    }
    let failures = stage.store.guard_state().unwrap().failures;
    assert!(failures.iter().all(|f| f.status == FailureStatus::Resolved), "{failures:?}");
}

#[tokio::test]
async fn a_call_of_no_tool_or_with_wrong_parameters_is_answered_with_what_is_wrong_and_voids_nothing()
 {
    let wrong = [
        ("bash", json!({ "cmd": "id" }), "there is no tool"),
        ("read_file", json!({ "file": "src/a.rs" }), "path is missing"),
    ];
    for (tool, parameters, told) in wrong {
        let stage = Stage::new();
        let server = ModelServer::start().await;
        let steps = AtomicUsize::new(0);
        server.on_chat(move |request| match request.schema_name() {
            Some("questions") => Reply::json(&asked(&["What does a do?"])),
            // It says the same when it is asked for it once more.
            Some("next_action") if steps.fetch_add(1, Ordering::Relaxed) < 2 => {
                Reply::json(&json!({
                    "should_stop": false, "reason": "",
                    "call": { "tool_name": tool, "parameters": parameters },
                }))
            }
            Some("next_action") if steps.load(Ordering::Relaxed) > 3 => {
                Reply::json(&json!({ "should_stop": true, "call": null, "reason": "" }))
            }
            Some(other) => explores(Some(other), ""),
            None => panic!("no schema"),
        });
        let mut running = start(&stage, &server, RunPlan::bounded(1)).await;
        let mut calls = Vec::new();
        while let Some(event) = running.events.recv().await {
            match event {
                Event::ToolCall { summary, is_error, .. } => calls.push((summary, is_error)),
                Event::Error { message, .. } => panic!("{message}"),
                Event::Finished { .. } => break,
                _ => {}
            }
        }
        assert!(calls[0].1 && calls[0].0.contains(told), "{calls:?}");
        assert!(!calls.last().unwrap().1, "{calls:?}");
        assert_eq!((stage.record_count(), running.handle.stats().consecutive_errors), (1, 0));
        let answered = server.requests().iter().any(|r| r.body.to_string().contains(told));
        assert!(answered, "the model is shown what is wrong");
    }
}

#[tokio::test]
async fn a_step_that_the_iteration_can_not_pay_any_more_is_its_limit_and_no_failure_of_its_question()
 {
    let stage = Stage::new();
    let server = ModelServer::start().await;
    server.on_chat(|request| match request.schema_name() {
        Some("questions") => Reply::json(&asked(&["What does a do?"])).usage(400, 800),
        Some("next_action") => explores(Some("next_action"), "").usage(700, 1_300),
        other => explores(other, ""),
    });
    // One step is paid for, and what it brought is summed up.
    let mut running = start(&stage, &server, RunPlan::bounded(1)).await;
    assert_eq!(crate::end(&mut running).await, StopReason::IterationsDone);
    assert_eq!((stage.record_count(), running.handle.stats().consecutive_errors), (1, 0));

    // None is paid for: the question waits for more tokens.
    let mut stage = Stage::new();
    stage.config.max_tokens_per_iteration = 2_500;
    let mut running = start(&stage, &server, RunPlan::bounded(1)).await;
    crate::end(&mut running).await;
    let asked = stage.store.guard_state().unwrap().asked;
    assert!(asked[0].cut_short.is_some(), "{asked:?}");
    assert!(stage.store.guard_state().unwrap().failures.is_empty());
    stage.config.max_tokens_per_iteration = 8_000;
    let mut running = start(&stage, &server, RunPlan::bounded(1)).await;
    crate::end(&mut running).await;
    assert_eq!(stage.record_count(), 1);
}
