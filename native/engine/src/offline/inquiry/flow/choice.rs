//! Which functions are worth following, and which of their calls lead on.

use std::collections::{BTreeMap, BTreeSet};

use ouro_core::{
    analysis::{Condition, OutsideCall, Reference, ReferenceKind, Symbol, SymbolKind},
    example_calls,
};

use super::steps::is_elsewhere;
use crate::offline::facts::{Facts, SymbolId, is_callable, is_type};

/// How the names of functions begin that do a project's main work.
const ACTS: &str = "\
    execute run send handle process parse serve dispatch build render load start main request call compile search \
    find match read write evaluate resolve route full_dispatch wsgi_app put get_or insert convert to_json tojson fromjson from_json";

/// How the names of functions begin that come when all work is done.
const ENDS: &str =
    "close shutdown shut_down stop destroy dispose terminate halt teardown tear_down cancel";

/// Functions that every type has: they tell nothing of a project.
const ROUTINE: &str = "\
    clone fmt eq ne hash cmp partial_cmp default drop from into deref index serialize deserialize next \
    toString hashCode equals compareTo copy __repr__ __str__ __eq__ __hash__ __init__ __iter__ __enter__ __exit__ \
    __getstate__ __setstate__ __len__ __getitem__ __setitem__ new constructor DeepCopy deepCopy deep_copy deepcopy";

/// Longest signature that stands on one line, in characters.
const WIDE: usize = 80;

/// The functions worth following, the best first: no two of them one inside the other.
pub(crate) fn worthwhile(facts: &Facts, first: Option<SymbolId>) -> Vec<SymbolId> {
    let front = front(facts, first);
    let worth = |id: SymbolId| worth(facts, id, &front);
    let mut found: Vec<(SymbolId, f32)> = facts
        .ids()
        .filter(|(id, s)| is_callable(s.kind) && facts.is_product(*id) && !facts.is_deprecated(*id))
        .filter_map(|(id, _)| Some((id, worth(id)?)))
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let best = found.first().map_or(0.0, |f| f.1);
    let mut chosen: Vec<SymbolId> = Vec::new();
    let mut names = BTreeSet::new();
    for (id, _) in found.into_iter().filter(|f| f.1 >= best * 0.25) {
        let own: BTreeSet<SymbolId> = steps_of(facts, id).iter().map(|r| r.to).collect();
        let inner = chosen.iter().any(|c| {
            let other: BTreeSet<SymbolId> = steps_of(facts, *c).iter().map(|r| r.to).collect();
            let shared = own.intersection(&other).count();
            other.contains(&id) || own.contains(c) || shared * 2 >= own.len().min(other.len())
        });
        let name = facts.symbol(id).map(|s| s.name.clone());
        if !inner && names.insert(name) {
            chosen.push(id);
        }
    }
    // The first is one that others can call and that says what it does, if it is worth nearly as much.
    let says = |id: SymbolId| is_entry(facts, id) || facts.doc_of(id).is_some();
    let open = chosen.iter().position(|id| !is_of_crate(facts, *id) && says(*id));
    let near = |at: &usize| chosen.get(*at).and_then(|id| worth(*id)) >= Some(best * NEARLY);
    if let Some(at) = open.filter(near) {
        chosen.get_mut(..=at).unwrap_or_default().rotate_right(1);
    }
    chosen
}

/// How much less, at most, the function that is followed first is worth than one that is closed to others.
const NEARLY: f32 = 0.7;

/// Whether a function, or its type, is marked as the own of its crate: `pub(crate)`.
fn is_of_crate(facts: &Facts, id: SymbolId) -> bool {
    let all = [Some(id), facts.owner(id)].into_iter().flatten();
    all.filter_map(|id| facts.symbol(id)).any(|s| s.signature.starts_with("pub("))
}

