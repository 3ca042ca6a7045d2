use ouro_detect::reference::{
    GeminiContent, GeminiContentConfig, MarkupClasses, QwenContent, QwenContentConfig,
};
use proptest::{
    prelude::any,
    test_runner::{Config, TestRunner},
};

use crate::{
    content_oracle::{Limits, Oracle},
    streams::{Event, near_loop_stream, stream_after},
};

/// Runs a stream through a detector and the oracle and returns at which events both said "loop".
macro_rules! compare {
    ($detector:expr, $oracle:expr, $events:expr) => {{
        let (mut detector, mut oracle) = ($detector, $oracle);
        let mut fired = 0;
        for (index, event) in $events.iter().enumerate() {
            match event {
                Event::Content(units) => {
                    let before = oracle.found;
                    let expected = oracle.content(units);
                    let found = match String::from_utf16(units) {
                        // Both ways in are used.
                        Ok(text) if index % 3 > 0 => detector.push(&text),
                        _ => detector.push_utf16(units),
                    };
                    assert_eq!(found.is_some(), expected, "event {index}: {found:?}");
                    fired += usize::from(expected && !before);
                }
                Event::Call(..) => {
                    oracle.call();
                    detector.tool_called();
                }
                Event::Clear => {
                    oracle.found = false;
                    detector.clear_detection();
                }
                Event::Reset => {
                    oracle.reset();
                    detector.reset();
                }
            }
        }
        fired
    }};
}

fn gemini(config: &GeminiContentConfig) -> Oracle {
    Oracle::new(Limits {
        window: config.window as usize,
        occurrences: config.occurrences as usize,
        max_mean_distance: config.max_mean_distance as usize,
        max_periods: Some(config.max_periods as usize),
        history: config.history as usize,
        literal_classes: config.markup == MarkupClasses::Literal,
    })
}

fn qwen(config: &QwenContentConfig) -> Oracle {
    Oracle::new(Limits {
        window: config.window as usize,
        occurrences: config.occurrences as usize,
        max_mean_distance: config.max_mean_distance as usize,
        max_periods: None,
        history: config.history as usize,
        literal_classes: config.markup == MarkupClasses::Literal,
    })
}

/// Runs `check` on streams; at least `share` percent of them must fire, or nothing would have been compared.
fn on_streams(streams: u32, share: usize, check: impl Fn(&[Event]) -> usize) {
    on_streams_of(|seed| stream_after(seed, 0), streams, share, check);
}

/// As [`on_streams`], with streams that are made from a seed.
fn on_streams_of(
    make: impl Fn(u64) -> Vec<Event>,
    streams: u32,
    share: usize,
    check: impl Fn(&[Event]) -> usize,
) {
    let fired = std::cell::Cell::new(0);
    let mut runner =
        TestRunner::new(Config { cases: streams, failure_persistence: None, ..Config::default() });
    let result = runner.run(&any::<u64>(), |seed| {
        fired.set(fired.get() + usize::from(check(&make(seed)) > 0));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let least = streams as usize * share / 100;
    assert!(fired.get() >= least, "only {} of {streams} streams fired", fired.get());
}

#[test]
fn gemini_content_fires_at_the_events_of_the_rule_as_written() {
    let config = GeminiContentConfig::default();
    on_streams(10_000, 20, |events| compare!(GeminiContent::new(&config), gemini(&config), events));
}

#[test]
fn qwen_content_fires_at_the_events_of_the_rule_as_written() {
    let config = QwenContentConfig::default();
    on_streams(10_000, 20, |events| compare!(QwenContent::new(&config), qwen(&config), events));
    let early = QwenContentConfig { markup: MarkupClasses::Ranges, ..config };
    on_streams(2_000, 20, |events| compare!(QwenContent::new(&early), qwen(&early), events));
}

#[test]
fn other_limits_are_kept_too() {
    for (window, occurrences, distance, periods, history) in [
        (2, 3, 4, 1, 40),
        (3, 10, 20, 2, 300),
        (8, 4, 30, 3, 300),
        (20, 16, 60, 15, 8000),
        (7, 5, 1000, 2, 900),
        (39, 3, 1000, 2, 5000),
        (40, 12, 400, 11, 8000),
        (120, 4, 300, 3, 4000),
    ] {
        let config = GeminiContentConfig {
            window,
            occurrences,
            max_mean_distance: distance,
            max_periods: periods,
            history,
            markup: MarkupClasses::Literal,
        };
        config.validate().unwrap();
        on_streams(1_000, 10, |events| {
            compare!(GeminiContent::new(&config), gemini(&config), events)
        });
    }
}

#[test]
fn what_came_long_before_changes_no_verdict() {
    let config = GeminiContentConfig::default();
    // More than what is remembered, and more than there is room for.
    for units in [6_000, 9_000] {
        on_streams_of(
            |seed| stream_after(seed, units),
            500,
            20,
            |events| compare!(GeminiContent::new(&config), gemini(&config), events),
        );
    }
}

#[test]
fn near_loops_that_outlast_the_history_fire_as_the_rule_is_written() {
    for (window, occurrences, periods, history) in
        [(50, 10, 5, 5000), (50, 10, 5, 1500), (39, 4, 2, 900), (64, 31, 8, 8000)]
    {
        let config = GeminiContentConfig {
            window,
            occurrences,
            max_periods: periods,
            history,
            ..GeminiContentConfig::default()
        };
        on_streams_of(near_loop_stream, 400, 10, |events| {
            compare!(GeminiContent::new(&config), gemini(&config), events)
        });
    }
}
