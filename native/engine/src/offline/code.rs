//! Reading code by its lines: what a check asks for, comments in a body, code for running text.

use std::collections::BTreeSet;

use super::{
    evidence::Evidence,
    prose::{self, NumberedLine, Sentence},
};

/// A line of code for running text: without indentation, at most 100 characters, in backticks.
pub(crate) fn inline_code(text: &str) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_end_matches([';', '{', ',']).trim_end();
    let whole = text.matches('(').count() == text.matches(')').count();
    let fits =
        !text.is_empty() && whole && text.chars().count() <= 100 && !text.contains("[REDACTED");
    fits.then(|| if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") })
}

/// A line of code for running text, if it is a whole statement: no part of one that goes on in the next line.
pub(crate) fn statement(evidence: &Evidence, path: &str, line: u32) -> Option<String> {
    let text = evidence.line(path, line)?.trim();
    // A mark in a string begins no comment.
    let bare = without_comment(text).trim_end();
    let is_whole = !bare.is_empty() && bare.matches('"').count().is_multiple_of(2);
    let text = if is_whole { bare } else { text };
    let goes_on = |text: &str| {
        let signs = ["?", ":", ".", "&&", "||", "+", "|", "<", ">", "=", ")", "]", "}"];
        signs.iter().any(|sign| text.starts_with(sign))
    };
    let open = ["=", "+", "&&", "||", "?", ":", "<", "(", "[", "\\", "=>", "->", ".", ","];
    let is_open = open.iter().any(|sign| text.ends_with(sign)) && !opens_block(path, text);
    let is_value = text.strip_suffix('{').is_some_and(begins_value);
    let next = evidence.line(path, line + 1).map(str::trim).unwrap_or_default();
    let next_goes_on = goes_on(next) && !next.starts_with([')', ']', '}', '<', '>']);
    (!goes_on(text) && !is_open && !is_value && !next_goes_on).then(|| inline_code(text))?
}

/// Whether what stands before a `{` begins a value: `p := &Parser`, `return Parser`, `Parser` alone. At the end of a
/// header it opens a block.
fn begins_value(text: &str) -> bool {
    let text = text.trim_end();
    let header = ["if ", "for ", "while ", "switch ", "match ", "}"];
    let is_path = text.starts_with(char::is_uppercase)
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.'));
    let is_set = text.contains("= ") && !header.iter().any(|word| text.starts_with(word));
    is_path || is_set || text.starts_with("return ")
}

/// Whether a line of Python is the whole head of a block: `with open(path) as file:`.
fn opens_block(path: &str, text: &str) -> bool {
    let words = ["with ", "async with ", "for ", "async for ", "if ", "elif ", "while "];
    let is_head = path.ends_with(".py") && words.iter().any(|word| text.starts_with(word));
    is_head && text.ends_with(':')
}

