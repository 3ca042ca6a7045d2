//! What a call's arguments mean, beyond how they are written.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::canonical::{hash_bytes, hash_float, is_commentary, mix};

/// Longer strings are content, not a path or a query: they are compared as they stand.
const SHORT: usize = 256;

/// Keys under which a number says how much may come back, not what is asked for.
const LIMITS: &[&str] = &[
    "limit",
    "max",
    "max_results",
    "maxresults",
    "max_lines",
    "num_results",
    "numresults",
    "top_k",
    "topk",
    "head_limit",
    "page_size",
    "pagesize",
    "per_page",
    "timeout",
    "timeout_ms",
    "max_chars",
    "max_tokens",
    "max_depth",
    "max_count",
    "max_output",
    "timeout_seconds",
    "max_bytes",
];

/// Keys under which a number says which piece is asked for.
const RANGES: &[&str] = &[
    "offset",
    "page",
    "start",
    "end",
    "from",
    "to",
    "line",
    "skip",
    "start_line",
    "end_line",
    "page_number",
    "cursor",
    "position",
    "begin",
    "index",
];

fn listed(list: &[&str], key: &str) -> bool {
    list.iter().any(|entry| entry.eq_ignore_ascii_case(key))
}

/// Two views of one call, each blind to more than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Views {
    /// Blind to comments, the spelling of paths, white space, case, and how much may come back.
    pub(super) near: u64,
    /// Blind to every number as well: the calls of one sweep over a range share it.
    pub(super) family: u64,
}

/// The views of a call; `plain` is its exact hash without comments, used where the arguments are no object or were cut.
pub(super) fn views(tool: u64, plain: u64, members: Option<&Map<String, Value>>) -> Views {
    let Some(members) = members else {
        return Views { near: plain, family: plain };
    };
    if members.keys().all(|key| is_commentary(key)) {
        return Views { near: plain, family: plain };
    }
    let (mut near, mut family) = (0_u64, 0_u64);
    for (key, value) in members.iter().filter(|(key, _)| !is_commentary(key)) {
        let name = hash_bytes(3, key.as_bytes());
        let (n, f) = match value {
            Value::Number(number) => {
                let masked = mix(name, 0);
                let limit = listed(LIMITS, key);
                let value = number.as_f64().map_or(0, hash_float);
                (if limit { masked } else { mix(name, value) }, masked)
            }
            Value::String(text) if text.len() <= SHORT => {
                let spelt = spelling(text);
                let near = mix(name, hash_bytes(4, spelt.as_bytes()));
                let range = is_range(&spelt);
                (near, if range { mix(name, 0) } else { near })
            }
            other => {
                let hash = mix(name, crate::canonical::hash_call("", &other.to_string()).exact);
                (hash, if is_span(other) { mix(name, 0) } else { hash })
            }
        };
        near = near.wrapping_add(n);
        family = family.wrapping_add(f);
    }
    Views { near: mix(tool, near), family: mix(tool, family) }
}

/// `[1, 50]`: a range written as an array.
fn is_span(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.len() == 2 && items.iter().all(Value::is_number))
}

/// `10-20`, `5,9`, `120`: a range written as text.
fn is_range(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b',' | b':' | b' '))
}

/// A short string without what does not change its meaning: white space, case, `./`, `//`, `a/../`, a trailing slash,
/// backslashes for slashes, a comment at the end of a command.
pub(super) fn spelling(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    let text = text.rsplit_once(" #").map_or(text, |(command, _)| command.trim_end());
    let is_path = text.contains(['/', '\\']) && !text.contains(char::is_whitespace);
    if is_path && !text.contains("://") {
        let forward = text.replace('\\', "/");
        let mut parts: Vec<&str> = Vec::new();
        for part in forward.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.last().is_some_and(|last| *last != "..") => {
                    parts.pop();
                }
                other => parts.push(other),
            }
        }
        let root = if forward.starts_with('/') { "/" } else { "" };
        return Cow::Owned(format!("{root}{}", parts.join("/")));
    }
    let plain = !text.bytes().any(|b| b.is_ascii_uppercase())
        && !text.contains("  ")
        && !text.contains(['\n', '\t']);
    if plain {
        return Cow::Borrowed(text.strip_prefix("./").unwrap_or(text));
    }
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    Cow::Owned(folded)
}

