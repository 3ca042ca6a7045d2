//! Words for what was found.

use super::{
    Evidence, exact::Run, history::History, judge::Needed, rounds::Account, stale::Stale,
    texture::Counts,
};
use crate::{LoopKind, TextLoop};

/// Characters of a unit that are shown.
const PATTERN_CHARS: usize = 200;
/// The rule for the same in another order.
pub(crate) const STALE_TEXT: &str = "stale_text";
/// A unit shorter than this is a short sequence.
const SHORT_UNIT: u64 = 30;

/// Where something is: characters from the stream's start.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The first copy begins.
    pub(super) onset: u64,
    /// The last copy begins.
    pub(super) unit: u64,
    /// The last copy ends.
    pub(super) end: u64,
}

/// Literal repetition.
pub(super) fn exact(history: &History, run: Run, counts: &Counts, needed: Needed) -> TextLoop {
    let end = history.len();
    let period = u64::from(run.period);
    let onset = history.word_start(end - run.len - period, end - period);
    let place = Place { onset, unit: end - period, end };
    let repeats = (run.len + period) / period;
    let found = describe(history, place, counts, "exact_repeat", repeats);
    let Needed { texture, evidence } = needed;
    TextLoop {
        evidence: format!(
            "{:?} ({period} characters) stands {repeats} times in a row, from character {} on; the rule for literal repetition asks for {} copies and {} characters in {}.",
            found.pattern,
            place.onset,
            evidence.copies,
            evidence.chars,
            texture.name()
        ),
        cleared_by: format!(
            "A different character before {} copies or {} characters were complete.",
            evidence.copies, evidence.chars
        ),
        ..found
    }
}

/// Repetition with changes.
pub(super) fn folded(
    history: &History,
    account: &Account,
    place: Place,
    counts: &Counts,
    needed: Needed,
) -> TextLoop {
    let place = Place { onset: history.word_start(place.onset, place.unit), ..place };
    let repeats = account.repeats + 1;
    let found = describe(history, place, counts, "folded_repeat", repeats);
    let Needed { texture, evidence } = needed;
    let novelty = account.novelty_percent_in_letters(u64::from(counts.solos()), found.period);
    TextLoop {
        evidence: format!(
            "{:?} ({} characters) came {repeats} times in a row, from character {} on, with {novelty} % of its text new each time and numbers that only count on left aside; the rule for repetition with changes asks for {} copies and {} characters in {}.",
            found.pattern,
            found.period,
            place.onset,
            evidence.copies,
            evidence.chars,
            texture.name()
        ),
        cleared_by: format!(
            "More new words or numbers in each copy, or fewer than {} copies.",
            evidence.copies
        ),
        ..found
    }
}

/// The same again in another order.
pub(super) fn stale(
    history: &History,
    stale: &Stale,
    place: Place,
    counts: &Counts,
    needed: Evidence,
) -> TextLoop {
    let chars = place.end - stale.from;
    let repeats = stale.rounds() + 1;
    let found = describe(history, place, counts, STALE_TEXT, repeats);
    TextLoop {
        kind: LoopKind::Paragraph,
        period: chars / stale.rounds().max(1),
        evidence: format!(
            "The last {chars} characters only say again, in changing order, what was said from character {} on, about {repeats} times; the last of it was {:?}; the rule for the same in another order asks for {} times and {} characters.",
            place.onset, found.pattern, needed.copies, needed.chars
        ),
        cleared_by: "A new phrase among every ten words.".into(),
        ..found
    }
}

fn describe(
    history: &History,
    place: Place,
    counts: &Counts,
    rule: &str,
    repeats: u64,
) -> TextLoop {
    let period = place.end - place.unit;
    TextLoop {
        kind: if counts.is_numbered() {
            LoopKind::OrderedList
        } else if period < SHORT_UNIT {
            LoopKind::ShortSequence
        } else {
            LoopKind::Paragraph
        },
        rule: rule.into(),
        onset: place.onset,
        detected_at: history.len(),
        onset_utf16: history.utf16(place.onset),
        detected_at_utf16: history.utf16(history.len()),
        pattern: history.text(place.unit, place.end, PATTERN_CHARS),
        period,
        repeats,
        evidence: String::new(),
        cleared_by: String::new(),
    }
}
