//! The open store: its files, and how a transaction gets into them.

use std::path::PathBuf;

use ouro_core::{Error, ErrorKind, LearningRecord, RecordId, Result};

use crate::{
    codec::{Progress, decode, encode},
    disk,
    index::Index,
    journal::{self, AppendFailure, Entry, Journal, Span},
    key::Key,
    lock::Lock,
    plan::Planned,
    tree::{Tree, Writes},
    vectors::Vectors,
};

/// Everything behind the store's lock.
pub(crate) struct State {
    pub(crate) dir: PathBuf,
    pub(crate) tree: Tree,
    pub(crate) journal: Journal,
    pub(crate) vectors: Vectors,
    pub(crate) index: Index,
    /// Why nothing can be written any more.
    pub(crate) poisoned: Option<String>,
    /// Freed last.
    pub(crate) _lock: Lock,
}

impl State {
    /// Refuses writes to files that are gone, and after one that failed in a way that leaves the disk's content unknown. To be
    /// asked first.
    pub(crate) fn check_writable(&self) -> Result<()> {
        self.require_present()?;
        let Some(why) = &self.poisoned else { return Ok(()) };
        Err(Error::new(
            ErrorKind::Damaged,
            format!(
                "{} takes no more writes since one failed ({why}); open the store again",
                self.dir.display()
            ),
        ))
    }

    /// Fails when the store was removed while it is open.
    pub(crate) fn require_present(&self) -> Result<()> {
        self.journal.require_present()?;
        self.tree.require_present()
    }

    /// Writes a transaction durably, or leaves everything as it was.
    pub(crate) fn write(&mut self, mut planned: Planned) -> Result<()> {
        self.vectors.check(&planned.vectors)?;
        let mut progress = self.index.progress;
        if !planned.entries.is_empty() {
            progress.tx += 1;
        }
        let lines = journal::encode(progress.tx, &planned.entries)?;
        let spans = spans(self.journal.len(), &lines);
        let lines = lines.concat();
        let tree_bytes: usize = planned.writes.values().flatten().map(Vec::len).sum();
        disk::require_space(&self.dir, (2 * tree_bytes + lines.len()) as u64)?;

        let appended = self.vectors.append(std::mem::take(&mut planned.vectors))?;
        if !lines.is_empty()
            && let Err(AppendFailure { error, undone }) = self.journal.append(&lines)
        {
            self.vectors.undo(&appended);
            if !undone {
                self.poison(&error);
            }
            return Err(error);
        }
        // From here on the transaction is in the journal. When the tree can't take it now, it does so when it is opened
        // again.
        let mut persisted = Ok(());
        if !planned.writes.is_empty() {
            progress.journal_len = self.journal.len();
            progress.sequence = planned.sequence;
            planned.writes.insert(Key::Progress, Some(encode("the store's progress", &progress)?));
            self.tree.apply(&planned.writes).inspect_err(|e| self.poison(e))?;
            persisted = self.tree.persist().inspect_err(|e| self.poison(e));
        }
        // Readers see what the tree has, durable or not, and see it whole.
        self.vectors.accept(appended);
        planned.settle(&mut self.index);
        self.index.progress = progress;
        for (entry, span) in planned.entries.iter().zip(spans) {
            self.index.settle(entry, span);
            if let Entry::Delete(id) = entry {
                self.vectors.forget(*id);
            }
        }
        persisted
    }

    /// Says durably how far the store has come, without a transaction.
    pub(crate) fn put_progress(&mut self, progress: Progress) -> Result<()> {
        let bytes = encode("the store's progress", &progress)?;
        self.tree
            .apply(&Writes::from([(Key::Progress, Some(bytes))]))
            .and_then(|()| self.tree.persist())
            .inspect_err(|e| self.poison(e))?;
        self.index.progress = progress;
        Ok(())
    }

    fn poison(&mut self, error: &Error) {
        self.poisoned = Some(error.message().to_owned());
    }

    /// A record that the index knows: from the journal, or from the tree when the journal can't give it. A tree keeps all
    /// of what it was asked for in memory.
    pub(crate) fn record(&self, id: RecordId) -> Result<LearningRecord> {
        let in_journal = match self.record_from_journal(id) {
            Err(error) if error.kind() != ErrorKind::TooNew => error,
            other => return other,
        };
        tracing::debug!(%id, %in_journal, "read from the database instead");
        self.record_from_tree(id).map_err(|error| match error.kind() {
            ErrorKind::Damaged => Error::new(
                ErrorKind::Damaged,
                format!("record {id} is damaged: {in_journal}; {error}"),
            ),
            _ => error,
        })
    }

    /// As [`Self::record`], its JSON at the end of `json`.
    pub(crate) fn record_json(&self, id: RecordId, json: &mut Vec<u8>) -> Result<()> {
        if let Some(Some(place)) = self.index.records.get(&id)
            && self.journal.append_record_json(*place, json)
        {
            return Ok(());
        }
        serde_json::to_writer(json, &self.record(id)?).map_err(|error| {
            Error::new(
                ErrorKind::Internal,
                format!("record {id} can't be written as JSON: {error}"),
            )
        })
    }

    /// As [`Self::record`], from the tree when that can give it: what counts where the journal may have lost lines.
    pub(crate) fn record_of_damaged_journal(&self, id: RecordId) -> Result<LearningRecord> {
        self.record_from_tree(id).or_else(|error| match error.kind() {
            ErrorKind::Damaged => self.record(id),
            _ => Err(error),
        })
    }

    fn record_from_tree(&self, id: RecordId) -> Result<LearningRecord> {
        let what = format!("record {id}");
        match self.tree.get(&Key::Record(id))? {
            Some(bytes) => decode(&what, &bytes),
            None => Err(self.tree.damaged(&format!("{what} is missing"))),
        }
    }

    pub(crate) fn record_from_journal(&self, id: RecordId) -> Result<LearningRecord> {
        match self.index.records.get(&id) {
            Some(Some(place)) => self.journal.record(*place),
            _ => Err(Error::new(
                ErrorKind::Damaged,
                format!("{} doesn't have it", self.journal.path().display()),
            )),
        }
    }
}

/// Where lines are that are written from `offset` on.
fn spans(mut offset: u64, lines: &[Vec<u8>]) -> Vec<Span> {
    lines
        .iter()
        .map(|line| {
            let span = Span { offset, len: u32::try_from(line.len()).unwrap_or(u32::MAX) };
            offset += line.len() as u64;
            span
        })
        .collect()
}
