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
            let differs = record.source_hashes.iter().find(|(path, hash)| {
                analysis.file(path).is_none_or(|now| now.content_hash != **hash)
            });
            let freshness = match (differs, &record.freshness) {
                (Some((path, _)), Freshness::Fresh) => {
                    Freshness::Stale { path: path.clone(), since: now_ms }
                }
                (None, Freshness::Stale { .. }) => Freshness::Fresh,
                _ => return None,
            };
            Some(LearningRecord { freshness, ..record.clone() })
        })
        .collect()
}
