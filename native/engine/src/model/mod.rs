//! The reasoner that asks a chat model.

mod prompt;

use std::{fmt::Write as _, sync::Arc};

use async_trait::async_trait;
use ouro_core::{
    ActionRequest, AvoidStrategy, ChatMessage, ChatModel, ChatRequest, ChatRole, Error, ErrorKind,
    FailureRecord, NextAction, Question, QuestionRequest, Reasoner, ReplyObserver, ReplySchema,
    Result, Summary, SummaryRequest, Thought, estimate_tokens,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// Most tokens of one reply. Questions and answers are a few sentences; a longer reply is a model that rambles.
const MAX_REPLY_TOKENS: u64 = 1_500;

/// Least tokens that are worth asking for.
const MIN_REPLY_TOKENS: u64 = 100;

/// Makes the observer of one streamed reply.
pub type ObserverFactory = Arc<dyn Fn() -> Box<dyn ReplyObserver> + Send + Sync>;

/// Thinks with a chat model: one schema-bound request a thought.
pub struct ModelReasoner {
    model: Arc<dyn ChatModel>,
    observer: ObserverFactory,
    temperature: f32,
}

impl ModelReasoner {
    /// A reasoner over `model`; `observer` watches every streamed reply and may break it off.
    pub fn new(model: Arc<dyn ChatModel>, observer: ObserverFactory) -> Self {
        Self { model, observer, temperature: 0.3 }
    }

    async fn think<T: DeserializeOwned>(
        &self,
        name: &'static str,
        schema: Value,
        system: String,
        user: impl FnOnce(u64) -> String,
        tokens_left: u64,
    ) -> Result<Thought<T>> {
        // A third for the reply, what remains for the prompt; the schema travels with it.
        let reply = (tokens_left / 3).clamp(MIN_REPLY_TOKENS, MAX_REPLY_TOKENS);
        let fixed = reply + estimate_tokens(&system) + estimate_tokens(&schema.to_string()) + 50;
        let budget = tokens_left.checked_sub(fixed).filter(|b| *b >= MIN_REPLY_TOKENS).ok_or_else(|| {
            Error::new(
                ErrorKind::InvalidInput,
                format!(
                    "{tokens_left} tokens are left for this iteration, too few to ask the model for {name}; \
                     raise max_tokens_per_iteration"
                ),
            )
        })?;
        let message = |role, content| ChatMessage { role, content };
        let request = ChatRequest {
            messages: vec![
                message(ChatRole::System, system),
                message(ChatRole::User, user(budget)),
            ],
            schema: Some(ReplySchema { name, schema }),
            max_tokens: reply,
            temperature: self.temperature,
        };
        let mut observer = (self.observer)();
        let reply = self.model.chat(&request, observer.as_mut()).await?;
        let value = reply.json.unwrap_or(Value::Null);
        let value = serde_json::from_value(value).map_err(|e| {
            Error::new(
                ErrorKind::BadReply,
                format!(
                    "the model {} answered {name} with JSON that does not fit: {e}",
                    self.model.id()
                ),
            )
        })?;
        Ok(Thought { value, usage: reply.usage })
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
            questions: Vec<Question>,
        }
        let thought: Thought<Questions> = self
            .think(
                "questions",
                questions_schema(request.count),
                prompt::questions_system(&request),
                |budget| prompt::questions_user(&request, budget),
                request.tokens_left,
            )
            .await?;
        let mut questions = thought.value.questions;
        questions.retain(|q| !q.question.trim().is_empty());
        questions.truncate(request.count);
        for question in &mut questions {
            question.priority = question.priority.clamp(1, 10);
            // The engine places it in the map once it knows the sources.
            question.topic = None;
        }
        Ok(Thought { value: questions, usage: thought.usage })
    }

    async fn next_action(&self, request: ActionRequest) -> Result<Thought<NextAction>> {
        let names: Vec<&str> = request.tools.iter().map(|t| t.name.as_str()).collect();
        self.think(
            "next_action",
            action_schema(&names),
            prompt::action_system(&request),
            |budget| prompt::action_user(&request, budget),
            request.tokens_left,
        )
        .await
    }

    async fn summarize(&self, request: SummaryRequest) -> Result<Thought<Summary>> {
        let thought: Thought<Summary> = self
            .think(
                "summary",
                summary_schema(),
                prompt::summary_system(&request),
                |budget| prompt::summary_user(&request, budget),
                request.tokens_left,
            )
            .await?;
        if thought.value.answer.trim().is_empty() {
            let mut message = String::from("the model answered with an empty summary");
            let _ = write!(message, " to {:?}", request.question.question);
            return Err(Error::new(ErrorKind::BadReply, message));
        }
        Ok(thought)
    }

    async fn analyse_failure(&self, failure: &FailureRecord) -> Result<Thought<AvoidStrategy>> {
        let text = json!({ "type": "string" });
        let schema = object(
            json!({ "cause": text, "avoid_strategy": text, "retry_suggestion": text }),
            &["cause", "avoid_strategy", "retry_suggestion"],
        );
        self.think(
            "avoid_strategy",
            schema,
            prompt::failure(failure),
            |_| "Answer now.".into(),
            2_500,
        )
        .await
    }
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
            "question": { "type": "string" },
            // Described, not bound: a type that a model makes up becomes Other and costs no re-ask.
            "type": { "type": "string", "description": format!("one of {}", types.join(", ")) },
            "priority": { "type": "integer", "minimum": 1, "maximum": 10 },
            "reason": { "type": "string" },
            "suggested_tools": { "type": "array", "items": { "type": "string" }, "maxItems": 5 },
            "expected_outcome": { "type": "string" },
        }),
        &["question", "type", "priority", "reason", "suggested_tools", "expected_outcome"],
    );
    object(
        json!({ "questions": { "type": "array", "items": question, "minItems": 1, "maxItems": count } }),
        &["questions"],
    )
}

/// The tool's name is not bound to the list: a model that invents one sees an error result and learns from it.
fn action_schema(tools: &[&str]) -> Value {
    object(
        json!({
            "should_stop": { "type": "boolean" },
            "tool_name": { "type": "string", "description": format!("one of {}", tools.join(", ")) },
            "parameters": { "type": "object" },
            "reason": { "type": "string" },
        }),
        &["should_stop", "tool_name", "parameters", "reason"],
    )
}

fn summary_schema() -> Value {
    let text = json!({ "type": "string" });
    let line = json!({ "type": ["integer", "null"], "minimum": 1 });
    let source = object(json!({ "path": text, "start_line": line, "end_line": line }), &["path"]);
    object(
        json!({
            "answer": text,
            "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
            "source_files": { "type": "array", "items": source, "maxItems": 10 },
            "tags": { "type": "array", "items": text, "maxItems": 8 },
            "domain": text,
            "gaps": { "type": "array", "items": text, "maxItems": 3 },
        }),
        &["answer", "confidence", "source_files", "tags", "domain", "gaps"],
    )
}
