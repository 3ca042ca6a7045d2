//! What a model writes, made safe to show: a reply may carry what a file or a hostile server put into it, and it ends up
//! in terminals, tables and exports.

use ouro_core::is_display_control;
use serde_json::Value;

/// A reply whose texts hold no character that commands a terminal or turns the direction of what follows.
pub(super) fn plain(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(plain_text(&text)),
        Value::Array(values) => values.into_iter().map(plain).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, plain(value))).collect()
        }
        other => other,
    }
}

/// The text with U+FFFD for such characters. Line breaks and tabs stay.
fn plain_text(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.chars()
        .map(|c| if is_display_control(c) { char::REPLACEMENT_CHARACTER } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_in_a_reply_commands_a_terminal() {
        let reply = json!({
            "answer": "\u{1b}[2J\u{1b}]0;title\u{7}ok\r\nnext\tline \u{9b}31m\u{202e}txt.exe\u{2066}",
            "tags": ["a\u{8}b"],
            "confidence": 0.5,
        });
        let shown = json!({
            "answer": "\u{fffd}[2J\u{fffd}]0;title\u{fffd}ok\nnext\tline \u{fffd}31m\u{fffd}txt.exe\u{fffd}",
            "tags": ["a\u{fffd}b"],
            "confidence": 0.5,
        });
        assert_eq!(plain(reply), shown);
    }
}
