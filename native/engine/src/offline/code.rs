//! Reading code by its lines: the condition that guards a line, comments in a body, code in Markdown.

use super::{
    evidence::Evidence,
    prose::{self, NumberedLine, Sentence},
};

/// Under what condition a line is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Guard {
    /// This holds.
    When(String),
    /// This doesn't hold.
    Unless(String),
    /// This failure was caught.
    Catching(String),
}

/// A line of code for running text: without indentation, at most 100 characters, in backticks.
pub(crate) fn inline_code(text: &str) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_end_matches([';', '{', ',']).trim_end();
    let whole = text.matches('(').count() == text.matches(')').count();
    let fits =
        !text.is_empty() && whole && text.chars().count() <= 100 && !text.contains("[REDACTED");
    fits.then(|| if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") })
}

/// How far a line is indented; a tab counts as four.
pub(crate) fn indent(text: &str) -> usize {
    text.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// The condition right around `line` in a body that starts at `start`, and the line it stands on. Only what was
/// observed counts; a condition that is too long to read is none.
pub(crate) fn guard(
    evidence: &Evidence,
    path: &str,
    start: u32,
    line: u32,
) -> Option<(Guard, u32)> {
    let text = evidence.line(path, line)?;
    if let Some(guard) = same_line(text.trim(), path.ends_with(".rs")) {
        return Some((guard, line));
    }
    let mut depth = indent(text);
    let mut at = line;
    while at > start {
        at -= 1;
        let above = evidence.line(path, at)?;
        let trimmed = above.trim();
        if trimmed.is_empty() || indent(above) >= depth || is_comment(trimmed) {
            continue;
        }
        depth = indent(above);
        let (header, from) = whole_header(evidence, path, start, at)?;
        let header = header.split(" // ").next().unwrap_or(&header);
        let header = header.trim_start_matches('}').trim();
        let rust = path.ends_with(".rs");
        let pattern = header.strip_suffix("=>").or(header.strip_suffix("=> {"));
        if let Some(pattern) = pattern.filter(|_| rust) {
            let subject = matched(evidence, path, start, from, depth);
            return arm(pattern.trim(), subject).map(|g| (g, from));
        }
        if header.starts_with("else") && !header.starts_with("else if") {
            let condition = opposite(evidence, path, start, from, depth)?;
            return short(&condition).map(|c| (Guard::Unless(c), from));
        }
        if let Some(condition) = condition(header) {
            return short(&condition).filter(|c| !says_nothing(c)).map(|c| (Guard::When(c), from));
        }
        if let Some(caught) = caught(header) {
            return short(&caught).map(|c| (Guard::Catching(c), from));
        }
        let passes = ["try", "with ", "{", "return ", "throw ", "raise ", "unsafe"];
        if !passes.iter().any(|p| header.starts_with(p)) {
            return None;
        }
    }
    None
}

/// `if x { throw }` on one line, `require(x) { }`, `None => return Err(..)`.
fn same_line(text: &str, rust: bool) -> Option<Guard> {
    for keyword in ["require(", "check(", "assert!(", "debug_assert!(", "assert("] {
        if let Some(rest) = text.strip_prefix(keyword) {
            let argument = first_argument(rest)?;
            return short(&argument).map(Guard::Unless);
        }
    }
    if text.starts_with("if ") || text.starts_with("if(") {
        let stops = ["return ", "throw ", "raise ", "panic"];
        let stop = stops.iter().filter_map(|s| text.find(s)).min()?;
        let head = text.get(..stop)?.trim_end().trim_end_matches(['{', ':']).trim_end();
        return short(&condition(head)?).filter(|c| !says_nothing(c)).map(Guard::When);
    }
    let (pattern, rest) = text.split_once("=>").filter(|_| rust)?;
    let fails = rest.contains("Err(") || rest.contains("panic") || rest.contains("throw");
    if fails { arm(pattern.trim(), None) } else { None }
}

/// A match arm as a condition.
fn arm(pattern: &str, subject: Option<String>) -> Option<Guard> {
    if pattern == "_" || pattern.starts_with("Err(") || pattern.contains('\n') {
        return None;
    }
    let condition = match subject {
        Some(subject) => format!("{subject} is {pattern}"),
        None => pattern.to_owned(),
    };
    short(&condition).map(Guard::When)
}

/// What the `match` around an arm looks at.
fn matched(evidence: &Evidence, path: &str, start: u32, from: u32, depth: usize) -> Option<String> {
    (start..from)
        .rev()
        .map_while(|n| evidence.line(path, n))
        .find(|t| !t.trim().is_empty() && indent(t) < depth)
        .and_then(|t| {
            let rest = t.trim().split_once("match ")?.1;
            Some(rest.trim_end_matches('{').trim().to_owned())
        })
        .filter(|s| s.len() <= 40)
}

/// The condition of the `if` that an `else` belongs to; `None` in a chain of several.
fn opposite(
    evidence: &Evidence,
    path: &str,
    start: u32,
    from: u32,
    depth: usize,
) -> Option<String> {
    let header = (start..from)
        .rev()
        .map_while(|n| evidence.line(path, n))
        .find(|t| !t.trim().is_empty() && indent(t) == depth && !is_comment(t.trim()))?;
    let header = header.trim().trim_end_matches('{').trim_end();
    if header.starts_with("if") { condition(header) } else { None }
}

/// The header that ends at `at`, with the lines before it when it is spread over several; and its first line.
fn whole_header(evidence: &Evidence, path: &str, start: u32, at: u32) -> Option<(String, u32)> {
    let last = evidence.line(path, at)?.trim().to_owned();
    if !last.starts_with(')') && !last.starts_with("{") && last != "||" {
        return Some((last, at));
    }
    let depth = indent(evidence.line(path, at)?);
    let mut parts = vec![last];
    let mut line = at;
    while line > start && parts.len() < 6 {
        line -= 1;
        let text = evidence.line(path, line)?;
        parts.push(text.trim().to_owned());
        if indent(text) <= depth && !text.trim().is_empty() {
            parts.reverse();
            return Some((parts.join(" "), line));
        }
    }
    None
}

/// The condition of an `if`, `elif` or `else if`.
fn condition(header: &str) -> Option<String> {
    let rest = ["else if", "elif", "if", "unless"].iter().find_map(|k| {
        let rest = header.strip_prefix(k)?;
        rest.starts_with([' ', '(']).then_some(rest)
    })?;
    let rest = rest.trim().trim_end_matches(['{', ':']).trim();
    // Go: `if err := f(); err != nil`.
    let rest = rest.rsplit_once("; ").map_or(rest, |(_, c)| c);
    Some(unwrap_parens(rest).to_owned())
}

fn caught(header: &str) -> Option<String> {
    let rest = header.strip_prefix("except").or_else(|| header.strip_prefix("catch"))?;
    let rest = rest.trim().trim_end_matches([':', '{']).trim();
    let rest = unwrap_parens(rest);
    let rest = rest.split(" as ").next().unwrap_or(rest).trim();
    // Java: `catch (IOException e)`.
    let rest =
        if rest.starts_with('(') { rest } else { rest.split_once(' ').map_or(rest, |(t, _)| t) };
    (!rest.is_empty()).then(|| rest.trim_end_matches(':').to_owned())
}

fn unwrap_parens(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else { return text };
    let mut depth = 0_i32;
    for c in inner.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth < 0 {
            return text;
        }
    }
    inner.trim()
}

