//! Redirects, proxies, TLS.

use std::{
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use ouro_core::{ChatModel, Clock, ErrorKind, SystemClock, Unwatched};
use ouro_llm::{ApiKey, ChatConfig, EmbedderConfig, OpenAiChat, OpenAiEmbedder, check_endpoint};
use ouro_testkit::{ManualClock, ModelServer, Reply};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer},
};

use crate::support::{Setup, question, random};

#[tokio::test]
async fn a_redirect_to_another_host_is_refused_and_the_key_stays_here() {
    let setup =
        Setup::with(|config| config.credential = ApiKey::new("sk-secret").unwrap().into()).await;
    setup.server.require_key("sk-secret");
    let other = ModelServer::start().await;
    let target = format!("{}/chat/completions?token=private", other.base_url());
    for status in [301, 302, 303, 307, 308] {
        setup.server.reply(Reply::status(status).header("location", &target));
        let error = setup.ask(question()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(
            error.message().contains(&other.base_url()) && !error.message().contains("private"),
            "{error}"
        );
    }
    assert_eq!(other.requests(), []);
}

#[tokio::test]
async fn no_way_around_leads_a_redirect_to_another_host() {
    let setup =
        Setup::with(|config| config.credential = ApiKey::new("sk-secret").unwrap().into()).await;
    setup.server.require_key("sk-secret");
    let (other, port) = (ModelServer::start().await, setup.server.address().port());
    // First within the endpoint, then out of it.
    setup.server.reply(Reply::status(307).header("location", "/v2/chat/completions"));
    setup.server.reply(Reply::status(308).header("location", &other.base_url()));
    assert_eq!(setup.ask(question()).await.unwrap_err().kind(), ErrorKind::Refused);
    // The same machine by another name, another scheme, another port, and spellings of them.
    for target in [
        format!("http://localhost:{port}/v1/chat/completions"),
        format!("https://127.0.0.1:{port}/v1/chat/completions"),
        format!("//{}/v1", other.address()),
        format!("http:{}", other.base_url().trim_start_matches("http:")),
        format!("http://127.0.0.1:{port}@{}/v1", other.address()),
        format!("\\\\{}\\v1", other.address()),
        "file:///etc/passwd".to_owned(),
        "data:application/json,{}".to_owned(),
        "http://[::1".to_owned(),
    ] {
        let before = setup.server.requests().len();
        setup.server.reply(Reply::status(307).header("location", &target));
        let error = setup.ask(question()).await.expect_err(&target);
        assert_eq!(setup.server.requests().len(), before + 1, "{target}: {error}");
    }
    assert_eq!(other.requests(), []);
    // An embedder and the list of models go the same way.
    setup.server.reply_models(Reply::status(307).header("location", &other.base_url()));
    let credential = ApiKey::new("sk-secret").unwrap().into();
    let (limit, clock) = (Duration::from_secs(5), setup.clock.clone());
    let url = setup.server.base_url();
    let listed = check_endpoint(&url, "m", &credential, limit, clock.clone()).await;
    assert_eq!(listed.unwrap_err().kind(), ErrorKind::Refused);
    setup.server.reply_embeddings(Reply::status(307).header("location", &other.base_url()));
    let mut config = EmbedderConfig::new(&url, ModelServer::MODEL);
    config.credential = credential;
    let connected = OpenAiEmbedder::connect(config, clock, random()).await;
    assert_eq!(connected.unwrap_err().kind(), ErrorKind::Refused);
    assert_eq!(other.requests(), []);
}

#[tokio::test]
async fn a_redirect_within_the_endpoint_is_followed_with_the_same_request() {
    let setup = Setup::new().await;
    setup.server.reply(Reply::status(308).header("location", "/v2/chat/completions"));
    setup.server.reply_text("It runs jobs.");
    assert_eq!(setup.ask(question()).await.unwrap().content, "It runs jobs.");
    let requests = setup.server.requests();
    assert_eq!(
        (requests[1].path.as_str(), &requests[1].body),
        ("/v2/chat/completions", &requests[0].body)
    );
}

#[tokio::test]
async fn redirects_in_a_circle_end() {
    let setup = Setup::new().await;
    setup.server.on_chat(|_| Reply::status(307).header("location", "/v1/chat/completions"));
    assert_eq!(setup.ask(question()).await.unwrap_err().kind(), ErrorKind::Refused);
    assert!(setup.server.requests().len() < 10);
}

/// Runs one of the ignored tests below in a process with these environment variables.
async fn in_child(case: &str, variables: &[(&str, &str)]) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    for name in [
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
        "NO_PROXY",
        "no_proxy",
    ] {
        child.env_remove(name);
    }
    child
        .args(["--exact", &format!("network::{case}"), "--ignored"])
        .envs(variables.iter().copied());
    let output = tokio::task::spawn_blocking(move || child.output().unwrap()).await.unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
}

