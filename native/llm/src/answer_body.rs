//! The body of a chat answer: a stream of events, one document, or something else.

use crate::{
    answer::{Assembler, Stop},
    sse::SseParser,
};

/// The body of an answer in the form it comes in.
#[derive(Debug)]
pub(crate) enum AnswerBody {
    /// Not known yet.
    Unknown,
    /// Events.
    Stream(SseParser),
    /// One JSON document, though a stream was asked for.
    Document(Vec<u8>),
    /// A page for people.
    WebPage,
}

impl AnswerBody {
    /// The form that the `Content-Type` announces. Events are announced as JSON by some, so that only their beginning tells.
    pub(crate) fn new(content_type: &str) -> Self {
        let content_type = content_type.to_ascii_lowercase();
        if content_type.contains("event-stream") {
            Self::Stream(SseParser::default())
        } else if content_type.contains("html") {
            Self::WebPage
        } else {
            Self::Unknown
        }
    }

    /// Takes the next bytes and hands what they complete to `assembler`.
    pub(crate) fn take(&mut self, bytes: &[u8], assembler: &mut Assembler<'_>) -> Result<(), Stop> {
        if let Self::Unknown = self {
            *self = match bytes.trim_ascii_start().first() {
                None => return Ok(()),
                Some(b'{' | b'[' | b'"') => Self::Document(Vec::new()),
                Some(b'<') => Self::WebPage,
                Some(_) => Self::Stream(SseParser::default()),
            };
        }
        match self {
            Self::Stream(parser) => {
                parser.push(bytes).iter().try_for_each(|data| assembler.take(data))
            }
            Self::Document(body) => {
                body.extend_from_slice(bytes);
                Ok(())
            }
            Self::WebPage => Err(Stop::WebPage),
            Self::Unknown => Ok(()),
        }
    }

    /// Takes the end of the body.
    pub(crate) fn finish(self, assembler: &mut Assembler<'_>) -> Result<(), Stop> {
        match self {
            // A last event without its empty line may be whole, or cut in the middle.
            Self::Stream(parser) => match parser.finish().map(|data| assembler.take(&data)) {
                None | Some(Err(Stop::NotJson)) => Ok(()),
                Some(taken) => taken,
            },
            Self::Document(body) => {
                assembler.take(&String::from_utf8_lossy(&body))?;
                assembler.take("[DONE]")
            }
            Self::WebPage => Err(Stop::WebPage),
            Self::Unknown => Ok(()),
        }
    }

    /// Bytes held back because they complete nothing yet.
    pub(crate) fn pending_bytes(&self) -> usize {
        match self {
            Self::Stream(parser) => parser.pending_bytes(),
            Self::Document(body) => body.len(),
            Self::WebPage | Self::Unknown => 0,
        }
    }

    /// Bytes of a document so far: progress that nobody is shown yet.
    pub(crate) fn pending_document(&self) -> usize {
        if let Self::Document(body) = self { body.len() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use ouro_core::Unwatched;
    use proptest::prelude::*;

    use super::*;
    use crate::answer::Answer;

    /// The answer that comes in these pieces.
    fn read(content_type: &str, pieces: &[&[u8]]) -> Result<(Answer, bool), Stop> {
        let mut observer = Unwatched;
        let mut assembler = Assembler::new(&mut observer, 10_000);
        let mut body = AnswerBody::new(content_type);
        for piece in pieces {
            body.take(piece, &mut assembler)?;
        }
        body.finish(&mut assembler)?;
        let (answer, ended) = assembler.finish();
        ended.map(|ended| (answer, ended))
    }

    const STREAM: &str = "\n: hi\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"<think>想\"}}]}\r\n\r\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"</think>好\"}}]}\n\n\
        data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\n\
        data: \"completion_tokens\":2}}\n\ndata: [DONE]";
    const DOCUMENT: &str = " {\"choices\":[{\"message\":{\"content\":\"好\",\"reasoning\":\"想\"}}],\
        \"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}";

    fn expected() -> Answer {
        Answer {
            content: "好".to_owned(),
            reasoning: "想".to_owned(),
            usage: Some((1, 2)),
            finish_reason: None,
        }
    }

    proptest! {
        #[test]
        fn any_cut_of_either_form_gives_the_same_answer(size in 1_usize..200, announced in any::<bool>()) {
            for (content_type, text) in [
                ("text/event-stream", STREAM),
                ("Application/JSON", DOCUMENT),
                ("application/json", STREAM),
            ] {
                let content_type = if announced { content_type } else { "" };
                let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
                prop_assert_eq!(read(content_type, &pieces), Ok((expected(), true)));
            }
        }

        #[test]
        fn any_bytes_are_survived(
            pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..6),
            content_type in "(text/event-stream|application/json|text/html|)",
        ) {
            let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            let _ = read(&content_type, &pieces);
        }
    }

    #[test]
    fn a_page_is_known_by_its_type_or_its_first_character() {
        assert_eq!(read("text/html; charset=utf-8", &[b"{}"]), Err(Stop::WebPage));
        assert_eq!(read("", &[b"\n ", b"<!doctype html>"]), Err(Stop::WebPage));
    }

    #[test]
    fn an_event_that_was_cut_is_no_answer() {
        let (answer, ended) = read("text/event-stream", &[b"data: {\"choices\":[{\"del"]).unwrap();
        assert_eq!((answer, ended), (Answer::default(), false));
    }
}
