//! `cargo xtask real-model`: two iterations against a small real chat model and a real embedder over HTTP.
//!
//! The model has 135 million parameters: fluent, but it knows nothing and often writes nonsense. That is its use here.
//! The scripted servers of the other tests say what their author thought of; this one says what it likes, at its own
//! speed, and Ouro has to stream it, hold it to its schemas, count it, and come through.

mod install;
mod outcome;
mod servers;

use std::{
    fs::{self, File},
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use crate::{cargo, process::Running};
use outcome::{Outcome, json_lines};

/// Time to build `ouro`.
const BUILD_LIMIT: Duration = Duration::from_secs(40 * 60);
/// Time for the two iterations; they take about a minute.
const EVOLVE_LIMIT: Duration = Duration::from_secs(15 * 60);
/// Time for a command that only reads what was learnt.
const READ_LIMIT: Duration = Duration::from_secs(60);

pub(crate) fn run() -> Result<()> {
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64")),
        "the model's engine is installed ready-built, for Linux on x86-64 only"
    );
    let target = cargo::workspace()?.target;
    let own = target.join("real-model");
    let cache = std::env::var_os("OURO_REAL_MODEL_CACHE").map_or_else(|| own.clone(), Into::into);
    let installed = install::ensure(&cache)?;
    let build = cargo::cargo(["build", "--package", "ouro-cli", "--locked"]);
    let ouro = cargo::build(build, BUILD_LIMIT)?
        .into_iter()
        .find(|artifact| artifact.kind == "bin")
        .context("building ouro-cli gave no program")?
        .executable;

    let run = own.join("run");
    if run.exists() {
        fs::remove_dir_all(&run)?;
    }
    fs::create_dir_all(&run)?;
    let chat = servers::start_chat(&installed, &run)?;
    let embedder = servers::start_embedder(&installed, &run)?;

    println!("==> two iterations; everything they print goes to {}", run.display());
    let start = Instant::now();
    let project = cargo::root().join("tests/fixtures/weather");
    let ouro = |name: &str, arguments: &[&str], limit| -> Result<i32> {
        let mut command = cargo::command(ouro.to_str().context("not UTF-8")?, &cargo::root());
        command.args(arguments).arg(&project).args(["--json", "--language", "en"]);
        command.arg("--data-dir").arg(run.join("data"));
        command.stdin(Stdio::null());
        command.stdout(File::create(run.join(format!("{name}.jsonl")))?);
        command.stderr(File::create(run.join(format!("{name}.log")))?);
        Running::start(&mut command)?.wait(limit)?.code().context("ouro was killed by a signal")
    };
    let evolve = [
        "evolve",
        "--iterations=2",
        "--llm",
        &chat.url,
        "--model=smollm2",
        "--embedder",
        &embedder.url,
    ];
    let status = ouro("evolve", &evolve, EVOLVE_LIMIT)?;
    let seconds = start.elapsed().as_secs_f32();
    ensure!(ouro("records", &["records", "list"], READ_LIMIT)? == 0, "ouro records list failed");
    ensure!(ouro("failures", &["failures", "list"], READ_LIMIT)? == 0, "ouro failures list failed");
    drop((chat, embedder)); // Their logs are complete now.

    let outcome = Outcome {
        status,
        events: json_lines(&read(&run, "evolve.jsonl")?)?,
        messages: read(&run, "evolve.log")?,
        records: json_lines(&read(&run, "records.jsonl")?)?,
        failures: json_lines(&read(&run, "failures.jsonl")?)?,
        chats: json_lines(&read(&run, "chat.log")?)?,
        embeddings: read(&run, "embedder.log")?.matches("POST /v1/embeddings ").count(),
    };
    println!("{}", outcome.report());
    outcome.check()?;
    println!("==> the real model passed: two iterations in {seconds:.1} s");
    Ok(())
}

fn read(folder: &Path, name: &str) -> Result<String> {
    fs::read_to_string(folder.join(name)).with_context(|| format!("cannot read {name}"))
}
