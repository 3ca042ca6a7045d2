//! The messages of `tests/fixtures/wire`, which the Kotlin tests read too.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails here says where"
)]

use std::{fmt::Debug, fs, path::PathBuf};

use ouro::{
    error::BridgeError,
    request::{Backoff, Request},
    wire::{
        Answer, CheckEndpoint, EndpointReport, OpenRequest, ProjectEvent, ProjectStats, read, write,
    },
};
use ouro_core::{EvolutionLog, FailureRecord, LearningRecord, ToolResult};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

fn golden(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/wire")
        .join(format!("{name}.json"));
    let text = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap()
}

fn understood<T: DeserializeOwned>(message: &Value) -> Result<T, BridgeError> {
    read("the message", message.to_string().as_bytes())
}

fn asked(request: &Value) -> Result<Request, BridgeError> {
    Request::read(request.to_string().as_bytes())
}

/// Removes what says nothing: a reader treats `null` as a field that was left out.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let given = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(given.map(|(name, value)| (name, without_nulls(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        value => value,
    }
}

/// Reads a message and writes it again: nothing is lost and nothing added.
fn same<T: DeserializeOwned + Serialize>(message: &Value) {
    let read: T = understood(message).unwrap_or_else(|error| panic!("{error}: {message}"));
    let written: Value = serde_json::from_slice(&write(&read).unwrap()).unwrap();
    assert_eq!(without_nulls(written), without_nulls(message.clone()));
}

/// The message with a field that is not known at each of its levels.
fn newer(message: &Value) -> Value {
    match message {
        Value::Object(fields) => {
            let mut fields: Map<_, _> =
                fields.iter().map(|(name, value)| (name.clone(), newer(value))).collect();
            fields.insert("from_the_future".into(), json!({ "a": 1 }));
            Value::Object(fields)
        }
        Value::Array(items) => Value::Array(items.iter().map(newer).collect()),
        value => value.clone(),
    }
}

fn check<T: DeserializeOwned + Serialize + PartialEq + Debug>(name: &str) {
    let message = golden(name);
    same::<T>(&message);
    for field in golden("required")[name].as_array().unwrap() {
        let mut message = message.clone();
        let field = field.as_str().unwrap();
        assert!(message.as_object_mut().unwrap().remove(field).is_some(), "{name}: {field}");
        let error = understood::<T>(&message).unwrap_err();
        assert!(error.message.contains(&format!("`{field}`")), "{name}: {error}");
    }
}

#[test]
fn every_message_is_read_and_written_as_agreed_and_names_what_is_missing() {
    check::<OpenRequest>("open_request");
    check::<CheckEndpoint>("endpoint_request");
    check::<EndpointReport>("endpoint_report");
    check::<ProjectStats>("stats");
    check::<LearningRecord>("record");
    check::<FailureRecord>("failure");
    check::<EvolutionLog>("log");
    check::<ToolResult>("tool_result");
    check::<Answer>("answer");
    check::<Backoff>("backoff");
}

#[test]
fn every_event_is_read_and_written_as_agreed() {
    golden("events").as_array().unwrap().iter().for_each(same::<ProjectEvent>);
}

#[test]
fn every_request_is_read_as_agreed() {
    for request in golden("requests").as_array().unwrap() {
        match understood(request).unwrap_or_else(|error| panic!("{error}: {request}")) {
            // What is left out of the settings has a default.
            Request::Configure(settings) => assert_eq!(settings.evolution.interval_ms, 1_000),
            _ => same::<Request>(request),
        }
    }
}

#[test]
fn what_is_missing_or_wrong_in_a_request_is_named() {
    // Any JSON will do for a tool's arguments and for what was being done.
    let free = ["arguments", "context"];
    let mut missing = 0;
    for request in golden("requests").as_array().unwrap() {
        let fields = request.as_object().unwrap();
        for field in fields.keys() {
            let mut without = fields.clone();
            without.remove(field);
            if let Err(error) = asked(&Value::Object(without)) {
                assert!(error.message.contains(&format!("`{field}`")), "{request}: {error}");
                missing += 1;
            }
            if !free.contains(&field.as_str()) {
                let mut wrong = fields.clone();
                wrong.insert(field.clone(), json!([[]]));
                let error = asked(&Value::Object(wrong)).unwrap_err();
                assert_eq!(error.code, "invalid_input", "{request} with a wrong {field}");
                let named = error.message.contains(&format!("`{field}`"));
                assert!(named || ["op", "guard"].contains(&field.as_str()), "{request}: {error}");
            }
        }
    }
    assert!(missing > 40, "{missing}");
}

#[test]
fn what_a_newer_host_says_besides_is_ignored() {
    let request = golden("open_request");
    let mut with_more = newer(&request);
    // A JSON Schema is the host's own affair, and thresholds the detectors'; both are handed on as they are.
    with_more["tools"] = request["tools"].clone();
    with_more["settings"]["detection"] = request["settings"]["detection"].clone();
    assert_eq!(understood::<OpenRequest>(&with_more), understood(&request));
    for request in golden("requests").as_array().unwrap() {
        understood::<Request>(&newer(request)).unwrap();
    }
}

#[test]
fn a_wrong_value_is_named_by_its_path() {
    let wrong = |at: &str, field: &str, value: Value| {
        let mut request = golden("open_request");
        request.pointer_mut(at).unwrap()[field] = value;
        let error = understood::<OpenRequest>(&request).unwrap_err();
        assert_eq!(error.code, "invalid_input");
        error.message
    };
    let message = wrong("/settings/evolution", "interval_ms", json!("soon"));
    assert!(
        message.contains("`settings.evolution`") && message.contains("`interval_ms`"),
        "{message}"
    );
    let message = wrong("/settings", "model", json!({ "model": "qwen3" }));
    assert!(message.contains("`settings.model`") && message.contains("`base_url`"), "{message}");
    let unknown = asked(&json!({ "op": "fly" })).unwrap_err();
    assert!(unknown.message.contains("`fly`"), "{unknown}");
    let negative = asked(&json!({ "op": "records", "limit": -1 })).unwrap_err();
    assert!(negative.message.contains("at `limit`: invalid value"), "{negative}");
}
