//! The inner loops of the search. Each is compiled for several generations of processors, and which one runs is decided when the
//! program does: no build of Ouro is for one machine. Whole numbers are added without a check for overflow, which none of them comes
//! near: a check after each would allow but one at a time.

use pulp::{Arch, NullaryFnOnce, Simd, WithSimd};

/// 512 signs.
pub(super) type Signs = [u64; 8];

/// Independent sums, several for each lane of a wide register: one sum would wait for itself.
const LANES: usize = 32;

/// The sum of products.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    struct Dot<'a>(&'a [f32], &'a [f32]);
    impl WithSimd for Dot<'_> {
        type Output = f32;
        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> f32 {
            let (a, a_rest) = self.0.as_chunks::<LANES>();
            let (b, b_rest) = self.1.as_chunks::<LANES>();
            let mut sums = [0.0_f32; LANES];
            for (a, b) in a.iter().zip(b) {
                for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
                    *sum += a * b;
                }
            }
            let mut sum = 0.0;
            for (a, b) in a_rest.iter().zip(b_rest) {
                sum += a * b;
            }
            for lane in sums {
                sum += lane;
            }
            sum
        }
    }
    Arch::new().dispatch(Dot(a, b))
}

/// The sums of products of codes with each of four rows. Rows lie far apart, and memory brings four at once nearly as fast as one.
pub(super) fn dot_codes(codes: &[i8], rows: [&[i8]; 4]) -> [i32; 4] {
    struct DotCodes<'a>(&'a [i8], [&'a [i8]; 4]);
    impl WithSimd for DotCodes<'_> {
        type Output = [i32; 4];
        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> [i32; 4] {
            const WIDTH: usize = 128;
            let Self(codes, rows) = self;
            let chunks = rows.map(|row| row.as_chunks::<WIDTH>().0);
            let mut sums = [0_i32; 4];
            for (place, codes) in codes.as_chunks::<WIDTH>().0.iter().enumerate() {
                for (sum, row) in sums.iter_mut().zip(chunks) {
                    let Some(row) = row.get(place) else { continue };
                    for (a, b) in codes.iter().zip(row) {
                        *sum = sum.wrapping_add(i32::from(*a) * i32::from(*b));
                    }
                }
            }
            let done = codes.len() / WIDTH * WIDTH;
            for (sum, row) in sums.iter_mut().zip(rows) {
                for (a, b) in codes.iter().zip(row).skip(done) {
                    *sum = sum.wrapping_add(i32::from(*a) * i32::from(*b));
                }
            }
            sums
        }
    }
    Arch::new().dispatch(DotCodes(codes, rows))
}

#[cfg(target_arch = "x86_64")]
pulp::simd_type! {
    /// Counts the bits of eight words by one instruction.
    struct CountsBits {
        avx512f: "avx512f",
        avx512vpopcntdq: "avx512vpopcntdq",
    }
}

/// In how many signs each row differs from `row`; rows stand one after the other.
pub(super) fn differences(row: &[Signs], rows: &[Signs]) -> Vec<u16> {
    struct Differences<'a>(&'a [Signs], &'a [Signs], &'a mut [u16]);
    impl NullaryFnOnce for Differences<'_> {
        type Output = ();
        #[inline(always)]
        #[allow(clippy::cast_possible_truncation, reason = "beyond 65,535 signs all are far")]
        fn call(self) {
            let row = self.0.as_flattened();
            let rows = self.1.as_flattened().chunks_exact(row.len());
            for (other, differences) in rows.zip(self.2) {
                let mut bits = 0_u64;
                for (a, b) in row.iter().zip(other) {
                    bits = bits.wrapping_add(u64::from((a ^ b).count_ones()));
                }
                *differences = bits as u16;
            }
        }
    }
    if row.is_empty() {
        return Vec::new();
    }
    let mut differences = vec![0; rows.len() / row.len()];
    let counting = Differences(row, rows, &mut differences);
    #[cfg(target_arch = "x86_64")]
    if let Some(processor) = CountsBits::try_new() {
        processor.vectorize(counting);
        return differences;
    }
    Arch::new().dispatch(counting);
    differences
}

