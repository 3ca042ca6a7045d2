//! How many tokens a text is, where the server did not count.
//!
//! Counted by a real tokenizer, `o200k` of OpenAI's newer models: exact for these, near for the others, which each bring
//! their own. Its tables take 46 MB and a seventh of a second the first time, so that nothing else uses them: a budget is
//! planned with [`ouro_core::estimate_tokens`].

use ouro_core::ChatMessage;
use tiktoken_rs::o200k_base_singleton;

/// Bytes counted at once. The tokenizer's expressions give up on a megabyte of blanks, and panic then.
const SLICE: usize = 16 << 10;

/// The marks that chat templates put around a message. Tokens.
const AROUND_MESSAGE: u64 = 4;

/// How many tokens a text is; one too many for each 16 KiB at most.
pub(crate) fn count_tokens(mut text: &str) -> u64 {
    let mut tokens = 0;
    while !text.is_empty() {
        let (slice, rest) = text.split_at(text.floor_char_boundary(SLICE));
        tokens += o200k_base_singleton().count_ordinary(slice) as u64;
        text = rest;
    }
    tokens
}

/// How many tokens messages are, with what stands around each.
pub(crate) fn count_messages(messages: &[ChatMessage]) -> u64 {
    messages.iter().map(|message| count_tokens(&message.content) + AROUND_MESSAGE).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those of OpenAI's own `tiktoken`.
    #[test]
    fn tokens_are_those_of_the_tokenizer() {
        for (text, tokens) in [
            ("", 0),
            ("hello world", 2),
            ("<|endoftext|>", 7),
            ("敏捷的棕色狐狸跳过了懒狗", 13),
            ("fn main() {\n    println!(\"Ouro 循环 {}\", 12_345);\n}\n", 19),
        ] {
            assert_eq!(count_tokens(text), tokens, "{text}");
        }
    }

    #[test]
    fn long_texts_of_one_character_are_counted() {
        for (unit, bytes_a_token) in [(" ", 128), ("\n", 16), ("a", 8), ("中", 3), (" \n", 4)] {
            let text = unit.repeat((1 << 20) / unit.len());
            let expected = (text.len() / bytes_a_token) as u64;
            let counted = count_tokens(&format!("{text}x"));
            assert!(counted.abs_diff(expected) <= expected / 50, "{unit:?}: {counted}, {expected}");
        }
    }
}
