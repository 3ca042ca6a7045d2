//! Chat with any OpenAI-compatible endpoint.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use jsonschema::Validator;
use ouro_core::{
    Abandoned, ChatMessage, ChatModel, ChatReply, ChatRequest, Clock, Error, ErrorKind, Random,
    ReplyObserver, ReplySchema, Result, TokenUsage, clock::with_timeout, estimate_tokens,
};
use reqwest::{StatusCode, header::CONTENT_TYPE};
use serde_json::Value;
use tracing::Instrument;

use crate::{
    answer::{Answer, Assembler, Stop},
    answer_body::AnswerBody,
    api_key::Credential,
    dialect::{Dialect, ReplyFormat},
    http::{Failure, Http, header, server_message},
    json_reply::{self, Problem},
    prompt::{ReAsk, messages},
    retry::{Attempts, RetryPolicy},
    token_ratio::TokenRatio,
    tokenizer::{count_messages, count_tokens},
};

const ROUTE: &str = "chat/completions";

/// Most bytes of one answer as it comes, with all that a stream wraps around a reply: some hundred bytes a token. What says
/// nothing, such as comments, counts too.
const MAX_ANSWER_BYTES: usize = 32 << 20;

/// Where a chat model is and how long to wait for it.
#[derive(Debug, Clone)]
pub struct ChatConfig {
    /// With or without `/v1`, for example `http://localhost:11434`.
    pub base_url: String,
    /// The model's name, as the endpoint knows it.
    pub model: String,
    /// The key, if the endpoint wants one.
    pub credential: Credential,
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
            credential: Credential::default(),
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
    token_ratio: TokenRatio,
    abandoned: Abandoned,
}

/// An answer on its way. A server has read its prompt and written what came by then, also when nobody listens any more:
/// dropped in the middle, it counts as abandoned.
struct OnItsWay<'a, 'o> {
    messages: &'a [ChatMessage],
    assembler: Assembler<'o>,
    abandoned: &'a Abandoned,
    arrived: bool,
}

impl Drop for OnItsWay<'_, '_> {
    fn drop(&mut self) {
        if !self.arrived {
            self.abandoned.add(counted(self.messages, self.assembler.answer()));
        }
    }
}

