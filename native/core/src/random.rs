//! Randomness as a port: a run is repeatable for a seed.

use std::sync::{Mutex, PoisonError};

/// A source of random numbers.
pub trait Random: Send + Sync + std::fmt::Debug {
    /// The next 64 random bits.
    fn next_u64(&self) -> u64;

    /// The next number in `0.0..1.0`.
    #[allow(clippy::cast_precision_loss, reason = "53 bits fit an f64 exactly")]
    fn next_f64(&self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A generator that repeats for a seed; not for secrets.
#[derive(Debug)]
pub struct SeededRandom(Mutex<fastrand::Rng>);

impl SeededRandom {
    /// The generator of this seed.
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(fastrand::Rng::with_seed(seed)))
    }

    /// A generator with a seed from the system.
    pub fn from_system() -> Self {
        Self(Mutex::new(fastrand::Rng::new()))
    }
}

impl Random for SeededRandom {
    fn next_u64(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).u64(..)
    }
}
