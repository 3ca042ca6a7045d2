//! C programs over the shared library: compiled, run, and watched by valgrind where it is installed.

use std::{fs, path::Path, process::Command, time::Duration};

use anyhow::{Context, Result, ensure};

use crate::{
    cargo::{AS_TESTED, cargo, command, root, workspace},
    process,
};

/// Time to build the library: everything may have to be compiled.
const BUILD_LIMIT: Duration = Duration::from_secs(40 * 60);
/// Time for one program; valgrind is some twenty times slower than the machine.
const RUN_LIMIT: Duration = Duration::from_secs(300);

pub(super) fn run() -> Result<()> {
    process::run(&mut cargo(AS_TESTED), BUILD_LIMIT)?;
    let libraries = workspace()?.target.join("debug");
    let out = libraries.join("c-tests");
    fs::create_dir_all(&out)?;
    let watcher = watcher();
    if watcher.is_empty() {
        println!("valgrind is not installed: the programs run without it");
    }
    for name in ["detect", "evolve"] {
        let program = out.join(name);
        process::run(&mut compile(name, &program, &libraries), RUN_LIMIT)?;
        let data = out.join("data");
        // What an earlier run left would be answered from, not explored.
        if data.exists() {
            fs::remove_dir_all(&data).context("the data of an earlier run")?;
        }
        let mut words = watcher.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        words.push(program.display().to_string());
        let (first, rest) = words.split_first().context("no program")?;
        let mut run = command(first, &root());
        run.args(rest).arg("tests/fixtures/weather").arg(&data);
        let (status, text) = process::output(run, RUN_LIMIT)?;
        ensure!(status.success(), "{name}: {status}\n{text}");
        println!("{}", text.lines().last().unwrap_or_default());
    }
    Ok(())
}

fn compile(name: &str, program: &Path, libraries: &Path) -> Command {
    let mut cc = command("cc", &root());
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-Inative/ffi/include"])
        .arg(format!("tests/c/{name}.c"))
        .arg("-o")
        .arg(program)
        .arg(format!("-L{}", libraries.display()))
        .arg("-louro")
        .arg("-lpthread")
        .arg(format!("-Wl,-rpath,{}", libraries.display()));
    cc
}

/// The words in front of a program that watch its memory; none where valgrind is not installed.
fn watcher() -> Vec<&'static str> {
    let found = Command::new("valgrind").arg("--version").output();
    if !found.is_ok_and(|output| output.status.success()) {
        return Vec::new();
    }
    vec![
        "valgrind",
        "--quiet",
        "--error-exitcode=99",
        "--leak-check=full",
        "--show-leak-kinds=definite",
        "--errors-for-leak-kinds=definite",
    ]
}
