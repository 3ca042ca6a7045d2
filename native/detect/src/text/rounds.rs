//! Accounts of what each round of a repetition brings.

/// A round with a larger share of new characters ends the run, in percent.
const BROKEN_PERCENT: u64 = 40;
/// Rounds with a larger share of new characters are poor, in percent.
const POOR_PERCENT: u64 = 3;
/// A round with a larger share of new characters is not quiet, in percent.
const QUIET_PERCENT: u64 = 2;

/// How many letters say what a character says that stands for a word or a syllable.
const LETTERS_A_SOLO: u64 = 3;

/// Copies that follow each other, and what was new in them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Account {
    /// Characters read before the first copy.
    pub(super) onset: u64,
    /// Complete copies after the first.
    pub(super) repeats: u64,
    /// Characters of these copies.
    chars: u64,
    new_chars: u64,
    /// The part of the new ones that is no letter among others: words of one character, digits, signs.
    new_dense: u64,
    /// Characters of ids that changed.
    id_chars: u64,
    /// How many repeats there must be before the account is worth a judgement.
    judge_at: u64,
}

/// The characters of a round, and what was new among them.
#[derive(Debug, Clone, Copy, Default)]
struct Round {
    chars: u64,
    new_chars: u64,
    new_dense: u64,
    id_chars: u64,
}

/// Rounds of words that follow each other with few changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Rounds {
    /// Length of the last round in tokens; 0 when there is no run.
    pub(super) period: u64,
    /// All rounds of the run.
    pub(super) whole: Account,
    /// The last rounds, as far back as none brought anything new: a list that makes sense may end in a loop.
    pub(super) quiet: Account,
    /// The last rounds, as far back as nothing changed but numbers that counted on.
    pub(super) counting: Account,
    /// Index of the token where the current round begins, and the characters read before it.
    pub(super) from: u64,
    from_char: u64,
    new_chars: u64,
    new_dense: u64,
    id_chars: u64,
    /// The last eight tokens: a bit for each that was not foretold.
    misses: u8,
}

impl Account {
    /// The share of new characters in the copies after the first, changed ids left aside.
    pub(super) fn novelty_percent(&self) -> u64 {
        self.new_chars * 100 / self.chars.max(1)
    }

    /// As [`Self::novelty_percent`] of copies in which `solos` of `of` characters stand for a word or a syllable each:
    /// measured in letters, as the same sentence is in a script that has them. Digits say as much in any script.
    pub(super) fn novelty_percent_in_letters(&self, solos: u64, of: u64) -> u64 {
        if solos == 0 {
            return self.novelty_percent();
        }
        let more = LETTERS_A_SOLO - 1;
        let chars = self.chars + self.chars * solos * more / of.max(1);
        (self.new_chars + self.new_dense * more) * 100 / chars.max(1)
    }

    /// The share of changed ids.
    pub(super) fn id_percent(&self) -> u64 {
        self.id_chars * 100 / self.chars.max(1)
    }

    /// Whether there is enough for a judgement.
    pub(super) fn is_due(&self) -> bool {
        self.repeats >= self.judge_at.max(2)
    }

    /// Puts the next judgement off: to `least` repeats, and further and further, so that judging costs nothing.
    pub(super) fn put_off(&mut self, least: u64) {
        self.judge_at = least.max(self.repeats + 1 + self.repeats / 8);
    }

    /// Adds a round like those before it, whose model began after `model` characters.
    fn go_on(&mut self, model: u64, round: Round) {
        if self.repeats == 0 {
            self.onset = model;
        }
        self.add(round);
    }

    /// Begins anew: the last round was unlike those before it.
    fn break_off(&mut self) {
        *self = Self { judge_at: self.judge_at, ..Self::default() };
    }

    fn add(&mut self, round: Round) {
        self.repeats += 1;
        self.chars += round.chars;
        self.new_chars += round.new_chars;
        self.new_dense += round.new_dense;
        self.id_chars += round.id_chars;
    }
}

impl Rounds {
    /// A run of `period` whose first copy begins after `onset` characters; the current round, the first after it, begins at
    /// the token `from`, after `from_char` characters.
    pub(super) fn begin(period: u64, onset: u64, from: u64, from_char: u64) -> Self {
        let account = Account { onset, ..Account::default() };
        let (whole, quiet, counting) = (account, account, account);
        Self { period, whole, quiet, counting, from, from_char, ..Self::default() }
    }

    /// Whether the current round ends with the token at `index`.
    #[inline]
    pub(super) fn end_with(&self, index: u64) -> bool {
        self.period != 0 && index + 1 >= self.from + self.period
    }

    /// Notes whether the next token was foretold.
    pub(super) fn note(&mut self, foretold: bool) {
        self.misses = self.misses << 1 | u8::from(!foretold);
    }

    /// Adds a new word to the round.
    pub(super) fn add_word(&mut self, chars: u64) {
        self.new_chars += chars;
        if chars == 1 {
            self.new_dense += 1;
        }
    }

    /// Adds new digits to the round.
    pub(super) fn add_digits(&mut self, digits: u64) {
        self.new_chars += digits;
        self.new_dense += digits;
    }

    /// Adds characters of changed ids to the round.
    pub(super) fn add_id(&mut self, chars: u64) {
        self.id_chars += chars;
    }

    /// Whether the last tokens went as foretold, by and large.
    pub(super) fn goes_on(&self) -> bool {
        self.period != 0 && (self.misses & 0x3F).count_ones() < 4
    }

    /// Whether numbers or words were new in any round.
    pub(super) fn brings_news(&self) -> bool {
        self.new_chars + self.id_chars + self.whole.new_chars + self.whole.id_chars > 0
    }

    /// Whether the rounds so far bring too much that is new for any loop.
    pub(super) fn is_poor(&self) -> bool {
        self.whole.repeats > 0 && self.whole.novelty_percent() > POOR_PERCENT
    }

    /// Moves to a `period` close by. The last tokens, of which `lens` are the lengths, last first, turn out to be old
    /// words.
    pub(super) fn drift(&mut self, period: u64, lens: impl Iterator<Item = u64>) {
        self.period = period;
        for (back, len) in lens.enumerate() {
            if self.misses >> back & 1 == 1 {
                self.new_chars = self.new_chars.saturating_sub(len);
                self.new_dense = self.new_dense.min(self.new_chars);
                self.misses &= !(1 << back);
            }
        }
    }

    /// Ends the round after the token before `next`, at `end` characters; its model began after `model` characters.
    /// Returns whether the run is worth a judgement.
    pub(super) fn end_round(&mut self, next: u64, end: u64, model: u64) -> bool {
        let chars = end - self.from_char;
        let (new_chars, new_dense, id_chars) = (self.new_chars, self.new_dense, self.id_chars);
        let round = Round { chars, new_chars, new_dense, id_chars };
        if new_chars * 100 > chars * BROKEN_PERCENT {
            *self = Self::default();
            return false;
        }
        self.whole.add(round);
        if new_chars * 100 > chars * QUIET_PERCENT {
            self.quiet.break_off();
        } else {
            self.quiet.go_on(model, round);
        }
        if new_chars + id_chars > 0 {
            self.counting.break_off();
        } else {
            self.counting.go_on(model, round);
        }
        (self.from, self.from_char) = (next, end);
        (self.new_chars, self.new_dense, self.id_chars) = (0, 0, 0);
        self.quiet.is_due() || self.whole.is_due() || self.counting.is_due()
    }
}
