//! Names matched by patterns.

/// Whether a name fits a pattern in which `*` stands for anything, any number of times. The rest is compared exactly.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or("");
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    if first.len() == pattern.len() {
        return rest.is_empty();
    }
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        match rest.find(piece) {
            Some(at) => rest = rest.get(at + piece.len()..).unwrap_or(""),
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::fits;

    /// Tries everything.
    fn naive(pattern: &[u8], name: &[u8]) -> bool {
        match pattern {
            [] => name.is_empty(),
            [b'*', rest @ ..] => (0..=name.len()).any(|at| naive(rest, &name[at..])),
            [first, rest @ ..] => name.first() == Some(first) && naive(rest, &name[1..]),
        }
    }

    proptest! {
        #[test]
        fn a_name_fits_as_trying_everything_says(pattern in "[ab*]{0,8}", name in "[ab]{0,10}") {
            prop_assert_eq!(fits(&pattern, &name), naive(pattern.as_bytes(), name.as_bytes()));
        }
    }
}
