//! Whether a text has to do with a query at all. Search ranks, and always finds something best; that something may have
//! nothing to do with what was asked.

use std::{borrow::Cow, cmp::Reverse};

use ouro_core::Result;

use crate::glossary;

/// Words that frame questions and say nothing of their subject.
const FRAME: &str = " a an and any are as at be been before but by can could did do does done for from get give had has have how i if in \
    into is it its just make me my no not of on one or our out please should show so some tell than that the their them then there \
    these they this those to up us use used uses using was we were what when where which who whom whose why will with work works would \
    you your explain describe find about handled happen happens order code start starts begin begins belong belongs offer offers support supports \
    newcomer project also need needs want possible report reports raise raises raised throw throws thrown return returns returned ";

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
    "抛出",
    "返回",
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

/// A shorter query is no quotation, in characters.
const LEAST_QUOTED: usize = 12;

/// Words for what kind of thing a name stands for: they narrow nothing where the name is known.
const KINDS: &[&str] = &[
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "type",
    "object",
    "function",
    "method",
    "module",
    "package",
    "crate",
    "constant",
    "macro",
    "error",
    "exception",
    "file",
    "类",
    "结构体",
    "枚举",
    "接口",
    "类型",
    "对象",
    "函数",
    "方法",
    "模块",
    "包",
    "常量",
    "宏",
    "文件",
];

/// What languages call that which goes wrong.
const FAILURE: [&str; 4] = ["error", "exception", "错误", "异常"];

/// What a query is about.
pub(crate) struct Wanted {
    query: String,
    words: Vec<Word>,
}

/// One thing that a query speaks of.
struct Word {
    /// What it is called: one word, or a Chinese one and the English one that stands for it in code.
    forms: Vec<String>,
    weight: f32,
}

impl Wanted {
    /// The words of a query that say something, all of them where none does. They weigh the same until they are
    /// [weighed](Self::weigh).
    pub(crate) fn of(query: &str) -> Self {
        let lower = query.to_lowercase();
        let mut words: Vec<Word> = Vec::new();
        let mut plain = lower.clone();
        for (chinese, english) in glossary::TERMS {
            if plain.contains(chinese) {
                plain = plain.replace(chinese, " ");
                words.push(Word::of(&[chinese, english]));
            }
        }
        for frame in FRAME_ZH {
            plain = plain.replace(frame, " ");
        }
        let said = split(&plain).into_iter().filter(|word| !FRAME.contains(&format!(" {word} ")));
        words.extend(said.map(|word| Word::of(&[&word])));
        if words.is_empty() {
            words = split(&lower).into_iter().map(|word| Word::of(&[&word])).collect();
        }
        Self { query: query.to_owned(), words }
    }

    /// Lets each word weigh as much as it is rare, by the share of all texts that hold a word which begins so, more than 0.
    pub(crate) fn weigh(mut self, share: impl Fn(&str) -> Result<f32>) -> Result<Self> {
        for word in &mut self.words {
            let mut texts = 0.0_f32;
            for form in &word.forms {
                texts = texts.max(share(&stem(form))?);
            }
            word.weight = (1.0 + 1.0 / texts).ln();
        }
        Ok(self)
    }

    /// Whether an answered question is about the very thing that it names: the first name of code in the question, which in
    /// Chinese stands behind its file, stands in it as it is, and is most of what is wanted.
    pub(crate) fn names_subject_of(&self, question: &str) -> bool {
        let parts: Vec<&str> = question.split('`').collect();
        let is_in_file = match parts.as_slice() {
            [_, _, " 中的 " | " 里的 ", _, ..] => true,
            [_, first, " 的 ", _, ..] => first.contains('/'),
            _ => false,
        };
        parts.get(if is_in_file { 3 } else { 1 }).is_some_and(|subject| {
            stands_alone(subject, &self.query) && 2.0 * self.share_of_name_in(subject) >= 1.0
        })
    }

    /// Whether one of its words is this one, whatever its ending.
    pub(crate) fn is_about(&self, word: &str) -> bool {
        self.words.iter().any(|wanted| wanted.forms.iter().any(|form| speaks_of(form, word)))
    }

