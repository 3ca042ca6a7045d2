//! Learns this repository without a model, then asks the labelled questions of each path of the search, and of all together.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use ouro_core::{
    EvolutionConfig, ProjectAnalysis, RecordStore, SeededRandom, SystemClock, ToolRegistry,
};
use ouro_engine::{Engine, OfflineReasoner, Passage, Project, Recall, RunPlan};
use ouro_guard::{DoomLoopGuard, GuardConfig};
use ouro_llm::HashEmbedder;
use ouro_testkit::MemoryStore;
use ouro_tools::{
    ProjectRoot, ProjectScanner, ScanOptions, SharedAnalysis, TantivyIndex, code_documents,
    native_tools,
};

use super::labelled::{LABELLED, Labelled};

/// Hits that count.
const HITS: usize = 5;
/// As `ouro ask` has it.
const BUDGET: u64 = 4_000;

/// How well one way of searching does.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Quality {
    /// The share of the answering files among the first five hits, averaged over the questions.
    pub(crate) recall: f64,
    /// One by the place of the first answer among the hits, averaged over the questions; 0 where there is none.
    pub(crate) reciprocal_rank: f64,
}

/// Every way.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Measured {
    /// How many records there were to find.
    pub(crate) records: usize,
    /// Records by vectors.
    pub(crate) vectors: Quality,
    /// Records by words.
    pub(crate) words: Quality,
    /// Code by words.
    pub(crate) code: Quality,
    /// What a user gets.
    pub(crate) fused: Quality,
}

/// Learns so many records and asks all questions.
pub(crate) async fn measure(iterations: u32) -> Measured {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let (recall, store) = learn(root, iterations).await;
    let mut measured = Measured { records: store.record_count().unwrap(), ..Measured::default() };
    for labelled in LABELLED {
        let paths = recall.paths(labelled.question).await.unwrap();
        let records = |ids: &[_]| -> Vec<Passage> {
            ids.iter().map(|id| Passage::Record(Box::new(store.record(*id).unwrap()))).collect()
        };
        measured.vectors.add(labelled, &records(&paths.vectors));
        measured.words.add(labelled, &records(&paths.words));
        let code = paths
            .code
            .into_iter()
            .filter_map(|hit| Some(Passage::Code { source: hit.source?, text: hit.text }));
        measured.code.add(labelled, &code.collect::<Vec<_>>());
        measured.fused.add(labelled, &recall.recall(labelled.question, BUDGET).await.unwrap());
    }
    measured
}

impl Quality {
    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    fn add(&mut self, labelled: &Labelled, found: &[Passage]) {
        let answers: Vec<Option<&str>> = found.iter().map(|p| labelled.answered_by(p)).collect();
        let files: BTreeSet<&str> = answers.iter().take(HITS).flatten().copied().collect();
        let questions = LABELLED.len() as f64;
        self.recall += files.len() as f64 / labelled.files.len() as f64 / questions;
        if let Some(place) = answers.iter().position(Option::is_some) {
            self.reciprocal_rank += 1.0 / (place + 1) as f64 / questions;
        }
    }
}

impl Labelled {
    /// The answering file that a passage shows.
    fn answered_by(&self, passage: &Passage) -> Option<&'static str> {
        let (paths, text) = match passage {
            Passage::Record(record) => {
                let paths: Vec<&str> =
                    record.source_files.iter().map(|source| source.path.as_str()).collect();
                (paths, format!("{}\n{}", record.question, record.answer))
            }
            Passage::Code { source, text } => (vec![source.path.as_str()], text.clone()),
        };
        let speaks = self.words.is_empty() || self.words.iter().any(|word| text.contains(word));
        self.files.iter().find(|file| speaks && paths.contains(*file)).copied()
    }
}

async fn learn(root: &Path, iterations: u32) -> (Recall, Arc<MemoryStore>) {
    let clock = Arc::new(SystemClock::new());
    let random = Arc::new(SeededRandom::new(1));
    // The questions themselves are no answer.
    let excluded = vec!["native/engine/examples/**".to_owned(), "target/**".to_owned()];
    let options = ScanOptions { excluded: excluded.clone(), ..ScanOptions::default() };
    let scanner = ProjectScanner::new(root, options, clock.clone()).unwrap();
    let source = SharedAnalysis::new(Arc::new(scanner));
    let store = Arc::new(MemoryStore::new("recall".parse().unwrap(), clock.clone()));
    let config = EvolutionConfig {
        enabled: true,
        interval_ms: 0,
        max_daily_questions: 10_000,
        max_daily_explorations: 10_000,
        ..EvolutionConfig::default()
    };
    let embedder = Arc::new(HashEmbedder);
    let guard = DoomLoopGuard::open(
        store.clone(),
        &GuardConfig::from(&config),
        embedder.clone(),
        embedder.clone(),
        clock.clone(),
        random.clone(),
    );
    let project_root = ProjectRoot::open(root).unwrap();
    let mut tools = ToolRegistry::new();
    for tool in native_tools(&project_root, &source, &excluded).unwrap() {
        tools.register(tool);
    }
    let detection = ouro_detect::CheckedConfig::new(ouro_detect::Config::default()).unwrap();
    let project = Project {
        key: "recall".parse().unwrap(),
        config,
        store: store.clone(),
        guard: Arc::new(guard.unwrap()),
        reasoner: Arc::new(OfflineReasoner::new(1)),
        embedder: embedder.clone(),
        detection: Arc::new(detection),
        tools,
        source: Arc::new(source.clone()),
        clock,
        random,
        events: Arc::new(|_| ()),
    };
    let handle = Engine::new().start(project, RunPlan::bounded(iterations)).await.unwrap();
    handle.finished().await.unwrap();
    let documents =
        move |analysis: &ProjectAnalysis| code_documents(analysis, &project_root, 16 << 20);
    let recall = Recall::new(
        store.clone(),
        embedder,
        Arc::new(source),
        Arc::new(documents),
        Arc::new(TantivyIndex::new()),
        Arc::new(TantivyIndex::new()),
    );
    (recall, store)
}
