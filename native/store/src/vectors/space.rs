//! The vectors of one embedder and role, ready to be searched.

use std::{
    collections::HashMap,
    fs::File,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use ouro_core::{
    RecordId, Result, StoredVector, VectorCatalog, VectorHit, VectorRole, VectorSearch,
    vector_search::sort_hits,
};

use super::{
    Group, ROLE_AT, decode,
    quantized::{Candidate, Entry, Quantized, Query},
    role_byte,
};
use crate::disk;

/// The dimension of the vectors that the sizes of the shortlist were measured with.
const SIGNS: usize = 1_024;
/// So many vectors are compared in 8 bits, and one more of so many, up to [`SHORTLIST`].
const SHORTLIST_LEAST: usize = 36;
/// See [`SHORTLIST_LEAST`].
const SHORTLIST_SHARE: usize = 36;
/// What finds 99 of 100 neighbours among 100,000 vectors in crowds of 5,000 (`cargo bench -p ouro-store --bench vectors`).
const SHORTLIST: usize = 500;
/// So many times as many vectors are read from the file as hits are wanted, at most: where more than that are alike, any will do.
const READ_PER_HIT: usize = 4;

/// The searchable vectors of a store, as far as somebody has searched them.
#[derive(Debug, Default)]
pub(crate) struct Spaces(RwLock<HashMap<(String, VectorRole), Arc<Space>>>);

/// Quantised vectors in memory, beside the file that has them exactly.
#[derive(Debug)]
pub(crate) struct Space {
    file: File,
    header_len: u64,
    entry_len: usize,
    vectors: RwLock<Quantized>,
}

impl Spaces {
    pub(crate) fn get(&self, embedder: &str, role: VectorRole) -> Option<Arc<Space>> {
        let spaces = self.0.read().unwrap_or_else(PoisonError::into_inner);
        spaces.get(&(embedder.to_owned(), role)).cloned()
    }

    /// Keeps a space; of two that were made at the same time the first.
    pub(super) fn keep(&self, embedder: &str, role: VectorRole, space: Space) -> Arc<Space> {
        let mut spaces = self.0.write().unwrap_or_else(PoisonError::into_inner);
        spaces.entry((embedder.to_owned(), role)).or_insert_with(|| Arc::new(space)).clone()
    }

    /// Takes a vector that is now part of the store.
    pub(super) fn put(&self, vector: &StoredVector, entry: u64) {
        if let Some(space) = self.get(&vector.embedder, vector.role)
            && let Ok(entry) = Entry::try_from(entry)
        {
            space.write().put(vector.record, entry, &vector.values);
        }
    }

    /// Forgets what was read of an embedder's file, which is another one now. Who searches there at this moment has the old one
    /// open.
    pub(super) fn forget(&self, embedder: &str) {
        let mut spaces = self.0.write().unwrap_or_else(PoisonError::into_inner);
        spaces.retain(|(of, _), _| of != embedder);
    }

    /// Forgets a record's vectors.
    pub(super) fn remove(&self, record: RecordId) {
        let spaces = self.0.read().unwrap_or_else(PoisonError::into_inner);
        spaces.values().for_each(|space| space.write().remove(record));
    }
}

impl Space {
    /// Reads the vectors of a role whose records exist.
    pub(super) fn load(
        group: &Group,
        role: VectorRole,
        exists: impl Fn(RecordId) -> bool,
    ) -> Result<Self> {
        let mut vectors = Quantized::new(group.dimension);
        vectors.reserve(usize::try_from(group.entries).unwrap_or(0));
        group.each(|number, entry| {
            let Ok(number) = Entry::try_from(number) else { return };
            let wanted = entry.get(ROLE_AT) == Some(&role_byte(role));
            let Some((record, _, values)) = wanted.then(|| decode(entry)).flatten() else { return };
            if exists(record) {
                vectors.push(record, number, &values);
            }
        })?;
        vectors.keep_last();
        vectors.settle();
        let file = File::open(&group.path).map_err(|e| disk::failed("read", &group.path, e))?;
        let (header_len, entry_len) = (group.header_len, group.entry_len());
        Ok(Self { file, header_len, entry_len, vectors: RwLock::new(vectors) })
    }

    pub(crate) fn catalog(&self) -> VectorCatalog {
        let vectors = self.read();
        VectorCatalog { dimension: Some(vectors.dimension()), records: vectors.records().to_vec() }
    }

    /// The nearest vectors, best first, equals by record.
    pub(crate) fn nearest(&self, search: &VectorSearch<'_>) -> Result<Vec<VectorHit>> {
        let vectors = self.read();
        search.check(vectors.dimension())?;
        let query = Query::new(search.vector);
        let shortlist = (SHORTLIST_LEAST + vectors.records().len() / SHORTLIST_SHARE)
            .min(SHORTLIST)
            .max(READ_PER_HIT * search.count);
        // Half as many signs tell less than half as much: with 384 of them it takes four times as many vectors, that is 1.5 is
        // the power.
        let dimension = vectors.dimension().clamp(1, SIGNS);
        let shortlist = (shortlist.pow(2) * SIGNS.pow(3) / dimension.pow(3)).isqrt();
        let most = READ_PER_HIT * search.count;
        let candidates = vectors.nearest(&query, most, shortlist, search.wanted);
        // Other searches and changes need not wait for the disk.
        drop(vectors);
        let mut entry = vec![0; self.entry_len];
        let mut hits: Vec<VectorHit> = Vec::with_capacity(search.count + 1);
        for candidate in candidates {
            // A read costs more than all else for one vector.
            let worst = hits.get(search.count.saturating_sub(1));
            if worst.is_none_or(|worst| candidate.may_reach(worst.cosine)) {
                let cosine = self.cosine(&query, candidate, &mut entry);
                hits.push(VectorHit { record: candidate.record, cosine });
                sort_hits(&mut hits, search.count);
            }
        }
        Ok(hits)
    }

    /// The exact cosine to a candidate; the estimate where its vector can't be read any more.
    fn cosine(&self, query: &Query, candidate: Candidate, entry: &mut [u8]) -> f32 {
        let offset = self.header_len + u64::from(candidate.entry) * self.entry_len as u64;
        let read = disk::read_at(&self.file, entry, offset);
        let exact = read.ok().and_then(|()| {
            let (record, _, values) = decode(entry)?;
            (record == candidate.record).then(|| query.cosine(&values))?
        });
        exact.unwrap_or_else(|| {
            tracing::warn!(record = %candidate.record, "a vector can't be read any more");
            candidate.cosine
        })
    }

    fn read(&self) -> RwLockReadGuard<'_, Quantized> {
        self.vectors.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Quantized> {
        self.vectors.write().unwrap_or_else(PoisonError::into_inner)
    }
}
