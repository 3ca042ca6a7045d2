//! Which records are out of date right now. The loop marks them when it runs next; whoever reads them before that should
//! know too.

use std::{collections::BTreeMap, fs::File, io::Read, path::Path};

use ouro_core::{Freshness, LearningRecord, sha256_hex};

/// Longest file that is compared; the scan reads none that is longer.
const MAX_BYTES: u64 = 1 << 20;

/// Marks the records that rest on a file which has changed since.
pub(crate) fn mark<'r>(
    root: &Path,
    records: impl IntoIterator<Item = &'r mut LearningRecord>,
    now_ms: i64,
) {
    // Of a project that is not there any more nothing has changed.
    if !root.is_dir() {
        return;
    }
    let mut hashes: BTreeMap<String, Option<String>> = BTreeMap::new();
    for record in records {
        let changed = record.source_hashes.iter().find(|(path, hash)| {
            let now = hashes.entry((*path).clone()).or_insert_with(|| hash_of(&root.join(path)));
            now.as_ref() != Some(hash)
        });
        record.freshness = match (changed, &record.freshness) {
            (_, Freshness::AskedAgain { .. } | Freshness::Contradicted { .. }) => continue,
            (Some((path, _)), Freshness::Fresh) => {
                Freshness::Stale { path: path.clone(), since: now_ms }
            }
            (Some(_), stale) => stale.clone(),
            (None, _) => Freshness::Fresh,
        };
    }
}

fn hash_of(path: &Path) -> Option<String> {
    let is_file = path.symlink_metadata().is_ok_and(|m| m.is_file());
    let mut bytes = Vec::new();
    File::open(path).ok().filter(|_| is_file)?.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MAX_BYTES).then(|| sha256_hex(&bytes))
}
