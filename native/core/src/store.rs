//! The port to durable storage: one store for each project.

use serde::{Deserialize, Serialize};

use crate::{
    AskedQuestion, BackoffState, CachedToolCall, Error, ErrorKind, EvolutionConfig, EvolutionLog,
    FailureRecord, GuardState, LearningRecord, Observation, ProjectKey, ProjectMemory, Question,
    QuotaState, RecordId, Result, StopReason, StoredVector, TokenUsage, VectorCatalog, VectorHit,
    VectorRole, VectorSearch, vector_search::has_direction,
};

/// Counters that outlive a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Questions taken up, ever.
    pub total_questions: u64,
    /// Iterations finished, with or without a record.
    pub iterations: u64,
    /// Loops found in replies and in tool calls, ever.
    pub loops_detected: u64,
    /// When a record was last written, epoch milliseconds.
    pub last_evolution_at: Option<i64>,
    /// The local day that [`Counters::tokens_today`] belongs to, `YYYY-MM-DD`.
    pub tokens_day: String,
    /// Tokens spent on that day.
    pub tokens_today: TokenUsage,
    /// When the rest that follows the last iteration ends, epoch milliseconds: it holds for the next run, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_iteration_at: Option<i64>,
    /// Iterations since something was last learnt that brought no question.
    pub fruitless_rounds: u32,
    /// Those of the last run that took a question up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<RunLimits>,
    /// How the last run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_end: Option<LastEnd>,
}

/// How a run ended. One that is stopped or cut off writes nothing more: from its beginning on it counts as stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastEnd {
    /// Why.
    pub reason: StopReason,
    /// When, epoch milliseconds; of a run that was stopped, when it began.
    pub at: i64,
}

/// The limits of a run, for who looks at its project later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    /// Questions a local day.
    pub max_daily_questions: u32,
    /// Explorations a local day.
    pub max_daily_explorations: u32,
    /// Errors in a row.
    pub max_consecutive_errors: u32,
    /// Megabytes of the store; 0 for no limit.
    pub max_store_mb: u64,
}

impl RunLimits {
    /// Settings with these limits.
    pub fn config(&self) -> EvolutionConfig {
        EvolutionConfig {
            max_daily_questions: self.max_daily_questions,
            max_daily_explorations: self.max_daily_explorations,
            max_consecutive_errors: self.max_consecutive_errors,
            max_store_mb: self.max_store_mb,
            ..EvolutionConfig::default()
        }
    }
}

impl From<&EvolutionConfig> for RunLimits {
    fn from(config: &EvolutionConfig) -> Self {
        Self {
            max_daily_questions: config.max_daily_questions,
            max_daily_explorations: config.max_daily_explorations,
            max_consecutive_errors: config.max_consecutive_errors,
            max_store_mb: config.max_store_mb,
        }
    }
}

/// An iteration that was begun: what a restart resumes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InFlight {
    /// The question it explores.
    pub question: Question,
    /// When it was taken up, epoch milliseconds.
    pub started_at: i64,
    /// The steps that are done.
    pub observations: Vec<Observation>,
    /// Tokens spent so far.
    pub tokens: TokenUsage,
}

/// One change to a project's store. A slice of them is one transaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Adds a record, or replaces the marks of one (see [`LearningRecord::differs_only_in_marks`]). Changes nothing
    /// when the record was deleted: deleted stays deleted, whoever still holds a copy.
    PutRecord(Box<LearningRecord>),
    /// Removes a record and its vectors; one that doesn't exist is no error.
    DeleteRecord(RecordId),
    /// Adds a vector, or replaces the one of the same record, role and embedder. Changes nothing when the record
    /// doesn't exist (at this place in the transaction).
    PutVector(StoredVector),
    /// Replaces the memory.
    PutMemory(ProjectMemory),
    /// Replaces the counters.
    PutCounters(Counters),
    /// Adds a line to the log. The store keeps the newest 10,000 of the last 30 days.
    AppendLog(EvolutionLog),
    /// Replaces what a restart resumes.
    PutInFlight(Option<Box<InFlight>>),
    /// Replaces layer 4's state.
    PutBackoff(BackoffState),
    /// Replaces layer 5's state.
    PutQuota(QuotaState),
    /// Adds or replaces a failure record, by its signature.
    PutFailure(Box<FailureRecord>),
    /// Removes the failure record of this signature.
    DeleteFailure(String),
    /// Adds or replaces a question, by its hash.
    PutAsked(AskedQuestion),
    /// Adds or replaces a cached tool call, by its signature.
    PutToolCall(Box<CachedToolCall>),
    /// Removes the cached tool call of this signature.
    DeleteToolCall(String),
}

