//! Bringing journal and tree to the same state.
//!
//! Three things can have happened since they last agreed, and each has one answer:
//!
//! 1. The journal has transactions that the tree doesn't have (a kill between the two, or a tree that lost its end, or
//!    a new tree): they are applied, whole.
//! 2. The journal ends in a transaction that isn't whole: it was never reported as written, and is cut off.
//! 3. Records are in only one of the two, or a line of the journal is damaged: what either has is given to the other,
//!    and deleted records stay deleted. A damaged journal is kept aside and written anew.

use std::{collections::BTreeSet, fs};

use ouro_core::{Change, ErrorKind, RecordId, Result};

use crate::{
    OpenReport,
    codec::encode,
    compaction, disk, index,
    journal::{self, Entry, Scan, Span},
    key::Key,
    plan::Plan,
    state::State,
    tree::Writes,
};

/// Journal lines that are applied to the tree in one batch.
const LINES_PER_BATCH: usize = 200;

/// Makes journal and tree agree, after a scan of the journal as far as the tree has come.
pub(crate) fn reconcile(
    state: &mut State,
    scan: &Scan,
    now_ms: i64,
    report: &mut OpenReport,
) -> Result<()> {
    let before = state.index.progress;
    if state.index.is_new && state.journal.len() > 0 && !report.rebuilt {
        report.rebuilt = true;
        report
            .messages
            .push("The database was missing and was made anew from the journal.".to_owned());
        report.state_may_be_old();
    }
    let torn = scan.end < state.journal.len();
    // An older copy of the journal may be longer than the one that was in its place.
    let is_behind = scan.last_tx < before.tx && state.journal.len() > 0;
    let damaged = scan.damaged || is_behind || (torn && report.rebuilt);
    if damaged && state.journal.len() > 0 {
        keep_copy(state, scan, now_ms, report)?;
    }

    let deleted = state.index.deleted.clone();
    for lines in scan.later.chunks(LINES_PER_BATCH) {
        apply_lines(state, lines, now_ms)?;
    }
    restore_to_tree(state, scan, &deleted)?;

    let missing: Vec<RecordId> = state
        .index
        .records
        .iter()
        .filter(|(_, place)| place.is_none())
        .map(|(id, _)| *id)
        .collect();
    if !missing.is_empty() {
        report.messages.push(format!(
            "{} learning records were missing in the journal and were written to it again.",
            missing.len()
        ));
    }
    state.index.progress.tx = before.tx.max(scan.last_tx);
    if torn && !damaged {
        state.journal.cut(scan.end)?;
    }
    state.index.journal_waste = scan.dead;
    if damaged {
        rewrite_journal(state, report)?;
    } else {
        append_missing(state, &missing)?;
        // The texts of deleted records leave the journal as soon as nobody is in a hurry.
        let zombie = scan.live.keys().any(|id| state.index.deleted.contains(id));
        if zombie || scan.holds_deleted {
            match rewrite_journal(state, report) {
                Err(e) if e.kind() == ErrorKind::Storage => tracing::warn!(%e, "put off"),
                other => other?,
            }
        }
    }
    let mut progress = state.index.progress;
    progress.journal_len = state.journal.len();
    if progress != before {
        state.put_progress(progress)?;
    }
    state.tree.persist()
}

fn keep_copy(state: &State, scan: &Scan, now_ms: i64, report: &mut OpenReport) -> Result<()> {
    let path = state.journal.path();
    let aside = disk::aside_name(path, now_ms);
    fs::copy(path, &aside).map_err(|e| disk::failed("write to", &aside, e))?;
    let (records, copy) = (scan.live.len(), aside.display());
    report.messages.push(match scan.unread {
        0 => format!(
            "The end of the journal of learning records was missing: it had {records} records, and the rest was written to it again from the database. A copy is kept as {copy}."
        ),
        unread => format!(
            "The journal of learning records was damaged: {unread} of its lines can't be read or are not whole, {records} records can be read. A copy is kept as {copy}."
        ),
    });
    report.quarantined.push(aside);
    Ok(())
}

