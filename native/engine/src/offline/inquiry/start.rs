//! Where a newcomer begins to read: what bears the project's name, what its introduction names first, what its entry
//! declares, what its own example shows, and only then what most of the code leads to.

use std::cmp::Reverse;

use ouro_core::analysis::{Document, EntryPoint, ReferenceKind, Symbol, SymbolKind};

use super::{
    naming::{made_by, plain},
    options::is_settings,
    overview::is_root_file,
    typ,
    usage::Usage,
};
use crate::offline::{
    evidence::Evidence,
    facts::{Facts, SymbolId, is_callable, is_readme, is_type},
};

/// What to read first, with what was seen of the documentation.
pub(super) fn start(facts: &Facts, seen: &Evidence) -> Option<SymbolId> {
    // What only holds settings is no beginning.
    let acts = |id: &SymbolId| {
        let settings = facts.symbol(*id).is_some_and(|s| is_settings(&s.name));
        !settings || has_functions(facts, *id)
    };
    let types = || facts.types().iter().copied().filter(acts);
    known(facts)
        .or_else(|| shown(facts, seen))
        .or_else(|| types().find(|id| is_offered(facts, *id)))
        .or_else(|| types().next())
        .or_else(|| exported(facts))
        .or_else(|| facts.types().first().copied())
}

/// Whether anything can be called on a type.
fn has_functions(facts: &Facts, id: SymbolId) -> bool {
    let callable = |m: &SymbolId| facts.symbol(*m).is_some_and(|s| is_callable(s.kind));
    facts.members(id).iter().any(callable)
}

/// The function that stands for the file through which the package is entered: what that exports as a whole, else the
/// most central of those that it offers.
fn exported(facts: &Facts) -> Option<SymbolId> {
    let whole = |id: SymbolId| facts.label(id) == "module.exports";
    let offered = facts.ids().filter(|(id, s)| {
        let entered = facts.is_library(facts.path(*id));
        let free = s.kind == SymbolKind::Function && is_offered(facts, *id);
        (free && (entered || facts.is_reexported(*id)))
            || (entered && whole(*id) && facts.is_product(*id))
    });
    let worth = |id: SymbolId| facts.weight(id);
    offered.map(|(id, _)| id).max_by(|a, b| {
        whole(*a).cmp(&whole(*b)).then(worth(*a).total_cmp(&worth(*b))).then(b.cmp(a))
    })
}

/// What the structure alone tells to read first.
pub(super) fn known(facts: &Facts) -> Option<SymbolId> {
    namesake(facts)
        .or_else(|| handed_out(facts))
        .or_else(|| maker(facts))
        .or_else(|| entrance(facts))
        .or_else(|| introduced(facts))
        .or_else(|| entered(facts))
        .or_else(|| facts.started().filter(|_| is_only_program(facts)))
        .or_else(|| made(facts))
        .or_else(|| wired(facts))
        .or_else(|| central(facts))
        // A program beside a library only shows its use, or is a part of it.
        .or_else(|| facts.started().filter(|_| !facts.offers_library()))
}

/// Whether nothing of the project can be used but by starting it: modules of Python and scripts can be imported.
fn is_only_program(facts: &Facts) -> bool {
    let compiled = |path: &str| [".rs", ".go", ".kt"].iter().any(|end| path.ends_with(end));
    !facts.offers_library() && facts.programs().next().is_some_and(|e| compiled(&e.path))
}

/// What is meant where the package itself is called, under whatever name it was imported: what it hands out as a whole,
/// else what bears that name.
pub(super) fn called(facts: &Facts, name: &str) -> Option<SymbolId> {
    let callable = |id: &SymbolId| facts.symbol(*id).is_some_and(|s| is_callable(s.kind));
    // A function may be written otherwise than its package; a type that differs is something else: `ky` makes a `Ky`.
    let letters = |text: &str| text.replace(|c: char| !c.is_alphanumeric(), "");
    let named = |id: &SymbolId| {
        let is_same =
            |own: &str| callable(id) && plain(own) == plain(name) || letters(own) == letters(name);
        facts.symbol(*id).is_some_and(|s| is_same(&s.name))
    };
    // Where it is only declared it may be documented.
    let handed_out = handed_out(facts).filter(callable);
    let told = handed_out.map(|id| facts.told_of(id).unwrap_or(id));
    told.or_else(|| known(facts).filter(named))
}

