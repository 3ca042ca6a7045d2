//! Random histories: the durable store, opened again and again, must say what the store in memory says.

use std::sync::Arc;

use ouro_core::{
    BackoffState, Change, Counters, Freshness, LearningRecord, ProjectMemory, QuotaState,
    RecordQuery, RecordStore, VectorRole, VectorSearch,
};
use ouro_testkit::{
    ManualClock, MemoryStore,
    store_contract::{
        NOW, sample_asked, sample_failure, sample_id, sample_in_flight, sample_log, sample_project,
        sample_record, sample_tool_call, sample_vector,
    },
};
use proptest::prelude::*;

use crate::support::{open, put_record};

#[derive(Debug, Clone)]
enum Step {
    Commit(Vec<Change>),
    Reopen,
}

fn change() -> impl Strategy<Value = Change> {
    let n = 0..6_u64;
    let name = "[a-c]{1,2}";
    let marked = (n.clone(), any::<bool>(), any::<bool>()).prop_map(|(n, pinned, stale)| {
        let mut record = LearningRecord { pinned, ..sample_record(n) };
        if stale {
            record.freshness = Freshness::Stale { path: "a".into(), since: NOW };
        }
        put_record(record)
    });
    let rewritten = n
        .clone()
        .prop_map(|n| put_record(LearningRecord { answer: "another".into(), ..sample_record(n) }));
    let vector = (n.clone(), any::<bool>(), 0..2_usize, -1.0..1.0_f32).prop_map(|(n, q, e, x)| {
        let role = if q { VectorRole::Question } else { VectorRole::Answer };
        Change::PutVector(sample_vector(n, role, ["e", "f"][e], &[x, 1.0]))
    });
    prop_oneof![
        6 => marked,
        1 => rewritten,
        2 => n.clone().prop_map(|n| Change::DeleteRecord(sample_id(n))),
        4 => vector,
        1 => name.prop_map(|s| {
            Change::PutMemory(ProjectMemory { domains: vec![s], ..ProjectMemory::default() })
        }),
        1 => n.clone().prop_map(|iterations| {
            Change::PutCounters(Counters { iterations, ..Counters::default() })
        }),
        2 => (-40..1_i64).prop_map(|days| Change::AppendLog(sample_log(NOW + days * 86_400_000))),
        2 => (0..12_000_usize).prop_map(|size| {
            Change::PutInFlight(Some(Box::new(sample_in_flight(&"x".repeat(size)))))
        }),
        1 => Just(Change::PutInFlight(None)),
        1 => n.clone().prop_map(|pause_ms| {
            Change::PutBackoff(BackoffState { pause_ms, ..BackoffState::default() })
        }),
        1 => name.prop_map(|day| Change::PutQuota(QuotaState { day, ..QuotaState::default() })),
        1 => (n.clone(), 1..9_u32).prop_map(|(n, attempts)| {
            Change::PutFailure(Box::new(sample_failure(n, attempts)))
        }),
        1 => n.prop_map(|n| Change::DeleteFailure(format!("failure-{n}"))),
        1 => (name, 0..3_i64).prop_map(|(hash, at)| Change::PutAsked(sample_asked(&hash, at))),
        1 => (name, 0..3_i64).prop_map(|(signature, at)| {
            Change::PutToolCall(Box::new(sample_tool_call(&signature, at)))
        }),
        1 => name.prop_map(Change::DeleteToolCall),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => prop::collection::vec(change(), 1..6).prop_map(Step::Commit),
        1 => Just(Step::Reopen),
    ]
}

fn assert_same(store: &dyn RecordStore, oracle: &dyn RecordStore) {
    let all = RecordQuery::default();
    assert_eq!(store.records(&all).unwrap(), oracle.records(&all).unwrap());
    assert_eq!(store.record_count().unwrap(), oracle.record_count().unwrap());
    assert_eq!(store.memory().unwrap(), oracle.memory().unwrap());
    assert_eq!(store.counters().unwrap(), oracle.counters().unwrap());
    assert_eq!(store.log(usize::MAX).unwrap(), oracle.log(usize::MAX).unwrap());
    assert_eq!(store.in_flight().unwrap(), oracle.in_flight().unwrap());
    assert_eq!(store.guard_state().unwrap(), oracle.guard_state().unwrap());
    for embedder in ["e", "f"] {
        let vectors = |store: &dyn RecordStore| {
            let mut vectors = store.vectors(embedder).unwrap();
            vectors.sort_by_key(|v| (v.record, v.role));
            vectors
        };
        assert_eq!(vectors(store), vectors(oracle));
        for role in [VectorRole::Question, VectorRole::Answer] {
            let catalog = |store: &dyn RecordStore| {
                let mut catalog = store.vector_catalog(embedder, role).unwrap();
                catalog.records.sort();
                // Whether an embedder of which no vector counts any more has a dimension is nobody's business.
                (!catalog.records.is_empty()).then_some(catalog)
            };
            assert_eq!(catalog(store), catalog(oracle));
            assert_same_neighbours(store, oracle, embedder, role);
        }
    }
}

/// Equally near vectors may stand in another order, and the last digit may differ.
fn assert_same_neighbours(
    store: &dyn RecordStore,
    oracle: &dyn RecordStore,
    embedder: &str,
    role: VectorRole,
) {
    let wanted = |record| record != sample_id(0);
    let search = VectorSearch { embedder, role, vector: &[0.3, 1.0], count: 4, wanted: &wanted };
    let (found, expected) = (store.nearest(&search).unwrap(), oracle.nearest(&search).unwrap());
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found.cosine - expected.cosine).abs() < 1e-5, "{found:?} {expected:?}");
        assert!(wanted(found.record));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_history_is_what_the_store_in_memory_makes_of_it(steps in prop::collection::vec(step(), 1..25)) {
        let dir = tempfile::tempdir().unwrap();
        let oracle = MemoryStore::new(sample_project(), Arc::new(ManualClock::new(NOW)));
        let mut store = open(dir.path());
        for step in steps {
            match step {
                Step::Commit(changes) => {
                    let expected = oracle.commit(&changes);
                    let done = store.commit(&changes);
                    let kind = |r: &ouro_core::Result<()>| r.as_ref().err().map(ouro_core::Error::kind);
                    prop_assert_eq!(kind(&done), kind(&expected));
                }
                Step::Reopen => {
                    drop(store);
                    store = open(dir.path());
                }
            }
            assert_same(&store, &oracle);
        }
    }
}
