//! Shows a real model's loop being broken off: its free text, always the likeliest word, streams into `ouro detect`.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::servers::Server;
use crate::cargo;

/// What a model of this size can't help repeating itself about.
const PROMPTS: [&str; 2] =
    ["List the steps to review a large code base.", "Write a long story about the sea."];

/// Where the server would end the reply if nobody else did.
const MAX_TOKENS: u32 = 1_500;

/// How long the model may take for a word.
const SILENCE_LIMIT: Duration = Duration::from_secs(120);

/// Time for `ouro detect` to end once its input has.
const DETECT_LIMIT: Duration = Duration::from_secs(10);

/// Streams one reply after the other, and prints what was found.
///
/// # Errors
/// When no reply runs into a loop, or a loop is found and the reply goes on.
pub(super) fn show(ouro: &Path, chat: &Server) -> Result<()> {
    let mut found = 0;
    for prompt in PROMPTS {
        let (verdict, characters, ended) = stream(ouro, chat, prompt)?;
        if verdict.get("loop") != Some(&Value::Bool(true)) {
            println!("{prompt:?}: no loop in {characters} characters");
            continue;
        }
        ensure!(!ended, "the reply to {prompt:?} was over before its loop was found");
        let evidence = verdict.pointer("/evidence").and_then(Value::as_str).unwrap_or_default();
        println!("{prompt:?}: broken off after {characters} characters: {evidence}");
        found += 1;
    }
    ensure!(found > 0, "the model did not run in circles: no loop was shown");
    Ok(())
}

/// The verdict, how many characters had come by then, and whether the reply ended by itself.
fn stream(ouro: &Path, chat: &Server, prompt: &str) -> Result<(Value, usize, bool)> {
    let mut detect = Command::new(ouro)
        .args(["detect", "--format", "text"])
        .current_dir(cargo::root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start ouro detect")?;
    let mut input = detect.stdin.take().context("ouro detect takes no input")?;
    let mut characters = 0;
    let mut ended = true;
    for line in BufReader::new(ask(chat, prompt)?).lines() {
        let line = line.context("the reply broke off")?;
        let Some(data) = line.strip_prefix("data: ").filter(|data| *data != "[DONE]") else {
            continue;
        };
        let chunk: Value = serde_json::from_str(data).with_context(|| format!("in {data}"))?;
        let text = chunk.pointer("/choices/0/delta/content").and_then(Value::as_str);
        let text = text.unwrap_or_default();
        // It has said what there is to say and takes no more; dropping the connection aborts the reply.
        if detect.try_wait()?.is_some() || input.write_all(text.as_bytes()).is_err() {
            ended = false;
            break;
        }
        characters += text.chars().count();
    }
    drop(input);
    Ok((verdict(detect)?, characters, ended))
}

fn verdict(mut detect: Child) -> Result<Value> {
    let step = Duration::from_millis(20);
    let mut waited = Duration::ZERO;
    while detect.try_wait()?.is_none() {
        if waited > DETECT_LIMIT {
            detect.kill()?;
            bail!("ouro detect did not end {DETECT_LIMIT:?} after its input");
        }
        thread::sleep(step);
        waited += step;
    }
    let output = detect.wait_with_output()?.stdout;
    serde_json::from_slice(&output).context("ouro detect printed no verdict")
}

/// Asks in HTTP/1.0, whose reply ends with the connection and needs no decoding.
fn ask(chat: &Server, prompt: &str) -> Result<TcpStream> {
    let address = chat
        .url
        .strip_prefix("http://")
        .and_then(|rest| rest.split('/').next())
        .with_context(|| format!("no address in {}", chat.url))?;
    let body = json!({
        "model": "smollm2",
        "stream": true,
        "temperature": 0,
        "max_tokens": MAX_TOKENS,
        "messages": [{ "role": "user", "content": prompt }],
    })
    .to_string();
    let mut connection = TcpStream::connect(address)?;
    connection.set_read_timeout(Some(SILENCE_LIMIT))?;
    write!(
        connection,
        "POST /v1/chat/completions HTTP/1.0\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    Ok(connection)
}
