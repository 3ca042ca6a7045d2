//! Small readings of source text: types, dotted expressions, string literals.

use std::{borrow::Cow, ops::Range};

/// A type's or expression's path with arguments, generics and wrapping removed, such as `self.client`,
/// `Foo::new()`, `make().build()`; `None` when it is more than a path.
pub(super) fn chain(text: &str) -> Option<Cow<'_, str>> {
    let text = unwrapped(text);
    if !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'$'))
    {
        return text.starts_with(|c: char| !c.is_ascii_digit()).then_some(Cow::Borrowed(text));
    }
    let mut path = String::new();
    let mut depth = 0_u32;
    let mut in_string: Option<char> = None;
    for c in text.chars() {
        if let Some(quote) = in_string {
            if c == quote {
                in_string = None;
            }
            continue;
        }
        match c {
            '"' | '`' if depth > 0 => in_string = Some(c),
            '(' | '{' => {
                if depth == 0 {
                    path.push('(');
                }
                depth += 1;
            }
            '[' | '<' => depth += 1,
            ')' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    path.push(')');
                }
            }
            ']' | '>' => depth = depth.checked_sub(1)?,
            _ if depth > 0 => {}
            '!' | '?' | ' ' | '\n' | '\t' | '\r' => {}
            c if c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$') => path.push(c),
            _ => return None,
        }
    }
    let starts_well = path.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
    (depth == 0 && starts_well).then(|| Cow::Owned(path.replace("::::", "::").replace("::(", "(")))
}

/// The path of a declared type, with what only wraps it removed: `Option<Arc<a::Foo>>` gives `a::Foo`.
pub(super) fn type_path(text: &str) -> Option<Cow<'_, str>> {
    let mut text = unwrapped(text).trim_matches(['"', '\'']);
    for _ in 0..8 {
        let mut options =
            text.split('|').map(str::trim).filter(|t| !matches!(*t, "None" | "null" | "undefined"));
        text = match (options.next(), options.next()) {
            (Some(only), None) => unwrapped(only),
            _ => return None,
        };
        let base = base_type(text);
        let wraps = base.rsplit([':', '.']).next().is_some_and(|last| WRAPPERS.contains(&last));
        let open = text.find(['<', '[']).filter(|_| wraps);
        let Some(inside) = open.and_then(|at| text.get(at + 1..)) else {
            return chain(base);
        };
        let mut depth = 0_i32;
        let end = inside.find(|c| {
            match c {
                '<' | '[' | '(' => depth += 1,
                '>' | ']' | ')' => depth -= 1,
                _ => {}
            }
            depth < 0 || (depth == 0 && c == ',')
        });
        text = unwrapped(inside.get(..end?)?).trim_matches(['"', '\'']);
    }
    None
}

/// Types whose value is used like the one inside.
const WRAPPERS: [&str; 22] = [
    "Box",
    "Rc",
    "Arc",
    "Option",
    "Result",
    "Pin",
    "Cow",
    "RefCell",
    "Mutex",
    "RwLock",
    "Optional",
    "Promise",
    "CompletableFuture",
    "Awaitable",
    "ClassVar",
    "Final",
    "Readonly",
    "Partial",
    "Deferred",
    "Lazy",
    "Annotated",
    "Ref",
];

/// Without what stands before a type or value and says nothing of which it is.
fn unwrapped(mut text: &str) -> &str {
    loop {
        text = text.trim();
        let shorter = [
            "&", "*", "mut ", "dyn ", "impl ", "ref ", "await ", "new ", "const ", ":", "[]", "->",
            "'static ",
        ]
        .iter()
        .find_map(|mark| text.strip_prefix(mark));
        match shorter {
            Some(rest) => text = rest,
            None if text.starts_with('\'') => match text.split_once(' ') {
                Some((_, rest)) => text = rest,
                None => return text,
            },
            None => return text,
        }
    }
}

/// The path of a type without reference marks and type arguments: `&'a mut Foo<T>` gives `Foo`.
pub(super) fn base_type(text: &str) -> &str {
    let text = unwrapped(text);
    let end = text.find(['<', '[', '(', '?', ' ', '{']).unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim_end_matches("::")
}

/// On one line, space collapsed, without a trailing opening mark, at most `max` characters.
pub(super) fn on_one_line(text: &str, max: usize) -> String {
    let mut line = String::with_capacity(text.len().min(max + 8));
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > 4 * max {
            break;
        }
    }
    let line =
        line.trim_end_matches(['{', ':', '=', ' ', ';']).replace("( ", "(").replace(", )", ")");
    if line.chars().count() <= max {
        return line;
    }
    let mut short: String = line.chars().take(max - 1).collect();
    short.push('…');
    short
}

