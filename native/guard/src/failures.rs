//! Layer 3: what failed before, and whether it may be tried again.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use ouro_core::{
    AvoidStrategy, Error, ErrorClass, FailureRecord, FailureStatus, FreshnessStamp, OperationKind,
    ProjectKey, RecordId, Result,
};
use serde_json::Value;

use crate::{
    GuardConfig, SkipReason,
    operation::{Operation, operation_key},
    signature::Signature,
};

/// Failures older than this are forgotten, milliseconds: 90 days.
const MAX_AGE_MS: i64 = 90 * 86_400_000;

/// The oldest failures beyond this many are forgotten.
const MAX_RECORDS: usize = 10_000;

/// Characters kept of an error and of each part of a strategy: they end up in prompts.
const MAX_TEXT_CHARS: usize = 1_000;

/// A permission to try again what failed before.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Retry {
    pub(crate) advice: Option<AvoidStrategy>,
}

/// The layer: every failure of the project, by signature, by operation, and by age.
#[derive(Debug)]
pub(crate) struct Failures {
    max_attempts: u32,
    records: HashMap<Signature, Arc<FailureRecord>>,
    by_operation: HashMap<Signature, BTreeSet<Signature>>,
    by_age: BTreeSet<(i64, Signature)>,
}

impl Failures {
    pub(crate) fn load(config: &GuardConfig, records: Vec<FailureRecord>) -> Self {
        let mut layer = Self {
            max_attempts: config.max_attempts,
            records: HashMap::new(),
            by_operation: HashMap::new(),
            by_age: BTreeSet::new(),
        };
        records.into_iter().for_each(|record| layer.put(Arc::new(record)));
        layer
    }

    /// Adds or replaces the record of its signature.
    pub(crate) fn put(&mut self, record: Arc<FailureRecord>) {
        let Some(signature) = Signature::from_hex(&record.signature) else { return };
        self.remove(signature);
        let key = operation_key(record.operation_kind, &record.operation);
        self.by_operation.entry(key).or_default().insert(signature);
        self.by_age.insert((record.last_at, signature));
        self.records.insert(signature, record);
    }

    pub(crate) fn remove(&mut self, signature: Signature) -> Option<Arc<FailureRecord>> {
        let record = self.records.remove(&signature)?;
        self.by_age.remove(&(record.last_at, signature));
        let key = operation_key(record.operation_kind, &record.operation);
        if let Some(signatures) = self.by_operation.get_mut(&key) {
            signatures.remove(&signature);
            if signatures.is_empty() {
                self.by_operation.remove(&key);
            }
        }
        Some(record)
    }

    pub(crate) fn get(&self, signature: Signature) -> Option<&Arc<FailureRecord>> {
        self.records.get(&signature)
    }

    /// Every record, the latest failure first.
    pub(crate) fn newest_first(&self) -> Vec<Arc<FailureRecord>> {
        self.by_age.iter().rev().filter_map(|(_, s)| self.get(*s).cloned()).collect()
    }

    /// The record with this signature (hex) or id.
    pub(crate) fn find(&self, signature_or_id: &str) -> Option<&Arc<FailureRecord>> {
        if let Some(signature) = Signature::from_hex(signature_or_id) {
            return self.get(signature);
        }
        let id: RecordId = signature_or_id.parse().ok()?;
        self.records.values().find(|record| record.id == id)
    }

    /// Whether a question may be explored, whatever part of its exploration failed, and in whatever context.
    ///
    /// `Ok(None)` where nothing is known against it. `pause` is what is left of the backoff.
    pub(crate) fn check_question(
        &self,
        question: &str,
        now: i64,
        pause: Duration,
    ) -> Result<Option<Retry>, SkipReason> {
        let known = self.by_operation.get(&operation_key(OperationKind::Exploration, question));
        let mut retry: Option<(i64, Retry)> = None;
        for record in known.into_iter().flatten().filter_map(|s| self.get(*s)) {
            let Some(found) = self.judge(record, now, pause)? else { continue };
            // The advice of the latest failure that has one.
            let rank = if found.advice.is_some() { record.last_at } else { i64::MIN };
            if retry.as_ref().is_none_or(|(best, _)| rank > *best) {
                retry = Some((rank, found));
            }
        }
        Ok(retry.map(|(_, retry)| retry))
    }

