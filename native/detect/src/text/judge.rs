//! Decides whether what the finders follow is a loop: how much is there, and how much does such a text need?

use super::{
    config::{Evidence, TextConfig},
    exact::Run,
    folded::{Rounds, Stale},
    texture::{Counts, Texture},
};

/// What a repetition needed, and had, to be called a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Needed {
    pub(super) texture: Texture,
    pub(super) evidence: Evidence,
}

/// What literal repetition of this unit needs, and from which length of the run on it is a loop.
pub(super) fn exact(config: &TextConfig, run: Run, counts: &Counts, fenced: bool) -> (Needed, u64) {
    let texture = counts.texture(fenced);
    let mut evidence = texture.evidence(&config.exact_evidence);
    if run.period >= config.long_unit && texture != Texture::Symbols {
        evidence.copies = evidence.copies.min(config.exact_evidence.prose.copies);
    }
    let period = u64::from(run.period);
    let copies = u64::from(evidence.copies.saturating_sub(1)) * period;
    let len = copies.max(u64::from(evidence.chars).saturating_sub(period));
    (Needed { texture, evidence }, len)
}

/// What repetition with changes needs, nothing while it has less, and the least number of copies that a unit of this
/// kind needs. `unit` and `covered` are lengths in characters.
pub(super) fn folded(
    config: &TextConfig,
    rounds: &Rounds,
    counts: &Counts,
    fenced: bool,
    unit: u64,
    covered: u64,
) -> (Option<Needed>, u32) {
    let texture = counts.strict_texture(fenced);
    let mut evidence = texture.evidence(&config.folded_evidence);
    let is_text = matches!(texture, Texture::Prose | Texture::List);
    let is_short = counts.words() < config.short_unit_words;
    let allowed = match texture {
        Texture::Prose | Texture::List if is_short => config.novelty.short,
        Texture::Prose => config.novelty.prose,
        Texture::List => config.novelty.list,
        _ => config.novelty.other,
    };
    if is_short && is_text {
        let times = if counts.has_sentence_end() { 1 } else { 2 };
        evidence.copies += times * config.short_unit_copies;
    }
    if texture == Texture::Prose && counts.is_plain() && unit >= u64::from(config.long_unit) {
        evidence.copies = evidence.copies.min(config.long_unit_copies);
    }
    let least = evidence.copies;
    let novelty = rounds.novelty_percent() + if is_text { 0 } else { rounds.id_percent() };
    evidence.copies += novelty as u32 / config.novelty_percent_per_copy.max(1);
    if counts.is_dense() {
        evidence.chars /= 2;
    }
    let enough = novelty <= u64::from(allowed)
        && rounds.repeats + 1 >= u64::from(evidence.copies)
        && covered >= u64::from(evidence.chars);
    (enough.then_some(Needed { texture, evidence }), least)
}

/// Whether a stretch that says nothing new is a loop. `counts` is of its last characters.
pub(super) fn stale(
    config: &TextConfig,
    stale: &Stale,
    counts: &Counts,
    fenced: bool,
    chars: u64,
) -> bool {
    chars >= u64::from(config.stale_chars)
        && stale.rounds() >= u64::from(config.stale_rounds)
        && counts.is_plain()
        && matches!(counts.strict_texture(fenced), Texture::Prose | Texture::List)
}
