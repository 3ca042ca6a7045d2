//! Nothing large is tracked: data belongs into a package or is made by the tests.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, bail};

use crate::cargo::root;

const MAX_BYTES: u64 = 1024 * 1024;

pub(super) fn run() -> Result<()> {
    let root = root();
    let large = larger_than(&root, &tracked_files(&root)?, MAX_BYTES);
    if large.is_empty() {
        return Ok(());
    }
    bail!("tracked files larger than {MAX_BYTES} bytes: {}", large.join(", "))
}

/// The files that git tracks, relative to `folder`.
pub(super) fn tracked_files(folder: &Path) -> Result<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(folder)
        .output()
        .context("git does not start")?;
    if !output.status.success() {
        bail!("git ls-files: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let files = String::from_utf8(output.stdout).context("a tracked file's name is not UTF-8")?;
    Ok(files.split_terminator('\0').map(str::to_owned).collect())
}

/// Those that are larger, with their sizes. One that was deleted but not yet committed so is no concern.
fn larger_than(root: &Path, files: &[String], max_bytes: u64) -> Vec<String> {
    files
        .iter()
        .filter_map(|file| Some((file, fs::metadata(root.join(file)).ok()?.len())))
        .filter(|(_, bytes)| *bytes > max_bytes)
        .map(|(file, bytes)| format!("{file} ({bytes} bytes)"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_over_the_limit_are_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("small"), [0; 10]).unwrap();
        fs::write(folder.path().join("large"), [0; 11]).unwrap();
        let files = ["small", "large", "deleted"].map(str::to_owned);
        assert_eq!(larger_than(folder.path(), &files, 10), ["large (11 bytes)"]);
    }
}
