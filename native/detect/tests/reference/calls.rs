use ouro_detect::reference::{GeminiCalls, GeminiCallsConfig, QwenCalls, QwenCallsConfig};

use crate::streams::{Dice, calls};

/// The last five rounds of `period` calls are the same five times.
fn ends_in_rounds(keys: &[String], period: usize) -> bool {
    let Some(start) = keys.len().checked_sub(5 * period) else { return false };
    (start + period..keys.len()).all(|place| keys[place] == keys[place - period])
}

#[test]
fn gemini_calls_fire_at_the_first_full_fifth_round() {
    let mut fired = 0;
    for seed in 0..10_000 {
        let mut detector = GeminiCalls::new(&GeminiCallsConfig::default());
        let mut keys = Vec::new();
        for (name, arguments) in calls(&mut Dice::new(seed)) {
            keys.push(format!("{name}:{arguments}"));
            let expected = (1..=5).find(|period| ends_in_rounds(&keys, *period));
            let found = detector.push(&name, &arguments);
            assert_eq!(
                found.as_ref().map(|found| found.period as usize),
                expected,
                "{seed}: {keys:?}"
            );
            if let Some(found) = found {
                assert_eq!(
                    (found.at_call, found.onset),
                    (keys.len() as u64 - 1, (keys.len() - 5 * found.period as usize) as u64)
                );
                fired += 1;
                break;
            }
        }
    }
    assert!(fired > 4_000, "only {fired} fired");
}

#[test]
fn qwen_calls_fire_at_the_fifth_in_a_row() {
    let mut fired = 0;
    for seed in 0..10_000 {
        let mut detector =
            QwenCalls::new(&QwenCallsConfig { sorted_keys: false, ..QwenCallsConfig::default() });
        let mut keys = Vec::new();
        for (name, arguments) in calls(&mut Dice::new(seed)) {
            keys.push(format!("{name}:{arguments}"));
            let expected = ends_in_rounds(&keys, 1);
            assert_eq!(detector.push(&name, &arguments).is_some(), expected, "{seed}: {keys:?}");
            fired += usize::from(expected);
            if expected {
                break;
            }
        }
    }
    assert!(fired > 2_000, "only {fired} fired");
}

#[test]
fn the_order_of_keys_hides_a_loop_from_gemini_but_not_from_qwen() {
    let mut gemini = GeminiCalls::new(&GeminiCallsConfig::default());
    let mut qwen = QwenCalls::new(&QwenCallsConfig::default());
    let spellings = [r#"{"a":1,"b":[2]}"#, r#"{"b":[2.0],"a":1e0}"#];
    let verdicts: Vec<_> = (0..9)
        .map(|turn| {
            let arguments = spellings[usize::from(turn % 3 == 1)];
            (gemini.push("read", arguments).is_some(), qwen.push("read", arguments).is_some())
        })
        .collect();
    assert_eq!(verdicts[3], (false, false));
    assert_eq!(verdicts[4], (false, true));
    assert_eq!(verdicts[8], (false, true));
}

#[test]
fn a_report_taken_back_comes_again_with_the_next_same_call() {
    let mut detector = GeminiCalls::new(&GeminiCallsConfig::default());
    let found: Vec<_> = (0..5).map(|_| detector.push("read", "{}").is_some()).collect();
    assert_eq!(found, [false, false, false, false, true]);
    assert!(detector.push("write", "{}").is_some(), "a report stands for every call");
    detector.clear_detection();
    assert_eq!(detector.push("read", "{}").unwrap().repeats, 6);
    detector.clear_detection();
    assert!(detector.push("write", "{}").is_none());
    detector.reset();
    assert!(detector.push("read", "{}").is_none());
}
