//! Reads recorded texts and sessions, line by line, and plays them to the detectors.

use std::{
    borrow::Cow,
    fs::File,
    io::{BufRead, BufReader, Read},
    path::Path,
    sync::Arc,
};

use anyhow::{Context, bail};
use ouro_detect::{
    CheckedConfig, Event, EventError, LoopDetected, LoopDetectionService, StreamDetector, TextLoop,
};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::output;

/// The longest line that is read, in bytes: a recorded session can be large, an endless line is a mistake.
const MAX_LINE_BYTES: u64 = 256 << 20;

/// The lines of a file, one in memory at a time; empty ones are left out, and so is a byte order mark before the first.
pub(crate) struct Lines<R> {
    name: String,
    reader: R,
    line: String,
    number: u64,
}

impl Lines<BufReader<File>> {
    /// The lines of a file.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self::new(&path.display().to_string(), BufReader::new(file)))
    }
}

impl<R: BufRead> Lines<R> {
    /// The lines of something that errors call `name`.
    pub(crate) fn new(name: &str, reader: R) -> Self {
        Self { name: name.to_owned(), reader, line: String::new(), number: 0 }
    }

    /// The next line and its number, from 1.
    pub(crate) fn next_line(&mut self) -> anyhow::Result<Option<(u64, &str)>> {
        loop {
            self.line.clear();
            self.number += 1;
            let read = (&mut self.reader)
                .take(MAX_LINE_BYTES)
                .read_line(&mut self.line)
                .with_context(|| format!("cannot read {}, line {}", self.name, self.number))?;
            if read == 0 {
                return Ok(None);
            }
            if u64::try_from(read).is_ok_and(|read| read == MAX_LINE_BYTES) {
                bail!(
                    "{}, line {}: longer than {} MiB; one JSON object a line is expected",
                    self.name,
                    self.number,
                    MAX_LINE_BYTES >> 20
                );
            }
            if self.number == 1 && self.line.starts_with('\u{feff}') {
                self.line.remove(0);
            }
            if !self.line.trim().is_empty() {
                break;
            }
        }
        Ok(Some((self.number, self.line.trim())))
    }
}

/// Reads one JSON line.
pub(crate) fn parse<'a, T: Deserialize<'a>>(line: &'a str) -> anyhow::Result<T> {
    serde_json::from_str(line).map_err(|error| anyhow::anyhow!("{error}"))
}

/// A recorded session.
#[derive(Deserialize)]
pub(crate) struct Session<'a> {
    /// Its name, of any type: the verdict gives it back as it is.
    pub(crate) id: Value,
    #[serde(borrow)]
    events: Vec<&'a RawValue>,
    /// Whether it is known to run into a loop.
    #[serde(default, rename = "loop")]
    pub(crate) is_loop: Option<bool>,
    /// What kind of loop or of work.
    #[serde(default, borrow)]
    pub(crate) kind: Cow<'a, str>,
}