impl fmt::Debug for OpenAiChat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiChat").field("config", &self.config).finish_non_exhaustive()
    }
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
            ("model", &config.model),
            &config.base_url,
            config.credential.clone(),
            config.connect_timeout,
            clock.clone(),
        )?;
        Ok(Self {
            config,
            http,
            clock,
            random,
            dialect: Mutex::default(),
            token_ratio: TokenRatio::default(),
            abandoned: Abandoned::default(),
        })
    }

    fn dialect(&self) -> MutexGuard<'_, Dialect> {
        self.dialect.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn chat_unlimited(
        &self,
        request: &ChatRequest,
        observer: &mut dyn ReplyObserver,
    ) -> Result<ChatReply> {
        let Some(schema) = &request.schema else {
            let (answer, usage) = self.answer(request, None, observer).await?;
            if answer.content.trim().is_empty() {
                let why = if answer.was_cut() { "reply.all_reasoning" } else { "reply.empty" };
                return Err(self.http.bad_reply(why, &[]).with_spent(usage));
            }
            return Ok(reply(answer, None, usage));
        };
        let validator = compile(schema)?;
        let (first, usage) = self.answer(request, None, observer).await?;
        let problem = match json_reply::find(&first.content, &schema.schema, &validator) {
            Ok(json) => return Ok(reply(first, Some(json), usage)),
            Err(problem) => problem,
        };
        tracing::debug!(schema = schema.name, problem = problem.for_person(), "asking again");
        let was_cut = first.was_cut();
        // The second prompt is the first one with the reply.
        let both = usage.total().saturating_mul(2).saturating_add(request.max_tokens);
        if both > request.token_budget {
            if let Some(json) = at_least(schema, &first) {
                return Ok(reply(first, Some(json), usage));
            }
            let why = "reply.no_json_unpaid";
            return Err(self.no_json(schema, why, &problem, was_cut).with_spent(usage));
        }
        if problem == Problem::NoObject && !was_cut && !first.content.is_empty() {
            self.put_schema_in_prompt();
        }
        let re_ask = ReAsk { reply: first.content, problem, was_cut };
        let held = self.abandoned.hold(usage);
        let second = self.answer(request, Some(&re_ask), observer).await;
        let mut usage = held.release();
        let (second, more) = second.map_err(|error| error.with_spent(usage))?;
        usage += more;
        match json_reply::find(&second.content, &schema.schema, &validator) {
            Ok(json) => Ok(reply(second, Some(json), usage)),
            Err(problem) => {
                if let Some(json) = at_least(schema, &second) {
                    return Ok(reply(second, Some(json), usage));
                }
                let again = "reply.no_json_again";
                Err(self.no_json(schema, again, &problem, second.was_cut()).with_spent(usage))
            }
        }
    }

    /// From now on: the server takes a schema and passes over it.
    fn put_schema_in_prompt(&self) {
        let mut dialect = self.dialect();
        if dialect.format == ReplyFormat::JsonSchema {
            dialect.lower_format();
        }
    }

    /// One answer, tried as often as it takes and may.
    async fn answer(
        &self,
        request: &ChatRequest,
        re_ask: Option<&ReAsk>,
        observer: &mut dyn ReplyObserver,
    ) -> Result<(Answer, TokenUsage)> {
        let start = self.clock.monotonic();
        let mut attempts = Attempts::new(self.config.retry);
        let mut dialect = *self.dialect();
        loop {
            let messages = messages(request, re_ask, dialect.format);
            let body = dialect.body(&self.config.model, request, &messages);
            let mut coming = OnItsWay {
                messages: &messages,
                assembler: Assembler::new(&mut *observer, self.max_bytes(request)),
                abandoned: &self.abandoned,
                arrived: false,
            };
            let streamed = self.stream(&body, &mut coming.assembler).await;
            coming.arrived = true;
            let assembler = &mut coming.assembler;
            let failure = match streamed {
                // What was shown to the observer can't be taken back, and has been paid for.
                Err(failure) if assembler.len() > 0 || failure.given_up => {
                    // A server counts only at the end.
                    let spent = counted(&messages, assembler.answer());
                    return Err(failure.error.with_spent(spent));
                }
                Err(failure) => failure,
                Ok(()) => match assembler.finish() {
                    (answer, Err(stop)) => {
                        let spent = usage(&messages, &answer);
                        return Err(self.stopped(stop).error.with_spent(spent));
                    }
                    (answer, Ok(true))
                        if answer.finish_reason.as_deref() == Some("content_filter") =>
                    {
                        let spent = usage(&messages, &answer);
                        return Err(self.http.bad_reply("reply.filtered", &[]).with_spent(spent));
                    }
                    (mut answer, Ok(true)) => {
                        self.http.clean_reply(&mut answer.content);
                        self.http.clean_reply(&mut answer.reasoning);
                        // What is left out is remembered only once that has helped.
                        *self.dialect() = dialect;
                        let usage = usage(&messages, &answer);
                        if !usage.estimated {
                            self.token_ratio.observe(estimate(&messages), usage.prompt);
                        }
                        let ms = self.clock.monotonic().saturating_sub(start).as_millis();
                        tracing::debug!(
                            model = self.config.model,
                            ?usage,
                            ms,
                            "the model answered"
                        );
                        return Ok((answer, usage));
                    }
                    (answer, Ok(false)) if answer == Answer::default() => self.silent().into(),
                    (answer, Ok(false)) => {
                        return Err(self.cut_off().with_spent(usage(&messages, &answer)));
                    }
                },
            };
            if let Some(status) = failure.status
                && dialect.adapt(status, &failure.detail, request.schema.is_some())
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
                .map_err(|_| self.given_up("no_token", first))??;
        let mut body = AnswerBody::new(header(response.headers(), CONTENT_TYPE));
        let (mut last_progress, mut seen) = (start, 0);
        let mut received = 0_usize;
        loop {
            let (limit, what) = match seen {
                0 => (first, "no_token"),
                _ => (self.config.idle_timeout, "no_further_token"),
            };
            let left = (last_progress + limit).saturating_sub(self.clock.monotonic());
            let chunk = with_timeout(&*self.clock, left, "waiting", response.chunk())
                .await
                .map_err(|_| self.given_up(what, limit))?;
            match chunk {
                Ok(Some(bytes)) => {
                    received = received.saturating_add(bytes.len());
                    body.take(&bytes, assembler).map_err(|stop| self.stopped(stop))?
                }
                Ok(None) => return body.finish(assembler).map_err(|stop| self.stopped(stop)),
                Err(_) if assembler.len() > 0 => return Err(self.cut_off().into()),
                Err(error) => return Err(self.http.broken(error).into()),
            }
            if body.pending_bytes() > self.config.max_reply_bytes || received > MAX_ANSWER_BYTES {
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

    fn silent(&self) -> Error {
        self.http.no_answer("reply.silent")
    }

    fn given_up(&self, what: &str, limit: Duration) -> Failure {
        Failure { given_up: true, ..self.http.timeout(what, limit).into() }
    }

    fn cut_off(&self) -> Error {
        self.http.no_answer("reply.cut_off")
    }

    fn stopped(&self, stop: Stop) -> Failure {
        match stop {
            Stop::Observer(reason) => Error::new(ErrorKind::Cancelled, reason).into(),
            Stop::TooLong => self.http.bad_reply("reply.endless", &[]).into(),
            Stop::NotJson => self.http.bad_reply("reply.no_completion", &[]).into(),
            Stop::WebPage => self.http.web_page().into(),
            Stop::Server(chunk) => {
                let code = ["/error/code", "/error/status", "/code"]
                    .into_iter()
                    .find_map(|p| chunk.pointer(p)?.as_u64())
                    .and_then(|code| StatusCode::from_u16(u16::try_from(code).ok()?).ok())
                    .filter(|status| status.as_u16() >= 400)
                    .unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
                let detail = self.http.clean(&server_message(&chunk.to_string()));
                Failure {
                    error: self.http.status_error(code, &detail, ROUTE),
                    status: Some(code),
                    detail,
                    given_up: false,
                }
            }
        }
    }

    fn no_json(
        &self,
        schema: &ReplySchema,
        again: &str,
        problem: &Problem,
        was_cut: bool,
    ) -> Error {
        let why = if was_cut { "why.tokens_used_up" } else { problem.for_person() };
        self.http.bad_reply(again, &[("schema", schema.name), ("why", why)])
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
        let call = self
            .chat_unlimited(request, observer)
            .instrument(tracing::info_span!("call", model = self.config.model));
        with_timeout(&*self.clock, limit, "chat", call)
            .await
            .map_err(|_| self.http.timeout("not_finished", limit))?
    }

    fn take_abandoned(&self) -> TokenUsage {
        self.abandoned.take()
    }

    fn tokens_per_estimated(&self) -> f32 {
        self.token_ratio.get()
    }
}

fn reply(answer: Answer, json: Option<Value>, usage: TokenUsage) -> ChatReply {
    ChatReply { content: answer.content, reasoning: answer.reasoning, json, usage }
}

fn compile(schema: &ReplySchema) -> Result<Validator> {
    jsonschema::validator_for(&schema.schema).map_err(|error| {
        Error::new(
            ErrorKind::Internal,
            format!("the schema `{}` is no JSON Schema: {error}", schema.name),
        )
    })
}

/// What the wider schema makes of a reply that doesn't match the one that was asked for.
fn at_least(schema: &ReplySchema, answer: &Answer) -> Option<Value> {
    let wider = schema.at_least.as_ref()?;
    let validator = jsonschema::validator_for(wider).ok()?;
    json_reply::find(&answer.content, wider, &validator).ok()
}

/// What an answer cost: as the server counted, else as a tokenizer does.
fn usage(messages: &[ChatMessage], answer: &Answer) -> TokenUsage {
    match answer.usage {
        // Nobody writes something in no tokens.
        Some((_, 0)) if !answer.content.is_empty() => counted(messages, answer),
        Some((prompt, completion)) => TokenUsage { prompt, completion, estimated: false },
        None => counted(messages, answer),
    }
}

/// What an answer cost, as a tokenizer counts.
fn counted(messages: &[ChatMessage], answer: &Answer) -> TokenUsage {
    TokenUsage {
        prompt: count_messages(messages),
        completion: count_tokens(&answer.content) + count_tokens(&answer.reasoning),
        estimated: true,
    }
}

/// About how many tokens the messages are, with four for the marks around each.
fn estimate(messages: &[ChatMessage]) -> u64 {
    messages.iter().map(|m| estimate_tokens(&m.content) + 4).sum()
}
