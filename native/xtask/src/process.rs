//! Programs that cannot outstay their welcome: whatever ends here takes all that it started with it.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

/// How often a running program is looked at.
const TICK: Duration = Duration::from_millis(20);
/// How long output may still come after its program has ended, from one that it left behind.
const LAST_OUTPUT: Duration = Duration::from_millis(500);
/// Time to end after closing both output streams.
const EXIT_LIMIT: Duration = Duration::from_secs(60);

/// A running program; dropping it kills it with its descendants.
pub(crate) struct Running {
    child: Child,
    name: String,
}

impl Running {
    /// Starts a program. Its standard input is empty unless `command` says otherwise.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let name = display(command);
        let child = command.spawn().with_context(|| format!("{name} does not start"))?;
        Ok(Self { child, name })
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>> {
        self.child.try_wait().with_context(|| format!("cannot wait for {}", self.name))
    }

    /// Waits for its end; an error when that takes longer than `limit`.
    pub(crate) fn wait(mut self, limit: Duration) -> Result<ExitStatus> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            if start.elapsed() > limit {
                bail!("{} ran longer than {} s and was killed", self.name, limit.as_secs());
            }
            thread::sleep(TICK);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        let descendants = descendants(self.child.id());
        let _ = self.child.kill();
        kill(&descendants);
        let _ = self.child.wait();
    }
}

/// Runs a program to its end; an error when it fails or takes longer than `limit`.
pub(crate) fn run(command: &mut Command, limit: Duration) -> Result<()> {
    command.stdin(Stdio::null());
    let running = Running::start(command)?;
    let name = running.name.clone();
    match running.wait(limit)? {
        status if status.success() => Ok(()),
        status => bail!("{name}: {status}"),
    }
}

/// Runs a program to its end and returns how it ended and what it printed on both streams; an error when it takes longer
/// than `limit`.
pub(crate) fn output(command: Command, limit: Duration) -> Result<(ExitStatus, String)> {
    let start = Instant::now();
    let mut text = String::new();
    let status = watch(command, |line| {
        for part in line.into_iter().flat_map(|line| [line, "\n"]) {
            text.push_str(part);
        }
        ensure!(start.elapsed() < limit, "it ran longer than {} s and was killed", limit.as_secs());
        Ok(())
    })?;
    Ok((status, text))
}

/// Runs a program and hands each line of what it prints, on both streams in their true order, to `observe`.
///
/// `observe(None)` is called at least every [`TICK`] in between. An error from it kills the program and is returned.
pub(crate) fn watch(
    mut command: Command,
    mut observe: impl FnMut(Option<&str>) -> Result<()>,
) -> Result<ExitStatus> {
    let (reader, writer) = std::io::pipe()?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let mut running = Running::start(&mut command)?;
    drop(command); // It holds the pipe open.

    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(reader).split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    let mut end = None;
    loop {
        match lines.recv_timeout(TICK) {
            Ok(line) => observe(Some(&line))?,
            Err(RecvTimeoutError::Timeout) => observe(None)?,
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if end.is_none() && running.ended()?.is_some() {
            end = Some(Instant::now());
        }
        if end.is_some_and(|end| end.elapsed() > LAST_OUTPUT) {
            break;
        }
    }
    running.wait(EXIT_LIMIT)
}

/// The command as one would type it.
fn display(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Every process that `root` started, directly or not. Elsewhere than on Linux none is found.
fn descendants(root: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let process = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            // After the name in brackets, which may hold anything, come the state and the parent.
            let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
            Some((process, parent))
        })
        .collect();
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(process, _)| process));
        next += 1;
    }
    found.split_off(1)
}

#[cfg(target_os = "linux")]
fn kill(processes: &[u32]) {
    use rustix::process::{Pid, Signal, kill_process};
    for process in processes {
        if let Some(pid) = i32::try_from(*process).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn kill(_: &[u32]) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        command
    }

    fn is_alive(process: u32) -> bool {
        std::fs::read_to_string(format!("/proc/{process}/stat"))
            .is_ok_and(|stat| !stat.contains(") Z "))
    }

    #[test]
    fn a_program_that_hangs_is_killed_with_all_it_started() {
        let mut grandchild = 0;
        let error = watch(shell("sh -c 'sleep 600 & echo $!; wait' & wait"), |line| {
            if let Some(line) = line {
                grandchild = line.parse()?;
                bail!("too slow");
            }
            Ok(())
        })
        .unwrap_err();
        assert_eq!(error.to_string(), "too slow");
        assert!(grandchild > 0);
        while is_alive(grandchild) {
            thread::yield_now();
        }
    }

    #[test]
    fn a_limit_ends_a_program_and_says_which_one() {
        let error = run(&mut shell("sleep 600"), Duration::ZERO).unwrap_err().to_string();
        assert_eq!(error, "sh -c sleep 600 ran longer than 0 s and was killed");
    }

    #[test]
    fn a_failing_program_is_an_error_with_its_status() {
        let error = run(&mut shell("exit 3"), Duration::from_secs(60)).unwrap_err().to_string();
        assert_eq!(error, "sh -c exit 3: exit status: 3");
    }

    #[test]
    fn both_streams_are_seen_in_the_order_in_which_they_were_written() {
        let script = shell("echo a; echo b >&2; echo c; exit 3");
        let (status, text) = output(script, Duration::from_secs(60)).unwrap();
        assert_eq!((status.code(), text.as_str()), (Some(3), "a\nb\nc\n"));
    }

    #[test]
    fn a_limit_ends_a_program_whose_output_is_read() {
        let error = output(shell("echo a; sleep 600"), Duration::ZERO).unwrap_err().to_string();
        assert_eq!(error, "it ran longer than 0 s and was killed");
    }

    #[test]
    fn output_held_open_by_a_program_left_behind_does_not_hang() {
        let mut left_behind = String::new();
        let script = "sh -c 'trap \"\" HUP; sleep 600 & echo $!'";
        let status = watch(shell(script), |line| {
            left_behind.extend(line.map(str::to_owned));
            Ok(())
        })
        .unwrap();
        assert!(status.success());
        kill(&[left_behind.parse().unwrap()]);
    }
}
