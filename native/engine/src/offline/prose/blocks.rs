//! The structure of a piece of documentation: running text, lists, code, headings, tags.

use super::{
    NumberedLine, clean,
    comment::Dialect,
    sentences::{Sentence, split},
};

/// One block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Block {
    /// A heading and its line.
    Heading(String, u32),
    /// A paragraph of running text.
    Text(Vec<Sentence>),
    /// A list item.
    Item(Vec<Sentence>),
    /// Code: its language, if it says so, and its lines.
    Code(String, Vec<NumberedLine>),
    /// `@throws X when`, `:raises X: when`: the tag, what it is about, what it says.
    Tag {
        /// `param`, `return`, `throws`, ... in lower case, without marks.
        name: String,
        /// The parameter or type it is about; may be empty.
        about: String,
        /// What it says.
        sentences: Vec<Sentence>,
    },
}

/// Splits lines (comment marks already removed) into blocks.
pub(crate) fn parse(lines: &[NumberedLine], dialect: Dialect) -> Vec<Block> {
    let mut parser = Parser { dialect, blocks: Vec::new(), open: None, code: None, base: 0 };
    let mut at = 0;
    while let Some((number, raw)) = lines.get(at) {
        let next = lines.get(at + 1).map_or("", |(_, t)| t.as_str());
        if parser.underlined(*number, raw, next) {
            at += 2;
        } else {
            parser.line(*number, raw);
            at += 1;
        }
    }
    parser.close();
    parser.close_code();
    parser.blocks
}

/// The code that stands on the line of its `</pre>`, without the bracket that closes `{@code`: one more than was opened.
fn before_end<'t>(lines: &[NumberedLine], raw: &'t str) -> &'t str {
    let code = raw.split("</pre>").next().unwrap_or_default().trim_end();
    let all = || lines.iter().map(|(_, line)| line.as_str()).chain([code]);
    let count = |bracket: char| all().map(|line| line.matches(bracket).count()).sum::<usize>();
    let is_over = count('}') > count('{');
    code.strip_suffix('}').filter(|_| is_over).unwrap_or(code).trim_end()
}

/// How a block of code ends.
#[derive(PartialEq, Eq)]
enum CodeEnd {
    /// At this fence.
    Fence(String),
    /// At `</pre>`.
    Pre,
    /// At the first line that is indented less than this.
    Outdent(usize),
    /// At an empty line.
    Blank,
}

struct Code {
    language: String,
    lines: Vec<NumberedLine>,
    end: CodeEnd,
    /// A directive such as `versionadded`: its lines are no code and are dropped.
    dropped: bool,
}

enum Kind {
    Text,
    Item,
    Tag { name: String, about: String },
}

struct Parser {
    dialect: Dialect,
    blocks: Vec<Block>,
    open: Option<(Kind, Vec<NumberedLine>)>,
    code: Option<Code>,
    /// Indentation of the text of the open list item or tag.
    base: usize,
}

impl Parser {
    fn close(&mut self) {
        let Some((kind, lines)) = self.open.take() else { return };
        let sentences = split(&lines);
        if sentences.is_empty() && !matches!(kind, Kind::Tag { .. }) {
            return;
        }
        self.blocks.push(match kind {
            Kind::Text => Block::Text(sentences),
            Kind::Item => Block::Item(sentences),
            Kind::Tag { name, about } => Block::Tag { name, about, sentences },
        });
    }

    /// A sentence that goes on in the code after it is none to quote: Go's comments have no other sign of it.
    fn cut_short(&mut self) {
        let Some(Block::Text(sentences)) = self.blocks.last_mut() else { return };
        let goes_on = |s: &Sentence| !s.text.ends_with(['.', '!', '?', ':', '。', ')', '`']);
        if self.dialect == Dialect::Go && sentences.last().is_some_and(goes_on) {
            sentences.pop();
        }
    }

    fn start_code(&mut self, language: &str, end: CodeEnd, dropped: bool) {
        self.close();
        self.code = Some(Code { language: language.to_owned(), lines: Vec::new(), end, dropped });
    }

    /// Takes the line as code when code is open; `false` when the code ended before it.
    fn code_line(&mut self, number: u32, raw: &str) -> bool {
        let Some(code) = &mut self.code else { return false };
        let text = raw.trim();
        let (ends, consumes) = match &code.end {
            CodeEnd::Fence(fence) => (text.starts_with(fence.as_str()), true),
            CodeEnd::Pre => (text.contains("</pre>"), true),
            CodeEnd::Outdent(least) => (!text.is_empty() && indent(raw) < *least, false),
            CodeEnd::Blank => (text.is_empty(), false),
        };
        if !ends {
            code.lines.push((number, raw.to_owned()));
            return true;
        }
        if code.end == CodeEnd::Pre {
            let last = before_end(&code.lines, raw).to_owned();
            code.lines.push((number, last));
        }
        self.close_code();
        consumes
    }

