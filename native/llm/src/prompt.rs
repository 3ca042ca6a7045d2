//! The messages of a request as they are sent.

use ouro_core::{ChatMessage, ChatRequest, ChatRole, ReplySchema};

use crate::{dialect::ReplyFormat, json_reply::Problem};

/// What is said to the model after a reply that can't be used.
pub(crate) struct ReAsk {
    /// The reply.
    pub(crate) reply: String,
    /// What is wrong with it.
    pub(crate) problem: Problem,
    /// Whether it was cut off at the most tokens it could have.
    pub(crate) was_cut: bool,
}

/// Most characters of a bad reply that are shown to the model again.
const MAX_SHOWN_CHARS: usize = 4_000;

/// The messages as they are sent: with the schema in words where the server doesn't hold the model to it, and with
/// the second question after a bad reply.
pub(crate) fn messages(
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

/// Asks for JSON in words.
fn schema_prompt(schema: &ReplySchema) -> String {
    format!(
        "Reply with one JSON object and nothing else: no explanation, no code fence. It must match this JSON Schema:\n{}",
        schema.schema
    )
}
