//! Cuts a question into words and says how much each tells about its subject.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;

use crate::frame_words::{GENERIC_PHRASES, GENERIC_WORDS, STOP_PHRASES, STOP_WORDS};

/// A word and how much it counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Word {
    /// Folded, and stemmed if it is a word of a language.
    pub(crate) text: String,
    /// Its share of the text's meaning; 1 for a word with a meaning of its own.
    pub(crate) weight: f32,
    /// Whether its characters mean nothing by themselves: a whole identifier, or a pair in a script without spaces.
    pub(crate) whole: bool,
}

/// Weight of words that every question has.
const STOP: f32 = 0.02;
/// Weight of words that many questions about code have.
const GENERIC: f32 = 0.15;
/// Weight of a word with a meaning of its own.
const CONTENT: f32 = 1.0;
/// Weight of the first identifier of a text as a whole, and of all its parts together: it is what a question is about.
const IDENTIFIER: f32 = 1.5;
const IDENTIFIER_PARTS: f32 = 0.75;
/// What a single other identifier counts, as a share of the first: it is the other half of a relation. Several others
/// are a list, and share what follows it; each counts at least the last.
const OTHER_IDENTIFIER: f32 = 0.8;
const LISTED_IDENTIFIERS: f32 = 0.5;
const LISTED_IDENTIFIER: f32 = 0.15;
/// Weight of a path: it says where, not what.
const PATH: f32 = 0.15;
const PATH_PARTS: f32 = 0.1;
/// Weight of two neighbouring characters in a script without spaces: a word of two characters is in two such pairs
/// but for its ends.
const PAIR: f32 = 0.6;
/// What a question asks for that names a subject and nothing else about it.
const PURPOSE: (&str, f32) = ("=purpose", 0.8);

/// Every word of a text.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let chars: Vec<char> = text.nfkc().collect();
    let mut found = Found::default();
    let mut rest = chars.as_slice();
    let mut in_code = false;
    while let Some((&c, after)) = rest.split_first() {
        if is_unspaced(c) {
            let (run, after) = split_while(rest, is_unspaced);
            found.unspaced(run);
            rest = after;
        } else if is_word_char(c) {
            let (token, after) = split_token(rest);
            found.token(token, in_code);
            rest = after;
        } else {
            in_code ^= c == '`';
            rest = after;
        }
    }
    found.finish()
}

/// Scripts that put no space between words.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff // Thai, Lao
        | 0x1000..=0x109f | 0x1780..=0x17ff // Myanmar, Khmer
        | 0x2e80..=0x2fff | 0x3005..=0x3007 | 0x3040..=0x30ff | 0x31f0..=0x31ff // radicals, Kana
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x323af) // Han
}

fn is_word_char(c: char) -> bool {
    (c.is_alphanumeric() || c == '_') && !is_unspaced(c)
}

fn split_while(chars: &[char], keep: impl Fn(char) -> bool) -> (&[char], &[char]) {
    let end = chars.iter().position(|&c| !keep(c)).unwrap_or(chars.len());
    chars.split_at(end)
}

/// The word at the start, with what is joined to it by `::`, `->`, `.`, `/`, `#` or `$`, as in a path.
fn split_token(chars: &[char]) -> (&[char], &[char]) {
    let mut end = 0;
    loop {
        let (_, rest) = chars.split_at(end);
        let (word, after) = split_while(rest, is_word_char);
        end += word.len();
        let joint = match after {
            [':', ':', c, ..] | ['-', '>', c, ..] if is_word_char(*c) => 2,
            ['.' | '/' | '#' | '$', c, ..] if is_word_char(*c) => 1,
            _ => return chars.split_at(end),
        };
        end += joint;
    }
}

/// Words in the making.
#[derive(Default)]
struct Found {
    words: Vec<Word>,
    /// Each identifier once, with its parts, in order.
    identifiers: Vec<(String, Vec<String>)>,
    known_identifiers: HashSet<String>,
    has_content: bool,
}

impl Found {
    fn push(&mut self, text: String, weight: f32, whole: bool) {
        self.words.push(Word { text, weight, whole });
    }

    /// A word, or an identifier and its parts.
    fn token(&mut self, token: &[char], in_code: bool) {
        let parts = parts(token);
        if in_code || parts.len() > 1 || token.contains(&'_') {
            self.identifier(token, &parts);
            return;
        }
        let word = fold(token);
        let weight = match word.as_str() {
            word if STOP_WORDS.contains(&word) => STOP,
            word if GENERIC_WORDS.contains(&word) => GENERIC,
            _ => CONTENT,
        };
        self.has_content |= weight == CONTENT;
        self.push(stem(word), weight, false);
    }

    fn identifier(&mut self, token: &[char], parts: &[&[char]]) {
        let identifier = (fold(token), parts.iter().map(|part| stem(fold(part))).collect());
        if token.contains(&'/') {
            self.push_parts(identifier, PATH, PATH_PARTS);
        } else if self.known_identifiers.insert(identifier.0.clone()) {
            self.identifiers.push(identifier);
        }
    }

    fn push_parts(
        &mut self,
        (whole, parts): (String, Vec<String>),
        weight: f32,
        weight_of_parts: f32,
    ) {
        self.push(whole, weight, true);
        #[allow(clippy::cast_precision_loss, reason = "a handful of parts")]
        let each = weight_of_parts / parts.len().max(1) as f32;
        for part in parts {
            self.push(part, each, false);
        }
    }

