package dev.ouro.bridge

import kotlinx.serialization.Serializable

/** A project's settings: how its loop works, who thinks, and what must not be read. */
@Serializable
public data class EngineSettings(
    val evolution: EvolutionConfig = EvolutionConfig(),
    /** The chat model; without one the built-in reasoner works offline and nothing is sent anywhere. */
    val model: Endpoint? = null,
    /** The embedder; without one the built-in one works offline. */
    val embedder: Endpoint? = null,
    /** Globs of what must not be read. */
    val excluded: List<String> = emptyList(),
    /** The seed of the built-in reasoner. */
    val seed: Long = 0,
)

/** The settings of a project's loop. What is `null` keeps the library's default, which each field names. */
@Serializable
public data class EvolutionConfig(
    /** Whether the loop may run at all: the user's consent for this project. */
    val enabled: Boolean = false,
    /** Rest between two iterations, milliseconds: 60,000. */
    val intervalMs: Long? = null,
    /** Questions asked of the reasoner at a time: 3. */
    val questionsPerIteration: Int? = null,
    /** How often the reasoner is asked again when all its questions were refused: 3. */
    val maxQuestionRetries: Int? = null,
    /** Tool calls in one exploration: 10. */
    val maxExplorationSteps: Int? = null,
    /** Time for one exploration, milliseconds: 120,000. */
    val explorationTimeoutMs: Long? = null,
    /** Questions a local day: 50. */
    val maxDailyQuestions: Int? = null,
    /** Explorations a local day: 100. */
    val maxDailyExplorations: Int? = null,
    /** First pause after an error, milliseconds: 1,000. */
    val baseBackoffMs: Long? = null,
    /** Longest pause after errors, milliseconds: 3,600,000. */
    val maxBackoffMs: Long? = null,
    /** Factor from one pause to the next: 2. */
    val backoffMultiplier: Double? = null,
    /** Errors in a row after which the loop stops: 5. */
    val maxConsecutiveErrors: Int? = null,
    /** Tokens in one iteration: 8,000. */
    val maxTokensPerIteration: Long? = null,
    /** Characters gathered that may be enough for an answer: 2,000. */
    val sufficientChars: Long? = null,
    /** Cosine from which two questions are the same: the embedder's own. */
    val similarityThreshold: Float? = null,
    /** The language of questions, answers and messages, `en` or `zh-CN`: `en`. */
    val language: String? = null,
    /** Ask more, look longer, cite line ranges: off. */
    val deepMode: Boolean? = null,
    /** Entries of the tool-call cache: 100. */
    val toolCacheCapacity: Int? = null,
    /** How long a cached tool result without a freshness stamp holds, milliseconds: 600,000. */
    val toolCacheTtlMs: Long? = null,
)

/** Where a model is. */
@Serializable
public class Endpoint(
    /** With or without `/v1`, for example `http://localhost:11434`. */
    public val baseUrl: String,
    /** The model's name; without it the endpoint must serve one model only. */
    public val model: String? = null,
    /** The key, if the endpoint wants one. */
    public val apiKey: String? = null,
    /** Of an embedder: put in front of every text. Models of the E5 family want `query: `. */
    public val queryPrefix: String = "",
) {
    /** Shows no key. */
    override fun toString(): String = "Endpoint($model at $baseUrl)"
}

/** What an endpoint showed of itself. */
@Serializable
public data class EndpointReport(
    /** The base URL as it is used. */
    val baseUrl: String,
    /** The model that would be used, where there is no doubt. */
    val model: String? = null,
    /** The models it lists, sorted; empty when it keeps no list. */
    val models: List<String>,
    /** What may be wrong, each in a sentence with the way to mend it; empty when all is well. */
    val problems: List<String>,
)
