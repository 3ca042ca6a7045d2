//! About how many tokens a text is, before anybody has counted them.
//!
//! A tokenizer would be exact for the models that use it, and for no others: of the models that are run locally each
//! brings its own. Its tables take time and memory that a plan is not worth; what was used is counted (`ouro-llm`).
//! This estimate stays between 0.99 and 1.25 of what the tokenizer `o200k` counts for code in six languages, prose, JSON,
//! YAML and Chinese with code in it.

/// What a character is to a tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lower,
    Upper,
    Digit,
    Space,
    Line,
    Mark,
    /// Chinese, Japanese, Korean, emoji.
    Wide,
    /// Letters of other alphabets.
    Other,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Digit,
            '\n' | '\r' => Self::Line,
            c if c.is_ascii_whitespace() => Self::Space,
            c if c.is_ascii() => Self::Mark,
            '\u{2e80}'.. => Self::Wide,
            _ => Self::Other,
        }
    }

    /// What the `run`th character of this kind in a row costs, in quarters of a token.
    fn cost(self, run: usize) -> u64 {
        let first_of = |length: usize| if run % length == 1 { 4 } else { 0 };
        match self {
            Self::Lower | Self::Upper => first_of(8),
            Self::Digit => first_of(3),
            Self::Mark => first_of(2),
            // One belongs to the word behind it; indentation is one token.
            Self::Space => u64::from(run == 2) * 4,
            Self::Line => u64::from(run == 1) * 4,
            Self::Wide => 3,
            Self::Other => 2,
        }
    }
}

/// Each character's cost in quarters of a token, one after the other.
fn costs(text: &str) -> impl Iterator<Item = (usize, u64)> {
    let (mut last, mut run) = (Kind::Space, 0);
    text.char_indices().map(move |(at, c)| {
        let kind = Kind::of(c);
        let goes_on = match (last, kind) {
            // `getName` is two words, `Name` and `NAME` are one.
            (Kind::Upper, Kind::Lower) => true,
            // The indentation belongs to the end of the line.
            (Kind::Line, Kind::Space) => {
                run += 1;
                return (at, 0);
            }
            (last, kind) => last == kind,
        };
        run = if goes_on { run + 1 } else { 1 };
        last = kind;
        (at, kind.cost(run))
    })
}

/// About how many tokens a text is: rather a little too many than too few.
pub fn estimate_tokens(text: &str) -> u64 {
    costs(text).map(|(_, cost)| cost).sum::<u64>().div_ceil(4)
}

/// The beginning of a text that is at most so many tokens, as [`estimate_tokens`] counts them.
pub fn cut_to_tokens(text: &str, max_tokens: u64) -> &str {
    let mut left = max_tokens.saturating_mul(4);
    for (at, cost) in costs(text) {
        match left.checked_sub(cost) {
            Some(rest) => left = rest,
            None => return text.get(..at).unwrap_or(text),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those of the tokenizer `o200k`.
    #[test]
    fn an_estimate_is_near_what_a_tokenizer_counts_and_rather_above() {
        let code = "/// Opens the store of a project in its own folder, or makes it.\npub fn open(dir: &Path, key: ProjectKey) -> Result<(Self, OpenReport)> {\n    let (state, report) = open::open(dir, &key, clock.now_ms())?;\n    Ok((Self { key, clock, state }, report))\n}\n";
        let python = "    def get(self, url, **kwargs):\n        kwargs.setdefault(\"allow_redirects\", True)\n        return self.request(\"GET\", url, **kwargs)\n";
        let json = "{\"id\":\"01m83cfd27a0vk33jmyb80h7r0\",\"created_at\":1772366400000,\"confidence\":0.87,\"tags\":[\"bbolt\",\"DB\"],\"start_line\":12}";
        let chinese = "`Session` 是一个请求会话（`src/requests/sessions.py:395-396`）。它保存 cookie，复用连接，并带有配置。";
        let prose = "A record is reported only once it is durable: journal line and store, each followed by a flush of the device.";
        for (text, real) in [(code, 73), (python, 32), (json, 50), (chinese, 34), (prose, 24)] {
            let estimated = estimate_tokens(text);
            assert!(
                (real * 19 / 20..=real * 7 / 5).contains(&estimated),
                "{estimated}, {real}: {text}"
            );
        }
        assert_eq!(estimate_tokens(""), 0);
    }

    #[test]
    fn a_text_is_cut_at_a_character_when_its_tokens_are_used_up() {
        assert_eq!(cut_to_tokens(&"word ".repeat(9), 8), "word ".repeat(8));
        assert_eq!(cut_to_tokens("中文字符很多", 2), "中文");
        assert_eq!(cut_to_tokens("short", 512), "short");
        let cut = cut_to_tokens(&"a中".repeat(1_000), 512).len();
        assert!((1_100..1_200).contains(&cut), "{cut}");
    }
}
