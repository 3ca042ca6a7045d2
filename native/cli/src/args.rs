//! The command line.

use std::{fmt::Display, path::PathBuf, str::FromStr};

use clap::{Args, Parser, Subcommand, ValueEnum};
use ouro_core::Language;

/// Learns a code base by itself: asks questions about a project, explores them with tools, and writes down what it
/// found with its sources.
///
/// Exit status: 0 fine, 1 a problem was found where that was asked, 2 wrong use or bad input, 130 stopped by Ctrl-C, 143
/// terminated. Errors are one line on standard error, with --json too.
#[derive(Debug, Parser)]
#[command(name = "ouro", version, max_term_width = 100, propagate_version = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Print JSON, one object a line, and nothing else on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Where the learning records live [default: $OURO_DATA_DIR, or else the platform's data folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,

    /// The language of questions, answers, tables and the loop's messages [default: the system's]; help, wrong use and what
    /// tools and doctor say are in English
    #[arg(long, global = true, value_enum)]
    pub(crate) language: Option<LanguageArg>,

    /// Log more (-v: info, -vv: debug, -vvv: trace); RUST_LOG says it in detail
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// The languages Ouro speaks.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum LanguageArg {
    /// English
    En,
    /// Simplified Chinese
    #[value(name = "zh-CN", alias = "zh")]
    ZhCn,
}

impl Global {
    /// The language asked for, else the system's.
    pub(crate) fn language(&self) -> Language {
        match self.language {
            Some(LanguageArg::En) => Language::English,
            Some(LanguageArg::ZhCn) => Language::Chinese,
            None => ["LC_ALL", "LC_MESSAGES", "LANG"]
                .iter()
                .filter_map(|name| std::env::var(name).ok())
                .find(|value| !value.is_empty())
                .map_or(Language::English, |locale| Language::from_locale(&locale)),
        }
    }

