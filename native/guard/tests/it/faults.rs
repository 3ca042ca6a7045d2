//! A store that can't be written, and clocks that jump.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use jiff::tz::TimeZone;
use ouro_core::{Clock, ErrorKind, OperationKind, QuotaKind, RecordStore};
use ouro_guard::{DoomLoopGuard, SkipReason, Verdict};
use ouro_testkit::{ManualClock, MemoryStore};
use serde_json::json;

use crate::fixture::{Fixture, NOON, error, question};

const HOUR: i64 = 3_600_000;

/// The clock of a slow disk: while it writes, the time of everybody goes on.
#[derive(Debug)]
struct SlowDisk {
    clock: Arc<ManualClock>,
    next_write: Mutex<Duration>,
}

#[async_trait]
impl Clock for SlowDisk {
    fn now_ms(&self) -> i64 {
        self.clock.advance(std::mem::take(&mut self.next_write.lock().unwrap()));
        self.clock.now_ms()
    }

    fn monotonic(&self) -> Duration {
        self.clock.monotonic()
    }

    fn time_zone(&self) -> TimeZone {
        self.clock.time_zone()
    }

    async fn sleep(&self, duration: Duration) {
        self.clock.sleep(duration).await;
    }
}

#[tokio::test]
async fn work_counts_on_the_day_on_which_it_begins_even_if_the_write_of_its_unit_took_hours() {
    let mut f = Fixture::new();
    let disk = Arc::new(SlowDisk { clock: f.clock.clone(), next_write: Mutex::default() });
    f.store = Arc::new(MemoryStore::new("demo".parse().unwrap(), disk.clone()));
    let guard = f.open();
    *disk.next_write.lock().unwrap() = Duration::from_secs(13 * 3_600);
    guard.try_consume(QuotaKind::Explorations).await.unwrap();
    assert_eq!(f.clock.now_ms(), NOON + 13 * HOUR, "it is the next day");
    assert_eq!(guard.remaining().explorations_remaining, 99);
    assert_eq!(f.open().remaining(), guard.remaining());
}