/// What whoever imports the package as a whole gets, if that is something to read: the values of a constant aren't.
fn handed_out(facts: &Facts) -> Option<SymbolId> {
    let libraries = || libraries(facts);
    let top = libraries().map(|e| e.path.matches('/').count()).min()?;
    let first = libraries().filter(|e| e.path.matches('/').count() == top);
    first.filter_map(|e| e.exports).find(|id| {
        let read = facts.symbol(*id).is_some_and(|s| is_callable(s.kind)) || facts.is_thing(*id);
        read && facts.is_product(*id)
    })
}

/// The files in which the package is entered as a library.
fn libraries(facts: &Facts) -> impl Iterator<Item = &EntryPoint> {
    facts.analysis().entry_points.iter().filter(|e| e.kind == "library")
}

/// By what the package makes the value that it hands out as a whole, or by its own name: `const got = create(defaults)`.
fn maker(facts: &Facts) -> Option<SymbolId> {
    let project = plain(facts.name().rsplit('/').next()?);
    let named = facts.ids().filter(|(id, s)| {
        plain(&s.name) == project && speaks(facts, facts.path(*id)) && is_offered(facts, *id)
    });
    let mut handed_out = libraries(facts).filter_map(|e| e.exports).chain(named.map(|(id, _)| id));
    handed_out.find_map(|id| {
        facts.symbol(id).filter(|s| s.kind == SymbolKind::Constant)?;
        let mut calls = facts.outgoing(id).into_iter().filter(|r| r.kind == ReferenceKind::Call);
        // Which of several calls makes it can't be told.
        let only = calls.next().filter(|_| calls.next().is_none())?;
        Some(only.to).filter(|id| facts.is_product(*id))
    })
}

/// The only type that calls itself the way in.
fn entrance(facts: &Facts) -> Option<SymbolId> {
    let says = |id: &SymbolId| {
        let doc = facts.symbol(*id).and_then(|s| s.doc.as_ref());
        let text = doc.map(|d| d.text.split_whitespace().collect::<Vec<_>>().join(" "));
        text.is_some_and(|text| WAYS_IN.iter().any(|way| text.contains(way)))
    };
    let types = facts.types().iter().copied();
    let mut found = types.filter(|id| is_offered(facts, *id) && says(id));
    found.next().filter(|_| found.next().is_none())
}

/// How a type calls itself the way in.
const WAYS_IN: [&str; 5] = [
    "main entry point",
    "primary entry point",
    "entry point into the library",
    "entry point to the library",
    "main class for",
];

/// The type that an entry without types of its own makes more often than any other: what it hands to its users.
fn wired(facts: &Facts) -> Option<SymbolId> {
    let files = facts.analysis().files.iter().enumerate();
    let wires = |index: usize| !facts.ids_in(index).any(|(_, s)| is_type(s.kind));
    let entries = files.filter(|(index, f)| facts.is_library(&f.path) && wires(*index));
    let entries: Vec<usize> = entries.map(|(index, _)| index).collect();
    let made = |id: &SymbolId| {
        let calls = facts.incoming(*id).filter(|r| r.kind == ReferenceKind::Call);
        calls.filter(|r| entries.contains(&r.from_file)).count()
    };
    let mut counts: Vec<(usize, SymbolId)> =
        facts.types().iter().map(|id| (made(id), *id)).filter(|(n, _)| *n >= 2).collect();
    counts.sort_by_key(|(n, id)| (Reverse(*n), *id));
    match counts.as_slice() {
        [(_, one)] => Some(*one),
        [(most, first), (next, _), ..] if most > next => Some(*first),
        _ => None,
    }
}

