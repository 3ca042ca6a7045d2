//! Files written anew without what nobody needs any more. For the database see [`crate::renew`].

use ouro_core::{AskedQuestion, Change, Error, ErrorKind, LearningRecord, RecordId, Result};

use crate::{
    codec::{Progress, Sequenced, decode},
    disk,
    journal::{self, Entry},
    key::{Key, Kind},
    state::State,
};

/// What a file may hold in vain, bytes, however small it is.
const TOLERATED_WASTE: u64 = 512 << 10;
/// One byte of so many may be in vain. Each byte that is replaced costs the copying of so many: nothing to a store that grows by
/// some kilobytes a minute, and the disk holds at most one and a half times what lives (`endurance disk`), for journal and
/// database both have the records.
const TOLERATED_SHARE: u64 = 20;
/// Other changes in one line of a journal.
const CHANGES_PER_LINE: usize = 200;

/// Whether so many bytes of a file are worth the copying of the others.
pub(crate) fn is_worthwhile(waste: u64, size: u64) -> bool {
    waste > TOLERATED_WASTE && waste > size / TOLERATED_SHARE
}

/// Writes the journal and the vectors' files anew where that is worthwhile.
///
/// # Errors
/// `Storage` when there is no room for the copy: all is as before. `Damaged` when a record that should be copied can't be
/// read anywhere: the journal is as before.
pub(crate) fn compact(state: &mut State) -> Result<()> {
    if is_worthwhile(state.index.journal_waste, state.journal.len()) {
        disk::require_space(&state.dir, state.journal.len())?;
        rewrite_journal(state, State::record, |_, error| Err(error))?;
    }
    let records = &state.index.records;
    state.vectors.compact(records.len(), |id| records.contains_key(&id))
}

/// Writes a journal that says what the store holds now, and nothing of what it held before: the texts of deleted records
/// leave it, and only their ids stay. `read` gives the records; `unreadable` is told which one it can't give, and whether to go on
/// without it.
///
/// Every line gets the number of the last transaction, so that a database that knows that one asks for none of them.
///
/// # Errors
/// Those of `unreadable`; `Storage`.
pub(crate) fn rewrite_journal(
    state: &mut State,
    read: impl Fn(&State, RecordId) -> Result<LearningRecord>,
    mut unreadable: impl FnMut(RecordId, Error) -> Result<()>,
) -> Result<()> {
    let tx = state.index.progress.tx.max(1);
    let mut replacement = state.journal.begin_replacement()?;
    for id in state.index.records.keys() {
        match read(state, *id) {
            Ok(record) => replacement.append(tx, &[Entry::Add(Box::new(record))])?,
            Err(e) if e.kind() == ErrorKind::Damaged => unreadable(*id, e)?,
            Err(e) => return Err(e),
        }
    }
    for id in &state.index.deleted {
        replacement.append(tx, &[Entry::Delete(*id)])?;
    }
    for changes in other_state(state)?.chunks(CHANGES_PER_LINE) {
        replacement.append(tx, &[Entry::Changes(changes.to_vec())])?;
    }
    // Whatever is cut off from here on, neither journal is shorter than the database knows it.
    state.put_progress(Progress { tx, journal_len: 0, ..state.index.progress })?;
    state.journal.replace(replacement)?;
    for (id, place) in journal::scan(&state.journal, tx, state.journal.len())?.live {
        state.index.records.insert(id, Some(place));
    }
    state.index.journal_waste = 0;
    state.put_progress(Progress { tx, journal_len: state.journal.len(), ..state.index.progress })
}

/// What else a rebuilt store should know. Putting it twice changes nothing.
fn other_state(state: &State) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for (key, bytes) in state.tree.scan(Kind::Memory, Kind::Quota)? {
        if key == Key::Memory.to_bytes() {
            changes.push(Change::PutMemory(decode("the memory", &bytes)?));
        } else if key == Key::Counters.to_bytes() {
            changes.push(Change::PutCounters(decode("the counters", &bytes)?));
        } else if key == Key::Backoff.to_bytes() {
            changes.push(Change::PutBackoff(decode("the backoff", &bytes)?));
        } else if key == Key::Quota.to_bytes() {
            changes.push(Change::PutQuota(decode("the quota", &bytes)?));
        }
    }
    for (_, bytes) in state.tree.scan(Kind::Failure, Kind::Failure)? {
        changes.push(Change::PutFailure(Box::new(decode("a failure record", &bytes)?)));
    }
    let mut asked: Vec<Sequenced<AskedQuestion>> = Vec::new();
    for (_, bytes) in state.tree.scan(Kind::Asked, Kind::Asked)? {
        asked.push(decode("an asked question", &bytes)?);
    }
    asked.sort_by_key(|a| a.sequence);
    changes.extend(asked.into_iter().map(|a| Change::PutAsked(a.value)));
    Ok(changes)
}
