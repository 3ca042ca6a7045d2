//! The first example of the project's own documentation, and where each piece of it is implemented.

use std::collections::BTreeSet;

use ouro_core::{
    Level, QuestionType,
    analysis::{CitedText, FileRole, ReferenceKind},
};

use super::{
    Ask, Inquiry,
    flow::steps_of,
    naming::{likely, made_by, pieces, words},
    overview::is_root_file,
    start::{known, start},
};
use crate::offline::{
    code,
    draft::Draft,
    evidence::{Cite, Evidence},
    facets,
    facts::{Facts, SymbolId, is_callable, is_readme},
    plan::Wants,
    prose::{Block, NumberedLine},
    subject::Subject,
    wording::Wording,
};

/// Most lines of prose that are searched for an example.
const MOST_LINES: u32 = 200;
/// Most lines of an example that are shown.
const MOST_SHOWN: usize = 30;

/// Fewest things behind an example that are told.
const BEHIND: usize = 2;

/// The documentation's example.
pub(crate) struct Usage {
    subject: Subject,
    /// Where an example may stand, the likeliest place first.
    places: Vec<(String, CitedText)>,
    /// A test or example function that shows as much, should the documentation hold none.
    shown_by: Option<SymbolId>,
    likely: Vec<SymbolId>,
}

/// An example that was seen.
struct Example {
    path: String,
    language: String,
    lines: Vec<NumberedLine>,
    pieces: Vec<SymbolId>,
    /// Further examples of the same kind.
    more: Vec<Vec<NumberedLine>>,
}

impl Usage {
    /// Opens it, if there is a README or a documentation that may hold an example.
    pub(crate) fn open(facts: &Facts) -> Option<Self> {
        let analysis = facts.analysis();
        let mut places = Vec::new();
        let readme = facts.readme();
        if let Some(readme) = readme {
            let end_line = analysis.file(&readme.path).map_or(0, |f| f.lines.min(MOST_LINES));
            places.push((
                readme.path.clone(),
                CitedText { text: String::new(), start_line: 1, end_line },
            ));
        }
        let files = analysis.files.iter().filter(|f| {
            f.role == FileRole::Source && is_root_file(&f.path) && !f.path.contains("test")
        });
        let files = files.filter_map(|f| Some((f.path.clone(), f.doc.clone()?)));
        // What is read first shows its use before what is only much used.
        let first = known(facts).filter(|id| facts.is_thing(*id));
        let types = facts.types().iter().copied().filter(|id| Some(*id) != first).take(2);
        let types = first
            .into_iter()
            .chain(types)
            .filter_map(|id| Some((facts.path(id).to_owned(), facts.symbol(id)?.doc.clone()?)));
        places.extend(files.chain(types).filter(|(path, doc)| holds_code(path, &doc.text)).take(3));
        let likely = likely(facts);
        let shown_by = shown_by(facts, &likely);
        let headed = readme.is_some_and(|r| r.headings.iter().any(|h| shows_usage(&h.text)));
        // An example needs no heading of its own where it calls what the project offers.
        let calls = readme.map_or(&[][..], |r| &r.calls);
        let offers = |name: &String| {
            likely.iter().any(|id| facts.symbol(*id).is_some_and(|s| s.name == *name))
        };
        let told = headed
            || calls.iter().any(offers)
            || places.iter().any(|(_, doc)| !doc.text.is_empty());
        let open = !likely.is_empty() && (told || shown_by.is_some());
        open.then_some(Self { subject: Subject::Usage, places, shown_by, likely })
    }

    /// The things that the example of the project's introduction names, as far as it was seen, and whether the first of
    /// them stands there as a decorator.
    pub(super) fn introduces(&self, facts: &Facts, evidence: &Evidence) -> (Vec<SymbolId>, bool) {
        let own = self.shown_by.map_or("", |id| facts.path(id));
        let example = self.example(facts, evidence);
        let is_front = |path: &str| facts.readme().is_some_and(|readme| readme.path == path);
        let speaks = |path: &str| is_root_file(path) || is_readme(path) || is_front(path);
        let example = example.filter(|e| e.path != own && speaks(&e.path));
        let Some(example) = example else { return (Vec::new(), false) };
        let first = example.pieces.first().and_then(|id| facts.symbol(*id));
        let decorates = first.is_some_and(|s| {
            let mark = |line: &str| {
                let name = line.trim_start_matches(['>', '.', ' ']).strip_prefix('@');
                name.is_some_and(|n| n.split('(').next().is_some_and(|n| n.ends_with(&s.name)))
            };
            example.lines.iter().any(|(_, line)| mark(line))
        });
        (example.pieces, decorates)
    }