/// What the function that the examples of the introduction call first opens or makes, if that is something to work with:
/// `Open` a `DB`. What any other function hands out is its result: a `Response` of `get`.
fn made(facts: &Facts) -> Option<SymbolId> {
    let only = |name: &String| {
        let is_open = |id: SymbolId, s: &Symbol| is_callable(s.kind) && is_offered(facts, id);
        let mut found = facts.ids().filter(|(id, s)| s.name == *name && is_open(*id, s));
        let first = found.next().map(|(id, _)| id);
        first.filter(|_| found.next().is_none())
    };
    let opens = |id: &SymbolId| {
        let name = facts.symbol(*id).map(|s| s.name.to_lowercase()).unwrap_or_default();
        OPENS.iter().any(|word| name.starts_with(word))
    };
    let made = made_by(facts, facts.shown().iter().find_map(only).filter(opens)?)?;
    Some(made).filter(|id| is_offered(facts, *id) && has_functions(facts, *id))
}

/// How the names of functions begin that give their users something to work with.
const OPENS: [&str; 9] =
    ["open", "new", "create", "make", "connect", "dial", "build", "start", "default"];

/// The one type that a script declares through which the package is entered: its users name it as they like.
fn entered(facts: &Facts) -> Option<SymbolId> {
    let is_entry = |path: &str| {
        [".js", ".mjs", ".cjs", ".ts"].iter().any(|end| path.ends_with(end))
            && !path.ends_with(".d.ts")
            && facts.is_library(path)
    };
    let types = facts.types().iter().copied();
    let mut types = types.filter(|id| is_entry(facts.path(*id)) && is_offered(facts, *id));
    types.next().filter(|_| types.next().is_none())
}

/// What most of the code leads to, if the introduction speaks of it too.
fn central(facts: &Facts) -> Option<SymbolId> {
    let id = facts.types().iter().copied().find(|id| is_offered(facts, *id))?;
    facts.symbol(id).filter(|s| facts.mentions(&s.name) > 0).map(|_| id)
}

/// Whether those who use the package can name it.
pub(super) fn is_offered(facts: &Facts, id: SymbolId) -> bool {
    let Some(symbol) = facts.symbol(id) else { return false };
    let path = facts.path(id);
    symbol.exported
        && facts.is_product(id)
        && symbol.container.is_none()
        && !Facts::is_test_help(path)
        && !Facts::is_inner(path)
        // A crate lists what it offers in its root; what is documented nowhere isn't meant to be used from outside.
        && (symbol.doc.is_some() || !path.ends_with(".rs"))
}

/// The type, or the function of a root file, that is called like the project.
fn namesake(facts: &Facts) -> Option<SymbolId> {
    let project = facts.name().rsplit('/').next()?;
    let found = |name: &str| {
        let found = facts.ids().filter(|(id, s)| {
            // Kotlin has no file that stands for a package: there the exact name speaks for a function.
            let speaks = speaks(facts, facts.path(*id))
                || (s.name == project && s.doc.is_some() && facts.path(*id).ends_with(".kt"));
            // So does what the package itself hands on.
            let handed_on = s.doc.is_some() && facts.is_reexported(*id);
            let told = facts.is_thing(*id) || (is_callable(s.kind) && (speaks || handed_on));
            // A holder of constants is no beginning.
            let acts = !matches!(s.kind, SymbolKind::Class | SymbolKind::Struct)
                || has_functions(facts, *id);
            told && acts && plain(&s.name) == name && is_offered(facts, *id)
        });
        let mut found: Vec<SymbolId> = found.map(|(id, _)| id).collect();
        // What says nothing of itself gives way to what does.
        let says = |id: &SymbolId| facts.symbol(*id).is_some_and(|s| s.doc.is_some());
        if found.iter().any(|id| facts.is_of_jvm(*id) && says(id)) {
            found.retain(says);
        }
        best(facts, found.into_iter())
    };
    found(&plain(project)).or_else(|| {
        // `koin-core-jvm` is all about `Koin`, `pool2` about `Pool`.
        let digits = |c: char| c.is_ascii_digit();
        let parts = project.split(['-', '_', '.']).map(|p| p.trim_end_matches(digits));
        let bare: String = parts.filter(|p| !PLATFORMS.contains(p)).map(plain).collect();
        if bare.is_empty() { None } else { found(&bare) }
    })
}

