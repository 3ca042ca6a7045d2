//! Vectors in memory, in a quarter of their size, and the few of them that are nearest to another.
//!
//! The vectors of an embedder crowd around a direction of their own. So what tells them apart is on which side of their mean
//! each number lies: one bit, compared 512 at a time. Whoever agrees in most bits is compared in 8-bit numbers, and the best
//! of those are left to the caller, who has the vectors themselves. Each pass costs more for one vector and sees fewer.

use std::mem;

use ouro_core::{RecordId, vector_search::has_direction};

use super::kernels::{Signs, differences, dot, dot_codes, encode, largest, signs};

/// The mean is taken of so many vectors at most.
const SAMPLE: usize = 4_096;

/// Four standard deviations of what rounding to 8 bits changes in a product with a vector of length 1, in units of a code: the
/// error of each number is anything up to half a code, so its variance is a twelfth.
const ROUNDING: f32 = 1.154_700_5;

/// Where a vector is in its file: 0 is the first.
pub(super) type Entry = u32;

/// Quantised vectors of one dimension, one at most for each record.
#[derive(Debug)]
pub(super) struct Quantized {
    dimension: usize,
    records: Vec<RecordId>,
    entries: Vec<Entry>,
    /// What a code is worth, so that the whole has length 1.
    scales: Vec<f32>,
    /// The 8-bit numbers, one vector after the other, each from -127 to 127.
    codes: Vec<i8>,
    /// Whether each number is above the mean, one vector after the other.
    signs: Vec<Signs>,
    mean: Vec<f32>,
    /// How many vectors there were when the mean was taken.
    counted: usize,
}

/// A vector to compare with.
pub(super) struct Query {
    unit: Vec<f32>,
    codes: Vec<i8>,
    scale: f32,
}

/// What may be among the nearest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) record: RecordId,
    pub(super) entry: Entry,
    pub(super) cosine: f32,
    /// How far the cosine may be off, but for one of 10,000.
    doubt: f32,
}

impl Query {
    /// A vector with a direction.
    pub(super) fn new(vector: &[f32]) -> Self {
        let unit = unit(vector);
        let mut codes = Vec::with_capacity(vector.len());
        let scale = quantize(&unit, &mut codes);
        Self { unit, codes, scale }
    }

    /// The cosine to a vector; `None` if that has no direction.
    pub(super) fn cosine(&self, vector: &[f32]) -> Option<f32> {
        let square = dot(vector, vector);
        if (1.0e-20..1.0e20).contains(&square) {
            return Some(dot(&self.unit, vector) / square.sqrt());
        }
        has_direction(vector).then(|| dot(&self.unit, &unit(vector)))
    }
}

impl Candidate {
    /// Whether its cosine may be this high.
    pub(super) fn may_reach(&self, cosine: f32) -> bool {
        self.cosine + self.doubt >= cosine
    }
}

impl Quantized {
    pub(super) fn new(dimension: usize) -> Self {
        Self {
            dimension,
            records: Vec::new(),
            entries: Vec::new(),
            scales: Vec::new(),
            codes: Vec::new(),
            signs: Vec::new(),
            mean: vec![0.0; dimension],
            counted: 0,
        }
    }

    /// Makes room for so many vectors at once, if there is any: what the parts would grow through one beside the other stays with
    /// the allocator. Room that nothing is put into costs no memory.
    pub(super) fn reserve(&mut self, most: usize) {
        let _ = self.codes.try_reserve_exact(most * self.dimension);
        let _ = self.records.try_reserve_exact(most);
        let _ = self.entries.try_reserve_exact(most);
        let _ = self.scales.try_reserve_exact(most);
    }

    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    pub(super) fn records(&self) -> &[RecordId] {
        &self.records
    }

    /// Takes the vector of a record. One without a direction can't be compared and is not taken. [`Quantized::settle`] is due
    /// before the next search.
    pub(super) fn push(&mut self, record: RecordId, entry: Entry, vector: &[f32]) {
        if !has_direction(vector) || vector.len() != self.dimension {
            return;
        }
        self.records.push(record);
        self.entries.push(entry);
        self.scales.push(quantize(&unit(vector), &mut self.codes));
    }

    /// Forgets all vectors of a record but the one that was pushed last, before any has signs.
    pub(super) fn keep_last(&mut self) {
        let record = |slot: &usize| self.records.get(*slot);
        let mut order: Vec<usize> = (0..self.records.len()).collect();
        order.sort_unstable_by_key(|slot| (record(slot), *slot));
        let earlier = order.windows(2).filter_map(|pair| match pair {
            [slot, later] if record(slot) == record(later) => Some(*slot),
            _ => None,
        });
        let mut earlier: Vec<usize> = earlier.collect();
        // The last one takes the slot: it is none of those that are still to go.
        earlier.sort_unstable();
        earlier.iter().rev().for_each(|slot| self.remove_slot(*slot));
    }

