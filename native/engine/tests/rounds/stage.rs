//! One project on a stage: manual clock, in-memory store, a reasoner and tools that do what a test says.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use ouro_core::{
    Abandoned, ActionRequest, AvoidStrategy, Embedder, Error, ErrorKind, Event, EvolutionConfig,
    FailureRecord, FreshnessStamp, LoopReport, NextAction, Phase, ProjectAnalysis, ProjectKey,
    ProjectSource, Question, QuestionRequest, Reasoner, RecordStore, Result, SeededRandom,
    SourceLine, SourceRef, Summary, SummaryRequest, Thought, TokenUsage, Tool, ToolContext,
    ToolRegistry, ToolResult, ToolSpec, analysis::FileFacts,
};
use ouro_detect::{CheckedConfig, Config};
use ouro_engine::{Engine, LoopHandle, Project, RunPlan};
use ouro_guard::{DoomLoopGuard, GuardConfig};
use ouro_testkit::{ManualClock, MemoryStore};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// 2026-03-01 12:00 UTC.
pub(crate) const NOON: i64 = 1_772_366_400_000;

type Script<T> = Mutex<VecDeque<Act<T>>>;

/// What a scripted call does.
pub(crate) enum Act<T> {
    Give(T),
    Fail(ErrorKind),
    /// The server asks for a pause.
    Wait(Duration),
    Hang,
    Panic,
}

impl<T> Act<T> {
    async fn play(self) -> Result<T> {
        match self {
            Self::Give(value) => Ok(value),
            Self::Fail(kind) => Err(Error::new(kind, format!("scripted {kind:?}"))),
            Self::Wait(pause) => {
                let error = Error::new(ErrorKind::RateLimited, "scripted pause");
                Err(error.with_retry_after(pause))
            }
            Self::Hang => std::future::pending().await,
            Self::Panic => panic!("scripted panic"),
        }
    }
}

/// Thinks what it is told; where nothing is scripted, it asks a new question each time, reads one file and answers.
#[derive(Default)]
pub(crate) struct Scripted {
    pub(crate) questions: Script<Vec<Question>>,
    pub(crate) actions: Script<NextAction>,
    pub(crate) summaries: Script<Summary>,
    pub(crate) analyses: Script<AvoidStrategy>,
    asked: AtomicU64,
    /// What each thought costs.
    pub(crate) price: Mutex<TokenUsage>,
    /// Thoughts that were paid for.
    pub(crate) thoughts: AtomicU64,
    abandoned: Abandoned,
    /// Loops that the next thought ran into.
    pub(crate) loops: Mutex<Vec<LoopReport>>,
    pub(crate) left_for_analysis: Mutex<Option<u64>>,
    pub(crate) seen: Mutex<Vec<QuestionRequest>>,
    /// What was said before each step.
    pub(crate) advice: Mutex<Vec<Option<AvoidStrategy>>>,
    pub(crate) hints: Mutex<Vec<Option<String>>>,
    /// Its thoughts cost nothing.
    pub(crate) free: AtomicBool,
}

pub(crate) fn question(text: &str) -> Question {
    serde_json::from_value(json!({ "question": text, "type": "CodeStructure" })).unwrap()
}

pub(crate) fn read(path: &str) -> NextAction {
    NextAction {
        should_stop: false,
        tool_name: "read_file".into(),
        parameters: json!({ "path": path }),
        reason: String::new(),
    }
}

pub(crate) fn stop() -> NextAction {
    NextAction {
        should_stop: true,
        tool_name: String::new(),
        parameters: Value::Null,
        reason: String::new(),
    }
}

fn next<T>(script: &Script<T>) -> Option<Act<T>> {
    script.lock().unwrap().pop_front()
}

impl Scripted {
    /// One that is dropped costs as much as one that comes to its end.
    async fn play<T>(&self, act: Act<T>) -> Result<T> {
        if matches!(act, Act::Hang) {
            self.thoughts.fetch_add(1, Ordering::Relaxed);
        }
        let held = self.abandoned.hold(*self.price.lock().unwrap());
        let played = act.play().await;
        held.release();
        played
    }

    fn thought<T>(&self, value: T) -> Thought<T> {
        self.thoughts.fetch_add(1, Ordering::Relaxed);
        let loops = std::mem::take(&mut *self.loops.lock().unwrap());
        Thought { usage: *self.price.lock().unwrap(), loops, ..Thought::free(value) }
    }
}

#[async_trait]
impl Reasoner for Scripted {
    fn id(&self) -> &str {
        "scripted"
    }

