//! An answer in the making: every statement carries the lines it rests on.

use std::collections::BTreeSet;

use ouro_core::LearningRecord;

use super::{
    evidence::{Cite, Evidence},
    prose::Sentence,
    voice,
    wording::Wording,
};

/// Fewest lines from the end of a paragraph to the start of the next.
const PARAGRAPH: u32 = 2;
/// Texts of fewer bytes are no statement: they may be said again.
const SHORT: usize = 24;

/// Collects statements, in paragraphs and lists.
pub(crate) struct Draft<'a> {
    /// What was observed.
    pub(crate) evidence: &'a Evidence,
    /// The language.
    pub(crate) wording: Wording,
    earlier: String,
    said: BTreeSet<String>,
    blocks: Vec<String>,
    open: Vec<String>,
    cites: Vec<Cite>,
    /// How many statements rest on what: see [`Proof`].
    proven: [usize; 3],
    /// How many pieces of code are shown.
    shown: usize,
    tags: Vec<String>,
    gaps: Vec<String>,
}

/// What a statement rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// A declaration, call or failure in the code itself.
    Code,
    /// What documentation says, which may be outdated.
    Words,
    /// What was put together from several places: an order of steps, conditions.
    Order,
}

impl Proof {
    /// What a message of the bundle rests on.
    fn of(key: &str) -> Self {
        match key.split('.').next().unwrap_or_default() {
            "doc" | "overview" => Self::Words,
            "fails" | "tests" | "step" => Self::Order,
            _ => Self::Code,
        }
    }

    /// How sure a statement of this kind is. Estimates, in the order that reading statements beside the code suggests.
    fn trust(self) -> f32 {
        match self {
            Self::Code => 0.97,
            Self::Words => 0.9,
            Self::Order => 0.8,
        }
    }
}

impl<'a> Draft<'a> {
    /// An empty answer; remarks that `records` make already are not made again.
    pub(crate) fn new(
        evidence: &'a Evidence,
        wording: Wording,
        records: impl IntoIterator<Item = &'a LearningRecord>,
    ) -> Self {
        let earlier =
            records.into_iter().map(|r| essence(&r.answer)).collect::<Vec<_>>().join("\n");
        Self {
            evidence,
            wording,
            earlier,
            said: BTreeSet::new(),
            blocks: Vec::new(),
            open: Vec::new(),
            cites: Vec::new(),
            proven: [0; 3],
            shown: 0,
            tags: Vec::new(),
            gaps: Vec::new(),
        }
    }

    /// Adds a sentence from the bundle to the open paragraph. Without a citation nothing is said.
    pub(crate) fn say(&mut self, key: &str, cites: Vec<Cite>, values: &[(&str, &str)]) {
        let salt = values.iter().map(|(_, v)| *v).collect::<Vec<_>>().join(" ");
        let text = self.wording.phrase(key, &salt, values);
        self.prove(Proof::of(key), text, cites);
    }

    /// Adds a finished sentence to the open paragraph. Without a citation, or said before, nothing is said.
    pub(crate) fn state(&mut self, text: String, cites: Vec<Cite>) {
        self.prove(Proof::Words, text, cites);
    }

    fn prove(&mut self, proof: Proof, text: String, cites: Vec<Cite>) {
        if cites.is_empty() || !self.said.insert(essence(&text)) {
            return;
        }
        self.cites.extend(cites);
        self.open.push(text);
        self.count(proof, 1);
    }

    /// Up to `most` sentences of a documentation, as statements about `label`. Returns how many were said. The first
    /// cites the declaration too, if that stands near.
    pub(crate) fn describe(
        &mut self,
        label: &str,
        name: &str,
        declared: Option<&Cite>,
        statements: &[(Sentence, Cite)],
        most: usize,
    ) -> usize {
        let mut chosen: Vec<(&Sentence, Cite)> = Vec::new();
        let mut length = 0;
        for (index, (sentence, cite)) in statements.iter().enumerate() {
            if chosen.len() >= most || (!chosen.is_empty() && length + sentence.length() > 420) {
                break;
            }
            // What the thing itself is may be said again; anything else not, nor what points at a sentence left out.
            let follows = index.checked_sub(1).is_some_and(|before| {
                statements.get(before).is_some_and(|(s, _)| {
                    let near = sentence.start <= s.end + PARAGRAPH;
                    near && chosen.last().is_some_and(|(c, _)| *c == s)
                })
            });
            if index > 0
                && (!self.is_new(&sentence.text)
                    || voice::points_back(&sentence.text, follows)
                    || (!follows && voice::sets_a_scene(&sentence.text)))
            {
                continue;
            }
            let near =
                declared.filter(|_| chosen.is_empty()).and_then(|d| self.evidence.span(d, cite));
            chosen.push((sentence, near.unwrap_or_else(|| cite.clone())));
            length += sentence.length();
            self.remember(&sentence.text);
        }
        if self.wording.is_chinese() {
            self.quote(label, &chosen);
        } else {
            for (index, (sentence, cite)) in chosen.iter().enumerate() {
                let clause = if index == 0 {
                    voice::state(self.wording, label, name, sentence)
                } else {
                    voice::go_on(self.wording, index, sentence)
                };
                let text = format!(
                    "{clause}{}{}",
                    self.wording.aside(&cite.to_string()),
                    self.wording.stop()
                );
                self.state(text, vec![cite.clone()]);
            }
        }
        chosen.len()
    }

