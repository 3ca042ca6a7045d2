//! Layer 5: so many questions and explorations a local day.
//!
//! A day ends at midnight of the machine's zone, and the layer's day never goes back: neither a clock that is set back nor a
//! zone further west brings new quota. The price is that units taken while a clock runs ahead count until that day is over.

use jiff::{Timestamp, civil::Date};
use ouro_core::{Clock, Error, ErrorKind, QuotaKind, QuotaState, QuotaStatus, Result};

use crate::{GuardConfig, SkipReason};

/// A unit of a day's quota that was taken. Give it back when the work never started; otherwise just drop it.
#[derive(Debug, PartialEq, Eq)]
pub struct QuotaUnit {
    pub(crate) kind: QuotaKind,
    /// Whose quota it belongs to: yesterday's unit is of no use to today.
    pub(crate) day: Date,
}

impl QuotaUnit {
    /// Of what.
    pub fn kind(&self) -> QuotaKind {
        self.kind
    }
}

/// The layer: the limits and what was used on the latest day that was ever seen.
#[derive(Debug)]
pub(crate) struct Quota {
    max_questions: u32,
    max_explorations: u32,
    used: Used,
}

/// What was used on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Used {
    day: Date,
    questions: u32,
    explorations: u32,
}

impl Used {
    fn on(day: Date) -> Self {
        Self { day, questions: 0, explorations: 0 }
    }

    fn count(&mut self, kind: QuotaKind) -> &mut u32 {
        match kind {
            QuotaKind::Questions => &mut self.questions,
            QuotaKind::Explorations => &mut self.explorations,
        }
    }

    pub(crate) fn to_state(self) -> QuotaState {
        QuotaState {
            day: self.day.to_string(),
            questions: self.questions,
            explorations: self.explorations,
        }
    }
}

impl Quota {
    /// # Errors
    /// `Damaged` for a stored day that is no date.
    pub(crate) fn load(config: &GuardConfig, state: &QuotaState) -> Result<Self> {
        let day = match state.day.as_str() {
            "" => Date::MIN,
            day => day.parse().map_err(|e| {
                let message = format!("the stored day of the quota, {day:?}, is no date");
                Error::new(ErrorKind::Damaged, message).with_source(e)
            })?,
        };
        Ok(Self {
            max_questions: config.max_daily_questions,
            max_explorations: config.max_daily_explorations,
            used: Used { day, questions: state.questions, explorations: state.explorations },
        })
    }

    /// What was used today. The day only goes forward: a clock that was set back, or a zone further west, brings no new
    /// quota.
    fn today(&self, clock: &dyn Clock) -> Used {
        let today = local_day(clock);
        if today > self.used.day { Used::on(today) } else { self.used }
    }

    /// The use after one more unit, and that unit.
    pub(crate) fn consume(
        &self,
        kind: QuotaKind,
        clock: &dyn Clock,
    ) -> Result<(Used, QuotaUnit), SkipReason> {
        self.check(kind, clock)?;
        let mut used = self.today(clock);
        let count = used.count(kind);
        *count = count.saturating_add(1);
        Ok((used, QuotaUnit { kind, day: used.day }))
    }

    /// The use after a unit came back; `None` when its day is over.
    pub(crate) fn release(&self, unit: &QuotaUnit, clock: &dyn Clock) -> Option<Used> {
        let mut used = self.today(clock);
        let count = used.count(unit.kind);
        *count = count.saturating_sub(1);
        (used.day == unit.day).then_some(used)
    }

    /// Whether a later day than the unit's has begun.
    pub(crate) fn is_over(&self, unit: &QuotaUnit, clock: &dyn Clock) -> bool {
        self.today(clock).day > unit.day
    }

    pub(crate) fn set(&mut self, used: Used) {
        self.used = used;
    }

    /// Whether a unit is left.
    pub(crate) fn check(&self, kind: QuotaKind, clock: &dyn Clock) -> Result<(), SkipReason> {
        let status = self.status(clock);
        let left = match kind {
            QuotaKind::Questions => status.questions_remaining,
            QuotaKind::Explorations => status.explorations_remaining,
        };
        if left > 0 {
            return Ok(());
        }
        Err(SkipReason::QuotaExhausted { which: kind, resets_at: status.resets_at })
    }