/// The texts in a call's arguments that its answer may repeat.
pub(super) fn echoes(members: &Map<String, Value>) -> Vec<&str> {
    let texts = members.values().filter_map(Value::as_str).map(str::trim);
    let mut found: Vec<_> = texts.filter(|text| (3..=400).contains(&text.len())).collect();
    // The longest first: one may be part of another.
    found.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    found.truncate(8);
    found
}

/// Whether two calls of one tool ask for the same in other words: nothing differs but limits and ranges, switches,
/// comments, and texts made of mostly the same words. Another path or id, or another word where there is only one, is
/// another thing asked for.
pub(super) fn alike(a: &str, b: &str) -> bool {
    alike_but_for(a, b, |key| listed(LIMITS, key) || listed(RANGES, key))
}

/// As [`alike`], but another piece of a range is another thing asked for.
pub(super) fn alike_in_place(a: &str, b: &str) -> bool {
    alike_but_for(a, b, |key| listed(LIMITS, key))
}

fn alike_but_for(a: &str, b: &str, any_number: impl Fn(&str) -> bool) -> bool {
    let (Some(a), Some(b)) = (object(a), object(b)) else {
        return false;
    };
    a.keys().chain(b.keys()).filter(|key| !is_commentary(key)).all(|key| {
        match (a.get(key), b.get(key)) {
            (Some(Value::String(x)), Some(Value::String(y))) => {
                x == y || spelling(x) == spelling(y) || same_words(x, y)
            }
            (Some(Value::Number(_)) | None, Some(Value::Number(_)) | None) => {
                any_number(key) || a.get(key) == b.get(key)
            }
            (Some(Value::Bool(_)) | None, Some(Value::Bool(_)) | None) => true,
            (x, y) => x == y,
        }
    })
}

/// Keys under which a word says how something is asked for, not what.
const MANNERS: &[&str] = &[
    "command",
    "action",
    "operation",
    "method",
    "mode",
    "type",
    "format",
    "output_mode",
    "encoding",
];

/// Whether two calls of one tool are about the same thing: a text of some length is in both, or they are [`alike`].
pub(super) fn same_target(a: &str, b: &str) -> bool {
    if alike(a, b) {
        return true;
    }
    let (Some(x), Some(y)) = (object(a), object(b)) else {
        return false;
    };
    let manner = |key: &str, text: &str| listed(MANNERS, key) && is_word(text);
    x.iter().filter(|(key, _)| !is_commentary(key)).any(|(key, value)| match (value, y.get(key)) {
        (Value::String(p), Some(Value::String(q))) => {
            (p.len() >= 3 && spelling(p) == spelling(q) && !manner(key, p))
                || (p.len() >= 12 && mostly_same_words(p, q) && !names_another_path(p, q))
        }
        _ => false,
    })
}

/// The arguments as an object; nothing at all is an empty one.
pub(super) fn object(text: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(if text.is_empty() { "{}" } else { text }) {
        Ok(Value::Object(members)) => Some(members),
        _ => None,
    }
}

/// Whether two texts say the same in other words or another order. A text in which one word was exchanged for another
/// asks about something else if it is a number, or if the text is long: that is how one query is put to many things.
fn same_words(a: &str, b: &str) -> bool {
    let path = [a, b].iter().any(|text| looks_like_path(text)) || names_another_path(a, b);
    if path || !mostly_same_words(a, b) {
        return false;
    }
    let slot = exchanged(a, b);
    !slot.is_some_and(|(x, y, rest)| {
        !x.is_empty()
            && !y.is_empty()
            && (rest >= 5 || [x, y].iter().any(|part| part.bytes().any(|b| b.is_ascii_digit())))
    })
}

