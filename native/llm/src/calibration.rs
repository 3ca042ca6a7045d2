//! Finds the cosine from which an embedder's questions count as the same.
//!
//! Embedders differ widely: one puts unrelated questions near 0.3, another at 0.8. So the threshold belongs to the
//! embedder and is measured on pairs of questions whose answer is known.

use ouro_core::{Error, ErrorKind, Result};

/// A cosine that is 1 but for rounding. Embedders of use stay below it on different questions by far.
const BLIND: f32 = 0.9999;

/// How well an embedder tells questions apart, and the threshold that follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// Cosine from which two questions count as the same.
    pub threshold: f32,
    /// Median cosine of pairs that ask the same in other words.
    pub median_same: f32,
    /// Highest cosine of pairs that ask different things about one subject.
    pub highest_different: f32,
}

impl Calibration {
    /// The threshold for these cosines: halfway between the highest of the different pairs and the median of the same
    /// ones. No known different pair is taken for the same, because a good question refused is worse than a question
    /// asked twice. Where the embedder doesn't separate them, the threshold is halfway between the highest different
    /// pair and 1: next to nothing is refused but literal repeats.
    ///
    /// # Errors
    /// `Internal` when one of the lists is empty.
    pub fn of(same: &[f32], different: &[f32]) -> Result<Self> {
        let empty =
            || Error::new(ErrorKind::Internal, "there are no pairs to calibrate an embedder on");
        let mut same = same.to_vec();
        same.sort_by(f32::total_cmp);
        let median_same = *same.get(same.len() / 2).ok_or_else(empty)?;
        let highest_different =
            different.iter().copied().max_by(f32::total_cmp).ok_or_else(empty)?;
        let upper = if median_same > highest_different { median_same } else { 1.0 };
        Ok(Self { threshold: highest_different.midpoint(upper), median_same, highest_different })
    }

    /// The calibration of an embedder that turned [`texts`] into these normalised vectors.
    ///
    /// # Errors
    /// `Internal` when there is not a vector for each text.
    pub(crate) fn of_vectors(vectors: &[Vec<f32>]) -> Result<Self> {
        let cosines: Vec<f32> = vectors
            .chunks(2)
            .filter_map(|pair| Some(cosine(pair.first()?, pair.get(1)?)))
            .collect();
        let (same, different) = cosines
            .split_at_checked(SAME.len())
            .ok_or_else(|| Error::new(ErrorKind::Internal, "a calibration text has no vector"))?;
        Self::of(same, different)
    }

    /// Whether the embedder gives texts that have little in common one and the same vector: every question would be a duplicate of
    /// the first.
    pub(crate) fn is_blind(&self) -> bool {
        self.highest_different.min(self.median_same) > BLIND
    }

    /// Whether the embedder tells the different pairs from the same ones.
    pub fn separates(&self) -> bool {
        self.median_same > self.highest_different
    }
}

/// The highest cosine of questions that have nothing to do with each other: those of different pairs, by [`texts`].
pub(crate) fn highest_unrelated(vectors: &[Vec<f32>]) -> Option<f32> {
    let first: Vec<&Vec<f32>> = vectors.iter().step_by(2).take(SAME.len()).collect();
    let pairs = first
        .iter()
        .enumerate()
        .flat_map(|(at, a)| first.iter().skip(at + 1).map(move |b| cosine(a, b)));
    pairs.max_by(f32::total_cmp)
}

/// Every text of the known pairs, pair by pair, the same ones first.
pub(crate) fn texts() -> Vec<String> {
    SAME.iter().chain(&DIFFERENT).flat_map(|(a, b)| [(*a).to_owned(), (*b).to_owned()]).collect()
}

/// The cosine of two normalised vectors.
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Pairs that ask the same in other words.
pub(crate) const SAME: [(&str, &str); 12] = [
    ("What does the function `parse_header` do?", "What is the purpose of `parse_header`?"),
    (
        "How does `ConnectionPool` recover from a broken connection?",
        "What happens in `ConnectionPool` when a connection breaks?",
    ),
    (
        "Where is the retry policy of the HTTP client configured?",
        "In which file is the HTTP client's retry policy set?",
    ),
    (
        "Which modules depend on the `storage` module?",
        "What other modules use the `storage` module?",
    ),
    (
        "How are errors handled while the configuration is loaded?",
        "How does loading the configuration deal with errors?",
    ),
    ("What is the entry point of the program?", "Where does the program start?"),
    ("Which tests cover the class `TokenBucket`?", "How is `TokenBucket` tested?"),
    ("`OrderService` 的主要职责是什么？", "`OrderService` 这个类负责做什么？"),
    ("缓存失效的逻辑是在哪里实现的？", "缓存失效逻辑在哪个文件里实现？"),
    ("配置文件读取失败时会发生什么？", "如果读取配置文件失败，程序会怎么处理？"),
    ("数据库连接池是如何初始化的？", "数据库连接池的初始化过程是怎样的？"),
    ("哪些模块依赖 `scheduler` 模块？", "`scheduler` 模块被哪些模块使用？"),
];

/// Pairs that share their subject or their form and ask for different things.
pub(crate) const DIFFERENT: [(&str, &str); 12] = [
    ("What does the function `parse_header` do?", "What does the function `write_footer` do?"),
    (
        "How does `ConnectionPool` recover from a broken connection?",
        "How many connections does `ConnectionPool` open at most?",
    ),
    (
        "Where is the retry policy of the HTTP client configured?",
        "Where is the log level of the HTTP server configured?",
    ),
    (
        "Which modules depend on the `storage` module?",
        "Which file format does the `storage` module write?",
    ),
    (
        "How are errors handled while the configuration is loaded?",
        "Which values of the configuration can be changed while the program runs?",
    ),
    (
        "What is the entry point of the program?",
        "What does the program print when it is called without arguments?",
    ),
    ("Which tests cover the class `TokenBucket`?", "Which classes call `TokenBucket`?"),
    ("`OrderService` 的主要职责是什么？", "`PaymentGateway` 的主要职责是什么？"),
    ("缓存失效的逻辑是在哪里实现的？", "缓存的最大容量是多少？"),
    ("配置文件读取失败时会发生什么？", "配置文件支持哪些格式？"),
    ("数据库连接池是如何初始化的？", "数据库事务是如何回滚的？"),
    ("哪些模块依赖 `scheduler` 模块？", "`scheduler` 模块如何计算下一次运行的时间？"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_lies_between_what_is_different_and_what_is_the_same() {
        let calibration = Calibration::of(&[0.7, 0.95, 0.9], &[0.2, 0.8, 0.5]).unwrap();
        assert_eq!(
            calibration,
            Calibration { threshold: 0.85, median_same: 0.9, highest_different: 0.8 }
        );
        assert!(calibration.separates());
    }

    #[test]
    fn an_embedder_that_separates_nothing_refuses_next_to_nothing() {
        let calibration = Calibration::of(&[0.7, 0.8], &[0.9]).unwrap();
        assert!(!calibration.separates());
        assert!((calibration.threshold - 0.95).abs() < 1e-6);
        assert_eq!(Calibration::of(&[], &[0.9]).unwrap_err().kind(), ErrorKind::Internal);
    }

    #[test]
    fn no_pair_is_listed_as_same_and_as_different() {
        for (i, same) in SAME.iter().enumerate() {
            assert!(same.0 != same.1 && !DIFFERENT.contains(same), "{same:?}");
            assert!(!SAME.iter().skip(i + 1).any(|s| s == same), "{same:?}");
        }
    }
}
