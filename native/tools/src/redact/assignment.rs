//! Values that are assigned to a name which says what they are: `password = "..."`, `"api_key": "..."`.

use std::{borrow::Cow, sync::LazyLock};

use regex::{Captures, Regex};

use super::{compile, entropy, replace_secret};

/// Words that make a name the name of a password: whatever is assigned to it is one, however plain.
const PASSWORD: &str = "password|passwd|passphrase|passcode|pwd";
/// Words that make a name the name of another secret: what looks random is one.
const KEY: &str = "secret|token|api[_-]?key|(?:access|account|auth|client|encryption|license|master|private|session|signing|storage|subscription)[_-]?key|credentials?";

/// From the word that tells to the end of the name.
static NAME_END: LazyLock<String> =
    LazyLock::new(|| format!("(?<name>(?:{PASSWORD}|{KEY})[a-z0-9_-]*)"));

/// The end of a name, what assigns, and a literal in one kind of quotes. Where the name begins is looked up behind a
/// match: a pattern that began with it would have to be tried from every letter.
static LITERALS: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    let name = &*NAME_END;
    let type_of = r"[ \t]*:[ \t]*[&'a-zA-Z<>?\[\]. ]+";
    let assigns = format!(r#"\\?["'`]?\]?(?:{type_of})?[ \t]*(?<by>:=|=>|==|!=|[=:,(])[ \t]*"#);
    ['"', '\'', '`'].map(|q| {
        compile(&format!(r"(?i){name}{assigns}[a-z]?[a-z]?#?#?\\?{q}(?<secret>[^{q}\s]{{4,}}){q}"))
    })
});

/// `<password>...</password>`.
static ELEMENT: LazyLock<Regex> =
    LazyLock::new(|| compile(&format!(r"(?i){}>(?<secret>[^<>\s]{{4,}})</", *NAME_END)));

/// A line of a settings file or a script, where values need no quotes.
static SETTING: LazyLock<Regex> = LazyLock::new(|| {
    compile(&format!(
        r#"(?im)^[ \t]*(?:(?:export|set|env|arg|declare|local|-)[ \t]+)?["']?[a-z0-9_.-]*?{}["']?[ \t]*(?::=|[=:])[ \t]*(?<secret>[^\s"'`#]{{4,}})[ \t]*(?:[#;][^\n]*)?$"#,
        *NAME_END
    ))
});

/// Endings and names of files in which [`SETTING`] holds.
const SETTINGS: [&str; 27] = [
    ".bash",
    ".bat",
    ".cfg",
    ".cmd",
    ".cnf",
    ".conf",
    ".config",
    ".env.dist",
    ".env.example",
    ".env.sample",
    ".env.template",
    ".fish",
    ".ini",
    ".npmrc",
    ".properties",
    ".ps1",
    ".pypirc",
    ".sh",
    ".tf",
    ".tfvars",
    ".toml",
    ".yaml",
    ".yarnrc",
    ".yml",
    ".zsh",
    "dockerfile",
    "makefile",
];

/// Whether values need no quotes in this file.
pub(super) fn is_settings_file(path: &str) -> bool {
    let path = path.to_lowercase();
    SETTINGS.iter().any(|s| path.ends_with(s))
}

/// Replaces literals in quotes and in XML elements.
pub(super) fn redact_literals(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for pattern in LITERALS.iter().chain([&*ELEMENT]) {
        let step = replace_secret(pattern, &text, |captures, value| judge(&text, captures, value));
        if let Cow::Owned(changed) = step {
            text = Cow::Owned(changed);
        }
    }
    text
}

/// Replaces values without quotes.
pub(super) fn redact_settings(text: &str) -> Cow<'_, str> {
    replace_secret(&SETTING, text, |captures, value| judge(text, captures, value))
}

/// What kind of secret the value is, if it is one.
fn judge(text: &str, captures: &Captures<'_>, value: &str) -> Option<&'static str> {
    if is_placeholder(value) {
        return None;
    }
    let name = whole_name(text, captures);
    match captures.name("by").map_or("", |by| by.as_str()) {
        // `setPassword("...")` gives one, `verify_password("user", "...")` may not.
        "(" if !GIVING.iter().any(|verb| name.starts_with(verb)) => return None,
        // `"username", "password", "scope"` is a list of names, `put("password", "c0rrect")` gives one.
        "," if !is_quoted(text, captures) || !value.bytes().any(|b| b.is_ascii_digit()) => {
            return None;
        }
        _ => {}
    }
    let last = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '_' | '-'));
    let is_password = PASSWORD.split('|').any(|word| last.ends_with(word));
    if is_password && !is_identifier(value) {
        return Some("password");
    }
    looks_random(value).then_some("secret")
}

