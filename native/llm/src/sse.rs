//! Server-sent events, cut anywhere.

/// Puts the bytes of a stream together again into the data of its events.
///
/// Follows the WHATWG grammar: lines end with LF, CRLF or CR, lines that begin with a colon are comments, several
/// `data` lines of one event are joined with LF, fields other than `data` are passed over. Bytes that are no UTF-8
/// become U+FFFD.
#[derive(Debug, Default)]
pub(crate) struct SseParser {
    line: Vec<u8>,
    data: Option<String>,
    after_cr: bool,
    after_start: bool,
}

impl SseParser {
    /// Takes the next bytes and returns the data of every event they complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for &byte in bytes {
            let second_half_of_crlf = byte == b'\n' && self.after_cr;
            self.after_cr = byte == b'\r';
            match byte {
                _ if second_half_of_crlf => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ => self.line.push(byte),
            }
        }
        events
    }

    /// The data of an event that the end of the stream left without its empty line.
    pub(crate) fn finish(mut self) -> Option<String> {
        self.end_line().or(self.data)
    }

    /// Bytes held back for an event that isn't complete.
    pub(crate) fn pending_bytes(&self) -> usize {
        self.line.len() + self.data.as_ref().map_or(0, String::len)
    }

    fn end_line(&mut self) -> Option<String> {
        let bytes = std::mem::take(&mut self.line);
        let bytes = match bytes.strip_prefix("\u{feff}".as_bytes()) {
            Some(rest) if !self.after_start => rest,
            _ => &bytes,
        };
        self.after_start = true;
        if bytes.is_empty() {
            return self.data.take();
        }
        let line = String::from_utf8_lossy(bytes);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        if field == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(bytes: &[u8]) -> (Vec<String>, Option<String>) {
        let mut parser = SseParser::default();
        let events = parser.push(bytes);
        (events, parser.finish())
    }

    /// The grammar, word for word, for a stream that is there as a whole.
    fn naive(text: &str) -> Vec<String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let mut events = Vec::new();
        let mut data: Vec<&str> = Vec::new();
        let complete = text.rfind('\n').map_or("", |end| text.get(..=end).unwrap());
        for line in complete.split_terminator('\n') {
            if line.is_empty() {
                if !data.is_empty() {
                    events.push(data.join("\n"));
                }
                data.clear();
            } else if let Some(value) = line.strip_prefix("data:") {
                data.push(value.strip_prefix(' ').unwrap_or(value));
            } else if line == "data" {
                data.push("");
            }
        }
        events
    }

    #[test]
    fn reads_every_line_end_comments_and_data_of_several_lines() {
        let stream = "\u{feff}: hello\r\ndata: one\r\n\r\nevent: x\rdata:two\rdata:  three\r\rid: 7\ndata\n\n: bye\n\n";
        assert_eq!(parse(stream.as_bytes()).0, ["one", "two\n three", ""]);
    }

    #[test]
    fn gives_the_last_event_though_its_empty_line_is_missing() {
        assert_eq!(parse(b"data: a\n\ndata: b"), (vec!["a".to_owned()], Some("b".to_owned())));
        assert_eq!(parse(b"data: a\n\ndata: b\n"), (vec!["a".to_owned()], Some("b".to_owned())));
        assert_eq!(parse(b"data: a\n\n: end"), (vec!["a".to_owned()], None));
    }

    #[test]
    fn counts_what_it_holds_back() {
        let mut parser = SseParser::default();
        parser.push(b"data: 12345\ndata: 678");
        assert_eq!(parser.pending_bytes(), 5 + "data: 678".len());
        parser.push(b"\n\n");
        assert_eq!(parser.pending_bytes(), 0);
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_events_as_the_grammar(
            text in "(\u{feff})?((data: ?|: |event: |data|)[a中é\u{1F600}:]{0,4}(\r\n|\n|\r|\n\n|\r\n\r\n)?){0,20}",
            cuts in proptest::collection::vec(0_usize..200, 0..12),
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).collect();
            cuts.sort_unstable();
            let mut parser = SseParser::default();
            let mut events = Vec::new();
            let mut start = 0;
            for end in cuts.into_iter().chain([bytes.len()]) {
                events.extend(parser.push(&bytes[start..end]));
                start = end;
            }
            prop_assert_eq!(&events, &naive(&text));
            prop_assert_eq!((events, parser.finish()), parse(bytes));
        }

        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            parse(&bytes);
        }
    }
}
