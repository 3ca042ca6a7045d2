//! A stream in UTF-16, cut anywhere, says what the same stream in UTF-8 says; the Kotlin tests read the same file.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

use std::{fs, path::Path};

use ouro::api::{self, Channel};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Stream {
    text: String,
    found: Value,
}

fn stream() -> Stream {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/wire/loop.json");
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

fn found(push: impl FnOnce(u64)) -> Value {
    let detector = api::detector_open("").unwrap();
    push(detector);
    let found = api::detector_found(detector).unwrap();
    api::detector_close(detector).unwrap();
    let mut found: Value = serde_json::from_slice(&found).unwrap();
    // How many pieces there were is no part of the verdict.
    let agreed = stream().found;
    found.as_object_mut().unwrap().retain(|name, _| agreed.get(name).is_some());
    found
}

#[test]
fn a_stream_says_the_same_in_both_encodings_wherever_it_is_cut() {
    let stream = stream();
    let units: Vec<u16> = stream.text.encode_utf16().collect();
    let whole = found(|detector| {
        api::detector_push(detector, Channel::Content, &stream.text).unwrap();
    });
    assert_eq!(whole, stream.found);
    for size in [1, 2, 3, 5, 7, 64, units.len()] {
        let cut = found(|detector| {
            for piece in units.chunks(size) {
                api::detector_push_utf16(detector, Channel::Content, piece).unwrap();
            }
        });
        assert_eq!(cut, stream.found, "in pieces of {size}");
    }
}
