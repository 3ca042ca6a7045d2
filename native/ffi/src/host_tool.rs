//! Tools of the host: called by id, completed by id.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use ouro_core::{
    Clock, Error, ErrorKind, FreshnessStamp, Result, Tool, ToolContext, ToolResult, ToolSpec,
    clock::with_timeout,
};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;
use tokio::sync::oneshot::{self, error::TryRecvError};

use crate::{
    error::BridgeError,
    host::{Message, Outbox},
    registry::next_id,
    wire::{self, HostToolSpec},
};

/// How long a call waits behind another one before a further thread brings it to the host.
const HELP_AFTER: Duration = Duration::from_millis(1);

/// Looks for an answer before its thread sleeps: some 40 microseconds, about what waking the host's thread takes.
const LOOKS: usize = 2_000;

/// A tool that is never quick is waited for busily once in so many calls.
const MAX_PENALTY: u32 = 1_023;

/// Where the answer of a call arrives.
type Answer = oneshot::Receiver<Result<ToolResult>>;

/// The calls that the host has not answered yet.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    pending: Mutex<HashMap<u64, oneshot::Sender<Result<ToolResult>>>>,
    ignored: AtomicU64,
}

/// What the host answers instead of a result.
#[derive(Deserialize)]
struct Failed {
    error: BridgeError,
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
    let what = "the tool's result";
    let bad = |error: BridgeError| Error::new(ErrorKind::BadReply, error.message);
    // An untagged enum would not say which field is missing.
    let answer: HashMap<String, IgnoredAny> = wire::read(what, json).map_err(bad)?;
    if answer.contains_key("error") {
        let failed: Failed = wire::read(what, json).map_err(bad)?;
        return Err(failed.error.into());
    }
    wire::read(what, json).map_err(bad)
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

/// Waits for quick tools without sleeping: to put a thread to sleep and wake it takes longer than such a tool. Each wait in
/// vain doubles the number of calls that are not waited for so; one that came in time begins anew.
#[derive(Debug, Default)]
struct Patience {
    /// Calls without a busy wait after the next one in vain.
    penalty: AtomicU32,
    /// Calls without a busy wait from now on.
    skip: AtomicU32,
}

impl Patience {
    /// What came in some tens of microseconds.
    fn busy_wait(&self, answer: &mut Answer) -> Option<Result<ToolResult>> {
        let skip = self.skip.load(Ordering::Relaxed);
        if skip > 0 {
            self.skip.store(skip - 1, Ordering::Relaxed);
            return None;
        }
        for _ in 0..LOOKS {
            match answer.try_recv() {
                Ok(answered) => {
                    self.penalty.store(0, Ordering::Relaxed);
                    return Some(answered);
                }
                Err(TryRecvError::Empty) => std::hint::spin_loop(),
                Err(TryRecvError::Closed) => return Some(Err(Error::cancelled())),
            }
        }
        let penalty = (self.penalty.load(Ordering::Relaxed) * 2 + 1).min(MAX_PENALTY);
        self.penalty.store(penalty, Ordering::Relaxed);
        self.skip.store(penalty, Ordering::Relaxed);
        None
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
    patience: Patience,
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
        if tool.time_limit_ms == 0 {
            return Err(Error::invalid(format!(
                "the tool {name} has no time: `time_limit_ms` must be 1 or more"
            )));
        }
        let time_limit = Duration::from_millis(tool.time_limit_ms);
        let patience = Patience::default();
        Ok(Self { spec: tool.spec, time_limit, project, calls, outbox, clock, patience })
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
            if !self.outbox.has_more_calls() {
                if let Some(answered) = self.patience.busy_wait(&mut answer) {
                    return answered;
                }
            } else {
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
    fn a_tool_that_is_slow_is_waited_for_busily_ever_more_seldom_until_it_is_quick() {
        let patience = Patience::default();
        let mut busy = 0;
        for _ in 0..5_000 {
            busy += usize::from(patience.skip.load(Ordering::Relaxed) == 0);
            let (_sender, mut answer) = oneshot::channel();
            assert!(patience.busy_wait(&mut answer).is_none());
        }
        assert!((10..20).contains(&busy), "{busy}");
        let quick = || {
            let (sender, mut answer) = oneshot::channel();
            sender.send(Ok(ToolResult::default())).unwrap();
            patience.busy_wait(&mut answer).is_some()
        };
        assert!((0..=MAX_PENALTY).any(|_| quick()));
        assert!((0..100).all(|_| quick()));
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_told_with_the_field_that_is_wrong() {
        let error = |answer: &str| read_completion(answer.as_bytes()).unwrap_err();
        for (answer, named) in [
            (r#"{"summary": "1 line"}"#, "missing field `content`"),
            (r#"{"error": {"code": "timeout"}}"#, "at `error`: missing field `message`"),
            (
                r#"{"summary": "", "content": "", "lines": [{"path": "a", "line": -1, "text": ""}]}"#,
                "at `lines[0].line`",
            ),
            ("[]", "expected a map"),
            ("", "the tool's result"),
        ] {
            let error = error(answer);
            assert_eq!(error.kind(), ErrorKind::BadReply, "{answer}");
            assert!(error.message().contains(named), "{answer}: {error}");
        }
        let failed = error(r#"{"error": {"code": "timeout", "message": "it took too long"}}"#);
        assert_eq!((failed.kind(), failed.message()), (ErrorKind::Timeout, "it took too long"));
        let newer = br#"{"summary": "s", "content": "c", "from_the_future": 1}"#;
        assert_eq!(read_completion(newer).unwrap().content, "c");
    }

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