    async fn generate_questions(&self, request: QuestionRequest) -> Result<Thought<Vec<Question>>> {
        // Whoever keeps the records makes the engine copy them.
        let seen = QuestionRequest { records: Arc::default(), ..request };
        self.seen.lock().unwrap().push(seen);
        let value = match next(&self.questions) {
            Some(act) => self.play(act).await?,
            // Words that share nothing, so that no two are near each other.
            None => {
                let n = self.asked.fetch_add(1, Ordering::Relaxed);
                let word = ouro_core::sha256_hex(&n.to_le_bytes());
                vec![question(&format!("{} {}?", &word[..20], &word[30..50]))]
            }
        };
        Ok(self.thought(value))
    }

    async fn next_action(&self, request: ActionRequest) -> Result<Thought<NextAction>> {
        self.advice.lock().unwrap().push(request.advice.clone());
        self.hints.lock().unwrap().push(request.hint.clone());
        let value = match next(&self.actions) {
            Some(act) => self.play(act).await?,
            None if request.observations.is_empty() => read("src/a.rs"),
            None => stop(),
        };
        Ok(self.thought(value))
    }

    async fn summarize(&self, request: SummaryRequest) -> Result<Thought<Summary>> {
        let value = match next(&self.summaries) {
            Some(act) => self.play(act).await?,
            None => Summary {
                answer: format!("The answer to {}", request.question.question),
                confidence: 0.8,
                source_files: vec![SourceRef {
                    path: "src/a.rs".into(),
                    start_line: Some(1),
                    end_line: Some(1),
                }],
                ..Summary::default()
            },
        };
        Ok(self.thought(value))
    }

    async fn analyse_failure(
        &self,
        _: &FailureRecord,
        tokens_left: u64,
    ) -> Result<Thought<AvoidStrategy>> {
        *self.left_for_analysis.lock().unwrap() = Some(tokens_left);
        let act = self.analyses.lock().unwrap().pop_front();
        let otherwise = AvoidStrategy { cause: "scripted".into(), ..AvoidStrategy::default() };
        Ok(self.thought(self.play(act.unwrap_or(Act::Give(otherwise))).await?))
    }

    fn spends_tokens(&self) -> bool {
        !self.free.load(Ordering::Relaxed)
    }

    fn take_abandoned(&self) -> TokenUsage {
        self.abandoned.take()
    }
}

/// Shows one line of any file; a file named `hang` never comes back, and one named `broken` is an error of the tool itself.
struct ReadFile(ToolSpec);

#[async_trait]
impl Tool for ReadFile {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn call(&self, arguments: &Value, _: &ToolContext) -> Result<ToolResult> {
        let path = arguments["path"].as_str().ok_or_else(|| Error::invalid("path is missing"))?;
        if path == "hang" {
            std::future::pending::<()>().await;
        }
        if path == "broken" {
            return Ok(ToolResult::error("the disk is broken"));
        }
        let line = SourceLine { path: path.into(), line: 1, text: "fn a() {}".into() };
        Ok(ToolResult {
            summary: "1 line".into(),
            content: "    1| fn a() {}".into(),
            lines: vec![line],
            ..ToolResult::default()
        })
    }

    fn stamp(&self, _: &Value) -> Option<FreshnessStamp> {
        None
    }
}

/// A project of one file whose content a test can change.
#[derive(Default)]
pub(crate) struct OneFile(pub(crate) Mutex<String>);

impl ProjectSource for OneFile {
    fn refresh(&self, _: &CancellationToken) -> Result<Arc<ProjectAnalysis>> {
        let content = self.0.lock().unwrap().clone();
        let file = FileFacts {
            path: "src/a.rs".into(),
            content_hash: content.clone(),
            ..FileFacts::default()
        };
        Ok(Arc::new(ProjectAnalysis {
            fingerprint: content,
            files: vec![file],
            ..ProjectAnalysis::default()
        }))
    }
}

/// The built-in kind of embedder, small: each word is a direction.
struct Words;

#[async_trait]
impl Embedder for Words {
    fn id(&self) -> &str {
        "words-64"
    }

    fn duplicate_threshold(&self) -> f32 {
        0.95
    }

    /// Refuses a text with a NUL, as some servers do, and with it the whole batch.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        if texts.iter().any(|text| text.contains('\0')) {
            return Err(Error::new(ErrorKind::BadReply, "a NUL in a text"));
        }
        let vector = |text: &String| {
            let mut vector = vec![0.0_f32; 64];
            for word in text.split_whitespace() {
                let hash = ouro_core::sha256_hex(word.to_lowercase().as_bytes());
                let at = usize::from_str_radix(&hash[..4], 16).unwrap() % 64;
                vector[at] += 1.0;
            }
            let length = vector.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-6);
            vector.iter().map(|v| v / length).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

pub(crate) struct Stage {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) reasoner: Arc<Scripted>,
    pub(crate) source: Arc<OneFile>,
    pub(crate) engine: Arc<Engine>,
    pub(crate) config: EvolutionConfig,
    pub(crate) embedder: Arc<dyn Embedder>,
    key: ProjectKey,
    starts: AtomicU64,
}