fn first_argument(text: &str) -> Option<String> {
    let mut depth = 0_i32;
    let end = text.char_indices().find(|(_, c)| {
        depth += i32::from("([{".contains(*c)) - i32::from(")]}".contains(*c));
        depth < 0 || (depth == 0 && *c == ',')
    });
    text.get(..end?.0).map(|t| t.trim().to_owned())
}

fn short(condition: &str) -> Option<String> {
    let text = condition.split_whitespace().collect::<Vec<_>>().join(" ");
    let balanced = text.matches('(').count() == text.matches(')').count();
    (!text.is_empty() && text.chars().count() <= 90 && balanced).then_some(text)
}

/// Conditions that only pass an earlier failure on.
fn says_nothing(condition: &str) -> bool {
    matches!(condition, "err != nil" | "err" | "error" | "e" | "ok" | "!ok" | "True" | "true")
}

/// Whether a trimmed line is nothing but a comment.
pub(crate) fn is_comment(text: &str) -> bool {
    let hash = text.starts_with("# ") || text == "#";
    text.starts_with("//") || hash || text.starts_with("/*") || text.starts_with("* ")
}

/// The comments in a body that say something, each with the line of code after it.
pub(crate) fn comments(
    evidence: &Evidence,
    path: &str,
    start: u32,
    end: u32,
) -> Vec<(Sentence, u32)> {
    let lines = evidence.lines(path, start, end);
    let mut found = Vec::new();
    let mut run: Vec<NumberedLine> = Vec::new();
    for (number, text) in lines {
        let trimmed = text.trim();
        let doc = trimmed.starts_with("///") || trimmed.starts_with("/**");
        let star = trimmed.starts_with("* ") && path.ends_with(".py");
        if is_comment(trimmed) && !doc && !star {
            run.push((number, text));
        } else if !run.is_empty() {
            found.extend(telling(path, &run).map(|s| (s, number)));
            run.clear();
        }
    }
    found
}

