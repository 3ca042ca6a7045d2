//! Which subjects of a project are worth a question, in which order, and which are covered.

use std::collections::BTreeSet;

use ouro_core::{KnowledgeGap, Language, LearningRecord, Topic};

use super::{
    facts::Facts,
    inquiry::{self, Inquiry},
    subject::Subject,
    wording::Wording,
};

/// What is known when questions are asked.
pub(crate) struct Known<'a> {
    /// Records so far.
    pub(crate) records: &'a [LearningRecord],
    /// What answers named and nobody explained.
    pub(crate) gaps: &'a [KnowledgeGap],
    /// Questions that must not be asked again.
    pub(crate) refused: BTreeSet<String>,
    /// Holes in the coverage map, the most urgent first.
    pub(crate) uncovered: &'a [(ouro_core::Level, String)],
}

/// Subjects that are still open, the most worthwhile first.
pub(crate) fn open(facts: &Facts, known: &Known<'_>, seed: u64) -> Vec<Box<dyn Inquiry>> {
    let covered: BTreeSet<String> = known.records.iter().filter_map(entity).collect();
    let mut ranked: Vec<(f32, Box<dyn Inquiry>)> = inquiry::all(facts)
        .into_iter()
        .filter(|(_, i)| !covered.contains(&i.subject().entity()))
        .filter(|(_, i)| !is_refused(facts, i.as_ref(), known, seed))
        .map(|(rank, i)| (rank - urgency(facts, i.as_ref(), known), i))
        .collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.subject().cmp(b.1.subject())));
    ranked.into_iter().map(|(_, inquiry)| inquiry).collect()
}

/// What a record is about.
pub(crate) fn entity(record: &LearningRecord) -> Option<String> {
    let Topic { subject, .. } = record.topic.as_ref()?;
    Some(Subject::parse(subject).map_or_else(|| subject.clone(), |s| s.entity()))
}

/// Whether the question was refused or put aside, in whatever wording and language.
fn is_refused(facts: &Facts, inquiry: &dyn Inquiry, known: &Known<'_>, seed: u64) -> bool {
    !known.refused.is_empty()
        && [Language::English, Language::Chinese].into_iter().any(|language| {
            let wording = Wording::new(language, seed);
            inquiry
                .ask(facts, wording)
                .all(wording)
                .iter()
                .any(|q| known.refused.contains(&plain(q)))
        })
}

/// A question without what changes between equal ones.
pub(crate) fn plain(question: &str) -> String {
    question.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// How much a subject is moved forward: an earlier answer named it, or its part of the coverage map is empty.
fn urgency(facts: &Facts, inquiry: &dyn Inquiry, known: &Known<'_>) -> f32 {
    let key = inquiry.subject().to_string();
    let name = key.rsplit(['#', '.', '/', ':']).next().unwrap_or_default();
    let named = name.len() > 2 && known.gaps.iter().any(|g| g.what.contains(&format!("`{name}`")));
    let module = inquiry.module(facts);
    let hole = known.uncovered.iter().take(8).any(|(l, m)| *l == inquiry.level() && *m == module);
    let started = known.records.len() >= 5;
    (if named && started { 1.5 } else { 0.0 }) + (if hole && started { 2.0 } else { 0.0 })
}
