//! Knows whether the text is inside a Markdown code fence, wherever the stream is cut.

/// What a line has shown so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Line {
    /// Nothing but up to three blanks.
    #[default]
    Start,
    /// Backticks or tildes.
    Marks,
    /// Marks and then blanks: may still close a fence.
    Closing,
    /// Anything else.
    Other,
}

/// The scanner's state.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fence {
    line: Line,
    indent: u32,
    sign: u32,
    marks: u32,
    /// The fence that is open: its sign and length.
    open: Option<(u32, u32)>,
}

impl Fence {
    /// Whether the text so far ends inside a fence.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether the rest of the line can't change anything.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.line == Line::Other
    }

    /// Takes a character within a line.
    #[inline]
    pub(crate) fn step(&mut self, c: u32) {
        if !self.is_idle() {
            self.mark(c);
        }
    }

    fn mark(&mut self, c: u32) {
        let is_mark = c == u32::from('`') || c == u32::from('~');
        let is_blank = c == u32::from(' ') || c == u32::from('\t');
        self.line = match self.line {
            Line::Start if is_blank && self.indent < 3 => {
                self.indent += 1;
                Line::Start
            }
            Line::Start if is_mark => {
                self.sign = c;
                self.marks = 1;
                Line::Marks
            }
            Line::Marks if c == self.sign => {
                self.marks = self.marks.saturating_add(1);
                Line::Marks
            }
            Line::Marks | Line::Closing if is_blank => Line::Closing,
            Line::Marks | Line::Closing if self.marks >= 3 && self.open.is_none() => {
                // An info string; a backtick in it would make the line ordinary text, which is too rare to wait for.
                self.open = Some((self.sign, self.marks));
                Line::Other
            }
            _ => Line::Other,
        };
    }

    /// Takes the end of a line.
    pub(crate) fn end_line(&mut self) {
        if matches!(self.line, Line::Marks | Line::Closing) && self.marks >= 3 {
            self.open = match self.open {
                None => Some((self.sign, self.marks)),
                Some((sign, marks)) if sign == self.sign && self.marks >= marks => None,
                still => still,
            };
        }
        self.line = Line::Start;
        self.indent = 0;
        self.marks = 0;
    }
}
