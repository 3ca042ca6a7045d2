//! The live view of a run: one moving line of what happens now, and what was learnt below it.

use std::time::Duration;

use indicatif::ProgressBar;
use ouro_core::{Event, EvolutionStats, LearningRecord, Phase};
use rust_i18n::t;

use super::records;
use crate::{
    args::Global,
    output,
    scanning::{TICK, moving_line},
};

/// How often the line moves while the loop rests, for hours maybe.
const RESTING_TICK: Duration = Duration::from_secs(1);

/// Most characters of a tool's arguments on the moving line.
const MAX_ARGUMENT_CHARS: usize = 60;

/// Shows a run to a person. On a pipe, each step is a line of its own on standard error.
pub(crate) struct Progress {
    global: Global,
    bar: ProgressBar,
    tokens: u64,
    /// The question that is being explored.
    exploring: Option<String>,
    /// Questions that were explored and not kept.
    put_aside: usize,
    /// Questions that were proposed and never taken up.
    refused: usize,
    last_error: Option<String>,
    /// An error that was not said yet: if it ends the run, that is said once and with what follows from it.
    unsaid: Option<String>,
    /// Whether questions and records are read in one place.
    is_one_output: bool,
}

impl Progress {
    /// A view that shows nothing yet.
    pub(crate) fn new(global: &Global) -> Self {
        let progress = Self {
            global: global.clone(),
            bar: moving_line(global),
            tokens: 0,
            exploring: None,
            put_aside: 0,
            refused: 0,
            last_error: None,
            unsaid: None,
            is_one_output: output::is_beside_errors(),
        };
        progress.tick_every(TICK);
        progress
    }

    /// Moves the line so often. Where nothing moves nobody need wake up for it.
    fn tick_every(&self, pause: Duration) {
        if !self.bar.is_hidden() {
            self.bar.enable_steady_tick(pause);
        }
    }

