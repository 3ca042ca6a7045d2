//! Typed keys. Bytes sort as: everything small first, records last, records by time.

use ouro_core::{RecordId, sha256_hex};

/// What is stored, and under which key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    Schema,
    Progress,
    Memory,
    Counters,
    InFlight,
    Backoff,
    Quota,
    Log(LogKey),
    /// By signature.
    Failure(String),
    /// By hash.
    Asked(String),
    /// By signature.
    ToolCall(String),
    /// That a record exists, and how large it is: listing these reads no record.
    Known(RecordId),
    /// That a record was deleted.
    Deleted(RecordId),
    Record(RecordId),
}

/// A line of the log, in the order of writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LogKey {
    pub(crate) sequence: u64,
    /// Epoch milliseconds.
    pub(crate) at: i64,
}

/// First byte of the keys of one kind. Part of the file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Schema = 0x01,
    Progress = 0x02,
    Memory = 0x03,
    Counters = 0x04,
    InFlight = 0x05,
    Backoff = 0x06,
    Quota = 0x07,
    Log = 0x10,
    Failure = 0x11,
    Asked = 0x12,
    ToolCall = 0x13,
    Known = 0x20,
    Deleted = 0x21,
    Record = 0x30,
}

impl Key {
    /// The key's bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Schema => vec![Kind::Schema as u8],
            Self::Progress => vec![Kind::Progress as u8],
            Self::Memory => vec![Kind::Memory as u8],
            Self::Counters => vec![Kind::Counters as u8],
            Self::InFlight => vec![Kind::InFlight as u8],
            Self::Backoff => vec![Kind::Backoff as u8],
            Self::Quota => vec![Kind::Quota as u8],
            Self::Log(LogKey { sequence, at }) => {
                [&[Kind::Log as u8][..], &sequence.to_be_bytes(), &at.to_be_bytes()].concat()
            }
            Self::Failure(text) => by_text(Kind::Failure, text),
            Self::Asked(text) => by_text(Kind::Asked, text),
            Self::ToolCall(text) => by_text(Kind::ToolCall, text),
            Self::Known(id) => by_id(Kind::Known, *id),
            Self::Deleted(id) => by_id(Kind::Deleted, *id),
            Self::Record(id) => by_id(Kind::Record, *id),
        }
    }
}

impl LogKey {
    /// The log key in those bytes, if it is one.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let body = bytes.strip_prefix(&[Kind::Log as u8])?;
        let (sequence, at) = body.split_first_chunk::<8>()?;
        Some(Self {
            sequence: u64::from_be_bytes(*sequence),
            at: i64::from_be_bytes(at.try_into().ok()?),
        })
    }
}

/// The record id in a key of this kind, if it is one.
pub(crate) fn record_id(kind: Kind, bytes: &[u8]) -> Option<RecordId> {
    let body = bytes.strip_prefix(&[kind as u8])?;
    Some(RecordId::from_bytes(body.try_into().ok()?))
}

/// Texts come from outside and have any length and content; their hashes don't.
fn by_text(kind: Kind, text: &str) -> Vec<u8> {
    [&[kind as u8][..], sha256_hex(text.as_bytes()).as_bytes()].concat()
}

fn by_id(kind: Kind, id: RecordId) -> Vec<u8> {
    [&[kind as u8][..], &id.to_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_back_and_sort_by_time() {
        let log = |sequence| LogKey { sequence, at: -5 };
        assert_eq!(LogKey::from_bytes(&Key::Log(log(7)).to_bytes()), Some(log(7)));
        assert!(Key::Log(log(255)).to_bytes() < Key::Log(log(256)).to_bytes());

        let id = |n: u8| RecordId::from_bytes([n; 16]);
        let known = Key::Known(id(9)).to_bytes();
        assert_eq!(record_id(Kind::Known, &known), Some(id(9)));
        assert_eq!(record_id(Kind::Deleted, &known), None);
        assert!(Key::Record(id(1)).to_bytes() < Key::Record(id(2)).to_bytes());
    }
}
