//! JSON replies: how they are asked for, found, mended and asked for again.

use ouro_core::{ChatModel as _, ErrorKind, Language};
use ouro_testkit::Reply;
use serde_json::{Value, json};

use crate::support::{Setup, json_question};

fn good() -> Value {
    json!({"answer": "It runs jobs.", "confidence": 0.9})
}

#[tokio::test]
async fn the_schema_goes_to_the_server_and_the_value_comes_back() {
    let setup = Setup::new().await;
    setup.server.reply_json(&good());
    let reply = setup.ask(json_question()).await.unwrap();
    assert_eq!(reply.json, Some(good()));
    let sent = &setup.server.requests()[0];
    assert_eq!(sent.schema_name(), Some("answer"));
    assert_eq!(
        sent.body["response_format"]["json_schema"]["schema"],
        json_question().schema.unwrap().schema
    );
    assert_eq!(sent.last_message(), "What does the scheduler do?");
}

#[tokio::test]
async fn a_server_without_schemas_gets_them_in_the_prompt_and_is_not_asked_twice() {
    let setup = Setup::new().await;
    setup.server.reply(Reply::error(400, "response_format: json_schema is not supported"));
    setup.server.reply(Reply::error(422, "unknown field `response_format`"));
    setup.server.on_chat(|_| Reply::json(&good()));
    for _ in 0..2 {
        assert_eq!(setup.ask(json_question()).await.unwrap().json, Some(good()));
    }
    let requests = setup.server.requests();
    let formats: Vec<&Value> =
        requests.iter().map(|r| &r.body["response_format"]["type"]).collect();
    assert_eq!(formats, [&json!("json_schema"), &json!("json_object"), &Value::Null, &Value::Null]);
    for request in &requests[1..] {
        assert!(request.last_message().starts_with("What does the scheduler do?"));
        assert!(request.last_message().contains("\"confidence\""), "{}", request.last_message());
    }
}

#[tokio::test]
async fn json_is_found_behind_reasoning_and_in_a_fence_and_mended() {
    let setup = Setup::new().await;
    for text in [
        "<think>{\"answer\": 1}</think>Here you are:\n```json\n{\"answer\": \"It runs jobs.\", \"confidence\": 0.9,}\n```",
        "{\"answer\": \"It runs jobs.\", \"confidence\": 0.9",
    ] {
        setup.server.reply_text(text);
        let reply = setup.ask(json_question()).await.unwrap();
        assert_eq!(reply.json, Some(good()), "{text}");
        assert!(text.ends_with(&reply.content));
    }
    assert_eq!(setup.server.requests().len(), 2);
}

#[tokio::test]
async fn a_wrong_reply_is_asked_for_once_more_with_the_error() {
    let setup = Setup::new().await;
    setup.server.reply(Reply::text("{\"answer\": \"jobs\", \"confidence\": 7}").usage(10, 5));
    setup.server.reply(Reply::json(&good()).usage(20, 6));
    let reply = setup.ask(json_question()).await.unwrap();
    assert_eq!((reply.json, reply.usage.prompt, reply.usage.completion), (Some(good()), 30, 11));
    let second = &setup.server.requests()[1];
    let messages = second.messages();
    assert_eq!(messages[2], ("assistant", "{\"answer\": \"jobs\", \"confidence\": 7}"));
    assert!(
        messages[3].1.contains("at /confidence: 7 is greater than the maximum of 1"),
        "{}",
        messages[3].1
    );
    assert!(messages[3].1.contains("\"minimum\":0"), "{}", messages[3].1);
    assert_eq!((messages[3].0, second.schema_name()), ("user", Some("answer")));
}

#[tokio::test]
async fn two_wrong_replies_are_an_error_that_repeats_nothing_of_them() {
    let setup = Setup::new().await;
    setup.server.reply_text("{\"answer\": 1, \"confidence\": \"private\"}");
    setup.server.reply_text("{\"answer\": \"jobs\", \"confidence\": \"private\"}");
    let error = setup.ask(json_question()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadReply);
    assert!(
        error.message().contains("(answer)") && error.message().contains("/confidence"),
        "{error}"
    );
    assert!(!format!("{error:?}").contains("private"), "{error}");
}

