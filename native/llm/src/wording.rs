//! Messages from the bundle, in every language at once: who is told what is known only later.

use ouro_core::{Error, ErrorKind, Language};
use rust_i18n::{replace_patterns, t};

/// What messages call the other side.
#[derive(Debug)]
pub(crate) struct Who {
    /// For example ``model `qwen3` at http://localhost:11434/v1``.
    pub(crate) english: String,
    chinese: String,
}

impl Who {
    /// By its kind in the bundle (`model`, `embedder`, `endpoint`), its name and its base URL.
    pub(crate) fn new(kind: &str, name: &str, base: &str) -> Self {
        let key = format!("who.{kind}");
        let values = [("name", name), ("base", base)];
        let say = |language| say(language, &key, &values);
        Self { english: say(Language::English), chinese: say(Language::Chinese) }
    }

    /// What it did, by the message's name in the bundle. A value that is the name of a reason there (`why.…`) is told in words, too.
    pub(crate) fn error(&self, kind: ErrorKind, key: &str, values: &[(&str, &str)]) -> Error {
        let about = |language, who| say(language, key, &[&[("who", who)], values].concat());
        Error::new(kind, about(Language::English, &self.english))
            .with_chinese(about(Language::Chinese, &self.chinese))
    }
}

fn say(language: Language, key: &str, values: &[(&str, &str)]) -> String {
    let in_words = |value: &str| match value.starts_with("why.") {
        true => t!(value, locale = language.tag()).into_owned(),
        false => value.to_owned(),
    };
    let (names, values): (Vec<&str>, Vec<String>) =
        values.iter().map(|(name, value)| (*name, in_words(value))).unzip();
    replace_patterns(&t!(key, locale = language.tag()), &names, &values)
}
