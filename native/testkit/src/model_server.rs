//! A scripted model server: real HTTP and server-sent events on loopback.

use std::{
    collections::VecDeque,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Router,
    body::{Body as HttpBody, Bytes},
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};

use crate::model_reply::{Body, Frame, Frames, Reply};

/// An OpenAI-compatible server that answers what a test tells it.
///
/// Chat requests take the next queued [`Reply`], else whatever [`ModelServer::on_chat`] was given. Embeddings, scores
/// of a reranker and the list of models work unscripted. Every request is kept, and checked: one that breaks a rule of the protocol, or that
/// no reply was scripted for, is answered with 400 and fails the test when the server is dropped.
///
/// Bytes on a socket take real time. A clock that jumps to its next sleeper while a request is on its way runs into that
/// request's time-out: give the model's client a clock of its own, or limits longer than any jump.
///
/// ```no_run
/// # async fn example() {
/// use ouro_testkit::{ModelServer, Reply};
/// use serde_json::json;
///
/// let server = ModelServer::start().await;
/// server.reply(Reply::status(503));
/// server.on_chat(|request| match request.schema_name() {
///     Some("questions") => Reply::json(&json!({"questions": []})),
///     _ => Reply::text("I don't know."),
/// });
/// let base_url = server.base_url();
/// # }
/// ```
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

/// A request that arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenRequest {
    /// `GET` or `POST`.
    pub method: String,
    /// The path, for example `/v1/chat/completions`.
    pub path: String,
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// The body; null when there was none.
    pub body: Value,
}

type ChatHandler = Box<dyn Fn(&SeenRequest) -> Reply + Send + Sync>;
type EmbedHandler = Box<dyn Fn(&str) -> Vec<f32> + Send + Sync>;

#[derive(Default)]
struct Script {
    key: Option<String>,
    models: Vec<String>,
    chat: VecDeque<Reply>,
    embeddings: VecDeque<Reply>,
    scores: VecDeque<Reply>,
    model_list: VecDeque<Reply>,
    on_chat: Option<ChatHandler>,
    on_embed: Option<EmbedHandler>,
    seen: Vec<SeenRequest>,
    broken_rules: Vec<String>,
}

struct Shared {
    script: Mutex<Script>,
    received: watch::Sender<usize>,
    broken_off: watch::Sender<usize>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl ModelServer {
    /// The model that [`ModelServer::start`] serves.
    pub const MODEL: &'static str = "test-model";

    /// A server on a free port of loopback.
    ///
    /// # Panics
    /// When there is no free port.
    pub async fn start() -> Self {
        Self::start_at((Ipv4Addr::LOCALHOST, 0).into()).await
    }

    /// A server at an address where nobody listens yet: one that comes up late.
    ///
    /// # Panics
    /// When somebody listens there.
    #[allow(clippy::expect_used, reason = "a test can't go on without its server")]
    pub async fn start_at(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).await.expect("a free port on loopback");
        let address = listener.local_addr().expect("the address of a bound listener");
        let shared = Arc::new(Shared {
            script: Mutex::new(Script {
                models: vec![Self::MODEL.to_owned()],
                ..Script::default()
            }),
            received: watch::Sender::new(0),
            broken_off: watch::Sender::new(0),
        });
        let app = Router::new().fallback(answer).with_state(shared.clone());
        let task = tokio::spawn(async move {
            let _ = axum::serve(listener, app).await;
        });
        Self { address, shared, task }
    }

    /// `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Refuses requests without this key with 401. Without a call of this, a request that carries a key breaks a rule.
    pub fn require_key(&self, key: &str) {
        self.script().key = Some(key.to_owned());
    }

    /// Serves these models.
    pub fn serve_models(&self, models: &[&str]) {
        self.script().models = models.iter().map(|&m| m.to_owned()).collect();
    }

    /// Queues an answer to the next chat request.
    pub fn reply(&self, reply: Reply) {
        self.script().chat.push_back(reply);
    }

    /// Queues a text as the answer to the next chat request.
    pub fn reply_text(&self, text: &str) {
        self.reply(Reply::text(text));
    }

    /// Queues JSON as the answer to the next chat request.
    pub fn reply_json(&self, value: &Value) {
        self.reply(Reply::json(value));
    }

    /// Queues an answer to the next request for embeddings.
    pub fn reply_embeddings(&self, reply: Reply) {
        self.script().embeddings.push_back(reply);
    }

    /// Queues an answer to the next request for scores.
    pub fn reply_scores(&self, reply: Reply) {
        self.script().scores.push_back(reply);
    }

    /// Queues an answer to the next request for the list of models.
    pub fn reply_models(&self, reply: Reply) {
        self.script().model_list.push_back(reply);
    }

