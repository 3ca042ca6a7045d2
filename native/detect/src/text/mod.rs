//! The adaptive detector for streamed text: three rules, on every character, at a constant cost each.
//!
//! | rule | finds | how | default need |
//! | --- | --- | --- | --- |
//! | `exact_repeat` | a unit of 1 to 3,000 characters, literally again and again | a hash of the last 16 characters (and of the last 32, for text of few letters) gives a distance; it is followed character by character | prose: 4 copies and 100 characters |
//! | `folded_repeat` | a unit that changes a number, a date, an id or a few words each time, in any script | the same over words and signs, with numbers folded; rounds are counted, and the new characters in each | prose: 4 copies and 150 characters, one copy more for every 3 % that is new, at most 10 % new |
//! | `stale_text` | the same sentences again in another order | words that stood in the same place between the same neighbours before, against new ones | 800 characters of plain prose that say what was said before three times, with fewer than one new word among ten |
//!
//! Words are runs of letters whatever their case; ideographs, kana, syllables, emoji and the characters of scripts that
//! don't part words count as a word each. A number is new unless it counts on by the same step as before: a list
//! numbered 1, 2, 3 brings no news, a table of measurements does. A word that returns from the copy before the last is no
//! news either. What is new is measured in letters, of which an ideograph, a kana or a syllable stands for three.
//! A list that makes sense and then runs into a loop is judged by its last quiet rounds alone. Rounds in which
//! nothing changes at all but numbers that count on need least: in a code fence 5 copies and 250 characters, in
//! rows between bars or behind their number 8 and 120, in JSON's objects 8 and 400, in those that hold little but numbers 8
//! and 200, in blocks of three lines of code and more 6 and 400.
//! Where lines are alike and the block that they make repeats itself or only counts, the block is the round.
//!
//! How much is needed depends on what the unit looks like, which is read off the unit itself and so is the same for
//! every cut of the stream: plain words are prose; marks and numbers at the line's start make a list; bars, tabs and
//! wide gaps a table; signs, statements and listings code; digits, links, base64 and loose letters data; nothing but signs
//! or blanks symbols, of which only an absurd length is a loop. The paragraph before tells what a unit stands in: numbers
//! and single letters in plain text need no more than words, a line of a log among others as much as data. Code fences are followed across chunks; changing words inside
//! one need more. See [`TextConfig`] for every threshold.
//!
//! A stream takes 62 KiB, allocated with its first character and never again; a verdict is the only other allocation.
//! Looking back is paid from an account into which each character puts two steps, so that no input costs more than a
//! constant per character.
//!
//! Limits: numbers that jump at random in short lines (fewer than 8 words) are taken for data; a counter in one or two
//! lines of code that stand in no fence needs 6 copies and 1,000 characters, in columns without bars or numbers 12 and 400
//! (of names, as instructions are, 1,000), in lines of a log 8 and 400; arrays that are filled with one number and lines of
//! one letter need 4,000 characters; numbered boilerplate in real documents (four notes that say the same) is a
//! loop in form; a unit of more than 1,000 words is only found when it comes literally.

mod class;
mod config;
mod context;
mod exact;
mod fence;
mod folded;
mod history;
mod judge;
mod report;
mod rounds;
mod stale;
mod texture;
mod utf16;
mod words;

pub use config::{Evidence, EvidenceByTexture, Novelty, TextConfig};
pub(crate) use fence::Fence;
pub(crate) use utf16::Utf16Decoder;

use crate::TextLoop;
use class::{Class, class_of};
use context::Context;
use exact::ExactFinder;
use folded::FoldedFinder;
use history::History;
use report::Place;
pub(crate) use report::STALE_TEXT;
use texture::Counts;
use words::{Token, Words};

/// Finds loops in one stream of text. Memory is taken with the first character.
#[derive(Debug, Clone)]
pub struct AdaptiveText {
    config: TextConfig,
    state: Option<Box<State>>,
    utf16: Utf16Decoder,
    found: Option<Box<TextLoop>>,
}

#[derive(Debug, Clone)]
struct State {
    history: History,
    exact: ExactFinder,
    words: Words,
    folded: FoldedFinder,
    fence: Fence,
}

impl AdaptiveText {
    /// A detector with these thresholds.
    pub fn new(config: &TextConfig) -> Self {
        Self { config: config.clone(), state: None, utf16: Utf16Decoder::default(), found: None }
    }

