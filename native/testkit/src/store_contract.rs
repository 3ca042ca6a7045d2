//! What every [`RecordStore`] must do, as tests that any implementation runs.
//!
//! ```ignore
//! fn open(project: ProjectKey, clock: Arc<dyn Clock>) -> Opened { ... }
//! ouro_testkit::store_contract!(open);
//! ```

#![allow(clippy::unwrap_used, reason = "every rule is the body of a test")]

use std::{any::Any, collections::BTreeMap, sync::Arc};

use ouro_core::{
    AskedQuestion, BackoffState, CachedToolCall, Change, Clock, Correction, Counters, ErrorClass,
    ErrorKind, EvolutionLog, FailureRecord, FailureStatus, Freshness, InFlight, Language,
    LearningRecord, Level, Observation, OperationKind, Phase, ProjectKey, ProjectMemory, Question,
    QuestionOutcome, QuestionType, QuotaState, Rating, RecordId, RecordQuery, RecordStore,
    SourceRef, StoredVector, TokenUsage, ToolCallStep, ToolResult, Topic, VectorRole, VectorSearch,
};
use serde_json::json;

use crate::ManualClock;

/// A new, empty store, and whatever must live as long as it.
pub type Opened = (Arc<dyn RecordStore>, Box<dyn Any>);

/// Opens a new, empty store.
pub type Open = fn(ProjectKey, Arc<dyn Clock>) -> Opened;

/// 2026-11-21 in epoch milliseconds.
pub const NOW: i64 = 1_795_219_200_000;
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Makes one test of every rule of the contract, for the store that `$open` (an [`Open`]) makes.
#[macro_export]
macro_rules! store_contract {
    ($open:path) => {
        $crate::store_contract!(
            $open: an_empty_store_has_nothing,
            a_record_is_read_back_as_it_was_put,
            records_come_in_pages_newest_first,
            a_refused_commit_changes_nothing,
            records_are_added_and_only_their_marks_replaced,
            what_does_not_belong_in_a_store_is_refused,
            deleted_stays_deleted,
            vectors_are_kept_by_embedder,
            the_nearest_vectors_follow_every_commit,
            single_values_are_replaced,
            the_log_keeps_the_newest_lines_of_thirty_days,
            the_guards_state_is_sorted_by_time,
            large_values_and_odd_names_are_read_back,
            changes_apply_in_their_order,
            commits_from_many_threads_all_count
        );
    };
    ($open:path: $($rule:ident),+) => {
        $(
            #[test]
            fn $rule() {
                $crate::store_contract::$rule($open);
            }
        )+
    };
}

fn open_now(open: Open) -> Opened {
    open(sample_project(), Arc::new(ManualClock::new(NOW)))
}

/// The project of [`sample_record`].
pub fn sample_project() -> ProjectKey {
    "sample-project".parse().unwrap()
}

/// A record with every field set. A larger `n` makes a newer one.
pub fn sample_record(n: u64) -> LearningRecord {
    let at = NOW + i64::try_from(n).unwrap();
    LearningRecord {
        id: sample_id(n),
        project_key: sample_project(),
        created_at: at,
        question: format!("What is part {n} for? 这是什么?"),
        question_type: QuestionType::CodeStructure,
        answer: format!("Part {n} does **this**:\n\n- \"quoted\"\n- {{braces}}\n"),
        exploration_path: vec![ToolCallStep {
            tool_name: "read_file".into(),
            parameters: json!({"path": "src/lib.rs", "ratio": 0.1, "nested": {"deep": [n, null]}}),
            result_summary: "40 lines".into(),
            at,
            duration_ms: 3,
            cached: n.is_multiple_of(2),
            is_error: false,
        }],
        confidence: 0.7,
        source_files: vec![SourceRef {
            path: "src/lib.rs".into(),
            start_line: Some(1),
            end_line: Some(40),
        }],
        source_hashes: BTreeMap::from([("src/lib.rs".into(), "ab".repeat(32))]),
        tags: vec!["structure".into(), format!("part-{n}")],
        domain: "structure".into(),
        topic: Some(Topic {
            level: Level::Foundation,
            module: "src".into(),
            subject: format!("part-{n}"),
        }),
        language: Language::English,
        embedder: "test-embedder-3".into(),
        model: "offline".into(),
        tokens: TokenUsage { prompt: 100, completion: 20, estimated: true },
        supersedes: n.checked_sub(1).map(sample_id),
        superseded_by: None,
        freshness: Freshness::Fresh,
        pinned: false,
        rating: None,
        correction: None,
    }
}

