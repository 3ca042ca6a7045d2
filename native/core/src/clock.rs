//! Time as a port, so that whole rounds run on a manual clock in tests.

use std::{
    future::Future,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use jiff::{Timestamp, tz::TimeZone};

use crate::{Error, ErrorKind, Result};

/// Wall time, monotonic time, the machine's zone, and sleep.
#[async_trait]
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Wall time in milliseconds since 1970-01-01 UTC. May jump in both directions.
    fn now_ms(&self) -> i64;

    /// Time since some fixed start; never goes back.
    fn monotonic(&self) -> Duration;

    /// The zone whose midnight ends a day. May change while running.
    fn time_zone(&self) -> TimeZone;

    /// Returns after `duration` of monotonic time.
    async fn sleep(&self, duration: Duration);
}

/// The machine's clock.
#[derive(Debug, Clone)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock whose monotonic time starts now.
    #[allow(clippy::disallowed_methods, reason = "this is the clock that everything else must use")]
    pub fn new() -> Self {
        Self { start: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        Timestamp::now().as_millisecond()
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }

    fn time_zone(&self) -> TimeZone {
        TimeZone::system()
    }

    #[allow(clippy::disallowed_methods, reason = "this is the clock that everything else must use")]
    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

/// Runs `work` for at most `limit` of the clock's time; drops it and says `what` took too long after that.
///
/// # Errors
/// [`ErrorKind::Timeout`] when the limit passed first.
pub async fn with_timeout<T>(
    clock: &dyn Clock,
    limit: Duration,
    what: &str,
    work: impl Future<Output = T>,
) -> Result<T> {
    tokio::select! {
        biased;
        done = work => Ok(done),
        () = clock.sleep(limit) => Err(Error::new(
            ErrorKind::Timeout,
            format!("{what} took longer than {}", in_words(limit)),
        )),
    }
}

/// A duration as people say it: `20 ms`, `1.5 s`, `2 min`.
pub fn in_words(duration: Duration) -> String {
    let ms = duration.as_millis();
    if ms < 1_000 {
        format!("{ms} ms")
    } else if ms >= 120_000 && ms.is_multiple_of(60_000) {
        format!("{} min", ms / 60_000)
    } else {
        format!("{} s", duration.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_said_in_a_unit_that_people_read() {
        for (ms, words) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1_000, "1 s"),
            (1_500, "1.5 s"),
            (60_000, "60 s"),
            (120_000, "2 min"),
            (121_000, "121 s"),
            (3_600_000, "60 min"),
        ] {
            assert_eq!(in_words(Duration::from_millis(ms)), words);
        }
    }

    #[tokio::test]
    async fn finished_work_beats_its_limit_and_endless_work_does_not() {
        let clock = SystemClock::new();
        let done = with_timeout(&clock, Duration::ZERO, "nothing", async { 7 }).await;
        assert_eq!(done.unwrap(), 7);
        let limit = Duration::from_millis(1);
        let error = with_timeout(&clock, limit, "the wait", std::future::pending::<()>()).await;
        let error = error.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        assert!(error.is_retryable() && error.message().contains("the wait"), "{error}");
    }
}
