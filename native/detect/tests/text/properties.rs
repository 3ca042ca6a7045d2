//! What holds for any text and any cut.

use ouro_detect::{
    TextLoop,
    text::{AdaptiveText, Evidence, TextConfig},
};
use proptest::prelude::*;

use crate::detect;

/// Feeds `text` in pieces whose lengths in characters are `cuts`, again and again.
fn in_pieces(text: &str, cuts: &[usize]) -> Option<TextLoop> {
    let mut detector = AdaptiveText::new(&TextConfig::default());
    let characters: Vec<char> = text.chars().collect();
    let mut found = None;
    let mut at = 0;
    for &cut in cuts.iter().cycle() {
        if at >= characters.len() {
            break;
        }
        let end = (at + cut).min(characters.len());
        found = detector.push(&characters[at..end].iter().collect::<String>());
        at = end;
    }
    found
}

fn in_units(text: &str, cuts: &[usize]) -> Option<TextLoop> {
    let mut detector = AdaptiveText::new(&TextConfig::default());
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut found = None;
    let mut at = 0;
    for &cut in cuts.iter().cycle() {
        if at >= units.len() {
            break;
        }
        let end = (at + cut).min(units.len());
        found = detector.push_utf16(&units[at..end]);
        at = end;
    }
    found
}

/// Texts that come close to every rule: few letters, markup, numbers, repeated pieces.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ab \n]{1,12}",
        "[a-z]{1,9} ",
        "[0-9]{1,6}[-.:, ]",
        "[的一是在不了有]{1,9}。?",
        Just("```\n".to_owned()),
        Just("| a | b |\n".to_owned()),
        Just("- ".to_owned()),
        Just("🎉".to_owned()),
        "[0-9a-f]{8} ",
        "\\PC{1,6}",
    ];
    let stretch = (prop::collection::vec(piece, 1..8), 1..30_usize)
        .prop_map(|(pieces, times)| pieces.concat().repeat(times));
    prop::collection::vec(stretch, 1..6).prop_map(|stretches| stretches.concat())
}

/// The shortest prefix of `text` that ends in at least `copies` copies of a unit of `period` characters over at least
/// `chars` characters, found the slow way.
fn naive_exact(text: &[char], period: usize, copies: usize, chars: usize) -> Option<usize> {
    let mut run = 0;
    for at in period..text.len() {
        run = if text[at] == text[at - period] { run + 1 } else { 0 };
        if run + period >= chars && run >= (copies - 1) * period {
            return Some(at + 1);
        }
    }
    None
}