impl Session<'_> {
    /// The first loop that is found in it.
    pub(crate) fn run(&self, config: &Arc<CheckedConfig>) -> anyhow::Result<Option<LoopDetected>> {
        let mut service = LoopDetectionService::with(Arc::clone(config));
        for (number, event) in self.events.iter().enumerate() {
            let found = feed(&mut service, event.get())
                .with_context(|| format!("case {}, event {number}", self.id))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

/// Gives an event to the service; one of an unknown type is skipped with a warning.
pub(crate) fn feed(
    service: &mut LoopDetectionService,
    event: &str,
) -> anyhow::Result<Option<LoopDetected>> {
    match Event::from_json(event) {
        Ok(event) => Ok(service.add_and_check(&event)),
        Err(error @ EventError::UnknownType(_)) => {
            output::note(&format!("{error} is skipped"));
            service.skip_event();
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// A recorded text.
#[derive(Deserialize)]
pub(crate) struct Corpus<'a> {
    /// Its name, of any type: the verdict gives it back as it is.
    pub(crate) id: Value,
    #[serde(borrow)]
    pub(crate) text: Cow<'a, str>,
}

/// Streams a whole text in pieces of `chunk` characters, and says what was found first.
pub(crate) fn stream(detector: &mut StreamDetector, text: &str, chunk: usize) -> Option<TextLoop> {
    Pieces::new(chunk).push(text, true, |piece| detector.push(piece))
}

/// Cuts a text that comes in any pieces into pieces of one length.
pub(crate) struct Pieces {
    /// Characters.
    length: usize,
    held: String,
}

impl Pieces {
    pub(crate) fn new(length: usize) -> Self {
        Self { length: length.max(1), held: String::new() }
    }

    /// Takes more text, gives whole pieces (and at the `end` what is left) to `each`, and stops at its first answer.
    pub(crate) fn push<T>(
        &mut self,
        text: &str,
        end: bool,
        mut each: impl FnMut(&str) -> Option<T>,
    ) -> Option<T> {
        self.held.push_str(text);
        let mut rest = self.held.as_str();
        let mut answer = None;
        while answer.is_none() && !rest.is_empty() {
            let cut = rest.char_indices().nth(self.length).map(|(at, _)| at);
            let whole = cut.is_some() || end || rest.chars().count() == self.length;
            if !whole {
                break;
            }
            let (piece, after) = rest.split_at(cut.unwrap_or(rest.len()));
            answer = each(piece);
            rest = after;
        }
        let used = self.held.len() - rest.len();
        self.held.drain(..used);
        answer
    }
}

/// Takes the whole characters out of `held`; at the `end` also what is left. What is no UTF-8 becomes U+FFFD.
pub(crate) fn decode(held: &mut Vec<u8>, end: bool) -> String {
    let mut text = String::with_capacity(held.len());
    let mut kept = 0;
    let mut chunks = held.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        text.push_str(chunk.valid());
        let invalid = chunk.invalid();
        // A character cut by the end of the piece is not broken yet.
        let unfinished = !end
            && chunks.peek().is_none()
            && std::str::from_utf8(invalid).is_err_and(|e| e.error_len().is_none());
        if unfinished {
            kept = invalid.len();
        } else if !invalid.is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    held.drain(..held.len() - kept);
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_line() {
        let mut lines = Lines::new("test", "\u{feff}\n{}\n\u{feff}{}\n".as_bytes());
        assert_eq!(lines.next_line().unwrap(), Some((2, "{}")));
        assert_eq!(lines.next_line().unwrap(), Some((3, "\u{feff}{}")));
        let mut lines = Lines::new("test", "\u{feff}{}".as_bytes());
        assert_eq!(lines.next_line().unwrap(), Some((1, "{}")));
    }

    proptest! {
        #[test]
        fn a_text_is_decoded_the_same_however_it_is_cut(
            bytes in prop::collection::vec(any::<u8>(), 0..60),
            text in "\\PC{0,20}",
            cuts in prop::collection::vec(1..5_usize, 1..80),
        ) {
            let bytes: Vec<u8> = text.bytes().chain(bytes).chain(text.bytes()).collect();
            let (mut held, mut decoded, mut rest) = (Vec::new(), String::new(), bytes.as_slice());
            for cut in cuts.iter().cycle() {
                let (piece, after) = rest.split_at((*cut).min(rest.len()));
                held.extend_from_slice(piece);
                decoded.push_str(&decode(&mut held, piece.is_empty()));
                if piece.is_empty() {
                    break;
                }
                rest = after;
            }
            prop_assert_eq!(decoded, String::from_utf8_lossy(&bytes));
        }

        #[test]
        fn pieces_have_one_length_and_lose_nothing(
            parts in prop::collection::vec("\\PC{0,9}", 0..9),
            length in 1..6_usize,
        ) {
            let mut pieces = Pieces::new(length);
            let mut seen: Vec<String> = Vec::new();
            for (at, part) in parts.iter().enumerate() {
                let end = at + 1 == parts.len();
                pieces.push(part, end, |piece| -> Option<()> {
                    seen.push(piece.to_owned());
                    None
                });
            }
            prop_assert_eq!(seen.concat(), parts.concat());
            let all_but_last = seen.iter().rev().skip(1);
            prop_assert!(all_but_last.clone().all(|piece| piece.chars().count() == length));
        }
    }
}
