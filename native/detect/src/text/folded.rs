//! Repetition with changes: the period finder over words, with numbers folded and a few new words a round allowed.

use super::{
    history::zeroed,
    words::{Kind, Token},
};

/// How many tokens are kept.
const TOKENS: usize = 2048;
/// The longest distance that can be followed: two rounds back must still be kept.
pub(super) const MAX_PERIOD_WORDS: u32 = 1000;
const SLOTS: usize = 2048;
/// How many tokens must be equal before a distance is followed.
const GRAM: u64 = 3;
const CREDIT_PER_TOKEN: u64 = 2;
const CREDIT_LIMIT: u64 = 2048;
/// A round with a larger share of new characters ends the run, in percent.
const BROKEN_PERCENT: u64 = 40;
/// A new word outweighs so many known ones: with one in ten the stretch no longer grows.
pub(super) const NEW_WORD_COST: u32 = 10;
/// Known words before a stale stretch is judged.
const STALE_FROM: u32 = 150;

#[derive(Debug, Clone, Copy, Default)]
struct Kept {
    hash: u32,
    value: u32,
    end: u32,
}

/// Rounds of words that follow each other with few changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Rounds {
    /// Length of the last round in tokens; 0 when there is no run.
    pub(super) period: u32,
    /// Index of the token where the second copy begins.
    start: u64,
    /// Characters read before the first copy.
    pub(super) onset: u64,
    /// Index of the token where the current round begins.
    round_start: u64,
    round_from: u64,
    round_new: u64,
    /// Complete copies after the first.
    pub(super) repeats: u64,
    /// Characters of these copies, and those of them that were new.
    chars: u64,
    new_chars: u64,
    /// Characters of ids that changed.
    id_chars: u64,
    /// How many repeats there must be before the run is worth a judgement.
    judge_at: u64,
    /// The last eight tokens: a bit for each that was not foretold.
    misses: u8,
}

/// A stretch in which nearly every word stands where it stood before, at whatever distance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stale {
    /// Known words less [`NEW_WORD_COST`] for each new one.
    pub(super) score: u32,
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
    /// How often the text has been said again.
    pub(super) fn rounds(&self) -> u64 {
        self.rounds >> 16
    }
}

impl Rounds {
    /// The share of new characters in the copies after the first, changed ids left aside.
    pub(super) fn novelty_percent(&self) -> u64 {
        self.new_chars * 100 / self.chars.max(1)
    }

    /// The share of changed ids.
    pub(super) fn id_percent(&self) -> u64 {
        self.id_chars * 100 / self.chars.max(1)
    }
}

/// Follows one distance at a time through the tokens.
#[derive(Debug, Clone)]
pub(super) struct FoldedFinder {
    tokens: Box<[Kept; TOKENS]>,
    /// By the hash of the last tokens: more bits of the hash, and where they stood last.
    slots: Box<[u32; SLOTS]>,
    count: u64,
    grams: [u32; 2],
    rounds: Rounds,
    stale: Stale,
    /// Steps back that were paid for when the account was last used, and when that was.
    credit: u64,
    credit_at: u64,
    max_period: u64,
}

struct Followed {
    matched: bool,
    round: bool,
}

/// What a token brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// A round ended.
    pub(super) round: bool,
    /// The stale stretch is worth a judgement.
    pub(super) stale: bool,
}

impl FoldedFinder {
    pub(super) fn new(max_period: u32) -> Self {
        Self {
            tokens: zeroed(),
            slots: zeroed(),
            count: 0,
            grams: [0; 2],
            rounds: Rounds::default(),
            stale: Stale::default(),
            credit: 0,
            credit_at: 0,
            max_period: u64::from(max_period.min(MAX_PERIOD_WORDS)),
        }
    }

    fn kept(&self, index: u64) -> Kept {
        self.tokens.get(index as usize % TOKENS).copied().unwrap_or_default()
    }

    /// Characters read up to the end of the token at `index`, which is at most 2^32 before `now`.
    fn end_of(&self, index: u64, now: u64) -> u64 {
        now.saturating_sub(u64::from((now as u32).wrapping_sub(self.kept(index).end)))
    }

