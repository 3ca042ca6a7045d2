//! Reasoning that a model writes between `<think>` tags in front of its reply.

/// A piece of a reply, told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Between the tags.
    Reasoning(String),
    /// After them.
    Content(String),
}

/// The tags in use: `<think>` (DeepSeek, Qwen and most), `<thinking>`.
const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// Tells reasoning from content while a reply streams in pieces that are cut anywhere.
///
/// Only a tag at the very beginning counts: later on it is something that the reply talks about.
#[derive(Debug, Default)]
pub(crate) struct ThinkSplitter {
    state: State,
    held: String,
}

#[derive(Debug, Default)]
enum State {
    /// Nothing but white space and perhaps the beginning of a tag was seen.
    #[default]
    Start,
    /// After an opening tag; waits for this closing one.
    Inside(&'static str),
    /// After a closing tag, before any content.
    Gap,
    /// In the reply.
    Content,
}

impl ThinkSplitter {
    /// Takes the next piece of the reply.
    pub(crate) fn push(&mut self, text: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        self.held.push_str(text);
        loop {
            match self.state {
                State::Start => {
                    let begun = self.held.trim_start();
                    if let Some((open, close)) =
                        TAGS.into_iter().find(|(open, _)| begun.starts_with(open))
                    {
                        self.held = begun.strip_prefix(open).unwrap_or(begun).to_owned();
                        self.state = State::Inside(close);
                    } else if TAGS.into_iter().any(|(open, _)| open.starts_with(begun)) {
                        return pieces;
                    } else {
                        self.state = State::Content;
                    }
                }
                State::Inside(close) => {
                    if let Some((reasoning, rest)) = self.held.split_once(close) {
                        if !reasoning.is_empty() {
                            pieces.push(Piece::Reasoning(reasoning.to_owned()));
                        }
                        self.held = rest.to_owned();
                        self.state = State::Gap;
                    } else {
                        let tail =
                            self.held.split_off(self.held.len() - overlap(&self.held, close));
                        let reasoning = std::mem::replace(&mut self.held, tail);
                        if !reasoning.is_empty() {
                            pieces.push(Piece::Reasoning(reasoning));
                        }
                        return pieces;
                    }
                }
                State::Gap => {
                    self.held = self.held.trim_start().to_owned();
                    if self.held.is_empty() {
                        return pieces;
                    }
                    self.state = State::Content;
                }
                State::Content => {
                    if !self.held.is_empty() {
                        pieces.push(Piece::Content(std::mem::take(&mut self.held)));
                    }
                    return pieces;
                }
            }
        }
    }

    /// What was held back when the reply ended.
    pub(crate) fn finish(self) -> Option<Piece> {
        match self.state {
            _ if self.held.is_empty() => None,
            State::Inside(_) => Some(Piece::Reasoning(self.held)),
            State::Start | State::Gap | State::Content => Some(Piece::Content(self.held)),
        }
    }
}

/// How many bytes at the end of `text` are the beginning of `tag`.
fn overlap(text: &str, tag: &str) -> usize {
    (1..tag.len())
        .rev()
        .find(|&n| tag.get(..n).is_some_and(|start| text.ends_with(start)))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(pieces: &[&str]) -> (String, String) {
        let mut splitter = ThinkSplitter::default();
        let mut found: Vec<Piece> = pieces.iter().flat_map(|p| splitter.push(p)).collect();
        found.extend(splitter.finish());
        let (mut reasoning, mut content) = (String::new(), String::new());
        for piece in found {
            match piece {
                Piece::Reasoning(text) => reasoning += &text,
                Piece::Content(text) => content += &text,
            }
        }
        (reasoning, content)
    }

    #[test]
    fn tells_reasoning_from_the_reply() {
        let told = |text| split(&[text]);
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(told("<think>hm</think>\n\nyes"), pair("hm", "yes"));
        assert_eq!(told("\n<thinking>a </think> b</thinking>c"), pair("a </think> b", "c"));
        assert_eq!(told("<think></think>yes"), pair("", "yes"));
        assert_eq!(told("<think>never closed"), pair("never closed", ""));
        assert_eq!(
            told("the tag <think>x</think> is text here"),
            pair("", "the tag <think>x</think> is text here")
        );
        assert_eq!(told("  plain"), pair("", "  plain"));
        assert_eq!(told("<thi"), pair("", "<thi"));
    }

    #[test]
    fn streams_reasoning_before_the_tag_is_closed() {
        let mut splitter = ThinkSplitter::default();
        assert_eq!(splitter.push("<think>first"), [Piece::Reasoning("first".to_owned())]);
        assert_eq!(splitter.push(" second</thi"), [Piece::Reasoning(" second".to_owned())]);
        assert_eq!(splitter.push("nk>yes"), [Piece::Content("yes".to_owned())]);
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_parts(
            text in "[ \n]?(<think>|<thinking>|<th|)?(a|中|<|/|think>| |</think>){0,12}",
            size in 1_usize..6,
        ) {
            let chars: Vec<char> = text.chars().collect();
            let pieces: Vec<String> = chars.chunks(size).map(|c| c.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            prop_assert_eq!(split(&pieces), split(&[&text]));
        }
    }
}
