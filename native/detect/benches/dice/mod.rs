//! Text that is made up and repeatable, for measuring.

/// A repeatable stream of numbers.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % limit as u64) as usize
    }

    /// One of `items`.
    pub(crate) fn pick(&mut self, items: &[&'static str]) -> &'static str {
        items.get(self.below(items.len())).copied().unwrap_or("")
    }

    /// A word of one to three syllables.
    pub(crate) fn word(&mut self) -> String {
        const SYLLABLES: [&str; 17] = [
            "ta", "re", "mi", "lon", "der", "a", "is", "con", "ver", "st", "o", "ing", "pel", "u",
            "qua", "ne", "ro",
        ];
        (0..=self.below(3)).map(|_| self.pick(&SYLLABLES)).collect()
    }

    /// A sentence of 6 to 17 words, in lower case, and a blank.
    pub(crate) fn sentence(&mut self) -> String {
        let words: Vec<_> = (0..6 + self.below(12)).map(|_| self.word()).collect();
        words.join(" ") + self.pick(&[". ", ". ", ", and so. ", "? "])
    }
}