    /// The strategy of the latest failure of an operation that has one and was not resolved.
    pub(crate) fn advice(
        &self,
        kind: OperationKind,
        operation: &str,
        now: i64,
    ) -> Option<&AvoidStrategy> {
        let known = self.by_operation.get(&operation_key(kind, operation));
        known
            .into_iter()
            .flatten()
            .filter_map(|signature| self.get(*signature))
            .filter(|r| r.status != FailureStatus::Resolved && !is_expired(r.last_at, now))
            .filter_map(|record| Some((record.last_at, record.strategy.as_ref()?)))
            .max_by_key(|(last_at, _)| *last_at)
            .map(|(_, strategy)| strategy)
    }

    /// Whether the tool call of this signature may be made. A failure says nothing about a call that would now read
    /// something else.
    pub(crate) fn check_tool_call(
        &self,
        signature: Signature,
        stamp: Option<&FreshnessStamp>,
        now: i64,
        pause: Duration,
    ) -> Result<Option<Retry>, SkipReason> {
        let Some(record) = self.get(signature) else { return Ok(None) };
        let then = record.context.get("stamp").and_then(Value::as_str);
        if then != stamp.map(|s| s.0.as_str()) {
            return Ok(None);
        }
        self.judge(record, now, pause)
    }

    fn judge(
        &self,
        record: &Arc<FailureRecord>,
        now: i64,
        pause: Duration,
    ) -> Result<Option<Retry>, SkipReason> {
        if record.status == FailureStatus::Resolved || is_expired(record.last_at, now) {
            return Ok(None);
        }
        let transient = record.error_class == ErrorClass::Transient;
        if record.attempts >= self.allowed_attempts(record.error_class) {
            Err(SkipReason::FailedBefore { record: record.clone() })
        } else if transient && !pause.is_zero() {
            Err(SkipReason::InBackoff { remaining: pause })
        } else {
            Ok(Some(Retry { advice: record.strategy.clone() }))
        }
    }

    fn allowed_attempts(&self, class: ErrorClass) -> u32 {
        match class {
            ErrorClass::Transient => u32::MAX,
            ErrorClass::Permanent => 1,
            ErrorClass::Unknown => self.max_attempts,
        }
    }

    /// The record after one more failure: a new one (with `id`), or the known one with one more attempt.
    ///
    /// A failure that was resolved in between counts anew. One that happened again although, or until, its attempts were
    /// used up is abandoned.
    pub(crate) fn after_failure(
        &self,
        project: &ProjectKey,
        operation: Operation<'_>,
        error: &Error,
        now: i64,
        id: impl FnOnce() -> RecordId,
    ) -> FailureRecord {
        let signature = operation.signature();
        let error_class = ErrorClass::from(error.kind());
        let known = self.get(signature);
        let unresolved = known.filter(|record| record.status != FailureStatus::Resolved);
        let attempts = unresolved.map_or(0, |record| record.attempts).saturating_add(1);
        let strategy = known.and_then(|record| record.strategy.clone());
        let status = if attempts > 1 && attempts >= self.allowed_attempts(error_class) {
            FailureStatus::Abandoned
        } else if strategy.is_some() {
            FailureStatus::Analysed
        } else {
            FailureStatus::Pending
        };
        FailureRecord {
            id: known.map_or_else(id, |record| record.id),
            project_key: project.clone(),
            operation_kind: operation.kind,
            operation: operation.name.to_owned(),
            signature: signature.to_string(),
            error: cut(error.message()),
            error_class,
            context: operation.context.clone(),
            first_at: known.map_or(now, |record| record.first_at),
            last_at: now,
            attempts,
            status,
            strategy,
        }
    }

    /// What retention forgets when the record of `added` is put: what is too old, and the oldest beyond the limit.
    pub(crate) fn outdated(&self, added: Signature, now: i64) -> Vec<Signature> {
        let new = usize::from(!self.records.contains_key(&added));
        let excess = (self.records.len() + new).saturating_sub(MAX_RECORDS);
        let others = self.by_age.iter().filter(|(_, signature)| *signature != added);
        others
            .enumerate()
            .take_while(|(i, (last_at, _))| *i < excess || is_expired(*last_at, now))
            .map(|(_, (_, signature))| *signature)
            .collect()
    }

    /// The records that a success of this operation resolves: a whole exploration also those of its parts.
    pub(crate) fn resolved_by(&self, operation: Operation<'_>) -> Vec<FailureRecord> {
        let signatures: Vec<Signature> = if operation.kind == OperationKind::ToolCall {
            vec![operation.signature()]
        } else {
            let key = operation_key(operation.kind, operation.name);
            self.by_operation.get(&key).into_iter().flatten().copied().collect()
        };
        let whole = operation.kind == OperationKind::Exploration;
        let records = signatures.into_iter().filter_map(|signature| self.get(signature));
        records
            .filter(|record| whole || record.operation_kind == operation.kind)
            .filter(|record| record.status != FailureStatus::Resolved)
            .map(|record| FailureRecord {
                status: FailureStatus::Resolved,
                ..record.as_ref().clone()
            })
            .collect()
    }

