//! Every operation, as plain Rust functions. None panics, and none needs unsafe code.

use std::{borrow::Cow, sync::Arc, time::Duration};

use ouro_core::{Clock, Event, SystemClock};
use ouro_detect::Chunk;
use serde_json::{Map, Value, json};

pub use crate::detector::Channel;
use crate::{
    compose::{self, HostPorts},
    detector::Detector,
    endpoint,
    engine::Session,
    error::Result,
    host::{Host, Message},
    library::{self, SESSIONS},
    panics::guarded,
    registry::Registry,
    request::Request,
    wire::{self, CheckEndpoint, OpenRequest, ProjectEvent, SCHEMA_VERSION},
};

/// Rises when a function changes in a way that an older host would not survive.
pub const ABI_VERSION: u32 = 1;

static DETECTORS: Registry<Detector> = Registry::new("detector");

/// Connects the host and starts the runtime.
///
/// # Errors
/// `in_use` when there is a host already.
pub fn init(host: Arc<dyn Host>) -> Result<()> {
    guarded(|| library::start(host))
}

/// Stops every loop, closes every engine and ends the runtime, within about two seconds and `limit`; then another host
/// may connect. Does nothing without a host.
///
/// # Errors
/// None but a caught defect.
pub fn shutdown(limit: Duration) -> Result<()> {
    guarded(|| {
        library::shut_down(limit);
        Ok(())
    })
}

/// Counts of the library as JSON: completions that nobody waited for, calls that wait, messages that found no room.
///
/// # Errors
/// `invalid_input` without a host.
pub fn diagnostics() -> Result<Vec<u8>> {
    guarded(|| {
        let access = library::access()?;
        wire::write(&json!({
            "schema_version": SCHEMA_VERSION,
            "ignored_completions": access.calls.ignored(),
            "waiting_calls": access.calls.waiting(),
            "dropped_messages": access.outbox.dropped(),
        }))
    })
}

/// Asks the endpoint of a [`CheckEndpoint`] as JSON what it serves, within ten seconds, and gives a
/// [`wire::EndpointReport`] as JSON. Nothing of any project is sent.
///
/// # Errors
/// `invalid_input` for a wrong request; `unavailable`, `refused` and so on when the endpoint can't be used at all.
pub fn check_endpoint(request: &[u8]) -> Result<Vec<u8>> {
    guarded(|| {
        let access = library::access()?;
        let request: CheckEndpoint = wire::read("the request", request)?;
        wire::check_version(request.schema_version)?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let report = access.runtime.block_on(endpoint::check(&request.endpoint, &clock))?;
        wire::write(&report)
    })
}

/// Opens a project by an [`OpenRequest`] as JSON and gives its handle. Nothing runs yet.
///
/// # Errors
/// `invalid_input` for a wrong request, `not_found` for a missing root, `in_use` when another process or handle holds the
/// project's store, and the store's and the embedder's own.
pub fn engine_open(request: &[u8]) -> Result<u64> {
    guarded(|| {
        let access = library::access()?;
        let request: OpenRequest = wire::read("the open request", request)?;
        wire::check_version(request.schema_version)?;
        let place = compose::place(&request)?;
        let (project, outbox) = (place.1.to_string(), access.outbox.clone());
        let events = Arc::new(move |event: Event| {
            let event =
                ProjectEvent { schema_version: SCHEMA_VERSION, project: project.clone(), event };
            if let Ok(json) = serde_json::to_string(&event) {
                outbox.send(Message::Event { json });
            }
        });
        let host = HostPorts { calls: access.calls.clone(), outbox: access.outbox.clone() };
        let settings = request.settings.clone();
        let opened = compose::open(request, place, &host, events)?;
        let session = access.runtime.block_on(Session::new(opened, &settings))?;
        Ok(SESSIONS.insert(session))
    })
}

/// Does what a [`Request`] as JSON asks of an engine, and gives the answer as JSON. Blocks until it is there.
///
/// # Errors
/// `closed` for a handle that is none, `invalid_input` for a wrong request, and those of the operation.
pub fn engine_call(handle: u64, request: &[u8]) -> Result<Vec<u8>> {
    guarded(|| {
        let session = SESSIONS.get(handle)?;
        let access = library::access()?;
        let request = Request::read(request)?;
        access.runtime.block_on(session.call(request))
    })
}

/// Whether a tool may be called with these arguments, a JSON object: `None` when nothing stands in the way, else the
/// guard's verdict as JSON. Answers from memory; [`crate::request::GuardRequest::CheckToolCall`] says the same and takes
/// longer.
///
/// # Errors
/// `closed`, `invalid_input`.
pub fn guard_check_tool_call(handle: u64, tool: &str, arguments: &[u8]) -> Result<Option<Vec<u8>>> {
    guarded(|| {
        let session = SESSIONS.get(handle)?;
        let arguments: Map<String, Value> = wire::read("the arguments", arguments)?;
        session.check_tool_call(tool, &Value::Object(arguments))
    })
}

