//! When a judge is asked.

use serde::{Deserialize, Serialize};

use super::JudgeConfig;

/// The turns of one prompt, as far as judging them goes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Schedule {
    /// Turns of this prompt so far.
    turn: u32,
    /// The turn of the last judgement; 0: none.
    judged: u32,
    /// Turns until the next one; 0: not judged yet.
    interval: u32,
}

impl Schedule {
    /// A turn begins.
    pub(crate) fn begin_turn(&mut self) {
        self.turn = self.turn.saturating_add(1);
    }

    /// Whether to ask now. `smell` is what the screen says of the turns so far, 0 to 1. Asking is taken for granted.
    pub(crate) fn is_due(&mut self, config: &JudgeConfig, smell: f64) -> bool {
        let since = self.turn.saturating_sub(self.judged);
        let interval = if self.judged == 0 { 0 } else { self.interval };
        let due = self.turn >= config.from_turn && since >= interval;
        let now = if config.screen {
            let smells = smell >= config.smells_from && self.turn >= config.early_from_turn;
            since >= interval && smells || due && since >= config.most_turns_unjudged
        } else {
            due
        };
        if now {
            self.judged = self.turn;
            self.interval = config.first_interval;
        }
        now
    }

    /// A judgement came in: the surer it is of a loop, the sooner the next one.
    pub(crate) fn judged(&mut self, config: &JudgeConfig, confidence: f64) {
        let span = f64::from(config.max_interval - config.min_interval);
        let more = (span * (1.0 - confidence.clamp(0.0, 1.0))).round();
        self.interval = config.min_interval + more as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(config: &JudgeConfig, turns: u32, smell: f64, confidence: f64) -> Vec<u32> {
        let mut schedule = Schedule::default();
        let mut found = Vec::new();
        for turn in 1..=turns {
            schedule.begin_turn();
            if schedule.is_due(config, smell) {
                found.push(turn);
                schedule.judged(config, confidence);
            }
        }
        found
    }

    #[test]
    fn without_the_screen_the_intervals_follow_the_confidence() {
        let config = JudgeConfig { screen: false, ..JudgeConfig::default() };
        assert_eq!(asked(&config, 70, 0.0, 0.0), [30, 45, 60]);
        assert_eq!(asked(&config, 50, 0.0, 1.0), [30, 35, 40, 45, 50]);
        assert_eq!(asked(&config, 45, 0.0, 0.5), [30, 40]);
    }

    #[test]
    fn a_judgement_that_never_came_is_tried_again_after_the_first_interval() {
        let config = JudgeConfig { screen: false, ..JudgeConfig::default() };
        let mut schedule = Schedule::default();
        let mut is_asked = || {
            schedule.begin_turn();
            schedule.is_due(&config, 0.0)
        };
        let turns: Vec<_> = (1..=36).filter(|_| is_asked()).collect();
        assert_eq!(turns, [30, 33, 36]);
    }

    #[test]
    fn the_screen_asks_early_when_it_smells_and_seldom_when_it_does_not() {
        let config = JudgeConfig::default();
        assert_eq!(asked(&config, 50, 0.9, 0.5), [16, 26, 36, 46]);
        assert_eq!(asked(&config, 100, 0.0, 0.0), [40, 80]);
    }
}
