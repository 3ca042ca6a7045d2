//! Layer 4: a pause after errors that doubles with every error in a row.

use std::time::Duration;

use ouro_core::{BackoffState, Clock, Error, Random};

use crate::GuardConfig;

/// The longest pause that a server can ask for with `Retry-After`, milliseconds: a day. A wrong header must not stop the
/// loop for good.
const MAX_RETRY_AFTER_MS: u64 = 86_400_000;

/// How long the loop still pauses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackoffStatus {
    /// Errors in a row.
    pub consecutive_errors: u32,
    /// What is left of the pause.
    pub remaining: Duration,
    /// When it ends, epoch milliseconds; the present when there is none.
    pub until: i64,
    /// The last error, in a sentence; empty when there was none.
    pub cause: String,
}

/// One reading of both clocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    /// Epoch milliseconds.
    pub(crate) wall: i64,
    pub(crate) monotonic: Duration,
}

impl Moment {
    pub(crate) fn now(clock: &dyn Clock) -> Self {
        Self { wall: clock.now_ms(), monotonic: clock.monotonic() }
    }
}

/// The layer: its state, and the monotonic time at which the pause ends whatever happens to the wall clock.
#[derive(Debug)]
pub(crate) struct Backoff {
    base_ms: u64,
    max_ms: u64,
    multiplier: f64,
    reasoner: String,
    state: BackoffState,
    deadline: Duration,
}

impl Backoff {
    /// The layer as it was left. What remains of a pause by the wall clock, but never more than the whole pause, begins
    /// now. The pause of another reasoner is over.
    pub(crate) fn load(config: &GuardConfig, state: BackoffState, now: Moment) -> Self {
        let mut backoff = Self {
            base_ms: config.base_backoff_ms,
            max_ms: config.max_backoff_ms,
            multiplier: config.backoff_multiplier,
            reasoner: config.reasoner.clone(),
            state: BackoffState::default(),
            deadline: Duration::ZERO,
        };
        let known = !state.reasoner.is_empty() && !config.reasoner.is_empty();
        if known && state.reasoner != config.reasoner {
            return backoff;
        }
        let longest = state.pause_ms.min(backoff.max_ms.max(MAX_RETRY_AFTER_MS));
        let left = u64::try_from(state.until.saturating_sub(now.wall)).unwrap_or(0).min(longest);
        backoff.state = state;
        backoff.deadline = now.monotonic.saturating_add(Duration::from_millis(left));
        backoff
    }

    /// The state to store when the wall clock was set back behind the last error: the same pause, told by the clock as it
    /// is now. Otherwise each restart would begin the pause anew for as long as the clock is behind.
    pub(crate) fn rebased(&self, now: Moment) -> Option<BackoffState> {
        let left = self.status(now).remaining;
        (now.wall < self.state.last_error_at && !left.is_zero()).then(|| BackoffState {
            last_error_at: now.wall,
            pause_ms: millis(left),
            until: later(now.wall, millis(left)),
            ..self.state.clone()
        })
    }

    /// What is left: until either clock says that it is over. A wall clock that jumps forward ends the pause, one that jumps
    /// back doesn't lengthen it, and a computer that slept (its monotonic clock may stand still) has paused.
    pub(crate) fn status(&self, now: Moment) -> BackoffStatus {
        let wall = u64::try_from(self.state.until.saturating_sub(now.wall)).unwrap_or(0);
        let remaining =
            Duration::from_millis(wall).min(self.deadline.saturating_sub(now.monotonic));
        BackoffStatus {
            consecutive_errors: self.state.consecutive_errors,
            remaining,
            until: later(now.wall, millis(remaining)),
            cause: self.state.cause.clone(),
        }
    }

    /// The state after one more error. A pause that still runs is never cut short by it.
    pub(crate) fn after_error(
        &self,
        now: Moment,
        error: &Error,
        random: &dyn Random,
    ) -> BackoffState {
        let consecutive_errors = self.state.consecutive_errors.saturating_add(1);
        let asked = error.retry_after().map_or(0, |pause| millis(pause).min(MAX_RETRY_AFTER_MS));
        let running = millis(self.status(now).remaining);
        let pause_ms = self.pause_ms(consecutive_errors, random.next_f64()).max(asked).max(running);
        BackoffState {
            consecutive_errors,
            last_error_at: now.wall,
            pause_ms,
            until: later(now.wall, pause_ms),
            cause: error.message().to_owned(),
            reasoner: self.reasoner.clone(),
        }
    }

