//! A reasoner that does what a seed says: new questions, old ones, other words for old ones, errors, silence.

use std::sync::{
    Mutex,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use ouro_core::{
    ActionRequest, AvoidStrategy, Error, ErrorKind, FailureRecord, NextAction, Question,
    QuestionRequest, Reasoner, Result, SourceRef, Summary, SummaryRequest, Thought,
};
use serde_json::json;

/// Of 1,000 thoughts so many fail.
const FAILURES: u32 = 30;

/// Of 1,000 thoughts so many never come.
const SILENCES: u32 = 4;

pub(crate) struct Mind {
    random: Mutex<fastrand::Rng>,
    /// A thought never comes: time has to pass for it.
    pub(crate) silent: AtomicBool,
}

impl Mind {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Mutex::new(fastrand::Rng::with_seed(seed)), silent: AtomicBool::new(false) }
    }

    fn dice(&self) -> u32 {
        self.random.lock().unwrap().u32(0..1_000)
    }

    async fn trouble(&self) -> Result<()> {
        match self.dice() {
            d if d < SILENCES => {
                let _end = Silence::begin(&self.silent);
                std::future::pending().await
            }
            d if d < SILENCES + FAILURES => {
                let kinds = [
                    ErrorKind::Unavailable,
                    ErrorKind::RateLimited,
                    ErrorKind::Timeout,
                    ErrorKind::BadReply,
                ];
                let kind = kinds[d as usize % kinds.len()];
                Err(Error::new(kind, format!("simulated {kind:?}")))
            }
            _ => Ok(()),
        }
    }
}

/// Says for how long nothing comes: until the future that waits is given up.
struct Silence<'a>(&'a AtomicBool);

impl<'a> Silence<'a> {
    fn begin(silent: &'a AtomicBool) -> Self {
        silent.store(true, Ordering::Relaxed);
        Self(silent)
    }
}

impl Drop for Silence<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

#[async_trait]
impl Reasoner for Mind {
    fn id(&self) -> &str {
        "simulated"
    }

    async fn generate_questions(&self, request: QuestionRequest) -> Result<Thought<Vec<Question>>> {
        self.trouble().await?;
        let (dice, at) = {
            let mut random = self.random.lock().unwrap();
            (random.u32(0..100), random.usize(..))
        };
        let old = request.records.get(at % request.records.len().max(1)).map(|r| &r.question);
        let text = match (dice, old) {
            (0..15, Some(old)) => old.clone(),
            (15..25, Some(old)) => format!("  {}", old.to_uppercase()),
            _ => {
                let mut random = self.random.lock().unwrap();
                let mut word = || -> String { (0..8).map(|_| random.lowercase()).collect() };
                format!("How does {} depend on {} and {}?", word(), word(), word())
            }
        };
        let question = json!({ "question": text, "type": "CodeStructure" });
        Ok(Thought::free(vec![serde_json::from_value(question).unwrap()]))
    }

    async fn next_action(&self, request: ActionRequest) -> Result<Thought<NextAction>> {
        self.trouble().await?;
        let enough = request.observations.len() > self.dice() as usize % 4;
        Ok(Thought::free(NextAction {
            should_stop: enough,
            tool_name: "read_file".into(),
            parameters: json!({ "path": "src/a.rs", "start_line": self.dice() }),
            reason: String::new(),
        }))
    }

    async fn summarize(&self, request: SummaryRequest) -> Result<Thought<Summary>> {
        self.trouble().await?;
        Ok(Thought::free(Summary {
            answer: format!("What was found about {}", request.question.question),
            confidence: 0.8,
            source_files: vec![SourceRef {
                path: "src/a.rs".into(),
                start_line: Some(1),
                end_line: Some(1),
            }],
            ..Summary::default()
        }))
    }

    async fn analyse_failure(&self, _: &FailureRecord, _: u64) -> Result<Thought<AvoidStrategy>> {
        self.trouble().await?;
        Ok(Thought::free(AvoidStrategy {
            cause: "simulated".into(),
            avoid_strategy: "wait".into(),
            retry_suggestion: "later".into(),
        }))
    }
}
