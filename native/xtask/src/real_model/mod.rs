//! `cargo xtask real-model`: two iterations against a small real chat model and a real embedder over HTTP.
//!
//! The model has 135 million parameters: fluent, but it knows nothing and often writes nonsense. That is its use here.
//! The scripted servers of the other tests say what their author thought of; this one says what it likes, at its own
//! speed, and Ouro has to stream it, hold it to its schemas, count it, and come through.

mod install;
mod looping;
mod outcome;
mod servers;

use std::{
    fs::{self, File},
    path::PathBuf,
    process::Stdio,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use crate::{
    cargo,
    process::{self, Running},
};
use outcome::{Outcome, json_lines};
use servers::Server;

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
    process::run(&mut cargo::cargo(cargo::AS_TESTED), BUILD_LIMIT)?;
    let ouro = target.join("debug").join(format!("ouro{}", std::env::consts::EXE_SUFFIX));

    let place = Place { ouro, folder: own.join("run") };
    place.begin()?;
    let chat = servers::start_chat(&installed, &place.folder)?;
    let embedder = servers::start_embedder(&installed, &place.folder)?;

    println!("==> two iterations; everything they print goes to {}", place.folder.display());
    let start = Instant::now();
    let status = place.evolve(&chat, &embedder)?;
    let seconds = start.elapsed().as_secs_f32();
    let list = |name: &str| place.ouro(name, &[name, "list"], READ_LIMIT);
    ensure!(list("records")? == 0, "ouro records list failed");
    ensure!(list("failures")? == 0, "ouro failures list failed");
    drop((chat, embedder)); // Their logs are complete now.

    let outcome = Outcome {
        status,
        events: json_lines(&place.read("evolve.jsonl")?)?,
        messages: place.read("evolve.log")?,
        records: json_lines(&place.read("records.jsonl")?)?,
        failures: json_lines(&place.read("failures.jsonl")?)?,
        chats: json_lines(&place.read("chat.log")?)?,
        embeddings: place.read("embedder.log")?.matches("POST /v1/embeddings ").count(),
    };
    println!("{}", outcome.report());
    outcome.check()?;
    println!("==> the real model passed: two iterations in {seconds:.1} s");
    println!("==> free text at temperature 0, watched by ouro detect");
    let folder = own.join("loop");
    let place = Place { folder, ..place };
    place.begin()?;
    let chat = servers::start_chat(&installed, &place.folder)?;
    looping::show(&place.ouro, &chat)?;
    println!("==> what ran in circles was broken off");
    Ok(())
}

/// Where a run writes to, and what runs.
struct Place {
    ouro: PathBuf,
    folder: PathBuf,
}

impl Place {
    /// Empties the folder.
    fn begin(&self) -> Result<()> {
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder)?;
        }
        Ok(fs::create_dir_all(&self.folder)?)
    }

    /// Two iterations of `ouro evolve` on the fixture project; its exit status.
    fn evolve(&self, chat: &Server, embedder: &Server) -> Result<i32> {
        let mut arguments = vec!["evolve", "--iterations", "2", "--llm", &chat.url];
        arguments.extend(["--model", "smollm2", "--embedder", &embedder.url]);
        self.ouro("evolve", &arguments, EVOLVE_LIMIT)
    }

    fn ouro(&self, name: &str, arguments: &[&str], limit: Duration) -> Result<i32> {
        let ouro = self.ouro.to_str().context("not UTF-8")?;
        let mut command = cargo::command(ouro, &cargo::root());
        command.args(arguments).arg(cargo::root().join("tests/fixtures/weather"));
        command.args(["--json", "--language", "en", "--data-dir"]).arg(self.folder.join("data"));
        command.stdin(Stdio::null());
        command.stdout(File::create(self.folder.join(format!("{name}.jsonl")))?);
        command.stderr(File::create(self.folder.join(format!("{name}.log")))?);
        Running::start(&mut command)?.wait(limit)?.code().context("ouro was killed by a signal")
    }

    fn read(&self, name: &str) -> Result<String> {
        let path = self.folder.join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    }
}
