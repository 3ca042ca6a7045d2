#![no_main]

#[path = "../../tests/fuzz/input.rs"]
mod input;
#[path = "../../tests/fuzz/events.rs"]
mod events;

libfuzzer_sys::fuzz_target!(|data: &[u8]| events::check(data));
