//! What a repeated unit looks like: prose, list, table, code, data, symbols.

use super::{
    class::{CARRIAGE_RETURN, Class, LINE_FEED, class_of},
    config::{Evidence, EvidenceByTexture},
    history::History,
};

/// A stretch without blanks longer than this is no word of any language: a link, a path, a key.
const LONGEST_WORD: u32 = 30;

/// Stretches no longer than this may be found in a program's bytes by chance.
const LONGEST_SCRAP: u32 = 8;

/// More characters than this without the end of a sentence are no prose, blanks left aside.
const LONGEST_SENTENCE: u32 = 200;

/// So many different values are no coincidence, about.
const MANY_VALUES: u32 = 8;

/// Lines of signs that are longer are ruled or drawn.
const SHORT_LINE: u32 = 8;

/// What a piece of text looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Texture {
    Prose,
    List,
    Table,
    Fenced,
    Code,
    Data,
    Digits,
    Signs,
    Symbols,
}

impl Texture {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Prose => "prose",
            Self::List => "lists",
            Self::Table => "tables",
            Self::Fenced => "text in a code fence",
            Self::Code => "code",
            Self::Data => "data",
            Self::Digits => "digits",
            Self::Signs => "signs",
            Self::Symbols => "symbols",
        }
    }

    pub(super) fn evidence(self, of: &EvidenceByTexture) -> Evidence {
        match self {
            Self::Prose => of.prose,
            Self::List => of.list,
            Self::Table => of.table,
            Self::Fenced => of.fenced,
            Self::Code => of.code,
            Self::Data => of.data,
            Self::Digits => of.digits,
            Self::Signs => of.signs,
            Self::Symbols => of.symbols,
        }
    }
}

/// What was counted in a unit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    chars: u32,
    letters: u32,
    solo: u32,
    capitals: u32,
    /// Letters of words that begin with a digit.
    hex_letters: u32,
    digits: u32,
    /// Signs; a run of the same one counts once.
    signs: u32,
    code_signs: u32,
    semicolons: u32,
    /// Commas, and those of them within a stretch with letters, without a blank behind.
    commas: u32,
    cells: u32,
    bars: u32,
    /// Lines that begin with a bar.
    barred: u32,
    lines: u32,
    blanks: u32,
    /// Line ends that only go back to the line's beginning: what comes next is drawn over it.
    redrawn: u32,
    /// Lines that end like a statement, and those that end with a comma.
    statements: u32,
    listed: u32,
    /// Gaps of three or more blanks, or tabs, within a line.
    gaps: u32,
    /// Lines that begin with four or more blanks or a tab.
    indented: u32,
    /// Lines that begin with a list, heading or quote mark, and those that begin with a number and a mark.
    marked: u32,
    numbered: u32,
    /// Lines that begin with a dash, a star or a dot and one blank; in a patch there are more.
    items: u32,
    /// Lines that begin with a number in a cell of its own.
    rows: u32,
    /// Indented lines that begin with a name and a colon: fields of a record.
    fields: u32,
    /// Plain words, and the characters in them.
    words: u32,
    plain: u32,
    /// Characters in links, paths and identifiers with signs in them.
    technical: u32,
    /// The part of them that is addresses on the net or targets of Markdown links.
    links: u32,
    longest: u32,
    /// Times of the day with seconds.
    times: u32,
    /// Marks that end a sentence, at the end of a word.
    sentences: u32,
    /// How many words and numbers, hashes of the first two that differ, and whether there is a third.
    values: u32,
    numbers: u32,
    value: u32,
    second_value: u32,
    many_values: bool,
    /// A bit for each of the values, by its hash.
    kinds: u64,
    /// Characters that no text holds.
    controls: u32,
    /// Keys in quotes, as in JSON.
    keys: u32,
    /// Opening braces.
    braces: u32,
    /// Backslashes.
    escapes: u32,
    /// The first letter, digit or character that stands for a word, and whether there is another one.
    letter: u32,
    mixed_letters: bool,
    /// Lines with anything in them.
    inked: u32,
    /// A hash of the first of the cells that commas end, and whether there is another one.
    cell: u32,
    mixed_cells: bool,
    /// The first sign, and whether there is another one.
    sign: u32,
    mixed_signs: bool,
}

