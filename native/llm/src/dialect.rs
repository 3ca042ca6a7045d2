//! What an endpoint understands of OpenAI's protocol, learnt from what it refuses.

use ouro_core::{ChatMessage, ChatRequest};
use reqwest::StatusCode;
use serde_json::{Map, Value, json};

/// How a JSON reply is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplyFormat {
    /// `response_format: json_schema`: the server holds the model to the schema.
    JsonSchema,
    /// `response_format: json_object`, the schema in the prompt.
    JsonObject,
    /// The schema in the prompt and nothing else.
    Prompt,
}

/// The parts of the protocol that can be sent to an endpoint. Starts with all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) format: ReplyFormat,
    /// The limit is called `max_completion_tokens`, as OpenAI's reasoning models want it.
    pub(crate) new_token_limit: bool,
    pub(crate) temperature: bool,
    pub(crate) stream_usage: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            format: ReplyFormat::JsonSchema,
            new_token_limit: false,
            temperature: true,
            stream_usage: true,
        }
    }
}

impl Dialect {
    /// The body of a streamed chat request.
    pub(crate) fn body(
        self,
        model: &str,
        request: &ChatRequest,
        messages: &[ChatMessage],
    ) -> Value {
        let mut body = Map::new();
        let mut set = |name: &str, value: Value| {
            body.insert(name.to_owned(), value);
        };
        set("model", json!(model));
        set("messages", json!(messages));
        set("stream", json!(true));
        set(
            if self.new_token_limit { "max_completion_tokens" } else { "max_tokens" },
            json!(request.max_tokens),
        );
        if self.temperature {
            // Through the shortest decimal form: 0.2 must not be sent as 0.20000000298.
            let shortest = request.temperature.to_string().parse::<f64>().unwrap_or_default();
            set("temperature", json!(shortest));
        }
        if self.stream_usage {
            set("stream_options", json!({"include_usage": true}));
        }
        match (&request.schema, self.format) {
            (Some(schema), ReplyFormat::JsonSchema) => set(
                "response_format",
                json!({"type": "json_schema", "json_schema": {"name": schema.name, "schema": schema.schema}}),
            ),
            (Some(_), ReplyFormat::JsonObject) => {
                set("response_format", json!({"type": "json_object"}))
            }
            (Some(_), ReplyFormat::Prompt) | (None, _) => {}
        }
        Value::Object(body)
    }

    /// Leaves out what the server refused with this status and these words; whether that changed anything.
    pub(crate) fn adapt(&mut self, status: StatusCode, detail: &str, wants_json: bool) -> bool {
        if !matches!(status.as_u16(), 400 | 422 | 500 | 501) {
            return false;
        }
        let said = detail.to_lowercase();
        let names = |words: &[&str]| words.iter().any(|w| said.contains(w));
        let refuses = names(&[
            "support",
            "unknown",
            "unrecognized",
            "unexpected",
            "extra",
            "permitted",
            "additional",
        ]);
        if names(&["max_completion_tokens"]) && !self.new_token_limit {
            self.new_token_limit = true;
        } else if names(&["stream_options", "include_usage"]) && self.stream_usage {
            self.stream_usage = false;
        } else if names(&["temperature"]) && refuses && self.temperature {
            self.temperature = false;
        } else if wants_json
            && names(&[
                "response_format",
                "schema",
                "json_object",
                "grammar",
                "structured",
                "guided",
            ])
        {
            return self.lower_format();
        } else if wants_json && refuses && status != StatusCode::INTERNAL_SERVER_ERROR {
            // It doesn't say what it refuses: the schema is the newest part of the protocol.
            return self.lower_format();
        } else {
            return false;
        }
        true
    }

    /// Asks for JSON in the next simpler way; whether there was one.
    pub(crate) fn lower_format(&mut self) -> bool {
        self.format = match self.format {
            ReplyFormat::JsonSchema => ReplyFormat::JsonObject,
            ReplyFormat::JsonObject => ReplyFormat::Prompt,
            ReplyFormat::Prompt => return false,
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use ouro_core::ReplySchema;

    use super::*;

    fn request() -> ChatRequest {
        ChatRequest {
            messages: Vec::new(),
            schema: Some(ReplySchema {
                name: "answer",
                schema: json!({"type": "object"}),
                at_least: None,
            }),
            max_tokens: 100,
            token_budget: 1_000,
            temperature: 0.2,
        }
    }

    #[test]
    fn leaves_out_what_real_servers_refuse_in_their_own_words() {
        let adapted = |status: u16, detail: &str| {
            let mut dialect = Dialect::default();
            dialect.adapt(StatusCode::from_u16(status).unwrap(), detail, true).then_some(dialect)
        };
        let all = Dialect::default();
        let json_object = Some(Dialect { format: ReplyFormat::JsonObject, ..all });
        // OpenAI's reasoning models
        assert_eq!(
            adapted(
                400,
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
            ),
            Some(Dialect { new_token_limit: true, ..all })
        );
        assert_eq!(
            adapted(
                400,
                "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported."
            ),
            Some(Dialect { temperature: false, ..all })
        );
        // DeepSeek, llama.cpp, LM Studio, vLLM, a strict gateway
        assert_eq!(adapted(400, "This response_format type is unavailable now"), json_object);
        assert_eq!(adapted(400, "failed to parse grammar"), json_object);
        assert_eq!(
            adapted(400, "'response_format.type' must be 'json_object' or 'text'"),
            json_object
        );
        assert_eq!(adapted(422, "[{'type': 'extra_forbidden', 'loc': ('body', "), json_object);
        assert_eq!(
            adapted(400, "Unrecognized request argument supplied: stream_options"),
            Some(Dialect { stream_usage: false, ..all })
        );
        for (status, other) in [
            (400, "This model's maximum context length is 8192 tokens, you requested 9000"),
            (404, "model not supported"),
            (500, "unexpected EOF"),
            (429, "response_format"),
        ] {
            assert_eq!(adapted(status, other), None, "{other}");
        }
    }

    #[test]
    fn asks_for_json_in_three_ways_and_then_gives_up() {
        let mut dialect = Dialect::default();
        let format =
            |d: Dialect| d.body("m", &request(), &[]).pointer("/response_format/type").cloned();
        assert_eq!(format(dialect), Some(json!("json_schema")));
        assert!(dialect.lower_format());
        assert_eq!(format(dialect), Some(json!("json_object")));
        assert!(dialect.lower_format());
        assert_eq!(format(dialect), None);
        assert!(!dialect.lower_format());
    }

    #[test]
    fn sends_the_temperature_as_it_was_written() {
        assert_eq!(Dialect::default().body("m", &request(), &[])["temperature"].to_string(), "0.2");
    }
}
