//! What happens in an agent's session, as the detectors hear of it, and its JSON form.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize, Serializer, de::Visitor};
use serde_json::value::RawValue;

use crate::json;

/// A piece of streamed text, in the form the host has it in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk<'a> {
    /// Whole characters.
    Utf8(Cow<'a, str>),
    /// UTF-16 code units; a chunk may end inside a surrogate pair.
    Utf16(Cow<'a, [u16]>),
}

/// A call of a tool by the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolCall<'a> {
    /// The tool's name.
    pub name: Cow<'a, str>,
    /// The arguments as JSON text. Text that is no JSON is compared as it stands.
    pub args: Cow<'a, str>,
    /// The host's id of the call, which its result repeats; without it results are paired by name and order.
    pub call_id: Option<Cow<'a, str>>,
    /// Calls of one response share it; without it, calls with nothing between them are one round.
    pub round_id: Option<Cow<'a, str>>,
}

/// What a tool answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolResult<'a> {
    /// The tool's name.
    pub name: Cow<'a, str>,
    /// What it answered, as it was before anybody shortened it.
    pub text: Cow<'a, str>,
    /// The host knows that the call failed.
    pub is_error: bool,
    /// The id of the call that this answers.
    pub call_id: Option<Cow<'a, str>>,
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event<'a> {
    /// The model is about to be asked.
    TurnStarted,
    /// A piece of the reply.
    Content(Chunk<'a>),
    /// A piece of the reasoning.
    Reasoning(Chunk<'a>),
    /// The model called a tool.
    ToolCall(ToolCall<'a>),
    /// A tool answered.
    ToolResult(ToolResult<'a>),
    /// A person (or a host on its own account) said something to the model.
    UserMessage(Cow<'a, str>),
    /// A new prompt begins.
    Reset {
        /// The host's id of the prompt that begins.
        prompt_id: Cow<'a, str>,
    },
}

/// Why a line is no event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventError {
    /// A well-formed event of a type this version does not know: skip it.
    UnknownType(String),
    /// Not JSON, or an event with a field missing or of the wrong kind; the text says which.
    Invalid(String),
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownType(name) => write!(f, "an event of the unknown type `{name}`"),
            Self::Invalid(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for EventError {}

/// Every field an event can have; which ones it needs depends on its type.
#[derive(Default, Serialize, Deserialize)]
struct Fields<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    text: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    utf16: Option<Vec<u16>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    args: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    call_id: Option<&'a RawValue>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    round_id: Option<&'a RawValue>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    prompt_id: Option<&'a RawValue>,
}

impl<'a> Event<'a> {
    /// Reads an event from its JSON form. Fields that its type does not use are ignored.
    ///
    /// A missing `args` is `{}`; `args` as a string holds the JSON text (some hosts keep it so); a `text` that is not a
    /// string is taken as its JSON text; ids may be strings or numbers. A string that ends in half a surrogate pair
    /// becomes a UTF-16 chunk.
    ///
    /// # Errors
    /// [`EventError::UnknownType`] for a type that is not known, [`EventError::Invalid`] for everything else, naming
    /// the field.
    pub fn from_json(line: &'a str) -> Result<Self, EventError> {
        let invalid = |why: String| EventError::Invalid(format!("not an event: {why}"));
        if !line.trim_start().starts_with('{') {
            return Err(invalid(
                "it must be a JSON object such as {\"type\":\"turn_started\"}".into(),
            ));
        }
        let fields: Fields<'a> = serde_json::from_str(line).map_err(|error| {
            let column = error.column();
            invalid(format!("{}, at column {column}", json::explained(&error)))
        })?;
        let Some(kind) = fields.kind else {
            return Err(EventError::Invalid("the field `type` of the event is missing".into()));
        };
        Ok(match kind.as_ref() {
            "turn_started" => Self::TurnStarted,
            "content" => Self::Content(chunk(fields.text, fields.utf16, &kind)?),
            "reasoning" => Self::Reasoning(chunk(fields.text, fields.utf16, &kind)?),
            "tool_call" => Self::ToolCall(ToolCall {
                name: fields.name.ok_or_else(|| missing("name", &kind))?,
                args: fields.args.map_or(Cow::Borrowed("{}"), plain_text),
                call_id: fields.call_id.map(plain_text),
                round_id: fields.round_id.map(plain_text),
            }),
            "tool_result" => Self::ToolResult(ToolResult {
                name: fields.name.ok_or_else(|| missing("name", &kind))?,
                text: fields.text.map_or(Cow::Borrowed(""), plain_text),
                is_error: fields.is_error.unwrap_or(false),
                call_id: fields.call_id.map(plain_text),
            }),
            "user_message" => Self::UserMessage(
                fields.text.map(plain_text).ok_or_else(|| missing("text", &kind))?,
            ),
            "reset" => {
                Self::Reset { prompt_id: fields.prompt_id.map_or(Cow::Borrowed(""), plain_text) }
            }
            other => return Err(EventError::UnknownType(other.to_owned())),
        })
    }
}

fn missing(field: &str, kind: &str) -> EventError {
    EventError::Invalid(format!("the field `{field}` of a {kind} event is missing"))
}

fn chunk<'a>(
    text: Option<&'a RawValue>,
    utf16: Option<Vec<u16>>,
    kind: &str,
) -> Result<Chunk<'a>, EventError> {
    if let Some(units) = utf16 {
        return Ok(Chunk::Utf16(Cow::Owned(units)));
    }
    let raw = text.ok_or_else(|| missing("text", kind))?.get();
    if !raw.starts_with('"') {
        return Err(EventError::Invalid(format!(
            "the field `text` of a {kind} event must be a string"
        )));
    }
    if let Ok(Borrowable(text)) = serde_json::from_str(raw) {
        return Ok(Chunk::Utf8(text));
    }
    wtf8(raw).map(|units| Chunk::Utf16(Cow::Owned(units))).ok_or_else(|| {
        EventError::Invalid(format!("the field `text` of a {kind} event is a broken string"))
    })
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Borrowable<'a>(#[serde(borrow)] Cow<'a, str>);

