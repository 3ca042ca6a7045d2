//! The C ABI. `include/ouro.h` is made from this file; the rules of ownership stand there.

#![allow(unsafe_code, reason = "pointers of a C program can't be checked by the compiler")]

use std::{
    ffi::{CStr, CString, c_char, c_void},
    sync::Arc,
    time::Duration,
};

use crate::{
    api::{self, Channel},
    error::{BridgeError, Result},
    host::{Host, Message},
};

/// A text in UTF-8 that ends with a zero byte. Whoever gets one frees it with `ouro_string_free`.
pub type OuroString = *mut c_char;

/// The functions of the host. Each is called from a thread of this library, one at a time, and should return at once; the
/// texts are valid until it returns. None may be NULL.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OuroHost {
    /// Handed to every function. It must be usable from any thread until `ouro_shutdown` has returned.
    pub context: *mut c_void,
    /// A tool is called: answer with `ouro_tool_complete`, now or later, from any thread.
    pub on_tool_call: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            call_id: u64,
            project: *const c_char,
            name: *const c_char,
            arguments_json: *const c_char,
        ),
    >,
    /// Nobody waits for this call's answer any more.
    pub on_tool_cancel: Option<unsafe extern "C" fn(context: *mut c_void, call_id: u64)>,
    /// Something happened in a project; the text is a JSON object with `schema_version`, `project` and `event`.
    pub on_event: Option<unsafe extern "C" fn(context: *mut c_void, event_json: *const c_char)>,
    /// A line of the log; the level is 1 (error) to 5 (trace).
    pub on_log: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            level: i32,
            target: *const c_char,
            message: *const c_char,
        ),
    >,
}

// SAFETY: the context is handed through, never looked at; that it may be used from any thread is the host's promise.
unsafe impl Send for OuroHost {}
// SAFETY: as above; the functions are plain addresses.
unsafe impl Sync for OuroHost {}

impl Host for OuroHost {
    fn tell(&self, message: Message) {
        match message {
            Message::ToolCall { call_id, project, name, arguments } => {
                let (project, name, arguments) = (text(project), text(name), text(arguments));
                let Some(call) = self.on_tool_call else { return };
                // SAFETY: the host gave this function for this use; the texts live until it returns.
                unsafe {
                    call(
                        self.context,
                        call_id,
                        project.as_ptr(),
                        name.as_ptr(),
                        arguments.as_ptr(),
                    );
                }
            }
            Message::ToolCancel { call_id } => {
                let Some(cancel) = self.on_tool_cancel else { return };
                // SAFETY: the host gave this function for this use.
                unsafe { cancel(self.context, call_id) };
            }
            Message::Event { json } => {
                let (Some(event), json) = (self.on_event, text(json)) else { return };
                // SAFETY: the host gave this function for this use; the text lives until it returns.
                unsafe { event(self.context, json.as_ptr()) };
            }
            Message::Log { level, target, message } => {
                let (target, message) = (text(target), text(message));
                let Some(log) = self.on_log else { return };
                // SAFETY: the host gave this function for this use; the texts live until it returns.
                unsafe { log(self.context, i32::from(level), target.as_ptr(), message.as_ptr()) };
            }
        }
    }
}

/// A text for C. Its zero bytes, which JSON never holds, become U+FFFD.
fn text(text: String) -> CString {
    CString::new(text)
        .or_else(|error| {
            let text = String::from_utf8_lossy(&error.into_vec()).replace('\0', "\u{FFFD}");
            CString::new(text)
        })
        .unwrap_or_default()
}

/// Reads a text of the caller.
///
/// # Safety
/// It is NULL or ends with a zero byte, and nobody changes it until this call ends.
unsafe fn read<'a>(what: &str, text: *const c_char) -> Result<&'a str> {
    if text.is_null() {
        return Err(BridgeError::invalid(format!("{what} is NULL")));
    }
    // SAFETY: not NULL, and the caller of this function promises the rest.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|error| BridgeError::invalid(format!("{what} is not UTF-8: {error}")))
}

/// Puts what `work` brings into `place`, that of the `what`, and gives NULL or the error as JSON. Without a place nothing is
/// done: what it opens nobody could close, and what it takes in would come twice.
///
/// # Safety
/// `place` is NULL or may be written.
unsafe fn give<T>(place: *mut T, what: &str, work: impl FnOnce() -> Result<T>) -> OuroString {
    if place.is_null() {
        return failure(&BridgeError::invalid(format!("the place for the {what} is NULL")));
    }
    match work() {
        Ok(value) => {
            // SAFETY: not NULL, and the caller promises that it may be written. What is there is not read: it may be
            // uninitialised.
            unsafe { place.write(value) };
            std::ptr::null_mut()
        }
        Err(error) => failure(&error),
    }
}

fn done(result: Result<()>) -> OuroString {
    match result {
        Ok(()) => std::ptr::null_mut(),
        Err(error) => failure(&error),
    }
}

