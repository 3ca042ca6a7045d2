//! The port's implementation: asks, explores and answers by rule.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use ouro_core::{
    ActionRequest, AvoidStrategy, Error, ErrorKind, FailureRecord, NextAction, ProjectAnalysis,
    Question, QuestionRequest, Reasoner, Result, Summary, SummaryRequest, Thought, Topic,
};
use rust_i18n::t;

use super::{
    draft::Draft,
    evidence::{self, Evidence},
    facts::Facts,
    failure,
    inquiry::{self, Inquiry},
    plan,
    subject::Subject,
    topics::{self, Known},
    wording::Wording,
};

/// Thinks without a model and without a network.
///
/// Deterministic: the same seed, project and records give the same questions, steps and answers.
#[derive(Debug)]
pub struct OfflineReasoner {
    seed: u64,
    facts: Mutex<Option<Arc<Facts>>>,
}

impl OfflineReasoner {
    /// A reasoner whose choice between equally good wordings follows `seed`.
    pub fn new(seed: u64) -> Self {
        Self { seed, facts: Mutex::new(None) }
    }

    /// The index of this analysis; made once for each scan.
    fn facts(&self, analysis: &Arc<ProjectAnalysis>) -> Arc<Facts> {
        let mut known = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        match known.as_ref().filter(|facts| facts.is_of(analysis)) {
            Some(facts) => Arc::clone(facts),
            None => Arc::clone(known.insert(Arc::new(Facts::new(Arc::clone(analysis))))),
        }
    }

    fn question(
        &self,
        facts: &Facts,
        inquiry: &dyn Inquiry,
        wording: Wording,
        priority: u8,
    ) -> Question {
        let ask = inquiry.ask(facts, wording);
        let subject = inquiry.subject().to_string();
        let mut tools: Vec<String> =
            plan::calls(facts, &inquiry.wants(facts, &Evidence::default()), wording)
                .iter()
                .map(|c| c.tool.to_owned())
                .collect();
        let mut seen = BTreeSet::new();
        tools.retain(|t| seen.insert(t.clone()));
        Question {
            question: ask.question(wording, &subject),
            question_type: inquiry.question_type(),
            priority,
            reason: ask.reason(wording),
            suggested_tools: tools,
            expected_outcome: ask.expected(wording),
            topic: Some(Topic { level: inquiry.level(), module: inquiry.module(facts), subject }),
        }
    }
}

/// What records name as their model when they were made without one.
pub(crate) const OFFLINE: &str = "offline";

#[async_trait]
impl Reasoner for OfflineReasoner {
    fn id(&self) -> &str {
        OFFLINE
    }

    fn spends_tokens(&self) -> bool {
        false
    }

    async fn generate_questions(&self, request: QuestionRequest) -> Result<Thought<Vec<Question>>> {
        let facts = self.facts(&request.analysis);
        let wording = Wording::new(request.language, self.seed);
        let rejected = request.rejected.iter().map(|(q, _)| q);
        let asked = request.records.iter().map(|r| &r.question);
        let refused = request
            .put_aside
            .iter()
            .chain(rejected)
            .chain(asked)
            .map(|q| topics::plain(q))
            .collect();
        let known = Known {
            records: &request.records,
            gaps: &request.gaps,
            refused,
            uncovered: &request.uncovered,
        };
        let questions = topics::open(&facts, &known, self.seed)
            .iter()
            .take(request.count)
            .zip((1..=10_u8).rev().chain(std::iter::repeat(1)))
            .map(|(inquiry, priority)| self.question(&facts, inquiry.as_ref(), wording, priority))
            .collect();
        Ok(Thought::free(questions))
    }

