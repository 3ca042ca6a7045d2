//! A project that nobody wants to be learnt is analysed all the same, and changes to a loop and back.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that fails here says where"
)]

use std::{
    fs,
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use ouro::{
    api,
    host::{Host, Message},
};
use serde_json::{Value, json};

/// Hands every event on.
struct Listener(Mutex<mpsc::Sender<Value>>);

impl Host for Listener {
    fn tell(&self, message: Message) {
        if let Message::Event { json } = message {
            let _ = self.0.lock().unwrap().send(serde_json::from_str(&json).unwrap());
        }
    }
}

fn call(engine: u64, request: &Value) -> Value {
    let answer = api::engine_call(engine, request.to_string().as_bytes()).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

#[test]
fn an_analysis_marks_what_changed_and_gives_way_to_a_loop() {
    let (sender, events) = mpsc::channel();
    api::init(Arc::new(Listener(Mutex::new(sender)))).unwrap();
    let (root, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = root.path().join("price.py");
    let write = |factor: &str| {
        let doc = "\"\"\"What so many cost.\"\"\"";
        fs::write(&file, format!("def price(count):\n    {doc}\n    return count * {factor}\n"))
            .unwrap();
    };
    write("3");
    let settings = |enabled| json!({ "evolution": { "enabled": enabled, "interval_ms": 0 } });
    let open = json!({
        "schema_version": 1,
        "project_root": root.path(),
        "data_dir": data.path(),
        "settings": settings(true),
    });
    let engine = api::engine_open(open.to_string().as_bytes()).unwrap();
    let op = |op: &str| call(engine, &json!({ "op": op }));
    let analysed = || {
        while events.recv().unwrap()["phase"] != "idle" {}
    };
    let freshness =
        || records(engine).iter().map(|r| r["freshness"]["state"].clone()).collect::<Vec<_>>();

    call(engine, &json!({ "op": "start", "iterations": 1 }));
    call(engine, &json!({ "op": "wait", "timeout_ms": 60_000 }));
    let mut off = settings(false);
    off["op"] = "configure".into();
    call(engine, &off);
    assert!(api::engine_call(engine, br#"{"op":"start"}"#).is_err(), "it is not opted in");

    op("analyze");
    analysed();
    assert_eq!((freshness(), &op("stats")["run"]), (vec![json!("fresh")], &json!("running")));
    write("4 + 1");
    op("project_changed");
    analysed();
    assert_eq!(freshness(), [json!("stale")]);
    // Other settings interrupt it and it goes on with them.
    call(engine, &off);
    analysed();
    op("stop");
    assert_eq!(op("stats")["run"], "stopped");

    // A loop takes its place, and it the loop's.
    op("analyze");
    let mut on = settings(true);
    on["op"] = "configure".into();
    call(engine, &on);
    call(engine, &json!({ "op": "start", "iterations": 1 }));
    let end = call(engine, &json!({ "op": "wait", "timeout_ms": 60_000 }));
    assert_eq!(end["reason"], "iterations_done");
    assert_eq!(records(engine).len(), 2, "the stale record was answered anew");
    call(engine, &json!({ "op": "start" }));
    op("analyze");
    op("pause");
    assert_eq!(op("stats")["run"], "paused");
    op("resume");
    assert_eq!(op("stats")["run"], "running");

    api::engine_close(engine).unwrap();
    api::shutdown(Duration::from_secs(2)).unwrap();
}

fn records(engine: u64) -> Vec<Value> {
    call(engine, &json!({ "op": "records" })).as_array().unwrap().clone()
}
