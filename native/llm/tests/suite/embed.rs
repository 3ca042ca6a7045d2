//! Embeddings over HTTP.

use std::{sync::Arc, time::Duration};

use ouro_core::{Embedder, Error, ErrorKind, Result, SharedEmbedder};
use ouro_llm::{EmbedderConfig, HashEmbedder, LateEmbedder, OpenAiEmbedder};
use ouro_testkit::{ManualClock, ModelServer, Reply};
use serde_json::json;

use crate::support::random;

async fn connect(
    server: &ModelServer,
    change: impl FnOnce(&mut EmbedderConfig),
) -> Result<OpenAiEmbedder> {
    let mut config = EmbedderConfig::new(server.base_url(), "bge-m3");
    config.retry.max_attempts = 1;
    change(&mut config);
    OpenAiEmbedder::connect(config, Arc::new(ManualClock::new(0)), random()).await
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&t| t.to_owned()).collect()
}

/// An embedder that needs no calibration, so that the next reply is the first one.
async fn connected(server: &ModelServer) -> OpenAiEmbedder {
    connect(server, |config| config.duplicate_threshold = Some(0.9)).await.unwrap()
}

#[tokio::test]
async fn vectors_come_in_order_and_normalised() {
    let server = ModelServer::start().await;
    let embedder = connected(&server).await;
    assert_eq!(
        (embedder.id(), embedder.dimension(), embedder.duplicate_threshold()),
        ("bge-m3-32", 32, 0.9)
    );
    assert_eq!(embedder.calibration(), None);
    server.on_embed(|text| {
        let mut vector = vec![0.0; 32];
        vector[text.len()] = 5.0;
        vector
    });
    let vectors = embedder.embed(&texts(&["a", "three"])).await.unwrap();
    assert_eq!((vectors[0][1], vectors[1][5]), (1.0, 1.0));
    assert_eq!(server.requests()[1].body, json!({"model": "bge-m3", "input": ["a", "three"]}));
    assert_eq!(embedder.embed(&[]).await.unwrap(), Vec::<Vec<f32>>::new());
}

#[tokio::test]
async fn an_embedder_that_tells_nothing_apart_is_refused() {
    let server = ModelServer::start().await;
    server.on_embed(|_| vec![0.5, 0.25]);
    let error = connect(&server, |_| {}).await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::BadReply);
    assert!(error.message().contains("one and the same vector"), "{error}");
}

#[tokio::test]
async fn a_server_that_answers_out_of_order_is_put_right() {
    let server = ModelServer::start().await;
    server.reply_embeddings(Reply::embeddings(&[vec![1.0, 0.0]]));
    let embedder = connected(&server).await;
    let data =
        json!({"data": [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [2, 0]}]});
    server.reply_embeddings(Reply::raw("application/json", data.to_string()));
    let vectors = embedder.embed(&texts(&["first", "second"])).await.unwrap();
    assert_eq!(vectors, [[1.0, 0.0], [0.0, 1.0]]);
}

#[tokio::test]
async fn the_threshold_is_measured_on_connecting() {
    let server = ModelServer::start().await;
    server.on_embed(HashEmbedder::vector);
    let embedder = connect(&server, |_| {}).await.unwrap();
    assert!((embedder.duplicate_threshold() - HashEmbedder.duplicate_threshold()).abs() < 0.01);
    let calibration = embedder.calibration().unwrap();
    assert!(calibration.separates(), "{calibration:?}");
    assert_eq!(embedder.id(), "bge-m3-512");
}

#[tokio::test]
async fn texts_go_in_batches_with_their_prefix_and_not_too_long() {
    let server = ModelServer::start().await;
    let embedder = connect(&server, |config| {
        config.duplicate_threshold = Some(0.9);
        config.batch_size = 2;
        config.max_input_tokens = 2;
        config.query_prefix = "query: ".to_owned();
    })
    .await
    .unwrap();
    assert_eq!(embedder.id(), "bge-m3-query-32");
    assert_eq!(embedder.embed(&texts(&["one", "two", "a long text"])).await.unwrap().len(), 3);
    let requests = server.requests();
    let inputs: Vec<_> = requests.iter().skip(1).map(|r| &r.body["input"]).collect();
    assert_eq!(inputs, [&json!(["query: one", "query: two"]), &json!(["query: a long "])]);
}

#[tokio::test]
async fn vectors_that_cannot_be_compared_are_refused_with_the_models_name() {
    let server = ModelServer::start().await;
    let embedder = connected(&server).await;
    let raw = |body: &str| Reply::raw("application/json", body.to_owned());
    for (reply, hint) in [
        (Reply::embeddings(&[vec![1.0; 32]]), "sent 1 vectors for 2 texts"),
        (Reply::embeddings(&[vec![1.0; 32], vec![1.0; 31]]), "not of one length"),
        (Reply::embeddings(&[vec![], vec![]]), "empty"),
        (Reply::embeddings(&[vec![1.0; 16], vec![1.0; 16]]), "16 numbers instead of 32"),
        (Reply::embeddings(&[vec![0.0; 32], vec![1.0; 32]]), "zero or not finite"),
        (
            raw("{\"data\": [{\"embedding\": [null, 1]}, {\"embedding\": [1, 1]}]}"),
            "zero or not finite",
        ),
        (
            raw("{\"data\": [{\"embedding\": [1e300, 1]}, {\"embedding\": [1, 1]}]}"),
            "zero or not finite",
        ),
        (raw("{\"data\": \"no\"}"), "no list of embeddings"),
        (Reply::html(), "web page"),
    ] {
        server.reply_embeddings(reply);
        let error: Error = embedder.embed(&texts(&["a", "b"])).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadReply, "{error}");
        assert!(error.message().contains("embedder `bge-m3`"), "{error}");
        assert!(error.message().contains(hint), "{error} should say: {hint}");
    }
}

