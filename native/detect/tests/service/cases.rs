//! Hand-made sessions, one a line: `cases/loops.jsonl` run into a loop, `cases/healthy.jsonl` never do.

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
    for case in read(include_str!("cases/loops.jsonl")) {
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
    for case in read(include_str!("cases/healthy.jsonl")) {
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
