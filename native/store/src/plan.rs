//! A transaction before it is written: what it does to the tree, to the journal and to the vectors.

use std::collections::BTreeMap;

use ouro_core::{Change, Error, LearningRecord, RecordId, Result, StoredVector};

use crate::{
    codec::{Sequenced, encode},
    index::{self, Index},
    journal::Entry,
    key::{Key, LogKey},
    tree::Writes,
};

const LOG_LINES: usize = 10_000;
const LOG_AGE_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// Collects changes. Nothing is written yet.
pub(crate) struct Plan<'a> {
    index: &'a Index,
    now_ms: i64,
    writes: Writes,
    entries: Vec<Entry>,
    vectors: Vec<StoredVector>,
    /// Changes that are neither record nor vector, for the journal.
    others: Vec<Change>,
    /// Records after the changes so far; `None` for a deleted one.
    records: BTreeMap<RecordId, Option<LearningRecord>>,
    log: Vec<LogKey>,
    log_dropped: usize,
    sequence: u64,
}

/// A transaction, ready to be written.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) writes: Writes,
    pub(crate) entries: Vec<Entry>,
    pub(crate) vectors: Vec<StoredVector>,
    log: Vec<LogKey>,
    log_dropped: usize,
    pub(crate) sequence: u64,
}

impl<'a> Plan<'a> {
    /// An empty plan.
    pub(crate) fn new(index: &'a Index, now_ms: i64) -> Self {
        Self {
            index,
            now_ms,
            writes: Writes::new(),
            entries: Vec::new(),
            vectors: Vec::new(),
            others: Vec::new(),
            records: BTreeMap::new(),
            log: Vec::new(),
            log_dropped: 0,
            sequence: index.progress.sequence,
        }
    }

    /// Adds one change. `stored` reads a record that the store holds.
    pub(crate) fn add(
        &mut self,
        change: &Change,
        stored: impl Fn(RecordId) -> Result<LearningRecord>,
    ) -> Result<()> {
        self.sequence += 1;
        match change {
            Change::PutRecord(record) => return self.put_record(record, stored),
            Change::DeleteRecord(id) => {
                self.delete_record(*id);
                return Ok(());
            }
            Change::PutVector(vector) => {
                if self.has_record(vector.record) {
                    self.vectors.push(vector.clone());
                }
                return Ok(());
            }
            Change::PutMemory(memory) => {
                self.put(Key::Memory, encode("the memory", memory)?);
            }
            Change::PutCounters(counters) => {
                self.put(Key::Counters, encode("the counters", counters)?);
            }
            Change::AppendLog(line) => self.append_log(line)?,
            Change::PutInFlight(in_flight) => {
                self.put(Key::InFlight, encode("the iteration in flight", in_flight)?);
            }
            Change::PutBackoff(backoff) => self.put(Key::Backoff, encode("the backoff", backoff)?),
            Change::PutQuota(quota) => self.put(Key::Quota, encode("the quota", quota)?),
            Change::PutFailure(failure) => {
                let bytes = encode("a failure record", failure.as_ref())?;
                self.put(Key::Failure(failure.signature.clone()), bytes);
            }
            Change::DeleteFailure(signature) => self.remove(Key::Failure(signature.clone())),
            Change::PutAsked(asked) => {
                let asked = Sequenced { sequence: self.sequence, value: asked.clone() };
                let bytes = encode("an asked question", &asked)?;
                self.put(Key::Asked(asked.value.hash), bytes);
            }
            Change::PutToolCall(call) => {
                let call = Sequenced { sequence: self.sequence, value: call.as_ref().clone() };
                let bytes = encode("a cached tool call", &call)?;
                self.put(Key::ToolCall(call.value.signature), bytes);
            }
            Change::DeleteToolCall(signature) => self.remove(Key::ToolCall(signature.clone())),
        }
        self.others.push(change.clone());
        Ok(())
    }

    /// Ends the collecting. Changes that are no records go to the journal beside records only: alone they are the
    /// tree's business.
    pub(crate) fn finish(mut self) -> Planned {
        if !self.entries.is_empty() && !self.others.is_empty() {
            self.entries.push(Entry::Changes(self.others));
        }
        Planned {
            writes: self.writes,
            entries: self.entries,
            vectors: self.vectors,
            log: self.log,
            log_dropped: self.log_dropped,
            sequence: self.sequence,
        }
    }

    /// A record as it is after the changes so far.
    pub(crate) fn record(
        &self,
        id: RecordId,
        stored: impl Fn(RecordId) -> Result<LearningRecord>,
    ) -> Result<Option<LearningRecord>> {
        match self.records.get(&id) {
            Some(record) => Ok(record.clone()),
            None if self.index.records.contains_key(&id) => stored(id).map(Some),
            None => Ok(None),
        }
    }

    fn has_record(&self, id: RecordId) -> bool {
        match self.records.get(&id) {
            Some(record) => record.is_some(),
            None => self.index.records.contains_key(&id),
        }
    }

    fn put_record(
        &mut self,
        record: &LearningRecord,
        stored: impl Fn(RecordId) -> Result<LearningRecord>,
    ) -> Result<()> {
        let id = record.id;
        let is_deleted = matches!(self.records.get(&id), Some(None));
        if is_deleted || self.index.deleted.contains(&id) {
            return Ok(());
        }
        let known = self.record(id, stored)?;
        let entry = match known {
            Some(known) if known == *record => return Ok(()),
            Some(known) if known.differs_only_in_marks(record) => Entry::Mark(id, record.marks()),
            Some(_) => {
                return Err(Error::invalid(format!(
                    "record {id} is stored with another content; records are added, never overwritten"
                )));
            }
            None => Entry::Add(Box::new(record.clone())),
        };
        let bytes = encode(&format!("record {id}"), record)?;
        self.put(Key::Known(id), index::known(&bytes));
        self.put(Key::Record(id), bytes);
        self.entries.push(entry);
        self.records.insert(id, Some(record.clone()));
        Ok(())
    }

    fn delete_record(&mut self, id: RecordId) {
        if !self.has_record(id) {
            return;
        }
        self.remove(Key::Record(id));
        self.remove(Key::Known(id));
        self.put(Key::Deleted(id), Vec::new());
        self.entries.push(Entry::Delete(id));
        self.vectors.retain(|v| v.record != id);
        self.records.insert(id, None);
    }

    fn append_log(&mut self, line: &ouro_core::EvolutionLog) -> Result<()> {
        let key = LogKey { sequence: self.sequence, at: line.timestamp };
        self.put(Key::Log(key), encode("a line of the log", line)?);
        self.log.push(key);
        let too_old = self.now_ms - LOG_AGE_MS;
        loop {
            let kept = self.index.log.len() + self.log.len() - self.log_dropped;
            let oldest = self.index.log.iter().chain(&self.log).nth(self.log_dropped).copied();
            match oldest {
                Some(key) if kept > LOG_LINES || key.at < too_old => {
                    self.remove(Key::Log(key));
                    self.log_dropped += 1;
                }
                _ => return Ok(()),
            }
        }
    }

    fn put(&mut self, key: Key, value: Vec<u8>) {
        self.writes.insert(key, Some(value));
    }

    fn remove(&mut self, key: Key) {
        self.writes.insert(key, None);
    }
}

impl Planned {
    /// Takes over what was written, the records left out.
    pub(crate) fn settle(&self, index: &mut Index) {
        index.log.extend(&self.log);
        index.log.drain(..self.log_dropped.min(index.log.len()));
        index.progress.sequence = self.sequence;
    }
}
