//! Values that stand under a name which says what they are (see the `name` module), in the forms that languages,
//! settings, markup and command lines have for it: a name, a separator, a value.

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    compile,
    environment::is_environment,
    name::{Name, Tells, names},
    replace,
    value::{Place, kind_of},
};

/// How far from its name a value is looked for, in bytes: what bounds the time that a name takes.
const REACH: usize = 4 * 1024;
/// How much of a line before a name is looked at, in bytes.
const INDENT: usize = 80;

/// Endings and names of files in which a line `name: value` is a setting, whose value needs no quotes.
const SETTINGS: [&str; 28] = [
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
    ".service",
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

/// Whether a line of this file may be a setting.
pub(super) fn is_settings_file(path: &str) -> bool {
    let path = path.to_lowercase();
    SETTINGS.iter().any(|s| path.ends_with(s))
}

/// A value that was found: where, how surely, and the text itself.
struct Found<'t> {
    start: usize,
    value: &'t str,
    place: Place,
}

/// Replaces the values of all names that tell.
pub(super) fn redact<'t>(path: &str, text: &'t str) -> Cow<'t, str> {
    let is_settings = is_settings_file(path) || is_environment(path);
    let mut secrets: Vec<(Range<usize>, &'static str)> = Vec::new();
    // Where a value ends that was longer than what was looked at: no name within it counts.
    let mut behind = 0;
    for name in names(text) {
        if name.start() < behind {
            continue;
        }
        for found in values(&name, is_settings) {
            let Some(kind) = kind_of(name.tells, found.place, found.value) else { continue };
            let start = name.end() + found.start;
            let mut end = start + found.value.len();
            let is_cut = found.start + found.value.len() > REACH - char::MAX.len_utf8();
            if is_cut || found.value.len() == JUDGED {
                end += text.bytes().skip(end).take_while(|&b| is_in_word(b)).count();
                behind = end;
            }
            secrets.push((start..end, kind));
        }
    }
    replace(text, secrets)
}

/// What may be the value of a name, by every form that fits.
fn values<'t>(name: &Name<'t>, is_settings: bool) -> Vec<Found<'t>> {
    let after = name.after.get(..name.after.floor_char_boundary(REACH)).unwrap_or_default();
    let mut found = literals(name, after);
    let line = is_settings.then(|| setting(name, after)).flatten();
    found.extend(line.or_else(|| word(name, after)));
    found.extend(element(name, after));
    found.extend(labelled(after, is_settings));
    found.extend(block(name, after));
    found
}

/// The group `secret` of a match.
fn group<'t>(pattern: &Regex, after: &'t str, place: Place) -> Option<Found<'t>> {
    let secret = pattern.captures(after)?.name("secret")?;
    Some(Found { start: secret.start(), value: secret.as_str(), place })
}

/// What stands between a name and its literal: the end of quotes or brackets, a type, what assigns or compares.
static ASSIGNS: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r#"^(?:\\?["'`])?[ \t]*\]?[?!]?(?:[ \t]*:[ \t]*(?:&'[a-z]+ )?[A-Za-z0-9_<>&?\[\]. ]{1,60}=|[ \t]*(?<by>::?=|=>|[=!]==?|(?:\?\?|\|\||[?+])=|[:,(=]))"#,
    )
});

/// Functions that take a secret as their first argument, by what their names begin with.
const GIVING: [&str; 8] =
    ["set", "with", "add", "password", "passphrase", "token", "secret", "api"];

/// Literals in quotes: `password = "..."`, `setPassword("...")`, `token = String::from("...")`, `auth = ("user", "...")`.
fn literals<'t>(name: &Name<'t>, after: &'t str) -> Vec<Found<'t>> {
    let Some(assigns) = ASSIGNS.captures(after) else { return Vec::new() };
    let verb = name.name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let (first, depth) = match assigns.name("by").map_or("=", |by| by.as_str()) {
        // `verify_password("user", "...")` need not be given one.
        "(" if GIVING.iter().any(|start| verb.starts_with(start)) => (Place::Sure, 1),
        "(" => (Place::Possible, 1),
        // `"username", "password", "scope"` is a list of names, `put("password", "c0rr3ct")` gives one.
        "," if name.is_quoted() && name.tells != Tells::Pass => (Place::Likely, 0),
        "," => return Vec::new(),
        _ => (Place::Sure, 0),
    };
    let start = assigns.get(0).map_or(0, |m| m.end());
    let expression = after.get(start..).unwrap_or_default();
    // `Token::Word("...")` is the name of something else.
    if expression.starts_with(':') {
        return Vec::new();
    }
    let may_break = !assigns.get(0).is_some_and(|m| m.as_str().ends_with(','));
    Expression { start, rest: expression, depth, first, may_break }.literals()
}

