//! Stored values: one byte with the version of their form, then JSON, which is compressed when it is long: the journal has
//! the same text, so that the two take little more than one of them would.
//!
//! A field that is added with a serde default needs no new version; anything else does, with a migration.

use std::borrow::Cow;

use lz4_flex::block;
use miniz_oxide::{deflate, inflate};
use ouro_core::{
    AskedQuestion, BackoffState, CachedToolCall, Counters, Error, ErrorKind, EvolutionLog,
    FailureRecord, InFlight, LearningRecord, ProjectKey, ProjectMemory, QuotaState, Result,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

/// The version of the store as a whole: which files and keys there are.
pub(crate) const STORE_SCHEMA: u32 = 1;

/// Set in the version byte of a value whose JSON is compressed, by DEFLATE.
const DEFLATED: u8 = 0x40;
/// Set where an older Ouro compressed it: an LZ4 block after its length.
const LZ4: u8 = 0x80;
/// Shorter JSON isn't compressed, bytes.
const SHORT: usize = 512;
/// Of 1 to 10. Records take 0.35 of their JSON, in 60 microseconds (level 1: 0.38 in 28; LZ4: 0.51 in 6). A commit, which waits
/// for the disk, doesn't notice; the disk does.
const LEVEL: u8 = 6;
/// Longer JSON is not unpacked, bytes: no value in the database is so long.
const LONGEST: usize = 256 << 20;
/// An LZ4 block holds at most so many bytes for each of its own: more is damage, and no reason to allocate it.
const LARGEST_LZ4_RATIO: usize = 255;

/// Something that is stored.
pub(crate) trait Stored: Serialize + DeserializeOwned {
    /// The version of its form that this program writes, below 64.
    const VERSION: u8 = 1;

    /// Brings a value of an older version to the next one; `None` when there is no such version.
    fn migrate(_from: u8, _value: Value) -> Option<Value> {
        None
    }
}

/// What the folder is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Schema {
    pub(crate) schema: u32,
    pub(crate) project: ProjectKey,
}

/// How far the store has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// The last journaled transaction.
    pub(crate) tx: u64,
    /// The journal's length after it, bytes.
    pub(crate) journal_len: u64,
    /// Rises with every change; the order of things put at the same time.
    pub(crate) sequence: u64,
}

/// A value with its place in the order of all changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sequenced<T> {
    pub(crate) sequence: u64,
    pub(crate) value: T,
}

impl Stored for Schema {}
impl Stored for Progress {}
impl Stored for LearningRecord {}
impl Stored for ProjectMemory {}
impl Stored for Counters {}
impl Stored for EvolutionLog {}
impl Stored for Option<Box<InFlight>> {}
impl Stored for BackoffState {}
impl Stored for QuotaState {}
impl Stored for FailureRecord {}
impl Stored for Sequenced<AskedQuestion> {}
impl Stored for Sequenced<CachedToolCall> {}

/// The bytes of a value. `what` names it in errors.
///
/// # Errors
/// `InvalidInput` for a value that could not be read again (nested deeper than the reader follows): better refused now
/// than lost later.
pub(crate) fn encode<T: Stored>(what: &str, value: &T) -> Result<Vec<u8>> {
    let json = serde_json::to_vec(value)
        .and_then(|json| serde_json::from_slice::<T>(&json).map(|_| json))
        .map_err(|e| Error::invalid(format!("{what} can't be stored: {e}")).with_source(e))?;
    let compressed = (json.len() > SHORT).then(|| deflate::compress_to_vec(&json, LEVEL));
    Ok(match compressed.filter(|compressed| compressed.len() < json.len()) {
        Some(compressed) => [&[T::VERSION | DEFLATED], compressed.as_slice()].concat(),
        None => [&[T::VERSION], json.as_slice()].concat(),
    })
}

/// The value in those bytes. `what` names it in errors.
///
/// # Errors
/// `TooNew` for a version that this program doesn't know yet, `Damaged`.
pub(crate) fn decode<T: Stored>(what: &str, bytes: &[u8]) -> Result<T> {
    // Before it is unpacked, which a newer version may do in another way.
    if bytes.first().is_some_and(|version| version & !(DEFLATED | LZ4) > T::VERSION) {
        return Err(too_new(what));
    }
    let (version, json) = unpack(what, bytes)?;
    let damaged = |e: serde_json::Error| {
        Error::new(ErrorKind::Damaged, format!("{what} can't be read: {e}")).with_source(e)
    };
    if version == T::VERSION {
        return serde_json::from_slice(&json).map_err(damaged);
    }
    let mut value = serde_json::from_slice(&json).map_err(damaged)?;
    for version in version..T::VERSION {
        value = T::migrate(version, value).ok_or_else(|| {
            Error::new(ErrorKind::Damaged, format!("{what} has the unknown version {version}"))
        })?;
    }
    serde_json::from_value(value).map_err(damaged)
}

