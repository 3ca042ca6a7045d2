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
        match items {
            [] => String::new(),
            [one] => one.as_ref().to_owned(),
            [most @ .., last] => {
                let last = last.as_ref();
                let most: Vec<&str> = most.iter().map(AsRef::as_ref).collect();
                if self.is_chinese() {
                    // Between two Chinese words stands no space.
                    let is_chinese =
                        |c: char| matches!(c, '\u{3000}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}');
                    let most = most.join("、");
                    let before = if most.ends_with(is_chinese) { "" } else { " " };
                    let after = if last.starts_with(is_chinese) { "" } else { " " };
                    return format!("{most}{before}和{after}{last}");
                }
                let and = if most.len() > 1 { ", and " } else { " and " };
                format!("{}{and}{last}", most.join(", "))
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The placeholders of a message.
    fn placeholders(text: &str) -> BTreeSet<&str> {
        text.split("%{").skip(1).filter_map(|t| t.split('}').next()).collect()
    }

    #[test]
    fn a_chinese_list_parts_words_of_two_scripts_and_leaves_its_items_alone() {
        let list = |items: &[&str]| Wording::new(Language::Chinese, 0).list(items);
        assert_eq!(list(&["`a`", "`b`", "`c`"]), "`a`、`b` 和 `c`");
        assert_eq!(list(&["甲（1）", "`b`"]), "甲（1）和 `b`");
        assert_eq!(list(&["说明 `x 和 y`", "在 `b` 时"]), "说明 `x 和 y` 和在 `b` 时");
    }

    #[test]
    fn every_message_has_both_languages_and_the_chinese_one_needs_nothing_else() {
        let bundle = include_str!("../../locales/offline.yml");
        let mut lines = bundle.lines().filter(|l| l.starts_with("offline.") || l.starts_with("  "));
        let mut messages = 0;
        while let (Some(key), Some(english), Some(chinese)) =
            (lines.next(), lines.next(), lines.next())
        {
            let english =
                english.strip_prefix("  en: ").unwrap_or_else(|| panic!("{key}: {english}"));
            let chinese =
                chinese.strip_prefix("  zh-CN: ").unwrap_or_else(|| panic!("{key}: {chinese}"));
            let known = placeholders(english);
            assert!(placeholders(chinese).is_subset(&known) || key.contains(".ask."), "{key}");
            messages += 1;
        }
        assert!(messages > 100, "{messages}");
    }

    #[test]
    fn a_list_reads_as_its_language_writes_it() {
        let english = Wording::new(Language::English, 0);
        let chinese = Wording::new(Language::Chinese, 0);
        assert_eq!(english.list(&["a"]), "a");
        assert_eq!(english.list(&["a", "b"]), "a and b");
        assert_eq!(english.list(&["a", "b", "c"]), "a, b, and c");
        assert_eq!(chinese.list(&["a", "b", "c"]), "a、b 和 c");
    }

    #[test]
    fn one_content_always_reads_the_same_and_values_are_not_read_as_placeholders() {
        let wording = Wording::new(Language::English, 3);
        let say = |name: &str| wording.phrase("plan.callers", name, &[("name", name)]);
        assert_eq!(say("%{name}"), say("%{name}"));
        assert!(say("%{name}").contains("`%{name}`"));
    }
}