    /// Takes a record's vector in the place of the one that it may have.
    pub(super) fn put(&mut self, record: RecordId, entry: Entry, vector: &[f32]) {
        self.remove(record);
        self.push(record, entry, vector);
        self.settle();
    }

    /// Forgets a record's vector.
    pub(super) fn remove(&mut self, record: RecordId) {
        if let Some(slot) = self.records.iter().position(|known| *known == record) {
            self.remove_slot(slot);
        }
    }

    /// The last vector takes the slot.
    fn remove_slot(&mut self, slot: usize) {
        self.records.swap_remove(slot);
        self.entries.swap_remove(slot);
        self.scales.swap_remove(slot);
        let blocks = self.blocks();
        swap_remove_row(&mut self.codes, self.dimension, slot);
        swap_remove_row(&mut self.signs, blocks, slot);
    }

    /// Gives signs to the vectors that lack them; to all of them anew where the mean is of less than half.
    pub(super) fn settle(&mut self) {
        let count = self.records.len();
        if count >= 2 * self.counted {
            self.take_mean();
            self.signs.clear();
        }
        let mut all = mem::take(&mut self.signs);
        if all.is_empty() {
            all.reserve_exact(count * self.blocks());
        }
        let mut vector = Vec::with_capacity(self.dimension);
        for slot in all.len() / self.blocks().max(1)..count {
            let (codes, scale) = self.row(slot);
            vector.clear();
            vector.extend(codes.iter().map(|code| f32::from(*code) * scale));
            signs(&vector, &self.mean, &mut all);
        }
        self.signs = all;
    }

    /// What seems nearest to `query`, best first, `most` at most; `shortlist` are compared in 8 bits.
    pub(super) fn nearest(
        &self,
        query: &Query,
        most: usize,
        shortlist: usize,
        wanted: &dyn Fn(RecordId) -> bool,
    ) -> Vec<Candidate> {
        let slots = if self.records.len() <= shortlist {
            let all = self.records.iter().enumerate();
            all.filter(|(_, record)| wanted(**record)).map(|(slot, _)| slot).collect()
        } else {
            self.shortlist(query, shortlist, wanted)
        };
        let mut candidates: Vec<Candidate> =
            slots.chunks(4).flat_map(|slots| self.candidates(query, slots)).collect();
        let best_first = |a: &Candidate, b: &Candidate| {
            b.cosine.total_cmp(&a.cosine).then(a.record.cmp(&b.record))
        };
        if (1..candidates.len()).contains(&most) {
            candidates.select_nth_unstable_by(most - 1, best_first);
        }
        candidates.truncate(most);
        candidates.sort_unstable_by(best_first);
        candidates
    }

    /// Up to four of them.
    fn candidates(&self, query: &Query, slots: &[usize]) -> impl Iterator<Item = Candidate> {
        let mut rows: [&[i8]; 4] = [&[]; 4];
        rows.iter_mut().zip(slots).for_each(|(row, slot)| *row = self.row(*slot).0);
        let products = dot_codes(&query.codes, rows);
        slots.iter().zip(products).filter_map(move |(slot, product)| {
            let scale = *self.scales.get(*slot)?;
            #[allow(clippy::cast_precision_loss, reason = "rounding costs far more")]
            let cosine = product as f32 * query.scale * scale;
            // Of a vector of length 1 the scale is neither tiny nor huge.
            let doubt = ROUNDING * (query.scale * query.scale + scale * scale).sqrt();
            let (record, entry) = (*self.records.get(*slot)?, *self.entries.get(*slot)?);
            Some(Candidate { record, entry, cosine, doubt })
        })
    }

    /// The slots of `most` wanted records that agree with `query` in most signs.
    fn shortlist(
        &self,
        query: &Query,
        most: usize,
        wanted: &dyn Fn(RecordId) -> bool,
    ) -> Vec<usize> {
        let mut row = Vec::with_capacity(self.blocks());
        signs(&query.unit, &self.mean, &mut row);
        let distances = differences(&row, &self.signs);
        let mut at_distance = vec![0_usize; self.dimension + 1];
        for distance in &distances {
            if let Some(number) = at_distance.get_mut(usize::from(*distance)) {
                *number += 1;
            }
        }

        // From near to far, as far as it takes to find enough; each turn takes twice what the last one took, for most of them
        // may be unwanted.
        let mut found = Vec::with_capacity(most);
        let (mut next, mut share) = (0, most);
        while found.len() < most && next < at_distance.len() {
            let mut end = next;
            let mut seen = 0;
            while seen < share && end < at_distance.len() {
                seen += at_distance.get(end).copied().unwrap_or_default();
                end += 1;
            }
            self.collect(&distances, next..end, most, wanted, &mut found);
            (next, share) = (end, 2 * share);
        }
        found
    }