    /// Answers every chat request that finds the queue empty. `handler` must not call the server.
    pub fn on_chat(&self, handler: impl Fn(&SeenRequest) -> Reply + Send + Sync + 'static) {
        self.script().on_chat = Some(Box::new(handler));
    }

    /// Embeds each text with this function instead of counting its letters.
    pub fn on_embed(&self, handler: impl Fn(&str) -> Vec<f32> + Send + Sync + 'static) {
        self.script().on_embed = Some(Box::new(handler));
    }

    /// Every request so far, in order.
    pub fn requests(&self) -> Vec<SeenRequest> {
        self.script().seen.clone()
    }

    /// Waits until so many requests have arrived since the start.
    pub async fn received(&self, count: usize) {
        let _ = self.shared.received.subscribe().wait_for(|&n| n >= count).await;
    }

    /// Waits until the client has hung up on so many unfinished answers since the start.
    pub async fn broken_off(&self, count: usize) {
        let _ = self.shared.broken_off.subscribe().wait_for(|&n| n >= count).await;
    }

    /// Rules of the protocol that requests broke; taken away, so that the drop doesn't fail on them.
    pub fn take_broken_rules(&self) -> Vec<String> {
        std::mem::take(&mut self.script().broken_rules)
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.shared.script()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
        let broken = self.take_broken_rules();
        assert!(broken.is_empty() || std::thread::panicking(), "requests broke rules: {broken:#?}");
    }
}

impl SeenRequest {
    /// The name of the JSON schema that the reply must follow.
    pub fn schema_name(&self) -> Option<&str> {
        self.body.pointer("/response_format/json_schema/name")?.as_str()
    }

    /// Role and text of each message.
    pub fn messages(&self) -> Vec<(&str, &str)> {
        let messages = self.body.get("messages").and_then(Value::as_array);
        messages
            .into_iter()
            .flatten()
            .map(|m| {
                let field = |name| m.get(name).and_then(Value::as_str).unwrap_or_default();
                (field("role"), field("content"))
            })
            .collect()
    }

    /// The text of the last message.
    pub fn last_message(&self) -> &str {
        self.messages().last().map_or("", |(_, content)| content)
    }

    fn flag(&self, pointer: &str) -> bool {
        self.body.pointer(pointer).and_then(Value::as_bool).unwrap_or_default()
    }

