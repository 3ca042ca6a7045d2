use ouro_detect::{
    LoopKind, TextLoop,
    reference::{CheckpointReasoning, CheckpointsConfig},
};
use proptest::prelude::*;

/// `length` characters in which nothing repeats.
fn noise(length: usize) -> String {
    (0..)
        .flat_map(|n: u32| format!("{}-", n * n + 17).into_bytes())
        .map(char::from)
        .take(length)
        .collect()
}

/// Text that ends at exactly `end` characters with copies of `unit` after those of `before`.
fn loop_until(end: usize, before: &str, unit: &str) -> String {
    let used = before.chars().count();
    let tail: Vec<char> = unit
        .chars()
        .cycle()
        .take((end - used) / unit.chars().count() * unit.chars().count())
        .collect();
    let filler: String = noise(end).chars().take(end - used - tail.len()).collect();
    before.to_owned() + &filler + &tail.into_iter().collect::<String>()
}

fn check(text: &str) -> Option<TextLoop> {
    CheckpointReasoning::new(&CheckpointsConfig::default()).push(text)
}

#[test]
fn a_short_sequence_is_seen_only_in_the_last_two_hundred_characters_before_two_thousand() {
    let unit = "think".repeat(4);
    let found = check(&(noise(1850) + &unit + &noise(130))).unwrap();
    assert_eq!(
        (found.kind, found.onset, found.period, found.repeats),
        (LoopKind::ShortSequence, 1850, 5, 4)
    );
    assert_eq!((found.detected_at, found.pattern.as_str()), (2000, "think"));
    assert_eq!(check(&(noise(1779) + &unit + &noise(3300))), None);
    assert_eq!(check(&(noise(1850) + &"think".repeat(3) + &noise(3300))), None);
    assert_eq!(check(&(noise(1850) + &".".repeat(150) + &noise(3300))), None);
    assert_eq!(
        check(&(noise(1850) + &unit + &noise(129))),
        None,
        "one character short of the checkpoint"
    );
}

#[test]
fn paragraphs_repeat_between_the_checkpoints() {
    let found =
        check(&loop_until(3000, &noise(2000), "I should look again. The answer is not here.\n"))
            .unwrap();
    assert_eq!((found.kind, found.period, found.detected_at), (LoopKind::Paragraph, 2, 3000));
    assert_eq!(found.pattern, "I should look again. The answer is not here");
    // The segment ends within a sentence: the comparison from the end fails.
    let cut = noise(2000) + &"I should look again. The answer is not here.\n".repeat(70);
    assert_eq!(check(&cut), None);
    // Blind after the last checkpoint.
    assert_eq!(
        check(&(noise(5000) + &"I should look again. The answer is not here.\n".repeat(70))),
        None
    );
}

#[test]
fn list_items_repeat_under_growing_numbers() {
    let items: String = (0..)
        .map(|n| format!("{}. analyse\n{}. design\n", 2 * n + 1, 2 * n + 2))
        .take(40)
        .collect();
    let lines: Vec<&str> = items.trim_end().split('\n').collect();
    let mut list = lines.join("\n");
    list.truncate(list.char_indices().nth(900).unwrap().0);
    let whole = list.rfind('\n').unwrap();
    list.truncate(whole);
    let before = noise(3000 - list.len() - 1) + "\n";
    let found = check(&(before + &list)).unwrap();
    assert_eq!((found.kind, found.period), (LoopKind::OrderedList, 2));
    assert!(
        found.pattern.ends_with("analyse") || found.pattern.ends_with("design"),
        "{}",
        found.pattern
    );
}

#[test]
fn empty_lines_are_shown_as_what_they_are() {
    let found = check(&format!("{}{}", noise(2900), "\n".repeat(120))).unwrap();
    assert_eq!(found.pattern, "\n");
}

#[test]
fn one_chunk_over_all_checkpoints_runs_each_on_its_own_text() {
    let text = loop_until(5000, &noise(3000), "Again the same.\n");
    let mut detector = CheckpointReasoning::new(&CheckpointsConfig::default());
    let (first, rest): (String, String) =
        (text.chars().take(1900).collect(), text.chars().skip(1900).collect());
    assert_eq!(detector.push(&first), None);
    let found = detector.push(&(rest + &noise(100))).unwrap();
    assert_eq!((found.kind, found.detected_at), (LoopKind::Paragraph, 5000));
    assert_eq!(detector.push("more"), Some(found));
    detector.reset();
    assert_eq!(detector.push("more"), None);
}

#[test]
fn a_configuration_out_of_range_says_so() {
    CheckpointsConfig::default().validate().unwrap();
    let config = CheckpointsConfig { period_at: vec![3000, 2500], ..CheckpointsConfig::default() };
    assert_eq!(config.validate().unwrap_err(), "period_at is 2500; it must be 3001 to 100000");
    assert_eq!(CheckpointReasoning::new(&config).push(&noise(6000)), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_verdict_does_not_depend_on_the_cut(
        lead in 0_usize..5000, unit in "[ab\u{1F600}\u{4E2D}.\n]{1,30}", cuts in proptest::collection::vec(0_usize..900, 1..20)
    ) {
        let text = noise(lead) + &unit.repeat(6000 / unit.chars().count());
        let expected = check(&text);
        let units: Vec<u16> = text.encode_utf16().collect();
        let (mut by_units, mut by_text) = (CheckpointReasoning::new(&CheckpointsConfig::default()), CheckpointReasoning::new(&CheckpointsConfig::default()));
        let (mut found, mut found_in_text) = (None, None);
        let (mut rest, mut rest_of_text) = (&units[..], text.chars());
        for cut in cuts.iter().cycle().take(100_000) {
            let (chunk, after) = rest.split_at((*cut).min(rest.len()));
            found = by_units.push_utf16(chunk);
            found_in_text = by_text.push(&rest_of_text.by_ref().take(*cut).collect::<String>());
            rest = after;
            if rest.is_empty() && rest_of_text.as_str().is_empty() {
                break;
            }
        }
        if cuts.iter().any(|cut| *cut > 0) {
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(&found_in_text, &expected);
        }
    }
}
