package dev.ouro.bridge

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.put

/**
 * The guard of one project: asked before every step of an autonomous loop, told about every outcome. It knows what was
 * asked and called before, what failed, how long to pause and how much of the day's quota is left, across restarts.
 *
 * The engine's own loop uses the same one; through this class agents of the host are held to it as well.
 */
public class DoomLoopGuard internal constructor(private val engine: EvolutionEngine) {
    /** Whether a question may be explored: pause, quota, failures, duplicates, in this order. Consumes nothing. */
    public suspend fun checkQuestion(question: String): Verdict = ask("check_question") { put("question", question) }

    /**
     * Whether a tool may be called with these arguments: its remembered result, then its failures. Answers from memory,
     * so it needs no other thread.
     */
    public fun checkToolCall(tool: String, arguments: JsonObject): Verdict =
        engine.checkToolCall(tool, arguments)?.let { Wire.read("a verdict", it) } ?: Verdict.PROCEED

    /** Remembers a tool's result, so that the same call is answered from memory. Errors are not remembered. */
    public suspend fun recordToolResult(tool: String, arguments: JsonObject, result: ToolResult): Unit =
        tell("record_tool_result") {
            put("tool", tool)
            put("arguments", arguments)
            put("result", Wire.tree(result))
        }

    /**
     * Records that an [operation] (a question, a tool's name) failed: one more attempt on its failure record, one more
     * error in a row, a longer pause. The [context] is what was being done; for a tool call, its arguments.
     *
     * @return the failure as it stands; `null` for work that was cancelled on purpose, which is no failure.
     */
    public suspend fun recordFailure(
        kind: OperationKind,
        operation: String,
        error: EngineException,
        context: JsonObject = JsonObject(emptyMap()),
    ): FailureRecord? = ask("record_failure") {
        put("kind", Wire.tree(kind))
        put("operation", operation)
        put("context", context)
        put("error", Wire.tree(Failure.of(error)))
    }

    /**
     * Records that an operation succeeded: its failures are resolved. A whole exploration ends the errors in a row,
     * too.
     */
    public suspend fun recordSuccess(
        kind: OperationKind,
        operation: String,
        context: JsonObject = JsonObject(emptyMap()),
    ): Unit = tell("record_success") {
        put("kind", Wire.tree(kind))
        put("operation", operation)
        put("context", context)
    }

    /** Takes a unit of the day's quota before the work starts: work that fails counts too. */
    public suspend fun consume(kind: QuotaKind): QuotaTaken = ask("consume") { put("kind", Wire.tree(kind)) }

    /** Gives a unit back whose work never started. */
    public suspend fun release(taken: QuotaTaken) {
        val unit = taken.unit ?: return
        tell("release") { put("unit", unit) }
    }

    /** The day's quota. */
    public suspend fun quota(): QuotaStatus = ask("quota")

    /** The pause after errors. */
    public suspend fun backoff(): Backoff = ask("backoff")

    /** What failed, newest first. */
    public suspend fun failures(): List<FailureRecord> = engine.failures()

    private suspend inline fun <reified T> ask(
        request: String,
        crossinline fields: JsonObjectBuilder.() -> Unit = {},
    ): T = engine.call("guard") {
        put("guard", request)
        fields()
    }

    private suspend fun tell(request: String, fields: JsonObjectBuilder.() -> Unit) = engine.command("guard") {
        put("guard", request)
        fields()
    }
}

/** The guard's answer: go ahead, or don't and why. */
@Serializable
public data class Verdict(
    /** Whether the step must not be taken. */
    @SerialName("should_skip") val shouldSkip: Boolean,
    /**
     * Of a refusal: `in_backoff`, `quota_exhausted`, `duplicate`, `already_run`, `failed_before` or
     * `guard_unavailable`.
     */
    val kind: String? = null,
    /** Of a refusal: a sentence for a person. */
    val reason: String? = null,
    /** Of `in_backoff`: what is left of the pause, milliseconds. */
    @SerialName("remaining_backoff_ms") val remainingBackoffMs: Long? = null,
    /** Of `quota_exhausted`. */
    val which: QuotaKind? = null,
    /** Of `quota_exhausted`: when it starts anew, epoch milliseconds. */
    @SerialName("resets_at") val resetsAt: Long? = null,
    /** Of `duplicate`: the question that it repeats. */
    val of: String? = null,
    /** Of `duplicate`: their cosine; 1 for the same text. */
    val similarity: Float? = null,
    /** Of `already_run`: what the call brought. */
    @SerialName("cached_result") val cachedResult: ToolResult? = null,
    /** Of `failed_before`. */
    val record: FailureRecord? = null,
    /** Of a step that may be taken: how to avoid an earlier failure of the same operation. */
    val advice: AvoidStrategy? = null,
) {
    internal companion object {
        val PROCEED = Verdict(shouldSkip = false)
    }
}

/** A unit of the day's quota, or why there was none. */
@Serializable
public data class QuotaTaken(
    /** Whether the unit was there, and if not, why. */
    val verdict: Verdict,
    internal val unit: Long? = null,
)

/** The pause after errors. */
@Serializable
public data class Backoff(
    /** Errors in a row. */
    @SerialName("consecutive_errors") val consecutiveErrors: Int,
    /** What is left of the pause, milliseconds. */
    @SerialName("remaining_ms") val remainingMs: Long,
    /** When it ends, epoch milliseconds. */
    val until: Long,
)