impl Counts {
    /// Counts the characters `from..to` of a unit; those no longer held are left out. A unit stands for a circle: it is
    /// read from one of its line ends, blanks or signs on, so that what its ends cut in two is read as one.
    pub(super) fn of(history: &History, from: u64, to: u64) -> Self {
        let from = from.max(history.oldest());
        if from >= to {
            return Self::default();
        }
        let find = |class| (from..to).find(|at| class_of(history.at(*at)) == class);
        let turn = find(Class::LineEnd)
            .or_else(|| find(Class::Blank))
            .or_else(|| find(Class::Symbol))
            .unwrap_or(from);
        let mut reader = Reader::default();
        let first = history.at(turn);
        reader.line.known = class_of(first) == Class::LineEnd;
        reader.returned = first == CARRIAGE_RETURN;
        for at in (turn + 1..to).chain(from..turn) {
            reader.step(history.at(at));
        }
        reader.step(first);
        reader.end()
    }

    /// Counts the characters `from..to`, of which no more are left out, from the first to the last.
    pub(super) fn in_order(history: &History, from: u64, to: u64) -> Self {
        let mut reader = Reader::default();
        reader.line.known = from == 0 || class_of(history.at(from - 1)) == Class::LineEnd;
        for at in from..to {
            reader.step(history.at(at));
        }
        reader.end()
    }

    /// Whether the unit is an item of a numbered list.
    pub(super) fn is_numbered(&self) -> bool {
        self.numbered > 0
    }

    /// Words and characters that stand for words, about.
    pub(super) fn words(&self) -> u32 {
        self.words
    }

    /// Whether nearly everything is plain words.
    pub(super) fn is_plain(&self) -> bool {
        self.plain * 100 >= self.ink() * 85
    }

    /// Whether most of it is plain words.
    pub(super) fn is_mostly_plain(&self) -> bool {
        self.plain * 100 >= self.ink() * 75
    }

    /// Whether more than half is plain words.
    pub(super) fn is_worded(&self) -> bool {
        self.plain * 100 >= self.ink() * 60
    }

    /// Whether nothing was counted.
    pub(super) fn is_empty(&self) -> bool {
        self.ink() == 0
    }

    /// Whether a line ends in the unit.
    pub(super) fn has_lines(&self) -> bool {
        self.lines > 0
    }

    /// Whether the unit is one stretch of letters and digits without a blank.
    pub(super) fn is_unbroken(&self) -> bool {
        self.blanks + self.lines + self.solo == 0
    }

    /// Whether most characters stand for a syllable or a word each.
    pub(super) fn is_dense(&self) -> bool {
        self.solo * 2 > self.ink()
    }

    /// Whether it is such a stretch without a comma: a word that goes on within itself.
    pub(super) fn is_word(&self) -> bool {
        self.is_unbroken() && self.commas == 0
    }

    /// Characters that stand for a syllable or a word each.
    pub(super) fn solos(&self) -> u32 {
        self.solo
    }

    /// Letters, digits and signs.
    pub(super) fn ink(&self) -> u32 {
        self.letters + self.digits + self.signs
    }

    /// [`Self::ink`] in letters: a character that stands for a syllable or a word says as much as three.
    fn weight(&self) -> u32 {
        self.ink() + 2 * self.solo
    }

    /// What the unit looks like to the rule for literal repetition.
    pub(super) fn texture(&self, in_fence: bool) -> Texture {
        let ink = self.ink();
        if self.letters + self.digits == 0 || self.is_entity() {
            if self.is_pattern() { Texture::Signs } else { Texture::Symbols }
        } else if self.is_long_number()
            || self.is_constant_row()
            || self.is_filled()
            || self.is_redrawn()
        {
            Texture::Digits
        } else if (self.letters - self.hex_letters) * 100 < ink * 30
            || self.is_payload()
            || self.is_escaped()
            || (self.longest > 60 && self.longest * 2 > ink)
            || self.controls * 20 > ink
            || self.is_loose_letters()
            || self.is_scraps()
        {
            Texture::Data
        } else if self.has_bars() || self.has_gaps() {
            Texture::Table
        } else if !self.is_numbered_words()
            && ((self.code_signs * 100 >= self.weight() * 14 && !self.is_chant())
                || self.statements * 2 > self.lines
                || (self.indented > 0
                    && (self.listed > 0 || self.code_signs * 100 >= self.weight() * 8)))
        {
            Texture::Code
        } else if self.has_cells() {
            Texture::Data
        } else if self.has_columns() {
            Texture::Table
        } else if in_fence {
            Texture::Fenced
        } else if self.marked + self.numbered > 0 {
            Texture::List
        } else {
            Texture::Prose
        }
    }

