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
    pub(crate) deleted: BTreeSet<RecordId>,
    /// The log, oldest first.
    pub(crate) log: VecDeque<LogKey>,
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
        tree.scan(Kind::Memory, Kind::Quota)?;
        let wrong_key = || tree.damaged("a key has the wrong length");
        for (key, _) in tree.scan(Kind::Log, Kind::Log)? {
            index.log.push_back(LogKey::from_bytes(&key).ok_or_else(wrong_key)?);
        }
        tree.scan(Kind::Failure, Kind::ToolCall)?;
        for (key, _) in tree.scan(Kind::Known, Kind::Known)? {
            index.records.insert(record_id(Kind::Known, &key).ok_or_else(wrong_key)?, None);
        }
        for (key, _) in tree.scan(Kind::Deleted, Kind::Deleted)? {
            index.deleted.insert(record_id(Kind::Deleted, &key).ok_or_else(wrong_key)?);
        }
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
                    place.marked = Some(span);
                }
            }
            Entry::Delete(id) => {
                self.records.remove(id);
                self.deleted.insert(*id);
            }
            Entry::Changes(_) => {}
        }
    }
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
