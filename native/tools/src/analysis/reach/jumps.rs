//! What a jump out of a round of a loop, or out of a case, means for what stands behind it: that happens only where the
//! jump didn't.

use ouro_core::analysis::ConditionKind;
use tree_sitter::Node;

use super::{CASES, FUNCTIONS, Kind, Region, UNTOLD, condition, matched, slice, told};

/// Jumps that stay in their function, in the words of each language.
const JUMPS: [&str; 5] = [
    "break_statement",
    "continue_statement",
    "break_expression",
    "continue_expression",
    // Kotlin has no node of its own for them.
    "identifier",
];

/// Statements one after the other.
const BLOCKS: [&str; 4] = ["block", "statement_block", "statement_list", "statements"];

/// Loops, in the words of each language.
const LOOPS: [&str; 10] = [
    "do_statement",
    "do_while_statement",
    "enhanced_for_statement",
    "for_expression",
    "for_in_statement",
    "for_statement",
    "loop_expression",
    "select_statement",
    "while_expression",
    "while_statement",
];

/// Whether a node is a jump that stays in its function.
pub(super) fn is_jump(node: Node<'_>, text: &str) -> bool {
    let is_word = |node| matches!(slice(node, text), "break" | "continue");
    JUMPS.contains(&node.kind()) && (node.kind() != "identifier" || is_word(node))
}

/// The stretches behind a jump that it may keep from happening, the innermost first.
pub(super) fn passed(jump: Node<'_>, above: &[Node<'_>], text: &str) -> Vec<Region> {
    let mut found = Vec::new();
    let mut inner = jump;
    for node in above.iter().rev().copied() {
        let is_case = CASES.contains(&node.kind());
        if (is_case || BLOCKS.contains(&node.kind())) && inner != jump {
            let (start, end) = (inner.end_byte(), node.end_byte());
            found.push(Region { start, end, parent: None, kind: guarded(inner, jump, text) });
        }
        if is_case || LOOPS.contains(&node.kind()) || FUNCTIONS.contains(&node.kind()) {
            break;
        }
        inner = node;
    }
    found
}

/// What holds behind a statement with a jump in it: where that is all it leads to, its condition failed.
fn guarded(statement: Node<'_>, jump: Node<'_>, text: &str) -> Kind {
    let guard = match statement.kind() {
        "expression_statement" => statement.named_child(0).unwrap_or(statement),
        _ => statement,
    };
    let mut cursor = guard.walk();
    let is_chosen = guard
        .children(&mut cursor)
        .any(|c| matches!(c.kind(), "else" | "else_clause" | "elif_clause"));
    let field = |name: &str| guard.child_by_field_name(name);
    let mut last = field("consequence").or_else(|| last_child(guard));
    while let Some(inner) = last.filter(|l| is_around(*l)) {
        last = last_child(inner);
    }
    if last.is_none_or(|l| l.byte_range() != jump.byte_range()) {
        return UNTOLD;
    }
    match guard.kind() {
        "if_statement" | "if_expression" if !is_chosen => {
            told(condition(guard, ConditionKind::Fails, text))
        }
        "let_declaration" => {
            let both = field("value").zip(field("pattern"));
            told([both.and_then(|(v, p)| matched(v, p, ConditionKind::Holds, text))])
        }
        _ => UNTOLD,
    }
}

/// Whether a node only holds statements.
fn is_around(node: Node<'_>) -> bool {
    BLOCKS.contains(&node.kind())
        || matches!(node.kind(), "expression_statement" | "control_structure_body")
}

fn last_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|c| !c.is_extra()).last()
}