/// A string's text, or anything else as the JSON it is written as. Lone surrogates become U+FFFD.
fn plain_text(raw: &RawValue) -> Cow<'_, str> {
    let raw = raw.get();
    if !raw.starts_with('"') {
        return Cow::Borrowed(raw);
    }
    match serde_json::from_str::<Borrowable<'_>>(raw) {
        Ok(Borrowable(text)) => text,
        Err(_) => {
            wtf8(raw).map_or(Cow::Borrowed(raw), |u| Cow::Owned(String::from_utf16_lossy(&u)))
        }
    }
}

/// The UTF-16 code units of a JSON string that may hold lone surrogates.
fn wtf8(raw: &str) -> Option<Vec<u16>> {
    struct Bytes;
    impl Visitor<'_> for Bytes {
        type Value = Vec<u16>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }
        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u16>, E> {
            Ok(units_of(bytes))
        }
    }
    let mut reader = serde_json::Deserializer::from_str(raw);
    serde::Deserializer::deserialize_bytes(&mut reader, Bytes).ok()
}

/// Decodes UTF-8 in which surrogates are written as if they were characters.
fn units_of(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    for piece in bytes.utf8_chunks() {
        units.extend(piece.valid().encode_utf16());
    }
    // `utf8_chunks` splits a surrogate's three bytes; the slow path below is for texts that hold one.
    if bytes.utf8_chunks().all(|piece| piece.invalid().is_empty()) {
        return units;
    }
    units.clear();
    let mut rest = bytes;
    loop {
        match rest {
            [0xED, b @ 0xA0..=0xBF, c @ 0x80..=0xBF, tail @ ..] => {
                units.push(0xD000 | (u16::from(b & 0x3F) << 6) | u16::from(c & 0x3F));
                rest = tail;
            }
            [] => return units,
            [first, ..] => {
                let length = match first {
                    0xF0.. => 4,
                    0xE0.. => 3,
                    0xC0.. => 2,
                    _ => 1,
                };
                let (character, tail) = rest.split_at(length.min(rest.len()));
                units.extend(String::from_utf8_lossy(character).encode_utf16());
                rest = tail;
            }
        }
    }
}