    fn close_code(&mut self) {
        let Some(mut code) = self.code.take().filter(|c| !c.dropped) else { return };
        let is_blank = |line: Option<&NumberedLine>| line.is_some_and(|(_, t)| t.trim().is_empty());
        while is_blank(code.lines.last()) {
            code.lines.pop();
        }
        let blank = code.lines.iter().take_while(|l| is_blank(Some(l))).count();
        code.lines.drain(..blank);
        if !code.lines.is_empty() {
            self.blocks.push(Block::Code(code.language, code.lines));
        }
    }

    /// A heading with a line of `===` or `---` under it.
    fn underlined(&mut self, number: u32, raw: &str, next: &str) -> bool {
        let (text, rule) = (raw.trim(), next.trim());
        let is_rule = rule.len() >= 3
            && rule.chars().next().is_some_and(|c| "=-~^\"*+#".contains(c))
            && rule.chars().all(|c| rule.starts_with(c));
        let plain = !text.is_empty()
            && text.chars().any(char::is_alphabetic)
            && !text.starts_with(['-', '|', '>', '#'])
            && text.chars().count() < 80;
        if self.code.is_some() || self.open.is_some() || !is_rule || !plain {
            return false;
        }
        self.blocks.push(Block::Heading(clean(text), number));
        true
    }

    fn line(&mut self, number: u32, raw: &str) {
        if self.code_line(number, raw) {
            return;
        }
        // A quotation of Markdown is text like any other, and so is a line that breaks by hand, which ends there.
        let markdown = self.dialect == Dialect::Markdown;
        let raw = match raw.trim_start().strip_prefix('>') {
            Some(quoted) if markdown && !raw.contains("[!") => {
                quoted.strip_prefix(' ').unwrap_or(quoted)
            }
            _ => raw,
        };
        if let Some(whole) = raw.strip_suffix('\\').filter(|_| markdown) {
            self.line(number, whole);
            self.close();
            return;
        }
        let text = raw.trim();
        let lower = text.to_ascii_lowercase();
        if text.is_empty() || is_noise(text) {
            self.close();
        } else if let Some(fence) = ["```", "~~~"].into_iter().find(|f| text.starts_with(f)) {
            let marks: String = text.chars().take_while(|c| fence.starts_with(*c)).collect();
            let language = text.trim_start_matches(['`', '~']).trim();
            let language: String = language
                .chars()
                .take_while(|c| c.is_alphanumeric() || "+#-_".contains(*c))
                .collect();
            self.start_code(&language, CodeEnd::Fence(marks), false);
        } else if lower.starts_with("<pre") {
            let done = lower.contains("</pre>");
            self.start_code("", CodeEnd::Pre, false);
            if done {
                self.code = None;
            }
        } else if text.starts_with(">>> ") {
            self.start_code("python", CodeEnd::Blank, false);
            self.code_line(number, raw);
        } else if let Some((language, dropped)) = directive(text) {
            self.start_code(&language, CodeEnd::Outdent(indent(raw) + 1), dropped);
        } else if self.starts_indented_code(raw) {
            self.cut_short();
            self.start_code("", CodeEnd::Outdent(indent(raw).min(4)), false);
            self.code_line(number, raw);
        } else if let Some(heading) = heading(text, self.dialect) {
            self.close();
            self.blocks.push(Block::Heading(clean(heading), number));
        } else if let Some((name, about, rest)) = tag(text, self.dialect) {
            self.close();
            self.base = indent(raw) + 1;
            self.open = Some((Kind::Tag { name, about }, vec![(number, rest)]));
        } else if let Some(item) = item(text) {
            self.close();
            // An element of HTML ends where it says so, however its lines are indented.
            self.base = if text.starts_with("<li>") { 0 } else { indent(raw) + 1 };
            self.open = Some((Kind::Item, vec![(number, item.to_owned())]));
            self.end_item(&lower);
        } else if lower.starts_with("</ul") || lower.starts_with("</ol") {
            self.close();
        } else {
            self.text_line(number, raw);
        }
    }

