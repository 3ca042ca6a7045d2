//! Weeks of several projects in seconds: one seed decides when a disk fails or hangs, a process ends, a model falls
//! silent, a clock jumps and a zone changes its offset; what must always hold is checked at every event. Nobody but the
//! simulation turns the clock.
//!
//! `OURO_SIMULATION_SEED=N` runs one seed alone, `OURO_SIMULATION_WORLDS=N` so many of them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says what it has seen"
)]

mod faulty_store;
mod mind;
#[path = "../rounds/stage.rs"]
#[allow(dead_code, unreachable_pub, reason = "the rounds use the rest of it")]
mod stage;
mod world;

use world::{Seen, World};

/// Worlds in a run, of two projects each.
const WORLDS: u64 = 40;

/// Simulated days of each project.
const DAYS: i64 = 30;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

#[test]
fn what_must_hold_holds_whatever_fails_for_thousands_of_days() {
    let seeds = match number("OURO_SIMULATION_SEED") {
        Some(seed) => seed..seed + 1,
        None => 1..number("OURO_SIMULATION_WORLDS").unwrap_or(WORLDS) + 1,
    };
    let alone = seeds.clone().count() == 1;
    let mut seen = Seen::default();
    for seed in seeds {
        println!(
            "seed {seed}; again: OURO_SIMULATION_SEED={seed} cargo test -p ouro-engine --test simulation"
        );
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        seen += runtime.block_on(World::new(seed).run(DAYS));
    }
    println!("{seen:#?}");
    if !alone {
        assert!(seen.days >= 2_000, "{seen:?}");
        assert!(seen.every_kind_of_trouble(), "a kind of trouble never came: {seen:?}");
    }
}
