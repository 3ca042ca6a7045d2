//! The first example of the project's own documentation, and where each piece of it is implemented.

use std::collections::BTreeSet;

use ouro_core::{
    Level, QuestionType,
    analysis::{CitedText, FileRole, SymbolKind},
};

use super::{Ask, Inquiry, flow::steps_of, overview::is_root_file, typ::Type};
use crate::offline::{
    code,
    draft::Draft,
    evidence::Evidence,
    facets,
    facts::{Facts, SymbolId, is_callable, is_type},
    plan::Wants,
    prose::{Block, NumberedLine},
    subject::Subject,
    wording::Wording,
};

/// Most lines of prose that are searched for an example.
const MOST_LINES: u32 = 200;
/// Most lines of an example that are shown.
const MOST_SHOWN: usize = 20;

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
}

impl Usage {
    /// Opens it, if there is a README or a documentation that may hold an example.
    pub(crate) fn open(facts: &Facts) -> Option<Self> {
        let analysis = facts.analysis();
        let mut places = Vec::new();
        let readme = analysis.documents.iter().find(|d| {
            d.path.matches('/').count() == 0 && d.path.to_lowercase().starts_with("readme")
        });
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
        let types = Type::find(facts).into_iter().take(2);
        let types = types
            .filter_map(|id| Some((facts.path(id).to_owned(), facts.symbol(id)?.doc.clone()?)));
        places.extend(files.chain(types).filter(|(_, doc)| holds_code(&doc.text)).take(3));
        let likely = likely(facts);
        let shown_by = shown_by(facts, &likely);
        let telling = ["usage", "example", "start", "how to", "synopsis", "tutorial", "basic"];
        let headed = readme.is_some_and(|r| {
            let headings = r.headings.iter().map(|h| h.text.to_lowercase());
            headings.into_iter().any(|h| telling.iter().any(|t| h.contains(t)))
        });
        let told = headed || places.iter().any(|(_, doc)| !doc.text.is_empty());
        let open = !likely.is_empty() && (told || shown_by.is_some());
        open.then_some(Self { subject: Subject::Usage, places, shown_by, likely })
    }

    /// The first example in what was seen that names anything of the project.
    fn example(&self, facts: &Facts, evidence: &Evidence) -> Option<Example> {
        let language = facts.analysis().languages.first().map_or("", |l| l.language.as_str());
        let mut found: Vec<Example> = Vec::new();
        for (path, doc) in &self.places {
            for block in evidence.doc(path, doc) {
                let Block::Code(tag, lines) = block else { continue };
                let fits = tag.is_empty() || speaks(&tag, language);
                let shell = lines.iter().any(|(_, t)| t.trim_start().starts_with("$ "));
                let pieces = pieces(facts, opening(&lines), &self.likely);
                if fits && !shell && !pieces.is_empty() && lines.len() >= 2 {
                    found.push(Example { path: path.clone(), language: tag, lines, pieces });
                }
            }
        }
        if let Some(id) = self.shown_by
            && let Some(symbol) = facts.symbol(id)
        {
            let path = facts.path(id).to_owned();
            let lines = evidence.lines(&path, symbol.start_line, symbol.end_line);
            let pieces = pieces(facts, opening(&lines), &self.likely);
            if !pieces.is_empty() {
                found.push(Example { path, language: language.to_owned(), lines, pieces });
            }
        }
        // The first that shows more than one thing; of those that show one, the first.
        let tells = |e: &Example| e.pieces.len() >= 2 || !behind(facts, &e.pieces).is_empty();
        let best = found.iter().position(tells).unwrap_or(0);
        (best < found.len()).then(|| found.swap_remove(best))
    }
}