    /// The first example in what was seen that names anything of the project.
    fn example(&self, facts: &Facts, evidence: &Evidence) -> Option<Example> {
        let language = facts.analysis().languages.first().map_or("", |l| l.language.as_str());
        let mut found: Vec<Example> = Vec::new();
        // Shows the project, though none of what it names was recognised.
        let mut plain = None;
        let project = facts.name().to_lowercase();
        // How the project is called as a program.
        let mut command: Option<Example> = None;
        for (path, doc) in &self.places {
            for block in evidence.doc(path, doc) {
                let Block::Code(tag, lines) = block else { continue };
                if is_cut(facts, path, doc, &lines) {
                    continue;
                }
                if is_command(facts, &tag, &lines) && lines.len() <= MOST_SHOWN {
                    match &mut command {
                        None => {
                            let (path, language) = (path.clone(), "sh".to_owned());
                            let (pieces, more) = (Vec::new(), Vec::new());
                            command = Some(Example { path, language, lines, pieces, more });
                        }
                        Some(first)
                            if first.path == *path
                                && first.more.len() < MOST_MORE
                                && lines.len() <= MOST_BESIDE =>
                        {
                            first.more.push(lines);
                        }
                        Some(_) => {}
                    }
                    continue;
                }
                let fits = tag.is_empty() || speaks(&tag, language);
                let shell = lines.iter().any(|(_, t)| t.trim_start().starts_with("$ "));
                let pieces = pieces(facts, path, opening(&lines), &self.likely);
                if !fits || shell || lines.len() < 2 {
                    continue;
                }
                let named = lines.iter().any(|(_, t)| t.to_lowercase().contains(&project));
                let empty = pieces.is_empty();
                let more = Vec::new();
                let example = Example { path: path.clone(), language: tag, lines, pieces, more };
                if !empty {
                    found.push(example);
                } else if named && !example.language.is_empty() && plain.is_none() {
                    plain = Some(example);
                }
            }
        }
        // Of a library that code is its use which stands before what starts it.
        let line = |example: &Example| example.lines.first().map(|(line, _)| *line);
        let stands_before = |code: &Example, started: &Example| {
            code.path == started.path && line(code) < line(started) && facts.offers_library()
        };
        let is_code =
            plain.as_ref().zip(command.as_ref()).is_some_and(|(p, c)| stands_before(p, c));
        if found.is_empty() && command.is_some() && !is_code {
            return command;
        }
        // A test shows less of what the project is for than any example that was written to show it.
        let is_sample =
            |id: &SymbolId| facts.file(*id).is_some_and(|f| f.role == FileRole::Example);
        if let Some(id) = self.shown_by.filter(|id| found.is_empty() || is_sample(id))
            && let Some(symbol) = facts.symbol(id)
        {
            let path = facts.path(id).to_owned();
            let lines = evidence.lines(&path, symbol.start_line, symbol.end_line);
            let mut pieces = pieces(facts, &path, opening(&lines), &self.likely);
            // Its imports stand elsewhere: what it really uses is known.
            let used: BTreeSet<SymbolId> = facts.outgoing(id).iter().map(|r| r.to).collect();
            pieces.retain(|p| used.contains(p));
            let refused = lines.iter().any(|(_, t)| expects_failure(t));
            if !pieces.is_empty() && !refused {
                let (language, more) = (language.to_owned(), Vec::new());
                found.push(Example { path, language, lines, pieces, more });
            }
        }
        // The first that shows more than one thing; of those that show one, the first.
        let tells = |e: &Example| e.pieces.len() >= 2 || behind(facts, &e.pieces).len() >= BEHIND;
        let best = found.iter().position(tells).unwrap_or(0);
        if best < found.len() { Some(found.swap_remove(best)) } else { plain }
    }
}