/// The version of a value's form, and its JSON. `what` names it in errors.
///
/// # Errors
/// `Damaged`.
fn unpack<'a>(what: &str, bytes: &'a [u8]) -> Result<(u8, Cow<'a, [u8]>)> {
    let damaged = |why: &str| Error::new(ErrorKind::Damaged, format!("{what} {why}"));
    let Some((&version, stored)) = bytes.split_first() else {
        return Err(damaged("is stored as nothing"));
    };
    let json = match version & (DEFLATED | LZ4) {
        0 => Cow::Borrowed(stored),
        LZ4 => block::uncompressed_size(stored)
            .ok()
            .filter(|(len, compressed)| *len / LARGEST_LZ4_RATIO <= compressed.len())
            .and_then(|(len, compressed)| block::decompress(compressed, len).ok())
            .ok_or_else(|| damaged("can't be decompressed"))?
            .into(),
        _ => inflate::decompress_to_vec_with_limit(stored, LONGEST)
            .map_err(|_| damaged("can't be decompressed"))?
            .into(),
    };
    Ok((version & !(DEFLATED | LZ4), json))
}

/// The error for what a newer Ouro wrote.
pub(crate) fn too_new(what: &str) -> Error {
    Error::new(
        ErrorKind::TooNew,
        format!("{what} was written by a newer version of Ouro; update Ouro to read it"),
    )
}

#[cfg(test)]
mod tests {
    use ouro_testkit::store_contract::sample_tool_call;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Renamed {
        new_name: u32,
        #[serde(default)]
        note: String,
    }

    fn named(new_name: u32) -> Renamed {
        Renamed { new_name, note: String::new() }
    }

    impl Stored for Renamed {
        const VERSION: u8 = 3;

        fn migrate(from: u8, mut value: Value) -> Option<Value> {
            let fields = value.as_object_mut()?;
            match from {
                1 => fields.insert("middle_name".into(), fields.get("old_name")?.clone()),
                2 => fields.insert("new_name".into(), fields.get("middle_name")?.clone()),
                _ => return None,
            };
            Some(value)
        }
    }

    fn bytes(version: u8, json: &str) -> Vec<u8> {
        [&[version], json.as_bytes()].concat()
    }

    #[test]
    fn an_older_value_is_migrated_step_by_step() {
        let old = bytes(1, r#"{"old_name":7}"#);
        assert_eq!(decode::<Renamed>("it", &old).unwrap(), named(7));
        let current = encode("it", &named(8)).unwrap();
        assert_eq!(current.first(), Some(&3));
        assert_eq!(decode::<Renamed>("it", &current).unwrap(), named(8));
    }

    #[test]
    fn a_long_value_takes_less_and_is_read_back_as_it_was() {
        for len in [0, 1, SHORT, SHORT * 10, SHORT * 1_000] {
            let value =
                Renamed { new_name: 1, note: "ouro \u{6f22} ".chars().cycle().take(len).collect() };
            let bytes = encode("it", &value).unwrap();
            let json = serde_json::to_vec(&value).unwrap();
            assert!(len <= SHORT || bytes.len() < json.len() / 2, "{len}: {}", bytes.len());
            assert_eq!(unpack("it", &bytes).unwrap(), (3, json.into()), "{len}");
            assert_eq!(decode::<Renamed>("it", &bytes).unwrap(), value, "{len}");
        }
        let random: String =
            (0..200_u32).map(|n| ouro_core::sha256_hex(&n.to_le_bytes())).collect();
        let value = Renamed { new_name: 1, note: random };
        assert_eq!(decode::<Renamed>("it", &encode("it", &value).unwrap()).unwrap(), value);
    }

    #[test]
    fn a_value_that_an_older_ouro_compressed_is_read() {
        let value = Renamed { new_name: 1, note: "so ".repeat(1_000) };
        let json = serde_json::to_vec(&value).unwrap();
        let bytes = [&[3 | LZ4][..], &block::compress_prepend_size(&json)].concat();
        assert_eq!(decode::<Renamed>("it", &bytes).unwrap(), value);
    }

    #[test]
    fn a_newer_value_is_refused_with_the_advice_to_update() {
        for version in [4, 4 | DEFLATED, 63] {
            let error = decode::<Renamed>("record 1", &bytes(version, "{}")).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TooNew);
            assert_eq!(
                error.message(),
                "record 1 was written by a newer version of Ouro; update Ouro to read it"
            );
        }
    }

    #[test]
    fn what_never_was_a_version_or_is_cut_is_damaged() {
        let long = encode("it", &Renamed { new_name: 7, note: "so ".repeat(1_000) }).unwrap();
        let cut = long[..long.len() - 1].to_vec();
        let immense = [&long[..1], &[0xff; 4], &long[5..]].concat();
        for bad in [
            vec![],
            bytes(0, r#"{"old_name":7}"#),
            bytes(3, r#"{"new_na"#),
            bytes(3, "{}"),
            cut,
            immense,
            vec![3 | DEFLATED, 1],
            vec![3 | LZ4, 1],
            [&[3 | LZ4, 0xff, 0xff, 0xff, 0xff], &long[5..]].concat(),
        ] {
            let error = decode::<Renamed>("it", &bad).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Damaged, "{bad:?}");
        }
    }

    #[test]
    fn a_value_that_could_not_be_read_again_is_refused() {
        let arguments = (0..200).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
        let call = CachedToolCall { arguments, ..sample_tool_call("t", 0) };
        let error = encode("a tool call", &Sequenced { sequence: 0, value: call }).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.message().starts_with("a tool call can't be stored"), "{error}");
    }
}
