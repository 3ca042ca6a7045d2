//! What answers of several kinds say: who uses a thing, how it fails, what tests hold it to.

use std::collections::BTreeSet;

use ouro_core::analysis::{
    CitedText, Condition, ConditionKind, FailureSite, Member, Reached, Reference, Symbol,
    SymbolKind,
};

use super::{
    code,
    draft::Draft,
    evidence::Cite,
    facts::{Facts, SymbolId, is_callable, is_made_of_another},
    plan::Wants,
    voice,
    wording::Wording,
};

/// The word for a kind of symbol in its language.
pub(crate) fn kind_word(facts: &Facts, id: SymbolId, wording: Wording) -> String {
    let Some(symbol) = facts.symbol(id) else { return String::new() };
    let rust = facts.file(id).is_some_and(|f| f.language == "rust");
    wording.word(match symbol.kind {
        SymbolKind::Function => "kind.function",
        // What a module exports as a whole is no part of an object.
        SymbolKind::Method if symbol.container.as_deref() == Some("module") => "kind.function",
        SymbolKind::Method => "kind.method",
        SymbolKind::Class if is_single(symbol) => "kind.object",
        SymbolKind::Class => "kind.class",
        SymbolKind::Struct => "kind.struct",
        SymbolKind::Enum => "kind.enum",
        SymbolKind::Interface if rust => "kind.trait",
        SymbolKind::Interface => "kind.interface",
        SymbolKind::TypeAlias if is_made_of_another(facts.analysis(), symbol) => "kind.type",
        SymbolKind::TypeAlias => "kind.alias",
        SymbolKind::Constant if facts.is_thing(id) => "kind.object",
        SymbolKind::Constant => "kind.constant",
        SymbolKind::Macro => "kind.macro",
    })
}

/// Whether Kotlin makes the only value of a type itself.
fn is_single(symbol: &Symbol) -> bool {
    let before = symbol.signature.split(symbol.name.as_str()).next().unwrap_or_default();
    before.split_whitespace().any(|word| word == "object")
}

/// A citation of the line that declares a symbol, if it was seen and still names it.
pub(crate) fn declared_at(draft: &Draft<'_>, facts: &Facts, id: SymbolId) -> Option<Cite> {
    let symbol = facts.symbol(id)?;
    draft.evidence.cite_naming(facts.path(id), symbol.line, &symbol.name)
}

/// So many words tell whether a documentation begins with a sentence.
const OPENING: usize = 6;

/// The first sentence of a symbol's documentation that is worth quoting and was not said yet, and where it stands.
pub(crate) fn first_doc(draft: &Draft<'_>, facts: &Facts, id: SymbolId) -> Option<(String, Cite)> {
    let symbol = facts.symbol(id)?;
    let (at, doc) = facts.doc_of(id)?;
    let mut told = draft.evidence.symbol_statements(facts.path(at), doc).into_iter();
    let first = told.next()?;
    let warns = voice::warns(&first.0.text);
    // That it isn't for everybody doesn't say what it is for.
    let (sentence, cite) = if warns { told.next().unwrap_or(first) } else { first };
    // What only comments on a sentence before it, which was none to quote, says nothing of the thing; a `Next` may be its name.
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    // A sentence that was made whole by its list ends otherwise than it stands there.
    let opening = sentence.text.split_inclusive(' ').take(OPENING).collect::<String>();
    let begins = warns || letters(&doc.text).starts_with(&letters(&opening));
    // `This is to save time` tells why, not what.
    let begins = begins && !sentence.text.starts_with("This is to ");
    // `Not indented, to keep the history` tells of the code.
    let leans = sentence.text.starts_with("Not ")
        || !begins
            && sentence.text.split_whitespace().next() != Some(&symbol.name)
            && (sentence.text.starts_with("Note ") || voice::points_back(&sentence.text, false));
    (!leans && draft.is_new(&sentence.text)).then_some((sentence.text, cite))
}

