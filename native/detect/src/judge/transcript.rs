//! The last turns, as a judge reads them.

use std::collections::VecDeque;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::screen::{Sketch, smell};
use crate::{
    canonical::hash_bytes,
    event::{ToolCall, ToolResult},
};

/// How much of one text, of a call's arguments and of an answer is kept, in bytes.
const KEPT: usize = 600;

/// Entries kept of one turn.
const ENTRIES: usize = 24;

/// An answer may come when its call's turn and the one after it are over, but not later.
const ANSWERED_WITHIN: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Entry {
    User(String),
    Said(String),
    Called {
        name: String,
        args: String,
        /// A hash of the host's id.
        #[serde(default)]
        id: Option<u64>,
        answer: Option<String>,
        failed: bool,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Turn {
    entries: Vec<Entry>,
    sketch: Sketch,
}

/// The last turns of a prompt, cut to what fits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Transcript {
    turns: VecDeque<Turn>,
}

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(KEPT)).unwrap_or("")
}

fn hash_of(id: &str) -> u64 {
    hash_bytes(6, id.as_bytes())
}

impl Transcript {
    pub(crate) fn turn_started(&mut self, window: usize) {
        if let Some(turn) = self.turns.back_mut() {
            turn.sketch = turn.sketched();
        }
        while self.turns.len() >= window {
            self.turns.pop_front();
        }
        self.turns.push_back(Turn::default());
    }

    /// Adds to the turn that is on; entries beyond the limit are dropped.
    fn add(&mut self, entry: impl FnOnce() -> Entry) {
        if self.turns.is_empty() {
            self.turns.push_back(Turn::default());
        }
        if let Some(turn) = self.turns.back_mut().filter(|turn| turn.entries.len() < ENTRIES) {
            turn.entries.push(entry());
        }
    }

    /// The model said something. What goes beyond the limit is dropped.
    pub(crate) fn said(&mut self, text: &str) {
        if let Some(Entry::Said(said)) =
            self.turns.back_mut().and_then(|turn| turn.entries.last_mut())
        {
            let room = KEPT.saturating_sub(said.len());
            said.push_str(text.get(..text.floor_char_boundary(room)).unwrap_or(""));
        } else {
            self.add(|| Entry::Said(cut(text).to_owned()));
        }
    }

    /// Whether anything said now would be kept.
    pub(crate) fn has_room(&self) -> bool {
        !matches!(self.turns.back().and_then(|turn| turn.entries.last()), Some(Entry::Said(said)) if said.len() >= KEPT)
    }

    pub(crate) fn user(&mut self, text: &str) {
        self.add(|| Entry::User(cut(text).to_owned()));
    }

    pub(crate) fn called(&mut self, call: &ToolCall<'_>) {
        self.add(|| Entry::Called {
            name: cut(&call.name).to_owned(),
            args: cut(&call.args).to_owned(),
            id: call.call_id.as_deref().map(hash_of),
            answer: None,
            failed: false,
        });
    }

    /// An answer goes to the open call with its id, else to the oldest open one of its name in the latest turn that has one.
    pub(crate) fn answered(&mut self, result: &ToolResult<'_>) {
        let id = result.call_id.as_deref().map(hash_of);
        let mut by_name = None;
        for (turn, t) in self.turns.iter().enumerate().rev().take(ANSWERED_WITHIN) {
            for (entry, e) in t.entries.iter().enumerate() {
                let Entry::Called { name, id: called, answer: None, .. } = e else {
                    continue;
                };
                if id.is_some() && *called == id {
                    return self.answer(turn, entry, result);
                }
                let may_be = id.is_none() || called.is_none();
                if by_name.is_none() && may_be && name == cut(&result.name) {
                    by_name = Some((turn, entry));
                }
            }
        }
        if let Some((turn, entry)) = by_name {
            self.answer(turn, entry, result);
        }
    }

    fn answer(&mut self, turn: usize, entry: usize, result: &ToolResult<'_>) {
        let called = self.turns.get_mut(turn).and_then(|turn| turn.entries.get_mut(entry));
        if let Some(Entry::Called { answer, failed, .. }) = called {
            *answer = Some(cut(&result.text).to_owned());
            *failed = result.is_error;
        }
    }

