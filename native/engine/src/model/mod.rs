//! The reasoner that asks a chat model.

mod plain;
mod prompt;

pub(crate) use prompt::advised;

use std::{
    fmt::{self, Write as _},
    sync::Arc,
};

use async_trait::async_trait;
use ouro_core::{
    Abandoned, ActionRequest, AvoidStrategy, ChatMessage, ChatModel, ChatRequest, ChatRole, Error,
    ErrorKind, FailureRecord, Language, NextAction, Question, QuestionRequest, Reasoner,
    ReplySchema, Result, Summary, SummaryRequest, Thought, TokenUsage, ToolSpec, Topic,
    estimate_tokens,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::loops::{self, ReplyWatch};

/// Most tokens of a reply that is a text of some sentences, questions or an answer; a longer one is a model that rambles.
const MAX_TEXT_TOKENS: u64 = 1_500;

/// Most tokens of a reply that is a decision: the next step, an avoid strategy.
const MAX_DECISION_TOKENS: u64 = 500;

/// Most tokens, sent and received, that are spent to find out how to avoid a failure.
const MAX_ANALYSIS_TOKENS: u64 = 2_500;

/// Most characters of a sentence in a reply, and of an answer. Said in the schema, so that a server that writes by it
/// ends a small model's rambling itself.
const MAX_SENTENCE_CHARS: u32 = 400;
const MAX_ANSWER_CHARS: u32 = 4_000;

/// How much warmer a reply is asked for after one that ran in circles: a low temperature is what makes small models
/// do so.
const HINTED_TEMPERATURE_RISE: f32 = 0.4;

/// Least tokens that are worth asking for.
const MIN_REPLY_TOKENS: u64 = 100;

/// What one thought may cost.
struct Limits {
    tokens_left: u64,
    max_reply: u64,
}

/// What an error is caused by that says that a thought could not be paid: nothing was asked then.
#[derive(Debug)]
struct TooFewTokens;

impl fmt::Display for TooFewTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("too few tokens are left")
    }
}

impl std::error::Error for TooFewTokens {}

/// Whether a thought could not be paid: that is the iteration's limit, and no failure of what was thought about.
pub(crate) fn is_unpaid(error: &Error) -> bool {
    std::error::Error::source(error).is_some_and(|cause| cause.is::<TooFewTokens>())
}

/// Thinks with a chat model: one schema-bound request a thought.
pub struct ModelReasoner {
    model: Arc<dyn ChatModel>,
    detection: ouro_detect::Config,
    temperature: f32,
    abandoned: Abandoned,
}

impl ModelReasoner {
    /// A reasoner over `model`. Every streamed reply is watched by the loop detectors: one that runs in circles is
    /// broken off and asked for once more, with a hint.
    pub fn new(model: Arc<dyn ChatModel>, detection: ouro_detect::Config) -> Self {
        Self { model, detection, temperature: 0.3, abandoned: Abandoned::default() }
    }

