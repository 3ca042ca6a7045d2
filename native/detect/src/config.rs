//! The configuration of a service: default, then by the model's name, then by the tool's name.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    calls::CallConfig,
    json::{self, Unique},
    judge::JudgeConfig,
    ladder::LadderConfig,
    pattern,
    reference::{
        CheckpointsConfig, GeminiCallsConfig, GeminiContentConfig, QwenCallsConfig,
        QwenContentConfig,
    },
    semantic::SemanticConfig,
    service::MessagesConfig,
    text::TextConfig,
};

/// Whose rules apply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The project's own rules, on tool calls, content and reasoning.
    #[default]
    Adaptive,
    /// gemini-cli's rules, on tool calls and content.
    GeminiCli,
    /// qwen-code's rules, on tool calls and content.
    QwenCode,
    /// The checkpoint rule, on reasoning alone.
    Checkpoints,
}

impl Profile {
    /// All of them, the default first.
    pub const ALL: [Self; 4] = [Self::Adaptive, Self::GeminiCli, Self::QwenCode, Self::Checkpoints];

    /// The name, as in configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adaptive => "adaptive",
            Self::GeminiCli => "gemini-cli",
            Self::QwenCode => "qwen-code",
            Self::Checkpoints => "checkpoints",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Profile {
    type Err = ConfigError;

    fn from_str(name: &str) -> Result<Self, ConfigError> {
        Self::ALL.into_iter().find(|profile| profile.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            ConfigError::new("profile", format!("`{name}` is none of {names}"))
        })
    }
}

/// Everything that can be set. Each section is described by its own type.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Whose rules apply.
    pub profile: Profile,
    /// The adaptive rules for content and reasoning.
    pub text: TextConfig,
    /// The adaptive rules for tool calls.
    pub calls: CallConfig,
    /// The adaptive rule for messages of turns without tool calls.
    pub messages: MessagesConfig,
    /// gemini-cli's rule for content.
    pub gemini_content: GeminiContentConfig,
    /// gemini-cli's rule for tool calls.
    pub gemini_calls: GeminiCallsConfig,
    /// qwen-code's rule for content.
    pub qwen_content: QwenContentConfig,
    /// qwen-code's rule for tool calls.
    pub qwen_calls: QwenCallsConfig,
    /// The checkpoint rule.
    pub checkpoints: CheckpointsConfig,
    /// What follows from a detection.
    pub ladder: LadderConfig,
    /// The model as judge.
    pub judge: JudgeConfig,
    /// Meaning that goes in circles, by a model's vectors; for the adaptive profile.
    pub semantic: SemanticConfig,
    /// Whether a service keeps the end of each text, so that its state can go on with it (32 to 64 KiB a channel).
    pub resumable: bool,
    /// Settings for models by name, later ones over earlier ones.
    pub models: Vec<ModelLayer>,
    /// Thresholds for tools by name; the first match counts. `calls` is laid over the thresholds above.
    pub tools: Vec<ToolLayer>,
}

/// A configuration that is known to be valid, with its layers for tools worked out. Services that share one are made
/// without checking it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedConfig {
    config: Config,
    by_tool: Vec<(String, CallConfig)>,
}

impl CheckedConfig {
    /// Checks a configuration.
    ///
    /// # Errors
    /// As [`Config::validate`].
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        config.validate()?;
        let by_tool = config.tool_calls()?;
        Ok(Self { config, by_tool })
    }

    /// The thresholds for tools, by pattern.
    pub(crate) fn by_tool(&self) -> &[(String, CallConfig)] {
        &self.by_tool
    }
}

impl std::ops::Deref for CheckedConfig {
    type Target = Config;

    fn deref(&self) -> &Config {
        &self.config
    }
}

/// What is different for some models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelLayer {
    /// The models' name; `*` stands for anything.
    pub pattern: String,
    /// Any part of a configuration but `models`.
    pub set: Map<String, Value>,
}

