//! Scores over HTTP.

use std::{sync::Arc, time::Duration};

use ouro_core::{ErrorKind, Reranker, Result};
use ouro_llm::{HttpReranker, RerankerConfig};
use ouro_testkit::{ManualClock, ModelServer, Reply};
use serde_json::json;

use crate::support::random;

fn reranker(server: &ModelServer, clock: &Arc<ManualClock>) -> HttpReranker {
    let config =
        RerankerConfig { max_input_tokens: 4, ..RerankerConfig::new(server.base_url(), "bge") };
    HttpReranker::new(config, clock.clone(), random()).unwrap()
}

async fn scores(reranker: &HttpReranker) -> Result<Vec<f32>> {
    reranker.scores("light", &["a lamp that is very old".to_owned(), "light".to_owned()]).await
}

#[tokio::test]
async fn each_text_gets_its_own_score_whatever_the_order_of_the_answer() {
    let server = ModelServer::start().await;
    let reranker = reranker(&server, &Arc::new(ManualClock::new(0)));
    assert_eq!(scores(&reranker).await.unwrap(), [0.0, 1.0]);
    let sent = &server.requests()[0];
    assert_eq!(sent.path, "/v1/rerank");
    assert_eq!(
        sent.body,
        json!({"model": "bge", "query": "light", "documents": ["a lamp that is ", "light"]})
    );
    assert_eq!(reranker.scores("light", &[]).await.unwrap(), Vec::<f32>::new());
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_answer_that_judges_not_every_text_is_refused_with_the_models_name() {
    let server = ModelServer::start().await;
    let reranker = reranker(&server, &Arc::new(ManualClock::new(0)));
    let raw = |results| Reply::raw("application/json", json!({ "results": results }).to_string());
    for (reply, hint) in [
        (Reply::scores(&[0.5]), "each of the 2 texts"),
        (
            raw(json!([{"index": 0, "relevance_score": 1}, {"index": 2, "relevance_score": 1}])),
            "each of",
        ),
        (
            raw(json!([{"index": 0, "relevance_score": 1}, {"index": 1, "relevance_score": null}])),
            "each of",
        ),
        (
            raw(
                json!([{"index": 0, "relevance_score": 1}, {"index": 1, "relevance_score": 1e300}]),
            ),
            "no list of scores",
        ),
        (raw(json!("none")), "no list of scores"),
        (Reply::html(), "web page"),
    ] {
        server.reply_scores(reply);
        let error = scores(&reranker).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadReply, "{error}");
        assert!(error.message().contains("reranker `bge`"), "{error}");
        assert!(error.message().contains(hint), "{error} should say: {hint}");
    }
}

#[tokio::test]
async fn a_reranker_that_fails_is_asked_once_and_then_left_alone_for_a_while() {
    let server = ModelServer::start().await;
    let clock = Arc::new(ManualClock::new(0));
    let reranker = reranker(&server, &clock);
    server.reply_scores(Reply::status(503));
    for _ in 0..3 {
        assert_eq!(scores(&reranker).await.unwrap_err().kind(), ErrorKind::Unavailable);
    }
    assert_eq!(server.requests().len(), 1);
    clock.advance(Duration::from_secs(1));
    assert_eq!(scores(&reranker).await.unwrap(), [0.0, 1.0]);
}

#[tokio::test]
async fn a_wrong_configuration_is_refused() {
    for (url, model) in [("http://127.0.0.1:1", " "), ("not a url", "bge")] {
        let config = RerankerConfig::new(url, model);
        let refused = HttpReranker::new(config, Arc::new(ManualClock::new(0)), random());
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}