#[tokio::test]
async fn a_wrong_configuration_or_text_is_refused() {
    let server = ModelServer::start().await;
    let kind = |result: Result<OpenAiEmbedder>| result.unwrap_err().kind();
    assert_eq!(kind(connect(&server, |c| c.model = " ".to_owned()).await), ErrorKind::InvalidInput);
    assert_eq!(
        kind(connect(&server, |c| c.duplicate_threshold = Some(1.5)).await),
        ErrorKind::InvalidInput
    );
    server.reply_embeddings(Reply::error(404, "model not found"));
    assert_eq!(kind(connect(&server, |_| {}).await), ErrorKind::NotFound);
    let embedder = connected(&server).await;
    assert_eq!(
        embedder.embed(&texts(&["a", " "])).await.unwrap_err().kind(),
        ErrorKind::InvalidInput
    );
}

#[tokio::test]
async fn a_server_that_fails_is_left_alone_as_long_as_it_asks_for_or_ever_longer() {
    let server = ModelServer::start().await;
    let clock = Arc::new(ManualClock::new(0));
    let mut config = EmbedderConfig::new(server.base_url(), "bge-m3");
    config.retry.max_attempts = 1;
    config.duplicate_threshold = Some(0.9);
    let embedder = OpenAiEmbedder::connect(config, clock.clone(), random()).await.unwrap();
    let mut seen = server.requests().len();
    let status = |status| Reply::status(status).header("retry-after", "3600");
    for (reply, rest) in [
        (status(429), 3_600),
        (Reply::status(503), 2),
        (Reply::status(503), 4),
        (status(429), 3_600),
    ] {
        server.reply_embeddings(reply);
        for _ in 0..3 {
            let error = embedder.embed(&texts(&["a"])).await.unwrap_err();
            assert!(error.is_retryable() && error.message().contains("bge-m3"), "{error}");
        }
        clock.advance(Duration::from_secs(rest) - Duration::from_millis(1));
        assert!(embedder.embed(&texts(&["a"])).await.is_err());
        clock.advance(Duration::from_millis(1));
        seen += 1;
        assert_eq!(server.requests().len(), seen);
    }
    embedder.embed(&texts(&["a"])).await.unwrap();
    server.reply_embeddings(Reply::status(503));
    assert!(embedder.embed(&texts(&["a"])).await.is_err());
    clock.advance(Duration::from_secs(1));
    embedder.embed(&texts(&["a"])).await.unwrap();
}

#[tokio::test]
async fn a_server_that_hangs_is_given_up() {
    let server = ModelServer::start().await;
    let clock = Arc::new(ManualClock::new(0));
    let config = EmbedderConfig::new(server.base_url(), "bge-m3");
    let limit = config.timeout;
    server.reply_embeddings(Reply::hang());
    let (result, ()) =
        tokio::join!(OpenAiEmbedder::connect(config, clock.clone(), random()), async {
            server.received(1).await;
            clock.advance(limit);
        });
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.message().contains("sent no vectors for 60 s"), "{error}");
}

/// A late embedder of this server.
async fn late(url: String, clock: &Arc<ManualClock>) -> Result<LateEmbedder> {
    let server_clock = clock.clone();
    let connect = move || {
        let mut config = EmbedderConfig::new(&url, "bge-m3");
        config.retry.max_attempts = 1;
        config.duplicate_threshold = Some(0.9);
        let clock = server_clock.clone();
        async move {
            let embedder = OpenAiEmbedder::connect(config, clock, random()).await?;
            Ok(Arc::new(embedder) as SharedEmbedder)
        }
    };
    LateEmbedder::connect("bge-m3", clock.clone(), connect).await
}

#[tokio::test]
async fn an_embedder_whose_server_comes_up_later_is_used_from_then_on() {
    let gone = ModelServer::start().await;
    let address = gone.address();
    drop(gone);
    let clock = Arc::new(ManualClock::new(0));
    let embedder = late(format!("http://{address}/v1"), &clock).await.unwrap();
    assert_eq!((embedder.id(), embedder.duplicate_threshold()), ("bge-m3", 1.0));
    assert_eq!(embedder.away().unwrap().kind(), ErrorKind::Unavailable);
    let asked = texts(&["a"]);
    assert_eq!(embedder.embed(&asked).await.unwrap_err().kind(), ErrorKind::Unavailable);

    let server = ModelServer::start_at(address).await;
    // It rests, and is not asked.
    embedder.embed(&asked).await.unwrap_err();
    assert_eq!(server.requests().len(), 0);
    clock.advance(Duration::from_secs(1));
    assert_eq!(embedder.embed(&asked).await.unwrap().len(), 1);
    assert_eq!((embedder.id(), embedder.duplicate_threshold()), ("bge-m3-32", 0.9));
    assert!(embedder.away().is_none());
}

#[tokio::test]
async fn an_embedder_that_can_never_be_connected_is_refused_at_once() {
    let server = ModelServer::start().await;
    server.require_key("k-123456789");
    let clock = Arc::new(ManualClock::new(0));
    let refused = late(server.base_url(), &clock).await.err().unwrap();
    assert!(!refused.is_retryable(), "{refused}");
}
