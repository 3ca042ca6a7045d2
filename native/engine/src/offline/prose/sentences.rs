//! Sentences with the lines they stand on.

use super::{NumberedLine, inline};

/// One sentence of plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// The text, on one line, with code in backticks.
    pub(crate) text: String,
    /// Its first line.
    pub(crate) start: u32,
    /// Its last line.
    pub(crate) end: u32,
}

/// Words that end in a full stop without ending a sentence.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "etc", "vs", "cf", "resp", "approx", "inc", "no", "fig", "sec", "al", "a.k.a",
    "ca", "dr", "mr", "st", "ver", "v", "incl", "max", "min", "aka",
];

/// Openings of sentences that tell nothing without what stood around them.
const EMPTY_OPENINGS: &[&str] = &[
    "see ",
    "note: ",
    "the post ",
    "this post ",
    "the article ",
    "this article ",
    "there's also ",
    "following ",
    "or, ",
    "when this ",
    "see also",
    "todo",
    "to do:",
    "fixme",
    "xxx",
    "copyright",
    "license:",
    "license ",
    "licensed under",
    "author:",
    "author ",
    "authors",
    "@",
    "http:",
    "https:",
    "for example",
    "e.g.",
    "for more",
    "example",
    "usage",
    "note that this file",
    "coding:",
    "-*-",
    "!/",
    "click here",
    "table of contents",
    "documentation:",
    "this file is part",
    "eslint",
    "spdx",
    "in the example",
    "the following",
    "let's say",
    "which ",
    "in this example",
    "as follows",
    "as above",
    "same as above",
    "refer to",
    "please",
    "thanks",
    "versionadded",
    "versionchanged",
    "deprecated since",
    "in other words",
    "however",
    "but ",
    "therefore",
    "so ",
    "this example",
    "the above",
    "these ",
    "otherwise",
    "also ",
    "moreover",
    "furthermore",
    "additionally",
    "in addition",
    "similarly",
    "that is",
    "this means",
    "hence",
    "instead",
    "then ",
    "for instance",
    "in this case",
    "in that case",
    "the code above",
    "and ",
    "or ",
    "internal:",
    "module dependencies",
    "module exports",
    "module variables",
];

/// Openings of sentences that send a reader elsewhere or have him do something. What documents a function says so of
/// what that does: `Read the next frame.`
const ORDERS: &[&str] = &["read about", "read more", "read the", "visit ", "check out", "install"];

impl Sentence {
    /// Whether it says something to a reader of prose: it tells something, and is no order to him.
    pub(crate) fn is_quotable(&self) -> bool {
        let lower = self.text.to_lowercase();
        self.is_telling() && !ORDERS.iter().any(|o| lower.starts_with(o))
    }

    /// Whether it says something by itself: a whole sentence of readable length that needs nothing around it.
    pub(crate) fn is_telling(&self) -> bool {
        let text = self.text.as_str();
        let lower = text.to_lowercase();
        let wide = text.chars().filter(|c| is_cjk(*c)).count();
        let words = text.split_whitespace().count();
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        let length = text.chars().count();
        ((words >= 3 && length >= 12) || wide >= 6)
            && length <= 360
            && letters * 2 >= length
            && !text.ends_with([':', '：', ',', ';', '('])
            && !holds_address(&lower)
            && !lower.contains("below")
            && !text.trim_end_matches('.').ends_with('?')
            // Who speaks so tells of himself.
            && !text.starts_with("I ")
            && ![" I ", " I'm ", " I've "].iter().any(|own| text.contains(own))
            && !(text.ends_with("...") && words < 6)
            && !text.starts_with(|c: char| c.is_ascii_digit())
            && !text.contains(" # ")
            && !EMPTY_OPENINGS.iter().any(|o| lower.starts_with(o))
            && text.matches('`').count().is_multiple_of(2)
            && text.matches("**").count().is_multiple_of(2)
            && balanced(text)
            && !text.contains("[REDACTED")
            && !text.contains("{{")
            && !has_entity(text)
            && !text.contains(" | ")
            && !breaks_off(&lower)
    }

    /// How many characters it has.
    pub(crate) fn length(&self) -> usize {
        self.text.chars().count()
    }
}