    /// Several sentences of a documentation as one quotation: other languages are kept out of Chinese sentences.
    fn quote(&mut self, label: &str, chosen: &[(&Sentence, Cite)]) {
        let (Some((first, from)), Some((_, to))) = (chosen.first(), chosen.last()) else { return };
        let mut text = first.text.clone();
        for ((before, at), (after, _)) in chosen.iter().zip(chosen.iter().skip(1)) {
            // What is left out between two sentences is marked.
            let between = before.end + 1..after.start;
            let empty = self.evidence.is_empty_between(at, between);
            text.push_str(if empty { " " } else { " …… " });
            text.push_str(&after.text);
        }
        let cites: Vec<Cite> = chosen.iter().map(|(_, c)| c.clone()).collect();
        let each = cites.iter().map(Cite::to_string).collect::<Vec<_>>().join("、");
        let at = self.evidence.span(from, to).map_or(each, |c| c.to_string());
        let salt = format!("{label}{}", first.text);
        let quote = self.wording.quote(voice::bare(&text));
        let said = self.wording.phrase("doc.says", &salt, &[("name", label), ("quote", &quote)]);
        self.state(format!("{said}{}{}", self.wording.aside(&at), self.wording.stop()), cites);
    }

    /// Says what the list after it holds; rests on the same lines as the list.
    pub(crate) fn say_lead(
        &mut self,
        key: &str,
        items: &[(String, Vec<Cite>)],
        values: &[(&str, &str)],
    ) {
        let salt = values.iter().map(|(_, v)| *v).collect::<Vec<_>>().join(" ");
        if items.iter().any(|(_, cites)| !cites.is_empty()) {
            self.open.push(self.wording.phrase(key, &salt, values));
        }
    }

    /// Adds a list after the open paragraph, if it has anything.
    pub(crate) fn list(&mut self, numbered: bool, items: Vec<(String, Vec<Cite>)>) {
        let items: Vec<_> = items.into_iter().filter(|(_, cites)| !cites.is_empty()).collect();
        if items.is_empty() {
            return;
        }
        self.paragraph();
        let lines: Vec<String> = items
            .iter()
            .enumerate()
            .map(
                |(n, (text, _))| {
                    if numbered { format!("{}. {text}", n + 1) } else { format!("- {text}") }
                },
            )
            .collect();
        self.count(if numbered { Proof::Order } else { Proof::Words }, items.len());
        self.cites.extend(items.into_iter().flat_map(|(_, cites)| cites));
        self.blocks.push(lines.join("\n"));
    }

    /// Adds a piece of code as it stands in a file.
    pub(crate) fn code(&mut self, language: &str, text: &str, cite: Cite) {
        self.paragraph();
        let fence = if text.contains("```") { "````" } else { "```" };
        self.blocks.push(format!("{fence}{language}\n{text}\n{fence}"));
        self.shown += 1;
        self.cites.push(cite);
    }

    /// Ends the open paragraph.
    pub(crate) fn paragraph(&mut self) {
        if !self.open.is_empty() {
            let space = if self.wording.is_chinese() { "" } else { " " };
            self.blocks.push(std::mem::take(&mut self.open).join(space));
        }
    }

    /// Whether this answer doesn't say this yet. Each record is read alone: what belongs to it is told, whatever others
    /// told before.
    pub(crate) fn is_new(&self, text: &str) -> bool {
        let core = essence(voice::bare(text));
        core.len() < SHORT || !self.said.iter().any(|s| s.contains(&core))
    }

    /// Whether no earlier record says this either: a remark that an answer can do without is made once.
    pub(crate) fn is_news(&self, text: &str) -> bool {
        let core = essence(voice::bare(text));
        self.is_new(text) && (core.len() < SHORT || !self.earlier.contains(&core))
    }

    /// Marks a quoted text as said.
    pub(crate) fn remember(&mut self, text: &str) {
        self.said.insert(essence(voice::bare(text)));
    }

    /// A word to find the record by.
    pub(crate) fn tag(&mut self, tag: &str) {
        let tag = tag.trim().to_owned();
        if !tag.is_empty() && !self.tags.contains(&tag) {
            self.tags.push(tag);
        }
    }

    /// Something the answer names and nobody has explained yet.
    pub(crate) fn gap(&mut self, what: String) {
        if !self.gaps.contains(&what) {
            self.gaps.push(what);
        }
    }

    /// Takes back all that was said: it is no answer.
    pub(crate) fn discard(&mut self) {
        self.blocks.clear();
        self.open.clear();
        self.cites.clear();
        (self.proven, self.shown) = ([0; 3], 0);
    }

    /// How much there is to read: statements, and pieces of code.
    pub(crate) fn substance(&self) -> usize {
        self.statements() + self.shown
    }

    fn statements(&self) -> usize {
        self.proven.iter().sum()
    }

    fn count(&mut self, proof: Proof, more: usize) {
        if let Some(count) = self.proven.get_mut(proof as usize) {
            *count += more;
        }
    }

    /// How sure the answer is: the mean of its statements, less where there are few of them.
    pub(crate) fn confidence(&self) -> f32 {
        let all = self.statements() as f32;
        let kinds = [Proof::Code, Proof::Words, Proof::Order];
        let sum: f32 = kinds.iter().zip(self.proven).map(|(p, n)| p.trust() * n as f32).sum();
        sum / all.max(1.0) * (1.0 - 0.4 / (all + 0.5))
    }

    /// The answer as Markdown, its citations, tags and gaps.
    pub(crate) fn finish(mut self) -> (String, Vec<Cite>, Vec<String>, Vec<String>) {
        self.paragraph();
        (self.blocks.join("\n\n"), self.cites, self.tags, self.gaps)
    }
}

/// A text without what changes from quotation to quotation: letters and digits only, in lower case.
fn essence(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