    /// Reads more text. Once a loop is found, every later call returns it until [`reset`](Self::reset).
    pub fn push(&mut self, text: &str) -> Option<TextLoop> {
        if self.found.is_none() && !text.is_empty() {
            let state = self.state.get_or_insert_with(|| Box::new(State::new(&self.config)));
            self.found = self.utf16.flush().and_then(|half| state.take_one(&self.config, half));
            if self.found.is_none() {
                self.found = state.read(&self.config, text.chars().map(u32::from));
            }
        }
        self.found.as_deref().cloned()
    }

    /// As [`push`](Self::push), with UTF-16 code units, which may be cut anywhere.
    pub fn push_utf16(&mut self, units: &[u16]) -> Option<TextLoop> {
        if self.found.is_none() && !units.is_empty() {
            let state = self.state.get_or_insert_with(|| Box::new(State::new(&self.config)));
            self.found = state.read(&self.config, self.utf16.decode(units));
        }
        self.found.as_deref().cloned()
    }

    /// Forgets the text and the loop found in it. The memory is kept for the next one.
    pub fn reset(&mut self) {
        if let Some(state) = &mut self.state {
            state.reset();
        }
        self.utf16 = Utf16Decoder::default();
        self.found = None;
    }
}

impl State {
    fn new(config: &TextConfig) -> Self {
        Self {
            history: History::new(),
            exact: ExactFinder::new(config.max_period, config.exact_evidence.least()),
            words: Words::default(),
            folded: FoldedFinder::new(config.max_period_words),
            fence: Fence::default(),
        }
    }

    /// As new. Clears what was used, which is little of a short text.
    fn reset(&mut self) {
        self.history.reset();
        self.exact.reset();
        self.words = Words::default();
        self.folded.reset();
        self.fence = Fence::default();
    }

    /// Reads `text`: the literal rule first, as far as it has nothing to say, and then the others.
    #[inline]
    fn read(
        &mut self,
        config: &TextConfig,
        mut text: impl Iterator<Item = u32>,
    ) -> Option<Box<TextLoop>> {
        loop {
            let at = self.history.len();
            let next = self.exact.read_ahead(&mut self.history, &mut text);
            let found = self.read_words(config, at);
            if found.is_some() {
                return found;
            }
            let found = self.take_one(config, next?);
            if found.is_some() {
                return found;
            }
        }
    }

    /// Lets every rule take a character.
    #[inline(never)]
    fn take_one(&mut self, config: &TextConfig, c: u32) -> Option<Box<TextLoop>> {
        let at = self.history.len();
        self.history.push(c);
        if self.exact.step(&self.history, at, c) && config.exact {
            let found = self.judge_exact(config);
            if found.is_some() {
                return found;
            }
        }
        self.read_words(config, at)
    }

    /// Lets the rules for words read from `at` on what the literal one has read.
    #[inline(never)]
    fn read_words(&mut self, config: &TextConfig, mut at: u64) -> Option<Box<TextLoop>> {
        let end = self.history.kept();
        while at < end {
            if self.fence.is_idle() && !self.words.is_undecided() {
                let Self { history, words, .. } = self;
                let (stop, word) = words.extend_with_letters(history, at, end);
                at = stop;
                if at == end {
                    break;
                }
                if let Some(word) = word {
                    history.read_to(at.wrapping_add(1));
                    let found = self.take_token(config, word, at);
                    if found.is_some() {
                        return found;
                    }
                    if class_of(self.history.at(at)) == Class::Blank {
                        at = at.wrapping_add(1);
                        continue;
                    }
                }
            }
            let c = self.history.at(at);
            let next = at.wrapping_add(1);
            self.history.read_to(next);
            // The shorter way for scripts in which a character is a word.
            let is_solo = self.fence.is_idle() && class_of(c) == Class::Solo;
            let solo = if is_solo { self.words.solo(c) } else { None };
            let found = match solo {
                Some(word) => self.take_token(config, word, next),
                None => self.take_into_words(config, c, at),
            };
            if found.is_some() {
                return found;
            }
            at = next;
        }
        self.history.read_to(end);
        None
    }

    /// Takes the character `c` at `at` into fences and words.
    #[inline(always)]
    fn take_into_words(&mut self, config: &TextConfig, c: u32, at: u64) -> Option<Box<TextLoop>> {
        let class = class_of(c);
        if class == Class::LineEnd {
            self.fence.end_line();
        } else {
            self.fence.step(c);
        }
        if matches!(class, Class::Letter | Class::Digit) && !self.words.is_undecided() {
            self.words.extend(c, class);
            return None;
        }
        self.end_word(config, c, class, at)
    }

