//! A result's text, cut at the caller's limit line by line, so that what it shows and what may be cited stay the same.

use ouro_core::{SourceLine, ToolResult};

/// Characters kept free for the note on what was cut.
const NOTE_CHARS: usize = 160;

/// A result that is being written.
pub(crate) struct Page {
    content: String,
    chars: usize,
    limit: usize,
    max_chars: usize,
    lines: Vec<SourceLine>,
    full: bool,
}

impl Page {
    /// An empty page of at most so many characters.
    pub(crate) fn new(max_chars: usize) -> Self {
        let limit = max_chars - NOTE_CHARS.min(max_chars / 4);
        Self { content: String::new(), chars: 0, limit, max_chars, lines: Vec::new(), full: false }
    }

    /// Adds a line that is no file's; `false` and nothing when it doesn't fit. A page that is full stays so.
    pub(crate) fn push(&mut self, line: &str) -> bool {
        let chars = line.chars().count() + 1;
        if self.full || self.chars + chars > self.limit {
            self.full = true;
            return false;
        }
        self.content.push_str(line);
        self.content.push('\n');
        self.chars += chars;
        true
    }

    /// Adds a line that shows `text`, the line `number` of a file.
    pub(crate) fn push_source(&mut self, shown: &str, path: &str, number: u32, text: &str) -> bool {
        let fits = self.push(shown);
        if fits {
            self.lines.push(SourceLine { path: path.into(), line: number, text: text.into() });
        }
        fits
    }

    /// The result. What was cut is said in it and at its end, as far as there is room.
    pub(crate) fn finish(mut self, summary: String, truncated: Option<String>) -> ToolResult {
        if let Some(cut) = &truncated {
            let note = format!("[{cut}]");
            if self.chars + note.chars().count() <= self.max_chars {
                self.content.push_str(&note);
            }
        }
        ToolResult { summary, content: self.content, lines: self.lines, truncated, is_error: false }
    }
}
