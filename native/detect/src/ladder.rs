//! What to do about a loop: one step further each time the same loop is found again.

use serde::{Deserialize, Serialize};

use crate::Recovery;

/// How many loops a ladder remembers; the one that was found the longest ago makes room.
const LOOPS: usize = 64;

/// How far a loop has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Take note of it and go on.
    Observe,
    /// Tell the model.
    Hint,
    /// Don't carry out the call; abort the reply and ask again.
    Block,
    /// End the work and let a person decide.
    Stop,
}

/// Which levels a loop goes through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LadderConfig {
    /// The level of the first, second, … time that one loop is found; the last one stays. Never descending.
    pub levels: Vec<Level>,
    /// After so many rounds of calls that brought something new, every loop starts at the first level again. 0: never.
    pub rearm_after: u32,
}

impl Default for LadderConfig {
    fn default() -> Self {
        Self { levels: vec![Level::Hint, Level::Block, Level::Stop], rearm_after: 10 }
    }
}

impl LadderConfig {
    /// Says which field is wrong, what it is and what it may be.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn validate(&self) -> Result<(), String> {
        if self.levels.is_empty() || self.levels.len() > 16 {
            return Err(format!(
                "`levels` has {} entries; it must have 1 to 16",
                self.levels.len()
            ));
        }
        if !self.levels.is_sorted() {
            return Err(format!("`levels` is {:?}; it must not descend", self.levels));
        }
        if self.rearm_after > 10_000 {
            return Err(format!(
                "`rearm_after` is {}; it must be 0 (never) to 10000",
                self.rearm_after
            ));
        }
        Ok(())
    }
}

/// How often each loop of a prompt was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ladder {
    /// Identity and count, the last found first.
    loops: Vec<(u64, u32)>,
}

impl Ladder {
    /// A loop was found: at which level?
    pub(crate) fn climb(&mut self, identity: u64, config: &LadderConfig) -> Level {
        let at = self.loops.iter().position(|(known, _)| *known == identity);
        let count = at.map_or(0, |at| self.loops.remove(at).1);
        self.loops.truncate(LOOPS - 1);
        self.loops.insert(0, (identity, count.saturating_add(1)));
        let last = config.levels.last().copied().unwrap_or(Level::Stop);
        config.levels.get(count as usize).copied().unwrap_or(last)
    }

    /// Every loop starts at the first level again.
    pub(crate) fn rearm(&mut self) {
        self.loops.clear();
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.loops.len() <= LOOPS
    }
}

/// The advice that goes with a level. `hint` is made only where it is used.
pub(crate) fn advice(level: Level, hint: impl FnOnce() -> String) -> Recovery {
    match level {
        Level::Observe => Recovery::Continue,
        Level::Hint => Recovery::AbortWithHint { hint: hint() },
        Level::Block => Recovery::AbortAndRetry,
        Level::Stop => Recovery::AskUser,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_loop_climbs_by_itself() {
        let config = LadderConfig::default();
        let mut ladder = Ladder::default();
        assert_eq!(ladder.climb(1, &config), Level::Hint);
        assert_eq!(ladder.climb(1, &config), Level::Block);
        assert_eq!(ladder.climb(2, &config), Level::Hint);
        assert_eq!(ladder.climb(1, &config), Level::Stop);
        assert_eq!(ladder.climb(1, &config), Level::Stop);
        ladder.rearm();
        assert_eq!(ladder.climb(1, &config), Level::Hint);
    }

    #[test]
    fn a_million_loops_take_no_more_room_than_sixty_four() {
        let mut ladder = Ladder::default();
        for identity in 0..1_000_000 {
            ladder.climb(identity, &LadderConfig::default());
        }
        assert!(ladder.is_sound());
    }

    #[test]
    fn a_ladder_that_descends_is_refused() {
        let config = LadderConfig { levels: vec![Level::Stop, Level::Hint], ..Default::default() };
        assert!(config.validate().unwrap_err().contains("descend"));
        assert!(LadderConfig { levels: vec![], ..Default::default() }.validate().is_err());
    }
}