/// Whether a text holds the address of a page. That of a whole site is short and has a name: `https://semver.org`.
fn holds_address(lower: &str) -> bool {
    lower.split("http").skip(1).any(|rest| {
        let place = rest.trim_start_matches('s').strip_prefix("://");
        let place = place.and_then(|p| p.split_whitespace().next());
        place.is_some_and(|p| p.trim_end_matches(['.', ',', ')', '/']).contains('/'))
    })
}

/// Whether a sentence ends in a word that another must follow: what it leads to was no text.
fn breaks_off(lower: &str) -> bool {
    let last = lower.trim_end_matches(['.', '!']).rsplit(' ').next().unwrap_or_default();
    ["a", "an", "the", "and", "or", "of", "with", "than", "following"].contains(&last)
}

/// Whether an entity of HTML is left: `&rarr;`.
fn has_entity(text: &str) -> bool {
    text.split('&').skip(1).any(|rest| {
        rest.split_once(';').is_some_and(|(name, _)| {
            (2..=8).contains(&name.len())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '#')
        })
    })
}

fn balanced(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
        && text.matches('“').count() == text.matches('”').count()
        && text.matches('"').count().is_multiple_of(2)
}

fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}

/// The sentences of a paragraph.
pub(super) fn split(paragraph: &[NumberedLine]) -> Vec<Sentence> {
    let joined = paragraph.iter().map(|(_, t)| t.trim()).collect::<Vec<_>>().join("\n");
    let text: Vec<char> = inline::clean(&joined).chars().collect();
    let line_at = |breaks: usize| paragraph.get(breaks).or(paragraph.last()).map_or(0, |(n, _)| *n);

    let mut sentences = Vec::new();
    let (mut begin, mut breaks, mut first_break) = (0, 0_usize, 0);
    let mut in_code = false;
    let widest = paragraph.iter().map(|(_, line)| line.trim().chars().count()).max().unwrap_or(0);
    let width = if paragraph.len() >= 3 { widest } else { WRAPPED };
    for (at, c) in text.iter().enumerate() {
        match c {
            '\n' => breaks += 1,
            '`' => in_code = !in_code,
            _ => {}
        }
        // The markup that was removed took room, too.
        let written = || breaks.checked_sub(1).and_then(|n| paragraph.get(n));
        let written = || written().map_or(0, |(_, line)| line.trim().chars().count());
        let is_over = *c == '\n' && at > begin && is_cut_short(&text, at, written(), width);
        if !in_code && (is_over || ends_sentence(&text, at)) {
            let end = if is_over { at } else { after_closers(&text, at) };
            // The break itself was counted already.
            let last = breaks - usize::from(is_over);
            push(&mut sentences, text.get(begin..end), line_at(first_break), line_at(last));
            begin = end;
            first_break = breaks + usize::from(text.get(end) == Some(&'\n'));
        } else if at == begin
            || text.get(begin..at).is_some_and(|s| s.iter().all(|c| c.is_whitespace()))
        {
            first_break = breaks;
        }
    }
    push(&mut sentences, text.get(begin..), line_at(first_break), line_at(breaks));
    sentences
}

/// Widest line, in characters, that those who wrap their comments early write.
const WRAPPED: usize = 72;
/// How much room a line leaves at least that ends because its sentence does.
const ROOM: usize = 10;

/// Whether a sentence without a full stop ends at this line break: the line was broken long before its time, after a
/// word that another need not follow, and the next begins with a capital. It was `written` so wide, in characters.
fn is_cut_short(text: &[char], at: usize, written: usize, width: usize) -> bool {
    let line = text.get(..at).unwrap_or_default().rsplit(|c| *c == '\n').next().unwrap_or_default();
    let after = text.get(at + 1..).unwrap_or_default();
    let next: Vec<char> = after.iter().copied().take_while(|c| !c.is_whitespace()).collect();
    let last: String =
        line.rsplit(|c| *c == ' ').next().unwrap_or_default().iter().collect::<String>();
    let begins = next.first().is_some_and(|c| c.is_uppercase())
        && next.len() >= 2
        && next.iter().skip(1).all(|c| c.is_lowercase());
    let ends = last.chars().next_back().is_some_and(char::is_alphanumeric)
        && !JOINS.contains(&last.to_lowercase().as_str());
    begins && ends && line.len().max(written) + 1 + next.len() + ROOM <= width
}