/// Only literal repetition, with the same needs for every texture.
fn literal(copies: u32, chars: u32) -> TextConfig {
    let mut config = TextConfig { folded: false, stale: false, ..TextConfig::default() };
    let all = &mut config.exact_evidence;
    for evidence in [
        &mut all.prose,
        &mut all.list,
        &mut all.table,
        &mut all.fenced,
        &mut all.code,
        &mut all.data,
        &mut all.digits,
        &mut all.signs,
        &mut all.symbols,
    ] {
        *evidence = Evidence { copies, chars };
    }
    config
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_verdict_does_not_depend_on_the_cut(text in text(), cuts in prop::collection::vec(1..40_usize, 1..6)) {
        let whole = detect(&text);
        prop_assert_eq!(&in_pieces(&text, &[1]), &whole);
        prop_assert_eq!(&in_pieces(&text, &cuts), &whole);
        prop_assert_eq!(&in_units(&text, &[1]), &whole);
        prop_assert_eq!(&in_units(&text, &cuts), &whole);
    }

    #[test]
    fn a_report_is_about_text_that_was_read(text in text()) {
        if let Some(found) = detect(&text) {
            let characters: Vec<char> = text.chars().collect();
            let detected = found.detected_at as usize;
            prop_assert!(detected <= characters.len());
            prop_assert!(found.onset < found.detected_at);
            prop_assert!(found.repeats >= 2);
            let units = |n: u64| characters[..n as usize].iter().map(|c| c.len_utf16() as u64).sum::<u64>();
            prop_assert_eq!(found.onset_utf16, units(found.onset));
            prop_assert_eq!(found.detected_at_utf16, units(found.detected_at));
            prop_assert!(found.pattern.chars().count() <= 200);
            if found.rule == "exact_repeat" {
                let period = found.period as usize;
                for at in found.onset as usize + period..detected {
                    prop_assert_eq!(characters[at], characters[at - period]);
                }
            }
        }
    }

    #[test]
    fn no_literal_loop_is_reported_before_it_is_there(text in text()) {
        let mut detector = AdaptiveText::new(&literal(4, 40));
        if let Some(found) = detector.push(&text) {
            let characters: Vec<char> = text.chars().collect();
            let first = naive_exact(&characters, found.period as usize, 4, 40).unwrap();
            prop_assert!(found.detected_at as usize >= first, "{} before {first}", found.detected_at);
        }
    }

    #[test]
    fn a_literal_loop_of_any_period_is_reported_in_time(
        before in "[a-z ,.]{0,300}",
        seed in any::<u64>(),
        period in 2..=3000_usize,
        alphabet in prop::sample::select(vec!["ab", "abcdefghijklmnopqrstuvwxyz ", "的一是在不了有和人这中大为上个国我以要他", "аеиоу бвгд", "가나다라마 바사", "🎉✨🚀a"]),
    ) {
        let letters: Vec<char> = alphabet.chars().collect();
        let mut state = seed | 1;
        let unit: String = (0..period)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                letters[(state >> 33) as usize % letters.len()]
            })
            .collect();
        let text = format!("{before}\n{}", unit.repeat(5 + 100 / period));
        let characters: Vec<char> = text.chars().collect();
        let mut detector = AdaptiveText::new(&literal(4, 100));
        let found = detector.push(&text);
        let first = (1..=3000.min(characters.len()))
            .filter(|&p| p == period || period.is_multiple_of(p))
            .filter_map(|p| naive_exact(&characters, p, 4, 100))
            .min()
            .unwrap();
        prop_assert!(found.is_some());
        let late = found.unwrap().detected_at as usize - first.min(characters.len());
        // The gram that gives the distance away must have been seen twice.
        prop_assert!(late <= 8, "{late} characters late");
    }

    #[test]
    fn configurations_are_refused_by_field_and_range(period in any::<u32>(), copies in any::<u32>()) {
        let mut config = TextConfig { max_period: period, ..TextConfig::default() };
        config.folded_evidence.list.copies = copies;
        let said = config.validate().err().unwrap_or_default();
        if !(2..=3000).contains(&period) {
            prop_assert_eq!(said, format!("max_period is {period}; it must be 2 to 3000"));
        } else if !(2..=1000).contains(&copies) {
            prop_assert_eq!(said, format!("folded_evidence.list.copies is {copies}; it must be 2 to 1000"));
        } else {
            prop_assert_eq!(said, "");
        }
    }

    #[test]
    fn after_a_reset_a_detector_is_as_new(before in text(), text in text()) {
        let mut detector = AdaptiveText::new(&TextConfig::default());
        detector.push(&before);
        detector.reset();
        prop_assert_eq!(detector.push(&text), detect(&text));
    }

    #[test]
    fn any_units_are_read_without_a_panic(units in prop::collection::vec(any::<u16>(), 0..400)) {
        let mut detector = AdaptiveText::new(&TextConfig::default());
        let whole = detector.push_utf16(&units);
        detector.reset();
        let mut last = None;
        for unit in &units {
            last = detector.push_utf16(std::slice::from_ref(unit));
        }
        prop_assert_eq!(last, whole);
    }
}

/// Rules read ahead of each other, and what they look back on ends within units as long as these.
#[test]
fn long_units_far_into_a_stream_are_reported_alike_however_it_is_cut() {
    let words = ["the", "einer", "of", "never", "indeed", "quelque", "schon 🎉"];
    let mut state = 7_u64;
    let mut made = |count: usize| -> String {
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let letter = char::from(b'a' + (state >> 40) as u8 % 26);
            format!("{letter}{} ", words[(state >> 33) as usize % words.len()])
        };
        (0..count).map(next).collect()
    };
    for count in [400, 600, 700, 800] {
        let (before, unit) = (made(5000), made(count));
        let rounds: String = (0..6).map(|round| format!("{unit}Round {}.\n", round * 7)).collect();
        let text = format!("{before}{rounds}");
        let whole = detect(&text);
        assert!(whole.is_some(), "{count} words");
        for cut in [1, 31, 63, 64, 65, 700] {
            assert_eq!(in_pieces(&text, &[cut]), whole, "{count} words, cut every {cut}");
            assert_eq!(in_units(&text, &[cut]), whole, "{count} words, cut every {cut} units");
        }
    }
}

#[test]
fn a_lone_half_of_a_pair_is_a_replacement_character() {
    let sentence: Vec<u16> = "Noch einmal von vorn, bitte. ".encode_utf16().collect();
    let mut detector = AdaptiveText::new(&TextConfig::default());
    assert!(detector.push_utf16(&[0xD83C]).is_none());
    assert!(detector.push("x").is_none());
    assert!(detector.push_utf16(&[0xDC00, 0xD83C, 0xD83C, 0xDF89]).is_none());
    let found = (0..9).find_map(|_| detector.push_utf16(&sentence)).unwrap();
    assert_eq!((found.onset, found.onset_utf16), (5, 6));
}

#[test]
fn a_report_stands_until_reset() {
    let mut detector = AdaptiveText::new(&TextConfig::default());
    let found = detector.push(&"Once more and then again. ".repeat(9));
    assert!(found.is_some());
    assert_eq!(detector.push("Something else."), found);
    assert_eq!(detector.push(""), found);
    detector.reset();
    assert_eq!(detector.push("Something else."), None);
    let again = detector.push(&"Once more and then again. ".repeat(9)).unwrap();
    assert_eq!(again.onset, 15);
}