    /// Takes a token that ends before the character at `end`.
    #[inline]
    pub(super) fn step(&mut self, token: Token, end: u64) -> Step {
        let index = self.count;
        self.count += 1;
        if let Some(place) = self.tokens.get_mut(index as usize % TOKENS) {
            *place = Kept { hash: token.hash, value: token.value, end: end as u32 };
        }
        let distance = self.look_up(index, token.hash);
        if distance == 0 && self.rounds.period == 0 {
            self.stale.score = self.stale.score.saturating_sub(NEW_WORD_COST);
            return Step::default();
        }
        self.step_known(token, index, distance, end)
    }

    fn step_known(&mut self, token: Token, index: u64, distance: u64, end: u64) -> Step {
        let seen = distance != 0 && (0..GRAM).all(|back| self.same(index - back, distance));
        let followed = self.follow(index, token, end, seen.then_some(distance));
        let stale = self.note(seen || followed.matched, index, distance, token, end);
        Step { round: followed.round, stale }
    }

    /// The distance to the last place with the same last tokens, by hash; 0 when there is none.
    #[inline]
    fn look_up(&mut self, index: u64, hash: u32) -> u64 {
        let [second, first] = self.grams;
        let gram = hash ^ first.rotate_left(11) ^ second.rotate_left(22);
        self.grams = [first, hash];
        let hash = u64::from(gram).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let (slot, tag) = ((hash >> 53) as usize, (hash >> 21) as u32 & 0xFFFF_0000);
        let mut before = 0;
        if let Some(place) = self.slots.get_mut(slot % SLOTS) {
            before = *place;
            *place = tag | (index as u32 & 0xFFFF);
        }
        if before & 0xFFFF_0000 != tag {
            return 0;
        }
        let distance = u64::from((index as u16).wrapping_sub(before as u16));
        if distance + GRAM > (TOKENS as u64).min(index) { 0 } else { distance }
    }

    /// Whether the token at `index` is that `distance` before it.
    fn same(&self, index: u64, distance: u64) -> bool {
        self.kept(index).hash == self.kept(index - distance).hash
    }

    fn follow(&mut self, index: u64, token: Token, end: u64, seen: Option<u64>) -> Followed {
        let period = u64::from(self.rounds.period);
        let mut matched = false;
        if period != 0 {
            let old = self.kept(index - period);
            matched = old.hash == token.hash;
            self.rounds.misses = self.rounds.misses << 1 | u8::from(!matched);
            if !matched {
                if !self.was_two_rounds_back(index, token) {
                    self.rounds.round_new += u64::from(token.len);
                }
            } else if token.kind == Kind::Number {
                self.rounds.round_new += self.new_digits(index, token, old);
            } else if token.kind == Kind::Id && token.value != old.value {
                self.rounds.id_chars += u64::from(token.len);
            }
        }
        if !matched
            && let Some(distance) = seen
            && distance != period
        {
            self.consider(index, distance, end);
        }
        let period = u64::from(self.rounds.period);
        let round = period != 0
            && index + 1 - self.rounds.round_start >= period
            && self.end_round(index, end);
        Followed { matched, round }
    }

    /// Keeps the account of known and new words. Returns whether the stale stretch is worth a judgement.
    fn note(&mut self, known: bool, index: u64, distance: u64, token: Token, end: u64) -> bool {
        let before = if distance == 0 { u64::from(self.rounds.period) } else { distance };
        let stale = &mut self.stale;
        if !known {
            stale.score = stale.score.saturating_sub(NEW_WORD_COST);
            return false;
        }
        if stale.score == 0 {
            let from = end - u64::from(token.len).min(end);
            let onset = if index > before { self.end_of(index - before - 1, end) } else { 0 };
            self.stale = Stale { score: 1, rounds: 0, judge_at: STALE_FROM, onset, from };
            return false;
        }
        stale.score += 1;
        stale.rounds += 65_536 / before.max(1);
        stale.score >= stale.judge_at
    }

    /// Whether a word that differs from the one a round back returns from the round before: a change undone is no news.
    fn was_two_rounds_back(&self, index: u64, token: Token) -> bool {
        let back = 2 * u64::from(self.rounds.period);
        self.rounds.repeats > 0
            && back < TOKENS as u64
            && self.kept(index.wrapping_sub(back)).hash == token.hash
    }