/// The first sentence of a comment, unless it is code that was put aside or an order to a tool.
fn telling(path: &str, run: &[NumberedLine]) -> Option<Sentence> {
    let orders = [
        "noqa", "type:", "pylint", "eslint", "nolint", "istanbul", "c8 ", "pragma", "@ts-",
        "SAFETY", "prettier",
    ];
    let (_, first) = run.first()?;
    if orders.iter().any(|o| first.contains(o)) {
        return None;
    }
    let blocks = prose::read(path, run);
    let sentence = prose::statements(&blocks).into_iter().next()?;
    let code = [" = ", "();", ");", " => ", "->", "{", "}", "==", "self.", "this."];
    let is_code = code.iter().any(|c| sentence.text.contains(c)) || sentence.text.ends_with(';');
    (!is_code && sentence.text.split_whitespace().count() >= 4).then_some(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::fixture::evidence;

    fn guarded(path: &str, text: &str) -> Option<Guard> {
        let evidence = evidence(&[(path, text)]);
        let last = u32::try_from(text.lines().count()).unwrap();
        guard(&evidence, path, 1, last).map(|(g, _)| g)
    }

    #[test]
    fn the_condition_of_a_failure_is_read_from_the_lines_above_it() {
        let when = |c: &str| Some(Guard::When(c.to_owned()));
        let cases = [
            ("a.py", "def f(x):\n    if not x:\n        # no\n        raise E()", when("not x")),
            (
                "a.py",
                "def f(x):\n    if (\n        a\n        and b\n    ):\n        raise E()",
                when("a and b"),
            ),
            (
                "a.py",
                "def f():\n  try:\n    g()\n  except (A, B) as e:\n    raise E()",
                Some(Guard::Catching("(A, B)".to_owned())),
            ),
            (
                "a.py",
                "def f(x):\n  if x:\n    y()\n  else:\n    raise E()",
                Some(Guard::Unless("x".to_owned())),
            ),
            (
                "A.java",
                "void f() {\n  if (a.b() == null) {\n    throw new E();",
                when("a.b() == null"),
            ),
            (
                "A.java",
                "void f() {\n  } catch (IOException e) {\n    throw new E();",
                Some(Guard::Catching("IOException".to_owned())),
            ),
            ("a.go", "func f() {\n\tif err := g(); err != nil {\n\t\treturn errors.New()", None),
            (
                "a.go",
                "func f() {\n\tif len(a) == 0 {\n\t\treturn errors.New()",
                when("len(a) == 0"),
            ),
            (
                "a.rs",
                "fn f() {\n    match x {\n        None => {\n            return Err(E);",
                when("x is None"),
            ),
            (
                "a.rs",
                "fn f() {\n    assert!(cap > 0, \"no\");",
                Some(Guard::Unless("cap > 0".to_owned())),
            ),
            (
                "a.kt",
                "fun f() {\n    require(n >= 0L) { \"n\" }",
                Some(Guard::Unless("n >= 0L".to_owned())),
            ),
            ("a.js", "function f() {\n  if (!x) throw new TypeError('x');", when("!x")),
            ("a.py", "def f(x):\n    raise E()", None),
        ];
        for (path, text, wanted) in cases {
            assert_eq!(guarded(path, text), wanted, "{text}");
        }
    }

    #[test]
    fn comments_that_say_something_are_found_with_the_code_after_them() {
        let text = "def f():\n    # Create the Request object first.\n    x()\n    # y = z()\n    y()\n    # noqa: this is an order\n    z()";
        let evidence = evidence(&[("a.py", text)]);
        let found = comments(&evidence, "a.py", 1, 7);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].0.text.as_str(), found[0].0.start, found[0].1),
            ("Create the Request object first.", 2, 3)
        );
    }
}