/// Parts of an artifact's name that say for whom or what of it, not what it is.
const PLATFORMS: [&str; 16] = [
    "jvm", "js", "node", "core", "lib", "api", "rs", "rust", "py", "python", "go", "java",
    "kotlin", "kt", "ts", "android",
];

/// Whether a library is entered in this file.
fn speaks(facts: &Facts, path: &str) -> bool {
    is_root_file(path) || facts.is_library(path)
}

/// The first type that the introduction names as code.
fn introduced(facts: &Facts) -> Option<SymbolId> {
    let analysis = facts.analysis();
    let root = |d: &&Document| !d.path.contains('/') || is_readme(&d.path);
    let readme = analysis.documents.iter().filter(root);
    let readme = readme.filter_map(|d| d.introduction.as_ref()).map(|t| t.text.as_str()).take(1);
    let depth = |path: &str| path.matches('/').count();
    // Java's packages lie deep.
    let shallow = |path: &str| depth(path) <= 2 || path.ends_with("package-info.java");
    let mut roots: Vec<_> = facts.roots().filter(|f| shallow(&f.path) && f.doc.is_some()).collect();
    roots.sort_by_key(|f| depth(&f.path));
    let roots = roots.into_iter().filter_map(|f| f.doc.as_ref()).take(2);
    // Badges may stand before the first sentence.
    let first = roots.flat_map(|d| d.text.split("\n\n").take(4));
    readme.chain(first).find_map(|text| {
        code_words(text).into_iter().find_map(|code| {
            let name = code.trim_end_matches("()").rsplit(['.', ':', '#', '~']).next()?;
            let named = facts
                .ids()
                .filter(|(id, s)| s.name == name && facts.is_thing(*id) && is_offered(facts, *id));
            best(facts, named.map(|(id, _)| id))
        })
    })
}

/// What a text marks as code, in its order: `x`, `{@link x}`, `[x]`.
fn code_words(text: &str) -> Vec<&str> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    for (open, close) in [("`", '`'), ("{@link ", '}'), ("{@code ", '}'), ("[", ']')] {
        let mut rest = 0;
        while let Some(at) = text.get(rest..).and_then(|t| t.find(open)) {
            let start = rest + at + open.len();
            let Some(length) = text.get(start..).and_then(|t| t.find(close)) else { break };
            let code = text.get(start..start + length).unwrap_or_default();
            found.push((start, code.split_whitespace().next().unwrap_or_default()));
            rest = start + length + close.len_utf8();
        }
    }
    found.sort_unstable();
    found.into_iter().map(|(_, code)| code).collect()
}

/// What the example of the introduction works with: what it begins with, if that is a decorator, else its most central
/// type, or the first of its functions.
fn shown(facts: &Facts, seen: &Evidence) -> Option<SymbolId> {
    let (pieces, decorates) = Usage::open(facts)?.introduces(facts, seen);
    if decorates {
        return pieces.first().copied();
    }
    let types =
        pieces.iter().copied().filter(|id| facts.symbol(*id).is_some_and(|s| is_type(s.kind)));
    best(facts, types.filter(|id| is_offered(facts, *id))).or_else(|| {
        let makes = |name: &str| name.starts_with("New") || name.starts_with("new");
        pieces.iter().copied().find(|id| {
            facts.symbol(*id).is_some_and(|s| s.kind == SymbolKind::Function && !makes(&s.name))
        })
    })
}

/// Of several the one with a body before one that is only declared, the one where the library is entered, and the most
/// central.
fn best(facts: &Facts, found: impl Iterator<Item = SymbolId>) -> Option<SymbolId> {
    let worth = |id: &SymbolId| typ::worth(facts, *id).unwrap_or_else(|| facts.weight(*id));
    let declared =
        |id: &SymbolId| [".d.ts", ".pyi"].iter().any(|end| facts.path(*id).ends_with(end));
    let entered = |id: &SymbolId| facts.is_library(facts.path(*id));
    found.max_by(|a, b| {
        declared(b)
            .cmp(&declared(a))
            .then(entered(a).cmp(&entered(b)))
            .then(worth(a).total_cmp(&worth(b)))
            .then(Reverse(a).cmp(&Reverse(b)))
    })
}
