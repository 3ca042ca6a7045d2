//! Watches what a model says and which tools it calls, and says when it runs in circles.

use std::{borrow::Cow, ops::ControlFlow, sync::Arc};

use ouro_core::{LoopReport, Observation, ReplyDelta, ReplyObserver, ToolCallStep};
use ouro_detect as detect;
use ouro_detect::{
    CheckedConfig, Config, LoopDetected, LoopDetectionService, Recovery, StreamDetector, TextLoop,
};
use serde_json::Value;

/// Watches one streamed reply and breaks it off at the chunk in which a loop shows.
pub(crate) struct ReplyWatch {
    reasoning: StreamDetector,
    content: StreamDetector,
    found: Option<TextLoop>,
}

impl ReplyWatch {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            reasoning: StreamDetector::new(config),
            content: StreamDetector::new(config),
            found: None,
        }
    }

    /// The loop for which the reply was broken off.
    pub(crate) fn into_found(self) -> Option<TextLoop> {
        self.found
    }
}

impl ReplyObserver for ReplyWatch {
    fn on_delta(&mut self, delta: ReplyDelta<'_>) -> ControlFlow<String> {
        let found = match delta {
            ReplyDelta::Reasoning(text) => self.reasoning.push(text),
            ReplyDelta::Content(text) => self.content.push(text),
        };
        match found {
            None => ControlFlow::Continue(()),
            Some(found) => {
                let why = found.evidence.clone();
                self.found = Some(found);
                ControlFlow::Break(why)
            }
        }
    }
}

/// The loop in one of the texts of a complete reply. As JSON they look like data, of which much may repeat; as what they say
/// they look like what they are.
pub(crate) fn in_texts(json: Option<&Value>, config: &Config) -> Option<TextLoop> {
    match json? {
        Value::String(text) => StreamDetector::new(config).push(text),
        Value::Array(values) => values.iter().find_map(|value| in_texts(Some(value), config)),
        Value::Object(members) => members.values().find_map(|value| in_texts(Some(value), config)),
        _ => None,
    }
}

/// What users are told of a loop in a reply.
pub(crate) fn in_reply(found: &TextLoop) -> LoopReport {
    LoopReport { kind: name(found.kind), evidence: found.evidence.clone() }
}

/// What the model is told before it tries again.
pub(crate) fn hint_for_reply(found: &TextLoop) -> String {
    format!(
        "Your last reply is of no use, because it repeated itself: {:?} came {} times in a row. Answer again, \
         shorter, and say nothing twice.",
        found.pattern, found.repeats
    )
}

fn name(kind: detect::LoopKind) -> String {
    serde_json::to_value(kind)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// What a reasoner is shown of a call that brought what it had brought before: one that repeats itself must not be rewarded with
/// the same text again.
pub(crate) const SHOWN_ABOVE: &str =
    "this call was already made in this exploration; its result stands above";

/// What the tool answered when this call was made the last time.
pub(crate) fn answer_of<'o>(earlier: &'o [Observation], step: &ToolCallStep) -> Option<&'o str> {
    let is_it = |o: &&Observation| {
        (&o.step.tool_name, &o.step.parameters) == (&step.tool_name, &step.parameters)
            && o.content != SHOWN_ABOVE
    };
    earlier.iter().rev().find(is_it).map(|o| o.content.as_str())
}

/// Calls in a row that are of no use: each failed, or brought what it had brought before.
#[derive(Debug, Default)]
pub(crate) struct UselessCalls {
    row: Vec<(String, Value)>,
    /// How many of them were made before.
    repeated: usize,
    /// Whether the detectors found a loop in them.
    told: bool,
}

impl UselessCalls {
    /// Takes in a call: whether it was `repeated`, and whether the detectors `found` a loop at it.
    pub(crate) fn step(&mut self, step: &ToolCallStep, repeated: bool, found: bool) {
        if repeated || step.is_error {
            self.row.push((step.tool_name.clone(), step.parameters.clone()));
            self.repeated += usize::from(repeated);
            self.told |= found;
        } else {
            *self = Self::default();
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.row.len()
    }

    /// What a model is told before one more ends its exploration.
    pub(crate) fn hint(&self) -> String {
        format!(
            "Your last {} calls were of no use: each failed, or brought again what stands above. Make a different call, or stop; \
             one more like them ends the exploration.",
            self.row.len()
        )
    }

    /// The loop that they are, unless it is known; they are none where most of them are failures of different calls.
    pub(crate) fn report(&self) -> Option<LoopReport> {
        let last = self.row.last()?;
        if self.told || self.repeated * 2 <= self.row.len() {
            return None;
        }
        let kind = if self.row.iter().all(|call| call == last) {
            detect::LoopKind::ConsecutiveIdenticalToolCalls
        } else {
            detect::LoopKind::AlternatingToolCalls
        };
        let (count, (tool, parameters)) = (self.row.len(), last);
        let parameters: String = parameters.to_string().chars().take(200).collect();
        let evidence = format!(
            "{count} calls in a row failed or brought what they had brought before, the last one {tool} {parameters}"
        );
        Some(LoopReport { kind: name(kind), evidence })
    }

    /// Whether they are a loop, known or not.
    pub(crate) fn is_loop(&self) -> bool {
        self.told || self.report().is_some()
    }
}

/// Watches the tool calls of one exploration.
pub(crate) struct CallWatch {
    service: LoopDetectionService,
}

/// A loop of tool calls.
pub(crate) struct CallLoop {
    /// For the user.
    pub(crate) report: LoopReport,
    /// What to do about it.
    pub(crate) next: Next,
}

/// What to do about a loop of tool calls.
pub(crate) enum Next {
    /// Nothing yet.
    GoOn,
    /// Say this to the model before it goes on.
    Hint(String),
    /// End the exploration with what was gathered.
    End,
}

impl CallWatch {
    /// A watch over an exploration that has got as far as `earlier`: what a resumed one did before it was interrupted
    /// counts, and loops found then stay dealt with.
    pub(crate) fn new(config: &Arc<CheckedConfig>, earlier: &[Observation]) -> Self {
        let mut watch = Self { service: LoopDetectionService::with(Arc::clone(config)) };
        for (at, observation) in earlier.iter().enumerate() {
            let answer = answer_of(earlier.get(..=at).unwrap_or(earlier), &observation.step);
            watch.step(&observation.step, answer.unwrap_or(&observation.content));
        }
        watch
    }

