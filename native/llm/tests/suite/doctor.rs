//! What `ouro doctor` is told about an endpoint.

use std::{sync::Arc, time::Duration};

use ouro_core::{ErrorKind, Result};
use ouro_llm::{ApiKey, Credential, EndpointReport, check_endpoint};
use ouro_testkit::{ManualClock, ModelServer, Reply};

async fn check(server: &ModelServer, model: &str, key: Option<&ApiKey>) -> Result<EndpointReport> {
    let clock = Arc::new(ManualClock::new(0));
    let credential = Credential { key: key.cloned(), setting: "`MY_KEY`".to_owned() };
    check_endpoint(&server.base_url(), model, &credential, Duration::from_secs(10), clock).await
}

#[tokio::test]
async fn a_sound_endpoint_lists_its_models_and_has_no_problem() {
    let server = ModelServer::start().await;
    server.serve_models(&["qwen3:latest", "bge-m3"]);
    let report = check(&server, "qwen3", None).await.unwrap();
    assert_eq!(
        (report.models, report.problems),
        (vec!["bge-m3".to_owned(), "qwen3:latest".to_owned()], vec![])
    );
    assert_eq!(report.base_url, server.base_url());
}

#[tokio::test]
async fn what_is_wrong_is_said_in_words() {
    let server = ModelServer::start().await;
    server.serve_models(&["qwen3"]);
    let problem = |report: EndpointReport| report.problems.join(" ");
    let missing = problem(check(&server, "qwen4", None).await.unwrap());
    assert!(missing.contains("does not serve `qwen4`; it serves `qwen3`"), "{missing}");
    server.serve_models(&[]);
    let empty = problem(check(&server, "qwen3", None).await.unwrap());
    assert!(empty.contains("serves no model"), "{empty}");
    server.reply_models(Reply::status(404));
    let unlisted = problem(check(&server, "qwen3", None).await.unwrap());
    assert!(unlisted.contains("lists no models"), "{unlisted}");
}

#[tokio::test]
async fn an_endpoint_that_cannot_be_used_is_an_error() {
    let server = ModelServer::start().await;
    for (reply, kind) in [
        (Reply::status(401), ErrorKind::Refused),
        (Reply::html(), ErrorKind::BadReply),
        (Reply::raw("text/plain", "hello"), ErrorKind::BadReply),
        (Reply::status(503), ErrorKind::Unavailable),
    ] {
        server.reply_models(reply);
        assert_eq!(check(&server, "qwen3", None).await.unwrap_err().kind(), kind);
    }
    let key = ApiKey::new("sk-wrong").unwrap();
    server.require_key("sk-right");
    let error = check(&server, "qwen3", Some(&key)).await.unwrap_err();
    assert!(
        error.message().contains("refused the API key (401); check the key in `MY_KEY`")
            && !error.message().contains("wrong"),
        "{error}"
    );
}