    async fn think<T: DeserializeOwned>(
        &self,
        schema: ReplySchema,
        system: String,
        user: impl FnOnce(u64) -> String,
        Limits { tokens_left, max_reply }: Limits,
    ) -> Result<Thought<T>> {
        let name = schema.name;
        // A third for the reply, what remains for the prompt; the schema travels with it.
        let reply = (tokens_left / 3).clamp(MIN_REPLY_TOKENS, max_reply);
        let fixed = estimate_tokens(&system) + estimate_tokens(&schema.schema.to_string()) + 50;
        let for_prompt =
            estimated(tokens_left.saturating_sub(reply), self.model.tokens_per_estimated());
        let budget = for_prompt.checked_sub(fixed).filter(|b| *b >= MIN_REPLY_TOKENS).ok_or_else(|| {
            Error::invalid(format!(
                "{tokens_left} tokens are left for this iteration, too few to ask the model for {name}; \
                 raise max_tokens_per_iteration"
            ))
            .with_source(TooFewTokens)
        })?;
        let message = |role, content| ChatMessage { role, content };
        let mut request = ChatRequest {
            messages: vec![
                message(ChatRole::System, system),
                message(ChatRole::User, user(budget)),
            ],
            schema: Some(schema),
            max_tokens: reply,
            token_budget: tokens_left,
            temperature: self.temperature,
        };
        let mut loops = Vec::new();
        let mut spent = TokenUsage::default();
        let reply = loop {
            let mut watch = ReplyWatch::new(&self.detection);
            let held = self.abandoned.hold(spent);
            let chat = self.model.chat(&request, &mut watch).await;
            held.release();
            let (found, paid) = match chat {
                Ok(reply) => match loops::in_texts(reply.json.as_ref(), &self.detection) {
                    Some(found) => (found, reply.usage),
                    None => break reply,
                },
                Err(error) => match watch.into_found() {
                    Some(found) => (found, error.spent()),
                    None => return Err(error.with_spent(spent)),
                },
            };
            spent += paid;
            // One more try, if it can be paid for: with the hint, and less bound to the likeliest word.
            let left = tokens_left.saturating_sub(spent.total());
            if !loops.is_empty() || left < paid.prompt.saturating_add(request.max_tokens) {
                let message = format!(
                    "the model {} ran in circles when asked for {name}: {}; try a larger model",
                    self.model.id(),
                    found.evidence.trim_end_matches('.')
                );
                return Err(Error::new(ErrorKind::BadReply, message).with_spent(spent));
            }
            request.messages.push(message(ChatRole::User, loops::hint_for_reply(&found)));
            request.token_budget = left;
            request.temperature = (self.temperature + HINTED_TEMPERATURE_RISE).min(1.0);
            loops.push(loops::in_reply(&found));
        };
        spent += reply.usage;
        let value = plain::plain(reply.json.unwrap_or(Value::Null));
        let value = serde_json::from_value(value).map_err(|e| {
            let message = format!(
                "the model {} answered {name} with JSON that does not fit: {e}",
                self.model.id()
            );
            Error::new(ErrorKind::BadReply, message).with_spent(spent)
        })?;
        Ok(Thought { value, usage: spent, loops })
    }
}

#[async_trait]
impl Reasoner for ModelReasoner {
    fn id(&self) -> &str {
        self.model.id()
    }

    async fn generate_questions(&self, request: QuestionRequest) -> Result<Thought<Vec<Question>>> {
        #[derive(Deserialize)]
        struct Questions {
            questions: Vec<Proposed>,
        }
        #[derive(Deserialize)]
        struct Proposed {
            #[serde(flatten)]
            question: Question,
            /// See [`prompt::offered_holes`]; from 1.
            part: Option<i64>,
        }
        let thought: Thought<Questions> = self
            .think(
                exactly("questions", questions_schema(request.count)),
                prompt::questions_system(&request),
                |budget| prompt::questions_user(&request, budget),
                Limits { tokens_left: request.tokens_left, max_reply: MAX_TEXT_TOKENS },
            )
            .await?;
        let holes = prompt::offered_holes(&request);
        let placed = |Proposed { mut question, part }: Proposed| {
            // One line, as it is shown and listed.
            let words: Vec<&str> = question.question.split_whitespace().collect();
            question.question = words.join(" ");
            // One that is about none of them is placed in the map once its sources are known.
            let index = part.and_then(|n| usize::try_from(n.checked_sub(1)?).ok());
            let hole = index.and_then(|index| holes.get(index));
            question.topic = hole.map(|(level, module)| Topic {
                level: *level,
                module: module.clone(),
                subject: question.question.clone(),
            });
            question
        };
        let all_is_answered = thought.value.questions.is_empty();
        let questions = thought.value.questions.into_iter().map(placed);
        let has_words = |q: &Question| q.question.chars().any(char::is_alphanumeric);
        let questions: Vec<_> = questions.filter(has_words).take(request.count).collect();
        if questions.is_empty() && !all_is_answered {
            let message = "the model asked questions without a word in them";
            return Err(Error::new(ErrorKind::BadReply, message)
                .with_chinese("模型提出的问题里没有任何文字")
                .with_spent(thought.usage));
        }
        Ok(Thought { value: questions, usage: thought.usage, loops: thought.loops })
    }

