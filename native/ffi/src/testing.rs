//! Fault injection for tests, in a testing build only.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicUsize, Ordering},
    },
    time::Duration,
};

use ouro_core::{Change, Clock, LearningRecord, RecordId, SystemClock, ToolContext, ToolRegistry};
use ouro_engine::Project;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::runtime::Handle;

use crate::error::{BridgeError, Result};

/// Where the next panic happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Point {
    /// At the beginning of an operation, on the caller's thread.
    Call = 1,
    /// Inside the asynchronous part of an operation.
    Async = 2,
    /// While the host is told something.
    Delivery = 3,
}

static ARMED: AtomicU8 = AtomicU8::new(0);

/// Arms one panic.
pub(crate) fn arm(point: &str) -> Result<()> {
    let point = match point {
        "call" => Point::Call,
        "async" => Point::Async,
        "delivery" => Point::Delivery,
        other => return Err(BridgeError::invalid(format!("there is no point {other:?}"))),
    };
    ARMED.store(point as u8, Ordering::SeqCst);
    Ok(())
}

/// Panics when this point is armed, without a word on standard error.
pub(crate) fn trip(point: Point) {
    // The look before the exchange keeps measurements true: it costs next to nothing.
    if ARMED.load(Ordering::Relaxed) == point as u8
        && ARMED.compare_exchange(point as u8, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    {
        std::panic::resume_unwind(Box::new(format!("armed at {point:?}")));
    }
}

/// Many calls of one tool of a project.
#[derive(Debug, Deserialize)]
pub(crate) struct ToolCalls {
    tool: String,
    #[serde(default)]
    arguments: Value,
    count: usize,
    /// How many at the same time.
    at_once: usize,
    #[serde(default = "default_time_limit")]
    time_limit_ms: u64,
}

fn default_time_limit() -> u64 {
    30_000
}

/// What became of them.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Called {
    /// Their summaries, and how often each came.
    done: BTreeMap<String, usize>,
    /// Codes of errors, and how often each came.
    failed: BTreeMap<String, usize>,
    /// Wall-clock time, nanoseconds.
    nanos: u64,
}

/// Adds copies of a record, each with an id of its own.
pub(crate) fn add_records(project: &Project, record: &LearningRecord, count: usize) -> Result<()> {
    let copies = (0..count).map(|_| {
        let id = RecordId::new(project.clock.as_ref(), project.random.as_ref());
        let project_key = project.key.clone();
        Change::PutRecord(Box::new(LearningRecord { id, project_key, ..record.clone() }))
    });
    Ok(project.store.commit(&copies.collect::<Vec<_>>())?)
}

/// Calls a tool that often on the runtime.
pub(crate) async fn call_tools(tools: &ToolRegistry, request: ToolCalls) -> Result<Called> {
    let Some(tool) = tools.get(&request.tool).cloned() else {
        return Err(BridgeError::not_found(format!("no tool is called {:?}", request.tool)));
    };
    let clock = SystemClock::new();
    let begin = clock.monotonic();
    let time_limit = Duration::from_millis(request.time_limit_ms);
    let (arguments, left) =
        (Arc::new(request.arguments), Arc::new(AtomicUsize::new(request.count)));
    let callers: Vec<_> = (0..request.at_once)
        .map(|_| {
            let (tool, arguments, left) = (tool.clone(), arguments.clone(), left.clone());
            Handle::current().spawn(async move {
                let mut called = Called::default();
                let one_less = |left: usize| left.checked_sub(1);
                while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok() {
                    let context = ToolContext { time_limit, ..ToolContext::default() };
                    match tool.call(&arguments, &context).await {
                        Ok(result) => *called.done.entry(result.summary).or_default() += 1,
                        Err(error) => {
                            *called.failed.entry(BridgeError::from(error).code).or_default() += 1;
                        }
                    }
                }
                called
            })
        })
        .collect();
    let mut all = Called::default();
    for caller in callers {
        let called = caller.await.map_err(|error| BridgeError::invalid(error.to_string()))?;
        called.done.into_iter().for_each(|(what, n)| *all.done.entry(what).or_default() += n);
        called.failed.into_iter().for_each(|(what, n)| *all.failed.entry(what).or_default() += n);
    }
    all.nanos = u64::try_from((clock.monotonic() - begin).as_nanos()).unwrap_or(u64::MAX);
    Ok(all)
}