/// The first string literal in a failure's arguments that is its message. What is computed and joined to it shows as
/// `…`. A literal that isn't the first argument counts only if it reads like a message, with a space in it; one that is
/// handed to a function that makes something else of it, or to a parameter with another name, is none. With it comes
/// where in the text it stands.
pub(super) fn first_literal(text: &str, quotes: &[char]) -> Option<(String, Range<usize>)> {
    let mut from = 0;
    while let Some(open) = text.get(from..)?.find(quotes).map(|at| from + at) {
        let (before, at) = (text.get(..open)?, text.get(open..)?);
        let (content, rest) = literal(at)?;
        if speaks(before, quotes) && !is_one_of_two(rest) {
            let (message, rest) = message(before, content, rest, quotes)?;
            return Some((message, open..text.len() - rest.len()));
        }
        from = text.len() - rest.len();
    }
    None
}

/// The literal with all that is joined to it, and what comes after.
fn message<'t>(
    before: &str,
    mut message: String,
    mut rest: &'t str,
    quotes: &[char],
) -> Option<(String, &'t str)> {
    let direct = before.chars().all(|c| !c.is_alphanumeric() || c == 'f' || c == 'r' || c == 'b');
    loop {
        let next = rest.trim_start();
        let joined = next.strip_prefix('+').map(str::trim_start);
        let next = joined.unwrap_or(next);
        let bare = next.trim_start_matches(['f', 'r', 'b', 'u']);
        let more = if bare.starts_with(quotes) { literal(bare) } else { None };
        match more {
            // A function of the literal is what is joined: `", ".join(names)`.
            Some((more, after)) if !after.trim_start().starts_with('.') => {
                message.push_str(&more);
                rest = after;
            }
            _ if joined.is_some() => {
                if !message.ends_with('…') {
                    message.push('…');
                }
                let Some(end) = end_of_operand(next, quotes) else { break };
                rest = next.get(end..).unwrap_or("");
            }
            _ => break,
        }
    }
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let reads_well = message.contains(' ') && message.chars().any(char::is_alphabetic);
    (reads_well || (direct && !message.is_empty())).then(|| {
        let long = message.chars().count() > 300;
        let cut = || message.chars().take(299).chain(['…']).collect();
        (if long { cut() } else { message }, rest)
    })
}

/// Functions that hand on the text they are given, or fill it.
const FORMATS: [&str; 20] = [
    "",
    "format",
    "format_args",
    "sprintf",
    "Sprintf",
    "Sprint",
    "Errorf",
    "String",
    "Some",
    "Ok",
    "from",
    "into",
    "concat",
    "cleandoc",
    "dedent",
    "gettext",
    "ngettext",
    "_",
    "formatted",
    "lazy",
];

/// Names of parameters that take a message.
const MESSAGE_NAMES: [&str; 8] =
    ["message", "msg", "reason", "description", "detail", "details", "text", "error"];

/// Whether a literal after this much of a failure's arguments is handed to the failure itself.
fn speaks(before: &str, quotes: &[char]) -> bool {
    let mut open: Vec<(char, &str)> = Vec::new();
    let mut in_text = None;
    for (at, c) in before.char_indices() {
        match (in_text, c) {
            (Some(quote), _) if quote == c => in_text = None,
            (Some(_), _) => {}
            (None, _) if quotes.contains(&c) => in_text = Some(c),
            (None, '(' | '[' | '{') => open.push((c, last_word(before.get(..at).unwrap_or("")))),
            (None, ')' | ']' | '}') => {
                open.pop();
            }
            _ => {}
        }
    }
    // The brackets of the failure itself are no function's.
    let handed = open.iter().skip(1).all(|(c, name)| *c != '(' || FORMATS.contains(name));
    let end = before.trim_end().trim_end_matches(['f', 'r', 'b', 'u', '&', '*']).trim_end();
    let named = end.strip_suffix([':', '=']).filter(|rest| !rest.ends_with([':', '=', '!', '?']));
    // A word before a colon may as well be the end of a condition: `a ? b : "c"`.
    let fits = named.is_none_or(|rest| MESSAGE_NAMES.contains(&last_word(rest)));
    let joined =
        end.ends_with(['+', '?', '%', '.', '<', '>']) || end.ends_with("==") || end.ends_with("!=");
    handed && fits && !joined && !end.ends_with(" else") && !end.ends_with(" if")
}

