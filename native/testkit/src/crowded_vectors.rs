//! Vectors as an embedder gives them for the questions of one project: all in one corner, and there in crowds.

use ouro_core::{Random, SeededRandom};

/// The squares of the parts of a vector: what all have in common, what its crowd has, what is its own. So the cosine of any two is
/// about 0.36, and that of two of one crowd about 0.8.
const COMMON: f32 = 0.36;
const OF_CROWD: f32 = 0.45;
const OWN: f32 = 0.19;
/// In so many directions crowds differ from within, the first of them most.
const DIRECTIONS: usize = 64;
/// How much of a vector's own part lies in those directions.
const ALONG: f32 = 0.8;
/// How far a vector is moved to make one that says nearly the same: their cosine is about 0.98.
const NEAR: f32 = 0.2;

/// Makes unit vectors, always the same from one seed.
#[derive(Debug)]
pub struct CrowdedVectors {
    random: SeededRandom,
    common: Vec<f32>,
    crowds: Vec<Vec<f32>>,
    directions: Vec<Vec<f32>>,
}

impl CrowdedVectors {
    /// Vectors of `dimension` numbers in so many crowds.
    pub fn new(dimension: usize, crowds: usize, seed: u64) -> Self {
        let random = SeededRandom::new(seed);
        let any = |random: &SeededRandom| scaled(noise(random, dimension), 1.0);
        Self {
            common: any(&random),
            crowds: (0..crowds).map(|_| any(&random)).collect(),
            directions: (0..DIRECTIONS).map(|_| any(&random)).collect(),
            random,
        }
    }

    /// A vector of the crowd `n`, counted round and round.
    pub fn member(&self, n: usize) -> Vec<f32> {
        let dimension = self.common.len();
        let mut along = vec![0.0; dimension];
        for (direction, place) in self.directions.iter().zip(1_u16..) {
            add(&mut along, direction, normal(&self.random) / f32::from(place).sqrt());
        }
        let mut own = scaled(along, ALONG);
        add(&mut own, &scaled(noise(&self.random, dimension), (1.0 - ALONG * ALONG).sqrt()), 1.0);
        let mut vector = vec![0.0; dimension];
        add(&mut vector, &self.common, COMMON.sqrt());
        if let Some(crowd) = self.crowds.iter().cycle().nth(n % self.crowds.len().max(1)) {
            add(&mut vector, crowd, OF_CROWD.sqrt());
        }
        add(&mut vector, &scaled(own, OWN.sqrt()), 1.0);
        scaled(vector, 1.0)
    }

    /// A vector that says nearly the same as another.
    pub fn near(&self, vector: &[f32]) -> Vec<f32> {
        let mut near = vector.to_vec();
        add(&mut near, &scaled(noise(&self.random, vector.len()), NEAR), 1.0);
        scaled(near, 1.0)
    }
}

fn noise(random: &SeededRandom, dimension: usize) -> Vec<f32> {
    (0..dimension).map(|_| normal(random)).collect()
}

/// Nearly a normal distribution.
#[allow(clippy::cast_possible_truncation, reason = "any f32 will do")]
fn normal(random: &SeededRandom) -> f32 {
    ((0..4).map(|_| random.next_f64()).sum::<f64>() - 2.0) as f32
}

fn scaled(mut vector: Vec<f32>, length: f32) -> Vec<f32> {
    let now = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x *= length / now);
    vector
}

fn add(sum: &mut [f32], vector: &[f32], times: f32) {
    sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x * times);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn members_of_a_crowd_are_alike_and_a_near_vector_is_nearly_the_same() {
        let vectors = CrowdedVectors::new(1_024, 3, 1);
        let [a, b, same] = [0, 1, 3].map(|n| vectors.member(n));
        assert!((cosine(&a, &a) - 1.0).abs() < 1e-5);
        assert!((cosine(&a, &b) - 0.36).abs() < 0.1);
        assert!((cosine(&a, &same) - 0.81).abs() < 0.1);
        assert!((cosine(&a, &vectors.near(&a)) - 0.98).abs() < 0.01);
        assert_eq!(CrowdedVectors::new(1_024, 3, 1).member(0), a);
    }
}
