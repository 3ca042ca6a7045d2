//! What a repeated unit looks like: prose, list, table, code, data, symbols.

use super::{
    class::{Class, class_of},
    config::{Evidence, EvidenceByTexture},
    history::History,
};

/// What a piece of text looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Texture {
    Prose,
    List,
    Table,
    Code,
    Data,
    Symbols,
}

impl Texture {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Prose => "prose",
            Self::List => "lists",
            Self::Table => "tables",
            Self::Code => "code",
            Self::Data => "data",
            Self::Symbols => "symbols",
        }
    }

    pub(super) fn evidence(self, of: &EvidenceByTexture) -> Evidence {
        match self {
            Self::Prose => of.prose,
            Self::List => of.list,
            Self::Table => of.table,
            Self::Code => of.code,
            Self::Data => of.data,
            Self::Symbols => of.symbols,
        }
    }
}

/// What was counted in a unit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    letters: u32,
    digits: u32,
    blanks: u32,
    lines: u32,
    symbols: u32,
    code: u32,
    bars: u32,
    /// Lines that begin with a list mark, a heading mark or a quote mark.
    marked: u32,
    /// Lines that begin with a number and a full stop or bracket.
    numbered: u32,
    /// The longest stretch without a blank.
    longest: u32,
}

impl Counts {
    /// Counts the characters `from..to`; those no longer held are left out. A unit stands for a circle, so a line that
    /// began before `from` is read as it ends there.
    pub(super) fn of(history: &History, from: u64, to: u64) -> Self {
        let mut counts = Self::default();
        let from = from.max(history.oldest());
        let mut line = LineStart::default();
        let mut known_start = from == 0 || class_of(history.at(from - 1)) == Class::LineEnd;
        let mut stretch = 0;
        for at in from..to {
            let c = history.at(at);
            let class = class_of(c);
            match class {
                Class::Letter | Class::Solo => counts.letters += 1,
                Class::Digit => counts.digits += 1,
                Class::Blank => counts.blanks += 1,
                Class::LineEnd => counts.lines += 1,
                Class::Symbol => {
                    counts.symbols += 1;
                    counts.bars += u32::from(c == u32::from('|'));
                    counts.code += u32::from(is_code_sign(c));
                }
            }
            stretch = if matches!(class, Class::Blank | Class::LineEnd | Class::Solo) {
                0
            } else {
                stretch + 1
            };
            counts.longest = counts.longest.max(stretch);
            if class == Class::LineEnd {
                line = LineStart::default();
                known_start = true;
            } else if known_start {
                line.step(c, class, &mut counts);
            }
        }
        counts
    }

    /// Whether the unit is an item of a numbered list.
    pub(super) fn is_numbered(&self) -> bool {
        self.numbered > 0
    }

    pub(super) fn texture(&self, in_fence: bool) -> Texture {
        let words = self.letters + self.digits;
        let ink = words + self.symbols;
        if words == 0 {
            Texture::Symbols
        } else if self.letters * 100 < ink * 35
            || (self.blanks + self.lines == 0 && self.longest > 60)
        {
            Texture::Data
        } else if self.bars >= 2 {
            Texture::Table
        } else if in_fence || self.code * 100 >= ink * 12 {
            Texture::Code
        } else if self.marked + self.numbered > 0 {
            Texture::List
        } else {
            Texture::Prose
        }
    }
}

fn is_code_sign(c: u32) -> bool {
    matches!(
        char::from_u32(c),
        Some(
            '{' | '}'
                | '('
                | ')'
                | '['
                | ']'
                | ';'
                | '='
                | '<'
                | '>'
                | '_'
                | '/'
                | '\\'
                | '"'
                | '$'
                | '&'
                | '+'
                | '@'
                | '#'
                | '*'
                | '%'
                | '^'
                | '~'
                | '`'
        )
    )
}

/// Reads the mark at the start of a line.
#[derive(Debug, Default)]
struct LineStart {
    digits: u32,
    mark: bool,
    done: bool,
}

impl LineStart {
    fn step(&mut self, c: u32, class: Class, counts: &mut Counts) {
        if self.done {
            return;
        }
        let sign = char::from_u32(c);
        match class {
            Class::Blank if self.mark => {
                counts.marked += 1;
                self.done = true;
            }
            Class::Blank if self.digits == 0 => {}
            Class::Digit if !self.mark => self.digits += 1,
            Class::Symbol
                if self.digits > 0 && matches!(sign, Some('.' | ')' | '、' | '．' | '）')) =>
            {
                counts.numbered += 1;
                self.done = true;
            }
            Class::Symbol
                if matches!(sign, Some('-' | '*' | '+' | '#' | '>' | '•' | '·' | '–')) =>
            {
                self.mark = true
            }
            _ => self.done = true,
        }
    }
}