#[tokio::test]
async fn a_second_wrong_reply_is_taken_where_it_matches_the_wider_schema_that_was_given() {
    let setup = Setup::new().await;
    let mut request = json_question();
    let wider = json!({ "type": "object", "required": ["answer"] });
    request.schema.as_mut().unwrap().at_least = Some(wider);
    setup.server.reply_text("no");
    setup.server.reply_text("{\"answer\": 1}");
    let reply = setup.ask(request.clone()).await.unwrap();
    assert_eq!(reply.json, Some(json!({ "answer": 1 })));
    assert_eq!(setup.server.requests().len(), 2, "not before it was asked for again");
    setup.server.reply_text("no");
    setup.server.reply_text("{\"confidence\": 1}");
    assert_eq!(setup.ask(request.clone()).await.unwrap_err().kind(), ErrorKind::BadReply);
    // Where the tokens don't pay for asking again, the first reply is the last.
    setup.server.reply(Reply::text("{\"answer\": 2}").usage(60_000, 100));
    assert_eq!(setup.ask(request).await.unwrap().json, Some(json!({ "answer": 2 })));
}

#[tokio::test]
async fn a_wrong_reply_is_not_asked_for_again_when_that_would_cost_too_much() {
    let setup = Setup::new().await;
    setup.server.reply(Reply::text("I would rather not.").usage(60_000, 100));
    setup.server.reply_json(&good());
    let error = setup.ask(json_question()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadReply);
    assert!(error.message().contains("don't pay for asking again: there is no JSON"), "{error}");
    let chinese = error.message_in(Language::Chinese);
    assert!(chinese.contains("其中没有 JSON 对象"), "{chinese}");
    assert_eq!(error.spent().total(), 60_100);
    assert_eq!(setup.server.requests().len(), 1);
}

#[tokio::test]
async fn the_servers_own_count_tells_how_long_its_tokens_are() {
    let setup = Setup::new().await;
    let mut long = json_question();
    long.messages[1].content = "What does the scheduler do? ".repeat(100);
    setup.server.reply(Reply::json(&good()).usage(1_432, 20));
    assert!((setup.model.tokens_per_estimated() - 1.0).abs() < 1e-6);
    setup.ask(long).await.unwrap();
    assert!((setup.model.tokens_per_estimated() - 2.0).abs() < 0.02);
}

#[tokio::test]
async fn an_empty_reply_is_not_shown_to_the_model() {
    let setup = Setup::new().await;
    setup.server.reply_text("");
    setup.server.reply_json(&good());
    setup.ask(json_question()).await.unwrap();
    let requests = setup.server.requests();
    let roles: Vec<&str> = requests[1].messages().iter().map(|(role, _)| *role).collect();
    assert_eq!(roles, ["system", "user", "user"]);
}

#[tokio::test]
async fn a_reply_that_was_cut_is_asked_for_shorter() {
    let setup = Setup::new().await;
    setup.server.reply(Reply::text("{\"answer\": \"It runs").finish_reason("length"));
    setup.server.reply(Reply::text("{\"answer\": \"It runs").finish_reason("length"));
    let error = setup.ask(json_question()).await.unwrap_err();
    assert!(setup.server.requests()[1].last_message().contains("shorter"));
    assert_eq!(error.kind(), ErrorKind::BadReply);
    assert!(error.message().contains("tokens were used up"), "{error}");
}

#[tokio::test]
async fn a_server_that_passes_over_the_schema_gets_it_in_the_prompt_next_time() {
    let setup = Setup::new().await;
    setup.server.reply_text("The scheduler runs jobs.");
    setup.server.on_chat(|_| Reply::json(&good()));
    for _ in 0..2 {
        setup.ask(json_question()).await.unwrap();
    }
    let requests = setup.server.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests[2].last_message().contains("JSON Schema"));
}

#[tokio::test]
async fn a_refusal_for_another_reason_changes_nothing_for_the_next_request() {
    let setup = Setup::new().await;
    setup.server.on_chat(|_| Reply::error(400, "this model is not supported"));
    setup.ask(json_question()).await.unwrap_err();
    setup.server.on_chat(|_| Reply::json(&good()));
    setup.ask(json_question()).await.unwrap();
    assert_eq!(setup.server.requests().last().unwrap().schema_name(), Some("answer"));
}
