//! The search for the nearest stored vectors: what is asked, what is found, and the plain scan that defines the answer.

use crate::{Error, RecordId, Result, StoredVector, VectorRole};

/// What is looked for among the vectors of one embedder and role.
#[derive(Clone, Copy)]
pub struct VectorSearch<'a> {
    /// The embedder's id.
    pub embedder: &'a str,
    /// Which texts' vectors are compared.
    pub role: VectorRole,
    /// What is compared with them. Its length doesn't matter, only its direction.
    pub vector: &'a [f32],
    /// At most so many hits.
    pub count: usize,
    /// Which records may be found.
    pub wanted: &'a dyn Fn(RecordId) -> bool,
}

/// A stored vector that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VectorHit {
    /// Its record.
    pub record: RecordId,
    /// The cosine to what was looked for, -1 to 1.
    pub cosine: f32,
}

/// Which records have a vector of one embedder and role that can be compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VectorCatalog {
    /// How many numbers the embedder's vectors have; `None` before the first one.
    pub dimension: Option<usize>,
    /// The records, in no particular order.
    pub records: Vec<RecordId>,
}

impl VectorSearch<'_> {
    /// Refuses what can't be compared with vectors of `dimension` numbers.
    ///
    /// # Errors
    /// `InvalidInput` that names the embedder, for a vector of another dimension or without a direction.
    pub fn check(&self, dimension: usize) -> Result<()> {
        let (embedder, length) = (self.embedder, self.vector.len());
        if length != dimension {
            return Err(Error::invalid(format!(
                "embedder {embedder} gave a vector of {length} numbers, its others have {dimension}"
            )));
        }
        if !has_direction(self.vector) {
            return Err(Error::invalid(format!(
                "embedder {embedder} gave a vector that is zero or not finite"
            )));
        }
        Ok(())
    }

    /// Compares with every one of `stored`: the best first, equals by record. Vectors of another embedder or role, and those
    /// without a direction, are passed over.
    ///
    /// # Errors
    /// Those of [`VectorSearch::check`].
    pub fn scan(&self, stored: &[StoredVector]) -> Result<Vec<VectorHit>> {
        let comparable = stored.iter().filter(|v| {
            v.embedder == self.embedder && v.role == self.role && has_direction(&v.values)
        });
        let mut hits = Vec::new();
        for vector in comparable {
            self.check(vector.values.len())?;
            if (self.wanted)(vector.record) {
                let cosine = cosine(self.vector, &vector.values);
                hits.push(VectorHit { record: vector.record, cosine });
            }
        }
        sort_hits(&mut hits, self.count);
        Ok(hits)
    }
}

impl VectorCatalog {
    /// The catalog of these vectors.
    pub fn of(stored: &[StoredVector], role: VectorRole) -> Self {
        let comparable = stored.iter().filter(|v| v.role == role && has_direction(&v.values));
        Self {
            dimension: stored.first().map(|v| v.values.len()),
            records: comparable.map(|v| v.record).collect(),
        }
    }
}

/// The best `count` hits, best first, equals by record.
pub fn sort_hits(hits: &mut Vec<VectorHit>, count: usize) {
    hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.record.cmp(&b.record)));
    hits.truncate(count);
}

/// Whether a vector can be compared at all.
pub fn has_direction(vector: &[f32]) -> bool {
    vector.iter().all(|x| x.is_finite()) && vector.iter().any(|x| *x != 0.0)
}

#[allow(clippy::cast_possible_truncation, reason = "the nearest f32 is meant")]
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
    };
    (dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn id(n: u8) -> RecordId {
        RecordId::from_bytes([n; 16])
    }

    fn vector(record: RecordId, role: VectorRole, values: &[f32]) -> StoredVector {
        StoredVector { record, role, embedder: "e".into(), values: values.to_vec() }
    }

    fn search<'a>(
        vector: &'a [f32],
        count: usize,
        wanted: &'a dyn Fn(RecordId) -> bool,
    ) -> VectorSearch<'a> {
        VectorSearch { embedder: "e", role: VectorRole::Question, vector, count, wanted }
    }

    #[test]
    fn the_nearest_wanted_vectors_come_first_whatever_their_length() {
        let ids = [id(0), id(1), id(2), id(3)];
        let question = VectorRole::Question;
        let stored = [
            vector(ids[0], question, &[0.0, 5.0]),
            vector(ids[1], question, &[3.0, 4.0]),
            vector(ids[2], VectorRole::Answer, &[1.0, 0.0]),
            vector(ids[3], question, &[0.0, 0.0]),
        ];
        let hits = search(&[0.0, 2.0], 5, &|_| true).scan(&stored).unwrap();
        let hit = |record, cosine| VectorHit { record, cosine };
        assert_eq!(hits, [hit(ids[0], 1.0), hit(ids[1], 0.8)]);
        assert_eq!(search(&[0.0, 2.0], 1, &|_| true).scan(&stored).unwrap(), [hit(ids[0], 1.0)]);
        let not_first = |record| record != ids[0];
        let hits = search(&[0.0, 2.0], 1, &not_first).scan(&stored).unwrap();
        assert_eq!(hits, [hit(ids[1], 0.8)]);
        let catalog = VectorCatalog::of(&stored, question);
        assert_eq!((catalog.dimension, catalog.records), (Some(2), vec![ids[0], ids[1]]));
    }

    #[test]
    fn what_cannot_be_compared_is_an_error_that_names_the_embedder() {
        let stored = [vector(id(0), VectorRole::Question, &[1.0, 0.0])];
        for wrong in [&[1.0, 0.0, 0.0][..], &[0.0, 0.0], &[f32::NAN, 1.0], &[]] {
            let error = search(wrong, 5, &|_| true).scan(&stored).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            assert!(error.message().contains("embedder e"));
        }
    }
}
