//! All tests of the workspace: within time, and really run.
//!
//! `cargo test` is content with a crate whose tests have vanished (a forgotten `mod`, a `cfg` that never holds) and
//! waits for ever for one that hangs. Here a crate without a passed test is a failure, and so is an integration test
//! binary without one, and a binary that runs too long.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};

use crate::{
    cargo::{self, Artifact, Workspace},
    process,
};

/// Time to compile everything on two cores.
const BUILD_LIMIT: Duration = Duration::from_secs(40 * 60);
/// Time for one test binary.
const BINARY_LIMIT: Duration = Duration::from_secs(10 * 60);
/// Time for all of them.
const WHOLE_LIMIT: Duration = Duration::from_secs(30 * 60);

pub(super) fn run() -> Result<()> {
    let workspace = cargo::workspace()?;
    let build = ["test", "--workspace", "--locked", "--no-run"];
    let artifacts = cargo::build(cargo::cargo(build), BUILD_LIMIT)?;

    let mut tests = cargo::cargo(["test", "--workspace", "--locked", "--no-fail-fast"]);
    tests.env("CARGO_TERM_COLOR", "never");
    let mut tally = Tally::default();
    let start = Instant::now();
    let mut binary_start = start;
    let status = process::watch(tests, |line| {
        if let Some(line) = line {
            println!("{line}");
            if tally.read(line) {
                binary_start = Instant::now();
            }
        }
        let running = tally.running();
        ensure!(binary_start.elapsed() < BINARY_LIMIT, "{running} hangs: over {BINARY_LIMIT:?}");
        ensure!(start.elapsed() < WHOLE_LIMIT, "all tests together took over {WHOLE_LIMIT:?}");
        Ok(())
    })?;

    let by_crate = tally.by_crate(&workspace, &artifacts);
    for (name, passed) in &by_crate {
        println!("{name:20} {passed:5} passed");
    }
    println!("{} passed, {} failed", tally.passed(), tally.failed());
    ensure!(status.success(), "cargo test: {status}");
    let empty = tally.empty(&by_crate, &artifacts);
    ensure!(empty.is_empty(), "no test ran in {}", empty.join(", "));
    Ok(())
}

/// What one test binary, or the documentation tests of one crate, reported.
#[derive(Debug, Default, Clone, PartialEq)]
struct Count {
    /// The binary's file name, or the library's name for documentation tests.
    name: String,
    passed: usize,
    failed: usize,
}

/// Reads along with `cargo test`.
#[derive(Default)]
struct Tally(Vec<Count>);

impl Tally {
    /// Takes the next line; `true` when it opens the output of another binary.
    fn read(&mut self, line: &str) -> bool {
        let opened = binary_name(line);
        if let Some(name) = opened {
            self.0.push(Count { name: name.to_owned(), ..Count::default() });
        } else if let Some((passed, failed)) = result(line)
            && let Some(last) = self.0.last_mut()
        {
            last.passed += passed;
            last.failed += failed;
        }
        opened.is_some()
    }

    fn running(&self) -> &str {
        self.0.last().map_or("cargo", |last| &last.name)
    }

    fn passed(&self) -> usize {
        self.0.iter().map(|count| count.passed).sum()
    }

    fn failed(&self) -> usize {
        self.0.iter().map(|count| count.failed).sum()
    }

    /// Passed tests of every member, unit, integration and documentation tests together.
    fn by_crate(&self, workspace: &Workspace, artifacts: &[Artifact]) -> BTreeMap<String, usize> {
        let mut totals: BTreeMap<_, _> =
            workspace.members.values().map(|name| (name.clone(), 0)).collect();
        for count in &self.0 {
            let artifact = artifacts.iter().find(|artifact| file_name(artifact) == count.name);
            let name = match artifact {
                Some(artifact) => workspace.members.get(&artifact.package).cloned(),
                None => Some(count.name.replace('_', "-")), // Documentation tests.
            };
            if let Some(total) = name.and_then(|name| totals.get_mut(&name)) {
                *total += count.passed;
            }
        }
        totals
    }

