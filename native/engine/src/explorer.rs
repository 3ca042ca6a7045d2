//! Explores one question: step by step, each call checked, each step durable before the next.

use std::{sync::Arc, time::Duration};

use ouro_core::{
    ActionRequest, AvoidStrategy, Change, Error, ErrorKind, Event, InFlight, NextAction,
    Observation, ProjectAnalysis, Question, Result, TokenUsage, ToolCallStep, ToolContext,
    ToolResult, clock::with_timeout,
};
use ouro_guard::{PreparedChange, SkipReason, Verdict};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::{
    Project,
    blocking::blocking,
    loops::{CallWatch, Next, SHOWN_ABOVE, UselessCalls, answer_of},
    model::{advised, is_unpaid},
    spans,
    status::Status,
};

/// Calls of no use in a row (unknown tool, bad arguments, refused, made before) that end an exploration.
const MAX_USELESS_CALLS: usize = 3;

/// The hard cap on gathered text, as a multiple of `sufficient_chars`.
const GATHER_CAP: usize = 10;

/// Share of an iteration's tokens that is kept for the summary: one part in four.
pub(crate) const SUMMARY_SHARE: u64 = 4;

/// Most characters of one tool result that are kept for the reasoner.
const MAX_RESULT_CHARS: usize = 16_000;

/// An exploration on its way.
pub(crate) struct Exploration<'a> {
    pub(crate) project: &'a Project,
    pub(crate) status: &'a Status,
    pub(crate) analysis: Arc<ProjectAnalysis>,
    pub(crate) question: Question,
    pub(crate) started_at: i64,
    pub(crate) observations: Vec<Observation>,
    pub(crate) advice: Option<AvoidStrategy>,
    pub(crate) cancel: CancellationToken,
}

/// Why an exploration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Satisfied,
    StepLimit,
    TimeLimit,
    TokenLimit,
    Enough,
    UnusableCalls,
    Looping,
    Failed,
}

/// Whether the reasoner has no time now. Nothing more may be asked of it then, and nothing speaks against the question: it is
/// taken up again after the pause.
pub(crate) fn is_busy(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::RateLimited | ErrorKind::Unavailable)
}

