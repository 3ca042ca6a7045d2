//! The JSON that crosses the border: requests of a host, answers to it.
//!
//! Unknown fields are ignored, so that an older library understands a newer host; a field that is missing or wrong is an
//! error that names it by its path. The version rises when a field changes its meaning or goes away.

use ouro_core::{Event, EvolutionConfig, LearningRecord, RecordId, ToolSpec};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::error::{BridgeError, Result};

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
    /// The settings of the loop; what is left out keeps its default.
    #[serde(default)]
    pub evolution: EvolutionConfig,
    /// The chat model; without one the built-in reasoner works offline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Endpoint>,
    /// The embedder; without one the built-in one works offline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedder: Option<Endpoint>,
    /// Globs of what must not be read.
    #[serde(default)]
    pub excluded: Vec<String>,
    /// The seed of the built-in reasoner.
    #[serde(default)]
    pub seed: u64,
    /// The host's tools. One with the name of a native tool replaces it.
    #[serde(default)]
    pub tools: Vec<HostToolSpec>,
}

/// Where a model is.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Endpoint {
    /// With or without `/v1`, for example `http://localhost:11434`.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// The key, if the endpoint wants one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Endpoint({} at {})", self.model, self.base_url)
    }
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

/// What [`crate::api::engine_call`] takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Request {
    /// Starts the loop and returns; where it runs already nothing happens.
    Start {
        /// Ends after so many iterations and waits out pauses of up to a minute; without it the loop goes on until it
        /// is stopped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        iterations: Option<u32>,
    },
    /// Stops the loop and returns when it has ended, within two seconds.
    Stop,
    /// Waits until the loop has ended; why, or `null` when it has not by then.
    Wait {
        /// Longest wait, milliseconds.
        timeout_ms: u64,
    },
    /// Says that files of the project changed.
    ProjectChanged,
    /// How things stand: [`ouro_core::EvolutionStats`].
    Stats,
    /// A page of records, newest first.
    Records {
        /// Only records older than this one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<RecordId>,
        /// At most so many; 0 means all.
        #[serde(default)]
        limit: usize,
    },
    /// The records that fit words best.
    Search {
        /// The words.
        query: String,
    },
    /// Changes a record's marks.
    MarkRecord {
        /// Which one.
        id: RecordId,
        /// Whether it is kept at the top; left as it is without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pinned: Option<bool>,
        /// The user's own words, which outrank the answer; left as they are without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        correction: Option<String>,
    },
    /// Removes a record.
    DeleteRecord {
        /// Which one.
        id: RecordId,
    },
    /// The failure records, newest first.
    Failures,
    /// Forgets a failure, so that it may be tried again.
    ForgetFailure {
        /// Its signature.
        signature: String,
    },
    /// The newest lines of the log, newest first.
    Log {
        /// At most so many.
        limit: usize,
    },
    /// Answers a question from what is known.
    Ask {
        /// The question.
        question: String,
    },
}

/// The answer to [`Request::Ask`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The model's answer as Markdown; `None` without a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The records that it rests on, best first.
    pub records: Vec<LearningRecord>,
    /// Places in the code, best first.
    pub code: Vec<CodePlace>,
}

/// A place in the code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CodePlace {
    /// Where.
    pub source: ouro_core::SourceRef,
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
pub fn read<T: DeserializeOwned>(what: &str, json: &[u8]) -> Result<T> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { String::new() } else { format!(" at `{path}`") };
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
pub fn write<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| {
        let kind = ouro_core::ErrorKind::Internal;
        ouro_core::Error::new(kind, format!("an answer can't be written as JSON: {error}")).into()
    })
}

/// Refuses a version that this library does not speak.
///
/// # Errors
/// `too_new` for a newer one, `invalid_input` for one that never was.
pub fn check_version(version: u32) -> Result<()> {
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
pub(crate) const NULL: Value = Value::Null;
