//! Layer 1 and the order of the layers.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use ouro_core::{
    AvoidStrategy, Change, Clock, ErrorKind, OperationKind, QuestionOutcome, QuotaKind,
    RecordStore, SharedEmbedder,
};
use ouro_guard::{DoomLoopGuard, MatchedBy, SkipReason, Verdict};
use ouro_llm::LateEmbedder;
use serde_json::json;

use crate::fixture::{Fixture, Mood, WordCounter, error, question};

const STORE: &str = "how does the store write records to the disk";
/// One word of nine is another: cosine 10/11, for `the` counts twice.
const STORE_AGAIN: &str = "how does the store write records to the medium";
const PARSER: &str = "which grammar parses kotlin";

fn reason(verdict: Verdict) -> SkipReason {
    match verdict {
        Verdict::Skip { reason } => reason,
        Verdict::Proceed { .. } => panic!("it was let through"),
    }
}

async fn refused_by(guard: &DoomLoopGuard, text: &str) -> MatchedBy {
    match reason(guard.check_question(text).await) {
        SkipReason::Duplicate { by, .. } => by,
        other => panic!("refused for another reason: {other}"),
    }
}

fn put_aside(guard: &DoomLoopGuard) -> Vec<String> {
    guard.put_aside_questions().into_iter().map(|asked| asked.question.clone()).collect()
}

#[tokio::test]
async fn a_similar_question_is_refused_and_the_nearest_five_say_why() {
    let f = Fixture::new();
    let guard = f.open();
    let id = f.learn(&guard, STORE).await;
    for n in 1..=6 {
        f.learn(&guard, &format!("how is part{n} of module{n} tested by suite{n}")).await;
    }
    assert_eq!(
        guard.check_question(PARSER).await,
        Verdict::Proceed { advice: None, fallback: None }
    );
    let SkipReason::Duplicate { of, similarity, nearest, by } =
        reason(guard.check_question(STORE_AGAIN).await)
    else {
        panic!("not a duplicate")
    };
    assert_eq!((of.as_str(), by), (STORE, MatchedBy::Embedder("chosen-128".into())));
    assert!((similarity - 10.0 / 11.0).abs() < 1e-6);
    assert_eq!((nearest.len(), nearest[0].record), (5, Some(id)));
    assert!(nearest.windows(2).all(|pair| pair[0].similarity >= pair[1].similarity));
}

#[tokio::test]
async fn the_same_text_is_refused_without_any_embedder() {
    let f = Fixture::new();
    let guard = f.open();
    f.learn(&guard, STORE).await;
    f.chosen.set(Mood::Down);
    f.builtin.set(Mood::Down);
    let shouted = format!("  {} ？", STORE.to_uppercase());
    assert_eq!(refused_by(&guard, &shouted).await, MatchedBy::Text);
}

#[tokio::test]
async fn a_similarity_equal_to_the_threshold_is_a_duplicate_and_one_below_it_is_not() {
    for (threshold, duplicate) in [(Some(0.75), true), (Some(0.751), false), (None, false)] {
        // Three of four words: cosine 0.75; the embedder's own threshold is 0.8.
        let f = Fixture::with(|config| config.similarity_threshold = threshold);
        let guard = f.open();
        f.learn(&guard, "a b c d").await;
        assert_eq!(guard.check_question("a b c e").await.should_skip(), duplicate, "{threshold:?}");
    }
}

#[tokio::test]
async fn backoff_quota_failures_and_duplicates_are_asked_in_this_order() {
    let f = Fixture::with(|config| config.max_daily_questions = 2);
    let guard = f.open();
    f.learn(&guard, STORE).await;
    let exploration = OperationKind::Exploration;
    guard
        .record_failure(exploration, STORE, &error(ErrorKind::BadReply), &json!({}))
        .await
        .unwrap();
    let unit = guard.try_consume(QuotaKind::Questions).await.unwrap();
    assert!(matches!(reason(guard.check_question(STORE).await), SkipReason::InBackoff { .. }));
    f.clock.advance(Duration::from_secs(2));
    assert!(matches!(
        reason(guard.check_question(STORE).await),
        SkipReason::QuotaExhausted { which: QuotaKind::Questions, .. }
    ));
    guard.release(unit).await.unwrap();
    assert!(matches!(
        reason(guard.check_question(STORE).await),
        SkipReason::FailedBefore { record } if record.operation == STORE
    ));
    let record = guard.failures()[0].id.to_string();
    assert!(guard.forget(&record).await.unwrap());
    assert_eq!(refused_by(&guard, STORE).await, MatchedBy::Text);
    assert_eq!(refused_by(&guard, STORE_AGAIN).await, MatchedBy::Embedder("chosen-128".into()));
}

