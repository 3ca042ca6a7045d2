//! Everything that can come back instead of an answer: one clear line each.

use std::{net::TcpListener, sync::Arc};

use ouro_core::{ChatModel, ErrorKind, Unwatched};
use ouro_llm::{ApiKey, ChatConfig, OpenAiChat};
use ouro_testkit::{ManualClock, Reply};

use crate::support::{Setup, Watcher, json_question, question, random};

async fn once() -> Setup {
    Setup::with(|config| config.retry.max_attempts = 1).await
}

#[tokio::test]
async fn every_bad_answer_has_a_kind_and_says_what_to_do() {
    let setup = once().await;
    let base = setup.server.base_url();
    for (reply, kind, hint) in [
        (Reply::status(401), ErrorKind::Refused, "asks for an API key (401) and none is set"),
        (Reply::status(403), ErrorKind::Refused, "asks for an API key"),
        (
            Reply::error(402, "Insufficient Balance"),
            ErrorKind::Refused,
            "payment (402): Insufficient Balance",
        ),
        (
            Reply::error(404, "model 'x' not found"),
            ErrorKind::NotFound,
            "model 'x' not found; check the model's name",
        ),
        (
            Reply::html().with_status(404),
            ErrorKind::NotFound,
            "the path /v1/chat/completions (404); check",
        ),
        (
            Reply::error(400, "context length exceeded"),
            ErrorKind::InvalidInput,
            "(400): context length exceeded",
        ),
        (Reply::status(413), ErrorKind::InvalidInput, "refused the request (413)"),
        (
            Reply::error(429, "slow down"),
            ErrorKind::RateLimited,
            "asks for a pause (429): slow down",
        ),
        (Reply::status(500), ErrorKind::Unavailable, "failed (500)"),
        (
            Reply::raw("text/plain", "Bad Gateway\nnginx").with_status(502),
            ErrorKind::Unavailable,
            "failed (502): Bad Gateway;",
        ),
        (Reply::html(), ErrorKind::BadReply, "looks like a web page; check the base URL"),
        (
            Reply::raw("text/plain", "<html>Login</html>"),
            ErrorKind::BadReply,
            "looks like a web page",
        ),
        (
            Reply::raw("application/json", "{\"half\":"),
            ErrorKind::BadReply,
            "is no chat completion",
        ),
        (
            Reply::raw("text/event-stream", "data: {\"half\":\n\n"),
            ErrorKind::BadReply,
            "is no chat completion",
        ),
        (
            Reply::raw("application/json", "{\"error\": \"out of memory\"}"),
            ErrorKind::Unavailable,
            "out of memory",
        ),
        (
            Reply::raw(
                "text/event-stream",
                "data: {\"error\":{\"message\":\"too many tokens\",\"code\":400}}\n\n",
            ),
            ErrorKind::InvalidInput,
            "(400): too many tokens",
        ),
        (Reply::raw("text/event-stream", ""), ErrorKind::Unavailable, "before it said anything"),
        (Reply::raw("application/json", ""), ErrorKind::Unavailable, "before it said anything"),
        (Reply::text(""), ErrorKind::BadReply, "empty reply"),
        (
            Reply::text("").thinking("Hm").finish_reason("length"),
            ErrorKind::BadReply,
            "allow more tokens",
        ),
        (Reply::text("x").finish_reason("content_filter"), ErrorKind::BadReply, "content filter"),
        (
            Reply::text("It runs jobs").cut_after(1),
            ErrorKind::Unavailable,
            "in the middle of its reply",
        ),
        (Reply::text("It runs jobs").cut_after(0), ErrorKind::Unavailable, "the connection"),
    ] {
        setup.server.reply(reply.clone());
        let error = setup.ask(question()).await.expect_err(hint);
        assert_eq!(error.kind(), kind, "{error} after {reply:?}");
        assert!(error.message().contains(hint), "{error} should say: {hint}");
        assert!(
            error.message().contains(&base) && error.message().contains("test-model"),
            "{error}"
        );
        assert!(!error.message().contains('\n'), "{error}");
    }
}

#[tokio::test]
async fn a_refused_key_is_called_so() {
    let setup =
        Setup::with(|config| config.credential = ApiKey::new("sk-old").unwrap().into()).await;
    setup.server.require_key("sk-new");
    let error = setup.ask(question()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.message().contains("refused the API key (401); check the key"), "{error}");
    assert_eq!(setup.server.requests().len(), 1, "a key doesn't become right by trying again");
}

#[tokio::test]
async fn an_endless_reply_is_broken_off() {
    let setup = once().await;
    setup.server.reply(Reply::endless("and so on "));
    let mut watcher = Watcher::default();
    let error = setup.model.chat(&question(), &mut watcher).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadReply);
    assert!(error.message().contains("did not stop"), "{error}");
    assert!(watcher.content.len() < 16 * 256 + 4096 + 100, "{}", watcher.content.len());
    setup.server.broken_off(1).await;
}

#[tokio::test]
async fn a_reply_of_more_bytes_than_allowed_is_broken_off_whatever_its_form() {
    let setup = Setup::with(|config| config.max_reply_bytes = 1000).await;
    let long = "x".repeat(2000);
    setup.server.reply_text(&long);
    setup.server.reply(Reply::text(long.as_str()).not_streamed());
    setup.server.reply(Reply::raw("text/event-stream", format!("data: {long}")));
    for _ in 0..3 {
        let error = setup.ask(question()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadReply, "{error}");
        assert!(error.message().contains("did not stop"), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_is_down_is_named_with_its_address() {
    let address = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let mut config = ChatConfig::new(format!("http://{address}"), "qwen3");
    config.retry.max_attempts = 1;
    let model = OpenAiChat::new(config, Arc::new(ManualClock::new(0)), random()).unwrap();
    let error = model.chat(&question(), &mut Unwatched).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let expected =
        format!("can't connect to model `qwen3` at http://{address}/v1: Connection refused");
    assert!(error.message().starts_with(&expected), "{error}");
    assert!(error.message().ends_with("is the server running?"), "{error}");
}

#[tokio::test]
async fn a_prompt_that_a_server_repeats_is_not_passed_on() {
    let setup = once().await;
    let echo = "[{'type': 'missing', 'msg': 'Field required', 'input': {'messages': 'What does the scheduler do?'}}]";
    setup.server.reply(Reply::error(409, echo));
    let error = setup.ask(json_question()).await.unwrap_err();
    assert!(
        error.message().contains("Field required") && !error.message().contains("scheduler"),
        "{error}"
    );
}

#[tokio::test]
async fn a_wrong_configuration_is_refused_before_anything_is_sent() {
    let new = |base: &str, model: &str| {
        OpenAiChat::new(ChatConfig::new(base, model), Arc::new(ManualClock::new(0)), random())
            .unwrap_err()
    };
    for (error, hint) in [
        (new("localhost:11434", "m"), "http://localhost:11434"),
        (new("http://localhost", "  "), "model's name is empty"),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.message().contains(hint), "{error}");
    }
}
