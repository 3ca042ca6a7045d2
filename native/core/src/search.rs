//! The port to lexical search.

use crate::{Result, SourceRef};

/// One hit of a lexical search, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct TextHit {
    /// The document's key: a record's id, or `path:line`.
    pub key: String,
    /// BM25 score; comparable only within one search.
    pub score: f32,
    /// Where it stands, for code.
    pub source: Option<SourceRef>,
    /// An excerpt of the text.
    pub text: String,
}

/// A document to be found.
#[derive(Debug, Clone, PartialEq)]
pub struct TextDocument {
    /// Unique in the index.
    pub key: String,
    /// What it says.
    pub text: String,
    /// Where it stands, for code.
    pub source: Option<SourceRef>,
}

/// A lexical index (BM25) over documents of any script.
pub trait TextIndex: Send + Sync {
    /// Replaces the whole content.
    ///
    /// # Errors
    /// `Internal`.
    fn replace_all(&self, documents: Vec<TextDocument>) -> Result<()>;

    /// The best `limit` hits. Any query is legal; an empty one finds nothing.
    ///
    /// # Errors
    /// `Internal`.
    fn search(&self, query: &str, limit: usize) -> Result<Vec<TextHit>>;

    /// About which share of the documents holds a word that begins so, up to 1. Of one that none holds nobody knows how rare it
    /// is: it counts as if one did.
    ///
    /// # Errors
    /// `Internal`.
    fn share_with(&self, beginning: &str) -> Result<f32>;
}