/// Stops the engine's loop and closes the handle. Calls that run end by themselves; the store is free after the last one.
///
/// # Errors
/// `closed` for a handle that is none.
pub fn engine_close(handle: u64) -> Result<()> {
    guarded(|| {
        let session = SESSIONS.remove(handle)?;
        if let Ok(access) = library::access() {
            access.runtime.block_on(session.close());
        }
        Ok(())
    })
}

/// Completes a tool call with a [`ouro_core::ToolResult`] or `{"error": {"code", "message"}}` as JSON. False when nobody
/// waits for it: unknown, late and double completions are ignored and counted.
///
/// # Errors
/// None but a caught defect.
pub fn tool_complete(call_id: u64, result: &[u8]) -> Result<bool> {
    guarded(|| Ok(library::access().is_ok_and(|access| access.calls.complete(call_id, result))))
}

/// Whether somebody waits for this tool call's answer. A host that takes calls at once, and so may hear of a call after its
/// cancellation, asks when it would notice a later one.
///
/// # Errors
/// None but a caught defect.
pub fn tool_awaited(call_id: u64) -> Result<bool> {
    guarded(|| Ok(library::access().is_ok_and(|access| access.calls.is_waiting(call_id))))
}

/// Opens a detector session by a [`ouro_detect::Config`] as JSON; an empty text takes the defaults. Needs no host.
///
/// # Errors
/// `invalid_input` names the field that is wrong.
pub fn detector_open(config: &str) -> Result<u64> {
    guarded(|| Ok(DETECTORS.insert(Detector::new(config)?)))
}

/// Reads a chunk of text; whether the session is in a loop now.
///
/// # Errors
/// `closed`.
pub fn detector_push(handle: u64, channel: Channel, text: &str) -> Result<bool> {
    let chunk = Chunk::Utf8(Cow::Borrowed(text));
    guarded(|| DETECTORS.with(handle, |detector| detector.push(channel, chunk)))
}

/// As [`detector_push`] in UTF-16 code units. A chunk may end inside a surrogate pair.
///
/// # Errors
/// `closed`.
#[inline]
pub fn detector_push_utf16(handle: u64, channel: Channel, units: &[u16]) -> Result<bool> {
    let chunk = Chunk::Utf16(Cow::Borrowed(units));
    guarded(|| DETECTORS.with(handle, |detector| detector.push(channel, chunk)))
}

/// Takes in an event (`{"type": "tool_call", "name": ..., "args": {...}}`); whether the session is in a loop now.
///
/// # Errors
/// `closed`; `invalid_input` names the field that is wrong.
pub fn detector_event(handle: u64, event: &str) -> Result<bool> {
    guarded(|| DETECTORS.with(handle, |detector| detector.event(event))?)
}

/// The loop that the session is in, as JSON of a [`ouro_detect::LoopDetected`]; `null` without one.
///
/// # Errors
/// `closed`.
pub fn detector_found(handle: u64) -> Result<Vec<u8>> {
    guarded(|| wire::write(&DETECTORS.with(handle, Detector::found)?))
}

/// Goes on after the host has dealt with the loop.
///
/// # Errors
/// `closed`.
pub fn detector_acknowledge(handle: u64) -> Result<()> {
    guarded(|| DETECTORS.with(handle, Detector::acknowledge))
}

/// Begins anew, with the prompt of this id.
///
/// # Errors
/// `closed`.
pub fn detector_reset(handle: u64, prompt_id: &str) -> Result<()> {
    guarded(|| DETECTORS.with(handle, |detector| detector.reset(prompt_id)))
}

/// Closes the session.
///
/// # Errors
/// `closed`.
pub fn detector_close(handle: u64) -> Result<()> {
    guarded(|| DETECTORS.remove(handle).map(drop))
}

/// Arms one panic: at the beginning of the next operation (`call`), inside its asynchronous part (`async`), or while the
/// host is told something (`delivery`).
///
/// # Errors
/// `invalid_input` for any other word.
#[cfg(feature = "testing")]
pub fn testing_arm(point: &str) -> Result<()> {
    crate::testing::arm(point)
}

/// Calls a tool of a project as often as a request (`tool`, `arguments`, `count`, `at_once`, `time_limit_ms`) says, and
/// counts what became of the calls (`done` by summary, `failed` by code, `nanos`).
///
/// # Errors
/// `closed`, `invalid_input`, `not_found`.
#[cfg(feature = "testing")]
pub fn testing_call_tools(handle: u64, request: &[u8]) -> Result<Vec<u8>> {
    guarded(|| {
        let (session, access) = (SESSIONS.get(handle)?, library::access()?);
        let request = wire::read("the request", request)?;
        let tools = session.project().tools;
        wire::write(&access.runtime.block_on(crate::testing::call_tools(&tools, request))?)
    })
}

/// Adds copies of a record, given as JSON, to a project.
///
/// # Errors
/// `closed`, `invalid_input`, and the store's.
#[cfg(feature = "testing")]
pub fn testing_add_records(handle: u64, record: &[u8], count: usize) -> Result<()> {
    guarded(|| {
        let session = SESSIONS.get(handle)?;
        crate::testing::add_records(&session.project(), &wire::read("the record", record)?, count)
    })
}