    fn texts(&self, name: &str) -> Vec<&str> {
        let list = self.body.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    fn model(&self) -> &str {
        self.body.get("model").and_then(Value::as_str).unwrap_or_default()
    }

    /// The first rule of the protocol that this breaks.
    fn broken_rule(&self) -> Option<String> {
        if self.method == "GET" {
            return None;
        }
        if self.model().is_empty() {
            return Some("no model is named".to_owned());
        }
        if self.path.ends_with("/embeddings") {
            let input = self.body.get("input").and_then(Value::as_array);
            let texts = input
                .map(|i| i.iter().filter(|t| t.as_str().is_some_and(|t| !t.is_empty())).count());
            return (texts.is_none_or(|n| n == 0) || texts != input.map(Vec::len))
                .then(|| "the input is not a list of non-empty texts".to_owned());
        }
        if self.path.ends_with("/rerank") {
            let query = self.body.get("query").and_then(Value::as_str);
            let texts = self.texts("documents");
            return (query.is_none_or(str::is_empty) || texts.is_empty())
                .then(|| "a query and a list of documents are wanted".to_owned());
        }
        let messages = self.messages();
        if messages.is_empty() {
            return Some("there are no messages".to_owned());
        }
        for (role, content) in &messages {
            if !["system", "user", "assistant"].contains(role) {
                return Some(format!("`{role}` is no role"));
            }
            if content.trim().is_empty() {
                return Some(format!("a message of the {role} is empty"));
            }
        }
        if messages.last().is_some_and(|(role, _)| *role == "assistant") {
            return Some("the last message is the assistant's own".to_owned());
        }
        let number = |name: &str| self.body.get(name).and_then(Value::as_f64);
        if number("temperature").is_some_and(|t| !(0.0..=2.0).contains(&t)) {
            return Some("the temperature is not in 0..2".to_owned());
        }
        if number("max_tokens").or(number("max_completion_tokens")).is_none_or(|n| n < 1.0) {
            return Some("the tokens to receive are not limited".to_owned());
        }
        None
    }
}

impl Shared {
    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Script {
    /// What to answer to this request, which it keeps.
    fn next_reply(&mut self, request: &SeenRequest) -> Reply {
        self.seen.push(request.clone());
        if let Some(refusal) = self.check_key(request) {
            return refusal;
        }
        if let Some(rule) = request.broken_rule() {
            return self.broken(rule);
        }
        let route = request.path.rsplit('/').next().unwrap_or_default();
        match (request.method.as_str(), route) {
            ("POST", "completions") => match (self.chat.pop_front(), &self.on_chat) {
                (Some(reply), _) => reply,
                (None, Some(handler)) => handler(request),
                (None, None) => self.broken("no reply is scripted for a chat request".to_owned()),
            },
            ("POST", "embeddings") => {
                self.embeddings.pop_front().unwrap_or_else(|| self.embed(request))
            }
            ("POST", "rerank") => self.scores.pop_front().unwrap_or_else(|| Self::score(request)),
            ("GET", "models") => self.model_list.pop_front().unwrap_or_else(|| {
                let data: Vec<Value> =
                    self.models.iter().map(|m| json!({"id": m, "object": "model"})).collect();
                Reply::raw("application/json", json!({"object": "list", "data": data}).to_string())
            }),
            _ => Reply::error(404, "no such path"),
        }
    }

    fn check_key(&mut self, request: &SeenRequest) -> Option<Reply> {
        match (&self.key, &request.authorization) {
            (None, None) => None,
            (None, Some(_)) => Some(self.broken("a key was sent that nobody asked for".to_owned())),
            (Some(key), Some(sent)) if *sent == format!("Bearer {key}") => None,
            (Some(_), sent) => {
                let sent = sent.clone().unwrap_or_default();
                Some(Reply::error(401, &format!("Incorrect API key provided: {sent}")))
            }
        }
    }

    fn broken(&mut self, rule: String) -> Reply {
        let reply = Reply::error(400, &rule);
        self.broken_rules.push(rule);
        reply
    }

    fn embed(&self, request: &SeenRequest) -> Reply {
        let texts = request.texts("input").into_iter();
        let vectors: Vec<Vec<f32>> = match &self.on_embed {
            Some(handler) => texts.map(handler).collect(),
            None => texts.map(count_letters).collect(),
        };
        Reply::embeddings(&vectors)
    }

    fn score(request: &SeenRequest) -> Reply {
        let query = request.body.get("query").and_then(Value::as_str).unwrap_or_default();
        let texts = request.texts("documents").into_iter();
        Reply::scores(&texts.map(|text| shared_words(query, text)).collect::<Vec<f32>>())
    }
}

/// The share of the query's words that stand in a text.
fn shared_words(query: &str, text: &str) -> f32 {
    let (query, text) = (query.to_lowercase(), text.to_lowercase());
    let words: Vec<&str> =
        query.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let shared = words.iter().filter(|word| text.contains(**word)).count();
    shared as f32 / words.len().max(1) as f32
}

/// A vector of 32 dimensions that counts characters: alike for texts with the same letters.
fn count_letters(text: &str) -> Vec<f32> {
    let mut counts = vec![0.0_f32; 32];
    for c in text.to_lowercase().chars() {
        if let Some(count) = counts.get_mut(c as usize % 32) {
            *count += 1.0;
        }
    }
    counts
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let header = |name| headers.get(name).and_then(|v| v.to_str().ok()).map(str::to_owned);
    let request = SeenRequest {
        method: method.to_string(),
        path: uri.path().to_owned(),
        authorization: header("authorization"),
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    let reply = shared.script().next_reply(&request);
    shared.received.send_modify(|n| *n += 1);
    let unfinished = Unfinished { shared, done: false };
    if let Some((clock, delay)) = &reply.delay {
        clock.sleep(*delay).await;
    }
    let (content_type, body) = match &reply.body {
        Body::Hang => {
            std::future::pending::<()>().await;
            ("text/plain", HttpBody::empty())
        }
        _ if reply.is_streamed() && request.flag("/stream") => {
            let frames =
                reply.frames(request.model(), request.flag("/stream_options/include_usage"));
            ("text/event-stream", stream_body(frames, &reply, unfinished))
        }
        Body::Raw(content_type, bytes) => {
            unfinished.finish();
            (*content_type, HttpBody::from(bytes.clone()))
        }
        Body::Chat(text) | Body::Endless(text) => {
            unfinished.finish();
            ("application/json", HttpBody::from(reply.document(text, request.model()).to_string()))
        }
    };
    let mut response = (
        StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        [("content-type", content_type)],
        body,
    )
        .into_response();
    for (name, value) in &reply.headers {
        if let (Ok(name), Ok(value)) = (name.parse::<axum::http::HeaderName>(), value.parse()) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// Counts an answer as broken off unless it was finished.
struct Unfinished {
    shared: Arc<Shared>,
    done: bool,
}

impl Unfinished {
    fn finish(mut self) {
        self.done = true;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.done {
            self.shared.broken_off.send_modify(|n| *n += 1);
        }
    }
}

fn stream_body(frames: Frames, reply: &Reply, unfinished: Unfinished) -> HttpBody {
    let steps = reply.steps.clone();
    HttpBody::from_stream(stream::unfold(
        (frames, unfinished),
        move |(mut frames, mut unfinished)| {
            let steps = steps.clone();
            async move {
                if let Some(steps) = steps
                    && let Ok(permit) = steps.acquire().await
                {
                    permit.forget();
                }
                // The runtime must get its turn even when the socket takes everything at once.
                tokio::task::yield_now().await;
                match frames.next() {
                    Some(Frame::Bytes(bytes)) => Some((Ok(bytes), (frames, unfinished))),
                    Some(Frame::Cut) => {
                        unfinished.done = true;
                        Some((Err(std::io::Error::other("scripted cut")), (frames, unfinished)))
                    }
                    Some(Frame::Hang) => {
                        std::future::pending::<()>().await;
                        None
                    }
                    None => {
                        unfinished.finish();
                        None
                    }
                }
            }
        },
    ))
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
    };

    use super::*;

    /// Posts this body and returns the whole answer.
    async fn post(server: &ModelServer, path: &str, headers: &str, body: &Value) -> String {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8(answer).unwrap()
    }

    fn chat(messages: &Value) -> Value {
        json!({"model": "m", "messages": messages, "max_tokens": 5, "stream": true})
    }

    const CHAT: &str = "/v1/chat/completions";

    #[tokio::test]
    async fn streams_real_events_and_keeps_the_request() {
        let server = ModelServer::start().await;
        server.reply(Reply::text("abcd").chunk_chars(2).header("x-test", "1"));
        let body = chat(&json!([{"role": "user", "content": "Hi"}]));
        let answer = post(&server, CHAT, "", &body).await;
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        for part in [
            "text/event-stream",
            "x-test: 1",
            "\"content\":\"ab\"",
            "\"content\":\"cd\"",
            "data: [DONE]",
        ] {
            assert!(answer.contains(part), "{part} is missing: {answer}");
        }
        assert!(!answer.contains("usage"), "nobody asked for usage: {answer}");
        let seen = server.requests();
        assert_eq!((seen.len(), seen[0].last_message(), &seen[0].body), (1, "Hi", &body));
    }

    #[tokio::test]
    async fn every_rule_is_watched() {
        let server = ModelServer::start().await;
        let user = json!([{"role": "user", "content": "Hi"}]);
        for (path, headers, body, rule) in [
            (CHAT, "", json!({"messages": user}), "no model"),
            (CHAT, "", chat(&json!([])), "no messages"),
            (CHAT, "", chat(&json!([{"role": "tool", "content": "Hi"}])), "no role"),
            (CHAT, "", chat(&json!([{"role": "user", "content": " "}])), "is empty"),
            (CHAT, "", chat(&json!([{"role": "assistant", "content": "Hi"}])), "assistant's own"),
            (CHAT, "", json!({"model": "m", "messages": user}), "not limited"),
            (CHAT, "authorization: Bearer x\r\n", chat(&user), "nobody asked for"),
            (CHAT, "", chat(&user), "no reply is scripted"),
            ("/v1/embeddings", "", json!({"model": "m", "input": ["a", ""]}), "non-empty texts"),
            (
                "/v1/rerank",
                "",
                json!({"model": "m", "query": "q", "documents": []}),
                "a list of documents",
            ),
        ] {
            let answer = post(&server, path, headers, &body).await;
            assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
            let broken = server.take_broken_rules();
            assert!(broken.len() == 1 && broken[0].contains(rule), "{broken:?} should say: {rule}");
        }
    }

    #[tokio::test]
    #[should_panic(expected = "requests broke rules")]
    async fn a_broken_rule_fails_the_test() {
        let server = ModelServer::start().await;
        post(&server, CHAT, "", &chat(&json!([]))).await;
    }

    #[tokio::test]
    async fn a_handler_answers_when_the_queue_is_empty() {
        let server = ModelServer::start().await;
        server.require_key("k");
        server.reply_text("first");
        server.on_chat(|request| Reply::text(format!("echo {}", request.last_message())));
        let body = chat(&json!([{"role": "user", "content": "Hi"}]));
        let mut answers = Vec::new();
        for headers in ["", "authorization: Bearer k\r\n", "authorization: Bearer k\r\n"] {
            answers.push(post(&server, CHAT, headers, &body).await);
        }
        assert!(answers[0].starts_with("HTTP/1.1 401"), "{}", answers[0]);
        assert!(answers[1].contains("\"content\":\"first\""), "{}", answers[1]);
        assert!(answers[2].contains("\"content\":\"echo Hi\""), "{}", answers[2]);
    }
}
