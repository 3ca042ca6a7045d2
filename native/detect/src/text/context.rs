//! What a repetition stands in: the text just before it.

use super::{
    class::{CARRIAGE_RETURN, Class, LINE_FEED, class_of},
    history::History,
    texture::{Counts, Texture},
};

/// How many characters before a repetition are read.
const CHARS: u64 = 200;

/// The text before a repetition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    counts: Counts,
    /// Nothing stands before.
    is_start: bool,
    /// It ends with a bracket, a quote or a sign that announces a value.
    opened: bool,
}

impl Context {
    /// The paragraph before `onset`, as far as it is held.
    pub(super) fn of(history: &History, onset: u64) -> Self {
        let held = onset.saturating_sub(CHARS).max(history.oldest());
        let is_end = |at: u64| class_of(history.at(at)) == Class::LineEnd;
        let before = |at: u64| match (history.at(at), history.at(at - 1)) {
            (LINE_FEED, CARRIAGE_RETURN) => at - 2,
            _ => at - 1,
        };
        let is_paragraph = |at: &u64| is_end(*at) && *at > held + 1 && is_end(before(*at));
        let from = (held..onset).rev().find(is_paragraph).unwrap_or(held);
        let is_ink = |at: &u64| !matches!(class_of(history.at(*at)), Class::Blank | Class::LineEnd);
        let last = (from..onset).rev().find(is_ink);
        let is_fence = |at: u64| at > from && history.at(at - 1) == u32::from('`');
        let opened = last.is_some_and(|at| match char::from_u32(history.at(at)) {
            Some('[' | '(' | '{' | '=' | '"' | '\'' | '\\') => true,
            Some('`') => !is_fence(at),
            _ => false,
        });
        Self { counts: Counts::in_order(history, from, onset), is_start: onset == 0, opened }
    }

    /// Whether a bracket, a quote or a sign that announces a value stands before.
    pub(super) fn is_opened(&self) -> bool {
        self.opened
    }

    /// Whether `unit` stands in plain text, or at the beginning of a paragraph. Rows of an array and lines of a log there
    /// are a file's, and so are long numbers at the very beginning.
    pub(super) fn is_text(&self, unit: &Counts) -> bool {
        if self.counts.is_empty() {
            let is_number = unit.texture(false) == Texture::Digits;
            let is_file = unit.has_lines() && (is_number || unit.is_escaped() || unit.is_log());
            return !(is_file || is_number && self.is_start);
        }
        let is_prose = matches!(self.counts.texture(false), Texture::Prose | Texture::List);
        !self.opened && is_prose && self.counts.is_worded()
    }

    /// What the unit looks like here: among code and data, names are code and a stretch without a blank is data, and a line
    /// of a log is data among others or where nothing stands before. Words of a letter or two are told from columns of
    /// letters by nothing but their number.
    pub(super) fn texture_of(&self, unit: &Counts, fenced: bool) -> Texture {
        if unit.is_log() && (self.counts.is_empty() || self.counts.has_times()) {
            return Texture::Data;
        }
        match (unit.texture(fenced), self.counts.texture(fenced)) {
            (Texture::Prose | Texture::Fenced, Texture::Data | Texture::Digits)
                if unit.is_unbroken() =>
            {
                Texture::Data
            }
            (Texture::Prose | Texture::Fenced, around)
                if unit.is_technical()
                    && (matches!(around, Texture::Code | Texture::Data)
                        || !(self.counts.is_worded() || unit.is_word())) =>
            {
                Texture::Code
            }
            (Texture::Data, _) if unit.is_tiny_words() => Texture::Code,
            (texture, _) => texture,
        }
    }
}
