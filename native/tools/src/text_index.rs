//! The lexical index: BM25 by tantivy, in memory, in one segment that is built anew as a whole.
//!
//! Tantivy holds the words only; keys, places and excerpts stay in a list beside it, where a document's number is its
//! index. Building and searching start no thread.

use std::{
    collections::BTreeSet,
    sync::{Arc, PoisonError, RwLock},
};

use ouro_core::{Error, ErrorKind, Result, SourceRef, TextDocument, TextHit, TextIndex};
use tantivy::{
    Index, IndexSettings, ReloadPolicy, Searcher, TantivyDocument, TantivyError, Term,
    collector::TopDocs,
    directory::RamDirectory,
    query::BooleanQuery,
    schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions},
    tokenizer::{Token, TokenStream, Tokenizer},
};

use crate::{text::clip_lines, tokens::words};

/// Bytes that tantivy may use while it builds; it takes them as it needs them.
const BUILD_BYTES: usize = 64 * 1_024 * 1_024;
/// Words of a query that are looked for.
const MAX_QUERY_WORDS: usize = 64;
/// Most characters of an excerpt.
const EXCERPT_CHARS: usize = 2_000;
/// The name under which tantivy finds the tokenizer.
const TOKENIZER: &str = "words";

/// A lexical index in memory.
#[derive(Default)]
pub struct TantivyIndex {
    built: RwLock<Option<Arc<Built>>>,
}

struct Built {
    searcher: Searcher,
    field: Field,
    documents: Vec<Entry>,
}

/// What is kept of a document besides its words.
struct Entry {
    key: String,
    source: Option<SourceRef>,
    excerpt: String,
}

impl TantivyIndex {
    /// An empty index.
    pub fn new() -> Self {
        Self::default()
    }
}

impl TextIndex for TantivyIndex {
    fn replace_all(&self, documents: Vec<TextDocument>) -> Result<()> {
        let built =
            if documents.is_empty() { None } else { Some(build(documents).map_err(failed)?) };
        *self.built.write().unwrap_or_else(PoisonError::into_inner) = built.map(Arc::new);
        Ok(())
    }

    fn search(&self, query: &str, limit: usize) -> Result<Vec<TextHit>> {
        let built = self.built.read().unwrap_or_else(PoisonError::into_inner).clone();
        match built {
            Some(built) => search(&built, query, limit).map_err(failed),
            None => Ok(Vec::new()),
        }
    }

    fn share_with(&self, beginning: &str) -> Result<f32> {
        let built = self.built.read().unwrap_or_else(PoisonError::into_inner).clone();
        built.map_or(Ok(1.0), |built| share_with(&built, beginning).map_err(failed))
    }
}

impl std::fmt::Debug for TantivyIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let built = self.built.read().unwrap_or_else(PoisonError::into_inner);
        let documents = built.as_ref().map_or(0, |b| b.documents.len());
        f.debug_struct("TantivyIndex").field("documents", &documents).finish()
    }
}

fn build(documents: Vec<TextDocument>) -> tantivy::Result<Built> {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_index_option(IndexRecordOption::WithFreqs);
    let field =
        schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
    let settings =
        IndexSettings { docstore_compress_dedicated_thread: false, ..IndexSettings::default() };
    let index = Index::builder().schema(schema.build()).settings(settings);
    let index = index.tokenizers(tokenizers());
    let mut writer = index
        .single_segment_index_writer::<TantivyDocument>(RamDirectory::create(), BUILD_BYTES)?;
    let mut entries = Vec::with_capacity(documents.len());
    for TextDocument { key, text, source } in documents {
        let mut document = TantivyDocument::default();
        // A place is found by the words of its path too.
        document.add_text(field, format!("{key}\n{text}"));
        writer.add_document(document)?;
        let excerpt = clip_lines(&text, EXCERPT_CHARS).to_owned();
        entries.push(Entry { key, source, excerpt });
    }
    let index = writer.finalize()?;
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    let searcher = tantivy::IndexReader::searcher(&reader);
    Ok(Built { searcher, field, documents: entries })
}

fn search(built: &Built, query: &str, limit: usize) -> tantivy::Result<Vec<TextHit>> {
    let mut distinct = BTreeSet::new();
    words(query, |word| {
        if distinct.len() < MAX_QUERY_WORDS {
            distinct.insert(word.to_owned());
        }
    });
    let limit = limit.min(built.documents.len());
    if distinct.is_empty() || limit == 0 {
        return Ok(Vec::new());
    }
    let terms = distinct.iter().map(|word| Term::from_field_text(built.field, word)).collect();
    let query = BooleanQuery::new_multiterms_query(terms);
    let best = built.searcher.search(&query, &TopDocs::with_limit(limit).order_by_score())?;
    let hit = |(score, address): (f32, tantivy::DocAddress)| {
        let entry = built.documents.get(address.doc_id as usize)?;
        let (key, text) = (entry.key.clone(), entry.excerpt.clone());
        Some(TextHit { key, score, source: entry.source.clone(), text })
    };
    Ok(best.into_iter().filter_map(hit).collect())
}