#[tokio::test]
async fn a_refusal_consumes_and_writes_nothing() {
    let f = Fixture::new();
    let guard = f.open();
    f.learn(&guard, STORE).await;
    let (quota, commits) = (guard.remaining(), f.store.commits());
    let also = || vec![Change::PutInFlight(None)];
    assert!(guard.admit_question(&question(STORE_AGAIN), also()).await.is_err());
    assert!(guard.check_question(STORE_AGAIN).await.should_skip());
    assert!(guard.check_question("?!").await.should_skip());
    assert!(guard.admit_question(&question(" "), also()).await.is_err());
    assert_eq!((guard.remaining(), f.store.commits()), (quota, commits));
}

#[tokio::test]
async fn the_callers_changes_are_written_with_the_admission() {
    let f = Fixture::new();
    let guard = f.open();
    let before = f.store.commits();
    let counters = ouro_core::Counters { total_questions: 1, ..Default::default() };
    let also = vec![Change::PutCounters(counters.clone())];
    guard.admit_question(&question(STORE), also).await.unwrap();
    assert_eq!(f.store.commits(), before + 1);
    assert_eq!(f.store.counters().unwrap(), counters);
    let state = f.store.guard_state().unwrap();
    assert_eq!((state.quota.questions, state.asked[0].outcome), (1, QuestionOutcome::Started));
}

#[tokio::test]
async fn without_explorations_left_no_question_is_worth_asking() {
    let f = Fixture::with(|config| config.max_daily_explorations = 0);
    let verdict = f.open().check_question(STORE).await;
    assert!(matches!(
        reason(verdict),
        SkipReason::QuotaExhausted { which: QuotaKind::Explorations, .. }
    ));
}

#[tokio::test]
async fn when_the_chosen_embedder_is_down_the_builtin_one_decides_by_its_own_threshold() {
    for mood in [Mood::Down, Mood::NotANumber, Mood::Zero, Mood::Shorter, Mood::OneTooFew] {
        let f = Fixture::with(|config| config.similarity_threshold = Some(1.0));
        let guard = f.open();
        f.learn(&guard, STORE).await;
        assert!(!guard.check_question(STORE_AGAIN).await.should_skip());
        f.chosen.set(mood);
        let guard = f.open();
        let MatchedBy::Fallback { embedder, cause } = refused_by(&guard, STORE_AGAIN).await else {
            panic!("{mood:?}: the builtin embedder didn't decide")
        };
        assert_eq!(embedder, "builtin-128");
        assert!(cause.contains("chosen-128"), "{cause}");
        let Verdict::Proceed { fallback: Some(cause), .. } = guard.check_question(PARSER).await
        else {
            panic!("{mood:?}: the verdict doesn't say who decided")
        };
        assert!(cause.contains("chosen-128"), "{cause}");
    }
}

#[tokio::test]
async fn an_embedder_that_hangs_is_given_up_after_its_time() {
    let f = Fixture::new();
    let guard = f.open();
    f.chosen.set(Mood::Hanging);
    let check = tokio::spawn(async move { guard.check_question(STORE).await });
    while f.clock.next_wake().is_none() {
        tokio::task::yield_now().await;
    }
    f.clock.advance(Duration::from_secs(30));
    let Verdict::Proceed { fallback: Some(cause), .. } = check.await.unwrap() else {
        panic!("the builtin embedder didn't decide")
    };
    assert_eq!(cause, "embedder chosen-128 took longer than 30 s");
}

