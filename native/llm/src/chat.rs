//! Chat with any OpenAI-compatible endpoint.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use jsonschema::Validator;
use ouro_core::{
    ChatMessage, ChatModel, ChatReply, ChatRequest, ChatRole, Clock, Error, ErrorKind, Random,
    ReplyObserver, ReplySchema, Result, TokenUsage, clock::with_timeout, estimate_tokens,
};
use reqwest::{Response, StatusCode, header::CONTENT_TYPE};
use serde_json::Value;

use crate::{
    answer::{Answer, Assembler, Stop},
    api_key::ApiKey,
    dialect::{Dialect, ReplyFormat, schema_prompt},
    http::{Failure, Http, header, server_message},
    json_reply::{self, Problem},
    retry::{Attempts, RetryPolicy},
    sse::SseParser,
};

const ROUTE: &str = "chat/completions";

/// Where a chat model is and how long to wait for it.
#[derive(Debug, Clone)]
pub struct ChatConfig {
    /// With or without `/v1`, for example `http://localhost:11434`.
    pub base_url: String,
    /// The model's name, as the endpoint knows it.
    pub model: String,
    /// The key, if the endpoint wants one.
    pub api_key: Option<ApiKey>,
    /// Longest wait for a connection.
    pub connect_timeout: Duration,
    /// Longest wait from sending the request to the first token: a local server loads its model in this time.
    pub first_token_timeout: Duration,
    /// Longest wait from one token to the next.
    pub idle_timeout: Duration,
    /// Longest time for one [`ChatModel::chat`], with everything that is tried again or asked again.
    pub total_timeout: Duration,
    /// Most bytes of one reply, content and reasoning together. A reply that passes this, or 16 bytes for each token
    /// it may have, is broken off: the model doesn't stop by itself.
    pub max_reply_bytes: usize,
    /// How often to try again.
    pub retry: RetryPolicy,
}

impl ChatConfig {
    /// The configuration of this endpoint and model; everything else as for a local server that may have to load its
    /// model: 10 s to connect, 120 s to the first token, 30 s between tokens, 300 s in all, 4 MiB.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            api_key: None,
            connect_timeout: Duration::from_secs(10),
            first_token_timeout: Duration::from_secs(120),
            idle_timeout: Duration::from_secs(30),
            total_timeout: Duration::from_secs(300),
            max_reply_bytes: 4 << 20,
            retry: RetryPolicy::default(),
        }
    }
}

/// A chat model behind an OpenAI-compatible endpoint: Ollama, llama.cpp, vLLM, LM Studio, OpenAI, DeepSeek, Qwen.
///
/// Replies are streamed. JSON is asked for with `response_format: json_schema`; what an endpoint refuses of the
/// protocol is left out from then on, so the same code talks to old and new servers. JSON that doesn't match its
/// schema is asked for once more, with the error named; the observer sees that second reply as well.
pub struct OpenAiChat {
    config: ChatConfig,
    http: Http,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    dialect: Mutex<Dialect>,
}

impl fmt::Debug for OpenAiChat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiChat").field("config", &self.config).finish_non_exhaustive()
    }
}

/// What is said to the model after a reply that can't be used.
struct ReAsk {
    reply: String,
    problem: Problem,
    was_cut: bool,
}

