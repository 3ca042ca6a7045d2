use allocation_counter::measure;
use ouro_detect::reference::{
    CheckpointReasoning, CheckpointsConfig, GeminiContent, GeminiContentConfig, QwenContent,
    QwenContentConfig,
};

/// What a stream of a profile may take.
const LIMIT: u64 = 128 * 1024;

const TEXTS: [&str; 5] = [
    "The quick brown fox ",
    "\u{6211}\u{4EEC}\u{9700}\u{8981}",
    "let x = 1;\n```\n",
    "\u{1F600}\u{1F680}\u{FFFD}",
    "- item\n| a | b |\n",
];

/// Chunks in which nothing is found, in turn from all texts.
fn chunks() -> impl Iterator<Item = String> {
    (0_u64..20_000).map(|n| {
        let number = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        format!("{}{number}", TEXTS[(n % 5) as usize])
    })
}

macro_rules! steady {
    ($detector:expr) => {{
        let chunks: Vec<_> = chunks().collect();
        let units: Vec<Vec<u16>> =
            chunks.iter().map(|chunk| chunk.encode_utf16().collect()).collect();
        let mut detector = None;
        let created = measure(|| detector = Some($detector));
        let mut detector = detector.unwrap();
        let first = measure(|| assert!(detector.push("The first words.").is_none()));
        assert!(created.bytes_max + first.bytes_max <= LIMIT, "{created:?} {first:?}");
        assert!(created.bytes_max < 1024, "created lazily: {created:?}");
        let steady = measure(|| {
            for (chunk, units) in chunks.iter().zip(&units) {
                assert!(detector.push(chunk).is_none());
                assert!(detector.push_utf16(units).is_none());
            }
        });
        assert_eq!(
            (steady.count_total, steady.bytes_total),
            (0, 0),
            "a chunk allocates: {steady:?}"
        );
    }};
}

#[test]
fn content_allocates_once_and_within_its_limit() {
    steady!(GeminiContent::new(&GeminiContentConfig::default()));
    steady!(QwenContent::new(&QwenContentConfig::default()));
}

#[test]
fn reasoning_allocates_its_text_once() {
    let config = CheckpointsConfig::default();
    let mut detector = CheckpointReasoning::new(&config);
    let first = measure(|| assert!(detector.push("The first words.").is_none()));
    assert!(first.bytes_max <= LIMIT, "{first:?}");
    let chunks: Vec<_> = chunks().collect();
    let steady = measure(|| {
        chunks.iter().take(60).for_each(|chunk| assert!(detector.push(chunk).is_none()))
    });
    assert_eq!(steady.count_total, 0, "{steady:?}");
    // The checks themselves allocate, three times in a stream's life.
    let checks =
        measure(|| chunks.iter().for_each(|chunk| assert!(detector.push(chunk).is_none())));
    assert!(checks.bytes_max <= LIMIT, "{checks:?}");
}