fn failure(error: &BridgeError) -> OuroString {
    text(serde_json::to_string(error).unwrap_or_default()).into_raw()
}

fn json_text(json: Vec<u8>) -> OuroString {
    text(String::from_utf8_lossy(&json).into_owned()).into_raw()
}

/// The version of this interface. A program that was compiled against another number must not go on.
#[unsafe(no_mangle)]
pub extern "C" fn ouro_abi_version() -> u32 {
    api::ABI_VERSION
}

/// Frees a text that this library gave. NULL is allowed.
///
/// # Safety
/// The text came from this library and was not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ouro_string_free(text: OuroString) {
    if !text.is_null() {
        // SAFETY: it came from `CString::into_raw` here, and the caller promises that this is the only time.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Connects the host and starts the threads of this library. The structure is copied. NULL, or an error.
///
/// # Safety
/// `host` is NULL or points to a whole structure whose functions stay valid until `ouro_shutdown` has returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ouro_init(host: *const OuroHost) -> OuroString {
    // SAFETY: NULL or whole, by the caller's promise.
    let Some(host) = (unsafe { host.as_ref() }).copied() else {
        return failure(&BridgeError::invalid("the host is NULL"));
    };
    let functions = [
        ("on_tool_call", host.on_tool_call.is_some()),
        ("on_tool_cancel", host.on_tool_cancel.is_some()),
        ("on_event", host.on_event.is_some()),
        ("on_log", host.on_log.is_some()),
    ];
    if let Some((name, _)) = functions.iter().find(|(_, given)| !given) {
        return failure(&BridgeError::invalid(format!("the host's function {name} is NULL")));
    }
    done(api::init(Arc::new(host)))
}

/// Stops and closes everything; then no function of the host is called any more, unless one of them did not return within
/// `limit_ms`. Another host may connect after it. NULL, or an error.
#[unsafe(no_mangle)]
pub extern "C" fn ouro_shutdown(limit_ms: u64) -> OuroString {
    done(api::shutdown(Duration::from_millis(limit_ms)))
}

/// Asks a model's endpoint what it serves, and puts the report, JSON to be freed, into `report_json`. NULL, or an error.
///
/// # Safety
/// `request_json` is NULL or ends with a zero byte; `report_json` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ouro_check_endpoint(
    request_json: *const c_char,
    report_json: *mut OuroString,
) -> OuroString {
    // SAFETY: both by the caller's promise.
    unsafe {
        give(report_json, "report", || {
            let request = read("the request", request_json)?;
            api::check_endpoint(request.as_bytes()).map(json_text)
        })
    }
}

/// Puts counts of the library, JSON to be freed, into `counts_json`: completions that nobody waited for, calls that wait,
/// messages that found no room. NULL, or an error.
///
/// # Safety
/// `counts_json` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ouro_diagnostics(counts_json: *mut OuroString) -> OuroString {
    // SAFETY: by the caller's promise.
    unsafe { give(counts_json, "counts", || api::diagnostics().map(json_text)) }
}

/// Opens a project; its handle goes to `engine`. NULL, or an error.
///
/// # Safety
/// `request_json` is NULL or ends with a zero byte; `engine` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ouro_engine_open(
    request_json: *const c_char,
    engine: *mut u64,
) -> OuroString {
    // SAFETY: both by the caller's promise.
    unsafe {
        give(engine, "engine", || {
            api::engine_open(read("the open request", request_json)?.as_bytes())
        })
    }
}

/// Does what a request asks and puts the answer, JSON to be freed, into `answer_json`. Blocks until it is there. NULL, or an
/// error.
///
/// # Safety
/// `request_json` is NULL or ends with a zero byte; `answer_json` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ouro_engine_call(
    engine: u64,
    request_json: *const c_char,
    answer_json: *mut OuroString,
) -> OuroString {
    // SAFETY: both by the caller's promise.
    unsafe {
        give(answer_json, "answer", || {
            let request = read("the request", request_json)?;
            api::engine_call(engine, request.as_bytes()).map(json_text)
        })
    }
}

/// Asks the project's guard whether a tool may be called with these arguments, a JSON object: `verdict_json` becomes NULL
/// when nothing stands in the way, else the verdict, JSON to be freed. Answers from memory. NULL, or an error.
///
/// # Safety
/// `tool` and `arguments_json` are NULL or end with a zero byte; `verdict_json` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ouro_guard_check_tool_call(
    engine: u64,
    tool: *const c_char,
    arguments_json: *const c_char,
    verdict_json: *mut OuroString,
) -> OuroString {
    // SAFETY: all by the caller's promise.
    unsafe {
        give(verdict_json, "verdict", || {
            let tool = read("the tool", tool)?;
            let arguments = read("the arguments", arguments_json)?;
            let verdict = api::guard_check_tool_call(engine, tool, arguments.as_bytes())?;
            Ok(verdict.map_or(std::ptr::null_mut(), json_text))
        })
    }
}