impl OpenAiChat {
    /// A client for this model. Nothing is sent yet.
    ///
    /// # Errors
    /// `InvalidInput` for a wrong base URL or an empty model name, `Refused` when the machine can't verify TLS.
    pub fn new(
        mut config: ChatConfig,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Result<Self> {
        config.model = config.model.trim().to_owned();
        if config.model.is_empty() {
            return Err(Error::invalid(
                "the model's name is empty; `ouro doctor` lists what the endpoint serves",
            ));
        }
        let http = Http::new(
            &format!("model `{}`", config.model),
            &config.base_url,
            config.api_key.clone(),
            config.connect_timeout,
            clock.clone(),
        )?;
        Ok(Self { config, http, clock, random, dialect: Mutex::default() })
    }

    fn dialect(&self) -> MutexGuard<'_, Dialect> {
        self.dialect.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn chat_unlimited(
        &self,
        request: &ChatRequest,
        observer: &mut dyn ReplyObserver,
    ) -> Result<ChatReply> {
        let schema = request.schema.as_ref();
        let validator = schema.map(compile).transpose()?;
        let mut usage = TokenUsage::default();
        let mut re_ask = None;
        loop {
            let (answer, spent) = self.answer(request, re_ask.as_ref(), observer).await?;
            usage += spent;
            let was_cut = answer.finish_reason.as_deref() == Some("length");
            if answer.finish_reason.as_deref() == Some("content_filter") {
                return Err(self.http.bad_reply("did not answer because of its content filter"));
            }
            let json = match (&validator, schema) {
                (Some(validator), Some(schema)) => {
                    match json_reply::find(&answer.content, validator) {
                        Ok(json) => Some(json),
                        Err(problem) if re_ask.is_some() => {
                            return Err(self.no_json(schema, &problem, was_cut));
                        }
                        Err(problem) => {
                            tracing::debug!(
                                schema = schema.name,
                                problem = problem.for_person(),
                                "asking again"
                            );
                            if problem == Problem::NoObject
                                && !was_cut
                                && !answer.content.is_empty()
                            {
                                // The server took the schema and passed over it: the prompt must name it.
                                let mut dialect = self.dialect();
                                if dialect.format == ReplyFormat::JsonSchema {
                                    dialect.lower_format();
                                }
                            }
                            re_ask = Some(ReAsk { reply: answer.content, problem, was_cut });
                            continue;
                        }
                    }
                }
                _ if answer.content.trim().is_empty() => {
                    return Err(self.http.bad_reply(if was_cut {
                        "used all its tokens before it said anything; allow more tokens or choose a model that reasons less"
                    } else {
                        "sent an empty reply"
                    }));
                }
                _ => None,
            };
            return Ok(ChatReply {
                content: answer.content,
                reasoning: answer.reasoning,
                json,
                usage,
            });
        }
    }

    /// One answer, tried as often as it takes and may.
    async fn answer(
        &self,
        request: &ChatRequest,
        re_ask: Option<&ReAsk>,
        observer: &mut dyn ReplyObserver,
    ) -> Result<(Answer, TokenUsage)> {
        let mut attempts = Attempts::new(self.config.retry);
        loop {
            let dialect = *self.dialect();
            let messages = messages(request, re_ask, dialect.format);
            let body = dialect.body(&self.config.model, request, &messages);
            let mut assembler = Assembler::new(&mut *observer, self.max_bytes(request));
            let failure = match self.stream(&body, &mut assembler).await {
                Ok(()) => match assembler.finish() {
                    Ok((answer, true)) => {
                        let usage = usage(&messages, &answer);
                        return Ok((answer, usage));
                    }
                    Ok((answer, false)) if answer == Answer::default() => {
                        Failure::from(Error::new(
                            ErrorKind::Unavailable,
                            format!("{} ended its answer before it said anything", self.http.who()),
                        ))
                    }
                    Ok((_, false)) => return Err(self.cut_off()),
                    Err(stop) => return Err(self.stopped(stop).error),
                },
                // What was shown to the observer can't be taken back.
                Err(failure) if assembler.len() > 0 => return Err(failure.error),
                Err(failure) => failure,
            };
            if let Some(status) = failure.status
                && self.dialect().adapt(status, &failure.detail, request.schema.is_some())
            {
                tracing::debug!(%status, "the endpoint refuses a part of the protocol: going without it");
                continue;
            }
            let Some(pause) = attempts.next_pause(&failure.error, &*self.random) else {
                return Err(failure.error);
            };
            tracing::debug!(pause_ms = pause.as_millis(), kind = ?failure.error.kind(), "trying the model again");
            self.clock.sleep(pause).await;
        }
    }

    /// Sends one request and streams its answer into `assembler`.
    async fn stream(&self, body: &Value, assembler: &mut Assembler<'_>) -> Result<(), Failure> {
        let first = self.config.first_token_timeout;
        let start = self.clock.monotonic();
        let mut response =
            with_timeout(&*self.clock, first, "waiting", self.http.post(ROUTE, body))
                .await
                .map_err(|_| self.http.timeout("sent no token", first))??;
        let mut body = AnswerBody::new(&response);
        let (mut last_progress, mut seen) = (start, 0);
        loop {
            let (limit, what) = match seen {
                0 => (first, "sent no token"),
                _ => (self.config.idle_timeout, "sent no further token"),
            };
            let left = (last_progress + limit).saturating_sub(self.clock.monotonic());
            let chunk = with_timeout(&*self.clock, left, "waiting", response.chunk())
                .await
                .map_err(|_| self.http.timeout(what, limit))?;
            match chunk {
                Ok(Some(bytes)) => {
                    body.take(&bytes, assembler).map_err(|stop| self.stopped(stop))?
                }
                Ok(None) => return body.finish(assembler).map_err(|stop| self.stopped(stop)),
                Err(_) if assembler.len() > 0 => return Err(self.cut_off().into()),
                Err(error) => return Err(self.http.broken(error).into()),
            }
            if body.pending_bytes() > self.config.max_reply_bytes {
                return Err(self.stopped(Stop::TooLong));
            }
            if assembler.is_done() {
                // The end of the body usually follows at once; with it the connection can be used again.
                let _ = with_timeout(
                    &*self.clock,
                    Duration::from_millis(50),
                    "ending",
                    response.chunk(),
                )
                .await;
                return Ok(());
            }
            let now_seen = assembler.len() + body.pending_document();
            if now_seen > seen {
                (seen, last_progress) = (now_seen, self.clock.monotonic());
            }
        }
    }

    fn max_bytes(&self, request: &ChatRequest) -> usize {
        // No tokenizer needs less than a token for 16 bytes of ordinary text.
        let by_tokens =
            usize::try_from(request.max_tokens.saturating_mul(16)).unwrap_or(usize::MAX);
        by_tokens.saturating_add(4096).min(self.config.max_reply_bytes)
    }

    fn cut_off(&self) -> Error {
        Error::new(
            ErrorKind::Unavailable,
            format!("{} broke off in the middle of its reply", self.http.who()),
        )
    }

    fn stopped(&self, stop: Stop) -> Failure {
        match stop {
            Stop::Observer(reason) => Error::new(ErrorKind::Cancelled, reason).into(),
            Stop::TooLong => self
                .http
                .bad_reply("did not stop when its tokens were used up and was broken off; it may be caught in a loop")
                .into(),
            Stop::NotJson => self
                .http
                .bad_reply("answered with something that is no chat completion; check the base URL")
                .into(),
            Stop::WebPage => self.http.web_page().into(),
            Stop::Server(chunk) => {
                let code = ["/error/code", "/error/status", "/code"]
                    .into_iter()
                    .find_map(|p| chunk.pointer(p)?.as_u64())
                    .and_then(|code| StatusCode::from_u16(u16::try_from(code).ok()?).ok())
                    .filter(|status| status.as_u16() >= 400)
                    .unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
                let detail = self.http.clean(&server_message(&chunk.to_string()));
                Failure { error: self.http.status_error(code, &detail, ROUTE), status: Some(code), detail }
            }
        }
    }

    fn no_json(&self, schema: &ReplySchema, problem: &Problem, was_cut: bool) -> Error {
        let why = if was_cut { "its tokens were used up" } else { problem.for_person() };
        self.http.bad_reply(&format!(
            "did not write the JSON that was asked for ({}), not even when asked again: {why}; try a larger model, or \
             a server that can hold it to a JSON schema",
            schema.name
        ))
    }
}

#[async_trait]
impl ChatModel for OpenAiChat {
    fn id(&self) -> &str {
        &self.config.model
    }

