//! What a host learns about a failure: a code to branch on and a sentence for a person.

use std::{error::Error as _, fmt, time::Duration};

use ouro_core::ErrorKind;
use serde::{Deserialize, Serialize};

/// A result at the border.
pub type Result<T> = std::result::Result<T, BridgeError>;

/// A failure as it crosses the border.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BridgeError {
    /// The name of an [`ErrorKind`] (`invalid_input`, `not_found`, ...), or [`CLOSED`] or [`PANIC`].
    pub code: String,
    /// What, where, and how to mend it, with the causes.
    pub message: String,
    /// The pause that the other side asked for, milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Whether the same call may succeed later without a change by the caller.
    #[serde(default)]
    pub retryable: bool,
}

/// The code of a handle that is closed, of another kind, or was never given out.
pub const CLOSED: &str = "closed";

/// The code of a defect that was caught.
pub const PANIC: &str = "panic";

impl BridgeError {
    /// Wrong input.
    pub fn invalid(message: impl Into<String>) -> Self {
        ouro_core::Error::invalid(message).into()
    }

    /// Something that doesn't exist.
    pub(crate) fn not_found(message: String) -> Self {
        ouro_core::Error::new(ErrorKind::NotFound, message).into()
    }

    /// A handle that leads nowhere.
    pub(crate) fn closed(what: &str, handle: u64) -> Self {
        Self {
            code: CLOSED.into(),
            message: format!("{what} {handle} is closed, or never was one"),
            retry_after_ms: None,
            retryable: false,
        }
    }

    /// A caught panic.
    pub(crate) fn panic(message: String) -> Self {
        Self {
            code: PANIC.into(),
            message: format!("a defect in Ouro: {message}"),
            retry_after_ms: None,
            retryable: false,
        }
    }
}

impl From<ouro_core::Error> for BridgeError {
    fn from(error: ouro_core::Error) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let text = cause.to_string();
            if !message.contains(&text) {
                message.push_str(": ");
                message.push_str(&text);
            }
            source = cause.source();
        }
        Self {
            code: code(error.kind()),
            message,
            retry_after_ms: error
                .retry_after()
                .map(|pause| u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)),
            retryable: error.is_retryable(),
        }
    }
}

impl From<BridgeError> for ouro_core::Error {
    /// A code that is no [`ErrorKind`] is a defect.
    fn from(error: BridgeError) -> Self {
        let kind = serde_json::from_value(serde_json::Value::String(error.code));
        let inner = Self::new(kind.unwrap_or(ErrorKind::Internal), error.message);
        match error.retry_after_ms {
            Some(pause) => inner.with_retry_after(Duration::from_millis(pause)),
            None => inner,
        }
    }
}

impl fmt::Display for BridgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for BridgeError {}

/// The wire name of a kind.
fn code(kind: ErrorKind) -> String {
    match serde_json::to_value(kind) {
        Ok(serde_json::Value::String(name)) => name,
        _ => "internal".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_keeps_its_kind_its_causes_and_its_pause() {
        let error = ouro_core::Error::new(ErrorKind::RateLimited, "the model is busy")
            .with_source(std::io::Error::other("status 429"))
            .with_retry_after(Duration::from_millis(1_500));
        let expected = BridgeError {
            code: "rate_limited".into(),
            message: "the model is busy: status 429".into(),
            retry_after_ms: Some(1_500),
            retryable: true,
        };
        let bridged = BridgeError::from(error);
        assert_eq!(bridged, expected);
        let back = ouro_core::Error::from(bridged);
        assert_eq!(back.kind(), ErrorKind::RateLimited);
        assert_eq!(back.retry_after(), Some(Duration::from_millis(1_500)));
    }
}
