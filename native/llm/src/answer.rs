//! Puts a streamed answer together and shows it to its observer piece by piece.

use std::ops::ControlFlow;

use ouro_core::{ReplyDelta, ReplyObserver};
use serde_json::Value;

use crate::{
    surrogates::SurrogateJoiner,
    thinking::{Piece, ThinkSplitter},
};

/// What a model answered.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) content: String,
    pub(crate) reasoning: String,
    /// Tokens sent and received, if the server counted.
    pub(crate) usage: Option<(u64, u64)>,
    /// `stop`, `length`, `content_filter`, or what else the server says.
    pub(crate) finish_reason: Option<String>,
}

impl Answer {
    /// Whether it was cut off at the most tokens it could have.
    pub(crate) fn was_cut(&self) -> bool {
        self.finish_reason.as_deref() == Some("length")
    }
}

/// Why an answer can't go on.
#[derive(Debug, PartialEq)]
pub(crate) enum Stop {
    /// The observer broke it off, for this reason.
    Observer(String),
    /// The model writes more than it may.
    TooLong,
    /// The server reports an error in the middle.
    Server(Value),
    /// Something that is no JSON.
    NotJson,
    /// A page for people.
    WebPage,
}

/// Takes the chunks of one answer.
pub(crate) struct Assembler<'a> {
    observer: &'a mut dyn ReplyObserver,
    max_bytes: usize,
    splitter: ThinkSplitter,
    surrogates: SurrogateJoiner,
    answer: Answer,
    done: bool,
}

impl<'a> Assembler<'a> {
    /// `max_bytes` limits content and reasoning together.
    pub(crate) fn new(observer: &'a mut dyn ReplyObserver, max_bytes: usize) -> Self {
        Self {
            observer,
            max_bytes,
            splitter: ThinkSplitter::default(),
            surrogates: SurrogateJoiner::default(),
            answer: Answer::default(),
            done: false,
        }
    }

    /// Takes the data of one event, or a whole completion.
    pub(crate) fn take(&mut self, data: &str) -> Result<(), Stop> {
        if data.trim() == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        let chunk: Value = serde_json::from_str(data)
            .or_else(|_| serde_json::from_str(&self.surrogates.join(data)))
            .map_err(|_| Stop::NotJson)?;
        if chunk.get("error").is_some_and(|e| !e.is_null()) {
            return Err(Stop::Server(chunk));
        }
        // What no model has ever read or written is no count: nor is a prompt of nothing, or a reply.
        let count = |pointer| {
            let count = chunk.pointer(pointer).and_then(Value::as_u64);
            count.filter(|n| *n <= u64::from(u32::MAX))
        };
        if let (Some(prompt @ 1..), Some(completion)) =
            (count("/usage/prompt_tokens"), count("/usage/completion_tokens"))
        {
            self.answer.usage = Some((prompt, completion));
        }
        let Some(choice) = chunk.pointer("/choices/0") else { return Ok(()) };
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.answer.finish_reason = Some(reason.to_owned());
        }
        let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) else {
            return Ok(());
        };
        // Servers name the reasoning differently, and some send it under two names at once.
        let reasoning = ["reasoning_content", "reasoning", "thinking"]
            .into_iter()
            .filter_map(|f| delta.get(f))
            .map(text)
            .find(|t| !t.is_empty());
        if let Some(reasoning) = reasoning {
            self.show(Piece::Reasoning(reasoning))?;
        }
        if let Some(content) = delta.get("content").map(text) {
            for piece in self.splitter.push(&content) {
                self.show(piece)?;
            }
        }
        Ok(())
    }

    /// Ends the answer: what was held back is shown, and whether the server said that this is the end.
    pub(crate) fn finish(&mut self) -> (Answer, Result<bool, Stop>) {
        let held_back = std::mem::take(&mut self.splitter).finish();
        let shown = held_back.map_or(Ok(()), |piece| self.show(piece));
        let ended = self.done || self.answer.finish_reason.is_some();
        (std::mem::take(&mut self.answer), shown.map(|()| ended))
    }

    /// Bytes of content and reasoning so far.
    pub(crate) fn len(&self) -> usize {
        self.answer.content.len() + self.answer.reasoning.len()
    }

    /// The answer so far.
    pub(crate) fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Whether `[DONE]` came.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    fn show(&mut self, piece: Piece) -> Result<(), Stop> {
        let verdict = match &piece {
            Piece::Reasoning(text) => {
                self.answer.reasoning.push_str(text);
                self.observer.on_delta(ReplyDelta::Reasoning(text))
            }
            Piece::Content(text) => {
                self.answer.content.push_str(text);
                self.observer.on_delta(ReplyDelta::Content(text))
            }
        };
        match verdict {
            ControlFlow::Break(reason) => Err(Stop::Observer(reason)),
            ControlFlow::Continue(()) if self.len() > self.max_bytes => Err(Stop::TooLong),
            ControlFlow::Continue(()) => Ok(()),
        }
    }
}

/// The text of a field: a string, or a list of parts that each hold `text` or `thinking`.
fn text(field: &Value) -> String {
    match field {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|p| p.get("text").or_else(|| p.get("thinking")))
            .map(text)
            .collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use ouro_core::Unwatched;
    use serde_json::json;

    use super::*;

    fn assemble(chunks: &[Value]) -> Result<(Answer, bool), Stop> {
        let mut observer = Unwatched;
        let mut assembler = Assembler::new(&mut observer, 1000);
        for chunk in chunks {
            assembler.take(&chunk.to_string())?;
        }
        let (answer, ended) = assembler.finish();
        ended.map(|ended| (answer, ended))
    }

    fn delta(delta: Value) -> Value {
        json!({"choices": [{"delta": delta}]})
    }

    #[test]
    fn understands_the_chunks_of_many_servers() {
        let (answer, ended) = assemble(&[
            json!({"choices": [], "usage": null}),
            delta(json!({"role": "assistant", "content": null, "reasoning_content": "a"})),
            delta(json!({"content": "", "reasoning": "b", "reasoning_content": "b"})),
            delta(json!({"content": [{"type": "text", "text": "c"}, {"type": "text", "text": "d"}]})),
            json!({"choices": [{"delta": {"content": "e"}, "finish_reason": "stop"}], "error": null}),
            json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}),
        ])
        .unwrap();
        assert_eq!(
            answer,
            Answer {
                content: "cde".to_owned(),
                reasoning: "ab".to_owned(),
                usage: Some((3, 4)),
                finish_reason: Some("stop".to_owned()),
            }
        );
        assert!(ended);
    }

    #[test]
    fn tells_an_end_from_a_cut() {
        assert!(!assemble(&[delta(json!({"content": "half"}))]).unwrap().1);
    }

    #[test]
    fn stops_at_an_error_at_nonsense_and_at_too_much() {
        let error = json!({"error": {"message": "overloaded"}});
        assert_eq!(assemble(std::slice::from_ref(&error)), Err(Stop::Server(error)));
        assert_eq!(Assembler::new(&mut Unwatched, 9).take("{\"cho"), Err(Stop::NotJson));
        assert_eq!(assemble(&[delta(json!({"content": "x".repeat(1001)}))]), Err(Stop::TooLong));
    }
}
