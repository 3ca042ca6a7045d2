//! `cargo xtask peers`: the reference profiles against the programs that they re-implement.
//!
//! The original classes are taken from the package registry, unchanged, and run under node on generated streams; after
//! each event their verdict is compared with ours.

mod arguments;
mod ours;
#[allow(
    clippy::indexing_slicing,
    reason = "shared with the crate's tests, where an index out of range is a failure"
)]
#[path = "../../../detect/tests/reference/streams.rs"]
mod streams;

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use crate::{cargo, process};
use ours::Ours;
use streams::{Dice, Event};

/// Time for npm to bring a package.
const FETCH_LIMIT: Duration = Duration::from_secs(10 * 60);
/// Time for node with all streams.
const RUN_LIMIT: Duration = Duration::from_secs(60 * 60);
/// Of all streams at least this share must make the peer fire, in percent: agreeing on silence proves little.
const LEAST_SHARE: usize = 20;

/// What to run.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many streams for each peer
    #[arg(long, default_value_t = 10_000)]
    streams: u64,
    /// The first stream's seed; each further one has the next
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A package with the original class.
struct Peer {
    package: &'static str,
    version: &'static str,
    /// The class can take a report back.
    clears: bool,
    ours: fn() -> Ours,
}

const PEERS: [Peer; 2] = [
    Peer {
        package: "@google/gemini-cli-core",
        version: "0.61.0",
        clears: true,
        ours: Ours::gemini,
    },
    Peer {
        package: "@qwen-code/qwen-code-core",
        version: "0.0.14",
        clears: false,
        ours: Ours::early_qwen,
    },
];

/// The class within each package.
const CLASS: &str = "package/dist/src/services/loopDetectionService.js";

pub(crate) fn run(options: &Options) -> Result<()> {
    for program in ["node", "npm", "tar"] {
        process::run(
            cargo::command(program, &cargo::root()).arg("--version").stdout(Stdio::null()),
            FETCH_LIMIT,
        )
        .with_context(|| {
            format!("the peers run under node: {program} must be installed and in the search path")
        })?;
    }
    let folder = cargo::workspace()?.target.join("peers");
    for peer in &PEERS {
        compare(peer, &folder, options)?;
    }
    Ok(())
}

fn compare(peer: &Peer, folder: &Path, options: &Options) -> Result<()> {
    let class = fetch(peer, folder)?;
    let streams: Vec<Vec<Event>> = (0..options.streams)
        .map(|number| stream(options.seed.wrapping_add(number), peer.clears))
        .collect();
    let (input, output) = (folder.join("streams.jsonl"), folder.join("verdicts.txt"));
    let mut file = BufWriter::new(File::create(&input)?);
    for events in &streams {
        serde_json::to_writer(&mut file, &events.iter().map(as_json).collect::<Vec<_>>())?;
        file.write_all(b"\n")?;
    }
    file.into_inner()?;
    println!("==> {} {} on {} streams", peer.package, peer.version, streams.len());
    let mut node = cargo::command("node", &cargo::root());
    node.arg("native/xtask/peers/driver.mjs")
        .arg(&class)
        .arg(&input)
        .stdout(File::create(&output)?);
    process::run(&mut node, RUN_LIMIT)?;

    let mut verdicts = BufReader::new(File::open(&output)?).lines();
    let (mut fired, mut events_compared, mut non_ascii) = (0, 0, 0);
    for (number, events) in streams.iter().enumerate() {
        let theirs = verdicts.next().context("node printed too few lines")??;
        let ours = (peer.ours)().verdicts(events);
        if ours != theirs {
            let place =
                ours.bytes().zip(theirs.bytes()).position(|(a, b)| a != b).unwrap_or(ours.len());
            bail!(
                "seed {}: the verdicts differ at event {place}: {:?}\n  theirs {theirs}\n  ours   {ours}",
                options.seed.wrapping_add(number as u64),
                events.get(place),
            );
        }
        fired += usize::from(theirs.contains('1'));
        events_compared += events.len();
        non_ascii += usize::from(events.iter().any(is_non_ascii));
    }
    println!(
        "    {events_compared} events, every verdict the same; {fired} streams fire, {non_ascii} are not ASCII"
    );
    let least = streams.len() * LEAST_SHARE / 100;
    ensure!(fired >= least, "only {fired} of {} streams made the peer fire", streams.len());
    Ok(())
}

/// Brings a package without what it depends on: only one of its files is run.
fn fetch(peer: &Peer, folder: &Path) -> Result<PathBuf> {
    let name = peer.package.trim_start_matches('@').replace('/', "-");
    let home = folder.join(format!("{name}-{}", peer.version));
    let class = home.join(CLASS);
    if class.exists() {
        return Ok(class);
    }
    fs::create_dir_all(&home)?;
    println!("==> fetching {} {}", peer.package, peer.version);
    let mut npm = cargo::command("npm", &home);
    npm.args(["pack", "--ignore-scripts", "--silent"])
        .arg(format!("{}@{}", peer.package, peer.version));
    process::run(npm.stdout(Stdio::null()), FETCH_LIMIT).with_context(|| {
        format!("cannot fetch {}: is the package registry reachable? `npm config get registry` names it", peer.package)
    })?;
    let archive = format!("{name}-{}.tgz", peer.version);
    process::run(cargo::command("tar", &home).args(["-xzf", &archive, CLASS]), FETCH_LIMIT)?;
    // node must take it for a module.
    fs::write(home.join("package/package.json"), r#"{"type": "module"}"#)?;
    ensure!(class.exists(), "{} has no {CLASS}", peer.package);
    Ok(class)
}

/// Three of four streams are text with the odd tool call, the others are tool calls. A few are long: the peers are slow.
fn stream(seed: u64, clears: bool) -> Vec<Event> {
    let mut events = if seed.is_multiple_of(4) {
        let mut dice = Dice::new(seed);
        let calls = streams::calls(&mut dice).into_iter();
        calls.map(|(name, shape)| Event::Call(name, arguments::spell(&shape, &mut dice))).collect()
    } else if seed % 64 == 1 {
        streams::near_loop_stream(seed)
    } else {
        streams::stream_after(seed, 0)
    };
    events.retain(|event| clears || *event != Event::Clear);
    events
}

fn is_non_ascii(event: &Event) -> bool {
    matches!(event, Event::Content(units) if units.iter().any(|unit| *unit > 127))
}

/// The event as the driver reads it: text as code units, for lone halves of pairs are no text elsewhere.
fn as_json(event: &Event) -> serde_json::Value {
    match event {
        Event::Content(units) => json!(["content", units]),
        Event::Call(name, arguments) => json!(["call", name, arguments]),
        Event::Clear => json!(["clear"]),
        Event::Reset => json!(["reset"]),
    }
}
