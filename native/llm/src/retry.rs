//! When a failed request is tried again.

use std::time::Duration;

use jiff::fmt::rfc2822::DateTimeParser;
use ouro_core::{Error, ErrorKind, Random};

/// How often, and with which pauses, a request is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Requests in all; 1 tries nothing again.
    pub max_attempts: u32,
    /// First pause; each next one is twice as long.
    pub base_pause: Duration,
    /// Longest pause. When a server asks for a longer one the request fails at once, so that the caller can rest.
    pub max_pause: Duration,
}

impl Default for RetryPolicy {
    /// Three attempts, one second at first, at most 30 seconds.
    fn default() -> Self {
        Self {
            max_attempts: 3,
            base_pause: Duration::from_secs(1),
            max_pause: Duration::from_secs(30),
        }
    }
}

/// Counts the attempts of one request.
#[derive(Debug)]
pub(crate) struct Attempts {
    policy: RetryPolicy,
    failed: u32,
}

impl Attempts {
    pub(crate) fn new(policy: RetryPolicy) -> Self {
        Self { policy, failed: 0 }
    }

    /// The pause before the next attempt; `None` when this failure is final.
    ///
    /// Only an endpoint that is down or overloaded is asked again: after a time-out the caller has waited long enough.
    pub(crate) fn next_pause(&mut self, error: &Error, random: &dyn Random) -> Option<Duration> {
        self.failed += 1;
        let may_pass = matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::RateLimited);
        if !may_pass || self.failed >= self.policy.max_attempts {
            return None;
        }
        match error.retry_after() {
            Some(asked) => (asked <= self.policy.max_pause).then_some(asked),
            None => {
                let doubled = self.policy.base_pause.saturating_mul(1 << (self.failed - 1).min(16));
                // Half of it at random, so that many clients don't come back in step.
                Some(doubled.min(self.policy.max_pause).mul_f64(0.5 + random.next_f64() / 2.0))
            }
        }
    }
}

/// Longest pause that is believed: a day.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Reads a `Retry-After` header: seconds, or a date as HTTP writes it.
pub(crate) fn retry_after(value: &str, now_ms: i64) -> Option<Duration> {
    let value = value.trim();
    let pause = match value.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => {
            Duration::try_from_secs_f64(seconds).unwrap_or(MAX_RETRY_AFTER)
        }
        Ok(_) => return None,
        Err(_) => {
            // A server that gets the day of the week wrong asks for a pause all the same.
            let parser = DateTimeParser::new().relaxed_weekday(true);
            let date = parser.parse_timestamp(value).ok()?;
            Duration::from_millis(
                u64::try_from(date.as_millisecond().saturating_sub(now_ms)).unwrap_or(0),
            )
        }
    };
    Some(pause.min(MAX_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use ouro_core::SeededRandom;

    use super::*;

    #[test]
    fn reads_seconds_and_dates_and_nothing_else() {
        let now = 784_111_777_000; // Sun, 06 Nov 1994 08:49:37 GMT
        for (value, seconds) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("1.5", None),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0)),
            ("99999999999", Some(24 * 60 * 60)),
            ("99999999999999999999", Some(24 * 60 * 60)),
            ("Mon, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("Wed, 01 Jan 2200 00:00:00 GMT", Some(24 * 60 * 60)),
        ] {
            let expected = seconds.map_or(Duration::from_millis(1500), Duration::from_secs);
            assert_eq!(retry_after(value, now), Some(expected), "{value}");
        }
        for nonsense in ["", "soon", "-5", "inf", "NaN", "1e400", "Sun, 40 Nov 1994 08:49:37 GMT"] {
            assert_eq!(retry_after(nonsense, now), None, "{nonsense}");
        }
    }

    #[test]
    fn pauses_double_up_to_the_limit_and_end() {
        let policy = RetryPolicy { max_attempts: 6, ..RetryPolicy::default() };
        let random = SeededRandom::new(1);
        let mut attempts = Attempts::new(policy);
        let down = Error::new(ErrorKind::Unavailable, "down");
        for full in [1.0, 2.0, 4.0, 8.0, 16.0] {
            let pause = attempts.next_pause(&down, &random).unwrap().as_secs_f64();
            assert!((full / 2.0..=full).contains(&pause), "{pause} of {full}");
        }
        assert_eq!(attempts.next_pause(&down, &random), None);
    }

    #[test]
    fn a_pause_that_was_asked_for_is_kept_or_left_to_the_caller() {
        let random = SeededRandom::new(1);
        let limited = |seconds| {
            Error::new(ErrorKind::RateLimited, "slow")
                .with_retry_after(Duration::from_secs(seconds))
        };
        let first =
            |error: &Error| Attempts::new(RetryPolicy::default()).next_pause(error, &random);
        assert_eq!(first(&limited(30)), Some(Duration::from_secs(30)));
        assert_eq!(first(&limited(31)), None);
        assert_eq!(first(&Error::new(ErrorKind::Timeout, "slow")), None);
        assert_eq!(first(&Error::new(ErrorKind::Refused, "key")), None);
    }
}