    fn text_line(&mut self, number: u32, raw: &str) {
        let text = raw.trim();
        let new_paragraph = text.to_ascii_lowercase().starts_with("<p>")
            || matches!(&self.open, Some((Kind::Item, _)) if indent(raw) < self.base);
        if new_paragraph {
            self.close();
        }
        // rst: `text::` introduces indented code.
        let introduces_code = self.dialect == Dialect::Rst && text.ends_with("::");
        let text = if introduces_code {
            text.trim_end_matches(':').to_owned() + ":"
        } else {
            raw.to_owned()
        };
        match &mut self.open {
            Some((_, lines)) => lines.push((number, text)),
            None => self.open = Some((Kind::Text, vec![(number, text)])),
        }
        self.end_item(&raw.to_ascii_lowercase());
        if introduces_code {
            self.start_code("", CodeEnd::Outdent(indent(raw) + 1), false);
        }
    }

    fn end_item(&mut self, lower: &str) {
        if lower.trim_end().ends_with("</li>") {
            self.close();
        }
    }

    fn starts_indented_code(&self, raw: &str) -> bool {
        let least = match self.dialect {
            Dialect::Markdown => 4,
            Dialect::Go => 1,
            Dialect::Rst | Dialect::Javadoc => return false,
        };
        let deep = raw.starts_with('\t') || indent(raw) >= least;
        let go_list = self.dialect == Dialect::Go && item(raw.trim()).is_some();
        self.open.is_none() && deep && !go_list
    }
}

fn indent(text: &str) -> usize {
    text.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// Badges, tables, rules, link definitions, editor lines: nothing to read.
fn is_noise(text: &str) -> bool {
    let defines_link = text.starts_with('[')
        && text.split_once("]:").is_some_and(|(label, _)| !label.contains("]("));
    let badge = text.starts_with("[![") || text.starts_with("![") || text.starts_with(".. image");
    let rule = text.len() >= 3 && text.chars().all(|c| "-=*_~#/.".contains(c));
    defines_link
        || badge
        || rule
        || text.starts_with('|')
        || text.starts_with("> [!")
        || text.starts_with("#![")
}

fn heading(text: &str, dialect: Dialect) -> Option<&str> {
    let rest = text.trim_start_matches('#');
    let level = text.len() - rest.len();
    if text.starts_with("<h") && text.chars().nth(2).is_some_and(|c| c.is_ascii_digit()) {
        return Some(text);
    }
    let marked = (1..=6).contains(&level) && rest.starts_with(' ') && dialect != Dialect::Rst;
    let section = || {
        let name = text.strip_suffix(':')?;
        let known = [
            "Args",
            "Arguments",
            "Parameters",
            "Params",
            "Returns",
            "Return",
            "Raises",
            "Yields",
            "Example",
            "Examples",
            "Usage",
            "Note",
            "Notes",
            "Attributes",
            "Basic Usage",
            "Or as a context manager",
        ];
        known.contains(&name).then_some(name)
    };
    if marked { Some(rest.trim()) } else { section() }
}

/// `.. name::`: code, or something that is dropped.
fn directive(text: &str) -> Option<(String, bool)> {
    let rest = text.strip_prefix(".. ")?;
    let Some((name, argument)) = rest.split_once("::") else { return Some((String::new(), true)) };
    let code = matches!(name, "code" | "code-block" | "sourcecode" | "testcode");
    Some((if code { argument.trim().to_owned() } else { String::new() }, !code))
}

fn item(text: &str) -> Option<&str> {
    if let Some(rest) = ["- ", "* ", "+ ", "• ", "<li>"].iter().find_map(|m| text.strip_prefix(m))
    {
        return Some(rest.trim());
    }
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let rest = text.get(digits..)?;
    (1..=2).contains(&digits).then_some(())?;
    rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))
}

