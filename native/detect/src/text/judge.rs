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
    if texture == Texture::Data {
        let is_values = counts.is_values();
        // Arrays are filled with a value or two, but seldom with a row of them.
        if is_values || counts.is_object() || counts.is_number_list() || counts.is_endless_number()
        {
            evidence.chars = evidence.chars.min(all.code.chars);
        }
        if is_values && !context.is_opened() {
            evidence.copies = evidence.copies.min(all.code.copies);
        }
    }
    let is_signs = matches!(texture, Texture::Signs | Texture::Symbols) && !counts.is_entity();
    if !is_signs && !counts.is_redrawn() {
        let in_text = run.period > 1 && !fenced && context.is_text(counts);
        // In a table of values the same ones come again however long a row of them is.
        let is_telling = texture != Texture::Data || counts.is_object();
        let is_long = run.period >= config.long_unit && is_telling && !counts.is_log();
        if in_text || is_long {
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
pub(super) type FoldedNeed = fn(&TextConfig, &Account, &Counts, bool, Place) -> Result<Needed, u64>;

/// What repetition needs in which a few words may be new each time.
pub(super) fn folded(
    config: &TextConfig,
    account: &Account,
    counts: &Counts,
    fenced: bool,
    place: Place,
) -> Result<Needed, u64> {
    if counts.is_redrawn() {
        return Err(2 * account.repeats);
    }
    let texture = counts.strict_texture(fenced);
    let mut evidence =
        with_changes(config, texture, texture.evidence(&config.folded_evidence), counts, place);
    let is_text = matches!(texture, Texture::Prose | Texture::List);
    if texture == Texture::Prose && counts.is_title() {
        evidence.copies += 2 * config.short_unit_copies;
    }
    if texture == Texture::Table && counts.is_columns_of_code() {
        evidence.chars = evidence.chars.max(config.folded_evidence.code.chars);
    }
    let allowed = match texture {
        Texture::Prose | Texture::List if is_short(config, counts) => config.novelty.short,
        Texture::Prose if !counts.is_title_line() => config.novelty.prose,
        Texture::Prose | Texture::List => config.novelty.list,
        _ => config.novelty.other,
    };
    let chars = (place.end - place.unit).max(1);
    let novelty = if is_text {
        account.novelty_percent_in_letters(u64::from(counts.solos()), chars)
    } else {
        // Columns are padded, and blanks say nothing.
        let share = account.novelty_percent() + account.id_percent();
        share * chars / u64::from(counts.ink()).clamp(1, chars)
    };
    let more = novelty as u32 / config.novelty_percent_per_copy.max(1);
    let needed = Evidence { copies: evidence.copies + more, ..evidence };
    if novelty <= u64::from(allowed) && has(account, place, needed) {
        Ok(Needed { texture, evidence: needed })
    } else {
        Err(least_repeats(evidence, place))
    }
}

/// What repetition needs in which nothing changes but numbers that count on. Lists of links are made so, and so are banks
/// of registers and the columns that programs print; a listing in a fence, objects and numbered rows are what a model
/// writes.
pub(super) fn counting(
    config: &TextConfig,
    account: &Account,
    counts: &Counts,
    fenced: bool,
    place: Place,
) -> Result<Needed, u64> {
    if counts.is_redrawn() {
        return Err(2 * account.repeats);
    }
    let texture = counts.strict_texture(fenced);
    let (rules, others) = (&config.counting_evidence, &config.folded_evidence);
    let is_link = counts.is_link();
    let is_listing = counts.is_block() || counts.is_object();
    let evidence = match texture {
        // Values, levels and arguments are counted through line by line, but seldom beyond six.
        Texture::Code if fenced && !is_listing => {
            Evidence { copies: rules.code.copies + config.short_unit_copies, ..rules.code }
        }
        Texture::Code | Texture::Table if fenced => rules.fenced,
        Texture::Data if fenced && is_link => rules.fenced,
        Texture::Data if counts.is_log() => {
            Evidence { copies: rules.code.copies + config.short_unit_copies, ..rules.code }
        }
        _ if is_link => texture.evidence(others),
        Texture::Table | Texture::Data if counts.is_barred_row() || counts.is_numbered_row() => {
            rules.table
        }
        Texture::Data if counts.is_object() => Evidence { chars: rules.list.chars, ..rules.table },
        Texture::Table if counts.is_record() => rules.code,
        Texture::Table if counts.is_columns_of_code() => {
            Evidence { chars: others.table.chars.max(others.code.chars), ..others.table }
        }
        Texture::Table => others.table,
        Texture::Code if !is_listing => {
            Evidence { chars: rules.code.chars.max(others.code.chars), ..rules.code }
        }
        _ => texture.evidence(rules),
    };
    let mut evidence = with_changes(config, texture, evidence, counts, place);
    // Tables and fixtures are numbered, and often say the same of each of a handful.
    if counts.is_object() || counts.is_barred_row() || counts.is_numbered_row() {
        evidence.copies = evidence.copies.max(rules.table.copies);
    }
    if texture == Texture::Prose && counts.is_title_line() && counts.has_digits() {
        evidence.copies += 2 * config.short_unit_copies;
    }
    if has(account, place, evidence) {
        Ok(Needed { texture, evidence })
    } else {
        Err(least_repeats(evidence, place))
    }
}

fn is_short(config: &TextConfig, counts: &Counts) -> bool {
    counts.words() < config.short_unit_words
}

/// The evidence that units of a texture need, made to measure for this one.
fn with_changes(
    config: &TextConfig,
    texture: Texture,
    mut evidence: Evidence,
    counts: &Counts,
    place: Place,
) -> Evidence {
    let is_text = matches!(texture, Texture::Prose | Texture::List);
    if is_text && is_short(config, counts) {
        let times = if counts.has_sentence_end() { 1 } else { 2 };
        evidence.copies += times * config.short_unit_copies;
    }
    let is_long = place.end - place.unit >= u64::from(config.long_unit);
    if texture == Texture::Prose && counts.is_plain() && is_long {
        evidence.copies = evidence.copies.min(config.long_unit_copies);
    }
    if counts.is_dense() {
        evidence.chars /= 2;
    }
    evidence
}

fn has(account: &Account, place: Place, evidence: Evidence) -> bool {
    account.repeats + 1 >= u64::from(evidence.copies)
        && place.end - place.onset >= u64::from(evidence.chars)
}

/// How many copies after the first it takes at least.
fn least_repeats(evidence: Evidence, place: Place) -> u64 {
    let by_length = u64::from(evidence.chars) / (place.end - place.unit).max(1);
    u64::from(evidence.copies).saturating_sub(1).max(by_length.saturating_sub(1))
}

/// What makes a loop of a stretch of `chars` characters that says nothing new, if it is long enough: half as long where
/// most of them are `dense`, a word or a syllable each; and said again twice as often where what is said again is that long
/// itself, as the terms of one licence in several versions.
pub(super) fn stale_evidence(
    config: &TextConfig,
    stale: &Stale,
    chars: u64,
    dense: bool,
) -> Option<Evidence> {
    let least = if dense { config.stale_chars / 2 } else { config.stale_chars };
    let is_far = chars > stale.rounds() * u64::from(least);
    let rounds = if is_far { 2 * config.stale_rounds } else { config.stale_rounds };
    let needed = Evidence { copies: rounds + 1, chars: least };
    (chars >= u64::from(least) && stale.rounds() >= u64::from(rounds)).then_some(needed)
}

/// Whether the text, of which `counts` are the last characters, is such that it should say something new: sentences, or
/// the items of a list.
pub(super) fn is_telling(counts: &Counts, fenced: bool) -> bool {
    match counts.strict_texture(fenced) {
        Texture::Prose | Texture::List if counts.is_mostly_plain() => {
            counts.has_sentences() || counts.is_items()
        }
        Texture::Prose | Texture::List | Texture::Code => !fenced && counts.is_items(),
        _ => false,
    }
}
