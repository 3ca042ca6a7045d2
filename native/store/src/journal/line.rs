//! One line of the journal.

use ouro_core::{Change, Error, LearningRecord, RecordId, RecordMarks, Result};
use serde::{Deserialize, Serialize};

use crate::codec;

/// The version of the lines that this program writes. The frame (head first, checksum last) is the same in all.
const VERSION: u32 = 1;
const HEAD: &[u8] = b"{\"head\":";
/// `,"crc":"` and `"}`, around eight digits.
const CRC: (&[u8], &[u8]) = (b",\"crc\":\"", b"\"}");
const CRC_LEN: usize = 8 + 8 + 2;

/// What a line says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Entry {
    /// A record was added.
    Add(Box<LearningRecord>),
    /// What may change of a record has changed.
    Mark(RecordId, RecordMarks),
    /// A record was deleted.
    Delete(RecordId),
    /// The other changes of the same transaction: none of them is a record or a vector.
    Changes(Vec<Change>),
}

/// What can be known of a line without reading all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    v: u32,
    /// Transactions count from 1.
    pub(crate) tx: u64,
    /// From 1.
    pub(crate) part: u32,
    /// How many lines the transaction has.
    pub(crate) of: u32,
    pub(crate) op: Op,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<RecordId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Op {
    Add,
    Mark,
    Delete,
    Changes,
}

#[derive(Deserialize)]
struct Body {
    record: Option<Box<LearningRecord>>,
    marks: Option<RecordMarks>,
    changes: Option<Vec<Change>>,
}

/// The lines of one transaction.
///
/// # Errors
/// `InvalidInput` for an entry that can't be written as JSON.
pub(crate) fn encode(tx: u64, entries: &[Entry]) -> Result<Vec<Vec<u8>>> {
    let of = u32::try_from(entries.len())
        .map_err(|_| Error::invalid("a transaction has too many changes"))?;
    (1..).zip(entries).map(|(part, entry)| encode_line(tx, part, of, entry)).collect()
}

fn encode_line(tx: u64, part: u32, of: u32, entry: &Entry) -> Result<Vec<u8>> {
    let (op, id) = match entry {
        Entry::Add(record) => (Op::Add, Some(record.id)),
        Entry::Mark(id, _) => (Op::Mark, Some(*id)),
        Entry::Delete(id) => (Op::Delete, Some(*id)),
        Entry::Changes(_) => (Op::Changes, None),
    };
    let mut line = HEAD.to_vec();
    append_json(&mut line, &Head { v: VERSION, tx, part, of, op, id })?;
    match entry {
        Entry::Add(record) => append_field(&mut line, "record", record)?,
        Entry::Mark(_, marks) => append_field(&mut line, "marks", marks)?,
        Entry::Delete(_) => {}
        Entry::Changes(changes) => append_field(&mut line, "changes", changes)?,
    }
    let crc = format!("{:08x}", crc32fast::hash(&line));
    line.extend([CRC.0, crc.as_bytes(), CRC.1, b"\n"].concat());
    Ok(line)
}

fn append_field<T: Serialize>(line: &mut Vec<u8>, name: &str, value: &T) -> Result<()> {
    line.extend_from_slice(format!(",\"{name}\":").as_bytes());
    append_json(line, value)
}

fn append_json<T: Serialize>(line: &mut Vec<u8>, value: &T) -> Result<()> {
    serde_json::to_writer(line, value).map_err(|e| {
        Error::invalid(format!("a change can't be written to the journal: {e}")).with_source(e)
    })
}

/// The head of a sound line (with or without its line end); `None` for any other bytes.
pub(crate) fn parse_head(line: &[u8]) -> Option<Head> {
    split(line).map(|(head, _)| head)
}

/// The JSON of the record that a line of the present version adds, as it was written; `None` for any other line.
pub(crate) fn added_json(line: &[u8]) -> Option<&[u8]> {
    let (head, rest) = split(line)?;
    let is_present = head.v == VERSION && head.op == Op::Add;
    rest.strip_prefix(b",\"record\":").filter(|_| is_present)
}