    /// Whether there is nothing that a success could clear.
    pub(crate) fn is_clear(&self) -> bool {
        self.state == BackoffState::default()
    }

    /// Takes a state whose pause begins now.
    pub(crate) fn set(&mut self, state: BackoffState, now: Moment) {
        self.deadline = now.monotonic.saturating_add(Duration::from_millis(state.pause_ms));
        self.state = state;
    }

    /// The pause after so many errors in a row: `base * multiplier^(errors - 1)`, 10 to 20 % longer by chance (`unit` in
    /// 0..1) so that many clients don't come back at once, and never above the maximum.
    pub(crate) fn pause_ms(&self, errors: u32, unit: f64) -> u64 {
        let Some(exponent) = errors.checked_sub(1) else { return 0 };
        #[allow(clippy::cast_precision_loss, reason = "milliseconds of a pause are far below 2^53")]
        let (base, max) = (self.base_ms as f64, self.max_ms as f64);
        // Infinity is a legal intermediate result: the minimum ends it.
        let pause = base * self.multiplier.powf(f64::from(exponent));
        let jittered = pause * (1.1 + 0.1 * unit);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "`as` saturates, and the value lies between base and max"
        )]
        let ms = jittered.min(max) as u64;
        ms.min(self.max_ms)
    }
}

fn millis(duration: Duration) -> u64 {
    crate::verdict::whole_ms(duration)
}

fn later(wall: i64, ms: u64) -> i64 {
    wall.saturating_add_unsigned(ms)
}

#[cfg(test)]
mod tests {
    use ouro_core::{ErrorKind, SeededRandom};
    use proptest::prelude::*;

    use super::*;

    /// An error whose server asked for a pause of so many seconds; 0 for none.
    fn error(seconds: u64) -> Error {
        let error = Error::new(ErrorKind::RateLimited, "the model asks for a pause (429)");
        if seconds == 0 { error } else { error.with_retry_after(Duration::from_secs(seconds)) }
    }

    fn backoff(base: u64, max: u64, multiplier: f64) -> Backoff {
        let config = GuardConfig {
            base_backoff_ms: base,
            max_backoff_ms: max,
            backoff_multiplier: multiplier,
            ..GuardConfig::default()
        };
        config.validate().unwrap();
        Backoff::load(&config, BackoffState::default(), at(0, 0))
    }

    fn at(wall: i64, monotonic_ms: u64) -> Moment {
        Moment { wall, monotonic: Duration::from_millis(monotonic_ms) }
    }

    fn after_errors(count: u32, now: Moment) -> Backoff {
        let mut layer = backoff(1_000, 3_600_000, 2.0);
        for _ in 0..count {
            let state = layer.after_error(now, &error(0), &SeededRandom::new(1));
            layer.set(state, now);
        }
        layer
    }

    proptest! {
        #[test]
        fn a_pause_is_bounded_monotonic_and_never_overflows(
            base in 1_u64..100_000,
            more in 0_u64..86_400_000,
            multiplier in 1.0_f64..100.0,
            errors in prop_oneof![0_u32..100, any::<u32>()],
            unit in 0.0_f64..1.0,
        ) {
            let layer = backoff(base, base + more, multiplier);
            let pause = layer.pause_ms(errors, unit);
            prop_assert!(pause <= base + more);
            prop_assert!(layer.pause_ms(errors.saturating_add(1), unit) >= pause);
            prop_assert_eq!(pause == 0, errors == 0);
            // 10 to 20 % above the plain power, where the maximum leaves room.
            let plain = base as f64 * multiplier.powf(f64::from(errors.saturating_sub(1)));
            if errors > 0 && plain * 1.2 < (base + more) as f64 {
                prop_assert!((plain * 1.1 - 1.0..=plain * 1.2).contains(&(pause as f64)));
            }
        }

        #[test]
        fn no_jump_of_the_wall_clock_lengthens_a_pause(
            errors in 1_u32..40,
            jumps in prop::collection::vec((-10_000_000_i64..10_000_000, 0_u64..2_000_000), 1..10),
        ) {
            let layer = after_errors(errors, at(0, 0));
            let pause = layer.state.pause_ms;
            let (mut wall, mut monotonic) = (0, 0);
            for (jump, passed) in jumps {
                wall += jump + i64::try_from(passed).unwrap();
                monotonic += passed;
                let left = millis(layer.status(at(wall, monotonic)).remaining);
                prop_assert!(left <= pause.saturating_sub(monotonic));
                // A restart at this moment, with a new monotonic clock.
                let reopened = Backoff::load(&GuardConfig::default(), layer.state.clone(), at(wall, 0));
                prop_assert!(millis(reopened.status(at(wall, 0)).remaining) <= pause);
            }
        }
    }

