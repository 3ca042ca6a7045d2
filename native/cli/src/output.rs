//! What people and programs read.

use std::{
    fmt::{self, Display},
    io::{self, IsTerminal, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::Context;
use comfy_table::{ContentArrangement, Table, presets::UTF8_FULL_CONDENSED};
use ouro_core::{ErrorKind, Freshness, Language, LearningRecord, RecordId, SourceRef, Summary};
use rust_i18n::t;
use serde::Serialize;

/// Whoever read standard output went away: what is left to do would be for nobody, and that is no error.
#[derive(Debug)]
struct ReaderGone;

impl Display for ReaderGone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody reads standard output any more")
    }
}

impl std::error::Error for ReaderGone {}

/// Prints the error in one line and returns the status for wrong use, bad input, and work that could not be done.
pub(crate) fn fail(error: &anyhow::Error) -> ExitCode {
    if error.is::<ReaderGone>() {
        return ExitCode::SUCCESS;
    }
    let _ = writeln!(io::stderr(), "ouro: {}", in_one_line(error));
    ExitCode::from(2)
}

/// An error and its causes in one line. Our own messages tell what is behind them; what libraries say of the same is for
/// the log.
pub(crate) fn in_one_line(error: &anyhow::Error) -> String {
    let told = |cause: &&(dyn std::error::Error + 'static)| {
        cause
            .downcast_ref::<ouro_core::Error>()
            .is_some_and(|error| error.kind() != ErrorKind::Internal)
    };
    let last = error.chain().position(|cause| told(&cause)).unwrap_or(usize::MAX);
    let chain: Vec<String> =
        error.chain().take(last.saturating_add(1)).map(ToString::to_string).collect();
    let mut parts: Vec<&str> = Vec::new();
    for message in &chain {
        // A cause that its wrapper already quotes says nothing new.
        if !parts.iter().any(|said| said.contains(message.as_str())) {
            parts.push(message);
        }
    }
    parts.join(": ").replace(['\n', '\r'], " ")
}

/// What is wrong with a command line, in one line.
pub(crate) fn usage_error(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let said: Vec<&str> = lines
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .collect();
    let said = said.join(" ").replace(" tip: ", "; ");
    let said = said.strip_prefix("error: ").unwrap_or(&said);
    format!("{said}: try --help")
}

/// A path as a shell takes it for one word, for commands that are to be copied.
pub(crate) fn word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/\\:._-+@%,=~".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    if cfg!(windows) { format!("\"{text}\"") } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Most characters of a path that is shown to a person.
const MAX_PATH_CHARS: usize = 300;

/// A path for a person, cut in the middle where it is too long to be read.
pub(crate) fn short_path(path: &Path) -> String {
    let text: Vec<char> = path.display().to_string().chars().collect();
    if text.len() <= MAX_PATH_CHARS {
        return text.into_iter().collect();
    }
    let half = MAX_PATH_CHARS / 2;
    let (head, tail) = (text.iter().take(half), text.iter().skip(text.len() - half));
    head.chain(&['…']).chain(tail).collect()
}

/// "1 file", "2 files".
pub(crate) fn counted(count: impl Display, what: &str) -> String {
    let count = count.to_string();
    let plural = if count == "1" { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// Whether a terminal is to get plain text: nothing but characters.
pub(crate) fn is_plain() -> bool {
    std::env::var_os("NO_COLOR").is_some() || std::env::var_os("TERM").is_some_and(|t| t == "dumb")
}

/// Says something on standard error that the user must not miss.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "ouro: note: {text}");
}

/// Prints a line to standard output.
///
/// # Errors
/// When standard output can't take it: what was asked for is not there then. When its reader went away, which ends the
/// command and is told to nobody.
pub(crate) fn line(text: impl AsRef<str>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{}", text.as_ref()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(ReaderGone.into()),
        Err(error) => Err(error).context("standard output can't be written: free some space there"),
    }
}

/// Prints one JSON object on a line of standard output.
///
/// # Errors
/// As [`line()`].
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    line(serde_json::to_string(value)?)
}

/// Whether to use colour on standard output.
pub(crate) fn coloured() -> bool {
    io::stdout().is_terminal() && !is_plain()
}