/// The functions of the type that is read first, and what they only hand on to: there the users of the project come in.
fn front(facts: &Facts, first: Option<SymbolId>) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    let own = first.map_or(&[][..], |id| facts.members(id)).iter().copied();
    let is_open = |id: &SymbolId| {
        let told = facts.symbol(*id).is_some_and(|s| {
            let told = facts.doc_of(*id).is_some();
            s.exported && told && !makes(&s.name) && !constructs(facts, s, *id)
        });
        told && !facts.is_private_by_name(*id) && !facts.is_deprecated(*id)
    };
    for id in own.filter(is_open) {
        let mut next = Some(id);
        while let Some(at) = next.filter(|at| found.len() < MOST_FRONT && found.insert(*at)) {
            let steps = steps_of(facts, at);
            next = match steps.as_slice() {
                [only] => done_by(facts, only.to),
                _ => None,
            };
        }
    }
    found
}

/// Most functions at the front.
const MOST_FRONT: usize = 200;

/// How much more a function at the front is worth.
const AT_FRONT: f32 = 1.25;

/// The function that the examples of the introduction, and of the type that is read first, lead to: what the users of
/// the project come for. Of several that are worth nearly the same the first.
pub(crate) fn shown(facts: &Facts, first: Option<SymbolId>) -> Option<SymbolId> {
    let front = front(facts, first);
    let doc = first.and_then(|id| facts.symbol(id)?.doc.as_ref());
    let own = doc.map_or_else(Vec::new, |doc| example_calls(&doc.text));
    let mut seen = BTreeSet::new();
    let names = facts.shown().iter().chain(&own).filter(|name| seen.insert(name.as_str()));
    let led = names.filter_map(|name| {
        Some((name, meant(facts, name, first).find_map(|id| led_to(facts, id, false))?))
    });
    // A few lines that hand a value on are no work, whoever shows them.
    let led = led.filter(|(_, id)| has_steps(facts, *id));
    // A short function is followed for its work, or for what it stands behind, not for a value that it hands out.
    let works = |name: &str, id: SymbolId| {
        let is_inner = facts.symbol(id).is_some_and(|s| s.name != name);
        is_telling(facts, id) && (acts(name) || is_inner)
    };
    let of = |name: &str, id: SymbolId| {
        worth(facts, id, &front).or_else(|| works(name, id).then_some(0.0))
    };
    let found: Vec<(SymbolId, f32)> =
        led.filter_map(|(name, id)| Some((id, of(name, id)?))).collect();
    let best = found.iter().map(|(_, worth)| *worth).fold(0.0, f32::max);
    // What examples show is followed unless another function tells far more.
    let most = worthwhile(facts, first).into_iter().filter_map(|id| worth(facts, id, &front));
    if best > 0.0 && most.fold(0.0, f32::max) * FAR > best {
        return None;
    }
    let near = |share: f32| found.iter().filter(move |f| f.1 >= best * share).map(|f| f.0);
    // What does the work comes before what prepares it.
    let works = |id: &SymbolId| facts.symbol(*id).is_some_and(|s| acts(&s.name));
    near(ALMOST_BEST).find(works).or_else(|| near(LIKE_BEST).next())
}

/// How much less, at most, what an example leads to is worth than what nothing shows.
const FAR: f32 = 0.5;
/// How much less, at most, what an example calls first is worth than what it calls later.
const LIKE_BEST: f32 = 0.85;
/// The same for what does the work by its name.
const ALMOST_BEST: f32 = 0.95;

/// What a name may stand for where an example calls it, the likeliest first: a function of the type that is read first,
/// what the package hands on, a function of no type, or the only one of its name. How a value is made is no work.
fn meant(facts: &Facts, name: &str, first: Option<SymbolId>) -> impl Iterator<Item = SymbolId> {
    let routine = makes(name) || is_routine(name);
    let owner = |id: SymbolId| facts.owner(id).and_then(|o| facts.symbol(o));
    let is_open = |id: SymbolId, s: &Symbol| {
        s.exported && is_callable(s.kind) && owner(id).is_none_or(|o| o.exported)
    };
    let found = facts.ids().filter(|(id, s)| {
        let helps = Facts::is_test_help(facts.path(*id)) || is_helper(facts.path(*id));
        s.name == name
            && is_open(*id, s)
            && facts.is_product(*id)
            && !facts.is_deprecated(*id)
            && !helps
    });
    let found: Vec<SymbolId> = found.map(|(id, _)| id).filter(|_| !routine).collect();
    let place = |id: &SymbolId| match facts.owner(*id) {
        of if of.is_some() && of == first => 0,
        of if facts.is_reexported(of.unwrap_or(*id)) => 1,
        None => 2,
        Some(_) => 3,
    };
    let best = found.iter().map(place).min();
    let holders: BTreeSet<Option<SymbolId>> = found.iter().map(|id| facts.owner(*id)).collect();
    let clear = best < Some(3) || holders.len() == 1;
    let found: Vec<SymbolId> =
        found.into_iter().filter(|id| clear && Some(place(id)) == best).collect();
    found.into_iter()
}