    fn locale(&self) -> &'static str {
        self.global.language().tag()
    }

    /// Says what happens now, by the message's name in the bundle.
    pub(crate) fn message(&mut self, name: &str) {
        let text = t!(name, locale = self.locale()).into_owned();
        self.log(&text);
        self.now(&text);
    }

    /// The line that moves.
    pub(crate) fn line(&self) -> &ProgressBar {
        &self.bar
    }

    /// Where no line moves, the log tells the same: only of what holds nothing of the project's code.
    fn log(&self, text: &str) {
        if self.bar.is_hidden() {
            tracing::info!("{text}");
        }
    }

    fn now(&self, text: &str) {
        let tokens = match self.tokens {
            0 => String::new(),
            n => format!("  ({n} tokens)"),
        };
        self.bar.set_message(format!("{text}{tokens}"));
    }

    /// A line that stays, above the moving one.
    fn lasting(&self, text: &str) {
        if self.global.json {
            return;
        }
        if self.bar.is_hidden() {
            let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{text}\n"));
        } else {
            self.bar.println(text);
        }
    }

    fn say_error(&mut self, error: &str) {
        let again = self.last_error.as_deref() == Some(error);
        let key = if again { "progress.error_again" } else { "progress.error" };
        self.lasting(&format!("! {}", t!(key, locale = self.locale(), error = error)));
        self.last_error = Some(error.to_owned());
    }

    /// What to say of a refused question; nothing of one that was never taken up, for nobody has seen it.
    fn refusal(&mut self, question: &str, reason: &str) -> Option<String> {
        if self.exploring.as_deref() != Some(question) {
            self.refused += 1;
            return None;
        }
        self.put_aside += 1;
        Some(t!("progress.put_aside", locale = self.locale(), reason = reason).into_owned())
    }

    /// Shows one event.
    ///
    /// # Errors
    /// As [`output::line`].
    pub(crate) fn show(&mut self, event: &Event) -> anyhow::Result<()> {
        let locale = self.locale();
        if let Some(error) = self.unsaid.take()
            && !matches!(event, Event::Finished { message, .. } if message.contains(&error))
        {
            self.say_error(&error);
        }
        match event {
            Event::Phase { phase, .. } => match phase {
                Phase::LoadingMemory => {
                    self.tick_every(TICK);
                    self.message("progress.loading");
                }
                Phase::GeneratingQuestion => {
                    // What is refused now is a proposal, were it in the words of the last question.
                    self.exploring = None;
                    self.message("progress.questioning");
                }
                Phase::Summarizing => self.message("progress.summarizing"),
                Phase::Idle | Phase::Exploring | Phase::Waiting => {}
            },
            Event::Question { question, .. } => {
                self.lasting(&format!("? {}", output::bold(&question.question)));
                self.exploring = Some(question.question.clone());
            }
            Event::QuestionRefused { question, reason } => match self.refusal(question, reason) {
                Some(line) => self.lasting(&line),
                None => tracing::debug!(question, reason, "refused"),
            },
            Event::ToolCall { tool, arguments, summary, is_error, .. } => {
                let arguments = brief(arguments);
                // The moving line shows each call; many lasting ones would bury the answers.
                if *is_error || self.global.verbose > 0 {
                    let mark = if *is_error { "✗" } else { "·" };
                    self.lasting(&format!("  {mark} {tool} {arguments}: {summary}"));
                }
                self.now(&format!("{tool} {arguments}"));
            }
            Event::LoopDetected { found } => self.lasting(&format!("  ↻ {}", found.evidence)),
            Event::Tokens { iteration } => self.tokens = iteration.total(),
            Event::RecordSaved { record } => {
                // Its question stands above already.
                let is_asked =
                    self.is_one_output && self.exploring.as_ref() == Some(&record.question);
                let say = if is_asked { output::answer } else { output::record };
                let text = format!("\n{}", say(record, self.global.language()));
                self.bar.suspend(|| output::line(text))?;
            }
            Event::RecordsMarked { count } => tracing::info!(count, "records follow their sources"),
            Event::Waiting { message, until, .. } => {
                let text = match until.map(output::end_of_pause) {
                    Some(at) => t!("progress.until", locale = locale, message = message, at = at)
                        .into_owned(),
                    None => message.clone(),
                };
                if !matches!(event, Event::Waiting { reason: ouro_core::WaitReason::Interval, .. })
                {
                    self.lasting(&format!("~ {text}"));
                }
                self.log(&text);
                self.now(&text);
                self.tick_every(RESTING_TICK);
            }
            Event::Error { message, .. } => self.unsaid = Some(message.clone()),
            Event::Finished { .. } => self.bar.finish_and_clear(),
        }
        Ok(())
    }

    /// The table of what was learnt, why the run ended where that is said nowhere else, and what is left for today.
    pub(crate) fn finish(
        &mut self,
        learned: &[LearningRecord],
        message: Option<&str>,
        stats: &EvolutionStats,
    ) -> anyhow::Result<()> {
        self.bar.finish_and_clear();
        let locale = self.locale();
        if !learned.is_empty() {
            records::print_table(&self.global, learned)?;
        }
        if self.put_aside > 0 {
            let count = self.put_aside;
            output::line(t!("progress.all_put_aside", locale = locale, count = count))?;
        }
        if self.refused > 0 {
            let count = self.refused;
            output::line(t!("progress.all_refused", locale = locale, count = count))?;
        }
        let counts = t!(
            "progress.finished",
            locale = locale,
            learned = learned.len(),
            total = stats.total_learning_records,
            tokens = stats.tokens_today.total(),
            questions = stats.quota.questions_remaining,
        );
        let message =
            message.map(|message| t!("progress.ended", locale = locale, message = message));
        output::line(format!("{}{counts}", message.unwrap_or_default()))
    }
}

/// A tool's arguments as `key=value`, short.
fn brief(arguments: &serde_json::Value) -> String {
    let Some(object) = arguments.as_object() else { return arguments.to_string() };
    let pairs: Vec<String> = object
        .iter()
        .map(|(key, value)| match value.as_str() {
            Some(text) => format!("{key}={text}"),
            None => format!("{key}={value}"),
        })
        .collect();
    let text = pairs.join(" ");
    match text.char_indices().nth(MAX_ARGUMENT_CHARS) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or(&text)),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use ouro_core::{Question, QuestionType};

    use super::*;
    use crate::args::Cli;

    #[test]
    fn a_question_that_was_shown_and_not_kept_is_told_and_others_are_not() {
        let cli = Cli::parse_from(["ouro", "--language", "en", "doctor"]);
        let mut progress = Progress::new(&cli.global);
        assert_eq!(progress.refusal("What?", "asked before"), None);
        let question = Question {
            question: "What?".into(),
            question_type: QuestionType::Other,
            priority: 1,
            reason: String::new(),
            suggested_tools: Vec::new(),
            expected_outcome: String::new(),
            topic: None,
        };
        progress.show(&Event::Question { question, at: 0 }).unwrap();
        assert_eq!(progress.refusal("Why?", "asked before"), None);
        let told = progress.refusal("What?", "nothing was found").unwrap();
        assert_eq!(told, "  – not kept: nothing was found");
        assert_eq!((progress.put_aside, progress.refused), (1, 2));
        // Proposed once more, in the same words, it is none that was explored.
        progress.show(&Event::Phase { phase: Phase::GeneratingQuestion, at: 0 }).unwrap();
        assert_eq!(progress.refusal("What?", "asked before"), None);
        assert_eq!((progress.put_aside, progress.refused), (1, 3));
    }
}
