//! Whether a value under a name that tells is a secret, or only shows where one goes.

use std::{borrow::Cow, sync::LazyLock};

use regex::Regex;

use super::{
    compile, entropy,
    name::{Tells, is_told},
};

/// How surely a value stands where it was found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Nothing but the value can stand there: the literal in `password = "..."`.
    Sure,
    /// Something else may stand there: `login(password, "...")`, `--password ...`.
    Likely,
    /// Something else stands there as a rule: the word after a name.
    Possible,
}

/// What kind of secret a value is, if it is one.
pub(super) fn kind_of(tells: Tells, place: Place, value: &str) -> Option<&'static str> {
    // What is secret in a URL is known by its own form.
    if value.len() < SHORTEST || is_placeholder(value) || value.contains("://") {
        return None;
    }
    if tells == Tells::Key && CHECKSUM.is_match(value) {
        return None;
    }
    // `private_key: ed25519.Ed25519PrivateKey`
    if place == Place::Possible && is_told(value) {
        return None;
    }
    let is_password = tells != Tells::Key && place != Place::Possible;
    let own = own_part(value);
    let mut words = own.split_whitespace();
    let is_secret = if value.contains(char::is_whitespace) {
        // A passphrase, or a scheme and its key: `Token ...`. More words are prose.
        words.clone().count() <= MOST_WORDS
            && words.any(|word| looks_random(word) || (is_password && looks_mixed(word)))
    } else {
        let is_plain =
            tells == Tells::Password && place == Place::Sure && !is_path(value) && !is_label(value);
        (is_plain && own == value) || looks_random(&own) || (is_password && looks_mixed(&own))
    };
    is_secret.then_some(if tells == Tells::Key { "secret" } else { "password" })
}

/// `"js-tokens": {"integrity": "sha512-..."}`
static CHECKSUM: LazyLock<Regex> = LazyLock::new(|| compile("^sha[0-9]{1,3}[-:][A-Za-z0-9+/=]+$"));

/// Bytes of the shortest secret.
const SHORTEST: usize = 4;
/// Words of a passphrase, at most.
const MOST_WORDS: usize = 8;

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

/// What stands for a value instead of being one, by its whole shape: references of templates, shells, formats and
/// markup, calls, what is left out, and words for "put yours here".
static STAND_IN: LazyLock<Regex> = LazyLock::new(|| {
    compile(&[
        "(?i)",
        // `${VAR:-x}`, `$(command)`
        r"\$\{.*\}|\$\(.*\)",
        // `{name}`, `{{ name }}`, `#{name}`, `<your-key>`
        r"|\{\{.*\}\}|#?\{[^{}]*\}|<[^<>]*>",
        // `$VAR`, `$USER:$NAME`
        r"|(?:^|[\s:/@.,-])\$[a-z_]+[0-9]*(?:_[a-z0-9]+)*(?:[\s:/@.,-]|$)",
        // `*alias`, `[your key]`, `@NAME@`, `__NAME__`
        r"|^[*&][a-z_-]+$|^\[[^\[\]]*\]$|^@[a-z_]+@$|^__[a-z_]+__$",
        // `%NAME%`, `%(name)s`, `%s`
        r"|%[a-z_]+[0-9]*%|%\([^()]*\)[a-z]|%[-+0-9.$]*[sdvqrxu@]\b",
        // `call(x)`, `object.call(x)`
        r"|^(?:[a-z_][a-z0-9_]*(?:\.|::|->))*[a-z_]+[0-9]*(?:_[a-z0-9_]*)?\(.*\)$",
        r"|\[redacted: [^\]]*\]|\.\.\.|…",
        r"|change[_-]?me|dummy|example|foobar|insert|placeholder|redacted|replace|sample|x{4,}|your",
    ].concat())
});

/// A value without what stands in it for another.
fn own_part(value: &str) -> Cow<'_, str> {
    STAND_IN.replace_all(value, "")
}

/// Whether a value only shows where a real one goes.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_lowercase();
    let mut distinct: Vec<char> = lower.chars().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let own = own_part(value);
    let says_more = || own.split_whitespace().any(|word| looks_random(word) || looks_mixed(word));
    distinct.len() <= 2
        || PLAIN.contains(&lower.as_str())
        // `user_password`, `auth.token.missing`: the name of a secret, not its value.
        || (is_told(&lower) && !lower.bytes().any(|b| b.is_ascii_digit()))
        || (own != value && !says_more())
}

/// What joins words to names, paths and dates.
const JOINTS: [char; 5] = ['_', '-', '.', '/', ':'];

/// Whether a value reads like a name in code or a path: words joined by `_ - . / :`, no digits but at the end of a word.
fn is_identifier(value: &str) -> bool {
    value.contains(JOINTS) && value.split(JOINTS).all(is_plain_word)
}

/// Whether a value is a word for people, as translations have them: passwords are typed in ASCII.
fn is_label(value: &str) -> bool {
    !value.is_ascii() && !value.bytes().any(|b| b.is_ascii_digit())
}

/// Whether a value reads like a path or the name of a member: words joined by `.`, `/` or `:`.
fn is_path(value: &str) -> bool {
    value.contains(['.', '/', ':']) && is_identifier(value)
}

/// Whether at least half of a value is words: `tests/data/p256key.pem`, `2016-12-31T23:59:00Z`.
fn is_mostly_words(value: &str) -> bool {
    let words = || value.split(JOINTS);
    let all: usize = words().map(str::len).sum();
    let plain: usize = words().filter(|word| is_plain_word(word)).map(str::len).sum();
    value.contains(JOINTS) && 2 * plain >= all
}

fn is_plain_word(word: &str) -> bool {
    word.trim_end_matches(|c: char| c.is_ascii_digit()).chars().all(char::is_alphabetic)
}

/// Marks that stand in keys.
const MARKS: &[u8] = br"+/=_.~:;,?|!@#$%^&*\-(){}[]<>";

/// Whether a value is one that nobody typed: long, letters and digits or small and capital letters mixed throughout.
fn looks_random(value: &str) -> bool {
    if value.len() < 12
        || !value.bytes().all(|b| b.is_ascii_alphanumeric() || MARKS.contains(&b))
        || is_mostly_words(value)
    {
        return false;
    }
    let turns = digit_turns(value);
    // In `camelCase` a capital letter follows a small one once in a word, and words have some five letters.
    let capitals = value
        .as_bytes()
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
    let is_mixed = turns >= 3 || 4 * (turns + capitals.count()) >= value.len();
    is_mixed && entropy(value) >= 3.0
}

/// Whether a value has digits among its letters, as passwords do and few words: `c0rrect7`, not `sha256`.
fn looks_mixed(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.as_bytes().iter().any(is);
    let all_kinds = value.len() >= 8
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase);
    value.len() >= 6 && !is_identifier(value) && (all_kinds || digit_turns(value) >= 2)
}

/// How often a digit stands beside a letter.
fn digit_turns(value: &str) -> usize {
    let turns = |pair: &&[u8]| match pair {
        [a, b] => {
            (a.is_ascii_digit() && b.is_ascii_alphabetic())
                || (a.is_ascii_alphabetic() && b.is_ascii_digit())
        }
        _ => false,
    };
    value.as_bytes().windows(2).filter(turns).count()
}