/// Words that another must follow.
const JOINS: [&str; 30] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "if", "in", "into", "is",
    "its", "of", "on", "or", "than", "that", "the", "their", "this", "to", "via", "when", "which",
    "with", "like", "not",
];

fn push(sentences: &mut Vec<Sentence>, text: Option<&[char]>, start: u32, end: u32) {
    let text: String = text.unwrap_or_default().iter().collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = tidy(&text);
    if !text.is_empty() {
        sentences.push(Sentence { text, start, end: end.max(start) });
    }
}

/// Without the leftovers of removed markup: empty brackets, spaces before punctuation.
fn tidy(text: &str) -> String {
    let text = without_asides(text);
    let text = text.trim_start_matches([')', '.', ',', ']', '|']).trim();
    let text = text.replace("( )", "").replace(" ,", ",").replace(" : ", ": ");
    text.strip_suffix(" .").map_or(text.clone(), |t| format!("{t}."))
}

/// Without brackets that hold nothing but an address: `(see https://...)`.
fn without_asides(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, inside, after)) = rest
        .find('(')
        .and_then(|open| Some((open, open + rest.get(open..)?.find(')')?)))
        .and_then(|(open, close)| {
            Some((rest.get(..open)?, rest.get(open..=close)?, rest.get(close + 1..)?))
        })
    {
        let bare = inside.trim_matches(['(', ')', '<', '>', ' ']);
        let bare = bare.strip_prefix("see ").or(bare.strip_prefix("See ")).unwrap_or(bare);
        let address = bare.starts_with("http") && !bare.contains(char::is_whitespace);
        if address || matches!(bare, "see" | "See") {
            out.push_str(before.trim_end());
        } else {
            out.push_str(before);
            out.push_str(inside);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn ends_sentence(text: &[char], at: usize) -> bool {
    let Some(c) = text.get(at) else { return false };
    if matches!(c, '。' | '！' | '？') {
        return true;
    }
    if !matches!(c, '.' | '!' | '?') {
        return false;
    }
    let end = after_closers(text, at);
    match text.get(end) {
        None => true,
        Some(next) if next.is_whitespace() => {
            let mut rest = text.iter().skip(end).skip_while(|c| c.is_whitespace());
            let opening: String = rest.clone().take(4).collect();
            let follows = rest.next();
            // An example in small letters is a sentence of its own.
            let starts = matches!(opening.as_str(), "e.g." | "i.e.")
                || follows
                    .is_none_or(|c| !c.is_lowercase() && !matches!(c, ')' | ',' | ';' | '-' | '|'));
            starts && !(*c == '.' && is_abbreviation(text, at))
        }
        Some(_) => false,
    }
}

/// Past quotes and brackets that close after a full stop.
fn after_closers(text: &[char], at: usize) -> usize {
    let mut end = at + 1;
    while text.get(end).is_some_and(|c| matches!(c, '"' | '\'' | ')' | '”' | '’' | ']' | '」'))
    {
        end += 1;
    }
    end
}

fn is_abbreviation(text: &[char], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let word: Vec<char> =
        before.iter().rev().take_while(|c| c.is_alphabetic() || **c == '.').copied().collect();
    let word: String = word.into_iter().rev().collect();
    let single = word.chars().count() == 1 && word.chars().all(char::is_uppercase) && word != "I";
    single || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<NumberedLine> {
        (10..).zip(text.lines().map(str::to_owned)).collect()
    }

    #[test]
    fn sentences_know_their_lines() {
        let found = split(&lines(
            "A session. It keeps\ncookies, e.g. for `a. B`. Version 1.2\nis old! Really?",
        ));
        let plain: Vec<_> = found.iter().map(|s| (s.text.as_str(), s.start, s.end)).collect();
        assert_eq!(
            plain,
            [
                ("A session.", 10, 10),
                ("It keeps cookies, e.g. for `a. B`.", 10, 11),
                ("Version 1.2 is old!", 11, 12),
                ("Really?", 12, 12),
            ]
        );
    }

    #[test]
    fn an_address_in_brackets_goes_and_one_that_a_sentence_needs_keeps_it_from_being_quoted() {
        let found = split(&lines("Versioning (see <https://semver.org>) is a guideline."));
        assert_eq!(found[0].text, "Versioning is a guideline.");
        let found = split(&lines("The version as defined by <https://semver.org/spec.html>."));
        assert!(!found[0].is_quotable(), "{found:?}");
        let found = split(&lines("The version as defined by <https://semver.org>."));
        assert!(found[0].is_quotable(), "{found:?}");
    }

    #[test]
    fn a_sentence_with_numbers_is_still_one() {
        let found = split(&lines("Returns the second of a day, from 0 to 24 * 60 * 60 - 1."));
        assert!(found[0].is_quotable());
    }

    #[test]
    fn a_sentence_that_begins_on_a_new_line_starts_there() {
        let found = split(&lines("One two three.\nFour five six."));
        assert_eq!(
            found.iter().map(|s| (s.start, s.end)).collect::<Vec<_>>(),
            [(10, 10), (11, 11)]
        );
    }

    #[test]
    fn chinese_sentences_end_without_a_space() {
        let found = split(&lines("这是一个缓存。它很快！"));
        assert_eq!(found.len(), 2);
        assert!(found[0].is_quotable());
    }

    #[test]
    fn a_line_that_the_address_of_a_link_fills_is_not_broken_early() {
        let found = split(&lines(
            "Please refer to the <a href=\"https://example.com/of/the/mill\">Miller's\nGuide</a> for a gentle introduction.",
        ));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].text.ends_with("the Miller's Guide for a gentle introduction."));
    }

    #[test]
    fn only_what_says_something_alone_is_quotable() {
        let quotable = |text: &str| split(&lines(text)).first().is_some_and(Sentence::is_quotable);
        assert!(quotable("Sends a prepared request and returns the response."));
        for empty in [
            "See `other`.",
            "Example:",
            "Basic usage is as follows:",
            "TODO: mend this thing.",
            "OK.",
            "a, b; (c d e",
            "It follows the left &Rarr; right order.",
            "A plug-in that is to be used with.",
            "Sending a request...",
            "Did you ever want to send a request?...",
            "I did so for years, which was no use.",
            "After several hours I gave up on the units of the mill.",
            "The post Of Mills and Men explains what it does and how.",
            "**This part of the API may change.",
            "Handles the cases that are made up of the following...",
        ] {
            assert!(!quotable(empty), "{empty}");
        }
    }

    #[test]
    fn what_orders_a_reader_about_is_what_a_function_does() {
        let first = |text: &str| split(&lines(text)).remove(0);
        for order in [
            "Read the next frame of a stream.",
            "Visit every node of the tree.",
            "Check out a connection from the pool.",
            "Installs the handler for signals.",
        ] {
            let order = first(order);
            assert!(order.is_telling() && !order.is_quotable(), "{order:?}");
        }
        for said in ["Authorizes a request by its key.", "Expose the list of what is watched."] {
            assert!(first(said).is_quotable(), "{said}");
        }
        for empty in ["Author: Jane of the Mill.", "License: see the file."] {
            assert!(!first(empty).is_telling(), "{empty}");
        }
    }

    #[test]
    fn a_line_that_was_broken_early_ends_a_sentence_without_a_full_stop() {
        let texts = |lines: &[&str]| -> Vec<String> {
            let lines: Vec<NumberedLine> =
                (1..).zip(lines.iter().map(|line| (*line).to_owned())).collect();
            split(&lines).into_iter().map(|s| format!("{}@{}-{}", s.text, s.start, s.end)).collect()
        };
        assert_eq!(
            texts(&[
                "Find the command given the args",
                "Meant to be run on the highest node. Only down."
            ]),
            [
                "Find the command given the args@1-1",
                "Meant to be run on the highest node.@2-2",
                "Only down.@2-2"
            ]
        );
        for whole in [
            ["It asks what it needs to know of the", "Server that keeps the settings."].as_slice(),
            &["It asks all it needs, of course", "HTTPServer included."],
            &[
                "It fills the line as far as it goes, until there is no room left for",
                "Anything more of it.",
            ],
            &[
                "It is wrapped early by those who",
                "Wrote it, all of whom wrapped the",
                "same way here and there.",
            ],
        ] {
            assert_eq!(texts(whole).len(), 1, "{whole:?}");
        }
    }
}