    async fn next_action(&self, request: ActionRequest) -> Result<Thought<NextAction>> {
        #[derive(Deserialize)]
        struct Action {
            should_stop: bool,
            call: Option<Call>,
            #[serde(default)]
            reason: String,
        }
        #[derive(Deserialize)]
        struct Call {
            tool_name: String,
            parameters: Value,
        }
        let thought: Thought<Action> = self
            .think(
                ReplySchema {
                    name: "next_action",
                    schema: action_schema(&request.tools),
                    at_least: Some(any_action_schema()),
                },
                prompt::action_system(&request),
                |budget| prompt::action_user(&request, budget),
                Limits { tokens_left: request.tokens_left, max_reply: MAX_DECISION_TOKENS },
            )
            .await?;
        let Action { should_stop, call, reason } = thought.value;
        let value = match call {
            Some(Call { tool_name, parameters }) => {
                NextAction { should_stop, tool_name, parameters, reason }
            }
            // Neither a call nor a stop is a stop: there is nothing to do.
            None => NextAction {
                should_stop: true,
                tool_name: String::new(),
                parameters: Value::Null,
                reason,
            },
        };
        Ok(Thought { value, usage: thought.usage, loops: thought.loops })
    }

    async fn summarize(&self, request: SummaryRequest) -> Result<Thought<Summary>> {
        let thought: Thought<SummaryReply> = self
            .think(
                exactly("summary", summary_schema(!prompt::earlier_answers(&request).is_empty())),
                prompt::summary_system(&request),
                |budget| prompt::summary_user(&request, budget),
                Limits { tokens_left: request.tokens_left, max_reply: MAX_TEXT_TOKENS },
            )
            .await
            .map_err(without_verdict)?;
        let Thought { value: SummaryReply { mut summary, wrong_earlier_answers }, usage, loops } =
            thought;
        if summary.answer.trim().is_empty() {
            let mut message = String::from("the model answered with an empty summary");
            let _ = write!(message, " to {:?}", request.question.question);
            return Err(Error::new(ErrorKind::BadReply, message).with_spent(usage));
        }
        let earlier = prompt::earlier_answers(&request);
        let wrong = |n: &usize| earlier.get(n.checked_sub(1)?).map(|record| record.id);
        summary.contradicts = wrong_earlier_answers.iter().filter_map(wrong).collect();
        Ok(Thought { value: summary, usage, loops })
    }

    async fn analyse_failure(
        &self,
        failure: &FailureRecord,
        tokens_left: u64,
    ) -> Result<Thought<AvoidStrategy>> {
        let schema = object(
            json!({ "cause": sentence(), "avoid_strategy": sentence(), "retry_suggestion": sentence() }),
            &["cause", "avoid_strategy", "retry_suggestion"],
        );
        let tokens_left = tokens_left.min(MAX_ANALYSIS_TOKENS);
        let limits = Limits { tokens_left, max_reply: MAX_DECISION_TOKENS };
        let system = prompt::failure(failure);
        let schema = exactly("avoid_strategy", schema);
        self.think(schema, system, |_| "Answer now.".into(), limits).await
    }

    fn take_abandoned(&self) -> TokenUsage {
        let mut abandoned = self.abandoned.take();
        abandoned += self.model.take_abandoned();
        abandoned
    }
}

/// A summary that is "not found" says that nothing answers the question. A server that has no such model (any more) says
/// nothing about the question: it can't be reached for now.
fn without_verdict(error: Error) -> Error {
    if error.kind() != ErrorKind::NotFound {
        return error;
    }
    Error::new(ErrorKind::Unavailable, error.message())
        .with_chinese(error.message_in(Language::Chinese))
        .with_spent(error.spent())
        .with_source(error)
}

/// How many estimated tokens so many real ones are.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "budgets are far below 2^52 and never negative"
)]
fn estimated(tokens: u64, per_estimated: f32) -> u64 {
    (tokens as f64 / f64::from(per_estimated.max(0.1))) as u64
}

/// A schema that a reply has to match.
fn exactly(name: &'static str, schema: Value) -> ReplySchema {
    ReplySchema { name, schema, at_least: None }
}