/// A document that holds two such words is counted twice: that is near enough for telling rare words from common ones.
fn share_with(built: &Built, beginning: &str) -> tantivy::Result<f32> {
    let beginning = beginning.to_lowercase();
    let mut documents = 0;
    for segment in built.searcher.segment_readers() {
        let index = segment.inverted_index(built.field)?;
        let mut words = index.terms().range().ge(beginning.as_bytes()).into_stream()?;
        while words.advance() && words.key().starts_with(beginning.as_bytes()) {
            documents += u64::from(words.value().doc_freq);
        }
    }
    #[allow(clippy::cast_precision_loss, reason = "a share needs no more")]
    let share = documents.max(1) as f32 / built.documents.len() as f32;
    Ok(share.min(1.0))
}

fn failed(error: TantivyError) -> Error {
    Error::new(ErrorKind::Internal, "the search index failed").with_source(error)
}

fn tokenizers() -> tantivy::tokenizer::TokenizerManager {
    let manager = tantivy::tokenizer::TokenizerManager::new();
    manager.register(TOKENIZER, Words::default());
    manager
}

/// [`words`] as tantivy wants it.
#[derive(Clone, Default)]
struct Words {
    text: String,
    ends: Vec<usize>,
}

struct WordStream<'a> {
    words: &'a Words,
    next: usize,
    token: Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.text.clear();
        self.ends.clear();
        words(text, |word| {
            self.text.push_str(word);
            self.ends.push(self.text.len());
        });
        WordStream { words: self, next: 0, token: Token::default() }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(&end) = self.words.ends.get(self.next) else { return false };
        let start = self.next.checked_sub(1).and_then(|i| self.words.ends.get(i)).copied();
        let word = self.words.text.get(start.unwrap_or(0)..end).unwrap_or_default();
        self.token.text.clear();
        self.token.text.push_str(word);
        self.token.position = self.next;
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn index(texts: &[&str]) -> TantivyIndex {
        let index = TantivyIndex::new();
        let document = |(i, text): (usize, &&str)| TextDocument {
            key: format!("src/file{i}.rs:{i}"),
            text: (*text).to_owned(),
            source: None,
        };
        index.replace_all(texts.iter().enumerate().map(document).collect()).unwrap();
        index
    }

    fn keys(index: &TantivyIndex, query: &str) -> Vec<String> {
        index.search(query, 10).unwrap().into_iter().map(|h| h.key).collect()
    }

    #[test]
    fn the_rarer_word_decides_and_another_spelling_finds_it_too() {
        let index =
            index(&["fn load_config()", "fn load_user()", "class ConfigLoader { fn load() }"]);
        assert_eq!(keys(&index, "user load").first().unwrap(), "src/file1.rs:1");
        assert_eq!(keys(&index, "loadConfig").first().unwrap(), "src/file0.rs:0");
        assert_eq!(keys(&index, "configs").len(), 2);
        assert!(keys(&index, "database").is_empty());
    }

    #[test]
    fn chinese_is_found_without_a_dictionary() {
        let index = index(&["读取配置文件", "写入日志文件", "网络请求"]);
        assert_eq!(keys(&index, "配置怎么读取").first().unwrap(), "src/file0.rs:0");
        assert_eq!(keys(&index, "日志").first().unwrap(), "src/file1.rs:1");
    }

    #[test]
    fn the_share_of_documents_with_a_word_counts_its_endings() {
        let index = index(&["fn retry()", "it retries", "the retrieval", "订单重试"]);
        let share = |beginning| index.share_with(beginning).unwrap();
        assert!((share("retr") - 0.75).abs() < 1e-6 && (share("Retry") - 0.5).abs() < 1e-6);
        assert!((share("重试") - 0.25).abs() < 1e-6 && (share("cache") - 0.25).abs() < 1e-6);
        assert!((TantivyIndex::new().share_with("retry").unwrap() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn replacing_the_documents_forgets_the_old_ones() {
        let index = index(&["alpha"]);
        index
            .replace_all(vec![TextDocument { key: "b".into(), text: "beta".into(), source: None }])
            .unwrap();
        assert!(keys(&index, "alpha").is_empty());
        assert_eq!(keys(&index, "beta"), ["b"]);
        index.replace_all(Vec::new()).unwrap();
        assert!(keys(&index, "beta").is_empty());
    }

    #[test]
    fn an_empty_query_an_empty_index_and_a_limit_of_none_find_nothing() {
        assert!(keys(&TantivyIndex::new(), "x").is_empty());
        assert!(keys(&index(&["x"]), " +-\"(").is_empty());
        assert!(index(&["x"]).search("x", 0).unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn any_query_is_legal(query in "\\PC{0,80}", text in "\\PC{0,80}") {
            let index = index(&[&text, "fixed text"]);
            prop_assert!(index.search(&query, 5).unwrap().len() <= 2);
        }

        #[test]
        fn a_document_is_found_by_any_of_its_words(text in "[a-zA-Z_ 界限配置]{1,60}") {
            let index = index(&["other things", &text]);
            let mut all = Vec::new();
            words(&text, |w| all.push(w.to_owned()));
            for word in all {
                let found = keys(&index, &word);
                prop_assert!(found.contains(&"src/file1.rs:1".to_owned()), "{} {:?}", word, found);
            }
        }
    }
}
