//! Repetition with changes: the period finder over words, with numbers folded and a few new words a round allowed.

use super::{
    history::{clear, zeroed},
    rounds::Rounds,
    stale::Stale,
    words::{Kind, Token, ends_sentence},
};

/// How many tokens are kept.
const TOKENS: usize = 2048;
/// The longest distance that can be followed: two rounds back must still be kept.
pub(super) const MAX_PERIOD_WORDS: u32 = 1000;
const SLOTS: usize = 2048;
/// How many tokens must be equal before a distance is followed.
const GRAM: u64 = 3;
/// Slots for numbers by their values: a block of lines holds few.
const VALUE_SLOTS: usize = 256;
/// Steps back that one token pays for, as in the rule for literal repetition.
const CREDIT_PER_TOKEN: u64 = 2;
const CREDIT_LIMIT: u64 = 2048;

#[derive(Debug, Clone, Copy, Default)]
struct Kept {
    hash: u32,
    value: u32,
    end: u32,
}

/// Follows one distance at a time through the tokens.
#[derive(Debug, Clone)]
pub(super) struct FoldedFinder {
    tokens: Box<[Kept; TOKENS]>,
    /// By the hash of the last tokens: more bits of the hash, and where they stood last.
    slots: Box<[u32; SLOTS]>,
    count: u64,
    grams: [u32; 2],
    /// As `slots`, for the last tokens when they end with a number, with its value.
    value_slots: Box<[u32; VALUE_SLOTS]>,
    rounds: Rounds,
    stale: Stale,
    /// Steps back that were paid for when the account was last used, and when that was.
    credit: u64,
    credit_at: u64,
    max_period: u64,
}