/// What stands in one text where the other has something else, if that is one place; and how many words they share around
/// it.
fn exchanged<'t>(a: &'t str, b: &'t str) -> Option<(&'t str, &'t str, usize)> {
    let prefix =
        a.chars().zip(b.chars()).take_while(|(x, y)| x == y).map(|(x, _)| x.len_utf8()).sum();
    let (tail_a, tail_b) = (a.get(prefix..)?, b.get(prefix..)?);
    let suffix: usize = tail_a
        .chars()
        .rev()
        .zip(tail_b.chars().rev())
        .take_while(|(x, y)| x == y)
        .map(|(x, _)| x.len_utf8())
        .sum();
    let (x, y) = (tail_a.get(..tail_a.len() - suffix)?, tail_b.get(..tail_b.len() - suffix)?);
    let one_place = [x, y].iter().all(|part| words(part).len() <= 2);
    let sides = [a.get(..prefix)?, a.get(a.len() - suffix..)?];
    // A character of a script without blanks is about half a word.
    let around = sides.map(|side| words(side).len() / if side.is_ascii() { 1 } else { 2 });
    let around = around.into_iter().sum();
    one_place.then_some((x, y, around))
}

/// Whether five in nine of the words of two texts are common to both.
fn mostly_same_words(a: &str, b: &str) -> bool {
    let (a, b) = (words(a), words(b));
    let common = a.iter().filter(|word| b.contains(word)).count();
    let all = a.len() + b.len() - common;
    common >= 1 && (common * 9 >= all * 5 && a.len().min(b.len()) >= 2 || common == all)
}

/// Whether the two texts are made alike and have another path somewhere: one command for each of several files.
fn names_another_path(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.split_whitespace(), b.split_whitespace());
    let mut another = false;
    loop {
        match (a.next(), b.next()) {
            (Some(x), Some(y)) => {
                another |= looks_like_path(x) && looks_like_path(y) && spelling(x) != spelling(y);
            }
            (None, None) => return another,
            _ => return false,
        }
    }
}

fn looks_like_path(text: &str) -> bool {
    !text.contains(char::is_whitespace)
        && (text.contains(['/', '\\'])
            || text.rsplit_once('.').is_some_and(|(stem, end)| {
                !stem.is_empty()
                    && (1..=4).contains(&end.len())
                    && end.bytes().all(|b| b.is_ascii_alphanumeric())
            }))
}

/// A piece of a text between blanks and signs, and the words it is made of: `getUser_id` is one of three words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) words: Vec<Word>,
}

/// A word in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) hash: u64,
    /// It can stand for something by itself: three letters and more, or a character of a script without blanks.
    pub(super) names: bool,
}

/// The tokens of a call's texts and numbers, without comments, in the order of their keys.
pub(super) fn tokens(args: &str) -> Vec<Token> {
    match object(args) {
        Some(members) => {
            let values = members.iter().filter(|(key, _)| !is_commentary(key));
            values
                .flat_map(|(_, value)| match value {
                    Value::String(text) => split(text),
                    other => split(&other.to_string()),
                })
                .collect()
        }
        None => split(args),
    }
}

/// The distinct words of a text.
fn words(text: &str) -> Vec<u64> {
    let mut found = Vec::new();
    for word in split(text).into_iter().flat_map(|token| token.words) {
        if !found.contains(&word.hash) && found.len() < 64 {
            found.push(word.hash);
        }
    }
    found
}

/// Splits the beginning of a text at blanks and signs, its tokens at `_` and at capitals within them, and into
/// characters where a script has no blanks.
fn split(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let (mut token, mut word) = (Token::default(), String::new());
    let mut last = '\0';
    let finish = |word: &mut String, token: &mut Token| {
        if !word.is_empty() {
            let names =
                !word.is_ascii() || word.bytes().filter(u8::is_ascii_alphabetic).count() > 2;
            token.words.push(Word { hash: hash_bytes(5, word.as_bytes()), names });
            word.clear();
        }
    };
    for c in text.chars().take(400) {
        let dense = ('\u{2E80}'..='\u{FFDC}').contains(&c);
        if !c.is_alphanumeric() || dense || (last.is_lowercase() && c.is_uppercase()) {
            finish(&mut word, &mut token);
        }
        if (dense || !c.is_alphanumeric() && c != '_') && !token.words.is_empty() {
            tokens.push(std::mem::take(&mut token));
        }
        if dense {
            word.push(c);
            finish(&mut word, &mut token);
            tokens.push(std::mem::take(&mut token));
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
    finish(&mut word, &mut token);
    if !token.words.is_empty() {
        tokens.push(token);
    }
    tokens
}

/// The words a tool's name is made of.
fn name_parts(name: &str) -> impl Iterator<Item = &str> {
    let end = name.char_indices().nth(80).map_or(name.len(), |(at, _)| at);
    let words = name.get(..end).unwrap_or("").split(|c: char| !c.is_alphanumeric());
    words.flat_map(|word| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let mut last_is_small = false;
            let hump = rest.char_indices().find(|(_, c)| {
                let begins = last_is_small && c.is_uppercase();
                last_is_small = c.is_lowercase();
                begins
            });
            let (part, tail) = rest.split_at(hump.map_or(rest.len(), |(at, _)| at));
            rest = tail;
            Some(part).filter(|part| !part.is_empty())
        })
    })
}

