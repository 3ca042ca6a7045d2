//! Short messages that say what was said: endless farewells, in a fixed order or not.

use serde::{Deserialize, Serialize};

use crate::{Chunk, canonical::hash_bytes};

/// Longer messages are left to the rules for text, in UTF-16 code units.
const LONGEST: usize = 240;

/// With how many messages before it one is compared.
pub(super) const REMEMBERED: usize = 8;

/// When messages that say nothing new are a loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MessagesConfig {
    /// So many short messages, each of which was among the last eight already, without a tool call or something new from the
    /// user between them; one that says something new takes back two. 0 turns the rule off.
    pub repeated: u32,
}

impl Default for MessagesConfig {
    fn default() -> Self {
        Self { repeated: 5 }
    }
}

impl MessagesConfig {
    /// Says which field is out of its range, and the range.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn validate(&self) -> Result<(), String> {
        match self.repeated {
            0 | 3..=1000 => Ok(()),
            other => Err(format!("`repeated` is {other}; it must be 0 (off) or 3 to 1000")),
        }
    }
}

/// The messages of turns without a tool call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Messages {
    /// What this turn has said, up to the first code unit too many.
    said: Vec<u16>,
    /// The event with which it began.
    begun: u64,
    /// Hashes of the last messages and their first events, the newest last.
    last: Vec<(u64, u64)>,
    repeated: u32,
}

/// Messages that say nothing new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repeated {
    pub(super) times: u32,
    pub(super) onset: u64,
    /// The last of them.
    pub(super) message: String,
}

impl Messages {
    /// More of this turn's message, with event `at`.
    pub(super) fn push(&mut self, chunk: &Chunk<'_>, at: u64) {
        let room = (LONGEST + 1).saturating_sub(self.said.len());
        if room == 0 {
            return;
        }
        if self.said.is_empty() {
            self.begun = at;
        }
        match chunk {
            Chunk::Utf8(text) => self.said.extend(text.encode_utf16().take(room)),
            Chunk::Utf16(units) => self.said.extend(units.iter().take(room)),
        }
    }

    /// The turn is over: does its message say what was said, once too often?
    pub(super) fn turn_ended(&mut self, threshold: u32) -> Option<Repeated> {
        let is_short = self.said.len() <= LONGEST;
        let message = String::from_utf16_lossy(&self.said);
        self.said.clear();
        let message = message.trim();
        if message.is_empty() {
            return None;
        }
        let letters: String =
            message.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let hash = hash_bytes(34, if letters.is_empty() { message } else { &letters }.as_bytes());
        if is_short && self.last.iter().any(|(other, _)| *other == hash) {
            self.repeated = self.repeated.saturating_add(1);
        } else {
            self.repeated = self.repeated.saturating_sub(2);
        }
        if self.last.len() >= REMEMBERED {
            self.last.remove(0);
        }
        self.last.push((hash, self.begun));
        (threshold != 0 && self.repeated >= threshold).then(|| Repeated {
            times: self.repeated,
            onset: self.last.first().map_or(self.begun, |(_, event)| *event),
            message: message.to_owned(),
        })
    }

    /// Something happened that makes what is said again an answer to something else.
    pub(super) fn reset(&mut self) {
        self.said.clear();
        self.last.clear();
        self.repeated = 0;
    }

    /// Whether a stored state is one this type can have.
    pub(super) fn is_sound(&self) -> bool {
        self.said.len() <= LONGEST + 1 && self.last.len() <= REMEMBERED && self.repeated < 1 << 30
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn say(messages: &mut Messages, text: &str) -> Option<Repeated> {
        messages.push(&Chunk::Utf8(text.into()), 0);
        messages.turn_ended(5)
    }

    #[test]
    fn farewells_in_any_order_are_found_and_new_ones_are_not() {
        let mut messages = Messages::default();
        let farewells =
            ["Bye!", "Goodbye.", "bye", "See you!", "Goodbye!", "see you", "Bye.", "Bye!"];
        let found = farewells.map(|text| say(&mut messages, text).map(|found| found.times));
        assert_eq!(found, [None, None, None, None, None, None, None, None]);
        assert_eq!(say(&mut messages, "Goodbye!").map(|found| found.times), Some(5));
        let mut messages = Messages::default();
        for turn in 0..100 {
            assert_eq!(say(&mut messages, &format!("Step {turn} is done.")), None);
        }
        let long = "x".repeat(LONGEST + 1);
        assert!((0..20).all(|_| say(&mut messages, &long).is_none()));
        assert!(messages.is_sound());
    }

    #[test]
    fn a_message_is_the_same_however_it_is_cut() {
        let text = "好的，再见！\u{1F44B} Bye";
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut whole = Messages::default();
        whole.push(&Chunk::Utf8(text.into()), 0);
        for cut in 0..units.len() {
            let mut messages = Messages::default();
            let (a, b) = units.split_at(cut);
            messages.push(&Chunk::Utf16(a.into()), 0);
            messages.push(&Chunk::Utf16(b.into()), 0);
            assert_eq!(messages, whole);
        }
    }
}
