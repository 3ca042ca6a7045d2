//! Decides whether what the finders follow is a loop: how much is there, and how much does such a text need?

use super::{
    config::{Evidence, TextConfig},
    context::Context,
    exact::Run,
    report::Place,
    rounds::Account,
    stale::Stale,
    texture::{Counts, Texture},
};

/// What a repetition needed, and had, to be called a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Needed {
    pub(super) texture: Texture,
    pub(super) evidence: Evidence,
}

/// What literal repetition of this unit in this context needs, and from which length of the run on it is a loop.
pub(super) fn exact(
    config: &TextConfig,
    run: Run,
    counts: &Counts,
    context: &Context,
    fenced: bool,
) -> (Needed, u64) {
    let all = &config.exact_evidence;
    let texture = context.texture_of(counts, fenced);
    let mut evidence = texture.evidence(all);
    if !matches!(texture, Texture::Signs | Texture::Symbols) {
        let in_text = run.period > 1 && !fenced && context.is_text(counts);
        if in_text || run.period >= config.long_unit {
            evidence.copies = evidence.copies.min(all.prose.copies);
        }
        if in_text {
            evidence.chars = evidence.chars.min(all.prose.chars);
        }
    }
    let period = u64::from(run.period);
    let copies = u64::from(evidence.copies.saturating_sub(1)) * period;
    let len = copies.max(u64::from(evidence.chars).saturating_sub(period));
    (Needed { texture, evidence }, len)
}

/// What repetition with changes needs. While it has less: how many copies after the first a unit of this kind needs at
/// least.
pub(super) fn folded(
    config: &TextConfig,
    account: &Account,
    counts: &Counts,
    fenced: bool,
    place: Place,
) -> Result<Needed, u64> {
    let unit = place.end - place.unit;
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
    if counts.is_dense() {
        evidence.chars /= 2;
    }
    let by_length = u64::from(evidence.chars) / unit.max(1);
    let least = u64::from(evidence.copies).saturating_sub(1).max(by_length.saturating_sub(1));
    let novelty = account.novelty_percent() + if is_text { 0 } else { account.id_percent() };
    evidence.copies += novelty as u32 / config.novelty_percent_per_copy.max(1);
    let enough = novelty <= u64::from(allowed)
        && account.repeats + 1 >= u64::from(evidence.copies)
        && place.end - place.onset >= u64::from(evidence.chars);
    if enough { Ok(Needed { texture, evidence }) } else { Err(least) }
}

/// Whether a stretch of `chars` characters that says nothing new is long enough for a loop.
pub(super) fn is_stale(config: &TextConfig, stale: &Stale, chars: u64) -> bool {
    chars >= u64::from(config.stale_chars) && stale.rounds() >= u64::from(config.stale_rounds)
}

/// Whether the text, of which `counts` are the last characters, is such that it should say something new.
pub(super) fn is_plain_prose(counts: &Counts, fenced: bool) -> bool {
    counts.is_plain() && matches!(counts.strict_texture(fenced), Texture::Prose | Texture::List)
}