    #[test]
    fn a_billion_errors_pause_for_the_maximum() {
        let layer = backoff(1_000, 3_600_000, 2.0);
        assert_eq!(layer.pause_ms(1_000_000_000, 0.5), 3_600_000);
        assert_eq!(layer.pause_ms(u32::MAX, 0.999), 3_600_000);
        assert_eq!((layer.pause_ms(1, 0.0), layer.pause_ms(3, 0.5)), (1_100, 4_600));
        let full = Backoff {
            state: BackoffState { consecutive_errors: u32::MAX, ..layer.state.clone() },
            ..layer
        };
        assert_eq!(
            full.after_error(at(0, 0), &error(0), &SeededRandom::new(1)).consecutive_errors,
            u32::MAX
        );
    }

    #[test]
    fn a_clock_that_jumps_forward_ends_the_pause_and_a_restart_does_not() {
        let layer = after_errors(5, at(1_000_000, 0));
        let pause = layer.state.pause_ms;
        assert!(layer.status(at(1_000_000 + 3_600_000, 1)).remaining.is_zero());
        let reopened = Backoff::load(&GuardConfig::default(), layer.state, at(1_000_400, 7));
        assert_eq!(millis(reopened.status(at(1_000_400, 7)).remaining), pause - 400);
    }

    #[test]
    fn restarts_behind_a_clock_that_was_set_back_share_one_pause() {
        let layer = after_errors(5, at(1_000_000_000, 0));
        let pause = layer.state.pause_ms;
        let mut state = layer.state;
        let mut waited = 0;
        for _ in 0..4 {
            let now = at(500_000_000 + i64::try_from(waited).unwrap(), 0);
            let reopened = Backoff::load(&GuardConfig::default(), state.clone(), now);
            assert_eq!(millis(reopened.status(now).remaining), pause - waited);
            state = reopened.rebased(now).unwrap_or(state);
            waited += pause / 4;
        }
    }

    #[test]
    fn a_server_can_ask_for_a_longer_pause_up_to_a_day() {
        let layer = backoff(1_000, 3_600_000, 2.0);
        let after = |seconds| layer.after_error(at(0, 0), &error(seconds), &SeededRandom::new(1));
        assert_eq!(after(7_200).pause_ms, 7_200_000);
        assert!((1_100..=1_200).contains(&after(1).pause_ms));
        assert_eq!(after(u64::MAX).pause_ms, MAX_RETRY_AFTER_MS);
    }

    #[test]
    fn an_error_during_a_long_pause_does_not_shorten_it() {
        let mut layer = backoff(1_000, 3_600_000, 2.0);
        let asked = layer.after_error(at(0, 0), &error(600), &SeededRandom::new(1));
        layer.set(asked, at(0, 0));
        let next = layer.after_error(at(1_000, 1_000), &error(0), &SeededRandom::new(1));
        assert_eq!((next.pause_ms, next.until), (599_000, 600_000));
    }

    #[test]
    fn stored_nonsense_is_bounded() {
        let state = BackoffState {
            consecutive_errors: 3,
            last_error_at: 0,
            pause_ms: u64::MAX,
            until: i64::MAX,
            ..BackoffState::default()
        };
        let layer = Backoff::load(&GuardConfig::default(), state, at(i64::MIN, 0));
        assert_eq!(millis(layer.status(at(i64::MIN, 0)).remaining), MAX_RETRY_AFTER_MS);
    }

    #[test]
    fn a_pause_tells_its_cause_and_holds_for_the_reasoner_that_had_the_errors() {
        let of =
            |reasoner: &str| GuardConfig { reasoner: reasoner.into(), ..GuardConfig::default() };
        let now = at(0, 0);
        let layer = Backoff::load(&of("qwen3"), BackoffState::default(), now);
        let state = layer.after_error(now, &error(3_600), &SeededRandom::new(1));
        let status = |reasoner: &str| Backoff::load(&of(reasoner), state.clone(), now).status(now);
        for held in ["qwen3", ""] {
            assert_eq!(status(held).remaining, Duration::from_secs(3_600), "{held:?}");
            assert_eq!(status(held).cause, "the model asks for a pause (429)");
        }
        assert_eq!(status("offline").remaining, Duration::ZERO);
        assert_eq!(status("offline").consecutive_errors, 0);
    }
}
