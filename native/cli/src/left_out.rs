//! What a scan left out, and why, in words.

use ouro_core::ProjectAnalysis;

/// Most examples that are named for a reason.
const NAMED: usize = 3;

/// How many can't be read, or are too large, although somebody may want them read.
pub(crate) fn unreadable(analysis: &ProjectAnalysis) -> u64 {
    count(analysis, &["unreadable", "larger than"])
}

/// How many are beyond the number of files that are read.
pub(crate) fn too_many(analysis: &ProjectAnalysis) -> u64 {
    count(analysis, &["more than"])
}

/// How many the user excludes.
pub(crate) fn excluded(analysis: &ProjectAnalysis) -> u64 {
    count(analysis, &["excluded by the settings"])
}

fn count(analysis: &ProjectAnalysis, reasons: &[&str]) -> u64 {
    let is_meant = |why: &str| reasons.iter().any(|start| why.starts_with(start));
    analysis.left_out.iter().filter(|reason| is_meant(&reason.why)).map(|reason| reason.count).sum()
}

/// "3 left out: 2 binary (a.png, b.png); 1 unreadable: permission denied (secret)", the most frequent reason first.
pub(crate) fn summary(analysis: &ProjectAnalysis) -> String {
    let told: Vec<String> = analysis
        .left_out
        .iter()
        .map(|reason| {
            let named: Vec<&str> = reason.examples.iter().take(NAMED).map(String::as_str).collect();
            let dots = if reason.count > NAMED as u64 { ", …" } else { "" };
            format!("{} {} ({}{dots})", reason.count, reason.why, named.join(", "))
        })
        .collect();
    let colon = if told.is_empty() { "" } else { ": " };
    format!("{} left out{colon}{}", analysis.left_out_count(), told.join("; "))
}