/// Most examples of a program's use that are shown beside the first.
const MOST_MORE: usize = 2;

/// Most lines of one of them: what the program answers stands there, too.
const MOST_BESIDE: usize = 6;

/// Whether these lines call the project as a program, as it is called on a terminal: no other program comes first.
fn is_command(facts: &Facts, tag: &str, lines: &[NumberedLine]) -> bool {
    let shells = ["", "sh", "bash", "shell", "console", "zsh", "shell-session", "text", "term"];
    let mut said = lines.iter().map(|(_, text)| text.trim()).filter(|t| !t.is_empty());
    let Some(first) = said.find(|text| !text.starts_with("# ")) else { return false };
    let line = first.trim_start_matches(['$', '>', '%', ' ']);
    let runners = ["npx ", "bunx ", "uvx ", "pipx run ", "go run ", "sudo "];
    let line = runners.iter().find_map(|runner| line.strip_prefix(runner)).unwrap_or(line);
    let (name, given) = line.split_once(' ').unwrap_or((line, ""));
    let own = facts.programs().any(|e| e.name == name && name.len() > 1);
    // How it is set up or asked for its version shows no use of it.
    let tells = !given.is_empty() && !["--version", "--help", "-h", "-V"].contains(&given.trim());
    shells.contains(&tag.to_lowercase().as_str()) && own && tells
}

/// Whether a heading promises an example of the whole.
pub(super) fn shows_usage(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    let telling = ["usage", "example", "start", "how to", "synopsis", "tutorial", "basic"];
    telling.iter().any(|t| heading.contains(t))
}

/// The shortest example or test function that works with most of what matters.
fn shown_by(facts: &Facts, likely: &[SymbolId]) -> Option<SymbolId> {
    let likely: BTreeSet<SymbolId> = likely.iter().copied().take(40).collect();
    facts
        .ids()
        .filter(|(id, s)| {
            let example = facts.file(*id).is_some_and(|f| f.role == FileRole::Example);
            let name = s.name.to_lowercase();
            let odd = [
                "error", "fail", "invalid", "raise", "throw", "panic", "bad", "wrong", "regress",
                "bug",
            ];
            let odd = odd.iter().any(|w| name.contains(w) || facts.path(*id).contains(w));
            is_callable(s.kind) && !odd && (example || facts.is_test_function(*id))
        })
        .filter_map(|(id, s)| {
            let lines = s.end_line.saturating_sub(s.start_line);
            let used: BTreeSet<SymbolId> = facts.outgoing(id).iter().map(|r| r.to).collect();
            let used = used.intersection(&likely).count();
            let example = facts.file(id).is_some_and(|f| f.role == FileRole::Example);
            let worth = used + if example { 2 } else { 0 };
            (used >= 2 && (4..=22).contains(&lines)).then_some((id, worth, lines))
        })
        .max_by_key(|(id, worth, lines)| {
            (*worth, std::cmp::Reverse(*lines), std::cmp::Reverse(*id))
        })
        .map(|(id, ..)| id)
}

/// Whether a line of a test waits for a failure.
fn expects_failure(line: &str) -> bool {
    let marks = [
        "raises(",
        "assertThrows",
        "toThrow",
        "should_panic",
        "assertFailsWith",
        "unwrap_err",
        "is_err()",
    ];
    marks.iter().any(|m| line.contains(m))
}

/// Whether a documentation shows code.
fn holds_code(path: &str, text: &str) -> bool {
    // Go shows code by indentation alone.
    if path.ends_with(".go") {
        return text.contains("\n\t") || text.contains("\n ");
    }
    ["```", "<pre", ">>> ", "::\n", "@example"].iter().any(|mark| text.contains(mark))
}

impl Inquiry for Usage {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn level(&self) -> Level {
        Level::Foundation
    }

    fn question_type(&self) -> QuestionType {
        QuestionType::BusinessLogic
    }

