//! Questions the engine asks itself, and the map of what is worth asking.

use serde::{Deserialize, Deserializer, Serialize};

/// What kind of understanding a question is after.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
pub enum QuestionType {
    /// Rules of the business.
    BusinessLogic,
    /// How the code is laid out.
    CodeStructure,
    /// Where data comes from and goes to.
    DataFlow,
    /// What depends on what.
    Dependency,
    /// Patterns in use.
    DesignPattern,
    /// How things fail and recover.
    ErrorHandling,
    /// Speed and memory.
    Performance,
    /// Trust and secrets.
    Security,
    /// How it is tested.
    Testing,
    /// What can be set.
    Configuration,
    /// Anything else; also every type this version doesn't know.
    #[default]
    Other,
}

impl QuestionType {
    /// Every type, in the order of the specification.
    pub const ALL: [Self; 11] = [
        Self::BusinessLogic,
        Self::CodeStructure,
        Self::DataFlow,
        Self::Dependency,
        Self::DesignPattern,
        Self::ErrorHandling,
        Self::Performance,
        Self::Security,
        Self::Testing,
        Self::Configuration,
        Self::Other,
    ];

    /// The type a model meant: `error_handling`, `Error Handling` and `ErrorHandling` are one; unknown is `Other`.
    pub fn from_label(label: &str) -> Self {
        let plain = |s: &str| -> String {
            s.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let wanted = plain(label);
        Self::ALL.into_iter().find(|t| plain(&format!("{t:?}")) == wanted).unwrap_or_default()
    }
}

impl<'de> Deserialize<'de> for QuestionType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from_label(&String::deserialize(deserializer)?))
    }
}

/// The four levels of understanding, each the ground for the next.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Structure, stack, build, configuration.
    #[default]
    Foundation,
    /// Terms, entities, flows of the subject.
    Domain,
    /// Patterns, data flow, interaction, error handling.
    Implementation,
    /// What is special, reusable, risky.
    Practices,
}

impl Level {
    /// Every level, from the ground up.
    pub const ALL: [Self; 4] =
        [Self::Foundation, Self::Domain, Self::Implementation, Self::Practices];
}

/// One thing that can be learnt: a cell of the coverage map.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Topic {
    /// Its level.
    pub level: Level,
    /// The module it belongs to (a folder relative to the root, `/`-separated; empty for the whole project).
    pub module: String,
    /// What it is about, unique in the project, for example `symbol:src/lib.rs#Engine` or `overview`.
    pub subject: String,
}

/// A question, as a reasoner proposes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The question itself.
    pub question: String,
    /// Its type.
    #[serde(rename = "type", default)]
    pub question_type: QuestionType,
    /// 1 (can wait) to 10 (first). What lies beyond, as models write, is taken for the nearest of these.
    #[serde(default = "default_priority", deserialize_with = "nearest_priority")]
    pub priority: u8,
    /// Why it is worth asking.
    #[serde(default)]
    pub reason: String,
    /// Names of tools that may help.
    #[serde(default)]
    pub suggested_tools: Vec<String>,
    /// What the answer should contain.
    #[serde(default)]
    pub expected_outcome: String,
    /// Its place in the coverage map.
    #[serde(default)]
    pub topic: Option<Topic>,
}

fn default_priority() -> u8 {
    5
}

fn nearest_priority<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let given = f64::deserialize(deserializer)?;
    // Within the range no cast can lose anything but a fraction.
    Ok(given.clamp(1.0, 10.0) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_understood_however_a_model_writes_it_and_an_unknown_one_is_other() {
        for label in ["ErrorHandling", "error_handling", "Error handling", "ERROR-HANDLING"] {
            assert_eq!(QuestionType::from_label(label), QuestionType::ErrorHandling);
        }
        assert_eq!(QuestionType::from_label("philosophy"), QuestionType::Other);
        for t in QuestionType::ALL {
            let json = serde_json::to_string(&t).unwrap();
            assert_eq!(serde_json::from_str::<QuestionType>(&json).unwrap(), t);
        }
    }

    #[test]
    fn a_bare_question_is_enough() {
        let question: Question = serde_json::from_str(r#"{"question":"Why?"}"#).unwrap();
        assert_eq!((question.priority, question.question_type), (5, QuestionType::Other));
    }

    #[test]
    fn a_priority_beyond_the_scale_is_its_end() {
        for (given, taken) in
            [("-1", 1), ("0", 1), ("7", 7), ("9.5", 9), ("1000", 10), ("1e30", 10)]
        {
            let json = format!(r#"{{"question":"Why?","priority":{given}}}"#);
            assert_eq!(serde_json::from_str::<Question>(&json).unwrap().priority, taken, "{given}");
        }
    }
}
