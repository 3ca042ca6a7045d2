//! What a stream takes.

use allocation_counter::measure;
use ouro_detect::text::{AdaptiveText, TextConfig};

#[test]
fn a_stream_takes_less_than_64_kib_and_nothing_per_chunk() {
    let config = TextConfig::default();
    let mut detector = AdaptiveText::new(&config);
    let made = measure(|| {
        let fresh = AdaptiveText::new(&config);
        drop(fresh);
    });
    assert_eq!(made.count_total, 0, "a detector takes memory before it has read anything");
    let first = measure(|| {
        detector.push("The");
    });
    let kept = first.bytes_current as usize + size_of::<AdaptiveText>();
    assert!(kept <= 64 * 1024, "{kept} bytes");
    let mut state = 1u64;
    let chunks: Vec<String> = (0..20_000)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let word = format!("{:x}", state >> 30);
            ["第一步 🎉 ", "\n- 3.14 ", "| ", "\n```\n", " and then "][(state >> 60) as usize % 5]
                .to_owned()
                + &word
        })
        .collect();
    let mut found = false;
    let steady = measure(|| {
        for chunk in &chunks {
            found |= detector.push(chunk).is_some();
        }
    });
    assert!(!found);
    assert_eq!(steady.count_total, 0, "a chunk takes memory");
}