    /// The same in this language.
    pub(crate) fn speaking(&self, language: Language) -> Self {
        let language = match language {
            Language::English => LanguageArg::En,
            Language::Chinese => LanguageArg::ZhCn,
        };
        Self { language: Some(language), ..self.clone() }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Explore a project and write down what was learnt; `ouro evolve --help` lists every setting
    #[command(after_long_help = crate::settings_help::text())]
    Evolve(EvolveArgs),
    /// Look at the learning records
    #[command(subcommand)]
    Records(RecordsCommand),
    /// How the loop stands: counters, quota, backoff, health
    Stats(ProjectArg),
    /// Look at what failed and how to avoid it
    #[command(subcommand)]
    Failures(FailuresCommand),
    /// Answer a question from what was learnt
    Ask(AskArgs),
    /// Check store, model, embedder and permissions, and say what to do
    Doctor(DoctorArgs),
    /// Look for loops in a model's text or in an agent's session; exit status 1 when --format finds one
    Detect(DetectArgs),
    /// Measure every profile of the loop detectors on recorded texts and sessions, side by side
    Eval(EvalArgs),
    /// Print a shell's completion script
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// A project's folder.
#[derive(Debug, Clone, Args)]
pub(crate) struct ProjectArg {
    /// The project's root folder
    pub(crate) project: PathBuf,
}

/// Who thinks and who makes vectors.
#[derive(Debug, Clone, Args)]
pub(crate) struct ModelArgs {
    /// Who thinks: `offline`, or the base URL of an OpenAI-compatible server
    #[arg(long, value_name = "offline|URL", default_value = "offline")]
    pub(crate) llm: String,

    /// The model's name on that server
    #[arg(long)]
    pub(crate) model: Option<String>,

    /// Who makes vectors: `hash` (built in), or the base URL of an OpenAI-compatible server
    #[arg(long, value_name = "hash|URL", default_value = "hash")]
    pub(crate) embedder: String,

    /// The embedder's name on that server
    #[arg(long)]
    pub(crate) embedder_model: Option<String>,

    /// Put in front of every text that is embedded; models of the E5 family want "query: "
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) embedder_prefix: String,

    /// Who puts what is recalled in order: the base URL of a server with the `rerank` route of Jina and Cohere
    /// (llama.cpp, vLLM, ...) [default: nobody, the ranks decide]
    #[arg(long, value_name = "URL", requires = "reranker_model")]
    pub(crate) reranker: Option<String>,

    /// The reranker's name on that server
    #[arg(long, value_name = "NAME", requires = "reranker")]
    pub(crate) reranker_model: Option<String>,

    /// The environment variable that holds the model server's key; keys are never taken from the command line
    #[arg(long, value_name = "NAME", default_value = "OURO_API_KEY")]
    pub(crate) api_key_env: String,

    /// The environment variable that holds the embedding server's key
    #[arg(long, value_name = "NAME", default_value = "OURO_EMBEDDER_API_KEY")]
    pub(crate) embedder_key_env: String,

    /// The environment variable that holds the reranking server's key
    #[arg(long, value_name = "NAME", default_value = "OURO_RERANKER_API_KEY")]
    pub(crate) reranker_key_env: String,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct EvolveArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArg,

    /// End after so many iterations
    #[arg(long, default_value_t = 5, value_parser = whole(1_u32, u32::MAX), allow_negative_numbers = true)]
    pub(crate) iterations: u32,

    /// Never end by itself: rest between iterations, wait for quota and for file changes
    #[arg(long, conflicts_with = "iterations")]
    pub(crate) forever: bool,

    #[command(flatten)]
    pub(crate) models: ModelArgs,

    /// Thresholds of the loop detectors that watch replies and tool calls, from a JSON file as `ouro detect --config` takes it
    #[arg(long, value_name = "FILE")]
    pub(crate) detection: Option<PathBuf>,

    /// Rest between two iterations, in milliseconds [default: 0, with --forever 60000]
    #[arg(long, value_name = "MS", value_parser = whole(0_u64, u64::MAX), allow_negative_numbers = true)]
    pub(crate) interval: Option<u64>,

    /// Makes a run repeatable
    #[arg(long, default_value_t = 0, value_parser = whole(0_u64, u64::MAX), allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// More questions, more steps, line ranges cited
    #[arg(long)]
    pub(crate) deep: bool,

    /// Leave out what matches (gitignore syntax); may be given again
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// Settings from a TOML file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// One setting, for example max_daily_questions=10; may be given again
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RecordsCommand {
    /// List them, newest first
    List {
        #[command(flatten)]
        project: ProjectArg,
        /// At most so many; 0 for all
        #[arg(long, default_value_t = 50, value_parser = whole(0_usize, usize::MAX), allow_negative_numbers = true)]
        limit: usize,
    },
    /// Show one whole
    Show {
        /// Its id, or the end of it
        id: String,
        #[command(flatten)]
        project: ProjectArg,
    },
    /// Find some by words
    Search {
        /// The words
        query: String,
        #[command(flatten)]
        project: ProjectArg,
    },
    /// Write all of them to standard output
    Export {
        #[command(flatten)]
        project: ProjectArg,
        /// Markdown or one JSON array; with --json always the latter
        #[arg(long, value_enum, default_value_t = ExportFormat::Md)]
        format: ExportFormat,
    },
    /// Replace an answer by your own words; they outrank every later answer
    Correct {
        /// Its id, or the end of it
        id: String,
        #[command(flatten)]
        project: ProjectArg,
        /// The right answer
        #[arg(long)]
        text: String,
    },
    /// Say whether one is of use: where it stands when something is searched for
    Rate {
        /// Its id, or the end of it
        id: String,
        #[command(flatten)]
        project: ProjectArg,
        /// What you think of it
        #[arg(value_enum)]
        rating: RatingArg,
    },
    /// Keep one at the top, or let it go
    Pin {
        /// Its id, or the end of it
        id: String,
        #[command(flatten)]
        project: ProjectArg,
        /// Let it go
        #[arg(long)]
        undo: bool,
    },
    /// Remove one for good
    Delete {
        /// Its id, or the end of it
        id: String,
        #[command(flatten)]
        project: ProjectArg,
    },
}

/// What a user thinks of a record.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum RatingArg {
    /// It stands higher
    Useful,
    /// It stands lower
    Useless,
    /// No opinion
    None,
}

/// How records are written.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ExportFormat {
    /// A linked Markdown document
    Md,
    /// One JSON array of whole records
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FailuresCommand {
    /// List them, newest first
    List(ProjectArg),
    /// Show them whole
    #[command(allow_missing_positional = true)]
    Show {
        /// Only the one of this id, or whose id ends so
        id: Option<String>,
        #[command(flatten)]
        project: ProjectArg,
    },
    /// Forget them, so that what failed may be tried again
    #[command(allow_missing_positional = true)]
    Forget {
        /// Only the one of this id, or whose id ends so
        id: Option<String>,
        #[command(flatten)]
        project: ProjectArg,
    },
}

#[derive(Debug, Clone, Args)]
pub(crate) struct AskArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArg,
    /// The question
    pub(crate) question: String,
    /// Instead of an answer, print everything that is known about it as Markdown, in at most so many tokens: to paste into
    /// another assistant's prompt
    #[arg(long, value_name = "TOKENS", num_args = 0..=1, default_missing_value = "4000", require_equals = true)]
    pub(crate) knowledge: Option<u64>,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct DoctorArgs {
    /// A project's root folder
    pub(crate) project: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
}

/// What standard input is.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DetectFormat {
    /// One streamed text
    Text,
    /// One session's events, a JSON object a line
    Events,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct DetectArgs {
    /// Read standard input: one text, or one session
    #[arg(long, value_enum, conflicts_with_all = ["cases", "corpus"])]
    pub(crate) format: Option<DetectFormat>,

    /// Read sessions from a file: {"id", "events": [...]} a line; prints a verdict for each
    #[arg(long, value_name = "FILE", conflicts_with = "corpus")]
    pub(crate) cases: Option<PathBuf>,

    /// Read texts from a file: {"id", "text"} a line; prints a verdict for each
    #[arg(long, value_name = "FILE")]
    pub(crate) corpus: Option<PathBuf>,

    /// Whose rules: adaptive, gemini-cli, qwen-code, checkpoints [default: adaptive]
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<ouro_detect::Profile>,

    /// Thresholds from a JSON file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// The model's name, for the configuration's layers
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,

    /// Characters in each piece of a text; the reference profiles' verdicts depend on it
    #[arg(long, value_name = "N", default_value_t = DEFAULT_CHUNK, value_parser = whole(1, MAX_CHUNK))]
    pub(crate) chunk: usize,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct EvalArgs {
    /// Recorded texts ({"id", "text", "loop", "kind", "onset_char"} a line) and sessions ({"id", "events", "loop", "kind"})
    #[arg(required = true)]
    pub(crate) corpus: Vec<PathBuf>,

    /// Characters in each piece of a text; the reference profiles' verdicts depend on it
    #[arg(long, value_name = "N", default_value_t = DEFAULT_CHUNK, value_parser = whole(1, MAX_CHUNK))]
    pub(crate) chunk: usize,
}

/// About a token, as models stream them.
const DEFAULT_CHUNK: usize = 4;

const MAX_CHUNK: usize = 1_000_000;

/// Reads a whole number, and says which ones are allowed.
fn whole<N>(least: N, most: N) -> impl Fn(&str) -> Result<N, String> + Clone
where
    N: FromStr + PartialOrd + Display + Copy,
{
    move |text| match text.parse() {
        Ok(number) if least <= number && number <= most => Ok(number),
        _ => Err(format!("it must be a whole number from {least} to {most}")),
    }
}