    fn finish(mut self) -> Vec<Word> {
        let identifiers = std::mem::take(&mut self.identifiers);
        let others = identifiers.len().saturating_sub(1);
        for (nth, identifier) in identifiers.into_iter().enumerate() {
            let share = match (nth, others) {
                (0, _) => 1.0,
                (_, 1) => OTHER_IDENTIFIER,
                #[allow(clippy::cast_precision_loss, reason = "far fewer than 2^24")]
                _ => (LISTED_IDENTIFIERS / others as f32).max(LISTED_IDENTIFIER),
            };
            self.push_parts(identifier, IDENTIFIER * share, IDENTIFIER_PARTS * share);
        }
        if !self.words.is_empty() && !self.has_content {
            self.push(PURPOSE.0.to_owned(), PURPOSE.1, true);
        }
        self.words
    }

    /// Words of a text without spaces: known phrases, and pairs of neighbours in what is left.
    fn unspaced(&mut self, run: &[char]) {
        let mut rest = run;
        let mut unknown = 0;
        while let Some(after) = rest.get(unknown..).filter(|r| !r.is_empty()) {
            match phrase(after, STOP_PHRASES, STOP)
                .or_else(|| phrase(after, GENERIC_PHRASES, GENERIC))
            {
                Some((text, weight)) => {
                    self.pairs(rest.split_at(unknown).0);
                    self.push(text.to_owned(), weight, true);
                    rest = after.get(text.chars().count()..).unwrap_or_default();
                    unknown = 0;
                }
                None => unknown += 1,
            }
        }
        self.pairs(rest);
    }

    /// Every two neighbours; a character that stands alone is a word.
    fn pairs(&mut self, run: &[char]) {
        self.has_content |= !run.is_empty();
        for pair in run.windows(run.len().clamp(1, 2)) {
            self.push(pair.iter().collect(), PAIR, true);
        }
    }
}

/// The phrase of a list that a text begins with.
fn phrase(text: &[char], list: &[&'static str], weight: f32) -> Option<(&'static str, f32)> {
    list.iter()
        .find(|p| p.chars().eq(text.iter().copied().take(p.chars().count())))
        .map(|p| (*p, weight))
}

/// Where an identifier is cut: at every character that is no letter or digit, and before a capital that begins a
/// word (`parseHTTPHeader` is parse, HTTP, Header).
fn parts(token: &[char]) -> Vec<&[char]> {
    token
        .split(|c| !c.is_alphanumeric())
        .flat_map(|part| {
            let mut at = 0;
            part.chunk_by(move |&a, &b| {
                at += 1;
                let next_is_lower = part.get(at + 1).is_some_and(|c| c.is_lowercase());
                !(b.is_uppercase() && (a.is_lowercase() || next_is_lower))
            })
        })
        .filter(|part| !part.is_empty())
        .collect()
}

/// Without case: up and down again, so that ß and SS are one.
fn fold(word: &[char]) -> String {
    word.iter().collect::<String>().to_uppercase().to_lowercase()
}

/// An English word without its ending, so that `handles`, `handled` and `handling` are one. Rough on purpose: what it
/// misses the n-grams catch.
fn stem(word: String) -> String {
    const ENDINGS: [(&str, &str); 10] = [
        ("ations", ""),
        ("ation", ""),
        ("ies", "y"),
        ("ings", ""),
        ("ing", ""),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
        ("e", ""),
        ("y", "y"),
    ];
    if !word.is_ascii() || word.ends_with("ss") {
        return word;
    }
    for (ending, replacement) in ENDINGS {
        if let Some(kept) = word.strip_suffix(ending)
            && kept.len() >= 3
        {
            return format!("{kept}{replacement}");
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(question: &str) -> Vec<String> {
        words(question)
            .into_iter()
            .map(|w| if w.whole { format!("[{}]", w.text) } else { w.text })
            .collect()
    }

    #[test]
    fn identifiers_come_whole_and_in_parts() {
        assert_eq!(
            texts("Engine::runOnce"),
            ["[engine::runonce]", "engin", "run", "onc", "[=purpose]"]
        );
        assert_eq!(
            texts("parseHTTPHeader"),
            ["[parsehttpheader]", "pars", "http", "header", "[=purpose]"]
        );
        assert_eq!(
            texts("`get`, max_size."),
            ["[get]", "get", "[max_size]", "max", "siz", "[=purpose]"]
        );
    }

    #[test]
    fn a_path_is_no_subject() {
        let weight = |question: &str, text: &str| {
            words(question).iter().find(|w| w.text == text).unwrap().weight
        };
        let question = "`Engine` in `src/engine.rs` and `Store`";
        assert!(weight(question, "src/engine.rs") < weight(question, "store"));
        assert!(weight(question, "store") < weight(question, "engine"));
    }

    #[test]
    fn words_of_a_language_are_stemmed_and_the_frame_counts_little() {
        let found = words("How are configurations handled? Retries!");
        let weights: Vec<(&str, f32)> = found.iter().map(|w| (w.text.as_str(), w.weight)).collect();
        assert_eq!(
            weights,
            [
                ("how", STOP),
                ("are", STOP),
                ("configur", CONTENT),
                ("handl", GENERIC),
                ("retry", CONTENT)
            ]
        );
    }

    #[test]
    fn a_script_without_spaces_is_cut_at_known_phrases_and_paired_between_them() {
        assert_eq!(
            texts("缓存失效是如何实现的"),
            ["[缓存]", "[存失]", "[失效]", "[是]", "[如何]", "[实现]", "[的]"]
        );
        assert_eq!(texts("锁是什么"), ["[锁]", "[是什么]"]);
        assert_eq!(texts("用Redis缓存"), ["[用]", "redi", "[缓存]"]);
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert_eq!(words(" ?!… "), []);
    }
}
