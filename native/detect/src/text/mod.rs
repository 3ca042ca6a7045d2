//! The adaptive detector for streamed text.

mod class;
mod config;
mod exact;
mod fence;
mod folded;
mod history;
mod texture;
pub(crate) mod utf16;
mod words;

pub use config::{Evidence, EvidenceByTexture, TextConfig};

use crate::{LoopKind, TextLoop};
use exact::{ExactFinder, Run};
use fence::Fence;
use folded::{FoldedFinder, Rounds};
use history::History;
use texture::{Counts, Texture};
use utf16::Utf16Decoder;
use words::{Token, Words};

/// Finds loops in one stream of text. Memory is taken with the first character.
#[derive(Debug, Clone)]
pub struct AdaptiveText {
    config: TextConfig,
    state: Option<Box<State>>,
    utf16: Utf16Decoder,
    found: Option<TextLoop>,
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
        if self.found.is_none() {
            if let Some(lone) = self.utf16.flush() {
                self.take(lone);
            }
            for c in text.chars() {
                if self.take(u32::from(c)) {
                    break;
                }
            }
        }
        self.found.clone()
    }

    /// As [`push`](Self::push), with UTF-16 code units, which may be cut anywhere.
    pub fn push_utf16(&mut self, units: &[u16]) -> Option<TextLoop> {
        let mut decoder = std::mem::take(&mut self.utf16);
        for &unit in units {
            if self.found.is_some() {
                break;
            }
            decoder.push(unit, |c| {
                if self.found.is_none() {
                    self.take(c);
                }
            });
        }
        self.utf16 = decoder;
        self.found.clone()
    }

    /// Forgets the text and the loop found in it.
    pub fn reset(&mut self) {
        self.state = None;
        self.utf16 = Utf16Decoder::default();
        self.found = None;
    }

    #[inline]
    fn take(&mut self, c: u32) -> bool {
        let config = &self.config;
        let state = self.state.get_or_insert_with(|| Box::new(State::new(config)));
        if let Some(found) = state.take(config, c) {
            self.found = Some(found);
        }
        self.found.is_some()
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
    fn take(&mut self, config: &TextConfig, c: u32) -> Option<TextLoop> {
        let at = self.history.len();
        self.history.push(c);
        self.fence.step(c);
        if self.exact.step(&self.history, at, c) && config.exact {
            let found = self.judge_exact(config);
            if found.is_some() {
                return found;
            }
        }
        for token in self.words.step(c).into_iter().flatten() {
            let found = self.take_token(config, token, at + 1 - u64::from(token.back));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn take_token(&mut self, config: &TextConfig, token: Token, end: u64) -> Option<TextLoop> {
        let step = self.folded.step(token, end);
        if step.round && config.folded {
            let found = self.judge_folded(config, end);
            if found.is_some() {
                return found;
            }
        }
        if step.stale && config.stale {
            return self.judge_stale(config, end);
        }
        None
    }

    fn judge_stale(&mut self, config: &TextConfig, end: u64) -> Option<TextLoop> {
        let stale = self.folded.stale();
        let chars = end - stale.from;
        let from = end.saturating_sub(u64::from(config.stale_chars));
        let counts = Counts::of(&self.history, from, end);
        let prose = matches!(counts.strict_texture(self.fence.is_open()), Texture::Prose | Texture::List) && counts.is_plain();
        if chars < u64::from(config.stale_chars) || !prose {
            self.folded.judge_stale_later();
            return None;
        }
        let now = self.history.len();
        let onset = stale.onset;
        let pattern = self.history.text(end.saturating_sub(200), end, 200);
        Some(TextLoop {
            kind: LoopKind::Paragraph,
            rule: "stale_text".into(),
            onset,
            detected_at: now,
            onset_utf16: self.history.utf16(onset),
            detected_at_utf16: self.history.utf16(now),
            evidence: format!(
                "The last {chars} characters say again, in another order, what was said from character {onset} on, the last of it {pattern:?}; {} characters are the limit.",
                config.stale_chars
            ),
            pattern,
            period: stale.from - onset.min(stale.from),
            repeats: 1 + chars / (stale.from - onset.min(stale.from)).max(1),
            cleared_by: "A new word among every ten.".into(),
        })
    }

    fn judge_exact(&mut self, config: &TextConfig) -> Option<TextLoop> {
        let run = self.exact.run();
        let now = self.history.len();
        let period = u64::from(run.period);
        let counts = Counts::of(&self.history, now - period, now);
        let texture = counts.texture(self.fence.is_open());
        let evidence = texture.evidence(&config.exact_evidence);
        let needed = (u64::from(evidence.copies.saturating_sub(1)) * period)
            .max(u64::from(evidence.chars).saturating_sub(period));
        if run.len < needed {
            self.exact.judge_again_at(needed);
            return None;
        }
        Some(self.report_exact(run, texture, &counts, evidence))
    }

    fn report_exact(
        &self,
        run: Run,
        texture: Texture,
        counts: &Counts,
        evidence: Evidence,
    ) -> TextLoop {
        let now = self.history.len();
        let period = u64::from(run.period);
        let onset = now - run.len - period;
        let repeats = (run.len + period) / period;
        let pattern = self.history.text(now - period, now, 200);
        TextLoop {
            kind: kind_of(period, counts),
            rule: "exact_repeat".into(),
            onset,
            detected_at: now,
            onset_utf16: self.history.utf16(onset),
            detected_at_utf16: self.history.utf16(now),
            evidence: format!(
                "{pattern:?} ({period} characters) stands {repeats} times in a row from character {onset} on; in {} {} copies and {} characters are the limit.",
                texture.name(),
                evidence.copies,
                evidence.chars
            ),
            pattern,
            period,
            repeats,
            cleared_by: format!(
                "Any other character within the next copy, or fewer than {} copies.",
                evidence.copies
            ),
        }
    }

    fn judge_folded(&mut self, config: &TextConfig, end: u64) -> Option<TextLoop> {
        let rounds = self.folded.rounds();
        if rounds.repeats < 2 {
            return None;
        }
        let from = self.folded.last_copy(end);
        let counts = Counts::of(&self.history, from, end);
        let texture = counts.strict_texture(self.fence.is_open());
        let mut evidence = texture.evidence(&config.folded_evidence);
        let prose = matches!(texture, Texture::Prose | Texture::List);
        let novelty = rounds.new_chars * 100 / rounds.chars.max(1);
        let limit =
            if prose { config.max_novelty_percent } else { config.max_structured_novelty_percent };
        let period = end - from;
        if prose && counts.words() < config.short_unit_words {
            evidence.copies += 2;
        }
        if texture == Texture::Prose && period >= u64::from(config.long_unit) {
            evidence.copies = evidence.copies.saturating_sub(1).max(3);
        }
        let copies = u64::from(evidence.copies)
            + novelty / u64::from(config.novelty_percent_per_copy.max(1));
        if novelty > u64::from(limit)
            || rounds.repeats + 1 < copies
            || end - rounds.onset < u64::from(evidence.chars)
        {
            return None;
        }
        Some(self.report_folded(rounds, texture, &counts, copies, novelty, from, end))
    }

    #[allow(clippy::too_many_arguments)]
    fn report_folded(
        &self,
        rounds: Rounds,
        texture: Texture,
        counts: &Counts,
        copies: u64,
        novelty: u64,
        from: u64,
        end: u64,
    ) -> TextLoop {
        let now = self.history.len();
        let onset = rounds.onset;
        let period = end - from;
        let pattern = self.history.text(from, end, 200);
        let repeats = rounds.repeats + 1;
        TextLoop {
            kind: kind_of(period, counts),
            rule: "folded_repeat".into(),
            onset,
            detected_at: now,
            onset_utf16: self.history.utf16(onset),
            detected_at_utf16: self.history.utf16(now),
            evidence: format!(
                "{pattern:?} ({period} characters) came {repeats} times in a row from character {onset} on with {novelty} % new characters, numbers that count on left aside; in {} {copies} copies are the limit.",
                texture.name()
            ),
            pattern,
            period,
            repeats,
            cleared_by: format!(
                "More than a few new words a round, or fewer than {copies} copies."
            ),
        }
    }
}

fn kind_of(period: u64, counts: &Counts) -> LoopKind {
    if counts.is_numbered() {
        LoopKind::OrderedList
    } else if period < 30 {
        LoopKind::ShortSequence
    } else {
        LoopKind::Paragraph
    }
}
