//! Vectors of one embedder in memory, and the nearest of them.

use std::{collections::HashMap, hash::Hash};

use ouro_core::{Error, ErrorKind, Result};

/// `values` scaled to length 1.
///
/// # Errors
/// `BadReply` that names the embedder, for a vector without a direction: empty, zero, or not finite.
pub(crate) fn unit(embedder: &str, mut values: Vec<f32>) -> Result<Vec<f32>> {
    let norm = values.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    if !(norm.is_finite() && norm > 0.0) {
        return Err(Error::new(
            ErrorKind::BadReply,
            format!("embedder {embedder} gave a vector that is zero or not finite"),
        ));
    }
    #[allow(clippy::cast_possible_truncation, reason = "the nearest f32 is meant")]
    values.iter_mut().for_each(|x| *x = (f64::from(*x) / norm) as f32);
    Ok(values)
}

/// Cosine of two vectors of length 1.
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    // Independent sums, one for each lane of a wide register: a single sum would wait for itself.
    const LANES: usize = 16;
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// Unit vectors of one dimension under keys, searched by a plain scan.
#[derive(Debug)]
pub(crate) struct VectorIndex<K> {
    /// 0 until the first vector comes.
    dimension: usize,
    keys: Vec<K>,
    /// One vector after the other, in the order of `keys`.
    values: Vec<f32>,
    slots: HashMap<K, usize>,
}

impl<K> Default for VectorIndex<K> {
    fn default() -> Self {
        Self { dimension: 0, keys: Vec::new(), values: Vec::new(), slots: HashMap::new() }
    }
}

impl<K: Copy + Ord + Hash> VectorIndex<K> {
    /// Adds or replaces a vector of length 1. One of another dimension is not taken: false.
    pub(crate) fn insert(&mut self, key: K, vector: &[f32]) -> bool {
        if vector.is_empty() || (self.dimension > 0 && self.dimension != vector.len()) {
            return false;
        }
        self.dimension = vector.len();
        if let Some(slot) = self.slots.get(&key) {
            if let Some(old) = self.values.chunks_exact_mut(self.dimension).nth(*slot) {
                old.copy_from_slice(vector);
            }
        } else {
            self.slots.insert(key, self.keys.len());
            self.keys.push(key);
            self.values.extend_from_slice(vector);
        }
        true
    }

    pub(crate) fn remove(&mut self, key: &K) {
        let Some(slot) = self.slots.remove(key) else { return };
        self.keys.swap_remove(slot);
        let last = self.values.len().saturating_sub(self.dimension);
        self.values.copy_within(last.., slot * self.dimension);
        self.values.truncate(last);
        if let Some(moved) = self.keys.get(slot) {
            self.slots.insert(*moved, slot);
        }
    }

    /// The `count` keys with the highest cosine to `query` that `wanted` lets pass, highest first, equals by key.
    pub(crate) fn nearest(
        &self,
        query: &[f32],
        count: usize,
        wanted: impl Fn(&K) -> bool,
    ) -> Vec<(K, f32)> {
        let mut best: Vec<(K, f32)> = Vec::with_capacity(count + 1);
        if query.len() != self.dimension || count == 0 {
            return best;
        }
        for (key, vector) in self.keys.iter().zip(self.values.chunks_exact(self.dimension)) {
            let similarity = cosine(query, vector);
            if best.len() == count && best.last().is_some_and(|(_, worst)| similarity < *worst) {
                continue;
            }
            if wanted(key) {
                let before = |(k, s): &(K, f32)| *s > similarity || *s == similarity && k < key;
                best.insert(best.partition_point(before), (*key, similarity));
                best.truncate(count);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_vector_without_a_direction_is_an_error_that_names_the_embedder() {
        for wrong in [vec![], vec![0.0; 3], vec![1.0, f32::NAN], vec![f32::INFINITY, 1.0]] {
            let error = unit("tiny-model", wrong).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BadReply);
            assert!(error.message().contains("tiny-model"));
        }
        assert_eq!(unit("m", vec![3.0, 4.0]).unwrap(), [0.6, 0.8]);
        assert_eq!(unit("m", vec![f32::MAX, 0.0]).unwrap(), [1.0, 0.0]);
        assert_eq!(unit("m", vec![f32::MIN_POSITIVE / 4.0, 0.0]).unwrap(), [1.0, 0.0]);
    }

    #[test]
    fn vectors_of_another_dimension_are_neither_taken_nor_compared() {
        let mut index = VectorIndex::default();
        assert!(index.nearest(&[1.0], 5, |_| true).is_empty());
        assert!(!index.insert(0, &[]));
        assert!(index.insert(1, &[1.0, 0.0]));
        assert!(!index.insert(2, &[1.0, 0.0, 0.0]));
        assert!(index.nearest(&[1.0], 5, |_| true).is_empty());
        assert_eq!(index.nearest(&[1.0, 0.0], 5, |_| true), [(1, 1.0)]);
    }

    proptest! {
        #[test]
        fn nearest_agrees_with_sorting_everything(
            steps in prop::collection::vec((0_u8..20, any::<bool>(), prop::collection::vec(-9_i8..=9, 19)), 1..60),
            query in prop::collection::vec(-9_i8..=9, 19),
            count in 0_usize..6,
        ) {
            // Whole numbers: both sides compute the same sums exactly.
            let floats = |v: &[i8]| v.iter().map(|x| f32::from(*x)).collect::<Vec<f32>>();
            let (mut index, mut model) = (VectorIndex::default(), BTreeMap::new());
            for (key, insert, vector) in &steps {
                if *insert {
                    prop_assert!(index.insert(*key, &floats(vector)));
                    model.insert(*key, floats(vector));
                } else {
                    index.remove(key);
                    model.remove(key);
                }
            }
            let query = floats(&query);
            let plain = |v: &[f32]| v.iter().zip(&query).map(|(a, b)| a * b).sum::<f32>();
            let wanted = model.iter().filter(|(k, _)| *k % 3 != 0);
            let mut expected: Vec<(u8, f32)> = wanted.map(|(k, v)| (*k, plain(v))).collect();
            expected.sort_by(|(_, a), (_, b)| b.total_cmp(a));
            expected.truncate(count);
            let found = index.nearest(&query, count, |k| k % 3 != 0);
            prop_assert_eq!(found, expected);
        }
    }
}