/// At most `most` list items `name: what its documentation says`. Those without any, or whose was quoted before, are
/// left out, or stand there with their place alone if `plain`.
pub(crate) fn items(
    draft: &mut Draft<'_>,
    facts: &Facts,
    ids: &[SymbolId],
    most: usize,
    plain: bool,
) -> Vec<(String, Vec<Cite>)> {
    let mut items = Vec::new();
    for id in ids {
        if items.len() == most {
            break;
        }
        let Some(name) = facts.symbol(*id).map(|s| s.name.clone()) else { continue };
        let Some(declared) = declared_at(draft, facts, *id) else { continue };
        let form = form_of(facts, *id);
        // What is said of one form isn't said of them all.
        let told =
            first_doc(draft, facts, *id).filter(|_| form.is_some() || !has_forms(facts, *id));
        let Some((text, cite)) = told else {
            if plain {
                let values = [("name", name.as_str()), ("at", &declared.to_string())];
                items.push((draft.wording.phrase("users.plain", "", &values), vec![declared]));
            }
            continue;
        };
        draft.remember(&text);
        let text = without_name(draft.wording, &name, &text);
        let is_same = |other: &&SymbolId| facts.symbol(**other).is_some_and(|s| s.name == name);
        let shared = ids.iter().filter(is_same).count() > 1;
        let name = form.unwrap_or(if shared { facts.label(*id) } else { name });
        let at = [declared.to_string(), cite.to_string()];
        let at = draft.evidence.span(&declared, &cite).map_or_else(
            || at.join(if draft.wording.is_chinese() { "、" } else { ", " }),
            |c| c.to_string(),
        );
        let text = said(draft.wording, "item", &name, facts.speaker(*id).as_deref(), &text, &at);
        items.push((text, vec![declared, cite]));
    }
    items
}

/// What is said of a thing, by what else if not by itself: the message `key`, or the one with `_by` behind its name.
pub(crate) fn said(
    wording: Wording,
    key: &str,
    name: &str,
    speaker: Option<&str>,
    text: &str,
    at: &str,
) -> String {
    let mut values = vec![("name", name), ("text", voice::bare(text)), ("at", at)];
    let Some(speaker) = speaker else { return wording.phrase(key, "", &values) };
    values.push(("speaker", speaker));
    wording.phrase(&format!("{key}_by"), "", &values)
}

/// Longest list of parameters that tells one form of a function from another, in characters.
const MOST_PARAMETERS: usize = 60;

/// Whether there are others of a function's name in its type, told apart by their parameters.
fn has_forms(facts: &Facts, id: SymbolId) -> bool {
    let Some(symbol) = facts.symbol(id).filter(|s| is_callable(s.kind)) else { return false };
    let Some(owner) = facts.owner(id) else { return false };
    let forms = facts.members(owner).iter().filter(|m| {
        facts.symbol(**m).is_some_and(|s| s.name == symbol.name && s.file == symbol.file)
    });
    let overloads = ["java", "kotlin", "typescript"];
    facts.file(id).is_some_and(|f| overloads.contains(&f.language.as_str())) && forms.count() >= 2
}

/// A function with its parameters, if there are others of its name in its type: what is said of it is said of this form.
fn form_of(facts: &Facts, id: SymbolId) -> Option<String> {
    let symbol = facts.symbol(id).filter(|_| has_forms(facts, id))?;
    let (_, rest) = symbol.signature.split_once(&format!("{}(", symbol.name))?;
    let parameters = rest.get(..code::closing(rest)?)?.replace("final ", "");
    let parameters = match parameters.char_indices().nth(MOST_PARAMETERS) {
        None => parameters,
        Some((cut, _)) => {
            let whole = parameters.get(..cut).and_then(|start| start.rsplit_once(','));
            format!("{}, …", whole?.0)
        }
    };
    Some(format!("{}({})", symbol.name, parameters.trim()))
}

/// A documentation sentence for a list, where its name stands before it already: Go repeats the name.
pub(crate) fn without_name(wording: Wording, name: &str, text: &str) -> String {
    // `The GrainSilo is` repeats the name as `GrainSilo is` does.
    let behind = ["The ", "A ", "An "].iter().find_map(|article| text.strip_prefix(article));
    let behind = behind.filter(|_| is_code_name(name)).map(|rest| rest.trim_start_matches('`'));
    let plain = behind.filter(|rest| rest.starts_with(name));
    let plain = plain.unwrap_or_else(|| text.trim_start_matches('`'));
    let this =
        ["This is ", "This class ", "This method "].iter().find_map(|p| text.strip_prefix(p));
    let acts = |rest: &&str| rest.split_whitespace().next().is_some_and(voice::third_person);
    if let Some(rest) = this.or_else(|| text.strip_prefix("This ").filter(acts))
        && !wording.is_chinese()
    {
        return rest.to_owned();
    }
    let rest = plain.strip_prefix(name).map(|r| r.trim_start_matches('`'));
    if let Some(said) = rest.and_then(|r| r.strip_prefix(": ")) {
        return said.to_owned();
    }
    let Some(rest) = rest.and_then(|r| r.strip_prefix(' ')).filter(|_| !wording.is_chinese())
    else {
        return text.to_owned();
    };
    // `Read method reads all` says with the name what it stands for.
    let kinds = ["function ", "method ", "struct ", "interface ", "type ", "class "];
    let kind = kinds.iter().find_map(|kind| rest.strip_prefix(kind));
    let rest =
        kind.filter(|rest| rest.split(' ').next().is_some_and(voice::third_person)).unwrap_or(rest);
    // `Traverse the tree` is an order, not the name: only what a verb follows is a subject.
    let mut words = rest.split_whitespace();
    let verb = words.find(|w| !w.ends_with("ly")).unwrap_or_default();
    match verb {
        "is" | "are" if rest.starts_with(verb) => {
            rest.strip_prefix(verb).unwrap_or(rest).trim_start().to_owned()
        }
        // In Go what stands after the own name is a verb.
        _ if (voice::third_person(verb) || is_code_name(name) && voice::ends_like_verb(verb))
            || matches!(verb, "will" | "can" | "has" | "may" | "must" | "should") =>
        {
            rest.to_owned()
        }
        _ => text.to_owned(),
    }
}

