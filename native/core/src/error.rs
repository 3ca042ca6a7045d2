//! One small error for every library of the workspace: its kind tells the caller what to do.

use std::{error::Error as StdError, fmt, time::Duration};

use crate::{Language, TokenUsage};

/// A result with the workspace's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What the caller can do about an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input or the configuration is wrong: mend it, don't retry.
    InvalidInput,
    /// What was asked for doesn't exist.
    NotFound,
    /// Access was refused (a key, a permission, a path outside the project).
    Refused,
    /// Another process holds the resource: wait for it or stop it.
    InUse,
    /// The other side is down or overloaded: retry after a pause.
    Unavailable,
    /// The other side asked for a pause: retry after [`Error::retry_after`].
    RateLimited,
    /// A time limit passed: retry after a pause.
    Timeout,
    /// The other side answered with something that can't be used.
    BadReply,
    /// Stored data is damaged.
    Damaged,
    /// Data was written by a newer version: update Ouro.
    TooNew,
    /// No space, or the medium can't be written.
    Storage,
    /// The work was cancelled on purpose.
    Cancelled,
    /// A defect of Ouro.
    Internal,
}

/// An error with a kind, one sentence for a person, and its cause.
///
/// The message says what, where and how to mend it. It never holds keys, prompts or user code.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    chinese: Option<Box<str>>,
    retry_after: Option<Duration>,
    spent: TokenUsage,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// An error of `kind` that says `message`.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            chinese: None,
            retry_after: None,
            spent: TokenUsage::default(),
            source: None,
        }
    }

    /// Wrong input: shorthand for [`ErrorKind::InvalidInput`].
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidInput, message)
    }

    /// Cancelled work: shorthand for [`ErrorKind::Cancelled`].
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, "cancelled")
    }

    /// Attaches the same message in Chinese.
    #[must_use]
    pub fn with_chinese(mut self, message: impl Into<String>) -> Self {
        self.chinese = Some(message.into().into_boxed_str());
        self
    }

    /// Speaks this language from now on, where the message is known in it.
    #[must_use]
    pub fn in_language(mut self, language: Language) -> Self {
        self.message = self.message_in(language).to_owned();
        self
    }

    /// Attaches the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Attaches the pause that the other side asked for.
    #[must_use]
    pub fn with_retry_after(mut self, pause: Duration) -> Self {
        self.retry_after = Some(pause);
        self
    }

    /// Attaches the tokens that a model spent before its reply turned out to be of no use.
    #[must_use]
    pub fn with_spent(mut self, spent: TokenUsage) -> Self {
        self.spent += spent;
        self
    }

    /// The tokens that were spent for nothing.
    pub fn spent(&self) -> TokenUsage {
        self.spent
    }

    /// What the caller can do.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// One sentence for a person, without its cause.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// As [`Error::message`], in this language where it is known in it.
    pub fn message_in(&self, language: Language) -> &str {
        match (language, &self.chinese) {
            (Language::Chinese, Some(chinese)) => chinese,
            _ => &self.message,
        }
    }

    /// The pause that the other side asked for, if it named one.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Whether the same call may succeed later without a change by the caller.
    pub fn is_retryable(&self) -> bool {
        matches!(self.kind, ErrorKind::Unavailable | ErrorKind::RateLimited | ErrorKind::Timeout)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|s| s as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_told_in_a_language_where_it_is_known_in_it() {
        let error = || Error::invalid("it is wrong").with_chinese("有误");
        assert_eq!(error().message(), "it is wrong");
        assert_eq!(error().in_language(Language::English).message(), "it is wrong");
        assert_eq!(error().in_language(Language::Chinese).message(), "有误");
        assert_eq!(Error::invalid("no").in_language(Language::Chinese).message(), "no");
    }
}