/// What is different for some tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolLayer {
    /// The tools' name; `*` stands for anything.
    pub pattern: String,
    /// Any part of [`CallConfig`].
    pub calls: Map<String, Value>,
}

/// A configuration that can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    field: String,
    problem: String,
}

impl ConfigError {
    fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }

    fn below(self, place: &str) -> Self {
        let field = if self.field.is_empty() {
            place.to_owned()
        } else {
            format!("{place}.{}", self.field)
        };
        Self { field, ..self }
    }

    /// Where the problem is, as a path such as `tools[0].calls`.
    pub fn field(&self) -> &str {
        &self.field
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() {
            return write!(f, "the configuration: {}", self.problem);
        }
        write!(f, "the configuration's `{}`: {}", self.field, self.problem)
    }
}

impl std::error::Error for ConfigError {}

impl Config {
    /// The defaults of a profile.
    pub fn for_profile(profile: Profile) -> Self {
        Self { profile, ..Self::default() }
    }

    /// Reads a configuration, of which anything may be left out. A byte order mark before it is no part of it.
    ///
    /// # Errors
    /// For text that is no JSON, a key that occurs twice, an unknown field, a value of the wrong kind or out of its range, and values that
    /// contradict each other; the error names the field, the value and what is allowed.
    pub fn from_json(text: &str) -> Result<Self, ConfigError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let Unique(value) = serde_json::from_str(text).map_err(|error| {
            let problem = if error.is_data() { "" } else { "not JSON: " };
            ConfigError::new("", format!("{problem}{error}"))
        })?;
        let config = overlaid(&Self::default(), &value)?;
        config.validate()?;
        Ok(config)
    }

    /// The configuration for one model: every layer whose pattern fits is laid over this one, in order.
    ///
    /// # Errors
    /// If a layer has a field or a value that is not allowed.
    pub fn for_model(&self, model: &str) -> Result<Self, ConfigError> {
        let mut config = Self { models: Vec::new(), ..self.clone() };
        for (at, layer) in self.models.iter().enumerate() {
            if pattern::fits(&layer.pattern, model) {
                config = layer
                    .over(&config)
                    .map_err(|error| error.below(&format!("models[{at}].set")))?;
            }
        }
        config.validate()?;
        Ok(config)
    }

    /// The thresholds for tools, by pattern.
    ///
    /// # Errors
    /// If a layer has a field or a value that is not allowed.
    pub fn tool_calls(&self) -> Result<Vec<(String, CallConfig)>, ConfigError> {
        let layers = self.tools.iter().enumerate().map(|(at, layer)| {
            let place = format!("tools[{at}]");
            named(&layer.pattern).map_err(|error| error.below(&place))?;
            let calls = overlaid(&self.calls, &Value::Object(layer.calls.clone()))
                .and_then(|calls: CallConfig| {
                    calls.validate().map_err(|problem| ConfigError::new("", problem))?;
                    Ok(calls)
                })
                .map_err(|error| error.below(&format!("{place}.calls")))?;
            Ok((layer.pattern.clone(), calls))
        });
        layers.collect()
    }

    /// Checks every value, and that none contradicts another; layers are checked on top of this configuration.
    ///
    /// # Errors
    /// Naming the field, the value and what is allowed.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let sections = [
            ("text", self.text.validate()),
            ("calls", self.calls.validate()),
            ("messages", self.messages.validate()),
            ("gemini_content", self.gemini_content.validate()),
            ("gemini_calls", self.gemini_calls.validate()),
            ("qwen_content", self.qwen_content.validate()),
            ("qwen_calls", self.qwen_calls.validate()),
            ("checkpoints", self.checkpoints.validate()),
            ("ladder", self.ladder.validate()),
            ("judge", self.judge.validate()),
            ("semantic", self.semantic.validate()),
        ];
        for (section, outcome) in sections {
            outcome.map_err(|problem| ConfigError::new(section, problem))?;
        }
        self.tool_calls()?;
        for (at, layer) in self.models.iter().enumerate() {
            let place = format!("models[{at}]");
            named(&layer.pattern).map_err(|error| error.below(&place))?;
            layer
                .over(&Self { models: Vec::new(), ..self.clone() })
                .and_then(|config| config.validate())
                .map_err(|error| error.below(&format!("{place}.set")))?;
        }
        Ok(())
    }
}