/// Whether a file's name says that it holds what only helps: nobody comes for that.
fn is_helper(path: &str) -> bool {
    let stem = path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or_default();
    matches!(stem, "util" | "utils" | "utilities" | "helper" | "helpers" | "test")
}

/// How the names of functions begin that make a value.
const MAKES: &str = "new with from of create make default";

/// Whether every type has a function of this name: it is no work.
fn is_routine(name: &str) -> bool {
    ROUTINE.split_whitespace().any(|word| word == name)
}

/// Whether a function makes a value by its name, and does nothing else by it: that is no work.
fn makes(name: &str) -> bool {
    let is_made = MAKES.split_whitespace().any(|word| {
        let rest = name.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word));
        let goes_on = name.get(word.len()..).is_some_and(|r| r.starts_with(char::is_lowercase));
        rest.is_some() && !goes_on
    });
    is_made && !acts(name)
}

/// Whether a function is the constructor of a type of Java or Kotlin, which bears its name.
fn constructs(facts: &Facts, symbol: &Symbol, id: SymbolId) -> bool {
    facts.is_of_jvm(id) && symbol.container.as_ref() == Some(&symbol.name)
}

/// Most functions on a way that only hand on.
const MOST_HANDED: usize = 4;

/// Where a function that only hands on leads to: the first on its way that has several steps, and that it or one before
/// says something of, unless what it is for `is_told` otherwise.
fn led_to(facts: &Facts, id: SymbolId, mut is_told: bool) -> Option<SymbolId> {
    let mut at = id;
    for _ in 0..MOST_HANDED {
        let steps = steps_of(facts, at);
        // What one of those on the way says is said of what it leads to.
        is_told |= facts.doc_of(at).is_some();
        if is_told && is_enough(facts, at, &steps) {
            return Some(at);
        }
        let [only] = steps.as_slice() else { return None };
        at = done_by(facts, only.to).filter(|id| {
            facts.symbol(*id).is_some_and(|s| !makes(&s.name) && !is_routine(&s.name))
        })?;
    }
    None
}

/// Shortest function, in lines, of which silent steps are enough: of a shorter one each line is a step.
const LONG: u32 = 12;

/// Whether these steps of a function are worth telling: several that say what they do, or many. Another form of itself
/// is no step, nor is what every type has.
fn is_enough(facts: &Facts, id: SymbolId, steps: &[&Reference]) -> bool {
    let Some(symbol) = facts.symbol(id) else { return false };
    let is_form = |s: &Symbol| s.name == symbol.name && s.container == symbol.container;
    let steps = steps.iter().map(|r| r.to);
    let counts =
        |id: &SymbolId| facts.symbol(*id).is_some_and(|s| !is_form(s) && !is_routine(&s.name));
    let steps: Vec<SymbolId> = steps.filter(counts).collect();
    let told = steps.iter().filter(|id| facts.doc_of(**id).is_some()).count();
    let is_long = symbol.end_line.saturating_sub(symbol.start_line) >= LONG;
    told >= 2 || steps.len() >= 4 || (steps.len() >= 3 && (told >= 1 || is_long))
}

