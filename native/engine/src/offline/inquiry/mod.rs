//! One inquiry for each kind of subject: what to ask, what to look at, what to say.

mod contents;
mod dependencies;
mod errors;
mod extension;
mod flow;
mod module;
mod naming;
mod options;
mod overview;
mod section;
mod start;
mod tests;
mod typ;
mod usage;

use std::collections::BTreeSet;

use ouro_core::{Level, QuestionType};

use self::{
    dependencies::Dependencies, errors::Errors, extension::Extension, flow::Flow, module::Module,
    options::Options, overview::Overview, section::Section, tests::Tests, typ::Type, usage::Usage,
};

pub(crate) use self::overview::{Part, choose_parts, is_root_file};
use super::{
    draft::Draft,
    evidence::Evidence,
    facts::{Facts, SymbolId, is_callable},
    plan::Wants,
    subject::Subject,
    wording::Wording,
};

/// A subject of a project, opened for asking and answering.
pub(crate) trait Inquiry {
    /// What it is about.
    fn subject(&self) -> &Subject;

    /// Its level in the coverage map.
    fn level(&self) -> Level;

    /// The kind of understanding.
    fn question_type(&self) -> QuestionType;

    /// The module it belongs to.
    fn module(&self, facts: &Facts) -> String;

    /// The message that asks, with its values.
    fn ask(&self, facts: &Facts, wording: Wording) -> Ask;

    /// What an answer needs to see, after what was seen.
    fn wants(&self, facts: &Facts, seen: &Evidence) -> Wants;

    /// Says what was seen.
    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>);
}

