//! A project whose embedder's server is away is learnt all the same, and the server is used when it is there.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that fails here says where"
)]

use std::{fs, sync::Arc, time::Duration};

use ouro::{
    api,
    host::{Host, Message},
};
use ouro_testkit::ModelServer;
use serde_json::{Value, json};

struct Deaf;

impl Host for Deaf {
    fn tell(&self, _: Message) {}
}

fn call(engine: u64, request: &Value) -> Value {
    let answer = api::engine_call(engine, request.to_string().as_bytes()).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

#[test]
fn a_run_begins_without_its_embedder_and_finds_it_later() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let gone = runtime.block_on(ModelServer::start());
    let (address, url) = (gone.address(), gone.base_url());
    drop(gone);

    api::init(Arc::new(Deaf)).unwrap();
    let (root, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let code = "def price(count):\n    \"\"\"What so many cost.\"\"\"\n    return count * 3\n";
    fs::write(root.path().join("price.py"), code).unwrap();
    let open = json!({
        "schema_version": 1,
        "project_root": root.path(),
        "data_dir": data.path(),
        "settings": {
            "evolution": { "enabled": true, "interval_ms": 0 },
            "embedder": { "base_url": url, "model": "bge-m3" },
        },
    });
    let engine = api::engine_open(open.to_string().as_bytes()).unwrap();
    call(engine, &json!({ "op": "start", "iterations": 1 }));
    let end = call(engine, &json!({ "op": "wait", "timeout_ms": 60_000 }));
    assert_eq!(end["reason"], "iterations_done", "{end}");
    assert_eq!(call(engine, &json!({ "op": "records" })).as_array().unwrap().len(), 1);

    let server = runtime.block_on(ModelServer::start_at(address));
    // It is left alone for some seconds after it failed.
    while server.requests().is_empty() {
        call(engine, &json!({ "op": "search", "query": "price" }));
    }
    api::engine_close(engine).unwrap();
    api::shutdown(Duration::from_secs(2)).unwrap();
}
