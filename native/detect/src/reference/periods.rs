//! Periods in lists and in text, compared directly.

/// A list's period from its end.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Period {
    /// In items.
    pub(super) length: usize,
    /// How many items in a row, from the end, equal the item one period before.
    pub(super) repeated: usize,
}

/// The shortest period with at least `min_repeated` repeated items at the end. At most `max_period` comparisons an item.
pub(super) fn find_period<T: PartialEq>(
    items: &[T],
    max_period: usize,
    min_repeated: usize,
) -> Option<Period> {
    (1..=max_period.min(items.len() / 2)).find_map(|length| {
        let later = items.iter().rev();
        let earlier = items.iter().rev().skip(length);
        let repeated = later.zip(earlier).take_while(|(a, b)| a == b).count();
        (repeated >= min_repeated).then_some(Period { length, repeated })
    })
}

/// A unit of text several times in a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Repetition {
    pub(super) start: usize,
    /// Length of the unit.
    pub(super) unit: usize,
    /// Full copies.
    pub(super) copies: usize,
}

/// The shortest unit of `min_unit` to `max_unit` characters that comes `min_copies` times in a row, anywhere, and of
/// those the first. A unit made of one character does not count.
///
/// A run of that many copies has a place at every multiple of the copies after the first, so only those are looked at,
/// and the run around them. At most two comparisons a character and unit; most often one in `min_copies - 1` units.
pub(super) fn short_sequence(
    text: &[char],
    min_unit: usize,
    max_unit: usize,
    min_copies: usize,
) -> Option<Repetition> {
    let min_copies = min_copies.max(2);
    let flat = flat_runs(text);
    (min_unit.max(1)..=max_unit.min(text.len() / min_copies)).find_map(|unit| {
        let need = (min_copies - 1) * unit;
        let equal = |place: usize| {
            let before = place.checked_sub(unit).and_then(|before| text.get(before));
            before.is_some() && before == text.get(place)
        };
        let mut place = unit + need - 1;
        while place < text.len() {
            if !equal(place) {
                place += need;
                continue;
            }
            let (from, to) = flat.get(place).copied().unwrap_or_default();
            if place - from >= unit {
                // One character all over the unit: go to where it ends.
                place = to + need;
                continue;
            }
            let start =
                (unit..place).rev().take_while(|&place| equal(place)).last().unwrap_or(place);
            let end = (place + 1..text.len()).find(|&place| !equal(place)).unwrap_or(text.len());
            if end - start >= need {
                return Some(Repetition {
                    start: start - unit,
                    unit,
                    copies: (end - start) / unit + 1,
                });
            }
            place = end + need;
        }
        None
    })
}

/// For each character where the run of it begins and where it ends.
fn flat_runs(text: &[char]) -> Vec<(usize, usize)> {
    let mut runs = Vec::with_capacity(text.len());
    for run in text.chunk_by(|a, b| a == b) {
        let start = runs.len();
        runs.resize(start + run.len(), (start, start + run.len()));
    }
    runs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive_short_sequence(
        text: &[char],
        min: usize,
        max: usize,
        copies: usize,
    ) -> Option<(usize, usize)> {
        for unit in min..=max {
            for start in 0..text.len() {
                let Some(first) = text.get(start..start + unit) else { break };
                let others = (1..copies)
                    .map(|copy| text.get(start + copy * unit..start + (copy + 1) * unit));
                if first.iter().any(|c| *c != first[0])
                    && others.into_iter().all(|other| other == Some(first))
                {
                    return Some((unit, start));
                }
            }
        }
        None
    }

    fn naive_period(items: &[u8], max: usize, min: usize) -> Option<Period> {
        for length in 1..=max.min(items.len() / 2) {
            let mut repeated = 0;
            while repeated + length < items.len()
                && items[items.len() - 1 - repeated] == items[items.len() - 1 - repeated - length]
            {
                repeated += 1;
            }
            if repeated >= min {
                return Some(Period { length, repeated });
            }
        }
        None
    }

    /// Noise, a repeated unit, noise.
    fn repetitive() -> impl Strategy<Value = String> {
        ("[ab]{0,40}", "[abc\u{601D}]{1,20}", 1_usize..9, "[ab.]{0,60}")
            .prop_map(|(before, unit, copies, after)| before + &unit.repeat(copies) + &after)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_short_sequence_is_found_where_trying_everything_finds_it(
            text in repetitive(), min in 1_usize..4, more in 0_usize..50, copies in 2_usize..6
        ) {
            let text: Vec<char> = text.chars().collect();
            let found = short_sequence(&text, min, min + more, copies);
            let expected = naive_short_sequence(&text, min, min + more, copies);
            prop_assert_eq!(found.as_ref().map(|found| (found.unit, found.start)), expected);
            if let Some(found) = found {
                let unit = &text[found.start..found.start + found.unit];
                let copies = text[found.start..].chunks(found.unit).take_while(|copy| *copy == unit).count();
                prop_assert_eq!(copies, found.copies);
            }
        }

        #[test]
        fn a_period_is_the_first_whose_count_reaches_the_minimum(
            before in proptest::collection::vec(0_u8..3, 0..20),
            unit in proptest::collection::vec(0_u8..3, 1..8),
            copies in 1_usize..9, max in 1_usize..60, min in 1_usize..9
        ) {
            let items = [before, unit.repeat(copies)].concat();
            prop_assert_eq!(find_period(&items, max, min), naive_period(&items, max, min));
        }
    }

    #[test]
    fn the_count_is_of_matches_not_of_items() {
        assert_eq!(find_period(b"ABABAB", 50, 4), Some(Period { length: 2, repeated: 4 }));
        assert_eq!(find_period(b"ABABABA", 50, 6), None);
        assert_eq!(find_period(b"ABABABAB", 50, 6), Some(Period { length: 2, repeated: 6 }));
        assert_eq!(find_period(&[0_u8; 0], 50, 0), None);
    }
}
