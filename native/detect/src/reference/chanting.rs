//! Finds windows of text that come back often and closely.
//!
//! The original keeps, for each hash of a window, the list of its positions, and judges the list's last entries each time
//! it grows. The same verdicts come from less here:
//!
//! - A table of slots counts how often in a row a window of the slot came back within reach. Only a window whose slot has
//!   counted to the threshold can fire; of ordinary text one in a million does.
//! - For those, each window is linked to the last one that is the same text. If the links of a window are those of the
//!   window before it, all shifted by one, then so is the verdict: distances stay, and so does the number of distinct
//!   texts between occurrences, because each is turned by one unit.

use std::{
    hash::{BuildHasher, RandomState},
    hint::select_unpredictable,
};

use super::{
    tape::{RING, Ring, Tape},
    units::Chunk,
};

/// The most occurrences that a rule may ask for.
pub(super) const MAX_OCCURRENCES: usize = 32;

/// Limits of the rule, in UTF-16 code units.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rule {
    pub(super) window: u32,
    pub(super) occurrences: usize,
    /// From the first of the occurrences to the last.
    pub(super) max_span: u64,
    /// Most distinct texts between consecutive occurrences, if that matters.
    pub(super) max_periods: Option<usize>,
    pub(super) history: u32,
}

/// Occurrences of a window that make a loop; positions are the tape's.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chant {
    pub(super) first: u64,
    /// The one before the last; the same as `last` when a report was taken back and nothing has changed.
    pub(super) previous: u64,
    pub(super) last: u64,
}

/// Half as many slots as a ring has places: they stay in the nearest cache, and few windows share one by chance.
const SLOT_BITS: u32 = RING.trailing_zeros() - 1;
/// How much of a slot is the count. The rest is the position's low bits: such as are further apart than these tell may be
/// taken for near ones, which costs a look.
const COUNT_BITS: u32 = 8;
const COUNT_MASK: u32 = (1 << COUNT_BITS) - 1;

/// Of a link: the distance to the window before in the slot.
const SLOT_LINK: u32 = 0x7FFF;
/// Of a link: the original does not list this window, because another text of the same hash has the list.
const UNLISTED: u32 = 0x8000;
/// Of a link, shifted by 16: the distance to the window before that is the same text; not looked for yet, or none.
const UNKNOWN: u32 = 0;
const NONE: u32 = 0xFFFF;

/// The remembered text and where its windows came before.
#[derive(Clone)]
pub(super) struct Chanting {
    rule: Rule,
    tape: Tape,
    /// For each slot the last position (its low bits) above the count.
    slots: Ring<u32>,
    links: Ring<u32>,
    /// How many links of a window are those of the window before it, shifted by one.
    shifted: Ring<u8>,
    /// The next window.
    cursor: u64,
    /// The window at the cursor was listed already, and reported.
    reported: bool,
    /// Windows listed more than once, and how often more.
    again: Vec<(u64, usize)>,
    /// The last window that was judged and did not fire, and how many of its links said so.
    refuted: Option<(u64, u8)>,
}

impl Chanting {
    pub(super) fn new(rule: Rule) -> Self {
        let base = RandomState::new().hash_one(RING) as u32;
        let tape = Tape::new(rule.window, rule.history, base);
        Self {
            rule,
            cursor: tape.start(),
            tape,
            slots: Ring::new(),
            links: Ring::new(),
            shifted: Ring::new(),
            reported: false,
            again: Vec::new(),
            refuted: None,
        }
    }

    pub(super) fn tape(&self) -> &Tape {
        &self.tape
    }

    /// Forgets all text.
    pub(super) fn forget(&mut self) {
        self.tape.forget();
        self.cursor = self.tape.start();
        self.reported = false;
        self.again.clear();
        self.refuted = None;
    }

    /// Appends a chunk of `length` units and judges every window that it completes, up to the first that fires.
    #[inline]
    pub(super) fn push(&mut self, chunk: &impl Chunk, length: u64) -> Option<Chant> {
        self.tape.append(chunk, length);
        let start = self.tape.start();
        if self.cursor < start {
            self.cursor = start;
            self.reported = false;
        }
        if !self.again.is_empty() {
            self.again.retain(|&(position, _)| position >= start);
        }
        while let Some(position) = self.next_suspect() {
            if let Some(chant) = self.judge(position) {
                self.reported = true;
                return Some(chant);
            }
            self.reported = false;
            self.cursor = position.wrapping_add(1);
        }
        None
    }