/// `@throws IOException when ...`, `:raises ValueError: when ...`; in rst any `:name: ...` is a field.
fn tag(text: &str, dialect: Dialect) -> Option<(String, String, String)> {
    if let Some(rest) = text.strip_prefix('@') {
        let (name, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if name.is_empty() || !name.chars().all(char::is_alphanumeric) {
            return None;
        }
        // JSDoc: the type in braces.
        let rest = match rest.trim_start().strip_prefix('{').and_then(|r| r.split_once("} ")) {
            Some((_, rest)) => rest,
            None => rest,
        };
        let takes_name = matches!(name, "param" | "throws" | "exception" | "property");
        let rest = rest.trim();
        let (about, rest) = match rest.split_once(char::is_whitespace) {
            _ if !takes_name => ("", rest),
            Some((about, rest)) => (about, rest.trim_start_matches('-').trim()),
            None => (rest, ""),
        };
        return Some((name.to_ascii_lowercase(), about.to_owned(), rest.to_owned()));
    }
    let (head, rest) = text.strip_prefix(':')?.split_once(':')?;
    if rest.starts_with('`') {
        return None;
    }
    let (name, about) = head.split_once(' ').unwrap_or((head, ""));
    let known = [
        "param", "type", "return", "returns", "rtype", "raises", "raise", "arg", "ivar", "var",
        "keyword", "meta",
    ];
    let is_field = dialect == Dialect::Rst
        && name.len() > 1
        && name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
        && (rest.is_empty() || rest.starts_with(' '));
    (is_field || known.contains(&name)).then(|| {
        let about = about.rsplit(' ').next().unwrap_or(about);
        (name.to_owned(), about.to_owned(), rest.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str, dialect: Dialect) -> Vec<String> {
        let lines: Vec<NumberedLine> = (1..).zip(text.lines().map(str::to_owned)).collect();
        let join = |s: Vec<Sentence>| s.into_iter().map(|s| s.text).collect::<Vec<_>>().join("/");
        parse(&lines, dialect)
            .into_iter()
            .map(|b| match b {
                Block::Heading(text, line) => format!("H{line} {text}"),
                Block::Text(s) => format!("T {}", join(s)),
                Block::Item(s) => format!("I {}", join(s)),
                Block::Code(language, lines) => format!("C{language} {}", lines.len()),
                Block::Tag { name, about, sentences } => {
                    format!("@{name} {about}: {}", join(sentences))
                }
            })
            .collect()
    }

    #[test]
    fn a_readme_falls_into_its_parts() {
        let text = "# Lib\n\n[![b](c)](d)\n\nAn **LRU**.\nTwo lines. End.\n\n```rust,no_run\nlet x;\n```\n- one\n  more\n- two\n\n[x]: http://y\n| a | b |\nTitle\n=====\nText";
        assert_eq!(
            blocks(text, Dialect::Markdown),
            [
                "H1 Lib",
                "T An LRU./Two lines./End.",
                "Crust 1",
                "I one more",
                "I two",
                "H17 Title",
                "T Text"
            ]
        );
    }

    #[test]
    fn a_quotation_is_text_and_a_break_by_hand_ends_a_line() {
        assert_eq!(
            blocks(
                "Type: a\\\nMinimum: 1\n\n> [!NOTE]\n> It is quoted\n> here.",
                Dialect::Markdown
            ),
            ["T Type: a", "T Minimum: 1", "T It is quoted here."]
        );
    }

    #[test]
    fn a_docstring_falls_into_its_parts() {
        let text = "A session.\n\nBasic Usage::\n\n  >>> import x\n  >>> y\n\nMore text.\n\n:param url: the URL\n   goes on\n:raises ValueError: if empty\n.. versionadded:: 1.0\n   gone\n\nLast.";
        assert_eq!(
            blocks(text, Dialect::Rst),
            [
                "T A session.",
                "T Basic Usage:",
                "C 2",
                "T More text.",
                "@param url: the URL goes on",
                "@raises ValueError: if empty",
                "T Last."
            ]
        );
    }

    #[test]
    fn javadoc_and_go_fall_into_their_parts() {
        let text = "Main class.\n<p>More <i>text</i>.\n<pre>\ncode\n</pre>\n<ul>\n<li>one\n</ul>\n@param a the a\n@throws E if bad";
        assert_eq!(
            blocks(text, Dialect::Javadoc),
            [
                "T Main class.",
                "T More text.",
                "C 1",
                "I one",
                "@param a: the a",
                "@throws E: if bad"
            ]
        );
        // The last line of the code may be the one that ends it.
        for (end, lines) in
            [("a();\n  b(); }</pre>", 2), ("if (a) {\n  b();\n}}</pre>", 3), ("a();\n}</pre>", 1)]
        {
            let told = blocks(&format!("Does it.\n<pre>{{@code\n{end}\nThen."), Dialect::Javadoc);
            assert_eq!(told, ["T Does it.".to_owned(), format!("C {lines}"), "T Then.".to_owned()]);
        }
        // Where an item ends is marked, whatever its lines are indented by.
        let text = "<ul>\n  <li>one that goes\n  on here:\n    <ul>\n      <li>inner</li>\n    </ul>\n  <li>two and\n  more</li>\n</ul>\nThen.";
        assert_eq!(
            blocks(text, Dialect::Javadoc),
            ["I one that goes on here:", "I inner", "I two and more", "T Then."]
        );
        assert_eq!(
            blocks("Run it. If a has it, it hides\n\n\tcode()\n\nThen.", Dialect::Go),
            ["T Run it.", "C 1", "T Then."]
        );
        assert_eq!(
            blocks("Run it.\n\n\tcode()\n\nThen.", Dialect::Go),
            ["T Run it.", "C 1", "T Then."]
        );
    }
}
