//! Finds what is known about a query: vectors, words in records, words in code, fused by rank.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    slice,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ouro_core::{
    ErrorKind, Freshness, Language, LearningRecord, Observation, ProjectAnalysis, ProjectSource,
    Question, QuestionType, Rating, Reasoner, RecordId, RecordQuery, RecordStore, Reranker, Result,
    SharedEmbedder, SourceLine, SourceRef, Summary, SummaryRequest, TextDocument, TextHit,
    TextIndex, Thought, ToolCallStep, VectorRole, VectorSearch, analysis::FileRole,
    estimate_tokens,
};
use tokio_util::sync::CancellationToken;

use crate::{
    blocking::blocking, expert::EXPERT_CONSULT, freshness::changed_mark, relevance::Wanted,
};

/// The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009).
const RANK_CONSTANT: f32 = 60.0;

/// Hits taken from each path.
const HITS_PER_PATH: usize = 20;

/// Of what was found, so much is judged by the reranker, if there is one; it takes tens of milliseconds for each.
const RERANKED: usize = 20;

/// What a record is worth that is stale, and one that the user calls useless: found in two ways, as much as another that is
/// found in one.
const DOUBTFUL_WORTH: f32 = 0.5;

/// What a record is worth that the user has corrected: nothing but its question has a vector, so that often one way finds it
/// where two find others.
const CORRECTED_WORTH: f32 = 2.0;

/// What a record is worth that the user calls useful.
const USEFUL_WORTH: f32 = 1.5;

/// The word of a query that wants tests.
const TESTS: &str = "test";

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
    reranker: Option<Arc<dyn Reranker>>,
}

/// What the indexes hold.
#[derive(Default)]
struct Indexed {
    records_revision: Option<u64>,
    current: Arc<Current>,
    code_fingerprint: Option<String>,
}

/// The records that were not superseded.
#[derive(Default)]
struct Current {
    /// Whether a user corrected them: the vector of such an answer is that of what was refuted.
    corrected: HashMap<RecordId, bool>,
    /// Those that another one contradicts, by that one.
    doubtful: HashMap<RecordId, Vec<RecordId>>,
}

