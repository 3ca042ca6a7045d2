//! Calls that are answered alike: do they go through a list of things, or turn over one and the same?

use std::collections::{HashMap, HashSet};

use super::arguments::{self, Token};

/// What the arguments of some calls have in common.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Survey {
    /// At least half of each call stands fast, and three in four name something in the rest that none before them did.
    pub(super) walks: bool,
    /// What changes stands between words that don't.
    pub(super) enclosed: bool,
    /// One word stands in half of what changes: guesses at one name.
    pub(super) guesses: bool,
}

/// Looks at the arguments of calls, in their order.
pub(super) fn survey<'a>(args: impl Iterator<Item = &'a str>) -> Survey {
    let calls: Vec<Vec<Token>> = args.map(arguments::tokens).collect();
    let Some((first, others)) = calls.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Survey::default();
    };
    let (prefix, suffix) = ends_in_common(first, others);
    let same_length = others.iter().all(|call| call.len() == first.len());
    let same = |at: usize| others.iter().all(|call| call.get(at) == first.get(at));
    let in_place: Vec<bool> = (0..first.len()).map(|at| same_length && same(at)).collect();
    let fast = |at: usize, length: usize| {
        at < prefix || at >= length - suffix || in_place.get(at).is_some_and(|same| *same)
    };
    let mut survey = Survey { enclosed: prefix > 0 && suffix > 0, ..Survey::default() };
    let (mut seen, mut framed, mut news) = (HashSet::new(), true, 0);
    let mut calls_with = HashMap::<u64, usize>::new();
    for call in &calls {
        let length = call.len();
        let free = || call.iter().enumerate().filter(|(at, _)| !fast(*at, length));
        framed &= free().count() * 2 <= length;
        let words = || free().flat_map(|(_, token)| &token.words);
        news += usize::from(words().any(|word| !seen.contains(&word.hash)));
        seen.extend(words().map(|word| word.hash));
        let named: HashSet<u64> = words().filter(|word| word.names).map(|word| word.hash).collect();
        named.into_iter().for_each(|word| *calls_with.entry(word).or_default() += 1);
    }
    survey.walks = framed && news * 4 >= calls.len() * 3;
    survey.guesses = calls_with.values().any(|count| count * 2 >= calls.len());
    survey
}

/// With how many equal tokens all calls begin, and with how many of the others they end.
fn ends_in_common(first: &[Token], others: &[Vec<Token>]) -> (usize, usize) {
    let (mut prefix, mut suffix) = (first.len(), first.len());
    for call in others {
        let shorter = first.len().min(call.len());
        let begin = first.iter().zip(call).take_while(|(a, b)| a == b).count();
        prefix = prefix.min(begin);
        let end = first.iter().rev().zip(call.iter().rev()).take_while(|(a, b)| a == b).count();
        suffix = suffix.min(end).min(shorter - prefix);
    }
    (prefix, suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(commands: &[&str]) -> Survey {
        let args: Vec<_> =
            commands.iter().map(|c| serde_json::json!({ "command": c }).to_string()).collect();
        survey(args.iter().map(String::as_str))
    }

    #[test]
    fn a_walk_names_another_thing_each_time() {
        for commands in [
            &["redis-cli sadd all ann", "redis-cli sadd all bob", "redis-cli sadd all cid"][..],
            &["insert into a (n) values (0, 'a')", "insert into b (n) values (1, 'b')"],
            &["note that 'one' is done", "note that 'the second' is done"],
        ] {
            assert!(of(commands).walks, "{commands:?}");
        }
        for commands in [
            &["fix pool leak", "pool leak fix", "leak fix pool"][..],
            &["sadd all ann", "sadd all bob", "sadd all ann", "sadd all bob"],
            &["find getUser here now", "find get_user here now", "find GET_USER here now"],
            &["one two three", "four five six"],
        ] {
            assert!(!of(commands).walks, "{commands:?}");
        }
    }

    #[test]
    fn guesses_share_words_of_the_name() {
        assert!(of(&["getUser", "fetchUser", "load_user", "UserReader"]).guesses);
        assert!(!of(&["password", "eval", "md5", "yaml.load"]).guesses);
        assert!(!of(&["load_user", "save_cart", "load_mail", "send_note", "save_page"]).guesses);
        assert!(!of(&["**/auth/*.ts", "**/cart/*.ts", "**/mail/*.ts"]).guesses);
    }

    #[test]
    fn what_changes_may_stand_between_what_does_not() {
        assert!(of(&["head -2 a.go", "head -2 b.go"]).enclosed);
        assert!(!of(&["https://x.org/a", "https://x.org/b"]).enclosed);
        assert_eq!(of(&["a"]), Survey::default());
        assert_eq!(of(&[]), Survey::default());
    }
}
