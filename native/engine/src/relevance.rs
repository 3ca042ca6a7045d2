//! Whether a text has to do with a query at all. Search ranks, and always finds something best; that something may have
//! nothing to do with what was asked.

/// Words that frame questions and say nothing of their subject.
const FRAME: &str = " a an and any are as at be been before but by can could did do does done for from get give had has have how i if in \
    into is it its just make me my no not of on one or our out please should show so some tell than that the their them then there \
    these they this those to up us use used uses using was we were what when where which who whom whose why will with work works would \
    you your explain describe find about ";

/// The same in Chinese, longest first.
const FRAME_ZH: &[&str] = &[
    "为什么",
    "是什么",
    "怎么样",
    "什么",
    "如何",
    "怎么",
    "怎样",
    "哪些",
    "哪个",
    "哪里",
    "是否",
    "可以",
    "请问",
    "一个",
    "这个",
    "那个",
    "的",
    "了",
    "吗",
    "呢",
    "是",
    "在",
    "有",
    "和",
    "与",
    "被",
    "把",
    "个",
    "中",
    "里",
];

/// What a query is about.
pub(crate) struct Wanted {
    words: Vec<String>,
}

impl Wanted {
    /// The words of a query that say something; all of them where none does.
    pub(crate) fn of(query: &str) -> Self {
        let lower = query.to_lowercase();
        let mut plain = lower.clone();
        for frame in FRAME_ZH {
            plain = plain.replace(frame, " ");
        }
        let mut words = split(&plain);
        words.retain(|word| !FRAME.contains(&format!(" {word} ")));
        if words.is_empty() {
            words = split(&lower);
        }
        Self { words }
    }

    /// What to search for.
    pub(crate) fn text(&self) -> String {
        self.words.join(" ")
    }

    /// Whether a text speaks of at least half of it.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let found = self.words.iter().filter(|word| speaks_of(&text, word)).count();
        found > 0 && 2 * found >= self.words.len()
    }
}

/// The words of a text; of one without spaces, every pair of neighbours.
fn split(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for run in text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        let chars: Vec<char> = run.chars().collect();
        if chars.iter().all(|c| *c < '\u{2e80}') || chars.len() == 1 {
            words.push(run.to_owned());
        } else {
            words.extend(chars.windows(2).map(|pair| pair.iter().collect::<String>()));
        }
    }
    words.sort_unstable();
    words.dedup();
    words
}

/// Whether a word begins in a text, whatever its ending: `recorded` is spoken of by `records`.
fn speaks_of(text: &str, word: &str) -> bool {
    let length = word.chars().count();
    let kept = if length > 4 { (length * 3 / 4).max(4) } else { length };
    let stem: String = word.chars().take(kept).collect();
    let is_wide = stem.chars().any(|c| c >= '\u{2e80}');
    text.match_indices(&stem).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        // A short word has no other ending: `is` is not in `issue`.
        let after = text.get(at + stem.len()..).and_then(|tail| tail.chars().next());
        let ends = length > 3 || after.is_none_or(|c| !c.is_alphanumeric() || c == 's');
        is_wide || (before.is_none_or(|c| !c.is_alphanumeric()) && ends)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_relevant_when_it_speaks_of_half_of_what_is_asked() {
        let record = "`FailureLog` records each failure with its cause. It retries a connection.";
        for (query, relevant) in [
            ("How are failures recorded?", true),
            ("What causes a failure?", true),
            ("connections", true),
            ("failurelog", true),
            ("zzzzqqqq", false),
            ("What is the capital of France?", false),
            ("Who wrote the connection pool of PostgreSQL?", false),
            ("it", true),
            ("", false),
        ] {
            assert_eq!(Wanted::of(query).is_in(record), relevant, "{query}");
        }
    }

    #[test]
    fn chinese_is_compared_by_pairs_of_characters() {
        let record = "`OrderService` 负责处理订单，配置文件读取失败时会重试。";
        for (query, relevant) in [
            ("配置文件读取失败时会发生什么？", true),
            ("订单是如何处理的？", true),
            ("法国的首都是哪里？", false),
        ] {
            assert_eq!(Wanted::of(query).is_in(record), relevant, "{query}");
        }
    }
}