/// Every subject of a project that is worth a question, with its place in the order of asking: the kinds take turns, so
/// that a few records already show the project from several sides.
pub(crate) fn all(facts: &Facts) -> Vec<(f32, Box<dyn Inquiry>)> {
    let mut found: Vec<(f32, Box<dyn Inquiry>)> = Vec::new();
    found.extend(Overview::open(facts).map(|i| (0.0, Box::new(i) as _)));
    let usage = Usage::open(facts);
    let shows_usage = usage.is_some();
    found.extend(usage.map(|i| (1.0, Box::new(i) as _)));
    let place = |errors: &Errors| if errors.is_telling(facts) { 4.0 } else { 10.0 };
    found.extend(Errors::open(facts).map(|i| (place(&i), Box::new(i) as _)));
    // What tests say of themselves comes before a second type; what they are called by after it.
    let place = |tests: &Tests| if tests.says(facts) { 6.0 } else { 8.5 };
    found.extend(Tests::open(facts).map(|i| (place(&i), Box::new(i) as _)));
    found.extend(Dependencies::open(facts).map(|i| (11.0, Box::new(i) as _)));

    // A type gets one record: as a point of extension, as a set of options, or as itself.
    let mut taken = BTreeSet::new();
    let mut free = |id: &SymbolId| taken.insert(facts.identity(*id));
    let mut types = facts.types().to_vec();
    // What the project is about comes first, even where it stands for a failure.
    if let Some(id) = start::known(facts).filter(|id| facts.is_thing(*id)) {
        types.retain(|other| *other != id);
        types.insert(0, id);
    }
    for id in types.iter_mut().take(MOST_TYPES) {
        *id = facts.told_of(*id).unwrap_or(*id);
    }
    let first: Vec<SymbolId> = types.iter().copied().take(1).filter(&mut free).collect();
    let extensions: Vec<SymbolId> =
        Extension::find(facts).into_iter().filter(&mut free).take(MOST_EXTENSIONS).collect();
    let options: Vec<SymbolId> =
        Options::find(facts).into_iter().filter(&mut free).take(MOST_OPTIONS).collect();
    let types: Vec<SymbolId> =
        first.into_iter().chain(types.into_iter().filter(&mut free)).take(MOST_TYPES).collect();

    // What the package hands out is followed first, or what its example calls.
    let main = start::known(facts).filter(|id| {
        facts.symbol(*id).is_some_and(|s| is_callable(s.kind) && s.doc.is_some())
            && !facts.is_thing(*id)
            && flow::leads_somewhere(facts, *id)
    });
    // A program is followed from its start, but not one that stands apart from the library which it shows the use of.
    let is_sample = |id: &SymbolId| facts.offers_library() && facts.is_in_program(*id);
    let main = main
        .or_else(|| flow::shown(facts, types.first().copied()))
        .or_else(|| facts.started().filter(|id| flow::is_telling(facts, *id) && !is_sample(id)));
    // A project of many modules has more that is worth following.
    let modules: Vec<String> = Module::find(facts).into_iter().take(MOST_MODULES).collect();
    let flows: Vec<SymbolId> = flow::worthwhile(facts, types.first().copied())
        .into_iter()
        .filter(|id| Some(*id) != main)
        .take(MOST_FLOWS.max(modules.len()))
        .collect();
    let flows: Vec<SymbolId> = main.into_iter().chain(flows).collect();
    // Nor does a section of the README tell a second time of what has a record of its own.
    let told: BTreeSet<SymbolId> =
        [&types, &extensions, &options, &flows].into_iter().flatten().copied().collect();
    let sections = Section::find(facts, shows_usage);
    let sections = sections.into_iter().filter(|s| s.thing().is_none_or(|id| !told.contains(&id)));
    let sections: Vec<Section> = sections.take(MOST_SECTIONS).collect();
    let told: BTreeSet<SymbolId> =
        told.into_iter().chain(sections.iter().filter_map(Section::thing)).collect();

    // A list of names is no answer that anybody waits for.
    // But what a newcomer begins with is asked for, whatever it says of itself.
    let begins = |id: &SymbolId| Some(*id) == types.first().copied() && typ::has_forms(facts, *id);
    let (telling, bare): (Vec<SymbolId>, Vec<SymbolId>) =
        types.iter().partition(|id| typ::is_telling(facts, **id) || begins(id));
    turns(&mut found, 2.0, 6.0, telling.iter().filter_map(|id| Type::open(facts, *id)));
    turns(&mut found, 13.0, 2.0, bare.iter().filter_map(|id| Type::open(facts, *id)));
    let (flows, short): (Vec<SymbolId>, Vec<SymbolId>) =
        flows.iter().partition(|id| Some(**id) == main || flow::is_telling(facts, **id));
    // What nobody is led to is followed when it is known what the project consists of.
    let (flows, aside): (Vec<SymbolId>, Vec<SymbolId>) =
        flows.iter().partition(|id| Some(**id) == main || flow::is_central(facts, **id, &types));
    turns(&mut found, 3.0, 7.0, flows.iter().filter_map(|id| Flow::open(facts, *id)));
    turns(&mut found, 8.2, 7.0, aside.iter().filter_map(|id| Flow::open(facts, *id)));
    turns(&mut found, 11.5, 0.05, short.iter().filter_map(|id| Flow::open(facts, *id)));
    turns(&mut found, 8.0, 3.0, sections.into_iter());
    let (telling, bare): (Vec<SymbolId>, Vec<SymbolId>) =
        extensions.iter().partition(|id| extension::is_telling(facts, **id));
    turns(&mut found, 5.0, 8.0, telling.iter().filter_map(|id| Extension::open(facts, *id)));
    turns(&mut found, 14.0, 2.0, bare.iter().filter_map(|id| Extension::open(facts, *id)));
    turns(&mut found, 7.0, 9.0, options.iter().filter_map(|id| Options::open(facts, *id)));
    turns(&mut found, 9.0, 6.0, modules.iter().filter_map(|path| Module::open(facts, path)));
    // Where there is little else, each function that is documented is worth a question.
    if found.len() < ENOUGH {
        let functions = flow::documented(facts).into_iter().filter(|id| !told.contains(id));
        let left = ENOUGH.saturating_sub(found.len());
        turns(&mut found, 12.0, 1.0, functions.take(left).filter_map(|id| Flow::open(facts, id)));
    }
    found
}