impl Serialize for Event<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = |json: String| RawValue::from_string(json).map_err(serde::ser::Error::custom);
        let quote =
            |text: &str| raw(serde_json::to_string(text).map_err(serde::ser::Error::custom)?);
        let optional = |text: &Option<Cow<'_, str>>| text.as_deref().map(quote).transpose();
        let (text, args, call_id, round_id, prompt_id);
        let mut fields = Fields::default();
        let kind = match self {
            Self::TurnStarted => "turn_started",
            Self::Content(Chunk::Utf16(units)) | Self::Reasoning(Chunk::Utf16(units)) => {
                fields.utf16 = Some(units.to_vec());
                if matches!(self, Self::Content(_)) { "content" } else { "reasoning" }
            }
            Self::Content(Chunk::Utf8(chunk)) => {
                text = quote(chunk)?;
                fields.text = Some(&text);
                "content"
            }
            Self::Reasoning(Chunk::Utf8(chunk)) => {
                text = quote(chunk)?;
                fields.text = Some(&text);
                "reasoning"
            }
            Self::ToolCall(call) => {
                // Text that is no JSON goes out as a string, and comes back as the same text.
                args = match raw(call.args.clone().into_owned()) {
                    Ok(json) if !json.get().starts_with('"') => json,
                    _ => quote(&call.args)?,
                };
                (call_id, round_id) = (optional(&call.call_id)?, optional(&call.round_id)?);
                fields.name = Some(Cow::Borrowed(&call.name));
                fields.args = Some(&args);
                fields.call_id = call_id.as_deref();
                fields.round_id = round_id.as_deref();
                "tool_call"
            }
            Self::ToolResult(result) => {
                (text, call_id) = (quote(&result.text)?, optional(&result.call_id)?);
                fields.name = Some(Cow::Borrowed(&result.name));
                fields.text = Some(&text);
                fields.is_error = Some(result.is_error);
                fields.call_id = call_id.as_deref();
                "tool_result"
            }
            Self::UserMessage(message) => {
                text = quote(message)?;
                fields.text = Some(&text);
                "user_message"
            }
            Self::Reset { prompt_id: id } => {
                prompt_id = quote(id)?;
                fields.prompt_id = Some(&prompt_id);
                "reset"
            }
        };
        fields.kind = Some(Cow::Borrowed(kind));
        fields.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_written_alike() {
        for line in [
            r#"{"type":"turn_started"}"#,
            r#"{"type":"content","text":"a\nb"}"#,
            r#"{"type":"reasoning","text":"想"}"#,
            r#"{"type":"content","utf16":[55357]}"#,
            r#"{"type":"tool_call","name":"read","args":{"path":"a"}}"#,
            r#"{"type":"tool_call","name":"read","args":{},"call_id":"c","round_id":"r"}"#,
            r#"{"type":"tool_result","name":"read","text":"x","is_error":false}"#,
            r#"{"type":"tool_result","name":"read","text":"x","is_error":true,"call_id":"c"}"#,
            r#"{"type":"user_message","text":"go on"}"#,
            r#"{"type":"reset","prompt_id":"p1"}"#,
        ] {
            let event = Event::from_json(line).unwrap();
            let written = serde_json::to_string(&event).unwrap();
            assert_eq!(written, line);
            assert_eq!(Event::from_json(&written).unwrap(), event);
        }
    }

    #[test]
    fn an_unknown_type_is_told_apart_from_a_broken_line() {
        assert_eq!(
            Event::from_json(r#"{"type":"compaction"}"#),
            Err(EventError::UnknownType("compaction".into()))
        );
        for (line, word) in [
            ("{", "EOF"),
            ("[]", "a JSON object"),
            (r#"{"type":5}"#, "number 5, expected a string, at column"),
            (r#"{"type":"content","utf16":["a"]}"#, "expected a whole number"),
            (r#"{"type":"content","type":"content","text":"a"}"#, "twice"),
            (r#"{"text":"x"}"#, "`type`"),
            (r#"{"type":"tool_call"}"#, "`name`"),
            (r#"{"type":"content"}"#, "`text`"),
            (r#"{"type":"content","text":3}"#, "`text`"),
            (r#"{"type":"tool_result","text":"x"}"#, "`name`"),
        ] {
            match Event::from_json(line) {
                Err(EventError::Invalid(why)) => {
                    assert!(why.contains(word) && !why.contains("struct"), "{line}: {why}");
                }
                other => panic!("{line}: {other:?}"),
            }
        }
    }

    #[test]
    fn half_a_surrogate_pair_becomes_utf16() {
        let event = Event::from_json(r#"{"type":"content","text":"a想\ud83d"}"#).unwrap();
        assert_eq!(event, Event::Content(Chunk::Utf16(vec![0x61, 0x60f3, 0xd83d].into())));
    }

    #[test]
    fn arguments_in_a_string_and_results_that_are_objects_are_read() {
        let Event::ToolCall(call) =
            Event::from_json(r#"{"type":"tool_call","name":"x","args":"{\"a\":1}"}"#).unwrap()
        else {
            panic!("no call")
        };
        assert_eq!(call.args, r#"{"a":1}"#);
        let Event::ToolResult(result) =
            Event::from_json(r#"{"type":"tool_result","name":"x","text":{"ok":true}}"#).unwrap()
        else {
            panic!("no result")
        };
        assert_eq!(result.text, r#"{"ok":true}"#);
    }
}