    /// What to search for.
    pub(crate) fn text(&self) -> String {
        let forms: Vec<&str> =
            self.words.iter().flat_map(|word| &word.forms).map(String::as_str).collect();
        forms.join(" ")
    }

    /// Whether an answered question has to do with it: the whole speaks of at least half of it, or the question alone of a
    /// third.
    pub(crate) fn is_answered_by(&self, question: &str, answer: &str) -> bool {
        let answer = self.beside_query(answer);
        3.0 * self.share_in(question) >= 1.0
            || 2.0 * self.share_in(&format!("{question}\n{answer}")) >= 1.0
    }

    /// Whether a piece of code or prose, which is short, has to do with it: it speaks of two fifths.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        5.0 * self.share_in(&self.beside_query(text)) >= 2.0
    }

    /// A text without the query itself: who quotes a question does not answer it. A query of a word or two is a subject, and
    /// whoever names it speaks of it.
    fn beside_query<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let query = self.query.trim().trim_end_matches(['?', '？', '.', '。', '!', '！']);
        if self.words.len() < 2 || query.chars().count() < LEAST_QUOTED || !text.contains(query) {
            return Cow::Borrowed(text);
        }
        Cow::Owned(text.replace(query, " "))
    }

    /// How much of it a text speaks of, by weight, from 0 to 1. Of a text in another script than Chinese the Chinese words are
    /// not expected where there are others.
    fn share_in(&self, text: &str) -> f32 {
        self.share_of(|_| true, text)
    }

    /// The same of what is wanted beside the kind of the thing that has this name.
    fn share_of_name_in(&self, name: &str) -> f32 {
        let is_kind = |word: &Word| word.forms.iter().any(|form| KINDS.contains(&form.as_str()));
        self.share_of(|word| !is_kind(word) || word.is_in(&name.to_lowercase()), name)
    }

    fn share_of(&self, counts: impl Fn(&Word) -> bool, text: &str) -> f32 {
        let text = text.to_lowercase();
        let is_chinese = text.chars().any(is_wide);
        let expected =
            |word: &&Word| is_chinese || word.forms.iter().any(|f| !f.chars().any(is_wide));
        let (mut found, mut all) = (0.0, 0.0);
        for word in self.words.iter().filter(expected).filter(|word| counts(word)) {
            all += word.weight;
            if word.is_in(&text) {
                found += word.weight;
            }
        }
        if found > 0.0 { found / all } else { 0.0 }
    }
}

/// The line of a text that speaks of most of a query, and its place in the text, from 0; the first of several. `None` where
/// no line speaks of it.
pub fn telling_line<'t>(query: &str, text: &'t str) -> Option<(usize, &'t str)> {
    let wanted = Wanted::of(query);
    let found = |line: &str| {
        let line = line.to_lowercase();
        wanted.words.iter().filter(|word| word.is_in(&line)).count()
    };
    let lines = text.lines().map(|line| (found(line), line)).enumerate();
    let best = lines.min_by_key(|(_, (found, _))| Reverse(*found));
    best.filter(|(_, (found, _))| *found > 0).map(|(at, (_, line))| (at, line))
}

impl Word {
    /// A word by its forms, and whatever else is said for it.
    fn of(forms: &[&str]) -> Self {
        let is_failure = |form: &str| FAILURE.iter().any(|word| form.starts_with(word));
        let mut forms: Vec<String> = forms.iter().map(|form| (*form).to_owned()).collect();
        if forms.iter().any(|form| is_failure(form)) {
            let others = FAILURE.iter().filter(|word| !forms.iter().any(|f| f.starts_with(**word)));
            let others: Vec<String> = others.map(|word| (*word).to_owned()).collect();
            forms.extend(others);
        }
        Self { forms, weight: 1.0 }
    }

    /// Whether a text in lower case calls it by any of its forms.
    fn is_in(&self, text: &str) -> bool {
        self.forms.iter().any(|form| speaks_of(text, form))
    }
}

