//! What the clauses of a `try` catch.

use ouro_core::analysis::{Condition, ConditionKind};
use tree_sitter::Node;

use super::{FUNCTIONS, say, slice};

/// Errors under whose name any other is caught.
const WIDE: [&str; 3] = ["Exception", "BaseException", "Throwable"];

/// The type of failure that a clause catches.
pub(super) fn caught(clause: Node<'_>, text: &str) -> Option<Condition> {
    say(caught_type(clause)?, ConditionKind::Caught, text)
}

/// What a clause says that it catches.
fn caught_type(clause: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = clause.walk();
    let parameter = clause.child_by_field_name("value").or_else(|| {
        clause
            .named_children(&mut cursor)
            .find(|c| matches!(c.kind(), "catch_formal_parameter" | "user_type"))
    })?;
    match parameter.kind() {
        "as_pattern" => parameter.named_child(0),
        "catch_formal_parameter" => {
            let mut cursor = parameter.walk();
            parameter.named_children(&mut cursor).find(|c| c.kind() == "catch_type")
        }
        _ => Some(parameter),
    }
}

/// Whether what fails at `node` as `what` is caught within its function, by a clause that doesn't throw it again.
pub(in crate::analysis) fn is_swallowed(node: Node<'_>, what: &str, text: &str) -> bool {
    let mut inner = node;
    while let Some(outer) = inner.parent().filter(|_| !FUNCTIONS.contains(&inner.kind())) {
        if is_tried(inner, outer, |clause| catches(clause, what, text)) {
            return true;
        }
        inner = outer;
    }
    false
}

/// Whether some failure in this part of `outer` is caught by a clause of it that doesn't throw it again.
pub(super) fn may_catch(part: Node<'_>, outer: Node<'_>) -> bool {
    is_tried(part, outer, |_| true)
}

/// Whether `part` is what `outer` tries, with a clause that is for these failures and doesn't throw them again.
fn is_tried(part: Node<'_>, outer: Node<'_>, is_for: impl Fn(Node<'_>) -> bool) -> bool {
    let tries =
        matches!(outer.kind(), "try_statement" | "try_with_resources_statement" | "try_expression");
    let mut cursor = outer.walk();
    tries
        && matches!(part.kind(), "block" | "statement_block")
        && outer
            .named_children(&mut cursor)
            .any(|clause| is_catch(clause) && is_for(clause) && !rethrows(clause))
}

fn is_catch(node: Node<'_>) -> bool {
    matches!(node.kind(), "except_clause" | "catch_clause" | "catch_block")
}

fn catches(clause: Node<'_>, what: &str, text: &str) -> bool {
    let Some(named) = caught_type(clause) else {
        // Without a type it is for all; JavaScript has no other.
        return true;
    };
    let last = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    let wanted = last(what);
    let mut names = slice(named, text).split(|c: char| !(c.is_alphanumeric() || "._".contains(c)));
    names.any(|name| last(name) == wanted || WIDE.contains(&last(name).as_str()))
}

/// `raise` alone, or a variable thrown.
fn rethrows(node: Node<'_>) -> bool {
    let again = match node.kind() {
        "raise_statement" | "throw_statement" | "throw_expression" => {
            node.named_child(0).is_none_or(|thrown| thrown.kind() == "identifier")
        }
        _ => false,
    };
    let mut cursor = node.walk();
    again || node.named_children(&mut cursor).any(rethrows)
}
