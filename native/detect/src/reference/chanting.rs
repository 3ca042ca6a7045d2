//! Finds windows of text that come back often and closely.
//!
//! The original keeps, for each hash of a window, the list of its positions, and judges the list's last entries each time
//! it grows. The same verdicts come from less here:
//!
//! - Text is only screened, until something in it may have come often enough. Then all that is remembered is listed.
//! - A table of slots counts how often in a row a window of the slot came back within reach. Only a window whose slot has
//!   counted to the threshold can fire; of ordinary text one in a million does.
//! - For those, each window is linked to the last one that is the same text. Where a window does not fire, some of its
//!   first links say so. They say so of the next window of the same text, too, of whose links they are all but the first;
//!   and of the window after it, if its links are the same, all shifted by one: distances stay, and so does the number of
//!   distinct texts between occurrences, because each is turned by one unit.

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

/// How many powers are kept, as bits of their place.
const POWER_BITS: u32 = 6;

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

/// At most so far behind an ambiguous window is the next one in a text of pairs: each window that cuts them.
const TWIN_STEP: u64 = 2;

/// Of a window: the original does not list it, because another text of the same hash has the list.
const UNLISTED: u16 = 0x8000;
/// Of a window with a surrogate: some bits of its hash that its slot does not tell, so that most others are passed over.
const TAG: u16 = 0x6000;
/// The rest: how far back the one before it in its slot is.
const GAP: u16 = !(UNLISTED | TAG);

/// A window's link to the last one before it that is the same text. In one number, because what is put into memory in
/// parts is slow to be had back as a whole.
#[derive(Debug, Clone, Copy, Default)]
struct Link(u32);

impl Link {
    /// Not looked for yet.
    const UNKNOWN: Self = Self(Self::MANY);
    /// There is none within reach: one link says that the window can't fire.
    const NONE: Self = Self(0xFFFF_0001);
    /// The most links that can be told.
    const MANY: u32 = 0xFF;

    fn new(gap: u32, shifted: u32, needed: u32) -> Self {
        Self(gap << 16 | shifted.min(Self::MANY) << 8 | needed.min(Self::MANY))
    }

    fn with_needed(self, needed: u32) -> Self {
        Self(self.0 & !Self::MANY | needed)
    }

    /// How far back that is.
    fn gap(self) -> u32 {
        self.0 >> 16
    }

    fn is_unknown(self) -> bool {
        self.gap() == 0
    }

    /// How many links from here on are those of the window before this one, shifted by one.
    fn shifted(self) -> u32 {
        self.0 >> 8 & Self::MANY
    }

    /// How many links from here on say that this window can't fire: there are no more, or they reach too far, or they leave
    /// too many texts between them. More than there may be when that is not known.
    fn needed(self) -> u32 {
        self.0 & Self::MANY
    }
}