/// Applies lines that the tree doesn't have yet.
fn apply_lines(state: &mut State, lines: &[Span], now_ms: i64) -> Result<()> {
    let mut plan = Plan::new(&state.index, now_ms);
    let mut entries = Vec::new();
    for span in lines {
        let entry = state.journal.read(*span)?;
        let stored = |id| state.record(id);
        let changes = match &entry {
            Entry::Add(record) => vec![Change::PutRecord(record.clone())],
            Entry::Mark(id, marks) => match plan.record(*id, stored)? {
                Some(mut record) => {
                    record.set_marks(marks.clone());
                    vec![Change::PutRecord(Box::new(record))]
                }
                None => vec![],
            },
            Entry::Delete(id) => vec![Change::DeleteRecord(*id)],
            Entry::Changes(changes) => changes.clone(),
        };
        for change in &changes {
            match plan.add(change, stored) {
                // The tree has another content under the id: the first one counts.
                Err(e) if e.kind() == ErrorKind::InvalidInput => tracing::warn!(%e, "passed over"),
                other => other?,
            }
        }
        entries.push(entry);
    }
    let planned = plan.finish();
    state.tree.apply(&planned.writes)?;
    planned.settle(&mut state.index);
    for (entry, span) in entries.iter().zip(lines) {
        state.index.settle(entry, *span);
    }
    Ok(())
}

/// Gives the tree the records that only the journal has, and takes from it what the journal deleted (`deleted` is what
/// the tree knew of that).
fn restore_to_tree(state: &mut State, scan: &Scan, deleted: &BTreeSet<RecordId>) -> Result<()> {
    let mut writes = Writes::new();
    for (id, place) in &scan.live {
        if state.index.deleted.contains(id) {
            continue;
        }
        if state.index.records.insert(*id, Some(*place)).is_none() {
            let record = state.record_from_journal(*id)?;
            let bytes = encode(&format!("record {id}"), &record)?;
            writes.insert(Key::Known(*id), Some(index::known(&bytes)));
            writes.insert(Key::Record(*id), Some(bytes));
            if writes.len() >= LINES_PER_BATCH {
                state.tree.apply(&std::mem::take(&mut writes))?;
            }
        }
    }
    for id in scan.deleted.difference(deleted) {
        writes.insert(Key::Deleted(*id), Some(Vec::new()));
        writes.insert(Key::Record(*id), None);
        writes.insert(Key::Known(*id), None);
        state.index.records.remove(id);
        state.index.deleted.insert(*id);
    }
    state.tree.apply(&writes)
}

/// Gives the journal the records that only the tree has.
fn append_missing(state: &mut State, missing: &[RecordId]) -> Result<()> {
    for id in missing {
        let entry = Entry::Add(Box::new(state.record(*id)?));
        let tx = state.index.progress.tx + 1;
        let lines = journal::encode(tx, std::slice::from_ref(&entry))?.concat();
        let offset = state.journal.len();
        state.journal.append(&lines).map_err(|failure| failure.error)?;
        let len = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        state.index.settle(&entry, Span { offset, len });
        state.index.progress.tx = tx;
    }
    Ok(())
}

/// Writes the journal anew, without the records that can be read nowhere any more.
fn rewrite_journal(state: &mut State, report: &mut OpenReport) -> Result<()> {
    let mut lost = Vec::new();
    // The tree has had every line of the journal by now, and those that the journal has lost.
    compaction::rewrite_journal(state, State::record_of_damaged_journal, |id, _| {
        lost.push(id);
        Ok(())
    })?;
    if lost.is_empty() {
        return Ok(());
    }
    report.messages.push(format!(
        "{} learning records could be read neither in the database nor in the journal and are lost.",
        lost.len()
    ));
    let mut writes = Writes::new();
    for id in lost {
        state.index.records.remove(&id);
        writes.extend([(Key::Record(id), None), (Key::Known(id), None)]);
    }
    state.tree.apply(&writes)
}
