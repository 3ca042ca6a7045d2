//! Content identities: SHA-256 over canonical JSON.

use std::fmt;

use ouro_core::OperationKind;
use serde_json::{Number, Value};
use sha2::{Digest, Sha256};

/// The SHA-256 of something that is compared by its content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signature([u8; 32]);

impl Signature {
    /// Of bytes as they are.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Of a tool call: equal exactly when the tools and the arguments' JSON values are.
    pub fn of_tool_call(tool: &str, arguments: &Value) -> Self {
        Self::of_operation(OperationKind::ToolCall, tool, arguments)
    }

    /// Of an operation of a kind and what belongs to it.
    pub(crate) fn of_operation(kind: OperationKind, operation: &str, context: &Value) -> Self {
        let mut json = Vec::with_capacity(256);
        // The whole is a JSON array, so that no part can pass for two; `Debug` of a fieldless variant is its name.
        json.extend(format!("[\"{kind:?}\",").into_bytes());
        write_string(&mut json, operation);
        json.push(b',');
        write_value(&mut json, context);
        json.push(b']');
        Self::of(&json)
    }

    /// The signature that its `Display` form stands for; `None` for anything else.
    pub fn from_hex(hex: &str) -> Option<Self> {
        let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
        if pairs.len() != 32 || !rest.is_empty() {
            return None;
        }
        let digit = |d: u8| u8::try_from(char::from(d).to_digit(16)?).ok();
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// JSON text that is the same for equal values: keys sorted at every depth, no white space, `1.0` written as `1`, nothing cut.
///
/// Numbers are equal when they are the same number: `1`, `1.0` and `10e-1`, but not `9007199254740993` and
/// `9007199254740992.0`.
pub fn canonical_json(value: &Value) -> String {
    let mut json = Vec::with_capacity(256);
    write_value(&mut json, value);
    String::from_utf8_lossy(&json).into_owned()
}

fn write_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.extend(b"null"),
        Value::Bool(true) => out.extend(b"true"),
        Value::Bool(false) => out.extend(b"false"),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push(b'[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                write_value(out, item);
            }
            out.push(b']');
        }
        Value::Object(map) => {
            // Sorted here, because any crate of the build can turn serde_json's maps into insertion-ordered ones.
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            out.push(b'{');
            for (i, (key, value)) in entries.into_iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                write_string(out, key);
                out.push(b':');
                write_value(out, value);
            }
            out.push(b'}');
        }
    }
}

/// Whole numbers as integers, other numbers in the shortest form that reads back as the same number.
fn write_number(out: &mut Vec<u8>, number: &Number) {
    use std::io::Write;
    // Between these bounds a whole `f64` is exactly an `i128`, and every integer of JSON lies between them.
    const WHOLE: std::ops::Range<f64> = -1e38..1e38;
    let _ = if let Some(n) = number.as_i64() {
        write!(out, "{n}")
    } else if let Some(n) = number.as_u64() {
        write!(out, "{n}")
    } else {
        match number.as_f64() {
            #[allow(clippy::cast_possible_truncation, reason = "whole and in range: exact")]
            Some(n) if n.fract() == 0.0 && WHOLE.contains(&n) => write!(out, "{}", n as i128),
            Some(n) => write!(out, "{n:e}"),
            None => write!(out, "{number}"),
        }
    };
}

