//! What came of a run, told by both sides: what `ouro` said it did, and what the servers saw.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// A finished run.
#[derive(Clone)]
pub(super) struct Outcome {
    /// Exit status of `ouro evolve`.
    pub(super) status: i32,
    /// What it printed.
    pub(super) events: Vec<Value>,
    /// What it said on standard error.
    pub(super) messages: String,
    /// What `ouro records list` shows afterwards.
    pub(super) records: Vec<Value>,
    /// What `ouro failures list` shows afterwards.
    pub(super) failures: Vec<Value>,
    /// The chat server's log.
    pub(super) chats: Vec<Value>,
    /// Requests that the embedder saw.
    pub(super) embeddings: usize,
}

/// One JSON object a line; an error names the first line that is none.
pub(super) fn json_lines(text: &str) -> Result<Vec<Value>> {
    text.lines()
        .map(|line| {
            let value: Value =
                serde_json::from_str(line).with_context(|| format!("not JSON: {line}"))?;
            ensure!(value.is_object(), "not a JSON object: {line}");
            Ok(value)
        })
        .collect()
}

impl Outcome {
    /// Fails unless everything went as it must, whatever the model said.
    pub(super) fn check(&self) -> Result<()> {
        self.check_requests()?;
        self.check_tokens()?;
        if self.saved().is_empty() {
            self.check_that_the_failure_is_known()
        } else {
            self.check_records()
        }
    }

    /// Every request was streamed, bound to a schema, and one that the server could serve.
    fn check_requests(&self) -> Result<()> {
        ensure!(!self.chats.is_empty(), "the chat model was never asked");
        ensure!(self.embeddings > 0, "the embedder was never asked");
        for chat in &self.chats {
            ensure!(chat.get("error").is_none(), "the chat server refused a request: {chat}");
            ensure!(chat.get("stream") == Some(&Value::Bool(true)), "not streamed: {chat}");
            ensure!(text(chat, "/schema").is_some(), "not bound to a schema: {chat}");
        }
        Ok(())
    }

    /// Tokens are the server's own count. Only where a reply was broken off was there nothing to count.
    fn check_tokens(&self) -> Result<()> {
        let finished = self.finished()?;
        let counted = number(finished, "/stats/tokens_today/prompt")
            + number(finished, "/stats/tokens_today/completion");
        let estimated =
            finished.pointer("/stats/tokens_today/estimated") == Some(&Value::Bool(true));
        let served: u64 = self.chats.iter().map(|chat| number(chat, "/total_tokens")).sum();
        if self.broken_off() == 0 {
            ensure!(!estimated, "tokens were estimated, though the server counted each reply");
            ensure!(counted == served, "{counted} tokens were counted, but {served} were served");
        }
        ensure!(counted > 0, "no tokens were counted");
        Ok(())
    }

    /// What was reported as saved is there, and says who made it.
    fn check_records(&self) -> Result<()> {
        ensure!(self.status == 0, "exit status {}, though something was learnt", self.status);
        for saved in self.saved() {
            let id = text(saved, "/id").context("a record without an id")?;
            let is_listed = self.records.iter().any(|record| text(record, "/id") == Some(id));
            ensure!(is_listed, "record {id} was reported, but is not listed");
            ensure!(text(saved, "/model") == Some("smollm2"), "record {id} has another model");
            let embedder = text(saved, "/embedder").unwrap_or_default();
            ensure!(embedder.contains("e5"), "record {id} has another embedder: {embedder}");
        }
        Ok(())
    }

    /// The model's nonsense may yield nothing. Then Ouro says so, and remembers what failed.
    fn check_that_the_failure_is_known(&self) -> Result<()> {
        ensure!(self.status != 0, "exit status 0, though nothing was learnt");
        ensure!(!self.messages.trim().is_empty(), "nothing was learnt, and nothing was said of it");
        ensure!(self.events_of("error").next().is_some(), "nothing was learnt without an error");
        ensure!(!self.failures.is_empty(), "nothing was learnt, but no failure is recorded");
        Ok(())
    }

    /// What happened, for a person.
    pub(super) fn report(&self) -> String {
        let sum = |field| self.chats.iter().map(|chat| number(chat, field)).sum::<u64>();
        let mut report = format!(
            "{} chat requests ({} prompt and {} completion tokens, {} cut off at the limit, {} broken off), \
             {} embedding requests, exit status {}, {} records, {} failures",
            self.chats.len(),
            sum("/prompt_tokens"),
            sum("/completion_tokens"),
            self.finished_by("length"),
            self.broken_off(),
            self.embeddings,
            self.status,
            self.saved().len(),
            self.failures.len(),
        );
        for record in self.saved() {
            let of = |field| text(record, field).unwrap_or_default();
            report.push_str(&format!("\nlearnt: {}\n        {}", of("/question"), of("/answer")));
        }
        for found in self.events_of("loop_detected") {
            let evidence = text(found, "/evidence").unwrap_or_default();
            report.push_str(&format!("\nbroken off: {evidence}"));
        }
        for error in self.events_of("error") {
            report.push_str(&format!("\nerror: {}", text(error, "/message").unwrap_or_default()));
        }
        if let Ok(finished) = self.finished() {
            report
                .push_str(&format!("\nended: {}", text(finished, "/message").unwrap_or_default()));
        }
        report
    }