/// The remembered text and where its windows came before.
#[derive(Clone)]
pub(super) struct Chanting {
    rule: Rule,
    tape: Tape,
    /// For a text that is not hashed yet.
    screen: Screen,
    /// For each slot the last position (its low bits) above the count.
    slots: [u32; 1 << SLOT_BITS],
    /// For each window how far back the one before it in its slot is, 0 if that is out of reach, [`TAG`] and [`UNLISTED`].
    nearest: Ring<u16>,
    links: Ring<Link>,
    /// The last window that was ambiguous and found to be the same text as another one before it, and how far back that is.
    twin: (u64, u64),
    /// The next window.
    cursor: u64,
    /// The window at the cursor was listed already, and reported.
    reported: bool,
    /// Windows listed more than once, and how often more.
    again: Vec<(u64, usize)>,
    /// Occurrences of the window that is judged, and the texts between them: here, so that no judgement makes room for them.
    list: [u64; MAX_OCCURRENCES],
    periods: Periods,
    /// Lengths with the factor that the hash has for them.
    powers: [(u32, u32); 1 << POWER_BITS],
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
            slots: [0; 1 << SLOT_BITS],
            nearest: Ring::new(),
            links: Ring::new(),
            twin: (0, 0),
            reported: false,
            again: Vec::new(),
            list: [0; MAX_OCCURRENCES],
            periods: Periods::default(),
            powers: [(0, 1); 1 << POWER_BITS],
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
            let (hash, is_ambiguous) = if PLAIN {
                (self.tape.plain_hash(position, window, power), false)
            } else {
                self.tape.special_hash(position, window, power)
            };
            let Some(slot) = self.slots.get_mut((hash >> (32 - SLOT_BITS)) as usize) else { break };
            let entry = *slot;
            let stamp = (position as u32) << COUNT_BITS;
            // Rounded up: in the entry the count lies below the position.
            let gap = stamp.wrapping_sub(entry).wrapping_add(COUNT_MASK) >> COUNT_BITS;
            // Which way these go can't be foreseen.
            let near = gap <= span.min(alive);
            let count = select_unpredictable(near, (entry & COUNT_MASK).wrapping_add(1), 1);
            *slot = stamp | count.min(most);
            let nearest = select_unpredictable(gap <= alive, gap, 0) as u16;
            let entry = if PLAIN { nearest } else { nearest | tag(hash) };
            self.nearest.set(position, entry);
            self.links.set(position, Link::UNKNOWN);
            if is_ambiguous && nearest > 0 && !self.is_listed(position, u64::from(nearest), hash) {
                self.nearest.set(position, entry | UNLISTED);
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

    /// Whether the original lists the window: unless the list of its hash belongs to another text. That takes windows which
    /// are the same in UTF-8 only, as when each begins with the second half of another pair.
    #[inline(always)]
    fn is_listed(&mut self, position: u64, nearest: u64, hash: u32) -> bool {
        let (last, gap) = self.twin;
        let before = position.wrapping_sub(gap);
        let goes_on = nearest == gap
            && position.wrapping_sub(last) <= TWIN_STEP
            && self.nearest.at(before) & UNLISTED == 0
            && (0..TWIN_STEP).all(|back| self.ends_alike(before - back, position - back));
        if goes_on {
            self.twin.0 = position;
            return true;
        }
        self.search_twin(position, hash)
    }

    #[inline(never)]
    fn search_twin(&mut self, position: u64, hash: u32) -> bool {
        let (own, start) = (tag(hash), self.tape.start());
        let (mut other, mut entry) = (position, self.nearest.at(position));
        loop {
            other = other.wrapping_sub(u64::from(entry & GAP));
            if entry & GAP == 0 || other < start {
                return true;
            }
            entry = self.nearest.at(other);
            if entry & (TAG | UNLISTED) != own
                || self.tape.differ_inside(other, position)
                || self.tape.window_hash(other) != hash
            {
                continue;
            }
            if self.tape.same_window(other, position) {
                self.twin = (position, position.wrapping_sub(other));
                return true;
            }
            if self.tape.same_in_utf8(other, position) {
                return false;
            }
        }
    }

    /// The window at the cursor has fired before and is listed once more, as by the original.
    #[cold]
    fn list_again(&mut self, position: u64) {
        match self.again.iter_mut().find(|(listed, _)| *listed == position) {
            Some((_, times)) => *times += 1,
            None => self.again.push((position, 1)),
        }
    }

    /// The link of a window: it is looked for when it is first asked for.
    #[inline(always)]
    fn link(&mut self, position: u64) -> Link {
        let known = self.links.at(position);
        if known.is_unknown() { self.find_link(position) } else { known }
    }

    #[inline(always)]
    fn find_link(&mut self, position: u64) -> Link {
        let Some(link) = self.shifted_link(position) else { return self.search_link(position) };
        self.links.set(position, link);
        link
    }

    /// What [`Self::search_link`] finds first where the link of the window before goes on, as it mostly does.
    #[inline(always)]
    fn shifted_link(&self, position: u64) -> Option<Link> {
        let last = self.links.at(position.wrapping_sub(1));
        let gap = last.gap();
        if gap != u32::from(self.nearest.at(position) & GAP) || last.is_unknown() {
            return None;
        }
        let before = position.wrapping_sub(u64::from(gap));
        let is_same = before >= self.tape.start()
            && self.nearest.at(before) & UNLISTED == 0
            && self.ends_alike(before, position);
        is_same.then(|| self.link_on(before, gap, last))
    }

    #[inline(never)]
    fn search_link(&mut self, position: u64) -> Link {
        let last = self.links.at(position.wrapping_sub(1));
        // Where it is if the link of the window before goes on.
        let expected = position.wrapping_sub(u64::from(last.gap()));
        let mut hash = None;
        let mut other = position;
        let mut link = Link::NONE;
        while let Some(before) = before_in_slot(&self.tape, &self.nearest, other) {
            other = before;
            let gap = position.wrapping_sub(other);
            if gap > self.rule.max_span {
                break;
            }
            if self.nearest.at(other) & UNLISTED != 0 {
                continue;
            }
            if other == expected {
                if self.ends_alike(other, position) {
                    link = self.link_on(other, gap as u32, last);
                    break;
                }
            } else if *hash.get_or_insert_with(|| self.tape.window_hash(position))
                == self.tape.window_hash(other)
                && self.tape.same_window(other, position)
            {
                let needed = self.links.at(other).needed().wrapping_add(1);
                link = Link::new(gap as u32, 0, needed);
                break;
            }
        }
        self.links.set(position, link);
        link
    }

    /// Whether two windows end with the same unit.
    #[inline(always)]
    fn ends_alike(&self, a: u64, b: u64) -> bool {
        let last = u64::from(self.rule.window).wrapping_sub(1);
        self.tape.unit(a.wrapping_add(last)) == self.tape.unit(b.wrapping_add(last))
    }

    /// A link to the window `before` that goes on with the `last` one, of the window before. What says that one of the two
    /// windows can't fire says so of this one, if all links are that go into it.
    #[inline(always)]
    fn link_on(&self, before: u64, gap: u32, last: Link) -> Link {
        let next = self.links.at(before);
        let shifted = next.shifted().wrapping_add(1);
        let shared = select_unpredictable(shifted >= last.needed(), last.needed(), Link::MANY);
        Link::new(gap, shifted, shared.min(next.needed().wrapping_add(1)))
    }

    /// Whether a window can't fire because of what is known of others.
    #[inline(always)]
    fn is_refuted_too(&mut self, position: u64) -> bool {
        self.again.is_empty() && self.link(position).needed() < self.rule.occurrences as u32
    }

    /// The verdict on a listed window.
    #[inline(never)]
    fn judge(&mut self, position: u64) -> Option<Chant> {
        if !self.again.is_empty() {
            return self.walk_back::<false>(position).ok();
        }
        let verdict = self.walk_back::<true>(position);
        if let Err(needed) = verdict {
            self.links.set(position, self.links.at(position).with_needed(needed));
        }
        verdict.ok()
    }

    /// Looks for the last occurrences of a window within reach, the latest first, until there are enough or they can't
    /// fire any more: then says by how many links that is known. `SINGLE`: no window is listed again.
    #[inline(always)]
    fn walk_back<const SINGLE: bool>(&mut self, position: u64) -> Result<Chant, u32> {
        self.periods.count = 0;
        let (start, span) = (self.tape.start(), self.rule.max_span);
        let mut links = 0;
        let mut at = position;
        let mut copies = if SINGLE { 1 } else { self.copies(at) };
        for index in 0..self.rule.occurrences {
            let later = at;
            if copies == 0 {
                let gap = self.link(at).gap();
                links += 1;
                at = at.wrapping_sub(u64::from(gap));
                if gap == Link::NONE.gap() || position.wrapping_sub(at) > span {
                    return Err(links);
                }
                if at < start {
                    // Of the window after this one the link may be just within the history.
                    return Err(Link::MANY);
                }
                copies = if SINGLE { 1 } else { self.copies(at) };
            }
            copies -= 1;
            if let Some(place) = self.list.get_mut(index) {
                *place = at;
            }
            if index > 0 && !self.may_be_periodic(at, later) {
                return Err(links);
            }
        }
        let list = self.list.get(..self.rule.occurrences).unwrap_or(&[]);
        let [last, previous, .., first] = *list else { return Err(links) };
        if !self.is_periodic(list) {
            return Err(links);
        }
        Ok(Chant { first, previous, last })
    }

    /// Adds the text between two occurrences to those before it; `false` when too many of them are distinct. Different
    /// hashes are different texts, but the hashes see halves of pairs by what is around them.
    #[inline(always)]
    fn may_be_periodic(&mut self, from: u64, to: u64) -> bool {
        let Some(most) = self.rule.max_periods else { return true };
        if self.tape.is_ambiguous(from) || self.tape.is_ambiguous(to) {
            return true;
        }
        let length = to.wrapping_sub(from) as u32;
        let power = self.power(length);
        let hash = self.tape.stretch_hash(from, to, power);
        self.periods.add(u64::from(length) << 32 | u64::from(hash)) <= most
    }

    /// The factor of the hash for stretches of a length: most come again and again, and many are multiples of one.
    #[inline(always)]
    fn power(&mut self, length: u32) -> u32 {
        let place = length.wrapping_mul(0x9E37_79B1) >> (32 - POWER_BITS);
        let Some(known) = self.powers.get_mut(place as usize) else { return 1 };
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
    #[inline(always)]
    fn add(&mut self, kind: u64) -> usize {
        let known = self.kinds.iter().take(self.count);
        if !known.fold(false, |is_known, other| is_known | (*other == kind)) {
            if let Some(place) = self.kinds.get_mut(self.count) {
                *place = kind;
            }
            self.count = self.count.wrapping_add(1);
        }
        self.count
    }
}

fn tag(hash: u32) -> u16 {
    (hash >> (32 - SLOT_BITS - TAG.count_ones()) << TAG.trailing_zeros()) as u16 & TAG
}

fn before_in_slot(tape: &Tape, nearest: &Ring<u16>, position: u64) -> Option<u64> {
    let gap = u64::from(nearest.at(position) & GAP);
    let before = position.wrapping_sub(gap);
    (gap > 0 && before >= tape.start()).then_some(before)
}