fn write_string(out: &mut Vec<u8>, text: &str) {
    // Writing a string into memory can't fail.
    let _ = serde_json::to_writer(out, text);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Any JSON value, with few distinct leaves so that equal values come up.
    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-3_i64..3).prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-3_i32..3).prop_map(|n| Value::from(f64::from(n))),
            any::<i32>().prop_map(|n| Value::from(f64::from(n) / 8.0)),
            prop::sample::select(vec![-0.0, 1e19, -1e19, 1e39, 0.1, 9_007_199_254_740_992.0])
                .prop_map(Value::from),
            Just(Value::from(10_000_000_000_000_000_000_u64)),
            "[ab\"\\\\,:\\[\\]{}\u{1}é]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("[ab\"]{0,2}", inner, 0..3)
                    .prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    /// Equality of JSON values where numbers are compared as numbers: the plain definition.
    fn equal(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => same_number(a, b),
            (Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
            }
            (Value::Object(a), Value::Object(b)) => {
                a.len() == b.len()
                    && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
            }
            _ => a == b,
        }
    }

    fn same_number(a: &Number, b: &Number) -> bool {
        let whole = |n: &Number| n.as_i64().map(i128::from).or(n.as_u64().map(i128::from));
        match (whole(a), whole(b)) {
            (Some(a), Some(b)) => a == b,
            (None, None) => a.as_f64() == b.as_f64(),
            (Some(whole), None) => {
                b.as_f64().is_some_and(|f| f.fract() == 0.0 && f as i128 == whole)
            }
            (None, Some(whole)) => {
                a.as_f64().is_some_and(|f| f.fract() == 0.0 && f as i128 == whole)
            }
        }
    }

    /// The same value written differently: whole numbers as floats, keys in reverse.
    fn rewritten(value: &Value) -> Value {
        match value {
            Value::Number(n) => match n.as_i64() {
                Some(whole) if whole.abs() < 1 << 53 => json!(whole as f64),
                _ => value.clone(),
            },
            Value::Array(items) => items.iter().map(rewritten).collect(),
            Value::Object(map) => {
                map.iter().rev().map(|(k, v)| (k.clone(), rewritten(v))).collect()
            }
            _ => value.clone(),
        }
    }

    proptest! {
        #[test]
        fn canonical_json_is_equal_exactly_when_the_values_are(a in any_json(), b in any_json()) {
            prop_assert_eq!(canonical_json(&a) == canonical_json(&b), equal(&a, &b));
        }

        #[test]
        fn another_spelling_has_the_same_signature(value in any_json()) {
            prop_assert_eq!(
                Signature::of_tool_call("t", &value),
                Signature::of_tool_call("t", &rewritten(&value))
            );
        }

        #[test]
        fn canonical_json_reads_back_as_the_same_value(value in any_json()) {
            let back: Value = serde_json::from_str(&canonical_json(&value)).unwrap();
            prop_assert!(equal(&value, &back), "{} became {}", value, back);
        }
    }

    #[test]
    fn keys_are_sorted_at_every_depth_and_nothing_is_cut() {
        let long = "長".repeat(10_000);
        let value = json!({ "b": [{ "y": 1.0, "x": "\n\"" }], "a": long });
        let expected = format!(r#"{{"a":"{long}","b":[{{"x":"\n\"","y":1}}]}}"#);
        assert_eq!(canonical_json(&value), expected);
    }

    #[test]
    fn neighbours_that_differ_have_different_signatures() {
        let signature = Signature::of_tool_call;
        assert_ne!(signature("t", &json!("a")), signature("t", &json!(["a"])));
        assert_ne!(signature("t", &json!("1")), signature("t", &json!(1)));
        assert_ne!(signature("a", &json!("b")), signature("a\",\"b", &json!(null)));
        assert_ne!(
            signature("t", &json!(9_007_199_254_740_993_u64)),
            signature("t", &json!(9_007_199_254_740_992.0))
        );
    }

    #[test]
    fn hex_reads_back_and_anything_else_is_refused() {
        let signature = Signature::of(b"x");
        assert_eq!(Signature::from_hex(&signature.to_string()), Some(signature));
        assert_eq!(signature.to_string(), ouro_core::sha256_hex(b"x"));
        for wrong in ["", "ab", &"g".repeat(64), &"a".repeat(66), &"é".repeat(32)] {
            assert_eq!(Signature::from_hex(wrong), None, "{wrong}");
        }
    }
}