    async fn next_action(&self, request: ActionRequest) -> Result<Thought<NextAction>> {
        let facts = self.facts(&request.analysis);
        let wording = Wording::new(request.language, self.seed);
        let stop = |why: &str| NextAction {
            should_stop: true,
            tool_name: String::new(),
            parameters: serde_json::Value::Null,
            reason: wording.word(why),
        };
        let Some(inquiry) = open(&facts, &request.question) else {
            return Ok(Thought::free(stop("plan.unknown")));
        };
        let seen = Evidence::gather(&request.observations);
        let calls = plan::calls(&facts, &inquiry.wants(&facts, &seen), wording);
        let available = |tool: &str| request.tools.iter().any(|t| t.name == tool);
        let next = plan::remaining(calls, &request.observations, wording)
            .into_iter()
            .find(|c| available(c.tool));
        Ok(Thought::free(match next {
            Some(call) => NextAction {
                should_stop: false,
                tool_name: call.tool.to_owned(),
                parameters: call.arguments,
                reason: call.reason,
            },
            None => stop("plan.done"),
        }))
    }

    async fn summarize(&self, request: SummaryRequest) -> Result<Thought<Summary>> {
        let nothing = |why: &str| {
            let why = t!(format!("put_aside.{why}"), locale = request.language.tag());
            Error::new(ErrorKind::NotFound, format!("{why}: {}", request.question.question))
        };
        let facts = self.facts(&request.analysis);
        let inquiry = open(&facts, &request.question).ok_or_else(|| nothing("unknown"))?;
        let evidence = Evidence::gather(&request.observations);
        let wording = Wording::new(request.language, self.seed);
        // The record that this answer takes the place of says the same things, and shall.
        let own = inquiry.subject().entity();
        let others = request.records.iter().filter(|r| {
            r.superseded_by.is_none()
                && r.question != request.question.question
                && topics::entity(r).as_deref() != Some(own.as_str())
        });
        let mut draft = Draft::new(&evidence, wording, others);
        inquiry.answer(&facts, &mut draft);
        let least = if *inquiry.subject() == Subject::Overview { 1 } else { 2 };
        if draft.substance() < least {
            return Err(nothing("unanswered"));
        }
        let module = inquiry.module(&facts);
        let confidence = draft.confidence();
        let (answer, cites, tags, gaps) = draft.finish();
        if !treats(&facts, &request.question.question, &answer) {
            return Err(nothing("beside_the_point"));
        }
        let sources = evidence::sources(cites);
        Ok(Thought::free(Summary {
            answer,
            confidence,
            source_files: sources,
            tags,
            domain: domain(&module, &facts),
            gaps: gaps.into_iter().take(3).collect(),
            // What the code says now is all that it knows.
            contradicts: Vec::new(),
        }))
    }

    async fn analyse_failure(
        &self,
        failure: &FailureRecord,
        _: u64,
    ) -> Result<Thought<AvoidStrategy>> {
        Ok(Thought::free(failure::analyse(failure)))
    }
}

/// Whether an answer names most of what its question names, places left out.
fn treats(facts: &Facts, question: &str, answer: &str) -> bool {
    let is_place = |name: &str| {
        facts.analysis().file(name).is_some()
            || facts.analysis().modules.iter().any(|m| m.path == name)
    };
    let names: Vec<&str> =
        question.split('`').skip(1).step_by(2).filter(|name| !is_place(name)).collect();
    let short = |name: &str| name.rsplit(['.', ':']).next().unwrap_or(name).to_owned();
    let named = names.iter().filter(|name| answer.contains(&short(name))).count();
    named * 2 > names.len() || names.is_empty()
}

/// The subject a question is about: from its topic, else from the names in it.
fn open(facts: &Facts, question: &Question) -> Option<Box<dyn Inquiry>> {
    let named = question.topic.as_ref().and_then(|t| Subject::parse(&t.subject));
    if let Some(inquiry) = named.and_then(|subject| inquiry::open(facts, &subject)) {
        return Some(inquiry);
    }
    let names = question.question.split('`').skip(1).step_by(2);
    names.filter_map(|name| facts.find_name(name)).find_map(|id| inquiry::about(facts, id))
}

/// The part of the subject: the module's own name, or the project's.
fn domain(module: &str, facts: &Facts) -> String {
    let own =
        module.rsplit('/').find(|p| !matches!(*p, "src" | "lib" | "main" | "java" | "kotlin" | ""));
    own.unwrap_or_else(|| facts.name()).to_owned()
}