    fn module(&self, _: &Facts) -> String {
        String::new()
    }

    fn ask(&self, facts: &Facts, _: Wording) -> Ask {
        let path = self.places.first().map_or("", |(path, _)| path.as_str());
        Ask {
            key: "usage",
            values: vec![("name", facts.name().to_owned()), ("path", path.to_owned())],
        }
    }

    fn wants(&self, facts: &Facts, seen: &Evidence) -> Wants {
        let mut wants = Wants::default();
        let example = self.example(facts, seen).filter(|e| !e.pieces.is_empty());
        if let Some(example) = example {
            for id in example.pieces.iter().chain(&behind(facts, &example.pieces)) {
                wants.declaration(facts, *id, 0);
            }
            for renamed in renamed(facts, &example) {
                wants.lines(renamed.path, renamed.line, renamed.line);
            }
            return wants;
        }
        // One line behind the introduction, before all that can be read is taken by what else may hold an example.
        let mut places = self.places.iter();
        let mut read = |wants: &mut Wants, most: usize| {
            for (path, doc) in places.by_ref().take(most) {
                wants.lines(path, doc.start_line, doc.end_line.min(doc.start_line + MOST_LINES));
            }
        };
        read(&mut wants, 1);
        if let Some((id, symbol)) = start(facts, seen).and_then(|id| Some((id, facts.symbol(id)?)))
        {
            wants.lines(facts.path(id), symbol.line, symbol.line);
        }
        read(&mut wants, usize::MAX);
        if let Some(id) = self.shown_by {
            wants.declaration(facts, id, 40);
        }
        wants
    }

    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let Some(example) = self.example(facts, draft.evidence) else { return };
        let shown = opening(&example.lines);
        let (Some((first, _)), Some((last, _))) = (shown.first(), shown.last()) else { return };
        let Some(cite) = draft.evidence.cite(&example.path, *first, *last) else { return };
        let mut seen = BTreeSet::new();
        let pieces = example.pieces.iter().copied();
        let pieces: Vec<SymbolId> =
            pieces.filter(|p| facts.symbol(*p).is_some_and(|s| seen.insert(&s.name))).collect();
        let items = facets::items(draft, facts, &pieces, 5, true);
        if items.is_empty() {
            plainly(facts, draft, &example, cite);
            return;
        }
        let name = facts.name().to_owned();
        let names: Vec<String> = pieces
            .iter()
            .take(3)
            .filter_map(|p| facts.symbol(*p))
            .map(|s| format!("`{}`", s.name))
            .collect();
        let values = [
            ("at", cite.to_string()),
            ("list", draft.wording.list(&names)),
            ("name", name.clone()),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let own = self.shown_by.is_some_and(|id| facts.path(id) == example.path);
        draft.say(if own { "usage.tested" } else { "usage.shown" }, vec![cite.clone()], &values);
        show(facts, draft, &example, cite);
        for Renamed { id, alias, path, line } in renamed(facts, &example) {
            let Some(cite) = draft.evidence.cite_naming(path, line, alias) else { continue };
            let (name, at) = (facts.label(id), cite.to_string());
            let values = [("alias", alias), ("name", name.as_str()), ("at", at.as_str())];
            draft.say("usage.alias", vec![cite], &values);
        }
        draft.say_lead("usage.pieces", &items, &[("name", &name)]);
        draft.list(false, items);
        let behind = facets::items(draft, facts, &behind(facts, &example.pieces), 4, false);
        if behind.len() >= BEHIND {
            draft.say_lead("usage.behind", &behind, &[("name", &name)]);
            draft.list(false, behind);
        }
        for id in &example.pieces {
            if let Some(symbol) = facts.symbol(*id) {
                draft.tag(&symbol.name);
            }
        }
    }
}

/// A thing that an example knows by another name than its own, and where it may be handed on under that.
struct Renamed<'f> {
    id: SymbolId,
    alias: &'f str,
    path: &'f str,
    line: u32,
}

