//! Arguments of a call, checked against what the tool takes. Whoever sent them gets to read what is wrong with which.

use std::{fmt, ops::RangeInclusive};

use ouro_core::{Error, Result};
use serde::{
    Deserializer,
    de::{self, DeserializeOwned, Visitor},
};
use serde_json::{Map, Value};

/// Reads a tool's arguments. Weak models send an object as text, and `null` or nothing for what they leave out: both are
/// understood.
///
/// # Errors
/// `InvalidInput` names the field and what it takes.
pub(crate) fn parse<T: DeserializeOwned>(tool: &str, arguments: &Value) -> Result<T> {
    let mut object = match arguments {
        Value::Object(object) => object.clone(),
        Value::Null => Map::new(),
        Value::String(text) => serde_json::from_str(text).map_err(|_| no_object(tool))?,
        _ => return Err(no_object(tool)),
    };
    object.retain(|_, value| !value.is_null());
    serde_path_to_error::deserialize(Value::Object(object)).map_err(|error| {
        let field = error.path().to_string();
        let place = if field == "." { String::new() } else { format!(" argument `{field}`:") };
        Error::invalid(format!("{tool}:{place} {}", error.inner()))
    })
}

fn no_object(tool: &str) -> Error {
    Error::invalid(format!("{tool}: the arguments must be one JSON object"))
}

/// Checks a number's range.
///
/// # Errors
/// `InvalidInput` names the field and the range.
pub(crate) fn within(
    tool: &str,
    field: &str,
    value: u32,
    range: RangeInclusive<u32>,
) -> Result<u32> {
    if range.contains(&value) {
        return Ok(value);
    }
    let (low, high) = range.into_inner();
    let legal =
        if high == u32::MAX { format!("{low} or more") } else { format!("from {low} to {high}") };
    Err(Error::invalid(format!("{tool}: argument `{field}`: {value} must be {legal}")))
}

/// Checks a text that must say something.
///
/// # Errors
/// `InvalidInput` names the field.
pub(crate) fn filled<'a>(tool: &str, field: &str, value: &'a str, max: usize) -> Result<&'a str> {
    if value.trim().is_empty() {
        return Err(Error::invalid(format!("{tool}: argument `{field}` must not be empty")));
    }
    if value.len() > max {
        return Err(Error::invalid(format!(
            "{tool}: argument `{field}` must not be longer than {max} bytes"
        )));
    }
    Ok(value)
}

/// A whole number, also one that was sent as text or with `.0`; empty text is none.
pub(crate) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    struct Number;

    impl Visitor<'_> for Number {
        type Value = Option<u32>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a whole number from 0 to 4294967295")
        }

        fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
            u32::try_from(value)
                .map(Some)
                .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
        }

        fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
            u32::try_from(value)
                .map(Some)
                .map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self))
        }

        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
        fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
            if value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value) {
                return Ok(Some(value as u32));
            }
            Err(E::invalid_value(de::Unexpected::Float(value), &self))
        }

        fn visit_str<E: de::Error>(self, value: &str) -> Result<Self::Value, E> {
            match value.trim() {
                "" => Ok(None),
                text => text
                    .parse()
                    .map(Some)
                    .map_err(|_| E::invalid_value(de::Unexpected::Str(value), &self)),
            }
        }
    }

    deserializer.deserialize_any(Number)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Arguments {
        path: String,
        #[serde(default, deserialize_with = "number")]
        line: Option<u32>,
    }

    fn parsed(value: Value) -> Result<Arguments, String> {
        parse("tool", &value).map_err(|e| e.to_string())
    }

    #[test]
    fn numbers_in_any_form_and_absent_ones_are_understood() {
        let wanted = |line| Ok(Arguments { path: "p".into(), line });
        assert_eq!(parsed(json!({"path": "p", "line": 3})), wanted(Some(3)));
        assert_eq!(parsed(json!({"path": "p", "line": "3"})), wanted(Some(3)));
        assert_eq!(parsed(json!({"path": "p", "line": 3.0})), wanted(Some(3)));
        assert_eq!(parsed(json!({"path": "p", "line": ""})), wanted(None));
        assert_eq!(parsed(json!({"path": "p", "line": null})), wanted(None));
        assert_eq!(parsed(json!("{\"path\": \"p\"}")), wanted(None));
    }

    #[test]
    fn an_error_names_the_field_and_what_it_takes() {
        let error = |value| parsed(value).unwrap_err();
        assert!(error(json!({"path": 5})).contains("argument `path`: invalid type: integer `5`"));
        assert!(error(json!({"path": "p", "line": "x"})).contains("argument `line`"));
        assert!(error(json!({"path": "p", "line": 1.5})).contains("whole number"));
        assert!(error(json!({"path": "p", "line": -1})).contains("argument `line`"));
        assert!(error(json!({"path": "p", "lines": 1})).contains("unknown field `lines`"));
        assert!(error(json!({})).contains("missing field `path`"));
        assert!(error(json!([1])).contains("one JSON object"));
    }
}