    /// Crates without any passed test, and integration test binaries without one.
    fn empty(&self, by_crate: &BTreeMap<String, usize>, artifacts: &[Artifact]) -> Vec<String> {
        let crates = by_crate.iter().filter(|(_, passed)| **passed == 0).map(|(name, _)| name);
        let binaries = artifacts
            .iter()
            .filter(|artifact| artifact.kind == "test")
            .map(file_name)
            .filter(|name| !self.0.iter().any(|count| count.name == *name && count.passed > 0));
        crates.cloned().chain(binaries.map(str::to_owned)).collect()
    }
}

fn file_name(artifact: &Artifact) -> &str {
    artifact.executable.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// The name in `     Running tests/all.rs (target/debug/deps/all-0123456789abcdef)` or `   Doc-tests ouro_core`.
fn binary_name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(library) = line.strip_prefix("Doc-tests ") {
        return Some(library);
    }
    let path = line.strip_prefix("Running ")?.strip_suffix(')')?.rsplit_once('(')?.1;
    path.rsplit(['/', '\\']).next()
}

/// Passed and failed tests in `test result: ok. 12 passed; 0 failed; 0 ignored; ...`.
fn result(line: &str) -> Option<(usize, usize)> {
    let counts = line.strip_prefix("test result: ")?.split_once(". ")?.1;
    let mut numbers = counts.split("; ").map(|count| count.split(' ').next()?.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
   Compiling ouro-core v0.1.0 (/somewhere/native/core)
    Finished `test` profile [unoptimized] target(s) in 1.23s
     Running unittests src/lib.rs (target/debug/deps/ouro_core-01)

running 3 tests
test id::tests::ids_sort_by_time ... ok
test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running unittests src/main.rs (target/debug/deps/ouro-02)

running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/all.rs (target/debug/deps/all-03)

running 1 test
test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests ouro_core

running 4 tests
test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

    fn artifact(package: &str, kind: &str, file: &str) -> Artifact {
        let executable = format!("/somewhere/target/debug/deps/{file}").into();
        Artifact { package: package.to_owned(), kind: kind.to_owned(), executable }
    }

    #[test]
    fn tests_are_counted_for_the_crate_that_they_belong_to() {
        let members = ["core", "cli", "tests"]
            .map(|name| (format!("id of {name}"), format!("ouro-{name}")))
            .into();
        let workspace = Workspace { target: "/somewhere/target".into(), members };
        let artifacts = [
            artifact("id of core", "lib", "ouro_core-01"),
            artifact("id of cli", "bin", "ouro-02"),
            artifact("id of tests", "test", "all-03"),
        ];
        let mut tally = Tally::default();
        let opened = OUTPUT.lines().filter(|line| tally.read(line)).count();
        assert_eq!((opened, tally.passed(), tally.failed()), (4, 6, 1));
        let by_crate = tally.by_crate(&workspace, &artifacts);
        assert_eq!(by_crate.get("ouro-core"), Some(&6));
        assert_eq!(tally.empty(&by_crate, &artifacts), ["ouro-cli", "ouro-tests", "all-03"]);
    }

    #[test]
    fn a_crate_with_tests_of_any_kind_is_not_empty() {
        let members = [("id".to_owned(), "ouro-core".to_owned())].into();
        let workspace = Workspace { target: "target".into(), members };
        let artifacts = [artifact("id", "lib", "ouro_core-01")];
        let mut tally = Tally::default();
        tally.read("   Doc-tests ouro_core");
        tally.read("test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured");
        let by_crate = tally.by_crate(&workspace, &artifacts);
        assert!(tally.empty(&by_crate, &artifacts).is_empty());
    }

    #[test]
    fn a_test_that_prints_something_similar_opens_nothing() {
        for line in ["Running", "Running fast", "test Running (x) ... ok", "test result: odd"] {
            assert_eq!((binary_name(line), result(line)), (None, None), "{line}");
        }
    }
}
