//! Inline markup: links, roles, tags and emphasis become plain text with code in backticks.

/// HTML elements that are markup, not text such as `<T>`.
const TAGS: &[&str] = &[
    "a",
    "abbr",
    "b",
    "blockquote",
    "br",
    "cite",
    "center",
    "code",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "font",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "kbd",
    "li",
    "ol",
    "p",
    "picture",
    "pre",
    "s",
    "samp",
    "small",
    "source",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
];

/// `text` as plain text: code in single backticks, everything else without markup. Every line break stays, so that
/// lines can still be counted.
pub(crate) fn clean(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut cleaner = Cleaner {
        chars: &chars,
        at: 0,
        out: String::with_capacity(text.len()),
        emphases: Vec::new(),
    };
    cleaner.run();
    cleaner.out
}

struct Cleaner<'a> {
    chars: &'a [char],
    at: usize,
    out: String,
    /// How many stars opened each emphasis that is still open.
    emphases: Vec<usize>,
}

impl Cleaner<'_> {
    fn run(&mut self) {
        while let Some(c) = self.peek(0) {
            let done = match c {
                '`' => self.code(),
                '!' if self.peek(1) == Some('[') => self.image(),
                '[' => self.bracket(),
                '{' if self.peek(1) == Some('@') => self.javadoc(),
                '<' => self.tag(),
                '&' => self.entity(),
                ':' => self.role(),
                '*' => self.emphasis(),
                '_' => self.underscore(),
                '\\' => self.escape(),
                _ => false,
            };
            if !done {
                self.out.push(c);
                self.at += 1;
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn slice(&self, from: usize, to: usize) -> String {
        self.chars.get(from..to).unwrap_or_default().iter().collect()
    }

    /// The position of `wanted` at or after `from`, at most `limit` characters on.
    fn find(&self, from: usize, wanted: &[char], limit: usize) -> Option<usize> {
        let area = self.chars.get(from..self.chars.len().min(from + limit))?;
        area.windows(wanted.len()).position(|w| w == wanted).map(|n| from + n)
    }

    /// Goes on at `to`; line breaks in what is left out stay.
    fn skip_to(&mut self, to: usize) {
        let breaks = self.chars.get(self.at..to).unwrap_or_default();
        let breaks = breaks.iter().filter(|c| **c == '\n').count();
        self.out.extend(std::iter::repeat_n('\n', breaks));
        self.at = to;
    }

    /// Writes `replacement` for everything up to `to`.
    fn replace(&mut self, to: usize, replacement: &str) {
        let inner = replacement.matches('\n').count();
        let outer = self.chars.get(self.at..to).unwrap_or_default();
        let outer = outer.iter().filter(|c| **c == '\n').count();
        self.out.push_str(replacement);
        self.out.extend(std::iter::repeat_n('\n', outer.saturating_sub(inner)));
        self.at = to;
    }

    fn push_code(&mut self, to: usize, code: &str) {
        let code = code.trim().trim_matches('`').trim();
        let code = if code.is_empty() { String::new() } else { format!("`{code}`") };
        self.replace(to, &code);
    }

    /// `` `code` ``, ``` ``code`` ```, and rst's `` `text <target>`_ ``.
    fn code(&mut self) -> bool {
        let ticks = (0..).take_while(|n| self.peek(*n) == Some('`')).count();
        let from = self.at + ticks;
        let Some(end) = self.find(from, &vec!['`'; ticks], 400) else {
            self.at = from;
            return true;
        };
        let content = self.slice(from, end);
        let after = end + ticks;
        if self.chars.get(after) == Some(&'_') {
            let label = content.split(" <").next().unwrap_or(&content).trim().to_owned();
            let to = after + if self.chars.get(after + 1) == Some(&'_') { 2 } else { 1 };
            self.replace(to, &label);
        } else {
            self.push_code(after, &content);
        }
        true
    }

    /// `` :class:`X` ``, and emoji short codes.
    fn role(&mut self) -> bool {
        let name_end = (self.at + 1..self.chars.len())
            .find(|i| {
                !self.chars.get(*i).is_some_and(|c| {
                    c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-' | '+')
                })
            })
            .unwrap_or(self.chars.len());
        let name = self.slice(self.at, name_end);
        if name.len() < 3 || !name.ends_with(':') {
            return false;
        }
        if self.chars.get(name_end) == Some(&'`') {
            let Some(end) = self.find(name_end + 1, &['`'], 300) else { return false };
            let target = self.slice(name_end + 1, end);
            let label = match target.split_once('<') {
                // A label that names something else than it leads to was copied from elsewhere.
                Some((label, to)) if !label.trim().is_empty() => {
                    let last = to.trim_end_matches(['>', '(', ')']).rsplit('.').next();
                    let is_name = |name: &str| {
                        name.starts_with(char::is_uppercase)
                            && name.chars().all(char::is_alphanumeric)
                    };
                    let other = last.filter(|last| is_name(label.trim()) && is_name(last));
                    other.unwrap_or(label.trim()).to_owned()
                }
                _ => target.trim_matches(['<', '>']).to_owned(),
            };
            let prose = matches!(
                name.as_str(),
                ":ref:" | ":doc:" | ":term:" | ":rfc:" | ":pep:" | ":issue:"
            );
            let short = match label.strip_prefix('~') {
                Some(path) => path.rsplit('.').next().unwrap_or(path),
                None => label.trim_start_matches('!'),
            };
            if prose {
                let words = short.replace(['-', '_'], " ");
                self.replace(end + 1, &words);
            } else {
                self.push_code(end + 1, short);
            }
            return true;
        }
        let emoji = name.len() <= 24
            && name.chars().filter(|c| *c == ':').count() == 2
            && name.chars().any(|c| c.is_ascii_lowercase())
            && !self.out.ends_with(|c: char| c.is_alphanumeric());
        if emoji {
            self.skip_to(name_end);
        }
        emoji
    }

    /// `![alt](url)` and `![alt][ref]` are dropped.
    fn image(&mut self) -> bool {
        let Some(close) = self.closing(self.at + 1, '[', ']') else { return false };
        let to = self.after_target(close + 1).unwrap_or(close + 1);
        self.skip_to(to);
        true
    }

    /// `[text](url)`, `[text][ref]`, `[Symbol]`.
    fn bracket(&mut self) -> bool {
        let Some(close) = self.closing(self.at, '[', ']') else { return false };
        let label = self.slice(self.at + 1, close);
        // Behind a name, a call or another index stands an index: `query()[key][0]`.
        let before = self.at.checked_sub(1).and_then(|i| self.chars.get(i)).copied();
        let is_index = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ')' | ']'))
            && self.chars.get(close + 1) != Some(&'(');
        if is_index {
            self.out.push('[');
            self.out.push_str(&label);
            self.out.push(']');
            self.at = close + 1;
            return true;
        }
        if let Some(to) = self.after_target(close + 1) {
            let label = clean(&label);
            self.replace(to, &label);
            return true;
        }
        if label.trim().is_empty() || label == "x" || label.starts_with('^') {
            self.skip_to(close + 1);
            return true;
        }
        let words = label.split_whitespace().count();
        // `[0; 63)` is no text.
        let numbers = label.starts_with(|c: char| c.is_ascii_digit());
        // What stands for a secret is said as it is.
        let redacted = label.starts_with("redacted: ");
        if words >= 2 && !numbers && !redacted && !label.contains(['=', '|', '[', '<']) {
            let label = clean(&label);
            self.replace(close + 1, &label);
            return true;
        }
        let in_code = label.starts_with('`') && label.ends_with('`');
        if in_code || is_symbol_path(&label) {
            self.push_code(close + 1, &label);
            return true;
        }
        false
    }

    /// Past `(url)` or `[ref]` at `from`.
    fn after_target(&self, from: usize) -> Option<usize> {
        match self.chars.get(from) {
            Some('(') => self.closing(from, '(', ')').map(|n| n + 1),
            Some('[') => self.closing(from, '[', ']').map(|n| n + 1),
            _ => None,
        }
    }

    /// The bracket that closes the one at `from`.
    fn closing(&self, from: usize, open: char, close: char) -> Option<usize> {
        let mut depth = 0_usize;
        for (offset, c) in self.chars.iter().skip(from).take(500).enumerate() {
            if *c == open {
                depth += 1;
            } else if *c == close {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(from + offset);
                }
            }
        }
        None
    }

    /// `{@link X#y label}`, `{@code x}`, `{@literal x}`.
    fn javadoc(&mut self) -> bool {
        let Some(close) = self.closing(self.at, '{', '}') else { return false };
        let inner = self.slice(self.at + 2, close);
        let (name, content) = inner.split_once(char::is_whitespace).unwrap_or((&inner, ""));
        let content = content.trim();
        match name {
            "link" | "linkplain" | "value" => {
                let target_end = content
                    .char_indices()
                    .scan(0_i32, |depth, (i, c)| {
                        *depth += i32::from(c == '(') - i32::from(c == ')');
                        Some((i, c, *depth))
                    })
                    .find(|(_, c, depth)| c.is_whitespace() && *depth == 0)
                    .map_or(content.len(), |(i, ..)| i);
                let (target, label) = content.split_at_checked(target_end).unwrap_or((content, ""));
                let target = target.trim_start_matches('#').replace('#', ".");
                let label = label.trim();
                self.push_code(close + 1, if label.is_empty() { &target } else { label });
            }
            "code" => self.push_code(close + 1, content),
            "literal" => self.replace(close + 1, content),
            _ => self.skip_to(close + 1),
        }
        true
    }

    /// HTML tags, comments and autolinks; `<code>` becomes backticks.
    fn tag(&mut self) -> bool {
        if self.chars.get(self.at..self.at + 4) == Some(&['<', '!', '-', '-']) {
            let end =
                self.find(self.at, &['-', '-', '>'], 2_000).map_or(self.chars.len(), |n| n + 3);
            self.skip_to(end);
            return true;
        }
        let Some(close) = self.find(self.at, &['>'], 300) else { return false };
        let inner = self.slice(self.at + 1, close);
        // A sentence may lean on the address; whoever quotes it must see it.
        if inner.starts_with("http") || inner.starts_with("mailto:") {
            self.replace(close + 1, &inner);
            return true;
        }
        let name: String = inner
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_ascii_lowercase();
        // A capital is a type parameter, as in Vec<B>.
        if !TAGS.contains(&name.as_str()) || inner.starts_with(|c: char| c.is_ascii_uppercase()) {
            return false;
        }
        if matches!(name.as_str(), "code" | "tt" | "samp" | "kbd") && !inner.starts_with('/') {
            let end_tag: Vec<char> = format!("</{name}>").chars().collect();
            if let Some(end) = self.find(close + 1, &end_tag, 300) {
                let code = clean(&self.slice(close + 1, end));
                self.push_code(end + end_tag.len(), &code);
                return true;
            }
        }
        self.skip_to(close + 1);
        true
    }

    fn entity(&mut self) -> bool {
        let Some(end) = self.find(self.at, &[';'], 10) else { return false };
        let replacement = match self.slice(self.at + 1, end).as_str() {
            "lt" => "<",
            "gt" => ">",
            "amp" => "&",
            "quot" => "\"",
            "apos" | "#39" => "'",
            "nbsp" => " ",
            "mdash" | "ndash" => "-",
            "rarr" => "->",
            _ => return false,
        };
        self.replace(end + 1, replacement);
        true
    }

    /// `*em*` and `**strong**`: the stars go; those that close nothing stay.
    fn emphasis(&mut self) -> bool {
        let stars = (0..).take_while(|n| self.peek(*n) == Some('*')).count();
        let before = self.at.checked_sub(1).and_then(|i| self.chars.get(i)).copied();
        let after = self.peek(stars);
        // `*.rs` begins a pattern and no emphasis.
        let opens = after.is_some_and(|c| !c.is_whitespace() && !".,/)".contains(c))
            && before.is_none_or(|c| c.is_whitespace() || "([\"'“—–-/".contains(c))
            && self.find(self.at + stars + 1, &vec!['*'; stars], 300).is_some();
        let closes = before.is_some_and(|c| !c.is_whitespace())
            && after.is_none_or(|c| !c.is_alphanumeric())
            && !self.out.ends_with('*');
        if closes && self.emphases.last() == Some(&stars) {
            self.emphases.pop();
        } else if opens && stars <= 3 {
            self.emphases.push(stars);
        } else {
            return false;
        }
        self.at += stars;
        true
    }

    /// `_em_`; identifiers with underscores stay.
    fn underscore(&mut self) -> bool {
        let before = self.at.checked_sub(1).and_then(|i| self.chars.get(i)).copied();
        if before.is_some_and(|c| !c.is_whitespace() && c != '(')
            || !self.peek(1).is_some_and(char::is_alphabetic)
        {
            return false;
        }
        let Some(end) = self.find(self.at + 1, &['_'], 80) else { return false };
        let inner = self.slice(self.at + 1, end);
        let closed = self.chars.get(end + 1).is_none_or(|c| !c.is_alphanumeric() && *c != '_');
        if !closed || inner.ends_with(char::is_whitespace) {
            return false;
        }
        let inner = clean(&inner);
        self.replace(end + 1, &inner);
        true
    }

    fn escape(&mut self) -> bool {
        match self.peek(1) {
            Some(c) if c.is_ascii_punctuation() => {
                self.out.push(c);
                self.at += 2;
                true
            }
            _ => false,
        }
    }
}

