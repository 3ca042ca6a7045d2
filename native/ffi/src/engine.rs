//! One open project and what can be asked of it.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use ouro_core::{
    Change, Correction, EvolutionStats, FailureRecord, LearningRecord, RecordId, RecordQuery,
    StopReason, clock::with_timeout,
};
use ouro_engine::{Engine, LoopHandle, Passage, RunPlan, resting_stats};
use serde_json::Value;

use crate::{
    compose::Parts,
    error::{BridgeError, Result},
    wire::{self, Answer, CodePlace, Request},
};

/// Tokens of context that an answer may use.
const RECALL_BUDGET: u64 = 4_000;

/// Tokens of one answered question: the context, the prompt around it, and the reply.
const ANSWER_BUDGET: u64 = 8_000;

/// A project that a host has opened.
pub(crate) struct Session {
    parts: Parts,
    engine: Engine,
    /// The loop that was started last, whether it still runs or not.
    last: Mutex<Option<LoopHandle>>,
}

impl Session {
    /// A session whose loop does not run.
    pub(crate) fn new(parts: Parts) -> Self {
        Self { parts, engine: Engine::new(), last: Mutex::new(None) }
    }

    /// Does what is asked and gives the answer as JSON.
    pub(crate) async fn call(&self, request: Request) -> Result<Vec<u8>> {
        match request {
            Request::Start { iterations } => self.start(iterations).await,
            Request::Stop => {
                self.engine.stop_all().await;
                wire::write(&wire::NULL)
            }
            Request::Wait { timeout_ms } => {
                wire::write(&self.wait(Duration::from_millis(timeout_ms)).await?)
            }
            Request::ProjectChanged => {
                if let Some(running) = self.last() {
                    running.project_changed();
                }
                wire::write(&wire::NULL)
            }
            Request::Stats => wire::write(&self.stats().await?),
            Request::Search { query } => {
                wire::write(&self.parts.recall.recall_records(&query).await?)
            }
            Request::Ask { question } => wire::write(&self.ask(&question).await?),
            Request::DeleteRecord { id } => self.delete(id),
            Request::Records { before, limit } => {
                wire::write(&self.parts.project.store.records(&RecordQuery { before, limit })?)
            }
            Request::MarkRecord { id, pinned, correction } => {
                wire::write(&self.mark(id, pinned, correction)?)
            }
            Request::Failures => wire::write(&self.failures()?),
            Request::ForgetFailure { signature } => {
                self.parts.project.store.commit(&[Change::DeleteFailure(signature)])?;
                wire::write(&wire::NULL)
            }
            Request::Log { limit } => wire::write(&self.parts.project.store.log(limit)?),
        }
    }

    /// Stops the loop and waits for its end.
    pub(crate) async fn close(&self) {
        self.engine.stop_all().await;
    }

    async fn start(&self, iterations: Option<u32>) -> Result<Vec<u8>> {
        let plan = iterations.map_or(RunPlan::FOREVER, RunPlan::bounded);
        let handle = self.engine.start(self.parts.project.clone(), plan).await?;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(handle);
        wire::write(&wire::NULL)
    }

    async fn wait(&self, limit: Duration) -> Result<Option<StopReason>> {
        let Some(handle) = self.last() else {
            return Err(BridgeError::invalid("nothing was started, so nothing can be waited for"));
        };
        let clock = self.parts.project.clock.as_ref();
        match with_timeout(clock, limit, "the loop", handle.finished()).await {
            Ok(reason) => Ok(Some(reason?)),
            Err(_) => Ok(None),
        }
    }

    async fn stats(&self) -> Result<EvolutionStats> {
        if let Some(handle) = self.last() {
            return Ok(handle.stats());
        }
        let project = &self.parts.project;
        Ok(resting_stats(project.store.clone(), &project.guard, project.clock.as_ref()).await?)
    }

    fn last(&self) -> Option<LoopHandle> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn ask(&self, question: &str) -> Result<Answer> {
        let Parts { project, recall, has_model } = &self.parts;
        let passages = recall.recall(question, RECALL_BUDGET).await?;
        let answer = if *has_model {
            let (reasoner, language) = (project.reasoner.as_ref(), project.config.language);
            let answer = recall.answer(reasoner, question, &passages, language, ANSWER_BUDGET);
            Some(answer.await?.answer)
        } else {
            None
        };
        let mut found = Answer { answer, records: Vec::new(), code: Vec::new() };
        for passage in passages {
            match passage {
                Passage::Record(record) => found.records.push(*record),
                Passage::Code { source, text } => found.code.push(CodePlace { source, text }),
            }
        }
        Ok(found)
    }

    fn mark(
        &self,
        id: RecordId,
        pinned: Option<bool>,
        correction: Option<String>,
    ) -> Result<LearningRecord> {
        let project = &self.parts.project;
        let mut record = project.store.record(id)?;
        record.pinned = pinned.unwrap_or(record.pinned);
        if let Some(text) = correction {
            record.correction = Some(Correction { text, at: project.clock.now_ms() });
        }
        project.store.commit(&[Change::PutRecord(Box::new(record.clone()))])?;
        Ok(record)
    }

    fn delete(&self, id: RecordId) -> Result<Vec<u8>> {
        let project = &self.parts.project;
        project.store.record(id)?;
        let prepared = project.guard.prepare_delete(id);
        project.store.commit(prepared.changes())?;
        wire::write(&Value::Null)
    }

    fn failures(&self) -> Result<Vec<FailureRecord>> {
        let mut failures = self.parts.project.store.guard_state()?.failures;
        failures.sort_by_key(|failure| std::cmp::Reverse(failure.last_at));
        Ok(failures)
    }
}