    /// Takes in a finished call with what its tool answered, whatever the reasoner is shown of it.
    pub(crate) fn step(&mut self, step: &ToolCallStep, answer: &str) -> Option<CallLoop> {
        let name = Cow::Borrowed(step.tool_name.as_str());
        let call = detect::ToolCall {
            name: name.clone(),
            args: Cow::Owned(step.parameters.to_string()),
            ..detect::ToolCall::default()
        };
        let result = detect::ToolResult {
            name,
            text: Cow::Borrowed(answer),
            is_error: step.is_error,
            call_id: None,
        };
        let found = self.service.add_answered_call(&call, &result)?;
        // It has been dealt with: the next one is another, or the same once more and weighs more.
        self.service.acknowledge();
        Some(found.into())
    }
}

impl From<LoopDetected> for CallLoop {
    fn from(found: LoopDetected) -> Self {
        let report = LoopReport { kind: name(found.kind), evidence: found.evidence };
        let next = match found.recovery {
            Recovery::Continue => Next::GoOn,
            Recovery::AbortWithHint { hint } => Next::Hint(hint),
            Recovery::AbortAndRetry | Recovery::AskUser => Next::End,
        };
        Self { report, next }
    }
}

#[cfg(test)]
mod tests {
    use ouro_core::ToolCallStep;
    use serde_json::json;

    use super::*;

    fn read(path: &str) -> Observation {
        let step = ToolCallStep {
            tool_name: "read_file".to_owned(),
            parameters: json!({ "path": path }),
            result_summary: "3 lines".to_owned(),
            at: 0,
            duration_ms: 1,
            cached: false,
            is_error: false,
        };
        Observation { step, content: format!("the text of {path}"), lines: Vec::new() }
    }

    fn config() -> Arc<CheckedConfig> {
        Arc::new(CheckedConfig::new(Config::default()).unwrap())
    }

    fn step(watch: &mut CallWatch, observation: &Observation) -> Option<CallLoop> {
        watch.step(&observation.step, &observation.content)
    }

    /// Which of the calls is the first to be called a loop.
    fn first_found(watch: &mut CallWatch, calls: usize) -> Option<usize> {
        (1..=calls).find(|_| step(watch, &read("a.rs")).is_some())
    }

    #[test]
    fn a_resumed_exploration_is_found_looping_at_the_call_that_completes_the_loop() {
        let whole = first_found(&mut CallWatch::new(&config(), &[]), 10).unwrap();
        for before in 1..whole {
            let earlier = vec![read("a.rs"); before];
            let mut watch = CallWatch::new(&config(), &earlier);
            assert_eq!(first_found(&mut watch, 10), Some(whole - before));
        }
    }

    #[test]
    fn a_loop_that_was_found_before_the_interruption_weighs_more_when_it_goes_on() {
        let found = |watch: &mut CallWatch| {
            (0..10).find_map(|_| step(watch, &read("a.rs"))).map(|found| found.next)
        };
        let mut watch = CallWatch::new(&config(), &[]);
        let first = first_found(&mut watch, 10).unwrap();
        let again = found(&mut watch);
        let resumed = found(&mut CallWatch::new(&config(), &vec![read("a.rs"); first]));
        assert!(matches!((again, resumed), (Some(Next::End), Some(Next::End))));
    }

    #[test]
    fn a_call_whose_answer_is_another_is_no_loop_however_like_the_others_it_is_asked() {
        let mut watch = CallWatch::new(&config(), &[]);
        let alike = read("a.rs");
        let found = (0..4).any(|_| step(&mut watch, &alike).is_some());
        assert!(!found);
        assert!(watch.step(&alike.step, "the text as it was changed").is_none());
        let mut watch = CallWatch::new(&config(), &[]);
        assert_eq!(first_found(&mut watch, 10), Some(5), "the same once more is one");
    }

    #[test]
    fn a_resumed_exploration_is_judged_by_what_the_tools_answered_not_by_what_was_shown() {
        let shown = Observation { content: SHOWN_ABOVE.to_owned(), ..read("a.rs") };
        let earlier = [read("a.rs"), shown.clone(), shown.clone(), shown];
        let mut watch = CallWatch::new(&config(), &earlier);
        assert_eq!(first_found(&mut watch, 10), Some(1));
    }
}
