//! A section of the README, or of any document where there is no code: what it tells of one topic, its example, and the
//! thing of the code that it documents.

use std::collections::BTreeSet;

use ouro_core::{
    Level, QuestionType,
    analysis::{CitedText, Document, Heading},
};

use super::{
    Ask, Inquiry,
    usage::{opening, shows_usage},
};
use crate::offline::{
    draft::Draft,
    evidence::{Cite, Evidence},
    facets,
    facts::{Facts, SymbolId, is_callable, is_type},
    plan::Wants,
    prose::{self, Block, NumberedLine},
    subject::Subject,
    voice,
    wording::Wording,
};

/// Most lines of a section that are read.
const MOST_LINES: u32 = 160;
/// Most sentences of its own that are told.
const MOST_SENTENCES: usize = 3;
/// Most of its list items, or of the parts under it, that are told.
const MOST_ITEMS: usize = 6;
/// Most examples of its parts that are shown.
const MOST_EXAMPLES: usize = 3;

/// Words of headings under which a README speaks of anything but what the code does.
const ASIDE: [&str; 47] = [
    "install",
    "cloning the",
    "clone the",
    "licen",
    "contribut",
    "sponsor",
    "backer",
    "related",
    "acknowledg",
    "thank",
    "credit",
    "changelog",
    "change log",
    "history",
    "release",
    "author",
    "maintain",
    "support",
    "community",
    "contact",
    "contents",
    "badge",
    "link",
    "resource",
    "similar",
    "alternative",
    "donat",
    "fund",
    "security",
    "bug",
    "third-party",
    "who ",
    "team",
    "development",
    "roadmap",
    "migrat",
    "upgrad",
    "deprecat",
    "breaking",
    "comparison",
    "benchmark",
    "faq",
    "安装",
    "许可",
    "贡献",
    "赞助",
    "致谢",
];

/// A section that is worth a record.
pub(crate) struct Section {
    subject: Subject,
    title: String,
    path: String,
    start: u32,
    end: u32,
    thing: Option<SymbolId>,
}

/// What stands under one heading.
#[derive(Default)]
struct Part {
    title: String,
    blocks: Vec<Block>,
}

impl Section {
    /// The sections that say something of what the code does: those about one thing of the code first, then those with a
    /// name of code for their heading, then the others, each in their order. One that `shows_usage` of the whole is left out where that has a record of its own.
    pub(crate) fn find(facts: &Facts, shows_usage: bool) -> Vec<Self> {
        let documents: Vec<&Document> = if facts.is_without_code() {
            facts.analysis().documents.iter().collect()
        } else {
            facts.readme().into_iter().collect()
        };
        let mut found: Vec<Self> =
            documents.into_iter().flat_map(|d| Self::find_in(facts, d, shows_usage)).collect();
        found.sort_by_key(|s| (s.thing.is_none(), name_of_code(&s.title).is_none()));
        found
    }

    fn find_in(facts: &Facts, document: &Document, shows_usage: bool) -> Vec<Self> {
        let told = worthwhile(document).filter(|h| !(shows_usage && self::shows_usage(&h.text)));
        // What several things have, such as an option, is a part of each of them.
        let titled = |h: &Heading| document.headings.iter().filter(|o| o.text == h.text).count();
        told.filter(|h| titled(h) == 1).map(|heading| Self::of(facts, document, heading)).collect()
    }

    /// The section with this key.
    pub(crate) fn open(facts: &Facts, key: &str) -> Option<Self> {
        let (path, title) = key.split_once('#')?;
        let document = facts.analysis().documents.iter().find(|d| d.path == path)?;
        let heading = document.headings.iter().find(|h| h.text == title)?;
        Some(Self::of(facts, document, heading))
    }