/// Whether a text holds a name that is no part of a longer one, as `Tx` is of `Tx.Commit`.
fn stands_alone(name: &str, text: &str) -> bool {
    let in_name = |c: char| (c.is_alphanumeric() && !is_wide(c)) || c == '_';
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default();
            let after = text.get(at + name.len()..).unwrap_or_default();
            let longer = after.trim_start_matches(['.', ':', '#']);
            !before.ends_with(|c| in_name(c) || ".:#".contains(c))
                && !after.starts_with(in_name)
                && (longer.len() == after.len() || !longer.starts_with(in_name))
        })
}

/// The words of a text; of one without spaces, every pair of neighbours.
fn split(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for run in text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        let chars: Vec<char> = run.chars().collect();
        for part in chars.chunk_by(|a, b| is_wide(*a) == is_wide(*b)) {
            if part.len() == 1 || !part.iter().copied().any(is_wide) {
                words.push(part.iter().collect());
            } else {
                words.extend(part.windows(2).map(|pair| pair.iter().collect::<String>()));
            }
        }
    }
    words.sort_unstable();
    words.dedup();
    words
}

/// Of a script that is written without spaces.
fn is_wide(c: char) -> bool {
    c >= '\u{2e80}'
}

/// A word without its ending, for `recorded` is spoken of by `records`.
fn stem(word: &str) -> String {
    let length = word.chars().count();
    let kept = if length > 4 { (length * 3 / 4).max(4) } else { length };
    word.chars().take(kept).collect()
}

