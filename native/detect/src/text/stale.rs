//! The account of a stretch of text that says nothing new, in whatever order.

/// A new word outweighs so many known ones: with one in ten the stretch no longer grows.
const NEW_WORD_COST: u32 = 10;
/// Known words before a stretch is judged.
const JUDGE_FROM: u32 = 150;

/// A stretch in which nearly every word stands where it stood before, at whatever distance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stale {
    /// Known words less [`NEW_WORD_COST`] for each new one.
    score: u32,
    /// How often the text has been said again, in 65,536ths.
    rounds: u64,
    /// The score at which the stretch is worth a judgement.
    judge_at: u32,
    /// Characters read before the text that is said again.
    pub(super) onset: u64,
    /// Characters read before the stretch.
    pub(super) from: u64,
}

impl Stale {
    /// A stretch that begins after `from` characters with what was said after `onset` characters.
    pub(super) fn begin(onset: u64, from: u64) -> Self {
        Self { score: 1, rounds: 0, judge_at: JUDGE_FROM, onset, from }
    }

    /// Whether there is no stretch.
    pub(super) fn is_over(&self) -> bool {
        self.score == 0
    }

    /// How often the text has been said again.
    pub(super) fn rounds(&self) -> u64 {
        self.rounds >> 16
    }

    /// Takes a new word.
    #[inline]
    pub(super) fn take_new(&mut self) {
        self.score = self.score.saturating_sub(NEW_WORD_COST);
    }

    /// Takes a word that stood `distance` words before. Returns whether the stretch is worth a judgement.
    pub(super) fn take_known(&mut self, distance: u64) -> bool {
        self.score += 1;
        // The distance fits the ring of tokens; a short division is several times quicker than a long one.
        self.rounds += u64::from(65_536 / (distance as u32).max(1));
        self.score >= self.judge_at
    }

    /// Puts the next judgement off until there is a little more.
    pub(super) fn judge_soon(&mut self) {
        self.judge_at = self.score + JUDGE_FROM / 3;
    }

    /// Puts the next judgement off until there is much more: it was no prose.
    pub(super) fn judge_later(&mut self) {
        self.judge_at = self.score + (2 * JUDGE_FROM).max(self.score / 2);
    }
}
