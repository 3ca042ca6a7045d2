//! The chanting rule as it reads, on the whole history, with nothing clever.

use std::collections::HashMap;

/// The limits of the rule, as in the configuration.
pub(crate) struct Limits {
    pub(crate) window: usize,
    pub(crate) occurrences: usize,
    pub(crate) max_mean_distance: usize,
    pub(crate) max_periods: Option<usize>,
    pub(crate) history: usize,
    pub(crate) literal_classes: bool,
}

pub(crate) struct Oracle {
    limits: Limits,
    history: Vec<u16>,
    /// Where the history begins in the text since the last reset of the tracking.
    base: usize,
    lists: HashMap<String, Vec<usize>>,
    cursor: usize,
    in_code: bool,
    pub(crate) found: bool,
}

impl Oracle {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            history: Vec::new(),
            base: 0,
            lists: HashMap::new(),
            cursor: 0,
            in_code: false,
            found: false,
        }
    }

    pub(crate) fn content(&mut self, chunk: &[u16]) -> bool {
        if self.found {
            return true;
        }
        let fences = fences(chunk);
        let divider = is_divider(chunk, self.limits.literal_classes);
        let bullets: &[u16] =
            if self.limits.literal_classes { &[0x2A, 0x2B, 0x2D] } else { &[0x2A, 0x2B] };
        let structured = fences > 0 || divider || line_starts(chunk).any(|start| {
            let line = &chunk[start..];
            let text = &line[line.iter().take_while(|&&unit| space(unit)).count()..];
            is_table(text)
                || matches!(text, [bullet, after, ..] if bullets.contains(bullet) && space(*after))
                || is_numbered(text)
                || after_run(line, 0x23)
                    .is_some_and(|after| after.first().is_some_and(|&unit| space(unit)))
                || matches!(line, [0x3E, after, ..] if space(*after))
        });
        if structured {
            self.forget();
        }
        let was_in_code = self.in_code;
        if fences % 2 == 1 {
            self.in_code = !self.in_code;
        }
        if was_in_code || self.in_code || divider {
            return false;
        }
        self.history.extend_from_slice(chunk);
        let excess = self.history.len().saturating_sub(self.limits.history);
        if excess > 0 {
            self.history.drain(..excess);
            self.base += excess;
            self.cursor = self.cursor.max(self.base);
        }
        while self.cursor + self.limits.window <= self.base + self.history.len() {
            if self.judge() {
                self.found = true;
                return true;
            }
            self.cursor += 1;
        }
        false
    }

    fn text(&self, from: usize, to: usize) -> &[u16] {
        &self.history[from - self.base..to - self.base]
    }

    fn judge(&mut self) -> bool {
        let (at, window) = (self.cursor, self.limits.window);
        // What is hashed is UTF-8, where every lone half is the replacement character.
        let key = String::from_utf16_lossy(self.text(at, at + window));
        let base = self.base;
        let mut list = self.lists.remove(&key).unwrap_or_default();
        list.retain(|&position| position >= base);
        let listed = list
            .first()
            .is_none_or(|&first| self.text(first, first + window) == self.text(at, at + window));
        if listed {
            list.push(at);
        }
        let fires = listed && self.fires(&list);
        self.lists.insert(key, list);
        fires
    }

    fn fires(&self, list: &[usize]) -> bool {
        let n = self.limits.occurrences;
        if list.len() < n || list.len() < 2 {
            return false;
        }
        let recent = &list[list.len() - n..];
        let mean = (recent[n - 1] - recent[0]) as f64 / (n - 1) as f64;
        if mean > self.limits.max_mean_distance as f64 {
            return false;
        }
        let mut periods: Vec<&[u16]> =
            recent.windows(2).map(|pair| self.text(pair[0], pair[1])).collect();
        periods.sort();
        periods.dedup();
        self.limits.max_periods.is_none_or(|most| periods.len() <= most)
    }

    pub(crate) fn forget(&mut self) {
        self.history.clear();
        self.lists.clear();
        (self.base, self.cursor) = (0, 0);
    }

    pub(crate) fn call(&mut self) {
        if !self.found {
            self.forget();
        }
    }

    pub(crate) fn reset(&mut self) {
        self.forget();
        self.found = false;
    }
}

fn space(unit: u16) -> bool {
    // Unicode's spaces, without the next line and with the byte order mark.
    char::from_u32(unit.into())
        .is_some_and(|c| c.is_whitespace() && c != '\u{85}' || c == '\u{FEFF}')
}

fn fences(chunk: &[u16]) -> usize {
    let (mut count, mut rest) = (0, chunk);
    while !rest.is_empty() {
        let step = if rest.starts_with(&[0x60; 3]) { 3 } else { 1 };
        count += usize::from(step == 3);
        rest = &rest[step..];
    }
    count
}

fn is_divider(chunk: &[u16], literal: bool) -> bool {
    !chunk.is_empty()
        && chunk.iter().all(|&unit| {
            let c = char::from_u32(unit.into()).unwrap_or(' ');
            matches!(c, '*' | '=' | '_' | '+' | '-' | '\u{2500}'..='\u{257F}')
                || !literal && matches!(c, '+'..='_')
        })
}

fn line_starts(chunk: &[u16]) -> impl Iterator<Item = usize> {
    let after = chunk.iter().enumerate().filter(|(_, unit)| **unit == 0x0A);
    std::iter::once(0)
        .chain(after.map(|(place, _)| place + 1))
        .filter(|&place| place <= chunk.len())
}

fn is_table(text: &[u16]) -> bool {
    let line =
        text.split(|unit| matches!(unit, 0x0A | 0x0D | 0x2028 | 0x2029)).next().unwrap_or(&[]);
    let rule = |unit: &u16| matches!(unit, 0x7C | 0x2B | 0x2D);
    line.first() == Some(&0x7C) && line[1..].contains(&0x7C)
        || text.len() >= 3 && text[..3].iter().all(rule)
}

fn is_numbered(text: &[u16]) -> bool {
    let digits = text.iter().take_while(|unit| (0x30..=0x39).contains(*unit)).count();
    digits > 0 && matches!(&text[digits..], [0x2E, after, ..] if space(*after))
}

fn after_run(line: &[u16], unit: u16) -> Option<&[u16]> {
    let run = line.iter().take_while(|&&other| other == unit).count();
    (run > 0).then(|| &line[run..])
}