/// `text` in bold where colour is wanted.
pub(crate) fn bold(text: &str) -> String {
    if coloured() { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// A table with these headings, if any, as wide as the terminal.
pub(crate) fn table(headings: &[String]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    if !headings.is_empty() {
        table.set_header(headings);
    }
    if !io::stdout().is_terminal() {
        table.set_width(120);
    }
    table
}

/// Whether the terminal is too narrow for a table with sentences in it.
pub(crate) fn is_narrow() -> bool {
    Table::new().width().is_some_and(|columns| columns < 60)
}

/// The last eight characters of an id: enough to name it, and they differ from record to record.
pub(crate) fn short(id: RecordId) -> String {
    id.to_string().chars().skip(18).collect()
}

/// A moment in the machine's zone.
pub(crate) fn moment(ms: i64) -> String {
    local(ms, "%Y-%m-%d %H:%M")
}

/// The end of a pause, which may last but a second, in the machine's zone.
pub(crate) fn end_of_pause(ms: i64) -> String {
    local(ms, "%Y-%m-%d %H:%M:%S")
}

fn local(ms: i64, format: &str) -> String {
    jiff::Timestamp::from_millisecond(ms)
        .map(|at| at.to_zoned(jiff::tz::TimeZone::system()).strftime(format).to_string())
        .unwrap_or_default()
}

/// Whether standard output and standard error are one, so that what one says stands above what the other says next.
pub(crate) fn is_beside_errors() -> bool {
    let both_seen = io::stdout().is_terminal() && io::stderr().is_terminal();
    both_seen || same_file::Handle::stdout().ok() == same_file::Handle::stderr().ok()
}

/// A record as people read it, with what the program says around it in their language.
pub(crate) fn record(record: &LearningRecord, language: Language) -> String {
    format!("{}\n\n{}", bold(&record.question), answer(record, language))
}

/// A record without its question.
pub(crate) fn answer(record: &LearningRecord, language: Language) -> String {
    // The sources are those of the answer that was corrected.
    let sources = if record.correction.is_some() { &[][..] } else { &record.source_files };
    answer_with(record.effective_answer(), [doubt(record, language)], sources)
}

/// A model's answer, with what is doubtful of the records that it was given.
pub(crate) fn model_answer(
    answer: &Summary,
    records: &[&LearningRecord],
    language: Language,
) -> String {
    let doubts = records.iter().map(|record| {
        doubt(record, language)
            .map(|doubt| format!("{} {}: {doubt}", short(record.id), record.question))
    });
    answer_with(&answer.answer, doubts, &answer.source_files)
}

fn answer_with(
    answer: &str,
    doubts: impl IntoIterator<Item = Option<String>>,
    sources: &[SourceRef],
) -> String {
    let mut text = format!("{answer}\n");
    for doubt in doubts.into_iter().flatten() {
        text.push_str(&format!("\n! {doubt}\n"));
    }
    if !sources.is_empty() {
        let sources: Vec<String> = sources.iter().map(ouro_engine::place).collect();
        text.push_str(&format!("\n  {}\n", sources.join("\n  ")));
    }
    text
}

/// Why a record may not hold any more.
fn doubt(record: &LearningRecord, language: Language) -> Option<String> {
    let locale = language.tag();
    if let Some(by) = record.superseded_by {
        return Some(t!("records.replaced_by", locale = locale, id = short(by)).into());
    }
    match &record.freshness {
        Freshness::Stale { path, since } => {
            let at = moment(*since);
            Some(t!("records.changed", locale = locale, path = path, at = at).into())
        }
        Freshness::Contradicted { by, .. } => {
            Some(t!("records.contradicted_by", locale = locale, id = short(*by)).into())
        }
        Freshness::Fresh | Freshness::AskedAgain { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_that_a_message_of_ours_tells_already_is_not_told_again_in_other_words() {
        let connect = io::Error::other("client error (Connect)");
        let ours = ouro_core::Error::new(ErrorKind::Unavailable, "can't connect; is it running?");
        let error = anyhow::Error::new(ours.with_source(connect)).context("no model was named");
        assert_eq!(in_one_line(&error), "no model was named: can't connect; is it running?");
        let internal = ouro_core::Error::new(ErrorKind::Internal, "the index failed");
        let error = anyhow::Error::new(internal.with_source(io::Error::other("out of ids")));
        assert_eq!(in_one_line(&error), "the index failed: out of ids");
    }

    #[test]
    fn a_path_that_nobody_can_read_is_cut_in_the_middle_and_one_is_no_plural() {
        let long = format!("/begin{}/end", "/folder".repeat(600));
        let short = short_path(Path::new(&long));
        assert!(short.chars().count() <= MAX_PATH_CHARS + 1, "{short}");
        assert!(short.starts_with("/begin/") && short.ends_with("/end") && short.contains('…'));
        assert_eq!(short_path(Path::new("/a/b")), "/a/b");
        assert_eq!([counted(1, "file"), counted(0, "file")], ["1 file", "0 files"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_in_a_command_is_one_word_for_the_shell() {
        assert_eq!(word(Path::new("../src/天气_1")), "../src/天气_1");
        assert_eq!(word(Path::new("my project")), "'my project'");
        assert_eq!(word(Path::new("it's $HOME")), r"'it'\''s $HOME'");
    }

    #[test]
    fn a_record_that_is_out_of_date_says_so_in_the_language_of_the_user() {
        let path = "src/a.rs".to_owned();
        let freshness = Freshness::Stale { path, since: 0 };
        let stale = LearningRecord { freshness, ..ouro_testkit::store_contract::sample_record(1) };
        assert!(
            record(&stale, Language::English).contains("\n! src/a.rs has changed since (seen ")
        );
        assert!(record(&stale, Language::Chinese).contains("\n! src/a.rs 此后有改动（发现于 "));
    }
}