/// What follows the mark that assigns, read up to its end: literals, names, calls, operators.
struct Expression<'t> {
    /// Where the rest begins.
    start: usize,
    rest: &'t str,
    /// Brackets that are open.
    depth: usize,
    /// How surely a literal is the value if nothing stands before it.
    first: Place,
    /// Whether the line may end here.
    may_break: bool,
}

/// Parts of an expression that are looked at, at most.
const MOST_PARTS: usize = 40;

impl<'t> Expression<'t> {
    fn literals(mut self) -> Vec<Found<'t>> {
        let mut found = Vec::new();
        let mut place = self.first;
        for _ in 0..MOST_PARTS {
            self.skip_space();
            let Some(next) = self.rest.chars().next() else { break };
            self.may_break = true;
            match next {
                '"' | '\'' | '`' | '\\' => {
                    let Some(literal) = self.literal() else { break };
                    found.push(Found { place, ..literal });
                    self.may_break = false;
                }
                '(' | '[' => {
                    self.depth += 1;
                    self.skip(1);
                }
                // `"tokens": {"ci": "..."}`: other names stand before the values.
                '{' => {
                    self.depth += 1;
                    self.skip(1);
                    place = Place::Possible;
                }
                ')' | ']' | '}' if self.depth > 0 => {
                    self.depth -= 1;
                    self.skip(1);
                    self.may_break = false;
                }
                ',' if self.depth > 0 => {
                    self.skip(1);
                    place = lesser(place);
                }
                '+' | '|' | '?' => self.skip(1),
                _ if is_word(next) => {
                    if !self.skip_prefix() {
                        place = lesser(place);
                    }
                    self.may_break = false;
                }
                _ => break,
            }
        }
        found
    }

    fn skip(&mut self, bytes: usize) {
        self.start += bytes;
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// Spaces; the ends of lines too where the expression can't end there.
    fn skip_space(&mut self) {
        let may_break = self.may_break || self.depth > 0;
        let is_space = |c: char| matches!(c, ' ' | '\t') || (may_break && matches!(c, '\n' | '\r'));
        self.skip(self.rest.len() - self.rest.trim_start_matches(is_space).len());
        // A line that says that it goes on.
        if self.rest.starts_with("\\\n") || self.rest.starts_with("\\\r\n") {
            self.skip(1);
            self.skip(self.rest.len() - self.rest.trim_start().len());
        }
    }

    /// Skips a word; whether it is part of the literal behind it: `b"..."`, `r#"..."#`.
    fn skip_prefix(&mut self) -> bool {
        let is_part = |&b: &u8| is_word(char::from(b));
        let length = self.rest.bytes().take(JUDGED).take_while(is_part).count();
        self.skip(length);
        let literal = self.rest.trim_start_matches('#');
        let is_prefix = length <= 2 && literal.starts_with(['"', '\'', '`']);
        if is_prefix {
            self.skip(self.rest.len() - literal.len());
        }
        is_prefix
    }

    /// The literal that begins here, without its quotes and the space within them.
    fn literal(&mut self) -> Option<Found<'t>> {
        let opening = OPENING.find(self.rest)?;
        let quotes = opening.as_str();
        self.skip(quotes.len());
        let (inside, _) = self.rest.split_once(quotes)?;
        let value = inside.trim();
        let start = self.start + inside.len() - inside.trim_start().len();
        self.skip(inside.len() + quotes.len());
        (!value.contains('\n')).then_some(Found { start, value, place: self.first })
    }
}

/// What opens a literal and ends it.
static OPENING: LazyLock<Regex> = LazyLock::new(|| compile(r#"^(?:"""|'''|\\?["'`])"#));

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '<' | '>' | '&' | '!' | '@' | '$')
}

/// How surely a literal is the value if something else stands before it.
fn lesser(place: Place) -> Place {
    if place == Place::Possible { Place::Possible } else { Place::Likely }
}

/// What may stand before the name in a line that sets it.
static BEFORE_SETTING: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r#"(?i)^[ \t]*(?:(?:(?<command>set|setenv|setx|env)|export|arg|declare|local|readonly|typeset|-[a-z]{0,2})[ \t]+)*(?:\$env:)?["']?$"#,
    )
});
/// The value to the end of the line, without a comment.
static SETTING: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r#"^["']?[ \t]*(?:(?::?:|[?+])?=|:[ \t]|(?<space>[ \t]))[ \t]*(?<secret>[^\s"'`#][^"'`#\r\n]*?)[ \t]*(?:[#;][^\n]*)?(?:\r?\n|$)"#,
    )
});

/// A line of a settings file or a script, where values need no quotes.
fn setting<'t>(name: &Name<'t>, after: &'t str) -> Option<Found<'t>> {
    let tail =
        name.before.get(name.before.ceil_char_boundary(name.start().saturating_sub(INDENT))..)?;
    let before = BEFORE_SETTING.captures(tail.rsplit('\n').next()?)?;
    let setting = SETTING.captures(after)?;
    // `ENV NAME value`.
    if setting.name("space").is_some() && before.name("command").is_none() {
        return None;
    }
    let secret = setting.name("secret")?;
    // `PASSWORD=... command`
    let is_for_command = name.is_variable() && after.starts_with('=');
    if is_for_command && secret.as_str().contains([' ', '\t']) {
        return None;
    }
    Some(Found { start: secret.start(), value: secret.as_str(), place: Place::Sure })
}

