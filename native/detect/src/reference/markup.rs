//! Which Markdown a chunk shows, judged chunk by chunk as the originals do with regular expressions.
//!
//! One pass with a few words of state stands for all the expressions: none of them needs to look back further than the
//! start of a line.

use serde::{Deserialize, Serialize};

use super::units::{Unit, is_mark, is_space};

/// How the originals spell two character classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkupClasses {
    /// As ranges by accident: a divider is anything from `+` to `_` in ASCII order (digits, capitals, `.`, `,` and more),
    /// and `-` begins no list item. gemini-cli, and qwen-code 0.0.14.
    Ranges,
    /// As meant: a divider is made of `-`, `+`, `_`, `=`, `*` and box drawing, and `-` begins a list item. Later qwen-code.
    Literal,
}

/// What has been seen of a chunk.
pub(super) struct Markup {
    classes: MarkupClasses,
    line: Line,
    backticks: u8,
    /// How many times three backticks came in a row.
    fences: usize,
    /// Nothing but divider characters so far, the empty chunk included.
    divider_so_far: bool,
    empty: bool,
    /// A table, list item, heading or quotation.
    block: bool,
}

/// Where in the current line the scan is.
#[derive(Clone, Copy, PartialEq)]
enum Line {
    /// At its very start.
    Start,
    /// After white space only.
    Indent,
    /// After one or more `#`.
    Heading,
    /// After `>`.
    Quote,
    /// After a bullet.
    Bullet,
    /// After a character that is a bullet and may begin a table's rule.
    BulletOrRule,
    /// After digits.
    Number,
    /// After digits and a dot.
    NumberDot,
    /// After the first character of a table's rule.
    Rule1,
    /// After the second.
    Rule2,
    /// After `|`.
    Row1,
    /// After `|` and a second character of a rule.
    Row2,
    /// After `|` and other text.
    Row,
    /// Nothing can be found before the next line.
    Plain,
}

impl Markup {
    /// At the start of a chunk.
    pub(super) fn new(classes: MarkupClasses) -> Self {
        Self {
            classes,
            line: Line::Start,
            backticks: 0,
            fences: 0,
            divider_so_far: true,
            empty: true,
            block: false,
        }
    }

    /// Reads on.
    #[inline]
    pub(super) fn read<U: Unit>(&mut self, units: &[U]) {
        let mut rest = units;
        while let [first, tail @ ..] = rest {
            let is_plain = self.line == Line::Plain && !self.divider_so_far && self.backticks == 0;
            if is_plain && !is_mark(first.code()) {
                let Some(place) = U::first_mark(rest) else { return };
                rest = rest.get(place..).unwrap_or(&[]);
            } else {
                self.step(first.code());
                rest = tail;
            }
        }
    }

    /// How many code fences there are.
    pub(super) fn fences(&self) -> usize {
        self.fences
    }

    /// The whole chunk is a divider.
    pub(super) fn is_divider(&self) -> bool {
        self.divider_so_far && !self.empty
    }

    /// The chunk shows structure: what came before it is not compared with what comes.
    pub(super) fn is_structured(&self) -> bool {
        self.block || self.fences > 0 || self.is_divider()
    }

    fn step(&mut self, unit: u16) {
        self.empty = false;
        self.divider_so_far = self.divider_so_far && self.is_divider_unit(unit);
        self.backticks = if unit == u16::from(b'`') { self.backticks + 1 } else { 0 };
        if self.backticks == 3 {
            self.fences += 1;
            self.backticks = 0;
        }
        match self.next(unit) {
            Some(line) => self.line = line,
            None => {
                self.block = true;
                self.line = Line::Plain;
            }
        }
    }

    fn is_divider_unit(&self, unit: u16) -> bool {
        let ascii = match self.classes {
            MarkupClasses::Ranges => (0x2A..=0x5F).contains(&unit),
            MarkupClasses::Literal => matches!(unit, 0x2A | 0x2B | 0x2D | 0x3D | 0x5F),
        };
        ascii || (0x2500..=0x257F).contains(&unit)
    }

    /// The place in the line after `unit`, or none when it completes a structure.
    fn next(&self, unit: u16) -> Option<Line> {
        let ascii = u8::try_from(unit).unwrap_or(0);
        let is_rule = matches!(ascii, b'|' | b'+' | b'-');
        let next = match self.line {
            Line::Start if ascii == b'#' => Line::Heading,
            Line::Start if ascii == b'>' => Line::Quote,
            Line::Start | Line::Indent => match ascii {
                _ if is_space(unit) => Line::Indent,
                b'|' => Line::Row1,
                b'*' => Line::Bullet,
                b'+' => Line::BulletOrRule,
                b'-' if self.classes == MarkupClasses::Literal => Line::BulletOrRule,
                b'-' => Line::Rule1,
                b'0'..=b'9' => Line::Number,
                _ => Line::Plain,
            },
            Line::Heading if ascii == b'#' => Line::Heading,
            Line::Number if ascii.is_ascii_digit() => Line::Number,
            Line::Number if ascii == b'.' => Line::NumberDot,
            Line::Heading | Line::Quote | Line::Bullet | Line::BulletOrRule | Line::NumberDot
                if is_space(unit) =>
            {
                return None;
            }
            Line::Rule1 | Line::BulletOrRule if is_rule => Line::Rule2,
            Line::Rule2 | Line::Row2 if is_rule => return None,
            Line::Row | Line::Row1 | Line::Row2 if ascii == b'|' => return None,
            Line::Row1 if is_rule => Line::Row2,
            // A row ends where `.` of a regular expression does not go on.
            Line::Row | Line::Row1 | Line::Row2 if !matches!(unit, 0x0D | 0x2028 | 0x2029) => {
                Line::Row
            }
            _ => Line::Plain,
        };
        Some(if ascii == b'\n' { Line::Start } else { next })
    }
}
