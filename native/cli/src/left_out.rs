//! What a scan left out, and why, in words.

use std::collections::BTreeMap;

use ouro_core::{ProjectAnalysis, analysis::Skipped};

/// Most examples that are named for a reason.
const NAMED: usize = 3;

/// How many were left out although somebody may want them read.
pub(crate) fn wanted(analysis: &ProjectAnalysis) -> usize {
    let wanted = |s: &&Skipped| {
        ["unreadable", "larger than", "more than"].iter().any(|why| s.why.starts_with(why))
    };
    analysis.skipped.iter().filter(wanted).count()
}

/// "3 left out: 2 binary (a.png, b.png); 1 unreadable: permission denied (secret)", the most frequent reason first.
pub(crate) fn summary(analysis: &ProjectAnalysis) -> String {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for skipped in &analysis.skipped {
        reasons.entry(&skipped.why).or_default().push(&skipped.path);
    }
    let mut reasons: Vec<(&str, Vec<&str>)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, paths)| std::cmp::Reverse(paths.len()));
    let told: Vec<String> = reasons
        .into_iter()
        .map(|(why, paths)| {
            let dots = if paths.len() > NAMED { ", …" } else { "" };
            let named: Vec<&str> = paths.iter().take(NAMED).copied().collect();
            format!("{} {why} ({}{dots})", paths.len(), named.join(", "))
        })
        .collect();
    let colon = if told.is_empty() { "" } else { ": " };
    format!("{} left out{colon}{}", analysis.skipped_count, told.join("; "))
}