    /// Takes the character at `at` into the words: one that may end a word or number.
    #[inline(always)]
    fn end_word(
        &mut self,
        config: &TextConfig,
        c: u32,
        class: Class,
        at: u64,
    ) -> Option<Box<TextLoop>> {
        if self.words.is_undecided() {
            let (number, sign) = self.words.decide(c, class)?;
            let found = number
                .and_then(|number| self.take_token(config, number, at.saturating_sub(1)))
                .or_else(|| self.take_token(config, sign?, at));
            if found.is_some() {
                return found;
            }
        }
        match class {
            Class::Letter | Class::Digit => {
                self.words.extend(c, class);
                return None;
            }
            Class::Symbol if self.words.hold(c) => return None,
            _ => {}
        }
        let word = self.words.end_word();
        let own = self.words.own(c, class);
        if let Some(word) = word {
            let found = self.take_token(config, word, at);
            if found.is_some() {
                return found;
            }
        }
        self.take_token(config, own?, at + 1)
    }

    #[inline(never)]
    fn take_token(&mut self, config: &TextConfig, token: Token, end: u64) -> Option<Box<TextLoop>> {
        let step = self.folded.step(token, end);
        if step.round && config.folded {
            let found = self.judge_folded(config, end);
            if found.is_some() {
                return found;
            }
        }
        if step.stale && config.stale { self.judge_stale(config, end) } else { None }
    }

    #[cold]
    fn judge_exact(&mut self, config: &TextConfig) -> Option<Box<TextLoop>> {
        let run = self.exact.run();
        let now = self.history.len();
        let counts = Counts::of(&self.history, now - u64::from(run.period), now);
        let onset = now.saturating_sub(run.len + u64::from(run.period));
        let context = Context::of(&self.history, onset);
        let (needed, len) = judge::exact(config, run, &counts, &context, self.fence.is_open());
        if run.len < len {
            self.exact.judge_again_at(len);
            return None;
        }
        Some(Box::new(report::exact(&self.history, run, &counts, needed)))
    }

    #[cold]
    fn judge_folded(&mut self, config: &TextConfig, end: u64) -> Option<Box<TextLoop>> {
        let unit = self.folded.last_copy(end);
        let rounds = self.folded.rounds();
        // Half for scripts in which a character is a word.
        let (folded, counting) = (&config.folded_evidence, &config.counting_evidence);
        let least = u64::from(folded.least().chars.min(counting.least().chars) / 2);
        if end - rounds.whole.onset < least {
            let repeats = (least / (end - unit).max(1)).saturating_sub(1);
            for account in [&mut rounds.whole, &mut rounds.quiet, &mut rounds.counting] {
                account.put_off(repeats);
            }
            return None;
        }
        let counts = Counts::of(&self.history, unit, end);
        let fenced = self.fence.is_open();
        let accounts = [
            (&mut rounds.counting, judge::counting as judge::FoldedNeed),
            (&mut rounds.quiet, judge::folded),
            (&mut rounds.whole, judge::folded),
        ];
        for (account, judge) in accounts {
            if !account.is_due() {
                continue;
            }
            let place = Place { onset: account.onset, unit, end };
            match judge(config, account, &counts, fenced, place) {
                Ok(needed) => {
                    let account = *account;
                    let found = report::folded(&self.history, &account, place, &counts, needed);
                    return Some(Box::new(found));
                }
                Err(repeats) => account.put_off(repeats),
            }
        }
        None
    }

    #[cold]
    fn judge_stale(&mut self, config: &TextConfig, end: u64) -> Option<Box<TextLoop>> {
        let stale = *self.folded.stale();
        let chars = end - stale.from;
        let unit = end.saturating_sub(u64::from(config.stale_chars)).max(stale.from);
        let evidence = |dense| judge::stale_evidence(config, &stale, chars, dense);
        // Counting takes longer than asking whether it is worth while.
        let counts = evidence(true).map(|_| Counts::of(&self.history, unit, end));
        let needed = counts.and_then(|counts| Some((evidence(counts.is_dense())?, counts)));
        let Some((needed, counts)) = needed else {
            self.folded.stale().judge_soon();
            return None;
        };
        if !judge::is_telling(&counts, self.fence.is_open()) {
            self.folded.stale().judge_later();
            return None;
        }
        let place = Place { onset: stale.onset, unit, end };
        Some(Box::new(report::stale(&self.history, &stale, place, &counts, needed)))
    }
}
