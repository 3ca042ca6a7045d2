//! One channel of streamed text: a reply's content or the reasoning.

use serde::{Deserialize, Serialize};

use crate::{
    Channel, Chunk, Config, Profile, StreamDetector, TextLoop,
    reference::{CheckpointReasoning, GeminiContent, QwenContent},
};

/// How much text a resumable channel keeps, in UTF-16 code units: more than the rules look back.
const TAPE: usize = 16 * 1024;

#[derive(Debug, Clone)]
enum Rules {
    Adaptive(StreamDetector),
    Gemini(GeminiContent),
    Qwen(QwenContent),
    Checkpoints(CheckpointReasoning),
}

/// The detector of a channel, made when the first text comes.
#[derive(Debug, Clone, Default)]
pub(super) struct TextChannel {
    rules: Option<Rules>,
    tape: Tape,
    /// Characters and UTF-16 code units that came before what the detector has read.
    before_restore: (u64, u64),
}

/// The end of the text read, from which a detector is set up again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tape {
    /// Characters and UTF-16 code units that are no longer kept.
    dropped: u64,
    dropped_utf16: u64,
    units: Vec<u16>,
}

impl Tape {
    fn write(&mut self, chunk: &Chunk<'_>) {
        match chunk {
            Chunk::Utf8(text) => self.units.extend(text.encode_utf16()),
            Chunk::Utf16(units) => self.units.extend_from_slice(units),
        }
        if self.units.len() <= 2 * TAPE {
            return;
        }
        let mut cut = self.units.len() - TAPE;
        let is_low = |unit: &u16| (0xDC00..0xE000).contains(unit);
        if self.units.get(cut).is_some_and(is_low) {
            cut += 1;
        }
        let gone = self.units.get(..cut).unwrap_or(&[]);
        self.dropped += char::decode_utf16(gone.iter().copied()).count() as u64;
        self.dropped_utf16 += cut as u64;
        self.units.drain(..cut);
    }
}

impl Rules {
    fn new(config: &Config, channel: Channel) -> Option<Self> {
        match (config.profile, channel) {
            (Profile::Adaptive, _) => Some(Self::Adaptive(StreamDetector::adaptive(&config.text))),
            (Profile::GeminiCli, Channel::Content) => {
                Some(Self::Gemini(GeminiContent::new(&config.gemini_content)))
            }
            (Profile::QwenCode, Channel::Content) => {
                Some(Self::Qwen(QwenContent::new(&config.qwen_content)))
            }
            (Profile::Checkpoints, Channel::Reasoning) => {
                Some(Self::Checkpoints(CheckpointReasoning::new(&config.checkpoints)))
            }
            _ => None,
        }
    }

    fn push(&mut self, chunk: &Chunk<'_>) -> Option<TextLoop> {
        match (self, chunk) {
            (Self::Adaptive(rules), Chunk::Utf8(text)) => rules.push(text),
            (Self::Adaptive(rules), Chunk::Utf16(units)) => rules.push_utf16(units),
            (Self::Gemini(rules), Chunk::Utf8(text)) => rules.push(text),
            (Self::Gemini(rules), Chunk::Utf16(units)) => rules.push_utf16(units),
            (Self::Qwen(rules), Chunk::Utf8(text)) => rules.push(text),
            (Self::Qwen(rules), Chunk::Utf16(units)) => rules.push_utf16(units),
            (Self::Checkpoints(rules), Chunk::Utf8(text)) => rules.push(text),
            (Self::Checkpoints(rules), Chunk::Utf16(units)) => rules.push_utf16(units),
        }
    }
}

impl TextChannel {
    pub(super) fn push(
        &mut self,
        config: &Config,
        channel: Channel,
        chunk: &Chunk<'_>,
    ) -> Option<TextLoop> {
        if self.rules.is_none() {
            self.rules = Some(Rules::new(config, channel)?);
        }
        if config.resumable {
            self.tape.write(chunk);
        }
        let mut found = self.rules.as_mut()?.push(chunk)?;
        let (characters, units) = self.before_restore;
        found.onset += characters;
        found.detected_at += characters;
        found.onset_utf16 += units;
        found.detected_at_utf16 += units;
        Some(found)
    }

    pub(super) fn tape(&self) -> &Tape {
        &self.tape
    }

    /// Reads a stored end of a text again.
    pub(super) fn restore(
        &mut self,
        config: &Config,
        channel: Channel,
        tape: Tape,
    ) -> Result<(), String> {
        if tape.units.len() > 2 * TAPE {
            return Err(format!(
                "the stored text has {} units; it must have at most {}",
                tape.units.len(),
                2 * TAPE
            ));
        }
        *self = Self::default();
        if !tape.units.is_empty() {
            self.rules = Rules::new(config, channel);
            if let Some(rules) = &mut self.rules {
                rules.push(&Chunk::Utf16(tape.units.as_slice().into()));
            }
        }
        self.before_restore = (tape.dropped, tape.dropped_utf16);
        self.tape = tape;
        Ok(())
    }

    /// A tool was called: in the adaptive rules a new text begins; gemini-cli and qwen-code drop what they compared.
    pub(super) fn tool_called(&mut self) {
        match &mut self.rules {
            Some(Rules::Adaptive(_)) => self.reset(),
            Some(Rules::Gemini(rules)) => rules.tool_called(),
            Some(Rules::Qwen(rules)) => rules.tool_called(),
            Some(Rules::Checkpoints(_)) | None => {}
        }
    }

    /// The loop that was found has been dealt with.
    pub(super) fn acknowledge(&mut self) {
        match &mut self.rules {
            Some(Rules::Gemini(rules)) => rules.clear_detection(),
            Some(Rules::Qwen(rules)) => rules.clear_detection(),
            Some(Rules::Adaptive(_) | Rules::Checkpoints(_)) => self.reset(),
            None => {}
        }
    }

    /// A new text begins.
    pub(super) fn reset(&mut self) {
        self.tape.units.clear();
        (self.tape.dropped, self.tape.dropped_utf16, self.before_restore) = (0, 0, (0, 0));
        match &mut self.rules {
            Some(Rules::Adaptive(rules)) => rules.reset(),
            Some(Rules::Gemini(rules)) => rules.reset(),
            Some(Rules::Qwen(rules)) => rules.reset(),
            Some(Rules::Checkpoints(rules)) => rules.reset(),
            None => {}
        }
    }
}
