//! From the lines of a comment or a prose file to clean sentences that know which lines they stand on.

mod blocks;
mod comment;
mod inline;
mod sentences;

pub(crate) use blocks::{Block, parse};
pub(crate) use inline::clean;
pub(crate) use sentences::Sentence;

/// One line of a file: its number from 1, and its text.
pub(crate) type NumberedLine = (u32, String);

/// The blocks of a piece of documentation in the file at `path`, comment marks removed.
pub(crate) fn read(path: &str, lines: &[NumberedLine]) -> Vec<Block> {
    let mut plain = comment::strip(path, lines);
    if path.ends_with(".kt") {
        plain.iter_mut().for_each(|(_, text)| *text = kdoc_links(text));
    }
    parse(&plain, comment::dialect(path))
}

/// KDoc writes every name as a link: `[other]` is `other`.
fn kdoc_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let (before, link) = rest.split_at(open);
        out.push_str(before);
        let name = link.strip_prefix('[').and_then(|l| l.split_once(']'));
        let is_name = |n: &str| {
            n.starts_with(|c: char| c.is_ascii_alphabetic())
                && n.chars().all(|c| c.is_alphanumeric() || c == '_')
        };
        let free = !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ']' | ')' | '`'));
        match name.filter(|(n, after)| free && is_name(n) && !after.starts_with(['(', '['])) {
            Some((name, after)) => {
                out.push('`');
                out.push_str(name);
                out.push('`');
                rest = after;
            }
            None => {
                out.push('[');
                rest = link.get(1..).unwrap_or("");
            }
        }
    }
    out.push_str(rest);
    out
}

/// The sentences of running text that are worth quoting, in order.
pub(crate) fn statements(blocks: &[Block]) -> Vec<Sentence> {
    sentences(blocks).filter(|s| s.is_quotable()).cloned().collect()
}

/// The sentences worth quoting of what documents a symbol.
pub(crate) fn symbol_statements(blocks: &[Block]) -> Vec<Sentence> {
    sentences(blocks).filter(|s| s.is_telling()).cloned().collect()
}

fn sentences(blocks: &[Block]) -> impl Iterator<Item = &Sentence> {
    blocks
        .iter()
        .take_while(|b| !matches!(b, Block::Tag { .. }))
        .filter_map(|b| match b {
            Block::Text(sentences) => Some(sentences),
            _ => None,
        })
        .flatten()
        .filter(|s| !starts_inside(&s.text))
}

/// Longest sentence with the list that it ends in, in characters.
const MOST_LISTED: usize = 320;

/// The blocks with every sentence that ends in a list made whole by it: `It is one of:` says nothing alone.
pub(crate) fn with_lists(mut blocks: Vec<Block>) -> Vec<Block> {
    for at in 0..blocks.len() {
        let list = blocks.get(at + 1..).unwrap_or_default().iter();
        let items = list.map_while(|b| match b {
            Block::Item(sentences) => sentences.first().cloned(),
            _ => None,
        });
        let items: Vec<Sentence> = items.collect();
        let Some(Block::Text(sentences)) = blocks.get_mut(at) else { continue };
        let Some(open) = sentences.last_mut().filter(|s| s.text.ends_with(':')) else { continue };
        let mut told = 0_usize;
        let mut text = open.text.clone();
        for item in &items {
            let bare = item.text.trim_end_matches(['.', ';', ',']);
            if text.chars().count() + bare.chars().count() > MOST_LISTED {
                break;
            }
            text.push_str(if told == 0 { " " } else { "; " });
            text.push_str(bare);
            told += 1;
        }
        if let Some(last) = told.checked_sub(1).and_then(|n| items.get(n)).filter(|_| told >= 2) {
            let cut = if told < items.len() { "; …" } else { "." };
            (open.text, open.end) = (format!("{text}{cut}"), last.end);
        }
    }
    blocks
}

/// Whether a text begins with a plain lower-case word: the rest of a sentence whose start was something else. A name
/// such as `cleanPath` may begin a sentence.
fn starts_inside(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.chars().all(|c| c.is_ascii_lowercase())
        && matches!(
            word,
            "are"
                | "is"
                | "and"
                | "or"
                | "of"
                | "to"
                | "the"
                | "with"
                | "in"
                | "as"
                | "by"
                | "for"
                | "from"
                | "that"
                | "which"
                | "a"
                | "an"
                | "was"
                | "were"
                | "will"
                | "on"
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_link_of_kdoc_is_a_name() {
        for (text, wanted) in [
            ("the difference to [other] dates", "the difference to `other` dates"),
            ("where [T] is shown", "where `T` is shown"),
            ("a[i] and [that][other] and [this](x)", "a[i] and [that][other] and [this](x)"),
        ] {
            assert_eq!(kdoc_links(text), wanted);
        }
    }

    #[test]
    fn a_sentence_that_ends_in_a_list_is_whole_with_it() {
        let long =
            "a word after the other that nobody will ever want to read to its very end. ".repeat(5);
        let text = format!(
            "Says how it is. It is one of:\n\n- open\n- closed, for\n  good.\n\nIts lock is:\n\n- one\n- two\n- {long}\n\nThis stands alone:\n"
        );
        let lines: Vec<NumberedLine> = (1..).zip(text.lines().map(str::to_owned)).collect();
        let told = statements(&with_lists(read("a.md", &lines)));
        let told: Vec<_> = told.iter().map(|s| (s.text.as_str(), s.start, s.end)).collect();
        assert_eq!(
            told,
            [
                ("Says how it is.", 1, 1),
                ("It is one of: open; closed, for good.", 1, 5),
                ("Its lock is: one; two; …", 7, 10)
            ]
        );
    }

    proptest! {
        #[test]
        fn any_text_gives_sentences_on_lines_of_its_own(
            text in "[ \\n\\ta-zA-Z0-9`*_<>\\[\\](){}@:#|/.!\"'&;é。=-]{0,200}",
            path in prop::sample::select(vec!["a.rs", "a.py", "A.java", "a.go", "a.ts", "README.md", "a.rst"]),
        ) {
            let lines: Vec<NumberedLine> = (1..).zip(text.lines().map(str::to_owned)).collect();
            for sentence in statements(&read(path, &lines)) {
                prop_assert!(sentence.start >= 1 && sentence.start <= sentence.end);
                prop_assert!(sentence.end as usize <= lines.len());
                prop_assert!(!sentence.text.contains('\n'));
            }
        }

        #[test]
        fn cleaning_keeps_every_line_break(text in "[ \\na-z`*_<>\\[\\](){}@:!/.&;-]{0,120}") {
            prop_assert_eq!(clean(&text).matches('\n').count(), text.matches('\n').count());
        }
    }
}
