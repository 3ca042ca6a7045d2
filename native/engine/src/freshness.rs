//! Keeps records true: a changed source marks its record stale, a restored one clears the mark.

use ouro_core::{Freshness, LearningRecord, ProjectAnalysis};

/// The records whose mark must change, with the new mark set.
pub(crate) fn changed_marks(
    analysis: &ProjectAnalysis,
    records: &[LearningRecord],
    now_ms: i64,
) -> Vec<LearningRecord> {
    records
        .iter()
        .filter_map(|record| {
            let freshness = changed_mark(analysis, record, |_| now_ms)?;
            Some(LearningRecord { freshness, ..record.clone() })
        })
        .collect()
}

/// The mark that a record must get; `since` says from when on a file that has changed makes it stale.
pub(crate) fn changed_mark(
    analysis: &ProjectAnalysis,
    record: &LearningRecord,
    since: impl FnOnce(&str) -> i64,
) -> Option<Freshness> {
    let differs = record
        .source_hashes
        .iter()
        .find(|(path, hash)| analysis.file(path).is_none_or(|now| now.content_hash != **hash));
    match (differs, &record.freshness) {
        (Some((path, _)), Freshness::Fresh) => {
            Some(Freshness::Stale { path: path.clone(), since: since(path) })
        }
        (None, Freshness::Stale { .. }) => Some(Freshness::Fresh),
        _ => None,
    }
}
