//! Hand-made sessions, one a line: `cases/loops.jsonl` and `cases/turning.jsonl` run into a loop, `cases/healthy.jsonl` and
//! `cases/batches.jsonl` never do. Those of `batches` and `turning` look alike: work that goes through a list of things, and
//! calls that turn over one and the same.

use ouro_detect::{Config, Event, LoopDetected, LoopDetectionService};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Case {
    id: String,
    events: Vec<Box<RawValue>>,
}

fn detect(case: &Case) -> Option<LoopDetected> {
    let mut service = LoopDetectionService::new(Config::default()).unwrap();
    case.events
        .iter()
        .find_map(|event| service.add_and_check(&Event::from_json(event.get()).unwrap()))
}

fn read(lines: &str) -> Vec<Case> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_loop_is_found_and_no_work_is_taken_for_one() {
    let mut wrong = Vec::new();
    let (loops, work) = (
        [include_str!("cases/loops.jsonl"), include_str!("cases/turning.jsonl")],
        [include_str!("cases/healthy.jsonl"), include_str!("cases/batches.jsonl")],
    );
    for case in loops.into_iter().flat_map(read) {
        match detect(&case) {
            Some(found) => println!(
                "{}: event {} of {}, {}, {}",
                case.id,
                found.at_event,
                case.events.len(),
                found.rule,
                found.evidence
            ),
            None => wrong.push(format!("{}: missed", case.id)),
        }
    }
    for case in work.into_iter().flat_map(read) {
        if let Some(found) = detect(&case) {
            wrong.push(format!(
                "{}: false alarm at event {} of {}: {}",
                case.id,
                found.at_event,
                case.events.len(),
                found.evidence
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