/// The id of [`sample_record`].
pub fn sample_id(n: u64) -> RecordId {
    let mut bytes = [0; 16];
    let (time, rest) = bytes.split_at_mut(6);
    let ms = NOW.unsigned_abs() + n;
    time.copy_from_slice(ms.to_be_bytes().split_at(2).1);
    rest.fill(7);
    RecordId::from_bytes(bytes)
}

/// A vector of a sample record.
pub fn sample_vector(n: u64, role: VectorRole, embedder: &str, values: &[f32]) -> StoredVector {
    StoredVector { record: sample_id(n), role, embedder: embedder.into(), values: values.to_vec() }
}

/// An iteration in flight, whose size grows with `content`.
pub fn sample_in_flight(content: &str) -> InFlight {
    let step = sample_record(1).exploration_path.pop().unwrap();
    InFlight {
        question: Question {
            question: "What is it for?".into(),
            question_type: QuestionType::Testing,
            priority: 9,
            reason: "nobody knows".into(),
            suggested_tools: vec!["grep_file".into()],
            expected_outcome: "a reason".into(),
            topic: None,
        },
        started_at: NOW,
        observations: vec![Observation { step, content: content.into(), lines: vec![] }],
        tokens: TokenUsage::default(),
    }
}

/// A failure whose signature and id are derived from `n`.
pub fn sample_failure(n: u64, attempts: u32) -> FailureRecord {
    FailureRecord {
        id: sample_id(n),
        project_key: sample_project(),
        operation_kind: OperationKind::ToolCall,
        operation: "grep_file".into(),
        signature: format!("failure-{n}"),
        error: "timed out".into(),
        error_class: ErrorClass::Transient,
        context: json!({"pattern": "x"}),
        first_at: NOW,
        last_at: NOW + 1,
        attempts,
        status: FailureStatus::Pending,
        strategy: None,
    }
}

/// A question that was asked at `at`.
pub fn sample_asked(hash: &str, at: i64) -> AskedQuestion {
    AskedQuestion {
        hash: hash.into(),
        question: format!("What about {hash}?"),
        at,
        outcome: QuestionOutcome::Started,
        record: None,
        cut_short: None,
    }
}

/// A tool call that was made at `at`.
pub fn sample_tool_call(signature: &str, at: i64) -> CachedToolCall {
    CachedToolCall {
        signature: signature.into(),
        tool: "find_file".into(),
        arguments: json!({"pattern": signature}),
        result: ToolResult { content: "src/lib.rs".into(), ..ToolResult::default() },
        at,
        stamp: None,
    }
}

/// A line of the log at `at`.
pub fn sample_log(at: i64) -> EvolutionLog {
    EvolutionLog {
        timestamp: at,
        phase: Phase::Exploring,
        question: Some("Why?".into()),
        success: true,
        error: None,
        duration_ms: 7,
    }
}

fn put(record: LearningRecord) -> Change {
    Change::PutRecord(Box::new(record))
}

fn ids(records: &[LearningRecord]) -> Vec<RecordId> {
    records.iter().map(|r| r.id).collect()
}

fn page(before: Option<RecordId>, limit: usize) -> RecordQuery {
    RecordQuery { before, limit }
}