    async fn chat(
        &self,
        request: &ChatRequest,
        observer: &mut dyn ReplyObserver,
    ) -> Result<ChatReply> {
        let limit = self.config.total_timeout;
        with_timeout(&*self.clock, limit, "chat", self.chat_unlimited(request, observer))
            .await
            .map_err(|_| self.http.timeout("did not finish its reply", limit))?
    }
}

fn compile(schema: &ReplySchema) -> Result<Validator> {
    jsonschema::validator_for(&schema.schema).map_err(|error| {
        Error::new(
            ErrorKind::Internal,
            format!("the schema `{}` is no JSON Schema: {error}", schema.name),
        )
    })
}

/// Most characters of a bad reply that are shown to the model again.
const MAX_SHOWN_CHARS: usize = 4_000;

/// The messages as they are sent: with the schema in words where the server doesn't hold the model to it, and with
/// the second question after a bad reply.
fn messages(
    request: &ChatRequest,
    re_ask: Option<&ReAsk>,
    format: ReplyFormat,
) -> Vec<ChatMessage> {
    let mut messages = request.messages.clone();
    let message = |role, content| ChatMessage { role, content };
    if let Some(ReAsk { reply, problem, was_cut }) = re_ask {
        if !reply.trim().is_empty() {
            messages
                .push(message(ChatRole::Assistant, reply.chars().take(MAX_SHOWN_CHARS).collect()));
        }
        let problem = match was_cut {
            true => "it was cut off because it was too long. Be much shorter",
            false => problem.for_model(),
        };
        messages.push(message(ChatRole::User, format!("This reply can't be used: {problem}.")));
    }
    if let Some(schema) = &request.schema
        && (re_ask.is_some() || format != ReplyFormat::JsonSchema)
    {
        match messages.last_mut() {
            Some(last) if last.role == ChatRole::User => {
                last.content = format!("{}\n\n{}", last.content, schema_prompt(schema));
            }
            _ => messages.push(message(ChatRole::User, schema_prompt(schema))),
        }
    }
    messages
}

/// What an answer cost: as the server counted, else estimated.
fn usage(messages: &[ChatMessage], answer: &Answer) -> TokenUsage {
    match answer.usage {
        Some((prompt, completion)) => TokenUsage { prompt, completion, estimated: false },
        None => TokenUsage {
            // Four tokens for the marks around each message.
            prompt: messages.iter().map(|m| estimate_tokens(&m.content) + 4).sum(),
            completion: estimate_tokens(&answer.content) + estimate_tokens(&answer.reasoning),
            estimated: true,
        },
    }
}

/// The body of an answer in the form it comes in.
enum AnswerBody {
    /// Not known yet.
    Unknown,
    /// Events.
    Stream(SseParser),
    /// One JSON document, though a stream was asked for.
    Document(Vec<u8>),
    /// A page for people.
    WebPage,
}

impl AnswerBody {
    fn new(response: &Response) -> Self {
        let content_type = header(response.headers(), CONTENT_TYPE).to_ascii_lowercase();
        if content_type.contains("event-stream") {
            Self::Stream(SseParser::default())
        } else if content_type.contains("json") {
            Self::Document(Vec::new())
        } else if content_type.contains("html") {
            Self::WebPage
        } else {
            Self::Unknown
        }
    }