impl Change {
    /// Whether any store of `project` can take this change.
    ///
    /// # Errors
    /// `InvalidInput` for a record of another project, a confidence outside 0 to 1, or a vector that is empty, zero,
    /// not finite or without an embedder.
    pub fn check(&self, project: &ProjectKey) -> Result<()> {
        match self {
            Self::PutRecord(record) if record.project_key != *project => {
                Err(Error::invalid(format!(
                    "record {} belongs to project {} and can't be stored with {project}",
                    record.id, record.project_key
                )))
            }
            Self::PutRecord(record) if !(0.0..=1.0).contains(&record.confidence) => {
                Err(Error::invalid(format!(
                    "record {}: confidence {} must be between 0 and 1",
                    record.id, record.confidence
                )))
            }
            Self::PutVector(v) if v.embedder.is_empty() || v.values.is_empty() => {
                Err(Error::invalid(format!(
                    "a vector of record {} is empty or names no embedder",
                    v.record
                )))
            }
            Self::PutVector(v) if !v.values.iter().all(|x| x.is_finite()) => {
                Err(Error::invalid(format!(
                    "embedder {} gave a vector with a number that is not finite for record {}",
                    v.embedder, v.record
                )))
            }
            Self::PutVector(v) if !has_direction(&v.values) => Err(Error::invalid(format!(
                "embedder {} gave a vector of nothing but zeros for record {}",
                v.embedder, v.record
            ))),
            _ => Ok(()),
        }
    }
}

/// Newest-first pages of records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordQuery {
    /// Only records older than this one.
    pub before: Option<RecordId>,
    /// At most so many; 0 means all.
    pub limit: usize,
}

/// A project's durable state.
///
/// Every method may block on the disk for some milliseconds: async callers use `spawn_blocking`.
pub trait RecordStore: Send + Sync {
    /// The project this store belongs to.
    fn project_key(&self) -> &ProjectKey;

    /// Applies all changes or none. When it returns `Ok`, they survive `kill -9` and a power cut.
    ///
    /// # Errors
    /// `InvalidInput` for what [`Change::check`] refuses, for another content under the id of a stored record
    /// (records are added, never overwritten), and for vectors of two lengths from one embedder. `Storage` when the medium is full or read-only, `Damaged` after a failed
    /// flush (the store then refuses further writes until it is opened again).
    fn commit(&self, changes: &[Change]) -> Result<()>;

    /// The record of this id.
    ///
    /// # Errors
    /// `NotFound`; `Damaged` names the id.
    fn record(&self, id: RecordId) -> Result<LearningRecord>;

    /// A page of records, newest first.
    ///
    /// # Errors
    /// `Damaged`.
    fn records(&self, query: &RecordQuery) -> Result<Vec<LearningRecord>>;

    /// A page of records as a JSON array, for a reader in another language: what [`Self::records`] gives, but for fields with
    /// a default that an older program left out.
    ///
    /// # Errors
    /// `Damaged`.
    fn records_json(&self, query: &RecordQuery) -> Result<Vec<u8>> {
        let records = self.records(query)?;
        serde_json::to_vec(&records).map_err(|error| {
            Error::new(ErrorKind::Internal, format!("records can't be written as JSON: {error}"))
        })
    }

    /// Rises with every commit that adds, changes or removes a record; starts anew with the process. It tells an
    /// index built over the records whether it is still true, without reading them.
    fn records_revision(&self) -> u64;

    /// How many records there are.
    ///
    /// # Errors
    /// `Damaged`.
    fn record_count(&self) -> Result<usize>;

    /// Every vector of this embedder, in no particular order.
    ///
    /// # Errors
    /// `Damaged`.
    fn vectors(&self, embedder: &str) -> Result<Vec<StoredVector>>;

    /// The stored vectors nearest to one, best first, equals by record. A store may look at a part of them only, as long as
    /// it finds the true nearest nearly always (the cosines it gives are exact). The default compares with all.
    ///
    /// # Errors
    /// `Damaged`; `InvalidInput` that names the embedder for a vector that can't be compared with the stored ones.
    fn nearest(&self, search: &VectorSearch<'_>) -> Result<Vec<VectorHit>> {
        search.scan(&self.vectors(search.embedder)?)
    }

    /// Which records have a vector of this embedder and role.
    ///
    /// # Errors
    /// `Damaged`.
    fn vector_catalog(&self, embedder: &str, role: VectorRole) -> Result<VectorCatalog> {
        Ok(VectorCatalog::of(&self.vectors(embedder)?, role))
    }

    /// The memory; the default before the first commit. Its `learning_record_ids` are those of the stored records,
    /// whatever was put.
    ///
    /// # Errors
    /// `Damaged`.
    fn memory(&self) -> Result<ProjectMemory>;

    /// The counters; zero before the first commit.
    ///
    /// # Errors
    /// `Damaged`.
    fn counters(&self) -> Result<Counters>;

    /// The newest `limit` lines of the log, newest first.
    ///
    /// # Errors
    /// `Damaged`.
    fn log(&self, limit: usize) -> Result<Vec<EvolutionLog>>;

    /// What a restart resumes.
    ///
    /// # Errors
    /// `Damaged`.
    fn in_flight(&self) -> Result<Option<InFlight>>;

    /// The guard's state. Asked questions and tool calls are sorted by their time, ties by when they were put.
    ///
    /// # Errors
    /// `Damaged`.
    fn guard_state(&self) -> Result<GuardState>;

    /// Gives back the space of what was deleted and replaced, where there is much of it; else it costs next to nothing. While
    /// it copies, everybody else waits: to be called from time to time, when nobody does.
    ///
    /// # Errors
    /// `Storage` when there is no room for the copies, `Damaged` when something that should be copied can't be read: all is as
    /// it was before.
    fn compact(&self) -> Result<()> {
        Ok(())
    }

    /// Bytes on disk.
    ///
    /// # Errors
    /// `Storage`.
    fn size_on_disk(&self) -> Result<u64>;
}
