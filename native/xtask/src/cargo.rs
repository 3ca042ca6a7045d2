//! Cargo, called from a program that cargo itself has started.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process;

/// The top folder of the repository that this program was started in.
pub(crate) fn root() -> PathBuf {
    // Cargo takes one build for two copies of the repository that share a target folder, as the README's commands do:
    // what was compiled in may be the other one's.
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.ancestors().nth(2).unwrap_or(Path::new("/")).to_owned()
}

/// Builds libraries and programs as `cargo test --workspace` does. A build of one package alone would choose other features
/// of what it depends on, and compile all of that once more.
pub(crate) const AS_TESTED: [&str; 6] =
    ["build", "--locked", "--workspace", "--lib", "--bins", "--tests"];

/// A command in `folder` as a user would run it, without what cargo told this program about itself: build scripts that
/// watch those variables would run again for nothing.
pub(crate) fn command(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// `cargo ARGUMENTS` at the top of the repository.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = command("cargo", &root());
    command.args(arguments);
    command
}

/// What the workspace consists of.
pub(crate) struct Workspace {
    /// The folder of everything that is built.
    pub(crate) target: PathBuf,
    /// The name of each member by its package id.
    pub(crate) members: BTreeMap<String, String>,
}

/// Asks cargo; fails when Cargo.lock is not up to date.
pub(crate) fn workspace() -> Result<Workspace> {
    let output = cargo(["metadata", "--no-deps", "--locked", "--format-version=1"]).output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let target = text(&metadata, "target_directory").context("cargo names no target folder")?;
    let packages = metadata.get("packages").and_then(Value::as_array);
    let members = packages.into_iter().flatten().filter_map(|package| {
        Some((text(package, "id")?.to_owned(), text(package, "name")?.to_owned()))
    });
    Ok(Workspace { target: target.into(), members: members.collect() })
}

/// A program that cargo has built.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Artifact {
    /// Id of its package.
    pub(crate) package: String,
    /// Cargo's word for what it is: `lib`, `bin`, `test`, ...
    pub(crate) kind: String,
    /// Where it is.
    pub(crate) executable: PathBuf,
}

/// Runs a building command (with `--message-format` added) and returns the programs that it built.
pub(crate) fn build(mut command: Command, limit: Duration) -> Result<Vec<Artifact>> {
    let start = Instant::now();
    let mut artifacts = Vec::new();
    command.arg("--message-format=json-render-diagnostics");
    let status = process::watch(command, |line| {
        match line.map(|line| (line, serde_json::from_str::<Value>(line))) {
            Some((_, Ok(message))) => artifacts.extend(artifact(&message)),
            Some((line, Err(_))) => eprintln!("{line}"),
            None if start.elapsed() > limit => bail!("building took longer than {limit:?}"),
            None => {}
        }
        Ok(())
    })?;
    if !status.success() {
        bail!("it does not build: {status}");
    }
    Ok(artifacts)
}

fn artifact(message: &Value) -> Option<Artifact> {
    Some(Artifact {
        package: text(message, "package_id")?.to_owned(),
        kind: message.pointer("/target/kind/0")?.as_str()?.to_owned(),
        executable: text(message, "executable")?.into(),
    })
}

fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field)?.as_str()
}