fn renamed<'f>(facts: &'f Facts, example: &Example) -> Vec<Renamed<'f>> {
    let mut found = Vec::new();
    for id in example.pieces.iter().copied() {
        let named = |alias: &&str| {
            example.lines.iter().any(|(_, line)| words(line).any(|word| word == *alias))
        };
        for alias in facts.aliases(id).filter(named) {
            let imports = facts.incoming(id).filter(|r| r.kind == ReferenceKind::Import);
            found.extend(imports.filter_map(|r| {
                let path = facts.analysis().files.get(r.from_file)?.path.as_str();
                is_root_file(path).then_some(Renamed { id, alias, path, line: r.line })
            }));
        }
    }
    found
}

/// Shows an example of which nothing was recognised, and where to enter the code instead.
fn plainly(facts: &Facts, draft: &mut Draft<'_>, example: &Example, cite: Cite) {
    let at = cite.to_string();
    draft.say("usage.plain", vec![cite.clone()], &[("at", &at), ("name", facts.name())]);
    show(facts, draft, example, cite);
    for lines in &example.more {
        let (Some((first, _)), Some((last, _))) = (lines.first(), lines.last()) else { continue };
        let Some(cite) = draft.evidence.cite(&example.path, *first, *last) else { continue };
        draft.say("usage.another", vec![cite.clone()], &[("at", &cite.to_string())]);
        let filled = lines.iter().filter(|(_, t)| !t.trim().is_empty());
        let indent = filled.map(|(_, t)| code::indent(t)).min().unwrap_or(0);
        let text: Vec<&str> = lines.iter().map(|(_, t)| code::unindented(t, indent)).collect();
        draft.code(&example.language, text.join("\n").trim_end(), cite);
    }
    let Some(id) = start(facts, draft.evidence) else { return };
    if let Some(cite) = facets::declared_at(draft, facts, id) {
        let (name, kind) = (facts.label(id), facets::kind_word(facts, id, draft.wording));
        let values = [("name", name.as_str()), ("kind", &kind), ("at", &cite.to_string())];
        draft.say("usage.enter", vec![cite], &values);
    }
}

/// The example as it stands in its file.
fn show(facts: &Facts, draft: &mut Draft<'_>, example: &Example, cite: Cite) {
    let shown = opening(&example.lines);
    let filled = shown.iter().filter(|(_, t)| !t.trim().is_empty());
    let indent = filled.map(|(_, t)| code::indent(t)).min().unwrap_or(0);
    let text: Vec<String> = shown
        .iter()
        .map(|(_, t)| entities(&example.path, code::unindented(t, indent)))
        .filter(|t| !is_hidden(example, t))
        .collect();
    let main = facts.analysis().languages.first().map_or("", |l| l.language.as_str());
    let language = if example.language.is_empty() { main } else { example.language.as_str() };
    let mut text = text.join("\n");
    if shown.last() != example.lines.last() {
        text.push_str("\n…");
    }
    draft.code(language, text.trim_end(), cite);
}

/// What the pieces of a small example lead to: the chain of calls behind them, as far as it is documented.
fn behind(facts: &Facts, pieces: &[SymbolId]) -> Vec<SymbolId> {
    let name = |id: SymbolId| facts.symbol(id).map(|s| s.name.as_str());
    let mut chain: Vec<SymbolId> = Vec::new();
    if pieces.len() > 2 {
        return chain;
    }
    for piece in pieces.iter().filter(|p| facts.symbol(**p).is_some_and(|s| is_callable(s.kind))) {
        // What it hands out is what goes on being worked with.
        let made = made_by(facts, *piece);
        let says = |id: &SymbolId| facts.symbol(*id).is_some_and(|s| s.doc.is_some());
        chain.extend(made.filter(|id| says(id) && !pieces.contains(id) && !chain.contains(id)));
        let mut at = *piece;
        for _ in 0..3 {
            let next = steps_of(facts, at)
                .into_iter()
                .map(|r| r.to)
                .filter(|id| facts.symbol(*id).is_some_and(|s| s.doc.is_some()))
                .filter(|id| !pieces.contains(id) && !chain.contains(id))
                .max_by(|a, b| facts.weight(*a).total_cmp(&facts.weight(*b)).then(b.cmp(a)));
            let Some(next) = next else { break };
            // What only hands on has said it.
            if name(next) != name(at) {
                chain.push(next);
            }
            at = next;
        }
    }
    chain
}

