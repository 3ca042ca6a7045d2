//! Calls that say nothing but a thought: what they say is text, though it comes as arguments.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor},
};

/// The thought of a call whose name says that it is one, and that has no other text among its arguments, and no lists or
/// objects. The arguments of other calls, which may be long, are not read.
pub(super) fn thought(name: &str, args: &str) -> Option<String> {
    let is_named = ["think", "thought", "reason"].iter().any(|verb| name.contains(verb));
    is_named.then(|| serde_json::from_str(args).ok().map(|Thought(text)| text)).flatten()
}

struct Thought(String);

impl<'de> Deserialize<'de> for Thought {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members).map(Self)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a thought")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<String, A::Error> {
        let mut thought = None;
        while let Some(key) = members.next_key::<String>()? {
            if matches!(key.as_str(), "thought" | "thoughts" | "thinking" | "reasoning") {
                thought = Some(members.next_value()?);
            } else {
                members.next_value::<Mark>()?;
            }
        }
        thought.ok_or_else(|| A::Error::custom("there is none"))
    }
}

/// A number or a switch, such as how many thoughts are to come.
struct Mark;

impl<'de> Deserialize<'de> for Mark {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl Visitor<'_> for Mark {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a switch")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thought_is_all_that_is_said() {
        let of = |args| thought("sequentialthinking", args);
        assert_eq!(of(r#"{"thought":"so be it"}"#).as_deref(), Some("so be it"));
        let numbered = r#"{"total":3,"more":true,"left":null,"share":0.5,"back":-1,"thought":"a"}"#;
        assert_eq!(of(numbered).as_deref(), Some("a"));
        for other in [
            r#"{"thought":"look there","path":"a.rs"}"#,
            r#"{"thought":"look there","paths":["a.rs"]}"#,
            r#"{"thought":["a","b"]}"#,
            r#"{"path":"a.rs"}"#,
            "{}",
            "thought",
            "",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
        assert_eq!(thought("write_note", r#"{"thought":"so be it"}"#), None);
    }
}
