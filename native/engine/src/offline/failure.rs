//! How to avoid a failure, by rule.

use ouro_core::{AvoidStrategy, ErrorClass, FailureRecord, OperationKind};

/// A short strategy for a failure of this class and kind of operation.
pub(crate) fn analyse(failure: &FailureRecord) -> AvoidStrategy {
    let cause = match failure.error_class {
        ErrorClass::Transient => "The other side was not ready.",
        ErrorClass::Permanent => "The request itself cannot succeed as it is.",
        ErrorClass::Unknown => "The cause is not known.",
    };
    let avoid = match (failure.error_class, failure.operation_kind) {
        (ErrorClass::Transient, _) => "Wait, then make the same request once more.",
        (ErrorClass::Permanent, OperationKind::ToolCall) => {
            "Look for the file or symbol with find_file or grep_file before reading it."
        }
        (ErrorClass::Permanent, OperationKind::Exploration | OperationKind::Summarize) => {
            "Take up another topic: what the project shows about this one is too little for an answer."
        }
        (ErrorClass::Permanent, _) => "Change the request before trying again.",
        (ErrorClass::Unknown, _) => "Go on with another step and leave this one out.",
    };
    let retry = match failure.error_class {
        ErrorClass::Transient => "Retry after the pause.",
        ErrorClass::Permanent => "Don't retry until the project or the configuration changes.",
        ErrorClass::Unknown => "Retry at most twice.",
    };
    AvoidStrategy {
        cause: format!("{cause} {}", failure.error).trim_end().to_owned(),
        avoid_strategy: avoid.to_owned(),
        retry_suggestion: retry.to_owned(),
    }
}