fn sentence() -> Value {
    json!({ "type": "string", "maxLength": MAX_SENTENCE_CHARS })
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn questions_schema(count: usize) -> Value {
    let types: Vec<String> =
        ouro_core::QuestionType::ALL.into_iter().map(|t| format!("{t:?}")).collect();
    let question = object(
        json!({
            "question": sentence(),
            // Described, not bound: a type that a model makes up becomes Other and costs no re-ask.
            "type": { "type": "string", "description": format!("one of {}", types.join(", ")) },
            // No bounds: grammars don't enforce them, and one beyond them is taken for the nearest.
            "priority": { "type": "integer", "description": "1 to 10, 10 first" },
            "reason": sentence(),
            // The prompt names them; one that there isn't is passed over.
            "suggested_tools": { "type": "array", "items": sentence(), "maxItems": 5 },
            "expected_outcome": sentence(),
            "part": { "type": "integer" },
        }),
        &["question", "type", "priority", "reason", "suggested_tools", "expected_outcome"],
    );
    object(
        json!({ "questions": { "type": "array", "items": question, "maxItems": count } }),
        &["questions"],
    )
}

/// One alternative for each tool, with that tool's own parameters: a server that writes by the schema makes even a
/// small model's calls callable.
fn action_schema(tools: &[ToolSpec]) -> Value {
    let calls = tools.iter().map(|tool| {
        object(
            json!({ "tool_name": { "const": tool.name }, "parameters": bounded(&tool.parameters) }),
            &["tool_name", "parameters"],
        )
    });
    let calls: Vec<Value> = calls.chain([json!({ "type": "null" })]).collect();
    object(
        json!({
            "should_stop": { "type": "boolean" },
            "call": { "anyOf": calls, "description": "null to stop" },
            "reason": sentence(),
        }),
        &["should_stop", "call", "reason"],
    )
}

/// A call of any tool with any parameters: what is wrong with it is told as the result of its step.
fn any_action_schema() -> Value {
    let call = json!({
        "type": "object",
        "properties": { "tool_name": { "type": "string" }, "parameters": { "type": "object" } },
        "required": ["tool_name", "parameters"],
    });
    json!({
        "type": "object",
        "properties": {
            "should_stop": { "type": "boolean" },
            "call": { "anyOf": [call, { "type": "null" }] },
            "reason": { "type": "string" },
        },
        "required": ["should_stop", "call"],
    })
}

/// A schema whose strings end somewhere.
fn bounded(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let mut members: serde_json::Map<String, Value> =
                members.iter().map(|(name, value)| (name.clone(), bounded(value))).collect();
            if members.get("type").is_some_and(|kind| kind == "string") {
                members.entry("maxLength").or_insert(MAX_SENTENCE_CHARS.into());
            }
            Value::Object(members)
        }
        Value::Array(values) => Value::Array(values.iter().map(bounded).collect()),
        other => other.clone(),
    }
}

/// What a model replies to [`summary_schema`].
#[derive(Deserialize)]
struct SummaryReply {
    #[serde(flatten)]
    summary: Summary,
    /// Numbers from 1: see [`prompt::earlier_answers`].
    #[serde(default)]
    wrong_earlier_answers: Vec<usize>,
}

fn summary_schema(compares: bool) -> Value {
    let line = json!({ "type": ["integer", "null"], "minimum": 1 });
    let source =
        object(json!({ "path": sentence(), "start_line": line, "end_line": line }), &["path"]);
    let mut schema = object(
        json!({
            "answer": { "type": "string", "maxLength": MAX_ANSWER_CHARS },
            // No bounds either: the recorder clamps it.
            "confidence": { "type": "number" },
            "source_files": { "type": "array", "items": source, "maxItems": 10 },
            "tags": { "type": "array", "items": sentence(), "maxItems": 8 },
            "domain": sentence(),
            "gaps": { "type": "array", "items": sentence(), "maxItems": 3 },
        }),
        &["answer", "confidence", "source_files", "tags", "domain", "gaps"],
    );
    if compares
        && let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut)
    {
        let number = json!({ "type": "integer", "minimum": 1 });
        let wrong = json!({ "type": "array", "items": number, "maxItems": 5 });
        properties.insert("wrong_earlier_answers".into(), wrong);
    }
    schema
}