/// Rule.
pub fn an_empty_store_has_nothing(open: Open) {
    let (store, _dir) = open_now(open);
    assert_eq!(*store.project_key(), sample_project());
    assert_eq!(store.record_count().unwrap(), 0);
    assert_eq!(store.records(&RecordQuery::default()).unwrap(), vec![]);
    assert_eq!(store.record(sample_id(1)).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(store.vectors("test-embedder-3").unwrap(), vec![]);
    assert_eq!(store.memory().unwrap(), ProjectMemory::default());
    assert_eq!(store.counters().unwrap(), Counters::default());
    assert_eq!(store.log(10).unwrap(), vec![]);
    assert_eq!(store.in_flight().unwrap(), None);
    assert_eq!(store.guard_state().unwrap(), ouro_core::GuardState::default());
    store.commit(&[]).unwrap();
    assert_eq!(store.records_revision(), 0);
}

/// Rule.
pub fn a_record_is_read_back_as_it_was_put(open: Open) {
    let (store, _dir) = open_now(open);
    for n in 0..3 {
        store.commit(&[put(sample_record(n))]).unwrap();
    }
    assert_eq!(store.record(sample_id(1)).unwrap(), sample_record(1));
    let error = store.record(sample_id(9)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.message().contains(&sample_id(9).to_string()), "{error}");
}

/// Rule.
pub fn records_come_in_pages_newest_first(open: Open) {
    let (store, _dir) = open_now(open);
    for n in [3, 1, 4, 0, 2] {
        store.commit(&[put(sample_record(n))]).unwrap();
    }
    let all = store.records(&page(None, 0)).unwrap();
    assert_eq!(all, [4, 3, 2, 1, 0].map(sample_record));
    assert_eq!(store.records(&page(None, 2)).unwrap(), [4, 3].map(sample_record));
    let pinned = LearningRecord { pinned: true, ..sample_record(3) };
    store.commit(&[put(pinned)]).unwrap();
    for page in [page(None, 0), page(None, 2), page(Some(sample_id(0)), 2)] {
        let json = store.records_json(&page).unwrap();
        let read: Vec<LearningRecord> = serde_json::from_slice(&json).unwrap();
        assert_eq!(read, store.records(&page).unwrap());
    }
    store.commit(&[put(sample_record(3))]).unwrap();
    assert_eq!(store.records(&page(Some(sample_id(3)), 2)).unwrap(), [2, 1].map(sample_record));
    assert_eq!(store.records(&page(Some(sample_id(0)), 2)).unwrap(), []);
    assert_eq!(ids(&store.records(&page(Some(sample_id(100)), 1)).unwrap()), [sample_id(4)]);
    assert_eq!(store.record_count().unwrap(), 5);
    assert_eq!(store.memory().unwrap().learning_record_ids, [0, 1, 2, 3, 4].map(sample_id));
}

/// Rule.
pub fn a_refused_commit_changes_nothing(open: Open) {
    let (store, _dir) = open_now(open);
    store.commit(&[put(sample_record(1)), Change::PutBackoff(BackoffState::default())]).unwrap();
    let revision = store.records_revision();
    let counters = Counters { iterations: 5, ..Counters::default() };
    let refused = store.commit(&[
        put(sample_record(2)),
        Change::DeleteRecord(sample_id(1)),
        Change::PutCounters(counters),
        Change::AppendLog(sample_log(NOW)),
        Change::PutVector(sample_vector(2, VectorRole::Answer, "e", &[1.0])),
        Change::PutAsked(sample_asked("a", NOW)),
        put(sample_record(3)),
        put(LearningRecord { answer: "another".into(), ..sample_record(3) }),
    ]);
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(store.records(&page(None, 0)).unwrap(), [sample_record(1)]);
    assert_eq!(store.counters().unwrap(), Counters::default());
    assert_eq!(store.log(10).unwrap(), vec![]);
    assert_eq!(store.vectors("e").unwrap(), vec![]);
    assert_eq!(store.guard_state().unwrap().asked, vec![]);
    assert_eq!(store.records_revision(), revision);
}

/// Rule.
pub fn records_are_added_and_only_their_marks_replaced(open: Open) {
    let (store, _dir) = open_now(open);
    store.commit(&[put(sample_record(1))]).unwrap();
    let revision = store.records_revision();
    assert!(revision > 0);

    let mut marked = sample_record(1);
    marked.pinned = true;
    marked.rating = Some(Rating::Useful);
    marked.freshness = Freshness::Stale { path: "src/lib.rs".into(), since: NOW };
    marked.superseded_by = Some(sample_id(2));
    marked.correction = Some(Correction { text: "No: that.".into(), at: NOW });
    marked.embedder = "another-embedder-4".into();
    store.commit(&[put(marked.clone())]).unwrap();
    assert_eq!(store.record(sample_id(1)).unwrap(), marked);
    assert!(store.records_revision() > revision);

    let mut rewritten = marked.clone();
    rewritten.confidence = 0.9;
    let error = store.commit(&[put(rewritten)]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().contains(&sample_id(1).to_string()), "{error}");
    assert_eq!(store.record(sample_id(1)).unwrap(), marked);
}

/// Rule.
pub fn what_does_not_belong_in_a_store_is_refused(open: Open) {
    let (store, _dir) = open_now(open);
    store.commit(&[put(sample_record(1))]).unwrap();
    let vector =
        |values: &[f32]| Change::PutVector(sample_vector(1, VectorRole::Question, "e", values));
    store.commit(&[vector(&[1.0, 0.0])]).unwrap();
    let stranger: ProjectKey = "another-project".parse().unwrap();
    let refused = [
        put(LearningRecord { project_key: stranger, ..sample_record(2) }),
        put(LearningRecord { confidence: f32::NAN, ..sample_record(2) }),
        put(LearningRecord { confidence: 1.5, ..sample_record(2) }),
        vector(&[]),
        vector(&[f32::NAN, 0.0]),
        vector(&[f32::INFINITY, 0.0]),
        vector(&[0.0, 0.0]),
        vector(&[1.0, 0.0, 0.0]),
        Change::PutVector(sample_vector(1, VectorRole::Question, "", &[1.0])),
    ];
    for change in refused {
        let error = store.commit(std::slice::from_ref(&change)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{change:?}");
    }
    assert_eq!(store.record_count().unwrap(), 1);
    let kept = sample_vector(1, VectorRole::Question, "e", &[1.0, 0.0]);
    assert_eq!(store.vectors("e").unwrap(), [kept]);
}

/// Rule.
pub fn deleted_stays_deleted(open: Open) {
    let (store, _dir) = open_now(open);
    let vector = sample_vector(1, VectorRole::Answer, "e", &[0.5, 0.5]);
    store.commit(&[put(sample_record(1)), put(sample_record(2))]).unwrap();
    store.commit(&[Change::PutVector(vector.clone())]).unwrap();
    let revision = store.records_revision();
    store.commit(&[Change::DeleteRecord(sample_id(1))]).unwrap();
    assert!(store.records_revision() > revision);
    assert_eq!(store.record(sample_id(1)).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(store.records(&page(None, 0)).unwrap(), [sample_record(2)]);
    assert_eq!(store.vectors("e").unwrap(), []);
    assert_eq!(store.memory().unwrap().learning_record_ids, [sample_id(2)]);

    // Whoever marks a copy that is out of date doesn't bring it back.
    let pinned = LearningRecord { pinned: true, ..sample_record(1) };
    store.commit(&[put(pinned), Change::PutVector(vector)]).unwrap();
    assert_eq!(store.record_count().unwrap(), 1);
    assert_eq!(store.vectors("e").unwrap(), []);

    // One that never was is no error, and may come later.
    store.commit(&[Change::DeleteRecord(sample_id(3))]).unwrap();
    store.commit(&[put(sample_record(3))]).unwrap();
    assert_eq!(store.record(sample_id(3)).unwrap(), sample_record(3));
}

/// Rule.
pub fn vectors_are_kept_by_embedder(open: Open) {
    let (store, _dir) = open_now(open);
    let vectors = |embedder: &str| {
        let mut vectors = store.vectors(embedder).unwrap();
        vectors.sort_by_key(|v| (v.record, v.role));
        vectors
    };
    let (q, a) = (VectorRole::Question, VectorRole::Answer);
    let first = [
        sample_vector(1, q, "small", &[0.25, -1.0e-30]),
        sample_vector(1, a, "small", &[1.0, 0.0]),
        sample_vector(2, q, "small", &[0.0, 1.0]),
    ];
    let other = sample_vector(1, q, "模型/with odd characters\n", &[1.0, 2.0, 3.0]);
    let orphan = sample_vector(9, q, "small", &[1.0, 1.0]);
    let mut changes = vec![put(sample_record(1)), put(sample_record(2))];
    changes.extend(first.iter().cloned().map(Change::PutVector));
    changes.extend([Change::PutVector(other.clone()), Change::PutVector(orphan)]);
    store.commit(&changes).unwrap();
    assert_eq!(vectors("small"), first);
    assert_eq!(vectors(&other.embedder), [other]);
    assert_eq!(vectors("unknown"), []);

    let better = sample_vector(1, a, "small", &[0.6, 0.8]);
    let best = sample_vector(1, a, "small", &[0.8, 0.6]);
    store.commit(&[Change::PutVector(better), Change::PutVector(best.clone())]).unwrap();
    let [one, _, three] = first;
    assert_eq!(vectors("small"), [one, best, three]);
}

/// Rule.
pub fn the_nearest_vectors_follow_every_commit(open: Open) {
    let (store, _dir) = open_now(open);
    let question = VectorRole::Question;
    let find = |role, vector: &[f32], wanted: &dyn Fn(RecordId) -> bool| -> Vec<(RecordId, f32)> {
        let search = VectorSearch { embedder: "e", role, vector, count: 2, wanted };
        let hits = store.nearest(&search).unwrap();
        hits.iter().map(|hit| (hit.record, (hit.cosine * 1e5).round() / 1e5)).collect()
    };
    let records = |role| {
        let mut catalog = store.vector_catalog("e", role).unwrap();
        catalog.records.sort();
        (catalog.dimension, catalog.records)
    };
    let put_vector = |n, role, embedder: &str, values: &[f32]| {
        Change::PutVector(sample_vector(n, role, embedder, values))
    };
    assert_eq!(find(question, &[1.0, 0.0], &|_| true), []);
    assert_eq!(records(question), (None, vec![]));

    let mut changes: Vec<Change> = (1..=3).map(|n| put(sample_record(n))).collect();
    changes.extend([
        put_vector(1, question, "e", &[1.0, 0.0]),
        put_vector(2, question, "e", &[0.6, 0.8]),
        put_vector(3, question, "e", &[0.0, 1.0]),
        put_vector(3, VectorRole::Answer, "e", &[1.0, 0.0]),
        put_vector(3, question, "f", &[1.0, 0.0, 0.0]),
        put_vector(9, question, "e", &[1.0, 0.0]),
    ]);
    store.commit(&changes).unwrap();
    let [one, two, three] = [1, 2, 3].map(sample_id);
    assert_eq!(find(question, &[2.0, 0.0], &|_| true), [(one, 1.0), (two, 0.6)]);
    assert_eq!(find(question, &[2.0, 0.0], &|record| record != one), [(two, 0.6), (three, 0.0)]);
    assert_eq!(find(VectorRole::Answer, &[2.0, 0.0], &|_| true), [(three, 1.0)]);
    assert_eq!(records(question), (Some(2), vec![one, two, three]));

    store.commit(&[put_vector(3, question, "e", &[1.0, 0.0])]).unwrap();
    assert_eq!(find(question, &[2.0, 0.0], &|_| true), [(one, 1.0), (three, 1.0)]);
    store.commit(&[Change::DeleteRecord(one), put_vector(1, question, "e", &[1.0, 0.0])]).unwrap();
    assert_eq!(find(question, &[2.0, 0.0], &|_| true), [(three, 1.0), (two, 0.6)]);
    assert_eq!(records(question), (Some(2), vec![two, three]));

    let wrong = |vector| VectorSearch {
        embedder: "e",
        role: question,
        vector,
        count: 2,
        wanted: &|_| true,
    };
    for vector in [&[1.0, 0.0, 0.0][..], &[0.0, 0.0], &[f32::NAN, 0.0]] {
        let error = store.nearest(&wrong(vector)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
    }
}

/// Rule.
pub fn single_values_are_replaced(open: Open) {
    let (store, _dir) = open_now(open);
    for n in 1..4 {
        let memory = ProjectMemory {
            tech_stack: vec![format!("Rust {n}")],
            learning_record_ids: vec![sample_id(77)],
            ..ProjectMemory::default()
        };
        let counters = Counters { total_questions: n, ..Counters::default() };
        let in_flight = sample_in_flight(&"x".repeat(10_000 / usize::try_from(n).unwrap()));
        let backoff = BackoffState { pause_ms: n, ..BackoffState::default() };
        let quota = QuotaState { day: format!("2026-11-0{n}"), questions: 3, explorations: 4 };
        store
            .commit(&[
                Change::PutMemory(memory.clone()),
                Change::PutCounters(counters.clone()),
                Change::PutInFlight(Some(Box::new(in_flight.clone()))),
                Change::PutBackoff(backoff.clone()),
                Change::PutQuota(quota.clone()),
            ])
            .unwrap();
        // Which records there are is the store's own knowledge.
        assert_eq!(
            store.memory().unwrap(),
            ProjectMemory { learning_record_ids: vec![], ..memory }
        );
        assert_eq!(store.counters().unwrap(), counters);
        assert_eq!(store.in_flight().unwrap(), Some(in_flight));
        assert_eq!(store.guard_state().unwrap().backoff, backoff);
        assert_eq!(store.guard_state().unwrap().quota, quota);
    }
    store.commit(&[Change::PutInFlight(None)]).unwrap();
    assert_eq!(store.in_flight().unwrap(), None);
}

/// Rule.
pub fn the_log_keeps_the_newest_lines_of_thirty_days(open: Open) {
    let clock = Arc::new(ManualClock::new(NOW));
    let (store, _dir) = open(sample_project(), clock.clone());
    let append = |at: i64| store.commit(&[Change::AppendLog(sample_log(at))]).unwrap();
    let times = |limit| -> Vec<i64> {
        store.log(limit).unwrap().iter().map(|line| line.timestamp).collect()
    };
    append(NOW - 29 * DAY);
    append(NOW - DAY);
    append(NOW);
    assert_eq!(times(10), [NOW, NOW - DAY, NOW - 29 * DAY]);
    assert_eq!(times(1), [NOW]);
    assert!(times(0).is_empty());
    clock.set_wall(NOW + 2 * DAY);
    append(NOW + 2 * DAY);
    assert_eq!(times(10), [NOW + 2 * DAY, NOW, NOW - DAY]);

    let many: Vec<Change> =
        (0..10_050).map(|n| Change::AppendLog(sample_log(NOW + 2 * DAY + n))).collect();
    let (one, rest) = many.split_at(9_000);
    store.commit(one).unwrap();
    store.commit(rest).unwrap();
    let kept = times(usize::MAX);
    assert_eq!(kept.len(), 10_000);
    assert_eq!(kept.first(), Some(&(NOW + 2 * DAY + 10_049)));
    assert_eq!(kept.last(), Some(&(NOW + 2 * DAY + 50)));
}

/// Rule.
pub fn the_guards_state_is_sorted_by_time(open: Open) {
    let (store, _dir) = open_now(open);
    let changes = [
        Change::PutFailure(Box::new(sample_failure(2, 1))),
        Change::PutFailure(Box::new(sample_failure(1, 1))),
        Change::PutFailure(Box::new(sample_failure(3, 1))),
        Change::PutAsked(sample_asked("late", NOW + 5)),
        Change::PutAsked(sample_asked("z", NOW)),
        Change::PutAsked(sample_asked("b", NOW)),
        Change::PutAsked(sample_asked("m", NOW)),
        Change::PutToolCall(Box::new(sample_tool_call("z", NOW))),
        Change::PutToolCall(Box::new(sample_tool_call("a", NOW))),
        Change::PutToolCall(Box::new(sample_tool_call("early", NOW - 1))),
    ];
    for change in changes {
        store.commit(&[change]).unwrap();
    }
    let state = store.guard_state().unwrap();
    assert_eq!(state.failures, [1, 2, 3].map(|n| sample_failure(n, 1)));
    let hashes: Vec<&str> = state.asked.iter().map(|a| a.hash.as_str()).collect();
    assert_eq!(hashes, ["z", "b", "m", "late"]);
    let signatures: Vec<&str> = state.tool_calls.iter().map(|c| c.signature.as_str()).collect();
    assert_eq!(signatures, ["early", "z", "a"]);

    let answered = AskedQuestion {
        outcome: QuestionOutcome::Learned,
        record: Some(sample_id(1)),
        ..sample_asked("z", NOW)
    };
    store
        .commit(&[
            Change::PutFailure(Box::new(sample_failure(2, 4))),
            Change::DeleteFailure("failure-1".into()),
            Change::DeleteFailure("never-was".into()),
            Change::PutAsked(answered.clone()),
            Change::DeleteToolCall("z".into()),
        ])
        .unwrap();
    let state = store.guard_state().unwrap();
    assert_eq!(state.failures, [sample_failure(2, 4), sample_failure(3, 1)]);
    // Put again at the same time: now the last of that time.
    assert_eq!(state.asked.get(2), Some(&answered));
    assert_eq!(state.asked.len(), 4);
    assert_eq!(state.tool_calls.len(), 2);
}

/// Rule.
pub fn large_values_and_odd_names_are_read_back(open: Open) {
    let (store, _dir) = open_now(open);
    let mut record = sample_record(1);
    record.answer = "Ünïcode \u{0} 漢字 \u{1f980} ".repeat(20_000);
    let in_flight = sample_in_flight(&"line\n".repeat(100_000));
    let names = ["", "a", "a\0", "a\0\0\u{1}", "a\u{ff}", &"long".repeat(10_000)];
    let mut changes =
        vec![put(record.clone()), Change::PutInFlight(Some(Box::new(in_flight.clone())))];
    changes.extend(names.map(|name| Change::PutAsked(sample_asked(name, NOW))));
    changes.extend(names.map(|name| Change::PutToolCall(Box::new(sample_tool_call(name, NOW)))));
    store.commit(&changes).unwrap();
    assert_eq!(store.record(record.id).unwrap(), record);
    assert_eq!(store.in_flight().unwrap(), Some(in_flight));
    let state = store.guard_state().unwrap();
    assert_eq!(state.asked, names.map(|name| sample_asked(name, NOW)));
    assert_eq!(state.tool_calls, names.map(|name| sample_tool_call(name, NOW)));
    store.commit(&names.map(|name| Change::DeleteToolCall(name.into()))).unwrap();
    assert_eq!(store.guard_state().unwrap().tool_calls, []);
}

/// Rule.
pub fn changes_apply_in_their_order(open: Open) {
    let (store, _dir) = open_now(open);
    let vector = Change::PutVector(sample_vector(1, VectorRole::Answer, "e", &[1.0]));
    let pinned = LearningRecord { pinned: true, ..sample_record(2) };
    store
        .commit(&[
            put(sample_record(1)),
            vector.clone(),
            Change::DeleteRecord(sample_id(1)),
            put(sample_record(1)),
            vector,
            put(sample_record(2)),
            put(pinned.clone()),
            Change::PutAsked(sample_asked("a", NOW)),
            Change::PutToolCall(Box::new(sample_tool_call("t", NOW))),
            Change::DeleteToolCall("t".into()),
            Change::PutInFlight(Some(Box::new(sample_in_flight("x")))),
            Change::PutInFlight(None),
        ])
        .unwrap();
    assert_eq!(store.records(&page(None, 0)).unwrap(), [pinned]);
    assert_eq!(store.vectors("e").unwrap(), []);
    assert_eq!(store.in_flight().unwrap(), None);
    assert_eq!(store.guard_state().unwrap().tool_calls, []);
}

/// Rule.
pub fn commits_from_many_threads_all_count(open: Open) {
    const THREADS: u64 = 8;
    const EACH: u64 = 12;
    let (store, _dir) = open_now(open);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let store = store.clone();
            scope.spawn(move || {
                for n in 0..EACH {
                    let n = thread * EACH + n;
                    let vector = sample_vector(n, VectorRole::Question, "e", &[1.0, 2.0]);
                    let asked = sample_asked(&n.to_string(), NOW);
                    store
                        .commit(&[
                            put(sample_record(n)),
                            Change::PutVector(vector),
                            Change::PutAsked(asked),
                            Change::AppendLog(sample_log(NOW)),
                        ])
                        .unwrap();
                    assert_eq!(store.record(sample_id(n)).unwrap(), sample_record(n));
                    store.guard_state().unwrap();
                }
            });
        }
    });
    let all = usize::try_from(THREADS * EACH).unwrap();
    assert_eq!(store.record_count().unwrap(), all);
    assert_eq!(store.records(&page(None, 0)).unwrap().len(), all);
    assert_eq!(store.vectors("e").unwrap().len(), all);
    assert_eq!(store.guard_state().unwrap().asked.len(), all);
    assert_eq!(store.log(usize::MAX).unwrap().len(), all);
}