#[tokio::test]
async fn without_any_embedder_nothing_new_is_let_through() {
    let f = Fixture::new();
    let guard = f.open();
    f.chosen.set(Mood::Down);
    f.builtin.set(Mood::Zero);
    let SkipReason::GuardUnavailable { cause } = reason(guard.check_question(STORE).await) else {
        panic!("refused for another reason")
    };
    assert!(cause.contains("builtin-128"), "{cause}");
    assert!(guard.admit_question(&question(STORE), Vec::new()).await.is_err());
    let filtered = guard.filter_duplicates(vec![question(STORE), question(PARSER)]).await;
    assert!(filtered.iter().all(|(_, reason)| reason.is_some()));
    assert_eq!(guard.remaining().questions_remaining, 50);
}

#[tokio::test]
async fn a_batch_is_embedded_in_one_call_and_repeats_in_it_are_dropped() {
    let f = Fixture::new();
    let guard = f.open();
    f.learn(&guard, "who calls the renderer of the board").await;
    f.chosen.calls();
    f.builtin.calls();
    let texts = [
        STORE,
        "who calls the renderer of the boards",
        STORE_AGAIN,
        PARSER,
        "Which grammar parses Kotlin?",
        "",
    ];
    let filtered = guard.filter_duplicates(texts.map(question).to_vec()).await;
    let kept: Vec<bool> = filtered.iter().map(|(_, reason)| reason.is_none()).collect();
    assert_eq!(kept, [true, false, false, true, false, false]);
    assert!(matches!(&filtered[2].1, Some(SkipReason::Duplicate { of, .. }) if of == STORE));
    assert!(matches!(
        &filtered[4].1,
        Some(SkipReason::Duplicate { similarity: 1.0, by: MatchedBy::Text, .. })
    ));
    assert_eq!((f.chosen.calls(), f.builtin.calls()), (vec![5], vec![5]));
    guard.admit_question(&filtered[0].0, Vec::new()).await.unwrap();
    let prepared = guard.prepare_learned(STORE, f.new_record(STORE).id).await;
    assert_eq!(prepared.changes().len(), 3);
    assert!(f.chosen.calls().is_empty() && f.builtin.calls().is_empty());
}

#[tokio::test]
async fn a_question_that_is_explored_now_counts_before_it_has_a_record() {
    let f = Fixture::new();
    let guard = f.open();
    guard.admit_question(&question(STORE), Vec::new()).await.unwrap();
    assert_eq!(refused_by(&guard, STORE).await, MatchedBy::Text);
    assert!(guard.check_question(STORE_AGAIN).await.should_skip());
    f.write(&guard, guard.prepare_put_aside(STORE, QuestionOutcome::Failed));
    assert_eq!(refused_by(&guard, STORE).await, MatchedBy::Text);
    assert!(!guard.check_question(STORE_AGAIN).await.should_skip());
    assert_eq!(put_aside(&guard), [STORE]);
}

#[tokio::test]
async fn another_embedder_gets_its_own_vectors_and_meanwhile_the_builtin_one_decides() {
    let f = Fixture::new();
    let guard = f.open();
    for text in [STORE, PARSER, "who draws the board"] {
        f.learn(&guard, text).await;
    }
    let other = WordCounter::new("other-128", 0.8);
    let guard = f.open_with(other.clone());
    assert_eq!(guard.missing_vectors(), 3);
    let MatchedBy::Fallback { embedder, cause } = refused_by(&guard, STORE_AGAIN).await else {
        panic!("vectors of two embedders were compared")
    };
    assert_eq!(embedder, "builtin-128");
    assert_eq!(cause, "3 earlier questions have no vector of other-128 yet");
    assert_eq!((guard.reembed(2).await.unwrap(), guard.missing_vectors()), (2, 1));
    // Half done, then a restart.
    let guard = f.open_with(other.clone());
    assert_eq!(guard.missing_vectors(), 1);
    assert_eq!((guard.reembed(2).await.unwrap(), guard.reembed(2).await.unwrap()), (1, 0));
    assert_eq!(refused_by(&guard, STORE_AGAIN).await, MatchedBy::Embedder("other-128".into()));
    assert_eq!(f.store.vectors("chosen-128").unwrap().len(), 3);
}