    /// What the unit looks like to a rule that allows changes: only plain words make prose or a list.
    pub(super) fn strict_texture(&self, in_fence: bool) -> Texture {
        let tiny_words = self.solo == 0 && self.plain * 2 < self.words * 5;
        match self.texture(in_fence) {
            Texture::Prose | Texture::List | Texture::Table | Texture::Fenced | Texture::Code
                if self.is_log() =>
            {
                Texture::Data
            }
            Texture::Prose if tiny_words && self.words > 3 && !self.is_phrase() => Texture::Data,
            Texture::List | Texture::Table if tiny_words && self.words > 3 => Texture::Data,
            Texture::Prose | Texture::List | Texture::Fenced | Texture::Code if self.is_link() => {
                Texture::Data
            }
            Texture::Prose | Texture::List | Texture::Fenced
                if self.is_technical()
                    || self.has_statements()
                    || self.is_fields()
                    || self.is_record_line() =>
            {
                Texture::Code
            }
            texture => texture,
        }
    }

    /// Whether identifiers, paths and numbers outweigh plain words.
    pub(super) fn is_technical(&self) -> bool {
        let plain = self.plain + self.weight() - self.ink();
        plain * 2 < self.technical * 3 || plain * 100 < self.weight() * 35
    }

    /// Whether there are the bars of a table.
    pub(super) fn has_bars(&self) -> bool {
        self.bars * 20 >= self.ink() && self.bars > 0
    }

    /// Whether wide gaps part it, and not here and there between its sentences.
    fn has_gaps(&self) -> bool {
        self.gaps > 0 && self.gaps >= self.sentences
    }

    /// Whether it is rows between such bars: one bar may stand for an alternative.
    pub(super) fn is_barred_row(&self) -> bool {
        self.lines > 0
            && self.has_bars()
            && self.bars >= 2 * self.lines
            && self.barred * 2 >= self.lines
    }

    /// Whether it is lines that bear the time of day to the second.
    pub(super) fn is_log(&self) -> bool {
        self.lines > 0 && self.has_times()
    }

    /// Whether there is the time of day to the second in every other line or more.
    pub(super) fn has_times(&self) -> bool {
        self.times > 0 && self.times * 2 >= self.lines
    }

    /// Whether it is cells of a row, which commas part without a blank, and not the parts of a sentence.
    fn has_cells(&self) -> bool {
        self.lines == 0 && self.cells * 2 > self.commas && self.cells * 150 >= self.ink()
    }

    /// Whether it is rows of such cells.
    fn has_columns(&self) -> bool {
        self.cells * 2 > self.commas && self.cells * 12 >= self.ink() && !self.is_technical()
    }

    /// Whether it is three lines or more: a bank of registers or unrolled code counts in one or two.
    pub(super) fn is_block(&self) -> bool {
        self.lines > 2
    }

    /// Whether every line is a row of words that begins with its number.
    pub(super) fn is_numbered_row(&self) -> bool {
        self.lines > 0 && self.rows == self.lines && self.letters >= 3 * self.rows
    }

    /// Whether it is an object, as in JSON, with one field or more.
    pub(super) fn is_object(&self) -> bool {
        self.keys > 0 && self.braces > 0
    }

    /// Whether it is an object of several fields, as in JSON.
    pub(super) fn is_record(&self) -> bool {
        self.keys > 1 && self.braces > 0
    }

    /// Whether it is fields below each other, as in YAML. Who speaks in a dialogue stands at the line's beginning.
    fn is_fields(&self) -> bool {
        self.fields > 1 && self.fields * 2 >= self.lines
    }

    /// Whether it is digits and signs without a blank or a comma, as in the number of a version that doesn't end.
    pub(super) fn is_endless_number(&self) -> bool {
        self.is_word() && self.letters == 0 && self.signs > 0
    }

    /// Whether it is numbers of a list, as in JSON, at least three different ones: arrays are often filled with one or two.
    pub(super) fn is_number_list(&self) -> bool {
        self.commas > 0 && self.many_values && self.letters == self.hex_letters
    }