/// What a token brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// A round ended, and the run is worth a judgement.
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
            value_slots: zeroed(),
            rounds: Rounds::default(),
            stale: Stale::default(),
            credit: 0,
            credit_at: 0,
            max_period: u64::from(max_period.min(MAX_PERIOD_WORDS)),
        }
    }

    /// As new.
    pub(super) fn reset(&mut self) {
        clear(self.tokens.as_mut_slice(), self.count);
        self.slots.fill(0);
        self.value_slots.fill(0);
        self.count = 0;
        self.grams = [0; 2];
        self.rounds = Rounds::default();
        self.stale = Stale::default();
        (self.credit, self.credit_at) = (0, 0);
    }

    fn kept(&self, index: u64) -> Kept {
        self.tokens.get(index as usize % TOKENS).copied().unwrap_or_default()
    }

    /// Characters read before the token at `index`, which is at most 2^32 before `now`.
    fn start_of(&self, index: u64, now: u64) -> u64 {
        let Some(before) = index.checked_sub(1) else { return 0 };
        now.saturating_sub(u64::from((now as u32).wrapping_sub(self.kept(before).end)))
    }

    /// Whether the token at `index` is that `distance` before it.
    fn same(&self, index: u64, distance: u64) -> bool {
        self.kept(index).hash == self.kept(index - distance).hash
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
        let matched = self.compare(index, token);
        let round_ends = self.rounds.end_with(index);
        let is_new_word = distance == 0 && !matched && token.kind == Kind::Word;
        if is_new_word && !round_ends {
            self.take_new();
            return Step::default();
        }
        self.step_known(token, index, distance, matched, end)
    }

    /// The distance to the last place with the same last tokens, by hash; 0 when there is none.
    #[inline]
    fn look_up(&mut self, index: u64, hash: u32) -> u64 {
        let [second, first] = self.grams;
        let gram = hash ^ first.rotate_left(11) ^ second.rotate_left(22);
        self.grams = [first, hash];
        swap(&mut self.slots, gram, index)
    }

    /// As [`Self::look_up`], for a number with this value.
    fn look_up_value(&mut self, index: u64, token: Token) -> u64 {
        let before = self.kept(index.wrapping_sub(1)).hash.rotate_left(11);
        swap(&mut self.value_slots, token.hash ^ before ^ token.value.rotate_left(22), index)
    }

    fn step_known(
        &mut self,
        token: Token,
        index: u64,
        distance: u64,
        matched: bool,
        end: u64,
    ) -> Step {
        let seen = distance != 0 && (0..GRAM).all(|back| self.same(index - back, distance));
        if !matched && seen && distance != self.rounds.period {
            self.consider(index, distance, end);
        }
        if token.kind != Kind::Word && self.rounds.period != 0 {
            self.consider_block(index, token, end);
        }
        let period = self.rounds.period;
        let round = self.rounds.end_with(index) && {
            let model = self.start_of(self.rounds.from.saturating_sub(period), end);
            self.rounds.end_round(index + 1, end, model)
        };
        let back = if seen { distance } else { period };
        let is_known =
            (seen || matched) && (token.kind == Kind::Word || self.is_foretold(index, back));
        let stale = is_known && self.take_known(index, back, token, end);
        if !is_known {
            self.take_new();
        }
        Step { round, stale }
    }

    /// Takes a word that does not stand where it stood before. Which sentence comes next is no news.
    #[inline]
    fn take_new(&mut self) {
        let [before, _] = self.grams;
        if !self.stale.is_over() && !ends_sentence(before) {
            self.stale.take_new();
        }
    }

    fn take_known(&mut self, index: u64, distance: u64, token: Token, end: u64) -> bool {
        if self.stale.is_over() {
            let onset = self.start_of(index.saturating_sub(distance), end);
            self.stale = Stale::begin(onset, end.saturating_sub(u64::from(token.len)));
            return false;
        }
        self.stale.take_known(distance)
    }

    /// Compares the token with the one a round back, and books what is new.
    #[inline]
    fn compare(&mut self, index: u64, token: Token) -> bool {
        let period = self.rounds.period;
        if period == 0 {
            return false;
        }
        let old = self.kept(index - period);
        let matched = old.hash == token.hash;
        self.rounds.note(matched);
        if matched {
            if token.value != old.value {
                match token.kind {
                    Kind::Number => self.rounds.add_digits(self.new_digits(index, token, period)),
                    Kind::Id => self.rounds.add_id(u64::from(token.len)),
                    Kind::Word => {}
                }
            }
        } else if !self.was_two_rounds_back(index, token) {
            self.rounds.add_word(u64::from(token.len));
        } else if token.kind == Kind::Number {
            self.rounds.add_digits(self.new_digits(index, token, 2 * period));
        }
        matched
    }

    /// Whether a word that differs from the one a round back returns from the round before: a change undone is no news.
    fn was_two_rounds_back(&self, index: u64, token: Token) -> bool {
        let back = 2 * self.rounds.period;
        self.rounds.whole.repeats > 0
            && back < TOKENS as u64
            && self.kept(index.wrapping_sub(back)).hash == token.hash
    }

    /// How many digits of a number could not be foretold from those `back` and twice as many tokens before.
    fn new_digits(&self, index: u64, token: Token, back: u64) -> u64 {
        let old = self.kept(index.wrapping_sub(back));
        let change = token.value.wrapping_sub(old.value);
        if change == 0 {
            return 0;
        }
        let known = self.rounds.whole.repeats > 0 && 2 * back < TOKENS as u64;
        let older = self.kept(index.wrapping_sub(2 * back));
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
        let period = self.rounds.period;
        let goes_on = self.rounds.goes_on();
        if (goes_on || self.rounds.whole.repeats > 0)
            && period != 0
            && distance.abs_diff(period) <= 2.max(period / 4)
        {
            let ends = [0, 1, 2, 3].map(|back| self.kept(index.wrapping_sub(back)).end);
            let lens = ends.windows(2).map(|pair| match pair {
                [end, before] => u64::from(end.wrapping_sub(*before)),
                _ => 0,
            });
            self.rounds.drift(distance, lens);
            return;
        }
        if goes_on && !(self.rounds.is_poor() && distance > period) {
            return;
        }
        // A poor run is left for a longer distance only if that explains a whole round: cells for rows.
        let least = if goes_on { distance } else { GRAM };
        let len = self.matched_back(index, distance, least, Self::same);
        if len >= least {
            self.begin_run(index, distance, len, end);
        }
    }

    /// Lines that share a frame are a round each, and their numbers news. If these come back or count on from block to
    /// block, the block is the round.
    fn consider_block(&mut self, index: u64, token: Token, end: u64) {
        let distance = self.look_up_value(index, token);
        if distance <= self.rounds.period
            || distance > self.max_period
            || !self.rounds.brings_news()
        {
            return;
        }
        let len = self.matched_back(index, distance, distance, Self::is_foretold);
        if len >= distance {
            self.begin_run(index, distance, len, end);
        }
    }

    /// Whether the token at `index` is that `distance` before it, or a number that counts on from it.
    fn is_foretold(&self, index: u64, distance: u64) -> bool {
        let (new, old) = (self.kept(index), self.kept(index - distance));
        if new.hash != old.hash {
            return false;
        }
        let change = new.value.wrapping_sub(old.value);
        let older = self.kept(index.wrapping_sub(2 * distance));
        change <= 1
            || (2 * distance < TOKENS as u64
                && older.hash == old.hash
                && old.value.wrapping_sub(older.value) == change)
    }

    /// How many of the last tokens are the `same` as those `distance` before them, as far as that is paid for. Nothing is
    /// spent before `least` of them are paid for: looking back too often would always stop short.
    fn matched_back(
        &mut self,
        index: u64,
        distance: u64,
        least: u64,
        same: fn(&Self, u64, u64) -> bool,
    ) -> u64 {
        let limit = (TOKENS as u64 - 1 - distance).min(index - distance);
        let earned = CREDIT_PER_TOKEN * (index - self.credit_at);
        self.credit = (self.credit + earned).min(CREDIT_LIMIT);
        self.credit_at = index;
        let paid = GRAM + self.credit;
        if paid < least {
            return 0;
        }
        let mut len = 0;
        while len < limit.min(paid) && same(self, index - len, distance) {
            len += 1;
        }
        self.credit = self.credit.saturating_sub(len.saturating_sub(GRAM));
        len
    }

    /// Follows `distance`, which the last `len` tokens bear out, and books what their numbers brought: these may change
    /// from round to round.
    fn begin_run(&mut self, index: u64, distance: u64, len: u64, end: u64) {
        let start = index + 1 - len;
        self.begin_round(start, distance, end);
        if len < distance {
            return;
        }
        for at in start..=index {
            if !self.is_foretold(at, distance) {
                let (new, before) = (self.kept(at), self.kept(at - 1));
                let len = new.end.wrapping_sub(before.end);
                let token = Token { hash: new.hash, value: new.value, len, kind: Kind::Number };
                self.rounds.add_digits(self.new_digits(at, token, distance));
            }
            if self.rounds.end_with(at) {
                let model = self.start_of((at + 1).saturating_sub(2 * distance), end);
                self.rounds.end_round(at + 1, self.start_of(at + 1, end), model);
                if self.rounds.period == 0 {
                    self.begin_round(at + 1, distance, end);
                }
            }
        }
    }

    /// Follows `distance` from the token at `start` on.
    fn begin_round(&mut self, start: u64, distance: u64, end: u64) {
        let onset = self.start_of(start.saturating_sub(distance), end);
        self.rounds = Rounds::begin(distance, onset, start, self.start_of(start, end));
    }

    /// The stale stretch at the end of the text.
    pub(super) fn stale(&mut self) -> &mut Stale {
        &mut self.stale
    }

    /// The run at the end of the text.
    pub(super) fn rounds(&mut self) -> &mut Rounds {
        &mut self.rounds
    }

    /// Where the last copy begins, in characters.
    pub(super) fn last_copy(&self, end: u64) -> u64 {
        self.start_of(self.count.saturating_sub(self.rounds.period), end)
    }
}

/// Puts `index` into the slot of `gram` and returns how far back the same gram was, by its hash; 0 when it was not.
#[inline]
fn swap<const N: usize>(slots: &mut [u32; N], gram: u32, index: u64) -> u64 {
    let hash = u64::from(gram).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let (slot, tag) = ((hash >> 53) as usize, (hash >> 21) as u32 & 0xFFFF_0000);
    let Some(place) = slots.get_mut(slot % N) else { return 0 };
    let before = std::mem::replace(place, tag | (index as u32 & 0xFFFF));
    if before & 0xFFFF_0000 != tag {
        return 0;
    }
    let distance = u64::from((index as u16).wrapping_sub(before as u16));
    if distance + GRAM > (TOKENS as u64).min(index) { 0 } else { distance }
}
