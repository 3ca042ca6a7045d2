//! Where questions lie for one embedder.

use std::collections::BTreeSet;

use ouro_core::Embedder;

use crate::{signature::Signature, vectors::VectorIndex};

/// What is known of one embedder's vectors. Those of questions with a record are in the store.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) embedder: String,
    pub(crate) threshold: f32,
    /// `None` until the first vector comes.
    pub(crate) dimension: Option<usize>,
    /// Questions that are explored at this moment.
    pub(crate) begun: VectorIndex<Signature>,
    /// Questions that should have a vector and don't.
    pub(crate) missing: BTreeSet<Signature>,
}

impl Space {
    pub(crate) fn new(embedder: &dyn Embedder, threshold: Option<f32>) -> Self {
        Self {
            embedder: embedder.id().to_owned(),
            threshold: threshold.unwrap_or_else(|| embedder.duplicate_threshold()),
            dimension: None,
            begun: VectorIndex::default(),
            missing: BTreeSet::new(),
        }
    }

    /// # Errors
    /// A sentence that names the embedder, for a vector of another dimension.
    pub(crate) fn check_dimension(&self, vector: &[f32]) -> Result<(), String> {
        match self.dimension {
            Some(dimension) if dimension != vector.len() => Err(format!(
                "embedder {} gave a vector of {} numbers, its others have {dimension}",
                self.embedder,
                vector.len()
            )),
            _ => Ok(()),
        }
    }

    /// Takes a question that is explored from now on. `answered`: it has a record already.
    pub(crate) fn begin(&mut self, hash: Signature, vector: Option<&[f32]>, answered: bool) {
        match vector.filter(|vector| self.fits(vector)) {
            Some(vector) => drop(self.begun.insert(hash, vector)),
            None if answered => {}
            None => drop(self.missing.insert(hash)),
        }
    }

    /// Takes a question whose record is stored, with its vector if that fits. `answered`: it had a record before.
    pub(crate) fn answer(&mut self, hash: Signature, vector: Option<&[f32]>, answered: bool) {
        self.begun.remove(&hash);
        if vector.is_some_and(|vector| self.fits(vector)) {
            self.missing.remove(&hash);
        } else if !answered {
            self.missing.insert(hash);
        }
    }

    pub(crate) fn remove(&mut self, hash: Signature) {
        self.begun.remove(&hash);
        self.missing.remove(&hash);
    }

    fn fits(&mut self, vector: &[f32]) -> bool {
        *self.dimension.get_or_insert(vector.len()) == vector.len()
    }
}