/// The function that does what is called: that of the only type that builds on the one which declares it.
fn done_by(facts: &Facts, id: SymbolId) -> Option<SymbolId> {
    let symbol = facts.symbol(id).filter(|s| is_callable(s.kind))?;
    let owner = facts
        .owner(id)
        .filter(|o| facts.symbol(*o).is_some_and(|s| s.kind == SymbolKind::Interface));
    let Some(owner) = owner else { return Some(id) };
    let heirs = facts.heirs(owner);
    let [heir] = heirs.as_slice() else { return None };
    facts
        .members(heir.id)
        .iter()
        .copied()
        .find(|m| facts.symbol(*m).is_some_and(|s| s.name == symbol.name && is_callable(s.kind)))
}

/// What the program does that the project is made for, from its start on.
pub(crate) fn started(facts: &Facts) -> Option<SymbolId> {
    let mut mains = facts.programs().filter_map(|entry| {
        let file = facts.analysis().files.iter().position(|f| f.path == entry.path)?;
        let starts = |s: &Symbol| s.name == "main" || (s.line == entry.line && entry.line > 1);
        let functions = facts.ids_in(file).filter(|(_, s)| s.kind == SymbolKind::Function);
        let mut named = functions.filter(|(id, s)| starts(s) && facts.is_product(*id));
        // What only starts another file's function calls it outside of any of its own.
        let called = || {
            let calls = facts.analysis().references.iter().filter(|r| {
                r.from_file == file && r.from_symbol.is_none() && r.kind == ReferenceKind::Call
            });
            let callable = |id: &SymbolId| facts.symbol(*id).is_some_and(|s| is_callable(s.kind));
            calls.map(|r| r.to).find(|id| callable(id) && facts.is_product(*id))
        };
        named.next().map(|(id, _)| id).or_else(called)
    });
    let short = |id: &SymbolId| {
        facts.symbol(*id).is_some_and(|s| s.end_line.saturating_sub(s.start_line) <= LONGEST)
    };
    // A start often only looks after what goes wrong, and leaves the work to one of those it calls.
    let leads = |id: SymbolId| {
        let works = |to: &SymbolId| facts.symbol(*to).is_some_and(|s| !makes(&s.name));
        let steps = steps_of(facts, id).into_iter().map(|r| r.to).filter(works);
        let led = std::iter::once(id).chain(steps).filter_map(|id| led_to(facts, id, true));
        led.filter(short).max_by_key(|id| (steps_of(facts, *id).len(), std::cmp::Reverse(*id)))
    };
    mains.find_map(leads)
}

/// Longest body, in lines, that is followed.
const LONGEST: u32 = 320;

/// Fewest steps of a function that are worth a question before other things are asked.
const TELLING: usize = 3;

/// Whether others can come to a function, and its steps can be told in an order and are more than a pair.
pub(crate) fn is_telling(facts: &Facts, id: SymbolId) -> bool {
    // Of a library others see what it offers; a program is all its own.
    let starts = |path: &str| facts.programs().any(|entry| entry.path == path);
    let is_closed = is_of_crate(facts, id) && facts.offers_library() && !starts(facts.path(id));
    if is_closed && fronted_by(facts, id).is_none() {
        return false;
    }
    // How a value is made is told with its type.
    !facts.symbol(id).is_some_and(|s| makes(&s.name)) && has_steps(facts, id)
}

/// Whether readers come to a function by themselves: it belongs to the type that they read first, or does the main
/// work by its name, and it, or what leads to it, says what it does.
pub(crate) fn is_central(facts: &Facts, id: SymbolId, types: &[SymbolId]) -> bool {
    let owner = facts.owner(id);
    let is_near = owner.is_some() && owner == types.first().copied();
    let is_called = facts.symbol(id).is_some_and(|s| s.name == "__call__");
    let works = facts.symbol(id).is_some_and(|s| acts(&s.name));
    let is_front = || front(facts, types.first().copied()).contains(&id);
    let is_open = facts.tells(id) && !facts.is_private_by_name(id);
    let is_told = is_open || fronted_by(facts, id).is_some();
    is_called || is_told && (is_near || works || is_front())
}

/// Whether the steps of a function are more than a pair: what every type has is none, nor what happens nobody knows when.
fn has_steps(facts: &Facts, id: SymbolId) -> bool {
    let is_step = |call: &&Reference| {
        let is_routine = facts.symbol(call.to).is_some_and(|s| is_routine(&s.name));
        let is_known = call.reached.conditions.is_some() || !call.reached.known.is_empty();
        !is_routine && is_known && !is_elsewhere(facts, id, call)
    };
    let steps = steps_of(facts, id).into_iter().filter(is_step);
    steps.count() + outside_steps(facts, id).len() >= TELLING
}

