//! What holds in the branches that are chosen by comparing values: `switch`, `when`, `match`.

use ouro_core::analysis::{Condition, ConditionKind};
use tree_sitter::Node;

use super::{Kind, MAX_CONDITION, UNTOLD, readable, say_all, slice, told};

/// Branches that are chosen by comparing values.
pub(super) const CASES: [&str; 10] = [
    "switch_case",
    "switch_default",
    "switch_rule",
    "switch_block_statement_group",
    "expression_case",
    "type_case",
    "default_case",
    "communication_case",
    "when_entry",
    "case_clause",
];

/// Statements behind which nothing goes on to the next case.
const JUMPS: [&str; 7] = [
    "break_statement",
    "return_statement",
    "throw_statement",
    "continue_statement",
    "yield_statement",
    "jump_expression",
    "raise_statement",
];

/// Whether this part of a case is what is compared, not what is done then.
pub(super) fn is_label(part: Node<'_>, field: Option<&str>) -> bool {
    matches!(field, Some("value" | "condition" | "guard" | "type"))
        || matches!(part.kind(), "switch_label" | "case_pattern")
}

/// What the labels of a case are compared with, and the labels.
struct Choice<'t> {
    subject: Option<Node<'t>>,
    labels: Vec<Node<'t>>,
    /// Whether a label is one of them only under a further condition.
    has_guard: bool,
}

fn choice<'t>(case: Node<'t>) -> Choice<'t> {
    let mut cursor = case.walk();
    let mut labels: Vec<Node<'t>> = Vec::new();
    let mut has_guard = case.child_by_field_name("guard").is_some();
    for (at, child) in (0_u32..).zip(case.children(&mut cursor)) {
        match (child.kind(), case.field_name_for_child(at)) {
            ("switch_label", _) => {
                let mut inner = child.walk();
                for label in child.named_children(&mut inner) {
                    if label.kind() == "guard" { has_guard = true } else { labels.push(label) }
                }
            }
            ("expression_list", Some("value")) => {
                let mut inner = child.walk();
                labels.extend(child.named_children(&mut inner));
            }
            ("case_pattern", _) | (_, Some("value" | "condition" | "type")) if child.is_named() => {
                labels.push(child);
            }
            _ => {}
        }
    }
    let around = case.parent().map(|body| match body.kind() {
        "switch_body" | "switch_block" | "block" => body.parent().unwrap_or(body),
        _ => body,
    });
    let subject = around.and_then(|switch| {
        let mut cursor = switch.walk();
        let mut children = switch.named_children(&mut cursor);
        let of_kotlin = children.find(|c| c.kind() == "when_subject");
        of_kotlin
            .and_then(|s| s.named_child(u32::try_from(s.named_child_count()).ok()?.checked_sub(1)?))
            .or_else(|| {
                ["value", "condition", "subject"].iter().find_map(|f| switch.child_by_field_name(f))
            })
    });
    Choice { subject, labels, has_guard }
}

/// What holds in the body of a case.
pub(super) fn case(case: Node<'_>, text: &str) -> Kind {
    let mut own = choice(case);
    let mut before = case.prev_named_sibling();
    // A case may go on into the next: an empty one shares its body, of any other it can't be told.
    if matches!(case.kind(), "switch_case" | "switch_block_statement_group" | "expression_case") {
        while let Some(earlier) = before.filter(|e| e.kind() == case.kind() && goes_on(*e)) {
            if has_body(earlier) {
                return UNTOLD;
            }
            own.labels.splice(0..0, choice(earlier).labels);
            before = earlier.prev_named_sibling();
        }
    }
    if own.labels.is_empty() {
        return UNTOLD;
    }
    let Some(subject) = own.subject else {
        // Without anything to compare, the first condition that holds is chosen.
        let [label] = own.labels.as_slice() else { return UNTOLD };
        let mut found = Vec::new();
        let mut cursor = case.walk();
        let all = case.parent().map(|p| p.named_children(&mut cursor).collect::<Vec<_>>());
        let earlier = all.into_iter().flatten().take_while(|c| c.start_byte() < case.start_byte());
        for other in earlier.filter(|c| c.kind() == case.kind()) {
            found.extend(
                choice(other).labels.iter().flat_map(|l| say_all(*l, ConditionKind::Fails, text)),
            );
        }
        found.extend(say_all(*label, ConditionKind::Holds, text));
        return told(found);
    };
    let holds = compared(subject, &own.labels, text);
    let guarded = own.has_guard.then_some(None);
    told([holds].into_iter().chain(guarded))
}

