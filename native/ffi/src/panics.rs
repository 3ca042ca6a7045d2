//! Panics end here: to unwind into a JVM or into C is undefined behaviour, to abort kills the host.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

use crate::error::{BridgeError, Result};

/// Runs `work`; a panic in it becomes an error with its message.
///
/// What `work` leaves half done stays so: the state behind it must be sound whenever a call into it ends, which holds
/// for everything here, because locks recover from poisoning and stores commit whole transactions.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let work = || {
        #[cfg(feature = "testing")]
        crate::testing::trip(crate::testing::Point::Call);
        work()
    };
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|payload| Err(BridgeError::panic(message(payload.as_ref()))))
}

/// What a panic said. A formatted message is a `String`, a literal one a `&str`.
fn message(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "a panic without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::PANIC;

    #[test]
    fn a_panic_becomes_an_error_that_keeps_a_literal_and_a_formatted_message() {
        let number = 7;
        let formatted = guarded::<()>(|| panic!("bad number {number}")).unwrap_err();
        let literal = guarded::<()>(|| panic!("plain")).unwrap_err();
        assert_eq!((formatted.code.as_str(), literal.code.as_str()), (PANIC, PANIC));
        assert!(formatted.message.ends_with("bad number 7"), "{formatted}");
        assert!(literal.message.ends_with("plain"), "{literal}");
    }
}
