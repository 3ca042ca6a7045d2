//! The README's commands do what it says.
//!
//! A fenced block that opens with "```console run" is run: each line that begins with `$ ` is a command, the other
//! lines are its output and don't matter. A command ends with status 0, or with the one in a comment at its end:
//!
//! ```console
//! $ ouro records list nowhere  # exit status 2
//! ```
//!
//! A line that ends with a backslash goes on in the next. Commands run in bash, one by one, in a copy of the
//! repository's tracked files, with the release build of `ouro` on the path and without the user's own data.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};

use super::size::tracked_files;
use crate::{cargo, process};

/// Time for the release build, and for each command.
const LIMIT: Duration = Duration::from_secs(40 * 60);

pub(super) fn run() -> Result<()> {
    let root = cargo::root();
    let readme = fs::read_to_string(root.join("README.md")).context("README.md cannot be read")?;
    let examples = examples(&readme)?;
    ensure!(!examples.is_empty(), "README.md has no block that opens with ```console run");

    let target = cargo::workspace()?.target;
    let copy = copy_of(&root)?;
    let data = target.join("xtask").join("readme");
    if data.exists() {
        fs::remove_dir_all(&data)?;
    }
    let in_copy = |program: &str| -> Result<Command> {
        let mut command = cargo::command(program, &copy);
        command.env("CARGO_TARGET_DIR", &target).env("OURO_DATA_DIR", &data);
        command.env("PATH", path_with(&target.join("release"))?);
        Ok(command)
    };
    process::run(in_copy("cargo")?.args(["build", "--release", "--locked"]), LIMIT)?;
    for Example { line, command, expected } in &examples {
        println!("README.md:{line}: $ {command}");
        let mut bash = in_copy("bash")?;
        bash.args(["-c", command]);
        let (status, output) =
            process::output(bash, LIMIT).with_context(|| format!("README.md:{line}"))?;
        if status.code() != Some(*expected) {
            bail!("{output}README.md:{line}: {command}: {status}, but should be {expected}");
        }
    }
    println!("{} commands of README.md did what they should", examples.len());
    Ok(())
}

fn path_with(folder: &Path) -> Result<std::ffi::OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    Ok(std::env::join_paths(
        std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path)),
    )?)
}

/// Brings the copy up to date. It stands outside the repository, always at the same place and with unchanged files
/// untouched, so that cargo builds only what changed.
fn copy_of(root: &Path) -> Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    let copy = std::env::temp_dir().join(format!("ouro-readme-{:016x}", hasher.finish()));
    let files = tracked_files(root)?;
    for file in &files {
        let (from, to) = (root.join(file), copy.join(file));
        let Ok(content) = fs::read(&from) else { continue }; // Deleted, but not yet committed so.
        if fs::read(&to).is_ok_and(|old| old == content) {
            continue;
        }
        fs::create_dir_all(to.parent().unwrap_or(&copy))?;
        fs::write(&to, content).with_context(|| format!("cannot write {}", to.display()))?;
    }
    remove_others(&copy, &copy, &files)?;
    Ok(copy)
}

/// Removes every file below `folder` that is not one of `files`.
fn remove_others(copy: &Path, folder: &Path, files: &[String]) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_others(copy, &entry.path(), files)?;
        } else if let Ok(file) = entry.path().strip_prefix(copy)
            && !files.iter().any(|kept| Path::new(kept) == file)
        {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// A command of the README.
#[derive(Debug, PartialEq)]
struct Example {
    /// Its line, from 1.
    line: usize,
    command: String,
    /// The exit status that it should end with.
    expected: i32,
}

fn examples(markdown: &str) -> Result<Vec<Example>> {
    let mut examples = Vec::new();
    let mut lines = markdown.lines().enumerate().map(|(index, line)| (index + 1, line));
    while let Some((opened, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let is_run = info.split_whitespace().any(|word| word == "run");
        if is_run && info != "console run" {
            bail!("README.md:{opened}: a block that is run opens with ```console run, not {line}");
        }
        let before = examples.len();
        loop {
            let (number, line) = lines
                .next()
                .with_context(|| format!("README.md:{opened}: the block is not closed"))?;
            if line.starts_with("```") {
                break;
            }
            let Some(command) = line.strip_prefix("$ ").filter(|_| is_run) else { continue };
            let mut command = command.to_owned();
            while command.ends_with('\\') {
                command.pop();
                let (_, next) = lines
                    .next()
                    .with_context(|| format!("README.md:{number}: the command does not end"))?;
                command.push_str(next.trim_start());
            }
            examples.push(example(number, &command)?);
        }
        if is_run && examples.len() == before {
            bail!("README.md:{opened}: a block that is run has no line that begins with `$ `");
        }
    }
    Ok(examples)
}

fn example(line: usize, command: &str) -> Result<Example> {
    let (command, expected) = match command.split_once("# exit status ") {
        None => (command, 0),
        Some((command, status)) => {
            let status = status.trim().parse();
            (command, status.with_context(|| format!("README.md:{line}: no such exit status"))?)
        }
    };
    Ok(Example { line, command: command.trim().to_owned(), expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_of_blocks_marked_so_are_run() {
        let readme = "\
# Title
```console
$ rm -rf everything
```
```console run
$ ouro evolve . \\
    --iterations 1
learnt something
$ ouro stats nowhere  # exit status 2
```
$ not in a block
";
        let expected = [(6, "ouro evolve . --iterations 1", 0), (9, "ouro stats nowhere", 2)];
        let expected = expected.map(|(line, command, expected)| Example {
            line,
            command: command.to_owned(),
            expected,
        });
        assert_eq!(examples(readme).unwrap(), expected);
    }

    #[test]
    fn a_block_that_would_silently_run_nothing_is_an_error() {
        for (readme, error) in [
            ("```sh run\nls\n```\n", "README.md:1: a block that is run opens with"),
            ("```console run\nls\n```\n", "README.md:1: a block that is run has no line"),
            ("\n```console run\n$ ls\n", "README.md:2: the block is not closed"),
            ("```console run\n$ ls # exit status one\n```\n", "README.md:2: no such exit status"),
            ("```console run\n$ ls \\", "README.md:2: the command does not end"),
        ] {
            let found = examples(readme).unwrap_err().to_string();
            assert!(found.starts_with(error), "{found}");
        }
    }

    #[test]
    fn files_that_are_not_tracked_any_more_leave_the_copy() {
        let copy = tempfile::tempdir().unwrap();
        fs::create_dir(copy.path().join("folder")).unwrap();
        for file in ["kept", "gone", "folder/kept", "folder/gone"] {
            fs::write(copy.path().join(file), file).unwrap();
        }
        let files = ["kept", "folder/kept"].map(str::to_owned);
        remove_others(copy.path(), copy.path(), &files).unwrap();
        let is_there = |file: &str| copy.path().join(file).exists();
        assert!(is_there("kept") && is_there("folder/kept"));
        assert!(!is_there("gone") && !is_there("folder/gone"));
    }
}
