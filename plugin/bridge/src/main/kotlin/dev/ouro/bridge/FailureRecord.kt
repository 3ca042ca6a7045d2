package dev.ouro.bridge

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull

/** One operation that failed, however often. Times are epoch milliseconds. */
@Serializable
public data class FailureRecord(
    /** Sorts by the first failure. */
    val id: String,
    /** What kind of operation it was. */
    @SerialName("operation_kind") val operationKind: OperationKind,
    /** A question, a tool's name. */
    val operation: String,
    /** Identifies the operation; [EvolutionEngine.forgetFailure] takes it. */
    val signature: String,
    /** The last error's message. */
    val error: String,
    /** Whether it makes sense to try again: `transient`, `permanent` or `unknown`. */
    @SerialName("error_class") val errorClass: String,
    /** What was being done: arguments, step, model. */
    val context: JsonElement = JsonNull,
    /** When it failed for the first time. */
    @SerialName("first_at") val firstAt: Long,
    /** When it failed last. */
    @SerialName("last_at") val lastAt: Long,
    /** How often it failed. */
    val attempts: Int,
    /** Where it is in its life. */
    val status: Status,
    /** How to avoid it, once analysed. */
    val strategy: AvoidStrategy? = null,
) {
    /** Where a failure is in its life. */
    @Serializable
    public enum class Status {
        /** Recorded. */
        @SerialName("pending")
        PENDING,

        /** A strategy is known. */
        @SerialName("analysed")
        ANALYSED,

        /** The same operation succeeded later. */
        @SerialName("resolved")
        RESOLVED,

        /** Given up. */
        @SerialName("abandoned")
        ABANDONED,
    }
}

/** What kind of operation failed. */
@Serializable
public enum class OperationKind {
    /** Asking the reasoner for questions. */
    @SerialName("generate_questions")
    GENERATE_QUESTIONS,

    /** Exploring a question. */
    @SerialName("exploration")
    EXPLORATION,

    /** Calling a tool. */
    @SerialName("tool_call")
    TOOL_CALL,

    /** Summing up. */
    @SerialName("summarize")
    SUMMARIZE,

    /** Computing a vector. */
    @SerialName("embed")
    EMBED,

    /** Writing to the store. */
    @SerialName("store")
    STORE,
}

/** How to avoid a failure the next time. */
@Serializable
public data class AvoidStrategy(
    /** Why it failed. */
    val cause: String,
    /** What to do instead. */
    @SerialName("avoid_strategy") val avoidStrategy: String,
    /** Whether and how to retry. */
    @SerialName("retry_suggestion") val retrySuggestion: String,
)