    /// Whether it is values that differ, in words or lines or more of them than an array is filled with or bytes are
    /// escaped to.
    pub(super) fn is_values(&self) -> bool {
        let is_words = self.second_value != 0 && self.commas == 0 && !self.is_unbroken();
        let is_many = self.kinds.count_ones() >= MANY_VALUES;
        (is_words || is_many) && self.escapes == 0 && !self.is_log() && !self.is_scraps()
    }

    /// Whether it is lines that are no sentences: a title, a key with its value.
    pub(super) fn is_title(&self) -> bool {
        self.lines > 0 && self.sentences == 0
    }

    /// Whether it is one such line, no longer than a sentence.
    pub(super) fn is_title_line(&self) -> bool {
        self.lines == 1 && self.sentences == 0 && self.ink() <= LONGEST_SENTENCE
    }

    /// Whether it is such a line with at least five numbers and as many as words, as in the listing of a folder.
    fn is_record_line(&self) -> bool {
        self.is_title_line() && self.numbers > 4 && self.numbers >= self.words
    }

    /// Whether there is a digit.
    pub(super) fn has_digits(&self) -> bool {
        self.digits > 0
    }

    /// Whether it is columns of names, as of instructions and definitions.
    pub(super) fn is_columns_of_code(&self) -> bool {
        !self.has_bars() && self.is_technical()
    }

    /// Whether much of it is an address or the target of a link.
    pub(super) fn is_link(&self) -> bool {
        self.links * 5 > self.ink() * 2
    }

    /// Whether lines end as statements do, or signs of code stand among the words: comments between code.
    fn has_statements(&self) -> bool {
        self.signs * 4 >= self.weight()
            || (!self.is_numbered_words()
                && (self.statements > 0 || self.code_signs * 100 >= self.weight() * 9))
    }

    /// Whether it is items of a numbered list, in words that at most semicolons part or end.
    fn is_numbered_words(&self) -> bool {
        self.numbered > 0
            && self.numbered >= self.lines
            && self.code_signs == self.semicolons
            && self.is_worded()
    }

    /// Different signs within a line, or lines of a sign or two between which nothing is ruled or left blank.
    fn is_pattern(&self) -> bool {
        let is_drawn = if self.lines == 0 {
            !self.mixed_signs || self.blanks > self.signs
        } else {
            let is_cells =
                !self.mixed_signs && matches!(char::from_u32(self.sign), Some(',' | ';'));
            self.chars > SHORT_LINE * self.lines || self.bars > 0 || is_cells
        };
        self.signs > 0 && !is_drawn && !self.is_entity()
    }

    /// A character of HTML by its name, most often a blank.
    pub(super) fn is_entity(&self) -> bool {
        self.is_word()
            && self.values == 1
            && (self.signs, self.code_signs) == (2, 2)
            && self.semicolons == 1
    }

    /// A few words with a sign between, without a line end.
    fn is_chant(&self) -> bool {
        self.lines == 0 && self.digits == 0 && self.letters * 10 >= self.ink() * 7
    }

    /// Tiny words that are read on: if x is 2 then 2 is 2.
    fn is_phrase(&self) -> bool {
        self.lines == 0 && self.words > 4
    }

    /// Whether a sentence ends in the unit.
    pub(super) fn has_sentence_end(&self) -> bool {
        self.sentences > 0
    }

    /// Whether nearly every line is an item of a list that says a word besides its signs.
    pub(super) fn is_items(&self) -> bool {
        self.lines > 0
            && (self.items + self.numbered) * 8 >= self.lines * 7
            && self.words >= self.lines
            && self.digits * 5 < self.letters
            && self.code_signs * 5 < self.ink()
            && !self.is_fields()
    }

    /// Whether sentences end all along, with some words in each: dots that lead to a page's number end none.
    pub(super) fn has_sentences(&self) -> bool {
        self.sentences * LONGEST_SENTENCE >= self.ink()
            && self.sentences * 2 <= self.words + self.solo
            && (self.is_dense() || self.signs * 8 <= self.ink())
    }

    /// Whether it is a line that is drawn over again and again, as a bar of progress is.
    pub(super) fn is_redrawn(&self) -> bool {
        self.redrawn > 0
    }

    /// Digits without anything between.
    fn is_long_number(&self) -> bool {
        self.digits > 1 && self.digits == self.ink() && self.blanks + self.lines == 0
    }

