//! The learning records as one Markdown document: linked, and the same from run to run.

use std::{collections::BTreeMap, fmt::Write as _};

use ouro_core::{Freshness, LearningRecord, Level};

use crate::recall::place;

/// Renders the records that are current (not superseded) as a knowledge base, by level, oldest first. Nothing in it
/// depends on when it is rendered, so that it can be kept in version control.
pub fn markdown(project: &str, records: &[LearningRecord]) -> String {
    let mut chapters: BTreeMap<Level, Vec<&LearningRecord>> = BTreeMap::new();
    for record in records.iter().filter(|r| r.superseded_by.is_none()) {
        let level = record.topic.as_ref().map(|t| t.level).unwrap_or_default();
        chapters.entry(level).or_default().push(record);
    }
    let mut text = format!("# What is known about {project}\n");
    for (level, chapter) in &mut chapters {
        chapter.sort_by_key(|r| r.id);
        let _ = write!(text, "\n- **{level:?}**\n");
        for record in chapter {
            let _ = writeln!(text, "  - [{}](#{})", escape(&record.question), anchor(record));
        }
    }
    for (level, chapter) in &chapters {
        let _ = write!(text, "\n## {level:?}\n");
        for record in chapter {
            write_record(&mut text, record);
        }
    }
    text
}

fn anchor(record: &LearningRecord) -> String {
    record.id.to_string().to_lowercase()
}

/// Keeps a question from ending its link.
fn escape(text: &str) -> String {
    text.replace('[', "\\[").replace(']', "\\]")
}

fn write_record(text: &mut String, record: &LearningRecord) {
    let _ = write!(
        text,
        "\n<a id=\"{}\"></a>\n\n### {}\n\n{}\n",
        anchor(record),
        record.question,
        record.effective_answer()
    );
    match &record.freshness {
        Freshness::Stale { path, .. } => {
            let _ = write!(text, "\n> Out of date: `{path}` has changed since.\n");
        }
        Freshness::Contradicted { by, .. } => {
            let by = by.to_string().to_lowercase();
            let _ = write!(text, "\n> Doubtful: [a later answer](#{by}) says otherwise.\n");
        }
        Freshness::Fresh | Freshness::AskedAgain { .. } => {}
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
        let _ = write!(text, "\nSources: {}\n", links.join(", "));
    }
    let author = if record.correction.is_some() { "the user's correction of " } else { "" };
    let _ = write!(
        text,
        "\n*{author}{}, confidence {:.0} %{}*\n",
        record.model,
        record.confidence * 100.0,
        if record.tags.is_empty() {
            String::new()
        } else {
            format!("; {}", record.tags.join(", "))
        }
    );
}
