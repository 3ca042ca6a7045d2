//! The loop's settings: defaults, then the file, then the single ones, then the options.

use std::{fs::File, io::Read, path::Path};

use anyhow::{Context, anyhow, bail};
use ouro_core::EvolutionConfig;
use toml::{Table, Value};

use crate::args::{EvolveArgs, Global};

/// Most bytes of a file of settings: something without an end may stand in its place.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Reads and checks them.
pub(crate) fn read(global: &Global, args: &EvolveArgs) -> anyhow::Result<EvolutionConfig> {
    let mut table = Table::new();
    if let Some(file) = &args.config {
        let shown = file.display();
        let text =
            read_file(file).with_context(|| format!("the settings file {shown} can't be read"))?;
        table = text.parse().map_err(|e: toml::de::Error| {
            let before = e.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            anyhow!("{shown}, line {line}, is not valid TOML: {}", e.message())
        })?;
        parse(table.clone()).with_context(|| format!("in {shown}"))?;
    }
    for setting in &args.set {
        let Some((key, value)) = setting.split_once('=') else {
            bail!("--set {setting}: write it as KEY=VALUE, for example max_daily_questions=10");
        };
        let key = key.trim();
        if key.is_empty() {
            bail!("--set {setting}: the name of the setting is missing before the `=`");
        }
        table.insert(key.to_owned(), value_of(value.trim()));
    }
    match table.get("enabled") {
        None | Some(Value::Boolean(true)) => {}
        Some(Value::Boolean(false)) => {
            bail!("enabled=false forbids the run that was asked for: remove that setting to run")
        }
        Some(_) => bail!("enabled must be true or false"),
    }
    // Asking for a run is the opt-in.
    table.insert("enabled".into(), Value::Boolean(true));
    // A run that ends by itself doesn't rest, unless that is asked for.
    if !args.forever {
        table.entry("interval_ms").or_insert(Value::Integer(0));
    }
    let speaks = table.contains_key("language");
    let mut config = parse(table)?;
    if global.language.is_some() || !speaks {
        config.language = global.language();
    }
    config.deep_mode |= args.deep;
    if let Some(interval) = args.interval {
        config.interval_ms = interval;
    }
    config.validate()?;
    Ok(config)
}

/// The text of a file of settings, which may be a pipe.
pub(crate) fn read_file(path: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        bail!("it holds more than {} KiB, which no settings need", MAX_FILE_BYTES >> 10);
    }
    String::from_utf8(bytes).map_err(|_| anyhow!("it is not UTF-8: save it in that encoding"))
}

fn parse(table: Table) -> anyhow::Result<EvolutionConfig> {
    serde_path_to_error::deserialize(Value::Table(table)).map_err(|error| {
        let field = error.path().to_string();
        let what = error.into_inner().message().to_owned();
        anyhow!("{}", in_plain_words(&field, &what))
    })
}

/// A reader's error without the names of a programmer's types.
fn in_plain_words(field: &str, what: &str) -> String {
    if what.starts_with("unknown field") {
        return format!("there is no setting {field}: `ouro evolve --help` lists them all");
    }
    let expected = what.rsplit("expected ").next().unwrap_or_default();
    let wanted = match expected.trim_matches('`') {
        "u8" | "u32" | "u64" | "usize" => "a whole number, not negative and not too large",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        _ => return format!("{field}: {what}"),
    };
    format!("{field} must be {wanted}")
}

/// A number or a truth value where it looks like one, else text.
fn value_of(text: &str) -> Value {
    if let Ok(number) = text.parse::<i64>() {
        Value::Integer(number)
    } else if let Ok(number) = text.parse::<f64>() {
        Value::Float(number)
    } else if let Ok(truth) = text.parse::<bool>() {
        Value::Boolean(truth)
    } else {
        Value::String(text.to_owned())
    }
}