/// Whether a name is no word of the language: `readAll`, `ParseError`.
fn is_code_name(name: &str) -> bool {
    word_count(name) >= 2
}

/// Says who calls or constructs a thing, with the line of code that does.
pub(crate) fn users(
    draft: &mut Draft<'_>,
    facts: &Facts,
    key: &str,
    label: &str,
    callers: &[&Reference],
) {
    let mut parts = Vec::new();
    let mut cites = Vec::new();
    for caller in callers {
        let (Some(from), Some(target)) = (caller.from_symbol, facts.symbol(caller.to)) else {
            continue;
        };
        let path = facts.path(from);
        let owner = facts.owner(caller.to).and_then(|o| facts.symbol(o));
        let own = (!facts.is_common_name(caller.to)).then_some(target.name.as_str());
        let names = [own, owner.map(|o| o.name.as_str())];
        let nameless = facts.symbol(from).is_none_or(|s| s.name.trim_matches('_').is_empty());
        // A variable doesn't call what it is set to.
        let is_set = facts
            .symbol(from)
            .is_some_and(|s| s.kind == SymbolKind::Constant && s.line == caller.line);
        if nameless || is_set || Facts::is_test_help(path) {
            continue;
        }
        let Some(cite) = names
            .into_iter()
            .flatten()
            .find_map(|name| draft.evidence.cite_naming(path, caller.line, name))
        else {
            continue;
        };
        let code = code::statement(draft.evidence, path, caller.line);
        let values = [
            ("name", facts.label(from)),
            ("at", cite.to_string()),
            ("code", code.clone().unwrap_or_default()),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        parts.push(draft.wording.phrase(
            if code.is_some() { "users.one" } else { "users.plain" },
            "",
            &values,
        ));
        cites.push(cite);
    }
    if !parts.is_empty() {
        let list = draft.wording.list(&parts);
        let key = if parts.len() == 1 { format!("{key}_one") } else { key.to_owned() };
        draft.say(&key, cites, &[("name", label), ("list", &list)]);
    }
}

/// A failure on purpose: the function and the place in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Failure<'a> {
    /// The function.
    pub(crate) function: SymbolId,
    /// Where it fails.
    pub(crate) site: &'a FailureSite,
}

/// The failures of functions that tell a caller something: each error once, those with a message first.
pub(crate) fn failures_of<'a>(facts: &'a Facts, functions: &[SymbolId]) -> Vec<Failure<'a>> {
    let mut seen = BTreeSet::new();
    let mut found: Vec<Failure<'a>> = functions
        .iter()
        .filter_map(|id| facts.symbol(*id).map(|s| (*id, s)))
        .flat_map(|(function, s)| s.failures.iter().map(move |site| Failure { function, site }))
        .filter(|f| !f.site.reached.is_deferred && !is_internal(&f.site.what))
        .filter(|f| !Facts::is_test_help(facts.path(f.function)) && is_made(facts, f))
        .collect();
    found.sort_by_key(|f| says(facts, f).is_none());
    let said = |f: &Failure<'a>| says(facts, f).map(|(_, message)| message.text.clone());
    found.retain(|f| seen.insert((f.site.what.clone(), said(f))));
    found
}

/// Whether what fails is a type, a function that makes an error, or an error with a message: a variable is none.
fn is_made(facts: &Facts, failure: &Failure<'_>) -> bool {
    let what = failure.site.what.trim_end_matches('!');
    let last = what.rsplit([':', '.']).next().unwrap_or(what);
    last.starts_with(char::is_uppercase)
        || failure.site.message.is_some()
        || matches!(last, "panic" | "assert" | "ensure" | "require" | "check")
        || facts.ids().any(|(id, s)| s.name == last && is_callable(s.kind) && facts.is_product(id))
}

/// Macros of Rust that return an error made of what they are given, or make one for a return.
const RETURNING: [&str; 5] = ["anyhow", "bail", "ensure", "eyre", "format_err"];

