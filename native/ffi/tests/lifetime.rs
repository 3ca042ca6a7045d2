//! What is left of engines that were opened and closed.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

use std::{fs, path::Path, sync::Arc, time::Duration};

use ouro::{
    api,
    host::{Host, Message},
};
use serde_json::json;

/// A host without tools of its own.
struct Deaf;

impl Host for Deaf {
    fn tell(&self, _: Message) {}
}

/// Resident memory, KiB, and open files.
fn usage() -> Option<(u64, usize)> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS"))?;
    let kib = line.split_whitespace().nth(1)?.parse().ok()?;
    Some((kib, fs::read_dir("/proc/self/fd").ok()?.count()))
}

#[test]
fn engines_that_are_closed_leave_no_file_open_and_next_to_no_memory() {
    let data = tempfile::tempdir().unwrap();
    let weather = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/weather");
    let open = json!({ "schema_version": 1, "project_root": weather, "data_dir": data.path() });
    let (open, stats) = (open.to_string(), json!({ "op": "stats" }).to_string());
    let cycles = |count| {
        for _ in 0..count {
            let engine = api::engine_open(open.as_bytes()).unwrap();
            api::engine_call(engine, stats.as_bytes()).unwrap();
            api::engine_close(engine).unwrap();
            let detector = api::detector_open("").unwrap();
            api::detector_push(detector, api::Channel::Content, "text").unwrap();
            api::detector_close(detector).unwrap();
        }
    };
    api::init(Arc::new(Deaf)).unwrap();
    cycles(100);
    let before = usage();
    cycles(3_000);
    if let (Some((kib_before, files_before)), Some((kib, files))) = (before, usage()) {
        println!("{kib_before} KiB and {files_before} files, then {kib} KiB and {files} files");
        // The database keeps a written part of a buffer each time: 9 to 15 KiB, measured over so many rounds that what
        // the allocator holds back doesn't count. Whatever an engine holds is far larger.
        assert!(kib < kib_before + 3_000 * 24 && files <= files_before + 1);
    }
    api::shutdown(Duration::from_secs(2)).unwrap();
}