/// A code for each number: the number times `factor`, rounded.
pub(super) fn encode(vector: &[f32], factor: f32, codes: &mut [i8]) {
    struct Encode<'a>(&'a [f32], f32, &'a mut [i8]);
    impl WithSimd for Encode<'_> {
        type Output = ();
        #[inline(always)]
        #[allow(
            clippy::cast_possible_truncation,
            reason = "what is too large is cut, as it should"
        )]
        fn with_simd<S: Simd>(self, _: S) {
            for (x, place) in self.0.iter().zip(self.2) {
                let code = x * self.1;
                *place = (code + 0.5_f32.copysign(code)) as i8;
            }
        }
    }
    Arch::new().dispatch(Encode(vector, factor, codes));
}

/// Appends whether each number is above its mean, padded to whole blocks.
pub(super) fn signs(vector: &[f32], mean: &[f32], signs: &mut Vec<Signs>) {
    struct ToSigns<'a>(&'a [f32], &'a [f32], &'a mut Vec<Signs>);
    impl WithSimd for ToSigns<'_> {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            let Self(vector, mean, signs) = self;
            for (vector, mean) in vector.chunks(512).zip(mean.chunks(512)) {
                let mut block = [0; 8];
                let words = vector.chunks(64).zip(mean.chunks(64));
                for (word, (vector, mean)) in block.iter_mut().zip(words) {
                    for (place, (x, mean)) in vector.iter().zip(mean).enumerate() {
                        *word |= u64::from(x > mean) << place;
                    }
                }
                signs.push(block);
            }
        }
    }
    Arch::new().dispatch(ToSigns(vector, mean, signs));
}

/// The largest absolute value.
pub(super) fn largest(vector: &[f32]) -> f32 {
    struct Largest<'a>(&'a [f32]);
    impl WithSimd for Largest<'_> {
        type Output = f32;
        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> f32 {
            let (vector, rest) = self.0.as_chunks::<LANES>();
            let mut lanes = [0.0_f32; LANES];
            for vector in vector {
                for (lane, x) in lanes.iter_mut().zip(vector) {
                    *lane = if x.abs() > *lane { x.abs() } else { *lane };
                }
            }
            let mut largest = 0.0;
            for x in lanes.iter().chain(rest) {
                largest = if x.abs() > largest { x.abs() } else { largest };
            }
            largest
        }
    }
    Arch::new().dispatch(Largest(vector))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_loops_say_what_plain_ones_say(
            pairs in prop::collection::vec((-99_i8..=99, -99_i8..=99), 0..1_200),
        ) {
            // Whole numbers: both sides compute the same sums exactly.
            let (a, b): (Vec<i8>, Vec<i8>) = pairs.into_iter().unzip();
            let floats = |v: &[i8]| v.iter().map(|x| f32::from(*x)).collect::<Vec<f32>>();
            let products = a.iter().zip(&b).map(|(a, b)| i32::from(*a) * i32::from(*b));
            let sum: i32 = products.sum();
            prop_assert_eq!(dot_codes(&a, [&b, &b, &[], &b]), [sum, sum, 0, sum]);
            prop_assert!((f64::from(dot(&floats(&a), &floats(&b))) - f64::from(sum)).abs() < 1.0);
            let mut codes = vec![0; a.len()];
            encode(&floats(&a), 1.0, &mut codes);
            prop_assert_eq!(&codes, &a);

            let zeros = vec![0.0; a.len()];
            let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
            signs(&floats(&a), &zeros, &mut of_a);
            signs(&floats(&b), &zeros, &mut of_b);
            let differ = a.iter().zip(&b).filter(|(a, b)| (**a > 0) != (**b > 0)).count();
            let expected = if a.is_empty() { vec![] } else { vec![u16::try_from(differ).unwrap()] };
            prop_assert_eq!(differences(&of_a, &of_b), expected);
            prop_assert_eq!(largest(&floats(&a)), a.iter().map(|x| f32::from(x.abs())).fold(0.0, f32::max));
        }
    }
}
