//! A clock that stands still until a test moves it.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use jiff::tz::TimeZone;
use ouro_core::Clock;
use tokio::sync::oneshot;

/// Wall and monotonic time that move only when told to.
#[derive(Debug)]
pub struct ManualClock {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    now_ms: i64,
    monotonic: Duration,
    zone: TimeZone,
    next_id: u64,
    sleepers: BTreeMap<(Duration, u64), oneshot::Sender<()>>,
}

impl ManualClock {
    /// A clock at this wall time (epoch milliseconds), in UTC.
    pub fn new(now_ms: i64) -> Self {
        Self {
            state: Mutex::new(State {
                now_ms,
                monotonic: Duration::ZERO,
                zone: TimeZone::UTC,
                next_id: 0,
                sleepers: BTreeMap::new(),
            }),
        }
    }

    /// Moves both times on and wakes whoever slept until then.
    pub fn advance(&self, by: Duration) {
        let mut state = self.lock();
        state.monotonic += by;
        state.now_ms += i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        let first_later = (state.monotonic + Duration::from_nanos(1), 0);
        let later = state.sleepers.split_off(&first_later);
        for sleeper in std::mem::replace(&mut state.sleepers, later).into_values() {
            let _ = sleeper.send(());
        }
    }

    /// Moves the wall clock alone, as a user or a time server would.
    pub fn set_wall(&self, now_ms: i64) {
        self.lock().now_ms = now_ms;
    }

    /// Moves the machine to another zone.
    pub fn set_zone(&self, zone: TimeZone) {
        self.lock().zone = zone;
    }

    /// How long until the first sleeper wakes; `None` when nobody sleeps.
    pub fn next_wake(&self) -> Option<Duration> {
        let mut state = self.lock();
        state.sleepers.retain(|_, sender| !sender.is_closed());
        let now = state.monotonic;
        state.sleepers.keys().next().map(|(at, _)| at.saturating_sub(now))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        self.lock().now_ms
    }

    fn monotonic(&self) -> Duration {
        self.lock().monotonic
    }

    fn time_zone(&self) -> TimeZone {
        self.lock().zone.clone()
    }

    async fn sleep(&self, duration: Duration) {
        if duration.is_zero() {
            return;
        }
        let (sender, receiver) = oneshot::channel();
        {
            let mut state = self.lock();
            // A sleep that lost a race is nobody's any more.
            state.sleepers.retain(|_, sender| !sender.is_closed());
            let key = (state.monotonic + duration, state.next_id);
            state.next_id += 1;
            state.sleepers.insert(key, sender);
        }
        let _ = receiver.await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn wakes_whoever_slept_until_then_and_nobody_else() {
        let clock = Arc::new(ManualClock::new(0));
        let sleep = |ms| {
            let clock = clock.clone();
            tokio::spawn(async move { clock.sleep(Duration::from_millis(ms)).await })
        };
        let (short, long) = (sleep(10), sleep(20));
        while clock.lock().sleepers.len() < 2 {
            tokio::task::yield_now().await;
        }
        assert_eq!(clock.next_wake(), Some(Duration::from_millis(10)));
        clock.advance(Duration::from_millis(10));
        short.await.unwrap();
        assert!(!long.is_finished());
        assert_eq!((clock.now_ms(), clock.next_wake()), (10, Some(Duration::from_millis(10))));
        clock.advance(Duration::from_millis(10));
        long.await.unwrap();
    }
}
