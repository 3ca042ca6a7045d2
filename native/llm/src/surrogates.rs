//! Characters that a server cut in two.

/// Puts together the halves of a character beyond U+FFFF that come as escapes in two chunks (`"\\ud83d"`, then `"\\ude00"`), as
/// servers send them that cut a reply by UTF-16 units. No JSON text may hold half of one.
#[derive(Debug, Default)]
pub(crate) struct SurrogateJoiner {
    /// The first half, as it was escaped.
    held: Option<String>,
}

impl SurrogateJoiner {
    /// The chunk with whole characters only: a first half is held back for the second one, and a half that stays alone becomes
    /// U+FFFD.
    pub(crate) fn join(&mut self, chunk: &str) -> String {
        let mut joined = String::with_capacity(chunk.len() + 6);
        let mut rest = chunk;
        while let Some(at) = rest.find('\\') {
            let (before, escape) = rest.split_at(at);
            joined.push_str(before);
            let (first, second) = (half(escape), escape.get(6..).and_then(half));
            let taken = match (first, second) {
                (Some(Half::First), Some(Half::Second)) => 12,
                (Some(_), _) => 6,
                // A backslash and what it escapes.
                (None, _) => escape.chars().take(2).map(char::len_utf8).sum(),
            };
            let (escape, after) = escape.split_at(taken);
            match first {
                Some(Half::First) if taken == 6 => self.held = Some(escape.to_owned()),
                Some(Half::Second) => match self.held.take() {
                    Some(held) => joined.extend([&held, escape]),
                    None => joined.push('\u{fffd}'),
                },
                _ => joined.push_str(escape),
            }
            rest = after;
        }
        joined + rest
    }
}

#[derive(Clone, Copy)]
enum Half {
    First,
    Second,
}

/// Which half of a character the escape is that `text` begins with.
fn half(text: &str) -> Option<Half> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    match u32::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(Half::First),
        0xdc00..=0xdfff => Some(Half::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn join(chunks: &[&str]) -> Vec<String> {
        let mut joiner = SurrogateJoiner::default();
        chunks.iter().map(|chunk| joiner.join(chunk)).collect()
    }

    #[test]
    fn halves_in_two_chunks_are_one_character() {
        let joined = join(&[r#""ok \ud83d""#, r#""\ude00!""#]).concat();
        assert_eq!(joined, r#""ok ""\ud83d\ude00!""#);
        assert_eq!(serde_json::from_str::<String>(r#""\ud83d\ude00!""#).unwrap(), "😀!");
    }

    #[test]
    fn a_half_that_stays_alone_is_replaced_and_all_else_stays() {
        assert_eq!(join(&[r#""a\ude00b""#]), ["\"a\u{fffd}b\""]);
        assert_eq!(join(&[r#""\ud83dx""#]), [r#""x""#]);
        for whole in [r#""\ud83d\ude00\n""#, r#""\\ud83d""#, r#""\u4e2d\"""#, "\\", "\\u", ""] {
            assert_eq!(join(&[whole]), [whole]);
        }
    }

    proptest! {
        #[test]
        fn what_is_whole_stays_as_it_is(text in any::<String>()) {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(SurrogateJoiner::default().join(&json), json);
        }

        #[test]
        fn nothing_panics(text in any::<String>(), escapes in r"(\\\\?(u[0-9a-fd-]{0,4}|.)){0,9}") {
            SurrogateJoiner::default().join(&(text + &escapes));
        }
    }
}
