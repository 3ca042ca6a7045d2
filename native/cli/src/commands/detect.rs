//! `ouro detect`: looks for loops in a text, in a session, or in many of them.

use std::{
    borrow::Cow,
    io::{self, IsTerminal, Read},
    path::Path,
    process::ExitCode,
    sync::Arc,
};

use anyhow::{Context, bail};
use ouro_detect::{CheckedConfig, Config, LoopDetectionService, StreamDetector, TextLoop};
use rust_i18n::t;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    args::{DetectArgs, DetectFormat, Global},
    output,
    recordings::{self, Corpus, Lines, Session},
    settings,
};

/// Bytes read from standard input at once.
const READ_BYTES: usize = 8 << 10;

/// Exit status when a loop was found in what was streamed. Many recordings get a verdict each, on its line, and no status:
/// one that says that some of them loop helps nobody.
const FOUND: u8 = 1;

/// Runs `ouro detect`.
pub(crate) fn run(global: &Global, args: &DetectArgs) -> anyhow::Result<ExitCode> {
    let config = config(args)?;
    match (&args.cases, &args.corpus, args.format) {
        (Some(file), _, _) => cases(config, file),
        (_, Some(file), _) => corpus(&config, file, args.chunk),
        (_, _, Some(DetectFormat::Text)) => text(global, &config, args.chunk),
        (_, _, Some(DetectFormat::Events)) => events(global, config),
        (None, None, None) => {
            bail!("say what to read: --format text|events, --cases FILE or --corpus FILE")
        }
    }
}

/// The profile's thresholds, those of a file over them, those for a model over these.
fn config(args: &DetectArgs) -> anyhow::Result<Config> {
    let mut config = thresholds(args.config.as_deref())?;
    if let Some(profile) = args.profile {
        config.profile = profile;
    }
    Ok(match &args.model {
        Some(model) => config.for_model(model)?,
        None => config,
    })
}

/// The thresholds in a file, if there is one; else the default ones.
pub(crate) fn thresholds(file: Option<&Path>) -> anyhow::Result<Config> {
    let Some(path) = file else { return Ok(Config::default()) };
    let text = settings::read_file(path)
        .with_context(|| format!("cannot read the configuration {}", path.display()))?;
    Config::from_json(&text).with_context(|| format!("in {}", path.display()))
}

/// What is found in one text.
#[derive(Serialize)]
struct TextVerdict<'a> {
    #[serde(rename = "loop")]
    is_loop: bool,
    #[serde(flatten)]
    found: Option<&'a TextLoop>,
}

fn text(global: &Global, config: &Config, chunk: usize) -> anyhow::Result<ExitCode> {
    let mut detector = StreamDetector::new(config);
    let mut stdin = io::stdin().lock();
    let mut bytes = vec![0; READ_BYTES];
    let mut held = Vec::new();
    let mut pieces = recordings::Pieces::new(chunk);
    loop {
        let read = match stdin.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.context("cannot read standard input")?,
        };
        held.extend_from_slice(bytes.get(..read).unwrap_or_default());
        let text = recordings::decode(&mut held, read == 0);
        let found = pieces.push(&text, read == 0, |piece| detector.push(piece));
        if read == 0 || found.is_some() {
            return verdict_on_text(global, found.as_ref());
        }
    }
}

fn verdict_on_text(global: &Global, found: Option<&TextLoop>) -> anyhow::Result<ExitCode> {
    if for_a_person(global) {
        let evidence = found.map(|found| found.evidence.as_str().into());
        output::line(evidence.unwrap_or_else(|| no_loop(global)))?;
    } else {
        output::json(&TextVerdict { is_loop: found.is_some(), found })?;
    }
    Ok(status(found.is_some()))
}

/// Whether a person reads the verdict, who did not ask for JSON.
fn for_a_person(global: &Global) -> bool {
    io::stdout().is_terminal() && !global.json
}

fn no_loop(global: &Global) -> Cow<'static, str> {
    t!("detect.none", locale = global.language().tag())
}

fn status(found: bool) -> ExitCode {
    if found { ExitCode::from(FOUND) } else { ExitCode::SUCCESS }
}

fn events(global: &Global, config: Config) -> anyhow::Result<ExitCode> {
    let mut service = LoopDetectionService::new(config)?;
    let mut lines = Lines::new("standard input", io::stdin().lock());
    while let Some((number, line)) = lines.next_line()? {
        let found = recordings::feed(&mut service, line)
            .with_context(|| format!("standard input, line {number}"))?;
        if let Some(found) = found {
            if for_a_person(global) {
                output::line(format!("event {}: {found}", found.at_event))?;
            } else {
                let mut verdict = serde_json::to_value(&found)?;
                if let Value::Object(members) = &mut verdict {
                    members.insert("loop".into(), true.into());
                }
                output::json(&verdict)?;
            }
            return Ok(status(true));
        }
    }
    if for_a_person(global) {
        output::line(no_loop(global))?;
    } else {
        output::json(&json!({ "loop": false }))?;
    }
    Ok(status(false))
}

fn cases(config: Config, file: &Path) -> anyhow::Result<ExitCode> {
    let config = Arc::new(CheckedConfig::new(config)?);
    let mut lines = Lines::open(file)?;
    while let Some((number, line)) = lines.next_line()? {
        let place = || format!("{}, line {number}", file.display());
        let session: Session<'_> = recordings::parse(line).with_context(place)?;
        let found = session.run(&config).with_context(place)?;
        output::json(&json!({
            "id": session.id,
            "loop": found.is_some(),
            "kind": found.as_ref().map(|f| f.kind),
            "at_event": found.as_ref().map(|f| f.at_event),
            "rule": found.as_ref().map(|f| &f.rule),
            "evidence": found.as_ref().map(|f| &f.evidence),
        }))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn corpus(config: &Config, file: &Path, chunk: usize) -> anyhow::Result<ExitCode> {
    let mut lines = Lines::open(file)?;
    while let Some((number, line)) = lines.next_line()? {
        let text: Corpus<'_> = recordings::parse(line)
            .with_context(|| format!("{}, line {number}", file.display()))?;
        let found = recordings::stream(&mut StreamDetector::new(config), &text.text, chunk);
        let found = found.as_ref();
        output::json(&json!({
            "id": text.id,
            "loop": found.is_some(),
            "kind": found.map(|f| f.kind),
            "detected_at": found.map(|f| f.detected_at),
            "onset": found.map(|f| f.onset),
            "period": found.map(|f| f.period),
            "repeats": found.map(|f| f.repeats),
            "rule": found.map(|f| &f.rule),
        }))?;
    }
    Ok(ExitCode::SUCCESS)
}
