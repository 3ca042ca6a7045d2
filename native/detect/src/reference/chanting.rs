//! Finds windows of text that come back often and closely.
//!
//! The original keeps, for each hash of a window, the list of its positions, and judges the list's last entries each time
//! it grows. The same verdicts come from less here:
//!
//! - Text is only screened, until something in it may have come often enough. Then all that is remembered is listed.
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
    screen::{self, Screen},
    tape::{RING, Ring, Tape},
    units::Chunk,
};

/// The most occurrences that a rule may ask for.
pub(super) const MAX_OCCURRENCES: usize = 32;

/// How many powers are kept.
const POWERS: usize = 16;

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
    /// For a text that is not hashed yet.
    screen: Screen,
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
    /// Occurrences of the window that is judged, and the texts between them: here, so that no judgement makes room for them.
    list: [u64; MAX_OCCURRENCES],
    periods: Periods,
    /// Lengths with the factor that the hash has for them.
    powers: [(u32, u32); POWERS],
}

impl Chanting {
    pub(super) fn new(rule: Rule) -> Self {
        let seed = RandomState::new().hash_one(RING);
        let tape = Tape::new(rule.window, rule.history, seed as u32);
        let mut chanting = Self {
            rule,
            cursor: 0,
            tape,
            screen: Screen::new(seed),
            slots: Ring::new(),
            links: Ring::new(),
            shifted: Ring::new(),
            reported: false,
            again: Vec::new(),
            refuted: None,
            list: [0; MAX_OCCURRENCES],
            periods: Periods::default(),
            powers: [(0, 1); POWERS],
        };
        chanting.forget();
        chanting
    }

    pub(super) fn tape(&self) -> &Tape {
        &self.tape
    }

    /// Forgets all text.
    pub(super) fn forget(&mut self) {
        self.tape.forget();
        self.cursor = self.tape.start();
        self.screen.begin(self.cursor);
        if self.rule.window < screen::LEAST_WINDOW {
            self.tape.hash_text();
        }
        self.reported = false;
        self.again.clear();
        self.refuted = None;
    }

    /// Appends a chunk of `length` units and judges every window that it completes, up to the first that fires.
    #[inline(always)]
    pub(super) fn push(&mut self, chunk: &impl Chunk, length: u64) -> Option<Chant> {
        let (before, was_hashed) = (self.tape.end(), self.tape.is_hashed());
        self.tape.append(chunk, length);
        let (end, window) = (self.tape.end(), u64::from(self.rule.window));
        if !self.tape.is_hashed() && !self.screen.is_due(end, window) {
            return None;
        }
        self.judge_completed(before, was_hashed)
    }

