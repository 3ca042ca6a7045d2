//! A project on disk, its scan and tools, and rounds of the reasoner without the engine around it.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use ouro_core::{
    ActionRequest, Freshness, Language, LearningRecord, Observation, ProjectAnalysis, ProjectKey,
    ProjectSource, Question, QuestionRequest, Reasoner, RecordId, SeededRandom, Summary,
    SummaryRequest, SystemClock, TokenUsage, ToolCallStep, ToolContext, ToolRegistry, ToolResult,
};
use ouro_engine::OfflineReasoner;
use ouro_tools::{ProjectRoot, ProjectScanner, ScanOptions, SharedAnalysis, native_tools};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A project that was scanned.
pub(crate) struct Stage {
    folder: TempDir,
    analysis: Arc<ProjectAnalysis>,
    tools: ToolRegistry,
}

impl Stage {
    /// A project of these files.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            write(folder.path(), path, text);
        }
        let scanner = ProjectScanner::new(
            folder.path(),
            ScanOptions::default(),
            Arc::new(SystemClock::new()),
        )
        .unwrap();
        let shared = SharedAnalysis::new(Arc::new(scanner));
        let analysis = shared.refresh(&CancellationToken::new()).unwrap();
        let mut tools = ToolRegistry::new();
        for tool in native_tools(&ProjectRoot::open(folder.path()).unwrap(), &shared, &[]).unwrap()
        {
            tools.register(tool);
        }
        Self { folder, analysis, tools }
    }

    /// A small cache with an interface, errors, settings and tests.
    pub(crate) fn cache() -> Self {
        Self::of(&[
            ("README.md", README),
            ("pyproject.toml", MANIFEST),
            (
                "src/__init__.py",
                "\"\"\"A cache for slow answers.\"\"\"\n\nfrom .cache import Cache\n",
            ),
            ("src/cache.py", CACHE),
            ("src/store.py", STORE),
            ("src/errors.py", ERRORS),
            ("tests/test_cache.py", TESTS),
        ])
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        write(self.folder.path(), path, text);
    }

    pub(crate) fn lines(&self, path: &str) -> u32 {
        let text = fs::read_to_string(self.folder.path().join(path)).unwrap();
        u32::try_from(text.lines().count()).unwrap()
    }

    pub(crate) fn text(&self, path: &str, start: u32, end: u32) -> String {
        let text = fs::read_to_string(self.folder.path().join(path)).unwrap();
        text.lines()
            .skip(start as usize - 1)
            .take((end - start + 1) as usize)
            .collect::<Vec<_>>()
            .join(" ")
    }

    pub(crate) fn request(&self, count: usize, language: Language) -> QuestionRequest {
        QuestionRequest {
            count,
            language,
            analysis: Arc::clone(&self.analysis),
            records: Arc::default(),
            gaps: Vec::new(),
            put_aside: Vec::new(),
            advice: None,
            rejected: Vec::new(),
            tools: Vec::new(),
            uncovered: Vec::new(),
            tokens_left: 0,
        }
    }

    pub(crate) fn summary(
        &self,
        question: Question,
        seen: Vec<Observation>,
        language: Language,
    ) -> SummaryRequest {
        SummaryRequest {
            question,
            language,
            analysis: Arc::clone(&self.analysis),
            observations: Arc::new(seen),
            records: Arc::default(),
            advice: None,
            cite_lines: true,
            tokens_left: 0,
        }
    }

    /// Lets a reasoner explore a question with the real tools, at most ten steps.
    pub(crate) async fn explore(
        &self,
        reasoner: &OfflineReasoner,
        question: &Question,
        language: Language,
    ) -> Vec<Observation> {
        let mut seen: Vec<Observation> = Vec::new();
        for left in (1..=10).rev() {
            // As much as an exploration gathers by default.
            if seen.iter().map(|o| o.content.chars().count()).sum::<usize>() >= 20_000 {
                break;
            }
            let request = ActionRequest {
                question: question.clone(),
                language,
                analysis: Arc::clone(&self.analysis),
                tools: self.tools.specs().cloned().collect(),
                observations: Arc::new(seen.clone()),
                advice: None,
                hint: None,
                steps_left: left,
                sufficient: false,
                tokens_left: 0,
            };
            let action = reasoner.next_action(request).await.unwrap().value;
            if action.should_stop {
                break;
            }
            let tool = self.tools.get(&action.tool_name).unwrap();
            let result = tool
                .call(&action.parameters, &ToolContext::default())
                .await
                .unwrap_or_else(|error| ToolResult::error(error.to_string()));
            seen.push(Observation {
                step: ToolCallStep {
                    tool_name: action.tool_name,
                    parameters: action.parameters,
                    result_summary: result.summary,
                    at: 0,
                    duration_ms: 0,
                    cached: false,
                    is_error: result.is_error,
                },
                content: result.content,
                lines: result.lines,
            });
        }
        seen
    }

    /// The records of so many rounds, oldest first; fewer when nothing is left to ask.
    pub(crate) async fn learn(&self, rounds: usize, language: Language) -> Vec<LearningRecord> {
        let reasoner = OfflineReasoner::new(7);
        let mut records: Vec<LearningRecord> = Vec::new();
        let mut put_aside = Vec::new();
        for _ in 0..rounds {
            let mut request = self.request(3, language);
            request.records = Arc::new(records.iter().rev().cloned().collect());
            request.put_aside.clone_from(&put_aside);
            let questions = reasoner.generate_questions(request).await.unwrap().value;
            let Some(question) = questions.into_iter().max_by_key(|q| q.priority) else { break };
            let seen = self.explore(&reasoner, &question, language).await;
            let mut summary = self.summary(question.clone(), seen, language);
            summary.records = Arc::new(records.iter().rev().cloned().collect());
            match reasoner.summarize(summary).await {
                Ok(thought) => {
                    records.push(record(records.len() as u64, question, thought.value, language))
                }
                Err(_) => put_aside.push(question.question),
            }
        }
        records
    }
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The places an answer cites: `path:start-end` in backticks.
pub(crate) fn citations(answer: &str) -> Vec<(String, u32, u32)> {
    answer
        .split('`')
        .filter_map(|code| {
            let (path, range) = code.rsplit_once(':')?;
            let (start, end) = range.split_once('-').unwrap_or((range, range));
            Some((path.to_owned(), start.parse().ok()?, end.parse().ok()?))
        })
        .collect()
}