#[tokio::test]
async fn an_embedder_that_cannot_do_one_text_still_gets_the_others() {
    struct Picky(Arc<WordCounter>);
    #[async_trait::async_trait]
    impl ouro_core::Embedder for Picky {
        fn id(&self) -> &str {
            "picky-128"
        }
        fn duplicate_threshold(&self) -> f32 {
            0.8
        }
        async fn embed(&self, texts: &[String]) -> ouro_core::Result<Vec<Vec<f32>>> {
            let mut vectors = self.0.embed(texts).await?;
            for (vector, text) in vectors.iter_mut().zip(texts) {
                if text == PARSER {
                    vector.fill(f32::NAN);
                }
            }
            Ok(vectors)
        }
    }
    let f = Fixture::new();
    let guard = f.open();
    for text in [STORE, PARSER, "who draws the board"] {
        f.learn(&guard, text).await;
    }
    let guard = f.open_with(Arc::new(Picky(f.chosen.clone())));
    assert_eq!((guard.reembed(10).await.unwrap(), guard.missing_vectors()), (2, 1));
    assert_eq!(guard.reembed(10).await.unwrap_err().kind(), ErrorKind::BadReply);
    assert!(guard.check_question("which grammar parses groovy").await.should_skip());
}

#[tokio::test]
async fn one_embedder_for_both_parts_embeds_once() {
    let f = Fixture::with(|config| config.similarity_threshold = Some(0.95));
    let guard = f.open_with(f.builtin.clone());
    f.learn(&guard, STORE).await;
    assert_eq!(f.builtin.calls(), [1]);
    assert!(!guard.check_question(STORE_AGAIN).await.should_skip(), "the user's threshold holds");
    assert_eq!(
        guard.check_question(PARSER).await,
        Verdict::Proceed { advice: None, fallback: None }
    );
    assert_eq!(f.store.vectors("builtin-128").unwrap().len(), 1);
}

#[tokio::test]
async fn a_record_saved_while_the_embedder_was_down_is_made_up_for() {
    let f = Fixture::new();
    let guard = f.open();
    f.chosen.set(Mood::Down);
    f.learn(&guard, STORE).await;
    assert_eq!(guard.missing_vectors(), 1);
    f.chosen.set(Mood::Well);
    let MatchedBy::Fallback { .. } = refused_by(&guard, STORE_AGAIN).await else {
        panic!("nobody could compare it")
    };
    assert_eq!(guard.reembed(10).await.unwrap(), 1);
    assert_eq!(refused_by(&guard, STORE_AGAIN).await, MatchedBy::Embedder("chosen-128".into()));
}

#[tokio::test]
async fn records_without_any_guard_state_are_known_too() {
    let f = Fixture::new();
    // As after a store was rebuilt from its journal: records, and nothing else.
    f.store.commit(&[Change::PutRecord(Box::new(f.new_record(STORE)))]).unwrap();
    let guard = f.open();
    assert_eq!(guard.missing_vectors(), 2);
    assert_eq!(refused_by(&guard, &STORE.to_uppercase()).await, MatchedBy::Text);
    assert!(guard.check_question(STORE_AGAIN).await.should_skip());
    assert_eq!((guard.reembed(10).await.unwrap(), guard.missing_vectors()), (1, 0));
    assert_eq!(refused_by(&f.open(), STORE_AGAIN).await, MatchedBy::Embedder("chosen-128".into()));
}

#[tokio::test]
async fn a_stale_answer_is_asked_again_and_stays_when_that_fails() {
    let f = Fixture::new();
    let guard = f.open();
    let old = f.learn(&guard, STORE).await;
    guard.admit_again(&question(STORE), Vec::new()).await.unwrap();
    assert_eq!(guard.remaining().questions_remaining, 48);
    f.write(&guard, guard.prepare_put_aside(STORE, QuestionOutcome::Failed));
    for guard in [guard.clone(), f.open()] {
        assert!(guard.put_aside_questions().is_empty());
        assert!(guard.check_question(STORE_AGAIN).await.should_skip());
    }
    guard.admit_again(&question(STORE), Vec::new()).await.unwrap();
    f.clock.advance(Duration::from_millis(5));
    let new = f.record(&guard, STORE).await;
    for guard in [guard.clone(), f.open()] {
        let SkipReason::Duplicate { nearest, .. } = reason(guard.check_question(STORE).await)
        else {
            panic!("not a duplicate")
        };
        assert_eq!(nearest[0].record, Some(new));
        assert_ne!(old, new);
        assert_eq!(guard.missing_vectors(), 0);
    }
}