/// Whether a word begins in a text, whatever its ending.
fn speaks_of(text: &str, word: &str) -> bool {
    let stem = stem(word);
    let in_wide = stem.chars().any(is_wide);
    let is_short = word.chars().count() <= 3;
    text.match_indices(&stem).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        // A short word has no other ending: `is` is not in `issue`.
        let after = text.get(at + stem.len()..).and_then(|tail| tail.chars().next());
        let ends =
            !is_short || after.is_none_or(|c| !c.is_alphanumeric() || is_wide(c) || c == 's');
        in_wide || (before.is_none_or(|c| !c.is_alphanumeric() || is_wide(c)) && ends)
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
            assert_eq!(Wanted::of(query).is_answered_by("", record), relevant, "{query}");
        }
    }

    #[test]
    fn a_rare_word_outweighs_common_ones_and_one_that_nobody_knows_is_among_the_rarest() {
        let shares = |word: &str| {
            Ok(match word {
                w if w.starts_with("requ") => 0.4,
                w if w.starts_with("fail") => 0.1,
                w if w.starts_with("retr") => 0.005,
                "file" | "sent" => 0.05,
                _ => 0.001,
            })
        };
        let of = |query: &str| Wanted::of(query).weigh(shares).unwrap();
        let errors = "`RequestException`: a request failed. It is documented.";
        let retry = of("How do I retry a failed request?");
        assert!(!retry.is_answered_by("", errors));
        assert!(retry.is_answered_by("", "`Retry` says how often a request is sent again."));
        assert!(of("How are failed requests handled?").is_answered_by("", errors));
        assert!(!of("Who wrote the zebra of the failed giraffe?").is_answered_by("", errors));
        // What the question is about weighs more than what its answer mentions.
        assert!(of("requests failed to zebra").is_answered_by("Which requests fail?", ""));
        // A subject that the project never speaks of is no small thing beside a common word.
        let upload = "Which files does a request hold?";
        assert!(of("Which files are sent?").is_answered_by(upload, ""));
        for stranger in ["How do I file my nails?", "How do I file a tax return?"] {
            assert!(!of(stranger).is_answered_by(upload, "A file is sent."), "{stranger}");
            assert!(!of(stranger).is_in("fn send(file: File)"), "{stranger}");
        }
    }

    #[test]
    fn an_exception_is_an_error_in_either_language() {
        let errors = "Which errors does viper define, such as `ParseError`?";
        for query in ["Which exceptions can be thrown?", "有哪些异常？", "会返回哪些错误？"]
        {
            assert!(Wanted::of(query).is_answered_by(errors, ""), "{query}");
        }
        assert!(Wanted::of("Which errors are there?").is_answered_by("viper 定义了哪些异常？", ""));
        assert!(!Wanted::of("Which files are there?").is_answered_by(errors, ""));
    }

    #[test]
    fn the_record_about_the_thing_that_is_named_is_told_from_those_about_its_parts() {
        let whole = "`DB` (`db.go`) offers `Close` and `Begin`: what is it for?";
        let part = "What happens, and in which order, when `DB.Batch` in `db.go` is called?";
        for (query, about_whole, about_part) in [
            ("What does DB do?", true, false),
            ("DB 是做什么的？", true, false),
            ("what is `DB`.", true, false),
            ("What is the struct DB for?", true, false),
            ("DB 这个结构体是做什么的？", true, false),
            ("What does the method DB.Batch do?", false, true),
            ("What does DB.Batch do?", false, true),
            ("What does DB.Batch::new do?", false, false),
            ("What does MyDB do?", false, false),
            ("What does db do?", false, false),
            ("How does DB keep the pages that a reader still needs?", false, false),
        ] {
            let wanted = Wanted::of(query);
            assert_eq!(wanted.names_subject_of(whole), about_whole, "{query}");
            assert_eq!(wanted.names_subject_of(part), about_part, "{query}");
        }
        for in_file in [
            "`db.go` 中的 `DB` 有什么用，它的 `Close` 呢？",
            "调用 `kv/db.go` 的 `DB` 会得到什么？",
        ] {
            assert!(Wanted::of("DB 是什么？").names_subject_of(in_file));
            assert!(!Wanted::of("Close 是什么？").names_subject_of(in_file));
        }
        assert!(!Wanted::of("Close 是什么？").names_subject_of("`DB` 的 `Close` 做什么？"));
        assert!(!Wanted::of("What does DB do?").names_subject_of("Where should one start?"));
    }

    #[test]
    fn names_are_found_by_a_question_in_chinese_about_english_code() {
        let record = "`Session.send` retries a request when the connection fails.";
        for (query, relevant) in [
            ("Session 在哪里重试?", true),
            ("Session在哪里定义？", true),
            ("连接失败时如何重试？", true),
            ("订单是如何处理的？", false),
            ("法国的首都是哪里？", false),
        ] {
            assert_eq!(Wanted::of(query).is_answered_by("", record), relevant, "{query}");
        }
    }

    #[test]
    fn quoting_a_question_is_no_answer_to_it() {
        let wanted = Wanted::of("How are failures recorded?");
        let quotes = "To ask it: `tool ask . \"How are failures recorded?\"`.";
        assert!(!wanted.is_answered_by("How is the tool put to use?", quotes));
        assert!(!wanted.is_in(quotes));
        assert!(wanted.is_answered_by("How are failures recorded?", ""));
        assert!(wanted.is_in("Each failure is recorded with its cause."));
        let named = Wanted::of("Session.send");
        assert!(named.is_answered_by("", "`Session.send` sends a request."));
    }

    #[test]
    fn words_that_questions_are_made_of_are_no_subject() {
        let record = "What happens, and in which order, when `node.addRoute` is called?";
        for query in [
            "What happens at midnight?",
            "What order do taxes have?",
            "Does it support WebSockets?",
        ] {
            assert!(!Wanted::of(query).is_answered_by(record, "The code starts here."), "{query}");
        }
        assert!(Wanted::of("What happens in addRoute?").is_answered_by(record, ""));
    }

    #[test]
    fn the_telling_line_is_the_first_that_speaks_of_most() {
        let text =
            "class Adapter:\n    max_retries = 3\n    def send(self):  # retry to send\n    send()";
        assert_eq!(telling_line("How does it send and retry?", text).unwrap().0, 2);
        assert_eq!(telling_line("retry", text).unwrap().0, 1);
        assert_eq!(telling_line("database", text), None);
    }

    #[test]
    fn chinese_is_compared_by_pairs_of_characters() {
        let record = "`OrderService` 负责处理订单，配置文件读取失败时会重试。";
        for (query, relevant) in [
            ("配置文件读取失败时会发生什么？", true),
            ("订单是如何处理的？", true),
            ("法国的首都是哪里？", false),
        ] {
            assert_eq!(Wanted::of(query).is_answered_by("", record), relevant, "{query}");
        }
    }
}