    fn take(&mut self, bytes: &[u8], assembler: &mut Assembler<'_>) -> Result<(), Stop> {
        if let Self::Unknown = self {
            *self = match bytes.trim_ascii_start().first() {
                None => return Ok(()),
                Some(b'{') => Self::Document(Vec::new()),
                Some(b'<') => Self::WebPage,
                Some(_) => Self::Stream(SseParser::default()),
            };
        }
        match self {
            Self::Stream(parser) => {
                parser.push(bytes).iter().try_for_each(|data| assembler.take(data))
            }
            Self::Document(body) => {
                body.extend_from_slice(bytes);
                Ok(())
            }
            Self::WebPage => Err(Stop::WebPage),
            Self::Unknown => Ok(()),
        }
    }

    fn finish(self, assembler: &mut Assembler<'_>) -> Result<(), Stop> {
        match self {
            // A last event without its empty line may be whole, or cut in the middle.
            Self::Stream(parser) => match parser.finish().map(|data| assembler.take(&data)) {
                None | Some(Err(Stop::NotJson)) => Ok(()),
                Some(taken) => taken,
            },
            Self::Document(body) => {
                assembler.take(&String::from_utf8_lossy(&body))?;
                assembler.take("[DONE]")
            }
            Self::WebPage => Err(Stop::WebPage),
            Self::Unknown => Ok(()),
        }
    }

    fn pending_bytes(&self) -> usize {
        match self {
            Self::Stream(parser) => parser.pending_bytes(),
            Self::Document(body) => body.len(),
            Self::WebPage | Self::Unknown => 0,
        }
    }

    /// Bytes of a document so far: progress that nobody is shown yet.
    fn pending_document(&self) -> usize {
        if let Self::Document(body) = self { body.len() } else { 0 }
    }
}
