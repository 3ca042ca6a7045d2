package dev.ouro.bridge

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.JsonObject

/** A project's settings: how its loop works, who thinks, and what must not be read. */
@Serializable
public data class EngineSettings(
    /** How the project's loop works. */
    val evolution: EvolutionConfig = EvolutionConfig(),
    /** The chat model; without one the built-in reasoner works offline and nothing is sent anywhere. */
    val model: Endpoint? = null,
    /** The embedder; without one the built-in one works offline. */
    val embedder: Endpoint? = null,
    /** Globs of what must not be read. */
    val excluded: List<String> = emptyList(),
    /** The seed of the built-in reasoner. */
    val seed: Long = 0,
    /**
     * The reranker, whose model must be named: a server with the `rerank` route of Jina and Cohere. Without one the
     * ranks of the searches decide what is recalled first.
     */
    val reranker: Endpoint? = null,
    /**
     * Thresholds of the loop detectors that watch replies and tool calls, as [LoopDetector] takes them; `null` for the
     * default ones.
     */
    val detection: JsonObject? = null,
)

/** The settings of a project's loop. What is `null` keeps the library's default, which each field names. */
@Serializable
public data class EvolutionConfig(
    /** Whether the loop may run at all: the user's consent for this project. */
    val enabled: Boolean = false,
    /** Rest between two iterations, milliseconds: 60,000. */
    @SerialName("interval_ms") val intervalMs: Long? = null,
    /** Questions asked of the reasoner at a time: 3. */
    @SerialName("questions_per_iteration") val questionsPerIteration: Int? = null,
    /** How often the reasoner is asked again when all its questions were refused: 3. */
    @SerialName("max_question_retries") val maxQuestionRetries: Int? = null,
    /** Tool calls in one exploration: 10. */
    @SerialName("max_exploration_steps") val maxExplorationSteps: Int? = null,
    /** Time for one exploration, milliseconds: 120,000. */
    @SerialName("exploration_timeout_ms") val explorationTimeoutMs: Long? = null,
    /** Questions a local day: 50. */
    @SerialName("max_daily_questions") val maxDailyQuestions: Int? = null,
    /** Explorations a local day: 100. */
    @SerialName("max_daily_explorations") val maxDailyExplorations: Int? = null,
    /** Tokens a local day; 0 lets no model be asked: 800,000. */
    @SerialName("max_daily_tokens") val maxDailyTokens: Long? = null,
    /** Megabytes of the store on disk, at which the loop stops; 0 for no limit: 4,096. */
    @SerialName("max_store_mb") val maxStoreMb: Long? = null,
    /** First pause after an error, milliseconds: 1,000. */
    @SerialName("base_backoff_ms") val baseBackoffMs: Long? = null,
    /** Longest pause after errors, milliseconds: 3,600,000. */
    @SerialName("max_backoff_ms") val maxBackoffMs: Long? = null,
    /** Factor from one pause to the next: 2. */
    @SerialName("backoff_multiplier") val backoffMultiplier: Double? = null,
    /**
     * Errors in a row after which the loop stops: 5. Without a number of iterations, it waits for a server that is away
     * or busy.
     */
    @SerialName("max_consecutive_errors") val maxConsecutiveErrors: Int? = null,
    /** Tokens in one iteration: 8,000. */
    @SerialName("max_tokens_per_iteration") val maxTokensPerIteration: Long? = null,
    /** Characters gathered that may be enough for an answer: 2,000. */
    @SerialName("sufficient_chars") val sufficientChars: Long? = null,
    /** Cosine from which two questions are the same: the embedder's own. */
    @SerialName("similarity_threshold") val similarityThreshold: Float? = null,
    /** The language of questions, answers and messages, `en` or `zh-CN`: `en`. */
    val language: String? = null,
    /** Ask more, look longer, cite line ranges: off. */
    @SerialName("deep_mode") val deepMode: Boolean? = null,
    /** Entries of the tool-call cache: 100. */
    @SerialName("tool_cache_capacity") val toolCacheCapacity: Int? = null,
    /** How long a cached tool result without a freshness stamp holds, milliseconds: 600,000. */
    @SerialName("tool_cache_ttl_ms") val toolCacheTtlMs: Long? = null,
)

/** Where a model is. */
@Serializable
public class Endpoint(
    /** With or without `/v1`, for example `http://localhost:11434`. */
    @SerialName("base_url") public val baseUrl: String,
    /** The model's name; without it the endpoint must serve one model only. */
    public val model: String? = null,
    /** The key, if the endpoint wants one. */
    @SerialName("api_key") public val apiKey: String? = null,
    /** Of an embedder: put in front of every text. Models of the E5 family want `query: `. */
    @SerialName("query_prefix") public val queryPrefix: String = "",
) {
    /** Shows no key. */
    override fun toString(): String = "Endpoint($model at $baseUrl)"
}

/** What an endpoint showed of itself. */
@Serializable
public data class EndpointReport(
    /** The base URL as it is used. */
    @SerialName("base_url") val baseUrl: String,
    /** The model that would be used, where there is no doubt. */
    val model: String? = null,
    /** The models it lists, sorted; empty when it keeps no list. */
    val models: List<String>,
    /** What may be wrong, each in a sentence with the way to mend it; empty when all is well. */
    val problems: List<String>,
)