/// The statements of an answer: list items, and paragraphs by sentence; code and what leads to a list left out.
pub(crate) fn statements(answer: &str) -> Vec<String> {
    let mut found = Vec::new();
    for block in answer.split("\n\n").filter(|b| !b.starts_with("```") && !b.ends_with("```")) {
        if block.starts_with("- ") || block.starts_with("1. ") {
            found.extend(block.lines().map(str::to_owned));
            continue;
        }
        // A sentence ends after its citation.
        let marked = block.replace("`). ", "`).\n").replace("`）。", "`）。\n");
        found
            .extend(marked.lines().filter(|s| !s.trim().ends_with([':', '：'])).map(str::to_owned));
    }
    found.retain(|s| !s.trim().is_empty());
    found
}

fn record(number: u64, question: Question, summary: Summary, language: Language) -> LearningRecord {
    LearningRecord {
        id: RecordId::new(&SystemClock::new(), &SeededRandom::new(number)),
        project_key: ProjectKey::for_root(Path::new("/project")),
        created_at: 0,
        question: question.question,
        question_type: question.question_type,
        answer: summary.answer,
        exploration_path: Vec::new(),
        confidence: summary.confidence,
        source_files: summary.source_files,
        source_hashes: BTreeMap::new(),
        tags: summary.tags,
        domain: summary.domain,
        topic: question.topic,
        language,
        embedder: String::new(),
        model: "offline".to_owned(),
        tokens: TokenUsage::default(),
        supersedes: None,
        superseded_by: None,
        freshness: Freshness::Fresh,
        pinned: false,
        rating: None,
        correction: None,
    }
}

