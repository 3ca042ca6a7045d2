//! `kill -9` at any moment: what was reported is there, and nothing is there by half.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
};

use ouro_core::{Change, RecordStore};
use ouro_testkit::store_contract::sample_in_flight;

use crate::support::{assert_holds, child, child_dir, iteration, open, vector};

/// Stores whose writers are killed, side by side: a writer mostly waits for the disk.
const STORES: u64 = 5;
/// Kills of one store's writers, unless `OURO_KILLS` says another number: each reads everything that was written before it.
const KILLS: u64 = 100;

/// The child: two commits an iteration, each printed when it is durable.
#[test]
#[ignore = "runs as a child of the test below"]
fn writes_until_it_is_killed() {
    let Some(dir) = child_dir() else { return };
    let store = open(&dir);
    let mut out = std::io::stdout();
    for n in store.record_count().unwrap() as u64.. {
        // Sizes that need one row and many, one buffer of the database and several.
        let content = "x".repeat((n * 7919 % 60_000) as usize);
        let begun = Box::new(sample_in_flight(&format!("{n} {content}")));
        store.commit(&[Change::PutInFlight(Some(begun))]).unwrap();
        writeln!(out, "begun {n}").unwrap();
        store.commit(&iteration(n)).unwrap();
        writeln!(out, "done {n}").unwrap();
    }
}

/// Lets a child write until it has reported `reports` times, kills it, and says what it reported last.
fn write_and_kill(dir: &Path, reports: usize) -> (String, u64) {
    let mut child = child("crash::writes_until_it_is_killed", dir).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut killed = false;
    let mut last = None;
    // What was reported before the kill took effect counts as well.
    for (seen, line) in
        lines.filter(|l| l.starts_with("begun") || l.starts_with("done")).enumerate()
    {
        let (what, n) = line.split_once(' ').unwrap();
        last = Some((what.to_owned(), n.parse().unwrap()));
        if seen + 1 >= reports && !killed {
            child.kill().unwrap();
            killed = true;
        }
    }
    child.wait().unwrap();
    last.unwrap()
}

#[test]
fn a_kill_at_any_moment_loses_nothing_reported_and_leaves_nothing_by_half() {
    std::thread::scope(|scope| {
        for store in 0..STORES {
            scope.spawn(move || kill_again_and_again(store));
        }
    });
}

fn kill_again_and_again(first: u64) {
    let dir = tempfile::tempdir().unwrap();
    let kills = std::env::var("OURO_KILLS").map_or(KILLS, |text| text.parse().unwrap());
    for round in first..first + kills {
        let (what, reported) = write_and_kill(dir.path(), 1 + (round * 13 % 17) as usize);
        let store = open(dir.path());
        let count = store.record_count().unwrap() as u64;
        let least = if what == "done" { reported + 1 } else { reported };
        assert!(count == least || (count == reported + 1), "{what} {reported}, holds {count}");

        // All of an iteration or nothing of it.
        assert_holds(&store, count);
        assert_eq!(store.counters().unwrap().iterations, count);
        assert_eq!(store.log(usize::MAX).unwrap().len() as u64, count);
        assert_eq!(store.vectors("e").unwrap(), (0..count).map(vector).collect::<Vec<_>>());
        match store.in_flight().unwrap() {
            Some(begun) => {
                let content = &begun.observations[0].content;
                assert!(content.starts_with(&format!("{count} ")), "round {round}");
            }
            None => assert!(what == "done" || count == reported + 1, "round {round}: {what}"),
        }
    }
}