/// Whether a bare `[label]` is a reference to a symbol, as in rustdoc and KDoc.
fn is_symbol_path(label: &str) -> bool {
    if matches!(label, "this" | "self") {
        return true;
    }
    let plain = label.trim_end_matches("()").trim_end_matches('!');
    plain.len() > 1
        && plain.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '#'))
        && plain.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && plain.chars().any(|c| c.is_uppercase() || matches!(c, '_' | ':' | '.'))
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn markup_becomes_plain_text() {
        let cases = [
            (
                "The same as url.Query()[key][0], a[i] or b[Key].",
                "The same as url.Query()[key][0], a[i] or b[Key].",
            ),
            (
                "An [LRU](https://x.y/z_(a)) of [`Vec`] and [Foo::bar].",
                "An LRU of `Vec` and `Foo::bar`.",
            ),
            ("a [b][c] and [optional]", "a b and [optional]"),
            ("a bit in [0; 63] and [two words]", "a bit in [0; 63] and two words"),
            ("**Requests** is a *simple* lib", "Requests is a simple lib"),
            ("2 * 3 * 4 and **kwargs", "2 * 3 * 4 and **kwargs"),
            ("all of lib* or *.rs, not src/*.", "all of lib* or *.rs, not src/*."),
            ("set to [redacted: API key]", "set to [redacted: API key]"),
            ("Use :class:`~requests.Session` or :meth:`send`", "Use `Session` or `send`"),
            ("Gives the :class:`Arrow <arrow.parser.Parser>` class", "Gives the `Parser` class"),
            ("Gives :class:`a parser <arrow.parser.Parser>`", "Gives `a parser`"),
            ("see :ref:`the-guide <guide>`", "see the guide"),
            ("``verify`` and `x`", "`verify` and `x`"),
            ("`the docs <http://x>`_ say", "the docs say"),
            ("{@link Gson#toJson(Object, Type) to json} {@code a<b>}", "`to json` `a<b>`"),
            ("{@link #read}", "`read`"),
            (
                "<p>A <b>bold</b> <code>x &lt; y</code> Vec<T> <a href=\"x\">link</a>",
                "A bold `x < y` Vec<T> link",
            ),
            ("![badge](http://x) Text <!-- gone -->", " Text "),
            ("_very_ `__init__` __init__ my_name", "very `__init__` __init__ my_name"),
            (":rocket: Go at 10:30:45", " Go at 10:30:45"),
            ("escaped \\[x\\]", "escaped [x]"),
        ];
        for (raw, wanted) in cases {
            assert_eq!(clean(raw), wanted, "{raw}");
        }
    }

    #[test]
    fn line_breaks_survive() {
        for raw in ["a [b\nc](d\ne) f", "{@link\n Foo}", "<a\nhref=\"x\">y</a>", "`a\nb`"] {
            assert_eq!(clean(raw).matches('\n').count(), raw.matches('\n').count(), "{raw}");
        }
    }
}
