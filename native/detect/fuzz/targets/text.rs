#![no_main]

#[path = "../../tests/fuzz/input.rs"]
mod input;
#[path = "../../tests/fuzz/text.rs"]
mod text;

libfuzzer_sys::fuzz_target!(|data: &[u8]| text::check(data));
