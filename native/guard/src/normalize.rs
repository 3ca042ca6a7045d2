//! The form in which two spellings of one question are the same text.

use unicode_normalization::UnicodeNormalization;

/// The question in its compared form: Unicode compatibility forms unified (NFKC), case folded, white space collapsed, final
/// punctuation dropped.
pub fn normalize_question(question: &str) -> String {
    // Upper case first folds what lower case alone keeps apart: ß and SS, ς and σ.
    let folded: String =
        question.nfkc().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkc().collect();
    let words: Vec<&str> = folded.split_whitespace().collect();
    words.join(" ").trim_end_matches(|c: char| c == ' ' || ends_a_sentence(c)).to_owned()
}

/// What may follow the last word of a question, after NFKC (which has made full-width forms and `…` plain).
fn ends_a_sentence(c: char) -> bool {
    matches!(c, '.' | '?' | '!' | ';' | ':' | ',' | '。' | '、' | '؟' | '۔' | '।' | '՞' | '።')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spellings_of_one_question_are_the_same_text() {
        for (a, b) in [
            ("What is  the Store?", "what is the store"),
            ("  what\tis\nthe store ?!", "What is the store…"),
            ("仓库是什么？", "仓库是什么"),
            ("仓库是什么。", "仓库是什么?"),
            ("Ｗｈａｔ is ﬁle?", "what is file"),
            ("Wo ist die STRASSE?", "wo ist die Straße"),
            ("ΤΙ ΕΙΝΑΙ ΛΟΓΟΣ;", "τι ειναι λογος"),
            ("cafe\u{301}", "CAFÉ"),
        ] {
            assert_eq!(normalize_question(a), normalize_question(b));
        }
    }

    #[test]
    fn different_questions_stay_different() {
        for (a, b) in [("what is c", "what is c#"), ("a.b", "a b"), ("f(x)", "f(y)"), ("v1", "v2")]
        {
            assert_ne!(normalize_question(a), normalize_question(b));
        }
        assert_eq!(normalize_question(" ?!。 "), "");
    }

    proptest! {
        #[test]
        fn white_space_case_and_final_marks_never_matter(words in prop::collection::vec("[a-zäßéσ一-三]{1,5}", 1..5)) {
            let plain = normalize_question(&words.join(" "));
            let loud = format!("  {} ？! ", words.join(" \t\n").to_uppercase());
            prop_assert_eq!(&plain, &normalize_question(&loud));
            prop_assert_eq!(&plain, &normalize_question(&plain));
        }
    }
}