/// Failures that only a defect can cause.
fn is_internal(what: &str) -> bool {
    matches!(
        what.trim_end_matches('!'),
        "requireNonNull"
            | "unreachable"
            | "todo"
            | "unimplemented"
            | "NotImplementedError"
            | "debug_assert"
            | "AssertionError"
            | "assert_eq"
    )
}

/// Wants the body of a failing function up to where it fails.
pub(crate) fn want_failure(wants: &mut Wants, facts: &Facts, failure: &Failure<'_>) {
    let Some(symbol) = facts.symbol(failure.function) else { return };
    let returns = returns_before(facts, failure);
    let reached = returns.into_iter().chain([&failure.site.reached]);
    let conditions = reached.flat_map(|reached| reached.conditions.iter().flatten());
    let conditions = conditions.map(|c| c.subject_line.unwrap_or(c.line).min(c.line));
    let first = conditions.min().unwrap_or(failure.site.line).min(failure.site.line);
    let start = symbol.start_line.max(first.max(failure.site.line.saturating_sub(120)));
    let path = facts.path(failure.function);
    wants.lines(path, start, failure.site.line.saturating_add(2));
    if let Some((path, message)) = says(facts, failure) {
        wants.lines(path, message.start_line, message.end_line);
    }
}

/// What a failure says, and the file that says so: the place itself, or the error that was made in advance.
fn says<'f>(facts: &'f Facts, failure: &Failure<'f>) -> Option<(&'f str, &'f CitedText)> {
    let own = failure.site.message.as_ref().map(|message| (facts.path(failure.function), message));
    own.or_else(|| {
        let made = facts.error_value(&failure.site.what)?;
        Some((facts.path(made), facts.symbol(made)?.says.as_ref()?))
    })
}

/// `f raises E when x, saying "..."`, with its place. Every condition around the place is told, or none is: then it
/// only can fail.
pub(crate) fn failure_clause(
    draft: &Draft<'_>,
    facts: &Facts,
    failure: &Failure<'_>,
) -> Option<(String, Vec<Cite>)> {
    let (path, line) = (facts.path(failure.function), failure.site.line);
    let what = failure.site.what.trim_end_matches('!');
    let last = what.rsplit([':', '.']).next().unwrap_or(what);
    let shown = draft.evidence.line(path, line)?;
    let check = failure.site.check.as_deref();
    let fails = [
        check.unwrap_or(last),
        "throw",
        "raise",
        "Err",
        "panic",
        "return",
        "assert",
        "require",
        "check",
    ];
    fails.iter().any(|w| shown.contains(w)).then_some(())?;

    let wording = draft.wording;
    let place = draft.evidence.cite(path, line, line)?;
    let reached = &failure.site.reached;
    let own = conditions(draft, path, reached, &place);
    let returns = returns_before(facts, failure);
    let guarded = own.as_ref().filter(|_| !returns.is_empty()).and_then(|_| {
        let passed = passed_by(draft, path, failure, &returns)?;
        conditions(draft, path, &passed, &place)
    });
    // What returns before it for reasons that can't be told may keep it from failing.
    let is_sure = returns.is_empty() || guarded.is_some();
    let mut told = guarded.or(own).unwrap_or_default();
    let checks =
        matches!(last, "require" | "check" | "ensure" | "assert" | "checkArgument" | "checkState");
    if checks {
        // What else must hold for the check to be made can't be told without the rest.
        let whole = reached.conditions.as_ref().is_some_and(Vec::is_empty) || !told.is_empty();
        let own = code::checked(shown).and_then(|c| code::inline_code(&c));
        match own.filter(|_| whole) {
            Some(code) => told.unless.push(code),
            None => told = Conditions::default(),
        }
    }
    // What makes the error is called by what checks, not here.
    let what = check.and_then(|_| what.strip_suffix(last)?.strip_suffix("::")).unwrap_or(what);
    let condition = told.phrase(wording);
    let mut cites = told.cites;
    if cites.is_empty() {
        cites.push(place);
    }
    let message = says(facts, failure).and_then(|(path, message)| {
        let text = message.text.split_whitespace().collect::<Vec<_>>().join(" ");
        // A single word is some argument of the error, not what it says.
        let is_text = |word: &&str| !word.starts_with(['%', '{', '$']);
        let words = text.split_whitespace().filter(is_text).count();
        let says = words > 0
            && text.contains(char::is_whitespace)
            && text.chars().count() <= 140
            && !is_cut_short(&text);
        let cite = draft.evidence.cite(path, message.start_line, message.end_line);
        let cite = cite.filter(|_| says)?;
        Some((wording.phrase("fails.message", "", &[("quote", &wording.quote(&text))]), cite))
    });
    let message = message.map(|(message, cite)| {
        cites.push(cite);
        message
    });
    let message = message.unwrap_or_default();
    let cites = draft.evidence.joined(cites);
    if condition.is_empty() && message.is_empty() {
        return None;
    }
    let language = facts.file(failure.function).map_or("", |f| f.language.as_str());
    let verb = match (language, what) {
        ("rust", "panic" | "assert" | "expect" | "unwrap") | ("go", "panic") => "panic",
        ("rust" | "go", _) => "return",
        ("python", _) => "raise",
        ("javascript" | "typescript" | "tsx", _) if !shown.contains("throw") => "give",
        _ => "throw",
    };
    let can = if condition.is_empty() || !is_sure { "can" } else { "verb" };
    let verb = wording.word(&format!("fails.{can}_{verb}"));
    let what = match what {
        "panic" | "assert" => String::new(),
        // Macros that make an error and return it are no names of errors.
        _ if language == "rust" && RETURNING.contains(&last) => wording.word("fails.an_error"),
        "fmt.Errorf" | "errors.New" | "Errorf" | "New" | "require" | "check" | "error" => {
            wording.word("fails.an_error")
        }
        _ if !shown.contains(&format!("{last}(")) => format!(" `{what}`"),
        _ if last.starts_with(char::is_lowercase) && !what.starts_with("process") => {
            wording.phrase("fails.made_by", "", &[("what", what)])
        }
        _ => format!(" `{what}`"),
    };
    let label = facts.label(failure.function);
    let at = cites.iter().map(Cite::to_string).collect::<Vec<_>>();
    let at = at.join(if wording.is_chinese() { "、" } else { ", " });
    let values = [
        ("name", label.as_str()),
        ("verb", &verb),
        ("what", &what),
        ("condition", &condition),
        ("message", &message),
        ("at", &at),
    ];
    Some((wording.phrase("fails.clause", "", &values), cites))
}