impl Exploration<'_> {
    /// Runs until an end is reached. A failing reasoner ends it; what was gathered by then is kept.
    ///
    /// # Errors
    /// The reasoner's error when nothing was gathered or it is busy; the store's.
    pub(crate) async fn run(&mut self) -> Result<End> {
        let config = self.project.config.effective();
        let deadline = self.project.clock.monotonic() + config.exploration_timeout();
        let mut useless = UselessCalls::default();
        let mut watch = CallWatch::new(&self.project.detection, &self.observations);
        let mut hint = None;
        loop {
            let steps = u32::try_from(self.observations.len()).unwrap_or(u32::MAX);
            let remaining = deadline.saturating_sub(self.project.clock.monotonic());
            let gathered = self.gathered_chars();
            if steps >= config.max_exploration_steps {
                return Ok(End::StepLimit);
            }
            if remaining.is_zero() {
                return self.out_of_time(config.exploration_timeout()).await;
            }
            if gathered >= config.sufficient_chars.saturating_mul(GATHER_CAP) {
                return Ok(End::Enough);
            }
            let reserve = config.max_tokens_per_iteration / SUMMARY_SHARE;
            let tokens_left = self.status.tokens_left(self.project).saturating_sub(reserve);
            if tokens_left == 0 {
                return Ok(End::TokenLimit);
            }
            let request = ActionRequest {
                question: self.question.clone(),
                language: config.language,
                analysis: self.analysis.clone(),
                tools: self.project.tools.specs().cloned().collect(),
                observations: Arc::new(self.observations.clone()),
                advice: self.advice.clone(),
                hint: hint.take(),
                steps_left: config.max_exploration_steps - steps,
                sufficient: gathered > config.sufficient_chars,
                tokens_left,
            };
            let step = spans::step(steps.saturating_add(1));
            let thought = with_timeout(
                self.project.clock.as_ref(),
                remaining,
                "the exploration",
                self.project.reasoner.next_action(request),
            )
            .instrument(step.clone())
            .await;
            let action = match thought {
                Err(_) => return self.out_of_time(config.exploration_timeout()).await,
                Ok(Err(error)) if is_unpaid(&error) => return Ok(End::TokenLimit),
                Ok(Err(error)) if self.observations.is_empty() || is_busy(&error) => {
                    return Err(error);
                }
                Ok(Err(error)) => {
                    self.status.spend(self.project, error.spent()).await?;
                    self.report(&error);
                    return Ok(End::Failed);
                }
                Ok(Ok(thought)) => {
                    self.status.account(self.project, &thought).await?;
                    thought.value
                }
            };
            if action.should_stop {
                return Ok(End::Satisfied);
            }
            let made = self.step(action, remaining).instrument(step).await?;
            let found = watch.step(&made.step, &made.answer);
            useless.step(&made.step, made.repeated, found.is_some());
            if useless.count() + 1 == MAX_USELESS_CALLS {
                hint = Some(useless.hint());
            }
            if let Some(found) = found {
                self.status.loop_found(self.project, found.report).await;
                match found.next {
                    Next::GoOn => {}
                    Next::Hint(text) => hint = Some(text),
                    Next::End => return Ok(End::Looping),
                }
            }
            if useless.count() == MAX_USELESS_CALLS {
                if let Some(report) = useless.report() {
                    self.status.loop_found(self.project, report).await;
                }
                return Ok(if useless.is_loop() { End::Looping } else { End::UnusableCalls });
            }
        }
    }

    /// What was gathered by then is kept; an answer from nothing would be made up.
    async fn out_of_time(&self, limit: Duration) -> Result<End> {
        // Of the thought that the limit cut off.
        self.status.spend(self.project, TokenUsage::default()).await?;
        if !self.observations.is_empty() {
            return Ok(End::TimeLimit);
        }
        let message = format!(
            "the exploration found nothing within {} s; raise exploration_timeout_ms if the model is slow",
            limit.as_secs()
        );
        Err(Error::new(ErrorKind::Timeout, message))
    }

    fn gathered_chars(&self) -> usize {
        self.observations
            .iter()
            .filter(|o| !o.step.is_error)
            .map(|o| o.content.chars().count())
            .sum()
    }

    fn report(&self, error: &Error) {
        (self.project.events)(Event::Error {
            kind: error.kind(),
            message: error.message_in(self.project.config.language).to_owned(),
        });
    }

    /// Runs one call behind the guard.
    async fn step(&mut self, action: NextAction, remaining: Duration) -> Result<Made> {
        let at = self.project.clock.now_ms();
        let start = self.project.clock.monotonic();
        let (name, arguments) = (action.tool_name, action.parameters);
        let outcome = self.guarded_call(&name, &arguments, remaining).await?;
        let took = self.project.clock.monotonic().saturating_sub(start);
        let step = ToolCallStep {
            result_summary: outcome.result.summary.clone(),
            at,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            cached: outcome.cached,
            is_error: outcome.result.is_error,
            tool_name: name,
            parameters: arguments,
        };
        self.finish_step(step, outcome).await
    }

    async fn guarded_call(
        &self,
        name: &str,
        arguments: &Value,
        remaining: Duration,
    ) -> Result<CallOutcome> {
        let guard = &self.project.guard;
        let Some(tool) = self.project.tools.get(name) else {
            let names: Vec<&str> = self.project.tools.specs().map(|s| s.name.as_str()).collect();
            let message = format!("there is no tool {name:?}; the tools are {}", names.join(", "));
            return Ok(CallOutcome::of(ToolResult::error(message)));
        };
        let stamp = tool.stamp(arguments);
        match guard.check_tool_call(name, arguments, stamp.as_ref()) {
            Verdict::Skip { reason: SkipReason::AlreadyRun { cached } } => {
                Ok(CallOutcome { cached: true, ..CallOutcome::of(cached.result.clone()) })
            }
            Verdict::Skip { reason } => {
                let advice = match &reason {
                    SkipReason::FailedBefore { record } => record.strategy.as_ref(),
                    _ => None,
                };
                Ok(CallOutcome::failed(reason.to_string(), advice))
            }
            Verdict::Proceed { advice, .. } => {
                match self.call(tool.as_ref(), arguments, remaining).await {
                    Ok(mut result) if result.is_error => {
                        // Why, only its words say: it may be tried again, but not for ever.
                        let error = Error::new(ErrorKind::Internal, &result.summary);
                        guard.record_tool_failure(name, arguments, stamp.as_ref(), &error).await?;
                        if let Some(advice) = &advice {
                            result.content = advised(&result.content, advice);
                        }
                        Ok(CallOutcome::of(result))
                    }
                    Ok(result) => {
                        let prepared = guard.prepare_tool_result(name, arguments, stamp, &result);
                        Ok(CallOutcome { prepared: Some(prepared), ..CallOutcome::of(result) })
                    }
                    Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
                    Err(error) => {
                        guard.record_tool_failure(name, arguments, stamp.as_ref(), &error).await?;
                        Ok(CallOutcome::failed(error.message().to_owned(), advice.as_ref()))
                    }
                }
            }
        }
    }

    async fn call(
        &self,
        tool: &dyn ouro_core::Tool,
        arguments: &Value,
        remaining: Duration,
    ) -> Result<ToolResult> {
        let context = ToolContext {
            cancel: self.cancel.child_token(),
            max_chars: MAX_RESULT_CHARS,
            ..ToolContext::default()
        };
        let limit = context.time_limit.min(remaining);
        // Whatever ends this call, also a stop that drops it, tells the tool's thread to end too.
        let _end = context.cancel.clone().drop_guard();
        let name = &tool.spec().name;
        let call = tool.call(arguments, &context).instrument(spans::call(name));
        with_timeout(self.project.clock.as_ref(), limit, &format!("the tool {name}"), call).await?
    }

    /// Keeps the step and makes it durable together with what the guard remembers of it.
    async fn finish_step(&mut self, step: ToolCallStep, outcome: CallOutcome) -> Result<Made> {
        let answer = outcome.result.content;
        let repeated = answer_of(&self.observations, &step).is_some_and(|before| before == answer);
        let made = Made { step: step.clone(), answer: answer.clone(), repeated };
        let event = Event::ToolCall {
            tool: step.tool_name.clone(),
            arguments: step.parameters.clone(),
            summary: step.result_summary.clone(),
            cached: step.cached,
            is_error: step.is_error,
            duration_ms: step.duration_ms,
        };
        let (content, lines) = if repeated {
            (SHOWN_ABOVE.into(), Vec::new())
        } else {
            (answer, outcome.result.lines)
        };
        self.observations.push(Observation { step, content, lines });
        let mut changes = vec![Change::PutInFlight(Some(Box::new(InFlight {
            question: self.question.clone(),
            started_at: self.started_at,
            observations: self.observations.clone(),
            tokens: self.status.snapshot().iteration_tokens,
        })))];
        if let Some(prepared) = &outcome.prepared {
            changes.extend(prepared.changes().iter().cloned());
        }
        let store = self.project.store.clone();
        blocking(move || store.commit(&changes)).await?;
        if let Some(prepared) = outcome.prepared {
            self.project.guard.apply(prepared);
        }
        (self.project.events)(event);
        Ok(made)
    }
}

/// A call that was made.
struct Made {
    step: ToolCallStep,
    /// What the tool answered, whatever the reasoner is shown of it.
    answer: String,
    /// It brought what it had brought before.
    repeated: bool,
}

/// What one guarded call brought.
struct CallOutcome {
    result: ToolResult,
    cached: bool,
    prepared: Option<PreparedChange>,
}

impl CallOutcome {
    fn of(result: ToolResult) -> Self {
        Self { result, cached: false, prepared: None }
    }

    /// A call that brought an error; the reasoner is told with it how to avoid one.
    fn failed(message: String, advice: Option<&AvoidStrategy>) -> Self {
        let content = advice.map_or_else(|| message.clone(), |advice| advised(&message, advice));
        Self::of(ToolResult { content, ..ToolResult::error(message) })
    }
}