/// What the environment names as the base URL.
fn base_url() -> String {
    std::env::var("OURO_TEST_BASE_URL").unwrap()
}

/// A model at this base URL that is asked once.
async fn ask(base_url: &str, clock: Arc<dyn Clock>) -> ouro_core::Result<String> {
    let mut config = ChatConfig::new(base_url, ModelServer::MODEL);
    config.retry.max_attempts = 1;
    let model = OpenAiChat::new(config, clock, random())?;
    Ok(model.chat(&question(), &mut Unwatched).await?.content)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_proxy_of_the_environment_is_used_but_not_for_this_machine() {
    let server = ModelServer::start().await;
    server.on_chat(|_| Reply::text("It runs jobs."));
    let proxy = format!("http://{}", server.address());
    in_child(
        "child_gets_an_answer",
        &[("HTTP_PROXY", &proxy), ("OURO_TEST_BASE_URL", "http://models.invalid/v1")],
    )
    .await;
    let dead = "http://127.0.0.1:1";
    let variables = [
        ("HTTP_PROXY", dead),
        ("http_proxy", dead),
        ("ALL_PROXY", dead),
        ("OURO_TEST_BASE_URL", &server.base_url()),
    ];
    in_child("child_gets_an_answer", &variables).await;
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
#[ignore = "run by other tests in a process with another environment"]
async fn child_gets_an_answer() {
    assert_eq!(ask(&base_url(), Arc::new(SystemClock::new())).await.unwrap(), "It runs jobs.");
}

/// A server that speaks TLS with a certificate of its own and answers every request with one reply; and the file
/// that holds its certificate.
async fn tls_server(folder: &Path) -> (String, String) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let file = folder.join("root.pem");
    std::fs::write(&file, cert.pem()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![cert.der().clone()],
            PrivateKeyDer::Pkcs8(signing_key.serialize_der().into()),
        )
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let base_url = format!("https://localhost:{}/v1", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut request = Vec::new();
            while !request.ends_with(b"}") {
                if stream.read_buf(&mut request).await.unwrap_or(0) == 0 {
                    break;
                }
            }
            let body = r#"{"choices":[{"message":{"content":"It runs jobs."}}]}"#;
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    (base_url, file.to_str().unwrap().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_is_spoken_with_whom_the_machine_trusts_and_with_nobody_else() {
    let (ours, theirs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (base_url, root) = tls_server(ours.path()).await;
    let (_, other_root) = tls_server(theirs.path()).await;
    in_child(
        "child_gets_an_answer",
        &[("SSL_CERT_FILE", &root), ("OURO_TEST_BASE_URL", &base_url)],
    )
    .await;
    let variables = [("SSL_CERT_FILE", other_root.as_str()), ("OURO_TEST_BASE_URL", &base_url)];
    in_child("child_refuses_to_speak", &variables).await;
    let nothing = tempfile::tempdir().unwrap();
    let empty = nothing.path().to_str().unwrap();
    let plain = ModelServer::start().await;
    let pretended = plain.base_url().replace("http:", "https:");
    in_child(
        "child_refuses_to_speak",
        &[("SSL_CERT_FILE", &root), ("OURO_TEST_BASE_URL", &pretended)],
    )
    .await;
    in_child(
        "child_finds_no_roots",
        &[
            ("SSL_CERT_FILE", "/dev/null"),
            ("SSL_CERT_DIR", empty),
            ("OURO_TEST_BASE_URL", &base_url),
        ],
    )
    .await;
}

#[tokio::test]
#[ignore = "run by other tests in a process with another environment"]
async fn child_refuses_to_speak() {
    let error = ask(&base_url(), Arc::new(SystemClock::new())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
    assert!(error.message().starts_with("no safe connection to model"), "{error}");
    assert!(error.message().contains("check its certificate, and http or https"), "{error}");
}

#[tokio::test]
#[ignore = "run by other tests in a process with another environment"]
async fn child_finds_no_roots() {
    let error = ask(&base_url(), Arc::new(SystemClock::new())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
    assert!(error.message().contains("SSL_CERT_FILE"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_never_made_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let (_, root) = tls_server(folder.path()).await;
    let silent = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let base_url = format!("https://{}", silent.local_addr().unwrap());
    in_child(
        "child_waits_for_a_connection",
        &[("SSL_CERT_FILE", &root), ("OURO_TEST_BASE_URL", &base_url)],
    )
    .await;
}

#[tokio::test]
#[ignore = "run by other tests in a process with another environment"]
async fn child_waits_for_a_connection() {
    let clock = Arc::new(ManualClock::new(0));
    let base_url = base_url();
    let limit = Duration::from_secs(10);
    let (answer, ()) = tokio::join!(ask(&base_url, clock.clone()), async {
        while clock.next_wake() != Some(limit) {
            tokio::task::yield_now().await;
        }
        clock.advance(limit);
    });
    let error = answer.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    assert!(error.message().contains("connecting took longer than 10 s"), "{error}");
}

/// What a flood has at most: far more than anybody should take.
const FLOOD: usize = 64 << 20;

/// A server that sends the first bytes to whoever connects and then the second ones, again and again; how much it got
/// rid of.
async fn flood(head: &'static str, piece: &'static str) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let sent = Arc::new(AtomicUsize::new(0));
    let count = sent.clone();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1024];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(head.as_bytes()).await;
            let piece = piece.repeat(1024);
            while count.load(Ordering::Relaxed) < FLOOD
                && stream.write_all(piece.as_bytes()).await.is_ok()
            {
                count.fetch_add(piece.len(), Ordering::Relaxed);
            }
        }
    });
    (base_url, sent)
}

#[tokio::test]
async fn an_answer_that_never_ends_is_broken_off_in_every_part_of_it() {
    let stream = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    for (head, piece) in [
        ("HTTP/1.1 200 OK\r\n", "x-more: 0123456789\r\n"),
        ("HTTP/1.1 200 OK\r\nx-long: ", "0123456789"),
        ("HTTP/1.1 500 No\r\ncontent-type: text/plain\r\n\r\n", "no, no, no, "),
        ("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n", "{\"a\":[[[[[[[["),
        (stream, ": a comment that says nothing\n"),
        (stream, "data: a line of an event without its end"),
        (stream, "data: {\"choices\":[{\"delta\":{\"content\":\"and so on \"}}]}\n\n"),
        (stream, "data: {\"choices\":[]}\n\n"),
        ("0123456789", "0123456789"),
    ] {
        let (base_url, sent) = flood(head, piece).await;
        let mut config = ChatConfig::new(base_url, ModelServer::MODEL);
        config.retry.max_attempts = 1;
        // No time passes: only its size can end this.
        let model = OpenAiChat::new(config, Arc::new(ManualClock::new(0)), random()).unwrap();
        let error = model.chat(&question(), &mut Unwatched).await.unwrap_err();
        let sent = sent.load(Ordering::Relaxed);
        assert!(sent < FLOOD, "{sent} bytes of {head:?} {piece:?}: {error}");
        assert!(error.message().chars().count() < 1_000, "{error}");
    }
}
