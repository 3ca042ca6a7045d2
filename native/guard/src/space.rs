//! Where questions lie for one embedder.

use std::collections::BTreeSet;

use ouro_core::Embedder;

use crate::{signature::Signature, vectors::VectorIndex};

/// The vectors of one embedder.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) embedder: String,
    pub(crate) threshold: f32,
    pub(crate) vectors: VectorIndex<Signature>,
    /// Questions that should have a vector here and don't.
    pub(crate) missing: BTreeSet<Signature>,
}

impl Space {
    pub(crate) fn new(embedder: &dyn Embedder, threshold: Option<f32>) -> Self {
        Self {
            embedder: embedder.id().to_owned(),
            threshold: threshold.unwrap_or_else(|| embedder.duplicate_threshold()),
            vectors: VectorIndex::default(),
            missing: BTreeSet::new(),
        }
    }

    /// # Errors
    /// A sentence that names the embedder, for a vector of another dimension.
    pub(crate) fn check_dimension(&self, vector: &[f32]) -> Result<(), String> {
        match self.vectors.dimension() {
            Some(dimension) if dimension != vector.len() => Err(format!(
                "embedder {} gave a vector of {} numbers, its others have {dimension}",
                self.embedder,
                vector.len()
            )),
            _ => Ok(()),
        }
    }

    /// Takes the question's vector, or notes that it is missing.
    pub(crate) fn put(&mut self, hash: Signature, vector: Option<&[f32]>) {
        if vector.is_some_and(|vector| self.vectors.insert(hash, vector)) {
            self.missing.remove(&hash);
        } else if !self.vectors.contains(&hash) {
            self.missing.insert(hash);
        }
    }

    pub(crate) fn remove(&mut self, hash: Signature) {
        self.vectors.remove(&hash);
        self.missing.remove(&hash);
    }
}