/// How far a line is indented; a tab counts as four.
pub(crate) fn indent(text: &str) -> usize {
    text.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// A line without so much of its indentation; what is no space stays.
pub(crate) fn unindented(text: &str, by: usize) -> &str {
    let mut rest = text;
    while let Some(next) = rest.strip_prefix(char::is_whitespace).filter(|next| {
        let passed = text.get(..text.len() - next.len()).unwrap_or_default();
        indent(passed) <= by
    }) {
        rest = next;
    }
    rest
}

/// What a check on this line asks for: `require(x) { }`, `assert!(x)`.
pub(crate) fn checked(text: &str) -> Option<String> {
    let checks =
        ["require(", "check(", "ensure!(", "assert!(", "checkArgument(", "checkState(", "assert("];
    let rest = checks.iter().find_map(|c| text.trim().strip_prefix(c))?;
    short(&first_argument(rest)?)
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
pub(crate) fn says_nothing(condition: &str) -> bool {
    matches!(condition, "err != nil" | "err" | "error" | "e" | "ok" | "!ok" | "True" | "true")
}

/// Whether a comparison with one literal excludes that with another: `n == 1` and `n == 2`, also as a part of what must
/// all hold.
pub(crate) fn excludes(holds: &str, other: &str) -> bool {
    let is_choice = [" || ", " or "].iter().any(|or| other.contains(or));
    let parts = other.split(" && ").flat_map(|part| part.split(" and "));
    !is_choice && parts.into_iter().any(|part| excludes_value(holds, part))
}

fn excludes_value(holds: &str, other: &str) -> bool {
    let parts = |text: &str| {
        let (subject, value) = text.split_once(" === ").or_else(|| text.split_once(" == "))?;
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
        let quoted = |q: char| value.strip_prefix(q)?.strip_suffix(q);
        let is_number =
            value.starts_with(|c: char| c.is_ascii_digit() || c == '-') && value.chars().all(plain);
        let is_text = ['"', '\''].into_iter().filter_map(quoted).any(|t| !t.contains(['"', '\'']));
        (is_number || is_text).then(|| (subject.to_owned(), value.to_owned()))
    };
    let (Some(a), Some(b)) = (parts(holds), parts(other)) else { return false };
    a.0 == b.0 && a.1 != b.1
}

/// A condition without the "not" before the whole of it: of `!a && b` it is no part.
pub(crate) fn without_not(condition: &str) -> Option<&str> {
    let rest = condition.strip_prefix('!').or_else(|| condition.strip_prefix("not "))?;
    let is_one =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '(' | ')' | '[' | ']' | '$');
    rest.chars().all(is_one).then_some(rest)
}

/// The variables that a piece of code names: no members of others, nothing that is called, and no words of a text.
pub(crate) fn variables(code: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let outside_texts = code.split(['"', '\'', '`']).step_by(2);
    let mut found = BTreeSet::new();
    for mut rest in outside_texts {
        while let Some(start) = rest.find(is_part) {
            let is_member = rest.get(..start).is_some_and(|before| before.ends_with(['.', '#']));
            let word = rest.get(start..).unwrap_or_default();
            let (name, after) = word.split_at(word.find(|c| !is_part(c)).unwrap_or(word.len()));
            let is_number = name.starts_with(|c: char| c.is_ascii_digit());
            if !is_member && !after.starts_with('(') && !is_number {
                found.insert(name);
            }
            rest = after;
        }
    }
    found
}

/// The variables that a line of code sets.
pub(crate) fn assigned(line: &str) -> impl Iterator<Item = &str> {
    let set = line.match_indices('=').find(|(at, _)| {
        let before = line.get(..*at).unwrap_or_default();
        let after = line.get(at + 1..).unwrap_or_default();
        !before.ends_with(['=', '!', '<', '>']) && !after.starts_with(['=', '>'])
    });
    let target = set.and_then(|(at, _)| line.get(..at)).unwrap_or_default();
    let target = if target.contains(['(', '"', '\'']) { "" } else { target };
    let names = target.split(',').filter_map(|part| {
        let part = part.split(':').next().unwrap_or_default();
        part.trim_end_matches(['+', '-', '*', '/', '|', '&', '?', ' '])
            .split_whitespace()
            .next_back()
    });
    names.filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

/// Whether a trimmed line is nothing but a comment.
pub(crate) fn is_comment(text: &str) -> bool {
    let hash = text.starts_with("# ") || text == "#";
    text.starts_with("//") || hash || text.starts_with("/*") || text.starts_with("* ")
}

/// Where the round bracket is closed that was opened right before this text.
pub(crate) fn closing(text: &str) -> Option<usize> {
    let mut depth = 1_i32;
    let mut places = text.char_indices();
    let close = places.find(|(_, c)| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        depth == 0
    });
    close.map(|(at, _)| at)
}

/// A line of code without the comment at its end.
pub(crate) fn without_comment(line: &str) -> &str {
    let trimmed = line.trim_start();
    if trimmed.starts_with("//") || trimmed.starts_with("# ") || trimmed.starts_with('*') {
        return "";
    }
    let cut = [" // ", " # ", "\t// "].iter().filter_map(|m| line.find(m)).min();
    cut.and_then(|n| line.get(..n)).unwrap_or(line)
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
    // Inside of `/* */` a line needs no mark of its own.
    let mut in_block = false;
    for (number, text) in lines {
        let trimmed = text.trim();
        let inside = in_block;
        in_block = (inside || trimmed.starts_with("/*")) && !trimmed.contains("*/");
        let doc = trimmed.starts_with("///") || trimmed.starts_with("/**");
        let star = trimmed.starts_with("* ") && path.ends_with(".py");
        if (inside || is_comment(trimmed)) && !doc && !star {
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
    let mut remarks = remarks(run).into_iter().rev();
    let first = |remark| prose::statements(&prose::read(path, remark)).into_iter().next();
    let sentence = remarks.find_map(|r| first(r).filter(|s| !s.text.starts_with("Note")))?;
    // What once was is no step of what happens now.
    let first_word = sentence.text.split_whitespace().next().unwrap_or_default();
    let past = (first_word.ends_with("ed") && first_word != "Need")
        || [" was ", " were ", " used to ", "TODO", "FIXME", "HACK", "XXX", "orkaround"]
            .iter()
            .any(|w| sentence.text.contains(w));
    if past || sentence.text.ends_with('?') {
        return None;
    }
    let code = [" = ", "();", ");", " => ", "->", "{", "}", "==", "self.", "this."];
    let is_code = code.iter().any(|c| sentence.text.contains(c)) || sentence.text.ends_with(';');
    (!is_code && sentence.text.split_whitespace().count() >= 4).then_some(sentence)
}

/// Widest line, in characters, that those who wrap their comments early write.
const WRAPPED: usize = 72;

/// A comment by its remarks: after a line that was broken before its time, what begins with a capital is a new one.
fn remarks(run: &[NumberedLine]) -> Vec<&[NumberedLine]> {
    let width = run.iter().map(|(_, line)| line.chars().count()).max().unwrap_or(0).max(WRAPPED);
    let is_new = |before: &str, after: &str| {
        let after = after.trim().trim_start_matches(['/', '#', '*']).trim_start();
        let word = after.split_whitespace().next().unwrap_or_default();
        let fits = before.chars().count() + 1 + word.chars().count() <= width;
        let goes_on = before.trim_end().ends_with(['.', ',', ';', ':', '-', '(', '!', '?']);
        fits && !goes_on && after.starts_with(char::is_uppercase)
    };
    run.chunk_by(|(_, before), (_, after)| !is_new(before, after)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::fixture::evidence;

    #[test]
    fn what_a_check_asks_for_is_read_from_its_line() {
        let checks = [
            ("    assert!(cap > 0, \"no\");", Some("cap > 0")),
            ("  require(n >= f(0L, 1)) { \"n\" }", Some("n >= f(0L, 1)")),
            ("    checked(a)", None),
            ("    require(a(", None),
        ];
        for (line, wanted) in checks {
            assert_eq!(checked(line).as_deref(), wanted, "{line}");
        }
    }

    #[test]
    fn comments_that_say_something_are_found_with_the_code_after_them() {
        let text = "def f():\n    # Create the Request object first.\n    x()\n    # y = z()\n    y()\n    # noqa: this is an order\n    z()";
        let evidence = evidence(&[("a.py", text)]);
        let block = "fn f() {\n    /* Add up what there is, because multiplying\n    by two may never be too much. */\n    x()\n}";
        let blocks = comments(&crate::offline::fixture::evidence(&[("a.rs", block)]), "a.rs", 1, 5);
        assert_eq!(
            (blocks[0].0.text.as_str(), blocks[0].1),
            ("Add up what there is, because multiplying by two may never be too much.", 4)
        );
        let found = comments(&evidence, "a.py", 1, 7);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].0.text.as_str(), found[0].0.start, found[0].1),
            ("Create the Request object first.", 2, 3)
        );
    }

    #[test]
    fn a_statement_is_shown_without_the_comment_behind_it() {
        let text = "a = f(x)  # type: ignore[arg-type]\nb = g(\"x # y\")\n";
        let evidence = evidence(&[("a.py", text)]);
        assert_eq!(statement(&evidence, "a.py", 1).as_deref(), Some("`a = f(x)`"));
        assert_eq!(statement(&evidence, "a.py", 2).as_deref(), Some("`b = g(\"x # y\")`"));
    }

    #[test]
    fn indentation_is_taken_away_by_its_width() {
        assert_eq!(unindented("\t\tx := 1", 4), "\tx := 1");
        assert_eq!(unindented("    x", 4), "x");
        assert_eq!(unindented("x", 4), "x");
        assert_eq!(unindented("", 4), "");
    }

    #[test]
    fn half_a_statement_is_not_shown() {
        let text = "return isBounded()\n    ? new Bounded(self)\n    : new Unbounded(self);\nlet response = Response\n    .of(1);\n\
                    let p = Parser {\n    a: 1,\n};\nreturn new Union<\nlet whole = Parser::new();\nif whole {\nc := &Conn{\nBytes {\n";
        let evidence = evidence(&[("a.ts", text)]);
        let shown: Vec<u32> =
            (1..=13).filter(|line| statement(&evidence, "a.ts", *line).is_some()).collect();
        assert_eq!(shown, [10, 11]);
        assert_eq!(
            statement(&evidence, "a.ts", 10).as_deref(),
            Some("`let whole = Parser::new()`")
        );
    }

    #[test]
    fn the_head_of_a_block_of_python_is_whole() {
        let text = "with open(path) as file:\nif a and (\nmatch = pattern[1:\n";
        let evidence = evidence(&[("a.py", text)]);
        let head = statement(&evidence, "a.py", 1);
        assert_eq!(head.as_deref(), Some("`with open(path) as file:`"));
        assert!(
            statement(&evidence, "a.py", 2).is_none() && statement(&evidence, "a.py", 3).is_none()
        );
    }

    #[test]
    fn a_line_that_was_broken_early_ends_a_remark() {
        let text = "def f():\n    # Custom bar formatting\n    # Fill in what is known of the bar\n    x()\n    \
                    # Asks the server for the time of day, which it knows better than our\n    # Clock does on most days\n    y()";
        let found = comments(&evidence(&[("a.py", text)]), "a.py", 1, 7);
        let told: Vec<&str> = found.iter().map(|(sentence, _)| sentence.text.as_str()).collect();
        assert_eq!(
            told,
            [
                "Fill in what is known of the bar",
                "Asks the server for the time of day, which it knows better than our Clock does on most days"
            ]
        );
    }

    #[test]
    fn of_several_remarks_the_last_that_is_no_note_is_told() {
        let text = "void f() {\n                // must have an object by now, so simply write it as a field of that\n                // Note, too, that it is a bit tricky, since the start of what is written must be there first of all\n                x();\n}";
        let found = comments(&evidence(&[("A.java", text)]), "A.java", 1, 5);
        let told: Vec<&str> = found.iter().map(|(sentence, _)| sentence.text.as_str()).collect();
        assert_eq!(told, ["must have an object by now, so simply write it as a field of that"]);
    }

    #[test]
    fn variables_are_neither_members_nor_called() {
        let named: Vec<&str> =
            variables("a and not stat.is_dir(b.size) && this.#c || d_1 == \"e f\"")
                .into_iter()
                .collect();
        assert_eq!(named, ["a", "and", "b", "d_1", "not", "stat", "this"]);
        for (line, wanted) in [
            ("    path, found = await look_up(path, 1)", vec!["path", "found"]),
            ("let mut size: u32 = 1;", vec!["size"]),
            ("\tsize := 1", vec!["size"]),
            ("size += 1", vec!["size"]),
            ("this.size = 1", vec![]),
            ("if size == 1 {", vec![]),
            ("call(size=1)", vec![]),
            ("size => 1", vec![]),
        ] {
            assert_eq!(assigned(line).collect::<Vec<_>>(), wanted, "{line}");
        }
    }

    #[test]
    fn one_literal_excludes_another_and_no_variable_does() {
        for (holds, other, is_excluded) in [
            ("n == 0", "n == 1", true),
            ("kind === 'a'", "kind === 'b'", true),
            ("n == 0", "n == 1 && m", true),
            ("n == 0", "n == 1 && m || k", false),
            ("n == 0", "n == 0", false),
            ("n == a", "n == b", false),
            ("n == 0", "m == 1", false),
            ("n > 0", "n == 1", false),
            ("n == 0 && m", "n == 1", false),
        ] {
            assert_eq!(excludes(holds, other), is_excluded, "{holds}, {other}");
        }
    }

    #[test]
    fn only_what_is_denied_as_a_whole_is_told_without_the_denial() {
        assert_eq!(without_not("!tx.managed"), Some("tx.managed"));
        assert_eq!(without_not("not is_open(a)"), Some("is_open(a)"));
        for kept in ["!a && b", "not a or b", "a != b", "open"] {
            assert_eq!(without_not(kept), None, "{kept}");
        }
    }
}