/// What stands between a name and a word without quotes: `--password=...`, `API_TOKEN=... command`, `?api_key=...&`,
/// `PRIVATE-TOKEN: ...`, `--token ...`.
static WORD: LazyLock<Regex> =
    LazyLock::new(|| compile(r#"^["']?(?:[ \t]*(?<by>(?::?:|[?+])?=>?|:)[ \t]*|[ \t]+["']?)"#));
/// By so many bytes a word is judged.
const JUDGED: usize = 256;

fn word<'t>(name: &Name<'t>, after: &'t str) -> Option<Found<'t>> {
    let captures = WORD.captures(after)?;
    let by = captures.name("by").map_or("", |by| by.as_str());
    let start = captures.get(0)?.end();
    let rest = after.get(start..)?;
    let length = rest.bytes().take(JUDGED).take_while(|&b| is_in_word(b)).count();
    let (word, behind) = rest.split_at_checked(length)?;
    // What goes on is a call, an index, or no value.
    if behind.starts_with(['(', '[', '{'])
        || behind.starts_with(|c: char| !c.is_ascii() && c.is_alphanumeric())
    {
        return None;
    }
    // `Secrets::Chacha20Poly1305`, `token == other`, `--token --verbose`
    if word.starts_with([':', '=', '.', '#', '-']) {
        return None;
    }
    // A number of a version, or a path, is no key.
    if by.is_empty() && word.contains(['.', '/']) {
        return None;
    }
    let is_shell = by == "=" && name.is_variable() && after.starts_with('=');
    let is_likely = name.is_option() || is_shell || (by == "=" && name.is_parameter());
    let place = if is_likely { Place::Likely } else { Place::Possible };
    // The end of a sentence.
    let value = word.trim_end_matches(['.', ':', '!']);
    Some(Found { start, value, place })
}

fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=_.~:!@#$%^*-".contains(&byte)
}

/// `<password>...</password>`, `<property name="password">...</property>`.
static ELEMENT: LazyLock<Regex> =
    LazyLock::new(|| compile(r#"^["']?[^<>\n]{0,200}>\s*(?<secret>[^<>\s]+)\s*</"#));

fn element<'t>(name: &Name<'t>, after: &'t str) -> Option<Found<'t>> {
    let is_tag = name.before.ends_with(['<', ':']);
    let place = if is_tag { Place::Sure } else { Place::Likely };
    (is_tag || name.is_quoted()).then(|| group(&ELEMENT, after, place)).flatten()
}

/// The value stands beside the name, as `value` or `default`: `- name: PASSWORD` and `value: ...` in the next line,
/// `name="password" value="..."`, `variable "password" { default = "..." }`.
static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r#"^["']?(?:[ \t]*[:=]?[ \t]*\{[^{}]{0,400}?|[,;]?\s+|[,;])["']?\b(?:value|default)["']?[ \t]*[:=][ \t]*(?:"(?<a>[^"\n]*)"|'(?<b>[^'\n]*)'|(?<c>[^\s"'`,;{}]+)[ \t]*(?:#[^\n]*)?(?:\r?\n|$))"#,
    )
});

fn labelled(after: &str, is_settings: bool) -> Option<Found<'_>> {
    let captures = LABELLED.captures(after)?;
    let secret = ["a", "b", "c"].into_iter().find_map(|group| captures.name(group))?;
    let place = if is_settings { Place::Sure } else { Place::Likely };
    Some(Found { start: secret.start(), value: secret.as_str(), place })
}

/// A block of YAML: `token: |` and the lines below that are further in.
static BLOCK: LazyLock<Regex> = LazyLock::new(|| {
    compile(r#"^["']?[ \t]*:[ \t]*(?:![a-z]+[ \t]+)?[|>][+-]?[0-9]?[+-]?[ \t]*\r?\n"#)
});

fn block<'t>(name: &Name<'t>, after: &'t str) -> Vec<Found<'t>> {
    let Some(opening) = BLOCK.find(after) else { return Vec::new() };
    let line = name.before.rsplit('\n').next().unwrap_or_default();
    let indent = line.len() - line.trim_start_matches([' ', '-']).len();
    let mut start = opening.end();
    let mut found = Vec::new();
    for line in after.get(start..).unwrap_or_default().split_inclusive('\n') {
        let value = line.trim();
        let margin = line.len() - line.trim_start().len();
        if !value.is_empty() && margin <= indent {
            break;
        }
        found.push(Found { start: start + margin, value, place: Place::Likely });
        start += line.len();
    }
    found
}
