//! Searching every way finds at least what the best single way finds, and what is out of date or judged to be beside the
//! question stands behind the rest.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test fails by panicking, and an example has the rest"
)]

use std::{collections::BTreeMap, path::Path, sync::Arc};

use ouro_core::{
    Change, Correction, Embedder as _, Freshness, LearningRecord, ProjectAnalysis, Rating,
    RecordStore, SeededRandom, SourceRef, StoredVector, VectorRole, sha256_hex,
};
use ouro_engine::{Passage, Recall};
use ouro_llm::{HashEmbedder, HttpReranker, RerankerConfig};
use ouro_testkit::{ManualClock, MemoryStore, ModelServer, Reply, store_contract::sample_record};
use ouro_tools::{
    ProjectRoot, ProjectScanner, ScanOptions, SharedAnalysis, TantivyIndex, code_documents,
};

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

const QUERY: &str = "how does the cache forget entries";
const OLDEST: &str = "The cache forgets entries, the oldest first.";
const ON_REQUEST: &str = "How entries leave the cache: it does forget them on request.";

/// A search over a project of two files, with a record about each.
fn two_records(root: &Path, clock: &Arc<ManualClock>) -> (Recall, Arc<MemoryStore>) {
    let store = Arc::new(MemoryStore::new(sample_record(1).project_key, clock.clone()));
    for (n, path, answer) in [(1, "oldest.txt", OLDEST), (2, "request.txt", ON_REQUEST)] {
        std::fs::write(root.join(path), answer).unwrap();
        let record = LearningRecord {
            question: format!("How does the cache forget entries, as {path} says?"),
            answer: answer.to_owned(),
            source_files: vec![SourceRef {
                path: path.to_owned(),
                start_line: None,
                end_line: None,
            }],
            source_hashes: BTreeMap::from([(path.to_owned(), sha256_hex(answer.as_bytes()))]),
            ..sample_record(n)
        };
        let vector = StoredVector {
            record: record.id,
            role: VectorRole::Answer,
            embedder: HashEmbedder.id().to_owned(),
            values: HashEmbedder::vector(answer),
        };
        store.commit(&[Change::PutRecord(Box::new(record)), Change::PutVector(vector)]).unwrap();
    }
    let scanner = ProjectScanner::new(root, ScanOptions::default(), clock.clone()).unwrap();
    let project_root = ProjectRoot::open(root).unwrap();
    let recall = Recall::new(
        store.clone(),
        Arc::new(HashEmbedder),
        Arc::new(SharedAnalysis::new(Arc::new(scanner))),
        Arc::new(move |analysis: &ProjectAnalysis| {
            code_documents(analysis, &project_root, 1 << 20)
        }),
        Arc::new(TantivyIndex::new()),
        Arc::new(TantivyIndex::new()),
    );
    (recall, store)
}

/// Changes the record that stands first.
fn mark(
    recalled: &[LearningRecord],
    store: &MemoryStore,
    change: impl FnOnce(&mut LearningRecord),
) {
    let mut record = recalled[0].clone();
    change(&mut record);
    store.commit(&[Change::PutRecord(Box::new(record))]).unwrap();
}

async fn recalled(recall: &Recall) -> Vec<LearningRecord> {
    let passages = recall.recall(QUERY, 4_000).await.unwrap();
    passages.iter().filter_map(Passage::record).cloned().collect()
}

fn answers(records: &[LearningRecord]) -> Vec<&str> {
    records.iter().map(|record| record.answer.as_str()).collect()
}

#[tokio::test]
async fn a_record_whose_file_has_changed_says_so_and_ranks_lower() {
    let root = tempfile::tempdir().unwrap();
    let (recall, _) = two_records(root.path(), &Arc::new(ManualClock::new(0)));
    let fresh = recalled(&recall).await;
    assert!(fresh.iter().all(|record| record.freshness == Freshness::Fresh));
    let first = fresh[0].source_files[0].path.clone();
    std::fs::write(root.path().join(&first), "Another text.").unwrap();
    let changed = recalled(&recall).await;
    assert_eq!(answers(&changed), [&*fresh[1].answer, &*fresh[0].answer]);
    assert!(matches!(&changed[1].freshness, Freshness::Stale { path, .. } if *path == first));
    std::fs::write(root.path().join(&first), &fresh[0].answer).unwrap();
    assert_eq!(recalled(&recall).await, fresh);
}

#[tokio::test]
async fn an_answer_that_was_corrected_is_not_found_by_what_it_said() {
    let root = tempfile::tempdir().unwrap();
    let (recall, store) = two_records(root.path(), &Arc::new(ManualClock::new(0)));
    let id = sample_record(1).id;
    assert_eq!(recall.paths(OLDEST).await.unwrap().vectors[0], id);
    let correction = Some(Correction { text: "It never does.".to_owned(), at: 0 });
    mark(&[store.record(id).unwrap()], &store, |record| record.correction = correction);
    assert!(!recall.paths(OLDEST).await.unwrap().vectors.contains(&id));
}

