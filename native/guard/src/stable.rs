//! The part of a failure's context that is the same the next time: without times, ids and line numbers.

use serde_json::Value;

/// `context` without the keys that name a time, an id or a line, and with such parts of its texts replaced by `#`.
pub(crate) fn stable_part(context: &Value) -> Value {
    match context {
        Value::String(text) => Value::String(stable_text(text)),
        Value::Array(items) => items.iter().map(stable_part).collect(),
        Value::Object(map) => map
            .iter()
            .filter(|(key, _)| !names_what_changes(key))
            .map(|(key, value)| (key.clone(), stable_part(value)))
            .collect(),
        other => other.clone(),
    }
}

/// Whether one of a key's words says that its value differs each time: `startedAt`, `request_id`, `end-line`.
fn names_what_changes(key: &str) -> bool {
    const LAST: [&str; 14] = [
        "at",
        "time",
        "timestamp",
        "date",
        "ms",
        "duration",
        "elapsed",
        "id",
        "uuid",
        "line",
        "lines",
        "lineno",
        "column",
        "attempt",
    ];
    let mut snake = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        if c.is_uppercase() && snake.ends_with(char::is_lowercase) {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    let mut words = snake.split(['_', '-', '.', ' ']);
    words.clone().next_back().is_some_and(|last| LAST.contains(&last))
        || words.any(|word| word == "line" || word == "timestamp")
}

/// The text with its times, ids and line numbers as `#`.
fn stable_text(text: &str) -> String {
    let mut stable = String::with_capacity(text.len());
    let mut after_line = false;
    for piece in text.split_inclusive(|c: char| c.is_whitespace() || "()[]{}<>,;\"'=".contains(c)) {
        let word =
            piece.trim_end_matches(|c: char| c.is_whitespace() || "()[]{}<>,;\"'=".contains(c));
        let separator = piece.strip_prefix(word).unwrap_or_default();
        let number = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        if looks_like_time(word) || looks_like_id(word) || (number && after_line) {
            stable.push('#');
        } else {
            stable.push_str(without_position(word));
        }
        stable.push_str(separator);
        if !word.is_empty() {
            after_line = matches!(
                word.to_ascii_lowercase().trim_end_matches(':'),
                "line" | "lines" | "column" | "col" | "at"
            );
        }
    }
    stable
}

/// `src/lib.rs` of `src/lib.rs:12:5`.
fn without_position(word: &str) -> &str {
    let mut rest = word.trim_end_matches(':');
    let mut path = word;
    while let Some((before, number)) = rest.rsplit_once(':') {
        if number.is_empty() || before.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
            break;
        }
        (rest, path) = (before, before);
    }
    path
}

/// `2025-01-31...`, `12:30:59...`.
fn looks_like_time(word: &str) -> bool {
    let shape: String =
        word.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).take(10).collect();
    shape == "0000-00-00" || shape == "0000/00/00" || shape.starts_with("00:00:00")
}

/// A UUID, a ULID, a hash, a long number: one run of at least eight letters and digits that words and names don't make.
fn looks_like_id(word: &str) -> bool {
    let plain: String = word.chars().filter(|c| *c != '-').collect();
    let digits = plain.bytes().filter(u8::is_ascii_digit).count();
    let hex = plain.bytes().all(|b| b.is_ascii_hexdigit());
    let ulid =
        plain.len() == 26 && plain.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    (hex && plain.len() >= 8 && digits > 0) || (ulid && digits > 0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn two_runs_of_the_same_failure_have_the_same_stable_part() {
        let run = |at: i64, id: &str, line: u32, step: &str| {
            json!({
                "model": "qwen3",
                "startedAt": at,
                "request_id": id,
                "line_number": line,
                "step": step,
                "where": [format!("src/lib.rs:{line}:7: in {id} at line {line}, 2025-01-0{line}T10:00:00Z")],
            })
        };
        let a = run(17, "6f1c2b3a-1111-4222-8333-444455556666", 1, "summing up");
        let b = run(99, "0a9b8c7d-9999-4aaa-8bbb-ccccddddeeee", 2, "summing up");
        assert_eq!(stable_part(&a), stable_part(&b));
        assert_eq!(
            stable_part(&a),
            json!({ "model": "qwen3", "step": "summing up", "where": ["src/lib.rs in # at line #, #"] })
        );
        assert_ne!(stable_part(&a), stable_part(&run(17, "x", 1, "asking")));
    }

    #[test]
    fn names_paths_and_small_numbers_stay() {
        for text in [
            "what format does file2.rs have?",
            "src/v2/format.rs",
            "HTTP 503 from port 8080",
            "http://localhost:8080/v1",
            "deadbeef defaced",
            "01ARZ3NDEK in TSV4RRFFQ69G5FAV",
            "日本語 12",
        ] {
            assert_eq!(stable_text(text), text);
        }
        for key in ["format", "path", "what", "model", "timeline", "width", "data"] {
            assert!(!names_what_changes(key), "{key}");
        }
        for key in [
            "at",
            "created_at",
            "createdAt",
            "id",
            "recordId",
            "end-line",
            "lineNumber",
            "elapsed_ms",
        ] {
            assert!(names_what_changes(key), "{key}");
        }
    }
}
