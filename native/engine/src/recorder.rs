//! Turns an answer into a record and writes everything that belongs to it in one transaction.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

use ouro_core::{
    Change, Event, EvolutionLog, EvolutionStatus, Freshness, KnowledgeGap, LearningRecord,
    Observation, Phase, ProjectAnalysis, ProjectMemory, RecordId, Result, SourceRef, StoredVector,
    Summary, TokenUsage, VectorRole,
};
use ouro_guard::embed_each;

use crate::{
    Project,
    blocking::blocking,
    coverage,
    current_records::CurrentRecords,
    gaps,
    questions::{Admitted, Knowledge},
    status::Status,
};

/// The highest confidence of an answer none of whose sources was really read.
const MAX_UNSOURCED_CONFIDENCE: f32 = 0.2;

/// Knowledge gaps beyond this many are dropped, oldest first.
const MAX_GAPS: usize = 100;

/// Everything a finished exploration leaves behind.
pub(crate) struct Finding {
    pub(crate) admitted: Admitted,
    pub(crate) summary: Summary,
    pub(crate) observations: Vec<Observation>,
    pub(crate) started_at: i64,
}

/// Writes the record, its vectors, the memory, the counters, the guard's marks and the log line: all or nothing.
///
/// # Errors
/// The store's; nothing is written then.
pub(crate) async fn record(
    project: &Project,
    status: &Status,
    current: &Arc<CurrentRecords>,
    knowledge: Knowledge,
    finding: Finding,
) -> Result<LearningRecord> {
    let now = project.clock.now_ms();
    let live = status.snapshot();
    let started_at = finding.started_at;
    let gaps = finding.summary.gaps.clone();
    let contradicts = finding.summary.contradicts.clone();
    let record = build(project, &knowledge.analysis, finding, live.iteration_tokens);
    let superseded = record.supersedes.and_then(|id| {
        let mut old = knowledge.records.iter().find(|r| r.id == id)?.clone();
        old.superseded_by = Some(record.id);
        Some(old)
    });
    let contradicted = contradicted(&knowledge.records, &contradicts, &record);
    let marked = contradicted.len();
    let vector = answer_vector(project, status, &record).await;
    let mut counters = live.counters;
    counters.iterations += 1;
    counters.last_evolution_at = Some(now);
    counters.next_iteration_at = Some(project.after_interval());
    counters.fruitless_rounds = 0;

    let prepared = project.guard.prepare_learned(&record.question, record.id).await;
    let mut changes = vec![Change::PutRecord(Box::new(record.clone()))];
    changes.extend(superseded.map(|old| Change::PutRecord(Box::new(old))));
    changes.extend(contradicted.into_iter().map(|old| Change::PutRecord(Box::new(old))));
    changes.extend(vector.map(Change::PutVector));
    changes.push(Change::PutMemory(remember(&knowledge, &record, gaps)));
    changes.push(Change::PutCounters(counters.clone()));
    changes.push(Change::AppendLog(EvolutionLog {
        timestamp: now,
        phase: Phase::Summarizing,
        question: Some(record.question.clone()),
        success: true,
        error: None,
        duration_ms: u64::try_from(now - started_at).unwrap_or(0),
    }));
    changes.push(Change::PutInFlight(None));
    changes.extend(prepared.changes().iter().cloned());
    // Held by nobody else, what is current can be changed in place.
    drop(knowledge);
    let (store, current) = (project.store.clone(), current.clone());
    blocking(move || current.commit(store.as_ref(), &changes)).await?;
    project.guard.apply(prepared);
    status.update(|live| {
        live.counters = counters;
        live.records += 1;
    });
    if marked > 0 {
        (project.events)(Event::RecordsMarked { count: marked });
    }
    Ok(record)
}

/// The records of those ids, marked as contradicted. A user's own words are not doubted, and what this record replaces is
/// history.
fn contradicted(
    records: &[LearningRecord],
    ids: &[RecordId],
    by: &LearningRecord,
) -> Vec<LearningRecord> {
    let freshness = Freshness::Contradicted { by: by.id, since: by.created_at };
    records
        .iter()
        .filter(|old| ids.contains(&old.id))
        .filter(|old| old.correction.is_none() && by.supersedes != Some(old.id))
        .map(|old| LearningRecord { freshness: freshness.clone(), ..old.clone() })
        .collect()
}

