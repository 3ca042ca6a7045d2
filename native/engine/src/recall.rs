//! Finds what is known about a query: vectors, words in records, words in code, fused by rank.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ouro_core::{
    Freshness, Language, LearningRecord, Observation, ProjectAnalysis, ProjectSource, Question,
    QuestionType, Reasoner, RecordId, RecordQuery, RecordStore, Result, SharedEmbedder, SourceLine,
    SourceRef, Summary, SummaryRequest, TextDocument, TextHit, TextIndex, ToolCallStep,
    estimate_tokens,
};
use tokio_util::sync::CancellationToken;

use crate::{blocking::blocking, expert::EXPERT_CONSULT, relevance::Wanted};

/// The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009).
const RANK_CONSTANT: f32 = 60.0;

/// Hits taken from each path.
const HITS_PER_PATH: usize = 20;

/// Share of the budget, in per cent, that code may take from records.
const CODE_SHARE: u64 = 40;

/// Turns an analysis into the documents of the code index.
pub type CodeDocuments = Arc<dyn Fn(&ProjectAnalysis) -> Vec<TextDocument> + Send + Sync>;

/// Searches everything that is known about one project.
#[derive(Clone)]
pub struct Recall {
    store: Arc<dyn RecordStore>,
    embedder: SharedEmbedder,
    source: Arc<dyn ProjectSource>,
    code_documents: CodeDocuments,
    record_index: Arc<dyn TextIndex>,
    code_index: Arc<dyn TextIndex>,
    indexed: Arc<Mutex<Indexed>>,
}

/// What the indexes hold.
#[derive(Default)]
struct Indexed {
    records_revision: Option<u64>,
    code_fingerprint: Option<String>,
}

/// One thing that is known.
#[derive(Debug, Clone, PartialEq)]
pub enum Passage {
    /// From a learning record.
    Record(Box<LearningRecord>),
    /// From the code.
    Code {
        /// Where.
        source: SourceRef,
        /// An excerpt.
        text: String,
    },
}

impl Passage {
    /// The passage as Markdown, with its sources and freshness.
    pub fn to_markdown(&self) -> String {
        match self {
            Self::Record(record) => {
                let stale = match &record.freshness {
                    Freshness::Fresh | Freshness::AskedAgain { .. } => String::new(),
                    Freshness::Stale { path, .. } => {
                        format!("\n(Out of date: {path} has changed since.)")
                    }
                };
                let sources: Vec<String> = record.source_files.iter().map(place).collect();
                format!(
                    "### {}\n\n{}{stale}\n\nSources: {}\n",
                    record.question,
                    record.effective_answer(),
                    sources.join(", ")
                )
            }
            Self::Code { source, text } => format!("### {}\n\n```\n{text}\n```\n", place(source)),
        }
    }

    /// The lines of the project's files that the passage shows. A record shows none: it only says where it looked.
    pub fn lines(&self) -> impl Iterator<Item = SourceLine> {
        let (path, first, text) = match self {
            Self::Code { source: SourceRef { path, start_line: Some(first), .. }, text } => {
                (path.as_str(), *first, text.as_str())
            }
            _ => ("", 1, ""),
        };
        (first..).zip(text.lines()).map(move |(line, text)| SourceLine {
            path: path.to_owned(),
            line,
            text: text.to_owned(),
        })
    }
}

/// `path:first-last`, as people and editors read it.
pub fn place(source: &SourceRef) -> String {
    match (source.start_line, source.end_line) {
        (Some(start), Some(end)) if end > start => format!("{}:{start}-{end}", source.path),
        (Some(start), _) => format!("{}:{start}", source.path),
        _ => source.path.clone(),
    }
}

impl Recall {
    /// A search whose indexes are filled when they are first needed.
    pub fn new(
        store: Arc<dyn RecordStore>,
        embedder: SharedEmbedder,
        source: Arc<dyn ProjectSource>,
        code_documents: CodeDocuments,
        record_index: Arc<dyn TextIndex>,
        code_index: Arc<dyn TextIndex>,
    ) -> Self {
        let indexed = Arc::default();
        Self { store, embedder, source, code_documents, record_index, code_index, indexed }
    }

