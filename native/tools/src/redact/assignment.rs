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
/// How near to a name stands what assigns to it, in bytes.
const NEAR: usize = 128;
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

/// Endings of files in which people write to people; a file without an ending is one of them.
const PROSE: [&str; 5] = ["md", "rst", "txt", "adoc", "org"];

fn is_prose(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_none_or(|(_, ending)| PROSE.contains(&ending.to_lowercase().as_str()))
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
    let is_prose = is_prose(path);
    let mut secrets: Vec<(Range<usize>, &'static str)> = Vec::new();
    // Where a value ends that was longer than what was looked at: no name within it counts.
    let mut behind = 0;
    for name in names(text) {
        if name.start() < behind {
            continue;
        }
        for found in values(&name, is_settings, is_prose) {
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
fn values<'t>(name: &Name<'t>, is_settings: bool, is_prose: bool) -> Vec<Found<'t>> {
    let after = name.after.get(..name.after.floor_char_boundary(REACH)).unwrap_or_default();
    let mut found = literals(name, after);
    let line = if is_settings { setting(name, after) } else { Vec::new() };
    if line.is_empty() {
        found.extend(word(name, after, is_prose));
    }
    found.extend(line);
    found.extend(element(name, after));
    found.extend(labelled(after, is_settings));
    found.extend(block(name, after, is_settings));
    if is_settings {
        found.extend(section(name, after));
    }
    found
}

/// The group `secret` of a match.
fn group<'t>(pattern: &Regex, after: &'t str, place: Place) -> Option<Found<'t>> {
    let secret = pattern.captures(after)?.name("secret")?;
    Some(Found { start: secret.start(), value: secret.as_str(), place })
}

/// What stands between a name and its literal: the end of quotes or brackets, an index, a type, accessors, and what assigns
/// or compares. In `#define PASSWORD "..."` only space does, in prose `is`.
static ASSIGNS: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        &[
            r#"^(?:\\?["'`])?[ \t]*\]?(?:\[[^\[\]\n]*\])*[?!]?(?:"#,
            // `: &'static str =`, `: string[] =`, `::String =`
            r"[ \t]*::?[ \t]*(?:[A-Za-z0-9_&'?*|\[\]. ]|<[^=\n]*>)+:?=",
            // `string =`, `As String =`, `[]byte =`
            r"|(?:[ \t]+[*&\[\]]*[A-Za-z_][A-Za-z0-9_.\[\]]*){1,2}[ \t]+=",
            // `{ get; set; } =`
            r"|[ \t]*\{[a-z; \t]+\}[ \t]*=",
            r"|[ \t]*(?<by>::?=|=>|<-|[=!]==?|(?:\?\?|\|\||[?+])=|[:,(=])|(?<by_brace>\{)|(?<by_space>[ \t]+(?:is[ \t]+)?))",
        ]
        .concat(),
    )
});

/// Functions that take a secret as their first argument, by what their names begin with.
const GIVING: [&str; 8] =
    ["set", "with", "add", "password", "passphrase", "token", "secret", "api"];

/// Literals in quotes: `password = "..."`, `setPassword("...")`, `token = String::from("...")`, `auth = ("user", "...")`.
fn literals<'t>(name: &Name<'t>, after: &'t str) -> Vec<Found<'t>> {
    let near = after.get(..after.floor_char_boundary(NEAR)).unwrap_or_default();
    let Some(assigns) = ASSIGNS.captures(near) else { return Vec::new() };
    let verb = name.name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let start = assigns.get(0).map_or(0, |m| m.end());
    let expression = after.get(start..).unwrap_or_default();
    let is_literal = expression.starts_with(['"', '\'', '`']);
    let by = ["by", "by_brace", "by_space"].into_iter().find_map(|group| assigns.name(group));
    let (first, depth) = match by.map_or("=", |by| by.as_str()) {
        // `verify_password("user", "...")` need not be given one.
        "(" if GIVING.iter().any(|start| verb.starts_with(start)) => (Place::Sure, 1),
        "(" => (Place::Possible, 1),
        // `"username", "password", "scope"` is a list of names, `put("password", "c0rr3ct")` gives one.
        "," if name.is_quoted() && name.tells != Tells::Pass => (Place::Likely, 0),
        "," => return Vec::new(),
        // `std::string password{"..."}`
        "{" if is_literal => (Place::Sure, 1),
        "{" => return Vec::new(),
        // `must pass "..."` is prose.
        space if space.starts_with([' ', '\t']) => {
            if !is_literal || name.is_quoted() || name.tells == Tells::Pass {
                return Vec::new();
            }
            // `#define PASSWORD "..."`; `password is "invalid"`
            (if space.trim().is_empty() { Place::Sure } else { Place::Likely }, 0)
        }
        _ => (Place::Sure, 0),
    };
    // `Token::Word("...")` is the name of something else.
    if expression.starts_with(':') {
        return Vec::new();
    }
    let may_break = !assigns.get(0).is_some_and(|m| m.as_str().ends_with(','));
    Expression { start, rest: expression, depth, list: None, first, may_break }.literals()
}