    /// Lists the windows from the cursor on, up to the first that may fire, which then is at the cursor.
    fn next_suspect(&mut self) -> Option<u64> {
        let end = self.tape.end().wrapping_add(1).saturating_sub(u64::from(self.rule.window));
        if self.reported && self.cursor < end {
            self.list_again(self.cursor);
            return Some(self.cursor);
        }
        let plain_from = self.tape.plain_from().clamp(self.cursor, end.max(self.cursor));
        self.list::<false>(plain_from).or_else(|| self.list::<true>(end))
    }

    /// Lists the windows from the cursor up to `end`, or to the first that may fire. `PLAIN`: all of them are.
    #[inline(always)]
    fn list<const PLAIN: bool>(&mut self, end: u64) -> Option<u64> {
        let Self { rule, tape, slots, links, .. } = self;
        // In registers: the compiler can't know that the rings hold none of them.
        let (span, most) = (rule.max_span as u32, rule.occurrences as u32);
        let (window, power) = tape.window_factor();
        let mut position = self.cursor;
        // No more than the history.
        let mut alive = position.wrapping_sub(tape.start()) as u32;
        while position < end {
            let hash = if PLAIN {
                tape.plain_hash(position, window, power)
            } else {
                tape.window_hash(position)
            };
            let slot = u64::from(hash >> (32 - SLOT_BITS));
            let entry = slots.at(slot);
            let stamp = (position as u32) << COUNT_BITS;
            // Rounded up: in the entry the count lies below the position.
            let gap = stamp.wrapping_sub(entry).wrapping_add(COUNT_MASK) >> COUNT_BITS;
            // Which way these go can't be foreseen.
            let near = gap <= span.min(alive);
            let count = select_unpredictable(near, (entry & COUNT_MASK).wrapping_add(1), 1);
            slots.set(slot, stamp | count);
            links.set(position, select_unpredictable(gap <= alive, gap, 0));
            if count >= most {
                // It counts no further.
                slots.set(slot, stamp | most);
            }
            if !PLAIN && tape.is_ambiguous(position) && !is_listed(tape, links, position) {
                links.set(position, links.at(position) | UNLISTED);
            } else if count >= most {
                self.cursor = position;
                return Some(position);
            }
            position = position.wrapping_add(1);
            alive = alive.wrapping_add(1);
        }
        self.cursor = position;
        None
    }

    /// The window at the cursor has fired before and is listed once more, as by the original.
    #[cold]
    fn list_again(&mut self, position: u64) {
        match self.again.iter_mut().find(|(listed, _)| *listed == position) {
            Some((_, times)) => *times += 1,
            None => self.again.push((position, 1)),
        }
    }

    /// The last listed window before a position that is the same text, if it is within reach.
    fn before(&mut self, position: u64) -> Option<u64> {
        let gap = match self.links.at(position) >> 16 {
            UNKNOWN => self.search_before(position),
            known => known,
        };
        let before = position.wrapping_sub(u64::from(gap));
        (gap != NONE && before >= self.tape.start()).then_some(before)
    }

    fn search_before(&mut self, position: u64) -> u32 {
        let last_unit = u64::from(self.rule.window) - 1;
        // Where it is if the links of the window before go on.
        let expected = match self.links.at(position - 1) >> 16 {
            UNKNOWN | NONE => None,
            _ if position - 1 < self.tape.start() => None,
            gap => Some(position - u64::from(gap)),
        };
        let mut hash = None;
        let mut other = position;
        let mut found = None;
        while let Some(before) = before_in_slot(&self.tape, &self.links, other) {
            other = before;
            if position - other > self.rule.max_span {
                break;
            }
            if self.links.at(other) & UNLISTED != 0 {
                continue;
            }
            let same = if Some(other) == expected {
                self.tape.unit(other + last_unit) == self.tape.unit(position + last_unit)
            } else {
                *hash.get_or_insert_with(|| self.tape.window_hash(position))
                    == self.tape.window_hash(other)
                    && self.tape.same_window(other, position)
            };
            if same {
                found = Some(other);
                break;
            }
        }
        let goes_on = found.is_some() && found == expected;
        let depth = match found {
            Some(before) if goes_on && self.links.at(before) >> 16 != UNKNOWN => {
                self.shifted.at(before).saturating_add(1)
            }
            Some(_) if goes_on => 1,
            _ => 0,
        };
        self.shifted.set(position, depth);
        let gap = found.map_or(NONE, |before| (position - before) as u32);
        self.links.set(position, self.links.at(position) & 0xFFFF | gap << 16);
        gap
    }