/// The documented function that others call and that only hands on to this one, which says nothing of itself or is
/// nobody's to call by its name.
pub(super) fn fronted_by(facts: &Facts, id: SymbolId) -> Option<SymbolId> {
    let is_inner = |s: &Symbol| s.doc.is_none() || facts.is_private_by_name(id);
    let symbol = facts.symbol(id).filter(|s| is_inner(s))?;
    let hands_on = |from: &SymbolId| {
        let told = facts.symbol(*from).is_some_and(|s| s.exported && s.doc.is_some());
        let steps = steps_of(facts, *from);
        let only = matches!(steps.as_slice(), [only] if done_by(facts, only.to) == Some(id));
        told && only && facts.is_product(*from)
    };
    let beside = facts.owner(id).map_or(&[][..], |owner| facts.members(owner)).iter().copied();
    let callers = facts.callers(id).into_iter().filter_map(|r| r.from_symbol);
    let of_same = callers.filter(|from| facts.owner(*from) == facts.owner(id));
    let found: BTreeSet<SymbolId> = beside.chain(of_same).filter(hands_on).collect();
    let bare = symbol.name.trim_start_matches('_');
    // A capital alone opens a function of Go to others.
    let same =
        |from: &&SymbolId| facts.symbol(**from).is_some_and(|s| s.name.eq_ignore_ascii_case(bare));
    let only = || found.first().filter(|_| found.len() == 1);
    // `load` leads to `_do_load`, as other functions may.
    let named = |from: &&SymbolId| {
        let before = facts.symbol(**from).and_then(|s| bare.strip_suffix(s.name.as_str()));
        before.is_some_and(|before| before.ends_with('_'))
    };
    found.iter().find(same).or_else(only).or_else(|| found.iter().find(named)).copied()
}

/// Whether following a function shows more than its documentation.
pub(crate) fn leads_somewhere(facts: &Facts, id: SymbolId) -> bool {
    facts.symbol(id).is_some_and(|s| !s.failures.is_empty()) || steps_of(facts, id).len() >= 2
}

/// The functions that are documented and used somewhere or open to all: those of no type first.
pub(crate) fn documented(facts: &Facts) -> Vec<SymbolId> {
    let mut found: Vec<(SymbolId, &Symbol)> = facts
        .ids()
        .filter(|(id, s)| {
            // A word or two say no more than the name does.
            let words = s.doc.as_ref().map_or(0, |d| d.text.split_whitespace().take(4).count());
            is_callable(s.kind)
                && words >= 4
                && !is_routine(&s.name)
                && facts.is_product(*id)
                && !facts.is_deprecated(*id)
                && !Facts::is_test_help(facts.path(*id))
                && facts.code_of(*id).and_then(|c| facts.symbol(c)).is_none_or(|c| c.doc.is_none())
        })
        .filter(|(id, s)| {
            let code = facts.code_of(*id).unwrap_or(*id);
            let used = !facts.callers(code).is_empty() || !facts.tests_of(code).is_empty();
            used || s.exported || !s.failures.is_empty() || !steps_of(facts, code).is_empty()
        })
        .collect();
    found.sort_by(|(a, s), (b, t)| {
        let free = |id: &SymbolId| facts.owner(*id).is_none();
        let weight = facts.weight(*b).total_cmp(&facts.weight(*a));
        free(b).cmp(&free(a)).then(t.exported.cmp(&s.exported)).then(weight).then(a.cmp(b))
    });
    let mut names = BTreeSet::new();
    found.retain(|(_, s)| names.insert(s.name.as_str()));
    found.into_iter().map(|(id, _)| id).collect()
}