    /// Judges the windows that were completed since the text ended at `before`, up to the first that fires.
    #[inline(never)]
    fn judge_completed(&mut self, before: u64, was_hashed: bool) -> Option<Chant> {
        if !was_hashed && !self.needs_listing(before) {
            return None;
        }
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

    /// Whether windows of a text that was only screened so far may fire. Then those that were completed before, when it
    /// ended at `before`, are listed: they did not fire.
    #[inline(never)]
    fn needs_listing(&mut self, before: u64) -> bool {
        if !self.tape.is_hashed() {
            if !self.screen.looks_repeated(&self.tape, &self.rule) {
                return false;
            }
            self.tape.hash_text();
        }
        self.list_screened(before);
        true
    }

    #[cold]
    fn list_screened(&mut self, before: u64) {
        self.cursor = self.tape.start();
        let end = before.wrapping_add(1).saturating_sub(u64::from(self.rule.window));
        while let Some(position) = self.list::<true>(end) {
            self.cursor = position.wrapping_add(1);
        }
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
        // In registers: the compiler can't know that the rings hold none of them.
        let (span, most) = (self.rule.max_span as u32, self.rule.occurrences as u32);
        let (window, power) = self.tape.window_factor();
        let mut position = self.cursor;
        // No more than the history.
        let mut alive = position.wrapping_sub(self.tape.start()) as u32;
        while position < end {
            let hash = if PLAIN {
                self.tape.plain_hash(position, window, power)
            } else {
                self.tape.window_hash(position)
            };
            let slot = u64::from(hash >> (32 - SLOT_BITS));
            let entry = self.slots.at(slot);
            let stamp = (position as u32) << COUNT_BITS;
            // Rounded up: in the entry the count lies below the position.
            let gap = stamp.wrapping_sub(entry).wrapping_add(COUNT_MASK) >> COUNT_BITS;
            // Which way these go can't be foreseen.
            let near = gap <= span.min(alive);
            let count = select_unpredictable(near, (entry & COUNT_MASK).wrapping_add(1), 1);
            self.slots.set(slot, stamp | count);
            self.links.set(position, select_unpredictable(gap <= alive, gap, 0));
            if count >= most {
                // It counts no further.
                self.slots.set(slot, stamp | most);
            }
            if !PLAIN
                && self.tape.is_ambiguous(position)
                && !is_listed(&self.tape, &self.links, position)
            {
                self.links.set(position, self.links.at(position) | UNLISTED);
            } else if count >= most && !self.is_refuted_too(position) {
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
    #[inline(always)]
    fn before(&mut self, position: u64) -> Option<u64> {
        let gap = match self.links.at(position) >> 16 {
            UNKNOWN => match self.expected_before(position) {
                Some(before) => self.link(position, Some(before), true),
                None => self.search_before(position),
            },
            known => known,
        };
        let before = position.wrapping_sub(u64::from(gap));
        (gap != NONE && before >= self.tape.start()).then_some(before)
    }

    /// What [`Self::search_before`] finds first where the links of the window before go on, as they mostly do.
    #[inline(always)]
    fn expected_before(&self, position: u64) -> Option<u64> {
        let last_unit = u64::from(self.rule.window) - 1;
        let gap = self.links.at(position - 1) >> 16;
        let nearest = self.links.at(position) & SLOT_LINK;
        let before = position.wrapping_sub(u64::from(gap));
        let same = gap == nearest
            && gap != UNKNOWN
            && before >= self.tape.start()
            && u64::from(gap) <= self.rule.max_span
            && self.links.at(before) & UNLISTED == 0
            && self.tape.unit(before + last_unit) == self.tape.unit(position + last_unit);
        same.then_some(before)
    }

    #[inline(never)]
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
        self.link(position, found, found.is_some() && found == expected)
    }

    /// Links a window to the one `found` before it; `goes_on`: as the window before it is linked. Returns the distance.
    #[inline(always)]
    fn link(&mut self, position: u64, found: Option<u64>, goes_on: bool) -> u32 {
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

    /// Whether a window can't fire because the one before it did not, and its links are that one's shifted by one.
    #[inline(never)]
    fn is_refuted_too(&mut self, position: u64) -> bool {
        let Some((judged, links)) = self.refuted else { return false };
        if judged.wrapping_add(1) != position || !self.again.is_empty() {
            return false;
        }
        if self.before(position).is_none() {
            return true;
        }
        let goes_on = self.shifted.at(position) >= links;
        if goes_on {
            self.refuted = Some((position, links));
        }
        goes_on
    }

    /// The verdict on a listed window.
    #[inline]
    fn judge(&mut self, position: u64) -> Option<Chant> {
        let verdict = self.walk_back(position);
        // A window listed again has no counterpart one further on.
        self.refuted = match verdict {
            Err(Some(links)) if self.again.is_empty() => Some((position, links)),
            _ => None,
        };
        verdict.ok()
    }

    /// Looks for the last occurrences of a window within reach, the latest first, until there are enough or they can't
    /// fire any more: then says by how many links that is known, and nothing when it is for want of a link.
    #[inline(never)]
    fn walk_back(&mut self, position: u64) -> Result<Chant, Option<u8>> {
        self.periods.count = 0;
        let mut links = 0;
        let mut at = position;
        let mut copies = self.copies(at);
        for index in 0..self.rule.occurrences {
            let later = at;
            if copies == 0 {
                let Some(before) = self.before(at) else { return Err(None) };
                links += 1;
                at = before;
                if position - at > self.rule.max_span {
                    return Err(Some(links));
                }
                copies = self.copies(at);
            }
            copies -= 1;
            if let Some(place) = self.list.get_mut(index) {
                *place = at;
            }
            if index > 0 && !self.may_be_periodic(at, later) {
                return Err(Some(links));
            }
        }
        let list = self.list.get(..self.rule.occurrences).unwrap_or(&[]);
        let [last, previous, .., first] = *list else { return Err(None) };
        if !self.is_periodic(list) {
            return Err(Some(links));
        }
        Ok(Chant { first, previous, last })
    }

    /// Adds the text between two occurrences to those before it; `false` when too many of them are distinct. Different
    /// hashes are different texts, but the hashes see halves of pairs by what is around them.
    fn may_be_periodic(&mut self, from: u64, to: u64) -> bool {
        let Some(most) = self.rule.max_periods else { return true };
        if self.tape.is_ambiguous(from) || self.tape.is_ambiguous(to) {
            return true;
        }
        let length = (to - from) as u32;
        let power = self.power(length);
        let hash = self.tape.stretch_hash(from, to, power);
        self.periods.add(u64::from(length) << 32 | u64::from(hash)) <= most
    }

    /// The factor of the hash for stretches of a length: most come again and again.
    fn power(&mut self, length: u32) -> u32 {
        let Some(known) = self.powers.get_mut(length as usize % POWERS) else { return 1 };
        if known.0 != length {
            *known = (length, self.tape.power(length));
        }
        known.1
    }

    /// How often the window at a position was listed.
    fn copies(&self, position: u64) -> usize {
        if self.again.is_empty() {
            return 1;
        }
        let again = self.again.iter().find(|(listed, _)| *listed == position);
        1 + again.map_or(0, |(_, times)| *times)
    }

    /// Whether there are few enough distinct texts between consecutive occurrences.
    fn is_periodic(&self, occurrences: &[u64]) -> bool {
        let Some(most) = self.rule.max_periods else { return true };
        let mut kinds = [(0, 0); MAX_OCCURRENCES];
        let mut count = 0;
        for pair in occurrences.windows(2) {
            let [to, from] = *pair else { continue };
            let same = |kind: &(u64, u64)| {
                kind.1 - kind.0 == to - from && self.tape.same(kind.0, from, to - from)
            };
            if kinds.get(..count).unwrap_or(&[]).iter().any(same) {
                continue;
            }
            if let Some(place) = kinds.get_mut(count) {
                *place = (from, to);
            }
            count += 1;
        }
        count <= most
    }
}

/// Texts between occurrences by length and hash, those that are known to differ.
#[derive(Clone, Default)]
struct Periods {
    kinds: [u64; MAX_OCCURRENCES],
    count: usize,
}

impl Periods {
    /// Adds one and says how many there are.
    fn add(&mut self, kind: u64) -> usize {
        if !self.kinds.get(..self.count).unwrap_or(&[]).contains(&kind) {
            if let Some(place) = self.kinds.get_mut(self.count) {
                *place = kind;
            }
            self.count += 1;
        }
        self.count
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
