//! Sentences in the user's language, from the message bundle.

use ouro_core::Language;
use rust_i18n::{replace_patterns, t};

/// Separates the variants of a message.
const VARIANT: &str = " || ";

/// Speaks one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wording {
    language: Language,
    seed: u64,
}

impl Wording {
    /// Speaks `language`; `seed` decides between equally good variants.
    pub(crate) fn new(language: Language, seed: u64) -> Self {
        Self { language, seed }
    }

    pub(crate) fn is_chinese(self) -> bool {
        self.language == Language::Chinese
    }

    /// The message `offline.{key}` with its placeholders filled; `salt` chooses among its variants, so that two
    /// different contents read differently and the same content always reads the same.
    pub(crate) fn phrase(self, key: &str, salt: &str, values: &[(&str, &str)]) -> String {
        let message = t!(format!("offline.{key}"), locale = self.language.tag());
        let variants: Vec<&str> = message.split(VARIANT).collect();
        let chosen = hash(self.seed, salt) % (variants.len().max(1) as u64);
        let template =
            variants.get(usize::try_from(chosen).unwrap_or(0)).copied().unwrap_or_default();
        let (names, values): (Vec<&str>, Vec<String>) =
            values.iter().map(|(name, value)| (*name, (*value).to_owned())).unzip();
        replace_patterns(template, &names, &values)
    }

    /// Every variant of a message, filled: to recognise a question that was asked in another wording.
    pub(crate) fn variants(self, key: &str, values: &[(&str, &str)]) -> Vec<String> {
        let message = t!(format!("offline.{key}"), locale = self.language.tag());
        let (names, values): (Vec<&str>, Vec<String>) =
            values.iter().map(|(name, value)| (*name, (*value).to_owned())).unzip();
        message.split(VARIANT).map(|t| replace_patterns(t, &names, &values)).collect()
    }

    /// A word or short message without placeholders.
    pub(crate) fn word(self, key: &str) -> String {
        self.phrase(key, "", &[])
    }

    /// `a, b and c`.
    pub(crate) fn list<S: AsRef<str>>(self, items: &[S]) -> String {
        let (comma, and) = if self.is_chinese() { ("、", " 和 ") } else { (", ", " and ") };
        match items {
            [] => String::new(),
            [one] => one.as_ref().to_owned(),
            [most @ .., last] => {
                let most: Vec<&str> = most.iter().map(AsRef::as_ref).collect();
                let and = if most.len() > 1 && !self.is_chinese() { ", and " } else { and };
                let text = format!("{}{and}{}", most.join(comma), last.as_ref());
                text.replace("） 和", "）和")
            }
        }
    }

    /// Clauses that hold commas themselves, one after the other.
    pub(crate) fn clauses<S: AsRef<str>>(self, items: &[S]) -> String {
        let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
        items.join(if self.is_chinese() { "；" } else { "; " })
    }

    /// Text in quotation marks.
    pub(crate) fn quote(self, text: &str) -> String {
        let inner = text.replace(['“', '”'], "\"");
        format!("“{inner}”")
    }

    /// `(x)` with the marks of the language.
    pub(crate) fn aside(self, text: &str) -> String {
        if self.is_chinese() { format!("（{text}）") } else { format!(" ({text})") }
    }

    /// The mark that ends a sentence.
    pub(crate) fn stop(self) -> &'static str {
        if self.is_chinese() { "。" } else { "." }
    }
}

/// FNV-1a over the seed and the text: small, stable between runs and machines.
pub(crate) fn hash(seed: u64, text: &str) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(text.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)) >> 7
}