    fn finished(&self) -> Result<&Value> {
        let last = self.events.last().context("ouro evolve printed nothing")?;
        ensure!(
            text(last, "/event") == Some("finished"),
            "the last event is not `finished`: {last}"
        );
        Ok(last)
    }

    fn events_of(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.events.iter().filter(move |event| text(event, "/event") == Some(kind))
    }

    fn saved(&self) -> Vec<&Value> {
        self.events_of("record_saved").filter_map(|event| event.get("record")).collect()
    }

    fn finished_by(&self, reason: &str) -> usize {
        self.chats.iter().filter(|chat| text(chat, "/finish") == Some(reason)).count()
    }

    fn broken_off(&self) -> usize {
        self.finished_by("aborted")
    }
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

fn number(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn finished(tokens: Value) -> Value {
        json!({"event": "finished", "message": "done", "stats": {"tokens_today": tokens}})
    }

    fn good() -> Outcome {
        let record = json!({"id": "01A", "model": "smollm2", "embedder": "multilingual-e5-small"});
        Outcome {
            status: 0,
            events: vec![
                json!({"event": "record_saved", "record": record}),
                finished(json!({"prompt": 90, "completion": 10, "estimated": false})),
            ],
            messages: String::new(),
            records: vec![record],
            failures: vec![],
            chats: vec![json!({
                "request": 1, "stream": true, "schema": "questions", "finish": "stop", "total_tokens": 100
            })],
            embeddings: 1,
        }
    }

    fn problem(change: impl FnOnce(&mut Outcome)) -> String {
        let mut outcome = good();
        change(&mut outcome);
        outcome.check().unwrap_err().to_string()
    }

    fn set(value: &mut Value, field: &str, new: Value) {
        value.as_object_mut().unwrap().insert(field.to_owned(), new);
    }

    #[test]
    fn a_run_in_which_all_is_well_passes() {
        good().check().unwrap();
    }

    #[test]
    fn a_request_that_was_not_made_as_it_should_is_found() {
        assert_eq!(problem(|run| run.chats.clear()), "the chat model was never asked");
        assert_eq!(problem(|run| run.embeddings = 0), "the embedder was never asked");
        for (field, value, error) in [
            ("stream", json!(false), "not streamed"),
            ("schema", json!(null), "not bound to a schema"),
            ("error", json!("no"), "the chat server refused a request"),
        ] {
            let found = problem(|run| set(&mut run.chats[0], field, value));
            assert!(found.starts_with(error), "{found}");
        }
    }

    #[test]
    fn tokens_that_differ_from_the_servers_count_are_found() {
        let wrong = json!({"prompt": 90, "completion": 9, "estimated": false});
        let found = problem(|run| run.events[1] = finished(wrong));
        assert_eq!(found, "99 tokens were counted, but 100 were served");
        let guessed = json!({"prompt": 90, "completion": 10, "estimated": true});
        let found = problem(|run| run.events[1] = finished(guessed));
        assert!(found.starts_with("tokens were estimated"), "{found}");
    }

    #[test]
    fn a_reply_that_was_broken_off_may_be_estimated() {
        let mut outcome = good();
        outcome.events[1] = finished(json!({"prompt": 150, "completion": 10, "estimated": true}));
        outcome.chats.push(json!({"stream": true, "schema": "summary", "finish": "aborted"}));
        outcome.check().unwrap();
    }

    #[test]
    fn a_record_that_was_reported_but_is_not_there_is_found() {
        let found = problem(|run| run.records.clear());
        assert_eq!(found, "record 01A was reported, but is not listed");
        assert!(problem(|run| run.status = 2).starts_with("exit status 2"));
    }

    #[test]
    fn a_run_that_learnt_nothing_passes_only_when_it_says_why() {
        let mut outcome = good();
        outcome.events[0] = json!({"event": "error", "message": "no JSON"});
        outcome.status = 2;
        outcome.messages = "ouro: nothing was learnt: no JSON".to_owned();
        outcome.failures = vec![json!({"id": "01B"})];
        outcome.check().unwrap();
        for hide in [
            |run: &mut Outcome| run.status = 0,
            |run: &mut Outcome| run.messages.clear(),
            |run: &mut Outcome| run.failures.clear(),
            |run: &mut Outcome| drop(run.events.remove(0)),
        ] {
            let mut silent = outcome.clone();
            hide(&mut silent);
            silent.check().unwrap_err();
        }
    }

    #[test]
    fn a_line_that_is_no_json_object_is_named() {
        assert_eq!(json_lines("{}\n{\"a\":1}\n").unwrap().len(), 2);
        assert_eq!(json_lines("{}\nhello").unwrap_err().to_string(), "not JSON: hello");
        assert_eq!(json_lines("3").unwrap_err().to_string(), "not a JSON object: 3");
    }
}