/// Whether a text ends within a value that is put into it: the quotation marks of that value ended it.
fn is_cut_short(text: &str) -> bool {
    text.rfind("${").is_some_and(|at| !text.get(at..).unwrap_or_default().contains('}'))
}

/// The returns before a failing place that may keep it from being reached, with what is asked for each.
fn returns_before<'f>(facts: &'f Facts, failure: &Failure<'f>) -> Vec<&'f Reached> {
    let exits = facts.symbol(failure.function).map_or(&[][..], |s| &s.exits);
    let exits = exits.iter().filter(|exit| exit.line < failure.site.line).map(|e| &e.reached);
    let own = known(&failure.site.reached);
    // What was caught was not returned before.
    if own.iter().any(|c| c.kind == ConditionKind::Caught) {
        return Vec::new();
    }
    let is_apart = |a: &Condition, b: &Condition| {
        let is_other_case = a.subject_line.is_some() && a.subject_line == b.subject_line;
        if is_other_case { a.line != b.line } else { are_opposite(a, b) && a.line == b.line }
    };
    // What hands on an earlier failure fails, too.
    let fails = |c: &Condition| {
        let error = c.text.strip_suffix(" != nil").unwrap_or(&c.text);
        let is_error = error.rsplit('.').next().is_some_and(|name| name.starts_with("err"));
        c.kind == ConditionKind::Holds && is_error
    };
    let is_spared = |c: &Condition| fails(c) || own.iter().any(|o| is_apart(c, o));
    exits.filter(|reached| !known(reached).iter().any(is_spared)).collect()
}

/// How a failing place is reached, with what its function asks for to return before it; `None` if that can't be told.
fn passed_by(
    draft: &Draft<'_>,
    path: &str,
    failure: &Failure<'_>,
    returns: &[&Reached],
) -> Option<Reached> {
    let mut all = failure.site.reached.conditions.clone()?;
    let depth = |line: u32| draft.evidence.line(path, line).map(code::indent);
    let own = depth(failure.site.line)?;
    for reached in returns {
        let mut asked = reached.conditions.as_ref()?.iter().filter(|c| !all.contains(c));
        let (Some(one), None) = (asked.next(), asked.next()) else { return None };
        let kind = match one.kind {
            ConditionKind::Holds => ConditionKind::Fails,
            ConditionKind::Fails => ConditionKind::Holds,
            ConditionKind::Caught | ConditionKind::Repeats => return None,
        };
        // What is asked further in, in a loop for one, is asked of something else.
        if one.subject_line.is_some() || depth(one.line)? > own {
            return None;
        }
        all.push(Condition { kind, ..one.clone() });
    }
    all.sort_by_key(|c| c.line);
    Some(Reached { conditions: Some(all), ..failure.site.reached.clone() })
}

