//! Servers that failed are left alone for a while.

use std::time::Duration;

use ouro_core::{Error, ErrorKind, Language, Result};

/// The longest rest of a server that names none itself: one that was started again is soon noticed.
const MAX_REST: Duration = Duration::from_secs(600);

/// Until when a server that failed is left alone: the engine goes on without it, and would ask it again for each next text.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    /// Failures in a row.
    failures: u32,
    /// Monotonic time.
    until: Duration,
    /// What it failed with.
    kind: Option<ErrorKind>,
    english: String,
    chinese: String,
}

impl Rest {
    /// The rest after one more failure: what the server asks for, or twice the last one.
    pub(crate) fn after(&self, error: &Error, now: Duration, base: Duration) -> Self {
        Self {
            failures: self.failures.saturating_add(1),
            until: now.saturating_add(error.retry_after().unwrap_or(self.doubled(base))),
            kind: Some(error.kind()),
            english: error.message_in(Language::English).to_owned(),
            chinese: error.message_in(Language::Chinese).to_owned(),
        }
    }

    /// Whoever tries it now keeps the others from it, and from waiting, as long as it would rest after one more failure.
    pub(crate) fn begin_try(&mut self, now: Duration, base: Duration) {
        self.until = now.saturating_add(self.doubled(base));
    }

    fn doubled(&self, base: Duration) -> Duration {
        base.saturating_mul(1 << self.failures.min(16)).min(MAX_REST)
    }

    /// The error that it failed with, as long as it rests.
    pub(crate) fn check(&self, now: Duration) -> Result<()> {
        let left = self.until.saturating_sub(now);
        match self.error().filter(|_| !left.is_zero()) {
            Some(error) => Err(error.with_retry_after(left)),
            None => Ok(()),
        }
    }

    /// The error that it failed with last.
    pub(crate) fn error(&self) -> Option<Error> {
        Some(Error::new(self.kind?, &self.english).with_chinese(&self.chinese))
    }
}
