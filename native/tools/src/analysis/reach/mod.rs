//! Which conditions stand around each place of a file, in which order its calls are evaluated, and where it returns.

mod cases;
mod catches;
mod jumps;

use std::ops::Range;

use ouro_core::analysis::{Condition, ConditionKind, Reached};
use tree_sitter::{Node, Tree};

pub(super) use self::catches::is_swallowed;
use self::{
    cases::{CASES, arm, case, is_label},
    catches::{caught, may_catch},
    jumps::{is_jump, passed},
};
use super::expression::on_one_line;

/// Longest condition that is told, in characters.
const MAX_CONDITION: usize = 90;

/// Functions of every kind. What stands in one runs when it is called; what is deferred, when the function around it
/// ends; what is started beside it, at some time.
const FUNCTIONS: [&str; 25] = [
    "function_definition",
    "function_declaration",
    "function_item",
    "function_expression",
    "function",
    "generator_function",
    "generator_function_declaration",
    "generator_expression",
    "method_declaration",
    "method_definition",
    "constructor_declaration",
    "compact_constructor_declaration",
    "secondary_constructor",
    "arrow_function",
    "lambda",
    "lambda_expression",
    "lambda_literal",
    "closure_expression",
    "func_literal",
    "anonymous_function",
    "anonymous_initializer",
    "defer_statement",
    "go_statement",
    "getter",
    "setter",
];

/// Calls and what looks like one: what constructs a value.
const CALLS: [&str; 9] = [
    "call",
    "call_expression",
    "method_invocation",
    "object_creation_expression",
    "new_expression",
    "macro_invocation",
    "struct_expression",
    "composite_literal",
    "infix_expression",
];

/// Ends of a function, in the words of each language.
const RETURNS: [&str; 2] = ["return_statement", "return_expression"];

/// What a stretch of code is for what stands in it.
#[derive(Debug)]
enum Kind {
    /// A function.
    Function,
    /// What fails in it may be caught around it.
    Tried,
    /// These hold in it, beside what holds around it.
    Branch {
        /// What can be told.
        known: Vec<Condition>,
        /// Whether that is all.
        is_whole: bool,
    },
}

/// Something holds there that can't be told.
const UNTOLD: Kind = Kind::Branch { known: Vec::new(), is_whole: false };

#[derive(Debug)]
struct Region {
    start: usize,
    end: usize,
    parent: Option<usize>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
struct Call {
    arguments: usize,
    start: usize,
    end: usize,
    count: u8,
}

/// The branches, calls and returns of one file.
#[derive(Debug, Default)]
pub(super) struct Branches {
    regions: Vec<Region>,
    /// By the byte that the arguments start at.
    calls: Vec<Call>,
    returns: Vec<Range<usize>>,
}

impl Branches {
    /// Reads a file's tree.
    pub(super) fn of(tree: &Tree, text: &str) -> Self {
        let mut found = Self::default();
        let mut cursor = tree.walk();
        let mut open: Vec<usize> = Vec::new();
        let mut above: Vec<Node<'_>> = Vec::new();
        // What begins behind the statements that are read now, the next last.
        let mut ahead: Vec<Region> = Vec::new();
        loop {
            let node = cursor.node();
            while open
                .last()
                .and_then(|at| found.regions.get(*at))
                .is_some_and(|r| r.end <= node.start_byte())
            {
                open.pop();
            }
            while let Some(region) = ahead.pop_if(|r| r.start <= node.start_byte()) {
                if region.end > node.start_byte() {
                    let parent = open.last().copied();
                    open.push(found.regions.len());
                    found.regions.push(Region { start: node.start_byte(), parent, ..region });
                }
            }
            if node.is_named() {
                if let Some(kind) = kind(node, cursor.field_name(), above.last().copied(), text) {
                    let parent = open.last().copied();
                    open.push(found.regions.len());
                    let (start, end) = (node.start_byte(), node.end_byte());
                    found.regions.push(Region { start, end, parent, kind });
                }
                found.calls.extend(call(node));
                if RETURNS.contains(&node.kind()) {
                    found.returns.push(node.byte_range());
                }
                if is_jump(node, text) {
                    ahead.extend(passed(node, &above, text));
                    ahead.sort_by_key(|r| std::cmp::Reverse(r.start));
                }
            }
            if cursor.goto_first_child() {
                above.push(node);
                continue;
            }
            while !cursor.goto_next_sibling() {
                above.pop();
                if !cursor.goto_parent() {
                    found.calls.sort_by_key(|c| (c.arguments, c.start));
                    return found;
                }
            }
        }
    }