impl ModelLayer {
    fn over(&self, config: &Config) -> Result<Config, ConfigError> {
        if self.set.contains_key("models") {
            return Err(ConfigError::new("models", "layers can't be nested"));
        }
        overlaid(config, &Value::Object(self.set.clone()))
    }
}

fn named(pattern: &str) -> Result<(), ConfigError> {
    if pattern.is_empty() {
        return Err(ConfigError::new("pattern", "it is empty; use `*` for every name"));
    }
    Ok(())
}

/// `base` with the fields that `changes` holds.
fn overlaid<T: Serialize + for<'a> Deserialize<'a>>(
    base: &T,
    changes: &Value,
) -> Result<T, ConfigError> {
    if !changes.is_object() {
        return Err(ConfigError::new("", "it must be an object"));
    }
    let base =
        serde_json::to_value(base).map_err(|error| ConfigError::new("", error.to_string()))?;
    only_objects_over_objects(&base, changes)?;
    let mut whole = base.clone();
    merge(&mut whole, changes);
    serde_json::from_value(whole).map_err(|error| {
        let read = |value| serde_json::from_value::<T>(value).err().map(|e| json::explained(&e));
        locate(&base, changes, &read)
            .unwrap_or_else(|| ConfigError::new("", json::explained(&error)))
    })
}

/// A section can't be replaced by something else: an array would be taken for its fields in their order.
fn only_objects_over_objects(base: &Value, changes: &Value) -> Result<(), ConfigError> {
    let (Some(base), Some(changes)) = (base.as_object(), changes.as_object()) else {
        return Ok(());
    };
    for (key, change) in changes {
        let Some(section) = base.get(key).filter(|section| section.is_object()) else {
            continue;
        };
        if !change.is_object() {
            return Err(ConfigError::new(key.clone(), "it must be an object"));
        }
        only_objects_over_objects(section, change).map_err(|error| error.below(key))?;
    }
    Ok(())
}

/// Lays `changes` over `target`, object by object; arrays are replaced.
fn merge(target: &mut Value, changes: &Value) {
    match (target, changes) {
        (Value::Object(target), Value::Object(changes)) => {
            for (key, change) in changes {
                match target.get_mut(key) {
                    Some(slot) if slot.is_object() && change.is_object() => merge(slot, change),
                    _ => {
                        target.insert(key.clone(), change.clone());
                    }
                }
            }
        }
        (target, changes) => *target = changes.clone(),
    }
}

