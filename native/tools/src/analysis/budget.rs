//! Bounds the work on one file, so that no file can hold up a scan.

use std::{cell::Cell, ops::ControlFlow, time::Duration};

use ouro_core::Clock;

/// Steps of parser and query allowed for each byte of a file, and for any file. Of 16,000 real files none needed more
/// than 5 per byte.
const STEPS_PER_BYTE: usize = 8;
const STEPS_FOR_ANY: usize = 100_000;
/// Steps allowed while the parser looks for a way to go on after an error. The same files needed at most 18,000.
const STEPS_AFTER_ERRORS: usize = 100_000;
/// The library calls back once in so many steps.
const STEPS_PER_CALLBACK: usize = 100;
/// Time allowed for any file, and for each MiB: ten times what a slow machine needs. The steps bound nearly every file,
/// and the same on every machine; but a step's cost has no bound.
const TIME_FOR_ANY: Duration = Duration::from_secs(2);
const TIME_PER_MIB: Duration = Duration::from_secs(10);

/// Why a file has no code facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unparsed {
    /// The scan was cancelled.
    Cancelled,
    /// Parsing took more work than any sensible file needs.
    TooComplex,
    /// Parsing took longer than any sensible file does.
    TooSlow,
}

/// What can end the work on a file early.
#[derive(Clone, Copy)]
pub(super) struct Watch<'a> {
    /// Whether the scan was cancelled.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Measures the time spent.
    pub clock: &'a dyn Clock,
}

/// What is left of the work allowed on one file.
pub(super) struct Budget<'a> {
    watch: Watch<'a>,
    until: Duration,
    left: Cell<usize>,
    left_after_errors: Cell<usize>,
    outcome: Cell<Option<Unparsed>>,
}

impl<'a> Budget<'a> {
    /// The work allowed on a file of this many bytes, from now on.
    pub(super) fn new(watch: Watch<'a>, bytes: usize) -> Self {
        let mib = f64::from(u32::try_from(bytes).unwrap_or(u32::MAX)) / f64::from(1 << 20);
        Self {
            watch,
            until: watch.clock.monotonic() + TIME_FOR_ANY + TIME_PER_MIB.mul_f64(mib),
            left: Cell::new((STEPS_FOR_ANY + bytes * STEPS_PER_BYTE) / STEPS_PER_CALLBACK),
            left_after_errors: Cell::new(STEPS_AFTER_ERRORS / STEPS_PER_CALLBACK),
            outcome: Cell::new(None),
        }
    }

    /// To be called once in [`STEPS_PER_CALLBACK`] steps.
    pub(super) fn spend(&self, after_error: bool) -> ControlFlow<()> {
        let pot = if after_error { &self.left_after_errors } else { &self.left };
        let left = pot.get();
        let outcome = if (self.watch.is_cancelled)() {
            Unparsed::Cancelled
        } else if left == 0 {
            Unparsed::TooComplex
        } else if self.watch.clock.monotonic() > self.until {
            Unparsed::TooSlow
        } else {
            pot.set(left - 1);
            return ControlFlow::Continue(());
        };
        self.outcome.set(Some(outcome));
        ControlFlow::Break(())
    }

    /// Why the work was ended early, if it was.
    pub(super) fn outcome(&self) -> Result<(), Unparsed> {
        self.outcome.get().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use ouro_testkit::ManualClock;

    use super::*;

    #[test]
    fn work_ends_by_steps_by_time_or_by_cancelling() {
        let clock = ManualClock::new(0);
        let no = || false;
        let watch = Watch { is_cancelled: &no, clock: &clock };
        let budget = Budget::new(watch, 0);
        let steps = (0..).take_while(|_| budget.spend(false).is_continue()).count();
        assert_eq!((steps, budget.outcome()), (1_000, Err(Unparsed::TooComplex)));
        let budget = Budget::new(watch, 1 << 20);
        assert!(budget.spend(true).is_continue());
        clock.advance(Duration::from_secs(12));
        assert!(budget.spend(false).is_continue());
        clock.advance(Duration::from_millis(1));
        assert!(budget.spend(false).is_break());
        assert_eq!(budget.outcome(), Err(Unparsed::TooSlow));
        let yes = || true;
        let budget = Budget::new(Watch { is_cancelled: &yes, clock: &clock }, 0);
        assert!(budget.spend(false).is_break());
        assert_eq!(budget.outcome(), Err(Unparsed::Cancelled));
    }
}
