//! Prints how well each path of the search finds what answers a question about this repository, and all of them together.
//!
//! `cargo run --release -p ouro-engine --example recall_quality [-- RECORDS]`

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for a person")]

mod labelled;
mod measure;

#[tokio::main]
async fn main() {
    let iterations = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(150);
    let measured = measure::measure(iterations).await;
    println!("{} questions, {} records\n", labelled::LABELLED.len(), measured.records);
    println!("| path | recall@5 | MRR |\n| --- | --- | --- |");
    for (name, quality) in [
        ("records by vectors", measured.vectors),
        ("records by words (BM25)", measured.words),
        ("code by words (BM25)", measured.code),
        ("all, fused", measured.fused),
    ] {
        println!("| {name} | {:.3} | {:.3} |", quality.recall, quality.reciprocal_rank);
    }
}
