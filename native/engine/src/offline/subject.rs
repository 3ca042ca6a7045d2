//! What a question is about, as a name that stays the same from scan to scan.

use std::fmt;

/// A thing in a project that can be asked about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// What the project is and how it is laid out.
    Overview,
    /// The first example of its documentation, piece by piece.
    Usage,
    /// A type, by its key.
    Type(String),
    /// What happens when a function is called, by its key.
    Flow(String),
    /// How failures are represented and reach the caller.
    Errors,
    /// A type whose members are settings.
    Options(String),
    /// An interface and what implements it.
    Extension(String),
    /// A folder, or a file, by its path.
    Module(String),
    /// What the tests promise.
    Tests,
    /// The packages that the code is built on.
    Dependencies,
    /// A section of the README, by its path and heading.
    Section(String),
}

impl Subject {
    /// Reads what [`fmt::Display`] wrote.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let rest = rest.to_owned();
        Some(match kind {
            "overview" => Self::Overview,
            "usage" => Self::Usage,
            "symbol" => Self::Type(rest),
            "flow" => Self::Flow(rest),
            "errors" => Self::Errors,
            "options" => Self::Options(rest),
            "extension" => Self::Extension(rest),
            "module" => Self::Module(rest),
            "tests" => Self::Tests,
            "dependencies" => Self::Dependencies,
            "section" => Self::Section(rest),
            _ => return None,
        })
    }

    /// What it is about, whatever is asked of it: two subjects with one entity are about the same thing.
    pub(crate) fn entity(&self) -> String {
        match self {
            Self::Type(key) | Self::Options(key) | Self::Extension(key) => format!("symbol:{key}"),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overview => f.write_str("overview"),
            Self::Usage => f.write_str("usage"),
            Self::Type(key) => write!(f, "symbol:{key}"),
            Self::Flow(key) => write!(f, "flow:{key}"),
            Self::Errors => f.write_str("errors"),
            Self::Options(key) => write!(f, "options:{key}"),
            Self::Extension(key) => write!(f, "extension:{key}"),
            Self::Module(path) => write!(f, "module:{path}"),
            Self::Tests => f.write_str("tests"),
            Self::Dependencies => f.write_str("dependencies"),
            Self::Section(key) => write!(f, "section:{key}"),
        }
    }
}