    /// How the place `start..end` of a declaration that starts at `from` is reached.
    pub(super) fn reached(&self, from: usize, start: usize, end: usize) -> Reached {
        let mut known: Vec<Condition> = Vec::new();
        let mut is_whole = true;
        let mut functions = 0;
        let mut is_caught = false;
        let after = self.regions.partition_point(|r| r.start <= start);
        let mut at = after.checked_sub(1);
        while let Some(region) = at.and_then(|at| self.regions.get(at)) {
            at = region.parent;
            if region.end <= start || region.start < from {
                continue;
            }
            match &region.kind {
                Kind::Function => functions += 1,
                Kind::Tried => is_caught |= functions == 0,
                Kind::Branch { known: told, is_whole: all } => {
                    known = [told.clone(), known].concat();
                    is_whole &= all;
                }
            }
        }
        let order = self.call(start, end).map_or(end, |c| c.end);
        Reached {
            order: u32::try_from(order).unwrap_or(u32::MAX),
            is_deferred: functions > 1,
            is_caught,
            conditions: is_whole.then(|| known.clone()),
            known: if is_whole { Vec::new() } else { known },
        }
    }

    /// The bytes of every return, in the order of the file.
    pub(super) fn returns(&self) -> &[Range<usize>] {
        &self.returns
    }

    /// How many arguments a call of the name at `start..end` hands over.
    pub(super) fn arguments(&self, start: usize, end: usize) -> Option<u8> {
        self.call(start, end).map(|c| c.count)
    }

    fn call(&self, start: usize, end: usize) -> Option<Call> {
        let at = self.calls.partition_point(|c| c.arguments < end);
        self.calls.get(at).copied().filter(|c| c.start <= start)
    }
}

/// Where a call's arguments start, and how many there are.
fn call(node: Node<'_>) -> Option<Call> {
    if !CALLS.contains(&node.kind()) {
        return None;
    }
    let listed = |child: &Node<'_>| {
        matches!(
            child.kind(),
            "value_arguments" | "annotated_lambda" | "token_tree" | "literal_value"
        )
    };
    let mut cursor = node.walk();
    let arguments = node
        .child_by_field_name("arguments")
        .or_else(|| node.child_by_field_name("body"))
        .or_else(|| node.named_children(&mut cursor).find(listed))?;
    let mut cursor = arguments.walk();
    let count = arguments.named_children(&mut cursor).filter(|c| !c.is_extra()).count();
    Some(Call {
        arguments: arguments.start_byte(),
        start: node.start_byte(),
        end: node.end_byte(),
        count: u8::try_from(count).unwrap_or(u8::MAX),
    })
}

/// What a node is for what stands in it, if it is anything.
fn kind(node: Node<'_>, field: Option<&str>, parent: Option<Node<'_>>, text: &str) -> Option<Kind> {
    if FUNCTIONS.contains(&node.kind()) {
        return Some(Kind::Function);
    }
    if node.kind() == "do_while_statement" {
        return Some(UNTOLD);
    }
    if matches!(node.kind(), "except_clause" | "catch_clause" | "catch_block") {
        return Some(told([caught(node, text)]));
    }
    let parent = parent?;
    if may_catch(node, parent) {
        return Some(Kind::Tried);
    }
    if CASES.contains(&parent.kind()) {
        // What is compared is evaluated in other cases, too.
        return Some(if is_label(node, field) { UNTOLD } else { case(parent, text) });
    }
    let branch = |kind| told(condition(parent, kind, text));
    match (parent.kind(), field) {
        (
            "if_statement" | "if_expression" | "elif_clause" | "ternary_expression",
            Some("consequence"),
        ) => Some(branch(ConditionKind::Holds)),
        ("if_statement", Some("alternative"))
            if matches!(node.kind(), "elif_clause" | "else_clause") =>
        {
            Some(told(before(parent, node, text)))
        }
        ("if_statement" | "if_expression" | "ternary_expression", Some("alternative")) => {
            Some(branch(ConditionKind::Fails))
        }
        // Kotlin names only the condition.
        ("if_expression", None) => {
            let is_else = node.prev_sibling().is_some_and(|s| s.kind() == "else");
            Some(branch(if is_else { ConditionKind::Fails } else { ConditionKind::Holds }))
        }
        ("conditional_expression", None) => {
            let test = parent.named_child(1)?;
            let holds = match (parent.named_child(0) == Some(node), test == node) {
                (true, _) => ConditionKind::Holds,
                (false, false) => ConditionKind::Fails,
                (false, true) => return None,
            };
            Some(told(say_all(test, holds, text)))
        }
        // Kotlin names only the condition.
        ("while_statement" | "while_expression", Some("body")) | ("while_statement", None)
            if !node.is_extra() && node.kind() != "label" =>
        {
            let test = parent.child_by_field_name("condition")?;
            let endless = slice(test, text).trim_matches(['(', ')']);
            let known = || told([say(test, ConditionKind::Repeats, text)]);
            (!matches!(endless, "true" | "True" | "1")).then(known)
        }
        ("match_arm", Some("value")) => Some(told([arm(parent, text)])),
        ("let_declaration", Some("alternative")) => {
            let (pattern, value) =
                (parent.child_by_field_name("pattern")?, parent.child_by_field_name("value")?);
            Some(told([matched(value, pattern, ConditionKind::Fails, text)]))
        }
        ("try_statement" | "for_statement" | "while_statement", _)
            if node.kind() == "else_clause" =>
        {
            Some(UNTOLD)
        }
        ("binary_expression" | "boolean_operator", Some("right")) => {
            let left = parent.child_by_field_name("left")?;
            match slice(parent.child_by_field_name("operator")?, text) {
                "&&" | "and" => Some(told(say_all(left, ConditionKind::Holds, text))),
                "||" | "or" => Some(told(say_all(left, ConditionKind::Fails, text))),
                "??" | "?:" => Some(UNTOLD),
                _ => None,
            }
        }
        _ => None,
    }
}