/// The name that a text ends with.
fn last_word(text: &str) -> &str {
    let text = text.trim_end().trim_end_matches('!');
    let start = text.rfind(|c: char| !c.is_alphanumeric() && c != '_');
    text.get(
        start.map_or(0, |at| {
            at + text.get(at..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8)
        })..,
    )
    .unwrap_or("")
}

/// Whether what follows a literal chooses between it and another.
fn is_one_of_two(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with("if ") || rest.starts_with(':') || rest.starts_with('?')
}

/// The content of the literal that a text begins with, and what follows it.
fn literal(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next()?;
    let triple: String = [quote; 3].iter().collect();
    if let Some(inner) = text.strip_prefix(&triple) {
        let (content, rest) = inner.split_once(&triple)?;
        return Some((content.to_owned(), rest));
    }
    let mut content = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next()?.1 {
                'n' | 'r' | 't' | '\n' => content.push(' '),
                other => content.push(other),
            },
            c if c == quote => return Some((content, text.get(at + c.len_utf8()..)?)),
            c => content.push(c),
        }
    }
    None
}

/// Where the operand that a text begins with ends: at the next `+`, `,` or closing bracket of its level.
fn end_of_operand(text: &str, quotes: &[char]) -> Option<usize> {
    let mut depth = 0_i32;
    let mut in_text = None;
    for (at, c) in text.char_indices() {
        match c {
            _ if in_text == Some(c) => in_text = None,
            _ if in_text.is_some() => {}
            _ if quotes.contains(&c) => in_text = Some(c),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return Some(at),
            ')' | ']' | '}' => depth -= 1,
            '+' | ',' | ';' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_keeps_the_path_and_drops_the_rest() {
        for (text, path) in [
            ("self.client", Some("self.client")),
            ("Foo::new(a, \"(\")", Some("Foo::new()")),
            ("new Foo<Bar>(1).build(x)", Some("Foo().build()")),
            ("&'a mut Vec<T>", Some("Vec")),
            ("Foo::<T>::new()?", Some("Foo::new()")),
            ("Foo { a: 1 }", Some("Foo()")),
            ("a + b", None),
            ("\"text\"", None),
            ("3", None),
            ("(a)", None),
        ] {
            assert_eq!(chain(text).as_deref(), path, "{text}");
        }
    }

    #[test]
    fn a_type_is_named_without_its_wrapping() {
        for (text, path) in [
            ("&'a mut Foo<T>", Some("Foo")),
            ("Option<Arc<a::Foo>>", Some("a::Foo")),
            ("Result<Foo, Error>", Some("Foo")),
            ("Box<dyn Foo + Send>", Some("Foo")),
            ("Foo | None", Some("Foo")),
            ("Optional[\"Foo\"]", Some("Foo")),
            ("A | B", None),
            ("(A, B)", None),
        ] {
            assert_eq!(type_path(text).as_deref(), path, "{text}");
        }
    }

    #[test]
    fn a_signature_of_several_lines_loses_its_last_comma_and_a_tuple_keeps_its_own() {
        assert_eq!(on_one_line("def f(\n    a,\n    b,\n):", 80), "def f(a, b)");
        assert_eq!(on_one_line("def f(bases=(object,)):", 80), "def f(bases=(object,))");
    }

    #[test]
    fn the_first_literal_is_the_message() {
        let quotes = &['"', '\''];
        for (text, message) in [
            ("(\"no such file\")", Some("no such file")),
            ("(404, \"not here\")", Some("not here")),
            ("(lookup(\"key\"))", None),
            ("(\"bad \" + name + \" here\")", Some("bad … here")),
            ("(\"Lacks: \" + \", \".join(sorted(a)) + \".\")", Some("Lacks: ….")),
            ("(lookup(\"the key of it\"), \"is not here\")", Some("is not here")),
            ("(hint=\"the key of it\")", None),
            ("(E { store: \"a b\", message: format!(\"is not {here}\") })", Some("is not {here}")),
            ("(\"one thing\" if x else \"another thing\")", None),
            ("(x ? \"one thing\" : \"another thing\")", None),
            ("(f\"bad {x}\"\n   \" again\")", Some("bad {x} again")),
            ("(\"say \\\"hi\\\"\")", Some("say \"hi\"")),
            ("('''one\n two''')", Some("one two")),
            ("(e)", None),
            ("(\"open", None),
        ] {
            let found = first_literal(text, quotes).map(|(message, _)| message);
            assert_eq!(found.as_deref(), message, "{text}");
        }
    }

    #[test]
    fn signatures_fit_on_one_line() {
        assert_eq!(on_one_line("fn a(\n    b: u8,\n) -> C {", 300), "fn a(b: u8) -> C");
        assert_eq!(on_one_line("abcdef", 4), "abc…");
    }
}