    /// How much the turns resemble each other.
    pub(crate) fn smell(&self) -> f64 {
        let complete: Vec<_> = self
            .turns
            .iter()
            .filter(|turn| !turn.entries.is_empty())
            .map(|turn| &turn.sketch)
            .collect();
        smell(&complete)
    }

    /// The turns in words; calls without an answer are left out, and so is the turn that just begins.
    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        let turns = self.turns.iter().filter(|turn| !turn.entries.is_empty());
        for (number, turn) in turns.enumerate() {
            let _ = writeln!(text, "## Turn {}", number + 1);
            for entry in &turn.entries {
                let _ = match entry {
                    Entry::User(said) => writeln!(text, "User: {said}"),
                    Entry::Said(said) => writeln!(text, "Assistant: {said}"),
                    Entry::Called { name, args, answer: Some(answer), failed, .. } => {
                        let word = if *failed { "failed" } else { "answered" };
                        writeln!(text, "Call: {name} {args}\nTool {word}: {answer}")
                    }
                    Entry::Called { answer: None, .. } => Ok(()),
                };
            }
        }
        text
    }

    pub(crate) fn clear(&mut self) {
        self.turns.clear();
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.turns.len() <= 101 && self.turns.iter().all(|turn| turn.entries.len() <= ENTRIES)
    }
}

impl Turn {
    fn sketched(&self) -> Sketch {
        let mut sketch = Sketch::default();
        for entry in &self.entries {
            match entry {
                Entry::User(_) => {}
                Entry::Said(said) => sketch.add(said),
                Entry::Called { name, args, answer, .. } => {
                    sketch.add(name);
                    sketch.add(args);
                    sketch.add(answer.as_deref().unwrap_or(""));
                }
            }
        }
        sketch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &'static str, id: Option<&'static str>) -> ToolCall<'static> {
        let call_id = id.map(Into::into);
        ToolCall { name: name.into(), args: r#"{"n":1}"#.into(), call_id, ..Default::default() }
    }

    fn answer(name: &'static str, text: &str, id: Option<&'static str>) -> ToolResult<'static> {
        let (text, call_id) = (text.to_owned().into(), id.map(Into::into));
        ToolResult { name: name.into(), text, call_id, ..Default::default() }
    }

    #[test]
    fn no_call_is_shown_without_its_answer() {
        let mut transcript = Transcript::default();
        transcript.answered(&answer("read", "an answer to nothing", None));
        for turn in 0..30 {
            transcript.turn_started(20);
            transcript.said(&format!("turn {turn}"));
            transcript.called(&call("read", None));
            if turn % 2 == 0 {
                transcript.answered(&answer("read", &format!("answer {turn}"), None));
            } else {
                transcript.called(&call("lost", None));
            }
        }
        transcript.turn_started(20);
        let text = transcript.render();
        assert_eq!(text.matches("Call:").count(), text.matches("answered:").count());
        assert!(!text.contains("lost") && !text.contains("answer to nothing"));
        assert!(text.contains("turn 29") && !text.contains("turn 5\n"));
        for turn in (12..30).step_by(2) {
            let own =
                format!("turn {turn}\nCall: read {{\"n\":1}}\nTool answered: answer {turn}\n");
            assert!(text.contains(&own), "{turn} lost its answer: {text}");
        }
    }

    #[test]
    fn parallel_answers_go_to_their_calls_whatever_their_order() {
        let mut transcript = Transcript::default();
        transcript.turn_started(20);
        transcript.called(&call("read", Some("a")));
        transcript.called(&call("look", Some("b")));
        transcript.called(&call("read", Some("c")));
        transcript.answered(&answer("read", "third", Some("c")));
        transcript.answered(&answer("look", "second", Some("b")));
        transcript.answered(&answer("read", "of another call", Some("x")));
        transcript.answered(&answer("read", "first", Some("a")));
        let text = transcript.render();
        let answers: Vec<_> =
            text.lines().filter_map(|line| line.strip_prefix("Tool answered: ")).collect();
        assert_eq!(answers, ["first", "second", "third"]);
    }
}
