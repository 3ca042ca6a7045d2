//! Searching every way finds at least what the best single way finds.
#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test fails by panicking, and an example has the rest"
)]

#[path = "../examples/recall_quality/labelled.rs"]
mod labelled;
#[path = "../examples/recall_quality/measure.rs"]
mod measure;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_paths_together_are_not_worse_than_any_of_them() {
    let measured = measure::measure(60).await;
    assert!(measured.records >= 30, "{measured:?}");
    for path in [measured.vectors, measured.words, measured.code] {
        assert!(measured.fused.recall >= path.recall, "{measured:#?}");
        assert!(measured.fused.reciprocal_rank >= path.reciprocal_rank, "{measured:#?}");
    }
}