/// The calls in a body that lead on: each function or type once, in the order of evaluation. What an inner function
/// calls is no step of the outer one.
pub(crate) fn steps_of(facts: &Facts, id: SymbolId) -> Vec<&Reference> {
    let mut seen = BTreeSet::new();
    let mut calls: Vec<&Reference> = facts
        .outgoing(id)
        .into_iter()
        .filter(|r| r.kind == ReferenceKind::Call && r.to != id && facts.is_product(r.to))
        .filter(|r| !r.reached.is_deferred)
        .filter(|r| !facts.is_failure(facts.owner(r.to).unwrap_or(r.to)))
        // What is only checked, or makes an error, is told where failures are.
        .filter(|r| !fails_through(facts, id, r))
        .filter(|r| facts.symbol(r.to).is_some_and(leads_on))
        .collect();
    calls.sort_by_key(|r| (r.reached.order, r.line, r.to));
    calls.retain(|r| seen.insert(facts.label(r.to)));
    calls
}

/// Most cases of one choice that are told: a table of them is read in the code.
const MOST_CASES: usize = 3;

/// The cases that were told of each choice, by their lines.
#[derive(Default)]
pub(super) struct Cases(BTreeMap<u32, BTreeSet<u32>>);

impl Cases {
    /// Whether what is reached so is told: each place outside of a choice, and each in one of its first cases.
    pub(super) fn admit(&mut self, conditions: &[Condition]) -> bool {
        let case = conditions.iter().find_map(|c| Some((c.subject_line?, c.line)));
        let Some((choice, label)) = case else { return true };
        let told = self.0.entry(choice).or_default();
        told.contains(&label) || (told.len() < MOST_CASES && told.insert(label))
    }
}

/// Whether a function fails through this call, which checks something or makes the error.
fn fails_through(facts: &Facts, id: SymbolId, call: &Reference) -> bool {
    let failures = facts.symbol(id).map_or(&[][..], |s| &s.failures);
    let name = facts.symbol(call.to).map(|s| s.name.as_str());
    let makes = |what: &str| what.rsplit([':', '.']).next() == name;
    failures.iter().any(|f| f.line == call.line && (f.check.is_some() || makes(&f.what)))
}

/// The calls in a body that lead into other packages and do some of its work: each function once, in the order of
/// evaluation.
pub(super) fn outside_steps(facts: &Facts, id: SymbolId) -> Vec<&OutsideCall> {
    let fails =
        |line: u32| facts.symbol(id).is_some_and(|s| s.failures.iter().any(|f| f.line == line));
    let inside = facts.outgoing(id);
    let all: Vec<&OutsideCall> = facts.calls_outside(id).collect();
    let is_outermost = |call: &OutsideCall| {
        let later = |line: u32, order: u32| line <= call.line && order > call.reached.order;
        !all.iter().any(|c| later(c.line, c.reached.order))
            && !inside.iter().any(|r| later(r.line, r.reached.order))
    };
    let mut seen = BTreeSet::new();
    let mut calls: Vec<&OutsideCall> = all
        .iter()
        .copied()
        .filter(|c| !c.reached.is_deferred && !fails(c.line) && is_outermost(c))
        .filter(|c| !is_accessor(&c.name) && !logs(&c.name) && !logs(&c.package))
        .collect();
    calls.sort_by_key(|c| (c.reached.order, c.line));
    calls.retain(|c| seen.insert((c.package.as_str(), c.name.as_str())));
    calls
}

/// Whether a name begins like that of a function which only hands out or sets a value.
fn is_accessor(name: &str) -> bool {
    let plain = name.to_lowercase();
    ["get", "set", "is", "has", "len", "size"].iter().any(|p| plain.starts_with(p))
}

/// Whether a name is that of something which writes to a log.
fn logs(name: &str) -> bool {
    let plain = name.to_lowercase();
    let last = plain.rsplit(['.', ':', '/']).next().unwrap_or(&plain);
    ["log", "debug", "trace", "warn", "print", "echo", "secho"].iter().any(|p| last.starts_with(p))
}

/// Whether a type is called like one that writes to a log.
fn is_logger(name: &str) -> bool {
    let plain = name.to_lowercase();
    plain == "log" || plain.ends_with("logger")
}

/// Whether a function does so little, and nothing through others, that its name says it all.
pub(super) fn is_trivial(facts: &Facts, id: SymbolId) -> bool {
    is_trivial_within(facts, id, 2)
}

