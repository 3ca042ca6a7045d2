//! What every test here needs.

use std::{ops::ControlFlow, sync::Arc, time::Duration};

use ouro_core::{
    ChatMessage, ChatModel, ChatReply, ChatRequest, ChatRole, Random, ReplyDelta, ReplyObserver,
    ReplySchema, Result, SeededRandom, Unwatched,
};
use ouro_llm::{ChatConfig, OpenAiChat};
use ouro_testkit::{ManualClock, ModelServer};
use serde_json::json;

/// A server and a client on one clock that stands still.
pub(crate) struct Setup {
    pub(crate) server: ModelServer,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) model: OpenAiChat,
}

impl Setup {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// A setup with another configuration.
    pub(crate) async fn with(change: impl FnOnce(&mut ChatConfig)) -> Self {
        let server = ModelServer::start().await;
        let clock = Arc::new(ManualClock::new(0));
        let mut config = ChatConfig::new(server.base_url(), ModelServer::MODEL);
        change(&mut config);
        let model = OpenAiChat::new(config, clock.clone(), random()).unwrap();
        Self { server, clock, model }
    }

    pub(crate) async fn ask(&self, request: ChatRequest) -> Result<ChatReply> {
        self.model.chat(&request, &mut Unwatched).await
    }

    /// Asks, and lets each pause before another attempt pass; returns the pauses as well.
    pub(crate) async fn ask_through_pauses(
        &self,
        request: ChatRequest,
    ) -> (Result<ChatReply>, Vec<Duration>) {
        let mut pauses = Vec::new();
        let reply = tokio::select! {
            reply = self.ask(request) => reply,
            () = async { loop { pauses.push(pass_pause(&self.clock).await) } } => unreachable!(),
        };
        (reply, pauses)
    }
}

/// Time limits in these tests are far longer than any pause, so that a sleeper's time tells which it is.
pub(crate) fn long_limits(config: &mut ChatConfig) {
    config.connect_timeout = Duration::from_secs(100_000);
    config.first_token_timeout = Duration::from_secs(200_000);
    config.idle_timeout = Duration::from_secs(300_000);
    config.total_timeout = Duration::from_secs(900_000);
}

/// Waits until somebody pauses between two attempts, and lets that time pass.
async fn pass_pause(clock: &ManualClock) -> Duration {
    loop {
        match clock.next_wake() {
            Some(pause)
                if (Duration::from_millis(100)..Duration::from_secs(50_000)).contains(&pause) =>
            {
                clock.advance(pause);
                return pause;
            }
            _ => tokio::task::yield_now().await,
        }
    }
}

pub(crate) fn random() -> Arc<dyn Random> {
    Arc::new(SeededRandom::new(7))
}

/// A question in free text.
pub(crate) fn question() -> ChatRequest {
    let message = |role, content: &str| ChatMessage { role, content: content.to_owned() };
    ChatRequest {
        messages: vec![
            message(ChatRole::System, "You explain code."),
            message(ChatRole::User, "What does the scheduler do?"),
        ],
        schema: None,
        max_tokens: 256,
        token_budget: 100_000,
        temperature: 0.2,
    }
}

/// The same question with a JSON reply.
pub(crate) fn json_question() -> ChatRequest {
    let schema = json!({
        "type": "object",
        "required": ["answer", "confidence"],
        "properties": {
            "answer": {"type": "string"},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        },
    });
    ChatRequest {
        schema: Some(ReplySchema { name: "answer", schema, at_least: None }),
        ..question()
    }
}

/// Writes down what it sees, and breaks off when the text holds a word.
#[derive(Default)]
pub(crate) struct Watcher {
    pub(crate) content: String,
    pub(crate) reasoning: String,
    pub(crate) deltas: usize,
    pub(crate) break_at: Option<&'static str>,
}

impl ReplyObserver for Watcher {
    fn on_delta(&mut self, delta: ReplyDelta<'_>) -> ControlFlow<String> {
        self.deltas += 1;
        match delta {
            ReplyDelta::Reasoning(text) => self.reasoning += text,
            ReplyDelta::Content(text) => self.content += text,
        }
        match self.break_at {
            Some(word) if self.content.contains(word) => ControlFlow::Break(format!("saw {word}")),
            _ => ControlFlow::Continue(()),
        }
    }
}
