//! A hash of JSON that does not depend on how it is written: the order of keys, white space, escapes and the spelling
//! of numbers (`1`, `1.0`, `1e0`) make no difference.
//!
//! The text is hashed while it is parsed; no value is built. Members of an object are added up, which is why their
//! order does not count; a key that occurs twice counts twice. Text that is no JSON (or nests deeper than 128) is
//! hashed as it stands. The hash is 64 bits wide, unkeyed, and the same on every machine.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

const SEEDS: [u64; 4] =
    [0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7345, 0xA409_3822_299F_31D1, 0x082E_FA98_EC4E_6C89];

/// Both halves of a 128-bit product, folded into one word.
#[inline]
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ SEEDS[0]) * u128::from(b ^ SEEDS[1]);
    (product as u64) ^ ((product >> 64) as u64)
}

/// The first eight bytes as a number; shorter input is padded with zeros.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    match bytes.first_chunk::<8>() {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => bytes.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte)),
    }
}

/// A hash of bytes.
#[inline]
pub(crate) fn hash_bytes(seed: u64, bytes: &[u8]) -> u64 {
    let mut hash = seed ^ SEEDS[2];
    let mut other = SEEDS[3];
    let mut blocks = bytes.chunks_exact(32);
    for block in &mut blocks {
        let (low, high) = block.split_at(16);
        let (a, b) = low.split_at(8);
        let (c, d) = high.split_at(8);
        hash = mix(word(a) ^ hash, word(b));
        other = mix(word(c) ^ other, word(d));
    }
    let mut pieces = blocks.remainder().chunks_exact(8);
    for piece in &mut pieces {
        hash = mix(hash, word(piece));
    }
    mix(hash ^ word(pieces.remainder()), other ^ bytes.len() as u64)
}

/// What a call's arguments hash to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ArgsHash {
    /// Everything.
    pub(crate) exact: u64,
    /// Without the members at the top that only comment on the call.
    pub(crate) plain: u64,
    /// Whether the text was JSON.
    pub(crate) is_json: bool,
}

/// The hash of a call: its tool's name and its arguments. Empty arguments count as `{}`.
pub(crate) fn hash_call(name: &str, args: &str) -> ArgsHash {
    let seed = hash_bytes(0, name.as_bytes());
    let args = if args.is_empty() { "{}" } else { args };
    let mut reader = serde_json::Deserializer::from_str(args);
    let hashes = (&mut reader).deserialize_any(Top);
    match hashes {
        Ok((exact, plain)) if reader.end().is_ok() => {
            ArgsHash { exact: mix(seed, exact), plain: mix(seed, plain), is_json: true }
        }
        _ => {
            let raw = mix(seed, hash_bytes(RAW, args.as_bytes()));
            ArgsHash { exact: raw, plain: raw, is_json: false }
        }
    }
}

/// The canonical hash of a JSON text.
#[cfg(test)]
fn hash_json(text: &str) -> u64 {
    hash_call("", text).exact
}

const NULL: u64 = 1;
const FALSE: u64 = 2;
const TRUE: u64 = 3;
const INTEGER: u64 = 4;
const NEGATIVE: u64 = 5;
const FRACTION: u64 = 6;
const STRING: u64 = 7;
const ARRAY: u64 = 8;
const OBJECT: u64 = 9;
const RAW: u64 = 10;

pub(crate) fn hash_float(value: f64) -> u64 {
    // Whole numbers of the integers' range are those integers, however they are spelt.
    if value.fract() == 0.0 && (0.0..18_446_744_073_709_551_616.0).contains(&value) {
        mix(INTEGER, value as u64)
    } else if value.fract() == 0.0 && (-9_223_372_036_854_775_808.0..0.0).contains(&value) {
        mix(NEGATIVE, (value as i64) as u64)
    } else {
        mix(FRACTION, value.to_bits())
    }
}

struct Hashing;