fn named(name: &str, list: &[&str]) -> bool {
    name_parts(name).any(|part| list.iter().any(|word| word.eq_ignore_ascii_case(part)))
}

/// Whether a call lets time pass.
fn waits(name: &str, args: &str) -> bool {
    named(name, &["sleep", "wait", "delay", "pause", "backoff", "poll", "timer"])
        || sleeps(args)
        || ["\"wait", "\"delay", "\"sleep", "\"poll_interval", "\"interval"]
            .iter()
            .any(|key| args.contains(key))
}

/// `sleep 5`, `time.sleep(5)`, `Start-Sleep -Seconds 5`
fn sleeps(args: &str) -> bool {
    args.match_indices("leep").any(|(at, found)| {
        let rest = args.get(at + found.len()..).unwrap_or("");
        rest.starts_with([' ', '(']) && rest.bytes().take(12).any(|b| b.is_ascii_digit())
    })
}

/// What a tool of many trades is asked to do, where it is one word near the beginning: `view` of `{"command":"view"}`.
fn verb(args: &str) -> Option<&str> {
    let args = args.get(..args.floor_char_boundary(SHORT))?;
    ["\"action\"", "\"command\"", "\"operation\"", "\"method\""].iter().find_map(|key| {
        let (_, rest) = args.split_once(key)?;
        let (verb, _) =
            rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?.split_once('"')?;
        is_word(verb).then_some(verb)
    })
}

fn is_word(text: &str) -> bool {
    text.len() <= 24 && text.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-'))
}

/// What the names of a tool and of what it is asked to do say about a call. Names only ever add patience.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Manner {
    /// It changes something.
    pub(super) writes: bool,
    /// It moves on: the same call again is the next step.
    pub(super) steps: bool,
    /// Doing it twice is no more than doing it once, or more than anybody wants.
    pub(super) idempotent: bool,
    /// It only keeps the model's own notes.
    pub(super) notes: bool,
    /// It looks for faults.
    pub(super) checks: bool,
    /// It lets time pass.
    pub(super) waits: bool,
}

impl Manner {
    pub(super) fn of(name: &str, args: &str) -> Self {
        let verb = verb(args);
        Self {
            writes: match verb {
                Some(verb) if names_write(verb) => true,
                Some(verb) if names_look(verb) => false,
                _ => names_write(name),
            },
            steps: names_step(name) || verb.is_some_and(names_step),
            idempotent: names_idempotent(
                verb.filter(|verb| names_write(verb) || names_step(verb)).unwrap_or(name),
            ),
            notes: names_notes(name),
            checks: names_check(name),
            waits: waits(name, args),
        }
    }
}

fn names_write(name: &str) -> bool {
    named(
        name,
        &[
            "write", "edit", "create", "update", "apply", "patch", "delete", "insert", "replace",
            "append", "save", "put", "post", "commit", "move", "rename", "add", "remove", "set",
            "send", "upload", "mkdir", "touch", "install", "format", "fix", "modify", "str",
            "refactor", "generate",
        ],
    )
}

fn names_look(name: &str) -> bool {
    named(
        name,
        &[
            "view",
            "read",
            "get",
            "list",
            "ls",
            "search",
            "find",
            "grep",
            "show",
            "status",
            "poll",
            "log",
            "logs",
            "snapshot",
            "screenshot",
            "describe",
            "query",
            "fetch",
            "open",
            "info",
        ],
    )
}

fn names_idempotent(name: &str) -> bool {
    named(
        name,
        &[
            "write", "edit", "update", "replace", "patch", "save", "apply", "modify", "create",
            "format", "fix", "delete", "set", "rename", "remove", "send", "message", "notify",
            "reply", "comment",
        ],
    )
}

