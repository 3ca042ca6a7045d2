//! The last turns, as a judge reads them.

use std::collections::VecDeque;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::screen::{Sketch, smell};

/// How much of one text, of a call's arguments and of an answer is kept, in bytes.
const KEPT: usize = 600;

/// Entries kept of one turn.
const ENTRIES: usize = 24;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Entry {
    User(String),
    Said(String),
    Called { name: String, args: String, answer: Option<String>, failed: bool },
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

    pub(crate) fn called(&mut self, name: &str, args: &str) {
        self.add(|| Entry::Called {
            name: cut(name).to_owned(),
            args: cut(args).to_owned(),
            answer: None,
            failed: false,
        });
    }

    /// An answer goes to the oldest open call of its name among the last turns.
    pub(crate) fn answered(&mut self, name: &str, text: &str, is_error: bool) {
        let open =
            self.turns.iter_mut().flat_map(|turn| &mut turn.entries).find_map(
                |entry| match entry {
                    Entry::Called { name: called, answer, failed, .. }
                        if answer.is_none() && called == cut(name) =>
                    {
                        Some((answer, failed))
                    }
                    _ => None,
                },
            );
        if let Some((answer, failed)) = open {
            *answer = Some(cut(text).to_owned());
            *failed = is_error;
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
                    Entry::Called { name, args, answer: Some(answer), failed } => {
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

    #[test]
    fn no_call_is_shown_without_its_answer() {
        let mut transcript = Transcript::default();
        transcript.answered("read", "an answer to nothing", false);
        for turn in 0..30 {
            transcript.turn_started(20);
            transcript.said(&format!("turn {turn}"));
            transcript.called("read", "{\"n\":1}");
            if turn % 2 == 0 {
                transcript.answered("read", &format!("answer {turn}"), false);
            } else {
                transcript.called("lost", "{}");
            }
        }
        transcript.turn_started(20);
        let text = transcript.render();
        assert_eq!(text.matches("Call:").count(), text.matches("answered:").count());
        assert!(!text.contains("lost") && !text.contains("answer to nothing"));
        assert!(text.contains("turn 29") && !text.contains("turn 5\n"));
    }
}
