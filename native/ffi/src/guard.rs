//! What a host asks of a project's guard, and tells it.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use ouro_core::FreshnessStamp;
use ouro_guard::{DoomLoopGuard, QuotaUnit, Verdict};
use serde_json::{Value, json};

use crate::{
    compose::Opened,
    error::{BridgeError, Result},
    registry::next_id,
    request::{Backoff, GuardRequest, QuotaTaken},
    wire,
};

/// Units of quota that a host holds and may still give back, at most so many: who never gives any back needs no more room.
const MAX_UNITS: usize = 1_024;

/// Units that may be given back.
#[derive(Default)]
pub(crate) struct Units(Mutex<HashMap<u64, QuotaUnit>>);

impl Units {
    fn keep(&self, unit: QuotaUnit) -> u64 {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.len() >= MAX_UNITS {
            let oldest = held.keys().min().copied();
            oldest.and_then(|oldest| held.remove(&oldest));
        }
        let id = next_id();
        held.insert(id, unit);
        id
    }

    fn take(&self, id: u64) -> Option<QuotaUnit> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id)
    }
}

/// Does what is asked and gives the answer as JSON.
pub(crate) async fn call(
    opened: &Opened,
    guard: &DoomLoopGuard,
    units: &Units,
    request: GuardRequest,
) -> Result<Vec<u8>> {
    match request {
        GuardRequest::CheckQuestion { question } => {
            wire::write(&guard.check_question(&question).await.to_json())
        }
        GuardRequest::CheckToolCall { tool, arguments, stamp } => {
            wire::write(&guard.check_tool_call(&tool, &arguments, stamp.as_ref()).to_json())
        }
        GuardRequest::RecordToolResult { tool, arguments, stamp, result } => {
            let prepared = guard.prepare_tool_result(&tool, &arguments, stamp, &result);
            opened.store.commit(prepared.changes())?;
            guard.apply(prepared);
            wire::nothing()
        }
        GuardRequest::RecordFailure { kind, operation, context, error } => {
            let context = if context.is_null() { json!({}) } else { context };
            let error = error.into();
            wire::write(&guard.record_failure(kind, &operation, &error, &context).await?)
        }
        GuardRequest::RecordSuccess { kind, operation, context } => {
            guard.record_success(kind, &operation, &context).await?;
            wire::nothing()
        }
        GuardRequest::Consume { kind } => {
            let taken = match guard.try_consume(kind).await {
                Ok(unit) => {
                    let verdict = Verdict::Proceed { advice: None, fallback: None }.to_json();
                    QuotaTaken { verdict, unit: Some(units.keep(unit)) }
                }
                Err(reason) => QuotaTaken { verdict: Verdict::from(reason).to_json(), unit: None },
            };
            wire::write(&taken)
        }
        GuardRequest::Release { unit } => {
            let Some(unit) = units.take(unit) else {
                return Err(BridgeError::invalid("this unit was given back, or never taken"));
            };
            guard.release(unit).await?;
            wire::nothing()
        }
        GuardRequest::Quota => wire::write(&guard.remaining()),
        GuardRequest::Backoff => {
            let status = guard.backoff();
            wire::write(&Backoff {
                consecutive_errors: status.consecutive_errors,
                remaining_ms: u64::try_from(status.remaining.as_millis()).unwrap_or(u64::MAX),
                until: status.until,
            })
        }
    }
}

/// The short way of [`GuardRequest::CheckToolCall`], for hosts that ask before every call: nothing when the call may be
/// made, else the verdict as JSON.
pub(crate) fn check_tool_call(
    guard: &DoomLoopGuard,
    tool: &str,
    arguments: &Value,
    stamp: Option<&FreshnessStamp>,
) -> Result<Option<Vec<u8>>> {
    match guard.check_tool_call(tool, arguments, stamp) {
        Verdict::Proceed { advice: None, .. } => Ok(None),
        verdict => wire::write(&verdict.to_json()).map(Some),
    }
}
