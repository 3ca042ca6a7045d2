//! One channel of streamed text: a reply's content or the reasoning.

use serde::{Deserialize, Serialize};

use crate::{
    Channel, Chunk, Config, Profile, StreamDetector, TextLoop, semantic::SemanticDetector,
};

/// How much text a resumable channel keeps, in UTF-16 code units: more than the rules look back.
const TAPE: usize = 16 * 1024;

/// The detector of a channel, made when the first text comes.
#[derive(Debug, Clone, Default)]
pub(super) struct TextChannel {
    detector: Option<StreamDetector>,
    /// Made with the detector, if it is wanted.
    meaning: Option<SemanticDetector>,
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
    /// A code fence was open before it, as far as that is known: not once its beginning is dropped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    in_code: bool,
}

impl Tape {
    /// What was read so far is not compared with what comes.
    fn forget(&mut self, in_code: bool) {
        let characters = char::decode_utf16(self.units.iter().copied()).count() as u64;
        self.dropped = self.dropped.saturating_add(characters);
        self.dropped_utf16 = self.dropped_utf16.saturating_add(self.units.len() as u64);
        self.units.clear();
        self.in_code = in_code;
    }

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
        let characters = char::decode_utf16(gone.iter().copied()).count() as u64;
        self.dropped = self.dropped.saturating_add(characters);
        self.dropped_utf16 = self.dropped_utf16.saturating_add(cut as u64);
        self.units.drain(..cut);
        self.in_code = false;
    }
}

/// The detector for a channel, if the profile watches it.
fn detector(config: &Config, channel: Channel) -> Option<StreamDetector> {
    let watched = match config.profile {
        Profile::Adaptive => true,
        Profile::GeminiCli | Profile::QwenCode => channel == Channel::Content,
        Profile::Checkpoints => channel == Channel::Reasoning,
    };
    watched.then(|| StreamDetector::new(config))
}

/// The comparison of meaning, if it is wanted.
fn meaning(config: &Config) -> Option<SemanticDetector> {
    let wanted = config.semantic.enabled && config.profile == Profile::Adaptive;
    wanted.then(|| SemanticDetector::new(&config.semantic))
}

fn read(detector: &mut StreamDetector, chunk: &Chunk<'_>) -> Option<TextLoop> {
    match chunk {
        Chunk::Utf8(text) => detector.push(text),
        Chunk::Utf16(units) => detector.push_utf16(units),
    }
}

impl TextChannel {
    pub(super) fn push(
        &mut self,
        config: &Config,
        channel: Channel,
        chunk: &Chunk<'_>,
    ) -> Option<TextLoop> {
        if self.detector.is_none() {
            self.detector = Some(detector(config, channel)?);
            self.meaning = meaning(config);
        }
        if let Some(meaning) = &mut self.meaning {
            meaning.push(chunk);
        }
        if config.resumable {
            self.tape.write(chunk);
        }
        let found = read(self.detector.as_mut()?, chunk)?;
        Some(self.placed(found))
    }

    /// What is said again in other words, if that is watched.
    pub(super) fn meaning(&mut self) -> Option<&mut SemanticDetector> {
        self.meaning.as_mut()
    }

    /// A loop where it is from the channel's last reset on.
    pub(super) fn placed(&self, mut found: TextLoop) -> TextLoop {
        let (characters, units) = self.before_restore;
        found.onset = found.onset.saturating_add(characters);
        found.detected_at = found.detected_at.saturating_add(characters);
        found.onset_utf16 = found.onset_utf16.saturating_add(units);
        found.detected_at_utf16 = found.detected_at_utf16.saturating_add(units);
        found
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
        if tape != Tape::default() {
            self.detector = detector(config, channel);
            let (characters, units) = (tape.dropped, tape.dropped_utf16);
            match &mut self.detector {
                Some(StreamDetector::GeminiCli(rules)) => {
                    rules.begin_behind(characters, units, tape.in_code);
                }
                Some(StreamDetector::QwenCode(rules)) => {
                    rules.begin_behind(characters, units, tape.in_code);
                }
                _ => self.before_restore = (characters, units),
            }
            if let Some(detector) = &mut self.detector {
                detector.push_utf16(&tape.units);
            }
            self.meaning = meaning(config);
            if let Some(meaning) = &mut self.meaning {
                meaning.push(&Chunk::Utf16(tape.units.as_slice().into()));
            }
        }
        self.tape = tape;
        Ok(())
    }

    /// A tool was called: in the adaptive rules a new text begins; gemini-cli and qwen-code drop what they compared.
    pub(super) fn tool_called(&mut self) {
        match &mut self.detector {
            Some(StreamDetector::Adaptive(_)) => return self.reset(),
            Some(StreamDetector::GeminiCli(rules)) => rules.tool_called(),
            Some(StreamDetector::QwenCode(rules)) => rules.tool_called(),
            Some(StreamDetector::Checkpoints(_)) | None => return,
        }
        self.tape.forget(self.is_in_code());
    }

    /// Whether a code fence is open, in the profiles that keep one open.
    fn is_in_code(&self) -> bool {
        match &self.detector {
            Some(StreamDetector::GeminiCli(rules)) => rules.is_in_code(),
            Some(StreamDetector::QwenCode(rules)) => rules.is_in_code(),
            _ => false,
        }
    }

    /// The loop that was found has been dealt with.
    pub(super) fn acknowledge(&mut self) {
        match &mut self.detector {
            Some(StreamDetector::GeminiCli(rules)) => rules.clear_detection(),
            Some(StreamDetector::QwenCode(rules)) => rules.clear_detection(),
            Some(StreamDetector::Adaptive(_) | StreamDetector::Checkpoints(_)) => self.reset(),
            None => {}
        }
    }

    /// A new text begins.
    pub(super) fn reset(&mut self) {
        self.tape = Tape { in_code: self.is_in_code(), ..Tape::default() };
        self.before_restore = (0, 0);
        if let Some(detector) = &mut self.detector {
            detector.reset();
        }
        if let Some(meaning) = &mut self.meaning {
            meaning.reset();
        }
    }
}
