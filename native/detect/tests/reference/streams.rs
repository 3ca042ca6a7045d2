//! Generated streams: loops, near loops, ordinary text and Markdown in many scripts, cut in every way.

/// What a stream consists of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    /// A chunk of text, in UTF-16 code units; halves of pairs may be alone.
    Content(Vec<u16>),
    /// A tool call with its arguments as JSON text.
    Call(String, String),
    /// The host takes a report back.
    Clear,
    /// A new prompt.
    Reset,
}

/// Xorshift: small, the same everywhere, and good enough to vary tests.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.roll() % limit.max(1) as u64) as usize
    }

    pub(crate) fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

const ALPHABETS: [&str; 10] = [
    "abcdefghijklmnopqrstuvwxyz     ,.",
    "ab",
    "abc ",
    "etaoin shrdlu ETAOIN 0123456789.,;-",
    "\u{6211}\u{4EEC}\u{9700}\u{8981}\u{5148}\u{5206}\u{6790}\u{95EE}\u{9898}\u{3002}\u{FF0C}",
    "\u{1F600}\u{1F601}\u{1F602}\u{1F680}\u{2764}\u{FE0F}a ",
    "\u{1F600}\u{1F601}",
    "e\u{301}\u{5D0}\u{5D1}\u{644}\u{645} \u{A0}\u{3000}\u{2028}",
    "\u{FFFD}\u{1F600}x",
    "ABCDEFGHIJ:;<=>?@[]^_.,0123456789",
];

const MARKUP: [&str; 34] = [
    "```",
    "```rust\n",
    "``",
    "`",
    "\n",
    "\n\n",
    "- item\n",
    "* item\n",
    "+ item ",
    "\n1. one",
    " 12. two\n",
    "# head\n",
    "\n## head ",
    "> quoted\n",
    "\n|a|b|\n",
    "|---|---|",
    "---",
    "+++",
    "===",
    "\u{2500}\u{2500}\u{2501}",
    ".",
    "-",
    "*",
    "_",
    "A",
    "7",
    "\t",
    "\r\n",
    "\r",
    "~~~\n",
    "````\n",
    "1.",
    "\u{2028}",
    "|",
];

/// A stream for a seed, after at least so many units in which nothing is repeated on purpose. About half of them make the
/// rules fire.
pub(crate) fn stream_after(seed: u64, units: usize) -> Vec<Event> {
    let mut dice = Dice::new(seed);
    let mut text = Vec::new();
    while text.len() < units {
        text.extend(words(&mut dice, 400));
    }
    let longest = if dice.one_in(16) { 8000 } else { 1800 };
    let budget = dice.between(50, longest);
    while text.len() < units + budget {
        segment(&mut dice, &mut text);
    }
    if dice.one_in(6) {
        break_pairs(&mut dice, &mut text);
    }
    let mut events = Vec::new();
    cut(&mut dice, &text, &mut events);
    events
}

fn segment(dice: &mut Dice, text: &mut Vec<u16>) {
    match dice.below(12) {
        0..=3 => {
            let unit = words(dice, 90);
            for _ in 0..dice.between(2, 24) {
                text.extend_from_slice(&unit);
            }
        }
        4 => {
            let unit = words(dice, 320);
            for _ in 0..dice.between(2, 14) {
                text.extend_from_slice(&unit);
            }
        }
        5 | 6 => near_loop(dice, text),
        7 => phrases(dice, text),
        8 => {
            for _ in 0..dice.between(1, 4) {
                text.extend(dice.pick(&MARKUP).encode_utf16());
            }
        }
        9 => {
            let unit = dice.pick(&MARKUP).encode_utf16().collect::<Vec<_>>();
            for _ in 0..dice.between(1, 40) {
                text.extend_from_slice(&unit);
            }
        }
        _ => text.extend(words(dice, 400)),
    }
}

fn words(dice: &mut Dice, most: usize) -> Vec<u16> {
    let alphabet: Vec<char> = dice.pick(&ALPHABETS).chars().collect();
    let length = dice.between(1, most);
    let mut text = Vec::new();
    for _ in 0..length {
        let letter = alphabet[dice.below(alphabet.len())];
        text.extend_from_slice(letter.encode_utf16(&mut [0; 2]));
    }
    text
}

