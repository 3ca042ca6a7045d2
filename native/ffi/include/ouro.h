// The C interface of Ouro: the engine that learns a project by itself, and the loop detectors.
// Made by `OURO_BLESS=1 cargo xtask test --only header`; do not edit.
//
// Errors: a function that can fail returns NULL when all went well, else a JSON object to be freed:
//   {"code": "invalid_input", "message": "...", "retryable": false}
// Codes: invalid_input, not_found, refused, in_use, unavailable, rate_limited, timeout, bad_reply, damaged, too_new,
// storage, cancelled, internal, closed (a handle that is none any more), panic (a defect that was caught). Results are
// written only when all went well.
//
// Ownership: every OuroString that this library gives, as an error or as an answer, belongs to the caller, who frees it with
// ouro_string_free and with nothing else. What the caller passes in stays the caller's; nothing is kept beyond the call,
// except for the host's functions and context until ouro_shutdown has returned. What the host's functions get is valid until
// they return.
//
// Handles are numbers, not pointers: one that was closed or never given out is an error, not undefined behaviour. 0 is
// never one.
//
// Threads: every function may be called from any thread, from the host's functions too.


#ifndef OURO_H
#define OURO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A text in UTF-8 that ends with a zero byte. Whoever gets one frees it with `ouro_string_free`.
typedef char *OuroString;

// The functions of the host. Each is called from a thread of this library, one at a time, and should return at once; the
// texts are valid until it returns. None may be NULL.
typedef struct OuroHost {
  // Handed to every function. It must be usable from any thread until `ouro_shutdown` has returned.
  void *context;
  // A tool is called: answer with `ouro_tool_complete`, now or later, from any thread.
  void (*on_tool_call)(void *context,
                       uint64_t call_id,
                       const char *project,
                       const char *name,
                       const char *arguments_json);
  // Nobody waits for this call's answer any more.
  void (*on_tool_cancel)(void *context, uint64_t call_id);
  // Something happened in a project; the text is a JSON object with `schema_version`, `project` and `event`.
  void (*on_event)(void *context, const char *event_json);
  // A line of the log; the level is 1 (error) to 5 (trace).
  void (*on_log)(void *context, int32_t level, const char *target, const char *message);
} OuroHost;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of this interface. A program that was compiled against another number must not go on.
uint32_t ouro_abi_version(void);

// Frees a text that this library gave. NULL is allowed.
//
// # Safety
// The text came from this library and was not freed before.
void ouro_string_free(OuroString text);

// Connects the host and starts the threads of this library. The structure is copied. NULL, or an error.
//
// # Safety
// `host` is NULL or points to a whole structure whose functions stay valid until `ouro_shutdown` has returned.
OuroString ouro_init(const struct OuroHost *host);

// Stops and closes everything; then no function of the host is called any more, unless one of them did not return within
// `limit_ms`. Another host may connect after it. NULL, or an error.
OuroString ouro_shutdown(uint64_t limit_ms);

// Asks a model's endpoint what it serves, and puts the report, JSON to be freed, into `report_json`. NULL, or an error.
//
// # Safety
// `request_json` is NULL or ends with a zero byte; `report_json` is NULL or may be written.
OuroString ouro_check_endpoint(const char *request_json,
                               OuroString *report_json);

// Puts counts of the library, JSON to be freed, into `counts_json`: completions that nobody waited for, calls that wait,
// messages that found no room. NULL, or an error.
//
// # Safety
// `counts_json` is NULL or may be written.
OuroString ouro_diagnostics(OuroString *counts_json);

// Opens a project; its handle goes to `engine`. NULL, or an error.
//
// # Safety
// `request_json` is NULL or ends with a zero byte; `engine` is NULL or may be written.
OuroString ouro_engine_open(const char *request_json, uint64_t *engine);

// Does what a request asks and puts the answer, JSON to be freed, into `answer_json`. Blocks until it is there. NULL, or an
// error.
//
// # Safety
// `request_json` is NULL or ends with a zero byte; `answer_json` is NULL or may be written.
OuroString ouro_engine_call(uint64_t engine,
                            const char *request_json,
                            OuroString *answer_json);

// Asks the project's guard whether a tool may be called with these arguments, a JSON object: `verdict_json` becomes NULL
// when nothing stands in the way, else the verdict, JSON to be freed. Answers from memory. NULL, or an error.
//
// # Safety
// `tool` and `arguments_json` are NULL or end with a zero byte; `verdict_json` is NULL or may be written.
OuroString ouro_guard_check_tool_call(uint64_t engine,
                                      const char *tool,
                                      const char *arguments_json,
                                      OuroString *verdict_json);

// Stops the project's loop and closes its handle. NULL, or an error.
OuroString ouro_engine_close(uint64_t engine);

// Completes a tool call with a result: `{"summary", "content", "lines"}` or `{"error": {"code", "message"}}`. Whether
// somebody waited for it; other completions are ignored.
//
// # Safety
// `result_json` is NULL or ends with a zero byte.
bool ouro_tool_complete(uint64_t call_id,
                        const char *result_json);

// Opens a detector session; its handle goes to `detector`. The configuration is JSON; NULL takes the defaults. Needs no
// host. NULL, or an error.
//
// # Safety
// `config_json` is NULL or ends with a zero byte; `detector` is NULL or may be written.
OuroString ouro_detector_open(const char *config_json,
                              uint64_t *detector);

// Reads a chunk of the reply (channel 0) or the reasoning (channel 1) of `length` bytes of UTF-8, whole characters;
// `found` becomes whether the session is in a loop. NULL, or an error.
//
// # Safety
// `text` points to `length` bytes, or `length` is 0; `found` is NULL or may be written.
OuroString ouro_detector_push(uint64_t detector,
                              int32_t channel,
                              const char *text,
                              size_t length,
                              bool *found);

// As `ouro_detector_push` with `length` code units of UTF-16, which may end inside a surrogate pair.
//
// # Safety
// `units` points to `length` code units, or `length` is 0; `found` is NULL or may be written.
OuroString ouro_detector_push_utf16(uint64_t detector,
                                    int32_t channel,
                                    const uint16_t *units,
                                    size_t length,
                                    bool *found);

// Takes in an event as JSON (`{"type": "tool_call", "name": ..., "args": {...}}`); `found` becomes whether the session is in
// a loop. NULL, or an error.
//
// # Safety
// `event_json` is NULL or ends with a zero byte; `found` is NULL or may be written.
OuroString ouro_detector_event(uint64_t detector,
                               const char *event_json,
                               bool *found);

// Puts the loop that the session is in, JSON to be freed (`null` without one), into `found_json`. NULL, or an error.
//
// # Safety
// `found_json` is NULL or may be written.
OuroString ouro_detector_found(uint64_t detector,
                               OuroString *found_json);

// Goes on after the host has dealt with the loop. NULL, or an error.
OuroString ouro_detector_acknowledge(uint64_t detector);

// Begins anew with the prompt of this id. NULL, or an error.
//
// # Safety
// `prompt_id` is NULL or ends with a zero byte.
OuroString ouro_detector_reset(uint64_t detector, const char *prompt_id);

// Closes the session. NULL, or an error.
OuroString ouro_detector_close(uint64_t detector);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* OURO_H */
