//! What fuzzing bytes stand for.

/// Most bytes that an input is unfolded to.
const LIMIT: usize = 24_000;

/// Unfolds repetition, which random bytes hardly ever hold: `FF n m` repeats the last `m` bytes `n` times (of 16 times
/// `m` bytes after `FE n m`). Neither byte occurs in UTF-8.
pub(crate) fn unfold(data: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = data;
    while let [first, tail @ ..] = rest {
        rest = tail;
        if text.len() >= LIMIT {
            break;
        }
        let scale = match first {
            0xFF => 1,
            0xFE => 16,
            _ => {
                text.push(*first);
                continue;
            }
        };
        let [times, length, tail @ ..] = rest else { break };
        rest = tail;
        let from = text.len().saturating_sub(usize::from(*length) * scale);
        let unit = text.get(from..).unwrap_or(&[]).to_vec();
        for _ in 0..*times {
            if text.len() < LIMIT {
                text.extend_from_slice(&unit);
            }
        }
    }
    text
}

/// Cuts `items` into pieces of the lengths that `cuts` says, again and again.
pub(crate) fn pieces<'a, T>(items: &'a [T], cuts: &[u8]) -> Vec<&'a [T]> {
    let mut lengths = cuts.iter().map(|length| usize::from(*length)).cycle();
    let mut rest = items;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let length = lengths.next().unwrap_or(1).max(1);
        let (piece, tail) = rest.split_at(length.min(rest.len()));
        pieces.push(piece);
        rest = tail;
    }
    pieces
}