/// What follows the mark that assigns, read up to its end: literals, names, calls, operators.
struct Expression<'t> {
    /// Where the rest begins.
    start: usize,
    rest: &'t str,
    /// Brackets that are open.
    depth: usize,
    /// How many of them are open within a list, whose values are all alike.
    list: Option<usize>,
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
                    if next == '[' && found.is_empty() {
                        self.list = Some(self.depth);
                    }
                }
                // `"tokens": {"ci": "..."}`: other names stand before the values.
                '{' => {
                    self.depth += 1;
                    self.skip(1);
                    place = lesser(place);
                }
                ')' | ']' | '}' if self.depth > 0 => {
                    self.depth -= 1;
                    self.skip(1);
                    self.may_break = false;
                }
                ',' if self.depth > 0 => {
                    self.skip(1);
                    if self.list != Some(self.depth) {
                        place = lesser(place);
                    }
                }
                // `#"..."#`
                '#' if self.skip_prefix() => {}
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
        // What begins after a quote at the end of a line stands between two literals, not in one.
        let lines = if quotes.len() == 3 || quotes == "`" { value } else { inside };
        (!lines.contains('\n')).then_some(Found { start, value, place: self.first })
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

/// What stands before the name in its line; of a longer one the last part.
fn line_before<'t>(name: &Name<'t>) -> &'t str {
    let from = name.before.ceil_char_boundary(name.start().saturating_sub(INDENT));
    let tail = name.before.get(from..).unwrap_or_default();
    tail.rsplit('\n').next().unwrap_or_default()
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

/// A line of a settings file or a script, where values need no quotes: `password: ...`, `tokens: [..., ...]`.
fn setting<'t>(name: &Name<'t>, after: &'t str) -> Vec<Found<'t>> {
    let Some(before) = BEFORE_SETTING.captures(line_before(name)) else { return Vec::new() };
    let Some(setting) = SETTING.captures(after) else { return Vec::new() };
    // `ENV NAME value`.
    if setting.name("space").is_some() && before.name("command").is_none() {
        return Vec::new();
    }
    let Some(secret) = setting.name("secret") else { return Vec::new() };
    // `PASSWORD=... command`
    let is_for_command = name.is_variable() && after.starts_with('=');
    if is_for_command && secret.as_str().contains([' ', '\t']) {
        return Vec::new();
    }
    let list = secret.as_str().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let start = secret.start() + usize::from(list.is_some());
    match list {
        Some(list) => pieces(list, ',').map(|(at, value)| sure(start + at, value)).collect(),
        None => vec![sure(start, secret.as_str())],
    }
}

fn sure(start: usize, value: &str) -> Found<'_> {
    Found { start, value, place: Place::Sure }
}

/// The parts of a text between separators, without the space around them, and where each begins.
fn pieces(text: &str, separator: char) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive(separator).map(move |part| {
        let at = start + part.len() - part.trim_start().len();
        start += part.len();
        (at, part.trim_end_matches(separator).trim())
    })
}