/// Whether a tool gives what it finds, or a call runs a command that does, as its first or its last program.
pub(super) fn searches(name: &str, args: &str) -> bool {
    named(name, &["search", "grep", "find", "glob", "lookup"]) || command_searches(args)
}

fn command_searches(args: &str) -> bool {
    let command = object(args).and_then(|members| {
        let told = |key: &&str| members.get(*key).cloned();
        match ["command", "cmd", "script", "command_line"].iter().find_map(told)? {
            Value::String(command) => Some(command),
            Value::Array(words) => words.last().and_then(Value::as_str).map(str::to_owned),
            _ => None,
        }
    });
    let Some(command) = command.filter(|command| command.len() <= 4 * SHORT) else {
        return false;
    };
    let acts = ["-delete", "-exec", ">"].iter().any(|mark| command.contains(mark));
    let program = |part: &str| {
        let part = part.trim().trim_start_matches("git ");
        let name = part.split_ascii_whitespace().next().unwrap_or("");
        matches!(name, "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "fd" | "find" | "locate")
    };
    let steps = command.split("&&").flat_map(|step| step.split([';', '|', '\n']));
    let first = steps.clone().find(|step| !step.trim_start().starts_with("cd "));
    !acts && (first.is_some_and(program) || steps.last().is_some_and(program))
}

/// Whether a call runs a command, so that its `description` can only be a comment.
pub(super) fn has_command(args: &str) -> bool {
    args.contains("\"command\"") || args.contains("\"cmd\"")
}

fn names_step(name: &str) -> bool {
    named(
        name,
        &[
            "scroll", "next", "press", "swipe", "step", "advance", "undo", "redo", "tick", "key",
            "keys", "continue", "pagedown", "forward", "back", "zoom", "turn", "up", "down",
        ],
    )
}

fn names_check(name: &str) -> bool {
    named(
        name,
        &[
            "check",
            "lint",
            "diagnostic",
            "diagnostics",
            "problems",
            "errors",
            "validate",
            "verify",
            "test",
            "tests",
            "audit",
            "scan",
        ],
    )
}

fn names_notes(name: &str) -> bool {
    named(
        name,
        &[
            "think", "thought", "todo", "todos", "plan", "note", "notes", "memory", "progress",
            "thinking", "reflect",
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(args: &str) -> u64 {
        views(1, 0, object(args).as_ref()).near
    }

    #[test]
    fn spelling_makes_no_difference() {
        for (a, b) in [
            (r#"{"path":"src/a.rs"}"#, r#"{"path":"./src//b/../a.rs"}"#),
            (r#"{"path":"src/dir"}"#, r#"{"path":"src\\dir\\"}"#),
            (r#"{"q":"Foo  bar"}"#, r#"{"q":"foo bar "}"#),
            (r#"{"command":"ls -l"}"#, r#"{"command":"ls -l # once more"}"#),
            (r#"{"path":"a","limit":100}"#, r#"{"path":"a","limit":101}"#),
            (r#"{"path":"a","explanation":"look"}"#, r#"{"path":"a"}"#),
        ] {
            assert_eq!(near(a), near(b), "{a} {b}");
        }
        for (a, b) in [
            (r#"{"path":"src/a.rs"}"#, r#"{"path":"src/b.rs"}"#),
            (r#"{"path":"/src/a.rs"}"#, r#"{"path":"src/a.rs"}"#),
            (r#"{"path":"a","offset":100}"#, r#"{"path":"a","offset":200}"#),
            (r#"{"url":"http://x/a"}"#, r#"{"url":"http://x/b"}"#),
        ] {
            assert_ne!(near(a), near(b), "{a} {b}");
        }
    }

    #[test]
    fn a_sweep_is_one_family() {
        let family = |args: &str| views(1, 0, object(args).as_ref()).family;
        assert_eq!(family(r#"{"path":"a","offset":0}"#), family(r#"{"path":"a","offset":100}"#));
        assert_eq!(
            family(r#"{"path":"a","lines":"1-50"}"#),
            family(r#"{"path":"a","lines":"51-90"}"#)
        );
        assert_eq!(
            family(r#"{"path":"a","view_range":[1,50]}"#),
            family(r#"{"path":"a","view_range":[51,90]}"#)
        );
        assert_ne!(family(r#"{"path":"a","offset":0}"#), family(r#"{"path":"b","offset":0}"#));
    }

    #[test]
    fn reshuffled_queries_are_alike_and_other_targets_are_not() {
        for (a, b) in [
            (r#"{"q":"connect timeout error"}"#, r#"{"q":"error connect timeout"}"#),
            (r#"{"pattern":"fooBar"}"#, r#"{"pattern":"foo_bar"}"#),
            (r#"{"q":"如何修复连接超时"}"#, r#"{"q":"怎样修复连接超时"}"#),
            (r#"{"q":"x y z","limit":5}"#, r#"{"q":"z y x","limit":9}"#),
        ] {
            assert!(alike(a, b), "{a} {b}");
        }
        for (a, b) in [
            (r#"{"path":"src/user_name.rs"}"#, r#"{"path":"src/user_mail.rs"}"#),
            (r#"{"symbol":"user_name"}"#, r#"{"symbol":"user_mail"}"#),
            (r#"{"q":"apples"}"#, r#"{"q":"pears"}"#),
            (r#"{"file":"a.py","q":"x y"}"#, r#"{"file":"b.py","q":"y x"}"#),
            (r#"{"host":"a","port":8000}"#, r#"{"host":"a","port":8001}"#),
            (r#"{"q":"incidents of 2026-11-01"}"#, r#"{"q":"incidents of 2026-11-02"}"#),
            (
                r#"{"sql":"select id, mail from users where name = 'ann'"}"#,
                r#"{"sql":"select id, mail from users where name = 'bob'"}"#,
            ),
        ] {
            assert!(!alike(a, b), "{a} {b}");
        }
    }

    #[test]
    fn names_fall_apart_into_their_words() {
        for (name, parts) in [
            ("read_file", &["read", "file"][..]),
            ("mcp__github__createIssue", &["mcp", "github", "create", "Issue"]),
            ("HTTPGet", &["HTTPGet"]),
            ("Start-Sleep2", &["Start", "Sleep2"]),
            ("工具 写入", &["工具", "写入"]),
            ("", &[]),
        ] {
            assert_eq!(name_parts(name).collect::<Vec<_>>(), parts, "{name}");
        }
        assert!(named("Start-SLEEP", &["sleep"]) && named("goToSleep", &["sleep"]));
    }

    #[test]
    fn the_verb_of_a_tool_of_many_trades_counts() {
        let (view, replace) = (r#"{"command":"view","path":"a"}"#, r#"{"command":"str_replace"}"#);
        let writes = |name, args| Manner::of(name, args).writes;
        assert!(!writes("str_replace_editor", view) && writes("str_replace_editor", replace));
        assert!(
            writes("edit_file", r#"{"path":"a"}"#) && !writes("bash", r#"{"command":"ls -l"}"#)
        );
        assert!(Manner::of("computer", r#"{"action": "key", "text":"Down"}"#).steps);
        assert!(Manner::of("browser_action", r#"{"action":"scroll_down"}"#).steps);
        assert!(Manner::of("message", r#"{"action":"send"}"#).idempotent);
        assert_eq!(Manner::of("click", "{}"), Manner::default());
        // That both only look makes them no looks at the same thing.
        assert!(!same_target(view, r#"{"command":"view","path":"b"}"#));
    }

    #[test]
    fn a_command_that_searches_is_known_by_its_programs() {
        for command in ["rg -n foo", "cd src && grep -r foo .", "cat a | grep b", "git grep x"] {
            assert!(
                command_searches(&serde_json::json!({ "command": command }).to_string()),
                "{command}"
            );
        }
        assert!(command_searches(r#"{"cmd":["bash","-lc","find . -name a"]}"#));
        for command in ["make", "find . -name a -delete", "grep a b > c", "echo grep"] {
            assert!(
                !command_searches(&serde_json::json!({ "command": command }).to_string()),
                "{command}"
            );
        }
    }

    #[test]
    fn waiting_is_seen_in_names_and_commands() {
        assert!(waits("sleep", "{}"));
        assert!(waits("bash", r#"{"command":"sleep 30 && gh run view"}"#));
        assert!(waits("python", r#"{"code":"time.sleep(5)"}"#));
        assert!(!waits("bash", r#"{"command":"cat asleep.txt"}"#));
        assert!(!waits("read_file", r#"{"path":"a"}"#));
    }
}