/// The conditions around a place that are known.
fn known(reached: &Reached) -> &[Condition] {
    reached.conditions.as_ref().unwrap_or(&reached.known)
}

/// Under which conditions a place is reached, and the lines that say so.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    /// What was caught.
    caught: Vec<String>,
    /// What loops around it ask for each round.
    repeats: Vec<String>,
    /// What holds.
    when: Vec<String>,
    /// What doesn't.
    unless: Vec<String>,
    /// Where.
    pub(crate) cites: Vec<Cite>,
}

impl Conditions {
    fn is_empty(&self) -> bool {
        [&self.caught, &self.repeats, &self.when, &self.unless].iter().all(|all| all.is_empty())
    }

    /// As one phrase, where further conditions must hold that aren't told.
    pub(crate) fn needed(&self, wording: Wording) -> String {
        let rest = [&self.caught, &self.repeats, &self.when];
        if rest.iter().all(|told| told.is_empty()) && !wording.is_chinese() {
            let unless = self.unless.join(&wording.word("fails.or"));
            return wording.phrase("fails.never", "", &[("unless", &unless)]);
        }
        wording.phrase("fails.only", "", &[("when", &self.phrase(wording))])
    }

    /// As one phrase: what is joined by "unless" fails altogether.
    pub(crate) fn phrase(&self, wording: Wording) -> String {
        let list = |list: &[String], join: &str| list.join(&wording.word(&format!("fails.{join}")));
        let mut text = String::new();
        if !self.caught.is_empty() {
            let code = list(&self.caught, "and");
            let alone = self.when.is_empty() && self.unless.is_empty();
            let key = if alone { "fails.catching" } else { "fails.after_catching" };
            text.push_str(&wording.phrase(key, "", &[("code", &code)]));
        }
        if !self.repeats.is_empty() {
            let code = list(&self.repeats, "and");
            text.push_str(&wording.phrase("fails.repeating", "", &[("code", &code)]));
        }
        let (when, unless) = (list(&self.when, "and"), list(&self.unless, "or"));
        let values = [("when", when.as_str()), ("unless", unless.as_str())];
        let key = match (self.when.is_empty(), self.unless.len()) {
            (true, 0) => return text,
            (false, 0) => "fails.when",
            (true, 1) => "fails.unless",
            (true, _) => "fails.unless_all",
            (false, 1) => "fails.when_unless",
            (false, _) => "fails.when_unless_all",
        };
        text.push_str(&wording.phrase(key, "", &values));
        text
    }
}

/// Every condition around a place with the lines it rests on; `None` if there is none, or not all of them can be told.
pub(crate) fn conditions(
    draft: &Draft<'_>,
    path: &str,
    reached: &Reached,
    place: &Cite,
) -> Option<Conditions> {
    let all = reached.conditions.as_ref()?;
    let is_outdated = |c: &Condition| is_outdated(draft, path, c, all);
    if all.iter().any(is_outdated) { None } else { told_of(draft, path, all, place) }
}

/// The innermost of the conditions around a place, and the next one that holds, where not all of them can be told: they
/// must be met, and others, too.
pub(crate) fn some_conditions(
    draft: &Draft<'_>,
    path: &str,
    reached: &Reached,
    place: &Cite,
) -> Option<Conditions> {
    let all = reached.conditions.as_ref().unwrap_or(&reached.known);
    let known = all.iter().filter(|c| !is_outdated(draft, path, c, all));
    let mut known: Vec<Condition> = known.cloned().collect();
    let innermost = known.pop()?;
    let is_met = |c: &Condition| c.kind == ConditionKind::Holds;
    let next = known.iter().rfind(|c| is_met(c));
    // Of what failed before something held, the last is no more telling than the rest.
    let next = next.or(known.last().filter(|_| !is_met(&innermost)));
    let told: Vec<Condition> = next.into_iter().chain([&innermost]).cloned().collect();
    told_of(draft, path, &told, place)
}

/// Whether a condition was asked of an earlier value than one further down: that asks anew and is answered otherwise,
/// or one of the variables that both name is set between them.
fn is_outdated(draft: &Draft<'_>, path: &str, condition: &Condition, all: &[Condition]) -> bool {
    let names = code::variables(&condition.text);
    all.iter().filter(|later| later.line > condition.line).any(|later| {
        let between = draft.evidence.lines(path, condition.line + 1, later.line - 1);
        let both = code::variables(&later.text);
        let is_set =
            |line: &str| code::assigned(line).any(|n| names.contains(n) && both.contains(n));
        are_opposite(later, condition) || between.iter().any(|(_, line)| is_set(line))
    })
}

