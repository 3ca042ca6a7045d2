package dev.ouro.bridge

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject

/** The settings of a project's loop. What is `null` keeps the library's default. */
@Serializable
public data class EvolutionConfig(
    /** Whether the loop may run at all: the user's consent for this project. */
    val enabled: Boolean = false,
    /** Rest between two iterations, milliseconds. */
    val intervalMs: Long? = null,
    val questionsPerIteration: Int? = null,
    val maxExplorationSteps: Int? = null,
    val explorationTimeoutMs: Long? = null,
    val maxDailyQuestions: Int? = null,
    val maxDailyExplorations: Int? = null,
    val baseBackoffMs: Long? = null,
    val maxBackoffMs: Long? = null,
    val maxConsecutiveErrors: Int? = null,
    val maxTokensPerIteration: Long? = null,
    /** `en` or `zh-CN`. */
    val language: String? = null,
    val deepMode: Boolean? = null,
)

/** Where a model is. */
@Serializable
public class Endpoint(
    /** With or without `/v1`. */
    public val baseUrl: String,
    public val model: String,
    public val apiKey: String? = null,
) {
    /** Shows no key. */
    override fun toString(): String = "Endpoint($model at $baseUrl)"
}

/** A line of a project's file. */
@Serializable
public data class SourceLine(val path: String, val line: Int, val text: String)

/** A place that backs a statement. */
@Serializable
public data class SourceRef(val path: String, val startLine: Int? = null, val endLine: Int? = null)

/** Tokens that a model read and wrote. */
@Serializable
public data class TokenUsage(val prompt: Long = 0, val completion: Long = 0)

/** One step of an exploration. */
@Serializable
public data class ToolCallStep(
    val toolName: String,
    val parameters: JsonElement,
    val resultSummary: String,
    val at: Long,
    val durationMs: Long,
    val cached: Boolean,
    val isError: Boolean = false,
)

/** The user's own words, which outrank the answer. */
@Serializable
public data class Correction(val text: String, val at: Long)

/** Whether a record's sources still are what they were: `fresh` or `stale`. */
@Serializable
public data class Freshness(val state: String = "fresh", val path: String? = null, val since: Long? = null)

/** What was learnt from one question. */
@Serializable
public data class LearningRecord(
    val id: String,
    val projectKey: String,
    /** Epoch milliseconds. */
    val createdAt: Long,
    val question: String,
    val questionType: String,
    /** Markdown. */
    val answer: String,
    val explorationPath: List<ToolCallStep>,
    /** 0 (a guess) to 1 (certain). */
    val confidence: Float,
    val sourceFiles: List<SourceRef>,
    val tags: List<String>,
    val domain: String,
    val model: String,
    val supersededBy: String? = null,
    val freshness: Freshness = Freshness(),
    val pinned: Boolean = false,
    val correction: Correction? = null,
) {
    /** What to show as the answer. */
    public val effectiveAnswer: String get() = correction?.text ?: answer
}

/** The day's quota. */
@Serializable
public data class QuotaStatus(
    val questionsRemaining: Int,
    val questionsLimit: Int,
    val explorationsRemaining: Int,
    val explorationsLimit: Int,
    /** Epoch milliseconds. */
    val resetsAt: Long,
)

/** How the loop is doing. */
@Serializable
public data class HealthReport(
    val healthy: Boolean,
    val issues: JsonArray,
    val suggestedAction: JsonObject,
)

/** How things stand with one project. */
@Serializable
public data class EvolutionStats(
    val projectKey: String,
    val totalQuestions: Long,
    val todayQuestions: Int,
    val totalLearningRecords: Long,
    val loopsDetected: Long = 0,
    val consecutiveErrors: Int,
    val lastEvolutionTime: Long? = null,
    /** `idle`, `loading_memory`, `generating_question`, `exploring`, `summarizing` or `waiting`. */
    val currentPhase: String,
    /** Epoch milliseconds. */
    val phaseSince: Long,
    val waitingUntil: Long? = null,
    val waitReason: JsonObject? = null,
    val stopReason: StopReason? = null,
    val quota: QuotaStatus,
    val health: HealthReport,
)

/** Why a loop ended. */
@Serializable
public data class StopReason(
    /** `user_stopped`, `iterations_done`, `fully_covered`, `quota_exhausted` and so on. */
    val reason: String,
)

/** One line of the loop's log. */
@Serializable
public data class EvolutionLog(
    val timestamp: Long,
    val phase: String,
    val question: String? = null,
    val success: Boolean,
    val error: String? = null,
    val durationMs: Long,
)

/** Something that failed, and how to avoid it. */
@Serializable
public data class FailureRecord(
    val id: String,
    val signature: String,
    val operation: String,
    val error: String,
    val attempts: Int,
    val lastAt: Long,
)

/** An answer from what is known. */
@Serializable
public data class Answer(
    /** The model's answer, Markdown; `null` without a model. */
    val answer: String? = null,
    /** Best first. */
    val records: List<LearningRecord>,
    /** Best first. */
    val code: List<CodePlace>,
)

/** A place in the code. */
@Serializable
public data class CodePlace(val source: SourceRef, val text: String)

/** Something that happened in a project. */
@Serializable
public data class ProjectEvent(
    val schemaVersion: Int,
    /** The project's key. */
    val project: String,
    /** `phase`, `question`, `tool_call`, `record_saved`, `waiting`, `error`, `finished` and so on. */
    @SerialName("event") val kind: String,
    /** In the user's language, where the event has one. */
    val message: String? = null,
    /** Of `record_saved`. */
    val record: LearningRecord? = null,
    /** Of `tool_call`. */
    val tool: String? = null,
)

/** A loop that a [LoopDetector] found. */
@Serializable
public data class DetectedLoop(
    /** `content_chanting`, `consecutive_identical_tool_calls` and so on. */
    val kind: String,
    /** `content`, `reasoning`, `tool_calls` or `session`. */
    val channel: String,
    val rule: String,
    /** Where it is in the text. */
    val span: LoopSpan? = null,
    val pattern: String? = null,
    val period: Long,
    val count: Long,
    /** One sentence for a person. */
    val evidence: String,
    val recovery: LoopRecovery,
)

/** Where a loop is in a text. */
@Serializable
public data class LoopSpan(
    val start: Long,
    val end: Long,
    /** In UTF-16 code units, as a Kotlin `String` counts. */
    @SerialName("start_utf16") val startUtf16: Long,
    @SerialName("end_utf16") val endUtf16: Long,
)

/** What to do about a loop. */
@Serializable
public data class LoopRecovery(
    /** `continue`, `abort_and_retry`, `abort_with_hint` or `ask_user`. */
    val action: String,
    val hint: String? = null,
)
