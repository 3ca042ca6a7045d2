//! Reading the whole journal: which records there are, where they stand, and what is damaged.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader, Read, Seek, SeekFrom},
};

use ouro_core::{RecordId, Result};

use super::{
    Journal,
    line::{Head, Op, is_begun, parse_head},
};
use crate::{codec, disk};

/// Where a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// Bytes from the start.
    pub(crate) offset: u64,
    /// Bytes, with the line end.
    pub(crate) len: u32,
}

/// Where a record is: the line that added it, and the last one with its marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) added: Span,
    pub(crate) marked: Option<Span>,
}

impl Place {
    /// Bytes of its lines.
    pub(crate) fn len(&self) -> u64 {
        u64::from(self.added.len) + self.marked.map_or(0, |marked| u64::from(marked.len))
    }
}

/// What the journal says.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Every record that was added and not deleted.
    pub(crate) live: BTreeMap<RecordId, Place>,
    pub(crate) deleted: BTreeSet<RecordId>,
    pub(crate) last_tx: u64,
    /// Where the last whole transaction ends.
    pub(crate) end: u64,
    /// The lines of the transactions after the one asked for, in order.
    pub(crate) later: Vec<Span>,
    /// Something that was once reported as written is not there any more.
    pub(crate) damaged: bool,
    /// Lines that can't be read, and those of a transaction that isn't whole.
    pub(crate) unread: usize,
    /// Bytes of lines that no living record needs, transactions of other changes left out.
    pub(crate) dead: u64,
    /// It still holds the text of a deleted record.
    pub(crate) holds_deleted: bool,
}

/// The heads of all lines of a journal, in order, and where they stand: what takes long of a scan, and needs nothing but
/// the journal.
#[derive(Debug)]
pub(crate) struct Heads {
    lines: Vec<(Line, Span)>,
    journal_len: u64,
}

#[derive(Debug, Clone, Copy)]
enum Line {
    Sound(Head),
    /// It was cut off while it was written: it begins as a line does.
    Torn,
    /// What no store ever wrote.
    Foreign,
}

/// Reads the journal from start to end.
///
/// # Errors
/// `TooNew`, `Storage`.
pub(crate) fn read_heads(journal: &Journal) -> Result<Heads> {
    let mut file = &journal.file;
    let failed = |e| disk::failed("read", &journal.path, e);
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    let mut reader = BufReader::with_capacity(1 << 18, file.take(journal.len));
    let mut heads = Heads { lines: Vec::new(), journal_len: journal.len };
    let (mut offset, mut line) = (0, Vec::new());
    loop {
        line.clear();
        let len = reader.read_until(b'\n', &mut line).map_err(failed)?;
        if len == 0 {
            return Ok(heads);
        }
        let span = Span { offset, len: u32::try_from(len).unwrap_or(u32::MAX) };
        offset += len as u64;
        let read = match parse_head(&line).filter(|_| line.ends_with(b"\n")) {
            Some(head) if head.is_too_new() => {
                return Err(codec::too_new(&journal.path.display().to_string()));
            }
            Some(head) => Line::Sound(head),
            None if is_begun(&line) => Line::Torn,
            None => Line::Foreign,
        };
        heads.lines.push((read, span));
    }
}

/// Reads the journal and says what its lines come to: see [`Heads::scan`].
///
/// # Errors
/// Those of [`read_heads`].
pub(crate) fn scan(journal: &Journal, applied: u64, written: u64) -> Result<Scan> {
    Ok(read_heads(journal)?.scan(applied, written))
}

impl Heads {
    /// What the lines come to. The store is known to have come to transaction `applied`, which ended at byte `written`;
    /// what is torn after that was never reported as written.
    pub(crate) fn scan(self, applied: u64, written: u64) -> Scan {
        let mut scan = Scan { damaged: self.journal_len < written, ..Scan::default() };
        let mut open: Vec<(Head, Span)> = Vec::new();
        let mut bad_from = None;
        for (line, span) in self.lines {
            match line {
                Line::Sound(head) => {
                    // A sound line after a bad one: that one was whole once, unless a power cut tore the transaction of both.
                    let in_writing = |from| from >= written && head.tx == applied + 1;
                    scan.damaged |= bad_from.is_some_and(|from| !in_writing(from));
                    if open.first().is_some_and(|(first, _)| first.tx != head.tx) {
                        scan.damaged = true;
                        scan.accept(&mut open, applied);
                    }
                    open.push((head, span));
                    if open.len() == head.of as usize {
                        scan.damaged |= bad_from.take().is_some();
                        scan.accept(&mut open, applied);
                        scan.end = span.offset + u64::from(span.len);
                    }
                }
                Line::Torn | Line::Foreign => {
                    scan.unread += 1;
                    scan.damaged |= matches!(line, Line::Foreign);
                    bad_from = bad_from.or(Some(span.offset));
                }
            }
        }
        scan.damaged |= bad_from.is_some_and(|from| from < written);
        scan.unread += open.len();
        if open.first().is_some_and(|(head, _)| head.tx <= applied) {
            scan.damaged = true;
            scan.accept(&mut open, applied);
        }
        scan
    }
}

impl Scan {
    fn accept(&mut self, lines: &mut Vec<(Head, Span)>, applied: u64) {
        for (head, span) in lines.drain(..) {
            self.last_tx = self.last_tx.max(head.tx);
            if head.tx > applied {
                self.later.push(span);
            }
            match (head.op, head.id) {
                (Op::Add, Some(id)) => {
                    let place = Place { added: span, marked: None };
                    if let Some(old) = self.live.insert(id, place) {
                        self.dead += old.len();
                    }
                    self.deleted.remove(&id);
                }
                (Op::Mark, Some(id)) => match self.live.get_mut(&id) {
                    Some(place) => {
                        let old = place.marked.replace(span);
                        self.dead += old.map_or(0, |old| u64::from(old.len));
                    }
                    None => self.dead += u64::from(span.len),
                },
                (Op::Delete, Some(id)) => {
                    if let Some(old) = self.live.remove(&id) {
                        self.dead += old.len();
                        self.holds_deleted = true;
                    }
                    self.deleted.insert(id);
                }
                _ => {}
            }
        }
    }
}