/// So many subjects make a record of every documented function needless.
const ENOUGH: usize = 10;
/// Most types of one project that get a record of their own.
const MOST_TYPES: usize = 24;
/// Most functions of one project that are followed beside the one that it is shown by, or starts with; of one with more
/// modules so many.
const MOST_FLOWS: usize = 10;
/// Most interfaces of one project that are shown as points of extension.
const MOST_EXTENSIONS: usize = 8;
/// Most configuration types of one project.
const MOST_OPTIONS: usize = 6;
/// Most sections of one README that get a record of their own.
const MOST_SECTIONS: usize = 12;
/// Most modules of one project that get a record of their own.
const MOST_MODULES: usize = 16;

/// The types of a project by worth; [`Facts::types`] keeps them.
pub(crate) fn rank_types(facts: &Facts) -> Vec<SymbolId> {
    Type::rank(facts)
}

/// What the program does from its start on; [`Facts::started`] keeps it.
pub(crate) fn find_start(facts: &Facts) -> Option<SymbolId> {
    flow::started(facts)
}

/// Adds inquiries of one kind: the first at `start`, each further one `step` later.
fn turns<I: Inquiry + 'static>(
    found: &mut Vec<(f32, Box<dyn Inquiry>)>,
    start: f32,
    step: f32,
    inquiries: impl Iterator<Item = I>,
) {
    let ranked = inquiries
        .enumerate()
        .map(|(turn, i)| (start + step * turn as f32, Box::new(i) as Box<dyn Inquiry>));
    found.extend(ranked);
}

/// Opens a subject; `None` when the project has no such thing (any more).
pub(crate) fn open(facts: &Facts, subject: &Subject) -> Option<Box<dyn Inquiry>> {
    fn boxed<I: Inquiry + 'static>(inquiry: I) -> Box<dyn Inquiry> {
        Box::new(inquiry)
    }
    match subject {
        Subject::Overview => Overview::open(facts).map(boxed),
        Subject::Usage => Usage::open(facts).map(boxed),
        Subject::Type(key) => Type::open(facts, facts.find(key)?).map(boxed),
        Subject::Flow(key) => Flow::open(facts, facts.find(key)?).map(boxed),
        Subject::Errors => Errors::open(facts).map(boxed),
        Subject::Options(key) => Options::open(facts, facts.find(key)?).map(boxed),
        Subject::Extension(key) => Extension::open(facts, facts.find(key)?).map(boxed),
        Subject::Module(path) => Module::open(facts, path).map(boxed),
        Subject::Tests => Tests::open(facts).map(boxed),
        Subject::Dependencies => Dependencies::open(facts).map(boxed),
        Subject::Section(key) => Section::open(facts, key).map(boxed),
    }
}

/// The inquiry that tells most about a symbol.
pub(crate) fn about(facts: &Facts, id: SymbolId) -> Option<Box<dyn Inquiry>> {
    match Type::open(facts, id) {
        Some(inquiry) => Some(Box::new(inquiry)),
        None => Flow::open(facts, id).map(|i| Box::new(i) as _),
    }
}

/// A question as a message of the bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ask {
    /// The message, `ask.` and `why.` left out.
    pub(crate) key: &'static str,
    /// Its values.
    pub(crate) values: Vec<(&'static str, String)>,
}

impl Ask {
    fn values(&self) -> Vec<(&str, &str)> {
        self.values.iter().map(|(name, value)| (*name, value.as_str())).collect()
    }

    /// The question in one wording.
    pub(crate) fn question(&self, wording: Wording, salt: &str) -> String {
        wording.phrase(&format!("ask.{}", self.key), salt, &self.values())
    }

    /// The question in every wording.
    pub(crate) fn all(&self, wording: Wording) -> Vec<String> {
        wording.variants(&format!("ask.{}", self.key), &self.values())
    }

    /// Why it is worth asking.
    pub(crate) fn reason(&self, wording: Wording) -> String {
        wording.phrase(&format!("why.{}", self.key), "", &self.values())
    }

    /// What the answer should contain.
    pub(crate) fn expected(&self, wording: Wording) -> String {
        wording.phrase(&format!("expect.{}", self.key), "", &self.values())
    }
}
