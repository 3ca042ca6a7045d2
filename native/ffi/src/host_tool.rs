//! Tools of the host: called by id, completed by id.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use ouro_core::{
    Clock, Error, ErrorKind, FreshnessStamp, Result, Tool, ToolContext, ToolResult, ToolSpec,
    clock::with_timeout,
};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::{
    error::BridgeError,
    host::{Message, Outbox},
    registry::next_id,
    wire::{self, HostToolSpec},
};

/// How long a call waits behind another one before a further thread brings it to the host.
const HELP_AFTER: Duration = Duration::from_millis(1);

/// The calls that the host has not answered yet.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    pending: Mutex<HashMap<u64, oneshot::Sender<Result<ToolResult>>>>,
    ignored: AtomicU64,
}

/// What the host answers: a result, or why there is none.
#[derive(Deserialize)]
#[serde(untagged)]
enum Completion {
    Failed { error: BridgeError },
    Done(ToolResult),
}

impl Calls {
    /// Completes a call. False when nobody waits for it: it is unknown, completed already, cancelled or too late.
    pub(crate) fn complete(&self, call_id: u64, json: &[u8]) -> bool {
        let waiting = self.lock().remove(&call_id);
        // Reading comes after the look-up: garbage for a call that nobody knows costs nothing.
        let taken = waiting.is_some_and(|waiting| waiting.send(read_completion(json)).is_ok());
        if !taken {
            self.ignored.fetch_add(1, Ordering::Relaxed);
        }
        taken
    }

    /// Whether somebody waits for this call's answer.
    pub(crate) fn is_waiting(&self, call_id: u64) -> bool {
        self.lock().contains_key(&call_id)
    }

    /// Completions that nobody waited for.
    pub(crate) fn ignored(&self) -> u64 {
        self.ignored.load(Ordering::Relaxed)
    }

    /// Calls that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, oneshot::Sender<Result<ToolResult>>>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read_completion(json: &[u8]) -> Result<ToolResult> {
    match wire::read("the tool's result", json) {
        Ok(Completion::Done(result)) => Ok(result),
        Ok(Completion::Failed { error }) => Err(error.into()),
        Err(_) => Err(Error::new(
            ErrorKind::BadReply,
            "the tool's result is neither {\"summary\", \"content\"} nor {\"error\": {\"code\", \"message\"}}",
        )),
    }
}

/// A call that waits. Whoever drops it before its answer is there tells the host so.
struct Pending<'a> {
    call_id: u64,
    calls: &'a Calls,
    outbox: &'a Outbox,
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if self.calls.lock().remove(&self.call_id).is_some() {
            self.outbox.send(Message::ToolCancel { call_id: self.call_id });
        }
    }
}

/// A tool that the host runs.
pub(crate) struct HostTool {
    spec: ToolSpec,
    time_limit: Duration,
    project: String,
    calls: Arc<Calls>,
    outbox: Outbox,
    clock: Arc<dyn Clock>,
}

impl HostTool {
    /// The tool as the host describes it.
    pub(crate) fn new(
        tool: HostToolSpec,
        project: String,
        calls: Arc<Calls>,
        outbox: Outbox,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let name = &tool.spec.name;
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') {
            return Err(Error::invalid(format!(
                "a tool is called {name:?}, but its name must be of a-z and _"
            )));
        }
        if !tool.spec.parameters.is_object() {
            return Err(Error::invalid(format!(
                "the parameters of the tool {name} must be a JSON Schema, which is an object"
            )));
        }
        let time_limit = Duration::from_millis(tool.time_limit_ms);
        Ok(Self { spec: tool.spec, time_limit, project, calls, outbox, clock })
    }
}

#[async_trait]
impl Tool for HostTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: &Value, context: &ToolContext) -> Result<ToolResult> {
        let (sender, mut answer) = oneshot::channel();
        let call_id = next_id();
        self.calls.lock().insert(call_id, sender);
        let _pending = Pending { call_id, calls: &self.calls, outbox: &self.outbox };
        let sent = self.outbox.send(Message::ToolCall {
            call_id,
            project: self.project.clone(),
            name: self.spec.name.clone(),
            arguments: arguments.to_string(),
        });
        if !sent {
            return Err(Error::new(
                ErrorKind::Unavailable,
                format!("the host is too slow to take another call of {}", self.spec.name),
            ));
        }
        let answered = async {
            // Most calls are alone, and a timer costs more than to see that.
            if self.outbox.has_more_calls() {
                let help = async {
                    self.clock.sleep(HELP_AFTER).await;
                    self.outbox.help_caller().await;
                };
                tokio::select! {
                    biased;
                    answered = &mut answer => return answered.map_err(|_| Error::cancelled())?,
                    () = help => {}
                }
            }
            answer.await.map_err(|_| Error::cancelled())?
        };
        let limit = self.time_limit.min(context.time_limit);
        let what = format!("the host's tool {}", self.spec.name);
        let mut result = tokio::select! {
            biased;
            answer = with_timeout(self.clock.as_ref(), limit, &what, answered) => answer??,
            () = context.cancel.cancelled() => return Err(Error::cancelled()),
        };
        redact(&mut result);
        cut(&mut result, context.max_chars);
        Ok(result)
    }

    fn stamp(&self, _arguments: &Value) -> Option<FreshnessStamp> {
        // What the host reads is its own affair: its results are cached for the time that is set for all.
        None
    }
}

/// Takes secrets out of what the host read, as the native tools do it. A line that is no longer shown can't be cited.
fn redact(result: &mut ToolResult) {
    for line in &mut result.lines {
        line.text = ouro_tools::redact(&line.path, &line.text).into_owned();
    }
    let path = result.lines.first().map(|line| line.path.clone()).unwrap_or_default();
    for text in [&mut result.summary, &mut result.content] {
        *text = ouro_tools::redact(&path, text).into_owned();
    }
    let content = &result.content;
    result.lines.retain(|line| content.contains(line.text.trim()));
}

/// Cuts a result that is longer than the caller can use.
fn cut(result: &mut ToolResult, max_chars: usize) {
    if let Some((end, _)) = result.content.char_indices().nth(max_chars) {
        result.content.truncate(end);
        result.truncated.get_or_insert_with(|| format!("cut after {max_chars} characters"));
    }
}

#[cfg(test)]
mod tests {
    use ouro_core::SourceLine;

    use super::*;

    #[test]
    fn secrets_in_what_the_host_read_are_taken_out() {
        let token = format!("ghp_{}", "aB3dE6gH9j".repeat(4).get(..36).unwrap());
        let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n-----END PRIVATE KEY-----";
        let line = |number, text: &str| SourceLine {
            path: "src/app.py".into(),
            line: number,
            text: text.into(),
        };
        let mut result = ToolResult {
            summary: "2 matches".into(),
            content: format!("src/app.py:1: token = \"{token}\"\n{key}\nsrc/app.py:5: plain()\n"),
            lines: vec![
                line(1, &format!("token = \"{token}\"")),
                line(3, "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj"),
                line(5, "plain()"),
            ],
            ..ToolResult::default()
        };
        redact(&mut result);
        let all = serde_json::to_string(&result).unwrap();
        assert!(!all.contains(&token) && !all.contains("MIIEvQ"), "{all}");
        assert!(result.lines.iter().any(|l| l.text == "plain()"), "{all}");
    }
}