fn is_trivial_within(facts: &Facts, id: SymbolId, depth: u8) -> bool {
    let Some(symbol) = facts.symbol(id).filter(|s| is_callable(s.kind)) else { return false };
    // What is only declared is done elsewhere.
    let owner = facts.owner(id).and_then(|o| facts.symbol(o));
    let expects = |s: &Symbol| s.signature.split_whitespace().any(|word| word == "expect");
    let is_declared = owner.is_some_and(|o| o.kind == SymbolKind::Interface || expects(o));
    let lines = symbol.end_line.saturating_sub(symbol.start_line);
    let lines = lines.saturating_sub(lines_inside(symbol));
    let works = |r: &&Reference| {
        let callable = facts.symbol(r.to).is_some_and(|s| is_callable(s.kind));
        let called = r.kind == ReferenceKind::Call && facts.is_product(r.to) && callable;
        called && (depth == 0 || !is_trivial_within(facts, r.to, depth - 1))
    };
    // A signature of many parameters is broken into as many lines.
    let wide = symbol.signature.chars().count() > WIDE;
    let broken = if wide { symbol.signature.matches(',').count() + 2 } else { 0 };
    let most = 3 + u32::try_from(broken).unwrap_or(0);
    lines <= most
        && !is_declared
        && symbol.failures.is_empty()
        && !facts.outgoing(id).iter().any(works)
        && facts.calls_outside(id).next().is_none()
}

/// The lines of a documentation that stands in the body.
fn lines_inside(symbol: &Symbol) -> u32 {
    let inside = symbol.doc.as_ref().filter(|d| d.start_line > symbol.line);
    inside.map_or(0, |d| d.end_line.saturating_sub(d.start_line) + 1)
}

/// Whether a function does more than hand out a value or write a line to a log.
fn leads_on(symbol: &Symbol) -> bool {
    let lines = symbol.end_line.saturating_sub(symbol.start_line);
    let accessor = is_accessor(&symbol.name) && lines <= 4;
    let is_of_log = symbol.container.as_deref().is_some_and(is_logger);
    let notes = is_of_log || logs(&symbol.name) && lines <= 12;
    if (accessor || notes) && is_callable(symbol.kind) {
        return false;
    }
    (is_callable(symbol.kind) || is_type(symbol.kind)) && (lines >= 2 || symbol.doc.is_some())
}

pub(super) fn is_entry(facts: &Facts, id: SymbolId) -> bool {
    let Some(symbol) = facts.symbol(id) else { return false };
    facts.analysis().entry_points.iter().any(|e| {
        e.path == facts.path(id)
            && matches!(e.kind.as_str(), "binary" | "main" | "script")
            && symbol.name == "main"
    })
}

/// Whether a name begins like that of a function which does a project's main work.
fn acts(name: &str) -> bool {
    let name = name.to_lowercase();
    ACTS.split_whitespace().any(|word| name.starts_with(word))
}

/// Whether a function belongs to a type that does for asynchronous callers what another does for the rest: `AsyncClient`
/// beside `Client`.
fn is_async_form(facts: &Facts, id: SymbolId) -> bool {
    let owner = facts.owner(id).and_then(|owner| facts.symbol(owner));
    let plain = owner.and_then(|owner| owner.name.strip_prefix("Async"));
    plain.is_some_and(|plain| {
        facts.ids().any(|(other, s)| s.name == plain && is_type(s.kind) && facts.is_product(other))
    })
}

