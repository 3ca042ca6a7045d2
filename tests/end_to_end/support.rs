//! A project, a data folder, and the binary.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::Duration,
};

use assert_cmd::assert::OutputAssertExt;
use serde_json::Value;
use tempfile::TempDir;

/// A run that takes longer hangs.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// A copy of a fixture project and a data folder of its own.
pub(crate) struct Workplace {
    dir: TempDir,
}

impl Workplace {
    /// With the weather project.
    pub(crate) fn weather() -> Self {
        let workplace = Self::empty();
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/weather");
        copy(&fixture, &workplace.project());
        workplace
    }

    /// With an empty project.
    pub(crate) fn empty() -> Self {
        let workplace = Self { dir: TempDir::new().unwrap() };
        fs::create_dir(workplace.project()).unwrap();
        workplace
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// The folder of the project's store; there is one once something was learnt.
    pub(crate) fn store(&self) -> PathBuf {
        let mut stores = fs::read_dir(self.data()).unwrap();
        stores.next().expect("a store").unwrap().path()
    }

    /// The command with the workplace's data folder, speaking English, not started.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("ouro"));
        command
            .args(arguments)
            .env("OURO_DATA_DIR", self.data())
            .env("LC_ALL", "C")
            .env_remove("OURO_API_KEY")
            .env_remove("RUST_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs `ouro ARGUMENTS`, where `{}` stands for the project's folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        let project = self.project();
        let project = project.to_str().unwrap();
        let arguments: Vec<&str> =
            arguments.iter().map(|a| if *a == "{}" { project } else { a }).collect();
        let mut command = assert_cmd::Command::from_std(self.command(&arguments));
        Run { output: command.timeout(LIMIT).output().unwrap() }
    }
}

/// What a run left behind.
pub(crate) struct Run {
    pub(crate) output: Output,
}

impl Run {
    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        Self { output: self.output.assert().success().get_output().clone() }
    }

    /// Status 2 and one line on standard error, which is returned.
    #[track_caller]
    pub(crate) fn refuses(self) -> String {
        let error = self.stderr();
        assert_eq!(self.output.status.code(), Some(2), "{error}{}", self.stdout());
        let lines: Vec<&str> = error.lines().filter(|l| l.starts_with("ouro: ")).collect();
        assert_eq!(lines.len(), 1, "one line says what is wrong: {error}");
        assert!(!error.contains("panicked"), "{error}");
        lines.concat()
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8(self.output.stdout.clone()).unwrap()
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8(self.output.stderr.clone()).unwrap()
    }

    /// Standard output as JSON lines; every line must be one.
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        self.stdout().lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }
}

/// The events of this name.
pub(crate) fn events<'a>(lines: &'a [Value], name: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["event"] == name).collect()
}

/// The records that were saved.
pub(crate) fn records(lines: &[Value]) -> Vec<&Value> {
    events(lines, "record_saved").into_iter().map(|e| &e["record"]).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
