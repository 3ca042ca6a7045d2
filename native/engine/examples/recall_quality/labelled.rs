//! Questions about this repository, each with the places that answer it: a file, and a word that stands there.

/// A question with its answers.
pub(crate) struct Labelled {
    /// What somebody asks.
    pub(crate) question: &'static str,
    /// The files that answer it. A passage of one counts when it holds one of the words, any passage where there are none.
    pub(crate) files: &'static [&'static str],
    /// The names around which the answer stands.
    pub(crate) words: &'static [&'static str],
}

const fn ask(
    question: &'static str,
    files: &'static [&'static str],
    words: &'static [&'static str],
) -> Labelled {
    Labelled { question, files, words }
}

/// Written by hand before anything was measured, by what people ask who are new here.
pub(crate) const LABELLED: &[Labelled] = &[
    ask(
        "How long does the client pause before it tries the model again?",
        &["native/llm/src/retry.rs"],
        &["next_pause", "RetryPolicy"],
    ),
    ask("Where is the jitter of the backoff added?", &["native/guard/src/backoff.rs"], &["jitter"]),
    ask(
        "What happens when the day's quota is used up?",
        &["native/guard/src/quota.rs"],
        &["consume", "check", "QuotaExhausted"],
    ),
    ask(
        "How is a secret in the text of a file replaced?",
        &["native/tools/src/redact.rs"],
        &["redact"],
    ),
    ask(
        "Which files are never read because they hold secrets?",
        &["native/tools/src/secret_files.rs"],
        &[],
    ),
    ask(
        "How is a path outside of the project's root refused?",
        &["native/tools/src/confine.rs"],
        &["outside", "root", "Root"],
    ),
    ask(
        "How is a line written to the journal of records?",
        &["native/store/src/journal/mod.rs", "native/store/src/journal/line.rs"],
        &["append", "encode"],
    ),
    ask(
        "What is done when the database is damaged?",
        &["native/store/src/open.rs", "native/store/src/renew.rs"],
        &["damaged", "suspicion", "set_aside", "renew"],
    ),
    ask(
        "How does the store notice that the disk is nearly full?",
        &["native/store/src/disk.rs"],
        &["require_space", "check_space"],
    ),
    ask("How are server-sent events parsed?", &["native/llm/src/sse.rs"], &[]),
    ask(
        "How is JSON found in a model's reply and validated?",
        &["native/llm/src/json_reply.rs"],
        &[],
    ),
    ask(
        "How is an API key kept out of debug output?",
        &["native/llm/src/api_key.rs"],
        &["Debug", "Credential", "ApiKey"],
    ),
    ask(
        "How does the built-in embedder hash words into a vector?",
        &["native/llm/src/hash_embedder.rs"],
        &["vector", "HashEmbedder"],
    ),
    ask(
        "How is the threshold for the same question calibrated?",
        &["native/llm/src/calibration.rs"],
        &["Calibration", "threshold"],
    ),
    ask(
        "When does the health checker say that a loop is stuck?",
        &["native/guard/src/health.rs"],
        &["HealthChecker", "check", "stuck"],
    ),
    ask(
        "When is a tool call answered from the cache?",
        &["native/guard/src/tool_cache.rs", "native/guard/src/guard.rs"],
        &["ToolCache", "check_tool_call", "AlreadyRun"],
    ),
    ask(
        "How is the signature of a tool call made?",
        &["native/guard/src/signature.rs"],
        &["of_tool_call", "Signature", "canonical"],
    ),
    ask(
        "Which failures are tried again, and how often?",
        &["native/guard/src/failures.rs"],
        &["Transient", "Permanent", "attempts", "retry"],
    ),
    ask(
        "When does an exploration end?",
        &["native/engine/src/explorer.rs"],
        &["End", "run", "Exploration"],
    ),
    ask(
        "How is a question chosen and admitted?",
        &["native/engine/src/questions.rs"],
        &["admit", "search"],
    ),
    ask(
        "How does a record become stale?",
        &["native/engine/src/freshness.rs"],
        &["changed_marks", "Stale"],
    ),
    ask("How are records exported as Markdown?", &["native/engine/src/export.rs"], &["markdown"]),
    ask(
        "How are vectors kept on disk?",
        &["native/store/src/vectors/mod.rs"],
        &["Vectors", "Group", "append"],
    ),
    ask(
        "How does grep_file search the files?",
        &["native/tools/src/grep_file.rs"],
        &["grep", "Grep"],
    ),
    ask(
        "How are the callers of a function found?",
        &["native/tools/src/call_graph.rs", "native/tools/src/call_chain.rs"],
        &["callers", "Callers"],
    ),
    ask("How is a Maven build file read?", &["native/tools/src/analysis/manifest/maven.rs"], &[]),
    ask(
        "How does a Kotlin program register a tool?",
        &["plugin/bridge/src/main/kotlin/dev/ouro/bridge/ToolRegistry.kt"],
        &["register", "ToolRegistry"],
    ),
    ask(
        "Where is the native library looked for and loaded?",
        &["plugin/bridge/src/main/kotlin/dev/ouro/bridge/NativeLibrary.kt"],
        &["load", "NativeLibrary"],
    ),
    ask(
        "What keeps a closed handle from being used?",
        &["native/ffi/src/registry.rs"],
        &["Registry", "handle"],
    ),
    ask(
        "How is a panic turned into an error at the border?",
        &["native/ffi/src/panics.rs"],
        &["panic"],
    ),
    ask("What does the command do on Ctrl-C?", &["native/cli/src/signals.rs"], &[]),
    ask(
        "How are identifiers split into words for the index?",
        &["native/tools/src/tokens.rs"],
        &["identifier", "words", "part_end"],
    ),
    ask(
        "How are a stream's repetitions detected in the reply of a model?",
        &["native/engine/src/loops.rs"],
        &["Watch", "loop", "Loop"],
    ),
    ask(
        "How does an interrupted iteration resume?",
        &["native/engine/src/iteration.rs"],
        &["resume"],
    ),
    ask(
        "How are two processes kept from opening one store?",
        &["native/store/src/lock.rs"],
        &["Lock", "acquire", "in_use"],
    ),
    ask(
        "How is a forecast weighted?",
        &["tests/fixtures/weather/weather/forecast.py", "tests/fixtures/weather/README.md"],
        &["weight", "forecast"],
    ),
    ask(
        "How are weather readings parsed from CSV?",
        &["tests/fixtures/weather/weather/readings.py"],
        &[],
    ),
    ask(
        "Which scripted replies can the model server of the tests give?",
        &["native/testkit/src/model_reply.rs", "native/testkit/src/model_server.rs"],
        &["Reply"],
    ),
    ask(
        "How is the manual clock moved in tests?",
        &["native/testkit/src/clock.rs"],
        &["advance", "ManualClock"],
    ),
    ask(
        "Which modules does coverage count as answered?",
        &["native/engine/src/coverage.rs"],
        &["coverage", "Coverage", "covered"],
    ),
];