/// The shortest example or test function that works with most of what matters.
fn shown_by(facts: &Facts, likely: &[SymbolId]) -> Option<SymbolId> {
    let likely: BTreeSet<SymbolId> = likely.iter().copied().take(40).collect();
    facts
        .ids()
        .filter(|(id, s)| {
            let example = facts.file(*id).is_some_and(|f| f.role == FileRole::Example);
            is_callable(s.kind) && (example || facts.is_test_function(*id))
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

/// Whether a documentation shows code.
fn holds_code(text: &str) -> bool {
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
        match self.example(facts, seen) {
            Some(example) => {
                for id in example.pieces.iter().chain(&behind(facts, &example.pieces)) {
                    wants.declaration(facts, *id, 0);
                }
            }
            None => {
                for (path, doc) in &self.places {
                    wants.lines(
                        path,
                        doc.start_line,
                        doc.end_line.min(doc.start_line + MOST_LINES),
                    );
                }
                if let Some(id) = self.shown_by {
                    wants.declaration(facts, id, 40);
                }
            }
        }
        wants
    }

    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>) {
        let Some(example) = self.example(facts, draft.evidence) else { return };
        let shown = opening(&example.lines);
        let (Some((first, _)), Some((last, _))) = (shown.first(), shown.last()) else { return };
        let Some(cite) = draft.evidence.cite(&example.path, *first, *last) else { return };
        let items = facets::items(draft, facts, &example.pieces, 5, true);
        if items.is_empty() {
            return;
        }
        let name = facts.name().to_owned();
        let names: Vec<String> = example
            .pieces
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
        let indent =
            shown.iter().filter(|(_, t)| !t.trim().is_empty()).map(|(_, t)| code::indent(t)).min();
        let text: Vec<String> =
            shown.iter().map(|(_, t)| t.chars().skip(indent.unwrap_or(0)).collect()).collect();
        let text: Vec<String> = text.iter().map(|t| entities(&example.path, t)).collect();
        let text: Vec<String> = text.into_iter().filter(|t| !is_hidden(&example, t)).collect();
        let language = if example.language.is_empty() {
            facts.analysis().languages.first().map_or("", |l| l.language.as_str())
        } else {
            example.language.as_str()
        };
        draft.code(language, &text.join("\n"), cite);
        draft.say_lead("usage.pieces", &items, &[("name", &name)]);
        draft.list(false, items);
        let behind = facets::items(draft, facts, &behind(facts, &example.pieces), 4, false);
        if !behind.is_empty() {
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

/// What the pieces of a small example lead to: the chain of calls behind them, as far as it is documented.
fn behind(facts: &Facts, pieces: &[SymbolId]) -> Vec<SymbolId> {
    let mut chain: Vec<SymbolId> = Vec::new();
    if pieces.len() > 2 {
        return chain;
    }
    for piece in pieces.iter().filter(|p| facts.symbol(**p).is_some_and(|s| is_callable(s.kind))) {
        let mut at = *piece;
        for _ in 0..3 {
            let next = steps_of(facts, at)
                .into_iter()
                .map(|r| r.to)
                .filter(|id| facts.symbol(*id).is_some_and(|s| s.doc.is_some()))
                .filter(|id| !pieces.contains(id) && !chain.contains(id))
                .max_by(|a, b| facts.weight(*a).total_cmp(&facts.weight(*b)).then(b.cmp(a)));
            let Some(next) = next else { break };
            chain.push(next);
            at = next;
        }
    }
    chain
}

/// The first lines of an example: cut at an empty line where it is long.
fn opening(lines: &[NumberedLine]) -> &[NumberedLine] {
    if lines.len() <= MOST_SHOWN {
        return lines;
    }
    let head = lines.get(..MOST_SHOWN).unwrap_or(lines);
    let cut = head.iter().rposition(|(_, t)| t.trim().is_empty()).filter(|n| *n >= 4);
    head.get(..cut.unwrap_or(MOST_SHOWN)).unwrap_or(head)
}

/// A line of code without the comment at its end.
fn without_comment(line: &str) -> &str {
    let cut = ["// ", "# "].iter().filter_map(|m| line.find(m)).min();
    cut.and_then(|n| line.get(..n)).unwrap_or(line)
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

/// Documented things that an example is likely to name.
fn likely(facts: &Facts) -> Vec<SymbolId> {
    let mut found: Vec<(SymbolId, f32)> = facts
        .ids()
        .filter(|(id, s)| {
            let owner = facts.owner(*id).and_then(|o| facts.symbol(o));
            let seen = s.exported || owner.is_some_and(|o| o.exported && !s.name.starts_with('_'));
            seen && (s.doc.is_some() || is_type(s.kind)) && facts.is_product(*id)
        })
        .filter(|(id, s)| is_callable(s.kind) || (is_type(s.kind) && !facts.is_failure(*id)))
        .map(|(id, s)| {
            let owner = facts.owner(id).map_or(0.0, |o| facts.weight(o));
            let free = if s.container.is_none() { 0.5 } else { 0.0 };
            let public = if facts.is_reexported(id) { 1.0 } else { 0.0 };
            (id, facts.weight(id) + owner + free + public)
        })
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.into_iter().take(5000).map(|f| f.0).collect()
}

/// The things that an example names, in its order: a function only where it is called.
fn pieces(facts: &Facts, lines: &[NumberedLine], likely: &[SymbolId]) -> Vec<SymbolId> {
    let code: String = lines.iter().map(|(_, t)| format!("{}\n", without_comment(t))).collect();
    let words: Vec<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let known: BTreeSet<&str> = words.iter().copied().collect();
    let mut named = BTreeSet::new();
    let mut found: Vec<(usize, SymbolId)> = likely
        .iter()
        .filter_map(|id| {
            let s = facts.symbol(*id)?;
            let at = words.iter().position(|w| *w == s.name)?;
            let meant = match facts.owner(*id).filter(|_| is_callable(s.kind)) {
                Some(owner) => is_method_call(facts, owner, &s.name, &code, &known),
                None if is_callable(s.kind) => is_function_call(facts, &s.name, &code),
                None => true,
            };
            (meant && named.insert(s.name.clone())).then_some((at, *id))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().take(5).map(|f| f.1).collect()
}

/// What stands before each call of a name: `None` for nothing, else the word before the dot.
fn receivers<'c>(code: &'c str, name: &str) -> Vec<Option<&'c str>> {
    let call = format!("{name}(");
    code.match_indices(&call)
        .filter_map(|(at, _)| {
            let before = code.get(..at)?;
            let Some(object) = before.strip_suffix('.').or_else(|| before.strip_suffix("::"))
            else {
                let inside = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
                return (!inside).then_some(None);
            };
            let start =
                object.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |n| n + 1);
            Some(object.get(start..))
        })
        .collect()
}

/// Whether the code calls a method of this type: on an object, where the type or an heir of it is named as well.
fn is_method_call(
    facts: &Facts,
    owner: SymbolId,
    name: &str,
    code: &str,
    known: &BTreeSet<&str>,
) -> bool {
    let Some(symbol) = facts.symbol(owner) else { return false };
    let made = name == symbol.name && code.contains(&format!("{name}("));
    let receivers = receivers(code, name);
    if symbol.kind == SymbolKind::Constant {
        return receivers.contains(&Some(symbol.name.as_str()));
    }
    let maker = format!("New{}", symbol.name);
    let own = known.contains(symbol.name.as_str())
        || known.contains(maker.as_str())
        || facts.is_namesake(&symbol.name);
    made || (receivers.iter().any(Option::is_some) && (own || inherited(facts, owner, known, 3)))
}

/// Whether the code calls a free function: by its bare name, or through the package or a module of it.
fn is_function_call(facts: &Facts, name: &str, code: &str) -> bool {
    let analysis = facts.analysis();
    receivers(code, name).into_iter().any(|receiver| match receiver {
        None => true,
        Some(object) => {
            let plain = analysis.name.to_lowercase().replace('-', "_");
            object.to_lowercase() == plain
                || analysis.modules.iter().any(|m| m.path.rsplit('/').next() == Some(object))
        }
    })
}

/// Whether a named type inherits from this one.
fn inherited(facts: &Facts, id: SymbolId, known: &BTreeSet<&str>, depth: u32) -> bool {
    facts.implementors(id).iter().filter_map(|r| r.from_symbol).any(|heir| {
        facts.symbol(heir).is_some_and(|s| known.contains(s.name.as_str()))
            || (depth > 0 && heir != id && inherited(facts, heir, known, depth - 1))
    })
}
