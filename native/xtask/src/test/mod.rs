//! `cargo xtask test`: everything that has to pass, cheap checks first; the first failure ends it.

mod c;
mod deny;
mod header;
mod jvm;
mod readme;
mod size;
mod suite;

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use crate::{cargo, process};

/// Time for one cargo command that only checks: everything may have to be compiled on two cores.
const CHECK_LIMIT: Duration = Duration::from_secs(40 * 60);

/// What to check.
#[derive(Args)]
pub(crate) struct Options {
    /// Only this step (may be given more than once)
    #[arg(long, value_name = "STEP")]
    only: Vec<Step>,
}

/// A step; they run in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Cargo.lock is up to date
    Lock,
    /// No tracked file is larger than 1 MiB
    Size,
    /// What is linked in has licences that fit, and no second version without a reason
    Deny,
    /// Everything is formatted
    Fmt,
    /// No warning in any target, benchmarks included
    Clippy,
    /// The C header is what the C ABI says
    Header,
    /// The documentation builds without a warning
    Doc,
    /// All tests pass, in time, and every crate has some
    Test,
    /// C programs can use the library, clean of errors in memory where valgrind is there
    C,
    /// The Kotlin bridge works on the JVMs of this machine
    Jvm,
    /// Every command of the README's ```console run blocks ends with the status that it should
    Readme,
}

impl Step {
    fn run(self) -> Result<()> {
        match self {
            Self::Lock => cargo::workspace().map(drop),
            Self::Size => size::run(),
            Self::Deny => deny::run(),
            Self::Fmt => check(["fmt", "--all", "--check"], &[]),
            Self::Clippy => check(
                ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"],
                &[],
            ),
            Self::Header => header::run(),
            Self::Doc => check(
                ["doc", "--workspace", "--no-deps", "--document-private-items", "--locked"],
                &[("RUSTDOCFLAGS", "-D warnings")],
            ),
            Self::Test => suite::run(),
            Self::C => c::run(),
            Self::Jvm => jvm::run(),
            Self::Readme => readme::run(),
        }
    }

    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// Runs the chosen steps.
pub(crate) fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let chosen = |step: &&Step| options.only.is_empty() || options.only.contains(step);
    let mut times = Vec::new();
    for step in Step::value_variants().iter().filter(chosen) {
        let step_start = Instant::now();
        println!("\n==> {}", step.name());
        step.run()
            .with_context(|| format!("{} after {}", step.name(), seconds(start.elapsed())))?;
        times.push(format!("{} {}", step.name(), seconds(step_start.elapsed())));
    }
    println!("\n==> passed in {} ({})", seconds(start.elapsed()), times.join(", "));
    Ok(())
}

fn check<'a>(
    arguments: impl IntoIterator<Item = &'a str>,
    variables: &[(&str, &str)],
) -> Result<()> {
    process::run(cargo::cargo(arguments).envs(variables.iter().copied()), CHECK_LIMIT)
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f32())
}
