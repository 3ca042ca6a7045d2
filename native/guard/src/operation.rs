//! What can fail, and when two failures are of the same thing.

use ouro_core::{FreshnessStamp, OperationKind};
use serde_json::{Value, json};

use crate::{normalize::normalize_question, signature::Signature, stable::stable_part};

/// One thing that can fail.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operation<'a> {
    pub(crate) kind: OperationKind,
    /// A question, a tool's name.
    pub(crate) name: &'a str,
    pub(crate) context: &'a Value,
}

impl Operation<'_> {
    /// Identifies the operation with its context. The arguments of a tool call are no context but the operation itself:
    /// reading other lines is another call, so nothing of them is stripped.
    pub(crate) fn signature(&self) -> Signature {
        if self.kind == OperationKind::ToolCall {
            let arguments = self.context.get("arguments").unwrap_or(self.context);
            return Signature::of_tool_call(self.name, arguments);
        }
        let name = compared_name(self.kind, self.name);
        Signature::of_operation(self.kind, &name, &stable_part(self.context))
    }
}

/// The context of a failed tool call.
pub(crate) fn tool_context(arguments: &Value, stamp: Option<&FreshnessStamp>) -> Value {
    json!({ "arguments": arguments, "stamp": stamp })
}

/// Identifies an operation whatever its context; an exploration and its parts are one operation.
pub(crate) fn operation_key(kind: OperationKind, name: &str) -> Signature {
    let whole = if is_about_a_question(kind) { OperationKind::Exploration } else { kind };
    Signature::of_operation(whole, &compared_name(kind, name), &Value::Null)
}

fn compared_name(kind: OperationKind, name: &str) -> String {
    if is_about_a_question(kind) { normalize_question(name) } else { name.to_owned() }
}

fn is_about_a_question(kind: OperationKind) -> bool {
    match kind {
        OperationKind::Exploration
        | OperationKind::Summarize
        | OperationKind::Embed
        | OperationKind::Store => true,
        OperationKind::GenerateQuestions | OperationKind::ToolCall => false,
    }
}