    /// Adds the slots of wanted records in this range of distances, until there are `most`.
    fn collect(
        &self,
        distances: &[u16],
        range: std::ops::Range<usize>,
        most: usize,
        wanted: &dyn Fn(RecordId) -> bool,
        found: &mut Vec<usize>,
    ) {
        /// So many are looked at at once: most of them are too far.
        const BLOCK: usize = 32;
        let mut last = Vec::new();
        for (block, distances) in distances.chunks(BLOCK).enumerate() {
            let nearest = distances.iter().min().copied().unwrap_or(u16::MAX);
            if usize::from(nearest) >= range.end {
                continue;
            }
            for (place, distance) in distances.iter().enumerate() {
                let slot = block * BLOCK + place;
                if range.contains(&usize::from(*distance))
                    && self.records.get(slot).is_some_and(|record| wanted(*record))
                {
                    if usize::from(*distance) + 1 < range.end { &mut *found } else { &mut last }
                        .push(slot);
                }
            }
        }
        // Of those that are equally far, any will do.
        last.truncate(most.saturating_sub(found.len()));
        found.append(&mut last);
    }

    fn take_mean(&mut self) {
        let count = self.records.len();
        let step = count.div_ceil(SAMPLE).max(1);
        let mut mean = vec![0.0_f32; self.dimension];
        let mut taken = 0.0;
        for slot in (0..count).step_by(step) {
            let (codes, scale) = self.row(slot);
            mean.iter_mut().zip(codes).for_each(|(sum, code)| *sum += f32::from(*code) * scale);
            taken += 1.0;
        }
        mean.iter_mut().for_each(|sum| *sum /= f32::max(taken, 1.0));
        (self.mean, self.counted) = (mean, count);
    }

    fn row(&self, slot: usize) -> (&[i8], f32) {
        let start = slot * self.dimension;
        let codes = self.codes.get(start..start + self.dimension).unwrap_or_default();
        (codes, self.scales.get(slot).copied().unwrap_or_default())
    }

    fn blocks(&self) -> usize {
        self.dimension.div_ceil(8 * size_of::<Signs>())
    }
}

/// A vector with a direction, scaled to length 1.
fn unit(vector: &[f32]) -> Vec<f32> {
    // Scaled twice, for the square of a tiny number is none, and that of a huge one is no number.
    let largest = largest(vector);
    let scaled: Vec<f32> = vector.iter().map(|x| x / largest).collect();
    let length = dot(&scaled, &scaled).sqrt();
    scaled.iter().map(|x| x / length).collect()
}

/// Appends a vector's codes and returns what one of them is worth when the whole has length 1.
fn quantize(unit: &[f32], codes: &mut Vec<i8>) -> f32 {
    let factor = 127.0 / largest(unit);
    let start = codes.len();
    codes.resize(start + unit.len(), 0);
    encode(unit, factor, codes.get_mut(start..).unwrap_or_default());
    1.0 / factor
}

fn swap_remove_row<T: Copy>(values: &mut Vec<T>, width: usize, row: usize) {
    let last = values.len().saturating_sub(width);
    if row * width <= last {
        values.copy_within(last.., row * width);
        values.truncate(last);
    }
}

#[cfg(test)]
mod tests {
    use ouro_testkit::store_contract::sample_id;

    use super::*;

    #[test]
    fn the_last_vector_of_each_record_is_kept_whichever_were_replaced() {
        // Each bit says whether a record comes again behind the others.
        for again in 0..32_u32 {
            let mut vectors = Quantized::new(4);
            let pushed: Vec<u64> = (0..5).chain((0..5).filter(|n| again >> n & 1 == 1)).collect();
            for (entry, n) in (0..).zip(&pushed) {
                vectors.push(sample_id(*n), entry, &[1.0, entry as f32, 0.0, -1.0]);
            }
            vectors.keep_last();
            vectors.settle();
            let mut kept: Vec<(RecordId, Entry)> =
                vectors.records.iter().copied().zip(vectors.entries.iter().copied()).collect();
            kept.sort_unstable();
            let last = |n: u64| pushed.iter().rposition(|pushed| *pushed == n).unwrap();
            let expected: Vec<(RecordId, Entry)> =
                (0..5).map(|n| (sample_id(n), last(n) as Entry)).collect();
            assert_eq!(kept, expected, "{again:b}");
            let near = vectors.nearest(&Query::new(&[1.0, 9.0, 0.0, -1.0]), 5, 5, &|_| true);
            assert_eq!(near.len(), 5);
            assert!(near.iter().all(|found| expected.contains(&(found.record, found.entry))));
        }
    }
}