/// What each way of searching finds by itself, best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Paths {
    /// Records whose question or answer is near the query's vector.
    pub vectors: Vec<RecordId>,
    /// Records that speak of the query's words.
    pub words: Vec<RecordId>,
    /// Code and prose that do.
    pub code: Vec<TextHit>,
    /// Of the records, those about the very thing that the query names.
    pub named: HashSet<RecordId>,
    /// What the records are worth beside others, where it is not 1: a file has changed since, or the user has rated them.
    pub worth: HashMap<RecordId, f32>,
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
    /// The record, if it is one.
    pub fn record(&self) -> Option<&LearningRecord> {
        match self {
            Self::Record(record) => Some(record),
            Self::Code { .. } => None,
        }
    }

    /// Lines of one file that follow each other; `None` where there are none.
    fn of_lines(lines: Vec<SourceLine>) -> Option<Self> {
        let (first, last) = (lines.first()?, lines.last()?);
        let (start_line, end_line) = (Some(first.line), Some(last.line));
        let source = SourceRef { path: first.path.clone(), start_line, end_line };
        let text: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        Some(Self::Code { source, text: text.join("\n") })
    }

    /// Where the passage says that something is.
    fn places(&self) -> &[SourceRef] {
        match self {
            Self::Record(record) => &record.source_files,
            Self::Code { source, .. } => slice::from_ref(source),
        }
    }

    /// The passage as Markdown, with its sources and freshness.
    pub fn to_markdown(&self) -> String {
        match self {
            Self::Record(record) => {
                let stale = match &record.freshness {
                    Freshness::Fresh | Freshness::AskedAgain { .. } => String::new(),
                    Freshness::Stale { path, .. } => {
                        format!("\n(Out of date: {path} has changed since.)")
                    }
                    Freshness::Contradicted { by, .. } => {
                        format!("\n(Doubtful: a later answer, record {by}, says otherwise.)")
                    }
                };
                let sources: Vec<String> = record.source_files.iter().map(place).collect();
                let corrected = match record.correction {
                    Some(_) => "\n(In the user's own words, which outrank everything else.)",
                    None => "",
                };
                format!(
                    "### {}\n\n{}{corrected}{stale}\n\nSources: {}\n",
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

/// The passages as one Markdown text, to copy, or to put into another assistant's prompt.
pub fn knowledge(passages: &[Passage]) -> String {
    passages.iter().map(Passage::to_markdown).collect::<Vec<_>>().join("\n")
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
        let reranker = None;
        Self {
            store,
            embedder,
            source,
            code_documents,
            record_index,
            code_index,
            indexed,
            reranker,
        }
    }

    /// Lets a reranker put what was found in order.
    #[must_use]
    pub fn with_reranker(self, reranker: Arc<dyn Reranker>) -> Self {
        Self { reranker: Some(reranker), ..self }
    }

    /// The passages that fit the query best, best first, within `budget` tokens: records and code, fused by their ranks, the
    /// best of them in the order of the reranker, if there is one. A record ranks lower when it is stale, or the user calls it
    /// useless.
    ///
    /// An embedder that is down leaves the search to words, a reranker that is down the order to the ranks.
    ///
    /// # Errors
    /// The store's and the scan's.
    pub async fn recall(&self, query: &str, budget: u64) -> Result<Vec<Passage>> {
        let (paths, analysis) = self.search(query).await?;
        let this = self.clone();
        let found = blocking(move || this.passages(paths.fused(), &analysis)).await?;
        let ordered = self.reranked(query, found).await;
        Ok(within_budget(ordered.into_iter().flatten().collect(), budget))
    }

    /// What each way of searching finds, before it is fused.
    ///
    /// # Errors
    /// The store's and the scan's.
    pub async fn paths(&self, query: &str) -> Result<Paths> {
        Ok(self.search(query).await?.0)
    }

    async fn search(&self, query: &str) -> Result<(Paths, Arc<ProjectAnalysis>)> {
        let vector = self.vector(query).await;
        let (this, query) = (self.clone(), query.to_owned());
        blocking(move || {
            let analysis = this.source.refresh(&CancellationToken::new())?;
            // Code is indexed first: there are many more pieces of it, so that it tells better how rare a word is.
            let code = this.search_code(&query, &analysis)?;
            let wanted = this.wanted(&query, this.code_index.as_ref())?;
            let records = this.search_records(&wanted, vector.as_deref(), Some(&analysis))?;
            Ok((Paths { code, ..records }, analysis))
        })
        .await
    }

    /// What stands at these places, what belongs together in one group: records that contradict each other.
    fn passages(
        &self,
        places: Vec<Place>,
        analysis: &ProjectAnalysis,
    ) -> Result<Vec<Vec<Passage>>> {
        let mut shown = HashSet::new();
        let groups = places.into_iter().map(|place| match place {
            Place::Record(id) => {
                let records = self.with_contradiction(id, &mut shown, Some(analysis))?.into_iter();
                Ok(records.map(|record| Passage::Record(Box::new(record))).collect())
            }
            Place::Code(hit) => {
                let code = |source| Passage::Code { source, text: hit.text };
                Ok(hit.source.map(code).into_iter().collect())
            }
        });
        groups.filter(|group| !group.as_ref().is_ok_and(Vec::is_empty)).collect()
    }

    /// The first groups in the order of the reranker, which reads what each begins with.
    async fn reranked(&self, query: &str, mut groups: Vec<Vec<Passage>>) -> Vec<Vec<Passage>> {
        let Some(reranker) = &self.reranker else { return groups };
        let rest = groups.split_off(RERANKED.min(groups.len()));
        let texts: Vec<String> =
            groups.iter().filter_map(|group| group.first()).map(Passage::to_markdown).collect();
        match reranker.scores(query, &texts).await {
            Ok(scores) => {
                // One without a score comes last.
                let scores = scores.into_iter().chain(std::iter::repeat(f32::NEG_INFINITY));
                let mut judged: Vec<_> = scores.zip(groups).collect();
                judged.sort_by(|(a, _), (b, _)| b.total_cmp(a));
                groups = judged.into_iter().map(|(_, group)| group).collect();
            }
            Err(error) => tracing::warn!(%error, "what was found is not reranked"),
        }
        groups.extend(rest);
        groups
    }

    /// The records that fit the query best.
    ///
    /// # Errors
    /// The store's.
    pub async fn recall_records(&self, query: &str) -> Result<Vec<LearningRecord>> {
        let vector = self.vector(query).await;
        let (this, query) = (self.clone(), query.to_owned());
        blocking(move || {
            this.refresh_record_index()?;
            let wanted = this.wanted(&query, this.record_index.as_ref())?;
            let found = this.search_records(&wanted, vector.as_deref(), None)?.fused();
            let mut records = Vec::new();
            let mut shown = HashSet::new();
            for place in found {
                if let Place::Record(id) = place {
                    records.extend(this.with_contradiction(id, &mut shown, None)?);
                }
            }
            Ok(records)
        })
        .await
    }

    /// A record, and beside it those that say otherwise, whichever was first, as far as they are not shown yet.
    fn with_contradiction(
        &self,
        id: RecordId,
        shown: &mut HashSet<RecordId>,
        analysis: Option<&ProjectAnalysis>,
    ) -> Result<Vec<LearningRecord>> {
        let current = self.lock().current.clone();
        let mut records = Vec::new();
        let mut next = VecDeque::from([id]);
        while let Some(id) = next.pop_front() {
            if !shown.insert(id) {
                continue;
            }
            let record = match self.record(id, analysis) {
                // Whoever contradicted it was deleted.
                Err(error) if error.kind() == ErrorKind::NotFound && !records.is_empty() => {
                    continue;
                }
                record => record?,
            };
            if let Freshness::Contradicted { by, .. } = record.freshness {
                next.push_back(by);
            }
            next.extend(current.doubtful.get(&id).into_iter().flatten());
            records.push(record);
        }
        Ok(records)
    }

    /// A record; with the files as they are now where these are known, else as the loop marked it last.
    fn record(&self, id: RecordId, analysis: Option<&ProjectAnalysis>) -> Result<LearningRecord> {
        let mut record = self.store.record(id)?;
        let mark = analysis.and_then(|analysis| {
            let changed_at = |path: &str| analysis.file(path).map_or(0, |file| file.modified_at);
            changed_mark(analysis, &record, |path| changed_at(path).max(record.created_at))
        });
        record.freshness = mark.unwrap_or(record.freshness);
        Ok(record)
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
            for id in this.nearest(&vector, f32::MIN)?.into_iter().take(most) {
                questions.push(this.store.record(id)?.question);
            }
            Ok(questions)
        })
        .await
    }

    /// Lets a reasoner answer the query from these passages alone. Its sources are places that they name.
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
    ) -> Result<Thought<Summary>> {
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
            advice: None,
            cite_lines: false,
            tokens_left: budget,
        };
        let mut answer = reasoner.summarize(request).await?;
        answer.value.source_files = named(&answer.value.source_files, passages);
        Ok(answer)
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

    /// What a query is about, its words weighed by how rare they are in an index.
    fn wanted(&self, query: &str, index: &dyn TextIndex) -> Result<Wanted> {
        Wanted::of(query).weigh(|word| index.share_with(word))
    }

    /// Records by words and by vectors.
    fn search_records(
        &self,
        wanted: &Wanted,
        vector: Option<&[f32]>,
        analysis: Option<&ProjectAnalysis>,
    ) -> Result<Paths> {
        self.refresh_record_index()?;
        let mut found = Paths::default();
        for hit in self.record_index.search(&wanted.text(), HITS_PER_PATH)? {
            let Ok(id) = hit.key.parse() else { continue };
            // The whole record, for a hit holds only its beginning.
            let record = self.record(id, analysis)?;
            let answer = without_places(record.effective_answer());
            let rest = format!("{answer}\n{}", record.tags.join(" "));
            if wanted.is_answered_by(&record.question, &rest) {
                found.words.push(id);
                found.worth.insert(id, worth(&record));
            }
            if wanted.names_subject_of(&record.question) {
                found.named.insert(id);
            }
        }
        if let Some(vector) = vector {
            found.vectors = self.nearest(vector, self.embedder.relevance_floor())?;
        }
        for id in &found.vectors {
            if !found.worth.contains_key(id) {
                found.worth.insert(*id, worth(&self.record(*id, analysis)?));
            }
        }
        Ok(found)
    }

    fn search_code(&self, query: &str, analysis: &ProjectAnalysis) -> Result<Vec<TextHit>> {
        let mut indexed = self.lock();
        if indexed.code_fingerprint.as_ref() != Some(&analysis.fingerprint) {
            self.code_index.replace_all((self.code_documents)(analysis))?;
            indexed.code_fingerprint = Some(analysis.fingerprint.clone());
        }
        let wanted = self.wanted(query, self.code_index.as_ref())?;
        let mut hits = self.code_index.search(&wanted.text(), HITS_PER_PATH)?;
        hits.retain(|hit| wanted.is_in(&format!("{}\n{}", hit.key, hit.text)));
        // Tests are short and full of the names of what they test.
        if !wanted.is_about(TESTS) {
            hits.sort_by_key(|hit| hit.source.as_ref().is_some_and(|s| is_test(analysis, &s.path)));
        }
        Ok(hits)
    }

    /// Records by the cosine of their nearer vector, best first, from `floor` on.
    fn nearest(&self, query: &[f32], floor: f32) -> Result<Vec<RecordId>> {
        self.refresh_record_index()?;
        let current = self.lock().current.clone();
        let mut best: HashMap<RecordId, f32> = HashMap::new();
        for role in [VectorRole::Question, VectorRole::Answer] {
            let search = VectorSearch {
                embedder: self.embedder.id(),
                role,
                vector: query,
                count: HITS_PER_PATH,
                wanted: &|record| {
                    let corrected = current.corrected.get(&record).copied();
                    corrected.is_some_and(|corrected| role == VectorRole::Question || !corrected)
                },
            };
            let hits = match self.store.nearest(&search) {
                // The model behind the embedder is not what it was: as good as down.
                Err(error) if error.kind() == ErrorKind::InvalidInput => {
                    tracing::warn!(%error, "searching without vectors");
                    break;
                }
                hits => hits?,
            };
            for hit in hits.into_iter().filter(|hit| hit.cosine >= floor) {
                let cosine = best.entry(hit.record).or_insert(f32::MIN);
                *cosine = cosine.max(hit.cosine);
            }
        }
        let mut ranked: Vec<(RecordId, f32)> = best.into_iter().collect();
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
        let current = records.iter().filter(|r| r.superseded_by.is_none());
        let documents = current.clone().map(|record| TextDocument {
            key: record.id.to_string(),
            text: document(record),
            source: None,
        });
        self.record_index.replace_all(documents.collect())?;
        let mut now = Current::default();
        for record in current {
            now.corrected.insert(record.id, record.correction.is_some());
            if let Freshness::Contradicted { by, .. } = record.freshness {
                now.doubtful.entry(by).or_default().push(record.id);
            }
        }
        indexed.current = Arc::new(now);
        indexed.records_revision = Some(revision);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Indexed> {
        self.indexed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer without the places it cites: `package.json:3` has nothing to do with JSON.
fn without_places(answer: &str) -> String {
    let is_place = |code: &str| {
        code.rsplit_once(':').is_some_and(|(path, lines)| {
            !path.is_empty() && lines.chars().all(|c| c.is_ascii_digit() || c == '-')
        })
    };
    let parts = answer.split('`').enumerate();
    let kept = parts.filter(|(at, part)| at % 2 == 0 || !is_place(part)).map(|(_, part)| part);
    kept.collect::<Vec<_>>().join(" ")
}

fn is_test(analysis: &ProjectAnalysis, path: &str) -> bool {
    let place = analysis.files.binary_search_by(|file| file.path.as_str().cmp(path));
    let file = place.ok().and_then(|i| analysis.files.get(i));
    file.is_some_and(|file| file.role == FileRole::Test)
}

/// What a record is searched by.
fn document(record: &LearningRecord) -> String {
    format!("{}\n{}\n{}", record.question, record.effective_answer(), record.tags.join(" "))
}

/// Of the sources that somebody claims, what the passages name of them.
fn named(claimed: &[SourceRef], passages: &[Passage]) -> Vec<SourceRef> {
    let places: Vec<&SourceRef> = passages.iter().flat_map(Passage::places).collect();
    let mut named: Vec<SourceRef> = claimed
        .iter()
        .filter_map(|claim| {
            let path = claim.path.trim_start_matches("./");
            let in_file = places.iter().filter(|place| place.path == path);
            in_file.filter_map(|place| common(claim, place)).next()
        })
        .collect();
    named.sort();
    named.dedup();
    named
}

/// What is in both places of one file; the file where one of them has no lines.
fn common(claim: &SourceRef, place: &SourceRef) -> Option<SourceRef> {
    let path = place.path.clone();
    let (Some(claimed), Some(named)) = (claim.start_line, place.start_line) else {
        return Some(SourceRef { path, start_line: None, end_line: None });
    };
    let start = claimed.max(named);
    let end = claim.end_line.unwrap_or(claimed).min(place.end_line.unwrap_or(named));
    (start <= end).then_some(SourceRef { path, start_line: Some(start), end_line: Some(end) })
}

/// The passages for which there is room, in their order, no line of code twice. One that is too long doesn't keep the next one
/// out.
fn within_budget(passages: Vec<Passage>, budget: u64) -> Vec<Passage> {
    let mut left = budget;
    let mut shown = HashSet::new();
    let mut taken = Vec::new();
    for passage in passages {
        for part in not_shown(passage, &shown) {
            if let Some(rest) = left.checked_sub(estimate_tokens(&part.to_markdown())) {
                left = rest;
                shown.extend(part.lines().map(|line| (line.path, line.line)));
                taken.push(part);
            }
        }
    }
    taken
}

/// What of a passage is not among the lines that are `shown`, by path and number: of a declaration inside another one, or
/// around it, the lines that are left. Lines without a word are not worth a place of their own.
fn not_shown(passage: Passage, shown: &HashSet<(String, u32)>) -> Vec<Passage> {
    let is_known = |line: &SourceLine| shown.contains(&(line.path.clone(), line.line));
    if !passage.lines().any(|line| is_known(&line)) {
        return vec![passage];
    }
    let mut parts: Vec<Vec<SourceLine>> = Vec::new();
    for line in passage.lines().filter(|line| !is_known(line)) {
        match parts.last_mut() {
            Some(part) if part.last().is_some_and(|last| last.line + 1 == line.line) => {
                part.push(line);
            }
            _ => parts.push(vec![line]),
        }
    }
    let says_something = |part: &Vec<SourceLine>| {
        part.iter().any(|line| line.text.chars().any(char::is_alphanumeric))
    };
    parts.into_iter().filter(says_something).filter_map(Passage::of_lines).collect()
}

/// Something that was found.
enum Place {
    Record(RecordId),
    Code(TextHit),
}

impl Paths {
    /// Reciprocal rank fusion, best first, after what is named. Equals stand in the order of the paths, for a record was found
    /// worth keeping once before.
    fn fused(self) -> Vec<Place> {
        let mut scored: Vec<(f32, Place)> = Vec::new();
        let mut places: HashMap<RecordId, usize> = HashMap::new();
        for path in [self.vectors, self.words] {
            for (rank, id) in (1_u16..).zip(path) {
                let worth = self.worth.get(&id).unwrap_or(&1.0) * share(rank);
                let place = *places.entry(id).or_insert(scored.len());
                match scored.get_mut(place) {
                    Some((score, _)) => *score += worth,
                    None => scored.push((worth, Place::Record(id))),
                }
            }
        }
        scored.extend((1..).zip(self.code).map(|(rank, hit)| (share(rank), Place::Code(hit))));
        scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        scored.sort_by_key(|(_, place)| match place {
            Place::Record(id) => !self.named.contains(id),
            Place::Code(_) => true,
        });
        scored.into_iter().map(|(_, place)| place).collect()
    }
}

/// What a record is worth beside others. What the user wrote outranks what was found since.
fn worth(record: &LearningRecord) -> f32 {
    let corrected = record.correction.is_some();
    let stale = matches!(record.freshness, Freshness::Stale { .. }) && !corrected;
    let rated = match record.rating {
        Some(Rating::Useful) => USEFUL_WORTH,
        Some(Rating::Useless) => DOUBTFUL_WORTH,
        None => 1.0,
    };
    let corrected = if corrected { CORRECTED_WORTH } else { 1.0 };
    let stale = if stale { DOUBTFUL_WORTH } else { 1.0 };
    corrected * stale * rated
}

/// What a rank is worth.
fn share(rank: u16) -> f32 {
    1.0 / (RANK_CONSTANT + f32::from(rank))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_stands_before_what_more_ways_of_searching_find() {
        let [near, named] = ["01K0000000000000000000000A", "01K0000000000000000000000B"]
            .map(|id| id.parse().unwrap());
        let hit = TextHit { key: "a".into(), score: 1.0, source: None, text: String::new() };
        let paths = Paths {
            vectors: vec![near],
            words: vec![near, named],
            code: vec![hit],
            named: HashSet::from([named]),
            worth: HashMap::new(),
        };
        let order: Vec<Option<RecordId>> = paths
            .fused()
            .into_iter()
            .map(|place| match place {
                Place::Record(id) => Some(id),
                Place::Code(_) => None,
            })
            .collect();
        assert_eq!(order, [Some(named), Some(near), None]);
    }

    fn code(path: &str, start: u32, text: &str) -> Passage {
        let end = start + u32::try_from(text.lines().count()).unwrap() - 1;
        let source = SourceRef { path: path.into(), start_line: Some(start), end_line: Some(end) };
        Passage::Code { source, text: text.into() }
    }

    #[test]
    fn no_line_of_code_is_shown_twice() {
        let method = code("a.rs", 3, "fn b() {\n    c();\n}");
        let around = code("a.rs", 1, "impl A {\n    // All of it.\nfn b() {\n    c();\n}\n}");
        let inside = code("a.rs", 4, "    c();");
        let behind = code("a.rs", 5, "}\nfn d() {}");
        let elsewhere = code("b.rs", 3, "fn b() {\n    c();\n}");
        let shown = within_budget(
            vec![method.clone(), around, inside, behind, elsewhere.clone()],
            u64::MAX,
        );
        let head = code("a.rs", 1, "impl A {\n    // All of it.");
        // The brace that closes the type was left over, and is nothing to show.
        let rest = code("a.rs", 6, "fn d() {}");
        assert_eq!(shown, [method, head, rest, elsewhere]);
    }

    #[test]
    fn what_finds_no_room_hides_nothing_that_does() {
        let long = code("a.rs", 1, &["fn a() {}"; 200].join("\n"));
        let short = code("a.rs", 2, "fn a() {}");
        assert_eq!(within_budget(vec![long, short.clone()], 100), [short]);
    }
}