fn build(
    project: &Project,
    analysis: &ProjectAnalysis,
    finding: Finding,
    tokens: TokenUsage,
) -> LearningRecord {
    let Finding { admitted, summary, observations, .. } = finding;
    let source_files = really_read(&summary.source_files, &observations);
    let mut confidence =
        if summary.confidence.is_finite() { summary.confidence.clamp(0.0, 1.0) } else { 0.0 };
    if source_files.is_empty() {
        confidence = confidence.min(MAX_UNSOURCED_CONFIDENCE);
    }
    let source_hashes: BTreeMap<String, String> = source_files
        .iter()
        .filter_map(|s| Some((s.path.clone(), analysis.file(&s.path)?.content_hash.clone())))
        .collect();
    let topic = coverage::topic(&admitted.question, &source_files);
    LearningRecord {
        id: RecordId::new(project.clock.as_ref(), project.random.as_ref()),
        project_key: project.key.clone(),
        created_at: project.clock.now_ms(),
        question: admitted.question.question,
        question_type: admitted.question.question_type,
        answer: summary.answer,
        exploration_path: observations.into_iter().map(|o| o.step).collect(),
        confidence,
        source_files,
        source_hashes,
        tags: summary.tags,
        domain: summary.domain,
        topic: Some(topic),
        language: project.config.language,
        embedder: project.embedder.id().to_owned(),
        model: project.reasoner.id().to_owned(),
        tokens,
        supersedes: admitted.supersedes,
        superseded_by: None,
        freshness: Freshness::Fresh,
        pinned: false,
        rating: None,
        correction: None,
    }
}

/// The claimed sources that a tool really showed or named, sorted. Lines that were not read are dropped, the file stays; a
/// file that no tool showed or named is invented and dropped.
fn really_read(claimed: &[SourceRef], observations: &[Observation]) -> Vec<SourceRef> {
    let mut lines: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for line in observations.iter().flat_map(|o| &o.lines) {
        lines.entry(&line.path).or_default().insert(line.line);
    }
    let named =
        |path: &str| observations.iter().any(|o| !o.step.is_error && o.content.contains(path));
    let mut kept: Vec<SourceRef> = claimed
        .iter()
        .filter_map(|claim| {
            let path = claim.path.trim_start_matches("./");
            let read = lines.get(path);
            if path.is_empty() || !(read.is_some() || named(path)) {
                return None;
            }
            let range = read.zip(claim.start_line).map(|(read, start)| {
                read.range(start..=claim.end_line.unwrap_or(start).max(start))
            });
            Some(SourceRef {
                path: path.to_owned(),
                start_line: range.clone().and_then(|mut lines| lines.next().copied()),
                end_line: range.and_then(|mut lines| lines.next_back().copied()),
            })
        })
        .collect();
    kept.sort();
    kept.dedup();
    kept
}

/// Makes up for at most `batch` answers that lack a vector of the present embedder: of records that were saved while it was
/// down, or with another. Returns how many.
///
/// # Errors
/// The embedder's, the store's.
pub(crate) async fn make_up_answers(
    project: &Project,
    records: Arc<Vec<LearningRecord>>,
    batch: usize,
) -> Result<usize> {
    let (store, embedder) = (project.store.clone(), project.embedder.id().to_owned());
    let missing = blocking(move || {
        let catalog = store.vector_catalog(&embedder, VectorRole::Answer)?;
        let there: HashSet<RecordId> = catalog.records.into_iter().collect();
        let missing = records.iter().filter(|r| !there.contains(&r.id)).take(batch);
        Ok(missing.map(|r| (r.id, r.answer.clone())).collect::<Vec<_>>())
    })
    .await?;
    if missing.is_empty() {
        return Ok(0);
    }
    let (ids, texts): (Vec<RecordId>, Vec<String>) = missing.into_iter().unzip();
    let vectors = embed_each(project.clock.as_ref(), project.embedder.as_ref(), &texts).await?;
    let made = ids.into_iter().zip(vectors).filter_map(|(id, values)| Some((id, values?)));
    let changes: Vec<Change> =
        made.map(|(id, values)| Change::PutVector(stored(project, id, values))).collect();
    let made = changes.len();
    let store = project.store.clone();
    blocking(move || store.commit(&changes)).await?;
    Ok(made)
}