/// Whether one condition holds where the other, of the same text, doesn't.
pub(crate) fn are_opposite(a: &Condition, b: &Condition) -> bool {
    let kinds = [a.kind, b.kind];
    let apart = kinds.contains(&ConditionKind::Holds) && kinds.contains(&ConditionKind::Fails);
    apart && a.text == b.text
}

/// Most conditions of one place that can be taken in.
const MOST_CONDITIONS: usize = 4;

fn told_of(draft: &Draft<'_>, path: &str, all: &[Condition], place: &Cite) -> Option<Conditions> {
    let all: Vec<_> = all.iter().filter(|c| !matches!(c.text.as_str(), "true" | "True")).collect();
    if all.iter().all(|c| code::says_nothing(&c.text)) {
        return None;
    }
    let mut cites = vec![place.clone()];
    let mut told = Conditions::default();
    // What equals one value equals no other: that needs no saying.
    let follows = |c: &Condition| {
        let other =
            |h: &Condition| h.kind == ConditionKind::Holds && code::excludes(&h.text, &c.text);
        c.kind == ConditionKind::Fails && all.iter().any(|h| other(h))
    };
    let needed: Vec<_> = all.iter().copied().filter(|c| !follows(c)).collect();
    if needed.len() > MOST_CONDITIONS {
        return None;
    }
    for condition in needed {
        // A file that changed since the scan shows something else there.
        let words = condition.text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let mut words = words.filter(|w| !w.is_empty());
        let first = words.next().unwrap_or_default();
        let own = match condition.subject_line {
            Some(line) => {
                cites.push(draft.evidence.cite_naming(path, line, first)?);
                words.next_back().unwrap_or_default()
            }
            None => first,
        };
        cites.push(draft.evidence.cite_naming(path, condition.line, own)?);
        // What doesn't hold unless it doesn't is better told as what holds.
        let negated = Some(condition).filter(|c| c.kind == ConditionKind::Fails);
        let positive = negated.and_then(|c| code::without_not(&c.text));
        let kind = positive.map_or(condition.kind, |_| ConditionKind::Holds);
        let code = code::inline_code(positive.unwrap_or(&condition.text))?;
        // What a `match` compares with what is two pieces of code, not one.
        let compares = condition.subject_line.is_some() || path.ends_with(".rs");
        let code = match code.split_once(" is ").filter(|_| compares) {
            Some((subject, labels)) => {
                let (is, or) =
                    if draft.wording.is_chinese() { ("是", "或") } else { ("is", "or") };
                let labels = labels.replace(" or ", &format!("` {or} `"));
                format!("{subject}` {is} `{labels}")
            }
            None => code,
        };
        match kind {
            ConditionKind::Holds => told.when.push(code),
            ConditionKind::Fails => told.unless.push(code),
            ConditionKind::Caught => told.caught.push(code),
            ConditionKind::Repeats => told.repeats.push(code),
        }
    }
    told.cites = draft.evidence.joined(cites);
    Some(told)
}

/// A documented member as a list item: its name, what is said of it, where.
pub(crate) fn member_item(
    wording: Wording,
    name: &str,
    text: &str,
    at: Cite,
) -> (String, Vec<Cite>) {
    let text = without_name(wording, name, text);
    let values = [("name", name), ("text", voice::bare(&text)), ("at", &at.to_string())];
    (wording.phrase("item", "", &values), vec![at])
}

/// Up to `most` documented members of a type as list items: what is said of one already, another doesn't say again.
pub(crate) fn member_items<'m>(
    draft: &mut Draft<'_>,
    path: &str,
    members: impl IntoIterator<Item = &'m Member>,
    most: usize,
) -> Vec<(String, Vec<Cite>)> {
    let mut items = Vec::new();
    for member in members {
        if items.len() == most {
            break;
        }
        let Some(doc) = &member.doc else { continue };
        let told = draft.evidence.symbol_statements(path, doc).into_iter().next();
        let Some((sentence, cite)) = told.filter(|(s, _)| draft.is_new(&s.text)) else { continue };
        let Some(line) = draft.evidence.cite_naming(path, member.line, &member.name) else {
            continue;
        };
        draft.remember(&sentence.text);
        let at = draft.evidence.span(&line, &cite).unwrap_or(cite);
        items.push(member_item(draft.wording, &member.name, &sentence.text, at));
    }
    items
}

/// Says up to `most` failures.
pub(crate) fn failures(draft: &mut Draft<'_>, facts: &Facts, list: &[Failure<'_>], most: usize) {
    let clauses = list.iter().filter_map(|f| failure_clause(draft, facts, f));
    let clauses = clauses.filter(|(text, _)| draft.is_new(text)).take(most);
    let (texts, cites): (Vec<String>, Vec<Vec<Cite>>) = clauses.into_iter().unzip();
    if !texts.is_empty() {
        let list = draft.wording.clauses(&texts);
        draft.say("fails.list", cites.concat(), &[("list", &list)]);
    }
}