/// An embedder that gives vectors of another length than it said.
struct Down;

#[async_trait]
impl Embedder for Down {
    fn id(&self) -> &str {
        "down-8"
    }

    fn duplicate_threshold(&self) -> f32 {
        0.95
    }

    async fn embed(&self, _: &[String]) -> Result<Vec<Vec<f32>>> {
        Err(Error::new(ErrorKind::InvalidInput, "vectors of 4 numbers came, not of 8"))
    }
}

/// A started loop and everything it says.
pub(crate) struct Running {
    pub(crate) handle: LoopHandle,
    pub(crate) events: mpsc::UnboundedReceiver<Event>,
    clock: Arc<ManualClock>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::of("stage")
    }

    pub(crate) fn of(name: &str) -> Self {
        let clock = Arc::new(ManualClock::new(NOON));
        let key: ProjectKey = name.parse().unwrap();
        Self {
            store: Arc::new(MemoryStore::new(key.clone(), clock.clone())),
            clock,
            reasoner: Arc::default(),
            source: Arc::default(),
            engine: Arc::new(Engine::new()),
            config: EvolutionConfig { enabled: true, ..EvolutionConfig::default() },
            embedder: Arc::new(Words),
            key,
            starts: AtomicU64::new(0),
        }
    }

    pub(crate) fn project(&self) -> (Project, mpsc::UnboundedReceiver<Event>) {
        let (sender, events) = mpsc::unbounded_channel();
        let spec = ToolSpec {
            name: "read_file".into(),
            description: String::new(),
            parameters: json!({}),
        };
        let mut tools = ToolRegistry::new();
        tools.register(Arc::new(ReadFile(spec)));
        // A new start has new randomness: ids never repeat.
        let random = Arc::new(SeededRandom::new(self.starts.fetch_add(1, Ordering::Relaxed)));
        let guard = DoomLoopGuard::open(
            self.store.clone(),
            &GuardConfig::from(&self.config),
            Arc::new(Words),
            Arc::new(Words),
            self.clock.clone(),
            random.clone(),
        );
        let project = Project {
            key: self.key.clone(),
            config: self.config.clone(),
            store: self.store.clone(),
            guard: Arc::new(guard.unwrap()),
            reasoner: self.reasoner.clone(),
            detection: Arc::new(CheckedConfig::new(Config::default()).unwrap()),
            embedder: self.embedder.clone(),
            tools,
            source: self.source.clone(),
            clock: self.clock.clone(),
            random,
            events: Arc::new(move |event| {
                let _ = sender.send(event);
            }),
        };
        (project, events)
    }

    pub(crate) async fn start(&self, plan: RunPlan) -> Running {
        let (project, events) = self.project();
        self.run(project, events, plan).await
    }

    /// Starts what [`Stage::project`] gave, with other parts.
    pub(crate) async fn run(
        &self,
        project: Project,
        events: mpsc::UnboundedReceiver<Event>,
        plan: RunPlan,
    ) -> Running {
        let handle = self.engine.start(project, plan).await.unwrap();
        Running { handle, events, clock: self.clock.clone() }
    }

    /// With an embedder that always fails.
    pub(crate) fn without_embedder() -> Self {
        Self { embedder: Arc::new(Down), ..Self::new() }
    }

    pub(crate) fn record_count(&self) -> usize {
        self.store.record_count().unwrap()
    }
}

impl Running {
    /// The next event that `wanted` picks; the loop must say it before it ends.
    pub(crate) async fn until<T>(&mut self, wanted: impl Fn(&Event) -> Option<T>) -> T {
        loop {
            let event = self.events.recv().await.expect("the loop goes on");
            if let Some(found) = wanted(&event) {
                return found;
            }
            assert!(!matches!(event, Event::Finished { .. }), "the loop ended early: {event:?}");
        }
    }

    pub(crate) async fn phase(&mut self, wanted: Phase) {
        self.until(|e| matches!(e, Event::Phase { phase, .. } if *phase == wanted).then_some(()))
            .await;
    }

    /// Every event up to and with the last one, passing every rest by moving the clock.
    pub(crate) async fn play_out(&mut self) -> Vec<Event> {
        let mut all = Vec::new();
        while let Some(event) = self.events.recv().await {
            if let Event::Waiting { until: Some(until), .. } = &event {
                self.sleep_until(*until).await;
            }
            let last = matches!(event, Event::Finished { .. });
            all.push(event);
            if last {
                break;
            }
        }
        all
    }

    /// Lets the loop fall asleep, then moves the clock there.
    pub(crate) async fn sleep_until(&self, until: i64) {
        use ouro_core::Clock;
        while self.clock.next_wake().is_none() {
            tokio::task::yield_now().await;
        }
        let pause = u64::try_from(until - self.clock.now_ms()).unwrap_or(0);
        self.clock.advance(Duration::from_millis(pause));
    }
}