    fn of(facts: &Facts, document: &Document, heading: &Heading) -> Self {
        let next =
            document.headings.iter().find(|h| h.line > heading.line && h.level <= heading.level);
        let lines = facts.analysis().file(&document.path).map_or(heading.line, |f| f.lines);
        let end = next.map_or(lines, |h| h.line.saturating_sub(1));
        Self {
            subject: Subject::Section(format!("{}#{}", document.path, heading.text)),
            title: heading.text.clone(),
            path: document.path.clone(),
            start: heading.line,
            end: end.min(heading.line.saturating_add(MOST_LINES)),
            thing: thing(facts, &heading.text),
        }
    }

    /// The thing of the code that its heading names.
    pub(crate) fn thing(&self) -> Option<SymbolId> {
        self.thing
    }

    /// The section as it was seen: what stands under its own heading first, then what stands under those inside it.
    fn parts(&self, evidence: &Evidence) -> Vec<Part> {
        let place = CitedText { text: String::new(), start_line: self.start, end_line: self.end };
        let mut parts: Vec<Part> = Vec::new();
        for block in evidence.doc(&self.path, &place) {
            match (block, parts.last_mut()) {
                (Block::Heading(title, _), _) => parts.push(Part { title, ..Part::default() }),
                (block, Some(part)) => part.blocks.push(block),
                (_, None) => {}
            }
        }
        parts
    }
}

/// The headings with enough under them to tell: of one with several such inside, these.
fn worthwhile(document: &Document) -> impl Iterator<Item = &Heading> {
    let title = document.title.as_ref().map_or(0, |t| t.start_line);
    let mut inside: Option<u8> = None;
    document.headings.iter().enumerate().filter_map(move |(at, heading)| {
        if inside.is_some_and(|level| heading.level > level) {
            return None;
        }
        inside = None;
        let below = document.headings.get(at + 1..).unwrap_or_default();
        let below = below.iter().take_while(|h| h.level > heading.level && heading.line != title);
        let filled = below.clone().filter(|h| h.content > 0);
        if is_aside(&heading.text) {
            inside = Some(heading.level);
            return None;
        }
        let is_chapter = filled.clone().filter(|h| h.level == heading.level + 1).count() >= 3;
        if heading.line == title || heading.content == 0 || is_chapter {
            return None;
        }
        inside = Some(heading.level);
        (heading.content + filled.map(|h| h.content).sum::<u32>() >= 2).then_some(heading)
    })
}