    /// The passages that fit the query best, records before code, within `budget` tokens.
    ///
    /// An embedder that is down leaves the search to words.
    ///
    /// # Errors
    /// The store's and the scan's.
    pub async fn recall(&self, query: &str, budget: u64) -> Result<Vec<Passage>> {
        let vector = self.vector(query).await;
        let (this, query) = (self.clone(), query.to_owned());
        blocking(move || {
            let records = this.search_records(&query, vector.as_deref())?;
            let code = this.search_code(&query)?;
            Ok(within_budget(records, code, budget))
        })
        .await
    }

    /// The records that fit the query best.
    ///
    /// # Errors
    /// The store's.
    pub async fn recall_records(&self, query: &str) -> Result<Vec<LearningRecord>> {
        let vector = self.vector(query).await;
        let (this, query) = (self.clone(), query.to_owned());
        blocking(move || this.search_records(&query, vector.as_deref())).await
    }

    /// The recorded questions nearest to a query, whether they have to do with it or not.
    ///
    /// # Errors
    /// The store's.
    pub async fn nearest_questions(&self, query: &str, most: usize) -> Result<Vec<String>> {
        let vector = self.vector(query).await;
        let this = self.clone();
        blocking(move || {
            let Some(vector) = vector else { return Ok(Vec::new()) };
            let mut questions = Vec::new();
            for id in this.nearest(&vector, f32::MIN)? {
                let record = this.store.record(id)?;
                if record.superseded_by.is_none() && questions.len() < most {
                    questions.push(record.question);
                }
            }
            Ok(questions)
        })
        .await
    }

    /// Lets a reasoner answer the query from these passages alone.
    ///
    /// # Errors
    /// The reasoner's.
    pub async fn answer(
        &self,
        reasoner: &dyn Reasoner,
        query: &str,
        passages: &[Passage],
        language: Language,
        budget: u64,
    ) -> Result<Summary> {
        let observations = passages.iter().map(|passage| Observation {
            step: ToolCallStep {
                tool_name: EXPERT_CONSULT.into(),
                parameters: serde_json::json!({ "query": query }),
                result_summary: String::new(),
                at: 0,
                duration_ms: 0,
                cached: false,
                is_error: false,
            },
            content: passage.to_markdown(),
            lines: Vec::new(),
        });
        let request = SummaryRequest {
            question: Question {
                question: query.to_owned(),
                question_type: QuestionType::Other,
                priority: 10,
                reason: String::new(),
                suggested_tools: Vec::new(),
                expected_outcome: String::new(),
                topic: None,
            },
            language,
            analysis: Arc::default(),
            observations: Arc::new(observations.collect()),
            records: Arc::default(),
            cite_lines: false,
            tokens_left: budget,
        };
        Ok(reasoner.summarize(request).await?.value)
    }

    async fn vector(&self, query: &str) -> Option<Vec<f32>> {
        match self.embedder.embed(&[query.to_owned()]).await {
            Ok(vectors) => vectors.into_iter().next(),
            Err(error) => {
                tracing::warn!(%error, "searching without vectors");
                None
            }
        }
    }

    fn search_records(&self, query: &str, vector: Option<&[f32]>) -> Result<Vec<LearningRecord>> {
        self.refresh_record_index()?;
        let wanted = Wanted::of(query);
        let mut by_words: Vec<RecordId> = Vec::new();
        for hit in self.record_index.search(&wanted.text(), HITS_PER_PATH)? {
            let Ok(id) = hit.key.parse() else { continue };
            // The whole record, for a hit holds only its beginning.
            if wanted.is_in(&document(&self.store.record(id)?)) {
                by_words.push(id);
            }
        }
        let by_vector = match vector {
            Some(vector) => self.nearest(vector, self.embedder.relevance_floor())?,
            None => Vec::new(),
        };
        let fused = fuse(&[by_words, by_vector]);
        let mut found = Vec::with_capacity(fused.len());
        for id in fused {
            let record = self.store.record(id)?;
            if record.superseded_by.is_none() {
                found.push(record);
            }
        }
        Ok(found)
    }