/// How functions are called that take a secret as their first argument.
const GIVING: [&str; 8] =
    ["set", "with", "add", "password", "passphrase", "token", "secret", "api"];

/// Whether the name itself stands in quotes.
fn is_quoted(text: &str, captures: &Captures<'_>) -> bool {
    let after = captures.name("name").and_then(|name| text.get(name.end()..)).unwrap_or_default();
    after.trim_start_matches('\\').starts_with(['"', '\'', '`'])
}

/// The name that a match ends, in lower case.
fn whole_name(text: &str, captures: &Captures<'_>) -> String {
    let Some(end) = captures.name("name") else { return String::new() };
    let before = text.get(..end.start()).unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let start = before.trim_end_matches(is_name).len();
    text.get(start..end.end()).unwrap_or_default().to_lowercase()
}

/// Words that stand where a value would stand.
const PLACEHOLDERS: [&str; 13] = [
    "changeme",
    "change_me",
    "change-me",
    "dummy",
    "example",
    "foobar",
    "insert",
    "placeholder",
    "redacted",
    "replace",
    "sample",
    "xxxx",
    "your",
];
/// Whole values that say nothing.
const PLAIN: [&str; 43] = [
    "admin",
    "any",
    "apikey",
    "array",
    "basic",
    "bearer",
    "bool",
    "boolean",
    "bytes",
    "char",
    "default",
    "disabled",
    "empty",
    "enabled",
    "false",
    "guest",
    "hidden",
    "input",
    "integer",
    "none",
    "null",
    "number",
    "object",
    "optional",
    "pass",
    "password",
    "plain",
    "prompt",
    "required",
    "root",
    "string",
    "test",
    "testing",
    "text",
    "token",
    "true",
    "undefined",
    "unknown",
    "user",
    "username",
    "value",
    "varchar",
    "void",
];

/// Whether a value only shows where a real one goes.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_lowercase();
    let mut distinct: Vec<char> = lower.chars().collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.len() <= 2
        || lower.contains(['{', '}', '<', '>', '(', ')', '…'])
        || lower.starts_with(['$', '%', '[', '#', '*'])
        || lower.contains("...")
        || PLAIN.contains(&lower.as_str())
        || PLACEHOLDERS.iter().any(|p| lower.contains(p))
        || speaks_of_secrets(&lower)
}

/// `user_password`, `auth.token.missing`: the name of a secret, not its value.
fn speaks_of_secrets(lower: &str) -> bool {
    static WORD: LazyLock<Regex> = LazyLock::new(|| compile(&format!("{PASSWORD}|{KEY}")));
    WORD.is_match(lower) && !lower.bytes().any(|b| b.is_ascii_digit())
}

/// Whether a value reads like a name in code or a path: words joined by `_ - . / :`, no digits but at the end of a word.
fn is_identifier(value: &str) -> bool {
    let mut words = value.split(['_', '-', '.', '/', ':']).peekable();
    let joined = value.contains(['_', '-', '.', '/', ':']);
    joined
        && words.all(|w| {
            w.trim_end_matches(|c: char| c.is_ascii_digit()).chars().all(char::is_alphabetic)
        })
}

/// Whether a value is one that nobody typed: long, letters and digits mixed throughout.
fn looks_random(value: &str) -> bool {
    let legal = |b: u8| b.is_ascii_alphanumeric() || b"+/=_.~:!@#$%^&*-".contains(&b);
    if value.len() < 16 || !value.bytes().all(legal) || is_identifier(value) {
        return false;
    }
    let bytes = value.as_bytes();
    let mixes = |pair: &[u8]| match pair {
        [a, b] => {
            (a.is_ascii_digit() && b.is_ascii_alphabetic())
                || (a.is_ascii_alphabetic() && b.is_ascii_digit())
        }
        _ => false,
    };
    let changes = bytes.windows(2).filter(|pair| mixes(pair)).count();
    changes >= 3 && entropy(value) >= 3.0
}
