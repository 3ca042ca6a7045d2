//! What a host does with the records of a project.

use ouro_core::{Change, Correction, Freshness, Language, LearningRecord, RecordId, RecordQuery};
use ouro_engine::Passage;

use crate::{
    compose::{Opened, Parts},
    error::Result,
    request::RatingMark,
    wire::{Answer, CodePlace},
};

/// Tokens of context that an answer may use.
const RECALL_BUDGET: u64 = 4_000;

/// Tokens of one answered question: the context, the prompt around it, and the reply.
const ANSWER_BUDGET: u64 = 8_000;

/// Questions that are offered where nothing is known.
const NEAREST: usize = 3;

/// Answers a question from what is known.
pub(crate) async fn ask(parts: &Parts, question: &str) -> Result<Answer> {
    let Parts { project, recall, has_model, .. } = parts;
    let passages = recall.recall(question, RECALL_BUDGET).await?;
    let mut found = Answer::default();
    if passages.is_empty() {
        // Nothing that is known has to do with it: nobody is asked to make something up.
        found.nearest_questions = recall.nearest_questions(question, NEAREST).await?;
    } else if *has_model {
        let (reasoner, language) = (project.reasoner.as_ref(), project.config.language);
        let answer = recall.answer(reasoner, question, &passages, language, ANSWER_BUDGET).await?;
        found.source_files = answer.value.source_files;
        found.answer = Some(answer.value.answer);
        found.tokens = answer.usage;
    }
    for passage in passages {
        match passage {
            Passage::Record(record) => found.records.push(*record),
            Passage::Code { source, text } => found.code.push(CodePlace { source, text }),
        }
    }
    Ok(found)
}

/// Everything that is known about a query, as Markdown.
pub(crate) async fn knowledge(parts: &Parts, query: &str, tokens: u64) -> Result<String> {
    let passages = parts.recall.recall(query, tokens).await?;
    Ok(ouro_engine::knowledge(&passages))
}

/// Changes what may change of a record.
pub(crate) fn mark(
    opened: &Opened,
    id: RecordId,
    pinned: Option<bool>,
    correction: Option<String>,
    rating: Option<RatingMark>,
) -> Result<LearningRecord> {
    change(opened, id, |record| {
        if let Some(rating) = rating {
            record.rating = rating.into();
        }
        record.pinned = pinned.unwrap_or(record.pinned);
        if let Some(text) = correction {
            let at = opened.clock.now_ms();
            record.correction = (!text.trim().is_empty()).then_some(Correction { text, at });
        }
    })
}

/// Has a record answered anew by the next iteration.
pub(crate) fn ask_again(opened: &Opened, id: RecordId) -> Result<LearningRecord> {
    let since = opened.clock.now_ms();
    change(opened, id, |record| record.freshness = Freshness::AskedAgain { since })
}

fn change(
    opened: &Opened,
    id: RecordId,
    edit: impl FnOnce(&mut LearningRecord),
) -> Result<LearningRecord> {
    let mut record = opened.store.record(id)?;
    edit(&mut record);
    opened.store.commit(&[Change::PutRecord(Box::new(record.clone()))])?;
    Ok(record)
}

/// Removes a record. Its question counts as put aside: the user does not want to read of it again.
pub(crate) fn delete(opened: &Opened, parts: &Parts, id: RecordId) -> Result<()> {
    opened.store.record(id)?;
    let prepared = parts.project.guard.prepare_delete(id);
    opened.store.commit(prepared.changes())?;
    parts.project.guard.apply(prepared);
    Ok(())
}

/// All records as Markdown.
pub(crate) fn export(opened: &Opened, language: Language) -> Result<String> {
    let mut records = opened.store.records(&RecordQuery::default())?;
    records.reverse();
    let name = opened.root.file_name().unwrap_or_default().to_string_lossy();
    Ok(ouro_engine::markdown(&name, &records, language))
}