fn is_aside(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    // Who begins to read doesn't come from another version.
    let is_version = |word: &str| {
        word.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    heading.split_whitespace().any(is_version)
        || ASIDE
            .iter()
            .any(|word| heading.starts_with(word) || heading.contains(&format!(" {}", word.trim())))
}

/// What a heading names that is written like code, and what that belongs to: `uuid.parse(str)`, `limitFunction`. A plain
/// word is a title.
fn name_of_code(heading: &str) -> Option<(&str, &str)> {
    let written = heading.split(['(', '[']).next()?.trim();
    let is_call = heading.get(written.len()..)?.starts_with('(');
    let (owner, name) = written.rsplit_once(['.', '#', ':']).unwrap_or(("", written));
    let owner = owner.trim_end_matches(':');
    let is_name = |n: &str| {
        !n.is_empty() && n.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
    };
    let is_code = is_call || !owner.is_empty() || facets::word_count(name) >= 2;
    (is_name(name) && is_code && (owner.is_empty() || is_name(owner))).then_some((owner, name))
}

/// The one thing of the code that a heading is the name of.
fn thing(facts: &Facts, heading: &str) -> Option<SymbolId> {
    let (owner, name) = name_of_code(heading)?;
    let plain = |text: &str| text.to_lowercase();
    let of_package = owner.is_empty() || plain(owner) == plain(facts.name());
    let found = facts.ids().filter(|(id, s)| {
        let belongs = match facts.owner(*id).and_then(|o| facts.symbol(o)) {
            None => of_package,
            Some(o) => !owner.is_empty() && plain(&o.name).contains(&plain(owner)),
        };
        let shown = is_callable(s.kind) || is_type(s.kind);
        s.name == name && shown && s.exported && belongs && facts.is_product(*id)
    });
    let found: Vec<SymbolId> = found.map(|(id, _)| id).collect();
    let labels: BTreeSet<String> = found.iter().map(|id| facts.label(*id)).collect();
    let declares = |id: &SymbolId| facts.path(*id).ends_with(".d.ts");
    let best = found.into_iter().max_by(|a, b| {
        let weight = facts.weight(*a).total_cmp(&facts.weight(*b));
        declares(b).cmp(&declares(a)).then(weight).then(b.cmp(a))
    });
    best.filter(|_| labels.len() == 1)
}

impl Inquiry for Section {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn level(&self) -> Level {
        Level::Domain
    }

    fn question_type(&self) -> QuestionType {
        QuestionType::BusinessLogic
    }

    fn module(&self, _: &Facts) -> String {
        String::new()
    }

    fn ask(&self, facts: &Facts, wording: Wording) -> Ask {
        let key = if self.thing.is_some() { "section_thing" } else { "section" };
        let title = wording.quote(&self.title);
        Ask { key, values: vec![("name", facts.name().to_owned()), ("title", title)] }
    }

    fn wants(&self, facts: &Facts, _: &Evidence) -> Wants {
        let mut wants = Wants::default();
        wants.lines(&self.path, self.start, self.end);
        if let Some(id) = self.thing {
            wants.declaration(facts, id, 0);
            for failure in facets::failures_of(facts, &[id]).iter().take(2) {
                facets::want_failure(&mut wants, facts, failure);
            }
        }
        wants
    }

    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let parts = self.parts(draft.evidence);
        let Some((own, inner)) = parts.split_first() else { return };
        draft.tag(&self.title);
        self.introduce(facts, draft, &own.blocks);
        self.items(draft, &own.blocks);
        let title = draft.wording.quote(&self.title);
        let shown = self.examples(draft, "section.example", &title, &own.blocks, 1);
        self.inner(draft, inner, shown);
        if let Some(id) = self.thing {
            draft.paragraph();
            facets::failures(draft, facts, &facets::failures_of(facts, &[id]), 2);
        }
    }
}

impl Section {
    /// What it says in sentences of its own, and where the thing is that it documents.
    fn introduce(&self, facts: &Facts, draft: &mut Draft<'_>, own: &[Block]) {
        let evidence = draft.evidence;
        // What it begins with may stand in the code too, but the rest says little without it.
        let sentences = prose::statements(own).into_iter().enumerate();
        let sentences = sentences.filter(|(n, s)| *n == 0 || draft.is_new(&s.text)).map(|(_, s)| s);
        let told = sentences.filter_map(|s| Some((evidence.cite(&self.path, s.start, s.end)?, s)));
        let told: Vec<_> = told.map(|(cite, s)| (s, cite)).take(MOST_SENTENCES).collect();
        let declared = self.thing.and_then(|id| Some((id, facets::declared_at(draft, facts, id)?)));
        match declared {
            Some((id, cite)) => {
                let label = facts.label(id);
                draft.describe(&label, &label, None, &told, MOST_SENTENCES);
                let kind = facets::kind_word(facts, id, draft.wording);
                let values = [("name", label.as_str()), ("kind", &kind), ("at", &cite.to_string())];
                draft.say("section.thing", vec![cite], &values);
                draft.tag(&label);
            }
            None => self.quote(draft, &told),
        }
    }

    /// Its first sentences, as its own words.
    fn quote(&self, draft: &mut Draft<'_>, told: &[(prose::Sentence, Cite)]) {
        let wording = draft.wording;
        for (turn, (sentence, cite)) in told.iter().enumerate() {
            let follows = turn > 0;
            if follows && voice::points_back(&sentence.text, true) {
                continue;
            }
            draft.remember(&sentence.text);
            let at = cite.to_string();
            if follows {
                let said = voice::go_on(wording, turn, sentence);
                let text = format!("{said}{}{}", wording.aside(&at), wording.stop());
                draft.state(text, vec![cite.clone()]);
                continue;
            }
            let (title, quote) =
                (wording.quote(&self.title), wording.quote(voice::bare(&sentence.text)));
            let values = [("title", title.as_str()), ("quote", &quote), ("at", &at)];
            draft.say("section.says", vec![cite.clone()], &values);
        }
    }

