//! The loop's settings: defaults, then the file, then the single ones, then the options.

use anyhow::{Context, anyhow, bail};
use ouro_core::EvolutionConfig;
use toml::{Table, Value};

use crate::args::{EvolveArgs, Global};

/// Reads and checks them.
pub(crate) fn read(global: &Global, args: &EvolveArgs) -> anyhow::Result<EvolutionConfig> {
    let mut table = Table::new();
    if let Some(file) = &args.config {
        let shown = file.display();
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("the settings file {shown} can't be read"))?;
        table = text.parse().map_err(|e| anyhow!("{shown} is not valid TOML: {e}"))?;
        parse(table.clone()).with_context(|| format!("in {shown}"))?;
    }
    for setting in &args.set {
        let Some((key, value)) = setting.split_once('=') else {
            bail!("--set {setting}: write it as KEY=VALUE, for example max_daily_questions=10");
        };
        table.insert(key.trim().to_owned(), value_of(value.trim()));
    }
    if table.get("enabled") == Some(&Value::Boolean(false)) {
        bail!("enabled=false forbids the run that was asked for: remove that setting to run");
    }
    // Asking for a run is the opt-in.
    table.insert("enabled".into(), Value::Boolean(true));
    let mut config = parse(table)?;
    config.language = global.language();
    config.deep_mode |= args.deep;
    if let Some(interval) = args.interval {
        config.interval_ms = interval;
    } else if !args.forever
        && args.config.is_none()
        && args.set.iter().all(|s| !s.starts_with("interval_ms"))
    {
        config.interval_ms = 0;
    }
    config.validate()?;
    Ok(config)
}

fn parse(table: Table) -> anyhow::Result<EvolutionConfig> {
    serde_path_to_error::deserialize(Value::Table(table)).map_err(|error| {
        // One line: what a TOML error quotes of its input goes over several.
        let field = error.path().to_string();
        let what = error.into_inner().message().to_owned();
        if what.contains(&field) { anyhow!("{what}") } else { anyhow!("{field}: {what}") }
    })
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
