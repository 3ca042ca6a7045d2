use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use ouro_core::{
    Change, Clock, Embedder, Error, ErrorKind, LearningRecord, Question, Random, RecordId,
    RecordStore, Result, SeededRandom, SharedEmbedder,
};
use ouro_guard::{DoomLoopGuard, GuardConfig, PreparedChange};
use ouro_testkit::{ManualClock, MemoryStore};
use serde_json::json;

/// 2025-06-10T12:00:00Z.
pub(crate) const NOON: i64 = 1_749_556_800_000;

/// What an embedder does when it is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mood {
    Well,
    Down,
    Hanging,
    NotANumber,
    Zero,
    Shorter,
    OneTooFew,
}

/// Counts words into a vector, so that questions that share words are alike.
#[derive(Debug)]
pub(crate) struct WordCounter {
    id: String,
    threshold: f32,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    mood: Mood,
    /// Texts of each call.
    calls: Vec<usize>,
    /// The dimension of each word that was ever seen.
    words: BTreeMap<String, usize>,
}

const DIMENSION: usize = 128;

impl WordCounter {
    pub(crate) fn new(id: &str, threshold: f32) -> Arc<Self> {
        let state = State { mood: Mood::Well, calls: Vec::new(), words: BTreeMap::new() };
        Arc::new(Self { id: id.into(), threshold, state: Mutex::new(state) })
    }

    pub(crate) fn set(&self, mood: Mood) {
        self.state.lock().unwrap().mood = mood;
    }

    /// Texts of each call since the last look.
    pub(crate) fn calls(&self) -> Vec<usize> {
        std::mem::take(&mut self.state.lock().unwrap().calls)
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let words = &mut self.state.lock().unwrap().words;
        let mut vector = vec![0.0; DIMENSION];
        for word in text.split_whitespace() {
            let next = words.len();
            vector[*words.entry(word.to_lowercase()).or_insert(next)] += 1.0;
        }
        vector
    }
}

#[async_trait]
impl Embedder for WordCounter {
    fn id(&self) -> &str {
        &self.id
    }

    fn duplicate_threshold(&self) -> f32 {
        self.threshold
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        let mood = {
            let mut state = self.state.lock().unwrap();
            state.calls.push(texts.len());
            state.mood
        };
        let mut vectors: Vec<Vec<f32>> = texts.iter().map(|text| self.vector(text)).collect();
        match mood {
            Mood::Well => {}
            Mood::Down => {
                return Err(Error::new(ErrorKind::Unavailable, format!("{} is down", self.id)));
            }
            Mood::Hanging => std::future::pending().await,
            Mood::NotANumber => vectors.iter_mut().for_each(|v| v[3] = f32::NAN),
            Mood::Zero => vectors.iter_mut().for_each(|v| v.fill(0.0)),
            Mood::Shorter => vectors.iter_mut().for_each(|v| v.truncate(100)),
            Mood::OneTooFew => drop(vectors.pop()),
        }
        Ok(vectors)
    }
}

/// A project with its store, clock and embedders; opening it twice is a restart.
pub(crate) struct Fixture {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) chosen: Arc<WordCounter>,
    pub(crate) builtin: Arc<WordCounter>,
    pub(crate) config: GuardConfig,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let clock = Arc::new(ManualClock::new(NOON));
        let store = MemoryStore::new("demo".parse().unwrap(), clock.clone());
        Self {
            random: Arc::new(SeededRandom::new(1)),
            store: Arc::new(store),
            chosen: WordCounter::new("chosen-128", 0.8),
            builtin: WordCounter::new("builtin-128", 0.7),
            config: GuardConfig::default(),
            clock,
        }
    }

    pub(crate) fn with(change: impl FnOnce(&mut GuardConfig)) -> Self {
        let mut fixture = Self::new();
        change(&mut fixture.config);
        fixture
    }

    pub(crate) fn open(&self) -> DoomLoopGuard {
        self.open_with(self.chosen.clone())
    }

    pub(crate) fn open_with(&self, chosen: SharedEmbedder) -> DoomLoopGuard {
        DoomLoopGuard::open(
            self.store.clone(),
            &self.config,
            chosen,
            self.builtin.clone(),
            self.clock.clone(),
            self.random.clone(),
        )
        .unwrap()
    }

    /// Writes prepared changes as the engine would.
    pub(crate) fn write(&self, guard: &DoomLoopGuard, prepared: PreparedChange) {
        self.store.commit(prepared.changes()).unwrap();
        guard.apply(prepared);
    }

    /// Takes a question up and answers it.
    pub(crate) async fn learn(&self, guard: &DoomLoopGuard, text: &str) -> RecordId {
        guard.admit_question(&question(text), Vec::new()).await.unwrap();
        self.record(guard, text).await
    }

    /// Answers a question that was taken up.
    pub(crate) async fn record(&self, guard: &DoomLoopGuard, text: &str) -> RecordId {
        let record = self.new_record(text);
        let id = record.id;
        let prepared = guard.prepare_learned(text, id).await;
        let mut changes = vec![Change::PutRecord(Box::new(record))];
        changes.extend(prepared.changes().iter().cloned());
        self.store.commit(&changes).unwrap();
        guard.apply(prepared);
        id
    }

    pub(crate) fn new_record(&self, text: &str) -> LearningRecord {
        let id = RecordId::new(self.clock.as_ref(), self.random.as_ref());
        serde_json::from_value(json!({
            "id": id,
            "project_key": "demo",
            "created_at": self.clock.now_ms(),
            "question": text,
            "question_type": "other",
            "answer": "It is.",
            "exploration_path": [],
            "confidence": 0.5,
            "source_files": [],
            "tags": [],
            "domain": "",
            "embedder": "chosen-128",
            "model": "offline",
            "tokens": { "prompt": 0, "completion": 0 },
        }))
        .unwrap()
    }
}

pub(crate) fn question(text: &str) -> Question {
    serde_json::from_value(json!({ "question": text })).unwrap()
}

pub(crate) fn error(kind: ErrorKind) -> Error {
    Error::new(kind, "it broke")
}