/// Whether what is done in a case is followed by what is done in the next.
fn goes_on(case: Node<'_>) -> bool {
    let last =
        case.named_child(u32::try_from(case.named_child_count()).unwrap_or(0).saturating_sub(1));
    let ends = |node: Node<'_>| JUMPS.contains(&node.kind());
    let Some(last) = last else { return true };
    match case.kind() {
        // In Go one case goes on only where it says so.
        "expression_case" => {
            let statements = u32::try_from(last.named_child_count()).unwrap_or(0);
            let end = last.named_child(statements.saturating_sub(1));
            end.is_some_and(|e| e.kind() == "fallthrough_statement")
        }
        _ => {
            let in_block = |node: Node<'_>| {
                let count = u32::try_from(node.named_child_count()).unwrap_or(0);
                let inner = node.named_child(count.saturating_sub(1));
                matches!(node.kind(), "block" | "statement_block") && inner.is_some_and(ends)
            };
            !ends(last) && !in_block(last)
        }
    }
}

/// Whether anything is done in a case.
fn has_body(case: Node<'_>) -> bool {
    let mut cursor = case.walk();
    (0_u32..).zip(case.children(&mut cursor)).any(|(at, child)| {
        child.is_named() && !child.is_extra() && !is_label(child, case.field_name_for_child(at))
    })
}

/// `subject is label or label`, if the labels alone decide.
fn compared(subject: Node<'_>, labels: &[Node<'_>], text: &str) -> Option<Condition> {
    let shown = readable(subject, text)?;
    let mut forms = Vec::new();
    for label in labels {
        let form = readable(*label, text)?;
        // A pattern that takes everything left over tells nothing.
        let takes_all = label.kind() == "case_pattern"
            && form.chars().all(|c| c.is_lowercase() || c.is_numeric() || c == '_');
        if takes_all
            && !matches!(form.as_str(), "true" | "false")
            && !form.starts_with(char::is_numeric)
        {
            return None;
        }
        forms.push(form);
    }
    let tests = ["is ", "!is ", "in ", "!in "];
    let said = match forms.as_slice() {
        [one] if tests.iter().any(|t| one.starts_with(t)) => format!("{shown} {one}"),
        _ if forms.iter().any(|f| tests.iter().any(|t| f.starts_with(t))) => return None,
        _ => format!("{shown} is {}", forms.join(" or ")),
    };
    let line = |node: &Node<'_>| u32::try_from(node.start_position().row).ok().map(|row| row + 1);
    (said.chars().count() <= MAX_CONDITION).then_some(Condition {
        kind: ConditionKind::Holds,
        text: said,
        line: line(labels.last()?)?,
        subject_line: line(&subject),
    })
}

/// The pattern of a match arm, if it alone decides: one that takes everything left over can't be told.
pub(super) fn arm(arm: Node<'_>, text: &str) -> Option<Condition> {
    let pattern = arm.child_by_field_name("pattern")?;
    let form = slice(pattern, text).trim();
    let decides = form.starts_with(|c: char| {
        c.is_uppercase() || c.is_ascii_digit() || matches!(c, '"' | '\'' | '-')
    }) || form.contains("::")
        || matches!(form, "true" | "false");
    if !decides || pattern.child_by_field_name("condition").is_some() || form.starts_with("Err(") {
        return None;
    }
    let value = arm.parent()?.parent()?.child_by_field_name("value")?;
    compared(value, &[pattern], text)
}