    fn search_code(&self, query: &str) -> Result<Vec<TextHit>> {
        let analysis = self.source.refresh(&CancellationToken::new())?;
        let mut indexed = self.lock();
        if indexed.code_fingerprint.as_ref() != Some(&analysis.fingerprint) {
            self.code_index.replace_all((self.code_documents)(&analysis))?;
            indexed.code_fingerprint = Some(analysis.fingerprint.clone());
        }
        let wanted = Wanted::of(query);
        let mut hits = self.code_index.search(&wanted.text(), HITS_PER_PATH)?;
        hits.retain(|hit| wanted.is_in(&format!("{}\n{}", hit.key, hit.text)));
        Ok(hits)
    }

    /// Records by the cosine of their nearer vector, best first, from `floor` on.
    fn nearest(&self, query: &[f32], floor: f32) -> Result<Vec<RecordId>> {
        let mut best: HashMap<RecordId, f32> = HashMap::new();
        for stored in self.store.vectors(self.embedder.id())? {
            let cosine: f32 = stored.values.iter().zip(query).map(|(a, b)| a * b).sum();
            let entry = best.entry(stored.record).or_insert(f32::MIN);
            *entry = entry.max(cosine);
        }
        let mut ranked: Vec<(RecordId, f32)> =
            best.into_iter().filter(|(_, cosine)| *cosine >= floor).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.truncate(HITS_PER_PATH);
        Ok(ranked.into_iter().map(|(id, _)| id).collect())
    }

    fn refresh_record_index(&self) -> Result<()> {
        let mut indexed = self.lock();
        let revision = self.store.records_revision();
        if indexed.records_revision == Some(revision) {
            return Ok(());
        }
        let records = self.store.records(&RecordQuery::default())?;
        let current = records.into_iter().filter(|r| r.superseded_by.is_none());
        let documents = current.map(|record| TextDocument {
            key: record.id.to_string(),
            text: document(&record),
            source: None,
        });
        self.record_index.replace_all(documents.collect())?;
        indexed.records_revision = Some(revision);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Indexed> {
        self.indexed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a record is searched by.
fn document(record: &LearningRecord) -> String {
    format!("{}\n{}\n{}", record.question, record.effective_answer(), record.tags.join(" "))
}

/// Records first, but they leave [`CODE_SHARE`] of the budget to code where there is any.
fn within_budget(records: Vec<LearningRecord>, code: Vec<TextHit>, budget: u64) -> Vec<Passage> {
    let for_code = if code.is_empty() { 0 } else { budget * CODE_SHARE / 100 };
    let mut left = budget - for_code;
    let mut passages = Vec::new();
    let mut take = |left: &mut u64, passage: Passage| {
        let cost = estimate_tokens(&passage.to_markdown());
        let fits = cost <= *left;
        if fits {
            *left -= cost;
            passages.push(passage);
        }
        fits
    };
    for record in records {
        if !take(&mut left, Passage::Record(Box::new(record))) {
            break;
        }
    }
    left += for_code;
    for hit in code {
        let Some(source) = hit.source else { continue };
        if !take(&mut left, Passage::Code { source, text: hit.text }) {
            break;
        }
    }
    passages
}

/// Reciprocal rank fusion: best first, ties by id.
fn fuse(paths: &[Vec<RecordId>]) -> Vec<RecordId> {
    let mut scores: HashMap<RecordId, f32> = HashMap::new();
    for path in paths {
        for (rank, id) in (1_u16..).zip(path) {
            *scores.entry(*id).or_default() += 1.0 / (RANK_CONSTANT + f32::from(rank));
        }
    }
    let mut ranked: Vec<(RecordId, f32)> = scores.into_iter().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked.into_iter().map(|(id, _)| id).collect()
}
