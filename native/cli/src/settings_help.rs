//! The settings in words, for the help of `ouro evolve`: each with its default, which is the program's own.

use ouro_core::EvolutionConfig;

/// What each setting means, with its unit. `enabled` is left out (asking for a run is the opt-in).
const MEANINGS: &[(&str, &str)] = &[
    ("interval_ms", "rest between two iterations, milliseconds; 0 for a run with --iterations"),
    ("questions_per_iteration", "questions proposed at a time"),
    ("max_question_retries", "further proposals when all were refused"),
    ("max_exploration_steps", "tool calls of one exploration"),
    ("exploration_timeout_ms", "time of one exploration, milliseconds"),
    ("max_daily_questions", "questions of a local day"),
    ("max_daily_explorations", "explorations of a local day"),
    (
        "max_daily_tokens",
        "tokens of a local day; an iteration begins where all it may cost is left",
    ),
    ("max_store_mb", "size of the store on disk, megabytes, that ends the loop; 0 for no limit"),
    ("base_backoff_ms", "first pause after an error, milliseconds"),
    (
        "max_backoff_ms",
        "longest pause after errors, milliseconds; a server may ask for up to a day",
    ),
    ("backoff_multiplier", "factor from one pause to the next"),
    (
        "max_consecutive_errors",
        "errors in a row that end the loop; --forever waits for a server that is away or busy",
    ),
    ("max_tokens_per_iteration", "prompt and reply of one iteration, tokens"),
    ("sufficient_chars", "gathered characters that may be enough for an answer"),
    ("similarity_threshold", "cosine from which two questions are the same"),
    ("language", "en or zh-CN: of questions and answers; --language sets it for everything"),
    ("deep_mode", "more questions, more steps, line ranges cited; --deep sets it"),
    ("tool_cache_capacity", "tool results that are kept"),
    ("tool_cache_ttl_ms", "how long one without a stamp of its files holds, milliseconds"),
];

/// The part of the help that lists them.
pub(crate) fn text() -> String {
    let defaults = serde_json::to_value(EvolutionConfig::default()).unwrap_or_default();
    let mut text =
        "Settings, for --set KEY=VALUE and as KEY = VALUE in the file of --config:\n".to_owned();
    for (key, meaning) in MEANINGS {
        let default = match defaults.get(key) {
            Some(value) if !value.is_null() => value.to_string(),
            _ => "measured for each embedder".to_owned(),
        };
        text.push_str(&format!("  {key:<25} {meaning} [default: {default}]\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_setting_is_explained_and_nothing_else() {
        let config = serde_json::to_value(EvolutionConfig::default()).unwrap();
        let keys: BTreeSet<&str> = config.as_object().unwrap().keys().map(String::as_str).collect();
        let told: BTreeSet<&str> =
            MEANINGS.iter().map(|(key, _)| *key).chain(["enabled"]).collect();
        assert_eq!(told, keys);
        assert!(
            text().contains("max_daily_questions       questions of a local day [default: 50]")
        );
    }
}
