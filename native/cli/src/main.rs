//! The `ouro` command: the engine without an IDE.

mod args;
mod commands;
mod compose;
mod file_watch;
mod freshness;
mod left_out;
mod models;
mod output;
mod place;
mod recordings;
mod scanning;
mod settings;
mod settings_help;
mod signals;

use std::{io::IsTerminal, process::ExitCode};

use args::{Cli, Command};
use clap::{CommandFactory, Parser, error::ErrorKind};
use tracing_subscriber::EnvFilter;

rust_i18n::i18n!("locales", fallback = "en");
// The macro reads the bundle unseen by the compiler, which would not compile anew what a changed text is part of.
const _: &str = include_str!("../locales/cli.yml");

/// How long work on blocking threads may take to end after the command is done.
const SHUTDOWN_LIMIT: std::time::Duration = std::time::Duration::from_millis(500);

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help and version are no errors.
        Err(error) if !error.use_stderr() => error.exit(),
        // Who types the bare name wants to know what there is: the help, as for wrong use on standard error and with its status.
        Err(error)
            if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                && std::env::args_os().len() <= 1 =>
        {
            error.exit()
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return output::fail(&anyhow::anyhow!(what_is_missing()));
        }
        Err(error) => return output::fail(&anyhow::anyhow!(output::usage_error(&error))),
    };
    start_log(cli.global.verbose);
    keep_caught_panics_quiet();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            return output::fail(&anyhow::Error::new(error).context("the runtime did not start"));
        }
    };
    let result = runtime.block_on(run(cli));
    runtime.shutdown_timeout(SHUTDOWN_LIMIT);
    result.unwrap_or_else(|error| output::fail(&error))
}

/// What a command that has commands of its own was to be told, in one line.
fn what_is_missing() -> String {
    let ouro = Cli::command();
    let mut groups = std::env::args().filter_map(|name| ouro.find_subcommand(name));
    let Some(group) = groups.find(|command| command.has_subcommands()) else {
        return "say what to do: try --help".to_owned();
    };
    let names: Vec<&str> = group.get_subcommands().map(clap::Command::get_name).collect();
    let (name, last) = (group.get_name(), names.join(", "));
    format!("`ouro {name}` needs one of {last}: try --help")
}

async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let global = cli.global;
    match cli.command {
        Command::Evolve(args) => commands::evolve::run(&global, &args).await,
        Command::Records(command) => commands::records::run(&global, command).await,
        Command::Stats(project) => commands::stats::run(&global, &project).await,
        Command::Failures(command) => commands::failures::run(&global, command).await,
        Command::Ask(args) => commands::ask::run(&global, &args).await,
        Command::Doctor(args) => commands::doctor::run(&global, &args).await,
        Command::Detect(args) => commands::detect::run(&global, &args),
        Command::Eval(args) => commands::eval::run(&global, &args),
        Command::Completions { shell } => {
            // Into memory first: the generator takes a failed write for a defect.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "ouro", &mut script);
            output::line(String::from_utf8(script)?.trim_end())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// A damaged store makes the library that reads it panic; the store catches that and repairs itself, which is all
/// that a user should hear of it.
fn keep_caught_panics_quiet() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if ouro_store::panic_is_caught() {
            tracing::debug!(panic = %info, "caught while reading a damaged store");
        } else {
            default(info);
        }
    }));
}

/// Logs go to standard error, so that standard output stays clean for programs.
fn start_log(verbose: u8) {
    let level = match verbose {
        // The store says itself what it had to mend; its library says it once more, in its own words.
        0 => "error,sled=off",
        1 => "info,tantivy=warn,sled=warn",
        2 => "debug,tantivy=warn,sled=warn,hyper=info,h2=info",
        _ => "trace,sled=warn",
    };
    // sled logs while a thread ends, when what tracing keeps for the thread is gone: the process would abort.
    let wanted = std::env::var(EnvFilter::DEFAULT_ENV).ok().filter(|wanted| !wanted.is_empty());
    let wanted = wanted.and_then(|wanted| EnvFilter::try_new(format!("{wanted},sled=off")).ok());
    let filter = wanted.unwrap_or_else(|| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal() && !output::is_plain())
        .init();
}
