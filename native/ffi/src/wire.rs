//! The JSON that crosses the border; what can be asked of an engine is in [`crate::request`].
//!
//! Unknown fields are ignored, so that an older library understands a newer host; a field that is missing or wrong is an
//! error that names it by its path. The version rises when a field changes its meaning or goes away.

use std::fmt;

use ouro_core::{
    Event, EvolutionConfig, EvolutionStats, LearningRecord, SourceRef, TokenUsage, ToolSpec,
};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, Error as _},
};
use serde_json::{Map, Value};

use crate::error::BridgeError;

/// The version of every message here.
pub const SCHEMA_VERSION: u32 = 1;

/// What [`crate::api::engine_open`] takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenRequest {
    /// The version that the host speaks.
    pub schema_version: u32,
    /// The project's root folder.
    pub project_root: String,
    /// The folder of all projects' stores; the user's data folder when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_dir: Option<String>,
    /// What may be changed later with [`crate::request::Request::Configure`].
    #[serde(default)]
    pub settings: Settings,
    /// The host's tools. One with the name of a native tool replaces it.
    #[serde(default)]
    pub tools: Vec<HostToolSpec>,
}

/// A project's settings. What is left out keeps its default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The settings of the loop.
    #[serde(deserialize_with = "known_settings")]
    pub evolution: EvolutionConfig,
    /// The chat model; without one the built-in reasoner works offline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Endpoint>,
    /// The embedder; without one the built-in one works offline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedder: Option<Endpoint>,
    /// The reranker, whose model must be named; without one the ranks of the searches decide what is recalled first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker: Option<Endpoint>,
    /// Thresholds of the loop detectors that watch replies and tool calls, as a detector of its own takes them; without
    /// them the default ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detection: Option<Value>,
    /// Globs of what must not be read.
    pub excluded: Vec<String>,
    /// The seed of the built-in reasoner.
    pub seed: u64,
}

/// Reads the settings of the loop. A settings file with an unknown name in it has a typing error and is refused; a host
/// that knows more settings than this library is only newer.
fn known_settings<'de, D: Deserializer<'de>>(deserializer: D) -> Result<EvolutionConfig, D::Error> {
    let mut given = Map::deserialize(deserializer)?;
    let known = serde_json::to_value(EvolutionConfig::default()).map_err(D::Error::custom)?;
    given.retain(|name, _| known.get(name).is_some());
    serde_path_to_error::deserialize(Value::Object(given))
        .map_err(|error| D::Error::custom(format!("`{}`: {}", error.path(), error.inner())))
}

/// Where a model is.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Endpoint {
    /// With or without `/v1`, for example `http://localhost:11434`.
    pub base_url: String,
    /// The model's name; without it the endpoint must serve one model only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The key, if the endpoint wants one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
    /// Of an embedder: put in front of every text. Models of the E5 family want `query: `.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query_prefix: String,
}

impl fmt::Debug for Endpoint {
    /// Shows no key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({:?} at {})", self.model, self.base_url)
    }
}

/// What [`crate::api::check_endpoint`] takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckEndpoint {
    /// The version that the host speaks.
    pub schema_version: u32,
    /// The endpoint.
    pub endpoint: Endpoint,
}

/// What an endpoint showed of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndpointReport {
    /// The base URL as it is used.
    pub base_url: String,
    /// The model that would be used, where there is no doubt.
    pub model: Option<String>,
    /// The models it lists, sorted; empty when it keeps no list.
    pub models: Vec<String>,
    /// What may be wrong, each in a sentence with the way to mend it; empty when all is well.
    pub problems: Vec<String>,
}

/// A tool of the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostToolSpec {
    /// Its name, use and parameters.
    #[serde(flatten)]
    pub spec: ToolSpec,
    /// Longest time for one call, milliseconds; never more than what the exploration has left.
    #[serde(default = "default_tool_limit")]
    pub time_limit_ms: u64,
}

fn default_tool_limit() -> u64 {
    30_000
}

/// Whether a project's loop runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// It works or rests.
    Running,
    /// It was paused and can be resumed.
    Paused,
    /// It was never started, has ended or was stopped.
    Stopped,
}

/// The answer to [`crate::request::Request::Stats`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectStats {
    /// How things stand.
    #[serde(flatten)]
    pub stats: EvolutionStats,
    /// Whether the loop runs.
    pub run: RunState,
}

/// The answer to [`crate::request::Request::Ask`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The model's answer as Markdown; `None` without a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The files and lines that the answer rests on.
    #[serde(default)]
    pub source_files: Vec<SourceRef>,
    /// What the answer cost. The day's counters are those of evolution: this is in none of them.
    #[serde(default)]
    pub tokens: TokenUsage,
    /// The records that it rests on, best first.
    pub records: Vec<LearningRecord>,
    /// Places in the code, best first.
    pub code: Vec<CodePlace>,
    /// Where nothing is known: recorded questions that are nearest, best first.
    #[serde(default)]
    pub nearest_questions: Vec<String>,
}

/// A place in the code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CodePlace {
    /// Where.
    pub source: SourceRef,
    /// An excerpt.
    pub text: String,
}

/// An event as the host gets it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectEvent {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The key of the project that it is about.
    pub project: String,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Reads a message of the host.
///
/// # Errors
/// `invalid_input` names the field and what is wrong with it.
pub fn read<T: DeserializeOwned>(what: &str, json: &[u8]) -> Result<T, BridgeError> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        // A text that ends too early, or is no JSON at all, is wrong nowhere in particular.
        let place = match path.as_str() {
            "." | "?" => String::new(),
            path => format!(" at `{path}`"),
        };
        BridgeError::invalid(format!("{what}{place}: {}", error.inner()))
    })?;
    reader.end().map_err(|error| {
        BridgeError::invalid(format!("{what}: more than one JSON value: {error}"))
    })?;
    Ok(value)
}

/// Writes an answer.
///
/// # Errors
/// `internal` when it can't be written as JSON.
pub fn write<T: Serialize>(value: &T) -> Result<Vec<u8>, BridgeError> {
    serde_json::to_vec(value).map_err(|error| {
        let kind = ouro_core::ErrorKind::Internal;
        ouro_core::Error::new(kind, format!("an answer can't be written as JSON: {error}")).into()
    })
}

/// Refuses a version that this library does not speak.
///
/// # Errors
/// `too_new` for a newer one, `invalid_input` for one that never was.
pub fn check_version(version: u32) -> Result<(), BridgeError> {
    match version {
        SCHEMA_VERSION => Ok(()),
        newer if newer > SCHEMA_VERSION => Err(ouro_core::Error::new(
            ouro_core::ErrorKind::TooNew,
            format!(
                "schema_version is {newer}, but this library speaks {SCHEMA_VERSION}: update it"
            ),
        )
        .into()),
        _ => Err(BridgeError::invalid(format!(
            "schema_version is {version}, but must be {SCHEMA_VERSION}"
        ))),
    }
}

/// The answer that says nothing.
///
/// # Errors
/// None.
pub(crate) fn nothing() -> Result<Vec<u8>, BridgeError> {
    Ok(b"null".to_vec())
}