/// Stops the project's loop and closes its handle. NULL, or an error.
#[unsafe(no_mangle)]
pub extern "C" fn ouro_engine_close(engine: u64) -> OuroString {
    done(api::engine_close(engine))
}

/// Completes a tool call with a result: `{"summary", "content", "lines"}` or `{"error": {"code", "message"}}`. Whether
/// somebody waited for it; other completions are ignored.
///
/// # Safety
/// `result_json` is NULL or ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ouro_tool_complete(call_id: u64, result_json: *const c_char) -> bool {
    // SAFETY: by the caller's promise.
    let result = unsafe { read("the result", result_json) }.unwrap_or_default();
    api::tool_complete(call_id, result.as_bytes()).unwrap_or(false)
}

/// Opens a detector session; its handle goes to `detector`. The configuration is JSON; NULL takes the defaults. Needs no
/// host. NULL, or an error.
///
/// # Safety
/// `config_json` is NULL or ends with a zero byte; `detector` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ouro_detector_open(
    config_json: *const c_char,
    detector: *mut u64,
) -> OuroString {
    // SAFETY: both by the caller's promise.
    unsafe {
        give(detector, "detector", || {
            let has_config = !config_json.is_null();
            let config = if has_config { read("the configuration", config_json)? } else { "" };
            api::detector_open(config)
        })
    }
}

/// Reads a chunk of the reply (channel 0) or the reasoning (channel 1) of `length` bytes of UTF-8, whole characters;
/// `found` becomes whether the session is in a loop. NULL, or an error.
///
/// # Safety
/// `text` points to `length` bytes, or `length` is 0; `found` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ouro_detector_push(
    detector: u64,
    channel: i32,
    text: *const c_char,
    length: usize,
    found: *mut bool,
) -> OuroString {
    // SAFETY: both by the caller's promise.
    unsafe {
        give(found, "verdict", || {
            let text = std::str::from_utf8(slice(text.cast::<u8>(), length)?).map_err(|error| {
                BridgeError::invalid(format!("the chunk is not UTF-8: {error}"))
            })?;
            api::detector_push(detector, Channel::from_number(channel)?, text)
        })
    }
}

/// As `ouro_detector_push` with `length` code units of UTF-16, which may end inside a surrogate pair.
///
/// # Safety
/// `units` points to `length` code units, or `length` is 0; `found` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ouro_detector_push_utf16(
    detector: u64,
    channel: i32,
    units: *const u16,
    length: usize,
    found: *mut bool,
) -> OuroString {
    // SAFETY: both by the caller's promise.
    unsafe {
        give(found, "verdict", || {
            let units = slice(units, length)?;
            api::detector_push_utf16(detector, Channel::from_number(channel)?, units)
        })
    }
}

/// Takes in an event as JSON (`{"type": "tool_call", "name": ..., "args": {...}}`); `found` becomes whether the session is in
/// a loop. NULL, or an error.
///
/// # Safety
/// `event_json` is NULL or ends with a zero byte; `found` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ouro_detector_event(
    detector: u64,
    event_json: *const c_char,
    found: *mut bool,
) -> OuroString {
    // SAFETY: both by the caller's promise.
    unsafe {
        give(found, "verdict", || api::detector_event(detector, read("the event", event_json)?))
    }
}

/// Puts the loop that the session is in, JSON to be freed (`null` without one), into `found_json`. NULL, or an error.
///
/// # Safety
/// `found_json` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ouro_detector_found(
    detector: u64,
    found_json: *mut OuroString,
) -> OuroString {
    // SAFETY: by the caller's promise.
    unsafe { give(found_json, "answer", || api::detector_found(detector).map(json_text)) }
}

/// Goes on after the host has dealt with the loop. NULL, or an error.
#[unsafe(no_mangle)]
pub extern "C" fn ouro_detector_acknowledge(detector: u64) -> OuroString {
    done(api::detector_acknowledge(detector))
}

/// Begins anew with the prompt of this id. NULL, or an error.
///
/// # Safety
/// `prompt_id` is NULL or ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ouro_detector_reset(
    detector: u64,
    prompt_id: *const c_char,
) -> OuroString {
    // SAFETY: by the caller's promise.
    let prompt_id = unsafe { read("the prompt's id", prompt_id) };
    done(prompt_id.and_then(|prompt_id| api::detector_reset(detector, prompt_id)))
}

/// Closes the session. NULL, or an error.
#[unsafe(no_mangle)]
pub extern "C" fn ouro_detector_close(detector: u64) -> OuroString {
    done(api::detector_close(detector))
}

/// # Safety
/// `start` points to `length` values, or `length` is 0.
unsafe fn slice<'a, T>(start: *const T, length: usize) -> Result<&'a [T]> {
    if length == 0 {
        return Ok(&[]);
    }
    if start.is_null() {
        return Err(BridgeError::invalid("the chunk is NULL, but its length is not 0"));
    }
    // SAFETY: not NULL, and as long as the caller promises.
    Ok(unsafe { std::slice::from_raw_parts(start, length) })
}