    /// What it lists.
    fn items(&self, draft: &mut Draft<'_>, own: &[Block]) {
        let mut items = Vec::new();
        for block in own {
            let Block::Item(sentences) = block else { continue };
            let told = sentences.first().filter(|s| s.is_quotable() && draft.is_new(&s.text));
            let cited =
                told.and_then(|s| Some((s, draft.evidence.cite(&self.path, s.start, s.end)?)));
            let Some((sentence, cite)) = cited.filter(|_| items.len() < MOST_ITEMS) else {
                continue;
            };
            draft.remember(&sentence.text);
            let values = [("text", voice::bare(&sentence.text)), ("at", &cite.to_string())];
            items.push((draft.wording.phrase("section.item", "", &values), vec![cite]));
        }
        draft.say_lead("section.items", &items, &[("title", &self.title)]);
        draft.list(false, items);
    }

    /// What the headings inside it tell: a sentence of each, or its example where none was shown yet.
    fn inner(&self, draft: &mut Draft<'_>, inner: &[Part], shown: usize) {
        let mut items = Vec::new();
        let mut silent = Vec::new();
        for part in inner {
            let told = prose::statements(&part.blocks).into_iter().find(|s| draft.is_new(&s.text));
            let cited =
                told.and_then(|s| Some((draft.evidence.cite(&self.path, s.start, s.end)?, s)));
            let Some((cite, sentence)) = cited else {
                silent.push(part);
                continue;
            };
            if items.len() < MOST_ITEMS {
                draft.remember(&sentence.text);
                let title = draft.wording.quote(&part.title);
                let (text, at) = (voice::bare(&sentence.text), cite.to_string());
                let values = [("title", title.as_str()), ("text", text), ("at", &at)];
                items.push((draft.wording.phrase("section.part", "", &values), vec![cite]));
            }
        }
        draft.say_lead("section.parts", &items, &[("title", &self.title)]);
        draft.list(false, items);
        let mut left = MOST_EXAMPLES.saturating_sub(shown);
        for part in silent {
            let title = draft.wording.quote(&part.title);
            let key =
                if shows_usage(&part.title) { "section.example" } else { "section.part_example" };
            left -= self.examples(draft, key, &title, &part.blocks, left.min(1));
        }
    }

    /// Shows up to `most` examples that were not shown yet. Returns how many.
    fn examples(
        &self,
        draft: &mut Draft<'_>,
        key: &str,
        title: &str,
        blocks: &[Block],
        most: usize,
    ) -> usize {
        let mut shown = 0;
        for block in blocks {
            let Block::Code(language, lines) = block else { continue };
            let text = code(opening(lines));
            let (Some((first, _)), Some((last, _))) = (lines.first(), opening(lines).last()) else {
                continue;
            };
            let is_shell = lines.iter().any(|(_, l)| l.trim_start().starts_with("$ "));
            let cite = draft.evidence.cite(&self.path, *first, *last);
            let Some(cite) = cite.filter(|_| shown < most && !is_shell && draft.is_new(&text))
            else {
                continue;
            };
            draft.remember(&text);
            let at = cite.to_string();
            draft.say(key, vec![cite.clone()], &[("title", title), ("at", &at)]);
            let cut = if opening(lines).len() < lines.len() { "\n…" } else { "" };
            draft.code(language, &format!("{text}{cut}"), cite);
            shown += 1;
        }
        shown
    }
}

/// The lines of an example as they stand in their file.
fn code(lines: &[NumberedLine]) -> String {
    lines.iter().map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n")
}