fn told(conditions: impl IntoIterator<Item = Option<Condition>>) -> Kind {
    let all: Vec<Option<Condition>> = conditions.into_iter().collect();
    let is_whole = all.iter().all(Option::is_some);
    Kind::Branch { known: all.into_iter().flatten().collect(), is_whole }
}

/// What kept an `elif` or `else` of a chain from being passed by: every condition before it failed.
fn before(chain: Node<'_>, branch: Node<'_>, text: &str) -> Vec<Option<Condition>> {
    let mut found = condition(chain, ConditionKind::Fails, text);
    let mut cursor = chain.walk();
    for earlier in chain.children_by_field_name("alternative", &mut cursor) {
        if earlier.start_byte() >= branch.start_byte() {
            break;
        }
        found.extend(condition(earlier, ConditionKind::Fails, text));
    }
    found
}

/// The condition of an `if` or a loop, or what it is made of; `None` for a part that can't be told.
fn condition(branching: Node<'_>, kind: ConditionKind, text: &str) -> Vec<Option<Condition>> {
    let Some(test) = branching.child_by_field_name("condition") else { return vec![None] };
    if test.kind() == "let_condition" {
        let parts = test.child_by_field_name("pattern").zip(test.child_by_field_name("value"));
        return vec![parts.and_then(|(pattern, value)| matched(value, pattern, kind, text))];
    }
    say_all(test, kind, text)
}

/// A condition as a whole, or, where it is too long to be read, each of the parts that all hold, or all fail, with it.
fn say_all(test: Node<'_>, kind: ConditionKind, text: &str) -> Vec<Option<Condition>> {
    let whole = say(test, kind, text);
    if whole.is_some() {
        return vec![whole];
    }
    if test.kind() == "parenthesized_expression" {
        return test.named_child(0).map_or(vec![None], |inner| say_all(inner, kind, text));
    }
    let joins: [&str; 2] = match kind {
        ConditionKind::Holds => ["&&", "and"],
        _ => ["||", "or"],
    };
    let operator = test.child_by_field_name("operator").map(|o| slice(o, text));
    let sides = test.child_by_field_name("left").zip(test.child_by_field_name("right"));
    match sides.filter(|_| operator.is_some_and(|o| joins.contains(&o))) {
        Some((left, right)) => [say_all(left, kind, text), say_all(right, kind, text)].concat(),
        None => vec![None],
    }
}

/// `value is pattern`.
fn matched(
    value: Node<'_>,
    pattern: Node<'_>,
    kind: ConditionKind,
    text: &str,
) -> Option<Condition> {
    let (shown, form) = (readable(value, text)?, readable(pattern, text)?);
    let said = format!("{shown} is {form}");
    let line = u32::try_from(value.start_position().row).ok()? + 1;
    (said.chars().count() <= MAX_CONDITION).then_some(Condition {
        kind,
        text: said,
        line,
        subject_line: None,
    })
}

/// A condition that a call checks: what it is given first, unless that is too long to read.
pub(super) fn checked(argument: Node<'_>, text: &str) -> Option<Condition> {
    say(argument, ConditionKind::Fails, text)
}

fn say(node: Node<'_>, kind: ConditionKind, text: &str) -> Option<Condition> {
    let line = u32::try_from(node.start_position().row).ok()? + 1;
    Some(Condition { kind, text: readable(node, text)?, line, subject_line: None })
}

/// The node's code on one line, without brackets around it; nothing if it is too long to read or holds a comment.
fn readable(node: Node<'_>, text: &str) -> Option<String> {
    let code = slice(node, text);
    if code.contains("//")
        || code.contains("/*")
        || code.contains("# ")
        || code.len() > 4 * MAX_CONDITION
    {
        return None;
    }
    let inner = if node.kind() == "parenthesized_expression" {
        code.strip_prefix('(').and_then(|c| c.strip_suffix(')')).unwrap_or(code)
    } else {
        code
    };
    let line = on_one_line(inner, 4 * MAX_CONDITION);
    (!line.is_empty() && line.chars().count() <= MAX_CONDITION).then_some(line)
}

fn slice<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or("")
}