/// What opens a comment, or a line of one.
static COMMENT: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?:^|[\s;{}])(?:#|//|/?\*|--|;|<!--|%)[/*!#]*(?:\s|$)"));

/// Whether people speak to people before the name, in a line of a comment.
fn is_comment(name: &Name<'_>) -> bool {
    COMMENT.is_match(line_before(name))
}

/// What stands between a name and a word without quotes: `--password=...`, `API_TOKEN=... command`, `?api_key=...&`,
/// `PRIVATE-TOKEN: ...`, `--token ...`.
static WORD: LazyLock<Regex> = LazyLock::new(|| {
    compile(r#"^["']?(?:[ \t]*(?<by>(?::?:|[?+])?=>?|:-|:)\*{0,2}[ \t]*|[ \t]+["']?)"#)
});
/// By so many bytes a word is judged.
const JUDGED: usize = 256;

fn word<'t>(name: &Name<'t>, after: &'t str, is_prose: bool) -> Option<Found<'t>> {
    let captures = WORD.captures(after)?;
    let by = captures.name("by").map_or("", |by| by.as_str());
    let start = captures.get(0)?.end();
    let rest = after.get(start..)?;
    let is_said = matches!(by, ":" | "=") && !name.is_parameter() && (is_prose || is_comment(name));
    let belongs = |&b: &u8| is_in_word(b) || (is_said && b"#&?(){}[]".contains(&b));
    let length = rest.bytes().take(JUDGED).take_while(belongs).count();
    let (word, behind) = rest.split_at_checked(length)?;
    // What goes on is a call, an index, or no value.
    if behind.starts_with(['(', '[', '{'])
        || behind.starts_with(|c: char| !c.is_ascii() && c.is_alphanumeric())
    {
        return None;
    }
    // `Secrets::Chacha20Poly1305`, `token == other`, `--token --verbose`
    if word.starts_with([':', '=']) || (!is_said && word.starts_with(['.', '#', '-'])) {
        return None;
    }
    // A number of a version, or a path, is no key.
    if by.is_empty() && word.contains(['.', '/']) {
        return None;
    }
    let is_shell = by == "=" && name.is_variable() && after.starts_with('=');
    // `${PASSWORD:-...}`
    let is_default = by == ":-" && name.before.ends_with("${");
    let is_likely =
        name.is_option() || is_shell || is_default || is_said || (by == "=" && name.is_parameter());
    let place = if is_likely { Place::Likely } else { Place::Possible };
    // The end of a sentence.
    let is_end = |c| matches!(c, '.' | ':' | '!') || (c == ')' && !word.contains('('));
    let value = word.trim_end_matches(is_end);
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

/// A block of YAML: `token: |` and the lines below that are further in, or `tokens:` and a list.
static BLOCK: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r#"^["']?[ \t]*:[ \t]*(?:![a-z]+[ \t]+)?(?:(?<text>[|>])[+-]?[0-9]?[+-]?)?[ \t]*(?:#[^\n]*)?\r?\n"#,
    )
});

fn block<'t>(name: &Name<'t>, after: &'t str, is_settings: bool) -> Vec<Found<'t>> {
    let Some(opening) = BLOCK.captures(after) else { return Vec::new() };
    let is_text = opening.name("text").is_some();
    let line = name.before.rsplit('\n').next().unwrap_or_default();
    let indent = line.len() - line.trim_start_matches([' ', '-']).len();
    let mut start = opening.get(0).map_or(0, |m| m.end());
    let mut found = Vec::new();
    for line in after.get(start..).unwrap_or_default().split_inclusive('\n') {
        let margin = line.len() - line.trim_start().len();
        let line_of = line.trim();
        if is_text {
            if !line_of.is_empty() && margin <= indent {
                break;
            }
            found.push(Found { start: start + margin, value: line_of, place: Place::Likely });
        } else {
            // An item stands as far in as its list's name, or further.
            let Some(item) = line_of.strip_prefix("- ").filter(|_| margin >= indent) else { break };
            let place = if is_settings { Place::Sure } else { Place::Likely };
            found.push(Found { place, ..unquoted(start + margin + 2, item) });
        }
        start += line.len();
    }
    found
}

/// A value without the space and the quotes around it and the comment behind it.
fn unquoted(start: usize, text: &str) -> Found<'_> {
    static VALUE: LazyLock<Regex> = LazyLock::new(|| {
        compile(r#"^[ \t]*(?:"(?<a>[^"]*)"|'(?<b>[^']*)'|(?<c>.*?)[ \t]*(?:[ \t][#;].*)?$)"#)
    });
    let captures = VALUE.captures(text);
    let value = captures.and_then(|c| ["a", "b", "c"].into_iter().find_map(|group| c.name(group)));
    value.map_or(sure(start, text), |value| sure(start + value.start(), value.as_str()))
}

/// A section of a settings file and its members: `[credentials]`, and below `name = ...` up to the next section.
fn section<'t>(name: &Name<'t>, after: &'t str) -> Vec<Found<'t>> {
    let line = line_before(name);
    let is_header = line.trim_start().starts_with('[') && !line.contains([']', '=', ',']);
    let rest =
        after.split_once('\n').filter(|(end, _)| end.trim_end().trim_end_matches(']').is_empty());
    let Some((header, rest)) = rest.filter(|(end, _)| is_header && end.starts_with(']')) else {
        return Vec::new();
    };
    let mut start = header.len() + 1;
    let mut found = Vec::new();
    for line in rest.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            break;
        }
        if let Some((member, value)) = line.split_once(['=', ':'])
            && !member.trim_start().starts_with(['#', ';'])
        {
            found.push(unquoted(start + member.len() + 1, value.trim_end()));
        }
        start += line.len();
    }
    found
}