const README: &str = "# Slowpoke

**Slowpoke** is a cache for answers that take long to find. It keeps them in memory or on disk.

```python
from slowpoke import Cache

cache = Cache(limit=2)
cache.remember('x', 1)
cache.recall('x')
```
";

const MANIFEST: &str =
    "[project]\nname = \"slowpoke\"\nversion = \"1.2.0\"\ndescription = \"A cache\"\n";

const CACHE: &str = r#""""Keeps answers for as long as they are useful."""

from .errors import CacheFull, MissingAnswer
from .store import DiskStore, MemoryStore


class CacheOptions:
    """What a user can set."""

    #: How many answers are kept.
    limit = 10
    #: Where they are kept: in memory or on disk.
    place = "memory"
    #: Seconds after which an answer is forgotten.
    lifetime = 60
    #: Whether a full cache drops the oldest answer.
    drop_oldest = True


class Cache:
    """Remembers answers by their question. An answer is forgotten when its time is over."""

    def __init__(self, options: CacheOptions):
        self.options = options
        self.store = MemoryStore()

    def remember(self, question, answer):
        """Stores an answer under its question."""
        # Make room before anything is written.
        self.make_room()
        if answer is None:
            raise ValueError("an answer can't be empty")
        self.store.write(question, answer)
        notify(question)

    def recall(self, question):
        """Finds the answer to a question.

        :raises MissingAnswer: if it was never given
        """
        if question not in self.store.names():
            raise MissingAnswer("no answer is known for this question")
        return self.store.fetch(question)

    def make_room(self):
        """Drops the oldest answer when the cache is full."""
        if len(self.store.names()) >= self.options.limit and not self.options.drop_oldest:
            raise CacheFull("the cache is full and may not drop anything")
        self.store.drop_first()


def notify(question):
    """Tells every listener that an answer was stored."""
    return question


def open_cache(place):
    """Opens a cache at a place."""
    # A folder means that answers survive the process.
    cache = Cache(CacheOptions())
    if place:
        cache.store = DiskStore(place)
    notify(place)
    return cache
"#;

const STORE: &str = r#""""Where answers are kept."""


class Store:
    """Keeps answers. A store knows nothing of time or limits."""

    def write(self, question, answer):
        """Puts an answer in its place."""
        raise NotImplementedError

    def fetch(self, question):
        """Takes an answer from its place."""
        raise NotImplementedError

    def names(self):
        """Lists the questions with an answer."""
        raise NotImplementedError

    def drop_first(self):
        """Forgets the answer that was written first."""
        raise NotImplementedError


class MemoryStore(Store):
    """Keeps answers until the process ends."""


class DiskStore(Store):
    """Keeps answers in one file each."""

    def __init__(self, folder):
        self.folder = folder


class NullStore(Store):
    """Keeps nothing, for tests of slow paths."""
"#;

const ERRORS: &str = r#""""What can go wrong."""


class SlowpokeError(Exception):
    """The base of every failure of this package."""


class MissingAnswer(SlowpokeError):
    """Nobody has asked this question yet."""


class CacheFull(SlowpokeError):
    """There is no room for another answer."""
"#;

const TESTS: &str = r#""""Tests of the cache as a user sees it."""

from src.cache import Cache, CacheOptions, open_cache


def test_an_answer_is_recalled_by_its_question():
    cache = Cache(CacheOptions())
    cache.remember("x", 1)
    assert cache.recall("x") == 1


def test_a_full_cache_drops_the_oldest_answer():
    cache = Cache(CacheOptions())
    cache.remember("x", 1)
    assert cache.store is not None


def test_empty_answers_are_refused():
    cache = open_cache("")
    assert cache.options.limit == 10


def test_unknown_questions_have_no_answer():
    cache = open_cache("folder")
    assert cache.store.folder == "folder"
"#;