#[tokio::test]
async fn what_a_user_thinks_of_a_record_decides_where_it_stands() {
    let root = tempfile::tempdir().unwrap();
    let (recall, store) = two_records(root.path(), &Arc::new(ManualClock::new(0)));
    let unrated = recalled(&recall).await;
    mark(&unrated, &store, |record| record.rating = Some(Rating::Useless));
    let rated = recalled(&recall).await;
    assert_eq!(answers(&rated), [&*unrated[1].answer, &*unrated[0].answer]);
    mark(&rated, &store, |record| record.rating = Some(Rating::Useless));
    assert_eq!(answers(&recalled(&recall).await), answers(&unrated));
    mark(&unrated, &store, |record| record.rating = Some(Rating::Useful));
    mark(&unrated[1..], &store, |record| record.rating = None);
    assert_eq!(answers(&recalled(&recall).await), answers(&unrated));
}

#[tokio::test]
async fn what_the_user_wrote_does_not_rank_lower_because_a_file_has_changed() {
    let root = tempfile::tempdir().unwrap();
    let (recall, store) = two_records(root.path(), &Arc::new(ManualClock::new(0)));
    for n in [1, 2] {
        let record = store.record(sample_record(n).id).unwrap();
        let vector = StoredVector {
            record: record.id,
            role: VectorRole::Question,
            embedder: HashEmbedder.id().to_owned(),
            values: HashEmbedder::vector(&record.question),
        };
        store.commit(&[Change::PutVector(vector)]).unwrap();
    }
    let found = recalled(&recall).await;
    let text = format!("{} So says the user.", found[0].answer);
    mark(&found, &store, |record| record.correction = Some(Correction { text, at: 0 }));
    let expected = answers(&found);
    assert_eq!(answers(&recalled(&recall).await), expected);
    std::fs::write(root.path().join(&found[0].source_files[0].path), "Another text.").unwrap();
    assert_eq!(answers(&recalled(&recall).await), expected);
}

#[tokio::test]
async fn a_reranker_decides_on_the_order_unless_it_is_away() {
    let root = tempfile::tempdir().unwrap();
    let (server, clock) = (ModelServer::start().await, Arc::new(ManualClock::new(0)));
    let (recall, _) = two_records(root.path(), &clock);
    let by_rank = recall.recall(QUERY, 4_000).await.unwrap();
    let config = RerankerConfig::new(server.base_url(), "bge");
    let reranker = HttpReranker::new(config, clock, Arc::new(SeededRandom::new(1))).unwrap();
    let reranked = recall.with_reranker(Arc::new(reranker));
    let scores: Vec<f32> = (0..by_rank.len()).map(|place| place as f32).collect();
    server.reply_scores(Reply::scores(&scores));
    let mut reversed = reranked.recall(QUERY, 4_000).await.unwrap();
    reversed.reverse();
    assert_eq!(reversed, by_rank);
    let sent = &server.requests()[0].body;
    assert_eq!(sent["query"], QUERY);
    assert!(
        sent["documents"]
            .as_array()
            .unwrap()
            .iter()
            .any(|text| text.as_str().unwrap().contains(OLDEST))
    );
    server.reply_scores(Reply::status(503));
    assert_eq!(reranked.recall(QUERY, 4_000).await.unwrap(), by_rank);
}

#[tokio::test]
async fn a_contradiction_is_shown_whichever_of_its_records_is_found() {
    let root = tempfile::tempdir().unwrap();
    let (recall, store) = two_records(root.path(), &Arc::new(ManualClock::new(0)));
    let (old, new) = (sample_record(1).id, sample_record(2).id);
    let freshness = Freshness::Contradicted { by: new, since: 1 };
    // What no search finds by itself.
    let answer = "Wholly unlike.".to_owned();
    let doubtful = LearningRecord { freshness, answer, ..sample_record(3) };
    store.commit(&[Change::PutRecord(Box::new(doubtful.clone()))]).unwrap();
    let paths = recall.paths(QUERY).await.unwrap();
    assert!(!paths.words.contains(&doubtful.id) && !paths.vectors.contains(&doubtful.id));
    let ids: Vec<_> = recalled(&recall).await.iter().map(|record| record.id).collect();
    let found = ids.iter().position(|id| *id == new).unwrap();
    assert_eq!(ids.get(found + 1), Some(&doubtful.id), "{ids:?}");
    assert_eq!(ids.len(), 3);
    let listed = recall.recall_records(QUERY).await.unwrap();
    assert_eq!(listed.iter().map(|record| record.id).collect::<Vec<_>>(), ids);
    assert!(ids.contains(&old));
}