/// Up to `most` failures as list items: those first that no earlier record told.
pub(crate) fn failure_items(
    draft: &Draft<'_>,
    facts: &Facts,
    list: &[Failure<'_>],
    most: usize,
) -> Vec<(String, Vec<Cite>)> {
    let mut clauses: Vec<_> = list.iter().filter_map(|f| failure_clause(draft, facts, f)).collect();
    clauses.retain(|(text, _)| draft.is_new(text));
    clauses.sort_by_key(|(text, _)| !draft.is_news(text));
    clauses.truncate(most);
    clauses
}

/// Wants the lines that declare these tests.
pub(crate) fn want_tests(wants: &mut Wants, facts: &Facts, tests: &[SymbolId]) {
    let Some(path) = tests.first().map(|t| facts.path(*t)) else { return };
    let names: Vec<&str> = tests
        .iter()
        .filter(|t| facts.path(**t) == path)
        .filter_map(|t| facts.symbol(*t).map(|s| s.name.as_str()))
        .filter(|n| n.chars().all(|c| c.is_alphanumeric() || c == '_'))
        .collect();
    if !names.is_empty() {
        wants.grep(format!(r"\b({})\b", names.join("|")), path, 20);
    }
}

/// Says which tests hold a thing to its behaviour.
pub(crate) fn tests(draft: &mut Draft<'_>, facts: &Facts, label: &str, tests: &[SymbolId]) {
    let plain = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let thing = plain(label.rsplit(['.', ':']).next().unwrap_or(label));
    let concerns =
        |id: &SymbolId| facts.symbol(*id).is_some_and(|s| plain(&s.name).contains(&thing));
    // A test that only makes use of a thing says little of what it must do.
    let about: Vec<SymbolId> = tests.iter().copied().filter(concerns).collect();
    let (tests, key) = match about.len() {
        0 | 1 => (tests, "tests.used"),
        _ => (about.as_slice(), "tests.hold"),
    };
    let mut parts = Vec::new();
    let mut cites = Vec::new();
    for test in tests {
        let Some(name) = facts.symbol(*test).map(|s| s.name.clone()) else { continue };
        let Some(cite) = declared_at(draft, facts, *test) else { continue };
        parts.push(format!("`{name}`{}", draft.wording.aside(&cite.to_string())));
        cites.push(cite);
    }
    let list = draft.wording.list(&parts);
    // Several things may be held by the same tests: that is told of the first.
    if parts.len() >= 2 && draft.is_news(&list) {
        draft.say(key, cites, &[("name", label), ("list", &list)]);
    }
}

/// The tests of a thing whose names say most: long names of distinct behaviour from the file with most of them.
pub(crate) fn telling_tests(facts: &Facts, id: SymbolId, most: usize) -> Vec<SymbolId> {
    let tests = facts.tests_of(id);
    let mut by_file: std::collections::BTreeMap<&str, Vec<SymbolId>> =
        std::collections::BTreeMap::new();
    for test in tests {
        by_file.entry(facts.path(test)).or_default().push(test);
    }
    let Some((_, mut best)) =
        by_file.into_iter().max_by_key(|(path, list)| (list.len(), std::cmp::Reverse(*path)))
    else {
        return Vec::new();
    };
    let words = |id: &SymbolId| facts.symbol(*id).map_or(0, |s| word_count(&s.name));
    best.sort_by_key(|id| (std::cmp::Reverse(words(id).min(6)), *id));
    best.truncate(most);
    best.sort_unstable();
    best
}

/// How many words an identifier is made of.
pub(crate) fn word_count(name: &str) -> usize {
    let humps = name
        .chars()
        .zip(name.chars().skip(1))
        .filter(|(a, b)| a.is_lowercase() && b.is_uppercase());
    name.split('_').filter(|w| !w.is_empty()).count() + humps.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_stands_before_a_sentence_is_not_repeated_in_it() {
        let told = |text: &str| {
            without_name(Wording::new(ouro_core::Language::English, 0), "GrainSilo", text)
        };
        assert_eq!(told("GrainSilo keeps what was mown"), "keeps what was mown");
        assert_eq!(told("The GrainSilo keeps what was mown"), "keeps what was mown");
        assert_eq!(told("A `GrainSilo` is a round tower"), "a round tower");
        for other in ["The GrainSilos of a farm", "A GrainSilo of a farm", "The grain is dry"] {
            assert_eq!(told(other), other);
        }
    }
}
