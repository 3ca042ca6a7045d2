//! What a service takes.

use std::sync::Arc;

use allocation_counter::measure;
use ouro_detect::{
    CheckedConfig, Chunk, Config, Event, LoopDetectionService, ToolCall, ToolResult,
};

fn content(text: &str) -> Event<'_> {
    Event::Content(Chunk::Utf8(text.into()))
}

#[test]
fn a_service_is_made_with_next_to_nothing_and_a_chunk_takes_nothing() {
    let config = Arc::new(CheckedConfig::new(Config::default()).unwrap());
    let made = measure(|| drop(LoopDetectionService::with(Arc::clone(&config))));
    assert!(made.count_total <= 4 && made.bytes_max <= 4096, "{made:?}");

    let mut service = LoopDetectionService::with(config);
    let words: Vec<String> = (0..20_000_u64)
        .map(|n| format!("{:x} and 第{}步, ", n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20, n * n))
        .collect();
    let (first, rest) = words.split_at(4000);
    let first = measure(|| {
        first.iter().for_each(|word| assert_eq!(service.add_and_check(&content(word)), None))
    });
    assert!(first.bytes_current <= 96 * 1024, "{first:?}");
    let steady = measure(|| {
        rest.iter().for_each(|word| assert_eq!(service.add_and_check(&content(word)), None))
    });
    assert_eq!(steady.count_total, 0, "a chunk takes memory");
}

#[test]
fn tool_calls_take_no_more_than_the_window_however_many_there_are() {
    let config = r#"{"calls":{"max_calls":0},"judge":{"enabled":false}}"#;
    let mut service = LoopDetectionService::new(Config::from_json(config).unwrap()).unwrap();
    let kept = measure(|| {
        for n in 0..3000 {
            let args = format!(r#"{{"path":"src/part{n}.rs","text":"{}"}}"#, "x".repeat(4000));
            let call = ToolCall { name: "write".into(), args: args.into(), ..Default::default() };
            assert_eq!(service.add_and_check(&Event::ToolCall(call)), None);
            let text = format!("line {n} of the file\n").repeat(50) + &n.to_string();
            let result =
                ToolResult { name: "write".into(), text: text.into(), ..Default::default() };
            assert_eq!(service.add_and_check(&Event::ToolResult(result)), None);
        }
    });
    assert!(kept.bytes_current <= 160 * 1024, "{kept:?}");
}