async fn unavailable(guard: &DoomLoopGuard) -> String {
    match guard.check_question("what is it").await {
        Verdict::Skip { reason: SkipReason::GuardUnavailable { cause } } => cause,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_full_store_lets_nothing_through_and_nothing_is_consumed() {
    let f = Fixture::new();
    let guard = f.open();
    for kind in [ErrorKind::Storage, ErrorKind::Refused, ErrorKind::Damaged] {
        // Each of these finds the store refusing, and the last one sees it mended.
        f.store.fail_next_commits(5, kind);
        assert!(guard.admit_question(&question("what is it"), Vec::new()).await.is_err());
        assert!(unavailable(&guard).await.contains("store"));
        let consumed = guard.try_consume(QuotaKind::Explorations).await;
        assert!(matches!(consumed, Err(SkipReason::GuardUnavailable { .. })));
        let filtered = guard.filter_duplicates(vec![question("what is it")]).await;
        assert!(matches!(filtered[0].1, Some(SkipReason::GuardUnavailable { .. })));
        assert!(guard.check_tool_call("t", &json!({}), None).should_skip());
        assert!(unavailable(&guard).await.contains("store"));
        assert!(!guard.check_question("what is it").await.should_skip());
        assert!(!guard.check_tool_call("t", &json!({}), None).should_skip());
        let quota = guard.remaining();
        assert_eq!((quota.questions_remaining, quota.explorations_remaining), (50, 100));
    }
    assert!(guard.admit_question(&question("what is it"), Vec::new()).await.is_ok());
}

#[tokio::test]
async fn a_failure_that_cannot_be_written_pauses_all_the_same_and_is_written_later() {
    let f = Fixture::new();
    let guard = f.open();
    f.store.fail_next_commits(2, ErrorKind::Storage);
    for question in ["q1", "q2"] {
        let unwritten = guard
            .record_failure(
                OperationKind::Exploration,
                question,
                &error(ErrorKind::Internal),
                &json!({}),
            )
            .await;
        assert_eq!(unwritten.unwrap_err().kind(), ErrorKind::Storage);
    }
    assert_eq!((guard.backoff().consecutive_errors, guard.failures().len()), (2, 2));
    assert!(!guard.backoff().remaining.is_zero());
    assert_eq!(f.open().backoff().consecutive_errors, 0);
    // The next check writes what is owed.
    let verdict = guard.check_question("q3").await;
    assert!(matches!(verdict, Verdict::Skip { reason: SkipReason::InBackoff { .. } }));
    let reopened = f.open();
    assert_eq!(reopened.backoff(), guard.backoff());
    assert_eq!(reopened.failures(), guard.failures());
}

#[tokio::test]
async fn what_could_not_be_cleared_or_released_stays() {
    let f = Fixture::new();
    let guard = f.open();
    let exploration = OperationKind::Exploration;
    guard.record_failure(exploration, "q", &error(ErrorKind::Internal), &json!({})).await.unwrap();
    let unit = guard.try_consume(QuotaKind::Questions).await.unwrap();
    let before = (guard.backoff(), guard.failures(), guard.remaining());
    f.store.fail_next_commits(3, ErrorKind::Storage);
    assert!(guard.record_success(exploration, "q", &json!({})).await.is_err());
    assert!(guard.release(unit).await.is_err());
    assert!(guard.forget(&before.1[0].signature).await.is_err());
    assert_eq!((guard.backoff(), guard.failures(), guard.remaining()), before);
    let reopened = f.open();
    assert_eq!((reopened.backoff(), reopened.failures(), reopened.remaining()), before);
}

#[tokio::test]
async fn a_wall_clock_that_goes_back_never_lengthens_a_pause() {
    let f = Fixture::new();
    let guard = f.open();
    for _ in 0..20 {
        guard
            .record_failure(
                OperationKind::Summarize,
                "q",
                &error(ErrorKind::Unavailable),
                &json!({}),
            )
            .await
            .unwrap();
    }
    let hour = Duration::from_millis(HOUR.unsigned_abs());
    assert_eq!(guard.backoff().remaining, hour, "the maximum");
    f.clock.set_wall(NOON - 240 * HOUR);
    assert_eq!(guard.backoff().remaining, hour);
    f.clock.advance(hour / 2);
    assert_eq!(guard.backoff().remaining, hour / 2);
    // Restarts behind the clock that was set back: each goes on where the one before was.
    f.open();
    let rest = f.open().backoff().remaining;
    f.clock.advance(hour / 4);
    assert_eq!(f.open().backoff().remaining, rest - hour / 4);
    f.clock.advance(rest);
    assert!(guard.backoff().remaining.is_zero() && f.open().backoff().remaining.is_zero());
}

#[tokio::test]
async fn a_wall_clock_that_goes_forward_ends_a_pause() {
    let f = Fixture::new();
    let guard = f.open();
    let unavailable = error(ErrorKind::Unavailable);
    guard.record_failure(OperationKind::Summarize, "q", &unavailable, &json!({})).await.unwrap();
    f.clock.set_wall(NOON + HOUR);
    assert!(guard.backoff().remaining.is_zero() && f.open().backoff().remaining.is_zero());
    assert_eq!(guard.backoff().consecutive_errors, 1);
}

#[tokio::test]
async fn quota_comes_back_at_local_midnight_and_not_with_a_clock_or_zone_set_back() {
    let f = Fixture::with(|config| config.max_daily_questions = 1);
    let guard = f.open();
    assert!(guard.try_consume(QuotaKind::Questions).await.is_ok());
    let SkipReason::QuotaExhausted { resets_at, .. } =
        guard.try_consume(QuotaKind::Questions).await.unwrap_err()
    else {
        panic!("refused for another reason")
    };
    assert_eq!(resets_at, NOON + 12 * HOUR);
    for (wall, zone) in
        [(NOON - 24 * HOUR, 0), (NOON - 2400 * HOUR, 0), (NOON, -12), (resets_at - 1, 0)]
    {
        f.clock.set_wall(wall);
        f.clock.set_zone(TimeZone::fixed(jiff::tz::offset(zone)));
        assert!(guard.try_consume(QuotaKind::Questions).await.is_err(), "{wall} {zone}");
        assert!(f.open().try_consume(QuotaKind::Questions).await.is_err(), "{wall} {zone}");
    }
    f.clock.set_wall(resets_at);
    assert!(f.open().try_consume(QuotaKind::Questions).await.is_ok());
}

#[tokio::test]
async fn work_that_fails_counts_and_a_lower_limit_leaves_nothing() {
    let mut f = Fixture::with(|config| config.max_daily_questions = 3);
    let guard = f.open();
    for text in ["alpha", "beta"] {
        guard.admit_question(&question(text), Vec::new()).await.unwrap();
        guard
            .record_failure(
                OperationKind::Exploration,
                text,
                &error(ErrorKind::BadReply),
                &json!({}),
            )
            .await
            .unwrap();
        f.clock.advance(Duration::from_secs(10));
    }
    assert_eq!(guard.remaining().questions_remaining, 1);
    f.config.max_daily_questions = 1;
    let lowered = f.open();
    assert_eq!(
        (lowered.remaining().questions_remaining, lowered.remaining().questions_limit),
        (0, 1)
    );
    assert_eq!(lowered.questions_today(), 2);
    assert!(lowered.check_question("gamma").await.should_skip());
}

#[test]
fn a_damaged_state_or_a_wrong_limit_is_an_error_not_a_guard() {
    let mut f = Fixture::new();
    f.config.max_backoff_ms = 10;
    let open = |f: &Fixture| {
        DoomLoopGuard::open(
            f.store.clone(),
            &f.config,
            f.chosen.clone(),
            f.builtin.clone(),
            f.clock.clone(),
            f.random.clone(),
        )
        .map(drop)
        .unwrap_err()
    };
    assert_eq!(open(&f).message(), "max_backoff_ms must be at least base_backoff_ms");
    f.config = Default::default();
    let quota = ouro_core::QuotaState { day: "yesterday".into(), ..Default::default() };
    f.store.commit(&[ouro_core::Change::PutQuota(quota)]).unwrap();
    assert_eq!(open(&f).kind(), ErrorKind::Damaged);
    assert_eq!(f.clock.now_ms(), NOON);
}
