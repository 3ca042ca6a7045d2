//! The learning records as one Markdown document: linked, and the same from run to run.

use std::{borrow::Cow, collections::BTreeMap, fmt::Write as _};

use ouro_core::{Freshness, Language, LearningRecord, Level};
use rust_i18n::t;

use crate::{
    offline::OFFLINE,
    quotation::{quoted, without_html},
    recall::place,
};

/// Renders the records that are current (not superseded) as a knowledge base, by level, oldest first. Nothing in it
/// depends on when it is rendered, so that it can be kept in version control.
pub fn markdown(project: &str, records: &[LearningRecord], language: Language) -> String {
    let locale = language.tag();
    let mut chapters: BTreeMap<Level, Vec<&LearningRecord>> = BTreeMap::new();
    for record in records.iter().filter(|r| r.superseded_by.is_none()) {
        let level = record.topic.as_ref().map(|t| t.level).unwrap_or_default();
        chapters.entry(level).or_default().push(record);
    }
    let mut text = format!("# {}\n", t!("export.title", locale = locale, project = project));
    for (level, chapter) in &mut chapters {
        chapter.sort_by_key(|r| r.id);
        let _ = write!(text, "\n- **{}**\n", name(*level, locale));
        for record in chapter {
            let _ = writeln!(
                text,
                "  - [{}](#{})",
                escape(&on_one_line(&record.question)),
                anchor(record)
            );
        }
    }
    for (level, chapter) in &chapters {
        let _ = write!(text, "\n## {}\n", name(*level, locale));
        for record in chapter {
            write_record(&mut text, record, locale);
        }
    }
    text
}

fn name(level: Level, locale: &str) -> Cow<'_, str> {
    let key = match level {
        Level::Foundation => "export.foundation",
        Level::Domain => "export.domain",
        Level::Implementation => "export.implementation",
        Level::Practices => "export.practices",
    };
    t!(key, locale = locale)
}

fn anchor(record: &LearningRecord) -> String {
    record.id.to_string().to_lowercase()
}

/// A question in a heading or a list, which a line end or a tag of HTML would end.
fn on_one_line(question: &str) -> String {
    without_html(&question.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Keeps a question from ending its link.
fn escape(text: &str) -> String {
    text.replace('[', "\\[").replace(']', "\\]")
}

fn write_record(text: &mut String, record: &LearningRecord, locale: &str) {
    let (question, answer) = (on_one_line(&record.question), record.effective_answer());
    let is_ours = record.model == OFFLINE && record.correction.is_none();
    let answer = if is_ours { format!("{answer}\n") } else { quoted(answer) };
    let _ = write!(text, "\n<a id=\"{}\"></a>\n\n### {question}\n\n{answer}", anchor(record));
    let doubt = match &record.freshness {
        Freshness::Stale { path, .. } => Some(t!("export.stale", locale = locale, path = path)),
        Freshness::Contradicted { by, .. } => {
            let by = by.to_string().to_lowercase();
            Some(t!("export.doubtful", locale = locale, by = by))
        }
        Freshness::Fresh | Freshness::AskedAgain { .. } => None,
    };
    if let Some(doubt) = doubt {
        let _ = write!(text, "\n> {doubt}\n");
    }
    if !record.source_files.is_empty() {
        let links: Vec<String> = record
            .source_files
            .iter()
            .map(|s| match s.start_line {
                Some(line) => format!("[{}]({}#L{line})", place(s), s.path),
                None => format!("[{}]({})", s.path, s.path),
            })
            .collect();
        let sources = links.join(&t!("export.comma", locale = locale));
        let sources = t!("export.sources", locale = locale, sources = sources);
        let _ = write!(text, "\n{sources}\n");
    }
    let author = if record.correction.is_some() { "export.corrected" } else { "export.author" };
    let confidence = format!("{:.0}", record.confidence * 100.0);
    // Not a model's name, but a word.
    let model = match record.model.as_str() {
        OFFLINE => t!("export.offline", locale = locale),
        model => model.into(),
    };
    let author = t!(author, locale = locale, model = model, confidence = confidence);
    let _ = write!(
        text,
        "\n*{author}{}*\n",
        if record.tags.is_empty() {
            String::new()
        } else {
            let tags = record.tags.join(&t!("export.comma", locale = locale));
            t!("export.tags", locale = locale, tags = tags).into_owned()
        }
    );
}

#[cfg(test)]
mod tests {
    use ouro_core::{Language, LearningRecord};
    use ouro_testkit::store_contract::sample_record;

    use super::{OFFLINE, markdown};

    #[test]
    fn what_a_model_wrote_breaks_nothing_of_the_document() {
        let record = |model: &str| LearningRecord {
            question: "What does\n# `Vec<T>` of <!-- do?".into(),
            answer: "It `holds`.\n\n```rust\nlet a".into(),
            model: model.into(),
            correction: None,
            ..sample_record(1)
        };
        let text = markdown("p", &[record("some-model")], Language::English);
        assert!(text.contains("\n### What does # `Vec<T>` of \\<!-- do?\n"), "{text}");
        assert!(text.contains("\n\n> It `holds`.\n>\n> ```rust\n> let a\n\n"), "{text}");
        let ours = markdown("p", &[record(OFFLINE)], Language::English);
        assert!(ours.contains("\n\nIt `holds`.\n"), "{ours}");
    }
}