/// The answer's vector, for searching; the guard keeps the question's. None when the embedder is down: the question's
/// vectors and the words find the record as well.
async fn answer_vector(
    project: &Project,
    status: &Status,
    record: &LearningRecord,
) -> Option<StoredVector> {
    let made = project.embedder.embed(std::slice::from_ref(&record.answer)).await;
    status.embedded(project, made.as_ref().err());
    match made {
        Ok(vectors) => Some(stored(project, record.id, vectors.into_iter().next()?)),
        Err(error) => {
            tracing::warn!(project = %project.key, %error, "an answer is saved without its vector");
            None
        }
    }
}

fn stored(project: &Project, record: RecordId, values: Vec<f32>) -> StoredVector {
    let embedder = project.embedder.id().to_owned();
    StoredVector { record, role: VectorRole::Answer, embedder, values }
}

/// The memory after this record: its gap closed, what it left open added.
fn remember(knowledge: &Knowledge, record: &LearningRecord, gaps: Vec<String>) -> ProjectMemory {
    let mut memory = knowledge.memory.clone();
    memory.tech_stack = tech_stack(&knowledge.analysis);
    if !record.domain.is_empty() && !memory.domains.contains(&record.domain) {
        memory.domains.push(record.domain.clone());
    }
    memory.knowledge_gaps.retain(|gap| !gaps::explains(record, &gap.what));
    for what in gaps.into_iter().map(|g| g.trim().to_owned()).filter(|g| !g.is_empty()) {
        let is_known = memory.knowledge_gaps.iter().any(|known| known.what == what)
            || knowledge.records.iter().chain([record]).any(|r| gaps::explains(r, &what));
        if !is_known {
            let gap = KnowledgeGap { what, named_by: Some(record.id), since: record.created_at };
            memory.knowledge_gaps.push(gap);
        }
    }
    let excess = memory.knowledge_gaps.len().saturating_sub(MAX_GAPS);
    memory.knowledge_gaps.drain(..excess);
    memory.evolution_status = EvolutionStatus::default();
    memory
}

fn tech_stack(analysis: &ProjectAnalysis) -> Vec<String> {
    let languages = analysis.languages.iter().map(|l| l.language.clone());
    let builds = analysis.manifests.iter().map(|m| m.build_system.clone());
    let mut seen = BTreeSet::new();
    languages.chain(builds).filter(|name| !name.is_empty() && seen.insert(name.clone())).collect()
}

#[cfg(test)]
mod tests {
    use ouro_core::{SourceLine, ToolCallStep};

    use super::*;

    #[test]
    fn lines_that_were_not_read_are_dropped_and_their_file_stays_where_a_tool_named_it() {
        let line = |line| SourceLine { path: "src/a.rs".into(), line, text: String::new() };
        let found = Observation {
            step: ToolCallStep {
                tool_name: "grep_file".into(),
                parameters: serde_json::Value::Null,
                result_summary: String::new(),
                at: 0,
                duration_ms: 0,
                cached: false,
                is_error: false,
            },
            content: "src/a.rs:2: use of src/b.rs".into(),
            lines: vec![line(1), line(2)],
        };
        let claim = |path: &str, start_line, end_line| SourceRef {
            path: path.into(),
            start_line,
            end_line,
        };
        let claimed = [
            claim("./src/a.rs", Some(2), Some(9)),
            claim("src/b.rs", Some(5), Some(7)),
            claim("src/c.rs", Some(1), None),
        ];
        let kept = really_read(&claimed, &[found]);
        assert_eq!(kept, [claim("src/a.rs", Some(2), Some(2)), claim("src/b.rs", None, None)]);
    }
}