    /// A line of an array that is filled with one number, or with one name or call between commas.
    fn is_constant_row(&self) -> bool {
        let is_array = self.indented > 0 && self.commas + 1 >= self.values;
        let is_one_value = self.values > 1 && self.second_value == 0 && self.solo == 0;
        let is_one_cell = self.indented > 0 && self.commas > 2 * self.lines && !self.mixed_cells;
        self.lines > 0
            && (is_one_value && (self.hex_letters == self.letters || is_array) || is_one_cell)
    }

    /// Long lines of one letter or digit, as zeros are in base64.
    fn is_filled(&self) -> bool {
        self.lines > 0 && !self.mixed_letters && self.letters + self.digits >= 32 * self.lines
    }

    /// Lines of a few letters and signs each, as they are found in a program's bytes.
    fn is_scraps(&self) -> bool {
        self.inked > 2
            && self.longest <= LONGEST_SCRAP
            && self.ink() <= 6 * self.inked
            && self.code_signs * 2 >= self.inked
    }

    /// One letter or digit for ever, or a mix of small and capital letters and digits without a blank, as in base64.
    fn is_payload(&self) -> bool {
        self.is_unbroken()
            && (self.ink() == 1
                || (self.digits > 0 && self.capitals > 0 && self.capitals < self.letters))
    }

    /// Whether the unit is words of a letter or two, without digits.
    pub(super) fn is_tiny_words(&self) -> bool {
        self.digits == 0 && self.is_loose_letters()
    }

    /// Bytes that are written with backslashes.
    pub(super) fn is_escaped(&self) -> bool {
        self.escapes * 6 >= self.ink() && (self.digits > 0 || self.escapes > 4)
    }

    /// Letters that stand alone: columns, bytes in hex.
    fn is_loose_letters(&self) -> bool {
        self.words >= 2
            && self.letters == self.plain
            && self.plain * 2 <= self.words * 3
            && self.solo == 0
    }
}

/// Reads a unit character by character.
#[derive(Debug, Default)]
struct Reader {
    counts: Counts,
    stretch: Stretch,
    line: LineStart,
    /// The last character went back to the line's beginning.
    returned: bool,
    last: u32,
    /// The last character of the line that is no blank.
    ended_with: u32,
    gap: u32,
    /// A hash of the word or number so far.
    value: u32,
    /// A letter is in it.
    lettered: bool,
    /// A hash of what came since the last comma.
    cell: u32,
    /// Commas and colons in the stretch so far.
    commas: u32,
    colons: u32,
    /// The last letter, digit or character that stands for a word is such a character, and no blank came after it.
    after_solo: bool,
}

/// Characters between two blanks.
#[derive(Debug, Clone, Copy, Default)]
struct Stretch {
    len: u32,
    letters: u32,
    digits: u32,
    from_digit: bool,
    /// Signs seen since the last letter or digit, and such that stand between two.
    trailing: u32,
    inner: u32,
    /// An attribute's value has begun.
    quoted: bool,
    link: bool,
}

