//! Which knowledge gap a record closes.

use ouro_core::LearningRecord;

/// Whether a record with sources explains what the gap is about: its question or topic names every name and file of the
/// gap, or all its words where it has no names. A file may also be among the record's sources.
pub(crate) fn explains(record: &LearningRecord, gap: &str) -> bool {
    if record.source_files.is_empty() {
        return false;
    }
    let question = record.question.to_lowercase();
    let gap = gap.to_lowercase();
    if question.contains(&gap) {
        return true;
    }
    let subject = record.topic.as_ref().map_or_else(String::new, |t| t.subject.to_lowercase());
    let terms = terms(&gap);
    let is_source = |term: &str| record.source_files.iter().any(|s| s.path.to_lowercase() == term);
    !terms.is_empty()
        && terms.iter().all(|term| {
            names(&question, term) || names(&subject, term) || (is_path(term) && is_source(term))
        })
}

/// What a gap is about: the names in backticks and the files, else its words.
fn terms(gap: &str) -> Vec<&str> {
    let quoted: Vec<&str> = gap.split('`').skip(1).step_by(2).filter(|t| !t.is_empty()).collect();
    let words = gap.split(|c: char| c.is_whitespace() || "()`,;?!".contains(c));
    let words = words.map(|word| word.trim_matches(['.', ':'])).filter(|word| !word.is_empty());
    if quoted.is_empty() {
        return words.collect();
    }
    let paths = words.filter(|word| is_path(word));
    quoted.iter().copied().chain(paths).collect()
}

fn is_path(term: &str) -> bool {
    term.contains('/')
}

/// Whether a text has the name as a whole: neither within a word nor as a part of a longer path.
fn names(text: &str, name: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '-');
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + name.len()..).unwrap_or_default();
        let longer_before =
            before.ends_with(in_word) || before.ends_with("::") || before.ends_with('.');
        let member = after.strip_prefix("::").or_else(|| after.strip_prefix('.'));
        let longer_after =
            after.starts_with(in_word) || member.is_some_and(|m| m.starts_with(in_word));
        !longer_before && !longer_after
    })
}

#[cfg(test)]
mod tests {
    use ouro_testkit::store_contract::sample_record;

    use super::*;

    fn record(question: &str, source: &str) -> LearningRecord {
        let mut record = sample_record(1);
        record.question = question.into();
        record.topic = None;
        record.source_files.truncate(1);
        record.source_files[0].path = source.into();
        record
    }

    #[test]
    fn a_gap_is_closed_by_a_record_about_its_name_and_file() {
        let asked = "What is `Credential` in `src/api_key.rs` for, and who uses it?";
        let there = record(asked, "src/http.rs");
        for (gap, closed) in [
            ("`Credential` (src/api_key.rs)", true),
            ("where a `Credential` comes from", true),
            ("`Credential` (src/other.rs)", false),
            ("`Cred` (src/api_key.rs)", false),
            ("`ApiKey` (src/api_key.rs)", false),
            ("`Credential` (api_key.rs/src)", false),
            ("who uses it", true),
            ("who uses the vault", false),
        ] {
            assert_eq!(explains(&there, gap), closed, "{gap}");
        }
        let by_source = record("How is a `Credential` read?", "src/api_key.rs");
        assert!(explains(&by_source, "`Credential` (src/api_key.rs)"));
        let member =
            record("What does `Credential::read` in `src/api_key.rs` do?", "src/api_key.rs");
        assert!(!explains(&member, "`Credential` (src/api_key.rs)"));
        assert!(explains(&member, "`Credential::read` (src/api_key.rs)"));
    }

    #[test]
    fn words_without_a_source_close_nothing() {
        let mut record = record("What is `Credential` in `src/api_key.rs`?", "src/api_key.rs");
        record.source_files.clear();
        assert!(!explains(&record, "`Credential` (src/api_key.rs)"));
    }
}