impl<'de> DeserializeSeed<'de> for Hashing {
    type Value = u64;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<u64, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Hashing {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<u64, E> {
        Ok(mix(NULL, 0))
    }

    fn visit_bool<E>(self, value: bool) -> Result<u64, E> {
        Ok(mix(if value { TRUE } else { FALSE }, 0))
    }

    fn visit_u64<E>(self, value: u64) -> Result<u64, E> {
        Ok(mix(INTEGER, value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<u64, E> {
        Ok(if value < 0 { mix(NEGATIVE, value as u64) } else { mix(INTEGER, value as u64) })
    }

    fn visit_f64<E>(self, value: f64) -> Result<u64, E> {
        Ok(hash_float(value))
    }

    #[inline]
    fn visit_str<E>(self, value: &str) -> Result<u64, E> {
        Ok(hash_bytes(STRING, value.as_bytes()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<u64, A::Error> {
        let mut hash = ARRAY;
        while let Some(item) = items.next_element_seed(Self)? {
            hash = mix(hash, item);
        }
        Ok(mix(ARRAY, hash))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<u64, A::Error> {
        let (mut sum, mut count) = (0_u64, 0_u64);
        while let Some(key) = members.next_key_seed(Self)? {
            sum = sum.wrapping_add(mix(key, members.next_value_seed(Self)?));
            count += 1;
        }
        Ok(mix(OBJECT ^ count, sum))
    }
}

/// The outermost value: hashed twice, the second time without comments.
struct Top;

/// A key at the top: its hash and whether what follows is a comment.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = (u64, bool);

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(u64, bool), D::Error> {
        reader.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = (u64, bool);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    #[inline]
    fn visit_str<E>(self, key: &str) -> Result<(u64, bool), E> {
        Ok((hash_bytes(STRING, key.as_bytes()), is_commentary(key)))
    }
}

impl<'de> Visitor<'de> for Top {
    type Value = (u64, u64);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(u64, u64), E> {
        twice(Hashing.visit_unit())
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(u64, u64), E> {
        twice(Hashing.visit_bool(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(u64, u64), E> {
        twice(Hashing.visit_u64(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(u64, u64), E> {
        twice(Hashing.visit_i64(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(u64, u64), E> {
        twice(Hashing.visit_f64(value))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(u64, u64), E> {
        twice(Hashing.visit_str(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(u64, u64), A::Error> {
        twice(Hashing.visit_seq(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(u64, u64), A::Error> {
        let (mut sum, mut count, mut plain, mut plain_count) = (0_u64, 0_u64, 0_u64, 0_u64);
        while let Some((key, commentary)) = members.next_key_seed(Key)? {
            let member = mix(key, members.next_value_seed(Hashing)?);
            sum = sum.wrapping_add(member);
            count += 1;
            if !commentary {
                plain = plain.wrapping_add(member);
                plain_count += 1;
            }
        }
        let exact = mix(OBJECT ^ count, sum);
        // Where there is nothing but comments they are what the call is about.
        Ok((exact, if plain_count == 0 { exact } else { mix(OBJECT ^ plain_count, plain) }))
    }
}

fn twice<E>(hash: Result<u64, E>) -> Result<(u64, u64), E> {
    hash.map(|hash| (hash, hash))
}

/// Whether a member only says why a call is made. Which keys do is a convention of tool schemas.
pub(crate) fn is_commentary(key: &str) -> bool {
    matches!(
        key,
        "description"
            | "explanation"
            | "reason"
            | "reasoning"
            | "rationale"
            | "thought"
            | "thoughts"
            | "thinking"
            | "purpose"
            | "intent"
            | "why"
            | "comment"
            | "commentary"
            | "justification"
            | "task_progress"
            | "toolSummary"
            | "toolAction"
            | "tool_summary"
            | "描述"
            | "说明"
            | "原因"
            | "理由"
            | "目的"
            | "想法"
            | "备注"
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_filter("finite", |v| v.is_finite()).prop_map(Value::from),
            (-5_i32..5).prop_map(|v| Value::from(f64::from(v))),
            ".{0,40}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((".{0,6}", inner), 0..5)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    /// The naive oracle: numbers that are whole become integers, then values are compared.
    fn canonical(value: &Value) -> Value {
        match value {
            Value::Number(n) => match n.as_f64() {
                Some(f) if n.is_f64() && f.fract() == 0.0 && f.abs() < 9e18 => {
                    Value::from(f as i64)
                }
                Some(f) if n.is_f64() && f.fract() == 0.0 && (0.0..1.8e19).contains(&f) => {
                    Value::from(f as u64)
                }
                _ => value.clone(),
            },
            Value::Array(items) => items.iter().map(canonical).collect(),
            Value::Object(members) => {
                Value::Object(members.iter().map(|(k, v)| (k.clone(), canonical(v))).collect())
            }
            other => other.clone(),
        }
    }

    /// The same value written in another way: keys reversed, blanks, characters escaped.
    fn rewritten(value: &Value) -> String {
        match value {
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(rewritten).collect();
                format!("[ {} ]", items.join(" ,\n"))
            }
            Value::Object(members) => {
                let mut members: Vec<_> = members
                    .iter()
                    .map(|(k, v)| format!("{}\t: {}", escaped(k), rewritten(v)))
                    .collect();
                members.reverse();
                format!("{{ {} }}", members.join(" , "))
            }
            Value::String(text) => escaped(text),
            other => other.to_string(),
        }
    }

    fn escaped(text: &str) -> String {
        let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
        format!("\"{units}\"")
    }

    proptest! {
        #[test]
        fn equal_values_hash_alike_however_they_are_written(value in json()) {
            prop_assert_eq!(hash_json(&value.to_string()), hash_json(&rewritten(&value)));
        }

        #[test]
        fn hashes_are_equal_exactly_when_values_are(a in json(), b in json()) {
            let equal = canonical(&a) == canonical(&b);
            prop_assert_eq!(hash_json(&a.to_string()) == hash_json(&b.to_string()), equal);
        }

        #[test]
        fn any_text_has_a_hash(text in ".{0,200}") {
            prop_assert_eq!(hash_json(&text), hash_json(&text));
        }
    }

    #[test]
    fn numbers_are_compared_by_value() {
        for same in [["1", "1.0"], ["1", "1e0"], ["100", "1E2"], ["0", "-0.0"], ["-3", "-3.0"]] {
            assert_eq!(hash_json(same[0]), hash_json(same[1]), "{same:?}");
        }
        assert_ne!(hash_json("1"), hash_json("1.5"));
        assert_ne!(hash_json("1"), hash_json("-1"));
        assert_ne!(hash_json("1"), hash_json("\"1\""));
    }

    #[test]
    fn a_key_that_occurs_twice_counts_twice() {
        let twice = hash_json(r#"{"a":1,"a":2}"#);
        assert_eq!(twice, hash_json(r#"{"a":2,"a":1}"#));
        assert_ne!(twice, hash_json(r#"{"a":2}"#));
    }

    #[test]
    fn text_that_is_no_json_is_hashed_as_it_stands() {
        assert_eq!(hash_json("{\"a\":"), hash_json("{\"a\":"));
        assert_ne!(hash_json("{\"a\":"), hash_json("{\"a\": "));
        assert_ne!(hash_json("{} {}"), hash_json("{}"));
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        assert!(!hash_call("x", &deep).is_json);
    }

    #[test]
    fn a_comment_counts_in_the_exact_hash_only() {
        let one = hash_call("ls", r#"{"path":"a","description":"look"}"#);
        let two = hash_call("ls", r#"{"path":"a","description":"look again"}"#);
        assert_ne!(one.exact, two.exact);
        assert_eq!(one.plain, two.plain);
        assert_eq!(one.plain, hash_call("ls", r#"{"path":"a"}"#).plain);
        assert_ne!(one.plain, hash_call("rm", r#"{"path":"a"}"#).plain);
    }
}
