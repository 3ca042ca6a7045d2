//! The adaptive detector for streamed text.

mod class;
mod config;
mod exact;
mod fence;
mod folded;
mod history;
mod judge;
mod report;
mod rounds;
mod stale;
mod texture;
pub(crate) mod utf16;
mod words;

pub use config::{Evidence, EvidenceByTexture, Novelty, TextConfig};

use crate::TextLoop;
use class::{Class, class_of};
use exact::ExactFinder;
use fence::Fence;
use folded::FoldedFinder;
use history::History;
use report::Place;
use texture::Counts;
use utf16::Utf16Decoder;
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
            let lone = self.utf16.flush();
            let state = self.state.get_or_insert_with(|| Box::new(State::new(&self.config)));
            let mut characters = lone.into_iter().chain(text.chars().map(u32::from));
            self.found = characters.find_map(|c| state.take(&self.config, c));
        }
        self.found.as_deref().cloned()
    }

    /// As [`push`](Self::push), with UTF-16 code units, which may be cut anywhere.
    pub fn push_utf16(&mut self, units: &[u16]) -> Option<TextLoop> {
        if self.found.is_none() && !units.is_empty() {
            let state = self.state.get_or_insert_with(|| Box::new(State::new(&self.config)));
            for &unit in units {
                let found = &mut self.found;
                self.utf16.push(unit, |c| {
                    if found.is_none() {
                        *found = state.take(&self.config, c);
                    }
                });
                if self.found.is_some() {
                    break;
                }
            }
        }
        self.found.as_deref().cloned()
    }

    /// Forgets the text and the loop found in it.
    pub fn reset(&mut self) {
        self.state = None;
        self.utf16 = Utf16Decoder::default();
        self.found = None;
    }
}

impl State {
    fn new(config: &TextConfig) -> Self {
        Self {
            history: History::new(),
            exact: ExactFinder::new(config.max_period),
            words: Words::default(),
            folded: FoldedFinder::new(config.max_period_words),
            fence: Fence::default(),
        }
    }

    #[inline]
    fn take(&mut self, config: &TextConfig, c: u32) -> Option<Box<TextLoop>> {
        let class = class_of(c);
        let at = self.history.len();
        self.history.push(c);
        self.fence.step(c, class == Class::LineEnd);
        if self.exact.step(&self.history, at, c) && config.exact {
            let found = self.judge_exact(config);
            if found.is_some() {
                return found;
            }
        }
        if self.words.is_undecided() {
            let (number, sign) = self.words.decide(c, class)?;
            let found = self
                .take_token(config, number, at.saturating_sub(1))
                .or_else(|| self.take_token(config, sign, at));
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
        let found = self.take_token(config, word, at);
        if found.is_some() {
            return found;
        }
        self.take_token(config, own, at + 1)
    }

    #[inline]
    fn take_token(
        &mut self,
        config: &TextConfig,
        token: Option<Token>,
        end: u64,
    ) -> Option<Box<TextLoop>> {
        let step = self.folded.step(token?, end);
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
        let (needed, len) = judge::exact(config, run, &counts, self.fence.is_open());
        if run.len < len {
            self.exact.judge_again_at(len);
            return None;
        }
        Some(Box::new(report::exact(&self.history, run, &counts, needed)))
    }

    #[cold]
    fn judge_folded(&mut self, config: &TextConfig, end: u64) -> Option<Box<TextLoop>> {
        let unit = self.folded.last_copy(end);
        let counts = Counts::of(&self.history, unit, end);
        let fenced = self.fence.is_open();
        let rounds = self.folded.rounds();
        for account in [&mut rounds.quiet, &mut rounds.whole] {
            if !account.is_due() {
                continue;
            }
            let place = Place { onset: account.onset, unit, end };
            match judge::folded(config, account, &counts, fenced, place) {
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
        let unit = end.saturating_sub(u64::from(config.stale_chars));
        let counts = Counts::of(&self.history, unit, end);
        if !judge::stale(config, &stale, &counts, self.fence.is_open(), end - stale.from) {
            self.folded.stale().judge_later();
            return None;
        }
        let place = Place { onset: stale.onset, unit, end };
        Some(Box::new(report::stale(&self.history, &stale, place, &counts)))
    }
}