impl Reader {
    fn step(&mut self, c: u32) {
        let class = class_of(c);
        self.counts.chars += 1;
        if std::mem::replace(&mut self.returned, c == CARRIAGE_RETURN) {
            if c == LINE_FEED {
                // The two end one line.
                return;
            }
            self.counts.redrawn += u32::from(class != Class::LineEnd);
        }
        if matches!(class, Class::Letter | Class::Digit) {
            self.value = self.value.rotate_left(5).wrapping_add(c).wrapping_mul(0x9E37_79B1);
            if self.counts.letter == 0 {
                self.counts.letter = c;
            }
            self.counts.mixed_letters |= self.counts.letter != c;
            self.lettered |= class == Class::Letter;
        } else {
            self.end_value();
        }
        if c == u32::from(',') {
            self.end_cell();
        } else if !matches!(class, Class::Blank | Class::LineEnd) {
            self.cell = self.cell.rotate_left(5).wrapping_add(c).wrapping_mul(0x9E37_79B1);
        }
        let counts = &mut self.counts;
        match class {
            Class::Letter => {
                counts.letters += 1;
                counts.capitals += u32::from((0x41..=0x5A).contains(&c));
                self.stretch.ink(true, self.last);
            }
            Class::Digit => {
                counts.digits += 1;
                self.stretch.ink(false, self.last);
            }
            Class::Solo => {
                self.end_stretch();
                self.after_solo = true;
                self.counts.mixed_letters |= self.counts.letter != 0 && self.counts.letter != c;
                self.counts.letter = c;
                self.counts.letters += 1;
                self.counts.solo += 1;
                self.counts.plain += 1;
                self.counts.words += 1;
            }
            Class::Symbol => {
                // With a backslash before it, it is the same sign.
                if c == u32::from('\\') {
                    counts.escapes += 1;
                } else {
                    if counts.sign == 0 {
                        counts.sign = c;
                    }
                    counts.mixed_signs |= counts.sign != c;
                }
                if c != self.last {
                    counts.bars += u32::from(is_bar(c));
                    counts.signs += 1;
                    counts.keys += u32::from((self.last, c) == (u32::from('"'), u32::from(':')));
                    if is_code_sign(c) {
                        counts.code_signs += 1;
                        counts.semicolons += u32::from(c == u32::from(';'));
                        counts.braces += u32::from(c == u32::from('{'));
                    }
                    counts.sentences += u32::from(matches!(
                        char::from_u32(c),
                        Some('。' | '！' | '？' | '।' | '؟')
                    ));
                }
                self.commas += u32::from(c == u32::from(','));
                self.colons += u32::from(c == u32::from(':'));
                self.stretch.sign(c, self.last);
            }
            Class::Blank => {
                counts.blanks += 1;
                counts.controls += u32::from(c < 0x20 && c != 0x09);
                self.end_stretch();
                self.gap += if c == u32::from('\t') { 4 } else { 1 };
            }
            Class::LineEnd => {
                let end = char::from_u32(self.ended_with);
                counts.lines += 1;
                counts.inked += u32::from(self.ended_with != 0);
                counts.statements += u32::from(matches!(end, Some(';' | '{' | '}')));
                counts.listed += u32::from(matches!(end, Some(',')));
                self.ended_with = 0;
                self.end_stretch();
            }
        }
        self.mark_line(c, class);
        self.last = c;
        if !matches!(class, Class::Blank | Class::LineEnd) {
            self.ended_with = c;
        }
    }

    fn mark_line(&mut self, c: u32, class: Class) {
        if self.line.known {
            let ends = matches!(class, Class::Blank | Class::LineEnd);
            self.counts.fields += u32::from(ends && self.line.key == Key::Colon);
            self.line.key = self.line.key.step(c, class);
        }
        if class == Class::LineEnd {
            self.line = LineStart { known: true, ..LineStart::default() };
            self.gap = 0;
            return;
        }
        if class != Class::Blank && self.gap > 0 {
            if self.line.blank && self.line.known {
                self.counts.indented += u32::from(self.gap >= 4);
            } else if self.line.worded && self.gap >= 3 {
                self.counts.gaps += 1;
            } else if !self.line.worded && self.gap == 1 {
                let mark = char::from_u32(self.ended_with);
                self.counts.items += u32::from(matches!(mark, Some('-' | '*' | '•' | '·')));
            }
            self.gap = 0;
        }
        if class != Class::Blank {
            self.counts.barred += u32::from(self.line.blank && self.line.known && is_bar(c));
            self.line.blank = false;
            self.line.worded |= class != Class::Symbol;
        }
        if self.line.known {
            self.line.step(c, class, &mut self.counts);
        }
    }

    fn end(mut self) -> Counts {
        self.end_value();
        self.end_stretch();
        self.counts
    }

    fn end_value(&mut self) {
        let value = std::mem::take(&mut self.value);
        if value == 0 {
            return;
        }
        let counts = &mut self.counts;
        if counts.values == 0 {
            counts.value = value;
        }
        counts.values += 1;
        counts.kinds |= 1 << (value >> 26);
        counts.numbers += u32::from(!std::mem::take(&mut self.lettered));
        if counts.value != value && counts.second_value != value {
            counts.many_values |= counts.second_value != 0;
            counts.second_value = value;
        }
    }

    fn end_cell(&mut self) {
        let cell = std::mem::take(&mut self.cell);
        if self.counts.cell == 0 {
            self.counts.cell = cell;
        }
        self.counts.mixed_cells |= self.counts.cell != cell;
    }

