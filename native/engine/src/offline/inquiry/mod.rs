//! One inquiry for each kind of subject: what to ask, what to look at, what to say.

mod typ;

use ouro_core::{Level, QuestionType};

use super::{
    draft::Draft,
    facts::{Facts, SymbolId},
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

    /// What an answer needs to see.
    fn wants(&self, facts: &Facts) -> Wants;

    /// Says what was seen.
    fn answer(&self, facts: &Facts, draft: &mut Draft<'_>);
}

/// Every subject of a project that is worth a question, with its place in the order of asking: the kinds take turns, so
/// that a few records already show the project from several sides.
pub(crate) fn all(facts: &Facts) -> Vec<(f32, Box<dyn Inquiry>)> {
    let mut found: Vec<(f32, Box<dyn Inquiry>)> = Vec::new();
    for (turn, id) in typ::Type::find(facts).into_iter().take(MOST_TYPES).enumerate() {
        if let Some(inquiry) = typ::Type::open(facts, id) {
            found.push((2.0 + 6.0 * turn as f32, Box::new(inquiry)));
        }
    }
    found
}

/// Most types of one project that get a record of their own.
const MOST_TYPES: usize = 24;

/// Opens a subject; `None` when the project has no such thing (any more).
pub(crate) fn open(facts: &Facts, subject: &Subject) -> Option<Box<dyn Inquiry>> {
    match subject {
        Subject::Type(key) => typ::Type::open(facts, facts.find(key)?).map(|t| Box::new(t) as _),
        _ => None,
    }
}

/// The inquiry that tells most about a symbol.
pub(crate) fn about(facts: &Facts, id: SymbolId) -> Option<Box<dyn Inquiry>> {
    typ::Type::open(facts, id).map(|t| Box::new(t) as _)
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