#[tokio::test]
async fn the_question_of_a_deleted_record_is_known_by_its_text_only() {
    let f = Fixture::new();
    let guard = f.open();
    let id = f.learn(&guard, STORE).await;
    f.write(&guard, guard.prepare_delete(id));
    for guard in [guard.clone(), f.open()] {
        assert_eq!(refused_by(&guard, STORE).await, MatchedBy::Text);
        assert!(!guard.check_question(STORE_AGAIN).await.should_skip());
        assert_eq!(put_aside(&guard), [STORE]);
    }
    // Deleted behind the guard's back: the next start finds out.
    let id = f.learn(&guard, PARSER).await;
    f.store.commit(&[Change::DeleteRecord(id)]).unwrap();
    assert!(!f.open().check_question("which grammar parses groovy").await.should_skip());
}

#[tokio::test]
async fn a_question_that_failed_for_a_passing_reason_is_tried_again_with_advice() {
    let f = Fixture::new();
    let guard = f.open();
    let exploration = OperationKind::Exploration;
    guard.admit_question(&question(STORE), Vec::new()).await.unwrap();
    let timeout = error(ErrorKind::Timeout);
    let context = json!({ "step": 3, "at": f.clock.now_ms() });
    let record =
        guard.record_failure(exploration, STORE, &timeout, &context).await.unwrap().unwrap();
    f.write(&guard, guard.prepare_put_aside(STORE, QuestionOutcome::Failed));
    let strategy = AvoidStrategy {
        cause: "too many files".into(),
        avoid_strategy: "read one file".into(),
        retry_suggestion: "once".into(),
    };
    assert!(guard.set_strategy(&record.signature, strategy.clone()).await.unwrap());
    assert!(matches!(reason(guard.check_question(STORE).await), SkipReason::InBackoff { .. }));
    f.clock.advance(Duration::from_secs(2));
    let guard = f.open();
    let admission = guard.admit_question(&question(STORE), Vec::new()).await.unwrap();
    assert_eq!(admission.advice, Some(strategy));
    // While it is explored it is nobody else's, and a success ends the matter.
    assert_eq!(refused_by(&guard, STORE).await, MatchedBy::Text);
    f.record(&guard, STORE).await;
    guard.record_success(exploration, STORE, &json!({})).await.unwrap();
    assert_eq!(guard.backoff().consecutive_errors, 0);
    assert_eq!(refused_by(&guard, STORE).await, MatchedBy::Text);
}

/// The chosen embedder of the fixture, behind a server that is away until it is let in.
async fn late(f: &Fixture, is_up: Arc<AtomicBool>) -> LateEmbedder {
    let chosen = f.chosen.clone();
    let connect = move || {
        let answer = match is_up.load(Ordering::Relaxed) {
            true => Ok(chosen.clone() as SharedEmbedder),
            false => Err(error(ErrorKind::Unavailable)),
        };
        async { answer }
    };
    LateEmbedder::connect("late", f.clock.clone(), connect).await.unwrap()
}

#[tokio::test]
async fn an_embedder_that_comes_up_later_decides_from_then_on_with_all_that_it_knew_before() {
    let f = Fixture::new();
    // It was there the last time.
    f.learn(&f.open(), STORE).await;
    let is_up = Arc::new(AtomicBool::new(false));
    let guard = f.open_with(Arc::new(late(&f, is_up.clone()).await));
    assert!(matches!(refused_by(&guard, STORE_AGAIN).await, MatchedBy::Fallback { .. }));
    f.learn(&guard, PARSER).await;

    is_up.store(true, Ordering::Relaxed);
    f.clock.advance(Duration::from_secs(60));
    let chosen = MatchedBy::Embedder("chosen-128".into());
    assert_eq!(refused_by(&guard, STORE_AGAIN).await, chosen);
    assert_eq!(guard.missing_vectors(), 1, "of what was learnt meanwhile");
    assert_eq!(guard.reembed(10).await.unwrap(), 1);
    assert_eq!(refused_by(&guard, &format!("{PARSER} grammar")).await, chosen);
}