    fn end_stretch(&mut self) {
        let stretch = std::mem::take(&mut self.stretch);
        let mark = char::from_u32(self.last);
        let ink = stretch.letters + stretch.digits;
        let is_word = stretch.letters > 1 || (std::mem::take(&mut self.after_solo) && ink == 0);
        self.counts.sentences +=
            u32::from(is_word && matches!(mark, Some('.' | '!' | '?')) && stretch.inner == 0);
        let counts = &mut self.counts;
        if self.commas + self.colons > 0 {
            let commas = std::mem::take(&mut self.commas);
            let has_seconds = std::mem::take(&mut self.colons) > 1;
            counts.times += u32::from(has_seconds && stretch.letters < 3 && stretch.digits > 4);
            counts.commas += commas;
            if stretch.letters > 0 {
                counts.cells += commas - u32::from(mark == Some(','));
            }
        }
        if ink == 0 {
            return;
        }
        counts.longest = counts.longest.max(stretch.len);
        if stretch.from_digit {
            counts.hex_letters += stretch.letters;
        }
        let mixed = stretch.letters > 0 && stretch.digits > 0;
        if stretch.letters == 0 || (mixed && stretch.inner == 0) {
            // Numbers and ids say nothing about the text around them.
        } else if stretch.inner > 0 || stretch.len > LONGEST_WORD {
            counts.technical += ink;
            if stretch.link {
                counts.links += ink;
            }
        } else {
            counts.words += 1;
            counts.plain += ink;
        }
    }
}

impl Stretch {
    fn ink(&mut self, letter: bool, last: u32) {
        // Of attributes only those with a path or a file's name in them are links.
        self.link |= self.quoted && matches!(char::from_u32(last), Some('.' | '/' | '#'));
        if self.letters + self.digits > 0 {
            self.inner += self.trailing;
        } else {
            self.from_digit = !letter;
        }
        self.trailing = 0;
        self.len += 1;
        if letter {
            self.letters += 1;
        } else {
            self.digits += 1;
        }
    }

    fn sign(&mut self, c: u32, last: u32) {
        self.len += 1;
        self.link |= matches!(
            (char::from_u32(last), char::from_u32(c)),
            (Some('/'), Some('/')) | (Some(']'), Some('('))
        );
        self.quoted |= (last, c) == (u32::from('='), u32::from('"'));
        // Signs that join or shorten words, or stand within numbers.
        let joins = matches!(char::from_u32(c), Some('\'' | '’' | '-' | ',' | '*'))
            || (self.letters == 0 && matches!(char::from_u32(c), Some('.' | ':' | '/')));
        self.trailing += u32::from(!joins);
    }
}

fn is_bar(c: u32) -> bool {
    c == u32::from('|') || (0x2500..0x2580).contains(&c)
}

fn is_code_sign(c: u32) -> bool {
    "{}()[];=<>_/\\$&+@#*%^~`".chars().any(|sign| u32::from(sign) == c)
}

/// Reads the mark at the start of a line.
#[derive(Debug)]
struct LineStart {
    /// Whether the line's beginning was seen.
    known: bool,
    blank: bool,
    /// Whether there was anything but signs: the gap after a mark alone parts no columns.
    worded: bool,
    digits: u32,
    mark: bool,
    done: bool,
    key: Key,
}

/// How far the beginning of a line may be the name of a field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Key {
    /// Nothing yet.
    #[default]
    Start,
    /// Blanks.
    Indented,
    /// A name.
    Name,
    /// A name and a colon.
    Colon,
    /// Something else, or counted already.
    Other,
}

impl Key {
    fn step(self, c: u32, class: Class) -> Self {
        let joins = matches!(char::from_u32(c), Some('_' | '-' | '.' | '/'));
        match (self, class) {
            (Self::Start | Self::Indented, Class::Blank) => Self::Indented,
            // Of a patch.
            (Self::Start, _) if c == u32::from('+') => Self::Start,
            (Self::Indented | Self::Name, Class::Letter | Class::Digit) => Self::Name,
            (Self::Name, _) if joins => Self::Name,
            (Self::Name, _) if c == u32::from(':') => Self::Colon,
            _ => Self::Other,
        }
    }
}

impl Default for LineStart {
    fn default() -> Self {
        Self {
            known: false,
            blank: true,
            worded: false,
            digits: 0,
            mark: false,
            done: false,
            key: Key::default(),
        }
    }
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
            Class::Blank | Class::Symbol
                if self.digits > 0 && matches!(sign, Some('\t' | ',' | ';')) =>
            {
                counts.rows += 1;
                self.done = true;
            }
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
                self.mark = true;
            }
            _ => self.done = true,
        }
    }
}