    /// Questions that were taken up today, whatever the limit is.
    pub(crate) fn questions_today(&self, clock: &dyn Clock) -> u32 {
        self.today(clock).questions
    }

    pub(crate) fn status(&self, clock: &dyn Clock) -> QuotaStatus {
        let used = self.today(clock);
        QuotaStatus {
            questions_remaining: self.max_questions.saturating_sub(used.questions),
            questions_limit: self.max_questions,
            explorations_remaining: self.max_explorations.saturating_sub(used.explorations),
            explorations_limit: self.max_explorations,
            resets_at: end_of(used.day, clock),
        }
    }
}

/// The machine's local day.
fn local_day(clock: &dyn Clock) -> Date {
    timestamp(clock.now_ms()).to_zoned(clock.time_zone()).date()
}

/// The first instant of the next day in the machine's zone, epoch milliseconds; a day may have 23 or 25 hours, or begin
/// at 01:00.
fn end_of(day: Date, clock: &dyn Clock) -> i64 {
    let next = day.tomorrow().and_then(|next| next.to_zoned(clock.time_zone()));
    next.map_or(i64::MAX, |midnight| midnight.timestamp().as_millisecond())
}

/// The instant, or the nearest that a calendar can show.
fn timestamp(ms: i64) -> Timestamp {
    let nearest = if ms < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_millisecond(ms).unwrap_or(nearest)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::tz::TimeZone;
    use ouro_testkit::ManualClock;
    use proptest::prelude::*;

    use super::*;

    const NEW_YORK: &str = "EST5EDT,M3.2.0,M11.1.0";

    fn clock(local: &str, zone: &str) -> ManualClock {
        let zone = TimeZone::posix(zone).unwrap();
        let clock = ManualClock::new(instant(local, &zone));
        clock.set_zone(zone);
        clock
    }

    fn instant(local: &str, zone: &TimeZone) -> i64 {
        let local: jiff::civil::DateTime = local.parse().unwrap();
        local.to_zoned(zone.clone()).unwrap().timestamp().as_millisecond()
    }

    fn quota(questions: u32) -> Quota {
        let config = GuardConfig { max_daily_questions: questions, ..GuardConfig::default() };
        Quota::load(&config, &QuotaState::default()).unwrap()
    }

    fn take(quota: &mut Quota, clock: &ManualClock) -> Option<QuotaUnit> {
        let (used, unit) = quota.consume(QuotaKind::Questions, clock).ok()?;
        quota.set(used);
        Some(unit)
    }

    #[test]
    fn a_day_ends_at_local_midnight_however_many_hours_it_has() {
        for (now, minutes) in [
            ("2025-03-08T00:00", 24 * 60),
            ("2025-03-09T00:00", 23 * 60),
            ("2025-11-02T00:00", 25 * 60),
            ("2025-11-02T01:30", 23 * 60 + 30),
        ] {
            let clock = clock(now, NEW_YORK);
            let left = quota(1).status(&clock).resets_at - clock.now_ms();
            assert_eq!(left, minutes * 60_000, "{now}");
        }
    }

    #[test]
    fn a_day_can_begin_at_one_o_clock() {
        // Clocks go from 00:00 to 01:00 on the first Sunday of March.
        let clock = clock("2025-03-01T12:00", "<-04>4<-03>,M3.1.0/0,M11.1.0/0");
        let status = quota(1).status(&clock);
        let expected = instant("2025-03-02T01:00", &clock.time_zone());
        assert_eq!(status.resets_at, expected);
        clock.set_wall(expected - 1);
        let mut quota = quota(1);
        assert!(take(&mut quota, &clock).is_some() && take(&mut quota, &clock).is_none());
        clock.set_wall(expected);
        assert!(take(&mut quota, &clock).is_some());
    }

    #[test]
    fn quota_is_back_at_the_very_instant_that_was_announced() {
        for start in ["2025-03-09T00:30", "2025-11-02T00:30", "2025-07-01T23:59"] {
            let clock = clock(start, NEW_YORK);
            let mut quota = quota(1);
            assert!(take(&mut quota, &clock).is_some());
            let Err(SkipReason::QuotaExhausted { which: QuotaKind::Questions, resets_at }) =
                quota.consume(QuotaKind::Questions, &clock)
            else {
                panic!("a second unit was handed out")
            };
            clock.set_wall(resets_at - 1);
            assert!(take(&mut quota, &clock).is_none());
            clock.set_wall(resets_at);
            assert!(take(&mut quota, &clock).is_some());
        }
    }

    #[test]
    fn a_clock_or_zone_that_goes_back_a_day_brings_no_quota() {
        let clock = clock("2025-06-10T01:00", "UTC0");
        let mut quota = quota(2);
        assert!(take(&mut quota, &clock).is_some());
        clock.set_wall(instant("2025-06-03T12:00", &TimeZone::UTC));
        assert_eq!(quota.status(&clock).questions_remaining, 1);
        assert_eq!(quota.status(&clock).resets_at, instant("2025-06-11T00:00", &TimeZone::UTC));
        clock.set_wall(instant("2025-06-10T01:00", &TimeZone::UTC));
        clock.set_zone(TimeZone::posix("HST10").unwrap());
        assert!(take(&mut quota, &clock).is_some() && take(&mut quota, &clock).is_none());
        clock.set_zone(TimeZone::posix("<+14>-14").unwrap());
        assert!(take(&mut quota, &clock).is_none());
    }

    #[test]
    fn a_limit_below_what_was_used_leaves_nothing() {
        let clock = clock("2025-06-10T12:00", "UTC0");
        let state = QuotaState { day: "2025-06-10".into(), questions: 40, explorations: u32::MAX };
        let config = GuardConfig { max_daily_questions: 10, ..GuardConfig::default() };
        let status = Quota::load(&config, &state).unwrap().status(&clock);
        assert_eq!((status.questions_remaining, status.explorations_remaining), (0, 0));
    }

    #[test]
    fn a_unit_of_yesterday_is_not_given_back_to_today() {
        let clock = clock("2025-06-10T23:59:59", "UTC0");
        let mut quota = quota(5);
        let unit = take(&mut quota, &clock).unwrap();
        assert_eq!(quota.release(&unit, &clock).unwrap().questions, 0);
        clock.advance(Duration::from_secs(2));
        assert!(take(&mut quota, &clock).is_some());
        assert_eq!(quota.release(&unit, &clock), None);
    }

    #[test]
    fn a_damaged_day_is_an_error_and_an_absurd_clock_is_not() {
        let state = QuotaState { day: "soon".into(), ..QuotaState::default() };
        let error = Quota::load(&GuardConfig::default(), &state).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged);
        for ms in [i64::MIN, i64::MAX] {
            assert_eq!(quota(3).status(&ManualClock::new(ms)).questions_remaining, 3);
        }
    }

    proptest! {
        #[test]
        fn no_walk_of_the_clock_hands_out_more_than_the_limit_for_a_day(
            steps in prop::collection::vec((-50_i64..60, 0_u8..3), 1..200),
        ) {
            let clock = clock("2025-03-08T12:00", NEW_YORK);
            let mut quota = quota(3);
            let mut taken = std::collections::BTreeMap::<Date, i32>::new();
            let mut units = Vec::new();
            for (hours, action) in steps {
                if action == 0 {
                    clock.set_wall(clock.now_ms() + hours * 3_600_000);
                } else if action == 1 {
                    if let Some(unit) = take(&mut quota, &clock) {
                        *taken.entry(unit.day).or_default() += 1;
                        units.push(unit);
                    }
                } else if let Some(unit) = units.pop() {
                    // Work that never started counts on no day.
                    *taken.entry(unit.day).or_default() -= 1;
                    if let Some(used) = quota.release(&unit, &clock) {
                        quota.set(used);
                    }
                }
                prop_assert!(taken.values().all(|count| (0..=3).contains(count)));
            }
        }
    }
}