/// How much a function is worth following; `None` for one with too few steps.
fn worth(facts: &Facts, id: SymbolId, front: &BTreeSet<SymbolId>) -> Option<f32> {
    let symbol = facts.symbol(id)?;
    if is_routine(&symbol.name) {
        return None;
    }
    let lines = symbol.end_line.saturating_sub(symbol.start_line);
    let body = lines.saturating_sub(lines_inside(symbol));
    let mut steps = steps_of(facts, id);
    let mut cases = Cases::default();
    steps.retain(|r| cases.admit(r.reached.conditions.as_ref().unwrap_or(&r.reached.known)));
    let told = steps.iter().filter(|r| facts.doc_of(r.to).is_some()).count();
    // That things happen in several cases, which can't be told, is hardly worth following.
    let is_clear = |r: &&&Reference| r.reached.conditions.is_some() && !is_elsewhere(facts, id, r);
    let clear = steps.iter().filter(is_clear).count();
    let clear = 0.8 + 0.2 * clear as f32 / steps.len().max(1) as f32;
    if lines < 6 || body > LONGEST || !is_enough(facts, id, &steps) {
        return None;
    }
    let entry = is_entry(facts, id);
    let leads_in = front.contains(&id);
    if !symbol.exported && symbol.doc.is_none() && !entry && !leads_in {
        return None;
    }
    let owner = facts.owner(id).map_or(0.0, |o| facts.weight(o));
    let documented = if facts.tells(id) { 1.0 } else { 0.5 };
    let owner_of = |id: SymbolId| facts.owner(id).unwrap_or(id);
    let across = steps.iter().filter(|r| owner_of(r.to) != owner_of(id)).count();
    let steps =
        steps.len().min(8) as f32 / 8.0 + told.min(6) as f32 / 6.0 + across.min(5) as f32 / 5.0;
    let calls = facts.callers(id).len().min(6) as f32 / 12.0;
    let sum = (facts.weight(id) + 0.7 * owner + calls + steps) * documented;
    let name = symbol.name.to_lowercase();
    let holder = facts.owner(id).and_then(|o| facts.symbol(o));
    // A public function of a type that nobody outside can name is no way into the code.
    let seen = holder.is_none_or(|o| o.exported);
    let java = facts.file(id).is_some_and(|f| f.language == "java");
    let in_class = !holder.is_some_and(|o| o.kind == SymbolKind::Interface);
    let hidden = java && in_class && !symbol.signature.contains("public ");
    let path = facts.path(id);
    let inner = Facts::is_inner(path);
    let public = symbol.exported && seen && !hidden && !inner && !facts.is_private_by_name(id);
    let offered = facts.owner(id).unwrap_or(id);
    let face = facts.is_namesake(facts.symbol(offered).map_or("", |s| s.name.as_str()));
    let ends = ENDS.split_whitespace().any(|w| name.starts_with(w));
    let acts = if entry || acts(&name) { 1.3 } else { 1.0 } * if ends { 0.6 } else { 1.0 };
    let public = match (leads_in, public || entry) {
        (true, _) => AT_FRONT,
        (false, true) => 1.0,
        (false, false) => 0.35,
    };
    let small = match (lines < 16, facts.tells(id)) {
        (false, _) => 1.0,
        (true, true) => 0.75,
        (true, false) => 0.5,
    };
    // How a value is made is seldom what its users wait for.
    let made = if constructs(facts, symbol, id) { 0.5 } else { 1.0 };
    // What a file of a script exports is for the other files of its package, unless that hands it on.
    let is_script = facts
        .file(id)
        .is_some_and(|f| matches!(f.language.as_str(), "javascript" | "typescript" | "tsx"));
    let silent = facts.doc_of(id).is_none() && !entry && !leads_in;
    let kept = if is_script && silent && !facts.is_reexported(offered) { 0.6 } else { 1.0 };
    // What is added to a type in another file serves a purpose beside its own; Go spreads a type over its files, and
    // Kotlin keeps a type small.
    let file = |id: SymbolId| facts.symbol(id).map(|s| s.file);
    let spreads = facts.is_of_go(id) || facts.is_of_jvm(id);
    let added = facts.owner(id).is_some_and(|o| file(o) != file(id)) && !spreads;
    let added = if added { 0.7 } else { 1.0 };
    // What is there in two forms is understood by the plain one.
    let added = if is_async_form(facts, id) { added * 0.8 } else { added };
    let face = if face { 1.5 } else { 1.0 };
    // Of what is nearly the same that comes first which stands where the package is entered.
    let face = if facts.roots().any(|f| f.path == path) { face * 1.1 } else { face };
    Some(sum * clear * acts * public * small * made * kept * added * face)
}