/// Which of the changes can't be read, by trying each alone.
fn locate(
    base: &Value,
    changes: &Value,
    read: &dyn Fn(Value) -> Option<String>,
) -> Option<ConfigError> {
    for (key, change) in changes.as_object()? {
        let alone = Value::Object(Map::from_iter([(key.clone(), change.clone())]));
        let mut whole = base.clone();
        merge(&mut whole, &alone);
        let Some(problem) = read(whole) else {
            continue;
        };
        let inner = base.get(key).filter(|slot| slot.is_object()).and_then(|slot| {
            let read_inner = |value: Value| {
                let mut whole = base.clone();
                if let Some(place) = whole.get_mut(key) {
                    *place = value;
                }
                read(whole)
            };
            locate(slot, change, &read_inner)
        });
        return Some(match inner {
            Some(error) => error.below(key),
            None => {
                let mut shown = change.to_string();
                shown.truncate(shown.floor_char_boundary(60));
                ConfigError::new(key.clone(), format!("{shown} can't be used: {problem}"))
            }
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid_and_survive_a_round_trip() {
        for profile in Profile::ALL {
            let config = Config::for_profile(profile);
            config.validate().unwrap();
            let text = serde_json::to_string(&config).unwrap();
            assert_eq!(Config::from_json(&text).unwrap(), config);
            assert_eq!(profile.name().parse::<Profile>().unwrap(), profile);
        }
        assert_eq!(Config::from_json("{}").unwrap(), Config::default());
        assert_eq!(Config::from_json("\u{feff}{}").unwrap(), Config::default());
    }

    #[test]
    fn errors_name_the_field_and_what_is_allowed() {
        for (text, words) in [
            (r#"{"calls":{"identical":1}}"#, &["calls", "`identical` is 1", "3 to 1000"][..]),
            (r#"{"calls":{"identical":"x"}}"#, &["calls.identical", "\"x\"", "whole number"]),
            (r#"{"calls":{"identicall":5}}"#, &["calls.identicall", "unknown field"]),
            (r#"{"speed":5}"#, &["speed", "unknown field"]),
            (r#"{"profile":"fast"}"#, &["profile", "fast", "adaptive"]),
            (r#"{"calls":{"polls":4,"identical":5}}"#, &["contradict", "polls"]),
            (r#"{"calls":{"max_calls":2}}"#, &["contradict", "max_calls"]),
            (r#"{"ladder":{"levels":["stop","hint"]}}"#, &["ladder", "descend"]),
            (
                r#"{"semantic":{"similarity":0.1}}"#,
                &["semantic", "`similarity` is 0.1", "0.5 to 1"],
            ),
            (r#"{"tools":[{"pattern":"","calls":{}}]}"#, &["tools[0].pattern", "empty"]),
            (
                r#"{"tools":[{"pattern":"x","calls":{"polls":2}}]}"#,
                &["tools[0].calls", "`polls` is 2"],
            ),
            (
                r#"{"models":[{"pattern":"m","set":{"calls":{"nope":2}}}]}"#,
                &["models[0].set.calls.nope"],
            ),
            (
                r#"{"models":[{"pattern":"m","set":{"models":[]}}]}"#,
                &["models[0].set.models", "nested"],
            ),
            ("[]", &["object"]),
            ("{", &["not JSON", "line 1"]),
            (r#"{"calls":[]}"#, &["`calls`", "an object"]),
            (r#"{"calls":{"identical":"a"}}"#, &["calls.identical", "expected a whole number"]),
            (r#"{"models":[[]]}"#, &["models", "an array, expected an object"]),
            (
                "{\"calls\":{\"identical\":5,\n\"identical\":6}}",
                &["the key `identical` occurs twice at line 2"],
            ),
            (
                r#"{"tools":[{"pattern":"a","pattern":"b","calls":{}}]}"#,
                &["`pattern` occurs twice"],
            ),
        ] {
            let error = Config::from_json(text).unwrap_err().to_string();
            for word in words {
                assert!(error.contains(word), "{text}: {error}");
            }
        }
    }

    #[test]
    fn layers_lie_over_each_other() {
        let config = Config::from_json(
            r#"{"calls":{"identical":7},
                "models":[{"pattern":"gpt-*","set":{"calls":{"pair_rounds":6}}},
                          {"pattern":"*-mini","set":{"calls":{"pair_rounds":3}}}],
                "tools":[{"pattern":"poll_*","calls":{"identical":9}}]}"#,
        )
        .unwrap();
        let for_model = |name: &str| config.for_model(name).unwrap().calls;
        assert_eq!((for_model("x").identical, for_model("x").pair_rounds), (7, 4));
        assert_eq!(for_model("gpt-5").pair_rounds, 6);
        assert_eq!(for_model("gpt-5-mini").pair_rounds, 3);
        let tools = config.for_model("gpt-5").unwrap().tool_calls().unwrap();
        assert_eq!((tools[0].1.identical, tools[0].1.pair_rounds), (9, 6));
    }
}
