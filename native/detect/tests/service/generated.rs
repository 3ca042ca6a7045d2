//! Precision and recall on generated sessions. Thresholds were chosen on the development seed; the other one was not
//! looked at while they were.

use std::collections::BTreeMap;

use ouro_detect::{Config, Event, LoopDetected, LoopDetectionService};

use crate::generator::{LOOPS, Random, Session, WORK, a_loop, work};

const DEVELOPMENT: u64 = 1;
const HOLD_OUT: u64 = 20_261_122;

fn detect(events: &[Event<'_>]) -> Option<LoopDetected> {
    let mut service = LoopDetectionService::new(Config::default()).unwrap();
    events.iter().find_map(|event| service.add_and_check(event))
}

fn run(
    seed: u64,
    count: usize,
    make: fn(&mut Random, usize) -> Session,
) -> BTreeMap<&'static str, (usize, usize, Vec<String>)> {
    let mut table = BTreeMap::<_, (usize, usize, Vec<String>)>::new();
    for at in 0..count {
        let mut random = Random::new(seed.wrapping_add(at as u64));
        let session = make(&mut random, at);
        let events = session.events(&mut random);
        let row = table.entry(session.kind).or_default();
        row.1 += 1;
        match detect(&events) {
            Some(found) => {
                row.0 += 1;
                row.2.push(format!("session {at}, event {}: {}", found.at_event, found.evidence));
            }
            None => row.2.push(format!("session {at}: nothing")),
        }
    }
    table
}

fn judge(seed: u64, rounds: usize) {
    let loops = run(seed, LOOPS.len() * rounds, a_loop);
    let work = run(seed, WORK.len() * rounds, work);
    let (mut found, mut all) = (0, 0);
    for (kind, (hits, of, notes)) in &loops {
        println!("loop {kind}: {hits}/{of}");
        notes
            .iter()
            .filter(|note| note.ends_with("nothing"))
            .for_each(|note| println!("    {note}"));
        (found, all) = (found + hits, all + of);
    }
    let mut alarms = 0;
    for (kind, (hits, of, notes)) in &work {
        println!("work {kind}: {hits}/{of}");
        notes
            .iter()
            .filter(|note| !note.ends_with("nothing"))
            .for_each(|note| println!("    {note}"));
        alarms += hits;
    }
    let precision = found as f64 / (found + alarms) as f64;
    println!("recall {found}/{all}, false alarms {alarms}, precision {precision:.4}");
    assert!(found * 100 >= all * 99, "recall {found}/{all}");
    assert_eq!(alarms, 0, "false alarms");
}

#[test]
fn loops_are_found_and_work_is_left_alone_on_the_development_seed() {
    judge(DEVELOPMENT, 20);
}

#[test]
fn loops_are_found_and_work_is_left_alone_on_the_hold_out_seed() {
    judge(HOLD_OUT, 20);
}