    /// How many digits of a number could not be foretold from the two rounds before.
    fn new_digits(&self, index: u64, token: Token, old: Kept) -> u64 {
        let change = token.value.wrapping_sub(old.value);
        if change == 0 {
            return 0;
        }
        let period = u64::from(self.rounds.period);
        let known = self.rounds.repeats > 0 && 2 * period < TOKENS as u64;
        let older = self.kept(index.wrapping_sub(2 * period));
        let foretold = if known && older.hash == token.hash {
            old.value.wrapping_sub(older.value) == change
        } else {
            change == 1
        };
        if foretold {
            return 0;
        }
        let size = change.min(change.wrapping_neg());
        u64::from((size.ilog10() + 1).min(token.len))
    }

    /// Follows `distance`, which the last tokens bear out, unless the run goes on well enough.
    fn consider(&mut self, index: u64, distance: u64, end: u64) {
        if distance > self.max_period {
            return;
        }
        let old = self.rounds;
        let period = u64::from(old.period);
        let near = period != 0 && distance.abs_diff(period) <= 2.max(period / 4);
        if near {
            self.rounds.period = distance as u32;
            self.forgive(index);
            return;
        }
        if period != 0 && (old.misses & 0x3F).count_ones() < 4 {
            return;
        }
        let limit = (TOKENS as u64 - 1 - distance).min(index - distance);
        let earned = CREDIT_PER_TOKEN * (index - self.credit_at);
        self.credit = (self.credit + earned).min(CREDIT_LIMIT);
        self.credit_at = index;
        let paid = GRAM + self.credit;
        let mut len = GRAM;
        while len < limit.min(paid) && self.same(index - len, distance) {
            len += 1;
        }
        self.credit = self.credit.saturating_sub(len - GRAM);
        let start = index + 1 - len;
        let repeats = len / distance;
        let round_start = start + repeats * distance;
        let onset = if start > distance { self.end_of(start - distance - 1, end) } else { 0 };
        let from = if start > 0 { self.end_of(start - 1, end) } else { 0 };
        let round_from = self.end_of(round_start.saturating_sub(1), end);
        self.rounds = Rounds {
            period: distance as u32,
            start,
            onset,
            round_start,
            round_from,
            round_new: 0,
            repeats,
            chars: round_from - from,
            new_chars: 0,
            id_chars: 0,
            judge_at: 2,
            misses: 0,
        };
    }

    /// The last tokens turn out to be old words at a new distance: they are not new.
    fn forgive(&mut self, index: u64) {
        for back in 0..GRAM {
            if self.rounds.misses >> back & 1 == 1 {
                let end = self.kept(index - back).end;
                let len = end.wrapping_sub(self.kept(index - back - 1).end);
                self.rounds.round_new = self.rounds.round_new.saturating_sub(u64::from(len));
            }
        }
        self.rounds.misses &= !0x7;
    }

    fn end_round(&mut self, index: u64, end: u64) -> bool {
        let rounds = &mut self.rounds;
        let chars = end - rounds.round_from;
        if rounds.round_new * 100 > chars * BROKEN_PERCENT {
            *rounds = Rounds::default();
            return false;
        }
        rounds.repeats += 1;
        rounds.chars += chars;
        rounds.new_chars += rounds.round_new;
        rounds.round_new = 0;
        rounds.round_start = index + 1;
        rounds.round_from = end;
        rounds.repeats >= rounds.judge_at
    }

    /// Puts the next judgement of the run off until there are as many repeats.
    pub(super) fn judge_rounds_at(&mut self, repeats: u64) {
        self.rounds.judge_at = repeats;
    }

    /// The stale stretch at the end of the text.
    pub(super) fn stale(&self) -> Stale {
        self.stale
    }

    /// Puts the next judgement of the stale stretch off.
    pub(super) fn judge_stale_later(&mut self) {
        self.stale.judge_at = self.stale.score + STALE_FROM / 2;
    }

    /// The run at the end of the text.
    pub(super) fn rounds(&self) -> Rounds {
        self.rounds
    }

    /// Where the last copy begins, in characters.
    pub(super) fn last_copy(&self, end: u64) -> u64 {
        let period = u64::from(self.rounds.period);
        if self.count > period { self.end_of(self.count - period - 1, end) } else { 0 }
    }
}
