package dev.ouro.bridge

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.JsonElement

/** What was learnt from one question. Times are epoch milliseconds. */
@Serializable
public data class LearningRecord(
    /** Sorts by creation. */
    val id: String,
    /** The project that it is about. */
    @SerialName("project_key") val projectKey: String,
    /** When it was written. */
    @SerialName("created_at") val createdAt: Long,
    /** What was asked. */
    val question: String,
    /** `CodeStructure`, `DataFlow` and so on. */
    @SerialName("question_type") val questionType: String,
    /** Markdown. */
    val answer: String,
    /** The tool calls that led to it. */
    @SerialName("exploration_path") val explorationPath: List<ToolCallStep>,
    /** 0 (a guess) to 1 (certain). */
    val confidence: Float,
    /** Files and lines that back the answer; every one was really read. */
    @SerialName("source_files") val sourceFiles: List<SourceRef>,
    /** Words to find it by. */
    val tags: List<String>,
    /** The part of the subject it belongs to. */
    val domain: String,
    /** The model that answered; `offline` for the built-in reasoner. */
    val model: String,
    /** Tokens spent on it. */
    val tokens: TokenUsage = TokenUsage(),
    /** The record whose answer this one replaces. */
    val supersedes: String? = null,
    /** The record that replaced this one. */
    @SerialName("superseded_by") val supersededBy: String? = null,
    /** Whether it still holds. */
    val freshness: Freshness = Freshness(),
    /** Kept at the top by the user. */
    val pinned: Boolean = false,
    /** What the user thinks of it. */
    val rating: Rating? = null,
    /** What the user says instead. */
    val correction: Correction? = null,
) {
    /** What to show as the answer: the user's correction, else the answer. */
    public val effectiveAnswer: String get() = correction?.text ?: answer
}

/** What a user thinks of a record: where it stands when something is searched for. */
@Serializable
public enum class Rating {
    /** It stands higher. */
    @SerialName("useful")
    USEFUL,

    /** It stands lower. */
    @SerialName("useless")
    USELESS,
}

/** A place in a project's file that backs a statement. */
@Serializable
public data class SourceRef(
    /** Relative to the project's root, `/`-separated. */
    val path: String,
    /** From 1; `null` for the whole file. */
    @SerialName("start_line") val startLine: Int? = null,
    /** Inclusive. */
    @SerialName("end_line") val endLine: Int? = null,
)

/** A line of a project's file. */
@Serializable
public data class SourceLine(
    /** Relative to the project's root, `/`-separated. */
    val path: String,
    /** From 1. */
    val line: Int,
    /** The line without its end. */
    val text: String,
)

/** Tokens that a model read and wrote. */
@Serializable
public data class TokenUsage(
    /** Tokens read. */
    val prompt: Long = 0,
    /** Tokens written. */
    val completion: Long = 0,
    /** Whether some of it was estimated, because the model's server did not count. */
    val estimated: Boolean = false,
)

/** One step of an exploration. */
@Serializable
public data class ToolCallStep(
    /** The tool that was called. */
    @SerialName("tool_name") val toolName: String,
    /** Its arguments. */
    val parameters: JsonElement,
    /** What came back, in a sentence. */
    @SerialName("result_summary") val resultSummary: String,
    /** Epoch milliseconds. */
    val at: Long,
    /** How long it took, milliseconds. */
    @SerialName("duration_ms") val durationMs: Long,
    /** Whether the result came from the cache. */
    val cached: Boolean,
    /** Whether the result was an error. */
    @SerialName("is_error") val isError: Boolean = false,
)

/** The user's own words, which outrank the answer. */
@Serializable
public data class Correction(
    /** The words, Markdown. */
    val text: String,
    /** Epoch milliseconds. */
    val at: Long,
)

/** Whether a record still holds: its sources are what they were, and nothing that was learnt later says otherwise. */
@Serializable
public data class Freshness(
    /** What is known about the sources. */
    val state: State = State.FRESH,
    /** Of a stale one: the first file seen to differ. */
    val path: String? = null,
    /** Since when it is not fresh, epoch milliseconds. */
    val since: Long? = null,
    /** Of a contradicted one: the record that says otherwise. */
    val by: String? = null,
) {
    /** What is known about the sources. */
    @Serializable
    public enum class State {
        /** None has changed. */
        @SerialName("fresh")
        FRESH,

        /** One has changed; the loop answers the question anew. */
        @SerialName("stale")
        STALE,

        /** A later answer says otherwise; the loop answers the question anew. */
        @SerialName("contradicted")
        CONTRADICTED,

        /** The user wants the question answered anew; the loop does it next. */
        @SerialName("asked_again")
        ASKED_AGAIN,
    }
}

/** An answer from what is known. */
@Serializable
public data class Answer(
    /** The model's answer, Markdown; `null` without a model, and where nothing is known. */
    val answer: String? = null,
    /** The files and lines that [answer] rests on. */
    @SerialName("source_files") val sourceFiles: List<SourceRef> = emptyList(),
    /** What the answer cost. The day's counters are those of evolution: this is in none of them. */
    val tokens: TokenUsage = TokenUsage(),
    /** The records that fit best, best first. */
    val records: List<LearningRecord>,
    /** Places in the code, best first. */
    val code: List<CodePlace>,
    /** Where nothing is known: recorded questions that are nearest, best first. */
    @SerialName("nearest_questions") val nearestQuestions: List<String> = emptyList(),
)

/** A place in the code with an excerpt. */
@Serializable
public data class CodePlace(
    /** Where it is. */
    val source: SourceRef,
    /** What stands there. */
    val text: String,
)