/// The head of a sound line, and what follows it up to the checksum.
fn split(line: &[u8]) -> Option<(Head, &[u8])> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let (covered, trailer) = line.split_at_checked(line.len().checked_sub(CRC_LEN)?)?;
    let digits = trailer.strip_prefix(CRC.0)?.strip_suffix(CRC.1)?;
    let crc = u32::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    if crc != crc32fast::hash(covered) {
        return None;
    }
    let head = covered.strip_prefix(HEAD)?;
    let (head, rest) = head.split_at(head.iter().position(|b| *b == b'}')? + 1);
    Some((serde_json::from_slice(head).ok()?, rest))
}

/// Whether these bytes are how a line begins, or zeros, which a power cut leaves where it had not come to the disk.
pub(crate) fn is_begun(bytes: &[u8]) -> bool {
    bytes.iter().zip(HEAD).all(|(a, b)| a == b || *a == 0)
}

/// A sound line; `None` for any other bytes. The entry is an error (`TooNew`) in a line of a newer version.
pub(crate) fn parse(line: &[u8]) -> Option<(Head, Result<Entry>)> {
    let head = parse_head(line)?;
    if head.v > VERSION {
        return Some((head, Err(codec::too_new("the journal of learning records"))));
    }
    let body: Body = serde_json::from_slice(line).ok()?;
    let entry = match (head.op, head.id, body) {
        (Op::Add, Some(_), Body { record: Some(record), .. }) => Entry::Add(record),
        (Op::Mark, Some(id), Body { marks: Some(marks), .. }) => Entry::Mark(id, marks),
        (Op::Delete, Some(id), _) => Entry::Delete(id),
        (Op::Changes, None, Body { changes: Some(changes), .. }) => Entry::Changes(changes),
        _ => return None,
    };
    Some((head, Ok(entry)))
}

impl Head {
    /// Whether a newer Ouro wrote the line.
    pub(crate) fn is_too_new(&self) -> bool {
        self.v > VERSION
    }
}

#[cfg(test)]
mod tests {
    use ouro_core::{Change, Counters, ErrorKind, RecordId};
    use ouro_testkit::store_contract::sample_record;

    use super::*;

    fn entries() -> Vec<Entry> {
        let mut record = sample_record(7);
        record.answer = "braces } { \"quoted\" \n lines, 漢字 and 0.1".into();
        let marks = record.marks();
        vec![
            Entry::Mark(record.id, marks),
            Entry::Delete(record.id),
            Entry::Changes(vec![Change::PutCounters(Counters::default())]),
            Entry::Add(Box::new(record)),
        ]
    }

    #[test]
    fn every_entry_is_read_back_with_its_place_in_the_transaction() {
        let lines = encode(9, &entries()).unwrap();
        for (n, (line, entry)) in lines.iter().zip(entries()).enumerate() {
            assert_eq!(line.iter().filter(|b| **b == b'\n').count(), 1);
            let (head, read) = parse(line).unwrap();
            assert_eq!(read.unwrap(), entry);
            assert_eq!((head.tx, head.part as usize, head.of), (9, n + 1, 4));
            serde_json::from_slice::<serde_json::Value>(line).unwrap();
        }
    }

    #[test]
    fn a_change_of_any_single_byte_is_seen() {
        let line = encode(1, &[Entry::Delete(RecordId::from_bytes([5; 16]))]).unwrap().remove(0);
        let line = line.strip_suffix(b"\n").unwrap();
        for n in 0..line.len() {
            let mut changed = line.to_vec();
            changed[n] ^= 0x11;
            assert_eq!(parse_head(&changed), None, "byte {n}");
            assert_eq!(parse_head(&line[..n]), None, "cut at {n}");
        }
    }

    #[test]
    fn a_newer_line_is_too_new_and_not_damaged() {
        let mut line = br#"{"head":{"v":2,"tx":1,"part":1,"of":1,"op":"delete"},"new":1"#.to_vec();
        let crc = format!(",\"crc\":\"{:08x}\"}}", crc32fast::hash(&line));
        line.extend(crc.as_bytes());
        let (head, entry) = parse(&line).unwrap();
        assert!(head.is_too_new());
        assert_eq!(entry.unwrap_err().kind(), ErrorKind::TooNew);
    }
}
