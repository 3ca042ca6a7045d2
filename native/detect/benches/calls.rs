//! What a tool call and its answer cost.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a benchmark"
)]

mod cpu_time;

use std::{
    cell::{Cell, RefCell},
    hint::black_box,
};

use cpu_time::CpuTime;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use ouro_detect::{
    CheckedConfig, Config, Event, LoopDetectionService, ToolCall, ToolCallDetector, ToolResult,
    calls::CallConfig,
};

/// A `replace` call with four arguments, `bytes` long, different for each `n`.
fn args(bytes: usize, n: usize) -> String {
    let frame = format!(
        r#"{{"file_path":"/home/dev/project/src/module_{n:04}.rs","old_string":"","new_string":"let value = {n};","expected_replacements":1}}"#
    );
    let fill = "some_text = other_text + 1; ".repeat(bytes / 28 + 1);
    let room = bytes.saturating_sub(frame.len());
    frame.replace(r#""old_string":"""#, &format!(r#""old_string":"{}""#, &fill[..room]))
}

fn config() -> CallConfig {
    CallConfig { max_calls: 0, ..CallConfig::default() }
}

fn calls(c: &mut Criterion) {
    for (name, bytes) in [("150 bytes", 150), ("4 KB", 4096)] {
        let all: Vec<_> = (0..512).map(|n| args(bytes, n)).collect();
        c.bench_function(&format!("call, {name}, no answers"), |b| {
            let mut detector = ToolCallDetector::adaptive(&config(), &[]);
            let mut at = 0;
            b.iter(|| {
                at = (at + 1) % all.len();
                black_box(detector.push("replace", &all[at]))
            });
        });
        c.bench_function(&format!("call, {name}, in a session with answers"), |b| {
            let detector = RefCell::new(ToolCallDetector::adaptive(&config(), &[]));
            let result =
                ToolResult { name: "replace".into(), text: "ok".into(), ..Default::default() };
            let at = Cell::new(0);
            b.iter_batched(
                || {
                    detector.borrow_mut().result(&result);
                    at.set((at.get() + 1) % all.len());
                },
                |()| black_box(detector.borrow_mut().push("replace", &all[at.get()])),
                BatchSize::PerIteration,
            );
        });
    }
}

fn answers(c: &mut Criterion<CpuTime>) {
    let all: Vec<_> = (0..512).map(|n| args(150, n)).collect();
    let page = |n: usize| {
        (0..40).map(|m| format!("{m:>4}  let value_{n}_{m} = compute({m}, 12:01:03);\n")).collect()
    };
    let pages: Vec<String> = (0..512).map(page).collect();
    for name in ["acknowledged", "2 KB of code"] {
        c.bench_function(&format!("call and answer, {name}"), |b| {
            let config = Config { calls: config(), ..Config::default() };
            let mut service = LoopDetectionService::new(config).unwrap();
            let mut at = 0;
            b.iter(|| {
                at = (at + 1) % all.len();
                let text = if name == "acknowledged" { "File updated." } else { &pages[at] };
                let call = ToolCall {
                    name: "replace".into(),
                    args: all[at].as_str().into(),
                    ..Default::default()
                };
                service.add_and_check(&Event::ToolCall(call));
                let result =
                    ToolResult { name: "replace".into(), text: text.into(), ..Default::default() };
                black_box(service.add_and_check(&Event::ToolResult(result)))
            });
        });
    }
    let config = std::sync::Arc::new(Config::default());
    if let Ok(checked) = CheckedConfig::new(Config::default()) {
        let checked = std::sync::Arc::new(checked);
        c.bench_function("a new service, its configuration checked before", |b| {
            b.iter(|| LoopDetectionService::with(black_box(checked.clone())));
        });
    }
    c.bench_function("a new service", |b| {
        b.iter(|| black_box(LoopDetectionService::new(config.clone()).is_ok()));
    });
}

criterion_group!(by_call, calls);
criterion_group! {
    name = with_answers;
    config = Criterion::default().with_measurement(CpuTime);
    targets = answers
}
criterion_main!(by_call, with_answers);