    /// The record with a strategy; `None` when there is no such record.
    ///
    /// # Errors
    /// `InvalidInput` for a strategy that doesn't say what to do: the record stays as it is.
    pub(crate) fn with_strategy(
        &self,
        signature_or_id: &str,
        strategy: &AvoidStrategy,
    ) -> Result<Option<FailureRecord>> {
        let Some(record) = self.find(signature_or_id) else { return Ok(None) };
        let strategy = AvoidStrategy {
            cause: cut(&strategy.cause),
            avoid_strategy: cut(&strategy.avoid_strategy),
            retry_suggestion: cut(&strategy.retry_suggestion),
        };
        if strategy.cause.is_empty() || strategy.avoid_strategy.is_empty() {
            return Err(Error::invalid(
                "an avoid strategy must name a cause and what to do instead",
            ));
        }
        let status = match record.status {
            FailureStatus::Pending => FailureStatus::Analysed,
            other => other,
        };
        let record = record.as_ref().clone();
        Ok(Some(FailureRecord { strategy: Some(strategy), status, ..record }))
    }
}

fn is_expired(last_at: i64, now: i64) -> bool {
    last_at < now.saturating_sub(MAX_AGE_MS)
}

/// The text on one line, without control characters, cut at the limit.
fn cut(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    let line = words.into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_TEXT_CHARS) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use ouro_core::{ErrorKind, SeededRandom};
    use ouro_testkit::ManualClock;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::operation::tool_context;

    const DAY: i64 = 86_400_000;

    struct Fixture(Failures, SeededRandom);

    impl Fixture {
        fn new() -> Self {
            Self(Failures::load(&GuardConfig::default(), Vec::new()), SeededRandom::new(1))
        }

        fn fail(
            &mut self,
            kind: OperationKind,
            name: &str,
            context: Value,
            error: ErrorKind,
            now: i64,
        ) -> FailureRecord {
            let operation = Operation { kind, name, context: &context };
            let error = Error::new(error, "it broke");
            let project = "demo".parse().unwrap();
            let id = || RecordId::new(&ManualClock::new(now), &self.1);
            let record = self.0.after_failure(&project, operation, &error, now, id);
            for old in self.0.outdated(operation.signature(), now) {
                self.0.remove(old);
            }
            self.0.put(Arc::new(record.clone()));
            record
        }

        fn ask(&self, question: &str, now: i64) -> Result<Option<Retry>, SkipReason> {
            self.0.check_question(question, now, Duration::ZERO)
        }
    }

    #[test]
    fn the_class_of_the_error_decides_how_often_it_is_tried() {
        for (kind, tries) in [
            (ErrorKind::Timeout, 20),
            (ErrorKind::Unavailable, 20),
            (ErrorKind::RateLimited, 20),
            (ErrorKind::BadReply, 1),
            (ErrorKind::NotFound, 1),
            (ErrorKind::InvalidInput, 1),
            (ErrorKind::Internal, 3),
            (ErrorKind::Storage, 3),
        ] {
            let mut f = Fixture::new();
            let mut tried = 0;
            while tried < 20 && f.ask("q", 0).is_ok() {
                f.fail(OperationKind::Exploration, "q", json!({}), kind, 0);
                tried += 1;
            }
            assert_eq!(tried, tries, "{kind:?}");
            assert_eq!(f.0.records.len(), 1);
        }
    }

    #[test]
    fn a_transient_failure_waits_for_the_backoff() {
        let mut f = Fixture::new();
        f.fail(OperationKind::ToolCall, "grep", json!({}), ErrorKind::Timeout, 0);
        let pause = Duration::from_secs(3);
        let call = Signature::of_tool_call("grep", &json!({}));
        let verdict = f.0.check_tool_call(call, None, 0, pause).unwrap_err();
        assert_eq!(verdict, SkipReason::InBackoff { remaining: pause });
        let retry = f.0.check_tool_call(call, None, 0, Duration::ZERO).unwrap();
        assert_eq!(retry, Some(Retry::default()));
    }

    #[test]
    fn the_same_failure_raises_attempts_and_adds_no_record() {
        let mut f = Fixture::new();
        let first =
            f.fail(OperationKind::Summarize, "q", json!({ "at": 1 }), ErrorKind::Timeout, 10);
        let second =
            f.fail(OperationKind::Summarize, "q", json!({ "at": 2 }), ErrorKind::Timeout, 20);
        assert_eq!(
            (second.id, second.attempts, second.first_at, second.last_at),
            (first.id, 2, 10, 20)
        );
        f.fail(OperationKind::Summarize, "q", json!({ "model": "other" }), ErrorKind::Timeout, 20);
        f.fail(OperationKind::Embed, "q", json!({}), ErrorKind::Timeout, 20);
        assert_eq!(f.0.records.len(), 3);
    }

    #[test]
    fn another_spelling_of_a_failed_question_is_the_same_operation() {
        let mut f = Fixture::new();
        f.fail(
            OperationKind::Exploration,
            "What is it?",
            json!({ "step": "x" }),
            ErrorKind::BadReply,
            0,
        );
        assert!(f.ask("what  IS it", 0).is_err());
        assert_eq!(f.ask("what is that", 0), Ok(None));
    }

    #[test]
    fn whatever_part_of_an_exploration_failed_speaks_for_its_question() {
        for (error, may) in [(ErrorKind::Timeout, true), (ErrorKind::BadReply, false)] {
            let mut f = Fixture::new();
            f.fail(OperationKind::Summarize, "What is it?", json!({ "model": "m" }), error, 0);
            f.fail(OperationKind::GenerateQuestions, "what was it", json!({}), error, 0);
            assert_eq!(f.ask("what is it", 0).is_ok(), may);
            assert_eq!(f.ask("what was it", 0), Ok(None));
            let resolves = |kind| {
                let operation = Operation { kind, name: "what is it", context: &Value::Null };
                f.0.resolved_by(operation).len()
            };
            assert_eq!(resolves(OperationKind::Exploration), 1);
            assert_eq!(resolves(OperationKind::Summarize), 1);
            assert_eq!(resolves(OperationKind::Embed), 0);
        }
    }

    #[test]
    fn other_arguments_or_another_state_of_the_file_are_another_tool_call() {
        let mut f = Fixture::new();
        let arguments = json!({ "path": "a", "start_line": 900 });
        let stamp = FreshnessStamp("a 10 7".into());
        let context = tool_context(&arguments, Some(&stamp));
        f.fail(OperationKind::ToolCall, "read_file", context, ErrorKind::InvalidInput, 0);
        let check = |arguments: &Value, stamp: Option<&FreshnessStamp>| {
            let call = Signature::of_tool_call("read_file", arguments);
            f.0.check_tool_call(call, stamp, 0, Duration::ZERO).is_ok()
        };
        assert!(!check(&arguments, Some(&stamp)));
        assert!(!check(&json!({ "start_line": 900.0, "path": "a" }), Some(&stamp)));
        assert!(check(&json!({ "path": "a", "start_line": 1 }), Some(&stamp)));
        assert!(check(&arguments, Some(&FreshnessStamp("a 11 8".into()))));
        assert!(check(&arguments, None));
    }

    #[test]
    fn a_strategy_is_handed_to_the_next_attempt_until_a_success_resolves_it() {
        let mut f = Fixture::new();
        let record = f.fail(OperationKind::Exploration, "q", json!({}), ErrorKind::Timeout, 0);
        let strategy = AvoidStrategy {
            cause: "too much\n at once".into(),
            avoid_strategy: "read one file".into(),
            retry_suggestion: String::new(),
        };
        let analysed = f.0.with_strategy(&record.id.to_string(), &strategy).unwrap().unwrap();
        assert_eq!(analysed.status, FailureStatus::Analysed);
        f.0.put(Arc::new(analysed));
        let advice = f.ask("q", 0).unwrap().unwrap().advice.unwrap();
        assert_eq!(
            (advice.cause.as_str(), advice.avoid_strategy.as_str()),
            ("too much at once", "read one file")
        );

        let operation =
            Operation { kind: OperationKind::Exploration, name: "q", context: &Value::Null };
        let [resolved] = f.0.resolved_by(operation).try_into().unwrap();
        f.0.put(Arc::new(resolved));
        assert_eq!(f.ask("q", 0), Ok(None));
        assert!(f.0.resolved_by(operation).is_empty());
        let again = f.fail(OperationKind::Exploration, "q", json!({}), ErrorKind::Timeout, 5);
        assert_eq!((again.attempts, again.status), (1, FailureStatus::Analysed));
    }

    #[test]
    fn rubbish_for_a_strategy_leaves_the_record_pending() {
        let mut f = Fixture::new();
        let record = f.fail(OperationKind::Exploration, "q", json!({}), ErrorKind::Timeout, 0);
        for rubbish in [" \n\u{0} ", ""] {
            let strategy = AvoidStrategy {
                cause: rubbish.into(),
                avoid_strategy: "x".into(),
                ..Default::default()
            };
            let error = f.0.with_strategy(&record.signature, &strategy).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
        }
        let endless = AvoidStrategy {
            cause: "é".repeat(90_000),
            avoid_strategy: "x".into(),
            ..Default::default()
        };
        let kept =
            f.0.with_strategy(&record.signature, &endless).unwrap().unwrap().strategy.unwrap();
        assert_eq!(kept.cause.chars().count(), MAX_TEXT_CHARS + 1);
        assert_eq!(f.0.with_strategy("no such record", &endless).unwrap(), None);
        assert_eq!(f.0.newest_first()[0].status, FailureStatus::Pending);
    }

    #[test]
    fn what_fails_again_without_attempts_left_is_abandoned() {
        let mut f = Fixture::new();
        let mut fail = |error| f.fail(OperationKind::Exploration, "q", json!({}), error, 0).status;
        assert_eq!(fail(ErrorKind::Internal), FailureStatus::Pending);
        assert_eq!(fail(ErrorKind::Internal), FailureStatus::Pending);
        assert_eq!(fail(ErrorKind::Internal), FailureStatus::Abandoned);
        assert_eq!(fail(ErrorKind::Timeout), FailureStatus::Pending);
        assert_eq!(fail(ErrorKind::NotFound), FailureStatus::Abandoned);
    }

    #[test]
    fn failures_are_forgotten_after_90_days() {
        let mut f = Fixture::new();
        f.fail(OperationKind::Exploration, "old", json!({}), ErrorKind::BadReply, 0);
        f.fail(OperationKind::Exploration, "young", json!({}), ErrorKind::BadReply, DAY);
        assert!(f.ask("old", 90 * DAY).is_err());
        assert_eq!(f.ask("old", 90 * DAY + 1), Ok(None));
        f.fail(OperationKind::Exploration, "new", json!({}), ErrorKind::BadReply, 90 * DAY + 1);
        let left: Vec<String> = f.0.newest_first().iter().map(|r| r.operation.clone()).collect();
        assert_eq!(left, ["new", "young"]);
    }

    #[test]
    fn beyond_ten_thousand_the_oldest_go() {
        let mut f = Fixture::new();
        for i in 0..MAX_RECORDS + 2 {
            let now = i64::try_from(i).unwrap();
            f.fail(
                OperationKind::Exploration,
                &format!("q{i}"),
                json!({}),
                ErrorKind::BadReply,
                now,
            );
            // The first one keeps failing and so stays young.
            f.fail(OperationKind::Exploration, "q0", json!({}), ErrorKind::BadReply, now);
        }
        assert_eq!((f.0.records.len(), f.0.by_age.len()), (MAX_RECORDS, MAX_RECORDS));
        assert!(f.ask("q0", 0).is_err() && f.ask("q3", 0).is_err());
        assert!(f.ask("q1", 0).is_ok() && f.ask("q2", 0).is_ok());
    }

    proptest! {
        #[test]
        fn the_three_indexes_agree(steps in prop::collection::vec((0_u8..6, 0_u8..3, 0_i64..50, any::<bool>()), 1..60)) {
            let mut f = Fixture::new();
            for (name, context, day, remove) in steps {
                let (name, context) = (format!("q{name}"), json!({ "c": context }));
                if remove {
                    let operation = Operation { kind: OperationKind::Exploration, name: &name, context: &context };
                    f.0.remove(operation.signature());
                } else {
                    f.fail(OperationKind::Exploration, &name, context, ErrorKind::Internal, day * 4 * DAY);
                }
                let mut by_age: Vec<_> = f.0.by_age.iter().map(|(at, s)| (*s, *at)).collect();
                let mut records: Vec<_> = f.0.records.iter().map(|(s, r)| (*s, r.last_at)).collect();
                let mut by_operation: Vec<_> = f.0.by_operation.values().flatten().copied().collect();
                by_age.sort_unstable();
                records.sort_unstable();
                by_operation.sort_unstable();
                prop_assert_eq!(&by_age, &records);
                prop_assert_eq!(by_operation, records.iter().map(|(s, _)| *s).collect::<Vec<_>>());
            }
        }
    }
}
