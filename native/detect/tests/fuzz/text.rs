//! Any text, cut anywhere, in either encoding.

use ouro_detect::{Config, Profile, StreamDetector, TextLoop};

use crate::input::{pieces, unfold};

/// The first bytes say how the text is cut, the rest is the text.
pub(crate) fn check(data: &[u8]) {
    let Some((cuts, text)) = data.split_at_checked(4) else { return };
    let bytes = unfold(text);
    let text = String::from_utf8_lossy(&bytes);
    let units: Vec<u16> = text.encode_utf16().collect();
    for profile in [Profile::Adaptive, Profile::Checkpoints] {
        let whole = detector(profile).push(&text);
        about_what_was_read(whole.as_ref(), units.len() as u64);
        assert_eq!(in_pieces(profile, &text, cuts), whole, "{profile}, as UTF-8");
        let mut detector = detector(profile);
        let found = pieces(&units, cuts).into_iter().find_map(|piece| detector.push_utf16(piece));
        assert_eq!(found, whole, "{profile}, as UTF-16");
    }
    // These judge chunk by chunk: only the same cut must give the same verdict.
    for profile in [Profile::GeminiCli, Profile::QwenCode] {
        let found = in_pieces(profile, &text, cuts);
        about_what_was_read(found.as_ref(), units.len() as u64);
        let mut detector = detector(profile);
        let characters: Vec<char> = text.chars().collect();
        let as_units = pieces(&characters, cuts).into_iter().find_map(|piece| {
            let units: Vec<u16> = piece.iter().collect::<String>().encode_utf16().collect();
            detector.push_utf16(&units)
        });
        assert_eq!(as_units, found, "{profile}");
    }
    any_units(&bytes, cuts);
}

/// Units of which many are halves of pairs without the other half.
fn any_units(bytes: &[u8], cuts: &[u8]) {
    let units: Vec<u16> = bytes
        .chunks(2)
        .map(|pair| u16::from_be_bytes([*pair.first().unwrap_or(&0), *pair.last().unwrap_or(&0)]))
        .collect();
    for profile in Profile::ALL {
        let whole = detector(profile).push_utf16(&units);
        let mut detector = detector(profile);
        let found = pieces(&units, cuts).into_iter().find_map(|piece| detector.push_utf16(piece));
        if matches!(profile, Profile::Adaptive | Profile::Checkpoints) {
            assert_eq!(found, whole, "{profile}, any units");
        }
        about_what_was_read(found.as_ref(), units.len() as u64);
    }
}

fn detector(profile: Profile) -> StreamDetector {
    StreamDetector::new(&Config::for_profile(profile))
}

fn in_pieces(profile: Profile, text: &str, cuts: &[u8]) -> Option<TextLoop> {
    let characters: Vec<char> = text.chars().collect();
    let mut detector = detector(profile);
    pieces(&characters, cuts)
        .into_iter()
        .find_map(|piece| detector.push(&piece.iter().collect::<String>()))
}

fn about_what_was_read(found: Option<&TextLoop>, units: u64) {
    let Some(found) = found else { return };
    assert!(found.onset < found.detected_at, "{found:?}");
    assert!(found.onset_utf16 < found.detected_at_utf16, "{found:?}");
    assert!(found.detected_at_utf16 <= units, "{found:?} of {units}");
    // The checkpoints take a part of a round for a repetition.
    let least = if found.rule == "checkpoints" { 1 } else { 2 };
    assert!(found.repeats >= least && found.period >= 1, "{found:?}");
    assert!(!found.pattern.is_empty(), "{found:?}");
    assert!(!found.evidence.is_empty() && !found.cleared_by.is_empty(), "{found:?}");
}
