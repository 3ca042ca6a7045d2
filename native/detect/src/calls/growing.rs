//! A call that is the one before with a piece of it added once more.

use serde_json::Value;

/// The longest string among a call's arguments.
fn main_text(args: &str) -> Option<String> {
    match serde_json::from_str(args) {
        Ok(Value::Object(members)) => members
            .into_iter()
            .filter_map(|(_, value)| match value {
                Value::String(text) => Some(text),
                _ => None,
            })
            .max_by_key(String::len),
        Ok(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Whether `now` is `before` with something between its bytes: seen before anything is parsed.
fn is_inserted(before: &[u8], now: &[u8]) -> bool {
    let same = |(a, b): &(&u8, &u8)| a == b;
    let head = before.iter().zip(now).take_while(same).count();
    let tail = before.iter().rev().zip(now.iter().rev()).take_while(same).count();
    head + tail >= before.len()
}

/// Whether `now` is `before` plus something, at its end or its beginning, that `before` already holds.
pub(super) fn grows(before: &str, now: &str) -> bool {
    if now.len() <= before.len() || !is_inserted(before.as_bytes(), now.as_bytes()) {
        return false;
    }
    let (Some(before), Some(now)) = (main_text(before), main_text(now)) else {
        return false;
    };
    let (old, new) = (before.trim(), now.trim());
    let added = new.strip_prefix(old).or_else(|| new.strip_suffix(old)).unwrap_or("");
    let piece = added.trim_matches(|c: char| !c.is_alphanumeric());
    old.len() >= 4 && piece.chars().count() >= 2 && old.contains(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_appends_itself_grows() {
        let command = |text: &str| serde_json::json!({ "command": text }).to_string();
        assert!(grows(&command("make test"), &command("make test && make test")));
        assert!(grows(&command("cd src; ls"), &command("cd src; cd src; ls")));
        assert!(!grows(&command("make test"), &command("make test -- --nocapture")));
        assert!(!grows(&command("make test"), &command("make test")));
        assert!(!grows(&command("ls"), &command("make")));
    }
}
