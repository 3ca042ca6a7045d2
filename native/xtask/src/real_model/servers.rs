//! The two servers, on loopback, for as long as they are needed.

use std::{
    fs::{self, File},
    io::{Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use super::install::Installed;
use crate::{cargo, process::Running};

/// Time to load a model and answer.
const START_LIMIT: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(100);

/// A server that answers; dropping it ends it.
pub(super) struct Server {
    /// Its base URL.
    pub(super) url: String,
    _running: Running,
}

/// Starts the chat model; each request leaves one JSON line in `chat.log`.
pub(super) fn start_chat(installed: &Installed, folder: &Path) -> Result<Server> {
    // Node finds packages beside the program only.
    let program = installed.node.join("server.mjs");
    fs::write(&program, include_str!("../../real-model/server.mjs"))?;
    start("chat", folder, |port| {
        let mut command = cargo::command("node", &installed.node);
        command.arg(&program).arg(&installed.weights).arg(port.to_string());
        command
    })
}

/// Starts the embedder; each request leaves one line in `embedder.log`.
pub(super) fn start_embedder(installed: &Installed, folder: &Path) -> Result<Server> {
    let program = installed.python.join("embedder.py");
    fs::write(&program, include_str!("../../real-model/embedder.py"))?;
    start("embedder", folder, |port| {
        let mut command = cargo::command("python3", &installed.python);
        command.arg(&program).args(["--host", "127.0.0.1", "--threads", "1", "--port"]);
        command.arg(port.to_string());
        command
    })
}

fn start(name: &str, folder: &Path, command: impl Fn(u16) -> Command) -> Result<Server> {
    println!("==> starting the {name} server");
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    let log = folder.join(format!("{name}.log"));
    let mut command = command(port);
    // Its standard input closes with this program: then it ends by itself, whatever happened here.
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(File::create(&log)?);
    let mut running = Running::start(&mut command)?;
    let start = Instant::now();
    while !answers(port) {
        let said = || fs::read_to_string(&log).unwrap_or_default();
        if let Some(status) = running.ended()? {
            bail!("the {name} server ended at once ({status}): {}", said());
        }
        if start.elapsed() > START_LIMIT {
            bail!("the {name} server does not answer: {}", said());
        }
        thread::sleep(POLL);
    }
    Ok(Server { url: format!("http://127.0.0.1:{port}/v1"), _running: running })
}

/// Whether `GET /v1/models` is answered with status 200.
fn answers(port: u16) -> bool {
    let ask = || -> Result<bool> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_read_timeout(Some(START_LIMIT))?;
        write!(stream, "GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")?;
        let mut status = [0; 12];
        stream.read_exact(&mut status).context("no answer")?;
        Ok(status.ends_with(b" 200"))
    };
    ask().unwrap_or(false)
}
