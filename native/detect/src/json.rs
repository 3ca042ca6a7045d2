//! JSON that people write: what is wrong with it, in their words, and keys that occur twice.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};

/// What is wrong, without the names of types and the place, of which the caller knows more.
pub(crate) fn explained(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or(&text);
    if let Some(field) = text.strip_prefix("duplicate field ") {
        return format!("the key {field} occurs twice");
    }
    let Some((found, expected)) = text.split_once(", expected ") else {
        return text.to_owned();
    };
    let found = found.trim_start_matches("invalid type: ").trim_start_matches("invalid value: ");
    let found = match found {
        "sequence" => "an array".to_owned(),
        "map" => "an object".to_owned(),
        _ if found.starts_with("invalid length") => "an array".to_owned(),
        _ => found.replace("integer `", "number `").replace("floating point `", "number `"),
    };
    let found = if found.starts_with("number ") { found.replace('`', "") } else { found };
    let expected = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of 0 or more",
        "f32" | "f64" => "a number",
        "a sequence" => "an array",
        "a map" => "an object",
        "string or map" => "a string",
        _ if expected.starts_with("struct ") => "an object",
        _ => expected,
    };
    format!("{found}, expected {expected}")
}

/// A value none of whose objects has a key twice: which of the two counts could not be seen from the text.
pub(crate) struct Unique(pub(crate) Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueKeys).map(Self)
    }
}

struct UniqueKeys;

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Unique(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key `{key}` occurs twice")));
            }
            let Unique(value) = members.next_value()?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}