    /// The verdict on a listed window.
    fn judge(&mut self, position: u64) -> Option<Chant> {
        if let Some((judged, links)) = self.refuted
            && judged + 1 == position
            && self.again.is_empty()
        {
            self.before(position)?;
            if self.shifted.at(position) >= links {
                self.refuted = Some((position, links));
                return None;
            }
        }
        self.refuted = None;
        let (occurrences, links) = self.occurrences(position);
        // A window listed again has no counterpart one further on.
        let links = links.filter(|_| self.again.is_empty());
        let list = occurrences.get(..self.rule.occurrences).unwrap_or(&[]);
        let [last, previous, .., first] = list else { return None };
        let (last, previous, first) = match (last, previous, first) {
            (Some(last), Some(previous), Some(first)) => (*last, *previous, *first),
            // Too few, or too far apart: for want of a link, or by a link that the next window may share.
            _ => {
                self.refuted = links.map(|links| (position, links));
                return None;
            }
        };
        if !self.is_periodic(list) {
            self.refuted = links.map(|links| (position, links));
            return None;
        }
        Some(Chant { first, previous, last })
    }

    /// The last occurrences of a window within reach, the latest first, and by how many links they are known; none when
    /// there are too few for want of a link.
    fn occurrences(&mut self, position: u64) -> ([Option<u64>; MAX_OCCURRENCES], Option<u8>) {
        let mut list = [None; MAX_OCCURRENCES];
        let mut links = 0;
        let mut at = position;
        let mut copies = self.copies(at);
        for place in list.iter_mut().take(self.rule.occurrences) {
            if copies == 0 {
                let Some(before) = self.before(at) else { return (list, None) };
                links += 1;
                at = before;
                if position - at > self.rule.max_span {
                    break;
                }
                copies = self.copies(at);
            }
            copies -= 1;
            *place = Some(at);
        }
        (list, Some(links))
    }

    /// How often the window at a position was listed.
    fn copies(&self, position: u64) -> usize {
        let again = self.again.iter().find(|(listed, _)| *listed == position);
        1 + again.map_or(0, |(_, times)| *times)
    }

    /// Whether there are few enough distinct texts between consecutive occurrences.
    fn is_periodic(&self, occurrences: &[Option<u64>]) -> bool {
        let Some(most) = self.rule.max_periods else { return true };
        let between = |pair: &[Option<u64>]| match *pair {
            [Some(to), Some(from)] => Some((from, to)),
            _ => None,
        };
        let stretches = || occurrences.windows(2).filter_map(between);
        // Different hashes are different texts. The hashes see halves of pairs by what is around them.
        let plain = occurrences.iter().flatten().all(|&position| !self.tape.is_ambiguous(position));
        if plain {
            let mut known = (0, 1);
            let hashes = stretches().map(|(from, to)| {
                let length = (to - from) as u32;
                if known.0 != length {
                    known = (length, self.tape.power(length));
                }
                (length, self.tape.stretch_hash(from, to, known.1))
            });
            if distinct(hashes, most, |a, b| a == b) > most {
                return false;
            }
        }
        let same = |a: &(u64, u64), b: &(u64, u64)| {
            a.1 - a.0 == b.1 - b.0 && self.tape.same(a.0, b.0, a.1 - a.0)
        };
        distinct(stretches(), most, same) <= most
    }
}

/// Whether the original lists the window: unless the list of its hash belongs to another text. That takes windows which
/// are the same in UTF-8 only, as when each begins with the second half of another pair.
#[cold]
fn is_listed(tape: &Tape, links: &Ring<u32>, position: u64) -> bool {
    let hash = tape.window_hash(position);
    let mut other = position;
    while let Some(before) = before_in_slot(tape, links, other) {
        other = before;
        if links.at(other) & UNLISTED != 0
            || tape.differ_inside(other, position)
            || tape.window_hash(other) != hash
        {
            continue;
        }
        if tape.same_window(other, position) {
            return true;
        }
        if tape.same_in_utf8(other, position) {
            return false;
        }
    }
    true
}

fn before_in_slot(tape: &Tape, links: &Ring<u32>, position: u64) -> Option<u64> {
    let gap = u64::from(links.at(position) & SLOT_LINK);
    let before = position.wrapping_sub(gap);
    (gap > 0 && before >= tape.start()).then_some(before)
}

/// How many distinct items there are; counting stops above `most`.
fn distinct<T: Copy>(
    items: impl Iterator<Item = T>,
    most: usize,
    same: impl Fn(&T, &T) -> bool,
) -> usize {
    let mut kinds = [None; MAX_OCCURRENCES];
    let mut count = 0;
    for item in items {
        let known = kinds.get(..count).unwrap_or(&[]);
        if known.iter().flatten().any(|kind| same(kind, &item)) {
            continue;
        }
        if let Some(place) = kinds.get_mut(count) {
            *place = Some(item);
        }
        count += 1;
        if count > most {
            break;
        }
    }
    count
}
