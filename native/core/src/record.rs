//! Learning records: what was learnt, from where, and how sure it is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Language, ProjectKey, QuestionType, RecordId, TokenUsage, Topic};

/// A place in a project's file that backs a statement.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceRef {
    /// Path relative to the project's root, `/`-separated.
    pub path: String,
    /// First line, from 1; `None` for the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// Last line, inclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
}

/// One step of an exploration, as it is kept in a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCallStep {
    /// The tool.
    pub tool_name: String,
    /// Its arguments.
    pub parameters: Value,
    /// What came back, in a sentence.
    pub result_summary: String,
    /// When it was called, epoch milliseconds.
    pub at: i64,
    /// How long it took, milliseconds.
    pub duration_ms: u64,
    /// Whether the result came from the cache.
    pub cached: bool,
    /// Whether the result was an error.
    #[serde(default)]
    pub is_error: bool,
}

/// Whether a record still holds: its sources are what they were, and nothing that was learnt later says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Freshness {
    /// No source has changed.
    #[default]
    Fresh,
    /// A source has changed.
    Stale {
        /// The first file seen to differ.
        path: String,
        /// When that was seen, epoch milliseconds.
        since: i64,
    },
    /// A later answer says otherwise; the question is answered anew.
    Contradicted {
        /// The record with that answer.
        by: RecordId,
        /// When that was seen, epoch milliseconds.
        since: i64,
    },
    /// The user wants the question answered anew.
    AskedAgain {
        /// When, epoch milliseconds.
        since: i64,
    },
}

/// A user's own words, which outrank the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The corrected answer.
    pub text: String,
    /// When, epoch milliseconds.
    pub at: i64,
}

/// What a user thinks of a record: where it stands when something is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rating {
    /// It stands higher.
    Useful,
    /// It stands lower.
    Useless,
}

/// What was learnt from one question. Added, never overwritten; only the marks at its end change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearningRecord {
    /// Sorts by creation.
    pub id: RecordId,
    /// The project.
    pub project_key: ProjectKey,
    /// Epoch milliseconds.
    pub created_at: i64,
    /// The question.
    pub question: String,
    /// Its type.
    pub question_type: QuestionType,
    /// The answer, Markdown.
    pub answer: String,
    /// The tool calls that led to it.
    pub exploration_path: Vec<ToolCallStep>,
    /// 0 (a guess) to 1 (certain).
    pub confidence: f32,
    /// Files and lines that back the answer; every one was really read.
    pub source_files: Vec<SourceRef>,
    /// SHA-256 of each source file's content when it was read, by path.
    #[serde(default)]
    pub source_hashes: BTreeMap<String, String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The part of the subject it belongs to.
    pub domain: String,
    /// Its place in the coverage map.
    #[serde(default)]
    pub topic: Option<Topic>,
    /// The language of question and answer.
    #[serde(default)]
    pub language: Language,
    /// The embedder of its vectors.
    pub embedder: String,
    /// The model that answered; `offline` for the built-in reasoner.
    pub model: String,
    /// Tokens spent on it.
    pub tokens: TokenUsage,
    /// The record whose answer this one replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<RecordId>,
    /// The record that replaced this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<RecordId>,
    /// Whether its sources changed since.
    #[serde(default)]
    pub freshness: Freshness,
    /// Kept at the top by the user.
    #[serde(default)]
    pub pinned: bool,
    /// What the user thinks of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Rating>,
    /// The user's own words; they outrank [`LearningRecord::answer`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<Correction>,
}

impl LearningRecord {
    /// What to show as the answer: the user's correction, else the answer.
    pub fn effective_answer(&self) -> &str {
        self.correction.as_ref().map_or(&self.answer, |c| &c.text)
    }

    /// What may change after the record was added.
    pub fn marks(&self) -> RecordMarks {
        RecordMarks {
            embedder: self.embedder.clone(),
            supersedes: self.supersedes,
            superseded_by: self.superseded_by,
            freshness: self.freshness.clone(),
            pinned: self.pinned,
            rating: self.rating,
            correction: self.correction.clone(),
        }
    }

    /// Replaces what may change.
    pub fn set_marks(&mut self, marks: RecordMarks) {
        let RecordMarks {
            embedder,
            supersedes,
            superseded_by,
            freshness,
            pinned,
            rating,
            correction,
        } = marks;
        self.embedder = embedder;
        self.supersedes = supersedes;
        self.superseded_by = superseded_by;
        self.freshness = freshness;
        self.pinned = pinned;
        self.rating = rating;
        self.correction = correction;
    }

    /// Whether `other` is this record but for its [`RecordMarks`].
    pub fn differs_only_in_marks(&self, other: &Self) -> bool {
        let mut marked = self.clone();
        marked.set_marks(other.marks());
        marked == *other
    }
}

/// What may change of a record after it was added: pin, rating, correction, freshness, supersession, and the embedder of its
/// vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordMarks {
    /// See [`LearningRecord::embedder`].
    pub embedder: String,
    /// See [`LearningRecord::supersedes`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<RecordId>,
    /// See [`LearningRecord::superseded_by`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<RecordId>,
    /// See [`LearningRecord::freshness`].
    #[serde(default)]
    pub freshness: Freshness,
    /// See [`LearningRecord::pinned`].
    #[serde(default)]
    pub pinned: bool,
    /// See [`LearningRecord::rating`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Rating>,
    /// See [`LearningRecord::correction`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<Correction>,
}

/// Which of a record's texts a vector stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VectorRole {
    /// The question.
    Question,
    /// The answer.
    Answer,
}

/// A vector and where it came from. Vectors of different embedders are never compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredVector {
    /// The record.
    pub record: RecordId,
    /// Which of its texts.
    pub role: VectorRole,
    /// The embedder's id.
    pub embedder: String,
    /// The normalised vector.
    pub values: Vec<f32>,
}

/// What the loop knows about a project besides its records.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProjectMemory {
    /// Languages, build systems, frameworks.
    pub tech_stack: Vec<String>,
    /// Parts of the subject seen so far.
    pub domains: Vec<String>,
    /// Every record, oldest first. Filled by the store, which knows them anyway: never written.
    #[serde(skip)]
    pub learning_record_ids: Vec<RecordId>,
    /// What is known to be unknown.
    pub knowledge_gaps: Vec<KnowledgeGap>,
    /// How the loop rests, if it does.
    pub evolution_status: EvolutionStatus,
}

/// Something that an answer named and nobody has explained yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnowledgeGap {
    /// What is unknown.
    pub what: String,
    /// The record that named it.
    pub named_by: Option<RecordId>,
    /// When, epoch milliseconds.
    pub since: i64,
}

/// What is remembered between two runs of the loop.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EvolutionStatus {
    /// Fingerprint of the project when everything worth asking was answered.
    pub complete_at_fingerprint: Option<String>,
    /// Questions in a row that were refused as duplicates.
    pub consecutive_duplicates: u32,
}
