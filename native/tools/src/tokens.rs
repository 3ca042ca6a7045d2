//! Words of code and prose in any script, for lexical search.
//!
//! An identifier is split at `_` and where its case or kind of character changes; its parts and, joined, the whole are
//! words. Chinese, Japanese and Korean text has no spaces: every character and every pair of neighbours is a word. All is
//! lower case; English plurals lose their ending (the S-stemmer of Harman, 1991).

/// Longer words are data.
const MAX_WORD: usize = 64;

/// Shows every word of a text to `emit`, in order.
pub(crate) fn words(text: &str, mut emit: impl FnMut(&str)) {
    let mut buffer = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let run = rest.get(start..).unwrap_or_default();
        let ideographs = run.starts_with(is_ideograph);
        let belongs = |c: char| is_word(c) && is_ideograph(c) == ideographs;
        let end = run.find(|c| !belongs(c)).unwrap_or(run.len());
        let (run, after) = run.split_at(end);
        if ideographs {
            characters(run, &mut emit);
        } else {
            identifier(run, &mut buffer, &mut emit);
        }
        rest = after;
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{3040}'..='\u{30ff}'      // Hiragana, Katakana
        | '\u{3400}'..='\u{4dbf}'    // Han, extension A
        | '\u{4e00}'..='\u{9fff}'    // Han
        | '\u{ac00}'..='\u{d7af}'    // Hangul
        | '\u{f900}'..='\u{faff}'    // Han, compatibility
        | '\u{20000}'..='\u{323af}'  // Han, further extensions
    )
}

/// Every character and every pair.
fn characters(run: &str, emit: &mut impl FnMut(&str)) {
    let (mut before, mut start) = (None, 0);
    for end in run.char_indices().map(|(at, c)| at + c.len_utf8()) {
        emit(run.get(start..end).unwrap_or_default());
        if let Some(before) = before {
            emit(run.get(before..end).unwrap_or_default());
        }
        (before, start) = (Some(start), end);
    }
}

fn identifier(run: &str, buffer: &mut String, emit: &mut impl FnMut(&str)) {
    let mut parts = 0;
    for section in run.split('_').filter(|s| !s.is_empty()) {
        let mut rest = section;
        while !rest.is_empty() {
            let (part, after) = rest.split_at(part_end(rest));
            word(part, buffer, emit);
            parts += 1;
            rest = after;
        }
    }
    if parts > 1 {
        let whole: String = run.chars().filter(|&c| c != '_').collect();
        word(&whole, buffer, emit);
    }
}

fn word(text: &str, buffer: &mut String, emit: &mut impl FnMut(&str)) {
    buffer.clear();
    buffer.extend(text.chars().flat_map(char::to_lowercase));
    if buffer.len() <= MAX_WORD {
        singular(buffer);
        emit(buffer);
    }
}

/// Where the first part of `parseHttpRequest`, `HTTPServer` or `utf8` ends.
fn part_end(text: &str) -> usize {
    #[derive(PartialEq, Clone, Copy)]
    enum Kind {
        Upper,
        Lower,
        Digit,
    }
    let kind = |c: char| match c {
        c if c.is_uppercase() => Kind::Upper,
        c if c.is_numeric() => Kind::Digit,
        _ => Kind::Lower,
    };
    let mut characters = text.char_indices().map(|(at, c)| (at, kind(c))).peekable();
    let Some((_, mut before)) = characters.next() else { return text.len() };
    while let Some((at, here)) = characters.next() {
        let after = characters.peek().map(|&(_, k)| k);
        let ends = match (before, here) {
            // The last capital of `HTTPServer` belongs to the next word.
            (Kind::Upper, Kind::Upper) => after == Some(Kind::Lower),
            (Kind::Upper, Kind::Lower) => false,
            (before, here) => before != here,
        };
        if ends {
            return at;
        }
        before = here;
    }
    text.len()
}

fn singular(word: &mut String) {
    let ends = |endings: &[&str]| endings.iter().any(|e| word.ends_with(e));
    if word.len() <= 3 || !word.is_ascii() {
        return;
    }
    if ends(&["ies"]) && !ends(&["eies", "aies"]) {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if ends(&["es"]) && !ends(&["aes", "ees", "oes"])
        || ends(&["s"]) && !ends(&["us", "ss", "es"])
    {
        word.truncate(word.len() - 1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        words(text, |word| all.push(word.to_owned()));
        all
    }

    #[test]
    fn identifiers_give_their_parts_and_the_whole() {
        assert_eq!(all("parseHttpRequest"), ["parse", "http", "request", "parsehttprequest"]);
        assert_eq!(all("parse_http_request"), ["parse", "http", "request", "parsehttprequest"]);
        assert_eq!(all("HTTPServer"), ["http", "server", "httpserver"]);
        assert_eq!(all("utf8"), ["utf", "8", "utf8"]);
        assert_eq!(all("__init__"), ["init"]);
        assert_eq!(all("a.b::C(d)"), ["a", "b", "c", "d"]);
    }

    #[test]
    fn plurals_find_singulars() {
        assert_eq!(
            all("errors queries classes status class"),
            ["error", "query", "classe", "status", "class"]
        );
    }

    #[test]
    fn chinese_gives_characters_and_pairs_also_between_latin_words() {
        assert_eq!(all("读取配置"), ["读", "取", "读取", "配", "取配", "置", "配置"]);
        assert_eq!(all("用Rust写"), ["用", "rust", "写"]);
    }

    proptest! {
        #[test]
        fn any_text_gives_lower_case_words_without_separators(text in "\\PC{0,200}") {
            for word in all(&text) {
                prop_assert!(!word.is_empty() && word.len() <= MAX_WORD);
                prop_assert!(word.chars().all(|c| is_word(c) && c != '_' || !c.is_alphanumeric()));
            }
        }

        #[test]
        fn spelling_an_identifier_in_another_style_gives_the_same_words(parts in prop::collection::vec("[a-z]{2,8}", 1..5)) {
            let camel: String = parts.iter().map(|p| {
                let (first, rest) = p.split_at(1);
                first.to_uppercase() + rest
            }).collect();
            prop_assert_eq!(all(&parts.join("_")), all(&camel));
        }
    }
}