/// The first lines of an example: a long one is cut where a statement ends, as far out of blocks as can be.
pub(super) fn opening(lines: &[NumberedLine]) -> &[NumberedLine] {
    if lines.len() <= MOST_SHOWN {
        return lines;
    }
    let shown = cut(lines);
    // What is imported, and said before the first thing is done, shows no use.
    match lines.iter().position(|(_, text)| is_done(text)) {
        Some(first) if first >= shown.len() => opening(lines.get(first..).unwrap_or_default()),
        _ => shown,
    }
}

/// Whether a line does something: it is no comment, and imports nothing.
fn is_done(line: &str) -> bool {
    let text = line.trim();
    let before = ["//", "#", "/*", "*", "import ", "from ", "use ", "package "];
    let requires = text.contains("require(") || text.starts_with('}') && text.contains(" from ");
    !text.is_empty() && !requires && !before.iter().any(|start| text.starts_with(start))
}

/// The first lines, up to where they are cut best.
fn cut(lines: &[NumberedLine]) -> &[NumberedLine] {
    let (mut depth, mut in_text) = (0_i32, false);
    let mut best: Option<(i32, usize)> = None;
    for (count, (_, text)) in (1..).zip(lines).take(MOST_SHOWN) {
        in_text ^= (text.matches("\"\"\"").count() + text.matches("'''").count()) % 2 == 1;
        depth += text
            .chars()
            .map(|c| i32::from("([{".contains(c)) - i32::from(")]}".contains(c)))
            .sum::<i32>();
        let next = lines.get(count).map_or("", |(_, t)| t.as_str());
        let inside = code::indent(next) > code::indent(text) && !next.trim().is_empty();
        let ends =
            !in_text && !inside && !text.trim_end().ends_with([',', '(', '[', '=', '\\', ':']);
        let goes_on = next.trim_start().starts_with(['.', ')', ']', '}']);
        if ends && !goes_on && count >= 4 && !text.trim().is_empty() {
            let nested = depth * 100 + i32::try_from(code::indent(text)).unwrap_or(0);
            // A few lines of imports are no example.
            let better = |(least, before): (i32, usize)| nested <= least || before < MOST_SHOWN / 2;
            if best.is_none_or(better) {
                best = Some((nested, count));
            }
        }
    }
    lines.get(..best.map_or(MOST_SHOWN, |(_, count)| count)).unwrap_or(lines)
}

/// Whether rustdoc hides the line.
fn is_hidden(example: &Example, line: &str) -> bool {
    let text = line.trim_start();
    example.path.ends_with(".rs") && (text == "#" || text.starts_with("# "))
}

/// Javadoc writes `<` as an entity.
fn entities(path: &str, line: &str) -> String {
    if !path.ends_with(".java") {
        return line.to_owned();
    }
    let plain = line.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    plain.replace("{@code ", "").replace("&amp;", "&")
}

/// Whether a fence's tag means the project's language.
fn speaks(tag: &str, language: &str) -> bool {
    let tag = tag.to_lowercase();
    let names: &[&str] = match language {
        "rust" => &["rust", "rs"],
        "python" => &["python", "py", "pycon", "python3"],
        "javascript" | "typescript" => {
            &["javascript", "js", "typescript", "ts", "jsx", "tsx", "mjs"]
        }
        "go" => &["go", "golang"],
        "java" | "kotlin" => &["java", "kotlin", "kt"],
        other => return tag == other,
    };
    names.iter().any(|n| {
        tag == *n || tag.starts_with(&format!("{n}-")) || tag.starts_with(&format!("{n},"))
    })
}

/// Whether an example goes on behind what is read of its file.
fn is_cut(facts: &Facts, path: &str, doc: &CitedText, lines: &[NumberedLine]) -> bool {
    let goes_on = facts.analysis().file(path).is_some_and(|file| file.lines > doc.end_line);
    goes_on && doc.text.is_empty() && lines.last().is_some_and(|(at, _)| *at >= doc.end_line)
}
