//! What the scripted model server answers.

use std::{sync::Arc, time::Duration};

use ouro_core::Clock;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

/// One scripted answer: made by one of the first functions, then bent with the others.
///
/// ```
/// use ouro_testkit::Reply;
/// use serde_json::json;
///
/// Reply::text("It parses queries.").chunk_chars(3).usage(20, 5);
/// Reply::json(&json!({"questions": []})).thinking("Let me see.");
/// Reply::status(429).header("retry-after", "7");
/// Reply::text("half a").cut_after(1);
/// ```
#[derive(Debug, Clone)]
pub struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Body,
    pub(crate) delay: Option<(Arc<dyn Clock>, Duration)>,
    pub(crate) steps: Option<Arc<Semaphore>>,
    bytes_per_write: Option<usize>,
    chunk_chars: usize,
    reasoning: Option<(&'static str, String)>,
    usage: Option<(u64, u64)>,
    finish_reason: &'static str,
    end: End,
    streams: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// A chat completion, streamed if the request asks for it.
    Chat(String),
    /// A chat completion that streams the same piece for ever.
    Endless(String),
    /// These bytes, of this content type.
    Raw(&'static str, Vec<u8>),
    /// Nothing, ever: not even headers.
    Hang,
}

#[derive(Debug, Clone, Copy)]
enum End {
    /// Usage, `[DONE]`, end of the body.
    Done,
    /// End of the body without `[DONE]`.
    WithoutDone,
    /// The connection breaks after so many pieces.
    CutAfter(usize),
    /// Silence after so many pieces; the connection stays open.
    HangAfter(usize),
}

/// One write of a streamed body.
pub(crate) enum Frame {
    /// Bytes, usually one event.
    Bytes(Vec<u8>),
    /// Breaks the connection.
    Cut,
    /// Never ends.
    Hang,
}

/// The writes of one streamed body.
pub(crate) type Frames = Box<dyn Iterator<Item = Frame> + Send>;

impl Reply {
    /// A chat reply of this text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Body::Chat(text.into()))
    }

    /// A chat reply whose text is this JSON.
    pub fn json(value: &Value) -> Self {
        Self::text(value.to_string())
    }

    /// A chat reply that repeats `piece` until the client hangs up.
    pub fn endless(piece: impl Into<String>) -> Self {
        Self::new(Body::Endless(piece.into()))
    }

    /// No answer at all: the request stays open.
    pub fn hang() -> Self {
        Self::new(Body::Hang)
    }

    /// These vectors, as `/embeddings` answers.
    pub fn embeddings(vectors: &[Vec<f32>]) -> Self {
        let data: Vec<Value> = vectors
            .iter()
            .enumerate()
            .map(|(index, v)| json!({"object": "embedding", "index": index, "embedding": v}))
            .collect();
        let body = json!({"object": "list", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}});
        Self::raw("application/json", body.to_string())
    }

    /// These scores, as `/rerank` answers: the best first.
    pub fn scores(scores: &[f32]) -> Self {
        let mut ranked: Vec<(usize, f32)> = scores.iter().copied().enumerate().collect();
        ranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let results: Vec<Value> = ranked
            .into_iter()
            .map(|(index, score)| json!({"index": index, "relevance_score": score}))
            .collect();
        let body = json!({"object": "list", "results": results, "usage": {"total_tokens": 1}});
        Self::raw("application/json", body.to_string())
    }

    /// An error of this status, with a body in OpenAI's form.
    pub fn status(status: u16) -> Self {
        Self::error(status, "scripted error")
    }

    /// An error of this status that says `message`.
    pub fn error(status: u16, message: &str) -> Self {
        let body = json!({"error": {"message": message, "type": "scripted"}}).to_string();
        Self { status, ..Self::raw("application/json", body) }
    }

    /// A web page, as a wrong base URL brings.
    pub fn html() -> Self {
        Self::raw("text/html; charset=utf-8", "<!doctype html><html><body>Welcome</body></html>")
    }

    /// These bytes, of this content type.
    pub fn raw(content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self::new(Body::Raw(content_type, body.into()))
    }

    fn new(body: Body) -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            body,
            delay: None,
            steps: None,
            bytes_per_write: None,
            chunk_chars: 8,
            reasoning: None,
            usage: Some((10, 5)),
            finish_reason: "stop",
            end: End::Done,
            streams: true,
        }
    }

    /// Answers with another status, same body.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Characters in each streamed piece; 8 unless told.
    #[must_use]
    pub fn chunk_chars(mut self, chars: usize) -> Self {
        self.chunk_chars = chars.max(1);
        self
    }

    /// Cuts the streamed bytes into writes of this size, wherever that falls.
    #[must_use]
    pub fn bytes_per_write(mut self, bytes: usize) -> Self {
        self.bytes_per_write = Some(bytes.max(1));
        self
    }

    /// Shows reasoning first, in the field `reasoning_content`.
    #[must_use]
    pub fn thinking(self, reasoning: impl Into<String>) -> Self {
        self.thinking_in("reasoning_content", reasoning)
    }

    /// Shows reasoning first, in this field.
    #[must_use]
    pub fn thinking_in(mut self, field: &'static str, reasoning: impl Into<String>) -> Self {
        self.reasoning = Some((field, reasoning.into()));
        self
    }

    /// Tokens counted; 10 and 5 unless told.
    #[must_use]
    pub fn usage(mut self, prompt: u64, completion: u64) -> Self {
        self.usage = Some((prompt, completion));
        self
    }

    /// Counts no tokens.
    #[must_use]
    pub fn without_usage(mut self) -> Self {
        self.usage = None;
        self
    }

    /// Why the reply ended; `stop` unless told.
    #[must_use]
    pub fn finish_reason(mut self, reason: &'static str) -> Self {
        self.finish_reason = reason;
        self
    }

    /// Answers in one JSON document though a stream was asked for.
    #[must_use]
    pub fn not_streamed(mut self) -> Self {
        self.streams = false;
        self
    }

    /// Leaves out `[DONE]`.
    #[must_use]
    pub fn without_done(mut self) -> Self {
        self.end = End::WithoutDone;
        self
    }

    /// Breaks the connection after so many pieces.
    #[must_use]
    pub fn cut_after(mut self, pieces: usize) -> Self {
        self.end = End::CutAfter(pieces);
        self
    }

    /// Falls silent after so many pieces; the connection stays open.
    #[must_use]
    pub fn hang_after(mut self, pieces: usize) -> Self {
        self.end = End::HangAfter(pieces);
        self
    }

    /// Answers only when this clock has moved on by `delay`.
    #[must_use]
    pub fn after(mut self, clock: Arc<dyn Clock>, delay: Duration) -> Self {
        self.delay = Some((clock, delay));
        self
    }

    /// Sends each piece only when `steps` has a permit for it; a closed semaphore lets everything pass.
    #[must_use]
    pub fn step_by(mut self, steps: Arc<Semaphore>) -> Self {
        self.steps = Some(steps);
        self
    }

    /// Whether this is streamed to a client that asks for a stream.
    pub(crate) fn is_streamed(&self) -> bool {
        self.streams && matches!(self.body, Body::Chat(_) | Body::Endless(_))
    }

    /// The whole completion as one JSON document.
    pub(crate) fn document(&self, text: &str, model: &str) -> Value {
        let mut message = json!({"role": "assistant", "content": text});
        if let (Some((field, reasoning)), Some(fields)) = (&self.reasoning, message.as_object_mut())
        {
            fields.insert((*field).to_owned(), json!(reasoning));
        }
        let mut document = json!({
            "id": "chat-1", "object": "chat.completion", "created": 0, "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish_reason}],
        });
        if let (Some(usage), Some(fields)) = (self.usage_json(), document.as_object_mut()) {
            fields.insert("usage".to_owned(), usage);
        }
        document
    }

    /// The writes of the streamed completion.
    pub(crate) fn frames(&self, model: &str, wants_usage: bool) -> Frames {
        let text = match &self.body {
            Body::Chat(text) => text,
            Body::Endless(piece) => {
                let frame = delta(model, "content", piece);
                return Box::new(std::iter::repeat_with(move || Frame::Bytes(frame.clone())));
            }
            Body::Raw(..) | Body::Hang => return Box::new(std::iter::empty()),
        };
        let mut deltas: Vec<Vec<u8>> = Vec::new();
        if let Some((field, reasoning)) = &self.reasoning {
            deltas.extend(pieces(reasoning, self.chunk_chars).map(|p| delta(model, field, &p)));
        }
        deltas.extend(pieces(text, self.chunk_chars).map(|p| delta(model, "content", &p)));
        let mut tail: Vec<Frame> = Vec::new();
        match self.end {
            End::CutAfter(pieces) => {
                deltas.truncate(pieces);
                tail.push(Frame::Cut);
            }
            End::HangAfter(pieces) => {
                deltas.truncate(pieces);
                tail.push(Frame::Hang);
            }
            End::Done | End::WithoutDone => {
                let choice = json!({"index": 0, "delta": {}, "finish_reason": self.finish_reason});
                tail.push(Frame::Bytes(event(model, &json!([choice]), None)));
                if let Some(usage) = self.usage_json().filter(|_| wants_usage) {
                    tail.push(Frame::Bytes(event(model, &json!([]), Some(usage))));
                }
            }
        }
        if matches!(self.end, End::Done) {
            tail.push(Frame::Bytes(b"data: [DONE]\n\n".to_vec()));
        }
        let frames: Vec<Frame> = match self.bytes_per_write {
            None => deltas.into_iter().map(Frame::Bytes).chain(tail).collect(),
            Some(size) => recut(deltas.into_iter().map(Frame::Bytes).chain(tail), size),
        };
        Box::new(frames.into_iter())
    }

    fn usage_json(&self) -> Option<Value> {
        self.usage.map(|(prompt, completion)| {
            json!({"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion})
        })
    }
}

/// A server-sent event with one chunk of a completion.
fn event(model: &str, choices: &Value, usage: Option<Value>) -> Vec<u8> {
    let mut chunk = json!({
        "id": "chat-1", "object": "chat.completion.chunk", "created": 0, "model": model, "choices": choices,
    });
    if let (Some(usage), Some(fields)) = (usage, chunk.as_object_mut()) {
        fields.insert("usage".to_owned(), usage);
    }
    format!("data: {chunk}\n\n").into_bytes()
}

fn delta(model: &str, field: &str, text: &str) -> Vec<u8> {
    event(model, &json!([{"index": 0, "delta": {field: text}, "finish_reason": null}]), None)
}

fn pieces(text: &str, chars: usize) -> impl Iterator<Item = String> {
    let all: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = all.chunks(chars).map(|c| c.iter().collect()).collect();
    pieces.into_iter()
}

/// The same bytes in writes of `size`.
fn recut(frames: impl Iterator<Item = Frame>, size: usize) -> Vec<Frame> {
    let mut bytes = Vec::new();
    let mut last = None;
    for frame in frames {
        match frame {
            Frame::Bytes(more) => bytes.extend(more),
            end => last = Some(end),
        }
    }
    bytes.chunks(size).map(|c| Frame::Bytes(c.to_vec())).chain(last).collect()
}
