//! What is known of the store without reading its values.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ouro_core::{ErrorKind, ProjectKey, RecordId, Result};

use crate::{
    codec::{self, Progress, STORE_SCHEMA, Schema, decode, encode},
    journal::{Entry, Place, Span},
    key::{Key, Kind, LogKey, record_id},
    tree::{Tree, Writes},
};

/// Kept in memory for as long as the store is open.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) progress: Progress,
    /// The records, and where the journal has them. `None` only while opening.
    pub(crate) records: BTreeMap<RecordId, Option<Place>>,
    /// Bytes of the journal's lines that no living record needs, transactions of other changes left out.
    pub(crate) journal_waste: u64,
    pub(crate) deleted: BTreeSet<RecordId>,
    /// The log, oldest first.
    pub(crate) log: VecDeque<LogKey>,
    /// What the tree held when that was counted last, bytes; 0 until it is of interest.
    pub(crate) held_bytes: u64,
    /// The tree held nothing at all, not even whose it is: it was made just now, or lost everything.
    pub(crate) is_new: bool,
}

impl Index {
    /// Reads the index of an open tree, and every other value that is not a record on the way, so that damage shows
    /// now. Makes a fresh tree this project's.
    ///
    /// # Errors
    /// `TooNew`; `InvalidInput` for another project's store; `Damaged`.
    pub(crate) fn load(tree: &Tree, project: &ProjectKey) -> Result<Self> {
        let mut index = Self::default();
        match tree.get(&Key::Schema)? {
            Some(bytes) => check_schema(tree, &bytes, project)?,
            None => {
                let schema = Schema { schema: STORE_SCHEMA, project: project.clone() };
                let schema = encode("the schema", &schema)?;
                tree.apply(&Writes::from([(Key::Schema, Some(schema))]))?;
                tree.persist()?;
                index.is_new = true;
            }
        }
        if let Some(bytes) = tree.get(&Key::Progress)? {
            index.progress = decode("the store's progress", &bytes)
                .map_err(|e| if is_damage(&e) { tree.damaged(e.message()) } else { e })?;
        }
        for (key, _) in tree.scan(Kind::Memory, Kind::ToolCall)? {
            if key.first() == Some(&(Kind::Log as u8)) {
                let key = LogKey::from_bytes(&key);
                index.log.push_back(key.ok_or_else(|| tree.damaged("a key has the wrong length"))?);
            }
        }
        let known = tree.list(Kind::Known, |key, _| record_id(Kind::Known, key))?;
        index.records = known.into_iter().map(|id| (id, None)).collect();
        let deleted = tree.list(Kind::Deleted, |key, _| record_id(Kind::Deleted, key))?;
        index.deleted = deleted.into_iter().collect();
        Ok(index)
    }
}

impl Index {
    /// Takes over a journaled entry that was written at `span`.
    pub(crate) fn settle(&mut self, entry: &Entry, span: Span) {
        match entry {
            Entry::Add(record) => {
                self.records.insert(record.id, Some(Place { added: span, marked: None }));
            }
            Entry::Mark(id, _) => {
                if let Some(Some(place)) = self.records.get_mut(id) {
                    let old = place.marked.replace(span);
                    self.journal_waste += old.map_or(0, |old| u64::from(old.len));
                }
            }
            Entry::Delete(id) => {
                let old = self.records.remove(id).flatten();
                self.journal_waste += old.map_or(0, |old| old.len());
                self.deleted.insert(*id);
            }
            Entry::Changes(_) => {}
        }
    }
}

/// What each value takes beside its own bytes in sled, whose pages hold 16 of them: some 180 bytes for the shortest, measured.
const BESIDE: usize = 160;

/// The bytes that a tree holds.
pub(crate) fn held_bytes(tree: &Tree) -> Result<u64> {
    let few = tree.scan(Kind::Schema, Kind::ToolCall)?;
    let few: usize = few.iter().map(|(_, value)| value.len() + BESIDE).sum();
    let records = tree.list(Kind::Known, |_, value| known_bytes(value))?;
    let deleted = tree.list(Kind::Deleted, |key, _| record_id(Kind::Deleted, key))?;
    let rows = 2 * records.len() + deleted.len();
    let records: u64 = records.into_iter().map(u64::from).sum();
    Ok(records + (few + rows * BESIDE) as u64)
}

/// The value of [`Key::Known`]: how many bytes the record takes in the tree.
pub(crate) fn known(record: &[u8]) -> Vec<u8> {
    u32::try_from(record.len()).unwrap_or(u32::MAX).to_be_bytes().to_vec()
}

/// What [`known`] wrote; nothing was written there once.
fn known_bytes(value: &[u8]) -> Option<u32> {
    if value.is_empty() { Some(0) } else { Some(u32::from_be_bytes(value.try_into().ok()?)) }
}

fn is_damage(error: &ouro_core::Error) -> bool {
    error.kind() == ErrorKind::Damaged
}

fn check_schema(tree: &Tree, bytes: &[u8], project: &ProjectKey) -> Result<()> {
    let found: Schema = decode("the store", bytes)
        .map_err(|e| if is_damage(&e) { tree.damaged(e.message()) } else { e })?;
    if found.schema > STORE_SCHEMA {
        return Err(codec::too_new("the store of this project"));
    }
    if found.project != *project {
        return Err(ouro_core::Error::invalid(format!(
            "this folder holds the store of project {}, not of {project}; give each project its own folder",
            found.project
        )));
    }
    Ok(())
}
