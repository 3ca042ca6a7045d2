//! The port to whoever thinks: a model, or the built-in offline reasoner.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    AvoidStrategy, FailureRecord, KnowledgeGap, Language, LearningRecord, ProjectAnalysis,
    Question, RecordId, Result, SourceLine, SourceRef, TokenUsage, ToolCallStep, ToolSpec,
};

/// A reply and what it cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Thought<T> {
    /// The reply.
    pub value: T,
    /// What it cost, replies that were broken off included.
    pub usage: TokenUsage,
    /// Replies before it that were broken off or put away because they ran in circles.
    pub loops: Vec<LoopReport>,
}

/// A loop that was found in a reply or in a sequence of tool calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopReport {
    /// What kind, as the loop detectors name it: `paragraph`, `alternating_tool_calls`, ...
    pub kind: String,
    /// What repeated, how often, from where, in a sentence.
    pub evidence: String,
}

impl<T> Thought<T> {
    /// A reply that cost nothing.
    pub fn free(value: T) -> Self {
        Self { value, usage: TokenUsage::default(), loops: Vec::new() }
    }
}

/// One finished step of an exploration with what it brought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The call.
    pub step: ToolCallStep,
    /// The result's text for the reasoner.
    pub content: String,
    /// The lines of files it showed: the only lines an answer may cite.
    pub lines: Vec<SourceLine>,
}

/// What a reasoner may know when it asks.
#[derive(Debug, Clone)]
pub struct QuestionRequest {
    /// How many questions.
    pub count: usize,
    /// In which language.
    pub language: Language,
    /// The project.
    pub analysis: Arc<ProjectAnalysis>,
    /// Records so far, newest first (superseded ones left out).
    pub records: Arc<Vec<LearningRecord>>,
    /// What is known to be unknown.
    pub gaps: Vec<KnowledgeGap>,
    /// Every question that was taken up before and is not a record (failed or skipped).
    pub put_aside: Vec<String>,
    /// Questions of this round that were refused, with the reason.
    pub rejected: Vec<(String, String)>,
    /// How to avoid what the last attempt failed of.
    pub advice: Option<AvoidStrategy>,
    /// The names of the tools that there will be to look for the answers with.
    pub tools: Vec<String>,
    /// Holes in the coverage map, the most urgent first: level and module.
    pub uncovered: Vec<(crate::Level, String)>,
    /// Tokens left for this iteration.
    pub tokens_left: u64,
}

/// What a reasoner may know when it chooses the next step.
#[derive(Debug, Clone)]
pub struct ActionRequest {
    /// The question.
    pub question: Question,
    /// In which language.
    pub language: Language,
    /// The project.
    pub analysis: Arc<ProjectAnalysis>,
    /// The tools.
    pub tools: Vec<ToolSpec>,
    /// The steps so far.
    pub observations: Arc<Vec<Observation>>,
    /// How to avoid an earlier failure of the same exploration.
    pub advice: Option<AvoidStrategy>,
    /// What to tell a model whose calls have begun to run in circles.
    pub hint: Option<String>,
    /// Steps left.
    pub steps_left: u32,
    /// Whether the gathered text passed the sufficient size.
    pub sufficient: bool,
    /// Tokens left for this iteration.
    pub tokens_left: u64,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NextAction {
    /// Nothing more is needed.
    pub should_stop: bool,
    /// The tool, unless stopping.
    #[serde(default)]
    pub tool_name: String,
    /// Its arguments.
    #[serde(default)]
    pub parameters: Value,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

/// What a reasoner may know when it sums up.
#[derive(Debug, Clone)]
pub struct SummaryRequest {
    /// The question.
    pub question: Question,
    /// In which language.
    pub language: Language,
    /// The project.
    pub analysis: Arc<ProjectAnalysis>,
    /// Every step.
    pub observations: Arc<Vec<Observation>>,
    /// Records so far, newest first, so that nothing is said twice and a contradiction is seen.
    pub records: Arc<Vec<LearningRecord>>,
    /// How to avoid an earlier failure of the same exploration.
    pub advice: Option<AvoidStrategy>,
    /// Ask for line ranges.
    pub cite_lines: bool,
    /// Tokens left for this iteration.
    pub tokens_left: u64,
}

/// An answer, before its sources are checked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Markdown.
    pub answer: String,
    /// 0..1.
    #[serde(default)]
    pub confidence: f32,
    /// What it claims to rest on.
    #[serde(default)]
    pub source_files: Vec<SourceRef>,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The part of the subject.
    #[serde(default)]
    pub domain: String,
    /// What it names but doesn't know.
    #[serde(default)]
    pub gaps: Vec<String>,
    /// Earlier records whose answers it shows to be wrong.
    #[serde(default)]
    pub contradicts: Vec<RecordId>,
}

/// Whoever thinks.
#[async_trait]
pub trait Reasoner: Send + Sync {
    /// The name that records carry: a model's, or `offline`.
    fn id(&self) -> &str;

    /// Proposes questions. An empty list means that nothing is left that is worth asking.
    ///
    /// # Errors
    /// The model's: see [`crate::ChatModel::chat`].
    async fn generate_questions(&self, request: QuestionRequest) -> Result<Thought<Vec<Question>>>;

    /// Chooses the next step.
    ///
    /// # Errors
    /// The model's.
    async fn next_action(&self, request: ActionRequest) -> Result<Thought<NextAction>>;

    /// Answers the question from what was found.
    ///
    /// # Errors
    /// The model's; `NotFound` when what was found doesn't answer the question: it is put aside, and nothing failed.
    async fn summarize(&self, request: SummaryRequest) -> Result<Thought<Summary>>;

    /// Finds out how to avoid a failure, with the tokens that are left for its iteration.
    ///
    /// # Errors
    /// The model's.
    async fn analyse_failure(
        &self,
        failure: &FailureRecord,
        tokens_left: u64,
    ) -> Result<Thought<AvoidStrategy>>;

    /// Whether its thoughts cost tokens, of which a day has so many.
    fn spends_tokens(&self) -> bool {
        true
    }

    /// What thoughts cost that were dropped before their end, as an estimate, since the last time.
    fn take_abandoned(&self) -> TokenUsage {
        TokenUsage::default()
    }
}