/// The same frame with something that changes, at one place or at random ones.
fn near_loop(dice: &mut Dice, text: &mut Vec<u16>) {
    let frame = words(dice, 160);
    let kinds = dice.between(1, 12);
    let (counts, at_random) = (dice.one_in(2), dice.one_in(3));
    let emoji: Vec<char> =
        "\u{1F600}\u{1F601}\u{1F602}\u{1F603}\u{1F680}\u{2603}".chars().collect();
    for round in 0..dice.between(6, 30) {
        let change: Vec<u16> = if counts {
            (round % kinds).to_string().encode_utf16().collect()
        } else {
            emoji[(round % kinds) % emoji.len()].encode_utf16(&mut [0; 2]).to_vec()
        };
        let place = if at_random { dice.below(frame.len() + 1) } else { 0 };
        text.extend_from_slice(&frame[..place]);
        text.extend_from_slice(&change);
        text.extend_from_slice(&frame[place..]);
    }
}

/// A frame that comes again and again for longer than any history, now and then with one unit changed, left out or put
/// in: most of it nearly fires all the time.
pub(crate) fn near_loop_stream(seed: u64) -> Vec<Event> {
    let mut dice = Dice::new(seed);
    let frame = words(&mut dice, 240);
    let changes: Vec<u16> = words(&mut dice, 8);
    let (rate, at_end) = (dice.between(1, 4), dice.one_in(4));
    let length = dice.between(3000, 12_000);
    let mut text = Vec::new();
    while text.len() < length {
        let mut copy = frame.clone();
        if dice.one_in(rate) {
            let place = if at_end { copy.len() - 1 } else { dice.below(copy.len()) };
            let change = changes[dice.below(changes.len())];
            match dice.below(4) {
                0 => {
                    copy.remove(place);
                }
                1 => copy.insert(place, change),
                _ => copy[place] = change,
            }
        }
        text.extend(copy);
    }
    let mut events = Vec::new();
    cut(&mut dice, &text, &mut events);
    events
}

/// A few phrases in any order.
fn phrases(dice: &mut Dice, text: &mut Vec<u16>) {
    let phrases: Vec<_> = (0..dice.between(2, 4)).map(|_| words(dice, 70)).collect();
    for _ in 0..dice.between(8, 50) {
        text.extend_from_slice(&phrases[dice.below(phrases.len())]);
    }
}

fn break_pairs(dice: &mut Dice, text: &mut [u16]) {
    for _ in 0..dice.between(1, 6) {
        let place = dice.below(text.len());
        text[place] = dice.pick(&[&0xD83D, &0xDE00, &0xDE01, &0xD800, &0xFFFD]).to_owned();
    }
}

fn cut(dice: &mut Dice, text: &[u16], events: &mut Vec<Event>) {
    let sizes = [1, 2, 3, 4, 5, 7, 16, 20, 49, 50, 51, 64, 200, 999, 1001, 5000, 7000];
    let fixed = (!dice.one_in(3)).then(|| sizes[dice.below(sizes.len())]);
    let rare = if dice.one_in(3) { 40 } else { usize::MAX };
    let mut rest = text;
    while !rest.is_empty() {
        if dice.one_in(rare) {
            events.push(match dice.below(6) {
                0 => Event::Call("look".into(), "{}".into()),
                1 => Event::Reset,
                2 => Event::Content(Vec::new()),
                _ => Event::Clear,
            });
        }
        let size = fixed.unwrap_or_else(|| {
            let most = sizes[dice.below(sizes.len())];
            dice.between(0, most)
        });
        let (chunk, after) = rest.split_at(size.min(rest.len()));
        events.push(Event::Content(chunk.to_vec()));
        rest = after;
    }
    // What a report does to the rest of a prompt.
    if dice.one_in(2) {
        for _ in 0..dice.between(1, 12) {
            events.push(Event::Clear);
            let from = dice.below(text.len());
            let to = text.len().min(from + dice.between(0, 300));
            events.push(Event::Content(text[from..to].to_vec()));
        }
    }
}

/// A sequence of tool calls: rounds of one to seven calls, broken now and then, each argument written the same way.
pub(crate) fn calls(dice: &mut Dice) -> Vec<(String, String)> {
    let mut calls = Vec::new();
    for _ in 0..dice.between(1, 4) {
        let kinds = dice.between(1, 4);
        let round: Vec<_> = (0..dice.between(1, 7)).map(|_| call(dice, kinds)).collect();
        let length = dice.between(1, 7 * round.len());
        calls.extend(round.into_iter().cycle().take(length));
        if dice.one_in(3) {
            let place = dice.below(calls.len());
            calls[place] = call(dice, 9);
        }
    }
    calls
}

fn call(dice: &mut Dice, kinds: usize) -> (String, String) {
    let names = ["read", "write", "\u{641C}\u{7D22}", "a:{}"];
    (
        names[dice.below(2.max(kinds / 2).min(4))].to_owned(),
        format!("{{\"n\":{}}}", dice.below(kinds)),
    )
}
